"""Costs, budgets, probabilities and priors that cannot be: one clear sentence each, and exit code 2."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from steelyard.cli import main

pytestmark = pytest.mark.usefixtures("few_samples")

PAYMENTS = Path(__file__).parents[2] / "examples" / "data" / "payments.csv"
HEAD = "y,yhat,other,p,amount,day,negative,lacking,text,beyond"
ROWS = [
    f"{'fraud' if k % 10 == 0 else 'ok'},{'fraud' if k % 9 == 0 else 'ok'},{'fraud' if k % 8 == 0 else 'ok'},"
    f"{(k * 7 % 100) / 100},{1 + k % 13},d{k // 50},{-5 if k == 3 else 3},{'' if k == 5 else 2},"
    f"{'abc' if k == 7 else 1},{(k * 7 % 100) / 30}"
    for k in range(200)
]
FILES = {
    "a.csv": "\n".join([HEAD, *ROWS]) + "\n",
    "production.csv": "yhat,p\n"
    + "".join(f"{'phishing' if k == 3 else 'ok'},{k / 100}\n" for k in range(99)),
    "holes.csv": "yhat,p\n" + "".join(f"ok,{'' if k == 4 else k / 50}\n" for k in range(50)),
    "head.csv": "y,yhat,p\n",
    "empty.csv": "",
    "one.csv": "y,yhat,p\n" + "ok,ok,0.1\n" * 40,
    "three.csv": "y,p_a,p_b,p_c\n" + "".join(f"{'abc'[k % 3]},0.5,0.3,0.4\n" for k in range(30)),
    "stranger.csv": "truth,prediction,cost\nfraud,ok,200\nok,fraud,4\nfraud,bogus,1\n",
}
E = "evaluate a.csv --truth y --pred yhat --positive fraud"
T = "threshold a.csv --truth y --score p --positive fraud --replicates 20"
P = "priors a.csv --truth y --positive fraud"
C = "compare a.csv --truth y --pred yhat --pred other --positive fraud"
CASES = [
    # what was asked for by name
    (
        f"{E} --cost",
        "fraud>ok=1, ok>fraud=4, fraud>fraud=9",
        "a wrong decision would cost less than the right",
    ),
    (
        f"{E} --cost",
        "fraud>ok=negative, ok>fraud=4",
        "found 1 that is missing, negative, infinite or no number",
    ),
    (
        f"{E} --cost",
        "fraud>ok=lacking, ok>fraud=4",
        "found 1 that is missing, negative, infinite or no number",
    ),
    (f"{T} --maximise recall --budget", "500/day", "the budget is above the number of rows"),
    (
        "evaluate three.csv --truth y --threshold cheapest --cost *>*=1 --scores",
        "p_*",
        "the probabilities of a row must add up to 1",
    ),
    (
        "priors a.csv --truth y --pred yhat --unlabelled",
        "production.csv",
        "class 'phishing' is predicted in the un",
    ),
    # costs
    (f"{E} --cost", "fraud>ok=-3, ok>fraud=4", "the cost of fraud>ok cannot be used"),
    (f"{E} --cost", "fraud>ok=200", "the cost of an error is missing"),
    (f"{E} --cost", "fraud=200", "the costs are not understood"),
    (f"{E} --cost", "", "the costs are not understood"),
    (f"{E} --cost", "fraud>ok=inf, ok>fraud=4", "finite numbers of at least 0"),
    (f"{E} --cost", "fraud>ok=1e400, ok>fraud=1", "finite numbers of at least 0"),
    (f"{E} --cost", "fraud>ok=text, ok>fraud=4", "the amounts of column 'text' cannot be used"),
    (f"{E} --cost", "fraud>ok=amuont, ok>fraud=4", "the amounts of column 'amuont' cannot be used"),
    (f"{E} --cost", "fraud>scam=200, ok>fraud=4", "there is no class 'scam'"),
    (f"{E} --cost", "fraud>ok=200, fraud>ok=100, ok>fraud=4", "each confusion once"),
    (f"{E} --cost", "fraud>ok=500..50, ok>fraud=4", "the range of costs of fraud>ok is empty"),
    (f"{E} --cost", "fraud>ok=0, ok>fraud=0", "costs of 0 decide nothing"),
    (f"{E} --cost", "stranger.csv", "there is no class 'bogus'"),
    (f"{E} --cost", "nosuch.csv", "the file of costs cannot be read"),
    (
        "evaluate a.csv --truth y --score beyond --positive fraud --cost fraud>ok=5,ok>fraud=1 --threshold",
        "cheapest",
        "the cheapest label needs probabilities",
    ),
    # capacity
    (f"{T} --budget", "0/day", "the budget is not understood"),
    (f"{T} --budget", "500", "the budget is not understood"),
    (f"{T} --budget", "ten", "the budget is not understood"),
    (f"{T} --budget", "5/nosuch", "there is no column 'nosuch' to count alerts by"),
    (f"{T} --alerts", "150%", "the share of alerts cannot be used"),
    (f"{T} --alerts", "-1%", "the share of alerts|never gets there"),
    (f"{T} --require", "recall>=1.5", "recall never gets there"),
    (f"{T} --require", "recall=>0.8", "the requirement is not understood"),
    (f"{T} --require", "nosuch>=0.8", "there is no metric 'nosuch'"),
    (f"{T} --require roc_auc>=0.8 --confidence", "0.9", "the same at every threshold"),
    (f"{T} --require recall>=0.9 --confidence", "1.5", "--confidence is out of range"),
    (f"{T} --cost fraud>ok=5,ok>fraud=1 --maximise", "gmean", "a threshold has one aim"),
    # priors
    (f"{P} --score p --unlabelled", "holes.csv", "some scores of the unlabelled rows are missing"),
    (f"{P} --score yhat --unlabelled", "production.csv", "column 'yhat' must hold numbers"),
    (f"{P} --score p --unlabelled", "empty.csv", "the file is empty"),
    (f"{P} --score p --unlabelled", "head.csv", "there are no unlabelled rows"),
    (f"{P} --score nosuch --unlabelled", "production.csv", "there is no column 'nosuch'"),
    (f"{P} --score p --level 2 --unlabelled", "a.csv", "--level is out of range"),
    (f"{P} --pred yhat --unlabelled a.csv --json", "a.csv", "an output would replace what is read"),
    ("priors one.csv --truth y --pred yhat --unlabelled", "production.csv", "one class only"),
    (f"{E} --priors 0.1 --production", "production.csv", "priors are given or estimated"),
    (f"{E} --production", "nosuch.csv", "there is no such file"),
    # ranges
    (f"{C} --priors-range", "fraud=0.5..0.1", "the range of prevalences"),
    (f"{C} --priors-range", "fraud=0..2", "prevalence"),
    (f"{C} --priors-range", "scam=0.1..0.2", "scam"),
    (f"{C} --priors-range", "fraud", "the range of prevalences is not understood"),
    (f"{C} --cost fraud>ok=5,ok>fraud=1 --by", "gmean", "one metric ranks the models"),
    (f"{C} --cost", "fraud>ok=negative, ok>fraud=4", "the amounts of column 'negative' cannot be used"),
    (
        f"{C} --by",
        "roc_auc",
        "models are compared by their labels; found roc_auc, a metric of scores.* --score",
    ),
    (f"{C} --test-to-train", "0.1", "is for folds; found --test-to-train without --fold"),
    (f"{T} --tolerance", "0", "--tolerance is out of range; found 0.0; allowed: a number above 0"),
    (
        "evaluate a.csv --truth y --positive fraud --score p --threshold",
        "best:",
        "the threshold is not understood; found 'best:'",
    ),
    # seeds, limits, and what a matrix does not have
    (f"{T} --seed", "-1", "the seed cannot be used; found -1"),
    (f"{P} --score p --unlabelled production.csv --seed", "-1", "the seed cannot be used; found -1"),
    (
        "gate a.csv --truth y --pred yhat --min",
        "gmean=nan",
        "this limit is not understood; found 'gmean=nan'",
    ),
    (
        "evaluate --matrix [[1,2],[3,4]] --slice",
        "day",
        "slices are read off rows; found --slice with a confusion",
    ),
    (
        "evaluate --matrix [[1,2],[3,4]] --weight",
        "amount",
        "weights are read off rows; found --weight with a",
    ),
    (
        "evaluate --matrix [[1,2],[3,4]] --cluster",
        "day",
        "clusters need rows; found --cluster",
    ),
    (
        "evaluate --matrix [[1,2],[3,4]] --block",
        "5",
        "blocks need rows in order; found --block",
    ),
]


@pytest.mark.parametrize(("words", "last", "said"), CASES, ids=[f"{w} {x}"[-60:] for w, x, _ in CASES])
def test_one_sentence(words, last, said, tmp_path, monkeypatch, capsys):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main([*words.split(), last]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(said, err), err
    assert err.startswith("steelyard: ")
    assert err.count("\n") == 1, "one sentence"
    assert "Traceback" not in err


# -- what would have done nothing


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("evaluate --matrix [[5,1],[2,9]] --truth y", "found --truth with --matrix"),
        ("evaluate --matrix [[5,1],[2,9]] --pred y", "found --pred with --matrix"),
        (
            "plan --matrix [[5,1],[2,9]] --measure gmean --width 0.1 --rate 0.9",
            "found --matrix beside --rate",
        ),
        (
            "plan --matrix [[5,1],[2,9]] --measure gmean --width 0.1 --classes 3",
            "found --matrix beside --classes",
        ),
        ("recommend --truth y", "a column is named, but no data; found --truth without --data; give --data"),
        ("recommend --pred y", "a column is named, but no data; found --pred without --data; give --data"),
        (
            f"compare {PAYMENTS} --truth y --pred rule --pred model --key day",
            f"rows of one file need no key; found --key day with {PAYMENTS}",
        ),
    ],
)
def test_options_that_would_do_nothing_are_refused(words, said, capsys):
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1, "one sentence"
