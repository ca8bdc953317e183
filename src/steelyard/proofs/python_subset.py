"""Which Python functions can be read as a formula, so that something can be proved of them?

A function that is merely run is a black box: a `try`, a question about a type, a conversion can hide a branch
from whoever watches it. So the source is read instead. It must lie, with everything it calls, in the subset
that `function_reading` gives a meaning to: arithmetic, listed NumPy operations, loops over whole numbers,
branches on the number of classes. The file it stands in may import NumPy, functions and constants of plain
files beside it that keep the same rule, and define functions and constants, each once, and nothing else: no
statement of it can then change what a name means.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from steelyard.proofs.leaving import NESTED, LeavesSubsetError, shown
from steelyard.proofs.shared_values import check_aliases

IMPORTABLE = {"numpy", "math", "typing", "numpy.typing", "__future__", "collections.abc"}
"""Modules that a file with a provable function may import."""
OF_TYPES = {"typing", "numpy.typing", "__future__", "collections.abc"}
"""Those of them that only annotations may use."""

STATEMENTS = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.If, ast.For, ast.With, ast.Expr, ast.Pass,
)  # fmt: skip
EXPRESSIONS = (
    ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.BinOp,
    ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call, ast.ListComp, ast.GeneratorExp,
)  # fmt: skip
PARTS = (
    ast.arguments, ast.arg, ast.keyword, ast.comprehension, ast.withitem, ast.expr_context,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.UAdd, ast.USub, ast.Not, ast.And, ast.Or,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip
NUMPY = {
    "asarray", "array", "diagonal", "diag", "trace", "sum", "mean", "prod", "sqrt", "cbrt", "log", "log2",
    "abs", "absolute",
    "maximum", "minimum", "max", "amax", "min", "amin", "where", "power", "square", "eye", "identity",
    "outer", "transpose",
    "swapaxes", "negative", "add", "subtract", "multiply", "divide", "true_divide", "errstate", "zeros_like",
    "ones_like",
    "stack", "newaxis", "nan",
}  # fmt: skip
"""The operations of NumPy that have a meaning in exact algebra."""
MATHS = {"sqrt", "log", "log2", "cbrt", "nan"}
METHODS = {"sum", "mean", "prod", "trace", "diagonal", "max", "min", "transpose", "swapaxes", "shape", "T"}
"""What may be asked of an array."""
BUILTINS = {"range", "len", "sum", "abs"}


@dataclass(frozen=True)
class Source:
    """A file whose statements define functions and constants and do nothing else."""

    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    numpy: frozenset[str] = frozenset()
    """The names under which NumPy is known."""
    maths: frozenset[str] = frozenset()
    operations: Mapping[str, str] = field(default_factory=dict)
    """Names imported from NumPy, with what they are called there."""
    imported: Mapping[str, tuple[Source, str]] = field(default_factory=dict)
    """Names imported from files beside it, with those files and what they are called there."""


def parsed(text: bytes) -> ast.Module:
    """The statements of a file; an error where it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise LeavesSubsetError(getattr(error, "lineno", 0) or 0, "what is not Python") from error
    except (RecursionError, MemoryError) as error:
        raise LeavesSubsetError(0, NESTED) from error


def read_source(text: bytes, name: str, beside: Mapping[str, bytes] | None = None) -> Source:
    """What a file says, if everything in it that the function can reach lies in the subset; with the texts of
    the files beside it that it may import from."""
    try:
        source = _definitions(parsed(text), _Beside(dict(beside or {})))
        if name not in source.functions:
            raise LeavesSubsetError(0, f"`{name}`, which no `def` of the file defines")
        _check_reached(source, name)
    except RecursionError as error:
        raise LeavesSubsetError(0, NESTED) from error
    return source


class _Beside:
    """The files beside a file, each read once; one that imports itself in a circle is refused."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        self.texts = texts
        self.read: dict[str, Source] = {}
        self.open: list[str] = []

    def __getitem__(self, module: str) -> Source:
        if module in self.open:
            raise LeavesSubsetError(0, f"`{module}`, which imports itself in a circle")
        if module not in self.read:
            self.open.append(module)
            try:
                self.read[module] = _definitions(parsed(self.texts[module]), self)
            except LeavesSubsetError as error:
                raise LeavesSubsetError(0, f"{module}.py, {error}") from error
            self.open.pop()
        return self.read[module]


def _definitions(tree: ast.Module, beside: _Beside) -> Source:
    imported: dict[str, tuple[Source, str]] = {}
    functions: dict[str, ast.FunctionDef] = {}
    constants: dict[str, ast.expr] = {}
    arrays, maths, types, operations = set[str](), set[str](), set[str](), dict[str, str]()
    bound: list[tuple[str, ast.AST]] = []
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for module, original, here in _imported(statement):
                if module in beside.texts and original is not None:
                    imported[here] = (_defining(beside[module], original, statement), original)
                    bound.append((here, statement))
                    continue
                if module not in IMPORTABLE:
                    raise LeavesSubsetError(statement, f"`import {module}`")
                bound.append((here, statement))
                if module in OF_TYPES:
                    types.add(here)
                elif original is None:
                    (arrays if module == "numpy" else maths).add(here)
                elif original in (NUMPY if module == "numpy" else MATHS):
                    operations[here] = original
                else:
                    raise LeavesSubsetError(statement, f"`{original}`")
        elif isinstance(statement, ast.FunctionDef):
            _check_signature(statement)
            functions[statement.name] = statement
            bound.append((statement.name, statement))
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            target, value = _assigned(statement)
            if _of_types(value, types):
                types.add(target)
            elif _is_constant(value):
                constants[target] = value
            else:
                raise LeavesSubsetError(
                    statement, f"`{shown(statement)}`, which runs when the file is loaded"
                )
            bound.append((target, statement))
        elif not _is_main(statement):
            raise LeavesSubsetError(statement, f"`{shown(statement)}`, which runs when the file is loaded")
    seen: set[str] = set()
    for name, node in bound:
        if name in seen or name in BUILTINS or name in ("__builtins__", "__name__"):
            raise LeavesSubsetError(node, f"`{name}`, which has more than one meaning")
        seen.add(name)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            raise LeavesSubsetError(node, f"`{shown(node)}`")
    return Source(functions, constants, frozenset(arrays), frozenset(maths), operations, imported)


def _defining(source: Source, name: str, statement: ast.stmt) -> Source:
    """The file that a name is imported from defines it, and does not merely pass it on."""
    if name not in source.functions and name not in source.constants:
        raise LeavesSubsetError(statement, f"`{name}`, which the file beside it does not define")
    return source


def _imported(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str | None, str]]:
    """Module, name in it (None for the module itself), name here."""
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            if statement.level or statement.module is None or alias.name == "*":
                raise LeavesSubsetError(statement, f"`{shown(statement)}`")
            yield statement.module, alias.name, alias.asname or alias.name
        else:
            if "." in alias.name and alias.asname is None:
                raise LeavesSubsetError(statement, f"`{shown(statement)}`")
            yield alias.name, None, alias.asname or alias.name


def _assigned(statement: ast.Assign | ast.AnnAssign) -> tuple[str, ast.expr]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or statement.value is None:
        raise LeavesSubsetError(statement, f"`{shown(statement)}`, which runs when the file is loaded")
    if isinstance(statement, ast.AnnAssign):
        _check_annotation(statement.annotation)
    return targets[0].id, statement.value


def _is_constant(value: ast.expr) -> bool:
    """A number, or a tuple of numbers: nothing that can change."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, (ast.USub, ast.UAdd)):
        return _is_constant(value.operand) and not isinstance(value.operand, ast.Tuple)
    if isinstance(value, ast.Tuple):
        return all(_is_constant(part) for part in value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        return _is_constant(value.left) and _is_constant(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float, str)


def _of_types(value: ast.expr, types: set[str]) -> bool:
    """An alias of a type, for annotations: NDArray[Any]."""
    if isinstance(value, ast.Name):
        return value.id in types
    if isinstance(value, ast.Subscript):
        parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        return _of_types(value.value, types) and all(_of_types(part, types) for part in parts)
    return isinstance(value, ast.Attribute) and _of_types(value.value, types)


def _is_main(statement: ast.stmt) -> bool:
    """`if __name__ == "__main__":` does not run when the file is loaded as a module."""
    test = statement.test if isinstance(statement, ast.If) else None
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
        and not statement.orelse  # type: ignore[attr-defined]
    )


def _check_signature(function: ast.FunctionDef) -> None:
    """What runs when the file is loaded: decorators, defaults and annotations."""
    if function.decorator_list:
        raise LeavesSubsetError(function.decorator_list[0], f"`@{shown(function.decorator_list[0])}`")
    given = function.args
    for default in [*given.defaults, *(d for d in given.kw_defaults if d is not None)]:
        if not _is_constant(default):
            raise LeavesSubsetError(default, f"`{shown(default)}` as a default")
    for part in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if part is not None and part.annotation is not None:
            _check_annotation(part.annotation)
    if function.returns is not None:
        _check_annotation(function.returns)


def _check_annotation(annotation: ast.expr) -> None:
    for node in ast.walk(annotation):
        if not isinstance(
            node,
            (
                ast.Name,
                ast.Attribute,
                ast.Subscript,
                ast.Constant,
                ast.Tuple,
                ast.BinOp,
                ast.BitOr,
                ast.expr_context,
            ),
        ):
            raise LeavesSubsetError(node, f"`{shown(annotation)}` as an annotation")


def _check_reached(source: Source, name: str) -> None:
    """Every statement of the function and of those it calls, run or not."""
    waiting, done = [(source, name)], dict[int, ast.FunctionDef]()
    while waiting:
        place, current = waiting.pop()
        function = place.functions[current]
        if id(function) not in done:
            done[id(function)] = function
            try:
                waiting += _check_function(place, function)
            except LeavesSubsetError as error:
                raise error if place is source else LeavesSubsetError(0, f"`{current}`, {error}") from error
    for function in done.values():
        check_aliases(function, helper=function is not source.functions[name])


def _check_function(source: Source, function: ast.FunctionDef) -> list[tuple[Source, str]]:
    """The functions that this one calls, with the files they stand in; an error where it leaves the
    subset."""
    if function.args.vararg or function.args.kwarg:
        raise LeavesSubsetError(function, "`*` in the arguments")
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    local = {argument.arg for argument in arguments} | {
        node.id
        for node in ast.walk(ast.Module(function.body, []))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    known = (
        source.numpy
        | source.maths
        | set(source.operations)
        | set(source.functions)
        | set(source.constants)
        | set(source.imported)
    )
    hidden = local & (known | BUILTINS)
    if hidden:
        raise LeavesSubsetError(function, f"`{sorted(hidden)[0]}`, which has more than one meaning")
    called: list[tuple[Source, str]] = []
    for statement in function.body:
        line = statement.lineno
        for node in _nodes(statement):
            line = getattr(node, "lineno", line)
            if not isinstance(node, (*STATEMENTS, *EXPRESSIONS, *PARTS)):
                raise LeavesSubsetError(line, f"`{_keyword(node)}`")
            if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                raise LeavesSubsetError(node, f"`{shown(node)}`, a statement without a value")
            if isinstance(node, ast.Name):
                place, name = source.imported.get(node.id, (source, node.id))
                if name in place.functions:
                    called.append((place, name))
                elif node.id not in known | local | BUILTINS:
                    raise LeavesSubsetError(node, f"`{node.id}`")
            if isinstance(node, ast.Attribute):
                _check_attribute(source, node)
    return called


def _nodes(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement, without annotations of local names."""
    yield statement
    for name, value in ast.iter_fields(statement):
        if name == "annotation":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _nodes(child)


def _check_attribute(source: Source, node: ast.Attribute) -> None:
    if not isinstance(node.ctx, ast.Load):
        raise LeavesSubsetError(node, f"`{shown(node)} = ...`")
    owner = node.value.id if isinstance(node.value, ast.Name) else None
    allowed = NUMPY if owner in source.numpy else MATHS if owner in source.maths else METHODS
    if node.attr not in allowed:
        raise LeavesSubsetError(node, f"`{shown(node)}`")


def _keyword(node: ast.AST) -> str:
    """The word a reader looks for on the line."""
    words = {
        ast.Try: "try", ast.While: "while", ast.Lambda: "lambda", ast.FunctionDef: "def",
        ast.ClassDef: "class", ast.Raise: "raise",
        ast.Assert: "assert", ast.Import: "import", ast.ImportFrom: "import", ast.NamedExpr: ":=",
        ast.Global: "global",
        ast.Nonlocal: "nonlocal", ast.Mod: "%", ast.FloorDiv: "//", ast.MatMult: "@", ast.Yield: "yield",
        ast.Delete: "del",
        ast.Dict: "{...}", ast.Set: "{...}", ast.JoinedStr: "f'...'", ast.In: "in", ast.NotIn: "not in",
        ast.Is: "is", ast.IsNot: "is not",
        ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Invert: "~", ast.LShift: "<<",
        ast.RShift: ">>", ast.Starred: "*",
        ast.Await: "await", ast.Break: "break", ast.Continue: "continue", ast.Match: "match",
    }  # fmt: skip
    return words.get(type(node), type(node).__name__)
