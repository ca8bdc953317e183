"""What does a body do with the numbers it is given? A quantity notes every operation.

A body is run once on traced quantities instead of floats. What it computes becomes a graph of operations
over arrays whose class axis has no particular length; where it asks something about the number of classes, it
is run again for the other answer, so that every answer has a graph of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np

Dimension = int | str
"""A length that is known, or the name of one that is not: C classes, P ordered pairs of them."""

MOST_PATHS: Final = 64
"""Answers about the number of classes that a body may ask for, all in all."""

_BINARY: Final = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.power: "raise",
    np.maximum: "max",
    np.equal: "equal",
    np.not_equal: "unequal",
    np.less: "less",
    np.less_equal: "atMost",
    np.greater: "more",
    np.greater_equal: "atLeast",
    np.bitwise_and: "both",
    np.logical_and: "both",
    np.bitwise_or: "either",
    np.logical_or: "either",
    np.remainder: "remainder",
}
_UNARY: Final = {
    np.negative: "minus",
    np.absolute: "abs",
    np.sqrt: "sqrt",
    np.log: "log",
    np.log2: "log2",
    np.invert: "not",
    np.logical_not: "not",
    np.isnan: "isNaN",
}


class NotTraceableError(Exception):
    """The body does something that has no counterpart in a page."""


class Trace:
    """One run of a body: the operations in their order, and what it asked about the number of classes."""

    def __init__(self, planned: list[bool]) -> None:
        self.planned = planned
        self.asked: list[tuple[Traced, bool]] = []
        self.nodes: dict[tuple[Any, ...], Traced] = {}

    def node(self, operation: str, *arguments: Any, dims: tuple[Dimension, ...]) -> Traced:
        """The result of an operation; the same one for the same operation on the same arguments."""
        key = (operation, *(id(a) if isinstance(a, Traced) else ("literal", repr(a)) for a in arguments))
        if key not in self.nodes:
            self.nodes[key] = Traced(self, operation, arguments, dims)
        return self.nodes[key]

    def decide(self, question: Traced) -> bool:
        """The answer that this run supposes to a question about the number of classes."""
        for known, answer in self.asked:
            if known is question:
                return answer
        answer = self.planned[len(self.asked)] if len(self.asked) < len(self.planned) else True
        self.asked.append((question, answer))
        return answer

    def elementwise(self, operation: str, *values: Any) -> Traced:
        parts = [self.taken(value) for value in values]
        heads = [p for p in parts if isinstance(p, Traced) and p.operation in ("first", "others")]
        if heads:  # of an axis that is gone through class by class, what is done to each is done to all
            whole = [p.arguments[0] if any(p is head for head in heads) else p for p in parts]
            if {p.operation for p in heads} == {"first", "others"}:
                if operation != "max" or len(heads) != 2 or whole[0] is not whole[1]:
                    raise NotTraceableError("classes are taken together in another way than by their maximum")
                return self.node("greatest", whole[0], dims=whole[0].dims[1:])
            if len(heads) > 1:
                raise NotTraceableError("classes are taken together in another way than by their maximum")
            inner = self.elementwise(operation, *whole)
            return self.node(heads[0].operation, inner, dims=inner.dims[1:])
        rank = max(p.ndim if isinstance(p, Traced) else 0 for p in parts)
        aligned = [self._led(p, rank) if isinstance(p, Traced) else p for p in parts]
        return self.node(operation, *aligned, dims=_together([p for p in aligned if isinstance(p, Traced)]))

    def _led(self, value: Traced, rank: int) -> Traced:
        """Axes of length 1 in front, as NumPy supposes them; a single number needs none."""
        while 0 < value.ndim < rank:
            value = self.node("newAxis", value, 0, dims=(1, *value.dims))
        return value

    def taken(self, value: Any) -> Any:
        """A number or a traced quantity, out of what NumPy may have wrapped around it."""
        if isinstance(value, (Traced, bool, int, float, Fraction)):
            return value
        if isinstance(value, (np.bool_, np.number)):
            return value.item()
        if not isinstance(value, np.ndarray):
            raise NotTraceableError(f"a value of type {type(value).__name__}")
        if value.dtype != object:
            if value.ndim == 0:
                return value.item()
            return self.node("array", value.tolist(), dims=value.shape)
        if value.size != 1:
            raise NotTraceableError("an array that was put together class by class")
        inner = self.taken(value.reshape(-1)[0])
        while isinstance(inner, Traced) and 0 < inner.ndim < value.ndim:
            inner = self.node("newAxis", inner, inner.ndim, dims=(*inner.dims, 1))
        return inner


class Traced:
    """The result of an operation, whose operands are known and whose value is not."""

    __hash__ = object.__hash__

    def __init__(
        self, trace: Trace, operation: str, arguments: tuple[Any, ...], dims: tuple[Dimension, ...]
    ) -> None:
        self.trace, self.operation, self.arguments, self.dims = trace, operation, arguments, dims

    @property
    def ndim(self) -> int:
        return len(self.dims)

    # -- what bodies do with arrays

    def sum(self, axis: int | tuple[int, ...] | None = None) -> Traced:
        if axis is None and self.ndim < 2:
            axis = 0
        if axis == 0 and self.ndim:
            return self.trace.node("total", self, dims=self.dims[1:])
        if axis == 1 and self.ndim > 1:
            return self.trace.node("rowSums", self, dims=(self.dims[0], *self.dims[2:]))
        if (axis == (0, 1) or (axis is None and self.ndim == 2)) and self.ndim > 1:
            return self.trace.node("everySum", self, dims=self.dims[2:])
        raise NotTraceableError(f"a sum over axis {axis} of {self.ndim}")

    def swapaxes(self, one: int, other: int) -> Traced:
        if {one, other} != {0, 1} or self.ndim < 2:
            raise NotTraceableError(f"axes {one} and {other} of {self.ndim}, exchanged")
        return self.trace.node("turned", self, dims=(self.dims[1], self.dims[0], *self.dims[2:]))

    def without_own(self) -> Traced:
        return self.trace.node("withoutOwn", self, dims=self.dims)

    def without_each(self, axis: int) -> Traced:
        return self.trace.node("elsewhere" if axis else "withoutEach", self, dims=self.dims)

    def prod(self, axis: int) -> Traced:
        if axis != 0 or not self.ndim:
            raise NotTraceableError(f"a product over axis {axis} of {self.ndim}")
        return self.trace.node("product", self, dims=self.dims[1:])

    def __getitem__(self, index: Any) -> Traced:
        value, axis = self, 0
        for one in index if isinstance(index, tuple) else (index,):
            if one is None:
                dims = (*value.dims[:axis], 1, *value.dims[axis:])
                value, axis = self.trace.node("newAxis", value, axis, dims=dims), axis + 1
            elif isinstance(one, slice) and one == slice(None):
                axis += 1
            elif isinstance(one, int) and axis == 0 and one >= 0:
                value = self.trace.node("take", value, one, dims=value.dims[1:])
            else:
                raise NotTraceableError(f"the part {one!r} of an array")
        return value

    def __iter__(self) -> Iterator[Traced]:
        if not self.ndim:
            raise NotTraceableError("a number that is gone through")
        if isinstance(self.dims[0], int):
            return (self[k] for k in range(self.dims[0]))
        # The first class, and all others: whoever takes the maximum of the two has that of all.
        return iter([self.trace.node(part, self, dims=self.dims[1:]) for part in ("first", "others")])

    def __bool__(self) -> bool:
        if self.ndim or not _is_about_size(self):
            raise NotTraceableError("a choice that depends on the counts")
        return self.trace.decide(self)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        held = np.empty(1, dtype=object)
        held[0] = self
        return held.reshape(())

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = _BINARY.get(ufunc) or _UNARY.get(ufunc)
        if method != "__call__" or options or name is None:
            raise NotTraceableError(f"numpy.{ufunc.__name__}")
        return self.trace.elementwise(name, *inputs)

    def __add__(self, other: Any) -> Traced:
        return self.trace.elementwise("add", self, other)

    def __radd__(self, other: Any) -> Traced:
        return self.trace.elementwise("add", other, self)

    def __sub__(self, other: Any) -> Traced:
        return self.trace.elementwise("sub", self, other)

    def __rsub__(self, other: Any) -> Traced:
        return self.trace.elementwise("sub", other, self)

    def __mul__(self, other: Any) -> Traced:
        return self.trace.elementwise("mul", self, other)

    def __rmul__(self, other: Any) -> Traced:
        return self.trace.elementwise("mul", other, self)

    def __truediv__(self, other: Any) -> Traced:
        return self.trace.elementwise("div", self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return self.trace.elementwise("div", other, self)

    def __pow__(self, other: Any) -> Traced:
        return self.trace.elementwise("raise", self, other)

    def __mod__(self, other: Any) -> Traced:
        return self.trace.elementwise("remainder", self, other)

    def __neg__(self) -> Traced:
        return self.trace.elementwise("minus", self)

    def __abs__(self) -> Traced:
        return self.trace.elementwise("abs", self)

    def __invert__(self) -> Traced:
        return self.trace.elementwise("not", self)

    def __and__(self, other: Any) -> Traced:
        return self.trace.elementwise("both", self, other)

    def __or__(self, other: Any) -> Traced:
        return self.trace.elementwise("either", self, other)

    def __lt__(self, other: Any) -> Traced:
        return self.trace.elementwise("less", self, other)

    def __le__(self, other: Any) -> Traced:
        return self.trace.elementwise("atMost", self, other)

    def __gt__(self, other: Any) -> Traced:
        return self.trace.elementwise("more", self, other)

    def __ge__(self, other: Any) -> Traced:
        return self.trace.elementwise("atLeast", self, other)

    def __eq__(self, other: object) -> Traced:  # type: ignore[override]
        return self.trace.elementwise("equal", self, other)

    def __ne__(self, other: object) -> Traced:  # type: ignore[override]
        return self.trace.elementwise("unequal", self, other)


def _is_about_size(value: Traced) -> bool:
    """Is it known before anything is counted: from the number of classes, and which of them are left?"""
    if value.operation in ("size", "absent"):
        return True
    parts = [a for a in value.arguments if isinstance(a, Traced)]
    return bool(parts) and all(map(_is_about_size, parts))


def _together(values: list[Traced]) -> tuple[Dimension, ...]:
    """The dimensions of arrays taken together; of 1 and another length, the other."""
    rank = max((v.ndim for v in values), default=0)
    found: list[Dimension] = [1] * rank
    for value in values:
        for k, length in enumerate(value.dims):
            if length != 1:
                found[k] = length
    return tuple(found)


def next_plan(asked: list[tuple[Traced, bool]]) -> list[bool] | None:
    """The answers to suppose in the next run; None when every combination was tried."""
    answers = [answer for _, answer in asked]
    while answers and not answers[-1]:
        answers.pop()
    return None if not answers else [*answers[:-1], False]
