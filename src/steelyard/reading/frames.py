"""Frames of pandas, Polars and PyArrow, counted by Narwhals where they are."""

# The same few expressions run on each of them. Only what every library gives the same answer to is used: no
# casts of Booleans, no hashes, no user-defined functions.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts import encoding
from steelyard.counts.libraries import column_names, library_of, own_names
from steelyard.errors import InputError
from steelyard.reading import table as ask

if TYPE_CHECKING:
    import narwhals as nw


class FrameTable(ask.Table):
    """A frame in this process; a lazy one is computed in a stream."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = tuple(column_names(frame))
        self._labels: dict[str, Callable[[Any], Any]] = {}

    def groups(
        self, by: ask.Keys, sums: ask.Sums = (ask.ROWS,), without: ask.Tests = ()
    ) -> Iterator[ask.Row]:
        import narwhals as nw

        names = [key.name for key in by if isinstance(key, ask.Column)]
        if len(names) < len(by) or without:
            raise AssertionError("frames in memory are counted by their columns only")
        weights = dict.fromkeys(aggregate.name for aggregate in sums if isinstance(aggregate, ask.Sum))
        with _refused_in_one_sentence():
            frame = nw.from_native(self._picked(names, list(weights))).lazy()
            schema = frame.collect_schema()
            for k, name in enumerate(weights):
                if not schema[f"w{k}"].is_numeric():
                    raise ask.unusable_weights(name, str(schema[f"w{k}"]))
            keys = [f"k{k}" for k in range(len(names))]
            # Added as doubles in every library, whatever their type.
            weight = nw.col("w0").cast(nw.Float64) if weights else None
            inputs, outputs = zip(
                *(_added_up(f"a{k}", aggregate, weight) for k, aggregate in enumerate(sums)), strict=True
            )
            prepared = frame.select(*keys, *(column for column in inputs if column is not None))
            counted = prepared.group_by(*keys).agg(*outputs)
            if library_of(self._frame) == "polars":
                # A lazy frame may be larger than memory; grouped in a stream, only the groups are held.
                rows: Iterator[ask.Row] = counted.to_native().collect(engine="streaming").iter_rows()
            else:
                rows = counted.collect().iter_rows()
        labels = [*map(self._labels.get, names), *[None] * len(sums)]
        return (tuple(map(_label, row, labels)) for row in rows)

    def _picked(self, names: Sequence[str], weights: Sequence[str]) -> Any:
        """The columns to group by as k0, k1, ... and the weights as w0: each as its library groups it without
        changing a value."""
        import narwhals as nw

        frame = nw.from_native(self._frame)
        native_names = dict(zip(self.names, own_names(self._frame), strict=True))
        library = library_of(self._frame)
        schema = frame.collect_schema() if library == "polars" else {}
        keys = (
            {f"k{k}": self._expression(name, schema.get(name)) for k, name in enumerate(names)}
            if schema
            else {f"k{k}": nw.col(native_names[name]) for k, name in enumerate(names)}
        )
        native = frame.select(
            **keys, **{f"w{k}": nw.col(native_names[name]) for k, name in enumerate(weights)}
        ).to_native()
        if library == "pyarrow":
            for place, name in enumerate([*names, *weights]):
                column = native.column_names[place]
                kind = str(native[column].type)
                if place >= len(names) and "int" in kind:
                    # As the doubles they are added as: arrow refuses whole weights beyond 2^53.
                    native = native.set_column(place, column, native[column].cast("float64", safe=False))
                elif place < len(names) and kind == "time64[ns]":  # of which arrow cuts nanoseconds off
                    self._labels[name] = encoding.time_of_day
                    native = native.set_column(place, column, native[column].cast("int64"))
        elif library == "pandas":
            for k, name in enumerate(names):
                if encoding.is_of_objects(native[f"k{k}"].dtype):
                    native = native.assign(**{f"k{k}": self._numbered(native[f"k{k}"], name)})
        return native

    def _expression(self, name: str, kind: Any) -> nw.Expr:
        """A column of Polars, which hands nanoseconds to Python cut to microseconds: they are asked for as
        numbers."""
        import narwhals as nw

        column = nw.col(name)
        if isinstance(kind, nw.Datetime) and kind.time_unit == "ns":
            self._labels[name] = partial(encoding.moment, of_a_zone=kind.time_zone is not None)
            return column.dt.timestamp("ns")
        if isinstance(kind, nw.Duration) and kind.time_unit == "ns":
            self._labels[name] = encoding.span
            return column.dt.total_nanoseconds()
        if isinstance(kind, nw.Time):
            self._labels[name] = encoding.time_of_day
            return column.cast(nw.Int64)
        return column

    def _numbered(self, column: Any, name: str) -> ask.Array:
        """The rows of a column of objects as numbers of what they hold: grouping by the objects, pandas makes
        whole numbers among gaps floating ones, and takes text that differs after a NUL for one."""
        present = ~encoding.missing_rows(column)
        coded = encoding.encode(encoding.keep_rows(column, present), f"the column {name!r}")
        codes = np.full(len(present), -1, dtype=np.intp)
        codes[present] = coded.codes
        self._labels[name] = dict(enumerate(coded.labels or ())).get  # nothing is the label of no value
        return codes


def _label(value: Any, label: Callable[[Any], Any] | None) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if label is None or value is None else label(value)


def _added_up(name: str, aggregate: ask.Aggregate, weight: nw.Expr | None) -> tuple[nw.Expr | None, nw.Expr]:
    """What a row adds to a sum, and the sum."""
    import narwhals as nw

    if isinstance(aggregate, ask.Rows) and aggregate.test is None:
        return None, nw.len().alias(name)
    if weight is None:
        raise AssertionError("only weights are added up")
    if isinstance(aggregate, ask.Sum):
        return (weight * weight if aggregate.squared else weight).alias(name), nw.col(name).sum()
    unusable = weight.is_null() | ~weight.is_finite() | (weight < 0)
    return nw.when(unusable).then(1).otherwise(0).alias(name), nw.col(name).sum()


@contextmanager
def _refused_in_one_sentence() -> Iterator[None]:
    try:
        yield
    except (TypeError, NotImplementedError) as error:  # so pandas and arrow refuse lists
        raise InputError(
            "a column holds values that cannot be labels",
            found=str(error).splitlines()[0].rstrip("."),
            allowed="text, numbers, booleans and dates",
        ) from error
