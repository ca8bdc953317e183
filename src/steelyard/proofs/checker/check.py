"""Is a certificate right? Worked out from nothing, with Python's integers and fractions alone.

This module imports nothing of the prover. A certificate says of two expressions over positive variables that
they are equal, or that the first is never less. They are expanded into quotients of polynomials; where a
maximum depends on the matrix, both ways it can fall are taken in turn; equal means that the difference
expands to 0, never less that it is a quotient of polynomials without a negative coefficient. Roots and
logarithms of the same expression are the same unknown quantity, roots are positive, and a power of a root
that is whole is worked out. The answers: "holds", "fails" (a point at which it is wrong), or "not certified".
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from steelyard.proofs.checker.algebra import (
    WORK,
    Expansion,
    GivesUpError,
    Polynomial,
    Quotient,
    Split,
    key_of,
    sign_of,
    times,
)
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.checker.supports import greater_everywhere

Answer = Literal["holds", "fails", "not certified"]
MOST_CASES = 200
# So often both sides of an inequality with roots are squared.
SQUARED = 2
# What is taken for granted, each with values on both sides of instances, which must be equal.
LEMMAS = {
    "order": "a mean over classes of one and the same term does not depend on the order of the classes",
    "priors": (
        "what is computed after every row is divided by its sum does not change when rows are multiplied"
    ),
}


def check(certificate: Any) -> Answer:
    """Does what the certificate says hold? One that is malformed fails; `malformed` says why in a
    sentence."""
    if malformed(certificate):
        return "fails"
    relation = certificate["relation"]
    try:
        if relation == "lemma":
            return _answer(certificate["name"] in LEMMAS and all(a == b for a, b in certificate["instances"]))
        if relation == "undefined":
            return "holds"
        if relation == "values":
            return _answer(_values(certificate["values"]))
        if relation == "differ":
            return _answer(_differ(certificate["left"], certificate["right"]))
        if relation in ("mean over classes", "summed over classes"):
            return _mean(certificate) if relation == "mean over classes" else _summed(certificate)
        return _between(certificate)
    except (ArithmeticError, ValueError):  # no value at a point that is named
        return "fails"
    except RecursionError:
        return "not certified"


def _answer(holds: bool) -> Answer:
    return "holds" if holds else "fails"


def _between(certificate: dict[str, Any]) -> Answer:
    """Two expressions: equal, never less, greater, or a value that rises."""
    relation, left, right = certificate["relation"], certificate["left"], certificate["right"]
    if relation != "rises" and not _holds_at_points(left, right, relation, certificate["variables"]):
        return "fails"
    try:
        if relation in (">", "rises"):
            return "holds" if greater_everywhere(certificate) else "not certified"
        return "holds" if _proved(left, right, relation) else "not certified"
    except (GivesUpError, ZeroDivisionError):
        return "not certified"


# -- at points


def _differ(left: Any, right: Any) -> bool:
    """A counterexample: two expressions of numbers that are not equal."""
    one, other = evaluated(left, {}), evaluated(right, {})
    exact = isinstance(one, Fraction) and isinstance(other, Fraction)
    return one != other if exact else abs(float(one) - float(other)) > 1e-9


def _values(pairs: Any) -> bool:
    """A counterexample by its values: each expression of numbers has the value that is stated, to nine
    digits."""
    found = [(float(evaluated(node, {})), float(Fraction(value))) for node, value in pairs]
    return all(abs(one - stated) <= 1e-9 * max(1.0, abs(stated)) for one, stated in found)


def _holds_at_points(left: Any, right: Any, relation: str, names: list[str]) -> bool:
    draws = random.Random(11)
    for top in (3, 3, 50, 50, 1000, 10**6):
        point = {name: Fraction(draws.randint(1, top)) for name in names}
        try:
            one, other = evaluated(left, point), evaluated(right, point)
        except (ZeroDivisionError, OverflowError, ValueError):  # no value at this point
            continue
        if isinstance(one, Fraction) and isinstance(other, Fraction):
            if one < other or (relation == "=" and one != other) or (relation == ">" and one == other):
                return False
        else:
            slack = 1e-9 * max(1.0, abs(float(one)))
            if float(one) < float(other) - slack or (
                relation == "=" and abs(float(one) - float(other)) > slack
            ):
                return False
    return True


def evaluated(node: Any, point: dict[str, Fraction]) -> Fraction | float:
    """The value of an expression at a point: exact unless it holds roots or logarithms."""
    if isinstance(node, str):
        return Fraction(node)
    if node[0] == "variable":
        return point[node[1]]
    first = evaluated(node[1], point)
    if node[0] == "log":
        return math.log(first)
    if node[0] == "^":
        power = Fraction(node[2])
        return first ** int(power) if power.denominator == 1 else float(first) ** float(power)
    second = evaluated(node[2], point)
    operations: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "max": max,
    }  # fmt: skip
    value: Fraction | float = operations[node[0]](first, second)
    return value


def _parametrised(polynomial: Polynomial, number: int) -> tuple[str, Any] | None:
    """A variable and what to put in its place so that exactly the points at which a linear polynomial is
    positive are left."""
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
    return [node[0], *(_replaced(part, name, by) for part in node[1:])]


def _proved(left: Any, right: Any, relation: str) -> bool:
    waiting: list[tuple[Any, Any, dict[str, int]]] = [(left, right, {})]
    seen = 0
    WORK[0] = 0
    while waiting:
        seen += 1
        if seen > MOST_CASES:
            raise GivesUpError
        left, right, falls = waiting.pop()
        expansion = Expansion(falls)
        try:
            difference = expansion.sum(expansion.terms(left), expansion.terms(right), -1)
            value = expansion.worked_out(expansion.one(difference))
        except Split as split:
            for sign in (1, -1):
                chosen = _parametrised({m: sign * c for m, c in split.polynomial.items()}, seen)
                if chosen is None:
                    waiting.append((left, right, {**falls, key_of(split.polynomial): sign}))
                else:
                    waiting.append((_replaced(left, *chosen), _replaced(right, *chosen), falls))
            continue
        if not value.top:
            continue
        if relation == "=" or not (
            sign_of(value.top) * sign_of(value.bottom) > 0 or _larger_by_squares(expansion, value)
        ):
            return False
    return True


def _larger_by_squares(expansion: Expansion, value: Quotient) -> bool:
    """Of two numbers that are not negative the one with the larger square is the larger: the positive terms
    against the others, squared until no root stands in the way."""
    below = sign_of(value.bottom)
    top = {m: below * c for m, c in value.top.items()}
    for _ in range(SQUARED):
        if not below or any(name.startswith("log ") for m in top for name, _ in m):
            return False
        more = {m: c for m, c in top.items() if c > 0}
        less = {m: -c for m, c in top.items() if c < 0}
        one, other = (expansion.worked_out(Quotient(times(p, p), {(): Fraction(1)})) for p in (more, less))
        squares = expansion.worked_out(
            expansion.one([one, Quotient({m: -c for m, c in other.top.items()}, other.bottom)])
        )
        below = sign_of(squares.bottom)
        if not squares.top or below * sign_of(squares.top) > 0:
            return True
        top = {m: below * c for m, c in squares.top.items()}
    return False


# -- from one class to all

CELLS = ("d", "fn", "fp", "tn")
# So many matrices, of different sizes, must be there.
LEAST = 3


def _mean(certificate: dict[str, Any]) -> Answer:
    """Is a measure the mean of a term over classes? The term is evaluated for every class of some matrices,
    from nothing but their counts, and the mean must be the value stated."""
    instances = certificate["instances"]
    if len({len(rows) for rows, _ in instances}) < LEAST:
        return "fails"
    for rows, stated in instances:
        terms = [evaluated(certificate["term"], cells) for cells in _classes(rows)]
        mean: Fraction | float
        if certificate["kind"] == "arithmetic":
            mean = sum(terms[1:], start=terms[0]) / len(terms)
        else:
            mean = math.prod(float(t) for t in terms) ** (1 / len(terms))
        value = Fraction(stated)
        same = (
            mean == value if isinstance(mean, Fraction) else abs(mean - value) <= 1e-9 * max(1.0, abs(mean))
        )
        if not same:
            return "fails"
    return "holds"


def _classes(rows: list[list[int]]) -> list[dict[str, Fraction]]:
    """Hits, misses, false alarms and the rest of each class."""
    total = sum(map(sum, rows))
    found = []
    for i, row in enumerate(rows):
        d, actual, predicted = row[i], sum(row), sum(other[i] for other in rows)
        cells = (d, actual - d, predicted - d, total - actual - predicted + d)
        found.append({name: Fraction(v) for name, v in zip(CELLS, cells, strict=True)})
    return found


def _summed(certificate: dict[str, Any]) -> Answer:
    """Where the term of a class is never less than a x + b y + ..., with a and b free of everything that
    differs between classes, the sum over classes is never less than a X + b Y + ..., X and Y what x and y add
    up to (the number of classes where x is 1). Both steps are worked out; squares that are left of the first
    are written down with weights that are never negative."""
    names, own = certificate["variables"], set(certificate["of a class"])
    parts, squares = certificate["parts"], certificate["squares"]
    outside = [node for factor, _, total in parts for node in (factor, total)]
    if any(own & _variables(node) for node in [*outside, certificate["bound"]]):
        return "fails"  # what differs between classes cannot be taken out of the sum
    below: Any = "0"
    together: Any = "0"
    for factor, of_a_class, total in parts:
        below = ["+", below, ["*", factor, of_a_class]]
        together = ["+", together, ["*", factor, total]]
    for weight, base in squares:
        below = ["+", below, ["*", weight, ["*", base, base]]]
    stated = {"relation": ">=", "variables": names}
    steps = [
        check({**stated, "left": certificate["term"], "right": below, "relation": "=" if squares else ">="}),
        check({**stated, "left": together, "right": certificate["bound"]}),
        *(check({**stated, "left": weight, "right": "0"}) for weight, _ in squares),
    ]
    return "fails" if "fails" in steps else "holds" if set(steps) == {"holds"} else "not certified"


def _variables(node: Any) -> set[str]:
    if isinstance(node, str):
        return set()
    if node[0] == "variable":
        return {node[1]}
    parts = node[1:2] if node[0] == "^" else node[1:]
    return set().union(*(_variables(part) for part in parts))
