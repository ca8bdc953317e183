"""Which labels do the next lines hold? CSV and JSON lines, read as they come: a pipe, or a file that still
grows."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from steelyard.counts.labels import is_missing
from steelyard.errors import InputError
from steelyard.reading.files import csv_names
from steelyard.reading.named_columns import find_column

STDIN = "-"
POLL_SECONDS = 0.2


@dataclass
class Block:
    """The labels of some rows."""

    truths: list[Any] = field(default_factory=list)
    predictions: list[Any] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.truths)


class Blocks:
    """The rows of a stream, `every` rows at a time."""

    def __init__(
        self,
        source: str,
        every: int,
        *,
        truth: str | None = None,
        pred: str | None = None,
        missing: str = "error",
        follow: bool = False,
    ) -> None:
        if every < 1:
            raise InputError(
                "a block has at least one row", found=f"every={every}", allowed="a whole number >= 1"
            )
        if source == STDIN and follow:
            raise InputError(
                "a pipe is followed to its end anyway",
                found="follow=True and standard input",
                do="leave out follow=",
            )
        self._source, self._every, self._follow = source, every, follow
        self._asked, self._missing = (truth, pred), missing
        self._pending = Block()
        self.dropped = 0
        """Rows left out because a label was missing."""

    def __iter__(self) -> Iterator[Block]:
        """Whole blocks, as soon as each is complete."""
        with _opened(self._source) as file:
            pairs = self._pairs(_growing(file) if self._follow else iter(file))
            while (pair := self._next(pairs)) is not None:
                self._pending.truths.append(pair[0])
                self._pending.predictions.append(pair[1])
                if len(self._pending) == self._every:
                    yield self.rest()

    def _next(self, pairs: Iterator[tuple[Any, Any]]) -> tuple[Any, Any] | None:
        """The labels of the next row, None after the last one; what cannot be read is refused in one
        sentence."""
        try:
            return next(pairs, None)
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
        return block

    def _pairs(self, lines: Iterator[str]) -> Iterator[tuple[Any, Any]]:
        head = next(lines, "").removeprefix("\ufeff")
        if not head.strip():
            raise InputError(
                "there is nothing to watch",
                found=f"an empty first line in {self._name}",
                allowed="a CSV header or a JSON object",
            )
        pairs = self._from_json(head, lines) if head.lstrip().startswith("{") else self._from_csv(head, lines)
        for row, (truth, pred) in enumerate(pairs, 1):
            if is_missing(truth) or is_missing(pred):
                if self._missing != "drop":
                    raise InputError(
                        "labels are missing",
                        found=f"none in row {row} of {self._name}",
                        do='leave such rows out with missing="drop"',
                    )
                self.dropped += 1
                continue
            yield truth, pred

    def _from_csv(self, head: str, lines: Iterator[str]) -> Iterator[tuple[Any, Any]]:
        names, delimiter = csv_names(head.rstrip("\r\n"), self._name)
        t, p = (names.index(column) for column in self._columns(names))
        for number, row in enumerate(csv.reader(lines, delimiter=delimiter), 1):
            if not row:
                continue
            if len(row) != len(names):
                raise InputError(
                    "a row does not fit the header",
                    found=f"{len(row)} values for {len(names)} columns in row {number} of {self._name}",
                )
            yield row[t] or None, row[p] or None

    def _from_json(self, head: str, lines: Iterator[str]) -> Iterator[tuple[Any, Any]]:
        truth, pred = self._columns(list(self._record(head, 1)))
        yield self._labels(head, 1, truth, pred)
        for number, line in enumerate(lines, 2):
            if line.strip():
                yield self._labels(line, number, truth, pred)

    def _labels(self, line: str, number: int, truth: str, pred: str) -> tuple[Any, Any]:
        record = self._record(line, number)
        return record.get(truth), record.get(pred)

    def _record(self, line: str, number: int) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            record = None
        if not isinstance(record, dict):
            raise InputError(
                "a line is no JSON object", found=f"{line.strip()[:60]!r} in line {number} of {self._name}"
            )
        return record

    def _columns(self, names: list[str]) -> tuple[str, str]:
        truth = find_column(self._asked[0], names, "truth", "truth=...")
        return truth, find_column(
            self._asked[1], [name for name in names if name != truth], "prediction", "pred=..."
        )

    @property
    def _name(self) -> str:
        return "standard input" if self._source == STDIN else self._source


class _StandardInput:
    """Standard input as text in UTF-8, left open."""

    def __enter__(self) -> IO[str]:
        if hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(encoding="utf-8", errors="strict", newline="")
        return sys.stdin

    def __exit__(self, *_: object) -> None:
        pass


def _opened(source: str) -> Any:
    if source == STDIN:
        return _StandardInput()
    path = Path(source)
    if not path.is_file():
        raise InputError(f"there is no such file: {source}", do="check the path, or use - for standard input")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


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
