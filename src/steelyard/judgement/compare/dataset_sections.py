"""Report of a comparison over data sets: who is best, by how much, how certain, and by which metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.compare.dataset_figures import charts
from steelyard.judgement.compare.dataset_result import best_of
from steelyard.measures.kinship import listed
from steelyard.report.latex import table_float
from steelyard.report.numbers import between, p_relation, p_value, probability, shown, signed
from steelyard.report.sections import (
    Block,
    Cell,
    Figure,
    Folded,
    Report,
    Section,
    Sentence,
    SideBySide,
    Table,
    Tone,
    number_columns,
    table_of,
    words_column,
)

if TYPE_CHECKING:
    from steelyard.judgement.compare.dataset_result import DatasetComparison, MetricRanks

# With five models there are ten pairs: more are folded on the page.
FEW_PAIRS = 10
# Groups without a significant difference that have a sentence each.
FEW_GROUPS = 3
# More data sets than this are folded on a page.
FEW_DATASETS = 40
# Models whose values have room for intervals in the table of data sets.
FEW_MODELS = 5


def report(result: DatasetComparison) -> Report:
    """The report: the first screen, then tests, tables and figures."""
    title = f"{len(result.models)} models · {len(result.datasets)} data sets"
    return Report(title, tuple(_sections(result)), f"Steelyard {__version__}.")


def _sections(result: DatasetComparison) -> Iterator[Section]:
    primary = result.primary
    yield Section("", tuple(_verdict(result)), "brief", "verdict")
    yield Section(f"Mean ranks by {primary.title}", tuple(_ranking(result)), "brief", "ranks-section")
    notes = [Sentence(note, "soft") for note in result.notes]
    if lost := result.missing_left_out:
        rows = "1 row was" if lost == 1 else f"{lost:,} rows were"
        notes.append(Sentence(f"{rows} left out for all models: a label is missing.", "bad"))
    if notes:
        yield Section("", tuple(notes), "brief", "notes")
    if primary.datasets > 1:
        yield Section("Critical difference and ranks", tuple(_figures(result)), "page", "dataset-figures")
    yield Section(f"Differences in {primary.title}", tuple(_pairs(result)), "full", "pairs-section")
    if len(result.metrics) > 1:
        yield Section("Every metric", (_metrics(result),), "full", "metrics-section")
    table = _values_table(primary, len(primary.mean_ranks) <= FEW_MODELS)
    many = len(table.rows) > FEW_DATASETS
    values = Folded(f"All {len(primary.values)} data sets", (table,)) if many else table
    yield Section(f"Values on every data set ({primary.title})", (values,), "full", "values-section")


def _verdict(result: DatasetComparison) -> Iterator[Block]:
    """Who is best, by how much, on how many data sets, how certain, and whether metrics agree."""
    primary = result.primary
    ranked = list(primary.mean_ranks)
    if primary.datasets < 2:
        yield Sentence(
            f"{primary.title} has values of all models on {primary.datasets} data sets only.", "bad"
        )
        return
    best, second = ranked[:2]
    pair = primary.pair(best, second)
    significant = pair.holm_p_value < 1 - result.level
    lead = f"No significant difference between {best} and {second}"
    if significant:
        lead = f"{best} is better than {second}"
    yield Sentence(
        f"{lead} on {primary.title} over {primary.datasets} data sets: mean rank"
        f" {primary.mean_ranks[best]:.2f} against {primary.mean_ranks[second]:.2f}, better on {pair.wins},"
        f" equal on {pair.ties}, worse on {pair.losses} (mean difference {signed(pair.mean_difference)},"
        f" Wilcoxon p {p_relation(pair.holm_p_value)}{' after Holm' if len(primary.pairs) > 1 else ''}).",
        "strong",
    )
    if pair.expected is not None:
        expected = pair.expected
        yield Sentence(
            f"On a new data set {best} is expected to be {shown(abs(expected.mean))}"
            f" {'better' if expected.mean >= 0 else 'worse'}"
            f" ({100 * result.level:g}% CI {between(expected.low, expected.high)}): better by more than"
            f" {result.rope:g} with probability {probability(expected.probability_better)}, practically equal"
            f" {probability(expected.probability_equal)}, worse {probability(expected.probability_worse)}.",
            "strong",
        )
    least = result.minimum_detectable_difference
    if not significant and least > 0:
        power = "power 0.8" + (", before Holm's correction" if len(primary.pairs) > 1 else "")
        yield Sentence(
            f"These data sets can show a mean difference of about {shown(least)} or more ({power})."
        )
    if primary.friedman is not None:
        test = primary.friedman
        pairs_differ = any(pair.holm_p_value < 1 - result.level for pair in primary.pairs)
        if test.iman_davenport_p_value >= 1 - result.level:
            outcome = "the models do not differ significantly"
        elif pairs_differ:
            outcome = "the models differ"
        else:
            outcome = "the overall test finds a difference, but no pair of models differs significantly"
        yield Sentence(
            f"Friedman chi-square {test.chi_square:.2f}, p {p_relation(test.p_value)}; Iman-Davenport p"
            f" {p_relation(test.iman_davenport_p_value)}: {outcome}."
        )
    others: dict[str, list[str]] = {}
    for ranks in result.metrics.values():
        if ranks.best != best and ranks.datasets > 1:
            others.setdefault(ranks.best, []).append(ranks.title)
    if others:
        parts = [
            f"{listed(names)} rank{'s' if len(names) == 1 else ''} {model} first"
            for model, names in others.items()
        ]
        yield Sentence(f"The winner depends on the metric: {'; '.join(parts)}.", "bad")
    elif len(result.metrics) > 1:
        yield Sentence(f"All {len(result.metrics)} metrics rank {best} first.")


def _ranking(result: DatasetComparison) -> Iterator[Block]:
    primary = result.primary
    best = next(iter(primary.mean_ranks))
    winners = [best_of(row, primary.lower_is_better) for row in primary.values.values()]
    rows = []
    for model, rank in primary.mean_ranks.items():
        differences = ("",) * 3
        if model != best and primary.pairs:
            pair = primary.pair(best, model)
            better = probability(pair.signed_rank.probability_better)
            differences = (signed(pair.mean_difference), p_value(pair.holm_p_value), better)
        shown_rank = Cell(f"{rank:.2f}", "strong" if model == best else "plain")
        of_sets = f"{sum(model in tied for tied in winners)} of {len(winners)}"
        rows.append((model, shown_rank, shown(primary.mean_values[model]), of_sets, *differences))
    yield Table(
        (
            words_column("model", whole=True),
            *number_columns("mean rank", f"mean {primary.title}", "best on"),
            *number_columns(f"{best} better by", "p (Holm)", f"P({best} better)"),
        ),
        tuple(rows),
        identity="mean-ranks",
    )
    groups = [
        f"No significant difference {'between' if len(g) == 2 else 'among'} {listed(g)} (Wilcoxon-Holm)."
        for g in primary.groups
    ]
    if len(groups) > FEW_GROUPS:
        each = "; ".join(", ".join(group) for group in primary.groups)
        groups = [f"No significant difference within each of these groups (Wilcoxon-Holm): {each}."]
    yield from (Sentence(group, "bad") for group in groups)
    if not math.isnan(primary.critical_difference):
        ties = " Best on: ties count for every tied model." if any(tied[1:] for tied in winners) else ""
        yield Sentence(
            f"Nemenyi critical difference of mean ranks: {primary.critical_difference:.2f}"
            f" ({100 * (1 - result.level):.3g}% level). P({best} better): probability that it is better by"
            f" more than {result.rope:g} (Bayesian signed-rank test).{ties}",
            "soft",
        )


def _figures(result: DatasetComparison) -> Iterator[Block]:
    figures = {name: Figure(chart) for name, chart in charts(result).items()}
    heatmap: Block = figures.pop("heatmap")
    if len(result.datasets) > FEW_DATASETS:
        heatmap = Folded("Heat map of data sets and models", (heatmap,))
    drawn = tuple(figures.values())
    yield from (SideBySide(drawn[k : k + 2]) for k in range(0, len(drawn), 2))
    yield heatmap


def _pairs(result: DatasetComparison) -> tuple[Block, ...]:
    primary = result.primary
    names = [f"{pair.first} minus {pair.second}" for pair in primary.pairs]
    outcomes = ("P(better)", "P(equal)", "P(worse)")
    known = any(pair.expected is not None for pair in primary.pairs)
    of_model = ("new data set", f"{100 * result.level:g}% CI", *outcomes[:2]) if known else ()
    right = " Right: hierarchical model on counts, for a new data set." if known else ""
    tests, posteriors = [], []
    for name, pair in zip(names, primary.pairs, strict=True):
        p_values = pair.wilcoxon_p_value, pair.holm_p_value, pair.nemenyi_p_value
        wins = f"{pair.wins}/{pair.ties}/{pair.losses}"
        tests.append((name, signed(pair.mean_difference), wins, *map(p_value, p_values)))
        expected: tuple[str, ...] = ("",) * len(of_model)
        if (new := pair.expected) is not None:
            chances = map(probability, (new.probability_better, new.probability_equal))
            expected = (signed(new.mean), between(new.low, new.high), *chances)
        posteriors.append((name, *map(probability, vars(pair.signed_rank).values()), *expected))
    columns = ("mean difference", "win/tie/loss", "p (Wilcoxon)", "p (Holm)", "p (Nemenyi)")
    models = words_column("models")
    blocks: tuple[Block, ...] = (
        Table((models, *number_columns(*columns)), tuple(tests), identity="dataset-tests"),
        Table(
            (models, *number_columns(*outcomes, *of_model)), tuple(posteriors), identity="dataset-posterior"
        ),
        Sentence(
            f"{'Left: ' if known else ''}Bayesian signed-rank test.{right} Better: by more than"
            f" {result.rope:g}. Equal: a difference of at most {result.rope:g}.",
            "soft",
        ),
    )
    return (Folded(f"All {len(names)} pairs", blocks),) if len(names) > FEW_PAIRS else blocks


def _metrics(result: DatasetComparison) -> Table:
    def p_of(test: str) -> Callable[[MetricRanks], str]:
        return lambda ranks: "" if ranks.friedman is None else p_value(getattr(ranks.friedman, test))

    return table_of(
        result.metrics.values(),
        (words_column("metric", whole=True), lambda ranks: ranks.title),
        (words_column("best"), lambda ranks: ranks.best),
        ("mean rank", lambda ranks: f"{ranks.mean_ranks[ranks.best]:.2f}"),
        ("data sets", lambda ranks: str(ranks.datasets)),
        ("p (Friedman)", p_of("p_value")),
        ("p (Iman-Davenport)", p_of("iman_davenport_p_value")),
        (
            words_column("no significant difference"),
            lambda ranks: "; ".join(", ".join(group) for group in ranks.groups),
        ),
        identity="metrics",
    )


def _values_table(ranks: MetricRanks, with_intervals: bool) -> Table:
    """Data sets by models: the best of a row in bold, mean ranks below."""
    models = list(ranks.mean_ranks)
    rows: list[tuple[Cell | str, ...]] = []
    for dataset, row in ranks.values.items():
        best = best_of(row, ranks.lower_is_better)
        ends = {} if ranks.intervals is None or not with_intervals else ranks.intervals[dataset]
        asides = {m: f"({between(e.low, e.high)})" for m, e in ends.items() if not math.isnan(e.low)}
        tones: dict[str, Tone] = dict.fromkeys(best, "strong")
        cells = (Cell(shown(row[m]), tones.get(m, "plain"), aside=asides.get(m, "")) for m in models)
        rows.append((dataset, *cells))
    best_rank = min(ranks.mean_ranks.values())
    tones = {m: "strong" for m, rank in ranks.mean_ranks.items() if rank == best_rank}
    of_ranks = (Cell(f"{rank:.2f}", tones.get(m, "plain")) for m, rank in ranks.mean_ranks.items())
    rows.append(("mean rank", *of_ranks))
    return Table((words_column("data set"), *number_columns(*models)), tuple(rows), "dataset-values")


def latex_table(result: DatasetComparison, ranks: MetricRanks) -> str:
    """A table float with booktabs, caption and label."""
    caption = f"{ranks.title} of {len(ranks.mean_ranks)} models on {len(ranks.values)} data sets."
    if (test := ranks.friedman) is not None:
        caption += f" Friedman p {p_relation(test.p_value)}, Iman-Davenport p"
        caption += f" {p_relation(test.iman_davenport_p_value)}."
    if not math.isnan(ranks.critical_difference):
        caption += f" Nemenyi critical difference {ranks.critical_difference:.2f} ({100 * result.level:g}%)."
    return table_float(_values_table(ranks, False), caption, ranks.name)
