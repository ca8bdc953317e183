"""Certificates of false statements are never accepted, and what is no certificate at all gets an answer.

Each forgery states something wrong; the reason is next to it. Each was accepted, or raised an error of Python, before
it was found."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.proofs.checker.check import check
from steelyard.proofs.checker.form import malformed

X, Y = ["variable", "x"], ["variable", "y"]


def root(node: Any) -> Any:
    return ["^", node, "1/2"]


def compared(relation: str, left: Any, right: Any) -> dict[str, Any]:
    return {"relation": relation, "variables": ["x", "y"], "left": left, "right": right}


def greater(left: Any, right: Any = "0", **more: Any) -> dict[str, Any]:
    return compared(">", left, right) | {"positive": [], "groups": []} | more


# √2 √2 - 2 is 0, but 4.4e-16 in floating point.
ROUNDING = ["-", ["*", root("2"), root("2")], "2"]
SUM = {"relation": "summed over classes", "variables": ["x", "y"], "of a class": ["x"], "squares": []}
FALSE = {
    "the root of a square of a logarithm: -log(1/2) at x = 1/2": compared(
        "=", root(["^", ["log", X], "2"]), ["log", X]
    ),
    "the same as an inequality": compared(">=", ["log", X], root(["*", ["log", X], ["log", X]])),
    "0 times 10^12 differs from 0": {
        "relation": "differ", "left": ["*", ROUNDING, "1000000000000"], "right": "0",
    },
    "0 times 10^14 has the value 0.044": {
        "relation": "values", "values": [[["*", ROUNDING, "100000000000000"], "4440892098500627/100000000000000000"]],
    },
    "|x - y| is greater than 0, but not where x = y": greater(root(["^", ["-", X, Y], "2"]), positive=["x", "y"]),
    "x is greater than 0, but not where it is 0": greater(["*", X, ["/", ["log", Y], ["log", Y]]]),
    "√0 is greater than 0": greater(root(["-", "1", "1"])) | {"variables": []},
    "√(x - x) is greater than 0": greater(root(["-", X, X]), positive=["x"]),
    "(x + y)^(4/3) = x + y": compared("=", ["^", ["^", ["+", X, Y], "2/3"], "2"], ["+", X, Y]),
    "a sum of zeros is 7": SUM | {"term": "0", "parts": [["1", "0", "7"]], "bound": "7"},
    "a sum of ones is -7": SUM | {"term": "-1", "parts": [["-1", "1", "-7"]], "bound": "7"},
    "two numbers of classes at once": SUM
    | {"term": "2", "parts": [["1", "1", Y], ["1", "1", ["*", "2", Y]]], "bound": ["*", "3", Y]},
    "no value at all": {"relation": "undefined"},
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_not_accepted(name: str) -> None:
    assert check(FALSE[name]) != "holds"


def nested(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = ["+", inner, "1"] if inner else [inner]
    return inner


TOWER: Any = "2"
for _ in range(4):
    TOWER = ["^", TOWER, "1000"]
STRANGE: dict[str, Any] = {
    "roots of negative numbers": compared("=", root(["-", "0", X]), ["+", root(["-", "0", X]), "1"]),
    "a root of -1 that differs": {"relation": "differ", "left": root("-1"), "right": "0"},
    "an expression deeper than the stack": lambda: compared("=", nested(100_000, X), X),
    "lists deeper than the stack": lambda: compared("=", nested(100_000, []), X),
    "names deeper than the stack": lambda: compared("=", X, X) | {"variables": nested(100_000, [])},
    "a number of 5,000 digits": compared("=", X, "1" * 5000),
    "a power of 5,000 digits": compared("=", X, ["^", X, "1" * 5000]),
    "2^(10^12)": {"relation": "differ", "left": TOWER, "right": "0"},
    "2^(10^12) in the algebra": compared("=", TOWER, X),
    "(x + 1)^(10^6)": compared("=", ["^", ["^", ["+", X, "1"], "1000"], "1000"], X),
    "a name that is a list": compared("=", X, X) | {"variables": ["x", ["y"]]},
    "keys that are no text": {1: 2, "relation": "="},
    "a sign that is a list": compared("=", [["+"], X, Y], X),
    "division by 0": compared("=", ["/", X, "0"], ["/", X, "0"]),
}


@pytest.mark.parametrize("name", STRANGE)
def test_nothing_raises_an_error(name: str) -> None:
    strange = STRANGE[name]
    if callable(strange):  # made when it is tried: lists so deep slow down all that runs beside them
        strange = strange()
    assert check(strange) in ("fails", "not certified")
    sentence = malformed(strange)
    assert not sentence or (sentence[0].isupper() and sentence.endswith("."))
