"""The claims of branco2017: thirteen multi-class measures, relevance, three worked cases."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.measures import relevance
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, multi_class
from steelyard.measures.relevance import Relevance
from steelyard.measures.undefined import EMPTY
from steelyard.papers.claim import Cell, Claim, Finding, compare, from_verdict, study_claim
from steelyard.properties.orderings import decide_equal
from steelyard.properties.subject import Subject
from steelyard.properties.verdict import as_matrix

PAPER = "branco2017"

CASES: dict[int, list[list[int]]] = {
    1: [[5, 0, 0], [0, 10, 0], [0, 300, 0]],
    2: [[1, 0, 3], [0, 100, 0], [0, 0, 200]],
    3: [[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]],
}

# recall, precision, F_1 of each class; "" where the paper says "not defined"
TABLE_2 = {
    1: (("1", "1", "1"), ("1", "0.032", "0.063"), ("0", "", "")),
    2: (("0.25", "1", "0.4"), ("1", "1", "1"), ("1", "0.985", "0.993")),
    3: (("0.25", "0.1", "0.14"), ("0.1", "0.25", "0.14"), ("1", "1", "1"), ("1", "1", "1")),
}

THIRTEEN = {
    "AvAcc": "average_accuracy", "MAvG": "gmean", "Rec_M": "macro_recall", "Prec_M": "macro_precision", "Rec_mu": "accuracy", "Prec_mu": "accuracy",
    "F_1M": "f_beta_of_macros", "F_1mu": "accuracy", "AvF_1": "macro_f_beta", "CBA": "class_balance_accuracy", "MCC": "mcc",
    "RCI": "relative_classifier_information", "CEN": "confusion_entropy",
}  # fmt: skip

# value and normalised value (%) in cases 1, 2, 3
TABLE_3 = {
    "AvAcc": (("0.365", "36.5"), ("0.993", "99.3"), ("0.981", "98.1")),
    "MAvG": (("0.000", "0.0"), ("0.630", "63.0"), ("0.398", "39.8")),
    "Rec_M": (("0.667", "66.7"), ("0.750", "75.0"), ("0.588", "58.8")),
    "Prec_M": (("", ""), ("0.995", "99.5"), ("0.588", "58.8")),
    "Rec_mu": (("0.048", "4.8"), ("0.990", "99.0"), ("0.962", "96.2")),
    "Prec_mu": (("0.048", "4.8"), ("0.990", "99.0"), ("0.962", "96.2")),
    "F_1M": (("", ""), ("0.855", "85.5"), ("0.588", "58.8")),
    "F_1mu": (("0.048", "4.8"), ("0.990", "99.0"), ("0.962", "96.2")),
    "AvF_1": (("", ""), ("0.798", "79.8"), ("0.571", "57.1")),
    "CBA": (("0.344", "34.4"), ("0.745", "74.5"), ("0.550", "55.0")),
    "MCC": (("0.301", "65.1"), ("0.978", "98.9"), ("0.923", "96.2")),
    "RCI": (("0.368", "36.8"), ("0.926", "92.6"), ("0.979", "97.9")),
    "CEN": (("0.022", "97.8"), ("0.019", "98.1"), ("0.015", "98.5")),
}

TABLE_4 = {
    "PREV": (("0.66", "0.33", "0.01"), ("0.94", "0.04", "0.02"), ("0.64", "0.32", "0.03", "0.02")),
    "PO": (("1", "1", "0.4"), ("1", "0.5", "0.5"), ("1", "0.86", "0.57", "0.42")),
    "TO": (("1", "0.67", "0.33"), ("1", "0.67", "0.33"), ("1", "0.75", "0.5", "0.25")),
    "phi": (("1", "0.9", "0.1"), ("1", "0.2", "0.1"), ("1", "0.9", "0.2", "0.1")),
}
PHI = {1: (1, 0.9, 0.1), 2: (1, 0.2, 0.1), 3: (1, 0.9, 0.2, 0.1)}
PARTIAL = {
    1: (("c3", "c1"), ("c3", "c2")),
    2: (("c3", "c1"), ("c2", "c1")),
    3: (("c3", "c1"), ("c4", "c1"), ("c4", "c2")),
}

TABLE_5 = {
    "AvAcc": ("36.5", "99.3", "98.1"), "MAvG": ("0.0", "63.0", "39.8"), "Rec_M": ("66.7", "75.0", "58.8"), "Prec_M": ("34.4", "99.5", "58.8"),
    "Rec_mu": ("4.8", "99.0", "96.2"), "Prec_mu": ("4.8", "99.0", "96.2"), "F_1M": ("45.4", "85.5", "58.8"), "F_1mu": ("4.8", "99.0", "96.2"),
    "AvF_1": ("35.4", "79.8", "57.1"), "CBA": ("34.4", "74.5", "55.0"), "MCC": ("65.1", "98.9", "96.2"), "RCI": ("36.8", "92.6", "97.9"), "CEN": ("97.8", "98.1", "98.5"),
    "Rec PREV": ("98.9", "29.2", "24.0"), "Prec PREV": ("67.7", "100.0", "17.8"), "F_1 PREV": ("80.4", "45.3", "20.4"), "AvF_1 PREV": ("68.0", "43.4", "17.8"), "CBA PREV": ("67.0", "29.2", "13.7"),
    "Rec PO": ("83.3", "62.5", "46.7"), "Prec PO": ("51.6", "99.6", "46.0"), "F_1 PO": ("63.7", "76.8", "46.4"), "AvF_1 PO": ("44.3", "69.8", "44.3"), "CBA PO": ("43.0", "62.1", "41.5"),
    "Rec TO": ("83.3", "62.5", "43.0"), "Prec TO": ("61.3", "99.8", "41.5"), "F_1 TO": ("70.6", "76.9", "42.2"), "AvF_1 TO": ("52.1", "69.9", "40.0"), "CBA TO": ("51.1", "62.3", "37.0"),
    "Rec phi": ("95.0", "42.3", "29.1"), "Prec phi": ("54.2", "99.9", "28.4"), "F_1 phi": ("69.0", "59.4", "28.7"), "AvF_1 phi": ("52.8", "53.8", "26.0"), "CBA phi": ("51.5", "42.2", "22.3"),
}  # fmt: skip
"""Normalised values in cases 1, 2, 3; zeros that the print drops are put back."""

WEIGHTED = {
    "Rec": "macro_recall",
    "Prec": "macro_precision",
    "F_1": "f_beta_of_macros",
    "AvF_1": "macro_f_beta",
    "CBA": "class_balance_accuracy",
}


def case(number: int) -> Confusion:
    return Confusion(CASES[number])


def relevance_of(mechanism: str, number: int) -> Relevance:
    """The relevance of the classes of a case by one of the four mechanisms, with the orders of Table 4."""
    labels = list(case(number).labels)
    if mechanism == "PREV":
        return relevance.prevalence(case(number))
    if mechanism == "PO":
        return relevance.partial_order(labels, PARTIAL[number])
    if mechanism == "TO":
        return relevance.total_order(labels[::-1])
    return relevance.scores(dict(zip(labels, PHI[number], strict=True)))


def _per_class() -> Finding:
    cells = []
    for number, classes in TABLE_2.items():
        for place, printed in enumerate(classes):
            label = case(number).labels[place]
            pair = case(number).one_vs_rest(label)
            ours = [measure(name)(pair, positive=label) for name in ("recall", "precision", "f_beta")]
            if (
                ours[1] != ours[1]
            ):  # Eq. 3 is made of precision and recall, so it is undefined where precision is
                ours[2] = float("nan")
            cells += [
                Cell(f"case {number}, {label}, {what}", text, value)
                for what, text, value in zip(("recall", "precision", "F_1"), printed, ours, strict=True)
            ]
    return compare(cells)


def _thirteen() -> Finding:
    cells = []
    for name, row in TABLE_3.items():
        m = measure(THIRTEEN[name])
        for number, (value, percent) in enumerate(row, start=1):
            ours = m(case(number))
            if name == "AvF_1" and measure("macro_precision")(case(number)) != measure("macro_precision")(
                case(number)
            ):
                ours = float(
                    "nan"
                )  # Table 1 writes it in precisions; Eq. 7, used from section 4 on, does not need them
            normal = m.normalise(ours, case(number).n_classes)
            cells += [
                Cell(f"{name}, case {number}", value, ours),
                Cell(f"{name}, case {number}, normalised", percent, 100 * normal),
            ]
    return compare(cells, [as_matrix(c) for c in CASES.values()])


def _relevances() -> Finding:
    cells = []
    for mechanism, row in TABLE_4.items():
        for number, printed in enumerate(row, start=1):
            ours = relevance_of(mechanism, number).scores_of(case(number).labels)
            cells += [
                Cell(f"{mechanism}, case {number}, c{i + 1}", text, value)
                for i, (text, value) in enumerate(zip(printed, ours, strict=True))
            ]
    return compare(cells)


def _rank_of_e() -> Finding:
    """E with two classes below, one above and three it cannot be compared with."""
    ranks = relevance.partial_order_ranks(list("ABCDEFG"), [("A", "E"), ("C", "E"), ("E", "D")])
    return compare([Cell("Rank(E)", "4.5", ranks[4])])


def _table_5() -> Finding:
    cells = []
    for name, row in TABLE_5.items():
        short, _, mechanism = name.partition(" ")
        for number, printed in enumerate(row, start=1):
            matrix = case(number)
            if mechanism:
                m: Measure = measure(WEIGHTED[short]).weighted_by(relevance_of(mechanism, number))
                value = m(matrix, undefined="skip")
            else:
                m = measure(THIRTEEN[name])
                value = m(matrix, undefined=0 if short in ("Prec_M", "F_1M") else "skip")
            normal = 100 * m.normalise(value, matrix.n_classes)
            cells.append(Cell(f"{name}, case {number}", printed, normal))
    return compare(cells, [as_matrix(c) for c in CASES.values()])


def micro(which: str) -> Measure:
    """Micro-averaged recall, precision and F_1 as Table 1 prints them."""

    def body(c: Any) -> Any:
        hits = c.hits.sum(axis=0)
        recall = c.ratio(hits, c.actual.sum(axis=0), EMPTY)
        precision = c.ratio(hits, c.predicted.sum(axis=0), EMPTY)
        if which == "F":
            return c.ratio(2 * precision * recall, precision + recall, "no example was predicted right")
        return recall if which == "Rec" else precision

    return multi_class(
        id=f"{which}_mu", title=f"Micro-averaged {which}", question="?", formula="", reads="", body=body
    )


def _three_micros() -> Finding:
    one = Subject(micro("Rec"))
    verdicts = [decide_equal(one, Subject(other), (2, 3, 4, 5)) for other in (micro("Prec"), micro("F"))]
    if any(v.grade != "proved" for v in verdicts):
        return from_verdict(next(v for v in verdicts if v.grade != "proved"))
    matrix = as_matrix(CASES[2])
    value = one.value(matrix)
    return Finding(
        "refuted",
        f"they are one measure: the columns add up to the same total as the rows, so all three are accuracy (proved for {verdicts[0].classes}: {verdicts[0].method}); case 2 shows {Fraction(value)} = {float(value):.3f} three times",
        (matrix,),
    )


CLAIMS = (
    Claim("branco-t2", PAPER, "Table 2", "recall, precision and F_1 of each class in the three cases", _per_class),
    Claim("branco-t3", PAPER, "Table 3", "the 13 measures on the three cases, value and normalised value", _thirteen),
    Claim("branco-t4", PAPER, "Table 4", "PREV, PO, TO and phi on the three cases", _relevances,
          "The PREV scores of case 3 are those of class sizes 5, 10, 100, 200; the matrix of Table 2 has 4 examples of c1, and Table 5 was computed with 4. The PO score 3/7 of c4 is cut to 0.42 where rounding gives 0.43."),
    Claim("branco-f1", PAPER, "Fig. 1", "Rank(E) = 4.5 in the seven-class order", _rank_of_e),
    Claim("branco-t5", PAPER, "Table 5", "all 99 cells: 33 measures on three cases", _table_5),
    study_claim("branco-d1", PAPER, "section 5.2", "relevance-based measures discriminate better than their originals", "branco2017-discrimination"),
    study_claim("branco-d2", PAPER, "section 5.2", "only recall- and CBA-based differences are <= 0, in 5 % and 2 % of results", "branco2017-discrimination", "The paper does not say how equal values were told from rounding noise; counted exactly, a partial order loses somewhat more often than printed, and the main finding (d1) stands."),
    Claim("branco-i1", PAPER, "Tables 1, 3", "Rec_mu, Prec_mu and F_mu are three measures", _three_micros,
          "When every example has one true and one predicted class, all misses are someone's false alarms. The three differ only where an example may have several labels, which is the setting micro-averages were made for."),
)  # fmt: skip
