"""Joint counts of several models' predictions of the same examples, for paired comparisons."""

# `JointCounts` keeps, for every combination of truth and predictions that occurs, how often it occurs. It
# is all that a paired comparison needs: the rows themselves can be forgotten.

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts.checks import refuse_unlike_kinds, refuse_unlisted
from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import Encoded, encode, order_of_categories
from steelyard.counts.labels import REST, Array, Label, in_order_of
from steelyard.counts.libraries import refuse_unaligned
from steelyard.errors import InputError, UnknownNameError

# From here on sums are whole numbers whatever was summed, because floats know no others.
MOST_EXAMPLES = 1 << 53
# Combinations are counted in a table as long as it has at most so many places, and so many for each row;
# beyond it they are sorted.
_LARGEST_TABLE, _TABLE_A_ROW = 1 << 22, 16


@dataclass(frozen=True, eq=False)
class JointCounts:
    """Cells (truth, prediction of each model, fold) that occur, as places in `labels`, with their counts."""

    labels: tuple[Label, ...]
    models: tuple[str, ...]
    #: Shape (K,).
    truth: Array
    #: Shape (K, M).
    predictions: Array
    #: Shape (K,), int64, all above 0.
    counts: Array
    #: Shape (K,): the number of the fold of each cell, if there are folds.
    folds: Array | None = None
    #: What was seen while they were counted.
    notes: tuple[str, ...] = ()
    #: Rows that were not counted because their truth or a prediction is missing.
    left_out: int = 0

    @classmethod
    def from_columns(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        folds: Any = None,
    ) -> JointCounts:
        """Count a column of truth and a column of predictions for each model, in the same order."""
        refuse_unaligned(y_true, *predictions.values(), folds)
        truth = encode(y_true, "y_true")
        if not len(truth.codes):
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        beside = [(name, encode(column, f"the prediction {name!r}")) for name, column in predictions.items()]
        beside += [] if folds is None else [("folds", encode(folds, "folds"))]
        for name, column in beside:
            if len(column) != len(truth):
                raise InputError(
                    f"y_true and {name!r} differ in length",
                    found=f"{len(truth)} and {len(column)} rows",
                    allowed="one prediction of every model for each row of truth, in the same order",
                )
        coded = [truth, *(column for _, column in beside)]
        where, counts = distinct_rows([column.numbered()[0] for column in coded])
        cells = [Encoded(column.codes[where], column.labels) for column in coded]
        fold = None if folds is None else cells.pop().codes
        order = order_of_categories(y_true, *predictions.values())
        return cls._from_codes(cells, counts, list(predictions), labels, fold, order)

    @classmethod
    def from_cells(
        cls,
        truth: Sequence[Label],
        predictions: Sequence[Sequence[Label]],
        counts: Any,
        models: Sequence[str],
        *,
        labels: Iterable[Label] | None = None,
        folds: Any = None,
    ) -> JointCounts:
        """Counts of combinations of labels, as a GROUP BY gives them."""
        # One sequence of predictions for each model.
        columns = [encode(list(column), "a column") for column in (truth, *predictions)]
        return cls._from_codes(columns, counts, models, labels, folds)

    @classmethod
    def _from_codes(
        cls,
        columns: Sequence[Encoded],
        counts: Any,
        models: Sequence[str],
        labels: Iterable[Label] | None,
        folds: Any,
        category_order: Sequence[Label] | None = None,
    ) -> JointCounts:
        # From columns, truth first. `category_order` is that of ordered categories.
        distinct = [column.distinct() for column in columns]
        for predicted, _ in distinct[1:]:
            refuse_unlike_kinds(distinct[0][0], predicted)
        occurring = dict.fromkeys(label for column_labels, _ in distinct for label in column_labels)
        names = tuple(in_order_of(category_order, list(occurring))) if labels is None else tuple(labels)
        place = {label: i for i, label in enumerate(names)}
        refuse_unlisted(occurring, place)
        places = [np.array([place[label] for label in met], dtype=np.intp)[at] for met, at in distinct]
        if folds is not None:
            places.append(np.unique(np.asarray(folds), return_inverse=True)[1].reshape(-1))
        cells = np.stack(places, axis=1)
        # One order of cells, wherever they come from: draws depend on it, and the same data must give the
        # same result.
        order = np.lexsort(cells.T[::-1])
        cells, sizes = cells[order], np.asarray(counts, dtype=np.int64)[order]
        fold_of = None if folds is None else cells[:, -1]
        return cls(names, tuple(models), cells[:, 0], cells[:, 1 : len(columns)], sizes, fold_of)

    @classmethod
    def from_confusion(cls, matrix: Confusion, model: str = "model") -> JointCounts:
        """One model: its confusion matrix, cell by cell."""
        truth, predicted = np.nonzero(matrix.counts)
        counts = matrix.counts[truth, predicted]
        fractional = (counts != np.round(counts)).any()
        if fractional or (counts.dtype.kind == "f" and (counts >= MOST_EXAMPLES).any()):
            large = f"a cell of {float(counts.max()):.3g}"
            raise InputError(
                "uncertainty needs counts of examples",
                found="sums of weights that are not whole numbers" if fractional else large,
                allowed="whole counts" if fractional else f"counts below {MOST_EXAMPLES:,}",
                do="count without sample_weight",
            )
        return cls(matrix.labels, (model,), truth, predicted[:, None], counts.astype(np.int64))

    # -- what it holds

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def actual(self) -> Array:
        """Examples of each class, shape (C,)."""
        return np.bincount(self.truth, weights=self.counts, minlength=self.n_classes).astype(np.int64)

    @cached_property
    def right(self) -> Array:
        """Which model is right in which cell, shape (K, M)."""
        return np.asarray(self.predictions == self.truth[:, None])

    @cached_property
    def hits(self) -> Array:
        """Examples of each class that each model gets right, shape (M, C)."""
        return np.diagonal(self.seen, axis1=1, axis2=2).copy()

    @cached_property
    def right_together(self) -> Array:
        """Examples of each class that two models both get right: shape (C, M, M)."""
        # The hits of a model where it meets itself.
        # a product of floats is quick, and exact as long as no sum is beyond what they can count
        # BLAS multiplies doubles and no integers.
        number = np.float64 if self.total < MOST_EXAMPLES else np.int64
        order = np.argsort(self.truth, kind="stable")
        ends = np.cumsum(np.bincount(self.truth, minlength=self.n_classes)).tolist()
        counts = np.zeros((self.n_classes, len(self.models), len(self.models)), dtype=np.int64)
        for label, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            cells = order[start:end]
            right = self.right[cells].astype(number)
            counts[label] = (right * self.counts[cells, None]).T @ right
        return counts

    def place_of(self, model: str) -> int:
        if model not in self.models:
            raise UnknownNameError("model", model, self.models)
        return self.models.index(model)

    def matrix(self, model: int) -> Confusion:
        """The confusion matrix of one model; every class is kept."""
        # So that models are weighed on the same classes.
        return Confusion(self.seen[model], self.labels)

    @cached_property
    def seen(self) -> Array:
        """The confusion matrices (M, C, C) of all models."""
        return self.matrices(self.counts[None])[:, 0]

    def only(self, models: Sequence[int]) -> JointCounts:
        """The same examples with some of the models; cells that differ only in the others are added up."""
        names = tuple(self.models[m] for m in models)
        return self._added_up(self.labels, names, self.truth, self.predictions[:, models].T)

    def _added_up(
        self, labels: tuple[Label, ...], models: tuple[str, ...], truth: Array, predictions: Array
    ) -> JointCounts:
        # The same examples, seen so that some of their cells are the same.
        columns = [truth, *predictions, *([] if self.folds is None else [self.folds])]
        where, counts = distinct_rows(columns, self.counts)
        cells = np.stack([column[where] for column in columns], axis=1)
        folds = None if self.folds is None else cells[:, -1]
        return JointCounts(labels, models, cells[:, 0], cells[:, 1 : 1 + len(models)], counts, folds)

    def one_vs_rest(self, label: Label) -> JointCounts:
        """The same examples, one class against the rest: it stands first."""
        # All others are the second class.
        if label not in self.labels:
            raise UnknownNameError("class", label, map(str, self.labels))
        place = self.labels.index(label)
        truth, predictions = (
            (column != place).astype(np.intp) for column in (self.truth, self.predictions.T)
        )
        return self._added_up((label, REST), self.models, truth, predictions)

    def matrices(self, weights: Array) -> Array:
        """Confusion matrices (M, B, C, C) from weights of the cells (B, K)."""
        size = self.n_classes
        out = np.zeros((len(self.models), len(weights), size * size), dtype=weights.dtype)
        for m, (order, cells, starts) in enumerate(self._orders):
            # In the order of the cells of each model, sums over neighbours are contiguous: no scatter for
            # each draw.
            out[m][:, cells] = np.add.reduceat(weights[:, order], starts, axis=1)
        return out.reshape(len(self.models), len(weights), size, size)

    @cached_property
    def _orders(self) -> list[tuple[Array, Array, Array]]:
        # For each model the order that brings the same cells of its matrix together.
        # Also those cells, and where each begins. Draws come in many blocks, and it is the same in all of
        # them.
        orders = []
        for column in self.predictions.T:
            flat = self.truth * self.n_classes + column
            order = np.argsort(flat, kind="stable")
            orders.append((order, *np.unique(flat[order], return_index=True)))
        return orders

    def by_fold(self) -> Array:
        """Confusion matrices (M, folds, C, C)."""
        assert self.folds is not None
        weights = np.zeros((int(self.folds.max()) + 1, len(self.counts)), dtype=np.int64)
        weights[self.folds, np.arange(len(self.counts))] = self.counts
        return self.matrices(weights)

    @cached_property
    def twins(self) -> Array:
        """For each model the first one that predicts the same in every row."""
        first: dict[bytes, int] = {}
        columns = np.ascontiguousarray(self.predictions.T)
        return np.array([first.setdefault(column.tobytes(), m) for m, column in enumerate(columns)])

    @cached_property
    def without_twins(self) -> JointCounts:
        """The models that differ, each once."""
        return self.only(np.unique(self.twins).tolist())


def distinct_rows(columns: Sequence[Array], amounts: Array | None = None) -> tuple[Array, Array]:
    """Where each combination of codes that occurs can be seen, and how often it occurs or what its amounts
    add up to."""
    key, size = folded(columns)
    if size <= min(_LARGEST_TABLE, _TABLE_A_ROW * len(key)):
        # No sort: the table of all that could occur is small. Of several writes to one place the last stays:
        # any row that shows the combination will do.
        where = np.full(size, -1, dtype=np.intp)
        where[key] = np.arange(len(key))
    else:
        _, where, key = np.unique(key, return_index=True, return_inverse=True)
    sums = np.bincount(key.reshape(-1), amounts, len(where)).astype(np.int64)
    return where[where >= 0], sums[where >= 0]


def folded(columns: Sequence[Array]) -> tuple[Array, int]:
    """Columns of codes as one, and how many values that may have."""
    key, size = columns[0].astype(np.int64, copy=False), int(columns[0].max()) + 1
    for column in columns[1:]:
        width = int(column.max()) + 1
        if size * width > 1 << 62:
            values, key = np.unique(key, return_inverse=True)
            key, size = key.reshape(-1), len(values)
        key, size = key * width + column, size * width
    return key, size
