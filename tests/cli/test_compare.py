"""Which model is better, asked on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.compare.result import Comparison
from tests.judgement.compare.cases import RF, SVM, Y
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture(scope="module")
def result() -> Comparison:
    return sy.compare({"rf": RF, "svm": SVM}, Y, draws=2000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("predictions")
    rows = pd.DataFrame(
        {"id": np.arange(len(Y)), "y": Y, "rf": RF, "svm": SVM, "fold": np.arange(len(Y)) % 4}
    )
    rows.to_csv(at / "both.csv", index=False)
    for name in ("rf", "svm"):
        rows.rename(columns={name: "yhat"})[["id", "y", "yhat"]].sample(frac=1, random_state=0).to_parquet(
            at / f"{name}.parquet"
        )
    return at


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["compare", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_command(folder: Path, capsys: pytest.CaptureFixture[str], result: Comparison) -> None:
    one = run(
        capsys,
        folder / "both.csv",
        "--truth",
        "y",
        "--pred",
        "rf",
        "--pred",
        "svm",
        "--draws",
        2000,
        "--json",
    )
    two = run(
        capsys,
        folder / "rf.parquet",
        folder / "svm.parquet",
        "--truth",
        "y",
        "--pred",
        "yhat",
        "--key",
        "id",
        "--draws",
        2000,
        "--json",
    )
    assert one[0] == two[0] == 0
    fits(json.loads(one[1]), BY_COMMAND["compare"])
    assert json.loads(one[1]) == json.loads(two[1]) == json.loads(json.dumps(result.to_dict()))


def test_command_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(
        capsys,
        folder / "both.csv",
        "--truth",
        "y",
        "--pred",
        "rf",
        "--pred",
        "svm",
        "--draws",
        500,
        "--rope",
        0.01,
        "--fold",
        "fold",
        "--by",
        "IAM",
        "--full",
    )
    assert (code, err) == (0, "")
    for part in (
        "Ranking by IAM",
        "P(best)",
        "Difference rf − svm",
        "McNemar's test p",
        "classifies 310 correctly",
        "4 folds",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--truth", "y", "--pred", "rf"], "a comparison needs models"),
        (["--truth", "y", "--pred", "rf", "--pred", "svm", "--level", "1"], "the level is not a probability"),
        (["--truth", "z", "--pred", "rf", "--pred", "svm"], "there is no column"),
        (["--truth", "y", "--pred", "rf", "--pred", "svm", "--by", "nonsense"], "there is no metric"),
        (["--truth", "y"], "--pred"),
    ],
)
def test_command_refuses(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    code, out, err = run(capsys, folder / "both.csv", *arguments)
    assert (code, out) == (2, "")
    assert told in err


def test_rows_that_lack_a_score_are_left_out_for_all_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(4)
    rows = pd.DataFrame({"y": rng.choice(["f", "o"], 80), "day": np.arange(80) % 4})
    for name in ("a", "b"):
        rows[name] = np.where(rng.random(80) < 0.8, rows["y"], "o")
        rows[f"p_{name}"] = rng.random(80).round(3)
    rows.loc[3, "p_a"], rows.loc[5, "b"], rows.loc[7, "y"] = np.nan, None, None
    rows.to_csv(tmp_path / "holes.csv", index=False)
    rows.dropna().to_csv(tmp_path / "whole.csv", index=False)
    asked = ("--truth", "y", "--pred", "a", "--pred", "b", "--score", "a=p_a", "--score", "b=p_b")
    how = ("--positive", "f", "--draws", "200", "--json", "-")
    for more in ((), ("--fold", "day")):
        found = [
            run(capsys, tmp_path / name, *asked, *how, *more, *dropping)
            for name, dropping in (("holes.csv", ("--missing", "drop")), ("whole.csv", ()))
        ]
        assert [code for code, _, _ in found] == [0, 0]
        dropped, whole = (json.loads(out) for _, out, _ in found)
        assert (dropped.pop("missing_left_out"), whole.pop("missing_left_out")) == (3, 0)
        assert dropped["areas"] == whole["areas"]
        assert dropped["values"] == whole["values"]
        assert dropped["pairs"] == whole["pairs"]


@pytest.mark.parametrize(
    ("written", "code"), [("1/9", 0), ("0.111", 0), (" 1 / 9 ", 0), ("1/0", 2), ("x", 2)]
)
def test_a_ratio_may_be_written_as_one(
    folder: Path, capsys: pytest.CaptureFixture[str], written: str, code: int
) -> None:
    asked = ("--truth", "y", "--pred", "rf", "--pred", "svm", "--fold", "fold", "--json", "-")
    answer = run(capsys, folder / "both.csv", *asked, "--test-to-train", written)
    assert answer[0] == code
    if code:
        assert answer[2].count("\n") == 1
        assert "--test-to-train is not a number; found" in answer[2]
    else:
        assert ("0.111" in answer[1]) or ("1/9" in answer[1])


def test_one_column_of_scores_is_for_two_classes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, folder / "both.csv", "--truth", "y", "--score", "a=id", "--score", "b=fold")
    assert (code, out) == (2, "")
    assert "one column of scores is for two classes; found 3 classes" in err


def test_scores_of_a_frame_are_compared_by_name() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.choice(["f", "o"], 80), "p": rng.random(80), "q": rng.random(80)})
    frame["a"], frame["b"] = np.where(frame.p > 0.5, "f", "o"), np.where(frame.q > 0.5, "f", "o")
    named = sy.compare(frame, "y", pred=["a", "b"], scores={"a": "p", "b": "q"}, positive="f", draws=200)
    columns = sy.compare(
        {"a": frame.a, "b": frame.b}, frame.y, scores={"a": frame.p, "b": frame.q}, positive="f", draws=200
    )
    assert named.to_dict() == columns.to_dict()
