"""Relevance of classes: how much each matters to the user (branco2017 section 4.2)."""

# Four levels of knowledge, one result: a score in [0, 1] for each class.
# - `prevalence`: nothing is known, rare classes are taken to matter more (PREV);
# - `partial_order`: some pairs of classes can be compared (PO);
# - `total_order`: all classes can be put in order (TO);
# - `scores`: the user gives the scores (phi).
# `parse` reads the text form 'ham < spam < phishing, ham < malware'.

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts.checks import checked_labels
from steelyard.counts.confusion import Confusion, refuse_batch
from steelyard.counts.labels import Label, meant
from steelyard.counts.libraries import by_own_names
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.class_numbers import relevance_of
from steelyard.measures.graph import CELLS, Node

Score = Fraction | float
BY_PREVALENCE = "inverse prevalence (PREV)"


@dataclass(frozen=True)
class Relevance:
    """A relevance score for each class, and how it came about."""

    labels: tuple[Label, ...]
    values: tuple[Score, ...]
    mechanism: str

    def scores_of(self, labels: Sequence[Label]) -> list[Score]:
        """The scores of these classes, in their order."""
        return relevance_of(labels, dict(zip(self.labels, self.values, strict=True)))

    @cached_property
    def weights(self) -> Node:
        """A weight for each class of a matrix, which may lack some of these."""
        spec = "by label", tuple(zip(self.labels, self.values, strict=True)), False
        return Node("class_numbers", (CELLS,), ("relevance", spec))

    def to_dict(self) -> dict[str, float]:
        return {str(label): float(value) for label, value in zip(self.labels, self.values, strict=True)}

    def __repr__(self) -> str:
        listed = ", ".join(f"{label} {value:.3g}" for label, value in self.to_dict().items())
        return f"Relevance by {self.mechanism}: {listed}"


def prevalence(counts: Any) -> Relevance:
    """PREV: relevance in inverse proportion to how often a class occurs (Eq. 9)."""
    matrix = counts if isinstance(counts, Confusion) else Confusion(counts)
    refuse_batch(matrix, "prevalence is taken from one matrix")
    sizes = matrix.actual.tolist()
    absent = [label for label, size in zip(matrix.labels, sizes, strict=True) if size == 0]
    if absent:
        raise InputError(
            "relevance by prevalence needs examples of every class",
            found=f"none of {absent[0]!r}",
            do="give an order or scores instead",
        )
    # In fractions, so that equal classes have equal relevance and the scores add up to 1.
    inverse = [Fraction(1) / Fraction(size) for size in sizes]
    total = sum(inverse)
    return Relevance(matrix.labels, tuple(value / total for value in inverse), BY_PREVALENCE)


def partial_order(labels: Iterable[Label], pairs: Iterable[tuple[Label, Label]]) -> Relevance:
    """PO: relevance from pairs (less relevant, more relevant); a class in no pair is comparable with none.

    The rank of a class is the number of classes below it, plus 1, plus half the number of classes it cannot
    be compared with; relevance is the rank divided by the greatest rank (Eq. 10).
    """
    names = checked_labels(tuple(labels))
    ranks = partial_order_ranks(names, pairs)
    return Relevance(names, tuple(rank / max(ranks) for rank in ranks), "partial order (PO)")


def partial_order_ranks(labels: Sequence[Label], pairs: Iterable[tuple[Label, Label]]) -> list[Fraction]:
    """The average rank of each class by its local partial order model."""
    names = list(labels)
    # above[i, j]: class j matters more than class i.
    above = np.zeros((len(names), len(names)), dtype=bool)
    order: TopologicalSorter[int] = TopologicalSorter()
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise InputError(
                "an order is made of pairs", found=repr(pair), allowed="(less relevant, more relevant)"
            )
        less, more = (_place(names, label) for label in pair)
        above[less, more] = True
        order.add(more, less)
    try:
        order.prepare()
    except CycleError as error:
        cycle = " < ".join(str(names[i]) for i in error.args[1])
        what, allowed = "the order contradicts itself", "an order without cycles"
        raise InputError(what, found=cycle, allowed=allowed) from None
    # Transitive closure, Warshall.
    for middle in range(len(names)):
        above |= above[:, [middle]] & above[[middle], :]
    below = above.sum(axis=0)
    incomparable = len(names) - 1 - below - above.sum(axis=1)
    # b + 1 + u / 2.
    return [Fraction(rank, 2) for rank in (2 * (below + 1) + incomparable).tolist()]


def total_order(labels_from_least_to_most: Iterable[Label]) -> Relevance:
    """TO: relevance 1/C, 2/C, ..., 1 along an order of all classes, the least relevant first."""
    names = checked_labels(tuple(labels_from_least_to_most))
    return Relevance(names, tuple(Fraction(i + 1, len(names)) for i in range(len(names))), "total order (TO)")


def scores(phi: Mapping[Label, float]) -> Relevance:
    """phi: the user's own scores, each in [0, 1], not all 0."""
    phi = by_own_names(phi)
    if not isinstance(phi, Mapping) or not phi:
        raise InputError(
            "relevance scores are given by class",
            found=repr(phi),
            allowed="a mapping from label to a number from 0 to 1",
        )
    for label, value in phi.items():
        if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
            raise InputError(
                f"the relevance of class {label!r} is out of range",
                found=repr(value),
                allowed="a number from 0 to 1",
            )
    if not any(phi.values()):
        raise InputError(
            "no class has any relevance", found="scores that are all 0", allowed="at least one score above 0"
        )
    return Relevance(checked_labels(tuple(phi)), tuple(phi.values()), "scores (phi)")


def parse(text: str, labels: Iterable[Label]) -> Relevance:
    """Read 'ham < spam < phishing, ham < malware' (an order) or 'ham=0.1, spam=1' (scores).

    An order that compares every two classes is a total order, any other a partial one.
    """
    names = checked_labels(tuple(labels))
    clauses = [clause.strip() for clause in text.split(",") if clause.strip()]
    allowed = "an order such as 'ham < spam' or scores such as 'ham=0.1, spam=1'"
    if not clauses:
        raise InputError("the relevance is empty", found=repr(text), allowed=allowed)
    if all("=" in clause and "<" not in clause for clause in clauses):
        return _parse_scores(clauses, names)
    pairs: list[tuple[Label, Label]] = []
    for clause in clauses:
        chain = [label.strip() for label in clause.split("<")]
        if len(chain) < 2 or not all(chain):
            what = "this part of the relevance is not understood"
            raise InputError(what, found=repr(clause), allowed=allowed)
        placed = [names[_place(list(names), label)] for label in chain]
        pairs.extend(itertools.pairwise(placed))
    order = partial_order(names, pairs)
    # All ranks differ and the least is 1 / C: every two classes are compared.
    if len(set(order.values)) == len(names) and min(order.values) == Fraction(1, len(names)):
        return Relevance(order.labels, order.values, "total order (TO)")
    return order


def _parse_scores(clauses: Sequence[str], names: tuple[Label, ...]) -> Relevance:
    by_class: dict[Label, float] = {}
    for clause in clauses:
        label, _, number = clause.rpartition("=")
        name = names[_place(list(names), label.strip())]
        if name in by_class:
            what, clause = f"class {name!r} is given a relevance twice", ", ".join(clauses)
            raise InputError(what, found=clause, allowed="one score for each class")
        try:
            by_class[name] = float(number)
        except ValueError as error:
            what, allowed = "this relevance is not a number", "scores such as 'ham=0.1, spam=1'"
            raise InputError(what, found=repr(clause), allowed=allowed) from error
    return scores(dict(zip(names, relevance_of(names, by_class), strict=True)))


def _place(names: list[Label], label: Label) -> int:
    (match,) = meant([label], names)
    if match is None:
        raise UnknownNameError("class", label, map(str, names))
    return names.index(match)
