"""Dual-LexiBoost with k-nearest neighbours (Datta, Nag and Das 2019): boosting that solves a linear program
for every round's weights.

The base learner is a vote of the k nearest training points, each with its weight of the round; a training
point counts as its own neighbour. Stage 1 finds for each class the least sum of slacks L_j that it could have
alone; stage 2 reweights the points so that no class is worse off than its L_j by more than the least possible
excess, and the last program weights the rounds.

Two facts keep the programs small. In stage 1 the constraints 0 <= u_i <= 1/n_j and sum u = 1 leave only u_i =
1/n_j, so nothing is reweighted, all rounds are alike, and L_j is twice the number of points of class j that
the first round gets wrong. And points of one class that all rounds so far judged alike can share their weight
equally, so a program needs one variable for each such group. Degenerate programs have many solutions; the one
taken is what scipy's HiGHS gives for the grouped program. More than two classes (argmax of the weighted
votes, D_1 = 1/(k n_j)) is inferred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

Array = NDArray[Any]


class Groups(NamedTuple):
    """Points of one class on which all rounds agree: their class, how many, how each round judged them, and
    each point's group."""

    class_: Array
    size: Array
    margins: Array
    """+1 where a round is right, -1 where it is wrong; shape (groups, rounds)."""
    of_point: Array


def grouped(codes: Array, margins: Array) -> Groups:
    """Which points have the same class and the same margins?"""
    patterns, which, sizes = np.unique(
        np.column_stack([codes, margins]), axis=0, return_inverse=True, return_counts=True
    )
    return Groups(patterns[:, 0], sizes, patterns[:, 1:], which.reshape(-1))


def point_weights(
    groups: Groups, class_sizes: Array, least: Array, solver: str = "highs"
) -> tuple[Array, float]:
    """Stage 2: the weights of the points for the next round, and the optimum.

    min sum_j eta_j L_j / n_j + gamma s.t. sum_i u_i m_s(i) <= gamma for every round s, u_i <= eta_j / n_j,
    sum u = 1, u, eta >= 0. (The term - sum u of the program is the constant -1.)
    """
    many, rounds, classes = len(groups.size), groups.margins.shape[1], len(class_sizes)
    # variables: the weight of each group, eta of each class, gamma
    cost = np.concatenate([np.zeros(many), least / class_sizes, [1.0]])
    below_gamma = np.hstack([groups.margins.T, np.zeros((rounds, classes)), -np.ones((rounds, 1))])
    bounded = np.zeros((many, many + classes + 1))
    bounded[np.arange(many), np.arange(many)] = 1
    bounded[np.arange(many), many + groups.class_] = -groups.size / class_sizes[groups.class_]
    total = np.concatenate([np.ones(many), np.zeros(classes + 1)])[None]
    solved = linprog(
        cost,
        A_ub=np.vstack([below_gamma, bounded]),
        b_ub=np.zeros(rounds + many),
        A_eq=total,
        b_eq=[1.0],
        bounds=[(0, None)] * (many + classes) + [(None, None)],
        method=solver,
    )
    if solved.status != 0:
        raise RuntimeError(f"the linear program of Dual-LexiBoost was not solved: {solved.message}")
    weights = np.maximum(solved.x[:many], 0) / groups.size
    return weights[groups.of_point] / (weights * groups.size).sum(), float(solved.fun)


def round_weights(
    groups: Groups, class_sizes: Array, least: Array, solver: str = "highs"
) -> tuple[Array, float]:
    """The last program: how much say has each round, and by how much does the worst-off class exceed its
    L_j?

    min delta s.t. sum_t a_t m_t(i) + xi_i >= 1, sum_(i in j) xi_i - n_j delta <= L_j, sum a = 1, a, xi >= 0.
    """
    many, rounds, classes = len(groups.size), groups.margins.shape[1], len(class_sizes)
    # variables: a of each round, the slack of each group (the sum over its points), delta
    cost = np.concatenate([np.zeros(rounds + many), [1.0]])
    margins = np.hstack([-groups.size[:, None] * groups.margins, -np.eye(many), np.zeros((many, 1))])
    excess = np.zeros((classes, rounds + many + 1))
    excess[groups.class_, rounds + np.arange(many)] = 1
    excess[:, -1] = -class_sizes
    solved = linprog(
        cost,
        A_ub=np.vstack([margins, excess]),
        b_ub=np.concatenate([-groups.size.astype(float), least]),
        A_eq=np.concatenate([np.ones(rounds), np.zeros(many + 1)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * (rounds + many) + [(None, None)],
        method=solver,
    )
    if solved.status != 0:
        raise RuntimeError(f"the last linear program of Dual-LexiBoost was not solved: {solved.message}")
    say = np.maximum(solved.x[:rounds], 0)
    return say / say.sum(), float(solved.fun)


class DualLexiBoost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boosted votes of the nearest neighbours, with weights from linear programs.

    What the description leaves open can be set otherwise: `own_vote` (is a training point its own
    neighbour?), `equal_say` (does every round have one vote, instead of the last program's?) and `solver`.
    """

    def __init__(
        self,
        n_rounds: int = 10,
        n_neighbors: int = 3,
        own_vote: bool = True,
        equal_say: bool = False,
        solver: str = "highs",
    ) -> None:
        self.n_rounds = n_rounds
        self.n_neighbors = n_neighbors
        self.own_vote = own_vote
        self.equal_say = equal_say
        self.solver = solver

    def fit(self, X: Any, y: Any) -> DualLexiBoost:  # noqa: N803 as scikit-learn names it
        X, y = validate_data(self, X, y)  # noqa: N806
        check_classification_targets(y)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"DualLexiBoost needs two classes at least, but the data hold 1 class: {self.classes_[0]}"
            )
        sizes = np.bincount(self.codes_)
        self.search_ = NearestNeighbors(
            n_neighbors=min(self.n_neighbors, len(self.codes_) - (not self.own_vote))
        ).fit(X)
        near = self.search_.kneighbors(X if self.own_vote else None, return_distance=False)
        start = 1 / (len(sizes) * sizes[self.codes_])
        right = self._votes(near, start).argmax(axis=1) == self.codes_
        least = 2.0 * np.bincount(self.codes_, weights=~right)  # stage 1, see above
        self.weights_: list[Array] = []
        margins = np.empty((len(self.codes_), 0), dtype=np.int64)
        weights = start
        for _ in range(self.n_rounds):
            right = self._votes(near, weights).argmax(axis=1) == self.codes_
            if self.weights_ and weights[right].sum() < 0.5:
                break  # the round is worse than chance on its own weights
            self.weights_.append(weights)
            margins = np.column_stack([margins, np.where(right, 1, -1)])
            groups = grouped(self.codes_, margins)
            weights, _ = point_weights(groups, sizes, least, self.solver)
        self.say_, self.excess_ = round_weights(grouped(self.codes_, margins), sizes, least, self.solver)
        if self.equal_say:
            self.say_ = np.full(len(self.weights_), 1 / len(self.weights_))
        return self

    def _votes(self, near: Array, weights: Array) -> Array:
        """The weight of the neighbours of each class; where all have weight 0, their number decides."""
        votes = np.zeros((len(near), len(self.classes_)))
        plain = np.zeros_like(votes)
        rows = np.arange(len(near))
        for column in near.T:
            np.add.at(votes, (rows, self.codes_[column]), weights[column])
            np.add.at(plain, (rows, self.codes_[column]), 1.0)
        return np.where(votes.any(axis=1, keepdims=True), votes, plain)

    def decision_function(self, X: Any) -> Any:  # noqa: N803
        """How much say speaks for each class; for two classes, by how much the second leads."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)  # noqa: N806
        near = self.search_.kneighbors(X, return_distance=False)
        total = np.zeros((len(near), len(self.classes_)))
        for say, weights in zip(self.say_, self.weights_, strict=True):
            total[np.arange(len(near)), self._votes(near, weights).argmax(axis=1)] += say
        return total[:, 1] - total[:, 0] if len(self.classes_) == 2 else total

    def predict(self, X: Any) -> Any:  # noqa: N803
        values = self.decision_function(X)
        return self.classes_[(values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)]
