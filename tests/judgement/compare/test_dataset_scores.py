"""Scores and tables of matrices over data sets: values of scikit-learn, standard errors by resampling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    roc_auc_score,
)

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.compare.dataset_tests import ScoredTest
from steelyard.judgement.compare.options import Options

pytestmark = pytest.mark.usefixtures("few_samples")


def scored(seeds: int = 1) -> pd.DataFrame:
    random = np.random.default_rng(4)
    parts = []
    for number in range(7):
        truth = random.random(150 + 20 * number) < 0.2
        for seed in range(seeds):
            logit = 1.5 * truth - 1.5 + random.standard_normal((2, len(truth))) * [[1.0], [1.6]]
            a, b = 1 / (1 + np.exp(-logit))
            part = {"d": f"set {number}", "s": seed, "y": np.where(truth, "yes", "no"), "pa": a, "pb": b}
            parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def test_values_are_those_of_scikit_learn() -> None:
    frame = scored()
    result = sy.compare(frame, "y", scores={"a": "pa", "b": "pb"}, dataset="d", positive="yes")
    assert list(result.metrics) == ["roc_auc", "average_precision", "brier", "log_loss"]
    for name, part in frame.groupby("d"):
        for model, column in (("a", "pa"), ("b", "pb")):
            truth = part.y == "yes"
            for metric, peer in (
                ("roc_auc", roc_auc_score),
                ("average_precision", average_precision_score),
                ("brier", brier_score_loss),
            ):
                assert result[metric].values[name][model] == pytest.approx(peer(truth, part[column])), metric
    assert result.primary.best == "a"
    assert result["brier"].lower_is_better
    pair = result.primary.pairs[0]
    assert pair.expected is not None
    assert pair.expected.low < pair.mean_difference < pair.expected.high
    assert result["average_precision"].pairs[0].expected is None


@pytest.mark.parametrize("metric", ["roc_auc", "brier", "log_loss"])
def test_standard_errors_are_those_of_resampled_rows(metric: str) -> None:
    random = np.random.default_rng(1)
    truth = random.random(400) < 0.3
    columns = {
        m: 1 / (1 + np.exp(-(truth + s * random.standard_normal(400)))) for m, s in (("a", 1.0), ("b", 2.0))
    }
    test, measure = ScoredTest(columns, truth), sy.measure(metric)
    errors, _ = test.uncertainty(["a", "b"], [measure], Options())[metric]
    drawn = []
    for _ in range(300):
        rows = random.integers(0, 400, 400)
        again = ScoredTest({m: column[rows] for m, column in columns.items()}, truth[rows])
        first, second = again.values(["a", "b"], [measure], Options())[0]
        drawn.append(first - second)
    assert errors[0] == pytest.approx(np.std(drawn), rel=0.2)


def test_seeds_are_averaged_and_a_model_may_be_missing() -> None:
    frame = scored(2)
    frame.loc[frame.d == "set 3", "pb"] = np.nan
    result = sy.compare(frame, "y", scores=["pa", "pb"], dataset="d", seed="s", positive="yes")
    assert result.seeds == 2
    assert [one.reason for one in result.primary.left_out] == ["missing for pb"]
    part = frame[frame.d == "set 0"]
    each = [roc_auc_score(rows.y == "yes", rows.pa) for _, rows in part.groupby("s")]
    assert result.primary.values["set 0"]["pa"] == pytest.approx(np.mean(each))


def test_the_command_and_a_folder(tmp_path: Path, capsys: Any) -> None:
    frame = scored()
    for name, part in frame.groupby("d"):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    words = ["--truth", "y", "--score", "a=pa", "--score", "b=pb", "--positive", "yes", "--json"]
    assert main(["compare", str(tmp_path), *words]) == 0
    folder = json.loads(capsys.readouterr().out)
    frame.to_csv(tmp_path / "long.csv", index=False)
    assert main(["compare", str(tmp_path / "long.csv"), "--dataset", "d", *words]) == 0
    long = json.loads(capsys.readouterr().out)
    assert folder["metrics"]["roc_auc"]["values"] == long["metrics"]["roc_auc"]["values"]
    assert long["input"] == "row_scores"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--by", "gmean"), "not a metric of scores"),
        (("--pred", "y2"), "by their labels or by their scores"),
        (("--score", "a=pa"), "a comparison needs models"),
    ],
)
def test_refusals(tmp_path: Path, capsys: Any, words: tuple[str, ...], said: str) -> None:
    path = tmp_path / "long.csv"
    scored().assign(y2="yes").to_csv(path, index=False)
    more = ("--score", "b=pb") if "--score" not in words else ()
    scores = ("--score", "a=pa", *more) if "--score" not in words else words
    rest = () if "--score" in words else words
    assert main(["compare", str(path), "--dataset", "d", "--truth", "y", *scores, *rest]) == 2
    assert said in capsys.readouterr().err


def test_a_row_without_a_score_is_an_error(tmp_path: Path) -> None:
    frame = scored()
    frame.loc[5, "pa"] = np.nan
    with pytest.raises(sy.InputError, match="lacks labels or scores"):
        sy.compare(frame, "y", scores=["pa", "pb"], dataset="d", positive="yes")
    result = sy.compare(frame, "y", scores=["pa", "pb"], dataset="d", positive="yes", missing="drop")
    assert result.missing_left_out == 1


def test_a_table_of_matrices_with_three_classes(tmp_path: Path, capsys: Any) -> None:
    """Cell by cell: data set, model, true class, predicted class, count; macro F1 is scikit-learn's."""
    random = np.random.default_rng(2)
    rows, peers = [], {}
    for number in range(6):
        truth = random.choice(list("abc"), 90, p=[0.6, 0.3, 0.1])
        for model, right in (("rf", 0.8), ("svm", 0.6)):
            pred = np.where(random.random(90) < right, truth, random.choice(list("abc"), 90))
            peers[f"d{number}", model] = f1_score(truth, pred, average="macro")
            matrix = confusion_matrix(truth, pred, labels=list("abc"))
            rows += [
                (f"d{number}", model, a, b, int(matrix[i, j]))
                for i, a in enumerate("abc")
                for j, b in enumerate("abc")
                if matrix[i, j]
            ]
    path = tmp_path / "matrices.csv"
    pd.DataFrame(rows, columns=["dataset", "model", "truth", "prediction", "count"]).to_csv(path, index=False)
    result = sy.compare(str(path), dataset="dataset")
    for (dataset, model), value in peers.items():
        assert result["macro_f_beta"].values[dataset][model] == pytest.approx(value)
    assert result.given == "matrices"
    ends = (result.primary.intervals or {})["d0"]["rf"]
    assert ends.low < result.primary.values["d0"]["rf"] < ends.high
    path.write_text(path.read_text() + "d0,rf,a,a,3\n")
    assert main(["compare", str(path), "--dataset", "dataset"]) == 2
    assert "rf on d0 twice" in capsys.readouterr().err


def test_the_heat_map_shows_intervals() -> None:
    """Of a model that classifies 8 of 10 and 40 of 50 correctly: the intervals of its G-mean are drawn."""
    matrices = {
        name: {"rf": [[8, 2], [10, 40]], "svm": [[6, 4], [8, 42]]} for name in ("glass", "yeast", "wine")
    }
    result = sy.compare(matrices)
    ends = (result.primary.intervals or {})["glass"]["rf"]
    assert ends.low < np.sqrt(0.8 * 0.8) < ends.high
    chart = result.figure("heatmap")
    assert "Lines: 95% confidence intervals" in chart.caption
    without = sy.compare({name: {"rf": 0.8, "svm": 0.7} for name in matrices}).figure("heatmap")
    assert "Lines" not in without.caption
    assert chart.svg().count("<path") + chart.svg().count("<line") > without.svg().count(
        "<path"
    ) + without.svg().count("<line")
