"""Hill climbing: move examples from cell to cell while that brings the values nearer to the printed ones."""

# Branch and bound proves; climbing only finds. Where many matrices fit but boxes must become small before
# that shows (five classes, thousands of examples), it finds a witness sooner, which is then checked in exact
# fractions like any other.

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.counts.labels import Array

Cost = Callable[[Array], tuple[Array, NDArray[np.bool_]]]

MOST_NEIGHBOURS = 500
MOST_TOTALS = 2_000
# Random matrices of which the best is the start of a climb.
STARTS = 64
# Random moves away from a local optimum, and how often without gain before another start.
KICK, MOST_KICKS = 2, 20


def climb(
    known: Sequence[int | None],
    limit: int,
    is_total: bool,
    cost: Cost,
    check: Callable[[tuple[tuple[int, ...], ...]], bool],
    budget: Budget,
    first: Iterator[Array],
) -> tuple[tuple[int, ...], ...] | None:
    """A matrix that passes the check, or None if none was found; the climb begins at those given `first`."""
    # Its classes have the known sizes, or at least one example each and together at most (or exactly)
    # `limit`. `cost` gives, for an array of matrices, how far each is from the aim and whether it seems to
    # fit.
    # A fixed seed: the same question gets the same answer.
    random = np.random.default_rng(len(known))
    fixed = np.array([size is not None for size in known])
    nearby = [partial(_neighbours, fixed=fixed, limit=limit, is_total=is_total, random=random)]
    if not (fixed.any() or is_total):
        nearby.append(partial(_scaled, limit=limit))
    # Iterated local search (Lourenco, Martin and Stuetzle 2003): near a good matrix there are better ones,
    # while another random start is most often worse.
    while not budget.spent(0):
        starts = list(itertools.islice(first, 1))
        starts = starts or [_start(known, limit, is_total, random) for _ in range(STARTS)]
        costs, _ = cost(np.array(starts))
        top, lowest, kicks = starts[int(np.argmin(costs))], np.inf, 0
        matrix, least = top, np.inf
        while kicks <= MOST_KICKS and not budget.spent(0):
            improved = False
            for moved in nearby:
                if improved or not len(candidates := moved(matrix)):
                    break
                costs, fits = cost(candidates)
                for number in np.flatnonzero(fits)[:5]:
                    candidate = tuple(tuple(int(count) for count in row) for row in candidates[number])
                    if check(candidate):
                        return candidate
                best = int(np.argmin(costs))
                if costs[best] < least:
                    matrix, least, improved = candidates[best], costs[best], True
            if improved:
                continue
            # A local optimum: climb on from a random neighbour of the best so far (iterated local search).
            if least < lowest:
                top, lowest, kicks = matrix, least, 0
            kicks += 1
            matrix, least = top, np.inf
            for _ in range(KICK):
                if len(candidates := nearby[0](matrix)):
                    matrix = candidates[int(random.integers(len(candidates)))]
    return None


def _scaled(matrix: Array, limit: int) -> Array:
    """The matrix scaled to other totals."""
    # Metrics hardly change with the scale, but how counts are rounded does: at some of the totals the values
    # may come near enough.
    totals = np.unique(np.linspace(len(matrix), limit, MOST_TOTALS).astype(int))
    scaled = np.rint(matrix * (totals / matrix.sum())[:, None, None]).astype(matrix.dtype)
    allowed = (scaled.sum(axis=2) > 0).all(axis=1) & (scaled.sum(axis=(1, 2)) <= limit)
    return np.asarray(scaled[allowed])


def _start(known: Sequence[int | None], limit: int, is_total: bool, random: np.random.Generator) -> Array:
    """A random matrix, its classes recognised more or less well."""
    count = len(known)
    sizes = np.array([1 if size is None else size for size in known])
    unknown = np.flatnonzero([size is None for size in known])
    if len(unknown):
        spare = limit - int(sizes.sum())
        used = spare if is_total else int(spare * random.random())
        sizes[unknown] += random.multinomial(used, random.dirichlet(np.ones(len(unknown))))
    rows = []
    # Half of the time some classes are predicted more often than others, so that precision and recall differ.
    liked = random.dirichlet(np.full(count, 0.5)) if random.random() < 0.5 else np.full(count, 1 / count)
    for place, size in enumerate(sizes):
        # Weight on the diagonal: published classifiers are better than chance.
        shares = random.dirichlet(np.ones(count)) * liked * count
        shares[place] += random.random() * 2
        rows.append(random.multinomial(size, shares / shares.sum()))
    return np.array(rows)


def _neighbours(
    matrix: Array, fixed: Array, limit: int, is_total: bool, random: np.random.Generator
) -> Array:
    """The matrices in which some examples, few or many, are predicted as another class."""
    # Where class sizes are unknown, also those with examples added, removed, or moved to another class.
    count = len(matrix)
    row, source, target = (index.ravel() for index in np.meshgrid(*[np.arange(count)] * 3, indexing="ij"))
    moves = [(row, source, row, target)]
    free = np.flatnonzero(~fixed)
    if len(free):
        # Examples of one class become examples of another, in the same column.
        a, b, column = (index.ravel() for index in np.meshgrid(free, free, np.arange(count), indexing="ij"))
        moves.append((a, column, b, column))
    # Steps of 1, 2, 4, ... reach any count in a few moves and can still trim the last example.
    steps = [1 << power for power in range(int(matrix.sum(axis=1).max()).bit_length())]
    moved = []
    for rows_from, columns_from, rows_to, columns_to in moves:
        different = (rows_from != rows_to) | (columns_from != columns_to)
        for step in steps:
            movable = different & (matrix[rows_from, columns_from] >= step)
            movable &= (rows_from == rows_to) | (matrix.sum(axis=1)[rows_from] > step)
            chosen = [index[movable] for index in (rows_from, columns_from, rows_to, columns_to)]
            moved.append(np.stack([*chosen, np.full(int(movable.sum()), step)], axis=1))
    changes = np.concatenate(moved)
    if len(changes) > MOST_NEIGHBOURS:
        changes = changes[random.choice(len(changes), MOST_NEIGHBOURS, replace=False)]
    neighbours = np.repeat(matrix[None], len(changes), axis=0)
    at = np.arange(len(changes))
    neighbours[at, changes[:, 0], changes[:, 1]] -= changes[:, 4]
    neighbours[at, changes[:, 2], changes[:, 3]] += changes[:, 4]
    if not len(free) or is_total:
        return neighbours
    # Examples of a class of unknown size are added or removed.
    amounts = np.array([*steps, *(-step for step in steps)])
    i, j, change = (index.ravel() for index in np.meshgrid(free, np.arange(count), amounts, indexing="ij"))
    allowed = (matrix[i, j] + change >= 0) & (matrix.sum(axis=1)[i] + change >= 1)
    allowed = np.flatnonzero(allowed & (matrix.sum() + change <= limit))
    if len(allowed) > MOST_NEIGHBOURS:
        allowed = random.choice(allowed, MOST_NEIGHBOURS, replace=False)
    resized = np.repeat(matrix[None], len(allowed), axis=0)
    resized[np.arange(len(allowed)), i[allowed], j[allowed]] += change[allowed]
    return np.concatenate([neighbours, resized])
