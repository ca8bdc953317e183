"""Measures of scores: rankings and probabilities.

One asks how examples are ranked, so it takes `ScoreCounts`, or a column of labels and the scores; a confusion
matrix does not hold what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.score_columns import advising
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UndefinedError
from steelyard.measures import score_views
from steelyard.measures.record import Array, Kind, Measure, declared, warn_if_guessed
from steelyard.measures.undefined import Policy, Undefined


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreMeasure(Measure):
    """A measure of the scores behind a matrix."""

    kind: Kind = "scores"
    body: Callable[[Any], Array]
    weightable: bool = False
    """Is it made of means over classes, so that classes can be weighted by relevance?"""
    two_sided: bool = False
    """Does it set one positive class against the rest?"""
    of_probabilities: bool = False
    """Must the scores be probabilities?"""

    @property
    def over_classes(self) -> bool:
        return self.weightable

    def _derived(self, name: str) -> str:
        return self.title  # a measure of scores has no graph to read it from

    def __call__(
        self,
        counts: Any,
        predicted: Any = None,
        /,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
    ) -> float:
        """The value on `ScoreCounts`, or on a column of labels and the scores."""
        if predicted is not None:
            own = positive if np.ndim(predicted) == 1 else None  # a table has a column for every class
            with advising("leave those rows out"):
                counts = ScoreCounts.from_scores(
                    counts, predicted, own, labels, sample_weight, probabilities=self.of_probabilities
                )
        elif labels is not None or sample_weight is not None:
            raise InputError(
                f"{self.name} was given labels= or sample_weight= without columns",
                do="give a column of labels and the scores, or count them with ScoreCounts.from_scores",
            )
        seen = self._seen(counts, positive, warn=True)
        policy = Policy.of(undefined)
        value = score_views.evaluate(self.body, seen, self.two_sided, policy)
        if policy.raises and np.isnan(value):
            why = score_views.reason(self.body, seen, self.two_sided)
            raise UndefinedError(f"{self.name} is undefined: {why}.")
        return value

    def exact(
        self, counts: Any, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Fraction | float:
        """Refused: the exact value is one of a matrix."""
        raise InputError(
            f"{self.name} has no exact value",
            found="a measure of scores",
            allowed="measures of a confusion matrix",
        )

    def why_undefined(self, counts: Any, *, positive: Label | None = None) -> str | None:
        """Why has it no value here: words, or None where it has one."""
        return score_views.reason(self.body, self._seen(counts, positive), self.two_sided)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        found = super().__reduce_ex__(protocol)
        # Bodies of rankings are functions: what an operator made is made again.
        return self.recipe if self.recipe is not None and "body" in found[1][-1] else found

    def _seen(self, counts: Any, positive: Label | None, warn: bool = False) -> ScoreCounts:
        """The scores as this measure sees them: of one class against the rest, if it needs that."""
        if not isinstance(counts, ScoreCounts):
            raise InputError(
                f"{self.name} is a measure of scores",
                found="a confusion matrix" if isinstance(counts, Confusion) else type(counts).__name__,
                allowed="ScoreCounts.from_scores(y_true, score, positive=...)",
            )
        if not self.two_sided:
            return counts
        choice = counts.positive_class(positive)
        if warn:
            warn_if_guessed(self, choice)
        return counts.one_vs_rest(choice.label)


def ranking(*, body: Callable[[score_views.TwoSided], Array], **facts: Any) -> Measure:
    """Declare a measure of the scores of a positive class."""
    return declared(ScoreMeasure, body=body, two_sided=True, **facts)


def ranking_of_classes(*, body: Callable[[score_views.Scored], Array], **facts: Any) -> Measure:
    """Declare a measure of the scores of any number of classes."""
    return declared(ScoreMeasure, body=body, **facts)


def body_of(measure: Measure) -> Callable[[Any], Array]:
    """The body of a measure of scores."""
    assert isinstance(measure, ScoreMeasure)
    return measure.body
