"""Tables of models: values by each metric, differences of two models, and both of scores as a section."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from steelyard.judgement.compare.dataset_result import best_by
from steelyard.judgement.compare.score_comparison import ScoreDifference, ScoreMetric, ScoreValue
from steelyard.judgement.page.tables import metric_cell
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import between, p_relation, p_value, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    ColumnOf,
    Figure,
    Section,
    Sentence,
    SideBySide,
    Strip,
    Table,
    around_zero,
    number_columns,
    table_of,
    words_column,
)
from steelyard.scores.delong import AreaComparison, asked_of_backwards, is_surely_backwards

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

# The head "better" of one letter's width.
ARROWS = {"higher": "↑", "lower": "↓", "neither": "·"}
# More models than this have no room for intervals beside their values.
FEW = 4
# Only a page has room for a column of plots.
METRIC, PLOT = words_column("metric", whole=True), Column("", "plot", depth="page")
# Coverage of the paired differences: 88 to 92% with 40 positives, 92 to 98% with 60 and more (200 data sets a
# cell).
FEW_OF_A_CLASS = 50
FEW_ROWS_NOTE = (
    f" With fewer than {FEW_OF_A_CLASS} rows of a class, 95% intervals of these differences cover about 90%."
)
# Models whose areas stand on the first screen.
MOST_AREAS = 4


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
        best = best_by(m, {model: by_model[model].value for model in models})
        cells = []
        for model in models:
            v = by_model[model]
            aside = "" if len(models) > FEW or math.isnan(v.low) else f"({between(v.low, v.high)})"
            tip = getattr(v, "undefined_because", None) or ""
            cells.append(Cell(shown(v.value), "strong" if model in best else "plain", tip=tip, aside=aside))
        rows.append((metric_cell(m), ARROWS[m.better], *cells, ", ".join(best)))
    columns = (METRIC, words_column(""), *number_columns(*models), Column("best", "words", on_page="nothing"))
    return Table(columns, tuple(rows), identity=identity)


def score_section(
    areas: AreaComparison, metrics: Sequence[ScoreMetric], rows: int, chart: Callable[[str], Chart]
) -> Section:
    """The areas and the other score metrics of each model, and their differences two by two."""
    words = "ROC AUC: DeLong's test, and Wilson's interval with DeLong's standard error"
    if areas.bounds:
        words += (
            ", from scores that the cluster counted in bins: an area lies between its bounds for certain, and"
            " what they leave open counts against a difference"
        )
    words += "."
    if metrics:
        lower = [short_name(m.measure) for m in metrics if m.measure.better == "lower"]
        words += " Other metrics: paired bootstrap. Holm's correction is for the pairs of each metric."
        words += f" Lower is better: {', '.join(lower)}." if lower else ""
        words += FEW_ROWS_NOTE if rows * min(areas.share, 1 - areas.share) < FEW_OF_A_CLASS else ""
    every = [_of_areas(areas), *metrics]
    gaps = [_gap(m.measure, areas, test) for m in every for test in m.pairs]
    ci = f"{100 * areas.level:g}% CI"
    blocks: list[Block] = [
        values_table([(m.measure, m.values) for m in every], list(areas.areas), "score-values"),
        SideBySide((Figure(lambda: chart("roc")), Figure(lambda: chart("pr")))),
        gap_table(gaps, "score-differences", ci, title="Differences of score metrics"),
        Sentence(words, "soft"),
    ]
    return Section(f"Scores of class {quoted(areas.positive)}", tuple(blocks), identity="scores")


def _of_areas(areas: AreaComparison) -> ScoreMetric:
    """The areas as the other score metrics are."""
    values = {name: ScoreValue(value, *areas.intervals[name]) for name, value in areas.areas.items()}
    pairs = (
        ScoreDifference(
            p.first, p.second, p.delong.difference, *p.delong.interval, p.delong.p_value, p.holm_p_value
        )
        for p in areas.pairs
    )
    return ScoreMetric(look_up("roc_auc"), values, tuple(pairs))


def _gap(m: Measure, areas: AreaComparison, test: ScoreDifference) -> Gap:
    clear = (test.low > 0 or test.high < 0) and test.holm_p_value < 1 - areas.level
    higher, lower = (test.first, test.second) if test.difference > 0 else (test.second, test.first)
    better = (lower if m.better == "lower" else higher) if clear else None
    named = Cell(short_name(m), aside=f"{short(test.first, 18)} − {short(test.second, 18)}")
    corrected = p_value(test.holm_p_value) if len(areas.pairs) > 1 else ""
    return Gap(named, (test.difference, test.low, test.high), better, p_value(test.p_value), corrected)


def area_sentences(result: AreaComparison, rows: int) -> Iterator[Sentence]:
    """The areas on the first screen: values, and the difference between the best and the second."""
    ranked = sorted(result.areas, key=lambda model: -result.areas[model])
    each = ", ".join(f"{model} {shown(result.areas[model])}" for model in ranked[:MOST_AREAS])
    more = f" and {len(ranked) - MOST_AREAS} more" if len(ranked) > MOST_AREAS else ""
    pair = next(pair for pair in result.pairs if {pair.first, pair.second} == set(ranked[:2]))
    sign = 1 if pair.first == ranked[0] else -1
    low, high = sorted(sign * end for end in pair.delong.interval)
    yield Sentence(
        f"ROC AUC of class {quoted(result.positive)}: {each}{more} (difference"
        f" {shown(sign * pair.delong.difference)}, {100 * result.level:g}% CI {between(low, high)},"
        f" p {p_relation(pair.holm_p_value)})."
    )
    greatest = max(result.areas.values())
    if is_surely_backwards(greatest, min(result.share, 1 - result.share) * rows):
        yield Sentence(asked_of_backwards(result.positive, greatest), "bad")
