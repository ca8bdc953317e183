"""A measure is data: it round-trips through JSON and pickles, and its folds say the same."""

from __future__ import annotations

import base64
import json
import pickle
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.catalogue import catalogue
from steelyard.measures.graph import CELLS, Node, substituted, topological
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.record import ByClasses, Range
from steelyard.measures.text import formula_text
from tests.each import each

MEASURES = [m for m in catalogue(wide=True) if isinstance(m, MatrixMeasure)]
RECORDED = json.loads((Path(__file__).parent / "pickles_of_0_2_0.json").read_text(encoding="utf-8"))
BATCH = np.random.default_rng(3).integers(0, 9, (60, 2, 2))
THREE = np.random.default_rng(4).integers(0, 9, (40, 3, 3))


def composed(seed: int) -> MatrixMeasure:
    """A composition of operators to depth 3."""
    draw = random.Random(seed)
    measure: Any = draw.choice(MEASURES)
    operators = (
        sy.balanced,
        lambda m: sy.one_versus_all(m, draw.choice(("macro", "micro", "prevalence"))),
        lambda m: sy.one_versus_one(m, draw.choice(("macro", "micro", "prevalence"))),
        lambda m: sy.iba(m, 0.1),
        lambda m: sy.at_priors(m, "uniform") if m.kind == "multi-class" else sy.at_priors(m, 0.2),
        lambda m: sy.normalised(m) if m.worst_and_best(3) is not None else sy.balanced(m),
    )
    for _ in range(draw.randint(1, 3)):
        measure = draw.choice(operators)(measure)
    return measure  # type: ignore[no-any-return]


def batch_of(measure: MatrixMeasure) -> Any:
    return BATCH if measure.kind == "two-class" else THREE


def values(measure: MatrixMeasure) -> Any:
    positive = "c1" if measure.kind == "two-class" else None
    return measure(batch_of(measure), positive=positive)


@each("measure", MEASURES + [composed(k) for k in range(60)], ids=lambda m: m.name)
def test_a_measure_round_trips_through_json(measure: MatrixMeasure) -> None:
    again = sy.Measure.from_dict(json.loads(json.dumps(measure.to_dict())))
    assert isinstance(again, MatrixMeasure)
    assert again == measure
    assert hash(again) == hash(measure)
    assert again.graph is measure.graph  # interned: the same graph is the same object
    np.testing.assert_array_equal(values(again), values(measure))
    positive = "c1" if measure.kind == "two-class" else None
    one = batch_of(measure)[0]
    exact = measure.exact(one, positive=positive)
    assert again.exact(one, positive=positive) == exact or exact != exact
    assert (again.name, again.range.at(3), again.needs) == (measure.name, measure.range.at(3), measure.needs)
    assert again.to_javascript() == measure.to_javascript()


@pytest.mark.parametrize(
    "measure",
    [
        *sy.catalogue("scores", wide=True),
        sy.balanced("roc_auc"),
        sy.normalised(sy.at_priors("gini", 0.1)),
        sy.measure("ova_auc", average="prevalence"),
        sy.measure("f_beta", beta=2),
        sy.at_priors("mcc", {np.int64(1): 0.25, np.int64(2): 0.75}),
        sy.at_priors("precision", {"a": Fraction(1, 3), "b": Fraction(2, 3)}),
        sy.weighted_by("gmean", np.array([1, 0.5])),
        sy.weighted_by("macro_recall", sy.relevance.total_order(["a", "b"])),
        sy.measure("recall").named(id="mine", title="Mine", notes="One.\nTwo."),
    ],
    ids=lambda m: m.name,
)
def test_a_measure_read_back_is_the_same(measure: sy.Measure) -> None:
    for again in (
        sy.Measure.from_dict(json.loads(json.dumps(measure.to_dict()))),
        pickle.loads(pickle.dumps(measure)),
    ):
        assert again == measure
        assert hash(again) == hash(measure)


def test_measures_that_differ_in_anything_are_not_equal() -> None:
    recall = sy.measure("recall")
    others = [sy.measure("precision"), sy.balanced("recall"), recall.named(title="Mine"), recall.id]
    others += [recall.named(range=Range(0, ByClasses("C", lambda size: size)))]
    assert all(recall != other for other in others)
    assert sy.measure("f_beta", beta=2) != sy.measure("f_beta", beta=3)
    assert sy.at_priors("roc_auc", 0.1) != sy.at_priors("roc_auc", 0.2)
    assert ByClasses("C", lambda size: size) == ByClasses("C", lambda size: size)
    assert ByClasses("C", lambda size: size) != ByClasses("C", lambda size: size - 1)
    assert len({recall, sy.Measure.from_dict(recall.to_dict())}) == 1


@each("measure", MEASURES, ids=lambda m: m.name)
def test_measures_of_the_catalogue_pickle_by_id(measure: MatrixMeasure) -> None:
    text = pickle.dumps(measure)
    assert len(text) < 200
    assert pickle.loads(text).graph is measure.graph


@pytest.mark.parametrize("seed", range(20))
def test_other_measures_pickle_by_graph(seed: int) -> None:
    measure = composed(seed)
    again = pickle.loads(pickle.dumps(measure))
    assert again.graph is measure.graph
    assert again.name == measure.name


@each("name", list(RECORDED["measures"]))
def test_pickles_of_the_release_before_are_read(name: str) -> None:
    recorded = RECORDED["measures"][name]
    measure = pickle.loads(base64.b64decode(recorded["pickle"]))
    positive = "c1" if measure.kind == "two-class" else None
    assert measure(RECORDED["matrix"], positive=positive) == pytest.approx(recorded["value"], rel=1e-14)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("recall", "tp / (tp + fn)"),
        ("macro_precision", "mean(hits / (hits + false_alarms))"),
        ("class_balance_accuracy", "mean(hits / max(actual, predicted))"),
        ("imbalance_accuracy", "mean((hits - max(missed, false_alarms)) / max(actual, predicted))"),
        ("gmean", "geometric_mean(hits / actual)"),
        ("weighted_precision", "mean(hits / (hits + false_alarms), weights=actual)"),
    ],
)
def test_a_graph_reads_like_its_formula(name: str, text: str) -> None:
    measure = sy.measure(name)
    assert isinstance(measure, MatrixMeasure)
    assert formula_text(measure.graph) == text


def test_what_a_graph_prints_is_read_back_as_the_same_formula() -> None:
    """Where the printed line is in the grammar of formulas, both have the same values."""
    for name in (
        "recall",
        "class_balance_accuracy",
        "gmean",
        "imbalance_accuracy",
        "precision",
        "threat_score",
    ):
        measure: Any = sy.measure(name)
        from steelyard.measures.formula import formula_measure

        written: Any = formula_measure(formula_text(measure.graph))
        np.testing.assert_allclose(values(written), values(measure), rtol=1e-14, equal_nan=True)


@pytest.mark.parametrize("number", [Fraction, Decimal, int, float])
def test_exact_takes_every_kind_of_number(number: Any) -> None:
    rows = [[number(3), number(1)], [number(2), number(4)]]
    assert sy.measure("recall").exact(rows, positive="c1") == Fraction(3, 4)
    thirds = [[Fraction(1, 3), Fraction(1, 6)], [1, 2]]
    assert sy.measure("recall").exact(thirds, positive="c1") == Fraction(2, 3)


def test_exact_of_one_class_among_three() -> None:
    rows = [[Fraction(1, 2), 1, 0], [1, 3, 1], [0, 2, 5]]
    assert sy.measure("recall").exact(rows, positive="c2") == Fraction(3, 5)
    assert sy.measure("precision").exact(rows, positive="c2") == Fraction(1, 2)


def test_a_graph_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="no operation 'nonsense'"):
        Node.from_list([["nonsense", [], []]])


def test_a_class_against_the_rest_has_names_for_its_cells() -> None:
    """The cells of one class against the rest are its hits, misses, false alarms and the rest."""
    measure: Any = sy.one_versus_all("fpr")
    ops = {node.op for node in topological((measure.graph,))}
    assert "false_alarms" in ops
    assert "cell" not in ops


def test_substitution_replaces_a_matrix_everywhere() -> None:
    measure: Any = sy.measure("macro_recall")
    scaled = Node("at_priors", (CELLS, 1 / Node("size", (CELLS,))))
    made = substituted(measure.graph, {CELLS: scaled})
    readers = [node for node in topological((made,)) if any(o is CELLS for o in node.operands)]
    assert {node.op for node in readers} == {"at_priors", "size"}
