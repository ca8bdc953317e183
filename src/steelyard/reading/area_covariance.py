"""Covariance of the areas under several models' ROC curves, on a cluster (DeLong's method)."""

# The scores of all models are counted in one pass, in bins. A second pass looks up, for every row and model,
# the part that the row has in the model's area (delong1988: the share of negatives below a positive, of
# positives above a negative, ties half), and adds up products of two models' parts. So rows stay where they
# are, and what comes back is one row a class, whatever the number of rows.

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.labels import Array, Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.reading.adaptive_bins import TOLERANCE, Bin
from steelyard.reading.score_counting import CountedScores, counts_of_bins

if TYPE_CHECKING:
    from steelyard.reading.spark import Lookup, SparkTable

# A row's part in an area is told to this part of either class: bins that lie closer share it.
LEVELS = 1_024


@dataclass(frozen=True)
class CountedAreas:
    """What a cluster tells of several models' scores of the same rows."""

    positive: Label
    positives: int
    negatives: int
    counts: Mapping[str, ScoreCounts]
    #: Of the positives and of the negatives: how many, and what they add to the covariance of the areas under
    #: the ROC curve, (models, models).
    parts: tuple[tuple[float, Array], ...]

    @property
    def covariance(self) -> Array:
        """Of the areas, (models, models)."""
        return np.asarray(sum(covariance for _, covariance in self.parts))


def areas_of_cluster(
    table: SparkTable,
    truth: str | None,
    columns: Mapping[str, str],
    positive: Label | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> CountedAreas:
    """Count the scores of several models (model -> column) on a cluster, and tell how their areas vary
    together."""
    names = list(columns.values())
    scored = CountedScores(table, truth, names, None, "error")
    labels, bins = scored.classes, scored.bins(tolerance)
    counts = {name: counts_of_bins(labels, some, positive) for name, some in zip(columns, bins, strict=True)}
    label = next(iter(counts.values())).positive_class().label
    place = labels.index(label)
    positives = int(sum(each.amounts.get(place, 0) for each in bins[0]))
    negatives = int(sum(sum(each.amounts.values()) for each in bins[0])) - positives
    refuse_few(positives, negatives)
    lookups = [_lookup(some, place) for some in bins]
    parts = _covariances(table.products_of_parts(scored.truth, label, names, lookups), len(names))
    return CountedAreas(label, positives, negatives, counts, tuple(parts))


def refuse_few(positives: int, negatives: int) -> None:
    """Refuse to compare the areas of so few examples."""
    if positives < 2 or negatives < 2:
        raise InputError(
            "too few examples to tell a difference from chance",
            found=f"{positives} positive and {negatives} negative ones",
            allowed="two or more of each",
        )


def _lookup(bins: Sequence[Bin], place: int) -> Lookup:
    """The part of a row in the area, by its score; less the area, so that squares do not cancel."""
    amounts = np.array(
        [
            [each.amounts.get(place, 0), sum(each.amounts.values()) - each.amounts.get(place, 0)]
            for each in bins
        ],
        dtype=np.float64,
    )
    totals = amounts.sum(axis=0)
    if len(bins) <= LEVELS:
        group = np.arange(len(bins))
    else:
        # A lookup table is sent to every worker: a thousand levels of either class bound its size, and move a
        # part by less than a thousandth.
        levels = np.floor((np.cumsum(amounts, axis=0) - amounts) / totals * LEVELS)
        group = np.concatenate([[0], np.cumsum((np.diff(levels, axis=0) > 0).any(axis=1))]).astype(np.intp)
    inside = np.stack([np.bincount(group, weights=side) for side in amounts.T], axis=1)
    below = np.cumsum(inside, axis=0) - inside
    middle = (below + inside / 2) / totals
    area = float(middle[:, 1] @ inside[:, 0] / totals[0])
    of_positive, of_negative = middle[:, 1] - area, 1 - middle[:, 0] - area
    begins: dict[int, list[tuple[float, int]]] = {}
    for each, g in zip(bins, group.tolist(), strict=True):
        pieces = begins.setdefault(each.first, [])
        if not pieces or pieces[-1][1] != g:
            pieces.append((float(each.low) if pieces else -math.inf, g))
    return [
        (first, start, end, float(of_positive[g]), float(of_negative[g]))
        for first, pieces in begins.items()
        for (start, g), end in zip(pieces, [*(start for start, _ in pieces[1:]), math.nan], strict=True)
    ]


def _covariances(rows: Iterable[tuple[Any, ...]], models: int) -> Iterator[tuple[int, Array]]:
    """From the sums and products of the parts of positives, and of negatives: how many, and their
    covariance."""
    upper = np.triu_indices(models)
    for number, *values in rows:
        sums, products = np.array(values[:models], dtype=np.float64), np.zeros((models, models))
        products[upper] = values[models:]
        products += np.triu(products, 1).T
        # delong1988: the covariance of the structural components, divided by the number of examples, is what
        # this class adds to the covariance of the areas.
        covariance = (products - np.outer(sums, sums) / number) / (number - 1) / number
        yield int(number), covariance
