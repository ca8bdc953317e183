"""Numbers of readings: enclosed ones hold the exact result, whole ones wrap nowhere, and all modes mean what NumPy means."""

from __future__ import annotations

import itertools
import math
import operator
import random
from fractions import Fraction

import numpy as np
import pytest

from steelyard.proofs.enclosed_numbers import (
    Enclosed,
    EnclosedNumbers,
    RoundingDecidesError,
    divided,
    enclosed,
    fall,
    larger,
    logarithm,
    raised,
)
from steelyard.proofs.exact_number import Exact
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import (
    ExactNumbers,
    FloatNumbers,
    Infinite,
    SymbolicNumbers,
)
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.rounding import EnclosedArithmetic
from steelyard.proofs.whole_numbers import LARGEST, Whole, as_numpy, of_array
from tests.real_parts import needs

INF, NAN = math.inf, math.nan
FOUR = (operator.add, operator.sub, operator.mul, operator.truediv)


def boxes(number: int, seed: int) -> list[Enclosed]:
    """Numbers of every sign, exact ones and such that span up to a tenth of themselves."""
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        middle = rng.choice([0.1, 0.25, 1 / 3, 1.0, 2.5, 7.0, 1e6]) * rng.choice([-1, 1])
        width = rng.choice([0.0, 0.0, 1e-9, 0.1]) * abs(middle)
        found.append(Enclosed(middle - width, middle + width))
    return found


@pytest.mark.parametrize("operation", FOUR)
def test_every_result_is_inside_and_the_width_is_the_least(operation):
    for one, other in zip(boxes(300, 1), boxes(300, 2), strict=True):
        found = operation(one, other)
        ends = [
            operation(Fraction(a), Fraction(b)) for a in (one.low, one.high) for b in (other.low, other.high)
        ]
        assert found.low <= min(ends)
        assert max(ends) <= found.high
        # No wider than two roundings on either side.
        for mine, true in ((found.low, min(ends)), (found.high, max(ends))):
            assert abs(Fraction(mine) - true) <= 2 * Fraction(math.ulp(float(true)))


@pytest.mark.parametrize("operation", FOUR)
def test_numbers_on_the_left_mean_the_same(operation):
    for box in boxes(40, 3):
        for plain in (3, 2.5, Fraction(1, 4), np.float64(0.5), np.int64(7)):
            left, right = operation(plain, box), operation(Enclosed(float(plain), float(plain)), box)
            assert (left.low, left.high) == (right.low, right.high)


def test_what_is_exact_stays_exact():
    half, three = Enclosed(0.5, 0.5), Enclosed(3.0, 3.0)
    assert (half + three).exact
    assert (half * three).middle == 1.5
    assert (three / Enclosed(4.0, 4.0)).middle == 0.75
    third = Enclosed(1.0, 1.0) / three
    assert not third.exact
    assert third.low < 1 / 3 < third.high
    assert Fraction(third.low) < Fraction(1, 3) < Fraction(third.high)
    assert third.width == third.high - third.low > 0
    assert enclosed(2**53 + 1).low < 2**53 + 1 < enclosed(2**53 + 1).high
    assert enclosed(Fraction(1, 2)).exact
    assert not enclosed(Fraction(1, 10)).exact
    assert enclosed(True) is None
    assert enclosed("1") is None
    assert enclosed(INF) == INF


def test_signs():
    box = Enclosed(-1.0, 2.0)
    assert ((-box).low, (-box).high) == (-2.0, 1.0)
    assert (abs(box).low, abs(box).high) == (0.0, 2.0)
    assert (abs(Enclosed(-3.0, 2.0)).low, abs(Enclosed(-3.0, 2.0)).high) == (0.0, 3.0)
    assert (abs(Enclosed(-3.0, -2.0)).low, abs(Enclosed(-3.0, -2.0)).high) == (2.0, 3.0)
    assert abs(Enclosed(-3.0, 0.0)).high == 3.0
    assert abs(Enclosed(0.0, 3.0)).low == 0.0
    assert +box is box


def test_rounding_never_makes_a_positive_number_negative():
    tiny = Enclosed(0.0, 1e-300) * Enclosed(0.1, 0.3)
    assert tiny.low == 0
    assert tiny.high > 0
    turned = Enclosed(-1e-300, 0.0) * Enclosed(0.1, 0.3)
    assert turned.high == 0
    assert turned.low < 0


@pytest.mark.parametrize("exponent", [2, 3, -1, -2, Fraction(1, 2), Fraction(-1, 2), Fraction(2, 3), 0])
def test_powers_are_inside(exponent):
    for box in boxes(120, 4):
        if box.low < 0 and Fraction(exponent).denominator > 1:
            assert math.isnan(raised(box, Fraction(exponent)))
            continue
        found = raised(box, Fraction(exponent))
        ends = [float(np.float64(end) ** float(exponent)) for end in (box.low, box.high, box.middle)]
        assert found.low <= min(ends)
        assert max(ends) <= found.high
        assert found.width <= max(ends) - min(ends) + 10 * math.ulp(max(map(abs, ends)))


def test_powers_where_there_is_an_edge():
    assert raised(Enclosed(0.25, 0.25), Fraction(1, 2)).middle == 0.5
    assert raised(Enclosed(0.25, 0.25), Fraction(1, 2)).exact
    assert not raised(Enclosed(2.0, 2.0), Fraction(1, 2)).exact
    assert raised(Enclosed(-3.0, 2.0), Fraction(2)).low == 0  # the square of what may be 0
    assert raised(Enclosed(-3.0, 2.0), Fraction(2)).high >= 9
    assert raised(Enclosed(0.0, 0.0), Fraction(-1)) == INF
    assert raised(Enclosed(0.0, 0.0), Fraction(0)).middle == 1
    assert raised(INF, Fraction(-1)).middle == 0
    assert raised(INF, Fraction(2)) == INF
    assert (Enclosed(4.0, 4.0) ** 0.5).middle == 2
    for box, exponent in (
        ((-1.0, 1.0), Fraction(-1)),
        ((-1.0, 1.0), Fraction(1, 2)),
        ((0.0, 1.0), Fraction(-2)),
    ):
        with pytest.raises(RoundingDecidesError):
            raised(Enclosed(*box), exponent)
    with np.errstate(over="ignore"), pytest.raises(RoundingDecidesError, match="too large"):
        raised(Enclosed(1e200, 1e200), Fraction(2))


def test_division_at_zero():
    zero, one = Enclosed(0.0, 0.0), Enclosed(1.0, 1.0)
    assert math.isnan(divided(zero, zero))
    assert divided(one, zero) == INF
    assert divided(-one, zero) == -INF
    for above, below in (
        (one, Enclosed(-1e-9, 1e-9)),  # is there a value?
        (one, Enclosed(0.0, 1e-9)),
        (one, Enclosed(-1e-9, 0.0)),
        (Enclosed(-1e-9, 1e-9), zero),  # which infinity, or none?
    ):
        with pytest.raises(RoundingDecidesError, match="division"):
            divided(above, below)
    assert divided(INF, one) == INF
    assert divided(one, INF).middle == 0
    assert math.isnan(divided(NAN, one))


def test_logarithms():
    assert logarithm(Enclosed(1.0, 1.0)).exact
    assert logarithm(Enclosed(1.0, 1.0)).middle == 0
    two = logarithm(Enclosed(2.0, 2.0))
    assert two.low < math.log(2) < two.high
    assert two.width < 1e-14
    wide = logarithm(Enclosed(1.0, 2.0))
    assert wide.low <= 0
    assert wide.high >= math.log(2)
    assert logarithm(Enclosed(0.0, 0.0)) == -INF
    assert math.isnan(logarithm(Enclosed(-2.0, -1.0)))
    assert math.isnan(logarithm(Enclosed(-1.0, -1.0)))
    assert logarithm(INF) == INF
    for box in ((-1.0, 1.0), (0.0, 1.0), (-1.0, 0.0)):
        with pytest.raises(RoundingDecidesError, match="logarithm"):
            logarithm(Enclosed(*box))


@pytest.mark.parametrize(
    ("relation", "holds"),
    [
        ("==", operator.eq),
        ("!=", operator.ne),
        ("<", operator.lt),
        ("<=", operator.le),
        (">", operator.gt),
        (">=", operator.ge),
    ],
)
def test_comparisons_fall_or_are_refused(relation, holds):
    """Brute force over the points of small intervals: where all pairs agree that is the answer, else none."""
    points = (0.0, 1.0, 2.0, 3.0)
    every = [Enclosed(a, b) for a in points for b in points if a <= b]
    for one, other in itertools.product(every, repeat=2):
        inside = [[p / 4 for p in range(13) if box.low <= p / 4 <= box.high] for box in (one, other)]
        answers = {holds(a, b) for a in inside[0] for b in inside[1]}
        if len(answers) == 1:
            assert fall(one, other, relation) is answers.pop()
            assert holds(one, other) is fall(one, other, relation)
        else:
            with pytest.raises(RoundingDecidesError, match="comparison"):
                fall(one, other, relation)
    assert fall(Enclosed(1.0, 2.0), INF, relation) is holds(1.5, INF)
    assert fall(NAN, Enclosed(1.0, 2.0), relation) is (relation == "!=")


def test_the_larger_of_two():
    found = larger(Enclosed(1.0, 4.0), Enclosed(2.0, 3.0))
    assert (found.low, found.high) == (2.0, 4.0)
    assert larger(Enclosed(1.0, 4.0), INF) == INF
    assert larger(-INF, Enclosed(1.0, 1.0)).middle == 1
    assert math.isnan(larger(NAN, 1))
    with pytest.raises(TypeError, match="not a number"):
        larger("a", 1)


def test_what_is_too_large_for_floats():
    with pytest.raises(RoundingDecidesError, match="too large"):
        Enclosed(1e308, 1e308) * 10
    with pytest.raises(RoundingDecidesError, match="too large"):
        Enclosed(1.0, INF)
    assert (Enclosed(1.0, 1.0) + INF) == INF
    assert math.isnan(Enclosed(0.0, 0.0) * INF)
    assert (INF - Enclosed(1.0, 1.0)) == INF
    assert (Enclosed(1.0, 1.0) - INF) == -INF
    assert Enclosed(1.0, 1.0).__add__("a") is NotImplemented
    assert Enclosed(1.0, 1.0).__truediv__(None) is NotImplemented
    assert Enclosed(1.0, 1.0).__rtruediv__(None) is NotImplemented


# -- whole numbers of NumPy


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_whole_numbers_are_those_of_numpy(operation):
    for a, b in itertools.product((-7, -1, 0, 1, 3, 10**6), repeat=2):
        expected = int(operation(np.int64(a), np.int64(b)))
        for found in (operation(Whole(a), b), operation(a, Whole(b)), operation(Whole(a), Whole(b))):
            assert found == expected
            assert type(found) is Whole
    assert Whole(3).__add__(0.5) is NotImplemented
    assert Whole(3).__rsub__(0.5) is NotImplemented
    assert Whole(3).__mul__("a") is NotImplemented


def test_signs_and_powers_of_whole_numbers():
    assert (-Whole(3), abs(Whole(-3)), +Whole(-3)) == (-3, 3, -3)
    assert all(type(v) is Whole for v in (-Whole(3), abs(Whole(-3)), +Whole(3), Whole(3).raised(2)))
    assert Whole(-3).raised(3) == -27
    assert Whole(5).raised(0) == 1
    assert Whole(2).raised(61) == 2**61
    for base, exponent in ((2, -1), (2, 62), (10, 10**9)):
        with pytest.raises(TooHardError):
            Whole(base).raised(exponent)


def test_whole_numbers_stop_before_they_wrap_around():
    assert Whole(LARGEST - 1) == LARGEST - 1
    assert Whole(1 - LARGEST) == 1 - LARGEST
    for value in (LARGEST, -LARGEST):
        with pytest.raises(TooHardError, match="wraps around"):
            Whole(value)
    with pytest.raises(TooHardError, match="wraps around"):
        Whole(2**40) * 2**40


def test_what_numpy_returns_holds_its_whole_numbers():
    assert type(as_numpy(3)) is Whole
    assert as_numpy(True) is True
    assert as_numpy(0.5) == 0.5
    floats = np.array([1.0, 2.0])
    assert as_numpy(floats) is floats
    found = as_numpy(np.array([1, Fraction(1, 2)], dtype=object))
    assert type(found[0]) is Whole
    assert found.tolist() == [1, Fraction(1, 2)]
    fractions = np.array([Fraction(1, 2)], dtype=object)
    assert of_array(fractions) is fractions


# -- the modes

NUMBERS = (0, 1, 2, -3, 0.5, 4)
EXPONENTS = (Fraction(2), Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(-1, 2))


def plain(value):
    """A number of any mode as a float; NaN and infinite as floats have them."""
    return value.middle if isinstance(value, Enclosed) else float(value)


@pytest.mark.parametrize(
    "mode", [ExactNumbers(), EnclosedNumbers(), FloatNumbers()], ids=lambda m: type(m).__name__
)
def test_every_mode_means_what_numpy_means(mode):
    with np.errstate(all="ignore"):
        for a, b in itertools.product(NUMBERS, repeat=2):
            one, other = (mode.entries(np.array([float(v)])) for v in (a, b))
            assert plain(mode.divide(one, other)[0]) == pytest.approx(
                np.divide(float(a), float(b)), rel=1e-14, nan_ok=True
            )
            assert plain(mode.maximum(one, other)[0]) == max(a, b)
            for relation, holds in (
                ("<", operator.lt),
                (">=", operator.ge),
                ("==", operator.eq),
                ("!=", operator.ne),
            ):
                assert bool(mode.compare(one, other, relation)[0]) is holds(a, b)
            assert plain(mode.choose(np.array([a < b]), one, other)[0]) == min(a, b)
        for a in NUMBERS:
            value = mode.entries(np.array([float(a)]))
            assert plain(mode.absolute(value)[0]) == abs(a)
            assert plain(mode.log(value)[0]) == pytest.approx(
                np.log(float(a)), rel=1e-14, abs=1e-15, nan_ok=True
            )
            assert plain(mode.constant(float(a))) == a
            for exponent in EXPONENTS:
                expected = np.float64(a) ** float(exponent)
                assert plain(mode.power(value, exponent)[0]) == pytest.approx(
                    expected, rel=1e-14, nan_ok=True
                )


def test_missing_values_stay_missing():
    exact = ExactNumbers()
    assert math.isnan(exact.maximum(NAN, Exact(1)))
    assert math.isnan(exact.maximum(Exact(1), NAN))
    assert math.isnan(exact.log(NAN))
    assert exact.constant(0.1) == Fraction(1, 10)
    assert exact.divide(Exact(1), 0.1) == 10
    assert exact.power(Whole(3), Fraction(2)) == 9
    assert type(exact.power(Whole(3), Fraction(2))) is Whole


def test_symbols_mean_the_same():
    needs("flint")
    field = Field(("a", "b"))
    symbolic = SymbolicNumbers(Symbols(field))
    a, b = field.variable("a"), field.variable("b")
    assert symbolic.is_zero(a - a)
    assert not symbolic.is_zero(a)
    assert symbolic.is_zero(0)
    assert (symbolic.divide(a * b, b) - a).is_zero
    assert symbolic.divide(1, 4) == Fraction(1, 4)
    assert (symbolic.power(a, Fraction(2)) - a * a).is_zero
    assert (symbolic.power(symbolic.power(a, Fraction(1, 2)), Fraction(2)) - a).is_zero
    assert math.isnan(symbolic.divide(a - a, b - b))
    assert isinstance(symbolic.divide(a, b - b), Infinite)
    assert isinstance(symbolic.power(a - a, Fraction(-1)), Infinite)
    assert isinstance(symbolic.log(a - a), Infinite)
    assert math.isnan(symbolic.log(NAN))
    assert math.isnan(symbolic.power(NAN, Fraction(2)))
    assert symbolic.power(NAN, Fraction(0)) == 1
    assert math.isnan(symbolic.divide(NAN, a))
    assert math.isnan(symbolic.divide(a, NAN))
    assert (symbolic.log(a * a) - 2 * symbolic.log(a)).is_zero
    with pytest.raises(TooHardError, match="infinite"):
        symbolic.divide(Infinite(), a)
    with pytest.raises(TooHardError, match="infinite"):
        symbolic.power(Infinite(), Fraction(2))
    with pytest.raises(TooHardError, match="infinite"):
        Infinite() + 1
    for x, y, falls in ((a + b, b, ">"), (b, a + b, "<"), (a, a, "==")):
        for relation in ("<", "<=", ">", ">=", "==", "!="):
            expected = {">": relation in (">", ">=", "!="), "<": relation in ("<", "<=", "!=")}.get(
                falls, relation in ("==", "<=", ">=")
            )
            assert symbolic.compare(x, y, relation) is expected
    assert symbolic.compare(NAN, a, "!=") is True
    assert symbolic.compare(a, NAN, "<") is False
    with pytest.raises(TooHardError):  # either may be the larger
        symbolic.compare(a, b, "<")


def test_measures_on_enclosed_numbers():
    """The operations that measures ask for, against the same in floats."""
    arithmetic = EnclosedArithmetic()
    values = np.array([Enclosed(0.5, 0.5), Enclosed(0.0, 0.0), NAN, Enclosed(2.0, 2.0)], dtype=object)
    quotient, zero = arithmetic.divide(np.array([Enclosed(1.0, 1.0)] * 4, dtype=object), values, NAN)
    assert zero.tolist() == [False, True, False, False]
    assert [plain(v) for v in quotient[[0, 3]]] == [2.0, 0.5]
    assert all(math.isnan(v) for v in quotient[[1, 2]])
    assert arithmetic.is_nan(values).tolist() == [False, False, True, False]
    assert [plain(v) for v in arithmetic.sqrt(values)[:2]] == pytest.approx([math.sqrt(0.5), 0])
    assert plain(arithmetic.maximum(values, np.array([Enclosed(1.0, 1.0)] * 4, dtype=object))[3]) == 2
    assert math.isnan(arithmetic.maximum(values, values)[2])
    assert plain(arithmetic.half_turns(np.array([Enclosed(0.0, 0.0)], dtype=object))[0]) == 0.5
    ends = arithmetic.half_turns(np.array([Enclosed(-1.0, 1.0)], dtype=object))[0]
    assert (ends.low, ends.high) == (0.0, 1.0)
    with pytest.raises(RoundingDecidesError, match="angle"):
        arithmetic.half_turns(np.array([Enclosed(0.5, 1.1)], dtype=object))
    with pytest.raises(RoundingDecidesError, match="angle"):
        arithmetic.half_turns(np.array([Enclosed(-1.1, 0.0)], dtype=object))
    quarter = np.array([Enclosed(1.0, 1.0), Enclosed(0.0, 0.0), NAN], dtype=object)
    rest = np.array([Enclosed(3.0, 3.0)] * 3, dtype=object)
    terms = arithmetic.entropy_terms(quarter, rest)
    assert plain(terms[0]) == pytest.approx(math.log(4))
    assert plain(terms[1]) == 0
    assert math.isnan(terms[2])
    root = arithmetic.exp_log_mean(
        np.array([[Enclosed(4.0, 4.0)], [Enclosed(9.0, 9.0)]], dtype=object),
        np.array([[Enclosed(0.5, 0.5)], [Enclosed(0.5, 0.5)]], dtype=object),
    )
    assert plain(root[0]) == pytest.approx(6)
    assert plain(arithmetic.number(0.25)) == 0.25
    assert arithmetic.log(Enclosed(0.0, 0.0)) == -INF


def test_where_a_function_leaves_is_said():
    assert str(LeavesSubsetError(7, "a loop")) == "line 7, a loop"
    assert str(LeavesSubsetError(0, "a loop")) == "a loop"
