"""What is the classifier worth in production, where nobody labels and the class shares are unknown?

The shares are estimated from what is predicted there, and the rates of each class are those of the labelled
rows. Both are drawn together: a labelled sample that makes the classifier look too good also makes the shares
look too small or too large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.evaluate.given import Given
from steelyard.judgement.fields import OfMeasure
from steelyard.judgement.priors.judge import cells_of_labels, estimate_priors
from steelyard.judgement.priors.result import Priors
from steelyard.measures.measure import Measure, weigh
from steelyard.reading.counting import predicted_labels
from steelyard.reading.score_counting import scores_alone
from steelyard.report.records import HIDDEN, Json, Record, Value
from steelyard.scores.unlabelled_priors import by_counting, cells_of_scores

Array = NDArray[Any]

MOST_DRAWS = 4000


@dataclass(frozen=True)
class InProduction(OfMeasure):
    """One measure in production."""

    measure: Annotated[Measure, HIDDEN]
    value: Value
    low: Value
    high: Value


@dataclass(frozen=True)
class ProductionReport(Record):
    """The estimated priors of production, and the measures there."""

    priors: Priors
    rows: Annotated[tuple[InProduction, ...], Json("measures")]


@dataclass(frozen=True)
class Unlabelled:
    """The rows of production that were given, and how they are read."""

    rows: Any
    score: Any
    missing: str
    level: float
    seed: int

    def priors_by_scores(self, data: Any, truth: str | None, positive: Label | None) -> Priors:
        """The shares by scores, known before a threshold is chosen: it is chosen for production."""
        return estimate_priors(data, truth=truth, score=self.score, positive=positive, **self._reading())

    def priors_by_predictions(self, given: Given) -> Priors:
        """The shares by what is predicted there."""
        if given.labels_from_scores:
            raise InputError(
                "production is judged by predictions, or by one column of scores and a threshold",
                found="a column of scores for each class",
                do="give the predictions too",
            )
        return estimate_priors(given.matrix, pred=given.counted.pred, **self._reading())

    def _reading(self) -> dict[str, Any]:
        return {
            "unlabelled": self.rows,
            "missing": self.missing,
            "level": self.level,
            "seed": self.seed,
        }


def report_production(
    given: Given, found: Priors, unlabelled: Unlabelled, measures: list[Measure], positive: Label | None
) -> ProductionReport:
    """The measures at the estimated shares, with the uncertainty of the shares and of the rates."""
    random = np.random.default_rng(unlabelled.seed)
    score, missing, level = unlabelled.score, unlabelled.missing, unlabelled.level
    names = tuple(found.labels)
    matrix = given.matrix
    if given.labels_from_scores:
        if given.scores is None or given.threshold is None:
            raise AssertionError("labels of one column of scores have a threshold")
        at = given.threshold.threshold
        ties = scores_alone(unlabelled.rows, score if isinstance(score, str) else None, missing)
        finite = at if math.isfinite(at) else None
        cells, starts = cells_of_scores(given.scores, ties, edge=finite)
        _, drawn = by_counting(cells, level, MOST_DRAWS, random)
        called = drawn.drawn_rates[..., starts >= at].sum(axis=-1)
        rates = np.stack([called, 1 - called], axis=-1)
    else:
        cells, _ = cells_of_labels(matrix, predicted_labels(unlabelled.rows, given.counted.pred, missing))
        _, drawn = by_counting(cells, level, MOST_DRAWS, random)
        rates = drawn.drawn_rates
    place = [matrix.labels.index(label) for label in names]
    own = matrix.counts[np.ix_(place, place)].astype(np.float64)
    expected = found.best.shares[:, None] * own / own.sum(axis=1, keepdims=True)
    drawn_matrices = drawn.drawn_shares[:, :, None] * rates
    rows = measured(measures, Confusion(expected, names), Confusion(drawn_matrices, names), positive, level)
    return ProductionReport(found, rows)


def measured(
    measures: list[Measure], expected: Confusion, drawn: Confusion, positive: Label | None, level: float
) -> tuple[InProduction, ...]:
    """Each measure on the matrix that is expected, with an interval from drawn ones."""
    here = weigh(measures, expected, positive=positive)
    many = weigh(measures, drawn, positive=positive)
    tails = ((1 - level) / 2, (1 + level) / 2)
    rows = []
    for measure, value, values in zip(measures, here.values(), many.values(), strict=True):
        known = np.asarray(values)[np.isfinite(values)]
        low, high = np.quantile(known, tails) if len(known) else (math.nan, math.nan)
        rows.append(InProduction(measure, float(value), float(low), float(high)))
    return tuple(rows)
