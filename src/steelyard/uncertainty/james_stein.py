"""James-Stein shrinkage of class rates, to simulate the bias of a metric on test sets of this size.

A measure that takes the larger of two numbers, such as class balance accuracy, is too low on test sets: where
as many examples leave a class as come into it, chance makes one number the larger. Draws around the counts
seen do not show it where errors are few, for a class without an error has none in the draws either. So test
sets are drawn from smoothed rates: classes err as often as all of them together, and attract as many errors,
as far as the counts allow: James-Stein shrinkage by the part that chance explains of the differences between
classes (Efron and Morris 1975).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.dirichlet_posterior import Random, attracted, attraction_shares, ratio, shrunk
from steelyard.uncertainty.resampling import weighs_confusions
from steelyard.uncertainty.threefry import Threefry

Array = NDArray[Any]
_MOST_SETS, _FEWEST_SETS, _CELLS_DRAWN = 500, 200, 2_000_000
_A_BATCH = 16
# Apart from the streams of blocks of draws, which are numbered from 0 on.
STREAM = 1 << 31


def sets_drawn(classes: int) -> int:
    """How many test sets are drawn: 500, whose mean is known to a 22nd part of their spread; with more than
    63 classes fewer, so that their cells stay two million, but 200, which know it to a 14th part.

    >>> [sets_drawn(classes) for classes in (3, 63, 80, 100, 1000)]
    [500, 500, 312, 200, 200]
    """
    return min(_MOST_SETS, max(_FEWEST_SETS, _CELLS_DRAWN // classes**2))


def smoothed_counts(counts: Array) -> Array:
    """The expected counts (C, C) of classes that are as alike as the counts allow."""
    counts = np.asarray(counts, dtype=np.float64)
    actual, hits = counts.sum(axis=1), np.diagonal(counts)
    seen = actual > 0
    errors = shrunk(actual - hits, actual * (actual - hits).sum() / max(actual.sum(), 1.0), seen, actual)
    found = attraction_shares(attracted(counts, errors)[0]) * errors[:, None]
    np.fill_diagonal(found, actual - errors)
    return np.asarray(found)


def smoothed_sets(joint: JointCounts, sizes_fixed: bool, random: Random, size: int) -> tuple[Array, Array]:
    """Test sets (size, C, C) of one model drawn from its smoothed rates, and the counts (C, C) expected."""
    expected = smoothed_counts(joint.seen[0])
    actual = joint.actual
    rates = np.where(
        (actual > 0)[:, None], ratio(expected, actual[:, None].astype(np.float64)), np.eye(len(actual))
    )
    drawn = np.broadcast_to(actual, (size, len(actual)))
    if not sizes_fixed:
        # A class that comes out empty has no recall; one example of it stands for the little that it says.
        drawn = random.multinomial(np.full(size, joint.total), actual / joint.total)
        drawn = np.where(actual > 0, np.maximum(drawn, 1), 0)
    return random.multinomial(drawn, rates), expected


def biases_of_test_sets(
    joint: JointCounts,
    measures: Sequence[Measure],
    *,
    sizes_fixed: bool,
    seed: int,
    undefined: Undefined,
) -> dict[str, float]:
    """By how much each measure of one model exceeds its true value on test sets like this one, on average;
    less what may be an error of drawing. Two classes have nothing to borrow: 0."""
    none = {m.name: 0.0 for m in measures}
    # Smoothed errors fall on every class: of costs and distances they would say nothing.
    measures = [m for m in measures if not weighs_confusions(m)]
    if joint.n_classes < 3 or not measures:
        return none
    random = Threefry(seed, STREAM)
    drawn, expected = smoothed_sets(joint, sizes_fixed, random, sets_drawn(joint.n_classes))
    # Whole counts stay whole, which measures add up in less time. What is expected is weighed in a batch too:
    # a matrix alone is added up in another order, and a bias of 0 would be one of 1e-17.
    found = weigh(measures, Confusion(drawn, joint.labels, copy=False), undefined=undefined)
    batch = Confusion(np.repeat(expected[None], _A_BATCH, axis=0), joint.labels, copy=False)
    true = weigh(measures, batch, undefined=undefined)
    seen = weigh(measures, Confusion(joint.seen[0], joint.labels), undefined=undefined)
    return none | {
        name: float(bias_of(possible(values, seen[name]), true[name][0])) for name, values in found.items()
    }


def possible(drawn: Array, seen: Any) -> Array:
    """Drawn values without those of exactly 0, unless 0 was seen.

    A product over classes (G-mean) is 0 on every test set of which one class has no hit. Where that did not
    happen, the bias of such sets says nothing of the set at hand.
    """
    return np.where((drawn == 0) & (np.asarray(seen) != 0), np.nan, drawn)


def bias_of(drawn: Array, expected: Any) -> Array:
    """The mean of drawn values (..., sets) less the value expected, less the error of drawing; 0 where either
    is undefined."""
    defined = np.isfinite(drawn)
    number = np.maximum(defined.sum(axis=-1), 1)
    mean = np.where(defined, drawn, 0).sum(axis=-1) / number
    spread = np.sqrt((np.where(defined, drawn - mean[..., None], 0) ** 2).sum(axis=-1) / number)
    bias = np.where(np.isfinite(expected) & defined.any(axis=-1), mean - expected, 0.0)
    return np.asarray(np.sign(bias) * np.maximum(np.abs(bias) - spread / np.sqrt(number), 0))
