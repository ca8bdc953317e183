"""Wrong labels: the range of every metric if some may be wrong, and how few would reverse a verdict."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.report.numbers import between, shown
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Value, derived
from steelyard.report.sections import Section, Sentence, table_of, words_column
from steelyard.scores.fields import NUMBER, many, or_none
from steelyard.uncertainty.fragility import PairedCounts, labels_until, least_reversal
from steelyard.uncertainty.label_errors import Budget, label_error_bounds

_CELLS = Json(schema=or_none(many(many(NUMBER))))


@dataclass(frozen=True)
class MeasureRange(Record):
    """The range of a metric over all matrices that the wrong labels can stand for."""

    measure: Annotated[Measure, HIDDEN]
    value: Value
    low: Value
    high: Value
    # The true matrix at the low end: rows are true classes in the order of the labels.
    low_matrix: Annotated[Any, _CELLS]
    high_matrix: Annotated[Any, _CELLS]
    # Is the range exact? Otherwise its ends are attained, and others may lie beyond.
    sharp: bool

    id = derived(str, lambda self: self.measure.name)


@dataclass(frozen=True)
class LabelErrors(Record):
    """How far metrics may be off if labels are wrong, without an assumption about which."""

    wrong_labels: str
    total: int | None
    by_class: tuple[int, ...] | None
    measures: tuple[MeasureRange, ...]


def checked_errors(limits: Any) -> float | dict[str, float]:
    """A share of wrong labels, or shares by class."""
    shares = list(limits.values()) if isinstance(limits, Mapping) else [limits]
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise InputError(
                "a share of wrong labels lies between 0 and 1",
                found=repr(share),
                allowed="a number such as 0.02, or a number by class",
                parameter="label_errors",
            )
    return {str(k): float(v) for k, v in limits.items()} if isinstance(limits, Mapping) else float(limits)


def report_label_errors(
    matrix: Confusion, limits: Any, measures: Sequence[Measure], positive: Label | None
) -> LabelErrors:
    """The range of every metric of a matrix."""
    budget = Budget.of(checked_errors(limits), matrix)
    values = weigh(measures, matrix, positive=positive)
    bounds = label_error_bounds(matrix, measures, budget, positive)
    ranges = [
        MeasureRange(m, float(values[m.name]), **vars(bounds[m.name])) for m in measures if m.name in bounds
    ]
    return LabelErrors(budget.words, budget.total, budget.by_class, tuple(ranges))


def label_errors_section(report: LabelErrors, headline: Sequence[str]) -> Section:
    """The ranges of the headline metrics."""
    by_name = {row.measure.name: row for row in report.measures}
    chosen = [by_name[name] for name in headline if name in by_name]
    sentence = (
        f"If up to {report.wrong_labels} are wrong, whichever they are, the true values lie in these ranges;"
        " the ends are attained (matrices in the JSON output)."
    )
    if not all(row.sharp for row in chosen):
        sentence += ' "At least": the search was not exhaustive, so the range may be wider.'
    table = table_of(
        chosen,
        (words_column("metric"), lambda row: short_name(row.measure)),
        ("as labelled", lambda row: shown(row.value)),
        (words_column("range"), lambda r: ("" if r.sharp else "at least ") + between(r.low, r.high)),
        identity="label-errors",
    )
    return Section("If labels are wrong", (Sentence(sentence), table), "brief", "label-errors-section")


# Beyond, the ways to relabel are too many to look for the least.
MOST_CLASSES = 6


@dataclass(frozen=True)
class RelabelledRows(Record):
    """Rows of one kind whose label would have to be another."""

    rows: int
    label: AnyLabel
    becomes: AnyLabel
    # By the better model and by the other; by the only one.
    predicted: tuple[AnyLabel, ...]


@dataclass(frozen=True)
class Fragility(Record):
    """The least numbers of wrong labels that change a verdict; the second follows the order of the first."""

    # The model with the better value now; None for a limit.
    winner: str | None
    challenger: str | None
    # Wrong labels that reverse the order of the values; None if no number does.
    reverses: int | None
    # Is that number proved to be the least? Otherwise it suffices.
    exact: bool
    # Labels that reverse the order: anybody can check them.
    relabelled: tuple[RelabelledRows, ...]
    # Wrong labels that make the confidence interval include 0 (or the limit); 0 if it does already.
    undecides: Annotated[int | None, Json("makes_inconclusive")]

    @property
    def words(self) -> str:
        """The numbers of two models in a sentence."""
        if self.reverses is None:
            return f"no number of wrong labels puts {self.challenger} ahead."
        labels = "wrong label is" if self.reverses == 1 and self.exact else "wrong labels are"
        first = f"in the worst case {self.reverses:,}{'' if self.exact else ' or fewer'} {labels}"
        ahead = f"enough to put {self.challenger} ahead"
        if not self.undecides:
            return f"{first} {ahead}."
        return f"{first} {ahead}, {self.undecides:,} to make the difference inconclusive."


def fragility_of_pair(
    joint: JointCounts,
    measure: Measure,
    positive: Label | None,
    includes_zero: Callable[[JointCounts], bool],
) -> Fragility | None:
    """Of two models; `includes_zero` says of joint counts whether the interval of the difference does."""
    if measure.kind == "two-class" and joint.n_classes > 2 and positive is not None:
        joint = joint.one_vs_rest(positive)
    classes = joint.n_classes
    if classes > MOST_CLASSES or joint.folds is not None or measure.better == "neither":
        return None
    label = positive if measure.kind == "two-class" or classes == 2 else None
    values = [float(measure(joint.matrix(place), positive=label)) for place in (0, 1)]
    if any(map(math.isnan, values)):
        return None
    first = 0 if (values[0] >= values[1]) == (measure.better != "lower") or values[0] == values[1] else 1
    order = [first, 1 - first]
    cells = np.zeros((classes,) * 3, dtype=np.int64)
    np.add.at(cells, (joint.truth, *(joint.predictions[:, place] for place in order)), joint.counts)
    paired = PairedCounts(cells, joint.labels, measure, label)
    reversal = least_reversal(paired)
    names = [joint.models[place] for place in order]

    def holds(relabelled: Any) -> bool:
        truth, winner, loser = np.nonzero(relabelled)
        counts, predictions = relabelled[truth, winner, loser], np.column_stack([winner, loser])
        return includes_zero(JointCounts(joint.labels, (names[0], names[1]), truth, predictions, counts))

    if reversal is None:
        return Fragility(names[0], names[1], None, True, (), None)
    undecides = labels_until(paired, reversal, holds)
    changes = tuple(
        RelabelledRows(row.rows, row.label, row.becomes, (row.predicted_by_winner, row.predicted_by_loser))
        for row in reversal.relabelled
    )
    return Fragility(names[0], names[1], reversal.number, reversal.exact, changes, undecides)


def fragility_of_limit(
    matrix: Confusion,
    measure: Measure,
    positive: Label | None,
    limit: float,
    meets: Callable[[float], bool],
    reaches: Callable[[Confusion], bool],
) -> Fragility | None:
    """Of a limit: `meets` says it of a value, `reaches` whether the interval of a matrix includes it."""
    counts = np.asarray(matrix.counts)
    if matrix.n_classes > MOST_CLASSES or counts.dtype.kind != "i":
        return None
    value = float(measure(matrix, positive=positive))
    if math.isnan(value):
        return None
    upwards = value < limit if not math.isclose(value, limit) else not meets(value + 1e-9)

    def attained(number: int) -> tuple[float, Any, bool]:
        bounds = label_error_bounds(matrix, [measure], Budget(number, None, ""), positive)[measure.name]
        end = (bounds.high, bounds.high_matrix) if upwards else (bounds.low, bounds.low_matrix)
        return (*end, bounds.sharp)

    now, total = meets(value), int(matrix.total)
    crosses = _bisected(total, lambda number: meets(attained(number)[0]) != now)
    if crosses is None:
        return Fragility(None, None, None, True, (), None)
    _, after, sharp = attained(crosses)

    def includes_limit(number: int) -> bool:
        cells = attained(number)[1]
        same = cells is None or cells.shape != matrix.counts.shape
        return reaches(matrix if same else Confusion(cells, matrix.labels))

    undecides = _bisected(crosses, includes_limit)
    return Fragility(None, None, crosses, sharp, tuple(_moved(matrix, after)), undecides)


def _bisected(most: int, holds: Callable[[int], bool]) -> int | None:
    """The least number up to `most` from which on something holds; None if it does not hold there either."""
    # More wrong labels reach every value that fewer reach, so what holds goes on to hold.
    least = bisect_left(range(most + 1), True, key=holds)
    return least if least <= most else None


def _moved(matrix: Confusion, after: Any) -> list[RelabelledRows]:
    """The labels that turn one matrix into another, column by column."""
    if after is None or after.shape != matrix.counts.shape:
        return []
    relabelled = []
    for column, predicted in enumerate(matrix.labels):
        change = (after - matrix.counts)[:, column].astype(int).tolist()
        lost = [k for k, n in enumerate(change) for _ in range(max(0, -n))]
        won = [k for k, n in enumerate(change) for _ in range(max(0, n))]
        pairs = list(zip(lost, won, strict=True))
        for pair in dict.fromkeys(pairs):
            label, becomes = (matrix.labels[k] for k in pair)
            relabelled.append(RelabelledRows(pairs.count(pair), label, becomes, (predicted,)))
    return relabelled
