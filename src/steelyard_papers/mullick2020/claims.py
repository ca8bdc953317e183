"""The claims of mullick2020: Conditions 1 to 3 on indices for imbalanced data."""

from __future__ import annotations

from typing import Any

from steelyard.proofs import EVERY, as_matrix, prove_equal
from steelyard_papers.claim import (
    Cell,
    Claim,
    Finding,
    all_of,
    compare,
    fails,
    holds,
    study_claim,
    value,
    verdict_on,
)
from steelyard_papers.mullick2020 import every_size

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


def _still_good_with_one_class_failing() -> Finding:
    """Condition 3: no value of mAURPC-OVA is below 0 for any C, and the limit stays above 3(C-1)/(4C)."""
    limit, bounds = every_size.limit_of_a_failing_class(), holds("mAURPC-OVA", "same-bounds")
    if limit.verdict != "proved" or bounds.verdict != "proved":
        return holds("mAURPC-OVA", "one-class-failing")
    return Finding(
        "proved", f"its worst value is 0 for every C; {limit.evidence}; so it stays above 0", classes=EVERY
    )


def _neither_of_ova() -> Finding:
    """Conditions 1 and 2 fail for AUROC-OVA, for every C >= 3."""
    floor = every_size.floor_of_ova()
    if floor.verdict != "proved":
        return all_of(fails("AUROC-OVA", "prior-invariance"), fails("AUROC-OVA", "same-bounds"))
    bounds = Finding(
        "proved",
        f"Condition 2: {floor.evidence}; as (C-2)/(2C) grows with C, no two numbers of classes have the same"
        " lower bound",
        floor.matrices,
        classes="C >= 3",
    )
    return all_of(every_size.ova_depends_on_proportions(), bounds)


def _normalised_ova_is_invariant() -> Finding:
    found = every_size.ova_depends_on_proportions()
    if found.verdict != "proved":
        return holds("nAUROC-OVA", "prior-invariance")
    one, other = (value("nAUROC-OVA", m) for m in found.matrices)
    return Finding(
        "refuted",
        f"{found.evidence}; for a given C the normalised form is a rising line of it: {one} and {other} at C"
        " = 3. With two classes the statement holds",
        found.matrices,
        classes="C >= 3",
    )


def _one_class_pulls_gmean_down() -> Finding:
    """Condition 3 fails for GMean: one recall of 0 makes the product 0, whatever C."""
    size = range(2, 13)
    matrices = [
        as_matrix([[int(j == (1 if i == 0 else i)) for j in range(c)] for i in range(c)]) for c in size
    ]

    def failed(examples: Any, others: Any) -> tuple[Any, Any]:
        # The recall of the class that fails, 0 of its examples, times the product of all others.
        return 0 / examples * others, 0

    if any(value("gmean", m) != 0 for m in matrices) or not prove_equal(failed):
        return fails("gmean", "one-class-failing")
    return Finding(
        "proved",
        "for every C: the product of the recalls is 0, the worst value, as soon as one class is told wrong"
        " throughout (computed for C = 2..12)",
        (matrices[1],),
        classes=EVERY,
    )


def _at_sixty_percent() -> Finding:
    cells = []
    for n_classes, printed in ((3, "0.70"), (6, "0.77")):
        matrix = [[6 * (n_classes - 1) if i == j else 4 for j in range(n_classes)] for i in range(n_classes)]
        cells.append(Cell(f"AUROC-OVA at C = {n_classes}", printed, value("AUROC-OVA", matrix)))
    return compare(cells, [as_matrix([[6, 2, 2], [2, 6, 2], [2, 2, 6]])])


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
        decide=every_size.line_of_acsa,
    ),
    _claim(
        id="l3",
        where="Lemma 3",
        statement=(
            "for class sizes n_1 <= ... <= n_C the least AUROC-OVA is (C - 1 - n_C/(n - n_(C-1)))/(2C), the"
            " greatest 1"
        ),
        decide=every_size.bound_of_ova,
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
        decide=every_size.not_the_same_bounds,
    ),
    _claim(
        id="t3.4",
        where="Theorem 3",
        statement="AUROC-OVA satisfies neither Condition 1 nor 2",
        decide=_neither_of_ova,
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
        decide=every_size.floor_of_ova,
    ),
    _claim(
        id="n2",
        where="Table 2, section 6",
        statement="nAUROC-OVA satisfies Condition 1",
        decide=_normalised_ova_is_invariant,
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
        decide=_one_class_pulls_gmean_down,
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
        decide=_still_good_with_one_class_failing,
    ),
    _claim(
        id="t5p",
        where="Eq. 28",
        statement="the limit of mAURPC-OVA with one class failing exceeds 3(C-1)/(4C)",
        decide=every_size.limit_of_a_failing_class,
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
    study_claim(
        claim_id="mullick-e2",
        paper=PAPER,
        where="Example 1",
        statement=(
            "at the boundary x = 4 Precision falls from 0.93 at RRT 1 to 0.59 at RRT 10 with class rates"
            " unchanged (both figures as printed; 5,000 points of the majority)"
        ),
        study="mullick2020-illustration",
        explanation=(
            "A precision of 0.93 means 0.57 at ten times the ratio, whatever the class means; 0.59 needs"
            " 0.934 to 0.935. Class means can be tuned to that, and a drawn test set can have it by chance."
        ),
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
        statement=(
            "ACSA varies slightly more than nAUROC-OVA over the test sets, but less once each is divided by"
            " its least standard deviation (means over the sets, both halves)"
        ),
        study="mullick2020-multi-class",
        explanation=(
            "Here the first half fails: ACSA varies less, as it should, since nAUROC-OVA depends on the class"
            " proportions (proved, n2). The second half, the paper's conclusion, holds."
        ),
    ),
    study_claim(
        claim_id="mullick-x4",
        paper=PAPER,
        where="section 5.5, Figure 5",
        statement=(
            "the least values of AUROC-OVA and AUROC-OVO are almost those of their normalised forms with"
            " three and five classes, and far above them with ten (more than twice as far)"
        ),
        study="mullick2020-multi-class",
        explanation=(
            "For AUROC-OVO the distance is (1 - ACSA)(C - 2)/(2(C - 1)), Lemma 2: a quarter of the errors at"
            " three classes, three eighths at five, four ninths at ten. So ten classes alone cannot double"
            " what five show; what the figure shows beyond that comes from more errors on its ten-class sets."
            " That the bias is there and grows with C holds."
        ),
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
