"""The verdict and the number of fitting matrices, against every matrix listed one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

import steelyard as sy
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import OneMatrix
from steelyard.auditing.search.branch_and_bound import Budget
from tests.auditing.brute_force import MANY, TWO, fitting, matrices, values


def planted(rng: random.Random, sizes: tuple[int, ...], names: tuple[str, ...]) -> dict[str, str] | None:
    """The values of a random matrix, in half of the cases with one digit changed."""
    m = matrices(sizes)
    one = m[rng.randrange(len(m))][None]
    printed = {
        name: f"{values(name, one)[0]:.{rng.choice((2, 3, 4))}f}"
        for name in rng.sample(names, rng.choice((1, 2, 3)))
    }
    if "nan" in printed.values():
        return None
    if rng.random() < 0.5:
        name = rng.choice(list(printed))
        text = printed[name]
        place = rng.randrange(text.index(".") + 1, len(text))
        printed[name] = text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]
    return printed


@pytest.mark.parametrize(
    ("sizes", "names", "seed"),
    [((5, 9), TWO, 1), ((12, 7), TWO, 2), ((3, 4, 2), MANY, 3), ((2, 2, 2, 1), MANY, 5)],
)
def test_verdict_and_number_of_matrices(sizes: tuple[int, ...], names: tuple[str, ...], seed: int) -> None:
    rng = random.Random(seed)
    decided = 0
    for _ in range(12):
        printed = planted(rng, sizes, names)
        if printed is None:
            continue
        count, tie = fitting(printed, sizes)
        if tie:
            continue
        known = sizes_of(Options("", list(sizes)), [])
        decision = OneMatrix(known).decide(
            demands_of(statements(printed), known, None, "nearest"), Budget(20)
        )
        assert decision.answer == ("possible" if count else "impossible"), (printed, sizes)
        if decision.complete:
            assert decision.count == count, (printed, sizes)
        else:
            assert 0 < decision.count <= count
        if decision.matrices:
            found = np.array(decision.matrices[0])
            assert found.sum(axis=1).tolist() == list(sizes)
            for name, text in printed.items():
                half = 0.5 / 10 ** len(text.partition(".")[2])
                assert abs(values(name, found[None])[0] - float(text)) <= half + 1e-12
        decided += 1
    assert decided >= 5


def test_every_measure_of_the_catalogue_can_be_audited() -> None:
    matrix = np.array([[3, 1], [1, 4]])
    for measure in sy.catalogue():
        value = measure(
            sy.Confusion(matrix, ["c1", "c2"]), positive="c1" if measure.kind == "two-class" else None
        )
        result = sy.audit({measure.id: f"{value:.4f}"}, [4, 5])
        assert result.verdict == "possible", measure.id
