"""The pictures show what the formulas say."""

import numpy as np
import pytest

from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.report import property_plots as plots


def test_level_curves_are_of_the_formula():
    tnr, tpr, value = plots.values_over_rates(measure("precision"), 0.1, steps=5)
    x, y = tpr[3, 2], tnr[3, 2]
    assert value[3, 2] == pytest.approx(0.1 * x / (0.1 * x + 0.9 * (1 - y)))


def test_the_gradient_of_a_balanced_measure_stays_in_its_plane():
    for name, flat in (("accuracy", False), ("balanced_accuracy", True), ("precision", False), ("balanced_precision", True)):
        _, arrows = plots.gradients(measure(name))
        along_prior = arrows[np.isfinite(arrows).all(axis=1)][:, 2]
        assert bool(np.abs(along_prior).max() < 1e-5) is flat, name


def test_the_gradient_of_accuracy_is_known():
    points, arrows = plots.gradients(measure("accuracy"), steps=(0.25, 0.5, 0.75))
    # acc = v x + (1 - v) y: the derivatives by y, x and v are 1 - v, v and x - y
    expected = np.stack([1 - points[:, 2], points[:, 2], points[:, 1] - points[:, 0]], axis=-1)
    np.testing.assert_allclose(arrows, expected, atol=1e-6)


def test_value_against_prior_and_classes():
    _, flat = plots.value_against_prior(measure("balanced_accuracy"), 0.8)
    np.testing.assert_allclose(flat, 0.8)
    _, precision = plots.value_against_prior(measure("precision"), 0.8)
    assert precision[0] < 0.05 < 0.9 < precision[-1]
    numbers, ova = plots.value_against_classes(measure("auroc_ova"), 0.6)
    np.testing.assert_allclose(ova, (1 + 0.6 - 0.4 / (numbers - 1)) / 2)


@pytest.mark.parametrize("name", ["precision", "gmean"])
def test_all_pictures_are_written(tmp_path, name):
    plots.draw_measure(measure(name), str(tmp_path / "p.svg"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p-behaviour.svg", "p-gradient.svg", "p.svg"]
    assert all(p.stat().st_size > 1000 for p in tmp_path.iterdir())


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match="no known format"):
        plots.draw_measure(measure("gmean"), str(tmp_path / "p.bmp"))
    assert list(tmp_path.iterdir()) == []
