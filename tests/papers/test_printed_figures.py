from fractions import Fraction

import pytest

from steelyard_papers.printed_figures import agrees, agrees_when_cut


@pytest.mark.parametrize(
    ("printed", "ours", "expected"),
    [
        ("0.42", 3 / 7, False),  # 0.4286 rounds to 0.43
        ("0.43", 3 / 7, True),
        ("24", 23.97, True),
        ("24", 24.6, False),
        ("0.048", 15 / 315, True),
        (None, None, True),
        (None, 0.0, False),
        ("1", None, False),
        ("", float("nan"), True),
        ("0.5", float("nan"), False),
        ("0.250", Fraction(1001, 4000), True),
        ("0.250", Fraction(1003, 4000), False),
    ],
)
def test_agreement_is_half_a_unit_of_the_last_printed_digit(
    printed: str | None, ours: Fraction | float | None, expected: bool
) -> None:
    assert agrees(printed, ours) is expected


@pytest.mark.parametrize(
    ("printed", "ours", "expected"),
    [
        ("0.42", 3 / 7, True),  # 0.4286 cut after two digits
        ("0.43", 3 / 7, False),
        ("-0.17", Fraction(-179, 1000), True),  # leaving digits out goes towards 0
        ("-0.18", Fraction(-179, 1000), False),
        ("0.5", float("nan"), False),
        ("", 0.5, False),
    ],
)
def test_cut_digits(printed: str, ours: Fraction | float, expected: bool) -> None:
    assert agrees_when_cut(printed, ours) is expected
