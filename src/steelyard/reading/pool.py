"""Pools of rows: columns by name, and whole rows by their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.libraries import column_names, column_of, frame_words, is_frame, is_lazy
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.table import Column, Number

Array = NDArray[Any]


class Pool:
    """Rows with named columns, numbered from 0 in the order in which they stand."""

    def __init__(self, source: Any, called: str, table: Any = None) -> None:
        self._source, self._table = source, table
        self.called = called
        self.names: tuple[str, ...] = tuple(column_names(source) if table is None else table.names)

    def numbers(self, name: str) -> Array:
        """A column of numbers; NaN where a value is missing or no number."""
        self._refuse_unknown(name)
        if self._table is not None:
            return np.asarray(self._table.columns([Number(name)])[0], dtype=float)
        try:
            return np.asarray(column_of(self._source, name), dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"the column {name!r} holds no numbers", found=str(error)) from error

    def texts(self, name: str) -> Array:
        """A column as text; None where a value is missing."""
        self._refuse_unknown(name)
        values = self._table.columns([Column(name)])[0] if self._table is not None else self._column(name)
        return np.array([_text(value) or None for value in values.tolist()], dtype=object)

    def rows(self, numbers: Sequence[int] | None = None) -> list[list[str]]:
        """Whole rows as text, in the order of their numbers; all of them without numbers."""
        if self._table is not None:
            return [list(map(_text, row)) for row in self._table.rows(numbers)]
        columns = [self._column(name) for name in self.names]
        chosen = [column if numbers is None else column[list(numbers)] for column in columns]
        return [list(map(_text, row)) for row in zip(*chosen, strict=True)]

    def _column(self, name: str) -> Array:
        return np.asarray(column_of(self._source, name), dtype=object)

    def _refuse_unknown(self, name: str) -> None:
        if name not in self.names:
            raise UnknownNameError("column", name, self.names)


@contextmanager
def opened_pool(source: Any, role: str) -> Iterator[Pool]:
    """The rows of a file or a frame; `role` says in an error what it is needed for."""
    if is_frame(source):
        yield Pool(source.collect() if is_lazy(source) else source, frame_words(source))
    elif isinstance(source, (str, Path)):
        from steelyard.reading.duckdb import FileTable, open_files

        table = FileTable(open_files(source))
        try:
            yield Pool(None, str(source), table)
        finally:
            table.close()
    else:
        raise InputError(
            f"{role} is read from a file or a frame",
            found=type(source).__name__,
            allowed="a path, or a pandas, Polars or PyArrow frame",
        )


def _text(value: Any) -> str:
    """A value as a CSV file writes it; a missing one is empty."""
    missing = value is None or (isinstance(value, float) and value != value)
    return "" if missing else str(value)
