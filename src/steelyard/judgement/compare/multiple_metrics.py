"""The multiple-metric scheme of mortaz2020 (sections 2.2 and 3.5): the model with the largest row minimum.

Each model is judged by the lowest of five metrics, and the model whose lowest is the highest is selected. IAM
stands beside it as the single metric that the paper proposes in its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from steelyard.counts.confusion import Confusion
from steelyard.measures.catalogue import measure
from steelyard.report.numbers import shown
from steelyard.report.sections import Cell, Column, Section, Sentence, Table, words_column

# The paper's symbols in the order of its Tables 16 and 18.
SCHEME = {
    "ACC": "accuracy",
    "CBA": "class_balance_accuracy",
    "MAR": "macro_recall",
    "MAP": "macro_precision",
    "F-score": "macro_f_beta",
}
SINGLE = ("IAM", "imbalance_accuracy")
SELECTED = "selected"


def multiple_metric_section(matrices: Mapping[str, Confusion]) -> Iterator[Section]:
    """The table of the scheme, for several models of three or more classes."""
    if len(matrices) < 2 or any(matrix.n_classes < 3 for matrix in matrices.values()):
        return
    yield Section(
        "Multiple-metric scheme (mortaz2020)",
        (
            scheme_table(matrices),
            Sentence(
                "_x_ is the lowest of the five metrics of a model; the model with the highest such value is"
                " selected. Bold: highest of a column. IAM = 2 CBA - 1, so IAM selects what CBA selects.",
                "soft",
            ),
        ),
        "full",
        "multiple-metrics",
    )


def scheme_table(matrices: Mapping[str, Confusion]) -> Table:
    """Models as rows; five metrics and the selection, then IAM and its selection."""
    names = (*SCHEME.values(), SINGLE[1])
    values = {model: [float(measure(name)(matrix)) for name in names] for model, matrix in matrices.items()}
    lowest = {model: min(row[:-1]) for model, row in values.items() if not any(map(math.isnan, row))}
    highest = [
        max((row[k] for row in values.values() if row[k] == row[k]), default=math.nan) for k in range(6)
    ]
    by_scheme, by_iam = max(lowest.values(), default=math.nan), highest[-1]
    rows: list[tuple[Cell | str, ...]] = []
    for model, row in values.items():
        floor = lowest.get(model, math.nan)
        cells = [
            Cell(
                f"_{shown(value)}_" if value == floor else shown(value), "strong" if value == top else "plain"
            )
            for value, top in zip(row, highest, strict=True)
        ]
        rows.append(
            (
                model,
                *cells[:-1],
                SELECTED if floor == by_scheme else "",
                Cell(shown(row[-1]), cells[-1].tone),
                SELECTED if row[-1] == by_iam else "",
            )
        )
    columns = (words_column("model", whole=True), *map(Column, SCHEME), words_column("by row minimum"))
    return Table(
        (*columns, Column(SINGLE[0]), words_column("by IAM")), tuple(rows), identity="multiple-metrics"
    )
