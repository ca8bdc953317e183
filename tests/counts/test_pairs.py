"""Counting pairs of codes: every path gives the table that a plain loop gives."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import compiled as _fast
from steelyard.counts import pairs
from tests.real_parts import needs


def looped(rows: np.ndarray, columns: np.ndarray, low: int, high: int) -> list[list[int]]:
    table = [[0] * (high - low + 1) for _ in range(high - low + 1)]
    for a, b in zip(rows.tolist(), columns.tolist(), strict=True):
        table[a - low][b - low] += 1
    return table


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 9), (3, 7), (0, 15), (0, 16), (0, 99)])
def test_every_integer_type(dtype: type, low: int, high: int) -> None:
    rng = np.random.default_rng(high)
    rows, columns = (rng.integers(low, high + 1, 3000).astype(dtype) for _ in range(2))
    assert pairs.count_pairs(rows, columns, low, high).tolist() == looped(rows, columns, low, high)


@pytest.mark.parametrize(
    "length", [1, 2, pairs._CHUNK - 1, pairs._CHUNK, pairs._CHUNK + 1, 2 * pairs._CHUNK, 2 * pairs._CHUNK + 3]
)
@pytest.mark.parametrize("high", [1, 9, 40])
def test_the_ends_of_chunks_are_counted_once(length: int, high: int) -> None:
    """The folded and the plain table together hold every row, whatever the length."""
    rng = np.random.default_rng(length)
    rows, columns = (rng.integers(-1, high + 1, length) for _ in range(2))
    found = pairs._count_folded(rows, columns, -1, high)
    expected = np.zeros((high + 2, high + 2), dtype=np.int64)
    np.add.at(expected, (rows + 1, columns + 1), 1)
    assert found is not None
    assert found.tolist() == expected.tolist()
    assert found.dtype == np.int64


@pytest.mark.parametrize("rows", [[0, 5], [0, -1]])
def test_a_code_outside_is_noticed(rows: list[int]) -> None:
    for weights in (None, np.ones(2)):
        assert pairs.count_pairs(np.array(rows), np.array([0, 0]), 0, 4, weights) is None
        assert pairs.count_pairs(np.array([0, 0]), np.array(rows), 0, 4, weights) is None


def test_weights_are_added_up() -> None:
    rng = np.random.default_rng(4)
    rows, columns, weights = rng.integers(2, 6, 200), rng.integers(2, 6, 200), rng.random(200)
    expected = np.zeros((4, 4))
    np.add.at(expected, (rows - 2, columns - 2), weights)
    np.testing.assert_allclose(pairs.count_pairs(rows, columns, 2, 5, weights), expected, rtol=1e-12)


@pytest.mark.integrations
def test_the_compiled_counter_counts_the_same() -> None:
    needs("numba")
    rng = np.random.default_rng(8)
    for dtype, low, high in ((np.int64, 0, 9), (np.uint8, 0, 1), (np.int32, -3, 90)):
        rows, columns = (rng.integers(low, high + 1, 5001).astype(dtype) for _ in range(2))
        found = _fast.count_pairs(rows, columns, low, high)
        assert found is not None
        assert found.tolist() == pairs._count_folded(rows, columns, low, high).tolist()
        assert _fast.count_pairs(rows, columns, low, high - 1) is None or rows.max() < high > columns.max()


@pytest.mark.integrations
@pytest.mark.parametrize("place", [0, 3, 4, 5])
@pytest.mark.parametrize("outside", [-3, 5])
def test_the_compiled_counter_notices_a_code_just_outside(place: int, outside: int) -> None:
    """Codes are -2..4, in rows that the loop takes by four and in the two that are left over."""
    needs("numba")
    inside, strange = np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.int64)
    strange[place] = outside
    assert _fast.count_pairs(inside, inside, -2, 4) is not None
    assert _fast.count_pairs(strange, inside, -2, 4) is None
    assert _fast.count_pairs(inside, strange, -2, 4) is None


@pytest.mark.integrations
def test_the_compiled_counter_is_left_alone_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    needs("numba")
    monkeypatch.delenv("STEELYARD_NO_FAST", raising=False)
    assert _fast.installed()
    monkeypatch.setenv("STEELYARD_NO_FAST", "1")
    assert not _fast.installed()


def test_labels_that_show_up_late_or_lie_far_apart() -> None:
    """The room for labels is guessed from the first rows; what comes later must still be counted."""
    late = np.zeros(70_001, dtype=np.int64)
    for last in (7, 10**9, -(10**15)):
        truth = late.copy()
        truth[-1] = last
        counted = sy.Confusion.from_labels(truth, late)
        assert counted.labels == tuple(sorted((0, last)))
        assert sorted(counted.counts.reshape(-1).tolist()) == [0, 0, 1, 70_000]


def test_integers_against_categories_and_floats() -> None:
    """Codes of one column, labels of the other: the tables start at different codes."""
    truth = np.array([-3, -4, 5, 5])
    for predicted in ([-3.0, -4.0, -3.0, 5.0], np.array([-3, -4, -3, 5], dtype=object)):
        counted = sy.Confusion.from_labels(truth, np.asarray(predicted))
        assert counted.labels == (-4, -3, 5)
        assert counted.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
