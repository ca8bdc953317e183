"""A way to report that a paper proposes: skrabanek2017's balanced metrics first."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.report.sections import Cell, Table

MATRIX = [[60, 40], [5, 895]]


def texts(table: Table) -> list[list[str]]:
    return [[cell.words if isinstance(cell, Cell) else cell for cell in row] for row in table.rows]


def balanced_table(result: sy.Evaluation) -> Table:
    (section,) = (s for s in result.report().sections if s.identity == "balanced-first")
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    return table


def test_balanced_metrics_stand_first() -> None:
    """Rates 0.6 and 895/900: pr_B = 0.6 / (0.6 + 1/180) = 108/109, precision = 60/65."""
    options = {"labels": ["fraud", "ok"], "positive": "fraud", "interval": None}
    result = sy.evaluate(MATRIX, report="skrabanek2017", **options)
    rows = {row[1]: row[2:] for row in texts(balanced_table(result))}
    assert rows["acc_B"] == ["0.797", "0.955"]
    assert rows["er_B"] == ["0.203", "0.0450"]
    assert rows["pr_B"] == ["0.991", "0.923"]
    assert rows["re"] == ["0.600", "0.600"]
    assert list(rows) == ["acc_B", "er_B", "pr_B", "Fscore_B", "re", "sp", "fnr", "fpr", "Gmean", "AUC"]
    shown = str(result)
    assert "100 positive" in shown
    assert "900 negative" in shown
    standard = sy.evaluate(MATRIX, **options)
    assert standard.to_dict() == result.to_dict()  # the figures are the same, their order is not
    assert "balanced-first" not in [section.identity for section in standard.report().sections]


def test_the_interval_of_the_balanced_metric_stands_beside_it() -> None:
    result = sy.evaluate(MATRIX, labels=["fraud", "ok"], positive="fraud", report="skrabanek2017", draws=500)
    interval = result.interval_of("balanced_accuracy")
    assert interval is not None
    assert texts(balanced_table(result))[0][3].startswith(f"{interval.low:.3f}")


def test_the_scheme_is_for_two_classes() -> None:
    with pytest.raises(sy.InputError, match="found 3 classes"):
        sy.evaluate([[5, 1, 0], [0, 4, 1], [1, 0, 6]], report="skrabanek2017")
    with pytest.raises(sy.InputError, match="report"):
        sy.evaluate(MATRIX, report="skrabanek")
