"""Polynomials in variables, roots and logarithms, by FLINT."""

# A root of a polynomial is a formal generator g with g^D = f; a logarithm is one without a relation.
# Variables and roots are positive.
# This is the only module that imports FLINT.

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from steelyard.errors import extra_needed

# Polynomials beyond this size are given up: a reproducible limit, unlike a time.
MOST_TERMS = 30_000
# Generators kept for roots and logarithms.
SPARE = 40
# Those below 10^5.
PRIMES = 9592
GENERATOR = r"\b_g(\d+)\b"


class TooHardError(Exception):
    """The algebra cannot decide this within its limits."""


def _flint() -> Any:
    with extra_needed("python-flint", "proofs", "proving an identity"):
        import flint
    return flint


def available() -> bool:
    """Is FLINT installed?"""
    return find_spec("flint") is not None


class Polynomials:
    """Variables, and the generators that roots and logarithms of them add."""

    def __init__(self, names: Sequence[str]) -> None:
        flint = _flint()
        self.names = list(names)
        all_names = [*self.names, *(f"_g{i}" for i in range(SPARE))]
        self.context = flint.fmpq_mpoly_ctx.get(all_names, flint.Ordering.degrevlex)
        self.generators = self.context.gens()
        self.rational = flint.fmpq
        self.one = self.context.constant(1)
        self.roots: dict[tuple[str, int], int] = {}
        self.logs: dict[str, int] = {}
        self.log_bases: dict[int, Any] = {}
        self.degrees: dict[int, tuple[int, Any]] = {}
        self.used = 0

    def new_generator(self) -> int:
        if self.used == SPARE:
            raise TooHardError("too many different roots or logarithms")
        self.used += 1
        return len(self.names) + self.used - 1

    def root_generator(self, polynomial: Any, degree: int) -> Any:
        """g with g^degree = polynomial."""
        key = (str(polynomial), degree)
        if key not in self.roots:
            self.roots[key] = self.new_generator()
            self.degrees[self.roots[key]] = (degree, polynomial)
        return self.generators[self.roots[key]]

    def log_generator(self, polynomial: Any) -> Any:
        """The logarithm of a polynomial."""
        key = str(polynomial)
        if key not in self.logs:
            self.logs[key] = self.new_generator()
            self.log_bases[self.logs[key]] = polynomial
        return self.generators[self.logs[key]]

    def reduced(self, polynomial: Any) -> Any:
        """Powers of roots brought below their degree: g^D becomes f."""
        if not self.degrees or polynomial.is_zero():
            return polynomial
        while True:
            high = polynomial.degrees()
            over = [(i, d, f) for i, (d, f) in self.degrees.items() if high[i] >= d]
            if not over:
                return polynomial
            index, degree, base = over[0]
            lower: dict[int, dict[tuple[int, ...], Any]] = {}
            for exponents, coefficient in polynomial.to_dict().items():
                whole, rest = divmod(exponents[index], degree)
                lower.setdefault(whole, {})[(*exponents[:index], rest, *exponents[index + 1 :])] = coefficient
            polynomial = sum(
                (self.checked(self.context.from_dict(terms) * base**whole) for whole, terms in lower.items()),
                start=self.context.constant(0),
            )

    def checked(self, polynomial: Any) -> Any:
        if len(polynomial) > MOST_TERMS:
            raise TooHardError(f"a polynomial of more than {MOST_TERMS:,} terms")
        return polynomial

    def times(self, a: Any, b: Any) -> Any:
        if len(a) * len(b) > 40 * MOST_TERMS:
            raise TooHardError("a product of long polynomials")
        return self.reduced(self.checked(a * b))

    def fraction(self, top: Any, bottom: Any) -> tuple[Any, Any]:
        """In lowest terms, with a denominator that starts with 1 and holds no lonely root."""
        for index, (degree, _) in self.degrees.items():
            lowest = min(e[index] for e in bottom.monoms()) if bottom.degrees()[index] else 0
            if lowest:  # 1/g^k = g^(D-k)/f
                bottom = self.times(bottom, self.generators[index] ** (degree - lowest))
                top = self.times(top, self.generators[index] ** (degree - lowest))
        if bottom.is_constant():
            return top / bottom.leading_coefficient(), self.one
        if max(len(top), len(bottom)) > MOST_TERMS // 4:
            raise TooHardError("a fraction of long polynomials")
        common = top.gcd(bottom)
        if not common.is_one():
            top, bottom = top / common, bottom / common
        lead = bottom.leading_coefficient()
        return top / lead, bottom / lead

    def is_positive(self, polynomial: Any) -> bool:
        """Positive wherever the variables are, as all its coefficients are; roots are positive, logs not."""
        degrees = polynomial.degrees()
        return all(c > 0 for c in polynomial.coeffs()) and not any(degrees[i] for i in self.logs.values())

    def base_of(self, factor: Any) -> Any:
        """What is 0 where the factor is: of a root that stands alone, what it is taken of."""
        degrees = factor.degrees()
        for index, (_, base) in self.degrees.items():
            if degrees[index] and len(factor) == 1 and sum(degrees) == 1:
                return self.base_of(base)
        return factor

    def variables_of(self, polynomial: Any) -> list[str]:
        """The variables in a polynomial, those under its roots and logarithms too."""
        names: dict[str, None] = {}
        for index, degree in enumerate(polynomial.degrees()):
            if degree and index < len(self.names):
                names[self.names[index]] = None
            elif degree:
                base = self.degrees[index][1] if index in self.degrees else self.log_bases[index]
                names |= dict.fromkeys(self.variables_of(base))
        return list(names)

    def written(self, polynomial: Any) -> str:
        """A polynomial in words that a reader knows: roots and logarithms of something, no generators."""

        def generator(match: re.Match[str]) -> str:
            index = len(self.names) + int(match.group(1))
            if index in self.log_bases:
                return f"log({self.written(self.log_bases[index])})"
            degree, base = self.degrees[index]
            inner = self.written(base)
            return f"sqrt({inner})" if degree == 2 else f"({inner})^(1/{degree})"

        return re.sub(GENERATOR, generator, str(polynomial))

    def zero_together(self, factor: Any) -> frozenset[str] | None:
        """The variables that are 0 where a sum of positive terms is: none if it never is, None if unknown."""
        # A sum of products of positive variables is 0 only where some variables of each product are; only
        # plain sums are followed, and a root is 0 where what it is taken of is.
        names: set[str] = set()
        if any(sum(exponents) > 1 for exponents in factor.monoms()):
            return None
        if not all(any(exponents) for exponents in factor.monoms()):
            return frozenset()
        for index, degree in enumerate(factor.degrees()):
            if degree and index < len(self.names):
                names.add(self.names[index])
            elif degree:
                base = self.degrees[index][1] if index in self.degrees else None
                if base is None or not self.is_positive(base):
                    return None
                inner = self.zero_together(base)
                if not inner:
                    return inner
                names |= inner
        return frozenset(names)


def factors_of(polynomial: Any) -> tuple[Fraction, list[tuple[Any, int]]]:
    content, factors = polynomial.factor()
    return Fraction(int(content.p), int(content.q)), [(f, int(e)) for f, e in factors]


def prime_powers(value: Fraction) -> list[tuple[int, int]]:
    """The primes of a positive number; what has none among the first of them may count as one."""
    # A root or logarithm of it is a quantity like any other.
    fmpz = _flint().fmpz
    of_both = ((fmpz(value.numerator), 1), (fmpz(value.denominator), -1))
    return [(int(p), s * int(e)) for number, s in of_both for p, e in number.factor(trial_limit=PRIMES)]
