"""Permutation test: exchange the predictions of two models row by row at the toss of a fair coin."""
# If two models are alike in every respect, the exchanged test sets are as likely as the one seen. Only rows
# on which the models disagree can move, so their counts by class and pair of predictions are all that is
# permuted: binomial numbers for one pair of models. Many pairs toss coins as random bits that are counted,
# and fill both matrices of a permutation by one product of matrices. A metric that asks only how many
# examples of each class are correct (macro recall, G-mean) needs no matrices at all (`values_by_hits`).

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.measures.evaluate import values_of_totals
from steelyard.measures.matrix import ClassTotals
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.uncertainty.resampling import block_size, stream_of

Array = NDArray[Any]

FEWEST_SWAPS, SWAPS_OF_ALL_PAIRS = 500, 100_000
# Binomial numbers, from which on coins are tossed in this way.
MUCH_SWAPPING = 50_000_000
_ROUNDING = 1e-12
_BITS = 64
# Above this many tosses a binomial number costs less than counting bits.
_MOST_IN_WORDS = 2_048
_TOSSES_OF_A_BLOCK = 1 << 22
_CELLS_TOGETHER = 1 << 19
_NUMBERS_OF_A_BLOCK = 1 << 18
# Pairs of predictions up to this many are distinguished by a table; beyond it they are sorted.
_TABLE = 1 << 14


def is_much(joint: JointCounts, pairs: int, draws: int) -> bool:
    """Would binomial numbers for every pair take long?"""
    kinds = min(len(joint.counts), joint.n_classes**2 * (joint.n_classes + 1) // 2)
    return pairs * draws > 2 * SWAPS_OF_ALL_PAIRS or pairs * draws * kinds > MUCH_SWAPPING


def swaps_of_each(pairs: int, draws: int) -> int:
    """How often the predictions of each pair are swapped: 100,000 times in all, at least 500 for each.

    >>> swaps_of_each(10, 10_000), swaps_of_each(190, 8_000)
    (10000, 526)
    """
    return min(draws, max(FEWEST_SWAPS, SWAPS_OF_ALL_PAIRS // pairs))


def exchangeability_p_value(
    joint: JointCounts, measure: Measure, draws: int, seed: int, positive: Label | None, undefined: Undefined
) -> float | None:
    """How often would two exchangeable models differ at least as much by this measure?"""
    # None where it is undefined. A randomisation test: predictions are swapped row by row at random. For
    # accuracy it is McNemar's exact test up to the error of drawing. It tests that the models are alike in
    # every respect, not that they have the same value of the measure.
    observed = float(np.abs(np.subtract(*_values(joint.seen, joint, measure, positive, undefined))))
    reached = defined = 0
    size = block_size(joint)
    for block, start in enumerate(range(0, draws, size)):
        random = stream_of(seed, block, 1)
        cells, weights = swapped_cells(joint, random, size)
        matrices = cells.matrices(weights[: min(size, draws - start)])
        gaps = np.abs(np.subtract(*_values(matrices, joint, measure, positive, undefined)))
        # Equal in exact arithmetic must count as reached although the two sums were rounded differently.
        reached += int(np.count_nonzero(gaps >= observed - _ROUNDING))
        defined += int(np.count_nonzero(~np.isnan(gaps)))
    return None if math.isnan(observed) or not defined else (reached + 1) / (defined + 1)


def _values(
    matrices: Array, joint: JointCounts, measure: Measure, positive: Label | None, undefined: Undefined
) -> Array:
    sets = Confusion(matrices, joint.labels, copy=False)
    return np.asarray(measure(sets, undefined=undefined, positive=positive))


def swapped_cells(joint: JointCounts, random: np.random.Generator, size: int) -> tuple[JointCounts, Array]:
    """Two models' predictions exchanged by tossing coins: the cells, and counts of them (size, cells)."""
    first, second = joint.predictions.T
    pairs = np.stack([joint.truth, np.minimum(first, second), np.maximum(first, second)], axis=1)
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    rows = np.bincount(which.reshape(-1), weights=joint.counts, minlength=len(kinds)).astype(np.int64)
    stayed = random.binomial(rows, 0.5, size=(size, len(kinds)))
    truth, answers = np.tile(kinds[:, 0], 2), np.concatenate([kinds[:, 1:], kinds[:, :0:-1]])
    both = JointCounts(joint.labels, joint.models, truth, answers, np.tile(rows, 2))
    return both, np.concatenate([stayed, rows - stayed], axis=1)


def exchangeability_p_values(
    joint: JointCounts,
    pairs: Sequence[tuple[int, int]],
    measure: Measure,
    draws: int,
    seed: int,
    positive: Label | None,
    undefined: Undefined,
) -> list[float | None]:
    """How often would two exchangeable models differ at least as much by this measure? Of every pair."""
    # None where it is undefined.
    values = _values(joint.seen, joint, measure, positive, undefined)
    swaps = swaps_of_each(len(pairs), draws)
    p_values: list[float | None] = []
    by_hits = True
    for a, b in pairs:
        observed = abs(float(values[a] - values[b]))
        if math.isnan(observed):
            p_values.append(None)
            continue
        gaps = gaps_by_hits(joint, (a, b), measure, swaps, seed, undefined) if by_hits else None
        by_hits = gaps is not None
        if gaps is None:
            gaps = _gaps(joint.only((a, b)), measure, swaps, seed, positive, undefined)
        reached = int(np.count_nonzero(gaps >= observed - _ROUNDING))
        defined = int(np.count_nonzero(~np.isnan(gaps)))
        p_values.append((reached + 1) / (defined + 1) if defined else None)
    return p_values


def _gaps(
    pair: JointCounts, measure: Measure, draws: int, seed: int, positive: Label | None, undefined: Undefined
) -> Array:
    """By how much two models differ in each of so many swaps."""
    size = pair.n_classes
    first, second = pair.predictions.T
    differing = first != second
    alike = np.bincount(
        (pair.truth * size + first)[~differing], weights=pair.counts[~differing], minlength=size * size
    )
    swapped = [_Swapped.of(pair, label, differing) for label in np.unique(pair.truth[differing]).tolist()]
    words = sum(len(of_class.tosses) for of_class in swapped)
    touched = [of_class.label * size + k for of_class in swapped for k in of_class.touched.tolist()]
    # All cells are a slice, which needs no copy.
    cells = slice(None) if len(touched) == size * size else np.array(touched, dtype=np.intp)
    both = np.array([total for of_class in swapped for total in of_class.both.tolist()])
    gaps = np.empty(draws)
    together = max(1, _CELLS_TOGETHER // size**2)
    block = max(16, min(draws, _TOSSES_OF_A_BLOCK // max(1, words, size * size)))
    for number, begin in enumerate(range(0, draws, block)):
        random = stream_of(seed, number, 1)
        first_rows = np.concatenate(
            [of_class.toss(random, block) for of_class in swapped] or [np.empty((block, 0))], axis=1
        )
        # all coins of a block are tossed at once, but only a few matrices are filled at a time: they stay in
        # the cache
        for start in range(0, min(block, draws - begin), together):
            some = slice(start, min(start + together, block, draws - begin))
            # whole numbers, which measures add up without a thought of rounding
            matrices = np.empty((2, some.stop - start, size * size), dtype=np.int64)
            if isinstance(cells, np.ndarray):
                matrices[:] = alike
            matrices[0][:, cells] = alike[cells] + first_rows[some]
            matrices[1][:, cells] = alike[cells] + both - first_rows[some]
            squares = matrices.reshape(2, -1, size, size)
            of_both = _values(squares, pair, measure, positive, undefined)
            gaps[begin + start : begin + some.stop] = np.abs(np.subtract(*of_both))
    return gaps


@dataclass(frozen=True)
class _Swapped:
    """The examples of one true class of which two models say different things."""

    label: int
    tosses: Array
    # The predictions that occur among them, or all where most do.
    touched: Array
    # Shape (tosses, touched): what a head adds to the first model's row, and takes from it.
    moved: Array
    # The first model's row if no coin shows a head.
    start: Array
    # The sum of both models' rows.
    both: Array

    @classmethod
    def of(cls, pair: JointCounts, label: int, differing: Array) -> _Swapped:
        size = pair.n_classes
        inside = np.flatnonzero(differing & (pair.truth == label))
        first, second = pair.predictions[inside].T
        keys = np.minimum(first, second) * size + np.maximum(first, second)
        kinds, rows = _summed(keys, pair.counts[inside], size * size)
        occurring = np.zeros(size, dtype=bool)
        occurring[kinds // size] = occurring[kinds % size] = True
        if 2 * np.count_nonzero(occurring) > size:
            occurring[:] = True  # a whole row is added in one go
        touched, place = np.flatnonzero(occurring), np.cumsum(occurring) - 1
        low, high = place[kinds // size], place[kinds % size]
        tosses, of_kind = _in_words(rows)
        moved = np.zeros((len(tosses), len(touched)), dtype=np.float32)
        moved[np.arange(len(tosses)), low[of_kind]] = 1
        moved[np.arange(len(tosses)), high[of_kind]] = -1
        start = np.bincount(high, weights=rows, minlength=len(touched))
        both = start + np.bincount(low, rows, len(touched))
        return cls(label, tosses, touched, moved, start, both)

    def toss(self, random: np.random.Generator, draws: int) -> Array:
        """What the coins give to the first model's row: shape (draws, touched)."""
        return np.asarray(self.start + heads(self.tosses, random, draws) @ self.moved)


def _summed(keys: Array, counts: Array, size: int) -> tuple[Array, Array]:
    """The keys below `size` that occur, in order, and the sum of the counts of each."""
    if size <= _TABLE:
        sums = np.bincount(keys, weights=counts, minlength=size)
        kinds = np.flatnonzero(sums)
        return kinds, sums[kinds].astype(np.int64)
    kinds, which = np.unique(keys, return_inverse=True)
    return kinds, np.bincount(which.reshape(-1), weights=counts, minlength=len(kinds)).astype(np.int64)


def _in_words(rows: Array) -> tuple[Array, Array]:
    """Numbers of tosses of at most 64 that together are those of each kind, and the kind each belongs to."""
    # A number too large for that stays whole.
    words = np.where(rows > _MOST_IN_WORDS, 1, -(-rows // _BITS))
    of_kind = np.repeat(np.arange(len(rows)), words)
    number = np.arange(len(of_kind)) - np.repeat(np.cumsum(words) - words, words)
    tosses = np.where(
        rows[of_kind] > _MOST_IN_WORDS, rows[of_kind], np.minimum(_BITS, rows[of_kind] - _BITS * number)
    )
    order = np.argsort(tosses > _BITS, kind="stable")
    return tosses[order], of_kind[order]


def heads(tosses: Array, random: np.random.Generator, size: int) -> Array:
    """How many heads each number of tosses of a fair coin gave: shape (size, numbers), single precision."""
    # Numbers above 64 stand last.
    few = int(np.count_nonzero(tosses <= _BITS))
    words = random.integers(0, 1 << 64, size=(size, few), dtype=np.uint64)
    words >>= (_BITS - tosses[:few]).astype(np.uint64)
    out = np.empty((size, len(tosses)), dtype=np.float32)
    out[:, :few] = _ones(words)
    # one number after the other: what NumPy prepares for a number of tosses serves all its draws
    out[:, few:] = random.binomial(tosses[few:, None], 0.5, size=(len(tosses) - few, size)).T
    return out


def _ones(words: Array) -> Array:
    """The number of bits that are set; before NumPy 2 added up in pairs, in fours, in eights."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words))
    two, four, eight = (np.uint64(m) for m in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
    words = words - ((words >> np.uint64(1)) & two)
    words = (words & four) + ((words >> np.uint64(2)) & four)
    words = (words + (words >> np.uint64(4))) & eight
    return (words * np.uint64(0x0101010101010101)) >> np.uint64(56)


def values_by_hits(
    measure: Measure, hits: Array, actual: Array, labels: Sequence[Label], undefined: Undefined
) -> Array | None:
    """The measure of matrices with these hits (C, batch) of so many examples (C,)."""
    # None if it asks for more.
    if not isinstance(measure, MatrixMeasure) or measure.kind != "multi-class":
        return None
    totals = ClassTotals(hits, np.broadcast_to(actual[:, None], hits.shape), None, labels)
    return values_of_totals(measure.graph, totals, Policy.of(undefined))


def gaps_by_hits(
    joint: JointCounts, pair: tuple[int, int], measure: Measure, swaps: int, seed: int, undefined: Undefined
) -> Array | None:
    """By how much two models differ in each of so many swaps; None if the measure asks for more than hits."""
    first, second = pair
    both = joint.right_together[:, first, second]
    hit_by_one = joint.hits[first] + joint.hits[second] - 2 * both
    gaps = np.empty(swaps)
    block = max(16, min(swaps, _NUMBERS_OF_A_BLOCK // joint.n_classes))
    for number, start in enumerate(range(0, swaps, block)):
        random = stream_of(seed, number, 1)
        # a class after the other: what NumPy prepares for a number of coins serves all swaps
        heads = random.binomial(hit_by_one[:, None], 0.5, size=(len(hit_by_one), block))[:, : swaps - start]
        hits = np.concatenate([heads, hit_by_one[:, None] - heads], axis=1) + both[:, None]
        values = values_by_hits(measure, hits, joint.actual, joint.labels, undefined)
        if values is None:
            return None
        of_first, of_second = np.split(values, 2)
        gaps[start : start + len(of_first)] = np.abs(of_first - of_second)
    return gaps
