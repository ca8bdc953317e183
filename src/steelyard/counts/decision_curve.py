"""Decision curve analysis: net benefit of acting on scores, by threshold probability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.curves import ranked_sides
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.errors import InputError

Array = NDArray[Any]


class DecisionCurve(NamedTuple):
    """The net benefit of acting where the probability reaches a threshold, against acting on everyone (on
    nobody it is 0)."""

    thresholds: Array
    net_benefit: Array
    act_on_all: Array


def decision_curve(
    scores: ScoreCounts,
    thresholds: Sequence[float] | Array | None = None,
    *,
    positive: Label | None = None,
    prior: float | None = None,
) -> DecisionCurve:
    """The net benefit (vickers2006) at each probability threshold, here or at another share of positives.

    At a threshold t a false alarm costs t / (1 - t) of what a find is worth: the scores must be
    probabilities.

    >>> import steelyard as sy
    >>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], positive=1)
    >>> sy.curves.decision_curve(sc, [0.2, 0.5]).net_benefit.tolist()
    [0.4375, 0.25]
    """
    at = np.linspace(0.01, 0.99, 99) if thresholds is None else np.asarray(thresholds, dtype=np.float64)
    if at.ndim != 1 or not len(at) or not ((at > 0) & (at < 1)).all():
        raise InputError(
            "decision thresholds are probabilities",
            found=f"{at.reshape(-1)[:3].tolist()}",
            allowed="one or more numbers above 0 and below 1",
        )
    pair = ranked_sides(scores, positive)
    for ties in (pair.positives, pair.negatives):
        if not ties.total:
            raise InputError("a decision curve needs examples of both classes", found="one class only")
        if ties.scores[0] < 0 or ties.scores[-1] > 1:
            raise InputError(
                "a decision curve needs probabilities",
                found=f"scores from {float(ties.scores[0]):g} to {float(ties.scores[-1]):g}",
                allowed="numbers from 0 to 1",
                do="calibrate the scores first",
            )
    order = np.argsort(at)
    hits, alarms = (ties.cut(at[order])[0] / ties.total for ties in (pair.positives, pair.negatives))
    share = prior
    if share is None:
        share = float(pair.positives.total / (pair.positives.total + pair.negatives.total))
    if not 0 <= share <= 1:
        raise InputError("the prior is not a share", found=f"{share!r}", allowed="a number from 0 to 1")
    odds = at / (1 - at)
    back = np.argsort(order)
    benefit = share * hits[back] - (1 - share) * alarms[back] * odds
    return DecisionCurve(at, np.asarray(benefit), np.asarray(share - (1 - share) * odds))
