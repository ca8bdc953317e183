"""Undefined values: what happens where a denominator is 0."""

# One policy for the whole catalogue, chosen by the caller:
# - "nan" (default): the value is NaN, and the reason can be asked for in words;
# - "skip": a class whose term is undefined is left out and the weights of the others are renormalised
# (branco2017 section 4.3);
# - a number: the undefined term takes this value;
# - "raise": an error that gives the reason.

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

import numpy as np

from steelyard.counts.labels import Array, quoted
from steelyard.errors import InputError, parameter
from steelyard.measures.matrix import Matrix

# What callers write: "nan", "skip", "raise" or a number.
Undefined = str | float

NAN: Final = float("nan")

# The reasons, as templates: {label} is a class, {positive} and {negative} the two sides of a two-class view.
NO_EXAMPLES = "there are no examples of {label}"
NEVER_PREDICTED = "nothing was predicted as {label}"
NEITHER = "{label} has neither examples nor predictions"
NO_POSITIVES = "there are no examples of {positive}"
NO_NEGATIVES = "there are no examples of {negative}"
NOTHING_POSITIVE = "nothing was predicted as {positive}"
NOTHING_NEGATIVE = "nothing was predicted as {negative}"
NO_SIDE = "there is no {positive}, neither true nor predicted"
SAME_CLASS = "truth and prediction are one and the same single class"
EMPTY = "the matrix is empty"
NO_WEIGHT = "no class with a defined term has any weight"
RATES_UNKNOWN = "there are no examples of {label}, so nothing is known about it at other priors"
NEVER_UNDEFINED = "never, unless the matrix is empty"

# The usual reasons as a definition says them: of two classes, and of each class against the rest.
_WORDS_BY_REASON: Final = {
    NO_EXAMPLES: ("a class has no examples", "a class has no examples"),
    NO_POSITIVES: ("there are no positive examples", "a class has no examples"),
    NO_NEGATIVES: ("there are no negative examples", "one class has all of them"),
    NEVER_PREDICTED: ("a class is never predicted", "a class is never predicted"),
    NOTHING_POSITIVE: ("nothing is predicted positive", "a class is never predicted"),
    NOTHING_NEGATIVE: ("nothing is predicted negative", "one class only is predicted"),
    NEITHER: ("a class has neither examples nor predictions",) * 2,
    NO_SIDE: (
        "there are no positive examples and nothing is predicted positive",
        "a class has neither examples nor predictions",
    ),
    SAME_CLASS: ("every example is of one class and predicted as it",) * 2,
}
# Two things that are said as one.
_TOGETHER: Final = {
    ("there are no positive examples", "there are no negative examples"): "a class has no examples",
    ("nothing is predicted positive", "nothing is predicted negative"): (
        "one of the classes is never predicted"
    ),
    ("a class has no examples", "a class is never predicted"): (
        "a class has no examples or is never predicted"
    ),
}


def undefined_when(reasons: Iterable[str], two_classes: bool) -> str:
    """When a definition with these reasons has no value, in words."""
    unique = dict.fromkeys(reasons)
    usual = [words[0 if two_classes else 1] for reason, words in _WORDS_BY_REASON.items() if reason in unique]
    sides = {"positive": "the positive class", "negative": "the negative class", "label": "a class"}
    others = [reason.format(**sides) for reason in unique if reason not in (*_WORDS_BY_REASON, EMPTY)]
    phrases = list(dict.fromkeys([*usual, *others]))
    for (first, second), both in _TOGETHER.items():
        if first in phrases and second in phrases:
            phrases[phrases.index(first)] = both
            phrases.remove(second)
    return ", or ".join(phrases) or NEVER_UNDEFINED


def every_class_lacks(reasons: Collection[str], two_classes: bool) -> tuple[bool, bool]:
    """Has a definition with these reasons no value where a class lacks examples, or predictions?"""
    of_examples = NO_EXAMPLES, NO_POSITIVES, NO_NEGATIVES
    of_predictions = NEVER_PREDICTED, NOTHING_POSITIVE, NOTHING_NEGATIVE
    # Of one class against the rest the positive side alone speaks of every class.
    examples, predictions = (
        each in reasons or (positive in reasons and (not two_classes or negative in reasons))
        for each, positive, negative in (of_examples, of_predictions)
    )
    return examples, predictions


@dataclass(frozen=True)
class Policy:
    """The caller's choice, checked."""

    fill: float = NAN
    skips: bool = False
    raises: bool = False

    @classmethod
    def of(cls, undefined: Undefined) -> Policy:
        known = {"nan": cls(), "skip": cls(skips=True), "raise": cls(raises=True)}
        if isinstance(undefined, str) and undefined in known:
            return known[undefined]
        number = isinstance(undefined, Real) and not isinstance(undefined, bool)
        if number and not np.isinf(float(undefined)):
            return cls(fill=float(undefined))
        raise InputError(
            f"{parameter('undefined')} is not a policy",
            found=repr(undefined),
            allowed='"nan", "skip", "raise" or a finite number',
        )

    @property
    def fills(self) -> bool:
        return not np.isnan(self.fill)


class Reasons(list[tuple[Array, Callable[[tuple[int, ...]], str]]]):
    """Where terms were undefined while a measure was evaluated, and how to say why."""

    # The array has the batch as last axis, and before it the classes (or pairs) if the term has one per
    # class.

    def at(self, position: int) -> str:
        """The reasons, in words, for one matrix of the batch."""
        return "; ".join(dict.fromkeys(self._words(position))) or EMPTY

    def at_each(self, positions: Array) -> list[str]:
        """The same for many of them: words are found once for all that lack the same."""
        lacking = [undefined[..., positions] for undefined, _ in self if undefined.shape[-1] > 1]
        if not lacking or not len(positions):
            return [self.at(0)] * len(positions)
        # One bit for each term of each matrix: unique columns are the different reasons.
        bits = np.packbits(np.concatenate([each.reshape(-1, len(positions)) for each in lacking]), axis=0)
        _, first, which = np.unique(bits, axis=1, return_index=True, return_inverse=True)
        texts = [self.at(int(positions[k])) for k in first]
        return [texts[k] for k in which.reshape(-1).tolist()]

    def _words(self, position: int) -> Iterator[str]:
        for undefined, describe in self:
            here = undefined[..., position if undefined.shape[-1] > 1 else 0]
            # One for all rows: the class is that of the column.
            while here.ndim > 1 and len(here) == 1:
                here = here[0]
            # Of a single yes or no, the one empty index.
            for where in np.argwhere(here):
                yield describe(tuple(where.tolist()))


# -- what operations do under the policy; `ev` is the evaluation that applies them


def needed_ratio(ev: Any, a: Any, b: Any, about: Matrix, because: str, fill: float = NAN) -> Any:
    values, zero = ev.numbers.divide(a, b, fill)
    reasons = ev.numbers.reasons
    if reasons is not None and zero.any():
        reasons.append((np.atleast_1d(zero), lambda index: about.describe(because, index)))
    return values


def ratio(ev: Any, a: Any, b: Any, about: Matrix, because: str) -> Any:
    return needed_ratio(ev, a, b, about, because, ev.numbers.policy.fill)


def half_turns(ev: Any, adjacent: Any, hypotenuse: Any, about: Matrix, because: str) -> Any:
    """The angle; where there is none the policy decides on the angle, not on its cosine."""
    angle = ev.numbers.half_turns(needed_ratio(ev, adjacent, hypotenuse, about, because))
    fill = ev.numbers.policy.fill
    _, missing = ev.numbers.divide(adjacent, hypotenuse, fill)
    return ev.numbers.choose(missing, fill if fill != fill else ev.number(fill), angle)


def no_value(ev: Any, about: Matrix, because: str) -> Any:
    # 0 / 0, so that reason and policy are those of every other quotient.
    nothing = ev.numbers.native(about.total * 0)
    return ratio(ev, nothing, nothing, about, because)


def mean(ev: Any, terms: Any, weights: Any = None) -> Any:
    """The mean over the first axis, weighted if weights are given; under "skip" over the defined terms."""
    # The usual case needs no shares.
    if weights is None and not ev.numbers.policy.skips:
        return np.asarray(terms.sum(axis=0) / terms.shape[0])
    shares, counted = _shares(ev, terms, weights)
    return np.asarray((ev.numbers.choose(~counted, ev.number(0), terms) * shares).sum(axis=0))


def geometric_mean(ev: Any, terms: Any, weights: Any = None) -> Any:
    """The geometric mean over the first axis; a 0 stays exactly 0."""
    shares, counted = _shares(ev, terms, weights)
    # What is left out counts as 1, which changes no product.
    return ev.numbers.weighted_geometric_mean(ev.numbers.choose(~counted, ev.number(1), terms), shares)


def _shares(ev: Any, terms: Any, weights: Any) -> tuple[Array, Array]:
    # The share of each class in a mean, and which classes take part.
    # Not those of weight 0, nor undefined ones under "skip".
    if weights is None:
        weights = np.full((terms.shape[0],) + (1,) * (terms.ndim - 1), ev.number(1))
    elif weights.ndim < terms.ndim:
        weights = weights.reshape(*weights.shape, *([1] * (terms.ndim - weights.ndim)))
    # A class of weight 0 may be undefined: 0 times NaN would be NaN, so it takes no part.
    counted = np.broadcast_to(weights != 0, terms.shape)
    if ev.numbers.policy.skips:
        counted = counted & ~ev.numbers.is_nan(terms)
        weights = weights * counted
    total = np.asarray(weights.sum(axis=0))
    shares, zero = ev.numbers.divide(weights, total, NAN)
    if ev.numbers.reasons is not None and zero.any():
        ev.numbers.reasons.append((zero, lambda index: NO_WEIGHT))
    return shares, counted


def at_priors(ev: Any, matrix: Matrix, priors: Any) -> Matrix:
    """Each row scaled so that its class has its prior."""
    # The rates of a class without examples are not known.
    shares, unknown = priors if isinstance(priors, tuple) else (priors, None)
    skips = ev.numbers.policy.skips
    rates = needed_ratio(ev, ev.number(1), ev.numbers.native(matrix.actual), matrix, RATES_UNKNOWN)
    # Under "skip" a class without examples is left out, and the means over classes renormalise.
    if skips:
        rates = ev.numbers.choose(ev.numbers.is_nan(rates), ev.number(0), rates)
    elif unknown is not None:
        rates = rates * NAN
        if ev.numbers.reasons is not None:
            words = RATES_UNKNOWN.format(label=quoted(unknown))
            ev.numbers.reasons.append((np.ones((1,), dtype=bool), lambda index: words))
    if np.ndim(shares):
        shares = np.asarray(shares).reshape(-1, *([1] * (rates.ndim - 1)))
    factors = shares * rates
    return matrix.with_rows_scaled(factors, ev.numbers.native)


def classes_taking_part(ev: Any, matrix: Matrix) -> Any:
    """The number of classes that take part: under "skip" those that have examples, of which two at least."""
    if not ev.numbers.policy.skips:
        return ev.number(matrix.n_classes)
    present = np.asarray((matrix.actual > 0).sum(axis=0))
    # The ends of ranges are given for two classes or more.
    return ev.numbers.native(np.maximum(present, 2))
