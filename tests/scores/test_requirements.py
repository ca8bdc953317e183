"""Thresholds that keep what was required: by hand, on new data, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import steelyard as sy
from steelyard.scores.requirements import requirement, threshold_under


def normal_scores(rng, positives=200, negatives=1000):
    score = np.r_[rng.normal(2, 1, positives), rng.normal(0, 1, negatives)]
    return sy.ScoreCounts.from_scores([1] * positives + [0] * negatives, score, positive=1)


def test_by_hand():
    sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    assert threshold_under(sc, [requirement("recall>=1")])[0].threshold == 0.35
    assert threshold_under(sc, [requirement("recall >= 50%")])[0].threshold == 0.8
    best, (kept,) = threshold_under(sc, [requirement("alerts<=0.5")], "recall")
    assert (best.threshold, kept.value) == (0.8, 0.25)


def test_a_sure_threshold_keeps_its_promise():
    """Recall of at least 0.8 with probability 0.95: of 60 thresholds at least 50 keep it in truth."""
    rng = np.random.default_rng(0)
    kept = 0
    for _ in range(60):
        found, _ = threshold_under(normal_scores(rng), [requirement("recall>=0.8")], surely=0.95)
        kept += found.threshold <= 2 - 0.8416212  # the 20 % quantile of a normal with mean 2
    assert kept >= 50


@pytest.mark.parametrize("text", ["recall", "recall=0.8", "recall>=x"])
def test_what_is_not_understood(text):
    with pytest.raises(sy.InputError):
        requirement(text)


def test_what_cannot_be_kept():
    sc = sy.ScoreCounts.from_scores([0, 1, 0, 1], [0.1, 0.1, 0.2, 0.2], positive=1)
    with pytest.raises(sy.InputError, match="no threshold keeps what is required"):
        threshold_under(sc, [requirement("precision>=0.9")])
