"""The claims of branco2017: thirteen multi-class measures, relevance, three worked cases."""

from __future__ import annotations

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
from steelyard_papers.claim import Cell, Claim, Finding, compare, from_verdict, study_claim, value

PAPER = "branco2017"


def case(number: str) -> Confusion:
    return Confusion(CASES[number])


def relevance_of(mechanism: str, number: str) -> Relevance:
    """The relevance of the classes of a case by one of the four mechanisms, with the orders of Table 4."""
    sizes = [sum(row) for row in CASES[number]]
    return relevances(sizes, ORDERS[number], PHI[number])[mechanism]


def _per_class() -> Finding:
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


def _thirteen() -> Finding:
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


def _relevances() -> Finding:
    cells = []
    for mechanism in MECHANISMS:
        for number, row in TABLE_4.items():
            ours = relevance_of(mechanism, number).scores_of(case(number).labels)
            cells += [
                Cell(f"{mechanism}, case {number}, c{i + 1}", text, value)
                for i, (text, value) in enumerate(zip(row[mechanism], ours, strict=True))
            ]
    return compare(cells)


def _rank_of_e() -> Finding:
    """E with two classes below, one above and three it cannot be compared with."""
    ranks = relevance.partial_order_ranks(list("ABCDEFG"), [("A", "E"), ("C", "E"), ("E", "D")])
    return compare([Cell("Rank(E)", "4.5", ranks[4])])


def _table_5() -> Finding:
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


def _three_micros() -> Finding:
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


CLAIMS = (
    Claim(
        id="branco-t2",
        paper=PAPER,
        where="Table 2",
        statement="recall, precision and F_1 of each class in the three cases",
        decide=_per_class,
    ),
    Claim(
        id="branco-t3",
        paper=PAPER,
        where="Table 3",
        statement="the 13 measures on the three cases, value and normalised value",
        decide=_thirteen,
    ),
    Claim(
        id="branco-t4",
        paper=PAPER,
        where="Table 4",
        statement="PREV, PO, TO and phi on the three cases",
        decide=_relevances,
        explanation=(
            "The PREV scores of case 3 are those of class sizes 5, 10, 100, 200; the matrix of Table 2 has 4"
            " examples of c1, and Table 5 was computed with 4. The PO score 3/7 of c4 is cut to 0.42 where"
            " rounding gives 0.43."
        ),
    ),
    Claim(
        id="branco-f1",
        paper=PAPER,
        where="Fig. 1",
        statement="Rank(E) = 4.5 in the seven-class order",
        decide=_rank_of_e,
    ),
    Claim(
        id="branco-t5",
        paper=PAPER,
        where="Table 5",
        statement="all 99 cells: 33 measures on three cases",
        decide=_table_5,
    ),
    study_claim(
        claim_id="branco-d1",
        paper=PAPER,
        where="section 5.2",
        statement="relevance-based measures discriminate better than their originals",
        study="branco2017-discrimination",
    ),
    study_claim(
        claim_id="branco-d2",
        paper=PAPER,
        where="section 5.2",
        statement="only recall- and CBA-based differences are <= 0, in 5 % and 2 % of results",
        study="branco2017-discrimination",
        explanation=(
            "With the authors' own orders and scores, counted exactly and by floats as their code does, a"
            " partial order loses more often than printed, and F_1 loses twice as well; on the multi-minority"
            " problems the float counts are those of the authors' code. The main finding (d1) stands."
        ),
    ),
    study_claim(
        claim_id="branco-r1",
        paper=PAPER,
        where="section 5.1",
        statement="on 16 real data sets the relevance-based measures give other results than their originals",
        study="branco2017-real",
    ),
    study_claim(
        claim_id="branco-r2",
        paper=PAPER,
        where="section 5.1",
        statement=(
            "on the real data sets agreement with the user's preferences cannot be assessed for lack of a"
            " ground truth"
        ),
        study="branco2017-real",
        explanation=(
            "The scores phi are themselves what the user wants; where the model they choose survives another"
            " draw, measures that know less can be held against it. That needs a look at the uncertainty of"
            " each choice, which the paper does not take."
        ),
    ),
    study_claim(
        claim_id="branco-r3",
        paper=PAPER,
        where="section 5.1, extra material",
        statement="the orders given to the classes of the real data sets agree with the scores given to them",
        study="branco2017-real",
        explanation=(
            "The total orders of the two wine sets are written the other way round: the rarest qualities,"
            " which have the highest scores, come out least relevant. The paper's text does not depend on it."
        ),
    ),
    Claim(
        id="branco-i1",
        paper=PAPER,
        where="Tables 1, 3",
        statement="Rec_mu, Prec_mu and F_mu are three measures",
        decide=_three_micros,
        explanation=(
            "When every example has one true and one predicted class, all misses are someone's false alarms."
            " The three differ only where an example may have several labels, which is the setting"
            " micro-averages were made for."
        ),
    ),
)
