"""What did several models say of the same examples?

`JointCounts` keeps, for every combination of truth and predictions that occurs, how often it occurs. It is
all that a paired
comparison needs: the rows themselves can be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.checks import refuse_unlike_kinds
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import REST, Encoded, Label, encode, in_order
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import WIDEST_SPAN, span
from steelyard.errors import InputError, UnknownNameError

Array = NDArray[Any]

_MOST_FOLDED = 1 << 22
"""Combinations up to this many are counted in a table; beyond it they are sorted."""


@dataclass(frozen=True, eq=False)
class JointCounts:
    """Cells (truth, prediction of each model, fold) that occur, as places in `labels`, with their counts."""

    labels: tuple[Label, ...]
    models: tuple[str, ...]
    truth: Array
    """Shape (K,)."""
    predictions: Array
    """Shape (K, M)."""
    counts: Array
    """Shape (K,), int64, all above 0."""
    folds: Array | None = None
    """Shape (K,): the number of the fold of each cell, if there are folds."""
    notes: tuple[str, ...] = ()
    """What was seen while they were counted."""

    @classmethod
    def from_columns(
        cls,
        y_true: Any,
        predictions: Mapping[str, Any],
        *,
        labels: Iterable[Label] | None = None,
        folds: Any = None,
    ) -> JointCounts:
        """Count the rows of a column of truth and a column of predictions for each model, all in the same
        order."""
        refuse_unaligned(y_true, *predictions.values(), folds)
        truth = encode(y_true, "y_true")
        if not len(truth.codes):
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        columns = {name: encode(column, f"the prediction {name!r}") for name, column in predictions.items()}
        fold_codes = None if folds is None else encode(folds, "folds")
        lengths = {name: len(column.codes) for name, column in columns.items()} | (
            {"folds": len(fold_codes.codes)} if fold_codes else {}
        )
        for name, length in lengths.items():
            if length != len(truth.codes):
                raise InputError(
                    f"y_true and {name!r} differ in length",
                    found=f"{len(truth.codes)} and {length} rows",
                    allowed="one prediction of every model for each row of truth, in the same order",
                )
        numbered = [
            _numbered(column) for column in (truth, *columns.values(), *([fold_codes] if fold_codes else []))
        ]
        where, counts = _distinct_rows([codes for codes, _ in numbered])
        decoded = [[names[code] for code in codes[where].tolist()] for codes, names in numbered]
        fold = numbered[-1][0][where] if fold_codes else None
        decoded = decoded[: 1 + len(columns)]
        return cls.from_cells(decoded[0], decoded[1:], counts, list(columns), labels=labels, folds=fold)

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
        """Counts of combinations of labels, as a GROUP BY gives them: one sequence of predictions for each
        model."""
        for column in predictions:
            refuse_unlike_kinds(list(dict.fromkeys(truth)), list(dict.fromkeys(column)))
        occurring = dict.fromkeys(label for column in (truth, *predictions) for label in column)
        names = tuple(in_order(list(occurring))) if labels is None else tuple(labels)
        place = {label: i for i, label in enumerate(names)}
        strange = [label for label in occurring if label not in place]
        if strange:
            raise UnknownNameError(
                "class in labels=", strange[0], map(str, names), do="list every class that occurs"
            )
        cells = np.array(
            [[place[label] for label in column] for column in (truth, *predictions)], dtype=np.intp
        ).T
        fold_numbers = (
            None if folds is None else np.unique(np.asarray(folds), return_inverse=True)[1].reshape(-1)
        )
        # One order of cells, wherever they come from: draws depend on it, and the same data must give the
        # same result.
        keys = cells if fold_numbers is None else np.column_stack([cells, fold_numbers])
        order = np.lexsort(keys.T[::-1])
        return cls(
            names,
            tuple(models),
            cells[order, 0],
            cells[order, 1:],
            np.asarray(counts, dtype=np.int64)[order],
            None if fold_numbers is None else fold_numbers[order],
        )

    @classmethod
    def from_confusion(cls, matrix: Confusion, model: str = "model") -> JointCounts:
        """One model: its confusion matrix, cell by cell."""
        truth, predicted = np.nonzero(matrix.counts)
        counts = matrix.counts[truth, predicted]
        if (counts != np.round(counts)).any():
            raise InputError(
                "uncertainty needs counts of examples",
                found="sums of weights that are not whole numbers",
                allowed="whole counts",
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

    @property
    def actual(self) -> Array:
        """Examples of each class, shape (C,)."""
        return np.bincount(self.truth, weights=self.counts, minlength=self.n_classes).astype(np.int64)

    @property
    def right(self) -> Array:
        """Which model is right in which cell, shape (K, M)."""
        return np.asarray(self.predictions == self.truth[:, None])

    def place_of(self, model: str) -> int:
        if model not in self.models:
            raise UnknownNameError("model", model, self.models)
        return self.models.index(model)

    def matrix(self, model: int) -> Confusion:
        """The confusion matrix of one model; every class is kept, so that models are weighed on the same
        classes."""
        return Confusion(self.matrices(self.counts[None])[model, 0], self.labels)

    def only(self, models: Sequence[int]) -> JointCounts:
        """The same examples with some of the models; cells that only the others told apart are added up."""
        kept = [
            self.truth,
            *(self.predictions[:, m] for m in models),
            *([] if self.folds is None else [self.folds]),
        ]
        cells, which = np.unique(np.stack(kept, axis=1), axis=0, return_inverse=True)
        counts = np.bincount(which.reshape(-1), weights=self.counts, minlength=len(cells)).astype(np.int64)
        folds = None if self.folds is None else cells[:, -1]
        return JointCounts(
            self.labels,
            tuple(self.models[m] for m in models),
            cells[:, 0],
            cells[:, 1 : 1 + len(models)],
            counts,
            folds,
        )

    def one_vs_rest(self, label: Label) -> JointCounts:
        """The same examples told apart by one class alone: it stands first, all others are the second
        class."""
        if label not in self.labels:
            raise UnknownNameError("class", label, map(str, self.labels))
        place = self.labels.index(label)
        cells = [
            (self.truth != place).astype(np.intp)[:, None],
            (self.predictions != place).astype(np.intp),
            *([] if self.folds is None else [self.folds[:, None]]),
        ]
        kinds, which = np.unique(np.concatenate(cells, axis=1), axis=0, return_inverse=True)
        counts = np.bincount(which.reshape(-1), weights=self.counts, minlength=len(kinds)).astype(np.int64)
        return JointCounts(
            (label, REST),
            self.models,
            kinds[:, 0],
            kinds[:, 1 : 1 + len(self.models)],
            counts,
            None if self.folds is None else kinds[:, -1],
        )

    def matrices(self, weights: Array) -> Array:
        """Confusion matrices (M, B, C, C) from weights of the cells (B, K)."""
        size = self.n_classes
        out = np.zeros((len(self.models), len(weights), size * size), dtype=weights.dtype)
        for m in range(len(self.models)):
            flat = self.truth * size + self.predictions[:, m]
            order = np.argsort(flat, kind="stable")
            cells, starts = np.unique(flat[order], return_index=True)
            out[m][:, cells] = np.add.reduceat(weights[:, order], starts, axis=1)
        return out.reshape(len(self.models), len(weights), size, size)

    def by_fold(self) -> Array:
        """Confusion matrices (M, folds, C, C)."""
        assert self.folds is not None
        weights = np.zeros((int(self.folds.max()) + 1, len(self.counts)), dtype=np.int64)
        weights[self.folds, np.arange(len(self.counts))] = self.counts
        return self.matrices(weights)

    def twins(self) -> Array:
        """For each model the first one that predicts the same in every row: itself, unless it has a twin
        before it."""
        return np.array(
            [
                next(k for k in range(m + 1) if (self.predictions[:, k] == self.predictions[:, m]).all())
                for m in range(len(self.models))
            ]
        )


def _numbered(column: Encoded) -> tuple[Array, Sequence[Label]]:
    """Codes 0, 1, 2, ... with their labels."""
    if column.labels is not None:
        return column.codes.astype(np.intp, copy=False), column.labels
    low, high = span(column.codes)
    if high - low < WIDEST_SPAN:
        return column.codes.astype(np.intp) - low, range(low, high + 1)
    values, codes = np.unique(column.codes, return_inverse=True)
    return codes.reshape(-1), values.tolist()


def _distinct_rows(columns: Sequence[Array]) -> tuple[Array, Array]:
    """Where each row that occurs can be seen, and how often it occurs.

    Columns are folded into one number, which is counted without sorting; it is renumbered whenever it grows
    too large for that.
    """
    folded, size = columns[0], int(columns[0].max()) + 1
    for column in columns[1:]:
        width = int(column.max()) + 1
        if size * width > _MOST_FOLDED:
            values, folded = np.unique(folded, return_inverse=True)
            folded, size = folded.reshape(-1), len(values)
        folded, size = folded * width + column, size * width
    if size > _MOST_FOLDED:
        _, first, counts = np.unique(folded, return_index=True, return_counts=True)
        return first, counts
    counts = np.bincount(folded, minlength=size)
    first = np.zeros(size, dtype=np.intp)
    first[folded] = np.arange(len(folded))
    return first[counts > 0], counts[counts > 0]
