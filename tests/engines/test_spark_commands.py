"""Comparing and choosing thresholds give the same on a cluster as on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import Cluster
from steelyard.cli import main

pytestmark = pytest.mark.usefixtures("few_samples")

GLASS = str(Path(__file__).parents[2] / "examples" / "data" / "glass.csv")
COMPARE = [
    "compare",
    GLASS,
    "--truth",
    "truth",
    "--pred",
    "random_forest",
    "--pred",
    "logistic_regression",
    "--draws",
    "200",
    "--json",
]
THRESHOLD = [
    "threshold",
    GLASS,
    "--truth",
    "truth",
    "--score",
    "p_tableware",
    "--positive",
    "tableware",
    "--maximise",
    "gmean",
    "--replicates",
    "20",
    "--json",
]


def test_the_same_thresholds_as_with_duckdb(
    cluster: Cluster, spark: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark is not None  # the session whose cluster the commands use
    found = []
    for engine in ([], ["--engine", "spark", "--spark-master", cluster.address]):
        assert main([*THRESHOLD, *engine]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


def test_the_same_comparison_and_areas_as_with_duckdb(
    cluster: Cluster, spark: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = ["--score", "a=p_tableware", "--score", "b=id", "--positive", "tableware"]
    found = []
    for engine in ([], ["--engine", "spark", "--spark-master", cluster.address]):
        assert main([*COMPARE, *scores, *engine]) == 0
        found.append(json.loads(capsys.readouterr().out))
    here, there = (one.pop("areas") for one in found)
    del found[0]["score_metrics"], found[1]["score_metrics"]  # a cluster draws no samples of its scores
    assert found[0] == found[1]
    assert there["values"] == pytest.approx(here["values"], abs=1e-12)
    for name in ("difference", "standard_error", "p_value"):
        assert there["pairs"][0]["delong"][name] == pytest.approx(here["pairs"][0]["delong"][name], rel=1e-9)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            [
                "compare",
                GLASS,
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
