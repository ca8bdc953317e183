"""torchmetrics metric: counts batches on the device of the network."""

# Its state is an integer confusion matrix, so a billion rows are counted exactly and distributed processes
# are summed; scores are stored only for metrics that need them.

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, extra_needed
from steelyard.integrations.learners import LearnerMeasure, labels_of, scored
from steelyard.measures.measure import Measure

with extra_needed("torchmetrics", "torchmetrics", "a metric of torchmetrics"):
    import torch
    from torch import Tensor
    from torchmetrics import Metric


class MeasureMetric(Metric):  # type: ignore[misc]
    """A measure of the catalogue as a metric: `update(preds, target)` for every batch, then `compute()`.

    `preds` are labels (whole numbers), probabilities of class 1, or a score for each class in dimension 1;
    further dimensions, such as pixels, are rows too. Scores become labels at `threshold` (0.5; name it for
    log odds, which are refused otherwise), of several the largest decides. Rows whose target is
    `ignore_index` are left out. Class 1 of two is the positive one; `positive` names another. Where the
    measure is undefined the value is NaN and a warning says why. All else (`sync_on_compute=`, ...) goes to
    torchmetrics.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        measure: str | Measure,
        *,
        num_classes: int = 2,
        threshold: float | None = None,
        positive: int | None = None,
        ignore_index: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        if isinstance(num_classes, bool) or not isinstance(num_classes, int) or num_classes < 2:
            raise InputError(
                "the number of classes is a whole number", found=repr(num_classes), allowed="2 or more"
            )
        self.measured = LearnerMeasure.named(measure, threshold, positive)
        self.num_classes, self.threshold, self.ignore_index = num_classes, threshold, ignore_index
        self.keeps_scores = self.measured.measure.kind == "scores"
        if self.keeps_scores:
            for column in ("scores", "target", "row_weights"):
                self.add_state(column, default=[], dist_reduce_fx="cat")
        else:
            square = (num_classes, num_classes)
            self.add_state("counts", default=torch.zeros(square, dtype=torch.int64), dist_reduce_fx="sum")
            # Apart from the counts: sums of weights are not whole, and what has no weights stays exact.
            self.add_state("weights", default=torch.zeros(square, dtype=torch.float64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """Read by torchmetrics' MetricTracker."""
        return self.measured.maximize

    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Count a batch; a batch that is refused changes nothing."""
        preds, target = self._rows(preds.detach(), target.detach())
        weight = None if sample_weight is None else sample_weight.detach().reshape(-1).to(torch.float64)
        if weight is not None and (len(weight) != len(target) or not bool((weight >= 0).all())):
            raise InputError(
                "there is a weight for each row, none below 0",
                found=f"{len(weight)} weights for {len(target)} rows, the smallest {weight.min().item():g}",
            )
        if self.ignore_index is not None:
            counted = target != self.ignore_index
            preds, target = preds[counted], target[counted]
            weight = None if weight is None else weight[counted]
        self._refuse_strange(target, "target")
        if self.keeps_scores:
            if not preds.is_floating_point():
                name = self.measured.measure.name
                raise InputError(f"{name} needs scores", found="labels", do="hand over probabilities")
            self.scores.append(preds.to(torch.float64))
            self.target.append(target)
            ones = torch.ones_like(target, dtype=torch.float64)
            self.row_weights.append(ones if weight is None else weight)
            return
        predicted = preds if not preds.is_floating_point() else labels_of(preds, self.threshold)
        self._refuse_strange(predicted, "preds")
        # Counted on the device: only C x C numbers leave it, when a value is asked for.
        cells = target.long() * self.num_classes + predicted.long()
        size = self.num_classes**2
        if weight is None:
            self.counts += torch.bincount(cells, minlength=size).reshape(self.counts.shape)
        else:
            self.weights += torch.bincount(cells, weight, minlength=size).reshape(self.counts.shape)

    def compute(self) -> Tensor:
        """The value of all that was counted since the last reset."""
        return torch.tensor(self.measured.of(self.counted), dtype=torch.float64, device=self.device)

    @property
    def counted(self) -> Confusion | ScoreCounts:
        """What was counted, for everything else Steelyard does: `steelyard.evaluate(metric.counted)`."""
        if not self.keeps_scores:
            counts = self.counts.cpu().numpy()
            weights = self.weights.cpu().numpy()
            return Confusion(counts + weights if weights.any() else counts, range(self.num_classes))
        scores, truth, weights = (_joined(column) for column in (self.scores, self.target, self.row_weights))
        return scored(truth, scores, None if (weights == 1).all() else weights)

    def _rows(self, preds: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        """One row for each target: labels or scores of class 1, or a table with a column for each class."""
        if target.is_floating_point() or (target.dtype == torch.bool):
            whole = target.long()
            if bool((whole != target).any()):
                raise InputError("targets are numbers of classes", found="fractions", allowed="0, 1, 2, ...")
            target = whole
        if preds.ndim == target.ndim + 1 and preds.shape[1] == self.num_classes:
            table = preds.movedim(1, -1)
            if table.shape[:-1] == target.shape:
                return table.reshape(-1, self.num_classes), target.reshape(-1)
        if preds.shape == target.shape and (self.num_classes == 2 or not preds.is_floating_point()):
            return preds.reshape(-1), target.reshape(-1)
        raise InputError(
            "predictions do not go with the targets",
            found=f"{preds.dtype} of shape {tuple(preds.shape)} and targets of shape {tuple(target.shape)}",
            allowed=f"labels, or scores of {self.num_classes} classes in dimension 1"
            + (", or probabilities of class 1" if self.num_classes == 2 else ""),
        )

    def _refuse_strange(self, labels: Tensor, name: str) -> None:
        if len(labels) and not 0 <= labels.min() <= labels.max() < self.num_classes:
            raise InputError(
                f"{name} holds a class that is none of the {self.num_classes}",
                found=f"numbers from {labels.min().item()} to {labels.max().item()}",
                allowed=f"0 to {self.num_classes - 1}",
                do="num_classes= says how many there are, ignore_index= which number stands for no class",
            )


def _joined(column: Any) -> Any:
    """A list of batches, or the single tensor that a distributed run made of it."""
    batches = column if isinstance(column, list) else [column]
    return np.concatenate([batch.cpu().numpy() for batch in batches]) if batches else np.empty(0)
