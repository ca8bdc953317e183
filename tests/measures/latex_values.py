"""Evaluate formulas in LaTeX on a confusion matrix of fractions, in the notation of docs/notation.md.

    formula    = expression {",\\ " name "=" expression}         what a formula is, and what its names mean
    expression = ["-"] term {("+" | "-") term}
    term       = {factor | "/" factor}                           a sum or a maximum takes the rest of the term

Names that a formula does not explain are those of the matrix (t_i, p_i, d_i, m_ij, n, C, tp, ...), parameters, or
symbols of other measures of the catalogue. It is written for the tests alone and shares nothing with the library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

DIGITS = 45
Indices = dict[str, int]
Value = Callable[[Indices], Fraction]
_SIZES = re.compile(r"\\(left|right|[bB]ig+[lr]?)(?![a-z])|\\[,;: ]|\\quad|\s|\\text\{[^}]*\}")
_TOKEN = re.compile(
    r"\\varphi\^2|\\[a-zA-Z]+|TPr|TNr|FPr|FNr|MCC|Prec|Rec|tp|fn|fp|tn|[A-Za-z]|\d+(?:\.\d+)?|[^\sA-Za-z\d]"
)


def value(
    latex: str, rows: Sequence[Sequence[Any]], parameters: dict[str, Any], other: Callable[[str], Fraction]
) -> Fraction:
    """The value of a formula on a matrix; `other` gives the values of other measures by their symbols."""
    first, *definitions = re.split(r",\\ ", latex)
    matrix = _Matrix(rows, parameters, other)
    for text in definitions:
        name, sign, meaning = text.partition("=")
        if sign and "(C" not in meaning:  # what depends on the number of classes is given as a parameter
            base, _, index = name.strip().partition("_")
            matrix.defined[base if index not in "ijk" or not index else base + "_"] = (index, meaning)
            if index and index not in "ijk":
                matrix.defined[name.strip()] = ("", meaning)
    return matrix.parsed(first)({})


class _Matrix:
    """What names mean on one matrix."""

    def __init__(
        self, rows: Sequence[Sequence[Any]], parameters: dict[str, Any], other: Callable[[str], Fraction]
    ) -> None:
        self.m = [[Fraction(v) for v in row] for row in rows]
        self.size = len(self.m)
        self.other = other
        self.defined: dict[str, tuple[str, str]] = {}
        given = {"alpha": r"\alpha", "beta": r"\beta", "w": "w", "r": "r"}
        self.known: dict[str, Fraction] = {
            given[key]: Fraction(str(number)) for key, number in parameters.items() if key in given
        }
        self.known |= {"n": sum(map(sum, self.m), Fraction(0)), "C": Fraction(self.size)}
        if self.size == 2:
            self.known |= dict(zip(("tp", "fn", "fp", "tn"), self.m[0] + self.m[1], strict=True))

    def parsed(self, text: str) -> Value:
        parser = _Parser(self, text)
        found = parser.expression()
        assert parser.here() == "", f"{text!r} is not understood at {parser.tokens[parser.at :]}"
        return found

    def named(self, name: str, index: str, at: Indices) -> Fraction:
        """The value of a name with its index: letters stand for classes, the rest is part of the name."""
        if index in ("i", "j", "k"):
            here = at[index]
            if name in ("t", "p", "d"):
                row, column = sum(self.m[here]), sum(line[here] for line in self.m)
                return {"t": Fraction(row), "p": Fraction(column), "d": self.m[here][here]}[name]
            letter, meaning = self.defined[name + "_"]
            return self.parsed(meaning)({letter: here})
        if name == "m" and len(index) == 2:
            return self.m[at[index[0]]][at[index[1]]]
        if not index and name in at:
            return Fraction(at[name])
        whole = f"{name}_{index}" if index else name
        if whole in self.defined:
            return self.parsed(self.defined[whole][1])(at)
        return self.known[whole] if whole in self.known else self.other(whole)


class _Parser:
    def __init__(self, matrix: _Matrix, text: str) -> None:
        self.matrix = matrix
        self.tokens = _TOKEN.findall(_SIZES.sub(" ", text).replace(r"\tfrac", r"\frac"))
        self.at = 0
        self.bar = False
        """Is an absolute value open?"""

    def here(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token: str | None = None) -> str:
        found = self.here()
        assert token is None or found == token, f"{found!r} instead of {token!r} in {self.tokens}"
        self.at += 1
        return str(found)

    def expression(self) -> Value:
        sign = -1 if self.here() == "-" and self.take() else 1
        parts: list[tuple[int, Value]] = [(sign, self.term())]
        while self.here() in ("+", "-"):
            sign = -1 if self.take() == "-" else 1
            parts.append((sign, self.term()))
        return lambda at: sum((s * part(at) for s, part in parts), Fraction(0))

    def term(self) -> Value:
        found: Value = lambda at: Fraction(1)  # noqa: E731
        while self.here() not in ("", "+", "-", ")", "}", ",", "=") and not (self.here() == "|" and self.bar):
            if self.here() == r"\cdot":
                self.take()
            divides = self.here() == "/" and bool(self.take())
            found = _combined(found, self.factor(), divides)
        return found

    def factor(self) -> Value:
        base = self.atom()
        if self.here() != "^":
            return base
        self.take()
        exponent = self.group() if self.here() == "{" else self.single()
        return lambda at: _power(base(at), exponent(at))

    def group(self) -> Value:
        self.take("{")
        found = self.expression()
        self.take("}")
        return found

    def single(self) -> Value:
        """What follows a \\frac or a ^ without braces: one digit or one letter."""
        if self.here() == "{":
            return self.group()
        token = self.take()
        if token.isdigit() and len(token) > 1:  # \frac12
            self.at -= 1
            self.tokens[self.at : self.at + 1] = list(token)
            token = self.take()
        return _constant(token) if token.isdigit() else self.name(token)

    def atom(self) -> Value:
        token = self.take()
        if token == "(":
            found = self.expression()
            self.take(")")
            return found
        if token == "|":
            self.bar = True
            inner = self.expression()
            self.take("|")
            self.bar = False
            return lambda at: abs(inner(at))
        if token == r"\frac":
            return _combined(self.single(), self.single(), True)
        if token == r"\sqrt":
            under = self.group()
            return lambda at: _root(under(at))
        if token in (r"\ln", r"\log", r"\arccos"):
            return self.function(token)
        if token in (r"\max", r"\min", r"\sum", r"\prod"):
            return self.over(token)
        if token.replace(".", "").isdigit():
            return _constant(token)
        return self.name(token)

    def name(self, token: str) -> Value:
        if token == r"\pi" and self.here() != "_":
            return lambda at: Fraction(math.pi)
        index = self.subscript()
        return lambda at: self.matrix.named(token, index, at)

    def subscript(self) -> str:
        if self.here() != "_":
            return ""
        self.take()
        if self.here() != "{":
            return self.take()
        self.take()
        letters = ""
        while self.here() != "}":
            letters += self.take()
        self.take()
        return letters

    def function(self, token: str) -> Value:
        base = self.subscript()
        inner = self.factor()
        if token == r"\arccos":
            return lambda at: Fraction(math.acos(inner(at)))
        scale = _log(Fraction(base)) if base else Fraction(1)
        return lambda at: _log(inner(at)) / scale

    def over(self, token: str) -> Value:
        """A sum, a product or a maximum over classes, of the rest of the term; or a maximum of two."""
        indices = self.subscript()
        if not indices:
            self.take("(")
            one = self.expression()
            self.take(",")
            other = self.expression()
            self.take(")")
            return lambda at: (max if token == r"\max" else min)(one(at), other(at))
        letters, _, unlike = indices.partition(r"\ne")
        terms = self.term()
        size = self.matrix.size

        def value(at: Indices) -> Fraction:
            places = [dict(at)]
            for letter in letters:
                places = [{**place, letter: k} for place in places for k in range(size)]
            values = [terms(place) for place in places if not unlike or place[letters] != place[unlike]]
            if token == r"\max":
                return max(values)
            return sum(values, Fraction(0)) if token == r"\sum" else math.prod(values, start=Fraction(1))

        return value


def _constant(text: str) -> Value:
    number = Fraction(text)
    return lambda at: number


def _combined(a: Value, b: Value, divides: bool) -> Value:
    return (lambda at: a(at) / b(at)) if divides else (lambda at: a(at) * b(at))


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def _root(number: Fraction) -> Fraction:
    with localcontext(prec=DIGITS + 15):
        return Fraction(_decimal(number).sqrt())


def _log(number: Fraction) -> Fraction:
    with localcontext(prec=DIGITS + 15):
        return Fraction(_decimal(number).ln())


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        return base ** int(exponent)
    with localcontext(prec=DIGITS + 15):
        return Fraction((_decimal(base).ln() * _decimal(exponent)).exp()) if base else Fraction(0)
