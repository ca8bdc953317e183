"""Which usual mistake would explain impossible values? Each is offered only if it is checked to make all of
them possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from steelyard.auditing.demands import Decision, Demand, Setting
from steelyard.auditing.folds import Folds, pooled
from steelyard.auditing.search import Budget
from steelyard.auditing.spaces import Sizes
from steelyard.measures import operators
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure

_TERM_OF = {
    "macro_recall": "recall",
    "macro_precision": "precision",
    "macro_f_beta": "f_beta",
    "f_beta_of_macros": "f_beta",
    "macro_jaccard": "threat_score",
}
"""The two-class measure whose macro average is known under a name of its own."""


@dataclass(frozen=True)
class Mistake:
    """A mistake that makes the printed values possible, with a matrix that shows it."""

    id: str
    sentence: str
    decision: Decision
    demands: tuple[Demand, ...]
    setting: Setting


Variant = tuple[str, str, tuple[Demand, ...], Setting]


def explanations(
    demands: Sequence[Demand], cut: Sequence[Demand] | None, setting: Setting, budget: Budget
) -> tuple[Mistake, ...]:
    """The mistakes that make every value possible. `cut` has the intervals of digits that were cut off
    instead of rounded."""
    found = []
    for name, sentence, changed, where in _variants(demands, cut, setting):
        if budget.spent(0):
            break
        decision = where.decide(changed, budget.part(0.15), wanted=1)
        if decision.answer == "possible":
            found.append(Mistake(name, sentence, decision, changed, where))
    return tuple(found)


def _variants(demands: Sequence[Demand], cut: Sequence[Demand] | None, setting: Setting) -> Iterator[Variant]:
    sizes = setting.sizes
    if cut is not None:
        yield "cut", "the digits were cut off instead of rounded", tuple(cut), setting
    yield from _percent(demands, setting)
    if setting.undefined == "nan":
        yield (
            "zero for undefined",
            "a class that is never predicted (or has no examples) was counted as 0",
            tuple(demands),
            replace(setting, undefined=0.0),  # type: ignore[type-var]
        )
    for name, sentence, change in _CHANGES:
        changed = tuple(change(demand, sizes) for demand in demands)
        if any(new is not old for new, old in zip(changed, demands, strict=True)):
            yield name, sentence, changed, setting
    if isinstance(setting, Folds):
        yield from _other_folds(demands, setting)
    yield from _other_sizes(demands, setting)


def _percent(demands: Sequence[Demand], setting: Setting) -> Iterator[Variant]:
    """95.2 where the measure reaches 1 at most: the percent sign was left out."""

    def change(demand: Demand) -> Demand:
        highest = demand.measure.range.exactly_at(len(setting.sizes.labels))[1]
        if demand.interval.low <= highest:
            return demand
        low, high = demand.interval.low / 100, demand.interval.high / 100
        return replace(demand, interval=replace(demand.interval, low=low, high=high))

    changed = tuple(map(change, demands))
    if any(new is not old for new, old in zip(changed, demands, strict=True)):
        yield (
            "percent",
            "what is above the most that a measure reaches is a percentage without its sign",
            changed,
            setting,
        )


def _other_folds(demands: Sequence[Demand], setting: Folds) -> Iterator[Variant]:
    changed = tuple(replace(d, of_means=d.measure.id == "f_beta" and d.statistic == "value") for d in demands)
    if any(demand.of_means for demand in changed):
        yield (
            "F of means",
            "the F-measure was computed from the mean precision and the mean recall",
            changed,
            setting,
        )
    if all(demand.statistic == "value" for demand in demands):
        sentence = "the values are not means over folds but of all folds pooled"
        yield "pooled", sentence, tuple(demands), pooled(setting)
    if setting.arrangement == "stratified":
        sentence = "the folds were not stratified"
        yield "not stratified", sentence, tuple(demands), replace(setting, arrangement="unknown")


def _other_sizes(demands: Sequence[Demand], setting: Setting) -> Iterator[Variant]:
    known = [size for size in setting.sizes.known if size is not None]
    if len(known) < len(setting.sizes.known) or len(set(known)) == 1:
        return
    if isinstance(setting, Folds) and not isinstance(setting.arrangement, str):
        return
    for name, size, what in (
        (
            "oversampled",
            max(known),
            "oversampled before it was split, so that every class of the test set is as large as the largest",
        ),
        (
            "undersampled",
            min(known),
            (
                "undersampled before it was split, so that every class of the test set is as small as the"
                " smallest"
            ),
        ),
        (
            "balanced",
            sum(known) // len(known),
            "balanced before it was split, with as many examples as before",
        ),
    ):
        equal = replace(setting.sizes, known=(size,) * len(known), total=None)
        sentence = f"the data were {what} ({size:,} each)"
        yield name, sentence, tuple(demands), replace(setting, sizes=equal)  # type: ignore[type-var]


def _swapped(demand: Demand, sizes: Sizes) -> Demand:
    return (
        demand if demand.place is None or len(sizes.labels) != 2 else replace(demand, place=1 - demand.place)
    )


def _averaged(average: str) -> Callable[[Demand, Sizes], Demand]:
    def change(demand: Demand, sizes: Sizes) -> Demand:
        term = term_of(demand.measure)
        if term is None:
            return demand
        return replace(demand, measure=operators.one_versus_all(term, average))  # type: ignore[arg-type]

    return change


def _of_both(average: str) -> Callable[[Demand, Sizes], Demand]:
    """A value of the positive class that is in truth an average over both classes."""

    def change(demand: Demand, sizes: Sizes) -> Demand:
        if demand.place is None or len(sizes.labels) != 2:
            return demand
        averaged = operators.one_versus_all(demand.measure, average)  # type: ignore[arg-type]
        return replace(demand, measure=averaged, place=None)

    return change


def _called(wrong: str, right: str) -> Callable[[Demand, Sizes], Demand]:
    """A measure that was printed under the name of another."""

    def change(demand: Demand, sizes: Sizes) -> Demand:
        same = demand.measure.id == wrong or (
            wrong == "balanced_accuracy" and demand.measure.id == "auc_point"
        )
        if not same:
            return demand
        parameters = dict(demand.measure.parameters)
        return replace(demand, measure=look_up(right, **parameters), place=None)

    return change


def _turned(demand: Demand, sizes: Sizes) -> Demand:
    return replace(demand, transposed=not demand.transposed)


def term_of(measure: Measure) -> Measure | None:
    """The two-class measure of which this one is the macro average over classes."""
    if measure.id in _TERM_OF:
        return look_up(_TERM_OF[measure.id], **measure.parameters)
    recipe = measure.recipe
    if recipe is not None and recipe[0] is operators.one_versus_all and recipe[1][1] == "macro":
        term: Measure = recipe[1][0]
        return term
    return None


_CHANGES: tuple[tuple[str, str, Callable[[Demand, Sizes], Demand]], ...] = (
    ("swapped", "the other class was taken as the positive one", _swapped),
    (
        "accuracy called balanced",
        "what is called balanced accuracy is plain accuracy",
        _called("balanced_accuracy", "accuracy"),
    ),
    (
        "balanced called accuracy",
        "what is called accuracy is balanced accuracy",
        _called("accuracy", "balanced_accuracy"),
    ),
    ("micro called macro", "what is called macro is the micro average", _averaged("micro")),
    ("weighted called macro", "what is called macro is weighted by class frequency", _averaged("prevalence")),
    (
        "F of macros",
        "the macro F-measure is that of macro precision and macro recall",
        _called("macro_f_beta", "f_beta_of_macros"),
    ),
    (
        "macro F",
        "the F-measure of the macros is the mean of the class F-measures",
        _called("f_beta_of_macros", "macro_f_beta"),
    ),
    (
        "macro of both classes",
        "the values of the positive class are macro averages over both classes",
        _of_both("macro"),
    ),
    (
        "weighted over both classes",
        "the values of the positive class are averages over both classes, weighted by their frequency",
        _of_both("prevalence"),
    ),
    ("transposed", "rows and columns of the matrix were exchanged: truth was taken for prediction", _turned),
)
