"""Joint counts of several models in files and frames, with what a comparison needs beside them."""

# The engine counts the combinations of truth and predictions in one pass; no row leaves it. Sums of a column
# (per-row costs) are added up in the same way. A paired comparison of rankings needs scores side by side, so
# those are read row by row.

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.checks import refuse_other_capitals
from steelyard.counts.encoding import keep_rows, missing_rows
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import (
    Array,
    Label,
    in_order_of,
    is_missing,
    missing_values,
    one_spelling,
    spelling_note,
)
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.reading import table as ask
from steelyard.reading.column_names import (
    find_column,
    order_in_frame,
    refuse_truth_as_prediction,
    truth_among,
)
from steelyard.reading.counting import combinations
from steelyard.reading.duckdb import MatchedFiles, open_files
from steelyard.reading.engines import open_table
from steelyard.reading.groups import refuse_scores, refuse_strangers
from steelyard.reading.score_counting import refuse_no_numbers

DROPPED_FOR_ALL = f"leave those rows out for all models with {parameter('missing', 'drop')}"


@dataclass(frozen=True)
class ModelColumns:
    """An open table, its column of the truth, and each model's columns of predictions and scores."""

    table: ask.Table
    truth: str | None
    predictions: dict[str, str]
    scores: dict[str, str]


def open_models(
    paths: Sequence[str | Path],
    truth: str | None,
    predictions: Sequence[str],
    scores: Sequence[str] = (),
    *,
    key: str | None = None,
    others: Sequence[str] = (),
    engine: str | None = None,
    spark_master: str | None = None,
) -> ModelColumns:
    """One file with a column for each model, or a file for each model whose rows are matched by a key."""
    # The caller closes the table. `others` are further columns, read from the first file.
    if not paths:
        raise InputError("there is no file to read", found="none", allowed="at least one file of predictions")
    if len(set(predictions)) != len(predictions):
        raise InputError(
            "a prediction column is named twice", found=", ".join(predictions), allowed="different columns"
        )
    if len(paths) == 1:
        if key is not None:
            raise InputError(
                "rows of one file need no key",
                found=f"{parameter('key', key)} with {paths[0]}",
                do="leave it out, or give a file for each model",
            )
        table = open_table(str(paths[0]), engine, spark_master)
        by_model = named_columns(predictions, paths, table.names)
        return ModelColumns(table, truth, by_model, named_columns(scores, paths, table.names))
    if engine not in (None, "duckdb"):
        raise InputError(
            "rows of several files are matched by DuckDB only",
            found=f"engine {engine!r}",
            do=f"put the predictions into one table, or leave out {parameter('engine')}",
        )
    if predictions and len(predictions) not in (1, len(paths)):
        raise InputError(
            "the prediction columns do not fit the files",
            found=f"{len(predictions)} columns for {len(paths)} files",
            allowed=f"one {parameter('pred')} for all files, or one for each",
        )
    columns = list(predictions) * len(paths) if len(predictions) == 1 else list(predictions)
    return _matched(list(map(Path, paths)), truth, columns, named_columns(scores, paths), key, others)


def joint_of_table(
    table: ask.Table,
    truth: str | None,
    predictions: Mapping[str, str],
    fold: str | None = None,
    missing: str = "error",
    frame: Any = None,
) -> JointCounts:
    """Joint counts from one table with a column for each model (model -> column), counted where it is."""
    # `frame` is the frame that it is of, whose categories may have an order.
    if len(predictions) < 2:
        listed = [name.strip() for column in predictions.values() for name in column.split(",")]
        raise InputError(
            "a comparison needs models",
            found=f"{len(predictions)} prediction column in one file",
            allowed=f"several {parameter('pred')} columns, or several files with {parameter('key')}",
            do=f"say {parameter('pred')} once for each of {', '.join(listed)}" if len(listed) > 1 else "",
        )
    truth = truth_among(table.names, truth, list(predictions.values()))
    refuse_truth_as_prediction(truth, predictions.values())
    columns = [truth, *predictions.values(), *([fold] if fold else [])]
    rows = combinations(table, columns)
    order = order_in_frame(frame, [truth, *predictions.values()])
    return joint_of_rows(
        rows, truth, list(predictions), fold, text=table.holds_text, missing=missing, order=order
    )


def _matched(
    paths: Sequence[Path],
    truth: str | None,
    predictions: Sequence[str],
    scores: Mapping[str, str],
    key: str | None,
    others: Sequence[str],
) -> ModelColumns:
    """The files of several models as one table, rows matched by a key."""
    if key is None:
        raise InputError(
            "rows of several files cannot be matched",
            found=f"{len(paths)} files and no key",
            allowed="a column that names each example",
            do=f"say {parameter('key', '...')}",
        )
    names = [path.stem for path in paths]
    if len(set(names)) != len(names):  # main/predictions.csv and branch/predictions.csv
        names = [f"{path.parent.name}/{path.stem}" if path.parent.name else path.stem for path in paths]
    if len(set(names)) != len(names):
        raise InputError(
            "two files would name the same model",
            found=", ".join(map(str, paths)),
            allowed="files with different names",
        )
    truth = truth_among(open_files(paths[0]).columns, truth, [*predictions, *scores.values()])
    wanted = [[truth, key, *(others if number == 0 else ())] for number in range(len(paths))]
    places = {column: (0, column) for column in (truth, *others)}
    for columns in (predictions, list(scores.values())):
        for number, column in enumerate(columns):
            wanted[number].append(column)
            places[f"{column} of {names[number]}"] = (number, column)
    files = list(map(open_files, paths))
    for path, columns_of, needed in zip(paths, files, wanted, strict=True):
        lacking = [column for column in needed if column not in columns_of.columns]
        if lacking:
            raise UnknownNameError(f"column of {path.name}", lacking[0], columns_of.columns)
    return ModelColumns(
        MatchedFiles(files, places, key, truth),
        truth,
        {name: f"{column} of {name}" for name, column in zip(names, predictions, strict=False)},
        {model: f"{column} of {name}" for name, (model, column) in zip(names, scores.items(), strict=False)},
    )


def joint_of_rows(
    rows: list[tuple[Any, ...]],
    truth: str,
    models: list[str],
    fold: str | None,
    *,
    text: bool,
    missing: str,
    order: Sequence[Label] | None = None,
) -> JointCounts:
    """Joint counts from combinations of truth, predictions and fold with their numbers."""
    # In text a number may be written in two ways.
    if not rows:
        raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
    total = sum(row[-1] for row in rows)
    labels_end = 1 + len(models)
    if missing == "drop":
        rows = [row for row in rows if not any(map(is_missing, row[:labels_end]))]
    whole = sum(row[-1] for row in rows)
    if not rows:
        raise InputError(
            "every row lacks its truth or a prediction",
            found=f"{total:,} rows",
            allowed="at least one whole row",
        )
    for place, name in enumerate([truth, *models, *([fold] if fold else [])]):
        absent = sum(row[-1] for row in rows if is_missing(row[place]))
        if absent:
            do = "" if name == fold else DROPPED_FOR_ALL
            raise missing_values(f"{name} has missing values", absent, whole, "a value", do)
    for place, name in enumerate([truth, *models]):
        refuse_scores(name, {row[place] for row in rows}, whole, None)
    # Over all columns at once: two models may write the same class as 1 and as 1.0.
    spelled = one_spelling(*zip(*(row[:labels_end] for row in rows), strict=True)) if text else {}
    if spelled:
        rows = [(*(spelled.get(v, v) for v in row[:labels_end]), *row[labels_end:]) for row in rows]
    labels = {row[0] for row in rows}
    for place, name in enumerate(models, start=1):
        predictions = {row[place] for row in rows}
        refuse_strangers(truth, name, labels, predictions)
        refuse_other_capitals(labels, predictions, (repr(truth), repr(name)))
    # Engines give groups in any order; the draws of a comparison must not depend on it.
    by_column = list(zip(*sorted(rows, key=lambda row: [str(value) for value in row[:-1]]), strict=True))
    folds = None
    if fold:
        number = {value: k for k, value in enumerate(dict.fromkeys(by_column[labels_end]))}
        folds = [number[value] for value in by_column[labels_end]]
    occurring = list(dict.fromkeys(value for column in by_column[:labels_end] for value in column))
    joint = JointCounts.from_cells(
        by_column[0],
        by_column[1:labels_end],
        by_column[-1],
        models,
        labels=None if order is None else in_order_of(order, occurring),
        folds=folds,
    )
    notes = (spelling_note(spelled),) if spelled else ()
    return replace(joint, notes=notes, left_out=total - whole)


# -- sums of a column beside the joint counts


@dataclass(frozen=True, eq=False)
class JointAmounts:
    """Sums of a column and of its squares, shape (K,), in the order of the cells of joint counts."""

    sums: Array
    squares: Array


def amounts_of_table(
    table: ask.Table, truth: str | None, predictions: Mapping[str, str], column: str, joint: JointCounts
) -> JointAmounts:
    """The sums of a column of a table whose joint counts are these."""
    find_column(column, table.names)
    named = [truth_among(table.names, truth, list(predictions.values())), *predictions.values()]
    answer = table.groups(list(map(ask.Column, named)), ask.weight_sums(column))
    # Joint counts left such rows out, or refused them.
    rows = [row for row in answer if not any(map(is_missing, row[:-4]))]
    bad = sum(int(row[-2]) for row in rows)
    if bad:
        raise InputError(
            f"the amounts of column {column!r} cannot be used",
            found=f"{bad:,} that {'is' if bad == 1 else 'are'} missing, negative, infinite or no number",
            allowed="a number of at least 0 in every row",
        )
    sums, squares = np.zeros(len(joint.counts)), np.zeros(len(joint.counts))
    for at, row in zip(_cells_of([row[:-4] for row in rows], table, joint), rows, strict=True):
        sums[at] += float(row[-3])
        squares[at] += float(row[-1])
    return JointAmounts(sums, squares)


def _cells_of(rows: Sequence[tuple[Any, ...]], table: ask.Table, joint: JointCounts) -> list[int]:
    """The cell of the joint counts that each combination of truth and predictions belongs to."""
    spelled = one_spelling(*zip(*rows, strict=True)) if table.holds_text and rows else {}
    place = {label: k for k, label in enumerate(joint.labels)}
    cells = zip(joint.truth.tolist(), *joint.predictions.T.tolist(), strict=True)
    cell = {key: k for k, key in enumerate(cells)}
    return [cell[tuple(place[spelled.get(value, value)] for value in row)] for row in rows]


def counts_by(
    table: ask.Table,
    truth: str | None,
    predictions: Mapping[str, str],
    columns: Sequence[str],
    joint: JointCounts,
) -> dict[tuple[str, ...], Array]:
    """For each combination of values of further columns the labelled rows in each cell of the joint counts;
    refuses labelled rows that lack a prediction."""
    named = [truth_among(table.names, truth, list(predictions.values())), *predictions.values()]
    rows = [row for row in combinations(table, [*named, *columns]) if not is_missing(row[0])]
    lacking = sum(row[-1] for row in rows if any(map(is_missing, row[1 : len(named)])))
    if lacking:
        raise InputError(
            "a labelled row has no prediction", found=f"{lacking:,} rows", allowed="one of every model"
        )
    counts: dict[tuple[str, ...], Array] = {}
    for at, row in zip(_cells_of([row[: len(named)] for row in rows], table, joint), rows, strict=True):
        key = tuple(map(str, row[len(named) : -1]))
        counts.setdefault(key, np.zeros(len(joint.counts), dtype=np.int64))[at] += row[-1]
    return counts


# -- scores of several models, row by row


def named_columns(
    columns: Sequence[str], paths: Sequence[str | Path], known: Sequence[str] = ()
) -> dict[str, str]:
    """'rf=p_rf' as the column p_rf of model rf; a known column may hold a sign of equality itself."""
    # A column without a name stands for itself, or for its file where there are several.
    named: dict[str, str] = {}
    many = len(paths) > 1
    if many and len(columns) == 1 and "=" not in columns[0]:
        return {Path(path).stem: columns[0] for path in paths}
    if many and columns and len(columns) != len(paths):
        raise InputError(
            "the score columns do not fit the files",
            found=f"{len(columns)} columns for {len(paths)} files",
            allowed=f"one {parameter('score')} for all files, or one for each",
        )
    for place, words in enumerate(columns):
        name, equals, column = (words, "", "") if words in known else words.partition("=")
        name, column = (
            (name.strip(), column.strip()) if equals else (Path(paths[place]).stem if many else words, words)
        )
        if not name or not column or name in named:
            raise InputError(
                "this column is not understood", found=repr(words), allowed="different names, as in rf=p_rf"
            )
        named[name] = column
    return named


@dataclass(frozen=True)
class ScoredRows:
    """The columns of a comparison, and the joint counts of the predictions where they were counted."""

    truth: Any
    predictions: Mapping[str, Any]
    scores: Mapping[str, Any]
    #: The fold or cluster of each row.
    groups: Any = None
    #: Rows that were left out because they lack a label or a score.
    left_out: int = 0
    joint: JointCounts | None = None

    def whole(self) -> ScoredRows:
        """The same columns without the rows that lack the truth, a prediction or a score."""
        columns = [self.truth, *self.predictions.values(), *self.scores.values()]
        whole = ~np.logical_or.reduce([missing_rows(column) for column in columns])
        if not whole.any():
            raise InputError(
                "every row lacks its truth or a prediction" + (" or a score" if self.scores else ""),
                found=f"{len(whole):,} rows",
                allowed="at least one whole row",
            )
        return ScoredRows(
            keep_rows(self.truth, whole),
            {name: keep_rows(column, whole) for name, column in self.predictions.items()},
            {name: keep_rows(column, whole) for name, column in self.scores.items()},
            None if self.groups is None else keep_rows(self.groups, whole),
            int(np.count_nonzero(~whole)),
        )


def scored_rows(models: ModelColumns, fold: str | None = None, missing: str = "error") -> ScoredRows:
    """The true labels and scores of each model, row by row, with the joint counts of the same rows."""
    # Rows that lack a label or a score are refused, or left out for all models.
    table, columns, scores = models.table, models.predictions, models.scores
    truth = truth_among(table.names, models.truth, [*columns.values(), *scores.values()])
    refuse_truth_as_prediction(truth, columns.values())
    # DeLong needs the scores of a row side by side: rows are fetched, where counting fetches groups.
    labelled = [truth, *columns.values(), *([fold] if fold else [])]
    for column in (*labelled, *scores.values()):
        find_column(column, table.names)
    refuse_no_numbers(table, list(scores.values()))
    values = table.columns([*map(ask.Column, labelled), *map(ask.Number, scores.values())])
    labels, numbers = [column.tolist() for column in values[: len(labelled)]], values[len(labelled) :]
    for name, values_of in zip(scores.values(), numbers, strict=True):
        lost = int(np.isnan(values_of).sum())
        if lost and missing == "error":
            what = f"column {name!r} has missing scores"
            raise missing_values(what, lost, len(values_of), "a number", DROPPED_FOR_ALL)
    predictions = dict(zip(columns, labels[1:], strict=False))
    groups = labels[-1] if fold else None
    rows = ScoredRows(labels[0], predictions, dict(zip(scores, numbers, strict=True)), groups)
    rows = rows.whole() if missing == "drop" else rows
    if absent := sum(map(is_missing, rows.truth)):
        raise missing_values(f"column {truth!r} has missing labels", absent, len(rows.truth), "a label", "")
    labels = [rows.truth, *rows.predictions.values()]
    joint = None
    if columns:
        counted = Counter(zip(*labels, *([rows.groups] if fold else []), strict=True))
        cells = [(*key, number) for key, number in counted.items()]
        joint = joint_of_rows(cells, truth, list(columns), fold, text=table.holds_text, missing="error")
        joint = replace(joint, left_out=rows.left_out)
    spelled = one_spelling(*labels) if table.holds_text else {}
    first, *others = ([spelled.get(label, label) for label in column] for column in labels)
    return replace(rows, truth=first, predictions=dict(zip(columns, others, strict=True)), joint=joint)
