"""Correction for known error rates of the labels (Rogan and Gladen 1978), with both uncertainties."""

# A recorded label is right with a known probability in each true class (sensitivity and specificity of the
# labels), and whether it is wrong does not depend on the prediction. Then every column of the matrix of
# recorded labels is a mixture: of N rows with one prediction, (recorded positives - (1 - specificity) N) /
# (sensitivity + specificity - 1) are positive, at least 0 and at most N. Confidence limits are percentiles
# over the posterior of the recorded matrix and, where a rate was itself measured (180 of 200), over its Beta
# posterior with Jeffreys' prior (Lang and Reiczigel 2014, doi:10.1016/j.prevetmed.2013.09.015, for
# prevalence).

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh
from steelyard.report.numbers import percent
from steelyard.report.records import Record
from steelyard.uncertainty.confidence_limits import percentiles
from steelyard.uncertainty.dirichlet_posterior import posterior_matrices
from steelyard.uncertainty.intervals import Interval
from steelyard.uncertainty.resampling import within_draws

# Standard deviations by which recorded labels may miss the errors that the rates imply.
_WITHIN = 4


@dataclass(frozen=True)
class LabelRate(Record):
    """How often rows of a true class carry its label, and how many rows that is known from."""

    label: str
    rate: float
    #: None: the rate is taken to be known.
    checked: int | None = None

    def drawn(self, random: np.random.Generator, size: int) -> Array:
        if self.checked is None:
            return np.full(size, self.rate)
        right = round(self.rate * self.checked)
        return random.beta(right + 0.5, self.checked - right + 0.5, size)


@dataclass(frozen=True, eq=False)
class CorrectedLabels:
    """Recorded labels of two classes, and how often they are right."""

    recorded: Confusion
    #: In the order of the classes.
    rates: tuple[LabelRate, LabelRate]

    @property
    def assumed(self) -> str:
        known = " and ".join(
            f'{percent(rate.rate)} of the labels of true class "{rate.label}" are right'
            + (f" ({rate.checked:,} checked)" if rate.checked else "")
            for rate in self.rates
        )
        return (
            f"Metrics are corrected for label errors: {known}. This assumes that errors do not depend on the"
            " prediction (where they may, check some rows at random: --gold). Confidence intervals include"
            " the uncertainty of the checks and treat the rows as a random sample."
        )

    @property
    def labelled(self) -> Array:
        return np.asarray(self.recorded.total)

    @property
    def pool(self) -> Confusion:
        """The estimated matrix of the true classes; refuses rates that the recorded labels contradict."""
        recorded = self.recorded.counts.astype(float)
        counts = _corrected(recorded, *(np.array(rate.rate) for rate in self.rates))
        columns = recorded.sum(axis=0)
        for this, other, row in ((0, 1, recorded[0]), (1, 0, recorded[1])):
            # Errors of the other class alone make at least this share of the labels, whatever was predicted.
            wrong, checked = 1 - self.rates[other].rate, self.rates[other].checked
            spread = wrong * (1 - wrong) * (columns + (columns**2 / checked if checked else 0))
            if (wrong * columns - row > _WITHIN * np.sqrt(spread)).any() or not counts[this].any():
                label, k = self.recorded.labels, int(np.argmax(wrong * columns - row))
                raise InputError(
                    "the recorded labels do not fit the rates",
                    found=f'{percent(row[k] / columns[k])} labelled "{label[this]}" of {columns[k]:,.0f} rows'
                    f' predicted "{label[k]}"',
                    allowed=f'at least {percent(wrong)}, the errors of class "{label[other]}"',
                    do="leave the rates out, or check rows of that class again",
                    parameter="label_rates",
                )
        return Confusion(counts, self.recorded.labels)

    def intervals(self, measures: Sequence[Measure], **how: Any) -> dict[str, Interval]:
        """The interval of each metric against the true classes; `how` is what strata take."""
        level, draws, seed, positive = (how[name] for name in ("level", "draws", "seed", "positive"))
        random = np.random.default_rng(seed)
        joint = JointCounts.from_confusion(self.recorded)
        recorded = posterior_matrices(joint, False, "shared", random, draws)[0]
        matrices = _corrected(recorded, *(rate.drawn(random, draws) for rate in self.rates))
        labels, policy = self.recorded.labels, within_draws(how["undefined"])
        drawn = weigh(measures, Confusion(matrices, labels), positive=positive, undefined=policy)
        values = weigh(measures, self.pool, positive=positive, undefined=policy)
        by_name = {}
        for name, each in drawn.items():
            defined, estimate = each[~np.isnan(each)], float(values[name])
            low = high = math.nan
            if len(defined) and not math.isnan(estimate):
                low, high = percentiles(defined, level)
            method = level, "label rates", "sample", draws, len(each) - len(defined)
            note = "undefined" if math.isnan(low) else ""
            by_name[name] = Interval(name, estimate, min(low, estimate), max(high, estimate), *method, note)
        return by_name


def _corrected(counts: Array, first: Array, second: Array) -> Array:
    """True classes by prediction, shape (..., 2, 2), from recorded labels by prediction and the rates."""
    columns = counts.sum(axis=-2)
    true = (counts[..., 0, :] - (1 - second)[..., None] * columns) / (first + second - 1)[..., None]
    true = np.clip(true, 0, columns)
    return np.stack([true, columns - true], axis=-2)


def corrected_labels(matrix: Confusion, stated: Any) -> CorrectedLabels:
    """The recorded matrix with the rates of correct labels; classes that are not named have right labels."""
    if matrix.n_classes != 2:
        raise _no_rates("labels of two classes are corrected by rates", f"{matrix.n_classes} classes")
    if not isinstance(stated, Mapping) or not stated:
        allowed = 'rates by true class such as {"fraud": (180, 200), "ok": 0.999}'
        raise _no_rates("rates of correct labels are given by true class", repr(stated), allowed)
    names = [str(label) for label in matrix.labels]
    if unknown := [str(label) for label in stated if str(label) not in names]:
        raise _no_rates("a rate is given for a class that does not occur", unknown[0], ", ".join(names))
    by_name = {str(label): rate for label, rate in stated.items()}
    rates = tuple(_rate(name, by_name.get(name, 1.0)) for name in names)
    if sum(each.rate for each in rates) <= 1:
        listed = " and ".join(f'{percent(each.rate)} of class "{each.label}"' for each in rates)
        raise _no_rates("labels that are right so seldom say nothing", listed, "rates whose sum exceeds 1")
    return CorrectedLabels(matrix, (rates[0], rates[1]))


def _rate(label: str, stated: Any) -> LabelRate:
    right, checked = stated if isinstance(stated, (tuple, list)) and len(stated) == 2 else (stated, None)
    whole = checked is None or (isinstance(checked, int) and isinstance(right, int) and checked > 0)
    rate = right / checked if whole and checked is not None else right
    is_number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if not whole or not is_number or not 0 < rate <= 1:
        allowed = "a share above 0 up to 1, or correct and checked rows such as (180, 200)"
        raise _no_rates(
            f'the rate of correct labels of class "{label}" cannot be used', repr(stated), allowed
        )
    return LabelRate(label, float(rate), checked)


def _no_rates(what: str, value: str, allowed: str = "") -> InputError:
    return InputError(what, found=value, allowed=allowed, parameter="label_rates")
