"""What is said about scores in an evaluation: a short table on the terminal, a section of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import Console

from steelyard.report.numbers import count, shown
from steelyard.report.page import html
from steelyard.report.terminal import plain_table, words
from steelyard.scores.pictures import precision_recall_picture, roc_picture, threshold_picture
from steelyard.scores.ranking import ClassRanking, RankingMeasure, RankingReport


def show_scores(report: RankingReport, out: Console) -> None:
    """The measures of scores and the threshold, on a terminal."""
    numbers = _numbers(report)
    table = plain_table(*_first(report), *numbers, *_last(report), title="\nScores", right=numbers)
    for names, row in _rows(report):
        cells = [words(shown(row.value), style="bold"), *(words(cell) for cell in _cells(report, row)[1:])]
        table.add_row(
            *(words(name) for name in names), *cells, *(words(text) for text in _meaning(report, row))
        )
    out.print(table)
    if report.choice is not None:
        out.print(words(f"Threshold: {report.choice.words}."))


def scores_section(report: RankingReport) -> Iterator[str]:
    """The section of the page: measures, curves, and measures against the threshold."""
    yield html.heading("Scores")
    yield html.paragraph(_of_what(report), "soft")
    if report.choice is not None:
        yield html.paragraph(f"Threshold: {report.choice.words}.")
    header = [*_first(report), *_numbers(report), *_last(report)]
    rows = [
        [*names[:-1], (names[-1], row.measure.question), *_cells(report, row), *_meaning(report, row)]
        for names, row in _rows(report)
    ]
    worded = (*range(1, len(_first(report))), *([len(header) - 1] if _last(report) else []))
    yield html.table(header, rows, words=worded, identity="scores")
    if not any(c.roc is not None for c in report.classes):
        yield html.paragraph("There are no curves: they need examples of a class and of others.", "soft")
        return
    alone = len(report.classes) == 1
    band = (
        f" Shaded: {100 * report.level:g} % band, rows drawn again {report.replicates} times."
        if report.level and alone
        else ""
    )
    where = "The dot is where the evaluated labels stand."
    shares = ["this test set", "balanced classes"]
    if alone and len(report.classes[0].precision_recall) > 2:
        shares.append("your priors")
    lines = (
        f"with the class shares of {', '.join(shares[:-1])} and of {shares[-1]}"
        if alone
        else "on balanced classes"
    )
    yield (
        '<div class="pair">'
        + html.figure(roc_picture(report), f"ROC curve. {where} The dashed line is chance.{band}")
        + html.figure(precision_recall_picture(report), f"Precision against recall, {lines}. {where}{band}")
        + "</div>"
    )
    swept = report.classes[0].sweep if alone else None
    if swept is not None:
        by = (
            " The thick line is the measure the threshold was chosen by."
            if swept.chosen_by is not None
            else ""
        )
        yield html.figure(
            threshold_picture(swept, report.classes[0].operating_point),
            f"Measures as functions of the threshold.{by}",
        )


def _of_what(report: RankingReport) -> str:
    if report.scores.positive is not None:
        choice, total = report.scores.positive, float(report.scores.totals.sum())
        whole = int(total) if total == int(total) else total
        return f"Scores of class {choice.label} ({choice.reason}) for {count(whole)} examples; higher means more surely {choice.label}."
    return f"A column of scores for each of {report.scores.n_classes} classes; each class is ranked against all others by its own score."


def _first(report: RankingReport) -> list[str]:
    return ["measure"] if len(report.classes) == 1 and not report.measures else ["class", "measure"]


def _last(report: RankingReport) -> list[str]:
    """One class's measures are explained; of many classes there is only to be said why something is undefined."""
    if len(_first(report)) == 1:
        return ["question"]
    return ["undefined because"] if any(row.why_undefined for _, row in _rows(report)) else []


def _meaning(report: RankingReport, row: RankingMeasure) -> list[str]:
    last = _last(report)
    return [] if not last else [row.why_undefined or (row.measure.question if last == ["question"] else "")]


def _numbers(report: RankingReport) -> list[str]:
    sure = [f"{100 * report.level:g} % interval"] if report.level else []
    return ["value", *sure, "balanced", *(["at priors"] if report.priors_given else [])]


def _rows(report: RankingReport) -> Iterator[tuple[list[str], RankingMeasure]]:
    for row in report.measures:
        yield ["all classes", row.measure.title], row
    for c in report.classes:
        for row in c.measures:
            yield _words(report, c, row), row


def _words(report: RankingReport, c: ClassRanking, row: RankingMeasure) -> list[str]:
    return [row.measure.title] if len(_first(report)) == 1 else [str(c.label), row.measure.title]


def _cells(report: RankingReport, row: RankingMeasure) -> list[str]:
    between = "" if math.isnan(row.low) else f"{shown(row.low)} to {shown(row.high)}"
    sure = [between] if report.level else []
    return [
        shown(row.value),
        *sure,
        shown(row.balanced),
        *([shown(row.at_priors)] if report.priors_given else []),
    ]
