"""Compare models over many data sets (Demsar 2006; Benavoli et al. 2017; a hierarchical model on counts)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare import dataset_result
from steelyard.judgement.compare.dataset_inputs import Results, read_results
from steelyard.judgement.compare.dataset_tests import OF_PROBABILITIES, Uncertainty, random_seed
from steelyard.judgement.compare.options import Options, listed_measures
from steelyard.judgement.rules import decider
from steelyard.measures.catalogue import catalogue
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.uncertainty import rank_tests
from steelyard.uncertainty.differences import holm, indistinguishable_groups
from steelyard.uncertainty.many_model_posterior import one_thread

# Region of practical equivalence where none is given: one percentage point (Benavoli et al. 2017).
ROPE = 0.01
# With fewer, the smallest p-value of Wilcoxon's signed-rank test, 2 / 2^n, is above 0.05.
FEW_DATASETS = 6
# Shown beside the metric that ranks, so that a reader sees whether the order depends on the choice.
USUAL = ("gmean", "balanced_accuracy", "accuracy", "macro_f_beta", "class_balance_accuracy", "kappa", "mcc")
TWO_CLASS = ("recall", "precision", "f_beta")
OF_SCORES = ("roc_auc", "average_precision")
# What the kind of input leaves unknown.
ABOUT_INPUT = {
    "scores": "Only scores are known, not counts: rank methods treat every data set alike, and the"
    " hierarchical model, which needs counts, is left out. Give predictions or confusion matrices to let"
    " test set sizes count.",
    "matrices": "Matrices do not show which rows two models share: the hierarchical model treats them as"
    " independent, which widens its intervals.",
    "row_scores": "The hierarchical model uses DeLong's standard errors of the area under the ROC curve, and"
    " those of a mean for Brier score and log loss; for other metrics of scores it is left out.",
}


@one_thread()
def compare_datasets(options: Options) -> dataset_result.DatasetComparison:
    """Rank the models on every data set and test the differences."""
    for name in ("cluster", "cost", "priors_range", "test_to_train", "key"):
        if getattr(options, name) is not None:
            raise InputError(
                "models are compared over data sets",
                found=f"{parameter(name)} beside them",
                do="leave one of the two out",
                parameter=name,
            )
    results = read_results(options)
    if len(results.datasets) < 2:
        raise InputError(
            "a comparison over data sets needs data sets",
            found=f"{len(results.datasets)}",
            allowed="at least 2",
            do=f"leave out {parameter('dataset')} to compare the models on one test set",
        )
    chosen = _chosen(results, options)
    # The model of counts is slow, so metrics beside the primary one get it where they were named.
    named = results.kind == "row_scores" or options.measures not in (None, "all")
    values, uncertainty = _measured(results, chosen, chosen if named else chosen[:1], options)
    rope = ROPE if options.rope is None else options.rope
    ranked = [
        _ranks(results, m, table, uncertainty.get(m.name) if m else None, rope, options)
        for m, table in zip(chosen, values, strict=True)
    ]
    return dataset_result.DatasetComparison(
        level=options.level,
        rope=rope,
        given=results.kind,
        datasets=results.datasets,
        models=results.models,
        seeds=results.seeds,
        by=ranked[0].name,
        metrics={ranks.name: ranks for ranks in ranked},
        missing_left_out=results.left_out,
        notes=tuple(_notes(results, ranked[0], options)),
    )


def _chosen(results: Results, options: Options) -> Sequence[Measure | None]:
    """The metrics, the primary one first; None is the unnamed metric of printed scores."""
    by = None if options.by is None else look_up(options.by)
    if results.kind == "scores":
        return [by]
    scored = results.kind == "row_scores"
    known = [each for tests in results.tests.values() for test in tests for each in test.by_model.values()]
    most = 2 if scored else max((matrix.n_classes for matrix in known), default=2)
    usual: Sequence[Any] = (*TWO_CLASS, *USUAL) if most == 2 else USUAL
    if scored:
        probabilities = all(column.min() >= 0 and column.max() <= 1 for column in known if len(column))
        usual = (*OF_SCORES, *(OF_PROBABILITIES if probabilities else ()))
    if options.measures == "all":
        usual = [m for m in catalogue() if m.better != "neither" and not m.parameters]
        usual = [m for m in usual if (m.kind == "scores") == scored]
    elif options.measures is not None:
        usual = listed_measures(options.measures)
    primary = by or (look_up("roc_auc") if scored else decider(most).measure)
    chosen = {m.name: m for m in (primary, *map(look_up, usual))}
    for m in chosen.values():
        if scored and (m.kind != "scores" or m.better == "neither"):
            raise InputError(
                f"{m.name} is not a metric of scores",
                found=f"{parameter('scores')} with it",
                allowed=f"metrics of scores such as {', '.join((*OF_SCORES, *OF_PROBABILITIES))}",
                do=f"name another metric, or give predictions with {parameter('pred')}",
            )
        if not scored and (m.kind == "scores" or m.better == "neither"):
            raise InputError(
                f"{m.name} cannot rank models over data sets",
                found="a metric of scores" if m.kind == "scores" else "neither end is better",
                do="choose another metric",
            )
        if m.kind == "two-class" and most > 2 and (m is primary or options.measures not in (None, "all")):
            raise InputError(
                f"{m.name} is a metric of two classes",
                found=f"a data set with {most}",
                do="choose another metric",
            )
    return [m for m in chosen.values() if m.kind != "two-class" or most == 2]


def _measured(
    results: Results, chosen: Sequence[Measure | None], uncertain: Sequence[Measure | None], options: Options
) -> tuple[Array, dict[str, Uncertainty]]:
    """Every metric (measures, data sets, models), the mean over seeds, undefined where one seed is; and by
    metric what counts or scores say of its uncertainty on every data set.

    Seeds share the rows of a test set, so its error is not divided by their number.
    """
    models, number = results.models, len(results.datasets)
    values = np.full((len(chosen), number, len(models)), np.nan)
    uncertainty: dict[str, Uncertainty] = {}
    for row, tests in enumerate(results.tests.values()):
        values[:, row] = np.mean([test.values(models, chosen, options) for test in tests], axis=0)
        each = [test.uncertainty(models, uncertain, options) for test in tests]
        for name in set(each[0]).intersection(*each[1:]):
            parts = [test[name] for test in each]
            if name not in uncertainty:
                empty = [
                    np.full((number, *np.shape(array)), np.nan) for array in parts[0] if array is not None
                ]
                uncertainty[name] = Uncertainty(*empty)
            errors, limits = uncertainty[name]
            errors[row] = np.sqrt(np.mean([np.square(seed.errors) for seed in parts], axis=0))
            if limits is not None:
                limits[row] = np.mean([np.asarray(seed.limits) for seed in parts], axis=0)
    return values, uncertainty


def _ranks(
    results: Results,
    measure: Measure | None,
    values: Array,
    uncertainty: Uncertainty | None,
    rope: float,
    options: Options,
) -> dataset_result.MetricRanks:
    """Ranks and tests of one metric on the data sets where every model has a value."""
    models, datasets, level = results.models, results.datasets, options.level
    lower = measure is not None and measure.better == "lower"
    whole = np.asarray(~np.isnan(values).any(axis=1))
    used = values[whole]
    number = len(used)
    # Demsar (2006), section 3.2.2: ranks within a data set, averaged over data sets; ties share a rank.
    means = rank_tests.ranks_of(used, lower).mean(axis=0) if number else np.full(len(models), np.nan)
    order = sorted(range(len(models)), key=lambda k: (math.isnan(means[k]), means[k]))
    errors = None if uncertainty is None else uncertainty.errors[whole]
    pairs = _pairs(models, order, used * (-1.0 if lower else 1.0), errors, means, rope, options)

    def groups(p_value: str) -> tuple[tuple[str, ...], ...]:
        p_values = {(pair.first, pair.second): getattr(pair, p_value) for pair in pairs}
        return tuple(indistinguishable_groups([models[k] for k in order], p_values, 1 - level))

    return dataset_result.MetricRanks(
        measure=measure,
        values={
            d: dict(zip(models, row.tolist(), strict=True)) for d, row in zip(datasets, values, strict=True)
        },
        datasets=number,
        left_out=tuple(
            dataset_result.LeftOut(dataset, _why(results, dataset, row))
            for dataset, row, is_whole in zip(datasets, values, whole, strict=True)
            if not is_whole
        ),
        mean_ranks={models[k]: float(means[k]) for k in order},
        mean_values={models[k]: float(used[:, k].mean()) if number else math.nan for k in order},
        friedman=rank_tests.friedman(used),
        critical_difference=rank_tests.critical_difference(len(models), number, level)
        if number
        else math.nan,
        nemenyi_groups=groups("nemenyi_p_value"),
        groups=groups("holm_p_value"),
        pairs=pairs,
        intervals=None
        if uncertainty is None or uncertainty.limits is None
        else {
            dataset: {
                m: dataset_result.ValueInterval(*ends) for m, ends in zip(models, row.tolist(), strict=True)
            }
            for dataset, row in zip(datasets, uncertainty.limits, strict=True)
        },
    )


def _why(results: Results, dataset: str, row: Array) -> str:
    """Which models lack a value, and whether it is missing or undefined."""
    lacking = [model for model, value in zip(results.models, row.tolist(), strict=True) if math.isnan(value)]
    missing = [model for model in lacking if any(test.lacks(model) for test in results.tests[dataset])]
    undefined = [model for model in lacking if model not in missing]
    reasons = (("missing", missing), ("undefined", undefined))
    return "; ".join(f"{why} for {', '.join(names)}" for why, names in reasons if names)


def _pairs(
    models: tuple[str, ...],
    order: Sequence[int],
    values: Array,
    errors: Array | None,
    means: Array,
    rope: float,
    options: Options,
) -> tuple[dataset_result.DatasetPair, ...]:
    """Every two models, from values of which higher is better; the better mean rank first."""
    number = len(values)
    if number < 2:
        return ()
    upper = np.triu_indices(len(models), 1)
    first, second = (np.array(order)[side] for side in upper)
    if errors is not None:
        # Of the models as they were given: an error does not depend on who comes first.
        place = np.zeros((len(models), len(models)), dtype=np.intp)
        place[upper] = np.arange(len(first))
        errors = errors[:, (place + place.T)[first, second]]
    gaps = (values[:, first] - values[:, second]).T
    # Of infinite gaps of both signs there is no mean.
    with np.errstate(invalid="ignore"):
        mean_gaps = gaps.mean(axis=1)
    nemenyi = rank_tests.nemenyi_p_values(means[first] - means[second], len(models), number)
    wilcoxon = [rank_tests.wilcoxon_p_value(gap) for gap in gaps]
    corrected = holm(wilcoxon)
    posteriors = rank_tests.signed_rank_posteriors(gaps, rope, random_seed(options))
    return tuple(
        dataset_result.DatasetPair(
            models[first[k]],
            models[second[k]],
            int((gap > 0).sum()),
            int((gap == 0).sum()),
            int((gap < 0).sum()),
            float(mean_gaps[k]),
            float(np.median(gap)),
            float(nemenyi[k]),
            wilcoxon[k],
            corrected[k],
            posteriors[k],
            None
            if errors is None or np.isnan(errors[:, k]).any()
            else rank_tests.expected_difference(gap, errors[:, k], rope, options.level),
        )
        for k, gap in enumerate(gaps)
    )


def _notes(results: Results, primary: dataset_result.MetricRanks, options: Options) -> list[str]:
    notes = [ABOUT_INPUT[results.kind]] if results.kind in ABOUT_INPUT else []
    if results.seeds:
        notes.append(f"Values are means over {results.seeds} seeds, of which all test the same rows.")
    if options.folds is not None and results.kind != "scores":
        notes.append("The test rows of all folds of a data set are pooled into one confusion matrix.")
    if primary.left_out:
        shown = "; ".join(f"{omitted.dataset} ({omitted.reason})" for omitted in primary.left_out[:3])
        more = f"; and {len(primary.left_out) - 3} more" if len(primary.left_out) > 3 else ""
        notes.append(
            f"{len(primary.left_out)} of {len(results.datasets)} data sets are left out for all models:"
            f" {shown}{more}. `--undefined 0` counts an undefined value as 0."
        )
    if primary.datasets < FEW_DATASETS:
        notes.append(f"With {primary.datasets} data sets no rank test of two models can reach p < 0.05.")
    return notes
