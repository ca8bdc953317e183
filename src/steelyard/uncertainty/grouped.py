"""How sure are we when rows are not independent, or do not count alike?

Several rows of one patient, user, document or day stand or fall together, so groups are drawn again, not
rows. Rows with weights are drawn again as rows, each with its weight. Both are bootstraps; with few groups,
or few rows that carry most of the weight, they are too sure, so the ends are stretched by sqrt(n / (n - 1)) t
/ z, n being the number of groups, or the effective number of rows (sum of weights)² / (sum of squared
weights), of the rarest class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.draws import within_draws
from steelyard.uncertainty.intervals import Interval
from steelyard.uncertainty.limits import percentiles
from steelyard.uncertainty.quantiles import student_quantile

Array = NDArray[Any]
_CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn again: groups of rows, or kinds of rows that share their weight, truth and prediction."""

    labels: tuple[Label, ...]
    matrices: Array
    """Shape (U, C, C): what one unit adds to the confusion matrix."""
    copies: Array
    """Shape (U,): how many such units there are."""
    what: str
    """"groups" or "rows"."""

    @classmethod
    def of_groups(cls, matrices: Sequence[Confusion]) -> Units:
        """Each matrix is a group of its own."""
        return cls(
            matrices[0].labels,
            np.stack([m.counts for m in matrices]).astype(np.float64),
            np.ones(len(matrices), dtype=np.int64),
            "groups",
        )

    @classmethod
    def of_weighted_rows(cls, rows: Sequence[tuple[float, Confusion]]) -> Units:
        """From the rows counted apart for each weight."""
        labels = rows[0][1].labels
        size = len(labels)
        matrices, copies = [], []
        for weight, matrix in rows:
            for i, j in np.argwhere(matrix.counts > 0).tolist():
                one = np.zeros((size, size))
                one[i, j] = weight
                matrices.append(one)
                copies.append(int(matrix.counts[i, j]))
        return cls(labels, np.stack(matrices), np.array(copies), "rows")

    def drawn(self, draws: int, random: np.random.Generator) -> Array:
        """Matrices (draws, C, C) of as many units as there are, drawn with replacement."""
        total = int(self.copies.sum())
        flat = self.matrices.reshape(len(self.matrices), -1)
        out = np.empty((draws, flat.shape[1]))
        step = max(1, _CELLS_AT_ONCE // len(flat))
        for start in range(0, draws, step):
            stop = min(start + step, draws)
            out[start:stop] = random.multinomial(total, self.copies / total, size=stop - start) @ flat
        return out.reshape(draws, len(self.labels), len(self.labels))

    def effective(self) -> float:
        """How many equal units the rarest class is worth: the fewest over classes."""
        parts = self.matrices.sum(axis=2)
        total, squares = self.copies @ parts, self.copies @ parts**2
        return float(min(t * t / s for t, s in zip(total, squares, strict=True) if s > 0))


def unit_intervals(
    units: Units,
    measures: Sequence[Measure],
    *,
    level: float,
    draws: int,
    seed: int,
    positive: Label | None,
    undefined: Undefined,
) -> dict[str, Interval]:
    """The interval of each measure from units drawn again."""
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 3))))
    whole = Confusion(np.tensordot(units.copies, units.matrices, axes=1), units.labels)
    estimates = weigh(measures, whole, positive=positive, undefined=undefined)
    drawn = weigh(
        measures,
        Confusion(units.drawn(draws, random), units.labels),
        positive=positive,
        undefined=within_draws(undefined),
    )
    number = units.effective()
    few = number < 2
    stretch = 1.0 if few else _stretch(number, level)
    return {
        m.name: _interval(m, float(estimates[m.name]), drawn[m.name], units, number, stretch, level)
        for m in measures
    }


def _stretch(number: float, level: float) -> float:
    t, z = student_quantile(0.5 + level / 2, number - 1), NormalDist().inv_cdf(0.5 + level / 2)
    return math.sqrt(number / (number - 1)) * t / z


def _interval(
    measure: Measure, estimate: float, drawn: Array, units: Units, number: float, stretch: float, level: float
) -> Interval:
    method = f"bootstrap of {units.what}"
    values = drawn[~np.isnan(drawn)]
    undefined = len(drawn) - len(values)
    if math.isnan(estimate) or not len(values):
        note = "undefined" if math.isnan(estimate) else "undefined in every draw"
        return Interval(
            measure.name, estimate, math.nan, math.nan, level, method, "sample", len(drawn), undefined, note
        )
    mean = float(values.mean())
    # The draws lie around the estimate plus their bias, and the estimate around the truth plus as much.
    low, high = (2 * estimate - mean + stretch * (end - mean) for end in percentiles(values, level))
    least, greatest = measure.range.at(2 if measure.kind == "two-class" else len(units.labels))
    low, high = max(least, min(low, estimate)), min(greatest, max(high, estimate))
    notes = []
    if number < 20:
        notes.append(f"the rarest class is worth {number:.3g} {units.what} only, so the interval is rough")
    if not high - low > 0:
        notes.append(f"it did not move in any draw of {units.what}")
    if undefined:
        notes.append(f"undefined in {undefined:,} of {len(drawn):,} draws, which are left out")
    return Interval(
        measure.name, estimate, low, high, level, method, "sample", len(drawn), undefined, "; ".join(notes)
    )
