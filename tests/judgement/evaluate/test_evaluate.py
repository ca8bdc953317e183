"""Does an evaluation say the same whatever it is given, and all that it promises?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema_rs
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import steelyard as sy
from steelyard.judgement.evaluate.judge import Evaluation, evaluate
from steelyard.report.chart import Chart
from tests.schemas import BY_COMMAND, fits

pytestmark = pytest.mark.usefixtures("few_samples")

NAMES_OF_FILES = ("source", "findings")
"""Fields of the JSON that name the file: where it came from, and commands to go on with."""
TRUTH = ["ham"] * 8 + ["spam"] * 3
PREDICTION = ["ham"] * 6 + ["spam"] * 2 + ["spam", "spam", "ham"]
MATRIX = [[6, 2], [1, 2]]
CM1 = [[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]]


def write_csv(path: Path, *columns: list[Any], header: str = "y_true,y_pred") -> Path:
    path.write_text(
        header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in zip(*columns, strict=True)),
        encoding="utf-8",
    )
    return path


def inputs(tmp_path: Path) -> dict[str, Evaluation]:
    columns = {"y_true": TRUTH, "y_pred": PREDICTION}
    path = write_csv(tmp_path / "p.csv", TRUTH, PREDICTION)
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    return {
        "lists": evaluate(TRUTH, PREDICTION),
        "arrays": evaluate(np.array(TRUTH), np.array(PREDICTION)),
        "series": evaluate(pd.Series(TRUTH), pd.Series(PREDICTION)),
        "pandas": evaluate(pd.DataFrame(columns)),
        "polars": evaluate(pl.DataFrame(columns)),
        "lazy": evaluate(pl.LazyFrame(columns)),
        "arrow": evaluate(pa.table(columns)),
        "text path": evaluate(str(path)),
        "path": evaluate(path),
        "parquet": evaluate(tmp_path / "p.parquet"),
        "confusion": evaluate(sy.Confusion(MATRIX, ["ham", "spam"])),
        "matrix": evaluate(MATRIX, labels=["ham", "spam"]),
    }


def test_every_input_gives_the_same_figures(tmp_path: Path) -> None:
    results = inputs(tmp_path)
    expected = results.pop("lists").to_dict()
    assert expected["matrix"]["counts"] == MATRIX
    for name, result in results.items():
        found = result.to_dict()
        assert {k: v for k, v in found.items() if k not in NAMES_OF_FILES} == {
            k: v for k, v in expected.items() if k not in NAMES_OF_FILES
        }, name
        assert found["source"]["rows"] == 11, name


def test_the_source_is_named(tmp_path: Path) -> None:
    results = inputs(tmp_path)
    assert results["path"].source.endswith("p.csv")
    assert results["polars"].source == "a polars frame"
    assert results["matrix"].source == "a confusion matrix"


CASES: dict[str, dict[str, Any]] = {
    "two classes": {"data": MATRIX, "labels": ["ham", "spam"], "priors": 0.001},
    "four classes": {
        "data": CM1,
        "relevance": "c1 < c2 < c3 < c4",
        "priors": {"c1": 0.7, "c2": 0.1, "c3": 0.1, "c4": 0.1},
    },
    "a positive one of four": {"data": CM1, "positive": "c4"},
    "never predicted": {"data": [[5, 0, 0], [0, 10, 0], [0, 300, 0]]},
    "weights": {"data": [[0.5, 1.5], [0.25, 3.0]]},
    "numbers as labels": {"data": MATRIX, "labels": [0, 1]},
    "booleans as labels": {"data": MATRIX, "labels": [False, True]},
    "other things as labels": {"data": MATRIX, "labels": [("a", 1), 2.5]},
    "an absent class": {"data": [[3, 1, 0], [1, 5, 0], [0, 0, 0]], "labels": ["a", "b", "c"]},
}


@pytest.mark.parametrize("name", CASES)
def test_json_is_as_the_schema_says(name: str) -> None:
    found = evaluate(**CASES[name]).to_dict()
    fits(json.loads(json.dumps(found, allow_nan=False)), BY_COMMAND["evaluate"])


def test_the_schema_refuses_what_is_not_in_it() -> None:
    found = evaluate(MATRIX).to_dict()
    for change in ({"schema": "steelyard/evaluate/0"}, {"surprise": 1}, {"notes": [1]}, {"headline": None}):
        with pytest.raises(jsonschema_rs.ValidationError):
            fits({**found, **change}, BY_COMMAND["evaluate"])


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.int64, st.integers(1, 4).map(lambda c: (c, c)), elements=st.integers(0, 3)))
def test_null_never_comes_without_a_reason(counts: np.ndarray) -> None:
    if not counts.sum():
        with pytest.raises(sy.InputError, match="there is nothing to evaluate"):
            evaluate(counts)
        return
    if (counts.sum(axis=1) > 0).sum() == 1:
        with pytest.raises(sy.InputError, match="the truth holds one class only"):
            evaluate(counts)
        return
    found = evaluate(counts).to_dict()
    fits(found, BY_COMMAND["evaluate"])
    for row in found["measures"]:
        assert (row["value"] is None) == (row["undefined_because"] is not None), row
    for row in found["classes"]:
        undefined = any(row[name] is None for name in ("recall", "precision", "f1", "balanced_precision"))
        assert undefined == (row["undefined_because"] is not None), row
    for shift in found["shifts"]:
        if shift["observed"] is None or shift["balanced"] is None:
            assert "undefined: " in shift["words"]
            assert not shift["words"].endswith("None")


def test_per_class_figures_by_hand() -> None:
    first, second = evaluate(MATRIX, labels=["ham", "spam"]).classes
    assert (first.label, first.support, first.predicted) == ("ham", 8, 7)
    assert (first.recall, first.precision, first.f1) == pytest.approx((6 / 8, 6 / 7, 12 / 15))
    assert first.balanced_precision == pytest.approx((6 / 8) / (6 / 8 + 1 / 3))
    assert second.balanced_precision == pytest.approx((2 / 3) / (2 / 3 + 2 / 8))
    assert first.taken_for == (("spam", 2),)


def test_undefined_class_figures_are_nan() -> None:
    never = evaluate([[5, 0, 0], [0, 10, 0], [0, 300, 0]]).classes[
        2
    ]  # branco2017 Table 2: precision of c3 "n. def."
    assert (never.recall, never.f1) == (0, 0)
    assert math.isnan(never.precision)
    assert math.isnan(never.balanced_precision)
    assert never.why_undefined == "the class is never predicted"
    absent = evaluate([[3, 1, 0], [1, 5, 0], [0, 0, 0]], labels=["a", "b", "c"]).classes
    assert math.isnan(absent[2].recall)
    assert absent[2].why_undefined == "the class has neither examples nor predictions"
    assert math.isnan(
        absent[0].balanced_precision
    )  # nobody knows how often the absent class would be called "a"


def test_the_positive_class_is_said_with_its_reason() -> None:
    rarer = evaluate(TRUTH, PREDICTION).positive
    assert rarer is not None
    assert (rarer.label, rarer.reason) == ("spam", "it is the rarer class")
    assert "positive class: spam (the rarer class)" in repr(evaluate(TRUTH, PREDICTION))
    asked = evaluate(TRUTH, PREDICTION, positive="ham")
    assert asked.to_dict()["positive"] == {"label": "ham", "reason": "as given"}
    assert evaluate(CM1).positive is None
    with pytest.raises(sy.InputError, match="there is no class 'egg'"):
        evaluate(TRUTH, PREDICTION, positive="egg")


def test_a_positive_class_typed_as_text_is_the_number() -> None:
    truth, prediction = [1, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0]
    typed, meant = evaluate(truth, prediction, positive="1"), evaluate(truth, prediction, positive=1)
    assert typed.to_dict() == meant.to_dict()
    assert typed.positive is not None
    assert typed.positive.label == 1


@pytest.mark.parametrize("priors", [{"spam": 0.001, "ham": 0.999}, 0.001])
def test_priors_are_given_by_the_names_found_in_the_data(priors: Any, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", TRUTH, PREDICTION)
    expected = 0.001 * (2 / 3) / (0.001 * (2 / 3) + 0.999 * (2 / 8))
    for result in (evaluate(TRUTH, PREDICTION, priors=priors), evaluate(path, priors=priors)):
        assert result.weighing["precision"].at_priors == pytest.approx(expected)
        assert all(row.at_priors is not None for row in result.weighing.rows)
        assert next(s for s in result.shifts if s.measure.name == "precision").at_priors == pytest.approx(
            expected
        )


def test_notes_say_what_was_seen(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "p.csv",
        ["a"] * 30 + ["b"] * 3 + ["", "c"],
        ["a"] * 33 + ["a", "a"],
        [0.5] * 35,
        header="y_true,y_pred,score_a",
    )
    notes = " ".join(evaluate(path, missing="drop").notes)
    assert "1 of 35 rows were left out because their truth or prediction is missing." in notes
    assert "Never predicted: b, c." in notes
    assert "No row of b, c is classified correctly" in notes
    assert "Fewer than 10 rows of b, c" in notes
    assert "Columns that look like scores were not used: score_a." in notes


def test_a_class_predicted_without_examples_is_said() -> None:
    assert any("No rows of c" in note for note in evaluate(["a", "b", "a"], ["a", "b", "c"]).notes)


@pytest.mark.parametrize("predictions", [["a", "b"], ["a", "a"]])
def test_a_truth_of_one_class_is_refused(predictions: list[str]) -> None:
    with pytest.raises(sy.InputError, match=r"the truth holds one class only.*2 examples of class 'a'"):
        evaluate(["a", "a"], predictions)


def test_the_headline_is_class_balanced_and_the_rest_is_for_comparison() -> None:
    two, many = evaluate(MATRIX), evaluate(CM1)
    assert two.headline == ("gmean", "recall", "precision", "f_beta", "accuracy")
    assert many.headline == ("macro_recall", "gmean", "macro_f_beta", "accuracy", "mcc")
    assert [row.measure.name for row in many.first] == list(many.headline)
    assert (two.decider.measure.name, many.decider.measure.name) == (two.headline[0], many.headline[0])
    larger = [[4900 * 3, 90 * 3, 10 * 3, 0], *CM1[1:]]  # the same class rates, other proportions
    for name in (many.decider.measure.name, *(r.measure.name for r in many.first if not r.depends_on_shares)):
        assert evaluate(larger).weighing[name].value == pytest.approx(many.weighing[name].value)
    assert evaluate(larger).weighing["accuracy"].value != pytest.approx(
        many.weighing["accuracy"].value, abs=1e-3
    )


def test_relevance_is_by_prevalence_unless_given() -> None:
    assert evaluate(CM1).relevance is not None
    assert evaluate(CM1).to_dict()["relevance"]["scores"]["c4"] == pytest.approx(
        (1 / 25) / (1 / 5000 + 1 / 500 + 1 / 100 + 1 / 25)
    )
    ordered = evaluate(CM1, relevance="c1 < c2 < c3 < c4").to_dict()["relevance"]["scores"]
    assert ordered == pytest.approx({"c1": 0.25, "c2": 0.5, "c3": 0.75, "c4": 1.0})
    assert (
        evaluate([[3, 1, 0], [1, 5, 0], [0, 0, 0]], labels=list("abc")).relevance is None
    )  # no prevalence without examples


def test_a_frame_of_every_measure() -> None:
    frame = evaluate(CM1).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.loc["accuracy", "value"] == pytest.approx(5200 / 5625)
    assert set(frame["kind"]) == {"multi-class"}


def test_a_terminal_and_a_notebook_show_the_same_figures() -> None:
    result = evaluate(CM1)
    for words in (repr(result), result._repr_html_()):
        assert "5,200 of 5,625 correct (accuracy 92.4%)" in words.replace("<b>", "").replace("</b>", "")
        assert "0.580" in words
        assert "0.924" in words
    assert "<html" not in result._repr_html_()
    assert "<script" not in result._repr_html_()


def test_a_notebook_escapes_names() -> None:
    shown = evaluate(["<script>alert(1)</script>", "b"], ["b", "b"])._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_html_is_returned_and_written(tmp_path: Path) -> None:
    result = evaluate(CM1)
    page = result.to_html(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page == result.to_html()
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.parametrize("kind", ["matrix", "metrics", "priors"])
def test_every_figure_can_be_drawn(kind: str, tmp_path: Path) -> None:
    for data in (MATRIX, CM1):
        figure = evaluate(data).plot(kind)
        assert isinstance(figure, Chart)
        figure.save(tmp_path / f"{kind}.png")
        assert (tmp_path / f"{kind}.png").stat().st_size > 5000


def test_a_figure_by_its_former_name() -> None:
    with pytest.warns(DeprecationWarning, match='is called "metrics" now'):
        assert evaluate(MATRIX).figure("scale").id == "metrics"


def test_pictures_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(sy.InputError, match="there is no figure 'matirx'; did you mean 'matrix'"):
        evaluate(MATRIX).plot("matirx")
    with pytest.raises(sy.InputError, match="a class without examples"):
        evaluate([[1, 1, 0], [0, 1, 0], [0, 0, 0]], labels=list("abc")).plot("priors")


def test_batches_and_empty_matrices_are_refused() -> None:
    with pytest.raises(sy.InputError, match="one classifier is evaluated at a time"):
        evaluate(np.ones((3, 2, 2), dtype=int))
    with pytest.raises(sy.InputError, match="there is nothing to evaluate"):
        evaluate([[0, 0], [0, 0]])


def test_undefined_values_follow_the_policy() -> None:
    case = [[5, 0, 0], [0, 10, 0], [0, 300, 0]]
    assert evaluate(case, undefined=0).weighing["macro_precision"].value == pytest.approx(
        (1 + 10 / 310) / 3
    )  # branco2017: 0.344
    assert evaluate(case, undefined="skip").weighing["macro_precision"].value == pytest.approx(
        (1 + 10 / 310) / 2
    )
    with pytest.raises(sy.UndefinedError):
        evaluate(case, undefined="raise")


def test_columns_without_a_label_in_common_are_refused() -> None:
    with pytest.raises(sy.InputError, match="truth and prediction have no label in common"):
        evaluate(["a", "b"], ["c", "d"])


def test_columns_of_pandas_with_other_indexes_are_refused() -> None:
    truth = pd.Series(TRUTH)
    shuffled = pd.Series(PREDICTION, index=range(len(PREDICTION) - 1, -1, -1))
    for call in (evaluate, sy.Confusion.from_labels):
        with pytest.raises(sy.InputError, match=r"pass \.to_numpy\(\) of each"):
            call(truth, shuffled)
    assert evaluate(truth, shuffled.to_numpy()).matrix.total == len(TRUTH)


def test_two_columns_of_probabilities_are_not_a_score() -> None:
    with pytest.raises(sy.InputError, match=r"pass proba\[:, 1\]"):
        evaluate([0, 1], score=np.array([[0.2, 0.8], [0.6, 0.4]]), threshold=0.5)


def test_the_class_table_has_the_intervals_of_the_headline() -> None:
    found = evaluate([[40, 10], [5, 145]], positive="c1")
    for name, shown in (
        ("recall", found.classes[0].recall_interval),
        ("precision", found.classes[0].precision_interval),
    ):
        one = found.interval_of(name)
        assert one is not None
        assert shown == (one.low, one.high)


def test_values_by_name_and_as_flat_metrics() -> None:
    result = evaluate([[90, 10], [30, 870]], labels=["fraud", "ok"], positive="fraud")
    assert result["recall"] == result["TPr"] == 0.9
    assert result["f_beta(beta=2)"] == pytest.approx(5 * 90 / (5 * 90 + 4 * 10 + 30))
    assert result["scott_pi"] == pytest.approx(sy.measure("scott_pi")([[90, 10], [30, 870]]))
    with pytest.raises(LookupError):
        result["no such measure"]
    flat = result.metrics("test/")
    assert flat["test/recall"] == 0.9
    assert all(isinstance(value, float) and math.isfinite(value) for value in flat.values())
    ends = result.metrics(intervals=True)
    assert ends["recall_low"] < 0.9 < ends["recall_high"]
    never = evaluate([[0, 10], [0, 90]], labels=["fraud", "ok"], positive="fraud").metrics()
    assert "precision" not in never


def test_tables_for_a_paper_hold_what_latex_would_obey() -> None:
    hostile = ["50% & #1_{x}", "\\end{tabular} ~^<>|$"]
    text = evaluate([[9, 1], [2, 8]], labels=hostile).to_latex()
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == 2
    assert "50\\% \\& \\#1\\_\\{x\\}" in text
    assert "\\textbackslash{}end\\{tabular\\}" in text
    for line in text.splitlines():
        if line.endswith("\\\\"):
            assert line.replace("\\&", "").count("&") == line.replace("\\&", "").count(" & ")


def test_classes_that_differ_by_blanks_or_capitals_are_said() -> None:
    result = evaluate(["a", "b", "a", "b"] * 9, ["a", "b ", "a", "b"] * 9)
    assert "Classes 'b' and 'b ' differ by blanks or capitals only; they are two classes." in result.notes
    assert not any("blanks" in note for note in evaluate(["a", "b"] * 9, ["a", "a"] * 9).notes)


def test_weights_are_not_called_rows() -> None:
    result = evaluate(["a", "b", "a", "b"], ["a", "b", "b", "b"], weight=[0.5, 0.5, 1.0, 2.5])
    assert "4 rows of weight 4.5" in repr(result)


def test_more_examples_than_a_number_can_say() -> None:
    huge = [[1e308, 1e308], [1e308, 1e308]]
    with pytest.raises(sy.InputError, match="more than a number can say"):
        sy.evaluate(huge)
    assert sy.measure("accuracy")(huge) == 0.5


def test_a_next_step_does_not_repeat_the_title(tmp_path: Path) -> None:
    """The title belongs to this report; the next command writes another one."""
    file = tmp_path / "p.csv"
    rows = [("fraud", 0.9)] * 30 + [("fraud", 0.2)] * 10 + [("ok", 0.7)] * 20 + [("ok", 0.1)] * 200
    file.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in rows))
    options = {"truth": "y", "score": "p", "threshold": 0.5, "positive": "fraud", "draws": 200}
    plain, titled = (evaluate(file, title=title, **options).to_dict() for title in (None, "A title"))
    assert any(finding["command"] for finding in plain["findings"])
    assert titled["findings"] == plain["findings"]
