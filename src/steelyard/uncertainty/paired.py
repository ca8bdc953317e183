"""Which of two models is better, and how sure are we, given that both saw the same examples?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_fields
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.draws import block_size
from steelyard.uncertainty.limits import percentiles
from steelyard.uncertainty.resampling import swapped_cells

Array = NDArray[Any]


@dataclass(frozen=True)
class Difference:
    """The first model's value less the second's, and what is known about it."""

    value: float
    low: float
    high: float
    probability_better: float
    """That the first model is the better one (a lower value is better where the measure says so); ties count half."""
    probability_equivalent: float | None
    """That the difference is too small to matter (within the rope), if a rope was given."""
    p_value: float | None
    """Of the hypothesis that the models are exchangeable: swapping their predictions at random, or the test over folds."""
    undefined_draws: int = 0
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data: NaN becomes None."""
        return plain_fields(self)

    @property
    def is_clear(self) -> bool:
        """Does the interval exclude 0?"""
        return self.low > 0 or self.high < 0


def difference(
    measure: Measure,
    estimates: tuple[float, float],
    first: Array,
    second: Array,
    level: float,
    rope: float | None,
    p_value: float | None,
) -> Difference:
    """From the paired draws of both models."""
    value = estimates[0] - estimates[1]
    gaps = first - second
    missing = np.isnan(gaps)
    gaps = gaps[~missing]
    undefined = int(missing.sum())
    if math.isnan(value) or not len(gaps):
        return Difference(
            value,
            math.nan,
            math.nan,
            math.nan,
            None,
            None,
            undefined,
            "undefined for at least one of the models",
        )
    low, high = percentiles(gaps, level)
    better = gaps if measure.better != "lower" else -gaps
    probability = (
        float(np.mean(better > 0) + np.mean(better == 0) / 2) if measure.better != "neither" else math.nan
    )
    note = f"undefined in {undefined:,} draws, which are left out" if undefined else ""
    equivalent = None if rope is None else float(np.mean(np.abs(gaps) <= rope))
    return Difference(
        value, min(low, value), max(high, value), probability, equivalent, p_value, undefined, note
    )


def swap_p_values(
    joint: JointCounts,
    measures: list[Measure],
    draws: int,
    seed: int,
    positive: Label | None,
    undefined: Undefined,
) -> dict[str, float | None]:
    """How often would two exchangeable models differ at least as much? For two models and each measure; None where undefined.

    A randomisation test: predictions are swapped row by row at random. For accuracy it is McNemar's exact test up to the
    error of drawing; it needs no distribution and holds for every measure.
    """
    seen = weigh(
        measures,
        Confusion(joint.matrices(joint.counts[None])[:, 0], joint.labels),
        undefined=undefined,
        positive=positive,
    )
    observed = {name: abs(float(values[0] - values[1])) for name, values in seen.items()}
    reached, defined = dict.fromkeys(observed, 0), dict.fromkeys(observed, 0)
    size = block_size(joint)
    for block, start in enumerate(range(0, draws, size)):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block, 1))))
        cells, weights = swapped_cells(joint, random, size)
        matrices = cells.matrices(weights[: min(size, draws - start)])
        for name, values in weigh(
            measures, Confusion(matrices, joint.labels), undefined=undefined, positive=positive
        ).items():
            gaps = np.abs(values[0] - values[1])
            # Equal in exact arithmetic must count as reached although the two sums were rounded differently.
            reached[name] += int(np.count_nonzero(gaps >= observed[name] - 1e-12))
            defined[name] += int(np.count_nonzero(~np.isnan(gaps)))
    return {
        name: None if math.isnan(gap) or not defined[name] else (reached[name] + 1) / (defined[name] + 1)
        for name, gap in observed.items()
    }


@dataclass(frozen=True)
class McNemar:
    """Do two models err on equally many examples? Counted on the examples that only one of them gets right."""

    only_first: int
    only_second: int
    exact: float
    """Two-sided, from the binomial distribution; it keeps its level but is cautious."""
    mid_p: float
    """Two-sided, with half the probability of the outcome seen: near its level on average (Fagerland et al. 2013)."""

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
    at = _binomial_at(trials, fewer)
    ratios = np.arange(fewer, 0, -1) / (trials - np.arange(fewer, 0, -1) + 1)
    tail = at * (1 + float(np.cumprod(ratios).sum()))
    return McNemar(only_first, only_second, min(1.0, 2 * tail), min(1.0, 2 * tail - at))


def _binomial_at(trials: int, hits: int) -> float:
    """The probability of this many heads of a fair coin."""
    if trials <= 1000:
        return float(math.comb(trials, hits) / 2**trials)
    return math.exp(
        math.lgamma(trials + 1)
        - math.lgamma(hits + 1)
        - math.lgamma(trials - hits + 1)
        - trials * math.log(2)
    )
