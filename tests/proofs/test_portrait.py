"""The numbers behind the pictures are those of the formulas."""

import textwrap

import numpy as np
import pytest

from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.proofs import portrait as looks
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.user_measure import UserMeasureError, portrait_user


def portrait_of(name):
    return looks.portrait_of(Subject(measure(name)))


def test_values_are_of_the_formula():
    found = portrait_of("precision")
    i, j = np.searchsorted(looks.RATES, (0.6, 0.75))
    x, y = looks.RATES[i], looks.RATES[j]
    for prior, values in found.values.items():
        assert values[i, j] == pytest.approx(prior * x / (prior * x + (1 - prior) * (1 - y)))
    assert np.isnan(found.values[0.5][0, -1])  # nothing is called positive


def test_the_gradient_of_a_balanced_measure_stays_in_its_plane():
    for name, flat in (
        ("accuracy", False),
        ("balanced_accuracy", True),
        ("precision", False),
        ("balanced_precision", True),
    ):
        arrows = np.concatenate(list(portrait_of(name).slopes.values()))
        leaves = looks.leaves_plane(arrows[np.isfinite(arrows).all(axis=1)])
        assert bool(leaves.any()) is not flat, name


def test_the_gradient_of_accuracy_is_known():
    found = portrait_of("accuracy")
    # acc = v x + (1 - v) y: the derivatives by y, x and v are 1 - v, v and x - y; at the faces they are taken 0.001 inside
    points = np.clip(looks.slope_points(), 0.001, 0.999)
    expected = np.stack([1 - points[:, 2], points[:, 2], points[:, 1] - points[:, 0]], axis=-1)
    np.testing.assert_allclose(np.concatenate(list(found.slopes.values())), expected, atol=1e-6)
    tpr, tnr = (
        np.clip(axis.ravel(), 0.001, 0.999)
        for axis in np.meshgrid(looks.SLOPE_RATES, looks.SLOPE_RATES, indexing="ij")
    )
    np.testing.assert_allclose(
        found.slopes[0.1],
        np.stack([np.full(tnr.size, 0.9), np.full(tnr.size, 0.1), tpr - tnr], axis=-1),
        atol=1e-6,
    )


def test_a_fixed_classifier_on_other_classes():
    np.testing.assert_allclose(portrait_of("balanced_accuracy").against_prior[0.8], 0.8)
    precision = portrait_of("precision")
    np.testing.assert_allclose(
        precision.against_prior[0.8], 0.8 * looks.SHARES / (0.8 * looks.SHARES + 0.2 * (1 - looks.SHARES))
    )
    assert precision.against_classes == {}
    assert (precision.classes_of_shares, portrait_of("macro_recall").classes_of_shares) == (2, 3)
    numbers = np.array(looks.NUMBERS)
    np.testing.assert_allclose(
        portrait_of("auroc_ova").against_classes[0.6], (1 + 0.6 - 0.4 / (numbers - 1)) / 2
    )


def test_arrows_are_cut_at_the_usual_length():
    arrows = np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 3], [0, 0, 4], [0, 0, 1e9], [0, 0, 0]])
    # three quarters of the five arrows that are any lie below 4
    np.testing.assert_allclose(
        np.linalg.norm(looks.shortened(arrows, 0.2), axis=1), [0.05, 0.1, 0.15, 0.2, 0.2, 0]
    )


def test_a_users_function_looks_like_the_measure_it_is(tmp_path):
    path = tmp_path / "own.py"
    code = """
        def precision(tp, fn, fp, tn):
            if tp + fp == 0:
                return float("nan")
            return tp / (tp + fp)


        def three_only(m):
            if m.shape[-1] != 3:
                raise ValueError("three classes only")
            return m[..., 0, 0] / m.sum(axis=(-1, -2))


        def slow(m):
            import time
            if 0 < m.min() < 0.5 and m.shape[-1] == 2:
                time.sleep(60)
            return m[..., 0, 0] / m.sum(axis=(-1, -2))
        """
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    found, why_not = portrait_user(path, "precision")
    expected = portrait_of("precision")
    assert why_not == ""
    np.testing.assert_allclose(found.values[0.01], expected.values[0.01])
    np.testing.assert_allclose(found.slopes[0.01], expected.slopes[0.01], atol=1e-6)
    found, _ = portrait_user(path, "three_only", sizes=(3,))
    assert not found.has_two_class_values
    assert np.flatnonzero(np.isfinite(found.against_classes[0.8])).tolist() == [1]
    np.testing.assert_allclose(found.against_prior[0.8], 0.8 * looks.SHARES)
    with pytest.raises(UserMeasureError, match="did not answer within 4 seconds"):
        portrait_user(path, "slow", seconds=4, first_answer=4)


def test_measures_of_scores_are_refused():
    with pytest.raises(InputError, match="a metric of scores cannot be examined"):
        portrait_of("roc_auc")
