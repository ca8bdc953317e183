"""What is called proved of formulas drawn at random holds on matrices that the prover never saw.

The changes are written out here by hand; values are exact fractions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from steelyard.errors import InputError
from steelyard.measures.formula import formula_measure
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.questions.conditions import BY_ID
from tests.real_parts import needs

Rows = list[list[int]]
CELLS = ("tp", "fn", "fp", "tn", "n", "(tp+fn)", "(tp+fp)", "(tn+fp)", "(tn+fn)", "2", "0.5")
VECTORS = ("hits", "actual", "predicted", "missed", "false_alarms", "n", "3")
FORMS = ("({}+{})", "({}-{})", "({}*{})", "({}/{})", "({}/{})", "max({},{})", "min({},{})")
ALONE = ("sqrt({})", "abs({})", "({})^2", "({})^0", "({})^-1")
NEAR = Fraction(1, 10**30)


def expression(rng: random.Random, depth: int, leaves: tuple[str, ...]) -> str:
    if not depth or rng.random() < 0.2:
        return rng.choice(leaves)
    parts = [expression(rng, depth - 1, leaves) for _ in range(2)]
    if rng.random() < 0.12:
        return rng.choice(ALONE).format(parts[0])
    return rng.choice(FORMS).format(*parts)


def cell(i: int, j: int) -> Callable[[random.Random, Rows], Rows]:
    def more(rng: random.Random, rows: Rows) -> Rows:
        return [[v + (rng.choice((1, 2, 10)) if (a, b) == (i, j) else 0) for b, v in enumerate(row)]
                for a, row in enumerate(rows)]  # fmt: skip

    return more


def scaled(rng: random.Random, rows: Rows) -> Rows:
    return [
        [v * factor for v in row] for row, factor in zip(rows, rng.choices((1, 2, 3, 7), k=9), strict=False)
    ]


def reordered(rng: random.Random, rows: Rows) -> Rows:
    order = rng.sample(range(len(rows)), len(rows))
    return [[rows[i][j] for j in order] for i in order]


CHANGES: dict[str, Callable[[random.Random, Rows], Rows]] = {
    "prior-invariance": scaled,
    "scale-invariance": lambda rng, rows: [[3 * v for v in row] for row in rows],
    "transposition": lambda rng, rows: [list(column) for column in zip(*rows, strict=True)],
    "order-invariance": reordered,
    "p2": cell(1, 1),
    "p3": cell(1, 0),
}


def drawn(rng: random.Random, classes: int) -> Rows:
    top, share = rng.choice((1, 3, 9, 1000)), rng.choice((0.0, 0.3))
    return [
        [0 if rng.random() < share else rng.randint(1, top) for _ in range(classes)] for _ in range(classes)
    ]


def value(subject: Subject, rows: Rows) -> Any:
    try:
        return subject.value(rows)
    except (ArithmeticError, ValueError):
        return float("nan")


@pytest.mark.parametrize("seed", range(4))
def test_what_is_proved_holds(seed: int) -> None:
    needs("flint")
    rng = random.Random(1000 + seed)
    proved = 0
    for _ in range(14):
        leaves = CELLS if rng.random() < 0.6 else VECTORS
        inner = expression(rng, 2, leaves)
        try:
            measure = formula_measure(inner if leaves is CELLS else f"{rng.choice(('mean', 'sum'))}({inner})")
        except InputError:  # no formula, or one without counts
            continue
        subject = Subject(measure)
        if not np.isfinite(subject.floats(subject.small(2))).any():
            continue
        question = rng.choice(list(CHANGES))
        verdict = BY_ID[question].decide(subject)
        if verdict.grade != "proved":
            continue
        proved += 1
        sizes = (2,) if measure.kind == "two-class" or question in ("p2", "p3") else (2, 3, 5)
        for classes in sizes if verdict.classes == "every C" else [c for c in sizes if c < 4]:
            for _ in range(25):
                rows = drawn(rng, classes)
                before, after = value(subject, rows), value(subject, CHANGES[question](rng, rows))
                if not is_nan(before) and not is_nan(after):
                    assert abs(before - after) <= NEAR * max(1, abs(before)), (measure.name, question, rows)
    assert proved
