"""What is said of probabilities in an evaluation: how far off they are, and the reliability diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.counts.labels import Label
from steelyard.report.class_names import short
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
    words_column,
)
from steelyard.scores.calibration_evaluation import ProbabilityReport


def probability_sections(report: ProbabilityReport) -> Iterator[Section]:
    """One section: do the probabilities say what happens?"""
    blocks: list[Block] = [Sentence(words) for words in _said(report)]
    picture = Picture(
        lambda: _picture(report),
        "Reliability diagram: observed frequency against predicted probability; on the dashed line they"
        f" agree; shaded: {100 * report.level:g}% CI of each bin.",
        "shares",
    )
    blocks.append(SideBySide((_table(report), picture)))
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
                f" calibration error {shown(far.error)} ({between(far.error_low, far.error_high)}, debiased)."
                " Skill is what is gained over the Brier score of always predicting the class's prevalence."
            ),
            Table(columns, rows, identity="class-probabilities"),
            Picture(
                lambda: _class_picture(reports),
                "Reliability of each class against the rest. On the dashed line probabilities say what"
                " happens.",
            ),
        ),
        identity="class-probabilities-section",
    )


def _class_picture(reports: Sequence[tuple[Label, ProbabilityReport]]) -> str:
    paths = []
    for label, report in reports:
        tips = [
            f"{label}: {count(one.rows)} rows, mean probability {shown(one.mean_probability)},"
            f" {percent(one.share)} observed"
            for one in report.bins
        ]
        xs, ys = ([getattr(one, name) for one in report.bins] for name in ("mean_probability", "share"))
        paths.append(Path(short(label, 20), xs, ys, None, tips, False))
    return plane(paths, UNIT, UNIT, "mean probability", "share", "Reliability of each class", diagonal=True)


def _said(report: ProbabilityReport) -> Iterator[str]:
    off = [one for one in report.bins if not one.fits]
    is_or_are = "is" if len(off) == 1 else "are"
    yield (
        f"Calibration error {shown(report.error)} ({between(report.error_low, report.error_high)}, debiased):"
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
            f" + {shown(report.miscalibration)} (miscalibration)"
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
        bound="shares",
    )


def _picture(report: ProbabilityReport) -> str:
    xs = [one.mean_probability for one in report.bins]
    tips = [
        f"{count(one.rows)} rows, mean probability {shown(one.mean_probability)},"
        f" observed {percent(one.share)}"
        for one in report.bins
    ]
    path = Path(
        "observed frequency",
        xs,
        [one.share for one in report.bins],
        (xs, [one.low for one in report.bins], [one.high for one in report.bins]),
        tips,
        True,
    )
    return plane([path], UNIT, UNIT, "mean probability", "share", "Reliability diagram", diagonal=True)
