"""What if: data by which a page computes metrics at another prevalence, threshold or cost."""

# For one model or several.

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.counts.score_counts import ScoreCounts
from steelyard.judgement.page.tables import positive_first
from steelyard.measures.class_numbers import places_in
from steelyard.measures.costs import Costs
from steelyard.measures.javascript import is_writable, library_text
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.names import short_name
from steelyard.report.class_names import short_names
from steelyard.report.numbers import percent, shown
from steelyard.report.sections import Section, WhatIf
from steelyard.scores.threshold_sweep import sweep
from steelyard.uncertainty.resampling import weighs_confusions

# A page holds the whole matrix: at most a million numbers.
MOST_CLASSES = 1000
# Columns that fit beside each other.
MOST_MODELS = 6
# Classes up to which every cell is written down; of more, those that hold anything.
DENSE = 30
# Thresholds that a slider can tell apart.
MOST_STEPS = 200
# The rarest classes get sliders: their prevalence is the one that is in doubt.
MOST_SLIDERS = 12
# Classes whose 10,000 drawn matrices a browser makes in the time of a click.
MOST_DRAWN = 20
# Cells of two models' joint counts that a page holds: about 40 kB.
MOST_JOINT_CELLS = 4000
# Classes whose precision has a row of its own.
MOST_PRECISIONS = 8


# What the page is told of thresholds where there are none.
NO_STEPS: Mapping[str, Any] = {"steps": None, "step": 0, "best": None, "threshold_presets": []}


# `drawing` (level, draws, seed, design) says how the intervals of the models' counts are drawn, which then
# follow, and with the `joint` counts of two models (`turned`: the second stands first here) those of their
# differences; without it, and with many classes, the page shows values alone. `drawn` are metrics whose
# curves follow in a chart; with `by_range` the command takes a range of prevalence.
def what_if(
    matrices: Mapping[str, Confusion],
    measures: Sequence[Measure],
    *,
    note: str,
    positive: Label | None,
    drawn: Sequence[Measure] = (),
    command: str = "",
    command_scores: str = "",
    by_range: bool = False,
    steps: Mapping[str, Any] = NO_STEPS,
    costs: Costs | None = None,
    priors: Any = None,
    drawing: Mapping[str, Any] | None = None,
    joint: JointCounts | None = None,
    turned: bool = False,
) -> Iterator[Section]:
    """The part in which a reader changes the state; none where there is too much for a page to compute."""
    matrices = dict(list(matrices.items())[:MOST_MODELS])
    first = next(iter(matrices.values()))
    if not 2 <= first.n_classes <= MOST_CLASSES or not (np.asarray(first.actual) > 0).all():
        return
    two = positive is not None and first.n_classes == 2
    known = tuple(m for m in measures if is_writable(m) and (two or m.kind == "multi-class"))

    def data() -> Mapping[str, Any]:
        order = positive_first(first, positive if two else None)
        ordered = {
            name: matrix.select([matrix.labels[k] for k in order]) for name, matrix in matrices.items()
        }
        matrix = next(iter(ordered.values()))
        sizes = [float(size) for size in matrix.actual]
        shares = [size / sum(sizes) for size in sizes]
        labels = [str(label) for label in matrix.labels] if two else short_names(matrix.labels)
        yours = _yours(priors, matrix)
        presets = [
            ("test", f"Test set {percent(shares[0])}" if two else "Test set"),
            ("balanced", "Balanced 50%" if two else "Balanced"),
            *([("yours", f"Your priors {percent(yours[0])}" if two else "Your priors")] if yours else []),
        ]
        rows = _rows(known, ordered, positive)
        if not two and len(ordered) == 1 and len(labels) <= MOST_PRECISIONS:
            rows += _class_precisions(matrix, labels)
        joint_cells = None
        if joint is not None and len(joint.counts) <= MOST_JOINT_CELLS:
            # Truth, prediction of the first and of the second model as places of classes, and how many rows.
            joint_cells = np.column_stack([joint.truth, joint.predictions, joint.counts]).astype(int).tolist()
        rarest = sorted(range(len(sizes)), key=lambda k: sizes[k])[:MOST_SLIDERS]
        return {
            "labels": labels,
            "listed": matrix.listed,
            "positive": 0 if two else None,
            "models": [{"name": name, **_cells(of_model)} for name, of_model in ordered.items()],
            "shares": shares,
            "sizes": sizes,
            "rows": rows,
            **steps,
            "costs": _class_costs(costs if two else None, matrix),
            "yours": yours,
            "sliders": [] if two else sorted(rarest),
            "presets": presets,
            "command": command,
            "command_scores": command_scores,
            "range": by_range,
            "order": order,
            "drawing": drawing if len(labels) <= MOST_DRAWN else None,
            "joint": joint_cells,
            "turned": turned,
        }

    moving = (*known, *(m for m in drawn if is_writable(m) and m not in known))
    block = WhatIf(data, lambda: functions(moving))
    yield Section("What if?", (block,), identity="what-if", note=note)


@functools.lru_cache(maxsize=8)
def functions(measures: tuple[Measure, ...]) -> str:
    """The functions of these metrics, as JavaScript."""
    return library_text(measures)


def _rows(
    measures: Sequence[Measure], matrices: Mapping[str, Confusion], positive: Label | None
) -> list[dict[str, Any]]:
    """A row for each metric: what it is, and its value for each model."""
    values = [weigh(measures, matrix, positive=positive) for matrix in matrices.values()]
    rows = []
    for m in measures:
        starts = [float(row[m.name]) for row in values]
        if all(map(math.isnan, starts)):
            continue
        low, high = m.range.at(next(iter(matrices.values())).n_classes)
        rows.append(
            {
                "name": m.name,
                "short": short_name(m),
                "tip": m.question,
                "better": m.better,
                "starts": [None if math.isnan(value) else value for value in starts],
                "texts": [shown(value) for value in starts],
                "kind": m.kind,
                "weighs": weighs_confusions(m),
                "range": [end if math.isfinite(end) else None for end in (float(low), float(high))],
                "low": 0 if min(starts) >= 0 or not math.isfinite(low) else float(low),
                "high": float(high) if math.isfinite(high) else 1,
            }
        )
    return rows


def _class_precisions(matrix: Confusion, labels: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    tip = "Depends on how frequent the classes are."
    for k, label in enumerate(labels):
        if matrix.predicted[k]:
            value = float(matrix.hits[k] / matrix.predicted[k])
            named = {"name": f"class precision:{k}", "short": f"precision of {label}"}
            values = {"starts": [value], "texts": [shown(value)]}
            rows.append({**named, **values, "tip": tip, "better": "higher", "low": 0, "high": 1})
    return rows


def _cells(matrix: Confusion) -> dict[str, Any]:
    """The counts: rows of them, or place and count of each that is not 0."""
    if matrix.n_classes <= DENSE:
        return {"rows": matrix.counts.tolist()}
    places = np.argwhere(matrix.counts)
    values = matrix.counts[tuple(places.T)].tolist()
    return {
        "cells": [n for place, value in zip(places.tolist(), values, strict=True) for n in (*place, value)]
    }


def _yours(priors: Any, matrix: Confusion) -> list[float] | None:
    if not isinstance(priors, Mapping):
        return None
    by_text = {str(label): float(value) for label, value in priors.items()}
    shares = [by_text.get(str(label), 0.0) for label in matrix.labels]
    return shares if all(share > 0 for share in shares) else None


# `matrix` is in use, at `threshold` where that is known.
def steps_of(
    scores: ScoreCounts,
    matrix: Confusion,
    positive: Label,
    threshold: float | None,
    name: str = "As labelled",
) -> Mapping[str, Any]:
    """At most so many thresholds of two-class scores with their true and false positives, the one in use, and
    the best by G-mean."""
    if scores.n_classes != 2:
        return NO_STEPS
    swept = sweep(scores, positive)
    finite = np.isfinite(swept.thresholds)
    (tp, fp), thresholds = swept.reached[finite].T, swept.thresholds[finite]
    if not len(thresholds):
        return NO_STEPS
    # Sums of weights are rounded: a rate of 1 may be a little more.
    rates = np.sqrt((tp / swept.totals[0]) * np.maximum(1 - fp / swept.totals[1], 0))
    best = int(np.argmax(rates))
    order = positive_first(matrix, positive)
    cells = np.asarray(matrix.counts)[np.ix_(order, order)]
    match = np.flatnonzero((tp == cells[0, 0]) & (fp == cells[1, 0]))
    at = int(match[0]) if len(match) else int(np.argmin(np.abs(tp + fp - cells[:, 0].sum())))
    spread = np.linspace(0, len(tp) - 1, min(len(tp), MOST_STEPS)).round().astype(int).tolist()
    chosen = sorted({*spread, at, best}, key=lambda k: float(thresholds[k]))
    rows = [[float(f"{thresholds[k]:.12g}"), tp[k].item(), fp[k].item()] for k in chosen]
    place, top = chosen.index(at), chosen.index(best)
    in_use = rows[place][0] if threshold is None else threshold
    if math.isinf(in_use):  # nothing is predicted positive; a page has no infinity, a step above every score
        in_use = float(np.nextafter(thresholds.max(), np.inf))
    rows[place] = [in_use, cells[0, 0].item(), cells[1, 0].item()]
    presets = [("labelled", f"{name} {rows[place][0]:.4g}"), ("best", f"Best G-mean {rows[top][0]:.4g}")]
    return {"steps": rows, "step": place, "best": top, "threshold_presets": presets}


def _class_costs(costs: Costs | None, matrix: Confusion) -> list[float | None]:
    """The costs of a miss and of a false alert that were given; none that depend on the row or on a range."""
    if costs is None or costs.by_row or costs.most is not None:
        return [None, None]
    first, second = places_in(costs.labels, matrix.labels)
    return [float(costs.fixed[first, second]), float(costs.fixed[second, first])]
