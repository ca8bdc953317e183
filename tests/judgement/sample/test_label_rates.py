"""Correction for known error rates of labels: Rogan and Gladen's estimate by hand, intervals, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError

RECORDED = [[40, 10], [20, 130]]
"""Rows are recorded labels p and n."""


def test_estimates_by_hand() -> None:
    """Labels are right in 90% of class p and 95% of class n: of 60 rows predicted p, (40 - 0.05 * 60) / 0.85 =
    37 / 0.85 are p, of 140 others (10 - 7) / 0.85 = 3 / 0.85."""
    result = sy.evaluate(
        matrix=RECORDED, labels=["p", "n"], positive="p", label_rates={"p": 0.9, "n": (95, 100)}
    )
    assert result["recall"] == pytest.approx(37 / 40)
    assert result["precision"] == pytest.approx(37 / 0.85 / 60)
    assert result["accuracy"] == pytest.approx((37 / 0.85 + 140 - 3 / 0.85) / 200)
    assert result.label_rates is not None
    assert [(one.label, one.rate, one.checked) for one in result.label_rates] == [
        ("p", 0.9, None),
        ("n", 0.95, 100),
    ]


def width(rates: dict[str, Any], name: str = "recall") -> float:
    result = sy.evaluate(matrix=RECORDED, labels=["p", "n"], positive="p", label_rates=rates)
    ends = result.interval_of(name)
    assert ends is not None
    assert ends.low <= result[name] <= ends.high
    return ends.high - ends.low


def test_rates_that_were_measured_widen_the_interval() -> None:
    assert width({"n": (95, 100)}) > width({"n": (950, 1000)}) > width({"n": 0.95}) > 0


def test_labels_without_errors_give_the_interval_of_the_rows() -> None:
    plain = sy.evaluate(matrix=RECORDED, labels=["p", "n"], positive="p").interval_of("recall")
    same = sy.evaluate(matrix=RECORDED, labels=["p", "n"], positive="p", label_rates={"p": 1.0}).interval_of(
        "recall"
    )
    assert plain is not None
    assert same is not None
    assert (same.low, same.high) == pytest.approx((plain.low, plain.high), abs=0.02)


def test_the_command(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "rows.csv"
    rows = [("p", "p")] * 40 + [("p", "n")] * 10 + [("n", "p")] * 20 + [("n", "n")] * 130
    path.write_text("y,pred\n" + "".join(f"{y},{pred}\n" for y, pred in rows))
    words = ["evaluate", str(path), "--truth", "y", "--pred", "pred", "--positive", "p"]
    rates = ["--label-rates", "p: 0.9, n: 0.95 (95 of 100)"]
    assert main([*words, *rates]) == 0
    screen = " ".join(capsys.readouterr().out.split())
    assert "Detects about 44 of 47 p cases (recall 92.5%" in screen
    assert 'true class "n" are right (100 checked)' in screen
    assert main([*words, *rates, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["matrix"]["labels"] == ["n", "p"]
    assert answer["label_rates"][0] == {"label": "n", "rate": 0.95, "checked": 100}
    assert main([*words, *rates, "--slice", "pred"]) == 2
    assert "--label-rates with --slice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("p: 0.9 (180 of 100)", "not understood"),
        ("p: 0.8 (180 of 200)", "not understood"),
        ("p", "not understood"),
        ("p: 0.4, n: 0.5", "whose sum exceeds 1"),
        ("x: 0.9", "does not occur"),
        ("p: 0", "above 0"),
        ("p: 3 of 0", "cannot be used"),
        ("n: 0.7", "do not fit the rates"),
    ],
)
def test_refusals(said: str, found: str, capsys: Any) -> None:
    words = ["evaluate", "--matrix", json.dumps(RECORDED), "--labels", "p,n", "--positive", "p"]
    assert main([*words, "--label-rates", said]) == 2
    assert found in capsys.readouterr().err


def test_two_classes_only() -> None:
    with pytest.raises(InputError, match="two classes"):
        sy.evaluate(matrix=[[5, 1, 1], [1, 5, 1], [1, 1, 5]], label_rates={"0": 0.9})
