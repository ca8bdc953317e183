"""Draw the figures of docs/concepts.md into docs/_static/concepts, from values that the library computes.

python -m tools.concept_figures
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import steelyard as sy

TARGET = Path(__file__).resolve().parents[1] / "docs" / "_static" / "concepts"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 270, 52, 136, 16, 46
COLOURS = ("#2563a8", "#c2410c", "#4d7c0f", "#7e22ce")
TEXT = "#333"
PREVALENCES = np.geomspace(0.001, 0.5, 61)
Line = tuple[str, Sequence[float]]


def prevalence() -> str:
    """Metrics of one classifier (recall 0.8, false positive rate 0.05) as its prevalence changes."""
    metrics = {
        "recall": "recall",
        "balanced accuracy": "balanced_accuracy",
        "F1": "f1",
        "precision": "precision",
    }
    lines = [(name, [_at(metric, 0.8, 0.05, p) for p in PREVALENCES]) for name, metric in metrics.items()]
    return line_chart(lines, np.log10(PREVALENCES), _percent_ticks(), "prevalence of the positive class")


def balanced() -> str:
    """The constant classifier that always predicts the majority class, as the other class becomes rarer."""
    metrics = {"accuracy": "accuracy", "balanced accuracy": "balanced_accuracy", "G-mean": "gmean"}
    lines = [(name, [_at(metric, 0.0, 0.0, p) for p in PREVALENCES]) for name, metric in metrics.items()]
    return line_chart(
        lines, np.log10(PREVALENCES), _percent_ticks(), "prevalence of the class never predicted"
    )


def relevance() -> str:
    """The weight of each class in a mean over classes, by prevalence, equal, and by two kinds of relevance."""
    classes, counts = ["ham", "spam", "phishing"], [600, 300, 100]
    order = sy.relevance.total_order(["ham", "spam", "phishing"])
    rare = sy.relevance.prevalence(sy.Confusion(np.diag(counts), labels=classes))
    weights = {"prevalence (accuracy)": counts, "equal (macro recall)": [1, 1, 1]}
    for name, by_class in (("total order", order), ("inverse prevalence", rare)):
        weights[name] = [float(score) for score in by_class.scores_of(classes)]
    shares = {name: [w / sum(row) for w in row] for name, row in weights.items()}
    return bar_chart(shares, classes)


def conditions() -> str:
    """Condition 2: the lowest AUROC-OVA by number of classes. Condition 3: macro recall and G-mean when one class fails."""
    sizes = np.arange(2, 13)
    values: dict[str, list[float]] = {"macro recall": [], "G-mean": [], "AUROC-OVA": []}
    for c in sizes:
        failing = np.diag(np.full(c, 10))
        failing[0, 0], failing[0, 1] = 0, 10
        values["macro recall"].append(float(sy.measure("macro_recall")(failing)))
        values["G-mean"].append(float(sy.measure("gmean")(failing)))
        wrong = np.roll(np.diag(np.full(c, 10)), 1, axis=1)
        values["AUROC-OVA"].append(float(sy.measure("auroc_ova")(wrong)))
    ticks = [(float(c), str(c)) for c in sizes]
    return line_chart(list(values.items()), sizes, ticks, "number of classes")


def design() -> str:
    """Intervals of one confusion matrix, with class counts that vary (sample) and that are held fixed."""
    cm = sy.Confusion([[15, 5], [12, 68]], labels=["fraud", "ok"])
    rows = []
    for metric in ("recall", "precision", "accuracy"):
        for kind in ("sample", "fixed"):
            interval = sy.interval(cm, metric, design=kind, positive="fraud", seed=1)[metric]
            rows.append(
                (f"{metric}, {kind}", interval.low, interval.estimate, interval.high, kind == "sample")
            )
    return interval_chart(rows, (0.3, 1.0), [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def coverage() -> str:
    """Forty simulated test sets with a true recall of 0.8: which 95% intervals cover it?"""
    random = np.random.default_rng(3)
    rows = []
    for _ in range(40):
        hits = int(random.binomial(50, 0.8))
        interval = sy.interval([[hits, 50 - hits], [10, 440]], "recall", draws=2000, seed=1)["recall"]
        rows.append(
            ("", interval.low, interval.estimate, interval.high, interval.low <= 0.8 <= interval.high)
        )
    return interval_chart(rows, (0.5, 1.0), [0.5, 0.6, 0.7, 0.8, 0.9, 1.0], true_value=0.8)


def _at(metric: str, recall: float, false_positive_rate: float, p: float) -> float:
    rows = [
        [p * recall, p * (1 - recall)],
        [(1 - p) * false_positive_rate, (1 - p) * (1 - false_positive_rate)],
    ]
    cm = sy.Confusion(1e6 * np.array(rows), labels=["positive", "negative"])
    return float(sy.measure(metric)(cm, positive="positive"))


def _percent_ticks() -> list[tuple[float, str]]:
    return [(math.log10(p), f"{100 * p:g}%") for p in (0.001, 0.01, 0.1, 0.5)]


def line_chart(lines: Sequence[Line], xs: Sequence[float], ticks: list[tuple[float, str]], label: str) -> str:
    """Lines from 0 to 1 with their names at their right ends, moved apart where they would overlap."""
    low, high = float(xs[0]), float(xs[-1])

    def across(x: float) -> float:
        return LEFT + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    parts = _axes(
        lambda y: _down(y), [0, 0.25, 0.5, 0.75, 1.0], [(across(x), text) for x, text in ticks], label
    )
    beside = _spread([_down(ys[-1]) for _, ys in lines])
    for (name, ys), at, colour in zip(lines, beside, COLOURS, strict=False):
        points = " ".join(f"{across(float(x)):.1f},{_down(y):.1f}" for x, y in zip(xs, ys, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{at + 4:.1f}" fill="{colour}">{name}</text>')
    return _svg(parts)


def bar_chart(rows: dict[str, list[float]], classes: list[str]) -> str:
    """One stacked bar for each weighting; its parts are the weights of the classes."""
    parts, step = [], (HEIGHT - TOP - BOTTOM) / len(rows)
    for i, (name, weights) in enumerate(rows.items()):
        y, start = TOP + i * step, 170.0
        parts.append(f'<text x="162" y="{y + step / 2 + 2:.1f}" text-anchor="end">{name}</text>')
        for weight, colour in zip(weights, COLOURS, strict=False):
            width = weight * (WIDTH - 190)
            bar = f'x="{start:.1f}" y="{y + 4:.1f}" width="{width:.1f}" height="{step - 14:.1f}"'
            parts.append(f'<rect {bar} fill="{colour}"/>')
            inside = f'x="{start + width / 2:.1f}" y="{y + step / 2 + 2:.1f}"'
            parts.append(f'<text {inside} text-anchor="middle" fill="#fff">{weight:.0%}</text>')
            start += width
    for i, (name, colour) in enumerate(zip(classes, COLOURS, strict=False)):
        parts.append(f'<text x="{170 + 110 * i}" y="{HEIGHT - 16}" fill="{colour}">■ {name}</text>')
    return _svg(parts)


def interval_chart(
    rows: list[tuple[str, float, float, float, bool]],
    span: tuple[float, float],
    ticks: list[float],
    true_value: float | None = None,
) -> str:
    """A horizontal bar with a dot for each interval; the colour says whether its flag is set."""

    def across(x: float) -> float:
        return 150 + (x - span[0]) / (span[1] - span[0]) * (WIDTH - 180)

    foot, step = HEIGHT - BOTTOM, (HEIGHT - TOP - BOTTOM) / len(rows)
    parts = [f'<path d="M150 {foot}H{WIDTH - 30}" stroke="{TEXT}" stroke-opacity=".5"/>']
    parts += [f'<text x="{across(x):.1f}" y="{foot + 18}" text-anchor="middle">{x:g}</text>' for x in ticks]
    if true_value is not None:
        x = across(true_value)
        parts.append(f'<path d="M{x:.1f} {TOP}V{foot}" stroke="{TEXT}" stroke-dasharray="4 3"/>')
    for i, (name, low, estimate, high, flag) in enumerate(rows):
        y, colour = TOP + (i + 0.5) * step, COLOURS[0] if flag else COLOURS[1]
        parts.append(
            f'<path d="M{across(low):.1f} {y:.1f}H{across(high):.1f}" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            f'<circle cx="{across(estimate):.1f}" cy="{y:.1f}" r="{min(4, step / 2.5):.1f}" fill="{colour}"/>'
        )
        if name:
            parts.append(f'<text x="142" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
    return _svg(parts)


def _down(value: float) -> float:
    return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)


def _spread(heights: list[float], distance: float = 16) -> list[float]:
    placed = list(heights)
    for i, j in zip(order := sorted(range(len(heights)), key=heights.__getitem__), order[1:], strict=False):
        placed[j] = max(placed[j], placed[i] + distance)
    return placed


def _axes(
    down: Callable[[float], float], levels: list[float], ticks: list[tuple[float, str]], label: str
) -> list[str]:
    foot = HEIGHT - BOTTOM
    parts = [
        f'<path d="M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}" fill="none" stroke="{TEXT}" stroke-opacity=".5"/>'
    ]
    parts += [f'<text x="{LEFT - 8}" y="{down(y) + 4:.1f}" text-anchor="end">{y:g}</text>' for y in levels]
    parts += [f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{text}</text>' for x, text in ticks]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*parts, f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{label}</text>']


def _svg(parts: list[str]) -> str:
    style = f'font-family="system-ui, sans-serif" font-size="13" fill="{TEXT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {style}>'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>', *parts, "</svg>", ""])


FIGURES: dict[str, Callable[[], str]] = {
    figure.__name__: figure for figure in (prevalence, balanced, relevance, conditions, design, coverage)
}

if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        (TARGET / f"{name}.svg").write_text(figure(), encoding="utf-8")
