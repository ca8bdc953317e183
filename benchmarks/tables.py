"""Tables of predictions that look like real ones: nothing in them repeats, so nothing compresses away."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CLASSES = 10


def write_predictions(path: Path, rows: int, classes: int = CLASSES, slices: int = 20) -> None:
    """A Parquet file: truth y, two models a and b that are right on 8 rows of 10, a slice s and a weight w."""
    import duckdb

    def drawn(seed: int, below: int) -> str:
        return f"CAST(hash(i + {seed} * 1000000000000) % {below} AS BIGINT)"

    truth = drawn(1, classes)
    models = [
        f"CASE WHEN {drawn(seed, 10)} < 8 THEN {truth} ELSE {drawn(seed + 1, classes)} END" for seed in (2, 4)
    ]
    query = f"SELECT {truth} AS y, {models[0]} AS a, {models[1]} AS b, {drawn(6, slices)} AS s, (i % 4) * 0.25 AS w FROM range({rows}) t(i)"
    with duckdb.connect() as database:
        database.execute("SET memory_limit = '1GB'")
        database.execute("SET preserve_insertion_order = false")
        database.execute("SET enable_progress_bar = false")
        database.sql(query).write_parquet(str(path))


def labels(rows: int, classes: int = CLASSES) -> tuple[NDArray[Any], NDArray[Any]]:
    """Columns of true and predicted codes."""
    generator = np.random.default_rng(7)
    truth = generator.integers(0, classes, rows)
    return truth, np.where(generator.random(rows) < 0.8, truth, generator.integers(0, classes, rows))
