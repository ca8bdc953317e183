"""Explain an impossible result: the smallest set of values that contradict each other, and usual mistakes."""

# A mistake (digits cut off instead of rounded, micro called macro, ...) is offered only if a matrix shows
# that it makes all values possible.

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from steelyard.auditing.checker.question import Interval
from steelyard.auditing.problem.demands import Demand, Matrix, averaged_term
from steelyard.auditing.problem.folds import Folds, Setting, pooled
from steelyard.auditing.problem.settings import Decision
from steelyard.auditing.search.branch_and_bound import Budget
from steelyard.measures import operators
from steelyard.measures.catalogue import measure as look_up
from steelyard.report.records import HIDDEN, Json, Record, schema_of

# Subsets of the values that are examined; beyond, values are dropped one by one.
MOST_SUBSETS = 200

_NUMBER = {"write": float, "schema": {"type": "number"}}


@dataclass(frozen=True)
class Nearest(Record):
    """The nearest attainable value of one demand while the other contradicting ones hold."""

    demand: Annotated[Demand, Json("printed", write=lambda demand: demand.text, schema={"type": "string"})]
    # The nearest attainable value; exact, or the nearest that was found within the time budget.
    value: Annotated[Fraction, Json("nearest", **_NUMBER)]
    # Its distance from the printed number.
    away: Annotated[Fraction, Json(**_NUMBER)]
    # True if it is proved that no attainable value is nearer.
    exact: bool


@dataclass(frozen=True)
class Contradiction(Record):
    """Values that cannot be true together, none of which can be omitted, and how far apart they are."""

    demands: Annotated[
        tuple[Demand, ...],
        Json("values", write=lambda demands: [d.text for d in demands], schema=schema_of(list[str])),
    ]
    nearest: tuple[Nearest, ...]
    # Where a single value is impossible: the others that are impossible by themselves too.
    also: Annotated[
        tuple[Demand, ...],
        Json("also_impossible", write=lambda demands: [d.text for d in demands], schema=schema_of(list[str])),
    ] = ()


def contradiction(demands: Sequence[Demand], setting: Setting, budget: Budget) -> Contradiction:
    """The smallest set of demands that are impossible together; all of them are known to be."""
    core = _core(demands, setting, budget.share(0.6))
    nearest = [_nearest(core, at, setting, budget.share(1 / (len(core) - at))) for at in range(len(core))]
    others = [d for d in demands if d not in core] if len(core) == 1 else []
    also = [d for d in others if setting.decide([d], budget.share(0.2), wanted=1).answer == "impossible"]
    return Contradiction(core, tuple(near for near in nearest if near is not None), tuple(also))


def _core(demands: Sequence[Demand], setting: Setting, budget: Budget) -> tuple[Demand, ...]:
    """The smallest contradicting subset that is found."""
    subsets = [frozenset(s) for size in range(1, len(demands)) for s in itertools.combinations(demands, size)]
    if len(subsets) > MOST_SUBSETS:
        # Deletion filter (Chinneck and Dravnieks 1991): what remains is minimal, if not of the fewest values.
        core = list(demands)
        for demand in demands:
            rest = [other for other in core if other is not demand]
            if rest and not budget.spent(0):
                decision = setting.decide(rest, budget.share(0.2), wanted=1)
                core = rest if decision.answer == "impossible" else core
        return tuple(core)
    # What is excluded without any search costs no time; a smaller subset may yet be excluded by one.
    excluded = (frozenset(s) for s in subsets if setting.contradict([d for d in demands if d in s]))
    smallest, possible = next(excluded, frozenset(demands)), list[frozenset[Demand]]()
    # One box each first: small subsets explain most; then large ones for a witness, which settles all subsets
    # of what holds on it; then the rest.
    for ascending, share, boxes in ((True, 0.5, 1), (False, 0.2, None), (True, 0.5, None)):
        for subset in subsets if ascending else subsets[::-1]:
            if len(subset) >= len(smallest) or budget.spent(0) or any(subset <= p for p in possible):
                continue
            ordered = [demand for demand in demands if demand in subset]
            decision = setting.decide(ordered, budget.share(share, boxes), wanted=1)
            if decision.answer == "impossible":
                smallest = subset
            elif decision.answer == "possible":
                holding = (d for d in demands if d.holds(setting.value(d, decision.matrices)))
                possible.append(subset | frozenset(holding))
    return tuple(demand for demand in demands if demand in smallest)


def _nearest(core: Sequence[Demand], number: int, setting: Setting, budget: Budget) -> Nearest | None:
    """Widen one interval until something fits, then find by bisection how little is enough."""
    demand = core[number]
    middle = (demand.interval.low + demand.interval.high) / 2
    half = (demand.interval.high - demand.interval.low) / 2
    unit = half if half > 0 else Fraction(1, 10_000)
    others = [other for place, other in enumerate(core) if place != number]

    def attained(distance: Fraction, strictly: bool) -> tuple[str, Fraction | None]:
        wide = replace(demand, interval=Interval(middle - distance, middle + distance, strictly, strictly))
        decision = setting.decide([*others, wide], budget.share(0.2), wanted=1)
        if decision.answer != "possible":
            return decision.answer, None
        value = setting.value(wide, decision.matrices)
        return "possible", value if isinstance(value, Fraction) else None

    # Widen by factors of four until something fits: the distance is often a unit or two, seldom the whole
    # range.
    none_within, best = half, None
    width = unit * 4
    for _ in range(40):
        answer, best = attained(width, False)
        if answer == "possible":
            break
        if answer == "undecided" or width > 4:
            return None
        none_within, width = width, width * 4
    if best is None:
        return None
    exact = False
    for _ in range(30):
        gap = abs(best - middle)
        if gap - none_within <= unit / 1000:
            answer, nearer = attained(gap, True)
            exact = answer == "impossible"
            best = nearer if nearer is not None else best
            break
        between = (none_within + gap) / 2
        answer, nearer = attained(between, False)
        if answer == "undecided":
            break
        if nearer is None:
            none_within = between
        else:
            best = nearer
    return Nearest(demand, best, abs(best - middle), exact)


@dataclass(frozen=True)
class Mistake(Record):
    """A mistake that makes the printed values possible, with a matrix that shows it."""

    id: str
    sentence: str
    decision: Annotated[
        Decision,
        Json("matrices", write=lambda decision: decision.matrices, schema=schema_of(tuple[Matrix, ...])),
    ]
    demands: Annotated[tuple[Demand, ...], HIDDEN]
    setting: Annotated[Setting, HIDDEN]


Variant = tuple[str, str, tuple[Demand, ...], Setting]


def explanations(
    demands: Sequence[Demand], cut: Sequence[Demand] | None, setting: Setting, budget: Budget
) -> tuple[Mistake, ...]:
    """The mistakes that make every value possible."""
    # `cut` has the intervals of digits that were cut off instead of rounded.
    mistakes = []
    for name, sentence, changed, where in _variants(demands, cut, setting):
        if budget.spent(0):
            break
        decision = where.decide(changed, budget.share(0.15), wanted=1)
        if decision.answer == "possible":
            mistakes.append(Mistake(name, sentence, decision, changed, where))
    return tuple(mistakes)


def _variants(demands: Sequence[Demand], cut: Sequence[Demand] | None, setting: Setting) -> Iterator[Variant]:
    same = tuple(demands)
    if cut is not None:
        yield "cut", "the digits were cut off instead of rounded", tuple(cut), setting
    if setting.undefined == "nan":
        words = "a class that is never predicted (or has no examples) was counted as 0"
        yield "zero for undefined", words, same, replace(setting, undefined=0.0)
    # Each mistake alone: two at a time would explain almost anything.
    for name, change in _CHANGES.items():
        changed = tuple(change(demand, len(setting.sizes.labels)) for demand in demands)
        if any(new is not old for new, old in zip(changed, demands, strict=True)):
            yield name, _SENTENCES[name], changed, setting
    arrangement = setting.arrangement if isinstance(setting, Folds) else "stratified"
    if isinstance(setting, Folds):
        of_means = [demand.measure.id == "f_beta" and demand.statistic == "value" for demand in demands]
        if any(of_means):
            words = "the F-measure was computed from the mean precision and the mean recall"
            changed = tuple(replace(d, of_means=of) for d, of in zip(demands, of_means, strict=True))
            yield "F of means", words, changed, setting
        if all(demand.statistic == "value" for demand in demands):
            words = "the values are not means over folds but of all folds pooled"
            yield "pooled", words, same, pooled(setting)
        if arrangement == "stratified":
            unknown = replace(setting, arrangement="unknown")
            yield "not stratified", "the folds were not stratified", same, unknown
    known = [size for size in setting.sizes.known if size is not None]
    if len(known) == len(setting.sizes.known) and len(set(known)) > 1 and isinstance(arrangement, str):
        sizes = {"oversampled": max(known), "undersampled": min(known), "balanced": sum(known) // len(known)}
        for name, size in sizes.items():
            equal = replace(setting.sizes, known=(size,) * len(known), total=None)
            words = f"the data were {name} before it was split, {_EQUAL[name]} ({size:,} each)"
            yield name, words, same, replace(setting, sizes=equal)


_EQUAL = {
    "oversampled": "so that every class of the test set is as large as the largest",
    "undersampled": "so that every class of the test set is as small as the smallest",
    "balanced": "with as many examples as before",
}


def _percent(demand: Demand, classes: int) -> Demand:
    """95.2 where the measure reaches 1 at most: the percent sign was left out."""
    interval = demand.interval
    if interval.low <= demand.measure.range.exactly_at(classes)[1]:
        return demand
    return replace(demand, interval=replace(interval, low=interval.low / 100, high=interval.high / 100))


def _swapped(demand: Demand, classes: int) -> Demand:
    return demand if demand.place is None or classes != 2 else replace(demand, place=1 - demand.place)


def _averaged(average: Any, demand: Demand, classes: int) -> Demand:
    term = averaged_term(demand.measure)
    if term is None or term[1] != "macro":
        return demand
    return replace(demand, measure=operators.one_versus_all(term[0], average))


def _of_both(average: Any, demand: Demand, classes: int) -> Demand:
    """A value of the positive class that is in truth an average over both classes."""
    if demand.place is None or classes != 2:
        return demand
    return replace(demand, measure=operators.one_versus_all(demand.measure, average), place=None)


def _called(wrong: tuple[str, ...], right: str, demand: Demand, classes: int) -> Demand:
    """A measure that was printed under the name of another."""
    if demand.measure.id not in wrong:
        return demand
    return replace(demand, measure=look_up(right, **demand.measure.parameters), place=None)


def _turned(demand: Demand, classes: int) -> Demand:
    return replace(demand, transposed=not demand.transposed)


_CHANGES: dict[str, Callable[[Demand, int], Demand]] = {
    "percent": _percent,
    "swapped": _swapped,
    "accuracy called balanced": partial(_called, ("balanced_accuracy", "auc_point"), "accuracy"),
    "balanced called accuracy": partial(_called, ("accuracy",), "balanced_accuracy"),
    "micro called macro": partial(_averaged, "micro"),
    "weighted called macro": partial(_averaged, "prevalence"),
    "F of macros": partial(_called, ("macro_f_beta",), "f_beta_of_macros"),
    "macro F": partial(_called, ("f_beta_of_macros",), "macro_f_beta"),
    "macro of both classes": partial(_of_both, "macro"),
    "weighted over both classes": partial(_of_both, "prevalence"),
    "transposed": _turned,
}
_POSITIVE = "the values of the positive class are"
_SENTENCES = {
    "percent": "what is above the most that a measure reaches is a percentage without its sign",
    "swapped": "the other class was taken as the positive one",
    "accuracy called balanced": "what is called balanced accuracy is plain accuracy",
    "balanced called accuracy": "what is called accuracy is balanced accuracy",
    "micro called macro": "what is called macro is the micro average",
    "weighted called macro": "what is called macro is weighted by class frequency",
    "F of macros": "the macro F-measure is that of macro precision and macro recall",
    "macro F": "the F-measure of the macros is the mean of the class F-measures",
    "macro of both classes": f"{_POSITIVE} macro averages over both classes",
    "weighted over both classes": f"{_POSITIVE} averages over both classes, weighted by their frequency",
    "transposed": "rows and columns of the matrix were exchanged: truth was taken for prediction",
}
