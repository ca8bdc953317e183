"""Bounds by hand: what is reached, what lies outside, and which number of classes moves them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.measure import multi_class
from steelyard.measures.record import ByClasses, Range
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.bounds import limit_of_one_class_failing
from steelyard.proofs.questions.conditions import BY_ID
from steelyard.proofs.questions.every_c import bounds_of_rates
from steelyard.proofs.verdict import EVERY
from tests.real_parts import needs


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


def decided(subject, property_id):
    return BY_ID[property_id].decide(subject)


def declared(body, low=0, high=1):
    return Subject(
        multi_class(
            id="mine", title="Mine", question="?", formula="", reads="", body=body, range=Range(low, high)
        ),
        sizes=(2, 3),
    )


def accuracy_of(c):
    return c.ratio(c.all_hits, c.total, "no examples")


def test_ends_that_are_reached_come_with_their_matrices():
    verdict = decided(Subject(sy.measure("accuracy")), "bounded")
    assert verdict.notes[0] == "C = 2: 0 on [[0, 1], [1, 0]] reached, 1 on [[1, 0], [0, 1]] reached"
    assert verdict.notes[2] == "C = 4: 0 reached, 1 reached"


def test_a_value_outside_of_what_is_declared_is_found():
    """Twice the accuracy is 2 where all is right."""
    verdict = decided(declared(lambda c: accuracy_of(c) * 2), "bounded")
    assert verdict.grade == "refuted"
    assert verdict.counterexample.values == (2, 1)


@pytest.mark.parametrize(("short", "grade"), [(5e-13, "not refuted"), (5e-12, "refuted")])
def test_an_end_that_is_no_fraction_may_be_passed_by_a_rounding_error(short, grade):
    verdict = decided(declared(accuracy_of, high=1 - short), "bounded")
    assert (verdict.grade == "refuted") is (grade == "refuted")


def test_an_upper_bound_that_falls_a_little_with_the_number_of_classes_is_told_apart():
    """The accuracy times 1, 199/200, 198/200, ...: at most 1 with two classes, less with three."""
    falling = declared(lambda c: accuracy_of(c) * (1 - (c.n_classes - 2) / 200))
    verdict = decided(falling, "same-bounds")
    assert verdict.grade == "refuted"
    assert verdict.method.startswith(
        "at C = 2 the value 1 on [[1, 0], [0, 1]] is taken, but at C = 3 none above 199/200"
    )


def test_a_lower_bound_inside_what_is_declared_is_proved_where_it_was_found():
    """Of C classes an error concerns two: 1 - 2 e / (C n) is 0 at worst with two classes, 1/3 with three."""
    mine = declared(lambda c: 1 - (1 - accuracy_of(c)) * 2 / c.n_classes)
    verdict = decided(mine, "same-bounds")
    assert verdict.grade == "refuted"
    assert verdict.method.startswith(
        "at C = 2 the value 0 on [[0, 1], [1, 0]] is taken, but at C = 3 none below 1/3"
    )


@pytest.mark.parametrize("property_id", ["same-bounds", "bounded"])
def test_bounds_of_the_normalised_area_one_versus_all_whatever_the_number_of_classes(property_id):
    """mullick2020 Condition 2 for nAUROC-OVA, from Lemma 3; all steps are certified."""
    verdict, found = with_certificates(lambda: decided(Subject(sy.measure("nauroc_ova")), property_id))
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)
    assert checked(found).state == "certified"
    assert "summed over classes" in {c["relation"] for c in found}


@pytest.mark.parametrize("c", range(2, 8))
def test_the_lower_bound_of_the_normalised_area_is_approached(c):
    """Two classes of N examples are taken for each other, the others of one example for the first of them: false
    alarm rates add up to (2N + C - 2)/(N + C - 2), so the value is (C - 2)/((C + 2)(N + C - 2))."""
    large = 10**6
    rows = np.zeros((c, c), dtype=np.int64)
    rows[0, 1] = rows[1, 0] = large
    rows[2:, 0] = 1
    value = sy.measure("nauroc_ova").exact(rows)
    assert value == Fraction(c - 2, (c + 2) * (large + c - 2))


def test_other_ends_of_the_scale_are_not_taken_for_bounds():
    """On a scale that ends elsewhere, the same mean is not said to have the bounds 0 and 1."""
    area = sy.measure("auroc_ova")
    for low, high in ((0, 1), (0.25, 1), (ByClasses("(C-2)/(3C)", lambda c: (c - 2) / (3 * c)), 1)):
        mine = sy.normalised(replace(area, range=Range(low, high), id="mine"))
        assert bounds_of_rates(mine, Fraction(0), Fraction(1)) is None


# -- one class failing


@pytest.mark.parametrize("name", ["macro_recall", "class_balance_accuracy", "imbalance_accuracy"])
def test_a_failing_class_does_not_hide_the_others_whatever_their_number(name):
    verdict = decided(Subject(sy.measure(name)), "one-class-failing")
    assert (verdict.grade, verdict.classes) == ("proved", EVERY)


@pytest.mark.parametrize("name", ["accuracy", "error_rate"])
def test_of_what_is_no_mean_over_classes_it_is_proved_one_by_one(name):
    """Some examples of the other classes are told right, so neither is at its worst."""
    verdict = decided(Subject(sy.measure(name)), "one-class-failing")
    assert (verdict.grade, verdict.classes) == ("proved", "C = 3, 4")


@pytest.mark.parametrize("receivers", [(1,), (2,), (1, 2)])
def test_the_limit_by_hand(receivers):
    """Class 1 is lost to the receivers, classes 2 and 3 are right: h1 + h2 of the s, h1 and h2 are hits."""
    value = limit_of_one_class_failing(Subject(sy.measure("accuracy")), 3, receivers)
    owner = value.field
    hits = owner.variable("h1") + owner.variable("h2")
    lost = sum((owner.variable(f"s{j}") for j in receivers), start=owner.constant(0))
    assert (value - hits / (hits + lost)).is_zero
    recall = limit_of_one_class_failing(Subject(sy.measure("macro_recall")), 3, receivers)
    assert recall == Fraction(2, 3)
