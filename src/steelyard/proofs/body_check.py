"""Can the body of a declared measure carry a proof? The rule for the catalogue and for measures that users
declare.

A body is run on symbols, so it must not be able to tell them from numbers: its source, with every function it
calls, may use the quantities and operations of a view, arithmetic and a few NumPy operations, and nothing
else. It may not ask how long an array is or what the classes are called: an argument for every number of
classes shows it one class only. Measures that operators made of others are taken apart into those others.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import inspect
import linecache
import types
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.measures import measure as declarations
from steelyard.measures import operators, view
from steelyard.measures.formula_measure import FormulaBody
from steelyard.measures.measure import MatrixMeasure, MeanOf, Measure, OnClasses
from steelyard.measures.relevance import Relevance
from steelyard.measures.score_measure import ScoreMeasure
from steelyard.proofs.leaving import LeavesSubsetError

HERE = Path(declarations.__file__).parent.parent
QUANTITIES = {
    "hits", "actual", "predicted", "missed", "false_alarms", "elsewhere", "of_others", "rejected",
    "other_actual", "other_predicted",
    "all_hits", "above_chance", "total", "row_totals", "counts", "tp", "fn", "fp", "tn", "positives",
    "negatives", "n_classes",
}  # fmt: skip
"""What a view shows."""
OPERATIONS = {
    "number", "ratio", "needed_ratio", "undefined", "maximum", "sqrt", "mean", "geometric_mean",
    "entropy_terms", "log",
    "root_of_product", "half_turns", "power", "against_rest", "in_pairs", "pooled", "sum",
    "choose", "is_nan", "arithmetic", "reshape", "ndim", "steps",
}  # fmt: skip
"""What may be done with it."""
SUMMED = {"sum", "reshape", "ndim", "eye", "steps"}
"""Operations that look at all classes at once."""
NUMPY = {"asarray", "eye", "sum", "newaxis"}
NODES = (
    ast.Return, ast.Assign, ast.AnnAssign, ast.Expr, ast.If, ast.Constant, ast.Name, ast.Attribute,
    ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Tuple, ast.Subscript,
    ast.Slice, ast.arguments, ast.arg, ast.expr_context, ast.Lambda, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.Pow, ast.USub, ast.UAdd, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Invert,
    ast.BitAnd, ast.Starred, ast.List,
)  # fmt: skip


READ = "elsewhere: read"


class ReadBody:
    """A body that was read from a formula or from a source and is interpreted: it has no code of its own that
    could do anything else."""


def leaves_at(measure: Measure) -> str:
    """Where the body leaves what can be proved; empty if it does not."""
    if type(measure) not in (MatrixMeasure, ScoreMeasure):
        return f"`{type(measure).__name__}`, a class of its own, which may answer with something else"
    try:
        _check_function(measure.body, {})
    except LeavesSubsetError as error:
        return str(error)
    return ""


def fingerprint(measure: Measure) -> str | None:
    """Everything a measure of ours is made of, in a word; None for one that reaches code of somebody else,
    which may change."""
    reached: dict[int, str] = {}
    try:
        _check_function(measure.body, reached)
    except LeavesSubsetError:
        return None
    if any(part.startswith("elsewhere:") for part in reached.values()):
        return None
    return hashlib.sha256(
        "\0".join(
            [measure.name, measure.kind, measure.better, str(measure.range), *reached.values()]
        ).encode()
    ).hexdigest()


@cache
def _made_by_operators() -> dict[types.CodeType, str]:
    """The bodies that operators and declarations wrap around others: they belong to the listed operations."""
    found: dict[types.CodeType, str] = {}

    def inner(code: types.CodeType, name: str) -> None:
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                found[constant] = name
                inner(constant, name)

    for module in (operators, declarations):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and value.__module__ == module.__name__:
                inner(inspect.unwrap(value).__code__, name)
    for name, value in vars(view).items():
        if inspect.isfunction(value) and value.__module__ == view.__name__:
            found[value.__code__] = f"{name} sum"  # they look at all classes at once
    return found


def of_somebody_else(measure: Measure) -> bool:
    """Does it reach a body or a formula that a user wrote, and that is run as it stands?"""
    reached: dict[int, str] = {}
    try:
        _check_function(measure.body, reached)
    except LeavesSubsetError:
        return False  # nothing is proved of it anyway
    return any(
        part.startswith("formula ") or (part.startswith("elsewhere:") and part != READ)
        for part in reached.values()
    )


def sees_one_class(measure: Measure) -> bool:
    """Is no array summed or taken apart in the body? Then a view of one class shows what the body makes of
    each class."""
    if isinstance(measure.body, FormulaBody):
        return measure.body.classwise
    reached: dict[int, str] = {}
    try:
        _check_function(measure.body, reached)
    except LeavesSubsetError:
        return False
    return not any(
        part.startswith("elsewhere: read") or SUMMED & set(part.split()) for part in reached.values()
    )


def made_at_fixed_priors(measure: Measure) -> Measure | None:
    """The measure that this one evaluates at fixed priors, if its body says so; a record alone proves
    nothing."""
    inner = measure.at_fixed_priors_of
    body = measure.body
    if (
        inner is None
        or not isinstance(body, types.FunctionType)
        or _made_by_operators().get(body.__code__) != "at_priors"
    ):
        return None
    held = dict(zip(body.__code__.co_freevars, body.__closure__ or (), strict=True))
    return inner if "measure" in held and held["measure"].cell_contents is inner else None


def _check_function(function: Any, done: dict[int, str]) -> None:
    """An error where a function, or one that it reaches, leaves the subset; what was reached is noted."""
    if id(function) in done:
        return
    if isinstance(function, ReadBody):
        done[id(function)] = READ
        return
    if type(function) is FormulaBody:
        done[id(function)] = f"formula {function.formula.text}"
        return
    if type(function) in (OnClasses, MeanOf):  # what declarations wrap around a body, and nothing else
        done[id(function)] = f"operator {type(function).__name__}"
        _check_function(function.body if type(function) is OnClasses else function.per_class, done)
        return
    if not isinstance(function, types.FunctionType):
        raise LeavesSubsetError(0, f"`{type(function).__name__}`, which is no plain function")
    code = function.__code__
    ours = Path(code.co_filename).is_relative_to(HERE)
    where = "" if ours else "elsewhere: "
    done[id(function)] = where
    try:
        held = {
            name: cell.cell_contents
            for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
    except ValueError as error:
        raise LeavesSubsetError(code.co_firstlineno, "a name that has no value yet") from error
    if code in _made_by_operators():
        done[id(function)] = f"operator {_made_by_operators()[code]} {' '.join(held)}"
        for value in held.values():
            for part in _inside(value):
                _check_value(part, done, code.co_firstlineno)
        return
    if function.__defaults__ or function.__kwdefaults__:
        raise LeavesSubsetError(code.co_firstlineno, "an argument with a default")
    for node, text in _sources(code):
        # As it is written, so that the word is the same under every version of Python.
        done[id(function)] += f"{text} {' '.join(sorted(code.co_names))} "
        _check_source(node, function, held, done, ours)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (part for v in value.values() for part in _inside(v))
    elif isinstance(value, (tuple, list)):
        yield from (part for v in value for part in _inside(v))
    else:
        yield value


def _check_value(value: Any, done: dict[int, str], line: int) -> None:
    """What a body may refer to: measures, functions that are checked too, and constants."""
    if isinstance(value, Measure):
        _check_function(value.body, done)
    elif isinstance(value, types.FunctionType) or type(value) in (OnClasses, MeanOf):
        _check_function(value, done)
    elif (
        value is None
        or value is np
        or type(value) in (bool, int, float, Fraction, str)
        or type(value) is Relevance
    ):
        done[-1 - len(done)] = repr(value) if value is not np else "numpy"
    else:
        raise LeavesSubsetError(line, f"a value of type `{type(value).__name__}` that can change")


Written = dict[int, list[tuple[ast.Lambda | ast.FunctionDef, str]]]
"""The functions of a file with their text, by the line they begin on."""


@cache
def _parsed(text: str, filename: str) -> tuple[Written, frozenset[types.CodeType]]:
    """The functions of a file, and every piece of code that it compiles to."""
    tree = ast.parse(text)
    pieces: set[types.CodeType] = set()

    def collect(code: types.CodeType) -> None:
        pieces.add(code)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                collect(constant)

    collect(compile(tree, filename, "exec", dont_inherit=True))
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    written: Written = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Lambda, ast.FunctionDef)):
            part = lines[node.lineno - 1 : node.end_lineno]
            part[-1] = part[-1][: node.end_col_offset]  # columns are counted in bytes
            part[0] = part[0][node.col_offset :]
            written.setdefault(node.lineno, []).append((node, b"".join(part).decode()))
    return written, frozenset(pieces)


def _sources(code: types.CodeType) -> list[tuple[ast.Lambda | ast.FunctionDef, str]]:
    """The function in its source; where several stand on one line, all of them."""
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename))
    found: list[tuple[ast.Lambda | ast.FunctionDef, str]] = []
    with contextlib.suppress(SyntaxError, ValueError):
        written, pieces = _parsed(text, code.co_filename)
        found = [
            (node, source)
            for node, source in written.get(code.co_firstlineno, [])
            if ("<lambda>" if isinstance(node, ast.Lambda) else node.name) == code.co_name and code in pieces
        ]
    if not found:
        raise LeavesSubsetError(code.co_firstlineno, f"`{code.co_name}`, whose source is not known")
    return found


def _check_source(
    node: ast.Lambda | ast.FunctionDef,
    function: types.FunctionType,
    held: dict[str, Any],
    done: dict[int, str],
    ours: bool,
) -> None:
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        raise LeavesSubsetError(node, "a decorator")
    local = {a.arg for a in node.args.args} | {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    parts = [node.body] if isinstance(node, ast.Lambda) else node.body
    line = node.lineno
    for part in parts:
        for inner in _without_annotations(part):
            line = getattr(inner, "lineno", line)
            if not isinstance(inner, NODES) or isinstance(inner, ast.Lambda):
                raise LeavesSubsetError(line, f"`{type(inner).__name__.lower()}`")
            if isinstance(inner, ast.Expr) and not isinstance(inner.value, ast.Constant):
                raise LeavesSubsetError(line, "a statement without a value")
            if isinstance(inner, ast.Attribute):
                _check_attribute(inner, function)
            if isinstance(inner, (ast.If, ast.IfExp)):
                _check_test(inner.test)
            if isinstance(inner, ast.Subscript):
                _check_index(inner)
            if not ours:
                _check_of_others(inner)
            if isinstance(inner, ast.Name) and inner.id not in local:
                _check_name(inner, function, held, done)


def _check_of_others(node: ast.AST) -> None:
    """In a body of somebody else only what was counted is compared, and nothing asks whether a value is
    missing: what is computed may be equal, or missing, in algebra and not in floats."""
    if isinstance(node, ast.Attribute) and node.attr == "is_nan":
        raise LeavesSubsetError(node, "`.is_nan`, which floats may answer otherwise")
    if isinstance(node, ast.Compare):
        for side in (node.left, *node.comparators):
            counted = isinstance(side, ast.Attribute) and side.attr in QUANTITIES
            if not counted and not isinstance(side, ast.Constant):
                raise LeavesSubsetError(node, "a comparison of something that was computed")


def _without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name != "annotation":
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _without_annotations(child)


def _check_attribute(node: ast.Attribute, function: types.FunctionType) -> None:
    if not isinstance(node.ctx, ast.Load):
        raise LeavesSubsetError(node, f"`.{node.attr} = ...`")
    owner = function.__globals__.get(node.value.id) if isinstance(node.value, ast.Name) else None
    allowed = NUMPY if owner is np else QUANTITIES | OPERATIONS
    if node.attr not in allowed:
        raise LeavesSubsetError(node, f"`.{node.attr}`")


def _check_test(test: ast.expr) -> None:
    """A body may branch on the number of classes, compared with a number."""
    plain = (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Attribute)
        and test.left.attr == "n_classes"
        and all(isinstance(c, ast.Constant) for c in test.comparators)
    )
    if not plain:
        raise LeavesSubsetError(test, "a branch")


def _check_index(node: ast.Subscript) -> None:
    """Only new axes and whole slices: no class is picked out."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        whole = (
            isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None
        )
        new = isinstance(part, ast.Constant) and part.value is None
        if not (whole or new):
            raise LeavesSubsetError(node, "an index")


def _check_name(
    node: ast.Name, function: types.FunctionType, held: dict[str, Any], done: dict[int, str]
) -> None:
    name = node.id
    if name in held:
        _check_value(held[name], done, node.lineno)
    elif name in function.__globals__:
        _check_value(function.__globals__[name], done, node.lineno)
    elif name not in ("abs", "int") or _builtins_of(function).get(name) is not getattr(builtins, name):
        raise LeavesSubsetError(node, f"`{name}`")


def _builtins_of(function: types.FunctionType) -> dict[str, Any]:
    """What a function takes for Python's own functions: whoever made it may have given it others."""
    found: dict[str, Any] = getattr(function, "__builtins__", {})
    return found
