"""How does the cost of counting grow with rows, classes, slices and workers? `python -m benchmarks.scaling` prints the tables of docs/scale.md."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import steelyard as sy
from benchmarks.tables import write_predictions
from benchmarks.timing import best_seconds

MILLION = 1_000_000


def run(millions: int = 20) -> Iterator[str]:
    """The tables of docs/scale.md, line by line."""
    with tempfile.TemporaryDirectory(prefix="steelyard-scaling-") as name:
        folder = Path(name)
        yield from _rows(folder, millions)
        yield from _classes_and_slices(folder, millions)
        yield from _workers(folder, millions)


def _rows(folder: Path, millions: int) -> Iterator[str]:
    yield "rows: DuckDB, 10 classes, ns a row for one model, for two models, and with slices and weights"
    one = folder / "rows-0.parquet"
    write_predictions(one, millions * MILLION)
    for copies in (1, 4, 10):
        for i in range(copies):
            if not (folder / f"rows-{i}.parquet").exists():
                os.link(one, folder / f"rows-{i}.parquet")
        source, rows = str(folder / "rows-*.parquet"), copies * millions * MILLION
        ways = {
            "one": partial(sy.count, source, truth="y", pred="a"),
            "two": partial(sy.count, source, truth="y", pred=["a", "b"]),
            "cut": partial(sy.count, source, truth="y", pred="a", by="s", weight="w"),
        }
        times = best_seconds(ways, turns=2, warm_up=False)
        yield f"  {rows / MILLION:,.0f} M: " + ", ".join(f"{times[way] / rows * 1e9:.1f}" for way in ways)
    for i in range(1, 10):
        (folder / f"rows-{i}.parquet").unlink()


def _classes_and_slices(folder: Path, millions: int) -> Iterator[str]:
    yield f"classes and slices: DuckDB, {millions} M rows, seconds and groups"
    for classes, slices in ((10, 1), (1_000, 1), (50_000, 1), (10, 100), (10, 10_000)):
        path = folder / "classes.parquet"
        write_predictions(path, millions * MILLION, classes, slices)
        by = ["s"] if slices > 1 else []
        try:
            start = time.perf_counter()
            counts = sy.count(str(path), truth="y", pred="a", by=by)
            found = f"{time.perf_counter() - start:.2f} s, {len(counts.groups['a']):,} groups"
        except sy.InputError as error:
            found = f"refused: {error}"
        yield f"  {classes:,} classes, {slices:,} slices: {found}"
        path.unlink()


def _workers(folder: Path, millions: int) -> Iterator[str]:
    from steelyard.reading.spark import session

    yield f"workers: Spark, {4 * millions} M rows, seconds and bytes shuffled"
    for i in range(1, 4):
        os.link(folder / "rows-0.parquet", folder / f"rows-{i}.parquet")
    for cores in (1, 2):
        spark, _ = session(f"local[{cores}]")
        try:
            frame = spark.read.parquet(str(folder))
            for pred, by in ((["a"], []), (["a", "b"], ["s"])):
                taken = best_seconds(
                    {"count": partial(sy.count, frame, truth="y", pred=pred, by=by)}, turns=2
                )["count"]
                yield f"  {cores} cores, models {pred}, slices {by}: {taken:.2f} s, {_shuffled(spark):,} bytes in {_tasks(spark)} tasks"
        finally:
            spark.stop()


def _last_map_stage(spark: Any) -> Any:
    """The last stage that wrote groups to be shuffled."""
    store = spark.sparkContext._jsc.sc().statusStore()
    stages = []
    for number in range(1000):
        try:
            stages.append(store.lastStageAttempt(number))
        except Exception:  # Java's NoSuchElementException: there are no more stages
            break
    return next(stage for stage in reversed(stages) if stage.shuffleWriteBytes() > 0)


def _shuffled(spark: Any) -> int:
    return int(_last_map_stage(spark).shuffleWriteBytes())


def _tasks(spark: Any) -> int:
    return int(_last_map_stage(spark).numTasks())


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
