"""Joint posterior of many models: Gamma draws from tables where almost every row is a cell of its own."""
# Twenty models disagree in tens of thousands of ways, nearly all of them seen once. Each way has a Gamma
# number of its own in every draw, and each model's matrix needs the sums of these numbers. Three things make
# that quick:
#
# - the Gamma numbers of cells that hold a few examples come from a table of 65,536 quantiles of their
#   distribution, read at random places. A table has the mean of the distribution, and all but a
#   ten-thousandth part of its variance;
# - cells are dealt to four hands, and a hand is drawn once for four draws, each time with other draws of the
#   other hands; the prior's mass is a fifth. Every draw has the distribution it should have, and any two
#   share a hand at most; in the tails, where intervals end, 8,000 such draws are worth about 6,000 that share
#   nothing, in the middle 2,800;
# - the sums are a product of matrices. Numbers are whole multiples of 1 / 2048, few enough in a product to be
#   added exactly in single precision: models that differ in nothing a measure sees have equal values,
#   whatever the order of the sums.

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array

# From this many joint cells of several models on, draws are made here.
MANY = 4_096
_UNIT = 2_048
# Cells in one product: their sum is about 2^23 units, single precision is exact up to 2^24.
_ADDED_EXACTLY = 4_096
_STRATA = 1 << 16
_HANDS = 4
# The prior's mass is one more hand.
PRIORS_HAND = _HANDS
# With fewer cells of a class, or more examples in each, drawing them costs less than a table.
_WORTH_A_TABLE, _FEW = 64, 8
_POINTS = 1 << 15
# Beyond it and four times the shape lies less than 1e-14 of a Gamma distribution of shape 8 or less.
_FAR = 45.0
_CELLS_OF_A_BLOCK, _LARGEST_BLOCK, _SMALLEST_BLOCK = 1 << 22, 2_048, 64


def is_many(joint: JointCounts) -> bool:
    """Are there several models with so many joint cells?"""
    return len(joint.models) > 1 and len(joint.counts) >= MANY


def draws_that_decide(models: int, level: float) -> int:
    """How many draws are needed so that a difference can be clear after correcting for all pairs (Holm)?

    >>> draws_that_decide(20, 0.95)
    8000
    """
    # The smallest p-value of B draws is 2 / (B + 1), and it is multiplied by the number of pairs.
    pairs = models * (models - 1) // 2
    return max(2_000, 1_000 * math.ceil(2.1 * pairs / (1 - level) / 1_000))


def block_of_many(joint: JointCounts) -> int:
    """Draws in a block: a function of the problem alone."""
    cells = len(joint.models) * joint.n_classes**2
    return max(_SMALLEST_BLOCK, min(_LARGEST_BLOCK, _CELLS_OF_A_BLOCK // cells))


def masses(joint: JointCounts, weight: Array, random: np.random.Generator, size: int) -> Array:
    """Sums (M, size, C, C) of Gamma numbers of shape counts * weight of the true class, one for each cell."""
    classes = joint.n_classes
    out = np.zeros((len(joint.models), size, classes, classes))
    if joint not in _IN_USE:
        _IN_USE[joint] = list(_class_cells(joint)), {}
    of_classes, tables = _IN_USE[joint]
    for cells in of_classes:
        share = float(weight[cells.label])
        # Cells that have a Gamma number of their own in every draw, then those dealt to hands.
        drawn = random.standard_gamma(cells.counts * share, size=(size, len(cells.counts)))
        sums = _whole(drawn) @ cells.indicators(cells.several, np.float64)
        for count, columns in cells.common:
            if (shape := count * share) not in tables:
                tables[shape] = gamma_table(shape)
            sums += _dealt(cells, columns, count, tables[shape], random, size)
        out[cells.models, :, cells.label, cells.predicted] = sums[:, :-2].T
        errors = out[:, :, cells.label].sum(axis=-1)
        out[:, :, cells.label, cells.label] = sums[:, -1] - errors
    out /= _UNIT
    return out


def _dealt(
    of_class: _ClassCells, cells: Array, count: int, table: Array, random: np.random.Generator, size: int
) -> Array:
    """Sums (size, columns) of cells that hold the same number of examples, dealt to hands."""
    once, most = drawn_once(size), _ADDED_EXACTLY // count
    sums = np.zeros((size, len(of_class.models) + 2))
    for hand in range(_HANDS):
        dealt_cells = cells[hand::_HANDS]
        hand_sums = np.zeros((once, sums.shape[1]))
        for start in range(0, len(dealt_cells), most):
            columns = dealt_cells[start : start + most]
            # Random places in the table, four from each random word.
            number = once * len(columns)
            words = random.integers(0, 1 << 64, size=-(-number // 4), dtype=np.uint64)
            places = words.astype("<u8", copy=False).view("<u2")[:number]
            hand_sums += table.take(places.reshape(once, -1)) @ of_class.indicators(columns, np.float32)
        sums += hand_sums[dealt(hand, size)]
    return sums


def drawn_once(size: int) -> int:
    """How often a hand is drawn for so many draws."""
    return -(-size // _HANDS)


def dealt(hand: int, size: int) -> Array:
    """Which draw of a hand each of so many draws has: every time with other ones of the other hands."""
    once = drawn_once(size)
    draw = np.arange(size)
    return np.asarray((draw % once + draw // once * hand) % once)


def gamma_table(shape: float) -> Array:
    """Quantiles of a Gamma distribution in the middle of 65,536 equal parts of it, in units."""
    # Below shape 1 the density has a pole at 0, which v = x^shape takes away: P(X < x) is the integral of
    # exp(-v^(1/shape)) up to x^shape.
    power = min(shape, 1.0)
    points = np.linspace(0, (_FAR + 4 * shape) ** power, _POINTS)
    values = points ** (1 / power)
    density = np.exp(-values) * values ** max(shape - 1, 0.0)
    below = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    middles = (np.arange(_STRATA) + 0.5) / _STRATA * below[-1]
    quantiles = np.interp(middles, below, points) ** (1 / power)
    return _whole(quantiles * (shape / quantiles.mean())).astype(np.float32)


def _whole(values: Array) -> Array:
    """The same numbers in whole units, at least one; they are written to."""
    values *= _UNIT
    np.rint(values, out=values)
    return np.maximum(values, 1.0, out=values)


@dataclass(frozen=True)
class _ClassCells:
    """The cells of one true class."""

    # An error of a model has a column (`models`, `predicted`); whatever is right shares one more column that
    # nobody reads, and the last column is the sum of all cells.

    label: int
    # Numbers of examples that many cells hold, with those cells: shape (cells, M), the column of each model.
    common: tuple[tuple[int, Array], ...]
    several: Array
    # The other cells, and how many examples they hold.
    counts: Array
    models: Array
    predicted: Array

    def indicators(self, columns: Array, dtype: Any) -> Array:
        """1 where a cell belongs to a column: shape (cells, columns)."""
        belongs = np.zeros((len(columns), len(self.models) + 2), dtype=dtype)
        belongs[np.arange(len(columns))[:, None], columns] = 1
        belongs[:, -1] = 1
        return belongs


# The cells of counts that are still in use, and tables by shape: draws come in many blocks.
_IN_USE: WeakKeyDictionary[JointCounts, tuple[list[_ClassCells], dict[float, Array]]] = WeakKeyDictionary()


def _class_cells(joint: JointCounts) -> Iterator[_ClassCells]:
    """Class by class, the cells and the errors that occur."""
    classes = joint.n_classes
    for label in np.unique(joint.truth).tolist():
        inside = np.flatnonzero(joint.truth == label)
        predictions, counts = joint.predictions[inside], joint.counts[inside]
        errors = np.arange(len(joint.models)) * classes + predictions
        wrong = predictions != label
        occurring = np.unique(errors[wrong])
        columns = np.where(wrong, np.searchsorted(occurring, errors), len(occurring)).astype(np.int32)
        few = np.bincount(counts[counts <= _FEW], minlength=_FEW + 1)
        common = np.flatnonzero(few >= max(_WORTH_A_TABLE, classes)).tolist()
        others = ~np.isin(counts, common)
        of_common = tuple((count, columns[counts == count]) for count in common)
        errors_of = np.divmod(occurring, classes)
        yield _ClassCells(label, of_common, columns[others], counts[others], *errors_of)


_limit_lock = threading.Lock()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Products of matrices stay on the thread that asks for them."""
    # The limit belongs to the process, so whoever sets it must take it away: of two calls at once that each
    # put back what they found, the last to leave would leave a limit behind. The second does without.
    if not _limit_lock.acquire(blocking=False):
        yield
        return
    from threadpoolctl import threadpool_limits

    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        _limit_lock.release()
