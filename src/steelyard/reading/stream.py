"""Streams of labelled rows in blocks: CSV and JSON lines read as they come (a pipe, a file that still grows),
and frames."""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import operator
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.encoding import no_labels
from steelyard.counts.labels import Label, in_order, is_missing, one_spelling
from steelyard.counts.libraries import column_names, column_of
from steelyard.errors import InputError, parameter
from steelyard.reading.column_names import columns_of, columns_of_classes, find_column
from steelyard.reading.files import comes_row_by_row, csv_names, unfit_row, unpacked
from steelyard.reading.groups import refuse_strangers

STDIN = "-"
POLL_SECONDS = 0.2
# Lines and rows of CSV that are held at a time; rows fewer than the garbage collector waits for before it
# looks at them.
_LINES_AT_ONCE, _ROWS_AT_ONCE = 20_000, 500
# Rows of a stream before columns without a common label are refused: a few may be wrong by chance.
_ROWS_TO_JUDGE = 20


# What the period of a time is called: its beginning, so that names sort by time.
PERIODS: dict[str, Callable[[datetime], str]] = {
    "hour": lambda time: f"{time:%Y-%m-%d %H}:00",
    "day": lambda time: f"{time:%Y-%m-%d}",
    "week": lambda time: f"{time - timedelta(days=time.weekday()):%Y-%m-%d}",
    "month": lambda time: f"{time:%Y-%m}",
}


def period_of(time: Any, period: str, column: str) -> str:
    """The period that a time (ISO 8601, or a datetime) lies in."""
    try:
        moment = time if isinstance(time, datetime) else datetime.fromisoformat(str(time).strip())
    except ValueError as error:
        raise InputError(
            f"column {column!r} does not hold times",
            found=repr(time),
            allowed="ISO 8601 such as 2026-11-17 or 2026-11-17T09:30",
            parameter="time",
        ) from error
    return PERIODS[period](moment)


@dataclass
class Block:
    """The labels of some rows: truth and prediction, how many rows hold them, and their time."""

    pairs: list[tuple[Any, Any, int, Any]] = field(default_factory=list)
    rows: int = 0
    #: The first and the last time, or the period.
    start: str | None = None
    end: str | None = None

    def __len__(self) -> int:
        return self.rows

    def add(self, truth: Any, prediction: Any, rows: int = 1, time: Any = None) -> None:
        self.pairs.append((truth, prediction, rows, time))
        self.rows += rows

    def values(self) -> dict[Any, int]:
        """How many rows hold each prediction."""
        tallies: Counter[Any] = Counter()
        for _, value, rows, _ in self.pairs:
            tallies[value] += rows
        return tallies

    def confusion(self) -> Confusion:
        """The rows counted."""
        truths, predictions, rows, _ = zip(*self.pairs, strict=True) if self.pairs else [()] * 4
        matrix = Confusion.from_labels(truths, predictions, sample_weight=rows)
        return Confusion(matrix.counts.astype(np.int64), matrix.labels)


class Blocks:
    """The rows of a stream, `every` rows or one period of the `time` column at a time."""

    # Those of an `unlabelled` one hold predictions alone. `known` are the labels of a reference: a number
    # that the stream writes in another way is one of them.

    def __init__(
        self,
        source: Any,
        every: int | str,
        *,
        truth: str | None = None,
        pred: str | None = None,
        time: str | None = None,
        missing: str = "error",
        follow: bool = False,
        unlabelled: bool = False,
        known: Iterable[Label] = (),
    ) -> None:
        self._frame = None if isinstance(source, (str, Path)) else source
        self._source = str(source) if self._frame is None else "a frame"
        self._name = "standard input" if self._source == STDIN else self._source
        self._period = every if isinstance(every, str) else None
        self._every = _ROWS_AT_ONCE if isinstance(every, str) else int(every)
        if self._every < 1 or self._every != (self._every if isinstance(every, str) else every):
            raise InputError(
                "a block has at least one row",
                found=parameter("every", every),
                allowed="a whole number >= 1",
            )
        if follow and (self._source == STDIN or self._frame is not None):
            raise InputError(
                "a pipe is followed to its end anyway" if self._frame is None else "a frame does not grow",
                found=parameter("follow"),
                do="leave it out",
            )
        if not comes_row_by_row(self._source):
            raise InputError(
                "a watch reads rows as they come", found=f"Parquet in {source}", allowed="CSV or JSON lines"
            )
        self._follow, self.refuses_missing = follow, missing != "drop"
        self._asked, self._unlabelled = (truth, pred, time), unlabelled
        # The classes of the columns of scores, where there is one for each class.
        self._classes: tuple[Label, ...] = ()
        self._in_period: str | None = None
        self._pending = Block()
        # Rows left out because a label was missing.
        self.dropped = 0
        # Numbers that were written in two ways: what was read as what.
        self.spelled: dict[Label, Label] = {}
        self._rows_read = 0
        self._known = frozenset(known)
        # What classes are called so far.
        self._names = set(self._known)
        self._truths: set[Label] = set()
        self._predictions: set[Label] = set()

    def __iter__(self) -> Iterator[Block]:
        """Whole blocks, as soon as each is complete."""
        with contextlib.ExitStack() as stack:
            rows: _Rows
            if self._frame is None:
                file = stack.enter_context(_opened(self._source))
                with self._in_one_sentence():
                    rows = self._rows(_growing(file) if self._follow else iter(file))
            else:
                rows = _Rows(self, self._rows_of_frame(self._frame))
            while rows.more:
                block = self._pending if self._period is None else Block()
                wanted = 1 if self._follow and self._period is not None else self._every - len(block)
                with self._in_one_sentence():
                    rows.fill(block, wanted)
                if self._period is not None:
                    yield from self._periods(block)
                elif len(block) == self._every:
                    yield self.rest()

    def _periods(self, chunk: Block) -> Iterator[Block]:
        """The blocks that end within these rows; the others wait for the next period."""
        assert self._period is not None
        column = self.columns_read[-1]
        for truth, prediction, rows, moment in chunk.pairs:
            period = period_of(moment, self._period, column)
            if self._in_period is not None and period < self._in_period:
                raise InputError(
                    "the rows are not in order of time",
                    found=f"{period} after {self._in_period} in {self._name}",
                    do=f"sort them by column {column!r}",
                )
            if self._in_period not in (None, period):
                yield self.rest()
            self._in_period = period
            self._pending.add(truth, prediction, rows, moment)

    @contextlib.contextmanager
    def _in_one_sentence(self) -> Iterator[None]:
        """What cannot be read is refused in one sentence."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise InputError(
                "the rows are not UTF-8",
                found=f"byte {error.object[error.start]:#04x} in {self._name}",
                do="convert them to UTF-8",
            ) from error
        except (csv.Error, OSError, EOFError, zlib.error) as error:
            raise InputError(
                "the rows cannot be read", found=f"{error} in {self._name}", do="check the format"
            ) from error

    def rest(self) -> Block:
        """The rows of the block that is not complete yet."""
        block, self._pending = self._pending, Block()
        if self._period is not None:
            block.start = self._in_period
        elif block.pairs and block.pairs[0][-1] is not None:
            block.start, block.end = (f"{block.pairs[k][-1]}".replace("T", " ")[:16] for k in (0, -1))
        return block if self._unlabelled or not len(block) else self._with_one_spelling(block)

    def _with_one_spelling(self, block: Block) -> Block:
        """The block as files are counted: a number written in two ways is one class, under the name it had so
        far, and columns without a common label are refused."""
        self._truths.update(truth for truth, *_ in block.pairs)
        self._predictions.update(prediction for _, prediction, *_ in block.pairs)
        # Names may not change under a running alarm: the first spelling of a number stays its name.
        shortest = one_spelling(self._names, self._truths, self._predictions)
        named = {shortest.get(label, label): label for label in self._names}
        for label in in_order(list(self._truths | self._predictions)):
            name = named.setdefault(shortest.get(label, label), shortest.get(label, label))
            if name != label:
                self.spelled[label] = name
        self._names.update(named.values())
        truths, predictions = (
            {self.spelled.get(label, label) for label in column}
            for column in (self._truths | self._known, self._predictions)
        )
        self._rows_read += len(block)
        if self._rows_read >= _ROWS_TO_JUDGE:
            refuse_strangers(self.columns_read[0], self.columns_read[1], truths, predictions)
        name_of = self.spelled.get
        block.pairs = [(name_of(t, t), name_of(p, p), *about) for t, p, *about in block.pairs]
        return block

    def _rows(self, lines: Iterator[str]) -> _Rows:
        head = next(lines, "").removeprefix("\ufeff")
        if not head.strip():
            raise InputError(
                "there is nothing to watch",
                found=f"an empty first line in {self._name}",
                allowed="a CSV header or a JSON object",
            )
        if head.lstrip().startswith("{"):
            columns = self.find_columns(list(_record(head, 1, self._name)))
            records = (
                _record(line, number, self._name)
                for number, line in enumerate(itertools.chain([head], lines), 1)
                if line.strip()
            )
            return _Rows(self, (tuple(map(record.get, columns)) for record in records))
        names, delimiter = csv_names(head.rstrip("\r\n"), self._name)
        places = [names.index(column) for column in self.find_columns(names)]
        return _CsvRows(self, lines, delimiter, len(names), places)

    def _rows_of_frame(self, frame: Any) -> Iterator[tuple[Any, ...]]:
        values = [np.asarray(column_of(frame, name)) for name in self.find_columns(column_names(frame))]
        values = [v.astype("datetime64[s]").astype(str) if v.dtype.kind == "M" else v for v in values]
        return zip(*(v.tolist() for v in values), strict=True)

    def find_columns(self, names: list[str]) -> tuple[str, ...]:
        """The columns of truth and prediction and, where times were asked for, of time."""
        truth, pred, time = self._asked
        columns: tuple[str, ...]
        with columns_of(self._name):
            if self._unlabelled and pred is not None and "*" in pred:
                by_class = columns_of_classes(names, pred)
                self._classes, columns = tuple(by_class), tuple(by_class.values())
            elif self._unlabelled:  # the one column stands for both
                columns = (find_column(pred, names, "prediction"),) * 2
            else:
                truth = find_column(truth, names, "truth")
                columns = (truth, find_column(pred, [n for n in names if n != truth], "prediction"))
            timed = self._period is not None or time is not None
            times = (find_column(time, names, "time"),) if timed else ()
        self.columns_read: tuple[str, ...] = (*columns, *times)
        return self.columns_read

    def as_labels(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Truth, prediction and time of a row; of scores for each class the largest gives the label."""
        if not self._classes:
            return values
        scores, moment = values[: len(self._classes)], values[len(self._classes) :]
        if any(is_missing(score) or score == "" for score in scores):
            return (None, None, *moment)
        try:
            largest = int(np.argmax([float(score) for score in scores]))
        except ValueError as error:
            raise InputError(
                "columns of scores must hold numbers",
                found=f"{', '.join(map(str, scores))} in {self._name}",
            ) from error
        return (self._classes[largest],) * 2 + moment

    def lacking(self, rows: int, number: int) -> None:
        """Some rows lack a label, the first of them being row `number`: refuse them, or leave them out."""
        if self.refuses_missing:
            raise InputError(
                "labels are missing",
                found=f"none in row {number} of {self._name}",
                do=f"leave such rows out with {parameter('missing', 'drop')}",
            )
        self.dropped += rows


class _Rows:
    """Rows that are read on demand, one by one: JSON lines, or those of a frame."""

    def __init__(self, blocks: Blocks, rows: Iterator[tuple[Any, ...]]) -> None:
        self._blocks, self._rows = blocks, rows
        # Is there more to read?
        self.more = True
        # Rows so far, those without a label too.
        self._labelled = 0

    def fill(self, block: Block, wanted: int) -> None:
        """Read as many rows as a block lacks, or fewer where some are left out."""
        # Whatever interrupts the reading, the rows before it are in the block.
        for values in self._rows:
            truth, pred, *moment = self._blocks.as_labels(values)
            self._labelled += 1
            if is_missing(truth) or is_missing(pred):
                self._blocks.lacking(1, self._labelled)
            elif isinstance(truth, (list, dict)) or isinstance(pred, (list, dict)):
                column = self._blocks.columns_read[0 if isinstance(truth, (list, dict)) else 1]
                raise no_labels(f"the column {column!r}", f"a list or an object in row {self._labelled}")
            else:
                block.add(truth, pred, 1, *("" if at is None else at for at in moment))
                wanted -= 1
            if not wanted:
                return
        self.more = False


class _CsvRows(_Rows):
    """CSV, counted many rows at a time: a step of Python for every row would take ten times as long."""

    def __init__(
        self, blocks: Blocks, lines: Iterator[str], delimiter: str, width: int, places: list[int]
    ) -> None:
        super().__init__(blocks, iter(()))
        self._lines, self._delimiter, self._width = lines, delimiter, width
        self._reader = csv.reader(lines, delimiter=delimiter)
        values = operator.itemgetter(*places)
        self._values = (lambda row: blocks.as_labels(values(row))) if blocks._classes else values
        # Rows so far, empty lines too.
        self._number = 0
        # Does a line hold two labels and nothing else, no quotes either? Then few lines are different, and
        # those alone are taken apart.
        self._plain = width == len(places) == 2

    def fill(self, block: Block, wanted: int) -> None:
        while wanted and self.more:
            before, taken = len(block), list[Any]()
            plain, source = self._plain, self._lines if self._plain else self._reader
            some = min(wanted, _LINES_AT_ONCE if plain else _ROWS_AT_ONCE)
            try:
                taken.extend(itertools.islice(source, some))  # on an error it keeps what came before
                self.more = len(taken) == some
            finally:
                (self._count_lines if plain else self._count)(taken, block)
            wanted -= len(block) - before

    def _count_lines(self, lines: list[str], block: Block) -> None:
        # Two classes give four different lines: twenty thousand lines are counted in C, and four are parsed.
        different = Counter(lines)
        if any('"' in line for line in different):
            self._plain, self.more = False, True
            self._reader = csv.reader(itertools.chain(lines, self._lines), delimiter=self._delimiter)
            return
        rows = list(csv.reader(different, delimiter=self._delimiter))
        if all(len(row) == self._width and row[0] and row[1] for row in rows):
            for row, count in zip(rows, different.values(), strict=True):
                truth, pred = self._values(row)
                block.add(truth, pred, count)
            self._labelled += len(lines)
            self._number += len(lines)
        else:
            self._count(list(csv.reader(lines, delimiter=self._delimiter)), block)

    def _count(self, rows: list[list[str]], block: Block) -> None:
        before, unfit = self._number, None
        self._number += len(rows)
        if set(map(len, rows)) - {self._width}:
            unfit = next((k for k, row in enumerate(rows) if row and len(row) != self._width), None)
            bad = None if unfit is None else rows[unfit]
            rows = [row for row in rows[:unfit] if row]
        different = Counter(map(self._values, rows))
        lacking = [values for values in different if not (values[0] and values[1])]
        if lacking:
            first = next(k for k, row in enumerate(rows) if not all(self._values(row)[:2]))
            if self._blocks.refuses_missing:  # the rows before it are in the block
                for (truth, pred, *moment), count in Counter(map(self._values, rows[:first])).items():
                    block.add(truth, pred, count, *moment)
            self._blocks.lacking(sum(different.pop(values) for values in lacking), self._labelled + first + 1)
        for (truth, pred, *moment), count in different.items():
            block.add(truth, pred, count, *moment)
        self._labelled += len(rows)
        if unfit is not None and bad is not None:
            raise unfit_row(len(bad), self._width, before + unfit + 1, self._blocks._name)


def _record(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(
            "a line is no JSON object", found=f"{line.strip()[:60]!r} in line {number} of {name}"
        )
    return record


def _opened(source: str) -> contextlib.AbstractContextManager[IO[str]]:
    if source == STDIN:
        if hasattr(sys.stdin, "reconfigure"):
            # Whatever the locale says: files are UTF-8, and so is what is piped from them.
            sys.stdin.reconfigure(encoding="utf-8", errors="strict", newline="")
        return contextlib.nullcontext(sys.stdin)
    path = Path(source)
    if not path.is_file():
        raise InputError(f"there is no such file: {source}", do="check the path, or use - for standard input")
    opened: IO[str] = unpacked(path, "rt", encoding="utf-8", newline="")
    return opened


def _growing(file: IO[str]) -> Iterator[str]:
    """The lines of a file, waiting at its end for more; a line counts when it is complete."""
    begun = ""
    while True:
        line = file.readline()
        if not line:
            time.sleep(POLL_SECONDS)
            continue
        begun += line
        if begun.endswith("\n"):
            yield begun
            begun = ""
