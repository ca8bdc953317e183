"""The page of a threshold choice: the evaluation at the threshold, the trade-off, and how certain it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from steelyard._version import __version__
from steelyard.judgement.evaluate.first_screen import first_panels
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.page import drawing_of
from steelyard.judgement.evaluate.result import Evaluation
from steelyard.judgement.evaluate.sections import classes_table, metrics_table
from steelyard.judgement.page.tables import percent_text
from steelyard.judgement.page.what_if import class_costs, steps_of, what_if
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.judgement.threshold import sections as parts
from steelyard.judgement.threshold.figures import trade_off_chart
from steelyard.judgement.threshold.result import Threshold
from steelyard.measures.costs import costs_for
from steelyard.report import pages
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, shown, threshold_shown
from steelyard.report.pages import Columns, PageSection, Panel, Runs, Strong
from steelyard.report.sections import Figure, Finding, Sentence
from steelyard.scores.threshold_sweep import sweep


def threshold_page(result: Threshold) -> pages.Page:
    """The page; held-out rows, where there are some, are what is evaluated on the first screen."""
    best, totals, choice = result.best, result.scores.totals, result.scores.positive_class()
    matrix = best.matrix if result.held_out is None else result.held_out.matrix
    there = evaluate(matrix, positive=best.positive, level=best.level or 0.95)
    rows = "held-out rows" if result.held_out is not None else "the rows it was chosen on"
    first = first_panels(there, rows, f"at the threshold, {rows}")
    score = result.options.score if isinstance(result.options.score, str) else "score"
    title = ("Threshold of ", score, pages.Soft(" on "), Path(result.source).name or result.source)
    number, positives = float(totals.sum()), float(totals[choice.place])
    prevalence = Strong(percent_text(positives / number))
    facts: list[Runs] = [(Strong(count(number)), " rows"), ("positive class ", Strong(short(best.positive)))]
    facts.append(("prevalence ", prevalence, f" ({count(positives)} rows)"))
    if result.held_out is not None:
        facts.append((Strong(count(float(result.held_out.matrix.total))), " held-out rows"))
    opening = pages.Opening(title, tuple(facts), tuple(_verdict(result)), _key(result))
    finding = _next(result)
    links = (("threshold", finding),) if finding is not None else ()
    parts_of_page = pages.with_findings(_sections(result, there), links)
    return pages.Page("Threshold report", "".join(title), opening, (first,), parts_of_page, links)


def _verdict(result: Threshold) -> Iterator[Runs]:
    """The choice and what it gives, on held-out rows where there are some; then the other sentences."""
    blocks = [block for block in parts.verdict_blocks(result) if isinstance(block, Sentence)]
    head, *others = [block.words for block in blocks if block.tone != "soft"]
    # Held-out rows come first: values on the rows of the choice are optimistic.
    unseen = [words for words in others if "held-out" in words]
    strong = [block.words for block in blocks[1:] if block.tone == "strong"]
    first = unseen or strong
    yield Strong(head.replace(" (see Next)", "")), f" {' '.join(first)}"
    if rest := [words for words in others if words not in first]:
        yield (f"{'On the rows it was chosen on: ' if unseen else ''}{' '.join(rest)}",)


def _key(result: Threshold) -> pages.KeyFigure:
    best = result.best
    lines = []
    if best.threshold_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        lines.append(f"{100 * best.level:g}% CI {threshold_shown(low)} to {threshold_shown(high)}")
    name = parts.brief(best.measure)
    if best.value_interval is not None:
        lines.append(f"{name} {shown(best.value)} ({between(*best.value_interval)})")
    words = f"best {name}" if result.decides_because else "chosen"
    return pages.KeyFigure(words, threshold_shown(best.threshold), tuple(lines), "Threshold:")


def _next(result: Threshold) -> Finding | None:
    """What the report says to do next, as a finding."""
    steps = [block for section in parts.next_steps(result) for block in section.blocks]
    sentences = [block for block in steps if isinstance(block, Sentence)]
    command = next((block.words for block in sentences if block.tone == "code"), "")
    if not command.startswith("steelyard"):
        return None
    if result.decides_because:
        unsaid = "nothing says what errors cost or how many alerts can be reviewed"
        why = "The primary metric weighs errors in its own way, which is probably not what they cost you."
        do = "Replace the costs of a miss (200) and of a false alarm (4) with your own."
        return Finding("warning", f"No threshold is recommended: {unsaid}.", why, do, command)
    if "OTHER_FILE" in command:
        what = "The threshold was chosen and evaluated on the same rows."
        why = "On new rows the values are usually worse than those shown here."
        return Finding("note", what, why, "Evaluate it on rows it has not seen: --apply-to names their file.")
    return None


def _sections(result: Threshold, there: Evaluation) -> Iterator[PageSection]:
    from steelyard.judgement.evaluate.options import Options

    best, options, choice = result.best, result.options, result.scores.positive_class()
    costs = None if options.cost is None else costs_for(options.cost, best.matrix.labels)
    file = Path(result.source).name
    command = ""
    if isinstance(options.data, (str, Path)) and isinstance(options.score, str):
        named: dict[str, Any] = {
            "truth": options.truth,
            "score": options.score,
            "positive": str(best.positive),
        }
        fixed = ("threshold", "priors", "title")
        command = command_text("evaluate", Options(options.data, **named), leave_out=fixed)
    mark = "Best" if result.decides_because else "Chosen"
    possible = what_if(
        {file or "scores": best.matrix},
        [row.measure for row in there.first],
        positive=best.positive,
        command=f"{command} --threshold {best.threshold:.12g}" if command else "",
        command_scores=command,
        steps=steps_of(result.scores, best.matrix, best.positive, best.threshold, mark),
        costs=class_costs(costs, best.matrix, best.positive),
        drawing=drawing_of(there),
    )
    if possible is not None:
        note = "Change prevalence, threshold or costs. Green marks follow; the rows are those of the choice."
        yield PageSection("what-if", "What if?", (possible,), note=note)
    chart = Figure(partial(trade_off_chart, result, parts.brief(best.measure)))
    table = Panel("What each threshold gives", (parts.trade_off_table(result),))
    title = "Threshold and review capacity"
    yield PageSection("threshold", title, (Columns((chart, table)),), "Threshold and capacity")
    certain = tuple(parts.uncertainty(result))
    yield PageSection("uncertainty", "How certain the threshold is", certain, "Uncertainty")
    yield PageSection("classes", "Per class", (classes_table(there),))
    yield PageSection("metrics", "All metrics", (metrics_table(there),), note="at the chosen threshold")
    counted = fingerprint([sweep(result.scores, best.positive).matrices])
    of_matrix = "with confidence intervals of the matrix that leave out the choice itself"
    facts = (
        ("Data", f"{file}, {count(float(result.scores.totals.sum()))} rows."),
        ("Positive class", f"{short(choice.label)} ({choice.reason})."),
        ("Metrics", f"At the threshold, {of_matrix}."),
        ("Versions", f"Steelyard {__version__}. Fingerprint of the counts: {counted}."),
        ("Figures as data", f"--json, schema {result.SCHEMA}."),
    )
    method: list[pages.PageBlock] = [pages.Facts(facts)]
    if again := command_text("threshold", options):
        code = Sentence(f"{again} --html report.html", "code")
        method += [Sentence("Reproduce this report", "strong"), code]
    yield PageSection("method", "How this was computed", tuple(method), "How computed")
