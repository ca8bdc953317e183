"""Is an answer the right one? Labels and their types exactly, counts and values to the rounding of floats."""

from __future__ import annotations

import math
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torture.fuzz import reference
from torture.fuzz.cases import Case
from torture.fuzz.paths import COUNTING, Way
from torture.fuzz.reference import REFUSED, Counted, Ranked
from torture.fuzz.score_paths import SCORES
from torture.fuzz.studio_path import STUDIO
from torture.fuzz.value_paths import VALUES

PATHS: dict[str, Way] = {path.name: path for path in (*COUNTING, *STUDIO, *VALUES, *SCORES)}

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Sums of weights 10^9 and 10^-3 lose up to 10^-13 of the sum in each addition; a wrong row is far beyond this."""


@dataclass(frozen=True)
class Failure:
    """A path gave another answer than the plain count: what kind of difference, and in words."""

    path: str
    kind: str
    words: str


def expected(path: Way, case: Case) -> Any:
    """The right answer to the question of a path."""
    seen = case.written() if path.writes_text else case
    if path.question == "counts":
        found = reference.counted(seen, path.refuses_strangers)
        alone = path.needs_two_classes and not isinstance(found, str) and sum(map(any, found.cells)) < 2
        return REFUSED if alone else found
    return reference.values(seen) if path.question == "values" else reference.ranked(seen)


def tried(path: Way, case: Case, folder: Path, right: Any = None) -> Failure | None:
    """Ask one path; None where it is right."""
    right = expected(path, case) if right is None else right
    try:
        answer = path.answer(case, folder)
    except Exception as error:  # whatever it is, a user would have seen it
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Failure(path.name, f"{type(error).__name__} in {Path(where.filename).name}", f"{error}"[:300])
    return difference(path.name, answer, right)


def difference(name: str, answer: Any, right: Any) -> Failure | None:
    if isinstance(answer, str) or isinstance(right, str):
        if answer == right:
            return None
        kind = "refused" if answer == REFUSED else "accepted"
        return Failure(name, kind, f"{answer} should be {right}"[:600])
    if isinstance(right, Counted):
        return _counts(name, answer, right)
    if isinstance(right, Ranked):
        return _ranked(name, answer, right)
    wrong = {key: (value, right[key]) for key, value in answer.items() if not close(value, right[key])}
    return Failure(name, f"values of {sorted(wrong)[0]}", f"{wrong}") if wrong else None


def close(value: float, right: float) -> bool:
    if math.isnan(value) or math.isnan(right):
        return math.isnan(value) and math.isnan(right)
    return math.isclose(value, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _counts(name: str, answer: Counted, right: Counted) -> Failure | None:
    kind = _what_differs(answer, right)
    # The words take longer than the comparison, so they are made only where they are needed.
    return None if kind is None else Failure(name, kind, f"{answer} should be {right}"[:900])


def _what_differs(answer: Counted, right: Counted) -> str | None:
    if answer.labels != right.labels or list(map(type, answer.labels)) != list(map(type, right.labels)):
        return "labels"
    if not _cells(answer.cells, right.cells):
        return "counts"
    if answer.slices is not None:
        if list(answer.slices) != sorted(right.slices or {}):
            return "slices"
        if not all(_cells(cells, (right.slices or {})[part]) for part, cells in answer.slices.items()):
            return "counts of slices"
    for own, true in ((answer.rows, right.rows), (answer.missing, right.missing)):
        if own is not None and own != true:
            return "rows"
    return None


def _cells(answer: Any, right: Any) -> bool:
    if [len(row) for row in answer] != [len(row) for row in right]:
        return False
    pairs = ((a, b) for mine, own in zip(answer, right, strict=True) for a, b in zip(mine, own, strict=True))
    return all(close(float(a), float(b)) for a, b in pairs)


def _ranked(name: str, answer: Ranked, right: Ranked) -> Failure | None:
    kind = _what_ranks_otherwise(answer, right)
    return None if kind is None else Failure(name, kind, f"{answer} should be {right}"[:900])


def _what_ranks_otherwise(answer: Ranked, right: Ranked) -> str | None:
    if not close(answer.auc, right.auc):
        return "area"
    if [t for t, _ in answer.sweep] != [t for t, _ in right.sweep]:
        return "thresholds"
    if not all(_cells(a, b) for (_, a), (_, b) in zip(answer.sweep, right.sweep, strict=True)):
        return "matrices at thresholds"
    if answer.best.keys() != right.best.keys():
        return "best thresholds"
    for key, (threshold, value) in answer.best.items():
        if not _is_best(threshold, value, right.values[key]):
            return f"best threshold of {key}"
    return None


def _is_best(threshold: float, value: float, at: dict[float, float]) -> bool:
    """The greatest value to 10^-12, at the highest threshold that has it; twice or half that difference may be seen as one or not."""
    greatest = max(v for v in at.values() if v == v)
    higher = [v for t, v in at.items() if t > threshold and v == v]
    return (
        at[threshold] >= greatest - 2e-12
        and close(value, at[threshold])
        and all(v < greatest - 0.5e-12 for v in higher)
    )
