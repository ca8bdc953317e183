"""Performance in production without labels: under label shift, under covariate shift, or not at all."""

# Label shift keeps the score distribution of each class and moves prevalence; covariate shift keeps P(class |
# score) and moves the scores. Unlabelled scores can reject the first (`label_shift`), never the second; only
# scores that leave the labelled range speak against it. What was rejected does not lead. Both estimates are
# probabilities of class and bin of the score (or predicted label), from which every metric follows; draws
# resample both sets.

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array, Label, meant
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, parameter
from steelyard.judgement.evaluate.inputs import EvaluationInput
from steelyard.judgement.evaluate.options import Options
from steelyard.judgement.priors.judge import called, cells_of_labels, estimate_priors
from steelyard.judgement.priors.result import LabelShiftTest, Priors
from steelyard.measures.measure import Measure, weigh
from steelyard.reading.column_names import columns_of, columns_of_classes, find_column
from steelyard.reading.engines import opened
from steelyard.reading.rows import predicted_labels
from steelyard.reading.score_counting import scores_alone
from steelyard.reading.table import Column, Number
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Value, derived
from steelyard.scores.dataset_shift import OUTSIDE, ScoredCells, joint_under_covariate_shift, scored_cells
from steelyard.scores.fields import OfMeasure
from steelyard.scores.prior_shift import (
    Cells,
    drawn_cells,
    drawn_shares,
    instruments,
    nearest_mixture,
    nearest_shares,
    pooled,
)
from steelyard.uncertainty.confidence_limits import spread_percentiles
from steelyard.uncertainty.many_model_posterior import one_thread

# Both sets are redrawn, and the priors estimated again each time.
DRAWS = 1000
# A class without estimated rows keeps this share, so that its recall stays defined.
LEAST_SHARE = 1e-9
# What that leaves of a metric that would be 0 or 1 at a share of 0, such as precision.
LARGEST_RESIDUE = 1e-6
# A true label shift is rejected once in twenty times. Down to this p-value, intervals under covariate shift
# reach to those under label shift: without that a wrong rejection took every metric out of its interval.
BEYOND_DOUBT = 0.001
# Draws of scores are spread by this factor: bins and the shape of the calibration curve were chosen, too.
SPREAD = 1.2

Shift = Literal["label shift", "covariate shift"]


@dataclass(frozen=True)
class InProduction(OfMeasure):
    """One metric in production."""

    value: Value
    low: Value
    high: Value


@dataclass(frozen=True)
class ScoreMetric(Record):
    """A metric of the scores in production: ranking or calibration."""

    id: str
    title: str
    value: Value
    low: Value
    high: Value


@dataclass(frozen=True)
class ClassInProduction(Record):
    """A class in production: prevalence, recall and precision."""

    label: AnyLabel
    prevalence: Value
    prevalence_low: Value
    prevalence_high: Value
    recall: Value
    recall_low: Value
    recall_high: Value
    precision: Value
    precision_low: Value
    precision_high: Value


@dataclass(frozen=True)
class ShiftEstimate(Record):
    """Performance in production under one assumption."""

    assumption: Shift
    classes: tuple[ClassInProduction, ...]
    rows: Annotated[tuple[InProduction, ...], Json("measures")]
    scores: tuple[ScoreMetric, ...]


@dataclass(frozen=True)
class SliceInProduction(Record):
    """Performance in production in one slice, estimated from the labelled rows of the same slice alone."""

    slice: str
    labelled_rows: int
    production_rows: int
    leads: ShiftEstimate | None
    # Why there is no estimate.
    refused: str = ""


@dataclass(frozen=True)
class ProductionReport(Record):
    """Performance in production: the estimate that leads, the other one, and the test between them."""

    production_rows: int
    test: LabelShiftTest
    # None: no estimate is valid.
    leads: ShiftEstimate | None
    # The estimate under covariate shift where label shift leads.
    beside: ShiftEstimate | None
    rejected: Annotated[ShiftEstimate | None, Json("rejected_label_shift")]
    # Class priors under label shift, unless that is rejected.
    priors: Priors | None
    # Were predicted labels given, and no scores?
    labels_only: Annotated[bool, HIDDEN]
    level: float
    # Why no estimate is valid.
    refused: str = ""
    slices: tuple[SliceInProduction, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What makes the estimates less certain."""
        return () if self.priors is None else self.priors.notes

    @property
    def is_beyond_doubt(self) -> bool:
        """Is label shift rejected so clearly that intervals need not allow for it?"""
        return self.test.p_value < BEYOND_DOUBT

    assumption = derived(Shift | None, lambda self: None if self.leads is None else self.leads.assumption)
    # The metrics of the estimate that leads.
    rows = derived(
        tuple[InProduction, ...], lambda self: () if self.leads is None else self.leads.rows, "measures"
    )


@dataclass
class Unlabelled:
    """The rows of production that were given, how they are read, and the priors once they are estimated."""

    labelled: Any
    rows: Any
    options: Options
    # A column of scores for each class: a pattern of columns, or the table of the labelled rows.
    scores: Any
    priors: Priors | None = None

    @cached_property
    def ties(self) -> Ties:
        """The scores, read once for the priors and for the report."""
        score = self.options.score
        return scores_alone(self.rows, score if isinstance(score, str) else None, self.options.missing)

    # Known before a threshold is chosen: it is chosen for production.
    def estimate_by_scores(self, labelled: ScoreCounts) -> Any:
        """The priors by scores; None where label shift is rejected."""
        return self._estimate(labelled, self.ties, score=self.options.score)

    def estimate_by_predictions(self, inputs: EvaluationInput) -> Any:
        """The priors by what is predicted there; None where label shift is rejected."""
        return self._estimate(inputs.matrix, self.predictions(inputs), pred=inputs.counted.pred)

    @one_thread()
    def _estimate(self, labelled: Any, unlabelled: Any, **columns: Any) -> Any:
        how: dict[str, Any] = {name: getattr(self.options, name) for name in ("missing", "level", "seed")}
        priors = estimate_priors(labelled, unlabelled=unlabelled, **columns, **how)
        self.priors = replace(priors, labelled=called(self.labelled), unlabelled=called(self.rows))
        return self.by_label

    @property
    def by_label(self) -> Any:
        """The priors as a caller gives them; None where label shift is rejected."""
        return self.priors.by_label() if self.priors is not None and self.priors.fits else None

    def predictions(self, inputs: EvaluationInput) -> Any:
        """Where the predicted labels are: in a column, or of each row the class with the largest score."""
        if self.scores is None or not inputs.labels_from_scores:
            return self.rows
        if not isinstance(self.scores, str):  # a table of scores in memory, a column for each class
            return self.largest(np.asarray(self.rows, dtype=float).T, inputs)
        names = self.score_columns(inputs)
        return self.largest(_by_slice(self.rows, (), names, len(names))[()], inputs)

    def score_columns(self, inputs: EvaluationInput) -> list[str]:
        """The columns of scores there, in the order of the classes."""
        with opened(self.rows) as table, columns_of(called(self.rows)):
            columns = columns_of_classes(table.names, self.scores)
        written = meant(inputs.matrix.labels, columns)
        return [columns[name] for name in written if name is not None]

    def largest(self, columns: Sequence[Array] | Array, inputs: EvaluationInput) -> list[Label | None]:
        """The class with the largest score of each row; None where a score is missing."""
        labels, table = inputs.matrix.labels, np.asarray(columns, dtype=float)
        if len(table) != len(labels):
            raise InputError(
                "production needs a score for each class",
                found=f"{len(table)} columns of scores",
                allowed=f"{len(labels)}, those of {', '.join(map(str, labels))}",
                parameter="production",
            )
        if self.options.missing == "error" and (absent := int(np.isnan(table).any(axis=0).sum())):
            raise InputError(
                "rows of production lack a score",
                found=f"{absent:,} rows",
                do=f"leave those rows out with {parameter('missing', 'drop')}",
                parameter="production",
            )
        places = np.where(np.isnan(table).any(axis=0), -1, np.argmax(np.nan_to_num(table), axis=0))
        return [labels[k] if k >= 0 else None for k in places.tolist()]


@one_thread()
def report_production(
    inputs: EvaluationInput, unlabelled: Unlabelled, measures: list[Measure], positive: Label | None
) -> ProductionReport:
    """Estimate the metrics in production, and those of every slice that both sets have columns for."""
    report = _report(inputs, unlabelled, measures, positive)
    if not inputs.counted.slices:
        return report
    return replace(report, slices=tuple(_slices(inputs, unlabelled, measures, positive)))


def _report(
    inputs: EvaluationInput, unlabelled: Unlabelled, measures: list[Measure], positive: Label | None
) -> ProductionReport:
    """The metrics in production under both assumptions; the one that was not rejected leads."""
    priors = unlabelled.priors
    assert priors is not None
    random = np.random.default_rng(unlabelled.options.seed)
    if inputs.labels_from_scores and inputs.threshold is not None:
        assert inputs.scores is not None
        at = inputs.threshold.threshold
        scored = scored_cells(inputs.scores, unlabelled.ties, at if math.isfinite(at) else None)
        cells, predicted = scored.cells, np.where(scored.starts >= at, 0, 1)
    else:
        there = unlabelled.predictions(inputs)
        counted = predicted_labels(there, inputs.counted.pred, unlabelled.options.missing)
        cells, scored = cells_of_labels(inputs.matrix, counted)[0], None
        predicted = np.arange(cells.labelled.shape[1])
    rejected = not priors.fits
    how = (predicted, scored, tuple(priors.labels), measures, positive, priors.level)
    by_labels = _measured("label shift", _label_shift(cells, scored, priors, random), *how)
    # Prevalence has the interval that `priors` gives: one question, one answer.
    ends = zip(by_labels.classes, priors.best.low.tolist(), priors.best.high.tolist(), strict=True)
    classes = tuple(replace(c, prevalence_low=low, prevalence_high=high) for c, low, high in ends)
    by_labels = replace(by_labels, classes=classes)
    by_scores = None
    if scored is None or scored.carries_over:
        by_scores = _measured("covariate shift", covariate_shift(cells, scored, random), *how)
    leads, beside, refused = (by_scores, None, "") if rejected else (by_labels, by_scores, "")
    if rejected and leads is not None and priors.test.p_value >= BEYOND_DOUBT:
        leads = _reaching(leads, by_labels)
    if leads is None:
        assert scored is not None
        where, share = "outside the range of the labelled scores", scored.outside
        if share <= OUTSIDE:
            where, share = "where there are hardly any labelled scores", scored.unsupported
        refused = f"{100 * share:.2g}% of the production scores lie {where}"
    return ProductionReport(
        production_rows=int(cells.unlabelled.sum()),
        test=priors.test,
        leads=leads,
        beside=beside,
        rejected=by_labels if rejected else None,
        priors=None if rejected else priors,
        labels_only=scored is None,
        level=priors.level,
        refused=refused,
    )


def _slices(
    inputs: EvaluationInput, unlabelled: Unlabelled, measures: list[Measure], positive: Label | None
) -> Iterator[SliceInProduction]:
    """Every slice, each estimated from its own labelled rows."""
    counted, scored = inputs.counted, inputs.threshold is not None and inputs.labels_from_scores
    per_class = inputs.labels_from_scores and not scored
    value = unlabelled.options.score if scored else counted.pred
    names = unlabelled.score_columns(inputs) if per_class else [value]
    numbers = len(names) if inputs.labels_from_scores else 0
    there = _by_slice(unlabelled.rows, counted.slice_columns, names, numbers)
    here = {}
    if scored:
        here = _by_slice(unlabelled.labelled, counted.slice_columns, [counted.truth, value], 1)
    for key, matrix in counted.slices.items():
        columns = there.get(tuple(map(str, key)), (np.empty(0),) * len(names))
        values = unlabelled.largest(columns, inputs) if per_class else columns[0]
        rows = replace(unlabelled, rows=values, scores=None)
        try:
            if scored:
                labels, scores = here[tuple(map(str, key))]
                in_slice = ScoreCounts.from_scores(labels, scores, positive, missing="drop")
                slice_inputs = replace(inputs, scores=in_slice)
                rows.estimate_by_scores(in_slice)
            else:
                slice_inputs = replace(inputs, counted=replace(counted, matrix=matrix))
                rows.estimate_by_predictions(slice_inputs)
            report = _report(slice_inputs, rows, measures, positive)
            leads, refused = report.leads, report.refused
        except InputError as error:  # no rows there, or a class that the slice lacks
            leads, refused = None, str(error)
        name = ", ".join(
            f"{column}={level}" for column, level in zip(counted.slice_columns, key, strict=True)
        )
        yield SliceInProduction(name, int(matrix.total), len(values), leads, refused)


def _by_slice(
    source: Any, slices: Sequence[str], values: Sequence[Any], numbers: int
) -> dict[tuple[str, ...], tuple[Array, ...]]:
    """The columns of each slice, the last ones as numbers where they hold scores."""
    names = [*slices, *values]
    with opened(source) as table, columns_of(called(source)):
        for name in names:
            find_column(name, table.names)
        labels = len(names) - numbers
        columns = table.columns([*map(Column, names[:labels]), *map(Number, names[labels:])])
    if not slices:
        return {(): tuple(columns)}
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(column.tolist() for column in columns[: len(slices)]), strict=True)):
        groups.setdefault(tuple(map(str, key)), []).append(row)
    return {key: tuple(column[rows] for column in columns[len(slices) :]) for key, rows in groups.items()}


def _label_shift(
    cells: Cells, scored: ScoredCells | None, priors: Priors, random: np.random.Generator
) -> tuple[Array, Array]:
    """(C, B) and (draws, C, B): the rates of each class stay, the shares are estimated on coarse bins."""
    coarse = cells if scored is None else scored.coarse
    rates = drawn_cells(cells.labelled, pooled(cells), random, DRAWS)
    seen = drawn_cells(cells.unlabelled, pooled(cells), random, DRAWS)
    request = instruments(coarse, nearest_mixture(coarse.labelled, coarse.unlabelled)[1])
    grouped = (rates, seen) if scored is None else (scored.grouped(rates), scored.grouped(seen))
    shares = drawn_shares(request, *grouped)
    every = np.concatenate([np.asarray(priors.best.shares)[None], nearest_shares(shares)])
    every = np.maximum(every, LEAST_SHARE)
    every /= every.sum(axis=-1, keepdims=True)
    return every[0, :, None] * cells.rates, every[1:, :, None] * rates


def covariate_shift(
    cells: Cells, scored: ScoredCells | None, random: np.random.Generator, draws: int = DRAWS
) -> tuple[Array, Array]:
    """(C, B) and (draws, C, B): P(class | bin) stays, the unlabelled rows say how frequent each bin is."""
    # The Bayesian bootstrap (Rubin 1981): normalised gamma draws with the counts as shapes are Dirichlet. A
    # tiny number keeps a bin without rows from dividing by zero.
    labelled = random.standard_gamma(cells.labelled, size=(draws, *cells.labelled.shape)) + 1e-300
    seen = random.standard_gamma(cells.unlabelled, size=(draws, len(cells.unlabelled))) + 1e-300
    seen /= seen.sum(axis=-1, keepdims=True)
    if scored is not None:
        return (
            joint_under_covariate_shift(scored, cells.labelled, cells.seen),
            joint_under_covariate_shift(scored, labelled, seen),
        )
    # of each predicted label: how often each class is true; one that was never predicted says nothing
    totals = np.maximum(cells.labelled.sum(axis=0), 1e-300)
    return (
        cells.seen * cells.labelled / totals,
        seen[:, None] * labelled / labelled.sum(axis=1, keepdims=True),
    )


def _measured(
    assumption: Shift,
    joint: tuple[Array, Array],
    predicted: Array,
    scored: ScoredCells | None,
    names: tuple[Label, ...],
    measures: list[Measure],
    positive: Label | None,
    level: float,
) -> ShiftEstimate:
    """Every metric of the probabilities of class and bin."""
    spread = 1.0 if scored is None else SPREAD

    def estimate(value: float, values: Array, residue: float = LARGEST_RESIDUE) -> tuple[float, ...]:
        numbers = np.array([value, *spread_percentiles(values, value, level, spread)])
        bound = np.clip(np.round(numbers), 0.0, 1.0)
        return tuple(np.where(np.abs(numbers - bound) < residue, bound, numbers).tolist())

    matrices = [
        np.stack([cells_of_draw[..., predicted == k].sum(axis=-1) for k in range(len(names))], axis=-1)
        for cells_of_draw in joint
    ]
    here, many = (weigh(measures, Confusion(each, names), positive=positive) for each in matrices)
    rows = tuple(
        InProduction(measure, *estimate(float(value), values))
        for measure, value, values in zip(measures, here.values(), many.values(), strict=True)
    )
    scores: tuple[ScoreMetric, ...] = ()
    if scored is not None:
        here_of_scores, many_of_scores = (_score_metrics(scored, cells_of_draw) for cells_of_draw in joint)
        scores = tuple(
            ScoreMetric(key, TITLES[key], *estimate(float(value), many_of_scores[key]))
            for key, value in here_of_scores.items()
        )
    # A small prevalence is an answer; only the share that a class without rows keeps stands for 0.
    residues = 2 * LEAST_SHARE, LARGEST_RESIDUE, LARGEST_RESIDUE
    rates = list(zip(*map(_class_rates, matrices), residues, strict=True))
    classes = []
    for k, label in enumerate(names):
        numbers = (estimate(float(rate[k]), drawn[:, k], residue) for rate, drawn, residue in rates)
        classes.append(ClassInProduction(label, *chain.from_iterable(numbers)))
    return ShiftEstimate(assumption, tuple(classes), rows, scores)


def _class_rates(matrix: Array) -> list[Array]:
    """Prevalence, recall and precision of every class."""
    hits, actual, called = np.diagonal(matrix, axis1=-2, axis2=-1), matrix.sum(-1), matrix.sum(-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [actual / actual.sum(axis=-1, keepdims=True), hits / actual, hits / called]


def _reaching(estimate: ShiftEstimate, other: ShiftEstimate) -> ShiftEstimate:
    """The estimate with intervals that reach to those of the other one."""

    def joined(side: Any, beside: Any) -> Any:
        ends = [field.name for field in fields(side) if field.name.endswith(("low", "high"))]
        wider = {name: np.fmin if name.endswith("low") else np.fmax for name in ends}
        return replace(
            side, **{k: float(end(getattr(side, k), getattr(beside, k))) for k, end in wider.items()}
        )

    parts = {name: (getattr(estimate, name), getattr(other, name)) for name in ("classes", "rows", "scores")}
    wider: dict[str, Any] = {name: tuple(map(joined, *both)) for name, both in parts.items()}
    return replace(estimate, **wider)


TITLES = {
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration_error": "expected calibration error",
}


def _score_metrics(scored: ScoredCells, joint: Array) -> dict[str, Array]:
    """Ranking and calibration of the scores, by the probabilities of class and bin (..., 2, B)."""
    positives, negatives = joint[..., 0, :], joint[..., 1, :]
    # Mann-Whitney: a pair in the same bin counts half.
    below = np.cumsum(negatives, axis=-1) - negatives / 2
    pairs = positives.sum(axis=-1) * negatives.sum(axis=-1)
    # from the highest bin down
    hits = np.cumsum(positives[..., ::-1], axis=-1)[..., ::-1]
    called = hits + np.cumsum(negatives[..., ::-1], axis=-1)[..., ::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ranking = {
            "roc_auc": (positives * below).sum(axis=-1) / pairs,
            "average_precision": (positives * np.where(called > 0, hits / called, 0)).sum(axis=-1)
            / positives.sum(axis=-1),
        }
    if not scored.is_probability:
        return ranking
    score = scored.means
    loss = positives * (1 - score) ** 2 + negatives * score**2
    gap = scored.grouped(positives - score * (positives + negatives))
    return {**ranking, "brier": loss.sum(axis=-1), "calibration_error": np.abs(gap).sum(axis=-1)}
