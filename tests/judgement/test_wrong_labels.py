"""Wrong labels at the surface: `evaluate --label-errors` and the fragility of `compare` and `gate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.cli import main
from steelyard.errors import InputError

pytestmark = pytest.mark.usefixtures("few_samples")

PAYMENTS = str(Path(__file__).parents[2] / "examples" / "data" / "payments.csv")
ALIKE = ("--truth", "y", "--positive", "fraud")


def test_ranges_by_hand() -> None:
    # 10 of 1,000 labels may be wrong. Recall 90 / 100 at best: ten missed ones were no fraud, 90 / 90; at
    # worst ten of the true negatives were fraud, 90 / 110, or ten hits were not, 80 / 90.
    found = sy.evaluate(
        [[90, 10], [30, 870]], labels=["fraud", "ok"], positive="fraud", label_errors="1%"
    ).label_errors
    assert found is not None
    assert found.wrong_labels == "10 of 1,000 labels"
    ranges = {one.measure.name: one for one in found.measures}
    assert (ranges["recall"].low, ranges["recall"].high) == (90 / 110, 1.0)
    assert ranges["recall"].low_matrix.tolist() == [[90, 20], [30, 860]]
    assert (ranges["accuracy"].low, ranges["accuracy"].high) == (0.95, 0.97)
    assert ranges["recall"].sharp


def test_ranges_by_class(capsys: Any) -> None:
    words = ("--pred", "model", "--label-errors", "fraud=10%, ok=0.1%", "--interval", "none")
    assert main(["evaluate", PAYMENTS, *ALIKE, *words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["label_errors"]
    assert answer["by_class"] == [10, 3]  # of 100 and 3,900
    assert main(["evaluate", PAYMENTS, *ALIKE, *words]) == 0
    assert 'up to 10 of 100 labels of class "fraud" and 3 of 3,900 labels of class "ok"' in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("many", "is not understood"),
        ("150%", "between 0 and 1"),
        ("scam=1%", "a class that does not occur"),
        ("fraud=1%, fraud=2%", "is not understood"),
    ],
)
def test_bad_shares_are_one_sentence(said: str, words: str, capsys: Any) -> None:
    assert main(["evaluate", PAYMENTS, *ALIKE, "--pred", "model", "--label-errors", said]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_weighted_rows_are_refused() -> None:
    frame = pd.DataFrame({"y": ["a", "b"] * 20, "yhat": ["a", "b"] * 20, "w": [0.5, 1.5] * 20})
    with pytest.raises(InputError, match="counted in rows"):
        sy.evaluate(frame, truth="y", pred="yhat", weight="w", label_errors=0.1)


def test_comparison_says_how_few_labels_reverse_it(capsys: Any) -> None:
    words = ("--pred", "model", "--pred", "rule", "--by", "recall", "--json")
    assert main(["compare", PAYMENTS, *ALIKE, *words]) == 0
    answer = json.loads(capsys.readouterr().out)["fragility"]
    frame = pd.read_csv(PAYMENTS)
    detected = {
        name: int(((frame["y"] == "fraud") & (frame[name] == "fraud")).sum()) for name in ("model", "rule")
    }
    assert (answer["winner"], answer["challenger"]) == ("model", "rule")
    # Every relabelled row that only the winner detects takes one hit from it: one more than the gap, unless
    # rows that only the challenger alerts become fraud, which gives it a hit.
    assert answer["reverses"] == detected["model"] - detected["rule"] + 1
    assert answer["exact"]
    assert 0 < answer["makes_inconclusive"] < answer["reverses"]
    assert _checked(frame, answer) == "rule"


def _checked(frame: pd.DataFrame, answer: dict[str, Any]) -> str:
    """Relabel rows of the file as the certificate says, and count recall by hand: who wins?"""
    truth = frame["y"].to_numpy(dtype=object).copy()
    for one in answer["relabelled"]:
        where = (
            (truth == one["label"])
            & (frame[answer["winner"]] == one["predicted"][0]).to_numpy()
            & (frame[answer["challenger"]] == one["predicted"][1]).to_numpy()
        )
        places = np.flatnonzero(where)[: one["rows"]]
        assert len(places) == one["rows"]
        truth[places] = one["becomes"]
    hits = {name: int(((truth == "fraud") & (frame[name] == "fraud")).sum()) for name in ("model", "rule")}
    return max(hits, key=lambda name: hits[name])


def test_three_classes_and_equal_models() -> None:
    random = np.random.default_rng(2)
    y = random.choice(list("abc"), 300)
    first = np.where(random.random(300) < 0.8, y, "a")
    second = np.where(random.random(300) < 0.7, y, "b")
    found = sy.compare({"first": first, "second": second}, y_true=y).fragility
    assert found is not None
    assert found.reverses is not None
    same = sy.compare({"first": first, "second": first.copy()}, y_true=y, by="accuracy").fragility
    assert same is not None
    assert same.reverses is None  # no label tells equal models apart


def test_gate_says_how_few_labels_cross_the_limit(capsys: Any) -> None:
    assert main(["gate", PAYMENTS, *ALIKE, "--pred", "model", "--min", "recall=0.8", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["rulings"][0]["fragility"]
    # 91 of 100: with k more missed ones 91 / (100 + k) < 0.8 from k = 14 on.
    assert answer["reverses"] == 14
    assert answer["exact"]
    assert answer["relabelled"] == [{"rows": 14, "label": "ok", "becomes": "fraud", "predicted": ["ok"]}]
    assert answer["makes_inconclusive"] is not None
    assert answer["makes_inconclusive"] <= 14
