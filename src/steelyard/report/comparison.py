"""A comparison of models on a terminal."""

from __future__ import annotations

import math

from rich.console import Console
from rich.text import Text

from steelyard.comparison import Comparison, Pair
from steelyard.measures.kinship import listed, short_name
from steelyard.measures.measure import Measure
from steelyard.report.terminal import ARROWS, console, plain_table, shown

_BAR = 24
_FEW = 4
"""More models than this are shown without intervals of their values, and their differences by the deciding measure only."""


def show_comparison(result: Comparison) -> None:
    """Who is best, by what, how surely, and where the measures disagree."""
    out = console()
    classes = ", ".join(f"{label} {n:,}" for label, n in zip(result.labels, result.actual, strict=True))
    out.print(Text(f"{len(result.models)} models on the same {sum(result.actual):,} examples ({classes})", style="dim"))
    if result.settings["positive"] is not None:
        out.print(Text(f"Positive class: {result.settings['positive']}."))
    _show_ranking(out, result)
    _show_values(out, result)
    if len(result.models) <= _FEW:
        for pair in result.pairs:
            _show_pair(out, result, pair)
    else:
        _show_all_pairs(out, result)
    if result.disagreements:
        out.print(Text("\nWhere measures disagree", style="bold"))
        for found in result.disagreements:
            out.print(Text(f"{found.first} or {found.second}?", style="italic"), Text(f"({found.noise})", style="dim"))
            for reason in found.reasons:
                out.print(Text(f"  - {reason}."))
    else:
        out.print(Text("\nNo two of these measures disagree about any two models.", style="bold"))
    if result.kinships:
        out.print(Text("\nMeasures that cannot disagree", style="bold"))
        for kinship in result.kinships:
            out.print(Text(f"  - {kinship}."))
    if result.notes:
        out.print()
        for note in result.notes:
            out.print(Text(f"{note}.", style="yellow"))


def _show_ranking(out: Console, result: Comparison) -> None:
    table = plain_table(
        "model", "value", "P(best)", "mean rank", "", title=f"\nRanking by {result.by.name}", right=("value", "P(best)", "mean rank")
    )
    for ranked in result.ranking:
        table.add_row(
            Text(ranked.model),
            shown(ranked.value),
            probability(ranked.probability_best),
            f"{ranked.mean_rank:.2f}",
            Text(rank_bar(ranked.mean_rank, ranked.rank_low, ranked.rank_high, len(result.models)), style="dim"),
        )
    out.print(table)
    for group in result.groups:
        out.print(Text(f"Not told apart by {result.by.name}: {listed(group)}."))


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
            cell = Text(shown(value.value), style="bold" if model in result.best[m.name] else "")
            if not math.isnan(value.low) and with_intervals:
                cell.append(f" [{shown(value.low)}, {shown(value.high)}]", style="dim")
            cells.append(cell)
        table.add_row(Text(m.name), ARROWS[m.better], *cells, Text(", ".join(result.best[m.name])))
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
        Text(
            f"{test.only_first:,} examples only {pair.first} gets right, {test.only_second:,} only {pair.second}: "
            f"McNemar p = {p_value(test.exact)} (exact), {p_value(test.mid_p)} (mid-p).",
            style="dim",
        )
    )


def _show_all_pairs(out: Console, result: Comparison) -> None:
    right = ("difference", "P(first better)", "P(equivalent)", "p", "p (Holm)")
    rope = result.settings["rope"] is not None
    columns = [c for c in ("first less second", *right, "") if rope or c != "P(equivalent)"]
    table = plain_table(*columns, title=f"\nDifferences by {result.by.name}", right=right)
    for pair in result.pairs:
        table.add_row(Text(f"{pair.first} - {pair.second}"), *_pair_cells(result.by, pair, rope)[1:])
    out.print(table)


def _pair_cells(m: Measure, pair: Pair, rope: bool) -> list[Text]:
    found = pair.differences[m.name]
    gap = Text(f"{found.value:+.3f}" if not math.isnan(found.value) else "undefined", style="bold" if found.is_clear else "")
    if not math.isnan(found.low):
        gap.append(f" [{found.low:+.3f}, {found.high:+.3f}]", style="dim")
    identical = found.low == found.high == 0
    equivalent = [Text("1" if identical else probability(found.probability_equivalent))] if rope else []
    tests = [Text(p_value(found.p_value)), Text(p_value(pair.holm_p_values[m.name]))]
    return [Text(short_name(m)), gap, Text(probability(found.probability_better)), *equivalent, *tests, Text(found.note, style="yellow")]


def probability(value: float | None) -> str:
    """A probability from draws: what no draw contradicts is not certain for that."""
    if value is None or math.isnan(value):
        return ""
    return "> 0.999" if value > 0.999 else "< 0.001" if value < 0.001 else f"{value:.3f}"


def p_value(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.3f}" if value >= 0.001 else "< 0.001"
