"""Measures travel to other processes: to workers of joblib (loky) and of a Spark cluster, and back."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from tests.measures.test_graph import MEASURES, composed
from tests.real_parts import needs

ASKED: list[Any] = [*MEASURES, *(composed(seed) for seed in range(20))]
TWO, THREE = [[90, 10], [30, 870]], [[5, 1, 2], [3, 40, 4], [6, 7, 50]]


def weighed(measure: Any) -> tuple[Any, float]:
    """The measure as it arrived, and its value there."""
    two = measure.kind == "two-class"
    return measure, measure(TWO if two else THREE, positive="c1" if two else None)


def here(measure: Any) -> float:
    return weighed(measure)[1]


def assert_same(found: list[tuple[Any, float]]) -> None:
    for measure, (again, value) in zip(ASKED, found, strict=True):
        assert again.graph is measure.graph, measure.name  # interned: the same graph is the same object
        assert again.name == measure.name
        np.testing.assert_equal(value, here(measure), err_msg=measure.name)


def test_workers_of_joblib() -> None:
    joblib = needs("joblib")
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert_same(joblib.Parallel()(joblib.delayed(weighed)(m) for m in ASKED))


def test_workers_of_a_spark_cluster(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    places = os.pathsep.join(str(Path(p).resolve()) for p in sys.path if p)
    spark.sparkContext.environment["PYTHONPATH"] = places
    assert_same(spark.sparkContext.parallelize(ASKED, 2).map(weighed).collect())


def test_a_measure_of_scores_travels_too() -> None:
    joblib = needs("joblib")
    asked = [sy.measure("roc_auc"), sy.measure("roc_auc").at_priors(0.2), sy.measure("ova_auc")]
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(lambda m: (m, os.getpid()))(m) for m in asked)
    assert [m.name for m, _ in found] == [m.name for m in asked]
    assert os.getpid() not in {process for _, process in found}
