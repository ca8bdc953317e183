"""The claims of branco2017: thirteen multi-class measures, relevance, three worked cases."""

from __future__ import annotations

import itertools
import math

from steelyard import Confusion, measure, relevance
from steelyard.proofs import as_matrix, decide_equal
from steelyard.relevance import Relevance
from steelyard_papers.branco2017.printed import (
    CASES,
    EXISTING,
    MECHANISMS,
    ORDERS,
    PHI,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_5_FILLED,
)
from steelyard_papers.branco2017.relevance_based import OF, WEIGHTED, relevances
from steelyard_papers.claim import Cell, Finding, compare, from_verdict, value


def case(number: str) -> Confusion:
    return Confusion(CASES[number])


def relevance_of(mechanism: str, number: str) -> Relevance:
    """The relevance of the classes of a case by one of the four mechanisms, with the orders of Table 4."""
    sizes = [sum(row) for row in CASES[number]]
    return relevances(sizes, ORDERS[number], PHI[number])[mechanism]


def per_class() -> Finding:
    cells = []
    for number, classes in TABLE_2.items():
        for label, printed in zip(case(number).labels, classes, strict=True):
            pair = case(number).one_vs_rest(label)
            ours = [measure(name)(pair, positive=label) for name in ("recall", "precision", "f_beta")]
            if math.isnan(
                ours[1]
            ):  # Eq. 3 is made of precision and recall, so it is undefined where precision is
                ours[2] = math.nan
            cells += [
                Cell(f"case {number}, {label}, {what}", text or "", value)
                for what, text, value in zip(("recall", "precision", "F_1"), printed, ours, strict=True)
            ]
    return compare(cells)


def thirteen() -> Finding:
    cells = []
    for name in EXISTING:
        for number, row in TABLE_3.items():
            m, matrix = measure(OF[name]), case(number)
            ours = m(matrix)
            # Table 1 writes AvF_1 in precisions; Eq. 7, used from section 4 on, does not need them.
            if name == "AvF_1" and math.isnan(measure("macro_precision")(matrix)):
                ours = math.nan
            percent = 100 * m.normalise(ours, matrix.n_classes)
            cells += [
                Cell(f"{name}, case {number}", row[name]["value"] or "", ours),
                Cell(f"{name}, case {number}, normalised", row[name]["normalised"] or "", percent),
            ]
    return compare(cells, [as_matrix(c) for c in CASES.values()])


def relevance_scores() -> Finding:
    cells = []
    for mechanism in MECHANISMS:
        for number, row in TABLE_4.items():
            ours = relevance_of(mechanism, number).scores_of(case(number).labels)
            cells += [
                Cell(f"{mechanism}, case {number}, c{i + 1}", text, value)
                for i, (text, value) in enumerate(zip(row[mechanism], ours, strict=True))
            ]
    return compare(cells)


def rank_of_e() -> Finding:
    """E with two classes below, one above and three it cannot be compared with."""
    ranks = relevance.partial_order_ranks(list("ABCDEFG"), [("A", "E"), ("C", "E"), ("E", "D")])
    return compare([Cell("Rank(E)", "4.5", ranks[4])])


def table_5() -> Finding:
    """All 33 measures; zeros that the print drops are put back."""
    cells = []
    for number in CASES:
        matrix = case(number)
        for name in EXISTING:
            m = measure(OF[name])
            ours = m(matrix, undefined=0 if name in ("Prec_M", "F_1M") else "skip")
            filled = TABLE_5_FILLED.get(name) if number == "1" else None
            text = filled or TABLE_3[number][name]["normalised"]
            cells.append(Cell(f"{name}, case {number}", text, 100 * m.normalise(ours, matrix.n_classes)))
        for name, row in TABLE_5.items():
            base, _, mechanism = name.partition("^")
            m = measure(OF[WEIGHTED[base]]).weighted_by(relevance_of(mechanism, number))
            percent = 100 * m.normalise(m(matrix, undefined="skip"), matrix.n_classes)
            text = f"{float(row['values'][int(number) - 1]):.1f}"
            cells.append(Cell(f"{name.replace('^', ' ')}, case {number}", text, percent))
    return compare(cells, [as_matrix(c) for c in CASES.values()])


RECALL, PRECISION = "sum(hits)/sum(actual)", "sum(hits)/sum(predicted)"
MICRO = (RECALL, PRECISION, f"2*({PRECISION})*({RECALL})/(({PRECISION})+({RECALL}))")
"""Micro-averaged recall, precision and F_1 as Table 1 prints them."""


def three_micros() -> Finding:
    verdicts = [decide_equal(MICRO[0], other, (2, 3, 4, 5)) for other in MICRO[1:]]
    if any(v.grade != "proved" for v in verdicts):
        return from_verdict(next(v for v in verdicts if v.grade != "proved"))
    matrix = as_matrix(CASES["2"])
    shown = value("accuracy", matrix)
    return Finding(
        verdict="refuted",
        evidence=(
            "they are one measure: the columns add up to the same total as the rows, so all three are"
            f" accuracy (proved for {verdicts[0].classes}: {verdicts[0].method}); case 2 shows"
            f" {shown} = {float(shown):.3f} three times"
        ),
        matrices=(matrix,),
        classes=verdicts[0].classes,
    )


def more_information() -> Finding:
    """Does a mechanism that knows more come nearer to what the user wants: high in Case 1, low in 2, 3?"""
    off, sequences = [], 0
    for number in CASES:
        matrix, wanted = case(number), 1 if number == "1" else -1
        for base, existing in WEIGHTED.items():
            values = [
                measure(OF[existing]).weighted_by(relevance_of(mechanism, number))(matrix, undefined="skip")
                for mechanism in MECHANISMS
            ]
            sequences += 1
            if any(wanted * (after - before) < -1e-12 for before, after in itertools.pairwise(values)):
                shown = ", ".join(f"{m} {100 * v:.1f}" for m, v in zip(MECHANISMS, values, strict=True))
                off.append(f"case {number}, {base}: {shown}")
    if not off:
        return Finding("reproduced", f"all {sequences} sequences of values move as stated")
    told = (
        f"{len(off)} of {sequences} sequences of values turn back where they should rise (case 1) or fall: "
    )
    return Finding("refuted", told + "; ".join(off), tuple(map(as_matrix, CASES.values())), tuple(off))
