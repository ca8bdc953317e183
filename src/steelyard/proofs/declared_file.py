"""Can a measure that a user's file declares be loaded beside the prover, so that its body can be checked?

Loading a file runs it. A file that only imports NumPy and Steelyard, defines functions and constants, and
declares measures of them does nothing else when it is loaded; so much is seen from its source. The body of
the measure is then checked by the same rule as those of the catalogue, before it is run."""

from __future__ import annotations

import ast
import builtins
import types
from pathlib import Path

from steelyard.measures.record import Measure
from steelyard.proofs.body_check import leaves_at
from steelyard.proofs.leaving import LeavesSubsetError, shown

MODULES = {"numpy", "steelyard", "__future__", "typing", "numpy.typing"}
DECLARATIONS = {"steelyard.two_class", "steelyard.multi_class", "steelyard.class_mean"}
PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.USub, ast.Load, ast.Name)


def leaves_when_loaded(text: bytes, name: str) -> str:
    """What the file does besides declaring; empty if nothing."""
    try:
        tree = ast.parse(text)
        _check(tree, name)
    except LeavesSubsetError as error:
        return str(error)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "what is not Python"
    return ""


def declared_measure(path: Path, text: bytes, name: str) -> Measure | None:
    """The measure, if loading its file is harmless and its body lies in what can be proved."""
    if leaves_when_loaded(text, name):
        return None
    module = types.ModuleType("a_declared_measure")
    module.__file__ = str(path)
    # The text that was checked, and no compiled copy of it.
    exec(compile(text, str(path), "exec", dont_inherit=True), module.__dict__)
    found = getattr(module, name, None)
    return found if isinstance(found, Measure) and not leaves_at(found) else None


def _check(tree: ast.Module, name: str) -> None:
    bound: set[str] = set()
    declared: set[str] = set()
    meanings: dict[str, str] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        names = _bound_by(statement, meanings)
        for one in names:
            if one in bound or hasattr(builtins, one):
                raise LeavesSubsetError(statement, f"`{one}`, which has more than one meaning")
        bound.update(names)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            declared.update(names)
    if name not in declared:
        raise LeavesSubsetError(0, f"`{name}`, which the file does not declare in so many words")


def _bound_by(statement: ast.stmt, meanings: dict[str, str]) -> list[str]:
    """The names that a harmless statement gives a meaning to; what was imported under a name is noted."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.name not in MODULES or ("." in alias.name and alias.asname is None):
                raise LeavesSubsetError(statement, f"`import {alias.name}`")
        meanings.update({alias.asname or alias.name: alias.name for alias in statement.names})
        return [alias.asname or alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        if statement.module not in MODULES or statement.level or any(a.name == "*" for a in statement.names):
            raise LeavesSubsetError(statement, f"`from {statement.module} import ...`")
        meanings.update({a.asname or a.name: f"{statement.module}.{a.name}" for a in statement.names})
        return [alias.asname or alias.name for alias in statement.names]
    if isinstance(statement, ast.FunctionDef):
        given = statement.args
        if statement.decorator_list or given.defaults or any(d is not None for d in given.kw_defaults):
            raise LeavesSubsetError(statement, "a decorator or a default")
        for argument in [*given.args, *given.kwonlyargs, *given.posonlyargs, given.vararg, given.kwarg]:
            _check_annotation(None if argument is None else argument.annotation)
        _check_annotation(statement.returns)
        return [statement.name]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            if isinstance(statement.value, ast.Call):
                _check_declaration(statement.value, meanings)
            else:
                _check_plain(statement.value)
            return [target.id]
    raise LeavesSubsetError(statement, f"`{shown(statement)}`, which runs when the file is loaded")


def _check_annotation(annotation: ast.expr | None) -> None:
    for node in ast.walk(annotation) if annotation is not None else ():
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.Load)):
            raise LeavesSubsetError(node, "an annotation that computes")


def _check_declaration(call: ast.Call, meanings: dict[str, str]) -> None:
    """Only Steelyard's own declarations are called: a function of the file by that name would run."""
    function = call.func
    called = ""
    if isinstance(function, ast.Name):
        called = meanings.get(function.id, "")
    elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        called = f"{meanings.get(function.value.id, '')}.{function.attr}"
    if called not in DECLARATIONS or call.args:
        raise LeavesSubsetError(call, f"`{shown(function)}(...)`, which runs when the file is loaded")
    for keyword in call.keywords:
        if keyword.arg is None:
            raise LeavesSubsetError(call, "`**`")
        if isinstance(keyword.value, ast.Lambda):
            if keyword.value.args.defaults or any(keyword.value.args.kw_defaults):
                raise LeavesSubsetError(keyword.value, "a default")
        else:
            _check_plain(keyword.value)


def _check_plain(value: ast.expr) -> None:
    """Constants and names, float("inf") and np.inf: nothing that runs."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and ast.unparse(node) in ("float('inf')", "float('-inf')"):
            continue
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "np.inf":
            continue
        if not isinstance(node, PLAIN):
            raise LeavesSubsetError(node, f"`{shown(value)}`, which runs when the file is loaded")
