"""Comparing and choosing thresholds give the same on a cluster as on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import Cluster
from steelyard.cli import main

pytestmark = pytest.mark.usefixtures("few_samples")

GLASS = Path(__file__).parents[2] / "examples" / "data" / "glass.csv"
MODELS = f"compare {GLASS} --truth truth --pred random_forest --pred logistic_regression --draws 200 --json"
SCORES = "--score a=p_tableware --score b=id --positive tableware"
THRESHOLD = (
    f"threshold {GLASS} --truth truth --score p_tableware --positive tableware --maximise gmean"
    " --replicates 20 --json"
)


def on_both(command: str, cluster: Cluster, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    """What the command prints on this machine, and on the cluster."""
    found = []
    for engine in ([], ["--engine", "spark", "--spark-master", cluster.address]):
        assert main([*command.split(), *engine]) == 0
        found.append(json.loads(capsys.readouterr().out))
    return found


def test_the_same_thresholds_as_with_duckdb(
    cluster: Cluster, spark: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark is not None  # the session whose cluster the commands use
    here, there = on_both(THRESHOLD, cluster, capsys)
    assert here == there


def test_the_same_comparison_as_with_duckdb(
    cluster: Cluster, spark: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = on_both(MODELS, cluster, capsys)
    assert here == there


def test_the_same_areas_as_with_duckdb(
    cluster: Cluster, spark: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = (found["areas"] for found in on_both(f"{MODELS} {SCORES}", cluster, capsys))
    assert there["values"] == pytest.approx(here["values"], abs=1e-12)
    for name in ("difference", "standard_error", "p_value"):
        assert there["pairs"][0]["delong"][name] == pytest.approx(here["pairs"][0]["delong"][name], rel=1e-9)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            [
                "compare",
                str(GLASS),
                "other.csv",
                "--truth",
                "truth",
                "--pred",
                "random_forest",
                "--key",
                "id",
                "--engine",
                "spark",
            ],
            "matched by DuckDB only",
        ),
    ],
)
def test_what_spark_cannot_do_is_refused(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command) == 2
    assert said in capsys.readouterr().err
