"""Which values can a measure take?"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import steelyard as sy


@pytest.mark.parametrize("size", [2, 3, 5, 10])
def test_the_floor_of_mean_binary_accuracy_rises_with_the_number_of_classes(size: int) -> None:
    """Every example wrong: each one is wrong in two of the C yes-or-no questions."""
    wrong = [[int(j == (i + 1) % size) for j in range(size)] for i in range(size)]
    assert sy.measure("mean_binary_accuracy").exact(wrong) == 1 - Fraction(2, size)
    assert sy.measure("mean_binary_accuracy").range.exactly_at(size) == (1 - Fraction(2, size), 1)
    assert sy.normalised(sy.measure("mean_binary_accuracy")).exact(wrong) == 0


def test_one_class_alone_is_always_told_right() -> None:
    assert sy.measure("mean_binary_accuracy").exact([[7]]) == 1
    assert sy.normalised(sy.measure("mean_binary_accuracy")).exact([[7]]) == 1


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.6, 1.0])
def test_the_index_of_balanced_accuracy_of_the_gmean_exceeds_1_beyond_one_half(alpha: float) -> None:
    """On a grid of both rates: (1 + alpha (TPr - TNr)) sqrt(TPr TNr)."""
    steps = range(101)
    highest = max((1 + alpha * (x - y) / 100) * math.sqrt(x * y) / 100 for x in steps for y in steps)
    stated = sy.iba("gmean", alpha).range.at(2)
    assert (highest > 1) == (alpha > 0.5) == (stated[1] > 1)
    assert stated[0] == 0
    assert stated[1] >= highest


def test_skill_has_no_floor() -> None:
    """Probabilities that are sure and wrong are worse than the shares of the classes without end."""
    for name in ("brier_skill", "log_loss_skill"):
        assert sy.measure(name).range.at(2)[1] == 1
        assert sy.measure(name).range.at(2)[0] == -math.inf


def test_rounding_carries_no_value_past_its_range() -> None:
    """Perfect, useless and lopsided matrices of weights that are no whole numbers, through operators too."""
    random = np.random.default_rng(5)
    weights = random.random((2_000, 3, 3)) * 10.0 ** random.integers(-6, 7, size=(2_000, 1, 1))
    weights[::2] *= np.eye(3)  # told right
    weights[1::4] *= 1 - np.eye(3)  # told wrong
    two = weights[:, :2, :2]
    chosen = [m for m in sy.catalogue() if m.kind != "scores"]
    for m in [*chosen, *(sy.one_versus_all(m) for m in chosen if m.kind == "two-class")]:
        counts = two if m.kind == "two-class" else weights
        values = np.asarray(m(sy.Confusion(counts, labels=["a", "b", "c"][: counts.shape[-1]]), **_first(m)))
        low, high = map(float, m.range.at(counts.shape[-1]))
        defined = values[~np.isnan(values)]
        assert ((defined >= low) & (defined <= high)).all(), m.name


def _first(m: sy.Measure) -> dict[str, str]:
    return {"positive": "a"} if m.kind == "two-class" else {}


def test_a_value_far_out_of_its_range_is_left_to_be_seen() -> None:
    facts = {"title": "Twice", "question": "Twice?", "formula": "2", "reads": "2", "better": "higher"}
    twice = sy.multi_class(id="twice", body=lambda c: c.total * 0 + 2, range=(0, 1), **facts)
    assert twice([[1, 2], [3, 4]]) == 2
