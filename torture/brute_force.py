"""Is the best threshold the best of all, and do the best class weights leave nothing to gain along any class?

Every threshold is tried row by row in fractions; for class weights, every weight of one class at which a row changes its label.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import steelyard as sy

MEASURES = (
    "gmean", "f_beta", "accuracy", "mcc", "kappa", "informedness", "markedness", "precision", "recall", "specificity",
    "negative_predictive_value", "threat_score", "error_rate", "fnr", "class_balance_accuracy", "macro_precision",
)  # fmt: skip
OF_CLASSES = (
    "macro_recall",
    "gmean",
    "accuracy",
    "kappa",
    "mcc",
    "class_balance_accuracy",
    "macro_f_beta",
    "error_rate",
)


@dataclass
class Tried:
    thresholds: int = 0
    class_weights: int = 0
    wrong: list[str] = field(default_factory=list)


def run(cases: int, seed: int = 0) -> Tried:
    """Try so many cases of each kind."""
    done = Tried()
    for number in range(cases):
        rng = random.Random(f"{seed}-{number}")
        done.thresholds += 1
        done.wrong += _threshold(rng)
        if number % 4 == 0:
            done.class_weights += 1
            done.wrong += _class_weights(rng)
    return done


def _threshold(rng: random.Random) -> list[str]:
    rows = rng.randint(2, 14)
    truth = [rng.randint(0, 1) for _ in range(rows - 2)] + [0, 1]
    scores = [rng.choice([0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 3.0]) for _ in range(rows)]
    weights = [rng.choice([0.3, 0.7, 1.0, 0.1, 2.0]) for _ in range(rows)] if rng.random() < 0.5 else None
    measure = sy.measure(rng.choice(MEASURES))
    sign = -1 if measure.better == "lower" else 1
    values: dict[float, float] = {}
    for threshold in (math.inf, *sorted(set(scores), reverse=True)):
        cells = [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]]
        for t, s, w in zip(truth, scores, weights or [1.0] * rows, strict=True):
            cells[1 - t][0 if s >= threshold else 1] += Fraction(w)
        exact = measure.exact(
            sy.Confusion([[float(c) for c in row] for row in cells], ["1", "0"]), positive="1"
        )
        values[threshold] = sign * float(exact)
    defined = [v for v in values.values() if v == v]
    what = f"{measure.name} of {truth}, {scores}, {weights}"
    try:
        found = sy.best_threshold(
            sy.ScoreCounts.from_scores(truth, scores, 1, None, weights), measure, replicates=0
        )
    except sy.InputError:
        return [f"{what}: refused"] if defined else []
    if not defined:
        return [f"{what}: {found.threshold} where nothing has a value"]
    right = next(t for t, v in values.items() if v >= max(defined) - 1e-12)
    if found.threshold != right or not math.isclose(
        sign * found.value, values[right], rel_tol=1e-9, abs_tol=1e-12
    ):
        return [f"{what}: {found.threshold} ({found.value}) should be {right} ({sign * values[right]})"]
    return []


def _class_weights(rng: random.Random) -> list[str]:
    rows, classes = rng.randint(4, 16), rng.randint(2, 4)
    truth = [rng.randrange(classes) for _ in range(rows - classes)] + list(range(classes))
    table = np.array(
        [[rng.choice([0.05, 0.1, 0.2, 0.3, 0.6, 0.9]) for _ in range(classes)] for _ in range(rows)]
    )
    weights = np.array([rng.choice([0.5, 1.0, 2.0]) for _ in range(rows)]) if rng.random() < 0.3 else None
    measure = sy.measure(rng.choice(OF_CLASSES))
    sign = -1.0 if measure.better == "lower" else 1.0
    labels = list(range(classes))
    found = sy.best_class_weights(truth, table, measure, labels=labels, sample_weight=weights)
    what = f"{measure.name} of {truth}, {table.tolist()}, {weights}"

    def value(own: Any) -> float:
        called = [max(labels, key=lambda k: (row[k] * own[k], -k)) for row in table]
        got = float(measure(sy.Confusion.from_labels(truth, called, labels, weights)))
        return -math.inf if math.isnan(got) else sign * got

    own = list(found.weights)
    told = sign * found.value
    if not (value(own) == told or math.isclose(value(own), told, rel_tol=1e-9, abs_tol=1e-12)):
        return [f"{what}: {found.value} is said of weights that give {sign * value(own)}"]
    for k in labels:
        others = [max(row[j] * own[j] for j in labels if j != k) for row in table]
        turning = sorted({o / row[k] for o, row in zip(others, table, strict=True) if row[k] > 0})
        # A gap no wider than rounding is a tie, at which the order of the classes decides and not the weight.
        gaps = [(a, b) for a, b in itertools.pairwise(turning) if b - a > 1e-9 * b]
        middles = [(a + b) / 2 for a, b in gaps]
        for candidate in (turning[0] / 2, *middles, turning[-1] * 2 + 1):
            if value([*own[:k], candidate, *own[k + 1 :]]) > told + 1e-9:
                return [f"{what}: weight {candidate} of class {k} gives more than {found.value}"]
    return []
