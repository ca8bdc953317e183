"""Are two models alike in every respect, by a measure that only asks how many of each class are right?

The swap test exchanges the predictions of two models row by row at the toss of a coin (`many_pairs`). Of a
measure such as macro recall or G-mean nothing matters but the rows of which one model alone is right: so many
coins for each class, however many kinds of errors there are, and no matrix has to be filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.measures.arithmetic import Floats
from steelyard.measures.many_classes import NeedsEveryCellError
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.undefined import Policy, Undefined
from steelyard.measures.views import Classes

Array = NDArray[Any]

_NUMBERS_OF_A_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class _Hits:
    """Stands for counts of shape (C, C, batch) of which the sums of rows and the diagonal are known alone:
    whoever asks for a cell is told that it is not here."""

    hits: Array
    actual: Array
    """Both of shape (C, batch)."""

    @property
    def shape(self) -> tuple[int, int, int]:
        return (len(self.hits), *self.hits.shape)

    @property
    def ndim(self) -> int:
        return 3

    def _every_cell(self, *_: Any, **__: Any) -> Never:
        raise NeedsEveryCellError

    __array__ = __array_function__ = __array_ufunc__ = __getitem__ = __iter__ = __len__ = __bool__ = (
        _every_cell
    )
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _every_cell
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _every_cell
    __pow__ = __rpow__ = __neg__ = __abs__ = __matmul__ = __rmatmul__ = _every_cell
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsEveryCellError


class _HitsOfClasses(Classes):
    """Classes of which nobody knows for what their errors were taken."""

    raw: Any

    @cached_property
    def _hits(self) -> Array:
        return np.asarray(self.raw.hits)

    @cached_property
    def _actual(self) -> Array:
        return np.asarray(self.raw.actual)


def values_by_hits(
    measure: Measure, hits: Array, actual: Array, labels: Sequence[Label], undefined: Undefined
) -> Array | None:
    """The measure of matrices with these hits (C, batch) of so many examples (C,); None if it asks for
    more."""
    if not isinstance(measure, MatrixMeasure) or measure.kind != "multi-class":
        return None
    policy = Policy.of(undefined)
    counted: Any = _Hits(hits, np.broadcast_to(actual[:, None], hits.shape))
    try:
        found = measure.body(_HitsOfClasses(counted, labels, Floats(policy)))
    except NeedsEveryCellError:
        return None
    values = np.array(np.broadcast_to(found, hits.shape[1:]), dtype=np.float64)
    if policy.fills:  # as in `runner.evaluate`
        values[np.isnan(values)] = policy.fill
    return values


def gaps_by_hits(
    joint: JointCounts,
    pair: tuple[int, int],
    measure: Measure,
    swaps: int,
    seed: int,
    undefined: Undefined,
) -> Array | None:
    """By how much two models differ in each of so many swaps; None if the measure asks for more than
    hits."""
    first, second = pair
    both = joint.right_together[:, first, second]
    one = joint.hits[first] + joint.hits[second] - 2 * both
    gaps = np.empty(swaps)
    block = max(16, min(swaps, _NUMBERS_OF_A_BLOCK // joint.n_classes))
    for number, start in enumerate(range(0, swaps, block)):
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(number, 1))))
        # a class after the other: what NumPy prepares for a number of coins serves all swaps
        heads = random.binomial(one[:, None], 0.5, size=(len(one), block))[:, : swaps - start]
        hits = np.concatenate([heads, one[:, None] - heads], axis=1) + both[:, None]
        values = values_by_hits(measure, hits, joint.actual, joint.labels, undefined)
        if values is None:
            return None
        of_first, of_second = np.split(values, 2)
        gaps[start : start + len(of_first)] = np.abs(of_first - of_second)
    return gaps
