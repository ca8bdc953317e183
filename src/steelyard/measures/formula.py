"""Formulas: one small grammar for the whole product, read into graphs."""

#     expression = term { ("+" | "-") term }
#     term       = factor { ("*" | "/") factor }
#     factor     = ("-" | "+") factor | power
#     power      = atom [ ("^" | "**") factor ]
#     atom       = number | name | name "(" expression { "," expression } ")" | "(" expression ")"
#
# An exponent is a number, or a quotient of whole numbers in parentheses.
#
# Of two classes: tp, fn, fp, tn. Of any number of classes, one value a class: hits, actual, predicted,
# missed, false_alarms, rejected. Of either: n, the number of examples; of classes also C, their number.
# sqrt, log, abs, max and min (of two or more) work on both; sum, mean, product and geometric_mean take
# one value a class and give one number. Nothing else has a meaning, and nothing is evaluated by Python.

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import reduce

import numpy as np

from steelyard.errors import InputError
from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import CELLS as MATRIX
from steelyard.measures.graph import TWO_CELLS, WEIGHTS, Node, as_node, constant, maximum, minimum, power
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.names import as_measure
from steelyard.measures.record import Measure, Range
from steelyard.measures.views import Classes, TwoClass

CELLS = ("tp", "fn", "fp", "tn")
CLASS_VECTORS = ("hits", "actual", "predicted", "missed", "false_alarms", "rejected")
NUMBERS = ("n", "C")
FUNCTIONS = ("sqrt", "log", "abs", "max", "min")
OVER_CLASSES = ("sum", "mean", "product", "geometric_mean")
# Parentheses within parentheses, at most so many.
DEEPEST = 60
# Operations of a formula, at most so many.
LONGEST = 250
# Characters of a number.
LONGEST_NUMBER = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\*\*|[-+*/^(),]))"
)

BECAUSE = "a denominator of the formula is 0"


class FormulaError(InputError):
    """A text that is no formula, and where it stops being one."""


def formula_measure(text: str) -> Measure:
    """The measure that a formula is; its range is not known."""
    reader = _Reader(text)
    signs = sum(kind == "sign" and word not in "()," for kind, word, _ in reader.tokens)
    if signs > LONGEST:
        raise FormulaError(
            "the formula is too long",
            found=f"{signs:,} operations",
            allowed=f"{LONGEST}",
            do="write it as a function in a file, as in my_metric.py:my_metric",
        )
    graph = reader.expression(0)
    kind, word, place = reader.here
    if kind != "end":
        raise reader.error(place, word)
    cells, classes = reader.named & set(CELLS), reader.named & {*CLASS_VECTORS, "C"}
    if cells and classes:
        raise FormulaError(
            "a formula speaks of two cells or of classes, not of both",
            found=f"{sorted(cells)[0]} and {sorted(classes)[0]}",
            allowed=f"{', '.join(CELLS)}, or {', '.join(CLASS_VECTORS)}",
        )
    if not reader.named:
        raise FormulaError(
            "a formula without counts is no metric", found=repr(text), allowed=f"{', '.join(CELLS)}, ..."
        )
    if graph.dims:
        raise FormulaError(
            "the formula has one value a class, not one number",
            found=repr(text),
            do="write mean(...) or sum(...) around it",
        )
    return MatrixMeasure(
        id=text,
        title=text,
        question="What is the value of this formula?",
        reads=text,
        kind="multi-class" if classes else "two-class",
        graph=graph,
        range=Range(-np.inf, np.inf),
        undefined_when="a denominator is 0",
        # It may, and nobody says that it does not.
        depends_on_size=True,
        recipe=(formula_measure, (text,)),
    )


def is_formula(text: str) -> bool:
    """Does a text look like a formula, correct or not, rather than like the name of a measure or a file?"""
    return (
        not text.endswith(".py")
        and ":" not in text
        and any(c in text for c in "+-*/^(")
        and any(name in CELLS + CLASS_VECTORS for name in re.findall(r"[A-Za-z_]\w*", text))
    )


def measure_or_formula(text: str) -> Measure:
    """The measure of the catalogue with this name, or the one that this formula is."""
    return formula_measure(text) if is_formula(text) else as_measure(text)


class _Reader:
    """A text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        place, end = 0, len(text.rstrip())
        while place < end:
            token = _TOKEN.match(text, place)
            if token is None:
                start = place + len(text[place:]) - len(text[place:].lstrip())
                raise self.error(start, repr(text[start])[:20])
            kind = token.lastgroup or ""
            self.tokens.append((kind, token[kind], token.start(kind)))
            place = token.end()
        self.tokens.append(("end", "the end", len(text)))
        self.at = 0
        names = {word for kind, word, _ in self.tokens if kind == "name"}
        self.named = names & {*CELLS, *CLASS_VECTORS, *NUMBERS}
        of_classes = bool(names & {*CLASS_VECTORS, "C"})
        self.classes = Classes(MATRIX, weights=WEIGHTS)
        self.two = TwoClass(TWO_CELLS)
        self.view: Classes | TwoClass = self.classes if of_classes else self.two

    def error(self, place: int, problem: str) -> FormulaError:
        words = ", ".join((*CELLS, *CLASS_VECTORS, *NUMBERS, *FUNCTIONS, *OVER_CLASSES))
        what, allowed = (
            f"the formula is not understood at character {place + 1}",
            "numbers, + - * / ^, parentheses",
        )
        return FormulaError(what, found=problem, allowed=f"{allowed}, {words}")

    @property
    def here(self) -> tuple[str, str, int]:
        return self.tokens[self.at]

    def _takes(self, *signs: str) -> str | None:
        kind, word, _ = self.here
        if kind == "sign" and word in signs:
            self.at += 1
            return word
        return None

    def _needs(self, sign: str) -> None:
        if self._takes(sign) is None:
            _, word, place = self.here
            raise self.error(place, f"{word} instead of {sign}")

    def expression(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise FormulaError(
                "the formula is nested too deeply", allowed=f"{DEEPEST} parentheses within each other"
            )
        value = self._term(depth)
        while (sign := self._takes("+", "-")) is not None:
            other = self._term(depth)
            value = value + other if sign == "+" else value - other
        return value

    def _term(self, depth: int) -> Node:
        value = self._factor(depth)
        while (sign := self._takes("*", "/")) is not None:
            other = self._factor(depth)
            value = value * other if sign == "*" else self._over(value, other)
        return value

    def _over(self, a: Node, b: Node) -> Node:
        # A quotient; of two numbers their fraction.
        # 1/3 stays a fraction: no digit is lost before exact arithmetic or a proof sees it.
        known = constant_value(a / b) if b.op == "number" and b.static[0] else None
        return constant(known) if known is not None else self.view.ratio(a, b, BECAUSE)

    def _factor(self, depth: int) -> Node:
        sign = self._takes("-", "+")
        if sign is not None:
            if depth > DEEPEST:
                raise FormulaError("the formula is nested too deeply", allowed=f"{DEEPEST} signs in a row")
            value = self._factor(depth + 1)
            return -value if sign == "-" else value
        base = self._atom(depth)
        place = self.here[2]
        if self._takes("^", "**") is None:
            return base
        written = self._factor(depth + 1)
        number = constant_value(written) if written.op in ("number", "neg") else None
        if number is None:
            raise self.error(place, "an exponent that is not a number")
        exponent = Fraction(number)
        if abs(exponent) > 100 or exponent.denominator > 100:
            raise self.error(place, f"the exponent {exponent}")
        # x^0 is 1, and undefined where x is.
        raised = power(base, abs(exponent)) if exponent else base * 0 + 1
        return raised if exponent >= 0 else self._over(constant(1), raised)

    def _atom(self, depth: int) -> Node:
        kind, word, place = self.here
        if kind == "end":
            raise self.error(place, word)
        self.at += 1
        if kind == "number":
            return constant(self._number(word, place))
        if kind == "sign" and word == "(":
            value = self.expression(depth + 1)
            self._needs(")")
            return value
        if kind == "name" and word in FUNCTIONS + OVER_CLASSES:
            return self._call(word, place, depth)
        if kind == "name" and word in NUMBERS:
            return as_node(self.view.total if word == "n" else self.view.n_classes)
        if kind == "name" and word in self.named:
            return as_node(getattr(self.two if word in CELLS else self.classes, word))
        raise self.error(place, word)

    def _number(self, word: str, place: int) -> Fraction:
        # A number that floats hold too, so that every mode of computing can follow.
        exponent = word.lower().partition("e")[2][:6]
        short = len(word) <= LONGEST_NUMBER and abs(int(exponent or 0)) < 300
        value = Fraction(word) if short else Fraction(10) ** 301
        if value and not Fraction(10) ** -300 < value < Fraction(10) ** 300:
            raise self.error(place, f"the number {word if len(word) <= 20 else word[:17] + '...'}")
        return value

    def _call(self, function: str, place: int, depth: int) -> Node:
        self._needs("(")
        arguments = [self.expression(depth + 1)]
        while self._takes(",") is not None:
            arguments.append(self.expression(depth + 1))
        self._needs(")")
        if (len(arguments) < 2) if function in ("max", "min") else (len(arguments) != 1):
            raise self.error(place, f"{function} of {len(arguments)}")
        if function in OVER_CLASSES and not arguments[0].dims:
            raise FormulaError(
                f"{function}(...) needs one value a class",
                found=repr(self.text),
                allowed=f"something made of {', '.join(CLASS_VECTORS)}",
            )
        return _CALLS[function](arguments)


_CALLS: dict[str, Callable[[list[Node]], Node]] = {
    "sqrt": lambda a: Node("sqrt", a),
    "log": lambda a: Node("log", a),
    "abs": lambda a: abs(a[0]),
    "max": lambda a: reduce(maximum, a),
    "min": lambda a: reduce(minimum, a),
    "sum": lambda a: a[0].sum(axis=0),
    "product": lambda a: a[0].prod(axis=0),
    "mean": lambda a: Node("mean", (a[0], WEIGHTS)),
    "geometric_mean": lambda a: Node("geometric_mean", (a[0], WEIGHTS)),
}
