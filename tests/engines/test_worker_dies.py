"""Are the counts right although a worker dies?

The last file of its room: the executor that takes the place of the dead one begins anew, and is slow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import steelyard as sy
from benchmarks.cluster import Cluster
from tests.engines.conftest import kill_a_worker_in_the_middle

ROWS = 20_000_000
CLASSES = 10


def big_frame(spark: Any, rows: int) -> Any:
    """Rows made by integer arithmetic on the workers; the pattern repeats every 70 rows."""
    made = spark.range(0, rows, 1, 48)
    return made.selectExpr(
        f"id % {CLASSES} AS y", f"CASE WHEN id % 7 = 0 THEN (id + 1) % {CLASSES} ELSE id % {CLASSES} END AS p"
    )


def expected(rows: int) -> np.ndarray[Any, Any]:
    def table(count: int) -> np.ndarray[Any, Any]:
        i = np.arange(count)
        truth = i % CLASSES
        pred = np.where(i % 7 == 0, (i + 1) % CLASSES, truth)
        return np.bincount(truth * CLASSES + pred, minlength=CLASSES**2).reshape(CLASSES, CLASSES)

    return np.asarray(table(70) * (rows // 70) + table(rows % 70))


def test_the_counts_are_the_same_when_a_worker_dies_in_the_middle(two_workers: Cluster, spark: Any) -> None:
    frame = big_frame(spark, ROWS)
    counts = kill_a_worker_in_the_middle(two_workers, spark, lambda: sy.count(frame, truth="y", pred="p"))
    assert counts.rows == ROWS
    assert np.array_equal(counts.confusion().counts, expected(ROWS))
