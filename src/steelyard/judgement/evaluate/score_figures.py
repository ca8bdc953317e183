"""The pictures of scores, as inline SVG for the page of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.measures.catalogue import measure
from steelyard.measures.names import AtPriors, read
from steelyard.report.class_names import short
from steelyard.report.numbers import percent, shown, threshold_shown
from steelyard.report.page.drawing import UNIT, Line, Path, log_lines, plane
from steelyard.report.page.drawing.scales import log_ticks
from steelyard.scores.ranking_result import ClassRanking, Curve, MeasureSweep, OperatingPoint, RankingReport

LEAST_RATE = 1e-4
"""Fewer alerts than these are not drawn."""
MOST_LEAST_RATE = 0.5
APART = 2.5
"""Ticks nearer to each other than this factor would run together."""
RARE = 0.05
"""Below this share a precision on a plain axis would lie on zero."""


def roc_picture(report: RankingReport) -> str:
    """The ROC curve of each class that has one, with its band and the operating point."""
    drawn = [c for c in report.classes if c.roc is not None]
    alone = len(drawn) == 1
    paths: list[Path] = []
    marks = []
    for k, c in enumerate(drawn):
        assert c.roc is not None
        tips = [
            f"{c.label}: {percent(y)} of it found, {percent(x)} false alarms, at scores >="
            f" {threshold_shown(t)}"
            for x, y, t in zip(c.roc.x.tolist(), c.roc.y.tolist(), c.roc.thresholds.tolist(), strict=True)
        ]
        paths.append(
            _path(c.roc, f"{short(c.label, 20)}, AUC {shown(c.measures[0].value)}", tips, alone, False)
        )
        if c.operating_point is not None:
            marks.append((c.operating_point.fpr, c.operating_point.tpr, _standing(c, c.operating_point), k))
    return plane(
        paths,
        UNIT,
        UNIT,
        "false positive rate",
        "true positive rate",
        "ROC curve",
        marks=marks,
        follows=["roc"] if alone else [],
        diagonal=True,
    )


def precision_recall_picture(report: RankingReport) -> str:
    """Precision against recall: of one class at each prior, of many classes on balanced ones."""
    drawn = [c for c in report.classes if c.precision_recall]
    alone = len(drawn) == 1
    paths: list[Path] = []
    marks, follows = [], []
    for c in drawn:
        for curve in c.precision_recall if alone else [p for p in c.precision_recall if p.prior == 0.5][:1]:
            assert curve.prior is not None
            share = f" ({100 * curve.prior:.3g}%)" if alone else ""
            name = f"{curve.name}{share}" if alone else f"{c.label}"
            tips = [
                f"{c.label}, {curve.name}: precision {shown(y)} at recall {shown(x)}, scores >="
                f" {threshold_shown(t)}"
                for x, y, t in zip(curve.x.tolist(), curve.y.tolist(), curve.thresholds.tolist(), strict=True)
            ]
            point = c.operating_point
            if point is not None and not math.isnan(point.precision(curve.prior)):
                tip = (
                    f"{_standing(c, point)}; precision {shown(point.precision(curve.prior))} at a share of"
                    f" {percent(curve.prior)}"
                )
                marks.append((point.tpr, point.precision(curve.prior), tip, len(paths)))
                follows.append(f"pr:{curve.prior!r}" if alone else "")
            paths.append(_path(curve, name, tips, alone, alone and curve is c.precision_recall[0]))
    least = min((y for path in paths for y in path.ys if y > 0), default=1.0)
    rare = alone and any(curve.prior < RARE for curve in drawn[0].precision_recall if curve.prior is not None)
    heights = [(y, f"{y:g}") for y in log_ticks(max(least, LEAST_RATE), 1.0)] if rare else UNIT
    return plane(
        paths,
        UNIT,
        heights,
        "recall",
        "precision",
        "Precision-recall curve",
        marks=marks,
        follows=follows,
        log_y=rare,
    )


def threshold_picture(c: ClassRanking, swept: MeasureSweep) -> str:
    """Measures against the share of rows that a threshold calls, and where it is."""
    least = max(min((float(rate) for rate in swept.alerts if rate > 0), default=LEAST_RATE), LEAST_RATE)
    least = min(least, MOST_LEAST_RATE)
    powers = [10.0**-k for k in range(5) if 10.0**-k > APART * least]
    ticks = [(rate, percent(rate)) for rate in (*powers, least)]
    xs = swept.alerts.tolist()
    # A curve is named where it ends, at the right: where the fewest are called.
    order = sorted((k for k, rate in enumerate(xs) if rate >= ticks[-1][0]), key=lambda k: -xs[k])
    lines = [
        Line(
            name_of(name),
            [xs[k] for k in order],
            [float(values[k]) for k in order],
            name == swept.chosen_by,
        )
        for name, values in swept.lines.items()
        if not name.startswith("expected_cost")  # an amount has no place on an axis of rates
    ]
    lowest = min((y for line in lines for y in line.ys if not math.isnan(y)), default=0.0)
    marker, point = None, c.operating_point
    if point is not None and c.precision_recall and c.precision_recall[0].prior is not None:
        share = c.precision_recall[0].prior
        rate = share * point.tpr + (1 - share) * point.fpr
        at = point.threshold is not None and math.isfinite(point.threshold)
        words = f"threshold {point.threshold:.4g}" if at else "the predictions"
        marker = (rate, words) if rate >= ticks[-1][0] else None
    return log_lines(
        lines,
        ticks,
        "share of the rows that are called",
        (0.0 if lowest >= 0 else -1.0, 1.0),
        marker,
        "Measures against the threshold",
        "alerts",
    )


def name_of(name: str) -> str:
    """A measure's title where it is short, else what a paper calls it; at the user's priors it is said so."""
    written = read(name)
    if isinstance(written, AtPriors):
        return f"{name_of(written.of.text)} at your priors"
    found = measure(name)
    return found.title if len(found.title) < 24 else found.symbols[0] if found.symbols else found.id


def _path(curve: Curve, name: str, tips: Sequence[str], with_band: bool, strong: bool) -> Path:
    band = None
    if curve.band is not None and with_band:
        band = (curve.band.at.tolist(), curve.band.low.tolist(), curve.band.high.tolist())
    return Path(name, curve.x.tolist(), curve.y.tolist(), band, tips, strong)


def _standing(c: ClassRanking, point: OperatingPoint) -> str:
    at = "the predictions" if point.threshold is None else f"threshold {threshold_shown(point.threshold)}"
    return f"{at}: {percent(point.tpr)} of {c.label} found, {percent(point.fpr)} false alarms"
