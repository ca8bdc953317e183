"""Fragility: the least number of wrong labels that reverses a comparison, with the labels as certificate."""
# Rows differ only in their label and in what the two models predict, so the search works on joint counts. For
# two classes and metrics that never fall when a prediction turns out right (all but
# `label_errors.NOT_MONOTONE`), the losing model gains most by relabelling rows that the models classify
# differently: p positives that only the winner detects become negative, q negatives that only the loser
# alerts become positive. Relabelling r rows that both predict positive, or s that both predict negative,
# moves both models and may help or not. Branch and bound over boxes of (r, s): in a box the loser's value is
# at most that at its best corner and the winner's at least that at its worst, so a box is discarded when even
# this difference needs as many labels as are known to do.

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import Measure, weigh
from steelyard.uncertainty.label_errors import NOT_MONOTONE

# Values that differ by less are equal.
ROUNDING = 1e-12
# Sets of relabelled rows that are listed one by one.
_MOST_LISTED = 20_000
# Boxes that are bounded at once, and the size from which on a box is bounded exactly.
_AT_ONCE, _SMALL = 64, 16
# Parts of the splits that are bounded before each of them is tried.
_PARTS = 32
# After so many boxes the number that was found is an upper bound.
_MOST_BOXES = 8_000


@dataclass(frozen=True)
class Relabelling:
    """So many rows with one label and the predictions of both models get another label."""

    rows: int
    label: Label
    becomes: Label
    predicted_by_winner: Label
    predicted_by_loser: Label


@dataclass(frozen=True)
class Reversal:
    """Wrong labels that reverse the order of two models."""

    number: int
    relabelled: tuple[Relabelling, ...]
    # Do no fewer labels suffice?
    exact: bool


@dataclass(frozen=True, eq=False)
class PairedCounts:
    """Rows by label, prediction of the better model and prediction of the other, shape (C, C, C)."""

    cells: Array
    labels: tuple[Label, ...]
    measure: Measure
    positive: Label | None

    def advantage(self, cells: Array) -> Array:
        """By how much the other model is better, shape (...)."""
        return self.gap(np.stack([cells.sum(axis=-1), cells.sum(axis=-2)]), self.labels, self.positive)

    def gap(self, matrices: Array, labels: tuple[Label, ...], positive: Label | None) -> Array:
        """By how much the second of two matrices (2, ..., C, C) is better than the first."""
        values = weigh([self.measure], Confusion(matrices, labels), positive=positive)
        first, second = values[self.measure.name]
        return np.asarray(first - second if self.measure.better == "lower" else second - first)

    def relabelled(self, changes: tuple[Relabelling, ...]) -> Array:
        """The cells with some labels changed; an error if there are not so many rows."""
        cells = self.cells.copy()
        for change in changes:
            places = [self.labels.index(x) for x in (change.predicted_by_winner, change.predicted_by_loser)]
            cells[(self.labels.index(change.label), *places)] -= change.rows
            cells[(self.labels.index(change.becomes), *places)] += change.rows
        if (cells < 0).any():
            raise ValueError("more rows are relabelled than there are")
        return cells


def least_reversal(paired: PairedCounts) -> Reversal | None:
    """The least number of wrong labels with which the other model has the better value."""
    # None if no number has.
    if len(paired.labels) == 2 and paired.measure.name not in NOT_MONOTONE:
        place = Confusion(paired.cells.sum(axis=2), paired.labels).positive_class(paired.positive).place
        reversal = _TwoClasses(paired, place).solved()
        rows = int(paired.cells.sum(axis=(1, 2)).min())
        if reversal is not None and reversal.number < rows:
            return reversal
        # Where a class can lose its last label a metric may become undefined, and nothing is monotone.
        return _listed(paired, reversal)
    return _listed(paired, _greedy(paired))


def _listed(paired: PairedCounts, known: Reversal | None) -> Reversal | None:
    """The least number by listing all relabellings with 1, 2, ... labels, as long as these are few."""
    cells = paired.cells.astype(np.int64)
    plane, rows = cells[0].size, int(cells.sum())
    targets = [[t for t in range(s % plane, cells.size, plane) if t != s] for s in range(cells.size)]
    # The number of a state has a digit for each cell, less the number of the start.
    digit = [(rows + 1) ** k for k in range(cells.size)]
    layer, keys, reached = cells.reshape(1, -1), [0], {0}
    for number in itertools.count():
        if known is not None and number >= known.number:
            return Reversal(known.number, known.relabelled, True)
        values = paired.advantage(layer.reshape(-1, *cells.shape))
        best = int(np.argmax(np.nan_to_num(values, nan=-np.inf)))
        if values[best] > ROUNDING:
            return Reversal(number, _between(paired, layer[best].reshape(cells.shape)), True)
        following, moves = [], []
        for at, key in enumerate(keys):
            for source in np.flatnonzero(layer[at]).tolist():
                for target in targets[source]:
                    after = key - digit[source] + digit[target]
                    if after not in reached:
                        reached.add(after)
                        following.append(after)
                        moves.append((at, source, target))
            if len(reached) > _MOST_LISTED:
                return None if known is None else Reversal(known.number, known.relabelled, False)
        if not following:
            return None
        before, sources, into = np.array(moves).T
        layer, keys = layer[before], following
        layer[np.arange(len(layer)), sources] -= 1
        layer[np.arange(len(layer)), into] += 1
    return None


def _between(paired: PairedCounts, after: Array) -> tuple[Relabelling, ...]:
    """The labels that were changed from the cells as they are to others."""
    names, changes = paired.labels, []
    for a, b in itertools.product(range(len(names)), repeat=2):
        change = after[:, a, b] - paired.cells[:, a, b]
        lost = [k for k in range(len(names)) for _ in range(max(0, -int(change[k])))]
        won = [k for k in range(len(names)) for _ in range(max(0, int(change[k])))]
        for (label, other), rows in Counter(zip(lost, won, strict=True)).items():
            changes.append(Relabelling(rows, names[label], names[other], names[a], names[b]))
    return tuple(changes)


def labels_until(paired: PairedCounts, reversal: Reversal, holds: Callable[[Array], bool]) -> int:
    """The least number of relabelled rows for which something holds of the cells."""
    # Rows are relabelled in the order that favours the other model most. Bisection, so it has to hold from
    # some number on.
    steps = [(), *_in_order(paired, reversal)]
    return bisect_left(steps, True, hi=len(steps) - 1, key=lambda step: holds(paired.relabelled(step)))


def _in_order(paired: PairedCounts, reversal: Reversal) -> Iterator[tuple[Relabelling, ...]]:
    """The first 1, 2, ... of the relabelled rows, always the one next that favours the other model most."""

    def changes(taken: dict[int, int]) -> tuple[Relabelling, ...]:
        return tuple(replace(c, rows=taken[k]) for k, c in enumerate(reversal.relabelled) if taken[k])

    left = {place: change.rows for place, change in enumerate(reversal.relabelled)}
    taken = dict.fromkeys(left, 0)
    size = max(1, reversal.number // 200)
    while any(left.values()):
        open_ones = [place for place, rows in left.items() if rows]
        more = ({**taken, place: taken[place] + 1} for place in open_ones)
        tried = [paired.relabelled(changes(with_one)) for with_one in more]
        # A class that loses its last row on the way leaves the metric undefined.
        advantages = np.nan_to_num(paired.advantage(np.stack(tried)), nan=-np.inf)
        best = open_ones[int(np.argmax(advantages))]
        for _ in range(min(size, left[best])):
            taken[best] += 1
            left[best] -= 1
            yield changes(taken)


class _TwoClasses:
    """Branch and bound for two classes; 0 stands for the positive class below."""

    def __init__(self, paired: PairedCounts, place: int) -> None:
        order = [place, 1 - place]
        self.paired = paired
        self.labels = tuple(paired.labels[k] for k in order)
        self.cells = paired.cells[np.ix_(order, order, order)].astype(np.int64)
        positive, negative = self.cells
        self.most_p, self.most_q = int(positive[0, 1]), int(negative[1, 0])
        self.range_r = (-int(positive[0, 0]), int(negative[0, 0]))
        self.range_s = (-int(positive[1, 1]), int(negative[1, 1]))

    def _advantage(self, p: Array, q: Array, winner: tuple[Any, Any], loser: tuple[Any, Any]) -> Array:
        """The loser's value at its own (r, s) less the winner's at its own."""
        positive, negative = self.cells
        matrices = []
        for (r, s), totals, sign in ((winner, 1, -1), (loser, 0, 1)):
            (tp, fn), (fp, tn) = positive.sum(axis=totals).tolist(), negative.sum(axis=totals).tolist()
            hits = r + (-p if sign < 0 else q)
            missed = s + (q if sign < 0 else -p)
            rows = [np.stack([tp + hits, fn + missed], axis=-1), np.stack([fp - hits, tn - missed], axis=-1)]
            matrices.append(np.stack(rows, axis=-2))
        return self.paired.gap(np.maximum(np.stack(matrices), 0), self.labels, self.labels[0])

    def _split(
        self, number: int, winner: tuple[int, int], loser: tuple[int, int], undefined: float = -np.inf
    ) -> int | None:
        """How many of so many labels are positives that become negative, where that reverses the order."""
        # An `undefined` advantage counts as this number.
        number = min(number, self.most_p + self.most_q)
        if number < 0:
            return None
        low, high = max(0, number - self.most_q), min(number, self.most_p)
        if high - low > 4 * _PARTS:
            # Splits between two others are no better than the larger number of both kinds of labels.
            cuts = np.linspace(low, high, _PARTS + 1).astype(np.int64)
            values = self._advantage(cuts[1:], number - cuts[:-1], winner, loser)
            promising = np.flatnonzero(np.nan_to_num(values, nan=np.inf) > ROUNDING)
            p = np.concatenate([np.arange(cuts[k], cuts[k + 1] + 1) for k in promising] or [cuts[:0]])
            if not len(p):
                return None
        else:
            p = np.arange(low, high + 1)
        values = self._advantage(p, number - p, winner, loser)
        values = np.where(np.isnan(values), undefined, values)
        best = int(np.argmax(values))
        return int(p[best]) if values[best] > ROUNDING else None

    def _most_defined(self, at: tuple[int, int], most: int) -> int:
        """The most labels of rows classified differently with which the metric is defined."""
        # No class may lose its last row, and no cell by which the metric divides. Where p and q labels leave
        # it defined, fewer do.

        def undefined(number: int) -> bool:
            p = np.arange(max(0, number - self.most_q), min(number, self.most_p) + 1)
            return bool(np.isnan(self._advantage(p, number - p, at, at)).all())

        return bisect_left(range(1, most + 1), True, key=undefined)

    def _fewest(self, at: tuple[int, int], most: int) -> tuple[int, int] | None:
        """The least number of labels of rows that the models classify differently, and how many are p."""
        most = min(most, self.most_p + self.most_q)
        if self._split(most, at, at) is None:  # perhaps only because so many leave the metric undefined
            most = self._most_defined(at, most)
        fewest = bisect_left(range(most), True, key=lambda number: self._split(number, at, at) is not None)
        split = self._split(fewest, at, at)
        return None if split is None else (fewest, split)

    def _promising(self, boxes: Array, numbers: Array) -> Array:
        """Which boxes (r1, r2, s1, s2) may reverse the order with so many labels of the other rows."""
        # At the loser's best corner, the winner's worst, and the better end of each part of the splits.
        numbers = np.minimum(numbers, self.most_p + self.most_q)[:, None]
        low, high = np.maximum(0, numbers - self.most_q), np.minimum(numbers, self.most_p)
        cuts = (low + (high - low) * np.linspace(0, 1, _PARTS + 1)).astype(np.int64)
        r1, r2, s1, s2 = (side[:, None] for side in boxes.T)
        values = self._advantage(cuts[:, 1:], numbers - cuts[:, :-1], (r1, s2), (r2, s1))
        return np.asarray((np.nan_to_num(values, nan=np.inf) > ROUNDING).any(axis=1) & (numbers[:, 0] >= 0))

    def solved(self) -> Reversal | None:
        best: tuple[int, int, int, int] | None = None  # labels, p, r, s
        limit = int(self.cells.sum()) + 1
        bounded, exact = 0, True
        if (fewest := self._fewest((0, 0), limit)) is not None:
            best, limit = (fewest[0], fewest[1], 0, 0), fewest[0]
        reach = limit - 1
        (r1, r2), (s1, s2) = self.range_r, self.range_s
        heap = [(0, (max(r1, -reach), min(r2, reach), max(s1, -reach), min(s2, reach)))]
        while heap and heap[0][0] < limit:
            if bounded > _MOST_BOXES:
                exact = False
                break
            bounded += _AT_ONCE
            batch = [heapq.heappop(heap) for _ in range(min(len(heap), _AT_ONCE))]
            distances = np.array([distance for distance, _ in batch])
            promising = self._promising(np.array([box for _, box in batch]), limit - 1 - distances)
            for k in np.flatnonzero(promising).tolist():
                distance, (r1, r2, s1, s2) = batch[k]
                if (r1, s1) == (r2, s2):
                    fewest = self._fewest((r1, s1), limit - 1 - distance)
                    if fewest is not None and distance + fewest[0] < limit:
                        best, limit = (distance + fewest[0], fewest[1], r1, s1), distance + fewest[0]
                    continue
                # A small box may be left because of the parts of the splits, so each split is tried.
                small = (r2 - r1 + 1) * (s2 - s1 + 1) <= _SMALL
                if small and self._split(limit - 1 - distance, (r1, s2), (r2, s1), np.inf) is None:
                    continue
                for half in _halves(r1, r2, s1, s2):
                    nearest = max(0, half[0], -half[1]) + max(0, half[2], -half[3])
                    heapq.heappush(heap, (nearest, half))
        return None if best is None else self._reversal(best, exact)

    def _reversal(self, best: tuple[int, int, int, int], exact: bool) -> Reversal:
        number, p, r, s = best
        q = number - abs(r) - abs(s) - p
        yes, no = self.labels
        changes = [
            (p, yes, no, yes, no),
            (q, no, yes, no, yes),
            (abs(r), *((no, yes) if r > 0 else (yes, no)), yes, yes),
            (abs(s), *((no, yes) if s > 0 else (yes, no)), no, no),
        ]
        return Reversal(number, tuple(Relabelling(*change) for change in changes if change[0]), exact)


def _halves(r1: int, r2: int, s1: int, s2: int) -> Iterator[tuple[int, int, int, int]]:
    """The box cut in two through its longer side: at 0 where that lies inside, otherwise in the middle."""
    low, high = (r1, r2) if r2 - r1 >= s2 - s1 else (s1, s2)
    cut = -1 if low < 0 <= high else 0 if low == 0 else (low + high) // 2
    parts = ((low, cut), (cut + 1, high))
    for side in parts:
        yield (*side, s1, s2) if r2 - r1 >= s2 - s1 else (r1, r2, *side)


def _greedy(paired: PairedCounts) -> Reversal | None:
    """More than two classes: the best relabelling of one kind of row at a time; an upper bound."""
    cells, classes = paired.cells.astype(np.int64).copy(), len(paired.labels)
    taken: dict[tuple[int, int, int, int], int] = {}
    size = 1
    while float(paired.advantage(cells)) <= ROUNDING:
        tried, moves = [], []
        for a, b in itertools.product(range(classes), repeat=2):
            others = range(classes) if a != b else ()
            for source, target in ((a, b), *((a, k) for k in others), *((k, b) for k in others)):
                rows = min(int(cells[source, a, b]), size)
                if source != target and rows:
                    after = cells.copy()
                    after[source, a, b] -= rows
                    after[target, a, b] += rows
                    tried.append(after)
                    moves.append((source, target, a, b, rows))
        if not tried:
            return None
        values = paired.advantage(np.stack(tried))
        k = int(np.argmax(np.nan_to_num(values, nan=-np.inf)))
        if not values[k] > paired.advantage(cells):
            return None
        source, target, a, b, rows = moves[k]
        move = (source, target, a, b)
        if size > 1 and values[k] > ROUNDING:
            size //= 2  # the last step is made with single rows
            continue
        cells = tried[k]
        taken[move] = taken.get(move, 0) + rows
        if sum(taken.values()) > 50 * size:
            size *= 2
    names = paired.labels
    changes = [Relabelling(n, names[t], names[o], names[a], names[b]) for (t, o, a, b), n in taken.items()]
    return Reversal(sum(taken.values()), tuple(changes), sum(taken.values()) == 1)
