"""What did several models say of the same examples, when their predictions are in files?

DuckDB counts the combinations of truth and predictions in one pass; no row leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import (
    Label,
    check_missing,
    in_order_of,
    is_missing,
    one_spelling,
    spelling_note,
)
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.counting import combinations
from steelyard.reading.duckdb_files import Files, FileTable, open_files, opened, quoted
from steelyard.reading.engines import Source, open_source
from steelyard.reading.groups import refuse_scores, refuse_strangers
from steelyard.reading.named_columns import order_in_frame, refuse_truth_as_prediction, truth_among


def read_joint(
    paths: Sequence[str | Path],
    truth: str | None,
    predictions: Sequence[str],
    *,
    key: str | None = None,
    fold: str | None = None,
    engine: str | None = None,
    spark_master: str | None = None,
    missing: str = "error",
) -> JointCounts:
    """Joint counts from one file with a column for each model, or from a file for each model whose rows are
    matched by a key. Without a name the truth is the column that is named like one. Rows that lack a label
    are refused, or left out for all models."""
    check_missing(missing)
    if not paths:
        raise InputError("there is no file to read", found="none", allowed="at least one file of predictions")
    if len(set(predictions)) != len(predictions):
        raise InputError(
            "a prediction column is named twice", found=", ".join(predictions), allowed="different columns"
        )
    if len(paths) == 1:
        source = open_source(str(paths[0]), engine, spark_master)
        return _one_source(source, truth, predictions, fold, missing)
    if engine not in (None, "duckdb"):
        raise InputError(
            "rows of several files are matched by DuckDB only",
            found=f"engine {engine!r}",
            do="put the predictions into one table, or leave out engine=",
        )
    return _matched_files([Path(path) for path in paths], truth, predictions, key, fold, missing)


def _one_source(
    source: Source, truth: str | None, predictions: Sequence[str], fold: str | None, missing: str
) -> JointCounts:
    try:
        return joint_of_source(source, truth, {column: column for column in predictions}, fold, missing)
    finally:
        source.close()


def joint_of_source(
    source: Source,
    truth: str | None,
    predictions: Mapping[str, str],
    fold: str | None = None,
    missing: str = "error",
    frame: Any = None,
) -> JointCounts:
    """Joint counts from one source with a column for each model (model -> column), counted where it is;
    `frame` is the frame that it is of, whose categories may have an order."""
    if len(predictions) < 2:
        listed = [name.strip() for column in predictions.values() for name in column.split(",")]
        raise InputError(
            "a comparison needs models",
            found=f"{len(predictions)} prediction column in one file",
            allowed="several pred= columns, or several files with key=",
            do=f"say pred= once for each of {', '.join(listed)}" if len(listed) > 1 else "",
        )
    truth = truth_among(source.columns, truth, list(predictions.values()))
    refuse_truth_as_prediction(truth, predictions.values())
    asked = [truth, *predictions.values(), *([fold] if fold else [])]
    rows = combinations(source, asked)
    order = order_in_frame(frame, [truth, *predictions.values()])
    return _joint(rows, truth, list(predictions), fold, text=source.holds_text, missing=missing, order=order)


def _matched_files(
    paths: Sequence[Path],
    truth: str | None,
    predictions: Sequence[str],
    key: str | None,
    fold: str | None,
    missing: str,
) -> JointCounts:
    if key is None:
        raise InputError(
            "rows of several files cannot be matched",
            found=f"{len(paths)} files and no key",
            allowed="a column that names each example",
            do="say key=...",
        )
    if len(predictions) not in (1, len(paths)):
        raise InputError(
            "the prediction columns do not fit the files",
            found=f"{len(predictions)} columns for {len(paths)} files",
            allowed="one pred= for all files, or one for each",
        )
    names = [path.stem for path in paths]
    if len(set(names)) != len(names):
        raise InputError(
            "two files would name the same model",
            found=", ".join(map(str, paths)),
            allowed="files with different names",
        )
    truth = truth_among(open_files(paths[0]).columns, truth, predictions)
    columns = [predictions[0]] * len(paths) if len(predictions) == 1 else list(predictions)
    wanted = [
        [truth, column, key, *([fold] if fold and number == 0 else [])]
        for number, column in enumerate(columns)
    ]
    files = [_holding(path, needed) for path, needed in zip(paths, wanted, strict=True)]
    with opened(files[0], wanted[0], "file0", keys=[key]) as table:
        others = range(1, len(files))
        tables = [table, *(table.beside(files[k], wanted[k], f"file{k}", keys=[key]) for k in others)]
        for number, path in enumerate(paths):
            _refuse_repeated_keys(table, f"file{number}", path, key)
        for number, path in enumerate(paths[1:], start=1):
            _refuse_other_keys(table, number, paths[0], path, key)
            _refuse_other_truth(table, number, paths[0], path, key, truth)
        asked = [(0, truth), *enumerate(columns), *([(0, fold)] if fold else [])]
        picked = ", ".join(f"file{k}.{quoted(column)}" for k, column in asked)
        joins = " ".join(
            f"JOIN file{k} ON {_key(key, 'file0')} = {_key(key, f'file{k}')}" for k in range(1, len(paths))
        )
        counted = table.rows(f"SELECT {picked}, count(*) FROM file0 {joins} GROUP BY ALL")
    rows = [
        (
            *(tables[k].label(value, column) for value, (k, column) in zip(row[:-1], asked, strict=True)),
            row[-1],
        )
        for row in counted
    ]
    text = all(file.format == "csv" for file in files)
    return _joint(rows, truth, names, fold, text=text, missing=missing)


def _holding(path: str | Path, needed: Sequence[str]) -> Files:
    """The file, if it has these columns."""
    files = open_files(path)
    for column in needed:
        if column not in files.columns:
            raise UnknownNameError(f"column of {Path(path).name}", column, files.columns)
    return files


def _joint(
    rows: list[tuple[Any, ...]],
    truth: str,
    models: list[str],
    fold: str | None,
    *,
    text: bool,
    missing: str,
    order: Sequence[Label] | None = None,
) -> JointCounts:
    """Joint counts from combinations of truth, predictions and fold with their numbers; in text a number may
    be written in two ways."""
    if not rows:
        raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
    given = sum(row[-1] for row in rows)
    if missing == "drop":
        rows = [row for row in rows if not any(map(is_missing, row[: 1 + len(models)]))]
    whole = sum(row[-1] for row in rows)
    if not rows:
        raise InputError(
            "every row lacks its truth or a prediction",
            found=f"{given:,} rows",
            allowed="at least one whole row",
        )
    for place, name in enumerate([truth, *models, *([fold] if fold else [])]):
        absent = sum(row[-1] for row in rows if is_missing(row[place]))
        if absent:
            raise InputError(
                f"{name} has missing values",
                found=f"{absent:,} of {whole:,} rows",
                allowed="a value in every row",
                do="" if name == fold else 'leave those rows out for all models with missing="drop"',
            )
    for place, name in enumerate([truth, *models]):
        refuse_scores(name, {row[place] for row in rows}, whole, None)
    spelled = one_spelling(*zip(*(row[: 1 + len(models)] for row in rows), strict=True)) if text else {}
    if spelled:
        rows = [
            (*(spelled.get(v, v) for v in row[: 1 + len(models)]), *row[1 + len(models) :]) for row in rows
        ]
    labels = {row[0] for row in rows}
    for place, name in enumerate(models, start=1):
        refuse_strangers(truth, name, labels, {row[place] for row in rows})
    # Engines give groups in any order; the draws of a comparison must not depend on it.
    by_column = list(zip(*sorted(rows, key=lambda row: [str(value) for value in row[:-1]]), strict=True))
    folds = _numbered(by_column[1 + len(models)]) if fold else None
    occurring = list(dict.fromkeys(value for column in by_column[: 1 + len(models)] for value in column))
    joint = JointCounts.from_cells(
        by_column[0],
        by_column[1 : 1 + len(models)],
        by_column[-1],
        models,
        labels=None if order is None else in_order_of(order, occurring),
        folds=folds,
    )
    notes = (spelling_note(spelled),) if spelled else ()
    return replace(joint, notes=notes, left_out=given - whole)


def _numbered(values: Sequence[Any]) -> list[int]:
    place = {value: k for k, value in enumerate(dict.fromkeys(values))}
    return [place[value] for value in values]


def _refuse_repeated_keys(table: FileTable, name: str, path: Path, key: str) -> None:
    repeated = table.rows(
        f"SELECT {_key(key)}, count(*) FROM {name} GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    )
    if repeated:
        raise InputError(
            f"a key occurs more than once in {path.name}",
            found=f"{key} = {repeated[0][0]} in {repeated[0][1]:,} rows",
            allowed="different keys",
        )


def _refuse_other_keys(table: FileTable, number: int, first: Path, path: Path, key: str) -> None:
    name = _key(key)
    for one, other, holder, lacking in (
        ("file0", f"file{number}", first, path),
        (f"file{number}", "file0", path, first),
    ):
        there = f"(SELECT {name} FROM {other} WHERE {name} IS NOT NULL)"
        ((lost, example),) = table.rows(
            f"SELECT count(*), min({name}) FROM {one} WHERE {name} IS NULL OR {name} NOT IN {there}"
        )
        if lost:
            raise InputError(
                "the files do not hold the same examples",
                found=f"{lost:,} keys of {holder.name} that {lacking.name} lacks, such as {example}",
                allowed="the same keys in every file",
            )


def _refuse_other_truth(table: FileTable, number: int, first: Path, path: Path, key: str, truth: str) -> None:
    mine, other = f"CAST(a.{quoted(truth)} AS VARCHAR)", f"CAST(b.{quoted(truth)} AS VARCHAR)"
    ((differing, example),) = table.rows(
        f"SELECT count(*), min({_key(key, 'a')}) FROM file0 a JOIN file{number} b ON {_key(key, 'a')} ="
        f" {_key(key, 'b')} WHERE {mine} IS DISTINCT FROM {other}"
    )
    if differing:
        raise InputError(
            "the files do not agree about the truth",
            found=(
                f"{differing:,} examples with another {truth} in {path.name} than in {first.name}, such as"
                f" {key} = {example}"
            ),
            allowed="the same truth for the same key",
        )


def _key(key: str, table: str = "") -> str:
    """A key as text: the key 7 of a Parquet file is the key 7 of a CSV file."""
    return f"CAST({table + '.' if table else ''}{quoted(key)} AS VARCHAR)"
