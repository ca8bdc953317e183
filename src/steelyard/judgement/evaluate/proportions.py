"""Which usual numbers mislead on this very test set, and by how much?

A measure that depends on the class proportions is shown as observed, on balanced classes and at the user's priors, with class rates
unchanged (skrabanek2017 section 4, mullick2020 Condition 1). What differs is owed to the test set, not to the classifier.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion, Spoken
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none
from steelyard.judgement.evaluate.composition import TestSet
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, PositiveClassWarning
from steelyard.measures.operators import at_priors, balanced

NOTABLE = 0.05
"""A shift of this part of the measure's range is worth a warning."""

MOST_CELLS_AT_ONCE = 4_000_000
"""Cells of a sweep held at a time: thousands of classes at every share together would not fit into memory."""

POPULAR_TWO_CLASS = ("accuracy", "precision", "f_beta", "mcc", "kappa", "negative_predictive_value")
POPULAR_MULTI_CLASS = (
    "accuracy",
    "macro_precision",
    "macro_f_beta",
    "weighted_f_beta",
    "class_balance_accuracy",
    "mcc",
    "kappa",
)


@dataclass(frozen=True)
class Shift:
    """A popular measure as observed and at other class proportions."""

    measure: Measure
    observed: float
    balanced: float
    at_priors: float | None
    size: float
    """How far balancing moves it, as a part of its range; 0 where one of the values is undefined."""
    words: str

    @property
    def notable(self) -> bool:
        return self.size >= NOTABLE

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.measure.name,
            "title": self.measure.title,
            "observed": number_or_none(self.observed),
            "balanced": number_or_none(self.balanced),
            "at_priors": number_or_none(self.at_priors),
            "shift": self.size,
            "misleads": self.notable,
            "words": self.words,
        }


@dataclass(frozen=True)
class Sweep:
    """How measures move as the minority becomes rarer while class rates stay fixed."""

    minority: tuple[Label, ...]
    shares: tuple[float, ...]
    lines: dict[str, tuple[float, ...]]
    """Values by measure name, NaN where undefined."""
    flat: tuple[str, ...]
    """The measures that do not move."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "minority": [str(label) for label in self.minority],
            "shares": list(self.shares),
            "lines": {name: [number_or_none(v) for v in values] for name, values in self.lines.items()},
            "flat": list(self.flat),
        }


def find_shifts(
    matrix: Confusion, test_set: TestSet, positive: Label | None, priors: Any
) -> tuple[Shift, ...]:
    """Every popular measure with what balancing does to it, the largest shift first."""
    shifts = []
    for name in POPULAR_TWO_CLASS if positive is not None and matrix.n_classes == 2 else POPULAR_MULTI_CLASS:
        m = measure(name)
        observed, even = (_value(f, matrix, positive) for f in (m, balanced(m)))
        shifted = _value(at_priors(m, priors), matrix, positive) if priors is not None else None
        low, high = m.range.at(matrix.n_classes)
        size = abs(even - observed) / (high - low) if not math.isnan(even - observed) else 0.0
        shifts.append(
            Shift(
                m,
                observed,
                even,
                shifted,
                size,
                _words(m, observed, even, shifted, test_set, matrix, positive),
            )
        )
    return tuple(sorted(shifts, key=lambda s: -s.size))


def sweep_priors(
    matrix: Confusion, test_set: TestSet, positive: Label | None, points: int = 49
) -> Sweep | None:
    """Measures against the share of the minority, from one half to one in ten thousand; None where a class has no examples."""
    if test_set.absent or len(test_set.classes) < 2:
        return None
    rare = (
        {positive}
        if positive is not None and matrix.n_classes == 2
        else set(test_set.minority or (test_set.smallest.label,))
    )
    in_rare = np.array([label in rare for label in matrix.labels])
    shares = np.geomspace(0.5, 0.0001, points)
    rates = matrix.counts / matrix.actual[:, None]
    # Within the minority and within the majority, classes keep their proportions to each other.
    within = np.where(
        in_rare, matrix.actual / matrix.actual[in_rare].sum(), matrix.actual / matrix.actual[~in_rare].sum()
    )
    weights = within * np.where(in_rare, shares[:, None], 1 - shares[:, None])
    two = positive is not None and matrix.n_classes == 2
    names = ("accuracy", "precision", "f_beta", "mcc", "gmean", "balanced_precision", "balanced_accuracy") if two else (
        "accuracy", "macro_precision", "macro_f_beta", "class_balance_accuracy", "mcc", "macro_recall", "gmean", "maurpc_ova",
    )  # fmt: skip
    parts: dict[str, list[float]] = {name: [] for name in names}
    step = max(1, MOST_CELLS_AT_ONCE // matrix.n_classes**2)
    for start in range(0, points, step):
        swept = Confusion(rates * weights[start : start + step, :, None], matrix.labels)
        for name in names:
            parts[name].extend(np.asarray(_value(measure(name), swept, positive)).tolist())
    lines = {name: tuple(values) for name, values in parts.items()}
    flat = tuple(name for name, values in lines.items() if _is_flat(values))
    return Sweep(
        tuple(label for label in matrix.labels if label in rare), tuple(shares.tolist()), lines, flat
    )


def _is_flat(values: tuple[float, ...]) -> bool:
    """Does the measure stay where it is? One that is undefined everywhere goes nowhere, but it is no frame of reference."""
    defined = [value for value in values if not math.isnan(value)]
    return bool(defined) and max(defined) - min(defined) < 1e-9


def _value(m: Measure, matrix: Confusion, positive: Label | None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PositiveClassWarning)
        return m(matrix, positive=positive if m.kind == "two-class" else None)


def _words(
    m: Measure,
    observed: float,
    even: float,
    shifted: float | None,
    test_set: TestSet,
    matrix: Confusion,
    positive: Label | None,
) -> str:
    name = (
        m.title[0].lower() + m.title[1:]
        if not m.title.startswith(("Matthews", "Cohen", "F-", "AUROC"))
        else m.title
    )
    if math.isnan(observed):
        why = m.why_undefined(matrix, positive=positive if m.kind == "two-class" else None)
        return f"{name} is undefined: {why}"
    if math.isnan(even):
        return f"{name} is {observed:.2f}; on balanced classes it is undefined: {balanced(m).why_undefined(matrix, positive=positive if m.kind == 'two-class' else None)}"
    parts = [f"{name} {observed:.2f} is {even:.2f} on balanced classes"]
    if shifted is not None and not math.isnan(shifted):
        parts.append(f" and {shifted:.2f} at your priors")
    if abs(even - observed) >= 0.005:
        biggest, smallest = test_set.largest, test_set.smallest
        parts.append(
            f": {_percent(biggest.share)} of the test set is {_called(biggest.label)}"
            if observed > even
            else f": only {_percent(smallest.share)} of the test set is {_called(smallest.label)}"
        )
    else:
        parts = [f"{name} {observed:.2f} is the same on balanced classes", *parts[1:]]
    return "".join(parts)


def _called(label: Label) -> str:
    return str(label) if isinstance(label, Spoken) else f"class {label}"


def _percent(share: float) -> str:
    percent = 100 * share
    return (
        f"{percent:.0f} %" if percent >= 10 else f"{percent:.1f} %" if percent >= 0.1 else f"{percent:.2g} %"
    )
