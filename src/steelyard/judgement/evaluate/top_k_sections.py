"""What is said of scores within a capacity: what the first rows hold, and what a ranking costs at every
balance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.sections import (
    Block,
    Column,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.ranking_result import OperatingPoint
from steelyard.scores.top_k import CapacityReport, Figure


def capacity_sections(
    found: CapacityReport, label: str, level: float | None, point: OperatingPoint | None
) -> Iterator[Section]:
    """One section: if only so many rows can be looked at."""
    blocks: list[Block] = [_at_k(found, level), _at_rates(found, level)]
    blocks.append(
        Sentence(
            "Rows are reviewed from the highest score down; lift is precision divided by that of reviewing"
            " at random. Recall and precision of the second table are those of the best threshold"
            " that meets the condition.",
            "soft",
        )
    )
    yield Section("Precision and recall at review capacity", tuple(blocks), identity="capacity-section")


def _at_k(found: CapacityReport, level: float | None) -> Table:
    sure = [Column(f"{100 * level:g}% CI")] if level else []
    return Table(
        (*number_columns("rows", "share", "found", "recall"), *sure, *number_columns("precision", "lift")),
        tuple(
            (
                count(row.k),
                percent(row.share),
                count(row.found),
                shown(row.recall.value),
                *([_ends(row.recall)] if level else []),
                shown(row.precision.value),
                f"{row.lift.value:.3g}",
            )
            for row in found.at_k
        ),
        identity="capacity",
    )


def _at_rates(found: CapacityReport, level: float | None) -> Table:
    sure = [Column(f"{100 * level:g}% CI")] if level else []
    rows = [
        (f"recall at a false positive rate of at most {percent(rate)}", figure)
        for rate, figure in found.recall_at_fpr
    ]
    rows += [
        (f"precision at a recall of at least {recall:g}", figure)
        for recall, figure in found.precision_at_recall
    ]
    return Table(
        (words_column("condition"), *number_columns("value"), *sure),
        tuple((words, shown(figure.value), *([_ends(figure)] if level else [])) for words, figure in rows),
        identity="conditions",
    )


def _ends(figure: Figure) -> str:
    return "" if math.isnan(figure.low) else between(figure.low, figure.high)
