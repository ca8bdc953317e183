"""NBSVM and Dual-LexiBoost do what their programs say, checked against other solvers and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.utils.estimator_checks import parametrize_with_checks

from steelyard_papers.mullick2020.learners.lexiboost import (
    DualLexiBoost,
    grouped,
    point_weights,
    round_weights,
)
from steelyard_papers.mullick2020.learners.nbsvm import NBSVM


@pytest.mark.filterwarnings("ignore")  # the checks provoke warnings of scikit-learn on purpose
@parametrize_with_checks([NBSVM(), DualLexiBoost()])
def test_scikit_learn_accepts_the_estimators(estimator: Any, check: Any) -> None:
    check(estimator)


def two_clouds(many: int, few: int, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    x = np.vstack([random.normal(0, 1, (many, 2)), random.normal(1.2, 1, (few, 2))])
    return x, np.repeat([-1, 1], [many, few])


def test_nbsvm_solves_its_own_quadratic_program() -> None:
    x, y = two_clouds(24, 8)
    sigma, cost = 1.3, 0.7
    n, share = len(y), {c: float((y == c).mean()) for c in (-1, 1)}
    kernel = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2) / (2 * sigma**2))
    margins = np.array([share[c] for c in y])
    upper = np.array([cost * n / (y == c).sum() for c in y])
    signed = kernel * np.outer(y, y)
    solved = minimize(
        lambda a: 0.5 * a @ signed @ a - margins @ a,
        np.full(n, 0.05),
        jac=lambda a: signed @ a - margins,
        method="SLSQP",
        bounds=[(0, u) for u in upper],
        constraints=[{"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y.astype(float)}],
        options={"maxiter": 2000, "ftol": 1e-13},
    )
    assert solved.success
    inside = (solved.x > 1e-4) & (solved.x < upper - 1e-4)
    assert inside.any()
    offset = np.median((y * margins - kernel @ (solved.x * y))[inside])  # y f = p_y at the free points
    expected = kernel @ (solved.x * y) + offset
    ours = NBSVM(C=cost, sigma=sigma).fit(x, y).decision_function(x)
    # The estimator's f is twice the program's: SVC has margins 1 and 1 where the program has p and 1 - p, moved by p_+ - p_-.
    assert ours == pytest.approx(2 * expected, abs=5e-3)


def test_nbsvm_takes_the_largest_of_many_classes() -> None:
    random = np.random.default_rng(1)
    corners = np.array([[0, 0], [6, 0], [0, 6]])
    y = np.repeat(["a", "b", "c"], [60, 20, 10])
    x = corners[np.repeat([0, 1, 2], [60, 20, 10])] + random.normal(size=(90, 2))
    model = NBSVM().fit(x, y)
    assert (model.predict(corners) == ["a", "b", "c"]).all()
    assert model.decision_function(corners).shape == (3, 3)


def whole_program(codes: Any, margins: Any, sizes: Any, least: Any) -> float:
    """Stage 2 with one variable for each point, as it is written."""
    n, rounds, classes = len(codes), margins.shape[1], len(sizes)
    cost = np.concatenate([np.zeros(n), least / sizes, [1.0]])
    rows = np.hstack([margins.T, np.zeros((rounds, classes)), -np.ones((rounds, 1))])
    bound = np.hstack([np.eye(n), -np.eye(classes)[codes] / sizes[codes][:, None], np.zeros((n, 1))])
    solved = linprog(
        cost,
        A_ub=np.vstack([rows, bound]),
        b_ub=np.zeros(rounds + n),
        A_eq=np.concatenate([np.ones(n), np.zeros(classes + 1)])[None],
        b_eq=[1],
        bounds=[(0, None)] * (n + classes) + [(None, None)],
    )
    return float(solved.fun)


def test_grouping_points_keeps_the_optimum() -> None:
    random = np.random.default_rng(2)
    for _ in range(5):
        codes = np.repeat([0, 1], [12, 5])
        margins = random.choice([-1, 1], size=(17, 3), p=[0.3, 0.7])
        sizes, least = np.array([12, 5]), random.uniform(0, 4, 2)
        groups = grouped(codes, margins)
        weights, optimum = point_weights(groups, sizes, least)
        assert optimum == pytest.approx(whole_program(codes, margins, sizes, least), abs=1e-8)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()


def test_the_last_program_by_hand() -> None:
    # One round is right on all of class 0 and on half of class 1, the other on all of class 1 and half of class 0; with L = 0, both get
    # half of the say: the excess is then max over classes of (sum of slacks) / n = 1/2 * 1 = 1/2.
    codes = np.array([0, 0, 1, 1])
    margins = np.array([[1, 1], [1, -1], [1, 1], [-1, 1]])
    say, excess = round_weights(grouped(codes, margins), np.array([2, 2]), np.zeros(2))
    assert say == pytest.approx([0.5, 0.5])
    assert excess == pytest.approx(0.5)


def test_stage_one_leaves_the_weights_alone() -> None:
    # The only u with 0 <= u_i <= 1/n_j and sum u = 1 is 1/n_j: maximise and minimise one entry.
    n = 7
    for sign in (1, -1):
        solved = linprog(sign * np.eye(n)[0], A_eq=np.ones((1, n)), b_eq=[1], bounds=[(0, 1 / n)] * n)
        assert solved.x[0] == pytest.approx(1 / n)


def test_lexiboost_finds_the_few() -> None:
    x, y = two_clouds(200, 20, seed=3)
    model = DualLexiBoost().fit(x, y)
    told = model.predict(x)
    assert (told[y == 1] == 1).mean() > 0.7
    assert (told[y == -1] == -1).mean() > 0.7
    assert model.say_.sum() == pytest.approx(1)
    assert len(model.say_) == len(model.weights_) <= 10
