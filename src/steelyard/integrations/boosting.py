"""Does a boosted model still get better? Evaluation functions for LightGBM, XGBoost and CatBoost.

Each library has its own form of an evaluation function; here it is made around any measure of the catalogue.
Scores become labels by a threshold where there are two classes, and by the largest one where there are more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, warn
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

Array = NDArray[Any]


@dataclass(frozen=True)
class _Measured:
    """A measure of what a boosted model says, with classes numbered from 0 and 1 the positive one."""

    measure: Measure
    threshold: float

    def __call__(self, truth: Array, scores: Array, weight: Array | None = None) -> float:
        truth = np.asarray(truth).astype(np.int64)
        scores = np.asarray(scores, dtype=np.float64)
        classes = scores.shape[1] if scores.ndim == 2 else 2
        positive = 1 if classes == 2 else None
        if self.measure.kind == "scores":
            table: Any = scores if classes == 2 else {k: scores[:, k] for k in range(classes)}
            counted: Any = ScoreCounts.from_scores(truth, table, positive, sample_weight=weight)
        else:
            said = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= self.threshold).astype(np.int64)
            counted = Confusion.from_labels(truth, said, range(classes), sample_weight=weight)
        value = float(self.measure(counted, positive=positive))
        if math.isnan(value):
            why = self.measure.why_undefined(counted, positive=positive)
            warn(f"{self.measure.name} is undefined: {why}")
        return value


class LightGBMMetric:
    """For `eval_metric` of LGBMClassifier and for `feval` of `lightgbm.train`."""

    def __init__(self, measured: _Measured) -> None:
        self._measured = measured
        self.__name__ = measured.measure.name

    def __call__(self, first: Any, second: Any, weight: Any = None) -> tuple[str, float, bool]:
        if hasattr(second, "get_label"):
            first, second, weight = second.get_label(), first, second.get_weight()
        m = self._measured.measure
        return m.name, self._measured(first, second, weight), m.better == "higher"


class XGBoostMetric:
    """For `custom_metric` of `xgboost.train`; stop with `EarlyStopping(maximize=metric.maximize)`, since
    XGBoost takes less for better where it is not told."""

    def __init__(self, measured: _Measured) -> None:
        self._measured = measured
        self.__name__ = measured.measure.name
        self.maximize = measured.measure.better == "higher"

    def __call__(self, scores: Any, data: Any) -> tuple[str, float]:
        weight = data.get_weight()
        return self.__name__, self._measured(data.get_label(), scores, weight if len(weight) else None)


class CatBoostMetric:
    """For `eval_metric` of CatBoostClassifier, which hands over what stands before the probabilities."""

    def __init__(self, measured: _Measured) -> None:
        self._measured = measured

    def is_max_optimal(self) -> bool:
        return self._measured.measure.better == "higher"

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        columns = np.asarray(approxes, dtype=np.float64)
        scores = 1 / (1 + np.exp(-columns[0])) if len(columns) == 1 else columns.T
        return self._measured(np.asarray(target), scores, None if weight is None else np.asarray(weight)), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        return error / weight


def lightgbm(measure: str | Measure, *, threshold: float = 0.5) -> LightGBMMetric:
    """A measure as LightGBM evaluates: name, value and whether higher is better.

    >>> from steelyard.integrations import boosting
    >>> gmean = boosting.lightgbm("gmean")
    >>> gmean([0, 0, 1, 1], [0.2, 0.6, 0.7, 0.9])
    ('gmean', 0.7071067811865476, True)
    """
    return LightGBMMetric(_measured(measure, threshold))


def xgboost(measure: str | Measure, *, threshold: float = 0.5) -> XGBoostMetric:
    """A measure as `xgboost.train` evaluates: name and value."""
    return XGBoostMetric(_measured(measure, threshold))


def catboost(measure: str | Measure, *, threshold: float = 0.5) -> CatBoostMetric:
    """A measure as CatBoost evaluates."""
    return CatBoostMetric(_measured(measure, threshold))


def _measured(measure: str | Measure, threshold: float) -> _Measured:
    found = look_up(measure)
    if found.better == "neither":
        raise InputError(
            f"{found.name} cannot say which model is better",
            found="a measure without a better end",
            do="choose one that is better when higher or lower",
        )
    return _Measured(found, threshold)
