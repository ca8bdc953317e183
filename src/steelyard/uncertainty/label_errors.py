"""Bounds under label errors: the sharp range of a metric if a limited number of labels may be wrong."""
# Nothing is assumed about which labels are wrong. A wrong label moves a row within its column of the
# confusion matrix (the prediction stays), so the range is an optimisation over the matrices that can be
# reached. Two classes: u is how far the column of predicted positives moves towards true positives, v the
# column of predicted negatives towards false negatives. Metrics that never fall when a false positive turns
# out to be a true one or a false negative a true one (`MONOTONE`, checked over all small matrices by the
# tests) have their extremes where every wrong label is used in one direction, so one line of matrices is
# searched instead of an area. Everything else is enumerated as long as that takes little, and searched
# greedily beyond, which is said.

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import REST, Array, Label
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh

# Metrics of two classes that may fall when a prediction turns out to be right; a test finds them.
NOT_MONOTONE = frozenset(
    {
        "optimized_precision",
        "prevalence",
        "weighted_precision",
        "relative_classifier_information",
        "confusion_entropy",
    }
)
# Matrices that are listed one by one.
MOST_ENUMERATED = 200_000
# Parts of a longer line that are bounded first.
_PARTS = 4_096


@dataclass(frozen=True)
class Budget:
    """How many labels may be wrong: altogether, or for each labelled class."""

    total: int | None
    by_class: tuple[int, ...] | None
    words: str

    @classmethod
    def of(cls, share: float | Mapping[str, float], matrix: Confusion) -> Budget:
        """A share of all labels, or shares of the labels of some classes (no others are wrong)."""
        actual = [int(n) for n in matrix.actual]
        if not isinstance(share, Mapping):
            total = math.floor(share * sum(actual) + 1e-9)
            return cls(total, None, f"{total:,} of {sum(actual):,} labels")
        unknown = [label for label in share if label not in map(str, matrix.labels)]
        if unknown:
            raise InputError(
                "label errors are said of a class that does not occur",
                found=unknown[0],
                allowed=", ".join(map(str, matrix.labels)),
                parameter="label_errors",
            )
        of_class = tuple(
            math.floor(share.get(str(label), 0.0) * n + 1e-9)
            for label, n in zip(matrix.labels, actual, strict=True)
        )
        words = " and ".join(
            f'{k:,} of {n:,} labels of class "{label}"'
            for label, k, n in zip(matrix.labels, of_class, actual, strict=True)
            if str(label) in share
        )
        return cls(None, of_class, words)

    def limits(self, classes: int) -> tuple[Array, float]:
        """How many labels of each class may be wrong, and how many altogether."""
        if self.by_class is None:
            return np.full(classes, self.total), self.total or 0
        return np.array(self.by_class), math.inf


@dataclass(frozen=True)
class Bounds:
    """The range of a metric, with matrices that attain its ends."""

    low: float
    high: float
    low_matrix: Array | None
    high_matrix: Array | None
    # Is no other matrix beyond the ends? Otherwise the ends were found, and there may be others beyond.
    sharp: bool


def label_error_bounds(
    matrix: Confusion, measures: Sequence[Measure], budget: Budget, positive: Label | None
) -> dict[str, Bounds]:
    """The range of each metric over all matrices that so many wrong labels can stand for."""
    counts = np.asarray(matrix.counts)
    if (counts % 1 != 0).any():
        raise InputError(
            "label errors are counted in rows", found="weighted rows", do="leave the weights out"
        )
    counts = counts.astype(np.int64)
    if matrix.n_classes == 2:
        return _one_class(matrix, counts, measures, budget, matrix.positive_class(positive).label)
    bounds: dict[str, Bounds] = {}
    of_one = [m for m in measures if m.kind == "two-class"]
    if of_one and positive is not None:
        bounds |= _one_class(matrix, counts, of_one, budget, positive)
    others = [m for m in measures if m.kind != "two-class"]
    listed = _reachable(counts, budget) if others else None
    if listed is not None:
        bounds |= _extremes(listed, matrix.labels, others, None, True)
    else:
        bounds |= {m.name: _greedy(counts, matrix.labels, m, budget) for m in others}
    return {m.name: bounds[m.name] for m in measures if m.name in bounds}


def _one_class(
    matrix: Confusion, counts: Array, measures: Sequence[Measure], budget: Budget, positive: Label
) -> dict[str, Bounds]:
    """Metrics of one class against the rest, or of two classes."""
    place = matrix.labels.index(positive)
    two = Confusion(counts, matrix.labels).one_vs_rest(positive).counts
    labels = (positive, matrix.labels[1 - place] if len(counts) == 2 else REST)
    order = [0, 1] if place == 0 or len(counts) > 2 else [1, 0]
    lines = [_Line.of(two, budget, rooms, towards) for towards, rooms in _rooms(counts, place, budget)]
    listed = np.concatenate([line.at(line.listed()) for line in lines])
    # Beside a matrix that leaves a metric undefined the extreme may lie anywhere: all are listed then.
    values = weigh(measures, Confusion(listed, labels), positive=positive)
    on_lines = [m for m in measures if m.name not in NOT_MONOTONE and not np.isnan(values[m.name]).any()]
    others = [m for m in measures if m not in on_lines]
    if all(line.is_short for line in lines):
        bounds = _extremes(listed, labels, on_lines, positive, True, order) if on_lines else {}
    else:
        bounds = {}
        for m in on_lines:
            more = [line.at(line.beyond(m, values[m.name], labels, positive)) for line in lines]
            bounds |= _extremes(np.concatenate([listed, *more]), labels, [m], positive, True, order)
    if others:
        whole = _area(two, counts, budget, place)
        bounds |= _extremes(
            listed if whole is None else whole, labels, others, positive, whole is not None, order
        )
    return {m.name: bounds[m.name] for m in measures}


def _rooms(counts: Array, place: int, budget: Budget) -> Iterator[tuple[int, tuple[int, int]]]:
    """For both directions, how many rows predicted positive and how many others can change sides."""
    rest = np.arange(len(counts)) != place
    actual, columns = counts[place], counts[rest]
    limits, _ = budget.limits(len(counts))
    both_columns = columns[:, place], columns[:, rest].sum(axis=1)
    entering = [int(np.minimum(rows, limits[rest]).sum()) for rows in both_columns]
    leaving = [int(min(rows, limits[place])) for rows in (actual[place], actual[rest].sum())]
    yield 1, (entering[0], leaving[1])
    yield -1, (leaving[0], entering[1])


@dataclass(frozen=True, eq=False)
class _Line:
    """The matrices with every wrong label used to make predictions right (1) or wrong (-1)."""

    # As many as the budget allows: one for each way to share it between the two columns.
    counts: Array
    towards: int
    used: int
    least: int
    most: int

    @classmethod
    def of(cls, counts: Array, budget: Budget, rooms: tuple[int, int], towards: int) -> _Line:
        first, second = rooms
        used = int(min(budget.limits(len(counts))[1], first + second))
        return cls(counts, towards, used, max(0, used - second), min(first, used))

    @property
    def is_short(self) -> bool:
        return self.most - self.least < MOST_ENUMERATED

    def listed(self) -> Array:
        """How many of them are in the first column: each number, or of many some along the line."""
        if self.is_short:
            return np.arange(self.least, self.most + 1)
        # Cells are 0, and metrics undefined, at ends of the line only: their neighbours matter.
        ends = [self.least, self.least + 1, self.most - 1, self.most]
        return np.unique(np.append(np.linspace(self.least, self.most, _PARTS).astype(np.int64), ends))

    def at(self, first: Array) -> Array:
        return self._shared(first, self.used - first)

    def _shared(self, first: Array, second: Array) -> Array:
        return _moved(self.counts, self.towards * first, -self.towards * second)

    def beyond(self, measure: Measure, attained: Array, labels: Sequence[Label], positive: Label) -> Array:
        """Where a monotone metric may lie beyond values that are attained."""

        def values(matrices: Array) -> Array:
            return np.asarray(weigh([measure], Confusion(matrices, labels), positive=positive)[measure.name])

        edges = np.unique(np.linspace(self.least, self.most + 1, _PARTS + 1).astype(np.int64))
        starts, stops = edges[:-1], edges[1:] - 1
        low, high = attained.min(), attained.max()
        farthest = [edges[:0]]
        while len(starts) <= 8 * _PARTS:
            # In a part it lies between the values with the fewest and with the most labels of both columns.
            corners = [self._shared(starts, self.used - stops), self._shared(stops, self.used - starts)]
            reach = values(np.stack(corners))
            inside = (reach.min(axis=0) >= low) & (reach.max(axis=0) <= high)  # not where one is undefined
            starts, stops = starts[~inside], stops[~inside]
            if (stops - starts + 1).sum() <= MOST_ENUMERATED:
                return np.concatenate([*farthest, *map(np.arange, starts, stops + 1)])
            middle = (starts + stops) // 2
            in_middle = values(self.at(middle))
            low, high = min(low, in_middle.min()), max(high, in_middle.max())
            farthest.append(middle[[np.argmin(in_middle), np.argmax(in_middle)]])
            starts, stops = np.concatenate([starts, middle + 1]), np.concatenate([middle, stops])
            starts, stops = starts[starts <= stops], stops[starts <= stops]
        return np.arange(self.least, self.most + 1)  # a metric that is the same along the line, as accuracy


def _moved(counts: Array, u: Array, v: Array) -> Array:
    """Matrices with u false positives as true ones and v true negatives as false ones."""
    (tp, fn), (fp, tn) = counts.tolist()
    return np.stack([np.stack([tp + u, fn + v], axis=-1), np.stack([fp - u, tn - v], axis=-1)], axis=-2)


def _area(two: Array, counts: Array, budget: Budget, place: int) -> Array | None:
    """Every matrix of one class against the rest that can be reached; None where there are too many."""
    (_, (first_in, second_out)), (_, (first_out, second_in)) = _rooms(counts, place, budget)
    u, v = np.arange(-first_out, first_in + 1), np.arange(-second_out, second_in + 1)
    if len(u) * len(v) > MOST_ENUMERATED:
        return None
    u, v = (grid.ravel() for grid in np.meshgrid(u, v))
    limits, total = budget.limits(len(counts))
    # Of each other class at most so many labels are wrong, in both columns together.
    others = np.delete(np.minimum(counts.sum(axis=1), limits), place).sum()
    fits = np.abs(u) + np.abs(v) <= total
    fits &= np.maximum(-u, 0) + np.maximum(-v, 0) <= limits[place]
    fits &= np.maximum(u, 0) + np.maximum(v, 0) <= others
    return _moved(two, u[fits], v[fits])


def _extremes(
    matrices: Array,
    labels: Sequence[Label],
    measures: Sequence[Measure],
    positive: Label | None,
    sharp: bool,
    order: Sequence[int] | None = None,
) -> dict[str, Bounds]:
    values = weigh(measures, Confusion(matrices, labels), positive=positive)
    shown = matrices if order is None else matrices[:, order][:, :, order]
    bounds = {}
    for name, all_values in values.items():
        if np.isnan(all_values).all():
            bounds[name] = Bounds(math.nan, math.nan, None, None, sharp)
            continue
        least, most = int(np.nanargmin(all_values)), int(np.nanargmax(all_values))
        low, high = float(all_values[least]), float(all_values[most])
        bounds[name] = Bounds(low, high, shown[least], shown[most], sharp)
    return bounds


def _reachable(counts: Array, budget: Budget) -> Array | None:
    """Every matrix that can be reached, column by column; None where there are too many."""
    classes = len(counts)
    limit, total = budget.limits(classes)
    partial = [(np.zeros(classes, dtype=np.int64), np.zeros((classes, 0), dtype=np.int64))]
    for column in counts.T:
        options = _columns(column, limit)
        extended = []
        if options is None or len(options) * len(partial) > MOST_ENUMERATED:
            return None
        for (used, cells), (leaving, other) in itertools.product(partial, options):
            spent = used + leaving
            if (spent <= limit).all() and spent.sum() <= total:
                extended.append((spent, np.column_stack([cells, other])))
        partial = extended
    return np.stack([cells for _, cells in partial])


def _columns(column: Array, limit: Array) -> list[tuple[Array, Array]] | None:
    """The columns that relabelled rows can make of one; None where there are too many."""
    # Each with how many labels of each class were wrong.
    total, most = int(column.sum()), int(min(limit.sum(), column.sum()))
    ranges = [
        range(max(0, n - k), min(total, n + most) + 1)
        for n, k in zip(column[:-1].tolist(), limit[:-1].tolist(), strict=True)
    ]
    if math.prod(map(len, ranges)) > MOST_ENUMERATED:
        return None
    reachable = []
    for first in itertools.product(*ranges):
        other = np.array([*first, total - sum(first)])
        leaving = np.maximum(column - other, 0)
        if other[-1] >= 0 and (leaving <= limit).all():
            reachable.append((leaving, other))
    return reachable


def _greedy(counts: Array, labels: Sequence[Label], measure: Measure, budget: Budget) -> Bounds:
    """Ends found by the best single relabelling at a time (in steps of a hundredth of the budget)."""
    ends = []
    for sign in (-1, 1):
        cells = counts.copy()
        limits, left = budget.limits(len(counts))
        best = float(weigh([measure], Confusion(cells, labels))[measure.name])
        while room := int(min(left, limits.max())):
            step = max(1, room // 100)
            tried, moves = [], []
            for source, target, column in itertools.product(range(len(counts)), repeat=3):
                most = min(cells[source, column], limits[source], room, step)
                if source != target and most > 0:
                    after = cells.copy()
                    after[source, column] -= most
                    after[target, column] += most
                    tried.append(after)
                    moves.append((source, int(most)))
            if not tried:
                break
            values = weigh([measure], Confusion(np.stack(tried), labels))[measure.name]
            if np.isnan(values).all():
                break
            k = int(np.nanargmax(sign * values))
            if not (math.isnan(best) or sign * values[k] > sign * best):
                break
            best, cells = float(values[k]), tried[k]
            source, most = moves[k]
            left, limits[source] = left - most, limits[source] - most
        ends.append((best, cells))
    (low, low_matrix), (high, high_matrix) = ends
    return Bounds(low, high, low_matrix, high_matrix, False)
