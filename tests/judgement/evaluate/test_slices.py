"""Which slices are worse than the rest, and how surely is that said?"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

import steelyard as sy
from steelyard.judgement.evaluate.judge import evaluate


def test_slices_come_worst_first_and_undefined_ones_last(tmp_path: Path) -> None:
    rows = {
        "y_true": ["a", "b", "a", "b", "a", "b", "a", "a"],
        "y_pred": ["a", "b", "b", "b", "b", "a", "a", "a"],
        "where": ["good", "good", "half", "half", "bad", "bad", "one", "one"],
    }
    result = evaluate(pd.DataFrame(rows), slices="where")
    assert [part.name for part in result.slices] == [("bad",), ("half",), ("good",), ("one",)]
    assert [part.values["accuracy"] for part in result.slices[:3]] == [0, 0.5, 1]
    last = result.slices[-1]
    assert last.why_undefined
    assert "b" in last.why_undefined
    path = tmp_path / "p.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    assert evaluate(path, slices=["where"]).to_dict()["slices"] == result.to_dict()["slices"]
    given = evaluate(rows["y_true"], rows["y_pred"], slices={"where": rows["where"]})
    assert given.to_dict()["slices"] == result.to_dict()["slices"]


def test_any_undefined_value_of_a_slice_has_a_reason() -> None:
    truth = ["a", "b", "c", "a", "b", "c"]
    prediction = [
        "a",
        "b",
        "c",
        "a",
        "b",
        "a",
    ]  # in the second half c is never predicted: its recall is 0, its precision undefined
    second = next(
        p for p in evaluate(truth, prediction, slices={"half": [1, 1, 1, 2, 2, 2]}).slices if p.name == ("2",)
    )
    assert not math.isnan(second.values["macro_recall"])
    assert second.values["gmean"] == 0
    alone = evaluate(
        ["a", "b", "a", "a"], ["a", "b", "b", "b"], positive="b", slices={"half": [1, 1, 2, 2]}
    ).slices[-1]
    assert math.isnan(alone.values["recall"])
    assert alone.why_undefined is not None
    assert "b" in alone.why_undefined


def test_slices_of_bare_columns_must_be_columns() -> None:
    with pytest.raises(sy.InputError, match="slices of bare columns are given as columns"):
        evaluate(["ham", "spam"], ["ham", "ham"], slices="country")


def test_slices_have_an_interval_that_holds_for_all_at_once() -> None:
    """Sidak: of three slices each stands at 0.95^(1/3) = 98.3%, whose normal quantile is 2.388: 1.218 times 1.960; Student's of the
    some hundred degrees of freedom that 57 errors tell are a little more."""
    truth = [0, 1] * 600
    prediction = [1 - t if k % 7 == 0 else t for k, t in enumerate(truth)]
    found = evaluate(truth, prediction, positive=1, slices={"part": [k % 3 for k in range(1200)]})
    for part in found.slices:
        value = part.values["gmean"]
        assert part.low is not None
        assert part.simultaneous_low is not None
        assert 1.2184 < (value - part.simultaneous_low) / (value - part.low) < 1.24


def test_slices_are_ordered_by_evidence_and_small_ones_are_counted() -> None:
    """A slice of 400 that is clearly worse leads one of three rows that looks worse still; an order by value would not."""
    truth = [0, 1] * 600
    where = ["large"] * 400 + ["rest"] * 797 + ["tiny"] * 3
    wrong = {*range(160), *range(1197, 1200)}
    prediction = [1 - t if k in wrong else t for k, t in enumerate(truth)]
    found = evaluate(truth, prediction, positive=1, slices={"where": where})
    assert [part.name for part in found.slices] == [("large",), ("tiny",), ("rest",)]
    large, tiny, _ = found.slices
    assert large.examples == {0: 200, 1: 200}
    assert large.low is not None
    assert large.high is not None
    assert large.low < large.values["gmean"] < large.high
    assert large.holm_p_value is not None
    assert large.holm_p_value < 1e-6
    assert tiny.too_small
    assert not large.too_small
    assert any(n.startswith("Significantly worse than the other rows: large") for n in found.notes)
    assert any(note.startswith("1 of 3 slices is too small to judge") for note in found.notes)


def test_a_metric_of_a_slice_has_the_degrees_of_freedom_of_the_examples_that_decide() -> None:
    """By hand: recall of k of n has the variance p q / n, and 2 n p q / (p³ + q³) degrees of freedom; a quarter is added to each cell."""
    from steelyard.judgement.evaluate.slices import _Spread

    for tp, fn in ((9, 9), (40, 3)):
        n, p = tp + fn + 0.5, (tp + 0.25) / (tp + fn + 0.5)
        found = _Spread.of(sy.Confusion([[tp, fn], [30, 500]], (1, 0)))
        value, variance, _ = found.of_metric(sy.measure("recall"), 1)
        assert value == pytest.approx(p)
        assert variance == pytest.approx(p * (1 - p) / n, rel=1e-6)
        degrees = 2 * n * p * (1 - p) / (p**3 + (1 - p) ** 3)
        assert found.degrees(sy.measure("recall"), 1) == pytest.approx(degrees, rel=1e-6)


def test_a_slice_that_is_worse_in_precision_or_cost_alone_is_named() -> None:
    """Recall and specificity are alike everywhere; one slice has a tenth of the positives, and so a far lower precision."""
    rows = []
    for name, positives, negatives in (("a", 500, 500), ("b", 500, 500), ("c", 200, 9800)):
        rows += [(name, 1, int(k % 10 < 8)) for k in range(positives)]
        rows += [(name, 0, int(k % 10 == 0)) for k in range(negatives)]
    where, truth, prediction = (list(column) for column in zip(*rows, strict=True))
    found = evaluate(truth, prediction, positive=1, slices={"where": where}, cost="1>0=1, 0>1=20")
    worst = found.slices[0]
    assert worst.name == ("c",)
    assert "precision" in worst.worse_in
    assert "expected_cost" in " ".join(worst.worse_in)
    assert not {"gmean", "recall"} & set(worst.worse_in)
    assert all(
        set(part.worse_in) <= {"accuracy"} for part in found.slices[1:]
    )  # with fewer negatives, rightly
    assert any("worse than the other rows" in note and "c (precision" in note for note in found.notes)


def test_a_slice_is_tested_by_what_its_weights_are_worth() -> None:
    """The same rows with the weight 3 each say no more."""
    truth = [0, 1] * 300
    prediction = [1 - t if k % 7 == 0 or (k < 200 and k % 3 == 0) else t for k, t in enumerate(truth)]
    parts = {"part": [k // 200 for k in range(600)]}
    plain = evaluate(truth, prediction, positive=1, slices=parts)
    heavy = evaluate(truth, prediction, positive=1, slices=parts, weight=[3.0] * 600)
    for one, other in zip(plain.slices, heavy.slices, strict=True):
        assert one.holm_p_value == pytest.approx(other.holm_p_value)
        assert one.worse_in == other.worse_in
