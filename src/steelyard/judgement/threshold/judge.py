"""Choose a decision threshold by cost, by requirements, by review capacity or by a metric."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import frame_words, is_frame
from steelyard.counts.score_columns import LACKING
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.judgement.rules import decider
from steelyard.judgement.sample.strata import is_sample
from steelyard.judgement.threshold.budget import judged_there, kept_budget, reading_of, requirements
from steelyard.judgement.threshold.options import Options
from steelyard.judgement.threshold.result import Operating, Threshold
from steelyard.measures import relevance as relevances
from steelyard.measures.catalogue import measure
from steelyard.measures.class_numbers import checked_priors, priors_of, priors_of_two
from steelyard.measures.costs import Costs, costs_for, measure_of_two
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function, refuse_together
from steelyard.reading.column_names import UnnamedColumnError, naming_candidates
from steelyard.reading.cost_input import CostRules, parse_costs
from steelyard.reading.score_counting import count_amounts
from steelyard.scores.requirements import JudgedRequirement, aim_unsaid, threshold_under
from steelyard.scores.row_cost_threshold import RowCosts, applied_by_row, cheapest_by_row, row_costs
from steelyard.scores.score_options import AskedScores, read_scores
from steelyard.scores.threshold_selection import AppliedThreshold, BestThreshold, best_threshold
from steelyard.scores.threshold_sweep import sweep

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
    if (options.data is None) == (options.fit_on is None):
        both = f"{options.data} and {parameter('fit_on', options.fit_on)}"
        raise InputError(
            "one file to choose the threshold on is needed",
            found="none" if options.data is None else both,
            allowed=f"FILE, or {parameter('fit_on', '...')}",
        )
    source = options.data if options.fit_on is None else options.fit_on
    if is_sample(source):
        raise InputError(
            "a threshold is chosen on rows that count alike",
            found="the columns of an audit sample, whose rows stand for strata of different sizes",
            do=f"evaluate thresholds one by one: steelyard evaluate with {parameter('threshold', '0.5')}",
        )
    with naming_candidates(source, "scores", truth=options.truth, score=options.score):
        costs_given = None if options.cost is None else parse_costs(options.cost)
        _refuse_contradictions(options, costs_given)
        scores = _scores(options, source, options.positive)
    positive = scores.positive_class().label
    # Held-out rows are read before anything is computed: a bad file ends the call early.
    held_out = None if options.apply_to is None else _scores(options, options.apply_to, positive)
    choice = _Choice(options, source, scores, positive, costs_given)
    best, met = choice.best()
    applied = there = None
    if held_out is not None:
        applied, there = (
            choice.applied(best, held_out),
            kept_budget(options, options.apply_to, held_out, best),
        )
        met = tuple(judged_there(required, applied, there) for required in met)
    name = str(source) if isinstance(source, (str, Path)) else "scores"
    primary = decider(2) if choice.undecided else None
    return Threshold(
        scores=scores,
        best=best,
        requirements=met,
        budget=kept_budget(options, source, scores, best),
        budget_held_out=there,
        held_out=applied,
        trade_off=choice.trade_off(best),
        source=frame_words(source) if is_frame(source) else name,
        decides_because="" if primary is None else primary.words,
        false_alarms_per_miss=math.nan if primary is None else false_alarms_per_miss(best),
        options=options,
    )


def _refuse_contradictions(options: Options, costs: CostRules | None) -> None:
    if isinstance(options.score, str) and "*" in options.score:
        what, allowed = "a threshold is for one column of scores", "the name of one column"
        raise InputError(what, found=repr(options.score), allowed=allowed, parameter="score")
    if options.score is None and not isinstance(options.data, ScoreCounts):
        do = f"name it with {parameter('score', '...')}"
        raise UnnamedColumnError("there are no scores", found="no column", do=do)
    if costs is not None and costs.column is not None:
        what = "per-row costs cannot be combined with weights or relevance"
        refuse_together(options, [(what, "weight, relevance with cost")])


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
    request = AskedScores(options.score, False, None, None, reading_of(options))
    how = (None, weight, options.missing, options.progress, weighed, LACKING)
    return read_scores(request, source, options.truth, positive, *how)


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
            self.costs = costs_for(costs, scores.labels)
            if self.costs.most is not None:
                do = "choose it at both ends of the range, and see how far they are apart"
                raise InputError("a threshold is chosen at one cost", found=self.costs.words, do=do)
            if self.column is not None:
                amounts, squares = self._amounts(source, self.costs, scores)
                self.row_costs = row_costs(scores, amounts, self.costs, options.priors, squares)
        self.wanted = requirements(options, source, int(scores.totals.sum()))
        # Does nothing say what the threshold is for?
        self.undecided = options.maximise is None and options.cost is None and not self.wanted

    def _amounts(
        self, source: Any, costs: Costs, scores: ScoreCounts
    ) -> tuple[ScoreCounts, ScoreCounts | None]:
        """The same scores of the classes whose rows cost differently, weighted by the column; where an engine
        counted them, in the same bins, and weighted by its squares too."""
        options, reading = self.options, reading_of(self.options)
        by_row = [label for label, times in zip(costs.labels, costs.times, strict=True) if times.any()]
        stays = reading.reads(source) and not options.exact
        try:
            if not stays or (scores.starts is None and not reading.on_cluster(source)):
                return _scores(options, source, self.positive, self.column, by_row), None
            how: dict[str, Any] = {"missing": options.missing, "tolerance": options.tolerance}
            columns = (str(options.score), options.truth, self.positive, str(self.column))
            with reading.opened(source, options.progress) as table:
                return count_amounts(table, *columns, **how)
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
        aim: Measure | None
        if self.costs is not None:
            aim = measure_of_two(self.costs, self.positive)
        else:
            aim = decider(2).measure if options.maximise is None else measure(options.maximise)
        if self.wanted:
            if options.level != Options.level and options.apply_to is None:
                raise InputError(
                    "requirements have a confidence in place of an interval",
                    found=parameter("level", options.level),
                    do=f"say {parameter('confidence', options.level)}, or judge the threshold on other rows"
                    f" with {parameter('apply_to', '...')}",
                    parameter="level",
                )
            if options.maximise is None and self.costs is None:
                aim = aim_unsaid(self.scores, self.wanted, self.positive)
            values = None if self.row_costs is None else self.row_costs.values
            how: dict[str, Any] = {"surely": options.confidence, "seed": options.seed, "cost_at": values}
            return threshold_under(self.scores, self.wanted, aim, **how)
        if options.confidence is not None:
            alone, require = f"{parameter('confidence')} alone", parameter("require", "...")
            do = f"add a requirement with {require}"
            raise InputError("a confidence is for requirements", found=alone, do=do)
        how = {key: getattr(options, key) for key in ("replicates", "level", "seed", "design")}
        if self.row_costs is not None:
            return cheapest_by_row(self.row_costs, **how), ()
        weights = None
        if options.relevance is not None:
            weights = relevances.parse(options.relevance, self.scores.labels)
        return best_threshold(self.scores, aim, priors=options.priors, relevance=weights, **how), ()

    def trade_off(self, best: BestThreshold) -> tuple[Operating, ...]:
        """The thresholds at round shares of alerts, and the chosen one, fewest alerts first."""
        positive, prior = best.positive, None
        swept = sweep(self.scores, positive) if self.row_costs is None else self.row_costs.swept
        rows = swept.totals.sum()
        alert_rate = np.add(*swept.reached.T, dtype=np.float64)
        alert_rate /= rows
        if self.options.priors is not None:
            other = next(label for label in best.matrix.labels if label != positive)
            priors = checked_priors(priors_of_two(self.options.priors, positive, other))
            prior = priors_of((positive, other), True, priors)[0]
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
        # Costs by row are no metric of a matrix: they are known at every threshold.
        values: Any = (
            best.measure(matrices, positive=positive)
            if self.row_costs is None
            else self.row_costs.values[order]
        )
        points = []
        for k, cells, value in zip(
            order, matrices.counts.tolist(), np.atleast_1d(values).tolist(), strict=True
        ):
            hits, missed, false_alarms = float(cells[0][0]), float(cells[0][1]), float(cells[1][0])
            threshold, rate = float(swept.thresholds[k]), float(alert_rate[k])
            points.append(Operating(threshold, hits, missed, false_alarms, rate, value, k == chosen, prior))
        return tuple(points)

    def applied(self, best: BestThreshold, held_out: ScoreCounts) -> AppliedThreshold:
        """The threshold on held-out rows."""
        if self.row_costs is None or self.costs is None:
            options = self.options
            return best.applied_to(held_out, level=options.level, seed=options.seed, design=options.design)
        amounts, _ = self._amounts(self.options.apply_to, self.costs, held_out)
        return applied_by_row(best, held_out, amounts, self.costs, self.options.priors)


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


def _nearest(rising: Array, wanted: float) -> int:
    """The first place of the value that is nearest to the wanted one."""
    above = min(int(np.searchsorted(rising, wanted)), len(rising) - 1)
    below = max(above - 1, 0)
    nearer = below if abs(rising[below] - wanted) <= abs(rising[above] - wanted) else above
    return int(np.searchsorted(rising, rising[nearer]))
