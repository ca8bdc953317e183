"""Evaluation functions for LightGBM, XGBoost and CatBoost, for early stopping on any metric."""

# Scores of two classes become labels by `threshold` (0.5 unless it is given), of more the largest decides;
# class 1 of two is the positive one, of more `positive` names it where a measure asks for one.

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from steelyard.integrations.learners import LearnerMeasure
from steelyard.measures.measure import Measure


class _Metric:
    def __init__(
        self, measure: str | Measure, *, threshold: float | None = None, positive: int | None = None
    ) -> None:
        self._measured = LearnerMeasure.named(measure, threshold, positive)
        self.maximize = self._measured.maximize
        self.__name__ = self._measured.measure.name


class LightGBMMetric(_Metric):
    """For `eval_metric` of LGBMClassifier and for `feval` of `lightgbm.train`: name, value and whether higher
    is better.

    >>> from steelyard.integrations import boosting
    >>> gmean = boosting.lightgbm("gmean")
    >>> gmean([0, 0, 1, 1], [0.2, 0.6, 0.7, 0.9])
    ('gmean', 0.7071067811865476, True)
    """

    def __call__(self, first: Any, second: Any, weight: Any = None) -> tuple[str, float, bool]:
        if hasattr(second, "get_label"):
            first, second, weight = second.get_label(), first, second.get_weight()
        return self.__name__, self._measured(first, second, weight), self.maximize


class XGBoostMetric(_Metric):
    """For `custom_metric` of `xgboost.train` and `eval_metric` of XGBClassifier.

    XGBoost takes lower for better where it is not told, and would keep the worst round: an early stopping on
    this metric without `maximize` is told here.
    """

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[str, float] | float:
        self._direct_early_stopping()
        if not hasattr(second, "get_label"):  # XGBClassifier: the truth, then scores
            return self._measured(first, second, sample_weight)
        weight = second.get_weight()
        return self.__name__, self._measured(second.get_label(), first, weight if len(weight) else None)

    def _direct_early_stopping(self) -> None:
        """Set `maximize` of the early stopping that this evaluation is for."""
        # XGBoost hands a metric nothing but scores, so its callbacks are found on the stack, below
        # `CallbackContainer.after_iteration`.
        frame = sys._getframe(2)
        while frame is not None and type(frame.f_locals.get("self")).__name__ != "CallbackContainer":
            frame = frame.f_back  # type: ignore[assignment]
        for callback in () if frame is None else frame.f_locals["self"].callbacks:
            undirected = type(callback).__name__ == "EarlyStopping" and callback.maximize is None
            if undirected and callback.metric_name in (None, self.__name__):
                callback.maximize = self.maximize


class CatBoostMetric(_Metric):
    """For `eval_metric` of CatBoostClassifier, which hands over what stands before the probabilities."""

    # CatBoost tries to compile what is given to it, and warns of what it cannot compile.
    no_jit = True

    def is_max_optimal(self) -> bool:
        return self.maximize

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        columns = np.asarray(approxes, dtype=np.float64)
        scores = np.exp(-np.logaddexp(0, -columns[0])) if len(columns) == 1 else columns.T
        return self._measured(np.asarray(target), scores, None if weight is None else np.asarray(weight)), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        return error / weight


lightgbm, xgboost, catboost = LightGBMMetric, XGBoostMetric, CatBoostMetric
