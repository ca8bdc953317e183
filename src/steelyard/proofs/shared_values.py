"""Can two names of a function show the same array, so that changing one changes the other?

The reading gives every name a value of its own. Python does not: `out=` writes into an array that may have
another name, `+=` changes a zero-dimensional array in place, and a generator is used up by whoever reads it
first. Such places are refused, wherever they stand in the function, run or not.
"""

from __future__ import annotations

import ast

from steelyard.proofs.leaving import LeavesSubsetError, shown

FRESH = {"zeros_like", "ones_like"}
"""Calls that make an array which nobody else can know."""


def check_aliases(function: ast.FunctionDef, *, helper: bool) -> None:
    """An error where a value may be shared; the arguments of a helper may be somebody else's."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            _check_call(node)
        elif isinstance(node, ast.AugAssign):
            _check_change(node, function, helper)
    _check_generators(function)


def _check_call(call: ast.Call) -> None:
    for keyword in call.keywords:
        if keyword.arg == "out" and not _is_fresh(keyword.value):
            raise LeavesSubsetError(call, f"`out={shown(keyword.value)}`, which may have another name")
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if named in ("divide", "true_divide") and len(call.args) > 2:
        raise LeavesSubsetError(call, f"`{named}` with a third argument")


def _is_fresh(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) in FRESH


def _check_change(statement: ast.AugAssign, function: ast.FunctionDef, helper: bool) -> None:
    """`x += ...` only of a name that arithmetic gave its value, or of a count that was handed in."""
    target = statement.target
    if not isinstance(target, ast.Name):
        raise LeavesSubsetError(statement, "an array changed in place")
    given = {a.arg for a in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]}
    plain: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if isinstance(node.value, (ast.Constant, ast.BinOp, ast.UnaryOp)) and len(targets) == 1:
                plain.add(id(targets[0]))
        elif isinstance(node, ast.AugAssign):
            plain.add(id(node.target))
    shared = any(
        isinstance(node, ast.Name)
        and node.id == target.id
        and isinstance(node.ctx, ast.Store)
        and id(node) not in plain
        for node in ast.walk(function)
    )
    if shared or (helper and target.id in given):
        raise LeavesSubsetError(statement, f"`{shown(statement)}`, which may change what another name shows")


def _check_generators(function: ast.FunctionDef) -> None:
    """A generator is read once, where it stands: as the argument of sum."""
    summed = {
        id(call.args[0])
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "sum"
        and call.args
    }
    for node in ast.walk(function):
        if isinstance(node, ast.GeneratorExp) and id(node) not in summed:
            raise LeavesSubsetError(node, "a generator that is not summed where it stands")
