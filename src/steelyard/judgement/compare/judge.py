"""Which model is better, by which measure, and how sure are we?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label, check_missing
from steelyard.errors import InputError, in_our_words
from steelyard.judgement.compare.columns import read_columns, refuse_scores_beside, whole_rows
from steelyard.judgement.compare.cost_range import CostRange, compare_over_costs
from steelyard.judgement.compare.estimates import Estimates, draws_used
from steelyard.judgement.compare.notes import notes_of, settings_said
from steelyard.judgement.compare.priors_range import PriorsRange, compare_over_shares
from steelyard.judgement.compare.result import Comparison, Ranked
from steelyard.judgement.compare.row_costs import RowCostComparison, at_mean_amounts, compare_row_costs
from steelyard.judgement.compare.settings import Measures, Settings
from steelyard.judgement.rules import decided_by, decider
from steelyard.judgement.waiting import comparison_seconds, warn_of_waiting
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.costs import Costs, cost_column, costs_for
from steelyard.measures.kinship import kinships
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined
from steelyard.reading.joint_counts import JointAmounts
from steelyard.scores.area_comparison import AreaComparison, compare_areas
from steelyard.uncertainty.confidence_limits import percentiles
from steelyard.uncertainty.dirichlet_posterior import Prior
from steelyard.uncertainty.intervals import applicable
from steelyard.uncertainty.multiple_comparisons import groups_not_told_apart, probability_best, ranks
from steelyard.uncertainty.resampling import Design, Source
from steelyard.uncertainty.threads import one_thread

Array = NDArray[Any]

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
"""The measures compared when none is named: those the papers compare classifiers by."""
OF_THE_POSITIVE = ("recall", "precision", "f_beta")
"""Those that come with a positive class that was named."""


@in_our_words
def compare(
    predictions: Any,
    y_true: Any,
    *,
    pred: Sequence[str] | Mapping[str, str] | None = None,
    scores: Mapping[str, Any] | None = None,
    by: str | Measure | None = Settings.by,
    measures: Measures = Settings.measures,
    level: float = Settings.level,
    draws: int | None = Settings.draws,
    seed: int = Settings.seed,
    rope: float | None = Settings.rope,
    folds: Any = None,
    cluster: Any = None,
    test_to_train: float | None = Settings.test_to_train,
    method: Source = Settings.method,
    design: Design = Settings.design,
    prior: Prior = Settings.prior,
    labels: Iterable[Label] | None = None,
    positive: Label | None = Settings.positive,
    undefined: Undefined = Settings.undefined,
    priors_range: Mapping[Any, tuple[float, float]] | None = Settings.priors_range,
    cost: Any = Settings.cost,
    missing: str = "error",
) -> Comparison:
    """Compare models by their predictions of the same examples, all in the order of `y_true`.

    `by` is the measure that ranks them, by default the one that decides an evaluation too; `measures` are the
    others to look at ("all" for the whole catalogue). `rope` is the largest difference that does not matter.
    `folds` names the fold or run of each row: differences are then judged over folds, as are values, ranks
    and the probability of being best, with `test_to_train` the ratio of test to training examples (by default
    that of a cross-validation). `cluster` names the group of each row (patient, user, document, day):
    intervals and p-values then come from drawing groups again. `method` and `design` ("sample" or "fixed")
    say how other test sets are drawn, see `interval`. `scores` holds columns of scores of the positive class
    by model: their areas under the ROC curve are compared too.

    In place of predictions by model a frame can be given (of Spark, Polars, DuckDB, pandas) or the path of a
    file, with `y_true`, `pred`, `folds` and `cluster` the names of its columns: rows are counted where they
    are. Of a Spark frame `scores` names columns too.

    `priors_range`, such as {"fraud": (0.0005, 0.01)}, says where each model is better if the share of a class
    lies in that range (by F1 or macro F1 unless `by` is given).

    `cost` says what decisions cost, as in `evaluate`, and then ranks the models; since nobody knows costs
    exactly it is also said over which ratios of the two costs, or over which part of a range of costs
    ('fraud>ok=50..500, ok>fraud=4'), one model is cheaper than another. Of a frame or a file a cost may be a
    column ('fraud>ok=amount, ok>fraud=4'). A row in which the truth, or what one model says, is missing is
    an error, or with `missing="drop"` left out for all models.

    >>> import steelyard as sy
    >>> y = ["fraud"] * 20 + ["ok"] * 80
    >>> rf = ["fraud"] * 18 + ["ok"] * 82
    >>> svm = ["fraud"] * 8 + ["ok"] * 92
    >>> comparison = sy.compare({"rf": rf, "svm": svm}, y_true=y, by="gmean", positive="fraud")
    >>> comparison.best["gmean"]
    ('rf',)
    """
    settings = Settings(
        by=by,
        measures=measures,
        level=level,
        draws=draws,
        seed=seed,
        rope=rope,
        test_to_train=test_to_train,
        method=method,
        design=design,
        prior=prior,
        positive=positive,
        undefined=undefined,
        in_groups=cluster is not None,
        priors_range=priors_range,
        cost=cost,
    )
    refuse_both(folds, cluster, test_to_train)
    check_missing(missing)
    if not isinstance(predictions, Mapping) and pred is not None:
        if scores is not None:
            refuse_scores_beside(missing)
        joint, areas, amounts = read_columns(
            predictions,
            y_true,
            pred,
            scores=scores,
            fold=cluster if folds is None else folds,
            positive=positive,
            level=level,
            amount=cost_column(cost),
            missing=missing,
        )
        return compare_counts(joint, settings, areas, amounts)
    if not isinstance(predictions, Mapping):
        raise InputError(
            "predictions must be given by model",
            found=type(predictions).__name__,
            allowed='a mapping such as {"rf": p1, "svm": p2}, or a frame with pred= columns',
        )
    if pred is not None:
        raise InputError("pred= names columns of a frame", found="predictions by model", do="leave out pred=")
    _refuse_single(len(predictions))
    if len({str(name) for name in predictions}) < len(predictions):
        raise InputError(
            "two models are written alike",
            found=", ".join(map(repr, predictions)),
            allowed="names that differ as text",
        )
    named = {str(name): column for name, column in predictions.items()}
    groups, left_out = folds if cluster is None else cluster, 0
    if missing == "drop":
        named, scores, y_true, groups, left_out = whole_rows(named, scores, y_true, groups)
    joint = JointCounts.from_columns(y_true, named, labels=labels, folds=groups)
    joint = replace(joint, left_out=left_out)
    areas = None if scores is None else compare_areas(y_true, scores, positive, level=level, seed=seed)
    return compare_counts(joint, settings, areas)


def refuse_both(folds: Any, cluster: Any, test_to_train: float | None) -> None:
    """Refuse folds and groups at once: means over folds say nothing of rows that stand or fall together; and
    the ratio of folds where there are none."""
    if test_to_train is not None and folds is None:
        raise InputError(
            "the ratio of test to training examples is for folds",
            found="test_to_train= without folds=",
            do="name the folds, or leave it out",
        )
    if folds is not None and cluster is not None:
        raise InputError(
            "models are compared over folds or over groups",
            found="both",
            allowed="one of them",
            do="leave out one of the two",
        )


@one_thread()
def compare_counts(
    joint: JointCounts,
    settings: Settings | None = None,
    areas: AreaComparison | None = None,
    amounts: JointAmounts | None = None,
) -> Comparison:
    """Compare models by their joint counts, by the areas of their scores if there are any, and by what rows
    cost where a column says that."""
    _refuse_single(len(joint.models))
    given = settings or Settings()
    costs, by_row = _costs(given, joint, amounts)
    rule = decider(joint.n_classes) if given.by is None else None
    if costs is not None:
        rule = decided_by(costs.at(0.5))
        if by_row is not None:
            rule = replace(rule, words="it is the cost of decisions at the mean amount of each true class")
    by = rule.measure if given.by is None and rule is not None else look_up(given.by or "")
    chosen, label = _chosen(joint, by, given.measures, given.positive)
    if joint.folds is None:
        seconds = comparison_seconds(joint, draws_used(joint, given), len(chosen), given.method)
        what = f"comparing {len(joint.models)} models on {len(joint.counts):,} combinations of answers"
        warn_of_waiting(seconds, what, "fewer draws= or measures= take less")
    work = Estimates(joint, chosen, given, label)
    pairs = work.pairs(by)
    disagreements = tuple(filter(None, (work.disagreement(pair) for pair in pairs)))
    values = work.values()
    ranking = _ranking(by, joint.models, work.estimates[by.name], work.unbiased(by), given.level)
    p_values = {(p.first, p.second): found for p in pairs if (found := p.holm_p_values[by.name]) is not None}
    return Comparison(
        models=joint.models,
        labels=joint.labels,
        actual=tuple(joint.actual.tolist()),
        by=by,
        measures=tuple(chosen),
        values=values,
        best=_best(chosen, joint.models, work.estimates),
        pairs=pairs,
        ranking=ranking,
        groups=tuple(groups_not_told_apart([r.model for r in ranking], p_values, 1 - given.level)),
        disagreements=disagreements,
        kinships=kinships(chosen, joint.n_classes),
        settings={
            **settings_said(joint, given, label),
            "decides_because": None if rule is None else rule.words,
        },
        notes=tuple(notes_of(joint, chosen, given)),
        areas=areas,
        matrices={model: joint.matrix(place) for place, model in enumerate(joint.models)},
        over_shares=_over_shares(joint, given, label, by),
        over_costs=None if costs is None else _over_costs(joint, given, costs, label),
        row_costs=by_row,
    )


def _costs(
    given: Settings, joint: JointCounts, amounts: JointAmounts | None
) -> tuple[Costs | None, RowCostComparison | None]:
    """What decisions cost by class, where it was said; and row by row, where a column says it."""
    if given.cost is None:
        return None, None
    found = costs_for(given.cost, joint.labels)
    if not found.by_row:
        return found, None
    if joint.folds is not None:
        raise InputError(
            "costs by row are compared row by row",
            found="folds or groups beside them",
            do="leave one of them out",
        )
    if amounts is None:
        raise InputError(
            "costs by row need the rows",
            found=found.words,
            do="compare columns of a file or a frame by their names (pred=[...]), or give numbers",
        )
    return at_mean_amounts(joint, found, amounts), compare_row_costs(joint, found, amounts, given)


def _over_costs(
    joint: JointCounts, given: Settings, costs: Costs, positive: Label | None
) -> CostRange | None:
    """The models over a range of costs; not where rows are no sample of their own."""
    if joint.folds is not None:
        return None
    label = positive
    if label is None and joint.n_classes == 2:
        label = joint.matrix(0).positive_class().label
    how: dict[str, Any] = {"level": given.level, "draws": given.draws, "seed": given.seed}
    return compare_over_costs(joint, costs, label, prior=given.prior, design=given.design, **how)


def _over_shares(joint: JointCounts, given: Settings, label: Label | None, by: Measure) -> PriorsRange | None:
    """The models at every share of a class, if a range was given."""
    if given.priors_range is not None and not isinstance(given.priors_range, Mapping):
        raise InputError(
            "the range of priors is not understood",
            found=repr(given.priors_range),
            allowed='a class and the two ends of its share, as in {"fraud": (0.0005, 0.01)}',
        )
    if given.priors_range is None:
        return None
    if given.in_groups:
        raise InputError(
            "shares of a class are compared row by row",
            found="priors_range= with cluster=",
            do="leave one of them out",
        )
    # The measure that decides is chosen not to depend on the shares; what people ask about here does.
    usual = "f_beta" if joint.n_classes == 2 else "macro_f_beta"
    return compare_over_shares(
        joint,
        look_up(usual) if given.by is None and given.cost is None else by,
        given.priors_range,
        positive=label,
        level=given.level,
        draws=given.draws,
        seed=given.seed,
        prior=given.prior,
    )


def _refuse_single(models: int) -> None:
    if models < 2:
        raise InputError(
            "a comparison needs models",
            found=f"{models}",
            allowed="at least 2",
            do="evaluate judges one model alone",
        )


def _chosen(
    joint: JointCounts, decider: Measure, measures: Measures, positive: Label | None
) -> tuple[list[Measure], Label | None]:
    matrix = joint.matrix(0)
    if isinstance(measures, str) and measures == "all":
        chosen, label = applicable(matrix, None, positive)
    else:
        usual = USUAL if positive is None else (*OF_THE_POSITIVE, *USUAL)
        names = (
            usual
            if measures is None
            else [measures]
            if isinstance(measures, (str, Measure))
            else list(measures)
        )
        chosen, label = applicable(matrix, [decider, *names], positive)
    by_name = {m.name: m for m in ([decider, *chosen] if measures is not None else [*chosen[1:], decider])}
    return list(by_name.values()), label


def _best(
    chosen: list[Measure], models: tuple[str, ...], estimates: Mapping[str, Array]
) -> dict[str, tuple[str, ...]]:
    best: dict[str, tuple[str, ...]] = {}
    for m in chosen:
        values = estimates[m.name] if m.better != "lower" else -estimates[m.name]
        top = np.nanmax(values) if not np.isnan(values).all() and m.better != "neither" else np.nan
        best[m.name] = tuple(model for model, value in zip(models, values, strict=True) if value == top)
    return best


def _ranking(
    decider: Measure, models: tuple[str, ...], estimates: Array, drawn: Array, level: float
) -> tuple[Ranked, ...]:
    lower = decider.better == "lower"
    defined = drawn[:, ~np.isnan(drawn).any(axis=0)]
    nothing = np.full(len(models), np.nan)
    chance = probability_best(defined, lower) if defined.size else nothing
    places = ranks(defined, lower) if defined.size else np.full((len(models), 1), np.nan)
    spans = [percentiles(row, level) for row in places]
    order = sorted(
        range(len(models)), key=lambda k: (math.isnan(estimates[k]), estimates[k] if lower else -estimates[k])
    )
    return tuple(
        Ranked(models[k], float(estimates[k]), float(chance[k]), float(places[k].mean()), *spans[k])
        for k in order
    )
