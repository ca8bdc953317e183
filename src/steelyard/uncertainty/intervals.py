"""Confidence intervals of metrics of a confusion matrix: posterior, bootstrap, Wilson, Clopper-Pearson."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from steelyard.counts.confusion import Confusion, refuse_batch
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError, in_our_words, parameter
from steelyard.measures.catalogue import catalogue
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import MatrixMeasure, Measure, as_confusion, weigh
from steelyard.measures.undefined import Undefined
from steelyard.report.records import Defined, Record
from steelyard.uncertainty import confidence_limits, resampling
from steelyard.uncertainty.binomial_intervals import RATES, beta_quantile, clopper_pearson, rate_of, wilson
from steelyard.uncertainty.coverage_record import warning_for
from steelyard.uncertainty.dirichlet_posterior import Prior, posterior_centres
from steelyard.uncertainty.resampling import Design

Method = Literal[
    "auto", "corrected", "posterior", "bootstrap", "percentile", "bca", "wilson", "clopper-pearson"
]
SCHEMA = "steelyard/interval/1"
_CLOSED = {"wilson": wilson, "clopper-pearson": clopper_pearson}
# From so many classes on, the smallest of so few examples, the G-mean's interval is wider than it need be
# (docs/coverage.md).
_MANY, _FEW = 10, 10
CAUTIOUS = "cautious (wide): many classes have few examples, and one without a hit makes it 0"


@dataclass(frozen=True)
class Interval(Record):
    """A measure's value and the interval around it; in JSON, NaN and infinity are null."""

    measure: str
    estimate: Defined
    low: Defined
    high: Defined
    level: float
    method: str
    """How it was found, which is not always what was asked for: the note says why."""
    design: str
    draws: int = 0
    """0 for the closed formulas."""
    undefined_draws: int = 0
    note: str = ""


@dataclass(frozen=True)
class Intervals(Mapping[str, Interval]):
    """Intervals by measure; any name of a measure finds its interval."""

    by_name: Mapping[str, Interval]
    settings: Mapping[str, Any]

    def __getitem__(self, name: str | Measure) -> Interval:
        interval = self.by_name.get(name) if isinstance(name, str) else None
        return self.by_name[look_up(name).name] if interval is None else interval

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            **self.settings,
            "intervals": [interval.to_dict() for interval in self.by_name.values()],
        }

    def __repr__(self) -> str:
        width = max(map(len, self.by_name), default=0)
        return "\n".join(
            f"{name.ljust(width)}  {i.estimate:7.3f}  {i.low:.3f} to {i.high:.3f}  {i.method}"
            + (f"  ({i.note})" if i.note else "")
            for name, i in self.by_name.items()
        )


@in_our_words
def interval(
    counts: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    method: Method = "auto",
    level: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    design: Design = "sample",
    prior: Prior = "shared",
    positive: Label | None = None,
    undefined: Undefined = "nan",
) -> Intervals:
    """Confidence intervals of the measures of one matrix, by default every measure that applies.

    "auto" is "corrected": the posterior of the rates, less the bias that curved measures have
    (docs/coverage.md says how often it covers the true value). "posterior" leaves that bias in. "bootstrap"
    is BCa. "wilson" and "clopper-pearson" are for plain rates such as recall. The design says what another
    test set would have in common with this one: only the number of rows ("sample") or the number of examples
    of each class ("fixed"); "multinomial" and "stratified" are their old names. 10,000 test sets are drawn
    unless said otherwise, fewer with more than 22 classes.

    >>> import steelyard as sy
    >>> sy.interval([[90, 10], [30, 870]], ["gmean"])
    gmean    0.933  0.895 to 0.958  corrected
    """
    matrix = as_confusion(counts)
    refuse_batch(matrix, "intervals are found one matrix at a time")
    draws = resampling.draws_in_use(draws, matrix.n_classes)
    how = resampling.Simulation(draws, seed, design, prior, level, positive, undefined)
    resampling.check_drawing(how)
    design = resampling.design_in_use(design)
    resampling.check_listed("method", method, get_args(Method))
    if not matrix.total:
        raise InputError("there is nothing to be sure of", found="0 examples", allowed="at least one example")
    chosen, label = applicable(matrix, measures, positive)
    if method in _CLOSED:
        for m in chosen if measures is not None else ():
            if m.id not in RATES:
                raise InputError(
                    f"{m.name} is not a plain rate",
                    found=parameter("method", repr(method)),
                    allowed=", ".join(sorted(RATES)),
                    do=f"use {parameter('method', 'auto')}",
                )
        chosen = [m for m in chosen if m.id in RATES]
    of_matrix = _OfMatrix(_with_every_class(matrix), chosen, replace(how, design=design, positive=label))
    settings = {
        "level": level,
        "draws": draws,
        "seed": seed,
        "design": design,
        "assumed": resampling.WHAT_A_DESIGN_MEANS[design],
        "prior": prior,
        "positive": None if label is None else str(label),
    }
    return Intervals({m.name: of_matrix.interval(m, method) for m in chosen}, settings)


def applicable(
    matrix: Confusion, measures: str | Measure | Iterable[str | Measure] | None, positive: Label | None
) -> tuple[list[Measure], Label | None]:
    """The measures meant, all that apply if none is named, and the positive class they use."""
    if measures is not None:
        chosen = [
            look_up(name) for name in ([measures] if isinstance(measures, (str, Measure)) else measures)
        ]
        if not chosen:
            raise InputError(
                "there is no metric to compute", found="an empty list", allowed="at least one metric"
            )
        needed = any(m.kind == "two-class" for m in chosen)
    else:
        needed = positive is not None or matrix.n_classes == 2
        chosen = [m for m in catalogue() if needed or m.kind == "multi-class"]
    if not needed:
        return chosen, None
    if matrix.n_classes != 2 and positive is None:
        two_class = next(m for m in chosen if isinstance(m, MatrixMeasure) and m.kind == "two-class")
        two_class.seen(matrix, None)  # refuses, and says what to do
    return chosen, matrix.labels[matrix.positive_class(positive).place]


def _with_every_class(matrix: Confusion) -> Confusion:
    """The matrix with its classes listed: one that is empty in a draw stays in that draw."""
    if matrix.listed:
        return matrix
    occupied = (matrix.actual + matrix.predicted) > 0
    labels = (
        [label for label, holds in zip(matrix.labels, occupied.tolist(), strict=True) if holds]
        if matrix.n_classes > 2
        else matrix.labels
    )
    return Confusion(matrix.select(labels).counts, labels)


def _has_width(low: float, high: float) -> bool:
    """Do the ends differ by more than rounding?"""
    return high - low > 1e-12 * max(1.0, abs(low), abs(high)) if math.isfinite(high - low) else low < high


def within_range(
    measure: Measure, classes: int, estimate: float, low: float, high: float
) -> tuple[float, float]:
    """The ends of an interval inside the measure's range, and around its estimate."""
    # At an end of the range the posterior lies beside the estimate; an interval that leaves out its own
    # estimate is of no use.
    if math.isnan(low):
        return low, high
    least, greatest = measure.range.at(2 if measure.kind == "two-class" else classes)
    return max(least, min(low, estimate)), min(greatest, max(high, estimate))


def left_out(undefined: int, draws: int) -> list[str]:
    """The note on draws in which a measure is undefined."""
    return [f"undefined in {undefined:,} of {draws:,} draws, which are left out"] if undefined else []


@dataclass(frozen=True, eq=False)
class _OfMatrix:
    """Intervals of several measures of one matrix; draws are made once for all of them."""

    matrix: Confusion
    chosen: list[Measure]
    how: resampling.Simulation

    @cached_property
    def _joint(self) -> JointCounts:
        return JointCounts.from_confusion(self.matrix)

    @cached_property
    def _estimates(self) -> dict[str, Any]:
        return weigh(self.chosen, self.matrix, positive=self.how.positive, undefined=self.how.undefined)

    @cached_property
    def _posterior(self) -> dict[str, Array]:
        return resampling.drawn_values(self._joint, self.chosen, self.how)

    @cached_property
    def _bootstrap(self) -> dict[str, Array]:
        return resampling.drawn_values(self._joint, self.chosen, self.how, "bootstrap")

    @cached_property
    def _centres(self) -> dict[str, Array]:
        return resampling.central_values(self._joint, self.chosen, self.how)

    @cached_property
    def _biases(self) -> dict[str, float]:
        """By how much the measures of many classes are too high on test sets like this one."""
        of_many = [m for m in self.chosen if m.kind == "multi-class"]
        return confidence_limits.biases_of_test_sets(self._joint, of_many, self.how)

    def interval(self, measure: Measure, requested: Method) -> Interval:
        estimate = float(self._estimates[measure.name])
        method: str = {"auto": "corrected", "bootstrap": "bca"}.get(requested, requested)
        low = high = math.nan
        draws = undefined = 0
        if math.isnan(estimate):
            why = measure.why_undefined(self.matrix, positive=self.how.positive)
            method, notes = "none", [f"undefined: {why}"]
        elif method in _CLOSED:
            rate = rate_of(measure, self.matrix, self.how.positive)
            (low, high), notes = _CLOSED[method](*rate, self.how.level), []
        else:
            low, high, method, undefined, notes = self._from_draws(measure, method, estimate)
            draws = self.how.draws
        low, high = within_range(measure, self.matrix.n_classes, estimate, low, high)
        how = self.how.level, method, self.how.design, draws, undefined, "; ".join(filter(None, notes))
        return Interval(measure.name, estimate, low, high, *how)

    def _from_draws(
        self, measure: Measure, method: str, estimate: float
    ) -> tuple[float, float, str, int, list[str]]:
        """The ends, the method that found them, the number of undefined draws and notes."""
        classes, rarest = self.matrix.n_classes, int(self.matrix.actual[self.matrix.actual > 0].min())
        of_rates = method in ("corrected", "posterior")
        drawn = (self._posterior if of_rates else self._bootstrap)[measure.name][0]
        low, high = self._ends(measure, method, drawn[~np.isnan(drawn)], estimate)
        notes = [warning_for(measure, method, classes, rarest, self.how.design)]
        if not of_rates and not _has_width(low, high):
            method, notes = "posterior", ["the resampled test sets are all alike, so the posterior is used"]
            drawn = self._posterior[measure.name][0]
            low, high = self._ends(measure, method, drawn[~np.isnan(drawn)], estimate)
        undefined = int(np.isnan(drawn).sum())
        if undefined == len(drawn):
            return math.nan, math.nan, method, undefined, ["undefined in every draw"]
        if not _has_width(low, high):
            low = high = estimate
            of_sizes = (
                ": with this design it depends on the class sizes alone; design='sample' draws those too"
            )
            fixed = self.how.design == "fixed" and classes > 1
            notes.append(f"it did not move in any draw{of_sizes if fixed else ''}")
        empty = np.count_nonzero(self.matrix.counts == 0) - np.count_nonzero(self.matrix.hits == 0)
        if resampling.weighs_confusions(measure) and classes > 2 and empty:
            notes.append(
                f"it allows for the confusions that were seen: {empty:,} of {classes * (classes - 1):,} kinds"
                " never occurred, and a rare one that costs much would not be covered"
            )
        if measure.id == "gmean" and classes >= _MANY and rarest <= _FEW:
            notes.append(f"it is {CAUTIOUS}")
        return low, high, method, undefined, notes + left_out(undefined, self.how.draws)

    def _ends(self, measure: Measure, method: str, values: Array, estimate: float) -> tuple[float, float]:
        if not len(values):
            return math.nan, math.nan
        level = self.how.level
        if method == "corrected" and not confidence_limits.is_ratio(measure):
            centre, bias = float(self._centres[measure.name][0]), self._biases.get(measure.name, 0.0)
            low, high = confidence_limits.unbiased_percentiles(values, centre, level, bias)
            return low, min(high, self._most_without_hits(measure, estimate))
        if method == "bca":
            skewness = confidence_limits.acceleration(self._joint, measure, self.how)
            return confidence_limits.skewness_corrected_percentiles(values, estimate, skewness, level)
        return confidence_limits.percentiles(values, level)

    def _most_without_hits(self, measure: Measure, estimate: float) -> float:
        """The greatest value that classes without a hit allow, if they make the measure 0 (G-mean)."""
        # The upper limit of its draws where each of them has the upper limit of its recall.
        # A product of many rates is far from normal at 0, and correcting its bias would leave what any single
        # class can reach.
        missed = np.flatnonzero((np.diagonal(self.matrix.counts) == 0) & (self.matrix.actual > 0)).tolist()
        if estimate != 0 or measure.kind != "multi-class" or measure.better != "higher" or not missed:
            return math.inf
        # Jeffreys' upper limits of rates of 0 of n
        limits = [beta_quantile((1 + self.how.level) / 2, 0.5, self.matrix.actual[k] + 0.5) for k in missed]

        def at_limits(matrices: Array) -> Array:
            for k, limit in zip(missed, limits, strict=True):
                total = matrices[:, k].sum(axis=-1)
                matrices[:, k] *= (1 - limit) / (1 - matrices[:, k, k] / total)[:, None]
                matrices[:, k, k] = limit * total
            sets = Confusion(matrices, self.matrix.labels)
            return np.asarray(self.how.values([measure], sets)[measure.name])

        values = np.empty(self.how.draws)
        for where, drawn in resampling.blocks(self._joint, self.how):
            values[where] = at_limits(drawn[0])
        centre = at_limits(posterior_centres(self._joint, self.how.sizes_fixed, self.how.prior))
        return confidence_limits.unbiased_percentiles(values, float(centre[0]), self.how.level)[1]
