"""Which printed values are of one and the same measure in disguise? IAM is 2 CBA - 1 on every matrix, the
error rate 1 - accuracy.

The catalogue states such relations, each proved or tested on every matrix. Where one is linear it also holds
for means over folds. Two values of the same measure then meet in one interval, and if that is empty they
contradict each other without any search. Where an undefined term counts as a number they need not hold: with
0 for undefined, precision and the false discovery rate are both 0 of a classifier that predicts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from steelyard.auditing.demands import Demand
from steelyard.auditing.problem import Interval
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Relation
from steelyard.measures.undefined import Undefined

_PLAINER = (
    "class_balance_accuracy", "accuracy", "macro_recall", "balanced_accuracy", "recall", "specificity",
    "precision",
    "negative_predictive_value", "auroc_ova", "auc_point",
)  # fmt: skip
"""The measures that others are expressed by, the plainest first; what stands further down is expressed by
what stands above."""


def plain(demands: Sequence[Demand], n_classes: int, undefined: Undefined = "nan") -> list[Demand] | None:
    """The same demands with each measure expressed by the plainest that is a linear function of it; None if
    two of them exclude each other."""
    found: dict[tuple[object, ...], Demand] = {}
    for given in demands:
        demand = _plainest(given, n_classes) if undefined == "nan" else given
        key = (demand.measure.name, demand.place, demand.statistic, demand.transposed, demand.of_means)
        before = found.get(key)
        if before is not None:
            common = _common(before.interval, demand.interval)
            if common is None:
                return None
            demand = replace(before, interval=common)
        found[key] = demand
    return list(found.values())


def _plainest(demand: Demand, n_classes: int) -> Demand:
    if demand.statistic == "deviation" or demand.of_means:
        return demand
    for _ in _PLAINER:
        rank = _rank(demand.measure.id)
        better = [
            r
            for r in demand.measure.relations
            if _rank(r.other) < rank and _line(r, n_classes) is not None and _applies(r, demand, n_classes)
        ]
        if not better:
            break
        relation = min(better, key=lambda r: _rank(r.other))
        line = _line(relation, n_classes)
        other = look_up(relation.other)
        assert line is not None
        place = demand.place if other.kind == "two-class" else None
        demand = replace(demand, measure=other, place=place, interval=demand.interval.shifted(*line))
    return demand


def _applies(relation: Relation, demand: Demand, n_classes: int) -> bool:
    """A measure of one class against the rest says nothing of the average over three classes or more."""
    other_of_one_class = look_up(relation.other).kind == "two-class"
    if demand.measure.kind == "two-class":
        return other_of_one_class or n_classes == 2
    return not other_of_one_class or demand.place is not None


def _rank(name: str) -> int:
    return _PLAINER.index(name) if name in _PLAINER else len(_PLAINER)


def _line(relation: Relation, n_classes: int) -> tuple[Fraction, Fraction] | None:
    """The factor and the constant of a relation that is linear."""
    classes = Fraction(n_classes)
    ends = [Fraction(relation.function(Fraction(at, 4), classes)) for at in range(5)]  # type: ignore[arg-type]
    factor = ends[4] - ends[0]
    if factor == 0 or any(end != ends[0] + factor * Fraction(at, 4) for at, end in enumerate(ends)):
        return None
    return factor, ends[0]


def _common(one: Interval, other: Interval) -> Interval | None:
    low, low_open = max((one.low, one.low_open), (other.low, other.low_open))
    high, closed = min((one.high, not one.high_open), (other.high, not other.high_open))
    if low > high or (low == high and (low_open or not closed)):
        return None
    return Interval(low, high, low_open, not closed)
