"""Bounds of means of recalls and false alarm rates, brought to a scale that depends on the number of classes.

A class term p + q d/t - r f/(n - t), with t the examples, d the hits and f the false alarms of a class, has a
mean between p - 2r/C and p + q for every number of classes C (mullick2020 Lemma 3 is p = q = r = 1/2).
Recalls add up to 0 at least and C at most. False alarm rates add up to 2 at most: an example of another class
than the largest, L, adds 1/(n - t_i) <= 1/(n - t_L) where it is predicted as i, and there are n - t_L of
them; one of L adds 1/(n - t_i) with i != L, and n - t_i >= t_L, of which there are t_L. Two classes of N
examples that are taken for each other, the others of one example each and wrong, add (2N + C - 2)/(N + C -
2), which goes to 2 as N grows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.measures.evaluate import value_given
from steelyard.measures.graph import Node, topological
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.numbers import Fractions
from steelyard.measures.undefined import Policy
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.certificates import Summed
from steelyard.proofs.prover.class_terms import CELLS, ClassTerm, class_term, note
from steelyard.proofs.prover.prove import Attempt, prove_equal, prove_not_less
from steelyard.proofs.prover.regions import Compute, Point


def scaled_mean(measure: Measure) -> tuple[ClassTerm, Node, Node] | None:
    """The class term of (mean - worst) / (best - worst), with the two ends as graphs of the number of
    classes."""
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
    """Why a scaled mean lies in [low, high] and comes as near to both as one likes, for every C; None if that
    is not known."""
    found = scaled_mean(measure)
    if found is None:
        return None
    term, worst, best = found
    p, q, r = _coefficients(term)

    def as_rates(at: Point) -> tuple[Any, Any]:
        d, fn, fp, tn = at.counts(CELLS)
        return term.on(at), p + q * (d / (d + fn)) - r * (fp / (fp + tn))

    def end(bound: Fraction, of_classes: Any) -> Compute:
        def compute(at: Point) -> tuple[Any, Any]:
            c = at["more"] + 2
            lowest, highest = (_of_size(graph, c, at.numbers) for graph in (worst, best))
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
    certificates.note_summed(("m", "u", "rest", "every"), ("m", "u"), _cells)
    note(term)
    words = (
        "false alarm rates of all classes add up to 2 at most and recalls to 0 at least, so the mean of the"
        f" class terms lies between {p} - {2 * r}/C and {p + q}, the ends of the scale; the upper one is"
        " reached when every class is right, the lower one approached when two large classes are taken for"
        " each other"
        f" ({attempts[0].method})"
    )
    return words, attempts[0]


def _cells(owner: Any) -> Summed:
    # m examples predicted as i add m/(rest + u), at most m/rest; over all cells the m add up to `every`.
    m, u, rest, every = (owner.variable(name) for name in ("m", "u", "rest", "every"))
    return Summed(-(m / (rest + u)), [(-(1 / rest), m, every)], -(every / rest))


def _coefficients(term: ClassTerm) -> tuple[Fraction, Fraction, Fraction]:
    """p, q and r, read off three classes; whether they fit all is proved afterwards."""
    numbers = Fractions(Policy())
    one, zero = Fraction(1), Fraction(0)
    neither, hit, alarm = (
        Fraction(term.at(cells, numbers))
        for cells in ((zero, one, zero, one), (one, zero, zero, one), (zero, one, one, zero))
    )
    return neither, hit - neither, neither - alarm


def _of_size(graph: Node, c: Any, arithmetic: Any) -> Any:
    sizes = {n: c for n in topological((graph,)) if n.op in ("size", "taking_part")}
    return np.ravel(np.asarray(value_given(graph, sizes, arithmetic), dtype=object))[0]
