"""Arguments that hold for every number of classes."""

# Four of them. A measure taken at fixed priors cannot depend on class prevalence, whatever it is made
# of. A mean of class terms inherits what is true of one term, proved once for the class against the rest.
# What a transformation only reorders, a mean over classes does not see. And formulas of sums over classes are
# rational functions of few quantities, the number of classes among them.

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from steelyard.measures.evaluate import constant_value
from steelyard.measures.graph import CELLS as MATRIX
from steelyard.measures.graph import TWO_CELLS, Node, is_equal_weights, topological
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Fractions
from steelyard.measures.operations import SIZE
from steelyard.measures.undefined import Policy
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import Summed
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_equal, prove_not_less, prove_positive
from steelyard.proofs.prover.regions import Compute, Point, Symbols
from steelyard.proofs.prover.symbols import Field, Symbol, TooHardError
from steelyard.proofs.questions import deciding
from steelyard.proofs.questions.deciding import CELLS, Argument, ClassTerm, class_term, note, only_value


def bounds(measure: Measure, low: Fraction, high: Fraction) -> Argument | None:
    """An argument that the values lie in [low, high] and reach both ends, for every C."""
    inner = made_at_fixed_priors(measure)
    if inner is not None:
        inside = bounds(inner, low, high)
        if inside is None:
            return None
        words = f"its values are values of {inner.name} on matrices with equal class sizes; {inside.words}"
        return Argument(words, inside.where)
    if (rates := bounds_of_rates(measure, low, high)) is not None:
        words, attempt = rates
        return Argument(words, deciding.conditions_of_a_class([attempt]))
    term = class_term(measure)
    if term is None or (term.kind == "geometric" and low < 0):
        return None
    above = prove_not_less(CELLS, lambda at: (term.on(at), low))
    below = prove_not_less(CELLS, lambda at: (high, term.on(at)))
    if not (above.proved and below.proved):
        return None
    # Every class right, and every class wrong with as many false alarms as misses (all predictions turned by
    # one class).
    reached: list[Fraction] = []
    for right in (True, False):
        owner, none = Field(("d", "a", "tn")), Fraction(0)
        d, a, tn = (owner.variable(v) for v in owner.names)
        try:
            value = term.at((d, none, none, tn) if right else (none, a, a, tn), Symbols(owner))
        except (TooHardError, ZeroDivisionError):
            return None
        if not isinstance(value, float):
            gaps = {end: value - end for end in {low, high}}
            reached += [
                e for e, gap in gaps.items() if (gap.is_zero if isinstance(gap, Symbol) else gap == 0)
            ]
    if sorted(reached) != sorted((low, high)):
        return None
    words = (
        f"every class term{'' if term.kind == 'arithmetic' else ', and so their geometric mean,'} lies in"
        f" [{low}, {high}] ({methods_of([above.method, below.method])}); both ends are reached when every"
        " class is right and when every class is wrong"
    )
    return Argument.of(words, term, above, below)


def not_less(larger: Measure, smaller: Measure) -> Argument | None:
    """An argument that larger >= smaller on every matrix of every size."""
    above, below = class_term(larger), class_term(smaller)
    if above is None or below is None or above.kind != below.kind:
        return None
    return _for_both(above, below, prove_not_less(CELLS, lambda at: (above.on(at), below.on(at))))


def affine(measure: Measure, other: Measure, slope: Fraction, offset: Fraction) -> Argument | None:
    """An argument that measure = slope * other + offset on every matrix of every size."""
    first, second = class_term(measure), class_term(other)
    if first is None or second is None or first.kind != "arithmetic" or second.kind != "arithmetic":
        return None
    line = prove_equal(CELLS, lambda at: (first.on(at), slope * second.on(at) + offset))
    return _for_both(first, second, line)


def _for_both(first: ClassTerm, second: ClassTerm, attempt: Attempt) -> Argument | None:
    if not attempt.proved:
        return None
    note(second)
    return Argument.of(f"it holds for the term of every class: {attempt.method}", first, attempt)


def one_class_failing(measure: Measure, low: Fraction) -> Argument | None:
    """An argument that one class misclassified throughout cannot pull the value down to `low`."""
    term = class_term(measure)
    if term is None or term.kind != "arithmetic":
        return None
    above = prove_not_less(CELLS, lambda at: (term.on(at), low))
    if not above.proved:
        return None
    for empty in ((), ("fp",), ("tn",), ("fp", "tn")):
        owner = Field(CELLS)
        try:
            value = term.on(Point(owner, Symbols(owner)), "fn", *empty) - low
        except (TooHardError, ZeroDivisionError, TypeError):
            return None
        # A comparison, or a question whether something is 0, would make cases of their own.
        cut = isinstance(value, float) or owner.decisions.chosen or owner.tested_for_zero
        if cut or not prove_positive(value).proved:
            return None
    correct = "the term of a class that is always classified correctly is above it"
    return Argument.of(f"no class term is below {low}, and {correct}", term, above)


def never_negative_if_geometric(term: ClassTerm) -> bool:
    """A geometric mean says something of its terms only where none of them is negative."""
    return term.kind == "arithmetic" or prove_not_less(CELLS, lambda at: (term.on(at), Fraction(0))).proved


def made_at_fixed_priors(measure: Measure) -> Measure | None:
    """The measure that this one evaluates at fixed priors, if its graph says so."""
    if measure.at_fixed_priors_of is None or not isinstance(measure, MatrixMeasure):
        return None

    def own_matrix(nodes: Iterable[Node]) -> bool:
        return any(node is MATRIX or node is TWO_CELLS for node in nodes)

    # Everything that reads the counts must read them with rows scaled to priors that are constants; a reason
    # may speak of the matrix itself.
    readers = [node for node in topological((measure.graph,)) if own_matrix(node.operands)]
    only = all(
        node.op in ("at_priors", "size", "class_numbers")
        or (node.op in ("ratio", "needed_ratio", "half_turns") and not own_matrix(node.operands[:2]))
        for node in readers
    )
    return measure.at_fixed_priors_of if readers and only else None


BECAUSE = "sums over all classes, which are related for every number of classes"


class _NotOfSumsError(Exception):
    """The graph holds something else than sums of class quantities."""


def equal_sums(first: Measure, second: Measure) -> Argument | None:
    """An argument that two measures made of sums over classes are the same for every number of classes."""
    if not (isinstance(first, MatrixMeasure) and isinstance(second, MatrixMeasure)):
        return None
    graphs = first.graph, second.graph

    # The rows and the columns of a matrix have the same total, and what is missed by one class is a false
    # alarm of another. With S the hits and E the errors of all classes together, sum(actual) = sum(predicted)
    # = S + E, sum(missed) = sum(false_alarms) = E and sum(rejected) = (C - 2) (S + E) + S: such a formula is
    # a rational function of S, E and C, and an identity of those is an identity for every C.
    def compute(at: Point) -> tuple[Any, Any]:
        # K = C - 2 classes beyond two; it may be 0, and a difference of polynomials that vanishes does so
        # there too.
        s, e, k = at.counts(("S", "E", "K"))
        sums = {
            "hits": s, "actual": s + e, "predicted": s + e, "missed": e, "false_alarms": e,
            "rejected": k * (s + e) + s, "other_actual": (k + 1) * (s + e),
            "other_predicted": (k + 1) * (s + e),
        }  # fmt: skip
        known = {"total": s + e, "all_hits": s, SIZE: k + 2}
        first, second = (_value(graph, known, sums) for graph in graphs)
        return first, second

    try:
        attempt = prove_equal(("S", "E", "K"), compute)
    except _NotOfSumsError:
        return None
    return Argument(f"{BECAUSE}: {attempt.method}", attempt.where) if attempt.proved else None


def _value(node: Node, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    if node.op == "number":
        return node.static[0]
    if node.op in known and node.operands[0] is MATRIX:
        return known[node.op]
    if node.op == "neg":
        return -_value(node.operands[0], known, sums)
    if node.op in ("add", "sub", "mul", "div", "ratio", "needed_ratio"):
        a, b = (_value(o, known, sums) for o in node.operands[:2])
        if node.op in ("add", "sub"):
            return a + b if node.op == "add" else a - b
        return a * b if node.op == "mul" else a / b
    if node.op == "power":
        exponent = constant_value(node.operands[1])
        if exponent is not None and exponent == int(exponent):
            return _value(node.operands[0], known, sums) ** int(exponent)
    if node.op == "sum" and node.static == (0,):
        return _sum(node.operands[0], known, sums)
    if node.op == "mean" and (len(node.operands) == 1 or is_equal_weights(node.operands[1])):
        return _sum(node.operands[0], known, sums) / known[SIZE]
    raise _NotOfSumsError


def _sum(node: Node, known: dict[str, Any], sums: dict[str, Any]) -> Any:
    """The sum over classes of something linear in the class quantities."""
    if node.op in sums and node.operands[0] is MATRIX:
        return sums[node.op]
    if node.op == "neg":
        return -_sum(node.operands[0], known, sums)
    if node.op in ("add", "sub"):
        a, b = (_sum(o, known, sums) for o in node.operands)
        return a + b if node.op == "add" else a - b
    if node.op == "mul" and not node.operands[0].dims:
        return _value(node.operands[0], known, sums) * _sum(node.operands[1], known, sums)
    if node.op in ("div", "ratio", "needed_ratio") and not node.operands[1].dims:
        return _sum(node.operands[0], known, sums) / _value(node.operands[1], known, sums)
    raise _NotOfSumsError


def scaled_mean(measure: Measure) -> tuple[ClassTerm, Node, Node] | None:
    """The class term of (mean - worst) / (best - worst), with the ends as graphs of the number of classes."""
    if not isinstance(measure, MatrixMeasure) or measure.graph.op != "ratio":
        return None
    top, scale = measure.graph.operands[:2]
    if top.op != "sub" or scale.op != "sub" or top.operands[1] is not scale.operands[1]:
        return None
    term = class_term(replace(measure, graph=top.operands[0]))
    best, worst = scale.operands
    of_size = all(
        n.op in ("number", "cells") or not n.dims for end in (best, worst) for n in topological((end,))
    )
    return None if term is None or term.kind != "arithmetic" or not of_size else (term, worst, best)


def bounds_of_rates(measure: Measure, low: Fraction, high: Fraction) -> tuple[str, Attempt] | None:
    """Why a scaled mean lies in [low, high] and comes as near to both as one likes, for every C."""
    # A class term p + q d/t - r f/(n - t), with t the examples, d the hits and f the false alarms of a class,
    # has a mean between p - 2r/C and p + q for every number of classes C (mullick2020 Lemma 3 is p = q = r =
    # 1/2).
    # Recalls add up to 0 at least and C at most. False alarm rates add up to 2 at most: an example of another
    # class than the largest, L, adds 1/(n - t_i) <= 1/(n - t_L) where it is predicted as i, and there are
    # n - t_L of them; one of L adds 1/(n - t_i) with i != L, and n - t_i >= t_L, of which there are t_L. Two
    # classes of N examples that are taken for each other, the others of one example each and wrong, add
    # (2N + C - 2)/(N + C - 2), which goes to 2 as N grows.
    scaled = scaled_mean(measure)
    if scaled is None:
        return None
    term, worst, best = scaled
    # Read off three classes: neither a hit nor a false alarm, a hit, a false alarm; whether they fit all is
    # proved below.
    cases = ((0, 1, 0, 1), (1, 0, 0, 1), (0, 1, 1, 0))
    p, hit, alarm = (Fraction(term.at([*map(Fraction, cells)], Fractions(Policy()))) for cells in cases)
    q, r = hit - p, p - alarm

    def as_rates(at: Point) -> tuple[Any, Any]:
        d, fn, fp, tn = at.counts(CELLS)
        return term.on(at), p + q * (d / (d + fn)) - r * (fp / (fp + tn))

    def end(bound: Fraction, of_classes: Any) -> Compute:
        def compute(at: Point) -> tuple[Any, Any]:
            c = at["more"] + 2
            sizes = {n: c for n in topological((worst, best)) if n.op in ("size", "taking_part")}
            lowest, highest = (only_value(graph, sizes, at.numbers) for graph in (worst, best))
            return (of_classes(c) - lowest) / (highest - lowest), bound

        return compute

    def together(at: Point) -> tuple[Any, Any]:
        # x errors and h hits of all classes but the largest; y errors and d hits of the largest.
        x, h, y, d, rest = at.counts(("x", "h", "y", "d", "rest"))
        return Fraction(2), x / (x + h) + y / (y + d + rest)

    attempts = [
        prove_equal(CELLS, as_rates),
        prove_equal(["more"], end(low, lambda c: p - 2 * r / c)),
        prove_equal(["more"], end(high, lambda c: p + q)),
        prove_not_less(["x", "h", "y", "d", "rest"], together),
    ]
    if q < 0 or r < 0 or not all(a.proved for a in attempts):
        return None

    def cells(owner: Any) -> Summed:
        # m examples predicted as i add m/(rest + u), at most m/rest; over all cells the m add up to `every`.
        m, u, rest, every = (owner.variable(name) for name in ("m", "u", "rest", "every"))
        return Summed(-(m / (rest + u)), [(-(1 / rest), m, every)], -(every / rest))

    certificates.note_summed(("m", "u", "rest", "every"), ("m", "u"), cells)
    note(term)
    words = (
        "false alarm rates of all classes add up to 2 at most and recalls to 0 at least, so the mean of the"
        f" class terms lies between {p} - {2 * r}/C and {p + q}, the ends of the scale; the upper one is"
        " reached when every class is right, the lower one approached when two large classes are taken for"
        f" each other ({attempts[0].method})"
    )
    return words, attempts[0]
