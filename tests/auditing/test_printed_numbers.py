"""What a printed number stands for, worked out by hand."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

import steelyard as sy
from steelyard.auditing.checker.question import Interval
from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.printed_numbers import figure, statements
from steelyard.cli import main
from steelyard.errors import InputError


def half(text: str) -> Fraction:
    return Fraction(text)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("0.60", "0.595", "0.605"), ("0.6", "0.55", "0.65"), (".6", "0.55", "0.65"), ("95.2%", "0.9515", "0.9525"),
     ("1", "0.5", "1.5"), ("-0.25", "-0.255", "-0.245"), ("9.5e-1", "0.945", "0.955")],
)  # fmt: skip
def test_digits_count_as_printed(text: str, low: str, high: str) -> None:
    assert figure(text).interval("nearest") == Interval(Fraction(low), Fraction(high))


def test_a_tie_may_have_gone_either_way() -> None:
    printed = figure("0.85").interval("nearest")
    assert printed.holds(Fraction("0.845"))
    assert printed.holds(Fraction("0.855"))
    assert not printed.holds(Fraction("0.8551"))


def test_cut_digits_go_towards_zero() -> None:
    cut = figure("0.85").interval("cut")
    assert cut.holds(Fraction("0.85"))
    assert cut.holds(Fraction("0.8599"))
    assert not cut.holds(Fraction("0.86"))
    assert not cut.holds(Fraction("0.8499"))
    below = figure("-0.85").interval("cut")
    assert below.holds(Fraction("-0.8599"))
    assert not below.holds(Fraction("-0.86"))
    assert not below.holds(Fraction("-0.8499"))
    zero = figure("0.00").interval("cut")
    assert zero.holds(Fraction("0.009"))
    assert zero.holds(Fraction("-0.009"))
    assert not zero.holds(Fraction("0.01"))


def test_either_holds_what_one_of_the_two_holds() -> None:
    either, nearest, cut = (figure("0.85").interval(how) for how in ("either", "nearest", "cut"))  # type: ignore[arg-type]
    for value in map(Fraction, ("0.8449", "0.845", "0.85", "0.855", "0.8599", "0.86")):
        assert either.holds(value) == (nearest.holds(value) or cut.holds(value))


def test_numbers_keep_the_digits_that_python_prints() -> None:
    assert figure(0.6).unit == Fraction(1, 10)
    assert figure(Decimal("0.60")).unit == Fraction(1, 100)
    assert figure(1).unit == 1


def test_statements_are_split_outside_brackets() -> None:
    found = statements("accuracy=0.95, one_versus_all(f1, micro) = 0.9, recall[spam]=0.80 ± 0.02, g=0.5+-0.1")
    assert [s.name for s in found] == ["accuracy", "one_versus_all(f1, micro)", "recall[spam]", "g"]
    assert [s.text.rpartition(" = ")[2] for s in found] == ["0.95", "0.9", "0.80 ± 0.02", "0.5 ± 0.1"]
    assert [s.name for s in statements("accuracy=0.95; recall=0.9\nf1=0.8")] == ["accuracy", "recall", "f1"]
    assert statements({"recall": ("0.80", "0.02")})[0].text == "recall = 0.80 ± 0.02"
    assert statements("recall = 95 ± 2%")[0].text == "recall = 95% ± 2%"
    (same_in_all_folds,) = statements("recall = 0.5 ± 0.00")
    sizes = sizes_of(Options("", "pos=3, neg=3"), [])
    _, deviation = demands_of([same_in_all_folds], sizes, None, "nearest", over_folds=True)
    assert deviation.statistic == "deviation"
    assert deviation.holds(Fraction(0))


@pytest.mark.parametrize(
    "text", ["", "accuracy", "=0.5", "accuracy=0.9.5", "accuracy=high", "accuracy=0.9 ± -0.1"]
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        statements(text)


def test_an_unknown_rounding_is_refused() -> None:
    with pytest.raises(
        InputError, match="rounding= has no such value; found 'up'; allowed: nearest, cut, either"
    ):
        sy.audit("recall=0.5", "a=2, b=2", rounding="up")


def test_percentages_and_colons_are_read_as_papers_print_them() -> None:
    (accuracy, recall) = statements("Accuracy: 88.2%, recall[spam]: 80% ± 2%")
    assert accuracy.name == "Accuracy"
    assert accuracy.interval("nearest") == Interval(Fraction(8815, 10_000), Fraction(8825, 10_000))
    assert recall.name == "recall[spam]"
    assert recall.interval("nearest") == Interval(Fraction(78, 100), Fraction(82, 100))
    # 15 of 17 are 88.2%; of 16 none is.
    assert sy.audit("Accuracy: 88.2%", "a=10, b=7").verdict == "possible"
    assert sy.audit("Accuracy: 88.2%", "a=9, b=7").verdict == "impossible"


@pytest.mark.parametrize("text", ["0." + "9" * 5000, "9" * 5000, "1e" + "9" * 5000, "0.5e-" + "1" * 5000])
def test_thousands_of_digits_are_refused_in_a_sentence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", f"accuracy={text}"]) == 2
    shown = capsys.readouterr().err
    assert "digits" in shown or "power of ten" in shown
    assert len(shown) < 400
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    "text", ["Accuracy: 88.2%, Recall: 0.85", "Accuracy 88.2%, Recall 0.85", "Accuracy = 88.2%\nRecall 0.85"]
)
def test_values_are_read_as_people_write_them(text: str) -> None:
    accuracy, recall = statements(text)
    assert (accuracy.text, recall.text) == ("Accuracy = 88.2%", "Recall = 0.85")
