"""The share of a class is not known exactly: which model is better where in its range, and where does that
flip?

The class rates of the models are drawn together, as in every comparison, and each draw is weighed at every
share of the range. The band of a difference holds it at all shares and for all pairs at once, so that
"better everywhere" is one statement with one probability of error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label, meant
from steelyard.counts.plain import plain_label
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.measure import Measure
from steelyard.uncertainty.dirichlet_posterior import Prior
from steelyard.uncertainty.resampling import blocks, draws_in_use

Array = NDArray[Any]

POINTS = 41
"""Shares of the range that are looked at, evenly on a logarithmic scale."""
MOST_DRAWS = 2_000


@dataclass(frozen=True)
class PairOverShares:
    """The difference of two models (first minus second, better is positive) at each share."""

    first: str
    second: str
    difference: Array
    low: Array
    high: Array
    probability_better: Array
    """That the first is better, at each share."""
    flips: tuple[float, ...]
    """Shares at which the better model changes."""

    @property
    def dominates(self) -> str | None:
        """The model that is surely better at every share, all at once."""
        if (self.low > 0).all():
            return self.first
        return self.second if (self.high < 0).all() else None

    @property
    def undecided(self) -> Array:
        """At which shares the band does not decide."""
        return np.asarray((self.low <= 0) & (self.high >= 0))


@dataclass(frozen=True)
class PriorsRange:
    """Every pair of models over the range of shares of one class."""

    label: Label
    shares: Array
    measure: Measure
    level: float
    depends: bool
    """Does the measure move with the share at all?"""
    pairs: tuple[PairOverShares, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": plain_label(self.label),
            "measure": self.measure.name,
            "level": self.level,
            "depends": self.depends,
            "shares": self.shares.tolist(),
            "pairs": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "difference": pair.difference.tolist(),
                    "simultaneous_low": pair.low.tolist(),
                    "simultaneous_high": pair.high.tolist(),
                    "probability_better": pair.probability_better.tolist(),
                    "flips": list(pair.flips),
                    "dominates": pair.dominates,
                }
                for pair in self.pairs
            ],
        }


def compare_over_shares(
    joint: JointCounts,
    measure: Measure,
    asked: Mapping[Any, tuple[float, float]],
    *,
    positive: Label | None = None,
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    prior: Prior = "shared",
) -> PriorsRange:
    """Compare models at every share of one class from `low` to `high`; the other classes keep their
    proportions."""
    label, low, high = _checked(joint, asked)
    if positive is None and measure.kind == "two-class":
        # by the shares that were seen: at some share of the range the other class would be the rarer one
        positive = joint.matrix(0).positive_class().label
    shares = np.geomspace(low, high, POINTS)
    place = joint.labels.index(label)
    sign = -1.0 if measure.better == "lower" else 1.0
    others = joint.actual.astype(np.float64)
    others[place] = 0
    others /= others.sum()
    number = min(MOST_DRAWS, draws_in_use(draws, joint.n_classes))
    sizes = joint.actual.astype(np.float64)[:, None]
    values = np.empty((POINTS, len(joint.models), number))
    for where, matrices in blocks(joint, "posterior", "fixed", prior, number, seed):
        rates = matrices / matrices.sum(axis=-1, keepdims=True)
        for k, share in enumerate(shares):
            values[k][:, where] = _at(measure, rates, _priors(others, place, share), joint, positive)
    observed = np.stack([joint.matrix(m).counts for m in range(len(joint.models))]) / sizes
    here = np.array([_at(measure, observed, _priors(others, place, s), joint, positive) for s in shares])
    if np.isnan(values).any() or np.isnan(here).any():
        raise InputError(
            f"{measure.name} is undefined at some share of {str(label)!r}",
            do="choose another measure with by=...",
        )
    pairs = pairs_along(joint.models, sign * here, sign * values, level, partial(_flips, shares))
    return PriorsRange(label, shares, measure, level, bool(np.ptp(here, axis=0).max() > 1e-12), pairs)


def pairs_along(
    models: Sequence[str],
    here: Array,
    values: Array,
    level: float,
    flips: Callable[[Array], tuple[float, ...]],
) -> tuple[PairOverShares, ...]:
    """Every two models along a range: what is seen (places, M) and drawn (places, M, draws), higher being
    better; the bands hold at all places and for all pairs at once."""
    names = list(itertools.combinations(range(len(models)), 2))
    drawn = np.stack([values[:, a] - values[:, b] for a, b in names])
    found = np.stack([here[:, a] - here[:, b] for a, b in names])
    spread = drawn.std(axis=-1)
    centred = drawn - drawn.mean(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        farthest = np.nan_to_num(np.abs(centred) / spread[..., None]).max(axis=(0, 1))
    reach = float(np.quantile(farthest, level)) * spread
    better = (drawn > 0).mean(axis=-1) + 0.5 * (drawn == 0).mean(axis=-1)
    return tuple(
        PairOverShares(
            models[a],
            models[b],
            found[k],
            drawn[k].mean(axis=-1) - reach[k],
            drawn[k].mean(axis=-1) + reach[k],
            better[k],
            flips(found[k]),
        )
        for k, (a, b) in enumerate(names)
    )


def _checked(joint: JointCounts, asked: Mapping[Any, tuple[float, float]]) -> tuple[Label, float, float]:
    if len(asked) != 1:
        raise InputError(
            "one class has a range of shares",
            found=f"{len(asked)} classes",
            allowed="one, as in fraud=0.001..0.01",
        )
    ((name, (low, high)),) = asked.items()
    (label,) = meant([name], joint.labels)
    if label is None:
        raise UnknownNameError("class", name, map(str, joint.labels))
    if not 0 < low < high < 1:
        raise InputError(
            "the range of shares is not usable",
            found=f"{low:g}..{high:g}",
            allowed="two rising numbers above 0 and below 1",
        )
    empty = [str(own) for own, n in zip(joint.labels, joint.actual.tolist(), strict=True) if not n]
    if empty:
        raise InputError(
            "the rates of a class without examples are not known",
            found=", ".join(empty[:5]),
            allowed="examples of every class",
        )
    return label, low, high


def _priors(others: Array, place: int, share: float) -> Array:
    priors = others * (1 - share)
    priors[place] = share
    return np.asarray(priors)


def _at(measure: Measure, rates: Array, priors: Array, joint: JointCounts, positive: Label | None) -> Array:
    """The measure at these priors for class rates (..., C, C)."""
    matrices = Confusion(rates * priors[:, None], joint.labels)
    own = positive if measure.kind == "two-class" else None
    return np.asarray(measure(matrices, positive=own))


def _flips(shares: Array, difference: Array) -> tuple[float, ...]:
    """Where the difference changes its sign, found by a straight line between shares on their scale."""
    return tuple(math.exp(at) for at in changes_of_sign(np.log(shares), difference))


def changes_of_sign(at: Array, difference: Array) -> tuple[float, ...]:
    """Where values change their sign, by a straight line between neighbours; 0 has none."""
    known = np.flatnonzero(difference)
    found = []
    for k, n in zip(known[:-1].tolist(), known[1:].tolist(), strict=True):
        if difference[k] * difference[n] < 0:
            part = difference[k] / (difference[k] - difference[n])
            found.append(float(at[k] + part * (at[n] - at[k])))
    return tuple(found)
