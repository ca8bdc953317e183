"""No-skill baselines: the best expected value of a metric for predictions that ignore the input."""

# With two classes: the best of those that call a fixed number of rows positive at random (the Dutch Draw
# baseline of van de Bijl and others), with the expected value in closed form or as an exact sum. With more:
# class j with probability q_j, for several q, its expectation exact where it is known and simulated
# elsewhere. A classifier that always says the same is one of them.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import MOST_EXAMPLES
from steelyard.counts.labels import Array, Label
from steelyard.measures.measure import Measure, weigh
from steelyard.report.records import AnyLabel, Record, Value

# Simulated baselines draw C x C matrices; beyond so many classes the no-skill value is left out.
MOST_CLASSES_SIMULATED = 50
# Test sets drawn for an expectation that has no closed form: its standard error is far below what is shown.
DRAWS = 200
# Classes tried as the answer that is always given; no rarer one is better.
MOST_CONSTANTS = 20


@dataclass(frozen=True)
class Baseline(Record):
    """The best value that ignoring the input gives."""

    value: Value
    how: Literal["exact", "simulated"]
    # Who gets it: 'always predicting ok', 'calling half of the rows fraud at random'.
    words: str


@dataclass(frozen=True)
class Constant(Record):
    """Always predicting the most frequent class."""

    label: AnyLabel
    accuracy: float


def best_constant(matrix: Confusion) -> Constant:
    """The answer that is right most often without looking."""
    place = int(np.argmax(matrix.actual))
    return Constant(matrix.labels[place], float(matrix.actual[place] / matrix.total))


# `rows` is the number of weighted rows: what guessing reaches depends on it, not on the sum of weights.
def baselines(
    matrix: Confusion, measures: Iterable[Measure], positive: Label | None, rows: float | None = None
) -> Mapping[str, Baseline]:
    """The baseline of each measure that has one, by name: those that are better when higher, and costs."""
    if rows is not None and matrix.total > 0:
        scaled = np.asarray(matrix.counts, dtype=np.float64) * (rows / float(matrix.total))
        whole = np.abs(scaled - np.rint(scaled)) < 1e-6
        matrix = Confusion(np.where(whole, np.rint(scaled), scaled), matrix.labels)
    chosen = [m for m in measures if m.better == "higher" or m.id == "expected_cost"]
    two = matrix.n_classes == 2 and positive is not None
    by_name: dict[str, Baseline] = {}
    rest: list[Measure] = []
    for m in chosen:
        if m.id == "expected_cost":
            by_name[m.name] = _cheapest_constant(matrix, m)
            continue
        exact = _two_classes(matrix, m, positive) if two else _many_classes(matrix, m)
        if exact is not None:
            by_name[m.name] = exact
        else:
            rest.append(m)
    if rest:
        by_name |= _simulated(matrix, rest, positive)
    return {m.name: by_name[m.name] for m in chosen if m.name in by_name}


def _cheapest_constant(matrix: Confusion, m: Measure) -> Baseline:
    # The expected cost is linear in the predictions, so no random mixture is cheaper than the best constant.
    actual = np.asarray(matrix.actual, dtype=np.float64)
    constants = actual[None, :, None] * np.eye(matrix.n_classes)[:, None, :]
    costs = np.asarray(m(Confusion(constants, matrix.labels)))
    place = int(np.argmin(costs))
    return Baseline(float(costs[place]), "exact", f"always predicting {matrix.labels[place]}")


# -- two classes: k of the rows are predicted positive at random


def _two_classes(matrix: Confusion, m: Measure, positive: Label | None) -> Baseline | None:
    choice = matrix.positive_class(positive)
    called, other = choice.label, matrix.labels[1 - choice.place]
    whole = float(matrix.total)
    rare = float(matrix.actual[choice.place])
    if not 0 < rare < whole:
        return None
    share, always = rare / whole, f"always predicting {called}"
    match m.id:
        case "accuracy":
            words = always if share > 0.5 else f"always predicting {other}"
            return Baseline(max(share, 1 - share), "exact", words)
        case "balanced_accuracy" | "macro_recall" | "mcc" | "kappa" | "informedness" | "markedness":
            value = 0.5 if m.id in ("balanced_accuracy", "macro_recall") else 0.0
            return Baseline(value, "exact", "guessing at any rate")
        case "precision":
            return Baseline(share, "exact", f"calling rows {called} at random")
        case "recall" | "tpr":
            return Baseline(1.0, "exact", always)
        case "f_beta":
            b2 = float(m.parameters.get("beta", 1.0)) ** 2
            return Baseline((1 + b2) * rare / (b2 * rare + whole), "exact", always)
        case "gmean":
            if rare != int(rare) or whole != int(whole) or whole > 10**7:
                return Baseline(0.5, "exact", f"calling half of the rows {called} at random, in the limit")
            value, k = _best_gmean(int(whole), int(rare))
            return Baseline(value, "exact", f"calling {k:,} of the rows {called} at random")
    return None


# It rises to one peak and falls again.
def _best_gmean(whole: int, rare: int) -> tuple[float, int]:
    """The largest expected G-mean over the number k of rows predicted positive."""
    # Ternary search: some 40 evaluations in place of one for each of up to ten million values of k.
    low, high = 1, whole - 1
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        if _expected_gmean(whole, rare, left) < _expected_gmean(whole, rare, right):
            low = left
        else:
            high = right
    return max((_expected_gmean(whole, rare, k), k) for k in range(low, high + 1))


def _expected_gmean(whole: int, rare: int, k: int) -> float:
    common = whole - rare
    middle = rare * k / whole  # far from it nothing is to be found: 12 standard deviations are enough
    spread = math.sqrt(max(1.0, middle * (1 - k / whole) * (common / max(1, whole - 1))))
    reach = 12 * spread + 12
    first, last = max(0, k - common, math.ceil(middle - reach)), min(rare, k, math.floor(middle + reach))
    hits = np.arange(first, last + 1, dtype=np.float64)
    # All factorials of the hypergeometric distribution at once: a call of NumPy takes longer than its work.
    sizes = np.array([rare, common, whole, k, whole - k], dtype=np.float64)
    logs = _log_factorial(np.concatenate([sizes, hits, rare - hits, k - hits, common - k + hits]))
    of_rare, of_common, of_whole, of_k, of_others = logs[:5]
    hit, missed, false_alarms, rejected = logs[5:].reshape(4, len(hits))
    chosen = (of_rare - hit - missed) + (of_common - false_alarms - rejected)
    values = np.sqrt(hits * (common - k + hits) / (rare * common))
    return float((np.exp(chosen - (of_whole - of_k - of_others)) * values).sum())


def _log_factorial(n: Array) -> Array:
    """Stirling's series, shifted to where four terms give sixteen digits."""
    # scipy.special.gammaln would do; importing it takes longer than a whole evaluation of a small file.
    x = np.asarray(n, dtype=np.float64) + 1
    shift = np.zeros_like(x)
    for _ in range(10):
        small = x < 10
        if not small.any():
            break
        shift = np.where(small, shift + np.log(np.where(small, x, 1.0)), shift)
        x = np.where(small, x + 1, x)
    series = 1 / (12 * x) - 1 / (360 * x**3)
    if x.min(initial=math.inf) < 10_000:  # beyond, the others are lost in the rounding of these
        series = series + 1 / (1260 * x**5) - 1 / (1680 * x**7)
    return np.asarray((x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + series - shift)


# -- more classes


def _many_classes(matrix: Confusion, m: Measure) -> Baseline | None:
    constant = best_constant(matrix)
    everywhere = bool((matrix.actual > 0).all())
    match m.id:
        case "accuracy":
            return Baseline(constant.accuracy, "exact", f"always predicting {constant.label}")
        case "mcc" | "kappa":
            return Baseline(0.0, "exact", "guessing at any rates")
        case "macro_recall" if everywhere:
            return Baseline(1 / matrix.n_classes, "exact", "guessing at any rates")
    return None


def _simulated(matrix: Confusion, measures: list[Measure], positive: Label | None) -> dict[str, Baseline]:
    """The best expectation among constants and a few ways of guessing; only where every draw is defined."""
    classes = matrix.n_classes
    actual = np.round(np.asarray(matrix.actual, dtype=np.float64))
    if classes > MOST_CLASSES_SIMULATED or not (actual > 0).any() or (actual >= MOST_EXAMPLES).any():
        return {}
    sizes = actual.astype(np.int64)
    share = sizes / sizes.sum()
    ways = {
        "guessing every class equally often": np.full(classes, 1 / classes),
        "guessing as often as the classes occur": share,
        "guessing rare classes more often than they occur": np.sqrt(share) / np.sqrt(share).sum(),
    }
    best: dict[str, Baseline] = {}

    def offer(words: str, how: Literal["exact", "simulated"], batch: Array) -> None:
        values = weigh(measures, Confusion(batch, matrix.labels), positive=positive)
        for m in measures:
            mean = float(np.mean(values[m.name]))
            if not math.isnan(mean) and (m.name not in best or mean > best[m.name].value):
                best[m.name] = Baseline(mean, how, words)

    for place in np.argsort(-sizes)[: min(int((sizes > 0).sum()), MOST_CONSTANTS)]:
        constant = np.zeros((1, classes, classes))
        constant[0, :, place] = sizes
        offer(f"always predicting {matrix.labels[int(place)]}", "exact", constant)
    # A fixed seed: the baseline of a test set is one number, whatever seed the intervals use.
    random = np.random.default_rng(0)
    for words, rates in ways.items():
        drawn = np.stack([random.multinomial(int(size), rates, size=DRAWS) for size in sizes], axis=1)
        offer(words, "simulated", drawn.astype(np.float64))
    return best
