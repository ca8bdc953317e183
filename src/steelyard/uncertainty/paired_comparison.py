"""Paired comparison of two models: posterior of the difference, McNemar's test, power."""
# Power is a normal approximation: a difference d is significant with probability `power` if d = (z_(1 - alpha
# / 2) + z_power) SE. The standard error of a paired difference falls with the square root of the rows, and
# over data sets with the square root of their number.

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label, plain_fields
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.binomial_intervals import binomial_cdf
from steelyard.uncertainty.differences import Difference, difference
from steelyard.uncertainty.dirichlet_posterior import Prior, disagreement_of_prior
from steelyard.uncertainty.resampling import Design, central_values, drawn_values

Array = NDArray[Any]


def stretched(drawn: Array, joint: JointCounts) -> Array:
    """The posterior's draws (M, draws), spread where more than two models share the prior."""
    # By 1 + 4.8 (3/4 - d) / n, n being the examples of the rarest class and d the part of the prior in which
    # two models differ.
    # Of two models it is 3/4 and nothing is spread. Of many it cannot be more than 1/2, and a class of which
    # both models found all of few examples would be too surely alike: tests of equal balanced accuracy with
    # 20 or 30 rare examples, nearly all found, rejected 8% at a level of 5%, and 6 to 7% so spread.
    actual = joint.actual
    disagreement = disagreement_of_prior(len(np.unique(joint.twins)))
    if disagreement >= 0.75:
        return drawn
    factor = 1 + 4.8 * (0.75 - disagreement) / float(actual[actual > 0].min())
    defined = ~np.isnan(drawn)
    count = np.maximum(defined.sum(axis=1, keepdims=True), 1)
    means = np.where(defined, drawn, 0).sum(axis=1, keepdims=True) / count
    return np.asarray(means + factor * (drawn - means))


def paired_differences(
    joint: JointCounts,
    measures: Iterable[Measure],
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    design: Design = "sample",
    prior: Prior = "shared",
    positive: Label | None = None,
    undefined: Undefined = "nan",
) -> dict[str, Difference]:
    """The difference between two models by each measure, from their joint posterior."""
    chosen = list(measures)
    seen = weigh(chosen, Confusion(joint.seen, joint.labels), undefined=undefined, positive=positive)
    model: dict[str, Any] = {"design": design, "prior": prior, "positive": positive, "undefined": undefined}
    drawn = drawn_values(joint, chosen, source="posterior", draws=draws, seed=seed, **model)
    centres = central_values(joint, chosen, **model)
    results = {}
    for m in chosen:
        first, second = stretched(drawn[m.name], joint)
        estimates, centre = (float(seen[m.name][0]), float(seen[m.name][1])), centres[m.name]
        gap = float(centre[0] - centre[1])
        results[m.name] = difference(m, estimates, first, second, level, None, gap)
    return results


@dataclass(frozen=True)
class McNemar:
    """Do two models err on equally many examples?"""

    # Counted on the examples that only one of them gets right.

    only_first: int
    only_second: int
    # Two-sided, from the binomial distribution; it keeps its level but is cautious.
    exact: float
    # Two-sided, with half the probability of the outcome seen: near its level on average (Fagerland et al.
    # 2013).
    mid_p: float

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


def mcnemar(joint: JointCounts, first: int, second: int, label: int | None = None) -> McNemar:
    """McNemar's test of two models on all examples (accuracy), or on those of one class (its recall)."""
    right, inside = joint.right, slice(None) if label is None else joint.truth == label
    only_first = int((joint.counts * (right[:, first] & ~right[:, second]))[inside].sum())
    only_second = int((joint.counts * (right[:, second] & ~right[:, first]))[inside].sum())
    return mcnemar_of(only_first, only_second)


def mcnemar_of(only_first: int, only_second: int) -> McNemar:
    """The test from the two counts of examples that one model alone gets right."""
    trials, fewer = only_first + only_second, min(only_first, only_second)
    tail, beyond = binomial_cdf(fewer, trials, 0.5), binomial_cdf(fewer - 1, trials, 0.5)
    return McNemar(only_first, only_second, min(1.0, 2 * tail), min(1.0, tail + beyond))


# Rows of the expected test set whose standard error is scaled to other sizes.
ROWS = 20_000
DRAWS = 2_000


def quantiles(level: float, power: float) -> float:
    """z of the two-sided test plus z of the power."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2) + ndtri(power))


def detectable_difference(half_width: float, level: float, power: float = 0.8) -> float:
    """The smallest true difference that is significant with this power, from an interval's half-width."""
    from scipy.special import ndtri

    return half_width / float(ndtri(0.5 + level / 2)) * quantiles(level, power)


def improved_rates(rates: Array, improvement: float) -> Array:
    """Class rates (C, C) of a better model: this share of the errors of every class is corrected."""
    return np.asarray((1 - improvement) * rates + improvement * np.eye(len(rates)))


def standard_error_of_row(
    measure: Measure,
    rates: Array,
    improvement: float,
    shares: Array,
    agreement: float,
    positive: Label | None,
    labels: tuple[Label, ...],
) -> float:
    """Standard error of the paired difference of one row: of n rows it is this divided by sqrt(n)."""
    # Two models with these rates agree as far as `agreement` says: 1 where the better one differs only on the
    # errors it corrects, 0 where errors are independent.
    better = improved_rates(rates, improvement)
    number = len(rates)
    cells = {}
    for truth in range(number):
        coupled = (1 - improvement) * np.diag(rates[truth])
        coupled[truth] += improvement * rates[truth]
        joint = agreement * coupled + (1 - agreement) * np.outer(better[truth], rates[truth])
        for first, second in itertools.product(range(number), repeat=2):
            if rows := round(ROWS * float(shares[truth]) * float(joint[first, second])):
                cells[labels[truth], labels[first], labels[second]] = rows
    truths, *answers = zip(*cells, strict=True)
    both = JointCounts.from_cells(truths, answers, [*cells.values()], ["better", "other"], labels=labels)
    drawn = drawn_values(both, [measure], source="posterior", draws=DRAWS, positive=positive)
    first, second = drawn[measure.name]
    return float(np.nanstd(first - second)) * math.sqrt(both.total)
