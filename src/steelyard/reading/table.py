"""One question to every engine: how many rows hold each combination of values?"""

# A `Table` is rows with named columns, wherever they are: files read by DuckDB, a relation of DuckDB, a
# frame of pandas, Polars or PyArrow, a Spark cluster. It is asked for `groups(by, sums)`: keys to group the
# rows by, and what to add up in each group; or for `columns(keys)`: the values of every row. Keys and sums
# are data, and an engine is one module that answers them (`duckdb.py`, `spark.py`, `frames.py`; `stream.py`
# reads rows as they come). Nothing outside the engines knows how they are asked.

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from steelyard.counts.labels import Array, Label, is_missing
from steelyard.errors import InputError

Row = tuple[Any, ...]
Convert = Callable[[Any], Any]
# Called now and then with the part of the work that is done, 0 to 1.
Progress = Callable[[float], None]

# When there are more different groups than this, it is asked whether a column holds scores or ids.
MOST_GROUPS = 2_000_000


# -- the parts of a question are of a column, of several, or of a number: every dataclass that is made takes
# half a millisecond of a command


@dataclass(frozen=True)
class _OfColumn:
    name: str


@dataclass(frozen=True)
class _OfColumns:
    names: tuple[str, ...]


@dataclass(frozen=True)
class _OfNumber:
    number: Number


# -- what rows are grouped by


class Column(_OfColumn):
    """A value as it is written: a label, a slice."""


class Code(_OfColumn):
    """The place of a row's label among those that `labels` has told."""


@dataclass(frozen=True)
class Number:
    """A value as a double."""

    # Where there is none NaN, or the lowest number of all. True and false are 1 and 0.

    name: str
    lowest: bool = False


class Total(_OfColumns):
    """The sum of several numbers of a row."""


class ScoreBin(_OfNumber):
    """The bin of a score, by a rule that needs no knowledge of the other scores (`adaptive_bins`)."""


@dataclass(frozen=True)
class IntervalPart:
    """`parts` times the place of the interval that a score lies in, and the part of it."""

    # Rows of no interval are left out. An interval is a bin's number, and the lowest and highest score in it.

    number: Number
    intervals: tuple[tuple[int, float, float], ...]
    parts: int


@dataclass(frozen=True)
class Decision:
    """The place of the label that scores stand for: 0 where the one score reaches the threshold and 1 where
    it does not; that of the largest score; or with costs (rows are truth) that of the least expected cost.
    The first of equals; nothing where a score is missing."""

    scores: tuple[str, ...]
    threshold: float | None = None
    costs: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True)
class TrueClassRank:
    """How many scores of a row are greater than that of its own class ("equal": as great, itself included).
    `true_scores` is the score column of each code of the truth."""

    truth: Code
    true_scores: tuple[str, ...]
    scores: tuple[str, ...]
    sign: Literal["greater", "equal"]


@dataclass(frozen=True)
class RowBlock:
    """The number of the block of so many rows that a row stands in, in the order of the rows as written."""

    rows: int


Key = Column | Code | Number | Total | ScoreBin | IntervalPart | Decision | TrueClassRank | RowBlock


# -- what rows are left out, or counted, for


class Lacks(_OfColumns):
    """One of these columns of numbers has no value."""


class NoNumber(_OfColumn):
    """A value that is something else than a number, true or false."""


class Rounded(_OfColumn):
    """A whole number that is no double."""


class Unusable(_OfColumn):
    """A weight that is missing, negative, infinite or no number."""


class Weightless(_OfColumn):
    """A weight of 0: what weighs nothing is no example."""


@dataclass(frozen=True)
class Coded(_OfColumn):
    """A label that has one of these codes; asked of rows whose `Code` is a key."""

    codes: tuple[int, ...]


Test = Lacks | NoNumber | Rounded | Unusable | Weightless | Coded


# -- what is added up


@dataclass(frozen=True)
class Rows:
    """The number of rows; of those a test holds for, where one is named."""

    test: Test | None = None


@dataclass(frozen=True)
class Sum:
    """The sum of a column of numbers, or of its squares."""

    name: str
    squared: bool = False


@dataclass(frozen=True)
class Extreme:
    """The least or greatest number."""

    number: Number | Total
    side: Literal["least", "greatest"]


class Distinct(_OfNumber):
    """About how many different numbers there are."""


@dataclass(frozen=True)
class Example:
    """A value, as text, that a test holds for."""

    name: str
    test: Test


Aggregate = Rows | Sum | Extreme | Distinct | Example
ROWS = Rows()
Keys = Sequence[Key]
Sums = Sequence[Aggregate]
Tests = Sequence[Test]


def weight_sums(weight: str | None) -> tuple[Aggregate, ...]:
    """The rows of a group; with weights also their sum, how many cannot be used, and the sum of squares."""
    if weight is None:
        return (ROWS,)
    return ROWS, Sum(weight), Rows(Unusable(weight)), Sum(weight, squared=True)


def unusable_weights(weights: str) -> InputError:
    """What is said of weights that are no numbers, or none that can be used."""
    return InputError("the weights cannot be used", found=weights, allowed="finite numbers >= 0")


class Question(NamedTuple):
    """What is asked of the rows for which none of the tests holds."""

    by: Keys
    sums: Sums
    without: Tests = ()


class Table(ABC):
    """Rows with named columns, and an engine that counts them where they are."""

    #: Of the columns.
    names: tuple[str, ...]
    _codes: Mapping[str, Mapping[Any, int]] = {}
    #: Is every value text, numbers included?
    holds_text = False
    #: Do groups travel over a network, so that there should be few of them?
    travels = False
    #: How many groups are fetched, and not many more.
    most = MOST_GROUPS

    @abstractmethod
    def groups(self, by: Keys, sums: Sums = (ROWS,), without: Tests = ()) -> Iterator[Row]:
        """A row for each combination of keys that occurs: the keys, as labels where they are columns, and the
        sums. Without keys there is one row."""

    def columns(self, keys: Keys, sums: Sums = (), without: Tests = ()) -> list[Array]:
        """The keys of every row as arrays; with sums the same as `groups`, column by column."""
        raise AssertionError(f"{type(self).__name__} reads no rows")

    def rows(self, numbers: Sequence[int] | None = None) -> list[Row]:
        """Whole rows by their number, from 0, in ascending order; all of them without numbers."""
        columns = self.columns([Column(name) for name in self.names])
        return list(zip(*(c if numbers is None else c[list(numbers)] for c in columns), strict=True))

    def several(self, questions: Sequence[Question]) -> list[list[Row]]:
        """The answers to several questions of one shape, in one pass where the engine can."""
        return [list(self.groups(*question)) for question in questions]

    def labels(self, name: str, most: int, without: Tests = ()) -> list[tuple[Label, int]]:
        """The labels of a column and their rows, hardly more than `most`."""
        # A missing one is among them. From now on `Code` is the place in this list, and rows without a label
        # have none.
        values = list(self.groups([Column(name)], [ROWS], without))
        self._codes = {**self._codes, name: {label: place for place, (label, _) in enumerate(values)}}
        return [(label, int(rows)) for label, rows in values]

    def with_codes(self, rows: Iterator[Row], by: Keys) -> Iterator[Row]:
        """Rows in which labels stand in place of codes, with the codes."""
        coded = {k: self._codes[key.name] for k, key in enumerate(by) if isinstance(key, Code)}
        if not coded:
            return rows
        return (
            tuple(coded[k][value] if k in coded else value for k, value in enumerate(row))
            for row in rows
            if not any(is_missing(row[k]) for k in coded)
        )

    def with_labels(
        self, rows: Sequence[Row], by: Keys, label_of: Callable[[str], Convert | None]
    ) -> Iterator[Row]:
        """Rows in which the values of columns are labels, by what makes a label of a column's value."""
        labels = {
            k: label
            for k, key in enumerate(by)
            if isinstance(key, Column) and (label := label_of(key.name)) is not None
        }
        if not labels:
            return iter(rows)
        return (tuple(labels[k](v) if k in labels else v for k, v in enumerate(row)) for row in rows)

    def refuse_unweighable(self, sums: Sums, holds_numbers: Callable[[str], bool]) -> None:
        """Refuse to add up a column whose type holds no numbers."""
        for aggregate in sums:
            if isinstance(aggregate, Sum) and not holds_numbers(self.kind(aggregate.name)):
                raise unusable_weights(f"{aggregate.name!r} of type {self.kind(aggregate.name)}")

    def kind(self, name: str) -> str:
        """The type of a column, where it is known."""
        return ""

    def holds_doubles(self, name: str) -> bool:
        """Is it known that a column holds nothing but numbers, each of which is a double?"""
        return False

    def first_row(self, truth: str, pred: str) -> int | None:
        """The first row without a label, where rows have an order."""
        return None

    def close(self) -> None:
        """Give back what was opened for counting; most engines opened nothing."""
        return
