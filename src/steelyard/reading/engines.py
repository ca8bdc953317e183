"""Which engine counts, and what does it need to be asked?

The frame a caller holds is counted where it is: DuckDB relations, Polars (lazy, streaming), pandas, PyArrow
and Spark. Files are read by DuckDB, embedded and out of core, or by Spark. Libraries are recognised by the
module of the object's type, so none is imported for asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import encode, is_of_objects, keep_rows, missing_rows, moment, span, time_of_day
from steelyard.counts.libraries import column_names, frame_words, library_of, own_names
from steelyard.errors import InputError
from steelyard.reading import spark
from steelyard.reading.database import Progress, as_label, fetched, quoted, readable
from steelyard.reading.duckdb_files import FilesSource
from steelyard.reading.expressions import WEIGHT
from steelyard.reading.files import open_files
from steelyard.reading.source import PlainSource

Engine = Literal["duckdb", "spark"]
ENGINES: tuple[Engine, ...] = ("duckdb", "spark")

Row = tuple[Any, ...]
Array = NDArray[Any]


class Source(Protocol):
    """What the protocol of counting asks of an engine."""

    columns: tuple[str, ...]
    travels: bool
    """Do groups travel over a network, so that there should be few of them?"""
    holds_text: bool
    """Is every value text, numbers included?"""
    at_most: int
    """How many groups are fetched, and not many more."""

    def named(self, picked: Mapping[str, str]) -> Any:
        """A native frame with these columns under these safe names (safe name -> column)."""

    def fetch(self, counted: Any) -> Iterator[Row]:
        """The rows of a native frame that was grouped."""

    def label(self, value: Any, name: str) -> Any:
        """A value of the column with this safe name, as the caller wrote it."""

    def grouping(self) -> AbstractContextManager[None]:
        """What an engine says of columns that it cannot group by, in one sentence."""

    def first_missing(self, truth: str, pred: str) -> int | None:
        """The first row without a label, where rows have an order."""

    def close(self) -> None:
        """Give back what was opened for counting."""


def open_source(
    source: Any,
    engine: str | None = None,
    spark_master: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Source:
    """The engine that counts this source."""
    if engine is not None and engine not in ENGINES:
        raise InputError("the engine is not known", found=repr(engine), allowed=", ".join(ENGINES))
    if isinstance(source, (str, Path)):
        if engine == "spark":
            return spark.SparkFiles(source, spark_master)
        if spark_master is not None:
            raise InputError(
                "a Spark master was named for another engine",
                found=f"engine {engine or 'duckdb'}",
                do='say engine="spark"',
            )
        return FilesSource(open_files(source), memory_limit, progress)
    if engine is not None and engine != library_of(source).removeprefix("py"):
        raise InputError(
            "the frame is counted where it is",
            found=f"{frame_words(source)} and engine {engine!r}",
            do="leave out engine=",
        )
    kinds: dict[str, type[Any]] = {
        "duckdb": _DuckDB,
        "polars": _Polars,
        "pandas": _Eager,
        "pyarrow": _Eager,
    }
    library = library_of(source)
    if library == "pyspark":
        return spark.SparkFrame(source)
    if library in kinds:
        opened: Source = kinds[library](source)
        return opened
    raise InputError(
        "this cannot be counted",
        found=f"{type(source).__module__}.{type(source).__name__}",
        allowed="a path, or a DuckDB, Polars, pandas, PyArrow or Spark frame",
    )


class _Held(PlainSource):
    """A frame in this process."""

    travels = False

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.columns = tuple(column_names(frame))


class _DuckDB(_Held):
    def named(self, picked: Mapping[str, str]) -> Any:
        types = dict(zip(self._frame.columns, map(str, self._frame.types), strict=True))
        self._kinds = {name: types[column] for name, column in picked.items() if name != WEIGHT}
        return self._frame.project(
            ", ".join(
                f"{readable(quoted(column), self._kinds.get(name, ''))} AS {name}"
                for name, column in picked.items()
            )
        )

    def fetch(self, counted: Any) -> Iterator[Row]:
        return fetched(counted.to_native(), self.at_most)

    def label(self, value: Any, name: str) -> Any:
        return as_label(value, self._kinds.get(name, ""))


class _Polars(_Held):
    def named(self, picked: Mapping[str, str]) -> Any:
        import narwhals as nw

        frame = nw.from_native(self._frame).lazy()
        schema = frame.collect_schema()
        # Polars hands nanoseconds to Python cut to microseconds, so they are asked for as numbers.
        self._fine: dict[str, Callable[[int], Any]] = {}
        asked = {}
        for name, column in picked.items():
            kind, asked[name] = schema[column], nw.col(column)
            if isinstance(kind, nw.Datetime) and kind.time_unit == "ns":
                asked[name] = nw.col(column).dt.timestamp("ns")
                self._fine[name] = partial(moment, of_a_zone=kind.time_zone is not None)
            elif isinstance(kind, nw.Duration) and kind.time_unit == "ns":
                asked[name], self._fine[name] = nw.col(column).dt.total_nanoseconds(), span
            elif isinstance(kind, nw.Time):
                asked[name], self._fine[name] = nw.col(column).cast(nw.Int64), time_of_day
        return frame.select(**asked).to_native()

    def label(self, value: Any, name: str) -> Any:
        return self._fine[name](value) if name in self._fine and value is not None else value

    def fetch(self, counted: Any) -> Iterator[Row]:
        collected = counted.to_native().collect(engine="streaming")
        rows: Iterator[Row] = collected.iter_rows()
        return rows


class _Eager(_Held):
    def named(self, picked: Mapping[str, str]) -> Any:
        import narwhals as nw

        frame = nw.from_native(self._frame, eager_only=True)
        own = dict(zip(self.columns, own_names(self._frame), strict=True))
        native = frame.select(**{name: nw.col(own[column]) for name, column in picked.items()}).to_native()
        self._labels: dict[str, Callable[[Any], Any]] = {}
        for place, name in enumerate(picked):
            if library_of(native) == "pyarrow":
                native = self._as_arrow_adds(native, place, name)
            elif name != WEIGHT and is_of_objects(native[name].dtype):
                native = native.assign(**{name: self._codes(native[name], name, picked[name])})
        return native

    def _as_arrow_adds(self, table: Any, place: int, name: str) -> Any:
        """The table, with whole weights as the doubles they are added as: arrow refuses those beyond 2^53,
        and cuts nanoseconds of the day off."""
        kind = str(table[name].type)
        if name == WEIGHT and "int" in kind:
            return table.set_column(place, name, table[name].cast("float64", safe=False))
        if kind == "time64[ns]":
            self._labels[name] = time_of_day
            return table.set_column(place, name, table[name].cast("int64"))
        return table

    def _codes(self, column: Any, name: str, told: str) -> Array:
        """The rows of a column of objects as numbers of what they hold: grouping by the objects, pandas makes
        whole numbers among gaps floating ones, and takes text that differs after a NUL for one."""
        held = ~missing_rows(column)
        coded = encode(keep_rows(column, held), f"the column {told!r}")
        codes = np.full(len(held), -1, dtype=np.intp)
        codes[held] = coded.codes
        self._labels[name] = dict(enumerate(coded.labels or ())).get  # nothing is the label of no value
        return codes

    def fetch(self, counted: Any) -> Iterator[Row]:
        with self.grouping():
            rows: Iterator[Row] = counted.collect().iter_rows()
        return rows

    @contextmanager
    def grouping(self) -> Iterator[None]:
        try:
            yield
        except (TypeError, NotImplementedError) as error:  # so pandas and arrow refuse lists
            raise InputError(
                "a column holds values that cannot be labels",
                found=str(error).splitlines()[0].rstrip("."),
                allowed="text, numbers, booleans and dates",
            ) from error

    def label(self, value: Any, name: str) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        return self._labels[name](value) if name in self._labels and value is not None else value
