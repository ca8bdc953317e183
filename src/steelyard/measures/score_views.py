"""What a ranking measure sees of scores, and how it is computed.

The views speak the language of `View`, so that ratios, means over classes, priors, relevance and the policy
for undefined values are the same for scores as for matrices. The batch is always one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import quoted
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.measures.arithmetic import Arithmetic, Floats
from steelyard.measures.undefined import Policy, Reasons
from steelyard.measures.view import View

Array = NDArray[Any]
Body = Callable[[Any], Array]


class Scored(View):
    """The scores of all classes; quantities have shape (C, 1)."""

    def __init__(
        self, scores: ScoreCounts, arithmetic: Arithmetic, weights: Sequence[Any] | Array | None = None
    ) -> None:
        super().__init__(np.asarray(scores.totals).reshape(-1, 1, 1), scores.labels, arithmetic, weights)
        self.scores = scores
        self.known = True
        """Is it known how the classes compare in size?"""
        self.factors: Array = np.ones((len(scores.labels), 1))
        """By how much each class was scaled: what a row weighs."""

    def like(self, counts: Array | None = None, weights: Sequence[Any] | Array | None = None) -> Self:
        if counts is not None:
            raise AssertionError("scores are scaled class by class: see with_rows_scaled")
        return type(self)(self.scores, self.arithmetic, self.weights if weights is None else weights)

    def with_rows_scaled(self, factors: Array) -> Self:
        """Each class scaled by its own factor; a factor that is not known (of a class without examples) makes
        the whole unknown."""
        scaled = type(self)(
            self.scores.reweighted(np.nan_to_num(factors, nan=0.0).reshape(-1)), self.arithmetic, self.weights
        )
        scaled.known = bool(np.isfinite(factors).all())
        scaled.factors = self.factors * np.asarray(factors, dtype=np.float64).reshape(-1, 1)
        return scaled

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        return template.format(label=quoted(self.labels[index[0]])) if index else template


class TwoSided(Scored):
    """The scores of a positive class against the rest; quantities have shape (1,)."""

    def __init__(
        self, scores: ScoreCounts, arithmetic: Arithmetic, weights: Sequence[Any] | Array | None = None
    ) -> None:
        super().__init__(scores.positive_first(), arithmetic, weights)

    has_positive = True

    @property
    def ranked(self) -> TwoSides:
        return self.scores.ranked()

    @cached_property
    def positives(self) -> Array:
        return np.asarray(self.row_totals[0])

    @cached_property
    def negatives(self) -> Array:
        return np.asarray(self.row_totals[1])

    def describe(self, template: str, index: tuple[int, ...]) -> str:
        if "{label}" in template:
            return super().describe(template, index)
        return template.format(positive=quoted(self.labels[0]), negative=quoted(self.labels[1]))


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


def _view(scores: ScoreCounts, two_sided: bool, arithmetic: Arithmetic) -> Scored:
    return (TwoSided if two_sided else Scored)(scores, arithmetic)
