"""What if, for an evaluation: data by which a page computes metrics at another prevalence or threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.judgement.command_text import command_text
from steelyard.judgement.live import MOST_CLASSES, cells, functions
from steelyard.measures.javascript import is_writable
from steelyard.measures.short_names import short_name
from steelyard.report.class_names import short_names
from steelyard.report.numbers import percent, shown
from steelyard.report.pages import WhatIf
from steelyard.scores.threshold_sweep import sweep

if TYPE_CHECKING:
    from steelyard.judgement.evaluate.result import Evaluation

MOST_STEPS = 200
"""Thresholds that a slider can tell apart."""
MOST_SLIDERS = 12
MOST_PRECISIONS = 8
"""Classes whose precision has a row of its own."""
SCALE = (0.0001, 0.001, 0.01, 0.1, 0.5, 0.9)
LEAST, MOST = 0.0001, 0.9


def what_if(result: Evaluation) -> WhatIf | None:
    """The part in which a reader changes the state; None where there is too much for a page to compute."""
    matrix = result.matrix
    if not 2 <= matrix.n_classes <= MOST_CLASSES or not (np.asarray(matrix.actual) > 0).all():
        return None
    measures = tuple(row.measure for row in result.first if is_writable(row.measure))
    extra = (
        [] if result.sweep is None else [m for m in _measures(tuple(result.sweep.lines)) if m not in measures]
    )
    return WhatIf(lambda: data_of(result), lambda: functions((*measures, *extra)))


def _measures(names: tuple[str, ...]) -> list[Any]:
    from steelyard.measures.catalogue import measure

    return [m for name in names if is_writable(m := measure(name))]


def order_of(result: Evaluation) -> list[int]:
    """The positive class first."""
    places = list(range(result.matrix.n_classes))
    if result.positive is not None and len(places) == 2:
        places.sort(key=lambda k: str(result.matrix.labels[k]) != str(result.positive.label))  # type: ignore[union-attr]
    return places


def data_of(result: Evaluation) -> Mapping[str, Any]:
    """What the template and the script read."""
    order = order_of(result)
    matrix = result.matrix
    two = len(order) == 2 and result.positive is not None
    ordered = matrix.select([matrix.labels[k] for k in order])
    sizes = [float(size) for size in ordered.actual]
    shares = [size / sum(sizes) for size in sizes]
    labels = short_names(ordered.labels) if not two else [str(label) for label in ordered.labels]
    rows = [
        {
            "name": row.measure.name,
            "short": _capital(short_name(row.measure)),
            "tip": row.measure.question,
            "model": 0,
            "start": row.observed,
            "value": shown(row.observed),
            "low": 0 if row.observed >= 0 else -1,
            "high": 1,
            "place": round(100 * min(max(row.observed, 0.0), 1.0), 2),
        }
        for row in result.first
        if is_writable(row.measure) and math.isfinite(row.observed)
    ]
    if not two:
        rows += _class_precisions(result, labels)
    steps, at, best, name = steps_of(result) if two else (None, 0, None, "")
    presets = [
        ("test", f"Test set {percent(shares[0])}" if two else "Test set"),
        ("balanced", "Balanced 50%" if two else "Balanced"),
    ]
    yours = _yours(result, ordered.labels)
    if yours is not None:
        presets.append(("yours", f"Your priors {percent(yours[0])}" if two else "Your priors"))
    threshold_presets = []
    if steps is not None:
        known = implied_threshold(result)
        threshold_presets.append(("labelled", "As labelled" + (f" {known:.4g}" if known is not None else "")))
        if best is not None:
            threshold_presets.append(("best", f"Best {name} {steps[best][0]:.4g}"))
    rarest = sorted(range(len(order)), key=lambda k: sizes[k])[:MOST_SLIDERS]
    fixed = ("priors", "priors_from", "threshold", "title")
    return {
        "labels": labels,
        "listed": ordered.listed,
        "positive": 0 if two else None,
        "models": [{"name": result.counted.pred, **cells(ordered)}],
        "shares": shares,
        "sizes": sizes,
        "rows": rows,
        "steps": steps,
        "step": at,
        "best": best,
        "costs": _costs(result, order) if two else [None, None],
        "yours": yours,
        "sliders": sorted(rarest) if not two else [],
        "presets": presets,
        "threshold_presets": threshold_presets,
        "scale": [(round(100 * _place(share), 2), f"{100 * share:g}%") for share in SCALE],
        "command": command_text("evaluate", result.options, leave_out=("priors", "priors_from", "title")),
        "command_scores": command_text("evaluate", result.options, leave_out=(*fixed, "pred")),
        "range": False,
        "primary": short_name(result.decider.measure),
    }


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:] if name.islower() or " " in name else name


def _place(share: float) -> float:
    def logit(p: float) -> float:
        return math.log(p / (1 - p))

    return (logit(share) - logit(LEAST)) / (logit(MOST) - logit(LEAST))


def _class_precisions(result: Evaluation, labels: list[str]) -> list[dict[str, Any]]:
    known = [(k, c) for k, c in enumerate(result.classes) if math.isfinite(c.precision)]
    if len(result.classes) > MOST_PRECISIONS:
        return []
    return [
        {
            "name": f"class precision:{k}",
            "short": f"Precision of {labels[k]}",
            "tip": "Depends on how frequent the classes are.",
            "model": 0,
            "start": c.precision,
            "value": shown(c.precision),
            "low": 0,
            "high": 1,
            "place": round(100 * c.precision, 2),
        }
        for k, c in known
    ]


def _yours(result: Evaluation, labels: Any) -> list[float] | None:
    priors = result.weighing.priors
    if not isinstance(priors, Mapping):
        return None
    by_text = {str(label): float(value) for label, value in priors.items()}
    found = [by_text.get(str(label), 0.0) for label in labels]
    return found if all(share > 0 for share in found) else None


def _costs(result: Evaluation, order: list[int]) -> list[float | None]:
    """The costs of a miss and of a false alert that were given; none that depend on the row or on a range."""
    given = None if result.costs is None else result.costs.costs
    if given is None or given.by_row or given.most is not None:
        return [None, None]
    names = [str(label) for label in given.labels]
    first, second = (names.index(str(result.matrix.labels[k])) for k in order)
    return [float(given.fixed[first, second]), float(given.fixed[second, first])]


def steps_of(result: Evaluation) -> tuple[list[list[float]] | None, int, int | None, str]:
    """Real thresholds with their true and false positives; which one the labels are, which has the best
    primary metric, and what that is called."""
    ranking = result.ranking
    if ranking is None or ranking.scores.n_classes != 2 or result.positive is None:
        return None, 0, None, ""
    swept = sweep(ranking.scores, result.positive.label)
    counts = np.asarray(swept.matrices.counts)
    finite = np.flatnonzero(np.isfinite(swept.thresholds))
    tp, fp, thresholds = counts[finite, 0, 0], counts[finite, 1, 0], swept.thresholds[finite]
    if not len(thresholds):
        return None, 0, None, ""
    rates = np.sqrt((tp / counts[0, 0].sum()) * (1 - fp / counts[0, 1].sum()))
    best = int(np.argmax(rates))
    order = order_of(result)
    cells = np.asarray(result.matrix.counts)[np.ix_(order, order)]
    match = np.flatnonzero((tp == cells[0, 0]) & (fp == cells[1, 0]))
    known = implied_threshold(result)
    at = int(match[0]) if len(match) else int(np.argmin(np.abs(tp + fp - cells[:, 0].sum())))
    spread = np.linspace(0, len(tp) - 1, min(len(tp), MOST_STEPS)).round().astype(int).tolist()
    kept = sorted({*spread, at, best}, key=lambda k: float(thresholds[k]))
    steps = [[_rounded(float(thresholds[k])), tp[k].item(), fp[k].item()] for k in kept]
    place = kept.index(at)
    steps[place] = [steps[place][0] if known is None else known, cells[0, 0].item(), cells[1, 0].item()]
    return steps, place, kept.index(best), "G-mean"


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


def implied_threshold(result: Evaluation) -> float | None:
    """The threshold that the labels stand for; None where they stand for none."""
    ranking = result.ranking
    point = None if ranking is None or len(ranking.classes) != 1 else ranking.classes[0].operating_point
    if point is None:
        return None
    found = point.implied if point.threshold is None else point.threshold
    return found if found is not None and math.isfinite(found) else None
