"""Views of scores: what the body of a ranking measure sees, and how it is computed.

They speak the language of `View`, so that ratios, means over classes, priors, relevance and the policy for
undefined values are the same for scores as for matrices. Rankings are algorithms, not formulas: their bodies
are computed at once and have no graph. The batch is always one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.measures.class_numbers import of_classes, priors_of
from steelyard.measures.evaluate import RATES_UNKNOWN, Evaluation
from steelyard.measures.graph import Node
from steelyard.measures.matrix import Matrix
from steelyard.measures.numbers import Floats
from steelyard.measures.undefined import Policy, Reasons
from steelyard.measures.views import View

Array = NDArray[Any]
Body = Callable[[Any], Array]


class Scored(View):
    """The scores of all classes; quantities have shape (C, 1)."""

    two_sided = False

    def __init__(self, scores: ScoreCounts, numbers: Floats, weights: Any = None) -> None:
        # A matrix of one column: the totals of the classes are all that is counted of it.
        totals = Matrix.of_classes(np.asarray(scores.totals).reshape(-1, 1, 1), scores.labels)
        super().__init__(totals, Evaluation(totals, numbers), weights)
        self.scores, self.numbers = scores, numbers
        self.known = True
        """Is it known how the classes compare in size?"""
        self.factors: Array = np.ones((len(scores.labels), 1))
        """By how much each class was scaled: what a row weighs."""

    def at_priors(self, priors: Any) -> Self:
        """The same scores at other class priors."""
        shares = np.array(priors_of(self.scores.labels, self.two_sided, priors)).reshape(-1, 1)
        rates = self.needed_ratio(np.ones_like(self.row_totals), self.row_totals, RATES_UNKNOWN)
        if self.numbers.policy.skips:
            rates = np.nan_to_num(rates, nan=0.0)
        return self.with_rows_scaled(shares * rates)

    def weighted_by(self, weights: Node) -> Self:
        """The same scores, means over classes weighted by relevance."""
        values, _ = of_classes(self.scores.labels, self.scores.labels, *weights.static)
        return type(self)(self.scores, self.numbers, np.array([float(v) for v in values]))

    def with_rows_scaled(self, factors: Array) -> Self:
        """Each class scaled by its own factor; a factor that is not known (of a class without examples) makes
        the whole unknown."""
        scaled = type(self)(
            self.scores.reweighted(np.nan_to_num(factors, nan=0.0).reshape(-1)), self.numbers, self.weights
        )
        scaled.known = bool(np.isfinite(factors).all())
        scaled.factors = self.factors * np.asarray(factors, dtype=np.float64).reshape(-1, 1)
        return scaled


class TwoSided(Scored):
    """The scores of a positive class against the rest; quantities have shape (1,)."""

    two_sided = True

    def __init__(self, scores: ScoreCounts, numbers: Floats, weights: Any = None) -> None:
        super().__init__(scores.positive_first(), numbers, weights)

    @property
    def ranked(self) -> TwoSides:
        return self.scores.ranked()

    @cached_property
    def positives(self) -> Array:
        return np.asarray(self.row_totals[0])

    @cached_property
    def negatives(self) -> Array:
        return np.asarray(self.row_totals[1])


def evaluate(body: Body, scores: ScoreCounts, two_sided: bool, policy: Policy) -> float:
    """The value of a body on scores."""
    value = float(np.broadcast_to(body(_view(scores, two_sided, Floats(policy))), (1,))[0])
    return policy.fill if np.isnan(value) and policy.fills else value


def values(bodies: Sequence[Body], scores: ScoreCounts) -> list[float]:
    """The values of several bodies of the scores of a positive class, which share a view and so its sums."""
    view = TwoSided(scores, Floats(Policy()))
    return [float(np.asarray(body(view)).item()) for body in bodies]


def reason(body: Body, scores: ScoreCounts, two_sided: bool) -> str | None:
    """Why is there no value: words, or None where there is one."""
    recorder = Reasons()
    value = np.broadcast_to(body(_view(scores, two_sided, Floats(Policy(), recorder))), (1,))
    return recorder.at(0) if np.isnan(value).any() else None


def _view(scores: ScoreCounts, two_sided: bool, numbers: Floats) -> Scored:
    return (TwoSided if two_sided else Scored)(scores, numbers)
