"""Areas under the ROC curve of several models, on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from steelyard.report.numbers import p_value, shown
from steelyard.report.page import html
from steelyard.report.page.drawing import Dot, dot_rows, tick_marks
from steelyard.report.terminal import plain_table, words
from steelyard.scores.area_comparison import AreaComparison, AreaPair
from steelyard.scores.areas import AucComparison


def show_areas(result: AreaComparison, out: Console) -> None:
    """The areas and their differences on a terminal."""
    out.print(words(f"\nAreas under the ROC curve, positive class {result.positive}", style="bold"))
    values = plain_table("scores", "ROC AUC", right=("ROC AUC",))
    for name, area in _best_first(result):
        values.add_row(words(name), shown(area))
    out.print(values)
    header = _header(result)
    table = plain_table(*header, right=header[1:])
    for pair in result.pairs:
        table.add_row(*(words(cell) for cell in _cells(pair)))
    out.print(table)


def areas_section(result: AreaComparison) -> Iterator[str]:
    """The section of the page."""
    yield html.heading("Areas under the ROC curve")
    yield html.paragraph(
        f"Scores of class {result.positive} on the same rows. DeLong's test, and a bootstrap of {result.replicates:,} replicates that draws "
        "the same rows for both models.",
        "soft",
    )
    yield html.table(
        ["scores", "ROC AUC"], [[name, shown(area)] for name, area in _best_first(result)], identity="areas"
    )
    names, dots, ends = [], [], [0.0]
    for pair in result.pairs:
        names.append(f"{pair.first} less {pair.second}")
        dots.append([_dot(names[-1], pair.delong, "first"), _dot(names[-1], pair.bootstrap, "second")])
        ends += [*pair.delong.interval, *pair.bootstrap.interval]
    keys = (("first", "DeLong"), ("second", "paired bootstrap"))
    yield html.figure(
        dot_rows(names, dots, "Differences of areas", tick_marks(min(ends), max(ends)), keys),
        f"Differences of areas under the ROC curve with {100 * result.level:g} % intervals.",
    )
    yield html.table(_header(result), [_cells(pair) for pair in result.pairs], identity="area-differences")


def _header(result: AreaComparison) -> list[str]:
    level = f"{100 * result.level:g} %"
    return [
        "pair",
        "difference",
        f"{level}, DeLong",
        "p (DeLong)",
        "p (Holm)",
        f"{level}, bootstrap",
        "p (bootstrap)",
    ]


def _cells(pair: AreaPair) -> list[str]:
    return [
        f"{pair.first} less {pair.second}",
        f"{pair.delong.difference:+.3f}",
        _between(pair.delong),
        p_value(pair.delong.p_value),
        p_value(pair.holm_p_value),
        _between(pair.bootstrap),
        p_value(pair.bootstrap.p_value),
    ]


def _between(found: AucComparison) -> str:
    return f"{found.interval[0]:+.3f} to {found.interval[1]:+.3f}"


def _dot(name: str, found: AucComparison, css: str) -> Dot:
    return Dot(
        found.difference,
        css,
        f"{name}: {found.difference:+.3f}, {_between(found)} ({found.method})",
        *found.interval,
    )


def _best_first(result: AreaComparison) -> list[tuple[str, float]]:
    return sorted(result.areas.items(), key=lambda pair: -pair[1])
