"""Costs, budgets and requirements on the command line: what is said, what JSON holds, and what is refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from steelyard.cli import main
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

DAYS, A_DAY = 20, 50


@pytest.fixture
def rows(tmp_path):
    """1,000 payments of 20 days, 80 of them fraud; the score is higher for fraud, and one day has all of the
    highest."""
    rng = np.random.default_rng(4)
    fraud = np.arange(DAYS * A_DAY) % 12 == 0
    score = np.round(1 / (1 + np.exp(3 - rng.normal(0, 1, len(fraud)) - 3 * fraud)), 4)
    amount = np.exp(rng.normal(4, 1, len(fraud))).round(2)
    path = tmp_path / "payments.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "yhat", "p", "amount", "day"])
        for k, p in enumerate(score.tolist()):
            truth, called = ("fraud" if fraud[k] else "ok"), ("fraud" if p >= 0.3 else "ok")
            writer.writerow([truth, called, p, amount[k], f"day {k // A_DAY}"])
    return path, fraud, score, amount


def run(capsys, *arguments):
    code = main([str(one) for one in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def found(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def asked(path, *more):
    return ("threshold", path, "--truth", "y", "--score", "p", "--replicates", "20", *more)


def test_costs_are_minimised_without_saying_so(capsys, rows):
    path, fraud, score, _ = rows
    result = found(capsys, *asked(path, "--cost", "fraud>ok=200, ok>fraud=4"))
    fits(result, BY_COMMAND["threshold"])
    at = np.unique(score)
    costs = [(200 * (fraud & (score < t)).sum() + 4 * (~fraud & (score >= t)).sum()) / 1000 for t in at]
    assert result["best"]["value"] == pytest.approx(min(costs))
    assert result["best"]["better"] == "lower"
    code, out, _ = run(capsys, *asked(path, "--cost", "fraud>ok=200, ok>fraud=4"))
    assert code == 0
    assert "the expected cost per row is lowest there" in out
    assert 'Positive class: "fraud" (it is the rarer class).' in out


def test_costs_by_row_and_other_rows(capsys, rows):
    path, fraud, score, amount = rows
    cost = ("--cost", "fraud>ok=amount, ok>fraud=4")
    result = found(capsys, *asked(path, *cost))
    at = np.unique(score)
    costs = [(amount[fraud & (score < t)].sum() + 4 * (~fraud & (score >= t)).sum()) / 1000 for t in at]
    assert result["best"]["value"] == pytest.approx(min(costs))
    held = found(
        capsys, "threshold", "--fit-on", path, "--apply-to", path, "--truth", "y", "--score", "p", *cost
    )
    assert held["held_out"]["value"] == pytest.approx(min(costs))


def test_what_is_required_is_kept(capsys, rows):
    path, fraud, score, _ = rows
    result = found(capsys, *asked(path, "--require", "recall>=0.8"))
    fits(result, BY_COMMAND["threshold"])
    at = result["best"]["threshold"]
    assert (score[fraud] >= at).mean() >= 0.8
    assert (score[fraud] > at).mean() < 0.8  # the fewest alerts that do
    (kept,) = result["requirements"]
    assert 0.4 < kept["probability"] < 0.9
    sure = found(capsys, *asked(path, "--require", "recall>=0.8", "--surely", "0.95"))
    assert sure["best"]["threshold"] < at
    assert sure["requirements"][0]["probability"] >= 0.95


def test_two_requirements_and_a_share_of_alerts(capsys, rows):
    path, fraud, score, _ = rows
    result = found(capsys, *asked(path, "--require", "precision>=0.5", "--alerts", "4%"))
    at = result["best"]["threshold"]
    called = score >= at
    assert called.mean() <= 0.04
    assert (called & fraud).sum() / called.sum() >= 0.5
    assert len(result["requirements"]) == 2


def test_a_budget_for_each_day_holds_on_average(capsys, rows):
    path, _, score, _ = rows
    result = found(capsys, *asked(path, "--budget", "2/day"))
    fits(result, BY_COMMAND["threshold"])
    called = score >= result["best"]["threshold"]
    by_day = called.reshape(DAYS, A_DAY).sum(axis=1)
    assert called.sum() <= 2 * DAYS
    assert result["budget"] == {
        "most": 2,
        "column": "day",
        "values": DAYS,
        "mean": pytest.approx(called.sum() / DAYS),
        "largest": by_day.max(),
        "over": (by_day > 2).sum(),
    }
    code, out, _ = run(capsys, *asked(path, "--budget", "2/day"))
    assert code == 0
    assert "At most 2 alerts per day on average (4% of the rows)" in out
    assert f"more than 2 on {(by_day > 2).sum()} of 20 values of day" in " ".join(out.split())


def test_a_budget_for_so_many_rows(capsys, rows):
    path, _, score, _ = rows
    result = found(capsys, *asked(path, "--budget", "40/1000"))
    assert (score >= result["best"]["threshold"]).sum() <= 40
    assert result["budget"] is None


def test_costs_within_a_budget(capsys, rows):
    path, fraud, score, _ = rows
    result = found(capsys, *asked(path, "--budget", "2/day", "--cost", "fraud>ok=200, ok>fraud=4"))
    at = [t for t in np.unique(score) if (score >= t).sum() <= 40]
    costs = [(200 * (fraud & (score < t)).sum() + 4 * (~fraud & (score >= t)).sum()) / 1000 for t in at]
    assert result["best"]["value"] == pytest.approx(min(costs))


def test_evaluate_with_costs_from_a_file(capsys, rows, tmp_path):
    path, fraud, score, _ = rows
    costs = tmp_path / "costs.csv"
    costs.write_text("truth,fraud,ok\nfraud,,200\nok,4,\n", encoding="utf-8")
    result = found(
        capsys, "evaluate", path, "--truth", "y", "--pred", "yhat", "--cost", costs, "--draws", 500
    )
    fits(result, BY_COMMAND["evaluate"])
    figures = {row["id"]: row["value"] for row in result["costs"]["figures"]}
    total = 200 * (fraud & (score < 0.3)).sum() + 4 * (~fraud & (score >= 0.3)).sum()
    assert figures["total_cost"] == pytest.approx(total)
    code, out, _ = run(
        capsys, "evaluate", path, "--truth", "y", "--score", "p", "--threshold", "cheapest", "--cost", costs
    )
    assert code == 0
    assert "Cost of errors" in out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ["--cost", "fraud>ok=2, fraud>fraud=4, ok>fraud=4"],
            "a wrong decision would cost less than the right",
        ),
        (["--cost", "fraud>ok=200"], "the cost of an error is missing; found ok>fraud"),
        (["--cost", "fraud>ok=amont, ok>fraud=4"], "the amounts of column 'amont' cannot be used"),
        (["--cost", "fraud>ok=day, ok>fraud=4"], "the amounts of column 'day' cannot be used"),
        (["--cost", "fraud>ok=1, ok>fraud=4", "--maximise", "gmean"], "a threshold has one aim"),
        (["--cost", "fraud>ok=1..9, ok>fraud=4"], "a threshold is chosen at one cost"),
        (
            ["--budget", "60/day"],
            "the budget is above the number of rows; found 60/day, 1,200 alerts for 1,000",
        ),
        (["--budget", "5/week"], "there is no column 'week' to count alerts by"),
        (["--budget", "many/day"], "the budget is not understood"),
        (["--alerts", "120%"], "more than 0% and at most 100%"),
        (["--require", "recall>=0.8", "--require", "alerts<=1%"], "no threshold meets every requirement"),
        (
            ["--require", "recall>=0.8", "--confidence", "2"],
            "--confidence is out of range; found 2.0",
        ),
        (["--confidence", "0.9"], "a confidence is for requirements; found --confidence alone"),
        (["--require", "roc_auc>=0.8"], "is the same at every threshold"),
    ],
)
def test_what_is_refused_in_one_sentence(capsys, rows, more, words):
    code, out, err = run(capsys, *asked(rows[0], *more))
    assert code == 2
    assert not out
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("amount", ["", "-5", "nan"])
def test_amounts_that_are_missing_or_negative(capsys, tmp_path, amount):
    path = tmp_path / "p.csv"
    path.write_text(
        f"y,yhat,p,amount\nfraud,fraud,0.9,10\nfraud,ok,0.2,{amount}\nok,ok,0.1,3\nok,ok,0.3,4\n",
        encoding="utf-8",
    )
    cost = ("--cost", "fraud>ok=amount, ok>fraud=4")
    for command in (("evaluate", path, "--truth", "y", "--pred", "yhat", *cost), asked(path, *cost)):
        code, out, err = run(capsys, *command)
        assert code == 2
        assert not out
        assert "the amounts of column 'amount' cannot be used" in err


def test_probabilities_that_do_not_add_up(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,p_a,p_b,p_c\na,0.5,0.2,0.3\nb,0.2,0.5,0.5\nc,0.1,0.1,0.8\n", encoding="utf-8")
    code, _, err = run(
        capsys,
        "evaluate",
        path,
        "--truth",
        "y",
        "--scores",
        "p_*",
        "--threshold",
        "cheapest",
        "--cost",
        "*>*=1",
    )
    assert code == 2
    assert "must add up to 1; found a row with a sum of 1.2" in err


def test_a_class_that_production_predicts_and_nobody_labelled(capsys, tmp_path):
    labelled, production = tmp_path / "labelled.csv", tmp_path / "production.csv"
    labelled.write_text("y,yhat\n" + "a,a\nb,b\na,b\nb,b\n" * 20, encoding="utf-8")
    production.write_text("yhat\n" + "a\nb\nc\n" * 20, encoding="utf-8")
    cost = ("--cost", "a>b=5, b>a=1")
    for command in (
        ("evaluate", labelled, "--truth", "y", "--pred", "yhat", "--production", production, *cost),
        ("priors", labelled, "--unlabelled", production, "--truth", "y", "--pred", "yhat"),
    ):
        code, out, err = run(capsys, *command)
        assert code == 2
        assert not out
        assert "'c'" in err or " c" in err
        assert err.count("\n") == 1


def test_one_alert_is_not_many(capsys, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,yhat\nfraud,fraud\nok,fraud\nok,ok\nfraud,ok\n" * 1, encoding="utf-8")
    code, out, _ = run(capsys, "evaluate", path, "--truth", "y", "--pred", "yhat", "--positive", "fraud")
    assert code == 0
    assert "1 of its 2 alerts is false (precision 50.0%" in out


def test_costs_and_capacity_together(capsys):
    code, out, _ = run(capsys, "recommend", "--costs", "200:4", "--capacity", "--json")
    assert code == 0
    advice = json.loads(out)["advice"]
    assert [one["measure"] for one in advice[:2]] == ["expected_cost(miss=200, false_alarm=4)", "recall"]
    assert "only so many cases can be reviewed" in advice[0]["reasons"][0]["rule"]


def test_recommend_takes_costs_in_the_grammar_of_every_command(capsys):
    firsts = []
    for costs in (["--costs", "200:4"], ["--cost", "fraud>ok=200, ok>fraud=4"]):
        _, out, _ = run(capsys, "recommend", *costs, "--json")
        firsts.append(json.loads(out)["advice"][0]["measure"])
    assert firsts == ["expected_cost(miss=200, false_alarm=4)"] * 2
    for costs in ("fraud>ok=amount", "a>b=1, b>a=2, c>a=3", "fraud>ok=1..5"):
        code, _, err = run(capsys, "recommend", "--cost", costs)
        assert code == 2
        assert "costs of two errors" in err


def test_every_sentence_on_costs_names_both_models(capsys, tmp_path):
    """Two of three pairs have one model that is cheaper at every ratio: of which other one it is, is said."""
    path = tmp_path / "three.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "good", "fair", "poor"])
        for k in range(400):
            truth = "fraud" if k % 10 == 0 else "ok"
            other = "ok" if truth == "fraud" else "fraud"
            writer.writerow(
                [truth, truth if k % 50 else other, truth if k % 25 else other, truth if k % 20 else other]
            )
    code, out, _ = run(
        capsys,
        *("compare", path, "--truth", "y", "--pred", "good", "--pred", "fair", "--pred", "poor"),
        *("--cost", "fraud>ok=20000, ok>fraud=400"),
    )
    assert code == 0
    cheaper = [line for line in out.splitlines() if "cheaper than" in line]
    assert len(cheaper) == len(set(cheaper)) >= 3
    assert "e+0" not in out


def test_a_share_that_cannot_be_believed_is_said_on_the_first_screen(capsys, rows, tmp_path):
    """Production with scores as no mixture of the two classes has them: all around the middle."""
    path, *_ = rows
    elsewhere = tmp_path / "production.csv"
    scores = np.linspace(0.2, 0.4, 1500)
    elsewhere.write_text("p\n" + "\n".join(f"{p:.4f}" for p in scores) + "\n")
    code, out, _ = run(
        capsys,
        *("evaluate", path, "--truth", "y", "--score", "p", "--threshold", "0.3"),
        *("--positive", "fraud", "--production", elsewhere),
    )
    assert code == 0
    assert out.count("No estimate for production") == 1
    assert "hardly any labelled scores" in out.replace("\n", " ")
    assert "In production about" not in out
    assert "in production" not in out  # no column of figures either


def test_a_threshold_chosen_on_these_rows_is_said_to_be_on_the_first_screen(capsys, rows):
    path, *_ = rows
    arguments = ("evaluate", path, "--truth", "y", "--score", "p", "--threshold", "best:gmean")
    _, out, _ = run(capsys, *arguments)
    assert " ".join(out.split()).count("The threshold was chosen on the rows it is evaluated on") == 1
    _, full, _ = run(capsys, *arguments, "--full")
    assert " ".join(full.split()).count("The threshold was chosen on the rows it is evaluated on") == 1


def test_refusals_of_costs_name_options_of_the_command(rows, capsys):
    path = rows[0]
    code, _, err = run(
        capsys,
        "threshold",
        path,
        "--truth",
        "y",
        "--score",
        "p",
        "--positive",
        "fraud",
        "--cost",
        "fraud>okk=200",
    )
    assert code == 2
    assert "labels=" not in err
    assert "name classes of the data" in err
    labels = ("evaluate", path, "--truth", "y", "--pred", "yhat", "--cost", "fraud>ok=amount, ok>fraud=4")
    code, _, err = run(capsys, *labels, "--cluster", "day")
    assert code == 2
    assert "found --cluster or --block beside them" in err
