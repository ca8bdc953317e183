"""Expression graphs: a measure as frozen data over named quantities and a few operations."""

# A node is an operation on other nodes. Nodes are interned (hash consing): the same operation on the same
# operands is the same object, so measures that share a subexpression share its value. What a person
# writes is a builder, `c.ratio(c.tp, c.positives, NO_POSITIVES)`; it runs once, on nodes, when the
# measure is declared. Everything else is a fold over the graph: `evaluate` computes it in any number
# type, `javascript` and `text` write it down, the prover and the audit read it.

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from steelyard.measures.operations import OPERATIONS, SIZE, Dimensions, NotTraceableError

# A node as data: its operation, the places of its operands, its constants.
Row = tuple[str, Sequence[int], tuple[Any, ...]]


class Node(np.lib.mixins.NDArrayOperatorsMixin):
    """An operation, the nodes it is applied to, and constants that are part of it."""

    # Operators are NumPy's ufuncs, which arrive at `__array_ufunc__`: `a / b` is np.true_divide(a, b).

    __slots__ = ("__weakref__", "dims", "op", "operands", "static")
    op: str
    operands: tuple[Node, ...]
    static: tuple[Any, ...]
    # The axes it has beside the batch.
    dims: Dimensions

    def __new__(cls, op: str, operands: Iterable[Node] = (), static: Iterable[Any] = ()) -> Node:
        parts, constants = tuple(operands), _python(static)
        # By identity of operands, which are interned themselves. repr tells 1 from 1.0 and True, which are
        # equal and hash alike.
        key = (op, *map(id, parts), *((type(s), repr(s)) for s in constants))
        known = _INTERNED.get(key)
        if known is None:
            known = object.__new__(cls)
            known.op, known.operands, known.static = op, parts, constants
            known.dims = OPERATIONS[op].dims(known)
            _INTERNED[key] = known
        return known

    __hash__ = object.__hash__

    # -- data

    def to_list(self) -> list[list[Any]]:
        """The graph as plain data: [operation, operands by their place, constants], operands first."""
        return [[op, operands, list(map(plain, static))] for op, operands, static in self._rows()]

    @staticmethod
    def from_list(rows: Sequence[Sequence[Any]]) -> Node:
        """The graph that `to_list` wrote."""
        for op, _, _ in rows:
            if op not in OPERATIONS:
                raise ValueError(f"there is no operation {op!r} in a graph of this version")
        return _from_rows([(op, operands, tuple(map(restored, static))) for op, operands, static in rows])

    def _rows(self) -> list[Row]:
        order = topological((self,))
        place = {node: k for k, node in enumerate(order)}
        return [(n.op, [place[o] for o in n.operands], n.static) for n in order]

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_rows, (self._rows(),)

    def __repr__(self) -> str:
        return f"<graph {self.op}, {len(topological((self,)))} nodes>"

    # -- what a builder may write

    def __bool__(self) -> bool:
        return bool(NUMPY["branch"](self))

    def __getitem__(self, index: Any) -> Node:
        node: Node = NUMPY["index"](self, index)
        return node

    def __len__(self) -> int:
        if self.dims and isinstance(self.dims[0], int):
            return self.dims[0]
        raise NotTraceableError("len() of an axis whose length is not known")

    def __iter__(self) -> Iterator[Node]:
        return (self[k] for k in range(len(self)))

    @property
    def ndim(self) -> int:
        return len(self.dims)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        # as_node takes the node out again.
        boxed = np.empty((), dtype=object)
        boxed[()] = self
        return boxed

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return NUMPY["ufunc"](ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return NUMPY["function"](function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return NUMPY["attribute"](self, name)


# What NumPy's functions, axes and branches do with nodes: `tracing` says it, which is made of nodes.
NUMPY: dict[str, Callable[..., Any]] = {}


# Weak values: a graph that nobody holds any more is forgotten.
_INTERNED: weakref.WeakValueDictionary[tuple[Any, ...], Node] = weakref.WeakValueDictionary()


def _from_rows(rows: Sequence[Row]) -> Node:
    nodes: list[Node] = []
    for op, operands, static in rows:
        nodes.append(Node(op, [nodes[k] for k in operands], static))
    return nodes[-1]


def _python(constants: Iterable[Any]) -> tuple[Any, ...]:
    # Constants without NumPy's scalars, which would not be JSON and differ from Python's by repr.
    return tuple(
        _python(c) if isinstance(c, tuple) else c.item() if isinstance(c, np.generic) else c
        for c in constants
    )


def plain(value: Any) -> Any:
    """A constant as JSON can hold it."""
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, float) and not np.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return {"label": str(value)}


def restored(value: Any) -> Any:
    """The constant that `plain` wrote."""
    if isinstance(value, dict):
        kind, text = next(iter(value.items()))
        return Fraction(text) if kind == "fraction" else float(text) if kind == "float" else text
    return tuple(map(restored, value)) if isinstance(value, list) else value


@lru_cache(maxsize=4096)
def topological(roots: tuple[Node, ...]) -> tuple[Node, ...]:
    """Every node that the roots are made of, operands before what is made of them."""
    # With a stack of its own: a formula may be nested deeper than Python's.
    order: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while waiting:
        node, ready = waiting.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
            continue
        waiting.append((node, True))
        waiting.extend((operand, False) for operand in reversed(node.operands) if operand not in order)
    return tuple(order)


def substituted(root: Node, replacements: Mapping[Node, Node]) -> Node:
    """The graph with some nodes replaced: what is made of them is made anew."""
    # Operands come first, so each node is remade once however often it is used.
    replaced: dict[Node, Node] = dict(replacements)
    for node in topological((root,)):
        if node not in replaced:
            replaced[node] = remade(node, [replaced[o] for o in node.operands])
    return replaced[root]


def remade(node: Node, operands: Sequence[Node]) -> Node:
    """The same operation on other operands."""
    if all(a is b for a, b in zip(operands, node.operands, strict=True)):
        return node
    if node.op == SIZE:
        return as_node(number_of_classes(operands[0]))
    # A single prior of a two-class measure says that of the other class too.
    if node.op == "class_numbers" and operands[0].dims[0] == 2 and node.static[1][0] == "single":
        return with_the_rest(node.static[1][1])
    # One class against the rest has names for its cells.
    if node.op == "cell" and operands[0].op == "against_rest":
        return Node(_AGAINST_REST[node.static], operands[0].operands)
    if node.op == "all_hits" and operands[0].op == "against_rest":
        return as_node(Node("hits", operands[0].operands) + Node("rejected", operands[0].operands))
    if node.op == "take" and operands[0].op == "actual" and operands[0].operands[0].op == "against_rest":
        return Node(("actual", "other_actual")[node.static[0]], operands[0].operands[0].operands)
    return Node(node.op, operands, node.static)


_AGAINST_REST: Final = {(0, 0): "hits", (0, 1): "missed", (1, 0): "false_alarms", (1, 1): "rejected"}


def with_the_rest(prior: Any) -> Node:
    """The prior of a positive class, and what is left for the negative one."""
    first = constant(prior)
    return Node("stack", (first, 1 - first), ((2,),))


# -- leaves and constants


def constant(value: Any) -> Node:
    """A number of a definition, kept as it is written."""
    return Node("number", (), (value,))


def as_node(value: Any) -> Node:
    """A node as it is, a number or an array as a constant, an array of nodes as a stack of them."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (bool, int, float, Fraction, np.number, np.bool_)):
        return constant(value)
    # A Decimal is exact as it is written; a float stays a float, so that it is printed as it was given.
    if isinstance(value, Decimal):
        return constant(Fraction(value))
    if isinstance(value, (list, tuple)) and value:
        value = np.array(value, dtype=object)
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return as_node(value.item())
        if value.dtype != object:
            # Tuples of tuples, which are constants.
            return Node("array", (), (restored(value.tolist()), value.shape))
        return Node("stack", [as_node(entry) for entry in value.reshape(-1).tolist()], (value.shape,))
    raise NotTraceableError(f"a value of type {type(value).__name__}")


def number_of_classes(cells: Node) -> Any:
    """C: an int where it is known."""
    # Scaled rows are rows of the same classes.
    while cells.op == "at_priors":
        cells = cells.operands[0]
    length = cells.dims[0]
    return length if isinstance(length, int) else Node(SIZE, (cells,))


def operation(op: str, *values: Any) -> Node:
    operands = [as_node(value) for value in values]
    if op == "div" and operands[0].op == "sum" and operands[1].op == SIZE:
        (terms,) = operands[0].operands
        # The sum over classes divided by their number.
        if terms.dims == ("C",):
            return Node("mean", (terms,))
    return Node(op, operands)


maximum, minimum = partial(operation, "max"), partial(operation, "min")


def power(base: Any, exponent: Any) -> Node:
    """A power whose exponent is a number of the definition, or depends on the number of classes only."""
    base_node, exponent_node = as_node(base), as_node(exponent)
    if not is_about_size(exponent_node):
        raise NotTraceableError("an exponent that depends on the counts")
    of_classes = (
        base_node.op == "product" and base_node.static == (0,) and base_node.operands[0].dims == ("C",)
    )
    # The C-th root of a product over classes.
    if of_classes and exponent_node is 1 / Node(SIZE, (CELLS,)):
        return Node("geometric_mean", base_node.operands)
    return Node("power", (base_node, exponent_node))


def is_equal_weights(weights: Node) -> bool:
    """Are these the weights of a mean that nobody weighted?"""
    return weights is WEIGHTS or weights is EQUAL_WEIGHTS


def is_about_size(node: Node) -> bool:
    """Is it known from the number of classes alone?"""
    return node.op in (SIZE, "number") or (bool(node.operands) and all(map(is_about_size, node.operands)))


# -- the leaves of every measure

CELLS: Final = Node("cells", (), ("classes",))
TWO_CELLS: Final = Node("cells", (), ("two",))
# Equal for all classes, unless an operator puts others in their place.
WEIGHTS: Final = Node("weights")
# Equal for all classes, whatever an operator does.
EQUAL_WEIGHTS: Final = Node("weights", (), ("equal",))


def cells_of(two_classes: bool) -> Node:
    return TWO_CELLS if two_classes else CELLS
