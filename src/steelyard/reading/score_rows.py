"""Which scores did several models give the same rows, when they are in files?

A paired comparison of rankings needs the rows side by side, so these columns are read whole: truth and one
number per model and row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import is_missing, keep_rows, missing_rows, spelling_note
from steelyard.errors import InputError
from steelyard.reading.duckdb_files import open_files, opened, quoted
from steelyard.reading.named_columns import find_column, refuse_truth_as_prediction, truth_among
from steelyard.reading.number_columns import number_of, refuse_no_numbers

Array = NDArray[Any]


def named_columns(given: Sequence[str], paths: Sequence[str | Path]) -> dict[str, str]:
    """'rf=p_rf' as the column p_rf of model rf; a column without a name stands for itself, or for its file
    where there are several."""
    named: dict[str, str] = {}
    many = len(paths) > 1
    if many and len(given) == 1 and "=" not in given[0]:
        return {Path(path).stem: given[0] for path in paths}
    if many and len(given) != len(paths):
        raise InputError(
            "the score columns do not fit the files",
            found=f"{len(given)} columns for {len(paths)} files",
            allowed="one score= for all files, or one for each",
        )
    for place, words in enumerate(given):
        name, equals, column = words.partition("=")
        name, column = (
            (name.strip(), column.strip()) if equals else (Path(paths[place]).stem if many else words, words)
        )
        if not name or not column or name in named:
            raise InputError(
                "this score is not understood", found=repr(words), allowed="different names, as in rf=p_rf"
            )
        named[name] = column
    return named


def read_score_rows(
    paths: Sequence[str | Path], truth: str | None, given: Sequence[str], key: str | None = None
) -> tuple[list[Any], dict[str, Array]]:
    """The true labels and the scores of each model, row by row; rows of several files are brought together by
    their key."""
    columns = named_columns(given, paths)
    if truth is None:
        truth = truth_among(open_files(paths[0]).columns, None, list(columns.values()))
    if len(paths) == 1:
        labels, read, _ = _read(paths[0], truth, list(columns.values()), None)
        return labels, dict(zip(columns, read, strict=True))
    if key is None:
        raise InputError(
            "rows of several files cannot be matched",
            found=f"{len(paths)} files and no key",
            do="say key=...",
        )
    aligned: dict[str, Array] = {}
    first: list[Any] = []
    for place, (path, (name, column)) in enumerate(zip(paths, columns.items(), strict=True)):
        labels, read, keys = _read(path, truth, [column], key)
        order = np.argsort(
            np.array(keys, dtype=str), kind="stable"
        )  # that the keys are the same was checked with the predictions
        aligned[name] = read[0][order]
        if not place:
            first = [labels[row] for row in order.tolist()]
        elif len(labels) != len(first):
            raise InputError(
                "the files do not hold the same examples",
                found=f"{len(first):,} and {len(labels):,} rows",
                allowed="the same",
            )
    return first, aligned


@dataclass(frozen=True)
class WholeRows:
    """Rows of one file that have a truth, a prediction and a score of every model."""

    truth: list[Any]
    scores: dict[str, Array]
    joint: JointCounts


def read_whole_rows(
    path: str | Path,
    truth: str | None,
    predictions: Sequence[str],
    given: Sequence[str],
    fold: str | None = None,
) -> WholeRows:
    """What several models say and which scores they give, of the rows of a file that lack none of it."""
    named = named_columns(given, [path])
    files = open_files(path)
    truth = truth_among(files.columns, truth, [*predictions, *named.values()])
    refuse_truth_as_prediction(truth, predictions)
    said = [truth, *predictions, *([fold] if fold else [])]
    for column in (*said, *named.values()):
        find_column(column, files.columns, "column", "")
    with opened(files, list(dict.fromkeys([*said, *named.values()]))) as table:
        for score in named.values():
            refuse_no_numbers(table, score)
        taken = [f"{quoted(column)} AS l{k}" for k, column in enumerate(said)]
        taken += [f"{number_of(column)} AS s{k}" for k, column in enumerate(named.values())]
        found = table.arrays(f"SELECT {', '.join(taken)} FROM source")
        columns = [
            [table.label(value, column) for value in found[f"l{k}"].tolist()] for k, column in enumerate(said)
        ]
        spelled = table.spelled(*columns[: 1 + len(predictions)])
    scores = [np.asarray(found[f"s{k}"], dtype=np.float64) for k in range(len(named))]
    lacking = [missing_rows(column) for column in columns[: 1 + len(predictions)]]
    kept = ~np.logical_or.reduce([*lacking, *map(np.isnan, scores)])
    if not kept.any():
        raise InputError(
            "every row lacks its truth, a prediction or a score",
            found=f"{len(kept):,} rows",
            allowed="at least one whole row",
        )
    whole = [[spelled.get(label, label) for label in keep_rows(column, kept)] for column in columns]
    joint = JointCounts.from_columns(
        whole[0], dict(zip(predictions, whole[1:], strict=False)), folds=whole[-1] if fold else None
    )
    notes = (spelling_note(spelled),) if spelled else ()
    joint = replace(joint, notes=notes, left_out=int(np.count_nonzero(~kept)))
    return WholeRows(whole[0], {name: s[kept] for name, s in zip(named, scores, strict=True)}, joint)


def _read(
    path: str | Path, truth: str, scores: Sequence[str], key: str | None
) -> tuple[list[Any], list[Array], list[Any]]:
    files = open_files(path)
    for column in (truth, *scores, *([key] if key else [])):
        find_column(column, files.columns, "column", "")
    wanted = list(dict.fromkeys([truth, *scores, *([key] if key else [])]))
    with opened(files, wanted, keys=[key] if key else []) as table:
        taken = ", ".join(
            [f"{quoted(truth)} AS t", *(f"{number_of(score)} AS s{k}" for k, score in enumerate(scores))]
        )
        for score in scores:
            refuse_no_numbers(table, score)
        found = table.arrays(f"SELECT {taken}{f', {quoted(key)} AS k' if key else ''} FROM source")
        labels = [table.label(label, truth) for label in found["t"].tolist()]
    absent = sum(map(is_missing, labels))
    if absent:
        raise InputError(
            f"column {truth!r} has missing labels", found=f"{absent:,} rows", allowed="a label in every row"
        )
    read = [np.asarray(found[f"s{k}"], dtype=np.float64) for k in range(len(scores))]
    for name, numbers in zip(scores, read, strict=True):
        lost = int(np.isnan(numbers).sum())
        if lost:
            raise InputError(
                f"column {name!r} must hold numbers",
                found=f"{lost:,} rows without one",
                allowed="one number per row",
            )
    return labels, read, found["k"].tolist() if key else []
