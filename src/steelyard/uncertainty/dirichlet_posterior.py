"""Dirichlet posterior of the class rates, given the counts of one model or of several on the same rows."""
# Each true class has unknown rates of being predicted as each class, with a Dirichlet prior that is worth one
# example, whatever the number of classes; its errors share their part equally. The priors differ in the
# recall that this example speaks of:
#
# - "jeffreys": 1/2. The posterior of a recall of k out of n is Beta(k + 1/2, n - k + 1/2).
# - "uniform": 1/2, and the prior is worth two examples. The balanced accuracy's posterior is then that of
#   brodersen2010.
# - "shared", the default: a part of it is 1/2, the rest is r, the mean recall of the other classes. With two
#   classes it is all 1/2, Jeffreys' prior. With many, 1/2 in every class would be a bias that adds up: the
#   mean over C classes is off by as much as one class is, while its standard error falls with the square root
#   of C. So 1/2 has a part of 1 / (C - 1) in each of C equally large classes, and most of it in a class that
#   is much smaller than the others, where borrowing would be all that is known (`own_parts`). The mean of
#   many classes is nearly normal and needs the unbiased variance, so the posterior's weight falls from n + 1
#   examples to n - 2 + three times that part, or nearly so (`weight_of_counts`).
#
# Several models have joint rates. Their prior says of each model alone what is said above. Its example is one
# that models rather answer differently than independently (`answers`): models that agree on 20 examples may
# still differ on the next. It is drawn by breaking a stick (Sethuraman), so that the C^M joint cells never
# have to be listed. Models that agree on every row of the test are one model here.

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array
from steelyard.uncertainty.many_model_posterior import PRIORS_HAND, dealt, drawn_once, is_many, masses
from steelyard.uncertainty.threefry import Threefry

# As text: naming numpy.random would import it, and one model is drawn with Threefry alone.
Random: TypeAlias = "np.random.Generator | Threefry"
Prior = Literal["shared", "jeffreys", "uniform", "observed"]

# How many examples each prior is worth in every class.
PRIORS: dict[str, float] = {"shared": 1.0, "jeffreys": 1.0, "uniform": 2.0, "observed": 1.0}

_BORROWING = ("shared", "observed")

# How much of a stick is not broken further, on average. It falls on one cell in place of several, so the
# mean stays what it is and the variance of the prior's one example grows: with many joint cells, in seven
# pieces, by 0.14%, in fourteen by a millionth.
_LEFT_OF_THE_STICK, _LEFT_AMONG_MANY = 1e-4, 1e-2
# Up to this many, every cell has a draw of its own; beyond it most cells are empty, and each row's empty
# ones share a stick.
_FEW_CLASSES = 12
# A class of one example among many keeps half an example of weight: its recall is as good as unknown.
_LEAST_WEIGHT = 0.5
_LEAST = 1e-12
# Gamma draws of tiny shape underflow; below this they are 0, so that no share of them is a denormal number.
_NOTHING = 1e-200
# Sticks of the priors of several classes that are broken together: of many classes a block has few draws.
_STICKS_AT_ONCE = 1 << 12


def posterior_matrices(
    joint: JointCounts, sizes_fixed: bool, prior: Prior, random: Random, size: int
) -> Array:
    """Expected counts (M, size, C, C) at rates drawn from the posterior."""
    # With fixed sizes the class distribution is that of the test set. Otherwise it is unknown too, with a
    # Dirichlet posterior.
    rates = (_one_model if len(joint.models) == 1 else _joint_models)(joint, prior, random, size)
    if sizes_fixed:
        rates *= joint.actual.astype(np.float64)[:, None]
        return rates
    shares, seen = np.zeros((size, joint.n_classes)), joint.actual > 0
    parameters = _share_parameters(joint, prior)[seen]
    shares[:, seen] = random.standard_gamma(parameters, size=(size, len(parameters)))
    shares *= joint.total / shares.sum(axis=1, keepdims=True)
    rates *= shares[:, :, None]
    return rates


def posterior_centres(joint: JointCounts, sizes_fixed: bool, prior: Prior) -> Array:
    """Expected counts (M, C, C) at the posterior mean of the rates: what the draws lie around."""
    parameters = np.stack([_parameters(joint, m, prior) for m in range(len(joint.models))])
    rates = ratio(parameters, parameters.sum(axis=-1, keepdims=True))
    if sizes_fixed:
        return np.asarray(rates * joint.actual[:, None])
    shares = np.where(joint.actual > 0, _share_parameters(joint, prior), 0)
    return np.asarray(rates * (joint.total * shares / shares.sum())[:, None])


def _share_parameters(joint: JointCounts, prior: Prior) -> Array:
    """Of the class distribution: half an example a class, or one example shared by all of them."""
    seen = max(1, int(np.count_nonzero(joint.actual)))
    return joint.actual + (1 / seen if prior in _BORROWING else PRIORS[prior] / 2)


def own_parts(actual: Array) -> Array:
    """How much of each class's prior is its own, a recall of 1/2, and not borrowed from the other classes."""
    # One class's worth of it is left for all C classes together, C / (C - 1) in fact, and each has as much as
    # its part of the uncertainty of a mean over classes, which is one over its examples: 1 / (C - 1) where
    # classes are equally large, nearly all of it for the only rare class.
    seen = actual > 0
    count = int(np.count_nonzero(seen))
    if count < 3:
        return np.ones(len(actual))
    uncertain = ratio(1.0, actual)
    return np.asarray(np.where(seen, np.minimum(1, uncertain / uncertain.sum() * count / (count - 1)), 1.0))


def similar_recalls(hits: Array, actual: Array) -> Array:
    """The mean recall (C,) of the other classes, each weighted by how similar in size it is."""
    # The weight is the ratio of the smaller size to the larger.
    # Rare classes are often recognised less well than frequent ones. Borrowed from all classes alike, the
    # recall of many rare ones is biased in one direction, which a mean over classes keeps.
    order = np.argsort(actual, kind="stable")
    sizes = actual[order].astype(np.float64)
    seen = sizes > 0
    recalls, inverse = ratio(hits[order], sizes), ratio(1.0, sizes)

    def weighted(values: Array) -> Array:
        """Sums of values over the other classes, by running sums over the smaller and the larger ones."""
        smaller = np.cumsum(sizes * values) - sizes * values
        larger = np.cumsum((inverse * values)[::-1])[::-1] - inverse * values
        return np.asarray(smaller * inverse + larger * sizes)

    similar = np.zeros(len(sizes))
    np.divide(weighted(recalls), weighted(seen.astype(np.float64)), out=similar, where=seen)
    return similar[np.argsort(order, kind="stable")]


def weight_of_counts(actual: Array, prior: Prior) -> Array:
    """By how much each class's counts and prior are multiplied: the spread of a mean is then right."""
    # A recall p of n examples has the variance p (1 - p) / n, a Beta distribution worth m examples that of
    # its mean over m + 1. With one example of the prior, which many classes have in common, p (1 - p) at that
    # mean is too small by n / (n + 1)² of itself, so m + 1 is n less (n / (n + 1))² as far as the prior is
    # borrowed: with five examples a mean over classes covered 93% without that, differences of 100 classes
    # 90%.
    count = int(np.count_nonzero(actual))
    if prior not in _BORROWING or count < 3:
        return np.ones(len(actual))
    unborrowed = own_parts(actual)
    worth = actual - 1 + 2 * unborrowed - (1 - unborrowed) * (actual / (actual + 1)) ** 2
    return np.asarray(np.maximum(worth, _LEAST_WEIGHT) / (actual + 1))


def false_alarms(actual: Array, prior: Prior) -> Array:
    """Which errors (C, C) the prior adds so that every class attracts some, in examples."""
    # What is not known of a class's precision is whether the others are mistaken for it. Against the rest, a
    # class has half a false alarm in its prior; so has each of C classes here as far as its prior is its own
    # (`own_parts`), less what the errors of the other classes' priors bring it. Equally large classes, and
    # two, have enough by those. What is missing comes from the other classes in proportion to their examples,
    # which is one rate of false alarms for all of them.
    classes = len(actual)
    missing = np.zeros((classes, classes))
    if prior != "shared" or np.count_nonzero(actual) < 3:
        return missing
    unborrowed = np.where(actual > 0, own_parts(actual), 0.0)
    wanted = unborrowed / 2 - (unborrowed.sum() - unborrowed) / (2 * (classes - 1))
    others = actual.sum() - actual
    missing += actual[:, None] * np.where(wanted > 0, wanted / others, 0.0)
    np.fill_diagonal(missing, 0.0)
    return missing


def prior_parameters(counts: Array, prior: Prior) -> Array:
    """What the prior adds to the Dirichlet parameters (C, C) of a confusion matrix."""
    worth, actual = PRIORS[prior], counts.sum(axis=1)
    # Of which recall the prior speaks in each class; classes without examples lend nothing.
    centres = np.full(len(actual), 0.5)
    if prior in _BORROWING and np.count_nonzero(actual) > 2:
        unborrowed, similar = own_parts(actual), similar_recalls(np.diagonal(counts), actual)
        centres = np.where(actual > 0, unborrowed / 2 + (1 - unborrowed) * similar, 0.5)
    parameters = (worth * (1 - centres))[:, None] * error_shares(counts, prior)
    np.fill_diagonal(parameters, worth * centres)
    return np.asarray(parameters + false_alarms(actual, prior))


def error_shares(counts: Array, prior: Prior) -> Array:
    """How the prior's errors of each class (C, C) are divided among the other classes."""
    # By how many errors the classes attract, as far as the counts show that they differ in that ("shared"),
    # or as the errors of the class were seen ("observed"). A class without errors goes by the errors into it,
    # or has none in its prior.
    classes = len(counts)
    others = ~np.eye(classes, dtype=bool)
    even: Array = others / max(classes - 1, 1)
    if prior == "shared" and np.count_nonzero(counts.sum(axis=1)) > 2:
        attracting, evenly = attracted(counts, counts.sum(axis=1) - np.diagonal(counts))
        return attraction_shares(ratio(attracting, evenly, 1.0))
    if prior != "observed":
        return even
    errors = np.where(others, counts, 0.0)
    if not errors.any():
        return even
    errors = np.where(errors.any(axis=1, keepdims=True), errors, errors.T)
    return ratio(errors, errors.sum(axis=1, keepdims=True))


def attracted(counts: Array, errors: Array) -> tuple[Array, Array]:
    """How many errors fall on each class (C,), and how many would if they fell on all other classes alike."""
    # The counts are moved towards the second by what chance explains (James-Stein shrinkage): where nearly
    # all errors fall on one class, the classes that attracted none are not given as many as it. `errors` are
    # those expected of each class.
    seen = counts.sum(axis=1) > 0
    evenly = (errors.sum() - errors) / max(int(np.count_nonzero(seen)) - 1, 1)
    return shrunk(counts.sum(axis=0) - np.diagonal(counts), evenly, seen, None), evenly


def attraction_shares(attracting: Array) -> Array:
    """How errors of each class (C, C) are divided among the others, which attract them in proportion."""
    shares = np.repeat(np.maximum(attracting, _LEAST)[None], len(attracting), axis=0)
    np.fill_diagonal(shares, 0)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def shrunk(numbers: Array, expected: Array, seen: Array, of: Array | None) -> Array:
    """James-Stein shrinkage of the classes' numbers towards those expected (Efron and Morris 1975)."""
    # By the part that chance explains: C - 1 over Pearson's sum of squares. `of` are the trials, where the
    # numbers are hits of so many and not Poisson.
    room = 1.0 if of is None else np.maximum(1 - ratio(expected, of), _LEAST)
    squares = np.where(seen & (expected > 0), (numbers - expected) ** 2, 0)
    total = float(ratio(squares, expected * room).sum())
    shrinkage = min(1.0, (np.count_nonzero(seen) - 1) / total) if total > 0 else 1.0
    return np.asarray(np.where(seen, (1 - shrinkage) * numbers + shrinkage * expected, numbers))


def ratio(numerator: Any, denominator: Any, otherwise: float = 0.0) -> Array:
    """Quotients, 0 or what is said otherwise where the divisor is 0."""
    out = np.full(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)), otherwise)
    np.divide(numerator, denominator, out=out, where=np.asarray(denominator) > 0)
    return out


def _parameters(joint: JointCounts, model: int, prior: Prior) -> Array:
    """The Dirichlet parameters (C, C) of one model's rates."""
    if joint.n_classes == 1:
        return np.ones((1, 1))
    parameters = prior_parameters(joint.seen[model], prior)
    # a cell can occur twice, in two folds
    np.add.at(parameters, (joint.truth, joint.predictions[:, model]), joint.counts)
    return np.asarray(parameters * weight_of_counts(joint.actual, prior)[:, None])


def _one_model(joint: JointCounts, prior: Prior, random: Random, size: int) -> Array:
    classes = joint.n_classes
    if classes == 1:
        return np.ones((1, size, 1, 1))
    parameters = _parameters(joint, 0, prior)
    if classes <= _FEW_CLASSES:
        drawn = random.standard_gamma(parameters, size=(size, classes, classes))
    else:
        drawn = _mostly_empty(joint, parameters, random, size)
    drawn[drawn < _NOTHING] = 0
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))[None]


def _mostly_empty(joint: JointCounts, parameters: Array, random: Random, size: int) -> Array:
    """Gamma draws (size, C, C) of these shapes where most cells are empty."""
    # One for every cell that holds examples, a broken stick for the empty ones of a row.
    classes = joint.n_classes
    occupied = np.eye(classes, dtype=bool)
    occupied[joint.truth, joint.predictions[:, 0]] = True
    drawn = np.zeros((size, classes, classes))
    drawn[:, occupied] = random.standard_gamma(parameters[occupied], size=(size, int(occupied.sum())))
    rows = np.flatnonzero(np.where(occupied, 0, parameters).any(axis=1))
    if not len(rows):
        return drawn
    empty = np.where(occupied[rows], 0, parameters[rows])
    lengths = _stick(empty.sum(axis=1), _LEFT_OF_THE_STICK, random, (size, len(rows)))
    first = np.arange(size)[:, None]
    for piece in range(lengths.shape[-1]):
        place = _chosen(empty, random.random((size, len(rows))))
        drawn[first, rows, place] += lengths[..., piece]
    return drawn


def _chosen(parts: Array, chance: Array) -> Array:
    """Which place of its row of `parts` (rows, C) each uniform number (..., rows) falls on."""
    # The rows' running sums, each moved up by the number of its row, are one rising line, which is searched
    # once.
    rows, places = parts.shape
    until = np.cumsum(parts, axis=1)
    until /= until[:, -1:]
    number = np.arange(rows)
    line = (until + number[:, None]).reshape(-1)
    chosen = np.searchsorted(line, chance + number, side="right") - places * number
    last = places - 1 - np.argmax(parts[:, ::-1] > 0, axis=1)
    return np.asarray(np.minimum(chosen, last))


def _stick(worth: Array, left_over: float, random: Random, shape: tuple[int, ...]) -> Array:
    """Sticks (*shape, pieces) with Gamma(worth) lengths, broken as a Dirichlet process breaks them."""
    pieces = _pieces(float(np.max(worth)), left_over)
    # What is left after each break is Beta(worth, 1), the power 1 / worth of a uniform number; the last piece
    # is all the rest.
    left = random.random((*shape, pieces - 1)) ** (1 / np.asarray(worth)[..., None])
    remaining = np.cumprod(left, axis=-1)
    lengths = np.empty((*shape, pieces))
    lengths[..., 0], lengths[..., 1:-1], lengths[..., -1] = (
        1 - left[..., 0],
        remaining[..., :-1] - remaining[..., 1:],
        remaining[..., -1],
    )
    return np.asarray(lengths * random.standard_gamma(worth, size=shape)[..., None])


def _pieces(worth: float, left_over: float) -> int:
    """In how many pieces a stick is broken until this part of it is left on average."""
    return max(2, math.ceil(math.log(left_over) / math.log(worth / (1 + worth))))


def _joint_models(joint: JointCounts, prior: Prior, random: Random, size: int) -> Array:
    classes, twins, unlike = joint.n_classes, joint.twins, joint.without_twins
    distinct = np.unique(twins)
    weight = weight_of_counts(joint.actual, prior)
    many = is_many(unlike)
    if many and isinstance(random, np.random.Generator):
        mass = masses(unlike, weight, random, size)
    else:
        shapes = unlike.counts * weight[unlike.truth]
        mass = unlike.matrices(random.standard_gamma(shapes, size=(size, len(shapes))))
    if classes > 1:
        priors = np.stack([prior_parameters(counts, prior) for counts in unlike.seen])
        left, once = (_LEFT_AMONG_MANY, drawn_once(size)) if many else (_LEFT_OF_THE_STICK, size)
        hand = dealt(PRIORS_HAND, size) if many else slice(None)
        labels = np.unique(joint.truth)
        worth = weight[labels] * priors[0, labels].sum(axis=1)  # of every model as much
        for some, numbers in _together(worth, left, (once, len(priors)), random):
            drawn = _prior_mass(labels[some], priors[:, labels[some]], worth[some], left, numbers, once)
            mass[:, :, labels[some]] += drawn[:, hand]
    # most cells of many classes hold 0, which need not be written again
    tiny = mass < _NOTHING
    tiny &= mass > 0
    if tiny.any():
        mass[tiny] = 0
    total = mass.sum(axis=-1, keepdims=True)
    np.divide(mass, total, out=mass, where=True if total.all() else total > 0)
    return mass if len(distinct) == len(twins) else np.asarray(mass[np.searchsorted(distinct, twins)])


def answers(models: int, shape: tuple[int, ...], random: Random) -> Array:
    """Uniform numbers (models, *shape), of each model alone."""
    # Those of several models at one place keep apart.
    #
    # Every part of 0 to 1 that is one of `models` equal ones has one number in it, so that as many models as
    # possible answer differently (Latin hypercube sampling); of two models that is done at every second
    # place, where they would always differ.
    order, within = random.random((*shape, models)), random.random((*shape, models))
    stratified = np.moveaxis((np.argsort(order, axis=-1, kind="stable") + within) / models, -1, 0)
    if models != 2:
        return np.asarray(stratified)
    return np.where(
        random.random(shape) < 0.5, stratified, np.moveaxis(random.random((*shape, models)), -1, 0)
    )


def disagreement_of_prior(models: int) -> float:
    """In which part of the prior two of the models give different answers, if each is right half the time.

    >>> [round(disagreement_of_prior(models), 3) for models in (2, 3, 4, 100)]
    [0.75, 0.667, 0.667, 0.505]
    """
    if models <= 2:
        return 0.75
    half = models // 2
    return 2 * half * (models - half) / (models * (models - 1))


def _together(
    worth: Array, left: float, of_each: tuple[int, int], random: Random
) -> Iterator[tuple[Array, Random]]:
    """Classes whose priors are drawn at once, with their random numbers: those a class alone would have."""
    if not isinstance(random, Threefry):
        yield from ((np.array([k]), random) for k in range(len(worth)))
        return
    # Those whose sticks have as many pieces take as many numbers, `of_each` of them draws and models.
    pieces = np.array([_pieces(each, left) for each in worth.tolist()])
    calls = 2 + (worth < 1) + (4 if of_each[1] == 2 else 2)
    kinds, before = 2 * pieces + (worth < 1), np.cumsum(calls) - calls
    for kind in np.unique(kinds):
        alike = np.flatnonzero(kinds == kind)
        most = max(1, _STICKS_AT_ONCE // math.prod(of_each))
        for some in np.split(alike, range(most, len(alike), most)):
            yield some, random.after(before[some])
    random.skip(int(calls.sum()))


def _prior_mass(
    labels: Array, parameters: Array, worth: Array, left: float, random: Random, size: int
) -> Array:
    """What the prior of true classes (L,) adds to them: (models, size, L, C), pieces of sticks."""
    # The prior has `parameters` (models, L, C). Each piece has its own prediction by each model; `left` is
    # how much of a stick is not broken.
    models, number, classes = parameters.shape
    lengths = _stick(worth[:, None], left, random, (number, size))
    chance = answers(models, lengths.shape, random)
    # The label first, so that models whose numbers keep apart are right and wrong in turn.
    order = np.argsort(np.arange(classes) != labels[:, None], axis=1, kind="stable")
    row, weights = np.arange(size * number).reshape(size, 1, number), np.moveaxis(lengths, 0, -1).reshape(-1)
    mass = np.empty((models, size, number, classes))
    for m in range(models):
        parts = np.take_along_axis(parameters[m], order, axis=1)
        predicted = order[np.arange(number), _chosen(parts, np.moveaxis(chance[m], 0, -1))]
        place = (row * classes + predicted).reshape(-1)
        mass[m] = np.bincount(place, weights, row.size * classes).reshape(mass[m].shape)
    return mass
