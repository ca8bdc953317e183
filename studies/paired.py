"""The difference between two models by several metrics, as `steelyard compare` and a gate find it."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.counts.joint import JointCounts
from steelyard.judgement.compare.estimates import Estimates
from steelyard.judgement.compare.options import Options
from steelyard.measures.measure import Measure
from steelyard.uncertainty.differences import Difference
from steelyard.uncertainty.resampling import Simulation


def paired_differences(
    joint: JointCounts, measures: Sequence[Measure], how: Simulation
) -> dict[str, Difference]:
    """The first model's value less the second's by each metric, from their joint posterior."""
    options = Options(draws=how.draws, seed=how.seed, design=how.design, level=how.level)
    estimates = Estimates(joint, list(measures), options, how.positive)
    return {m.name: estimates.difference(m) for m in measures}
