"""Meet in the middle: list what each half of the classes adds to the values, and join halves that fit."""

# A macro average is a sum over classes, and what a class adds depends on its size, its hits and its false
# alarms alone. One half of the classes is sorted by what it adds, and the other half looks up what it lacks
# (Horowitz and Sahni 1974). So all matrices of a hundred examples are listed, of which hardly any fits four
# digits: climbing does not meet these few, and boxes exclude the others only as single points.

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.checker.expressions import ZERO, Box, Linear, Tree, number, variables_of
from steelyard.auditing.search.hill_climbing import drawn_sizes
from steelyard.auditing.search.interval_arithmetic import Array, Contractor, Seen

Integers = NDArray[np.int64]
Matrix = tuple[tuple[int, ...], ...]
Check = Callable[[Integers, Integers, Integers], Matrix | None]

# Combinations of half of the classes that are listed, at most; where there are more, so many are drawn.
MOST_LISTED, DRAWN = 1 << 18, 1 << 14
# Pairs that are compared at a time, about.
PAIRS = 1 << 16
# Unknown sizes that are all tried, at most; where there are more, steps with each draw of them.
MOST_SIZES, STEPS = 20_000, 100


@dataclass(frozen=True)
class SumsOverClasses:
    """Expressions to each of which every class adds something that depends on its own counts alone."""

    # For each expression and class, what is added; the variables are the sizes of the classes (or numbers in
    # their place), their hits and their false alarms.
    pieces: list[list[Tree]]
    contractor: Contractor

    @classmethod
    def of(cls, trees: Sequence[Tree], classes: int, box: Box) -> SumsOverClasses | None:
        """The expressions as sums; None where one of them is none."""
        pieces = [_by_class(tree, classes) for tree in trees]
        sums = [by_class for by_class in pieces if by_class is not None]
        return cls(sums, Contractor(box)) if len(sums) == len(trees) else None

    def are_alike(self, most: int) -> bool:
        """True if all classes add the same where their counts are the same."""
        counts = np.random.default_rng(0).integers(1, most + 1, (3, 100))
        every = np.ones(len(self.pieces), dtype=bool)
        first, *others = (self.added(every, k, *counts) for k in range(len(self.pieces[0])))
        return all(np.array_equal(first, other, equal_nan=True) for other in others)

    @property
    def alarms_matter(self) -> NDArray[np.bool_]:
        """Which expressions depend on false alarms."""
        alarms = 2 * len(self.pieces[0])
        return np.array([any(v >= alarms for p in of for v in variables_of(p)) for of in self.pieces])

    def added(self, which: NDArray[np.bool_], at: int, size: Any, hits: Any, alarms: Any) -> Array:
        """What a class with these counts adds to some of the expressions, or a row of zeros for none."""
        of_class = np.broadcast_arrays(size, hits, alarms)
        counts = np.zeros((3 * len(self.pieces[0]), of_class[0].size))
        counts[at :: len(self.pieces[0])] = [numbers.ravel() for numbers in of_class]
        values = np.zeros((max(1, which.sum()), *of_class[0].shape))
        for value, place in zip(values, np.flatnonzero(which), strict=False):
            seen = Seen(counts.shape[1])
            with np.errstate(all="ignore"):
                low, high = self.contractor.enclose(self.pieces[place][at], counts, counts, seen)
                middle = (low + high) / 2
            value[:] = np.where(seen.void | ~np.isfinite(middle), np.nan, middle).reshape(value.shape)
        return values


def _by_class(tree: Tree, classes: int) -> list[Tree] | None:
    """A sum as one expression for each class, which depends on its counts alone."""
    form = tree[1] if tree[0] in ("linear", "sum") else number(0)
    terms = {"linear": (), "sum": tree[-1]}.get(tree[0], ((Fraction(1), tree),))
    owners = [{v % classes for v in variables_of(operand)} for _, operand in terms]
    if any(len(of) != 1 for of in owners):
        return None
    return [
        (
            "sum",
            Linear(ZERO if k else form.constant, tuple((v, f) for v, f in form.terms if v % classes == k)),
            tuple(term for term, of in zip(terms, owners, strict=True) if of == {k}),
        )
        for k in range(classes)
    ]


def all_sizes(known: Sequence[int | None], limit: int, is_total: bool) -> Integers | None:
    """All sizes that the classes may have, a row each; None where there are too many."""
    # Classes have the known sizes, or at least one example each and together at most (or exactly) `limit`.
    free = [at for at, size in enumerate(known) if size is None]
    least = np.array([1 if size is None else size for size in known])
    if not free:
        return least[None]
    # Stars and bars: where the bars stand says how the spare examples fall to the classes (or to none).
    bars = len(free) - is_total
    places = limit - int(least.sum()) + bars
    if math.comb(places, bars) > MOST_SIZES:
        return None
    edges = np.array([(-1, *at, places) for at in itertools.combinations(range(places), bars)])
    every = np.tile(least, (len(edges), 1))
    every[:, free] += (np.diff(edges, axis=1) - 1)[:, : len(free)]
    return every


def meet(
    known: Sequence[int | None],
    limit: int,
    sums_of: Callable[[Sequence[int]], SumsOverClasses | None],
    ends: Array,
    check: Check,
    every: Integers | None,
) -> Iterator[Matrix | None]:
    """Matrices that pass the check, and None now and then; ends if no matrix is left."""
    # Their classes have one of `every` sizes or, without these, `limit` examples together; `ends` are the
    # least and the greatest values allowed; `check` gets hits, misses and false alarms.
    random = np.random.default_rng(len(known))
    every = None if every is None else random.permutation(every)
    shares = random.dirichlet(np.ones(len(known)), DRAWN)
    while True:
        complete = every is not None
        for sizes in drawn_sizes(known, limit, True, random)[None] if every is None else every:
            sums = sums_of(sizes.tolist())
            if every is None:
                yield from itertools.islice(_fitting(sizes, sums, ends, check, shares, random), STEPS)
            else:
                complete &= yield from _fitting(sizes, sums, ends, check, shares, random)
        if complete:
            return


def _fitting(
    sizes: Integers,
    sums: SumsOverClasses | None,
    ends: Array,
    check: Check,
    shares: Array,
    random: np.random.Generator,
) -> Generator[Matrix | None, None, bool]:
    """Matrices of these sizes; returns whether there are no others."""
    # False alarms that are drawn fall to the classes by the `shares`.
    yield None
    if sums is None:
        return False
    complete, late = True, sums.alarms_matter
    early_ends, late_ends = (np.array([_rows(end[:, None], of) for end in ends]) for of in (~late, late))
    # Values that false alarms do not change, such as the macro recall, come first: few combinations of hits
    # have them.
    tables = [sums.added(~late, k, size, np.arange(size + 1), 0) for k, size in enumerate(sizes)]
    if _can_be_listed(sizes):
        lists = [_listed(sizes[half]) for half in _halves(sizes)]
    else:
        complete, level = False, 1 + 8 * random.random(DRAWN)
        drawn = random.binomial(sizes[:, None], random.beta(level, 10 - level, (len(sizes), DRAWN)))
        lists = [drawn[half] for half in _halves(sizes)]
    # One half in random order, so that the first blocks hold some of every kind.
    lists[0] = lists[0][:, random.permutation(lists[0].shape[1])]
    for block in _combinations(tables, _halves(sizes), lists, early_ends):
        yield None
        misses = sizes[:, None] - block
        errors = misses.sum(axis=0)
        # Misses and false alarms of a class are different errors.
        most = errors - misses
        tables, rows = [], []
        for k, size in enumerate(sizes):
            hits, row = np.unique(block[k], return_inverse=True)
            alarms = np.arange(most[k].max(initial=0) + 1)
            tables.append(sums.added(late, k, size, hits[:, None], alarms))
            rows.append(row)
        # The number of false alarms and the first value as one number: sums of values stay below the scale.
        most_added = 1 + sum(np.nanmax(np.abs(table), initial=0) for table in tables)
        scale = 4 * most_added
        for table in tables:
            table[0] += scale * np.arange(table.shape[2])
        for at in random.permutation(block.shape[1]):
            of_hits = [table[:, row[at]] for table, row in zip(tables, rows, strict=True)]
            groups = _halves(most[:, at])
            if _can_be_listed(most[:, at]):
                lists = [_listed(most[half, at]) for half in groups]
                lists = [alarms[:, alarms.sum(axis=0) <= errors[at]] for alarms in lists]
            else:
                complete = False
                drawn = random.multinomial(errors[at], shares).T
                drawn = drawn[:, (drawn <= most[:, [at]]).all(axis=0)]
                lists = [drawn[half] for half in groups]
            wanted = np.clip(late_ends, -most_added, most_added)
            wanted[:, 0] += scale * errors[at]
            for fitting in _combinations(of_hits, groups, lists, wanted):
                yield None
                for alarms in fitting.T:
                    yield check(block[:, at], misses[:, at], alarms)
    return complete


def _rows(values: Array, which: NDArray[np.bool_]) -> Array:
    """Some of the rows, or zeros where there are none."""
    return values[which] if which.any() else np.zeros_like(values[:1])


def _halves(most: Integers) -> list[list[int]]:
    """The classes in two groups with about as many combinations of counts; the larger group first."""
    halves: list[list[int]] = [[], []]
    for k in np.argsort(-most, kind="stable").tolist():
        min(halves, key=lambda half: (_number(most[half]), len(half))).append(k)
    return sorted(halves, key=lambda half: -_number(most[half]))


def _number(most: Integers) -> int:
    """The number of combinations of 0 to `most`."""
    return math.prod((most + 1).tolist())


def _can_be_listed(most: Integers) -> bool:
    """True if the combinations of 0 to `most` of either half of the classes can be listed."""
    return _number(most[_halves(most)[0]]) <= MOST_LISTED


def _listed(most: Integers) -> Integers:
    """All combinations of 0 to `most`, a column each."""
    return np.indices((most + 1).tolist()).reshape(len(most), -1)


def _combinations(
    tables: Sequence[Array], halves: Sequence[list[int]], lists: Sequence[Integers], ends: Array
) -> Iterator[Integers]:
    """What is listed of both halves and adds up, by the tables, to between the ends; in blocks."""
    left, right = (
        np.sum([tables[k][:, counts] for k, counts in zip(half, listed, strict=True)], axis=0)
        for half, listed in zip(halves, lists, strict=True)
    )
    low, high = ends
    # More than the rounding of all sums.
    margin = 1e-12 * (1 + sum(np.nanmax(np.abs(t), axis=1, initial=0, keepdims=True) for t in (left, right)))
    low, high = low - margin, high + margin
    order = np.argsort(right[0], kind="stable")
    keys = right[0, order]
    begin = np.searchsorted(keys, low[0] - left[0])
    end = np.searchsorted(keys, high[0] - left[0], side="right")
    upto = np.concatenate([[0], np.cumsum(end - begin)])
    at = 0
    while at < left.shape[1]:
        to = max(at + 1, int(np.searchsorted(upto, upto[at] + PAIRS)) - 1)
        pairs = np.diff(upto[at : to + 1])
        i = np.repeat(np.arange(at, to), pairs)
        j = order[np.arange(upto[at], upto[to]) + np.repeat((begin - upto[:-1])[at:to], pairs)]
        sums = left[:, i] + right[:, j]
        fits = ((sums >= low) & (sums <= high)).all(axis=0)
        block = np.empty((len(tables), int(fits.sum())), dtype=np.int64)
        for half, listed, columns in zip(halves, lists, (i, j), strict=True):
            block[half] = listed[:, columns[fits]]
        yield block
        at = to
