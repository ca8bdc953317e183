"""The pictures of an evaluation with Matplotlib, for files and notebooks.

Drawn on figures of their own, without pyplot: no global state, no window, safe in threads.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, UnknownNameError
from steelyard.judgement.evaluate.figures import (
    MOST_DRAWN,
    SHARE_TICKS,
    folded_matrix,
    name_of_line,
    row_shares,
    share_here,
)
from steelyard.judgement.evaluate.result import Evaluation
from steelyard.judgement.evaluate.score_figures import name_of
from steelyard.report.class_names import short
from steelyard.report.figures import new_figure
from steelyard.report.numbers import shown
from steelyard.report.page.drawing import DARK_FROM
from steelyard.scores.ranking_result import Curve, RankingReport
from steelyard.scores.top_k import operating_line

# Okabe and Ito's colours, which colour-blind readers can tell apart; lines also differ in dash and marks in
# shape.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#666666", "#000000")
DASHES = ("-", "--", ":", "-.", (0, (8, 3)), (0, (4, 2)), (0, (1, 2)), (0, (8, 2, 2, 2)))


def plot(result: Evaluation, kind: str) -> Any:
    """A Matplotlib figure: "matrix", "classes", "scale", "priors"; with scores also "roc",
    "precision_recall", "threshold", "gain" and "cost"."""
    if kind not in KINDS:
        raise UnknownNameError("picture", kind, KINDS)
    return KINDS[kind](result)


def draw_plots(result: Evaluation, folder: str | Path) -> dict[Path, bytes]:
    """Every picture that can be drawn, as PNG and SVG, by the file it belongs in."""
    target = Path(folder)
    drawn: dict[Path, bytes] = {}
    for kind in KINDS:
        if (kind == "priors" and result.sweep is None) or (kind in OF_SCORES and not _can_draw(result, kind)):
            continue
        figure = plot(result, kind)
        for suffix in ("png", "svg"):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=suffix, dpi=160)
            drawn[target / f"{kind}.{suffix}"] = buffer.getvalue()
    return drawn


def _figure(width: float, height: float, columns: int = 1) -> tuple[Any, Any]:
    figure = new_figure(width, height)
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def _matrix(result: Evaluation) -> Any:
    drawn = folded_matrix(result.matrix)
    names = [short(label) for label in drawn.labels]
    shares = row_shares(drawn)
    side = max(3.2, 0.42 * len(names) + 1.6)
    figure, axes = _figure(2 * side, side, 2)
    for ax, title, words in ((axes[0], "examples", "count"), (axes[1], "share of each true class", "share")):
        ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        ax.set(title=title, xlabel="prediction", ylabel="truth")
        ax.set_xticks(range(len(names)), names, rotation=55, ha="right")
        ax.set_yticks(range(len(names)), names)
        if len(names) <= 14:
            for i in range(len(names)):
                for j in range(len(names)):
                    value = (
                        f"{drawn.counts[i, j]:g}"
                        if words == "count"
                        else f"{100 * shares[i, j]:.0f}%"
                        if shares[i, j]
                        else ""
                    )
                    ax.text(
                        j,
                        i,
                        value,
                        ha="center",
                        va="center",
                        fontsize=8,
                        color="white" if shares[i, j] > DARK_FROM else "black",
                    )
    return figure


def _classes(result: Evaluation) -> Any:
    ordered = (
        sorted(result.classes, key=lambda c: (math.isnan(c.recall), c.recall))
        if len(result.classes) > MOST_DRAWN
        else list(result.classes)
    )
    drawn = ordered[:MOST_DRAWN]
    figure, axes = _figure(7, 1.2 + 0.3 * len(drawn))
    ax, places = axes[0], list(range(len(drawn)))
    for name, marker, colour in (
        ("recall", "o", COLOURS[0]),
        ("precision", "D", COLOURS[1]),
        ("balanced_precision", "s", COLOURS[2]),
    ):
        ax.plot([getattr(c, name) for c in drawn], places, marker, color=colour, label=name.replace("_", " "))
    ax.set_yticks(places, [f"{short(c.label)} ({c.support:g})" for c in drawn])
    ax.invert_yaxis()
    ax.set(xlim=(-0.02, 1.02), xlabel="value")
    ax.grid(axis="x", alpha=0.4)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def _scale(result: Evaluation) -> Any:
    rows = [
        (result.weighing[name], group)
        for group, names in enumerate((result.headline, result.others_report))
        for name in names
    ]
    figure, axes = _figure(7, 1.2 + 0.32 * len(rows))
    ax = axes[0]
    for group, (marker, label) in enumerate((("o", "shown first"), ("D", "others report"))):
        points = [
            (i, row.normalised)
            for i, (row, g) in enumerate(rows)
            if g == group and row.normalised is not None
        ]
        ax.plot(
            [value for _, value in points], [i for i, _ in points], marker, color=COLOURS[group], label=label
        )
    ax.set_yticks(range(len(rows)), [short(row.measure.title, 40) for row, _ in rows])
    ax.invert_yaxis()
    ax.set(xlim=(-0.02, 1.02), xlabel="normalised value (0 worst, 1 best)")
    ax.grid(axis="x", alpha=0.4)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def _priors(result: Evaluation) -> Any:
    sweep = result.sweep
    if sweep is None:
        raise InputError(
            "measures cannot be drawn against class priors",
            found="a class without examples",
            allowed="examples of every class",
        )
    figure, axes = _figure(8, 4.8)
    ax = axes[0]
    for k, name in enumerate(sorted(sweep.lines, key=lambda name: name not in sweep.flat)):
        width = 3 if name in sweep.flat else 1.6
        ax.plot(
            sweep.shares,
            sweep.lines[name],
            color=COLOURS[k % 8],
            linestyle=DASHES[k % 8],
            linewidth=width,
            label=name_of_line(name),
        )
    if SHARE_TICKS[-1][0] <= (share := share_here(result)) <= SHARE_TICKS[0][0]:
        ax.axvline(share, color="#888888", linestyle=":", linewidth=1)
        where = ax.get_xaxis_transform()  # above the field, whatever its values
        ax.text(share, 1.01, "this test set", transform=where, ha="center", va="bottom", fontsize=8)
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.minorticks_off()
    ax.set_xticks([x for x, _ in SHARE_TICKS], [words for _, words in SHARE_TICKS])
    who = (
        short(sweep.minority[0], 30)
        if len(sweep.minority) == 1
        else f"the {len(sweep.minority)} rare classes together"
    )
    ax.set(xlabel=f"share of {who}, class rates unchanged", ylabel="value")
    ax.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _roc(result: Evaluation) -> Any:
    figure, axes = _figure(5.4, 5)
    ax, report = axes[0], _report(result, "roc")
    ax.plot([0, 1], [0, 1], ":", color="#888888", linewidth=1)
    for k, c in enumerate(report.classes):
        if c.roc is not None:
            _curve(
                ax,
                c.roc,
                k,
                f"{short(c.label, 30)}, AUC {shown(c.measures[0].value)}",
                len(report.classes) == 1,
            )
            if c.operating_point is not None:
                _stand(ax, c.operating_point.fpr, c.operating_point.tpr, k)
    _unit(figure, ax, "false positive rate", "true positive rate")
    return figure


def _precision_recall(result: Evaluation) -> Any:
    figure, axes = _figure(5.4, 5)
    ax, report = axes[0], _report(result, "precision_recall")
    alone, k = len(report.classes) == 1, 0
    for c in report.classes:
        for curve in c.precision_recall if alone else [p for p in c.precision_recall if p.prior == 0.5][:1]:
            assert curve.prior is not None
            _curve(
                ax,
                curve,
                k,
                f"{curve.name} ({100 * curve.prior:.3g} %)" if alone else f"{short(c.label, 30)}, balanced",
                alone,
            )
            if c.operating_point is not None:
                _stand(ax, c.operating_point.tpr, c.operating_point.precision(curve.prior), k)
            k += 1
    _unit(figure, ax, "recall", "precision")
    return figure


def _threshold(result: Evaluation) -> Any:
    figure, axes = _figure(7, 4.6)
    ax, c = axes[0], _report(result, "threshold").classes[0]
    assert c.sweep is not None
    lines = [pair for pair in c.sweep.lines.items() if not pair[0].startswith("expected_cost")]
    for k, (name, values) in enumerate(lines):
        width = 3 if name == c.sweep.chosen_by else 1.6
        ax.plot(
            c.sweep.thresholds,
            values,
            color=COLOURS[k % 8],
            linestyle=DASHES[k % 8],
            linewidth=width,
            label=name_of(name),
        )
    if (
        c.operating_point is not None
        and c.operating_point.threshold is not None
        and math.isfinite(c.operating_point.threshold)
    ):
        ax.axvline(c.operating_point.threshold, color="#888888", linestyle=":", linewidth=1)
    ax.set(xlabel="called positive at scores of at least", ylabel="value")
    ax.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _gain(result: Evaluation) -> Any:
    figure, axes = _figure(5.4, 5)
    ax, c = axes[0], _report(result, "gain").classes[0]
    assert c.capacity is not None
    ax.plot([0, 1], [0, 1], ":", color="#888888", linewidth=1)
    ax.plot(c.capacity.share, c.capacity.gain, color=COLOURS[0], linewidth=2, label=short(c.label, 30))
    _unit(figure, ax, "share of the rows that is looked at", f"share of {short(c.label, 30)} found")
    return figure


def _cost(result: Evaluation) -> Any:
    figure, axes = _figure(6.4, 4.6)
    ax, c = axes[0], _report(result, "cost").classes[0]
    assert c.capacity is not None
    costs, point = c.capacity.costs, c.operating_point
    at = costs.probability_cost
    ax.plot(at, [min(x, 1 - x) for x in at], ":", color="#888888", label="the better constant answer")
    ax.plot(at, costs.cost, color=COLOURS[0], linewidth=2, label="least cost over all thresholds")
    if costs.low is not None:
        ax.fill_between(at, costs.low, costs.high, color=COLOURS[0], alpha=0.15, linewidth=0)
    if point is not None and not math.isnan(point.tpr + point.fpr):
        line = operating_line(point.tpr, point.fpr, at.tolist())
        ax.plot(at, line, "--", color=COLOURS[1], label="the labels that are judged")
    ax.set(
        xlim=(0, 1),
        ylim=(0, None),
        xlabel="weight of misses: prior times cost, as a share",
        ylabel="normalised cost",
    )
    ax.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def _curve(ax: Any, curve: Curve, k: int, label: str, with_band: bool) -> None:
    ax.plot(curve.x, curve.y, color=COLOURS[k % 8], linestyle=DASHES[k % 8], linewidth=2, label=label)
    if curve.band is not None and with_band:
        ax.fill_between(
            curve.band.at, curve.band.low, curve.band.high, color=COLOURS[k % 8], alpha=0.15, linewidth=0
        )


def _stand(ax: Any, x: float, y: float, k: int) -> None:
    ax.plot([x], [y], "o", color=COLOURS[k % 8], markeredgecolor="black", markersize=8)


def _unit(figure: Any, ax: Any, x: str, y: str) -> None:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=x, ylabel=y)
    ax.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)


def _can_draw(result: Evaluation, kind: str) -> bool:
    if result.ranking is None:
        return False
    if kind == "threshold":
        return result.ranking.classes[0].sweep is not None
    if kind in ("gain", "cost"):
        return len(result.ranking.classes) == 1 and result.ranking.classes[0].capacity is not None
    return any(c.roc is not None for c in result.ranking.classes)


def _report(result: Evaluation, kind: str) -> RankingReport:
    if result.ranking is None or not _can_draw(result, kind):
        found = (
            "an evaluation of labels"
            if result.ranking is None
            else "scores of several classes, or of one class only"
        )
        raise InputError(
            f"the picture {kind!r} cannot be drawn",
            found=found,
            allowed="scores of a positive class and of others",
        )
    return result.ranking


OF_SCORES = ("roc", "precision_recall", "threshold", "gain", "cost")

KINDS = {
    "matrix": _matrix,
    "classes": _classes,
    "scale": _scale,
    "priors": _priors,
    "roc": _roc,
    "precision_recall": _precision_recall,
    "threshold": _threshold,
    "gain": _gain,
    "cost": _cost,
}
