"""Report of a comparison: the first screen, differences by every metric, classes, values, method."""

# Terminal, Markdown, LaTeX and page show these blocks; only a page has room for the column of plots.

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._lazy import plugins
from steelyard.judgement.compare.notes import FOLDS_LIKE_DATASETS, over_folds
from steelyard.judgement.compare.range_sections import cost_range_section, number, priors_range_section
from steelyard.judgement.compare.tables import (
    FEW,
    PLOT,
    Gap,
    area_sentences,
    gap_table,
    score_section,
    values_table,
)
from steelyard.judgement.page.tables import matrix_table, metric_cell
from steelyard.judgement.reproduction import method_section
from steelyard.measures.kinship import listed
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short, short_names
from steelyard.report.numbers import (
    between,
    count,
    one_decimal,
    p_relation,
    p_value,
    percent,
    probability,
    shown,
)
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Folded,
    Report,
    Section,
    Segments,
    Sentence,
    SideBySide,
    Strip,
    Table,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.counts.confusion import Confusion
    from steelyard.judgement.compare.disagreement import Disagreement
    from steelyard.judgement.compare.result import Comparison, MetricValue, Pair, Ranked, RowCosts

# Classes up to which the matrices of the models have room.
MOST_CLASSES = 8
# The classes on which the two best models differ most.
MOST_CLASSES_NAMED = 2
# Classes of which the full report says who detects them.
MOST_BARS = 30
CLOSE_MODELS = (
    "P(best) uses a hierarchical prior that shrinks differences which chance can explain: the first of"
    " several close models is often just lucky on this test set."
)
# Rows with a cost of their own that two models classify differently: with fewer the interval is rough.
FEW_ROWS = 30
# Metrics of the first screen beside the primary one, the most wanted first.
FIRST = ("recall", "precision", "f_beta", "mcc", "accuracy", "balanced_accuracy", "macro_f_beta", "kappa")
# Rows of metrics that fit beside the matrices of a page without scrolling.
MOST_FIRST = 6


def report(result: Comparison) -> Report:
    """The report: the first screen, then everything else."""
    order = [row.model for row in result.ranking]
    words = " · ".join(map("".join, (title(result, order), *facts(result))))
    return Report(words, tuple(_sections(result, order)))


def _sections(result: Comparison, order: Sequence[str]) -> Iterator[Section]:
    yield Section("", tuple(_first_screen(result, order)), "brief", "verdict")
    heading = f"Ranking by {short_name(result.by)}"
    if result.by.kind == "two-class" and result.positive is not None:
        heading += f", positive class {quoted(result.positive)}"
    yield Section(heading, tuple(_ranking(result)), "brief", "ranking-section")
    if result.over_shares is not None:
        yield priors_range_section(result.over_shares, order)
    if result.over_costs is not None:
        column = None if result.row_costs is None else result.row_costs.column
        yield cost_range_section(result.over_costs, order, column)
    conflicts = tuple(_disagreements(result, order))
    yield Section("Where metrics disagree", conflicts, identity="disagree", short="Disagreement")
    bars = [_who(result, order, k) for k, n in enumerate(result.actual) if n][:MOST_BARS]
    beside = tuple(SideBySide(tuple(bars[k : k + 2])) for k in range(0, len(bars), 2))
    yield Section("Per class", beside, identity="classes")
    few = len(result.models) <= FEW
    values = f"Values with {100 * result.level:g}% confidence intervals" if few else "Values"
    metrics = [(m, {model: row[m.name] for model, row in result.values.items()}) for m in result.measures]
    table = values_table(metrics, result.models, "values")
    yield Section(values, (table,), identity="values-section", short="Values")
    for point in plugins("compare").values():
        yield from point.load()(result)
    if few and len(result.labels) <= MOST_CLASSES:
        matrices = matrix_table(result.matrices, result.positive_label)
        yield Section("Confusion matrices", (matrices,), identity="matrices")
    if result.areas is not None:
        yield score_section(result.areas, result.score_metrics, sum(result.actual), result.figure)
    yield method_section("compare", result, _method(result), result.matrices.values())


def title(result: Comparison, order: Sequence[str]) -> tuple[str, ...]:
    """The models, and the file if there is one; every second part joins what stands beside it."""
    source = None if result.options is None else result.options.predictions
    files = source if isinstance(source, tuple) else (source,)
    named = len(files) == 1 and isinstance(files[0], (str, Path))
    on = (" on ", Path(files[0]).name) if named else ()
    if len(order) > 2:
        return f"{len(order)} models", *on
    return short(order[0], 40), " against ", short(order[1], 40), *on


def facts(result: Comparison) -> Iterator[tuple[str, str, str]]:
    """How many rows and classes, and how rare the class in question is: the words around each number."""
    total, labelled = sum(result.actual), result.labelled_rows
    of = "" if labelled is None else f" labelled of {count(total)}"
    same = "the same for all" if len(result.models) > 2 else "the same for both"
    yield "", count(total if labelled is None else labelled), f"{of} rows, {same}"
    if len(result.labels) == 2:
        place = result.class_in_question
        yield "positive class ", short(result.labels[place]), ""
        rows = result.actual[place]
        yield "prevalence ", percent(rows / total), f" ({count(rows)} rows)"
    else:
        yield "", f"{len(result.labels):,}", " classes"
    if least := min(result.actual):
        yield "imbalance ", f"{number(max(result.actual) / least)}:1", ""


def _ci(result: Comparison) -> str:
    return f"{100 * result.level:g}% CI"


def verdict(result: Comparison) -> Iterator[str]:
    """Is the best model significantly better than the second? Of two classes then what both do in counts, and
    the metrics of the first screen that say the opposite."""
    ranked = [row for row in result.ranking if not math.isnan(row.value)]
    metric = short_name(result.by)
    if len(ranked) < 2:
        yield f"{metric} has a value for {len(ranked)} of {len(result.models)} models only."
        return
    best, second = ranked[0].model, ranked[1].model
    pair = result.pair(best, second)
    gap, low, high = result.difference(result.by, best, second)
    values = (
        f"{shown(ranked[0].value)} against {shown(ranked[1].value)} (difference {shown(gap)},"
        f" {_ci(result)} {between(low, high)})"
    )
    if pair.is_significant(result.by, result.level):
        yield f"{best} is better than {second} on {metric}: {values}."
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
        models = f"{best} and {second}"
        yield f"No significant difference between {models} on {metric}: {values}.{power if least > 0 else ''}"
    if len(result.labels) == 2:
        place = result.class_in_question
        a, b = (result.matrices[model] for model in (best, second))
        false = [count((matrix.predicted[place] - matrix.hits[place]).item()) for matrix in (a, b)]
        hits = [count(matrix.hits[place].item()) for matrix in (a, b)]
        rows = f"{count(result.actual[place])} {_cases(result, place)}"
        yield (
            f"{best} detects {hits[0]} of {rows}, {second} {hits[1]}; false alarms: {false[0]} against"
            f" {false[1]}."
        )
    opposite = [short_name(m) for m in headline_metrics(result) if pair.winner(m, result.level) == second]
    if opposite:
        yield f"By {listed(opposite)}, {second} is significantly better."


def headline_metrics(result: Comparison) -> list[Measure]:
    """The metrics of the first screen: the primary one, then the most wanted."""
    by_name = {m.name: m for m in result.measures}
    names = dict.fromkeys([result.by.name, *(name for name in FIRST if name in by_name), *by_name])
    return [by_name.get(name, result.by) for name in names][:MOST_FIRST]


def _class_name(result: Comparison, place: int) -> str:
    """A class in a sentence: one that is called 1 is not taken for a number."""
    label = short_names(result.labels)[place]
    return label if label[:1].isalpha() else f'class "{label}"'


def _cases(result: Comparison, place: int) -> str:
    """The examples of a class after their number, as `evaluate` names them."""
    name = _class_name(result, place)
    return f"rows of {name}" if name.startswith('class "') else f"{name} cases"


def detections(result: Comparison, order: Sequence[str]) -> list[Segments]:
    """Who detects the class in question; of many classes, those on which the two best models differ most for
    their size."""
    if len(result.labels) == 2:
        return [_who(result, order, result.class_in_question)]
    gains = result.pair(order[0], order[1]).gains
    net_gains = {k: abs(g.only_first - g.only_second) / max(1, g.examples) for k, g in enumerate(gains)}
    differing = [k for k, g in enumerate(gains) if g.only_first or g.only_second]
    most = sorted(differing, key=net_gains.__getitem__, reverse=True)[:MOST_CLASSES_NAMED]
    return [_who(result, order, k) for k in most]


def _who(result: Comparison, order: Sequence[str], place: int) -> Segments:
    """Which of the two best models is correct on the rows of a class: both, one of them, neither."""
    pair = result.pair(order[0], order[1])
    gain = pair.gains[place]
    only = (gain.only_first, gain.only_second)
    first, second = only if pair.first == order[0] else only[::-1]
    both = int(result.matrices[order[0]].hits[place]) - first
    parts = (
        ("both", both, "value"),
        (f"only {short(order[0])}", first, "value half"),
        (f"only {short(order[1])}", second, "error"),
        ("neither", gain.examples - both - first - second, "base"),
    )
    return Segments(
        f"Who detects the {count(gain.examples)} {_cases(result, place)}?",
        tuple((f"{words} {count(n)}", n / max(gain.examples, 1), css) for words, n, css in parts),
    )


def _first_screen(result: Comparison, order: Sequence[str]) -> Iterator[Block]:
    """Which model is better, by how much, and what that means in counts."""
    first, *rest = verdict(result)
    yield Sentence(first, "strong")
    yield from map(Sentence, rest)
    yield from detections(result, order)
    if result.fragility is not None:
        yield Sentence(f"If labels are wrong: {result.fragility.words}")
    if result.areas is not None:
        yield from area_sentences(result.areas, sum(result.actual))
    if result.labelled_rows is not None:
        yield Sentence("Counts are estimated for the pool from the labelled rows.", "soft")
    if result.cross_fitting is not None:
        yield Sentence(result.cross_fitting.sentence)
    yield from warnings(result)
    if result.folds:
        yield Sentence(over_folds(result), "soft")


def warnings(result: Comparison) -> Iterator[Sentence]:
    """What makes the comparison one of other rows, or of other things, than a reader may think."""
    if lost := result.missing_left_out:
        rows = f"{count(lost)} of {count(sum(result.actual) + lost)} rows {'was' if lost == 1 else 'were'}"
        yield Sentence(f"{rows} left out for all models: a label or score is missing.", "bad")
    yield from (Sentence(note, "bad") for note in result.notes if note.startswith(FOLDS_LIKE_DATASETS))


def _ranking(result: Comparison) -> Iterator[Block]:
    yield ranking_table(result)
    yield Sentence(f"P(best): probability that the model has the best {short_name(result.by)} on new data.")
    if len(result.models) > 2:
        for group in result.groups:
            which = "between" if len(group) == 2 else "among"
            yield Sentence(f"No significant difference {which} {listed(group)}.", "bad")
        if result.groups and result.ranking[0].model in result.groups[0]:
            yield Sentence(CLOSE_MODELS, "soft")
    if result.row_costs is not None:
        yield from _row_cost_notes(result.row_costs)
    elif result.decides_because is not None:
        yield Sentence(f"Primary metric {short_name(result.by)}: {result.decides_because}.")


def ranking_table(result: Comparison) -> Table:
    """The models by the primary metric, the best first, with what they do to the class in question."""
    place, costs, best = result.class_in_question, result.row_costs, result.ranking[0].value
    names = dict(zip(result.models, short_names(result.models), strict=True))
    values = {model: row[result.by.name] for model, row in result.values.items()}
    low, high = _reach(list(values.values()))

    def strip(row: Ranked) -> Cell:
        value = values[row.model]
        marks = (("value", value.value, value.low, value.high),)
        return Cell("", strip=None if math.isnan(value.value) else Strip(marks, low, high))

    def alerts(row: Ranked) -> str:
        hits, predicted = (array[place].item() for array in (matrix(row).hits, matrix(row).predicted))
        return f"{count(predicted - hits)} of {count(predicted)}"

    def matrix(row: Ranked) -> Confusion:
        return result.matrices[row.model]

    return table_of(
        result.ranking,
        (
            words_column("model", whole=True),
            lambda row: Cell(names[row.model], tip="" if names[row.model] == row.model else row.model),
        ),
        (PLOT, strip),
        (
            short_name(result.by),
            lambda row: Cell(shown(row.value), "strong" if row.value == best else "plain"),
        ),
        (
            Column(_ci(result), on_page="aside"),
            lambda row: between(values[row.model].low, values[row.model].high),
        ),
        ("P(best)", lambda row: probability(row.probability_best)),
        None if costs is None else ("total cost", lambda row: f"{sum(result.actual) * row.value:,.0f}"),
        (
            Column(f"{_class_name(result, place)} detected", wide=True),
            lambda row: (
                f"{count(matrix(row).hits[place].item())} of {count(matrix(row).actual[place].item())}"
            ),
        ),
        (Column("false alerts", wide=True), alerts) if len(result.labels) == 2 else None,
        (
            Column("accuracy", on_page="nothing"),
            lambda row: one_decimal(float(matrix(row).hits.sum()) / float(matrix(row).total)),
        ),
        identity="ranking",
        style="forest",
        axis=Strip((), low, high).axis,
    )


def _reach(values: Sequence[MetricValue]) -> tuple[float, float]:
    """The scale of plots: 0 to 1 where all values lie there."""
    ends = [end for v in values for end in (v.value, v.low, v.high) if not math.isnan(end)] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _row_cost_notes(costs: RowCosts) -> Iterator[Sentence]:
    if (rows := costs.rows_apart) < FEW_ROWS:
        yield Sentence(
            f"Two models differ on only {rows} row{'' if rows == 1 else 's'} with a cost of"
            f" {'its' if rows == 1 else 'their'} own: that interval is rough.",
            "soft",
        )
    yield Sentence(
        f"Cost per row: {costs.costs.words}, with the {costs.column!r} of each row"
        f" (at its mean: {costs.average.words}).",
        "soft",
    )
    yield from (Sentence(note, "bad") for note in costs.notes[:FEW])


def _disagreements(result: Comparison, order: Sequence[str]) -> Iterator[Block]:
    """Why metrics disagree about the two best models, and their differences by every metric; then the same of
    the other models."""

    def reasons(conflict: Disagreement) -> Iterator[Sentence]:
        yield Sentence(
            f"{conflict.first} or {conflict.second}? The disagreement is {conflict.noise}.", "strong"
        )
        yield from (Sentence(f"{reason}.") for reason in conflict.reasons)

    best = set(order[:2])
    if not result.disagreements:
        yield Sentence("No two of these metrics disagree about any two models.")
    others: list[Block] = []
    for conflict in result.disagreements:
        if {conflict.first, conflict.second} == best:
            yield from reasons(conflict)
        else:
            others += reasons(conflict)
    yield pair_table(result, order[0], order[1])
    yield from _mcnemar(result.pair(order[0], order[1]))
    if len(result.models) > FEW:
        gaps = [gap_of(result, result.by, p.first, p.second, f"{p.first} − {p.second}") for p in result.pairs]
        others.append(gap_table(gaps, "pairs", _ci(result), words_column("First − second")))
    else:
        for pair in result.pairs:
            if {pair.first, pair.second} != best:
                others += [pair_table(result, pair.first, pair.second, ""), *_mcnemar(pair)]
    if others:
        yield Folded(f"All {len(result.pairs)} pairs of models", tuple(others))
    yield from (Sentence(f"{kinship}.", "soft") for kinship in result.kinships)


def gap_of(result: Comparison, m: Measure, first: str, second: str, name: str = "") -> Gap:
    """The difference of two models by a metric."""
    pair = result.pair(first, second)
    known, turned = pair.differences[m.name], pair.first != first
    chance, equivalent = known.probability_better, probability(known.probability_equivalent)
    return Gap(
        Cell(name) if name else metric_cell(m),
        result.difference(m, first, second),
        pair.winner(m, result.level),
        p_value(known.p_value, known.p_value_is_floor),
        # Holm's correction is over pairs of models.
        p_value(pair.holm_p_values[m.name], known.p_value_is_floor) if len(result.pairs) > 1 else "",
        probability(1 - chance if turned else chance),
        "1" if equivalent and known.low == known.high == 0 else equivalent,
        known.note,
    )


def pair_table(result: Comparison, first: str, second: str, identity: str = "differences") -> Table:
    """The differences of two models by every metric, the largest first, undefined ones last."""
    gaps = [gap_of(result, m, first, second) for m in result.measures]
    gaps.sort(key=lambda gap: (math.isnan(gap.ends[0]), -gap.ends[0]))
    title = f"Difference {short(first, 24)} − {short(second, 24)}"
    return gap_table(gaps, identity, _ci(result), title=title)


def _mcnemar(pair: Pair) -> Iterator[Sentence]:
    if (test := pair.mcnemar) is not None:
        yield Sentence(
            f"{test.only_first:,} rows are correct only by {pair.first}, {test.only_second:,} only by"
            f" {pair.second}: McNemar's test p {p_relation(test.exact)} (exact),"
            f" p {p_relation(test.mid_p)} (mid-p).",
            "soft",
        )


def _method(result: Comparison) -> Iterator[tuple[str, str]]:
    yield "Data", f"{count(sum(result.actual))} rows, the same for {len(result.models)} models."
    if result.missing_left_out:
        yield "Left out", f"{count(result.missing_left_out)} rows with a missing label or score."
    if result.decides_because is not None:
        yield "Primary metric", f"{short_name(result.by)}: {result.decides_because}."
    if result.fragility is not None:
        words = result.fragility.words
        yield "If labels are wrong", f"{words[0].upper()}{words[1:]}"
    if notes := [note for note in result.notes if note != result.assumed]:
        yield "Notes", " ".join(f"{note[0].upper()}{note[1:].rstrip('.')}." for note in notes)
    drawn = f"{100 * result.level:g}%, {result.draws:,} paired draws, seed {result.seed}. {result.assumed}"
    yield "Intervals and differences", drawn
