"""Which small faults can be planted in a module? Each is one change of one expression, written into the source."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from torture.mutation.covering import ROOT

ROOMS = ("counts", "measures", "scores", "uncertainty", "proofs", "auditing")

SHOWN = re.compile(r"(pictures|plots|looks|(.*_)?sections|shown)\.py")
"""What is drawn and said of a result: these decide no number, and pages and commands are looked at by other tests."""


@dataclass(frozen=True)
class Mutant:
    """A module with one fault: where, what stands there now, and what stood there."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    what: str
    before: str
    after: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}:{self.column}:{self.what}"

    @property
    def module(self) -> str:
        return self.file.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    @property
    def code(self) -> str:
        """The line that it begins in, which tells it from others of its module after lines have moved."""
        return (ROOT / self.file).read_text(encoding="utf-8").splitlines()[self.line - 1].strip()

    def without_fault(self) -> Mutant:
        """The module as it is, for seeing that the tests pass where there is nothing to find."""
        return replace(self, what="nothing", after=self.before)

    def source(self) -> str:
        """The whole module with the fault in it."""
        lines = (ROOT / self.file).read_bytes().splitlines(keepends=True)
        head = b"".join(lines[: self.line - 1]) + lines[self.line - 1][: self.column]
        tail = lines[self.end_line - 1][self.end_column :] + b"".join(lines[self.end_line :])
        return (head + self.after.encode() + tail).decode()


COMPARED = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
COMPUTED = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*", ast.Pow: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.MatMult: "*",
}  # fmt: skip
TURNED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum", "maximum": "minimum", "argmax": "argmin",
    "argmin": "argmax", "floor": "ceil", "ceil": "floor", "nanmax": "nanmin", "nanmin": "nanmax", "isnan": "isfinite",
}  # fmt: skip


TESTED_ELSEWHERE = ("src/steelyard/measures/javascript.py", "src/steelyard/counts/compiled.py")
"""What measures give in JavaScript is compared in a browser, and what numba compiles runs only in the tests of integrations."""


def files(rooms: tuple[str, ...] = ROOMS) -> list[str]:
    """The modules in which faults are planted."""
    found = [
        path.relative_to(ROOT)
        for room in rooms
        for path in sorted((ROOT / "src" / "steelyard" / room).rglob("*.py"))
        if path.name != "__init__.py" and not SHOWN.fullmatch(path.name)
    ]
    return [str(path) for path in found if str(path) not in TESTED_ELSEWHERE]


@cache
def mutants(file: str) -> tuple[Mutant, ...]:
    """Every fault of a module, in the order of its lines."""
    source = (ROOT / file).read_text(encoding="utf-8")
    return tuple(_Planter(file, source).planted())


def drawn(number: int, seed: int = 0, rooms: tuple[str, ...] = ROOMS) -> list[Mutant]:
    """So many faults, as evenly over the modules as they have them, in an order in which every beginning is even too."""
    rng = random.Random(seed)
    waiting: list[list[Mutant]] = []
    for file in files(rooms):
        found = list(mutants(file))
        rng.shuffle(found)
        waiting.append(found)
    chosen: list[Mutant] = []
    while len(chosen) < number and any(waiting):
        rng.shuffle(waiting)
        chosen += [found.pop() for found in waiting if found]
    return chosen[:number]


class _Planter:
    def __init__(self, file: str, source: str) -> None:
        self.file, self.lines = file, source.encode().splitlines(keepends=True)
        self.tree = ast.parse(source)

    def planted(self) -> Iterator[Mutant]:
        for node in self._walked(self.tree):
            yield from self._of(node)

    def _walked(self, node: ast.AST) -> Iterator[ast.AST]:
        """Every expression and statement that decides something: no annotations, words of refusals, assertions or imports."""
        for child in self._children(node):
            if isinstance(child, (ast.Raise, ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # what is zipped has one length, or the tests would fail without any fault
            if isinstance(child, ast.If) and re.search("TYPE_CHECKING|__main__", ast.unparse(child.test)):
                continue
            yield child
            yield from self._walked(child)

    @staticmethod
    def _children(node: ast.AST) -> Iterator[ast.AST]:
        skipped = {"annotation", "returns", "decorator_list", "type_params"}
        for name, value in ast.iter_fields(node):
            if name in skipped:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield self._made(
                node, "comparison", self._pair(node.left, COMPARED[type(node.ops[0])], node.comparators[0])
            )
        elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED and not self._is_union(node):
            yield self._made(node, "operation", self._pair(node.left, COMPUTED[type(node.op)], node.right))
        elif isinstance(node, ast.AugAssign) and type(node.op) in COMPUTED:
            yield self._made(
                node,
                "operation",
                f"{self._text(node.target)} {COMPUTED[type(node.op)]}= ({self._text(node.value)})",
            )
        elif isinstance(node, ast.BoolOp):
            word = "or" if isinstance(node.op, ast.And) else "and"
            yield self._made(
                node, "and or", "(" + f" {word} ".join(f"({self._text(v)})" for v in node.values) + ")"
            )
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            yield self._made(node, "sign", f"({self._text(node.operand)})")
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, (int, float))
            and type(node.value) is not bool
        ):
            yield self._made(node, "number", repr(node.value + 1))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield self._made(node, "number", repr(not node.value))
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield self._made(node.test, "condition", f"(not ({self._text(node.test)}))")
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield self._made(test, "condition", f"(not ({self._text(test)}))")
        elif isinstance(node, ast.Return) and node.value is not None and not self._is_none(node.value):
            yield self._made(node, "answer", "return None")
        elif isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield self._made(node, "left out", "pass")

    def _call(self, node: ast.Call) -> Iterator[Mutant]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in TURNED:
            end = node.func
            assert end.end_lineno is not None
            assert end.end_col_offset is not None
            column = end.end_col_offset - len(name)
            yield Mutant(
                self.file,
                end.end_lineno,
                column,
                end.end_lineno,
                end.end_col_offset,
                "function",
                name,
                TURNED[name],
            )

    @staticmethod
    def _is_none(node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and node.value is None

    @staticmethod
    def _is_union(node: ast.BinOp) -> bool:
        """Is this a type such as int | None?"""
        return isinstance(node.op, ast.BitOr) and any(
            isinstance(side, ast.Constant) and side.value is None for side in (node.left, node.right)
        )

    def _pair(self, left: ast.expr, operator: str, right: ast.expr) -> str:
        return f"(({self._text(left)}) {operator} ({self._text(right)}))"

    def _text(self, node: ast.expr | ast.stmt) -> str:
        """What stands in the source; ast.get_source_segment splits the whole source for every question."""
        assert node.end_lineno is not None
        found = self.lines[node.lineno - 1 : node.end_lineno]
        found[-1] = found[-1][: node.end_col_offset]
        found[0] = found[0][node.col_offset :]
        return b"".join(found).decode()

    def _made(self, node: ast.expr | ast.stmt, what: str, after: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return Mutant(
            self.file,
            node.lineno,
            node.col_offset,
            node.end_lineno,
            node.end_col_offset,
            what,
            self._text(node),
            after,
        )
