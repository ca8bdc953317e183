"""Plots of an evaluation in scikit-learn's style: `from_estimator`, `from_predictions`, `plot`."""

from __future__ import annotations

import io
from typing import Any

from steelyard.errors import InputError
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.result import Evaluation


class EvaluationDisplay:
    """One plot of an evaluation: "matrix", "metrics" or "priors"; of scores also "roc",
    "precision_recall" and "threshold".

    >>> import steelyard as sy
    >>> shown = sy.EvaluationDisplay.from_predictions([0, 0, 0, 1, 1], [0, 0, 1, 1, 1], kind="matrix")
    >>> shown.figure_.axes[0] is shown.ax_
    True
    """

    figure_: Any
    ax_: Any

    def __init__(self, evaluation: Evaluation, kind: str = "priors") -> None:
        self.evaluation, self.kind = evaluation, kind

    def plot(self, ax: Any = None) -> EvaluationDisplay:
        """Draw it on Matplotlib axes, or on a figure of its own: `figure_` and its axes `ax_`."""
        chart = self.evaluation.figure(self.kind)
        if ax is None:
            from steelyard.report.chart import new_axes

            ax = new_axes()
        self.ax_ = chart.on(ax)
        self.figure_ = ax.figure
        return self

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any = None, *, kind: str = "priors", **settings: Any
    ) -> EvaluationDisplay:
        """From columns; `settings` go to `steelyard.evaluate`, such as `positive=` or `score=`."""
        return cls(evaluate(y_true, y_pred, **settings), kind).plot()

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        kind: str = "priors",
        **settings: Any,
    ) -> EvaluationDisplay:
        """From a fitted classifier and the rows it is tried on; curves are of its scores of one class."""
        if kind not in ("roc", "precision_recall", "threshold"):
            return cls.from_predictions(y, estimator.predict(X), kind=kind, **settings)
        classes = list(getattr(estimator, "classes_", []))
        if len(classes) != 2 or not hasattr(estimator, "predict_proba"):
            raise InputError(
                "curves are drawn from the probabilities of two classes",
                found=f"{type(estimator).__name__} of {len(classes)} classes",
                do="pass score=... to from_predictions instead",
            )
        scores = {"score": estimator.predict_proba(X)[:, 1], "positive": classes[1]}
        return cls.from_predictions(y, kind=kind, **{"threshold": 0.5, **scores, **settings})

    def _repr_png_(self) -> bytes:
        """What a notebook shows, with or without Matplotlib's own magic."""
        buffer = io.BytesIO()
        self.figure_.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()
