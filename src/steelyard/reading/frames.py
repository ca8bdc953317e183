"""Frames of pandas, Polars and PyArrow, counted by Narwhals where they are."""

# The same few expressions run on each of them. Only what every library gives the same answer to is used: no
# casts of Booleans, no hashes, no user-defined functions.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.encoding import is_of_objects, labels_of_rows, no_labels
from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import column_names, column_of, is_lazy, library_of, own_names
from steelyard.errors import InputError
from steelyard.reading import table as ask

if TYPE_CHECKING:
    import narwhals as nw


class FrameTable(ask.Table):
    """A frame in this process; a lazy one is computed in a stream."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = tuple(column_names(frame))

    def groups(
        self, by: ask.Keys, sums: ask.Sums = (ask.ROWS,), without: ask.Tests = ()
    ) -> Iterator[ask.Row]:
        import narwhals as nw

        names = [key.name for key in by if isinstance(key, ask.Column)]
        if len(names) < len(by) or without:
            raise AssertionError("frames in memory are counted by their columns only")
        native_names = dict(zip(self.names, own_names(self._frame), strict=True))
        columns = {f"k{k}": nw.col(native_names[name]) for k, name in enumerate(names)}
        weight = next((aggregate.name for aggregate in sums if isinstance(aggregate, ask.Sum)), None)
        if weight is not None:
            columns["weight"] = nw.col(native_names[weight])
        try:
            frame = nw.from_native(self._frame).select(**columns)
            if weight is not None and not (kind := frame.collect_schema()["weight"]).is_numeric():
                raise ask.unusable_weights(f"{weight!r} of type {kind}")
            native, objects = _without_objects(frame.to_native(), names)
            inputs, outputs = zip(
                *(_added_up(f"a{k}", aggregate) for k, aggregate in enumerate(sums)), strict=True
            )
            keys = [f"k{k}" for k in range(len(names))]
            prepared = nw.from_native(native).lazy().select(*keys, *(c for c in inputs if c is not None))
            grouped = prepared.group_by(*keys).agg(*outputs)
            # A lazy frame may be larger than memory; grouped in a stream, only the groups are held.
            streamed = {"engine": "streaming"} if library_of(self._frame) == "polars" else {}
            groups = grouped.collect(**streamed)
        except (TypeError, NotImplementedError) as error:  # so pandas and arrow refuse lists
            raise no_labels("a column", str(error).splitlines()[0].rstrip(".")) from error
        # Of the groups, and not in the library: there nanoseconds would be cut off.
        values = [_values(groups[key].to_native(), name) for key, name in zip(keys, names, strict=True)]
        for key, labels in objects.items():
            place = keys.index(key)
            values[place] = [None if code < 0 else labels[code] for code in values[place]]
        return zip(*values, *(groups[f"a{k}"].to_list() for k in range(len(sums))), strict=True)

    def columns(self, keys: ask.Keys, sums: ask.Sums = (), without: ask.Tests = ()) -> list[Array]:
        if sums or without or not all(isinstance(key, ask.Column | ask.Number) for key in keys):
            raise AssertionError("frames in memory are read by their columns only")
        frame = self._frame.collect() if is_lazy(self._frame) else self._frame
        return [_array(frame, key) for key in keys if isinstance(key, ask.Column | ask.Number)]


def _array(frame: Any, key: ask.Column | ask.Number) -> Array:
    try:
        return np.asarray(column_of(frame, key.name), dtype=float if isinstance(key, ask.Number) else object)
    except (TypeError, ValueError) as error:
        what = f"the column {key.name!r} must hold numbers"
        raise InputError(what, found="values that are no numbers") from error


def _values(column: Any, name: str) -> list[Any]:
    labels, places = labels_of_rows(column, f"the column {name!r}")
    return [None if place < 0 else labels[place] for place in places.tolist()]


def _without_objects(frame: Any, names: Sequence[str]) -> tuple[Any, dict[str, list[Label]]]:
    """A frame that its library groups without changing a value, and the labels of columns that are codes."""
    objects: dict[str, list[Label]] = {}
    if library_of(frame) == "pandas":
        # Grouping by objects, pandas makes whole numbers among gaps floating ones, and takes text that
        # differs after a NUL for one: they are numbered.
        for k, name in enumerate(names):
            if is_of_objects(frame[f"k{k}"].dtype):
                objects[f"k{k}"], places = labels_of_rows(frame[f"k{k}"], f"the column {name!r}")
                frame = frame.assign(**{f"k{k}": places})
    elif library_of(frame) == "pyarrow" and "weight" in frame.column_names:
        # As the doubles they are added as: arrow refuses whole weights beyond 2^53.
        weights = frame["weight"].cast("float64", safe=False)
        frame = frame.set_column(frame.column_names.index("weight"), "weight", weights)
    return frame, objects


def _added_up(name: str, aggregate: ask.Aggregate) -> tuple[nw.Expr | None, nw.Expr]:
    """What a row adds to a sum, and the sum."""
    import narwhals as nw

    if isinstance(aggregate, ask.Rows) and aggregate.test is None:
        return None, nw.len().alias(name)
    # Added as doubles in every library, whatever their type.
    weight = nw.col("weight").cast(nw.Float64)
    if isinstance(aggregate, ask.Sum):
        return (weight * weight if aggregate.squared else weight).alias(name), nw.col(name).sum()
    unusable = weight.is_null() | ~weight.is_finite() | (weight < 0)
    return nw.when(unusable).then(1).otherwise(0).alias(name), nw.col(name).sum()
