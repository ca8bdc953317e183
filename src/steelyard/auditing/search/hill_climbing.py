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

from steelyard.counts.labels import Array

Cost = Callable[[Array], tuple[Array, NDArray[np.bool_]]]

MOST_TOTALS = 2_000
# Climbs at a time, and neighbours that each tries: NumPy takes hardly longer for all of them than for one.
CLIMBS, NEIGHBOURS = 16, 48
# Cells of all neighbours of an iteration, at most about.
MOST_CELLS = 1 << 22
# Random matrices for each start of a climb; the best are taken.
RANDOM_STARTS = 8
# Iterations without improvement before a climb counts as at a local optimum; random moves away from one, and
# how often before another start.
MOST_STALLED, KICK, MOST_KICKS = 4, 2, 20


def climb(
    known: Sequence[int | None],
    limit: int,
    is_total: bool,
    cost: Cost,
    check: Callable[[tuple[tuple[int, ...], ...]], bool],
    first: Iterator[Array],
) -> Iterator[tuple[tuple[int, ...], ...] | None]:
    """After each iteration a matrix that passes the check, or None; climbs begin at those given `first`."""
    # Its classes have the known sizes, or at least one example each and together at most (or exactly)
    # `limit`. `cost` gives, for an array of matrices, how far each is from the aim and whether it seems to
    # fit.
    # A fixed seed: the same question gets the same answer.
    random = np.random.default_rng(len(known))
    fixed = np.array([size is not None for size in known])
    moved = partial(_moved, fixed=fixed, limit=limit, is_total=is_total, random=random)
    can_be_scaled = not (fixed.any() or is_total)

    def fitting(candidates: Array, fits: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...] | None:
        for number in np.flatnonzero(fits)[:5]:
            candidate = tuple(tuple(int(count) for count in row) for row in candidates[number])
            if check(candidate):
                return candidate
        return None

    def starts(number: int) -> Array:
        """Where climbs begin: the next that are proposed, and the best of some random matrices."""
        proposed = list(itertools.islice(first, number))
        drawn = np.array([_start(known, limit, is_total, random) for _ in range(RANDOM_STARTS * number)])
        best = np.argsort(cost(drawn)[0], kind="stable")[: number - len(proposed)]
        return np.array([*proposed, *drawn[best]])

    # Iterated local search (Lourenco, Martin and Stuetzle 2003): near a good matrix there are better ones,
    # while another random start is most often worse.
    most = MOST_CELLS // len(known) ** 2
    climbs = max(1, min(CLIMBS, most // NEIGHBOURS))
    neighbours = max(4, min(NEIGHBOURS, most // climbs))
    tops = starts(climbs)
    lowest = np.full(climbs, np.inf)
    matrices, least, stalled, kicks = tops.copy(), lowest.copy(), np.zeros(climbs, int), np.zeros(climbs, int)
    while True:
        candidates = np.repeat(matrices, neighbours, axis=0)
        moved(candidates)
        costs, fits = cost(candidates)
        yield fitting(candidates, fits)
        best = costs.reshape(climbs, -1).argmin(axis=1) + np.arange(climbs) * neighbours
        better = costs[best] < least
        matrices[better], least[better] = candidates[best[better]], costs[best[better]]
        stalled = np.where(better, 0, stalled + 1)
        for at in np.flatnonzero(stalled >= MOST_STALLED):
            if can_be_scaled and len(candidates := _scaled(matrices[at], limit, random)):
                costs, fits = cost(candidates)
                yield fitting(candidates, fits)
                nearest = int(np.argmin(costs))
                if costs[nearest] < least[at]:
                    matrices[at], least[at], stalled[at] = candidates[nearest], costs[nearest], 0
                    continue
            # A local optimum: climb on from a random neighbour of the best so far, or from another start.
            if least[at] < lowest[at]:
                tops[at], lowest[at], kicks[at] = matrices[at], least[at], 0
            kicks[at] += 1
            if kicks[at] > MOST_KICKS:
                (tops[at],), lowest[at], kicks[at] = starts(1), np.inf, 0
            away = tops[at][None].copy()
            for _ in range(KICK if kicks[at] else 0):
                moved(away)
            matrices[at], least[at], stalled[at] = away[0], np.inf, 0


def _scaled(matrix: Array, limit: int, random: np.random.Generator) -> Array:
    """The matrix scaled to other totals."""
    # Metrics hardly change with the scale, but how counts are rounded does: at some of the totals, rounded
    # up or down at random, the values may come near enough.
    totals = np.unique(random.integers(len(matrix), limit + 1, MOST_TOTALS))
    exact = matrix * (totals / matrix.sum())[:, None, None]
    scaled = np.floor(exact + random.random(exact.shape)).astype(matrix.dtype)
    allowed = (scaled.sum(axis=2) > 0).all(axis=1) & (scaled.sum(axis=(1, 2)) <= limit)
    return np.asarray(scaled[allowed])


def _start(known: Sequence[int | None], limit: int, is_total: bool, random: np.random.Generator) -> Array:
    """A random matrix, its classes recognised more or less well."""
    count, sizes, rows = len(known), drawn_sizes(known, limit, is_total, random), []
    # Half of the time some classes are predicted more often than others, so that precision and recall differ.
    liked = random.dirichlet(np.full(count, 0.5)) if random.random() < 0.5 else np.full(count, 1 / count)
    for place, size in enumerate(sizes):
        # Weight on the diagonal: published classifiers are better than chance.
        shares = random.dirichlet(np.ones(count)) * liked * count
        shares[place] += random.random() * 2
        rows.append(random.multinomial(size, shares / shares.sum()))
    return np.array(rows)


def drawn_sizes(
    known: Sequence[int | None], limit: int, is_total: bool, random: np.random.Generator
) -> NDArray[np.int64]:
    """Random sizes of the classes where they are not known."""
    sizes = np.array([1 if size is None else size for size in known])
    unknown = np.flatnonzero([size is None for size in known])
    if len(unknown):
        spare = limit - int(sizes.sum())
        used = spare if is_total else int(spare * random.random())
        sizes[unknown] += random.multinomial(used, random.dirichlet(np.ones(len(unknown))))
    return sizes


def _moved(matrices: Array, fixed: Array, limit: int, is_total: bool, random: np.random.Generator) -> None:
    """Predict some examples of each matrix, few or many, as another class."""
    # Where class sizes are unknown examples are also added, removed, or moved to another class.
    number, count = len(matrices), matrices.shape[1]
    at, free = np.arange(number), np.flatnonzero(~fixed)
    # A cell that is not empty.
    cells = (
        random.random((number, count * count), dtype=np.float32) * (matrices.reshape(number, -1) > 0)
    ).argmax(axis=1)
    row, column = np.divmod(cells, count)
    # Steps of 1, 2, 4, ... reach any count in a few moves and can still trim the last example.
    examples = matrices[at, row, column]
    step = np.left_shift(1, (random.random(number) * (np.floor(np.log2(examples)) + 1)).astype(int))
    to_row, to_column = row.copy(), (column + random.integers(1, count, number)) % count
    resized = np.zeros(number, dtype=bool)
    if len(free):
        kind = random.random(number)
        changes_row = (kind < 0.5) & ~fixed[row]
        to_row[changes_row] = random.choice(free, int(changes_row.sum()))
        to_column[changes_row] = column[changes_row]
        if not is_total:
            resized = changes_row & (kind < 0.25)
    leaves = (to_row != row) | resized
    # No class loses its last example.
    step[leaves] = np.minimum(step, matrices.sum(axis=2)[at, row] - 1)[leaves]
    grows = resized & (random.random(number) < 0.5)
    spare = limit - matrices.sum(axis=(1, 2))
    step[grows] = np.minimum(step, spare)[grows]
    shrinks, moves = resized & ~grows, ~resized
    matrices[at[moves], row[moves], column[moves]] -= step[moves]
    matrices[at[moves], to_row[moves], to_column[moves]] += step[moves]
    matrices[at[grows], row[grows], column[grows]] += step[grows]
    matrices[at[shrinks], row[shrinks], column[shrinks]] -= step[shrinks]
