"""Report of a threshold choice: the decision, the trade-off, and how certain the choice is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from steelyard._version import __version__
from steelyard.judgement.evaluate.first_screen import detected, false_alerts, one_decimal
from steelyard.judgement.metrics.sections import matrix_blocks
from steelyard.judgement.reproduction import command_text, fingerprint
from steelyard.judgement.threshold.result import Operating, Threshold
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import numbers
from steelyard.report.class_names import quoted
from steelyard.report.numbers import between, count, percent, shown, threshold_shown
from steelyard.report.sections import Block, Cell, Column, Report, Section, Sentence, Table, table_of
from steelyard.scores.delong import asked_of_backwards, is_surely_backwards
from steelyard.scores.requirements import ALERTS, Requirement
from steelyard.scores.threshold_selection import AppliedThreshold
from steelyard.scores.threshold_sweep import sweep

# A longer head would push the table beyond 80 columns.
LONGEST = 14
OTHER_FILE = "OTHER_FILE"
# Columns of every trade-off, which need no second one where such a metric is optimised.
SHOWN_ANYWAY = ("recall", "precision", ALERTS)


def report(result: Threshold) -> Report:
    """The choice, its alternatives, and what new rows would say."""
    best = result.best
    rows = count(float(result.scores.totals.sum()))
    rows = f"rows of weight {rows}" if result.scores.is_weighted else f"{rows} rows"
    title = f"{Path(result.source).name} · {rows} · threshold for class {quoted(best.positive)}"
    matrix = best.matrix if result.held_out is None else result.held_out.matrix
    parts = (
        Section("", tuple(verdict_blocks(result)), "brief", "verdict"),
        Section("What each threshold gives", (trade_off_table(result),), "brief", "trade-off-section"),
        Section("Uncertainty", tuple(uncertainty(result)), "brief", "sure"),
        *next_steps(result),
        Section(
            "Confusion matrix" if result.held_out is None else "Confusion matrix of the held-out rows",
            tuple(matrix_blocks(matrix)),
        ),
    )
    counted = fingerprint([sweep(result.scores, best.positive).matrices])
    return Report(title, parts, f"Steelyard {__version__}. Fingerprint of the counts: {counted}.")


def verdict_blocks(result: Threshold) -> Iterator[Block]:
    best, chosen = result.best, result.chosen
    rule = f"Predict {quoted(best.positive)} when score >= {threshold_shown(best.threshold)}"
    extreme = "lowest" if best.measure.better == "lower" else "highest"
    if result.decides_because:
        yield from _undecided(result)
    elif best.measure.better == "neither":
        yield Sentence(f"{rule}: the fewest alerts that meet the requirements.", "strong")
    else:
        among = " among the thresholds that meet the requirements" if result.requirements else ""
        yield Sentence(
            f"{rule}: {_named(best.measure)} is {extreme} there{among}, {shown(best.value)}.", "strong"
        )
    for judged in result.requirements:
        yield Sentence(
            f"{_capital(judged.requirement.words)}: {_amount(judged.requirement, judged.value)} on these"
            f" rows; met on new data with probability {percent(judged.probability)}."
        )
    if not result.decides_because:
        yield Sentence(_detects(result, chosen), "strong")
    if result.held_out is not None:
        yield from _held_out(result, result.held_out)
    if result.budget is not None:
        yield Sentence(f"{result.budget.words}.")
    choice = result.scores.positive_class()
    yield Sentence(f"Positive class: {quoted(choice.label)} ({choice.reason}).", "soft")
    area = float(look_up("roc_auc")(result.scores, positive=choice.label))
    if is_surely_backwards(area, float(min(result.scores.totals))):
        yield Sentence(asked_of_backwards(choice.label, area), "bad")


def _detects(result: Threshold, chosen: Operating) -> str:
    """What the threshold detects, and at what price, in counts."""
    hits = detected(result.best.positive, chosen.found, chosen.found + chosen.missed)
    if not chosen.alerts:
        return f"{hits}; it raises no alert."
    mixed = chosen.alerts not in (0, 1, chosen.false_alarms) and chosen.false_alarms
    at = "" if chosen.prior is None else " at your priors"
    price = f" (precision{at} {one_decimal(chosen.precision)})" if mixed else ""
    return f"{hits}; {false_alerts(chosen.false_alarms, chosen.alerts)}{price}."


def _undecided(result: Threshold) -> Iterator[Block]:
    """Nothing says what errors cost: the trade-off is shown, and what the primary metric assumes."""
    best, chosen = result.best, result.chosen
    name, ratio = _named(best.measure), result.false_alarms_per_miss
    needed = "that takes the costs of errors or a review capacity (see Next)"
    yield Sentence(f"No threshold is recommended: {needed}.", "strong")
    at = "" if chosen.prior is None else " at your priors"
    false = f"; {percent(1 - chosen.precision)} of the alerts would be false{at}" if chosen.alerts else ""
    highest = f"is highest at score >= {threshold_shown(best.threshold)} ({shown(best.value)})"
    yield Sentence(f"{name}, the primary metric, {highest}{false}.")
    if not math.isnan(ratio):
        alarms = count(round(ratio, 1 if ratio < 10 else 0))
        yield Sentence(
            f"Use it only if one missed {quoted(best.positive)} is as bad as {alarms} false"
            f" alarm{'' if alarms == '1' else 's'}: that is how {name} weights them on these rows."
        )


def next_steps(result: Threshold) -> Iterable[Section]:
    """What to do next, with a command to paste."""
    positive = result.best.positive
    other = next(label for label in result.best.matrix.labels if label != positive)
    steps: dict[str, tuple[str, str]] = {}
    if result.decides_because:
        costs = f"{positive}>{other}=200, {other}>{positive}=4"
        steps["Replace the costs of a miss (200) and of a false alarm (4) with your own:"] = ("cost", costs)
        if result.options.priors is None:  # a capacity is judged on the rows as they are
            steps["or say what share of the rows can be reviewed:"] = ("alerts", "1%")
    elif result.held_out is None:
        on_same = "The threshold was chosen and evaluated on the same rows."
        steps[f"{on_same} Evaluate it on rows it has not seen:"] = ("apply_to", OTHER_FILE)
    blocks: list[Block] = []
    for words, (name, value) in steps.items():
        # The same question with one more option, as the command line or Python asks it. A placeholder is a
        # name to replace, not a string.
        written = value if value == OTHER_FILE else repr(value)
        command = command_text("threshold", result.options, positive=positive, **{name: value})
        code = Sentence(command or f"sy.threshold(..., {name}={written})", "code")
        blocks += [Sentence(words), code]
    return [Section("Next", tuple(blocks), "brief", "next")] if steps else []


def trade_off_table(result: Threshold) -> Table:
    metric = result.best.measure

    def column(name: str, text: Callable[[Operating], str], depth: Any = "brief") -> Any:
        return Column(name, depth=depth), lambda row: Cell(text(row), "strong" if row.chosen else "plain")

    return table_of(
        result.trade_off,
        column("score >=", lambda row: f"{'* ' if row.chosen else ''}{threshold_shown(row.threshold)}"),
        column("alerts/1,000", lambda row: f"{1000 * row.alert_rate:.3g}"),
        column("detected", lambda row: count(row.found)),
        column("missed", lambda row: count(row.missed), "page"),
        column("false alarms", lambda row: count(row.false_alarms)),
        column("recall", lambda row: shown(row.recall)),
        column("precision", lambda row: shown(row.precision)),
        None if metric.name in SHOWN_ANYWAY else column(brief(metric), lambda row: shown(row.value)),
        identity="trade-off",
    )


def _named(measure: Measure) -> str:
    """The metric in a sentence."""
    if measure.id == ALERTS:
        return "the share of alerts"
    return "the expected cost per row" if measure.id == "expected_cost" else short_name(measure)


def _amount(required: Requirement, value: float) -> str:
    """A value of what is required, with digits enough to tell it from the bound."""
    if required.measure.id == ALERTS:
        return numbers.distinct_percents(value, required.bound)[0]
    return numbers.distinct_from(value, required.bound)


def _held_out(result: Threshold, applied: AppliedThreshold) -> Iterator[Block]:
    """The threshold, and what was required of it, on held-out rows."""
    (tp, fn), (fp, _) = np.asarray(applied.matrix.counts, dtype=np.float64).tolist()
    hits = detected(result.best.positive, tp, tp + fn)
    alerts = false_alerts(fp, tp + fp) if tp + fp else "it raises no alert"
    yield Sentence(f"On held-out rows: {hits[0].lower()}{hits[1:]}; {alerts}.", "strong")
    required = {judged.requirement.measure.name for judged in result.requirements}
    if result.best.measure.name not in required:
        why = f" ({applied.why_undefined})" if applied.why_undefined else ""
        is_share = result.best.measure.id == ALERTS
        value = percent(applied.value) if is_share else shown(applied.value)
        if applied.interval is not None and not is_share:
            level = 100 * (result.best.level or 0.95)
            why = f" ({level:g}% CI {between(*applied.interval)})"
        yield Sentence(f"On held-out rows {_named(result.best.measure)} is {value}{why}.", "strong")
    for judged in result.requirements:
        rule, there = judged.requirement, result.budget_held_out
        if rule.wording and there is not None:
            yield Sentence(f"On held-out rows {there.words}.", "strong" if there.is_kept else "bad")
        elif judged.held_out is not None:
            yield Sentence(
                f"{_capital(rule.name)} on held-out rows {_amount(rule, judged.held_out)}: the requirement of"
                f" {rule.limit} is {'met' if judged.kept_there else 'not met'} there.",
                "strong" if judged.kept_there else "bad",
            )


def brief(measure: Measure) -> str:
    """The measure over a narrow column."""
    if measure.id == "expected_cost":
        return "cost"
    name = short_name(measure)
    return measure.id if len(name) > LONGEST else name


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def uncertainty(result: Threshold) -> Iterator[Block]:
    best = result.best
    name = _named(best.measure)
    if best.threshold_interval is not None and best.value_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        ends = f"{threshold_shown(low)} to {threshold_shown(high)}"
        yield Sentence(
            f"{100 * best.level:g}% CI ({best.replicates} bootstrap samples): threshold {ends}, {name} on new"
            f" rows {between(*best.value_interval)}."
        )
    if best.bins is not None and best.bin_error is not None:
        source = "Thresholds are" if result.scores.starts is not None else "The samples choose among"
        # A bound that shows no digit is a small one.
        most = "less than 0.0005" if best.bin_error < 0.0005 else f"{shown(best.bin_error)} at most"
        bins = f"{source} the starts of {best.bins:,} bins of scores"
        yield Sentence(f"{bins}; inside a bin {name} is better by {most}.", "soft")
    if best.optimism is not None and result.held_out is None:  # held-out rows say it better
        lower = best.measure.better == "lower"
        expected = best.value + best.optimism if lower else best.value - best.optimism
        yield Sentence(
            "Chosen and evaluated on the same rows, the value is optimistic by about"
            f" {shown(best.optimism)}: expect about {shown(expected)} on new rows."
        )
    if result.held_out is None and best.optimism is None:
        yield Sentence(f"{_capital(best.note)}.", "soft")
    if best.next_lower is not None:
        yield Sentence(
            f"Every threshold above {threshold_shown(best.next_lower)} and up to"
            f" {threshold_shown(best.threshold)} gives the same predictions.",
            "soft",
        )
    if result.scores.dropped:
        yield Sentence(f"{count(result.scores.dropped)} rows without a score were left out.", "bad")
