"""An engine in one module: rows in lists, counted one by one in plain Python.

It shows what a new engine has to answer, and is the slow and obvious one that the others are held against.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, is_missing
from steelyard.reading.table import (
    ROWS,
    Aggregate,
    Code,
    Column,
    Decision,
    Example,
    Extreme,
    Key,
    Lacks,
    NoNumber,
    Number,
    Row,
    RowBlock,
    Rows,
    Sum,
    Table,
    Test,
    Total,
    TrueClassRank,
    Unusable,
    Weightless,
    unusable_weights,
)


class MemoryTable(Table):
    """Columns of Python values."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.names = tuple(columns)
        self._size = len(next(iter(columns.values())))

    def groups(
        self, by: Sequence[Key], sums: Sequence[Aggregate] = (ROWS,), without: Sequence[Test] = ()
    ) -> Iterator[Row]:
        for one in sums:
            if isinstance(one, Sum) and any(isinstance(v, (str, bool)) for v in self._columns[one.name]):
                raise unusable_weights(f"{one.name!r} of type text")
        members: dict[Row, list[int]] = {} if by else {(): []}
        for row in self._kept(without):
            key = tuple(self._key(part, row) for part in by)
            if not any(isinstance(part, Code) and value is None for part, value in zip(by, key, strict=True)):
                members.setdefault(key, []).append(row)
        for key, rows in members.items():
            yield (*key, *(self._sum(one, rows) for one in sums))

    def columns(
        self, keys: Sequence[Key], sums: Sequence[Aggregate] = (), without: Sequence[Test] = ()
    ) -> list[Array]:
        if sums:
            rows = list(self.groups(keys, sums, without))
        else:
            rows = [tuple(self._key(key, row) for key in keys) for row in self._kept(without)]
        return [np.array(column) for column in zip(*rows, strict=True)]

    def first_row(self, truth: str, pred: str) -> int | None:
        lacking = (
            k for k in range(self._size) if any(is_missing(self._columns[c][k]) for c in (truth, pred))
        )
        first = next(lacking, None)
        return None if first is None else first + 1

    def _kept(self, without: Sequence[Test]) -> list[int]:
        return [row for row in range(self._size) if not any(self._holds(test, row) for test in without)]

    def _number(self, name: str, row: int) -> float:
        value = self._columns[name][row]
        return math.nan if value is None else float(value)

    def _key(self, key: Key, row: int) -> Any:
        match key:
            case Column(name):
                return self._columns[name][row]
            case Code(name):
                label = self._columns[name][row]
                return None if is_missing(label) else self._codes[name][label]
            case Number(name, lowest):
                number = self._number(name, row)
                return -math.inf if lowest and math.isnan(number) else number
            case Total(names):
                return math.fsum(self._number(name, row) for name in names)
            case RowBlock(size):
                return row // size
            case Decision(scores, threshold, costs):
                numbers = [self._number(name, row) for name in scores]
                if any(map(math.isnan, numbers)):
                    return None
                if threshold is not None:
                    return 0 if numbers[0] >= threshold else 1
                if costs is not None:
                    numbers = [-sum(map(float.__mul__, numbers, cost)) for cost in zip(*costs, strict=True)]
                return numbers.index(max(numbers))
            case TrueClassRank(truth, own, scores, sign):
                mine = self._key(Number(own[self._key(truth, row)], lowest=True), row)
                others = [self._key(Number(name, lowest=True), row) for name in scores]
                return sum(other > mine if sign == "greater" else other == mine for other in others)
        raise AssertionError(f"small tables need no {type(key).__name__}")

    def _sum(self, one: Aggregate, rows: Sequence[int]) -> Any:
        match one:
            case Rows(test):
                return len(rows) if test is None else sum(self._holds(test, row) for row in rows)
            case Sum(name, squared):
                return sum(self._number(name, row) ** (2 if squared else 1) for row in rows)
            case Extreme(number, side):
                ends = (self._key(number, row) for row in rows)
                return (min if side == "least" else max)(ends, default=None)
            case Example(name, test):
                found = [str(self._columns[name][row]) for row in rows if self._holds(test, row)]
                return min(found, default=None)
        raise AssertionError(f"small tables need no {type(one).__name__}")

    def _holds(self, test: Test, row: int) -> bool:
        match test:
            case Lacks(names):
                return any(math.isnan(self._number(name, row)) for name in names)
            case NoNumber(name):
                value = self._columns[name][row]
                return isinstance(value, str)
            case Unusable(name):
                return not (0 <= self._number(name, row) < math.inf)
            case Weightless(name):
                return self._number(name, row) == 0
        value = self._columns[test.name][row]  # a whole number that is no double
        return isinstance(value, int) and float(value) != value
