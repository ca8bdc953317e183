"""The claims of mortaz2020: the imbalance accuracy metric IAM, its theorems and worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from steelyard import measure
from steelyard.proofs import (
    as_matrix,
    decide_affine,
    decide_not_greater,
    decide_same_ranking,
    small_matrices,
)
from steelyard_papers.claim import (
    Cell,
    Claim,
    Finding,
    all_of,
    compare,
    from_verdict,
    holds,
    on,
    study_claim,
    value,
)
from steelyard_papers.mortaz2020.below_accuracy import (
    ARGUMENT,
    fails_from_five_on,
    holds_up_to_four,
    two_taken_for_each_other,
)
from steelyard_papers.mortaz2020.printed import EXAMPLE_3, FIGURES, GLASS, SATIMAGE, Rows
from steelyard_papers.printed_figures import half_unit

PAPER = "mortaz2020"

CM3, CM4 = FIGURES["matrices"]["2a"], FIGURES["matrices"]["2b"]
FIVE = {
    "ACC": "accuracy",
    "MAP": "macro_precision",
    "MAR": "macro_recall",
    "F-score": "macro_f_beta",
    "CBA": "class_balance_accuracy",
}


def _never_above(*names: str) -> Finding:
    return all_of(*(from_verdict(decide_not_greater(measure("IAM"), measure(name))) for name in names))


def _below_accuracy() -> Finding:
    """Theorem 4: it holds up to four classes and for no number beyond."""
    at_five, overall = two_taken_for_each_other(5), two_taken_for_each_other(7)
    words = [f"IAM {value('IAM', m)} and ACC {value('ACC', m)} on {on(m)}" for m in (at_five, overall)]
    seen = all(value("IAM", m) > value("ACC", m) for m in (at_five, overall))
    if not (seen and fails_from_five_on() and holds_up_to_four()):
        return from_verdict(decide_not_greater(measure("IAM"), measure("ACC"), (2, 3, 4, 5, 6)))
    return Finding(
        verdict="refuted",
        evidence=(
            f"refuted for every C >= 5: {words[0]}, of 16 examples the smallest at C = 5; {words[1]}, of 12"
            " the smallest of all with every class present; two classes taken for each other throughout give"
            f" IAM = 1 - 4/C whatever their size. {ARGUMENT}"
        ),
        matrices=(at_five, overall),
        classes="C >= 5",
    )


def _another_choice() -> Finding:
    """IAM could only choose another model if it ranked two models oppositely."""
    verdict = decide_same_ranking(measure("IAM"), measure("CBA"))
    identity = decide_affine(measure("IAM"), measure("CBA"))
    if verdict.grade != "proved":
        return Finding("not refuted", str(verdict))
    pair = as_matrix(CM3), as_matrix(CM4)
    values = "; ".join(
        f"{name} {float(value(name, m)):.4f} on {on(m)}" for m in pair for name in ("CBA", "IAM")
    )
    return Finding(
        verdict="refuted",
        evidence=(
            f"IAM = 2 CBA - 1 on every matrix of every size ({identity.method}), so the two always choose the"
            f" same model; example 2 itself: {values}"
        ),
        matrices=pair,
    )


def _sign_of_iam() -> Finding:
    for n_classes in (2, 3):
        for matrix in small_matrices(n_classes):
            right = sum(matrix[i][i] for i in range(n_classes))
            wrong = sum(map(sum, matrix)) - right
            iam = value("IAM", matrix)
            if iam == iam and iam < 0 and wrong <= right - 1:
                return Finding(
                    verdict="refuted",
                    evidence=(
                        f"on {on(matrix)} IAM is {iam}, below 0, yet {right} examples are right and"
                        f" {wrong} wrong"
                    ),
                    matrices=(matrix,),
                )
    return Finding("not refuted", "no small matrix of 2 or 3 classes")


def _table(number: int, example: str) -> Finding:
    """The five measures of an example against a table."""
    matrix = FIGURES["matrices"][example]
    cells = (Cell(name, text, value(FIVE[name], matrix)) for name, text in FIGURES[f"table {number}"].items())
    return compare(cells, [as_matrix(matrix)])


def _table_9() -> Finding:
    matrices = FIGURES["matrices"]
    cells = (
        Cell(f"example {example}", text, value("IAM", matrices[example]))
        for example, text in FIGURES["table 9"].items()
    )
    return compare(cells, [as_matrix(matrix) for matrix in matrices.values()])


def possible_iam(cba: str) -> tuple[Fraction, Fraction]:
    """The interval of IAM for a CBA that rounds to the printed one: IAM = 2 CBA - 1 holds for means over
    folds too."""
    half = half_unit(cba)
    return 2 * (Fraction(cba) - half) - 1, 2 * (Fraction(cba) + half) - 1


def _rows_fit(table: Rows, where: str) -> Finding:
    off = [f"{model}: {words}" for model, row in table.items() if (words := misfit(row))]
    if not off:
        return Finding("reproduced", f"every printed IAM of {where} is 2 CBA - 1 within rounding")
    told = (
        "IAM = 2 CBA - 1 exactly, for single matrices and for averages over folds; "
        f"in {len(off)} of {len(table)} rows of {where} the printed pair cannot be: "
    )
    return Finding("refuted", told + "; ".join(off), parts=tuple(off))


def misfit(row: Sequence[str]) -> str:
    """What a row says that cannot be, or nothing: its CBA and IAM contradict each other."""
    _, cba, mar, map_, _, iam = row
    low, high = possible_iam(cba)
    if low - half_unit(iam) <= Fraction(iam) <= high + half_unit(iam):
        return ""
    allowed = f"IAM {float(low):.3f} to {float(high):.3f}"
    return f"CBA {cba} means {allowed}, printed {iam} (MAR {mar}, MAP {map_})"


CUT = (
    "The figures of example 2 that differ were cut after their last digit instead of rounded; nothing in the"
    " example depends on it."
)
FIT = (
    "Each IAM is compared with the CBA of its own row: as IAM = 2 CBA - 1 on every matrix, and averages keep"
    " the relation, a pair that breaks it cannot belong to the same predictions. The columns may come from"
    " different runs."
)

CLAIMS = (
    Claim(
        id="mortaz-t1",
        paper=PAPER,
        where="Theorem 1",
        statement="-1 <= IAM <= 1, and both ends are reached",
        decide=lambda: holds("IAM", "bounded"),
    ),
    Claim(
        id="mortaz-t2",
        paper=PAPER,
        where="Theorem 2",
        statement="IAM <= CBA",
        decide=lambda: _never_above("CBA"),
    ),
    Claim(
        id="mortaz-t3",
        paper=PAPER,
        where="Theorem 3",
        statement="IAM <= MAP, IAM <= MAR and IAM <= F-score",
        decide=lambda: _never_above("MAP", "MAR", "macro_f_beta"),
    ),
    Claim(
        id="mortaz-t4",
        paper=PAPER,
        where="Theorem 4",
        statement="IAM <= ACC for every matrix of every size",
        decide=_below_accuracy,
        explanation=(
            "For two, three and four classes the theorem holds. The last step of its proof for three and more"
            " classes drops a term that is not negative from the larger side, after which the conclusion no"
            " longer follows; with enough classes told right and one large class told wrong, IAM passes ACC."
        ),
    ),
    Claim(
        id="mortaz-c1",
        paper=PAPER,
        where="sections 2.2, 4",
        statement="IAM can choose another model than CBA would",
        decide=_another_choice,
        explanation=(
            "The paper compares the two as different measures, but the numerator d - max(t-d, p-d) is 2d -"
            " max(t, p): IAM is CBA on another scale, and a change of scale cannot change a choice."
        ),
    ),
    Claim(
        id="mortaz-s1",
        paper=PAPER,
        where="section 2.4.1",
        statement="IAM < 0 means that more instances are predicted wrong than right",
        decide=_sign_of_iam,
        explanation=(
            "True of a class, not of all instances together: each class counts the same, so a small class"
            " told wrong can outweigh a large one told right."
        ),
    ),
    Claim(
        id="mortaz-tab2",
        paper=PAPER,
        where="Table 2",
        statement="the five measures of example 1a",
        decide=lambda: _table(2, "1a"),
    ),
    Claim(
        id="mortaz-tab3",
        paper=PAPER,
        where="Table 3",
        statement="the five measures of example 1b",
        decide=lambda: _table(3, "1b"),
    ),
    Claim(
        id="mortaz-tab5",
        paper=PAPER,
        where="Table 5",
        statement="the five measures of example 2a",
        decide=lambda: _table(5, "2a"),
        explanation=CUT,
    ),
    Claim(
        id="mortaz-tab6",
        paper=PAPER,
        where="Table 6",
        statement="the five measures of example 2b",
        decide=lambda: _table(6, "2b"),
        explanation=CUT,
    ),
    Claim(
        id="mortaz-tab9",
        paper=PAPER,
        where="Table 9",
        statement="IAM of examples 1 and 2",
        decide=_table_9,
        explanation=CUT,
    ),
    Claim(
        id="mortaz-tab10",
        paper=PAPER,
        where="Tables 8, 10",
        statement="each printed IAM can come from the printed CBA, MAR and MAP of its row",
        decide=lambda: _rows_fit(EXAMPLE_3, "Tables 8 and 10"),
        explanation=FIT,
    ),
    Claim(
        id="mortaz-tab16",
        paper=PAPER,
        where="Table 16",
        statement="each printed IAM can come from the printed CBA, MAR and MAP of its row",
        decide=lambda: _rows_fit(GLASS, "Table 16"),
        explanation=FIT,
    ),
    Claim(
        id="mortaz-tab18",
        paper=PAPER,
        where="Table 18",
        statement="each printed IAM can come from the printed CBA, MAR and MAP of its row",
        decide=lambda: _rows_fit(SATIMAGE, "Table 18"),
        explanation=FIT,
    ),
    study_claim(
        claim_id="mortaz-x1",
        paper=PAPER,
        where="Table 16",
        statement="RF wins on Glass by CBA and by IAM",
        study="mortaz2020-shuffles",
    ),
    study_claim(
        claim_id="mortaz-x2",
        paper=PAPER,
        where="Table 18",
        statement="GBM wins on Satimage by CBA and by IAM",
        study="mortaz2020-shuffles",
    ),
    study_claim(
        claim_id="mortaz-x3",
        paper=PAPER,
        where="Fig. 2",
        statement="on a heavily skewed set accuracy is nearly flat while IAM moves",
        study="mortaz2020-sweeps",
    ),
)
