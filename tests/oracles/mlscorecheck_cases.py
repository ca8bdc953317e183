"""The cases of mlscorecheck, as demands of ours: its names, its uncertainty, its folds."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.auditing.checker.question import Interval
from steelyard.auditing.problem.demands import Demand
from steelyard.auditing.problem.folds import Folds, Setting
from steelyard.auditing.problem.settings import OneMatrix, Sizes

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "mlscorecheck.json").read_text(encoding="utf-8")
)
CASES: list[dict[str, Any]] = RECORDED["cases"]

_NAMES = {
    "acc": "accuracy", "sens": "recall", "spec": "specificity", "bacc": "balanced_accuracy", "ppv": "precision",
    "npv": "negative_predictive_value", "f1": "f1", "f1p": "f1", "fbp": "f1", "f1n": "f1", "fbn": "f1", "fm": "fowlkes_mallows",
    "gm": "gmean", "mk": "markedness", "bm": "informedness", "mcc": "mcc", "lrp": "positive_likelihood_ratio",
    "lrn": "negative_likelihood_ratio", "dor": "diagnostic_odds_ratio", "ji": "threat_score", "kappa": "kappa",
}  # fmt: skip


LINEAR = ("acc", "sens", "spec", "bacc")


def _facts(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": name,
        "question": "?",
        "formula": "",
        "reads": "",
        "range": sy.measure("accuracy").range,
    }


_OWN = {
    "upm": sy.two_class(
        **_facts("upm"),
        body=lambda c: c.ratio(
            4 * c.tp * c.tn, 4 * c.tp * c.tn + (c.tp + c.tn) * (c.fp + c.fn), "nothing is right"
        ),
    ),
    "pt": sy.two_class(
        **_facts("pt"),
        body=lambda c: c.ratio(
            c.sqrt(c.ratio(c.fp, c.negatives, "no negatives")),
            c.sqrt(c.ratio(c.tp, c.positives, "no positives"))
            + c.sqrt(c.ratio(c.fp, c.negatives, "no negatives")),
            "nothing is called positive",
        ),
    ),
}
"""What the catalogue does not list: P4 and the prevalence threshold, by their published definitions."""


def question(case: dict[str, Any]) -> tuple[list[Demand], Setting]:
    """The demands and the setting of a recorded case."""
    scores = dict(case["scores"])
    betas = {"fbp": scores.pop("beta_positive", 1), "fbn": scores.pop("beta_negative", 1)}
    room = Fraction(str(case["eps"])) + Fraction(str(RECORDED["tolerance"]))
    demands = []
    for name, value in scores.items():
        if case["kind"] not in ("test set", "pooled folds") and name not in LINEAR:
            continue  # of means it looks at these only
        measure = _OWN[name] if name in _OWN else sy.measure(_NAMES[name])
        if name in betas:
            measure = sy.measure("f_beta", beta=betas[name])
        place: int | None = 1 if name in ("f1n", "fbn") else 0
        if case["kind"] == "macro":
            measure, place = sy.one_versus_all(measure, "macro"), None
        elif measure.kind != "two-class":
            place = None
        # Its printed scores are doubles: what Python shows is what it was given.
        printed = Fraction(repr(value))
        demands.append(Demand(measure, Interval(printed - room, printed + room), place, name))
    return demands, _setting(case)


def _setting(case: dict[str, Any]) -> Setting:
    labels, sizes = ("p", "n"), case["sizes"]
    if case["kind"] == "test set":
        return OneMatrix(Sizes(labels, tuple(sizes)))
    if case["kind"] == "macro":
        return OneMatrix(Sizes(tuple(f"c{i}" for i in range(len(sizes))), tuple(sizes)))
    if case["kind"] == "mean of unknown folds":
        return Folds(Sizes(labels, tuple(sizes[:2])), sizes[2], "unknown")
    totals = tuple(int(v) for v in np.sum(sizes, axis=0))
    if case["kind"] == "pooled folds":
        return OneMatrix(Sizes(labels, totals))
    return Folds(Sizes(labels, totals), len(sizes), tuple(tuple(fold) for fold in sizes))
