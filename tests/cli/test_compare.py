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
from steelyard.judgement.schemas import COMPARISON
from tests.judgement.compare.cases import RF, SVM, Y
from tests.schemas import fits


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
    fits(json.loads(one[1]), COMPARISON)
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
        "Ranking by imbalance_accuracy",
        "P(best)",
        "rf minus svm",
        "McNemar p",
        "gets 310 more",
        "4 folds",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--truth", "y", "--pred", "rf"], "a comparison needs models"),
        (["--truth", "y", "--pred", "rf", "--pred", "svm", "--level", "1"], "the level is not a probability"),
        (["--truth", "z", "--pred", "rf", "--pred", "svm"], "there is no column"),
        (["--truth", "y", "--pred", "rf", "--pred", "svm", "--by", "nonsense"], "there is no measure"),
        (["--truth", "y"], "--pred"),
    ],
)
def test_command_refuses(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    code, out, err = run(capsys, folder / "both.csv", *arguments)
    assert (code, out) == (2, "")
    assert told in err
