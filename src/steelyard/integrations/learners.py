"""Metrics of the scores that a learner outputs while it trains."""

# Boosting libraries, Keras and torchmetrics pass the same two columns in different forms: classes numbered
# from 0, and scores of class 1 or of every class. One score column becomes labels at a threshold (default
# 0.5); of several columns the largest is the prediction, or of two a threshold on the second if one is given.

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Array
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, warn
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure


@dataclass(frozen=True)
class LearnerMeasure:
    """A metric of a learner's output, with classes numbered from 0; of two, class 1 is positive."""

    measure: Measure
    threshold: float | None = None
    positive: int | None = None

    @classmethod
    def named(
        cls, name: str | Measure, threshold: float | None = None, positive: int | None = None
    ) -> LearnerMeasure:
        """Look up a metric; one without a better direction is an error."""
        metric = look_up(name)
        if metric.better == "neither":
            raise InputError(
                f"{metric.name} cannot say which model is better",
                found="a metric for which neither higher nor lower is better",
                do="choose one that is better when higher or lower",
            )
        return cls(metric, threshold, positive)

    @property
    def maximize(self) -> bool:
        """Whether higher is better."""
        return self.measure.better == "higher"

    def __call__(self, truth: Any, scores: Any, weight: Any = None) -> float:
        """The value of true classes and scores, one column of class 1 or one for each class."""
        truth, scores = class_numbers(truth), score_columns(scores)
        if self.measure.kind == "scores":
            return self.of(scored(truth, scores, weight))
        classes = range(scores.shape[1] if scores.ndim == 2 else 2)
        predicted = labels_of(scores, self.threshold)
        return self.of(Confusion.from_labels(truth, predicted, classes, sample_weight=weight))

    def of(self, counted: Confusion | ScoreCounts) -> float:
        """The value of what was counted; where it is undefined NaN, and a warning that says why."""
        positive = 1 if self.positive is None and len(counted.labels) == 2 else self.positive
        value = float(self.measure(counted, positive=positive))
        if math.isnan(value):
            why = self.measure.why_undefined(counted, positive=positive)
            warn(f"{self.measure.name} is undefined: {why}")
        return value


def class_numbers(truth: Any) -> Array:
    """True classes as numbers from 0: one column, or the places of the ones in a table of zeros and ones."""
    classes = np.asarray(truth)
    if classes.ndim == 2 and classes.shape[1] > 1:
        if not (np.isin(classes, (0, 1)).all() and (classes.sum(axis=1) == 1).all()):
            raise InputError(
                "a table of true classes has a single 1 in every row",
                found=f"a table of shape {classes.shape} that has not",
                do="give the numbers of the classes, or one column of 0 and 1",
            )
        return np.asarray(classes.argmax(axis=1))
    classes = classes.reshape(-1)
    numbers = classes.astype(np.int64)
    if (numbers != classes).any() or (numbers < 0).any():
        raise InputError(
            "true classes are numbered from 0",
            found=repr(classes[(numbers != classes) | (numbers < 0)][0].item()),
            allowed="whole numbers >= 0",
        )
    return numbers


def score_columns(scores: Any) -> Array:
    """Scores as float64: one column of class 1, or a table with a column for each class."""
    columns = np.asarray(scores, dtype=np.float64)
    if columns.ndim == 2 and columns.shape[1] == 1:
        return columns[:, 0]
    if columns.ndim not in (1, 2):
        raise InputError(
            "scores are one column, or a table with a column for each class",
            found=f"an array of shape {columns.shape}",
        )
    return columns


def labels_of(scores: Any, threshold: float | None) -> Any:
    """The classes that scores stand for, an array or a tensor on its device."""
    # Only what NumPy and PyTorch write alike.
    no_number = scores != scores
    if bool(no_number.any()):
        raise InputError(
            "the learner gave scores that are no numbers",
            found=f"NaN in {int(no_number.sum())} places",
            do="look at its loss: it may have diverged",
        )
    if scores.ndim == 2 and threshold is None:
        return scores.argmax(1)
    if scores.ndim == 2 and scores.shape[1] > 2:
        raise InputError(
            "a threshold parts two classes",
            found=f"threshold={threshold!r} and scores of {scores.shape[1]} classes",
            do="leave threshold= out: the class of the largest score is taken",
        )
    column = scores if scores.ndim == 1 else scores[:, 1]
    if threshold is None and len(column) and not 0 <= column.min() <= column.max() <= 1:
        raise InputError(
            "scores that become labels at one half are probabilities",
            found=f"scores from {column.min().item():g} to {column.max().item():g}",
            allowed="0 to 1",
            do="name the threshold: threshold=0 for log odds",
        )
    return (column >= (0.5 if threshold is None else threshold)) * 1


def scored(truth: Array, scores: Array, weight: Any = None) -> ScoreCounts:
    """Counts at each score; of two columns the second is the score of class 1."""
    if scores.ndim == 1 or scores.shape[1] == 2:
        column = scores if scores.ndim == 1 else scores[:, 1]
        return ScoreCounts.from_scores(truth, column, 1, range(2), sample_weight=weight)
    table = {k: scores[:, k] for k in range(scores.shape[1])}
    return ScoreCounts.from_scores(truth, table, sample_weight=weight)
