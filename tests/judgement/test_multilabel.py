"""Rows that carry several labels: scikit-learn's values (recorded), hand arithmetic, every door, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import steelyard as sy
from steelyard.judgement.multilabel.judge import AVERAGES, paired_columns
from tests.judgement.record_multilabel import LABELS, RECORDED, tables
from tests.schemas import BY_COMMAND, fits

MEASURES = ("precision", "recall", "f_beta", "threat_score")
RECORD = json.loads(RECORDED.read_text(encoding="utf-8"))
CLOSE = {"rel": 1e-12, "abs": 1e-12}


@pytest.fixture(scope="module")
def counted() -> Any:
    return sy.evaluate_multilabel(*tables(), labels=LABELS, undefined=0, interval=None)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    names = [f"{side}_{label}" for side in ("y", "p") for label in LABELS]
    return pd.DataFrame(np.hstack(tables()), columns=names)


@pytest.mark.parametrize("kind", AVERAGES)
@pytest.mark.parametrize("name", MEASURES)
def test_averages(counted: Any, kind: str, name: str) -> None:
    assert counted.averages[kind][name].value == pytest.approx(RECORD["averages"][kind][name], **CLOSE)


def test_each_label(counted: Any) -> None:
    for name in MEASURES:
        assert [one.values[name].value for one in counted.labels] == pytest.approx(
            RECORD["labels"][name], **CLOSE
        )
    # theirs are [[tn, fp], [fn, tp]]
    assert [one.matrix.counts[::-1, ::-1].tolist() for one in counted.labels] == RECORD["matrices"]


def test_the_classification_report(counted: Any) -> None:
    for one in counted.labels:
        theirs = RECORD["report"][one.label]
        assert one.examples == theirs["support"]
        ours = [one.values[name].value for name in ("precision", "recall", "f_beta")]
        assert ours == pytest.approx([theirs["precision"], theirs["recall"], theirs["f1-score"]], **CLOSE)


def test_whole_rows_and_single_answers(counted: Any) -> None:
    assert counted.subset_accuracy.value == pytest.approx(RECORD["subset_accuracy"], **CLOSE)
    assert counted.hamming_loss.value == pytest.approx(RECORD["hamming_loss"], **CLOSE)


def test_by_hand() -> None:
    """Two labels, four rows: a has tp 1, fn 1, fp 0, tn 2; b has tp 1, fn 0, fp 1, tn 2."""
    truth, predicted = [[1, 0], [1, 1], [0, 0], [0, 0]], [[1, 0], [0, 1], [0, 1], [0, 0]]
    found = sy.evaluate_multilabel(truth, predicted, undefined="skip", interval=None)
    assert found.subset_accuracy.value == 0.5
    assert found.hamming_loss.value == 0.25
    assert found.averages["macro"]["recall"].value == 0.75
    assert found.averages["micro"]["precision"].value == pytest.approx(2 / 3)
    # recall of rows with labels: 1 and 1/2; precision of rows with predictions: 1, 1 and 0
    assert found.averages["samples"]["recall"].value == 0.75
    assert found.averages["samples"]["precision"].value == pytest.approx(2 / 3)
    other = sy.evaluate_multilabel(truth, predicted, measures=["gmean", "mcc"], interval=None)
    assert other.averages["macro"]["gmean"].value == pytest.approx((math.sqrt(1 / 2) + math.sqrt(2 / 3)) / 2)


def test_what_is_undefined_is_said() -> None:
    found = sy.evaluate_multilabel(*tables(), labels=LABELS, interval=None)
    macro = found.averages["macro"]["precision"]
    assert math.isnan(macro.value)
    assert macro.why_undefined == "never called: nothing was predicted as the label"
    assert found.averages["weighted"]["recall"].value == pytest.approx(
        RECORD["averages"]["weighted"]["recall"], **CLOSE
    ), "a label without examples weighs nothing"
    assert "rows have no value" in str(found.averages["samples"]["recall"].why_undefined)
    with pytest.raises(sy.UndefinedError, match="macro average of precision is undefined: never called"):
        sy.evaluate_multilabel(*tables(), labels=LABELS, undefined="raise", interval=None)


def test_files_and_frames_are_the_same(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "scenes.csv", index=False)
    frame.astype(bool).to_parquet(tmp_path / "scenes.parquet")
    sources = [
        frame,
        pl.from_pandas(frame),
        pl.from_pandas(frame).lazy(),
        tmp_path / "scenes.csv",
        tmp_path / "scenes.parquet",
    ]
    found = [
        sy.evaluate_multilabel(source, truth="y_*", pred="p_*", undefined=0, interval=None).to_dict()
        for source in sources
    ]
    for one in found:
        assert one["averages"]["macro"]["f_beta"]["value"] == pytest.approx(
            RECORD["averages"]["macro"]["f_beta"]
        )
        assert one["labels"] == found[0]["labels"]


def test_intervals_hold_the_values_and_the_json_is_as_described() -> None:
    found = sy.evaluate_multilabel(*tables(), labels=LABELS, undefined="skip", seed=1)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    fits(data, BY_COMMAND["multilabel"])
    for values in found.averages.values():
        assert all(v.low < v.value < v.high for v in values.values())
    assert found.hamming_loss.low < found.hamming_loss.value < found.hamming_loss.high
    again = sy.evaluate_multilabel(*tables(), labels=LABELS, undefined="skip", seed=1)
    assert again.to_dict() == found.to_dict()
    assert "subset accuracy" in repr(found)
    assert "<table" in found.to_html()
    assert set(found.to_frame()["kind"]) == {"label", "average"}


def test_an_interval_of_an_average_is_as_wide_as_the_binomial_says() -> None:
    """Subset accuracy is one proportion: 1.96 standard errors either side, within what 1,000 draws leave open."""
    found = sy.evaluate_multilabel(*tables(), labels=LABELS, undefined=0).subset_accuracy
    error = math.sqrt(found.value * (1 - found.value) / 300)
    assert (found.high - found.low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.12)


def test_missing_values_are_refused_or_left_out() -> None:
    truth, predicted = [[1, 0], [1, None], [0, 0]], [[1, 0], [0, 1], [0, 1]]
    with pytest.raises(sy.InputError, match="some labels are missing; found none in 1 of 3 rows"):
        sy.evaluate_multilabel(truth, predicted)
    found = sy.evaluate_multilabel(truth, predicted, missing="drop", undefined=0, interval=None)
    assert found.sets.n_rows == 2
    assert found.notes == ("1 rows with missing labels are left out.",)


@pytest.mark.parametrize(
    ("truth", "predicted", "options", "words"),
    [
        ([[1, 0]], [[1, 0, 1]], {}, "differ in shape"),
        ([[1, 0]], [[1, 0.7]], {}, "'label 2' is neither there nor not; found 0.7 in the predictions"),
        ([[1, 2]], [[1, 0]], {}, "found 2 in the truth"),
        ([[1, 0]], [["yes", "no"]], {}, "y_pred must be a table of 0 and 1"),
        ([1, 0], [1, 0], {}, "y_true must be a table of 0 and 1"),
        ([[1, 0]], [[1, 0]], {"labels": ["a"]}, "the labels do not fit the columns"),
        ([[1, 0]], [[1, 0]], {"labels": ["a", "a"]}, "the labels do not fit the columns"),
        ([[1, 0]], [[1, 0]], {"truth": "y_*"}, "found truth= with y_pred="),
        ([[1, 0]], [[1, 0]], {"measures": ["roc_auc"]}, "is a metric of scores"),
        ([[1, 0]], [[1, 0]], {"level": 1}, "level= is out of range"),
        ([[1, 0]], None, {}, "columns of true labels"),
        (np.zeros((0, 2)), np.zeros((0, 2)), {}, "there is nothing to count"),
    ],
)
def test_what_is_refused(truth: Any, predicted: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.evaluate_multilabel(truth, predicted, **options)


def test_columns_pair_by_what_the_stars_stand_for() -> None:
    assert paired_columns(["id", "y_a", "y_b", "y_pred_b", "y_pred_a"], "y_*", "y_pred_*") == {
        "a": ("y_a", "y_pred_a"),
        "b": ("y_b", "y_pred_b"),
    }
    with pytest.raises(sy.InputError, match="do not pair; found 'y_b' without 'p_b'"):
        paired_columns(["y_a", "y_b", "p_a", "p_c"], "y_*", "p_*")
    for patterns in (("y", "p_*"), ("y_*_*", "p_*"), ("y_*", "y_*")):
        with pytest.raises(sy.InputError):
            paired_columns(["y_a", "y_b", "p_a", "p_b"], *patterns)


def test_frames_must_have_the_same_labels() -> None:
    with pytest.raises(sy.InputError, match="do not pair"):
        sy.evaluate_multilabel(pd.DataFrame({"a": [1], "b": [0]}), pd.DataFrame({"b": [1], "a": [0]}))


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_true_and_false_are_one_and_zero(name: str, tmp_path: Path) -> None:
    """As pandas and Polars write columns of truth values."""
    frame = pd.DataFrame(
        {"y_a": [True, False, True], "y_b": [False] * 3, "p_a": [True, True, False], "p_b": [True] * 3}
    )
    file = tmp_path / name
    file.write_text(
        frame.to_csv(index=False) if name.endswith("csv") else frame.to_json(orient="records", lines=True)
    )
    found = sy.evaluate_multilabel(str(file), truth="y_*", pred="p_*")
    assert found.to_dict()["rows"] == 3
    assert found.to_dict() == {
        **sy.evaluate_multilabel(frame, truth="y_*", pred="p_*").to_dict(),
        "source": str(file),
    }
    file.write_text(
        "y_a,y_b,p_a,p_b\nyes,1,1,1\n"
        if name.endswith("csv")
        else '{"y_a": "yes", "y_b": 1, "p_a": 1, "p_b": 1}\n'
    )
    with pytest.raises(sy.InputError, match="allowed: 0 and 1, or true and false"):
        sy.evaluate_multilabel(str(file), truth="y_*", pred="p_*")


def test_the_interval_method_of_single_labels_is_the_one_of_the_matrix() -> None:
    truth, predicted = tables()
    for method in ("posterior", "bootstrap"):
        found = sy.evaluate_multilabel(truth, predicted, labels=LABELS, interval=method)
        report = found.labels[0]
        counts = [[((truth[:, 0] == t) & (predicted[:, 0] == p)).sum() for p in (1, 0)] for t in (1, 0)]
        expected = sy.interval(
            sy.Confusion(counts, labels=["has", "lacks"]),
            "recall",
            method=method,
            draws=4000,
            seed=0,
            positive="has",
        )["recall"]
        assert (report.values["recall"].low, report.values["recall"].high) == (expected.low, expected.high)
