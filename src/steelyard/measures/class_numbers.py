"""Numbers given to classes, as priors or as relevance: checked, and matched to the classes of a matrix."""

# They are checked when they are given and matched when they are used.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Rational, Real
from typing import Any, Literal

import numpy as np

from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import by_own_names
from steelyard.errors import InputError, UnknownNameError, parameter

UNIFORM = "uniform"
AT_PRIORS = " at priors "
# What stands behind a name of a measure.
BY_RELEVANCE = " weighted by relevance"
Priors = Mapping[Label, float] | Sequence[float] | float | Literal["uniform"]

# How far priors may be from adding up to 1: as much as six printed digits leave open.
_CLOSE_TO_1 = 1e-6


def checked_priors(priors: Any) -> Any:
    """The priors as "uniform", one number of the positive class, a tuple, or a dictionary by label."""
    priors = by_own_names(priors)
    if isinstance(priors, np.ndarray) and priors.ndim == 0:
        priors = priors.item()
    if _is_number(priors):
        if not 0 <= float(priors) <= 1:
            percent = f"write {number_text(priors)}% as {number_text(float(priors) / 100)}"
            raise InputError(
                "the prior of the positive class must be a proportion",
                found=number_text(priors),
                allowed="0 to 1",
                do=percent if 1 < float(priors) <= 100 else "",
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
    values = list(priors.values() if isinstance(priors, Mapping) else priors)
    if not values or not all(_is_number(v) and math.isfinite(v) and v >= 0 for v in values):
        raise InputError(
            "priors must be proportions", found=repr(values), allowed="numbers >= 0 that add up to 1"
        )
    total = float(sum(values))
    if abs(total - 1) > _CLOSE_TO_1:
        enough = (
            f"of two classes the number of the positive one alone is enough: {parameter('priors', '0.1')}"
        )
        raise InputError(
            "the priors do not add up to 1",
            found=f"a sum of {total:g}",
            allowed="proportions of all classes, adding up to 1",
            do=enough if len(values) == 1 else "",
        )
    return dict(priors) if isinstance(priors, Mapping) else tuple(values)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def number_text(value: Any) -> str:
    """A number as it stands in a name: short, and read back as the same number."""
    if isinstance(value, Rational):
        return str(value)
    # Six digits if they are enough to read the same number back.
    short = f"{float(value):g}"
    return short if float(short) == float(value) else repr(float(value))


def priors_of_two(priors: Any, positive: Label, other: Label) -> Any:
    """Priors of two classes, of which one is given, by label; other priors as they are."""
    # Given is the number of the positive class, or a mapping that names either.
    if _is_number(priors):
        number = checked_priors(priors)
        return {positive: number, other: 1 - number}
    if isinstance(priors, Mapping) and len(priors) == 1:
        (name, number), *_ = priors.items()
        (named,) = meant([name], (positive, other))
        if named is not None and _is_number(number):
            checked_priors(number)
            return {named: number, (other if named == positive else positive): 1 - number}
    return priors


def priors_text(priors: Any) -> str:
    """Checked priors as they stand in a name, from which `names` reads them back."""
    if isinstance(priors, Mapping):
        return ", ".join(f"{_label_text(label)} {number_text(value)}" for label, value in priors.items())
    if isinstance(priors, tuple):
        return ", ".join(map(number_text, priors))
    return str(priors) if priors == UNIFORM else number_text(priors)


def _label_text(label: Label) -> str:
    # A label in a name, quoted where a mark in it would be taken for the name's own.
    text = str(label)
    # Names are read back: a comma in a label would end the clause, and " at priors " would start another.
    plain = text and text == text.strip() and not any(mark in text for mark in "(),='\\")
    plain = plain and AT_PRIORS not in f" {text} " and BY_RELEVANCE not in f" {text}"
    return text if plain else "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def given_priors(priors: Any, two: bool) -> tuple[Any, ...]:
    """Checked priors as constants of a node, which `of_classes` matches to the classes."""
    if isinstance(priors, Mapping):
        return "by label", tuple(priors.items()), True
    if isinstance(priors, tuple):
        return "ambiguous" if two else "in order", priors
    return "single", priors


def priors_of(labels: Sequence[Label], two: bool, priors: Any) -> list[float]:
    """Checked priors of these classes as numbers; of two classes the positive one comes first."""
    if priors == UNIFORM:
        return [1 / len(labels)] * len(labels)
    if two and not isinstance(priors, (Mapping, tuple)):
        return [float(priors), 1 - float(priors)]
    return [float(p) for p in of_classes(labels, labels, "prior", given_priors(priors, two))[0]]


def of_classes(
    labels: Sequence[Label], everyone: Sequence[Label], what: str, spec: tuple[Any, ...]
) -> tuple[list[Any], Label | None]:
    """The numbers of these classes in their order, and a class with a prior that holds nothing."""
    # `everyone` are the classes together with those that were left out because they hold nothing.
    kind, values = spec[0], spec[1]
    if not labels and what == "relevance" and kind == "in order" and len(values) == 2:
        # Each class against the rest, or against another one.
        labels = everyone = ("positive", "negative")
    if not labels:
        raise InputError(
            f"a {what} for each class cannot be given to each class against the rest",
            found=what,
            do="apply it to the average over classes instead",
        )
    if kind == "single":
        raise InputError(
            "one prior is not enough",
            found=f"{number_text(values)} for a metric of {len(everyone)} classes",
            allowed="a prior for each class",
        )
    # Of a relevance, which may speak of classes that are not here.
    if kind == "by label" and not spec[2]:
        return relevance_of(labels, dict(values)), None
    scores = _in_order_of(everyone, what, kind, values)
    if what == "relevance" and (
        not all(isinstance(s, Real) and 0 <= float(s) <= 1 for s in scores) or not any(scores)
    ):
        raise InputError(
            "relevance must be scores", found=repr(list(scores)), allowed="numbers from 0 to 1, not all 0"
        )
    by_class = dict(zip(everyone, scores, strict=True))
    # A prior above 0 for a class that is not in the matrix: its rates are unknown, which the operation has to
    # say.
    present = set(labels)
    unknown = [name for name, number in by_class.items() if name not in present and number > 0]
    return [by_class[name] for name in labels], unknown[0] if unknown and what == "prior" else None


def _in_order_of(everyone: Sequence[Label], what: str, kind: str, values: Any) -> list[Any]:
    if kind == "by label":
        by_label = dict(values)
        keys = _keys(everyone, by_label, what, f"a {what} for each of {', '.join(map(str, everyone))}")
        used = set(keys)
        for left_over in (key for key in by_label if key not in used):
            raise UnknownNameError(f"class (named among the {what}s)", left_over, map(str, everyone))
        return [by_label[key] for key in keys]
    if len(values) != len(everyone):
        word = "prior" if what == "prior" else "score"
        raise InputError(
            f"the {'priors do' if what == 'prior' else 'relevance does'} not fit the matrix",
            found=f"{len(values)} {word}s for {len(everyone)} classes",
            allowed=f"one {word} per class, in their order",
        )
    if kind == "ambiguous":
        raise InputError(
            "priors in the order of the classes are ambiguous for a metric of two classes",
            found=priors_text(values),
            do="give a mapping from label to prior, or the prior of the positive class",
        )
    return list(values)


def relevance_of(labels: Sequence[Label], by_label: Mapping[Label, Any]) -> list[Any]:
    """The scores of these classes, in their order, of those that may speak of more."""
    allowed = "a score for every class of the matrix"
    wanted = [by_label[key] for key in _keys(labels, by_label, "relevance", allowed)]
    if not any(wanted):
        raise InputError(
            "no class of the matrix has any relevance",
            found="scores that are all 0",
            allowed="at least one score above 0",
        )
    return wanted


def _keys(labels: Sequence[Label], by_class: Mapping[Label, Any], what: str, allowed: str) -> list[Label]:
    # The key of each label, however it is spelled.
    keys = meant(labels, by_class)
    for label in (label for label, key in zip(labels, keys, strict=True) if key is None):
        named = ", ".join(map(str, by_class))
        raise InputError(f"there is no {what} for class {label!r}", found=named, allowed=allowed)
    return keys


def places_in(known: Sequence[Label], wanted: Sequence[Label]) -> list[int]:
    """Where the costs of these classes stand."""
    places = {str(label): k for k, label in enumerate(known)}
    missing = [str(label) for label in wanted if str(label) not in places]
    if missing:
        strange, allowed = ", ".join(missing[:5]), ", ".join(map(str, known[:12]))
        raise InputError("the costs do not know a class", found=strange, allowed=allowed)
    return [places[str(label)] for label in wanted]
