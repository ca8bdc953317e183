"""Cheapest threshold with per-row costs from a column."""
# Scores are counted twice, as rows and as sums of the column: at every threshold both cells and their amounts
# are known, and with them the cost. Rows are resampled with their amounts, for intervals of the threshold and
# its cost are.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.score_bins import MOST_SCORES
from steelyard.counts.score_columns import numbers
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import TwoSides, searched
from steelyard.errors import InputError
from steelyard.measures.costs import Costs, cost_column, expected_cost_of
from steelyard.scores import threshold_selection
from steelyard.scores.threshold_selection import SEEN_BY_A_SAMPLE, AppliedThreshold, BestThreshold
from steelyard.scores.threshold_sweep import AT_ONCE, ThresholdSweep, matrix_at, sweep
from steelyard.uncertainty.resampling import Design, design_in_use, generator_of

# Bins whose rows are looked at together.
BINS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class RowCosts:
    """The cost of a row at every threshold, descending, and what it is made of."""

    # It is linear in four numbers: the positives and the negatives that reach a threshold, and their amounts.

    swept: ThresholdSweep
    # The scores that were swept.
    pair: TwoSides
    # Sums of the amounts of the positives and negatives that reach each threshold, shape (T, 2).
    amounts: Array
    # Sums of the amounts of all positives and of all negatives.
    of_everyone: Array
    costs: Costs
    # By which the two classes are scaled, where other priors were asked for.
    factors: Array
    # Of each threshold: does it begin a bin of several scores, as a cluster counts them?
    several: Array
    # Sums of the squared amounts, as `amounts`; None where rows of one score have its mean.
    squares: Array | None = None

    @cached_property
    def values(self) -> Array:
        """The cost of a row at every threshold."""
        return self.cost(self.swept.reached, self.amounts, self.swept.totals, self.of_everyone)

    def cost(self, reached: Array, amounts: Array, totals: Array, of_everyone: Array) -> Array:
        """The cost of a row for examples (..., 2) that reach a threshold, and their amounts, out of all."""
        left_alone = [rates[:, 1] for rates in self._rates]
        spent = np.full(reached.shape[:-1], totals @ left_alone[0] + of_everyone @ left_alone[1])
        for rates, quantity in zip(self._rates, (reached, amounts), strict=True):
            for side, rate in enumerate((rates[:, 0] - rates[:, 1]).tolist()):
                if rate:
                    spent += rate * quantity[..., side]
        spent /= self.factors @ totals
        return spent

    @cached_property
    def _rates(self) -> tuple[Array, Array]:
        """What a row, and a unit of its amount, costs in [[tp, fn], [fp, tn]]."""
        labels, scale = self.swept.labels, self.factors[:, None]
        return scale * self.costs.of_cells(labels), scale * self.costs.of_cells(labels, self.costs.times)

    def saved_inside(self, offered: Array) -> float:
        """How much cheaper a row could be between two of these thresholds than at all of them, at most."""
        # That is where all rows that are better called come before those that are not.
        steps = np.diff(self.swept.reached[offered], axis=0)
        saved = np.zeros(len(steps))
        for rates, rows in zip(self._rates, (steps, np.diff(self.amounts[offered], axis=0)), strict=True):
            saved += np.minimum(rows * (rates[:, 0] - rates[:, 1]), 0.0).sum(axis=1)
        values = self.values[offered]
        open_inside = (np.diff(offered) > 1) | self.several[offered[1:]]
        inside = values[:-1] + np.where(open_inside, saved, 0.0) / (self.factors @ self.swept.totals)
        return float(max(0.0, values.min() - inside.min()))


def row_costs(
    scores: ScoreCounts,
    amounts: ScoreCounts,
    costs: Costs,
    priors: Any = None,
    squares: ScoreCounts | None = None,
) -> RowCosts:
    """What a row costs at every threshold; `amounts` are the same scores, weighted by the column, `squares`
    by its squares."""
    swept = sweep(scores)
    two = scores.positive_first(swept.positive)
    reached, of_everyone = _amounts_at(amounts, swept.thresholds, swept)
    factors = np.ones(2)
    if priors is not None:
        if isinstance(priors, Mapping):
            by_text = {str(label): float(value) for label, value in priors.items()}
            wanted = np.array([by_text.get(str(label), 0.0) for label in swept.labels])
        else:
            wanted = np.array([float(priors), 1 - float(priors)])
        factors = wanted / (swept.totals / swept.totals.sum())
    squared = None if squares is None else _amounts_at(squares, swept.thresholds, swept)[0]
    several = two.holds_several(swept.thresholds)
    return RowCosts(swept, two.ranked(), reached, of_everyone, costs, factors, several, squared)


def cheapest_by_row(
    costs_at: RowCosts,
    place: int | None = None,
    *,
    replicates: int = 200,
    level: float = 0.95,
    seed: int = 0,
    design: Design = "sample",
) -> BestThreshold:
    """The threshold that costs least (or the one at `place`, which was chosen for another reason)."""
    values, swept = costs_at.values, costs_at.swept
    best = int(np.argmin(values)) if place is None else place
    measure = expected_cost_of(costs_at.costs)
    chosen = threshold_selection.chosen_at(swept, best, float(values[best]), measure)
    offered: Array | None = None
    if len(values) > MOST_SCORES:
        offered = np.union1d(threshold_selection.offered_by_bins(swept, costs_at.pair), [best])
    elif costs_at.several.any():
        offered = np.arange(len(values))
    if offered is not None and (costs_at.several.any() or (replicates and place is None)):
        chosen = replace(chosen, bins=len(offered) - 1, bin_error=costs_at.saved_inside(offered))
    if not replicates or place is not None:
        return chosen
    fixed = design_in_use(design) == "fixed"
    places, gains, there = _resampled(costs_at, best, offered, replicates, seed, fixed)
    optimism = max(0.0, float(gains.mean())) / SEEN_BY_A_SAMPLE
    tail = (1 - level) / 2
    ends = np.quantile(there, [tail, 1 - tail])
    return replace(
        chosen,
        threshold_interval=threshold_selection.interval_of_places(swept, places, offered, level),
        value_interval=(float(ends[0]) + SEEN_BY_A_SAMPLE * optimism, float(ends[1]) + optimism),
        level=level,
        optimism=optimism,
        replicates=replicates,
        design=design_in_use(design),
    )


def applied_by_row(
    chosen: BestThreshold, scores: ScoreCounts, amounts: ScoreCounts, costs: Costs, priors: Any = None
) -> AppliedThreshold:
    """What a row costs at this threshold on other rows."""
    costs_at = row_costs(scores, amounts, costs, priors)
    matrix = matrix_at(scores, chosen.threshold, chosen.positive)
    counts = np.asarray(matrix.counts, dtype=np.float64)
    there, of_everyone = _amounts_at(amounts, np.array([chosen.threshold]), costs_at.swept)
    value = costs_at.cost(counts[:, 0], there[0], counts.sum(axis=1), of_everyone)
    return AppliedThreshold(chosen, matrix, float(value), None)


def _amounts_at(amounts: ScoreCounts, thresholds: Array, swept: ThresholdSweep) -> tuple[Array, Array]:
    """The sums of the amounts that reach each threshold (descending), by side, and those of everyone."""
    pair = amounts.positive_first(swept.positive).ranked()
    reached = np.zeros((2, len(thresholds)))  # a side without amounts takes no memory
    rising = thresholds[::-1]
    for side, ties in enumerate(pair.sides):
        end, above = len(ties.scores), 0.0
        for start in range(0, len(rising) if end else 0, AT_ONCE)[::-1]:
            chunk = slice(start, start + AT_ONCE)
            places = searched(ties.scores, rising[chunk])
            # The amounts of the highest scores below the chunk before, added to those above.
            sums = np.cumsum(np.append(above, ties.counts[places[0] : end][::-1]))
            reached[side, chunk] = sums[end - places]
            end, above = places[0], sums[-1]
    return reached.T[::-1], np.array([pair.positives.total, pair.negatives.total], dtype=np.float64)


def _resampled(
    costs_at: RowCosts, best: int, offered: Array | None, replicates: int, seed: int, sizes_fixed: bool
) -> tuple[Array, Array, Array]:
    """Of each sample: its cheapest place, how much too cheap that looks, and the cost at the chosen one."""
    # Of many scores the samples are drawn in bins, and choose among the thresholds that begin one
    # (`offered`): that costs the same for any number of rows. The amounts of the rows that a sample draws of
    # a bin are normal, with the mean and the spread of the bin's rows.
    rng = generator_of(seed)
    thresholds = np.arange(len(costs_at.amounts)) if offered is None else offered
    totals = costs_at.swept.totals
    steps = np.diff(costs_at.swept.reached[thresholds], axis=0, prepend=0)
    sums = np.diff(costs_at.amounts[thresholds], axis=0, prepend=0)
    each = np.divide(sums, steps, out=np.zeros(steps.shape), where=steps > 0)
    has_spread = offered is not None or costs_at.squares is not None
    spread = np.sqrt(_variances(costs_at, thresholds, steps, each)) if has_spread else None
    chosen = int(np.searchsorted(thresholds, best))
    places, gains, there = [], [], []
    for drawn, sizes in threshold_selection.samples_of(steps, totals, replicates, rng, sizes_fixed):
        spent = drawn * each
        if spread is not None:
            spent += np.sqrt(drawn) * spread * rng.standard_normal(drawn.shape)
        reached, amounts = np.cumsum(drawn, axis=0), np.cumsum(np.maximum(spent, 0.0), axis=0)
        again = costs_at.cost(reached, amounts, sizes, amounts[-1])
        place = int(np.argmin(again))
        places.append(thresholds[place])
        gains.append(costs_at.values[thresholds[place]] - again[place])
        there.append(again[chosen])
    return np.array(places, dtype=np.intp), np.array(gains), np.array(there)


def _variances(costs_at: RowCosts, offered: Array, steps: Array, each: Array) -> Array:
    """The variance of the amounts of the rows in each bin, by side; rows of one score have its mean."""
    variances = np.zeros(steps.shape)
    # A bin ends with the threshold that begins it: it holds the scores after the last one, up to its own.
    starts = np.append(0, offered[:-1] + 1)
    for side in np.flatnonzero(costs_at.of_everyone).tolist():
        of_bin = np.empty(len(starts))
        for first in range(0, len(starts), BINS_AT_ONCE):
            bins = starts[first : first + BINS_AT_ONCE]
            end = starts[first + len(bins)] if first + len(bins) < len(starts) else None
            chunk = (slice(bins[0], end), side)
            if costs_at.squares is None:
                rows, squares = _steps(costs_at.swept.reached, *chunk), _steps(costs_at.amounts, *chunk) ** 2
                np.divide(squares, rows, out=squares, where=rows > 0)
            else:
                squares = _steps(costs_at.squares, *chunk)
            of_bin[first : first + len(bins)] = np.add.reduceat(squares, bins - bins[0])
        filled = steps[:, side] > 0
        variances[filled, side] = of_bin[filled] / steps[filled, side] - each[filled, side] ** 2
    return np.maximum(variances, 0.0)


def _steps(cumulated: Array, chunk: slice, side: int) -> Array:
    before = cumulated[chunk.start - 1, side] if chunk.start else 0
    return np.diff(cumulated[chunk, side], prepend=before)


def named_column(cost: Any) -> str | None:
    """The name of the column that row costs stand in; None where costs are numbers."""
    # Folds split the rows, so the column itself will not do.
    column = cost_column(cost)
    if column is not None and not isinstance(column, str):
        raise InputError(
            "the costs of rows are named by their column",
            found="the column itself",
            do='write its name, as in "fraud>ok=amount", and pass the values by that name',
        )
    return column


def checked_amounts(column_values: Any, column: str, rows: int, do: str) -> Any:
    """The costs of rows as numbers; `do` is what to do where they did not arrive."""
    if column_values is None:
        raise InputError(
            "the costs of the rows are not known", found=f"no column {column!r} in X or by keyword", do=do
        )
    amounts = numbers(column_values, f"the cost column {column!r}").astype(np.float64)
    if len(amounts) != rows or not (np.isfinite(amounts) & (amounts >= 0)).all():
        raise InputError(
            f"the cost column {column!r} cannot be used",
            found=f"{len(amounts):,} values for {rows:,} rows, of which some may be missing or negative",
            allowed="a finite number of at least 0 for each row",
        )
    return amounts
