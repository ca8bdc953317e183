"""Choose a decision threshold by cost, by requirements, by review capacity or by a metric."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.libraries import frame_words, is_frame
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.judgement.rules import decider
from steelyard.judgement.sample.strata import is_sample
from steelyard.judgement.threshold.budget import Budget, judged_there, kept_budget, requirements
from steelyard.judgement.threshold.options import Options
from steelyard.judgement.threshold.result import Operating, Threshold
from steelyard.measures import relevance as relevances
from steelyard.measures.catalogue import measure
from steelyard.measures.class_numbers import priors_of_two
from steelyard.measures.costs import Costs, costs_for, measure_of_two
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function
from steelyard.reading.column_names import UnnamedColumnError, naming_candidates
from steelyard.reading.cost_input import CostRules, parse_costs
from steelyard.reading.score_counting import ScoreReading, read_score_counts
from steelyard.scores.requirements import JudgedRequirement, Requirement, aim_unsaid, threshold_under
from steelyard.scores.row_cost_threshold import RowCosts, applied_by_row, cheapest_by_row, row_costs
from steelyard.scores.score_options import AskedScores, read_scores
from steelyard.scores.threshold_selection import AppliedThreshold, BestThreshold, best_threshold
from steelyard.scores.threshold_sweep import ThresholdSweep, sweep

Array = NDArray[Any]
# Shares of the rows that are predicted positive, at which the trade-off is shown.
ALERT_RATES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@public_function(Options)
def threshold(options: Options) -> Threshold:
    """Choose a decision threshold; `data` is a file, a frame, true labels with `score=` their scores, or
    ScoreCounts.

    >>> import steelyard as sy
    >>> chosen = sy.threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], maximise="gmean", replicates=0)
    >>> chosen.best.threshold, round(chosen.best.value, 3)
    (0.8, 0.707)
    """
    source = _source(options)
    with naming_candidates(source, "scores", truth=options.truth, score=options.score):
        _refuse_contradictions(options)
    costs_given = None if options.cost is None else parse_costs(options.cost)
    if costs_given is not None and costs_given.column is not None:
        _refuse_beside_row_costs(options)
    with naming_candidates(source, "scores", truth=options.truth, score=options.score):
        scores = _scores(options, source, options.positive)
    positive = scores.positive_class().label
    # Held-out rows are read before anything is computed: a bad file ends the call early.
    held_out = None if options.apply_to is None else _scores(options, options.apply_to, positive)
    choice = _Choice(options, source, scores, positive, costs_given)
    best, met = choice.best()
    applied = None if held_out is None else choice.applied(best, held_out)
    there = (
        None
        if options.apply_to is None or held_out is None
        else choice.budget(best, options.apply_to, held_out)
    )
    if applied is not None:
        met = tuple(judged_there(required, applied, there) for required in met)
    primary = decider(2) if choice.undecided else None
    return Threshold(
        scores=scores,
        best=best,
        requirements=met,
        budget=choice.budget(best, source, scores),
        budget_held_out=there,
        held_out=applied,
        trade_off=choice.trade_off(best),
        source=_called(source),
        decides_because="" if primary is None else primary.words,
        false_alarms_per_miss=math.nan if primary is None else false_alarms_per_miss(best),
        options=options,
    )


def _source(options: Options) -> Any:
    if (options.data is None) == (options.fit_on is None):
        raise InputError(
            "one file to choose the threshold on is needed",
            found="none"
            if options.data is None
            else f"{options.data} and {parameter('fit_on', options.fit_on)}",
            allowed=f"FILE, or {parameter('fit_on', '...')}",
        )
    source = options.data if options.fit_on is None else options.fit_on
    if is_sample(source):
        raise InputError(
            "a threshold is chosen on rows that count alike",
            found="the columns of an audit sample, whose rows stand for strata of different sizes",
            do=f"evaluate thresholds one by one: steelyard evaluate with {parameter('threshold', '0.5')}",
        )
    return source


def _refuse_contradictions(options: Options) -> None:
    if isinstance(options.score, str) and "*" in options.score:
        raise InputError(
            "a threshold is for one column of scores",
            found=repr(options.score),
            allowed="the name of one column",
            parameter="score",
        )
    if options.score is None and not isinstance(options.data, ScoreCounts):
        raise UnnamedColumnError(
            "there are no scores", found="no column", do=f"name it with {parameter('score', '...')}"
        )
    if options.maximise is not None and options.cost is not None:
        both = f"{parameter('maximise')} and {parameter('cost')}"
        raise InputError("a threshold has one aim", found=both, do="leave one of them out")
    if options.confidence is not None and not 0 < options.confidence < 1:
        raise InputError(
            "the confidence is a probability",
            found=parameter("confidence", options.confidence),
            allowed="above 0 and below 1",
        )
    if options.engine == "spark" and options.bins is not None:
        raise InputError(
            "Spark finds its bins by itself",
            found=parameter("bins"),
            do=f"leave it out, or say how much they may leave open with {parameter('tolerance', '...')}",
        )


def _refuse_beside_row_costs(options: Options) -> None:
    for name in ("weight", "relevance"):
        if getattr(options, name) is not None:
            raise InputError(
                "per-row costs cannot be combined with weights or relevance",
                found=parameter(name),
                do="leave one of them out",
            )


def _scores(
    options: Options,
    source: Any,
    positive: Label | None,
    weight: Any = None,
    weighed: Collection[Label] | None = None,
) -> ScoreCounts:
    """The scores of a source, counted."""
    weight = options.weight if weight is None else weight
    if isinstance(source, ScoreCounts):
        return source
    reading = ScoreReading(options.engine, options.spark_master, options.tolerance, options.exact)
    if isinstance(source, (str, Path)):
        return read_score_counts(
            source,
            options.score,
            options.truth,
            positive,
            weight=weight,
            weighed=weighed,
            missing=options.missing,
            bins=options.bins,
            progress=options.progress,
            reading=reading,
        )
    score_request = AskedScores(options.score, False, None, None, reading)
    return read_scores(
        score_request, source, options.truth, positive, None, weight, options.missing, options.progress
    )


def _called(source: Any) -> str:
    if isinstance(source, (str, Path)):
        return str(source)
    return frame_words(source) if is_frame(source) else "scores"


class _Choice:
    """The threshold that the options ask for, on scores that were read."""

    def __init__(
        self, options: Options, source: Any, scores: ScoreCounts, positive: Label, costs: CostRules | None
    ) -> None:
        self.options, self.scores, self.positive = options, scores, positive
        self.costs: Costs | None = None
        self.row_costs: RowCosts | None = None
        self.column = None if costs is None else costs.column
        if costs is not None:
            self.costs = _at_one_cost(costs_for(costs, scores.labels))
            if self.column is not None:
                amounts = self._amounts(source, self.costs)
                self.row_costs = row_costs(scores, amounts, self.costs, options.priors)
        rows = int(scores.totals.sum())
        alerts = None if options.alerts is None else str(options.alerts)
        self.wanted = requirements(tuple(options.require), alerts, options.budget, source, rows)
        #: Does nothing say what the threshold is for?
        self.undecided = options.maximise is None and options.cost is None and not self.wanted

    def _amounts(self, source: Any, costs: Costs) -> ScoreCounts:
        """The same scores of the classes whose rows cost differently, weighted by the column."""
        by_row = [label for label, times in zip(costs.labels, costs.times, strict=True) if times.any()]
        try:
            return _scores(self.options, source, self.positive, self.column, by_row)
        except InputError as error:
            raise InputError(
                f"the amounts of column {self.column!r} cannot be used",
                found=error.found if error.found is not None else error.what,
                allowed="a number of at least 0 in every row",
                do=error.do if isinstance(error, UnknownNameError) else "",
            ) from error

    def best(self) -> tuple[BestThreshold, tuple[JudgedRequirement, ...]]:
        """The threshold, and how it meets the requirements."""
        options = self.options
        if self.wanted:
            return self._under_requirements(self.wanted)
        if options.confidence is not None:
            raise InputError(
                "a confidence is for requirements",
                found=f"{parameter('confidence')} alone",
                do=f"add a requirement with {parameter('require', '...')}",
            )
        how: dict[str, Any] = {
            key: getattr(options, key) for key in ("replicates", "level", "seed", "design")
        }
        if self.row_costs is not None:
            return cheapest_by_row(self.row_costs, **how), ()
        weights = None
        if options.relevance is not None:
            weights = relevances.parse(options.relevance, self.scores.labels)
        return best_threshold(self.scores, self._aim(), priors=options.priors, relevance=weights, **how), ()

    def _aim(self) -> Measure:
        if self.costs is not None:
            return measure_of_two(self.costs, self.positive)
        return decider(2).measure if self.options.maximise is None else measure(self.options.maximise)

    def _under_requirements(
        self, wanted: list[Requirement]
    ) -> tuple[BestThreshold, tuple[JudgedRequirement, ...]]:
        options = self.options
        for name in ("priors", "relevance"):
            if getattr(options, name) is not None:
                raise InputError(
                    "requirements are judged on the rows as they are",
                    found=parameter(name),
                    do="leave it out, or the requirements",
                )
        if options.level != Options.level and options.apply_to is None:
            raise InputError(
                "requirements have a confidence in place of an interval",
                found=parameter("level", options.level),
                do=f"say {parameter('confidence', options.level)}, or judge the threshold on other rows with"
                f" {parameter('apply_to', '...')}",
                parameter="level",
            )
        has_aim = options.maximise is not None or self.costs is not None
        return threshold_under(
            self.scores,
            wanted,
            self._aim() if has_aim else aim_unsaid(self.scores, wanted, self.positive),
            surely=options.confidence,
            seed=options.seed,
            cost_at=None if self.row_costs is None else self.row_costs.values,
        )

    def trade_off(self, best: BestThreshold) -> tuple[Operating, ...]:
        """The thresholds at round shares of alerts, and the chosen one."""
        prior = _prior_of_positive(self.options.priors, best)
        if self.row_costs is not None:
            return trade_off(self.row_costs.swept, best, self.row_costs.values, prior)
        return trade_off(sweep(self.scores, best.positive), best, prior=prior)

    def applied(self, best: BestThreshold, held_out: ScoreCounts) -> AppliedThreshold:
        """The threshold on held-out rows."""
        if self.row_costs is None or self.costs is None:
            options = self.options
            return best.applied_to(held_out, level=options.level, seed=options.seed, design=options.design)
        amounts = self._amounts(self.options.apply_to, self.costs)
        return applied_by_row(best, held_out, amounts, self.costs, self.options.priors)

    def budget(self, best: BestThreshold, source: Any, scores: ScoreCounts) -> Budget | None:
        """How a review capacity for each value of a column is kept, where a file has that column."""
        options = self.options
        if options.budget is None or not isinstance(source, (str, Path)):
            return None
        return kept_budget(options.budget, str(source), scores, best, options.truth, options.score)


def _at_one_cost(costs: Costs) -> Costs:
    if costs.most is not None:
        raise InputError(
            "a threshold is chosen at one cost",
            found=costs.words,
            do="choose it at both ends of the range, and see how far they are apart",
        )
    return costs


def false_alarms_per_miss(best: BestThreshold) -> float:
    """How many more false alarms lower the metric at its best threshold as much as one more miss does."""
    # Derivatives along the two errors, by differences of a thousandth of an example: G-mean, for one, weighs
    # a miss like (negatives / positives) * (specificity / recall) false alarms.
    tp, fn, fp, tn = (float(cell) for cell in np.asarray(best.matrix.counts, dtype=np.float64).reshape(4))
    # Small against one example, and never so large that a cell becomes negative.
    step = min(1e-3, tp / 2, tn / 2)
    if not step:
        return math.nan
    cells = [[[tp, fn], [fp, tn]], [[tp - step, fn + step], [fp, tn]], [[tp, fn], [fp + step, tn - step]]]
    value, missed, alarmed = (
        float(changed)
        for changed in best.measure(Confusion(np.array(cells), best.matrix.labels), positive=best.positive)
    )
    return (missed - value) / (alarmed - value) if alarmed != value else math.nan


def _prior_of_positive(priors: Any, best: BestThreshold) -> float | None:
    """The prior of the positive class: the precision at the priors of predicting it always."""
    if priors is None:
        return None
    labels = best.matrix.labels
    always = Confusion([[1, 0], [1, 0]] if labels[0] == best.positive else [[0, 1], [0, 1]], labels)
    at = priors_of_two(priors, best.positive, next(label for label in labels if label != best.positive))
    return float(measure("precision").at_priors(at)(always, positive=best.positive))


def trade_off(
    swept: ThresholdSweep, best: BestThreshold, values_at: Array | None = None, prior: float | None = None
) -> tuple[Operating, ...]:
    """The thresholds at round shares of alerts, and the chosen one, fewest alerts first."""
    # `values_at` holds what is optimised at every threshold, where that is no metric of a matrix; with a
    # `prior` of the positive class, shares of alerts are those at that prevalence.
    rows = swept.totals.sum()
    alert_rate = swept.reached.sum(axis=1) / rows
    if prior is not None:
        # The class rates of these rows at the prevalence that was given.
        alert_rate = (swept.reached / swept.totals) @ np.array([prior, 1 - prior])
    # Shares that are less than one row of the file say nothing about a threshold.
    places = {_nearest(alert_rate, rate) for rate in ALERT_RATES if rate * rows >= 1}
    if math.isfinite(best.threshold):
        chosen = len(swept.thresholds) - 1 - _nearest(swept.thresholds[::-1], best.threshold)
    else:
        chosen = 0 if best.threshold > 0 else len(alert_rate) - 1
    order = sorted({*places, chosen})
    matrices = swept.at(order)
    values: Any = None if values_at is None else values_at[order]
    if values is None:
        values = best.measure(matrices, positive=best.positive)
    return tuple(
        Operating(
            threshold=float(swept.thresholds[k]),
            found=float(cells[0, 0]),
            missed=float(cells[0, 1]),
            false_alarms=float(cells[1, 0]),
            alert_rate=float(alert_rate[k]),
            value=float(value),
            chosen=k == chosen,
            prior=prior,
        )
        for k, cells, value in zip(order, matrices.counts, np.atleast_1d(values).tolist(), strict=True)
    )


def _nearest(rising: Array, wanted: float) -> int:
    """The first place of the value that is nearest to the wanted one."""
    above = min(int(np.searchsorted(rising, wanted)), len(rising) - 1)
    below = max(above - 1, 0)
    nearer = below if abs(rising[below] - wanted) <= abs(rising[above] - wanted) else above
    return int(np.searchsorted(rising, rising[nearer]))
