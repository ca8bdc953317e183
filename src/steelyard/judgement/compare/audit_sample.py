"""Paired comparison of models on an audit sample: labelled rows stand for strata of a pool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.estimates import Estimates
from steelyard.judgement.compare.inputs import model_columns, paths_of
from steelyard.judgement.compare.options import Options
from steelyard.judgement.plan.judge import largest_remainder
from steelyard.judgement.sample.strata import Labelling, Strata, labelling_of, rows_of_strata, strata_of
from steelyard.measures.measure import Measure
from steelyard.reading.engines import open_table
from steelyard.reading.joint_counts import counts_by, joint_of_table
from steelyard.uncertainty.differences import ROUNDING, Difference
from steelyard.uncertainty.intervals import Interval
from steelyard.uncertainty.resampling import draws_in_use, within_draws
from steelyard.uncertainty.stratified_sample import MOST_DRAWS, Limits, StratifiedSample

# Labelled rows of a class below which differences are very uncertain.
_FEW = 20
# A stratified sample has weights of its own: these would resample or reweight its rows in another way.
_NOT_BESIDE = ("folds", "cluster", "priors_range", "scores", "dataset")


@dataclass(frozen=True, eq=False)
class AuditSample:
    """The labelled rows of a sample with the rows they stand for."""

    pool: JointCounts
    """Estimated for the pool, in whole rows."""
    labelled: JointCounts
    strata: Strata
    counts: Array
    """Labelled rows of each stratum in each cell of `labelled`, shape (strata, K)."""

    @property
    def notes(self) -> tuple[str, ...]:
        actual, names = self.labelled.actual, self.labelled.labels
        return tuple(
            f'class "{name}" has {number:,} labelled rows only: differences on it are very uncertain'
            for name, number in zip(names, actual.tolist(), strict=True)
            if number < _FEW
        )


def read_audit_sample(options: Options) -> AuditSample | None:
    """The sample that was given; None where rows stand for themselves."""
    paths = paths_of(options.predictions)
    if isinstance(options.predictions, Mapping) or any(Path(path).is_dir() for path in paths or ()):
        return None
    sources = [options.predictions] if paths is None else paths
    labellings = [labelling_of(source, replace(options, cluster=None)) for source in sources]
    source, labelling = sources[0], next(filter(None, labellings), None)
    if labelling is None:
        return None
    if len(sources) > 1:
        raise InputError(
            "the models of an audit sample are columns of one file",
            found=f"{len(sources)} files",
            do="give the file that steelyard sample wrote, with a column of predictions for each model",
        )
    _refuse_beside(options, labelling)
    table = open_table(source, options.engine, options.spark_master)
    with closing(table):
        truth, models = options.y_true, model_columns(options.pred, table.names)
        labelled = joint_of_table(table, truth, models, None, "drop")
        by_stratum = counts_by(table, truth, models, labelling.columns, labelled)
    matrices = {
        key: Confusion(labelled.matrices(counts[None])[0, 0], labelled.labels)
        for key, counts in by_stratum.items()
    }
    rows = rows_of_strata(source, labelling)
    strata = strata_of(labelling, rows, matrices, labelled.labels, options.missing)
    counts = np.stack([by_stratum[key] for key in strata.keys])
    totals = (strata.sizes / strata.labelled) @ counts
    # No cell becomes empty, because every labelled row stands for at least one row.
    counts_of_pool = largest_remainder(totals, round(float(strata.sizes.sum())))
    pool = replace(labelled, counts=counts_of_pool, left_out=0)
    return AuditSample(pool, labelled, strata, counts.astype(float))


def _refuse_beside(options: Options, labelling: Labelling) -> None:
    beside = [name for name in _NOT_BESIDE if getattr(options, name) is not None]
    if beside:
        raise InputError(
            "an audit sample is compared by predicted labels over its strata",
            found=f"{parameter(beside[0])} with the column {labelling.columns[0]!r} of strata",
            do=f"leave out {parameter(beside[0])}",
            parameter=beside[0],
        )
    if options.pred is None:
        raise InputError(
            "a comparison needs the predictions of models",
            found="none",
            do=f"name them with {parameter('pred')}",
        )


class SampleEstimates(Estimates):
    """Every metric of every model and pair of the pool, with the intervals of a stratified sample."""

    weighted = True

    def __init__(
        self, sample: AuditSample, chosen: list[Measure], options: Options, positive: Label | None
    ) -> None:
        self.joint, self.chosen, self.options, self.positive = sample.pool, chosen, options, positive
        self.sample, self.by_fold, self.centres, self._by_row = sample, None, None, None
        self.undefined = within_draws(options.undefined)
        self.draws = min(draws_in_use(options.draws, self.joint.n_classes), MOST_DRAWS)
        # Rows with the same predictions of all models are one pattern: the sample is resampled as counts of
        # (truth, pattern), however many rows it has.
        predictions, pattern = np.unique(sample.labelled.predictions, axis=0, return_inverse=True)
        self._patterns = predictions
        classes, number = self.joint.n_classes, len(predictions)
        counts = np.zeros((len(sample.counts), classes * number))
        counts[:, sample.labelled.truth * number + pattern.reshape(-1)] = sample.counts
        self.rows = StratifiedSample(counts, sample.strata.sizes, np.tile(np.arange(number), classes))
        self.estimates = self._of_totals(self.rows.totals)
        random = np.random.default_rng(options.seed)
        self.drawn = self._of_totals(self.rows.drawn_totals(counts, random, self.draws))
        self.paired = self.drawn

        def differences(totals: Array) -> dict[str, Array]:
            values, pairs = self._of_totals(totals), list(combinations(range(len(self.joint.models)), 2))
            return {f"{a} {b} {m}": of[a] - of[b] for m, of in values.items() for a, b in pairs}

        self._limits = self.rows.limits(
            differences,
            level=options.level,
            draws=self.draws,
            seed=options.seed,
            is_difference=lambda name: True,
        )

    def _of_totals(self, totals: Array) -> dict[str, Array]:
        """Every metric of every model, shape (M, ...), for numbers of rows in each category."""
        shape, classes = totals.shape[:-1], self.joint.n_classes
        by_pattern = totals.reshape(*shape, classes, len(self._patterns))
        predicted = np.eye(classes)[self._patterns]  # (patterns, M, C)
        matrices = np.stack([by_pattern @ predicted[:, m] for m in range(len(self.joint.models))])
        return self._weighed(matrices)

    def _alone(self, place: int) -> Mapping[str, Interval]:
        """The intervals of one model, as `evaluate` finds them."""
        matrices = self.sample.labelled.matrices(self.sample.counts)[place]
        return replace(self.sample.strata, matrices=matrices).intervals(
            self.chosen,
            level=self.options.level,
            draws=self.draws,
            seed=self.options.seed,
            positive=self.positive,
            undefined=self.options.undefined,
        )

    def _differences(self, m: Measure, places: list[tuple[int, int]]) -> list[Difference]:
        return [self._of_limits(m, self._limits[f"{a} {b} {m.name}"]) for a, b in places]

    def _of_limits(self, m: Measure, limits: Limits) -> Difference:
        low, high = limits.low_draws, limits.high_draws
        if low is None or high is None:
            nan, why = math.nan, "undefined for at least one of the models"
            return Difference(limits.estimate, nan, nan, nan, None, None, limits.undefined_draws, why)
        # The p-value inverts the interval: the least level at which one of its limits reaches 0.
        tail, draws = min(np.count_nonzero(low <= ROUNDING), np.count_nonzero(high >= -ROUNDING)), len(low)
        both = np.concatenate([low, high])
        better = np.mean(both > ROUNDING) + np.mean(np.abs(both) <= ROUNDING) / 2
        rope = self.options.rope
        return Difference(
            value=limits.estimate,
            low=limits.low,
            high=limits.high,
            probability_better=float({"lower": 1 - better, "neither": math.nan}.get(m.better, better)),
            probability_equivalent=None if rope is None else float(np.mean(np.abs(both) <= rope + ROUNDING)),
            p_value=min(1.0, 2 * (int(tail) + 1) / (draws + 1)),
            undefined_draws=limits.undefined_draws,
            p_value_is_floor=int(tail) == 0,
        )
