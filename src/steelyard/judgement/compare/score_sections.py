"""Areas under the ROC curve of several models, as a section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from steelyard.judgement.compare.score_comparison import ScoreMetric, ScoreValue
from steelyard.measures.names import short_name
from steelyard.report.class_names import quoted
from steelyard.report.numbers import between, p_relation, p_value, shown, signed
from steelyard.report.sections import (
    Figure,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.area_comparison import AreaComparison
from steelyard.scores.delong import AucComparison, asked_of_backwards, is_surely_backwards

# Coverage of the paired differences: 88 to 92% with 40 positives, 92 to 98% with 60 and more (200 data sets a
# cell).
FEW_ROWS = 50
# 200 simulated data sets with 40 positives; with 60 and 100 they covered 92 to 98%.
FEW = f" With fewer than {FEW_ROWS} rows of a class, 95% intervals of these differences cover about 90%."
# Models whose areas stand on the first screen.
MOST_AREAS = 4


def area_sections(result: AreaComparison) -> Iterator[Section]:
    """The areas, and their differences two by two."""
    from steelyard.judgement.compare.figures import area_charts, area_differences_chart

    level = f"{100 * result.level:g}%"
    drawn = all(pair.bootstrap is not None for pair in result.pairs)
    words = f"Scores of class {quoted(result.positive)} on the same rows. DeLong's test"
    if drawn:
        words += f", and a paired bootstrap of {result.replicates:,} samples of the same rows."
    elif not result.bounds:
        words += ", from what the cluster counted."
    else:
        words += (
            ", from scores that the cluster counted in bins: an area lies between its bounds for certain, and"
            " what they leave open counts against a difference."
        )
    bounded = ("at least", "at most") if result.bounds else ()
    areas = tuple(
        (name, shown(area), *(f"{end:.6f}" for end in result.bounds.get(name, (area, area)) if bounded))
        for name, area in sorted(result.areas.items(), key=lambda pair: -pair[1])
    )
    yield Section(
        f"Area under the ROC curve, positive class {quoted(result.positive)}",
        (
            Sentence(words, "soft"),
            Table((words_column("scores"), *number_columns("ROC AUC", *bounded)), areas, identity="areas"),
            SideBySide((Figure(lambda: area_charts(result)[0]), Figure(lambda: area_charts(result)[1]))),
            Figure(lambda: area_differences_chart(result)),
            Table(
                (
                    words_column("pair"),
                    *number_columns(
                        "difference",
                        f"{level} CI (DeLong)",
                        "p (DeLong)",
                        "p (Holm)",
                        *((f"{level} CI (bootstrap)", "p (bootstrap)") if drawn else ()),
                    ),
                ),
                tuple(
                    (
                        f"{pair.first} minus {pair.second}",
                        *_test(pair.delong),
                        p_value(pair.holm_p_value),
                        *(() if pair.bootstrap is None else _test(pair.bootstrap)[1:]),
                    )
                    for pair in result.pairs
                ),
                identity="area-differences",
            ),
        ),
        identity="areas-section",
    )


def score_metric_section(metrics: Sequence[ScoreMetric], level: float, fewest: float) -> Iterator[Section]:
    """The other score metrics: each model's value, and the differences two by two."""
    if not metrics:
        return
    ci = f"{100 * level:g}% CI"

    def written(value: ScoreValue) -> str:
        ends = "no interval" if math.isnan(value.low) else between(value.low, value.high)
        return f"{shown(value.value)} ({ends})"

    values = tuple((model, *(written(m.values[model]) for m in metrics)) for model in metrics[0].values)
    differences = tuple(
        (
            m.measure.title,
            f"{pair.first} minus {pair.second}",
            signed(pair.difference),
            f"{signed(pair.low)} to {signed(pair.high)}",
            p_value(pair.p_value),
            p_value(pair.holm_p_value),
        )
        for m in metrics
        for pair in m.pairs
    )
    lower = [short_name(m.measure) for m in metrics if m.measure.better == "lower"]
    yield Section(
        "Other score metrics",
        (
            Table(
                (words_column("scores"), *number_columns(*(f"{m.measure.title} ({ci})" for m in metrics))),
                values,
                identity="score-values",
            ),
            Table(
                (
                    words_column("metric"),
                    words_column("pair"),
                    *number_columns("difference", ci, "p", "p (Holm)"),
                ),
                differences,
                identity="score-differences",
            ),
            Sentence(
                "Paired bootstrap of the same rows; Holm's correction is for the pairs of each metric."
                + (f" Lower is better: {', '.join(lower)}." if lower else "")
                + (FEW if fewest < FEW_ROWS else ""),
                "soft",
            ),
        ),
        identity="score-metrics-section",
    )


def area_sentences(result: AreaComparison, rows: int) -> Iterator[Sentence]:
    """The areas on the first screen: values, and the difference between the best and the second."""
    ranked = sorted(result.areas, key=lambda model: -result.areas[model])
    each = ", ".join(f"{model} {shown(result.areas[model])}" for model in ranked[:MOST_AREAS])
    more = f" and {len(ranked) - MOST_AREAS} more" if len(ranked) > MOST_AREAS else ""
    pair = next(pair for pair in result.pairs if {pair.first, pair.second} == set(ranked[:2]))
    sign = 1 if pair.first == ranked[0] else -1
    low, high = sorted(sign * end for end in pair.delong.interval)
    yield Sentence(
        f"Area under the ROC curve of class {quoted(result.positive)}: {each}{more} (difference"
        f" {shown(sign * pair.delong.difference)}, {100 * result.level:g}% CI {between(low, high)},"
        f" p {p_relation(pair.holm_p_value)})."
    )
    greatest = max(result.areas.values())
    if is_surely_backwards(greatest, min(result.share, 1 - result.share) * rows):
        yield Sentence(asked_of_backwards(result.positive, greatest), "bad")


def _test(test: AucComparison) -> tuple[str, str, str]:
    low, high = test.interval
    return signed(test.difference), f"{signed(low)} to {signed(high)}", p_value(test.p_value)
