"""Tests of several models on one data set: values of metrics, and the uncertainty of their differences.

A test knows the counts of the models, their scores row by row, or printed values only; folds are pooled, and
each seed is a test of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.options import Options
from steelyard.measures.measure import Measure, weigh
from steelyard.scores.delong import areas_of
from steelyard.uncertainty.dirichlet_posterior import posterior_matrices
from steelyard.uncertainty.resampling import Simulation, groups_of

# Means over rows of a loss, so their standard error is that of a mean.
OF_PROBABILITIES = ("brier", "log_loss")
# Posterior draws of a test set: enough for a standard error known to 3%.
DRAWS = 500


class Uncertainty(NamedTuple):
    """Standard errors of the differences of every two models (pairs,), and where counts are known the limits
    of every model's interval (models, 2)."""

    errors: Array
    limits: Array | None = None


def random_seed(options: Options) -> int:
    """The random seed; `seed` may also name the column of training seeds."""
    return options.seed if isinstance(options.seed, int) else 0


@dataclass
class DatasetTest:
    """One test of several models on a data set; by itself it knows printed values of one metric."""

    by_model: dict[str, Any] = field(default_factory=dict)

    def lacks(self, model: str) -> bool:
        """Is the model missing, so that its value is not just undefined?"""
        return type(self) is DatasetTest or model not in self.by_model

    def values(self, models: Sequence[str], measures: Sequence[Any], options: Options) -> Array:
        """Every metric of every model (measures, models); NaN where a model is missing."""
        return np.array([[self.by_model.get(model, math.nan) for model in models]])

    def uncertainty(
        self, models: Sequence[str], measures: Sequence[Any], options: Options
    ) -> dict[str, Uncertainty]:
        """By metric, for those of which it is known."""
        return {}


@dataclass
class CountedTest(DatasetTest):
    """Confusion matrices of the models, and how their predictions go together where rows are known."""

    joint: JointCounts | None = None

    def values(self, models: Sequence[str], measures: Sequence[Measure], options: Options) -> Array:
        table = np.full((len(measures), len(models)), np.nan)
        # Matrices with the same classes are computed together.
        alike: dict[tuple[Any, ...], list[str]] = {}
        for model, matrix in self.by_model.items():
            alike.setdefault((matrix.labels, matrix.listed, _positive(matrix, options)), []).append(model)
        for (labels, listed, positive), names in alike.items():
            batch = Confusion([self.by_model[name].counts for name in names], labels, listed=listed)
            values = weigh(measures, batch, positive=positive, undefined=options.undefined)
            table[:, [models.index(name) for name in names]] = [values[m.name] for m in measures]
        return table

    def uncertainty(
        self, models: Sequence[str], measures: Sequence[Measure], options: Options
    ) -> dict[str, Uncertainty]:
        if not self.by_model:
            return {}
        first, second = np.triu_indices(len(models), 1)
        ends = [(1 - options.level) / 2, (1 + options.level) / 2]
        actual = next(iter(self.by_model.values())).actual
        # Models that agree on every row are not known to be equal: one row of the rarest class more.
        least = 1 / (len(actual) * max(1.0, float(actual[actual > 0].min())))
        known = {}
        for name, values in self._drawn(models, measures, options).items():
            gaps = values[first] - values[second]
            spread = np.array([np.nanvar(gap) if np.isfinite(gap).any() else np.nan for gap in gaps])
            limits = np.full((len(models), 2), np.nan)
            whole = np.isfinite(values).all(axis=1)
            limits[whole] = np.quantile(values[whole], ends, axis=1).T
            known[name] = Uncertainty(np.sqrt(np.maximum(spread, least**2)), limits)
        return known

    def _drawn(
        self, models: Sequence[str], measures: Sequence[Measure], options: Options
    ) -> dict[str, Array]:
        """Posterior draws (models, draws) of each metric; NaN for a model that is missing."""
        draws = {m.name: np.full((len(models), DRAWS), np.nan) for m in measures}
        joints = [self.joint] if self.joint is not None else []
        if not joints:  # matrices alone are independent
            joints = [JointCounts.from_confusion(matrix, model) for model, matrix in self.by_model.items()]
        # Threefry, which pages draw with as well, would take ten times as long.
        random = np.random.default_rng(random_seed(options))
        for joint in joints:
            places = [models.index(model) for model in joint.models]
            positive = _positive(joint.matrix(0), options)
            how = Simulation(DRAWS, design=options.design, prior=options.prior, positive=positive)
            for counts, group, within in groups_of(joint, list(measures), how):
                matrices = posterior_matrices(counts, how.sizes_fixed, within.prior, random, DRAWS)
                batch = Confusion(matrices, counts.labels, copy=False)
                for name, values in within.values(group, batch).items():
                    draws[name][places] = values
        return draws


def _positive(matrix: Confusion, options: Options) -> Any:
    if matrix.n_classes != 2:
        return None
    named = options.positive
    if named is not None and str(named) not in map(str, matrix.labels):
        raise InputError(
            "a data set lacks the positive class",
            found=f"classes {', '.join(map(str, matrix.labels))}",
            do=f"leave out {parameter('positive')}: the rarer class of each data set is positive",
            parameter="positive",
        )
    return matrix.positive_class(named).label


@dataclass
class ScoredTest(DatasetTest):
    """Scores of the models row by row; a model without any score on this data set is missing."""

    positive: Array = field(default_factory=lambda: np.empty(0, dtype=bool))
    """Which rows are of the positive class."""

    def values(self, models: Sequence[str], measures: Sequence[Measure], options: Options) -> Array:
        table = np.full((len(measures), len(models)), np.nan)
        for place, model in enumerate(models):
            if model in self.by_model and 0 < self.positive.sum() < len(self.positive):
                counts = ScoreCounts.from_scores(self.positive, self.by_model[model], positive=True)
                table[:, place] = [float(measure(counts, positive=True)) for measure in measures]
        return table

    def uncertainty(
        self, models: Sequence[str], measures: Sequence[Measure], options: Options
    ) -> dict[str, Uncertainty]:
        """Standard errors of the differences of every two models, paired row by row: DeLong's of the area,
        those of a mean for Brier score and log loss; none for other metrics, or if a model is missing."""
        mine, known = self.positive, {}
        rarest = int(min(mine.sum(), (~mine).sum()))
        if rarest < 2 or any(model not in self.by_model for model in models):
            return {}
        columns = np.stack([self.by_model[model] for model in models])
        first, second = np.triu_indices(len(models), 1)
        for m in measures:
            if m.id == "roc_auc":
                _, sides = areas_of([(column[mine], column[~mine]) for column in columns])
                covariance = np.asarray(sum(covariance for _, covariance in sides))
            elif m.id in OF_PROBABILITIES:
                of_truth = np.where(mine, columns, 1 - columns)
                loss = (1 - of_truth) ** 2 if m.id == "brier" else -np.log(np.maximum(of_truth, 1e-15))
                covariance = np.cov(loss) / len(mine)
            else:
                continue
            # Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b): models on the same rows are correlated.
            own_variances = np.diagonal(covariance)
            variances = own_variances[first] + own_variances[second] - 2 * covariance[first, second]
            # Models that rank every row alike are not known to be equal: one row of the rarer class more.
            least = 1 / (2 * rarest) if m.id == "roc_auc" else 1e-6
            known[m.name] = Uncertainty(np.sqrt(np.maximum(variances, least**2)))
        return known
