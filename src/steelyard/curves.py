"""What does a classifier offer at all its thresholds together? The public door to `steelyard.counts.curves`."""

from steelyard.counts.curves import (
    CostCurve,
    PrecisionRecallCurve,
    RocCurve,
    convex_hull,
    cost_curve,
    precision_recall_curve,
    roc_curve,
)

__all__ = [
    "CostCurve",
    "PrecisionRecallCurve",
    "RocCurve",
    "convex_hull",
    "cost_curve",
    "precision_recall_curve",
    "roc_curve",
]
