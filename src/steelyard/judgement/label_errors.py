"""Label errors in an evaluation: the range of every metric if some labels may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.fields import NUMBER, many, or_none
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import between, shown
from steelyard.report.records import HIDDEN, Json, Record, Value, in_json
from steelyard.report.sections import Section, Sentence, Table, number_columns, words_column
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
