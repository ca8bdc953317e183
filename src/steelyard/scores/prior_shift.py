"""Prior probability shift: correct probabilities for other class priors, and estimate those priors."""
# saerens2002: a probability at new priors is the old one times the ratio of the priors, normalised; the
# priors of unlabelled rows are those at which the mean of their corrected probabilities is the priors again
# (the EM algorithm, which finds the most likely ones).
#
# Mixture proportions: labelled rows say how each class spreads over cells (predicted labels, or bins of
# scores); unlabelled rows say how all classes together do. If classes look the same in both (label shift),
# the unlabelled cells are a mixture of the classes', and its shares are the class priors. With as many cells
# as classes that is the inverse of the confusion matrix; with more it is the mixture that is nearest, each
# cell weighted by how well both sides know it. Draws do not fit again: which combination of cells is asked
# stays as it was for the estimate, so that noise of the labelled rows is not taken for a signal, and they may
# leave 0..1, so that the ends of an interval are not piled up there.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.counts.score_columns import checked_probabilities
from steelyard.errors import InputError, parameter

SUM_TOLERANCE = 1e-6

# EM stops where no share moves by more than this in a round.
ENOUGH = 1e-9
# No score of a labelled sample makes a class more than e^12 times as likely.
LARGEST_LOG_RATIO = 12.0
# Penalty on what the slope of a logistic curve differs from the usual one.
SLOPE_RIDGE = 0.1


def correct_probabilities(
    probabilities: Any,
    *,
    trained_at: float | Sequence[float] | Array,
    priors: float | Sequence[float] | Array,
) -> Array:
    """What would the probabilities be where the classes have other shares (saerens2002 Eq. 2.4)?

    One column of probabilities of the positive class goes with one prior each; a table with a column for
    each class goes with a prior for each of them, in the same order.

    >>> import steelyard as sy
    >>> sy.correct_probabilities([0.5, 0.9], trained_at=0.5, priors=0.1).round(3).tolist()
    [0.1, 0.5]
    """
    table = np.asarray(probabilities, dtype=np.float64)
    old, new = (np.atleast_1d(np.asarray(shares, dtype=np.float64)) for shares in (trained_at, priors))
    single = table.ndim == 1 and old.shape == new.shape == (1,)
    if single:
        table = np.stack([table, 1 - table], axis=1)
        old, new = np.append(old, 1 - old), np.append(new, 1 - new)
    if table.ndim != 2 or old.shape != (table.shape[1],) or new.shape != old.shape:
        raise InputError(
            "probabilities and priors do not go together",
            found=f"an array of shape {np.shape(probabilities)}, {old.size} and {new.size} priors",
            allowed="one column and one prior each, or a column and a prior for each class",
        )
    for name, shares, least in (("trained_at", old, np.nextafter(0, 1)), ("priors", new, 0.0)):
        if not (shares >= least).all() or abs(float(shares.sum()) - 1) > SUM_TOLERANCE:
            raise InputError(
                f"{parameter(name)} are not a class distribution",
                found=f"{shares.tolist()}",
                allowed="numbers that add up to 1, none of them 0 where the classifier was trained",
            )
    checked_probabilities(list(table.T))
    at_new_priors = corrected(table, old, new)
    return np.asarray(at_new_priors[:, 0]) if single else at_new_priors


def corrected(probabilities: Array, old: Sequence[float] | Array, new: Sequence[float] | Array) -> Array:
    """Probabilities (..., C) of a classifier trained at the old priors, at the new ones."""
    ratio = np.asarray(new, dtype=np.float64) / np.asarray(old, dtype=np.float64)
    weighted = np.asarray(probabilities, dtype=np.float64) * ratio
    return np.asarray(weighted / weighted.sum(axis=-1, keepdims=True))


def most_likely_share(likelihoods: Array, counts: Array) -> float:
    """The share of the first of two classes in rows with these likelihoods (n, 2): where EM comes to rest."""
    # Newton's steps between two ends, as the slope of the likelihood falls all the way.
    difference, second = likelihoods[:, 0] - likelihoods[:, 1], likelihoods[:, 1]

    def slopes(share: float) -> tuple[float, float]:
        each = difference / np.maximum(second + share * difference, 1e-300)
        weighted = counts * each
        return float(weighted.sum()), -float(weighted @ each)

    if slopes(0.0)[0] <= 0:
        return 0.0
    if slopes(1.0)[0] >= 0:
        return 1.0
    low, high, share = 0.0, 1.0, 0.5
    while high - low > ENOUGH:
        slope, curve = slopes(share)
        low, high = (share, high) if slope > 0 else (low, share)
        after = share - slope / curve if curve else low
        if not low < after < high:
            after = (low + high) / 2
        if abs(after - share) < ENOUGH:
            return after
        share = after
    return share


@dataclass(frozen=True)
class Reading:
    """One way to read scores, and how much the labelled rows speak for it."""

    weight: float
    # How many times as likely are these scores in the positive class? The logarithm of it.
    log_ratio: Callable[[Array], Array]


def readings_of_scores(
    positives: tuple[Array, Array], negatives: tuple[Array, Array], is_probability: bool
) -> tuple[Reading, ...]:
    """How many times as likely is a score in the positive class, by each way to read it?"""
    # Scores that are no probabilities have one reading, a logistic curve through the labelled rows
    # (platt1999). Probabilities have three: as they are given; given at other priors than those of the
    # labelled rows; too sure or not sure enough of themselves as well. A curve through few rows is itself
    # uncertain, so that probabilities which are right would be spoilt by it: each reading counts by its
    # probability given the labelled rows (to the order of schwarz1978, of the examples that a comparison of
    # the two classes rests on), and none is thrown away. Scores and counts of each class are given.
    counts = np.concatenate([positives[1], negatives[1]]).astype(np.float64)
    scores = np.concatenate([positives[0], negatives[0]]).astype(np.float64)
    is_positive = np.concatenate([np.ones(len(positives[0])), np.zeros(len(negatives[0]))])
    many, others = float(positives[1].sum()), float(negatives[1].sum())
    at = float(np.log(many / others))
    if not is_probability:
        centre = float(np.average(scores, weights=counts))
        spread = float(np.sqrt(np.average((scores - centre) ** 2, weights=counts))) or 1.0
        (offset, slope), _ = _logistic((scores - centre) / spread, at, is_positive, counts, (True, True), 0.0)
        return (Reading(1.0, _line(offset - slope * centre / spread, slope / spread, np.asarray)),)
    x = log_odds(scores) - at
    examples = 2 * many * others / (many + others)
    fits = []
    for free in ((False, False), (True, False), (True, True)):
        (offset, slope), loss = _logistic(x, at, is_positive, counts, free, 1.0)
        fits.append((offset - slope * at, slope, -loss - sum(free) * np.log(examples) / 2))
    evidence = np.array([fit[2] for fit in fits])
    weights = np.exp(evidence - evidence.max())
    return tuple(
        Reading(float(weight), _line(offset, slope, log_odds))
        for weight, (offset, slope, _) in zip(weights / weights.sum(), fits, strict=True)
    )


def _line(offset: float, slope: float, place: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The logarithm of a ratio that is a straight line in where a score lies."""
    return lambda scores: np.asarray(
        np.clip(offset + slope * place(scores), -LARGEST_LOG_RATIO, LARGEST_LOG_RATIO)
    )


def log_odds(scores: Array) -> Array:
    inside = np.clip(np.asarray(scores, dtype=np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)))


def _logistic(
    x: Array, log_odds: float, y: Array, counts: Array, free: tuple[bool, bool], usual: float
) -> tuple[tuple[float, float], float]:
    """Offset and slope of a logistic curve, and its negative log-likelihood."""
    # What is not free stays at 0 and at the usual slope; a little ridge about that slope keeps it finite
    # where scores separate the classes. `log_odds` are those of the classes where the curve says nothing.
    design = np.stack([np.ones_like(x), x], axis=1)
    penalty = np.array([0.0, SLOPE_RIDGE])
    start = np.array([0.0, usual])
    fixed = ~np.array(free)

    def loss(at: Array) -> float:
        z = design @ at + log_odds
        return float((counts * (np.logaddexp(0, z) - y * z)).sum())

    def penalised(at: Array) -> float:
        return loss(at) + float((penalty * (at - start) ** 2).sum()) / 2

    at = start.copy()
    for _ in range(100 if any(free) else 0):
        chance = 1 / (1 + np.exp(-np.clip(design @ at + log_odds, -50, 50)))
        slope = design.T @ (counts * (chance - y)) + penalty * (at - start)
        curve = (design * (counts * chance * (1 - chance))[:, None]).T @ design + np.diag(penalty + 1e-9)
        slope[fixed], curve[fixed], curve[:, fixed] = 0, 0, 0
        curve[fixed, fixed] = 1
        step, before = np.linalg.solve(curve, slope), penalised(at)
        while penalised(at - step) > before and np.abs(step).max() > ENOUGH:
            step = step / 2
        at = at - step
        if np.abs(step).max() < 1e-8:
            break
    return (float(at[0]), float(at[1])), loss(at)


# The prior of every distribution over cells is worth this many examples, as that of a class's rates is.
PRIOR_WORTH = 1.0
# How often the weights of the cells are found again from the shares they lead to.
ROUNDS = 6


@dataclass(frozen=True)
class Cells:
    """How often rows of each class, and rows of unknown class, fall into each cell."""

    # (C, B) counts of labelled rows, classes by cells.
    labelled: Array
    # (B,) counts of unlabelled rows.
    unlabelled: Array

    @property
    def rates(self) -> Array:
        """(C, B): how each class spreads over the cells."""
        return np.asarray(self.labelled / self.labelled.sum(axis=-1, keepdims=True))

    @property
    def seen(self) -> Array:
        """(B,): how the unlabelled rows spread over the cells."""
        return np.asarray(self.unlabelled / self.unlabelled.sum(axis=-1, keepdims=True))


def nearest_mixture(labelled: Array, unlabelled: Array) -> tuple[Array, Array]:
    """The mixture nearest to the unlabelled cells: the class distribution, and what each cell says."""
    # Batches come first in both; a share is at least 0, together they are 1.
    sizes = labelled.sum(axis=-1, keepdims=True)
    total = unlabelled.sum(axis=-1, keepdims=True)
    cells = unlabelled.shape[-1]
    rates, seen = labelled / sizes, unlabelled / total
    # Variances are taken at smoothed rates: a cell that holds nothing is not known exactly.
    smooth = (labelled + PRIOR_WORTH / cells) / (sizes + PRIOR_WORTH)
    shares = np.full(labelled.shape[:-1], 1 / labelled.shape[-2])
    for _ in range(ROUNDS):
        mixed = np.einsum("...k,...kb->...b", shares, smooth)
        variance = mixed / total + np.einsum("...k,...kb->...b", shares**2, smooth / sizes)
        weights = 1 / variance
        shares = _on_simplex(rates, seen, weights)
    return shares, weights


def _on_simplex(rates: Array, seen: Array, weights: Array) -> Array:
    """Weighted least squares with shares that sum to 1."""
    # A class whose share would be negative is left out, the most negative first.
    classes = rates.shape[-2]
    weighted = rates * weights[..., None, :]
    # Scaled, so that the row that sums the shares weighs like the others.
    scale = np.trace(weighted @ rates.swapaxes(-1, -2), axis1=-2, axis2=-1)[..., None, None] / classes
    system = np.zeros((*rates.shape[:-2], classes + 1, classes + 1))
    system[..., :classes, :classes] = (weighted @ rates.swapaxes(-1, -2)) / scale
    system[..., classes, :classes] = system[..., :classes, classes] = 1
    goal = np.ones((*rates.shape[:-2], classes + 1))
    goal[..., :classes] = np.einsum("...kb,...b->...k", weighted, seen) / scale[..., 0]
    out = np.zeros(rates.shape[:-1], dtype=bool)
    for _ in range(classes):
        # The class distribution over those that are not left out, by the pseudo-inverse: classes that no cell
        # tells apart share what they have in common.
        without = np.concatenate([out, np.zeros((*out.shape[:-1], 1), dtype=bool)], axis=-1)
        cut = np.where(without[..., :, None] | without[..., None, :], np.eye(classes + 1), system)
        inverse, wanted = np.linalg.pinv(cut, hermitian=True), np.where(without, 0, goal)
        shares = np.einsum("...ij,...j->...i", inverse, wanted)[..., :classes]
        worst = shares.argmin(axis=-1)[..., None]
        negative = np.take_along_axis(shares, worst, -1) < -1e-12
        if not negative.any():
            break
        np.put_along_axis(out, worst, np.take_along_axis(out, worst, -1) | negative, -1)
    positive = np.where(out, 0, np.maximum(shares, 0))
    return np.asarray(positive / positive.sum(axis=-1, keepdims=True))


def instruments(cells: Cells, weights: Array) -> Array:
    """(C - 1, B): which combinations of cells tell each class from the last one."""
    return np.asarray((cells.rates[:-1] - cells.rates[-1]) * weights)


def drawn_cells(counts: Array, like: Array, random: np.random.Generator, size: int) -> Array:
    """(size, ..., B): distributions over cells that these counts allow."""
    # `like` is what the prior looks like.
    drawn = random.standard_gamma(counts + PRIOR_WORTH * like, size=(size, *counts.shape))
    drawn += 1e-300  # a row of draws that all underflow is even
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def drawn_shares(combinations: Array, rates: Array, seen: Array) -> Array:
    """(size, C): the shares at drawn rates (size, C, B) and drawn cells (size, B)."""
    # By the combinations asked (C - 1, B). They sum to 1 and may lie outside 0..1.
    last = rates[:, -1]
    system = np.einsum("kb,djb->dkj", combinations, rates[:, :-1] - last[:, None])
    goal = np.einsum("kb,db->dk", combinations, seen - last)
    if system.shape[-1] == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            first = goal / system[:, 0]
    else:
        first = np.einsum("dij,dj->di", np.linalg.pinv(system), goal)
    first = np.nan_to_num(first, nan=0.5, posinf=1e9, neginf=-1e9)
    return np.concatenate([first, 1 - first.sum(axis=-1, keepdims=True)], axis=-1)


def nearest_shares(shares: Array) -> Array:
    """Shares that may lie outside 0..1, moved to the nearest ones that do not."""
    ordered = -np.sort(-shares, axis=-1)
    above = (np.cumsum(ordered, axis=-1) - 1) / np.arange(1, shares.shape[-1] + 1)
    last = (ordered > above).sum(axis=-1, keepdims=True) - 1
    moved = np.maximum(shares - np.take_along_axis(above, last, -1), 0)
    return np.asarray(moved / moved.sum(axis=-1, keepdims=True))


def pooled(cells: Cells) -> Array:
    """(B,): how rows of all classes and of unknown class spread over the cells, each kind counting alike."""
    kinds = np.concatenate([cells.rates, cells.seen[None]])
    flat = np.full(kinds.shape[-1], 1 / kinds.shape[-1])
    return np.asarray((kinds.mean(axis=0) + flat) / 2)
