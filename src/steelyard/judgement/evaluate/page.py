"""The page of an evaluation: which blocks stand where."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard._version import __version__
from steelyard.judgement.evaluate import figures, page_tables
from steelyard.judgement.evaluate.findings import UNUSED_SCORES
from steelyard.judgement.evaluate.first_screen import at_priors, rounded, sentences
from steelyard.judgement.page.tables import matrix_table, metric_name, percent_text, value_text
from steelyard.judgement.page.what_if import class_costs, steps_of, what_if
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.measures.catalogue import measure
from steelyard.measures.names import short_name
from steelyard.report import pages
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count
from steelyard.report.sections import (
    Cell,
    Figure,
    Finding,
    Folded,
    Sentence,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.production import ProductionReport
    from steelyard.judgement.evaluate.result import Evaluation

# Recall or precision is called high or low against this value, where the user required none.
REQUIRED = 0.5
# Notes that the first screen has room for.
MOST_NOTES = 2
# Sections of the report that the page shows in its own way or place; any other stands on it as it is.
REPLACED = (
    *("", "test-set", "dependence", "scores-section", "capacity-section", "probabilities-section"),
    *("class-probabilities-section", "classes-section", "every-measure", "costs-section"),
    *("production-section", "slices-section", "by-relevance"),
)
# Where a finding belongs, by the words it uses.
WORDS_OF_SECTION = (
    ("calibration", ("probabilit", "calibrat")),
    ("threshold", ("threshold", "capacity", "column p ", "score")),
    ("prevalence", ("prevalence", "accuracy", "priors")),
    ("classes", ("class", "row of", "rows of")),
)


def evaluation_page(result: Evaluation) -> pages.Page:
    """The page of one classifier on one test set."""
    sections = [section for section in _sections(result) if section.blocks]
    known = {section.id for section in sections}

    def place(finding: Finding) -> str:
        text = f"{finding.what} {finding.next}".lower()
        matching = (section for section, words in WORDS_OF_SECTION if any(word in text for word in words))
        return next((section for section in matching if section in known), "classes")

    placed = tuple((place(finding), finding) for finding in result.findings)
    source, pred = Path(result.source).name or result.source, result.counted.pred
    title: pages.Runs = (pred, pages.Soft(" on "), source)
    if result.options.title or pred in ("prediction", "y_pred", "predictions"):
        title = (result.options.title or source,)
    first = pages.Columns(
        (
            pages.Panel("Confusion matrix", (matrix_of(result),), "count and row %", 2),
            pages.Panel("Metrics", tuple(page_tables.metrics_blocks(result)), "", 2),
        ),
        "5:7" if result.matrix.n_classes == 2 else "11:9",
    )
    return pages.Page(
        "Evaluation report",
        "".join(title),
        pages.Opening(title, tuple(_facts(result)), tuple(_verdict(result)), _key(result)),
        (first, *_notes(result)),
        pages.with_findings(sections, placed),
        placed,
    )


def _facts(result: Evaluation) -> Iterator[pages.Runs]:
    test_set, positive, rows = result.test_set, result.positive, result.counted.row_counts
    about = "" if result.sample is None else "about "
    if result.strata is not None and rows is not None:
        yield pages.Strong(count(rows.total.item())), f" labelled of {rounded(test_set.total, about)} rows"
    elif rows is None:
        yield pages.Strong(rounded(test_set.total, about)), " rows"
    else:
        yield pages.Strong(count(rows.total.item())), f" rows of weight {count(test_set.total)}"
    if result.matrix.n_classes == 2 and positive is not None:
        of_positive = next(c for c in test_set.classes if c.label == positive.label)
        yield "positive class ", pages.Strong(short(of_positive.label))
        yield (
            "prevalence ",
            pages.Strong(percent_text(of_positive.share)),
            f" ({about}{rounded(of_positive.count, about)} rows)",
        )
    else:
        yield pages.Strong(f"{len(test_set.classes):,}"), " classes"
        if test_set.rrt is not None:
            for words, of_class in (("largest ", test_set.largest), ("smallest ", test_set.smallest)):
                yield words, pages.Strong(short(of_class.label)), f" {percent_text(of_class.share)}"
    if test_set.rrt is not None:
        yield "imbalance ", pages.Strong(f"{test_set.rrt:,.3g}:1")
    if (threshold := implied_threshold(result)) is not None:
        name = result.options.score if isinstance(result.options.score, str) else "score"
        yield "labels are ", pages.Strong(f"{name} ≥ {threshold:.4g}")


def _verdict(result: Evaluation) -> Iterator[pages.Runs]:
    *of_classifier, constant = sentences(result)
    # Counts such as "91 of 100" in bold.
    parts = re.split(r"(\d[\d,]* of (?:its )?\d[\d,]*)", " ".join(of_classifier))
    runs = tuple(pages.Strong(piece) if k % 2 else piece for k, piece in enumerate(parts) if piece)
    judgement = _judgement(result)
    yield (pages.Strong(f"{judgement} "), *runs) if judgement else runs
    elsewhere = " ".join(sentence.words for sentence in at_priors(result) if sentence.tone == "strong")
    yield (f"{constant} {elsewhere}".strip(),)


def _judgement(result: Evaluation) -> str:
    """Two to five words from a fixed list; none without intervals."""
    if result.intervals is None:
        return ""
    if result.matrix.n_classes == 2:
        recall, precision = (_level(result, name) for name in ("recall", "precision"))
        return f"{recall.capitalize()} recall, {precision} precision." if recall and precision else ""
    known = sorted((c.recall, c.recall_interval) for c in result.classes if c.recall_interval is not None)
    # Weak on one class: significantly below every other, or the only one of which most examples are missed.
    weak = len(known) > 2 and (
        all(known[0][1][1] < ends[0] for _, ends in known[1:]) or known[0][0] < 0.5 <= known[1][0]
    )
    # The primary metric, not accuracy: that one is high wherever the largest class is.
    level = _level(result, result.decider.measure.name)
    if level == "high":
        return "Good overall, weak on one class." if weak else "Good overall."
    return "Weak on one class." if weak else "Weak overall." if level == "low" else "Mixed results."


def _level(result: Evaluation, name: str) -> str:
    interval = result.interval_of(name)
    if interval is None:
        return ""
    return "high" if interval.low >= REQUIRED else "low" if interval.high < REQUIRED else "uncertain"


def _key(result: Evaluation) -> pages.KeyFigure | None:
    name = result.decider.measure.name
    row = next((row for row in result.first if row.measure.name == name), None)
    if row is None:
        return None
    interval, lines = result.interval_of(name), []
    if interval is not None:
        lines.append(f"{100 * interval.level:g}% CI {between(interval.low, interval.high)}")
    if row.baseline is not None:
        lines.append(f"no skill {row.baseline.value:.3f}")
    if row.why_undefined:
        # One reason for each class that lacks rows: of many the first is enough here.
        first, *more = row.why_undefined.split("; ")
        lines.append(f"{first} (and {len(more):,} more)" if more else first)
    return pages.KeyFigure(short_name(row.measure), value_text(row.observed), tuple(lines))


def matrix_of(result: Evaluation) -> pages.MatrixTable:
    """The confusion matrix with recall and precision of each class."""
    ends = {str(c.label): (c.recall_interval, c.precision_interval) for c in result.classes}
    return matrix_table(
        {result.counted.pred: result.matrix},
        result.positive_label,
        {label: recall for label, (recall, _) in ends.items()},
        {label: precision for label, (_, precision) in ends.items()},
        result.sample is not None,
    )


def what_if_of(result: Evaluation) -> pages.WhatIf | None:
    """What if, from the metrics of the first screen; curves of the prevalence chart follow."""
    positive, ranking, steps = None, result.ranking, None
    costs: tuple[float | None, float | None] = (None, None)
    if result.matrix.n_classes == 2 and result.positive is not None:
        positive = result.positive.label
        costs = class_costs(None if result.costs is None else result.costs.costs, result.matrix, positive)
        if ranking is not None:
            steps = steps_of(ranking.scores, result.matrix, positive, implied_threshold(result))
    fixed = ("priors", "priors_from", "title")
    return what_if(
        {result.counted.pred: result.matrix},
        [row.measure for row in result.first],
        positive=positive,
        drawn=[] if result.sweep is None else [measure(name) for name in result.sweep.lines],
        command=command_text("evaluate", result.options, leave_out=fixed),
        command_scores=command_text("evaluate", result.options, leave_out=(*fixed, "threshold", "pred")),
        steps=steps,
        costs=costs,
        priors=result.weighing.priors,
        drawing=drawing_of(result),
    )


# None where they are of weights, groups or strata, by another method, or of a threshold that was chosen on
# these rows.
def drawing_of(result: Evaluation) -> dict[str, Any] | None:
    """How the intervals of the counts were drawn."""
    settings = result.interval_settings or {}
    intervals = [interval for interval in (result.intervals or {}).values() if interval.method != "none"]
    if "positive" not in settings or any(
        interval.method != "corrected" or "of new rows" in interval.note for interval in intervals
    ):
        return None
    return {key: settings[key] for key in ("level", "draws", "seed", "design")}


def implied_threshold(result: Evaluation) -> float | None:
    """The threshold that the labels stand for; None where they stand for none."""
    ranking = result.ranking
    point = None if ranking is None or len(ranking.classes) != 1 else ranking.classes[0].operating_point
    if point is None:
        return None
    threshold = point.implied if point.threshold is None else point.threshold
    return threshold if threshold is not None and math.isfinite(threshold) else None


def _notes(result: Evaluation) -> Iterator[pages.PageBlock]:
    """What a reader should know before the figures and no finding says."""
    in_findings = " ".join(f"{finding.what} {finding.why}" for finding in result.findings)
    in_findings += UNUSED_SCORES if "not used" in in_findings.lower() else ""
    in_production = () if result.production is None else result.production.notes
    notes = [
        Sentence(note, "bad")
        for note in result.warned
        if re.split("[:;]", note.removesuffix("."))[0] not in in_findings and note not in in_production
    ]
    yield from notes[:MOST_NOTES]
    if len(notes) > MOST_NOTES:
        more = len(notes) - MOST_NOTES
        yield Folded(f"{more} more note{'s' * (more > 1)} on the data", tuple(notes[MOST_NOTES:]))


def _sections(result: Evaluation) -> Iterator[pages.PageSection]:
    two = result.matrix.n_classes == 2
    possible = what_if_of(result)
    if possible is not None:
        note = (
            "Change prevalence, threshold or costs. Green marks here and in the charts below follow."
            if two
            else "Change how frequent the classes are. Green marks follow."
        )
        yield pages.PageSection("what-if", "What if?", (possible,), note=note)
    sections = result.report().sections
    report = {section.identity: section.blocks for section in sections}
    if result.costs is not None:
        yield pages.PageSection("costs", "Cost of errors", report["costs-section"], "Costs")
    if result.production is not None:
        blocks = tuple(_production(result, result.production, report.get("production-section", ())))
        yield pages.PageSection("production", "In production", blocks, "Production")
    yield pages.PageSection(
        "prevalence", "What depends on prevalence", tuple(_prevalence(result)), "Prevalence"
    )
    if result.ranking is None:
        how = (
            "A column with the probability or score of a class brings them: name it with --score."
            if two
            else "A column of scores for each class brings them: name them with --scores."
        )
        words = f"No scores were given, so ranking, threshold and calibration are not evaluated. {how}"
        yield pages.PageSection("ranking", "Ranking", (pages.Empty(words),))
    else:
        yield from page_tables.score_sections(result.ranking)
    yield pages.PageSection("classes", "Per class", tuple(page_tables.class_blocks(result)))
    for section in sections:
        if section.title and section.identity not in REPLACED:
            yield pages.PageSection(f"{section.identity}-part", section.title, section.blocks)
    yield pages.PageSection("slices", "Slices", report.get("slices-section", ()), "Slices")
    if result.options.relevance is not None:
        blocks = report.get("by-relevance", ())
        yield pages.PageSection("relevance", "Weighted by relevance", blocks, "Relevance")
    number = f"{len(result.weighing.rows)} metrics of the matrix"
    yield pages.PageSection("metrics", "All metrics", (page_tables.metrics_table(result),), note=number)
    yield pages.PageSection("method", "How this was computed", tuple(_method(result)), "How computed")


def _production(
    result: Evaluation, production: ProductionReport, blocks: tuple[pages.PageBlock, ...]
) -> Iterator[pages.PageBlock]:
    """What leads and what it assumes, then the metrics under each assumption beside each other."""
    yield from at_priors(result)
    estimates = [estimate for estimate in (production.leads, production.beside) if estimate is not None]
    if estimates:
        names = [metric_name(row.measure) for row in estimates[0].rows]
        names += [f"{row.title[:1].upper()}{row.title[1:]}" for row in estimates[0].scores]
        figures_of = [[*estimate.rows, *estimate.scores] for estimate in estimates]
        rows = tuple(
            (name, *(Cell(value_text(f.value), "strong", aside=between(f.low, f.high)) for f in of_metric))
            for name, *of_metric in zip(names, *figures_of, strict=True)
        )
        columns = number_columns(*(f"Under {estimate.assumption}" for estimate in estimates))
        yield Table((words_column("Metric"), *columns), rows, identity="in-production")
    joined = {f"production-{estimate.assumption.replace(' ', '-')}" for estimate in estimates}
    yield from (block for block in blocks if not isinstance(block, Table) or block.identity not in joined)


def _prevalence(result: Evaluation) -> Iterator[pages.PageBlock]:
    rows = []
    for shift in result.shifts:
        if not math.isnan(shift.observed):
            name, plot, *_ = page_tables.metric_row(result, shift.measure, shift.observed, shift.balanced)
            rows.append((name, plot, Cell(value_text(shift.observed), "strong"), value_text(shift.balanced)))
    columns = (*page_tables.METRIC_COLUMNS[:2], *number_columns("Test set", "Balanced "))
    forest = pages.forest(tuple(rows), columns, identity="shifts")
    table = pages.Panel("Test set against balanced classes", (forest,))
    if result.sweep is None:
        yield table
    else:
        yield pages.Columns((Figure(lambda: figures.prevalence_chart(result)), table), "7:5")


def _method(result: Evaluation) -> Iterator[pages.PageBlock]:
    counted, positive = result.counted, result.positive
    data = f"{Path(result.source).name or result.source}, {count(result.test_set.total)} rows."
    if counted.missing:
        data += f" {counted.missing:,} rows with a missing label were left out."
    if counted.truth:
        data += f" Truth {counted.truth}, prediction {counted.pred}."
    if counted.unused:
        data += f" Not used: {', '.join(counted.unused[:6])}."
    facts = [("Data", data)]
    if positive is not None and result.matrix.n_classes == 2:
        facts.append(("Positive class", f"{short(positive.label)} ({positive.reason})."))
    facts.append(("Primary metric", f"{short_name(result.decider.measure)}: {result.decider.words}."))
    if result.intervals is not None:
        settings = result.intervals.settings
        drawn = f"{100 * settings['level']:g}%, {settings['draws']:,} draws, seed {settings['seed']}."
        facts.append(("Intervals", f"{drawn} {result.assumed or ''}".strip()))
    no_skill = "The best value of a constant or random prediction, for each metric on its own."
    facts += [
        ("No-skill baseline", no_skill),
        ("Balanced prevalence", "Recall of each class stays as measured, all classes equally frequent."),
        ("Versions", f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint([result.matrix])}."),
        ("Figures as data", f"--json, schema {result.SCHEMA}. Charts as files: --plots."),
    ]
    yield pages.Facts(tuple(facts))
    if command := command_text("evaluate", result.options):
        yield Sentence("Reproduce this report", "strong")
        yield Sentence(f"{command} --html report.html", "code")
