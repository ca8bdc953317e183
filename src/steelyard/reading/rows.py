"""Columns in memory (arrays, or columns of pandas, Polars or Arrow frames) as rows to count."""

# Labels and scores are read here in one way: columns are picked by name where there is a frame, rows that
# lack something are left out where that was asked for, and what is kept is counted altogether and for each
# slice.

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts import libraries
from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import Encoded, encode, keep_rows, labels_of_rows, missing_rows, one_dimension
from steelyard.counts.joint import folded
from steelyard.counts.labels import Array, Label, check_missing, is_missing, meant, missing_values
from steelyard.counts.pairs import check_weights
from steelyard.counts.score_columns import checked_probabilities, score_table
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.reading.column_names import columns_of_classes, find_column, refuse_truth_as_prediction
from steelyard.reading.counting import combinations
from steelyard.reading.engines import opened
from steelyard.reading.groups import (
    MISSING_SLICE,
    Cells,
    ModelCounts,
    model_counts,
    places_of,
    refuse_strangers,
    slice_text,
    usable,
)


@dataclass(frozen=True)
class Rows:
    """Truth and predictions, or truth and scores, row by row."""

    truth: Any
    predictions: Any = None
    #: One column of scores, or a column for each class; none where there are predictions.
    scores: tuple[Array, ...] = ()
    #: The class each column of scores is named for, where they carry names.
    score_names: tuple[Label, ...] | None = None
    weight: Any = None
    slices: Mapping[str, Any] | None = None
    #: Rows left out because something was missing.
    lost: int = 0
    #: Those of them that lack a score.
    unscored: int = 0
    truth_name: str = "y_true"
    pred_name: str = "y_pred"
    unused: tuple[str, ...] = ()

    def complete(self) -> Rows:
        """The rows that lack neither truth nor prediction nor score."""
        answers = (*self.scores, *(() if self.predictions is None else (self.predictions,)))
        if any(len(answer) != len(self.truth) for answer in answers):
            return self  # counting refuses columns of unequal length, and says which
        absent = missing_rows(self.truth)
        if self.predictions is not None:
            absent = absent | missing_rows(self.predictions)
        unscored = np.any([np.isnan(column) for column in self.scores], axis=0)
        absent = absent | unscored
        if not absent.any():
            return self
        present = ~absent
        return replace(
            self,
            truth=keep_rows(self.truth, present),
            predictions=None if self.predictions is None else keep_rows(self.predictions, present),
            scores=tuple(column[present] for column in self.scores),
            weight=None if self.weight is None else keep_rows(self.weight, present),
            slices={name: keep_rows(column, present) for name, column in (self.slices or {}).items()},
            lost=int(absent.sum()),
            unscored=int(unscored.sum()),
        )

    def counted(self, labels: Sequence[Label] | None = None) -> ModelCounts:
        """The labels predicted against the truth, altogether and for each slice."""
        matrix = Confusion.from_labels(self.truth, self.predictions, labels, self.weight)
        seen = [
            {label for label, count in zip(matrix.labels, counts.tolist(), strict=True) if count}
            for counts in (matrix.actual, matrix.predicted)
        ]
        refuse_strangers(self.truth_name, self.pred_name, *seen)
        by = dict(self.slices or {})
        cells = self._cells(list(by.values()), matrix.labels) if by or self.weight is not None else None
        return model_counts(
            matrix,
            cells,
            bool(by),
            slice_columns=tuple(by),
            rows=len(self.truth) + self.lost,
            missing=self.lost,
            truth=self.truth_name,
            pred=self.pred_name,
            unused=self.unused,
        )

    def _cells(self, columns: list[Any], labels: Sequence[Label]) -> Cells:
        """The rows as cells of slices: each holds one."""
        truth = places_of(self.truth, self.truth_name, labels)
        predicted = places_of(self.predictions, self.pred_name, labels)
        ones = np.ones(len(truth), dtype=np.int64)
        names, which = _slices(columns) if columns else ([()], np.zeros(len(truth), dtype=np.intp))
        if self.weight is None:
            return Cells(names, which, truth, predicted, ones)
        weight = check_weights(self.weight, len(truth))
        with np.errstate(over="ignore", under="ignore"):
            squares = weight**2
        return Cells(names, which, truth, predicted, ones, weight, usable(squares, weight))

    def score_counts(
        self, positive: Label | None, labels: Sequence[Label] | None, missing: Any = "error"
    ) -> ScoreCounts:
        """How many examples of each class were given each score?"""
        table: Any = self.scores[0]
        if len(self.scores) > 1:
            named = self.score_names
            table = (
                np.stack(self.scores, axis=1) if named is None else dict(zip(named, self.scores, strict=True))
            )
        counts = ScoreCounts.from_scores(self.truth, table, positive, labels, self.weight, missing=missing)
        return replace(counts, dropped=self.unscored)

    def called(
        self, names: Sequence[Label], threshold: float | None, described: str, costs: Array | None = None
    ) -> ModelCounts:
        """The labels the scores stand for against the truth: those that reach the threshold, or of the
        largest score.

        With a threshold the first of `names` is called and the second stands for all others. With `costs`
        (rows are truth) the scores are probabilities, and the label that costs least is taken.
        """
        if threshold is None:
            ordered = list(self.scores)
            if self.score_names is not None:
                column_of_class = dict(zip(self.score_names, self.scores, strict=True))
                matches = meant(names, self.score_names)
                ordered = [column_of_class[name] for name in matches if name is not None]
            # The first of equals.
            if costs is None:
                predictions = np.argmax(np.stack(ordered), axis=0)
            else:
                checked_probabilities(ordered)
                predictions = np.argmin(np.stack(ordered).T @ costs, axis=1)
        else:
            predictions = np.where(self.scores[0] >= threshold, 0, 1)
        named = replace(
            self,
            truth=self._named(names, None if threshold is None else names[1]),
            predictions=Encoded(predictions, tuple(names)),
            pred_name=described,
        )
        return named.counted(names)

    def _named(self, names: Sequence[Label], others: Label | None) -> Encoded:
        """The true labels by the names they mean; what is none of them is called `others`, or as it is."""
        labels, places = encode(self.truth, self.truth_name).distinct()
        rest = labels if others is None else [others] * len(labels)
        renamed = [rest[k] if name is None else name for k, name in enumerate(meant(labels, names))]
        code = {label: k for k, label in enumerate(dict.fromkeys([*names, *renamed]))}
        return Encoded(np.array([code[label] for label in renamed], dtype=np.intp)[places], tuple(code))


def label_rows(
    data: Any,
    y_pred: Any = None,
    *,
    truth: str | None = None,
    pred: str | None = None,
    weight: Any = None,
    slices: Any = (),
    missing: str = "error",
) -> Rows:
    """Truth and predictions: two columns of a frame, or two bare columns."""
    check_missing(missing)
    if y_pred is not None:
        rows = _bare(data, weight, slices, predictions=y_pred)
    else:
        available = libraries.column_names(data)
        truth = find_column(truth, available, "truth")
        refuse_truth_as_prediction(truth, [pred])
        pred = find_column(pred, [c for c in available if c != truth], "prediction")
        rows = _of_frame(data, truth, [pred], weight, slices)
        rows = replace(rows, predictions=libraries.column_of(data, pred), pred_name=pred)
    return rows.complete() if missing == "drop" else rows


def score_rows(
    data: Any,
    score: Any,
    *,
    is_table: bool,
    truth: str | None = None,
    weight: Any = None,
    slices: Any = (),
    missing: str = "error",
) -> Rows:
    """Truth and scores: one column, or (`is_table`) a column for each class."""
    if libraries.is_frame(data):
        frame = data.collect() if libraries.is_lazy(data) else data
        available = libraries.column_names(frame)
        columns = columns_of_classes(available, score)
        rest = [c for c in available if c not in columns.values()]
        truth = find_column(truth, rest, "truth")
        rows = _of_frame(frame, truth, list(columns.values()), weight, slices)
        score = (
            {label: libraries.column_of(frame, column) for label, column in columns.items()}
            if is_table
            else libraries.column_of(frame, columns[score])
        )
    else:
        libraries.refuse_unaligned(data, score, weight)
        rows = _bare(data, weight, slices)
    names, table = score_table(score)
    rows = replace(rows, scores=tuple(table), score_names=None if names is None else tuple(names))
    return rows.complete() if missing == "drop" else rows


def count_columns(
    data: Any, y_pred: Any = None, *, labels: Sequence[Label] | None = None, **how: Any
) -> ModelCounts:
    """Count two columns of labels, bare or of a frame, altogether and for each slice."""
    return label_rows(data, y_pred, **how).counted(labels)


def _bare(y_true: Any, weight: Any, slices: Any, predictions: Any = None) -> Rows:
    columns = slices if isinstance(slices, Mapping) else {}
    if slices is not None and slices is not columns and (not isinstance(slices, Sized) or len(slices)):
        raise InputError(
            "slices of bare columns are given as columns",
            found=repr(slices),
            allowed='a mapping such as {"country": column}',
        )
    for name, column in columns.items():
        if not hasattr(column, "__len__") or isinstance(column, (str, Mapping)) or len(column) != len(y_true):
            rows = f"{len(column):,} values" if isinstance(column, Sized) else type(column).__name__
            raise InputError(
                f"the slice {name!r} does not fit the labels",
                found=f"{rows} for {len(y_true):,} rows",
                allowed="a column with one value per row",
            )
        libraries.refuse_unaligned(y_true, column)
    return Rows(one_dimension(y_true), one_dimension(predictions), weight=weight, slices=dict(columns))


def _of_frame(frame: Any, truth: str, used: Sequence[str], weight: str | None, slices: Any) -> Rows:
    available = libraries.column_names(frame)
    by = [find_column(c, available) for c in ([slices] if isinstance(slices, str) else slices)]
    weight = None if weight is None else find_column(weight, available)
    for column in used:
        find_column(column, available)
    return Rows(
        libraries.column_of(frame, truth),
        weight=None if weight is None else libraries.column_of(frame, weight),
        slices={name: libraries.column_of(frame, name) for name in by},
        truth_name=truth,
        unused=tuple(c for c in available if c not in (truth, weight, *by, *used)),
    )


def _slices(columns: list[Any]) -> tuple[list[tuple[str, ...]], Array]:
    """The combinations of values that occur, and the number of the one that each row holds."""
    codes, texts = [], []
    for column in columns:
        # Values are compared by their text, as in files; rows without one, whose place is -1, are a slice of
        # their own.
        values, places = labels_of_rows(column, "the slice column")
        names_of = [*map(slice_text, values), *([MISSING_SLICE] if (places < 0).any() else [])]
        seen = {text: i for i, text in enumerate(dict.fromkeys(names_of))}
        codes.append(np.array([seen[text] for text in names_of], dtype=np.intp)[places])
        texts.append(list(seen))
    if len(columns) == 1:
        return [(text,) for text in texts[0]], codes[0]
    _, first, which = np.unique(folded(codes)[0], return_index=True, return_inverse=True)
    by_slice = zip(*(code[first].tolist() for code in codes), strict=True)
    names = [tuple(text[i] for text, i in zip(texts, place, strict=True)) for place in by_slice]
    return names, which.reshape(-1)


def predicted_labels(source: Any, pred: str | None, missing: str = "error") -> dict[Label, int]:
    """How often each class was predicted in rows without a truth: of files, a frame, or a column."""
    from steelyard.reading.score_counting import no_unlabelled_rows

    check_missing(missing)
    if isinstance(source, (str, Path)) or libraries.is_frame(source) or libraries.is_countable(source):
        with opened(source) as table:
            column = find_column(pred, table.names, "prediction")
            tallies = combinations(table, [column])
    else:
        column = "unlabelled"
        names, places = labels_of_rows(source, column)
        tallies = list(zip([None, *names], np.bincount(places + 1).tolist(), strict=False))
    counts = {label: rows for label, rows in tallies if not is_missing(label)}
    without = sum(rows for _, rows in tallies) - sum(counts.values())
    if without and missing == "error":
        what = f"column {column!r} of the unlabelled rows has missing predictions"
        raise missing_values(what, without, sum(rows for _, rows in tallies), "a predicted label")
    if not counts:
        raise no_unlabelled_rows()
    return counts
