"""Graphs as JavaScript: a measure as the text of a function that needs nothing else."""

# The text is a fold of the graph over the definitions of operations.js; a function takes along those it
# needs.

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any, Final

from steelyard.counts.labels import Label, plain_label
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.class_numbers import of_classes, places_in
from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import EQUAL_WEIGHTS, Node, is_about_size, substituted, topological
from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.operations import ELEMENTWISE, OPERATIONS, QUOTIENTS
from steelyard.measures.record import Measure
from steelyard.measures.undefined import NO_WEIGHT, RATES_UNKNOWN

# Operations that JavaScript has a sign for.
_SIGNS: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "power": "**", "eq": "===", "lt": "<", "le": "<=",
    "and": "&&", "or": "||", "not": "!", "neg": "-",
}  # fmt: skip
_OF_ENTRIES: Final = {*ELEMENTWISE, "power", "ratio", "needed_ratio"} - {"where"}
# Expressions that are as short as a name for them.
_SHORT: Final = ("cells", "weights", "size", "number", "array", "counts", "cell")


def function_text(
    measure: MatrixMeasure, labels: Sequence[Label] | None, positive: Label | None, words: bool
) -> str:
    """The text of `(rows) => number`, or with words of `(rows, options) => ({ value, why })`."""
    names = None if labels is None else list(labels)
    body, view = _body(measure, names, words), _view(measure)
    options: dict[str, Any] = {} if names is None else {"labels": [str(plain_label(n)) for n in names]}
    if positive is not None:
        options["positive"] = _place(positive, names)
    defaults, head, end = _literal(options), "(rows) => {", "return seen.m.length ? body(seen) : NaN;"
    if words:
        defaults, head = f"{{ ...{defaults}, ...options }}", "(rows, options = {}) => {"
        end = "return told(seen, body);"
    start = f"const seen = {view}(rows, {defaults}, {_literal(measure.depends_on_size)});"
    needed = operations(f"{body} {start} {end}")
    lines = [head, *_indented(needed), f"  const body = {body};", f"  {start}", f"  {end}", "}"]
    return "\n".join(lines)


def library_text(measures: Iterable[Measure], open_operations: bool = False) -> str:
    """The text of an expression: an object of functions `(rows, options) => ({ value, why })` by name."""
    # What the measures have in common stands in it once. `drawn(batch, options)` of a function takes a
    # matrix of Float64Array, one number for each of many draws, and returns the value of each. With
    # `options.weights` a mean over classes is weighted. With `open_operations` the object has, beside the
    # measures, the operations themselves for whoever makes measures there.
    bodies = {}
    for measure in measures:
        unit = _literal(measure.depends_on_size)
        bodies[measure.name] = f"[{_view(measure)}, {unit}, {_body(measure, None, True, wide=True)}]"
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
    try:
        _body(measure, None, True)
    except InputError:
        return False
    return True


def _view(measure: Measure) -> str:
    return "asSides" if measure.kind == "two-class" else "asClasses"


def _place(positive: Label, names: list[Label] | None) -> int:
    # Without labels a page calls its classes c1, c2, ..., as a bare matrix is called here.
    if names is None:
        match = re.fullmatch(r"c([1-9]\d*)", str(positive))
        if match is None:
            raise InputError(
                "the positive class is not known without labels",
                found=repr(positive),
                do="say to_javascript(labels=[...], positive=...)",
            )
        return int(match.group(1)) - 1
    texts = [str(name) for name in names]
    if str(positive) not in texts:
        raise UnknownNameError("class", positive, texts)
    return texts.index(str(positive))


def _body(measure: Measure, names: list[Label] | None, words: bool, wide: bool = False) -> str:
    # `(seen, found) => number`: the value on what the measure sees, and into `found` why it has none.
    if not isinstance(measure, MatrixMeasure) or measure.opaque:
        raise InputError(
            f"{measure.name} cannot be written in JavaScript",
            found="a measure of scores" if measure.kind == "scores" else getattr(measure, "opaque", ""),
            allowed="measures of a confusion matrix whose body could be traced, and formulas",
        )
    inner = _branches(_with_products(measure.graph), _Writer(names, words, wide))
    return f"({'seen, found' if words else 'seen'}) => {{ {inner} }}"


def _with_products(graph: Node) -> Node:
    # Small whole powers as products, as the interpreter takes them.
    products: dict[Node, Node] = {}
    # As the interpreter does: Math.pow may differ in the last digit from a product.
    for node in topological((graph,)):
        if node.op == "power" and constant_value(node.operands[1]) in (1, 2, 3, 4):
            base = substituted(node.operands[0], products)
            products[node] = math.prod([base] * (int(constant_value(node.operands[1])) - 1), start=base)
    return substituted(graph, products)


def _branches(graph: Node, writer: _Writer) -> str:
    # A body for each way that questions about the number of classes can be answered.
    for node in topological((graph,)):
        if node.op == "branch" and is_about_size(node.operands[0]):
            writer.names = {}
            condition = writer.of(node.operands[0])
            # A body for each answer: operations.js has no branch that leaves the other side unevaluated.
            yes, no = (_branches(substituted(graph, {node: chosen}), writer) for chosen in node.operands[1:])
            return f"if ({condition}) {{ {yes} }} {no}"
    return writer.body(graph)


class _Writer:
    """Writes a graph as statements: what is used more than once gets a name."""

    # A wide one writes every operation as one of arrays, for a number may be one of each draw.

    def __init__(self, labels: list[Label] | None, words: bool, wide: bool) -> None:
        self.labels, self.words, self.wide = labels, words, wide
        self.names: dict[Node, str] = {}

    def body(self, graph: Node) -> str:
        self.names = {}
        order = topological((graph,))
        # What is used once stands where it is used; a name for it would only make the text longer.
        uses: dict[Node, int] = {graph: 1}
        for node in order:
            for operand in self._read(node):
                uses[operand] = uses.get(operand, 0) + 1
        statements: list[str] = []
        for node in order:
            if uses.get(node, 0) > 1 and node.op not in _SHORT:
                name = f"t{len(statements) + 1}"
                statements.append(f"const {name} = {self.of(node)};")
                self.names[node] = name
            if self.words:
                statements += self._notes(node)
        return " ".join([*statements, f"return {self.of(graph)};"])

    def _read(self, node: Node) -> tuple[Node, ...]:
        # The operands whose value is used: the matrix a reason speaks of is not.
        if node.op not in QUOTIENTS:
            return node.operands
        return (*node.operands[:2], node.operands[1]) if self.words else node.operands[:2]

    def _notes(self, node: Node) -> Iterator[str]:
        # Statements that say why a quotient, or a mean of no weight, has no value.
        if node.op in QUOTIENTS:
            names = self._names_of(node.operands[2])
            yield f"note(found, {self.of(node.operands[1])}, {_literal(node.static[0])}, {names});"
        elif node.op == "undefined":
            yield f"note(found, 0, {_literal(node.static[0])}, {self._names_of(node.operands[0])});"
        elif node.op == "at_priors":
            names = self._names_of(node.operands[0])
            sums = self.of(Node("actual", node.operands[:1]))
            yield f"note(found, {sums}, {_literal(RATES_UNKNOWN)}, {names});"
            priors = node.operands[1]
            if priors.op == "class_numbers" and priors.operands[0].dims[0] == "C":
                numbers = _literal(self._numbers(priors))
                yield f"noteAbsent(found, {numbers}, seen, {_literal(RATES_UNKNOWN)});"
        elif node.op in ("mean", "geometric_mean"):
            for weights in node.operands[1:]:
                if weights is not EQUAL_WEIGHTS:
                    code = self.of(weights)
                    whole = f"{code} ? total({code}) : 1" if weights.op == "weights" else f"total({code})"
                    yield f"note(found, {whole}, {_literal(NO_WEIGHT)}, namesOf(seen));"

    def _names_of(self, matrix: Node) -> str:
        # A function that tells the class that a place of a matrix speaks of.
        if matrix.op == "cells":
            return "namesOf(seen)"
        if matrix.op == "pooled":
            return "sideNames"
        outer = self._names_of(matrix.operands[0])
        if matrix.op == "at_priors":
            return outer
        if matrix.op == "against_rest":
            return f"restNames({outer})"
        return f"pairNames({outer}, {self.of(matrix.operands[0])})"

    def of(self, node: Node) -> str:
        # The expression of a node.
        return self.names.get(node) or self._written(node)

    def _written(self, node: Node) -> str:
        op, static = node.op, node.static
        if op in _OF_ENTRIES:
            operands = node.operands[:2] if op in QUOTIENTS else node.operands
            function = OPERATIONS[op].javascript
            if self.wide or any(o.ndim for o in operands):
                loop = "each" if len(operands) == 1 else "zip"
                return f"{loop}({function}, {', '.join(self._aligned(operands))})"
            parts = [self.of(o) for o in operands]
            if sign := _SIGNS.get(op):
                return f"({sign}{parts[0]})" if len(parts) == 1 else f"({parts[0]} {sign} {parts[1]})"
            return f"{function}({', '.join(parts)})"
        match op:
            case "number" | "array":
                return _literal(static[0])
            case "cells" | "undefined":
                return "seen.m" if op == "cells" else "NaN"
            case "weights":
                return "null" if node is EQUAL_WEIGHTS else "seen.weights"
            case "class_numbers":
                return self._class_numbers(node)
            case "table":
                return f"tableOf({_literal(self._table(node))}, seen.kept)"
            case "where" | "branch":
                return f"choose({', '.join(self._aligned(node.operands))})"
        parts = [self.of(o) for o in node.operands]
        match op:
            case "stack":
                return f"[{', '.join(parts)}]"
            case "mean" | "geometric_mean":
                name = "mean" if op == "mean" else "geometricMean"
                return f"{name}({', '.join([*parts, 'null'][:2])})"
            case "sum" if static[0] == (0, 1):
                return f"everySum({parts[0]})"
            case "sum" if static[0] == 0:
                return f"total({parts[0]})"
            case "sum" if static[0] == 1 and node.operands[0].ndim == 2:
                return f"rowSums({parts[0]})"
            case "without_each":
                return f"{'elsewhere' if static[0] else 'withoutEach'}({parts[0]})"
        text = OPERATIONS[op].javascript
        if not text:
            raise InputError("a measure cannot be written in JavaScript", found=f"the operation {op}")
        return text.format(*parts, *static) if "{" in text else f"{text}({', '.join(parts)})"

    def _aligned(self, operands: Sequence[Node]) -> list[str]:
        # Axes of length 1 in front, as NumPy supposes them; a single number needs none.
        rank = max(o.ndim for o in operands)
        lacking = [rank - o.ndim if o.ndim else 0 for o in operands]
        return [
            "newAxis(" * axes + self.of(o) + ", 0)" * axes for o, axes in zip(operands, lacking, strict=True)
        ]

    def _numbers(self, node: Node) -> list[float]:
        # Numbers by class in the order of the rows.
        what, spec = node.static
        if spec[0] == "in order":
            return [float(v) for v in spec[1]]
        if self.labels is None and spec[0] == "by label":
            raise InputError(
                f"a {what} by label needs the labels",
                found="none",
                do="say to_javascript(labels=[...]), in the order of the rows",
            )
        labels = self.labels or []
        return [float(v) for v in of_classes(labels, labels, what, spec)[0]]

    def _class_numbers(self, node: Node) -> str:
        numbers = self._numbers(node)
        if node.operands[0].op != "cells" and node.static[0] == "relevance" and len(numbers) == 2:
            # Of a class and of those that it is set against.
            return _literal(numbers)
        if node.operands[0].dims[0] == 2:
            if self.labels is not None and len(self.labels) != 2:
                raise InputError(
                    "priors by label of a measure of two classes need the labels of both",
                    found=f"{len(self.labels)} labels",
                    do=(
                        "say to_javascript(labels=[...]) in the order of the rows, or at_priors with the"
                        " prior of the positive class"
                    ),
                )
            return f"ofSides({_literal(numbers)}, seen.at)"
        function = "priorsOf" if node.static[0] == "prior" else "ofThose"
        return f"{function}({_literal(numbers)}, seen.kept, seen.everyone.length)"

    def _table(self, node: Node) -> list[list[float]]:
        labels, rows = node.static
        if self.labels is None:
            do = "say to_javascript(labels=[...])"
            raise InputError("costs by label need the labels", found="none", do=do)
        order = places_in(labels, self.labels)
        return [[rows[i][j] for j in order] for i in order]


def _literal(value: Any) -> str:
    # A number, a text or a list of them as JavaScript writes it, fit to stand inside a page.
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, (str, dict)):
        text = json.dumps(value, ensure_ascii=False)
        # JSON that no page takes for markup and no old reader for the end of a line: inside <script> the text
        # "</script>" would end the page's code, wherever it stands.
        for mark in "<>&\u2028\u2029":
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text
    number = value if isinstance(value, int) else float(value)
    # Of floats Python writes nan and inf, JavaScript NaN and Infinity.
    text = repr(number).replace("nan", "NaN").replace("inf", "Infinity")
    return f"({text})" if number < 0 else text


@functools.cache
def _defined() -> dict[str, str]:
    # The definitions of operations.js by name, in their order.
    text = files("steelyard.measures").joinpath("operations.js").read_text(encoding="utf-8")
    by_name = {}
    for paragraph in re.split(r"\n\s*\n", text):
        code = "\n".join(line for line in paragraph.strip().splitlines() if not line.startswith("//"))
        if name := re.match(r"const (\w+) =", code):
            by_name[name.group(1)] = code
    return by_name


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
