"""Cheapest threshold with per-row costs from a column.

Scores are counted twice, as rows and as sums of the column: at every threshold both cells and their amounts
are known, and with them the cost. Rows are drawn again with their amounts, to say how sure the threshold and
its cost are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.score_columns import numbers
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.costs import Costs, cost_column, expected_cost_of
from steelyard.scores.score_bootstrap import draw_again
from steelyard.scores.threshold_selection import SEEN_BY_A_SAMPLE, AppliedThreshold, BestThreshold
from steelyard.scores.threshold_sweep import ThresholdSweep, matrix_at, sweep
from steelyard.uncertainty.resampling import Design, design_in_use, generator_of

Array = NDArray[Any]
MOST_WORK = 100_000_000
"""Scores times samples: with more scores fewer samples are drawn, never fewer than 20."""


@dataclass(frozen=True, eq=False)
class RowCosts:
    """The cost of a row at every threshold, descending, and what it is made of."""

    swept: ThresholdSweep
    amounts: Array
    """Sums of the amounts in [[tp, fn], [fp, tn]], shape (T, 2, 2)."""
    costs: Costs
    factors: Array
    """By which the two classes are scaled, where other priors were asked for."""

    @property
    def values(self) -> Array:
        return self.cost(np.asarray(self.swept.matrices.counts, dtype=np.float64), self.amounts)

    def cost(self, cells: Array, amounts: Array) -> Array:
        """The cost of a row for cells and their amounts (..., 2, 2)."""
        labels = self.swept.matrices.labels
        fixed, times = self.costs.of_cells(labels), self.costs.of_cells(labels, self.costs.times)
        scale = self.factors[:, None]
        spent = (scale * (cells * fixed + amounts * times)).sum(axis=(-1, -2))
        return np.asarray(spent / (scale * cells).sum(axis=(-1, -2)))


def row_costs(scores: ScoreCounts, amounts: ScoreCounts, costs: Costs, priors: Any = None) -> RowCosts:
    """What a row costs at every threshold; `amounts` are the same scores, weighted by the column."""
    swept = sweep(scores)
    return RowCosts(swept, _amounts_at(amounts, swept.thresholds, swept), costs, _factors(swept, priors))


def cheapest_by_row(
    found: RowCosts,
    place: int | None = None,
    *,
    replicates: int = 200,
    level: float = 0.95,
    seed: int = 0,
    design: Design = "sample",
) -> BestThreshold:
    """The threshold that costs least (or the one at `place`, which was chosen for another reason)."""
    values, swept = found.values, found.swept
    best = int(np.argmin(values)) if place is None else place
    matrix = Confusion(swept.matrices.counts[best], swept.matrices.labels)
    measure = expected_cost_of(found.costs)
    lower = float(swept.thresholds[best + 1]) if best + 1 < len(values) else None
    at = float(swept.thresholds[best])
    if not replicates or place is not None:
        return BestThreshold(at, float(values[best]), measure, matrix, lower, swept.positive)
    number = min(replicates, max(20, MOST_WORK // len(values)))
    places, gains, there = _resampled(found, values, best, number, seed, design_in_use(design) == "fixed")
    optimism = max(0.0, float(gains.mean())) / SEEN_BY_A_SAMPLE
    tail = (1 - level) / 2
    low, high = np.quantile(places, [1 - tail, tail], method="nearest")
    ends = np.quantile(there, [tail, 1 - tail])
    return BestThreshold(
        at,
        float(values[best]),
        measure,
        matrix,
        lower,
        swept.positive,
        threshold_interval=(float(swept.thresholds[low]), float(swept.thresholds[high])),
        value_interval=(float(ends[0]) + SEEN_BY_A_SAMPLE * optimism, float(ends[1]) + optimism),
        level=level,
        optimism=optimism,
        replicates=number,
        design=design_in_use(design),
    )


def applied_by_row(
    chosen: BestThreshold, scores: ScoreCounts, amounts: ScoreCounts, costs: Costs, priors: Any = None
) -> AppliedThreshold:
    """What a row costs at this threshold on other rows."""
    found = row_costs(scores, amounts, costs, priors)
    matrix = matrix_at(scores, chosen.threshold, chosen.positive)
    cells = np.asarray(matrix.counts, dtype=np.float64)
    there = _amounts_at(amounts, np.array([chosen.threshold]), found.swept)[0]
    return AppliedThreshold(chosen, matrix, float(found.cost(cells, there)), None)


def _amounts_at(amounts: ScoreCounts, thresholds: Array, swept: ThresholdSweep) -> Array:
    """The sums of the amounts at each threshold (descending), by side and by what is called."""
    pair = amounts.one_vs_rest(swept.positive).positive_first().ranked()
    rising = thresholds[::-1]
    cells = np.empty((len(thresholds), 2, 2))
    for side, ties in enumerate((pair.positives, pair.negatives)):
        reached, below = ties.cut(rising)
        cells[:, side, 0], cells[:, side, 1] = reached[::-1], below[::-1]
    return cells


def _factors(swept: ThresholdSweep, priors: Any) -> Array:
    if priors is None:
        return np.ones(2)
    if isinstance(priors, Mapping):
        by_text = {str(label): float(value) for label, value in priors.items()}
        wanted = np.array([by_text.get(str(label), 0.0) for label in swept.matrices.labels])
    else:
        wanted = np.array([float(priors), 1 - float(priors)])
    totals = np.asarray(swept.matrices.counts[0], dtype=np.float64).sum(axis=1)
    return np.asarray(wanted / (totals / totals.sum()))


def _resampled(
    found: RowCosts, values: Array, best: int, replicates: int, seed: int, sizes_fixed: bool
) -> tuple[Array, Array, Array]:
    """Of each sample of the rows: the place of its cheapest threshold, how much too cheap that looks, and the
    cost at the threshold that was chosen."""
    rng = generator_of(seed)
    counts = found.swept.matrices.counts
    steps = np.diff(counts[:, :, 0], axis=0, prepend=0)
    sums = np.diff(found.amounts[:, :, 0], axis=0, prepend=0)
    each = np.divide(sums, steps, out=np.zeros(steps.shape), where=steps > 0)
    totals = counts[0].sum(axis=1)
    places, gains, there = [], [], []
    for _ in range(replicates):
        sizes = totals if sizes_fixed else rng.multinomial(int(totals.sum()), totals / totals.sum())
        drawn = np.stack([draw_again(steps[:, side], rng, int(sizes[side])) for side in (0, 1)], axis=1)
        called, spent = np.cumsum(drawn, axis=0), np.cumsum(drawn * each, axis=0)
        cells = np.stack([called, sizes - called], axis=-1).astype(np.float64)
        again = found.cost(cells, np.stack([spent, spent[-1] - spent], axis=-1))
        place = int(np.argmin(again))
        places.append(place)
        gains.append(values[place] - again[place])
        there.append(again[best])
    return np.array(places, dtype=np.intp), np.array(gains), np.array(there)


def named_column(cost: Any) -> str | None:
    """The column that row costs stand in, by its name: folds split the rows, so the column itself will not
    do. None where costs are numbers."""
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
