"""Tables and score sections of the page of an evaluation: forest rows, classes, all metrics, capacity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import Baseline
from steelyard.judgement.evaluate import figures
from steelyard.judgement.metrics.result import Weighed
from steelyard.judgement.page.tables import metric_name, percent_text, value_text
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import balanced
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
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.ranking_result import RankingMeasure, RankingReport
from steelyard.scores.top_k import AtK, CapacityReport

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation


# Rows of the table of classes; the JSON has all.
MOST_CLASSES = 100


METRIC_COLUMNS = (
    words_column("Metric", whole=True),
    Column("", "plot"),
    *number_columns("Value", "No skill", "Balanced"),
)


def metrics_blocks(result: Evaluation) -> Iterator[PageBlock]:
    """The forest plot: what does not depend on prevalence first."""
    rows: list[tuple[Cell | str, ...]] = []
    groups, footnote = [], ""
    for words, depends in (("Do not depend on prevalence", False), ("Depend on prevalence", True)):
        group = [row for row in result.first if row.depends_on_shares == depends]
        groups += [(len(rows), words)] if group else []
        for row in group:
            base, primary = row.baseline, row.measure.name == result.decider.measure.name
            if base is not None and base.value == 1 > row.observed and not footnote:
                who = f"{base.words[:1].upper()}{base.words[1:]}"
                footnote = f"* {who} reaches {short_name(row.measure)} 1. Read it with precision."
            rows.append(metric_row(result, row.measure, row.observed, row.balanced, base, primary))
        # A mean over classes hides a class that is never detected: every recall is shown below it.
        if not depends and len(result.classes) > 2:
            rows.append(_class_recalls(result))
    strips = [cell.strip for row in rows for cell in row if isinstance(cell, Cell) and cell.strip]
    low = any(strip.low < 0 for strip in strips)
    axis = ("−1", "−.5", "0", ".5", "1") if low else ("0", ".25", ".5", ".75", "1")
    yield forest(tuple(rows), METRIC_COLUMNS, groups=tuple(groups), identity="headline", axis=axis)
    if footnote:
        yield Sentence(footnote, "soft")


def metric_row(
    result: Evaluation,
    m: Measure,
    value: float,
    balanced: float,
    baseline: Baseline | None = None,
    primary: bool = False,
) -> tuple[Cell | str, ...]:
    """A row of the forest plot; a star marks a no-skill value that is the best possible one."""
    interval, base = result.interval_of(m.name), None if baseline is None else baseline.value
    moves = not abs(value - balanced) <= 1e-9
    low, high = (value, value) if interval is None else (interval.low, interval.high)
    marks = [] if base is None else [("base", base, base, base)]
    marks += [("balanced", balanced, balanced, balanced)] if moves else []
    marks.append(("value", value, low, high))
    # A cost has no place on an axis that ends at 1.
    if m.range.at(result.matrix.n_classes)[1] > 1:
        marks = []
    ends = "" if interval is None else between(low, high)
    tip = f"{short_name(m)} {value_text(value)}"
    tip += "." if interval is None else f", {100 * interval.level:g}% CI {ends}."
    tip += "" if base is None else f" No skill: {base:.3f}."
    return (
        Cell(metric_name(m), tip=m.question, note="primary metric" if primary else ""),
        Cell("", strip=Strip(tuple(marks)), tip=f"{tip} At balanced prevalence: {value_text(balanced)}."),
        Cell(value_text(value), "strong", aside=ends),
        "–" if base is None else f"{base:.3f}{'*' if base == 1 > value else ''}",
        value_text(balanced) if moves else "same",
    )


def _class_recalls(result: Evaluation) -> tuple[Cell | str, ...]:
    known = sorted((c for c in result.classes if not math.isnan(c.recall)), key=lambda c: c.recall)
    lowest, name = value_text(known[0].recall), short(known[0].label)
    marks = tuple(("ghost", c.recall, c.recall, c.recall) for c in known[:60])
    tip = f"Recall of each of {len(known):,} classes; lowest: {name} {lowest}."
    return (
        Cell("Class recalls", tip="The recall of each class."),
        Cell("", strip=Strip(marks), tip=tip),
        Cell(lowest, "strong", aside=f"lowest: {short(known[0].label, 18)}"),
        "",
        "",
    )


def class_blocks(result: Evaluation) -> Iterator[PageBlock]:
    """Recall and precision of each class."""
    ordered = list(result.classes)
    # Few classes keep their order, so that they are found; of many the weakest are looked for.
    if len(ordered) > 25:
        ordered.sort(key=lambda c: (math.isnan(c.recall), c.recall))
    total = result.test_set.total or 1.0

    def with_ends(value: float, ends: tuple[float, float] | None) -> Cell:
        return Cell(value_text(value), "strong", aside="" if ends is None else between(*ends))

    yield table_of(
        ordered[:MOST_CLASSES],
        (
            words_column("Class", whole=True),
            lambda c: Cell(short(c.label), aside=f"{count(c.support)} · {percent_text(c.support / total)}"),
        ),
        (
            Column("", "plot"),
            lambda c: Cell("", strip=Strip((("value", c.recall, *(c.recall_interval or [c.recall] * 2)),))),
        ),
        ("Recall", lambda c: with_ends(c.recall, c.recall_interval)),
        ("Precision", lambda c: with_ends(c.precision, c.precision_interval)),
        ("Balanced precision", lambda c: value_text(c.balanced_precision)),
        ("F1", lambda c: value_text(c.f1)),
        (
            words_column("Most often predicted as"),
            lambda c: ", ".join(f"{short(label)} ({count(n)})" for label, n in c.taken_for),
        ),
        identity="classes-table",
        style="classes",
        most_on_page=MOST_CLASSES,
    )
    left = len(result.classes) - MOST_CLASSES
    if left > 0:
        yield Sentence(f"{left:,} more classes with higher recall are in the JSON output.", "soft")


def metrics_table(result: Evaluation) -> Table:
    """Every metric, with a search and a filter."""
    rows = result.weighing.rows
    even = weigh([balanced(row.measure) for row in rows], result.matrix, positive=result.positive_label)
    priors, relevance = result.weighing.priors is not None, result.options.relevance is not None
    level = result.level_text

    def bar(row: Weighed) -> Cell | str:
        fraction = row.normalised
        return "" if fraction is None or math.isnan(fraction) else Cell("", bar=fraction)

    def ends_of(row: Weighed) -> str:
        ends = row.measure.range.at(result.matrix.n_classes)
        return " to ".join(f"{end:g}".replace("-", "−").replace("inf", "∞") for end in ends)

    return table_of(
        rows,
        (words_column("Metric"), lambda row: Cell(row.measure.title, tip=row.measure.question)),
        (words_column("Name in the API"), lambda row: Cell(row.measure.name)),
        (Column("", "plot"), bar),
        ("Value", lambda row: Cell(shown(row.value), "strong", tip=row.why_undefined or "")),
        (level, lambda row: result.interval_text(row.measure.name)) if level else None,
        ("At your priors", lambda row: shown(row.at_priors)) if priors else None,
        ("By relevance", lambda row: shown(row.weighted)) if relevance else None,
        ("Range", ends_of),
        ("Better", lambda row: "–" if row.measure.better == "neither" else row.measure.better),
        identity="every-measure",
        search=tuple(
            " ".join([m.title, m.name, short_name(m), *m.symbols]).lower()
            for m in (row.measure for row in rows)
        ),
        kinds=tuple(
            "fixed" if math.isnan(row.value) or abs(row.value - there) <= 1e-9 else "moves"
            for row, there in zip(rows, even.values(), strict=True)
        ),
        axis=("worst", "", "", "", "best"),
    )


def score_sections(ranking: RankingReport) -> Iterator[PageSection]:
    """How well the scores rank, the threshold, review capacity and calibration."""
    known = figures.score_charts(ranking)
    alone = ranking.classes[0] if len(ranking.classes) == 1 else None
    rows = (*ranking.measures, *(alone.measures if alone is not None else ()))

    def stat(row: RankingMeasure) -> Stat:
        m = row.measure
        name = m.title if "(" in m.name or "_" in short_name(m) else metric_name(m)
        return Stat(name, value_text(row.value), between(row.low, row.high), m.question)

    blocks: list[PageBlock] = [Stats(tuple(map(stat, rows)))] if rows else []
    if "roc" in known:
        blocks.append(Columns((Figure(known["roc"]), Figure(known["precision_recall"]))))
    note = "How well the scores order the rows, at every threshold"
    yield PageSection("ranking", "Ranking", tuple(blocks), note=note)
    if "threshold" in known and alone is not None:
        parts: list[PageBlock] = [Figure(known["threshold"])]
        if alone.capacity is not None:
            parts.append(Panel("Review capacity", (_capacity(alone.capacity),), "highest scores first"))
        title = "Threshold and review capacity"
        yield PageSection("threshold", title, (Columns(tuple(parts), "7:5"),), "Threshold and capacity")
    if "calibration" in known:
        histograms = [Figure(partial(replace, chart)) for chart in figures.score_histograms(ranking)]
        drawn: PageBlock = Figure(known["calibration"])
        if histograms:
            drawn = Columns((drawn, Panel("Scores of each class", tuple(histograms))))
        report = ranking.probabilities
        shown_first = () if report is None else (_calibration(report),)
        note = "Can the scores be read as probabilities?"
        yield PageSection("calibration", "Calibration", (*shown_first, drawn), note=note)


def _capacity(capacity: CapacityReport) -> Table:
    def detected(row: AtK) -> Cell:
        low, high = row.recall.low, row.recall.high
        aside = "" if math.isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}%"
        return Cell(count(row.found), "strong", aside=aside)

    return table_of(
        capacity.at_k,
        (
            words_column("Reviewed", whole=True),
            lambda row: Cell(count(row.k), aside=f"top {percent_text(row.share)}"),
        ),
        (Column("", "plot"), lambda row: Cell("", bar=row.recall.value)),
        ("Detected", detected),
        ("Precision", lambda row: percent_text(row.precision.value)),
        ("Lift", lambda row: f"{row.lift.value:.3g}×"),
        identity="capacity",
        style="capacity",
        axis=("0", "", "recall", "", "1"),
    )


def _calibration(report: ProbabilityReport) -> Stats:
    off = sum(not score_bin.fits for score_bin in report.bins)
    stats = (
        (
            "RMS calibration error",
            value_text(report.error),
            between(report.error_low, report.error_high),
            "Debiased root mean square of the distance between score and observed frequency.",
        ),
        (
            "Bins off",
            f"{off} of {len(report.bins)}",
            "",
            "Bins whose mean score lies outside the interval of the observed frequency.",
        ),
        (
            "Brier score",
            value_text(report.brier),
            f"skill {value_text(report.skill)}",
            "Mean squared error of the probabilities; skill against always giving the prevalence.",
        ),
        ("Log loss", value_text(report.log_loss)),
    )
    return Stats(tuple(Stat(*stat) for stat in stats))
