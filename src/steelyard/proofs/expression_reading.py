"""What does an expression of the source say, as arithmetic on the entries of a matrix?

Shapes and loop counters are whole numbers that are known, entries are floats, fractions or symbols as the
mode says, and whatever has no meaning in this list is refused with its line.
"""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.arithmetic import as_fraction
from steelyard.proofs.enclosed_numbers import Enclosed, EnclosedNumbers
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import FloatNumbers, Numbers
from steelyard.proofs.prover.symbols import Symbol
from steelyard.proofs.python_subset import Source
from steelyard.proofs.whole_numbers import as_numpy

Array = NDArray[Any]
MOST_STEPS = 20_000
"""Loops end after so many steps."""
LARGEST_EXPONENT = 100
"""Powers beyond this overflow for every honest count."""

RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


class Expressions(ABC):
    """The expressions of a function, in one mode of numbers."""

    def __init__(self, source: Source, numbers: Numbers | EnclosedNumbers) -> None:
        self.source = source
        self.numbers = numbers
        self.steps = 0
        self.falls: list[tuple[bool, ...]] = []
        """How the comparisons of entries fell, in their order."""

    @abstractmethod
    def call(
        self,
        name: str,
        arguments: list[Any],
        keywords: dict[str, Any] | None = None,
        place: Source | None = None,
    ) -> Any:
        """The value of a function of the file, or of one beside it."""

    def _constant(self, node: ast.expr) -> Any:
        return self._value(node, {})

    def _step(self, node: ast.AST) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise LeavesSubsetError(node, "a loop of too many steps")

    def _put(self, target: ast.expr, value: Any, names: dict[str, Any]) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self._parts(value, target)
            if len(parts) != len(target.elts):
                raise LeavesSubsetError(target, "an assignment of unequal lengths")
            for one, part in zip(target.elts, parts, strict=True):
                self._put(one, part, names)
        else:
            raise LeavesSubsetError(target, "an array changed in place")

    def _value(self, node: ast.expr, names: dict[str, Any]) -> Any:
        self._step(node)
        found = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if found is None:
            raise LeavesSubsetError(node, f"`{type(node).__name__}`")
        return found(node, names)

    def _of_constant(self, node: ast.Constant, names: dict[str, Any]) -> Any:
        value = node.value
        if value is None or value is Ellipsis or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return self.numbers.constant(value)
        raise LeavesSubsetError(node, f"`{value!r:.30}`")

    def _of_name(self, node: ast.Name, names: dict[str, Any]) -> Any:
        if node.id in names:
            return names[node.id]
        place, name = self.source.imported.get(node.id, (self.source, node.id))
        if name in place.constants:
            return self._constant(place.constants[name])
        raise LeavesSubsetError(node, f"`{node.id}`")

    def _of_tuple(self, node: ast.Tuple, names: dict[str, Any]) -> Any:
        return tuple(self._value(part, names) for part in node.elts)

    def _of_list(self, node: ast.List, names: dict[str, Any]) -> Any:
        return ListOf(self._value(part, names) for part in node.elts)

    def _of_slice(self, node: ast.Slice, names: dict[str, Any]) -> Any:
        return slice(
            *(None if p is None else self._value(p, names) for p in (node.lower, node.upper, node.step))
        )

    def _of_listcomp(self, node: ast.ListComp | ast.GeneratorExp, names: dict[str, Any]) -> Any:
        inner = dict(names)
        out: list[Any] = []

        def over(generators: list[ast.comprehension]) -> None:
            if not generators:
                out.append(self._value(node.elt, inner))
                return
            first = generators[0]
            for value in self._parts(self._value(first.iter, inner), node):
                self._put(first.target, value, inner)
                if all(self._truth(test, inner) for test in first.ifs):
                    over(generators[1:])

        over(node.generators)
        return ListOf(out)

    _of_generatorexp = _of_listcomp

    def _of_unaryop(self, node: ast.UnaryOp, names: dict[str, Any]) -> Any:
        if isinstance(node.op, ast.Not):
            return not self._truth(node.operand, names)
        value = self._value(node.operand, names)
        self._number(value, node)
        return -value if isinstance(node.op, ast.USub) else value

    def _of_binop(self, node: ast.BinOp, names: dict[str, Any]) -> Any:
        return self._operate(node.op, self._value(node.left, names), self._value(node.right, names), node)

    def _operate(self, operator: ast.operator, a: Any, b: Any, node: ast.AST) -> Any:
        self._number(a, node)
        self._number(b, node)
        if isinstance(operator, ast.Pow):
            return self._power(a, b, node)
        if isinstance(operator, ast.Div):
            return self.numbers.divide(a, b)
        if isinstance(operator, ast.Add):
            return a + b
        if isinstance(operator, ast.Sub):
            return a - b
        if isinstance(operator, ast.Mult):
            return a * b
        raise LeavesSubsetError(node, f"`{type(operator).__name__}`")

    def _power(self, a: Any, b: Any, node: ast.AST) -> Any:
        b = b.middle if isinstance(b, Enclosed) else b
        if not isinstance(b, (int, float, Fraction)):
            raise LeavesSubsetError(node, "`**` with an exponent that is not a number")
        if not -LARGEST_EXPONENT <= b <= LARGEST_EXPONENT:
            raise LeavesSubsetError(node, f"an exponent beyond {LARGEST_EXPONENT}")
        if type(a) is int and isinstance(b, int) and b >= 0:
            if a.bit_length() * b > 1000:  # no float holds it
                raise LeavesSubsetError(node, "a whole number beyond all floats")
            return a**b
        exponent = as_fraction(b)
        if (
            exponent.denominator > 12
        ):  # 1/3 of Python is not a third: taken for one where nothing else is near
            exponent = (
                exponent.limit_denominator(12)
                if abs(exponent.limit_denominator(12) - exponent) < Fraction(1, 10**15)
                else exponent
            )
        return self.numbers.power(a, exponent)

    def _of_compare(self, node: ast.Compare, names: dict[str, Any]) -> Any:
        values = [self._value(part, names) for part in (node.left, *node.comparators)]
        if len(node.ops) != 1:
            raise LeavesSubsetError(node, "a chain of comparisons")
        for value in values:
            self._number(value, node)
        relation = RELATIONS[type(node.ops[0])]
        if all(isinstance(v, int) for v in values):
            return {"==": values[0] == values[1], "!=": values[0] != values[1], "<": values[0] < values[1],
                    "<=": values[0] <= values[1], ">": values[0] > values[1],
                    ">=": values[0] >= values[1]}[relation]  # fmt: skip
        falls = self.numbers.compare(values[0], values[1], relation)
        self.falls.append(tuple(bool(fall) for fall in np.ravel(falls)))
        return Condition(falls)

    def _of_boolop(self, node: ast.BoolOp, names: dict[str, Any]) -> Any:
        tests = (self._truth(part, names) for part in node.values)
        return all(tests) if isinstance(node.op, ast.And) else any(tests)

    def _of_ifexp(self, node: ast.IfExp, names: dict[str, Any]) -> Any:
        return self._value(node.body if self._truth(node.test, names) else node.orelse, names)

    def _truth(self, node: ast.expr, names: dict[str, Any]) -> bool:
        value = self._value(node, names)
        if isinstance(value, bool):
            return value
        if isinstance(value, Condition):
            single = np.asarray(value.falls)
            if single.ndim == 0:
                return bool(single[()])
            raise LeavesSubsetError(node, "a branch on a whole array")
        raise LeavesSubsetError(node, "a branch on the truth of a number")

    def _of_subscript(self, node: ast.Subscript, names: dict[str, Any]) -> Any:
        value, index = self._value(node.value, names), self._value(node.slice, names)
        if isinstance(index, ListOf):  # it picks rows, where a tuple picks one entry
            raise LeavesSubsetError(node, "a list as an index")
        for part in index if isinstance(index, tuple) else (index,):
            ends = (part.start, part.stop, part.step) if isinstance(part, slice) else (part,)
            if any(
                e is not None and e is not Ellipsis and (not isinstance(e, int) or isinstance(e, bool))
                for e in ends
            ):
                raise LeavesSubsetError(node, "an index that is not a whole number")
        if not isinstance(value, (np.ndarray, tuple)):
            raise LeavesSubsetError(node, "an index into a number")
        try:
            return value[index]
        except (IndexError, TypeError) as error:
            raise LeavesSubsetError(node, f"an index out of range ({error})") from error

    def _of_attribute(self, node: ast.Attribute, names: dict[str, Any]) -> Any:
        operation = self._operation(node)
        if operation == "newaxis":
            return None
        if operation == "nan":
            return float("nan")
        value = self._value(node.value, names)
        if not isinstance(value, np.ndarray) or node.attr not in ("shape", "T"):
            raise LeavesSubsetError(node, f"`.{node.attr}`")
        return tuple(map(int, value.shape)) if node.attr == "shape" else value.T

    # -- calls

    def _operation(self, function: ast.expr) -> str | None:
        """The operation of NumPy or math that an expression names."""
        if isinstance(function, ast.Name):
            return self.source.operations.get(function.id)
        owner = (
            function.value.id
            if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
            else ""
        )
        return function.attr if owner in self.source.numpy | self.source.maths else None  # type: ignore[attr-defined]

    def _of_call(self, node: ast.Call, names: dict[str, Any]) -> Any:
        arguments = [self._value(part, names) for part in node.args]
        if any(k.arg is None for k in node.keywords):
            raise LeavesSubsetError(node, "`**` in a call")
        keywords = {k.arg: self._value(k.value, names) for k in node.keywords if k.arg is not None}
        operation = self._operation(node.func)
        if operation is not None:
            return self._listed(operation, arguments, keywords, node)
        if isinstance(node.func, ast.Attribute):
            owner = self._value(node.func.value, names)
            if not isinstance(owner, np.ndarray) and not _is_entry(owner):
                raise LeavesSubsetError(node, f"`.{node.func.attr}()`")
            return self._listed(node.func.attr, [owner, *arguments], keywords, node)
        if isinstance(node.func, ast.Name):
            place, name = self.source.imported.get(node.func.id, (self.source, node.func.id))
            if name in place.functions:
                return self.call(name, arguments, keywords, place)
            return self._builtin(node.func.id, arguments, keywords, node)
        raise LeavesSubsetError(node, "a call of something that is not a name")

    def _builtin(self, name: str, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        if keywords or not arguments:
            raise LeavesSubsetError(node, f"`{name}` with keywords")
        if name == "range" and all(isinstance(a, int) for a in arguments):
            return range(*arguments)
        if name == "len" and len(arguments) == 1 and isinstance(arguments[0], (tuple, range, np.ndarray)):
            return len(arguments[0])
        if name == "abs" and len(arguments) == 1:
            return self._listed("abs", arguments, {}, node)
        if name == "sum" and len(arguments) <= 2:
            return reduce(
                lambda a, b: a + b, self._parts(arguments[0], node), arguments[1] if len(arguments) > 1 else 0
            )
        raise LeavesSubsetError(node, f"`{name}`")

    def _listed(self, name: str, arguments: list[Any], keywords: dict[str, Any], node: ast.AST) -> Any:
        from steelyard.proofs.listed_operations import OPERATIONS

        found: Callable[..., Any] | None = OPERATIONS.get(name)
        if found is None:
            raise LeavesSubsetError(node, f"`{name}`")
        try:
            value = as_numpy(found(self.numbers, *arguments, **keywords))
            objects = isinstance(value, np.ndarray) and value.dtype == object
            return value.astype(np.float64) if objects and isinstance(self.numbers, FloatNumbers) else value
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise LeavesSubsetError(node, f"`{name}` used in a way that is not listed") from error

    # -- kinds of values

    def _parts(self, value: Any, node: ast.AST) -> list[Any]:
        if isinstance(value, (tuple, range, np.ndarray)) and not (
            isinstance(value, np.ndarray) and value.ndim == 0
        ):
            if len(value) > MOST_STEPS:
                raise LeavesSubsetError(node, "a loop of too many steps")
            return list(value)
        raise LeavesSubsetError(node, "a loop over something that is not a list of numbers")

    def _number(self, value: Any, node: ast.AST) -> None:
        # True + True is 2 in Python and True in NumPy.
        if isinstance(value, (tuple, range, bool, Condition, str)) or value is None or value is Ellipsis:
            raise LeavesSubsetError(node, "arithmetic with something that is not a number")


class ListOf(tuple[Any, ...]):
    """A list of the source: nothing changes it, but as an index it is no tuple."""

    __slots__ = ()


class Condition:
    """How a comparison falls: it can choose between values, and nothing else."""

    def __init__(self, falls: Any) -> None:
        self.falls = falls


def _is_entry(value: Any) -> bool:
    return isinstance(value, (Symbol, Fraction, float, np.floating, Enclosed)) and not isinstance(value, bool)
