"""Certificate checker: is what a certificate states true, worked out from nothing?"""

# This package imports nothing of the prover, and the standard library alone. A certificate says of two
# expressions over positive variables that they are equal, or that the first is never less. They are expanded
# into quotients of polynomials; where a maximum depends on the matrix, both ways it can fall are taken in
# turn; equal means that the difference expands to 0, never less that it is a quotient of polynomials without
# a negative coefficient. The answers: "holds", "fails" (a point at which it is wrong), or "not certified".

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any, Literal

from steelyard.proofs.checker.algebra import Expansion, Falls, Polynomial, Quotient, every_case, sign_of
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.checker.interval_arithmetic import GivesUpError, Interval, enclosed
from steelyard.proofs.checker.supports import greater_everywhere

Answer = Literal["holds", "fails", "not certified"]
# So often both sides of an inequality with roots are squared.
SQUARED = 2
# Values that are stated, and means of roots, agree to nine digits.
NEAR = Fraction(1, 10**9)
# What is taken for granted, each with values on both sides of instances, which must be equal.
LEMMAS = {
    "order": "a mean over classes of one and the same term does not depend on the order of the classes",
    "priors": (
        "what is computed after every row is divided by its sum does not change when rows are multiplied"
    ),
}


def check(certificate: Any) -> Answer:
    """Does what the certificate says hold?"""
    # One that is malformed fails; `malformed` says why in a sentence.
    if malformed(certificate):
        return "fails"
    relation = certificate["relation"]
    try:
        if relation == "lemma":
            return _answer(certificate["name"] in LEMMAS and all(a == b for a, b in certificate["instances"]))
        if relation == "values":
            return _answer(all(_near(enclosed(node, {}), value) for node, value in certificate["values"]))
        if relation == "differ":
            return _answer(_disjoint(*(enclosed(certificate[side], {}) for side in ("left", "right"))))
        if relation in ("mean over classes", "summed over classes"):
            return _mean(certificate) if relation == "mean over classes" else _summed(certificate)
        return _between(certificate)
    except (ArithmeticError, ValueError):  # no value at a point that is named
        return "fails"
    except (GivesUpError, RecursionError):
        return "not certified"


def _answer(holds: bool) -> Answer:
    return "holds" if holds else "fails"


def _between(certificate: dict[str, Any]) -> Answer:
    """Two expressions: equal, never less, greater, or a value that rises."""
    relation = certificate["relation"]
    if relation != "rises" and not _holds_at_points(certificate):
        return "fails"
    try:
        if relation in (">", "rises"):
            return "holds" if greater_everywhere(certificate) else "not certified"
        return "holds" if every_case(lambda falls: _in_case(certificate, falls)) else "not certified"
    except ZeroDivisionError:
        return "not certified"


# -- at points


def _disjoint(first: Interval, second: Interval) -> bool:
    return first[1] < second[0] or second[1] < first[0]


def _near(interval: Interval, stated: str) -> bool:
    value = Fraction(stated)
    return all(abs(end - value) <= NEAR * max(Fraction(1), abs(value)) for end in interval)


def _holds_at_points(certificate: dict[str, Any]) -> bool:
    """Is there no point among a few at which it is certainly wrong? A sieve, not the proof."""
    draws = random.Random(11)
    for top in (1, 3, 3, 50, 50, 1000, 10**6):
        point = {n: Fraction(draws.randint(1, top), draws.choice((1, top))) for n in certificate["variables"]}
        try:
            left, right = (enclosed(certificate[side], point) for side in ("left", "right"))
        except (ArithmeticError, ValueError):  # no value at this point
            continue
        never_less = left[1] > right[0] if certificate["relation"] == ">" else left[1] >= right[0]
        if not never_less or (certificate["relation"] == "=" and _disjoint(left, right)):
            return False
    return True


def _parametrised(polynomial: Polynomial, number: int) -> tuple[str, Any] | None:
    """A variable and what to put in its place to leave exactly the points with a positive polynomial."""
    # Of linear polynomials only.
    if any(sum(p for _, p in monomial) != 1 for monomial in polynomial):
        return None
    coefficients = {monomial[0][0]: c for monomial, c in polynomial.items()}
    if any(" " in name for name in coefficients):  # roots and logarithms are not free
        return None
    above = [n for n, c in coefficients.items() if c > 0]
    below = [n for n, c in coefficients.items() if c < 0]
    fresh = [["variable", f"{letter}~{number}"] for letter in "uvw"]
    if len(above) == 1:  # x = (sum of the others + u) / c
        total: Any = fresh[0]
        for name in below:
            total = ["+", total, ["*", str(-coefficients[name]), ["variable", name]]]
        return above[0], ["/", total, str(coefficients[above[0]])]
    if len(below) == 1:  # y = (sum of the others) / c * v / (v + w)
        total = "0"
        for name in above:
            total = ["+", total, ["*", str(coefficients[name]), ["variable", name]]]
        share = ["/", fresh[1], ["+", fresh[1], fresh[2]]]
        return below[0], ["*", ["/", total, str(-coefficients[below[0]])], share]
    return None


def _replaced(node: Any, name: str, by: Any) -> Any:
    if isinstance(node, str):
        return node
    if node[0] == "variable":
        return by if node[1] == name else node
    if node[0] == "^":
        return ["^", _replaced(node[1], name, by), node[2]]
    return [node[0], *(_replaced(operand, name, by) for operand in node[1:])]


def _in_case(certificate: dict[str, Any], falls: Falls) -> bool:
    """Does an identity or an inequality hold where the comparisons fall like this?"""
    left, right = certificate["left"], certificate["right"]
    signs: Falls = {}
    for number, (key, (polynomial, sign)) in enumerate(falls.items()):
        chosen = _parametrised({m: sign * c for m, c in polynomial.items()}, number)
        if chosen is None:
            signs[key] = polynomial, sign
        else:
            left, right = (_replaced(side, *chosen) for side in (left, right))
    expansion = Expansion(signs)
    difference = expansion.sum(expansion.terms(left), expansion.terms(right), -1)
    value = expansion.worked_out(expansion.combined(difference))
    if not value.top or certificate["relation"] == "=":
        return not value.top
    return sign_of(value.top) * sign_of(value.bottom) > 0 or _larger_by_squares(expansion, value)


def _larger_by_squares(expansion: Expansion, value: Quotient) -> bool:
    """Of two numbers that are not negative the one with the larger square is the larger."""
    # The positive terms against the others, squared until no root stands in the way.
    for _ in range(SQUARED):
        below = sign_of(value.bottom)
        if not below or any(name.startswith("log ") for m in value.top for name, _ in m):
            return False
        more = {m: below * c for m, c in value.top.items() if below * c > 0}
        less = {m: -below * c for m, c in value.top.items() if below * c < 0}
        value = expansion.difference_of_squares(more, less)
        if not value.top or sign_of(value.bottom) * sign_of(value.top) > 0:
            return True
    return False


# -- from one class to all

CELLS = ("d", "fn", "fp", "tn")
# So many matrices, of different sizes, must be there.
LEAST = 3


def _mean(certificate: dict[str, Any]) -> Answer:
    """Is a measure the mean of a term over classes?"""
    # The term is evaluated for every class of some matrices, from nothing but their counts, and the mean must
    # be the value stated.
    instances = certificate["instances"]
    if len({len(rows) for rows, _ in instances}) < LEAST:
        return "fails"
    for rows, stated in instances:
        total = sum(map(sum, rows))
        arithmetic = certificate["kind"] == "arithmetic"
        combined: Any = "0" if arithmetic else "1"
        for i, row in enumerate(rows):
            # Hits, misses, false alarms and the rest of the class.
            d, actual, predicted = row[i], sum(row), sum(other[i] for other in rows)
            cells = (d, actual - d, predicted - d, total - actual - predicted + d)
            term = certificate["term"]
            for name, count in zip(CELLS, cells, strict=True):
                term = _replaced(term, name, str(count))
            combined = ["+" if arithmetic else "*", combined, term]
        share = f"1/{len(rows)}"
        mean = enclosed(["*", combined, share] if arithmetic else ["^", combined, share], {})
        exact = mean[0] == mean[1]
        if not (mean[0] == Fraction(stated) if exact else _near(mean, stated)):
            return "fails"
    return "holds"


def _summed(certificate: dict[str, Any]) -> Answer:
    """A bound on a sum over classes, from a bound on the term of one class."""
    # Where the term of a class is never less than a x + b y + ..., with a and b free of everything that
    # differs between classes, the sum over classes is never less than a X + b Y + ..., X and Y what x and y
    # add up to. Both steps are worked out; squares that are left of the first are written down with weights
    # that are never negative.
    of_a_class = set(certificate["of a class"])
    parts, squares = certificate["parts"], certificate["squares"]
    outside = [node for factor, _, total in parts for node in (factor, total)]
    if any(of_a_class & _variables(node) for node in [*outside, certificate["bound"]]):
        return "fails"  # what differs between classes cannot be taken out of the sum
    # What is the same for every class can only be 1, which adds up to the number of classes.
    alike = [(node, total) for _, node, total in parts if not of_a_class & _variables(node)]
    if any(pair != ("1", alike[0][1]) for pair in alike):
        return "fails"
    below: Any = "0"
    together: Any = "0"
    for factor, node, total in parts:
        below = ["+", below, ["*", factor, node]]
        together = ["+", together, ["*", factor, total]]
    for weight, base in squares:
        below = ["+", below, ["*", weight, ["*", base, base]]]
    stated = {"relation": ">=", "variables": certificate["variables"], "right": "0"}
    steps = [
        check({**stated, "left": certificate["term"], "right": below, "relation": "=" if squares else ">="}),
        check({**stated, "left": together, "right": certificate["bound"]}),
        *(check({**stated, "left": node}) for node, _ in squares),
        *(check({**stated, "left": total}) for _, total in alike),
    ]
    return "fails" if "fails" in steps else "holds" if set(steps) == {"holds"} else "not certified"


def _variables(node: Any) -> set[str]:
    if isinstance(node, str):
        return set()
    if node[0] == "variable":
        return {node[1]}
    parts = node[1:2] if node[0] == "^" else node[1:]
    return set().union(*(_variables(operand) for operand in parts))
