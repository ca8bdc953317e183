"""Evaluate scores: ranking metrics, ROC and precision-recall curves with bands, threshold sweep."""
# Measures of scores with intervals, ROC and precision-recall curves (as observed, on balanced classes and at
# the user's priors) with bands, the operating point, and what measures of matrices would be at other
# thresholds. Curves are thinned to what a page can show.

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from steelyard.counts import curves
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label, meant
from steelyard.counts.score_bins import PARTS, few_enough, in_bins
from steelyard.counts.score_counts import ScoreCounts
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.operators import at_priors, balanced
from steelyard.scores import ranking_result, score_bootstrap
from steelyard.scores.calibration_evaluation import report_class_probabilities, report_probabilities
from steelyard.scores.predicted_labels import ThresholdChoice
from steelyard.scores.ranking_result import ClassRanking, Curve, RankingMeasure, RankingReport
from steelyard.scores.score_bootstrap import Band, BootstrapSamples
from steelyard.scores.threshold_sweep import implied_threshold, sweep
from steelyard.scores.top_k import Capacities
from steelyard.uncertainty.many_model_posterior import one_thread
from steelyard.uncertainty.resampling import Design

OF_ONE_CLASS = ("roc_auc", "average_precision", "partial_auc", "weighted_auc", "h_measure")
OF_EACH_CLASS = ("roc_auc", "average_precision")
OF_ALL_CLASSES = ("hand_till", "ova_auc", "ova_average_precision")
# What is plotted against the threshold, besides the measure it was chosen by.
SWEPT = ("recall", "precision", "balanced_precision", "f_beta", "gmean", "mcc")

# Bootstrap samples of up to 20,000 scores, and of more.
SAMPLES_OF_FEW, SAMPLES_OF_MANY = 500, 200
# Rates at which curves have a band.
GRID = np.linspace(0, 1, 101)
# Classes with curves of their own; of a table with more columns, the rarest.
MOST_CLASSES_DRAWN = 8


@one_thread()
def report_ranking(
    scores: ScoreCounts,
    matrix: Confusion,
    choice: ThresholdChoice | None = None,
    *,
    labels_from_scores: bool = False,
    priors: Any = None,
    interval: str | None = "auto",
    level: float = 0.95,
    seed: int = 0,
    costs: bool = False,
    design: Design = "sample",
) -> RankingReport:
    """Everything about the scores; `matrix` holds the labels that are evaluated, for the operating point."""
    # Where the labels come from the scores, rows without a score were already said to be left out. With
    # `costs` the cost curve has a band.
    notes, replicates = [], 0
    if interval is not None and scores.is_weighted:
        notes.append("The ranking has no intervals: sums of weights do not say how many examples there are.")
    elif interval is not None:
        few = int(scores.totals.sum()) * len(scores.columns) <= 20_000
        replicates = SAMPLES_OF_FEW if few else SAMPLES_OF_MANY
    work = _Reporting(priors, replicates, level, seed, costs, design)
    if scores.starts is not None:
        notes.append(
            f"Scores are counted in {len(scores.starts) - 1:,} bins. Counts at the start of a bin are exact;"
            " the bounds say what the order inside the bins leaves open."
        )
    if scores.dropped and not labels_from_scores:
        notes.append(f"{scores.dropped:,} rows without a score are left out of what is said about scores.")
    if choice is not None and choice.optimism_note:
        notes.append(choice.optimism_note)
    one_column = len(scores.columns) == 1
    if one_column or scores.n_classes == 2:
        drawn = [scores.positive_class().label]
        names: Sequence[str] = OF_ONE_CLASS
    else:
        by_size = sorted(range(scores.n_classes), key=lambda i: float(scores.totals[i]))[:MOST_CLASSES_DRAWN]
        drawn, names = [scores.labels[i] for i in sorted(by_size)], OF_EACH_CLASS
        if len(drawn) < scores.n_classes:
            notes.append(f"Curves are drawn for the {len(drawn)} rarest of {scores.n_classes} classes.")
    of_all = () if one_column else OF_ALL_CLASSES
    overall = tuple(work.measure(look_up(name), scores, None) for name in of_all)
    classes = tuple(work.of_class(scores, label, names, matrix, choice, len(drawn) == 1) for label in drawn)
    if work.bins is not None:
        notes.append(
            f"Intervals and bands of the ranking resample the scores in {work.bins:,} bins of less than"
            f" {100 / PARTS:.1g}% of either class; that"
            + (
                f" moves an area under the ROC curve by less than {work.area_error:.1g}."
                if work.area_error
                else " leaves every area under the ROC curve as it is."
            )
        )
    return RankingReport(
        scores=scores,
        choice=choice,
        measures=overall,
        classes=classes,
        priors_given=priors is not None,
        level=level if replicates else None,
        replicates=replicates,
        notes=tuple(notes),
        bins=work.bins,
        area_error=None if work.bins is None else work.area_error,
        probabilities=report_probabilities(scores, level, seed) if one_column else None,
        class_probabilities=() if one_column else report_class_probabilities(scores, drawn, level, seed),
    )


class _Reporting:
    """The parts of a report that share the settings."""

    def __init__(
        self, priors: Any, replicates: int, level: float, seed: int, costs: bool, design: Design
    ) -> None:
        self.priors, self.level, self.costs = priors, level, costs
        self.drawing: dict[str, Any] = {"replicates": replicates, "level": level}
        self.drawing |= {"seed": seed, "design": design}
        self.bins: int | None = None
        self.area_error = 0.0

    def measure(self, m: Measure, scores: ScoreCounts, positive: Label | None) -> RankingMeasure:
        value = m(scores, positive=positive)
        shifted = None
        if self.priors is not None:
            prior = self.prior_of(positive, scores) if positive is not None else None
            if positive is None and not isinstance(self.priors, Real):
                shifted = at_priors(m, self.priors)(scores)
            elif prior is not None:
                shifted = at_priors(m, prior)(scores, positive=positive)
        why = m.why_undefined(scores, positive=positive) if math.isnan(value) else None
        in_bins_only = scores.starts is not None and positive is not None
        left_open = score_bootstrap.bounds(m, scores, positive) if in_bins_only else None
        even = balanced(m)(scores, positive=positive)
        return RankingMeasure(m, value, even, shifted, why_undefined=why, bounds=left_open)

    def of_class(
        self,
        scores: ScoreCounts,
        label: Label,
        names: Sequence[str],
        matrix: Confusion,
        choice: ThresholdChoice | None,
        alone: bool,
    ) -> ClassRanking:
        two = scores.positive_first(label)
        pair = two.ranked()
        measures, examples = [look_up(name) for name in names], pair.positives.total
        rows = tuple(self.measure(m, two, two.labels[0]) for m in measures)
        if not examples or not pair.negatives.total:
            return ClassRanking(label, examples, rows, None, (), None, None)
        shares = self.shares(two)
        roc_band: Band | None = None
        bands: list[Band | None] = [None] * len(shares)
        capacity = Capacities(two, self.costs) if alone else None
        capacities: Array | None = None
        if self.drawing["replicates"]:
            again = BootstrapSamples(two, **self.drawing)
            ends, (roc_band, *bands), capacities = self.drawn_again(
                again, measures, [prior for _, prior in shares], capacity
            )
            rows = tuple(
                replace(row, low=low, high=high) for row, (low, high) in zip(rows, ends, strict=True)
            )
            shown = again.drawn_from
        else:
            shown = two if few_enough(pair) else two.with_sides(in_bins(pair).pair)
        # Curves are exact at the start of every bin, and a page shows fewer points than there are bins.
        roc = curves.thinned_roc(shown)
        return ClassRanking(
            label=label,
            examples=examples,
            measures=rows,
            roc=Curve("ROC", roc.fpr, roc.tpr, roc.thresholds, roc_band),
            precision_recall=tuple(
                self.precision_recall(shown, name, prior, band)
                for (name, prior), band in zip(shares, bands, strict=True)
            ),
            operating_point=_operating_point(matrix, label, choice, two if alone else None),
            sweep=_swept(shown, choice) if alone else None,
            capacity=None if capacity is None else capacity.report(shown, capacities, self.level),
        )

    def drawn_again(
        self,
        again: BootstrapSamples,
        measures: Sequence[Measure],
        priors: Sequence[float | None],
        capacity: Capacities | None,
    ) -> tuple[list[tuple[float, float]], list[Band | None], Array | None]:
        """Intervals of measures, bands of curves and figures within a capacity, from one set of draws."""
        if again.binned is not None:
            self.bins = max(self.bins or 0, again.binned.bins)
            self.area_error = max(self.area_error, again.binned.area_error)
        grids = [GRID, *[GRID[1:]] * len(priors)]
        precisions = (score_bootstrap.precision_at(GRID[1:], prior) for prior in priors)
        curve_statistics = [score_bootstrap.found_at(GRID), *precisions]
        within: list[score_bootstrap.Statistic] = [] if capacity is None else [capacity.figures]
        values, *drawn = again.statistics_of([score_bootstrap.measured(measures), *curve_statistics, *within])
        capacities = None if capacity is None else drawn.pop()
        whole = again.drawn_from
        bands: list[Band | None] = [
            again.band(at, statistic(whole), samples)
            for at, statistic, samples in zip(grids, curve_statistics, drawn, strict=True)
        ]
        return [(i.low, i.high) for i in again.intervals(measures, values)], bands, capacities

    def shares(self, two: ScoreCounts) -> list[tuple[str, float | None]]:
        prior = self.prior_of(two.labels[0], two)
        return [
            ("this test set", None),
            ("balanced classes", 0.5),
            *([("your priors", prior)] if prior is not None else []),
        ]

    def prior_of(self, label: Label, scores: ScoreCounts) -> float | None:
        """The user's prior of one class, where there is one between 0 and 1."""
        if isinstance(self.priors, Mapping):
            (key,) = meant([label], self.priors)
            prior = None if key is None else float(self.priors[key])
        elif isinstance(self.priors, Real) and len(scores.columns) == 1:
            prior = float(self.priors)
        else:
            prior = None
        return prior if prior is not None and 0 < prior < 1 else None

    def precision_recall(self, two: ScoreCounts, name: str, prior: float | None, band: Band | None) -> Curve:
        curve = curves.precision_recall_curve(two, prior=prior)
        # Beyond full recall only the precision falls; thresholds above every positive find nothing.
        full = int(np.searchsorted(curve.recall, 1 - 1e-12)) + 1
        reached = int(np.searchsorted(curve.recall, 0, side="right"))
        shown = curves.spread(curve.recall[reached:full]) + reached
        return Curve(
            name, curve.recall[shown], curve.precision[shown], curve.thresholds[shown], band, curve.prior
        )


def _operating_point(
    matrix: Confusion, label: Label, choice: ThresholdChoice | None, two: ScoreCounts | None
) -> ranking_result.OperatingPoint | None:
    if str(label) not in {str(known) for known in matrix.labels}:
        return None
    cells = matrix.one_vs_rest(label).counts.astype(np.float64)
    tpr, fpr = cells[:, 0] / np.maximum(cells.sum(axis=1), 1e-300)
    implied = None
    if choice is None and two is not None:
        implied = implied_threshold(sweep(two), float(cells[0, 0]), float(cells[1, 0]))
    return ranking_result.OperatingPoint(
        float(tpr), float(fpr), None if choice is None else choice.threshold, implied
    )


def _swept(two: ScoreCounts, choice: ThresholdChoice | None) -> ranking_result.MeasureSweep | None:
    """Measures at thresholds that lie evenly, half of them by value and half by rank."""
    swept = sweep(two)
    finite = np.flatnonzero(np.isfinite(swept.thresholds))
    if not len(finite):
        return None
    rising = -swept.thresholds[finite]
    chosen = np.arange(len(finite))
    if len(finite) > curves.MOST_POINTS:
        by_value = np.searchsorted(rising, np.linspace(rising[0], rising[-1], curves.MOST_POINTS // 2))
        by_rank = np.linspace(0, len(finite) - 1, curves.MOST_POINTS // 2).astype(np.int64)
        chosen = np.unique(np.concatenate([np.minimum(by_value, len(finite) - 1), by_rank]))
    places = finite[chosen]
    matrices = swept.at(places)
    best = None if choice is None or choice.best is None else choice.best.measure
    measures = {m.name: m for m in (*([] if best is None else [best]), *map(look_up, SWEPT))}
    lines = {
        name: np.asarray(values)
        for name, values in weigh(list(measures.values()), matrices, positive=swept.positive).items()
    }
    chosen_by = None if best is None else best.name
    if best is not None and chosen_by is not None and chosen_by not in SWEPT:
        # A measure that does not depend on the priors is the same line at the user's: one of the two is
        # enough.
        plain = (best.at_fixed_priors_of or best).name
        if plain in lines and np.allclose(lines[plain], lines[chosen_by], equal_nan=True):
            lines = {plain: lines.pop(chosen_by)} | {
                name: values for name, values in lines.items() if name != plain
            }
            chosen_by = plain
    alerts = swept.reached[places].sum(axis=1) / swept.totals.sum()
    return ranking_result.MeasureSweep(swept.thresholds[places], alerts, lines, chosen_by)
