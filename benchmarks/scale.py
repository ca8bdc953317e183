"""Fifty million rows in a Parquet file and ten million in a stream, against doing it by hand and against peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from benchmarks.cluster import Cluster
from benchmarks.finding import Finding, Target
from benchmarks.tables import CLASSES, labels, write_predictions
from benchmarks.timing import PEAK, best_seconds, last_line

MILLION = 1_000_000
ROWS = 50 * MILLION
STREAM = 10 * MILLION
BATCH = 1_000
RIVER_ROWS = MILLION
"""River takes one row a call; a tenth of the stream is enough to know its cost per row."""

COUNT_ALONE = (
    PEAK
    + """
import json, sys
import steelyard as sy
counts = sy.count(sys.argv[1], truth="y", pred="a")
print(json.dumps([counts.rows, peak() / 2**20]))
"""
)


def run() -> Iterator[Finding | str]:
    """Counting tables with DuckDB and with Spark, and tallying a stream."""
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        table = Path(folder) / "predictions.parquet"
        write_predictions(table, ROWS)
        yield from _duckdb(table)
        yield from _cost_per_row(table)
        yield from _spark(table)
    yield from _stream()


def _duckdb(table: Path) -> Iterator[Finding | str]:
    import duckdb

    def by_hand() -> Any:
        with duckdb.connect() as database:
            return database.execute(f"SELECT y, a, count(*) FROM '{table}' GROUP BY y, a").fetchall()

    times = best_seconds(
        {"by hand": by_hand, "ours": lambda: sy.count(str(table), truth="y", pred="a")}, turns=5
    )
    ours = {(g.truth, g.prediction): g.rows for g in sy.count(str(table), truth="y", pred="a").groups["a"]}
    if ours != {(y, a): n for y, a, n in by_hand()}:
        raise AssertionError("the counts differ from those by hand")
    yield f"{ROWS:,} rows, {CLASSES} classes, Parquet of {table.stat().st_size / 1e6:,.0f} MB: {_told(times)}"
    yield Finding(
        "DuckDB, times SELECT count(*) ... GROUP BY by hand",
        times["ours"] / times["by hand"],
        "x",
        Target("at most", 2),
    )
    answer = subprocess.run(
        [sys.executable, "-c", COUNT_ALONE, str(table)], capture_output=True, text=True, check=True
    )
    rows, peak = json.loads(last_line(answer.stdout))
    if rows != ROWS:
        raise AssertionError(f"{rows} rows were counted")
    yield Finding("peak memory of the process that counts", peak, "MB", Target("below", 1000))


def _cost_per_row(table: Path) -> Iterator[Finding | str]:
    """From one million to two hundred million rows; the largest table is the same file four times."""
    few = table.with_name("few.parquet")
    write_predictions(few, MILLION)
    for i in range(4):
        os.link(table, table.with_name(f"part-{i}.parquet"))
    sizes = {1: str(few), 50: str(table), 200: str(table.with_name("part-*.parquet"))}
    ways: dict[str, Callable[[], Any]] = {
        str(size): partial(sy.count, path, truth="y", pred="a") for size, path in sizes.items()
    }
    times = best_seconds(ways, turns=3)
    cost = {size: times[str(size)] / size * 1000 for size in sizes}
    yield "cost per row: " + ", ".join(f"{value:.1f} ns at {size} M rows" for size, value in cost.items())
    yield Finding(
        "cost per row at 200 M rows, times that at 50 M", cost[200] / cost[50], "x", Target("at most", 1.1)
    )


def _spark(table: Path) -> Iterator[Finding | str]:
    try:
        from steelyard.reading.spark import find_java, session

        find_java()
    except (ImportError, sy.SteelyardError) as error:
        yield f"nothing is said of Spark: {error}"
        return
    with Cluster(workers=2) as cluster:
        spark, _ = session(cluster.address)
        try:
            frame = spark.read.parquet(str(table))
            ways: dict[str, Callable[[], Any]] = {
                "groupBy.count by hand": lambda: frame.groupBy("y", "a").count().collect(),
                "ours": lambda: sy.count(frame, truth="y", pred="a"),
            }
            times = best_seconds(ways, turns=5)
            by_hand = {(row["y"], row["a"]): row["count"] for row in ways["groupBy.count by hand"]()}
            if by_hand != {
                (g.truth, g.prediction): g.rows for g in sy.count(frame, truth="y", pred="a").groups["a"]
            }:
                raise AssertionError("the counts differ from those by hand")
        finally:
            spark.stop()
    yield f"the same table on a Spark cluster of two workers: {_told(times)}"
    yield Finding(
        "Spark, times a groupBy.count by hand",
        times["ours"] / times["groupBy.count by hand"],
        "x",
        Target("at most", 1.5),
    )


def _stream() -> Iterator[Finding | str]:
    truth, predicted = labels(STREAM)
    batches = [(truth[i : i + BATCH], predicted[i : i + BATCH]) for i in range(0, STREAM, BATCH)]

    def ours() -> Any:
        tally = sy.Tally()
        for y, p in batches:
            tally.update(y, p)
        return tally.confusion

    if not np.array_equal(
        ours().counts,
        np.bincount(truth * CLASSES + predicted, minlength=CLASSES**2).reshape(CLASSES, CLASSES),
    ):
        raise AssertionError("the tally differs from counting at once")
    least = best_seconds({"ours": ours}, turns=3)["ours"]
    yield f"{STREAM:,} rows in batches of {BATCH:,}: {least:.2f} s"
    for name, peer, rows in (("river", _river, RIVER_ROWS), ("torchmetrics", _torchmetrics, STREAM)):
        try:
            way = peer(batches[: rows // BATCH])
        except ImportError:
            yield f"{name} is not installed: nothing is said of it"
            continue
        taken = best_seconds({name: way}, turns=2)[name] * (STREAM / rows)
        note = "" if rows == STREAM else f", from its cost on {rows:,} rows"
        yield f"{name} on the same stream: {taken:.1f} s{note}"
        yield Finding(
            f"a tally, times faster than the confusion matrix of {name}",
            taken / least,
            "x",
            Target("at least", 10),
        )


def _river(batches: list[Any]) -> Callable[[], Any]:
    from river.metrics import ConfusionMatrix

    rows = [(y.tolist(), p.tolist()) for y, p in batches]

    def way() -> None:
        matrix = ConfusionMatrix()
        for ys, ps in rows:
            for y, p in zip(ys, ps, strict=True):
                matrix.update(y, p)

    return way


def _torchmetrics(batches: list[Any]) -> Callable[[], Any]:
    import torch
    from torchmetrics.classification import MulticlassConfusionMatrix

    tensors = [(torch.from_numpy(p), torch.from_numpy(y)) for y, p in batches]

    def way() -> None:
        matrix = MulticlassConfusionMatrix(num_classes=CLASSES)
        for p, y in tensors:
            matrix.update(p, y)
        matrix.compute()

    return way


def _told(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f} s" for name, value in times.items())


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
