"""How often does each class occur with each label that its scores stand for, in files too large to load?

DuckDB turns scores into labels where it reads them: those that reach a threshold are called positive, or the
class with the largest score is taken, the first of equals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.counts.labels import Label, is_missing, meant
from steelyard.counts.score_columns import ROW_SUM_TOLERANCE
from steelyard.errors import InputError
from steelyard.reading.counting import groups_of
from steelyard.reading.duckdb_files import Files, opened, quoted, slice_text
from steelyard.reading.groups import Group, ModelCounts, checked, dense
from steelyard.reading.named_columns import find_column
from steelyard.reading.number_columns import is_nan, number_of
from steelyard.reading.spark import SparkFrame
from steelyard.reading.spark_scores import labels_called


def count_labels_of_scores(
    files: Files,
    truth: str | None,
    columns: Mapping[Label, str],
    labels: Sequence[Label],
    *,
    threshold: float | None,
    name: str,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    costs: Any = None,
) -> ModelCounts:
    """Count truth against the labels that scores stand for.

    With a `threshold` there is one column, the first of `labels` is its class and the second stands for all
    others; without one, `columns` maps each of the `labels` to its scores: the largest gives the label, or
    with `costs` (a table, rows are truth) the scores are probabilities and the label that costs least is
    taken.
    """
    truth = find_column(truth, [c for c in files.columns if c not in columns.values()], "truth", "truth=...")
    for column in (*columns.values(), *slices, *([weight] if weight else [])):
        find_column(column, files.columns, "column", "")
    wanted = list(dict.fromkeys([truth, *columns.values(), *slices, *([weight] if weight else [])]))
    keys = [quoted(truth), _place(list(columns.values()), threshold, costs), *map(quoted, slices)]
    amount = number_of(weight) if weight else "1"
    with opened(files, wanted) as table:
        if costs is not None:
            _refuse_other_than_probabilities(table, list(columns.values()))
        rows = table.rows(
            f"SELECT {', '.join(keys)}, count(*), {f'sum({amount})' if weight else 'count(*)'}, "
            f"{f'count(*) FILTER (NOT isfinite({amount}) OR {amount} < 0)' if weight else '0'}, "
            f"{f'coalesce(sum({amount} * {amount}), 0)' if weight else '0'} "
            f"FROM source GROUP BY {', '.join(str(k + 1) for k in range(len(keys)))}"
        )
        written = [table.label(row[0], truth) for row in rows]
        groups = [
            Group(
                _known(label, labels, threshold is not None),
                None if row[1] is None else labels[row[1]],
                tuple(
                    slice_text(table.label(value, name))
                    for value, name in zip(row[2:-4], slices, strict=True)
                ),
                row[-4],
                row[-3],
                row[-2],
                float(row[-1]),
            )
            for row, label in zip(rows, written, strict=True)
        ]
    return _dense(groups, files.columns, wanted, truth, labels, name, weight, slices, missing)


def count_labels_on_cluster(
    source: SparkFrame,
    truth: str | None,
    columns: Mapping[Label, str],
    labels: Sequence[Label],
    *,
    threshold: float | None,
    name: str,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
) -> ModelCounts:
    """The same on a cluster, which turns scores into labels where the rows are."""
    truth = find_column(truth, [c for c in source.columns if c not in columns.values()], "truth", "truth=...")
    for column in (*columns.values(), *slices, *([weight] if weight else [])):
        find_column(column, source.columns, "column", "")
    called = labels_called(source, list(columns.values()), threshold, name)
    found, _ = groups_of(called, truth, name, weight, slices)
    groups = [
        group._replace(
            truth=_known(group.truth, labels, threshold is not None),
            prediction=None if group.prediction is None else labels[int(group.prediction)],
        )
        for group in found
    ]
    wanted = [truth, *columns.values(), *slices, *([weight] if weight else [])]
    return _dense(groups, source.columns, wanted, truth, labels, name, weight, slices, missing)


def _dense(
    groups: Sequence[Group],
    columns: Sequence[str],
    wanted: Sequence[str],
    truth: str,
    labels: Sequence[Label],
    name: str,
    weight: str | None,
    slices: Sequence[str],
    missing: str,
) -> ModelCounts:
    unused = [column for column in columns if column not in wanted]
    kept, all_rows, lost = checked(groups, truth, name, missing, None, labels)
    return dense(
        kept,
        truth=truth,
        pred=name,
        unused=unused,
        slice_columns=tuple(slices),
        weighted=bool(weight),
        labels=labels,
        rows=all_rows,
        missing=lost,
    )


def _refuse_other_than_probabilities(table: Any, columns: Sequence[str]) -> None:
    """Costs are weighed by probabilities: numbers from 0 to 1 that add up to 1 in every row."""
    scores = [number_of(column) for column in columns]
    outside = " OR ".join(f"{score} < 0 OR {score} > 1" for score in scores)
    total = " + ".join(scores)
    off = f"abs({total} - 1) > {ROW_SUM_TOLERANCE!r}"
    ((wrong, unequal, example),) = table.rows(
        f"SELECT count(*) FILTER ({outside}), count(*) FILTER ({off}), max({total}) FILTER ({off})"
        " FROM source"
    )
    if wrong:
        raise InputError(
            "the cheapest label needs probabilities",
            found=f"scores outside 0 to 1 in {wrong:,} rows",
            allowed="numbers from 0 to 1",
        )
    if unequal:
        raise InputError(
            "the probabilities of a row must add up to 1",
            found=f"{unequal:,} rows that do not, one with a sum of {float(example):g}",
            allowed="a sum of 1 in every row",
            do="normalise the scores, or leave the costs out",
        )


def _place(columns: Sequence[str], threshold: float | None, costs: Any = None) -> str:
    """The place of the label among all, NULL where a score is missing."""
    scores = [number_of(column) for column in columns]
    lacking = " OR ".join(is_nan(score) for score in scores)
    if threshold is not None:
        return (
            f"CASE WHEN {lacking} THEN NULL WHEN {scores[0]} >= CAST('{float(threshold)!r}' AS DOUBLE) THEN 0"
            " ELSE 1 END"
        )
    if costs is not None:
        scores = [
            "-(" + " + ".join(f"{cost!r} * {score}" for cost, score in zip(column, scores, strict=True)) + ")"
            for column in costs.T.tolist()
        ]
    largest = f"greatest({', '.join(scores)})"
    cases = " ".join(f"WHEN {score} = {largest} THEN {place}" for place, score in enumerate(scores))
    return f"CASE WHEN {lacking} THEN NULL {cases} END"


def _known(label: Any, labels: Sequence[Label], folded: bool) -> Any:
    """The class a true label means; all others are the second class where there are two sides only."""
    if is_missing(label):
        return None
    (same,) = meant([label], labels)
    return same if same is not None else labels[1] if folded else label
