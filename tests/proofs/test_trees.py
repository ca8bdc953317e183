"""What is written down for the checker stands for the number it was computed from; expressions are evaluated by a plain walk."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from steelyard.measures.formula import formula_measure
from steelyard.proofs.processes import in_children
from steelyard.proofs.prover.expression_trees import (
    Tree,
    TreeField,
    Trees,
    plain_node,
    plain_sign,
    tree,
)
from steelyard.proofs.questions import every_c
from tests.real_parts import needs

NAN = float("nan")
POINT = {"a": 2.0, "b": 5.0, "c": 0.25}
A, B, C = (Tree(["variable", name]) for name in "abc")


def at(node, point=None):
    """A tree in floats."""
    point = POINT if point is None else point
    if isinstance(node, Tree):
        node = node.node
    if isinstance(node, (int, Fraction)):
        return float(node)
    if isinstance(node, str):
        return float(Fraction(node))
    if node[0] == "variable":
        return point[node[1]]
    inner = [at(part, point) for part in node[1:]]
    return {
        "+": lambda: inner[0] + inner[1],
        "-": lambda: inner[0] - inner[1],
        "*": lambda: inner[0] * inner[1],
        "/": lambda: inner[0] / inner[1],
        "^": lambda: inner[0] ** inner[1],
        "max": lambda: max(inner),
        "log": lambda: math.log(inner[0]),
    }[node[0]]()


def test_operations_are_written_down_in_their_order():
    assert (A - B).node == ["-", ["variable", "a"], ["variable", "b"]]
    for value, expected in (
        (A + B, 7),
        (A - B, -3),
        (A * B, 10),
        (A / B, 0.4),
        (1 + A, 3),
        (1 - A, -1),
        (3 * A, 6),
        (1 / A, 0.5),
        (0.5 - A, -1.5),
        (A**2, 4),
        (A**-0.5, 2**-0.5),
        (-A, -2),
        (+A, 2),
        (abs(A - B), 3),
        (abs(B - A), 3),
    ):
        assert at(value) == pytest.approx(expected)
    assert (A * 0.1).node[2] == "1/10"
    for value in (A + NAN, NAN * A, A / math.inf, NAN - A):
        assert math.isnan(value)


@pytest.mark.parametrize(
    ("value", "sign"),
    [
        (tree(0), 0),
        (tree(-3), -1),
        (tree(Fraction(1, 2)), 1),
        (A, 1),
        (A + B, 1),
        (A * B / C, 1),
        (A * -1, -1),
        (A * 0, 0),
        (A + 0, 1),
        (0 - A, -1),
        (-A - B, -1),
        (A - 0, 1),
        (tree(0) - 0, 0),
        (A**2, 1),
        (-1 * A / B, -1),
    ],
)
def test_signs_that_are_plain(value, sign):
    assert plain_sign(value.node) == sign


@pytest.mark.parametrize(
    "value", [A - B, A + -1 * B, Tree(["log", A.node]), (-A) ** 2, Tree(["max", A.node, B.node])]
)
def test_signs_that_are_not(value):
    with pytest.raises(TypeError):
        plain_sign(value.node)


def test_equal_only_where_it_is_plain():
    numbers = Trees(TreeField(["a", "b"]))
    assert numbers.falls(A * 0, 0, "eq")
    assert not numbers.falls(A + B, 0, "eq")
    assert numbers.falls(0, A + B, "lt")
    with pytest.raises(TypeError):
        numbers.falls(A, B, "eq")
    assert plain_node(NAN) == "undefined"
    assert plain_node(math.inf) == "undefined"
    assert plain_node(0.5) == "1/2"


def test_the_field_of_trees():
    owner = TreeField(["a", "b"])
    assert owner.names == ["a", "b"]
    assert owner.variable("a").node == ["variable", "a"]
    assert owner.constant(0.25).node == "1/4"


def array(*values):
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def test_the_arithmetic_of_measures_on_trees():
    arithmetic = Trees(TreeField(["a", "b", "c"]))
    values, zero = arithmetic.divide(
        array(A, A, NAN, Fraction(1)), array(B, Fraction(0), B, Fraction(4)), NAN
    )
    assert zero.tolist() == [False, True, False, False]
    assert at(values[0]) == pytest.approx(0.4)
    assert math.isnan(values[1])
    assert math.isnan(values[2])
    assert at(values[3]) == 0.25
    assert math.isnan(arithmetic.divide(A, NAN, NAN)[0][()])
    assert arithmetic.is_nan(array(A, NAN, Fraction(1))).tolist() == [False, True, False]
    larger = arithmetic.maximum(array(A, NAN, A), array(B, A, NAN))
    assert at(larger[0]) == 5
    assert math.isnan(larger[1])
    assert math.isnan(larger[2])
    roots = arithmetic.sqrt(array(A, NAN))
    assert at(roots[0]) == pytest.approx(math.sqrt(2))
    assert math.isnan(roots[1])
    assert at(arithmetic.log(array(B))[0]) == pytest.approx(math.log(5))
    assert arithmetic.number(0.1) == Fraction(1, 10)
    assert math.isnan(arithmetic.half_turns(array(NAN))[0])
    terms = arithmetic.entropy_terms(array(A, Fraction(0), NAN, A), array(B, B, B, NAN))
    assert at(terms[0]) == pytest.approx(-2 * math.log(2 / 7))
    assert terms[1] == 0
    assert math.isnan(terms[2])
    assert math.isnan(terms[3])
    chosen = arithmetic.choose(np.array([True, False]), Fraction(7), array(A, B))
    assert chosen[0] == 7
    assert chosen[1] is B


def test_means_of_logarithms():
    arithmetic = Trees(TreeField(["a", "b", "c"]))
    half = Fraction(1, 2)

    def mean(terms, weights):
        return arithmetic.weighted_geometric_mean(array(*terms)[:, None], array(*weights)[:, None])[0]

    same = mean((A, B), (half, half))
    assert at(same) == pytest.approx(math.sqrt(10))
    assert same.node[0] == "^"  # one root of the product
    assert at(mean((A, B), (Fraction(1, 4), Fraction(3, 4)))) == pytest.approx(2**0.25 * 5**0.75)
    quotient = tree(1) / tree(2)
    assert at(mean((A, B), (quotient, quotient))) == pytest.approx(math.sqrt(10))
    assert math.isnan(mean((A, NAN), (half, half)))


# -- sums over classes


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("sum(hits) / n", "sum(hits) / sum(actual)", True),
        ("sum(hits) / n", "1 - sum(missed) / n", True),
        ("sum(missed)", "sum(false_alarms)", True),
        ("sum(actual)", "sum(predicted)", True),
        ("sum(rejected)", "(C - 2) * n + sum(hits)", True),
        ("mean(hits + rejected) / n", "1 - 2 * sum(missed) / (C * n)", True),
        ("mean(hits)", "sum(hits) / C", True),
        ("sum(hits - missed) / n", "2 * sum(hits) / n - 1", True),
        ("sum(2 * hits) / n", "2 * sum(hits) / n", True),
        ("sum(hits / 2) / n", "sum(hits) / (2 * n)", True),
        ("sum(-hits) / n", "-sum(hits) / n", True),
        ("(sum(hits) / n)^2", "sum(hits) * sum(hits) / n^2", True),
        ("sum(hits) / n", "sum(missed) / n", False),
        ("mean(hits) / n", "sum(hits) / n", False),
        ("sum(rejected) / n", "sum(hits) / n", False),  # the same for two classes only
        ("sum(hits) / n", "mean(hits / actual)", False),  # not a formula of sums
        ("sum(hits) / n", "sum(hits * hits) / n", False),
    ],
)  # fmt: skip
def test_identities_for_every_number_of_classes(one, other, same):
    """The first ones follow from the sums that the docstring names, by hand; the others fail on a small matrix."""
    needs("flint")
    found = every_c.equal_sums(formula_measure(one), formula_measure(other))
    assert (found is not None) is same


# -- pieces of work in processes of their own


def test_each_piece_of_work_answers_for_itself():
    def endless():
        while True:
            pass

    def failing():
        raise ValueError

    works = {"one": lambda: {"a": 1}, "failing": failing, "two": lambda: {"b": [1, None]}}
    assert dict(in_children(works, 30.0)) == {
        "one": {"a": 1},
        "failing": {"stopped": "the engine ended"},
        "two": {"b": [1, None]},
    }
    assert dict(in_children(works, 30.0, at_once=3)) == dict(in_children(works, 30.0))
    late = dict(in_children({"endless": endless, "after": lambda: {"c": 2}}, 0.3))
    assert late == {"endless": {"stopped": "the time of 0.3 seconds was up"}, "after": {"c": 2}}
    assert list(in_children({}, 1.0)) == []
    large = {"text": "x" * 200_000}
    assert dict(in_children({"large": lambda: large}, 30.0)) == {"large": large}
