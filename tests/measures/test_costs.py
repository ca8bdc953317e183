"""Costs of every confusion: as they are said, as measures by hand, the cheapest label, and what is refused."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.costs import (
    cheapest_threshold_of_probabilities,
    costs_for,
    costs_of_two,
    expected_cost,
    expected_cost_of,
    measure_of_two,
    saved_cost_of,
    savings_of,
)

TWO = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
THREE = sy.Confusion([[5, 1, 0], [2, 10, 3], [0, 4, 75]], labels=["phishing", "spam", "ham"])
TEXT = "phishing>*=100, spam>ham=3, spam>phishing=1, ham>*=10"
TABLE = [[0, 100, 100], [1, 0, 3], [10, 10, 0]]


def test_one_meaning_in_every_form(tmp_path):
    wide, long, nested, toml = (tmp_path / name for name in ("wide.csv", "long.csv", "c.json", "c.toml"))
    wide.write_text("truth,phishing,spam,ham\nphishing,,100,100\nspam,1,0,3\nham,10,10,\n", encoding="utf-8")
    long.write_text(
        "truth,prediction,cost\nphishing,*,100\nspam,ham,3\nspam,phishing,1\nham,*,10\n", encoding="utf-8"
    )
    by_class = {"phishing": {"*": 100}, "spam": {"ham": 3, "phishing": 1}, "ham": {"*": 10}}
    nested.write_text(json.dumps(by_class), encoding="utf-8")
    toml.write_text(
        '[phishing]\n"*" = 100\n[spam]\nham = 3\nphishing = 1\n[ham]\n"*" = 10\n', encoding="utf-8"
    )
    pairs = {("phishing", "*"): 100, ("spam", "ham"): 3, ("spam", "phishing"): 1, ("ham", "*"): 10}
    arrows = {"phishing>*": 100, "spam>ham": 3, "spam>phishing": 1, "ham>*": 10}
    for said in (TEXT, wide, str(long), nested, toml, by_class, pairs, arrows, TABLE, np.array(TABLE)):
        assert costs_for(said, THREE.labels).fixed.tolist() == TABLE


def test_the_nearer_word_counts_and_right_answers_cost_nothing_unless_said():
    costs = costs_for("*>*=1, *>ham=2, spam>*=3, spam>ham=4, ham>ham=0.5", THREE.labels)
    assert costs.fixed.tolist() == [[0, 1, 2], [3, 0, 4], [1, 1, 0.5]]


def test_by_hand():
    costs = costs_for(TEXT, THREE.labels)
    # 1 x 100, 2 x 1, 3 x 3, 4 x 10 on 100 examples
    assert expected_cost_of(costs)(THREE) == pytest.approx(1.51)
    # always phishing 15 + 790, always spam 600 + 790, always ham 600 + 45
    assert saved_cost_of(costs)(THREE) == pytest.approx(6.45 - 1.51)
    assert savings_of(costs)(THREE) == pytest.approx(1 - 151 / 645)
    assert expected_cost_of(costs).exact(THREE) == Fraction(151, 100)
    batch = sy.Confusion(np.stack([THREE.counts, 2 * THREE.counts]), THREE.labels)
    np.testing.assert_allclose(savings_of(costs)(batch), [1 - 151 / 645] * 2)


def test_two_classes_have_the_measure_of_two():
    costs = costs_for("fraud>ok=200, ok>fraud=4", TWO.labels)
    assert costs_of_two(costs, "fraud") == (200, 4)
    assert expected_cost_of(costs)(TWO) == pytest.approx(expected_cost(200, 4)(TWO, positive="fraud"))
    assert measure_of_two(costs, "fraud").name == "expected_cost(miss=200, false_alarm=4)"
    # what is looked into costs 4 whether it is fraud or not: (90 x 4 + 10 x 200 + 30 x 4) / 1000
    looked_into = costs_for("fraud>ok=200, *>fraud=4, fraud>fraud=4", TWO.labels)
    assert measure_of_two(looked_into, "fraud")(TWO) == pytest.approx(2.48)
    assert costs_of_two(looked_into, "fraud") == (196, 4)


def test_costs_that_are_a_range_run_evenly_by_ratio():
    costs = costs_for("fraud>ok=50..5000, ok>fraud=4", TWO.labels)
    for part, expected in ((0, 50), (0.5, 500), (1, 5000)):  # 50 times 100 to that part
        assert costs.at(part).fixed.tolist() == [[0, pytest.approx(expected)], [4, 0]]
    from_nothing = costs_for("fraud>ok=0..5000, ok>fraud=4", TWO.labels)
    assert from_nothing.at(1).fixed[0, 1] == pytest.approx(5000)
    assert 0 < from_nothing.at(0.5).fixed[0, 1] < 5000


def test_one_kind_of_error_may_cost_nothing():
    """10 of 1000 are missed, 30 are false alarms."""
    assert expected_cost(200, 0)(TWO, positive="fraud") == pytest.approx(2.0)
    assert expected_cost(0, 4)(TWO, positive="fraud") == pytest.approx(0.12)
    with pytest.raises(sy.InputError, match="costs of 0 decide nothing"):
        expected_cost(0, 0)


def test_at_other_priors_each_class_keeps_its_rates():
    costs = costs_for("fraud>ok=200, ok>fraud=4", TWO.labels)
    in_production = expected_cost_of(costs).at_priors({"fraud": 0.001, "ok": 0.999})
    assert in_production(TWO) == pytest.approx(0.001 * 0.1 * 200 + 0.999 * 30 / 900 * 4)


def test_nothing_is_saved_where_an_answer_costs_nothing():
    costs = costs_for("fraud>ok=200, ok>fraud=0", TWO.labels)
    assert np.isnan(savings_of(costs)(TWO))
    assert "costs nothing" in savings_of(costs).why_undefined(TWO)


def test_a_measure_of_costs_survives_a_pickle():
    costs = expected_cost_of(costs_for(TEXT, THREE.labels))
    again = pickle.loads(pickle.dumps(costs))
    assert again(THREE) == costs(THREE)
    assert again.name == costs.name


def test_the_cheapest_label_is_that_of_the_least_expected_cost():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.2, 0.3, 1], size=200)
    labels = sy.cheapest_labels(p, TEXT, THREE.labels)
    for row, label in zip(p, labels, strict=True):
        by_hand = {name: sum(row[i] * TABLE[i][j] for i in range(3)) for j, name in enumerate(THREE.labels)}
        assert by_hand[str(label)] == min(by_hand.values())
    # elkan2001: with two classes it is a threshold of 4 / (200 + 4)
    costs = costs_for("fraud>ok=200, ok>fraud=4", TWO.labels)
    assert cheapest_threshold_of_probabilities(costs, "fraud") == pytest.approx(4 / 204)
    two = np.array([[4 / 204 + 1e-6, 1 - 4 / 204 - 1e-6], [4 / 204 - 1e-6, 1 - 4 / 204 + 1e-6]])
    assert sy.cheapest_labels(two, costs, TWO.labels).tolist() == ["fraud", "ok"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("fraud>ok=200", "the cost of an error is missing; found ok>fraud"),
        ("fraud>ok=2, fraud>fraud=4, ok>fraud=4", "a wrong decision would cost less than the right one"),
        ("fraud>ok=0, ok>fraud=0", "costs of 0 decide nothing"),
        ("fraud>ok=-3, ok>fraud=4", "allowed: finite numbers of at least 0"),
        ("fraud>ok=inf, ok>fraud=4", "allowed: finite numbers of at least 0"),
        ("fraud>ok=nan*amount, ok>fraud=4", "the costs are not understood"),
        ("fruad>ok=200, ok>fraud=4", "did you mean 'fraud'?"),
        ("fraud=200", "truth>prediction=cost"),
        ("fraud>ok=200, fraud>ok=3, ok>fraud=4", "each confusion once"),
        ("fraud>ok=500..50, ok>fraud=4", "a lower number first"),
        ("fraud>ok=amount, ok>fraud=fee", "costs of rows come from one column; found amount, fee"),
        ("nowhere.csv", "the file of costs cannot be read"),
        ([[0, 1], [1, 0], [1, 1]], "a square table"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], "does not fit the classes"),
        (3, "the costs are not understood"),
    ],
)
def test_what_is_refused(said, words):
    with pytest.raises(sy.InputError, match=r".") as refused:
        costs_for(said, TWO.labels)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_probabilities_that_are_none_are_refused():
    costs = "fraud>ok=200, ok>fraud=4"
    with pytest.raises(sy.InputError, match="must add up to 1"):
        sy.cheapest_labels([[0.5, 0.6]], costs, ["fraud", "ok"])
    with pytest.raises(sy.InputError, match="numbers from 0 to 1"):
        sy.cheapest_labels([[1.5, -0.5]], costs, ["fraud", "ok"])
    with pytest.raises(sy.InputError, match="a column for each class"):
        sy.cheapest_labels([0.5, 0.5], costs, ["fraud", "ok"])
