"""Adaptive bins of scores in a table too large to fetch, with bounds for what they leave open."""

# A score's bin is found by arithmetic that needs no knowledge of the other scores, so one pass counts them
# all inside the engine; a bin tells the lowest and the highest score in it. Every curve is exact at the
# start of a bin, so what a bin leaves open is bounded, and bins that leave too much open are divided
# further.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.ties import Ties
from steelyard.reading import table as ask

# Bins from 0 to 1 (a multiple of 256), as many for all that lies beyond, and the same below 0.
BINS = 16_384
# Times as fine (a power of 2) are bins next to 0 and 1, where most probabilities of rare classes are.
FINER = 32
NEXT_TO = 1 / 256
# Distinct scores up to which they come back as they are.
FEW_SCORES = 50_000
# Passes that divide bins.
MOST_PASSES = 4
# Bins that are divided in one pass, those that leave most open.
MOST_DIVIDED = 2_000
# Bins that come of dividing, in one pass.
PARTS_AT_ONCE = 50_000
TOLERANCE = 1e-4


@dataclass
class Bin:
    """The scores of one column from a lowest to a highest, and how much of each class has them."""

    #: The bin of the first pass that it is, or is a part of.
    first: int
    low: float
    high: float
    amounts: dict[int, float]
    #: Sums of a further column and of its squares, of each class.
    beside: dict[int, Array] = field(default_factory=dict)


def too_wide(column: Sequence[Bin], tolerance: float) -> list[Bin]:
    """The bins to be divided, those that leave most open first: what is left is below the tolerance then."""
    places = {
        place: k for k, place in enumerate(sorted({place for each in column for place in each.amounts}))
    }
    amounts = np.zeros((len(column), len(places)))
    for row, each in zip(amounts, column, strict=True):
        for place, amount in each.amounts.items():
            row[places[place]] = amount
    totals = amounts.sum(axis=0)
    inside = amounts.sum(axis=1)
    everything = totals.sum()
    low, high = (np.array([getattr(each, side) for each in column]) for side in ("low", "high"))
    with np.errstate(invalid="ignore"):
        # Quarters: the difference of two doubles may overflow, that of their quarters cannot.
        scale = high / 4 - low / 4
    dividable = (high > low) & (scale > 0) & np.isfinite(1 / np.where(scale > 0, scale, 1))
    # The area counts pairs of a positive and a negative; only those within one bin are open, and each can be
    # wrong by one half.
    opened = np.zeros(len(column))
    for k in range(len(places)):
        others = everything - totals[k]
        if totals[k] and others:
            pairs = amounts[:, k] / totals[k] * ((inside - amounts[:, k]) / others)
            opened = np.maximum(opened, pairs)
    opened[~dividable] = 0
    order = np.argsort(-opened, kind="stable")
    # Greedy: dividing the bins that leave most open first needs the fewest of them.
    left = opened.sum() - np.cumsum(opened[order])
    if opened.sum() <= tolerance:
        return []
    return [column[i] for i in order[: int(np.argmax(left <= tolerance / 2)) + 1].tolist()]


def together(starts: Iterable[Array | None]) -> Array | None:
    """The starts of the bins of several columns, where one has bins."""
    binned = [edges for edges in starts if edges is not None]
    return np.unique(np.concatenate(binned)) if binned else None


def named(bins: Sequence[Bin]) -> tuple[Array | None, Array | None]:
    """The starts of the bins and of those that hold several scores; None where none does."""
    several = [each.low for each in bins if each.high > each.low]
    if not several:
        return None, None
    return np.array([-np.inf, *(each.low for each in bins)]), np.array(several)


def ties_of(bins: Sequence[Bin], weighted: bool, power: int | None = None) -> dict[int, Ties]:
    """Each class, by its place, with the lowest score of every bin it occurs in."""
    # Where a power is named, with the sums of the further column's first or second one.
    by_class: dict[int, tuple[list[float], list[float]]] = {}
    for each in bins:
        for place, rows in each.amounts.items():
            scores, amounts = by_class.setdefault(place, ([], []))
            scores.append(each.low)
            amounts.append(rows if power is None else each.beside[place][power - 1])
    kind = np.float64 if weighted or power else np.int64
    return {
        place: Ties.of(np.array(scores), np.array(amounts, dtype=kind))
        for place, (scores, amounts) in by_class.items()
    }


def counted_in_bins(
    table: ask.Table,
    truth: str,
    scores: Sequence[str],
    weight: str | None,
    without: ask.Tests,
    tolerance: float,
    place_of: Array,
    beside: str | None,
) -> list[list[Bin]]:
    """The scores of several columns in bins, counted inside an engine, with classes by their place."""
    # `place_of` is the class of each code; `beside` is a column that is added up in the bins.
    # Three steps of growing cost: bins; every score if there are few; bins divided where they leave too much
    # open of the area under the ROC curve of a class.
    code, numbers = ask.Code(truth), [ask.Number(name, lowest=True) for name in scores]
    amount: ask.Aggregate = ask.ROWS if weight is None else ask.Sum(weight)
    without = [*without, *([] if weight is None else [ask.Weightless(weight)])]
    further = [] if beside is None else [ask.Sum(beside), ask.Sum(beside, squared=True)]

    def sums(number: ask.Number) -> list[ask.Aggregate]:
        return [amount, ask.Extreme(number, "least"), ask.Extreme(number, "greatest"), *further]

    questions = [ask.Question([code, ask.ScoreBin(number)], sums(number), without) for number in numbers]
    columns = [
        _bins(place_of, ((c, b, b, *rest) for c, b, *rest in answer)) for answer in table.several(questions)
    ]
    if not any(each.high > each.low for column in columns for each in column):
        return columns
    (different,) = table.groups([], list(map(ask.Distinct, numbers)), without)
    for k, number in enumerate(numbers):
        if max(different) <= FEW_SCORES:
            rows = table.groups([code, ask.ScoreBin(number), number], [amount, *further], without)
            columns[k] = _bins(place_of, ((c, b, at, n, at, at, *rest) for c, b, at, n, *rest in rows))
            continue
        for _ in range(MOST_PASSES):
            chosen = too_wide(columns[k], tolerance)[:MOST_DIVIDED]
            if not chosen:
                break
            pieces = max(16, min(BINS, PARTS_AT_ONCE // len(chosen)))
            intervals = tuple((each.first, each.low, each.high) for each in chosen)
            rows = table.groups([code, ask.IntervalPart(number, intervals, pieces)], sums(number), without)
            gone = set(map(id, chosen))
            columns[k] = [each for each in columns[k] if id(each) not in gone]
            columns[k] += _bins(place_of, ((c, chosen[p // pieces].first, p, *rest) for c, p, *rest in rows))
    return columns


def _bins(place_of: Array, rows: Iterable[tuple[Any, ...]]) -> list[Bin]:
    """The bins of an answer, a row of which tells of one class in one bin."""
    by_key: dict[float, Bin] = {}
    for code, first, key, amount, low, high, *beside in rows:
        place = int(place_of[code])
        each = by_key.setdefault(key, Bin(first, low, high, {}))
        each.low, each.high = min(each.low, low), max(each.high, high)
        each.amounts[place] = each.amounts.get(place, 0) + amount
        if beside:
            each.beside[place] = each.beside.get(place, 0) + np.array(beside, dtype=np.float64)
    return list(by_key.values())
