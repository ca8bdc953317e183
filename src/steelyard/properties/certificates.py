"""What does a proof rest on, written down so that somebody else can check it?

A certificate states what was proved as two expressions over variables that are positive, and that the first
equals the second or is never less. The expressions are recorded by running the same bodies on trees instead
of symbols. `certificate_checker`, which shares no code with the prover, works them out again from nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.measures.undefined import NAN, Policy, Reasons
from steelyard.properties.angles import Angle, cosine_of
from steelyard.properties.verdict import Counterexample

Array = NDArray[Any]
Certificate = dict[str, Any]
_COLLECTED: ContextVar[list[Certificate | None] | None] = ContextVar("certificates", default=None)
MOST_NODES = 20_000


@contextmanager
def collecting() -> Iterator[list[Certificate | None]]:
    """The certificates of everything proved inside; None stands for a proof that has none."""
    found: list[Certificate | None] = []
    token = _COLLECTED.set(found)
    try:
        yield found
    finally:
        _COLLECTED.reset(token)


@contextmanager
def left_out() -> Iterator[None]:
    """Nothing proved inside is filed: for those who only look verdicts up."""
    token = _COLLECTED.set(None)
    try:
        yield
    finally:
        _COLLECTED.reset(token)


def wanted() -> bool:
    """Is anyone collecting certificates, so that verdicts must be decided anew?"""
    return _COLLECTED.get() is not None


def keep(found: Sequence[Certificate | None]) -> None:
    """File certificates that were collected before."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.extend(found)


def note(
    names: Sequence[str],
    compute: Callable[..., Sequence[Any]],
    relation: str,
    faces: Sequence[frozenset[str]],
) -> None:
    """File the certificate of something that was just proved, if anyone collects them."""
    found = _COLLECTED.get()
    if found is None:
        return
    for zeros in faces:
        try:
            owner = TreeField(names)
            one, other = compute(owner, TreeArithmetic(owner), zeros)
            sides = _sides(one, other)
            if "undefined" in sides:
                found.append(None if sides[0] != sides[1] and relation == "=" else {"relation": "undefined"})
                continue
            found.append(
                {"relation": relation, "variables": list(names), "left": sides[0], "right": sides[1]}
            )
        except Exception:  # a body that trees do not follow has no certificate, which is said
            found.append(None)


def note_strict(
    names: Sequence[str],
    compute: Callable[..., Sequence[Any]],
    positive: Collection[str],
    groups: Sequence[Collection[str]],
) -> None:
    """File a proof that the first value is greater, whichever variables are 0 but those in `positive` and one
    of each group."""
    _note_on_supports(names, compute, positive, groups, {"relation": ">"})


def note_rising(
    names: Sequence[str],
    value: Callable[..., Any],
    direction: dict[str, int],
    positive: Collection[str],
    groups: Sequence[Collection[str]],
) -> None:
    """File a proof that a value rises when the named variables change at these rates."""

    def against_nothing(*given: Any) -> tuple[Any, Any]:
        found = value(*given)
        # An angle rises where its cosine falls.
        return (0 - found.cosine if isinstance(found, Angle) else found), Fraction(0)

    facts = {"relation": "rises", "direction": direction}
    _note_on_supports(names, against_nothing, positive, groups, facts)


def _note_on_supports(
    names: Sequence[str],
    compute: Callable[..., Sequence[Any]],
    positive: Collection[str],
    groups: Sequence[Collection[str]],
    facts: Certificate,
) -> None:
    found = _COLLECTED.get()
    if found is None:
        return
    try:
        owner = TreeField(names)
        one, other = compute(owner, TreeArithmetic(owner), frozenset())
        sides = _sides(one, other)
    except Exception:  # a body that trees do not follow has no certificate, which is said
        found.append(None)
        return
    found.append(
        facts
        | {
            "variables": list(names),
            "left": sides[0],
            "right": sides[1],
            "positive": sorted(positive),
            "groups": [sorted(group) for group in groups],
        }
    )


def _sides(one: Any, other: Any) -> list[Any]:
    """Both sides as plain nodes; of angles their cosines the other way round, as an angle falls where its
    cosine rises."""
    if isinstance(one, Angle) or isinstance(other, Angle):
        one, other = cosine_of(other), cosine_of(one)
    return [_plain(one), _plain(other)]


def note_lemma(name: str, instances: Sequence[tuple[Any, Any]]) -> None:
    """File a proof that rests on a lemma the checker knows, with the values on both sides of some
    instances."""
    found = _COLLECTED.get()
    if found is not None:
        pairs = [[str(one), str(other)] for one, other in instances]
        found.append({"relation": "lemma", "name": name, "instances": pairs})


def of_counterexample(
    measure_at: Callable[[Array, Any], Any], example: Counterexample, *, values: bool = False
) -> list[Certificate | None]:
    """Two matrices on which a measure differs, as two expressions of their counts; None where one side has no
    value.

    With `values` the example is not that two values differ: each expression is filed with the value that is
    stated."""
    sides = []
    for rows in example.matrices:
        matrix = np.empty((len(rows), len(rows)), dtype=object)
        matrix[...] = [[Fraction(v) for v in row] for row in rows]
        sides.append(_plain(measure_at(matrix, TreeArithmetic(TreeField([])))))
    if values:
        stated = [[side, str(Fraction(value))] for side, value in zip(sides, example.values, strict=True)]
        return [{"relation": "values", "values": stated}]
    if len(sides) < 2 or "undefined" in sides:
        return [None]
    return [{"relation": "differ", "left": sides[0], "right": sides[1]}]


class Tree:
    """A node: a number, a variable, or an operation on nodes."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def _with(self, operation: str, other: Any, turned: bool = False) -> Any:
        if isinstance(other, (float, np.floating)) and not np.isfinite(other):
            return NAN
        second = tree(other)
        pair = (second, self) if turned else (self, second)
        return Tree([operation, pair[0].node, pair[1].node])

    def __add__(self, other: Any) -> Any:
        return self._with("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._with("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._with("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._with("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._with("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._with("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with("/", other, True)

    def __pow__(self, power: Any) -> Tree:
        return Tree(["^", self.node, str(as_fraction(power))])

    def __neg__(self) -> Any:
        return tree(0) - self

    def __pos__(self) -> Tree:
        return self

    def __abs__(self) -> Tree:
        return Tree(["max", self.node, (-self).node])

    def __bool__(self) -> bool:
        raise TypeError("a tree has no truth")

    def __eq__(self, other: object) -> bool:
        """Only where it is plain to see, as all variables are positive; a TypeError otherwise."""
        return plain_sign(tree(self - other).node) == 0

    __hash__ = None  # type: ignore[assignment]


def tree(value: Any) -> Tree:
    return value if isinstance(value, Tree) else Tree(str(as_fraction(value)))


def plain_sign(node: Any) -> int:
    """The sign of an expression of positive variables, where it is plain to see."""
    if isinstance(node, str):
        number = Fraction(node)
        return (number > 0) - (number < 0)
    if node[0] == "variable":
        return 1
    first = plain_sign(node[1])
    if node[0] == "^":
        if first < 0:
            raise TypeError("the sign of a power is not plain")
        return first
    second = plain_sign(node[2]) if node[0] != "log" else None
    if node[0] in "*/" and second is not None:
        return first * second
    if node[0] in "+-" and second is not None:
        signs = {first, second if node[0] == "+" else -second} - {0}
        if len(signs) < 2:
            return signs.pop() if signs else 0
    raise TypeError("the outcome of a comparison is not plain")


def _plain(value: Any) -> Any:
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        return "undefined"
    return tree(value).node


class TreeField:
    """Variables as trees; it looks like a field of symbols to those who compute in one."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.denominators: dict[str, Any] = {}

    def variable(self, name: str) -> Tree:
        return Tree(["variable", name])

    def constant(self, value: Any) -> Tree:
        return tree(value)

    def leave(self, how: str) -> Exception:
        raise TypeError(how)


class TreeArithmetic:
    """The arithmetic of the measures, on trees."""

    def __init__(self, owner: TreeField) -> None:
        self.field = owner
        self.policy = Policy()
        self.reasons: Reasons | None = None

    def native(self, counts: Array) -> Array:
        return counts

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> tuple[Array, Array]:
        top, bottom = np.broadcast_arrays(
            np.asarray(numerator, dtype=object), np.asarray(denominator, dtype=object)
        )

        def quotient(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b) or _zero(b):
                return NAN
            return tree(a) / b

        return _each(quotient, top, bottom), np.asarray(_each(_zero, bottom), dtype=bool)

    def is_nan(self, values: Array) -> Array:
        return np.asarray(_each(_undefined, values), dtype=bool)

    def maximum(self, a: Array, b: Array) -> Array:
        return _each(
            lambda x, y: NAN if _undefined(x) or _undefined(y) else Tree(["max", tree(x).node, tree(y).node]),
            a,
            b,
        )

    def sqrt(self, values: Array) -> Array:
        return _each(lambda v: NAN if _undefined(v) else Tree(["^", tree(v).node, "1/2"]), values)

    def log(self, value: Any) -> Any:
        return Tree(["log", tree(value).node])

    def half_turns(self, values: Array) -> Array:
        return _each(lambda v: NAN if _undefined(v) else Angle(tree(v)), values)

    def entropy_terms(self, part: Array, rest: Array) -> Array:
        def term(a: Any, b: Any) -> Any:
            if _undefined(a) or _undefined(b):
                return NAN
            return Fraction(0) if _zero(a) else -(tree(a) * Tree(["log", (tree(a) / (tree(a) + b)).node]))

        return _each(term, *np.broadcast_arrays(part, rest))

    def exp_log_mean(self, terms: Array, weights: Array) -> Array:
        def mean(*values: Any) -> Any:
            if any(map(_undefined, values)):
                return NAN
            numbers, powers = values[: len(values) // 2], [_share(v) for v in values[len(values) // 2 :]]
            # One root of the product, so that factors common to two terms meet under it.
            if len(set(powers)) == 1:
                product = tree(1)
                for number in numbers:
                    product = product * number
                return product ** powers[0]
            result = tree(1)
            for number, power in zip(numbers, powers, strict=True):
                result = result * tree(number) ** power
            return result

        terms, weights = np.broadcast_arrays(terms, weights)
        return _each(mean, *terms, *weights)

    def choose(self, condition: Array, yes: Any, no: Array) -> Array:
        return _each(lambda c, n: yes if c else n, condition, no)


def _each(function: Callable[..., Any], *arrays: Any) -> Array:
    out = np.frompyfunc(function, len(arrays), 1)(*(np.asarray(a, dtype=object) for a in arrays))
    return np.asarray(out, dtype=object)


def _share(value: Any) -> Any:
    """A weight as a number: a power of a tree is one, so a quotient of two numbers is worked out."""
    if isinstance(value, Tree) and isinstance(value.node, list) and value.node[0] == "/":
        return Fraction(value.node[1]) / Fraction(value.node[2])
    return value


def _undefined(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and not np.isfinite(value)


def _zero(value: Any) -> bool:
    return not isinstance(value, Tree) and bool(value == 0)
