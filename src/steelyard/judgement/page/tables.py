"""Tables that pages share: names and numbers of metrics, confusion matrices of one model or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.classes import ClassReport
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report.class_names import short_names
from steelyard.report.numbers import count, one_decimal
from steelyard.report.sections import Cell, MatrixCell, MatrixTable, Strip, Table, as_cell
from steelyard.uncertainty.intervals import Interval

if TYPE_CHECKING:
    from steelyard.report.chart import Chart

# Classes of a drawn matrix; further ones are folded into one row and column.
MOST_DRAWN = 12
Ends = tuple[float, float] | None
CELLS = (("true positive", "false negative"), ("false positive", "true negative"))


def metric_cell(m: Measure) -> Cell:
    """The display name, with the question that the metric answers."""
    return Cell(short_name(m), tip=m.question)


def rounded(value: float, about: str) -> str:
    """A count; one that is estimated has no decimals."""
    return count(float(round(value)) if about else value)


def plot_cell(
    value: float, interval: Any, behind: Sequence[tuple[str, float]] = (), tip: str = "", low: float = 0.0
) -> Cell:
    """A value with its interval (or the two ends of it) on the scale of the column, behind it other marks."""
    ends = (interval.low, interval.high) if isinstance(interval, Interval) else interval or (value, value)
    marks = [(kind, at, at, at) for kind, at in behind]
    return Cell("", tip=tip, strip=Strip((*marks, ("value", value, *ends)), low))


def chart_of_plots(identity: str, title: str, desc: str, table: Table, x: str, **words: Any) -> Chart:
    """The plots of a table's rows as one chart."""
    from steelyard.report.chart import Axis, forest

    column = next(k for k, head in enumerate(table.columns) if head.kind == "plot")
    cells = [(as_cell(row[0]).words, as_cell(row[column]).strip) for row in table.rows]
    drawn = [(name, strip) for name, strip in cells if strip is not None]
    names = short_names([name for name, _ in drawn], 20)
    low, high = (drawn[0][1].low, drawn[0][1].high) if drawn else (0.0, 1.0)
    marks = [(name, strip.marks) for name, (_, strip) in zip(names, drawn, strict=True)]
    return forest(identity, title, desc, marks, Axis(x, low, high), **words)


def folded_matrix(matrix: Confusion, most: int = MOST_DRAWN) -> Confusion:
    """The matrix, or where it has many classes those of the largest confusions and all others together."""
    if matrix.n_classes <= most:
        return matrix
    # Classes that take part in the largest single confusions, not the largest classes: errors are looked for.
    cells, counts = matrix.held
    errors = np.where(cells.rows == cells.columns, 0, counts)
    weight = np.zeros(matrix.n_classes)
    for classes in (cells.rows, cells.columns):
        np.maximum.at(weight, classes, errors)
    order = np.argsort(-weight, kind="stable")
    largest, rest = np.sort(order[: most - 1]), np.sort(order[most - 1 :])
    labels = [matrix.labels[i] for i in largest] + [f"{len(rest):,} other classes"]
    below = matrix.predicted - matrix.counts[largest].sum(axis=0)
    rows = np.vstack([matrix.counts[largest], below])
    return Confusion(np.column_stack([rows[:, largest], rows[:, rest].sum(axis=1)]), labels)


def positive_first(matrix: Confusion, positive: Label | None) -> list[int]:
    """The classes in their order, the positive one first."""
    places = list(range(matrix.n_classes))
    if positive is not None:
        places.sort(key=lambda k: str(matrix.labels[k]) != str(positive))
    return places


# Of one model with the recall and precision of its classes. Counts that a sample estimates have no decimals.
def matrix_table(
    matrices: Mapping[str, Confusion],
    positive: Label | None,
    classes: Sequence[ClassReport] = (),
    estimated: bool = False,
) -> MatrixTable:
    """The matrices with shares of each actual class, the positive class first."""
    about = "about " if estimated else ""
    folded = [folded_matrix(matrix) for matrix in matrices.values()]
    first, whole = folded[0], next(iter(matrices.values())).n_classes
    order = positive_first(first, positive)
    names = short_names([first.labels[k] for k in order])
    two = len(order) == 2 and positive is not None
    ends = {str(c.label): (c.recall_interval, c.precision_interval) for c in classes}

    def rate(matrix: Confusion, k: int, sizes: NDArray[Any], place: int) -> tuple[str, str]:
        if not sizes[k]:
            return "–", ""
        low_high = ends.get(str(matrix.labels[k]), (None, None))[place]
        text = "" if low_high is None else f"{100 * low_high[0]:.1f} to {100 * low_high[1]:.1f}"
        return one_decimal(float(matrix.hits[k] / sizes[k])), text

    note = f"The {first.n_classes - 1} classes with the largest confusions of {whole:,}; the JSON has all."
    return MatrixTable(
        tuple(names),
        tuple(rounded(first.actual[k].item(), about) for k in order),
        tuple(matrices),
        tuple(_cells(matrix, order, names, two, about) for matrix in folded),
        tuple(rate(first, k, first.actual, 0) for k in order) if len(folded) == 1 else (),
        tuple(rate(matrix, k, matrix.predicted, 1) for matrix in folded for k in order),
        note if first.n_classes < whole else "",
        "actual (estimated)" if estimated else "actual",
    )


def _cells(
    matrix: Confusion, order: Sequence[int], names: Sequence[str], two: bool, about: str
) -> tuple[tuple[MatrixCell, ...], ...]:
    actual = matrix.actual[:, None]
    # Of the actual class; 0 where that has no rows.
    shares = np.divide(matrix.counts, actual, out=np.zeros(matrix.counts.shape), where=actual > 0).tolist()

    def cell(row: int, column: int) -> MatrixCell:
        i, j = order[row], order[column]
        number, share = rounded(matrix.counts[i, j].item(), about), one_decimal(shares[i][j])
        of = f"{about}{number} of {rounded(matrix.actual[i].item(), about)} {names[row]}"
        tip = f"{of} predicted {names[column]}: {share}"
        name = CELLS[row][column] if two else ""
        return MatrixCell(number, share, depth_of(shares[i][j], i == j), tip, name)

    places = range(len(order))
    return tuple(tuple(cell(row, column) for column in places) for row in places)


def depth_of(share: float, correct: bool) -> int:
    """How dark a cell is, in ten steps; errors by their square root, so that a share of 2% is still seen."""
    return math.ceil(10 * (share if correct else math.sqrt(share))) if share > 0 else 0
