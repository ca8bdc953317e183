"""Portrait of a measure: the numbers behind its figures."""

# Its values over (TNr, TPr) at several priors, its slopes over (TNr, TPr, v_P) as in Fig. 1 of skrabanek2017,
# and its value against the prior and against the number of classes for a fixed classifier, as in Fig. 2c and
# 2f of mullick2020. All matrices are laid out first and valued in one go, so that a user's function in a
# process of its own draws the same way as a measure of the catalogue.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.prover.subject import Subject

# Priors of the positive class at which values and slopes are taken.
PRIORS = (0.5, 0.25, 0.1, 0.01, 0.001)
EDGE = (0.0005, 0.001, 0.002, 0.004, 0.008, 0.015)
# The rates of the grid: closer near 0 and 1, where a rare class bends the level curves.
RATES = np.sort(np.concatenate([np.round(np.linspace(0, 1, 41), 3), EDGE, 1 - np.array(EDGE)]))
SLOPE_RATES = np.linspace(0, 1, 9)
# Slopes at the faces of the cube are taken this far inside.
INSIDE = 1e-3
STEP = 1e-5
# Slopes below this, or below this part of the whole gradient, are rounding.
FLAT = 1e-6
SHARES = np.round(np.linspace(0.01, 0.99, 99), 2)
# The share of every class that the fixed classifiers tell right.
RIGHT = (0.6, 0.8, 0.95)
NUMBERS = tuple(range(2, 11))


@dataclass(frozen=True)
class Portrait:
    """Values and slopes of one measure; NaN where it has none."""

    # For each prior the values over `RATES`: a row for each TPr, a column for each TNr.
    values: Mapping[float, Array]
    # For each prior the slopes by TNr, TPr and v_P over `SLOPE_RATES`, in the same order.
    slopes: Mapping[float, Array]
    # For each classifier of `RIGHT` the value as the share of one class goes through `SHARES`.
    against_prior: Mapping[float, Array]
    # With how many classes that was.
    classes_of_shares: int
    # For each classifier of `RIGHT` the value with `NUMBERS` classes of equal size; empty for a measure of
    # two classes.
    against_classes: Mapping[float, Array]

    @property
    def has_two_class_values(self) -> bool:
        """Has it any value to draw over the class rates?"""
        return any(bool(np.isfinite(grid).any()) for grid in self.values.values())


def two_class_matrices(tnr: Array, tpr: Array, prior: Array | float) -> Array:
    """Matrices [[tp, fn], [fp, tn]] with these class rates and this prior, shape (..., 2, 2)."""
    x, y, v = np.broadcast_arrays(tpr, tnr, prior)
    cells = np.stack([v * x, v * (1 - x), (1 - v) * (1 - y), (1 - v) * y], axis=-1)
    return np.asarray(cells.reshape(*x.shape, 2, 2))


def classifier_matrix(n_classes: int, rate: float, sizes: Sequence[float]) -> Array:
    """A classifier right on the same share of every class."""
    # Where it errs it takes every class for the first, and the first for the second.
    # Errors spread evenly would hide from some measures that class prevalence matter to them.
    identity = np.eye(n_classes)
    rates = rate * identity + (1 - rate) * identity[[1, *([0] * (n_classes - 1))]]
    return np.asarray(rates * np.asarray(sizes, dtype=float)[:, None])


def batches(two_class_only: bool) -> dict[str, Array]:
    """All matrices to be valued, in batches of shape (B, C, C)."""
    tpr, tnr = np.meshgrid(RATES, RATES, indexing="ij")
    others = 1 if two_class_only else 2
    sizes = [[p, *([(1 - p) / others] * others)] for p in SHARES]
    # Slopes are taken from matrices a step above and below each point along each of the three axes.
    inside = np.clip(slope_points(), INSIDE, 1 - INSIDE)
    moved = [inside + sign * STEP * np.eye(3)[axis] for axis in range(3) for sign in (1, -1)]
    matrices = {
        "values": np.concatenate([two_class_matrices(tnr, tpr, prior).reshape(-1, 2, 2) for prior in PRIORS]),
        "slopes": np.concatenate([two_class_matrices(p[:, 0], p[:, 1], p[:, 2]) for p in moved]),
        "shares": np.stack([classifier_matrix(others + 1, rate, each) for rate in RIGHT for each in sizes]),
    }
    for c in () if two_class_only else NUMBERS:
        matrices[f"classes {c}"] = np.stack([classifier_matrix(c, rate, [1.0] * c) for rate in RIGHT])
    return matrices


def portrait(values: Mapping[str, Any]) -> Portrait:
    """The portrait from the values on `batches`."""
    arrays = {name: np.asarray(v, dtype=np.float64) for name, v in values.items()}
    finite = {name: np.where(np.isfinite(v), v, np.nan) for name, v in arrays.items()}
    two_class_only = f"classes {NUMBERS[0]}" not in finite
    grids = finite["values"].reshape(len(PRIORS), len(RATES), len(RATES))
    moved = finite["slopes"].reshape(3, 2, -1)  # central differences
    slopes = ((moved[:, 0] - moved[:, 1]) / (2 * STEP)).T.reshape(len(PRIORS), -1, 3)
    lines = finite["shares"].reshape(len(RIGHT), -1)
    counted = np.stack([finite[f"classes {c}"] for c in NUMBERS], axis=-1) if not two_class_only else ()
    return Portrait(
        dict(zip(PRIORS, grids, strict=True)),
        dict(zip(PRIORS, slopes, strict=True)),
        dict(zip(RIGHT, lines, strict=True)),
        2 if two_class_only else 3,
        {} if two_class_only else dict(zip(RIGHT, counted, strict=True)),
    )


def portrait_of(subject: Subject) -> Portrait:
    """The portrait of a measure of the catalogue."""
    return portrait({name: subject.floats(batch) for name, batch in batches(subject.two_class_only).items()})


def shortened(arrows: Array, longest: float) -> Array:
    """Finite arrows scaled to `longest`."""
    # Where a denominator is nearly 0 a slope is huge: arrows are cut at the length three quarters stay below.
    lengths = np.linalg.norm(arrows, axis=-1)
    some = lengths[lengths > FLAT]
    if not some.size:
        return np.zeros_like(arrows)
    usual = float(np.quantile(some, 0.75))
    return np.asarray(
        arrows * (np.minimum(lengths, usual) / np.where(lengths > 0, lengths, 1) / usual * longest)[..., None]
    )


def leaves_plane(slopes: Array) -> Array:
    """At which points does the value change with the prior, class rates unchanged?"""
    return np.asarray(np.abs(slopes[..., 2]) > FLAT * np.maximum(1, np.linalg.norm(slopes, axis=-1)))


def slope_points() -> Array:
    """The points (TNr, TPr, v_P) at which slopes are taken."""
    tpr, tnr = np.meshgrid(SLOPE_RATES, SLOPE_RATES, indexing="ij")
    return np.concatenate(
        [np.stack([tnr.ravel(), tpr.ravel(), np.full(tnr.size, prior)], axis=-1) for prior in PRIORS]
    )
