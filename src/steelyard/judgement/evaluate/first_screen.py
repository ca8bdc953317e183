"""First screen of an evaluation: title, verdict in counts, confusion matrix, headline metrics, next step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.baselines import best_constant
from steelyard.judgement.evaluate.findings import UNUSED_SCORES, first_warnings
from steelyard.judgement.evaluate.prevalence_dependence import (
    POPULAR_MULTI_CLASS,
    POPULAR_TWO_CLASS,
    HeadlineRow,
)
from steelyard.judgement.page.tables import matrix_table, plot_cell, rounded
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short, short_names
from steelyard.report.numbers import between, count, distinct_percents, one_decimal, percent, shown
from steelyard.report.sections import (
    Cell,
    Column,
    Depth,
    Panel,
    Section,
    Sentence,
    SideBySide,
    Table,
    table_of,
    words_column,
)
from steelyard.uncertainty.intervals import CAUTIOUS, Interval
from steelyard.uncertainty.resampling import WHAT_A_DESIGN_MEANS

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation


# Notes that the first screen has room for; the others follow in the full report.
MOST_NOTES = 1
# Marks the primary metric.
PRIMARY = "*"
# Classes whose recall has a mark of its own.
MOST_MARKED = 60
# Marks of a plot in words.
NAMES = {"base": "no skill", "balanced": "at balanced prevalence"}


def title(result: Evaluation) -> str:
    """What was evaluated, how much of it, and how rare the rare is."""
    parts = [result.options.title or Path(result.source).name or result.source]
    if result.counted.pred not in ("prediction", "y_pred"):
        parts.append(result.counted.pred)
    return " · ".join([*parts, *facts(result)])


def facts(result: Evaluation) -> Iterator[str]:
    """The rows, the classes, and the positive one where that is not clear by itself."""
    test_set, positive, rows = result.test_set, result.positive, result.counted.row_counts
    about = "" if result.sample is None else "about "
    if rows is None:
        yield f"{count(test_set.total)} rows"
    elif result.strata is not None:
        yield f"{count(rows.total.item())} labelled of {rounded(test_set.total, about)} rows"
    else:
        yield f"{count(rows.total.item())} rows of weight {count(test_set.total)}"
    if positive is None or len(test_set.classes) != 2:
        yield f"{len(test_set.classes):,} classes"
        return
    rare = next(c for c in test_set.classes if c.label == positive.label)
    name = short(rare.label)
    is_number = not name[:1].isalpha()  # two numbers in a row are not understood
    cases = "positive" if is_number else name
    yield f"{about}{rounded(rare.count, about)} {cases} ({percent(rare.share)})"
    if positive.guessed or is_number:
        why = f" ({positive.reason.removeprefix('it is ')})" if positive.guessed else ""
        yield f"positive class: {quoted(rare.label) if is_number else name}{why}"


def first_screen(result: Evaluation) -> Iterator[Section]:
    """The sections that stand first on every surface."""
    label = result.positive_label
    lines = [Sentence(text, "strong") for text in sentences(result)]
    if label is not None and result.matrix.n_classes > 2:
        # One of many classes against all others, in counts.
        about = "" if result.sample is None else "about "
        text = " ".join(_two_classes(result.matrix.one_vs_rest(label), label, lambda name: None, about))
        lines.append(Sentence(f"Class {quoted(label)} against the rest: {text[0].lower()}{text[1:]}"))
    yield Section("", (*lines, *at_priors(result)), "brief", "verdict")
    yield Section("", (first_panels(result), *_ranking(result), _primary(result)), "brief", "headline")
    remarks = [Sentence(f"{finding.what} {finding.why}", "bad") for finding in first_warnings(result)]
    remarks += [Sentence(note, "bad") for note in first_notes(result)]
    if result.assumed:
        # What every interval assumes by default has no room on a terminal; anything else has.
        depth: Depth = "full" if result.assumed == WHAT_A_DESIGN_MEANS["sample"] else "brief"
        yield Section("", (Sentence(result.assumed, "soft"),), depth)
    step = next((finding for finding in result.findings if finding.command and finding.kind == "note"), None)
    if step is not None:
        remarks += [Sentence(f"{step.what} {step.next.removesuffix('.')}:"), Sentence(step.command, "code")]
    if remarks:
        yield Section("", tuple(remarks), "brief")


def first_notes(result: Evaluation) -> tuple[str, ...]:
    """What a reader should know before the figures: the first note, and how the labels came about."""
    later = () if result.production is None else result.production.notes
    others = [note for note in result.warned if note not in later and not note.startswith(UNUSED_SCORES)]
    gmean = result.interval_of("gmean")
    wide = gmean is not None and CAUTIOUS in gmean.note
    cautious = (f"The confidence interval of G-mean is {CAUTIOUS}.",) if wide else ()
    return tuple(dict.fromkeys((*others[:MOST_NOTES], *result.labels_come_from, *cautious)))


def first_panels(result: Evaluation, matrix_note: str = "count and row %", note: str = "") -> SideBySide:
    """The confusion matrix beside the metrics."""
    matrices = {result.counted.pred: result.matrix}
    matrix = matrix_table(matrices, result.positive_label, result.classes, result.sample is not None)
    for row in result.first:
        if not note and row.baseline is not None and row.baseline.value == 1 > row.observed:
            note = f"{row.baseline.words} reaches {short_name(row.measure)} 1: read it with precision"
    panels = (
        Panel("Confusion matrix", (matrix,), matrix_note, 2),
        Panel("Metrics", (headline_table(result),), note, 2),
    )
    return SideBySide(panels, "5:7" if result.matrix.n_classes == 2 else "11:9")


def headline_table(result: Evaluation) -> Table:
    """Each metric on the test set with its interval, the no-skill value, and at other class distributions.

    The primary metric stands first, with those that depend on prevalence as it does.
    """
    primary, level = result.decider.measure.name, result.level_text
    depends = result.first[0].depends_on_shares
    rows = sorted(result.first, key=lambda row: row.depends_on_shares != depends)
    alike = sum(row.depends_on_shares == depends for row in rows)
    production = {} if result.production is None else {r.measure.name: r for r in result.production.rows}
    least = -1.0 if any(min(row.observed, row.balanced) < 0 for row in rows) else 0.0

    def name(row: HeadlineRow) -> Cell:
        is_primary, m = row.measure.name == primary, row.measure
        note = "primary metric" if is_primary else ""
        return Cell(short_name(m), "strong" if is_primary else "plain", m.question, note=note)

    def plot(row: HeadlineRow) -> Cell | str:
        if row.measure.range.at(result.matrix.n_classes)[1] > 1:
            return ""  # a cost has no place on an axis that ends at 1
        marks = [] if row.baseline is None else [("base", row.baseline.value)]
        marks += [("balanced", row.balanced)] if row.depends_on_shares else []
        tip = ", ".join(f"{NAMES[kind]} {shown(at)}" for kind, at in marks)
        # The plot is of the first value of the row.
        there = production.get(row.measure.name)
        if there is not None:
            ends = None if math.isnan(there.low) else (there.low, there.high)
            return plot_cell(there.value, ends, marks, tip, least)
        if row.measure.name == "macro_recall":  # the mean hides a class that is never detected
            marks += [("ghost", c.recall) for c in result.classes[:MOST_MARKED]]
            tip += "; circles: the recall of each class"
        return plot_cell(row.observed, result.interval_of(row.measure.name), marks, tip, least)

    def no_skill(row: HeadlineRow) -> Cell:
        base = row.baseline
        if base is None:
            return Cell("-")
        # What was simulated is not known to more digits than these.
        simulated = f"{base.value + 0.0:.2f}".replace("-0.00", "0.00")
        return Cell(shown(base.value) if base.how == "exact" else simulated, tip=f"{base.words} ({base.how})")

    def in_production(row: HeadlineRow) -> Cell:
        there = production.get(row.measure.name)
        return Cell("-" if there is None else shown(there.value), "strong")

    def interval(row: HeadlineRow) -> str:
        if not production:
            return result.interval_text(row.measure.name) or "-"
        there = production.get(row.measure.name)
        return "-" if there is None or math.isnan(there.low) else between(there.low, there.high)

    # Beside two values of a metric a column says whose no-skill value it is; the interval follows its value.
    priors = any(row.at_priors is not None for row in rows) and not production
    of = ", test set" if priors or production else ""
    ends = (Column(f"{level}{'' if production else of}", on_page="aside"), interval) if level else None
    heads = "Do not depend on prevalence", "Depend on prevalence"
    groups = (0, heads[depends]), (alike, heads[not depends])
    return table_of(
        rows,
        (words_column("metric", whole=True), name),
        (Column("", on_page="nothing"), lambda row: PRIMARY if row.measure.name == primary else ""),
        (Column("", "plot"), plot),
        *((("in production", in_production), ends) if production else ()),
        ("at your priors", lambda row: Cell(shown(row.at_priors), "strong")) if priors else None,
        ("test set", lambda row: Cell(shown(row.observed), tip=row.why_undefined or "")),
        None if production else ends,
        (Column(f"no-skill{of}", wide=True), no_skill),
        (
            Column("balanced", on_page="nothing" if of else "column", wide=True),
            lambda row: shown(row.balanced),
        ),
        identity="headline",
        style="forest",
        groups=tuple(group for group in groups if group[0] < len(rows)),
        axis=("−1", "−.5", "0", ".5", "1") if least else ("0", ".25", ".5", ".75", "1"),
    )


def at_priors(result: Evaluation) -> Iterator[Sentence]:
    """What the given priors make of the alerts: the price in production."""
    if result.production is not None:
        from steelyard.judgement.evaluate.optional_sections import production_sentences

        yield from production_sentences(result, result.production)
        return
    precision = next((row.at_priors for row in result.first if row.measure.name == "precision"), None)
    if precision is not None and not math.isnan(precision):
        yield Sentence(f"At your priors {percent(1 - precision)} of its alerts would be false.", "strong")


def _ranking(result: Evaluation) -> Iterator[Sentence]:
    """How well the scores rank, where there are scores of one positive class."""
    if result.ranking is None or len(result.ranking.classes) != 1:
        return
    rows = {row.measure.id: row for row in result.ranking.classes[0].measures}
    level = f"{100 * result.ranking.level:g}% CI " if result.ranking.level else ""
    texts = [
        f"{name} {shown(row.value)}" + (f" ({level}{between(row.low, row.high)})" if level else "")
        for name, identity in (("ROC AUC", "roc_auc"), ("average precision", "average_precision"))
        if (row := rows.get(identity)) is not None and not math.isnan(row.value)
    ]
    if texts:
        of = f" of class {quoted(result.ranking.classes[0].label)}" if result.matrix.n_classes > 2 else ""
        # Beside estimates for production, scores are still those of the labelled rows.
        where = "" if result.production is None else " on the test set"
        yield Sentence(f"Scores{of}{where}: {', '.join(texts)}.")


def _primary(result: Evaluation) -> Sentence:
    # On some matrices a metric that depends on prevalence does not move: precision without false alarms.
    popular = (*POPULAR_TWO_CLASS, *POPULAR_MULTI_CLASS)
    depends = [
        short_name(row.measure) for row in result.first if row.depends_on_shares or row.measure.id in popular
    ]
    listed = any(row.measure.name == result.decider.measure.name for row in result.first)
    mark = f"{PRIMARY} Primary metric:"
    if not listed:
        mark = f"Primary metric: {short_name(result.decider.measure)} (below),"
    text = f"{mark} {result.decider.words}."
    if depends:
        what = "prevalence" if result.matrix.n_classes == 2 else "the class distribution"
        text += f" Dependent on {what}: {', '.join(depends)}."
    # The balanced column of a cost may exceed its no-skill value: only one of them is of the test set.
    row, constant = result.first[0], ""
    if row.measure.id == "expected_cost" and row.baseline is not None:
        constant = f" ({short_name(row.measure)}: {row.baseline.words}, on the test set)"
    return Sentence(
        f"{text} No-skill: best value of a constant or random prediction{constant}."
        " Balanced: at equal class sizes."
    )


# Classes named as those with the lowest recall.
MOST_NAMED = 3


# Counts that are estimated from a sample are said to be about so many.
def sentences(result: Evaluation) -> tuple[str, ...]:
    """The verdict in counts, with the rates and their confidence intervals in brackets."""
    matrix, about = result.matrix, "" if result.sample is None else "about "
    opening = (
        _two_classes(matrix, result.positive_label, result.interval_of, about)
        if matrix.n_classes == 2
        else _many_classes(matrix, about)
    )
    constant = best_constant(matrix)
    always, observed = distinct_percents(constant.accuracy, float(matrix.hits.sum() / matrix.total))
    name = short_names(matrix.labels)[matrix.labels.index(constant.label)]
    this = "so is this classifier" if always == observed else f"this classifier is {observed} accurate"
    return (*opening, f'Always predicting "{name}" is {always} accurate; {this}.')


def _two_classes(
    matrix: Confusion, positive: Label | None, interval_of: Callable[[str], Interval | None], about: str
) -> Iterator[str]:
    place = matrix.positive_class(positive).place
    label = matrix.labels[place]
    hits, examples, alerts = (
        float(counts[place]) for counts in (matrix.hits, matrix.actual, matrix.predicted)
    )
    false = float(matrix.counts[1 - place, place])
    if not alerts:
        yield f"Never predicts {quoted(label)}: all {about}{rounded(examples, about)} are missed (recall 0%)."
        return
    detects = detected(label, hits, examples, interval_in_percent(interval_of("recall")), about)
    precision = f" (precision {one_decimal(hits / alerts)}{interval_in_percent(interval_of('precision'))})"
    yield f"{detects}; {false_alerts(false, alerts, about)}{precision if alerts > 1 else ''}."


def detected(label: Label, hits: float, examples: float, interval: str = "", about: str = "") -> str:
    """How many positives are detected; a class whose name is a number is never a bare number."""
    name = short(label)
    cases = f"positives of class {quoted(label)}" if _is_number(name) else f"{name} cases"
    recall = f"(recall {one_decimal(hits / examples)}{interval})"
    return f"Detects {about}{rounded(hits, about)} of {rounded(examples, about)} {cases} {recall}"


def interval_in_percent(interval: Interval | None) -> str:
    """A confidence interval behind a percentage: ", 95% CI 84.4% to 95.5%"."""
    if interval is None:
        return ""
    return f", {100 * interval.level:g}% CI {one_decimal(interval.low)} to {one_decimal(interval.high)}"


def false_alerts(false: float, alerts: float, about: str = "") -> str:
    """How many alerts are false, in words that fit one of them."""
    number = rounded(alerts, about)
    if alerts == 1:
        return "its only alert is false" if false else "its only alert is true"
    if not false:
        return f"none of its {number} alerts is false"
    if false == alerts:
        return f"all of its {number} alerts are false"
    return f"{about}{rounded(false, about)} of its {number} alerts {'is' if false == 1 else 'are'} false"


def _many_classes(matrix: Confusion, about: str) -> Iterator[str]:
    correct, total = float(matrix.hits.sum()), float(matrix.total)
    numbers = f"{rounded(correct, about)} of {rounded(total, about)}"
    yield f"{about.capitalize()}{numbers} correct (accuracy {percent(correct / total)})."
    names, all_hits, sizes = short_names(matrix.labels), matrix.hits.tolist(), matrix.actual.tolist()
    rows = [
        (hits / size, size, quoted(name) if _is_number(name) else name, hits)
        for name, hits, size in zip(names, all_hits, sizes, strict=True)
        if size and hits < size
    ]
    # Of classes with the same recall the rarest first: it is the one that averages hide.
    rows.sort(key=lambda row: row[:2])
    lowest = ", ".join(
        f"{name} ({about}{rounded(hits, about)} of {rounded(size, about)})"
        for _, size, name, hits in rows[:MOST_NAMED]
    )
    if lowest:
        head = "Lowest recall" if len(rows) <= MOST_NAMED else f"The {MOST_NAMED} lowest recalls"
        yield f"{head}: {lowest}."


def _is_number(name: str) -> bool:
    """Is it a number, which no sentence has bare?"""
    return name[:1].isdigit() or name[:1] in "+-."
