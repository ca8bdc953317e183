"""What is the smallest case that still fails in the same way?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from torture.fuzz.cases import Case, Kind, Label

PLAIN: dict[Kind, tuple[Label, ...]] = {
    "text": ("a", "b", "c"),
    "integer": (0, 1, 2),
    "large": (0, 1, 2),
    "float": (0.0, 1.0, 2.0),
    "boolean": (False, True),
    "mixed": (0, "a", 1),
}


def shrunk(case: Case, still_fails: Callable[[Case], bool], most_tries: int = 1500) -> Case:
    """Steps towards a smaller case are tried, the largest first, until none of them fails any more."""
    tries = 0
    while True:
        for smaller in _smaller(case):
            tries += 1
            if tries > most_tries:
                return case
            if still_fails(smaller):
                case = smaller
                break
        else:
            return case


def _smaller(case: Case) -> Iterator[Case]:
    if case.weights is not None:
        yield replace(case, weights=None)
    if case.slices is not None:
        yield replace(case, slices=None)
    if case.listed is not None:
        yield replace(case, listed=None)
    if case.scores is not None:
        yield replace(case, scores=None)
    if case.cuts:
        yield replace(case, cuts=())
    if case.drop:
        yield replace(case, drop=False)
    size = case.rows // 2
    while size:
        for start in range(0, case.rows, size):
            yield case.kept(lambda i, start=start, size=size: not start <= i < start + size)  # type: ignore[misc]
        size //= 2
    if len(case.cuts) > 1:
        for i in range(len(case.cuts)):
            yield replace(case, cuts=case.cuts[:i] + case.cuts[i + 1 :])
    yield from _plainer_labels(case)
    for i, weight in enumerate(case.weights or ()):
        if weight not in (1.0, 0.0):
            yield replace(case, weights=tuple(1.0 if j == i else w for j, w in enumerate(case.weights or ())))
    for i, part in enumerate(case.slices or ()):
        if part != "DE":
            yield replace(case, slices=tuple("DE" if j == i else s for j, s in enumerate(case.slices or ())))


def _plainer_labels(case: Case) -> Iterator[Case]:
    used = dict.fromkeys(v for v in (*case.truths, *case.predictions, *(case.listed or ())) if v is not None)
    for label in used:
        free = [name for name in PLAIN[case.kind] if name not in used]
        if label in PLAIN[case.kind] or not free:
            continue

        def put(value: Label | None, label: Label = label, new: Label = free[0]) -> Label | None:
            return new if value == label and type(value) is type(label) else value

        yield replace(
            case,
            truths=tuple(map(put, case.truths)),
            predictions=tuple(map(put, case.predictions)),
            listed=None if case.listed is None else tuple(v for v in map(put, case.listed) if v is not None),
        )
