"""How are the scores of a lazy frame, or of a relation of DuckDB, read when they do not fit into memory?

What computes them writes the columns that are asked for, batch by batch, to a Parquet file of its own, which
is then read as any other file is: in bins where its scores are too many, with the same bounds. So the plan
behind a frame runs once after its rows are counted, however often they are looked at.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steelyard.counts.libraries import is_lazy
from steelyard.reading import score_files
from steelyard.reading.database import in_one_sentence, quoted

_WIDE = ("HUGEINT", "UHUGEINT")
"""Whole numbers that Parquet would hold as floating ones."""


@contextmanager
def handed_over(data: Any, wanted: Sequence[str], scores: Sequence[str], exact: bool) -> Iterator[Any]:
    """These columns of a lazy frame or relation: in memory where the scores fit there, or are all asked for;
    else the path of a file, which is removed afterwards."""
    if is_lazy(data):
        import polars

        picked = data.select(wanted)
        rows = 0 if exact else data.select(polars.len()).collect(engine="streaming").item()
        if rows * len(scores) <= score_files.SCORES_IN_MEMORY:
            yield picked.collect()
            return
        with _folder() as folder:
            picked.sink_parquet(folder / "scores.parquet", compression="lz4")
            yield str(folder / "scores.parquet")
        return
    kinds = dict(zip(data.columns, map(str, data.types), strict=True))
    columns = [
        f"CAST({quoted(name)} AS BIGINT) AS {quoted(name)}"
        if kinds[name] in _WIDE and name not in scores
        else quoted(name)
        for name in wanted
    ]
    with _folder() as folder:
        with in_one_sentence(None):
            data.project(", ".join(columns)).write_parquet(str(folder / "scores.parquet"))
        yield str(folder / "scores.parquet")


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        yield Path(folder)
