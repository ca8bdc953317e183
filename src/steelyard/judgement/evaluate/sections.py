"""Sections of an evaluation's report, in reading order: text and page show the same ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._lazy import plugins
from steelyard.judgement.evaluate.classes import shape_in_words
from steelyard.judgement.evaluate.first_screen import first_notes, first_screen, title
from steelyard.judgement.metrics.result import Weighed
from steelyard.judgement.page.tables import Ends, metric_cell, plot_cell
from steelyard.judgement.reproduction import method_section
from steelyard.measures.measure import weigh
from steelyard.measures.names import short_name
from steelyard.measures.operators import balanced
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, one_decimal, p_value, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Figure,
    Panel,
    Report,
    Section,
    Sentence,
    SideBySide,
    Table,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation
    from steelyard.judgement.evaluate.slices import SliceReport

# More rows than this nobody reads.
MOST_SLICES_SHOWN = 1_000
# Slices that have room on the first screen of a terminal.
MOST_SLICES_FIRST = 8
# Few classes keep their order, so that they are found; of more the weakest are looked for.
MOST_IN_ORDER = 25


def report(result: Evaluation) -> Report:
    """Everything that is said of one classifier."""
    number = f"{len(result.weighing.rows)} metrics of the matrix; steelyard explain NAME says what one is"
    sections = (
        *_first_sections(result),
        _dependence(result),
        *_scores(result),
        Section("Per class", (classes_table(result),), identity="classes"),
        *_slices(result),
        Section("All metrics", (metrics_table(result),), identity="metrics", note=number),
        _method(result),
    )
    return Report(title(result), sections)


def brief_report(result: Evaluation) -> Report:
    """What a terminal shows first, and nothing else: the whole report needs the interval of every metric."""
    return Report(title(result), (*_first_sections(result), *_slices(result)))


def _first_sections(result: Evaluation) -> Iterator[Section]:
    verdict, *others = first_screen(result)
    yield verdict
    if result.options.report != "standard":
        yield from plugins("evaluate")[result.options.report].load()(result)
        others = [replace(section, depth="full") for section in others]
    yield from others
    # Few evaluations have these; they import what makes them.
    if result.costs is not None:
        from steelyard.judgement.evaluate.optional_sections import cost_section

        yield cost_section(result.costs, result.production, result.level_text)
    if result.production is not None:
        from steelyard.judgement.evaluate.optional_sections import production_section

        yield production_section(result, result.production)
    if result.label_errors is not None:
        from steelyard.judgement.label_errors import label_errors_section

        yield label_errors_section(result.label_errors, result.headline)
    if result.strata is not None:
        from steelyard.judgement.sample.result import strata_section

        yield strata_section(result.strata)


def _scores(result: Evaluation) -> Iterator[Section]:
    if result.ranking is not None:
        from steelyard.judgement.evaluate.score_sections import ranking_sections

        yield from ranking_sections(result.ranking)
    else:
        how = (
            "A column with the probability or score of a class brings them: name it with --score."
            if result.matrix.n_classes == 2
            else "A column of scores for each class brings them: name them with --scores."
        )
        words = f"No scores were given, so ranking, threshold and calibration are not evaluated. {how}"
        yield Section("Ranking", (Sentence(words),), identity="ranking")
    if result.abstention is not None or result.risk_coverage is not None:
        from steelyard.judgement.evaluate.abstention import abstention_sections

        yield from abstention_sections(result.abstention, result.risk_coverage)


def _dependence(result: Evaluation) -> Section:
    table = table_of(
        result.shifts,
        (
            words_column("metric", whole=True),
            lambda s: Cell(short_name(s.measure), "strong" if s.notable else "plain", s.measure.question),
        ),
        (
            Column("", "plot"),
            lambda s: plot_cell(s.observed, result.interval_of(s.measure.name), [("balanced", s.balanced)]),
        ),
        ("test set", lambda s: Cell(shown(s.observed), "strong" if s.notable else "plain")),
        ("balanced", lambda s: shown(s.balanced)),
        (Column("at your priors", on_page="nothing"), lambda s: shown(s.at_priors))
        if result.weighing.priors is not None
        else None,
        (Column("why", "words", on_page="tip"), lambda s: "".join(s.words.partition("because of")[1:])),
        identity="shifts",
        style="forest",
    )
    block: Block = Panel("Test set against balanced classes", (table,))
    if result.sweep is not None:
        block = SideBySide((Figure(partial(result.figure, "priors")), block), "7:5")
    note = (
        "The same recall of each class at another class distribution"
        if any(shift.notable for shift in result.shifts)
        else "Little: the usual metrics hardly change on balanced classes"
    )
    return Section(
        "What depends on prevalence", (block,), identity="prevalence", short="Prevalence", note=note
    )


def classes_table(result: Evaluation) -> Table:
    """Recall and precision of each class."""
    classes = list(result.classes)
    if len(classes) > MOST_IN_ORDER:
        classes.sort(key=lambda c: (math.isnan(c.recall), c.recall))

    def ends_of(ends: Ends) -> str:
        return "" if ends is None else between(*ends)

    return table_of(
        classes,
        (words_column("class", whole=True), lambda c: short(c.label)),
        (Column("examples", on_page="aside"), lambda c: count(c.support)),
        (Column("share", on_page="aside"), lambda c: one_decimal(c.support / result.test_set.total)),
        (Column("", "plot"), lambda c: plot_cell(c.recall, c.recall_interval)),
        ("recall", lambda c: shown(c.recall)),
        (Column("recall CI", depth="page", on_page="aside"), lambda c: ends_of(c.recall_interval)),
        ("precision", lambda c: shown(c.precision)),
        (Column("precision CI", depth="page", on_page="aside"), lambda c: ends_of(c.precision_interval)),
        ("balanced precision", lambda c: shown(c.balanced_precision)),
        ("F1", lambda c: shown(c.f1)),
        (
            words_column("most often predicted as"),
            lambda c: ", ".join(f"{short(label)} ({count(n)})" for label, n in c.taken_for),
        ),
        identity="classes-table",
        style="classes",
        rest="the others have a higher recall; all are in the JSON output",
    )


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
        ("p", lambda s: "" if s.holm_p_value is None else p_value(s.holm_p_value)) if sure else None,
        *(
            (Column(words, depth="full"), lambda s, name=name: shown(s.values[name]))
            for name, words in others
        ),
        (words_column("undefined because"), lambda s: s.why_undefined or "") if undefined else None,
        identity="slices-table",
    )
    order = "most clearly worse first" if sure else "worst first"
    few = len(result.slices) <= MOST_SLICES_FIRST
    left = len(result.slices) - len(table.rows)
    columns, notes = ", ".join(result.counted.slice_columns), [Sentence(note) for note in result.of_slices]
    if not few:
        words = f"{len(result.slices):,} slices by {columns}: the full report lists them, {order}."
        yield Section("", (*notes, Sentence(words, "soft")), "brief")
    blocks: list[Block] = [*(notes if few else []), table]
    if sure:
        tested = "p: of the metric in which the slice differs most from the other rows, corrected by Holm"
        blocks.append(Sentence(f"{tested} for all slices and metrics.", "soft"))
    if left > 0:
        more = "more slices are not shown; the JSON of this report and its slices hold all of them."
        blocks.append(Sentence(f"{left:,} {more}", "soft"))
    title = f"Slices by {columns}, {order}"
    yield Section(title, tuple(blocks), "brief" if few else "full", "slices", short="Slices")


def metrics_table(result: Evaluation) -> Table:
    """Every metric; a page has a search and a filter."""
    rows = result.weighing.rows
    even = weigh([balanced(row.measure) for row in rows], result.matrix, positive=result.positive_label)
    priors, relevance = result.weighing.priors is not None, result.options.relevance is not None
    level = result.level_text

    def bar(row: Weighed) -> Cell | str:
        fraction = row.normalised
        return "" if fraction is None or math.isnan(fraction) else Cell("", bar=fraction)

    def ends_of(row: Weighed) -> str:
        ends = row.measure.range.at(result.matrix.n_classes)
        return " to ".join(f"{end:.3g}".replace("-", "−").replace("inf", "∞") for end in ends)

    undefined = any(row.why_undefined for row in rows)
    return table_of(
        rows,
        (words_column("metric"), lambda row: metric_cell(row.measure)),
        (words_column("name in the API", depth="page"), lambda row: Cell(row.measure.name)),
        (Column("", "plot"), bar),
        ("value", lambda row: Cell(shown(row.value), "strong")),
        (level, lambda row: result.interval_text(row.measure.name)) if level else None,
        ("at your priors", lambda row: shown(row.at_priors)) if priors else None,
        ("by relevance", lambda row: shown(row.weighted)) if relevance else None,
        ("range", ends_of),
        ("better", lambda row: "–" if row.measure.better == "neither" else row.measure.better),
        (Column("undefined because", "words", on_page="tip"), lambda row: row.why_undefined or "")
        if undefined
        else None,
        identity="every-measure",
        most_printed=len(rows),
        most_on_page=len(rows),
        search=tuple(
            " ".join([m.title, m.name, short_name(m), *m.symbols]).lower()
            for m in (row.measure for row in rows)
        ),
        kinds=tuple(
            "fixed" if math.isnan(row.value) or abs(row.value - there) <= 1e-9 else "moves"
            for row, there in zip(rows, even.values(), strict=True)
        ),
        axis=("worst", "", "", "", "best"),
    )


def _method(result: Evaluation) -> Section:
    counted, positive = result.counted, result.positive
    data = f"{Path(result.source).name or result.source}, {count(result.test_set.total)} rows."
    if counted.missing:
        data += f" {counted.missing:,} rows with a missing label were left out."
    if counted.truth:
        data += f" Truth {counted.truth}, prediction {counted.pred}."
    if counted.unused:
        data += f" Not used: {', '.join(counted.unused[:6])}."
    facts = [("Data", data), ("Class distribution", f"{shape_in_words(result.test_set)}.")]
    if positive is not None and result.matrix.n_classes == 2:
        facts.append(("Positive class", f"{short(positive.label)} ({positive.reason})."))
    facts.append(("Primary metric", f"{short_name(result.decider.measure)}: {result.decider.words}."))
    if result.intervals is not None:
        settings = result.intervals.settings
        drawn = f"{100 * settings['level']:g}%, {settings['draws']:,} draws, seed {settings['seed']}."
        facts.append(("Intervals", f"{drawn} {result.assumed or ''}".strip()))
    if result.relevance is not None and result.options.relevance is not None:
        classes = sorted(result.relevance.to_dict().items(), key=lambda pair: -pair[1])[:MOST_IN_ORDER]
        weights = ", ".join(f"{label} {shown(weight)}" for label, weight in classes)
        facts.append(("Relevance", f"{weights}, from {result.relevance.mechanism}."))
    no_skill = (
        "The best value of a constant or random prediction on the test set, for each metric on its own;"
        " values of two digits are simulated."
    )
    facts += [
        ("No-skill baseline", no_skill),
        ("Balanced prevalence", "Recall of each class stays as measured, all classes equally frequent."),
    ]
    shown_first = (*first_notes(result), *(() if result.production is None else result.production.notes))
    remarks = [Sentence(note, "bad") for note in result.warned if note not in shown_first]
    return method_section("evaluate", result, facts, [result.matrix], remarks)
