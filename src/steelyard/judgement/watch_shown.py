"""A watched stream: a line for each block, and a page with the lines of priors and measures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard._version import __version__
from steelyard.counts.labels import Label
from steelyard.judgement.watch import Look, Moved, Watch, shown_value
from steelyard.report.numbers import count, percent
from steelyard.report.page import html
from steelyard.report.page.drawing import Line, plain_lines

MOST_LINES = 8
"""Classes drawn as lines of their own: as many as there are colours and dashes."""
VISIBLE = 0.005
"""A part of a change that is worth a word on a line."""
MOST_ALARMS = 200
"""Alarms listed on a page; the rest is in the JSON."""


def text(result: Watch) -> str:
    """Every block on a line."""
    return "\n".join([f"Watch over {result.source}", *(line(look) for look in result.looks)])


def line(look: Look) -> str:
    """What one block shows, in one line."""
    rows = f"rows {look.first_row + 1:,} to {look.first_row + look.rows:,}"
    if look.number == 0:
        values = ", ".join(f"{m.measure.name} {shown_value(m.value)}" for m in look.moved)
        return f"{rows}: the reference; {values}"
    parts = [f"priors moved by {percent(look.prior_distance)}"]
    parts.append(", ".join(f"{m.measure.name} {_at_both_priors(m)}" for m in look.moved))
    if look.new_classes:
        parts.append("new classes: " + ", ".join(map(str, look.new_classes)))
    if look.alarms:
        more = f" and {len(look.alarms) - 2} more" if len(look.alarms) > 2 else ""
        parts.append("ALARM, class rates changed: " + "; ".join(map(str, look.alarms[:2])) + more)
    elif look.only_priors:
        parts.append(
            "moved only because the priors moved: " + ", ".join(m.measure.name for m in look.only_priors)
        )
    else:
        parts.append("no change of class rates")
    return f"{rows}: " + "; ".join(parts)


def _at_both_priors(m: Moved) -> str:
    """The value, and the one at the reference's priors where that differs in what is shown."""
    value, other = shown_value(m.value), shown_value(m.at_reference_priors)
    return value if abs(m.by_priors) < VISIBLE or value == other else f"{value} ({other} at reference priors)"


def fragment(result: Watch) -> str:
    return html.fragment(_body(result))


def page(result: Watch) -> str:
    return html.page(f"Watch over {result.source}", _body(result))


def _body(result: Watch) -> list[str]:
    body = [html.heading(f"Watch over {result.source}", 1)]
    if not result.looks:
        return [*body, html.paragraph("No block was complete yet.")]
    looks = result.looks
    alarmed = [look for look in looks if look.alarms]
    body.append(
        html.cards(
            [
                ("Rows", count(result.rows), f"in {len(looks):,} blocks"),
                ("Alarms", f"{len(alarmed):,}", "blocks in which class rates differ from the reference"),
                (
                    "Priors",
                    percent(looks[-1].prior_distance),
                    "of the rows changed class, last block against the reference",
                ),
            ]
        )
    )
    told = "the reference file" if result.given else "the first block"
    body.append(
        html.paragraph(
            f"The reference is {told}. An alarm is an exact test of every class rate; the probability of ever raising a false one is at most "
            f"{percent(result.alpha)}, however small the blocks and however many of them."
        )
    )
    ticks = _ticks(looks)
    markers = [(_middle(look), "alarm") for look in alarmed[:1]] + [
        (_middle(look), "") for look in alarmed[1:]
    ]
    body.append(html.heading("Class priors"))
    body.append(
        html.figure(
            plain_lines(_prior_lines(looks), ticks, "row", (0.0, 1.0), markers, "Class priors over time"),
            "Share of each class in each block.",
        )
    )
    body.append(html.heading("Measures"))
    for title, values, caption in (
        (
            "Measures as observed",
            "value",
            "As observed: changes of the priors and of the class rates together.",
        ),
        (
            "Measures at the reference's priors",
            "at_reference_priors",
            "At the priors of the reference: what moves here is the classifier.",
        ),
    ):
        lines = _measure_lines(looks, values)
        low = -1.0 if any(y < -0.05 for one in lines for y in one.ys if not math.isnan(y)) else 0.0
        body.append(html.figure(plain_lines(lines, ticks, "row", (low, 1.0), markers, title), caption))
    body.append(html.heading("Alarms"))
    rows = [
        (
            f"{look.first_row + 1:,}",
            str(a.truth),
            str(a.prediction),
            f"{a.rate:.3f}",
            f"{a.low:.3f} to {a.high:.3f}",
            f"{a.reference:.3f}",
            f"{a.examples:,}",
            f"{a.p:.2g}",
        )
        for look in alarmed
        for a in look.alarms
    ]
    if rows:
        header = ("from row", "truth", "prediction", "rate", "exact interval", "reference", "examples", "p")
        body.append(html.table(header, rows[:MOST_ALARMS], words=(1, 2), identity="alarms"))
        if len(rows) > MOST_ALARMS:
            body.append(html.paragraph(f"{len(rows) - MOST_ALARMS:,} more are in the JSON output.", "soft"))
    else:
        body.append(html.paragraph("None."))
    names = [m.measure.name for m in looks[-1].moved]
    titles = ("rows", "priors moved", *names, "what moved")
    body.append(html.heading("Blocks"))
    body.append(
        html.table(
            titles,
            [_row(look, names) for look in looks[-MOST_ALARMS:]],
            words=(len(titles) - 1,),
            identity="blocks",
        )
    )
    body.append(html.paragraph(f"Steelyard {__version__}", "soft"))
    return body


def _row(look: Look, names: Sequence[str]) -> list[object]:
    values = {
        m.measure.name: (shown_value(m.value), f"at reference priors {shown_value(m.at_reference_priors)}")
        for m in look.moved
    }
    if look.number == 0:
        words = "the reference"
    elif look.alarms:
        words = "class rates"
    else:
        words = "only the priors" if look.only_priors else ""
    return [
        f"{look.first_row + 1:,} to {look.first_row + look.rows:,}",
        percent(look.prior_distance),
        *(values.get(name, "") for name in names),
        words,
    ]


def _middle(look: Look) -> float:
    return look.first_row + look.rows / 2


def _ticks(looks: Sequence[Look]) -> list[tuple[float, str]]:
    first, last = _middle(looks[0]), _middle(looks[-1])
    steps = 4 if last > first else 0
    return (
        [(x, f"{x:,.0f}") for x in (first + (last - first) * i / steps for i in range(steps + 1))]
        if steps
        else [(first, f"{first:,.0f}")]
    )


def _prior_lines(looks: Sequence[Look]) -> list[Line]:
    labels: dict[Label, float] = {}
    for look in looks:
        for label, share in look.priors.items():
            labels[label] = max(labels.get(label, 0.0), share)
    kept = sorted(labels, key=lambda label: -labels[label])[:MOST_LINES]
    xs = [_middle(look) for look in looks]
    return [Line(str(label), xs, [look.priors.get(label, 0.0) for look in looks]) for label in kept]


def _measure_lines(looks: Sequence[Look], which: str) -> list[Line]:
    xs = [_middle(look) for look in looks]
    names = [m.measure.name for m in looks[-1].moved]
    found = [{m.measure.name: getattr(m, which) for m in look.moved} for look in looks]
    return [Line(name, xs, [values.get(name, math.nan) for values in found]) for name in names[:MOST_LINES]]
