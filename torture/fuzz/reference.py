"""What is the right answer? Counted row by row in plain Python, with fractions and nothing of the package."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from torture.fuzz.cases import PLAIN_NUMBER, Case, Label

Cells = list[list[Fraction]]
REFUSED = "refused"


@dataclass(frozen=True)
class Counted:
    """A matrix with its labels, perhaps those of slices, and how many rows there were and were left out."""

    labels: tuple[Any, ...]
    cells: Any
    slices: dict[str, Any] | None = None
    rows: int | None = None
    missing: int | None = None


def in_order(labels: list[Any]) -> list[Any]:
    """Sorted, numbers that are written as text by their value; by the name of the type and the text where Python
    cannot compare them."""
    if all(isinstance(label, str) and re.fullmatch(PLAIN_NUMBER, label) for label in labels):
        return sorted(labels, key=lambda label: (Fraction(label), len(label)))
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def usable(weight: float | None) -> bool:
    return weight is not None and math.isfinite(weight) and weight >= 0


def slice_name(value: str | None) -> str:
    if value is None:
        return "(missing)"
    return f"'{value}'" if value.strip("'") == "(missing)" else value


def counted(case: Case, refuses_strangers: bool) -> Counted | str:
    """The counts, or that the case must be refused."""
    complete = case.kept(lambda i: case.truths[i] is not None and case.predictions[i] is not None)
    missing = case.rows - complete.rows
    if (
        not complete.rows
        or (missing and not case.drop)
        or len(set(case.listed or ())) < len(case.listed or ())
    ):
        return REFUSED
    weights = complete.weights
    if weights is not None and not all(map(usable, weights)):
        return REFUSED
    of_rows = [Fraction(1)] * complete.rows if weights is None else [Fraction(w or 0) for w in weights]
    weighed = [i for i in range(complete.rows) if of_rows[i]]
    if not weighed:
        return REFUSED
    truths: dict[Any, None] = dict.fromkeys(complete.truths[i] for i in weighed)
    predictions: dict[Any, None] = dict.fromkeys(complete.predictions[i] for i in weighed)
    if must_refuse_strangers(list(truths), list(predictions), refuses_strangers, case.listed is not None):
        return REFUSED
    if case.listed is None and written_in_two_ways(truths.keys(), predictions.keys()):
        return REFUSED
    occurring = list(truths | predictions)
    if case.listed is not None and not set(occurring) <= set(case.listed):
        return REFUSED
    labels = tuple(in_order(occurring)) if case.listed is None else case.listed
    place = {label: i for i, label in enumerate(labels)}

    def table(at: list[int]) -> Cells:
        cells = [[Fraction(0)] * len(labels) for _ in labels]
        for i in at:
            if of_rows[i]:
                cells[place[complete.truths[i]]][place[complete.predictions[i]]] += of_rows[i]
        return cells

    slices: dict[str, Any] | None = None
    if complete.slices is not None:
        members: dict[str, list[int]] = defaultdict(list)
        for i, value in enumerate(complete.slices):
            members[slice_name(value)].append(i)
        slices = {name: table(at) for name, at in members.items()}
    return Counted(labels, table(list(range(complete.rows))), slices, case.rows, missing)


def must_refuse_strangers(truths: list[Any], predictions: list[Any], strictly: bool, listed: bool) -> bool:
    """Are these columns that were not meant for each other: no label in common, or text against numbers?"""
    if set(truths) & set(predictions):
        return False
    if strictly and not (len(truths) == 1 and len(predictions) == 1):
        return True
    if listed:
        return False
    kinds = [{isinstance(label, str) for label in labels} for labels in (truths, predictions)]
    return kinds[0] != kinds[1] and len(kinds[0]) == len(kinds[1]) == 1


def folded(label: str) -> str:
    """A label without what capitals and blanks add."""
    return re.sub(r"\s+", " ", label.strip()).casefold()


def written_in_two_ways(truths: Set[Any], predictions: Set[Any]) -> bool:
    """Does a label that is only true differ from one that is only predicted by nothing but capitals and blanks?"""
    alone = (
        {folded(label) for label in labels if isinstance(label, str)}
        for labels in (truths - predictions, predictions - truths)
    )
    return not next(alone).isdisjoint(next(alone))


# -- values of a matrix


def _over(a: Fraction, b: Fraction) -> Fraction:
    return a / b


def _root(value: Fraction) -> float:
    return math.sqrt(value)


def _mean(terms: list[Fraction]) -> Fraction:
    return sum(terms, Fraction(0)) / len(terms)


Formula = Callable[[Cells], Any]


def _sums(m: Cells) -> tuple[range, list[Fraction], list[Fraction], list[Fraction], Fraction]:
    n = range(len(m))
    rows = [sum(row, Fraction(0)) for row in m]
    return (
        n,
        rows,
        [sum((row[j] for row in m), Fraction(0)) for j in n],
        [m[i][i] for i in n],
        sum(rows, Fraction(0)),
    )


def _accuracy(m: Cells) -> Any:
    _, _, _, hits, total = _sums(m)
    return _over(sum(hits, Fraction(0)), total)


def _macro_recall(m: Cells) -> Any:
    n, actual, _, hits, _ = _sums(m)
    return _mean([_over(hits[i], actual[i]) for i in n])


def _macro_precision(m: Cells) -> Any:
    n, _, predicted, hits, _ = _sums(m)
    return _mean([_over(hits[i], predicted[i]) for i in n])


def _cba(m: Cells) -> Any:
    n, actual, predicted, hits, _ = _sums(m)
    return _mean([_over(hits[i], max(actual[i], predicted[i])) for i in n])


def _gmean(m: Cells) -> Any:
    n, actual, _, hits, _ = _sums(m)
    recalls = [_over(hits[i], actual[i]) for i in n]
    product = math.prod(recalls, start=Fraction(1))
    if not product:
        return 0.0
    return math.exp(sum(math.log(r.numerator) - math.log(r.denominator) for r in recalls) / len(recalls))


def _kappa(m: Cells) -> Any:
    n, actual, predicted, hits, total = _sums(m)
    chance = sum((actual[i] * predicted[i] for i in n), Fraction(0))
    return _over(total * sum(hits, Fraction(0)) - chance, total * total - chance)


def _mcc(m: Cells) -> Any:
    n, actual, predicted, hits, total = _sums(m)
    chance = sum((actual[i] * predicted[i] for i in n), Fraction(0))
    above = total * sum(hits, Fraction(0)) - chance
    below = [total * total - sum((s * s for s in sums), Fraction(0)) for sums in (actual, predicted)]
    value = _over(above * above, below[0] * below[1])
    return math.copysign(_root(value), above)


def _at_priors(m: Cells) -> Any:
    """Accuracy where the classes have shares 1 : 2 : 3 : ..."""
    n, actual, _, hits, _ = _sums(m)
    shares = [Fraction(i + 1) for i in n]
    return sum((shares[i] * _over(hits[i], actual[i]) for i in n), Fraction(0)) / sum(shares, Fraction(0))


def _weighted(m: Cells) -> Any:
    """Recalls weighted by the relevance 1, 1/2, 1/4, ..."""
    n, actual, _, hits, _ = _sums(m)
    weights = [Fraction(1, 2**i) for i in n]
    return sum((weights[i] * _over(hits[i], actual[i]) for i in n), Fraction(0)) / sum(weights, Fraction(0))


def _two(m: Cells) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """The first class against all others."""
    _, actual, predicted, hits, total = _sums(m)
    tp = hits[0]
    fn, fp = actual[0] - tp, predicted[0] - tp
    return tp, fn, fp, total - tp - fn - fp


def _recall(m: Cells) -> Any:
    tp, fn, _, _ = _two(m)
    return _over(tp, tp + fn)


def _specificity(m: Cells) -> Any:
    _, _, fp, tn = _two(m)
    return _over(tn, tn + fp)


def _precision(m: Cells) -> Any:
    tp, _, fp, _ = _two(m)
    return _over(tp, tp + fp)


def _npv(m: Cells) -> Any:
    _, fn, _, tn = _two(m)
    return _over(tn, tn + fn)


def _f1(m: Cells) -> Any:
    tp, fn, fp, _ = _two(m)
    return _over(2 * tp, 2 * tp + fn + fp)


def _jaccard(m: Cells) -> Any:
    tp, fn, fp, _ = _two(m)
    return _over(tp, tp + fn + fp)


FORMULAS: dict[str, Formula] = {
    "accuracy": _accuracy,
    "macro_recall": _macro_recall,
    "macro_precision": _macro_precision,
    "class_balance_accuracy": _cba,
    "kappa": _kappa,
    "mcc": _mcc,
    "accuracy at 1 : 2 : 3": _at_priors,
    "macro_recall by 1, 1/2, 1/4": _weighted,
    "recall": _recall,
    "specificity": _specificity,
    "precision": _precision,
    "negative_predictive_value": _npv,
    "f_beta": _f1,
    "threat_score": _jaccard,
    "gmean": _gmean,
}


def values(case: Case) -> dict[str, float] | str:
    """Every formula on the counts; NaN where it has no value."""
    found = counted(case, refuses_strangers=False)
    if isinstance(found, str):
        return REFUSED
    return {name: value(formula, found.cells) for name, formula in FORMULAS.items()}


def value(formula: Formula, cells: Cells) -> float:
    try:
        return float(formula(cells))
    except ZeroDivisionError:
        return math.nan


# -- scores


@dataclass(frozen=True)
class Ranked:
    """What scores of one class say: the area, the matrix at every threshold, the best threshold of each measure."""

    auc: float
    sweep: list[tuple[float, list[list[float]]]]
    best: dict[str, tuple[float, float]]
    values: dict[str, dict[float, float]]
    """For each measure its value at each threshold."""


BEST_OF = {"gmean": _gmean, "negative_predictive_value": _npv, "f_beta": _f1, "accuracy": _accuracy}


def positive_of(case: Case) -> Label | None:
    """The class whose scores they are taken to be: the first in order of two; None where there are not two."""
    occurring = {t for t in case.truths if t is not None}
    return in_order(list(occurring))[0] if len(occurring) == 2 else None


def ranked(case: Case) -> Ranked | str:
    """What follows from the scores of the first class."""
    positive, scores = positive_of(case), case.scores
    if positive is None or scores is None or None in case.truths:
        return REFUSED
    weights = [Fraction(1)] * case.rows
    if case.weights is not None:
        if not all(map(usable, case.weights)):
            return REFUSED
        weights = [Fraction(w or 0) for w in case.weights]
    sides: list[list[tuple[float, Fraction]]] = [[], []]
    for truth, score, weight in zip(case.truths, scores, weights, strict=True):
        if weight:
            sides[int(truth != positive)].append((score, weight))
    totals = [sum((w for _, w in side), Fraction(0)) for side in sides]
    if not all(totals):
        return REFUSED
    above = sum(
        (
            w * v * (Fraction(1) if s > z else Fraction(1, 2))
            for s, w in sides[0]
            for z, v in sides[1]
            if s >= z
        ),
        Fraction(0),
    )
    thresholds = [math.inf, *sorted({s for side in sides for s, _ in side}, reverse=True)]
    sweep: list[tuple[float, Cells]] = []
    for threshold in thresholds:
        reached = [sum((w for s, w in side if s >= threshold), Fraction(0)) for side in sides]
        sweep.append((threshold, [[r, t - r] for r, t in zip(reached, totals, strict=True)]))
    sweep = [(t, [cells[0], cells[1]]) for t, cells in sweep]
    best: dict[str, tuple[float, float]] = {}
    at: dict[str, dict[float, float]] = {}
    for name, formula in BEST_OF.items():
        found = [(t, value(formula, cells)) for t, cells in sweep]
        at[name] = dict(found)
        greatest = max((v for _, v in found if v == v), default=None)
        if greatest is not None:
            best[name] = next((t, v) for t, v in found if v >= greatest - 1e-12)
    plain = [(t, [[float(c) for c in row] for row in cells]) for t, cells in sweep]
    return Ranked(float(above / (totals[0] * totals[1])), plain, best, at)
