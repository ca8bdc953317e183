"""Sections of models over a range of prevalences or costs: who is better where, and where that changes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.counts.labels import Array
from steelyard.judgement.compare.ranges import CostRange, PairAlong, PriorsRange
from steelyard.measures.costs import costs_of_two
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import percent, probability, shown
from steelyard.report.sections import Cell, Section, Sentence, Table, number_columns, words_column

# Models whose pairs are shown; all are in the JSON.
BEST = 3
# Points of the range that have a row of their own.
POINTS = 7


@dataclass(frozen=True)
class _Range:
    """A range in words."""

    at: Array
    place: Callable[[float], str]
    """A point of it."""
    number: Callable[[float], str]
    """A difference."""
    better: str
    everywhere: str
    below: Callable[[str], str]
    against: str = "−"
    """Between the names of two models: a difference, or one in place of the other."""

    def sentence(self, pair: PairAlong) -> str:
        """Who is better where, and where that is significant."""
        if pair.dominates is not None:
            other = pair.second if pair.dominates == pair.first else pair.first
            return f"{pair.dominates} is significantly {self.better} than {other} {self.everywhere}."
        if not pair.difference.any():
            return f"{pair.first} and {pair.second} are equal {self.everywhere}."
        leads = pair.difference[np.flatnonzero(pair.difference)[0]] > 0
        low, high = (pair.first, pair.second) if leads else (pair.second, pair.first)
        if len(pair.flips) > 1:
            return f"{low} and {high} change places at {', '.join(map(self.place, pair.flips))}."
        where = self.below(self.place(pair.flips[0])) if pair.flips else self.everywhere
        words = f"{low} is {self.better} than {high} {where} ({self._significance(pair, low)})"
        if pair.flips:
            words += f"; above that {high} is {self.better} ({self._significance(pair, high)})"
        return f"{words}."

    def _significance(self, pair: PairAlong, model: str) -> str:
        ranges = pair.ranges(model)
        if not ranges:
            return "significant nowhere"
        low, high = ranges[0]
        starts, stops = low <= self.at[0], high >= self.at[-1]
        if starts:
            return "significant everywhere" if stops else f"significant below {self.place(high)}"
        from_low = self.place(low)
        return f"significant above {from_low}" if stops else f"significant {from_low} to {self.place(high)}"

    def section(
        self,
        identity: str,
        title: str,
        pairs: Sequence[PairAlong],
        ranked: Sequence[str],
        heads: tuple[str, ...],
        *notes: str,
    ) -> Section:
        """The pairs of the best models: a sentence on each, and some points of the range."""
        pairs = [pair.starting_with(min(pair.first, pair.second, key=ranked.index)) for pair in pairs]
        best = [pair for pair in pairs if {pair.first, pair.second} <= set(ranked[:BEST])]
        rows = []
        for pair, k in itertools.product(best, np.linspace(0, len(self.at) - 1, POINTS).astype(int).tolist()):
            # Adding 0 turns -0 into 0.
            value, low, high = (
                self.number(float(of[k]) + 0.0) for of in (pair.difference, pair.low, pair.high)
            )
            models, place = f"{pair.first} {self.against} {pair.second}", self.place(float(self.at[k]))
            better = probability(float(pair.probability_better[k]))
            rows.append((models, place, Cell(value, "strong"), f"{low} to {high}", better))
        table = Table((words_column("models"), *number_columns(*heads)), tuple(rows), identity=identity)
        sentences = (Sentence(self.sentence(pair), "strong") for pair in best)
        return Section(title, (*sentences, table, Sentence(" ".join(notes), "soft")), "brief", identity)


def priors_range_section(result: PriorsRange, ranked: Sequence[str]) -> Section:
    """Who is better at which prevalence."""
    metric, level = short_name(result.measure), f"{100 * result.level:g}%"
    note = f"By {metric}, which depends on prevalence. The {level} bands are simultaneous: they hold for all"
    note += " prevalences and pairs at once."
    if not result.depends:
        note = f"{metric} does not depend on prevalence: choose another metric to see where the better model"
        note += " changes."
    words = _Range(
        result.shares,
        percent,
        shown,
        f"better by {metric}",
        "at every prevalence of the range",
        lambda place: f"below a prevalence of {place}",
    )
    ends = " to ".join(percent(float(result.shares[k])) for k in (0, -1))
    title = f"If the prevalence of {quoted(result.label)} is {ends}"
    heads = ("prevalence", "difference", f"{level} band", "P(first better)")
    return words.section("priors-range", title, result.pairs, ranked, heads, note)


def cost_range_section(result: CostRange, ranked: Sequence[str], column: str | None = None) -> Section:
    """Who is cheaper at which costs; where a column holds them, its mean stands for those of all rows."""
    miss, level = f"missing one {quoted(result.positive)} costs", f"{100 * result.level:g}%"

    def place(at: float) -> str:
        """A ratio, or the costs that are given as a range at this part of it."""
        costs = result.costs
        if costs.most is None:
            return number(at)
        there, varied = costs.at(at), np.argwhere(costs.most > costs.fixed)
        cells = ((costs.labels[i], costs.labels[j], float(there.fixed[i, j])) for i, j in varied)
        return ", ".join(f"{truth}>{prediction}={number(cost)}" for truth, prediction, cost in cells)

    if result.of_ratio:
        title, every = "If costs are not known exactly", "ratio of the two costs"
        as_given, alarm = "As given", costs_of_two(result.costs, result.positive)[1]
        if column is not None:
            title = f"If every missed {quoted(result.positive)} cost the same"
            as_given = f"At the mean of {column!r}"
        varied = "cost of a miss / of a false alarm"
        note = f"{as_given}, {miss} {number(result.said or 0)} times a false alarm, which costs {alarm:g} in"
        note += " every row of the table."
    else:
        title, varied, every = f"If {result.costs.words}", "cost", "cost of the range"
        note = f"Models are ranked in the middle of the range, {place(0.5)}."

    def below(end: str) -> str:
        return f"if {miss} less than {end} times a false alarm" if result.of_ratio else f"up to {end}"

    heads = (varied, "saved per row", f"{level} band", "P(first cheaper)")
    bands = f"The {level} bands are simultaneous: they hold for all costs and pairs at once."
    words = _Range(result.at, place, number, "cheaper", f"at every {every}", below, "instead of")
    return words.section("cost-range", title, result.pairs, ranked, heads, note, bands)


def number(value: float) -> str:
    """A ratio or a cost with the digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
