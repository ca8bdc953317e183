"""The page of an evaluation: which blocks stand where."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.judgement.evaluate.first_screen import at_priors, facts, first_notes, first_panels, sentences
from steelyard.judgement.page.what_if import NO_STEPS, steps_of, what_if
from steelyard.judgement.reproduction import command_text
from steelyard.measures.catalogue import measure
from steelyard.measures.names import short_name
from steelyard.report import pages
from steelyard.report.class_names import short
from steelyard.report.numbers import between, one_decimal, shown
from steelyard.report.sections import Block, KeyFigure, Section, Sentence

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

# Recall or precision is called high or low against this value, where the user required none.
REQUIRED = 0.5
# Where a finding belongs, by the words it uses.
WORDS_OF_SECTION = {
    "calibration": ("probabilit", "calibrat"),
    "threshold": ("threshold", "capacity", "column p ", "score"),
    "prevalence": ("prevalence", "accuracy", "priors"),
    "classes": (),
}


def page(result: Evaluation) -> pages.Page:
    """The page of one classifier on one test set."""
    source, pred = Path(result.source).name or result.source, result.counted.pred
    title: pages.Runs = (pred, pages.Soft(" on "), source)
    if result.options.title or pred in ("prediction", "y_pred", "predictions"):
        title = (result.options.title or source,)
    runs = tuple(_bold(fact, r"(?<![\w.])(\d[\d,.]*(?:%|:1)?)(?!\w)") for fact in _facts(result))
    opening = pages.Opening(title, runs, tuple(_verdict(result)), _key(result))
    first: tuple[Block, ...] = (first_panels(result), *_notes(result))
    parts = "Evaluation report", opening, first, _sections(result), result.findings
    return pages.page_with_findings(*parts, WORDS_OF_SECTION)


def _bold(text: str, pattern: str) -> pages.Runs:
    """The text in parts, of which those that match are bold."""
    pieces = enumerate(re.split(pattern, text))
    return tuple(pages.Strong(piece) if k % 2 else piece for k, piece in pieces if piece)


def _facts(result: Evaluation) -> Iterator[str]:
    test_set = result.test_set
    known = list(facts(result))
    yield from known
    if result.matrix.n_classes == 2 and not known[-1].startswith("positive class"):
        yield f"positive class {short(result.positive_label)}"
    if test_set.rrt is not None:
        if result.matrix.n_classes > 2:
            for words, of_class in (("largest", test_set.largest), ("smallest", test_set.smallest)):
                yield f"{words} {short(of_class.label)} {one_decimal(of_class.share)}"
        yield f"imbalance {test_set.rrt:,.3g}:1"
    if (threshold := implied_threshold(result)) is not None:
        name = result.options.score if isinstance(result.options.score, str) else "score"
        yield f"labels are {name} ≥ {threshold:.4g}"


def _verdict(result: Evaluation) -> Iterator[pages.Runs]:
    *of_classifier, constant = sentences(result)
    # Counts such as "91 of 100" in bold.
    runs = _bold(" ".join(of_classifier), r"(\d[\d,]* of (?:its )?\d[\d,]*)")
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


def _key(result: Evaluation) -> KeyFigure | None:
    name = result.decider.measure.name
    row = next((row for row in result.first if row.measure.name == name), None)
    if row is None:
        return None
    interval, lines = result.interval_of(name), []
    if interval is not None:
        lines.append(f"{100 * interval.level:g}% CI {between(interval.low, interval.high)}")
    if row.baseline is not None:
        lines.append(f"no skill {shown(row.baseline.value)}")
    if row.why_undefined:
        # One reason for each class that lacks rows: of many the first is enough here.
        first, *more = row.why_undefined.split("; ")
        lines.append(f"{first} (and {len(more):,} more)" if more else first)
    return KeyFigure(short_name(row.measure), shown(row.observed), tuple(lines))


def _what_if(result: Evaluation) -> Iterator[Section]:
    """What if, from the metrics of the first screen; curves of the prevalence chart follow."""
    two, ranking, steps = result.matrix.n_classes == 2, result.ranking, NO_STEPS
    positive = result.positive_label if two else None
    if positive is not None and ranking is not None:
        steps = steps_of(ranking.scores, result.matrix, positive, implied_threshold(result))
    note = "Change how frequent the classes are. Green marks follow."
    if two:
        note = "Change prevalence, threshold or costs. Green marks here and in the charts below follow."
    fixed = ("priors", "priors_from", "title")
    return what_if(
        {result.counted.pred: result.matrix},
        [row.measure for row in result.first],
        note=note,
        positive=positive,
        drawn=[] if result.sweep is None else [measure(name) for name in result.sweep.lines],
        command=command_text("evaluate", result.options, leave_out=fixed),
        command_scores=command_text("evaluate", result.options, leave_out=(*fixed, "threshold", "pred")),
        steps=steps,
        costs=None if result.costs is None else result.costs.costs,
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
    threshold = None if point is None else point.in_use
    return threshold if threshold is not None and math.isfinite(threshold) else None


def _notes(result: Evaluation) -> Iterator[Sentence]:
    """What a reader should know before the figures and no finding says."""
    in_findings = " ".join(f"{finding.what} {finding.why}" for finding in result.findings)
    for note in first_notes(result):
        if re.split("[:;]", note.removesuffix("."))[0] not in in_findings:
            yield Sentence(note, "bad")


def _sections(result: Evaluation) -> Iterator[Section]:
    """What if, then the titled sections of the report."""
    yield from _what_if(result)
    for section in result.report().at("page"):
        # What is said of production stands on the first screen of text.
        before = at_priors(result) if section.identity == "production" else ()
        if section.title:
            yield replace(section, blocks=(*before, *section.blocks))
