"""Sections on scores: ranking metrics, precision and recall at review capacity, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.counts.labels import Label
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Section,
    Sentence,
    Table,
    number_columns,
    table_of,
    words_column,
)
from steelyard.scores.calibration_evaluation import ProbabilityReport
from steelyard.scores.ranking_result import OperatingPoint, RankingMeasure, RankingReport
from steelyard.scores.top_k import CapacityReport


def ranking_sections(report: RankingReport) -> Iterator[Section]:
    """One section: how well the scores rank."""
    blocks: list[Block] = [Sentence(_what_is_ranked(report), "soft")]
    if report.choice is not None:
        blocks.append(Sentence(f"Threshold: {report.choice.words}."))
    blocks.append(_ranking_table(report))
    yield Section("Ranking", tuple(blocks), identity="scores-section")
    alone = report.classes[0] if len(report.classes) == 1 else None
    if alone is not None and alone.capacity is not None:
        yield from capacity_sections(alone.capacity, str(alone.label), report.level, alone.operating_point)
    if report.probabilities is not None:
        yield from probability_sections(report.probabilities)
    if report.class_probabilities:
        yield from class_probability_sections(report.class_probabilities)


def _ranking_table(report: RankingReport) -> Table:
    alone = len(report.classes) == 1 and not report.measures
    rows = list(_ranking_rows(report))
    undefined = any(row.why_undefined for _, row in rows)
    bounded = any(row.bounds is not None for _, row in rows)
    level = f"{100 * report.level:g}% CI" if report.level else ""
    return table_of(
        rows,
        None if alone else (words_column("class"), lambda pair: pair[0]),
        (words_column("metric"), lambda pair: Cell(pair[1].measure.title, tip=pair[1].measure.question)),
        (Column("value"), lambda pair: Cell(shown(pair[1].value), "strong")),
        (Column(level), lambda pair: between(pair[1].low, pair[1].high)) if level else None,
        (Column("bounds"), lambda pair: between(*pair[1].bounds or (None, None))) if bounded else None,
        (Column("balanced"), lambda pair: shown(pair[1].balanced)),
        (Column("at priors"), lambda pair: shown(pair[1].at_priors)) if report.priors_given else None,
        (words_column("question"), lambda pair: pair[1].why_undefined or pair[1].measure.question)
        if alone
        else None,
        (words_column("undefined because"), lambda pair: pair[1].why_undefined or "")
        if undefined and not alone
        else None,
        identity="scores",
    )


def _ranking_rows(report: RankingReport) -> Iterator[tuple[str, RankingMeasure]]:
    for row in report.measures:
        yield "all classes", row
    for c in report.classes:
        for row in c.measures:
            yield str(c.label), row


def _what_is_ranked(report: RankingReport) -> str:
    scores = report.scores
    if scores.positive is None:
        return (
            f"A column of scores for each of {scores.n_classes} classes; "
            "each class is ranked against all others by its own score."
        )
    choice = scores.positive
    return (
        f"Scores of class {choice.label} ({choice.reason}) for {count(float(scores.totals.sum()))} rows; "
        f"higher means more likely {choice.label}."
    )


def capacity_sections(
    report: CapacityReport, label: str, level: float | None, point: OperatingPoint | None
) -> Iterator[Section]:
    """One section: precision and recall at review capacity."""
    blocks: list[Block] = [_at_k(report, level), _at_rates(report, level)]
    blocks.append(
        Sentence(
            "Rows are reviewed from the highest score down; lift is precision divided by prevalence. Recall"
            " and precision of the second table are those of the best threshold that meets the condition.",
            "soft",
        )
    )
    yield Section("Precision and recall at review capacity", tuple(blocks), identity="capacity-section")


def _at_k(report: CapacityReport, level: float | None) -> Table:
    return table_of(
        report.at_k,
        (Column("rows"), lambda row: count(row.k)),
        (Column("share"), lambda row: percent(row.share)),
        (Column("detected"), lambda row: count(row.found)),
        (Column("recall"), lambda row: shown(row.recall.value)),
        (Column(f"recall, {100 * level:g}% CI"), lambda row: between(row.recall.low, row.recall.high))
        if level
        else None,
        (Column("precision"), lambda row: shown(row.precision.value)),
        (Column("lift"), lambda row: f"{row.lift.value:.3g}"),
        identity="capacity",
    )


def _at_rates(report: CapacityReport, level: float | None) -> Table:
    rows = [
        (f"recall at a false positive rate of at most {percent(rate)}", figure)
        for rate, figure in report.recall_at_fpr
    ]
    rows += [
        (f"precision at a recall of at least {recall:g}", figure)
        for recall, figure in report.precision_at_recall
    ]
    return table_of(
        rows,
        (words_column("condition"), lambda row: row[0]),
        (Column("value"), lambda row: shown(row[1].value)),
        (Column(f"{100 * level:g}% CI"), lambda row: between(row[1].low, row[1].high)) if level else None,
        identity="conditions",
    )


def probability_sections(report: ProbabilityReport) -> Iterator[Section]:
    """One section: calibration of the probabilities of the positive class."""
    blocks: list[Block] = [Sentence(words) for words in _calibration_sentences(report)]
    blocks.append(_reliability_table(report))
    yield Section("Calibration", tuple(blocks), identity="probabilities-section")


def class_probability_sections(reports: Sequence[tuple[Label, ProbabilityReport]]) -> Iterator[Section]:
    """One section: calibration of the probabilities of each class."""
    worst, far = max(reports, key=lambda pair: pair[1].error)
    off = {label: sum(not score_bin.fits for score_bin in report.bins) for label, report in reports}
    rows = tuple(
        (
            short(label, 24),
            shown(report.error),
            f"{shown(report.error_low)} to {shown(report.error_high)}",
            shown(report.brier),
            shown(report.skill),
            f"{off[label]} of {len(report.bins)}",
        )
        for label, report in reports
    )
    columns = (
        words_column("class"),
        *number_columns("calibration error", "interval", "Brier score", "skill", "bins off"),
    )
    yield Section(
        "Calibration of each class",
        (
            Sentence(
                f"The probabilities of {short(worst, 24)} are farthest from the observed frequencies:"
                f" root mean square calibration error {shown(far.error)}"
                f" ({between(far.error_low, far.error_high)}, debiased)."
                " Skill is what is gained over the Brier score of always predicting the class's prevalence."
            ),
            Table(columns, rows, identity="class-probabilities"),
        ),
        identity="class-probabilities-section",
    )


def _calibration_sentences(report: ProbabilityReport) -> Iterator[str]:
    off = [score_bin for score_bin in report.bins if not score_bin.fits]
    is_or_are = "is" if len(off) == 1 else "are"
    yield (
        f"Root mean square calibration error {shown(report.error)}"
        f" ({between(report.error_low, report.error_high)}, debiased); expected calibration error (ECE)"
        f" {shown(report.expected_error)}:"
        + (
            " no bin is off by more than chance explains."
            if not off
            else f" {len(off)} of {len(report.bins)} bins {is_or_are} off by more than chance explains."
        )
    )
    words = f"Brier score {shown(report.brier)}, logarithmic loss {shown(report.log_loss)}"
    if report.miscalibration is not None and report.discrimination is not None:
        words += (
            f"; the Brier score is {shown(report.uncertainty)} (always predicting the prevalence)"
            f" - {shown(report.discrimination)} (discrimination)"
            f" + {shown(report.miscalibration)} (miscalibration"
            + (")" if report.by_chance is None else f"; chance alone makes {shown(report.by_chance)})")
        )
    yield f"{words}."
    if report.skill < 0:
        yield "Always predicting the prevalence would have a lower Brier score than these probabilities."


def _reliability_table(report: ProbabilityReport) -> Table:
    return Table(
        number_columns(
            "bin from", "rows", "mean probability", "observed rate", f"{100 * report.level:g}% CI"
        ),
        tuple(
            (
                shown(score_bin.start),
                count(score_bin.rows),
                shown(score_bin.mean_probability),
                percent(score_bin.share),
                f"{percent(score_bin.low)} to {percent(score_bin.high)}",
            )
            for score_bin in report.bins
        ),
        identity="reliability",
    )
