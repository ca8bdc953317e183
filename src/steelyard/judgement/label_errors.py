"""Label errors in an evaluation: the range of every metric if some labels may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.sample.label_rates import CorrectedLabels, LabelRate
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import between, percent, shown
from steelyard.report.records import HIDDEN, Json, Record, Value, in_json
from steelyard.report.sections import Section, Sentence, Table, number_columns, words_column
from steelyard.scores.fields import NUMBER, many, or_none
from steelyard.uncertainty.label_errors import Budget, label_error_bounds

_CELLS = Json(schema=or_none(many(many(NUMBER))))


@dataclass(frozen=True)
class MeasureRange(Record):
    """The range of a metric over all matrices that the wrong labels can stand for."""

    measure: Annotated[Measure, HIDDEN]
    value: Value
    low: Value
    high: Value
    low_matrix: Annotated[Any, _CELLS]
    """The true matrix at the low end: rows are true classes in the order of the labels."""
    high_matrix: Annotated[Any, _CELLS]
    sharp: bool
    """Is the range exact? Otherwise its ends are attained, and others may lie beyond."""

    @property
    @in_json()
    def id(self) -> str:
        return self.measure.name


@dataclass(frozen=True)
class LabelErrors(Record):
    """How far metrics may be off if labels are wrong, without an assumption about which."""

    wrong_labels: str
    total: int | None
    by_class: tuple[int, ...] | None
    measures: tuple[MeasureRange, ...]


def checked_errors(said: Any) -> float | dict[str, float]:
    """A share of wrong labels, or shares by class."""
    shares = list(said.values()) if isinstance(said, Mapping) else [said]
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise InputError(
                "a share of wrong labels lies between 0 and 1",
                found=repr(share),
                allowed="a number such as 0.02, or a number by class",
                parameter="label_errors",
            )
    return {str(k): float(v) for k, v in said.items()} if isinstance(said, Mapping) else float(said)


def report_label_errors(
    matrix: Confusion, said: Any, measures: Sequence[Measure], positive: Label | None
) -> LabelErrors:
    """The range of every metric of a matrix."""
    budget = Budget.of(checked_errors(said), matrix)
    values = weigh(measures, matrix, positive=positive)
    bounds = label_error_bounds(matrix, measures, budget, positive)
    return LabelErrors(
        budget.words,
        budget.total,
        budget.by_class,
        tuple(
            MeasureRange(
                m,
                float(values[m.name]),
                bounds[m.name].low,
                bounds[m.name].high,
                bounds[m.name].low_matrix,
                bounds[m.name].high_matrix,
                bounds[m.name].sharp,
            )
            for m in measures
            if m.name in bounds
        ),
    )


def corrected_labels(matrix: Confusion, said: Any) -> CorrectedLabels:
    """The recorded matrix with the rates of correct labels; classes that are not named have right labels."""
    if matrix.n_classes != 2:
        raise _no_rates("labels of two classes are corrected by rates", f"{matrix.n_classes} classes")
    if not isinstance(said, Mapping) or not said:
        allowed = 'rates by true class such as {"fraud": (180, 200), "ok": 0.999}'
        raise _no_rates("rates of correct labels are given by true class", repr(said), allowed)
    names = [str(label) for label in matrix.labels]
    if unknown := [str(label) for label in said if str(label) not in names]:
        raise _no_rates("a rate is given for a class that does not occur", unknown[0], ", ".join(names))
    by_name = {str(label): rate for label, rate in said.items()}
    rates = tuple(_rate(name, by_name.get(name, 1.0)) for name in names)
    if sum(one.rate for one in rates) <= 1:
        found = " and ".join(f'{percent(one.rate)} of class "{one.label}"' for one in rates)
        raise _no_rates("labels that are right so seldom say nothing", found, "rates whose sum exceeds 1")
    return CorrectedLabels(matrix, (rates[0], rates[1]))


def _rate(label: str, said: Any) -> LabelRate:
    right, checked = said if isinstance(said, (tuple, list)) and len(said) == 2 else (said, None)
    whole = checked is None or (isinstance(checked, int) and isinstance(right, int) and checked > 0)
    rate = right / checked if whole and checked is not None else right
    is_number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if not whole or not is_number or not 0 < rate <= 1:
        allowed = "a share above 0 up to 1, or correct and checked rows such as (180, 200)"
        raise _no_rates(f'the rate of correct labels of class "{label}" cannot be used', repr(said), allowed)
    return LabelRate(label, float(rate), checked)


def _no_rates(what: str, found: str, allowed: str = "") -> InputError:
    return InputError(what, found=found, allowed=allowed, parameter="label_rates")


def label_errors_section(found: LabelErrors, headline: Sequence[str]) -> Section:
    """The ranges of the headline metrics."""
    order = {name: place for place, name in enumerate(headline)}
    chosen = sorted(
        (one for one in found.measures if one.measure.name in order), key=lambda one: order[one.measure.name]
    )
    rows = tuple(
        (
            short_name(one.measure),
            shown(one.value),
            ("" if one.sharp else "at least ") + between(one.low, one.high),
        )
        for one in chosen
    )
    said = (
        f"If up to {found.wrong_labels} are wrong, whichever they are, the true values lie in these ranges;"
        " the ends are attained (matrices in the JSON output)."
    )
    table = Table(
        (words_column("metric"), *number_columns("as labelled"), words_column("range")),
        rows,
        identity="label-errors",
    )
    return Section("If labels are wrong", (Sentence(said), table), "brief", "label-errors-section")
