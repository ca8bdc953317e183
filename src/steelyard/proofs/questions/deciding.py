"""Deciding a question: the refuter first, then an argument for every C, then algebra for each C."""

# Whatever argument there is, the refuter has the first word: a proof next to a counterexample would be a
# fault of ours.
# The argument for every C rests on class terms: a measure that is a mean of one term per class inherits what
# is proved of one term. The graph is matched: a mean over classes of something made of one class alone (its
# hits, misses, false alarms and the rest) by operations that treat every class by itself. A graph that looks
# at anything else (single cells, sums over classes, the number of classes) is no such mean, and nothing is
# claimed.

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from steelyard.measures.evaluate import value_given
from steelyard.measures.graph import CELLS as MATRIX
from steelyard.measures.graph import Node, is_equal_weights, topological
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Numbers
from steelyard.measures.operations import ELEMENTWISE
from steelyard.proofs.prover import certificates, symbols
from steelyard.proofs.prover.expression_trees import TreeField, Trees
from steelyard.proofs.prover.prove import Attempt
from steelyard.proofs.prover.refuter import Search
from steelyard.proofs.prover.regions import Point, matrix_names
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.verdict import EVERY, AtC, Counterexample, Grade, Verdict, joined, named_classes

CELLS = ("d", "fn", "fp", "tn")
# The quantities of one class against the rest.
_ONE_CLASS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "hits": lambda d, fn, fp, tn: d,
    "missed": lambda d, fn, fp, tn: fn,
    "false_alarms": lambda d, fn, fp, tn: fp,
    "rejected": lambda d, fn, fp, tn: tn,
    "actual": lambda d, fn, fp, tn: d + fn,
    "predicted": lambda d, fn, fp, tn: d + fp,
    "other_actual": lambda d, fn, fp, tn: fp + tn,
    "other_predicted": lambda d, fn, fp, tn: fn + tn,
    "total": lambda d, fn, fp, tn: d + fn + fp + tn,
}
# Operations that treat every class by itself.
_OF_EACH = {*ELEMENTWISE, "number", "power", "ratio", "needed_ratio", "half_turns"} - {"mod"}


@dataclass(frozen=True)
class ClassTerm:
    """The term a measure is the mean of."""

    measure: Measure
    kind: Literal["arithmetic", "geometric"]
    term: Node

    def on(self, point: Point, *empty: str) -> Any:
        """The term of a class whose cells are the counts of a point, these of them empty."""
        return self.at(point.without(empty).counts(CELLS), point.numbers)

    def at(self, cells: Iterable[Any], numbers: Numbers) -> Any:
        """The term on [[d, fn], [fp, tn]]."""
        quantities: dict[Node, Any] = {}
        for node in topological((self.term,)):
            # The total of one class against the rest is that of all classes.
            if node.op in _ONE_CLASS and (node.operands[0] is MATRIX or node.op == "total"):
                # An array of one entry: trees and symbols meet in arrays, which know how to combine them.
                quantities[node] = np.empty(1, dtype=object)
                quantities[node][0] = _ONE_CLASS[node.op](*cells)
        return only_value(self.term, quantities, numbers)


def only_value(root: Node, known: Mapping[Node, Any], numbers: Numbers) -> Any:
    """The one value of a graph of which these nodes are known."""
    return np.ravel(np.asarray(value_given(root, dict(known), numbers), dtype=object))[0]


def class_term(measure: Measure) -> ClassTerm | None:
    """The term this measure is the mean of, or None if it is not such a mean."""
    if not isinstance(measure, MatrixMeasure) or measure.kind != "multi-class" or not symbols.available():
        return None
    root = measure.graph
    weighted = len(root.operands) > 1 and not is_equal_weights(root.operands[1])
    if root.op not in ("mean", "geometric_mean") or weighted or root.operands[0].dims != ("C",):
        return None
    if not all(map(_of_one_class, topological(root.operands[:1]))):
        return None
    return ClassTerm(measure, "arithmetic" if root.op == "mean" else "geometric", root.operands[0])


def _of_one_class(node: Node) -> bool:
    if node.op in ("cells", "against_rest"):
        return True
    if node.op in _ONE_CLASS:
        matrix = node.operands[0]
        against_rest = matrix.op == "against_rest" and matrix.operands[0] is MATRIX
        return matrix is MATRIX or (against_rest and node.op == "total")
    return node.op in _OF_EACH and node.dims in ((), ("C",))


# Matrices on which a measure must be the mean of its terms.
INSTANCES = (
    ((3, 1), (2, 5)),
    ((3, 1, 2), (1, 4, 1), (2, 2, 5)),
    ((6, 1, 2, 1), (1, 4, 1, 3), (2, 2, 5, 1), (1, 1, 1, 7)),
)


def note(term: ClassTerm) -> None:
    """File that the measure is the mean of this term, for the checker to work out on some matrices."""
    if not certificates.wanted():
        return
    owner = TreeField(CELLS)
    written = term.on(Point(owner, Trees(owner)))
    values = [Subject(term.measure).value(rows) for rows in INSTANCES]
    certificates.note_mean(written, term.kind, list(zip(INSTANCES, values, strict=True)))


# The numbers of classes that are looked at one by one.
SIZES = (2, 3, 4)
WORDS = {"d": "hits", "fn": "missed", "fp": "false alarms", "tn": "rejected"}


@dataclass(frozen=True)
class Argument:
    """Why something holds for every number of classes, and where it speaks."""

    words: str
    # What must not be 0.
    where: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: str, term: ClassTerm, *attempts: Attempt) -> Argument:
        """An argument from one class to all, filed for the checker: the measure is the mean of the term."""
        note(term)
        return cls(words, conditions_of_a_class(attempts))


def conditions_of_a_class(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """The denominators of one class's term as a reader writes them."""
    texts = dict.fromkeys(text for attempt in attempts for text in attempt.where)
    words = {re.sub(r"\b(d|fn|fp|tn)2?\b", lambda m: WORDS[m.group(1)], text): None for text in texts}
    return tuple(f"{text} of each class" for text in words)


def sizes_for(subject: Subject, sizes: Sequence[int]) -> tuple[int, ...]:
    """Two classes for a two-class measure, else the sizes asked for, as far as the subject allows them."""
    if subject.two_class_only:
        return (2,)
    return tuple(c for c in sizes if subject.sizes is None or c in subject.sizes) or tuple(sizes)[:1]


def bound_effort(n_classes: int) -> int:
    """Steps of z3 for an inequality on matrices: more decide no question about the catalogue."""
    return 500_000 if n_classes < 4 else 125_000


def not_asked(subject: Subject, question: str, why: str, sizes: Iterable[int]) -> Verdict:
    """The verdict on a question that does not arise."""
    return Verdict(subject.name, question, "not applicable", why, named_classes(sizes))


def decided(
    subject: Subject,
    question: str,
    searches: Mapping[int, Search],
    prove: Callable[[int], Attempt | None] = lambda c: None,
    argument: Callable[[], Argument | None] = lambda: None,
    notes: Sequence[str] = (),
    *,
    symbolic: bool | None = None,
) -> Verdict:
    """The verdict after a search at each number of classes; `symbolic`: there is something to prove it of."""
    provable = subject.symbolic if symbolic is None else symbolic
    example = first_found(searches.values())
    if provable and example is None and (for_all := argument()) is not None:
        return for_every_c(subject, question, for_all, {c: s.cases for c, s in searches.items()})
    parts = [
        at_one_size(c, search, prove(c) if provable and search.counterexample is None else None)
        for c, search in searches.items()
    ]
    return joined(subject.name, question, parts, example, notes)


def for_every_c(subject: Subject, question: str, argument: Argument, cases: Mapping[int, int]) -> Verdict:
    """The verdict of an argument that speaks of every number of classes, and of those that were tried."""
    words, where, notes = argument.words, argument.where, argument.notes
    at = tuple(AtC(c, "proved", words, n, where) for c, n in cases.items())
    return Verdict(subject.name, question, "proved", words, EVERY, None, at, notes, where)


def at_one_size(n_classes: int, search: Search, attempt: Attempt | None) -> AtC:
    """The grade for one number of classes."""
    if search.counterexample is not None:
        exactly = "in exact fractions" if search.counterexample.exact else "in floating point"
        return AtC(n_classes, "refuted", search.words or f"a counterexample {exactly}", search.cases)
    if attempt is not None and attempt.proved:
        # As a reader writes them: tp, fn, fp, tn of two classes, m_12 the second cell of the first row.
        names = {name: f"m_{int(name[1]) + 1}{int(name[3]) + 1}" for name in matrix_names(n_classes)}
        if n_classes == 2:
            names = dict(zip(names, ("tp", "fn", "fp", "tn"), strict=True))
        where = [re.sub(r"m\d+_\d+", lambda match: names[match.group()], text) for text in attempt.where]
        return AtC(n_classes, "proved", attempt.method, search.cases, tuple(where))
    grade: Grade = "timed out" if attempt is not None and attempt.timed_out else "not refuted"
    why = "" if attempt is None or "same expression" in attempt.method else f", but {attempt.method}"
    outcome = search.words or "no counterexample among small and random matrices"
    return AtC(n_classes, grade, outcome + why, search.cases)


def first_found(searches: Iterable[Search]) -> Counterexample | None:
    """The counterexample of fewest classes, then of fewest examples."""
    examples = [search.counterexample for search in searches if search.counterexample is not None]
    return min(examples, key=lambda f: (f.n_classes, f.total)) if examples else None
