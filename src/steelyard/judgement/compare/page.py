"""The page of a comparison: the first screen, what only a page can show, and the sections of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import baselines
from steelyard.judgement.compare import figures
from steelyard.judgement.compare.notes import moves
from steelyard.judgement.compare.sections import (
    detections,
    facts,
    gap_of,
    headline_metrics,
    title,
    verdict,
    warnings,
)
from steelyard.judgement.compare.tables import Gap, gap_table, gap_texts
from steelyard.judgement.page.tables import matrix_table
from steelyard.judgement.page.what_if import MOST_MODELS, what_if
from steelyard.judgement.reproduction import command_text
from steelyard.measures.costs import costs_for
from steelyard.measures.names import short_name
from steelyard.report import pages
from steelyard.report.class_names import short
from steelyard.report.numbers import probability, shown
from steelyard.report.sections import (
    Block,
    Cell,
    Figure,
    KeyFigure,
    Panel,
    Report,
    Section,
    Sentence,
    SideBySide,
    Strip,
    Table,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison

# Classes up to which the matrices of two models stand beside each other on the first screen.
MOST_PAIRED = 4
# Where a finding belongs, by the words it uses.
WORDS_OF_SECTION = {"prevalence": ("prevalence of",), "costs": ("lower cost",), "disagree": ()}
# Sections that the first screen of the page shows.
ON_FIRST_SCREEN = ("verdict", "ranking-section", "matrices")


def page(result: Comparison) -> pages.Page:
    """The page of several models on the same rows."""
    order, report = [row.model for row in result.ranking], result.report()
    heading = tuple(pages.Soft(words) if k % 2 else words for k, words in enumerate(title(result, order)))
    shown_facts = tuple((before, pages.Strong(fact), after) for before, fact, after in facts(result))
    first, *rest = verdict(result)
    judgement, colon, numbers = first.partition(": ")
    numbers = numbers.replace(" -", " −")
    paragraphs: list[pages.Runs] = [(pages.Strong(judgement + colon.strip()), f" {numbers}")]
    paragraphs += [(" ".join(rest),)] if rest else []
    opening = pages.Opening(heading, shown_facts, tuple(paragraphs), _key(result))
    first_blocks = (*_first_screen(result, order, report), *warnings(result))
    sections = _sections(result, order, report)
    parts = "Comparison report", opening, first_blocks, sections, result.findings
    return pages.page_with_findings(*parts, WORDS_OF_SECTION)


def _key(result: Comparison) -> KeyFigure | None:
    if len(result.ranking) < 2 or math.isnan(result.ranking[1].value):
        return None
    best, second = result.ranking[:2]
    value, low, high = gap_texts(*result.difference(result.by, best.model, second.model))
    lines = (
        f"{100 * result.level:g}% CI {low} to {high}",
        f"P({short(best.model, 16)} is best) {probability(best.probability_best)}",
    )
    return KeyFigure(short_name(result.by), value, lines, "Difference in")


def _sections(result: Comparison, order: Sequence[str], report: Report) -> Iterator[Section]:
    label = result.positive_label
    yield from _what_if(result, order)
    moving = [] if label is None else [m for m in headline_metrics(result) if moves(result, m)]
    charts = [Figure(partial(figures.prevalence_chart, result, m)) for m in moving[:4]]
    pairs = tuple(SideBySide(tuple(charts[k : k + 2])) for k in range(0, len(charts), 2))
    yield Section("What depends on prevalence", pairs, identity="prevalence", short="Prevalence")
    for section in report.sections:
        if section.identity in ON_FIRST_SCREEN:
            continue
        if section.identity == "classes":
            costs = () if label is None else (Figure(partial(figures.cost_chart, result, label)),)
            yield Section("Cost of errors", costs, identity="costs")
        matrices = _matrices(result, order) if section.identity == "classes" else ()
        yield replace(section, blocks=(*matrices, *map(_framed, section.blocks)))


def _framed(block: Block) -> Block:
    """A table of plots in a frame, under its title."""
    if isinstance(block, Table) and block.style == "forest":
        return Panel(block.title or block.columns[0].name, (replace(block, title=""),))
    return block


def _matrices(result: Comparison, order: Sequence[str]) -> Iterator[Block]:
    """The matrices of the two best models, where the first screen has room for one only."""
    if len(result.labels) > MOST_PAIRED:
        yield SideBySide(tuple(_matrix(result, [model]) for model in order[:2]))


def _matrix(result: Comparison, models: Sequence[str], *more: Block, level: int = 3) -> Panel:
    heading = f"Confusion matrix of {short(models[0], 24)}"
    if len(models) > 1:
        heading = "Confusion matrices" + (" of the two best" if len(result.models) > 2 else "")
    table = matrix_table({short(m, 18): result.matrices[m] for m in models}, result.positive_label)
    return Panel(heading, (table, *more), "count and row %", level)


def _what_if(result: Comparison, order: Sequence[str]) -> Iterator[Section]:
    cost_option, label = None if result.options is None else result.options.cost, result.positive_label
    costs = None if cost_option is None else costs_for(cost_option, result.labels)
    # Only draws of the posterior with the usual prior are made in the page as here.
    drawn = result.method == "posterior" and result.prior == "shared"
    drawing = {key: getattr(result, key) for key in ("level", "draws", "seed", "design")} if drawn else None
    return what_if(
        {short(model, 24): result.matrices[model] for model in order[:MOST_MODELS]},
        [m for m in headline_metrics(result) if label is not None or m.kind != "two-class"],
        note="Change prevalence or costs. Hollow marks stay at the test set, solid ones follow.",
        positive=label,
        command=command_text("compare", result.options, leave_out=("priors_range",)),
        by_range=True,
        costs=costs,
        drawing=drawing,
        joint=None if drawing is None else result.joint,
        turned=order[0] != result.models[0],
    )


def _first_screen(result: Comparison, order: Sequence[str], report: Report) -> Iterator[Block]:
    """The matrices of the two best models, beside their metrics or the ranking of all."""
    two = len(result.labels) == 2
    best = order[:2] if len(result.labels) <= MOST_PAIRED else order[:1]
    bars = detections(result, order) if len(best) == 2 else []
    matrices = _matrix(result, best, *bars, level=2)
    if len(order) > 2:
        ranking = next(section for section in report.sections if section.identity == "ranking-section")
        table, *below = ranking.blocks
        beside = Panel(ranking.title, (table,), "", 2)
    else:
        beside, below = Panel("Metrics", tuple(_headline(result, order)), "", 2), []
    yield SideBySide((matrices, beside), "5:7" if two or len(order) > 2 else "")
    yield from below


def _headline(result: Comparison, order: Sequence[str]) -> Iterator[Block]:
    """The values of two models and their differences by the metrics of the first screen."""
    chosen = headline_metrics(result)
    skill = baselines(result.matrices[order[0]], chosen, result.class_of_metrics)
    moving = [m for m in chosen if moves(result, m)]
    fixed = [m for m in chosen if m not in moving]

    gaps = []
    for m in (*fixed, *moving):
        values = [result.values[model][m.name] for model in order]
        marks = [(kind, v.value, v.low, v.high) for kind, v in zip(("value", "b"), values, strict=True)]
        marks += [("base", *(3 * (skill[m.name].value,)))] if m.name in skill else []
        if m.range.at(len(result.labels))[1] > 1:
            marks = []  # a cost has no place on an axis that ends at 1
        name = Cell(short_name(m), tip=m.question, note="primary metric" if m.name == result.by.name else "")
        both = Cell(shown(values[0].value), second=shown(values[1].value))
        known = gap_of(result, m, *order)
        gaps.append(Gap(name, known.ends, known.better, values=both, plot=Strip(tuple(marks))))
    groups = ((0, "Do not depend on prevalence", fixed), (len(fixed), "Depend on prevalence", moving))
    models = tuple(short(m, 24) for m in order)
    yield gap_table(
        gaps,
        "headline",
        f"{100 * result.level:g}% CI",
        groups=tuple((place, words) for place, words, of_group in groups if of_group),
        models=models,
        axis=Strip(()).axis,
    )
    yield Sentence(
        f"Difference {models[0]} − {models[1]} with {100 * result.level:g}% CI."
        " Not significant: the interval contains 0.",
        "soft",
    )
