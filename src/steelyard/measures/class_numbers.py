"""Which number did the caller give to each class: its prior, or its relevance?

Checked when they are given, matched to the classes of a matrix when they are used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Rational, Real
from typing import Any, Literal

import numpy as np

from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import by_own_names
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.view import View

UNIFORM = "uniform"
AT_PRIORS = " at priors "
BY_RELEVANCE = " weighted by relevance"
"""What stands behind a name of a measure."""
Priors = Mapping[Label, float] | Sequence[float] | float | Literal["uniform"]

_CLOSE_TO_1 = 1e-6
"""How far priors may be from adding up to 1: as much as six printed digits leave open."""


def checked_priors(priors: Any) -> Any:
    """The priors as "uniform", one number of the positive class, a tuple, or a dictionary by label."""
    priors = by_own_names(priors)
    if isinstance(priors, np.ndarray) and priors.ndim == 0:
        priors = priors.item()
    if _is_number(priors):
        if not 0 <= float(priors) <= 1:
            raise InputError(
                "the prior of the positive class must be a proportion",
                found=number_text(priors),
                allowed="0 to 1",
            )
        return priors
    if isinstance(priors, str) and priors == UNIFORM:
        return priors
    if isinstance(priors, (str, bytes)) or not isinstance(priors, Iterable):
        raise InputError(
            "the priors are not understood",
            found=repr(priors),
            allowed='a mapping, a sequence, a number or "uniform"',
        )
    values = list(priors.values()) if isinstance(priors, Mapping) else list(priors)
    if not values or not all(_is_number(v) and math.isfinite(v) and v >= 0 for v in values):
        raise InputError(
            "priors must be proportions", found=repr(values), allowed="numbers >= 0 that add up to 1"
        )
    total = float(sum(values))
    if abs(total - 1) > _CLOSE_TO_1:
        raise InputError(
            "the priors do not add up to 1",
            found=f"a sum of {total:g}",
            allowed="proportions of all classes, adding up to 1",
            do="of two classes the number of the positive one alone is enough: priors=0.1"
            if len(values) == 1
            else "",
        )
    return dict(priors) if isinstance(priors, Mapping) else tuple(values)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def number_text(value: Any) -> str:
    """A number as it stands in a name: short, and read back as the same number."""
    if isinstance(value, Rational):
        return str(value)
    short = f"{float(value):g}"
    return short if float(short) == float(value) else repr(float(value))


def priors_text(priors: Any) -> str:
    """Checked priors as they stand in a name, from which `names` reads them back."""
    if isinstance(priors, Mapping):
        return ", ".join(f"{_label_text(label)} {number_text(value)}" for label, value in priors.items())
    if isinstance(priors, tuple):
        return ", ".join(map(number_text, priors))
    return str(priors) if priors == UNIFORM else number_text(priors)


def _label_text(label: Label) -> str:
    """A label in a name: quoted where a comma, a bracket or the like in it would be taken for the name's
    own."""
    text = str(label)
    plain = text and text == text.strip() and not any(mark in text for mark in "(),='\\")
    plain = plain and AT_PRIORS not in f" {text} " and BY_RELEVANCE not in f" {text}"
    return text if plain else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def priors_for(c: View, priors: Any) -> tuple[list[Any], Label | None]:
    """The priors of the classes, and a class with a prior that was left out because it holds nothing."""
    if c.numbers_of_classes is not None:
        return c.numbers_of_classes(priors, "prior")
    if not isinstance(priors, (Mapping, tuple)) and c.has_positive:
        return of_two(c, priors), None
    count = len(c.everyone)
    if isinstance(priors, Mapping):
        return _of_those_present(c, [priors[key] for key in matched(c.everyone, priors, "prior")])
    if not isinstance(priors, tuple):
        if priors == UNIFORM:
            return [c.number(1) / c.n_classes] * c.n_classes, None
        raise InputError(
            "one prior is not enough",
            found=f"{number_text(priors)} for a measure of {count} classes",
            allowed="a prior for each class",
        )
    if len(priors) != count:
        raise InputError(
            "the priors do not fit the matrix",
            found=f"{len(priors)} priors for {count} classes",
            allowed="one prior per class, in their order",
        )
    if c.has_positive:
        raise ambiguous(priors)
    return _of_those_present(c, list(priors))


def ambiguous(priors: tuple[Any, ...]) -> InputError:
    """Which of the two is the positive class?"""
    return InputError(
        "priors in the order of the classes are ambiguous for a two-class measure",
        found=priors_text(priors),
        do="give a mapping from label to prior, or the prior of the positive class",
    )


def of_two(c: View, priors: Any) -> list[Any]:
    """The priors of the positive and the negative class."""
    if priors == UNIFORM:
        return [c.number(1) / 2] * 2
    return [c.number(priors), c.number(1) - c.number(priors)]


def _of_those_present(c: View, priors: list[Any]) -> tuple[list[Any], Label | None]:
    names = c.names
    present, own = set(names), dict(zip(c.everyone, priors, strict=True))
    unknown = [name for name, prior in own.items() if name not in present and prior > 0]
    return [c.number(own[name]) for name in names], unknown[0] if unknown else None


def matched(labels: Sequence[Label], given: Mapping[Label, Any], what: str) -> list[Label]:
    """The keys of `given` for these labels, in their order; every label has one and none is left over."""
    keys = meant(labels, given)
    for label, key in zip(labels, keys, strict=True):
        if key is None:
            raise InputError(
                f"there is no {what} for class {label!r}",
                found=", ".join(map(str, given)),
                allowed=f"a {what} for each of {', '.join(map(str, labels))}",
            )
    used = set(keys)
    left_over = [key for key in given if key not in used]
    if left_over:
        raise UnknownNameError(f"class (named among the {what}s)", left_over[0], map(str, labels))
    return keys


def relevance_for(c: View, relevance: Any) -> Sequence[Any]:
    """The relevance of the classes, in their order."""
    if c.numbers_of_classes is not None:
        return c.numbers_of_classes(relevance, "relevance")[0]  # type: ignore[no-any-return]
    if hasattr(relevance, "scores_of"):
        given: Sequence[Any] = relevance.scores_of(c.names)
        return given
    labels = c.everyone
    by_label = isinstance(relevance, Mapping)
    scores = (
        [relevance[key] for key in matched(labels, relevance, "relevance")] if by_label else list(relevance)
    )
    if len(scores) != len(labels):
        raise InputError(
            "the relevance does not fit the matrix",
            found=f"{len(scores)} scores for {len(labels)} classes",
            allowed="one score per class",
        )
    if not all(isinstance(s, Real) and 0 <= float(s) <= 1 for s in scores) or not any(scores):
        raise InputError(
            "relevance must be scores", found=repr(scores), allowed="numbers from 0 to 1, not all 0"
        )
    own = dict(zip(labels, scores, strict=True))
    return [own[name] for name in c.names]
