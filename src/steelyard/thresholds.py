"""Where should a score become a positive label? The public door to `steelyard.scores.thresholds`."""

from steelyard.scores.thresholds import (
    AppliedThreshold,
    BestThreshold,
    ThresholdSweep,
    best_threshold,
    matrix_at,
    sweep,
)

__all__ = ["AppliedThreshold", "BestThreshold", "ThresholdSweep", "best_threshold", "matrix_at", "sweep"]
