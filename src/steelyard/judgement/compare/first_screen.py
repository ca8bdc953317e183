"""Which model is better, by what, how surely, and what does the other one find that it misses?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import plain_label
from steelyard.judgement.compare.disagreement import ClassGain
from steelyard.judgement.live import INTERVAL, TESTED, here
from steelyard.measures.kinship import listed
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import examples_of, short_names
from steelyard.report.numbers import between, count, p_relation, percent, shown, signed
from steelyard.report.page.drawing import Dot, dot_rows, tick_marks
from steelyard.report.sections import (
    Block,
    Cell,
    Picture,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.delong import asked_of_backwards, is_surely_backwards

if TYPE_CHECKING:
    from steelyard.judgement.compare.result import Comparison, Pair
    from steelyard.scores.area_comparison import AreaComparison

MOST_CLASSES_NAMED = 2
MOST_AREAS = 4


def title(result: Comparison) -> str:
    models = listed(result.models) if len(result.models) <= 4 else f"{len(result.models)} models"
    return f"{models} · the same {count(sum(result.actual))} rows · {len(result.labels)} classes"


def first_screen(result: Comparison) -> Iterator[Section]:
    """Who is best, and what that means in counts."""
    said: list[Block] = [Sentence(words, "strong") for words in _verdict(result)]
    if result.areas is not None:
        said.append(Sentence(_areas(result.areas)))
        greatest = max(result.areas.areas.values())
        rarer = min(result.areas.share, 1 - result.areas.share) * sum(result.actual)
        if is_surely_backwards(greatest, rarer):
            said.append(Sentence(asked_of_backwards(result.areas.positive, greatest), "bad"))
    if lost := result.settings.get("missing_left_out"):
        rows = f"{count(lost)} of {count(sum(result.actual) + lost)} rows {'was' if lost == 1 else 'were'}"
        said.append(
            Sentence(f"{rows} left out for all models: the truth or what one says is missing.", "bad")
        )
    yield Section("", tuple(said), "brief", "verdict")
    blocks: list[Block] = [_ranking(result)]
    blocks += [Sentence(f"Not told apart: {listed(group)}.", "bad", TESTED) for group in result.groups]
    if words := result.settings.get("decides_because"):
        blocks.append(Sentence(f"{short_name(result.by)} decides: {words}."))
    blocks.append(
        Picture(
            lambda: _forest(result),
            f"{result.by.title} of each model; the line is its {_level(result)} interval.",
        )
    )
    of = result.settings["positive"] if result.by.kind == "two-class" else None
    heading = f"Ranking by {short_name(result.by)}" + ("" if of is None else f", positive class {of}")
    yield Section(heading, tuple(blocks), "brief", "ranking-section")


def _areas(found: AreaComparison) -> str:
    """The areas that were asked for, and whether the best is told from the next."""
    ranked = sorted(found.areas, key=lambda model: -found.areas[model])
    each = ", ".join(f"{model} {shown(found.areas[model])}" for model in ranked[:MOST_AREAS])
    more = f" and {len(ranked) - MOST_AREAS} more" if len(ranked) > MOST_AREAS else ""
    pair = next(pair for pair in found.pairs if {pair.first, pair.second} == set(ranked[:2]))
    low, high = pair.delong.interval
    sign = 1 if pair.first == ranked[0] else -1
    ends = sorted((sign * low, sign * high))
    return (
        f"Area under the ROC curve of {found.positive}: {each}{more};"
        f" {signed(sign * pair.delong.difference)} ({signed(ends[0])} to {signed(ends[1])}),"
        f" p {p_relation(pair.holm_p_value)}."
    )


def _level(result: Comparison) -> str:
    return f"{100 * result.settings['level']:g}%"


def _verdict(result: Comparison) -> Iterator[str]:
    ranked = [row for row in result.ranking if not math.isnan(row.value)]
    if len(ranked) < 2:
        yield f"{short_name(result.by)} has a value for {len(ranked)} of {len(result.models)} models only."
        return
    best, second = ranked[0], ranked[1]
    pair = result.pair(best.model, second.model)
    found = pair.differences[result.by.name]
    sign = 1 if pair.first == best.model else -1
    ends = sorted((sign * found.low, sign * found.high))
    gap = f"{signed(sign * found.value)} ({signed(ends[0])} to {signed(ends[1])})"
    sure = "is better than" if found.is_clear else "is not told apart from"
    yield (
        f"{best.model} {sure} {second.model} by {short_name(result.by)}: {shown(best.value)} against"
        f" {shown(second.value)}, {gap}."
    )
    yield from _gains(pair, best.model, second.model, result.labels)


def _gains(pair: Pair, best: str, second: str, labels: Sequence[Label]) -> Iterator[str]:
    """Class by class what only one of the two finds, where the classes differ most for their size."""

    def net(gain: ClassGain) -> float:
        return abs(gain.only_first - gain.only_second) / max(1, gain.examples)

    names = dict(zip(labels, short_names(labels), strict=True))
    moved = sorted(
        (gain for gain in pair.gains if gain.only_first or gain.only_second), key=net, reverse=True
    )
    for gain in moved[:MOST_CLASSES_NAMED]:
        own, other = gain.only_first, gain.only_second
        if pair.first != best:
            own, other = other, own
        yield (
            f"Of {count(gain.examples)} {examples_of(names[gain.label])}, {best} finds {count(own)} that"
            f" {second} misses; {second} finds {count(other)} that {best} misses."
        )


def _ranking(result: Comparison) -> Table:
    own = _class_in_question(result)
    label = short_names(result.labels)[own]
    two = len(result.labels) == 2
    place = {model: k for k, model in enumerate(result.matrices)}
    rows: list[tuple[Cell | str, ...]] = []
    for ranked in result.ranking:
        value = result.values[ranked.model][result.by.name]
        matrix = result.matrices[ranked.model]
        right = float(matrix.hits.sum()) / float(matrix.total)
        rows.append(
            (
                ranked.model,
                Cell(shown(ranked.value), "strong", follows=here(result.by, place[ranked.model])),
                Cell(between(value.low, value.high), follows=INTERVAL),
                probability(ranked.probability_best),
                _of(matrix.hits[own], matrix.actual[own]),
                *([_of(matrix.counts[1 - own, own], matrix.predicted[own])] if two else []),
                percent(right),
            )
        )
    return Table(
        (
            words_column("model"),
            *number_columns("value", f"{_level(result)} interval", "P(best)"),
            *number_columns(f"{label} found", *(["alerts false"] if two else []), "right"),
        ),
        tuple(rows),
        identity="ranking",
    )


def _class_in_question(result: Comparison) -> int:
    """Where the class stands whose finds are counted: the positive one, by the rule that measures go by; the
    rarest of many."""
    asked = result.settings["positive"]
    named = [k for k, label in enumerate(result.labels) if plain_label(label) == asked]
    if asked is not None and named:
        return named[0]
    if len(result.labels) == 2:
        return Confusion(np.diag(result.actual), result.labels).positive_class().place
    return min((k for k, n in enumerate(result.actual) if n), key=lambda k: result.actual[k])


def _of(part: Any, whole: Any) -> str:
    return f"{count(part.item())} of {count(whole.item())}"


def _forest(result: Comparison) -> str:
    dots: list[list[Dot]] = []
    ends: list[float] = []
    for ranked in result.ranking:
        value = result.values[ranked.model][result.by.name]
        if math.isnan(value.value) or math.isnan(value.low):
            dots.append([])
            continue
        tip = f"{ranked.model}: {shown(value.value)}, {between(value.low, value.high)}"
        dots.append([Dot(value.value, "first", tip, value.low, value.high)])
        ends += [value.low, value.high]
    ticks = tick_marks(min(ends), max(ends)) if ends else [(0.0, "0"), (1.0, "1")]
    return dot_rows([r.model for r in result.ranking], dots, f"{result.by.title} of each model", ticks)


def probability(value: float | None) -> str:
    """A probability from draws: what no draw contradicts is not certain for that."""
    if value is None or math.isnan(value):
        return ""
    return "> 0.999" if value > 0.999 else "< 0.001" if value < 0.001 else f"{value:.3f}"
