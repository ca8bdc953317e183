"""What does a classifier offer at all its thresholds together? The public door to `steelyard.counts.curves`.

>>> import steelyard as sy
>>> sc = sy.ScoreCounts.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
>>> roc = sy.curves.roc_curve(sc)
>>> roc.fpr.tolist(), roc.tpr.tolist()
([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
>>> det = sy.curves.det_curve(sc)
>>> det.fnr.tolist(), det.equal_error_rate
([1.0, 0.5, 0.5, 0.0, 0.0], 0.5)
"""

from steelyard.counts.curves import (
    CostCurve,
    DecisionCurve,
    DetCurve,
    GainCurve,
    PrecisionRecallCurve,
    RocCurve,
    convex_hull,
    cost_curve,
    decision_curve,
    det_curve,
    gain_curve,
    precision_recall_curve,
    roc_curve,
)

__all__ = [
    "CostCurve",
    "DecisionCurve",
    "DetCurve",
    "GainCurve",
    "PrecisionRecallCurve",
    "RocCurve",
    "convex_hull",
    "cost_curve",
    "decision_curve",
    "det_curve",
    "gain_curve",
    "precision_recall_curve",
    "roc_curve",
]
