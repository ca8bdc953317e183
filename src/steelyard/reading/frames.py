"""How often does each pair of labels occur in these columns: arrays, or the columns of a pandas, polars or arrow frame?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label, encode, keep_rows, missing_rows
from steelyard.errors import InputError
from steelyard.reading.groups import MISSING_SLICE, Counted, refuse_strangers
from steelyard.reading.named_columns import find_column


def is_frame(data: Any) -> bool:
    """Is this a table with named columns?"""
    return type(data).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow") and (
        hasattr(type(data), "columns")
        or hasattr(type(data), "column_names")  # asking a lazy frame itself would resolve its schema
    )


def count_frame(
    frame: Any,
    *,
    truth: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    labels: Sequence[Label] | None = None,
) -> Counted:
    """Count two columns of a frame."""
    columns = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
    truth = find_column(truth, columns, "truth", "truth=...")
    pred = find_column(pred, [c for c in columns if c != truth], "prediction", "pred=...")
    for column in (*slices, *([weight] if weight else [])):
        find_column(column, columns, "column", "")
    unused = [c for c in columns if c not in (truth, pred, weight, *slices)]
    return count_columns(
        frame[truth],
        frame[pred],
        weight=None if weight is None else frame[weight],
        slices={name: frame[name] for name in slices},
        missing=missing,
        labels=labels,
        names=(truth, pred),
        unused=unused,
    )


def count_columns(
    y_true: Any,
    y_pred: Any,
    *,
    weight: Any = None,
    slices: dict[str, Any] | None = None,
    missing: str = "error",
    labels: Sequence[Label] | None = None,
    names: tuple[str, str] = ("y_true", "y_pred"),
    unused: Sequence[str] = (),
) -> Counted:
    """Count two columns of labels, altogether and for each slice."""
    if missing not in ("error", "drop"):
        raise InputError("missing= is not understood", found=repr(missing), allowed='"error" or "drop"')
    rows, lost = len(y_true), 0
    by = dict(slices or {})
    if missing == "drop" and len(y_pred) == rows:
        kept = ~(missing_rows(y_true) | missing_rows(y_pred))
        lost = int((~kept).sum())
        if lost:
            y_true, y_pred = keep_rows(y_true, kept), keep_rows(y_pred, kept)
            weight = None if weight is None else keep_rows(weight, kept)
            by = {name: keep_rows(column, kept) for name, column in by.items()}
    matrix = Confusion.from_labels(y_true, y_pred, labels, weight)
    seen = [
        {label for label, count in zip(matrix.labels, counts.tolist(), strict=True) if count}
        for counts in (matrix.actual, matrix.predicted)
    ]
    refuse_strangers(*names, *seen)
    parts: dict[tuple[str, ...], Confusion] = {}
    if by:
        for name, members in _slices(list(by.values())):
            weights = None if weight is None else keep_rows(weight, members)
            parts[name] = Confusion.from_labels(
                keep_rows(y_true, members), keep_rows(y_pred, members), matrix.labels, weights
            )
    return Counted(matrix, parts, tuple(by), rows, lost, *names, tuple(unused))


def _slices(columns: list[Any]) -> list[tuple[tuple[str, ...], Any]]:
    """The combinations of values that occur, each with the rows that hold it."""
    codes, texts = [], []
    for column in columns:
        absent = missing_rows(column)
        coded = encode(keep_rows(column, ~absent) if absent.any() else column, "the slice column")
        values, inverse = np.unique(coded.codes, return_inverse=True)
        # Values are told apart by their text, as in files; rows without one are a slice of their own.
        names_of = [str(v if coded.labels is None else coded.labels[v]) for v in values.tolist()]
        seen = {
            text: i
            for i, text in enumerate(dict.fromkeys([*names_of, *([MISSING_SLICE] if absent.any() else [])]))
        }
        code = np.full(len(absent), seen.get(MISSING_SLICE, 0), dtype=np.intp)
        code[~absent] = np.array([seen[text] for text in names_of], dtype=np.intp)[inverse.reshape(-1)]
        codes.append(code)
        texts.append(list(seen))
    combined, which = np.unique(np.stack(codes), axis=1, return_inverse=True)
    names = [tuple(text[i] for text, i in zip(texts, place, strict=True)) for place in combined.T.tolist()]
    return sorted(((name, which.reshape(-1) == i) for i, name in enumerate(names)), key=lambda part: part[0])
