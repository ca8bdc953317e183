"""Every engine gives the same counts of the same rows. The expected ones are counted row by row in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from tests.engines.conftest import EngineUnderTest, Rows


def counted(under_test: EngineUnderTest, rows: Rows, **options: Any) -> sy.Counts:
    return sy.count(under_test.source(rows), **options)


def by_hand(
    rows: Rows, truth: str, pred: str, written: Any, weight: str | None = None, by: str | None = None
) -> dict[Any, float]:
    """Rows with both labels, counted one by one."""
    found: Counter[Any] = Counter()
    for i, (t, p) in enumerate(zip(rows[truth], rows[pred], strict=True)):
        if t is None or p is None:
            continue
        part = () if by is None else ("(missing)" if rows[by][i] is None else str(rows[by][i]),)
        found[(written(t), written(p), part)] += 1 if weight is None else rows[weight][i]
    return dict(found)


def groups(counts: sy.Counts, model: str) -> dict[Any, float]:
    return {(g.truth, g.prediction, g.slice): g.weight for g in counts.groups[model]}


TEXT: Rows = {
    "truth": ["ham", "spam", "ham", "spam", "ham", "spam", "ham", "ham"],
    "rf": ["ham", "spam", "spam", "ham", "ham", "spam", "ham", "phish"],
    "svm": ["spam", "spam", "ham", "ham", "ham", "ham", "ham", "ham"],
    "country": ["DE", "DE", "FR", "FR", None, "DE", "FR", "DE"],
    "w": [0.25, 1.0, 2.5, 0.0, 1.75, 3.0, 0.5, 1.0],
}


def test_one_model(engine: EngineUnderTest) -> None:
    counts = counted(engine, TEXT, truth="truth", pred="rf")
    assert groups(counts, "rf") == by_hand(TEXT, "truth", "rf", str)
    assert counts.confusion().labels == ("ham", "phish", "spam")
    assert counts.confusion().counts.tolist() == [[3, 1, 1], [0, 0, 0], [1, 0, 2]]
    assert counts.confusion().counts.dtype == np.int64
    assert counts.rows == 8
    assert set(counts.unused) == {"svm", "country", "w"}


def test_several_models_slices_and_weights_in_one_call(engine: EngineUnderTest) -> None:
    counts = counted(engine, TEXT, truth="truth", pred=["rf", "svm"], by=["country"], weight="w")
    for model in ("rf", "svm"):
        assert groups(counts, model) == by_hand(TEXT, "truth", model, str, "w", "country")
    assert counts.models == ("rf", "svm")
    assert counts.parts("rf") == [("(missing)",), ("DE",), ("FR",)]
    assert counts["svm"].total.item() == 10.0


def test_missing_labels_are_refused_or_left_out_for_each_model(engine: EngineUnderTest) -> None:
    rows: Rows = {
        "y": ["a", "b", None, "a", "b", "a"],
        "p": ["a", "b", "a", None, "b", "b"],
        "q": ["a", None, "a", "a", None, "b"],
    }
    with pytest.raises(sy.InputError, match=r"labels are missing; found 2 of 6 rows without 'y' or 'p'"):
        counted(engine, rows, truth="y", pred=["p", "q"])
    counts = counted(engine, rows, truth="y", pred=["p", "q"], missing="drop")
    assert counts.missing == {"p": 2, "q": 3}
    for model in ("p", "q"):
        assert groups(counts, model) == by_hand(rows, "y", model, str)


def test_unicode_and_awkward_labels(engine: EngineUnderTest) -> None:
    labels = ["é", "e\u0301", "日本", "שלום", "a b", 'quo"te', "com,ma", "🦀", "NULL", "nan", "'", "1.0"]
    rows: Rows = {"truth": labels * 2, "pred": labels + labels[::-1]}
    counts = counted(engine, rows, truth="truth", pred="pred")
    assert groups(counts, "pred") == by_hand(rows, "truth", "pred", str)


def test_awkward_column_names(engine: EngineUnderTest) -> None:
    rows: Rows = {
        "The Truth": ["a", "b", "a"],
        'p"1': ["a", "a", "b"],
        "select": ["b", "b", "b"],
        "a.b`c": ["x", "y", "x"],
    }
    counts = counted(engine, rows, truth="The Truth", pred=['p"1', "select"], by="a.b`c")
    for model in ('p"1', "select"):
        assert groups(counts, model) == by_hand(rows, "The Truth", model, str, by="a.b`c")


def test_integers_beyond_the_reach_of_floats(engine: EngineUnderTest) -> None:
    first = 2**53
    rows: Rows = {"truth": [first, first + 1, first + 1, 2**62], "pred": [first, first, first + 1, 2**62]}
    counts = counted(engine, rows, truth="truth", pred="pred")
    assert groups(counts, "pred") == by_hand(rows, "truth", "pred", engine.written)
    assert len(counts.labels()) == 3


@pytest.mark.parametrize(
    "values", [[True, False, True, True], [0, 1, 1, 5], [0.0, 1.0, 1.0, 2.0]], ids=["bool", "int", "float"]
)
def test_labels_keep_their_type(engine: EngineUnderTest, values: list[Any]) -> None:
    rows: Rows = {"truth": values, "pred": values[::-1]}
    counts = counted(engine, rows, truth="truth", pred="pred")
    if engine.name != "csv":  # there a label is the text that is written
        assert groups(counts, "pred") == by_hand(rows, "truth", "pred", lambda label: label)
        assert {type(label) for label in counts.labels()} == {type(values[0])}
    else:
        assert groups(counts, "pred") == by_hand(rows, "truth", "pred", str)


def test_models_whose_labels_differ_in_type(engine: EngineUnderTest) -> None:
    rows: Rows = {"truth": ["1", "2", "1"], "p": ["1", "2", "2"], "q": [1, 2, 2]}
    if engine.name == "csv":
        counts = counted(engine, rows, truth="truth", pred=["p", "q"])
        assert groups(counts, "p") == groups(counts, "q") == by_hand(rows, "truth", "p", str)
    else:
        with pytest.raises(
            sy.InputError,
            match=r"truth and prediction have no label in common; found '1', '2', \.\.\. in 'truth' and 1, 2",
        ):
            counted(engine, rows, truth="truth", pred=["p", "q"])


def test_named_labels_are_the_classes(engine: EngineUnderTest) -> None:
    counts = counted(engine, TEXT, truth="truth", pred="rf", labels=["spam", "phish", "ham", "scam"])
    assert counts.confusion().labels == ("spam", "phish", "ham", "scam")
    assert counts.confusion().counts.tolist() == [[2, 0, 1, 0], [0, 0, 0, 0], [1, 1, 3, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("bad", [-1.0, float("inf"), float("nan"), None])
def test_bad_weights_are_refused(engine: EngineUnderTest, bad: float | None) -> None:
    rows: Rows = {"truth": ["a", "b", "a"], "pred": ["a", "b", "b"], "w": [1.0, bad, 2.0]}
    if engine.name == "json" and bad is not None and not -2 < bad < 2:
        pytest.skip("JSON has no such number")
    with pytest.raises(
        sy.InputError,
        match="the weights cannot be used; found 1 weights that are missing, negative, infinite",
    ):
        counted(engine, rows, truth="truth", pred="pred", weight="w")


def test_weights_that_are_words_are_refused(engine: EngineUnderTest) -> None:
    rows: Rows = {"truth": ["a", "b", "a"], "pred": ["a", "b", "b"], "w": ["1", "heavy", "2"]}
    with pytest.raises(sy.InputError, match="the weights cannot be used"):
        counted(engine, rows, truth="truth", pred="pred", weight="w")


def test_a_score_taken_for_a_label_is_refused(engine: EngineUnderTest) -> None:
    rows: Rows = {"truth": ["a", "b"] * 150, "score": [i / 300 for i in range(300)]}
    with pytest.raises(
        sy.InputError,
        match="the column 'score' does not look like labels; found 300 different values in 300 rows",
    ):
        counted(engine, rows, truth="truth", pred="score")


def test_unknown_columns_are_answered_with_the_nearest(engine: EngineUnderTest) -> None:
    with pytest.raises(sy.InputError, match="did you mean 'country'"):
        counted(engine, TEXT, truth="truth", pred="rf", by="contry")


def test_more_classes_than_a_matrix_may_have_stay_sparse(engine: EngineUnderTest) -> None:
    classes = 11_000
    truth = np.arange(3 * classes) % classes
    wrong = np.arange(3 * classes) % 10 == 0
    pred = np.where(wrong, (truth + 1) % classes, truth)
    rows: Rows = {"truth": truth.tolist(), "pred": pred.tolist()}
    counts = counted(engine, rows, truth="truth", pred="pred")
    sums = counts.classes()
    hits = np.bincount(truth[~wrong], minlength=classes)
    predicted = np.bincount(pred, minlength=classes)
    assert len(sums) == classes
    assert [(sums[engine.written(k)]) for k in range(classes)] == [
        (3, int(predicted[k]), int(hits[k])) for k in range(classes)
    ]
    with pytest.raises(
        sy.InputError, match="too many different labels for a confusion matrix; found 11,000 cl"
    ):
        counts.confusion()


def test_counts_of_parts_add_up_to_the_counts_of_all(engine: EngineUnderTest) -> None:
    options: dict[str, Any] = {"truth": "truth", "pred": ["rf", "svm"], "by": "country"}
    halves = [{name: column[part] for name, column in TEXT.items()} for part in (slice(0, 4), slice(4, None))]
    added = counted(engine, halves[0], **options) + counted(engine, halves[1], **options)
    whole = counted(engine, TEXT, **options)
    for model in ("rf", "svm"):
        assert groups(added, model) == groups(whole, model)
    assert added.rows == whole.rows


def test_evaluate_takes_the_source_as_it_is(engine: EngineUnderTest) -> None:
    rows = {**TEXT, "country": ["IT" if value is None else value for value in TEXT["country"]]}
    result = sy.evaluate(engine.source(rows), truth="truth", pred="rf", slices=["country"])
    assert result.matrix.counts.tolist() == [[3, 1, 1], [0, 0, 0], [1, 0, 2]]
    assert {part.name: part.rows for part in result.slices} == {("IT",): 1, ("DE",): 4, ("FR",): 3}
