"""Paired comparison of models on the same test set: read, rank, test, explain."""

from __future__ import annotations

import math
from dataclasses import replace
from glob import glob
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label, plain_label
from steelyard.errors import InputError, parameter
from steelyard.judgement.compare.audit_sample import AuditSample, SampleEstimates, read_audit_sample
from steelyard.judgement.compare.dataset_inputs import is_many_datasets
from steelyard.judgement.compare.dataset_result import DatasetComparison, best_by
from steelyard.judgement.compare.datasets import compare_datasets
from steelyard.judgement.compare.estimates import Estimates, draws_used, row_costs_of
from steelyard.judgement.compare.inputs import no_models, paths_of, read_inputs, refuse_few_models
from steelyard.judgement.compare.notes import assumption, notes_of
from steelyard.judgement.compare.options import Options, listed_measures
from steelyard.judgement.compare.ranges import MOST_DRAWS, compare_over_costs, compare_over_shares
from steelyard.judgement.compare.result import Comparison, Ranked, RowCosts
from steelyard.judgement.label_errors import Fragility, fragility_of_pair
from steelyard.judgement.rules import decided_by, decider
from steelyard.judgement.waiting import comparison_seconds, warn_of_waiting
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.costs import Costs, costs_for
from steelyard.measures.kinship import kinships
from steelyard.measures.measure import Measure
from steelyard.parameters import public_function
from steelyard.reading.engines import is_log
from steelyard.reading.joint_counts import JointAmounts
from steelyard.reading.logs import rows_of_logs
from steelyard.scores.delong import AreaComparison
from steelyard.uncertainty.confidence_limits import percentiles
from steelyard.uncertainty.differences import (
    indistinguishable_groups,
    probability_best,
    ranks,
    shrunk_differences,
)
from steelyard.uncertainty.intervals import applicable
from steelyard.uncertainty.many_model_posterior import one_thread
from steelyard.uncertainty.per_row_costs import class_amounts, uncertain_amounts
from steelyard.uncertainty.resampling import (
    Simulation,
    check_drawing,
    check_seed,
    design_in_use,
    draws_in_use,
)
from steelyard.uncertainty.stratified_sample import ASSUMED as STRATIFIED

# The metrics compared when none is named: those the papers compare classifiers by.
USUAL = (
    "accuracy",
    "balanced_accuracy",
    "auroc_ovo",
    "gmean",
    "macro_precision",
    "macro_f_beta",
    "class_balance_accuracy",
    "imbalance_accuracy",
    "kappa",
    "mcc",
    "relative_classifier_information",
)
# Those of the positive class: one that was named, or the one of two classes.
OF_THE_POSITIVE = ("recall", "precision", "f_beta")


@public_function(Options)
def compare(options: Options) -> Comparison | DatasetComparison:
    """Compare models by their predictions of the same examples, all in the order of `y_true`; with `dataset`
    compare them over many data sets.

    In place of predictions by model a frame can be given (of Spark, Polars, DuckDB, pandas) or the path of a
    file, with `y_true`, `pred`, `folds` and `cluster` the names of its columns: rows are counted where they
    are. With `folds` differences are judged by the corrected resampled t-test, with `cluster` by a cluster
    bootstrap. `priors_range`, such as {"fraud": (0.0005, 0.01)}, says where each model is better if the
    prevalence lies in that range (by F1 or macro F1 unless `by` is given). Since costs are seldom known
    exactly, `cost` also says over which ratios of two costs, or over which part of a range of costs, one
    model is cheaper than another.

    >>> import steelyard as sy
    >>> y = ["fraud"] * 20 + ["ok"] * 80
    >>> rf = ["fraud"] * 18 + ["ok"] * 82
    >>> svm = ["fraud"] * 8 + ["ok"] * 92
    >>> comparison = sy.compare({"rf": rf, "svm": svm}, y_true=y, by="gmean", positive="fraud")
    >>> comparison.best["gmean"]
    ('rf',)
    """
    _refuse_unusable(options)
    paths = paths_of(options.predictions) or []
    if any(map(is_log, paths)):
        return _compare_logs(options, paths)
    # What is wrong with the options is said before that a file is missing.
    missing = any(not glob(path) and not Path(path).exists() for path in paths)
    sample = None if missing else read_audit_sample(options)
    if sample is not None:
        return compare_counts(sample.pool, options, sample=sample)
    if is_many_datasets(options):
        return compare_datasets(options)
    inputs = read_inputs(options)
    result = compare_counts(inputs.joint, options, inputs.areas, inputs.amounts)
    return replace(result, score_metrics=inputs.score_metrics, cross_fitting=inputs.cross_fitting)


def _compare_logs(options: Options, paths: list[str]) -> Comparison:
    """Compare the models in logs of LLM evaluations, samples matched; repeated samples are clusters."""
    with rows_of_logs(paths, none=None) as rows:
        cluster = rows.cluster if options.cluster is None and options.folds is None else options.cluster
        of_rows = replace(options, predictions=rows.path, y_true="target", pred=list(rows.models), key=None)
        of_rows = replace(of_rows, cluster=cluster)
        return replace(compare_counts(read_inputs(of_rows).joint, of_rows), options=options)


def _refuse_unusable(options: Options) -> None:
    """Refuse options that do not go together, before anything is read."""
    if options.predictions is None and options.scores is None:
        raise no_models(options)
    check_drawing(Simulation(draws_in_use(options.draws, 2), 0, options.design, options.prior, options.level))
    many = is_many_datasets(options)
    if not (many and isinstance(options.seed, str)):  # a name is the column of training seeds
        check_seed(options.seed)
    # Over data sets scores may be compared, and printed values may be those of any metric.
    for name in () if many else (options.by, *listed_measures(options.measures)):
        if isinstance(name, (str, Measure)) and name != "all" and look_up(name).kind == "scores":
            raise InputError(
                "models are compared by their labels",
                found=f"{look_up(name).name}, a metric of scores",
                do=f"choose another metric; {parameter('scores')} compares the areas under ROC curves",
            )
    if options.by is not None and look_up(options.by).better == "neither":
        raise InputError(
            f"{look_up(options.by).name} cannot rank models",
            found="a metric of which neither end is better",
            do="choose another",
        )


@one_thread()
def compare_counts(
    joint: JointCounts,
    options: Options,
    areas: AreaComparison | None = None,
    amounts: JointAmounts | None = None,
    sample: AuditSample | None = None,
) -> Comparison:
    """Compare models by their joint counts, by the areas of their scores if there are any, and by what rows
    cost where a column says that; the joint counts of an audit sample are those estimated for its pool."""
    refuse_few_models(len(joint.models))
    costs = None if options.cost is None else costs_for(options.cost, joint.labels)
    by_row = None
    if costs is not None and costs.by_row:
        by_row, costs = costs, _at_mean_amounts(joint, costs, amounts)
    rule = decider(joint.n_classes) if costs is None else decided_by(costs.at(0.5))
    by = rule.measure if options.by is None else look_up(options.by)
    because = rule.words if by_row is None else f"{by_row.words}, with the {by_row.column!r} of each row"
    chosen, label = _chosen(joint, by, options.measures, options.positive)
    if joint.folds is None and sample is None:
        seconds = comparison_seconds(joint, draws_used(joint, options), len(chosen), options.method)
        what = f"comparing {len(joint.models)} models on {len(joint.counts):,} combinations of answers"
        warn_of_waiting(seconds, what, "fewer draws or metrics take less")
    drawn_costs = row_costs = None
    if by_row is not None and costs is not None and amounts is not None:
        drawn_costs = (by, row_costs_of(joint, by_row, amounts, options))
        row_costs = _row_costs(joint, by_row, costs, amounts)
    work = (
        Estimates(joint, chosen, options, label, drawn_costs)
        if sample is None
        else SampleEstimates(sample, chosen, options, label)
    )
    pairs, values = work.pairs(by), work.values()
    ranking = _ranking(by, joint.models, work.estimates[by.name], work.unbiased(by), options.level)
    p_values = {(p.first, p.second): holm for p in pairs if (holm := p.holm_p_values[by.name]) is not None}
    clusters = options.cluster is not None and joint.folds is not None
    numbered = None if joint.folds is None else int(joint.folds.max()) + 1
    by_rows = options.method if sample is None else "stratified"
    result = Comparison(
        level=options.level,
        draws=draws_used(joint, options) if sample is None else 2 * work.draws,
        seed=options.seed,
        method=by_rows if joint.folds is None else "groups" if clusters else "folds",
        design=design_in_use(options.design),
        assumed=assumption(joint, options) if sample is None else STRATIFIED,
        prior=options.prior if options.method == "posterior" and sample is None else None,
        rope=options.rope,
        missing_left_out=joint.left_out,
        folds=None if clusters else numbered,
        clusters=numbered if clusters else None,
        positive=None if label is None else plain_label(label),
        decides_because=because if options.by is None else None,
        models=joint.models,
        labels=joint.labels,
        actual=tuple(joint.actual.tolist()),
        by=by,
        measures=tuple(chosen),
        values=values,
        best={
            m.name: best_by(m, {model: row[m.name].value for model, row in values.items()}) for m in chosen
        },
        pairs=pairs,
        ranking=ranking,
        groups=tuple(indistinguishable_groups([r.model for r in ranking], p_values, 1 - options.level)),
        disagreements=tuple(filter(None, map(work.disagreement, pairs))),
        kinships=kinships(chosen, joint.n_classes),
        notes=tuple(notes_of(joint, chosen, options) if sample is None else [*sample.notes, STRATIFIED]),
        matrices={model: joint.matrix(place) for place, model in enumerate(joint.models)},
        areas=areas,
        labelled_rows=None if sample is None else sample.labelled.total,
        row_costs=row_costs,
        options=options,
        joint=joint if len(joint.models) == 2 else None,
    )
    if sample is not None:
        return result
    return replace(
        result,
        **_over_ranges(joint, options, costs, label, by),
        fragility=None if by_row is not None else _fragility(result, joint, label, options),
    )


def _fragility(
    result: Comparison, joint: JointCounts, label: Label | None, options: Options
) -> Fragility | None:
    """How few wrong labels would make the second model win, or the difference inconclusive."""
    models = [ranked.model for ranked in result.ranking[:2] if not math.isnan(ranked.value)]
    if len(models) < 2:
        return None
    # What is not significant over all pairs is inconclusive with the labels as they are.
    inconclusive = not result.pair(*models).is_significant(result.by, result.level)

    def includes_zero(relabelled: JointCounts) -> bool:
        if inconclusive:
            return True
        gap = Estimates(relabelled, [result.by], options, label).difference(result.by)
        return not gap.low > 0 and not gap.high < 0

    two = joint.only([joint.place_of(model) for model in models])
    return fragility_of_pair(two, result.by, label, includes_zero)


def _at_mean_amounts(joint: JointCounts, costs: Costs, amounts: JointAmounts | None) -> Costs:
    """Costs by class: the column stands for its mean in each true class."""
    if joint.folds is not None:
        raise InputError(
            "costs by row are compared row by row",
            found="folds or groups beside them",
            do="leave one of them out",
        )
    if amounts is None:
        raise InputError(
            "costs by row need the rows",
            found=costs.words,
            do=f"compare columns of a file or a frame by their names ({parameter('pred')}), or give numbers",
        )
    means = class_amounts(joint, amounts.sums)
    return Costs(costs.labels, costs.fixed + costs.times * means[:, None], np.zeros_like(costs.times))


def _row_costs(joint: JointCounts, costs: Costs, average: Costs, amounts: JointAmounts) -> RowCosts:
    """The per-row costs by which the models were ranked, with the fewest rows that a difference rests on, and
    a warning where amounts vary too much."""
    times = costs.of_cells(joint.labels, costs.times)
    numbers = []
    for a, b in combinations(joint.predictions.T, 2):
        depends = (times[joint.truth, a] > 0) | (times[joint.truth, b] > 0)
        numbers.append(int(joint.counts[depends & (a != b)].sum()))
    notes = []
    for model, predicted in zip(joint.models, joint.predictions.T, strict=True):
        by_row = times[joint.truth, predicted] > 0
        sums = (values[by_row].sum() for values in (joint.counts, amounts.sums, amounts.squares))
        if note := uncertain_amounts(*map(float, sums)):
            notes.append(f"For {model}, {note[0].lower()}{note[1:]}")
    return RowCosts(costs, average, min(numbers), tuple(notes))


def _over_ranges(
    joint: JointCounts, options: Options, costs: Costs | None, label: Label | None, by: Measure
) -> dict[str, Any]:
    """The models at every prevalence of a class, if a range was given, and over a range of costs where rows
    are a sample of their own."""
    over: dict[str, Any] = {}
    if label is None and joint.n_classes == 2:
        # By the prevalence that was seen: elsewhere in a range the other class may be the rarer one.
        label = joint.matrix(0).positive_class().label
    draws = min(MOST_DRAWS, draws_in_use(options.draws, joint.n_classes))
    how = Simulation(draws, options.seed, options.design, options.prior, options.level, label)
    if options.priors_range is not None:
        if options.by is None and options.cost is None:
            # The measure that decides is chosen not to depend on prevalence; what people ask about here does.
            by = look_up("f_beta" if joint.n_classes == 2 else "macro_f_beta")
        over["over_shares"] = compare_over_shares(joint, by, options.priors_range, how)
    if costs is not None and joint.folds is None:
        over["over_costs"] = compare_over_costs(joint, costs, how)
    return over


def _chosen(
    joint: JointCounts, decider: Measure, measures: Any, positive: Label | None
) -> tuple[list[Measure], Label | None]:
    matrix = joint.matrix(0)
    if isinstance(measures, str) and measures == "all":
        chosen, label = applicable(matrix, None, positive)
    else:
        usual = USUAL if positive is None and joint.n_classes != 2 else (*OF_THE_POSITIVE, *USUAL)
        names = usual if measures is None else listed_measures(measures)
        chosen, label = applicable(matrix, [decider, *names], positive)
    by_name = {m.name: m for m in ([decider, *chosen] if measures is not None else [*chosen[1:], decider])}
    return list(by_name.values()), label


def _ranking(
    decider: Measure, models: tuple[str, ...], estimates: Array, drawn: Array, level: float
) -> tuple[Ranked, ...]:
    lower = decider.better == "lower"
    defined = drawn[:, ~np.isnan(drawn).any(axis=0)]
    nothing = np.full(len(models), np.nan)
    chance = probability_best(shrunk_differences(defined), lower) if defined.size else nothing
    places = ranks(defined, lower) if defined.size else np.full((len(models), 1), np.nan)
    spans = [percentiles(row, level) for row in places]
    order = sorted(
        range(len(models)), key=lambda k: (math.isnan(estimates[k]), estimates[k] if lower else -estimates[k])
    )
    return tuple(
        Ranked(models[k], float(estimates[k]), float(chance[k]), float(places[k].mean()), *spans[k])
        for k in order
    )
