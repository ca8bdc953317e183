"""Thresholds on a cluster: chosen in bins whose bounds hold, and no row fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.reading import adaptive_bins
from steelyard.reading.spark import SparkTable
from tests.engines.test_spark_scores import few, frame_of, made_rows, spark_columns

pytestmark = pytest.mark.usefixtures("few_samples")

__all__ = ["few"]
ROWS = 3000


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many rows each answer of the cluster had; nothing is streamed."""
    lengths: list[int] = []
    collected = SparkTable._collected

    def counted(self: SparkTable, frame: Any) -> Iterator[Any]:
        rows = list(collected(self, frame))
        lengths.append(len(rows))
        return iter(rows)

    def refused(self: SparkTable, frame: Any) -> Iterator[Any]:
        raise AssertionError("scores are fetched")

    monkeypatch.setattr(SparkTable, "_collected", counted)
    monkeypatch.setattr(SparkTable, "_streamed", refused)
    yield lengths
    # Bins of both classes, and parts of those that were divided: fewer than the rows, whatever their number.
    assert 0 < max(lengths) < ROWS


def costly_columns() -> dict[str, Any]:
    """Truth, a score and what missing a row costs, from a cent to hundreds."""
    random = np.random.default_rng(7)
    y = (random.random(ROWS) < 0.1).astype(int)
    return {
        "y": y,
        "p": 1 / (1 + np.exp(-(1.5 * y + random.normal(size=ROWS)))),
        "amount": np.round(random.lognormal(3, 1.5, ROWS), 2),
    }


def cost_at(columns: dict[str, Any], threshold: float) -> float:
    """By hand: a missed row costs its amount, a false alarm 5."""
    called, y = columns["p"] >= threshold, columns["y"] == 1
    return float((columns["amount"][y & ~called].sum() + 5 * (~y & called).sum()) / ROWS)


def test_costs_of_rows_are_added_up_in_the_bins_of_the_scores(
    spark: Any, few: None, fetched: list[int]
) -> None:
    columns = costly_columns()
    how: dict[str, Any] = {"truth": "y", "positive": 1, "cost": "1>0=amount, 0>1=5", "replicates": 200}
    frame = spark_columns(spark, columns)
    best = sy.threshold(frame, "p", tolerance=0.01, **how).best
    assert best.bins is not None
    assert best.value == pytest.approx(cost_at(columns, best.threshold), rel=1e-12)
    cheapest = min(cost_at(columns, threshold) for threshold in [*columns["p"], np.inf])
    assert best.bin_error is not None
    assert best.value - best.bin_error <= cheapest * (1 + 1e-12) <= best.value * (1 + 1e-9)
    # The amounts in a bin differ: without their squares the interval would be much too narrow.
    low, high = best.value_interval or (np.nan, np.nan)
    here = sy.threshold(
        columns["y"], columns["p"], cost={(1, 0): columns["amount"], (0, 1): 5}, positive=1, replicates=200
    ).best
    exact = here.value_interval or (np.nan, np.nan)
    assert high - low == pytest.approx(exact[1] - exact[0], rel=0.2)


def test_costs_of_rows_with_few_scores_are_those_of_the_rows(spark: Any, fetched: list[int]) -> None:
    columns = costly_columns()
    columns["p"] = np.round(columns["p"], 2)
    how: dict[str, Any] = {"truth": "y", "positive": 1, "cost": "1>0=amount, 0>1=5", "replicates": 50}
    best = sy.threshold(spark_columns(spark, columns), "p", **how).best
    assert best.bin_error is None
    assert best.value == pytest.approx(
        min(cost_at(columns, threshold) for threshold in [*columns["p"], np.inf])
    )


def test_a_threshold_by_a_metric_and_by_costs_is_bounded(spark: Any, few: None, fetched: list[int]) -> None:
    truth, score = made_rows(ROWS)
    frame = frame_of(spark, ROWS)
    for aim in ({"maximise": "gmean"}, {"cost": "1>0=20, 0>1=1"}):
        there = sy.threshold(frame, "p", truth="y", positive=1, tolerance=0.01, replicates=20, **aim).best
        here = sy.threshold(truth, score, positive=1, replicates=20, **aim).best
        assert there.bins is not None
        assert there.bin_error is not None
        sign = 1 if there.measure.better == "higher" else -1
        assert sign * there.value <= sign * here.value <= sign * there.value + there.bin_error


def test_an_evaluation_at_the_best_threshold_fetches_bins_only(
    spark: Any, few: None, fetched: list[int]
) -> None:
    truth, score = made_rows(ROWS)
    found = sy.evaluate(frame_of(spark, ROWS), truth="y", score="p", threshold="best:gmean", positive=1)
    assert found.ranking is not None
    assert found.ranking.choice is not None
    called = score >= found.ranking.choice.threshold
    assert found.matrix.counts.tolist() == [
        [int((truth == k)[called == c].sum()) for c in (True, False)] for k in (1, 0)
    ]
    area = found.ranking.classes[0].measures[0]
    assert area.bounds is not None
    assert area.low < area.value < area.high


def test_a_budget_by_day_is_counted_where_the_rows_are(spark: Any, few: None, fetched: list[int]) -> None:
    frame = frame_of(spark, ROWS).selectExpr("y", "p", "w AS day")
    told = sy.threshold(frame, "p", truth="y", positive=1, maximise="recall", budget="100/day", replicates=0)
    assert told.requirements[0].requirement.bound == pytest.approx(300 / ROWS)
    assert adaptive_bins.FEW_SCORES == 100
