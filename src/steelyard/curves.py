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

from steelyard.counts.curves import CostCurve as CostCurve
from steelyard.counts.curves import DecisionCurve as DecisionCurve
from steelyard.counts.curves import DetCurve as DetCurve
from steelyard.counts.curves import GainCurve as GainCurve
from steelyard.counts.curves import PrecisionRecallCurve as PrecisionRecallCurve
from steelyard.counts.curves import RocCurve as RocCurve
from steelyard.counts.curves import convex_hull as convex_hull
from steelyard.counts.curves import cost_curve as cost_curve
from steelyard.counts.curves import decision_curve as decision_curve
from steelyard.counts.curves import det_curve as det_curve
from steelyard.counts.curves import gain_curve as gain_curve
from steelyard.counts.curves import precision_recall_curve as precision_recall_curve
from steelyard.counts.curves import roc_curve as roc_curve

__all__ = [name for name in dir() if not name.startswith("_")]
