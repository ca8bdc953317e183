"""Does the better of two models stay the better one when labels are wrong at rates that depend on the true class only?
Expected values are the issue's arithmetic and a noise model written here."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import MatrixMeasure
from steelyard.proofs.judge import check_proofs
from steelyard.proofs.precomputed import decide_anew, made_of, shipped
from tests.real_parts import needs

MEASURES = [m for m in catalogue(wide=True) if type(m) is MatrixMeasure and made_of(m) is not None]


def _verdict(measure):
    return shipped(made_of(measure), "label-noise")


def _value(measure, matrix):
    given = [[float(v) for v in row] for row in matrix]
    value = measure(given, positive="c1") if measure.kind == "two-class" else measure(given)
    return float(value) if measure.better == "higher" else -float(value)


def test_the_example_of_the_geometric_mean():
    """TPR and FPR (.35, .05) against (.65, .55), 20 examples a class; 30% of the labelled positives are negatives."""
    first, second = np.array([[7, 13], [1, 19]]), np.array([[13, 7], [11, 9]])
    gmean = sy.measure("gmean")
    assert [round(float(gmean(m)), 3) for m in (first, second)] == [0.577, 0.541]
    noise = np.array([[1, 3 / 7], [0, 4 / 7]])  # 60/7 of 200/7 labelled positives are negatives
    assert (noise @ first)[0].sum() * 0.3 == pytest.approx(20 * 3 / 7)
    assert [round(float(gmean(noise @ m)), 3) for m in (first, second)] == [0.497, 0.528]
    assert sy.examine("gmean", "label-noise")["label-noise"].grade == "refuted"


@pytest.mark.parametrize(
    ("name", "grade"),
    [
        ("balanced_accuracy", "proved"),
        ("macro_recall", "proved"),
        ("informedness", "proved"),
        ("auc_point", "proved"),
        ("precision", "proved"),
        ("markedness", "proved"),
        ("mcc", "proved"),
        ("positive_likelihood_ratio", "proved"),
        ("gmean", "refuted"),
        ("accuracy", "refuted"),
        ("recall", "refuted"),
        ("f_beta", "refuted"),
        ("kappa", "refuted"),
        ("prevalence", "not applicable"),
    ],
)
def test_known_answers(name, grade):
    needs("flint")
    verdict = decide_anew(sy.measure(name), "label-noise")
    assert verdict.grade == grade
    assert verdict.certified is (True if grade == "proved" else None)
    assert _verdict(sy.measure(name)).grade == grade


def test_hardly_any_measure_is_left_open():
    open_ones = {m.id for m in MEASURES if _verdict(m).grade in ("not refuted", "timed out")}
    assert open_ones <= {"pearson_c", "prevalence_threshold"}


@pytest.mark.parametrize(
    "measure", [m for m in MEASURES if _verdict(m).grade == "proved"], ids=lambda m: m.name
)
def test_what_is_proved_holds_on_random_models_and_noise(measure):
    draws = np.random.default_rng(36)
    compared = 0
    for _ in range(150):
        sizes = draws.integers(5, 200, 2)
        hits = [draws.integers(1, sizes) for _ in range(2)]
        models = [np.array([[h[0], sizes[0] - h[0]], [sizes[1] - h[1], h[1]]], float) for h in hits]
        of_positives = draws.uniform(0, 1)
        of_negatives = draws.uniform(0, 1 - of_positives)
        noise = np.array([[1 - of_positives, of_negatives], [of_positives, 1 - of_negatives]])
        before, after = ([_value(measure, n @ m) for m in models] for n in (np.eye(2), noise))
        if abs(before[0] - before[1]) > 1e-6 and abs(after[0] - after[1]) > 1e-12:
            compared += 1
            assert (before[0] > before[1]) == (after[0] > after[1]), (models, noise)
    assert compared > 100


@pytest.mark.parametrize(
    "measure", [m for m in MEASURES if _verdict(m).grade == "refuted"], ids=lambda m: m.name
)
def test_a_counterexample_is_two_models_under_one_noise(measure):
    matrices = [np.array(m, float) for m in _verdict(measure).counterexample.matrices]
    first, second, noisy_first, noisy_second = matrices
    assert first.sum(axis=1).tolist() == second.sum(axis=1).tolist()
    stacked, noisy = np.hstack([first, second]), np.hstack([noisy_first, noisy_second])
    noise = noisy @ np.linalg.pinv(stacked)
    assert noise @ stacked == pytest.approx(noisy)
    assert noise.sum(axis=0) == pytest.approx([1, 1])
    assert (noise > -1e-12).all()
    assert np.linalg.det(noise) > 0
    assert _value(measure, first) > _value(measure, second)
    assert _value(measure, noisy_first) <= _value(measure, noisy_second) + 1e-12


def test_the_area_of_scores_is_decided_as_well():
    needs("flint")
    assert sy.examine("roc_auc", "label-noise")["label-noise"].grade == "proved"
    (proof,) = check_proofs(["roc_auc"], "label-noise")
    assert (proof.words, proof.fails) == ("1 certificate checked", False)
    with pytest.raises(sy.InputError, match="a metric of scores cannot be examined"):
        sy.examine("average_precision", "label-noise")


def test_the_area_under_noise_by_hand():
    """Two positives score 3 and 1, two negatives 2 and 0: 3 of 4 pairs are right. With 1/3 of each class
    mislabelled both classes of labels are mixed 2 : 1, and (1 - 2/3) 3/4 + (2/3) / 2 = 7/12."""
    positives, negatives = {3: 2, 1: 2, 2: 1, 0: 1}, {3: 1, 1: 1, 2: 2, 0: 2}
    right = sum(p * n * ((s > t) + (s == t) / 2) for s, p in positives.items() for t, n in negatives.items())
    assert right / (6 * 6) == pytest.approx(7 / 12)
    truth = [1] * 6 + [0] * 6
    scores = [s for group in (positives, negatives) for s, count in group.items() for _ in range(count)]
    assert float(sy.measure("roc_auc")(truth, scores, positive=1)) == pytest.approx(7 / 12)
