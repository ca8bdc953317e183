"""Confidence intervals of metrics of a confusion matrix: posterior, bootstrap, Wilson, Clopper-Pearson."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label, plain_fields
from steelyard.errors import InputError, in_our_words, parameter
from steelyard.measures.catalogue import catalogue
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import MatrixMeasure, Measure, as_confusion, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.binomial_intervals import RATES, beta_quantile, clopper_pearson, rate_of, wilson
from steelyard.uncertainty.confidence_limits import (
    acceleration,
    biases_of_test_sets,
    is_ratio,
    percentiles,
    skewness_corrected_percentiles,
    unbiased_percentiles,
)
from steelyard.uncertainty.coverage_record import warning_for
from steelyard.uncertainty.dirichlet_posterior import Prior, posterior_centres
from steelyard.uncertainty.resampling import (
    WHAT_A_DESIGN_MEANS,
    Design,
    Source,
    blocks,
    central_values,
    check_drawing,
    design_in_use,
    drawn_values,
    draws_in_use,
    weighs_confusions,
    within_draws,
)

Array = NDArray[Any]
Method = Literal[
    "auto", "corrected", "posterior", "bootstrap", "percentile", "bca", "wilson", "clopper-pearson"
]
SCHEMA = "steelyard/interval/1"

_NOT_MOVED = (
    "it did not move in any draw: with this design it depends on the class sizes alone; design='sample' draws"
    " those too"
)


@dataclass(frozen=True)
class Interval:
    """A measure's value and the interval around it."""

    measure: str
    estimate: float
    low: float
    high: float
    level: float
    method: str
    """How it was found, which is not always what was asked for: the note says why."""
    design: str
    draws: int
    """0 for the closed formulas."""
    undefined_draws: int
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data: NaN and infinity become None."""
        return plain_fields(self)


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
            f"{name.ljust(width)}  {i.estimate:7.3f}  [{i.low:.3f}, {i.high:.3f}]  {i.method}"
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
    gmean    0.933  [0.895, 0.958]  corrected
    """
    matrix = as_confusion(counts)
    if matrix.batch_shape:
        raise InputError(
            "intervals are found one matrix at a time",
            found=f"a batch of shape {matrix.batch_shape}",
            allowed="one matrix",
        )
    draws = draws_in_use(draws, matrix.n_classes)
    check_drawing(draws, seed, design, prior, level)
    design = design_in_use(design)
    if method not in get_args(Method):
        raise InputError(
            "the method is not known", found=repr(method), allowed=", ".join(map(repr, get_args(Method)))
        )
    if not matrix.total:
        raise InputError("there is nothing to be sure of", found="0 examples", allowed="at least one example")
    chosen, label = applicable(matrix, measures, positive)
    if method in ("wilson", "clopper-pearson"):
        for m in chosen if measures is not None else ():
            if m.id not in RATES:
                raise InputError(
                    f"{m.name} is not a plain rate",
                    found=parameter("method", repr(method)),
                    allowed=", ".join(sorted(RATES)),
                    do=f"use {parameter('method', 'auto')}",
                )
        chosen = [m for m in chosen if m.id in RATES]
    finder = IntervalFinder(
        _with_every_class(matrix),
        chosen,
        level=level,
        draws=draws,
        seed=seed,
        design=design,
        prior=prior,
        positive=label,
        undefined=undefined,
    )
    intervals = {m.name: finder.find(m, method) for m in chosen}
    settings = {
        "level": level,
        "draws": draws,
        "seed": seed,
        "design": design,
        "assumed": WHAT_A_DESIGN_MEANS[design],
        "prior": prior,
        "positive": None if label is None else str(label),
    }
    return Intervals(intervals, settings)


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
    choice = matrix.positive_class(positive)
    return chosen, matrix.labels[choice.place]


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


class IntervalFinder:
    """Finds intervals of several measures of one matrix; draws are made once for all of them."""

    def __init__(
        self,
        matrix: Confusion,
        chosen: list[Measure],
        *,
        level: float,
        draws: int,
        seed: int,
        design: Design,
        prior: Prior,
        positive: Label | None,
        undefined: Undefined,
    ) -> None:
        self.matrix, self.chosen, self.level, self.draws, self.seed = matrix, chosen, level, draws, seed
        self.design, self.prior, self.positive, self.undefined = (
            design,
            prior,
            positive,
            within_draws(undefined),
        )
        self.joint = JointCounts.from_confusion(matrix)
        self.estimates = weigh(chosen, matrix, positive=positive, undefined=undefined)
        self._drawn: dict[Source, dict[str, Array]] = {}
        self._centres: dict[str, Array] | None = None
        seen = matrix.actual[matrix.actual > 0]
        self.rarest = int(seen.min())
        self._never_seen = 0
        if matrix.n_classes > 2:
            self._never_seen = int(np.count_nonzero(matrix.counts == 0) - np.count_nonzero(matrix.hits == 0))

    def find(self, measure: Measure, requested: Method) -> Interval:
        estimate = float(self.estimates[measure.name])
        if math.isnan(estimate):
            why = measure.why_undefined(self.matrix, positive=self.positive)
            return self._interval(measure, estimate, (math.nan, math.nan), "none", note=f"undefined: {why}")
        method = {"auto": "corrected", "bootstrap": "bca"}.get(requested, requested)
        if method in ("wilson", "clopper-pearson"):
            return self._closed(measure, estimate, method)
        of_rates = method in ("corrected", "posterior")
        values, undefined = self._defined(measure, "posterior" if of_rates else "bootstrap")
        notes = [warning_for(measure, method, self.matrix.n_classes, self.rarest, self.design)]
        low, high = self._ends(measure, method, values, estimate)
        if not of_rates and not _has_width(low, high):
            method, notes = "posterior", ["the resampled test sets are all alike, so the posterior is used"]
            values, undefined = self._defined(measure, "posterior")
            low, high = self._ends(measure, method, values, estimate)
        if not len(values):
            return self._interval(
                measure,
                estimate,
                (math.nan, math.nan),
                method,
                draws=self.draws,
                undefined=undefined,
                note="undefined in every draw",
            )
        if not _has_width(low, high):
            low = high = estimate
            fixed = self.design == "fixed" and self.matrix.n_classes > 1
            notes.append(_NOT_MOVED if fixed else "it did not move in any draw")
        if weighs_confusions(measure) and self._never_seen:
            kinds = self.matrix.n_classes * (self.matrix.n_classes - 1)
            notes.append(
                f"it allows for the confusions that were seen: {self._never_seen:,} of {kinds:,} kinds never"
                " occurred, and a rare one that costs much would not be covered"
            )
        if undefined:
            notes.append(f"undefined in {undefined:,} of {self.draws:,} draws, which are left out")
        return self._interval(
            measure,
            estimate,
            (low, high),
            method,
            draws=self.draws,
            undefined=undefined,
            note="; ".join(n for n in notes if n),
        )

    def _closed(self, measure: Measure, estimate: float, method: str) -> Interval:
        rate = rate_of(measure, self.matrix, self.positive)
        assert rate is not None
        ends = (wilson if method == "wilson" else clopper_pearson)(*rate, self.level)
        return self._interval(measure, estimate, ends, method)

    def _defined(self, measure: Measure, source: Source) -> tuple[Array, int]:
        if source not in self._drawn:
            self._drawn[source] = drawn_values(
                self.joint,
                self.chosen,
                source=source,
                design=self.design,
                prior=self.prior,
                draws=self.draws,
                seed=self.seed,
                positive=self.positive,
                undefined=self.undefined,
            )
        values = self._drawn[source][measure.name][0]
        missing = np.isnan(values)
        return values[~missing], int(missing.sum())

    def _centre(self, measure: Measure) -> float:
        if self._centres is None:
            self._centres = central_values(
                self.joint,
                self.chosen,
                design=self.design,
                prior=self.prior,
                positive=self.positive,
                undefined=self.undefined,
            )
        return float(self._centres[measure.name][0])

    @cached_property
    def _biases(self) -> dict[str, float]:
        """By how much the measures of many classes are too high on test sets like this one."""
        many = [m for m in self.chosen if m.kind == "multi-class"]
        fixed = self.design == "fixed"
        return biases_of_test_sets(
            self.joint, many, sizes_fixed=fixed, seed=self.seed, undefined=self.undefined
        )

    def _ends(self, measure: Measure, method: str, values: Array, estimate: float) -> tuple[float, float]:
        if not len(values):
            return math.nan, math.nan
        if method == "corrected" and not is_ratio(measure):
            of_test_sets = self._biases.get(measure.name, 0.0)
            low, high = unbiased_percentiles(values, self._centre(measure), self.level, of_test_sets)
            return low, min(high, self._most_without_hits(measure, estimate))
        if method == "bca":
            return skewness_corrected_percentiles(
                values, estimate, acceleration(self.joint, measure, self.positive, self.undefined), self.level
            )
        return percentiles(values, self.level)

    def _most_without_hits(self, measure: Measure, estimate: float) -> float:
        """The greatest value that classes without a hit allow, if they make the measure 0 (G-mean)."""
        # The upper limit of its draws where each of them has the upper limit of its recall.
        # A product of many rates is far from normal at 0, and correcting its bias would leave what any single
        # class can reach.
        missed = np.flatnonzero((np.diagonal(self.matrix.counts) == 0) & (self.matrix.actual > 0)).tolist()
        if estimate != 0 or measure.kind != "multi-class" or measure.better != "higher" or not missed:
            return math.inf
        # Jeffreys' upper limits of rates of 0 of n
        limits = [beta_quantile((1 + self.level) / 2, 0.5, self.matrix.actual[k] + 0.5) for k in missed]

        def at_limits(matrices: Array) -> Array:
            for k, limit in zip(missed, limits, strict=True):
                total = matrices[:, k].sum(axis=-1)
                matrices[:, k] *= (1 - limit) / (1 - matrices[:, k, k] / total)[:, None]
                matrices[:, k, k] = limit * total
            values = measure(Confusion(matrices, self.matrix.labels), undefined=self.undefined)
            return np.asarray(values)

        values = np.empty(self.draws)
        for where, drawn in blocks(self.joint, "posterior", self.design, self.prior, self.draws, self.seed):
            values[where] = at_limits(drawn[0])
        centre = at_limits(posterior_centres(self.joint, self.design == "fixed", self.prior))
        return unbiased_percentiles(values, float(centre[0]), self.level)[1]

    def _interval(
        self,
        measure: Measure,
        estimate: float,
        ends: tuple[float, float],
        method: str,
        *,
        draws: int = 0,
        undefined: int = 0,
        note: str = "",
    ) -> Interval:
        low, high = ends
        if not math.isnan(low):
            # At an end of the range the posterior lies beside the estimate; an interval that leaves out its
            # own estimate is of no use.
            least, greatest = measure.range.at(2 if measure.kind == "two-class" else self.matrix.n_classes)
            low, high = max(least, min(low, estimate)), min(greatest, max(high, estimate))
        return Interval(
            measure=measure.name,
            estimate=estimate,
            low=low,
            high=high,
            level=self.level,
            method=method,
            design=self.design,
            draws=draws,
            undefined_draws=undefined,
            note=note,
        )
