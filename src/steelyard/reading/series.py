"""How often does each pair of labels occur in each block of a series, when the series is in files?

Rows follow each other as they are written, file by file; a block is so many of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.counts.labels import Label, check_missing, one_spelling
from steelyard.reading.duckdb_files import open_files, opened, quoted
from steelyard.reading.groups import Group, ModelCounts, as_found, checked, dense, labels_in, slice_text
from steelyard.reading.named_columns import find_column
from steelyard.reading.number_columns import number_of

BLOCK = "block"
_AT = '"number of the block"'


def count_series(
    path: str | Path,
    block: int,
    *,
    truth: str | None = None,
    pred: str | None = None,
    weight: str | None = None,
    slices: Sequence[str] = (),
    missing: str = "error",
    labels: Sequence[Label] | None = None,
) -> ModelCounts:
    """The labels predicted against the truth, cut by the slices and then by the number of the block."""
    check_missing(missing)
    files = open_files(path)
    truth = find_column(truth, files.columns, "truth", "truth=...")
    pred = find_column(pred, [c for c in files.columns if c != truth], "prediction", "pred=...")
    cut = [find_column(column, files.columns, "column", "") for column in slices]
    weight = None if weight is None else find_column(weight, files.columns, "column", "")
    wanted = list(dict.fromkeys([truth, pred, *cut, *([weight] if weight else [])]))
    keys = [quoted(truth), quoted(pred), *map(quoted, cut)]
    amount = number_of(weight) if weight else "1"
    with opened(files, wanted) as table:
        rows = table.rows(
            f"SELECT {', '.join(keys)}, {_AT}, count(*), "
            f"{f'coalesce(sum({amount}), 0)' if weight else 'count(*)'}, "
            f"{_unusable(amount) if weight else '0'}, "
            f"{f'coalesce(sum({amount} * {amount}), 0)' if weight else '0'} "
            f"FROM (SELECT *, (row_number() OVER () - 1) // {block:d} AS {_AT} FROM source) GROUP BY ALL"
        )
        groups = [
            Group(
                table.label(row[0], truth),
                table.label(row[1], pred),
                (
                    *(slice_text(table.label(v, name)) for v, name in zip(row[2:-5], cut, strict=True)),
                    str(row[-5]),
                ),
                row[-4],
                row[-3],
                row[-2],
                float(row[-1]),
            )
            for row in rows
        ]
    spelled = one_spelling(*labels_in(groups)) if files.format == "csv" else {}
    groups = [
        g._replace(truth=spelled.get(g.truth, g.truth), prediction=spelled.get(g.prediction, g.prediction))
        for g in groups
    ]
    kept, all_rows, lost = checked(groups, truth, pred, missing, None, labels)
    return dense(
        kept,
        truth=truth,
        pred=pred,
        unused=[column for column in files.columns if column not in wanted],
        slice_columns=(*cut, BLOCK),
        weighted=weight is not None,
        labels=None if labels is None else as_found(labels, kept, files.format == "csv"),
        rows=all_rows,
        missing=lost,
        spelled=spelled,
    )


def _unusable(amount: str) -> str:
    return f"count(*) FILTER ({amount} IS NULL OR NOT isfinite({amount}) OR {amount} < 0)"
