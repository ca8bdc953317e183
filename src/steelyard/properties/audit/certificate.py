"""What proves that no matrix gives the printed values? A tree of boxes that anybody can walk through again.

The tree is grown here and checked in `certificate_check`, which trusts nothing of it. Where a requirement
leaves less of a box, the rest is cut off and left out; where none does, the box is halved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.measures.undefined import Policy, Undefined
from steelyard.properties.audit import certificate_check as check
from steelyard.properties.audit import expressions as e
from steelyard.properties.audit.certificate_check import CertificateError, Linear, Requirement, Tree
from steelyard.properties.audit.demands import Demand
from steelyard.properties.audit.names import named
from steelyard.properties.audit.search import Budget
from steelyard.properties.audit.spaces import Cells, NeedsCellsError, Sizes, Space, Totals, trace

MOST_NODES = 30_000
NOTHING: Tree = ["linear", Linear(Fraction(0), ())]
TRIED = 40
"""Random matrices on which an expression must have the value of its measure."""


def certified(
    demands: Sequence[Demand], sizes: Sizes, undefined: Undefined, budget: Budget
) -> dict[str, Any] | None:
    """A certificate that no matrix of these sizes meets the demands; None where none was found."""
    if not sizes.complete or any(demand.transposed for demand in demands):
        return None
    known = [size for size in sizes.known if size is not None]
    space: Space = Cells(sizes) if len(known) == 2 else Totals(sizes)
    try:
        trees = [_tree(trace(space, d.measure, d.place, Policy.of(undefined))) for d in demands]
    except (e.NotTraceableError, NeedsCellsError):
        return None
    box, always = check.space_of(known)
    given = [
        Requirement(tree, d.interval.low, d.interval.high, d.interval.low_open, d.interval.high_open)
        for tree, d in zip(trees, demands, strict=True)
    ]
    nodes = _grown(box, [*always, *given], budget)
    if nodes is None:
        return None
    labels = [str(label) for label in sizes.labels]
    return {
        "labels": labels,
        "sizes": known,
        "undefined": undefined,
        "requirements": [
            {
                "text": demand.text,
                "measure": demand.measure.name,
                "class": None if demand.place is None else labels[demand.place],
                "low": str(demand.interval.low),
                "high": str(demand.interval.high),
                "low_open": demand.interval.low_open,
                "high_open": demand.interval.high_open,
                "expression": tree,
            }
            for demand, tree in zip(demands, trees, strict=True)
        ],
        "nodes": nodes,
    }


def checked(certificate: Mapping[str, Any]) -> int:
    """The number of boxes of a certificate that holds; else CertificateError says why it does not.

    Expressions are compared with their measures, computed in exact fractions, on random matrices of these
    sizes; the tree is walked through by `certificate_check`.
    """
    try:
        sizes, labels = [int(size) for size in certificate["sizes"]], list(certificate["labels"])
        listed = [
            Requirement(
                r["expression"],
                Fraction(r["low"]),
                Fraction(r["high"]),
                bool(r["low_open"]),
                bool(r["high_open"]),
            )
            for r in certificate["requirements"]
        ]
        nodes, undefined = certificate["nodes"], certificate["undefined"]
    except (KeyError, TypeError, ValueError) as error:
        raise CertificateError(f"it is not whole: {error!r}") from error
    random = np.random.default_rng(0)
    for requirement, described in zip(listed, certificate["requirements"], strict=True):
        _same_as_measure(requirement.tree, described, sizes, labels, undefined, random)
    box, always = check.space_of(sizes)
    return check.boxes_of(nodes, box, [*always, *listed])


def _same_as_measure(
    tree: Tree,
    described: Mapping[str, Any],
    sizes: Sequence[int],
    labels: Sequence[Label],
    undefined: Undefined,
    random: np.random.Generator,
) -> None:
    from steelyard.counts.confusion import Confusion

    try:
        measure, _ = named(described["measure"])
    except InputError as error:
        raise CertificateError(str(error)) from error
    if measure.kind == "two-class" and described["class"] not in labels:
        raise CertificateError(f"{described['measure']} is of one class, which is not named")
    for number in range(TRIED):
        rows = []
        for place, size in enumerate(sizes):
            shares = random.dirichlet(np.ones(len(sizes)) * (0.2 if number % 2 else 1.0))
            shares[place] += random.random() * 2
            rows.append([int(v) for v in random.multinomial(size, shares / shares.sum())])
        value = measure.exact(Confusion(rows, labels), undefined=undefined, positive=described["class"])
        mine = check.value_at(tree, check.point_of(rows))
        if (mine is None) != (not isinstance(value, Fraction)) or (
            mine is not None and isinstance(value, Fraction) and abs(mine - value) > Fraction(1, 10**18)
        ):
            raise CertificateError(f"the expression of {described['measure']} is not the measure on {rows}")


def _grown(
    box: list[tuple[int, int]], requirements: Sequence[Requirement], budget: Budget
) -> list[list[Any]] | None:
    """The nodes of a tree, each before its halves; None if it gets too large."""
    requirements = [r._replace(tree=check.read(r.tree)) for r in requirements]
    waiting = [box]
    nodes: list[list[Any]] = []
    while waiting:
        if len(nodes) > MOST_NODES or budget.spent(0):
            return None
        here = waiting.pop()
        out = next((k for k, r in enumerate(requirements) if check.excludes(r, here)), None)
        if out is not None:
            nodes.append(["out", out])
            continue
        variable, at = _cut(here, requirements) or _halved(here)
        if variable < 0:
            return None
        nodes.append(["split", variable, at])
        for ends in ((at + 1, here[variable][1]), (here[variable][0], at)):
            half = list(here)
            half[variable] = ends
            waiting.append(half)
    return nodes


def _halved(box: Sequence[tuple[int, int]]) -> tuple[int, int]:
    widths = [high - low for low, high in box]
    widest = max(range(len(box)), key=widths.__getitem__)
    return (widest, sum(box[widest]) // 2) if widths[widest] else (-1, 0)


def _cut(box: Sequence[tuple[int, int]], requirements: Sequence[Requirement]) -> tuple[int, int] | None:
    """The largest part of a box that one requirement leaves out: the variable, and where it is parted."""
    best, chosen = Fraction(1, 8), None
    for requirement in requirements:
        for form in _inequalities(requirement, box):
            most = form.range(box)[1]
            for v, factor in form.terms:
                low, high = box[v]
                if low == high:
                    continue
                # factor * x >= -(most without it)
                need = -(most - factor * (high if factor > 0 else low)) / factor
                cut = math.ceil(need) - low if factor > 0 else high - math.floor(need)
                share = Fraction(cut, high - low + 1)
                if best < share < 1:
                    best, chosen = share, (v, low + cut - 1 if factor > 0 else high - cut)
    return chosen


def _inequalities(requirement: Requirement, box: Sequence[tuple[int, int]]) -> list[Linear]:
    """Linear forms that are not negative wherever in the box the requirement holds."""
    return _of(requirement.tree, requirement.low, requirement.high, box)


def _of(
    tree: Tree, low: Fraction | None, high: Fraction | None, box: Sequence[tuple[int, int]]
) -> list[Linear]:
    kind = tree[0]
    if kind == "linear":
        form, nothing = check.linear(tree), Linear(Fraction(1), ())
        found = [] if low is None else [form.plus(nothing, -low)]
        return found if high is None else [*found, Linear(high, ()).plus(form, Fraction(-1))]
    if kind == "ratio" and tree[1][0] == tree[2][0] == "linear":
        top, bottom = check.linear(tree[1]), check.linear(tree[2])
        least = bottom.range(box)[0]
        if least < 0 or (least == 0 and tree[3] is not None):
            return []
        found = [] if low is None else [top.plus(bottom, -low)]
        if high is not None:
            found.append(Linear(Fraction(0), ()).plus(top, Fraction(-1)).plus(bottom, high))
        return found
    if kind == "sum":
        return _of_sum(tree, low, high, box)
    if kind == "power" and Fraction(tree[2]).numerator == 1:
        degree = Fraction(tree[2]).denominator
        if high is not None and high < 0:
            return []
        return _of(
            tree[1],
            None if low is None or low <= 0 else low**degree,
            None if high is None else high**degree,
            box,
        )
    return []


def _of_sum(
    tree: Tree, low: Fraction | None, high: Fraction | None, box: Sequence[tuple[int, int]]
) -> list[Linear]:
    """What the other parts leave for one of them."""
    parts = [(Fraction(1), tree[1]), *((Fraction(f), part) for f, part in tree[2])]
    ranges = [check.enclose(["sum", NOTHING, [[f, part]]], box) for f, part in parts]
    found = []
    for number, (factor, part) in enumerate(parts):
        others = [r for k, r in enumerate(ranges) if k != number]
        most = (
            None
            if any(r.high is None for r in others)
            else sum((r.high or Fraction(0) for r in others), Fraction(0))
        )
        least = (
            None
            if any(r.low is None for r in others)
            else sum((r.low or Fraction(0) for r in others), Fraction(0))
        )
        from_below = None if low is None or most is None else (low - most) / factor
        from_above = None if high is None or least is None else (high - least) / factor
        found += (
            _of(part, from_below, from_above, box) if factor > 0 else _of(part, from_above, from_below, box)
        )
    return found


def _tree(expression: e.Expression) -> Tree:
    """An expression as plain data."""
    match expression:
        case e.Linear():
            terms = [[v.place, str(c)] for v, c in expression.terms.items()]
            return ["linear", str(expression.constant), terms]
        case e.Ratio():
            fill = None if expression.fill is None else str(expression.fill)
            return ["ratio", _tree(expression.top), _tree(expression.bottom), fill]
        case e.Sum():
            return ["sum", _tree(expression.linear), [[str(c), _tree(part)] for c, part in expression.parts]]
        case e.Product():
            return ["product", _tree(expression.one), _tree(expression.other)]
        case e.Power():
            return ["power", _tree(expression.base), str(expression.exponent)]
        case e.Greatest():
            return ["greatest", _tree(expression.one), _tree(expression.other)]
        case e.Absolute():
            return ["absolute", _tree(expression.inner)]
    raise e.NotTraceableError(f"{type(expression).__name__} has no plain form")
