"""Can polynomial inequalities hold together? Asked of z3, within a time limit.

This is the only module that imports z3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Any, Literal

Answer = Literal["yes", "no", "unknown"]
Terms = Mapping[tuple[int, ...], Fraction]
"""A polynomial: exponents of the variables to coefficient."""


def available() -> bool:
    """Is z3 installed?"""
    return find_spec("z3") is not None


def satisfiable(
    n_variables: int, positive: Sequence[int], constraints: Iterable[tuple[Terms, str]], seconds: float = 2.0
) -> Answer:
    """Is there a point with these variables > 0 at which every polynomial stands in its relation (">", "<",
    "<=", "=") to 0?"""
    if not available():
        return "unknown"
    import z3

    variables = [z3.Real(f"x{i}") for i in range(n_variables)]
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", int(seconds * 1000))
    solver.add(*(variables[i] > 0 for i in positive))
    for terms, relation in constraints:
        value = z3.Sum(
            [_term(z3, variables, exponents, c) for exponents, c in terms.items()] or [z3.RealVal(0)]
        )
        solver.add({">": value > 0, "<": value < 0, "<=": value <= 0, "=": value == 0}[relation])
    answer = solver.check()
    return "yes" if answer == z3.sat else "no" if answer == z3.unsat else "unknown"


def _term(z3: Any, variables: Sequence[Any], exponents: tuple[int, ...], coefficient: Fraction) -> Any:
    product = z3.RealVal(f"{coefficient.numerator}/{coefficient.denominator}")
    for variable, power in zip(variables, exponents, strict=True):
        for _ in range(power):
            product = product * variable
    return product


def integer_point(
    bounds: Sequence[tuple[int, int]],
    rows: Iterable[tuple[Mapping[int, int], int, int, int]],
    seconds: float = 2.0,
) -> tuple[Answer, list[int] | None]:
    """Are there integers within these bounds at which every row (coefficients, constant, low, high) lies
    between low and high?"""
    if not available():
        return "unknown", None
    import z3

    variables = [z3.Int(f"x{i}") for i in range(len(bounds))]
    solver = z3.SolverFor("QF_LIA")
    solver.set("timeout", int(seconds * 1000))
    for variable, (least, most) in zip(variables, bounds, strict=True):
        solver.add(variable >= least, variable <= most)
    for coefficients, constant, low, high in rows:
        value = z3.Sum([c * variables[i] for i, c in coefficients.items()] or [z3.IntVal(0)]) + constant
        solver.add(value >= low, value <= high)
    answer = solver.check()
    if answer == z3.sat:
        model = solver.model()
        return "yes", [model.eval(v, model_completion=True).as_long() for v in variables]
    return ("no" if answer == z3.unsat else "unknown"), None
