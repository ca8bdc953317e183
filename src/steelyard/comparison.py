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

from steelyard.columns import Label
from steelyard.confusion import Confusion, plain_label
from steelyard.disagreement import ClassGain, Disagreement, class_gains, disagreement
from steelyard.errors import InputError, UnknownNameError
from steelyard.joint import JointCounts
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.kinship import Kinship, kinships, listed, short_name
from steelyard.measures.measure import Measure, PositiveClassWarning, weigh
from steelyard.measures.undefined import Undefined
from steelyard.measures.views import quoted
from steelyard.presented import Presented
from steelyard.score_comparison import AreaComparison, compare_areas
from steelyard.uncertainty.draws import Design, Source, check_drawing, drawn_values
from steelyard.uncertainty.folds import over_folds
from steelyard.uncertainty.intervals import applicable
from steelyard.uncertainty.limits import percentiles
from steelyard.uncertainty.paired import Difference, McNemar, difference, mcnemar, swap_p_values
from steelyard.uncertainty.posterior import Prior
from steelyard.uncertainty.ranking import groups_not_told_apart, holm, probability_best, ranks
from steelyard.uncertainty.trust import warning_for

Array = NDArray[Any]
SCHEMA = "steelyard/compare/1"

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
class Value:
    """One measure of one model."""

    value: float
    low: float
    high: float
    undefined_because: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "value": _plain(self.value),
            "low": _plain(self.low),
            "high": _plain(self.high),
            "undefined_because": self.undefined_because,
        }


@dataclass(frozen=True)
class Pair:
    """Two models on the same examples; every difference is the first less the second."""

    first: str
    second: str
    differences: Mapping[str, Difference]
    holm_p_values: Mapping[str, float | None]
    """Corrected for the number of pairs, measure by measure."""
    mcnemar: McNemar
    """Of accuracy."""
    gains: tuple[ClassGain, ...]

    def __getitem__(self, measure: str | Measure) -> Difference:
        return self.differences[look_up(measure).name]

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "measures": {
                name: {"difference": found.to_dict(), "holm_p_value": self.holm_p_values[name]} for name, found in self.differences.items()
            },
            "mcnemar": self.mcnemar.to_dict(),
            "classes": [gain.to_dict() for gain in self.gains],
        }


@dataclass(frozen=True)
class Ranked:
    """One model's place by the deciding measure."""

    model: str
    value: float
    probability_best: float
    mean_rank: float
    rank_low: float
    rank_high: float

    def to_dict(self) -> dict[str, Any]:
        return {name: _plain(value) if isinstance(value, float) else value for name, value in self.__dict__.items()}


@dataclass(frozen=True, repr=False)
class Comparison(Presented):
    """What several models are worth on the same examples."""

    presenter = "steelyard.report.comparison"

    models: tuple[str, ...]
    labels: tuple[Label, ...]
    actual: tuple[int, ...]
    by: Measure
    measures: tuple[Measure, ...]
    values: Mapping[str, Mapping[str, Value]]
    """By model, then by the measure's name."""
    best: Mapping[str, tuple[str, ...]]
    """By measure: the model or models with the best value."""
    pairs: tuple[Pair, ...]
    ranking: tuple[Ranked, ...]
    groups: tuple[tuple[str, ...], ...]
    """Neighbours in the ranking that the deciding measure cannot tell apart (corrected for multiple comparisons)."""
    disagreements: tuple[Disagreement, ...]
    kinships: tuple[Kinship, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    areas: AreaComparison | None = None
    """Areas under the ROC curve, where scores were given."""

    def pair(self, first: str, second: str) -> Pair:
        """The comparison of two models, in the order in which they were given."""
        for name in (first, second):
            if name not in self.models:
                raise UnknownNameError("model", name, self.models)
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        raise InputError("a model is not compared with itself", found=repr(first), allowed="two different models")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "schema": SCHEMA,
            **self.settings,
            "models": list(self.models),
            "classes": [{"label": plain_label(label), "examples": n} for label, n in zip(self.labels, self.actual, strict=True)],
            "by": self.by.name,
            "values": {model: {name: value.to_dict() for name, value in row.items()} for model, row in self.values.items()},
            "best": {name: list(models) for name, models in self.best.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "ranking": [ranked.to_dict() for ranked in self.ranking],
            "not_told_apart": [list(group) for group in self.groups],
            "disagreements": [found.to_dict() for found in self.disagreements],
            "cannot_disagree": [found.to_dict() for found in self.kinships],
            "areas": None if self.areas is None else self.areas.to_dict(),
            "notes": list(self.notes),
        }

    def table(self) -> list[dict[str, Any]]:
        """A row for each model and measure."""
        return [{"model": model, "measure": name, **value.to_dict()} for model, row in self.values.items() for name, value in row.items()]


def compare(
    predictions: Mapping[str, Any],
    y_true: Any,
    *,
    scores: Mapping[str, Any] | None = None,
    by: str | Measure = "CBA",
    measures: Iterable[str | Measure] | str | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    rope: float | None = None,
    folds: Any = None,
    test_to_train: float | None = None,
    method: Source = "posterior",
    design: Design = "stratified",
    prior: Prior = "jeffreys",
    labels: Iterable[Label] | None = None,
    positive: Label | None = None,
    undefined: Undefined = "nan",
) -> Comparison:
    """Compare models by their predictions of the same examples, all in the order of `y_true`.

    `by` is the measure that ranks them; `measures` are the others to look at ("all" for the whole catalogue). `rope` is the
    largest difference that does not matter. `folds` names the fold or run of each row: differences are then judged over
    folds, with `test_to_train` the ratio of test to training examples (by default that of a cross-validation). `scores` holds
    columns of scores of the positive class by model: their areas under the ROC curve are compared too.
    """
    if not isinstance(predictions, Mapping):
        raise InputError(
            "predictions must be given by model", found=type(predictions).__name__, allowed='a mapping such as {"rf": p1, "svm": p2}'
        )
    _refuse_single(len(predictions))
    joint = JointCounts.from_columns(y_true, {str(name): column for name, column in predictions.items()}, labels=labels, folds=folds)
    areas = None if scores is None else compare_areas(y_true, scores, positive, level=level, seed=seed)
    return compare_counts(
        joint,
        areas=areas,
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
    )


def compare_counts(
    joint: JointCounts,
    *,
    areas: AreaComparison | None = None,
    by: str | Measure = "CBA",
    measures: Iterable[str | Measure] | str | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    rope: float | None = None,
    test_to_train: float | None = None,
    method: Source = "posterior",
    design: Design = "stratified",
    prior: Prior = "jeffreys",
    positive: Label | None = None,
    undefined: Undefined = "nan",
) -> Comparison:
    """Compare models by their joint counts. See `compare`."""
    _refuse_single(len(joint.models))
    check_drawing(draws, seed, design, prior, level)
    if method not in ("bootstrap", "posterior"):
        raise InputError("the method is not known", found=repr(method), allowed="'posterior', 'bootstrap'")
    if rope is not None and not (math.isfinite(rope) and rope >= 0):
        raise InputError("the rope cannot be used", found=repr(rope), allowed="a number >= 0: the largest difference that does not matter")
    decider = look_up(by)
    if decider.better == "neither":
        raise InputError(f"{decider.name} cannot rank models", found="a measure of which neither end is better", do="choose another")
    chosen, label = _chosen(joint, decider, measures, positive)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PositiveClassWarning)  # the choice is part of the result
        work = _Work(joint, chosen, level, rope, test_to_train, draws, seed, label, undefined)
        drawn = drawn_values(
            joint, chosen, source=method, design=design, prior=prior, draws=draws, seed=seed, positive=label, undefined=undefined
        )
        pairs = work.pairs(drawn)
        disagreements = tuple(filter(None, (work.disagreement(pair) for pair in pairs)))
        values = work.values(drawn)
    ranking = _ranking(decider, joint.models, work.estimates[decider.name], drawn[decider.name], level)
    p_values = {(p.first, p.second): found for p in pairs if (found := p.holm_p_values[decider.name]) is not None}
    settings = {
        "level": level,
        "draws": draws,
        "seed": seed,
        "method": method,
        "design": design,
        "prior": prior if method == "posterior" else None,
        "rope": rope,
        "folds": None if joint.folds is None else int(joint.folds.max()) + 1,
        "positive": None if label is None else plain_label(label),
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
        tuple(groups_not_told_apart([r.model for r in ranking], p_values, 1 - level)),
        disagreements,
        kinships(chosen, joint.n_classes),
        settings,
        tuple(_notes(joint, decider, method, test_to_train)),
        areas,
    )


def _refuse_single(models: int) -> None:
    if models < 2:
        raise InputError(
            "a comparison needs models", found=f"{models}", allowed="at least 2", do="to weigh one model alone, use steelyard weigh"
        )


def _chosen(
    joint: JointCounts, decider: Measure, measures: Iterable[str | Measure] | str | None, positive: Label | None
) -> tuple[list[Measure], Label | None]:
    matrix = joint.matrix(0)
    if isinstance(measures, str) and measures == "all":
        chosen, label = applicable(matrix, None, positive)
    else:
        names = USUAL if measures is None else [measures] if isinstance(measures, (str, Measure)) else list(measures)
        chosen, label = applicable(matrix, [decider, *names], positive)
    by_name = {m.name: m for m in ([decider, *chosen] if measures is not None else [*chosen[1:], decider])}
    return list(by_name.values()), label


class _Work:
    """The parts of a comparison that share the data and the settings."""

    def __init__(
        self,
        joint: JointCounts,
        chosen: list[Measure],
        level: float,
        rope: float | None,
        test_to_train: float | None,
        draws: int,
        seed: int,
        positive: Label | None,
        undefined: Undefined,
    ) -> None:
        self.joint, self.chosen, self.level, self.rope, self.test_to_train = joint, chosen, level, rope, test_to_train
        self.draws, self.seed, self.positive, self.undefined = draws, seed, positive, undefined
        self.estimates = self._weighed(joint.matrices(joint.counts[None])[:, 0])
        self.by_fold = None if joint.folds is None else self._weighed(joint.by_fold())

    def _weighed(self, matrices: Array) -> dict[str, Array]:
        return weigh(self.chosen, Confusion(matrices, self.joint.labels), positive=self.positive, undefined=self.undefined)

    def values(self, drawn: Mapping[str, Array]) -> dict[str, dict[str, Value]]:
        """Every measure of every model with its interval."""
        table: dict[str, dict[str, Value]] = {}
        for place, model in enumerate(self.joint.models):
            row = table.setdefault(model, {})
            for m in self.chosen:
                estimate, draws = float(self.estimates[m.name][place]), drawn[m.name][place]
                draws = draws[~np.isnan(draws)]
                if math.isnan(estimate) or not len(draws):
                    why = m.why_undefined(self.joint.matrix(place), positive=self.positive) if math.isnan(estimate) else "in every draw"
                    row[m.name] = Value(estimate, math.nan, math.nan, why)
                    continue
                low, high = percentiles(draws, self.level)
                row[m.name] = Value(estimate, min(low, estimate), max(high, estimate))
        return table

    def pairs(self, drawn: Mapping[str, Array]) -> tuple[Pair, ...]:
        found = [(a, b, self._differences(a, b, drawn)) for a, b in itertools.combinations(range(len(self.joint.models)), 2)]
        corrected: list[dict[str, float | None]] = [{} for _ in found]
        for m in self.chosen:
            known = [(k, p) for k, (_, _, by_name) in enumerate(found) if (p := by_name[m.name].p_value) is not None]
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
                    m, self.by_fold[m.name][a], self.by_fold[m.name][b], self.test_to_train, self.level, self.rope, self._largest(m)
                )
                for m in self.chosen
            }
        p_values = swap_p_values(self.joint.only([a, b]), self.chosen, self.draws, self.seed, self.positive, self.undefined)
        return {
            m.name: difference(
                m,
                (float(self.estimates[m.name][a]), float(self.estimates[m.name][b])),
                drawn[m.name][a],
                drawn[m.name][b],
                self.level,
                self.rope,
                p_values[m.name],
            )
            for m in self.chosen
        }

    def _largest(self, m: Measure) -> float:
        low, high = m.range.at(2 if m.kind == "two-class" else self.joint.n_classes)
        return high - low

    def disagreement(self, pair: Pair) -> Disagreement | None:
        a, b = self.joint.place_of(pair.first), self.joint.place_of(pair.second)
        preferences = [(m, pair.differences[m.name].value, pair.differences[m.name].is_clear) for m in self.chosen]
        return disagreement(self.joint, a, b, preferences, self.level, self.positive, self.undefined)


def _best(chosen: list[Measure], models: tuple[str, ...], estimates: Mapping[str, Array]) -> dict[str, tuple[str, ...]]:
    best: dict[str, tuple[str, ...]] = {}
    for m in chosen:
        values = estimates[m.name] if m.better != "lower" else -estimates[m.name]
        top = np.nanmax(values) if not np.isnan(values).all() and m.better != "neither" else np.nan
        best[m.name] = tuple(model for model, value in zip(models, values, strict=True) if value == top)
    return best


def _ranking(decider: Measure, models: tuple[str, ...], estimates: Array, drawn: Array, level: float) -> tuple[Ranked, ...]:
    lower = decider.better == "lower"
    defined = drawn[:, ~np.isnan(drawn).any(axis=0)]
    nothing = np.full(len(models), np.nan)
    chance = probability_best(defined, lower) if defined.size else nothing
    places = ranks(defined, lower) if defined.size else np.full((len(models), 1), np.nan)
    spans = [percentiles(row, level) for row in places]
    order = sorted(range(len(models)), key=lambda k: (math.isnan(estimates[k]), estimates[k] if lower else -estimates[k]))
    return tuple(Ranked(models[k], float(estimates[k]), float(chance[k]), float(places[k].mean()), *spans[k]) for k in order)


def _notes(joint: JointCounts, decider: Measure, method: Source, test_to_train: float | None) -> list[str]:
    notes = []
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
    if method == "bootstrap" and (warning := warning_for(decider, "percentile", rarest)):
        notes.append(f"{short_name(decider)}, {warning}")
    if joint.folds is not None:
        folds = int(joint.folds.max()) + 1
        ratio = f"1/{folds - 1}, as in a cross-validation" if test_to_train is None else f"{test_to_train:g}"
        notes.append(f"differences are means over {folds} folds, judged by the corrected resampled t-test with test / training = {ratio}")
    return notes


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)
