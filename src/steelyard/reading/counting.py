"""Counting the pairs of true and predicted labels of a table in one pass, whatever engine holds it.

The engine groups; what comes back are groups of truth, predictions and slices with their counts, which become
matrices here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.encoding import encode, keep_rows, missing_rows
from steelyard.counts.labels import Label, check_missing, is_missing, one_spelling
from steelyard.counts.libraries import is_countable, is_frame
from steelyard.errors import InputError
from steelyard.reading.column_names import find_column, order_in_frame, refuse_truth_as_prediction
from steelyard.reading.counts import Counts, merged
from steelyard.reading.engines import opened
from steelyard.reading.groups import (
    MOST_LABELS,
    MOST_OF_ALL,
    Group,
    ModelCounts,
    as_found,
    checked,
    complete,
    labels_in,
    looks_like_ids,
    slice_text,
)
from steelyard.reading.table import MOST_GROUPS, Column, Key, Progress, Question, RowBlock, Table, weight_sums

BLOCK = "block"


def count(
    source: Any,
    *,
    truth: str | None = None,
    pred: str | Sequence[str] | None = None,
    weight: str | None = None,
    slices: str | Sequence[str] = (),
    missing: str = "error",
    labels: Iterable[Label] | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
    by: str | Sequence[str] = (),
) -> Counts:
    """Count the pairs of true and predicted labels of one or several models, in one pass and whatever the
    number of rows.

    `source` is a path or a glob (CSV, TSV, JSON lines, Parquet), or a frame that stays where it is: a DuckDB
    relation, a Polars frame, a pandas frame, a PyArrow table or a Spark frame. `pred` names the predictions
    of one model or of several, `slices` the columns to cut the rows by (`by` is its former name). `engine`
    says who reads files: "duckdb" (the default) or "spark"; `memory_limit` (such as "2GB") is DuckDB's.

    >>> import steelyard as sy
    >>> sy.count("predictions.csv", truth="y", pred="yhat").confusion().counts.tolist()
    [[90, 10], [30, 870]]
    """
    check_missing(missing)
    if by and slices:
        raise InputError("slices is given twice", found="slices= and by=", allowed="slices=")
    cut = slices or by
    with opened(source, engine, spark_master, memory_limit, progress) as table:
        found = _count(
            table, truth, pred, weight, [cut] if isinstance(cut, str) else list(cut), missing, labels
        )
    return replace(found, order=order_in_frame(source, [found.truth, *found.models]))


def count_in_blocks(
    source: Any,
    block: int,
    *,
    truth: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    labels: Sequence[Label] | None = None,
) -> ModelCounts:
    """Count the labels of a series in files, cut by the slices and then by the number of the block: rows
    follow each other as they are written, file by file."""
    check_missing(missing)
    with opened(source) as table:
        return _count(table, truth, pred, weight, slices, missing, labels, block).counted()


def combinations(table: Table, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """How often each combination of values in these columns occurs: the values as written, then the rows."""
    for column in columns:
        find_column(column, table.names, "column", "")
    found: list[tuple[Any, ...]] = []
    for row in table.groups(list(map(Column, columns))):
        found.append((*row[:-1], int(row[-1])))
        if len(found) <= table.most:
            continue
        _refuse_beyond_all(table, columns)
        for place, column in enumerate(columns):
            if looks_like_ids(row[place] for row in found):
                raise _no_labels(column, MOST_LABELS, "more than")
        table.most = MOST_OF_ALL  # many models disagree in many ways; all of them are wanted
        return combinations(table, columns)
    return found


def predicted_labels(
    source: Any, pred: str | None, missing: str = "error", engine: str | None = None
) -> dict[Label, int]:
    """How often each class was predicted in rows without a truth: of files, a frame, or a column."""
    from steelyard.reading.score_counting import no_unlabelled_rows

    check_missing(missing)
    if isinstance(source, (str, Path)) or is_frame(source) or is_countable(source):
        with opened(source, engine) as table:
            column = find_column(pred, table.names, "prediction", "pred=...")
            found = combinations(table, [column])
    else:
        lost = missing_rows(source)
        column, absent = "unlabelled", int(lost.sum())
        kept = encode(keep_rows(source, ~lost) if absent else source, "unlabelled")
        values, amounts = np.unique(kept.codes, return_counts=True)
        names = values.tolist() if kept.labels is None else [kept.labels[code] for code in values.tolist()]
        found = [*zip(names, amounts.tolist(), strict=True), *([(None, absent)] if absent else [])]
    counts: dict[Label, int] = {}
    for label, amount in found:
        counts[label if not is_missing(label) else None] = counts.get(label, 0) + amount
    without = counts.pop(None, 0)
    if without and missing == "error":
        raise InputError(
            f"column {column!r} of the unlabelled rows has missing predictions",
            found=f"{without:,} rows",
            allowed="a predicted label in every row",
            do='leave those rows out with missing="drop"',
        )
    if not counts:
        raise no_unlabelled_rows()
    return counts


def _refuse_beyond_all(table: Table, columns: Sequence[str]) -> None:
    if table.most >= MOST_OF_ALL:
        raise InputError(
            "there are too many different combinations of values",
            found=f"more than {MOST_OF_ALL:,} in {', '.join(columns)}",
            allowed=f"at most {MOST_OF_ALL:,}",
            do="cut by fewer columns, or count fewer models at once",
        )


def _no_labels(column: str, different: int, words: str) -> InputError:
    return InputError(
        f"the column {column!r} does not look like labels",
        found=f"{words} {different:,} different values in more than {MOST_GROUPS:,} groups",
        allowed=f"at most {MOST_LABELS:,} class labels in so many groups of truth, prediction and slice",
        do="check that it is not a column of scores or ids",
    )


def _count(
    table: Table,
    truth: str | None,
    pred: str | Sequence[str] | None,
    weight: str | None,
    by: Sequence[str],
    missing: str,
    labels: Iterable[Label] | None,
    block: int | None = None,
) -> Counts:
    truth = find_column(truth, table.names, "truth", "truth=...")
    rest = [column for column in table.names if column != truth]
    one = (
        pred is None or isinstance(pred, str) or not isinstance(pred, Iterable)
    )  # pandas may call a column 0
    asked: list[Any] = [pred] if one else list(pred or ())
    if not asked:
        raise InputError(
            "no predictions were named", found="pred=[]", allowed="one column of predictions or several"
        )
    refuse_truth_as_prediction(truth, asked)
    models = [find_column(name, rest, "prediction", "pred=...") for name in asked]
    by = [find_column(column, table.names, "column", "") for column in by]
    weight = None if weight is None else find_column(weight, table.names, "column", "")
    if len(set(models)) < len(models):
        raise InputError(
            "a model is named twice", found=", ".join(models), allowed="different columns of predictions"
        )
    keys: list[Key] = [*map(Column, by), *([] if block is None else [RowBlock(block)])]
    found, rows = _groups(table, truth, models, weight, keys)
    found, spelled = _spelled(found) if table.holds_text else (found, {})
    asked_for = None if labels is None else tuple(labels)
    kept: dict[str, tuple[Group, ...]] = {}
    lost: dict[str, int] = {}
    for model in models:
        incomplete = missing == "error" and len(complete(list(found[model]))) < len(found[model])
        first = table.first_row(truth, model) if incomplete else None
        groups, _, lost[model] = checked(found[model], truth, model, missing, first, asked_for)
        kept[model] = merged(groups)  # models that were counted together split each other's groups
    listed = (
        None
        if asked_for is None
        else as_found(asked_for, [group for groups in kept.values() for group in groups], table.holds_text)
    )
    used = {truth, *models, *by, *([weight] if weight is not None else [])}
    unused = tuple(column for column in table.names if column not in used)
    return Counts(
        groups=kept,
        truth=truth,
        by=(*by, *([] if block is None else [BLOCK])),
        weighted=weight is not None,
        rows=rows,
        missing=lost,
        listed=listed,
        unused=unused,
        spelled=spelled,
    )


def _spelled(
    found: dict[str, tuple[Group, ...]],
) -> tuple[dict[str, tuple[Group, ...]], dict[Label, str]]:
    """The groups with every number written in one way, and what was written otherwise."""
    spelled = one_spelling(*(column for groups in found.values() for column in labels_in(groups)))
    if not spelled:
        return found, {}
    return {
        model: tuple(
            g._replace(
                truth=spelled.get(g.truth, g.truth),
                prediction=spelled.get(g.prediction, g.prediction),
            )
            for g in groups
        )
        for model, groups in found.items()
    }, spelled


def _groups(
    table: Table,
    truth: str,
    models: Sequence[str],
    weight: str | None,
    by: Sequence[Key],
    prediction: Callable[[str], Key] = Column,
) -> tuple[dict[str, tuple[Group, ...]], int]:
    """For each model its groups, and the number of rows."""
    try:
        if table.travels:
            return _one_by_one(table, truth, models, weight, by, prediction)
        return _in_one_pass(table, truth, models, weight, by, prediction)
    except _TooManyGroupsError as error:
        if len(models) > 1 and not table.travels:
            # the models together, but perhaps not each of them, have too many
            parts = [_groups(table, truth, [model], weight, by, prediction) for model in models]
            return {model: found[model] for model, (found, _) in zip(models, parts, strict=True)}, parts[0][1]
        _refuse_beyond_all(table, [truth, *models, *(key.name for key in by if isinstance(key, Column))])
        if error.different > MOST_LABELS:
            raise _no_labels(error.column, error.different, "at least") from None
    table.most = MOST_OF_ALL  # few labels in many slices: every one of them is wanted
    return _groups(table, truth, models, weight, by, prediction)


def groups_of(
    table: Table, truth: str, model: str, weight: str | None, by: Sequence[Key], prediction: Key
) -> tuple[Group, ...]:
    """The groups of one model whose prediction is this key."""
    found, _ = _groups(table, truth, [model], weight, by, lambda _: prediction)
    return found[model]


class _TooManyGroupsError(Exception):
    """More groups than were to be fetched, most of them perhaps because of one column."""

    def __init__(self, groups: Sequence[Group], truth: str, model: str) -> None:
        values = {truth: {group.truth for group in groups}, model: {group.prediction for group in groups}}
        self.column = max(values, key=lambda column: len(values[column]))
        self.different = len(values[self.column])


def _in_one_pass(
    table: Table,
    truth: str,
    models: Sequence[str],
    weight: str | None,
    by: Sequence[Key],
    prediction: Callable[[str], Key],
) -> tuple[dict[str, tuple[Group, ...]], int]:
    """Rows grouped by the predictions of all models together: one pass, and few groups where models agree."""
    keys = [Column(truth), *map(prediction, models), *by]
    found: dict[str, list[Group]] = {model: [] for model in models}
    rows = table.groups(keys, weight_sums(weight))
    width = len(models)
    if width == 1 and not by and weight is None:
        of_one = [Group(t, p, (), int(n), int(n), 0, float(n)) for t, p, n in islice(rows, table.most + 1)]
        if len(of_one) > table.most:
            raise _TooManyGroupsError(of_one[:-1], truth, models[0])
        return {models[0]: tuple(of_one)}, sum(group.rows for group in of_one)
    for number, row in enumerate(rows, 1):
        if number > table.most:
            raise _TooManyGroupsError(found[models[0]], truth, models[0])
        part, sums = tuple(map(slice_text, row[1 + width : len(keys)])), _sums(row[len(keys) :])
        for model, called in zip(models, row[1 : 1 + width], strict=True):
            found[model].append(Group(row[0], called, part, *sums))
    groups = {model: tuple(own) for model, own in found.items()}
    return groups, sum(group.rows for group in groups[models[0]])


def _one_by_one(
    table: Table,
    truth: str,
    models: Sequence[str],
    weight: str | None,
    by: Sequence[Key],
    prediction: Callable[[str], Key],
) -> tuple[dict[str, tuple[Group, ...]], int]:
    """Rows grouped by each model's predictions apart. Every row is seen once a model, but at most models x
    classes x classes x slices groups come back: where they travel over a network, that is what matters."""
    questions = [Question([Column(truth), prediction(model), *by], weight_sums(weight)) for model in models]
    found: dict[str, tuple[Group, ...]] = {}
    for model, rows in zip(models, table.several(questions), strict=True):
        size = 2 + len(by)
        found[model] = tuple(
            Group(row[0], row[1], tuple(map(slice_text, row[2:size])), *_sums(row[size:])) for row in rows
        )
        if len(rows) > table.most:
            raise _TooManyGroupsError(found[model], truth, model)
    return found, sum(group.rows for group in found[models[0]])


def _sums(amounts: Sequence[Any]) -> tuple[int, float, int, float]:
    """The rows of a group, their weight, how many weights cannot be used, and the sum of squares."""
    rows = int(amounts[0])
    if len(amounts) == 1:
        return rows, rows, 0, float(rows)
    weight = float("nan") if amounts[1] is None else amounts[1]
    return rows, weight, int(amounts[2]), float(amounts[3] or 0)
