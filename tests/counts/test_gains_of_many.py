"""Of millions of scores the thresholds where the ROC curve may bend say the same as all of them."""

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts import curves


@pytest.mark.parametrize("share", [0.02, 0.5, 0.97])
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_bends_say_what_every_threshold_says(share, decimals, monkeypatch):
    random = np.random.default_rng(3)
    truth = (random.random(3_000) < share).astype(int)
    scores = np.round(random.random(3_000) + 0.3 * truth, decimals)
    told = []
    for most in (curves.MOST_SCORES, 0):
        monkeypatch.setattr(curves, "MOST_SCORES", most)
        pair = sy.ScoreCounts.from_scores(truth, scores, positive=1).ranked()
        told.append(
            np.concatenate(
                [
                    curves.found_within(pair, np.array([1.0, 7, 40, 1_500, 2_999, 3_000])),
                    curves.recall_within_false_alarms(pair, np.array([0.001, 0.01, 0.1, 0.5])),
                    curves.precision_from_recall(pair, np.array([0.5, 0.8, 0.99, 1.0])),
                ]
            )
        )
    assert told[0].tolist() == told[1].tolist()
