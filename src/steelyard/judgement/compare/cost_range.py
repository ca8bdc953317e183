"""Nobody knows costs exactly: over which costs is one model cheaper than another, and how sure is that?

The cost of a model is a sum over confusions, so the difference of two models changes its sign at most once
along a ratio of two costs. The rates of the models are drawn together, as in every comparison; the band of
the difference holds at all costs and for all pairs at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_label
from steelyard.judgement.compare.priors_range import MOST_DRAWS, PairOverShares, changes_of_sign, pairs_along
from steelyard.measures.costs import Costs, costs_of_two
from steelyard.uncertainty.dirichlet_posterior import Prior
from steelyard.uncertainty.resampling import Design, blocks, draws_in_use

Array = NDArray[Any]

POINTS = 121
"""Costs that are looked at, evenly on a logarithmic scale."""
REACH = 1000.0
"""So many times more and less than the ratio that was said, where no range was."""


@dataclass(frozen=True)
class CostRange:
    """Every pair of models over a range of costs."""

    of_ratio: bool
    """Is the ratio of the two errors of two classes varied, or the costs that were said as a range?"""
    positive: Label | None
    at: Array
    """The ratio of a miss to a false alarm, or the part of the range."""
    said: float | None
    """The ratio that was said."""
    costs: Costs
    level: float
    pairs: tuple[PairOverShares, ...]

    def ranges(self, pair: PairOverShares, model: str) -> list[tuple[float, float]]:
        """Where this model is surely the cheaper one, as ranges of ratios or of parts."""
        surely = pair.low > 0 if model == pair.first else pair.high < 0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], surely, [False]]).astype(int)))
        return [
            (float(self.at[start]), float(self.at[stop - 1]))
            for start, stop in zip(edges[::2], edges[1::2], strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "varied": "ratio of a miss to a false alarm" if self.of_ratio else "part of the range",
            "positive": None if self.positive is None else plain_label(self.positive),
            "costs": self.costs.words,
            "said": self.said,
            "level": self.level,
            "at": self.at.tolist(),
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "saved_by_first": pair.difference.tolist(),
                    "simultaneous_low": pair.low.tolist(),
                    "simultaneous_high": pair.high.tolist(),
                    "probability_cheaper": pair.probability_better.tolist(),
                    "flips": list(pair.flips),
                    "first_surely_cheaper": [list(one) for one in self.ranges(pair, pair.first)],
                    "second_surely_cheaper": [list(one) for one in self.ranges(pair, pair.second)],
                    "dominates": pair.dominates,
                }
                for pair in self.pairs
            ],
        }


def compare_over_costs(
    joint: JointCounts,
    costs: Costs,
    positive: Label | None,
    *,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    prior: Prior = "shared",
    design: Design = "sample",
) -> CostRange | None:
    """Models at every ratio of the costs of two errors, or over the range that was said; None where many
    classes have no range, or one of two errors costs nothing."""
    said: float | None = None
    if costs.most is None:
        if joint.n_classes != 2 or positive is None:
            return None
        miss, alarm = costs_of_two(costs, positive)
        if not (miss > 0 and alarm > 0):
            return None
        said = miss / alarm
        at = np.geomspace(said / REACH, said * REACH, POINTS)
        tables = np.stack([_two(costs, positive, ratio * alarm, alarm) for ratio in at])
    else:
        at = np.linspace(0, 1, POINTS)
        tables = np.stack([costs.at(float(part)).fixed for part in at])
    number = min(MOST_DRAWS, draws_in_use(draws, joint.n_classes))
    values = np.empty((POINTS, len(joint.models), number))
    own: Prior = "observed" if prior == "shared" else prior  # as every cost, see `resampling`
    for where, matrices in blocks(joint, "posterior", design, own, number, seed):
        values[:, :, where] = _cost(tables, matrices)
    seen = np.stack([joint.matrix(m).counts for m in range(len(joint.models))]).astype(np.float64)
    here = _cost(tables, seen[:, None])[..., 0]

    # The difference is a straight line in a ratio of costs, so this place is exact.
    pairs = pairs_along(joint.models, -here, -values, level, partial(changes_of_sign, at))
    return CostRange(costs.most is None, positive, at, said, costs, level, pairs)


def _cost(tables: Array, matrices: Array) -> Array:
    """The cost of a row at every table, (places, M, draws), on matrices (M, draws, C, C)."""
    flat = matrices.reshape(*matrices.shape[:2], -1)
    whole = flat.sum(axis=-1)
    return np.asarray(np.einsum("gc,mdc->gmd", tables.reshape(len(tables), -1), flat) / whole)


def _two(costs: Costs, positive: Label, miss: float, alarm: float) -> Array:
    own = [str(label) for label in costs.labels].index(str(positive))
    table = np.zeros((2, 2))
    table[own, 1 - own], table[1 - own, own] = miss, alarm
    return table
