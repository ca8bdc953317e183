"""Tables and score sections of the page of an evaluation: forest rows, classes, all metrics, capacity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from steelyard.judgement.evaluate import figures
from steelyard.judgement.metrics.result import Weighed
from steelyard.judgement.page.tables import metric_name, percent_text, value_text
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import balanced
from steelyard.report.chart import Chart
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, shown
from steelyard.report.pages import Columns, PageBlock, PageSection, Panel, Stat, Stats, forest
from steelyard.report.sections import (
    Cell,
    Column,
    Figure,
    Sentence,
    Strip,
    Table,
    number_columns,
    table_of,
    words_column,
)
from steelyard.scores.ranking_result import RankingReport

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation


# Rows of the table of classes; the JSON has all.
MOST_CLASSES = 100


def is_two(result: Evaluation) -> bool:
    return result.positive is not None and result.matrix.n_classes == 2


def by_relevance(result: Evaluation) -> bool:
    return result.options.relevance is not None


METRIC_COLUMNS = (
    words_column("Metric", whole=True),
    Column("", "plot"),
    *number_columns("Value", "No skill", "Balanced"),
)


def metrics_blocks(result: Evaluation) -> Iterator[PageBlock]:
    """The forest plot: what does not depend on prevalence first."""
    fixed = [row for row in result.first if not row.depends_on_shares]
    moving = [row for row in result.first if row.depends_on_shares]
    rows: list[tuple[Cell | str, ...]] = []
    groups = []
    footnote = ""
    for words, group in (("Do not depend on prevalence", fixed), ("Depend on prevalence", moving)):
        if group:
            groups.append((len(rows), words))
        for row in group:
            star = row.baseline is not None and row.baseline.value == 1 and row.observed < 1
            footnote = footnote or (
                f"* {row.baseline.words[:1].upper()}{row.baseline.words[1:]} reaches"
                f" {short_name(row.measure)} 1. Read it with precision."
                if star and row.baseline
                else ""
            )
            rows.append(
                metric_row(
                    result,
                    row.measure,
                    row.observed,
                    None if row.baseline is None else row.baseline.value,
                    row.balanced,
                    row.measure.name == result.decider.measure.name,
                    star,
                )
            )
        # A mean over classes hides a class that is never detected: every recall is shown below it.
        if group is fixed and not is_two(result) and len(result.classes) > 2:
            rows.append(_class_recalls(result))
    low = (
        -1.0 if any(isinstance(c, Cell) and c.strip and c.strip.low < 0 for row in rows for c in row) else 0.0
    )
    axis = ("0", ".25", ".5", ".75", "1") if not low else ("−1", "−.5", "0", ".5", "1")
    yield forest(tuple(rows), METRIC_COLUMNS, groups=tuple(groups), identity="headline", axis=axis)
    if footnote:
        yield Sentence(footnote, "soft")


def metric_row(
    result: Evaluation,
    m: Measure,
    value: float,
    base: float | None,
    balanced: float,
    primary: bool,
    star: bool = False,
) -> tuple[Cell | str, ...]:
    interval = result.interval_of(m.name)
    moves = not abs(value - balanced) <= 1e-9
    marks = []
    if base is not None:
        marks.append(("base", base, base, base))
    if moves:
        marks.append(("balanced", balanced, balanced, balanced))
    ends = (value, value) if interval is None else (interval.low, interval.high)
    marks.append(("value", value, *ends))
    # A cost has no place on an axis that ends at 1.
    if m.range.at(result.matrix.n_classes)[1] > 1:
        marks = []
    written = [f"{short_name(m)} {value_text(value)}"]
    if interval is not None:
        written.append(f"{100 * interval.level:g}% CI {between(interval.low, interval.high)}")
    tip = ", ".join(written) + "." + (f" No skill: {base:.3f}." if base is not None else "")
    return (
        Cell(metric_name(m), tip=m.question, note="primary metric" if primary else ""),
        Cell("", strip=Strip(tuple(marks)), tip=f"{tip} At balanced prevalence: {value_text(balanced)}."),
        Cell(
            value_text(value),
            "strong",
            aside="" if interval is None else between(interval.low, interval.high),
        ),
        "–" if base is None else f"{base:.3f}{'*' if star else ''}",
        value_text(balanced) if moves else "same",
    )


def _class_recalls(result: Evaluation) -> tuple[Cell | str, ...]:
    known = [c for c in result.classes if not math.isnan(c.recall)]
    worst = min(known, key=lambda c: c.recall)
    marks = tuple(("ghost", c.recall, c.recall, c.recall) for c in sorted(known, key=lambda c: c.recall)[:60])
    tip = (
        f"Recall of each of {len(known):,} classes; lowest: {short(worst.label)} {value_text(worst.recall)}."
    )
    value = Cell(value_text(worst.recall), "strong", aside=f"lowest: {short(worst.label, 18)}")
    return (
        Cell("Class recalls", tip="The recall of each class."),
        Cell("", strip=Strip(marks), tip=tip),
        value,
        "",
        "",
    )


def class_blocks(result: Evaluation) -> Iterator[PageBlock]:
    ordered = list(result.classes)
    # Few classes keep their order, so that they are found; of many the weakest are looked for.
    if len(ordered) > 25:
        ordered.sort(key=lambda c: (math.isnan(c.recall), c.recall))
    total = result.test_set.total or 1.0
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(short(c.label), aside=f"{count(c.support)} · {percent_text(c.support / total)}"),
            _interval_cell(c.recall, c.recall_interval),
            _with_ends(c.recall, c.recall_interval),
            _with_ends(c.precision, c.precision_interval),
            value_text(c.balanced_precision),
            value_text(c.f1),
            ", ".join(f"{short(label)} ({count(n)})" for label, n in c.taken_for),
        )
        for c in ordered[:MOST_CLASSES]
    ]
    columns = (
        words_column("Class", whole=True),
        Column("", "plot"),
        *number_columns("Recall", "Precision", "Balanced precision", "F1"),
        words_column("Most often predicted as"),
    )
    yield Table(
        tuple(columns), tuple(rows), identity="classes-table", style="classes", most_on_page=MOST_CLASSES
    )
    left = len(result.classes) - MOST_CLASSES
    if left > 0:
        yield Sentence(f"{left:,} more classes with higher recall are in the JSON output.", "soft")


def _with_ends(value: float, ends: tuple[float, float] | None) -> Cell:
    return Cell(value_text(value), "strong", aside="" if ends is None else between(*ends))


def _interval_cell(value: float, ends: tuple[float, float] | None) -> Cell:
    low, high = (value, value) if ends is None else ends
    return Cell("", strip=Strip((("value", value, low, high),)))


def metrics_table(result: Evaluation) -> Table:
    label = None if result.positive is None else result.positive.label
    all_rows = result.weighing.rows
    even = weigh([balanced(row.measure) for row in all_rows], result.matrix, positive=label)
    priors, relevance = result.weighing.priors is not None, by_relevance(result)
    level = result.level_text

    def bar(row: Weighed) -> Cell | str:
        fraction = row.normalised
        return "" if fraction is None or math.isnan(fraction) else Cell("", bar=fraction)

    def ends_of(row: Weighed) -> str:
        return " to ".join(
            f"{end:g}".replace("-", "−").replace("inf", "∞")
            for end in row.measure.range.at(result.matrix.n_classes)
        )

    return table_of(
        all_rows,
        (words_column("Metric"), lambda row: Cell(row.measure.title, tip=row.measure.question)),
        (words_column("Name in the API"), lambda row: Cell(row.measure.name)),
        (Column("", "plot"), bar),
        (Column("Value"), lambda row: Cell(shown(row.value), "strong", tip=row.why_undefined or "")),
        (Column(level), lambda row: result.interval_text(row.measure.name)) if level else None,
        (Column("At your priors"), lambda row: shown(row.at_priors)) if priors else None,
        (Column("By relevance"), lambda row: shown(row.weighted)) if relevance else None,
        (Column("Range"), ends_of),
        (Column("Better"), lambda row: "–" if row.measure.better == "neither" else row.measure.better),
        identity="every-measure",
        search=tuple(
            " ".join([m.title, m.name, short_name(m), *m.symbols]).lower()
            for m in (row.measure for row in all_rows)
        ),
        kinds=tuple(
            "fixed" if math.isnan(row.value) or abs(row.value - there) <= 1e-9 else "moves"
            for row, there in zip(all_rows, even.values(), strict=True)
        ),
        axis=("worst", "", "", "", "best"),
    )


def score_sections(ranking: RankingReport) -> Iterator[PageSection]:
    known = figures.score_charts(ranking)
    alone = ranking.classes[0] if len(ranking.classes) == 1 else None
    rows = (*ranking.measures, *(alone.measures if alone is not None else ()))
    stats = Stats(
        tuple(
            Stat(
                _title_of(row.measure),
                value_text(row.value),
                between(row.low, row.high),
                row.measure.question,
            )
            for row in rows
        )
    )
    blocks: list[PageBlock] = [stats] if rows else []
    if "roc" in known:
        blocks.append(Columns((Figure(known["roc"]), Figure(known["precision_recall"]))))
    yield PageSection(
        "ranking", "Ranking", tuple(blocks), note="How well the scores order the rows, at every threshold"
    )
    if "threshold" in known and alone is not None:
        parts: list[PageBlock] = [Figure(known["threshold"])]
        if alone.capacity is not None:
            parts.append(Panel("Review capacity", (_capacity(ranking),), "highest scores first"))
        yield PageSection(
            "threshold",
            "Threshold and review capacity",
            (Columns(tuple(parts), "7:5"),),
            "Threshold and capacity",
        )
    if "calibration" in known:
        yield PageSection(
            "calibration",
            "Calibration",
            tuple(_calibration(ranking, known)),
            note="Can the scores be read as probabilities?",
        )


def _title_of(m: Measure) -> str:
    return m.title if "(" in m.name or "_" in short_name(m) else metric_name(m)


def _capacity(ranking: RankingReport) -> Table:
    capacity = ranking.classes[0].capacity
    assert capacity is not None
    rows: tuple[tuple[Cell | str, ...], ...] = tuple(
        (
            Cell(count(row.k), aside=f"top {percent_text(row.share)}"),
            Cell("", bar=row.recall.value),
            Cell(
                count(row.found),
                "strong",
                aside=f"{100 * row.recall.low:.0f} to {100 * row.recall.high:.0f}%"
                if not math.isnan(row.recall.low)
                else "",
            ),
            percent_text(row.precision.value),
            f"{row.lift.value:.3g}×",
        )
        for row in capacity.at_k
    )
    columns = (
        words_column("Reviewed", whole=True),
        Column("", "plot"),
        *number_columns("Detected", "Precision", "Lift"),
    )
    return Table(columns, rows, identity="capacity", style="capacity", axis=("0", "", "recall", "", "1"))


def _calibration(ranking: RankingReport, known: Mapping[str, Callable[[], Chart]]) -> Iterator[PageBlock]:
    report = ranking.probabilities
    if report is not None:
        off = sum(not score_bin.fits for score_bin in report.bins)
        yield Stats(
            (
                Stat(
                    "RMS calibration error",
                    value_text(report.error),
                    between(report.error_low, report.error_high),
                    "Debiased root mean square of the distance between score and observed frequency.",
                ),
                Stat(
                    "Bins off",
                    f"{off} of {len(report.bins)}",
                    "",
                    "Bins whose mean score lies outside the interval of the observed frequency.",
                ),
                Stat(
                    "Brier score",
                    value_text(report.brier),
                    f"skill {value_text(report.skill)}",
                    "Mean squared error of the probabilities; skill against always giving the prevalence.",
                ),
                Stat("Log loss", value_text(report.log_loss)),
            )
        )
    histograms = figures.score_histograms(ranking)
    chart = Figure(known["calibration"])
    if histograms:
        yield Columns((chart, Panel("Scores of each class", tuple(map(_figure_of, histograms)))))
    else:
        yield chart


def _figure_of(chart: Chart) -> Figure:
    return Figure(lambda: chart)
