"""Experimental protocol of mullick2020, section 5.2: cross-validation, then resampled test sets.

Each run is a stratified five-fold cross-validation, so that every example is predicted by a model that has
not seen it. From these predictions test sets are made in two ways. *Kept*: a class is only ever enlarged,
each of its examples being taken equally often but for a random remainder, so that its rates stay what they
are and only the class proportions change. *Fresh*: as many examples as the data set has are drawn anew with
the wanted proportions, so that class rates move as much as sampling moves them and no more.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard_papers.data import Features

Array = NDArray[Any]

LEARNERS = ("Dual-LexiBoost", "NBSVM", "RUSBoost", "MLP+SMOTE")
# NBSVM is tuned on at most this many training examples.
TUNED_ON = 600


def learner(name: str, smallest: int, seed: int) -> Any:
    """One of the four learners; `smallest` is the number of training examples of the rarest class."""
    from imblearn.ensemble import RUSBoostClassifier
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline
    from sklearn.neural_network import MLPClassifier
    from sklearn.tree import DecisionTreeClassifier

    from steelyard_papers.mullick2020.learners.lexiboost import DualLexiBoost

    if name == "Dual-LexiBoost":
        return DualLexiBoost(n_rounds=10, n_neighbors=3)
    if name == "RUSBoost":
        return RUSBoostClassifier(
            DecisionTreeClassifier(max_depth=6, random_state=seed), n_estimators=30, random_state=seed
        )
    if name == "MLP+SMOTE":
        network = MLPClassifier((50,), max_iter=100, early_stopping=True, random_state=seed)
        return make_pipeline(SMOTE(k_neighbors=max(1, min(5, smallest - 1)), random_state=seed), network)
    raise AssertionError(name)


def tuned_nbsvm(x: Array, y: Array, seed: int) -> Any:
    """NBSVM with cost and width chosen by three-fold cross-validation on macro recall."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

    from steelyard_papers.mullick2020.learners.nbsvm import NBSVM

    width = float(np.sqrt(x.shape[1] * x.var() / 2)) or 1.0
    grid = {"C": [1.0, 10.0, 100.0], "sigma": [0.5 * width, width]}
    few_x, few_y = x, y
    if len(y) > TUNED_ON:
        few_x, _, few_y, _ = train_test_split(x, y, train_size=TUNED_ON, stratify=y, random_state=seed)
    folds = min(3, int(np.unique(few_y, return_counts=True)[1].min()))
    if folds < 2:
        return NBSVM(C=10.0, sigma=width).fit(x, y)
    search = GridSearchCV(
        NBSVM(),
        grid,
        scoring="balanced_accuracy",
        cv=StratifiedKFold(folds, shuffle=True, random_state=seed),
        refit=False,
    )
    return NBSVM(**search.fit(few_x, few_y).best_params_).fit(x, y)


def out_of_fold(name: str, data: Features, folds: int, seed: int) -> Array:
    """The prediction for every example by a model trained on the other folds.

    Features standardised on the training part.
    """
    from sklearn.model_selection import StratifiedKFold
    from sklearn.preprocessing import StandardScaler

    predicted = np.empty_like(data.y)
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(data.x, data.y):
        scaler = StandardScaler().fit(data.x[train])
        x, y = scaler.transform(data.x[train]), data.y[train]
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # of networks that have not converged and rounds that were stopped; judged as they are
            if name == "NBSVM":
                model = tuned_nbsvm(x, y, seed)
            else:
                model = learner(name, int(np.unique(y, return_counts=True)[1].min()), seed).fit(x, y)
        predicted[test] = model.predict(scaler.transform(data.x[test]))
    return predicted


def enlarged(sizes: Sequence[int], wanted: Sequence[float]) -> list[int]:
    """The class sizes of a test set with these proportions in which no class is smaller than it is now."""
    factor = max(size / want for size, want in zip(sizes, wanted, strict=True))
    return [round(factor * want) for want in wanted]


def drawn_matrix(
    truth: Array, predicted: Array, classes: Sequence[Any], sizes: Sequence[int], random: np.random.Generator
) -> list[list[int]]:
    """The confusion matrix of a test set with these class sizes, each example of a class taken equally
    often but for the remainder."""
    matrix = []
    for label, size in zip(classes, sizes, strict=True):
        of_class = predicted[truth == label]
        whole, rest = divmod(size, len(of_class))
        extra = random.permutation(of_class)[:rest]
        matrix.append(
            [int(whole * (of_class == called).sum() + (extra == called).sum()) for called in classes]
        )
    return matrix


def one_run(
    data: Features, classes: Sequence[Any], proportions: Mapping[str, Sequence[float]], folds: int, seed: int
) -> dict[str, Any]:
    """The confusion matrices of the four learners on each test set, by learner and test set."""
    random = np.random.default_rng(seed)
    sizes = [int((data.y == label).sum()) for label in classes]
    results: dict[str, Any] = {}
    for name in LEARNERS:
        predicted = out_of_fold(name, data, folds, seed)
        results[name] = {
            test: drawn_matrix(data.y, predicted, classes, enlarged(sizes, wanted), random)
            for test, wanted in proportions.items()
        }
    return {"sizes": sizes, "matrices": results}


def fresh_matrices(
    original: Array, wanted: Sequence[float], repeats: int, random: np.random.Generator
) -> Array:
    """Matrices of test sets of the same size with these class proportions, drawn with the class rates of
    the original; (repeats, C, C)."""
    rates = original / original.sum(axis=1, keepdims=True)
    sizes = [max(1, round(float(original.sum()) * want / sum(wanted))) for want in wanted]
    return np.stack(
        [random.multinomial(size, row, size=repeats) for size, row in zip(sizes, rates, strict=True)], axis=1
    )


def fresh_test_sets(
    matrices: Mapping[str, Mapping[str, Any]],
    original: str,
    wanted: Mapping[str, Sequence[float]],
    repeats: int,
    random: np.random.Generator,
) -> Array:
    """Fresh matrices of every learner and test set; (repeats, learner, test set, C, C)."""
    drawn = [
        [
            fresh_matrices(np.array(matrices[name][original]), proportions, repeats, random)
            for proportions in wanted.values()
        ]
        for name in LEARNERS
    ]
    return np.moveaxis(np.array(drawn), 2, 0)


def spread_over_tests(per_run: Sequence[Array]) -> float:
    """The standard deviation over test sets of the mean over runs, averaged over learners (and repeats).

    Arrays (..., learner, test set).
    """
    means = np.mean(np.array(per_run), axis=0)
    return float(means.std(axis=-1, ddof=1).mean())
