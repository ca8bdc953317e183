"""How is a source counted in one pass, whatever engine holds it?

The engine groups; what comes back are groups of truth, predictions and slices with their counts, which become
matrices here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from steelyard.counts.labels import Label, check_missing, one_spelling
from steelyard.errors import InputError
from steelyard.reading.counts import Counts, merged
from steelyard.reading.database import Progress
from steelyard.reading.engines import Source, open_source
from steelyard.reading.expressions import (
    TRUTH,
    WEIGHT,
    grouped,
    grouped_by_model,
    kinds_of,
    prediction_name,
    refuse_unweighable,
    slice_name,
)
from steelyard.reading.groups import (
    MOST_GROUPS,
    MOST_LABELS,
    MOST_OF_ALL,
    Group,
    as_found,
    checked,
    complete,
    labels_in,
    looks_like_ids,
    slice_text,
)
from steelyard.reading.named_columns import find_column, order_in_frame, refuse_truth_as_prediction


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
    opened = open_source(source, engine, spark_master, memory_limit, progress)
    try:
        found = _count(
            opened, truth, pred, weight, [cut] if isinstance(cut, str) else list(cut), missing, labels
        )
        return replace(found, order=order_in_frame(source, [found.truth, *found.models]))
    finally:
        opened.close()


def combinations(source: Source, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """How often does each combination of values in these columns occur? Rows of the values as written, then
    their number."""
    for column in columns:
        find_column(column, source.columns, "column", "")
    picked = {TRUTH: columns[0], **{prediction_name(i): column for i, column in enumerate(columns[1:])}}
    found: list[tuple[Any, ...]] = []
    with source.grouping():
        counted = grouped(source.named(picked), len(columns) - 1, 0, False)
    for row in source.fetch(counted):
        found.append((*map(source.label, row[:-1], picked), int(row[-1])))
        if len(found) <= source.at_most:
            continue
        _refuse_beyond_all(source, columns)
        for place, column in enumerate(columns):
            if looks_like_ids(row[place] for row in found):
                raise _no_labels(column, MOST_LABELS, "more than")
        source.at_most = MOST_OF_ALL  # many models disagree in many ways; all of them are wanted
        return combinations(source, columns)
    return found


def _refuse_beyond_all(source: Source, columns: Sequence[str]) -> None:
    if source.at_most >= MOST_OF_ALL:
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
    source: Source,
    truth: str | None,
    pred: str | Sequence[str] | None,
    weight: str | None,
    by: Sequence[str],
    missing: str,
    labels: Iterable[Label] | None,
) -> Counts:
    truth = find_column(truth, source.columns, "truth", "truth=...")
    rest = [column for column in source.columns if column != truth]
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
    by = [find_column(column, source.columns, "column", "") for column in by]
    weight = None if weight is None else find_column(weight, source.columns, "column", "")
    if len(set(models)) < len(models):
        raise InputError(
            "a model is named twice", found=", ".join(models), allowed="different columns of predictions"
        )
    found, rows = _groups(source, truth, models, weight, by)
    found, spelled = _spelled(found) if source.holds_text else (found, {})
    asked_for = None if labels is None else tuple(labels)
    kept: dict[str, tuple[Group, ...]] = {}
    lost: dict[str, int] = {}
    for model in models:
        incomplete = missing == "error" and len(complete(list(found[model]))) < len(found[model])
        first = source.first_missing(truth, model) if incomplete else None
        groups, _, lost[model] = checked(found[model], truth, model, missing, first, asked_for)
        kept[model] = merged(groups)  # models that were counted together split each other's groups
    listed = (
        None
        if asked_for is None
        else as_found(asked_for, [group for groups in kept.values() for group in groups], source.holds_text)
    )
    used = {truth, *models, *by, *([weight] if weight is not None else [])}
    unused = tuple(column for column in source.columns if column not in used)
    return Counts(
        groups=kept,
        truth=truth,
        by=tuple(by),
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
    source: Source, truth: str, models: Sequence[str], weight: str | None, by: Sequence[str]
) -> tuple[dict[str, tuple[Group, ...]], int]:
    """For each model its groups, and the number of rows."""
    if source.travels and len(models) > 1:
        kinds = kinds_of(source.named({prediction_name(i): model for i, model in enumerate(models)}), models)
        if len(kinds) > 1:  # columns of unlike types cannot be stacked; each type is a pass
            return _joined([_groups(source, truth, alike, weight, by) for alike in kinds], models)
    try:
        return _in_one_pass(source, truth, models, weight, by)
    except _TooManyGroupsError as error:
        if (
            len(models) > 1 and not source.travels
        ):  # the models together, but perhaps not each of them, have too many
            return _joined([_groups(source, truth, [model], weight, by) for model in models], models)
        _refuse_beyond_all(source, [truth, *models, *by])
        if error.different > MOST_LABELS:
            raise _no_labels(error.column, error.different, "at least") from None
    source.at_most = MOST_OF_ALL  # few labels in many slices: every one of them is wanted
    return _groups(source, truth, models, weight, by)


def groups_of(
    source: Source, truth: str, model: str, weight: str | None, by: Sequence[str]
) -> tuple[tuple[Group, ...], int]:
    """The groups of one column of predictions as the source holds them, and the number of rows."""
    found, rows = _groups(source, truth, [model], weight, by)
    return found[model], rows


def _joined(
    parts: Sequence[tuple[dict[str, tuple[Group, ...]], int]], models: Sequence[str]
) -> tuple[dict[str, tuple[Group, ...]], int]:
    together = {model: groups for found, _ in parts for model, groups in found.items()}
    return {model: together[model] for model in models}, parts[0][1]


class _TooManyGroupsError(Exception):
    """More groups than were to be fetched, most of them perhaps because of one column."""

    def __init__(self, groups: Sequence[Group], truth: str, model: str) -> None:
        values = {truth: {group.truth for group in groups}, model: {group.prediction for group in groups}}
        self.column = max(values, key=lambda column: len(values[column]))
        self.different = len(values[self.column])


def _in_one_pass(
    source: Source, truth: str, models: Sequence[str], weight: str | None, by: Sequence[str]
) -> tuple[dict[str, tuple[Group, ...]], int]:
    picked = {
        TRUTH: truth,
        **{prediction_name(i): model for i, model in enumerate(models)},
        **{slice_name(i): c for i, c in enumerate(by)},
    }
    if weight is not None:
        picked[WEIGHT] = weight
    frame = source.named(picked)
    if weight is not None:
        refuse_unweighable(frame, weight)
    long = source.travels and len(models) > 1
    with source.grouping():
        counted = (grouped_by_model if long else grouped)(frame, len(models), len(by), weight is not None)
    found: dict[str, list[Group]] = {model: [] for model in models}
    width = 1 if long else len(models)
    true_label = _labels_of(source, TRUTH)
    predicted_label = [_labels_of(source, prediction_name(i)) for i in range(len(models))]
    slice_label = [_labels_of(source, slice_name(i)) for i in range(len(by))]
    if len(models) == 1 and not by and weight is None:
        of_one = [
            Group(true_label(actual), predicted_label[0](called), (), int(n), int(n), 0, float(n))
            for actual, called, n in islice(source.fetch(counted), source.at_most + 1)
        ]
        if len(of_one) > source.at_most:
            raise _TooManyGroupsError(of_one[:-1], truth, models[0])
        return {models[0]: tuple(of_one)}, sum(group.rows for group in of_one)
    for number, row in enumerate(source.fetch(counted), 1):
        if number > source.at_most:
            raise _TooManyGroupsError(found[models[0]], truth, models[0])
        place = int(row[0][1:]) if long else 0
        cells = row[1:] if long else row
        actual = true_label(cells[0])
        part = (
            tuple(
                slice_text(label(value))
                for label, value in zip(slice_label, cells[1 + width : 1 + width + len(by)], strict=True)
            )
            if by
            else ()
        )
        amounts = cells[1 + width + len(by) :]
        rows = int(amounts[0])
        sums = (
            (rows, 0, float(rows))
            if weight is None
            else (float("nan") if amounts[1] is None else amounts[1], int(amounts[2]), float(amounts[3] or 0))
        )
        for offset in range(width):
            found[models[place + offset]].append(
                Group(
                    actual,
                    predicted_label[place + offset](cells[1 + offset]),
                    part,
                    rows,
                    *sums,
                )
            )
    return {model: tuple(groups) for model, groups in found.items()}, sum(
        group.rows for group in found[models[0]]
    )


def _labels_of(source: Source, name: str) -> Callable[[Any], Any]:
    """How the values of a column become labels; there are fewer values than groups, so each becomes one
    once."""
    known: dict[Any, Any] = {}

    def label(value: Any) -> Any:
        if type(value) is not str and type(value) is not int:  # to a dictionary True and 1.0 are 1
            return source.label(value, name)
        if value not in known:
            known[value] = source.label(value, name)
        return known[value]

    return label
