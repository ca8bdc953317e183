"""Rows that do not count alike: what they are worth, and that equal weights are no weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.uncertainty.resampling import Simulation
from steelyard.uncertainty.sample_weights import (
    WeightedCounts,
    drawn_matrices,
    expected_weights,
    mean_weights,
    weighted_intervals,
)

SETTINGS: dict[str, Any] = {"level": 0.95, "draws": 4000, "seed": 1, "undefined": "nan"}
LABELS = ("a", "b", "c")


def of_weight(matrix: list[list[int]], weight: float, labels: tuple[str, ...]) -> WeightedCounts:
    counts = np.array(matrix, dtype=float)
    return WeightedCounts(*(sy.Confusion(weight**power * counts, labels) for power in (1, 2, 0)))


def test_weights_widen_what_they_concentrate() -> None:
    """A weighted mean has the variance sum w² (x - mean)² / (sum w)²: of 100 rows of weight 1 and 100 of
    weight 9, all kinds half right, that is 1/4 (100 + 8100) / 1000²."""
    sums = sy.Confusion([[250, 250], [250, 250]], ["a", "b"])
    squares = sy.Confusion([[2050, 2050], [2050, 2050]], ["a", "b"])
    counts = WeightedCounts(sums, squares, sy.Confusion([[50, 50], [50, 50]], ["a", "b"]))
    found = weighted_intervals(counts, [sy.measure("accuracy")], Simulation(design="sample", **SETTINGS))[
        "accuracy"
    ]
    assert counts.effective.tolist() == pytest.approx([500**2 / 4100] * 2)
    assert found.estimate == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.25 * 8200 / 1000**2), rel=0.08)


@pytest.mark.parametrize("design", ["sample", "fixed"])
def test_equal_weights_are_no_weights(design: Any) -> None:
    """The same posterior, drawn with other numbers: ends agree within the error of 4,000 draws."""
    matrix = [[18, 2, 1], [5, 80, 3], [0, 4, 200]]
    names = ["accuracy", "balanced_accuracy", "gmean", "mcc", "precision", "f1"]
    with_weights = weighted_intervals(
        of_weight(matrix, 2.5, LABELS),
        [sy.measure(n) for n in names],
        Simulation(positive="a", design=design, **SETTINGS),
    )
    without = sy.interval(sy.Confusion(matrix, LABELS), names, positive="a", design=design)
    for name, found in with_weights.items():
        width = without[name].high - without[name].low
        assert found.low == pytest.approx(without[name].low, abs=0.06 * width)
        assert found.high == pytest.approx(without[name].high, abs=0.06 * width)


def test_the_draws_lie_around_their_centre() -> None:
    counts = of_weight([[30, 3], [6, 150]], 0.5, ("a", "b"))
    for fixed in (True, False):
        drawn, centre = drawn_matrices(counts, fixed, np.random.default_rng(0), 20_000)
        assert drawn.mean(axis=0) == pytest.approx(centre, rel=0.03)
        # equal weights: as many rows are as heavy
        assert np.ptp(drawn.sum(axis=2), axis=0).max() < 1e-9 if fixed else drawn.sum(axis=2).std() > 0


def test_weights_that_classes_have_in_common_are_no_less_sure() -> None:
    """Rows of one class weigh 1 and those of the other 100: within a class nothing is unlike, so that recalls are as sure as
    without weights, and precision is that of rows that count 100 times."""
    rows = np.array([[900, 100], [5, 45]], dtype=float)
    scale = np.array([[1.0], [100.0]])
    counts = WeightedCounts(*(sy.Confusion(m, ["a", "b"]) for m in (rows * scale, rows * scale**2, rows)))
    known = mean_weights(*counts.arrays)
    assert known.variance == pytest.approx(np.zeros((2, 2)), abs=1e-9)
    assert known.means == pytest.approx(scale * np.ones((2, 2)))
    found = weighted_intervals(
        counts, [sy.measure("balanced_accuracy")], Simulation(positive="b", design="sample", **SETTINGS)
    )["balanced_accuracy"]
    without = sy.interval(sy.Confusion(rows, ["a", "b"]), "balanced_accuracy", seed=1)["balanced_accuracy"]
    width = without.high - without.low
    assert (found.low, found.high) == pytest.approx((without.low, without.high), abs=0.06 * width)


def test_few_rows_are_taken_to_be_as_unlike_as_all() -> None:
    """A cell of one row shows no difference between weights. 49 rows of weight 1 on average and 2 in square have a squared
    coefficient of variation of 1; from 48 rows beyond the first of each cell it is 49 / 48. The mean of a cell is that of its
    rows and one more, so that it has a 50th part of its own 1, or half of 49 / 48. Two errors are three with the one that is
    assumed: what they have in common has a variance of 4 (49 / 48) / 9."""
    rows = np.array([[49.0, 1.0], [1.0, 49.0]])
    squares = np.array([[98.0, 1.0], [1.0, 98.0]])
    found = mean_weights(rows.copy(), squares, rows)
    of_all = 49 / 48
    assert found.variance == pytest.approx(np.array([[of_all / 50, of_all / 2], [of_all / 2, of_all / 50]]))
    assert found.of_errors == pytest.approx(4 * of_all / 9)
    # Weights 1 and 3 in cells of two: a squared coefficient of 10 * 2 / 4² - 1 = 1/4, twice that from one row beyond the first.
    two = mean_weights(4 * np.eye(2), 10 * np.eye(2), 2 * np.eye(2))
    assert np.diagonal(two.variance) == pytest.approx([0.5 / 3, 0.5 / 3])


def test_errors_weigh_more_in_every_class_alike() -> None:
    """Hits weigh 1 and 10 in two classes, errors three times as much; 39 of them and one of factor 1 have the factor
    (39 x 3 + 1) / 40 = 2.95, and a third class that has no error expects its errors to weigh that times its own."""
    rows = np.array([[980.0, 19.0, 1.0], [19.0, 981.0, 0.0], [0.0, 0.0, 500.0]])
    scale = np.array([[1.0], [10.0], [4.0]])
    found = expected_weights(rows * scale * np.where(np.eye(3) > 0, 1.0, 3.0), rows)
    assert np.diagonal(found) == pytest.approx([1, 10, 4], rel=0.002)
    assert found[2, :2] == pytest.approx([4 * 2.95] * 2, rel=0.002)


def test_what_few_errors_weigh_is_hardly_known() -> None:
    """Two errors of 40 rows leave the balanced accuracy more open where weights differ than two hundred of 4,000 do, by more
    than the ten times that the rows alone would make it."""
    widths = []
    for size in (1, 100):
        rows = size * np.array([[19.0, 1.0], [1.0, 19.0]])
        counts = WeightedCounts(*(sy.Confusion(m, ["a", "b"]) for m in (rows, 3 * rows, rows)))
        found = weighted_intervals(
            counts, [sy.measure("balanced_accuracy")], Simulation(positive="a", design="sample", **SETTINGS)
        )["balanced_accuracy"]
        widths.append(found.high - found.low)
    assert widths[0] > 10 * widths[1]


def test_a_bias_of_kinks_is_found_with_weights_too() -> None:
    """Equal weights: the correction for class balance accuracy's kinks is that of rows without weights."""
    random = np.random.default_rng(4)
    matrix = random.multinomial(20, np.full((10, 10), 0.02) + 0.8 * np.eye(10)).tolist()
    labels = tuple("abcdefghij")
    found = weighted_intervals(
        of_weight(matrix, 3.0, labels), [sy.measure("CBA")], Simulation(design="sample", **SETTINGS)
    )["class_balance_accuracy"]
    without = sy.interval(sy.Confusion(matrix, labels), "CBA")["class_balance_accuracy"]
    width = without.high - without.low
    assert (found.low, found.high) == pytest.approx((without.low, without.high), abs=0.08 * width)


def test_a_fixed_number_of_rows_leaves_their_weight_open() -> None:
    """With fixed class sizes the rows of a class are as many next time, but not as heavy: 100 weights with a squared coefficient of
    variation 1, half of them errors, have a sum with the squared coefficient 1/100."""
    rows = np.full((2, 2), 50.0)
    counts = WeightedCounts(*(sy.Confusion(m, ["a", "b"]) for m in (rows, 2 * rows, rows)))
    drawn, _ = drawn_matrices(counts, True, np.random.default_rng(0), 20_000)
    sums = drawn.sum(axis=2)[:, 0]
    assert sums.mean() == pytest.approx(100, rel=0.01)
    assert (sums.std() / sums.mean()) ** 2 == pytest.approx(0.01, rel=0.1)


def test_all_rows_but_a_part_leave_nothing_of_an_empty_cell() -> None:
    whole, part = of_weight([[3, 1], [2, 9]], 0.1, ("a", "b")), of_weight([[1, 1], [0, 4]], 0.1, ("a", "b"))
    rest = whole.less(part)
    assert rest.weights.counts.reshape(-1).tolist() == pytest.approx([0.2, 0, 0.2, 0.5])
    assert rest.weights.counts[0, 1] == rest.squares.counts[0, 1] == rest.rows.counts[0, 1] == 0
    assert rest.rows.counts.reshape(-1).tolist() == [2, 0, 2, 5]


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_weights_whose_squares_are_no_numbers_have_no_intervals(scale: float) -> None:
    """Sums of huge weights are whole numbers, and no counts of examples."""
    random = np.random.default_rng(2)
    truth, weight = random.integers(0, 3, 300), random.lognormal(size=300) * scale
    found = sy.evaluate(truth, np.where(random.random(300) < 0.8, truth, 0), weight=weight)
    assert found.intervals is None
    assert any("sums of weights" in str(note) for note in found.notes)
    assert max(len(word) for word in str(found).split()) < 40  # 4.05e+202 rows, not two hundred digits
    with pytest.raises(sy.InputError, match="uncertainty needs counts of examples"):
        sy.interval([[1e200 if scale > 1 else 0.5, 3], [4, 10]], "accuracy")


def test_a_class_without_weight_and_a_row_that_outweighs_all_others() -> None:
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 600)
    pred = np.where(random.random(600) < 0.9, truth, (truth + 1) % 3)
    nothing = sy.evaluate(truth, pred, weight=np.where(truth == 2, 0.0, 1.0))
    assert nothing.intervals is not None
    assert 0.8 < nothing.intervals["accuracy"].low < nothing.intervals["accuracy"].high < 0.96
    one = sy.evaluate(truth, pred, weight=np.where(np.arange(600) == 3, 1e9, 1.0))
    assert one.intervals is not None
    assert "worth 1 examples only: no interval can be relied on" in one.intervals["macro_recall"].note


def test_files_frames_and_columns_give_the_same_whatever_the_number_of_rows(tmp_path: Any) -> None:
    random = np.random.default_rng(0)
    truth = (random.random(60_000) < 0.1).astype(int)
    pred = np.where(random.random(60_000) < 0.9, truth, 1 - truth)
    weight, part = np.round(random.lognormal(size=60_000), 3), random.choice(["x", "y"], size=60_000)
    path = tmp_path / "rows.csv"
    np.savetxt(
        path,
        np.column_stack([truth, pred, weight, part]),
        fmt="%s",
        delimiter=",",
        header="y_true,y_pred,w,part",
        comments="",
    )
    how: dict[str, Any] = {"draws": 500}
    columns = sy.evaluate(truth, pred, positive=1, weight=weight, slices={"part": part}, **how)
    files = sy.evaluate(str(path), positive="1", weight="w", slices=["part"], **how)
    assert columns.intervals is not None
    assert files.intervals is not None
    one, other = columns.intervals["gmean"], files.intervals["gmean"]
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
    assert all(r.low is not None and r.p_value is not None for r in (*columns.slices, *files.slices))
    assert all(c.recall_interval is not None for c in files.classes)
    assert "Rows have weights" in files.notes[0]


@pytest.mark.parametrize("scale", [1e-9, 1e5])
def test_the_unit_of_weights_does_not_matter(scale: float) -> None:
    """Weights in millionths or in hundred thousands: the same test set."""
    rows = np.array([[18.0, 2, 1], [5, 80, 3], [1, 4, 200]])
    sums, squares = rows * [[0.3], [1.0], [2.0]], rows * 1.5 * np.array([[0.09], [1.0], [4.0]])
    names = ["accuracy", "balanced_accuracy", "CBA", "recall"]
    found = []
    for unit in (1.0, scale):
        counts = WeightedCounts(*(sy.Confusion(m, LABELS) for m in (unit * sums, unit**2 * squares, rows)))
        given = {**SETTINGS, "draws": 300, "positive": "a", "design": "sample"}
        found.append(weighted_intervals(counts, [sy.measure(n) for n in names], Simulation(**given)))
        part = WeightedCounts(*(sy.Confusion(m / 2, LABELS) for m in (unit * sums, unit**2 * squares, rows)))
        assert counts.less(part).weights.counts == pytest.approx(unit * sums / 2)
    for name, one in found[0].items():
        other = found[1][name]
        assert (other.estimate, other.low, other.high) == pytest.approx((one.estimate, one.low, one.high))
        assert (other.draws, other.undefined_draws) == (300, 0)


def test_what_has_no_value_has_no_interval_with_weights() -> None:
    counts = of_weight([[0, 6], [0, 30]], 0.5, ("a", "b"))
    given = {**SETTINGS, "draws": 200, "positive": "a", "design": "sample"}
    found = weighted_intervals(counts, [sy.measure("precision"), sy.measure("recall")], Simulation(**given))
    assert np.isnan([found["precision"].estimate, found["precision"].low, found["precision"].high]).all()
    assert found["precision"].note == "undefined"
    assert found["recall"].note.startswith("the rarest class is worth 6 examples only")
