"""Report of a threshold choice: the decision, the trade-off, and how certain the choice is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.judgement.evaluate.first_screen import detected, false_alerts
from steelyard.judgement.metrics.sections import matrix_blocks
from steelyard.judgement.reproduction import command_text, versions
from steelyard.judgement.threshold.result import Operating, Threshold
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.names import short_name
from steelyard.report import numbers
from steelyard.report.class_names import quoted
from steelyard.report.numbers import between, count, one_decimal, percent, shown, threshold_shown
from steelyard.report.sections import Block, Cell, Column, Finding, Report, Section, Sentence, table_of
from steelyard.scores.delong import asked_of_backwards, is_surely_backwards
from steelyard.scores.requirements import ALERTS, Requirement
from steelyard.scores.threshold_selection import AppliedThreshold
from steelyard.scores.threshold_sweep import AT_ONCE, sweep

OTHER_FILE = "OTHER_FILE"
# A requirement that new rows meet less often than this has a next step of its own.
ENOUGH = 0.9
# Columns of every trade-off, which need no second one where such a metric is optimised.
SHOWN_ANYWAY = ("recall", "precision", ALERTS)


def report(result: Threshold) -> Report:
    """The choice, its alternatives, and what new rows would say."""
    return replace(brief_report(result), footer=versions(counted(result)))


def brief_report(result: Threshold) -> Report:
    """The same without the fingerprint of the counts, which no terminal shows first."""
    rows = count(float(result.scores.totals.sum()))
    rows = f"rows of weight {rows}" if result.scores.is_weighted else f"{rows} rows"
    title = f"{Path(result.source).name} · {rows} · threshold for class {quoted(result.best.positive)}"
    matrix, of = result.best.matrix, ""
    if result.held_out is not None:
        matrix, of = result.held_out.matrix, " of the held-out rows"
    first = tuple(sentence for sentences in verdict(result).values() for sentence in sentences)
    steps: list[Block] = []
    for step in findings(result):
        what = "" if steps else f"{step.what} "
        steps += [Sentence(f"{what}{step.next.removesuffix('.')}:"), Sentence(step.command, "code")]
    parts = (
        Section("", first, "brief", "verdict"),
        Section("What each threshold gives", trade_off(result), "brief", "trade-off-section"),
        Section("Uncertainty", tuple(uncertainty(result)), "brief", "sure"),
        *([Section("Next", tuple(steps), "brief", "next")] if steps else []),
        Section(f"Confusion matrix{of}", tuple(matrix_blocks(matrix))),
    )
    return Report(title, parts)


def counted(result: Threshold) -> Iterator[Confusion]:
    """The counts at every threshold, in batches: together they would take four times the memory."""
    swept = sweep(result.scores, result.best.positive)
    for start in range(0, len(swept.thresholds), AT_ONCE):
        yield swept.at(slice(start, start + AT_ONCE))


def verdict(result: Threshold) -> dict[str, list[Sentence]]:
    """The choice, what it gives on its own and on held-out rows, and remarks."""
    best, held_out, choice = result.best, result.held_out, result.scores.positive_class()
    remarks = [Sentence(f"Positive class: {quoted(choice.label)} ({choice.reason}).", "soft")]
    area = float(look_up("roc_auc")(result.scores, positive=choice.label))
    if is_surely_backwards(area, float(min(result.scores.totals))):
        remarks.append(Sentence(asked_of_backwards(choice.label, area), "bad"))
    here = [
        Sentence(
            f"{_capital(judged.requirement.words)}: {_amount(judged.requirement, judged.value)} on these"
            f" rows; probability that the true"
            f" {'share of alerts' if judged.requirement.measure.id == ALERTS else judged.requirement.name}"
            f" is {judged.requirement.limit}: {percent(judged.probability)}."
        )
        for judged in result.requirements
    ]
    if result.budget is not None:
        here.append(Sentence(f"{result.budget.words}."))
    if not result.decides_because:
        here.append(Sentence(_detects(best.positive, result.chosen), "strong"))
    return {
        "choice": list(_undecided(result) if result.decides_because else _chosen(result)),
        "here": here,
        "held out": [] if held_out is None else list(_held_out(result, held_out)),
        "remarks": remarks,
    }


def _chosen(result: Threshold) -> Iterator[Sentence]:
    best = result.best
    why = "the fewest alerts that meet the requirements"
    if best.measure.better != "neither":
        extreme = "lowest" if best.measure.better == "lower" else "highest"
        among = " among the thresholds that meet the requirements" if result.requirements else ""
        why = f"{_named(best.measure)} is {extreme} there{among}, {shown(best.value)}"
    rule = f"Predict {quoted(best.positive)} when score >= {threshold_shown(best.threshold)}"
    yield Sentence(f"{rule}: {why}.", "strong")


def _detects(positive: Label, at: Operating) -> str:
    """What a threshold detects, and at what price, in counts."""
    hits = detected(positive, at.found, at.found + at.missed)
    if not at.alerts:
        return f"{hits}; it raises no alert."
    mixed = at.alerts != 1 and 0 < at.false_alarms < at.alerts
    where = "" if at.prior is None else " at your priors"
    price = f" (precision{where} {one_decimal(at.precision)})" if mixed else ""
    return f"{hits}; {false_alerts(at.false_alarms, at.alerts)}{price}."


def _undecided(result: Threshold) -> Iterator[Sentence]:
    """Nothing says what errors cost: the trade-off is shown, and what the primary metric assumes."""
    best, chosen = result.best, result.chosen
    name, ratio = _named(best.measure), result.false_alarms_per_miss
    needed = "that requires the costs of errors or a review capacity"
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


def findings(result: Threshold) -> list[Finding]:
    """What to do next, with a command to paste: the same question with one more option."""
    kind: Literal["warning", "note"] = "warning" if result.decides_because else "note"
    steps = []
    for option, value, what, why, do in _next_steps(result):
        # A placeholder is a name to replace, not a string.
        written = value if value == OTHER_FILE else repr(value)
        command = command_text("threshold", result.options, positive=result.best.positive, **{option: value})
        steps.append(Finding(kind, what, why, do, command or f"sy.threshold(..., {option}={written})"))
    return steps


def _next_steps(result: Threshold) -> Iterator[tuple[str, Any, str, str, str]]:
    """Options that would say more: name and value, what was found, why it matters and what to do."""
    positive = result.best.positive
    if result.decides_because:
        other = next(label for label in result.best.matrix.labels if label != positive)
        yield (
            "cost",
            f"{positive}>{other}=200, {other}>{positive}=4",
            "No costs of errors were given.",
            "The primary metric weighs errors in its own way, which is probably not what they cost you.",
            "Replace the costs of a miss (200) and of a false alarm (4) with your own.",
        )
        if result.options.priors is None:  # a capacity is judged on the rows as they are
            yield (
                "alerts",
                "1%",
                "Nothing says how many alerts can be reviewed.",
                "A review capacity sets the threshold where costs are not known.",
                "Or say what share of the rows can be reviewed.",
            )
    elif result.options.confidence is None and any(r.probability < ENOUGH for r in result.requirements):
        yield (
            "confidence",
            0.95,
            "The requirement is met on these rows, but perhaps not on new rows.",
            "The threshold lies where it is just met, so chance decides about new rows.",
            "Ask for a threshold that meets it on new rows with 95% confidence.",
        )
    elif result.held_out is None:
        yield (
            "apply_to",
            OTHER_FILE,
            "The threshold was chosen and evaluated on the same rows.",
            "On new rows the values are usually worse than those shown here.",
            f"Evaluate it on rows it has not seen (replace {OTHER_FILE} with their file).",
        )


def trade_off(result: Threshold) -> tuple[Block, ...]:
    """What thresholds give, and which of them is marked."""
    metric, chosen = result.best.measure, result.chosen
    at = "" if chosen.prior is None else " at your priors"
    positives = chosen.found + chosen.missed
    negatives = float(result.scores.totals.sum()) - positives
    optimised = short_name(metric).partition(" at priors ")[0]

    def column(name: str, text: Callable[[Operating], str], depth: Any = "brief") -> Any:
        return Column(name, depth=depth), lambda row: Cell(text(row), "strong" if row.chosen else "plain")

    table = table_of(
        result.trade_off,
        column("score >=", lambda row: f"{'* ' if row.chosen else ''}{threshold_shown(row.threshold)}"),
        column(f"alerts per 1,000 rows{at}", lambda row: f"{1000 * row.alert_rate:.3g}"),
        column(f"detected (of {count(positives)})", lambda row: count(row.found)),
        column(f"missed (of {count(positives)})", lambda row: count(row.missed), "page"),
        column(f"false alarms (of {count(negatives)})", lambda row: count(row.false_alarms)),
        column("recall", lambda row: shown(row.recall)),
        column(f"precision{at}", lambda row: shown(row.precision)),
        None if metric.name in SHOWN_ANYWAY else column(f"{optimised}{at}", lambda row: shown(row.value)),
        identity="trade-off",
    )
    mark = f"highest {_named(metric)}" if result.decides_because else "chosen threshold"
    return table, Sentence(f"* {mark}", "soft")


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


def _held_out(result: Threshold, applied: AppliedThreshold) -> Iterator[Sentence]:
    """The threshold, and what was required of it, on held-out rows."""
    (tp, fn), (fp, _) = np.asarray(applied.matrix.counts, dtype=np.float64).tolist()
    there = _detects(result.best.positive, Operating(result.best.threshold, tp, fn, fp, 0.0, math.nan))
    source = result.options.apply_to
    file = f"{Path(source).name}, " if isinstance(source, (str, Path)) else ""
    rows = f"{file}{count(float(applied.matrix.total))} rows"
    yield Sentence(f"On held-out rows ({rows}): {there[0].lower()}{there[1:]}", "strong")
    metric = result.best.measure
    if metric.name not in {judged.requirement.measure.name for judged in result.requirements}:
        why = f" ({applied.why_undefined})" if applied.why_undefined else ""
        is_share = metric.id == ALERTS
        value = percent(applied.value) if is_share else shown(applied.value)
        if applied.interval is not None and not is_share:
            why = f" ({100 * (result.best.level or 0.95):g}% CI {between(*applied.interval)})"
        yield Sentence(f"On held-out rows {_named(metric)} is {value}{why}.", "strong")
    for judged in result.requirements:
        rule, budget = judged.requirement, result.budget_held_out
        if rule.wording and budget is not None:
            yield Sentence(f"On held-out rows {budget.words}.", "strong" if budget.is_kept else "bad")
        elif judged.held_out is not None:
            yield Sentence(
                f"{_capital(rule.name)} on held-out rows {_amount(rule, judged.held_out)}: the requirement of"
                f" {rule.limit} is {'met' if judged.kept_there else 'not met'} there.",
                "strong" if judged.kept_there else "bad",
            )


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def uncertainty(result: Threshold) -> Iterator[Block]:
    best = result.best
    name = _named(best.measure)
    if best.threshold_interval is not None and best.value_interval is not None and best.level is not None:
        low, high = best.threshold_interval
        ends = f"{threshold_shown(low)} to {threshold_shown(high)}"
        value = f", {name} on new rows {between(*best.value_interval)}"
        if result.held_out is not None and result.held_out.interval is not None:
            value = ""  # held-out rows have an interval of their own
        samples = f"{best.replicates} bootstrap samples"
        yield Sentence(f"{100 * best.level:g}% CI ({samples}): threshold {ends}{value}.")
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
