"""What is said of probabilities in an evaluation: how far off they are, and the reliability diagram."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.page.drawing import UNIT, Path, plane
from steelyard.report.sections import (
    Block,
    Picture,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
)
from steelyard.scores.probabilities import ProbabilityReport


def probability_sections(report: ProbabilityReport) -> Iterator[Section]:
    """One section: do the probabilities say what happens?"""
    blocks: list[Block] = [Sentence(words) for words in _said(report)]
    picture = Picture(
        lambda: _picture(report),
        "Reliability: how often what was given a probability happens. On the dashed line they are the same;"
        f" shaded: {100 * report.level:g} % interval of each bin.",
        "shares",
    )
    blocks.append(SideBySide((_table(report), picture)))
    yield Section("Probabilities", tuple(blocks), identity="probabilities-section")


def _said(report: ProbabilityReport) -> Iterator[str]:
    off = [one for one in report.bins if not one.fits]
    yield (
        f"Calibration error {shown(report.error)} ({between(report.error_low, report.error_high)}, debiased):"
        + (
            " no bin is off by more than chance explains."
            if not off
            else f" {len(off)} of {len(report.bins)} bins are off by more than chance explains."
        )
    )
    words = f"Brier score {shown(report.brier)}, logarithmic loss {shown(report.log_loss)}"
    if report.miscalibration is not None and report.discrimination is not None:
        words += (
            f"; the Brier score is {shown(report.uncertainty)} (always saying the prevalence)"
            f" - {shown(report.discrimination)} (told apart) + {shown(report.miscalibration)} (miscalibrated)"
        )
    yield f"{words}."
    if report.skill < 0:
        yield "Always saying the prevalence would be nearer to what happens than these probabilities."


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
        bound="shares",
    )


def _picture(report: ProbabilityReport) -> str:
    xs = [one.mean_probability for one in report.bins]
    tips = [
        f"{count(one.rows)} rows, mean probability {shown(one.mean_probability)}: {percent(one.share)} happen"
        for one in report.bins
    ]
    path = Path(
        "how often it happens",
        xs,
        [one.share for one in report.bins],
        (xs, [one.low for one in report.bins], [one.high for one in report.bins]),
        tips,
        True,
    )
    return plane([path], UNIT, UNIT, "mean probability", "share", "Reliability diagram", diagonal=True)
