"""Marks of a table by numbers of classes, relations between measures, what a subject calls different, and where results are kept."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.proofs import precomputed
from steelyard.proofs.judge import relate
from steelyard.proofs.property_table import PropertyTable, cell_of, counted
from steelyard.proofs.prover.smt import satisfiable
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.result import Examination
from steelyard.proofs.user_function import Job, decide
from steelyard.proofs.verdict import AtC, Verdict, joined
from tests.real_parts import needs


def verdict(*grades, **words):
    return joined("it", "q", [AtC(c, grade, "m", 10) for c, grade in enumerate(grades, 2)], **words)


@pytest.mark.parametrize(
    ("grades", "mark", "two", "many", "open_ones", "told"),
    [
        (("proved", "proved"), "✓", "proved", "proved", 0, "C = 2: proved; C > 2: proved"),
        (("proved", "refuted"), "✓/✗", "proved", "refuted", 0, "C = 2: proved; C > 2: refuted"),
        (("refuted", "refuted"), "✗", "refuted", "refuted", 0, "C = 2: refuted; C > 2: refuted"),
        (("proved", "proved", "refuted"), "✓/✗", "proved", "refuted", 0, "C = 2: proved; C > 2: refuted"),
        (("proved", "proved", "timed out"), "✓/?", "proved", "timed out", 1, "C = 2: proved; C > 2: open, 30 cases tried"),
        (("proved", "proved", "not refuted"), "✓/?", "proved", "not refuted", 1, "C = 2: proved; C > 2: open, 30 cases tried"),
        (("timed out", "not refuted", "timed out"), "?", "timed out", "timed out", 2, "C = 2: open, 30 cases tried; C > 2: open, 30 cases tried"),
        (("proved",), "✓", "proved", None, 0, "C = 2: proved"),
        (("refuted",), "✗", "refuted", None, 0, "C = 2: refuted"),
    ],
)  # fmt: skip
def test_a_mark_for_two_classes_and_one_for_more(grades, mark, two, many, open_ones, told):
    cell = cell_of(verdict(*grades))
    assert (cell.mark, cell.two, cell.many, list(cell.grades.values()).count("open")) == (
        mark,
        two,
        many,
        open_ones,
    )
    assert cell.in_words == told
    assert cell.cases == 10 * len(grades)


def test_marks_of_what_does_not_arise_and_of_every_number_of_classes():
    nothing = cell_of(Verdict("it", "q", "not applicable", "m", "C = 2"))
    assert (nothing.mark, nothing.in_words, nothing.grades) == ("·", "not applicable", {})
    every = cell_of(Verdict("it", "q", "proved", "m", "every C", at=(AtC(2, "proved", "m", 5),)))
    assert (every.mark, every.two, every.many) == ("✓", "proved", "proved")
    assert cell_of(Verdict("it", "q", "proved", "m", "every C")).many == "proved"
    alone = cell_of(Verdict("it", "q", "refuted", "m", "C = 2, 3"))
    assert (alone.mark, alone.two) == ("✗", "refuted")
    only_three = cell_of(joined("it", "q", [AtC(3, "proved", "m")]))
    assert (only_three.two, only_three.many) == (None, "proved")


def test_how_measures_relate():
    """fnr = 1 - recall: another value, affine, falling, and neither always greater; both rank alike."""
    needs("flint")
    found = relate([sy.measure("fnr"), sy.measure("threat_score")], sy.measure("recall"))
    assert found.against == "recall"
    grades = [v.grade for v in found.verdicts]
    assert grades[:6] == ["refuted", "proved", "refuted", "refuted", "refuted", "not refuted"]
    # The threat score is never above the recall.
    assert grades[6:] == ["refuted", "refuted", "refuted", "proved", "refuted", "refuted"]
    plain = found.to_dict()
    assert plain["against"] == "recall"
    assert [one["grade"] for one in plain["relations"]] == grades
    assert len(found.table()) == 12
    assert all(isinstance(row, dict) and row for row in found.table())
    assert "recall" in found.report().title


def test_what_a_subject_calls_different():
    exact, floats = (
        Subject(sy.measure("recall")),
        Subject(sy.measure("recall"), black_box=Subject(sy.measure("recall")).floats),
    )
    third = Fraction(1, 3)
    assert exact.differ(third, third + Fraction(1, 10**20))
    assert exact.differ(math.nan, third)
    assert exact.differ(third, math.nan)
    assert not exact.differ(math.nan, math.nan)
    assert not exact.exceeds(math.nan, third)
    assert not exact.differ(third, third)
    assert not floats.differ(0.5, 0.5 + 1e-13)
    assert floats.differ(0.5, 0.5001)
    assert not floats.differ(1e6, 1e6 * (1 + 1e-13))  # the last digits of a large number
    assert not floats.differ(1e-9, 1e-9 + 1e-13)
    assert floats.differ(1e6, 1e6 + 1)
    assert exact.exceeds(third, Fraction(1, 4))
    assert not exact.exceeds(third, third)
    assert not exact.exceeds(Fraction(1, 4), third)
    assert not floats.exceeds(0.5 + 1e-13, 0.5)
    assert floats.exceeds(0.6, 0.5)
    assert is_nan(math.nan)
    assert not is_nan(third)
    assert not is_nan(0.5)
    assert exact.value(((1, 3), (0, 2))) == Fraction(1, 4)
    assert is_nan(exact.value(((0, 0), (1, 2))))
    assert floats.value(((1, 3), (0, 2))) == 0.25
    values = exact.floats(np.array([[[1, 3], [0, 2]], [[0, 0], [1, 1]]]))
    assert values[0] == 0.25
    assert math.isnan(values[1])


def test_a_body_that_cannot_be_traced_is_not_symbolic():
    facts = {"title": "Mine", "question": "?", "formula": "", "reads": ""}
    untraced = sy.two_class(id="mine", body=lambda c: float(str(c.tp)[1:-1]), **facts)
    assert untraced.opaque
    assert not Subject(untraced).symbolic
    assert Subject(sy.measure("recall")).symbolic


def named(question, *grades, certified=None):
    parts = [AtC(c, grade, "m", 10) for c, grade in enumerate(grades, 2)]
    return replace(joined("it", question, parts), certified=certified)


def test_a_table_counts_names_and_certifies():
    """p1, Dist and CSym proved, Bnd open at two numbers of classes after 2 x 10 cases, Mon refuted."""
    verdicts = (
        named("distance", "proved", "proved", certified=True),
        named("strictly-monotone", "refuted", "refuted"),
        named("order-invariance", "proved", certified=True),
        named("p1", "proved", "proved", certified=False),
        named("bounded", "not refuted", "timed out"),
    )
    table = PropertyTable((Examination("it", "It", verdicts),))
    said = counted(table.examinations)
    assert said == "9 questions: 5 proved, 2 refuted by a matrix, 2 are open (nothing found in 20 cases)."
    page = table.to_html()
    assert page.count(">certified<") == 2
    assert page.count(">not certified<") == 1
    assert "Bnd within the declared range" in page
    assert "Dist distance" in page
    assert "p1 p1" not in page
    assert re.search(r'whole"[^>]*><span class="open">timed out</span>', page)  # two words on one line


def test_decided_in_processes_of_their_own():
    needs("flint")
    answers = list(decide(Job("recall", ("p2", "p3", "p4"), 60.0, {0: sy.measure("recall")})))
    found = {answer["property"]: Verdict.from_dict(answer["verdict"]) for answer in answers}
    assert {name: v.holds for name, v in found.items()} == {"p2": True, "p3": True, "p4": False}
    assert found["p4"].counterexample is not None


def test_where_results_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "a" / "b"))
    assert precomputed.folder() == tmp_path / "a" / "b"
    assert precomputed.load_cached("x", dict) is None
    precomputed.store_cached("x", {"a": [1, None]})
    assert precomputed.load_cached("x", dict) == {"a": [1, None]}
    assert [p.name for p in (tmp_path / "a" / "b").iterdir()] == ["x.json"]
    assert precomputed.cache_key("a", "b") == precomputed.cache_key("a", "b") != precomputed.cache_key("ab")
    for word in ("off", " OFF "):
        monkeypatch.setenv("STEELYARD_CACHE", word)
        assert precomputed.folder() is None
        assert precomputed.load_cached("x", dict) is None
        precomputed.store_cached("y", {})
    monkeypatch.delenv("STEELYARD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert precomputed.folder() == tmp_path / "steelyard"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert precomputed.folder() == Path.home() / ".cache" / "steelyard"


def test_points_at_which_polynomials_have_signs():
    """x² - 2 = 0 has a positive root; x² + 1 = 0 has none; x y < 0 has none with both positive."""
    needs("z3")
    assert satisfiable(1, [0], [({(2,): Fraction(1), (0,): Fraction(-2)}, "=")]) == "yes"
    assert satisfiable(1, [0], [({(2,): Fraction(1), (0,): Fraction(1)}, "=")]) == "no"
    assert satisfiable(2, [0, 1], [({(1, 1): Fraction(1)}, "<")]) == "no"
    assert satisfiable(2, [0], [({(1, 1): Fraction(1)}, "<")]) == "yes"
    assert satisfiable(1, [], [({(1,): Fraction(1)}, "<=")]) == "yes"
    assert satisfiable(1, [0], [({(1,): Fraction(1)}, "<=")]) == "no"
    assert (
        satisfiable(
            1,
            [0],
            [
                ({(1,): Fraction(1, 2), (0,): Fraction(-1, 3)}, ">"),
                ({(1,): Fraction(1), (0,): Fraction(-1)}, "<"),
            ],
        )
        == "yes"
    )
    assert satisfiable(1, [0], [({}, ">")]) == "no"
