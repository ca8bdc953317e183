"""The posterior against closed forms and against prob_conf_mat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty import dirichlet_posterior
from steelyard.uncertainty.dirichlet_posterior import (
    _chosen,
    answers,
    disagreement_of_prior,
    error_shares,
    false_alarms,
    posterior_centres,
    posterior_matrices,
    prior_parameters,
    similar_recalls,
    weight_of_counts,
)
from steelyard.uncertainty.resampling import Simulation, drawn_values

DRAWS = 20_000


def recalls(counts: list[list[int]], prior: str, models: int = 1) -> np.ndarray:
    joint = JointCounts.from_confusion(sy.Confusion(counts))
    matrices = posterior_matrices(joint, True, prior, np.random.default_rng(5), DRAWS)[0]
    return np.diagonal(matrices, axis1=1, axis2=2) / matrices.sum(axis=2)


@pytest.mark.parametrize(("prior", "strength"), [("jeffreys", 0.5), ("uniform", 1.0)])
@pytest.mark.parametrize(
    "counts",
    [
        [[7, 2], [30, 961]],
        [[5, 0, 0], [3, 8, 1], [0, 0, 40]],
        [[4, 1, 1, 0], [0, 9, 0, 0], [1, 1, 1, 1], [0, 0, 9, 0]],
    ],
)
def test_a_recall_has_its_beta_posterior(counts: list[list[int]], prior: str, strength: float) -> None:
    """k of n: Beta(k + s, n - k + s), whatever the number of classes. The draws' distribution function is compared everywhere."""
    found = np.sort(recalls(counts, prior), axis=0)
    steps = np.arange(1, DRAWS + 1) / DRAWS
    for i, row in enumerate(counts):
        exact = special.betainc(row[i] + strength, sum(row) - row[i] + strength, found[:, i])
        assert np.abs(exact - steps).max() < 1.95 / np.sqrt(DRAWS)  # Kolmogorov's bound at 0.1%


def test_the_shared_prior_speaks_of_the_other_classes_recall() -> None:
    """Three classes with recalls 8/10, 1/2 and 30/40: a part of 2/3 of the first class's prior example is its own (0.1 of 0.1 + 0.1 +
    0.025, times 3/2), so it is worth 2/3 1/2 + 1/3 5/8 = 13/24 hits, and the posterior weighs 10 - 1 + 4/3 examples, not 11. The
    second class wants 1/3 false alarm and has (2/3 + 1/6) / 4 = 5/24 of the others, so that 1/8 comes by size, 1/40 of the first
    class. With two classes it is Jeffreys' prior."""
    counts = [[8, 1, 1], [3, 5, 2], [4, 6, 30]]
    found = np.sort(recalls(counts, "shared")[:, 0])
    weight = (10 - 1 + 4 / 3) / 11
    exact = special.betainc((8 + 13 / 24) * weight, (2 + 11 / 24 + 1 / 40) * weight, found)
    assert np.abs(exact - np.arange(1, DRAWS + 1) / DRAWS).max() < 1.95 / np.sqrt(DRAWS)
    two = [[7, 2], [30, 961]]
    assert np.array_equal(recalls(two, "shared"), recalls(two, "jeffreys"))


def test_a_rare_class_among_large_ones_attracts_half_a_false_alarm() -> None:
    """As it does where it is told apart from the rest: 1/2 in all, from the others in proportion to their size. Equally
    large classes have theirs from the other classes' errors, 1/2 (C - 1) each."""
    sizes = np.array([2000, 1000, 20])
    found = prior_parameters(np.diag(sizes), "shared")
    assert found[:2, 2].sum() == pytest.approx(0.5)
    assert found[0, 2] - found[0, 1] == pytest.approx(2 * (found[1, 2] - found[1, 0]))
    assert found[0, 1] < 0.004
    assert not false_alarms(sizes, "jeffreys").any()
    assert not false_alarms(np.array([5, 400]), "shared").any()
    alike = np.full(6, 30)
    assert not false_alarms(alike, "shared").any()
    found = prior_parameters(np.diag(alike), "shared")
    assert (found.sum(axis=0) - np.diagonal(found)).tolist() == pytest.approx([0.1] * 6)


def test_recalls_are_borrowed_from_classes_of_similar_size() -> None:
    """Weights are ratios of sizes. Class of 10: 10/20 of recall 1/2 and 10/40 of recall 1/4, so (1/4 + 1/16) / (3/4) = 5/12;
    class of 20: 1/2 of 9/10 and 1/2 of 1/4; class of 40: 1/4 of 9/10 and 1/2 of 1/2."""
    found = similar_recalls(np.array([9, 10, 10, 0]), np.array([10, 20, 40, 0]))
    assert found.tolist() == pytest.approx([5 / 12, (0.9 + 0.25) / 2, (0.9 / 4 + 0.25) / 0.75, 0])
    shuffled = similar_recalls(np.array([10, 0, 9, 10]), np.array([40, 0, 10, 20]))
    assert shuffled.tolist() == pytest.approx(found[[2, 3, 0, 1]].tolist())


def test_errors_of_costs_go_where_errors_were_seen() -> None:
    counts = np.array([[8, 1, 1, 0], [0, 9, 0, 0], [0, 3, 7, 1], [0, 0, 0, 5]])
    found = error_shares(counts, "observed")
    assert found[0].tolist() == [0, 0.5, 0.5, 0]
    # no error of its own: as errors fell into it
    assert found[1].tolist() == [0.25, 0, 0.75, 0]
    assert found[3].tolist() == [0, 0, 1, 0]
    assert error_shares(np.eye(3), "observed") == pytest.approx((1 - np.eye(3)) / 2)


def test_errors_go_where_classes_attract_them_as_far_as_counts_show_it() -> None:
    """By hand: 0, 4, 1 and 1 errors fall on the classes, 4/3, 2, 2/3 and 2 would if all were alike. Pearson's sum of squares is
    4/3 + 2 + 1/6 + 1/2 = 4, so chance explains 3/4 of it and the classes attract 1, 5/2, 3/4 and 7/4: 3/4, 5/4, 9/8 and 7/8 of what
    they would."""
    counts = np.array([[8, 1, 1, 0], [0, 9, 0, 0], [0, 3, 7, 1], [0, 0, 0, 5]])
    assert error_shares(counts, "shared")[1].tolist() == pytest.approx([6 / 22, 0, 9 / 22, 7 / 22])
    assert error_shares(np.diag([5, 5, 5]), "shared") == pytest.approx((1 - np.eye(3)) / 2)
    hub = np.diag([50] * 10)
    hub[1:, 0] = 10
    assert error_shares(hub, "shared")[1, 2] < 0.01 < 0.9 < error_shares(hub, "shared")[1, 0]
    assert error_shares(hub, "jeffreys")[1, 2] == pytest.approx(1 / 9)


def test_unlike_empty_cells_of_many_classes_have_their_own_parameters() -> None:
    """One class of 4 among 13 of 60 has a part of 0.58 of its own: false alarms that fall into it have the mean of the Dirichlet distribution."""
    counts = np.diag([60] * 13 + [4])
    joint = JointCounts.from_confusion(sy.Confusion(counts, range(14)))
    drawn = posterior_matrices(joint, True, "shared", np.random.default_rng(3), DRAWS)[0]
    into = drawn[:, :13, 13].sum(axis=1)
    expected = posterior_centres(joint, True, "shared")[0, :13, 13].sum()
    assert 0.25 < expected < 0.3
    assert into.mean() == pytest.approx(expected, abs=5 * into.std() / np.sqrt(DRAWS))


def test_the_draws_lie_around_their_centre() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 25, 6])
    p, q = (np.where(rng.random(91) < rate, y, rng.integers(0, 3, 91)) for rate in (0.7, 0.5))
    joint = JointCounts.from_columns(y, {"p": p, "q": q})
    for fixed in (True, False):
        for prior in ("shared", "jeffreys", "uniform"):
            drawn = posterior_matrices(joint, fixed, prior, np.random.default_rng(1), DRAWS)
            error = 5 * drawn.std(axis=1) / np.sqrt(DRAWS) + 1e-4
            assert (np.abs(drawn.mean(axis=1) - posterior_centres(joint, fixed, prior)) < error).all()


def test_many_classes_are_drawn_as_few_are() -> None:
    """Where most cells are empty they share a stick: every cell still has the Beta distribution of its Dirichlet parameter."""
    counts = np.eye(14, dtype=int) * 6
    counts[0, 1:4] = 2
    joint = JointCounts.from_confusion(sy.Confusion(counts, range(14)))
    rates = (
        posterior_matrices(joint, True, "jeffreys", np.random.default_rng(5), DRAWS)[0]
        / counts.sum(axis=1)[:, None]
    )
    each = 0.5 / 13
    for (i, j), parameter, total in (
        ((0, 0), 6.5, 13),
        ((0, 2), 2 + each, 13),
        ((0, 9), each, 13),
        ((5, 5), 6.5, 7),
        ((5, 0), each, 7),
    ):
        found = rates[:, i, j]
        for at in (1e-3, 0.02, 0.2, 0.5, 0.8):
            below = special.betainc(parameter, total - parameter, at)
            assert np.mean(found <= at) == pytest.approx(
                below, abs=4 * np.sqrt(below * (1 - below) / DRAWS) + 1e-3
            )


def test_balanced_accuracy_is_that_of_brodersen2010() -> None:
    """With the uniform prior: the mean of two independent Beta variables, whose distribution is a convolution."""
    counts = [[45, 5], [3, 7]]
    joint = JointCounts.from_confusion(sy.Confusion(counts))
    values = drawn_values(joint, [sy.measure("balanced_accuracy")], Simulation(prior="uniform", draws=DRAWS))[
        "balanced_accuracy"
    ][0]
    grid = (np.arange(20_000) + 0.5) / 20_000
    density = np.diff(special.betainc(46, 6, np.linspace(0, 1, 20_001)))
    for quantile in (0.025, 0.25, 0.5, 0.75, 0.975):
        at = np.quantile(values, quantile)
        below = (density * special.betainc(8, 4, np.clip(2 * at - grid, 0, 1))).sum()
        assert below == pytest.approx(quantile, abs=4 * np.sqrt(quantile * (1 - quantile) / DRAWS))


def test_agrees_with_prob_conf_mat() -> None:
    record = json.loads(
        (Path(__file__).parents[1] / "oracles" / "prob_conf_mat.json").read_text(encoding="utf-8")
    )
    assert record["version"] == "0.4.0"
    for case in record["cases"]:
        joint = JointCounts.from_confusion(sy.Confusion(case["counts"]))
        chosen = [sy.measure(name) for name in case["values"]]
        drawn = drawn_values(
            joint, chosen, Simulation(design="multinomial", prior=case["prior"], draws=DRAWS)
        )
        for m in chosen:
            theirs, values = case["values"][m.name], drawn[m.name][0]
            where = f"{m.name} on {case['case']}, {case['prior']}"
            assert values.mean() == pytest.approx(theirs["mean"], abs=5 * theirs["sd"] / np.sqrt(DRAWS)), (
                where
            )
            assert values.std() == pytest.approx(theirs["sd"], rel=0.03), where
            low, high = np.quantile(values, [0.025, 0.975])
            assert np.mean(values < theirs["low"]) == pytest.approx(0.025, abs=0.004), where
            assert np.mean(values > theirs["high"]) == pytest.approx(0.025, abs=0.004), where
            assert low < high


def test_each_model_of_a_pair_has_the_posterior_it_has_alone() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 25, 6])
    p, q = (
        np.where(rng.random(91) < 0.7, y, rng.integers(0, 3, 91)),
        np.where(rng.random(91) < 0.5, y, rng.integers(0, 3, 91)),
    )
    joint = JointCounts.from_columns(y, {"p": p, "q": q})
    chosen = [sy.measure("CBA"), sy.measure("gmean"), sy.measure("mcc")]
    for prior in ("shared", "jeffreys", "uniform"):
        together = drawn_values(joint, chosen, Simulation(prior=prior, draws=DRAWS))
        for k in (0, 1):
            alone = drawn_values(joint.only([k]), chosen, Simulation(prior=prior, draws=DRAWS, seed=9))
            for m in chosen:
                a, b = together[m.name][k], alone[m.name][0]
                assert a.mean() == pytest.approx(b.mean(), abs=6 * b.std() / np.sqrt(DRAWS)), (
                    m.name,
                    prior,
                    k,
                )
                assert np.allclose(
                    np.quantile(a, [0.025, 0.975]),
                    np.quantile(b, [0.025, 0.975]),
                    atol=0.05 * b.std() + 0.003,
                )


def test_a_class_without_examples_stays_without() -> None:
    joint = JointCounts.from_confusion(sy.Confusion([[5, 1, 0], [1, 5, 2], [0, 0, 0]], ["a", "b", "c"]))
    for stratified in (True, False):
        matrices = posterior_matrices(joint, stratified, "jeffreys", np.random.default_rng(0), 50)[0]
        assert (matrices[:, 2] == 0).all()
        assert np.allclose(matrices.sum(axis=(1, 2)), 14)


@pytest.mark.parametrize("models", [2, 3, 4, 7])
def test_models_differ_in_the_prior_as_often_as_is_said(models):
    """Each model's numbers are uniform whatever the others are; two of them lie on different sides of 1/2 as
    often as `disagreement_of_prior` says: 3/4 of the time for two, else floor(M/2) ceil(M/2) of the M (M - 1) / 2
    pairs. 20,000 draws: five standard errors are below 0.018."""
    drawn = answers(models, (20_000,), np.random.default_rng(8))
    for row in drawn:
        assert np.histogram(row, 10, (0, 1))[0] / 20_000 == pytest.approx(0.1, abs=0.011)
    pairs = [(a, b) for a in range(models) for b in range(a)]
    differ = np.mean([((drawn[a] < 0.5) != (drawn[b] < 0.5)).mean() for a, b in pairs])
    assert differ == pytest.approx(disagreement_of_prior(models), abs=0.018)


def test_two_models_that_agree_on_few_examples_may_still_differ():
    """Two models find all of 20 rare examples: both, the first alone, the second alone and neither have a Dirichlet posterior of
    20 + 1/8, 3/8, 3/8 and 1/8, drawn here by NumPy. The 97.5% points of the difference of two recalls agree."""
    truth = ["a"] * 20 + ["b"] * 50
    joint = JointCounts.from_columns(truth, {"first": truth, "second": [*truth[:-1], "a"]})
    drawn = posterior_matrices(joint, True, "shared", np.random.default_rng(0), DRAWS)[:, :, 0, 0] / 20
    both = np.random.default_rng(1).dirichlet([20 + 1 / 8, 3 / 8, 3 / 8, 1 / 8], DRAWS)
    expected = np.quantile(both[:, 1] - both[:, 2], [0.025, 0.975])
    assert np.quantile(drawn[0] - drawn[1], [0.025, 0.975]) == pytest.approx(expected, rel=0.08)


def test_what_the_counts_of_equal_classes_weigh() -> None:
    """n examples and a prior example of which a part 1 / (C - 1) is the class's own weigh n - 1 + 2 / (C - 1), less (n / (n + 1))² of
    what is borrowed; of fewer than three classes, or without a shared prior, n + 1."""
    for classes in (3, 4, 5):
        own = 1 / (classes - 1)
        found = weight_of_counts(np.full(classes, 20), "shared")
        assert found == pytest.approx(np.full(classes, (19 + 2 * own - (1 - own) * 400 / 441) / 21))
    assert weight_of_counts(np.array([20, 20, 0]), "shared").tolist() == [1, 1, 1]
    assert weight_of_counts(np.full(3, 20), "jeffreys").tolist() == [1, 1, 1]


@pytest.mark.parametrize(("examples", "recall"), [(4, 0.5), (5, 0.35), (12, 0.8)])
def test_the_spread_of_a_mean_over_many_classes_is_that_of_test_sets(examples: int, recall: float) -> None:
    """The mean recall of C classes of n examples has the variance p (1 - p) / (n C) over test sets; the posterior's, on average over
    test sets, is the same."""
    classes, random, variances = 40, np.random.default_rng(7), []
    for _ in range(25):
        hits = random.binomial(examples, recall, classes)
        counts = np.diag(hits)
        counts[np.arange(classes), (np.arange(classes) + 1) % classes] = examples - hits
        joint = JointCounts.from_confusion(sy.Confusion(counts, range(classes)))
        drawn = posterior_matrices(joint, True, "shared", random, 400)[0]
        variances.append(np.diagonal(drawn, axis1=1, axis2=2).mean(axis=1).var() / examples**2)
    assert np.mean(variances) == pytest.approx(recall * (1 - recall) / (examples * classes), rel=0.06)


def test_a_class_of_one_example_attracts_false_alarms_too() -> None:
    """1, 50 and 50 examples: the prior of the first is all its own, of the others a part of 0.02 / 1.04 * 3/2. The first wants half a
    false alarm and has a quarter of the others' parts, the rest comes from both alike."""
    part = 0.02 / 1.04 * 3 / 2
    found = false_alarms(np.array([1, 50, 50]), "shared")
    assert found[:, 0].tolist() == pytest.approx([0, (0.5 - 2 * part / 4) / 2, (0.5 - 2 * part / 4) / 2])
    assert not found[:, 1:].any()


def test_nothing_falls_on_a_place_without_a_part() -> None:
    """Not even the largest uniform number, which becomes 1 where it is added to the number of a later row."""
    parts = np.tile([0.0, 0.25, 0.75, 0.0, 0.0], (9, 1))
    largest = np.nextafter(1, 0)
    assert _chosen(parts, np.full((1, 9), largest)).tolist() == [[2] * 9]
    assert _chosen(parts, np.array([[0.0, 0.2, 0.3, 0.9, largest] + [0.0] * 4])).tolist()[0][:5] == [
        1,
        1,
        2,
        2,
        2,
    ]


def test_the_prior_of_the_class_sizes_is_worth_one_example() -> None:
    """1, 1 and 8 examples and a third of one each, of 11; half an example each where nothing is shared, of 11.5."""
    joint = JointCounts.from_confusion(sy.Confusion([[1, 0, 0], [0, 1, 0], [2, 0, 6]]))
    for prior, own in (("shared", 1 / 3), ("jeffreys", 1 / 2)):
        centre = posterior_centres(joint, False, prior)[0].sum(axis=1)
        expected = (np.array([1, 1, 8]) + own) / (10 + 3 * own)
        assert centre / centre.sum() == pytest.approx(expected)


@pytest.mark.parametrize(("left", "pieces"), [(1e-4, 14), (1e-2, 7)])
def test_a_stick_that_is_broken_less_often_spreads_hardly_more(left: float, pieces: int) -> None:
    """Of one example. Broken for ever its pieces have squares that add up to 1 / 2 on average; the last of k pieces would
    be broken further, and has a square of (1 / 3)^(k - 1) on average, half of which is too much."""
    lengths = dirichlet_posterior._stick(np.asarray(1.0), left, np.random.default_rng(0), (200_000,))
    assert lengths.shape == (200_000, pieces)
    assert lengths.sum(axis=1).mean() == pytest.approx(1, abs=0.01)
    squares = ((lengths / lengths.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    expected = 1 / 2 + (1 / 3) ** (pieces - 1) / 2
    assert squares.mean() == pytest.approx(expected, abs=5 * squares.std() / 200_000**0.5)
    assert expected < 0.5 * 1.0014


def test_short_sticks_leave_the_draws_of_rare_classes_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three models, five rows of a rare class and thousands of the others: the spread of each recall of the rare class,
    and of the differences between them, is that of sticks of twice as many pieces."""
    random = np.random.default_rng(6)
    truth = np.repeat([0, 1, 2], [12_000, 6_000, 5])
    models = {
        f"m{k}": np.where(random.random(len(truth)) < 0.8, truth, random.integers(0, 3, len(truth)))
        for k in range(3)
    }
    joint = JointCounts.from_columns(truth, models)
    monkeypatch.setattr(dirichlet_posterior, "is_many", lambda counts: True)
    monkeypatch.setattr(dirichlet_posterior, "masses", gammas)
    recalls = []
    for left in (1e-4, 1e-2):
        monkeypatch.setattr(dirichlet_posterior, "_LEFT_AMONG_MANY", left)
        drawn = dirichlet_posterior.posterior_matrices(
            joint, True, "shared", np.random.default_rng(1), 20_000
        )
        recalls.append(np.diagonal(drawn, axis1=2, axis2=3)[..., 2] / 5)
    long, short = recalls
    assert short.mean(axis=1) == pytest.approx(long.mean(axis=1), abs=0.01)
    # the standard deviation of 20,000 draws is known to half a per cent
    assert short.std(axis=1) == pytest.approx(long.std(axis=1), rel=0.03)
    assert (short[0] - short[1]).std() == pytest.approx((long[0] - long[1]).std(), rel=0.03)
    for share in (0.025, 0.975):
        assert np.quantile(short, share, axis=1) == pytest.approx(np.quantile(long, share, axis=1), abs=0.02)


def gammas(counts: JointCounts, weight: Any, random: np.random.Generator, size: int) -> Any:
    """Sums of Gamma numbers of the cells, one for each."""
    shapes = counts.counts * weight[counts.truth]
    return counts.matrices(random.standard_gamma(shapes, size=(size, len(shapes))))
