"""Each property asks what its words say, of the numbers of classes it is meant for."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.measures.measure import multi_class, two_class
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID
from tests.real_parts import needs


def decided(name, property_id, **facts):
    return BY_ID[property_id].decide(Subject(sy.measure(name), **facts))


def sizes(verdict):
    return [part.n_classes for part in verdict.at]


def test_titles_tell_what_the_papers_names_do_not():
    assert BY_ID["p2"].title == "p2, true negatives do not matter"
    assert BY_ID["prior-invariance"].title == "Condition 1, independent of class prevalence"
    assert BY_ID["bounded"].title == "bounds, within the declared range"


@pytest.mark.parametrize(
    ("name", "kept"),
    [("recall", "p2 p3"), ("specificity", "p4 p5"), ("accuracy", "p1"), ("precision", "p2 p5")],
)
def test_the_cells_that_do_not_matter(name, kept):
    """tp / (tp + fn) holds neither tn nor fp, tn / (tn + fp) neither tp nor fn, tp / (tp + fp) neither tn nor fn."""
    needs("flint")
    found = {p: decided(name, p) for p in ("p1", "p2", "p3", "p4", "p5")}
    assert [p for p, verdict in found.items() if verdict.holds] == kept.split()
    assert all(verdict.holds is not None for verdict in found.values())
    assert {tuple(sizes(verdict)) for verdict in found.values()} == {(2,)}  # cells of two classes


@pytest.mark.parametrize(
    ("property_id", "asked"),
    [
        ("prior-invariance", [2, 3, 4]),
        ("scale-invariance", [2, 3, 4]),
        ("one-class-failing", [3, 4]),
        ("constant-baseline", [2, 3]),
        ("always-defined", [2, 3]),
        ("same-bounds", [2, 3, 4, 5, 6]),
    ],
)
def test_the_numbers_of_classes_that_are_looked_at(property_id, asked):
    assert sizes(decided("accuracy", property_id)) == asked


@pytest.mark.parametrize("property_id", ["prior-invariance", "same-bounds", "always-defined", "bounded"])
def test_a_measure_of_some_numbers_of_classes_is_asked_about_no_other(property_id):
    needs("flint")
    assert sizes(decided("accuracy", property_id, sizes=(3,))) == [3]


def test_bounds_of_one_number_of_classes_are_the_same_for_all_of_them():
    needs("flint")
    verdict = decided("accuracy", "same-bounds", sizes=(3,))
    assert (verdict.grade, verdict.classes) == ("proved", "C = 3")


@pytest.mark.parametrize(
    ("name", "property_id"),
    [
        ("macro_recall", "prior-invariance"),
        ("accuracy", "scale-invariance"),
        ("macro_recall", "order-invariance"),
    ],
)
def test_nothing_is_proved_of_what_takes_no_symbols(name, property_id):
    needs("flint")
    assert decided(name, property_id).grade == "proved"
    verdict = decided(name, property_id, black_box=Subject(sy.measure(name)).floats)
    assert verdict.grade == "not refuted"
    assert {part.grade for part in verdict.at} == {"not refuted"}


def test_a_value_on_every_small_matrix_is_said_with_their_number():
    """Of two classes: 15 rows of small counts each that are not empty make 225 of those with counts up to 3."""
    verdict = decided("accuracy", "always-defined")
    assert verdict.grade == "not refuted"
    assert all(part.cases >= 225 and "a value on every small matrix" in part.method for part in verdict.at)
    assert "a value on every small matrix" in verdict.method


def test_the_value_of_guessing_is_named_only_where_there_is_one_for_every_number_of_classes():
    """(C - 2) times the accuracy: 0 with two classes, anything between 0 and 1 with three."""
    mine = multi_class(
        id="mine",
        title="Mine",
        question="?",
        formula="",
        reads="",
        body=lambda c: c.ratio(c.all_hits, c.total, "") * (c.n_classes - 2),
    )
    verdict = BY_ID["chance-constant"].decide(Subject(mine))
    assert (verdict.grade, verdict.classes) == ("refuted", "C = 3")
    assert verdict.notes == ()


def test_the_last_error_that_becomes_a_hit_is_looked_at():
    """The recall, but 0 where no positive is missed: worse only when the last miss becomes a hit."""
    mine = two_class(
        id="mine",
        title="Mine",
        question="?",
        formula="",
        reads="",
        body=lambda c: c.where(c.fn == 0, c.number(0), c.ratio(c.tp, c.positives, "")),
    )
    verdict = BY_ID["monotone"].decide(Subject(mine))
    assert verdict.grade == "refuted"
    ((tp, fn), _), ((more, none), _) = verdict.counterexample.matrices
    assert (fn, none, more) == (1, 0, tp + 1)
