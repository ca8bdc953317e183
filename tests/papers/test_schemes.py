"""Two ways to report that papers propose: skrabanek2017's balanced metrics first, mortaz2020's row minima."""

from __future__ import annotations

import pytest

import steelyard as sy
from steelyard.report import Cell, Table
from steelyard_papers.mortaz2020.scheme import scheme_table

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
    with pytest.raises(sy.InputError, match="did you mean 'skrabanek2017'"):
        sy.evaluate(MATRIX, report="skrabanek")


def test_row_minima_of_example_1() -> None:
    """Tables 2, 3 and 9: CBA is the lowest of both, ML_1 is selected by both ways."""
    ml_1 = sy.Confusion([[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]])
    ml_2 = sy.Confusion([[4900, 90, 10, 0], [250, 250, 0, 0], [50, 10, 35, 5], [9, 4, 2, 10]])
    first, second = texts(scheme_table({"ML_1": ml_1, "ML_2": ml_2}))
    assert first == ["ML_1", "0.924", "_0.570_", "0.580", "0.781", "0.654", "selected", "0.140", "selected"]
    assert second[2] == "_0.548_"
    assert (second[6], second[8]) == ("", "")


def test_example_2_where_the_lowest_metric_changes() -> None:
    """Tables 5 and 6: accuracy is the lowest of ML_3, CBA of ML_4; IAM selects ML_3 (section 2.4.2)."""
    ml_3 = sy.Confusion([[100, 102, 99], [105, 100, 10], [102, 10, 90]])
    ml_4 = sy.Confusion([[114, 86, 101], [100, 100, 15], [110, 10, 82]])
    third, fourth = texts(scheme_table({"ML_3": ml_3, "ML_4": ml_4}))
    assert third[1].startswith("_")
    assert fourth[2].startswith("_")
    assert (third[8], fourth[8]) == ("selected", "")


def test_a_model_without_a_value_is_not_selected() -> None:
    never = sy.Confusion([[5, 0, 0], [1, 4, 0], [2, 3, 0]])  # the third class is never predicted
    plain = sy.Confusion([[1, 4, 0], [4, 1, 0], [0, 4, 1]])
    first, second = texts(scheme_table({"never": never, "plain": plain}))
    assert first[4] == "undefined"
    assert first[6] == ""
    assert second[6] == "selected"


@pytest.mark.parametrize("classes", [2, 3])
def test_a_comparison_of_three_or_more_classes_shows_the_scheme(classes: int) -> None:
    truth = [label for label in range(classes) for _ in range(4)]
    result = sy.compare({"a": truth, "b": [0, *truth[1:-1], 0]}, truth, draws=200)
    shown = [section.identity for section in result.report().sections]
    assert ("multiple-metrics" in shown) == (classes == 3)
