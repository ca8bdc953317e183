"""The claims of mortaz2020: the imbalance accuracy metric IAM, its theorems and worked examples."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from steelyard import measure
from steelyard.proofs import (
    as_matrix,
    certify_values,
    decide_affine,
    decide_not_greater,
    decide_same_ranking,
    prove_not_less,
    small_matrices,
    without_certificates,
)
from steelyard_papers.claim import Cell, Finding, Outcome, all_of, compare, from_verdict, on, value
from steelyard_papers.mortaz2020.below_accuracy import (
    ARGUMENT,
    fails_from_five_on,
    holds_up_to_four,
    two_taken_for_each_other,
)
from steelyard_papers.mortaz2020.printed import (
    COLUMNS,
    EXAMPLE_3,
    FIGURES,
    GLASS,
    SATIMAGE,
    Rows,
    contradictions,
)

CM3, CM4 = FIGURES["matrices"]["2a"], FIGURES["matrices"]["2b"]
FIVE = {
    "ACC": "accuracy",
    "MAP": "macro_precision",
    "MAR": "macro_recall",
    "F-score": "macro_f_beta",
    "CBA": "class_balance_accuracy",
}


def never_above(smaller: str, *larger: str) -> Finding:
    """Is one measure never above each of the others?"""
    return all_of(*(from_verdict(decide_not_greater(measure(smaller), measure(name))) for name in larger))


def below_accuracy() -> Finding:
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


def another_choice() -> Finding:
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


# What section 2.4.1 reads off a value of IAM.
SIGNS: dict[str, Callable[[Fraction], bool]] = {
    "negative": lambda iam: iam < 0,
    "positive": lambda iam: iam > 0,
    "zero": lambda iam: iam == 0,
}
# Numbers right and wrong that say the contrary.
CONTRARY: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "negative": lambda right, wrong: right > wrong,
    "positive": lambda right, wrong: wrong > right,
    "zero": lambda right, wrong: right != wrong,
}


def sign_of_iam(sign: str) -> Finding:
    """The smallest matrix on which IAM has this sign and the numbers right and wrong say the contrary."""
    for n_classes in (2, 3, 4):
        for matrix in small_matrices(n_classes):
            right = sum(matrix[i][i] for i in range(n_classes))
            wrong = sum(map(sum, matrix)) - right
            iam = value("IAM", matrix)
            if iam == iam and SIGNS[sign](Fraction(iam)) and CONTRARY[sign](Fraction(right), Fraction(wrong)):
                evidence = f"on {on(matrix)} IAM is {iam}, yet {right} examples are right and {wrong} wrong"
                return Finding("refuted", evidence, (matrix,))
    return Finding("not refuted", "no small matrix of 2, 3 or 4 classes")


def proposition_1() -> Finding:
    """a/b <= (a+c)/(b+c), with a = b - gap."""
    if prove_not_less(lambda b, gap, c: ((b - gap + c) / (b + c), (b - gap) / b)):
        return Finding("proved", "the difference is c (b - a)/(b (b + c)), which is not negative (FLINT)")
    return Finding("not refuted", "the algebra was not confirmed")


def not_always_below(smaller: str, larger: str) -> Finding:
    """A counterexample to `smaller` <= `larger` proves that it does not always hold."""
    with without_certificates():  # what it finds on the way is not what proves the statement
        finding = from_verdict(decide_not_greater(measure(smaller), measure(larger)))
    outcome: Outcome = "proved" if finding.verdict == "refuted" else "not refuted"
    for matrix in finding.matrices[:1]:
        certify_values((measure(smaller), measure(larger)), matrix)
    return Finding(outcome, finding.evidence, finding.matrices, classes=finding.classes)


def table(number: int, example: str) -> Finding:
    """The five measures of an example against a table."""
    matrix = FIGURES["matrices"][example]
    cells = (Cell(name, text, value(FIVE[name], matrix)) for name, text in FIGURES[f"table {number}"].items())
    return compare(cells, [as_matrix(matrix)])


def table_9() -> Finding:
    matrices = FIGURES["matrices"]
    cells = (
        Cell(f"example {example}", text, value("IAM", matrices[example]))
        for example, text in FIGURES["table 9"].items()
    )
    return compare(cells, [as_matrix(matrix) for matrix in matrices.values()])


PRINTED: dict[str, Rows] = {"example 3": EXAMPLE_3, "table 16": GLASS, "table 18": SATIMAGE}


def insight_1() -> Finding:
    """The multiple-metric scheme and IAM on the two classifiers of example 1."""
    rows = [
        {name: value(FIVE[name], FIGURES["matrices"][example]) for name in FIVE} for example in ("1a", "1b")
    ]
    lowest = [min(row, key=lambda name: row[name]) for row in rows]
    first, second = (row["CBA"] for row in rows)
    higher = insight_2("1a", "1b")
    lows = f"the lowest are {lowest[0]} {float(first):.4f} and {lowest[1]} {float(second):.4f}"
    evidence = f"{lows}; {higher.evidence}"
    return _as_stated(
        lowest == ["CBA", "CBA"] and first > second and higher.verdict == "reproduced", evidence
    )


def insight_2(better: str = "2a", other: str = "2b") -> Finding:
    """Is IAM higher for the first of two worked matrices?"""
    first, second = (value("IAM", FIGURES["matrices"][example]) for example in (better, other))
    return _as_stated(
        first > second, f"IAM {float(first):.4f} in example {better}, {float(second):.4f} in example {other}"
    )


def insight_3() -> Finding:
    """Which model of Table 10 has the highest printed IAM?"""
    printed = {model: float(row[COLUMNS.index("IAM")]) for model, row in EXAMPLE_3.items()}
    highest = max(printed, key=lambda model: printed[model])
    return _as_stated(highest == "ML_6", f"the highest is that of {highest}, {printed[highest]}")


def rows_fit(table: str) -> Finding:
    """Can the CBA, MAR, MAP and IAM of each row belong to the same predictions?"""
    rows = PRINTED[table]
    off = [f"{model}: {', '.join(why)}" for model, row in rows.items() if (why := contradictions(row))]
    if not off:
        return Finding("reproduced", f"every printed row of {table} is possible within rounding")
    evidence = (
        "IAM = 2 CBA - 1 and CBA <= MAR, MAP, for single matrices and for averages over folds;"
        f" {len(off)} of {len(rows)} rows of {table} cannot be: "
    )
    return Finding("refuted", evidence + "; ".join(off), parts=tuple(off))


def means_over_folds(table: str) -> Finding:
    """The same of means over folds, which keep both relations."""
    fit = rows_fit(table)
    evidence = f"{len(fit.parts)} of {len(PRINTED[table])} rows cannot be true, whatever the folds were"
    return Finding("refuted" if fit.parts else "not refuted", evidence, parts=fit.parts)


def multiple_metrics() -> Finding:
    """The scheme of section 3.5 on the printed tables: each model's lowest measure, and whose is highest."""
    glass, satimage = (
        {model: [float(text) for text in row[:5]] for model, row in table.items()}
        for table in (GLASS, SATIMAGE)
    )
    by_cba = sum(values[COLUMNS.index("CBA")] == min(values) for values in glass.values())
    chosen = [max(table, key=lambda model: min(table[model])) for table in (glass, satimage)]
    as_stated = len(GLASS) / 2 < by_cba < len(GLASS) and chosen == ["RF", "GBM"]
    evidence = (
        f"CBA is the lowest of the five for {by_cba} of {len(GLASS)} models of Table 16; the largest row"
        f" minimum is that of {chosen[0]} on Glass and of {chosen[1]} on Satimage"
    )
    return _as_stated(as_stated, evidence)


def _as_stated(holds: bool, evidence: str) -> Finding:
    return Finding("reproduced" if holds else "not reproduced", evidence, parts=() if holds else (evidence,))
