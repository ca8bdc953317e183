"""Compare models by their scores alone: cross-fitted thresholds, and paired differences of score metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score, roc_curve

import steelyard as sy
from steelyard.cli import main
from steelyard.judgement.compare import score_comparison
from steelyard.judgement.compare.result import Comparison
from steelyard.judgement.compare.score_comparison import cross_fit
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    fraud = rng.random(900) < 0.12
    common = rng.normal(size=900)

    def score(gain: float) -> np.ndarray:
        return 1 / (1 + np.exp(2 - gain * fraud - 0.6 * common - 0.8 * rng.normal(size=900)))

    truth = np.where(fraud, "fraud", "ok")
    return pd.DataFrame({"y": truth, "p1": score(2.0), "p2": score(1.3), "user": rng.integers(0, 90, 900)})


@pytest.fixture(scope="module")
def result(rows: pd.DataFrame) -> Comparison:
    found = sy.compare(
        y_true=rows["y"], scores={"one": rows["p1"], "two": rows["p2"]}, positive="fraud", draws=500
    )
    assert isinstance(found, Comparison)
    return found


def test_values_are_those_of_scikit_learn(rows: pd.DataFrame, result: Comparison) -> None:
    """scikit-learn 1.9; its partial AUC is standardised (McClish), so is ours."""
    fraud = (rows["y"] == "fraud").to_numpy()
    expected = {
        "average_precision": average_precision_score,
        "partial_auc(max_fpr=0.1)": lambda y, p: roc_auc_score(y, p, max_fpr=0.1),
        "brier": brier_score_loss,
        "log_loss": log_loss,
    }
    metrics = {metric.id: metric for metric in result.score_metrics}
    for name, function in expected.items():
        one, two = (function(fraud, rows[column]) for column in ("p1", "p2"))
        assert metrics[name].values["one"].value == pytest.approx(one, abs=1e-12)
        assert metrics[name].pairs[0].difference == pytest.approx(one - two, abs=1e-12)


def test_intervals_are_those_of_a_paired_bootstrap(rows: pd.DataFrame, result: Comparison) -> None:
    """The standard deviation of 300 bootstrap samples of our own is within 20%: three of its standard errors."""
    fraud, rng = (rows["y"] == "fraud").to_numpy(), np.random.default_rng(77)
    drawn = []
    for _ in range(300):
        at = rng.integers(0, len(rows), len(rows))
        one, two = (
            average_precision_score(fraud[at], rows[column].to_numpy()[at]) for column in ("p1", "p2")
        )
        drawn.append(one - two)
    pair = next(m for m in result.score_metrics if m.id == "average_precision").pairs[0]
    assert (pair.high - pair.low) / 2 / 1.98 == pytest.approx(np.std(drawn), rel=0.2)
    assert pair.holm_p_value == pair.p_value


def test_many_scores_are_drawn_in_bins_with_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """30,000 rows, 60 of them positive: the same resampled rows, counted in bins and one by one. A probability of 0
    in a bin with positives leaves the log loss finite."""
    rng, y = np.random.default_rng(1), np.repeat([1, 0], [60, 29_940])
    signal = rng.normal(size=30_000) + 1.5 * y - 3
    p, q = (1 / (1 + np.exp(-signal - noise * rng.normal(size=30_000))) for noise in (0, 0.7))
    p[(p < 0.01) & (y == 0) & (rng.random(30_000) < 0.02)] = 0.0
    binned = score_comparison.compare_score_metrics(y, {"p": p, "q": q}, 1)
    monkeypatch.setattr(score_comparison, "few_enough", lambda pair: True)
    for each, exact in zip(
        binned, score_comparison.compare_score_metrics(y, {"p": p, "q": q}, 1), strict=True
    ):
        intervals = zip(
            [each.pairs[0], *each.values.values()], [exact.pairs[0], *exact.values.values()], strict=True
        )
        for mine, other in intervals:
            width = other.high - other.low
            assert np.isfinite(width)
            assert (mine.low, mine.high) == pytest.approx((other.low, other.high), abs=0.02 * width), each.id


def test_no_row_judges_a_threshold_it_chose(rows: pd.DataFrame) -> None:
    """Each fold's threshold is the one that scikit-learn's ROC curve of the other folds has the best G-mean at."""
    labels, fitting = cross_fit(
        rows["y"], {"one": rows["p1"].to_numpy()}, "fraud", sy.measure("gmean"), seed=3
    )
    assert fitting.folds == 10
    fraud, score = (rows["y"] == "fraud").to_numpy(), rows["p1"].to_numpy()
    called = np.array(labels["one"]) == "fraud"
    best = np.array(fitting.thresholds["one"])
    explained = np.zeros(len(rows), dtype=bool)
    for threshold in best:
        explained |= called == (score >= threshold)
    assert explained.all()
    fpr, tpr, thresholds = roc_curve(fraud, score, drop_intermediate=False)
    on_all = thresholds[np.argmax(tpr * (1 - fpr))]
    assert np.min(np.abs(best - on_all)) == 0  # most folds leave the best threshold of all rows in place
    again, _ = cross_fit(rows["y"], {"one": rows["p1"].to_numpy()}, "fraud", sy.measure("gmean"), seed=3)
    assert again == labels


def test_scores_without_information_do_not_look_good() -> None:
    """On noise a threshold chosen on the same rows beats chance; a cross-fitted one does not (40 data sets)."""
    gmeans = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth, noise = rng.random(200) < 0.1, rng.random(200)
        labels, _ = cross_fit(truth, {"m": noise}, True, sy.measure("balanced_accuracy"), seed=seed)
        called = np.array(labels["m"])
        gmeans.append((np.mean(called[truth]) + np.mean(~called[~truth])) / 2)
    assert np.mean(gmeans) == pytest.approx(0.5, abs=3 * np.std(gmeans) / np.sqrt(40) + 0.02)


def test_clusters_stay_in_one_fold(rows: pd.DataFrame) -> None:
    columns = {"one": rows["p1"].to_numpy()}
    labels, _ = cross_fit(rows["y"], columns, "fraud", sy.measure("gmean"), rows["user"].tolist(), 1)
    assert set(labels["one"]) == {"fraud", "ok"}
    found = sy.compare(
        rows, "y", scores={"one": "p1", "two": "p2"}, cluster="user", positive="fraud", draws=200
    )
    assert found.clusters == rows["user"].nunique()


@pytest.mark.all_samples
def test_the_command_the_frame_and_the_columns_agree(
    rows: pd.DataFrame, result: Comparison, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.parquet"
    rows.to_parquet(path)
    command = ["compare", str(path), "--truth", "y", "--score", "one=p1", "--score", "two=p2"]
    out = tmp_path / "compared.json"
    assert main([*command, "--positive", "fraud", "--draws", "500", "--json", str(out)]) == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    fits(written, BY_COMMAND["compare"])
    here = result.to_dict()
    of_frame = sy.compare(rows, "y", scores={"one": "p1", "two": "p2"}, positive="fraud", draws=500).to_dict()
    for name in ("values", "score_metrics", "cross_fitting", "areas"):
        assert written[name] == here[name] == of_frame[name]
    shown = " ".join(capsys.readouterr().out.split())
    assert "Labels come from thresholds chosen by G-mean on other rows (10-fold cross-fitting): 0." in shown


def test_rows_with_holes_are_left_out_where_asked(rows: pd.DataFrame, tmp_path: Path) -> None:
    holes = rows.copy()
    holes.loc[[3, 8], "p1"] = np.nan
    holes.to_csv(tmp_path / "holes.csv", index=False)
    how = {"scores": {"one": "p1", "two": "p2"}, "positive": "fraud", "draws": 200}
    with pytest.raises(sy.InputError, match="column 'p1' has missing scores; found none in 2 of"):
        sy.compare(tmp_path / "holes.csv", "y", **how)
    found = sy.compare(tmp_path / "holes.csv", "y", missing="drop", **how)
    assert found.missing_left_out == 2
    columns = {"one": holes["p1"], "two": holes["p2"]}
    in_memory = sy.compare(y_true=holes["y"], scores=columns, missing="drop", positive="fraud", draws=200)
    assert in_memory.missing_left_out == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scores": {"one": "p1"}}, "a comparison needs models; found 1"),
        ({"cost": "fraud>ok=user, ok>fraud=1"}, "one cost for each error"),
        ({"by": "roc_auc"}, "models are compared by their labels"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    rows: pd.DataFrame, options: dict[str, object], words: str
) -> None:
    given = {"scores": {"one": "p1", "two": "p2"}, "positive": "fraud", **options}
    with pytest.raises(sy.InputError, match=words):
        sy.compare(rows, "y", **given)


def test_three_classes_and_too_few_rows_are_refused() -> None:
    scores = {"one": [0.1, 0.4, 0.5, 0.9, 0.2, 0.7], "two": [0.3, 0.2, 0.6, 0.8, 0.1, 0.5]}
    with pytest.raises(sy.InputError, match="scores alone compare models of two classes"):
        sy.compare(y_true=list("aabbcc"), scores=scores, positive="a")
    with pytest.raises(sy.InputError, match="two or more of each"):
        sy.compare(y_true=list("abbbbb"), scores=scores, positive="a")


def test_scores_that_are_no_probabilities_and_infinite_losses(rows: pd.DataFrame) -> None:
    margins = {"one": np.log(rows["p1"]), "two": np.log(rows["p2"])}
    found = sy.compare(y_true=rows["y"], scores=margins, positive="fraud", draws=200)
    assert [m.id for m in found.score_metrics] == ["average_precision", "partial_auc(max_fpr=0.1)"]
    sure = {"one": np.round(rows["p1"]), "two": rows["p2"]}
    found = sy.compare(y_true=rows["y"], scores=sure, positive="fraud", draws=200)
    loss = next(m for m in found.score_metrics if m.id == "log_loss")
    assert loss.values["one"].value == np.inf
    assert np.isnan(loss.pairs[0].p_value)
    assert "Infinity" not in json.dumps(found.to_dict(), allow_nan=False)


def test_scores_that_are_all_equal_never_predict_positive(rows: pd.DataFrame) -> None:
    scores = {"one": rows["p1"], "constant": np.ones(len(rows))}
    found = sy.compare(y_true=rows["y"], scores=scores, positive="fraud", draws=200)
    assert found.cross_fitting is not None
    assert found.cross_fitting.sentence.endswith("constant never predicts positive.")
    assert found.matrices["constant"].predicted.tolist() == [0, len(rows)]


def test_a_column_of_labels_is_compared_with_one_of_scores(tmp_path: Path, capsys: Any) -> None:
    """Scores that separate the classes: every threshold between 0.2 and 0.8 makes the labels of the truth, so
    the model is correct on the 6 of 20 fraud cases that the rule misses and on its 8 false alarms."""
    truth = ["fraud"] * 20 + ["ok"] * 80
    rule = ["fraud"] * 14 + ["ok"] * 6 + ["fraud"] * 8 + ["ok"] * 72
    scores = [0.8] * 20 + [0.2] * 80
    for options in ({}, {"missing": "drop"}):
        result = sy.compare({"rule": rule}, truth, scores={"p": scores}, draws=200, **options)
        assert result.matrices["p"].counts.tolist() == [[20, 0], [0, 80]]
        assert result.matrices["rule"].counts.tolist() == [[14, 6], [8, 72]]
        assert result.cross_fitting is not None
        assert (list(result.cross_fitting.thresholds), result.areas) == (["p"], None)
    path = tmp_path / "rows.csv"
    pd.DataFrame({"y": truth, "rule": rule, "p": scores}).to_csv(path, index=False)
    words = ["compare", str(path), "--truth", "y", "--pred", "rule", "--draws", "200", "--json"]
    assert main([*words, "--score", "p"]) == 0
    gains = json.loads(capsys.readouterr().out)["pairs"][0]["classes"]
    assert [(gain["only_first"], gain["only_second"]) for gain in gains] == [(0, 6), (0, 8)]
    assert main([*words, "--pred", "y2", "--score", "rule=p"]) == 2
    capsys.readouterr()
    assert main([*words, "--score", "rule=p"]) == 2
    assert "at least 2" in capsys.readouterr().err
