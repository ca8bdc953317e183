"""Class weights: multiply the scores of each class before the highest one wins."""
# For two classes that is a threshold. For many, a row is given the class with the greatest weight times
# score, and the weights that maximise a measure are searched one class at a time: for one class, the others
# held, every row has one weight at which its label changes, so the measure is computed at all of these at
# once and the best is taken.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import encode
from steelyard.counts.labels import Array, Label, in_order, meant, plain_label
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.pairs import check_weights
from steelyard.counts.score_columns import classes_of_table, column_of, score_table, with_missing_settled
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

# Weights of one class that are tried at most in one step of the search: quantiles of those at which a row
# changes its label.
MOST_STEPS = 2000


@dataclass(frozen=True)
class ClassWeights:
    """Weights of the classes' scores, and what the measure is with them: on the rows they were chosen on, so
    optimistic."""

    labels: tuple[Label, ...]
    weights: tuple[float, ...]
    value: float
    unweighted: float
    """The measure when the highest score wins, for comparison."""
    measure: Measure
    matrix: Confusion
    rounds: int

    def predicted(self, score: Any) -> list[Label]:
        """The label each row gets: the class with the greatest weight times score, the first of equals."""
        table = _in_order(*score_table(score), self.labels)
        return [self.labels[i] for i in np.argmax(table * np.array(self.weights), axis=1)]

    def applied_to(self, y_true: Any, score: Any, sample_weight: Any = None) -> float:
        """The measure with these weights on other rows."""
        matrix = Confusion.from_labels(y_true, self.predicted(score), self.labels, sample_weight)
        return float(self.measure(matrix))

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.measure.name,
            "weights": {str(plain_label(k)): w for k, w in zip(self.labels, self.weights, strict=True)},
            "value": self.value,
            "value_without_weights": self.unweighted,
            "matrix": self.matrix.to_dict(),
        }


def best_class_weights(
    y_true: Any,
    score: Any,
    maximise: Measure | str,
    *,
    labels: Iterable[Label] | None = None,
    sample_weight: Any = None,
    priors: Any = None,
    relevance: Any = None,
    most_rounds: int = 20,
) -> ClassWeights:
    """Which weights of the classes' scores make this measure best?

    Coordinate search from equal weights, classes in their order, until a whole round brings nothing or
    `most_rounds` are done. It is deterministic, never worse than equal weights, and finds a maximum along
    every single class, which need not be the greatest of all. Scores must not be negative; only the ratios of
    the weights matter.

    >>> import steelyard as sy
    >>> best = sy.best_class_weights(
    ...     ["a", "b", "c", "a"],
    ...     {"a": [0.5, 0.3, 0.2, 0.3], "b": [0.3, 0.4, 0.3, 0.4], "c": [0.2, 0.3, 0.5, 0.3]},
    ...     "macro_recall",
    ... )
    >>> best.weights, round(best.value, 3)
    ((1.0, 1.0, 1.0), 0.833)
    """
    measure = look_up(maximise)
    measure = measure if relevance is None else measure.weighted_by(relevance)
    measure = measure if priors is None else measure.at_priors(priors)
    if measure.kind != "multi-class" or measure.better == "neither":
        raise InputError(
            f"{measure.name} cannot be maximised over classes",
            found=f"a metric of kind {measure.kind}",
            allowed="metrics of any number of classes",
        )
    sign = -1.0 if measure.better == "lower" else 1.0
    names, table, truth, rows = _read(y_true, score, labels, sample_weight)
    search = _Search(names, table, truth, rows, measure, sign)
    weights = np.ones(len(names))
    start = value = search.at(weights)
    rounds = 0
    for rounds in range(1, most_rounds + 1):  # noqa: B007
        before = value
        for k in range(len(names)):
            weights, value = search.improved(weights, k, value)
        if value <= before + 1e-12:
            break
    matrix = search.matrix(weights)
    if value == -np.inf:
        raise InputError(
            f"{measure.name} is undefined with every weight that was tried",
            found=str(measure.why_undefined(matrix)),
            do="choose another metric or more data",
        )
    without = float("nan") if start == -np.inf else sign * start
    return ClassWeights(names, tuple(weights.tolist()), sign * value, without, measure, matrix, rounds)


@dataclass(frozen=True, eq=False)
class _Search:
    names: tuple[Label, ...]
    table: Array
    truth: Array
    rows: Array | None
    measure: Measure
    sign: float

    def matrix(self, weights: Array) -> Confusion:
        return Confusion(self._count(np.argmax(self.table * weights, axis=1)), self.names)

    def at(self, weights: Array) -> float:
        value = self.sign * float(self.measure(self.matrix(weights)))
        return -np.inf if np.isnan(value) else value

    def improved(self, weights: Array, k: int, value: float) -> tuple[Array, float]:
        """The weights with that of class k at its best, and the value; unchanged if nothing is gained."""
        others = self.table * weights
        others[:, k] = -1.0
        rival = np.argmax(others, axis=1)
        strongest = others[np.arange(len(rival)), rival]
        with np.errstate(divide="ignore", invalid="ignore"):
            turning = strongest / self.table[:, k]  # a greater weight of class k takes this row
        turning[~np.isfinite(turning)] = np.inf
        finite = np.unique(turning[np.isfinite(turning)])
        if not len(finite):
            return weights, value
        if len(finite) > MOST_STEPS:
            finite = np.unique(np.quantile(finite, np.linspace(0, 1, MOST_STEPS), method="nearest"))
        # Between two turning points nothing changes: try the middle of each gap, below the first and above
        # the last.
        tried = np.concatenate([[finite[0] / 2], (finite[1:] + finite[:-1]) / 2, [finite[-1] * 2 + 1]])
        tried = tried[tried > 0]
        step = np.searchsorted(tried, turning, side="right")  # taken from this step on
        size, rows = len(self.names), 1 if self.rows is None else self.rows
        moves, cells = np.zeros((len(tried) + 1) * size * size), (step * size + self.truth) * size
        np.add.at(moves, cells + k, rows)
        np.subtract.at(moves, cells + rival, rows)
        base = self._count(rival)
        batch = base + np.cumsum(moves.reshape(-1, size, size)[: len(tried)], axis=0)
        values = self.sign * np.asarray(self.measure(Confusion(np.maximum(batch, 0), self.names)))
        for place in np.argsort(-values, kind="stable"):
            if not values[place] > value + 1e-12:
                break
            better = weights.copy()
            better[k] = tried[place]
            # Not where two turning points differ by rounding only, and so have no gap.
            if (improved_value := self.at(better)) > value:
                return better, improved_value
        return weights, value

    def _count(self, predicted: Array) -> Array:
        size = len(self.names)
        return np.bincount(self.truth * size + predicted, self.rows, size * size).reshape(size, size)


def _read(
    y_true: Any, score: Any, labels: Iterable[Label] | None, sample_weight: Any
) -> tuple[tuple[Label, ...], Array, Array, Array | None]:
    refuse_unaligned(y_true, score, sample_weight)
    occurring, at = encode(y_true, "y_true").distinct()
    present = in_order(occurring)
    columns, scores = score_table(score)
    listed = columns if labels is None else list(labels)
    if listed is not None:  # the truth says what a class is called
        known = zip(listed, meant(listed, present), strict=True)
        listed = [name if label is None else label for name, label in known]
    names = tuple(classes_of_table(columns, len(scores), present, listed))
    truth = np.array([names.index(label) for label in occurring], dtype=np.intp)[at]
    table = _in_order(columns, scores, names)
    if len(table) != len(truth):
        raise InputError(
            "y_true and the scores differ in length",
            found=f"{len(truth)} and {len(table)} rows",
            allowed="one row of scores per truth",
        )
    weights = None if sample_weight is None else check_weights(sample_weight, len(truth))
    return names, table, truth, weights


def _in_order(listed: Sequence[Label] | None, scores: list[Array], names: tuple[Label, ...]) -> Array:
    """The scores as an array with a column for each of these classes."""
    _, columns = with_missing_settled(scores, "error")
    if len(columns) != len(names) or len(columns) < 2:
        raise InputError(
            "the score columns do not fit the classes",
            found=f"{len(columns)} columns for {len(names)} classes",
            allowed="one column per class",
        )
    if listed is not None:
        by_name = dict(zip(listed, columns, strict=True))
        columns = [by_name[column_of(by_name, name)] for name in names]
    table = np.stack(columns, axis=1).astype(np.float64)
    if table.size and not (np.isfinite(table).all() and table.min() >= 0):
        raise InputError(
            "weights need scores that are not negative",
            found=f"scores from {table.min():g} to {table.max():g}",
            allowed="finite numbers >= 0, such as probabilities",
        )
    return table
