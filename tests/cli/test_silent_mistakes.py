"""Mistakes that gave a plausible answer without a word: each is refused or named, with what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli.app import run

pytestmark = pytest.mark.usefixtures("few_samples")

ROWS = 400


def _frame() -> pd.DataFrame:
    """400 rows, 80 of them fraud; 60 detected, 10 false alarms; scores from 0 to 1 that follow them."""
    truth = np.repeat(["fraud", "ok"], [80, 320])
    pred = np.concatenate([np.repeat(["fraud", "ok"], [60, 20]), np.repeat(["fraud", "ok"], [10, 310])])
    score = np.where(pred == "fraud", 0.6, 0.1) + np.arange(ROWS) / 2000
    return pd.DataFrame({"y": truth, "pred": pred, "p": score})


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Write a frame to data.csv and run a command on it: exit code, output and error on one line."""
    monkeypatch.chdir(tmp_path)

    def call(frame: pd.DataFrame | None, *words: str, **how: object) -> tuple[int, str]:
        if frame is not None:
            frame.to_csv("data.csv", index=False, **how)
        code = run(list(words))
        captured = capsys.readouterr()
        return code, " ".join((captured.out + captured.err).split())

    return call


LABELS = ("evaluate", "data.csv", "--truth", "y", "--pred", "pred")
SCORES = ("evaluate", "data.csv", "--truth", "y", "--score", "p", "--positive", "fraud", "--threshold")


def test_a_class_in_other_capitals_is_refused(shell) -> None:
    frame = _frame().replace({"y": {"fraud": "Fraud"}})
    code, said = shell(frame, *LABELS)
    assert code == 2
    assert "'Fraud' in 'y' and 'fraud' in 'pred'" in said
    assert "capitals" in said
    assert shell(None, *LABELS, "--labels", "Fraud,fraud,ok")[0] == 0  # whoever names both means both
    code, said = shell(frame, "compare", "data.csv", "--truth", "y", "--pred", "pred", "--pred", "y2")
    assert code == 2
    with pytest.raises(sy.InputError, match="capitals"):
        sy.evaluate(frame["y"], frame["pred"])
    with pytest.raises(sy.InputError, match="capitals"):
        sy.compare({"a": frame["pred"], "b": frame["pred"]}, frame["y"])


def test_capitals_mixed_in_one_column_are_named_first(shell) -> None:
    frame = _frame()
    frame.loc[:9, "y"] = "Fraud"
    frame.loc[395:, "y"] = "rare"
    code, said = shell(frame, *LABELS)
    assert code == 0
    assert "Classes 'Fraud' and 'fraud' differ by blanks or capitals only; they are two classes" in said


def test_percent_scores_with_a_threshold_below_1(shell) -> None:
    code, said = shell(_frame().assign(p=lambda d: 100 * d["p"]), *SCORES, "0.5")
    assert code == 0
    assert "Scores range from 13 to 64.45" in said
    assert "threshold 0.5" in said
    assert "50" in said
    code, said = shell(None, *SCORES, "50")
    assert "Scores range" not in said


def test_a_threshold_above_every_score(shell) -> None:
    code, said = shell(_frame(), *SCORES, "50")
    assert code == 0
    assert "No score reaches the threshold 50: the largest is 0.6445" in said
    code, said = shell(None, *SCORES, "-3")
    assert "Every score reaches the threshold -3: the smallest is 0.13" in said
    assert "reaches the threshold" not in shell(None, *SCORES, "0.5")[1]


def test_probabilities_in_another_order_than_the_classes() -> None:
    frame = _frame()
    proba = np.column_stack([1 - frame["p"], frame["p"]])  # ok, fraud; the classes are fraud, ok
    told = " ".join(sy.evaluate(frame["y"], scores=proba).warned)
    assert "The columns of scores look exchanged" in told
    assert 'labels=["ok", "fraud"]' in told
    told = " ".join(sy.evaluate(frame["y"], scores=proba, labels=["ok", "fraud"]).warned)
    assert "exchanged" not in told


def test_probabilities_of_three_classes_in_another_order() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(["a", "b", "c"], 600, p=[0.2, 0.3, 0.5])
    proba = rng.dirichlet([1, 1, 1], 600)
    proba += 2 * (truth[:, None] == np.array(["b", "c", "a"]))
    proba /= proba.sum(axis=1, keepdims=True)
    told = " ".join(sy.evaluate(truth, scores=proba).warned)
    assert "look exchanged" in told
    assert 'labels=["b", "c", "a"]' in told
    noise = " ".join(sy.evaluate(truth, scores=rng.dirichlet([1, 1, 1], 600)).warned)
    assert "exchanged" not in noise


def test_predictions_that_are_the_truth(shell) -> None:
    code, said = shell(_frame().assign(pred=lambda d: d["y"]), *LABELS)
    assert code == 0
    assert "All 400 predictions equal the truth" in said


@pytest.mark.parametrize(
    "matrix", ["[[0.9,0.1],[0.03,0.97]]", "[[0.05,0.15],[0.1,0.7]]", "[[0.75,0.02],[0.25,0.98]]"]
)
def test_a_normalised_matrix_is_refused(shell, matrix: str) -> None:
    code, said = shell(None, "evaluate", "--matrix", matrix)
    assert code == 2
    assert "the matrix holds proportions, not counts" in said
    assert shell(None, "gate", "--matrix", matrix, "--min", "gmean=0.5")[0] == 2


def test_a_file_without_header(shell) -> None:
    for frame in (_frame(), _frame()[::-1][["p", "y", "pred"]]):
        code, said = shell(frame, "evaluate", "data.csv", header=False)
        assert code == 2
        assert "looks like a row of values, not column names" in said
        assert "header" in said
    code, said = shell(
        _frame()[["y", "p"]], "threshold", "data.csv", "--truth", "y", "--score", "p", header=False
    )
    assert code == 2
    assert "looks like a row of values" in said


def test_a_prior_above_1(shell) -> None:
    code, said = shell(_frame(), *LABELS, "--priors", "5")
    assert code == 2
    assert "found 5" in said
    assert "5%" in said
    assert "-4" not in said
    code, _ = shell(None, *LABELS, "--priors", "fraud=1%")
    assert code == 0  # of two classes one prior says both
    ten, both = (
        sy.evaluate(_frame(), truth="y", pred="pred", positive="fraud", priors=priors, interval=None)
        for priors in ({"fraud": 0.1}, {"fraud": 0.1, "ok": 0.9})
    )
    assert [shift.at_priors for shift in ten.shifts] == [shift.at_priors for shift in both.shifts]


def test_true_and_false_beside_1_and_0_in_text(shell) -> None:
    frame = _frame()
    frame = pd.DataFrame({"y": frame["y"] == "fraud", "pred": (frame["pred"] == "fraud").astype(int)})
    code, said = shell(frame, *LABELS, "--full")
    assert code == 0
    assert "80" in said
    assert '"True" as "1"' in said
    assert sy.evaluate("data.csv", truth="y", pred="pred", interval=None).matrix.counts.tolist() == [
        [310, 10],
        [20, 60],
    ]
    frame["pred"] = frame["pred"].astype(float)
    assert shell(frame, *LABELS)[0] == 0


def test_a_single_option_given_twice(shell) -> None:
    code, said = shell(_frame(), "threshold", "data.csv", "--truth", "y", "--score", "p", "--score", "q")
    assert code == 2
    assert "--score is given twice" in said
    assert "p" in said
    assert "q" in said
    code, said = shell(None, *LABELS, "--pred=p")
    assert code == 2
    assert "--pred is given twice" in said
    code, said = shell(
        None, "gate", "data.csv", "--truth", "y", "--pred", "pred", "--min", "gmean=0.1", "--min", "f1=0.1"
    )
    assert code in (0, 1, 3)  # this one repeats


def test_labels_that_pandas_wrote_as_floats(shell) -> None:
    frame = _frame()
    frame["y"] = (frame["y"] == "fraud").astype(float)
    for words in (("--positive", "1"), ("--cost", "1>0=10, 0>1=1")):
        code, said = shell(frame, "threshold", "data.csv", "--truth", "y", "--score", "p", *words)
        assert code == 0, said


def test_decimal_commas(shell) -> None:
    frame = _frame()
    code, said = shell(frame, "threshold", "data.csv", "--truth", "y", "--score", "p", sep=";", decimal=",")
    assert code == 2
    assert "decimal comma" in said
    assert "0.1" in said
    with pytest.raises(sy.InputError, match="decimal comma"):
        sy.evaluate(frame["y"], score=[str(p).replace(".", ",") for p in frame["p"]], threshold=0.5)


@pytest.mark.parametrize("name", ["book.xlsx", "book.xls", "book.ods"])
def test_a_workbook(shell, name: str) -> None:
    Path(name).write_bytes(b"PK\x03\x04 and so on")
    code, said = shell(None, "evaluate", name)
    assert code == 2
    assert "CSV or Parquet" in said
    assert "pandas.read_excel" in said


def test_a_misspelt_metric_function() -> None:
    with pytest.raises(AttributeError, match="did you mean 'gmean'"):
        sy.gmeen  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'evaluate'"):
        sy.evalute  # noqa: B018


def test_missing_columns_name_candidates_and_a_command(shell) -> None:
    frame = (
        _frame()
        .rename(columns={"y": "is_fraud", "pred": "lgbm"})
        .assign(xgb=lambda d: d["lgbm"], id=range(ROWS))
    )
    code, said = shell(frame, "evaluate", "data.csv")
    assert code == 2
    assert "is_fraud, lgbm, xgb" in said
    assert "p" in said
    assert "steelyard evaluate data.csv --truth is_fraud --pred lgbm" in said
    code, said = shell(None, "compare", "data.csv", "--truth", "is_fraud")
    assert code == 2
    assert "steelyard compare data.csv --truth is_fraud --pred lgbm --pred xgb" in said
    code, said = shell(None, "threshold", "data.csv", "--score", "p")
    assert code == 2
    assert "steelyard threshold data.csv --score p --truth is_fraud" in said
    with pytest.raises(sy.InputError, match='truth="is_fraud"'):
        sy.evaluate("data.csv")
    with pytest.raises(sy.InputError, match='truth="is_fraud"'):
        sy.evaluate(frame)
