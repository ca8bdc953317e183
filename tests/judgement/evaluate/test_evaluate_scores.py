"""Do scores, given to an evaluation or a comparison, say what hand arithmetic and independent implementations say?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score

import steelyard as sy
from steelyard.cli import main
from steelyard.counts.curves import MOST_POINTS
from steelyard.judgement.evaluate.judge import Evaluation, evaluate
from steelyard.report.terminal import plain_text
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

ROOT = Path(__file__).resolve().parents[3]
SATIMAGE = str(ROOT / "examples/data/satimage.csv")
DAMP = "damp grey soil"

NAMES_OF_FILES = ("source", "findings")
"""Fields of the JSON that name the file: where it came from, and commands to go on with."""
TRUTH = ["ill"] * 3 + ["well"] * 4
SCORE = [0.9, 0.8, 0.4, 0.7, 0.3, 0.2, 0.1]
COUNTRY = ["x", "y", "x", "y", "x", "y", "x"]
FRAME = {"y": TRUTH, "p_ill": SCORE, "country": COUNTRY}


def checked(result: Evaluation) -> dict[str, Any]:
    """The figures, which JSON can hold and the schema allows."""
    figures = result.to_dict()
    fits(figures, BY_COMMAND["evaluate"])
    return json.loads(json.dumps(figures, allow_nan=False))


def by_id(figures: dict[str, Any], place: int = 0) -> dict[str, dict[str, Any]]:
    return {m["id"]: m for m in figures["ranking"]["classes"][place]["measures"]}


def inputs(tmp_path: Path, chosen: tuple[str, ...], **options: Any) -> dict[str, Evaluation]:
    pd.DataFrame(FRAME).to_csv(tmp_path / "p.csv", index=False)
    pq.write_table(pa.table(FRAME), tmp_path / "p.parquet")
    (tmp_path / "p.jsonl").write_text(
        "".join(
            json.dumps(dict(zip(FRAME, row, strict=True))) + "\n" for row in zip(*FRAME.values(), strict=True)
        )
    )
    named = {"truth": "y", "score": "p_ill", "slices": "country", **options}
    ways: dict[str, Callable[[], Evaluation]] = {
        "lists": lambda: evaluate(TRUTH, score=SCORE, slices={"country": COUNTRY}, **options),
        "arrays": lambda: evaluate(
            np.array(TRUTH), score=np.array(SCORE), slices={"country": np.array(COUNTRY)}, **options
        ),
        "pandas": lambda: evaluate(pd.DataFrame(FRAME), **named),
        "polars": lambda: evaluate(pl.DataFrame(FRAME), **named),
        "lazy": lambda: evaluate(pl.LazyFrame(FRAME), **named),
        "arrow": lambda: evaluate(pa.table(FRAME), **named),
        "csv": lambda: evaluate(tmp_path / "p.csv", **named),
        "json lines": lambda: evaluate(tmp_path / "p.jsonl", **named),
        "parquet": lambda: evaluate(str(tmp_path / "p.parquet"), **named),
    }
    return {name: ways[name]() for name in chosen or ways}


@pytest.mark.parametrize(
    ("threshold", "chosen", "sure"),
    [
        (0.5, (), {"interval": None}),
        ("0.7", ("lists", "polars", "csv"), {"interval": None}),
        (math.inf, (), {"interval": None}),
        ("best:gmean", (), {"interval": None}),
        # What is drawn at random is drawn from the counts, however these came: a column, a frame and a file do.
        ("best:gmean", ("lists", "polars", "csv"), {"draws": 500}),
    ],
)
def test_every_input_gives_the_same_figures(
    tmp_path: Path, threshold: str | float, chosen: tuple[str, ...], sure: dict[str, Any]
) -> None:
    results = inputs(tmp_path, chosen, threshold=threshold, positive="ill", priors=0.1, **sure)
    expected = checked(results.pop("lists"))
    for name, result in results.items():
        found = checked(result)
        assert {k: v for k, v in found.items() if k not in NAMES_OF_FILES} == {
            k: v for k, v in expected.items() if k not in NAMES_OF_FILES
        }, name
        assert found["source"]["rows"] == 7, name
        assert found["source"]["unused_columns"] == [], name


def test_by_hand() -> None:
    """Of the 12 pairs 11 are ranked right; G-mean is sqrt(1 * 3/4) at 0.4 and at most sqrt(2/3) elsewhere."""
    result = evaluate(TRUTH, score=SCORE, threshold="best:gmean", positive="ill", priors=0.01)
    figures = checked(result)
    assert figures["matrix"] == {
        "labels": ["ill", "well"],
        "orientation": figures["matrix"]["orientation"],
        "counts": [[3, 0], [1, 3]],
    }
    measures = by_id(figures)
    assert measures["roc_auc"]["value"] == pytest.approx(11 / 12)
    assert measures["average_precision"]["value"] == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert measures["average_precision"]["balanced"] == pytest.approx((1 + 1 + 0.5 / (0.5 + 0.5 / 4)) / 3)
    assert measures["average_precision"]["at_priors"] == pytest.approx((1 + 1 + 0.01 / (0.01 + 0.99 / 4)) / 3)
    assert measures["roc_auc"]["low"] <= 11 / 12 <= measures["roc_auc"]["high"]
    ranking = figures["ranking"]
    assert (
        ranking["threshold"]["threshold"],
        ranking["threshold"]["how"],
        ranking["threshold"]["optimistic"],
    ) == (0.4, "best:gmean", True)
    only = ranking["classes"][0]
    assert only["operating_point"] == {"tpr": 1.0, "fpr": 0.25, "threshold": 0.4, "implied_threshold": None}
    assert (only["roc"]["fpr"], only["roc"]["tpr"]) == (
        [0, 0, 0, 0.25, 0.25, 1],
        [0, 1 / 3, 2 / 3, 2 / 3, 1, 1],
    )
    observed, even, asked = only["precision_recall"]
    assert (observed["prior"], even["prior"], asked["prior"]) == (pytest.approx(3 / 7), 0.5, 0.01)
    assert observed["recall"] == pytest.approx([1 / 3, 2 / 3, 2 / 3, 1])
    assert observed["precision"] == pytest.approx([1, 1, 2 / 3, 3 / 4])
    assert even["precision"] == pytest.approx([1, 1, (2 / 3) / (2 / 3 + 1 / 4), 1 / (1 + 1 / 4)])
    swept = only["sweep"]
    assert swept["thresholds"] == sorted(SCORE, reverse=True)
    assert swept["chosen_by"] == "gmean"
    assert swept["lines"]["gmean"] == pytest.approx(
        [
            math.sqrt(a * b)
            for a, b in zip(
                [1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1], [1, 1, 3 / 4, 3 / 4, 1 / 2, 1 / 4, 0], strict=True
            )
        ]
    )
    assert any("optimistic" in note for note in figures["notes"])


def test_a_threshold_chosen_on_other_rows_is_not_called_optimistic(tmp_path: Path) -> None:
    """On the other rows G-mean is best at 0.75, where these have 2 of 3 positives and no false alarm."""
    other = {"y": ["ill", "ill", "well", "well"], "p_ill": [0.9, 0.75, 0.6, 0.1]}
    pd.DataFrame(FRAME).to_csv(tmp_path / "here.csv", index=False)
    pd.DataFrame(other).to_csv(tmp_path / "there.csv", index=False)
    options: dict[str, Any] = {"threshold": "best:gmean", "positive": "ill"}
    results = [
        evaluate(tmp_path / "here.csv", truth="y", score="p_ill", fit_on=tmp_path / "there.csv", **options),
        evaluate(
            pl.DataFrame(FRAME),
            truth="y",
            score="p_ill",
            fit_on=pl.DataFrame(other),
            interval=None,
            **options,
        ),
        evaluate(TRUTH, score=SCORE, fit_on=(other["y"], other["p_ill"]), interval=None, **options),
    ]
    for result in results:
        figures = checked(result)
        assert figures["ranking"]["threshold"]["threshold"] == 0.75
        assert not figures["ranking"]["threshold"]["optimistic"]
        assert figures["matrix"]["counts"] == [[2, 1], [0, 4]]
        assert not any("optimistic" in note for note in figures["notes"])
    assert results[0].ranking is not None
    assert str(tmp_path / "there.csv") in results[0].ranking.choice.words  # type: ignore[union-attr]


def test_predictions_give_the_labels_and_scores_the_ranking(tmp_path: Path) -> None:
    predictions = ["ill", "well", "ill", "well", "well", "well", "well"]
    pd.DataFrame({**FRAME, "pred": predictions}).to_csv(tmp_path / "p.csv", index=False)
    for result in (
        evaluate(TRUTH, predictions, score=SCORE, positive="ill"),
        evaluate(tmp_path / "p.csv", truth="y", score="p_ill", positive="ill", interval=None),
    ):
        figures = checked(result)
        assert figures["matrix"]["counts"] == [[2, 1], [0, 4]]
        assert by_id(figures)["roc_auc"]["value"] == pytest.approx(11 / 12)
        assert figures["ranking"]["classes"][0]["operating_point"] == {
            "tpr": pytest.approx(2 / 3),
            "fpr": 0.0,
            "threshold": None,
            "implied_threshold": 0.8,
        }
        assert figures["ranking"]["threshold"] is None


def test_one_class_of_six_against_the_others() -> None:
    """Against scikit-learn, on real scores."""
    data = pd.read_csv(SATIMAGE)
    result = evaluate(SATIMAGE, score="p_damp_grey_soil", positive=DAMP, threshold=0.3)
    positive, score = (data["truth"] == DAMP).to_numpy(), data["p_damp_grey_soil"].to_numpy()
    (tn, fp), (fn, tp) = confusion_matrix(positive, score >= 0.3)
    figures = checked(result)
    assert figures["matrix"]["labels"] == [DAMP, "the other classes"]
    assert figures["matrix"]["counts"] == [[tp, fn], [fp, tn]]
    measures = by_id(figures)
    assert measures["roc_auc"]["value"] == pytest.approx(roc_auc_score(positive, score), abs=1e-12)
    assert measures["average_precision"]["value"] == pytest.approx(
        average_precision_score(positive, score), abs=1e-12
    )
    weights = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())
    assert measures["average_precision"]["balanced"] == pytest.approx(
        average_precision_score(positive, score, sample_weight=weights), abs=1e-9
    )
    only = figures["ranking"]["classes"][0]
    assert 50 < len(only["roc"]["fpr"]) <= MOST_POINTS
    assert 50 < len(only["sweep"]["thresholds"]) <= MOST_POINTS
    assert (
        len(only["roc"]["band"]["at"]) == len(only["roc"]["band"]["low"]) == len(only["roc"]["band"]["high"])
    )
    assert all(
        low <= high for low, high in zip(only["roc"]["band"]["low"], only["roc"]["band"]["high"], strict=True)
    )


def many_classes() -> tuple[np.ndarray, list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    classes = ["ham", "phishing", "spam"]
    codes = rng.choice(3, 400, p=[0.75, 0.1, 0.15])
    table = rng.gamma(1, size=(400, 3)).round(2)
    table[np.arange(400), codes] += 1
    return np.array(classes)[codes], classes, table


def test_a_column_for_each_class_takes_the_largest_score(tmp_path: Path) -> None:
    truth, classes, table = many_classes()
    frame = pd.DataFrame({"y": truth, **{f"p_{name}": table[:, k] for k, name in enumerate(classes)}})
    frame.to_csv(tmp_path / "p.csv", index=False)
    results = [
        evaluate(tmp_path / "p.csv", truth="y", scores="p_*", interval=None),
        evaluate(frame, truth="y", scores="p_*", interval=None),
        evaluate(frame, truth="y", scores={name: f"p_{name}" for name in classes}, interval=None),
        evaluate(truth, scores=table, interval=None),
        evaluate(
            truth, scores={name: table[:, k] for k, name in reversed(list(enumerate(classes)))}, interval=None
        ),
    ]
    expected = checked(results[0])
    largest = np.array(classes)[np.argmax(table, axis=1)]
    assert expected["matrix"]["counts"] == confusion_matrix(truth, largest, labels=classes).tolist()
    assert expected["source"]["unused_columns"] == []
    overall = {m["id"]: m["value"] for m in expected["ranking"]["measures"]}
    shares = table / table.sum(axis=1, keepdims=True)
    assert set(overall) == {"hand_till", "ova_auc", "ova_average_precision"}
    assert overall["ova_auc"] == pytest.approx(
        np.mean([roc_auc_score(truth == c, table[:, k]) for k, c in enumerate(classes)])
    )
    assert [c["label"] for c in expected["ranking"]["classes"]] == classes
    for k, name in enumerate(classes):
        assert by_id(expected, k)["average_precision"]["value"] == pytest.approx(
            average_precision_score(truth == name, table[:, k])
        )
    for result in results[1:]:
        assert {k: v for k, v in checked(result).items() if k not in NAMES_OF_FILES} == {
            k: v for k, v in expected.items() if k not in NAMES_OF_FILES
        }
    normalised = checked(evaluate(truth, scores=shares, interval=None))
    hand_till = next(m["value"] for m in normalised["ranking"]["measures"] if m["id"] == "hand_till")
    assert hand_till == pytest.approx(roc_auc_score(truth, shares, multi_class="ovo", average="macro"))


def test_predictions_win_over_the_largest_score(tmp_path: Path) -> None:
    truth, classes, table = many_classes()
    predictions = np.roll(truth, 1)
    figures = checked(evaluate(truth, predictions, scores=table, interval=None))
    assert figures["matrix"]["counts"] == confusion_matrix(truth, predictions, labels=classes).tolist()


def test_used_columns_are_not_called_unused() -> None:
    used = evaluate(SATIMAGE, pred="random_forest", score="p_damp_grey_soil", positive=DAMP, interval=None)
    unused = evaluate(SATIMAGE, pred="random_forest", interval=None)
    assert not any("look like scores" in note for note in used.notes)
    assert any("look like scores were not used: p_damp_grey_soil" in note for note in unused.notes)
    assert used.matrix.n_classes == 6


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no threshold": ({}, "scores alone give no predicted labels"),
    "a word": ({"threshold": "high"}, "the threshold is not understood"),
    "not a number": ({"threshold": math.nan}, "the threshold is not understood"),
    "no measure": ({"threshold": "best:gmaen"}, "there is no metric 'gmaen'"),
    "a measure of scores": ({"threshold": "best:roc_auc"}, "roc_auc has no threshold"),
    "labels twice": ({"threshold": 0.5, "y_pred": TRUTH}, "labels come from predictions or from a threshold"),
    "scores twice": ({"threshold": 0.5, "scores": np.ones((7, 2))}, "scores are given in one way"),
    "nothing to choose": (
        {"threshold": 0.5, "fit_on": (TRUTH, SCORE)},
        "there is nothing to choose on other rows",
    ),
    "too short": ({"threshold": 0.5, "score": SCORE[1:]}, "differ in length"),
    "a score is missing": ({"threshold": 0.5, "score": [math.nan, *SCORE[1:]]}, "some scores are missing"),
    "one class": ({"threshold": 0.5, "data": ["ill"] * 7, "positive": "ill"}, "one class only"),
    "none of the positive class": (
        {"threshold": 0.5, "data": ["well"] * 7, "positive": "ill"},
        "one class only",
    ),
    "another class": ({"threshold": 0.5, "positive": "sick"}, "there is no class 'sick'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused_in_words(name: str) -> None:
    options, words = REFUSED[name]
    with pytest.raises(sy.SteelyardError, match=words):
        evaluate(**{"data": TRUTH, "score": SCORE, **options})


HARD: dict[str, dict[str, Any]] = {
    "constant scores": {"score": [1] * 7, "threshold": "best:gmean"},
    "infinite scores": {"score": [math.inf] * 3 + [-math.inf] * 4, "threshold": 0.5},
    "weights": {"score": SCORE, "threshold": "best:gmean", "weight": [0.5] * 7},
    "no interval": {"score": SCORE, "threshold": "best:gmean", "interval": None},
    "a class without examples": {"scores": {"gone": SCORE[::-1], "ill": SCORE, "well": [0.5] * 7}},
}


@pytest.mark.parametrize("name", HARD)
def test_what_is_hard_to_say_is_still_said(name: str) -> None:
    result = evaluate(**{"data": TRUTH, "positive": "ill", **HARD[name]})
    figures = checked(result)
    assert "Ranking" in plain_text(result.report(), "full")
    assert ">Ranking</h2>" in result.to_html()
    if name == "a class without examples":
        assert figures["ranking"]["classes"][0]["roc"] is None
        assert by_id(figures)["roc_auc"]["undefined_because"]


def test_missing_scores_can_be_left_out(tmp_path: Path) -> None:
    frame = pd.DataFrame(FRAME)
    frame.loc[0, "p_ill"] = np.nan
    frame.loc[6, "y"] = None
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    options: dict[str, Any] = {"truth": "y", "score": "p_ill", "positive": "ill", "threshold": 0.5}
    for data, level in ((tmp_path / "p.csv", "auto"), (tmp_path / "p.parquet", None), (frame, None)):
        figures = checked(evaluate(data, missing="drop", interval=level, **options))
        assert figures["matrix"]["counts"] == [[1, 1], [1, 2]]
        assert figures["source"]["missing_left_out"] == 2
        assert by_id(figures)["roc_auc"]["value"] == pytest.approx((3 + 2) / 6)


def test_figures_of_scores_hold_the_points_of_the_curves() -> None:
    result = evaluate(TRUTH, score=SCORE, threshold="best:gmean", positive="ill", priors=0.01)
    for kind in ("roc", "precision_recall", "threshold"):
        assert result.plot(kind).svg().startswith("<svg")
    frame = result.figure("roc").frame()
    curve = frame[(frame["mark"] == "line") & frame["name"].str.startswith("ROC AUC")]
    assert curve["x"].tolist() == [0, 0, 0, 0.25, 0.25, 1]
    with pytest.raises(sy.InputError, match="cannot be drawn"):
        evaluate([[1, 2], [3, 4]]).plot("roc")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "evaluate",
        SATIMAGE,
        "--score",
        "p_damp_grey_soil",
        "--positive",
        DAMP,
        "--threshold",
        "best:gmean",
    ]
    figures, page, plots = tmp_path / "r.json", tmp_path / "r.html", tmp_path / "plots"
    assert main([*command, "--full", "--json", str(figures), "--html", str(page), "--plots", str(plots)]) == 0
    printed = capsys.readouterr().out
    assert "ROC AUC" in printed
    assert "which makes G-mean best on these very rows" in printed.replace("\n", " ")
    found = json.loads(figures.read_text())
    fits(found, BY_COMMAND["evaluate"])
    assert found["ranking"]["threshold"]["how"] == "best:gmean"
    assert {path.stem for path in plots.iterdir()} >= {"roc", "precision_recall", "threshold"}
    assert main(["evaluate", SATIMAGE, "--score", "p_damp_grey_soil", "--positive", DAMP]) == 2
    assert "threshold" in capsys.readouterr().err
    assert main([*command, "--fit-on", SATIMAGE]) == 2
    assert main(["evaluate", "--matrix", "[[1,2],[3,4]]", "--score", "p"]) == 2


# -- comparisons

# Two positives and two negatives: a ranks 4 of 4 pairs right, b 2 of 4.
Y = ["ill", "ill", "well", "well"] * 10
A, B = [0.9, 0.8, 0.2, 0.1] * 10, [0.9, 0.1, 0.5, 0.4] * 10


def test_areas_of_models_are_compared_on_the_same_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parts of b's positives in its area are 1 and 0, ten of each; those of its negatives 1/2; so by delong1988 the variance is 10/38 / 20."""
    predictions = {"a": Y, "b": ["ill", "well", "ill", "well"] * 10}
    result = sy.compare(predictions, Y, scores={"a": A, "b": B}, positive="ill", draws=200)
    fits(result.to_dict(), BY_COMMAND["compare"])
    areas = result.to_dict()["areas"]
    assert areas["values"] == {"a": 1.0, "b": 0.5}
    (pair,) = areas["pairs"]
    assert pair["delong"]["difference"] == 0.5
    assert pair["delong"]["standard_error"] == pytest.approx(math.sqrt(20 * 0.25 / 19 / 20))
    assert pair["holm_p_value"] == pair["delong"]["p_value"] < 1e-3
    assert "ROC AUC" in plain_text(result.report(), "full")
    assert "a − b" in result.to_html()
    rows = pd.DataFrame({"id": range(40), "y": Y, **predictions, "p_a": A, "p_b": B})
    rows.to_csv(tmp_path / "p.csv", index=False)
    out = tmp_path / "r.json"
    command = [
        "compare",
        str(tmp_path / "p.csv"),
        "--truth",
        "y",
        "--pred",
        "a",
        "--pred",
        "b",
        "--positive",
        "ill",
        "--draws",
        "200",
    ]
    assert main([*command, "--score", "a=p_a", "--score", "b=p_b", "--json", str(out)]) == 0
    assert json.loads(out.read_text())["areas"] == json.loads(json.dumps(areas))
    assert main([*command, "--score", "a=p_a"]) == 2
    assert main([*command, "--score", "a=p_a", "--score", "b=p_c"]) == 2
    capsys.readouterr()
    assert sy.compare(predictions, Y, draws=200).to_dict()["areas"] is None


def test_scores_in_several_files_are_matched_by_key(tmp_path: Path) -> None:
    for name, predicted, score in (("a", Y, A), ("b", ["ill", "well", "ill", "well"] * 10, B)):
        rows = pd.DataFrame({"id": range(40), "y": Y, "pred": predicted, "p": score})
        rows.sample(frac=1, random_state=ord(name)).to_parquet(tmp_path / f"{name}.parquet")
    out = tmp_path / "r.json"
    files = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    assert main(["compare", *files, "--truth", "y", "--pred", "pred", "--score", "p", "--key", "id", "--positive", "ill", "--draws", "200", "--json", str(out)]) == 0  # fmt: skip
    areas = json.loads(out.read_text())["areas"]
    assert areas["values"] == {"a": 1.0, "b": 0.5}
    assert areas["pairs"][0]["delong"]["standard_error"] == pytest.approx(math.sqrt(20 * 0.25 / 19 / 20))


def test_groups_of_bare_scores_are_drawn_again_and_the_ranking_says_that_it_takes_rows_for_independent():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    patients = np.repeat(np.arange(50), 4)
    found = sy.evaluate(
        truth, score=rng.random(200) + 0.3 * truth, threshold=0.6, positive=1, cluster=patients
    )
    assert found.intervals is not None
    assert "resampling the 50 groups" in found.notes[0]
    assert any("scores take rows for independent" in note for note in found.notes)


def test_where_no_class_is_rarer_the_report_is_of_the_class_whose_scores_were_read(tmp_path: Path) -> None:
    truth, score = ["fraud", "ok"] * 20, [k / 40 for k in range(40)]
    result = sy.evaluate(truth, score=score, threshold=0.5)
    assert result.positive is not None
    assert (result.positive.label, result.positive.reason) == (
        "ok",
        "neither class is rarer and it comes last",
    )
    called = np.where(np.array(score) >= 0.5, "ok", "fraud")
    assert result["recall"] == confusion_matrix(truth, called)[1, 1] / 20
    assert "positive class: ok" in plain_text(result.report())
    path = tmp_path / "even.csv"
    pd.DataFrame({"y": truth, "p": score}).to_csv(path, index=False)
    assert main(["evaluate", str(path), "--truth", "y", "--score", "p", "--threshold", "0.5"]) == 0


def test_predictions_beside_scores_that_some_rows_lack_are_judged_by_the_class_of_the_scores() -> None:
    # "a" is the rarer one of all rows, "b" of those with a score.
    frame = pd.DataFrame({"y": ["a"] * 9 + ["b"] * 10, "pred": ["a"] * 19, "p": np.linspace(0, 1, 19)})
    frame.loc[frame.index[10:], "p"] = np.nan
    result = sy.evaluate(frame, truth="y", pred="pred", score="p", missing="drop")
    assert result.positive is not None
    assert result.ranking is not None
    assert result.positive.label == result.ranking.scores.positive_class().label


def test_columns_of_different_lengths_are_one_sentence() -> None:
    with pytest.raises(sy.InputError, match="y_true and the scores differ in length; found 4 and 3, 4 rows"):
        sy.evaluate(["a", "b"] * 2, scores={"a": [0.1, 0.2, 0.3, 0.4], "b": [0.9, 0.8, 0.7]})


def test_rows_without_a_score_are_counted_alike_in_memory_and_in_files(tmp_path: Path) -> None:
    rows = pd.DataFrame({"y": ["a", "b"] * 5 + [None, None, "a"], "p": [*np.arange(11) / 10, np.nan, np.nan]})
    path = tmp_path / "rows.csv"
    rows.to_csv(path, index=False)
    for source in (rows, pl.from_pandas(rows).lazy(), str(path)):
        found = sy.evaluate(
            source, truth="y", score="p", positive="a", threshold=0.5, missing="drop", interval=None
        )
        assert found.to_dict()["ranking"]["scores"]["rows_without_score"] == 2
        assert "3 of 13 rows were left out" in " ".join(found.notes)
