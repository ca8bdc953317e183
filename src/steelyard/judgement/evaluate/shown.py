"""An evaluation on the terminal and as a page."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

from rich.console import Console

from steelyard._version import __version__
from steelyard.judgement.evaluate.composition import shape_in_words
from steelyard.judgement.evaluate.pictures import class_picture, matrix_pictures, prior_picture, scale_picture
from steelyard.judgement.evaluate.result import Evaluation
from steelyard.judgement.weighing import Weighed
from steelyard.judgement.weighing_shown import show_weighed
from steelyard.measures.measure import Range
from steelyard.report.numbers import count, percent, shown
from steelyard.report.page import html
from steelyard.report.terminal import plain_table, show_matrix, words
from steelyard.scores.ranking_shown import scores_section, show_scores

MOST_ROWS = 100
"""Rows of a table on a page; the rest is in the JSON."""

MOST_PRINTED = 25
"""Rows of a table on a terminal."""

OF_THE_PAPER = (
    "macro_recall",
    "macro_precision",
    "f_beta_of_macros",
    "macro_f_beta",
    "class_balance_accuracy",
)
"""The relevance-weighted measures that branco2017 defines (Eq. 4-8); a terminal shows these, a page shows all."""


# -- terminal


def text(result: Evaluation) -> str:
    """The summary as plain text."""
    buffer = io.StringIO()
    show(result, Console(file=buffer, width=120, highlight=False))
    return buffer.getvalue().rstrip("\n")


def show(result: Evaluation, out: Console, everything: bool = False) -> None:
    """The summary: the test set, the headline, what misleads, the classes; every measure if asked for."""
    out.print(words(f"Evaluation of {result.source}", style="bold"))
    out.print(
        words(
            f"{count(result.test_set.total)} examples, {len(result.test_set.classes)} classes. Shape: {shape_in_words(result.test_set)}."
        )
    )
    if result.positive is not None:
        out.print(words(f"Positive class: {result.positive.label} ({result.positive.reason})."))
    for note in result.notes:
        out.print(words(f"Note: {note}", style="yellow"))
    if result.matrix.n_classes <= 12:
        out.print()
        show_matrix(out, result.matrix)
    _show_headline(result, out)
    _show_shifts(result, out)
    if result.ranking is not None:
        show_scores(result.ranking, out)
    _show_classes(result, out)
    _show_relevance(result, out)
    if result.slices:
        _show_slices(result, out)
    if everything:
        show_weighed(out, result.weighing)
    else:
        out.print(
            words(
                f"\n{len(result.weighing.rows)} measures were computed; see them all with --all, --html or --json.",
                style="dim",
            )
        )


def _show_headline(result: Evaluation, out: Console) -> None:
    sure = [_level(result)] if result.intervals is not None else []
    table = plain_table(
        "measure", "value", *sure, "range", "question", title="\nHeadline", right=("value", *sure)
    )
    for name in result.headline:
        row = result.weighing[name]
        table.add_row(
            words(row.measure.title),
            words(shown(row.value), style="bold"),
            *([_between(result, name)] if sure else []),
            _range(result, row),
            words(row.why_undefined or row.measure.question),
        )
    table.add_section()
    for name in result.others_report:
        row = result.weighing[name]
        table.add_row(
            words(f"others report: {row.measure.title}", style="dim"),
            shown(row.value),
            *([_between(result, name)] if sure else []),
            _range(result, row),
            words(row.why_undefined or row.measure.question, style="dim"),
        )
    out.print(table)


def _show_shifts(result: Evaluation, out: Console) -> None:
    notable = [shift for shift in result.shifts if shift.notable]
    out.print(
        words(
            "\nWhat misleads here"
            if notable
            else "\nNothing misleads much here: the usual measures hardly move on balanced classes",
            style="bold",
        )
    )
    priors = result.weighing.priors is not None
    table = plain_table(
        "measure",
        "observed",
        "balanced",
        *(["at priors"] if priors else []),
        "",
        right=("observed", "balanced", "at priors"),
    )
    for shift in result.shifts:
        extra = [shown(shift.at_priors)] if priors else []
        table.add_row(
            words(shift.measure.name),
            shown(shift.observed),
            shown(shift.balanced),
            *extra,
            words(shift.words, style="yellow" if shift.notable else ""),
        )
    out.print(table)


def _show_classes(result: Evaluation, out: Console) -> None:
    rows = result.classes
    title = "\nClasses"
    if len(rows) > MOST_PRINTED:
        rows = tuple(sorted(rows, key=lambda c: (math.isnan(c.recall), c.recall)))[:MOST_PRINTED]
        title = f"\nThe {MOST_PRINTED} of {len(result.classes)} classes with the lowest recall"
    numbers = ("examples", "share", "recall", "precision", "F1", "balanced precision")
    table = plain_table("class", *numbers, "most often taken for", title=title, right=numbers)
    for c in rows:
        mistakes = ", ".join(f"{label} ({count(n)})" for label, n in c.taken_for)
        share = percent(c.support / result.test_set.total) if result.test_set.total else ""
        table.add_row(
            words(str(c.label)),
            count(c.support),
            share,
            shown(c.recall),
            shown(c.precision),
            shown(c.f1),
            shown(c.balanced_precision),
            words(mistakes),
        )
    out.print(table)


def _show_relevance(result: Evaluation, out: Console) -> None:
    if result.relevance is None:
        return
    table = plain_table(
        "measure",
        "equal weights",
        "by relevance",
        title="\nWeighted by relevance",
        right=("equal weights", "by relevance"),
    )
    for row in _weighted(result):
        if row.measure.id not in OF_THE_PAPER:
            continue
        table.add_row(words(row.measure.title), shown(row.value), shown(row.weighted))
    out.print(table)
    if result.matrix.n_classes <= 12:
        out.print(words(f"{result.relevance}.", style="dim"))


def _show_slices(result: Evaluation, out: Console) -> None:
    names = list(result.headline)
    shown_slices = result.slices[:MOST_PRINTED]
    title = f"\nSlices by {', '.join(result.counted.slice_columns)}, worst first" + (
        f" ({MOST_PRINTED} of {len(result.slices)})" if len(result.slices) > MOST_PRINTED else ""
    )
    table = plain_table("slice", "rows", *names, "", title=title, right=("rows", *names))
    for part in shown_slices:
        table.add_row(
            words(", ".join(part.name)),
            count(part.rows),
            *(shown(part.values[name]) for name in result.headline),
            words(part.why_undefined or "", style="yellow"),
        )
    out.print(table)


# -- page


def page(result: Evaluation) -> str:
    """The whole report in one file."""
    return html.page(f"Evaluation of {result.source}", list(_body(result)))


def fragment(result: Evaluation) -> str:
    """The headline, what misleads and the classes, for a notebook."""
    return html.fragment([*_head(result), *_shifts(result), *_classes(result)])


def _body(result: Evaluation) -> Iterator[str]:
    yield from _head(result)
    yield from _shifts(result)
    if result.ranking is not None:
        yield from scores_section(result.ranking)
    yield from _priors(result)
    yield from _matrix(result)
    yield from _classes(result)
    yield from _relevance(result)
    yield from _slices(result)
    yield from _everything(result)
    yield html.paragraph(
        f"Steelyard {__version__}. The same figures are in the JSON output (schema {result.to_dict()['schema']}).",
        "soft",
    )


def _head(result: Evaluation) -> Iterator[str]:
    test_set = result.test_set
    yield html.heading(f"Evaluation of {result.source}", 1)
    yield html.paragraph(
        f"{count(test_set.total)} examples, {len(test_set.classes)} classes. Shape: {shape_in_words(test_set)}.",
        "soft",
    )
    if result.positive is not None:
        yield html.paragraph(f"Positive class: {result.positive.label} ({result.positive.reason}).", "soft")
    for note in result.notes:
        yield html.paragraph(note, "bad")
    yield html.heading("Headline")
    yield html.paragraph(
        "Measures that do not depend on how frequent the classes happen to be in this test set."
    )
    yield html.cards([_card(result, name) for name in result.headline])
    yield html.paragraph("What others report, for comparison. These move with the class proportions.")
    yield html.cards([_card(result, name) for name in result.others_report])
    yield html.figure(
        scale_picture(result), "The same measures on one scale: 0 is the worst possible value, 1 the best."
    )


def _card(result: Evaluation, name: str) -> tuple[str, str, str]:
    row, found = result.weighing[name], result.interval_of(name)
    sure = f"{_level(result)} {shown(found.low)} to {shown(found.high)}. " if found is not None else ""
    return row.measure.title, shown(row.value), sure + (row.why_undefined or row.measure.question)


def _level(result: Evaluation) -> str:
    assert result.intervals is not None
    return f"{100 * result.intervals.settings['level']:g} % interval"


def _between(result: Evaluation, name: str) -> str:
    found = result.interval_of(name)
    return "" if found is None else f"{shown(found.low)} to {shown(found.high)}"


def _rate(value: float, interval: tuple[float, float] | None) -> str:
    return "" if interval is None or math.isnan(value) else f"{shown(interval[0])} to {shown(interval[1])}"


def _shifts(result: Evaluation) -> Iterator[str]:
    notable = [shift for shift in result.shifts if shift.notable]
    yield html.heading("What misleads here")
    yield html.paragraph(
        "Each measure as observed, and as it would be if the classes were equally frequent and every class told right as often as here."
        if notable
        else "Nothing much: the usual measures hardly move when the classes are balanced."
    )
    priors = result.weighing.priors is not None
    header = ["measure", "observed", "balanced", *(["at your priors"] if priors else []), "in words"]
    rows = [
        [
            s.measure.title,
            shown(s.observed),
            shown(s.balanced),
            *([shown(s.at_priors)] if priors else []),
            s.words,
        ]
        for s in result.shifts
    ]
    yield html.table(header, rows, words=(len(header) - 1,), identity="shifts")


def _priors(result: Evaluation) -> Iterator[str]:
    picture = prior_picture(result)
    if picture is not None:
        yield html.heading("Measures against class prior")
        yield html.figure(
            picture,
            "Class rates stay as they are here; only the share of the rare side changes. Thick lines do not move: they are the class balanced measures.",
        )


def _matrix(result: Evaluation) -> Iterator[str]:
    counts, *shares = matrix_pictures(result.matrix)
    yield html.heading("Confusion matrix")
    yield html.paragraph(
        "Rows are truth, columns are predictions. Darker cells hold more of their true class.", "soft"
    )
    pictures = [
        html.figure(
            counts,
            "Examples." if shares else "Shades are shares of the true class; numbers are in the tooltips.",
        )
    ]
    pictures += [html.figure(picture, "Share of each true class.") for picture in shares]
    yield f'<div class="pair">{"".join(pictures)}</div>'


def _classes(result: Evaluation) -> Iterator[str]:
    picture, left_out = class_picture(result.classes)
    yield html.heading("Classes")
    more = f" Shown are the classes with the lowest recall; {left_out} more are left out." if left_out else ""
    yield html.figure(
        picture,
        f"Recall, precision, and precision if all classes were equally frequent; examples in brackets.{more}",
    )
    rows = result.classes
    if len(rows) > MOST_ROWS:
        rows = tuple(sorted(rows, key=lambda c: (math.isnan(c.recall), c.recall)))[:MOST_ROWS]
        yield html.paragraph(
            f"The {MOST_ROWS} classes with the lowest recall; all {len(result.classes)} are in the JSON output.",
            "soft",
        )
    cells = [
        [
            c.label,
            count(c.support),
            percent(c.support / result.test_set.total),
            shown(c.recall),
            _rate(c.recall, c.recall_interval),
            shown(c.precision),
            _rate(c.precision, c.precision_interval),
            shown(c.f1),
            shown(c.balanced_precision),
            ", ".join(f"{label} ({count(n)})" for label, n in c.taken_for),
        ]
        for c in rows
    ]
    yield html.table(
        [
            "class",
            "examples",
            "share",
            "recall",
            "interval",
            "precision",
            "interval",
            "F1",
            "balanced precision",
            "most often taken for",
        ],
        cells,
        words=(9,),
        identity="classes",
    )


def _weighted(result: Evaluation) -> list[Weighed]:
    return [row for row in result.weighing.rows if row.weighted is not None]


def _relevance(result: Evaluation) -> Iterator[str]:
    if result.relevance is None:
        return
    yield html.heading("Weighted by relevance")
    yield html.paragraph(f"Classes count by relevance: {result.relevance.mechanism}.", "soft")
    scores = sorted(result.relevance.to_dict().items(), key=lambda pair: -pair[1])
    yield html.table(["class", "relevance"], [[label, shown(score)] for label, score in scores[:MOST_ROWS]])
    rows = [[row.measure.title, shown(row.value), shown(row.weighted)] for row in _weighted(result)]
    yield html.table(["measure", "equal weights", "by relevance"], rows, identity="relevance")


def _slices(result: Evaluation) -> Iterator[str]:
    if not result.slices:
        return
    yield html.heading("Slices")
    yield html.paragraph(f"By {', '.join(result.counted.slice_columns)}, worst first.", "soft")
    if len(result.slices) > MOST_ROWS:
        yield html.paragraph(
            f"The {MOST_ROWS} worst of {len(result.slices)}; all are in the JSON output.", "soft"
        )
    header = [
        "slice",
        "rows",
        *(result.weighing[name].measure.title for name in result.headline),
        "undefined because",
    ]
    rows = [
        [
            ", ".join(p.name),
            count(p.rows),
            *(shown(p.values[n]) for n in result.headline),
            p.why_undefined or "",
        ]
        for p in result.slices[:MOST_ROWS]
    ]
    yield html.table(header, rows, words=(len(header) - 1,), identity="slices")


def _everything(result: Evaluation) -> Iterator[str]:
    yield html.heading("Every measure")
    for kind, title in (("two-class", "Of the positive class"), ("multi-class", "Of all classes")):
        rows = [row for row in result.weighing.rows if row.measure.kind == kind]
        if not rows:
            continue
        priors = result.weighing.priors is not None
        sure = result.intervals is not None
        header = [
            "measure",
            "value",
            *([_level(result)] if sure else []),
            *(["at your priors"] if priors else []),
            "normalised",
            "range",
            "better",
            "undefined because",
        ]
        cells = [
            [
                (row.measure.title, row.measure.question),
                shown(row.value),
                *([_between(result, row.measure.name)] if sure else []),
                *([shown(row.at_priors)] if priors else []),
                "" if row.normalised is None or math.isnan(row.normalised) else percent(row.normalised),
                _range(result, row),
                row.measure.better,
                row.why_undefined or "",
            ]
            for row in rows
        ]
        yield html.heading(title, 3)
        yield html.table(header, cells, words=(len(header) - 1,), identity=f"measures-{kind}")


def _range(result: Evaluation, row: Weighed) -> str:
    return str(
        Range(*row.measure.range.at(2 if row.measure.kind == "two-class" else result.matrix.n_classes))
    )
