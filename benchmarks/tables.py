"""Tables of predictions, made by integer arithmetic: the same rows on every machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CLASSES = 10


def write_predictions(path: Path, rows: int, classes: int = CLASSES, slices: int = 20) -> None:
    """A Parquet file: truth y, two models a and b, a slice s and a weight w; about one prediction in five is wrong."""
    import duckdb

    truth = f"(i * 7919 % 1000003) % {classes}"
    models = [
        f"CASE WHEN (i * {prime} % 1009) < 800 THEN {truth} ELSE (i * {prime} % 100003) % {classes} END" for prime in (104729, 15485863)
    ]
    query = f"SELECT {truth} AS y, {models[0]} AS a, {models[1]} AS b, i % {slices} AS s, (i % 4) * 0.25 AS w FROM range({rows}) t(i)"
    with duckdb.connect() as database:
        database.execute("SET memory_limit = '1GB'")
        database.execute("SET preserve_insertion_order = false")
        database.sql(query).write_parquet(str(path))


def labels(rows: int, classes: int = CLASSES) -> tuple[NDArray[Any], NDArray[Any]]:
    """Columns of true and predicted codes."""
    generator = np.random.default_rng(7)
    truth = generator.integers(0, classes, rows)
    return truth, np.where(generator.random(rows) < 0.8, truth, generator.integers(0, classes, rows))
