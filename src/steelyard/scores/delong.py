"""DeLong test: compare the areas under the ROC curves of two or several models on the same rows."""
# How far the difference of two areas under the ROC curve may be chance follows from the spread of each
# example's part in the area (delong1988). The pairing is kept: scores of the same rows go up and down
# together, and treating them as independent would hide real differences.

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from steelyard.counts.curves import RocCurve, area, thinned_roc
from steelyard.counts.labels import Array, Label
from steelyard.counts.libraries import refuse_unaligned
from steelyard.counts.score_columns import advising, numbers, rows_of_positive, with_missing_settled
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.reading.adaptive_bins import TOLERANCE, Bin
from steelyard.reading.score_counting import CountedScores, counts_of_bins
from steelyard.reading.spark import Lookup, SparkTable
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, derived, schema_of
from steelyard.scores.fields import TEXT
from steelyard.scores.score_bootstrap import Bounds, bounds
from steelyard.uncertainty.binomial_intervals import (
    area_trials,
    student_cdf,
    student_quantile,
    wilson,
    wilson_by_spread,
)
from steelyard.uncertainty.differences import holm
from steelyard.uncertainty.resampling import check_level

# Of a variance that is a difference of sums: columns that rank alike have none.
ROUNDING = 1e-12
# Of the positives and of the negatives: how many, and what they add to the covariance of the areas.
Parts: TypeAlias = tuple[tuple[float, Array], ...]


@dataclass(frozen=True)
class AucComparison(Record):
    """Two areas under the ROC curve on the same rows, and how far apart they are."""

    auc_a: float
    auc_b: float
    difference: float
    """a - b."""
    standard_error: float
    interval: tuple[float, float]
    level: float
    p_value: float
    """The chance of a difference at least this large if the two ranked equally well."""
    method: str
    positive: Annotated[Label, Json(write=str, schema=TEXT)]


def delong(
    y_true: Any, score_a: Any, score_b: Any, positive: Label | None = None, *, level: float = 0.95
) -> AucComparison:
    """Is the area under one ROC curve greater than under another, by delong1988's test?

    The part of a positive in the area is the share of negatives it stands above, that of a negative the share
    of positives above it, ties half; the covariance of these parts over positives and over negatives gives
    that of the areas.

    >>> import steelyard as sy
    >>> test = sy.delong([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0.1, 0.2, 0.35, 0.8])
    >>> test.auc_a, test.auc_b, round(test.p_value, 2)
    (0.75, 1.0, 0.55)
    """
    rows = areas_of_rows(y_true, {"a": score_a, "b": score_b}, positive)
    first, second = (area(counts.ranked()) for counts in rows.counts.values())
    return delong_of(first, second, rows.parts, check_level(level), rows.positive)


@dataclass(frozen=True)
class CountedAreas:
    """The scores of several models of the same rows, counted, and how their areas vary together."""

    positive: Label
    positives: int
    negatives: int
    counts: Mapping[str, ScoreCounts]
    #: Of the positives and of the negatives: how many, and what they add to the covariance of the areas under
    #: the ROC curve, (models, models).
    parts: Parts

    @property
    def covariance(self) -> Array:
        """Of the areas, (models, models)."""
        return np.asarray(sum(covariance for _, covariance in self.parts))


def areas_of_rows(y_true: Any, scores: Mapping[str, Any], positive: Label | None = None) -> CountedAreas:
    """The scores that several models gave the same rows, counted, and how their areas vary together."""
    refuse_single_column(len(scores))
    refuse_unaligned(y_true, scores)
    columns = [numbers(column, f"score {name}") for name, column in scores.items()]
    lengths = list(dict.fromkeys(map(len, columns)))
    if len(lengths) > 1:
        raise InputError(
            "the two scores are not of the same rows",
            found=f"{lengths[0]} and {lengths[1]} rows",
            allowed="one score of each per row",
        )
    with advising("leave those rows out"):
        with_missing_settled(columns, "error")
    # The positive class depends on the class sizes alone, and scores that are all alike need not be sorted.
    label = ScoreCounts.from_scores(y_true, np.zeros(lengths[0]), positive).positive_class().label
    mine = rows_of_positive(y_true, label)
    examples = int(np.count_nonzero(mine)), int(np.count_nonzero(~mine))
    refuse_few(*examples)
    _, parts = areas_of([(column[mine], column[~mine]) for column in columns])
    counts = (ScoreCounts.from_scores(y_true, column, label) for column in columns)
    return CountedAreas(label, *examples, dict(zip(scores, counts, strict=True)), parts)


def refuse_few(positives: int, negatives: int) -> None:
    """Refuse to compare the areas of so few examples."""
    if positives < 2 or negatives < 2:
        raise InputError(
            "too few examples to tell a difference from chance",
            found=f"{positives} positive and {negatives} negative ones",
            allowed="two or more of each",
        )


def delong_of(
    first: float, second: float, parts: Parts, level: float, positive: Label, unknown: float = 0.0
) -> AucComparison:
    """The test from two areas and what each class adds to their covariance."""
    # Bins may leave so much of the difference unknown, which is taken for against it. Few examples hardly
    # tell the covariance: Student's quantiles allow for that.
    difference = first - second
    of_sides = []
    for size, c in parts:
        both = float(c[0, 0] + c[1, 1])
        variance = both - 2 * float(c[0, 1])
        of_sides.append((size, variance if variance > ROUNDING * both else 0.0))
    degrees, error = degrees_of_freedom(of_sides), math.sqrt(sum(variance for _, variance in of_sides))
    known = math.isinf(degrees)
    quantile = NormalDist().inv_cdf((1 + level) / 2) if known else student_quantile((1 + level) / 2, degrees)
    reach = quantile * error + unknown
    gap = max(abs(difference) - unknown, 0.0)
    if error <= 1e-12:
        p_value = 1.0 if gap < 1e-12 else 0.0  # two equal rankings, or two that differ everywhere alike
    else:  # from the tail: what is left of 1 loses digits
        errors = gap / error
        p_value = math.erfc(errors / math.sqrt(2)) if known else 2 * student_cdf(-errors, degrees)
    ends = max(-1.0, difference - reach), min(1.0, difference + reach)
    return AucComparison(first, second, difference, error, ends, level, p_value, "DeLong", positive)


def degrees_of_freedom(parts: Sequence[tuple[float, float]]) -> float:
    """Satterthwaite's (1946), of a sum of variances of means, each with how many it is the mean of."""
    squares = sum(variance**2 / (size - 1) for size, variance in parts)
    return sum(variance for _, variance in parts) ** 2 / squares if squares > 0 else math.inf


def areas_of(pairs: Sequence[tuple[Array, Array]]) -> tuple[list[float], Parts]:
    """The areas of several score columns, each as the scores of the positives and of the negatives, and what
    the two classes add to their covariance."""
    by_positive = np.array([_positive_parts(p, n) for p, n in pairs])
    by_negative = np.array([1 - _positive_parts(n, p) for p, n in pairs])
    parts = tuple(
        (len(side.T), np.atleast_2d(np.cov(side)) / len(side.T)) for side in (by_positive, by_negative)
    )
    return by_positive.mean(axis=1).tolist(), parts


def _positive_parts(scores: Array, others: Array) -> Array:
    """For each score, the share of the others that stand below it, ties half."""
    ordered = np.sort(others)
    below, not_above = np.searchsorted(ordered, scores, "left"), np.searchsorted(ordered, scores, "right")
    return (below + not_above) / (2 * len(others))


def asked_of_backwards(label: Label, area: float) -> str:
    """What is asked where scores rank the class last that they are said to be of."""
    return (
        f"Higher scores mean less of {label} here (area under the ROC curve {area:.3f}): are they scores of"
        " the other class?"
    )


def is_surely_backwards(area: float, examples: float) -> bool:
    """Is an area below one half more than by chance?"""
    # It is known at least as well as a rate of that many examples, those of the rarer class.
    return bool(examples >= 1 and area < 0.5 and wilson(area * examples, examples, 0.95)[1] < 0.5)


# -- rows of a cluster
#
# The scores of all models are counted in one pass, in bins. A second pass looks up, for every row and model,
# the part that the row has in the model's area (the share of negatives below a positive, of positives above a
# negative, ties half), and adds up products of two models' parts. So rows stay where they are, and what comes
# back is one row a class, whatever the number of rows.

# A row's part in an area is told to this part of either class: bins that lie closer share it.
LEVELS = 1_024


def areas_of_cluster(
    table: SparkTable,
    truth: str | None,
    columns: Mapping[str, str],
    positive: Label | None = None,
    *,
    tolerance: float = TOLERANCE,
) -> CountedAreas:
    """Count the scores of several models (model -> column) on a cluster, and tell how their areas vary
    together."""
    refuse_single_column(len(columns))
    names = list(columns.values())
    scored = CountedScores(table, truth, names, None, "error")
    labels, bins = scored.classes, scored.bins(tolerance)
    counts = {name: counts_of_bins(labels, some, positive) for name, some in zip(columns, bins, strict=True)}
    label = next(iter(counts.values())).positive_class().label
    place = labels.index(label)
    positives = int(sum(each.amounts.get(place, 0) for each in bins[0]))
    negatives = int(sum(sum(each.amounts.values()) for each in bins[0])) - positives
    refuse_few(positives, negatives)
    lookups = [_lookup(some, place) for some in bins]
    parts = _covariances(table.products_of_parts(scored.truth, label, names, lookups), len(names))
    return CountedAreas(label, positives, negatives, counts, tuple(parts))


def _lookup(bins: Sequence[Bin], place: int) -> Lookup:
    """The part of a row in the area, by its score; less the area, so that squares do not cancel."""
    amounts = np.array(
        [
            [each.amounts.get(place, 0), sum(each.amounts.values()) - each.amounts.get(place, 0)]
            for each in bins
        ],
        dtype=np.float64,
    )
    totals = amounts.sum(axis=0)
    if len(bins) <= LEVELS:
        group = np.arange(len(bins))
    else:
        # A lookup table is sent to every worker: a thousand levels of either class bound its size, and move a
        # part by less than a thousandth.
        levels = np.floor((np.cumsum(amounts, axis=0) - amounts) / totals * LEVELS)
        group = np.concatenate([[0], np.cumsum((np.diff(levels, axis=0) > 0).any(axis=1))]).astype(np.intp)
    inside = np.stack([np.bincount(group, weights=side) for side in amounts.T], axis=1)
    below = np.cumsum(inside, axis=0) - inside
    middle = (below + inside / 2) / totals
    area = float(middle[:, 1] @ inside[:, 0] / totals[0])
    of_positive, of_negative = middle[:, 1] - area, 1 - middle[:, 0] - area
    begins: dict[int, list[tuple[float, int]]] = {}
    for each, g in zip(bins, group.tolist(), strict=True):
        pieces = begins.setdefault(each.first, [])
        if not pieces or pieces[-1][1] != g:
            pieces.append((float(each.low) if pieces else -math.inf, g))
    return [
        (first, start, end, float(of_positive[g]), float(of_negative[g]))
        for first, pieces in begins.items()
        for (start, g), end in zip(pieces, [*(start for start, _ in pieces[1:]), math.nan], strict=True)
    ]


def _covariances(rows: Iterable[tuple[Any, ...]], models: int) -> Iterator[tuple[int, Array]]:
    """From the sums and products of the parts of positives, and of negatives: how many, and their
    covariance."""
    upper = np.triu_indices(models)
    for number, *values in rows:
        sums, products = np.array(values[:models], dtype=np.float64), np.zeros((models, models))
        products[upper] = values[models:]
        products += np.triu(products, 1).T
        # delong1988: the covariance of the structural components, divided by the number of examples, is what
        # this class adds to the covariance of the areas.
        covariance = (products - np.outer(sums, sums) / number) / (number - 1) / number
        yield int(number), covariance


# -- several models: every pair of score columns, with p-values corrected for the number of pairs


@dataclass(frozen=True)
class AreaPair(Record):
    """Two models' areas under the ROC curve; every difference is the first less the second."""

    first: str
    second: str
    delong: AucComparison
    # DeLong's, corrected for the number of pairs.
    holm_p_value: float


@dataclass(frozen=True)
class AreaComparison(Record):
    """The areas under the ROC curves of several models on the same rows."""

    positive: AnyLabel
    areas: Annotated[Mapping[str, float], Json("values")]
    intervals: Mapping[str, tuple[float, float]]
    pairs: tuple[AreaPair, ...]
    level: float
    # Of each model, thinned to what a page can show.
    curves: Annotated[Mapping[str, RocCurve], HIDDEN]
    # Of the positive class in these rows.
    share: Annotated[float, HIDDEN]
    # Of the areas of scores that were counted in bins: least and greatest value that the bins allow.
    bounds: Annotated[Mapping[str, Bounds], Json(schema=schema_of(Mapping[str, list[float]]))] = field(
        default_factory=dict
    )

    measure = derived(Literal["roc_auc"], lambda self: "roc_auc")


def compare_areas(
    y_true: Any, scores: Mapping[str, Any], positive: Label | None = None, *, level: float = 0.95
) -> AreaComparison:
    """Compare the rankings of models by their scores of the positive class, all in the order of `y_true`."""
    return compare_counted_areas(areas_of_rows(y_true, scores, positive), level=level)


def compare_counted_areas(counted: CountedAreas, *, level: float) -> AreaComparison:
    """DeLong's test of every pair, and the interval of every area."""
    check_level(level)
    metric, label, names = measure("roc_auc"), counted.positive, list(counted.counts)
    values = {name: float(metric(counts, positive=label)) for name, counts in counted.counts.items()}
    within = {name: bounds(metric, counts, label) for name, counts in counted.counts.items()}
    binned = {name: ends for name, ends in within.items() if ends is not None}
    # What bins leave open counts against a difference.
    half = {name: (binned[name].most - binned[name].least) / 2 if name in binned else 0.0 for name in names}
    pairs = []
    for i, j in itertools.combinations(range(len(names)), 2):
        first, second = names[i], names[j]
        parts = tuple((size, covariance[np.ix_([i, j], [i, j])]) for size, covariance in counted.parts)
        unknown = half[first] + half[second]
        pairs.append((first, second, delong_of(values[first], values[second], parts, level, label, unknown)))
    corrected = holm([test.p_value for _, _, test in pairs])
    curves = {name: thinned_roc(counts, label) for name, counts in counted.counts.items()}
    intervals = {}
    for k, name in enumerate(names):
        low, high = _interval(values[name], float(counted.covariance[k, k]), counted, level)
        intervals[name] = max(0.0, low - half[name]), min(1.0, high + half[name])
    return AreaComparison(
        label,
        values,
        intervals,
        tuple(AreaPair(*pair, p) for pair, p in zip(pairs, corrected, strict=True)),
        level,
        curves,
        counted.positives / (counted.positives + counted.negatives),
        binned,
    )


def _interval(value: float, variance: float, counted: CountedAreas, level: float) -> tuple[float, float]:
    """Wilson's interval by spread, as of `evaluate`, with DeLong's variance in place of the bootstrap's."""
    fewest = min(counted.positives, counted.negatives)
    # The bootstrap's variance divides by the number of examples, DeLong's by one less.
    spread = math.sqrt(variance * (fewest - 1) / fewest)
    trials = area_trials(value, counted.positives, counted.negatives)
    low, high = wilson_by_spread(value, spread, 0.0, fewest, level, model_trials=trials)
    return float(low), float(high)


def refuse_single_column(number: int) -> None:
    """Refuse to compare the scores of one model."""
    if number < 2:
        raise InputError(
            "a comparison of rankings needs scores",
            found=f"{number} column",
            allowed="scores of at least 2 models",
        )
