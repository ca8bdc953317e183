"""The page of a threshold choice: the evaluation at the threshold, the trade-off, and how certain it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.evaluate.page import drawing_of, matrix_of
from steelyard.judgement.evaluate.page_tables import class_blocks, metrics_blocks, metrics_table
from steelyard.judgement.page.tables import percent_text
from steelyard.judgement.page.what_if import class_costs, steps_of, what_if
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.judgement.threshold import sections as parts
from steelyard.judgement.threshold.figures import trade_off_chart
from steelyard.measures.costs import costs_for
from steelyard.report.class_names import short
from steelyard.report.numbers import between, count, shown, threshold_shown
from steelyard.report.pages import (
    Columns,
    Facts,
    KeyFigure,
    Opening,
    Page,
    PageBlock,
    PageSection,
    Panel,
    Runs,
    Soft,
    Strong,
    with_findings,
)
from steelyard.report.sections import Figure, Finding, Sentence
from steelyard.scores.threshold_sweep import sweep

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation
    from steelyard.judgement.threshold.result import Threshold


def threshold_page(result: Threshold) -> Page:
    """The page; held-out rows, where there are some, are what is evaluated on the first screen."""
    best = result.best
    matrix = best.matrix if result.held_out is None else result.held_out.matrix
    there = evaluate(matrix, positive=best.positive, level=best.level or 0.95)
    rows = "held-out rows" if result.held_out is not None else "the rows it was chosen on"
    first = Columns(
        (
            Panel("Confusion matrix", (matrix_of(there),), rows, 2),
            Panel("Metrics", tuple(metrics_blocks(there)), f"at the threshold, {rows}", 2),
        ),
        "5:7",
    )
    finding = _next(result)
    opening = Opening(_title(result), tuple(_facts(result)), tuple(_verdict(result)), _key(result))
    links = (("threshold", finding),) if finding is not None else ()
    return Page(
        "Threshold report",
        "".join(opening.title),
        opening,
        (first,),
        with_findings(_sections(result, there), links),
        links,
    )


def _title(result: Threshold) -> Runs:
    score = result.options.score if isinstance(result.options.score, str) else "score"
    return "Threshold of ", score, Soft(" on "), Path(result.source).name or result.source


def _facts(result: Threshold) -> Iterator[Runs]:
    totals = result.scores.totals
    choice = result.scores.positive_class()
    positives = float(totals[choice.place])
    yield Strong(count(float(totals.sum()))), " rows"
    yield "positive class ", Strong(short(result.best.positive))
    yield "prevalence ", Strong(percent_text(positives / float(totals.sum()))), f" ({count(positives)} rows)"
    if result.held_out is not None:
        yield Strong(count(float(result.held_out.matrix.total))), " held-out rows"


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


def _key(result: Threshold) -> KeyFigure:
    best = result.best
    lines = []
    if best.threshold_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        lines.append(f"{100 * best.level:g}% CI {threshold_shown(low)} to {threshold_shown(high)}")
    name = parts.brief(best.measure)
    if best.value_interval is not None:
        lines.append(f"{name} {shown(best.value)} ({between(*best.value_interval)})")
    words = f"best {name}" if result.decides_because else "chosen"
    return KeyFigure(words, threshold_shown(best.threshold), tuple(lines), "Threshold:")


def _next(result: Threshold) -> Finding | None:
    """What the report says to do next, as a finding."""
    steps = [block for section in parts.next_steps(result) for block in section.blocks]
    sentences = [block for block in steps if isinstance(block, Sentence)]
    command = next((block.words for block in sentences if block.tone == "code"), "")
    if not command.startswith("steelyard"):
        return None
    if result.decides_because:
        what = (
            "No threshold is recommended: nothing says what errors cost or how many alerts can be reviewed."
        )
        why = "The primary metric weighs errors in its own way, which is probably not what they cost you."
        return Finding(
            "warning",
            what,
            why,
            "Replace the costs of a miss (200) and of a false alarm (4) with your own.",
            command,
        )
    if "OTHER_FILE" in command:
        what = "The threshold was chosen and evaluated on the same rows."
        why = "On new rows the values are usually worse than those shown here."
        return Finding("note", what, why, "Evaluate it on rows it has not seen: --apply-to names their file.")
    return None


def _sections(result: Threshold, there: Evaluation) -> Iterator[PageSection]:
    best, options = result.best, result.options
    costs = None if options.cost is None else costs_for(options.cost, best.matrix.labels)
    fixed = ("threshold", "priors", "title")
    source = (
        options.data if isinstance(options.data, (str, Path)) and isinstance(options.score, str) else None
    )
    command = "" if source is None else command_text("evaluate", _as_evaluation(result), leave_out=fixed)
    possible = what_if(
        {Path(result.source).name or "scores": best.matrix},
        [row.measure for row in there.first],
        positive=best.positive,
        command=f"{command} --threshold {best.threshold:.12g}" if command else "",
        command_scores=command,
        steps=steps_of(
            result.scores,
            best.matrix,
            best.positive,
            best.threshold,
            "Best" if result.decides_because else "Chosen",
        ),
        costs=class_costs(costs, best.matrix, best.positive),
        drawing=drawing_of(there),
    )
    if possible is not None:
        note = "Change prevalence, threshold or costs. Green marks follow; the rows are those of the choice."
        yield PageSection("what-if", "What if?", (possible,), note=note)
    name = parts.brief(best.measure)
    table = Panel("What each threshold gives", (parts.trade_off_table(result),))
    chart = Figure(partial(trade_off_chart, result, name))
    yield PageSection(
        "threshold", "Threshold and review capacity", (Columns((chart, table)),), "Threshold and capacity"
    )
    yield PageSection(
        "uncertainty", "How certain the threshold is", tuple(parts.uncertainty(result)), "Uncertainty"
    )
    yield PageSection("classes", "Per class", tuple(class_blocks(there)))
    yield PageSection("metrics", "All metrics", (metrics_table(there),), note="at the chosen threshold")
    yield PageSection("method", "How this was computed", tuple(_method(result)), "How computed")


def _as_evaluation(result: Threshold) -> Evaluation | None:
    from steelyard.judgement.evaluate.options import Options

    options = result.options
    return Options(options.data, truth=options.truth, score=options.score, positive=str(result.best.positive))  # type: ignore[return-value]


def _method(result: Threshold) -> Iterator[PageBlock]:
    counted = fingerprint([sweep(result.scores, result.best.positive).matrices])
    choice = result.scores.positive_class()
    yield Facts(
        (
            ("Data", f"{Path(result.source).name}, {count(float(result.scores.totals.sum()))} rows."),
            ("Positive class", f"{short(choice.label)} ({choice.reason})."),
            (
                "Metrics",
                "At the threshold, with confidence intervals of the matrix that leave out the choice itself.",
            ),
            ("Versions", f"Steelyard {__version__}. Fingerprint of the counts: {counted}."),
            ("Figures as data", f"--json, schema {result.SCHEMA}."),
        )
    )
    if command := command_text("threshold", result.options):
        yield Sentence("Reproduce this report", "strong")
        yield Sentence(f"{command} --html report.html", "code")
