"""Is what the test set does to the usual numbers said rightly? Expected values are worked out by hand."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from steelyard.counts.confusion import Confusion
from steelyard.judgement.evaluate.classes import describe_test_set
from steelyard.judgement.evaluate.prevalence_dependence import Shift, find_shifts, sweep_priors
from steelyard.measures.catalogue import measure
from steelyard.measures.operators import at_priors

# mortaz2020's CM1: recalls .98, .49, .45, .40
CM1 = Confusion([[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]])
# recall .8, specificity 930/950
TWO = Confusion([[40, 10], [20, 930]], ["ill", "well"])


def shifts(matrix: Confusion, positive: str | None = None, priors: object = None) -> dict[str, Shift]:
    return {shift.measure.name: shift for shift in find_shifts(matrix, positive, priors)}


def test_the_sentence_about_accuracy() -> None:
    shift = shifts(CM1)["accuracy"]
    # by hand: (share - 1/4) x (recall - the mean of 0.924 and 0.580), class by class
    middle = (5200 / 5625 + (0.98 + 0.49 + 0.45 + 0.4) / 4) / 2
    by_hand = {
        label: (n / 5625 - 0.25) * (recall - middle)
        for label, n, recall in (("c1", 5000, 0.98), ("c2", 500, 0.49), ("c3", 100, 0.45), ("c4", 25, 0.4))
    }
    assert {part.label: part.contribution for part in shift.causes} == pytest.approx(by_hand, abs=1e-9)
    assert sum(by_hand.values()) == pytest.approx(shift.observed - shift.balanced)
    assert shift.words == (
        "accuracy is 0.924 on the test set, 0.580 on balanced classes, because of c1 (89% of the rows, "
        "recall 98.0%) and c4 (0.44% of the rows, recall 40%)"
    )
    assert shift.observed == pytest.approx(5200 / 5625)
    assert shift.balanced == pytest.approx((0.98 + 0.49 + 0.45 + 0.40) / 4)
    assert shift.size == pytest.approx(5200 / 5625 - 0.58)
    assert shift.notable


def test_macro_precision_on_balanced_classes() -> None:
    columns = [
        [0.98, 0.51, 0.45, 0.44],  # what part of each true class is called c1
        [0.018, 0.49, 0.05, 0.12],
        [0.002, 0, 0.45, 0.04],
        [0, 0, 0.05, 0.4],
    ]
    expected = sum(column[i] / sum(column) for i, column in enumerate(columns)) / 4
    assert shifts(CM1)["macro_precision"].balanced == pytest.approx(expected)


def test_two_classes_as_observed_balanced_and_at_priors() -> None:
    found = shifts(TWO, "ill", {"ill": 0.001, "well": 0.999})
    x, y = 0.8, 930 / 950
    assert found["accuracy"].observed == pytest.approx(0.97)
    assert found["accuracy"].balanced == pytest.approx((x + y) / 2)
    assert found["accuracy"].at_priors == pytest.approx(0.001 * x + 0.999 * y)
    assert found["precision"].observed == pytest.approx(40 / 60)
    assert found["precision"].balanced == pytest.approx(x / (x + 1 - y))
    assert found["precision"].at_priors == pytest.approx(0.001 * x / (0.001 * x + 0.999 * (1 - y)))
    assert found["f_beta"].balanced == pytest.approx(2 * x / (2 * x + (1 - x) + (1 - y)))
    assert found["mcc"].size == pytest.approx(
        abs(found["mcc"].balanced - found["mcc"].observed) / 2
    )  # of a range from -1 to 1
    assert (
        found["precision"].words
        == "precision is 0.667 on the test set, 0.974 on balanced classes and 0.0366 at your priors, because of ill (5.0% of the rows, recall 80%)"
    )


def test_the_largest_shift_comes_first() -> None:
    sizes = [shift.size for shift in find_shifts(CM1, None, None)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0


def test_a_balanced_set_misleads_nobody() -> None:
    matrix = Confusion([[40, 10], [20, 30]], ["a", "b"])
    for shift in find_shifts(matrix, "a", None):
        assert shift.size == pytest.approx(0, abs=1e-12)
        assert not shift.notable
        assert "on the test set and on balanced classes" in shift.words


def test_undefined_values_are_said_with_their_reason() -> None:
    never = shifts(
        Confusion([[5, 0, 0], [0, 10, 0], [0, 300, 0]])
    )  # branco2017 Case 1: c3 is never predicted
    assert math.isnan(never["macro_precision"].observed)
    assert never["macro_precision"].words.startswith("macro precision is undefined: ")
    assert "c3" in never["macro_precision"].words
    assert never["macro_precision"].size == 0
    assert never["macro_precision"].to_dict()["observed"] is None
    absent = shifts(Confusion([[5, 5], [0, 0]], ["a", "b"]), "a")
    assert "on balanced classes it is undefined: " in absent["accuracy"].words


@pytest.mark.parametrize("share", [0.5, 0.05, 0.0001])
def test_a_sweep_is_the_measure_at_those_priors(share: float) -> None:
    sweep = sweep_priors(TWO, describe_test_set(TWO), "ill")
    assert sweep is not None
    at = int(np.argmin(np.abs(np.array(sweep.shares) - share)))
    there = sweep.shares[at]
    for name, line in sweep.lines.items():
        m = measure(name)
        expected = at_priors(m, {"ill": there, "well": 1 - there})(
            TWO, positive="ill" if m.kind == "two-class" else None
        )
        assert line[at] == pytest.approx(expected, nan_ok=True), name


def test_a_sweep_over_many_classes_keeps_proportions_within_each_side() -> None:
    matrix = Confusion([[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]])  # branco2017 Case 3
    sweep = sweep_priors(matrix, describe_test_set(matrix), None)
    assert sweep is not None
    assert sweep.minority == ("c1", "c2")
    for at in (0, 20, 48):
        s = sweep.shares[at]
        priors = {"c1": s * 4 / 14, "c2": s * 10 / 14, "c3": (1 - s) / 3, "c4": (1 - s) * 2 / 3}
        for name, line in sweep.lines.items():
            assert line[at] == pytest.approx(at_priors(measure(name), priors)(matrix), nan_ok=True), name
        assert sweep.lines["accuracy"][at] == pytest.approx(s * (4 / 14 * 0.25 + 10 / 14 * 0.1) + (1 - s))


def test_a_sweep_goes_from_one_half_to_one_in_ten_thousand_and_knows_what_is_flat() -> None:
    sweep = sweep_priors(TWO, describe_test_set(TWO), "ill")
    assert sweep is not None
    assert sweep.shares[0] == pytest.approx(0.5)
    assert sweep.shares[-1] == pytest.approx(0.0001)
    assert set(sweep.flat) == {"gmean", "balanced_precision", "balanced_accuracy"}
    many = sweep_priors(CM1, describe_test_set(CM1), None)
    assert many is not None
    assert set(many.flat) == {"macro_recall", "gmean", "maurpc_ova"}


def test_a_sweep_of_a_class_that_is_never_predicted_warns_of_nothing() -> None:
    matrix = Confusion([[0, 1], [0, 2]], ["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sweep = sweep_priors(matrix, describe_test_set(matrix), "a")
    assert sweep is not None
    assert sweep.to_dict()["lines"]["precision"] == [None] * 49
    assert "precision" not in sweep.flat


def test_there_is_no_sweep_without_examples_of_every_class() -> None:
    for counts in ([[5, 5], [0, 0]], [[3]]):
        matrix = Confusion(counts)
        assert sweep_priors(matrix, describe_test_set(matrix), None) is None


def test_a_sweep_in_parts_is_the_sweep_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sweep_priors(CM1, describe_test_set(CM1), None)
    monkeypatch.setattr(
        "steelyard.judgement.evaluate.prevalence_dependence.MOST_CELLS_AT_ONCE", 100
    )  # six shares of 16 cells at a time
    assert sweep_priors(CM1, describe_test_set(CM1), None) == whole
