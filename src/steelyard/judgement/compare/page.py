"""The page of a comparison: which blocks stand where, forest rows, and who is correct on which rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.counts.labels import Label
from steelyard.judgement.baselines import baselines
from steelyard.judgement.compare import figures
from steelyard.judgement.compare.notes import FOLDS_LIKE_DATASETS
from steelyard.judgement.compare.sections import verdict_sentences
from steelyard.judgement.page.tables import matrix_table, metric_name, percent_text, value_text
from steelyard.judgement.page.what_if import MOST_MODELS, class_costs, what_if
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.measures.costs import costs_for
from steelyard.measures.kinship import listed
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import pages
from steelyard.report import sections as content
from steelyard.report.chart import rounded_up
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import between, count, p_relation, p_value, probability, shown, signed

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison


# Pairs of models whose differences are shown at once.
MOST_PAIRS = 10
# Sections of the report that the page shows in its own way; any other stands on it as it is.
REPLACED = (
    *("", "verdict", "ranking-section", "notes", "disagreements"),
    *("values-section", "gains-section", "matrices"),
)


def comparison_page(result: Comparison) -> pages.Page:
    """The page of several models on the same rows."""
    order = [row.model for row in result.ranking]
    sections = [section for section in _sections(result, order) if section.blocks]
    known = {section.id for section in sections}
    words = {"disagree": "disagree", "prevalence": "prevalence", "costs": "cost"}
    placed = tuple(
        (next((place for place in words if words[place] in f.what and place in known), "disagree"), f)
        for f in result.findings
    )
    opening = pages.Opening(
        _title(result, order), tuple(_facts(result)), tuple(_verdict(result, order)), _key(result)
    )
    notes = [content.Sentence(note, "bad") for note in result.notes if note.startswith(FOLDS_LIKE_DATASETS)]
    return pages.Page(
        "Comparison report",
        "".join(opening.title),
        opening,
        (_first_screen(result, order), *notes),
        pages.with_findings(sections, placed),
        placed,
    )


def _title(result: Comparison, order: Sequence[str]) -> pages.Runs:
    source = None if result.options is None else result.options.predictions
    files = source if isinstance(source, tuple) else (source,)
    named = len(files) == 1 and isinstance(files[0], (str, Path))
    on: pages.Runs = (pages.Soft(" on "), Path(files[0]).name) if named else ()
    if len(order) > 2:
        return f"{len(order)} models", *on
    return short(order[0], 40), pages.Soft(" against "), short(order[1], 40), *on


def _facts(result: Comparison) -> Iterator[pages.Runs]:
    total = sum(result.actual)
    same = " rows, the same for all" if len(result.models) > 2 else " rows, the same for both"
    labelled = result.labelled_rows
    number, same = (total, same) if labelled is None else (labelled, f" labelled of {count(total)}{same}")
    yield pages.Strong(count(number)), same
    if len(result.labels) == 2:
        place = result.class_in_question
        yield "positive class ", pages.Strong(short(result.labels[place]))
        share, rows = percent_text(result.actual[place] / total), f" ({count(result.actual[place])} rows)"
        yield "prevalence ", pages.Strong(share), rows
    else:
        yield pages.Strong(f"{len(result.labels):,}"), " classes"
    if least := min(result.actual):
        yield "imbalance ", pages.Strong(f"{max(result.actual) / least:,.3g}:1")


def _verdict(result: Comparison, order: Sequence[str]) -> Iterator[pages.Runs]:
    first, *rest = verdict_sentences(result)
    head, colon, tail = first.partition(": ")
    a, b = (result.matrices[model] for model in order[:2])
    place = result.class_in_question
    name = short_names(result.labels)[place]
    detects = f" It detects {count(a.hits[place].item())} of {count(a.actual[place].item())}"
    tail = f" {short_name(result.by)} {tail}{detects} {name}, {order[1]} {count(b.hits[place].item())}."
    yield (pages.Strong(f"{head}."), tail) if colon else (first,)
    if len(result.labels) > 2:
        yield (" ".join(sentence for sentence in rest if sentence.startswith("Class")),)
        return
    false = [count((matrix.predicted[place] - matrix.hits[place]).item()) for matrix in (a, b)]
    metrics = [
        short_name(m)
        for m in _chosen_metrics(result)
        if _better_model(result, m, order).words == short(order[1], 16)
    ]
    price = f" By {listed(metrics)} {order[1]} is significantly better." if metrics else ""
    yield "False alerts: ", pages.Strong(false[0]), " against ", pages.Strong(false[1]), f".{price}"


def _key(result: Comparison) -> pages.KeyFigure | None:
    if len(result.ranking) < 2 or math.isnan(result.ranking[1].value):
        return None
    best, second = result.ranking[:2]
    value, low, high = result.difference(result.by, best.model, second.model)
    lines = (
        f"{100 * result.level:g}% CI {_gap_text(low)} to {_gap_text(high)}",
        f"P({short(best.model, 16)} is best) {probability(best.probability_best)}",
    )
    return pages.KeyFigure(short_name(result.by), _gap_text(value), lines, "Difference in")


def _sections(result: Comparison, order: Sequence[str]) -> Iterator[pages.PageSection]:
    label = result.positive_label
    if possible := _what_if(result, order, label):
        note = "Change prevalence or costs. Hollow marks stay at the test set, solid ones follow."
        yield pages.PageSection("what-if", "What if?", (possible,), note=note)
    report = {section.identity: section for section in result.report().sections}
    ranged = report.pop("priors-range", None)
    moving = [] if label is None else [m for m in _chosen_metrics(result) if figures.moves(result, m)]
    charts = [content.Figure(partial(figures.prevalence_chart, result, m)) for m in moving[:4]]
    pairs = (pages.Columns(tuple(charts[k : k + 2])) for k in range(0, len(charts), 2))
    blocks = (*(() if ranged is None else ranged.blocks), *pairs)
    yield pages.PageSection("prevalence", "What depends on prevalence", blocks, "Prevalence")
    yield pages.PageSection("disagree", "Where metrics disagree", tuple(_disagreement_blocks(result, order)))
    costs = report.pop("cost-range", None)
    of_costs = (*(() if costs is None else costs.blocks), *figures.cost_blocks(result))
    yield pages.PageSection("costs", "Cost of errors", of_costs)
    note = "Which model is correct on which rows"
    yield pages.PageSection("classes", "Per class", tuple(_class_blocks(result, order)), note=note)
    for identity, section in report.items():
        if section.title and (identity not in REPLACED or (identity == "values-section" and len(order) > 2)):
            blocks = section.blocks
            if identity == "pairs-section" and len(result.pairs) > MOST_PAIRS:
                blocks = (content.Folded(f"All {len(result.pairs)} pairs", blocks),)
            yield pages.PageSection(f"{identity}-part", section.title, blocks)
    yield pages.PageSection("method", "How this was computed", tuple(_method(result)), "How computed")


def _what_if(result: Comparison, order: Sequence[str], label: Label | None) -> pages.PageBlock | None:
    cost_option = None if result.options is None else result.options.cost
    costs = None if cost_option is None else costs_for(cost_option, result.labels)
    # Only draws of the posterior with the usual prior are made in the page as here.
    drawn = result.method == "posterior" and result.prior == "shared"
    drawing = {key: getattr(result, key) for key in ("level", "draws", "seed", "design")} if drawn else None
    return what_if(
        {short(model, 24): result.matrices[model] for model in order[:MOST_MODELS]},
        [m for m in _chosen_metrics(result) if label is not None or m.kind != "two-class"],
        positive=label,
        command=command_text("compare", result.options, leave_out=("priors_range",)),
        by_range=True,
        costs=(None, None) if label is None else class_costs(costs, result.matrices[order[0]], label),
        drawing=drawing,
        joint=None if drawing is None else result.joint,
        turned=order[0] != result.models[0],
    )


def _method(result: Comparison) -> Iterator[pages.PageBlock]:
    facts = [("Data", f"{count(sum(result.actual))} rows, the same for {len(result.models)} models.")]
    if result.missing_left_out:
        facts.append(("Left out", f"{count(result.missing_left_out)} rows with a missing label or score."))
    if result.decides_because is not None:
        facts.append(("Primary metric", f"{short_name(result.by)}: {result.decides_because}."))
    if result.fragility is not None:
        facts.append(("If labels are wrong", result.fragility.words))
    if notes := [note for note in result.notes if note != result.assumed]:
        facts.append(("Notes", " ".join(f"{note[0].upper()}{note[1:].rstrip('.')}." for note in notes)))
    drawn = f"{100 * result.level:g}%, {result.draws:,} paired draws, seed {result.seed}. {result.assumed}"
    facts.append(("Intervals and differences", drawn))
    counted = f"Fingerprint of the counts: {fingerprint(result.matrices.values())}."
    facts.append(("Versions", f"Steelyard {__version__}. {counted}"))
    facts.append(("Figures as data", f"--json, schema {result.SCHEMA}. Charts as files: --plots."))
    yield pages.Facts(tuple(facts))
    if command := command_text("compare", result.options):
        yield content.Sentence("Reproduce this report", "strong")
        yield content.Sentence(f"{command} --html report.html", "code")


# Metrics of the first screen beside the primary one, the most wanted first.
FIRST = ("recall", "precision", "f_beta", "mcc", "accuracy", "balanced_accuracy", "macro_f_beta", "kappa")
# Rows of metrics that fit beside the matrices without scrolling.
MOST_FIRST = 6
# Classes up to which the matrices of two models stand beside each other on the first screen.
MOST_PAIRED = 4
# Classes that have a bar of who is correct.
MOST_BARS = 30
METRIC, PLOT = content.words_column("Metric", whole=True), content.Column("", "plot")


def _gap_text(value: float) -> str:
    """A difference with its sign and three decimals; small ones with digits that say something."""
    text = f"{value:+.3f}" if math.isnan(value) or abs(value) >= 0.001 or not value else signed(value)
    return text.replace("-", "−")


def _who(result: Comparison, order: Sequence[str], place: int) -> pages.Segments:
    """Who is correct on the rows of a class: both, one of them, neither."""
    pair = result.pair(order[0], order[1])
    gain = pair.gains[place]
    only = (
        (gain.only_first, gain.only_second) if pair.first == order[0] else (gain.only_second, gain.only_first)
    )
    both = int(result.matrices[order[0]].hits[place]) - only[0]
    parts = (
        (f"both {count(both)}", both, "value"),
        (f"only {short(order[0], 16)} {count(only[0])}", only[0], "value half"),
        (f"only {short(order[1], 16)} {count(only[1])}", only[1], "error"),
        (f"neither {count(gain.examples - both - sum(only))}", gain.examples - both - sum(only), "base"),
    )
    title = f"Who detects the {count(gain.examples)} {short(gain.label, 24)}?"
    return pages.Segments(title, tuple((words, n / max(gain.examples, 1), css) for words, n, css in parts))


def _chosen_metrics(result: Comparison) -> list[Measure]:
    """The metrics of the first screen: the primary one, then the most wanted."""
    by_name = {m.name: m for m in result.measures}
    names = dict.fromkeys([result.by.name, *(name for name in FIRST if name in by_name), *by_name])
    return [by_name.get(name, result.by) for name in names][:MOST_FIRST]


def _metrics_of_two(result: Comparison, order: Sequence[str]) -> Iterator[pages.PageBlock]:
    chosen = _chosen_metrics(result)
    skill = baselines(result.matrices[order[0]], chosen, result.class_of_metrics)
    fixed = [m for m in chosen if not figures.moves(result, m)]
    moving = [m for m in chosen if m not in fixed]
    rows = []
    for m in (*fixed, *moving):
        a, b = (result.values[model][m.name] for model in order)
        marks = [("value", a.value, a.low, a.high), ("b", b.value, b.low, b.high)]
        if m.name in skill:
            marks.append(("base", *(3 * (skill[m.name].value,))))
        value, low, high = result.difference(m, order[0], order[1])
        tip = "; ".join(
            f"{short(model, 24)} {shown(v.value)} ({between(v.low, v.high)})"
            for model, v in zip(order, (a, b), strict=True)
        )
        note = "primary metric" if m.name == result.by.name else ""
        rows.append(
            (
                content.Cell(metric_name(m), tip=m.question, note=note),
                content.Cell("", strip=content.Strip(tuple(marks)), tip=f"{metric_name(m)}: {tip}"),
                content.Cell(value_text(a.value), second=value_text(b.value)),
                content.Cell(_gap_text(value), "strong", aside=f"{_gap_text(low)} to {_gap_text(high)}"),
                _better_model(result, m, order),
            )
        )
    groups = [(0, "Do not depend on prevalence")] if fixed else []
    groups += [(len(fixed), "Depend on prevalence")] if moving else []
    columns = (METRIC, PLOT, *content.number_columns("Value", "Difference"), content.words_column("Better"))
    models = tuple(short(m, 18) for m in order)
    yield pages.forest(tuple(rows), columns, groups=tuple(groups), identity="headline", models=models)
    yield content.Sentence(
        f"Difference {short(order[0], 18)} − {short(order[1], 18)} with {100 * result.level:g}% CI."
        " Not significant: the interval contains 0.",
        "soft",
    )


def _better_model(result: Comparison, m: Measure, order: Sequence[str]) -> content.Cell:
    """Which of two models a metric favours, muted where the difference is not significant."""
    pair = result.pair(order[0], order[1])
    gap = pair.differences[m.name]
    if not pair.is_significant(m, result.level):
        return content.Cell("not signif.", "soft")
    return content.Cell(short(pair.first if (gap.value > 0) == (m.better != "lower") else pair.second, 16))


def _first_screen(result: Comparison, order: Sequence[str]) -> pages.PageBlock:
    """The matrices of the two best models, beside their metrics or the ranking of all."""
    label, classes = result.positive_label, len(result.labels)
    best = order[:2] if classes <= MOST_PAIRED else order[:1]
    blocks: list[pages.PageBlock] = [matrix_table({short(m, 18): result.matrices[m] for m in best}, label)]
    heading = "Confusion matrices" if len(best) > 1 else f"Confusion matrix of {short(best[0], 24)}"
    if len(order) > 2:
        heading += " of the two best" if len(best) > 1 else ""
        beside = pages.Panel(f"Ranking by {short_name(result.by)}", tuple(_ranking(result)), "", 2)
    else:
        blocks += [_who(result, order, result.class_in_question)] if classes == 2 else []
        beside = pages.Panel("Metrics", tuple(_metrics_of_two(result, order)), "", 2)
    matrices = pages.Panel(heading, tuple(blocks), "count and row %", 2)
    return pages.Columns((matrices, beside), "5:7" if classes == 2 or len(order) > 2 else "")


def _ranking(result: Comparison) -> Iterator[pages.PageBlock]:
    place, two = result.class_in_question, len(result.labels) == 2
    rows: list[tuple[content.Cell | str, ...]] = []
    for ranked in result.ranking:
        value, matrix = result.values[ranked.model][result.by.name], result.matrices[ranked.model]
        false = (matrix.predicted[place] - matrix.hits[place]).item()
        rows.append(
            (
                content.Cell(short(ranked.model, 24), tip=ranked.model if len(ranked.model) > 24 else ""),
                content.Cell("", strip=figures.strip_of(result, value)),
                content.Cell(shown(ranked.value), "strong", aside=between(value.low, value.high)),
                probability(ranked.probability_best),
                f"{count(matrix.hits[place].item())} of {count(matrix.actual[place].item())}",
                *([count(false)] if two else []),
            )
        )
    detected = f"{short_names(result.labels)[place]} detected"
    numbers = content.number_columns("Value", "P(best)", detected, *(["False alerts"] if two else []))
    columns = (content.words_column("Model", whole=True), PLOT, *numbers)
    yield pages.forest(tuple(rows), columns, identity="ranking", axis=figures.strip_axis(result))
    for group in result.groups:
        yield content.Sentence(f"No significant difference within: {', '.join(group)}.", "soft")


def _disagreement_blocks(result: Comparison, order: Sequence[str]) -> Iterator[pages.PageBlock]:
    """The differences of the two best models by every metric, the largest first, and why metrics disagree."""
    a, b = order[:2]
    pair = result.pair(a, b)
    known = [(m, *result.difference(m, a, b)) for m in result.measures]
    known = sorted((row for row in known if not math.isnan(row[1])), key=lambda row: -row[1])
    widest = max((abs(end) for row in known for end in row[2:] if not math.isnan(end)), default=1.0)
    # Both sides of 0 have the same reach, so that equal differences look equal.
    most = math.ceil(10 * widest) / 10 if widest > 0.1 else rounded_up(widest)
    rows = []
    for m, value, low, high in known:
        gap = pair.differences[m.name]
        kind = "n" if not pair.is_significant(m, result.level) else "value" if value > 0 else "b"
        rows.append(
            (
                content.Cell(metric_name(m), tip=m.question),
                content.Cell("", strip=content.Strip(((kind, value, low, high),), -most, most), tip=gap.note),
                content.Cell(_gap_text(value), "strong", aside=f"{_gap_text(low)} to {_gap_text(high)}"),
                p_value(pair.holm_p_values[m.name], gap.p_value_is_floor),
                _better_model(result, m, (a, b)),
            )
        )
    axis = tuple(f"{fraction * most:.2g}".replace("-", "−") for fraction in (-1, -0.5, 0, 0.5, 1))
    p = "p (Holm)" if len(result.pairs) > 1 else "p"  # Holm's correction is over pairs of models
    columns = (METRIC, PLOT, *content.number_columns("Difference", p), content.words_column("Better"))
    table = pages.forest(tuple(rows), columns, axis=axis, identity="differences")
    note = f"second line: {100 * result.level:g}% CI"
    note += "; significant by p (Holm)" if len(result.models) > 2 else ""
    yield pages.Panel(f"Difference {short(a, 24)} − {short(b, 24)}", (table,), note)
    for conflict in result.disagreements:
        if {conflict.first, conflict.second} == {a, b}:
            yield content.Sentence(f"{a} or {b}? ({conflict.noise})", "strong")
            yield from (content.Sentence(f"{reason}.") for reason in conflict.reasons)
    yield from (content.Sentence(f"{kinship}.", "soft") for kinship in result.kinships)


def _class_blocks(result: Comparison, order: Sequence[str]) -> Iterator[pages.PageBlock]:
    label = result.positive_label
    if len(result.labels) > MOST_PAIRED:
        tables = {m: matrix_table({short(m, 18): result.matrices[m]}, label) for m in order[:2]}
        named = [(f"Confusion matrix of {short(model, 24)}", table) for model, table in tables.items()]
        yield pages.Columns(tuple(pages.Panel(title, (table,), "count and row %") for title, table in named))
    pair = result.pair(order[0], order[1])
    places = [k for k, n in enumerate(result.actual) if n][:MOST_BARS]
    bars = [
        pages.Panel(short(result.labels[k], 40), (_who(result, order, k),), f"{count(result.actual[k])} rows")
        for k in places
    ]
    yield from (pages.Columns(tuple(bars[k : k + 2])) for k in range(0, len(bars), 2))
    if (test := pair.mcnemar) is not None:
        words = f"McNemar's test over all rows: {count(test.only_first)} correct only by {pair.first},"
        words += f" {count(test.only_second)} only by {pair.second}, p {p_relation(test.exact)} (exact)."
        yield content.Sentence(words, "soft")
