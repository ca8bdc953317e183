"""The pictures of scores, as inline SVG for the page of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.measures.catalogue import measure
from steelyard.measures.names import AtPriors, read
from steelyard.report.class_names import short
from steelyard.report.numbers import percent, shown, threshold_shown
from steelyard.report.page.drawing import UNIT, Path, plane, tick_marks
from steelyard.scores.ranking import ClassRanking, Curve, MeasureSweep, OperatingPoint, RankingReport


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
        diagonal=True,
    )


def precision_recall_picture(report: RankingReport) -> str:
    """Precision against recall: of one class at each prior, of many classes on balanced ones."""
    drawn = [c for c in report.classes if c.precision_recall]
    alone = len(drawn) == 1
    paths: list[Path] = []
    marks = []
    for c in drawn:
        for curve in c.precision_recall if alone else [p for p in c.precision_recall if p.prior == 0.5][:1]:
            assert curve.prior is not None
            share = f" ({100 * curve.prior:.3g} %)" if alone else ""
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
            paths.append(_path(curve, name, tips, alone, alone and curve is c.precision_recall[0]))
    return plane(paths, UNIT, UNIT, "recall", "precision", "Precision-recall curve", marks=marks)


def threshold_picture(swept: MeasureSweep, point: OperatingPoint | None) -> str:
    """Measures against the threshold, and where it is."""
    finite = swept.thresholds.tolist()
    ends = (min(finite), max(finite))
    # Probabilities are read on their whole scale, whatever part of it occurs.
    ticks = (
        UNIT
        if ends[0] >= 0 and ends[1] <= 1
        else tick_marks(ends[0], ends[1] if ends[1] > ends[0] else ends[0] + 1)
    )
    paths = []
    for name, values in swept.lines.items():
        tips = [
            f"{name} {shown(y)} at scores >= {threshold_shown(t)}"
            for t, y in zip(finite, values.tolist(), strict=True)
        ]
        paths.append(Path(name_of(name), finite, values.tolist(), None, tips, name == swept.chosen_by))
    lowest = min((y for path in paths for y in path.ys if not math.isnan(y)), default=0.0)
    heights = UNIT if lowest >= 0 else tick_marks(lowest, 1)
    upright = None
    if point is not None and point.threshold is not None and math.isfinite(point.threshold):
        upright = (point.threshold, f"threshold {point.threshold:.4g}")
    return plane(
        paths,
        ticks,
        heights,
        "called positive at scores of at least",
        "value",
        "Measures against the threshold",
        upright=upright,
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
