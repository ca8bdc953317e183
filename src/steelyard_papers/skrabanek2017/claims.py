"""The claims of skrabanek2017: measures in class rates and class proportions, and their balanced forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard import measure
from steelyard.proofs import as_matrix, certify_values, prove_equal
from steelyard_papers.claim import Finding, value, verdict_on


@dataclass(frozen=True)
class Quantities:
    """Counts, class rates and class proportions of a two-class matrix in symbols, and beta squared."""

    tp: Any
    fn: Any
    fp: Any
    tn: Any
    b2: Any

    @property
    def x(self) -> Any:
        return self.tp / (self.tp + self.fn)

    @property
    def y(self) -> Any:
        return self.tn / (self.tn + self.fp)

    @property
    def v_p(self) -> Any:
        return (self.tp + self.fn) / (self.tp + self.fn + self.fp + self.tn)

    @property
    def v_n(self) -> Any:
        return (self.tn + self.fp) / (self.tp + self.fn + self.fp + self.tn)


Expression = Callable[[Quantities], Any]

# Each row: the standard expression (middle column) and the modified one (right column), as printed.
TABLE_2: dict[str, tuple[Expression, Expression]] = {
    "acc": (lambda q: (q.tp + q.tn) / (q.tp + q.fn + q.tn + q.fp), lambda q: q.x * q.v_p + q.y * q.v_n),
    "er": (
        lambda q: (q.fp + q.fn) / (q.tp + q.fn + q.tn + q.fp),
        lambda q: (1 - q.x) * q.v_p + (1 - q.y) * q.v_n,
    ),
    "pr": (lambda q: q.tp / (q.tp + q.fp), lambda q: q.x * q.v_p / (q.x * q.v_p + (1 - q.y) * q.v_n)),
    "re": (lambda q: q.tp / (q.tp + q.fn), lambda q: q.x),
    "sp": (lambda q: q.tn / (q.tn + q.fp), lambda q: q.y),
    "fnr": (lambda q: q.fn / (q.tp + q.fn), lambda q: 1 - q.x),
    "fpr": (lambda q: q.fp / (q.tn + q.fp), lambda q: 1 - q.y),
    "Fscore": (
        lambda q: (q.b2 + 1) * q.tp / ((q.b2 + 1) * q.tp + q.b2 * q.fn + q.fp),
        lambda q: (
            (q.b2 + 1) * q.x * q.v_p / (((q.b2 + 1) * q.x + q.b2 * (1 - q.x)) * q.v_p + (1 - q.y) * q.v_n)
        ),
    ),
    # Squared: roots of equal numbers are equal.
    "Gmean": (lambda q: q.tp / (q.tp + q.fn) * (q.tn / (q.tn + q.fp)), lambda q: q.x * q.y),
    "AUC": (lambda q: (q.tp / (q.tp + q.fn) + q.tn / (q.tn + q.fp)) / 2, lambda q: (q.x + q.y) / 2),
}

TABLE_3: dict[str, tuple[Expression, Expression]] = {
    "acc": (
        lambda q: (q.v_n * q.tp + q.v_p * q.tn) / (q.v_n * (q.tp + q.fn) + q.v_p * (q.tn + q.fp)),
        lambda q: (q.x + q.y) / 2,
    ),
    "er": (
        lambda q: (q.v_p * q.fp + q.v_n * q.fn) / (q.v_n * (q.tp + q.fn) + q.v_p * (q.tn + q.fp)),
        lambda q: ((1 - q.x) + (1 - q.y)) / 2,
    ),
    "pr": (lambda q: q.v_n * q.tp / (q.v_n * q.tp + q.v_p * q.fp), lambda q: q.x / (q.x + 1 - q.y)),
    "Fscore": (
        lambda q: (q.b2 + 1) * q.v_n * q.tp / (q.v_n * ((q.b2 + 1) * q.tp + q.b2 * q.fn) + q.v_p * q.fp),
        lambda q: (q.b2 + 1) * q.x / ((q.b2 + 1) * q.x + q.b2 * (1 - q.x) + (1 - q.y)),
    ),
}

# The ten measures of Tab. 2 in the catalogue.
TEN = {
    "acc": "accuracy",
    "er": "error_rate",
    "pr": "precision",
    "re": "recall",
    "sp": "specificity",
    "fnr": "fnr",
    "fpr": "fpr",
    "Fscore": "f_beta",
    "Gmean": "gmean",
    "AUC": "auc_point",
}

BALANCED = {
    "acc": "balanced_accuracy",
    "er": "balanced_error_rate",
    "pr": "balanced_precision",
    "Fscore": "balanced_f_beta",
}


def _same(left: Expression, right: Expression, equal_sizes: bool = False) -> bool:
    def sides(tp: Any, fn: Any, fp: Any, tn: Any, b2: Any) -> tuple[Any, Any]:
        if equal_sizes:  # rows of the same sum: the negative row is scaled to the size of the positive one
            size = (tp + fn) / (fp + tn)
            fp, tn = fp * size, tn * size
        q = Quantities(tp, fn, fp, tn, b2)
        return left(q), right(q)

    return prove_equal(sides)


def table(name: str) -> Finding:
    """Are the middle and the right column of a table the same?"""
    rows = {"Tab. 2": TABLE_2, "Tab. 3": TABLE_3}[name]
    failed = [row for row, (middle, right) in rows.items() if not _same(middle, right)]
    if failed:
        return Finding("not refuted", f"{name}: not proved for {', '.join(failed)}")
    return Finding(
        "proved", f"{name}: all {len(rows)} rows are identities of rational functions (FLINT), for every beta"
    )


def table_3() -> Finding:
    columns = table("Tab. 3")
    failed = [
        row for row, (middle, _) in TABLE_3.items() if not _same(middle, TABLE_2[row][0], equal_sizes=True)
    ]
    if failed or columns.verdict != "proved":
        return Finding("not refuted", f"{columns.evidence}; not proved at v_P = 0.5 for {', '.join(failed)}")
    return Finding("proved", f"{columns.evidence}; with v_P = 0.5 each equals its original (FLINT)")


def biased() -> Finding:
    verdicts = {row: verdict_on(name, "prior-invariance") for row, name in TEN.items()}
    biased = [row for row, v in verdicts.items() if v.holds_at(2) is False or v.grade == "refuted"]
    parts = tuple(f"{row}: {v}" for row, v in verdicts.items())
    as_stated = set(biased) == {"acc", "er", "pr", "Fscore"} and all(
        v.grade == "proved" for row, v in verdicts.items() if row not in biased
    )
    matrices = tuple(
        m for row in biased for v in [verdicts[row]] if v.counterexample for m in v.counterexample.matrices
    )
    return Finding(
        verdict="proved" if as_stated else "refuted",
        evidence=(
            f"depending on the class proportions: {', '.join(biased)}; the six others are invariant by exact"
            " algebra (FLINT)"
        ),
        matrices=matrices,
        parts=parts,
    )


def gradients() -> Finding:
    """The part of the gradient along v_P is the change at fixed class rates: Condition 1 says that there is
    none."""
    flat = [row for row, name in BALANCED.items() if verdict_on(name, "prior-invariance").holds_at(2)]
    first, second = [[1, 1], [1, 3]], [[2, 2], [1, 3]]  # the same class rates at two priors
    changes = {row: (value(TEN[row], first), value(TEN[row], second)) for row in BALANCED}
    steep = [row for row, (before, after) in changes.items() if before != after]
    if set(flat) == set(BALANCED) == set(steep):
        shown = (f"{row}: {a} on {first} but {b} on {second}" for row, (a, b) in changes.items())
        return Finding(
            "proved",
            "the four balanced measures, written in rates and v_P, do not contain v_P at all (FLINT), so"
            " their gradient has no component along it; the four originals change with v_P at fixed rates: "
            + "; ".join(shown),
        )
    return Finding("not refuted", f"without component: {flat}; with: {steep}")


def errors_weigh_differently() -> Finding:
    """One more error, on a minority and on a majority example, with 10 and 90 examples of the classes."""
    base, minority, majority = ([[10, 0], [0, 90]], [[9, 1], [0, 90]], [[10, 0], [1, 89]])
    changes = {
        row: [abs(Fraction(value(name, rows)) - Fraction(value(name, base))) for rows in (minority, majority)]
        for row, name in BALANCED.items()
    }
    for rows in (base, minority, majority):
        certify_values(map(measure, BALANCED.values()), as_matrix(rows))
    evidence = "; ".join(f"{row}_B {a} and {b}" for row, (a, b) in changes.items())
    differ = all(a != b for a, b in changes.values())
    return Finding(
        "proved" if differ else "refuted",
        f"from {base} one error on the minority and one on the majority change the value by: {evidence}",
        tuple(map(as_matrix, (base, minority, majority))),
        parts=() if differ else (evidence,),
        classes="C = 2",
    )


# Half a unit of the third digit.
HALF = Fraction(1, 2000)


def grape_precisions() -> dict[str, tuple[Fraction, Fraction]]:
    """What accuracy 0.963 and balanced accuracy 0.936 at v_P = 0.001, each within its rounding, allow the two
    precisions to be."""
    v, accuracy, balanced = Fraction(1, 1000), Fraction("0.963"), Fraction("0.936")
    rates = []
    for a in (accuracy - HALF, accuracy + HALF):
        for b in (balanced - HALF, balanced + HALF):
            y = (a - v * 2 * b) / (1 - 2 * v)  # from acc = v x + (1 - v) y and 2 acc_B = x + y
            rates.append((2 * b - y, y))
    # Both are monotone in the rates, which are linear in the two figures: their ends lie at the corners.
    ranges = {
        "precision": [v * x / (v * x + (1 - v) * (1 - y)) for x, y in rates],
        "balanced precision": [x / (x + 1 - y) for x, y in rates],
    }
    return {name: (min(values), max(values)) for name, values in ranges.items()}


def grapes() -> Finding:
    """The four printed figures, each within its rounding."""
    allowed, printed = grape_precisions(), {"precision": "0.027", "balanced precision": "0.966"}
    fits = all(
        low <= Fraction(printed[name]) + HALF and Fraction(printed[name]) - HALF <= high
        for name, (low, high) in allowed.items()
    )
    words = tuple(
        f"{name} lies in {float(low):.4f} to {float(high):.4f}, printed {printed[name]}"
        for name, (low, high) in allowed.items()
    )
    evidence = (
        "accuracy 0.963 and balanced accuracy 0.936 leave one pair of class rates within rounding; then "
    )
    return Finding("reproduced" if fits else "refuted", evidence + " and ".join(words), parts=words)
