"""Dependence of metrics on the class distribution."""

# Values as observed, balanced and at the user's priors, and the classes that cause the difference.
#
# A metric that depends on the class distribution is shown as observed, on balanced classes and at the user's
# priors, with class rates unchanged (skrabanek2017 section 4, mullick2020 Condition 1). None of the three is
# wrong: they describe three populations. The difference is attributed to classes by Aumann-Shapley values:
# along the straight line from balanced classes to the test set every class's share changes at a constant
# pace, and a class's part is the integral of the metric's slope in that share times the pace, so the parts
# sum to the whole difference.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label
from steelyard.judgement.baselines import Baseline, baselines
from steelyard.judgement.evaluate.classes import TestSet
from steelyard.judgement.metrics.result import Weighed, Weighing
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import at_priors, balanced
from steelyard.report.numbers import percent, shown
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Value, derived
from steelyard.scores.fields import TEXT, OfMeasure, many

# A shift of this part of the measure's range is worth a word.
NOTABLE = 0.05

# Cells of a sweep held at a time: thousands of classes at every share together would not fit into memory.
MOST_CELLS_AT_ONCE = 4_000_000

# Above this, eight measures at 49 shares are hundreds of passes over millions of cells.
MOST_CLASSES_SWEPT = 1_000

# Classes are named as the cause until they make this part of the gap; fewer than half of it is no cause.
MAIN_PART, HALF, MOST_CAUSES = 0.75, 0.5, 2

# Those that people quote without saying at which prevalence.
POPULAR_TWO_CLASS = ("accuracy", "precision", "f_beta", "mcc", "kappa", "negative_predictive_value")
POPULAR_MULTI_CLASS = (
    *("accuracy", "macro_precision", "macro_f_beta", "weighted_f_beta", "class_balance_accuracy"),
    *("mcc", "kappa"),
)
# Those whose lines are drawn against prevalence.
SWEPT_TWO = ("accuracy", "precision", "f_beta", "mcc", "gmean", "balanced_precision", "balanced_accuracy")
SWEPT_MANY = (
    *("accuracy", "macro_precision", "macro_f_beta", "class_balance_accuracy", "mcc", "macro_recall"),
    *("gmean", "maurpc_ova"),
)

# Classes up to which the parts are found: the work grows with their cube.
MOST_CLASSES = 50
# Derivatives for every class at every node: fewer nodes where there are more classes.
FEW_CLASSES = 12
# Central differences: their error is of the order of the step squared, 1e-8, below what is shown.
_STEP = 1e-4
# Slopes miss a corner on the way; where they leave more of the gap unexplained than this,
# nothing is attributed.
_CLOSE = 0.02


@dataclass(frozen=True)
class ClassContribution(Record):
    """What one class contributes to observed less balanced."""

    label: AnyLabel
    share: Annotated[float, HIDDEN]
    recall: Annotated[float, HIDDEN]
    contribution: float


@dataclass(frozen=True)
class Shift(OfMeasure):
    """A popular measure as observed and at another class distribution."""

    observed: Value
    balanced: Value
    at_priors: Value | None
    # How far balancing moves it, as a part of its range; 0 where one of the values is undefined.
    size: Annotated[float, Json("shift")]
    words: str
    # What each class contributes to observed less balanced; the parts sum to it.
    causes: tuple[ClassContribution, ...] = ()

    notable = derived(bool, lambda self: self.size >= NOTABLE, "misleads")


@dataclass(frozen=True)
class Sweep(Record):
    """How measures move as the minority becomes rarer while class rates stay fixed."""

    minority: Annotated[
        tuple[Label, ...], Json(write=lambda labels: [str(label) for label in labels], schema=many(TEXT))
    ]
    shares: tuple[float, ...]
    # Values by measure name, NaN where undefined.
    lines: dict[str, tuple[Value, ...]]
    # The measures that do not move.
    flat: tuple[str, ...]


def find_shifts(matrix: Confusion, positive: Label | None, priors: Any) -> tuple[Shift, ...]:
    """Every popular measure with what balancing does to it, the largest shift first."""
    popular = [
        measure(name) for name in (POPULAR_TWO_CLASS if matrix.n_classes == 2 else POPULAR_MULTI_CLASS)
    ]
    versions = [(m, balanced(m), None if priors is None else at_priors(m, priors)) for m in popular]
    every = [m for of_one in versions for m in of_one if m is not None]
    computed = weigh(every, matrix, positive=positive)
    values = [
        (m, computed[m.name], computed[even.name], None if shifted is None else computed[shifted.name])
        for m, even, shifted in versions
    ]
    causes = attributed(matrix, [(m, observed - even) for m, observed, even, _ in values], positive)
    shifts = []
    for m, observed, even, shifted in values:
        low, high = m.range.at(matrix.n_classes)
        parts = causes.get(m.name, ())
        size = abs(even - observed) / (high - low)
        if math.isnan(observed):
            words = f"{short_name(m)} is undefined: {m.why_undefined(matrix, positive=positive)}"
        elif math.isnan(even):
            why = balanced(m).why_undefined(matrix, positive=positive)
            words = f"{short_name(m)} is {shown(observed)}; on balanced classes it is undefined: {why}"
        else:
            words = _words(m, observed, even, shifted, parts)
        shifts.append(Shift(m, observed, even, shifted, 0.0 if math.isnan(size) else size, words, parts))
    return tuple(sorted(shifts, key=lambda s: -s.size))


# None where a class has no examples, and with thousands of classes.
def sweep_priors(matrix: Confusion, test_set: TestSet, positive: Label | None) -> Sweep | None:
    """Measures against the share of the minority, from one half to one in ten thousand."""
    if test_set.absent or len(test_set.classes) < 2 or matrix.n_classes > MOST_CLASSES_SWEPT:
        return None
    minority = test_set.minority or (test_set.smallest.label,)
    rare = {positive} if matrix.n_classes == 2 else set(minority)
    in_rare = np.array([label in rare for label in matrix.labels])
    shares = np.geomspace(0.5, 0.0001, 49)
    rates = matrix.counts / matrix.actual[:, None]
    # Within the minority and within the majority, classes keep their proportions to each other.
    within = np.where(
        in_rare, matrix.actual / matrix.actual[in_rare].sum(), matrix.actual / matrix.actual[~in_rare].sum()
    )
    weights = within * np.where(in_rare, shares[:, None], 1 - shares[:, None])
    measures = {name: measure(name) for name in (SWEPT_TWO if matrix.n_classes == 2 else SWEPT_MANY)}
    parts: dict[str, list[float]] = {name: [] for name in measures}
    step = max(1, MOST_CELLS_AT_ONCE // matrix.n_classes**2)
    for start in range(0, len(shares), step):
        swept = Confusion(rates * weights[start : start + step, :, None], matrix.labels)
        at_shares = weigh(measures.values(), swept, positive=positive)
        for name, m in measures.items():
            parts[name].extend(at_shares[m.name].tolist())
    lines = {name: tuple(values) for name, values in parts.items()}
    flat = []
    for name, values in lines.items():
        # A measure that is undefined everywhere does not move, but it is no frame of reference.
        defined = [value for value in values if not math.isnan(value)]
        flat += [name] if defined and max(defined) - min(defined) < 1e-9 else []
    swept_classes = tuple(label for label in matrix.labels if label in rare)
    return Sweep(swept_classes, tuple(shares.tolist()), lines, tuple(flat))


def _words(
    m: Measure, observed: float, even: float, shifted: float | None, causes: tuple[ClassContribution, ...]
) -> str:
    name, here, there = short_name(m), shown(observed), shown(even)
    at = "" if shifted is None or math.isnan(shifted) else f" and {shown(shifted)} at your priors"
    if here == there:
        return f"{name} is {here} on the test set and on balanced classes" + at
    words = f"{name} is {here} on the test set, {there} on balanced classes{at}"
    gap = observed - even
    # The classes that together make three quarters of the gap, if they are few.
    named: list[ClassContribution] = []
    for cause in causes:
        if sum(p.contribution for p in named) / gap >= MAIN_PART or len(named) == MOST_CAUSES:
            break
        named.append(cause)
    if named and sum(p.contribution for p in named) / gap >= HALF:
        texts = [f"{c.label} ({percent(c.share)} of the rows, recall {percent(c.recall)})" for c in named]
        words += f", because of {' and '.join(texts)}"
    return words


# None where it cannot be had.
def attributed(
    matrix: Confusion, gaps: Sequence[tuple[Measure, float]], positive: Label | None
) -> dict[str, tuple[ClassContribution, ...]]:
    """The part of each class in each measure's gap, the largest in the gap's own direction first."""
    wanted = [(m, gap) for m, gap in gaps if gap and not math.isnan(gap)]
    classes = matrix.n_classes
    if classes > MOST_CLASSES or not wanted or not (matrix.actual > 0).all():
        return {}
    rates = matrix.counts / np.asarray(matrix.actual, dtype=np.float64)[:, None]
    even = np.full(classes, 1 / classes)
    shares = np.asarray(matrix.actual, dtype=np.float64) / float(matrix.total)
    pace = shares - even
    places, weights = _nodes(64 if classes <= FEW_CLASSES else 12)
    here = even + places[:, None] * pace
    # Shares are nudged in proportion, so that a rare class is not moved beyond 0.
    nudged = here[:, None, None, :] * (1 + _STEP * np.array([1.0, -1.0])[:, None, None] * np.eye(classes))
    batch = Confusion(nudged[..., None] * rates, matrix.labels)
    parts = {}
    for name, values in weigh([m for m, _ in wanted], batch, positive=positive).items():
        slopes = (values[:, 0] - values[:, 1]) / (2 * _STEP * here)
        parts[name] = (weights[:, None] * slopes * pace).sum(axis=0)
    causes = {}
    for m, gap in wanted:
        of_class = parts[m.name]
        left = gap - of_class.sum()
        if abs(left) <= _CLOSE * abs(gap):
            # What quadrature leaves is shared out, so that the parts sum to the gap exactly.
            of_class = of_class + left * np.abs(of_class) / np.abs(of_class).sum()
            order = np.argsort(-of_class * math.copysign(1.0, gap), kind="stable")
            figures = zip(shares[order], np.diagonal(rates)[order], of_class[order], strict=True)
            labels = [matrix.labels[i] for i in order]
            causes[m.name] = tuple(
                ClassContribution(label, *map(float, row)) for label, row in zip(labels, figures, strict=True)
            )
    return causes


# Near the test set rare classes make measures steep.
def _nodes(number: int) -> tuple[Array, Array]:
    """Places on the way from 0 to 1 and their weights, dense towards the test set."""
    # Fejér's first rule: closed form, where Gauss-Legendre needs numpy.polynomial and eigenvalues, and as
    # exact for such functions (Trefethen 2008, "Is Gauss quadrature better than Clenshaw-Curtis?").
    angles = (np.arange(number) + 0.5) * np.pi / number
    orders = np.arange(1, number // 2 + 1)
    weights = 2 / number * (1 - 2 * (np.cos(2 * np.outer(angles, orders)) / (4 * orders**2 - 1)).sum(axis=1))
    away = (1 - np.cos(angles)) / 2
    return 1 - away**4, weights / 2 * 4 * away**3


@dataclass(frozen=True)
class HeadlineRow(OfMeasure):
    """One metric in the populations that may be meant."""

    observed: Value
    # At the priors that were given; None where none were.
    at_priors: Value | None
    balanced: Value
    baseline: Baseline | None
    why_undefined: Annotated[str | None, Json("undefined_because")]

    @property
    def depends_on_shares(self) -> bool:
        """Does it move on balanced classes by more than rounding?"""
        return abs(self.observed - self.balanced) > 1e-9


# What decides stands first, of the catalogue or not (None: it is no measure of a matrix).
def headline_rows(
    matrix: Confusion,
    names: Sequence[str],
    weighing: Weighing,
    positive: Label | None,
    decides: Measure | None,
    row_count: float | None = None,
) -> tuple[HeadlineRow, ...]:
    """The headline's measures as observed and elsewhere."""
    rows = [weighing[name] for name in names]
    if decides is not None and decides.name not in names:
        # A measure that is not of the catalogue is computed like those that are.
        at = None if weighing.priors is None else at_priors(decides, weighing.priors)(matrix)
        why = decides.why_undefined(matrix)
        rows.insert(0, Weighed(decides, decides(matrix), None, why, at_priors=at))
    measures = [row.measure for row in rows]
    even = weigh([balanced(m) for m in measures], matrix, positive=positive)
    ignorant = baselines(matrix, measures, positive, row_count)
    return tuple(
        HeadlineRow(r.measure, r.value, r.at_priors, value, ignorant.get(r.measure.name), r.why_undefined)
        for r, value in zip(rows, even.values(), strict=True)
    )
