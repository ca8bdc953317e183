"""Is a value of the wrong type answered with one sentence instead of an error from inside?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import steelyard as sy

Y, S = [0, 1, 1, 0, 1], [0.1, 0.8, 0.7, 0.4, 0.3]
COUNTED = sy.ScoreCounts.from_scores(Y, S, positive=1)
CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "curves of columns": (lambda: sy.curves.roc_curve(Y, S), "counted scores; found list"),
    "gains of columns": (lambda: sy.curves.gain_curve(Y), "counted scores; found list"),
    "decisions of columns": (lambda: sy.curves.decision_curve(Y), "counted scores; found list"),
    "range of priors": (
        lambda: sy.compare({"a": Y, "b": Y}, y_true=Y, priors_range=0.5),
        "range of priors is not understood",
    ),
    "width of a plan": (lambda: sy.plan("gmean", "x"), "width= is not a number; found 'x'"),
    "replicates": (lambda: sy.best_threshold(COUNTED, "gmean", replicates=1.5), "replicates cannot be used"),
    "bins": (
        lambda: sy.expected_calibration_error(Y, S, bins="a"),
        "bins must be a number of bins; found 'a'",
    ),
    "half a bin": (lambda: sy.expected_calibration_error(Y, S, bins=2.5), "bins must be a number of bins"),
    "nothing": (lambda: sy.evaluate(None), "one classifier is evaluated at a time; found neither"),
    "relevance": (lambda: sy.evaluate(Y, Y, relevance=3), "relevance is not understood; found 3"),
    "slices": (lambda: sy.evaluate(Y, Y, slices=3), "slices of bare columns"),
    "a measure to examine": (lambda: sy.examine(3), "a metric is named by a string; found int"),
    "a measure to weigh": (
        lambda: sy.weigh(3, [[1, 2], [3, 4]]),
        "a metric is named by a string; found int",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_wrong_type_is_said(call: str) -> None:
    made, said = CALLS[call]
    with pytest.raises(sy.InputError) as raised:
        made()
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_tally_knows_the_word_of_scikit_learn() -> None:
    with pytest.warns(DeprecationWarning, match="called weight= here"):
        counted = sy.Tally().update(["a", "b"], ["a", "a"], sample_weight=[2, 3]).confusion
    assert counted.counts.tolist() == [[2, 0], [3, 0]]
