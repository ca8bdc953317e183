"""Symbols mean the numbers they stand for: expressions are built twice, in symbols and in numbers, and evaluated at points."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from steelyard.proofs.prover.regions import Symbols, regions
from steelyard.proofs.prover.symbols import (
    Decisions,
    Field,
    Symbol,
    TooHardError,
    limit_at_zero,
    log_of,
    power_of,
)
from tests.proofs.evaluated_symbols import generators, value_at
from tests.real_parts import needs

NAMES = ("a", "b", "c")
NAN = float("nan")


@pytest.fixture(autouse=True)
def _flint():
    needs("flint")


def root(value):
    return power_of(value, Fraction(1, 2))


def field(decisions=None):
    owner = Field(NAMES, decisions)
    return owner, *(owner.variable(name) for name in NAMES)


def at(value, point):
    """The number that a symbol stands for at a point."""
    if not isinstance(value, Symbol):
        return value
    values = generators(value.field, dict(zip(NAMES, map(Fraction, point), strict=True)))
    assert values is not None
    return value_at(value, values)


POINTS = [(1, 2, 3), (Fraction(1, 2), 5, Fraction(7, 3)), (10, Fraction(1, 9), 4)]


def test_random_fractions_of_polynomials():
    rng = random.Random(1)
    for _ in range(60):
        _, *symbols = field()
        steps = [
            (rng.choice("+-*/"), rng.randrange(4), rng.choice([1, 2, Fraction(1, 3), 0.25, np.int64(3)]))
            for _ in range(6)
        ]
        for point in POINTS:
            symbol, number = symbols[0], Fraction(point[0])
            for operation, which, constant in steps:
                one = constant if which == 3 else symbols[which]
                other = Fraction(str(constant)) if which == 3 else Fraction(point[which])
                if operation == "+":
                    symbol, number = one + symbol, other + number
                elif operation == "-":
                    symbol, number = one - symbol, other - number
                elif operation == "*":
                    symbol, number = symbol * one, number * other
                else:
                    symbol, number = symbol / one, number / other
            assert at(symbol, point) == number
            assert at(-symbol, point) == -number
            assert at(symbol - 3, point) == number - 3
            assert at(symbol**2, point) == number**2
            assert at(+symbol, point) == number
            if number:
                assert at(1 / symbol, point) == 1 / number
                assert at(symbol**-2, point) == 1 / number**2


def test_equal_terms_cancel():
    _, a, b, c = field()
    assert (a / b + c / b - (a + c) / b).is_zero
    assert (a / (a + b) + b / (a + b) - 1).is_zero
    assert ((a * a - b * b) / (a - b) - a - b).is_zero
    assert not (a / b - b / a).is_zero
    assert repr(a - a) == "0"
    assert repr(a) == "(a)/(1)"
    assert (1 / (a + b) + 1 / (a - b) - 2 * a / (a * a - b * b)).is_zero


def test_roots_and_logarithms_to_sixty_digits():
    owner, a, b, _ = field()
    rooted = (a * b + b * b) ** 0.5
    for point in POINTS:
        x, y, _ = map(float, point)
        assert float(at(rooted, point)) == pytest.approx(math.sqrt(x * y + y * y), rel=1e-15)
        assert float(at(log_of(a * a * b / 3), point)) == pytest.approx(math.log(x * x * y / 3), rel=1e-14)
        assert float(at(power_of(a * a * b / 8, Fraction(2, 3)), point)) == pytest.approx(
            (x * x * y / 8) ** (2 / 3), rel=1e-14
        )
        assert float(at(log_of(a + b), point)) == pytest.approx(math.log(x + y), rel=1e-14)
        assert float(at(root(a / b), point)) == pytest.approx(math.sqrt(x / y), rel=1e-14)
        assert float(at(1 / root(a), point)) == pytest.approx(1 / math.sqrt(x), rel=1e-14)
    assert (rooted * rooted - a * b - b * b).is_zero
    assert ((a**0.5) * (b**0.5) - (a * b) ** 0.5).is_zero
    assert (power_of(a, Fraction(1, 3)) ** 3 - a).is_zero
    assert (power_of(a, Fraction(-1, 2)) * a - root(a)).is_zero
    assert (
        power_of(owner.constant(12), Fraction(1, 2)) - 2 * power_of(owner.constant(3), Fraction(1, 2))
    ).is_zero
    assert (log_of(a * b) - log_of(a) - log_of(b)).is_zero
    assert (log_of(a / 6) - log_of(a) + log_of(owner.constant(2)) + log_of(owner.constant(3))).is_zero
    assert (owner.constant(0) ** 0.5).is_zero
    assert (power_of(a * a, Fraction(1, 2)) - a).is_zero
    large = owner.constant(100_003 * 100_019)  # primes beyond those that are looked for
    assert (power_of(large, Fraction(1, 2)) ** 2 - large).is_zero


def test_negative_numbers_have_no_root_and_no_logarithm():
    owner, a, _, _ = field()
    with pytest.raises(TooHardError, match="negative"):
        power_of(owner.constant(-2) * a, Fraction(1, 2))
    owner, a, _, _ = field()
    with pytest.raises(TooHardError, match="not positive"):
        log_of(-a)


def test_limits():
    _owner, a, b, _ = field()
    assert limit_at_zero(3) == 3
    assert limit_at_zero((2 * a + a * a) / (3 * a)) == Fraction(2, 3)
    assert limit_at_zero(a * b) == 0
    assert limit_at_zero(a - a) == 0
    assert limit_at_zero(a * a / a) == 0
    assert (limit_at_zero((a + b) / (a * b + 2)) - b / 2).is_zero
    with pytest.raises(TooHardError, match="not finite"):
        limit_at_zero(b / a)
    with pytest.raises(TooHardError, match="roots or logarithms"):
        limit_at_zero(root(b) + a)


def test_signs():
    owner, a, b, c = field()
    assert owner.sign(a + b) == 1
    assert owner.sign(-a / b) == -1
    assert owner.sign(a - a) == 0
    assert owner.sign((a + b) / (-b - c)) == -1
    assert owner.sign(root(a)) == 1
    assert not owner.decisions.chosen
    # One decision, however the same question is asked.
    owner, a, b, c = field(Decisions({}))
    assert owner.sign(a - b) == -owner.sign(b - a)
    assert owner.sign((a - b) * c / (a + b)) == owner.sign(2 * a - 2 * b) == owner.sign(a - b)
    assert owner.sign((a - b) * c * c * c * b * b) == owner.sign(a - b)
    assert owner.sign((a - b) * (a + b) * (a + b) / c) == owner.sign(a - b)
    assert len(owner.decisions.chosen) == 1
    assert (abs(a - b) + abs(b - a) - 2 * abs(a - b)).is_zero


def test_powers_are_those_that_are_written():
    """0.1 is a tenth, not the double next to it; a third is a third."""
    _, a, b, _ = field()
    assert ((a**0.1) ** 10 - a).is_zero
    assert ((a * b) ** Fraction(1, 3) * (a * b) ** Fraction(2, 3) - a * b).is_zero
    assert (a**3 * a ** Fraction(-3) - 1).is_zero
    assert (a**2.0 - a * a).is_zero


def test_the_region_that_was_asked_for():
    owner, a, b, _ = field()
    first = owner.sign(a - b)
    key = owner.decisions.chosen[0][0]
    other, a, b, _ = field(Decisions({key: -owner.decisions.chosen[0][1]}))
    assert other.sign(a - b) == -first


def test_comparisons_of_what_is_known():
    """Where both sides can be equal is a case of its own: a + b is 0 where both are."""
    owner, a, b, _ = field()
    symbols = Symbols(owner)
    assert symbols.falls(b, a + b, "lt")
    assert symbols.falls(b, a + b, "le")
    assert not symbols.falls(a + b, b, "le")
    assert symbols.falls(a, a, "le")
    assert not symbols.falls(a, a, "lt")
    assert symbols.falls(a, a, "eq")
    assert not symbols.falls(a, a + 1, "eq")
    assert owner.tested_for_zero == {frozenset({"a"})}
    assert not symbols.falls(a + b, Fraction(0), "eq")
    assert owner.tested_for_zero == {frozenset({"a"}), frozenset({"a", "b"})}


def test_where_nothing_is_said():
    for ask, words in (
        (lambda a, b: a == b, "asks whether two expressions are equal"),
        (lambda a, b: a * a + b == 0, "asks whether a product is 0"),
        (lambda a, b: 1 / (a - b) == 0, "some matrices without zeros lack"),
        (lambda a, b: power_of(a, Fraction(1, 1001)), "a power of 1/1001"),
    ):
        _, a, b, _ = field()
        with pytest.raises(TooHardError, match=words):
            ask(a, b)
    _, a, b, _ = field()
    with pytest.raises(ZeroDivisionError):
        1 / (a - a)


def test_what_is_not_a_number_makes_none():
    _, a, _, _ = field()
    for value in (a + NAN, NAN + a, a - NAN, NAN - a, a * math.inf, a / NAN, NAN / a):
        assert isinstance(value, float)
        assert math.isnan(value)
    assert a.__add__("x") is NotImplemented
    assert a.__rsub__("x") is NotImplemented
    assert at(a + True, (1, 1, 1)) == 2
    assert at(0.1 * a, (1, 1, 1)) == Fraction(1, 10)


def test_what_was_divided_by_is_remembered():
    owner, a, b, c = field()
    value = a / (a + b) + c
    assert value.poles == {"a + b"}
    assert set(owner.denominators) == {"a + b"}
    assert owner.poles_of(value) == {frozenset({"a", "b"})}
    assert (value - value).poles == {"a + b"}
    assert (a / 2).poles == frozenset()
    assert owner.poles_of(1 / (a + 1)) == set()
    assert a.with_poles(frozenset({"b"})).poles == {"b"}
    assert a.with_poles(frozenset()) is a
    assert math.isnan(at(value, (0, 0, 1)))


def test_polynomials_in_words_and_their_variables():
    owner, a, b, c = field()
    value = root(a + b) + power_of(c, Fraction(1, 3)) + log_of(b + 1)
    top, _ = value.combined()
    words = owner.written(top)
    assert "sqrt(a + b)" in words
    assert "(c)^(1/3)" in words
    assert "log(b + 1)" in words
    assert sorted(owner.variables_of(top)) == ["a", "b", "c"]
    assert owner.variables_of((b * b + 1).combined()[0]) == ["b"]
    assert owner.variables_of(log_of(b + 1).combined()[0]) == ["b"]
    assert owner.zero_together((a + b).combined()[0]) == {"a", "b"}
    assert owner.zero_together((a + 1).combined()[0]) == frozenset()
    assert owner.zero_together((a * b).combined()[0]) is None
    assert owner.zero_together(root(a + b).combined()[0]) == {"a", "b"}
    assert owner.zero_together((root(a) + b).combined()[0]) == {"a", "b"}
    assert owner.zero_together((b + root(a + 2)).combined()[0]) == frozenset()
    assert owner.zero_together((c + root(a * a + b)).combined()[0]) is None
    assert owner.zero_together(log_of(a + 1).combined()[0]) is None
    assert not owner.is_positive(log_of(a + 1).combined()[0])
    assert owner.is_positive((a + root(b)).combined()[0])
    assert not owner.is_positive((a - b).combined()[0])


def test_too_many_generators_and_terms():
    owner, a, _, _ = field()
    for k in range(1, 41):
        root(a + k)
    assert owner.used == 40
    with pytest.raises(TooHardError, match="too many different roots"):
        root(a + 41)
    wide = Field([f"x{i}" for i in range(12)])
    total = sum((wide.variable(name) for name in wide.names), start=wide.constant(1))
    with pytest.raises(TooHardError):
        total**9


def test_every_way_comparisons_can_fall_is_worked_through():
    """max(a, b, c) and |a - b|: at every point exactly the regions that hold it say the number."""

    def compute(at):
        a, b, c = at.counts(NAMES)
        one = np.array([a], dtype=object)
        largest = at.numbers.maximum(
            at.numbers.maximum(one, np.array([b], dtype=object)), np.array([c], dtype=object)
        )
        return largest[0], abs(a - b)

    found = list(regions(NAMES, compute))
    assert len(found) >= 4
    for point in itertools.permutations((Fraction(1), Fraction(5, 2), Fraction(4))):
        holding = 0
        for region in found:
            values = generators(region.field, dict(zip(NAMES, point, strict=True)))
            signs = [
                (Fraction(int(v.p), int(v.q)), sign) for p, sign in region.comparisons for v in [p(*values)]
            ]
            if all(sign * value > 0 for value, sign in signs):
                holding += 1
                assert at(region.values[0], point) == max(point)
                assert at(region.values[1], point) == abs(point[0] - point[1])
        assert holding == 1


def test_the_arithmetic_of_measures_on_symbols():
    owner, a, b, _c = field()
    arithmetic = Symbols(owner)
    values, zero = arithmetic.divide(
        np.array([a, a, NAN, Fraction(1)], dtype=object),
        np.array([b, a - a, b, Fraction(4)], dtype=object),
        NAN,
    )
    assert zero.tolist() == [False, True, False, False]
    assert (values[0] - a / b).is_zero
    assert math.isnan(values[1])
    assert math.isnan(values[2])
    assert values[3] == Fraction(1, 4)
    assert arithmetic.is_nan(np.array([a, NAN], dtype=object)).tolist() == [False, True]
    with pytest.raises(TooHardError):
        arithmetic.is_nan(np.array([1 / (a - b)], dtype=object))
    assert arithmetic.number(0.1) == Fraction(1, 10)
    assert arithmetic.number(3) == 3
    largest = arithmetic.maximum(
        np.array([a + b, NAN, Fraction(1)], dtype=object), np.array([b, a, Fraction(2)], dtype=object)
    )
    assert (largest[0] - a - b).is_zero
    assert math.isnan(largest[1])
    assert largest[2] == 2
    with_poles = arithmetic.maximum(np.array([a + 1 / b], dtype=object), np.array([a], dtype=object))[0]
    assert with_poles.poles == {"b"}
    # a / b is less than a / b + 2, and so is 2 than it; where b is 0 there is neither.
    less = arithmetic.maximum(np.array([-a / b], dtype=object), np.array([Fraction(2)], dtype=object))[0]
    assert at(less, (1, 3, 1)) == 2
    assert less.poles == {"b"}
    missing, _ = arithmetic.divide(
        np.array([Fraction(1), NAN], dtype=object), np.array([NAN, Fraction(2)], dtype=object), NAN
    )
    assert all(map(math.isnan, missing))
    root = arithmetic.sqrt(np.array([a * a, NAN], dtype=object))
    assert (root[0] - a).is_zero
    assert math.isnan(root[1])
    mean = arithmetic.weighted_geometric_mean(
        np.array([[a], [b]], dtype=object), np.array([[0.5], [0.5]], dtype=object)
    )
    assert (mean[0] ** 2 - a * b).is_zero
    assert math.isnan(
        arithmetic.weighted_geometric_mean(
            np.array([[a], [NAN]], dtype=object), np.array([[0.5], [0.5]], dtype=object)
        )[0]
    )
    for weights in ([[b], [b]], [[b], [Fraction(1, 2)]], [[Fraction(1, 2)], [b]]):
        unknown = arithmetic.weighted_geometric_mean(
            np.array([[a], [b]], dtype=object), np.array(weights, dtype=object)
        )
        assert math.isnan(unknown[0])
    terms = arithmetic.entropy_terms(
        np.array([a, a - a, NAN], dtype=object), np.array([b, b, b], dtype=object)
    )
    assert float(at(terms[0], (1, 3, 1))) == pytest.approx(math.log(4))
    assert terms[1] == 0
    assert math.isnan(terms[2])
    half = arithmetic.half_turns(np.array([Fraction(0), NAN], dtype=object))
    assert float(half[0]) == pytest.approx(0.5)
    assert math.isnan(half[1])
    chosen = arithmetic.choose(np.array([True, False]), Fraction(7), np.array([a, b], dtype=object))
    assert chosen[0] == 7
    assert chosen[1] is b
