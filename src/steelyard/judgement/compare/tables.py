"""Tables of models: their values by each metric, and differences of two models with what is known of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from steelyard.judgement.compare.dataset_result import best_of
from steelyard.judgement.compare.score_comparison import ScoreValue
from steelyard.judgement.page.tables import metric_cell
from steelyard.measures.measure import Measure
from steelyard.report.class_names import short
from steelyard.report.numbers import between, shown
from steelyard.report.sections import (
    Cell,
    Column,
    ColumnOf,
    Strip,
    Table,
    around_zero,
    number_columns,
    table_of,
    words_column,
)

# The head "better" of one letter's width.
ARROWS = {"higher": "↑", "lower": "↓", "neither": "·"}
# More models than this have no room for intervals beside their values.
FEW = 4
# Only a page has room for a column of plots.
METRIC, PLOT = words_column("metric", whole=True), Column("", "plot", depth="page")


class Gap(NamedTuple):
    """The first of two models less the second, as a row of a table; what is empty in every row has no
    column."""

    name: Cell
    ends: tuple[float, float, float]
    """The difference and its interval."""
    better: str | None
    """The model that is significantly better."""
    p: str = ""
    corrected: str = ""
    probability: str = ""
    equivalent: str = ""
    note: str = ""
    values: Cell | None = None
    plot: Strip | None = None
    """Of the two values; otherwise the difference is drawn."""


def gap_texts(*ends: float) -> list[str]:
    """A difference and its interval with their signs and as many decimals each: three, or two digits of the
    largest that say something."""
    largest = max((abs(end) for end in ends if math.isfinite(end)), default=0.0)
    decimals = 3 if largest >= 0.01 or not largest else 1 - math.floor(math.log10(largest))
    return [f"{end:+.{decimals}f}".replace("-", "−") for end in ends]


def gap_table(gaps: Sequence[Gap], identity: str, ci: str, name: Column = METRIC, **more: Any) -> Table:
    """A row for each difference: its plot, interval, probabilities and p-values, and the better model."""
    sizes = [max(map(abs, gap.ends)) for gap in gaps if all(map(math.isfinite, gap.ends))]
    # Beside metrics from -1 to 1 a cost has no place: its scale would make all other differences a dot.
    most = around_zero([size for size in sizes if size <= 2] or sizes)

    def plot(gap: Gap) -> Cell:
        kind = "n" if gap.better is None else "value" if gap.ends[0] > 0 else "b"
        fits = all(abs(end) <= most for end in gap.ends)
        return Cell(
            "", strip=gap.plot or (Strip(((kind, *gap.ends),), -most, most) if fits else None), tip=gap.note
        )

    def difference(gap: Gap) -> Cell:
        text = "undefined" if math.isnan(gap.ends[0]) else gap_texts(*gap.ends)[0]
        return Cell(text, "plain" if gap.better is None else "strong")

    def interval(gap: Gap) -> str:
        return "" if math.isnan(gap.ends[1]) else " to ".join(gap_texts(*gap.ends)[1:])

    def winner(gap: Gap) -> Cell:
        return Cell("not signif.", "soft") if gap.better is None else Cell(short(gap.better, 16))

    def known(head: Column | str, field: str) -> ColumnOf[Gap] | None:
        return (head, attrgetter(field)) if any(getattr(gap, field) for gap in gaps) else None

    return table_of(
        gaps,
        (name, attrgetter("name")),
        (PLOT, plot),
        known("value", "values"),
        ("difference", difference),
        (Column(ci, on_page="aside"), interval),
        known(Column("P(first better)", wide=True), "probability"),
        known("P(practically equal)", "equivalent"),
        known(Column("p", wide=True), "p"),
        known(Column("p (Holm)", wide=True), "corrected"),
        (Column("better", "words", wide=True), winner),
        known(Column("note", "words", wide=True), "note"),
        identity=identity,
        style="forest",
        **{"axis": Strip((), -most, most).axis, **more},
    )


def values_table(
    metrics: Iterable[tuple[Measure, Mapping[str, ScoreValue]]], models: Sequence[str], identity: str
) -> Table:
    """Every metric of every model, the best in bold."""
    rows: list[tuple[Cell | str, ...]] = []
    for m, by_model in metrics:
        values = {model: by_model[model].value for model in models}
        best = () if m.better == "neither" else best_of(values, m.better == "lower")
        cells = []
        for model in models:
            v = by_model[model]
            aside = "" if len(models) > FEW or math.isnan(v.low) else f"({between(v.low, v.high)})"
            tip = getattr(v, "undefined_because", None) or ""
            cells.append(Cell(shown(v.value), "strong" if model in best else "plain", tip=tip, aside=aside))
        rows.append((metric_cell(m), ARROWS[m.better], *cells, ", ".join(best)))
    columns = (METRIC, words_column(""), *number_columns(*models), Column("best", "words", on_page="nothing"))
    return Table(columns, tuple(rows), identity=identity)
