"""Multiple-metric scheme of mortaz2020 (sections 2.2 and 3.5), as a table of `steelyard compare`.

Each model is judged by the lowest of five metrics, and the model whose lowest is the highest is selected. IAM
stands beside it as the single metric that the paper proposes in its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard import Confusion, measure
from steelyard.report import Cell, Column, Section, Sentence, Table, shown, words_column

# The paper's symbols in the order of its Tables 16 and 18.
SCHEME = {
    "ACC": "accuracy",
    "CBA": "class_balance_accuracy",
    "MAR": "macro_recall",
    "MAP": "macro_precision",
    "F-score": "macro_f_beta",
}
# Section 4: the scheme of several metrics against one, IAM.
SINGLE = ("IAM", "imbalance_accuracy")
SELECTED = "selected"


def sections(comparison: Any) -> Iterator[Section]:
    """The table of the scheme, for several models of three or more classes."""
    matrices = comparison.matrices
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
        texts = [f"_{shown(value)}_" if value == floor else shown(value) for value in row[:-1]]
        tones: list[Any] = ["strong" if v == top else "plain" for v, top in zip(row, highest, strict=True)]
        *cells, single = map(Cell, (*texts, shown(row[-1])), tones)
        selected = [SELECTED if is_best else "" for is_best in (floor == by_scheme, row[-1] == by_iam)]
        rows.append((model, *cells, selected[0], single, selected[1]))
    columns = (words_column("model", whole=True), *map(Column, SCHEME), words_column("by row minimum"))
    return Table(
        (*columns, Column(SINGLE[0]), words_column("by IAM")), tuple(rows), identity="multiple-metrics"
    )
