"""Bootstrap over data sets: would the findings of mullick2020, section 5.4, hold on other sets?

The data sets are resampled with replacement; a statement's probability is the share of resamples in which
it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard_papers.experiment import WITHIN_NOISE

DRAWS = 2000
SURE = 0.95


def probability(fresh: Mapping[str, Mapping[str, float]], holds: Callable[[Mapping[str, Any]], Any]) -> float:
    """Share of bootstrap resamples of the data sets in which a statement holds."""
    names = list(fresh)
    drawn = np.random.default_rng(0).integers(0, len(names), (DRAWS, len(names)))
    values = {
        index: np.array([fresh[name][index] for name in names])[drawn] for index in next(iter(fresh.values()))
    }
    return float(np.mean(holds(values)))


def varies_least(values: Mapping[str, Any], compared: Sequence[str]) -> Any:
    """Does mAURPC-OVA vary least of the compared ones?"""
    means = {index: drawn.mean(axis=1) for index, drawn in values.items() if index in compared}
    others = np.array([mean for index, mean in means.items() if index != "mAURPC-OVA"])
    return means["mAURPC-OVA"] < others.min(axis=0)


def both_halves(values: Mapping[str, Any]) -> Any:
    """Does ACSA vary more than nAUROC-OVA, but less once each is divided by its least?"""
    acsa, other = values["ACSA"], values["nAUROC-OVA"]
    relative = [v.mean(axis=1) / np.maximum(v.min(axis=1), 1e-12) for v in (acsa, other)]
    return (acsa.mean(axis=1) > other.mean(axis=1)) & (relative[1] > relative[0])


def noise(chance: float) -> str:
    """The verdict where other sets could decide the other way; else nothing."""
    return WITHIN_NOISE if 1 - SURE < chance < SURE else ""
