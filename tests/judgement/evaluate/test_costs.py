"""What decisions cost in an evaluation: by hand, by row, at other priors, and how often intervals hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.uncertainty.per_row_costs import drawn_costs, ends, mean_amounts, spent
from steelyard.uncertainty.resampling import Simulation
from tests.schemas import BY_COMMAND, fits

MATRIX = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
COSTS = "fraud>ok=200, ok>fraud=4"
QUICK = {"draws": 1000}


def payments(seed=3, rows=2000):
    rng = np.random.default_rng(seed)
    fraud = rng.random(rows) < 0.1
    amount = np.exp(rng.normal(3, 1, rows)).round(2)
    called = np.where(fraud, rng.random(rows) < 0.8, rng.random(rows) < 0.05)
    return pd.DataFrame(
        {
            "y": np.where(fraud, "fraud", "ok"),
            "yhat": np.where(called, "fraud", "ok"),
            "p": np.clip(0.6 * called + rng.random(rows) * 0.4, 0, 1).round(3),
            "amount": amount,
        }
    )


def test_by_hand():
    result = sy.evaluate(MATRIX, positive="fraud", cost=COSTS, **QUICK)
    found = result.costs
    assert found["expected_cost"].value == pytest.approx(2.12)
    assert found["total_cost"].value == pytest.approx(2120)
    assert found.best_constant == "fraud"
    assert dict(found.constants) == pytest.approx({"fraud": 3.6, "ok": 20.0})
    assert found["savings"].value == pytest.approx(1 - 2.12 / 3.6)
    assert found["relative_cost"].value == pytest.approx(2.12 / 3.6)
    assert found["total_saved"].value == pytest.approx(3600 - 2120)
    assert [(one.truth, one.prediction, one.total) for one in found.confusions] == [
        ("fraud", "ok", 2000),
        ("ok", "fraud", 120),
    ]
    for row in found.rows:
        assert row.low < row.value < row.high
    assert result.decider.measure.id == "expected_cost"
    fits(result.to_dict(), BY_COMMAND["evaluate"])


def test_costs_decide_and_are_said_first():
    said = str(sy.evaluate(MATRIX, positive="fraud", cost=COSTS, **QUICK))
    assert "cost per row" in said
    assert "Always predicting fraud would cost 3.60 a row" in said


def test_a_classifier_that_costs_more_than_not_looking():
    result = sy.evaluate(MATRIX, positive="fraud", cost="fraud>ok=1, ok>fraud=40", interval=None)
    assert result.costs["savings"].value == pytest.approx(1 - 1210 / 100)
    assert "less than this classifier: it wastes" in str(result)


def test_costs_by_row_are_those_of_the_rows():
    frame = payments()
    result = sy.evaluate(frame, truth="y", pred="yhat", positive="fraud", cost="fraud>ok=amount, ok>fraud=4")
    missed = (frame.y == "fraud") & (frame.yhat == "ok")
    false = (frame.y == "ok") & (frame.yhat == "fraud")
    total = frame.amount[missed].sum() + 4 * false.sum()
    constants = {"fraud": 4 * (frame.y == "ok").sum(), "ok": frame.amount[frame.y == "fraud"].sum()}
    assert result.costs["total_cost"].value == pytest.approx(total)
    assert result.costs["savings"].value == pytest.approx(1 - total / min(constants.values()))
    assert "amount" not in result.to_dict()["source"]["unused_columns"]
    assert result.costs["expected_cost"].low < total / len(frame) < result.costs["expected_cost"].high
    fits(result.to_dict(), BY_COMMAND["evaluate"])


def test_one_source_or_another(tmp_path):
    frame = payments(rows=400)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    cost = "fraud>ok=0.5*amount+15, *>fraud=4, fraud>fraud=4"
    how = {"positive": "fraud", "cost": cost, "interval": None}
    of_frame = sy.evaluate(frame, truth="y", pred="yhat", **how).costs
    of_file = sy.evaluate(path, truth="y", pred="yhat", **how).costs
    columns = {"fraud>ok": frame.amount.to_numpy(), "ok>fraud": 4}
    of_columns = sy.evaluate(frame.y, frame.yhat, positive="fraud", cost=columns, interval=None).costs
    plain = sy.evaluate(path, truth="y", pred="yhat", positive="fraud", cost="fraud>ok=amount, ok>fraud=4")
    assert of_frame["total_cost"].value == pytest.approx(of_file["total_cost"].value)
    assert of_columns["total_cost"].value == pytest.approx(plain.costs["total_cost"].value)
    called, fraud = frame.yhat == "fraud", frame.y == "fraud"
    by_hand = (0.5 * frame.amount[fraud & ~called] + 15).sum() + 4 * called.sum()
    assert of_file["total_cost"].value == pytest.approx(by_hand)


def test_amounts_of_labels_that_come_from_scores(tmp_path):
    frame = payments(rows=400)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    how = {"truth": "y", "score": "p", "threshold": 0.5, "positive": "fraud", "interval": None}
    for source in (frame, path):
        found = sy.evaluate(source, cost="fraud>ok=amount, ok>fraud=4", **how).costs
        called = frame.p >= 0.5
        by_hand = frame.amount[(frame.y == "fraud") & ~called].sum() + 4 * ((frame.y == "ok") & called).sum()
        assert found["total_cost"].value == pytest.approx(by_hand)


def test_at_other_priors():
    priors = {"fraud": 0.01, "ok": 0.99}
    result = sy.evaluate(MATRIX, positive="fraud", cost=COSTS, priors=priors, interval=None)
    assert result.costs["expected_cost"].at_priors == pytest.approx(0.01 * 0.1 * 200 + 0.99 * 4 / 30)
    frame = payments()
    by_row = sy.evaluate(
        frame,
        truth="y",
        pred="yhat",
        positive="fraud",
        cost="fraud>ok=amount, ok>fraud=4",
        priors=priors,
        interval=None,
    )
    fraud, called = frame.y == "fraud", frame.yhat == "fraud"
    by_hand = 0.01 * frame.amount[fraud & ~called].sum() / fraud.sum()
    by_hand += 0.99 * 4 * (~fraud & called).sum() / (~fraud).sum()
    assert by_row.costs["expected_cost"].at_priors == pytest.approx(by_hand)


def test_thresholds_by_costs():
    frame = payments()
    how = {"truth": "y", "score": "p", "positive": "fraud", "cost": COSTS, "interval": None}
    chosen = sy.evaluate(frame, threshold="best:cost", **how)
    fraud = (frame.y == "fraud").to_numpy()
    p = frame.p.to_numpy()
    by_hand = {t: 200 * (fraud & (p < t)).sum() + 4 * (~fraud & (p >= t)).sum() for t in np.unique(p)}
    assert chosen.costs["total_cost"].value == pytest.approx(min(by_hand.values()))
    cheapest = sy.evaluate(frame, threshold="cheapest", **how)
    assert cheapest.ranking.choice.threshold == pytest.approx(4 / 204)


def test_the_cheapest_of_many_classes(tmp_path):
    rng = np.random.default_rng(5)
    names = ["phishing", "spam", "ham"]
    p = rng.dirichlet([0.3, 0.5, 2], size=300).round(4)
    p[:, 2] = (1 - p[:, 0] - p[:, 1]).round(4)
    truth = [names[rng.choice(3, p=row / row.sum())] for row in p]
    frame = pd.DataFrame({"y": truth, **{f"p_{name}": p[:, i] for i, name in enumerate(names)}})
    path = tmp_path / "mail.csv"
    frame.to_csv(path, index=False)
    cost = "phishing>*=100, spam>*=3, ham>*=10"
    labels = sy.cheapest_labels(p, cost, names)
    expected = sy.Confusion.from_labels(truth, labels, labels=names)
    for source in (frame, path):
        result = sy.evaluate(source, truth="y", scores="p_*", threshold="cheapest", cost=cost, interval=None)
        assert result.matrix.select(names).counts.tolist() == expected.counts.tolist()
    frame.p_ham *= 0.8
    frame.to_csv(path, index=False)
    for source in (frame, path):
        with pytest.raises(sy.InputError, match="must add up to 1"):
            sy.evaluate(source, truth="y", scores="p_*", threshold="cheapest", cost=cost, interval=None)
    frame.p_ham = 1.6
    frame.to_csv(path, index=False)
    with pytest.raises(
        sy.InputError, match=r"column 'p_ham' must hold probabilities; found scores from 1\.6"
    ):
        sy.evaluate(path, truth="y", scores="p_*", threshold="cheapest", cost=cost, interval=None)


def test_costs_in_production_have_both_uncertainties():
    frame = payments()
    production = payments(seed=9, rows=3000).drop(columns="y")
    result = sy.evaluate(
        frame, truth="y", pred="yhat", positive="fraud", cost=COSTS, production=production, draws=1000
    )
    rows = {row.measure.id: row for row in result.production.rows}
    assert rows["expected_cost"].low < rows["expected_cost"].value < rows["expected_cost"].high
    assert "savings" in rows
    assert "In production a row costs" in str(result)


def test_intervals_of_costs_by_row_hold_the_truth():
    """Lognormal amounts, 12 misses a set on average: of 300 intervals at nominal 95% at least 270 hold."""
    rng = np.random.default_rng(11)
    fixed, times = np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 0.0]])
    truth = 0.06 * 0.2 * np.exp(3 + 0.5) + 0.94 * 0.03 * 4
    held = 0
    for seed in range(300):
        fraud = rng.random(1000) < 0.06
        called = np.where(fraud, rng.random(1000) < 0.8, rng.random(1000) < 0.03)
        amount = np.exp(rng.normal(3, 1, 1000))
        place = (1 - fraud.astype(int)) * 2 + (1 - called.astype(int))
        counts, sums, squares = (
            np.bincount(place, weights=part, minlength=4).reshape(2, 2)
            for part in (np.ones(1000), amount, amount**2)
        )
        matrix = sy.Confusion(counts.astype(int), labels=["fraud", "ok"])
        drawn, centre = drawn_costs(
            matrix, sums, squares, fixed, times, Simulation(design="sample", draws=1000, seed=seed)
        )
        value = float(spent(counts, mean_amounts(counts, sums), fixed, times).cost)
        low, high = ends(value, drawn.cost, float(centre.cost), 0.95)
        held += low <= truth <= high
    assert held >= 270


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_amounts_that_are_missing_or_negative(bad, tmp_path):
    frame = payments(rows=100)
    frame.loc[7, "amount"] = bad
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    for source in (frame, path):
        with pytest.raises(sy.InputError, match="the amounts of column 'amount' cannot be used"):
            sy.evaluate(source, truth="y", pred="yhat", cost="fraud>ok=amount, ok>fraud=4", positive="fraud")


@pytest.mark.parametrize(
    ("cost", "more", "words"),
    [
        ("fraud>ok=amont, ok>fraud=4", {}, "the amounts of column 'amont' cannot be used"),
        ("fraud>ok=amount, ok>fraud=4", {"weight": "p"}, "costs by row stand alone"),
        ("fraud>ok=50..500, ok>fraud=4", {}, "judged at one cost"),
        (None, {"score": "p", "threshold": "cheapest"}, "the cheapest label needs costs by class"),
        (
            "fraud>ok=amount, ok>fraud=4",
            {"score": "p", "threshold": "best:cost"},
            "the cheapest label needs costs by class",
        ),
    ],
)
def test_what_is_refused(cost, more, words):
    pred = {} if "threshold" in more else {"pred": "yhat"}
    with pytest.raises(sy.InputError, match=r".") as refused:
        sy.evaluate(payments(rows=100), truth="y", positive="fraud", cost=cost, **pred, **more)
    assert words in str(refused.value)


def test_a_matrix_knows_no_rows():
    with pytest.raises(sy.InputError, match="costs by row need rows"):
        sy.evaluate(MATRIX, positive="fraud", cost="fraud>ok=amount, ok>fraud=4")


def test_scores_do_not_make_the_labels_of_a_column_found_by_its_name():
    result = sy.evaluate(payments(rows=200).rename(columns={"yhat": "y_pred"}), truth="y", score="p")
    assert any("Metrics use the labels in column y_pred, not the scores" in note for note in result.notes)


def test_probabilities_that_are_off_in_the_one_bin_there_is_are_said() -> None:
    rng = np.random.default_rng(0)
    chance = rng.beta(0.3, 30, 60_000)
    truth = rng.random(60_000) < chance
    costs = {True: {False: 100}, False: {True: 4}}
    told = {}
    for name, score in (("as they are", chance), ("four times", np.minimum(4 * chance, 0.0999))):
        result = sy.evaluate(
            truth, score=score, positive=True, threshold="cheapest", cost=costs, interval=None
        )
        told[name] = any("off by more than chance explains" in note for note in result.notes)
    assert told == {"as they are": False, "four times": True}


# -- a table of costs goes by its names, whatever their order

CONFUSED = (["a", "b", "c", "a", "b", "c", "a"], ["a", "b", "c", "b", "c", "a", "a"])
"""a>b, b>c and c>a once each."""


@pytest.mark.parametrize("named", ["rows and columns", "columns", "polars", "arrow"])
def test_a_table_of_costs_goes_by_its_names(named: str) -> None:
    table = pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], index=list("cba"), columns=list("cba"))
    given = {
        "rows and columns": table,
        "columns": table.reset_index(drop=True),
        "polars": pl.DataFrame(table),
        "arrow": pa.Table.from_pandas(table, preserve_index=False),
    }[named]
    result = sy.evaluate(*CONFUSED, cost=given, interval=None)
    assert result.costs["total_cost"].value == 6 + 3 + 2  # a>b, b>c, c>a
    unnamed = sy.evaluate(*CONFUSED, cost=table.to_numpy(), interval=None)
    assert unnamed.costs["total_cost"].value == 1 + 4 + 5


def test_a_table_of_costs_with_other_rows_than_columns_is_refused() -> None:
    table = pd.DataFrame([[0, 1], [3, 0]], index=["a", "x"], columns=["a", "b"])
    with pytest.raises(sy.InputError, match="other classes in its rows than in its columns"):
        sy.evaluate(["a", "b"], ["a", "b"], cost=table, interval=None)


@pytest.mark.parametrize("cost", ["nan", " NaN ", "1+nan"])
def test_a_cost_that_is_no_number_is_not_taken_for_a_column(cost: str) -> None:
    with pytest.raises(sy.InputError, match="the costs are not understood; found 'a>b="):
        sy.evaluate(["a", "b"], ["a", "b"], cost=f"a>b={cost},b>a=1", interval=None)


def test_uneven_amounts_are_named():
    """Forty missed frauds, two of which cost 1,000 and the others 1: worth 2038² / 2000038 = 2 equal ones."""
    costs = [1000.0] * 2 + [1.0] * 38
    frame = pd.DataFrame(
        {"y": ["fraud"] * 60 + ["ok"] * 60, "yhat": ["ok"] * 40 + ["fraud"] * 20 + ["ok"] * 60}
    )
    frame["amount"] = costs + [1.0] * 80
    how = {"truth": "y", "pred": "yhat", "positive": "fraud", "cost": "fraud>ok=amount, ok>fraud=1", **QUICK}
    note = sy.evaluate(frame, **how).costs.note
    assert "40 amounts vary so much that the cost is as uncertain as with 2 equal ones" in note
    assert sy.evaluate(frame.assign(amount=1.0), **how).costs.note == ""
