"""The page of a comparison: which blocks stand where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.counts.labels import Label
from steelyard.judgement.compare import figures
from steelyard.judgement.compare.notes import FOLDS_LIKE_DATASETS
from steelyard.judgement.compare.page.tables import (
    better_model,
    chosen_metrics,
    class_blocks,
    difference,
    disagreement_blocks,
    first_of_many,
    first_of_two,
    gap_text,
)
from steelyard.judgement.compare.sections import class_in_question, verdict_sentences
from steelyard.judgement.page.tables import percent_text
from steelyard.judgement.page.what_if import MOST_MODELS, class_costs, what_if
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.measures.costs import costs_for
from steelyard.measures.kinship import listed
from steelyard.measures.short_names import short_name
from steelyard.report.chart import Chart
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import count, probability
from steelyard.report.pages import (
    Columns,
    Facts,
    KeyFigure,
    Opening,
    Page,
    PageBlock,
    PageSection,
    Runs,
    Soft,
    Strong,
    with_findings,
)
from steelyard.report.sections import (
    Figure,
    Folded,
    Sentence,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison


# Pairs of models whose differences are shown at once.
MOST_PAIRS = 10
# Sections of the report that the page shows in its own way; any other stands on it as it is.
REPLACED = (
    *("", "verdict", "ranking-section", "notes", "disagreements"),
    *("values-section", "gains-section", "matrices"),
)


def comparison_page(result: Comparison) -> Page:
    """The page of several models on the same rows."""
    order = [row.model for row in result.ranking]
    sections = [section for section in _sections(result, order) if section.blocks]
    known = {section.id for section in sections}
    words = {"disagree": "disagree", "prevalence": "prevalence", "costs": "cost"}
    placed = tuple(
        (next((place for place in words if words[place] in f.what and place in known), "disagree"), f)
        for f in result.findings
    )
    first = first_of_two(result, order) if len(order) == 2 else first_of_many(result, order)
    opening = Opening(
        _title(result, order), tuple(_facts(result)), tuple(_verdict(result, order)), _key(result)
    )
    notes = [Sentence(note, "bad") for note in result.notes if note.startswith(FOLDS_LIKE_DATASETS)]
    return Page(
        "Comparison report",
        "".join(opening.title),
        opening,
        (*first, *notes),
        with_findings(sections, placed),
        placed,
    )


def _title(result: Comparison, order: Sequence[str]) -> Runs:
    source = None if result.options is None else result.options.predictions
    files = source if isinstance(source, tuple) else (source,)
    named = len(files) == 1 and isinstance(files[0], (str, Path))
    on: Runs = (Soft(" on "), Path(files[0]).name) if named else ()
    if len(order) > 2:
        return f"{len(order)} models", *on
    return short(order[0], 40), Soft(" against "), short(order[1], 40), *on


def _facts(result: Comparison) -> Iterator[Runs]:
    total = sum(result.actual)
    same = " rows, the same for all" if len(result.models) > 2 else " rows, the same for both"
    if result.labelled_rows is not None:
        yield Strong(count(result.labelled_rows)), f" labelled of {count(total)}{same}"
    else:
        yield Strong(count(total)), same
    if len(result.labels) == 2:
        place = class_in_question(result)
        yield "positive class ", Strong(short(result.labels[place]))
        yield (
            "prevalence ",
            Strong(percent_text(result.actual[place] / total)),
            f" ({count(result.actual[place])} rows)",
        )
    else:
        yield Strong(f"{len(result.labels):,}"), " classes"
    if least := min(result.actual):
        yield "imbalance ", Strong(f"{max(result.actual) / least:,.3g}:1")


def _verdict(result: Comparison, order: Sequence[str]) -> Iterator[Runs]:
    first, *rest = verdict_sentences(result)
    head, colon, tail = first.partition(": ")
    a, b = (result.matrices[model] for model in order[:2])
    place = class_in_question(result)
    name = short_names(result.labels)[place]
    detects = f" It detects {count(a.hits[place].item())} of {count(a.actual[place].item())}"
    tail = f" {short_name(result.by)} {tail}{detects} {name}, {order[1]} {count(b.hits[place].item())}."
    yield (Strong(f"{head}."), tail) if colon else (first,)
    if len(result.labels) > 2:
        yield (" ".join(sentence for sentence in rest if sentence.startswith("Class")),)
        return
    false = [count((matrix.predicted[place] - matrix.hits[place]).item()) for matrix in (a, b)]
    metrics = [
        short_name(m)
        for m in chosen_metrics(result)
        if better_model(result, m, order).words == short(order[1], 16)
    ]
    price = f" By {listed(metrics)} {order[1]} is significantly better." if metrics else ""
    yield "False alerts: ", Strong(false[0]), " against ", Strong(false[1]), f".{price}"


def _key(result: Comparison) -> KeyFigure | None:
    if len(result.ranking) < 2 or math.isnan(result.ranking[1].value):
        return None
    best, second = result.ranking[:2]
    value, low, high = difference(result, result.by, best.model, second.model)
    lines = (
        f"{100 * result.level:g}% CI {gap_text(low)} to {gap_text(high)}",
        f"P({short(best.model, 16)} is best) {probability(best.probability_best)}",
    )
    return KeyFigure(short_name(result.by), gap_text(value), lines, "Difference in")


def _sections(result: Comparison, order: Sequence[str]) -> Iterator[PageSection]:
    label = figures.positive_of(result)
    if possible := _what_if(result, order, label):
        note = "Change prevalence or costs. Hollow marks stay at the test set, solid ones follow."
        yield PageSection("what-if", "What if?", (possible,), note=note)
    report = {section.identity: section for section in result.report().sections}
    ranged = report.pop("priors-range", None)
    charts = (
        [figures.prevalence_chart(result, m) for m in chosen_metrics(result) if figures.moves(result, m)]
        if label is not None
        else []
    )
    pairs = [
        Columns(tuple(Figure(partial(_itself, chart)) for chart in charts[k : k + 2]))
        for k in range(0, len(charts[:4]), 2)
    ]
    blocks = (*(() if ranged is None else ranged.blocks), *pairs)
    yield PageSection("prevalence", "What depends on prevalence", blocks, "Prevalence")
    yield PageSection("disagree", "Where metrics disagree", tuple(disagreement_blocks(result, order)))
    costs = report.pop("cost-range", None)
    yield PageSection(
        "costs", "Cost of errors", (*(() if costs is None else costs.blocks), *figures.cost_blocks(result))
    )
    yield PageSection(
        "classes",
        "Per class",
        tuple(class_blocks(result, order)),
        note="Which model is correct on which rows",
    )
    for identity, section in report.items():
        if section.title and (identity not in REPLACED or (identity == "values-section" and len(order) > 2)):
            blocks = section.blocks
            if identity == "pairs-section" and len(result.pairs) > MOST_PAIRS:
                blocks = (Folded(f"All {len(result.pairs)} pairs", blocks),)
            yield PageSection(f"{identity}-part", section.title, blocks)
    yield PageSection("method", "How this was computed", tuple(_method(result)), "How computed")


def _itself(chart: Chart) -> Chart:
    return chart


def _what_if(result: Comparison, order: Sequence[str], label: Label | None) -> PageBlock | None:
    costs = (
        None
        if result.options is None or result.options.cost is None
        else costs_for(result.options.cost, result.labels)
    )
    return what_if(
        {short(model, 24): result.matrices[model] for model in order[:MOST_MODELS]},
        chosen_metrics(result),
        positive=label,
        command=command_text("compare", result.options, leave_out=("priors_range",)),
        by_range=True,
        costs=(None, None) if label is None else class_costs(costs, result.matrices[order[0]], label),
    )


def _method(result: Comparison) -> Iterator[PageBlock]:
    facts = [("Data", f"{count(sum(result.actual))} rows, the same for {len(result.models)} models.")]
    if result.missing_left_out:
        facts.append(("Left out", f"{count(result.missing_left_out)} rows with a missing label or score."))
    if result.decides_because is not None:
        facts.append(("Primary metric", f"{short_name(result.by)}: {result.decides_because}."))
    if result.fragility is not None:
        facts.append(("If labels are wrong", result.fragility.words))
    if notes := [note for note in result.notes if note != result.assumed]:
        facts.append(("Notes", " ".join(f"{note[0].upper()}{note[1:].rstrip('.')}." for note in notes)))
    facts += [
        (
            "Intervals and differences",
            f"{100 * result.level:g}%, {result.draws:,} paired draws, seed {result.seed}. {result.assumed}",
        ),
        (
            "Versions",
            f"Steelyard {__version__}. Fingerprint of the counts: {fingerprint(result.matrices.values())}.",
        ),
        ("Figures as data", f"--json, schema {result.SCHEMA}. Charts as files: --plots."),
    ]
    yield Facts(tuple(facts))
    if command := command_text("compare", result.options):
        yield Sentence("Reproduce this report", "strong")
        yield Sentence(f"{command} --html report.html", "code")
