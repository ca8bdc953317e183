"""Is the right column taken for the truth, and is doubt said aloud?"""

from __future__ import annotations

import pytest

from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.column_names import find_column


@pytest.mark.parametrize(
    "name", ["y_true", "truth", "label", "target", "actual", "Y_True", "Ground Truth", "y.true", "TRUE-LABEL"]
)
def test_the_usual_names_of_a_truth_are_known(name: str) -> None:
    assert find_column(None, ["id", name, "country"], "truth") == name


@pytest.mark.parametrize(
    "name", ["y_pred", "pred", "prediction", "predicted", "yhat", "Y-hat", "Predicted Label"]
)
def test_the_usual_names_of_a_prediction_are_known(name: str) -> None:
    assert find_column(None, ["id", name, "country"], "prediction") == name


def test_a_column_that_is_asked_for_is_taken_as_it_is_written() -> None:
    columns = ["Y", "y", ' "odd" name ', "truth"]
    assert find_column("y", columns, "truth") == "y"
    assert find_column("Y", columns, "truth") == "Y"
    assert find_column(' "odd" name ', columns, "truth") == ' "odd" name '


def test_two_candidates_are_an_error_that_lists_them() -> None:
    with pytest.raises(
        InputError,
        match=r"more than one column could be the truth; found label, Target; say which with truth=...",
    ):
        find_column(None, ["label", "Target", "pred"], "truth")


def test_no_candidate_is_an_error_that_lists_the_columns() -> None:
    with pytest.raises(
        InputError,
        match=r"no column is named like a truth; found the columns a, b;.*say which with truth=...",
    ):
        find_column(None, ["a", "b"], "truth")


def test_many_columns_are_not_all_listed() -> None:
    with pytest.raises(InputError) as caught:
        find_column(None, [f"feature {i}" for i in range(500)], "truth")
    assert "and 480 more" in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_misspelt_column_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        UnknownNameError, match=r"there is no column 'y_treu'; allowed: .*; did you mean 'y_true'"
    ):
        find_column("y_treu", ["id", "y_true", "y_pred"], "truth")


def test_where_there_is_no_other_column_that_is_said() -> None:
    with pytest.raises(InputError, match="found no other column"):
        find_column(None, [], "prediction")
