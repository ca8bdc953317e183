"""What is true of a measure? All properties decided, kept for the next time."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from steelyard.measures.measure import Measure
from steelyard.properties import cache
from steelyard.properties.conditions import BY_ID, PROPERTIES, Property
from steelyard.properties.subject import Subject
from steelyard.properties.verdict import Verdict

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Examination:
    """Everything decided about one measure."""

    subject: str
    title: str
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...] = ()
    """What a user's function did that deserves a word."""

    def __getitem__(self, property_id: str) -> Verdict:
        return next(v for v in self.verdicts if v.question == property_id)

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.subject,
            "title": self.title,
            "remarks": list(self.remarks),
            "verdicts": [v.to_dict() for v in self.verdicts],
        }


def examine(
    measure: Measure, properties: Sequence[Property] = PROPERTIES, progress: Progress | None = None
) -> Examination:
    """The verdict on each property of a measure of the catalogue (or made of it by operators).

    >>> import steelyard as sy
    >>> from steelyard.properties.conditions import BY_ID
    >>> examination = sy.examine(sy.measure("precision"), [BY_ID["prior-invariance"]])
    >>> examination.verdicts[0].grade
    'refuted'
    """
    verdicts = []
    for p in properties:
        verdict = cache.load(_key(measure, p), Verdict.from_dict)
        if verdict is None:
            if progress is not None:
                progress(f"{measure.name}: {p.name}")
            verdict = p.decide(Subject(measure))
            cache.store(_key(measure, p), verdict.to_dict())
        verdicts.append(verdict)
    return Examination(measure.name, measure.title, tuple(verdicts))


def examine_all(
    measures: Iterable[Measure], properties: Sequence[Property] = PROPERTIES, workers: int | None = None
) -> Iterator[Examination]:
    """Many measures, on as many processors as there are; each comes out as soon as those before it are done."""
    chosen = list(measures)
    open_ones = [m for m in chosen if any(not cache.holds(_key(m, p)) for p in properties)]
    count = min(workers or os.cpu_count() or 1, len(open_ones))
    if count < 2:
        for measure in chosen:
            yield examine(measure, properties)
        return
    ids = [p.id for p in properties]
    # Started afresh: a copy of a process in which NumPy has started threads may lock up.
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        decided = pool.map(_examine_by_id, open_ones, [ids] * len(open_ones))
        for measure in chosen:
            yield next(decided) if measure in open_ones else examine(measure, properties)


def _key(measure: Measure, p: Property) -> str:
    return cache.key("property", measure.name, measure.kind, measure.reads, p.id)


def _examine_by_id(measure: Measure, ids: Sequence[str]) -> Examination:
    return examine(measure, [BY_ID[i] for i in ids])
