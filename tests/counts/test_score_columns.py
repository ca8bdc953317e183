"""Are different scores kept apart, whatever column they stand in?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy
from steelyard.errors import InputError

TRUTH = [0, 1, 0, 1, 1]
LARGE = 2**53
"""LARGE and LARGE + 1 are one number as doubles."""
PAIR = [LARGE, LARGE + 1] * 2 + [LARGE + 1]


def auc(column: Any, truth: Any = TRUTH, **how: Any) -> float:
    return sy.measure("roc_auc")(sy.ScoreCounts.from_scores(truth, column, positive=1, **how))


@pytest.mark.parametrize(
    "column",
    [
        PAIR,
        np.array(PAIR),
        np.array(PAIR, dtype=np.uint64),
        pd.Series(PAIR),
        pd.Series(PAIR, dtype="Int64"),
        pd.Series(PAIR, dtype="UInt64"),
        pd.Series(PAIR, dtype="int64[pyarrow]"),
        pl.Series(PAIR),
        pa.array(PAIR),
        [2**70, 2**71] * 2 + [2**71],
        [Fraction(1, 3), Fraction(2, 3)] * 2 + [Fraction(2, 3)],
    ],
)
def test_large_whole_numbers_rank_as_they_are(column: Any) -> None:
    assert auc(column) == 1.0


DECIMALS = [Decimal("0.3"), Decimal("0.30000000000000000000000001")]


@pytest.mark.parametrize(
    "column",
    [
        np.array(PAIR, dtype=object),
        pd.Series(PAIR, dtype=object),
        [2**64, 2**64 + 1] * 2 + [0],
        pl.Series(PAIR, dtype=pl.Int128),
        [*DECIMALS, *DECIMALS, Decimal(0)],
        pa.array([*DECIMALS, *DECIMALS, Decimal(0)]),
        pl.Series([*DECIMALS, *DECIMALS, Decimal(0)]),
    ],
)
def test_scores_that_would_become_one_double_are_refused(column: Any) -> None:
    with pytest.raises(InputError, match="different numbers that would become one; found") as refused:
        auc(column)
    assert "ranks" in str(refused.value)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([*PAIR[:4], None], dtype="Int64"),
        pa.array([*PAIR[:4], None]),
        pl.Series([*PAIR[:4], None]),
        np.ma.array(PAIR, mask=[0, 0, 0, 0, 1]),
    ],
)
def test_a_gap_makes_no_doubles_of_whole_numbers(column: Any) -> None:
    with pytest.raises(InputError, match="9007199254740992 and 9007199254740993"):
        auc(column, missing="drop")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2, 1, 2, None], dtype="Int64"),
        pd.Series([1, 2, 1, 2, None], dtype="UInt8"),
        pa.array([1, 2, 1, 2, None]),
        pl.Series([1, 2, 1, 2, None]),
        np.ma.array([1, 2, 1, 2, 9], mask=[0, 0, 0, 0, 1]),
        [Decimal(1), Decimal(2), Decimal(1), Decimal("2.0"), None],
    ],
)
def test_small_whole_numbers_with_a_gap_are_read(column: Any) -> None:
    assert auc(column, missing="drop") == 1.0


def test_a_number_that_is_no_double_is_one_sentence() -> None:
    with pytest.raises(InputError, match="too large"):
        auc([10**400, 1, 2, 3, 4])
    with pytest.raises(InputError, match="the weights must be numbers"):
        auc([1, 2, 3, 4, 5], sample_weight=[10**400, 1, 1, 1, 1])


@pytest.mark.parametrize("unit", ["datetime64[Y]", "timedelta64[s]"])
def test_times_are_no_weights(unit: str) -> None:
    times = np.array([50, 50, 50, 50, 50]).astype(unit)
    for weights in (times, list(times)):
        with pytest.raises(InputError, match="the weights must be numbers"):
            sy.Confusion.from_labels(TRUTH, TRUTH, sample_weight=weights)
