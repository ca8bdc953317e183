"""The claims of mullick2020: Conditions 1 to 3 on indices for imbalanced data."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from steelyard.measures.catalogue import measure
from steelyard.papers.claim import (
    Cell,
    Claim,
    Finding,
    all_of,
    compare,
    fails,
    from_verdict,
    holds,
    study_claim,
    verdict_on,
)
from steelyard.properties.one_class_failing import limit_of_one_class_failing
from steelyard.properties.orderings import affine_coefficients, decide_affine
from steelyard.properties.prove import prove_positive
from steelyard.properties.regions import Symbols
from steelyard.properties.subject import Subject
from steelyard.properties.symbols import Field
from steelyard.properties.verdict import as_matrix

PAPER = "mullick2020"


def _claim(id: str, where: str, statement: str, decide: Any, explanation: str = "") -> Claim:  # noqa: A002
    return Claim(
        id=f"mullick-{id}",
        paper=PAPER,
        where=where,
        statement=statement,
        decide=decide,
        explanation=explanation,
    )


def _affine_of_acsa() -> Finding:
    """Lemma 2: the line itself, then its ends."""
    ovo, acsa = Subject(measure("AUROC-OVO")), Subject(measure("ACSA"))
    sizes = (2, 3, 4, 5, 6)
    as_printed = all(
        affine_coefficients(ovo, acsa, c) == (Fraction(c, 2 * (c - 1)), Fraction(c - 2, 2 * (c - 1)))
        for c in sizes
    )
    line = from_verdict(decide_affine(ovo, acsa, sizes))
    if not as_printed:
        return Finding("refuted", f"the line is another one: {line.evidence}")
    return all_of(line, holds("AUROC-OVO", "bounded"))


def _ova_on_whole_rows(n_classes: int) -> list[tuple[tuple[int, ...], Any, Any]]:
    """AUROC-OVA where every class is predicted as one class throughout, with the bound of Lemma 3.

    Sizes n_1 <= n_2 <= ... in symbols.
    """
    found = []
    for choice in itertools.product(range(n_classes), repeat=n_classes):
        owner = Field([f"a{i}" for i in range(n_classes)])
        steps = [owner.variable(name) for name in owner.names]
        sizes = [sum(steps[1 : i + 1], start=steps[0]) for i in range(n_classes)]
        matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
        for row, column in enumerate(choice):
            matrix[row, column] = sizes[row]
        total = sum(sizes[1:], start=sizes[0])
        bound = (n_classes - 1 - sizes[-1] / (total - sizes[-2])) / (2 * n_classes)
        value = Subject(measure("AUROC-OVA")).symbol(matrix, Symbols(owner))
        found.append((choice, value, bound))
    return found


def _bound_of_ova() -> Finding:
    """Lemma 3.

    For given class sizes AUROC-OVA is linear in each row, so it is least where every class is predicted as
    one class.
    """
    for n_classes in (2, 3, 4):
        reached = False
        for choice, value, bound in _ova_on_whole_rows(n_classes):
            difference = value - bound
            if difference.is_zero:
                reached = True
            elif not prove_positive(difference).proved:
                return Finding("not refuted", f"the case {choice} at C = {n_classes} was not decided")
            below_one = 1 - value
            if not below_one.is_zero and not prove_positive(below_one).proved:
                return Finding(
                    "not refuted", f"the upper bound of the case {choice} at C = {n_classes} was not decided"
                )
        if not reached:
            return Finding("refuted", f"the bound is not reached at C = {n_classes}")
    return Finding(
        verdict="proved",
        evidence=(
            "for C = 2, 3, 4: for given class sizes AUROC-OVA is linear in every row, so it is least (and"
            " greatest) where each class is predicted as one class throughout; each of these 4 + 27 + 256"
            " cases lies between the bound and 1 by exact algebra (FLINT); the bound is reached, and 1 on the"
            " identity matrix"
        ),
        matrices=(as_matrix([[0, 0, 1], [0, 0, 1], [0, 1, 0]]),),
    )


def _floor_of_ova() -> Finding:
    lemma = _bound_of_ova()
    if lemma.verdict != "proved":
        return lemma
    at_two = Subject(measure("AUROC-OVA")).value([[0, 1], [1, 0]])
    for n_classes in (3, 4):
        owner = Field([f"a{i}" for i in range(n_classes)])
        steps = [owner.variable(name) for name in owner.names]
        sizes = [sum(steps[1 : i + 1], start=steps[0]) for i in range(n_classes)]
        total = sum(sizes[1:], start=sizes[0])
        least = (n_classes - 1 - sizes[-1] / (total - sizes[-2])) / (2 * n_classes)
        above = least - Fraction(n_classes - 2, 2 * n_classes)
        if not prove_positive(above).proved or Fraction(at_two) != 0:
            return Finding("not refuted", f"C = {n_classes} was not decided")
    close = Subject(measure("AUROC-OVA")).value([[0, 0, 1], [0, 0, 1], [1000, 0, 0]])
    return Finding(
        verdict="proved",
        evidence=(
            "it is a lower limit for C = 2, 3, 4; at C = 2 it is reached on [[0, 1], [1, 0]]; at C = 3 and"
            " 4, with every class present, the least value of Lemma 3 lies strictly above it (FLINT), and"
            f" only comes near it as two classes swallow the rest: {float(close):.6f} on [[0, 0, 1], [0, 0,"
            " 1], [1000, 0, 0]] against 1/6"
        ),
        matrices=(as_matrix([[0, 0, 1], [0, 0, 1], [1000, 0, 0]]),),
    )


def _column_sums() -> Finding:
    """The sum over j of m_ji / n_j can be as large as C."""
    matrix = as_matrix([[1, 0], [1, 0]])
    total = sum(row[0] / sum(row) for row in matrix)
    verdict: Any = "refuted" if total > 1 else "not refuted"
    return Finding(
        verdict=verdict,
        evidence=f"on [[1, 0], [1, 0]] the sum for the first column is {total}; it can be as large as C",
        matrices=(matrix,),
    )


def _limit_bound() -> Finding:
    subject = Subject(measure("mAURPC-OVA"))
    for n_classes in (2, 3, 4):
        for size in range(1, n_classes):
            for receivers in itertools.combinations(range(1, n_classes), size):
                limit = limit_of_one_class_failing(subject, n_classes, receivers)
                attempt = prove_positive(limit - Fraction(3 * (n_classes - 1), 4 * n_classes))
                if not attempt.proved:
                    return Finding(
                        "not refuted",
                        f"C = {n_classes} with errors sent to classes {receivers}: {attempt.method}",
                    )
    return Finding(
        "proved",
        "for C = 2, 3, 4: the limit, for every way the failing class spreads its examples, less 3(C-1)/(4C)"
        " is positive by exact algebra (FLINT, z3). The way there replaces sums of rates by rates of sums and"
        " is not an identity, but what it concludes holds",
    )


def _at_sixty_percent() -> Finding:
    cells = []
    for n_classes, printed in ((3, "0.70"), (6, "0.77")):
        matrix = [
            [6 if i == j else Fraction(4, n_classes - 1) for j in range(n_classes)] for i in range(n_classes)
        ]
        cells.append(
            Cell(f"AUROC-OVA at C = {n_classes}", printed, Subject(measure("AUROC-OVA")).value(matrix))
        )
    return compare(cells, [as_matrix([[6, 2, 2], [2, 6, 2], [2, 2, 6]])])


def _precision_at_rrt() -> Finding:
    """Precision p at RRT 1 is odds p/(1-p); at RRT 10 the odds are a tenth of that."""

    def at_ten(p: Fraction) -> Fraction:
        odds = p / (1 - p) / 10
        return odds / (1 + odds)

    low, high = at_ten(Fraction(925, 1000)), at_ten(Fraction(935, 1000))
    fits = low <= Fraction(595, 1000) and high >= Fraction(585, 1000)
    return Finding(
        "reproduced" if fits else "not reproduced",
        "with class rates unchanged, a precision that rounds to 0.93 at RRT 1 becomes one between"
        f" {float(low):.4f} and {float(high):.4f} at RRT 10; 0.59 as printed means 0.585 to 0.595, which "
        + ("overlaps" if fits else "does not overlap")
        + f" (exactly 0.93 would become {float(at_ten(Fraction(93, 100))):.4f})",
    )


def figure_6() -> dict[str, dict[str, str]]:
    """Figure 6, computed: which index satisfies which condition, as the engine's grades."""
    names = {
        "GMean": ("prior-invariance", "same-bounds", "one-class-failing"),
        "ACSA": ("prior-invariance", "same-bounds", "one-class-failing"),
        "AUROC-OVO": ("prior-invariance", "same-bounds"),
        "AUROC-OVA": ("prior-invariance", "same-bounds"),
        "nAUROC-OVA": ("prior-invariance", "same-bounds"),
        "AURPC-OVA": ("prior-invariance", "same-bounds"),
        "mAURPC-OVA": ("prior-invariance", "same-bounds", "one-class-failing"),
        "auc_point": ("prior-invariance",),
        "precision": ("prior-invariance",),
        "AURPC": ("prior-invariance",),
        "mPrecision": ("prior-invariance",),
        "mAURPC": ("prior-invariance",),
    }
    return {name: {p: verdict_on(name, p).grade for p in properties} for name, properties in names.items()}


CLAIMS = (
    _claim(
        id="t1a",
        where="Theorem 1",
        statement="GMean of two classes satisfies Condition 1",
        decide=lambda: holds("gmean", "prior-invariance"),
    ),
    _claim(
        id="t1b",
        where="Theorem 1",
        statement="AUROC of a single point satisfies Condition 1",
        decide=lambda: holds("auc_point", "prior-invariance"),
    ),
    _claim(
        id="t1c",
        where="Theorem 1",
        statement="Precision does not satisfy Condition 1",
        decide=lambda: fails("precision", "prior-invariance"),
    ),
    _claim(
        id="t1d",
        where="Theorem 1",
        statement="AURPC does not satisfy Condition 1",
        decide=lambda: fails("aurpc_point", "prior-invariance"),
    ),
    _claim(
        id="t2a",
        where="Theorem 2",
        statement="mPrecision satisfies Condition 1",
        decide=lambda: holds("mPrecision", "prior-invariance"),
    ),
    _claim(
        id="t2b",
        where="Theorem 2",
        statement="mAURPC satisfies Condition 1",
        decide=lambda: holds("mAURPC", "prior-invariance"),
    ),
    _claim(
        id="l1",
        where="Lemma 1",
        statement="0 <= ACSA <= 1, and both ends are reached",
        decide=lambda: holds("ACSA", "bounded"),
    ),
    _claim(
        id="l2",
        where="Lemma 2",
        statement="AUROC-OVO is C/(2(C-1)) ACSA + (C-2)/(2(C-1)), with bounds (C-2)/(2(C-1)) and 1",
        decide=_affine_of_acsa,
    ),
    _claim(
        id="l3",
        where="Lemma 3",
        statement=(
            "for class sizes n_1 <= ... <= n_C the least AUROC-OVA is (C - 1 - n_C/(n - n_(C-1)))/(2C), the"
            " greatest 1"
        ),
        decide=_bound_of_ova,
    ),
    _claim(
        id="t3.1",
        where="Theorem 3",
        statement="GMean satisfies Conditions 1 and 2",
        decide=lambda: all_of(holds("gmean", "prior-invariance"), holds("gmean", "same-bounds")),
    ),
    _claim(
        id="t3.2",
        where="Theorem 3",
        statement="ACSA satisfies Conditions 1 and 2",
        decide=lambda: all_of(holds("ACSA", "prior-invariance"), holds("ACSA", "same-bounds")),
    ),
    _claim(
        id="t3.3",
        where="Theorem 3",
        statement="AUROC-OVO satisfies Condition 1 and not Condition 2",
        decide=lambda: all_of(holds("AUROC-OVO", "prior-invariance"), fails("AUROC-OVO", "same-bounds")),
    ),
    _claim(
        id="t3.4",
        where="Theorem 3",
        statement="AUROC-OVA satisfies neither Condition 1 nor 2",
        decide=lambda: all_of(fails("AUROC-OVA", "prior-invariance"), fails("AUROC-OVA", "same-bounds")),
    ),
    _claim(
        id="t3.5",
        where="Theorem 3",
        statement="AURPC-OVA satisfies Condition 2 and not Condition 1",
        decide=lambda: all_of(holds("AURPC-OVA", "same-bounds"), fails("AURPC-OVA", "prior-invariance")),
    ),
    _claim(
        id="n1",
        where="after Theorem 3",
        statement="(C-2)/(2C) is a lower limit of AUROC-OVA",
        decide=_floor_of_ova,
    ),
    _claim(
        id="n2",
        where="Table 2, section 6",
        statement="nAUROC-OVA satisfies Condition 1",
        decide=lambda: holds("nAUROC-OVA", "prior-invariance"),
        explanation=(
            "The paper says both: Table 2 lists the normalisation as a remedy for Condition 1, section 6"
            " speaks of its violation. Normalising changes the scale, not what is measured, so section 6 is"
            " right. With two classes the statement does hold."
        ),
    ),
    _claim(
        id="t4",
        where="Theorem 4",
        statement="mAURPC-OVA satisfies Conditions 1 and 2",
        decide=lambda: all_of(holds("mAURPC-OVA", "prior-invariance"), holds("mAURPC-OVA", "same-bounds")),
    ),
    _claim(
        id="t4p",
        where="proof of Theorem 4",
        statement="the sum over j of m_ji/n_j lies in [0, 1]",
        decide=_column_sums,
        explanation=(
            "A step of the proof, not the theorem: rates of different classes add up to as much as C when all"
            " are predicted as one class. The theorem does not need the step, since every class term lies in"
            " [0, 1] anyway."
        ),
    ),
    _claim(
        id="t5a",
        where="Theorem 5",
        statement="GMean does not satisfy Condition 3",
        decide=lambda: fails("gmean", "one-class-failing"),
    ),
    _claim(
        id="t5b",
        where="Theorem 5",
        statement="ACSA satisfies Condition 3",
        decide=lambda: holds("ACSA", "one-class-failing"),
    ),
    _claim(
        id="t5c",
        where="Theorem 5",
        statement="mAURPC-OVA satisfies Condition 3",
        decide=lambda: holds("mAURPC-OVA", "one-class-failing"),
    ),
    _claim(
        id="t5p",
        where="Eq. 28",
        statement="the limit of mAURPC-OVA with one class failing exceeds 3(C-1)/(4C)",
        decide=_limit_bound,
    ),
    _claim(
        id="e1",
        where="Example 1",
        statement="right on 60 % of every class means AUROC-OVA 0.70 at C = 3 and 0.77 at C = 6",
        decide=_at_sixty_percent,
        explanation=(
            "With equal class sizes AUROC-OVA is (1 + 0.6 - 0.4/(C-1))/2 however the errors are spread: 0.70"
            " at C = 3, 0.76 at C = 6. The paper's figure was read off simulated data in which 60 % held on"
            " average, which may account for the last digit."
        ),
    ),
    _claim(
        id="e2",
        where="Example 1",
        statement="Precision 0.93 at RRT 1 becomes 0.59 at RRT 10 with class rates unchanged",
        decide=_precision_at_rrt,
    ),
    study_claim(
        claim_id="mullick-x1",
        paper=PAPER,
        where="section 5.3, Figure 3",
        statement=(
            "over test sets of changing RRT, Precision varies most, AURPC less, GMean, AUROC, mPrecision and"
            " mAURPC least"
        ),
        study="mullick2020-two-class",
    ),
    study_claim(
        claim_id="mullick-x2",
        paper=PAPER,
        where="section 5.4, Figure 4a",
        statement="of the multi-class indices that satisfy Condition 2, mAURPC-OVA varies least over RRT",
        study="mullick2020-multi-class",
    ),
    study_claim(
        claim_id="mullick-x3",
        paper=PAPER,
        where="section 5.4, Figure 4b",
        statement="nAUROC-OVA is less stable than ACSA once each is divided by its least standard deviation",
        study="mullick2020-multi-class",
        explanation=(
            "Here test sets are drawn so that class rates hardly change; the least deviation of ACSA is then"
            " almost 0, and dividing by it says little. That nAUROC-OVA depends on the class proportions is"
            " proved (n2)."
        ),
    ),
    study_claim(
        claim_id="mullick-x4",
        paper=PAPER,
        where="section 5.5, Figure 5",
        statement="with ten classes AUROC-OVA and AUROC-OVO lie well above their normalised forms",
        study="mullick2020-multi-class",
    ),
    study_claim(
        claim_id="mullick-x5",
        paper=PAPER,
        where="section 5.6",
        statement="on ten classes GMean falls far below the other indices, to 0 in one case",
        study="mullick2020-multi-class",
        explanation=(
            "It hangs on a learner that never finds some class; on the sets used here none failed so. The"
            " mechanism itself is proved (t5a)."
        ),
    ),
)
