"""Sections on scores of the page of an evaluation: ranking, threshold and review capacity, calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from steelyard.judgement.evaluate import figures
from steelyard.judgement.page.tables import metric_name, percent_text, value_text
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.report.chart import Chart
from steelyard.report.numbers import between, count
from steelyard.report.pages import Columns, PageBlock, PageSection, Panel, Stat, Stats
from steelyard.report.sections import Cell, Column, Figure, Table, number_columns, words_column
from steelyard.scores.ranking_result import RankingReport


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
    found = ranking.classes[0].capacity
    assert found is not None
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
        for row in found.at_k
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
        off = sum(not one.fits for one in report.bins)
        yield Stats(
            (
                Stat(
                    "Calibration error",
                    value_text(report.error),
                    between(report.error_low, report.error_high),
                    "Debiased: mean distance between score and observed frequency.",
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
        yield Columns(
            (chart, Panel("Scores of each class", tuple(Figure(partial(_itself, one)) for one in histograms)))
        )
    else:
        yield chart


def _itself(chart: Chart) -> Chart:
    return chart
