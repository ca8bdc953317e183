"""The claims of skrabanek2017: measures in class rates and class proportions, and their balanced forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.proofs import prove_equal
from steelyard_papers.claim import Claim, Finding, value, verdict_on

PAPER = "skrabanek2017"


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
"""The ten measures of Tab. 2 in the catalogue."""

BALANCED = {
    "acc": "balanced_accuracy",
    "er": "balanced_error_rate",
    "pr": "balanced_precision",
    "Fscore": "balanced_f_beta",
}


def _same(one: Expression, other: Expression, equal_sizes: bool = False) -> bool:
    def sides(tp: Any, fn: Any, fp: Any, tn: Any, b2: Any) -> tuple[Any, Any]:
        if equal_sizes:  # rows of the same sum: the negative row is scaled to the size of the positive one
            size = (tp + fn) / (fp + tn)
            fp, tn = fp * size, tn * size
        q = Quantities(tp, fn, fp, tn, b2)
        return one(q), other(q)

    return prove_equal(sides)


def _table(rows: dict[str, tuple[Expression, Expression]], name: str) -> Finding:
    failed = [row for row, (middle, right) in rows.items() if not _same(middle, right)]
    if failed:
        return Finding("not refuted", f"{name}: not proved for {', '.join(failed)}")
    return Finding(
        "proved", f"{name}: all {len(rows)} rows are identities of rational functions (FLINT), for every beta"
    )


def _table_3() -> Finding:
    columns = _table(TABLE_3, "Tab. 3")
    failed = [
        row for row, (middle, _) in TABLE_3.items() if not _same(middle, TABLE_2[row][0], equal_sizes=True)
    ]
    if failed or columns.verdict != "proved":
        return Finding("not refuted", f"{columns.evidence}; not proved at v_P = 0.5 for {', '.join(failed)}")
    return Finding("proved", f"{columns.evidence}; with v_P = 0.5 each equals its original (FLINT)")


def _biased() -> Finding:
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


def _gradients() -> Finding:
    """The part of the gradient along v_P is the change at fixed class rates: Condition 1 says that there is
    none."""
    flat = [row for row, name in BALANCED.items() if verdict_on(name, "prior-invariance").holds_at(2)]
    one, other = [[1, 1], [1, 3]], [[2, 2], [1, 3]]  # the same class rates at two priors
    changes = {row: (value(TEN[row], one), value(TEN[row], other)) for row in BALANCED}
    steep = [row for row, (before, after) in changes.items() if before != after]
    if set(flat) == set(BALANCED) == set(steep):
        shown = (f"{row}: {a} on {one} but {b} on {other}" for row, (a, b) in changes.items())
        return Finding(
            "proved",
            "the four balanced measures, written in rates and v_P, do not contain v_P at all (FLINT), so"
            " their gradient has no component along it; the four originals change with v_P at fixed rates: "
            + "; ".join(shown),
        )
    return Finding("not refuted", f"without component: {flat}; with: {steep}")


def _grapes() -> Finding:
    """Four printed figures, each within its rounding.

    v_P = 0.001 gives an interval for the rates from each.
    """
    half = Fraction(5, 10**4)
    v = Fraction(1, 1000)
    acc, acc_b, pr, pr_b = (Fraction(t) for t in ("0.963", "0.936", "0.027", "0.966"))
    # acc = v x + (1-v) y with 0 <= x <= 1 bounds y; acc_B then bounds x; both precisions rise with x and
    # with y.
    y_low, y_high = (acc - half - v) / (1 - v), (acc + half) / (1 - v)
    x_low, x_high = 2 * (acc_b - half) - y_high, 2 * (acc_b + half) - y_low
    best = {
        "balanced precision": x_high / (x_high + 1 - y_high),
        "precision": v * x_high / (v * x_high + (1 - v) * (1 - y_high)),
    }
    least = {
        "balanced precision": x_low / (x_low + 1 - y_low),
        "precision": v * x_low / (v * x_low + (1 - v) * (1 - y_low)),
    }
    words = [
        (
            f"accuracy 0.963 allows TNr {float(y_low):.4f} to {float(y_high):.4f}, and with balanced accuracy"
            f" 0.936 TPr {float(x_low):.4f} to {float(x_high):.4f}"
        ),
        (
            f"then balanced precision lies in {float(least['balanced precision']):.4f} to"
            f" {float(best['balanced precision']):.4f}, printed 0.966"
        ),
        f"and precision in {float(least['precision']):.4f} to {float(best['precision']):.4f}, printed 0.027",
    ]
    fits = (
        least["balanced precision"] <= pr_b + half
        and best["balanced precision"] >= pr_b - half
        and least["precision"] <= pr + half
        and best["precision"] >= pr - half
    )
    return Finding(
        verdict="reproduced" if fits else "refuted",
        evidence="; ".join(words),
        matrices=(),
        parts=tuple(words),
    )


CLAIMS = (
    Claim(
        id="skrabanek-t2",
        paper=PAPER,
        where="Tab. 2",
        statement="the modified expressions of the ten measures equal the standard ones",
        decide=lambda: _table(TABLE_2, "Tab. 2"),
    ),
    Claim(
        id="skrabanek-t3",
        paper=PAPER,
        where="Tab. 3",
        statement=(
            "the modified expressions of the four balanced measures equal the standard ones, and each equals"
            " its original at v_P = 0.5"
        ),
        decide=_table_3,
    ),
    Claim(
        id="skrabanek-b1",
        paper=PAPER,
        where="section 3.2",
        statement=(
            "of the ten measures exactly accuracy, error rate, precision and F-score depend on the class"
            " proportions"
        ),
        decide=_biased,
    ),
    Claim(
        id="skrabanek-g1",
        paper=PAPER,
        where="section 4, Fig. 1",
        statement=(
            "the gradient of each balanced measure has no component along v_P, that of each biased one has"
        ),
        decide=_gradients,
    ),
    Claim(
        id="skrabanek-x1",
        paper=PAPER,
        where="section 5",
        statement=(
            "accuracy 0.963, balanced accuracy 0.936, precision 0.027 and balanced precision 0.966 at v_P ="
            " 0.001 fit one pair of class rates"
        ),
        decide=_grapes,
        explanation=(
            "The paper calls the four figures averages over real images; an average of ratios is not the"
            " ratio of averages, so each figure may be right on its own. They only cannot be read as one"
            " detector at one operating point."
        ),
    ),
)
