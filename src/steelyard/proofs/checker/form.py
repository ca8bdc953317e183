"""Form of certificates: fields and expressions are validated before anything is worked out."""

# Expressions are numbers as text ("1/2"), ["variable", name], ["log", e], ["^", e, number] or [sign, e, e]
# with one of + - * / max. Names are plain words: "root 0" and "log 0" are what the expansion calls quantities
# of its own.

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

SIGNS = ("+", "-", "*", "/", "max")
LARGEST_POWER = 1_000
LONGEST_NUMBER = 2_000
# What is nested deeper, or has more nodes, is no certificate of ours, and Python would run out of stack.
DEEPEST = 150
MOST_NODES = 500_000
_NUMBER = re.compile(r"-?\d+(?:/[1-9]\d*|\.\d+(?:e-?\d{1,3})?|e-?\d{1,3})?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Field = Callable[[Any, set[str]], bool]


def is_number(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NUMBER and _NUMBER.fullmatch(value) is not None


def is_expression(node: Any, names: set[str]) -> bool:
    """Is it an expression over these variables?"""
    waiting = [(node, 0)]
    nodes = 0
    while waiting:
        inner, depth = waiting.pop()
        nodes += 1
        if is_number(inner):
            continue
        if depth > DEEPEST or nodes > MOST_NODES or not isinstance(inner, list):
            return False
        match inner:
            case ["variable", str(name)]:
                if name not in names:
                    return False
            case ["log", operand]:
                waiting.append((operand, depth + 1))
            case ["^", operand, power]:
                if not is_number(power) or abs(Fraction(power)) > LARGEST_POWER:
                    return False
                waiting.append((operand, depth + 1))
            case [str(sign), first, second]:
                if sign not in SIGNS:
                    return False
                waiting += [(first, depth + 1), (second, depth + 1)]
            case _:
                return False
    return True


def _pairs(value: Any, *fields: Field) -> Callable[[set[str]], bool]:
    """A list of lists whose entries are of these kinds."""
    return lambda names: (
        isinstance(value, list)
        and all(isinstance(row, list) and len(row) == len(fields) for row in value)
        and all(field(entry, names) for row in value for field, entry in zip(fields, row, strict=True))
    )


def _number(value: Any, names: set[str]) -> bool:
    return is_number(value)


def _matrix(rows: Any, names: set[str]) -> bool:
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, list) and len(row) == len(rows) for row in rows)
        and all(type(v) is int and v >= 0 for row in rows for v in row)
    )


def _names(value: Any, names: set[str]) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name in names for name in value)


def _rates(value: Any, names: set[str]) -> bool:
    return isinstance(value, dict) and all(
        name in names and (type(rate) is int or is_number(rate)) for name, rate in value.items()
    )


_EXPRESSIONS: dict[str, Field] = {"left": is_expression, "right": is_expression}
_SUPPORTS: dict[str, Field] = {
    "left": is_expression,
    "positive": _names,
    "groups": lambda value, names: isinstance(value, list) and all(_names(g, names) and g for g in value),
}
_FIELDS: dict[str, dict[str, Field]] = {
    "=": _EXPRESSIONS,
    ">=": _EXPRESSIONS,
    ">": {**_SUPPORTS, "right": is_expression},
    "rises": {**_SUPPORTS, "direction": _rates},
    "differ": _EXPRESSIONS,
    "values": {"values": lambda v, names: bool(v) and _pairs(v, is_expression, _number)(names)},
    "lemma": {
        "name": lambda value, names: isinstance(value, str),
        "instances": lambda v, names: bool(v) and _pairs(v, _number, _number)(names),
    },
    "mean over classes": {
        "kind": lambda value, names: value in ("arithmetic", "geometric"),
        "term": lambda value, names: is_expression(value, {"d", "fn", "fp", "tn"}),
        "instances": lambda v, names: _pairs(v, _matrix, _number)(names),
    },
    "summed over classes": {
        "of a class": _names,
        "term": is_expression,
        "bound": is_expression,
        "parts": lambda v, names: bool(v) and _pairs(v, is_expression, is_expression, is_expression)(names),
        "squares": lambda v, names: _pairs(v, is_expression, is_expression)(names),
    },
}
_WITH_VARIABLES = ("=", ">=", ">", "rises", "summed over classes")


def malformed(certificate: Any) -> str:
    """What is wrong with the form of a certificate, as a sentence; empty if nothing is."""
    if not isinstance(certificate, dict):
        return f"A certificate is an object, found {type(certificate).__name__}."
    relation = certificate.get("relation")
    if not isinstance(relation, str) or relation not in _FIELDS:
        return (
            f"The relation of a certificate is one of {', '.join(_FIELDS)}; found {reprlib.repr(relation)}."
        )
    fields = _FIELDS[relation]
    expected = {"relation", *fields, *(["variables"] if relation in _WITH_VARIABLES else [])}
    if set(certificate) != expected:
        wrong = sorted(map(str, set(certificate) ^ expected))
        return (
            f'A certificate of "{relation}" has the fields {", ".join(sorted(expected))}; compare {wrong[0]}.'
        )
    names: set[str] = set()
    if relation in _WITH_VARIABLES:
        variables = certificate["variables"]
        plain = isinstance(variables, list) and all(
            isinstance(name, str) and _NAME.fullmatch(name) for name in variables
        )
        if not plain or len(set(variables)) != len(variables):
            return (
                f"The variables of a certificate are different plain names; found {reprlib.repr(variables)}."
            )
        names = set(variables)
    for name, holds in fields.items():
        if not holds(certificate[name], names):
            return f'The field "{name}" of a certificate is malformed: {reprlib.repr(certificate[name])}.'
    return ""
