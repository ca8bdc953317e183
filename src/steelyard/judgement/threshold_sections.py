"""What is said of a chosen threshold: the trade-off first, then how sure the choice is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard._version import __version__
from steelyard.judgement.evaluate.verdict import false_alerts
from steelyard.judgement.fingerprint import fingerprint
from steelyard.judgement.live import curve_of, live_section
from steelyard.judgement.weighing_sections import matrix_blocks
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.short_names import short_name
from steelyard.report.numbers import apart, between, count, percent, percents_apart, shown, threshold_shown
from steelyard.report.page.drawing import Line, log_lines
from steelyard.report.sections import (
    Block,
    Cell,
    Column,
    Picture,
    Report,
    Section,
    Sentence,
    Table,
    Tone,
    number_columns,
)
from steelyard.scores.areas import asked_of_backwards, is_surely_backwards
from steelyard.scores.requirements import ALERTS
from steelyard.scores.sweep import sweep

if TYPE_CHECKING:
    from steelyard.judgement.threshold import Operating, Thresholding
    from steelyard.measures.measure import Measure
    from steelyard.scores.requirements import Requirement
    from steelyard.scores.thresholds import AppliedThreshold

RATE_TICKS = ((1.0, "100 %"), (0.1, "10 %"), (0.01, "1 %"), (0.001, "0.1 %"), (0.0001, "0.01 %"))
LONGEST = 14
SHOWN_FIRST = ("gmean", "recall", "precision", "f_beta", "mcc")
"""Beside the measure that chooses, when a reader moves the threshold."""
SHOWN_ANYWAY = ("recall", "precision", ALERTS)
"""Columns of every trade-off, which need no second one where such a measure chooses."""
MOST_POINTS = 400
"""Points of a curve: more would not be seen."""


def threshold_report(result: Thresholding) -> Report:
    """The choice, its alternatives, and what new rows would say."""
    best = result.best
    title = (
        f"{Path(result.source).name} · {count(float(result.scores.totals.sum()))} rows · threshold for"
        f" {best.positive}"
    )
    sections = (
        Section("", tuple(_verdict(result)), "brief", "verdict"),
        Section("What each threshold gives", (_trade_off(result),), "brief", "trade-off-section"),
        *_live(result),
        Section("How sure", tuple(_sure(result)), "brief", "sure"),
        Section(
            "The trade-off as a picture",
            (
                Picture(
                    lambda: _picture(result),
                    "From left to right fewer rows are called: what is found falls, what is right among the "
                    "alerts rises. The axis is logarithmic, so that rare events are visible.",
                    "shares",
                ),
            ),
            "page",
        ),
        Section(
            "Confusion matrix",
            tuple(matrix_blocks(best.matrix if result.applied is None else result.applied.matrix)),
        ),
    )
    counted = fingerprint([sweep(result.scores, best.positive).matrices])
    return Report(title, sections, f"Steelyard {__version__}. Fingerprint of the counts: {counted}.")


def _live(result: Thresholding) -> Iterable[Section]:
    """Every other threshold, with other shares of the classes and other costs."""
    best = result.best
    matrix = best.matrix
    first = {m.name: m for m in (best.measure, *(look_up(name) for name in SHOWN_FIRST))}
    return live_section(
        {Path(result.source).name or "scores": matrix},
        list(first.values()),
        positive=best.positive,
        curve=curve_of(result.scores, best.positive, best.threshold),
    )


def _verdict(result: Thresholding) -> Iterator[Block]:
    best, chosen = result.best, next(row for row in result.trade_off if row.chosen)
    verb = "lowest" if best.measure.better == "lower" else "highest"
    at = f"Call {best.positive} at scores of at least {threshold_shown(best.threshold)}"
    if best.measure.better == "neither":
        yield Sentence(f"{at}: the fewest alerts that keep what is required.", "strong")
    else:
        among = " among those that keep what is required" if result.kept else ""
        yield Sentence(
            f"{at}: {_named(best.measure)} is {verb} there{among}, {shown(best.value)}.",
            "strong",
        )
    for one in result.kept:
        yield Sentence(
            f"{_capital(one.requirement.words)}: {_amount(one.requirement, one.value)} here; on new data it"
            f" is kept with probability {percent(one.probability)}."
        )
    alerts = false_alerts(chosen.false_alarms, chosen.alerts)
    wrong = "" if chosen.alerts in (0, 1, chosen.false_alarms) else f" ({percent(1 - chosen.precision)})"
    examples = chosen.found + chosen.missed
    yield Sentence(
        f"Finds {count(chosen.found)} of {count(examples)} {best.positive} ({percent(chosen.recall)}); "
        + (f"{alerts}{wrong}." if chosen.alerts else "it raises no alert."),
        "strong",
    )
    if result.budget is not None:
        yield Sentence(f"{result.budget.words}.")
    choice = result.scores.positive_class()
    yield Sentence(f"Positive class: {choice.label} ({choice.reason}).", "soft")
    area = float(look_up("roc_auc")(result.scores, positive=choice.label))
    if is_surely_backwards(area, float(min(result.scores.totals))):
        yield Sentence(asked_of_backwards(choice.label, area), "bad")
    if result.decides_because:
        yield Sentence(f"{_named(best.measure)} decides: {result.decides_because}.", "soft")


def _trade_off(result: Thresholding) -> Table:
    own = result.best.measure.name not in SHOWN_ANYWAY
    return Table(
        (
            *number_columns("score from", "alerts per 1,000", "found"),
            Column("missed", depth="page"),
            Column("false alarms"),
            *number_columns("recall", "precision", *([_brief(result.best.measure)] if own else [])),
        ),
        tuple(_row(row)[: None if own else -1] for row in result.trade_off),
        identity="trade-off",
        bound="shares",
    )


def _row(row: Operating) -> tuple[Cell | str, ...]:
    tone: Tone = "strong" if row.chosen else "plain"
    cells = (
        f"> {threshold_shown(row.threshold)}" if row.chosen else threshold_shown(row.threshold),
        f"{1000 * row.alert_rate:.3g}",
        count(row.found),
        count(row.missed),
        count(row.false_alarms),
        shown(row.recall),
        shown(row.precision),
        shown(row.value),
    )
    return tuple(Cell(text, tone) for text in cells)


def _named(measure: Measure) -> str:
    """The measure in a sentence; costs were said already."""
    if measure.id == ALERTS:
        return "the share of alerts"
    return "the cost of a row" if measure.id == "expected_cost" else short_name(measure)


def _amount(asked: Requirement, value: float) -> str:
    """A value of what is required, with digits enough to tell it from the bound."""
    if asked.measure.id == ALERTS:
        return percents_apart(value, asked.bound)[0]
    return apart(value, asked.bound)


def _held_out(result: Thresholding, applied: AppliedThreshold) -> Iterator[Block]:
    """What other rows say of the threshold, and of what was required of it."""
    required = {one.requirement.measure.name for one in result.kept}
    if result.best.measure.name not in required:
        why = f" ({applied.why_undefined})" if applied.why_undefined else ""
        value = percent(applied.value) if result.best.measure.id == ALERTS else shown(applied.value)
        words = f"On held-out rows {_named(result.best.measure)} is {value}{why}."
        yield Sentence(words, "strong")
    for one in result.kept:
        asked, there = one.requirement, result.budget_held_out
        if asked.said and there is not None:
            yield Sentence(f"On held-out rows {there.words}.", "strong" if there.kept else "bad")
        elif one.held_out is not None:
            kept = "kept" if one.kept_there else "not kept"
            yield Sentence(
                f"{_capital(asked.name)} on held-out rows {_amount(asked, one.held_out)}: the requirement of"
                f" {asked.limit} is {kept} there.",
                "strong" if one.kept_there else "bad",
            )


def _brief(measure: Measure) -> str:
    """The measure over a narrow column."""
    if measure.id == "expected_cost":
        return "cost"
    name = short_name(measure)
    return measure.id if len(name) > LONGEST else name


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _at_most(error: float) -> str:
    """A bound in words; one that shows no digit is a small one."""
    return "less than 0.0005" if error < 0.0005 else f"{shown(error)} at most"


def _sure(result: Thresholding) -> Iterator[Block]:
    best = result.best
    if best.threshold_interval is not None and best.value_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        yield Sentence(
            f"{100 * best.level:g} % intervals ({best.replicates} bootstrap samples): threshold"
            f" {threshold_shown(low)} to {threshold_shown(high)}, {_named(best.measure)} on new rows"
            f" {between(*best.value_interval)}."
        )
    if best.bins is not None and best.bin_error is not None:
        chosen_from = "Thresholds are" if result.scores.starts is not None else "The samples choose among"
        yield Sentence(
            f"{chosen_from} the starts of {best.bins:,} bins of scores; inside a bin {_named(best.measure)}"
            f" is better by {_at_most(best.bin_error)}.",
            "soft",
        )
    if best.optimism is not None:
        lower = best.measure.better == "lower"
        expected = best.value + best.optimism if lower else best.value - best.optimism
        yield Sentence(
            f"Chosen and judged on the same rows it looks better than it is, by about {shown(best.optimism)}:"
            f" expect about {shown(expected)} on new rows."
        )
    if result.applied is not None:
        yield from _held_out(result, result.applied)
    elif best.optimism is not None:
        yield Sentence("Rows that it was not chosen on judge it fairly.", "soft")
    else:
        yield Sentence(f"{_capital(best.note)}; rows that it was not chosen on judge it fairly.", "soft")
    if best.next_lower is not None:
        yield Sentence(
            f"Every threshold above {threshold_shown(best.next_lower)} and up to"
            f" {threshold_shown(best.threshold)} gives the same labels.",
            "soft",
        )
    if result.scores.dropped:
        yield Sentence(f"{count(result.scores.dropped)} rows without a score were left out.", "bad")


def _picture(result: Thresholding) -> str:
    swept = sweep(result.scores, result.best.positive)
    cells = swept.matrices.counts.astype(float)
    called = (cells[:, 0, 0] + cells[:, 1, 0]) / cells[0].sum()
    kept = [k for k, rate in enumerate(called) if rate >= RATE_TICKS[-1][0]]
    step = max(1, len(kept) // MOST_POINTS)
    kept = kept[::step][::-1]  # a curve is labelled where it ends, at the right
    xs = [float(called[k]) for k in kept]
    found = [float(cells[k, 0, 0] / cells[k, 0].sum()) for k in kept]
    right = [float(cells[k, 0, 0] / (cells[k, 0, 0] + cells[k, 1, 0])) for k in kept]
    lines = [Line("recall", xs, found), Line("precision", xs, right)]
    measure = result.best.measure
    low, high = measure.range.at(2)
    if (low, high) == (0, 1) and measure.id not in ("recall", "precision"):
        values = swept.values(measure)
        lines.append(Line(_brief(measure), xs, [float(values[k]) for k in kept], strong=True))
    chosen = next(row for row in result.trade_off if row.chosen)
    marker = (max(chosen.alert_rate, RATE_TICKS[-1][0]), "chosen") if chosen.alert_rate else None
    words = "share of the rows that are called"
    return log_lines(lines, RATE_TICKS, words, (0.0, 1.0), marker, "Trade-off", "alerts")
