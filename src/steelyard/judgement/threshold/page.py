"""The page of a threshold choice: the evaluation at the threshold, the trade-off, and how certain it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from steelyard.judgement.evaluate.first_screen import first_panels
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.page import drawing_of
from steelyard.judgement.evaluate.result import Evaluation
from steelyard.judgement.evaluate.sections import classes_table, metrics_table
from steelyard.judgement.page.what_if import steps_of, what_if
from steelyard.judgement.reproduction import command_for, method_section
from steelyard.judgement.threshold import sections as parts
from steelyard.judgement.threshold.figures import trade_off_chart
from steelyard.judgement.threshold.result import Threshold
from steelyard.judgement.threshold.sections import OTHER_FILE, findings
from steelyard.measures.costs import costs_for
from steelyard.measures.names import short_name
from steelyard.report import pages
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, one_decimal, shown, threshold_shown
from steelyard.report.pages import Runs, Strong
from steelyard.report.sections import Figure, KeyFigure, Panel, Section, SideBySide


def page(result: Threshold) -> pages.Page:
    """The page; held-out rows, where there are some, are what is evaluated on the first screen."""
    best, totals, choice = result.best, result.scores.totals, result.scores.positive_class()
    matrix = best.matrix if result.held_out is None else result.held_out.matrix
    there = evaluate(matrix, positive=best.positive, level=best.level or 0.95)
    rows = "held-out rows" if result.held_out is not None else "the rows it was chosen on"
    first = first_panels(there, rows, f"at the threshold, {rows}")
    score = result.options.score if isinstance(result.options.score, str) else "score"
    title = ("Threshold of ", score, pages.Soft(" on "), Path(result.source).name or result.source)
    number, positives = float(totals.sum()), float(totals[choice.place])
    prevalence = Strong(one_decimal(positives / number))
    facts: list[Runs] = [(Strong(count(number)), " rows"), ("positive class ", Strong(short(best.positive)))]
    facts.append(("prevalence ", prevalence, f" ({count(positives)} rows)"))
    if result.held_out is not None:
        facts.append((Strong(count(float(result.held_out.matrix.total))), " held-out rows"))
    opening = pages.Opening(title, tuple(facts), tuple(_verdict(result)), _key(result))
    # Commands of a page run as they are printed, so one with a placeholder is left out.
    next_steps = [
        replace(each, command="") if OTHER_FILE in each.command else each for each in findings(result)
    ]
    parts_of_page = "Threshold report", opening, (first,), _sections(result, there), next_steps
    return pages.page_with_findings(*parts_of_page, {"threshold": ()})


def _verdict(result: Threshold) -> Iterator[Runs]:
    """The choice and what it gives, on held-out rows where there are some; then the other sentences."""
    sentences = parts.verdict(result)
    head, *rest = sentences["choice"]
    # Held-out rows come first: values on the rows of the choice are optimistic.
    first = sentences["held out"] or [each for each in sentences["here"] if each.tone == "strong"]
    yield Strong(head.words), f" {' '.join(each.words for each in first)}"
    rest += [
        each
        for each in (*sentences["here"], *sentences["remarks"])
        if each not in first and each.tone != "soft"
    ]
    if rest:
        chosen_on = "On the rows it was chosen on: " if sentences["held out"] else ""
        yield (chosen_on + " ".join(each.words for each in rest),)


def _key(result: Threshold) -> KeyFigure:
    best = result.best
    lines = []
    if best.threshold_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        lines.append(f"{100 * best.level:g}% CI {threshold_shown(low)} to {threshold_shown(high)}")
    name = short_name(best.measure)
    if best.value_interval is not None:
        lines.append(f"{name} {shown(best.value)} ({between(*best.value_interval)})")
    words = f"best {name}" if result.decides_because else "chosen"
    return KeyFigure(words, threshold_shown(best.threshold), tuple(lines), "Threshold:")


def _sections(result: Threshold, there: Evaluation) -> Iterator[Section]:
    best, options, choice = result.best, result.options, result.scores.positive_class()
    costs = None if options.cost is None else costs_for(options.cost, best.matrix.labels)
    file = Path(result.source).name
    command = ""
    if isinstance(options.data, (str, Path)) and isinstance(options.score, str):
        command = command_for("evaluate", options, positive=str(best.positive), priors=None, fit_on=None)
    mark = "Best" if result.decides_because else "Chosen"
    yield from what_if(
        {file or "scores": best.matrix},
        [row.measure for row in there.first],
        note="Change prevalence, threshold or costs. Green marks follow; the rows are those of the choice.",
        positive=best.positive,
        command=f"{command} --threshold {best.threshold:.12g}" if command else "",
        command_scores=command,
        steps=steps_of(result.scores, best.matrix, best.positive, best.threshold, mark),
        costs=costs,
        drawing=drawing_of(there),
    )
    chart = Figure(partial(trade_off_chart, result))
    certain = Panel("How certain the threshold is", tuple(parts.uncertainty(result)))
    table = Panel("What each threshold gives", parts.trade_off(result))
    blocks = (SideBySide((chart, certain), "7:5"), table)
    short_title = "Threshold and capacity"
    yield Section("Threshold and review capacity", blocks, identity="threshold", short=short_title)
    yield Section("Per class", (classes_table(there),), identity="classes")
    yield Section("All metrics", (metrics_table(there),), identity="metrics", note="at the chosen threshold")
    of_matrix = "with confidence intervals of the matrix that leave out the choice itself"
    facts = (
        ("Data", f"{file}, {count(float(result.scores.totals.sum()))} rows."),
        ("Positive class", f"{short(choice.label)} ({choice.reason})."),
        ("Metrics", f"At the threshold, {of_matrix}."),
    )
    yield method_section("threshold", result, facts, parts.counted(result), charts="")
