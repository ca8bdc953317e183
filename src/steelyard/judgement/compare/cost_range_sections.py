"""What is said of models over a range of costs?"""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.judgement.compare.cost_range import POINTS, CostRange
from steelyard.judgement.compare.first_screen import probability
from steelyard.judgement.compare.priors_range import PairOverShares
from steelyard.report.sections import Cell, Section, Sentence, Table, number_columns, words_column

SHOWN = (0.0, 1 / 3, 5 / 12, 1 / 2, 7 / 12, 2 / 3, 1.0)
"""Parts of the range with a row of their own: of a ratio, what was said and about 3, 10 and 1,000 times
that."""


def cost_range_sections(found: CostRange) -> Iterator[Section]:
    """Who is cheaper where, and where that flips."""
    blocks = [Sentence(words, "strong") for pair in found.pairs for words in _said(found, pair)]
    note = f"The bands hold for all costs and all pairs at once ({100 * found.level:g}%)."
    if found.said is not None:
        note = f"As said, {_miss(found)} {number(found.said)} times a false alarm. {note}"
    if not found.of_ratio:
        note = f"The ranking is that in the middle of the range, {_where(found, 0.5)}. {note}"
    title = "If costs are not known exactly" if found.of_ratio else f"If {found.costs.words}"
    yield Section(title, (*blocks, _table(found), Sentence(note, "soft")), "brief", "cost-range")


def number(value: float) -> str:
    """A ratio or a cost with the digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _miss(found: CostRange) -> str:
    return f"missing one {found.positive} costs"


def _where(found: CostRange, at: float) -> str:
    """A place of the range in words."""
    return f"{number(at)} times a false alarm" if found.of_ratio else ", ".join(_costs_at(found, at))


def _costs_at(found: CostRange, part: float) -> Iterator[str]:
    there, most = found.costs.at(part), found.costs.most
    for i, truth in enumerate(found.costs.labels):
        for j, prediction in enumerate(found.costs.labels):
            if most is not None and most[i, j] > found.costs.fixed[i, j]:
                yield f"{truth}>{prediction}={number(float(there.fixed[i, j]))}"


def _said(found: CostRange, pair: PairOverShares) -> Iterator[str]:
    every = "at every ratio of the two costs" if found.of_ratio else "at every cost of the range"
    if pair.dominates is not None:
        other = pair.second if pair.dominates == pair.first else pair.first
        yield f"{pair.dominates} is cheaper than {other} {every}, surely."
        return
    if not pair.flips:
        if not pair.difference.any():
            yield f"{pair.first} and {pair.second} cost the same {every}."
            return
        first = bool(pair.difference.mean() > 0)
        better, other = (pair.first, pair.second) if first else (pair.second, pair.first)
        yield f"{better} looks cheaper than {other} {every}{_surely(found, pair, better)}."
        return
    low, high = (pair.first, pair.second) if pair.difference[0] > 0 else (pair.second, pair.first)
    at = pair.flips[0]
    if found.of_ratio:
        yield (
            f"{high} is cheaper than {low} where {_miss(found)} more than {_where(found, at)}"
            f"{_surely(found, pair, high)}; below, {low} is{_surely(found, pair, low)}."
        )
    else:
        yield (
            f"{low} is cheaper than {high} up to {_where(found, at)}{_surely(found, pair, low)};"
            f" above, {high} is{_surely(found, pair, high)}."
        )


def _surely(found: CostRange, pair: PairOverShares, model: str) -> str:
    """From where to where that is sure."""
    ranges = found.ranges(pair, model)
    if not ranges:
        return " (nowhere surely)"
    low, high = ranges[0]
    starts, stops = low <= found.at[0], high >= found.at[-1]
    if starts and stops:
        return ", surely"
    if starts:
        return f" (surely below {_short(found, high)})"
    if stops:
        return f" (surely above {_short(found, low)})"
    return f" (surely from {_short(found, low)} to {_short(found, high)})"


def _short(found: CostRange, at: float) -> str:
    return number(at) if found.of_ratio else _where(found, at)


def _table(found: CostRange) -> Table:
    parts = SHOWN if found.of_ratio else (0.0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)
    places = [round(part * (POINTS - 1)) for part in parts]
    rows = [
        (
            f"{pair.first} and {pair.second}",
            number(float(found.at[k])) if found.of_ratio else _where(found, float(found.at[k])),
            Cell(number(float(pair.difference[k]) + 0.0), "strong"),
            f"{number(float(pair.low[k]) + 0.0)} to {number(float(pair.high[k]) + 0.0)}",
            probability(float(pair.probability_better[k])),
        )
        for pair in found.pairs
        for k in places
    ]
    varied = "miss / false alarm" if found.of_ratio else "cost"
    columns = (
        words_column("first and second"),
        *number_columns(varied, "the first saves", "band", "probability"),
    )
    return Table(columns, tuple(rows), identity="cost-range")
