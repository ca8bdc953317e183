"""Which scores was an evaluation given, and which labels do they stand for?

A label is a score and a threshold, or the class with the largest score. Arrays, frames and files of scores are counted twice: as
scores, for everything that is said of the ranking, and as the labels they stand for, for everything that is said of a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, encode, keep_rows, missing_rows
from steelyard.counts.score_columns import score_table
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.reading.duckdb_files import open_files
from steelyard.reading.engines import is_countable
from steelyard.reading.frames import count_columns, is_frame
from steelyard.reading.groups import Counted
from steelyard.reading.named_columns import find_column
from steelyard.reading.score_files import columns_of_classes, score_counts_from_files
from steelyard.reading.score_labels import count_labels_of_scores
from steelyard.scores.thresholds import BestThreshold, best_threshold, threshold_as_json

Array = NDArray[Any]

MOST_RESAMPLED = 200_000
"""Examples up to which rankings are drawn again unasked; beyond, a reader would wait."""


@dataclass(frozen=True)
class ThresholdChoice:
    """Where a score becomes a positive label, and who says so."""

    threshold: float
    how: str
    """"given", or "best:" and the measure that was made best."""
    words: str
    best: BestThreshold | None = None
    fitted_on: str | None = None
    """The rows it was chosen on, where they are others than those it is judged on."""

    @property
    def is_optimistic(self) -> bool:
        return self.best is not None and self.fitted_on is None

    def to_dict(self) -> dict[str, Any]:
        return {
            "threshold": threshold_as_json(self.threshold),
            "how": self.how,
            "words": self.words,
            "best": None if self.best is None else self.best.to_dict(),
            "fitted_on": self.fitted_on,
            "optimistic": self.is_optimistic,
        }


@dataclass(frozen=True)
class AskedScores:
    """What the caller said about scores: one column, or a column for each class, and how they become labels."""

    score: Any
    is_table: bool
    threshold: str | float | None
    fit_on: Any

    @classmethod
    def of(cls, score: Any, scores: Any, threshold: Any, fit_on: Any) -> AskedScores | None:
        """None if nothing was said about scores."""
        if score is None and scores is None:
            for name, value in (("threshold", threshold), ("fit_on", fit_on)):
                if value is not None:
                    raise InputError(
                        f"{name} is for scores", found="no scores", do="name the column of scores with score"
                    )
            return None
        if score is not None and scores is not None:
            raise InputError(
                "scores are given in one way",
                found="score and scores",
                allowed="score (one column) or scores (a column for each class)",
            )
        if scores is not None and threshold is not None:
            raise InputError(
                "a threshold is for one column of scores",
                found="a column for each class",
                do="leave it out: the largest score gives the label",
            )
        if score is not None and isinstance(score, str) and "*" in score:
            raise InputError(
                "score names one column",
                found=repr(score),
                allowed="the name of one column",
                do="say scores for a pattern",
            )
        if fit_on is not None and not (isinstance(threshold, str) and threshold.startswith("best:")):
            raise InputError(
                "there is nothing to choose on other rows",
                found=f"threshold {threshold!r}",
                allowed="a threshold such as best:gmean",
            )
        return cls(score if scores is None else scores, scores is not None, threshold, fit_on)

    def gives_labels(self, data: Any, y_pred: Any, pred: str | None) -> bool:
        """Do the scores give the labels, or are there predictions beside them?"""
        predicted = y_pred is not None or pred is not None
        if self.threshold is not None and predicted:
            raise InputError(
                "labels come from predictions or from a threshold", found="both", do="leave one of them out"
            )
        if self.is_table or self.threshold is not None:
            return not predicted
        if not predicted and not _has_predictions(data):
            raise InputError(
                "one column of scores does not say the labels",
                found="no threshold and no column named like a prediction"
                if _has_columns(data)
                else "no threshold and no predictions",
                do='say a threshold such as 0.5 or "best:gmean", or give predictions too',
            )
        return False

    def names(self, available: Sequence[str]) -> list[str]:
        """The columns that hold the scores."""
        return (
            list(columns_of_classes(available, self.score).values())
            if isinstance(self.score, (str, Mapping))
            else []
        )


@dataclass(frozen=True)
class _Columns:
    """Truth and scores in memory, row by row."""

    truth: Any
    names: Sequence[Label] | None
    table: list[Array]
    weight: Any
    slices: dict[str, Any]
    rows: int
    lost: int
    truth_name: str
    unused: tuple[str, ...]

    def counted(self, positive: Label | None, labels: Sequence[Label] | None, missing: str) -> ScoreCounts:
        table: Any = self.table[0] if len(self.table) == 1 else np.stack(self.table, axis=1)
        if self.names is not None and len(self.table) > 1:
            table = dict(zip(self.names, self.table, strict=True))
        counts = ScoreCounts.from_scores(self.truth, table, positive, labels, self.weight, missing=missing)  # type: ignore[arg-type]
        return replace(counts, dropped=self.lost)


def read_scores(
    asked: AskedScores,
    data: Any,
    truth: str | None,
    positive: Label | None,
    labels: Sequence[Label] | None,
    weight: Any,
    missing: str,
) -> ScoreCounts:
    """The scores of arrays, a frame or files, counted."""
    if missing not in ("error", "drop"):
        raise InputError("missing= is not understood", found=repr(missing), allowed='"error" or "drop"')
    if is_countable(data) and not is_frame(data):
        raise InputError(
            "scores are read from columns in memory, frames and files",
            found=f"{type(data).__module__}.{type(data).__name__}",
            do="fetch the columns, or write them to a file",
        )
    if isinstance(data, (str, Path)):
        if not isinstance(asked.score, (str, Mapping)):
            raise InputError(
                "the scores of a file are named by their columns",
                found=type(asked.score).__name__,
                allowed="names of columns",
            )
        return score_counts_from_files(
            data,
            asked.score,
            truth,
            None if asked.is_table else positive,
            labels=labels,
            weight=weight,
            missing=missing,  # type: ignore[arg-type]
        )
    columns = _in_memory(asked, data, truth, weight, {}, missing)
    return columns.counted(None if asked.is_table and len(columns.table) > 1 else positive, labels, missing)


def choose_threshold(
    asked: AskedScores,
    scores: ScoreCounts,
    *,
    truth: str | None = None,
    weight: Any = None,
    missing: str = "error",
    priors: Any = None,
    intervals: bool = True,
    level: float = 0.95,
    seed: int = 0,
) -> ThresholdChoice | None:
    """The threshold asked for: a number, or the one that makes a measure best, on these rows or on others."""
    given = asked.threshold
    if given is None:
        return None
    label = scores.positive_class().label
    if not isinstance(given, str) or not given.startswith("best:"):
        number = _as_number(given)
        return ThresholdChoice(
            number, "given", f"{label} is called at scores of at least {number:.6g}, as asked"
        )
    fit, fitted_on = scores, None
    if asked.fit_on is not None:
        rows, scored = asked.fit_on if isinstance(asked.fit_on, tuple) else (asked.fit_on, asked.score)
        other = replace(asked, score=scored, fit_on=None)
        fit = read_scores(
            other, rows, truth, label, None, weight if isinstance(weight, str) else None, missing
        )
        fitted_on = str(rows) if isinstance(rows, (str, Path)) else "other rows"
    replicates = 200 if intervals and not fit.is_weighted and fit.totals.sum() <= MOST_RESAMPLED else 0
    chosen = measure(given.removeprefix("best:").strip())
    best = best_threshold(fit, chosen, priors=priors, replicates=replicates, level=level, seed=seed)
    where = "on these very rows" if fitted_on is None else f"on {fitted_on}"
    at = "" if priors is None else " at your priors"
    words = f"{label} is called at scores of at least {best.threshold:.6g}, which makes {chosen.name} best{at} {where}"
    return ThresholdChoice(best.threshold, f"best:{chosen.name}", words, best, fitted_on)


def count_labels(
    asked: AskedScores,
    scores: ScoreCounts,
    choice: ThresholdChoice | None,
    data: Any,
    *,
    truth: str | None,
    weight: Any,
    slices: Any,
    missing: str,
) -> tuple[Counted, str]:
    """The labels the scores stand for against the truth, and what the source is called."""
    names = scores.positive_first().labels if scores.positive is not None else scores.labels
    threshold = None if choice is None else choice.threshold
    if threshold is None and len(scores.columns) == 1:
        raise InputError(
            "one column of scores does not say the labels",
            found="no threshold",
            do='say a threshold such as 0.5 or "best:gmean"',
        )
    if isinstance(data, (str, Path)):
        files = open_files(data)
        by_label = columns_of_classes(files.columns, asked.score)
        columns = (
            {label: column for label in names for key, column in by_label.items() if str(key) == str(label)}
            if threshold is None
            else by_label
        )
        listed = [slices] if isinstance(slices, str) else list(slices)
        name = _label_source(asked, threshold)
        counted = count_labels_of_scores(
            files,
            truth,
            columns,
            names,
            threshold=threshold,
            name=name,
            weight=weight,
            slices=listed,
            missing=missing,
        )
        return counted, str(data)
    rows = _in_memory(asked, data, truth, weight, slices, missing)
    actual, called = _codes(rows, names, threshold)
    counted = count_columns(
        actual, called, weight=rows.weight, slices=rows.slices or None, labels=list(range(len(names)))
    )
    source = (
        f"a {type(data).__module__.partition('.')[0]} frame"
        if is_frame(data)
        else "labels and scores in memory"
    )
    named = Counted(
        Confusion(counted.matrix.counts, names),
        {key: Confusion(matrix.counts, names) for key, matrix in counted.slices.items()},
        counted.slice_columns,
        rows.rows,
        rows.lost,
        rows.truth_name,
        _label_source(asked, threshold),
        rows.unused,
    )
    return named, source


def without_used(counted: Counted, asked: AskedScores) -> Counted:
    """The same counts, with the columns of scores no longer among the unused ones."""
    if not isinstance(asked.score, (str, Mapping)) or not counted.unused:
        return counted
    used = set(asked.names([*counted.unused]))
    return replace(counted, unused=tuple(column for column in counted.unused if column not in used))


def _label_source(asked: AskedScores, threshold: float | None) -> str:
    if threshold is not None:
        return f"{asked.score if isinstance(asked.score, str) else 'score'} >= {threshold:.6g}"
    return f"the largest of {asked.score}" if isinstance(asked.score, str) else "the largest score"


def _as_number(given: Any) -> float:
    try:
        if isinstance(given, (str, Real)) and not isinstance(given, bool):
            number = float(given)
            if number == number:
                return number
    except ValueError:
        pass
    raise InputError(
        "the threshold is not understood",
        found=repr(given),
        allowed="a number, or best: and a measure, as in best:gmean",
    )


def _has_columns(data: Any) -> bool:
    return isinstance(data, (str, Path)) or is_frame(data)


def _has_predictions(data: Any) -> bool:
    """Is there a column that is named like a prediction?"""
    if not _has_columns(data):
        return False
    columns = open_files(data).columns if isinstance(data, (str, Path)) else _names_of(data)
    try:
        find_column(None, columns, "prediction", "")
    except InputError:
        return False
    return True


def _names_of(frame: Any) -> list[str]:
    names = (
        frame.collect_schema().names()
        if type(frame).__name__ == "LazyFrame"
        else getattr(frame, "column_names", None)
    )
    return [str(name) for name in (frame.columns if names is None else names)]


def _in_memory(
    asked: AskedScores, data: Any, truth: str | None, weight: Any, slices: Any, missing: str
) -> _Columns:
    score, truth_name = asked.score, "y_true"
    unused: tuple[str, ...] = ()
    by: dict[str, Any] = dict(slices) if isinstance(slices, Mapping) else {}
    if is_frame(data):
        frame = data.collect() if type(data).__name__ == "LazyFrame" else data
        available = _names_of(frame)
        if not isinstance(score, (str, Mapping)):
            raise InputError(
                "the scores of a frame are named by their columns",
                found=type(score).__name__,
                allowed="names of columns",
            )
        columns = columns_of_classes(available, score)
        truth_name = find_column(
            truth, [c for c in available if c not in columns.values()], "truth", "truth=..."
        )
        listed = [slices] if isinstance(slices, str) else list(slices)
        for column in (*columns.values(), *listed, *([weight] if weight else [])):
            find_column(column, available, "column", "")
        unused = tuple(c for c in available if c not in (truth_name, weight, *listed, *columns.values()))
        data, by = frame[truth_name], {name: frame[name] for name in listed}
        weight = None if weight is None else frame[weight]
        score = (
            {label: frame[column] for label, column in columns.items()} if asked.is_table else frame[score]
        )
    elif isinstance(slices, (str, list, tuple)) and slices:
        raise InputError(
            "slices of bare columns are given as columns",
            found=repr(slices),
            allowed='a mapping such as {"country": column}',
        )
    names, table = score_table(score)
    rows, lost = len(data), 0
    if missing == "drop" and all(len(column) == rows for column in table):
        kept = ~(missing_rows(data) | np.any([np.isnan(column) for column in table], axis=0))
        lost = int((~kept).sum())
        if lost:
            data, table = keep_rows(data, kept), [column[kept] for column in table]
            weight = None if weight is None else keep_rows(weight, kept)
            by = {name: keep_rows(column, kept) for name, column in by.items()}
    return _Columns(data, names, table, weight, by, rows, lost, truth_name, unused)


def _codes(rows: _Columns, names: Sequence[Label], threshold: float | None) -> tuple[Array, Array]:
    """The places of the true labels and of the labels called, among the names."""
    truth = encode(rows.truth, "y_true")
    found, inverse = np.unique(truth.codes, return_inverse=True)
    place_of = {str(name): place for place, name in enumerate(names)}
    others = 1 if threshold is not None else -1
    places = [
        place_of.get(str(code if truth.labels is None else truth.labels[code]), others)
        for code in found.tolist()
    ]
    actual = np.array(places, dtype=np.int64)[inverse.reshape(-1)]
    if threshold is not None:
        return actual, np.where(rows.table[0] >= threshold, 0, 1)
    order = (
        range(len(names))
        if rows.names is None
        else [[str(n) for n in rows.names].index(str(name)) for name in names]
    )
    return actual, np.argmax(np.stack([rows.table[place] for place in order]), axis=0)
