"""Steelyard evaluates classifiers on imbalanced data.

Public names are loaded when they are first used: importing steelyard imports NumPy at most, and only when it
is needed. Beside them every measure of the catalogue is a function of two columns, `steelyard.gmean(y_true,
y_pred)`. Editors and type checkers read __init__.pyi, which tools/write_stub.py writes.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from steelyard._lazy import module_named
from steelyard._version import __version__

# Where each public name lives; "" for a module that is public itself.
_HOME = {
    "Confusion": "counts.confusion",
    "Counts": "reading.counting",
    "Evaluation": "judgement.evaluate.result",
    "EvaluationDisplay": "integrations.displays",
    "InputError": "errors",
    "Measure": "measures.measure",
    "PriorCorrection": "integrations.prior_correction",
    "ScoreCounts": "counts.score_counts",
    "SteelyardError": "errors",
    "Tally": "reading.tally",
    "UndefinedError": "errors",
    "Watch": "judgement.watch.monitor",
    "at_priors": "measures.operators",
    "audit": "auditing.judge",
    "balanced": "measures.operators",
    "best_class_weights": "scores.class_weights",
    "best_threshold": "scores.threshold_selection",
    "catalogue": "measures.catalogue",
    "examine": "proofs.judge",
    "cheapest_labels": "measures.costs",
    "class_mean": "measures.measure",
    "compare": "judgement.compare.judge",
    "correct_probabilities": "scores.prior_shift",
    "count": "reading.counting",
    "cross_evaluate": "integrations.sklearn",
    "estimate_priors": "judgement.priors.judge",
    "evaluate": "judgement.evaluate.judge",
    "evaluate_multilabel": "judgement.multilabel.judge",
    "curves": "",
    "delong": "scores.delong",
    "gate": "judgement.gate.judge",
    "iba": "measures.operators",
    "interval": "uncertainty.intervals",
    "measure": "measures.catalogue",
    "metrics": "judgement.metrics.judge",
    "multi_class": "measures.measure",
    "multilabel": "judgement.multilabel.judge",
    "normalised": "measures.operators",
    "one_versus_all": "measures.operators",
    "one_versus_one": "measures.operators",
    "plan": "judgement.plan.judge",
    "priors": "judgement.priors.judge",
    "recommend": "judgement.recommend.judge",
    "relevance": "",
    "sample": "judgement.sample.judge",
    "scorer": "integrations.sklearn",
    "scorers": "integrations.sklearn",
    "threshold": "judgement.threshold.judge",
    "thresholds": "",
    "two_class": "measures.measure",
    "watch": "judgement.watch.judge",
    "weigh": "measures.measure",
    "weighted_by": "measures.operators",
}

__all__ = [*sorted(_HOME), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        return _measure_function(name)
    home = _HOME[name]
    module = module_named(f"steelyard.{home or name}")
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def _measure_function(name: str) -> Any:
    if name.startswith("_") or importlib.util.find_spec(f"steelyard.{name}") is not None:
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}")  # a room is imported, not typed
    functions = module_named("steelyard.measures.catalogue.functions")
    if name not in functions.function_names():
        hint = functions.hint(name) or _suggestion(name, functions.function_names())
        raise AttributeError(f"module 'steelyard' has no attribute {name!r}" + (hint and f"; {hint}"))
    globals()[name] = function = functions.function(name)
    return function


def _suggestion(name: str, functions: dict[str, Any]) -> str:
    """What was meant by a misspelt name: a measure by its id, or another public name."""
    from steelyard.errors import nearest

    also_called = {alias: measure.id for alias, measure in functions.items()}
    near = nearest(name, [*also_called.values(), *_HOME], also_called, most=2)
    return f"did you mean {' or '.join(repr(meant) for meant, _ in near)}?" if near else ""


def __dir__() -> list[str]:
    return __all__
