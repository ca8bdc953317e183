"""Does what holds for one class hold for the mean or the sum over classes? Checked, not taken for granted.

This module imports nothing of the prover. Two kinds of certificate speak of all classes at once.

"mean over classes" ties a measure to the term that it is the mean of: the term is evaluated for every class
of some matrices, from nothing but their counts, and the mean must be the value stated.

"summed over classes" is the step from one class to all: where the term of a class is never less than
a x + b y + ..., with a and b free of everything that differs between classes, the sum over classes is never
less than a X + b Y + ..., X and Y what x and y add up to (the number of classes where x is 1). Both steps are
worked out; squares that are left of the first are written down with weights that are never negative."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

Answer = Literal["holds", "fails", "not certified"]
Check = Callable[[dict[str, Any]], Answer]
Evaluated = Callable[[Any, dict[str, Fraction]], Fraction | float]
CELLS = ("d", "fn", "fp", "tn")
# So many matrices, of different sizes, must be there.
LEAST = 3


def over_classes(certificate: dict[str, Any], check: Check, evaluated: Evaluated) -> Answer:
    """Does a certificate of one of the two kinds hold?"""
    if certificate["relation"] == "mean over classes":
        return _mean(certificate, evaluated)
    return _summed(certificate, check)


def _mean(certificate: dict[str, Any], evaluated: Evaluated) -> Answer:
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


def _summed(certificate: dict[str, Any], check: Check) -> Answer:
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
