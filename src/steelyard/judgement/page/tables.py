"""Tables that pages share: names and numbers of metrics, confusion matrices of one model or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.figures import folded_matrix, row_shares
from steelyard.judgement.evaluate.first_screen import rounded
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import short_names
from steelyard.report.numbers import shown
from steelyard.report.pages import MatrixCell, MatrixTable

Ends = tuple[float, float] | None
CELLS = (("true positive", "false negative"), ("false positive", "true negative"))


def metric_name(m: Measure) -> str:
    """The short name as it stands alone: Recall, G-mean."""
    name = short_name(m)
    return name[:1].upper() + name[1:] if name.islower() or " " in name else name


def value_text(value: float | None) -> str:
    return shown(value) if value is None or math.isnan(value) or abs(value) >= 1 else f"{value:.3f}"


def percent_text(share: float) -> str:
    """A share with one decimal; smaller ones with two digits that say something."""
    if math.isnan(share):
        return "undefined"
    return f"{100 * share:.1f}%" if share >= 0.001 or not share else f"{100 * share:.2g}%"


# Of one model recall and precision with their intervals, by class. Counts that a sample estimates have no
# decimals.
def matrix_table(
    matrices: Mapping[str, Confusion],
    positive: Label | None,
    recall: Mapping[str, Ends] | None = None,
    precision: Mapping[str, Ends] | None = None,
    estimated: bool = False,
) -> MatrixTable:
    """The matrices with shares of each actual class, the positive class first."""
    about = "about " if estimated else ""
    folded = [folded_matrix(matrix) for matrix in matrices.values()]
    first, classes = folded[0], next(iter(matrices.values())).n_classes
    order = list(range(first.n_classes))
    if positive is not None:
        order.sort(key=lambda k: str(first.labels[k]) != str(positive))
    names = short_names([first.labels[k] for k in order])
    two, alone = len(order) == 2 and positive is not None, len(folded) == 1
    rates = [
        [
            _rate(float(matrix.hits[k]), float(whole[k]), (ends or {}).get(str(matrix.labels[k])))
            for k in order
        ]
        for whole_of, ends in (("actual", recall), ("predicted", precision))
        for matrix in folded
        for whole in [getattr(matrix, whole_of)]
    ]
    note = f"The {first.n_classes - 1} classes with the largest confusions of {classes:,}; the JSON has all."
    return MatrixTable(
        tuple(names),
        tuple(rounded(first.actual[k].item(), about) for k in order),
        tuple(matrices),
        tuple(_cells(matrix, order, names, two, about) for matrix in folded),
        tuple(rates[0]) if alone else (),
        tuple(rate for row in rates[len(folded) :] for rate in row),
        note if first.n_classes < classes else "",
    )


def _cells(
    matrix: Confusion, order: Sequence[int], names: Sequence[str], two: bool, about: str
) -> tuple[tuple[MatrixCell, ...], ...]:
    shares = row_shares(matrix)
    return tuple(
        tuple(
            MatrixCell(
                rounded(matrix.counts[i, j].item(), about),
                percent_text(float(shares[i, j])),
                depth_of(float(shares[i, j]), i == j),
                f"{about}{rounded(matrix.counts[i, j].item(), about)} of"
                f" {rounded(matrix.actual[i].item(), about)} {names[row]}"
                f" predicted {names[column]}: {percent_text(float(shares[i, j]))}",
                CELLS[row][column] if two else "",
            )
            for column, j in enumerate(order)
        )
        for row, i in enumerate(order)
    )


def depth_of(share: float, correct: bool) -> int:
    """How dark a cell is, in ten steps; errors by their square root, so that a share of 2% is still seen."""
    return math.ceil(10 * (share if correct else math.sqrt(share))) if share > 0 else 0


def _rate(hits: float, whole: float, ends: Ends) -> tuple[str, str]:
    if not whole:
        return "–", ""
    return percent_text(hits / whole), "" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"
