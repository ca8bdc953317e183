"""From a million labels that are Python strings to a confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.counting import numba_left_alone, skewed_labels
from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds
from steelyard import Confusion

ROWS = 1_000_000


def run() -> Iterator[Finding | str]:
    """Strings to matrix, NumPy alone, against scikit-learn."""
    from sklearn.metrics import confusion_matrix

    names = np.array([f"class {i}" for i in range(10)], dtype=object)
    truth, predicted = (names[codes] for codes in skewed_labels(10, np.int64, ROWS))
    assert np.array_equal(
        confusion_matrix(truth, predicted), Confusion.from_labels(truth, predicted).counts
    ), "unequal matrices"
    with numba_left_alone():
        times = best_seconds(
            {
                "ours": lambda: Confusion.from_labels(truth, predicted),
                "scikit-learn": lambda: confusion_matrix(truth, predicted),
            },
            turns=3,
        )
    yield f"{ROWS:,} rows of strings (dtype object), 10 classes: " + ", ".join(
        f"{name} {t * 1e3:,.0f} ms" for name, t in times.items()
    )
    yield Finding(
        "strings to matrix, times faster than scikit-learn",
        times["scikit-learn"] / times["ours"],
        "x",
        Target("at least", 15),
    )
