"""Estimates of a comparison: every metric of every model and pair, with intervals and p-values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.judgement.compare.disagreement import Disagreement, class_gains, disagreement
from steelyard.judgement.compare.options import Options
from steelyard.judgement.compare.result import MetricValue, Pair
from steelyard.measures.costs import Costs
from steelyard.measures.measure import Measure, weigh
from steelyard.reading.joint_counts import JointAmounts
from steelyard.uncertainty import resampling
from steelyard.uncertainty.cluster_bootstrap import MOST_DRAWS, drawn_in_groups, intervals_of_one
from steelyard.uncertainty.confidence_limits import (
    biases_of_test_sets,
    is_ratio,
    moves,
    percentiles,
    unbiased_percentiles,
)
from steelyard.uncertainty.differences import (
    Difference,
    Gaps,
    differences,
    drawn_over_folds,
    holm,
    mcnemar_of,
    over_folds,
    stretched,
    value_over_folds,
)
from steelyard.uncertainty.intervals import Interval, interval, within_range
from steelyard.uncertainty.many_model_posterior import draws_that_decide, is_many
from steelyard.uncertainty.per_row_costs import costs_seen, drawn_row_costs
from steelyard.uncertainty.permutation_test import exchangeability_p_values

# Resampling per-row costs draws every row, not every cell, so fewer draws than for counts have to do.
MOST_ROW_COSTS = 2_000
# Cells of drawn matrices up to which every model is drawn alone as well, as `interval` and `evaluate` draw
# it: a model's own interval then does not depend on what it is compared with.
CELLS_DRAWN_ALONE = 10_000_000


def draws_used(joint: JointCounts, options: Options) -> int:
    """The draws asked for, fewer of groups; unasked, with many joint cells, no more than make a clear
    difference clear."""
    draws = resampling.draws_in_use(options.draws, joint.n_classes)
    if options.cluster is not None:
        return min(draws, MOST_DRAWS)
    if options.draws is not None or not is_many(joint):
        return draws
    return min(draws, draws_that_decide(len(joint.models), options.level))


def row_costs_of(
    joint: JointCounts, costs: Costs, amounts: JointAmounts, options: Options
) -> tuple[Array, Array, Array]:
    """Cost per row of each model, where a column holds the costs: observed (M,), simulated (M, draws) and at
    the posterior's mean rates."""
    fixed, times = costs.of_cells(joint.labels), costs.of_cells(joint.labels, costs.times)
    draws = min(MOST_ROW_COSTS, resampling.draws_in_use(options.draws, joint.n_classes))
    how = resampling.Simulation(draws, options.seed, options.design, options.prior)
    drawn, centres = drawn_row_costs(joint, amounts.sums, amounts.squares, fixed, times, how)
    return costs_seen(joint, amounts.sums, fixed, times), drawn, centres


class Estimates:
    """The parts of a comparison that share the data, the settings and the draws: one model of the data
    answers every question."""

    weighted = False
    """Do rows stand for unequal numbers of others? Tests that count rows alike are left out then."""

    def __init__(
        self,
        joint: JointCounts,
        chosen: list[Measure],
        options: Options,
        positive: Label | None,
        row_costs: tuple[Measure, tuple[Array, Array, Array]] | None = None,
    ) -> None:
        self.joint, self.chosen, self.options, self.positive = joint, chosen, options, positive
        self.undefined = options.undefined
        self.draws = draws_used(joint, options)
        pooled = self._weighed(joint.seen)
        self.undefined = resampling.within_draws(options.undefined)
        self.how = resampling.Simulation(
            self.draws, options.seed, options.design, options.prior, options.level, positive, self.undefined
        )
        if joint.folds is None or options.cluster is not None:
            self.by_fold = None
            self.estimates = pooled
            self.centres: dict[str, Array] | None = None
            if options.cluster is not None:
                self.drawn = drawn_in_groups(joint, chosen, self.how)
            else:
                self.drawn = resampling.drawn_values(joint, chosen, self.how, options.method)
            self.paired = self.drawn
            if options.cluster is None and options.method == "posterior":
                self.centres = resampling.central_values(joint, chosen, self.how)
                self.paired = {name: stretched(values, joint) for name, values in self.drawn.items()}
        else:
            self.by_fold, ratio = self._weighed(joint.by_fold()), options.test_to_train
            self.drawn, self.estimates, self.centres = {}, {}, None
            for name, values in self.by_fold.items():
                self.drawn[name] = drawn_over_folds(values, ratio, self.draws, options.seed)
                means = [value_over_folds(row, ratio, options.level, -np.inf, np.inf)[0] for row in values]
                self.estimates[name] = np.array(means)
            self.paired = self.drawn
        self._by_row = None if row_costs is None else row_costs[0].name
        if row_costs is not None:
            # Models are ranked by what their rows cost, not by the mean cost of a class.
            measure, (observed, drawn, centres) = row_costs
            of_rows = ((self.estimates, observed), (self.drawn, drawn), (self.paired, drawn))
            for by_name, by_row in (*of_rows, (self.centres, centres)):
                if by_name is not None:
                    by_name[measure.name] = by_row

    def _weighed(self, matrices: Array) -> dict[str, Array]:
        counts = Confusion(matrices, self.joint.labels)
        return weigh(self.chosen, counts, positive=self.positive, undefined=self.undefined)

    def _range(self, m: Measure) -> tuple[float, float]:
        return m.range.at(2 if m.kind == "two-class" else self.joint.n_classes)

    def unbiased(self, m: Measure) -> Array:
        """The draws of every model (M, draws) less their bias: what ranks and the probability of being best
        come from."""
        drawn = self.paired[m.name]
        if self.centres is None:
            return drawn
        unbiased = []
        for values, centre in zip(drawn, self.centres[m.name], strict=True):
            defined = values[~np.isnan(values)]
            bias = sum(moves(defined, float(centre), self.options.level)) / 2 if len(defined) else 0.0
            unbiased.append(values - bias)
        return np.stack(unbiased)

    def values(self) -> dict[str, dict[str, MetricValue]]:
        """Every measure of every model with its interval."""
        by_model = {}
        for place, model in enumerate(self.joint.models):
            alone, biases = self._alone(place), {}
            if alone is None and self.centres is not None:
                # By how much measures of many classes are too high on such test sets, as `interval` finds it.
                of_many = [m for m in self.chosen if m.kind == "multi-class"]
                biases = biases_of_test_sets(self.joint.only([place]), of_many, self.how)
            by_model[model] = {m.name: self._value(m, place, alone, biases) for m in self.chosen}
        return by_model

    def _alone(self, place: int) -> Mapping[str, Interval] | None:
        """The intervals of one model as `interval` and `evaluate` find them; None where draws of all models
        have to do."""
        options = self.options
        if options.cluster is not None:
            return intervals_of_one(self.joint, place, self.chosen, self.how)
        cells = len(self.joint.models) * self.joint.n_classes**2 * self.draws
        if self.joint.folds is not None or options.method != "posterior" or cells > CELLS_DRAWN_ALONE:
            return None
        return interval(self.joint.matrix(place), self.chosen, **vars(self.how))

    def _value(
        self, m: Measure, place: int, alone: Mapping[str, Interval] | None, biases: Mapping[str, float]
    ) -> MetricValue:
        estimate, level = float(self.estimates[m.name][place]), self.options.level
        if self.by_fold is not None:
            values, ratio = self.by_fold[m.name][place], self.options.test_to_train
            _, low, high = value_over_folds(values, ratio, level, *self._range(m))
            return MetricValue(estimate, low, high, "in fewer than two folds" if math.isnan(low) else None)
        drawn = self.drawn[m.name][place]
        drawn = drawn[~np.isnan(drawn)]
        if math.isnan(estimate):
            why = m.why_undefined(self.joint.matrix(place), positive=self.positive)
            return MetricValue(estimate, math.nan, math.nan, why)
        if not len(drawn):
            return MetricValue(estimate, math.nan, math.nan, "in every draw")
        if alone is not None and m.name != self._by_row and not math.isnan(alone[m.name].low):
            return MetricValue(estimate, alone[m.name].low, alone[m.name].high)
        if self.centres is None or is_ratio(m):
            low, high = percentiles(drawn, level)
        else:
            centre = float(self.centres[m.name][place])
            low, high = unbiased_percentiles(drawn, centre, level, biases.get(m.name, 0.0))
        return MetricValue(estimate, *within_range(m, self.joint.n_classes, estimate, low, high))

    def pairs(self, decider: Measure) -> tuple[Pair, ...]:
        """Every two models, their p-values corrected for the number of pairs, measure by measure."""
        places = list(itertools.combinations(range(len(self.joint.models)), 2))
        by_pair: list[dict[str, Difference]] = [{} for _ in places]
        corrected: list[dict[str, float | None]] = [{} for _ in places]
        for m in self.chosen:
            of_pairs = self._differences(m, places)
            adjusted = iter(holm([each.p_value for each in of_pairs if each.p_value is not None]))
            for k, difference in enumerate(of_pairs):
                by_pair[k][m.name] = difference
                corrected[k][m.name] = None if difference.p_value is None else next(adjusted)
        exchangeable: Sequence[float | None] = [None] * len(places)
        if self.joint.folds is None and decider.name != self._by_row and not self.weighted:
            exchangeable = exchangeability_p_values(self.joint, places, decider, self.how)
        pairs = []
        for k, (a, b) in enumerate(places):
            names, gains = (self.joint.models[a], self.joint.models[b]), class_gains(self.joint, a, b)
            only = (sum(gain.only_first for gain in gains), sum(gain.only_second for gain in gains))
            mcnemar = None if self.weighted else mcnemar_of(*only)
            pairs.append(Pair(*names, by_pair[k], corrected[k], mcnemar, gains, exchangeable[k]))
        return tuple(pairs)

    def _differences(self, m: Measure, places: list[tuple[int, int]]) -> list[Difference]:
        """What this measure says of every pair; of several pairs also the intervals that hold for all at
        once."""
        first, second = np.array(places).T
        options, (least, most) = self.options, self._range(m)
        largest = most - least
        drawn = self.paired[m.name][first] - self.paired[m.name][second]
        if self.by_fold is not None:
            values, how = self.by_fold[m.name], (options.test_to_train, options.level, options.rope, largest)
            pairwise = [over_folds(m, values[a], values[b], *how) for a, b in places]
            gaps = Gaps(drawn[:, ~np.isnan(drawn).any(axis=0)], options.level, None)
        else:
            seen, centres = self.estimates[m.name], None
            if self.centres is not None:
                centres = self.centres[m.name][first] - self.centres[m.name][second]
            observed = (seen[first] - seen[second]).tolist()
            pairwise, gaps = differences(m, observed, drawn, options.level, options.rope, centres)
        if len(places) == 1 or gaps.drawn.shape[1] < 100:
            return pairwise
        for k, (known, low, high) in enumerate(zip(pairwise, *gaps.simultaneous(), strict=True)):
            if not math.isnan(known.low):
                lower = max(-largest, min(float(low), known.low))
                upper = min(largest, max(float(high), known.high))
                pairwise[k] = replace(known, simultaneous_low=lower, simultaneous_high=upper)
        return pairwise

    def difference(self, m: Measure) -> Difference:
        """What this measure says of the first two models."""
        return self._differences(m, [(0, 1)])[0]

    def disagreement(self, pair: Pair) -> Disagreement | None:
        a, b = self.joint.place_of(pair.first), self.joint.place_of(pair.second)
        preferences = [
            (m, pair.differences[m.name].value, pair.is_significant(m, self.options.level))
            for m in self.chosen
        ]
        return disagreement(self.joint, a, b, preferences, self.options.level, self.positive, self.undefined)
