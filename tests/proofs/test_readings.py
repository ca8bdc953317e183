"""A function that is read means what it does when it is run: in floats, in fractions, enclosed, and as an expression.

The functions of honest_measures are run as plain Python beside their reading, in this process.
"""

from __future__ import annotations

import math
from ast import literal_eval
from fractions import Fraction

import numpy as np
import pytest

from steelyard.proofs.derived import Derived, exact_matrix
from steelyard.proofs.enclosed_numbers import Enclosed, EnclosedNumbers, RoundingDecidesError
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import ExactNumbers, FloatNumbers
from steelyard.proofs.prover.symbols import TooHardError
from steelyard.proofs.user_subject import Facts, ReadFunction, subject_of
from steelyard.proofs.validation import disagreement, read_function
from tests.proofs.honest_measures import HONEST, source
from tests.real_parts import needs

MATRICES = np.array(
    [
        [[3, 1], [2, 5]], [[10, 4], [1, 7]], [[1, 1], [1, 1]], [[100, 3], [20, 77]], [[2, 9], [8, 1]],
        [[4, 0], [1, 3]], [[0, 2], [0, 5]], [[3, 0], [0, 6]], [[0, 3], [4, 0]],
    ],
    dtype=float,
)  # fmt: skip
CASES = [(name, signature, source(signature, body)) for name, signature, body, _ in HONEST]
NAMES = [case[0] for case in CASES]


def run(signature, text):
    """The function itself, on one matrix of floats; NaN where it is not finite."""
    scope: dict = {}
    exec(text, scope)

    def ask(matrix):
        given = tuple(np.float64(v) for v in matrix.ravel()) if "tp" in signature else (np.asarray(matrix),)
        with np.errstate(all="ignore"):
            value = float(scope["f"](*given))
        return value if math.isfinite(value) else math.nan

    return ask


def read(signature, text) -> ReadFunction:
    needs("flint")
    found = read_function(text.encode(), "f", "tp" in signature, False)
    assert isinstance(found, ReadFunction), found
    return found


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize(("name", "signature", "text"), CASES, ids=NAMES)
def test_a_reading_means_what_the_function_does(name, signature, text):
    ask, function = run(signature, text), read(signature, text)
    derived = Derived(function, 2)
    floats = function.floats(MATRICES)
    for matrix, found in zip(MATRICES, floats, strict=True):
        value = ask(matrix)
        assert same(found, value)
        with np.errstate(all="ignore"):
            assert same(float(function.one(matrix, FloatNumbers())), value)
            exact = function.one(exact_matrix(matrix), ExactNumbers())
            assert same(float(exact), value)
            try:
                around = function.traced(matrix, EnclosedNumbers())[0]
            except RoundingDecidesError:  # the root of a difference that may be 0
                around = None
        if isinstance(around, Enclosed):
            assert around.low <= value <= around.high
            assert around.width <= 1e-12 * max(1.0, abs(value))
        expressed = derived.at(exact_matrix(matrix))
        if expressed is not None:
            assert same(float(expressed[0]), value)


@pytest.mark.parametrize(
    ("name", "signature", "text"), CASES[:4] + CASES[10:12], ids=NAMES[:4] + NAMES[10:12]
)
def test_no_disagreement_is_found_where_there_is_none(name, signature, text):
    ask = run(signature, text)

    def many(matrices):
        return np.array([ask(m) for m in matrices])

    assert disagreement(read(signature, text), many, 2) == ""


@pytest.mark.parametrize("shift", [1e-3, -0.5])
def test_another_function_is_told_apart(shift):
    signature, text = "f(tp, fn, fp, tn)", source("f(tp, fn, fp, tn)", "return tp / (tp + fn)")
    ask = run(signature, text)

    def other(matrices):
        return np.array([ask(m) + shift * (m[0, 0] == 7) for m in matrices])

    assert disagreement(read(signature, text), other, 2)


def test_where_two_functions_part_is_said_with_both_values():
    """On [[7, 1], ...] 7 of 8 are found."""
    signature, text = "f(tp, fn, fp, tn)", source("f(tp, fn, fp, tn)", "return tp / (tp + fn)")
    ask = run(signature, text)

    def other(matrices):
        return np.array([math.nan if m[0, 0] > 6 * m[0, 1] > 0 else ask(m) for m in matrices])

    words = disagreement(read(signature, text), other, 2)
    shown, _, formula = words.partition(" it returns no number, while its formula gives ")
    rows = literal_eval(shown.removeprefix("on "))
    assert float(formula) == pytest.approx(rows[0][0] / sum(rows[0]), rel=1e-8)


@pytest.mark.parametrize(
    ("body", "edge"),
    [
        ("return np.maximum(3 * tp + 11 * fn - 7 * fp - 13 * tn, 0) / (tp + fn + fp + tn)", (3, 11, -7, -13)),
        ("return (tp + fn) / (tp + fn + fp + tn) + tp / (2 * tp - tn + 4 * fp)", (2, 0, 4, -1)),
    ],
)
def test_functions_that_part_on_an_edge_only_are_told_apart(body, edge):
    """No matrix of small counts, and none drawn at random, lies on the edge with every cell filled."""
    signature, text = "f(tp, fn, fp, tn)", source("f(tp, fn, fp, tn)", body)
    ask = run(signature, text)

    def other(matrices):
        on_it = (matrices.reshape(-1, 4) @ np.array(edge, dtype=float) == 0) & (matrices > 0).all(axis=(1, 2))
        values = np.array([ask(m) for m in matrices])
        return np.where(on_it & (matrices.max(axis=(1, 2)) > 50), 2.5, values)

    function = read(signature, text)
    assert disagreement(function, lambda m: np.array([ask(one) for one in m]), 2) == ""
    assert "returns 2.5" in disagreement(function, other, 2)


def test_arguments_are_read_by_their_names():
    """In the order of scikit-learn's ravel."""
    function = read("f(tn, fp, fn, tp)", source("f(tn, fp, fn, tp)", "return tp / (tp + fn)"))
    assert function.one(exact_matrix(MATRICES[0]), ExactNumbers()) == Fraction(3, 4)


@pytest.mark.parametrize("value", ["(tp, fn)", "None", "'tp'", "range(3)"])
def test_what_is_not_one_number_is_not_read(value):
    function = read_function(source("f(tp, fn, fp, tn)", f"return {value}").encode(), "f", True, False)
    words = function if isinstance(function, str) else disagreement(function, lambda m: np.zeros(len(m)), 2)
    assert words
    if isinstance(function, ReadFunction):
        with pytest.raises(LeavesSubsetError):
            function.one(exact_matrix(MATRICES[0]), ExactNumbers())


@pytest.mark.parametrize("exact", [False, True])
def test_a_reading_is_a_subject_like_any_other(exact):
    """In floats, in fractions, whatever the function itself takes."""
    facts = Facts(True, True, False, exact, "", (2,))
    function = read("f(tp, fn, fp, tn)", source("f(tp, fn, fp, tn)", "return tp / (tp + fn)"))
    subject = subject_of(function, "f", facts, True)
    assert subject.exact
    assert subject.symbolic
    assert subject.floats(MATRICES[:2]).tolist() == [0.75, 10 / 14]
    assert subject.value(MATRICES[1].tolist()) == Fraction(5, 7)
    assert subject_of(function, "f", facts, False).exact == exact


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while True:\n    pass", "line"),
        ("return open('x')", "line"),
        ("import os\nreturn 1", "line"),
        ("return m.tolist()", "line"),
        ("return np.random.rand()", "line"),
        ("global x\nreturn 1", "line"),
        ("return [v for v in m][0][0]", ""),
        ("def g():\n    return 1\nreturn g()", "line"),
        ("try:\n    return 1\nexcept Exception:\n    return 2", "line"),
        ("return eval('1')", "line"),
        ("return m.__class__", "line"),
        ("return unknown(m)", "line"),
        ("return lambda: 1", "line"),
        ("x = 1\ndel x\nreturn 2", "line"),
    ],
)
def test_what_cannot_be_read_is_named(body, words):
    needs("flint")
    found = read_function(source("f(m)", body).encode(), "f", False, False)
    if isinstance(found, ReadFunction):
        found = disagreement(found, lambda matrices: np.zeros(len(matrices)), 2)
    assert words in found
    assert found


ENTRIES = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, 1.0], [2.0, 2.0, 6.0]])


@pytest.mark.parametrize(
    "expression",
    [
        "m.sum()", "m.sum(axis=0)[1]", "m.sum(axis=-1)[0]", "np.sum(m, axis=1)[2]", "m.sum(axis=(0, 1))",
        "m.sum(axis=1, keepdims=True)[1, 0]", "np.sum(m, axis=0, keepdims=True)[0, 2]",
        "m.mean()", "np.mean(m, axis=0)[1]", "m.mean(axis=1)[2]", "np.mean(m, axis=(0, 1))", "m.mean(axis=0, keepdims=True)[0, 1]",
        "np.prod(m[0])", "m.prod(axis=1)[2]", "np.prod(m, axis=0)[1]",
        "np.max(m)", "m.max(axis=0)[0]", "np.min(m)", "m.min(axis=1)[1]",
        "np.diag(m)[1]", "np.diagonal(m)[2]", "np.diagonal(m, offset=1)[0]", "m.diagonal()[0]", "m.diagonal(offset=-1)[1]",
        "np.trace(m)", "m.trace()", "m.trace(offset=1)", "np.trace(m, axis1=1, axis2=0)",
        "np.sqrt(m[1, 1])", "np.cbrt(m[2, 2])", "np.log(m[2, 2])", "np.log2(m[1, 1])", "np.abs(m[0, 0] - m[1, 1])", "abs(m[0, 1] - 5)",
        "np.maximum(m[0], m[1])[2]", "np.minimum(m[0], m[1])[1]", "np.where(m > 1.5, m, 0).sum()", "np.where(m[0] >= 2, 1, -1).sum()",
        "np.power(m[0, 0], 3)", "np.power(m, 2)[1, 0]", "m[1, 1] ** -1", "m[1, 1] ** 0.5", "np.square(m)[0, 0]",
        "np.eye(3)[1, 1]", "np.eye(3)[1, 2]", "(m * np.eye(3)).sum()", "np.outer(m[0], m[1])[2, 0]", "m.T[0, 1]", "np.transpose(m)[2, 0]",
        "np.swapaxes(m, 0, 1)[1, 2]", "m.swapaxes(0, 1)[0, 2]", "np.divide(m[0], m[1])[0]", "np.true_divide(m[0], 4)[1]",
        "np.zeros_like(m)[0, 0]", "np.ones_like(m).sum()", "np.stack([m[0], m[1]])[1, 0]", "np.add(m[0], 1)[0]", "np.subtract(m[0], m[1])[0]",
        "np.multiply(m[0], m[1])[2]", "-m[0, 0]", "+m[0, 0]", "m[::-1][0, 0]", "m[1:, :2].sum()", "m[-1, -1]",
        "m[:, 1].sum()", "m[0][1:].sum()", "len(m) * m[0, 0]", "m.shape[0] + m[0, 0]",
        "sum(m[i, i] for i in range(len(m)))", "sum(m[i, i] for i in range(3) if i != 1)", "sum([m[0, 0], m[1, 1]])", "1 if m[0, 0] > m[1, 1] else 2",
        "1 if m[0, 0] > 1 and m[1, 1] > 1 else 2", "1 if m[0, 0] > 5 or not m[1, 1] > 1 else 2",
        "np.asarray(m)[1, 0]", "np.array(m)[1, 0]", "2 ** 3 * m[0, 0]", "7 ** 0 * m[0, 0]",
        *(f"1 if len(m) {relation} {size} else 2" for relation in ("==", "!=", "<", "<=", ">", ">=") for size in (2, 3, 4)),
        "sum([m[0, 0], m[1, 1]], 5)", "sum((m[i, i] for i in range(3)), m[0, 1])", "sum([])",
        "np.sum([m[0, 0], m[1, 1]])", "np.mean((m[0, 0], m[1, 1], 4))", "np.max([m[0, 0], 2])", "np.amin([m[0, 0], 7, 5])",
        "np.array([[m[0, 0], 1], [2, 3]]).sum(axis=0)[1]", "np.array([m[0], m[1]])[1, 2]",
    ],
)  # fmt: skip
def test_operations_mean_what_numpy_means(expression):
    function = read("f(m)", text := source("f(m)", f"return {expression}"))
    value = run("f(m)", text)(ENTRIES)
    assert same(float(function.one(ENTRIES, FloatNumbers())), value)
    exact = function.one(exact_matrix(ENTRIES), ExactNumbers())
    assert same(float(exact), value)
    assert isinstance(exact, (Fraction, int, float))


@pytest.mark.parametrize(
    "expression",
    [
        "max(m[0, 0], m[1, 1])", "np.diag(m[0])[0, 0]", "m[0] @ m[1]", "np.dot(m[0], m[1])", "m.ndim * m[0, 0]", "m.size * m[0, 0]",
        "(m[0, 0] > 1) * 2", "float(m[0, 0])", "m[0, 0] // 1", "int(2) * m[0, 0]", "m.astype(float)[0, 0]", "m.copy()[0, 0]",
        "np.sum(m[0] * m[1] > 1)", "7 % 4 + m[0, 0]", "m[m > 1].sum()", "m[[0, 1]].sum()", "np.median(m)", "m.sum(axis=0.5)", "m.sum(0.5)",
        "np.log(m, out=m)", "np.where(m > 1)", "m.real[0, 0]", "'a' + 'b'", "m[0, 0] if m else 1", "(1).__add__(2)",
        "np.array([[m[0, 0], 1], [2]]).sum()", "np.sum([m[0], 1])", "np.sum([])", "m[0, 0] * (9**100) ** 100",
    ],
)  # fmt: skip
def test_operations_that_are_not_listed_are_refused_by_name(expression):
    needs("flint")
    function = read_function(source("f(m)", f"return {expression}").encode(), "f", False, False)
    if isinstance(function, ReadFunction):
        with pytest.raises((LeavesSubsetError, TooHardError)) as caught:
            function.one(exact_matrix(ENTRIES), ExactNumbers())
        assert "line 12" in str(caught.value)
    else:
        assert "line 12" in function


def test_a_number_that_no_float_holds_is_not_worked_out():
    function = read("f(m)", source("f(m)", "return m[0, 0] * (9**100) ** 100"))
    with pytest.raises(LeavesSubsetError, match="line 12, a whole number beyond all floats"):
        function.one(exact_matrix(ENTRIES), ExactNumbers())


SEVERAL = """
def share(part, whole=4, *, of=1, more=0):
    return part / (whole * of) + more

def f(m):
    total = 0
    for i in range(30):
        total += share(m[0, 0]) - share(m[1, 1], of=2, whole=m[0, 1])
    return total + share(m[2, 2], 3, more=m[0, 2])
"""


def test_helpers_are_called_as_often_and_with_as_many_arguments_as_it_pleases():
    """30 (3/4 - 4/(1 * 2)) + 6/3 + 2 by hand."""
    function = read("f(m)", SEVERAL)
    assert function.one(exact_matrix(ENTRIES), ExactNumbers()) == Fraction(-67, 2)
    assert run("f(m)", SEVERAL)(ENTRIES) == -33.5


PARTED = (
    ("the larger", "return np.maximum(tp, fn) / (tp + fn)", lambda a, b: Fraction(max(a, b), a + b)),
    ("the smaller", "return np.minimum(tp, fn) / (tp + fn)", lambda a, b: Fraction(min(a, b), a + b)),
    ("the distance", "return abs(tp - fn) / (tp + fn)", lambda a, b: Fraction(abs(a - b), a + b)),
    (
        "the largest of three",
        "return np.maximum(np.maximum(tp, fn), 3) / (tp + fn)",
        lambda a, b: Fraction(max(a, b, 3), a + b),
    ),
    ("the root of a square", "return np.sqrt((tp - fn) ** 2) + tp", lambda a, b: Fraction(abs(a - b) + a)),
    ("a pole", "return tp / (tp - fn)", lambda a, b: Fraction(a, a - b) if a != b else None),
    (
        "a pole that is taken away",
        "return (tp - fn) * tp / (tp - fn)",
        lambda a, b: Fraction(a) if a != b else None,
    ),
)


@pytest.mark.parametrize(
    ("body", "expected"), [case[1:] for case in PARTED], ids=[case[0] for case in PARTED]
)
def test_an_expression_in_parts_has_the_value_of_its_part(body, expected):
    """On all small counts without a zero, those at which two parts meet included."""
    derived = Derived(read("f(tp, fn, fp, tn)", source("f(tp, fn, fp, tn)", body)), 2)
    for tp in range(1, 6):
        for fn in range(1, 6):
            found = derived.at(exact_matrix(np.array([[tp, fn], [1.0, 2.0]])))
            assert found is not None
            by_hand = expected(tp, fn)
            assert found[0] == by_hand if by_hand is not None else math.isnan(found[0])


@pytest.mark.parametrize(("tp", "fn"), [(3, 3), (3, 2), (2, 3), (1, 10), (10, 1)])
def test_a_root_is_followed_in_the_part_it_belongs_to(tp, fn):
    """|tp - fn| is tp - fn in one part and fn - tp in the other, and there is no root of the one in the other."""
    text = source("f(tp, fn, fp, tn)", "return np.sqrt(abs(tp - fn)) + tn")
    found = Derived(read("f(tp, fn, fp, tn)", text), 2).at(exact_matrix(np.array([[tp, fn], [1.0, 2.0]])))
    assert found is not None
    assert abs((found[0] - 2) ** 2 - abs(tp - fn)) < Fraction(1, 10**50)
