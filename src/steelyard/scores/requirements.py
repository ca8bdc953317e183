"""Thresholds that meet requirements (recall >= 0.9), with the probability that they hold on new data."""
# A requirement is a metric and a bound: recall of at least 0.8, alerts of at most 0.5% of the rows. Among the
# thresholds that meet every requirement the best one by a metric is taken, or the one with the fewest alerts.
# That a requirement is met on these rows says little at the edge: the probability that new data meet it is
# reported beside it, and with a confidence only thresholds count that reach this probability.

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.scores.threshold_selection import BestThreshold, chosen_at
from steelyard.scores.threshold_sweep import ThresholdSweep, sweep
from steelyard.uncertainty.binomial_intervals import rates_of
from steelyard.uncertainty.resampling import generator_of

# Matrices drawn for each of many thresholds, and for the one that is chosen.
DRAWS, DRAWS_OF_ONE = 1_000, 10_000
# Thresholds among which a sure one is looked for, evenly by the number of alerts.
MOST_THRESHOLDS = 400
# The share of the rows that are predicted positive.
ALERTS = "detection_prevalence"


@dataclass(frozen=True)
class Requirement:
    """A measure that must be at least, or at most, so much."""

    measure: Measure
    at_least: bool
    bound: float
    # The request as written, where that is not a bound of the measure.
    wording: str = ""
    # The name by which the measure was asked for.
    requested: str = ""

    @property
    def name(self) -> str:
        """Of the measure, as it was asked for."""
        return "alerts" if self.measure.id == ALERTS else self.requested or self.measure.name

    @property
    def limit(self) -> str:
        """The bound in words."""
        bound = f"{100 * self.bound:.4g}% of the rows" if self.measure.id == ALERTS else f"{self.bound:g}"
        return f"at {'least' if self.at_least else 'most'} {bound}"

    @property
    def words(self) -> str:
        return self.wording or f"{self.name} {self.limit}"

    def is_met(self, values: Any) -> Any:
        """Where values keep it; what is undefined does not."""
        known = np.nan_to_num(values, nan=-np.inf if self.at_least else np.inf)
        return known >= self.bound - 1e-12 if self.at_least else known <= self.bound + 1e-12


@dataclass(frozen=True)
class JudgedRequirement:
    """How a requirement is kept at the chosen threshold."""

    requirement: Requirement
    value: float
    # That it is kept on new data, by all that these rows say.
    probability: float
    # The measure on held-out rows, where there are some.
    held_out: float | None = None
    # Is it kept on them?
    kept_there: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": self.requirement.measure.name,
            "at_least" if self.requirement.at_least else "at_most": self.requirement.bound,
            "value": None if np.isnan(self.value) else self.value,
            "probability": self.probability,
            "held_out": None
            if self.held_out is None
            else {"value": None if np.isnan(self.held_out) else self.held_out, "kept": self.kept_there},
        }


def requirement(text: str) -> Requirement:
    """'recall>=0.8' or 'fpr<=0.01'; a bound may be given in per cent."""
    number_of = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    match = re.fullmatch(rf"\s*([^<>]+?)\s*(>=|<=)\s*({number_of})\s*(%?)\s*", text)
    if match is None:
        # Requirements one after another are an option each.
        several = [parameter("require", repr(rule.strip())) for rule in re.split(r",(?=[^,]+[<>]=)", text)]
        raise InputError(
            "the requirement is not understood",
            found=repr(text),
            allowed="a metric, >= or <=, and a number, as in 'recall>=0.8'",
            do=f"give each on its own: {' '.join(several)}" if several[1:] else "",
        )
    name, relation, number, cent = match.groups()
    bound = float(number) / (100 if cent else 1)
    measure = look_up(ALERTS if name == "alerts" else name)
    if measure.kind == "scores":
        raise InputError(
            f"{measure.name} is the same at every threshold",
            found="a metric of scores",
            allowed="metrics of a confusion matrix, such as recall",
        )
    lowest, highest = (b if isinstance(b, float | int) else math.nan for b in measure.range)
    if bound > highest if relation == ">=" else bound < lowest:
        raise InputError(
            f"{'the share of alerts' if name == 'alerts' else measure.name} never gets there",
            found=text.strip(),
            allowed=f"{lowest:g} to {highest:g}",
        )
    return Requirement(measure, relation == ">=", bound, requested=name)


def aim_unsaid(
    scores: ScoreCounts, requirements: Sequence[Requirement], positive: Label | None = None
) -> Measure | None:
    """What should be best among the thresholds that keep the requirements? None for the fewest alerts.

    >>> import steelyard as sy
    >>> from steelyard.scores.requirements import aim_unsaid, requirement
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    >>> aim_unsaid(sc, [requirement("precision>=0.6")]).id, aim_unsaid(sc, [requirement("recall>=1")])
    ('recall', None)
    """
    # A recall has its price, so the fewest alerts are wanted. Precision, specificity or few alerts are kept
    # by a single right alert: the fewest alerts would be no answer there, so as much as possible is found.
    two = scores.positive_first(positive)
    positives, negatives = (float(total) for total in two.totals)
    one_alert = Confusion([[1.0, max(positives - 1, 0.0)], [0.0, negatives]], two.labels)
    met = all(bool(rule.is_met(rule.measure(one_alert, positive=two.labels[0]))) for rule in requirements)
    return look_up("recall") if met else None


def threshold_under(
    scores: ScoreCounts,
    requirements: Sequence[Requirement],
    maximise: Measure | str | None = None,
    positive: Label | None = None,
    *,
    surely: float | None = None,
    seed: int = 0,
    cost_at: Array | None = None,
) -> tuple[BestThreshold, tuple[JudgedRequirement, ...]]:
    """The best threshold among those that keep every requirement: by a measure, or by the fewest alerts.

    >>> import steelyard as sy
    >>> from steelyard.scores.requirements import requirement, threshold_under
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    >>> best, _ = threshold_under(sc, [requirement("recall>=1")])
    >>> best.threshold
    0.35
    """
    # With `surely`, a requirement counts as met where new data meet it with that probability or more.
    # `cost_at` holds the cost at every threshold (descending), where `maximise` is a cost that only rows
    # know.
    if scores.is_weighted:
        raise InputError(
            "requirements are judged by rows", found="rows with weights", do="leave the weights out"
        )
    swept = sweep(scores, positive)
    places = np.arange(len(swept.thresholds))
    if surely is not None and len(places) > MOST_THRESHOLDS:
        called = swept.reached.sum(axis=1)
        wanted = np.geomspace(1, float(called[-1]), MOST_THRESHOLDS)
        # Every count of detected positives keeps its highest threshold, which is the best for a recall.
        first_of_count = np.flatnonzero(np.diff(swept.reached[:, 0], prepend=-1))
        evenly = np.minimum(np.searchsorted(called, wanted), len(called) - 1)
        if len(first_of_count) > MOST_THRESHOLDS:
            first_of_count = first_of_count[:: -(-len(first_of_count) // MOST_THRESHOLDS)]
        places = np.unique(np.concatenate([[0], evenly, first_of_count]))
    chosen = look_up(ALERTS if maximise is None else maximise)
    judges = [_Judge(rule, swept, seed) for rule in requirements]
    allowed = np.ones(len(places), dtype=bool)
    for judge in judges:
        if surely is None:
            allowed &= judge.requirement.is_met(judge.values(swept.at(places).counts))
        else:
            allowed &= judge.probabilities(places) >= surely
    if cost_at is None:
        values = np.asarray(chosen(swept.at(places), positive=swept.positive), dtype=np.float64)
    else:
        values = cost_at[places]
    sign = -1.0 if maximise is None or chosen.better == "lower" else 1.0
    ranked = np.argsort(-np.nan_to_num(sign * values, nan=-np.inf), kind="stable")
    for best in ranked[allowed[ranked]].tolist():
        place = int(places[best])
        judged = tuple(judge.at(place) for judge in judges)
        # Draws of many thresholds are few: the one to be chosen is judged again with more of them.
        if surely is None or all(rule.probability >= surely for rule in judged):
            break
    else:
        with_what = "" if surely is None else f" with {100 * surely:g}% confidence"
        raise InputError(
            f"no threshold meets every requirement{with_what}",
            found=" and ".join(rule.words for rule in requirements),
            do="require less, or bring a better classifier or more rows",
        )
    return chosen_at(swept, place, float(values[best]), chosen), judged


@dataclass(frozen=True)
class _Judge:
    """Whether thresholds meet one requirement, on these rows and on new data."""

    requirement: Requirement
    swept: ThresholdSweep
    seed: int

    def at(self, place: int) -> JudgedRequirement:
        """How one threshold meets it."""
        value = float(self.values(self.swept.at(place).counts))
        probability = float(self.probabilities(np.array([place]), DRAWS_OF_ONE)[0])
        return JudgedRequirement(self.requirement, value, probability)

    def probabilities(self, places: Array, draws: int = DRAWS) -> Array:
        """With what probability is it met on new data at each of these thresholds?"""
        # A threshold is an observed score. The share of a class above the k-th highest of its m scores is
        # Beta(k, m + 1 - k), an order statistic (Wilks 1941), and not Jeffreys' Beta(k + 1/2, m - k + 1/2),
        # which would hold if the threshold had been fixed before the scores were seen. A rate that must not
        # be exceeded may reach up to the next score: Beta(k + 1, m - k). Of other metrics matrices are drawn,
        # the threshold's own row counting as a missed positive or as one more alert, whichever is less
        # favourable.
        counts = np.asarray(self.swept.at(places).counts, dtype=np.float64)
        rate = rates_of(self.requirement.measure, counts)
        if rate is not None:
            return self._of_rate(*rate)
        probability = np.ones(len(counts))
        for of_positives in ([0, 1], [1, 0]):
            random = generator_of(self.seed)
            shapes = counts + np.array([of_positives, [1, 0]])
            drawn = random.standard_gamma(shapes, size=(draws, *shapes.shape))
            probability = np.minimum(probability, self.requirement.is_met(self.values(drawn)).mean(axis=0))
        return probability

    def _of_rate(self, hits: Array, total: Array) -> Array:
        from scipy.special import betainc

        bound = min(max(self.requirement.bound, 0.0), 1.0)
        if self.requirement.at_least:
            never = hits == 0
            above = 1 - betainc(np.where(never, 1, hits), total - hits + 1, bound)
            return np.asarray(np.where(never, float(bound <= 0), above))
        always = hits == total
        below = betainc(hits + 1, np.where(always, 1, total - hits), bound)
        return np.asarray(np.where(always, float(bound >= 1), below))

    def values(self, counts: Array) -> Any:
        return self.requirement.measure(Confusion(counts, self.swept.labels), positive=self.swept.positive)
