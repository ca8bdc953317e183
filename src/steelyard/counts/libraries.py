"""Detection of the library of an object (pandas, Polars, PyArrow, Spark) without importing it."""

# Libraries are recognised by the module of the object's type, so none is imported for asking.

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from steelyard.errors import InputError, UnknownNameError


def library_of(thing: Any) -> str:
    """The package an object comes from: "pandas", "numpy", ..."""
    # The compiled part of a library is the library.
    return type(thing).__module__.partition(".")[0].strip("_")


def mask_of(column: Any) -> Any:
    """The mask of a masked array of which a value is masked; None for anything else."""
    # Importing numpy.ma takes a third as long as NumPy: where nobody has, there is no masked array.
    # A library that nobody imported has no objects: the same holds for pandas, Polars and arrow below.
    ma = sys.modules.get("numpy.ma")
    mask = None if ma is None or not isinstance(column, ma.MaskedArray) else ma.getmaskarray(column)
    return mask if mask is not None and mask.any() else None


def is_frame(data: Any) -> bool:
    """Is this a table with named columns in this process: of pandas, polars or arrow?"""
    return library_of(data) in ("pandas", "polars", "pyarrow") and (
        hasattr(type(data), "columns")
        or hasattr(type(data), "column_names")  # asking a lazy frame itself would resolve its schema
    )


def is_lazy(data: Any) -> bool:
    """Is this a frame of polars that was not computed yet?"""
    return library_of(data) == "polars" and type(data).__name__ == "LazyFrame"


def is_engine_frame(data: Any) -> bool:
    """Are these rows that are not in memory here, and in no file either?"""
    return is_lazy(data) or library_of(data) == "duckdb"


def is_countable(data: Any) -> bool:
    """Is this a frame that only an engine can read: lazy, or held by a database or a cluster?"""
    return is_engine_frame(data) or library_of(data) == "pyspark"


def own_names(frame: Any) -> list[Any]:
    """The columns of a frame as the frame calls them; pandas may call one 3, or ("a", "b")."""
    if is_lazy(frame):
        return list(frame.collect_schema().names())
    names = getattr(frame, "column_names", None)
    return list(frame.columns if names is None else names)


def column_names(frame: Any) -> list[str]:
    """The columns of a frame as a caller writes them; refused where two are written alike."""
    names = [str(name) for name in own_names(frame)]
    for name, times in Counter(names).most_common(1):
        if times > 1:
            raise InputError("a column is named twice", found=repr(name), allowed="different column names")
    return names


def column_of(frame: Any, name: str) -> Any:
    """The column of a frame that is written so."""
    for label in own_names(frame):
        if label == name or str(label) == name:
            return frame[label]
    raise UnknownNameError("column", name, column_names(frame))


def by_own_names(numbers: Any) -> Any:
    """Numbers of classes in a series of pandas whose rows are named, as a mapping."""
    # What is numbered from 0 has no names, and anything else is given back.
    if library_of(numbers) != "pandas" or not hasattr(numbers, "index") or getattr(numbers, "ndim", 0) != 1:
        return numbers
    names = numbers.index.tolist()
    if names == list(range(len(names))):
        return numbers
    for twice in (name for name, times in Counter(names).items() if times > 1):
        raise InputError("a class is named twice", found=repr(twice), allowed="a number for each class once")
    return dict(zip(names, numbers.tolist(), strict=True))


def frame_words(data: Any) -> str:
    """What a frame is called in a report."""
    return f"a {library_of(data)} frame"


def categories_in_order(column: Any) -> tuple[Any, ...] | None:
    """The categories of a column, or of a column's type, that have an order; otherwise None."""
    # Ordered ones of pandas and of arrow, and the enumerations of polars and DuckDB.
    kind = getattr(column, "dtype", getattr(column, "type", column))
    library = library_of(kind)
    if library == "polars" and type(kind).__name__ == "Enum":
        return tuple(kind.categories.to_list())
    if library == "duckdb" and getattr(kind, "id", "") == "enum":
        return tuple(kind.children[0][1])
    if getattr(kind, "ordered", False) is not True:
        return None
    if library == "pandas":
        return tuple(kind.categories.tolist())
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return tuple(whole.dictionary.to_pylist()) if library == "pyarrow" else None


def refuse_unaligned(*columns: Any) -> None:
    """Refuse series of pandas whose rows are named differently."""
    # By position and by name they pair other rows. A mapping stands for the columns in it.
    members = [m for each in columns for m in (each.values() if isinstance(each, Mapping) else (each,))]
    series = [column for column in members if library_of(column) == "pandas" and hasattr(column, "index")]
    for other in series[1:]:
        first, second = series[0].index, other.index
        # Indexes of other types (text and categories, other units of time) are not equal to pandas.
        if len(first) == len(second) and not (first.equals(second) or first.tolist() == second.tolist()):
            raise InputError(
                "the indexes of two columns differ, so it is not clear which rows belong together",
                found=f"{list(series[0].index[:3])} and {list(other.index[:3])}, ...",
                allowed="equal indexes",
                do="align them, or pass .to_numpy() of each to pair them by position",
            )
