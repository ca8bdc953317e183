"""Satisfiability of polynomial inequalities (SMT, nonlinear real arithmetic) by z3."""

# This is the only module that imports z3.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from typing import Literal

Answer = Literal["yes", "no", "unknown"]
# A polynomial: exponents of the variables to coefficient.
Terms = Mapping[tuple[int, ...], Fraction]
# Steps of z3 (its `rlimit`) before it gives up: a number that, unlike a time, gives the same answer on
# every machine. A second has 0.1 to 3 million of them.
USUAL_EFFORT = 1_000_000
# Seconds after which z3 is stopped in any case, as it does not count every step.
HANGING = 60


def available() -> bool:
    """Is z3 installed?"""
    return find_spec("z3") is not None


def satisfiable(
    n_variables: int,
    positive: Sequence[int],
    constraints: Iterable[tuple[Terms, str]],
    effort: int = USUAL_EFFORT,
) -> Answer:
    """Is there a point with these variables > 0 at which every polynomial stands in its relation to 0?"""
    # The relations are ">", "<", "<=" and "=".
    if not available():
        return "unknown"
    import z3

    variables = [z3.Real(f"x{i}") for i in range(n_variables)]
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", effort)
    solver.set("timeout", 1000 * HANGING)
    solver.add(*(variables[i] > 0 for i in positive))
    for terms, relation in constraints:
        products = []
        for exponents, coefficient in terms.items():
            product = z3.RealVal(f"{coefficient.numerator}/{coefficient.denominator}")
            for variable, power in zip(variables, exponents, strict=True):
                product = math.prod([variable] * power, start=product)
            products.append(product)
        value = z3.Sum(products or [z3.RealVal(0)])
        solver.add({">": value > 0, "<": value < 0, "<=": value <= 0, "=": value == 0}[relation])
    answer = solver.check()
    return "yes" if answer == z3.sat else "no" if answer == z3.unsat else "unknown"
