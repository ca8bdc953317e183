"""Sections of models over a range of prevalences or costs: who is better where, and where that changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from steelyard.judgement.compare.ranges import COSTS, CostPair, CostRange, PairAlong, PriorsRange
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import percent, probability, shown
from steelyard.report.sections import Block, Cell, Section, Sentence, Table, number_columns, words_column

# Prevalences of the range that have a row of their own.
PREVALENCES = 5
# Ratios with a row of their own: the given one and about 3, 10 and 1,000 times that.
RATIOS = (0.0, 1 / 3, 5 / 12, 1 / 2, 7 / 12, 2 / 3, 1.0)
STEPS = (0.0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)


def priors_range_sections(result: PriorsRange) -> Iterator[Section]:
    """Who is better at which prevalence."""
    ends = f"{percent(float(result.shares[0]))} to {percent(float(result.shares[-1]))}"
    sentences = [Sentence(_better_where(result, pair), "strong") for pair in result.pairs]
    note = (
        f"By {short_name(result.measure)}. The {100 * result.level:g}% bands are simultaneous: they hold for"
        " all prevalences and all pairs at once."
        if result.depends
        else f"{short_name(result.measure)} does not depend on prevalence: choose another metric to see where"
        " the better model changes."
    )
    points = np.linspace(0, len(result.shares) - 1, PREVALENCES).astype(int).tolist()
    rows = [
        (
            f"{pair.first} minus {pair.second}",
            percent(float(result.shares[k])),
            Cell(shown(float(pair.difference[k])), "strong"),
            f"{shown(float(pair.low[k]))} to {shown(float(pair.high[k]))}",
            probability(float(pair.probability_better[k])),
        )
        for pair in result.pairs
        for k in points
    ]
    columns = (
        words_column("models"),
        *number_columns("prevalence", "difference", f"{100 * result.level:g}% band", "P(first better)"),
    )
    blocks: tuple[Block, ...] = (
        *sentences,
        Table(columns, tuple(rows), identity="priors-range"),
        Sentence(note, "soft"),
    )
    yield Section(f"If the prevalence of {quoted(result.label)} is {ends}", blocks, "brief", "priors-range")


def _better_where(result: PriorsRange, pair: PairAlong) -> str:
    if pair.dominates is not None:
        other = pair.second if pair.dominates == pair.first else pair.first
        return f"{pair.dominates} is better than {other} everywhere in the range."
    if pair.flips:
        points = ", ".join(percent(share) for share in pair.flips)
        low, high = (pair.first, pair.second) if pair.difference[0] > 0 else (pair.second, pair.first)
        unclear = "; the difference is significant nowhere in the range" if pair.undecided.all() else ""
        return f"{low} is better below a prevalence of {points}, {high} above{unclear}."
    if pair.difference.any():
        better = pair.first if pair.difference.mean() > 0 else pair.second
        share = percent(1 - float(np.mean(pair.undecided)))
        return f"{better} has the better value everywhere in the range, significantly in {share} of it."
    return f"{pair.first} and {pair.second} are equal everywhere in the range."


def cost_range_sections(result: CostRange) -> Iterator[Section]:
    """Who is cheaper at which costs."""
    sentences = [Sentence(_cheaper_where(result, pair), "strong") for pair in result.pairs]
    note = (
        f"The {100 * result.level:g}% bands are simultaneous: they hold for all costs and all pairs at once."
    )
    if result.said is not None:
        note = f"As given, {_miss(result)} {number(result.said)} times a false alarm. {note}"
    if not result.of_ratio:
        note = f"Models are ranked in the middle of the range, {_at(result, 0.5)}. {note}"
    title = "If costs are not known exactly" if result.of_ratio else f"If {result.costs.words}"
    points = [round(fraction * (COSTS - 1)) for fraction in (RATIOS if result.of_ratio else STEPS)]
    rows = [
        (
            f"{pair.first} against {pair.second}",
            number(float(result.at[k])) if result.of_ratio else _at(result, float(result.at[k])),
            Cell(number(float(pair.difference[k]) + 0.0), "strong"),
            f"{number(float(pair.low[k]) + 0.0)} to {number(float(pair.high[k]) + 0.0)}",
            probability(float(pair.probability_better[k])),
        )
        for pair in result.pairs
        for k in points
    ]
    columns = (
        words_column("models"),
        *number_columns(
            "miss / false alarm" if result.of_ratio else "cost",
            "saved per row by the first",
            f"{100 * result.level:g}% band",
            "P(first cheaper)",
        ),
    )
    blocks: tuple[Block, ...] = (
        *sentences,
        Table(columns, tuple(rows), identity="cost-range"),
        Sentence(note, "soft"),
    )
    yield Section(title, blocks, "brief", "cost-range")


def number(value: float) -> str:
    """A ratio or a cost with the digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _miss(result: CostRange) -> str:
    return f"missing one {quoted(result.positive)} costs"


def _at(result: CostRange, at: float) -> str:
    """A point of the range in words."""
    return f"{number(at)} times a false alarm" if result.of_ratio else ", ".join(_costs_at(result, at))


def _costs_at(result: CostRange, position: float) -> Iterator[str]:
    there, most = result.costs.at(position), result.costs.most
    for i, truth in enumerate(result.costs.labels):
        for j, prediction in enumerate(result.costs.labels):
            if most is not None and most[i, j] > result.costs.fixed[i, j]:
                yield f"{truth}>{prediction}={number(float(there.fixed[i, j]))}"


def _cheaper_where(result: CostRange, pair: CostPair) -> str:
    every = "at every ratio of the two costs" if result.of_ratio else "at every cost of the range"
    if pair.dominates is not None:
        other = pair.second if pair.dominates == pair.first else pair.first
        return f"{pair.dominates} is significantly cheaper than {other} {every}."
    if not pair.difference.any():
        return f"{pair.first} and {pair.second} cost the same {every}."
    low, high = (pair.first, pair.second) if pair.difference[0] > 0 else (pair.second, pair.first)
    if not pair.flips:
        better = pair.first if pair.difference.mean() > 0 else pair.second
        other = pair.second if better == pair.first else pair.first
        return f"{better} is cheaper than {other} {every} ({_significance(result, pair, better)})."
    if result.of_ratio:
        return (
            f"{high} is cheaper than {low} if {_miss(result)} more than {_at(result, pair.flips[0])}"
            f" ({_significance(result, pair, high)}); below that {low} is cheaper"
            f" ({_significance(result, pair, low)})."
        )
    return (
        f"{low} is cheaper than {high} up to {_at(result, pair.flips[0])}"
        f" ({_significance(result, pair, low)}); above that {high} is cheaper"
        f" ({_significance(result, pair, high)})."
    )


def _significance(result: CostRange, pair: CostPair, model: str) -> str:
    """From where to where the difference is significant."""
    ranges = pair.ranges(model)
    if not ranges:
        return "significant nowhere"
    low, high = ranges[0]
    ends = [number(end) if result.of_ratio else _at(result, end) for end in (low, high)]
    starts, stops = low <= result.at[0], high >= result.at[-1]
    if starts and stops:
        return "significant everywhere"
    if starts:
        return f"significant below {ends[1]}"
    return f"significant above {ends[0]}" if stops else f"significant from {ends[0]} to {ends[1]}"
