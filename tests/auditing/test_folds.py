"""Means over folds, against every way in which small folds can come out."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.folds import Folds
from steelyard.auditing.problem.printed_numbers import figure, statements
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.errors import InputError, UnknownNameError
from tests.auditing.brute_force import matrices, values


def ways(name: str, folds: list[tuple[int, int]]) -> np.ndarray:
    """The values of a measure in each fold, for every way in which the folds can come out: (ways, folds)."""
    per_fold = [values(name, matrices(fold)) for fold in folds]
    grids = np.meshgrid(*per_fold, indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1)


def fits(printed: dict[str, str], folds: list[tuple[int, int]]) -> bool:
    good = None
    for name, text in printed.items():
        mean = ways(name, folds).mean(axis=1)
        near = np.abs(mean - float(text)) <= 0.5 / 10 ** len(text.partition(".")[2]) + 1e-12
        good = near if good is None else good & near
    return bool(good is not None and good.any())


def test_means_over_folds_against_every_way() -> None:
    rng = random.Random(7)
    folds = [(3, 4), (3, 4), (2, 4)]
    sizes = sizes_of(Options("", "pos=8, neg=12"), [])
    setting = Folds(sizes, 3, ((3, 4), (3, 4), (2, 4)))
    seen = set()
    for _ in range(10):
        names = rng.sample(["accuracy", "recall", "specificity", "precision", "f1"], 2)
        means = {name: ways(name, folds).mean(axis=1) for name in names}
        defined = np.flatnonzero(~np.isnan(sum(means.values())))
        way = int(rng.choice(defined.tolist()))
        printed = {name: f"{means[name][way]:.3f}" for name in names}
        if rng.random() < 0.6:
            printed[names[0]] = f"{min(1.0, float(printed[names[0]]) + rng.choice((0.004, 0.01, 0.02))):.3f}"
        demands = demands_of(statements(printed), sizes, None, "nearest", True)
        decision = setting.decide(demands, Budget(20))
        assert decision.answer == ("possible" if fits(printed, folds) else "impossible"), printed
        seen.add(decision.answer)
    assert seen == {"possible", "impossible"}


@pytest.mark.parametrize(
    ("printed", "divisor"),
    [("recall=0.750 ± 0.250", 0), ("recall=0.750 ± 0.289", 1), ("recall=0.75 ± 0.10", None)],
)
@pytest.mark.usefixtures("verdict_alone")
def test_mean_and_deviation(printed: str, divisor: int | None) -> None:
    # Four folds of four positives: the recalls are quarters.
    quarters = np.array(list(itertools.product(np.arange(5) / 4, repeat=4)))
    for which, name in ((0, "population"), (1, "sample")):
        figures = [figure(text) for text in printed.removeprefix("recall=").split(" ± ")]
        mean, spread = (float(f.value) for f in figures)
        half = [float(f.unit) / 2 + 1e-12 for f in figures]
        good = (np.abs(quarters.mean(axis=1) - mean) <= half[0]) & (
            np.abs(quarters.std(axis=1, ddof=which) - spread) <= half[1]
        )
        result = sy.audit(printed, "pos=16, neg=4", folds=4, deviation=name, seconds=60)
        assert result.verdict == ("possible" if good.any() else "impossible")
        if divisor == which:
            assert result.verdict == "possible"


@pytest.mark.usefixtures("verdict_alone")
def test_the_electrohysterogram_means_cannot_be() -> None:
    # 38 and 262 examples in five stratified folds; mlscorecheck 1.0.3 calls these inconsistent too.
    result = sy.audit(
        "accuracy=0.9447, recall=0.9139, specificity=0.9733", "pos=38, neg=262", folds=5, seconds=1
    )
    assert result.verdict == "impossible"


def test_an_f_measure_of_mean_precision_and_mean_recall_is_recognised() -> None:
    # Two folds of four positives and four negatives: [[4, 0], [0, 4]] and [[1, 3], [1, 3]].
    # Precision 1 and 1/2, recall 1 and 1/4: means 0.75 and 0.625, their F 0.6818; the mean F is (1 + 1/3) / 2 = 0.6667.
    right = sy.audit("precision=0.7500, recall=0.6250, f1=0.6667", "pos=8, neg=8", folds=2)
    assert right.verdict == "possible"
    wrong = sy.audit("precision=0.7500, recall=0.6250, f1=0.6818", "pos=8, neg=8", folds=2)
    assert wrong.verdict == "impossible"
    assert "F of means" in [mistake.id for mistake in wrong.mistakes]


@pytest.mark.usefixtures("verdict_alone")
def test_pooled_folds_are_one_matrix() -> None:
    assert sy.audit("recall=0.86", "pos=8, neg=8", folds=2, aggregate="pooled").verdict == "impossible"
    assert sy.audit("recall=0.88", "pos=8, neg=8", folds=2, aggregate="pooled").witness is not None
    # Means over unequal folds reach values that pooled counts do not: (1 + 1/2 + 1/2) / 3 with 2 + 2 + 1 positives ...
    assert sy.audit("recall=0.667", fold_sizes="1/2, 2/2, 2/2", sizes="pos=5, neg=6").verdict == "possible"
    assert sy.audit("recall=0.667", sizes="pos=5, neg=6", folds=3, aggregate="pooled").verdict == "impossible"


@pytest.mark.usefixtures("verdict_alone")
def test_folds_of_unknown_classes() -> None:
    # With one positive in a fold and three in the other, recall can be (1 + 1/3) / 2.
    assert sy.audit("recall=0.6667", "pos=4, neg=4", folds=2, fold_sizes="unknown").verdict == "possible"
    assert sy.audit("recall=0.6667", "pos=4, neg=4", folds=2).verdict == "impossible"


@pytest.mark.usefixtures("verdict_alone")
def test_unequal_folds_of_unknown_classes_fall_in_any_way() -> None:
    """Folds of 4 and 3: recalls (1/3 + 1) / 2 and specificities (1 + 1/2) / 2 need 3 + 1 positives and 1 + 2 negatives."""
    result = sy.audit(
        "recall=0.6667, specificity=0.7500", "pos=4, neg=3", folds=2, fold_sizes="unknown", seconds=20
    )
    assert result.verdict == "possible"
    assert [[sum(row) for row in fold] for fold in result.decision.matrices] == [[3, 1], [1, 2]]


@pytest.mark.usefixtures("verdict_alone")
def test_three_classes_in_folds_of_unknown_classes_hold_all_examples() -> None:
    result = sy.audit("accuracy=1.00", "a=2, b=2, c=2", folds=2, fold_sizes="unknown", seconds=20)
    assert result.verdict == "possible"
    assert np.sum(result.decision.matrices, axis=0).tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    assert [np.sum(fold) for fold in result.decision.matrices] == [3, 3]


@pytest.mark.parametrize(
    ("deviation", "verdict"), [("population", "possible"), ("sample", "impossible"), ("either", "possible")]
)
@pytest.mark.usefixtures("verdict_alone")
def test_recalls_of_0_and_1_deviate_by_a_half_of_the_two(deviation: str, verdict: str) -> None:
    """By n - 1 it would be 0.71."""
    result = sy.audit("recall=0.50 ± 0.50", "pos=2, neg=2", folds=2, deviation=deviation, seconds=20)
    assert result.verdict == verdict


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"folds": 1}, "at least 2 folds"),
        ({"folds": 20}, "fewer examples than there are folds"),
        ({"folds": 2, "aggregate": "sum"}, "aggregate= has no such value; found 'sum'"),
        ({"folds": 2, "deviation": "some"}, "deviation= has no such value; found 'some'"),
        ({"fold_sizes": "1/2/3, 4/5/6"}, "do not add up to the class sizes"),
        ({"fold_sizes": "many"}, "not understood"),
    ],
)
def test_wrong_folds_are_refused(more: dict[str, object], says: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=says):
        sy.audit("recall=0.5", "pos=8, neg=12", **more)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sizes of all classes"):
        sy.audit("recall=0.5", folds=3)


@pytest.mark.usefixtures("without_mistakes")
def test_a_deviation_that_no_numbers_between_0_and_1_can_have() -> None:
    """Ten numbers from 0 to 1 with mean 0.855 have a deviation of sqrt(0.855 * 0.145 * 10 / 9) = 0.371 at most."""
    printed = "accuracy=0.933 ± 0.021, recall=0.85 ± 0.5"
    how: dict[str, Any] = {"folds": 10, "fold_sizes": "unknown"}
    found = sy.audit(printed, "pos=100, neg=200", seconds=2, **how)
    assert found.verdict == "impossible"
    # a slow machine may not find in time that accuracy has no part in it
    assert {"recall = 0.85", "deviation of recall = 0.5"} <= {*found.to_dict()["contradiction"]["values"]}
    assert sy.audit("recall=0.85 ± 0.36", "pos=100, neg=200", seconds=0.5, **how).verdict != "impossible"
    assert "of the " in (said := found.to_dict()["sentence"])
    assert "outcomes of 10 folds with class sizes pos=100, neg=200" in said
