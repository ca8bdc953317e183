"""What is counted under load? Each trial runs in a process of its own, says what it found, and its memory is measured."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy

PART_ROWS = 10_000_000


def resident() -> float:
    """Megabytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def answered(query: str) -> Any:
    """What DuckDB makes of a query."""
    import duckdb

    return duckdb.sql(query)


def rows(number: int) -> dict[str, Any]:
    """So many rows in Parquet parts; the parts are one file under many names, read again each time."""
    part_rows = min(number, PART_ROWS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        query = f"SELECT (hash(i) % 100 < 3)::INT AS y, (hash(i + 7) % 100 < 4)::INT AS p FROM range({part_rows}) r(i)"
        answered(query).write_parquet(str(folder / "part-0000.parquet"))
        expected = answered(
            f"SELECT y, p, count(*) FROM read_parquet('{folder / 'part-0000.parquet'}') GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        parts = number // part_rows
        for i in range(1, parts):
            os.link(folder / "part-0000.parquet", folder / f"part-{i:04d}.parquet")
        counts = sy.count(str(folder / "part-*.parquet"), truth="y", pred="p", memory_limit="1GB")
    matrix = counts.confusion().counts
    right = all(int(matrix[y, p]) == parts * n for y, p, n in expected)
    return {"right": right and counts.rows == parts * part_rows, "rows": counts.rows, "parts": parts}


def dense_classes(number: int) -> dict[str, Any]:
    """A matrix of so many classes, and measures of it."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, number, 1_000_000)
    pred = np.where(rng.random(len(truth)) < 0.8, truth, rng.integers(0, number, len(truth)))
    matrix = sy.Confusion.from_labels(truth, pred, labels=list(range(number)))
    found = sy.weigh(["accuracy", "macro_recall", "kappa", "mcc"], matrix)
    hits = float((truth == pred).mean())
    return {
        "right": abs(found["accuracy"] - hits) < 1e-12,
        "classes": matrix.n_classes,
        "kappa": found["kappa"],
    }


def sparse_classes(number: int) -> dict[str, Any]:
    """Pairs of so many classes in a file, of which no matrix is made."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.parquet"
        query = f"SELECT i % {number} AS y, (CASE WHEN i % 10 = 0 THEN i + 1 ELSE i END) % {number} AS p FROM range({5 * number}) r(i)"
        answered(query).write_parquet(str(path))
        counts = sy.count(str(path), truth="y", pred="p")
    sums = counts.classes()
    right = len(sums) == number and sum(s.actual for s in sums.values()) == 5 * number
    return {
        "right": right and sum(s.hits for s in sums.values()) == 5 * number - -(-5 * number // 10),
        "classes": len(sums),
    }


def slices(number: int) -> dict[str, Any]:
    """So many slices of ten rows, counted and evaluated."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.parquet"
        query = f"SELECT 's' || (i % {number}) AS s, (hash(i) % 4 = 0)::INT AS y, (hash(i) % 5 = 0)::INT AS p FROM range({10 * number}) r(i)"
        answered(query).write_parquet(str(path))
        result = sy.evaluate(str(path), truth="y", pred="p", slices=["s"], interval=None)
    total = sum(float(matrix.total) for matrix in result.counted.slices.values())
    return {
        "right": len(result.counted.slices) == number and total == 10 * number,
        "slices": len(result.counted.slices),
    }


def watch(blocks: int) -> dict[str, Any]:
    """So many blocks of a stream that never ends, one a minute: what does memory do between the first quarter and the end?"""
    rng = np.random.default_rng(2)
    watching = sy.Watch()
    after_a_quarter = 0.0
    alarms = 0
    for block in range(blocks):
        truth = (rng.random(500) < 0.1).astype(np.int64)
        pred = np.where(rng.random(500) < 0.9, truth, 1 - truth)
        alarms += bool(watching.check(sy.Confusion.from_labels(truth, pred, labels=[0, 1])).alarms)
        if block == blocks // 4:
            after_a_quarter = resident()
    grown = resident() - after_a_quarter
    kilobytes = 1024 * grown / (0.75 * blocks)
    return {
        "right": kilobytes < 32,
        "blocks": blocks,
        "grown_mb": round(grown, 1),
        "kb_a_block": round(kilobytes, 2),
    }


def tally(batches: int) -> dict[str, Any]:
    """A tally with a window, fed so many batches of 100 rows, one a second: memory after the window is full, and at the end."""
    rng = np.random.default_rng(3)
    growing = sy.Tally(window=10_000)
    full = 0.0
    for batch in range(batches):
        truth = rng.integers(0, 5, 100)
        growing.update(truth, np.where(rng.random(100) < 0.9, truth, rng.integers(0, 5, 100)))
        if batch == batches // 10:
            full = resident()
    grown = resident() - full
    right = growing.rows == 100 * batches and int(growing.confusion.total) == 10_000
    return {"right": right and grown < 5, "batches": batches, "grown_mb": round(grown, 2)}


TRIALS: dict[str, tuple[Callable[[int], dict[str, Any]], int, int, int]] = {
    "rows": (rows, 20_000_000, 1_000_000_000, 3_000),
    "classes, dense": (dense_classes, 1_000, 5_000, 3_000),
    "classes, sparse": (sparse_classes, 50_000, 50_000, 2_000),
    "slices": (slices, 2_000, 100_000, 4_000),
    "watch for 24 hours, a block a minute": (watch, 240, 1_440, 1_000),
    "tally for 24 hours, a batch a second": (tally, 8_640, 86_400, 600),
}
"""For each trial: what is done, how much of it in a sample and in full, and the megabytes it may take."""
