"""What is said of scores within a capacity: what the first rows hold, and what a ranking costs at every
balance."""

from __future__ import annotations

import math
from collections.abc import Iterator

from steelyard.report.numbers import between, count, percent, shown
from steelyard.report.page.drawing import UNIT, Path, plane, tick_marks
from steelyard.report.sections import (
    Block,
    Column,
    Picture,
    Section,
    Sentence,
    SideBySide,
    Table,
    number_columns,
    words_column,
)
from steelyard.scores.ranking_result import OperatingPoint
from steelyard.scores.top_k import CapacityReport, Figure, operating_line


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
    blocks.append(
        SideBySide(
            (
                Picture(
                    lambda: _gain_picture(found, label),
                    f"Gain: recall of {label} against the share of rows that is reviewed. On the"
                    " dashed line rows are reviewed in random order.",
                    "shares",
                ),
                Picture(
                    lambda: _cost_picture(found, point),
                    "Cost curve: to the right missed positives weigh more (they cost more, or the class is"
                    " more frequent). Below the grey roof, the better of the two constant predictions, the"
                    " classifier is worth using.",
                    "",
                ),
            )
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
        bound="shares",
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
        bound="shares",
    )


def _ends(figure: Figure) -> str:
    return "" if math.isnan(figure.low) else between(figure.low, figure.high)


def _gain_picture(found: CapacityReport, label: str) -> str:
    xs, ys = found.share.tolist(), found.gain.tolist()
    tips = [f"{percent(y)} of {label} in {percent(x)} of the rows" for x, y in zip(xs, ys, strict=True)]
    return plane(
        [Path("gain", xs, ys, None, tips, True)],
        UNIT,
        UNIT,
        "share of rows reviewed",
        f"recall of {label}",
        "Gain curve",
        diagonal=True,
    )


def _cost_picture(found: CapacityReport, point: OperatingPoint | None) -> str:
    costs = found.costs
    at, least = costs.probability_cost.tolist(), costs.cost.tolist()
    band = None if costs.low is None or costs.high is None else (at, costs.low.tolist(), costs.high.tolist())
    tips = [f"least cost {shown(y)} at a balance of {shown(x)}" for x, y in zip(at, least, strict=True)]
    paths = [Path("least cost over all thresholds", at, least, band, tips, True)]
    top = 0.5
    if point is not None and not math.isnan(point.tpr) and not math.isnan(point.fpr):
        line = operating_line(point.tpr, point.fpr, at)
        paths.append(Path("the evaluated labels", at, line))
        top = max(top, *line)
    paths.append(Path("the better constant prediction", at, [min(x, 1 - x) for x in at]))
    return plane(
        paths,
        UNIT,
        tick_marks(0, top),
        "weight of misses: prior times cost, as a share",
        "normalised cost",
        "Cost curve",
    )
