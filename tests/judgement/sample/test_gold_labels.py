"""Correction of wrong labels by a checked (gold) subset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main

ALIKE = ("--truth", "judge", "--pred", "pred", "--positive", "bad")


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    random = np.random.default_rng(1)

    def right_in(share: float, truth: Any) -> Any:
        return np.where(random.random(3000) < share, truth, np.where(truth == "bad", "good", "bad"))

    truth = np.where(random.random(3000) < 0.25, "bad", "good")
    frame = pd.DataFrame(
        {"judge": right_in(0.93, truth), "second": right_in(0.85, truth), "pred": right_in(0.85, truth)}
    )
    frame["gold"] = np.where(random.permutation(3000) < 200, truth, "")
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    return frame.assign(y=truth)


def test_the_estimate_by_hand(rows: pd.DataFrame) -> None:
    found = sy.evaluate("rows.csv", truth="judge", pred="pred", gold="gold", positive="bad")
    expected = 0.0
    for _, part in rows.groupby(
        ["judge", "pred"]
    ):  # post-stratification: rows of a cell times its checked share
        checked = part[part["gold"] != ""]
        if part["pred"].iloc[0] == "bad":
            expected += len(part) * (checked["gold"] == "bad").mean()
    assert found.matrix.counts[
        found.matrix.labels.index("bad"), found.matrix.labels.index("bad")
    ] == pytest.approx(expected)
    assert found.matrix.total == pytest.approx(3000)


def test_intervals_contain_the_truth_and_are_narrower_than_gold_alone(rows: pd.DataFrame) -> None:
    found = sy.evaluate("rows.csv", truth="judge", pred="pred", gold="gold", positive="bad")
    checked = rows[rows["gold"] != ""]
    alone = sy.evaluate(checked, truth="gold", pred="pred", positive="bad")
    whole = sy.evaluate(rows, truth="y", pred="pred", positive="bad")
    widths = []
    for name in ("recall", "precision", "f_beta", "gmean", "accuracy"):
        one, other = found.interval_of(name), alone.interval_of(name)
        assert one is not None
        assert other is not None
        assert one.low <= whole[name] <= one.high
        widths.append((one.high - one.low) / (other.high - other.low))
    assert max(widths) <= 1.02
    assert np.mean(widths) < 0.85


def test_another_annotator_helps(rows: pd.DataFrame) -> None:
    found = sy.evaluate(
        "rows.csv", truth="judge", annotator="second", pred="pred", gold="gold", positive="bad"
    )
    assert found.strata is not None
    assert len(found.strata) == 8
    assert found.matrix.total == pytest.approx(3000)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--annotator", "second"), "annotators alone do not show the truth"),
        (("--gold", "nope"), "there is no column 'nope'"),
        (("--gold", "gold", "--weight", "pred"), "leave one of them out"),
        (("--gold", "gold", "--label-errors", "2%"), "leave one of them out"),
    ],
)
def test_bad_input_is_one_sentence(
    rows: pd.DataFrame, words: tuple[str, ...], expected: str, capsys: Any
) -> None:
    assert main(["evaluate", "rows.csv", *ALIKE, *words]) == 2
    err = capsys.readouterr().err
    assert expected in err
    assert err.count("\n") == 1


def test_predictions_without_a_checked_row_are_refused(rows: pd.DataFrame, capsys: Any) -> None:
    rows.drop(columns="y").assign(gold=rows["gold"].where(rows["pred"] == "good", "")).to_csv(
        "some.csv", index=False
    )
    assert main(["evaluate", "some.csv", *ALIKE, "--gold", "gold"]) == 2
    assert 'a stratum has no labels; found rows predicted "bad"' in capsys.readouterr().err
