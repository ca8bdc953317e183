"""Where should a score become a positive label? The public door to `steelyard.scores.threshold_selection`.

>>> import steelyard as sy
>>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
>>> sy.thresholds.matrix_at(sc, 0.35).counts.tolist()
[[2, 0], [1, 1]]
"""

from steelyard.scores.threshold_selection import AppliedThreshold, BestThreshold, best_threshold
from steelyard.scores.threshold_sweep import ThresholdSweep, matrix_at, sweep

__all__ = ["AppliedThreshold", "BestThreshold", "ThresholdSweep", "best_threshold", "matrix_at", "sweep"]
