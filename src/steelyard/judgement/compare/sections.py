"""What is said of a comparison, in the order in which it is read?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.compare.area_sections import area_sections
from steelyard.judgement.compare.cost_range_sections import cost_range_sections
from steelyard.judgement.compare.first_screen import first_screen, probability, title
from steelyard.judgement.compare.priors_range_sections import priors_range_sections
from steelyard.judgement.compare.row_costs import row_cost_sections
from steelyard.judgement.fingerprint import fingerprint
from steelyard.judgement.live import count_of, here, live_section
from steelyard.judgement.metrics.sections import ARROWS
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import between, count, p_relation, p_value, shown, signed
from steelyard.report.page.drawing import MARKS, Dot, dot_rows, tick_marks
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Picture,
    Report,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison, Pair
    from steelyard.measures.measure import Measure

FEW = 4
"""More models than this have their differences shown by the deciding measure only."""
MOST_CLASSES = 8
"""Classes up to which the matrices of the models have room beside each other."""


def comparison_report(result: Comparison) -> Report:
    """Everything that is said of several models."""
    sections = [
        *([] if result.row_costs is None else row_cost_sections(result.row_costs)),
        *first_screen(result),
        *([] if result.over_shares is None else priors_range_sections(result.over_shares)),
        *([] if result.over_costs is None else cost_range_sections(result.over_costs)),
        *_live(result),
        *_notes(result),
        *_disagreements(result),
        *_values(result),
        *_gains(result),
        *_matrices(result),
        *(
            [section for pair in result.pairs for section in _pair(result, pair)]
            if len(result.models) <= FEW
            else _all_pairs(result)
        ),
        *([] if result.areas is None else area_sections(result.areas)),
    ]
    counted = (
        f" Fingerprint of the counts: {fingerprint(result.matrices.values())}." if result.matrices else ""
    )
    return Report(title(result), tuple(sections), f"Steelyard {__version__}.{counted}")


def _live(result: Comparison) -> Iterable[Section]:
    """The same models elsewhere: with other shares of the classes, other costs, classes that matter more."""
    if not result.matrices:
        return ()
    return live_section(
        result.matrices,
        result.measures,
        positive=result.settings["positive"],
        intervals={
            model: {name: (v.low, v.high) for name, v in row.items()} for model, row in result.values.items()
        },
        level=result.settings["level"],
    )


def _notes(result: Comparison) -> Iterator[Section]:
    said: list[Block] = []
    if result.settings["positive"] is not None:
        said.append(Sentence(f"Positive class: {result.settings['positive']}.", "soft"))
    said += [
        Sentence(
            f"{note[0].upper()}{note[1:].rstrip('.')}.",
            "soft" if note == result.settings["assumed"] else "bad",
        )
        for note in result.notes
    ]
    if said:
        yield Section("", tuple(said), identity="notes")


def _disagreements(result: Comparison) -> Iterator[Section]:
    blocks: list[Block] = []
    if not result.disagreements:
        blocks.append(Sentence("No two of these measures disagree about any two models."))
    for found in result.disagreements:
        blocks.append(Sentence(f"{found.first} or {found.second}? ({found.noise})", "strong"))
        blocks += [Sentence(f"{reason}.") for reason in found.reasons]
    blocks += [Sentence(f"{kinship}.", "soft") for kinship in result.kinships]
    yield Section("Where measures disagree, and why", tuple(blocks), identity="disagreements")


def _values(result: Comparison) -> Iterator[Section]:
    level = f"{100 * result.settings['level']:g}%"
    few = len(result.models) <= FEW
    place = {model: k for k, model in enumerate(result.matrices)}
    rows = []
    for m in result.measures:
        cells: list[Cell | str] = [Cell(short_name(m), tip=m.question), ARROWS[m.better]]
        for k, model in enumerate(result.models):
            v = result.values[model][m.name]
            cells.append(
                Cell(
                    shown(v.value),
                    "strong" if model in result.best[m.name] else "plain",
                    tip=v.undefined_because or "",
                    follows=here(m, place.get(model, k)),
                    aside=f"[{between(v.low, v.high)}]" if few and not math.isnan(v.low) else "",
                )
            )
        rows.append((*cells, ", ".join(result.best[m.name])))
    table = Table(
        (
            words_column("measure", whole=True),
            words_column(""),
            *number_columns(*result.models),
            words_column("best"),
        ),
        tuple(rows),
        identity="values",
    )
    caption = f"Values with {level} intervals, on the scale from the worst to the best possible value."
    yield Section(
        f"Values with {level} intervals" if few else "Values",
        (table, Picture(lambda: _values_picture(result, level), caption, "")),
        identity="values-section",
    )


def _values_picture(result: Comparison, level: str) -> str:
    names, dots = [], []
    place = {model: k for k, model in enumerate(result.matrices)}
    for m in result.measures:
        drawn = []
        for k, model in enumerate(result.models):
            v = result.values[model][m.name]
            ends = [m.normalise(x, len(result.labels)) for x in (v.value, v.low, v.high)]
            if None not in ends and not math.isnan(v.value):
                tip = f"{model}: {m.title} {shown(v.value)}, {level} interval {between(v.low, v.high)}"
                worst_and_best = m.worst_and_best(len(result.labels))
                scale = (
                    None if worst_and_best is None else (float(worst_and_best[0]), float(worst_and_best[1]))
                )
                follows = here(m, place[model]) if scale and model in place else ""
                drawn.append(Dot(ends[0], MARKS[k % len(MARKS)], tip, ends[1], ends[2], follows, scale))
        names.append(short_name(m))
        dots.append(drawn)
    keys = [(MARKS[k % len(MARKS)], model) for k, model in enumerate(result.models)]
    ticks = ((0, "worst"), (0.25, ""), (0.5, ""), (0.75, ""), (1, "best"))
    return dot_rows(names, dots, "Values with intervals", ticks, keys)


def _gains(result: Comparison) -> Iterator[Section]:
    """Class by class, what each of two models gets right that the other does not."""
    if len(result.models) > FEW:
        return
    rows = tuple(
        (
            f"{pair.first} and {pair.second}",
            str(gain.label),
            count(gain.examples),
            count(gain.only_first),
            count(gain.only_second),
        )
        for pair in result.pairs
        for gain in pair.gains
        if gain.only_first or gain.only_second
    )
    if rows:
        table = Table(
            (
                words_column("models"),
                words_column("class"),
                *number_columns("examples", "only the first finds", "only the second finds"),
            ),
            rows,
            identity="gains",
        )
        yield Section("Class by class", (table,), identity="gains-section")


def _matrices(result: Comparison) -> Iterator[Section]:
    if len(result.labels) > MOST_CLASSES or len(result.models) > FEW:
        return
    names = [str(label) for label in result.labels]
    tables = tuple(
        Table(
            (words_column("truth"), *number_columns(*names)),
            tuple(
                (name, *(Cell(count(value), follows=count_of(i, j, k)) for j, value in enumerate(row)))
                for i, (name, row) in enumerate(zip(names, matrix.counts.tolist(), strict=True))
            ),
            title=model,
        )
        for k, (model, matrix) in enumerate(result.matrices.items())
    )
    yield Section("Confusion matrices", (SideBySide(tables),), identity="matrices")


def _pair(result: Comparison, pair: Pair) -> Iterator[Section]:
    rope = result.settings["rope"] is not None
    table = Table(
        (words_column("measure", whole=True), *_difference_columns(f"P({pair.first} better)", rope)),
        tuple((short_name(m), *_difference(m, pair, rope)) for m in result.measures),
    )
    test = pair.mcnemar
    words = (
        f"{test.only_first:,} examples only {pair.first} gets right, {test.only_second:,} only {pair.second}:"
        f" McNemar p {p_relation(test.exact)} (exact), {p_relation(test.mid_p)} (mid-p)."
    )
    picture = Picture(
        lambda: _differences_picture(result, pair),
        f"{pair.first} minus {pair.second}; grey squares: zero is inside the interval.",
    )
    drawable = any(not math.isnan(pair.differences[m.name].value) for m in result.measures)
    yield Section(
        f"{pair.first} minus {pair.second}",
        (table, *([picture] if drawable else []), Sentence(words, "soft")),
    )


def _all_pairs(result: Comparison) -> Iterator[Section]:
    rope = result.settings["rope"] is not None
    table = Table(
        (words_column("first less second"), *_difference_columns("P(first better)", rope)),
        tuple(
            (f"{pair.first} - {pair.second}", *_difference(result.by, pair, rope)) for pair in result.pairs
        ),
        identity="pairs",
    )
    yield Section(f"Differences by {result.by.name}", (table,), identity="pairs-section")


def _difference_columns(better: str, rope: bool) -> tuple[Column, ...]:
    equivalent = ["P(equivalent)"] if rope else []
    return (
        *number_columns("difference", "interval", better, *equivalent, "p", "p (Holm)"),
        words_column("note"),
    )


def _difference(m: Measure, pair: Pair, rope: bool) -> tuple[Cell | str, ...]:
    found = pair.differences[m.name]
    defined = not math.isnan(found.value)
    equivalent = "1" if found.low == found.high == 0 else probability(found.probability_equivalent)
    return (
        Cell(signed(found.value) if defined else "undefined", "strong" if found.is_clear else "plain"),
        f"{signed(found.low)} to {signed(found.high)}" if not math.isnan(found.low) else "",
        probability(found.probability_better),
        *([equivalent] if rope else []),
        p_value(found.p_value, found.p_value_is_floor),
        p_value(pair.holm_p_values[m.name], found.p_value_is_floor),
        Cell(found.note, "bad"),
    )


def _differences_picture(result: Comparison, pair: Pair) -> str:
    names, dots, ends = [], [], [0.0]
    for m in result.measures:
        d = pair.differences[m.name]
        if math.isnan(d.value):
            continue
        names.append(short_name(m))
        tip = f"{m.title}: {signed(d.value)}, {signed(d.low)} to {signed(d.high)}"
        dots.append([Dot(d.value, "first" if d.is_clear else "sixth", tip, d.low, d.high)])
        ends += [end for end in (d.value, d.low, d.high) if not math.isnan(end)]
    return dot_rows(names, dots, "Differences", tick_marks(min(ends), max(ends)))
