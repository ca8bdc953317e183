"""From ten million integer labels, one class holding 99%, to a confusion matrix."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds, seconds
from steelyard import Confusion
from steelyard.counts import compiled

Array = NDArray[Any]

ROWS = 10_000_000


def run() -> Iterator[Finding | str]:
    """Labels to matrix: NumPy alone and with numba, against scikit-learn and against reading both columns once."""
    truth, predicted = skewed_labels(10, np.int64)
    with_numba = compiled.installed()
    if with_numba:
        yield f"the first count with numba, import and compilation included: {seconds(_ours(truth, predicted)):.2f} s"
    times = _times(truth, predicted, turns=7, scikit_learn=True)
    yield _told(f"{ROWS:,} rows of int64, 10 classes, one with 99%", times)
    yield Finding(
        "NumPy alone, times faster than scikit-learn",
        times["scikit-learn"] / times["NumPy alone"],
        "x",
        Target("at least", 20),
    )
    yield Finding(
        "NumPy alone, times the reading of both columns",
        times["NumPy alone"] / times["reading"],
        "x",
        Target("at most", 7),
    )
    if "polars" in times:
        ours = min(times["NumPy alone"], times.get("with numba", np.inf))
        yield Finding(
            "times faster than polars, group_by and len of its own columns", times["polars"] / ours, "x"
        )
    if with_numba:
        yield Finding(
            "with numba, times the reading of both columns",
            times["with numba"] / times["reading"],
            "x",
            Target("at most", 2.5),
        )
        yield Finding(
            "with numba, times faster than scikit-learn", times["scikit-learn"] / times["with numba"], "x"
        )
    else:
        yield "numba is not installed: nothing is said of the fast extra"
    for classes, dtype in ((10, np.uint8), (1000, np.int64)):
        times = _times(*skewed_labels(classes, dtype), turns=5, scikit_learn=False)
        yield _told(f"for information: {ROWS:,} rows of {np.dtype(dtype)}, {classes} classes", times)


def skewed_labels(classes: int, dtype: DTypeLike, rows: int | None = None) -> tuple[Array, Array]:
    """True and predicted codes: class 0 holds 99%, the others share the rest, one prediction in ten is drawn at random."""
    rows = ROWS if rows is None else rows
    generator = np.random.default_rng(20)
    truth = np.where(generator.random(rows) < 0.99, 0, generator.integers(0, classes, rows))
    predicted = np.where(generator.random(rows) < 0.9, truth, generator.integers(0, classes, rows))
    return truth.astype(dtype), predicted.astype(dtype)


def _times(truth: Array, predicted: Array, *, turns: int, scikit_learn: bool) -> dict[str, float]:
    ways: dict[str, Callable[[], Any]] = {
        "reading": lambda: (truth.max(), predicted.max()),
        "NumPy alone": lambda: _count_without_numba(truth, predicted),
    }
    if compiled.installed():
        ways["with numba"] = _ours(truth, predicted)
    if scikit_learn:
        from sklearn.metrics import confusion_matrix

        ways["scikit-learn"] = lambda: confusion_matrix(truth, predicted)
        if find_spec("polars") is not None:
            import polars as pl

            frame = pl.DataFrame({"truth": truth, "predicted": predicted})
            ways["polars"] = lambda: frame.group_by("truth", "predicted").len()
        assert np.array_equal(confusion_matrix(truth, predicted), _ours(truth, predicted)().counts), (
            "unequal matrices"
        )
    return best_seconds(ways, turns)


def _ours(truth: Array, predicted: Array) -> Callable[[], Confusion]:
    return lambda: Confusion.from_labels(truth, predicted)


def _count_without_numba(truth: Array, predicted: Array) -> Confusion:
    with numba_left_alone():
        return Confusion.from_labels(truth, predicted)


@contextmanager
def numba_left_alone() -> Iterator[None]:
    """Count as if the fast extra were not installed."""
    before = os.environ.get("STEELYARD_NO_FAST")
    os.environ["STEELYARD_NO_FAST"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["STEELYARD_NO_FAST"]
        else:
            os.environ["STEELYARD_NO_FAST"] = before


def _told(data: str, times: dict[str, float]) -> str:
    return f"{data}: " + ", ".join(f"{name} {time * 1e3:,.1f} ms" for name, time in times.items())
