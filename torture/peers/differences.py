"""Where do we differ from a peer, and who is right?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class NotAskedHere(Exception):  # noqa: N818 - it is an answer, not a fault
    """A question that this package does not answer, with the reason."""


@dataclass(frozen=True)
class Difference:
    """A kind of difference: when it holds, who is right and why."""

    name: str
    holds: Callable[[Any], bool]
    right: str
    why: str


def _cells(pair: Any) -> list[list[float]]:
    cells: list[list[float]] = pair.matrix.counts.tolist()
    return cells


def _a_number_there(pair: Any) -> bool:
    return math.isnan(pair.ours) and pair.tool in ("scikit-learn", "imbalanced-learn")


def _ratio_of_ratios(pair: Any) -> bool:
    return (pair.tool, pair.function) == ("PyCM", "DOR") and pair.theirs == "None" and pair.ours == 0


def _product_with_nothing(pair: Any) -> bool:
    return (pair.tool, pair.function) == ("PyCM", "AGM") and pair.theirs == 0 and math.isnan(pair.ours)


def _entropy_of_an_empty_class(pair: Any) -> bool:
    entropies = ("Overall_CEN", "Overall_MCEN")
    if pair.tool != "PyCM" or pair.function not in entropies or pair.theirs != "None":
        return False
    cells = _cells(pair)
    return any(not any(row) and not any(r[i] for r in cells) for i, row in enumerate(cells))


def _only_negatives(pair: Any) -> bool:
    alone = pair.function == "specificity_score" and pair.matrix.n_classes == 1
    return bool(alone and pair.theirs == 0 and pair.ours == 1)


def _beyond_64_bits(pair: Any) -> bool:
    return bool(pair.function == "confusion_matrix" and pair.ours >= 2**63)


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "a number where there is no value",
        _a_number_there,
        "we are",
        "a ratio whose denominator is 0 becomes `zero_division`, by default 0; here it has no value and says why"
        " (a caller who wants a number says `undefined=0`)",
    ),
    Difference(
        "DOR: no value where it is 0",
        _ratio_of_ratios,
        "we are",
        "PyCM divides LR+ by LR-, of which one does not exist; tp tn / (fp fn) is 0 with both wrong cells occupied",
    ),
    Difference(
        "AGM: 0 where there is no value",
        _product_with_nothing,
        "we are",
        "without examples of the class its recall, a factor, does not exist; only a recall of 0 makes it 0",
    ),
    Difference(
        "CEN, MCEN: no value because a class is empty",
        _entropy_of_an_empty_class,
        "we are",
        "a class that holds nothing has weight 0 in the sum over classes, so the others decide",
    ),
    Difference(
        "specificity 0 where every row is negative and called so",
        _only_negatives,
        "we are",
        "without the positive class both tools look for, all rows are negatives and predicted so: specificity is 1",
    ),
    Difference(
        "a matrix of integer weights beyond 2^63",
        _beyond_64_bits,
        "we are",
        "scikit-learn adds them in 64 bits, which run over to -2; here weights are added as floats",
    ),
)
