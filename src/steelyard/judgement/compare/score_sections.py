"""Areas under the ROC curve and other score metrics of several models, as a section."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from steelyard.judgement.compare.score_comparison import ScoreDifference, ScoreMetric, ScoreValue
from steelyard.judgement.compare.tables import Gap, gap_table, values_table
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted, short
from steelyard.report.numbers import between, p_relation, p_value, shown
from steelyard.report.sections import Block, Cell, Figure, Section, Sentence, SideBySide
from steelyard.scores.area_comparison import AreaComparison
from steelyard.scores.delong import asked_of_backwards, is_surely_backwards

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

# Coverage of the paired differences: 88 to 92% with 40 positives, 92 to 98% with 60 and more (200 data sets a
# cell).
FEW_ROWS = 50
FEW = f" With fewer than {FEW_ROWS} rows of a class, 95% intervals of these differences cover about 90%."
# Models whose areas stand on the first screen.
MOST_AREAS = 4


def score_section(
    areas: AreaComparison, metrics: Sequence[ScoreMetric], rows: int, chart: Callable[[str], Chart]
) -> Section:
    """The areas and the other score metrics of each model, and their differences two by two."""
    words = "ROC AUC: DeLong's test, and Wilson's interval with DeLong's standard error"
    if areas.bounds:
        words += (
            ", from scores that the cluster counted in bins: an area lies between its bounds for certain, and"
            " what they leave open counts against a difference"
        )
    words += "."
    if metrics:
        lower = [short_name(m.measure) for m in metrics if m.measure.better == "lower"]
        words += " Other metrics: paired bootstrap. Holm's correction is for the pairs of each metric."
        words += f" Lower is better: {', '.join(lower)}." if lower else ""
        words += FEW if rows * min(areas.share, 1 - areas.share) < FEW_ROWS else ""
    every = [_of_areas(areas), *metrics]
    gaps = [_gap(m.measure, areas, test) for m in every for test in m.pairs]
    ci = f"{100 * areas.level:g}% CI"
    blocks: list[Block] = [
        values_table([(m.measure, m.values) for m in every], list(areas.areas), "score-values"),
        SideBySide((Figure(lambda: chart("roc")), Figure(lambda: chart("pr")))),
        gap_table(gaps, "score-differences", ci, title="Differences of score metrics"),
        Sentence(words, "soft"),
    ]
    return Section(f"Scores of class {quoted(areas.positive)}", tuple(blocks), identity="scores")


def _of_areas(areas: AreaComparison) -> ScoreMetric:
    """The areas as the other score metrics are."""
    values = {name: ScoreValue(value, *areas.intervals[name]) for name, value in areas.areas.items()}
    pairs = (
        ScoreDifference(
            p.first, p.second, p.delong.difference, *p.delong.interval, p.delong.p_value, p.holm_p_value
        )
        for p in areas.pairs
    )
    return ScoreMetric(look_up("roc_auc"), values, tuple(pairs))


def _gap(m: Measure, areas: AreaComparison, test: ScoreDifference) -> Gap:
    clear = (test.low > 0 or test.high < 0) and test.holm_p_value < 1 - areas.level
    higher, lower = (test.first, test.second) if test.difference > 0 else (test.second, test.first)
    better = (lower if m.better == "lower" else higher) if clear else None
    named = Cell(short_name(m), aside=f"{short(test.first, 18)} − {short(test.second, 18)}")
    corrected = p_value(test.holm_p_value) if len(areas.pairs) > 1 else ""
    return Gap(named, (test.difference, test.low, test.high), better, p_value(test.p_value), corrected)


def area_sentences(result: AreaComparison, rows: int) -> Iterator[Sentence]:
    """The areas on the first screen: values, and the difference between the best and the second."""
    ranked = sorted(result.areas, key=lambda model: -result.areas[model])
    each = ", ".join(f"{model} {shown(result.areas[model])}" for model in ranked[:MOST_AREAS])
    more = f" and {len(ranked) - MOST_AREAS} more" if len(ranked) > MOST_AREAS else ""
    pair = next(pair for pair in result.pairs if {pair.first, pair.second} == set(ranked[:2]))
    sign = 1 if pair.first == ranked[0] else -1
    low, high = sorted(sign * end for end in pair.delong.interval)
    yield Sentence(
        f"ROC AUC of class {quoted(result.positive)}: {each}{more} (difference"
        f" {shown(sign * pair.delong.difference)}, {100 * result.level:g}% CI {between(low, high)},"
        f" p {p_relation(pair.holm_p_value)})."
    )
    greatest = max(result.areas.values())
    if is_surely_backwards(greatest, min(result.share, 1 - result.share) * rows):
        yield Sentence(asked_of_backwards(result.positive, greatest), "bad")
