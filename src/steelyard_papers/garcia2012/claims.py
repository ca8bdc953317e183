"""Claims of garcia2012: invariance of thirteen measures under five changes of the matrix (Table 2)."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard import Measure, measure, two_class
from steelyard.proofs import Verdict, as_matrix, decide_property, prove_not_less
from steelyard_papers.claim import Finding, on, value
from steelyard_papers.printed_figures import printed

Array = NDArray[Any]
STRIPS = 4


def point_areas(c: Any, strips: int = STRIPS) -> list[Array]:
    """The area right of the ROC curve through one point, in horizontal strips from bottom to top: integrals
    of (1 - FPR) dTPR."""
    x = c.ratio(c.tp, c.tp + c.fn, "there are no positive examples")
    f = 1 - c.ratio(c.tn, c.tn + c.fp, "there are no negative examples")
    because = "the operating point lies on the edge of the ROC square"

    def below(height: Fraction) -> Array:
        """The integral of FPR dTPR up to this height of the curve (0,0), (f,x), (1,1)."""
        u = x * 0 + c.number(height)
        over = c.maximum(u - x, x * 0)
        under = u - over
        return np.asarray(
            c.ratio(f * under * under, 2 * x, because)
            + f * over
            + c.ratio((1 - f) * over * over, 2 * (1 - x), because)
        )

    edges = [Fraction(k, strips) for k in range(strips + 1)]
    return [
        c.number(Fraction(1, strips)) - (below(high) - below(low)) for low, high in itertools.pairwise(edges)
    ]


def weights(rho: Fraction, strips: int, first: Fraction) -> list[Fraction]:
    """The weights of the strips from bottom to top, the recursion of Eq. 1 started with `first`."""
    weights_found = [first]
    for _ in range(strips - 1):
        weights_found.append(weights_found[-1] * rho + (1 - rho))
    weights_found[-1] = weights_found[-1] / (1 - rho)
    return weights_found


def weighted_auc_point(
    rho: Fraction = Fraction(1, 10), strips: int = STRIPS, as_printed: bool = False
) -> Measure:
    """The weighted AUC of a single operating point: weights that sum to the number of strips, or as Eq. 1
    prints them."""
    factors = weights(rho, strips, rho if as_printed else 1 - rho)

    def body(c: Any) -> Array:
        return np.asarray(
            sum(c.number(w) * area for w, area in zip(factors, point_areas(c, strips), strict=True))
        )

    return two_class(
        id="weighted_auc_point",
        title="Weighted AUC of a single operating point",
        question="How large is the ROC area, its top weighing more?",
        formula=r"\sum_i w_i A_i",
        reads="sum of weighted strips of the ROC area",
        body=body,
    )


MEASURES: dict[str, Measure] = {
    "TPr": measure("recall"),
    "TNr": measure("specificity"),
    "Prec": measure("precision"),
    "Acc": measure("accuracy"),
    "Gm": measure("gmean"),
    "AUC": measure("auc_point"),
    "F_1": measure("f_beta"),
    "OP": measure("optimized_precision"),
    "IBA": measure("iba"),
    "kappa": measure("kappa"),
    "AGm": measure("adjusted_gmean"),
    "cwA": measure("class_weighted_accuracy", w=0.75),
    "wAUC": weighted_auc_point(),
}

# As printed, "+" for a change that the measure detects and "-" for one that it does not. The columns in the
# order of MEASURES.
TABLE_2: dict[str, str] = printed("garcia2012")["table 2"]


def computed_table() -> dict[tuple[str, str], Verdict]:
    """All 65 cells of Table 2, decided."""
    return {(p, name): decide_property(m, p) for p in TABLE_2 for name, m in MEASURES.items()}


def table_2() -> Finding:
    verdicts = computed_table()
    off, proofs, examples = [], 0, 0
    for p, row in TABLE_2.items():
        for name, cell in zip(MEASURES, row, strict=True):
            verdict = verdicts[p, name]
            ours = {"proved": "-", "refuted": "+"}.get(verdict.grade, "?")
            proofs, examples = proofs + (ours == "-"), examples + (ours == "+")
            if ours != cell:
                off.append(f"{p}, {name}: paper {cell}, here {ours} ({verdict})")
    if off:
        return Finding(
            "not reproduced",
            f"{65 - len(off)} of 65 cells agree; these do not: " + "; ".join(off),
            parts=tuple(off),
        )
    return Finding(
        "reproduced",
        f"all 65 cells agree: {proofs} invariances proved by exact algebra (FLINT), {examples} refuted by"
        " pairs of matrices in exact fractions (cwA with w = 3/4, wAUC of a single point in"
        f" {STRIPS} strips). Columns {', '.join(MEASURES)}: "
        + ", ".join(f"{p} {' '.join(row)}" for p, row in TABLE_2.items()),
    )


def weighted_auc() -> Finding:
    matrix = [[3, 2], [1, 4]]  # TPr 3/5, FPr 1/5
    auc = value("auc_point", matrix)
    as_printed = value(weighted_auc_point(Fraction(0), as_printed=True), matrix)
    repaired = value(weighted_auc_point(Fraction(0)), matrix)
    rows = tuple(tuple(Fraction(v) for v in row) for row in matrix)
    if as_printed == auc:
        return Finding(verdict="not refuted", evidence=f"both are {auc} on {matrix}", matrices=(rows,))
    return Finding(
        verdict="refuted",
        evidence=(
            f"at the operating point of {matrix} (TPr 3/5, FPr 1/5) with {STRIPS} strips and rho = 0, Eq. 1"
            f" as printed gives {as_printed}, AUC is {auc}; started with 1 - rho instead of rho it gives"
            f" {repaired}"
        ),
        matrices=(rows,),
    )


def more_sensitive() -> Finding:
    """AGm = (Gm + TNr P_n)/(1 + P_n): its derivatives are P_n + r/2 by TNr and 1/(2r) by TPr, over 1 + P_n,
    with r the root of TPr/TNr."""
    base, more_tpr, more_tnr = (
        as_matrix(rows) for rows in ([[10, 90], [90, 810]], [[20, 80], [90, 810]], [[10, 90], [0, 900]])
    )
    start, by_tpr, by_tnr = (float(value("AGm", rows)) for rows in (base, more_tpr, more_tnr))
    holds_above = prove_not_less(lambda more, negatives: (negatives + (1 + more) / 2, 1 / (2 * (1 + more))))
    if not (holds_above and by_tpr > by_tnr):
        return Finding("not refuted", "no matrix was found on which AGm changes more with TPr")
    return Finding(
        "refuted",
        f"from {on(base)} a TPr higher by 0.1 raises AGm from {start:.3f} to {by_tpr:.3f}, a TNr higher by"
        f" 0.1 to {by_tnr:.3f}; where TPr is at least TNr the statement holds (FLINT)",
        (base, more_tpr, more_tnr),
        classes="C = 2",
    )


def most_sensitive() -> Finding:
    """Which measures have a + in all five rows of Table 2?"""
    verdicts = computed_table()
    every = [name for name in MEASURES if all(verdicts[p, name].grade == "refuted" for p in TABLE_2)]
    agreed = set(every) == {"IBA", "AGm", "cwA", "wAUC"}
    evidence = f"a pair of matrices for each of the five changes: {', '.join(every)}"
    return Finding(
        "proved" if agreed else "refuted", evidence, parts=() if agreed else (evidence,), classes="C = 2"
    )
