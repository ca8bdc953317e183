"""At which place among all scores of a row does the score of its own class stand?

What "among the best k" needs of a table of scores, and all that is kept of its rows: how many examples of
each class have their own score in first place, in second place, and so on. Scores that tie share their places
evenly, as examples that tie do in an area under the ROC curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def own_places(own: Array, table: Sequence[Array], weights: Array | None) -> Array:
    """(C, C): examples (or weight) of class i whose own score is the k-th greatest of their row; `own` is the
    column of each row's class."""
    mine = np.empty(len(own))
    for place, column in enumerate(table):
        rows = own == place
        mine[rows] = column[rows]
    greater, equal = (np.zeros(len(own), dtype=np.int64) for _ in range(2))
    for column in table:
        greater += column > mine
        equal += column == mine
    return spread_over_ties(own, greater, equal, weights, len(table))


def spread_over_ties(own: Array, greater: Array, equal: Array, amounts: Array | None, classes: int) -> Array:
    """The same from how many scores of a row are greater than its own, and how many equal it (itself among
    them)."""
    key = (own * classes + greater) * (classes + 1) + equal
    held = np.bincount(key, weights=amounts, minlength=classes * classes * (classes + 1))
    held = held.reshape(classes, classes, classes + 1)
    places = np.zeros((classes, classes))
    for ahead in range(classes):
        for tied in range(1, classes - ahead + 1):
            places[:, ahead : ahead + tied] += held[:, ahead, tied, None] / tied
    return places
