"""Tables of the page of a comparison: forest rows, paired matrices, who is correct on which rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard.judgement.baselines import baselines
from steelyard.judgement.compare import figures
from steelyard.judgement.compare.sections import class_in_question
from steelyard.judgement.page.tables import matrix_table, metric_name, value_text
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.report.chart import rounded_up
from steelyard.report.class_names import short, short_names
from steelyard.report.numbers import between, count, p_relation, p_value, probability, shown, signed
from steelyard.report.pages import (
    Columns,
    PageBlock,
    Panel,
    Segments,
    forest,
)
from steelyard.report.sections import (
    Cell,
    Column,
    Sentence,
    Strip,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison


# Metrics of the first screen beside the primary one, the most wanted first.
FIRST = ("recall", "precision", "f_beta", "mcc", "accuracy", "balanced_accuracy", "macro_f_beta", "kappa")
MOST_FIRST = 6
# Classes up to which the matrices of two models stand beside each other on the first screen.
MOST_PAIRED = 4
# Classes that have a bar of who is correct.
MOST_BARS = 30
METRIC, PLOT = words_column("Metric", whole=True), Column("", "plot")


def difference(result: Comparison, m: Measure, first: str, second: str) -> tuple[float, float, float]:
    """The first model's value less the second's, whichever way the pair was compared."""
    pair = result.pair(first, second)
    gap, sign = pair.differences[m.name], 1 if pair.first == first else -1
    return sign * gap.value + 0.0, *sorted((sign * gap.low + 0.0, sign * gap.high + 0.0))  # type: ignore[return-value]


def gap_text(value: float) -> str:
    """A difference with its sign and three decimals; small ones with digits that say something."""
    text = f"{value:+.3f}" if math.isnan(value) or abs(value) >= 0.001 or not value else signed(value)
    return text.replace("-", "−")


def _who(result: Comparison, order: Sequence[str], place: int) -> Segments:
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
    return Segments(title, tuple((words, n / max(gain.examples, 1), css) for words, n, css in parts))


def chosen_metrics(result: Comparison) -> list[Measure]:
    """The metrics of the first screen: the primary one, then the most wanted."""
    by_name = {m.name: m for m in result.measures}
    names = dict.fromkeys([result.by.name, *(name for name in FIRST if name in by_name), *by_name])
    return [by_name.get(name, result.by) for name in names][:MOST_FIRST]


def _metrics_of_two(result: Comparison, order: Sequence[str]) -> Iterator[PageBlock]:
    label = figures.positive_of(result)
    chosen = chosen_metrics(result)
    skill = baselines(result.matrices[order[0]], chosen, label)
    fixed = [m for m in chosen if not figures.moves(result, m)]
    moving = [m for m in chosen if m not in fixed]
    rows = []
    for m in (*fixed, *moving):
        a, b = (result.values[model][m.name] for model in order)
        marks = [("value", a.value, a.low, a.high), ("b", b.value, b.low, b.high)]
        if m.name in skill:
            marks.append(("base", *(3 * (skill[m.name].value,))))
        value, low, high = difference(result, m, order[0], order[1])
        tip = "; ".join(
            f"{short(model, 24)} {shown(v.value)} ({between(v.low, v.high)})"
            for model, v in zip(order, (a, b), strict=True)
        )
        rows.append(
            (
                Cell(
                    metric_name(m), tip=m.question, note="primary metric" if m.name == result.by.name else ""
                ),
                Cell("", strip=Strip(tuple(marks)), tip=f"{metric_name(m)}: {tip}"),
                Cell(value_text(a.value), second=value_text(b.value)),
                Cell(gap_text(value), "strong", aside=f"{gap_text(low)} to {gap_text(high)}"),
                better_model(result, m, order),
            )
        )
    groups = [(0, "Do not depend on prevalence")] if fixed else []
    groups += [(len(fixed), "Depend on prevalence")] if moving else []
    columns = (METRIC, PLOT, *number_columns("Value", "Difference"), words_column("Better"))
    yield forest(
        tuple(rows),
        columns,
        groups=tuple(groups),
        identity="headline",
        models=tuple(short(m, 18) for m in order),
    )
    yield Sentence(
        f"Difference {short(order[0], 18)} − {short(order[1], 18)} with {100 * result.level:g}% CI."
        " Not significant: the interval contains 0.",
        "soft",
    )


def better_model(result: Comparison, m: Measure, order: Sequence[str]) -> Cell:
    """Which of two models a metric favours, muted where the interval of the difference contains 0."""
    pair = result.pair(order[0], order[1])
    gap = pair.differences[m.name]
    if not gap.is_clear:
        return Cell("not signif.", "soft")
    return Cell(short(pair.first if (gap.value > 0) == (m.better != "lower") else pair.second, 16))


def first_of_two(result: Comparison, order: Sequence[str]) -> Iterator[PageBlock]:
    label, narrow = figures.positive_of(result), len(result.labels) <= MOST_PAIRED
    matrices = {short(model, 18): result.matrices[model] for model in (order if narrow else order[:1])}
    blocks: list[PageBlock] = [matrix_table(matrices, label)]
    if len(result.labels) == 2:
        blocks.append(_who(result, order, class_in_question(result)))
    heading = "Confusion matrices" if narrow else f"Confusion matrix of {short(order[0], 24)}"
    yield Columns(
        (
            Panel(heading, tuple(blocks), "count and row %", 2),
            Panel("Metrics", tuple(_metrics_of_two(result, order)), "", 2),
        ),
        "5:7" if len(result.labels) == 2 else "",
    )


def first_of_many(result: Comparison, order: Sequence[str]) -> Iterator[PageBlock]:
    label, two = figures.positive_of(result), len(result.labels) == 2
    best = order[:2] if len(result.labels) <= MOST_PAIRED else order[:1]
    matrices = {short(model, 18): result.matrices[model] for model in best}
    place = class_in_question(result)
    rows: list[tuple[Cell | str, ...]] = []
    for ranked in result.ranking:
        found, matrix = result.values[ranked.model][result.by.name], result.matrices[ranked.model]
        false = (matrix.predicted[place] - matrix.hits[place]).item()
        rows.append(
            (
                Cell(short(ranked.model, 24), tip=ranked.model if len(ranked.model) > 24 else ""),
                Cell("", strip=figures.strip_of(result, found)),
                Cell(shown(ranked.value), "strong", aside=between(found.low, found.high)),
                probability(ranked.probability_best),
                f"{count(matrix.hits[place].item())} of {count(matrix.actual[place].item())}",
                *([count(false)] if two else []),
            )
        )
    name = short_names(result.labels)[place]
    columns = (
        words_column("Model", whole=True),
        PLOT,
        *number_columns("Value", "P(best)", f"{name} detected"),
    )
    columns += number_columns("False alerts") if two else ()
    table = forest(tuple(rows), columns, identity="ranking", axis=figures.strip_axis(result))
    groups = [
        Sentence(f"No significant difference within: {', '.join(group)}.", "soft") for group in result.groups
    ]
    yield Columns(
        (
            Panel(
                "Confusion matrices of the two best"
                if len(best) > 1
                else f"Confusion matrix of {short(best[0], 24)}",
                (matrix_table(matrices, label),),
                "count and row %",
                2,
            ),
            Panel(f"Ranking by {short_name(result.by)}", (table, *groups), "", 2),
        ),
        "5:7",
    )


def disagreement_blocks(result: Comparison, order: Sequence[str]) -> Iterator[PageBlock]:
    """The differences of the two best models by every metric, the largest first, and why metrics disagree."""
    a, b = order[:2]
    pair = result.pair(a, b)
    known = [(m, *difference(result, m, a, b)) for m in result.measures]
    known = sorted((row for row in known if not math.isnan(row[1])), key=lambda row: -row[1])
    widest = max((abs(end) for row in known for end in row[2:] if not math.isnan(end)), default=1.0)
    most = math.ceil(10 * widest) / 10 if widest > 0.1 else rounded_up(widest)
    rows = []
    for m, value, low, high in known:
        clear = pair.differences[m.name].is_clear
        kind = "n" if not clear else "value" if value > 0 else "b"
        rows.append(
            (
                Cell(metric_name(m), tip=m.question),
                Cell(
                    "",
                    strip=Strip(((kind, value, low, high),), -most, most),
                    tip=pair.differences[m.name].note,
                ),
                Cell(gap_text(value), "strong", aside=f"{gap_text(low)} to {gap_text(high)}"),
                p_value(pair.holm_p_values[m.name], pair.differences[m.name].p_value_is_floor),
                better_model(result, m, (a, b)),
            )
        )
    axis = tuple(f"{part * most:.2g}".replace("-", "−") for part in (-1, -0.5, 0, 0.5, 1))
    columns = (METRIC, PLOT, *number_columns("Difference", "p (Holm)"), words_column("Better"))
    title = f"Difference {short(a, 24)} − {short(b, 24)}"
    yield Panel(
        title,
        (forest(tuple(rows), columns, axis=axis, identity="differences"),),
        f"second line: {100 * result.level:g}% CI",
    )
    for conflict in result.disagreements:
        if {conflict.first, conflict.second} == {a, b}:
            yield Sentence(f"{a} or {b}? ({conflict.noise})", "strong")
            yield from (Sentence(f"{reason}.") for reason in conflict.reasons)
    yield from (Sentence(f"{kinship}.", "soft") for kinship in result.kinships)


def class_blocks(result: Comparison, order: Sequence[str]) -> Iterator[PageBlock]:
    label = figures.positive_of(result)
    if len(result.labels) > MOST_PAIRED:
        yield Columns(
            tuple(
                Panel(
                    f"Confusion matrix of {short(model, 24)}",
                    (matrix_table({short(model, 18): result.matrices[model]}, label),),
                    "count and row %",
                )
                for model in order[:2]
            )
        )
    pair = result.pair(order[0], order[1])
    places = [k for k, n in enumerate(result.actual) if n][:MOST_BARS]
    bars = [
        Panel(short(result.labels[k], 40), (_who(result, order, k),), f"{count(result.actual[k])} rows")
        for k in places
    ]
    yield from (Columns(tuple(bars[k : k + 2])) for k in range(0, len(bars), 2))
    if (test := pair.mcnemar) is not None:
        words = f"McNemar's test over all rows: {count(test.only_first)} correct only by {pair.first},"
        words += f" {count(test.only_second)} only by {pair.second}, p {p_relation(test.exact)} (exact)."
        yield Sentence(words, "soft")
