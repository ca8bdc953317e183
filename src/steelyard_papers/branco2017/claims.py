"""The claims of branco2017: thirteen multi-class measures, relevance, three worked cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

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
    cells = [cell for _, _, _, cell in normalised_cells()]
    return compare(cells, [as_matrix(c) for c in CASES.values()])


def normalised_cells() -> Iterator[tuple[str, str, bool, Cell]]:
    """The 99 cells of Table 5: case, measure, whether the paper marks it as in accordance, and the values."""
    for number in CASES:
        matrix = case(number)
        for name in EXISTING:
            m = measure(OF[name])
            ours = m(matrix, undefined=0 if name in ("Prec_M", "F_1M") else "skip")
            filled = TABLE_5_FILLED.get(name) if number == "1" else None
            text = filled or TABLE_3[number][name]["normalised"]
            cell = Cell(f"{name}, case {number}", text, 100 * m.normalise(ours, matrix.n_classes))
            yield number, name, TABLE_3[number][name]["accordant"], cell
        for name, row in TABLE_5.items():
            base, _, mechanism = name.partition("^")
            m = measure(OF[WEIGHTED[base]]).weighted_by(relevance_of(mechanism, number))
            percent = 100 * m.normalise(m(matrix, undefined="skip"), matrix.n_classes)
            text = f"{float(row['values'][int(number) - 1]):.1f}"
            cell = Cell(f"{name.replace('^', ' ')}, case {number}", text, percent)
            yield number, name, row["bold"][int(number) - 1], cell


# Section 2: the kinds of metrics, by how their symbols begin; whatever is neither is general.
FAMILIES = {"recall-based": ("Rec", "MAvG"), "precision-based": ("Prec",), "general": ("",)}


def accordance_marks() -> Finding:
    """Are the 99 accordance marks those of one threshold per case and family of metrics?

    The user cares for the rare classes, which Case 1 predicts right (high values are in accordance) and Cases
    2 and 3 nearly always wrong (low values are).
    """
    groups: dict[tuple[str, str], list[tuple[float, bool]]] = {}
    for number, name, accordant, cell in normalised_cells():
        family = next(family for family, begins in FAMILIES.items() if name.startswith(begins))
        groups.setdefault((number, family), []).append((float(cell.ours), accordant))
    thresholds, off = [], []
    for (number, family), marks in groups.items():
        if (number, family) == ("2", "precision-based"):
            agreed = all(accordant for _, accordant in marks)  # few false positives: high values are right
            thresholds.append(f"case {number}, {family}: all")
        else:
            sign = 1 if number == "1" else -1
            least = min(sign * value for value, accordant in marks if accordant)
            most = max(sign * value for value, accordant in marks if not accordant)
            agreed = least > most
            bound = "at least" if sign == 1 else "at most"
            thresholds.append(f"case {number}, {family}: {bound} {sign * least:.1f}%")
        if not agreed:
            off.append(f"case {number}, {family}")
    if off:
        return Finding(
            "not reproduced", f"no threshold separates the marks of {'; '.join(off)}", parts=tuple(off)
        )
    return Finding("reproduced", f"all 99 marks: in accordance are, in {'; '.join(thresholds)}")


RECALL, PRECISION = "sum(hits)/sum(actual)", "sum(hits)/sum(predicted)"
# Micro-averaged recall, precision and F_1 as Table 1 prints them.
MICRO = (RECALL, PRECISION, f"2*({PRECISION})*({RECALL})/(({PRECISION})+({RECALL}))")


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
    evidence = (
        f"{len(off)} of {sequences} sequences of values turn back where they should rise (case 1) or fall: "
    )
    return Finding("refuted", evidence + "; ".join(off), tuple(map(as_matrix, CASES.values())), tuple(off))
