"""Ten million scores on a Spark cluster of two workers: bins with bounds, and every score, against MLlib."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.cluster import Cluster
from benchmarks.finding import Finding, Target
from steelyard import measure
from steelyard.reading.spark import SparkFrame, session
from steelyard.reading.spark_areas import areas_of_spark
from steelyard.reading.spark_scores import score_counts_of_spark
from steelyard.scores.bounds import bounds

ROWS = 10_000_000
PRIME = 1_000_000_007


def run() -> Iterator[Finding | str]:
    """Scores on a cluster: bounds of the area under the ROC curve, and MLlib's BinaryClassificationMetrics."""
    with Cluster(workers=2) as cluster:
        spark, _ = session(cluster.address)
        try:
            frame = _frame(spark).cache()
            frame.count()
            ours, found = _clock(lambda: score_counts_of_spark(SparkFrame(frame), "p", "y"))
            area = bounds(measure("roc_auc"), found)
            assert area is not None
            exactly, every = _clock(lambda: score_counts_of_spark(SparkFrame(frame), "p", "y", exact=True))
            value = measure("roc_auc")(every)
            if not area.least <= value <= area.most:
                raise AssertionError(f"{value} does not lie within {area}")
            compared, pair = _clock(lambda: areas_of_spark(SparkFrame(frame), "y", {"p": "p", "q": "q"}))
            theirs, mllib = _clock(lambda: _mllib(spark, frame))
        finally:
            spark.stop()
    yield f"{ROWS:,} scores on two workers: bins {ours:.1f} s with bounds {area.least:.6f} to {area.most:.6f}, every score {exactly:.1f} s with {value:.6f}, MLlib {theirs:.1f} s with {mllib:.6f} and no bound"
    yield Finding("width of the bounds", area.most - area.least, "", Target("below", 1e-4))
    yield Finding("bins, times faster than MLlib", theirs / ours, "x", Target("at least", 20))
    yield Finding("every score, times faster than MLlib", theirs / exactly, "x")
    error = float(np.sqrt(pair.covariance[0, 0] + pair.covariance[1, 1] - 2 * pair.covariance[0, 1]))
    yield f"two models compared (DeLong) in {compared:.1f} s, the difference of their areas known to {error:.1g}"
    yield Finding(
        "two models compared, times counting one of them", compared / ours, "x", Target("at most", 4)
    )


def _frame(spark: Any) -> Any:
    """Hardly two scores are alike; the same rows on every machine, by whole numbers."""
    rows = spark.range(0, ROWS, 1, 16).selectExpr("id", "CASE WHEN id * 31 % 97 < 5 THEN 1L ELSE 0L END AS y")
    score = f"((id * 7919 + 13) % {PRIME} + 200000000 * y) / {PRIME}D"
    return rows.selectExpr("y", f"{score} AS p", f"{score} + (id * 104729 % {PRIME}) / {PRIME}D AS q")


def _mllib(spark: Any, frame: Any) -> float:
    """BinaryClassificationMetrics with 1,000 bins, called inside the JVM as its Python wrapper does."""
    java = spark.sparkContext._jvm
    pairs = frame.selectExpr("p", "double(y)")
    metrics = java.org.apache.spark.mllib.evaluation.BinaryClassificationMetrics(pairs._jdf)
    return float(metrics.areaUnderROC())


def _clock(way: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = way()
    return time.perf_counter() - start, found
