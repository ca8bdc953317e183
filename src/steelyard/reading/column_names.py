"""Resolution of column names: truth, predictions, and scores of each class."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from steelyard.counts.encoding import order_of_categories
from steelyard.counts.labels import Label
from steelyard.counts.libraries import column_of, is_frame, is_lazy, library_of
from steelyard.errors import InputError, UnknownNameError, sentence, warn
from steelyard.reading.files import header_advice

TRUTH_NAMES = (
    "y_true",
    "truth",
    "true",
    "label",
    "labels",
    "target",
    "actual",
    "y",
    "class",
    "ground_truth",
    "true_label",
    "true_class",
    "gold",
)
PREDICTION_NAMES = (
    "y_pred",
    "pred",
    "preds",
    "prediction",
    "predictions",
    "predicted",
    "y_hat",
    "yhat",
    "predicted_label",
    "pred_label",
    "predicted_class",
    "pred_class",
    "output",
)
TIME_NAMES = ("time", "date", "timestamp", "datetime", "day", "created_at", "event_time", "ts")
_USUAL = {"truth": TRUTH_NAMES, "prediction": PREDICTION_NAMES, "time": TIME_NAMES}


class UnnamedColumnError(InputError):
    """A column that is needed was not named, and none is called what it usually is."""


def find_column(asked: str | None, columns: Sequence[str], role: str, option: str) -> str:
    """The column asked for, or the only one whose name says that it is the truth (prediction, time)."""
    if asked is not None:
        asked = str(asked)  # pandas may call a column 0
        if asked not in columns:
            raise UnknownNameError("column", asked, columns, header_advice(columns))
        return asked
    usual = _USUAL[role]
    known = {_folded(name) for name in usual}
    candidates = [column for column in columns if _folded(column) in known]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise InputError(
            f"more than one column could be the {role}",
            found=", ".join(candidates),
            do=f"say which with {option}",
        )
    shown = ", ".join(columns[:20]) + (f" and {len(columns) - 20} more" if len(columns) > 20 else "")
    raise UnnamedColumnError(
        f"no column is named like a {role}",
        found=f"the columns {shown}" if columns else "no other column",
        allowed=", ".join(usual[:5]) + ", ...",
        do=header_advice(columns) or f"say which with {option}",
    )


@contextmanager
def columns_of(file: str) -> Iterator[None]:
    """Where several files are read: which of them lacks a column?"""
    try:
        yield
    except InputError as error:
        if " column " in f" {error.what} " and file not in error.what:
            error.what += f" in {file}"
            error.args = (sentence(error.what, error.found, error.allowed, error.do),)
        raise


def truth_among(columns: Sequence[str], truth: str | None, others: Sequence[str]) -> str:
    """The column asked for, or the one that is named like a truth and was not asked for as something else."""
    if truth is not None:
        return truth  # whoever reads it says what is wrong with it
    return find_column(None, [name for name in columns if name not in others], "truth", "truth=...")


def one_name(**given: Any) -> Any:
    """One value under its name or a former one: the first name is the word for it, the others are accepted
    with a note."""
    (name, value), *others = given.items()
    for former, other in others:
        if other is None:
            continue
        if value is not None:
            raise InputError(f"{name} is given twice", found=f"{name}= and {former}=", allowed=f"{name}=")
        warn(f"{former}= is called {name}= here", DeprecationWarning)
        value = other
    return value


def columns_of_classes(available: Sequence[str], score: str | Mapping[Label, str]) -> dict[Label, str]:
    """Which column holds the score of which class? One column stands alone under its own name."""
    if isinstance(score, Mapping):
        return dict(score)
    if "*" not in score:
        return {score: score}
    if score.count("*") != 1:
        raise InputError(
            "the pattern of score columns is not understood",
            found=repr(score),
            allowed="one star, as in 'p_*'",
        )
    before, after = score.split("*")
    found = [name for name in available if fnmatch.fnmatchcase(name, score)]
    if len(found) < 2:
        raise InputError(
            "too few columns match the pattern",
            found=f"{', '.join(found) or 'none'} for {score!r}",
            allowed=f"a column for each class; there are {', '.join(available[:12])}",
        )
    return {name[len(before) : len(name) - len(after)]: name for name in found}


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "").replace(".", "")


def refuse_truth_as_prediction(truth: str, predictions: Iterable[str | None]) -> None:
    """A column compared with itself is always right."""
    if any(name is not None and str(name) == truth for name in predictions):
        raise InputError(
            "truth and prediction are the same column",
            found=repr(truth),
            allowed="two columns",
            do="name the column of predictions with pred=...",
        )


def order_in_frame(frame: Any, columns: Sequence[str]) -> tuple[Label, ...] | None:
    """The order of the classes in these columns of a frame, where they are categories that have one."""
    if is_lazy(frame) or library_of(frame) == "duckdb":
        kinds = (
            frame.collect_schema() if is_lazy(frame) else dict(zip(frame.columns, frame.types, strict=True))
        )
        return order_of_categories(*(kinds[column] for column in columns))
    if not is_frame(frame):
        return None
    return order_of_categories(*(column_of(frame, column) for column in columns))
