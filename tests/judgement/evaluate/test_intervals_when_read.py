"""Intervals are found when they are read; they are those that `sy.interval` finds of all metrics at once."""

from __future__ import annotations

import pickle

import pytest

import steelyard as sy
from steelyard.judgement.evaluate.intervals import IntervalsWhenRead

MATRIX = [[38, 49], [170, 743]]


@pytest.mark.parametrize("matrix", [MATRIX, [[9, 1, 2], [3, 30, 1], [2, 4, 60]]])
def test_they_equal_those_of_all_metrics_at_once(matrix: list[list[int]]) -> None:
    result = sy.evaluate(matrix=matrix, draws=500)
    expected = sy.interval(result.matrix, draws=500, positive=result.positive and result.positive.label)
    assert result.intervals is not None
    assert list(result.intervals) == [name for name in expected if name in result.intervals]
    for name, interval in result.intervals.items():
        assert interval == expected[name], name


def test_only_what_is_shown_first_is_found_for_a_terminal() -> None:
    result = sy.evaluate(matrix=MATRIX, draws=500)
    assert result.intervals is not None
    by_name = result.intervals.by_name
    assert isinstance(by_name, IntervalsWhenRead)
    repr(result)
    assert sorted(by_name._found) == sorted(result.headline)
    assert "kappa" in result.intervals
    assert result.intervals["kappa"].low < result["kappa"] < result.intervals["kappa"].high
    assert len(by_name._found) == len(by_name) > 40


def test_a_pickle_holds_all_of_them() -> None:
    result = sy.evaluate(matrix=MATRIX, draws=500)
    again = pickle.loads(pickle.dumps(result))
    assert isinstance(again.intervals.by_name, dict)
    assert again.intervals["mcc"] == result.intervals["mcc"]
