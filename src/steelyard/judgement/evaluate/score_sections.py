"""Sections on scores: ranking metrics, precision and recall at review capacity, calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from steelyard.counts.labels import Label
from steelyard.judgement.page.tables import metric_cell, plot_cell
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, one_decimal, percent, shown
from steelyard.report.sections import (
    Block,
    Card,
    Cards,
    Cell,
    Column,
    Figure,
    Folded,
    Panel,
    Section,
    Sentence,
    SideBySide,
    Table,
    table_of,
    words_column,
)
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.ranking_result import RankingMeasure, RankingReport
from steelyard.scores.top_k import AtK, CapacityReport


def ranking_sections(report: RankingReport) -> Iterator[Section]:
    """How well the scores rank, what review capacity brings, and whether they are probabilities."""
    from steelyard.judgement.evaluate import figures

    charts = figures.score_charts(report)
    choice, scores = report.scores.positive, report.scores
    what = (
        f"A column of scores for each of {scores.n_classes} classes; each class is ranked against all others"
        " by its own score."
        if choice is None
        else f"Scores of class {choice.label} ({choice.reason}) for {count(float(scores.totals.sum()))} rows;"
        f" higher means more likely {choice.label}."
    )
    blocks: list[Block] = [Sentence(what, "soft")]
    blocks += [] if report.choice is None else [Sentence(f"Threshold: {report.choice.words}.")]
    blocks.append(Panel("Ranking metrics", (_ranking_table(report),)))
    if "roc" in charts:
        blocks.append(SideBySide((Figure(charts["roc"]), Figure(charts["precision_recall"]))))
    note = "How well the scores order the rows, at every threshold"
    yield Section("Ranking", tuple(blocks), identity="ranking", note=note)
    alone = report.classes[0] if len(report.classes) == 1 else None
    if alone is not None and alone.capacity is not None:
        blocks = list(_capacity(alone.capacity, report.level))
        if "threshold" in charts:
            panel = Panel("Review capacity", (blocks[0],), "highest scores first")
            blocks[0] = SideBySide((Figure(charts["threshold"]), panel), "7:5")
        title, short_title = "Threshold and review capacity", "Threshold and capacity"
        yield Section(title, tuple(blocks), identity="threshold", short=short_title)
    if "calibration" in charts:
        drawn: Block = Figure(charts["calibration"])
        if figures.score_range(report) is not None:
            histograms = (Figure(partial(figures.score_histogram, report, k)) for k in range(2))
            drawn = SideBySide((drawn, Panel("Scores of each class", tuple(histograms))))
        of_classes = _of_each_class(report.class_probabilities) if report.class_probabilities else ()
        numbers = of_classes if report.probabilities is None else _of_positive(report.probabilities)
        note = "Can the scores be read as probabilities?"
        yield Section("Calibration", (*numbers, drawn), identity="calibration", note=note)


def _ranking_table(report: RankingReport) -> Table:
    rows = [("all classes", row) for row in report.measures]
    rows += [(str(c.label), row) for c in report.classes for row in c.measures]
    alone = len(report.classes) == 1 and not report.measures
    bounded = any(row.bounds is not None for _, row in rows)
    level = f"{100 * report.level:g}% CI" if report.level else ""
    return table_of(
        rows,
        (words_column("metric"), lambda pair: metric_cell(pair[1].measure)),
        None if alone else (words_column("class"), lambda pair: pair[0]),
        (Column("", "plot"), lambda pair: _plot(pair[1])),
        ("value", lambda pair: Cell(shown(pair[1].value), "strong")),
        (Column(level, on_page="aside"), lambda pair: between(pair[1].low, pair[1].high)) if level else None,
        (Column("undefined because", "words", on_page="tip"), lambda pair: pair[1].why_undefined or "")
        if any(row.why_undefined for _, row in rows)
        else None,
        ("bounds", lambda pair: between(*pair[1].bounds or (None, None))) if bounded else None,
        (Column("balanced", wide=True), lambda pair: shown(pair[1].balanced)),
        ("at priors", lambda pair: shown(pair[1].at_priors)) if report.priors_given else None,
        identity="scores",
        style="forest",
    )


def _plot(row: RankingMeasure) -> Cell | str:
    # A loss has no place on an axis that ends at 1.
    if row.measure.range.at(2)[1] > 1:
        return ""
    ends = None if math.isnan(row.low) else (row.low, row.high)
    moves = [] if row.balanced == row.value else [("balanced", row.balanced)]
    return plot_cell(row.value, ends, moves)


def _capacity(report: CapacityReport, level: float | None) -> Iterator[Block]:
    """Precision and recall at review capacity, and at limits on rates."""
    ci = f"{100 * level:g}% CI" if level else ""

    def ends(row: AtK) -> str:
        low, high = row.recall.low, row.recall.high
        return "" if math.isnan(low) else f"{100 * low:.0f}% to {100 * high:.0f}%"

    yield table_of(
        report.at_k,
        (words_column("reviewed", whole=True), lambda row: count(row.k)),
        (Column("share", on_page="aside"), lambda row: f"top {one_decimal(row.share)}"),
        (Column("", "plot"), lambda row: Cell("", bar=row.recall.value)),
        ("detected", lambda row: count(row.found)),
        (Column("recall", on_page="nothing"), lambda row: one_decimal(row.recall.value)),
        (Column(f"recall, {ci}", on_page="aside"), ends) if ci else None,
        ("precision", lambda row: one_decimal(row.precision.value)),
        (Column("lift", wide=True), lambda row: f"{row.lift.value:.3g}×"),
        identity="capacity",
        style="capacity",
        axis=("0", "", "recall", "", "1"),
    )
    limits = [
        ("recall at a false positive rate of at most " + percent(x), y) for x, y in report.recall_at_fpr
    ]
    limits += [(f"precision at a recall of at least {x:g}", y) for x, y in report.precision_at_recall]
    at_limits = table_of(
        limits,
        (words_column("condition"), lambda row: row[0]),
        ("value", lambda row: shown(row[1].value)),
        (ci, lambda row: between(row[1].low, row[1].high)) if ci else None,
        identity="conditions",
    )
    yield Folded("Recall and precision of the best threshold that meets a condition", (at_limits,))
    note = "Rows are reviewed from the highest score down; lift is precision divided by prevalence."
    yield Sentence(note, "soft")


def _of_each_class(reports: Sequence[tuple[Label, ProbabilityReport]]) -> Iterator[Block]:
    """Calibration of the probabilities of each class."""
    worst, far = max(reports, key=lambda pair: pair[1].error)
    yield Sentence(
        f"The probabilities of {short(worst, 24)} are farthest from the observed frequencies:"
        f" root mean square calibration error {shown(far.error)}"
        f" ({between(far.error_low, far.error_high)}, debiased)."
        " Skill is what is gained over the Brier score of always predicting the class's prevalence."
    )
    yield table_of(
        reports,
        (words_column("class"), lambda pair: short(pair[0], 24)),
        ("calibration error", lambda pair: shown(pair[1].error)),
        ("interval", lambda pair: f"{shown(pair[1].error_low)} to {shown(pair[1].error_high)}"),
        ("Brier score", lambda pair: shown(pair[1].brier)),
        ("skill", lambda pair: shown(pair[1].skill)),
        ("bins off", lambda pair: f"{sum(not b.fits for b in pair[1].bins)} of {len(pair[1].bins)}"),
        identity="class-probabilities",
    )


def _of_positive(report: ProbabilityReport) -> Iterator[Block]:
    """Calibration of the probabilities of the positive class."""
    off = sum(not score_bin.fits for score_bin in report.bins)
    stats = [
        (
            "RMS calibration error",
            shown(report.error),
            between(report.error_low, report.error_high),
            "Debiased root mean square of the distance between score and observed frequency.",
        ),
        (
            "Expected calibration error",
            shown(report.expected_error),
            f"{off} of {len(report.bins)} bins off",
            "ECE; off are bins whose mean score lies outside the interval of the observed frequency.",
        ),
        (
            "Brier score",
            shown(report.brier),
            f"skill {shown(report.skill)}",
            "Mean squared error of the probabilities; skill against always giving the prevalence.",
        ),
        ("Log loss", shown(report.log_loss), "", ""),
    ]
    if report.miscalibration is not None and report.discrimination is not None:
        chance = "" if report.by_chance is None else f"by chance alone {shown(report.by_chance)}"
        constant, known = shown(report.uncertainty), shown(report.discrimination)
        parts = (
            f"The Brier score is {constant} (always giving the prevalence) - {known} (discrimination) + this."
        )
        stats.append(("Miscalibration", shown(report.miscalibration), chance, parts))
    yield Cards(tuple(Card(*stat) for stat in stats))
