"""The threshold that costs least when rows cost differently: by brute force, under a budget, on other rows."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.costs import costs_for
from steelyard.scores.requirements import requirement, threshold_under
from steelyard.scores.row_cost_threshold import applied_by_row, cheapest_by_row, row_costs


def payments(seed, rows=800):
    rng = np.random.default_rng(seed)
    fraud = rng.random(rows) < 0.1
    score = (rng.normal(0, 1, rows) + 1.8 * fraud).round(2)
    amount = np.exp(rng.normal(2, 1, rows)).round(2)
    amount[::17] = 0
    return fraud, score, amount


def counted(fraud, score, weight=None):
    return sy.ScoreCounts.from_scores(
        np.where(fraud, "fraud", "ok"), score, positive="fraud", sample_weight=weight
    )


def by_hand(fraud, score, amount, at):
    return (amount[fraud & (score < at)].sum() + 4 * (~fraud & (score >= at)).sum()) / len(score)


def test_every_threshold_costs_what_its_rows_cost():
    fraud, score, amount = payments(1)
    scores = counted(fraud, score)
    costs = costs_for("fraud>ok=amount, ok>fraud=4", scores.labels)
    found = row_costs(scores, counted(fraud, score, amount), costs)
    expected = [by_hand(fraud, score, amount, at) for at in found.swept.thresholds]
    np.testing.assert_allclose(found.values, expected)
    best = cheapest_by_row(found, replicates=60)
    assert best.value == pytest.approx(min(expected))
    assert best.threshold == found.swept.thresholds[int(np.argmin(expected))]
    assert best.next_lower == found.swept.thresholds[int(np.argmin(expected)) + 1]
    assert best.threshold_interval[0] <= best.threshold <= best.threshold_interval[1]
    assert best.optimism > 0


@pytest.mark.parametrize("said", ["fraud>ok=amount, ok>fraud=4", "fraud>ok=20, ok>fraud=amount"])
def test_samples_in_bins_vary_as_samples_of_rows_do(said):
    """30,000 different scores are drawn in bins; drawing every row by itself gives the same intervals but for chance."""
    rng = np.random.default_rng(6)
    fraud = rng.random(30_000) < 0.2
    score, amount = rng.normal(0, 1, len(fraud)) + 1.8 * fraud, np.exp(rng.normal(2, 1, len(fraud)))
    scores = counted(fraud, score)
    found = row_costs(scores, counted(fraud, score, amount), costs_for(said, scores.labels))
    best = cheapest_by_row(found, replicates=200)
    assert (best.replicates, best.value) == (200, found.values.min())
    assert best.bins > 1000
    assert 0 <= best.bin_error < 0.01 * best.value
    by_row = [0 if "ok>fraud=4" in said else 20, 4 if "ok>fraud=4" in said else 0]
    costs = np.empty(400)
    for k in range(len(costs)):
        rows = rng.integers(0, len(fraud), len(fraud))
        missed, alarmed = (
            fraud[rows] & (score[rows] < best.threshold),
            ~fraud[rows] & (score[rows] >= best.threshold),
        )
        varying = amount[rows][missed if by_row[1] else alarmed].sum()
        costs[k] = (varying + by_row[0] * missed.sum() + by_row[1] * alarmed.sum()) / len(rows)
    low, high = best.value_interval
    width = np.subtract(*np.quantile(costs, [0.975, 0.025]))
    assert high - low == pytest.approx(width, rel=0.25)
    assert best.threshold_interval[0] <= best.threshold <= best.threshold_interval[1]


def test_at_other_priors_classes_are_scaled():
    fraud, score, amount = payments(2)
    scores = counted(fraud, score)
    costs = costs_for("fraud>ok=amount, ok>fraud=4", scores.labels)
    found = row_costs(scores, counted(fraud, score, amount), costs, 0.01)
    at = found.swept.thresholds[40]
    expected = 0.01 * amount[fraud & (score < at)].sum() / fraud.sum()
    expected += 0.99 * 4 * (~fraud & (score >= at)).sum() / (~fraud).sum()
    assert found.values[40] == pytest.approx(expected)


def test_under_a_budget_the_cheapest_of_those_that_keep_it():
    fraud, score, amount = payments(3)
    scores = counted(fraud, score)
    costs = costs_for("fraud>ok=amount, ok>fraud=4", scores.labels)
    found = row_costs(scores, counted(fraud, score, amount), costs)
    best, _ = threshold_under(
        scores,
        [requirement("alerts<=5%")],
        cheapest_by_row(found, replicates=0).measure,
        cost_at=found.values,
    )
    kept = [at for at in found.swept.thresholds if (score >= at).mean() <= 0.05]
    assert best.value == pytest.approx(min(by_hand(fraud, score, amount, at) for at in kept))


def test_other_rows_judge_it():
    fraud, score, amount = payments(4)
    scores = counted(fraud, score)
    costs = costs_for("fraud>ok=amount, ok>fraud=4", scores.labels)
    best = cheapest_by_row(row_costs(scores, counted(fraud, score, amount), costs), replicates=0)
    other = payments(5)
    applied = applied_by_row(best, counted(*other[:2]), counted(*other), costs)
    assert applied.value == pytest.approx(by_hand(*other, best.threshold))


@pytest.mark.parametrize("highest", [2.0, np.inf])
@pytest.mark.parametrize("said", ["fraud>ok=amount, ok>fraud=4", "fraud>ok=20, ok>fraud=amount"])
def test_rows_that_are_all_alike_leave_nothing_to_chance(said, highest):
    """Five frauds of 10 below ten rows of 4: calling all costs 10 * 4 of 15 rows, calling none 50 or 100, the threshold between
    both. Samples of the same sizes are the same rows."""
    fraud = np.repeat([True, False], [5, 10])
    score, amount = np.where(fraud, 1.0, highest), np.where(fraud, 10.0, 4.0)
    scores = counted(fraud, score)
    found = row_costs(scores, counted(fraud, score, amount), costs_for(said, scores.labels))
    best = cheapest_by_row(found, replicates=30, design="fixed")
    assert (best.threshold, best.value) == (1, pytest.approx(40 / 15))
    assert (best.threshold_interval, best.replicates) == ((1, 1), 30)
    assert best.optimism == pytest.approx(0, abs=1e-12)
    assert best.value_interval == pytest.approx((40 / 15, 40 / 15))


@pytest.mark.parametrize(
    "cost", ["fraud>ok=amount, ok>fraud=4", "fraud>ok=4, ok>fraud=amount", "fraud>ok=amount, ok>fraud=amount"]
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_costs_what_its_rows_cost(tmp_path, cost, suffix):
    """Amounts are read of the classes whose rows differ; rows without a label are dropped."""
    duckdb = pytest.importorskip("duckdb")
    fraud, score, amount = payments(7, 300)
    label = np.where(fraud, "fraud", "ok").astype(object)
    label[::50] = None
    path = str(tmp_path / f"rows.{suffix}")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": label, "p": score, "amount": amount})
    relation = duckdb.from_df(frame)
    relation.write_csv(path) if suffix == "csv" else relation.write_parquet(path)
    best = sy.threshold(
        path, "p", truth="y", positive="fraud", cost=cost, missing="drop", replicates=0, exact=True
    ).best
    here = np.array([one is not None for one in label])
    fraud, score, amount = fraud[here], score[here], amount[here]
    of_miss, of_alarm = (part.partition("=")[2] for part in cost.split(", "))
    miss, alarm = (amount if each == "amount" else np.full(len(amount), 4.0) for each in (of_miss, of_alarm))
    costs = {
        at: float(miss[fraud & (score < at)].sum() + alarm[~fraud & (score >= at)].sum()) / len(score)
        for at in [*np.unique(score), np.inf]
    }
    assert best.value == pytest.approx(min(costs.values()))
    assert costs[best.threshold] == pytest.approx(min(costs.values()))


def test_classes_written_in_two_ways_are_left_out_together(tmp_path):
    """A text file writes 0 and 0.0, 1 and 1.0: amounts are wanted of the positives alone, however they are written."""
    path = tmp_path / "rows.csv"
    rows = [("1", 0.9, 10), ("1.0", 0.2, 30), ("0", 0.3, 500), ("0.0", 0.6, 500), ("0", 0.1, 500)]
    path.write_text("y,p,amount\n" + "".join(f"{y},{p},{amount}\n" for y, p, amount in rows))
    best = sy.threshold(
        path, "p", truth="y", positive="1", cost="1>0=amount, 0>1=4", replicates=0, exact=True
    ).best
    # At 0.2 both positives and two negatives: 2 * 4 of 5 rows; at 0.9 one positive is missed, which costs 30.
    assert (best.threshold, best.value) == (0.2, pytest.approx(8 / 5))
