"""Bounds under label errors and least reversals against a checker that knows nothing of Steelyard."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.counts.confusion import Confusion
from steelyard.measures.catalogue import measure
from steelyard.uncertainty.fragility import PairedCounts, least_reversal
from steelyard.uncertainty.label_errors import Budget, label_error_bounds
from tests.uncertainty import label_error_checker as checker


def test_the_checker_by_hand() -> None:
    """[[3, 1], [2, 4]] and one wrong label: recall 3/4 becomes 2/3 (a hit was wrong), 4/5 (an alert was right)
    or 3/3 (the miss was none); the checker finds 3/5 too: a rejected row was a miss."""
    matrix = ((3, 1), (2, 4))
    assert checker.bounds(matrix, checker.recall, 1, None) == (3 / 5, 1.0)
    assert checker.bounds(matrix, checker.precision, 1, None) == (2 / 5, 4 / 5)
    assert checker.bounds(matrix, checker.recall, None, (1, 0)) == (2 / 3, 1.0)


def check_bounds(random: np.random.Generator) -> None:
    classes = int(random.choice([2, 3, 4], p=[0.7, 0.2, 0.1]))
    total = int(random.integers(2, {2: 14, 3: 8, 4: 5}[classes]))
    counts = random.multinomial(total, random.dirichlet(np.full(classes**2, 0.5))).reshape(classes, classes)
    budget = Budget(int(random.integers(0, 4 if classes < 4 else 3)), None, "")
    if random.random() < 0.5:
        limits = tuple(int(random.integers(0, min(2, n) + 1)) for n in counts.sum(axis=1))
        budget = Budget(None, limits, "")
    metrics = checker.TWO_CLASS | checker.MULTI_CLASS
    name = str(random.choice(list(metrics)))
    (found,) = label_error_bounds(
        Confusion(counts, tuple("abcd"[:classes])), [measure(name)], budget, "a"
    ).values()
    matrix = tuple(tuple(int(n) for n in row) for row in counts)
    expected = checker.bounds(matrix, metrics[name], budget.total, budget.by_class)
    ends = (np.nan, np.nan) if expected is None else expected
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9, nan_ok=True), (matrix, budget, name)


def check_reversal(random: np.random.Generator) -> None:
    classes = int(random.choice([2, 3, 4], p=[0.8, 0.15, 0.05]))
    total = int(random.integers(3, {2: 14, 3: 8, 4: 6}[classes]))
    most = {2: 3, 3: 2, 4: 2}[classes]
    cells = random.multinomial(total, random.dirichlet(np.full(classes**3, 0.6))).reshape((classes,) * 3)
    metrics = checker.TWO_CLASS | checker.MULTI_CLASS if classes == 2 else checker.MULTI_CLASS
    name = str(random.choice(list(metrics)))
    paired = PairedCounts(cells, tuple("abcd"[:classes]), measure(name), "a" if classes == 2 else None)
    if not paired.advantage(cells) <= 0:  # undefined, or the other model is better already
        return
    found = least_reversal(paired)
    expected = checker.least_reversal(tuple(int(n) for n in cells.ravel()), metrics[name], most, classes)
    if expected is None:
        assert found is None or found.number > most, (cells.tolist(), name)
    else:
        assert found is not None, (cells.tolist(), name)
        assert found.number == expected, (cells.tolist(), name)
        assert found.exact, (cells.tolist(), name)


def test_a_split_that_empties_a_class_hides_no_smaller_reversal() -> None:
    """The hit of both models relabelled: MCC of the first is (0 * 3 - 7 * 1) / sqrt(7 * 4 * 1 * 10) = -0.418, of the
    second (5 * 0 - 2 * 4) / sqrt(7 * 4 * 9 * 2) = -0.356; relabelling all three negatives leaves MCC undefined."""
    cells = np.array([[[1, 0], [5, 2]], [[0, 0], [3, 0]]])
    found = least_reversal(PairedCounts(cells, ("a", "b"), measure("mcc"), "a"))
    assert found is not None
    assert (found.number, found.exact) == (1, True)


@pytest.mark.parametrize("seed", range(10))
def test_bounds_and_reversals(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(30):
        check_bounds(random)
        check_reversal(random)


@pytest.mark.whole  # about four minutes altogether
@pytest.mark.parametrize("seed", range(100, 110))
def test_a_hundred_thousand_cases(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(10_000):
        check_bounds(random)
        check_reversal(random)
