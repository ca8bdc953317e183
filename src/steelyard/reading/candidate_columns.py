"""Candidate columns: which columns of a file or frame look like truth, predictions or scores.

Asked only where a column that is needed was not named: the refusal then says what to write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.counts.labels import is_missing
from steelyard.counts.libraries import column_names, column_of, is_frame
from steelyard.errors import InputError, SteelyardError, parameter
from steelyard.reading.column_names import TRUTH_NAMES, UnnamedColumnError
from steelyard.reading.duckdb import first_rows

ROWS = 2_000
"""So many rows from the top show what a column holds."""
MOST_LABELS = 30
"""Columns with more different values in these rows are ids, numbers or text."""
_OF_TRUTH = ("true", "truth", "label", "target", "actual", "gold", "class", "outcome")
_OF_SCORES = ("score", "prob", "proba", "logit", "confidence")


@dataclass(frozen=True)
class Candidates:
    """Columns that could be meant, the likeliest first."""

    truth: str | None
    predictions: tuple[str, ...]
    scores: tuple[str, ...]

    def suggestion(self, needs: str, settled: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The parameters to add for "labels" (one model), "models" (several) or "scores"; `settled` are
        given already."""
        truth: dict[str, tuple[str, ...]] = {}
        if self.truth is not None and "truth" not in settled:
            truth["truth"] = (self.truth,)
        if {"pred", "score", "scores"} & {*settled}:
            return truth
        least, most = (2, None) if needs == "models" else (1, 1)
        if needs != "scores" and len(self.predictions) >= least:
            return {**truth, "pred": self.predictions[:most]}
        if len(self.scores) >= least:
            suggested = {**truth, "score": self.scores[:most]}
            return {**suggested, "threshold": ("best:gmean",)} if needs == "labels" else suggested
        return {}

    @property
    def description(self) -> str:
        """What was seen, for a refusal."""
        labels = [*([] if self.truth is None else [self.truth]), *self.predictions]
        parts = [
            f"{', '.join(names[:8])} with values like {kind}"
            for names, kind in ((labels, "labels"), (self.scores, "scores"))
            if names
        ]
        return " and ".join(parts)


def candidate_columns(source: Any, truth: str | None = None) -> Candidates:
    """Candidates among the columns of a file or frame; none where it cannot be read. `truth` is known."""
    values = {name: set(column) for name, column in _top(source).items()}
    labels = {
        name: found
        for name, found in values.items()
        if 2 <= len(found) <= MOST_LABELS and not _are_fractions(found)
    }
    scores = [name for name, found in values.items() if name not in labels and _are_fractions(found)]
    if truth is None:
        truth = max(labels, key=lambda name: _like_truth(name, labels), default=None)
    known = labels.get(truth or "", set())
    alike = [name for name, found in labels.items() if name != truth and len(found & known) > 1]
    scores.sort(key=lambda name: not any(word in name.casefold() for word in _OF_SCORES))
    return Candidates(truth, tuple(alike), tuple(scores))


def _top(source: Any) -> Mapping[str, list[Any]]:
    """The first values of each column, as text."""
    columns: Mapping[str, Sequence[Any]] = {}
    try:
        if isinstance(source, (str, Path)):
            columns = first_rows(source, ROWS)
        elif is_frame(source):
            columns = {name: list(column_of(source, name)[:ROWS]) for name in column_names(source)}
    except SteelyardError:
        pass
    return {name: [str(one) for one in column if not is_missing(one)] for name, column in columns.items()}


def _are_fractions(values: set[str]) -> bool:
    """Are these numbers, most of them none that a class would be called?"""
    try:
        return 2 * sum(not float(value).is_integer() for value in values) > len(values)
    except (ValueError, OverflowError):
        return False


def _like_truth(name: str, labels: Mapping[str, set[str]]) -> tuple[bool, bool, int]:
    """How much a column looks like the truth: by its name, then because others hold the same labels."""
    folded = name.casefold()
    named = folded in TRUTH_NAMES or folded.startswith("is_") or any(word in folded for word in _OF_TRUTH)
    twins = sum(len(found & labels[name]) > 1 for found in labels.values())
    return named, twins > 1, -len(labels[name])


@contextmanager
def naming_candidates(source: Any, needs: str, **given: Any) -> Iterator[None]:
    """A refusal for want of a column says which columns look right and what to write."""
    try:
        yield
    except UnnamedColumnError as error:
        raise unnamed(source, needs, error.what, **given) or error from None


def unnamed(source: Any, needs: str, what: str, **given: Any) -> InputError | None:
    """The refusal of a call that names too few columns; None where nothing looks right."""
    settled = [name for name, value in given.items() if value is not None and value != ()]
    found = candidate_columns(source, given.get("truth"))
    suggested = found.suggestion(needs, settled)
    if not suggested:
        return None
    written = ", ".join(parameter(name, value) for name, values in suggested.items() for value in values)
    error = InputError(what, found=found.description, do=f"try {written}")
    error.suggested = suggested
    return error
