"""Number types of the interpreter: float64 batches, and numbers that are Python objects."""

# On float64 arrays a graph serves millions of matrices at once; on arrays of `Fraction` it gives the
# exact value, which is what proofs and counterexamples need. The prover adds symbols and expression trees
# of its own.

from __future__ import annotations

import decimal
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.undefined import NAN, Policy, Reasons

# Roots and logarithms of fractions are irrational; exact arithmetic gives them to this many decimal digits.
DIGITS = 60

# Entries from which it pays to look for the empty ones first.
_MANY = 1 << 18
# A root of higher degree is not looked for among the fractions: its powers are integers of thousands of
# digits.
_SMALL_DEGREE = 64
_TINY = np.finfo(np.float64).tiny
# Below this a product of floats has lost digits.
_LEAST_PRODUCT = 1e-290


Relation = Literal["eq", "lt", "le"]
COMPARED: Final = {"eq": operator.eq, "lt": operator.lt, "le": operator.le}


class Floats:
    """float64, vectorised over the batch."""

    def __init__(self, policy: Policy, reasons: Reasons | None = None) -> None:
        self.policy, self.reasons = policy, reasons

    def native(self, counts: Array) -> Array:
        return counts.astype(np.float64, copy=False)

    def number(self, value: Any) -> float:
        return float(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        bottom = np.asarray(denominator, dtype=np.float64)
        zero = bottom == 0
        # Most batches have no empty denominator: one division and no mask.
        if not zero.any():
            return np.asarray(numerator / bottom), zero
        out = np.full(np.broadcast_shapes(np.shape(numerator), bottom.shape), fill)
        # Where the denominator is 0 the fill stays, and NumPy has nothing to warn of.
        np.divide(numerator, bottom, out=out, where=~zero)
        return out, zero

    def is_nan(self, values: Array) -> Array:
        return np.isnan(values)

    def plain_quotient(self, numerator: Any, denominator: Any) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.true_divide(numerator, denominator))

    def maximum(self, a: Any, b: Any) -> Array:
        return np.asarray(np.maximum(a, b))

    def sqrt(self, values: Any) -> Array:
        # a negative number that stands in for an undefined term has no root
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sqrt(values))

    def power(self, values: Any, exponent: Any) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.power(values, float(exponent)))

    def log(self, values: Any) -> Array:
        """The natural logarithm; undefined of what is not above 0."""
        numbers = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(numbers > 0, np.log(numbers), NAN)

    def log2(self, values: Any) -> Array:
        return np.asarray(np.log2(values))

    def half_turns(self, values: Any) -> Array:
        return np.asarray(np.arccos(values) / np.pi)

    def root_of_product(self, a: Any, b: Any) -> Array:
        """√(a b), never above the larger of the two."""
        # √a √b rounds twice, which made a perfect correlation exceed 1.
        with np.errstate(over="ignore", under="ignore"):
            product = np.asarray(a * b)
        together = (product > _LEAST_PRODUCT) & (product < np.inf)
        if together.all():
            return np.asarray(np.sqrt(product))
        separate = np.asarray(self.sqrt(a) * self.sqrt(b))
        return np.where(together, np.sqrt(np.where(together, product, 1.0)), separate)

    def entropy_terms(self, count: Any, rest: Any) -> Array:
        """-count * ln(count / (count + rest)), 0 where count is 0."""
        # Accurate also where count is nearly everything.
        count, rest = np.broadcast_arrays(count, rest)
        # Thousands of classes, most cells empty.
        if count.size > _MANY and np.count_nonzero(count) * 4 < count.size:
            terms = np.zeros(count.shape)
            occupied = count != 0
            terms[occupied] = self.entropy_terms(count[occupied], rest[occupied])
            return terms
        # Instead of 0, whose quotient and logarithm would not be numbers.
        whole = np.maximum(count + rest, _TINY)
        share = np.maximum(count / whole, _TINY)
        logs = np.log(share)
        near_all = share > 0.5
        # Picked out first: measured faster than where= in every operation.
        if near_all.any():
            # Near 1 a share keeps no digits of what it lacks; the rest, which is exact, does.
            logs[near_all] = np.log1p(-rest[near_all] / whole[near_all])
        logs *= count
        return np.asarray(np.negative(logs, out=logs))

    def weighted_geometric_mean(self, terms: Any, weights: Any) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(terms)
        # By logarithms: a product over thousands of classes would underflow. A 0 comes back as 0, since
        # exp(-inf) is exactly that.
        return np.asarray(np.exp((logs * weights).sum(axis=0)))

    def compare(self, a: Any, b: Any, relation: Relation) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(COMPARED[relation](a, b))

    def choose(self, condition: Any, yes: Any, no: Any) -> Array:
        return np.asarray(np.where(condition, yes, no))


class Elementwise:
    """Numbers that are Python objects, one for each entry of an array; NaN marks an undefined entry."""

    # A number type says what its operations do to one entry; sums, differences and products are those of the
    # objects themselves.

    def __init__(self, policy: Policy, reasons: Reasons | None = None) -> None:
        self.policy, self.reasons = policy, reasons

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Any:
        return as_fraction(value)

    # -- one entry

    def is_zero(self, value: Any) -> bool:
        return bool(value == 0)

    # What a number type has to say.
    quotient: Callable[[Any, Any], Any]
    raised: Callable[[Any, Fraction], Any]
    logarithm: Callable[[Any], Any]
    angle: Callable[[Any], Any]
    entropy_term: Callable[[Any, Any], Any]
    power_product: Callable[[Sequence[Any], Sequence[Any]], Any]

    def larger(self, a: Any, b: Any) -> Any:
        return max(a, b)

    # -- arrays

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        filled = fill if math.isnan(fill) else self.number(fill)
        zero = np.asarray(_each(lambda b: not undefined(b) and self.is_zero(b), denominator), dtype=bool)
        # Whether a denominator is 0 is asked once: of a symbol the answer is a decision that proofs rest on.
        values = _each(
            lambda a, b, z: filled if z else NAN if undefined(a) or undefined(b) else self.quotient(a, b),
            numerator,
            denominator,
            zero,
        )
        return values, np.broadcast_to(zero, values.shape)

    def plain_quotient(self, numerator: Any, denominator: Any) -> Array:
        return self.divide(numerator, denominator, NAN)[0]

    def is_nan(self, values: Any) -> Array:
        return np.asarray(_each(undefined, values), dtype=bool)

    def maximum(self, a: Any, b: Any) -> Array:
        return self._of_each(self.larger, a, b)

    def sqrt(self, values: Any) -> Array:
        return self.power(values, Fraction(1, 2))

    def power(self, values: Any, exponent: Any) -> Array:
        fraction = as_fraction(exponent)
        return self._of_each(lambda v: self.raised(v, fraction), values)

    def log(self, values: Any) -> Array:
        return self._of_each(self.logarithm, values)

    def log2(self, values: Any) -> Array:
        return self.plain_quotient(self.log(values), self.log(self.number(2)))

    def half_turns(self, values: Any) -> Array:
        return self._of_each(self.angle, values)

    def root_of_product(self, a: Any, b: Any) -> Array:
        # Two roots: in algebra the factors of each meet those of other roots.
        return np.asarray(np.multiply(self.sqrt(a), self.sqrt(b)), dtype=object)

    def entropy_terms(self, count: Any, rest: Any) -> Array:
        return self._of_each(self.entropy_term, count, rest)

    def weighted_geometric_mean(self, terms: Any, weights: Any) -> Array:
        terms, weights = np.broadcast_arrays(terms, weights)
        size = len(terms)
        return self._of_each(
            lambda *values: self.power_product(values[:size], values[size:]), *terms, *weights
        )

    def falls(self, a: Any, b: Any, relation: Relation) -> bool:
        """How a comparison of two values falls."""
        return bool(COMPARED[relation](a, b))

    def compare(self, a: Any, b: Any, relation: Relation) -> Array:
        def fall(x: Any, y: Any) -> bool:
            missing = any(isinstance(v, (float, np.floating)) and v != v for v in (x, y))
            return not missing and self.falls(x, y, relation)

        return np.asarray(_each(fall, a, b), dtype=bool)

    def choose(self, condition: Any, yes: Any, no: Any) -> Array:
        return _each(lambda c, y, n: y if c else n, condition, yes, no)

    def _of_each(self, function: Callable[..., Any], *arrays: Any) -> Array:
        # Of entries that all have a value; otherwise there is none.
        return _each(lambda *values: NAN if any(map(undefined, values)) else function(*values), *arrays)


# A number type of the interpreter.
Numbers = Floats | Elementwise


def _both_sides(sign: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    # An operator with the number on its left, and with the number on its right.
    return lambda a, b: a.operate(sign, a, b), lambda b, a: b.operate(sign, a, b)


class Operators(ABC):
    """A number whose four operations are one method, so that it can write them down."""

    @abstractmethod
    def operate(self, sign: str, left: Any, right: Any) -> Any:
        """left + right, -, * or /; one of the two is this number."""

    __add__, __radd__ = _both_sides("+")
    __sub__, __rsub__ = _both_sides("-")
    __mul__, __rmul__ = _both_sides("*")
    __truediv__, __rtruediv__ = _both_sides("/")

    def __neg__(self) -> Any:
        return self.operate("-", 0, self)

    def __pos__(self) -> Any:
        return self


class Fractions(Elementwise):
    """Exact rational numbers; roots and logarithms to DIGITS digits."""

    def quotient(self, a: Any, b: Any) -> Any:
        return Fraction(a) / b

    def root_of_product(self, a: Any, b: Any) -> Array:
        # One root, so that that of a square is exact.
        return self.sqrt(np.multiply(a, b))

    def plain_quotient(self, numerator: Any, denominator: Any) -> Array:
        """As floats divide: a number over 0 is infinite, and a number over infinity is 0."""

        def quotient(a: Any, b: Any) -> Any:
            if a != a or b != b:
                return NAN
            if b == 0:
                return NAN if a == 0 else math.copysign(math.inf, a)
            if undefined(b):
                return NAN if undefined(a) else Fraction(0)
            return a * (1 if b > 0 else -1) if undefined(a) else Fraction(a) / b

        return _each(quotient, numerator, denominator)

    def raised(self, value: Any, exponent: Fraction) -> Any:
        if exponent.denominator == 1:
            return NAN if value == 0 and exponent < 0 else Fraction(value) ** int(exponent)
        return NAN if value < 0 or (value == 0 and exponent < 0) else exact_power(Fraction(value), exponent)

    def logarithm(self, value: Any) -> Any:
        return exact_log(Fraction(value)) if value > 0 else NAN

    def angle(self, cosine: Any) -> Any:
        return exact_half_turns(Fraction(cosine))

    def entropy_term(self, count: Any, rest: Any) -> Any:
        return Fraction(0) if count == 0 else -count * exact_log(Fraction(count) / (count + rest))

    def power_product(self, numbers: Sequence[Any], powers: Sequence[Any]) -> Any:
        return NAN if any(n < 0 for n in numbers) else exact_power_product(numbers, powers)


def as_fraction(value: Any) -> Fraction:
    """A number as it is written: 0.05 is one twentieth, not the binary fraction nearest to it."""
    return Fraction(repr(float(value))) if isinstance(value, (float, np.floating)) else Fraction(value)


def undefined(value: Any) -> bool:
    """Is there no value? A finite float is a number like any other."""
    return isinstance(value, (float, np.floating)) and not math.isfinite(value)


def _each(function: Callable[..., Any], *arrays: Any) -> Array:
    # Infinite floats may stand among the objects.
    with np.errstate(all="ignore"):
        out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


def exact_root(value: Fraction, degree: int) -> Fraction:
    """The root where it is rational, otherwise to DIGITS digits."""
    top, bottom = _integer_root(value.numerator, degree), _integer_root(value.denominator, degree)
    if top**degree == value.numerator and bottom**degree == value.denominator:
        return Fraction(top, bottom)
    # The root of n d^(k-1) 10^(60 k) is d 10^60 times that of n / d, and a root of integers can be rounded
    # down exactly.
    scale = 10**DIGITS
    return Fraction(
        _integer_root(value.numerator * value.denominator ** (degree - 1) * scale**degree, degree),
        value.denominator * scale,
    )


def _integer_root(value: int, degree: int) -> int:
    # The greatest integer whose power does not exceed value (Newton's method on integers).
    if value < 2:
        return value
    if degree == 2:
        return math.isqrt(value)
    # A power of two that is not below the root: from there Newton's method falls until it is there.
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def exact_power(value: Fraction, exponent: Fraction) -> Fraction:
    """A power: a root of a small degree where it is rational, otherwise to DIGITS digits."""
    if exponent < 0:
        return 1 / exact_power(value, -exponent)
    if exponent.denominator <= _SMALL_DEGREE:
        return exact_root(value**exponent.numerator, exponent.denominator)
    return exact_power_product((value,), (exponent,))


def exact_log(value: Fraction) -> Fraction:
    """The natural logarithm to DIGITS digits; exactly 0 at 1."""
    if value == 1:
        return Fraction(0)
    with decimal.localcontext(prec=DIGITS + 10):
        return Fraction((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).ln())


def exact_half_turns(cosine: Fraction) -> Fraction:
    """arccos / π to DIGITS digits; exact where it is rational (by Niven's theorem nowhere else)."""
    thirds = {Fraction(1): 0, Fraction(1, 2): 2, Fraction(0): 3, Fraction(-1, 2): 4, Fraction(-1): 6}
    if cosine in thirds:
        return Fraction(thirds[cosine], 6)
    # Before it is rounded: -1 + 1e-200 is not -1.
    ratio = (1 - cosine) / (1 + cosine)
    # arccos x = 2 arctan √((1 - x) / (1 + x)), and π = 4 arctan 1 in the same precision.
    with decimal.localcontext(prec=DIGITS + 20):
        square = decimal.Decimal(ratio.numerator) / ratio.denominator
        return Fraction(2 * _arctangent(square.sqrt()) / (4 * _arctangent(decimal.Decimal(1))))


def _arctangent(y: decimal.Decimal) -> decimal.Decimal:
    # In the precision at hand: halved until it is small, then the series.
    halved = 0
    # arctan y = 2 arctan(y / (1 + √(1 + y²))): below 0.05 each term of the series adds more than two digits.
    while y > decimal.Decimal("0.05"):
        y = y / (1 + (1 + y * y).sqrt())
        halved += 1
    total, power, k = decimal.Decimal(0), y, 1
    while abs(power) > decimal.Decimal(10) ** -(DIGITS + 18):
        total += power / k if k % 4 == 1 else -power / k
        power, k = power * y * y, k + 2
    return total * decimal.Decimal(2**halved)


def exact_power_product(numbers: Sequence[Any], powers: Sequence[Any]) -> Fraction:
    """The product of numbers to rational powers, exact or to DIGITS digits."""
    # Exact is the root of a product, where the powers are equal unit fractions.
    pairs = [(Fraction(n), Fraction(p)) for n, p in zip(numbers, powers, strict=True) if p != 0]
    # A factor of power 0 has been left out: 0^0 is 1, as a class of weight 0 takes no part.
    if any(n == 0 for n, _ in pairs):
        return Fraction(0)
    if len({p for _, p in pairs}) == 1 and pairs[0][1].numerator == 1:
        return exact_root(math.prod((n for n, _ in pairs), start=Fraction(1)), pairs[0][1].denominator)
    with decimal.localcontext(prec=DIGITS + 10):
        total = sum(
            (decimal.Decimal(p.numerator) / p.denominator)
            * (decimal.Decimal(n.numerator) / n.denominator).ln()
            for n, p in pairs
        )
        return Fraction(decimal.Decimal(total).exp())
