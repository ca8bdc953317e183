"""Examinations: every property of a measure decided, and cached for the next time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.measures.formula import formula_measure, measure_or_formula
from steelyard.measures.measure import Measure
from steelyard.measures.names import as_measure
from steelyard.proofs import cache
from steelyard.proofs.portrait import Portrait, portrait_of
from steelyard.proofs.precomputed import made_of as fingerprint
from steelyard.proofs.precomputed import shipped
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import constant_baseline as baseline
from steelyard.proofs.questions.conditions import BY_ID, FIELD, PROPERTIES, Property, property_named
from steelyard.proofs.report import examination_report, overview_report
from steelyard.proofs.verdict import Verdict, named_classes
from steelyard.proofs.worker import Job, decide
from steelyard.report.presented import Presented
from steelyard.report.sections import Report

Progress = Callable[[str], None]
Asked = str | Property | Sequence[str | Property] | None
"""Properties, or their names; None stands for all of them."""


@dataclass(frozen=True, repr=False)
class Examination(Presented):
    """Everything decided about one measure."""

    subject: str
    title: str
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...] = ()
    """What a user's function did that deserves a word."""
    measure: Measure | None = None
    """The measure itself, unless it is a user's function."""
    portrait: Portrait | None = field(default=None, compare=False)
    """How it looks, once it was drawn."""
    no_picture: str = ""
    """Why it cannot be drawn."""

    def __getitem__(self, property_id: str) -> Verdict:
        return next(v for v in self.verdicts if v.question == property_id)

    def drawn(self) -> Examination:
        """The same with its pictures, where there can be any."""
        if self.portrait is not None or self.no_picture or self.measure is None:
            return self
        return replace(self, portrait=portrait_of(Subject(self.measure)))

    def report(self) -> Report:
        return examination_report(self)

    def to_html(self, path: str | Path | None = None, *, made: str = "") -> str:
        """The verdicts and the pictures as one HTML page that needs nothing else; written to `path` if one is
        given."""
        drawn = self.drawn()
        return super().to_html(path, made=made) if drawn is self else drawn.to_html(path, made=made)

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.subject,
            "title": self.title,
            "remarks": list(self.remarks),
            "verdicts": [v.to_dict() for v in self.verdicts],
        }

    def table(self) -> list[dict[str, Any]]:
        """Every verdict as a row of plain data."""
        return [verdict_row(v) for v in self.verdicts]


@dataclass(frozen=True, repr=False)
class Overview(Presented):
    """Everything decided about several measures: of a few every verdict, of many a mark for each."""

    examinations: tuple[Examination, ...]

    def report(self) -> Report:
        if len(self.examinations) == 1:
            return self.examinations[0].report()
        return overview_report(self.examinations)

    def to_html(self, path: str | Path | None = None, *, made: str = "") -> str:
        if len(self.examinations) == 1:
            return self.examinations[0].to_html(path, made=made)
        return super().to_html(path, made=made)

    def to_dict(self) -> dict[str, Any]:
        return {"examinations": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        return [found.to_dict() for found in self.examinations]

    def table(self) -> list[dict[str, Any]]:
        """Every verdict on every measure as a row of plain data."""
        return [row for found in self.examinations for row in found.table()]


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a row of a table: its words in full, without its parts."""
    kept = ("measure", "property", "grade", "classes", "method", "text")
    return {name: value for name, value in verdict.to_dict().items() if name in kept}


def examine(
    measure: Measure | str,
    properties: Asked = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Examination:
    """The verdict on each property of a measure, of the one of this name, of a formula such as "tp/(tp+fp)",
    or of a function that a file holds ("my_metric.py:my_metric", which runs in a process of its own).
    `properties` are one or several by name, all of them without it; `steelyard examine --list` lists them.
    With `seconds` each property that was not decided before has so long, in a process of its own: one that
    takes longer is graded as timed out and costs the others nothing.

    >>> import steelyard as sy
    >>> examination = sy.examine("precision", "prior-invariance")
    >>> examination["prior-invariance"].grade
    'refuted'
    """
    properties = _chosen(properties)
    if isinstance(measure, str):
        from steelyard.proofs import user_measure

        if (own := user_measure.parse(measure)) is not None:
            limit = user_measure.PROPERTY_TIME if seconds is None else seconds
            return user_measure.examine_user(*own, properties, progress=progress, seconds=limit)
        measure = measure_or_formula(measure)
    measure = as_measure(measure)
    _refuse_without_values(measure)
    verdicts = []
    made_of = fingerprint(measure)
    in_time: dict[str, Verdict] = {}
    missing = tuple(p.id for p in properties if _known(made_of, p) is None)
    timed = seconds is not None and made_of is not None and not certificates.wanted()
    if seconds is not None and timed and missing:
        if progress is not None:
            progress(f"{measure.name}: {len(missing)} properties")
        job = Job(measure.name, missing, seconds, {0: measure})
        in_time = {a["property"]: Verdict.from_dict(a["verdict"]) for a in decide(job) if "verdict" in a}
    for p in properties:
        if certificates.wanted():
            verdicts.append(_certified(measure, p, made_of))
            continue
        verdict = in_time.get(p.id) or _known(made_of, p)
        if verdict is None and timed:
            sizes = named_classes((2,) if measure.kind == "two-class" else (2, 3, 4))
            verdict = Verdict(measure.name, p.id, "timed out", "not decided in time", sizes)
        elif verdict is None:
            if progress is not None:
                progress(f"{measure.name}: {p.name}")
            verdict = p.decide(Subject(measure))
            _store(made_of, p, verdict)
        elif p.id in in_time and verdict.grade != "timed out":
            _store(made_of, p, verdict)
        verdicts.append(verdict)
    return Examination(measure.name, measure.title, tuple(verdicts), measure=measure)


def _chosen(asked: Asked) -> Sequence[Property]:
    """The properties that were asked for, by name or themselves."""
    if asked is None:
        return PROPERTIES
    each = [asked] if isinstance(asked, (str, Property)) else asked
    return [p if isinstance(p, Property) else property_named(p) for p in each]


def _known(made_of: str | None, p: Property) -> Verdict | None:
    """What came with the package or was decided before."""
    if made_of is None:
        return None
    found = shipped(made_of, p.id)
    return found or cache.load(cache.key("property", made_of, p.id), Verdict.from_dict)


def _store(made_of: str | None, p: Property, verdict: Verdict) -> None:
    if made_of is not None:
        cache.store(cache.key("property", made_of, p.id), verdict.to_dict())


def _refuse_without_values(measure: Measure) -> None:
    """Everything is true of a formula that has no value anywhere, which helps nobody."""
    if measure.recipe is not None and measure.recipe[0] is formula_measure:
        subject = Subject(measure)
        sizes = (2,) if subject.two_class_only else (2, 3)
        if not any(np.isfinite(subject.floats(subject.small(c))).any() for c in sizes):
            raise InputError(
                "the formula has no value on any matrix",
                found=measure.name,
                allowed="denominators that are not 0",
            )


_CERTIFIED: dict[tuple[str, str], tuple[Verdict, list[certificates.Certificate | None]]] = {}
"""What was decided with certificates in this process, so that claims that share a verdict share its proof."""


def _certified(measure: Measure, p: Property, made_of: str | None) -> Verdict:
    """Decided anew, with certificates for whoever collects them."""
    key = (made_of or "", p.id)
    if made_of is None or key not in _CERTIFIED:
        subject = Subject(measure)
        with certificates.collecting() as found:
            verdict = p.decide(subject)
        kept = found if verdict.grade == "proved" else []
        if verdict.counterexample is not None:
            with contextlib.suppress(Exception):  # an expression that trees do not follow has no certificate
                kept = (
                    baseline.certificates_of(subject, verdict.counterexample)
                    if p.id == "constant-baseline"
                    else certificates.of_counterexample(
                        subject.symbol, verdict.counterexample, values=p in FIELD
                    )
                )
        _CERTIFIED[key] = (verdict, kept)
    certificates.keep(_CERTIFIED[key][1])
    return _CERTIFIED[key][0]


def examine_all(
    measures: Iterable[Measure], properties: Sequence[Property] = PROPERTIES, workers: int | None = None
) -> Iterator[Examination]:
    """Many measures, on as many processors as there are; each comes out as soon as those before it are
    done."""
    chosen = list(measures)
    made_of = {m: fingerprint(m) for m in chosen}
    open_ones = [
        m
        for m in chosen
        if any(
            shipped(made_of[m], p.id) is None
            and not cache.holds(cache.key("property", made_of[m] or "", p.id))
            for p in properties
        )
    ]
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


def _examine_by_id(measure: Measure, ids: Sequence[str]) -> Examination:
    return examine(measure, [BY_ID[i] for i in ids])
