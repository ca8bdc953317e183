"""Classes of scored rows, matched with the score columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from steelyard.counts.checks import refuse_unlisted
from steelyard.counts.encoding import Encoded, encode
from steelyard.counts.labels import Array, Label, in_order, meant, rest_of
from steelyard.errors import InputError, UnknownNameError, parameter


def rows_of_positive(y_true: Any, positive: Label) -> Array:
    """Which rows are of this class?"""
    truth = encode(y_true, "y_true")
    return np.isin(truth.codes, [code for label, code in codes_of_labels(truth).items() if label == positive])


def codes_of_labels(truth: Encoded) -> dict[Label, Any]:
    """The labels that occur and their codes, in order."""
    codes, labels = truth.numbered()
    present = np.flatnonzero(np.bincount(codes)).tolist()
    code_of = {labels[code]: labels[code] if truth.labels is None else code for code in present}
    return {label: code_of[label] for label in in_order(list(code_of))}


def two_sides(
    occurring: list[Label], positive: Label | None, labels: Iterable[Label] | None
) -> tuple[dict[Label, list[Label]], Label | None]:
    """The two classes, the labels each stands for, and the positive one if the caller named it."""
    names = occurring
    if labels is not None:
        names = list(labels)
        refuse_unlisted(occurring, names, " for the truth")
    named = None
    if positive is not None:
        (named,) = meant([positive], names)
        if named is None:
            if len(names) > 1:
                raise UnknownNameError("class", positive, map(str, names))
            named, names = positive, in_order([*names, positive])
    if len(names) > 2 and named is None:
        raise InputError(
            "one column of scores is for two classes",
            found=f"{len(names)} classes: {', '.join(map(str, names[:6]))}",
            do=f"say which one it scores with {parameter('positive', '...')}, or give a column for each"
            " class",
        )
    if len(names) == 1 and named is None:
        raise InputError(
            "only one class occurs, so it is not known whose scores these are",
            found=f"{names[0]!r} in every row",
            do=f"say {parameter('positive', '...')}",
        )
    if named is not None and len(names) != 2:
        return {named: [named], rest_of(named): [label for label in names if label != named]}, named
    return {label: [label] for label in names}, named


def classes_of_table(
    names: Sequence[Label] | None, columns: int, occurring: list[Label], labels: Iterable[Label] | None
) -> list[Label]:
    """The classes, in order, of a table of scores."""
    if labels is not None:
        classes = list(labels)
    elif names is not None:
        # the truth says what a class is called (1), a column of a data frame only how it is written ("1")
        known = zip(names, meant(names, occurring), strict=True)
        classes = in_order([name if label is None else label for name, label in known])
    else:
        classes = occurring
        # NumPy and scikit-learn sort text by letters ("10" before "2"), a reader sorts numbers by value
        if all(isinstance(label, str) for label in classes) and classes != sorted(map(str, classes)):
            raise InputError(
                "the order of the score columns is not clear",
                found=f"classes that are numbers written as text: {', '.join(map(str, classes[:6]))}",
                do=f"name the classes in the order of the columns with {parameter('labels', '...')}",
            )
    if len(classes) != columns:
        raise InputError(
            "the score columns do not fit the classes",
            found=f"{columns} columns for {len(classes)} classes ({', '.join(map(str, classes[:6]))})",
            allowed="one score column per class",
            do=f"name the classes in the order of the columns with {parameter('labels', '...')}",
        )
    strange = [label for label in occurring if label not in classes]
    if strange:
        raise UnknownNameError(
            "score column for class", strange[0], map(str, classes), do="give a score column for every class"
        )
    return classes


def column_of(names: Iterable[Label], label: Label) -> Label:
    (name,) = meant([label], names)
    if name is None:
        raise UnknownNameError("score column for class", label, map(str, names))
    return name


def own_places(classes_of_rows: Array, table: Sequence[Array], weights: Array | None) -> Array:
    """(C, C): examples (or weight) of class i whose own score is the k-th greatest of their row."""
    # `classes_of_rows` is the column of each row's class.
    mine = np.empty(len(classes_of_rows))
    for place, column in enumerate(table):
        rows = classes_of_rows == place
        mine[rows] = column[rows]
    greater, equal = (np.zeros(len(classes_of_rows), dtype=np.int64) for _ in range(2))
    for column in table:
        greater += column > mine
        equal += column == mine
    return spread_over_ties(classes_of_rows, greater, equal, weights, len(table))


def spread_over_ties(
    true_class: Array, greater: Array, equal: Array, amounts: Array | None, classes: int
) -> Array:
    """The same from how many scores of a row exceed or equal its own (itself among them)."""
    key = (true_class * classes + greater) * (classes + 1) + equal
    tied_rows = np.bincount(key, weights=amounts, minlength=classes * classes * (classes + 1))
    tied_rows = tied_rows.reshape(classes, classes, classes + 1)
    places = np.zeros((classes, classes))
    for ahead in range(classes):
        for tied in range(1, classes - ahead + 1):
            # Ties share the places they take up: the expectation over a random order, as for the area.
            places[:, ahead : ahead + tied] += tied_rows[:, ahead, tied, None] / tied
    return places
