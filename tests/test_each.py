"""A test of many values fails with every value that fails, and takes other arguments as before."""

import pytest

from tests.each import each


@each("number", range(5))
@pytest.mark.parametrize("limit", [5, 9])
def test_every_value_is_tested(number: int, limit: int, tmp_path) -> None:
    assert tmp_path.exists()
    assert number < limit


def test_every_failing_value_is_named() -> None:
    @each("number", range(5))
    def small(number: int) -> None:
        assert number < 3

    with pytest.raises(ExceptionGroup, match="2 of 5 failed") as caught:
        small()
    assert [error.__notes__ for error in caught.value.exceptions] == [
        ["with number = 3"],
        ["with number = 4"],
    ]


def test_no_values_are_a_fault_of_the_test() -> None:
    with pytest.raises(AssertionError, match="no number to test"):
        each("number", [])
