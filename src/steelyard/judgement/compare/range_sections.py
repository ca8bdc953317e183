"""Sections of models over a range of prevalences or costs: who is better where, and where that changes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from steelyard.judgement.compare.ranges import COSTS, CostPair, CostRange, PairAlong, PriorsRange
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import percent, probability, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Folded,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)

P = TypeVar("P", bound=PairAlong)
# Models whose pairs stand on the first screen.
BEST = 3
# Prevalences of the range that have a row of their own.
PREVALENCES = 5
# Ratios with a row of their own: the given one and about 3, 10 and 1,000 times that.
RATIOS = (0.0, 1 / 3, 5 / 12, 1 / 2, 7 / 12, 2 / 3, 1.0)
# Seven points of the curve in the table: both ends, the middle and two between on each side.
STEPS = (0.0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)


def priors_range_sections(result: PriorsRange, ranked: Sequence[str]) -> Iterator[Section]:
    """Who is better at which prevalence."""
    ends = f"{percent(float(result.shares[0]))} to {percent(float(result.shares[-1]))}"
    note = (
        f"By {short_name(result.measure)}. The {100 * result.level:g}% bands are simultaneous: they hold for"
        " all prevalences and all pairs at once."
        if result.depends
        else f"{short_name(result.measure)} does not depend on prevalence: choose another metric to see where"
        " the better model changes."
    )
    points = np.linspace(0, len(result.shares) - 1, PREVALENCES).astype(int).tolist()
    places = {k: percent(float(result.shares[k])) for k in points}
    names = ("prevalence", "difference", f"{100 * result.level:g}% band", "P(first better)")

    def blocks(pairs: Sequence[PairAlong]) -> Iterator[Block]:
        yield from (
            Sentence(f"By {short_name(result.measure)}, {_better_where(pair)}", "strong") for pair in pairs
        )
        yield _table("priors-range", names, pairs, "minus", places, shown)

    title = f"If the prevalence of {quoted(result.label)} is {ends}"
    yield from _sections("priors-range", title, result.pairs, ranked, blocks, note)


def _sections(
    identity: str,
    title: str,
    pairs: Sequence[P],
    ranked: Sequence[str],
    blocks: Callable[[Sequence[P]], Iterator[Block]],
    note: str,
) -> Iterator[Section]:
    """The pairs of the best models, and of many models all pairs below."""
    best = [pair for pair in pairs if {pair.first, pair.second} <= set(ranked[:BEST])]
    yield Section(title, (*blocks(best), Sentence(note, "soft")), "brief", identity)
    if len(pairs) > len(best):
        folded = Folded(f"All {len(pairs)} pairs", tuple(blocks(pairs)))
        yield Section(f"{title}: all pairs", (folded,), identity=f"{identity}-pairs")


def _table(
    identity: str,
    names: Sequence[str],
    pairs: Sequence[PairAlong],
    between: str,
    places: Mapping[int, str],
    written: Callable[[float], str],
) -> Table:
    """Every pair at some points of its range."""
    rows = []
    for pair, (k, place) in itertools.product(pairs, places.items()):
        # Adding 0 turns -0 into 0.
        value, low, high = (written(float(of[k]) + 0.0) for of in (pair.difference, pair.low, pair.high))
        better = probability(float(pair.probability_better[k]))
        models = f"{pair.first} {between} {pair.second}"
        rows.append((models, place, Cell(value, "strong"), f"{low} to {high}", better))
    return Table((words_column("models"), *number_columns(*names)), tuple(rows), identity=identity)


def _better_where(pair: PairAlong) -> str:
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


def cost_range_sections(result: CostRange, ranked: Sequence[str]) -> Iterator[Section]:
    """Who is cheaper at which costs."""
    note = (
        f"The {100 * result.level:g}% bands are simultaneous: they hold for all costs and all pairs at once."
    )
    if result.said is not None:
        note = f"As given, {_miss(result)} {number(result.said)} times a false alarm. {note}"
    if not result.of_ratio:
        note = f"Models are ranked in the middle of the range, {_place(result, 0.5)}. {note}"
    points = [round(fraction * (COSTS - 1)) for fraction in (RATIOS if result.of_ratio else STEPS)]
    places = {k: _place(result, float(result.at[k])) for k in points}
    varied = "miss / false alarm" if result.of_ratio else "cost"
    band = f"{100 * result.level:g}% band"
    names = (varied, "saved per row by the first", band, "P(first cheaper)")

    def blocks(pairs: Sequence[CostPair]) -> Iterator[Block]:
        yield from (Sentence(_cheaper_where(result, pair), "strong") for pair in pairs)
        yield _table("cost-range", names, pairs, "against", places, number)

    title = "If costs are not known exactly" if result.of_ratio else f"If {result.costs.words}"
    yield from _sections("cost-range", title, result.pairs, ranked, blocks, note)


def number(value: float) -> str:
    """A ratio or a cost with the digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _miss(result: CostRange) -> str:
    return f"missing one {quoted(result.positive)} costs"


def _place(result: CostRange, at: float) -> str:
    """A ratio, or the costs that are given as a range at this part of it."""
    costs = result.costs
    if costs.most is None:
        return number(at)
    there, varied = costs.at(at), np.argwhere(costs.most > costs.fixed)
    cells = ((costs.labels[i], costs.labels[j], float(there.fixed[i, j])) for i, j in varied)
    return ", ".join(f"{truth}>{prediction}={number(cost)}" for truth, prediction, cost in cells)


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
    cheaper, other, turn = low, high, f"up to {_place(result, pair.flips[0])}"
    if result.of_ratio:
        ratio = f"{_place(result, pair.flips[0])} times a false alarm"
        cheaper, other, turn = high, low, f"if {_miss(result)} more than {ratio}"
    return (
        f"{cheaper} is cheaper than {other} {turn} ({_significance(result, pair, cheaper)});"
        f" {'below' if result.of_ratio else 'above'} that {other} is cheaper"
        f" ({_significance(result, pair, other)})."
    )


def _significance(result: CostRange, pair: CostPair, model: str) -> str:
    """From where to where the difference is significant."""
    ranges = pair.ranges(model)
    if not ranges:
        return "significant nowhere"
    low, high = ranges[0]
    ends = [_place(result, end) for end in (low, high)]
    starts, stops = low <= result.at[0], high >= result.at[-1]
    if starts and stops:
        return "significant everywhere"
    if starts:
        return f"significant below {ends[1]}"
    return f"significant above {ends[0]}" if stops else f"significant from {ends[0]} to {ends[1]}"
