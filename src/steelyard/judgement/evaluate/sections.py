"""Sections of an evaluation's report, in reading order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.evaluate.classes import shape_in_words
from steelyard.judgement.evaluate.first_screen import first_notes, first_screen, title
from steelyard.judgement.metrics.sections import ARROWS, same_number_notes, weighed_tables
from steelyard.judgement.reproduction import fingerprint
from steelyard.measures.names import short_name
from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Folded,
    Report,
    Section,
    Sentence,
    Table,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation
    from steelyard.judgement.evaluate.slices import SliceReport

# More rows than this nobody reads.
MOST_SLICES_SHOWN = MOST_CLASSES_SHOWN = 1_000
# Slices that have room on the first screen of a terminal.
MOST_SLICES_FIRST = 8

# The relevance-weighted measures that branco2017 defines (Eq. 4-8).
OF_PAPER = [
    "macro_recall",
    "macro_precision",
    "f_beta_of_macros",
    "macro_f_beta",
    "class_balance_accuracy",
]


def report(result: Evaluation) -> Report:
    """Everything that is said of one classifier."""
    parts = (_first_sections, _test_set, _dependence, _ranking, _classes, _slices, _relevance, _everything)
    sections = [section for sections_of in parts for section in sections_of(result)]
    footer = (
        f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint([result.matrix])}."
        f" The same figures are in the JSON output (schema {result.SCHEMA})."
    )
    return Report(title(result), tuple(sections), footer)


def brief_report(result: Evaluation) -> Report:
    """What a terminal shows first, and nothing else: the whole report needs the interval of every metric."""
    return Report(title(result), (*_first_sections(result), *_slices(result)))


def _first_sections(result: Evaluation) -> Iterator[Section]:
    verdict, *others = first_screen(result)
    yield verdict
    if result.options.report != "standard":
        from steelyard.judgement.evaluate.optional_sections import balanced_section

        yield balanced_section(result)
        others = [replace(section, depth="full") for section in others]
    yield from others
    yield from _optional(result)


def _optional(result: Evaluation) -> Iterator[Section]:
    """Sections that few evaluations have; those import what makes them."""
    if result.costs is not None:
        from steelyard.judgement.evaluate.optional_sections import cost_section

        yield cost_section(result.costs, result.production)
    if result.production is not None and result.production.leads is not None:
        from steelyard.judgement.evaluate.optional_sections import production_section

        yield production_section(result.production, result.positive_label)
    if result.label_errors is not None:
        from steelyard.judgement.label_errors import label_errors_section

        yield label_errors_section(result.label_errors, result.headline)
    if result.strata is not None:
        from steelyard.judgement.sample.result import strata_section

        yield strata_section(result.strata)


def _ranking(result: Evaluation) -> Iterator[Section]:
    if result.ranking is not None:
        from steelyard.judgement.evaluate.score_sections import ranking_sections

        yield from ranking_sections(result.ranking)
    if result.abstention is not None or result.risk_coverage is not None:
        from steelyard.judgement.evaluate.abstention import abstention_sections

        yield from abstention_sections(result.abstention, result.risk_coverage)


def _test_set(result: Evaluation) -> Iterator[Section]:
    blocks: list[Block] = [Sentence(f"Shape: {shape_in_words(result.test_set)}.")]
    shown_first = (*first_notes(result), *(() if result.production is None else result.production.notes))
    blocks += [Sentence(note, "bad") for note in result.warned if note not in shown_first]
    yield Section("The test set", tuple(blocks), identity="test-set")


def _dependence(result: Evaluation) -> Iterator[Section]:
    table = table_of(
        result.shifts,
        (words_column("metric"), lambda s: Cell(short_name(s.measure), "strong" if s.notable else "plain")),
        ("test set", lambda s: shown(s.observed)),
        ("balanced", lambda s: shown(s.balanced)),
        ("at your priors", lambda s: shown(s.at_priors)) if result.weighing.priors is not None else None,
        (words_column("in words"), lambda s: s.words),
        identity="shifts",
    )
    opening = (
        "What these metrics would be with the same recall of each class at another class distribution."
        if any(shift.notable for shift in result.shifts)
        else "Little: the usual metrics hardly change when the classes are balanced."
    )
    yield Section("What depends on prevalence", (Sentence(opening), table), identity="dependence")


def _classes(result: Evaluation) -> Iterator[Section]:
    classes = list(result.classes)
    if len(classes) > 25:
        classes.sort(key=lambda c: (math.isnan(c.recall), c.recall))
    confused = words_column("most often predicted as")
    table = table_of(
        classes[:MOST_CLASSES_SHOWN],
        (words_column("class"), lambda c: str(c.label)),
        ("examples", lambda c: count(c.support)),
        ("share", lambda c: percent(c.support / result.test_set.total)),
        ("recall", lambda c: shown(c.recall)),
        ("precision", lambda c: shown(c.precision)),
        ("F1", lambda c: shown(c.f1)),
        ("balanced precision", lambda c: shown(c.balanced_precision)),
        (confused, lambda c: ", ".join(f"{label} ({count(n)})" for label, n in c.taken_for)),
        identity="classes",
        rest="the others have a higher recall; all are in the JSON output",
    )
    unseen = len(classes) - MOST_CLASSES_SHOWN
    words = f"{unseen:,} more classes with a higher recall are not shown; the JSON of this report holds them."
    note = (Sentence(words, "soft"),) if unseen > 0 else ()
    yield Section("Per class", (table, *note), identity="classes-section")


def _relevance(result: Evaluation) -> Iterator[Section]:
    if result.relevance is None:
        return
    classes = table_of(
        sorted(result.relevance.to_dict().items(), key=lambda pair: -pair[1]),
        (words_column("class"), lambda pair: str(pair[0])),
        ("relevance", lambda pair: shown(pair[1])),
        most_printed=12,
    )

    def table(of_paper: bool, identity: str = "") -> Table:
        rows = [row for row in result.weighing.rows if row.weighted is not None]
        return table_of(
            [row for row in rows if (row.measure.id in OF_PAPER) == of_paper],
            (words_column("metric"), lambda row: short_name(row.measure)),
            ("equal weights", lambda row: shown(row.value)),
            ("by relevance", lambda row: shown(row.weighted)),
            identity=identity,
        )

    rest = table(False)
    blocks: list[Block] = [
        Sentence(f"Classes are weighted by relevance, from {result.relevance.mechanism}.", "soft"),
        table(True, "relevance"),
        Folded("Relevance of the classes", (classes,)),
        *([Folded("All means over classes by relevance", (rest,))] if rest.rows else []),
    ]
    yield Section("Weighted by relevance", tuple(blocks), identity="by-relevance")


def _sizes(result: Evaluation, of_slice: SliceReport) -> tuple[str, str]:
    """The rows of a slice and those of its smallest class: rows also where they have weights."""
    rows = result.counted.slice_row_counts.get(of_slice.name)
    if rows is None:
        return count(of_slice.rows), count(min(of_slice.examples.values()))
    of_class = dict(zip(rows.labels, rows.actual.tolist(), strict=True))
    return count(rows.total.item()), count(min(of_class.get(label, 0) for label in of_slice.examples))


def _slices(result: Evaluation) -> Iterator[Section]:
    if not result.slices:
        return
    undefined = any(of_slice.why_undefined for of_slice in result.slices)
    sure = any(of_slice.low is not None for of_slice in result.slices)
    first, *others = [(name, short_name(result.weighing[name].measure)) for name in result.headline]
    table = table_of(
        result.slices[:MOST_SLICES_SHOWN],
        (words_column("slice"), lambda s: ", ".join(s.name)),
        ("rows", lambda s: _sizes(result, s)[0]),
        ("smallest class", lambda s: _sizes(result, s)[1]),
        (first[1], lambda s: shown(s.values[first[0]])),
        (f"{first[1]}, {result.level_text}", lambda s: between(s.low, s.high)) if sure else None,
        *(
            (Column(words, depth="full"), lambda s, name=name: shown(s.values[name]))
            for name, words in others
        ),
        (words_column("undefined because"), lambda s: s.why_undefined or "") if undefined else None,
        identity="slices",
    )
    few = len(result.slices) <= MOST_SLICES_FIRST
    left = len(result.slices) - len(table.rows)
    columns, notes = ", ".join(result.counted.slice_columns), [Sentence(note) for note in result.of_slices]
    if not few:
        worst = f"lowest {first[1]} first" if not sure else "lowest p-value first"
        words = f"{len(result.slices):,} slices by {columns}: the full report lists them, {worst}."
        yield Section("", (*notes, Sentence(words, "soft")), "brief")
    blocks: list[Block] = [*(notes if few else []), table]
    if left > 0:
        more = "more slices are not shown; the JSON of this report and its slices hold all of them."
        blocks.append(Sentence(f"{left:,} {more}", "soft"))
    title = f"Slices by {columns}, {'lowest p-value first' if sure else 'worst first'}"
    yield Section(title, tuple(blocks), "brief" if few else "full", identity="slices-section")


def _everything(result: Evaluation) -> Iterator[Section]:
    how = (
        f"{ARROWS['higher']} higher is better, {ARROWS['lower']} lower is better. Normalised: 0% is the worst"
        " possible value, 100% the best."
    )
    tables = weighed_tables(result.weighing, result.interval_of, result.level_text)
    blocks: list[Block] = [Sentence(how, "soft")]
    blocks += [Folded(table.title, (replace(table, title=""),)) for table in tables]
    blocks += same_number_notes(result.weighing)
    yield Section("All metrics", tuple(blocks), identity="every-measure")
