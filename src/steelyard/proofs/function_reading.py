"""What does the source of a function say, statement by statement?

The source is interpreted here; the function itself is not called. Expressions have their own module; here
names get values, branches are taken and loops run, and whatever has no meaning is refused with its line.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from steelyard.proofs.enclosed_numbers import EnclosedNumbers
from steelyard.proofs.expression_reading import Expressions
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_of_reading import Numbers
from steelyard.proofs.python_subset import Source

DEEPEST = 20
"""Functions that call functions, at most so deep."""


class _Return(Exception):  # noqa: N818 - it is no error
    def __init__(self, value: Any) -> None:
        self.value = value


class Reading(Expressions):
    """A function as its source says it, in one mode of numbers."""

    def __init__(self, source: Source, numbers: Numbers | EnclosedNumbers) -> None:
        super().__init__(source, numbers)
        self.depth = 0

    def call(
        self,
        name: str,
        arguments: list[Any],
        keywords: dict[str, Any] | None = None,
        place: Source | None = None,
    ) -> Any:
        """The value of a function of the file, or of one beside it, in which names mean what they mean
        there."""
        outside, self.source = self.source, place or self.source
        try:
            return self._called(name, arguments, keywords)
        finally:
            self.source = outside

    def _called(self, name: str, arguments: list[Any], keywords: dict[str, Any] | None) -> Any:
        function = self.source.functions[name]
        self.depth += 1
        if self.depth > DEEPEST:
            raise LeavesSubsetError(function, f"`{name}`, which calls itself")
        try:
            self._run(function.body, self._bound(function, arguments, keywords or {}))
        except _Return as returned:
            return returned.value
        finally:
            self.depth -= 1
        raise LeavesSubsetError(function, f"`{name}`, which may return nothing")

    def _bound(self, function: ast.FunctionDef, given: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        arguments = [*function.args.posonlyargs, *function.args.args]
        defaults = [self._constant(d) for d in function.args.defaults]
        names = dict(zip([a.arg for a in arguments[len(arguments) - len(defaults) :]], defaults, strict=True))
        for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
            if default is not None:
                names[argument.arg] = self._constant(default)
        every = [a.arg for a in [*arguments, *function.args.kwonlyargs]]
        if len(given) > len(arguments) or not set(keywords) <= set(every):
            raise LeavesSubsetError(function, f"`{function.name}`, called with arguments it does not take")
        names |= dict(zip([a.arg for a in arguments], given, strict=False)) | keywords
        if set(names) != set(every):
            raise LeavesSubsetError(function, f"`{function.name}`, called without all its arguments")
        return names

    def _run(self, statements: list[ast.stmt], names: dict[str, Any]) -> None:
        for statement in statements:
            self._step(statement)
            if isinstance(statement, ast.Return):
                if statement.value is None:
                    raise LeavesSubsetError(statement, "`return` without a value")
                raise _Return(self._value(statement.value, names))
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                self._assign(statement, names)
            elif isinstance(statement, ast.AugAssign):
                self._change(statement, names)
            elif isinstance(statement, ast.If):
                self._run(statement.body if self._truth(statement.test, names) else statement.orelse, names)
            elif isinstance(statement, ast.For):
                self._loop(statement, names)
            elif isinstance(statement, ast.With):
                self._quiet(statement)
                self._run(statement.body, names)
            elif not isinstance(statement, (ast.Expr, ast.Pass)):
                raise LeavesSubsetError(statement, f"`{type(statement).__name__}`")

    def _assign(self, statement: ast.Assign | ast.AnnAssign, names: dict[str, Any]) -> None:
        if statement.value is None:
            return
        value = self._value(statement.value, names)
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            self._put(target, value, names)

    def _change(self, statement: ast.AugAssign, names: dict[str, Any]) -> None:
        target = statement.target
        if not isinstance(target, ast.Name) or target.id not in names:
            raise LeavesSubsetError(statement, "an array changed in place")
        before = names[target.id]
        if isinstance(before, (np.ndarray, list)):  # would change what another name shows, too
            raise LeavesSubsetError(statement, "an array changed in place")
        names[target.id] = self._operate(statement.op, before, self._value(statement.value, names), statement)

    def _loop(self, statement: ast.For, names: dict[str, Any]) -> None:
        if statement.orelse:
            raise LeavesSubsetError(statement, "`for ... else`")
        for value in self._parts(self._value(statement.iter, names), statement):
            self._put(statement.target, value, names)
            self._run(statement.body, names)

    def _quiet(self, statement: ast.With) -> None:
        """`with np.errstate(...)` that asks for silence changes no value."""
        for item in statement.items:
            call = item.context_expr
            silent = (
                isinstance(call, ast.Call)
                and self._operation(call.func) == "errstate"
                and not call.args
                and item.optional_vars is None
                and all(
                    isinstance(k.value, ast.Constant) and k.value.value in ("ignore", "warn")
                    for k in call.keywords
                )
            )
            if not silent:
                raise LeavesSubsetError(statement, "`with`")
