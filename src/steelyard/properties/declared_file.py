"""Can a measure that a user's file declares be loaded beside the prover, so that its body can be checked?

Loading a file runs it. A file that only imports NumPy and Steelyard, defines functions and constants, and
declares measures of them does nothing else when it is loaded; so much is seen from its source. The body of
the measure is then checked by the same rule as those of the catalogue, before it is run."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

from steelyard.measures.record import Measure
from steelyard.properties.body_check import leaves_at
from steelyard.properties.python_subset import LeavesSubsetError

MODULES = {"numpy", "steelyard", "__future__", "typing", "numpy.typing"}
DECLARATIONS = {"two_class", "multi_class", "class_mean"}
PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.UnaryOp, ast.USub, ast.Load, ast.Name)


def leaves_when_loaded(path: Path, name: str) -> str:
    """What the file does besides declaring; empty if nothing."""
    try:
        tree = ast.parse(path.read_bytes())
        _check(tree, name)
    except LeavesSubsetError as error:
        return str(error)
    except (SyntaxError, ValueError, RecursionError):
        return "what is not Python"
    return ""


def declared_measure(path: Path, name: str) -> Measure | None:
    """The measure, if loading its file is harmless and its body lies in what can be proved."""
    if leaves_when_loaded(path, name):
        return None
    spec = importlib.util.spec_from_file_location("a_declared_measure", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    return found if isinstance(found, Measure) and not leaves_at(found) else None


def _check(tree: ast.Module, name: str) -> None:
    bound: set[str] = set()
    declared: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        names = _bound_by(statement, bound)
        for one in names:
            if one in bound:
                raise LeavesSubsetError(statement, f"`{one}`, which has more than one meaning")
        bound.update(names)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            declared.update(names)
    if name not in declared:
        raise LeavesSubsetError(0, f"`{name}`, which the file does not declare in so many words")


def _bound_by(statement: ast.stmt, bound: set[str]) -> list[str]:
    """The names that a harmless statement gives a meaning to."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.name not in MODULES or ("." in alias.name and alias.asname is None):
                raise LeavesSubsetError(statement, f"`import {alias.name}`")
        return [alias.asname or alias.name for alias in statement.names]
    if isinstance(statement, ast.ImportFrom):
        if statement.module not in MODULES or statement.level or any(a.name == "*" for a in statement.names):
            raise LeavesSubsetError(statement, f"`from {statement.module} import ...`")
        return [alias.asname or alias.name for alias in statement.names]
    if isinstance(statement, ast.FunctionDef):
        given = statement.args
        if statement.decorator_list or given.defaults or any(d is not None for d in given.kw_defaults):
            raise LeavesSubsetError(statement, "a decorator or a default")
        for argument in [*given.args, *given.kwonlyargs, *given.posonlyargs]:
            _check_annotation(argument.annotation)
        _check_annotation(statement.returns)
        return [statement.name]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            if isinstance(statement.value, ast.Call):
                _check_declaration(statement.value)
            else:
                _check_plain(statement.value)
            return [target.id]
    raise LeavesSubsetError(statement, f"`{ast.unparse(statement)[:40]}`, which runs when the file is loaded")


def _check_annotation(annotation: ast.expr | None) -> None:
    for node in ast.walk(annotation) if annotation is not None else ():
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.Load)):
            raise LeavesSubsetError(node, "an annotation that computes")


def _check_declaration(call: ast.Call) -> None:
    function = call.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    of_steelyard = not isinstance(function, ast.Attribute) or (
        isinstance(function.value, ast.Name) and function.value.id in ("sy", "steelyard")
    )
    if called not in DECLARATIONS or not of_steelyard or call.args:
        raise LeavesSubsetError(call, f"`{ast.unparse(function)}(...)`, which runs when the file is loaded")
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
            raise LeavesSubsetError(node, f"`{ast.unparse(value)[:40]}`, which runs when the file is loaded")
