"""Demands: what a printed value requires of a matrix, and what demands imply without any search."""

# - Relations of the catalogue: IAM is 2 CBA - 1 on every matrix, the error rate 1 - accuracy. A linear
#   relation also holds for means over folds. Two values of one metric then meet in one interval, and
#   contradict each other if it is empty. Where an undefined term counts as a number they need not hold:
#   with 0 for undefined, precision and the false discovery rate are both 0 of a classifier that predicts
#   nothing.
# - Concavity of the harmonic mean: a mean of F-measures is at most the F-measure of mean precision and mean
#   recall (Jensen's inequality), and at least their sum less 1, over classes, with their weights, and over
#   folds. Over classes less is possible where the two means differ, since truth and predictions have the same
#   total; the less, the more alike the sizes of the classes.
# - Accuracy is a mean of the recalls of the classes: it lies between the least and the greatest of them.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from steelyard.auditing.checker.question import Interval
from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.measures import operators
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure, Relation
from steelyard.measures.record import renamed
from steelyard.measures.undefined import Undefined

Statistic = Literal["value", "deviation"]
Matrix = tuple[tuple[int, ...], ...]

# The metrics that others are expressed by, the simplest first: each is expressed by one before it.
_SIMPLER = (
    "class_balance_accuracy", "accuracy", "macro_recall", "balanced_accuracy", "recall", "specificity",
    "precision",
    "negative_predictive_value", "auroc_ova", "auc_point",
)  # fmt: skip

# Averages over classes that are defined without naming the metric they average. Recalls weighted by class
# frequency add up to the accuracy.
_AVERAGES = {
    "accuracy": ("recall", "prevalence"),
    "macro_recall": ("recall", "macro"),
    "f_beta_of_macros": ("f_beta", "macro"),
}


@dataclass(frozen=True)
class Demand:
    """A metric that must take a value in an interval, on all classes or of one class against the rest."""

    measure: Measure
    interval: Interval
    # Which class is the positive one, for a metric of two classes.
    place: int | None = None
    # The statement as it was printed.
    text: str = ""
    # Over folds: the mean of the values, or their standard deviation.
    statistic: Statistic = "value"
    # True if the metric is taken of the matrix with truth and prediction exchanged.
    transposed: bool = False
    # Over folds: the F-measure of mean precision and mean recall instead of the mean F-measure.
    of_means: bool = False

    def value(self, matrix: Matrix, labels: Sequence[Label], undefined: Undefined) -> Fraction | float:
        """The exact value on a matrix."""
        positive = None if self.place is None else labels[self.place]
        counted = tuple(zip(*matrix, strict=True)) if self.transposed else matrix
        return self.measure.exact(_confusion(counted, tuple(labels)), undefined=undefined, positive=positive)

    def holds(self, value: Fraction | float) -> bool:
        return isinstance(value, Fraction) and self.interval.holds(value)


@lru_cache(maxsize=32)
def _confusion(matrix: Matrix, labels: tuple[Label, ...]) -> Confusion:
    """A matrix is asked for one value after the other."""
    return Confusion(matrix, labels)


def simplified(
    demands: Sequence[Demand],
    n_classes: int,
    undefined: Undefined = "nan",
    over_folds: bool = False,
    sizes: Sequence[int | None] = (),
) -> list[Demand] | None:
    """The same demands with each metric expressed by the simplest that is a linear function of it."""
    # None if they contradict each other by a relation, by concavity, or by the bounds of a mean.
    simple: dict[tuple[object, ...], Demand] = {}
    for original in demands:
        demand = _simplest(original, n_classes) if undefined == "nan" else original
        key = (demand.measure.name, demand.place, demand.statistic, demand.transposed, demand.of_means)
        before = simple.get(key)
        if before is not None:
            common = before.interval.common(demand.interval)
            if common is None:
                return None
            demand = replace(before, interval=common)
        simple[key] = demand
    values = [d for d in simple.values() if d.statistic == "value" and not d.of_means]
    if undefined in ("nan", 0) and not _is_concave(values, n_classes, over_folds, sizes):
        return None
    if undefined == "nan" and not over_folds and not _accuracy_is_a_mean(values, n_classes):
        return None
    return list(simple.values())


def _is_concave(
    demands: Sequence[Demand], n_classes: int, over_folds: bool, sizes: Sequence[int | None]
) -> bool:
    """False if a mean F-measure lies outside what mean precision and mean recall leave it."""
    # It exceeds their F-measure or lies below their sum less 1; or the F-measure of macro precision and macro
    # recall lies below that of their least values.
    for f, precision, recall in f_triples(demands, over_folds):
        weight = beta_squared(f)
        over_classes = _averaged_term(f, over_folds) == ("f_beta", "macro")
        greatest = _greatest_mean(weight, precision, recall, n_classes if over_classes else 1)
        if greatest is not None and f.interval.low > greatest:
            return False
        known = [size for size in sizes if size is not None and not f.transposed]
        if over_classes and len(known) == n_classes:
            highest = f_measure(weight, precision.high, recall.high)
            lost = _lost_by_equal_totals(weight, precision, recall, known)
            if highest is not None and f.interval.low > highest - lost:
                return False
        # The convex envelope of the concave F over the unit square is that of its corners: F is at least the
        # lesser of precision and recall, which is at least their sum less 1, and so is every mean of it.
        if f.interval.high < precision.low + recall.low - 1:
            return False
        if f.measure.id == "f_beta_of_macros" and not over_folds:
            least = f_measure(weight, precision.low, recall.low)
            if least is not None and f.interval.high < least:
                return False
    return True


def _greatest_mean(weight: Fraction, precision: Interval, recall: Interval, classes: int) -> Fraction | None:
    """The greatest mean over so many classes of F-measures with these mean precisions and recalls."""
    # For 1, over anything.
    if classes == 1:
        return f_measure(weight, precision.high, recall.high)
    # Truth and predictions have the same total, so some class is predicted at least as often as it occurs:
    # its precision is at most its recall (and of some class it is the other way round). Say that the mean
    # precision is the larger. Precisions are at most 1, so both of that class are at least
    # x = C precision - (C - 1). F is homogeneous and concave: the other classes reach at most F of what x
    # leaves to their sums, and x + F(C precision - x, C recall - x) falls in x.
    larger = precision if precision.high > recall.high else recall
    least = max(Fraction(0), classes * larger.low - (classes - 1))
    sums = [classes * mean.high - least for mean in (precision, recall)]
    if min(sums) < 0:  # no such class
        return Fraction(-1)
    others = f_measure(weight, *sums)
    return None if others is None else (least + others) / classes


def _lost_by_equal_totals(
    weight: Fraction, precision: Interval, recall: Interval, sizes: Sequence[int]
) -> Fraction:
    """How far at least a mean over classes of these sizes lies below the F-measure of the greatest means."""
    # Where class i is predicted q_i times as often as it occurs, its recall R is q_i times its precision P.
    # The tangent of F at the ratio r of the means lies above F by w (1 + w) / (w + r)^2 times
    # P (q_i - r)^2 / (w + q_i), which is R (q_i - r)^2 / (q_i (w + q_i)). Not all q_i are r, as
    # sum n_i (q_i - r) = N (1 - r). Sedrakyan's inequality: where sum n_i x_i is T, sum x_i^2 / y_i is at
    # least T^2 / sum n_i^2 y_i. No P or R exceeds 1, so only one can be as low as C mean - (C - 1).
    classes, most, total = len(sizes), max(sizes), sum(sizes)
    if precision.high <= 0 or recall.high <= 0:
        return Fraction(0)
    ratio = recall.high / precision.high
    low = classes * (precision if ratio < 1 else recall).low - (classes - 1)
    if low <= 0:
        return Fraction(0)
    if ratio < 1:  # the sum over y_i = w + q_i has n_i^2 q_i <= most times the predictions of class i
        largest, every = weight * most**2 + most * total, weight * sum(n * n for n in sizes) + most * total
    else:  # only classes with q_i <= r count, of which y_i is at most this
        largest, every = (
            ratio * (weight + ratio) * squares for squares in (most**2, sum(n * n for n in sizes))
        )
    scale = weight * (1 + weight) / (weight + ratio) ** 2
    return scale * (total * (1 - ratio)) ** 2 / (every + largest * (1 / low - 1)) / classes


def f_triples(demands: Sequence[Demand], over_folds: bool) -> list[tuple[Demand, Interval, Interval]]:
    """Each mean F-measure with the mean precision and mean recall that are printed with it, or 0 to 1."""
    # Macro F1 is ambiguous in print (Opitz and Burst 2019, "Macro F1 and Macro F1"): the mean of F-measures
    # and the F-measure of the means are kept apart by their ids.
    means = {}
    for demand in demands:
        kind = _averaged_term(demand, over_folds)
        if kind is not None:
            means[(*kind, demand.place, demand.transposed)] = demand
    triples = []
    for (term, average, place, transposed), f in means.items():
        if term in ("f_beta", "f_beta_of_macros"):
            others = [means.get((name, average, place, transposed)) for name in ("precision", "recall")]
            if any(others):
                unit = Interval(Fraction(0), Fraction(1))
                precision, recall = (unit if d is None else d.interval for d in others)
                triples.append((f, precision, recall))
    return triples


def _averaged_term(demand: Demand, over_folds: bool) -> tuple[str, str] | None:
    """precision, recall or f_beta, and what it is averaged over: classes (macro, prevalence) or folds."""
    measure = demand.measure
    if measure.kind == "two-class":
        return (measure.id, "folds") if over_folds else None
    averaged = averaged_term(measure)
    if averaged is None:
        return None
    return measure.id if measure.id == "f_beta_of_macros" else averaged[0].id, averaged[1]


def averaged_term(measure: Measure) -> tuple[Measure, str] | None:
    """The two-class metric whose average over classes a metric is, and the weights: macro, prevalence."""
    if measure.id in _AVERAGES:
        name, average = _AVERAGES[measure.id]
        return look_up(name, **measure.parameters), average
    recipe = measure.recipe
    while recipe is not None and recipe[0] is renamed:
        recipe = recipe[1][0].recipe
    return recipe[1] if recipe is not None and recipe[0] is operators.one_versus_all else None


def beta_squared(demand: Demand) -> Fraction:
    """The weight of recall in an F-measure, or in an average of it."""
    averaged = averaged_term(demand.measure)
    measure = demand.measure if averaged is None else averaged[0]
    return Fraction(str(measure.parameters.get("beta", 1))) ** 2


def f_measure(weight: Fraction, precision: Fraction, recall: Fraction) -> Fraction | None:
    """The F-measure of a precision and a recall; None where it has no value."""
    if precision < 0 or recall < 0 or weight * precision + recall == 0:
        return None
    return (1 + weight) * precision * recall / (weight * precision + recall)


def sedrakyan_weights(demands: Sequence[Demand], over_folds: bool) -> list[Fraction]:
    """The parameters at which Sedrakyan's inequality is tight for the printed means."""
    # The tangents at which the concavity of the F-measure becomes a linear cut (`checker.linear_relaxation`).
    weights = []
    for f, precision, recall in f_triples(demands, over_folds):
        weight, p, r = beta_squared(f), precision.high, recall.high
        if p > 0 and r > 0 and weight > 0:
            share = (weight * p / (weight * p + r)).limit_denominator(10**6)
            weights += [share, 1 - share]
    return list(dict.fromkeys(weights))


def _accuracy_is_a_mean(demands: Sequence[Demand], n_classes: int) -> bool:
    """False if accuracy lies outside the recalls of the classes, where all of them are printed."""
    recalls = {
        (d.place or 0) if d.measure.id == "recall" else 1 - (d.place or 0): d.interval
        for d in demands
        if d.measure.id == "recall" or (d.measure.id == "specificity" and n_classes == 2)
        if not d.transposed
    }
    accuracies = [d.interval for d in demands if d.measure.id == "accuracy" and not d.transposed]
    if len(recalls) < n_classes:
        return True
    least, most = min(i.low for i in recalls.values()), max(i.high for i in recalls.values())
    return all(interval.high >= least and interval.low <= most for interval in accuracies)


def _simplest(demand: Demand, n_classes: int) -> Demand:
    if demand.statistic == "deviation" or demand.of_means:
        return demand
    # One relation may lead to the next; each step goes to a simpler metric, so there are at most this many.
    for _ in _SIMPLER:
        simpler = [r for r in demand.measure.relations if _rank(r.other) < _rank(demand.measure.id)]
        applying = [(r.other, _line(r, n_classes)) for r in simpler if _applies(r, demand, n_classes)]
        lines = [(name, line) for name, line in applying if line is not None]
        if not lines:
            break
        name, line = min(lines, key=lambda pair: _rank(pair[0]))
        other = look_up(name)
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
    return _SIMPLER.index(name) if name in _SIMPLER else len(_SIMPLER)


def _line(relation: Relation, n_classes: int) -> tuple[Fraction, Fraction] | None:
    """The factor and the constant of a relation that is linear."""
    classes = Fraction(n_classes)
    # A relation is a function of the catalogue; agreement with a line at five points is taken for linearity.
    ends = [Fraction(relation.function(Fraction(at, 4), classes)) for at in range(5)]  # type: ignore[arg-type]
    factor = ends[4] - ends[0]
    if factor == 0 or any(end != ends[0] + factor * Fraction(at, 4) for at, end in enumerate(ends)):
        return None
    return factor, ends[0]
