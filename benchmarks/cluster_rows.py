"""A hundred million rows of scores in Parquet on Spark: thresholds, costs and intervals from bins, and no row fetched.

The floor is one pass of the same session over the same file: rows of each class counted in 10,000 equal bins of the score.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb

import steelyard as sy
from benchmarks.finding import Finding, Target
from benchmarks.timing import peak, restart_peak
from steelyard.reading.spark import SparkTable, session

ROWS = 100_000_000
PRIME = 1_000_000_007
MOST_FETCHED = 200_000
"""Rows of all answers of the cluster together: bins of two classes, whatever the number of rows."""


def run() -> Iterator[Finding | str]:
    """A hundred million rows on Spark: a threshold with its intervals, and costs from a column."""
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        path = Path(folder) / "scores.parquet"
        write_rows(path)
        yield f"{ROWS:,} rows of Parquet, {path.stat().st_size / 1e6:,.0f} MB, {ROWS:,} distinct scores"
        restart_peak()
        spark, _ = session("local[2]")
        try:
            fetched = counted_answers()
            frame = spark.read.parquet(str(path))
            binned = frame.selectExpr("y", "CAST(p * 10000 AS INT) AS bin").groupBy("y", "bin")
            binned.count().collect()  # so that Java has compiled it
            start = time.perf_counter()
            binned.count().collect()
            floor = time.perf_counter() - start
            yield f"one pass over the file: {floor:.1f} s"
            calls: dict[str, Callable[[], str]] = {
                'evaluate, threshold="best:gmean"': lambda: evaluated(frame),
                "threshold, costs from a column": lambda: chosen_by_cost(frame),
            }
            for name, call in calls.items():
                fetched.clear()
                start = time.perf_counter()
                summary = call()
                seconds = time.perf_counter() - start
                yield f"{name}: {seconds:.1f} s, {summary}"
                yield Finding(f"{name}, times one pass", seconds / floor, "x")
                yield Finding(f"{name}, rows fetched", sum(fetched), "", Target("at most", MOST_FETCHED))
        finally:
            spark.stop()
    yield Finding("peak memory of the driver's Python", peak() / 1e6, "MB", Target("at most", 500))


def write_rows(path: Path) -> None:
    """Hardly two scores are alike; the same rows on every machine, by whole numbers."""
    duckdb.sql(
        f"""COPY (
        SELECT y, ((id * 7919 + 13) % {PRIME} + 200000000 * y) / 1200000007::DOUBLE AS p,
               round(0.5 + 1e6 / (1 + id * 104729 % 999983), 2) AS amount
        FROM (SELECT range AS id, CASE WHEN range * 31 % 97 < 5 THEN 1 ELSE 0 END AS y FROM range({ROWS}))
        ) TO '{path}' (FORMAT parquet)"""
    )


def counted_answers() -> list[int]:
    """From here on, how many rows each answer of the cluster has; a stream of scores is refused."""
    lengths: list[int] = []
    collected = SparkTable._collected

    def counting(self: SparkTable, frame: Any) -> Iterator[Any]:
        rows = list(collected(self, frame))
        lengths.append(len(rows))
        return iter(rows)

    def refused(self: SparkTable, frame: Any) -> Iterator[Any]:
        raise AssertionError("scores are fetched")

    SparkTable._collected = counting  # type: ignore[method-assign]
    SparkTable._streamed = refused  # type: ignore[method-assign]
    return lengths


def evaluated(frame: Any) -> str:
    evaluation = sy.evaluate(frame, truth="y", score="p", threshold="best:gmean", positive=1)
    ranking = evaluation.to_dict()["ranking"]
    area = next(row for row in ranking["classes"][0]["measures"] if row["id"] == "roc_auc")
    width = area["bounds"][1] - area["bounds"][0]
    best = ranking["threshold"]["best"]
    low, high = best["interval"]["threshold"]
    return (
        f"ROC AUC {area['value']:.6f}, interval {area['low']:.6f} to {area['high']:.6f}, bounds {width:.1g} wide; "
        f"threshold {best['threshold']:.6f}, interval {low:.6f} to {high:.6f}"
    )


def chosen_by_cost(frame: Any) -> str:
    best = sy.threshold(frame, "p", truth="y", cost="1>0=amount, 0>1=5", positive=1).best
    return (
        f"cost {best.value:.6g} a row, interval {best.value_interval}, bins leave {best.bin_error:.2g} open"
    )
