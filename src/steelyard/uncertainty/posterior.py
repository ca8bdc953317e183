"""What could the true rates be, given these counts?

Each true class has unknown rates of being predicted as each class. Their prior is a Dirichlet distribution that says the same
about the class's recall whatever the number of classes: Beta(s, s), the errors sharing their part equally. s = 1/2 is Jeffreys'
prior, s = 1 the uniform one with which the posterior of the balanced accuracy is that of brodersen2010. The posterior of a
recall of k out of n is then exactly Beta(k + s, n - k + s).

Several models have joint rates. Their prior says of each model alone what is said above, and takes them for independent; it is
drawn by breaking a stick (Sethuraman), so that the C^M joint cells never have to be listed. Models that agree on every row of
the test are one model here.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts

Array = NDArray[Any]
Prior = Literal["jeffreys", "uniform"]

PRIORS: dict[str, float] = {"jeffreys": 0.5, "uniform": 1.0}
"""Each prior's s: how many examples told right, and how many told wrong, it is worth in every class."""

_LEFT_OF_THE_STICK = 1e-9
_NOTHING = 1e-200
"""Gamma draws of tiny shape underflow; below this they are 0, so that no share of them is a denormal number."""


def posterior_matrices(
    joint: JointCounts, stratified: bool, prior: Prior, random: np.random.Generator, size: int
) -> Array:
    """Expected counts (M, size, C, C) at rates drawn from the posterior.

    Stratified: the class proportions are those of the test set. Otherwise they are unknown too, with a Dirichlet posterior.
    """
    strength = PRIORS[prior]
    rates = (
        _one_model(joint, strength, random, size)
        if len(joint.models) == 1
        else _joint_models(joint, strength, random, size)
    )
    actual = joint.actual.astype(np.float64)
    if stratified:
        return rates * actual[:, None]
    seen = actual > 0
    shares = np.zeros((size, joint.n_classes))
    shares[:, seen] = random.dirichlet(actual[seen] + strength, size=size)
    return rates * (joint.total * shares)[:, :, None]


def _one_model(joint: JointCounts, strength: float, random: np.random.Generator, size: int) -> Array:
    classes = joint.n_classes
    if classes == 1:
        return np.ones((1, size, 1, 1))
    parameters = np.full((classes, classes), strength / (classes - 1))
    np.fill_diagonal(parameters, strength)
    np.add.at(
        parameters, (joint.truth, joint.predictions[:, 0]), joint.counts
    )  # a cell can occur twice, in two folds
    drawn = random.standard_gamma(parameters, size=(size, classes, classes))
    drawn[drawn < _NOTHING] = 0
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))[None]


def _joint_models(joint: JointCounts, strength: float, random: np.random.Generator, size: int) -> Array:
    classes, twins = joint.n_classes, joint.twins()
    distinct = np.unique(twins)
    unlike = joint.only(distinct.tolist())
    mass = unlike.matrices(
        random.standard_gamma(unlike.counts.astype(np.float64), size=(size, len(unlike.counts)))
    )
    if classes > 1:
        for label in np.unique(joint.truth):
            mass[:, :, label] += _prior_mass(int(label), len(distinct), classes, strength, random, size)
    mass[mass < _NOTHING] = 0
    total = mass.sum(axis=-1, keepdims=True)
    rates = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return np.asarray(rates[np.searchsorted(distinct, twins)])


def _prior_mass(
    label: int, models: int, classes: int, strength: float, random: np.random.Generator, size: int
) -> Array:
    """What the prior adds to one true class: (models, size, C), the pieces of a stick, each with its own prediction by each model."""
    concentration = 2 * strength
    pieces = math.ceil(math.log(_LEFT_OF_THE_STICK) / math.log(concentration / (1 + concentration)))
    broken = random.beta(1, concentration, size=(size, pieces))
    broken[:, -1] = 1
    left = np.cumprod(1 - broken[:, :-1], axis=1)
    lengths = (
        broken
        * np.concatenate([np.ones((size, 1)), left], axis=1)
        * random.standard_gamma(concentration, size=(size, 1))
    )
    right = random.random((models, size, pieces)) < 0.5
    other = random.integers(0, classes - 1, size=(models, size, pieces))
    predicted = np.where(right, label, other + (other >= label))
    place = np.arange(models * size).reshape(models, size, 1) * classes + predicted
    weights = np.broadcast_to(lengths, predicted.shape)
    return np.bincount(
        place.reshape(-1), weights=weights.reshape(-1), minlength=models * size * classes
    ).reshape(models, size, classes)
