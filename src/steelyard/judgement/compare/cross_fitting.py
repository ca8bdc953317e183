"""Cross-fitted thresholds: every row is classified at a threshold that was chosen on other rows.

A threshold chosen and judged on the same rows looks better than it is. Here the rows are split into folds,
and each model's threshold for a fold is the best one on the other folds, so that models are compared by their
scores alone and no row judges a threshold it helped to choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.encoding import encode, keep_rows
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.scored_classes import codes_of_labels, rows_of_positive
from steelyard.errors import InputError
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import shown
from steelyard.report.records import AnyLabel, Record
from steelyard.scores.fields import MeasureName
from steelyard.scores.threshold_selection import best_threshold
from steelyard.uncertainty.resampling import generator_of

Array = NDArray[Any]

FOLDS = 10


@dataclass(frozen=True)
class CrossFitting(Record):
    """How labels were made of scores: the metric, and each model's threshold for every fold."""

    maximises: MeasureName
    positive: AnyLabel
    folds: int
    thresholds: Mapping[str, tuple[float, ...]]
    """By model; a score of at least the threshold of its row's fold is predicted positive."""

    @property
    def sentence(self) -> str:
        """What the predicted labels are, and how far the thresholds differ over folds."""
        ranges = [f"{model} {_range(chosen)}" for model, chosen in self.thresholds.items()]
        return (
            f"Labels come from thresholds chosen by {short_name(self.maximises)} on other rows"
            f" ({self.folds}-fold cross-fitting): {', '.join(ranges)}."
        )


def _range(chosen: Sequence[float]) -> str:
    least, most = min(chosen), max(chosen)
    if math.isinf(least):
        return "never predicts positive"
    return shown(least) if most == least else f"{shown(least)} to {shown(most)}"


def cross_fit(
    y_true: Any,
    scores: Mapping[str, Array],
    positive: Label | None,
    maximise: Measure,
    groups: Any = None,
    seed: int = 0,
) -> tuple[dict[str, list[Label]], CrossFitting]:
    """The labels of each model at cross-fitted thresholds; rows of one group stay in one fold."""
    label = ScoreCounts.from_scores(y_true, next(iter(scores.values())), positive).positive_class().label
    others = [other for other in codes_of_labels(encode(y_true, "y_true")) if other != label]
    if len(others) != 1:
        raise InputError(
            "scores alone compare models of two classes",
            found=f"{1 + len(others)} classes",
            do="name each model's predicted labels beside its scores",
            parameter="pred",
        )
    fold = _folds(rows_of_positive(y_true, label), groups, seed)
    folds = int(fold.max()) + 1
    labels, thresholds = {}, {}
    for model, column in scores.items():
        chosen = []
        for k in range(folds):
            rest = fold != k
            counts = ScoreCounts.from_scores(keep_rows(y_true, rest), column[rest], label)
            chosen.append(best_threshold(counts, maximise, label, replicates=0).threshold)
        thresholds[model] = tuple(chosen)
        called = column >= np.array(chosen)[fold]
        labels[model] = [label if yes else others[0] for yes in called.tolist()]
    return labels, CrossFitting(maximise, label, folds, thresholds)


def _folds(positive: Array, groups: Any, seed: int) -> Array:
    """The fold of each row: classes spread evenly (stratified), or whole groups."""
    rng = generator_of(seed)
    fold = np.empty(len(positive), dtype=np.int64)
    if groups is not None:
        _, numbered = np.unique(np.asarray(groups).astype(str), return_inverse=True)
        number = int(numbered.max()) + 1
        folds_of_groups = rng.permutation(number) % min(FOLDS, number)
        fold = folds_of_groups[numbered]
    else:
        folds = min(FOLDS, int(np.count_nonzero(positive)), int(np.count_nonzero(~positive)))
        for side in (np.flatnonzero(positive), np.flatnonzero(~positive)):
            fold[rng.permutation(side)] = np.arange(len(side)) % max(folds, 1)
    for k in range(int(fold.max()) + 1):
        rest = positive[fold != k]
        if not len(rest) or rest.all() or not rest.any():
            raise InputError(
                "thresholds cannot be chosen on other rows",
                found=f"{np.count_nonzero(positive)} positive and {np.count_nonzero(~positive)} negative rows"
                + ("" if groups is None else " in too few groups"),
                allowed="two or more of each, in different folds",
                do="name each model's predicted labels beside its scores",
                parameter="pred",
            )
    return fold
