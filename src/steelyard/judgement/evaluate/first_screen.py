"""First screen of an evaluation: verdict, confusion matrix, headline metrics, findings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import Baseline
from steelyard.judgement.evaluate.headline import HeadlineRow
from steelyard.judgement.evaluate.notes import UNUSED_SCORES
from steelyard.judgement.evaluate.verdict import against_the_rest, rounded, sentences
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import quoted, short, short_names
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Depth,
    Section,
    Sentence,
    SideBySide,
    Table,
    Tone,
    number_columns,
    words_column,
)
from steelyard.uncertainty.resampling import WHAT_A_DESIGN_MEANS

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

# Classes whose matrix has room on the first screen of a terminal.
MOST_CLASSES = 3
# Notes that the first screen has room for; the others follow in the full report.
MOST_NOTES = 1
# Marks the primary metric.
PRIMARY = "*"
WHAT_NO_SKILL_IS = (
    "No-skill is the best value that guessing reaches (a constant or random prediction), for each metric by"
    " itself."
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
        rare = next(c for c in test_set.classes if c.label == positive.label)
        name = short(rare.label)
        is_number = not name[:1].isalpha()  # two numbers in a row are not understood
        about = "" if result.sample is None else "about "
        number = rounded(rare.count, about)
        parts.append(f"{about}{number} {'positive' if is_number else name} ({percent(rare.share)})")
        if positive.guessed or is_number:
            why = f" ({positive.reason.removeprefix('it is ')})" if positive.guessed else ""
            parts.append(f"positive class: {quoted(rare.label) if is_number else name}{why}")
    else:
        parts.append(f"{len(test_set.classes)} classes")
    return " · ".join(parts)


def first_screen(result: Evaluation) -> Iterator[Section]:
    """The sections that stand first on every surface."""
    label = None if result.positive is None else result.positive.label
    verdict = sentences(result.matrix, label, result.interval_of, result.sample is not None)
    lines = [Sentence(text, "strong") for text in verdict]
    if label is not None and result.matrix.n_classes > 2:
        lines.append(Sentence(against_the_rest(result.matrix, label, result.sample is not None)))
    yield Section("", (*lines, *_at_priors(result)), "brief", "verdict")
    headline: Block = headline_table(result)
    if result.matrix.n_classes <= MOST_CLASSES:
        headline = SideBySide((matrix_table(result), headline))
    below = (*_ranking(result), *_primary(result))
    yield Section("", (headline, *below), "brief", "headline")
    yield Section("", (Sentence(WHAT_NO_SKILL_IS, "soft"),), "full")
    remarks = [Sentence(note, "bad") for note in first_notes(result)]
    if result.assumed:
        # What every interval assumes by default has no room on a terminal; anything else has.
        depth: Depth = "full" if result.assumed == WHAT_A_DESIGN_MEANS["sample"] else "brief"
        yield Section("", (Sentence(result.assumed, "soft"),), depth)
    step = next((one for one in result.findings if one.command and one.kind == "note"), None)
    if step is not None:
        remarks += [Sentence(f"{step.what} {step.next.removesuffix('.')}:"), Sentence(step.command, "code")]
    if remarks:
        yield Section("", tuple(remarks), "brief")


def first_notes(result: Evaluation) -> tuple[str, ...]:
    """What a reader should know before the figures: the first note, and how the labels came about."""
    said = () if result.production is None else result.production.notes
    others = [note for note in result.warned if note not in said and not note.startswith(UNUSED_SCORES)]
    return tuple(dict.fromkeys((*others[:MOST_NOTES], *result.labels_come_from)))


def matrix_table(result: Evaluation) -> Table:
    """The matrix; the positive class first. Counts that a sample estimates have no decimals."""
    matrix = result.matrix
    about = "" if result.sample is None else "about"
    order = list(range(matrix.n_classes))
    if result.positive is not None:
        order.sort(key=lambda k: matrix.labels[k] != result.positive.label)  # type: ignore[union-attr]
    names = short_names([matrix.labels[k] for k in order])
    return Table(
        columns=(
            words_column("actual (estimated)" if about else "actual"),
            *number_columns(*(f"predicted {name}" for name in names)),
        ),
        rows=tuple(
            (
                names[row],
                *(rounded(matrix.counts[order[row], k].item(), about) for k in order),
            )
            for row in range(matrix.n_classes)
        ),
        identity="matrix-first",
    )


def headline_table(result: Evaluation) -> Table:
    """Each metric on the test set with its interval, the no-skill value, and at other class distributions."""
    priors = any(row.at_priors is not None for row in result.first)
    columns = [words_column("", whole=True)]
    columns += [Column("at your priors" if result.production is None else "in production")] if priors else []
    columns += number_columns("test set")
    if result.intervals is not None:
        # Beside two values of a metric the column says whose interval it is.
        of = ", test set" if priors else ""
        columns.append(Column(f"{100 * result.intervals.settings['level']:g}% CI{of}"))
    return Table(
        columns=(*columns, *number_columns("no-skill, test set" if priors else "no-skill", "balanced")),
        rows=tuple(_row(result, row, priors) for row in result.first),
        identity="headline",
    )


def _row(result: Evaluation, row: HeadlineRow, priors: bool) -> tuple[Cell | str, ...]:
    is_primary = row.measure.name == result.decider.measure.name
    tone: Tone = "strong" if is_primary else "plain"
    name = Cell(
        short_name(row.measure) + (f" {PRIMARY}" if is_primary else ""), tone, tip=row.measure.question
    )
    interval = result.interval_of(row.measure.name)
    baseline = row.baseline
    return (
        name,
        *([Cell(shown(row.at_priors), "strong")] if priors else []),
        Cell(shown(row.observed), tone, tip=row.why_undefined or ""),
        *(
            []
            if result.intervals is None
            else ["-" if interval is None else between(interval.low, interval.high)]
        ),
        Cell(
            "-" if baseline is None else _baseline(baseline),
            tip="" if baseline is None else f"{baseline.words} ({baseline.how})",
        ),
        shown(row.balanced),
    )


def _baseline(found: Baseline) -> str:
    """What was simulated is not known to more digits than these."""
    return shown(found.value) if found.how == "exact" else f"{found.value + 0.0:.2f}".replace("-0.00", "0.00")


def _at_priors(result: Evaluation) -> Iterator[Sentence]:
    """What the given priors make of the alerts: the price in production."""
    rows = {row.measure.name: row for row in result.first}
    precision = rows.get("precision")
    if result.production is not None:
        from steelyard.judgement.evaluate.production_sections import production_sentences

        yield from production_sentences(result)
        return
    if precision is None or precision.at_priors is None or math.isnan(precision.at_priors):
        return
    yield Sentence(
        f"At your priors {percent(1 - precision.at_priors)} of its alerts would be false.",
        "strong",
    )


def _ranking(result: Evaluation) -> Iterator[Sentence]:
    """How well the scores rank, where there are scores of one positive class."""
    if result.ranking is None or len(result.ranking.classes) != 1:
        return
    rows = {row.measure.id: row for row in result.ranking.classes[0].measures}
    level = f"{100 * result.ranking.level:g}% CI " if result.ranking.level else ""
    named = (("ROC AUC", rows.get("roc_auc")), ("average precision", rows.get("average_precision")))
    texts = [
        f"{name} {shown(row.value)}" + (f" ({level}{between(row.low, row.high)})" if level else "")
        for name, row in named
        if row is not None and not math.isnan(row.value)
    ]
    if texts:
        yield Sentence(f"Scores: {', '.join(texts)}.")


def _primary(result: Evaluation) -> Iterator[Sentence]:
    depends = [short_name(row.measure) for row in result.first if row.depends_on_shares]
    listed = any(row.measure.name == result.decider.measure.name for row in result.first)
    mark = (
        f"{PRIMARY} Primary metric: " if listed else f"Primary metric: {short_name(result.decider.measure)}: "
    )
    text = f"{mark}{result.decider.words}."
    if depends:
        text += f" Change with {'prevalence' if result.matrix.n_classes == 2 else 'the class distribution'}:"
        text += f" {', '.join(depends)}."
    text += " No-skill: best guess."
    yield Sentence(text)
