"""Measures of scores: rankings and probabilities."""

# One asks how examples are ranked, so it takes `ScoreCounts`, or a column of labels and the scores; a
# confusion matrix does not hold what it needs. Its body is an algorithm, not a formula: it is computed at
# once, on a view of the scores (`Scored`) that speaks the language of `View`, so that ratios, means over
# classes, priors, relevance and the policy for undefined values are the same for scores as for matrices.
# The batch is always one.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_columns import advising
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError, UndefinedError
from steelyard.measures.class_numbers import of_classes, priors_of
from steelyard.measures.evaluate import Evaluation
from steelyard.measures.graph import Node
from steelyard.measures.matrix import Matrix
from steelyard.measures.numbers import Floats
from steelyard.measures.record import Kind, Measure, declared, warn_if_guessed
from steelyard.measures.undefined import (
    NEVER_UNDEFINED,
    NO_NEGATIVES,
    NO_POSITIVES,
    RATES_UNKNOWN,
    Policy,
    Reasons,
)
from steelyard.measures.views import View

Body = Callable[[Any], Array]


class Scored(View):
    """The scores of all classes; quantities have shape (C, 1)."""

    two_sided = False

    def __init__(self, scores: ScoreCounts, numbers: Floats, weights: Any = None) -> None:
        # A matrix of one column: the totals of the classes are all that is counted of it.
        totals = Matrix.of_classes(np.asarray(scores.totals).reshape(-1, 1, 1), scores.labels)
        super().__init__(totals, Evaluation(totals, numbers), weights)
        self.scores, self.numbers = scores, numbers
        #: Is it known how the classes compare in size?
        self.known = True
        #: By how much each class was scaled: what a row weighs.
        self.factors: Array = np.ones((len(scores.labels), 1))

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
        """Each class scaled by its own factor."""
        # A factor that is not known (of a class without examples) makes the whole unknown.
        # Rows of a class share its factor, so the counts behind the ranks are scaled and no score changes.
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

    def of_both(self, value: Callable[[TwoSides], float]) -> Array:
        """A number of the ranking of both classes; undefined, with the reason, where one has no examples."""
        present = self.needed_ratio(self.positives, self.positives, NO_POSITIVES)
        present = np.asarray(present * self.needed_ratio(self.negatives, self.negatives, NO_NEGATIVES))
        return np.asarray(present * (value(self.ranked) if np.isfinite(present).all() else 0.0))


def score_values(bodies: Sequence[Body], scores: ScoreCounts) -> list[float]:
    """The values of several bodies of the scores of a positive class, which share a view and so its sums."""
    view = TwoSided(scores, Floats(Policy()))
    return [float(np.asarray(body(view)).item()) for body in bodies]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreMeasure(Measure):
    """A measure of the scores behind a matrix."""

    kind: Kind = "scores"
    body: Callable[[Any], Array]
    #: Is it made of means over classes, so that classes can be weighted by relevance?
    over_classes: bool = False
    #: Does it set one positive class against the rest?
    two_sided: bool = False
    #: Must the scores be probabilities?
    of_probabilities: bool = False

    def _derived(self, name: str) -> str:
        # It has no graph to read it from.
        if name != "undefined_when":
            return self.title
        return "a class has no examples" if self.two_sided else NEVER_UNDEFINED

    _TO_COUNT = "give a column of labels and the scores, or count them with ScoreCounts.from_scores"

    def _counted(
        self, y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, positive: Label | None
    ) -> ScoreCounts:
        # A table has a column for every class.
        column_class = positive if np.ndim(y_pred) == 1 else None
        with advising("leave those rows out"):
            return ScoreCounts.from_scores(
                y_true, y_pred, column_class, labels, sample_weight, probabilities=self.of_probabilities
            )

    def _value(self, counts: Any, policy: Policy, positive: Label | None) -> float:
        seen = self._seen(counts, positive, warn=True)
        value = self._on(seen, Floats(policy))
        if policy.raises and np.isnan(value):
            raise UndefinedError(f"{self.name} is undefined: {self._reason(seen)}.")
        return policy.fill if np.isnan(value) else value

    def _on(self, scores: ScoreCounts, numbers: Floats) -> float:
        view = (TwoSided if self.two_sided else Scored)(scores, numbers)
        return float(np.broadcast_to(self.body(view), (1,))[0])

    def _reason(self, seen: ScoreCounts) -> str | None:
        recorder = Reasons()
        return recorder.at(0) if np.isnan(self._on(seen, Floats(Policy(), recorder))) else None

    def why_undefined(self, counts: Any, *, positive: Label | None = None) -> str | None:
        """Why has it no value here: words, or None where it has one."""
        return self._reason(self._seen(counts, positive))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        reduced = super().__reduce_ex__(protocol)
        # Bodies of rankings are functions: what an operator made is made again.
        return self.recipe if self.recipe is not None and "body" in reduced[1][-1] else reduced

    def _compared(self) -> Any:
        return self.__reduce_ex__(2)

    def _seen(self, counts: Any, positive: Label | None, warn: bool = False) -> ScoreCounts:
        # The scores as this measure sees them: of one class against the rest, if it needs that.
        if not isinstance(counts, ScoreCounts):
            raise InputError(
                f"{self.name} is a metric of scores",
                found="a confusion matrix" if isinstance(counts, Confusion) else type(counts).__name__,
                allowed="ScoreCounts.from_scores(y_true, score, positive=...)",
            )
        if not self.two_sided:
            return counts
        choice = counts.positive_class(positive)
        if warn:
            warn_if_guessed(self, choice)
        return counts.one_vs_rest(choice.label)


# Declare a measure of the scores of a positive class, and one of those of any number of classes.
ranking = partial(declared, ScoreMeasure, two_sided=True)
ranking_of_classes = partial(declared, ScoreMeasure)
