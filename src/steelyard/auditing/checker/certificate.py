"""Check a certificate: a proof that no confusion matrix gives the printed values."""

# A certificate holds a question, a formula for each printed value and, for each reading of the question, a
# branch and bound tree: the space of all matrices is split, and split again, until every part is excluded.
# The checker trusts nothing in it: it reads the printed values, builds the space of all matrices and follows
# the tree in exact fractions. Whether a formula is that of the metric with this name is for the caller to
# compare; all else is decided here, with the standard library alone.
#
# A node is one of
# - ["split", v, at] or ["split", [[v, factor], ...], at]: an integer, or a sum of multiples of integers, is
#   at most `at`, or more; both halves follow;
# - ["out", k]: requirement k cannot hold in this part (interval arithmetic);
# - ["sum", [[row, factor], ...]]: a Farkas certificate: these multiples of rows of the linear relaxation
#   (`linear_relaxation`) add up to a contradiction.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from steelyard.auditing.checker import expressions
from steelyard.auditing.checker.expressions import Linear, Ranges, fraction, number, total, variable
from steelyard.auditing.checker.integer_space import counts_of, requirements_of, space_of
from steelyard.auditing.checker.linear_relaxation import Requirement, Rows, excludes, tightened
from steelyard.auditing.checker.question import CertificateError, Question

# A question from a file could ask for more integers than memory holds; no published study has as many folds.
MOST_FOLDS = 10_000
# What data that is no certificate can raise.
_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class Region:
    """A part of all matrices: a box, and inequalities that linear forms of its integers fulfil as well."""

    def __init__(self, box: Sequence[tuple[int, int]], extra: tuple[Linear, ...] = ()) -> None:
        self.box, self.extra = box, extra
        self.ranges = Ranges(box)

    def halves(self, what: int | Sequence[tuple[int, int]], at: int) -> tuple[Region, Region]:
        """Where it is at most `at`, and where it is more."""
        if isinstance(what, int):
            low_box, high_box = list(self.box), list(self.box)
            low_box[what], high_box[what] = (self.box[what][0], at), (at + 1, self.box[what][1])
            return Region(low_box, self.extra), Region(high_box, self.extra)
        # A split of a sum: folds of one kind can be exchanged, and a split of one integer of one fold would
        # only move the problem to its neighbour (symmetry; the sum is what all of them share).
        # Added one by one: an integer may be named twice.
        form = total((variable(v) for v, _ in what), (factor for _, factor in what))
        below, above = number(at).plus(form, -1), form.plus(number(at + 1), -1)
        low_half, high_half = (Region(self.box, (*self.extra, tightened(row))) for row in (below, above))
        return low_half, high_half


def check(certificate: Mapping[str, Any]) -> int:
    """The number of parts of a certificate that holds; CertificateError says why one does not."""
    try:
        question = Question.from_dict(certificate["question"])
        if (question.folds or 1) * question.repeats * len(question.labels) ** 2 > MOST_FOLDS:
            raise CertificateError("there are more folds and classes than this checker follows")
        trees, divisors = certificate["trees"], question.divisors()
        if not isinstance(trees, list) or len(trees) != len(divisors):
            raise CertificateError(f"{len(divisors)} readings of the question need as many trees")
        by_cells, written = certificate["counts"] == "cells", certificate["formulas"]
        if certificate["counts"] not in ("classes", "cells") or len(written) != len(question.printed):
            raise CertificateError(f"{len(question.printed)} printed values need as many formulas")
        terms, counts = expressions.Terms(), counts_of(len(question.labels), by_cells)
        formulas = [expressions.from_json(formula, counts, terms) for formula in written]
        weights = [fraction(weight) for weight in certificate.get("weights", ())]
        space = space_of(question, by_cells)
        return sum(
            regions_of(nodes, Region(space.box), requirements_of(question, space, formulas, divisor), weights)
            for nodes, divisor in zip(trees, divisors, strict=True)
        )
    except _FAULTS as error:
        raise CertificateError(f"the certificate is incomplete or malformed ({error!r:.200})") from error


def regions_of(
    nodes: Sequence[Sequence[Any]],
    everything: Region,
    requirements: Sequence[Requirement],
    weights: Sequence[Fraction] = (),
) -> int:
    """Follow the tree, each node before its two halves; the number of parts that are excluded."""
    open_regions, excluded = [everything], 0
    for node in nodes:
        if not open_regions:
            raise CertificateError("there are more nodes than parts")
        region = open_regions.pop()
        # Nodes stand in preorder, the lower half first, so that a stack follows the tree without recursion:
        # certificates have up to thousands of nodes.
        kind = node[0]
        if kind == "out":
            if not excludes(requirements[_whole(node[1])], region.ranges):
                raise CertificateError(f"requirement {node[1]} can hold in the box {region.box}")
            excluded += 1
        elif kind == "sum":
            factors = [(_whole(row), fraction(factor)) for row, factor in node[1]]
            # Only positive multiples keep the direction of an inequality; equations stand as two.
            if any(factor <= 0 for _, factor in factors):
                raise CertificateError("an inequality is multiplied by a number that is not positive")
            if Rows(region.ranges, requirements, region.extra, weights).total(factors) >= 0:
                raise CertificateError(
                    f"the inequalities do not contradict each other in the box {region.box}"
                )
            excluded += 1
        elif kind == "split":
            what, at, integers = node[1], _whole(node[2], None), len(region.box)
            if isinstance(what, list):
                what = [(_whole(v, below=integers), _whole(factor, None)) for v, factor in what]
            elif not region.box[_whole(what, below=integers)][0] <= at < region.box[what][1]:
                raise CertificateError(f"the box {region.box} cannot be split at {at}")
            open_regions += region.halves(what, at)[::-1]
        else:
            raise CertificateError(f"the node {kind!r} is not known")
    if open_regions:
        raise CertificateError(f"{len(open_regions)} parts are not excluded")
    return excluded


def _whole(value: Any, least: int | None = 0, below: int | None = None) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or (least is not None and value < least) or (below is not None and value >= below):
        raise CertificateError(f"a whole number is expected, found {value!r:.60}")
    return int(value)
