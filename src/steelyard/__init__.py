"""Steelyard weighs classifiers when the classes are unequal.

Public names are loaded when they are first used: importing steelyard imports NumPy at most, and only when it is needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steelyard._version import __version__

if TYPE_CHECKING:
    from steelyard import curves as curves
    from steelyard import relevance as relevance
    from steelyard import thresholds as thresholds
    from steelyard.counts.confusion import Confusion as Confusion
    from steelyard.counts.score_counts import ScoreCounts as ScoreCounts
    from steelyard.errors import InputError as InputError
    from steelyard.errors import SteelyardError as SteelyardError
    from steelyard.errors import UndefinedError as UndefinedError
    from steelyard.integrations.sklearn import scorer as scorer
    from steelyard.integrations.sklearn import scorers as scorers
    from steelyard.judgement.compare.judge import compare as compare
    from steelyard.judgement.evaluate.judge import evaluate as evaluate
    from steelyard.judgement.evaluate.result import Evaluation as Evaluation
    from steelyard.judgement.gate import gate as gate
    from steelyard.judgement.plan import plan as plan
    from steelyard.judgement.watch import Watch as Watch
    from steelyard.measures.catalogue import catalogue as catalogue
    from steelyard.measures.catalogue import measure as measure
    from steelyard.measures.measure import Measure as Measure
    from steelyard.measures.measure import class_mean as class_mean
    from steelyard.measures.measure import multi_class as multi_class
    from steelyard.measures.measure import two_class as two_class
    from steelyard.measures.measure import weigh as weigh
    from steelyard.measures.operators import at_priors as at_priors
    from steelyard.measures.operators import balanced as balanced
    from steelyard.measures.operators import iba as iba
    from steelyard.measures.operators import normalised as normalised
    from steelyard.measures.operators import one_versus_all as one_versus_all
    from steelyard.measures.operators import one_versus_one as one_versus_one
    from steelyard.measures.operators import weighted_by as weighted_by
    from steelyard.properties.audit.question import audit as audit
    from steelyard.properties.examination import examine as examine
    from steelyard.reading.counts import Counts as Counts
    from steelyard.reading.engines import count as count
    from steelyard.reading.tally import Tally as Tally
    from steelyard.scores.areas import delong as delong
    from steelyard.scores.class_weights import best_class_weights as best_class_weights
    from steelyard.scores.thresholds import best_threshold as best_threshold
    from steelyard.uncertainty.intervals import interval as interval

_HOME = {
    "Confusion": "counts.confusion",
    "Counts": "reading.counts",
    "Evaluation": "judgement.evaluate.result",
    "InputError": "errors",
    "Measure": "measures.measure",
    "ScoreCounts": "counts.score_counts",
    "SteelyardError": "errors",
    "Tally": "reading.tally",
    "UndefinedError": "errors",
    "Watch": "judgement.watch",
    "at_priors": "measures.operators",
    "audit": "properties.audit.question",
    "balanced": "measures.operators",
    "best_class_weights": "scores.class_weights",
    "best_threshold": "scores.thresholds",
    "catalogue": "measures.catalogue",
    "examine": "properties.examination",
    "class_mean": "measures.measure",
    "compare": "judgement.compare.judge",
    "count": "reading.engines",
    "evaluate": "judgement.evaluate.judge",
    "curves": "",
    "delong": "scores.areas",
    "gate": "judgement.gate",
    "iba": "measures.operators",
    "interval": "uncertainty.intervals",
    "measure": "measures.catalogue",
    "multi_class": "measures.measure",
    "normalised": "measures.operators",
    "one_versus_all": "measures.operators",
    "one_versus_one": "measures.operators",
    "plan": "judgement.plan",
    "relevance": "",
    "scorer": "integrations.sklearn",
    "scorers": "integrations.sklearn",
    "thresholds": "",
    "two_class": "measures.measure",
    "weigh": "measures.measure",
    "weighted_by": "measures.operators",
}
"""Where each public name lives; "" for a module that is public itself."""

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
    home = _HOME[name]
    value = (
        getattr(importlib.import_module(f"steelyard.{home}"), name)
        if home
        else importlib.import_module(f"steelyard.{name}")
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
