"""Compare models over many data sets (Demsar 2006; Benavoli et al. 2017; a hierarchical model on counts)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.errors import InputError
from steelyard.judgement.compare.dataset_inputs import Results, TestSet, read_results
from steelyard.judgement.compare.dataset_result import (
    DatasetComparison,
    DatasetPair,
    FriedmanTest,
    LeftOut,
    MetricRanks,
    ValueInterval,
)
from steelyard.judgement.compare.dataset_scores import score_measures
from steelyard.judgement.compare.options import Options
from steelyard.judgement.rules import decider
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.short_names import short_name
from steelyard.uncertainty.multiple_comparisons import groups_not_told_apart, holm
from steelyard.uncertainty.rank_tests import (
    ExpectedDifference,
    critical_difference,
    dirichlet_weights,
    expected_difference,
    friedman,
    nemenyi_p_values,
    ranks_of,
    signed_rank_posterior,
    wilcoxon_p_value,
)
from steelyard.uncertainty.resampling import drawn_values
from steelyard.uncertainty.threads import one_thread

Array = NDArray[Any]
# Region of practical equivalence where none is given: one percentage point (Benavoli et al. 2017).
ROPE = 0.01
# Posterior draws of a test set: enough for a standard error known to 3%.
DRAWS = 500
FEW_DATASETS = 6
# A metric (None: of printed scores), its name, its title, and whether lower is better.
Metric = tuple[Measure | None, str, str, bool]
USUAL = ("gmean", "balanced_accuracy", "accuracy", "macro_f_beta", "class_balance_accuracy", "kappa", "mcc")
TWO_CLASS = ("recall", "precision", "f_beta")


@one_thread()
def compare_datasets(options: Options) -> DatasetComparison:
    """Rank the models on every data set and test the differences."""
    _refuse(options)
    results = read_results(options)
    if len(results.datasets) < 2:
        raise InputError(
            "a comparison over data sets needs data sets",
            found=f"{len(results.datasets)}",
            allowed="at least 2",
            do="leave out dataset= to compare the models on one test set",
        )
    rope = ROPE if options.rope is None else options.rope
    seed = options.seed if isinstance(options.seed, int) else 0
    metrics, values, errors, intervals = _measured(results, options, seed)
    ranked = {}
    for metric in metrics:
        name = metric[1]
        ranks = _ranks(results, values[name], errors.get(name), metric, rope, options.level, seed)
        ranked[name] = replace(ranks, intervals=_by_name(results, intervals.get(name)))
    by = metrics[0][1]
    return DatasetComparison(
        level=options.level,
        rope=rope,
        given=results.kind,
        datasets=results.datasets,
        models=results.models,
        seeds=results.seeds,
        by=by,
        metrics=ranked,
        missing_left_out=results.left_out,
        notes=tuple(_notes(results, ranked[by], options)),
    )


def _measured(
    results: Results, options: Options, seed: int
) -> tuple[list[Metric], dict[str, Array], dict[str, Array], dict[str, Array]]:
    """The metrics, the primary one first; their values (data sets, models), and what counts or scores say of
    their uncertainty."""
    if results.kind == "scores":
        measure = None if options.by is None else look_up(options.by)
        lower = measure is not None and measure.better == "lower"
        name, title = ("score", "score") if measure is None else (measure.name, short_name(measure))
        values = np.array([[row.get(m, math.nan) for m in results.models] for row in results.scores.values()])
        return [(measure, name, title, lower)], {name: values}, {}, {}
    intervals: dict[str, Array] = {}
    if results.kind == "row_scores":
        primary, chosen = score_measures(options, _are_probabilities(results))
        tables, errors = _of_scored(results, chosen)
    else:
        primary, chosen = _chosen(results, options)
        tables = _values(results, chosen, options)
        errors, intervals = _errors(results, [primary, *_named(options, chosen)], options, seed)
    return [(m, m.name, short_name(m), m.better == "lower") for m in chosen], tables, errors, intervals


def _by_name(results: Results, intervals: Array | None) -> dict[str, dict[str, ValueInterval]] | None:
    """Intervals by data set and model; None where only values are known."""
    if intervals is None:
        return None
    return {
        dataset: {m: ValueInterval(*ends) for m, ends in zip(results.models, row.tolist(), strict=True)}
        for dataset, row in zip(results.datasets, intervals, strict=True)
    }


def _are_probabilities(results: Results) -> bool:
    """Do all scores lie between 0 and 1?"""
    columns = [c for tests in results.scored.values() for test in tests for c in test.scores.values()]
    return all(column.min() >= 0 and column.max() <= 1 for column in columns if len(column))


def _of_scored(results: Results, chosen: list[Measure]) -> tuple[dict[str, Array], dict[str, Array]]:
    """Values and standard errors of metrics of scores; seeds share their rows, as in `_errors`."""
    pairs = math.comb(len(results.models), 2)
    values = {m.name: np.full((len(results.datasets), len(results.models)), np.nan) for m in chosen}
    errors: dict[str, Array] = {}
    for row, tests in enumerate(results.scored.values()):
        for m in chosen:
            each = [[test.value(model, m) for model in results.models] for test in tests]
            values[m.name][row] = np.mean(each, axis=0)
            spread = [e for test in tests if (e := test.errors(results.models, m)) is not None]
            if len(spread) == len(tests):
                table = errors.setdefault(m.name, np.full((len(results.datasets), pairs), np.nan))
                table[row] = np.sqrt(np.mean(np.square(spread), axis=0))
    return values, errors


def _refuse(options: Options) -> None:
    for name in ("cluster", "cost", "priors_range", "test_to_train", "key"):
        if getattr(options, name) is not None:
            raise InputError(
                "models are compared over data sets",
                found=f"{name}= beside them",
                do="leave one of the two out",
                parameter=name,
            )


def _chosen(results: Results, options: Options) -> tuple[Measure, list[Measure]]:
    """The primary metric, and all metrics with it first."""
    sizes = {
        matrix.n_classes for tests in results.tests.values() for t in tests for matrix in t.matrices.values()
    }
    most = max(sizes, default=2)
    primary = decider(most).measure if options.by is None else look_up(options.by)
    names = options.measures
    if names is None:
        usual: Sequence[Any] = (*TWO_CLASS, *USUAL) if most == 2 else USUAL
    elif names == "all":
        from steelyard.measures.catalogue import catalogue

        usual = [m for m in catalogue() if m.kind != "scores" and m.better != "neither" and not m.parameters]
    else:
        usual = [names] if isinstance(names, (str, Measure)) else list(names)
    chosen = {m.name: m for m in (primary, *map(look_up, usual))}
    for m in chosen.values():
        if m.kind == "scores" or m.better == "neither":
            raise InputError(
                f"{m.name} cannot rank models over data sets",
                found="a metric of scores" if m.kind == "scores" else "neither end is better",
                do="choose another metric",
            )
        if m.kind == "two-class" and most > 2 and (m is primary or names not in (None, "all")):
            raise InputError(
                f"{m.name} is a metric of two classes",
                found=f"a data set with {most}",
                do="choose another metric",
            )
    return primary, [m for m in chosen.values() if m.kind != "two-class" or most == 2]


def _named(options: Options, chosen: list[Measure]) -> list[Measure]:
    """The metrics that were asked for by name: they get the hierarchical model, too."""
    return [] if options.measures in (None, "all") else chosen


def _positive(matrix: Confusion, options: Options) -> Any:
    if matrix.n_classes != 2:
        return None
    given = options.positive
    if given is not None and str(given) not in map(str, matrix.labels):
        raise InputError(
            "a data set lacks the positive class",
            found=f"classes {', '.join(map(str, matrix.labels))}",
            do="leave out positive=: the rarer class of each data set is positive",
            parameter="positive",
        )
    return matrix.positive_class(given).label


def _values(results: Results, chosen: list[Measure], options: Options) -> dict[str, Array]:
    """Every metric (data sets, models): the mean over seeds; undefined where one seed is."""
    tables = {m.name: np.full((len(results.datasets), len(results.models)), np.nan) for m in chosen}
    for row, tests in enumerate(results.tests.values()):
        for column, model in enumerate(results.models):
            matrices = [test.matrices.get(model) for test in tests]
            known = [matrix for matrix in matrices if matrix is not None]
            if len(known) < len(matrices) or not known:
                continue
            values = [
                weigh(chosen, matrix, positive=_positive(matrix, options), undefined=options.undefined)
                for matrix in known
            ]
            for name, table in tables.items():
                table[row, column] = np.mean([float(value[name]) for value in values])
    return tables


def _errors(
    results: Results, measures: list[Measure], options: Options, seed: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Standard errors of every difference of two models on every data set, (data sets, pairs), and intervals
    of every model (data sets, models, 2), from posterior draws of each test set; seeds share its rows, so its
    error is not divided by their number."""
    pairs = list(itertools.combinations(range(len(results.models)), 2))
    errors = {m.name: np.full((len(results.datasets), len(pairs)), np.nan) for m in measures}
    intervals = {m.name: np.full((len(results.datasets), len(results.models), 2), np.nan) for m in measures}
    ends = [(1 - options.level) / 2, (1 + options.level) / 2]
    for row, tests in enumerate(results.tests.values()):
        variances: dict[str, list[Array]] = {name: [] for name in errors}
        limits: dict[str, list[Array]] = {name: [] for name in errors}
        for test in tests:
            drawn = _drawn(test, results.models, measures, options, seed)
            actual = next(iter(test.matrices.values())).actual
            # Models that agree on every row are not known to be equal: one row of the rarest class more.
            least = 1 / (len(actual) * max(1.0, float(actual[actual > 0].min())))
            for name, values in drawn.items():
                gaps = np.stack([values[a] - values[b] for a, b in pairs])
                spread = np.array([np.nanvar(gap) if np.isfinite(gap).any() else np.nan for gap in gaps])
                variances[name].append(np.maximum(spread, least**2))
                known = np.isfinite(values).all(axis=1)
                limits[name].append(np.full((len(values), 2), np.nan))
                limits[name][-1][known] = np.quantile(values[known], ends, axis=1).T
        for name, each in variances.items():
            if each:
                errors[name][row] = np.sqrt(np.mean(each, axis=0))
                intervals[name][row] = np.mean(limits[name], axis=0)
    return errors, intervals


def _drawn(
    test: TestSet, models: tuple[str, ...], measures: list[Measure], options: Options, seed: int
) -> dict[str, Array]:
    """Posterior draws (models, draws) of each metric on a test set; NaN for a model that is missing."""
    out = {m.name: np.full((len(models), DRAWS), np.nan) for m in measures}
    joints = [test.joint] if test.joint is not None else []
    if not joints:
        joints = [JointCounts.from_confusion(matrix, model) for model, matrix in test.matrices.items()]
    for number, joint in enumerate(joints):
        drawn = drawn_values(
            joint,
            measures,
            source="posterior",
            draws=DRAWS,
            seed=seed + number,  # matrices alone are independent
            design=options.design,
            prior=options.prior,
            positive=_positive(joint.matrix(0), options),
            undefined="nan",
        )
        for name, values in drawn.items():
            for place, model in enumerate(joint.models):
                out[name][models.index(model)] = values[place]
    return out


def _ranks(
    results: Results,
    values: Array,
    errors: Array | None,
    metric: Metric,
    rope: float,
    level: float,
    seed: int,
) -> MetricRanks:
    """Ranks and tests of one metric on the data sets where every model has a value."""
    measure, name, title, lower = metric
    models, datasets = results.models, results.datasets
    whole = np.asarray(~np.isnan(values).any(axis=1))
    left_out = [
        LeftOut(dataset, _why(results, dataset, models, row))
        for dataset, row, kept in zip(datasets, values, whole, strict=True)
        if not kept
    ]
    used = values[whole]
    number = len(used)
    means = ranks_of(used, lower).mean(axis=0) if number else np.full(len(models), np.nan)
    order = sorted(range(len(models)), key=lambda k: (math.isnan(means[k]), means[k]))
    pairs = _pairs(models, used, None if errors is None else errors[whole], means, lower, rope, level, seed)
    ranked = [models[k] for k in order]
    threshold = 1 - level
    return MetricRanks(
        measure=measure,
        name=name,
        title=title,
        lower_is_better=lower,
        values={
            d: dict(zip(models, row.tolist(), strict=True)) for d, row in zip(datasets, values, strict=True)
        },
        datasets=number,
        left_out=tuple(left_out),
        mean_ranks={models[k]: float(means[k]) for k in order},
        mean_values={models[k]: float(used[:, k].mean()) if number else math.nan for k in order},
        friedman=FriedmanTest.of(friedman(used)),
        critical_difference=critical_difference(len(models), number, level) if number else math.nan,
        nemenyi_groups=_groups(ranked, pairs, "nemenyi_p_value", threshold),
        groups=_groups(ranked, pairs, "holm_p_value", threshold),
        pairs=pairs,
    )


def _groups(
    ranked: list[str], pairs: tuple[DatasetPair, ...], test: str, threshold: float
) -> tuple[tuple[str, ...], ...]:
    p_values = {(pair.first, pair.second): getattr(pair, test) for pair in pairs}
    return tuple(groups_not_told_apart(ranked, p_values, threshold))


def _why(results: Results, dataset: str, models: tuple[str, ...], row: Array) -> str:
    """Which models lack a value, and whether it is missing or undefined."""
    lacking = [model for model, value in zip(models, row.tolist(), strict=True) if math.isnan(value)]
    missing = [model for model in lacking if results.lacks(dataset, model)]
    undefined = [model for model in lacking if model not in missing]
    parts = [f"missing for {', '.join(missing)}"] if missing else []
    return "; ".join([*parts, *([f"undefined for {', '.join(undefined)}"] if undefined else [])])


def _pairs(
    models: tuple[str, ...],
    values: Array,
    errors: Array | None,
    means: Array,
    lower: bool,
    rope: float,
    level: float,
    seed: int,
) -> tuple[DatasetPair, ...]:
    places = list(itertools.combinations(range(len(models)), 2))
    number = len(values)
    if number < 2:
        return ()
    sign = -1.0 if lower else 1.0
    gaps = np.stack([sign * (values[:, a] - values[:, b]) for a, b in places])
    first, second = np.array(places).T
    nemenyi = nemenyi_p_values(means[first] - means[second], len(models), number)
    wilcoxon = [wilcoxon_p_value(gap) for gap in gaps]
    weights = dirichlet_weights(number, seed)
    pairs = []
    for k, ((a, b), gap, corrected) in enumerate(zip(places, gaps, holm(wilcoxon), strict=True)):
        pairs.append(
            DatasetPair(
                models[a],
                models[b],
                int((gap > 0).sum()),
                int((gap == 0).sum()),
                int((gap < 0).sum()),
                float(gap.mean()),
                float(np.median(gap)),
                float(nemenyi[k]),
                wilcoxon[k],
                corrected,
                signed_rank_posterior(gap, rope, weights),
                _expected(gap, None if errors is None else errors[:, k], rope, level),
            )
        )
    return tuple(pairs)


def _expected(gap: Array, errors: Array | None, rope: float, level: float) -> ExpectedDifference | None:
    if errors is None or np.isnan(errors).any():
        return None
    return expected_difference(gap, errors, rope, level)


def _notes(results: Results, primary: MetricRanks, options: Options) -> list[str]:
    notes = []
    if results.kind == "scores":
        notes.append(
            "Only scores are known, not counts: rank methods treat every data set alike, and the hierarchical"
            " model is left out. Give predictions or confusion matrices to let test set sizes count."
        )
    elif results.kind == "matrices":
        notes.append(
            "Matrices do not show which rows two models share: the hierarchical model treats them as"
            " independent, which widens its intervals."
        )
    elif results.kind == "row_scores":
        notes.append(
            "The hierarchical model uses DeLong's standard errors of the area under the ROC curve, and those"
            " of a mean for Brier score and log loss; for other metrics of scores it is left out."
        )
    if results.seeds:
        notes.append(f"Values are means over {results.seeds} seeds, of which all test the same rows.")
    if options.folds is not None and results.kind != "scores":
        notes.append("The test rows of all folds of a data set are pooled into one confusion matrix.")
    if primary.left_out:
        shown = "; ".join(f"{one.dataset} ({one.reason})" for one in primary.left_out[:3])
        more = f"; and {len(primary.left_out) - 3} more" if len(primary.left_out) > 3 else ""
        notes.append(
            f"{len(primary.left_out)} of {len(results.datasets)} data sets are left out for all models:"
            f" {shown}{more}. `--undefined 0` counts an undefined value as 0."
        )
    if primary.datasets < FEW_DATASETS:
        notes.append(f"With {primary.datasets} data sets no rank test of two models can reach p < 0.05.")
    return notes
