"""Which model is better, by which measure, and how sure are we?"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion, plain_label
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.compare.disagreement import Disagreement, class_gains, disagreement
from steelyard.judgement.compare.result import Comparison, Pair, Ranked, Value
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.kinship import kinships, listed, short_name
from steelyard.measures.measure import Measure, PositiveClassWarning, weigh
from steelyard.measures.undefined import Undefined
from steelyard.measures.views import quoted
from steelyard.scores.area_comparison import AreaComparison, compare_areas
from steelyard.uncertainty.draws import Design, Source, check_drawing, drawn_values, within_draws
from steelyard.uncertainty.folds import over_folds
from steelyard.uncertainty.intervals import applicable
from steelyard.uncertainty.limits import percentiles
from steelyard.uncertainty.paired import Difference, difference, mcnemar, swap_p_values
from steelyard.uncertainty.posterior import Prior
from steelyard.uncertainty.ranking import groups_not_told_apart, holm, probability_best, ranks
from steelyard.uncertainty.trust import warning_for

Array = NDArray[Any]
Measures = Iterable[str | Measure] | str | Measure | None

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


@dataclass(frozen=True)
class Settings:
    """How models are compared; `compare` says what each means."""

    by: str | Measure = "CBA"
    measures: Measures = None
    level: float = 0.95
    draws: int = 10_000
    seed: int = 0
    rope: float | None = None
    test_to_train: float | None = None
    method: Source = "posterior"
    design: Design = "stratified"
    prior: Prior = "jeffreys"
    positive: Label | None = None
    undefined: Undefined = "nan"

    def __post_init__(self) -> None:
        check_drawing(self.draws, self.seed, self.design, self.prior, self.level)
        if self.method not in ("bootstrap", "posterior"):
            raise InputError(
                "the method is not known", found=repr(self.method), allowed="'posterior', 'bootstrap'"
            )
        if self.rope is not None and not (math.isfinite(self.rope) and self.rope >= 0):
            allowed = "a number >= 0: the largest difference that does not matter"
            raise InputError("the rope cannot be used", found=repr(self.rope), allowed=allowed)
        if look_up(self.by).better == "neither":
            raise InputError(
                f"{look_up(self.by).name} cannot rank models",
                found="a measure of which neither end is better",
                do="choose another",
            )


def compare(
    predictions: Mapping[str, Any],
    y_true: Any,
    *,
    scores: Mapping[str, Any] | None = None,
    by: str | Measure = Settings.by,
    measures: Measures = Settings.measures,
    level: float = Settings.level,
    draws: int = Settings.draws,
    seed: int = Settings.seed,
    rope: float | None = Settings.rope,
    folds: Any = None,
    test_to_train: float | None = Settings.test_to_train,
    method: Source = Settings.method,
    design: Design = Settings.design,
    prior: Prior = Settings.prior,
    labels: Iterable[Label] | None = None,
    positive: Label | None = Settings.positive,
    undefined: Undefined = Settings.undefined,
) -> Comparison:
    """Compare models by their predictions of the same examples, all in the order of `y_true`.

    `by` is the measure that ranks them; `measures` are the others to look at ("all" for the whole catalogue). `rope` is the
    largest difference that does not matter. `folds` names the fold or run of each row: differences are then judged over
    folds, with `test_to_train` the ratio of test to training examples (by default that of a cross-validation). `method` and
    `design` say how other test sets are drawn, see `interval`. `scores` holds columns of scores of the positive class by model: their
    areas under the ROC curve are compared too.

    >>> import steelyard as sy
    >>> y = ["fraud"] * 20 + ["ok"] * 80
    >>> rf = ["fraud"] * 18 + ["ok"] * 82
    >>> svm = ["fraud"] * 8 + ["ok"] * 92
    >>> comparison = sy.compare({"rf": rf, "svm": svm}, y_true=y, by="gmean", positive="fraud")
    >>> comparison.best["gmean"]
    ('rf',)
    """
    settings = Settings(
        by, measures, level, draws, seed, rope, test_to_train, method, design, prior, positive, undefined
    )
    if not isinstance(predictions, Mapping):
        raise InputError(
            "predictions must be given by model",
            found=type(predictions).__name__,
            allowed='a mapping such as {"rf": p1, "svm": p2}',
        )
    _refuse_single(len(predictions))
    joint = JointCounts.from_columns(
        y_true, {str(name): column for name, column in predictions.items()}, labels=labels, folds=folds
    )
    areas = None if scores is None else compare_areas(y_true, scores, positive, level=level, seed=seed)
    return compare_counts(joint, settings, areas)


def compare_counts(
    joint: JointCounts, settings: Settings | None = None, areas: AreaComparison | None = None
) -> Comparison:
    """Compare models by their joint counts, and by the areas of their scores if there are any."""
    _refuse_single(len(joint.models))
    given = settings or Settings()
    decider = look_up(given.by)
    chosen, label = _chosen(joint, decider, given.measures, given.positive)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PositiveClassWarning)  # the choice is part of the result
        work = _Work(joint, chosen, given, label)
        drawn = work.draw()
        pairs = work.pairs(drawn)
        disagreements = tuple(filter(None, (work.disagreement(pair) for pair in pairs)))
        values = work.values(drawn)
    ranking = _ranking(decider, joint.models, work.estimates[decider.name], drawn[decider.name], given.level)
    p_values = {
        (p.first, p.second): found for p in pairs if (found := p.holm_p_values[decider.name]) is not None
    }
    return Comparison(
        joint.models,
        joint.labels,
        tuple(joint.actual.tolist()),
        decider,
        tuple(chosen),
        values,
        _best(chosen, joint.models, work.estimates),
        pairs,
        ranking,
        tuple(groups_not_told_apart([r.model for r in ranking], p_values, 1 - given.level)),
        disagreements,
        kinships(chosen, joint.n_classes),
        _said(joint, given, label),
        tuple(_notes(joint, chosen, given)),
        areas,
    )


def _said(joint: JointCounts, given: Settings, positive: Label | None) -> dict[str, Any]:
    """The settings as plain data."""
    return {
        "level": given.level,
        "draws": given.draws,
        "seed": given.seed,
        "method": given.method,
        "design": given.design,
        "prior": given.prior if given.method == "posterior" else None,
        "rope": given.rope,
        "folds": None if joint.folds is None else int(joint.folds.max()) + 1,
        "positive": None if positive is None else plain_label(positive),
    }


def _refuse_single(models: int) -> None:
    if models < 2:
        raise InputError(
            "a comparison needs models",
            found=f"{models}",
            allowed="at least 2",
            do="to weigh one model alone, use steelyard weigh",
        )


def _chosen(
    joint: JointCounts, decider: Measure, measures: Measures, positive: Label | None
) -> tuple[list[Measure], Label | None]:
    matrix = joint.matrix(0)
    if isinstance(measures, str) and measures == "all":
        chosen, label = applicable(matrix, None, positive)
    else:
        names = (
            USUAL
            if measures is None
            else [measures]
            if isinstance(measures, (str, Measure))
            else list(measures)
        )
        chosen, label = applicable(matrix, [decider, *names], positive)
    by_name = {m.name: m for m in ([decider, *chosen] if measures is not None else [*chosen[1:], decider])}
    return list(by_name.values()), label


class _Work:
    """The parts of a comparison that share the data and the settings."""

    def __init__(
        self, joint: JointCounts, chosen: list[Measure], given: Settings, positive: Label | None
    ) -> None:
        self.joint, self.chosen, self.given, self.positive, self.undefined = (
            joint,
            chosen,
            given,
            positive,
            given.undefined,
        )
        self.estimates = self._weighed(joint.matrices(joint.counts[None])[:, 0])
        self.undefined = within_draws(given.undefined)
        self.by_fold = None if joint.folds is None else self._weighed(joint.by_fold())

    def draw(self) -> dict[str, Array]:
        """The value of every measure of every model on drawn test sets."""
        given = self.given
        return drawn_values(
            self.joint,
            self.chosen,
            source=given.method,
            design=given.design,
            prior=given.prior,
            draws=given.draws,
            seed=given.seed,
            positive=self.positive,
            undefined=self.undefined,
        )

    def _weighed(self, matrices: Array) -> dict[str, Array]:
        return weigh(
            self.chosen,
            Confusion(matrices, self.joint.labels),
            positive=self.positive,
            undefined=self.undefined,
        )

    def values(self, drawn: Mapping[str, Array]) -> dict[str, dict[str, Value]]:
        """Every measure of every model with its interval."""
        table: dict[str, dict[str, Value]] = {}
        for place, model in enumerate(self.joint.models):
            row = table.setdefault(model, {})
            for m in self.chosen:
                estimate, draws = float(self.estimates[m.name][place]), drawn[m.name][place]
                draws = draws[~np.isnan(draws)]
                if math.isnan(estimate) or not len(draws):
                    why = (
                        m.why_undefined(self.joint.matrix(place), positive=self.positive)
                        if math.isnan(estimate)
                        else "in every draw"
                    )
                    row[m.name] = Value(estimate, math.nan, math.nan, why)
                    continue
                low, high = percentiles(draws, self.given.level)
                row[m.name] = Value(estimate, min(low, estimate), max(high, estimate))
        return table

    def pairs(self, drawn: Mapping[str, Array]) -> tuple[Pair, ...]:
        found = [
            (a, b, self._differences(a, b, drawn))
            for a, b in itertools.combinations(range(len(self.joint.models)), 2)
        ]
        corrected: list[dict[str, float | None]] = [{} for _ in found]
        for m in self.chosen:
            known = [
                (k, p)
                for k, (_, _, by_name) in enumerate(found)
                if (p := by_name[m.name].p_value) is not None
            ]
            for holder in corrected:
                holder[m.name] = None
            for (k, _), p in zip(known, holm([p for _, p in known]), strict=True):
                corrected[k][m.name] = p
        return tuple(
            Pair(
                self.joint.models[a],
                self.joint.models[b],
                by_name,
                corrected[k],
                mcnemar(self.joint, a, b),
                class_gains(self.joint, a, b),
            )
            for k, (a, b, by_name) in enumerate(found)
        )

    def _differences(self, a: int, b: int, drawn: Mapping[str, Array]) -> dict[str, Difference]:
        if self.by_fold is not None:
            return {
                m.name: over_folds(
                    m,
                    self.by_fold[m.name][a],
                    self.by_fold[m.name][b],
                    self.given.test_to_train,
                    self.given.level,
                    self.given.rope,
                    self._largest(m),
                )
                for m in self.chosen
            }
        p_values = swap_p_values(
            self.joint.only([a, b]),
            self.chosen,
            self.given.draws,
            self.given.seed,
            self.positive,
            self.undefined,
        )
        return {
            m.name: difference(
                m,
                (float(self.estimates[m.name][a]), float(self.estimates[m.name][b])),
                drawn[m.name][a],
                drawn[m.name][b],
                self.given.level,
                self.given.rope,
                p_values[m.name],
            )
            for m in self.chosen
        }

    def _largest(self, m: Measure) -> float:
        low, high = m.range.at(2 if m.kind == "two-class" else self.joint.n_classes)
        return high - low

    def disagreement(self, pair: Pair) -> Disagreement | None:
        a, b = self.joint.place_of(pair.first), self.joint.place_of(pair.second)
        preferences = [
            (m, pair.differences[m.name].value, pair.differences[m.name].is_clear) for m in self.chosen
        ]
        return disagreement(self.joint, a, b, preferences, self.given.level, self.positive, self.undefined)


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


def _unsure_intervals(chosen: list[Measure], method: str, rarest: int) -> list[str]:
    """Which differences have intervals that the coverage study found too narrow at this size of the smallest class?"""
    by_warning: dict[str, list[str]] = {}
    for m in chosen:
        if warning := warning_for(m, method, rarest, "differences"):
            by_warning.setdefault(warning, []).append(short_name(m))
    return [
        f"intervals of differences of {listed(names)} may be too narrow {warning}"
        for warning, names in by_warning.items()
    ]


def _notes(joint: JointCounts, chosen: list[Measure], given: Settings) -> list[str]:
    notes: list[str] = []
    actual = joint.actual
    for place, model in enumerate(joint.models):
        unknown = [quoted(joint.labels[k]) for k in np.unique(joint.predictions[:, place]) if actual[k] == 0]
        if unknown:
            notes.append(f"{model} predicts {listed(unknown)}, of which there are no examples")
    for place, twin in enumerate(joint.twins().tolist()):
        if twin != place:
            notes.append(f"{joint.models[place]} predicts the same as {joint.models[twin]} in every row")
    rarest = int(actual[actual > 0].min())
    if rarest < 20:
        notes.append(
            f"{quoted(joint.labels[int(np.argmax(actual == rarest))])} has {rarest} examples only: differences on it are hardly known"
        )
    if joint.folds is None:
        notes += _unsure_intervals(
            chosen, "percentile" if given.method == "bootstrap" else given.method, rarest
        )
    else:
        folds = int(joint.folds.max()) + 1
        ratio = (
            f"1/{folds - 1}, as in a cross-validation"
            if given.test_to_train is None
            else f"{given.test_to_train:g}"
        )
        notes.append(
            f"differences are means over {folds} folds, judged by the corrected resampled t-test with test / training = {ratio}"
        )
    return notes
