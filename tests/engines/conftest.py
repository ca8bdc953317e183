"""The engines under test: each makes a source out of the same rows."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import QUICK_TO_START, Cluster
from steelyard.errors import MissingExtraError
from steelyard.reading.spark import find_java
from tests.engines.memory_engine import MemoryTable
from tests.real_parts import absent

Rows = dict[str, list[Any]]


@dataclass(frozen=True)
class EngineUnderTest:
    """How an engine gets rows, and how it writes a label."""

    name: str
    source: Callable[[Rows], Any]
    written: Callable[[Any], Any] = lambda label: label


def why_no_cluster() -> str | None:
    try:
        import pyspark  # noqa: F401

        find_java()
    except (ImportError, MissingExtraError) as error:
        return str(error)
    return None


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    reason = why_no_cluster()
    if reason:
        absent(f"no Spark cluster can be started here: {reason}")
    with Cluster(workers=1) as started:
        yield started


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The Java of the driver, not yet connected to the cluster."""
    from pyspark.java_gateway import launch_gateway

    folder = tmp_path_factory.mktemp("spark")
    (folder / "spark-defaults.conf").write_text(f"spark.driver.extraJavaOptions {QUICK_TO_START}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        patch.setenv("SPARK_LAUNCHER_OPTS", QUICK_TO_START)
        gateway = launch_gateway()
    with gateway.proc:  # waits for its end
        yield gateway
        gateway.shutdown()
        gateway.proc.terminate()


@pytest.fixture(scope="session")
def spark(cluster: Cluster, driver: Any) -> Iterator[Any]:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.executor.memory": "512m",
        "spark.executor.cores": "2",  # one executor: each takes seconds to start
        "spark.cores.max": "2",
        "spark.sql.shuffle.partitions": "2",
        # Jobs of a second each: compiling them to the last costs more than they run.
        "spark.executor.extraJavaOptions": QUICK_TO_START,
    }
    conf = SparkConf().setMaster(cluster.address).setAppName("conformance").setAll(list(settings.items()))
    session = SparkSession(SparkContext(conf=conf, gateway=driver))
    yield session
    session.stop()


@pytest.fixture
def two_workers(cluster: Cluster, spark: Any) -> Cluster:
    """The session's executor runs on the first; the second is ready to take its place."""
    cluster.add_worker()
    return cluster


def kill_a_worker_in_the_middle(two_workers: Cluster, spark: Any, work: Callable[[], Any]) -> Any:
    """What this work gives although its worker dies while its tasks run."""
    tracker, found = spark.sparkContext.statusTracker(), {}
    job = threading.Thread(target=lambda: found.update(given=work()))
    job.start()
    done = total = 0
    end = time.monotonic() + 60
    while job.is_alive() and time.monotonic() < end and not (2 <= done < total):
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                done, total = info.numCompletedTasks, info.numTasks
    assert 2 <= done < total, f"the job was not in its middle: {done} of {total} tasks"
    two_workers.kill_worker()
    job.join(120)
    assert not job.is_alive(), "the job did not survive the worker"
    assert len(two_workers.workers) == 1
    return found["given"]


def arrow(rows: Rows) -> Any:
    import pyarrow

    return pyarrow.table(rows)


def polars_frame(rows: Rows) -> Any:
    import polars

    return polars.from_arrow(arrow(rows))


def pandas_frame(rows: Rows) -> Any:
    import pandas

    return pandas.DataFrame(
        {name: pandas.array(column, dtype=_pandas_type(column)) for name, column in rows.items()}
    )


def _pandas_type(column: list[Any]) -> Any:
    kinds = {type(value) for value in column if value is not None}
    return {int: "Int64", float: "Float64", bool: "boolean"}.get(kinds.pop()) if len(kinds) == 1 else None


def relation(rows: Rows) -> Any:
    import duckdb

    return duckdb.from_arrow(
        arrow(rows)
    )  # the default connection lives on; an older DuckDB closes another with its last name


def spark_frame(session: Any, rows: Rows) -> Any:
    names = list(rows)
    types = {int: "bigint", float: "double", str: "string", bool: "boolean"}
    kinds = [types[type(next(value for value in column if value is not None))] for column in rows.values()]
    schema = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    return session.createDataFrame(list(zip(*rows.values(), strict=True)), schema).toDF(*names)


def csv_file(folder: Path, rows: Rows) -> str:
    import csv

    path = folder / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(
            ["" if value is None else value for value in row] for row in zip(*rows.values(), strict=True)
        )
    return str(path)


def json_file(folder: Path, rows: Rows) -> str:
    path = folder / "rows.jsonl"
    lines = (
        json.dumps(dict(zip(rows, row, strict=True)), ensure_ascii=False)
        for row in zip(*rows.values(), strict=True)
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def parquet_files(folder: Path, rows: Rows) -> str:
    """Two files of one table."""
    import pyarrow.parquet as parquet

    table = arrow(rows)
    half = table.num_rows // 2
    for i, part in enumerate((table.slice(0, half), table.slice(half))):
        parquet.write_table(part, folder / f"part-{i}.parquet")
    return str(folder / "part-*.parquet")


ENGINES = [
    "memory",
    "relation",
    "polars",
    "polars lazy",
    "pandas",
    "arrow",
    "csv",
    "json",
    "parquet",
    "spark",
]


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.xdist_group("cluster")) if name == "spark" else name
        for name in ENGINES
    ]
)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> EngineUnderTest:
    name = request.param
    if name == "spark":
        session = request.getfixturevalue("spark")
        return EngineUnderTest(name, lambda rows: spark_frame(session, rows))
    makers: dict[str, Callable[[Rows], Any]] = {
        "memory": MemoryTable,
        "relation": relation,
        "polars": polars_frame,
        "polars lazy": lambda rows: polars_frame(rows).lazy(),
        "pandas": pandas_frame,
        "arrow": arrow,
        "csv": lambda rows: csv_file(tmp_path, rows),
        "json": lambda rows: json_file(tmp_path, rows),
        "parquet": lambda rows: parquet_files(tmp_path, rows),
    }
    return EngineUnderTest(name, makers[name], str if name == "csv" else lambda label: label)
