"""Permutation test: exchange the predictions of two models row by row at the toss of a fair coin."""
# If two models are alike in every respect, the exchanged test sets are as likely as the one seen. Only rows
# on which the models disagree can move, so their counts by class and pair of predictions are all that is
# permuted: so many tosses of a coin. A metric that asks only how many examples of each class are correct
# (macro recall, G-mean) needs no matrices: of many pairs only numbers of hits are drawn (`gaps_by_hits`).

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.measures.evaluate import values_of_totals
from steelyard.measures.matrix import ClassTotals
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.uncertainty.resampling import Simulation, block_size, stream_of

FEWEST_SWAPS, SWAPS_OF_ALL_PAIRS = 500, 100_000
# Binomial numbers, from which on pairs share the swaps.
MUCH_SWAPPING = 50_000_000
_ROUNDING = 1e-12
_NUMBERS_OF_A_BLOCK = 1 << 18
_BITS = 64


def is_much(joint: JointCounts, pairs: int, draws: int) -> bool:
    """Would so many swaps of every pair take long?"""
    kinds = min(len(joint.counts), joint.n_classes**2 * (joint.n_classes + 1) // 2)
    return pairs * draws > 2 * SWAPS_OF_ALL_PAIRS or pairs * draws * kinds > MUCH_SWAPPING


def swaps_of_each(pairs: int, draws: int) -> int:
    """How often the predictions of each pair are swapped: 100,000 times in all, at least 500 for each.

    >>> swaps_of_each(10, 10_000), swaps_of_each(190, 8_000)
    (10000, 526)
    """
    return min(draws, max(FEWEST_SWAPS, SWAPS_OF_ALL_PAIRS // pairs))


def exchangeability_p_values(
    joint: JointCounts, pairs: Sequence[tuple[int, int]], measure: Measure, how: Simulation
) -> list[float | None]:
    """How often would two exchangeable models differ at least as much by this measure? Of every pair."""
    # None where it is undefined. A randomisation test: predictions are swapped row by row at random. For
    # accuracy it is McNemar's exact test up to the error of drawing. It tests that the models are alike in
    # every respect, not that they have the same value of the measure.
    values = _values(joint.seen, joint, measure, how)
    much = is_much(joint, len(pairs), how.draws)
    if much:
        how = replace(how, draws=swaps_of_each(len(pairs), how.draws))
    p_values: list[float | None] = []
    for a, b in pairs:
        observed = abs(float(values[a] - values[b]))
        if math.isnan(observed):
            p_values.append(None)
            continue
        gaps = gaps_by_hits(joint, (a, b), measure, how) if much else None
        if gaps is None:
            gaps = gaps_of_matrices(joint.only((a, b)), measure, how)
        # Equal in exact arithmetic must count as reached although the two sums were rounded differently.
        reached = int(np.count_nonzero(gaps >= observed - _ROUNDING))
        defined = int(np.count_nonzero(~np.isnan(gaps)))
        p_values.append((reached + 1) / (defined + 1) if defined else None)
    return p_values


def _values(matrices: Array, joint: JointCounts, measure: Measure, how: Simulation) -> Array:
    sets = Confusion(matrices, joint.labels, copy=False)
    return np.asarray(measure(sets, undefined=how.undefined, positive=how.positive))


def gaps_of_matrices(pair: JointCounts, measure: Measure, how: Simulation) -> Array:
    """By how much two models differ in each swap."""
    gaps, size = np.empty(how.draws), min(how.draws, block_size(pair))
    for number, start in enumerate(range(0, how.draws, size)):
        matrices = swapped_matrices(pair, stream_of(how.seed, number, 1), size)[:, : how.draws - start]
        gaps[start : start + size] = np.abs(np.subtract(*_values(matrices, pair, measure, how)))
    return gaps


def swapped_matrices(pair: JointCounts, random: np.random.Generator, size: int) -> Array:
    """The matrices (2, size, C, C) of two models whose predictions are exchanged by tossing coins."""
    classes = pair.n_classes
    kinds, which = np.unique(
        (pair.truth * classes + pair.predictions.min(axis=1)) * classes + pair.predictions.max(axis=1),
        return_inverse=True,
    )
    rows = np.bincount(which.reshape(-1), weights=pair.counts).astype(np.int64)
    truth, low, high = np.unravel_index(kinds, (classes,) * 3)
    coins, of_class = heads(rows, random, size), np.eye(classes)
    # Whole numbers, which measures add up without a thought of rounding.
    matrices = np.zeros((2, size, classes, classes), dtype=np.int64)
    for label in np.unique(truth).tolist():
        inside = truth == label
        # A head gives the first model the smaller of two predictions, and the second the other.
        of_low, of_high = of_class[low[inside]], of_class[high[inside]]
        together = rows[inside] @ (of_low + of_high)
        matrices[0, :, label] = rows[inside] @ of_high + coins[:, inside] @ (of_low - of_high)
        matrices[1, :, label] = together - matrices[0, :, label]
    return matrices


def heads(tosses: Array, random: np.random.Generator, size: int) -> Array:
    """How many heads each number of tosses of a fair coin gave: shape (size, numbers)."""
    if not hasattr(np, "bitwise_count"):  # before NumPy 2
        return random.binomial(tosses, 0.5, size=(size, len(tosses)))
    # The bits of a random word, a seventh of the time of a binomial number.
    words = random.integers(0, 1 << 64, size=(size, len(tosses)), dtype=np.uint64)
    out = np.bitwise_count(words >> (_BITS - np.minimum(tosses, _BITS)).astype(np.uint64)).astype(np.int64)
    many = tosses > _BITS
    # One number after the other: what NumPy prepares for a number of tosses serves all its draws.
    out[:, many] = random.binomial(tosses[many, None], 0.5, size=(np.count_nonzero(many), size)).T
    return np.asarray(out)


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
    joint: JointCounts, pair: tuple[int, int], measure: Measure, how: Simulation
) -> Array | None:
    """By how much two models differ in each swap; None if the measure asks for more than hits."""
    first, second = pair
    both = joint.right_together[:, first, second]
    hit_by_one = joint.hits[first] + joint.hits[second] - 2 * both
    swaps = how.draws
    gaps = np.empty(swaps)
    block = max(16, min(swaps, _NUMBERS_OF_A_BLOCK // joint.n_classes))
    for number, start in enumerate(range(0, swaps, block)):
        random = stream_of(how.seed, number, 1)
        # a class after the other: what NumPy prepares for a number of coins serves all swaps
        heads = random.binomial(hit_by_one[:, None], 0.5, size=(len(hit_by_one), block))[:, : swaps - start]
        hits = np.concatenate([heads, hit_by_one[:, None] - heads], axis=1) + both[:, None]
        values = values_by_hits(measure, hits, joint.actual, joint.labels, how.undefined)
        if values is None:
            return None
        of_first, of_second = np.split(values, 2)
        gaps[start : start + len(of_first)] = np.abs(of_first - of_second)
    return gaps
