"""Report of a comparison: first screen, metrics that disagree, values, paired differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.compare.disagreement import multiple_metric_section
from steelyard.judgement.compare.notes import FOLDS_LIKE_DATASETS, over_folds
from steelyard.judgement.compare.range_sections import cost_range_sections, priors_range_sections
from steelyard.judgement.compare.score_sections import area_sections, area_sentences, score_metric_section
from steelyard.judgement.evaluate.first_screen import one_decimal
from steelyard.judgement.metrics.sections import ARROWS
from steelyard.judgement.reproduction import fingerprint
from steelyard.measures.kinship import listed
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short_names
from steelyard.report.numbers import between, count, p_relation, p_value, probability, shown, signed
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Report,
    Section,
    Sentence,
    SideBySide,
    Table,
    Tone,
    number_columns,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.disagreement import ClassGain
    from steelyard.judgement.compare.result import Comparison, Pair, RowCostComparison
    from steelyard.measures.measure import Measure

# More models than this have their differences shown by the primary metric only.
FEW = 4
# Classes up to which the matrices of the models have room beside each other.
MOST_CLASSES = 8
# The classes in which the models differ most; the table of the full report has all.
MOST_CLASSES_NAMED = 2
CLOSE_MODELS = (
    "P(best) shrinks differences as far as chance explains them (a hierarchical prior): the first of several"
    " close models is often lucky on this test set."
)
# Rows with a cost of their own that two models classify differently: with fewer the interval is rough.
FEW_ROWS = 30


def report(result: Comparison) -> Report:
    """The report: the first screen, then everything else."""
    ranked = [row.model for row in result.ranking]
    sections = [
        *_first_screen(result),
        *([] if result.over_shares is None else priors_range_sections(result.over_shares, ranked)),
        *([] if result.over_costs is None else cost_range_sections(result.over_costs, ranked)),
        *_notes(result),
        *_disagreements(result),
        *_values(result),
        *multiple_metric_section(result.matrices),
        *_gains(result),
        *_matrices(result),
        *(
            [section for pair in result.pairs for section in _pair(result, pair)]
            if len(result.models) <= FEW
            else _all_pairs(result)
        ),
        *([] if result.areas is None else area_sections(result.areas)),
        *score_metric_section(result.score_metrics, result.level, min(result.actual)),
    ]
    models = listed(result.models) if len(result.models) <= FEW else f"{len(result.models)} models"
    rows = f"the same {count(sum(result.actual))} rows"
    if result.labelled_rows is not None:
        rows = f"{count(result.labelled_rows)} labelled of {count(sum(result.actual))} rows"
    title = f"{models} · {rows} · {len(result.labels)} classes"
    counted = f" Fingerprint of the counts: {fingerprint(result.matrices.values())}."
    return Report(title, tuple(sections), f"Steelyard {__version__}.{counted}")


def _first_screen(result: Comparison) -> Iterator[Section]:
    """Which model is better, by how much, and what that means in counts."""
    blocks: list[Block] = [Sentence(text, "strong") for text in verdict_sentences(result)]
    if result.areas is not None:
        blocks += area_sentences(result.areas, sum(result.actual))
    if result.labelled_rows is not None:
        blocks.append(Sentence("Counts are estimated for the pool from the labelled rows.", "soft"))
    if result.cross_fitting is not None:
        blocks.append(Sentence(result.cross_fitting.sentence))
    if lost := result.missing_left_out:
        rows = f"{count(lost)} of {count(sum(result.actual) + lost)} rows {'was' if lost == 1 else 'were'}"
        blocks.append(Sentence(f"{rows} left out for all models: a label or score is missing.", "bad"))
    blocks += [Sentence(note, "bad") for note in result.notes if note.startswith(FOLDS_LIKE_DATASETS)]
    if result.folds:
        blocks.append(Sentence(over_folds(result), "soft"))
    yield Section("", tuple(blocks), "brief", "verdict")
    blocks = [_ranking(result)]
    blocks += [
        Sentence(f"No significant difference within: {listed(group)}.", "bad")
        for group in result.groups
        if len(result.models) > 2
    ]
    if len(result.models) > 2 and result.groups and result.ranking[0].model in result.groups[0]:
        blocks.append(Sentence(CLOSE_MODELS, "soft"))
    if result.row_costs is not None:
        blocks += _row_cost_notes(result.row_costs)
    elif result.decides_because is not None:
        blocks.append(Sentence(f"Primary metric: {short_name(result.by)}: {result.decides_because}."))
    of = "" if result.by.kind != "two-class" or result.positive is None else quoted(result.positive)
    heading = f"Ranking by {short_name(result.by)}" + (f", positive class {of}" if of else "")
    yield Section(heading, tuple(blocks), "brief", "ranking-section")


def _ci(result: Comparison) -> str:
    return f"{100 * result.level:g}% CI"


def verdict_sentences(result: Comparison) -> Iterator[str]:
    """Is the best model significantly better than the second?"""
    ranked = [row for row in result.ranking if not math.isnan(row.value)]
    metric = short_name(result.by)
    if len(ranked) < 2:
        yield f"{metric} has a value for {len(ranked)} of {len(result.models)} models only."
        return
    best, second = ranked[0], ranked[1]
    pair = result.pair(best.model, second.model)
    gap, low, high = result.difference(result.by, best.model, second.model)
    values = (
        f"{shown(best.value)} against {shown(second.value)} (difference {shown(gap)},"
        f" {_ci(result)} {between(low, high)})"
    )
    if pair.is_significant(result.by, result.level):
        yield f"{best.model} is better than {second.model} on {metric}: {values}."
    else:
        least = result.minimum_detectable_difference
        power = f" This test set can show a difference of about {shown(least)} or more (power 0.8)."
        if pair[result.by].is_clear:
            corrected = p_relation(pair.holm_p_values[result.by.name])
            power = (
                " They differ only without correction: over all"
                f" {len(result.pairs):,} pairs of models p {corrected} (Holm)."
            )
            if pair[result.by].p_value_is_floor:
                power += " More draws can make this p-value smaller."
        models = f"{best.model} and {second.model}"
        yield f"No significant difference between {models} on {metric}: {values}.{power if least > 0 else ''}"
    yield from _gains_of_best(result, pair, best.model, second.model)
    if result.fragility is not None:
        yield f"If labels are wrong: {result.fragility.words}"


def _gains_of_best(result: Comparison, pair: Pair, best: str, second: str) -> Iterator[str]:
    """The classes on which two models differ most for their size, in counts."""

    def net(gain: ClassGain) -> float:
        return abs(gain.only_first - gain.only_second) / max(1, gain.examples)

    names = dict(zip(result.labels, short_names(result.labels), strict=True))
    differing = [gain for gain in pair.gains if gain.only_first or gain.only_second]
    for gain in sorted(differing, key=net, reverse=True)[:MOST_CLASSES_NAMED]:
        only = (gain.only_first, gain.only_second)
        only_best, only_second = only if pair.first == best else only[::-1]
        yield (
            f'Class "{names[gain.label]}" ({count(gain.examples)} examples)'
            f": {best} is correct on {count(only_best)} that {second} gets wrong,"
            f" {second} on {count(only_second)} that {best} gets wrong."
        )


def _ranking(result: Comparison) -> Table:
    place = result.class_in_question
    two, costs = len(result.labels) == 2, result.row_costs
    rows: list[tuple[Cell | str, ...]] = []
    label = short_names(result.labels)[place]
    name = label if label[:1].isalpha() else f'class "{label}"'
    for ranked in result.ranking:
        value = result.values[ranked.model][result.by.name]
        matrix = result.matrices[ranked.model]
        hits, predicted = matrix.hits[place].item(), matrix.predicted[place].item()
        tone: Tone = "strong" if ranked.value == result.ranking[0].value else "plain"
        cells: dict[str, Cell | str] = {
            short_name(result.by): Cell(shown(ranked.value), tone),
            _ci(result): between(value.low, value.high),
            "P(best)": probability(ranked.probability_best),
        }
        if costs is not None:
            cells["total cost"] = f"{costs.rows * ranked.value:,.0f}"
        cells[f"{name} detected"] = f"{count(hits)} of {count(matrix.actual[place].item())}"
        if two:
            cells["false alerts"] = f"{count(predicted - hits)} of {count(predicted)}"
        cells["accuracy"] = one_decimal(float(matrix.hits.sum()) / float(matrix.total))
        rows.append((ranked.model, *cells.values()))
    return Table((words_column("model"), *number_columns(*cells)), tuple(rows), identity="ranking")


def _row_cost_notes(costs: RowCostComparison) -> Iterator[Sentence]:
    rows = min(pair.rows_apart for pair in costs.pairs)
    if rows < FEW_ROWS:
        yield Sentence(
            f"Two models differ on only {rows} row{'' if rows == 1 else 's'} with a cost of"
            f" {'its' if rows == 1 else 'their'} own: that interval is rough.",
            "soft",
        )
    yield Sentence(
        f"Cost per row: each row costs what column {costs.column!r} says (on average {costs.average.words}).",
        "soft",
    )


def _notes(result: Comparison) -> Iterator[Section]:
    blocks: list[Block] = []
    if result.positive is not None:
        blocks.append(Sentence(f"Positive class: {quoted(result.positive)}.", "soft"))
    for note in result.notes:
        tone: Tone = "soft" if note == result.assumed else "bad"
        blocks.append(Sentence(f"{note[0].upper()}{note[1:].rstrip('.')}.", tone))
    if blocks:
        yield Section("", tuple(blocks), identity="notes")


def _disagreements(result: Comparison) -> Iterator[Section]:
    blocks: list[Block] = []
    if not result.disagreements:
        blocks.append(Sentence("No two of these metrics disagree about any two models."))
    for conflict in result.disagreements:
        blocks.append(Sentence(f"{conflict.first} or {conflict.second}? ({conflict.noise})", "strong"))
        blocks += [Sentence(f"{reason}.") for reason in conflict.reasons]
    blocks += [Sentence(f"{kinship}.", "soft") for kinship in result.kinships]
    yield Section("Metrics that disagree, and why", tuple(blocks), identity="disagreements")


def _values(result: Comparison) -> Iterator[Section]:
    few = len(result.models) <= FEW
    rows = []
    for m in result.measures:
        cells: list[Cell | str] = [Cell(short_name(m), tip=m.question), ARROWS[m.better]]
        for model in result.models:
            v = result.values[model][m.name]
            cells.append(
                Cell(
                    shown(v.value),
                    "strong" if model in result.best[m.name] else "plain",
                    tip=v.undefined_because or "",
                    aside=f"[{between(v.low, v.high)}]" if few and not math.isnan(v.low) else "",
                )
            )
        rows.append((*cells, ", ".join(result.best[m.name])))
    values = number_columns(*result.models)
    columns = (words_column("metric", whole=True), words_column(""), *values, words_column("best"))
    title = f"Values with {100 * result.level:g}% confidence intervals" if few else "Values"
    table = Table(columns, tuple(rows), identity="values")
    yield Section(title, (table,), identity="values-section")


def _gains(result: Comparison) -> Iterator[Section]:
    """Class by class, what each of two models gets right that the other does not."""
    if len(result.models) > FEW:
        return
    rows = tuple(
        (
            f"{pair.first} and {pair.second}",
            str(g.label),
            *map(count, (g.examples, g.only_first, g.only_second)),
        )
        for pair in result.pairs
        for g in pair.gains
        if g.only_first or g.only_second
    )
    if rows:
        numbers = number_columns("examples", "only the first correct", "only the second correct")
        columns = (words_column("models"), words_column("class"), *numbers)
        yield Section("Class by class", (Table(columns, rows, identity="gains"),), identity="gains-section")


def _matrices(result: Comparison) -> Iterator[Section]:
    if len(result.labels) > MOST_CLASSES or len(result.models) > FEW:
        return
    names = [str(label) for label in result.labels]
    columns, tables = (words_column("truth"), *number_columns(*names)), []
    for model, matrix in result.matrices.items():
        rows = zip(names, matrix.counts.tolist(), strict=True)
        tables.append(Table(columns, tuple((name, *map(count, row)) for name, row in rows), title=model))
    yield Section("Confusion matrices", (SideBySide(tuple(tables)),), identity="matrices")


def _pair(result: Comparison, pair: Pair) -> Iterator[Section]:
    rows = [(short_name(m), m, pair) for m in result.measures]
    metric = words_column("metric", whole=True)
    blocks: list[Block] = [_differences(result, metric, f"P({pair.first} better)", rows)]
    if (test := pair.mcnemar) is not None:
        words = (
            f"{test.only_first:,} examples only {pair.first} classifies correctly, {test.only_second:,} only"
            f" {pair.second}: McNemar p {p_relation(test.exact)} (exact), {p_relation(test.mid_p)} (mid-p)."
        )
        blocks.append(Sentence(words, "soft"))
    yield Section(f"{pair.first} minus {pair.second}", tuple(blocks))


def _all_pairs(result: Comparison) -> Iterator[Section]:
    rows = [(f"{pair.first} - {pair.second}", result.by, pair) for pair in result.pairs]
    table = _differences(result, words_column("first minus second"), "P(first better)", rows, "pairs")
    yield Section(f"Differences in {short_name(result.by)}", (table,), identity="pairs-section")


def _differences(
    result: Comparison,
    name: Column,
    better: str,
    differences: Sequence[tuple[str, Measure, Pair]],
    identity: str = "",
) -> Table:
    """A row for each difference: its interval, its probabilities and p-values."""
    rows: list[tuple[Cell | str, ...]] = []
    for words, m, pair in differences:
        gap = pair.differences[m.name]
        tone: Tone = "strong" if pair.is_significant(m, result.level) else "plain"
        equivalent = "1" if gap.low == gap.high == 0 else probability(gap.probability_equivalent)
        rows.append(
            (
                words,
                Cell("undefined" if math.isnan(gap.value) else signed(gap.value), tone),
                f"{signed(gap.low)} to {signed(gap.high)}" if not math.isnan(gap.low) else "",
                probability(gap.probability_better),
                *([] if result.rope is None else [equivalent]),
                p_value(gap.p_value, gap.p_value_is_floor),
                p_value(pair.holm_p_values[m.name], gap.p_value_is_floor),
                Cell(gap.note, "bad"),
            )
        )
    equal = [] if result.rope is None else ["P(practically equal)"]
    numbers = number_columns("difference", _ci(result), better, *equal, "p", "p (Holm, pairs)")
    return Table((name, *numbers, words_column("note")), tuple(rows), identity=identity)
