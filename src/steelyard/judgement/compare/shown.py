"""A comparison of models, on a terminal and as a page."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from steelyard.judgement.compare.result import Comparison, Pair
from steelyard.measures.kinship import listed, short_name
from steelyard.measures.measure import Measure
from steelyard.report.numbers import count, p_relation, p_value, shown
from steelyard.report.page import html
from steelyard.report.page.drawing import MARKS, Dot, dot_rows, tick_marks
from steelyard.report.terminal import ARROWS, plain_table, words
from steelyard.scores.areas_shown import areas_section, show_areas

_BAR = 24
_FEW = 4
"""More models than this are shown without intervals of their values, and their differences by the deciding measure only."""


def text(result: Comparison) -> str:
    """The comparison as plain text."""
    buffer = io.StringIO()
    show(result, Console(file=buffer, width=140, highlight=False))
    return buffer.getvalue().rstrip("\n")


def show(result: Comparison, out: Console) -> None:
    """Who is best, by what, how surely, and where the measures disagree."""
    classes = ", ".join(f"{label} {n:,}" for label, n in zip(result.labels, result.actual, strict=True))
    out.print(
        words(
            f"{len(result.models)} models on the same {sum(result.actual):,} examples ({classes})",
            style="dim",
        )
    )
    if result.settings["positive"] is not None:
        out.print(words(f"Positive class: {result.settings['positive']}."))
    _show_ranking(out, result)
    _show_values(out, result)
    if len(result.models) <= _FEW:
        for pair in result.pairs:
            _show_pair(out, result, pair)
    else:
        _show_all_pairs(out, result)
    if result.areas is not None:
        show_areas(result.areas, out)
    if result.disagreements:
        out.print(words("\nWhere measures disagree", style="bold"))
        for found in result.disagreements:
            out.print(
                words(f"{found.first} or {found.second}?", style="italic"),
                words(f"({found.noise})", style="dim"),
            )
            for reason in found.reasons:
                out.print(words(f"  - {reason}."))
    else:
        out.print(words("\nNo two of these measures disagree about any two models.", style="bold"))
    if result.kinships:
        out.print(words("\nMeasures that cannot disagree", style="bold"))
        for kinship in result.kinships:
            out.print(words(f"  - {kinship}."))
    if result.notes:
        out.print()
        for note in result.notes:
            out.print(words(f"{note}.", style="yellow"))


def _show_ranking(out: Console, result: Comparison) -> None:
    table = plain_table(
        "model",
        "value",
        "P(best)",
        "mean rank",
        "",
        title=f"\nRanking by {result.by.name}",
        right=("value", "P(best)", "mean rank"),
    )
    for ranked in result.ranking:
        table.add_row(
            words(ranked.model),
            shown(ranked.value),
            probability(ranked.probability_best),
            f"{ranked.mean_rank:.2f}",
            words(
                rank_bar(ranked.mean_rank, ranked.rank_low, ranked.rank_high, len(result.models)), style="dim"
            ),
        )
    out.print(table)
    for group in result.groups:
        out.print(words(f"Not told apart by {result.by.name}: {listed(group)}."))


def rank_bar(mean: float, low: float, high: float, models: int, width: int = _BAR) -> str:
    """Where a model's rank lies between the first place (left) and the last: o at its mean, dashes over its interval."""
    if math.isnan(mean):
        return ""
    at = [round((value - 1) / (models - 1) * (width - 1)) for value in (low, mean, high)]
    return "".join("o" if k == at[1] else "-" if at[0] <= k <= at[2] else " " for k in range(width))


def _show_values(out: Console, result: Comparison) -> None:
    with_intervals = len(result.models) <= _FEW
    title = f"\nValues with {100 * result.settings['level']:g} % intervals" if with_intervals else "\nValues"
    table = plain_table("measure", "", *result.models, "best", title=title, right=result.models)
    for m in result.measures:
        cells = []
        for model in result.models:
            value = result.values[model][m.name]
            cell = words(shown(value.value), style="bold" if model in result.best[m.name] else "")
            if not math.isnan(value.low) and with_intervals:
                cell.append(f" [{shown(value.low)}, {shown(value.high)}]", style="dim")
            cells.append(cell)
        table.add_row(words(m.name), ARROWS[m.better], *cells, words(", ".join(result.best[m.name])))
    out.print(table)


def _show_pair(out: Console, result: Comparison, pair: Pair) -> None:
    rope = result.settings["rope"] is not None
    right = ("difference", f"P({pair.first} better)", "P(equivalent)", "p", "p (Holm)")
    columns = [c for c in ("measure", *right, "") if rope or c != "P(equivalent)"]
    table = plain_table(*columns, title=f"\n{pair.first} less {pair.second}", right=right)
    for m in result.measures:
        table.add_row(*_pair_cells(m, pair, rope))
    out.print(table)
    test = pair.mcnemar
    out.print(
        words(
            f"{test.only_first:,} examples only {pair.first} gets right, {test.only_second:,} only {pair.second}: "
            f"McNemar p {p_relation(test.exact)} (exact), {p_relation(test.mid_p)} (mid-p).",
            style="dim",
        )
    )


def _show_all_pairs(out: Console, result: Comparison) -> None:
    right = ("difference", "P(first better)", "P(equivalent)", "p", "p (Holm)")
    rope = result.settings["rope"] is not None
    columns = [c for c in ("first less second", *right, "") if rope or c != "P(equivalent)"]
    table = plain_table(*columns, title=f"\nDifferences by {result.by.name}", right=right)
    for pair in result.pairs:
        table.add_row(words(f"{pair.first} - {pair.second}"), *_pair_cells(result.by, pair, rope)[1:])
    out.print(table)


def _pair_cells(m: Measure, pair: Pair, rope: bool) -> list[Text]:
    found = pair.differences[m.name]
    gap = words(
        f"{found.value:+.3f}" if not math.isnan(found.value) else "undefined",
        style="bold" if found.is_clear else "",
    )
    if not math.isnan(found.low):
        gap.append(f" [{found.low:+.3f}, {found.high:+.3f}]", style="dim")
    identical = found.low == found.high == 0
    equivalent = [words("1" if identical else probability(found.probability_equivalent))] if rope else []
    tests = [words(p_value(found.p_value)), words(p_value(pair.holm_p_values[m.name]))]
    return [
        words(short_name(m)),
        gap,
        words(probability(found.probability_better)),
        *equivalent,
        *tests,
        words(found.note, style="yellow"),
    ]


def probability(value: float | None) -> str:
    """A probability from draws: what no draw contradicts is not certain for that."""
    if value is None or math.isnan(value):
        return ""
    return "> 0.999" if value > 0.999 else "< 0.001" if value < 0.001 else f"{value:.3f}"


# -- page


def page(result: Comparison) -> str:
    """The whole comparison in one file."""
    return html.page(f"Comparison of {listed(result.models)}", list(_body(result)))


def fragment(result: Comparison) -> str:
    """The ranking and the values, for a notebook."""
    return html.fragment([*_head(result), *_values(result)])


def _body(result: Comparison) -> Iterator[str]:
    yield from _head(result)
    yield from _values(result)
    yield from _disagreements(result)
    for pair in result.pairs:
        yield from _pair(result, pair)
    if result.areas is not None:
        yield from areas_section(result.areas)


def _head(result: Comparison) -> Iterator[str]:
    yield html.heading(f"Comparison of {listed(result.models)}", 1)
    yield html.paragraph(
        f"{count(sum(result.actual))} examples of {len(result.labels)} classes, the same for every model.",
        "soft",
    )
    if result.settings["positive"] is not None:
        yield html.paragraph(f"Positive class: {result.settings['positive']}.", "soft")
    for note in result.notes:
        yield html.paragraph(f"{note}.", "bad")
    yield html.heading(f"Ranking by {result.by.title[0].lower()}{result.by.title[1:]}")
    rows = [
        [r.model, shown(r.value), probability(r.probability_best), f"{r.mean_rank:.2f}"]
        for r in result.ranking
    ]
    yield html.table(["model", "value", "P(best)", "mean rank"], rows, identity="ranking")
    dots = [
        [
            Dot(
                r.mean_rank,
                "first",
                f"{r.model}: mean rank {r.mean_rank:.2f}, {r.rank_low:.0f} to {r.rank_high:.0f}",
                r.rank_low,
                r.rank_high,
            )
        ]
        for r in result.ranking
    ]
    places = [(float(k), str(k)) for k in range(1, len(result.models) + 1)]
    yield html.figure(
        dot_rows([r.model for r in result.ranking], dots, "Ranks", places),
        "Mean rank over drawn test sets, 1 is best; the line is the interval.",
    )
    for group in result.groups:
        yield html.paragraph(f"Not told apart: {listed(group)}.", "bad")


def _values(result: Comparison) -> Iterator[str]:
    level = f"{100 * result.settings['level']:g} %"
    yield html.heading("Values")
    header = ["measure", *result.models, "best"]
    rows = []
    for m in result.measures:
        found = [result.values[model][m.name] for model in result.models]
        cells = [
            (shown(v.value), v.undefined_because or f"{level} interval {shown(v.low)} to {shown(v.high)}")
            for v in found
        ]
        rows.append([(m.title, m.question), *cells, ", ".join(result.best[m.name])])
    yield html.table(header, rows, words=(len(header) - 1,), identity="values")
    names, dots = [], []
    for m in result.measures:
        drawn = []
        for k, model in enumerate(result.models):
            v = result.values[model][m.name]
            ends = [m.normalise(x, len(result.labels)) for x in (v.value, v.low, v.high)]
            if None not in ends and not math.isnan(v.value):
                tip = (
                    f"{model}: {m.title} {shown(v.value)}, {level} interval {shown(v.low)} to {shown(v.high)}"
                )
                drawn.append(Dot(ends[0], MARKS[k % len(MARKS)], tip, ends[1], ends[2]))
        names.append(m.title)
        dots.append(drawn)
    keys = [(MARKS[k % len(MARKS)], model) for k, model in enumerate(result.models)]
    ticks = ((0, "worst"), (0.25, ""), (0.5, ""), (0.75, ""), (1, "best"))
    yield html.figure(
        dot_rows(names, dots, "Values with intervals", ticks, keys),
        f"Values with {level} intervals, on the scale from the worst to the best possible value.",
    )


def _disagreements(result: Comparison) -> Iterator[str]:
    yield html.heading("Where measures disagree")
    if not result.disagreements:
        yield html.paragraph("No two of these measures disagree about any two models.")
    for found in result.disagreements:
        yield html.heading(f"{found.first} or {found.second}? ({found.noise})", 3)
        for reason in found.reasons:
            yield html.paragraph(f"{reason}.")
    for kinship in result.kinships:
        yield html.paragraph(f"{kinship}.", "soft")


def _pair(result: Comparison, pair: Pair) -> Iterator[str]:
    yield html.heading(f"{pair.first} less {pair.second}")
    rows, names, dots, ends = [], [], [], [0.0]
    for m in result.measures:
        d = pair.differences[m.name]
        tests = [probability(d.probability_better), p_value(d.p_value), p_value(pair.holm_p_values[m.name])]
        if math.isnan(d.value):
            rows.append([m.title, "undefined", "", *tests, d.note])
            continue
        rows.append([m.title, f"{d.value:+.3f}", f"{d.low:+.3f} to {d.high:+.3f}", *tests, d.note])
        names.append(m.title)
        dots.append(
            [
                Dot(
                    d.value,
                    "first" if d.is_clear else "sixth",
                    f"{m.title}: {d.value:+.3f}, {d.low:+.3f} to {d.high:+.3f}",
                    d.low,
                    d.high,
                )
            ]
        )
        ends += [end for end in (d.value, d.low, d.high) if not math.isnan(end)]
    if names:
        yield html.figure(
            dot_rows(names, dots, "Differences", tick_marks(min(ends), max(ends))),
            f"{pair.first} less {pair.second}; grey squares: zero is inside the interval.",
        )
    yield html.table(
        ["measure", "difference", "interval", f"P({pair.first} better)", "p", "p (Holm)", "note"],
        rows,
        words=(6,),
    )
    test = pair.mcnemar
    words = (
        f"{test.only_first:,} examples only {pair.first} gets right, {test.only_second:,} only {pair.second}"
    )
    yield html.paragraph(
        f"{words}: McNemar p {p_relation(test.exact)} (exact), {p_relation(test.mid_p)} (mid-p).", "soft"
    )
