"""Are two formulas made of sums over all classes the same for every number of classes?

Whatever the number of classes C, the sums of the class quantities hang together: the rows and the columns of
a matrix have the same total n, and what is missed by one class is a false alarm of another. With S the hits
and E the errors of all classes together, sum(actual) = sum(predicted) = S + E, sum(missed) =
sum(false_alarms) = E and sum(rejected) = (C - 2) (S + E) + S. So a formula of such sums is a rational
function of S, E and C, and an identity of those is an identity for every C.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.measures.formula import Binary, Call, Name, Negative, Number, Power, Tree
from steelyard.measures.formula_measure import FormulaBody
from steelyard.measures.measure import Measure
from steelyard.proofs.prover.prove import prove_equal
from steelyard.proofs.prover.symbols import Field
from steelyard.proofs.questions.every_c import Argument

BECAUSE = "sums over all classes, which hang together for every number of classes"


class _NotOfSumsError(Exception):
    """The formula holds something else than sums of class quantities."""


def equal(one: Measure, other: Measure) -> Argument | None:
    """An argument that two formulas are the same for every number of classes; None if none is known."""
    if not (isinstance(one.body, FormulaBody) and isinstance(other.body, FormulaBody)):
        return None
    trees = one.body.formula.tree, other.body.formula.tree

    def compute(owner: Field, arithmetic: Any, zeros: frozenset[str]) -> tuple[Any, Any]:
        # K = C - 2 classes beyond two; it may be 0, and a difference of polynomials that vanishes does so
        # there too.
        s, e, k = (owner.variable(name) for name in ("S", "E", "K"))
        known = {"n": s + e, "C": k + 2}
        sums = {
            "hits": s,
            "actual": s + e,
            "predicted": s + e,
            "missed": e,
            "false_alarms": e,
            "rejected": k * (s + e) + s,
        }
        first, second = (_value(tree, known, sums) for tree in trees)
        return first, second

    try:
        attempt = prove_equal(("S", "E", "K"), compute)
    except _NotOfSumsError:
        return None
    return Argument(f"{BECAUSE}: {attempt.method}", attempt.where) if attempt.proved else None


def _value(tree: Tree, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    match tree:
        case Number(value):
            return value
        case Name(name) if name in known:
            return known[name]
        case Negative(value):
            return -_value(value, known, sums)
        case Binary(operator, left, right):
            a, b = _value(left, known, sums), _value(right, known, sums)
            return (
                a / b
                if operator == "/"
                else a * b
                if operator == "*"
                else a + b
                if operator == "+"
                else a - b
            )
        case Power(base, exponent) if exponent.denominator == 1:
            return _value(base, known, sums) ** exponent
        case Call("sum", (inner,)):
            return _sum(inner, known, sums)
        case Call("mean", (inner,)):
            return _sum(inner, known, sums) / known["C"]
    raise _NotOfSumsError


def _sum(tree: Tree, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    """The sum over classes of something linear in the class quantities."""
    match tree:
        case Name(name) if name in sums:
            return sums[name]
        case Negative(value):
            return -_sum(value, known, sums)
        case Binary("+", left, right):
            return _sum(left, known, sums) + _sum(right, known, sums)
        case Binary("-", left, right):
            return _sum(left, known, sums) - _sum(right, known, sums)
        case Binary("*", Number(value), right):
            return value * _sum(right, known, sums)
        case Binary("/", left, Number(value)) if value:
            return _sum(left, known, sums) / Fraction(value)
    raise _NotOfSumsError
