"""What does a careful colleague say first? The sentences that decide, the matrix, and one short table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import Baseline
from steelyard.judgement.evaluate.headline import HeadlineRow
from steelyard.judgement.evaluate.verdict import sentences
from steelyard.judgement.live import INTERVAL, TESTED, at_given_priors, count_of, evenly, here
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import short_names
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.counts.labels import Label
    from steelyard.judgement.evaluate.production import ProductionReport
    from steelyard.judgement.evaluate.result import Evaluation

MOST_CLASSES = 3
"""Classes whose matrix has room on the first screen of a terminal."""
MOST_NOTES = 1
"""Notes that the first screen has room for; the others follow in the full report."""
DECIDES = ">"
WHAT_A_BASELINE_IS = (
    "The baseline of a measure is the best value it can have without looking at the input: the best constant"
    " or random answer for that measure, not one classifier for all of them."
)


def title(result: Evaluation) -> str:
    """What was evaluated, how much of it, and how rare the rare is."""
    test_set, positive = result.test_set, result.positive
    given = None if result.options is None else result.options.title
    parts = [given or Path(result.source).name or result.source]
    if result.counted.pred not in ("prediction", "y_pred"):
        parts.append(result.counted.pred)
    rows = result.counted.row_counts
    parts.append(
        f"{count(test_set.total)} rows"
        if rows is None
        else f"{count(rows.total.item())} labelled of {count(round(test_set.total))} rows"
        if result.strata is not None
        else f"{count(rows.total.item())} rows of weight {count(test_set.total)}"
    )
    if positive is not None and len(test_set.classes) == 2:
        own = next(c for c in test_set.classes if c.label == positive.label)
        of = "" if str(own.label)[:1].isalpha() else "of class "  # two numbers in a row are not understood
        parts.append(f"{count(own.count)} {of}{own.label} ({percent(own.share)})")
    else:
        parts.append(f"{len(test_set.classes)} classes")
    return " · ".join(parts)


def first_screen(result: Evaluation) -> Iterator[Section]:
    """The sections that stand first on every surface."""
    label = None if result.positive is None else result.positive.label
    words = sentences(result.matrix, label)
    own = ("finds",) if label is not None and result.matrix.n_classes == 2 else ("right", "hardest")
    follows = (*own[: len(words) - 1], "constant")
    said = [Sentence(one, "strong", key) for one, key in zip(words, follows, strict=True)]
    yield Section("", (*said, *_at_priors(result)), "brief", "verdict")
    headline: Block = headline_table(result)
    if result.matrix.n_classes <= MOST_CLASSES:
        headline = SideBySide((matrix_table(result), headline))
    yield Section("", (headline, *_decides(result)), "brief", "headline")
    yield Section("", (Sentence(WHAT_A_BASELINE_IS, "soft"),), "full")
    said = [Sentence(note, "bad") for note in first_notes(result)]
    if result.assumed:
        said.append(Sentence(result.assumed, "soft"))
    if said:
        yield Section("", tuple(said), "brief")


def first_notes(result: Evaluation) -> tuple[str, ...]:
    """What a reader should know before the figures: the first note, and how the labels came about."""
    said = () if result.production is None else result.production.priors.notes
    others = [note for note in result.warned if note not in said]
    return tuple(dict.fromkeys((*others[:MOST_NOTES], *result.labels_come_from)))


def matrix_table(result: Evaluation) -> Table:
    """The matrix with exact counts; the positive class first."""
    matrix = result.matrix
    order = list(range(matrix.n_classes))
    if result.positive is not None:
        order.sort(key=lambda k: matrix.labels[k] != result.positive.label)  # type: ignore[union-attr]
    names = short_names([matrix.labels[k] for k in order])
    return Table(
        columns=(words_column("truth"), *number_columns(*(f"called {name}" for name in names))),
        rows=tuple(
            (
                names[row],
                *(
                    Cell(count(matrix.counts[order[row], k].item()), follows=count_of(order[row], k))
                    for k in order
                ),
            )
            for row in range(matrix.n_classes)
        ),
        identity="matrix-first",
    )


def headline_table(result: Evaluation) -> Table:
    """Each measure here, at the given priors, on balanced classes, by not looking, and how sure it is."""
    priors = any(row.at_priors is not None for row in result.first)
    sure = result.intervals is not None
    columns = [words_column("", whole=True)]
    columns += [Column("at your priors" if result.production is None else "in production")] if priors else []
    columns += number_columns("here", "balanced", "baseline")
    if sure:
        of = " here" if priors else ""  # beside two values of a measure an interval says whose it is
        columns.append(Column(f"{100 * result.intervals.settings['level']:g} % interval{of}"))  # type: ignore[union-attr]
    return Table(
        columns=tuple(columns),
        rows=tuple(_row(result, row, priors, sure) for row in result.first),
        identity="headline",
    )


def _row(result: Evaluation, row: HeadlineRow, priors: bool, sure: bool) -> tuple[Cell | str, ...]:
    decides = row.measure.name == result.decider.measure.name
    name = Cell(
        short_name(row.measure) + (f" {DECIDES}" if decides else ""),
        "strong" if decides else "plain",
        tip=row.measure.question,
    )
    found = result.interval_of(row.measure.name)
    baseline, m = row.baseline, row.measure
    yours = at_given_priors(m) if result.production is None else ""
    return (
        name,
        *([Cell(shown(row.at_priors), "strong", follows=yours)] if priors else []),
        Cell(
            shown(row.observed),
            "strong" if decides else "plain",
            tip=row.why_undefined or "",
            follows=here(m),
        ),
        Cell(shown(row.balanced), follows=evenly(m)),
        Cell(
            "-" if baseline is None else _baseline(baseline),
            tip="" if baseline is None else f"{baseline.words} ({baseline.how})",
        ),
        *(
            [Cell(between(found.low, found.high) if found is not None else "-", follows=INTERVAL)]
            if sure
            else []
        ),
    )


def _baseline(found: Baseline) -> str:
    """What was simulated is not known to more digits than these."""
    return shown(found.value) if found.how == "exact" else f"{found.value + 0.0:.2f}".replace("-0.00", "0.00")


def _at_priors(result: Evaluation) -> Iterator[Sentence]:
    """What the given priors make of the alerts: the price in production."""
    rows = {row.measure.name: row for row in result.first}
    precision = rows.get("precision")
    if result.production is not None:
        yield from _in_production(
            result.production, None if result.positive is None else result.positive.label
        )
        return
    if precision is None or precision.at_priors is None or math.isnan(precision.at_priors):
        return
    yield Sentence(
        f"At your priors {percent(1 - precision.at_priors)} of its alerts would be false.",
        "strong",
        "yours-false",
    )


def _in_production(found: ProductionReport, positive: Label | None) -> Iterator[Sentence]:
    """The estimated shares, what they make of the alerts, and what speaks against believing them."""
    best, rows = found.priors.best, {row.measure.name: row for row in found.rows}
    place = int(min(range(len(best.shares)), key=lambda k: float(best.shares[k])))
    if len(best.shares) == 2 and positive in found.priors.labels:
        place = found.priors.labels.index(positive)
    words = (
        f"In production about {percent(float(best.shares[place]))} are {found.priors.labels[place]}"
        f" ({percent(float(best.low[place]))} to {percent(float(best.high[place]))}, estimated)"
    )
    precision = rows.get("precision")
    if precision is None or math.isnan(precision.value) or math.isnan(precision.low):
        yield Sentence(f"{words}.", "strong")
    else:
        low, high = percent(1 - precision.high), percent(1 - precision.low)
        alerts = f"{percent(1 - precision.value)} of the alerts there are false ({low} to {high})"
        yield Sentence(f"{words}; {alerts}.", "strong")
    for note in found.priors.notes:
        yield Sentence(note, "bad")


def _decides(result: Evaluation) -> Iterator[Sentence]:
    depends = [short_name(row.measure) for row in result.first if row.depends_on_shares]
    listed = any(row.measure.name == result.decider.measure.name for row in result.first)
    words = f"{f'{DECIDES} decides' if listed else 'Decides'} here: {result.decider.words}."
    if depends:
        words += f" Depends on the shares: {', '.join(depends)}."
    yield Sentence(words, follows=TESTED)
    if result.positive is not None:
        yield Sentence(f"Positive class: {result.positive.label} ({result.positive.reason}).", "soft")
