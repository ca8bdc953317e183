"""Ten million scores in Parquet, read by a Spark cluster of two workers: bins with bounds, and every score, against
MLlib.

Both sides see the same rows of a file, in the cluster's memory and in the same session, and both have done a tenth of the rows before the clock starts, so
that Java has compiled what they run.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster import Cluster
from benchmarks.finding import Finding, Target
from steelyard import measure
from steelyard.reading.score_counting import count_scores
from steelyard.reading.spark import SparkTable, session
from steelyard.scores.delong import areas_of_cluster
from steelyard.scores.score_bootstrap import bounds

ROWS = 10_000_000
PRIME = 1_000_000_007
NARROW = 1e-4


def run() -> Iterator[Finding | str]:
    """Scores on a cluster: bounds of the area under the ROC curve, and MLlib's BinaryClassificationMetrics."""
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder, Cluster(workers=2) as cluster:
        spark, _ = session(cluster.address)
        try:
            tenth, frame = (_stored(spark, rows, Path(folder)) for rows in (ROWS // 10, ROWS))
            first, _ = _clock(lambda: count_scores(SparkTable(tenth), "p", "y"))
            _mllib(spark, tenth)
            ours, found = _clock(lambda: count_scores(SparkTable(frame), "p", "y"))
            theirs, mllib = _clock(lambda: _mllib(spark, frame))
            again, _ = _clock(lambda: count_scores(SparkTable(frame), "p", "y"))
            area = bounds(measure("roc_auc"), found)
            exactly, every = _clock(lambda: count_scores(SparkTable(frame), "p", "y", exact=True))
            value = measure("roc_auc")(every)
            if area is not None and not area.least <= value <= area.most:
                raise AssertionError(f"{value} does not lie within {area}")
            compared_first, _ = _clock(lambda: areas_of_cluster(SparkTable(tenth), "y", {"p": "p", "q": "q"}))
            compared, pair = _clock(lambda: areas_of_cluster(SparkTable(frame), "y", {"p": "p", "q": "q"}))
        finally:
            spark.stop()
    least, most = area or (value, value)
    yield f"{ROWS:,} scores on two workers: bins {ours:.1f} s with bounds {least:.6f} to {most:.6f}, every score {exactly:.1f} s with {value:.6f}, MLlib {theirs:.1f} s with {mllib:.6f} and no bound"
    yield f"the first job of the session, {ROWS // 10:,} rows: {first:.1f} s; bins once more: {again:.1f} s"
    yield Finding("width of the bounds", most - least, "", Target("below", NARROW))
    yield Finding("bins, times faster than MLlib", theirs / ours, "x", Target("at least", 20))
    yield Finding("every score, times faster than MLlib", theirs / exactly, "x")
    error = float(np.sqrt(pair.covariance[0, 0] + pair.covariance[1, 1] - 2 * pair.covariance[0, 1]))
    yield f"two models compared (DeLong) in {compared:.1f} s, the difference of their areas known to {error:.1g}; the first comparison of the session, {ROWS // 10:,} rows: {compared_first:.1f} s"
    yield Finding(
        "two models compared, times counting one of them", compared / ours, "x", Target("at most", 4)
    )


def _stored(spark: Any, rows: int, folder: Path) -> Any:
    """Hardly two scores are alike; the same rows on every machine, by whole numbers."""
    numbers = spark.range(0, rows, 1, 16).selectExpr(
        "id", "CASE WHEN id * 31% 97 < 5 THEN 1L ELSE 0L END AS y"
    )
    score = f"((id * 7919 + 13) % {PRIME} + 200000000 * y) / {PRIME}D"
    made = numbers.selectExpr("y", f"{score} AS p", f"{score} + (id * 104729% {PRIME}) / {PRIME}D AS q")
    made.write.parquet(str(folder / f"{rows}"))
    frame = spark.read.parquet(str(folder / f"{rows}")).cache()
    frame.count()  # in the cluster's memory: MLlib asks for the rows several times, and is not to wait for the disk
    return frame


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
