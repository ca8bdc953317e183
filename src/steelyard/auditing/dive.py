"""Do these inequalities have a point in integers? One variable after the other is fixed, in whole numbers.

For few variables and inequalities this is quicker than halving thousands of boxes at once: after every
choice the inequalities shrink what is left for the others, and a choice that leaves nothing is taken back.
Everything is computed in Python's integers, so there is nothing to round.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.auditing.problem import Problem
from steelyard.auditing.search import Outcome

MOST_TRIED = 40
"""Choices that are tried before it is left to others."""

_Row = tuple[list[tuple[int, int]], int, int]
_Box = tuple[list[int], list[int]]


def dive(problem: Problem) -> Outcome | None:
    """A point of a linear problem, or that there is none; None if neither was found soon."""
    if problem.contradicts_itself():
        return Outcome("none", complete=True, boxes=1)
    rows = [
        (
            [(v.place, int(c)) for v, c in row.form.terms.items()],
            row.least - int(row.form.constant),
            row.most - int(row.form.constant),
        )
        for row in problem.rows
    ]
    box = ([v.least for v in problem.variables], [v.most for v in problem.variables])
    waiting: list[_Box] = [box]
    tried = 0
    while waiting:
        low, high = waiting.pop()
        tried += 1
        if tried > MOST_TRIED:
            return None
        if not _shrink(rows, low, high):
            continue
        place = _next(rows, low, high)
        if place is None:
            point = tuple(low)
            if problem.check(point):
                return Outcome("found", point, None, 1, False, tried)
            return None
        # The middle leaves the others the most room; what lies beside it waits, the farther part longer.
        middle = (low[place] + high[place]) // 2
        for a, b in ((low[place], middle - 1), (middle + 1, high[place]), (middle, middle)):
            if a <= b:
                less, more = low.copy(), high.copy()
                less[place], more[place] = a, b
                waiting.append((less, more))
    return Outcome("none", complete=True, boxes=tried)


def _ends(terms: Sequence[tuple[int, int]], low: Sequence[int], high: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest value of a sum over a box."""
    lowest = highest = 0
    for v, c in terms:
        if c > 0:
            lowest += c * low[v]
            highest += c * high[v]
        else:
            lowest += c * high[v]
            highest += c * low[v]
    return lowest, highest


def _next(rows: Sequence[_Row], low: Sequence[int], high: Sequence[int]) -> int | None:
    """The open variable that moves an inequality the most; None if whatever is open fulfils all of them."""
    widest, chosen = 0.0, None
    for terms, least, most in rows:
        lowest, highest = _ends(terms, low, high)
        if lowest >= least and highest <= most:
            continue
        for v, c in terms:
            moved = abs(c) * (high[v] - low[v]) / (most - least + 1)
            if moved > widest:
                widest, chosen = moved, v
    return chosen


def _shrink(rows: Sequence[_Row], low: list[int], high: list[int]) -> bool:
    """Shrink a box, in place, to what the inequalities leave of it; False if that is nothing."""
    for _ in range(20):
        changed = False
        for terms, least, most in rows:
            lowest, highest = _ends(terms, low, high)
            if highest < least or lowest > most:
                return False
            if lowest >= least and highest <= most:
                continue
            for v, c in terms:
                a, b = low[v], high[v]
                if a == b:
                    continue
                # What the other terms leave for c * x: from least - (highest - own) to most - (lowest - own).
                up, down = (b, a) if c > 0 else (a, b)
                from_below, from_above = least - highest + c * up, most - lowest + c * down
                if c > 0:
                    less, more = -(-from_below // c), from_above // c
                else:
                    less, more = -(from_above // -c), -from_below // -c
                if less > a or more < b:
                    low[v], high[v] = max(a, less), min(b, more)
                    if low[v] > high[v]:
                        return False
                    lowest += c * ((low[v] - a) if c > 0 else (high[v] - b))
                    highest += c * ((high[v] - b) if c > 0 else (low[v] - a))
                    changed = True
        if not changed:
            break
    return True
