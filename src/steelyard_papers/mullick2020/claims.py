"""The claims of mullick2020: Conditions 1 to 3 on indices for imbalanced data."""

from __future__ import annotations

from typing import Any

from steelyard.proofs import EVERY, as_matrix, prove_equal
from steelyard_papers.claim import (
    Cell,
    Finding,
    all_of,
    compare,
    fails,
    holds,
    value,
)
from steelyard_papers.mullick2020 import every_size


def column_sums() -> Finding:
    """The sum over j of m_ji / n_j can be as large as C."""
    matrix = as_matrix([[1, 0], [1, 0]])
    total = sum(row[0] / sum(row) for row in matrix)
    verdict: Any = "refuted" if total > 1 else "not refuted"
    return Finding(
        verdict=verdict,
        evidence=f"on [[1, 0], [1, 0]] the sum for the first column is {total}; it can be as large as C",
        matrices=(matrix,),
    )


def still_good_with_one_class_failing() -> Finding:
    """Condition 3: no value of mAURPC-OVA is below 0 for any C, and the limit stays above 3(C-1)/(4C)."""
    limit, bounds = every_size.limit_of_a_failing_class(), holds("mAURPC-OVA", "same-bounds")
    if limit.verdict != "proved" or bounds.verdict != "proved":
        return holds("mAURPC-OVA", "one-class-failing")
    return Finding(
        "proved", f"its worst value is 0 for every C; {limit.evidence}; so it stays above 0", classes=EVERY
    )


def neither_of_ova() -> Finding:
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


def normalised_ova_is_invariant() -> Finding:
    counterexample = every_size.ova_depends_on_proportions()
    if counterexample.verdict != "proved":
        return holds("nAUROC-OVA", "prior-invariance")
    first, second = (value("nAUROC-OVA", m) for m in counterexample.matrices)
    return Finding(
        "refuted",
        f"{counterexample.evidence}; for a given C the normalised form is a rising line of it: {first}"
        f" and {second} at C = 3. With two classes the statement holds",
        counterexample.matrices,
        classes="C >= 3",
    )


def one_class_pulls_gmean_down() -> Finding:
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
        "for every C: the product of the recalls is 0, the worst value, as soon as one class is"
        " always misclassified (computed for C = 2..12)",
        (matrices[1],),
        classes=EVERY,
    )


def at_sixty_percent() -> Finding:
    cells = []
    for n_classes, printed in ((3, "0.70"), (6, "0.77")):
        matrix = [[6 * (n_classes - 1) if i == j else 4 for j in range(n_classes)] for i in range(n_classes)]
        cells.append(Cell(f"AUROC-OVA at C = {n_classes}", printed, value("AUROC-OVA", matrix)))
    return compare(cells, [as_matrix([[6, 2, 2], [2, 6, 2], [2, 2, 6]])])
