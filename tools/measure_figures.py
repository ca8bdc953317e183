"""Figure of each metric page: the metric as a function of prevalence, for a classifier with fixed recall and specificity."""

from __future__ import annotations

import math

import numpy as np

import steelyard as sy
from steelyard.measures.measure import Measure

RECALL, FALSE_POSITIVE_RATE = 0.9, 1 / 30
"""The worked example: 90 of 100 frauds are detected, 30 of 900 other payments are false alarms."""
SHARES = 1 / (1 + np.exp(-np.linspace(math.log(1 / 999), math.log(999), 81)))
TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 250, 56, 14, 30, 44


def figure(m: Measure) -> list[str]:
    """A sentence and an SVG drawing, as lines of a page; nothing where the metric has no value at some prevalence."""
    if m.kind == "scores":
        return []
    values = np.array([_at(m, share) for share in SHARES])
    if not np.isfinite(values).all():
        return []
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-9:
        sentence = f"the value stays {_text(low)} at every prevalence of fraud"
    else:
        ends = f"{_text(values[0])} where one in a thousand is fraud, {_text(_at(m, 0.5))} where half are"
        sentence = f"the value changes with the prevalence of fraud: {ends}, {_text(values[-1])} where all but one in a thousand are"
    shown = f"A classifier with recall 90% and false positive rate 3.3%: {sentence}."
    return [shown, "", _drawing(m, values), ""]


def _at(m: Measure, share: float) -> float:
    row = (
        share * np.array([RECALL, 1 - RECALL]),
        (1 - share) * np.array([FALSE_POSITIVE_RATE, 1 - FALSE_POSITIVE_RATE]),
    )
    return float(m(sy.Confusion(1e6 * np.array(row), labels=["fraud", "ok"]), positive="fraud"))


def _drawing(m: Measure, values: np.ndarray) -> str:
    low, high = (float(end) for end in m.range.at(2))
    low = low if math.isfinite(low) else float(values.min())
    high = high if math.isfinite(high) and high < 1e3 else max(float(values.max()), low + 1e-9)
    low, high = min(low, float(values.min())), max(high, float(values.max()), low + 1e-9)

    def across(share: float) -> float:
        part = (math.log(share / (1 - share)) / math.log(999) + 1) / 2
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    line = " ".join(f"{across(s):.1f},{down(v):.1f}" for s, v in zip(SHARES, values, strict=True))
    foot = HEIGHT - BOTTOM
    parts = [
        f'<div><svg class="steelyard-measure" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{m.id} over the prevalence of fraud">',
        f'<path d="M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}" fill="none" stroke="currentColor" stroke-opacity=".5"/>',
    ]
    parts += [
        f'<text x="{across(share):.1f}" y="{foot + 17}" text-anchor="middle">{share * 100:g}%</text>'
        for share in TICKS
    ]
    parts += [
        f'<text x="{LEFT - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{_text(value)}</text>'
        for value in (low, (low + high) / 2, high)
    ]
    parts.append(
        f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 6}" text-anchor="middle">prevalence of fraud</text>'
    )
    parts.append(
        f'<polyline points="{line}" fill="none" stroke="var(--pst-color-primary)" stroke-width="2.5"/>'
    )
    here = f'cx="{across(0.1):.1f}" cy="{down(_at(m, 0.1)):.1f}"'
    parts.append(f'<circle {here} r="4" fill="var(--pst-color-primary)"/>')
    return "".join([*parts, "</svg></div>"])


def _text(value: float) -> str:
    return f"{value:.3g}"
