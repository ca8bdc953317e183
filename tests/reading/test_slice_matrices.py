"""The matrices of slices, one by one and many at a time, are those of the rows of each slice."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.counts.confusion import Confusion
from steelyard.reading import groups
from steelyard.reading.groups import SliceMatrices


def made(random: np.random.Generator, slices: int, rows: int, weighted: bool) -> tuple[SliceMatrices, dict]:
    """Slices whose names stand in no order, and the matrix of each, added up row by row."""
    names = [(f"user {k}", "x") for k in random.permutation(slices)]
    which, cells = random.integers(0, slices, rows), random.integers(0, 9, rows)
    amounts = random.random(rows) if weighted else random.integers(1, 5, rows)
    by_hand = {name: np.zeros((3, 3), dtype=amounts.dtype) for name in names}
    for k, cell, amount in zip(which.tolist(), cells.tolist(), amounts.tolist(), strict=True):
        by_hand[names[k]][divmod(cell, 3)] += amount
    return SliceMatrices(names, ["a", "b", "c"], which, cells, amounts), by_hand


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("slices", "rows"), [(1, 5), (7, 400), (60, 30), (300, 2000)])
def test_matrices_are_those_of_the_rows(
    slices: int, rows: int, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, by_hand = made(np.random.default_rng(slices), slices, rows, weighted)
    assert len(found) == slices
    assert list(found) == sorted(by_hand)  # also slices in which nothing was counted
    for name, matrix in found.items():
        assert matrix.labels == ("a", "b", "c")
        np.testing.assert_allclose(matrix.counts, by_hand[name], rtol=1e-15)
    monkeypatch.setattr(groups, "_CELLS_AT_ONCE", 9 * 11)
    seen: list[tuple[str, ...]] = []
    for names, batch in found.in_blocks():
        assert isinstance(batch, Confusion)
        assert len(names) == len(batch.counts) <= 11
        np.testing.assert_array_equal(batch.counts, np.stack([found[name].counts for name in names]))
        seen += names
    assert seen == sorted(by_hand)


def test_a_slice_that_is_none() -> None:
    found, _ = made(np.random.default_rng(0), 3, 10, False)
    assert ("nobody",) not in found
    with pytest.raises(KeyError):
        found["nobody",]
    assert found.counts(1, 1).shape == (0, 3, 3)
