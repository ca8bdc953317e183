"""Encoding of label columns: which label each row holds."""

# Any column a user holds (list, NumPy array, pandas or polars series, arrow array) becomes integer codes
# with one label per code.

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

import numpy as np

from steelyard.counts.labels import Array, Label, is_missing
from steelyard.counts.libraries import categories_in_order, library_of, mask_of
from steelyard.errors import InputError, parameter

# Integers spread wider than this are renumbered before they are counted: a dense table of span x span would
# not fit.
WIDEST_SPAN = 2048


@dataclass(frozen=True)
class Encoded:
    """A label column as codes; `labels[k]` is the label of code k."""

    # None where the codes are the labels themselves.

    codes: Array
    labels: tuple[Label, ...] | None

    def __len__(self) -> int:
        return len(self.codes)

    def numbered(self) -> tuple[Array, Sequence[Label]]:
        """Codes 0, 1, 2, ... and the label of each, some of which may not occur."""
        if self.labels is not None:
            return self.codes.astype(np.intp, copy=False), self.labels
        if len(self.codes):
            low, high = int(self.codes.min()), int(self.codes.max())
            if high - low < WIDEST_SPAN and low > -(2**62) and high < 2**62:
                return self.codes.astype(np.intp) - low, range(low, high + 1)
        values, codes = np.unique(self.codes, return_inverse=True)
        return codes.reshape(-1), values.tolist()

    def distinct(self) -> tuple[list[Label], Array]:
        """The labels that occur, and the place of each row's label among them."""
        codes, labels = self.numbered()
        occurs = np.bincount(codes, minlength=len(labels)) > 0
        return [labels[code] for code in np.flatnonzero(occurs).tolist()], (np.cumsum(occurs) - 1)[codes]


def encode(column: Any, role: str) -> Encoded:
    """Which label does each row hold? `role` names the column in error messages."""
    if isinstance(column, Encoded):
        return column
    library = library_of(column)
    by_library = {"pandas": _encode_pandas, "polars": _encode_polars, "pyarrow": _encode_arrow}
    if library in by_library:
        return by_library[library](column, role)
    if isinstance(column, (str, bytes, Mapping)) or not (
        hasattr(column, "__len__") and hasattr(column, "__getitem__")
    ):
        raise _not_a_column(column, role)
    return _encode_numpy(column, role)


def _not_a_column(column: Any, role: str) -> InputError:
    allowed = "a list, a NumPy array, or a pandas, polars or arrow column"
    return InputError(f"{role} is not a column of labels", found=type(column).__name__, allowed=allowed)


def _refuse_tables(column: Any, role: str) -> None:
    if getattr(column, "ndim", 1) != 1:
        shape = f"a {type(column).__name__} of shape {column.shape}"
        raise InputError(f"{role} must be one column of labels", found=shape, do="pick one column")


def _encode_numpy(column: Any, role: str) -> Encoded:
    array = one_dimension(column if isinstance(column, np.ndarray) else _array_of(column))
    _refuse_tables(array, role)
    if (mask := mask_of(array)) is not None:
        _refuse_missing(mask, role)
    kind = array.dtype.kind
    if kind == "b":
        return Encoded(array.view(np.uint8), (False, True))
    if kind in "iu":
        return Encoded(array, None)
    if kind == "f":
        _refuse_missing(np.isnan(array), role)
        # By value, not by bits: 0.0 and -0.0 are one class, as they are equal to Python.
        values, codes = np.unique(array, return_inverse=True)
        return Encoded(codes.reshape(-1), tuple(values.tolist()))
    if kind in "mM":
        _refuse_missing(np.isnat(array), role)
        coarse = array.astype(f"{'datetime64' if kind == 'M' else 'timedelta64'}[us]")
        if (coarse == array).all():
            array = coarse
        else:
            fine, label = array.astype(f"{kind}8[ns]"), moment if kind == "M" else span
            exact = (fine == array).all()
            labels = map(label, fine.view(np.int64).tolist()) if exact else map(str, array)
            return _encode_objects(list(labels), role)
    items = array.tolist()
    # Beyond the years Python knows.
    if kind in "mM" and any(isinstance(label, int) for label in items):
        items = list(map(str, array))
    return _encode_objects(items, role)


def moment(nanoseconds: int, of_a_zone: bool = False) -> datetime | str:
    """A time since 1970 as a label: a date where Python has one."""
    # Finer than microseconds it has none, so the time is written out. A time of a zone is told in UTC, the
    # same moment wherever the reader is.
    whole, rest = divmod(nanoseconds, 1000)
    if not rest:
        return datetime(1970, 1, 1, tzinfo=UTC if of_a_zone else None) + timedelta(microseconds=whole)
    written = str(np.datetime64(nanoseconds, "ns")).replace("T", " ")
    return f"{written}+00:00" if of_a_zone else written


def time_of_day(nanoseconds: int) -> time | str:
    """A time since midnight as a label, written out where it is finer than microseconds."""
    whole, rest = divmod(nanoseconds, 1000)
    clock = (datetime.min + timedelta(microseconds=whole)).time()
    return f"{clock.isoformat('microseconds')}{rest:03}" if rest else clock


def span(nanoseconds: int) -> timedelta | str:
    """How long something takes as a label, written out where it is finer than microseconds."""
    whole, rest = divmod(nanoseconds, 1000)
    return f"{nanoseconds} ns" if rest else timedelta(microseconds=whole)


def one_dimension(column: Any) -> Any:
    """An array of one row or one column as what it is: a column; anything else as it stands."""
    if isinstance(column, np.ndarray) and column.ndim == 2 and 1 in column.shape:
        return column.reshape(-1)
    return column


def _array_of(column: Any) -> Array:
    # A plain sequence as an array whose elements keep their own type.
    # [1, "1"] must not become ["1", "1"].
    items = list(column)
    kinds = set(map(type, items))
    if items and (kinds <= {int} or kinds <= {bool} or kinds <= {float}):
        numbers = np.array(items)
        # Integers beyond 64 bits are objects, and still labels. Integers of which some need 64 bits without
        # a sign would become floats, in which neighbours are one number.
        if numbers.dtype.kind != "O" and not (numbers.dtype.kind == "f" and kinds == {int}):
            return numbers
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


class _Growing(dict[Label, int]):
    """A dictionary that gives the next free code to a label it has not seen."""

    # The fastest pure-Python encoder measured.

    def __missing__(self, label: Label) -> int:
        code = len(self)
        self[label] = code
        return code


def _encode_objects(items: list[Any], role: str) -> Encoded:
    # A dictionary takes True, 1 and 1.0 for one label, and so do labels everywhere else in Python.
    code_of = _Growing()
    try:
        codes = np.fromiter(map(code_of.__getitem__, items), dtype=np.intp, count=len(items))
    except TypeError as error:
        kind = next((type(i).__name__ for i in items if not isinstance(i, Hashable)), "unhashable values")
        raise no_labels(role, kind) from error
    missing = [code for label, code in code_of.items() if is_missing(label)]
    if missing:
        _refuse_missing(np.isin(codes, missing), role)
    return Encoded(codes, tuple(code_of))


def no_labels(role: str, values: str) -> InputError:
    """What is said of a column of lists and the like."""
    allowed = "text, numbers, booleans, dates and other hashable values"
    return InputError(f"{role} holds values that cannot be labels", found=values, allowed=allowed)


def _encode_pandas(column: Any, role: str) -> Encoded:
    _refuse_tables(column, role)
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return _encode_numpy(column.to_numpy(), role)
    accessor = getattr(column, "cat", None)
    if accessor is not None:
        return _with_missing_refused(np.asarray(accessor.codes), accessor.categories.tolist(), role)
    if is_of_objects(dtype):
        # pandas compares text up to a NUL: "" and "\0" are one value to it.
        return _encode_objects(column.tolist(), role)
    try:
        # Hashing in C, and labels in the order in which they come, where np.unique of objects sorts, and
        # fails on unlike kinds.
        codes, labels = column.factorize()
    except TypeError as error:
        raise no_labels(role, "values that cannot be hashed") from error
    return _with_missing_refused(codes, labels.tolist(), role)


def is_of_objects(dtype: Any) -> bool:
    """Does a column of pandas of this type hold text, or whatever Python has?"""
    return getattr(dtype, "kind", "") == "O" or str(dtype).startswith("str")


def order_of_categories(*columns: Any) -> tuple[Label, ...] | None:
    """The order that all ordered categories among these columns (or their types) agree on, or None."""
    orders = [order for order in map(categories_in_order, columns) if order is not None]
    return orders[0] if orders and all(order == orders[0] for order in orders) else None


def _encode_polars(column: Any, role: str) -> Encoded:
    if type(column).__name__ != "Series":
        raise _not_a_column(column, role)
    if column.null_count():
        _refuse_missing(column.is_null().to_numpy(), role)
    if str(column.dtype).startswith(("Categorical", "Enum")):
        # The categories that occur, each read from a row that holds it: polars 2 no longer lists those of a
        # column.
        _, rows, codes = np.unique(column.to_physical().to_numpy(), return_index=True, return_inverse=True)
        return Encoded(codes.reshape(-1), tuple(column[row] for row in rows.tolist()))
    dtype = str(column.dtype)
    if dtype == "Boolean" or dtype.lstrip("U").startswith(("Int8", "Int16", "Int32", "Int64", "Float")):
        return _encode_numpy(column.to_numpy(), role)
    if dtype.startswith("Datetime(time_unit='ns'"):
        of_a_zone = "time_zone=None" not in dtype
        return _encode_objects([moment(ns, of_a_zone) for ns in column.to_physical().to_list()], role)
    if dtype == "Time" or dtype == "Duration(time_unit='ns')":
        label = time_of_day if dtype == "Time" else span
        return _encode_objects(list(map(label, column.to_physical().to_list())), role)
    return _encode_objects(column.to_list(), role)


def _encode_arrow(column: Any, role: str) -> Encoded:
    if not hasattr(column, "null_count"):
        raise _not_a_column(column, role)
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    if whole.null_count:
        _refuse_missing(np.asarray(whole.is_null()), role)
    try:
        # A dictionary of arrow is a factorisation already; text is encoded by arrow itself, without Python
        # objects.
        coded = whole if hasattr(whole, "dictionary") else whole.dictionary_encode()
    except NotImplementedError as error:
        raise no_labels(role, str(whole.type)) from error
    codes = coded.indices.to_numpy(zero_copy_only=False)
    labels = coded.dictionary
    # Arrow hands them to Python cut to microseconds.
    if str(labels.type) == "time64[ns]":
        return Encoded(codes, tuple(map(time_of_day, labels.cast("int64").to_pylist())))
    return _with_missing_refused(codes, labels.to_pylist(), role)


def _with_missing_refused(codes: Array, labels: Sequence[Label], role: str) -> Encoded:
    unlabelled = [k for k, label in enumerate(labels) if is_missing(label)]
    missing = np.isin(codes, [-1, *unlabelled])
    if missing.any():
        _refuse_missing(missing, role)
    try:
        place: dict[Label, int] = {}
        places = [place.setdefault(label, len(place)) for label in labels]
    except TypeError as error:
        raise no_labels(role, "values that cannot be hashed") from error
    # A dictionary of arrow may list a value twice.
    if len(place) < len(places):
        codes = np.array(places, dtype=np.int64)[codes]
    return Encoded(codes, tuple(place))


def _refuse_missing(missing: Array, role: str) -> None:
    count = int(np.count_nonzero(missing))
    if count:
        raise InputError(
            f"{role} has missing labels",
            found=(
                f"{count} of {len(missing)} rows, the first at row {int(np.argmax(missing))} (counted from 0)"
            ),
            allowed="a label in every row",
            do=f"drop those rows ({parameter('missing', 'drop')} where a function has it), or give them a"
            " label of their own",
        )


def missing_rows(column: Any) -> Array:
    """Which rows of a column hold no label?"""
    library = library_of(column)
    if library == "pandas":
        return np.asarray(column.isna())
    if library == "polars":
        holes = column.is_null()
        if column.dtype.is_float():
            holes = holes | column.is_nan().fill_null(False)
        return np.asarray(holes.to_list(), dtype=bool)
    if library == "pyarrow":
        return np.asarray(column.is_null(nan_is_null=True).to_pylist(), dtype=bool)
    column = one_dimension(column)
    if type(column) is np.ndarray and (kind := column.dtype.kind) in "biufSUmM":
        test = np.isnan if kind == "f" else np.isnat if kind in "mM" else None
        return np.zeros(len(column), dtype=bool) if test is None else np.asarray(test(column))
    absent = np.fromiter((is_missing(label) for label in column), dtype=bool, count=len(column))
    mask = mask_of(column)
    return absent if mask is None else absent | mask


def keep_rows(column: Any, mask: Array) -> Any:
    """The rows of a column where the mask is true, in the library's own type."""
    library = library_of(column)
    if library in ("polars", "pyarrow"):
        return column.filter(mask.tolist())
    if library == "pandas" or isinstance(column, np.ndarray):
        return one_dimension(column)[mask]
    return [label for label, keep in zip(column, mask, strict=True) if keep]


def labels_of_rows(column: Any, role: str) -> tuple[list[Label], Array]:
    """The labels that occur, and the place of each row's label among them: -1 where a row has none."""
    absent = missing_rows(column)
    labels, at = encode(keep_rows(column, ~absent) if absent.any() else column, role).distinct()
    places = np.full(len(absent), -1, dtype=np.intp)
    places[~absent] = at
    return labels, places
