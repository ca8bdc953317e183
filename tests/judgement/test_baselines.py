"""What is got by never looking? Against the published closed forms and by drawing."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.judgement.baselines import baselines, best_constant

TEN_OF_HUNDRED = sy.Confusion([[4, 6], [20, 70]], labels=["rare", "common"])


@pytest.mark.parametrize(
    ("name", "value"),
    [  # van de Bijl and others, the Dutch Draw baseline at M = 100, P = 10
        ("accuracy", 0.9),
        ("precision", 0.1),
        ("recall", 1.0),
        ("f_beta", 0.181818),
        ("gmean", 0.495076),
        ("mcc", 0.0),
        ("kappa", 0.0),
        ("balanced_accuracy", 0.5),
    ],
)
def test_the_dutch_draw(name: str, value: float) -> None:
    (found,) = baselines(TEN_OF_HUNDRED, [sy.measure(name)], "rare").values()
    assert found.value == pytest.approx(value, abs=5e-7)
    assert found.how == "exact"


def test_f2() -> None:
    (found,) = baselines(TEN_OF_HUNDRED, [sy.measure("f_beta", beta=2)], "rare").values()
    assert found.value == pytest.approx(0.357143, abs=5e-7)


def test_the_gmean_of_rare_events_against_drawing() -> None:
    matrix = sy.Confusion([[20, 282], [1000, 18698]], labels=["fraud", "ok"])
    (found,) = baselines(matrix, [sy.measure("gmean")], "fraud").values()
    random = np.random.default_rng(1)
    called = int(found.words.split()[1].replace(",", ""))
    hits = random.hypergeometric(302, 19698, called, size=200_000)
    drawn = np.sqrt(hits / 302 * (1 - (called - hits) / 19698)).mean()
    assert found.value == pytest.approx(drawn, abs=2e-4)


def test_many_classes() -> None:
    matrix = sy.Confusion([[50, 2, 3], [4, 20, 1], [1, 1, 8]], labels=["a", "b", "c"])
    found = baselines(matrix, [sy.measure(n) for n in ("accuracy", "macro_recall", "gmean")], None)
    assert found["accuracy"].value == 55 / 90
    assert found["accuracy"].words == "always predicting a"
    assert found["macro_recall"].value == pytest.approx(1 / 3)
    assert found["gmean"].how == "simulated"
    assert 0.25 < found["gmean"].value < 1 / 3
    assert best_constant(matrix).label == "a"
