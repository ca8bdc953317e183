"""Sections of the metrics of one confusion matrix."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from steelyard.counts.confusion import ORIENTATION, Confusion
from steelyard.judgement.metrics.result import Weighed, Weighing
from steelyard.measures.catalogue import measure
from steelyard.measures.kinship import one_number
from steelyard.measures.names import short_name
from steelyard.measures.record import Range
from steelyard.report.numbers import count, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Report,
    Section,
    Sentence,
    Table,
    table_of,
    words_column,
)

# The names that stand for the others where several are one number.
SHOWN = ("balanced_accuracy", "accuracy")
TITLES = {"two-class": "Metrics of the positive class", "multi-class": "Metrics of all classes"}
# Classes of a matrix on a terminal.
MOST_SHOWN = 20


def report(result: Weighing) -> Report:
    """The matrix, then every measure."""
    blocks: list[Block] = [*matrix_blocks(result.matrix)]
    if result.positive is not None:
        blocks.append(Sentence(f"Positive class: {result.positive.label} ({result.positive.reason})."))
    if isinstance(result.priors, dict):
        priors = ", ".join(f"{label} {value:g}" for label, value in result.priors.items())
        blocks.append(Sentence(f"At priors: {priors}."))
    if result.relevance is not None:
        blocks.append(Sentence(f"{result.relevance}."))
    sections = [Section("", tuple(blocks), "brief", "matrix")]
    same = _same_numbers(result)
    for kind, title in TITLES.items():
        rows = [row for row in result.rows if row.measure.kind == kind and row.measure.name in same]
        if rows:
            sections.append(Section(title, (_table(result, rows, f"measures-{kind}"),), "brief"))
    # Each reason once, with the measures that have no value for it: a terminal has no room for it in every
    # row.
    by_reason: dict[str, list[str]] = {}
    for row in result.rows:
        if row.why_undefined:
            by_reason.setdefault(row.why_undefined, []).append(short_name(row.measure))
    reasons = [Sentence(f"Undefined because {why}: {', '.join(names)}.") for why, names in by_reason.items()]
    notes = [
        Sentence(f"With two classes {_names(first)} is the same number as {_names(*others)}.", "soft")
        for first, others in same.items()
        if others
    ]
    sections += [Section("", tuple(each), "brief") for each in (reasons, notes) if each]
    total = result.matrix.total.item()
    head = f"{count(total)} examples" if math.isfinite(total) else "More examples than a number can say"
    return Report(head, tuple(sections))


def matrix_blocks(matrix: Confusion) -> Iterator[Block]:
    """The counts with their labels, orientation said; a large matrix shows its first classes."""
    size = min(matrix.n_classes, MOST_SHOWN)
    names = [str(label) for label in matrix.labels[:size]]
    rest = f", the first {size} of {matrix.n_classes} classes" if size < matrix.n_classes else ""
    yield Sentence(f"{ORIENTATION[0].upper()}{ORIENTATION[1:]}{rest}.", "soft")
    yield Table(
        (words_column("actual"), *map(Column, names)),
        tuple(
            (name, *(count(value) for value in row))
            for name, row in zip(names, matrix.counts[:size, :size].tolist(), strict=True)
        ),
        identity="matrix",
    )


def _same_numbers(result: Weighing) -> dict[str, tuple[str, ...]]:
    """The measures that have a row, each with the names that are the same number of two classes."""
    names = [row.measure.name for row in result.rows]
    if result.matrix.n_classes != 2 or result.positive is None:
        return dict.fromkeys(names, ())
    ordered = [
        sorted((m.name for m in group), key=lambda name: (name not in SHOWN, names.index(name)))
        for group in one_number([row.measure for row in result.rows])
    ]
    return {first: tuple(others) for first, *others in ordered}


def _names(*ids: str) -> str:
    return ", ".join(short_name(measure(each)) for each in ids)


def _table(result: Weighing, rows: list[Weighed], identity: str) -> Table:
    """Metrics of a kind, also at other priors and weighted by relevance where these were given."""
    priors, relevance = result.priors is not None, result.relevance is not None
    classes = 2 if rows[0].measure.kind == "two-class" else max(1, result.matrix.n_classes_held)

    def named(row: Weighed) -> Cell:
        m = row.measure
        name, symbol = short_name(m), m.symbols[0] if m.symbols else ""
        if name == symbol:
            # A paper's symbol alone (CBA, RCI) says little: its words stand beside it.
            symbol = m.id.replace("_", " ")
        spelled = [re.sub(r"\W|_", "", text).casefold() for text in (name, symbol)]
        return Cell(name, tip=m.question, aside="" if spelled[0] == spelled[1] else symbol)

    def normalised(row: Weighed) -> str:
        return "" if row.normalised is None or math.isnan(row.normalised) else percent(row.normalised)

    return table_of(
        rows,
        (words_column("metric", whole=True), named),
        ("value", lambda row: shown(row.value)),
        ("at priors", lambda row: shown(row.at_priors)) if priors else None,
        ("by relevance", lambda row: shown(row.weighted)) if relevance else None,
        ("0% worst, 100% best", normalised),
        (words_column("range"), lambda row: str(Range(*row.measure.range.at(classes)))),
        (words_column("better"), lambda row: row.measure.better.replace("neither", "–")),
        (words_column("undefined because", depth="page"), lambda row: Cell(row.why_undefined or "", "bad"))
        if any(row.why_undefined for row in rows)
        else None,
        identity=identity,
        most_printed=len(rows),
    )
