"""Uncertainty: confidence intervals, paired differences, and the measured coverage of both."""
# The names below are public: the corrected t-test over folds (Nadeau and Bengio 2003) with its result, the
# bootstrap of joint counts, and the probability that each model is the best over resamples.

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.uncertainty.differences import Difference as Difference
    from steelyard.uncertainty.differences import corrected_t as corrected_t
    from steelyard.uncertainty.differences import probability_best as probability_best
    from steelyard.uncertainty.resampling import resampled_cells as resampled_cells

_HOMES = {
    "Difference": "differences",
    "corrected_t": "differences",
    "probability_best": "differences",
    "resampled_cells": "resampling",
}
__all__ = list(_HOMES)
__getattr__ = lazily(__name__, _HOMES)
