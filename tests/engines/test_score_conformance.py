"""Every engine counts the same scores of the same rows. The expected ones are counted row by row in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.ties import Ties
from tests.engines.conftest import EngineUnderTest, Rows

pytestmark = pytest.mark.usefixtures("few_samples")

ROWS: Rows = {
    "truth": ["ham", "spam", "ham", "spam", "ham", "spam", "ham", "ham"],
    "p": [0.125, 0.875, 0.5, 0.5, 0.25, 0.75, 0.125, 0.625],
    "p_spam": [0.125, 0.875, 0.5, 0.5, 0.25, 0.75, 0.125, 0.625],
    "p_ham": [0.875, 0.125, 0.5, 0.5, 0.75, 0.25, 0.875, 0.375],
    "country": ["DE", "DE", "FR", "FR", None, "DE", "FR", "DE"],
    "w": [0.25, 1.0, 2.5, 0.0, 1.75, 3.0, 0.5, 1.0],
}


def by_hand(rows: Rows, score: str, weight: str | None = None) -> dict[str, Ties]:
    """For each class its distinct scores, and how many rows (or how much weight) have each."""
    found: dict[str, Counter[float]] = {}
    for i, (label, value) in enumerate(zip(rows["truth"], rows[score], strict=True)):
        if label is None or value is None or (weight and not rows[weight][i]):
            continue
        found.setdefault(label, Counter())[value] += 1 if weight is None else rows[weight][i]
    kind = np.int64 if weight is None else np.float64
    return {
        label: Ties(np.array(sorted(counts)), np.array([counts[s] for s in sorted(counts)], dtype=kind))
        for label, counts in found.items()
    }


def test_one_column_with_a_threshold_and_slices(engine: EngineUnderTest) -> None:
    found = sy.evaluate(
        engine.source(ROWS), truth="truth", score="p", threshold=0.5, positive="spam", slices="country"
    )
    assert found.ranking is not None
    assert found.ranking.scores == sy.ScoreCounts.from_ties(by_hand(ROWS, "p"), "spam")
    assert found.matrix.labels == ("spam", "ham")
    assert found.matrix.counts.tolist() == [[3, 0], [2, 3]]
    by_slice = {part.to_dict()["slice"][0]: part.to_dict()["rows"] for part in found.slices}
    assert by_slice == {"DE": 4, "FR": 3, "(missing)": 1}


def test_weights(engine: EngineUnderTest) -> None:
    found = sy.evaluate(
        engine.source(ROWS),
        truth="truth",
        score="p",
        threshold=0.5,
        positive="spam",
        weight="w",
        interval=None,
    )
    assert found.ranking is not None
    assert found.ranking.scores == sy.ScoreCounts.from_ties(by_hand(ROWS, "p", "w"), "spam")
    assert found.matrix.counts.tolist() == [[4.0, 0.0], [3.5, 2.5]]


def test_a_column_for_each_class(engine: EngineUnderTest) -> None:
    found = sy.evaluate(engine.source(ROWS), truth="truth", scores="p_*", interval=None)
    assert found.ranking is not None
    counted = found.ranking.scores
    assert counted.labels == ("ham", "spam")
    for column, name in zip(counted.columns, ("p_ham", "p_spam"), strict=True):
        expected = by_hand(ROWS, name)
        assert column == (expected["ham"], expected["spam"])
    # Of equal scores (two rows with 0.5 and 0.5) the first class is taken.
    assert found.matrix.counts.tolist() == [[4, 1], [1, 2]]


def test_missing_scores_are_refused_left_out_or_lowest(engine: EngineUnderTest) -> None:
    rows: Rows = {**ROWS, "p": [None, *ROWS["p"][1:]]}
    options: dict[str, Any] = {
        "truth": "truth",
        "score": "p",
        "threshold": 0.5,
        "positive": "spam",
        "interval": None,
    }
    with pytest.raises(sy.InputError, match="some scores are missing"):
        sy.evaluate(engine.source(rows), **options)
    found = sy.evaluate(engine.source(rows), missing="drop", **options)
    assert found.ranking is not None
    assert found.ranking.scores == sy.ScoreCounts.from_ties(by_hand(rows, "p"), "spam")
    assert found.ranking.scores.dropped == 1
    assert found.matrix.counts.tolist() == [[3, 0], [2, 2]]


def test_true_and_false_as_scores_are_one_and_zero(engine: EngineUnderTest) -> None:
    rows: Rows = {
        "truth": ["ham", "spam", "ham", "spam"],
        "p": [False, True, True, False],
    }
    found = sy.evaluate(
        engine.source(rows), truth="truth", score="p", threshold=0.5, positive="spam", interval=None
    )
    assert found.matrix.counts.tolist() == [[1, 1], [1, 1]]
    assert found.ranking is not None
    pair = found.ranking.scores.ranked("spam")
    assert pair.positives.scores.tolist() == [0, 1] == pair.negatives.scores.tolist()
