"""Verdicts are joined, shown and read back as they are said to be; expected words are worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from steelyard.proofs.verdict import (
    BY_Z3,
    AtC,
    Counterexample,
    Verdict,
    as_matrix,
    joined,
    named_classes,
    not_proved,
    of_the_formula,
    shown_matrix,
    shown_number,
)

ONE = as_matrix([[1, 0], [0, 2]])
OTHER = as_matrix([[0, 1], [2, 0]])
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def parts(*grades: str) -> list[AtC]:
    return [AtC(c, grade, f"method {c}", 10 * c, (f"n{c}",)) for c, grade in enumerate(grades, 2)]  # type: ignore[arg-type]


def test_numbers_and_matrices_to_read():
    assert shown_number(Fraction(1, 9_999)) == "1/9999"
    assert shown_number(Fraction(1, 10_000)) == "0.0001"
    assert shown_number(Fraction(999_999)) == "999999"
    assert shown_number(Fraction(-999_999)) == "-999999"
    assert shown_number(Fraction(1_000_000)) == "1000000"
    assert shown_number(Fraction(-12_345_678_912)) == "-1.23456789e+10"
    assert shown_number(0.5) == "0.5"
    assert shown_number(math.nan) == "undefined"
    assert shown_matrix(as_matrix([[5, 0], [1, HALF]])) == "[[5, 0], [1, 1/2]]"


def test_a_counterexample_says_what_it_shows():
    single = Counterexample((ONE,), (HALF,))
    assert str(single) == "1/2 on [[1, 0], [0, 2]]"
    assert (single.n_classes, single.total) == (2, 3)
    pair = Counterexample((ONE, OTHER), (HALF, THIRD))
    assert str(pair) == "1/2 on [[1, 0], [0, 2]] but 1/3 on [[0, 1], [2, 0]]"
    assert pair.total == 6
    bound = Counterexample((ONE,), (HALF, Fraction(1, 4)))
    assert str(bound) == "1/2 on [[1, 0], [0, 2]] but 1/4"
    ranked = Counterexample((ONE, OTHER), (HALF, THIRD, THIRD, HALF))
    assert str(ranked) == "[[1, 0], [0, 2]] and [[0, 1], [2, 0]]"


def test_values_that_look_alike_are_told_apart():
    near = Fraction(1, 3) + Fraction(1, 10**30)
    rising = Counterexample((ONE, OTHER), (Fraction(10**30, 3 * 10**30 + 1), near))
    assert rising.shown_values == ["0.333333333", "0.333333333 + 1.11e-30"]
    falling = Counterexample((ONE, OTHER), (near, Fraction(10**30, 3 * 10**30 + 1)))
    assert falling.shown_values[1].startswith("0.333333333 - ")
    same = Counterexample((ONE, OTHER), (near, near))
    assert same.shown_values == ["0.333333333"] * 2
    assert Counterexample((ONE, OTHER), (0.25, 0.25)).shown_values == ["0.25", "0.25"]


@pytest.mark.parametrize("values", [(HALF,), (0.5, math.inf), (1e-7,), (-THIRD, 2.5), (Fraction(3),)])
def test_a_counterexample_is_read_back(values):
    found = Counterexample((ONE,), values, exact=False)
    again = Counterexample.from_dict(found.to_dict())
    assert again == found
    assert [type(v) for v in again.values] == [type(v) for v in values]
    assert Counterexample((ONE,), (HALF,)).exact


def test_a_missing_value_is_read_back():
    again = Counterexample.from_dict(Counterexample((ONE,), (math.nan,)).to_dict())
    assert math.isnan(again.values[0])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([2], "C = 2"),
        ([3, 2], "C = 2, 3"),
        ([2, 3, 4], "C = 2..4"),
        ([2, 4, 5], "C = 2, 4, 5"),
        ([2, 2, 3], "C = 2, 3"),
        ([5, 4, 3, 2], "C = 2..5"),
        ([2, 3, 5], "C = 2, 3, 5"),
    ],
)
def test_numbers_of_classes_in_words(numbers, words):
    assert named_classes(numbers) == words


@pytest.mark.parametrize(
    ("grades", "grade", "classes", "method", "notes", "conditions"),
    [
        (("proved", "proved"), "proved", "C = 2, 3", "method 2; method 3", (), ("n2",)),
        (("proved", "refuted"), "refuted", "C = 3", "method 3", (), ()),
        (("refuted", "timed out"), "refuted", "C = 2", "method 2", (), ()),
        (
            ("proved", "not refuted", "not refuted"),
            "not refuted",
            "C = 3, 4",
            "method 3; method 4 (90 cases in all)",
            ("proved for C = 2",),
            (),
        ),
        (("not refuted",), "not refuted", "C = 2", "method 2 (20 cases in all)", (), ()),
        (
            ("proved", "timed out", "not refuted"),
            "timed out",
            "C = 3, 4",
            "method 3; method 4 (90 cases in all)",
            ("proved for C = 2",),
            (),
        ),
    ],
)
def test_parts_are_joined(grades, grade, classes, method, notes, conditions):
    found = joined("it", "a question", parts(*grades))
    assert (found.grade, found.classes, found.method) == (grade, classes, method)
    assert (found.notes, found.conditions) == (notes, conditions)
    assert (found.subject, found.question, len(found.at)) == ("it", "a question", len(grades))


def test_what_holds_and_where():
    mixed = joined("it", "q", parts("proved", "refuted", "timed out"))
    assert [mixed.holds_at(c) for c in (2, 3, 4, 5)] == [True, False, None, None]
    assert mixed.holds is False
    every = Verdict("it", "q", "proved", BY_Z3, "every C")
    assert every.holds is True
    assert every.holds_at(17) is True
    refuted = Verdict("it", "q", "refuted", "m", "every C")
    assert refuted.holds_at(3) is None
    assert Verdict("it", "q", "timed out", "m", "C = 2").holds is None


@pytest.mark.parametrize(
    ("grade", "method", "certified", "sure", "uncertified"),
    [
        ("proved", "by algebra", None, True, ""),
        ("proved", BY_Z3, None, False, ""),
        ("proved", BY_Z3, True, True, ""),
        ("proved", BY_Z3, False, False, "proved by z3, not certified"),
        ("proved", "by algebra", False, False, "proved by FLINT, not certified"),
        ("refuted", BY_Z3, None, True, ""),
        ("refuted", "m", False, True, ""),
    ],
)
def test_what_advice_rests_on(grade, method, certified, sure, uncertified):
    verdict = Verdict("it", "q", grade, method, "C = 2", certified=certified)
    assert verdict.sure is sure
    assert verdict.uncertified == uncertified


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ((), "wherever every value is defined"),
        (("a",), "wherever a is not 0"),
        (("a", "b", "c"), "wherever a, b, c are not 0"),
        (("a", "b", "c", "d"), "wherever a, b, c and 1 more are not 0"),
        (("a", "b", "c - d", "e"), "wherever c - d, a, b and 1 more are not 0"),
        (("a", "-b", "c - d", "e - f", "g - h"), "wherever -b, c - d, e - f, g - h and 1 more are not 0"),
    ],
)
def test_of_which_matrices_a_theorem_speaks(conditions, words):
    verdict = Verdict("it", "q", "proved", "m", "C = 2", conditions=conditions)
    assert verdict.domain == words
    assert replace(verdict, grade="refuted").domain == ""
    assert str(verdict) == f"proved for C = 2: m; {words}"


def test_a_verdict_in_words():
    example = Counterexample((ONE,), (HALF,))
    refuted = joined("it", "q", parts("proved", "refuted"), example, ["a note"])
    assert str(refuted) == "refuted at C = 3 (proved at C = 2): 1/2 on [[1, 0], [0, 2]]; a note"
    alone = joined("it", "q", parts("refuted"), example)
    assert str(alone) == "refuted at C = 2: 1/2 on [[1, 0], [0, 2]]"
    without = joined("it", "q", parts("refuted"))
    assert str(without) == "refuted at C = 2: method 2"
    assert str(Verdict("it", "q", "not applicable", "m", "C = 2")) == "not applicable"
    uncertified = Verdict("it", "q", "proved", "m", "C = 2", certified=False)
    assert str(uncertified).startswith("proved by FLINT, not certified, for C = 2: m")


def test_a_verdict_is_read_back():
    example = Counterexample((ONE,), (HALF, 0.25))
    for verdict in (
        joined("it", "q", parts("proved", "refuted"), example, ["n"]),
        Verdict("it", "q", "proved", "m", "every C", conditions=("a",), certified=True),
    ):
        data = verdict.to_dict()
        assert Verdict.from_dict(data) == verdict
        assert data["text"] == str(verdict)
    old = Verdict("it", "q", "proved", "m", "every C").to_dict()
    del old["certified"]
    assert Verdict.from_dict(old).certified is None


def test_what_cannot_be_traced_is_never_called_proved():
    proved = joined("it", "q", parts("proved", "proved"))
    found = not_proved(proved, "the function could not be traced")
    assert found.grade == "not refuted"
    assert [part.grade for part in found.at] == ["not refuted"] * 2
    assert found.method == "no counterexample was found (the function could not be traced)"
    refuted = joined("it", "q", parts("refuted"))
    assert not_proved(refuted, "line 3") is refuted
    mixed = not_proved(joined("it", "q", parts("proved", "not refuted")), "line 3")
    assert [part.grade for part in mixed.at] == ["not refuted", "not refuted"]
    assert mixed.method == "method 3 (50 cases in all) (line 3)"


def test_what_is_proved_of_a_function_is_proved_of_its_formula():
    proved = of_the_formula(joined("it", "q", parts("proved", "proved")))
    assert proved.grade == "proved of the formula"
    assert proved.holds is True
    assert str(proved).startswith("proved of the formula for C = 2, 3")
    refuted = joined("it", "q", parts("refuted"))
    assert of_the_formula(refuted) is refuted
