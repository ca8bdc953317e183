"""Which JavaScript is a measure? Its body, traced, as the text of a function that needs nothing else."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_label
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.record import Measure
from steelyard.measures.script.traced import MOST_PATHS, NotTraceableError, Trace, Traced, next_plan
from steelyard.measures.script.views import Script, TracedClasses, TracedTwoClass

_SIGNS: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "raise": "**", "equal": "===", "unequal": "!==",
    "less": "<", "atMost": "<=", "more": ">", "atLeast": ">=", "both": "&&", "either": "||",
    "not": "!", "minus": "-",
}  # fmt: skip
"""Operations that JavaScript has a sign for."""
_FUNCTIONS: Final = {
    "max": "Math.max", "abs": "Math.abs", "sqrt": "Math.sqrt", "log": "logarithm", "log2": "Math.log2",
    "isNaN": "Number.isNaN", "halfTurns": "halfTurns",
}  # fmt: skip
_ELEMENTWISE: Final = {*_SIGNS, *_FUNCTIONS, "over", "entropy", "rootOfProduct", "remainder"}


@dataclass(frozen=True)
class Path:
    """One run of a body: what it supposed, the operations in their order, and the result."""

    asked: list[tuple[Traced, bool]]
    nodes: list[Traced]
    result: Traced


def function_text(
    measure: Measure, labels: Sequence[Label] | None, positive: Label | None, words: bool
) -> str:
    """The text of `(rows) => number`, or with words of `(rows, options) => ({ value, why })`."""
    names = None if labels is None else list(labels)
    body, view = _body(measure, names, words), _view(measure)
    unit = "true" if measure.depends_on_size else "false"
    options: dict[str, Any] = {} if names is None else {"labels": [str(plain_label(n)) for n in names]}
    if positive is not None:
        options["positive"] = _place(positive, names)
    if words:
        start = f"const seen = {view}(rows, {{ ...{_literal(options)}, ...options }}, {unit});"
        end = "return told(seen, body);"
        head, needed = "(rows, options = {}) => {", f"{body} {start} {end}"
    else:
        start = f"const seen = {view}(rows, {_literal(options)}, {unit});"
        end = "return seen.m.length ? body(seen) : NaN;"
        head, needed = "(rows) => {", f"{body} {start}"
    lines = [head, *_indented(operations(needed)), f"  const body = {body};", f"  {start}", f"  {end}", "}"]
    return "\n".join(lines)


def library_text(measures: Iterable[Measure], open_operations: bool = False) -> str:
    """The text of an expression: an object of functions `(rows, options) => ({ value, why })` by name.

    What the measures have in common stands in it once. With `options.weights` a mean over classes is
    weighted. With `open_operations` the object has, beside the measures, the operations themselves for
    whoever makes measures there.
    """
    bodies = {}
    for measure in measures:
        unit = "true" if measure.depends_on_size else "false"
        bodies[measure.name] = f"[{_view(measure)}, {unit}, {_body(measure, None, True)}]"
    entries = [f"  [{_literal(name)}, {text}]," for name, text in bodies.items()]
    if open_operations:
        every = list(_defined())
        shown = f"{{ value: {{ {', '.join(every)} }} }}"
        opening, closing, needed = "Object.defineProperty(weigher([", f']), "operations", {shown})', every
    else:
        opening, closing, needed = "weigher([", "])", [*entries, "weigher"]
    return "\n".join(
        [
            "(() => {",
            *_indented(operations(" ".join(needed))),
            f"  return {opening}",
            *("  " + line for line in entries),
            f"  {closing};",
            "})()",
        ]
    )


def is_writable(measure: Measure) -> bool:
    """Can the measure be written in JavaScript?"""
    if measure.kind == "scores":
        return False
    try:
        _body(measure, None, True)
    except InputError:
        return False
    return True


def _view(measure: Measure) -> str:
    return "asSides" if measure.kind == "two-class" else "asClasses"


def _place(positive: Label, names: list[Label] | None) -> int:
    if names is None:
        found = re.fullmatch(r"c([1-9]\d*)", str(positive))
        if found is None:
            raise InputError(
                "the positive class is not known without labels",
                found=repr(positive),
                do="say to_javascript(labels=[...], positive=...)",
            )
        return int(found.group(1)) - 1
    texts = [str(name) for name in names]
    if str(positive) not in texts:
        raise UnknownNameError("class", positive, texts)
    return texts.index(str(positive))


def _body(measure: Measure, names: list[Label] | None, words: bool) -> str:
    """`(seen, found) => number`: the value on what the measure sees, and into `found` why it has none."""
    try:
        paths = list(_paths(measure, names))
    except (NotTraceableError, TypeError, AttributeError, AssertionError) as error:
        raise InputError(
            f"{measure.name} cannot be written in JavaScript",
            found=str(error) or type(error).__name__,
            allowed="bodies made of the quantities and operations of their view",
        ) from error
    writer = _Writer(words)
    inner = writer.branches(paths, 0)
    return f"({'seen, found' if words else 'seen'}) => {{ {inner} }}"


def _paths(measure: Measure, names: list[Label] | None) -> Iterator[Path]:
    plan: list[bool] | None = []
    for _ in range(MOST_PATHS):
        trace = Trace(plan or [])
        result = trace.taken(measure.body(_seen(measure, trace, names)))
        if not isinstance(result, Traced) or result.ndim:
            raise NotTraceableError("a result that is not one number")
        yield Path(trace.asked, list(trace.nodes.values()), result)
        plan = next_plan(trace.asked)
        if plan is None:
            return
    raise NotTraceableError("too many questions about the number of classes")


def _seen(measure: Measure, trace: Trace, names: list[Label] | None) -> Any:
    script = Script(trace)
    if measure.kind == "two-class":
        two = TracedTwoClass(trace.node("cells", dims=(2, 2)), "seen.names", script)
        two.classes = names
        return two
    cells, weights = trace.node("cells", dims=("C", "C")), trace.node("weights", dims=("C",))
    classes = TracedClasses(cells, "seen.names", script, weights)
    classes.classes = names
    return classes


class _Writer:
    """Writes graphs as statements: what is used more than once gets a name."""

    def __init__(self, words: bool) -> None:
        self.words = words

    def branches(self, paths: list[Path], depth: int) -> str:
        if len(paths[0].asked) <= depth:
            return self._straight(paths[0])
        question = paths[0].asked[depth][0]
        yes = [p for p in paths if p.asked[depth][1]]
        no = [p for p in paths if not p.asked[depth][1]]
        condition = _Expressions({}).of(question)
        return f"if ({condition}) {{ {self.branches(yes, depth + 1)} }} {self.branches(no, depth + 1)}"

    def _straight(self, path: Path) -> str:
        notes = [n for n in path.nodes if n.operation in _TOLD] if self.words else []
        uses: dict[int, int] = {}
        for root in (path.result, *notes):
            _count(root, uses, self.words)
        expressions = _Expressions({})
        statements: list[str] = []
        for node in path.nodes:
            if uses.get(id(node), 0) > 1 and node.operation not in _SHORT:
                name = f"t{len(statements) + 1}"
                statements.append(f"const {name} = {expressions.of(node)};")
                expressions.names[id(node)] = name
            if self.words and node.operation in _TOLD:
                statements.append(_note(node, expressions, path))
        return " ".join([*statements, f"return {expressions.of(path.result)};"])


_TOLD: Final = ("because", "noWeight")
_SHORT: Final = ("cells", "weights", "size", "take", "array", "absent", "ofThose")
"""Expressions that are as short as a name for them."""


def _count(node: Traced, uses: dict[int, int], words: bool) -> None:
    uses[id(node)] = uses.get(id(node), 0) + 1
    if uses[id(node)] > 1:
        return
    operands = node.arguments if words or node.operation not in _TOLD else node.arguments[:1]
    for operand in operands:
        if isinstance(operand, Traced):
            _count(operand, uses, words)


def _note(node: Traced, expressions: _Expressions, path: Path) -> str:
    """The statement that says why a quotient, or a mean of no weight, has no value."""
    _, operand, because, names = node.arguments
    bottom = expressions.of(operand)
    if node.operation == "noWeight":
        bottom = f"{bottom} ? total({bottom}) : 1" if operand.operation == "weights" else f"total({bottom})"
    words = _literal(because)
    if "{absent}" in because:
        at = next(expressions.of(n) for n in path.nodes if n.operation == "absent")
        words += f'.replace("{{absent}}", () => seen.everyone[{at}])'
    return f"note(found, {bottom}, {words}, {names});"


class _Expressions:
    """How is a quantity written, given the names of those that have one?"""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def of(self, value: Any) -> str:
        if not isinstance(value, Traced):
            return _literal(value)
        return self.names.get(id(value)) or self._written(value)

    def _written(self, node: Traced) -> str:
        operation = node.operation
        if operation in _TOLD:
            return self.of(node.arguments[0])
        if operation in ("cells", "weights"):
            return {"cells": "seen.m", "weights": "seen.weights"}[operation]
        if operation == "size":
            return "seen.m.length"
        if operation == "array":
            return _literal(node.arguments[0])
        parts = [self.of(a) for a in node.arguments]
        if operation == "take":
            return f"{parts[0]}[{parts[1]}]"
        if operation == "ofThose":
            return f"ofThose({parts[0]}, seen.kept, seen.everyone.length)"
        if operation == "ofSides":
            return f"ofSides({parts[0]}, seen.at)"
        if operation == "absent":
            return f"absent({parts[0]}, seen.kept)"
        if operation in _ELEMENTWISE:
            return self._elementwise(node, parts)
        return f"{operation}({', '.join(parts)})"

    def _elementwise(self, node: Traced, parts: list[str]) -> str:
        function = _FUNCTIONS.get(node.operation, node.operation)
        single = all(not isinstance(a, Traced) or not a.ndim for a in node.arguments)
        if single and node.operation in _SIGNS:
            sign = _SIGNS[node.operation]
            return f"({sign}{parts[0]})" if len(parts) == 1 else f"({parts[0]} {sign} {parts[1]})"
        if single:
            return f"{function}({', '.join(parts)})"
        return f"{'each' if len(parts) == 1 else 'zip'}({function}, {', '.join(parts)})"


def _literal(value: Any) -> str:
    """A number, a text or a list of them as JavaScript writes it, fit to stand inside a page."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, (str, dict)):
        return _inert(json.dumps(value, ensure_ascii=False))
    if isinstance(value, int):
        return str(value) if value >= 0 else f"({value})"
    number = float(value)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "(-Infinity)"
    return repr(number) if number >= 0 else f"({number!r})"


def _inert(text: str) -> str:
    """JSON that no page takes for markup and no old reader for the end of a line."""
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


@functools.cache
def _defined() -> dict[str, str]:
    """The definitions of operations.js by name, in their order."""
    text = files("steelyard.measures.script").joinpath("operations.js").read_text(encoding="utf-8")
    found = {}
    for paragraph in re.split(r"\n\s*\n", text):
        code = "\n".join(line for line in paragraph.strip().splitlines() if not line.startswith("//"))
        if name := re.match(r"const (\w+) =", code):
            found[name.group(1)] = code
    return found


def operations(text: str) -> list[str]:
    """The definitions that a text needs, with those that they need in turn."""
    defined = _defined()
    wanted: set[str] = set()
    waiting = [text]
    while waiting:
        for name in set(re.findall(r"\w+", waiting.pop())) & defined.keys() - wanted:
            wanted.add(name)
            waiting.append(defined[name])
    return [code for name, code in defined.items() if name in wanted]


def _indented(paragraphs: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for paragraph in paragraphs for line in paragraph.splitlines())
