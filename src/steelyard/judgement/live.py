"""What does a page need to answer back? Counts and facts of measures as plain data, and functions."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.measures.catalogue import catalogue
from steelyard.measures.measure import Measure
from steelyard.measures.short_names import short_name
from steelyard.report.sections import Live, Section

if TYPE_CHECKING:
    from steelyard.counts.score_counts import ScoreCounts
    from steelyard.measures.relevance import Relevance

Ends = Mapping[str, Mapping[str, tuple[float, float]]]
"""Of each model and measure the two ends of the interval."""
TITLE = "What if?"
MOST_POINTS = 400
"""Thresholds that a slider can tell apart."""
DENSE = 30
"""Classes up to which every cell is written down; of more, those that hold anything."""
MOST_MODELS = 6
MOST_CLASSES = 1000


def here(measure: Measure, model: int = 0) -> str:
    """Names the value of a measure in the state that a reader chose."""
    return f"here:{model}:{measure.name}"


def evenly(measure: Measure) -> str:
    """Names the value of a measure on balanced classes."""
    return f"balanced:0:{measure.name}"


def at_given_priors(measure: Measure) -> str:
    """Names the value of a measure at the priors that were given."""
    return f"yours:0:{measure.name}"


def by_relevance(measure: Measure) -> str:
    """Names the value of a measure weighted by the relevance that was given."""
    return f"weighted:0:{measure.name}"


def by_share(measure: Measure, classes: Sequence[int]) -> str:
    """Names the values of a measure along the share of these classes together."""
    return f"{','.join(map(str, classes))}:{measure.name}"


def equally(measure: Measure) -> str:
    """Names the value of a measure in the state that a reader chose, classes counting alike."""
    return f"equal:0:{measure.name}"


def count_of(truth: int, called: int, model: int = 0) -> str:
    """Names a cell of the matrix."""
    return f"cell:{model}:{truth}:{called}"


def of_class(place: int, what: str) -> str:
    """Names what is said of one class: support, share, recall, precision, f1 or balanced."""
    return f"class:0:{place}:{what}"


TESTED = "tested"
"""Names what was found on the test set and holds for no other state."""
INTERVAL = "interval"
"""Names an interval: it is there for the state it was computed for only."""


def live_section(
    matrices: Mapping[str, Confusion],
    first: Sequence[Measure],
    *,
    positive: Label | None = None,
    priors: Any = None,
    relevance: Relevance | None = None,
    intervals: Ends | None = None,
    level: float | None = None,
    curve: Mapping[str, Any] | None = None,
) -> Iterable[Section]:
    """The section in which a reader changes the state; none where there is too much for a page to compute."""
    one = next(iter(matrices.values()))
    fits = len(matrices) <= MOST_MODELS and 2 <= one.n_classes <= MOST_CLASSES
    if not fits or any(matrix.labels != one.labels for matrix in matrices.values()):
        return
    place = None if positive is None else one.index(positive)

    def data() -> Mapping[str, Any]:
        measures = known_measures(place, tuple(first))
        found = _intervals(intervals, measures)
        return {
            **class_names(one),
            "positive": place,
            "models": [{"name": name, **cells(matrix)} for name, matrix in matrices.items()],
            "measures": [about(m, one.n_classes) for m in measures],
            "first": [m.name for m in first if any(m is known for known in measures)],
            "priors": _priors(priors, one, place),
            "relevance": None if relevance is None else [float(s) for s in relevance.scores_of(one.labels)],
            "intervals": found if any(found.values()) else None,
            "level": "" if level is None else f"{100 * level:g}%",
            "curve": None if one.n_classes != 2 or place is None else curve,
        }

    yield Section(
        "",
        (Live(TITLE, data, lambda: functions(known_measures(place, tuple(first)))),),
        "page",
        "live-section",
    )


@functools.lru_cache(maxsize=8)
def functions(measures: tuple[Measure, ...]) -> str:
    """The functions of these measures."""
    from steelyard.measures.javascript import library_text

    return library_text(measures)


@functools.lru_cache(maxsize=8)
def known_measures(place: int | None, first: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """The measures that a page can compute: the catalogue, and those shown first."""
    from steelyard.measures.javascript import is_writable

    every = {m.name: m for m in catalogue(wide=True)} | {m.name: m for m in first}
    kinds = ("multi-class",) if place is None else ("multi-class", "two-class")
    return tuple(m for m in every.values() if m.kind in kinds and is_writable(m))


def about(measure: Measure, classes: int) -> dict[str, Any]:
    """What a page says of a measure."""
    low, high = (end if math.isfinite(end) else None for end in measure.range.at(classes))
    return {
        "name": measure.name,
        "title": measure.title,
        "short": short_name(measure),
        "symbols": list(measure.symbols),
        "question": measure.question,
        "better": measure.better,
        "low": low,
        "high": high,
        "over": measure.over_classes,
    }


def class_names(matrix: Confusion) -> dict[str, Any]:
    """The names of the classes: as words, and as Python knows them."""
    plain = [_as_script_holds(plain_label(label)) for label in matrix.labels]
    words = [str(label) for label in matrix.labels]
    nameless = not matrix.listed and words == [f"c{i + 1}" for i in range(len(words))]
    return {"labels": words, "names": None if nameless else plain, "listed": matrix.listed}


def _as_script_holds(label: Any) -> Any:
    """Whole numbers beyond 2^53 as Python writes them: a script would round them."""
    large = isinstance(label, int) and not isinstance(label, bool) and abs(label) > 2**53
    return {"python": repr(label)} if large else label


def cells(matrix: Confusion) -> dict[str, Any]:
    """The counts: rows of them, or place and count of each that is not 0."""
    if matrix.n_classes <= DENSE:
        return {"rows": matrix.counts.tolist()}
    places = np.argwhere(matrix.counts)
    held = [
        number
        for (i, j), value in zip(places.tolist(), matrix.counts[tuple(places.T)].tolist(), strict=True)
        for number in (i, j, value)
    ]
    return {"cells": held}


def curve_of(scores: ScoreCounts, positive: Label, threshold: float | None) -> dict[str, Any] | None:
    """The matrix at so many thresholds, as hits and false alarms; none for scores of many classes."""
    from steelyard.scores.threshold_sweep import sweep

    if scores.n_classes != 2:
        return None
    swept = sweep(scores, positive)
    tp, fp = swept.reached.T
    if threshold is None:
        at = int(np.argmin(np.abs((tp + fp) - swept.totals[0])))
    else:  # thresholds fall from infinity; the last that is not below calls the same rows
        at = max(0, int((swept.thresholds >= threshold).sum()) - 1)
    spread = np.unique(np.linspace(0, len(tp) - 1, min(len(tp), MOST_POINTS)).round().astype(int))
    kept = sorted({*spread.tolist(), at})
    thresholds = [number_or_none(float(swept.thresholds[k])) for k in kept]
    if threshold is not None:
        thresholds[kept.index(at)] = number_or_none(threshold)
    return {
        "thresholds": thresholds,
        "tp": tp[kept].tolist(),
        "fp": fp[kept].tolist(),
        "positives": swept.totals[0].item(),
        "negatives": swept.totals[1].item(),
        "at": kept.index(at),
    }


def _priors(priors: Any, matrix: Confusion, place: int | None) -> list[float] | None:
    """The given priors in the order of the classes."""
    if isinstance(priors, Mapping):
        by_text = {str(label): float(value) for label, value in priors.items()}
        found = [by_text.get(str(label), 0.0) for label in matrix.labels]
    elif isinstance(priors, (int, float)) and place is not None and matrix.n_classes == 2:
        found = [float(priors) if k == place else 1 - float(priors) for k in range(2)]
    elif isinstance(priors, (list, tuple)) and len(priors) == matrix.n_classes:
        found = [float(value) for value in priors]
    else:
        return None
    return found


def _intervals(intervals: Ends | None, measures: Sequence[Measure]) -> dict[str, dict[str, list[float]]]:
    names = {m.name for m in measures}
    return {
        model: {
            name: [low, high]
            for name, (low, high) in found.items()
            if name in names and math.isfinite(low) and math.isfinite(high)
        }
        for model, found in (intervals or {}).items()
    }
