"""Which measure does a printed name mean? Catalogue names, averages (macro, micro, weighted) and operators
around them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from steelyard.auditing.printed import split_outside_brackets
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures import operators
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

_CALL = re.compile(r"\s*([^()]+?)\s*\((.*)\)\s*")
_CLASS = re.compile(r"(.*?)\s*\[([^\[\]]+)\]\s*")
_F = re.compile(r"[fF]_?(\d*\.?\d+)(?:[ _-]?(?:score|measure))?")
_AVERAGES = {"macro": "macro", "micro": "micro", "weighted": "prevalence", "prevalence": "prevalence"}

_OPERATORS: dict[str, Callable[..., Measure]] = {
    "balanced": operators.balanced,
    "normalised": operators.normalised,
    "iba": operators.iba,
    "at_priors": operators.at_priors,
    "one_versus_all": operators.one_versus_all,
    "one_versus_one": operators.one_versus_one,
}


def named(text: str) -> tuple[Measure, str | None]:
    """The measure, and the class whose value it is if the name ends in [class]."""
    match = _CLASS.fullmatch(text)
    name, label = (match[1], match[2].strip()) if match else (text, None)
    found = measure_of(name)
    if found.kind == "scores":
        raise InputError(
            f"{found.name} is a measure of scores, which no confusion matrix decides",
            found=text.strip(),
            allowed="measures of a confusion matrix",
        )
    if label is not None and found.kind != "two-class":
        raise InputError(
            f"{found.name} is one number for all classes",
            found=text.strip(),
            allowed=f"{name.strip()} without a class, or a measure of one class such as recall[{label}]",
        )
    return found, label


def measure_of(name: str) -> Measure:
    """The measure that a name with averages and operators means."""
    try:
        return look_up(name.strip())
    except UnknownNameError as unknown:
        for attempt in (_f_measure, _call, _averaged):
            found = attempt(name.strip())
            if found is not None:
                return found
        raise unknown from None


def _f_measure(name: str) -> Measure | None:
    """f.5 is an F-measure with that beta, like f0.5, which the catalogue reads."""
    match = _F.fullmatch(name)
    return look_up("f_beta", beta=float(match[1])) if match else None


def _averaged(name: str) -> Measure | None:
    """macro_specificity and specificity_macro are the macro average of specificity over classes."""
    words = name.replace("-", "_").replace(" ", "_").casefold().split("_")
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        if word in _AVERAGES and rest:
            return operators.one_versus_all(measure_of("_".join(rest)), _AVERAGES[word])  # type: ignore[arg-type]
    return None


def _call(name: str) -> Measure | None:
    match = _CALL.fullmatch(name)
    if match is None:
        return None
    head, inside = match[1].casefold(), [part.strip() for part in split_outside_brackets(match[2])]
    if head in _AVERAGES and len(inside) == 1:
        return operators.one_versus_all(measure_of(inside[0]), _AVERAGES[head])  # type: ignore[arg-type]
    if head in _OPERATORS and inside:
        try:
            return _OPERATORS[head](measure_of(inside[0]), *map(_argument, inside[1:]))
        except TypeError as error:
            raise InputError(
                f"{head} is given wrongly", found=repr(name), allowed=f"such as {head}(f1)"
            ) from error
    return None


def _argument(text: str) -> Any:
    value = text.rpartition("=")[2].strip()
    try:
        return float(value)
    except ValueError:
        return _AVERAGES.get(value.casefold(), value)
