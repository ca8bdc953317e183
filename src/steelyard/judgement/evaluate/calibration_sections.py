"""What is said of probabilities in an evaluation: how far off they are, and the reliability diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.counts.labels import Label
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.calibration_evaluation import ProbabilityReport


def probability_sections(report: ProbabilityReport) -> Iterator[Section]:
    """One section: do the probabilities say what happens?"""
    blocks: list[Block] = [Sentence(words) for words in _said(report)]
    blocks.append(_table(report))
    yield Section("Calibration", tuple(blocks), identity="probabilities-section")


def class_probability_sections(reports: Sequence[tuple[Label, ProbabilityReport]]) -> Iterator[Section]:
    """One section: do the probabilities of each class say what happens?"""
    worst, far = max(reports, key=lambda pair: pair[1].error)
    off = {label: sum(not one.fits for one in report.bins) for label, report in reports}
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


def _said(report: ProbabilityReport) -> Iterator[str]:
    off = [one for one in report.bins if not one.fits]
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


def _table(report: ProbabilityReport) -> Table:
    return Table(
        number_columns("probability from", "rows", "mean probability", "happens", "interval"),
        tuple(
            (
                shown(one.start),
                count(one.rows),
                shown(one.mean_probability),
                percent(one.share),
                f"{percent(one.low)} to {percent(one.high)}",
            )
            for one in report.bins
        ),
        identity="reliability",
    )
