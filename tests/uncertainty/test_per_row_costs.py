"""Costs of rows on drawn test sets do not depend on the currency."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.per_row_costs import costs_seen, drawn_row_costs
from steelyard.uncertainty.resampling import Simulation


@pytest.mark.parametrize("unit", [100.0, 1e-4])
def test_the_currency_does_not_matter(unit: float) -> None:
    """Amounts in cents are a hundred times those in euros, and so is every cost that is drawn; so it is in ten thousands of them."""
    truth = np.repeat([0, 1], [12, 20])
    called = {
        "a": np.where(np.arange(32) % 5 == 0, 1 - truth, truth),
        "b": np.where(np.arange(32) % 7 == 0, 1 - truth, truth),
    }
    joint = JointCounts.from_columns(truth, called)
    amount = np.linspace(1, 9, len(joint.counts))  # on average, of each way in which truth and answers meet
    sums, squares = amount * joint.counts, 1.6 * amount**2 * joint.counts
    fixed, times = np.zeros((2, 2)), np.array([[0.0, 1.0], [0.5, 0.0]])
    settings = {"design": "sample", "prior": "shared", "draws": 400, "seed": 3}
    euros, centre = drawn_row_costs(joint, sums, squares, fixed, times, Simulation(**settings))
    cents, other = drawn_row_costs(
        joint, unit * sums, unit**2 * squares, fixed, times, Simulation(**settings)
    )
    assert cents == pytest.approx(unit * euros)
    assert other == pytest.approx(unit * centre)
    for place, answers in enumerate(joint.predictions.T):  # row by row
        cells = zip(joint.truth, answers, sums, strict=True)
        spent = sum(amount * times[y, called] for y, called, amount in cells)
        assert costs_seen(joint, sums, fixed, times)[place] == pytest.approx(spent / 32)
    assert (euros.std(axis=1) > 0).all()
