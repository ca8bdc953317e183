"""A wait of more than a minute is announced, a short one is not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from steelyard.counts.joint import JointCounts
from steelyard.judgement.waiting import comparison_seconds, interval_seconds, warn_of_waiting


def joint(models: int, cells: int, classes: int) -> JointCounts:
    random = np.random.default_rng(0)
    return JointCounts(
        tuple(range(classes)),
        tuple(f"m{m}" for m in range(models)),
        random.integers(0, classes, cells),
        random.integers(0, classes, (cells, models)),
        np.ones(cells, dtype=np.int64),
    )


def test_more_draws_models_and_cells_take_longer() -> None:
    few = comparison_seconds(joint(2, 100, 3), 10_000, 10, "posterior")
    assert few < 5
    assert comparison_seconds(joint(2, 100, 3), 1_000_000, 10, "posterior") > 50 * few
    assert comparison_seconds(joint(100, 50_000, 10), 10_000, 10, "bootstrap") > 60


def test_intervals_of_thousands_of_classes_are_announced() -> None:
    assert interval_seconds(3, 10_000, 60) < 1
    with pytest.warns(UserWarning, match=r"finding intervals takes about \d+ minutes; ask for none"):
        warn_of_waiting(interval_seconds(3_000, 1_000, 60), "finding intervals", "ask for none")


def test_a_short_wait_is_not_announced() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_waiting(59.0, "this", "that")
