"""Quality gate: hold metrics against limits by their confidence intervals."""

# A limit is met if the whole interval meets it, violated if the whole interval violates it, and the rule is
# inconclusive otherwise. A drop against a baseline is judged by the interval of the difference, made of the
# two intervals by Newcombe's square-and-add method (newcombe1998, method 10), as of independent samples;
# where a key matches the rows of two files, by the paired comparison, or delong1988's test of the area under
# the curve.

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import read_labels
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.gate.limits import Kind, Rule, read_rules
from steelyard.judgement.gate.options import Options
from steelyard.judgement.gate.result import By, Gate, Outcome, Ruling
from steelyard.judgement.gate.values import Figures, Finder, Judged, baseline, metric_finder, paired_drops
from steelyard.judgement.label_errors import Fragility, fragility_of_limit
from steelyard.parameters import checked, public_function
from steelyard.uncertainty.stratified_sample import ASSUMED as STRATIFIED


@public_function(Options)
def gate(options: Options) -> Gate:
    """Hold a classifier's metrics against limits; `data` and `y_pred` are what `evaluate` takes.

    `min`, `max` and `max_drop` map a metric, its name, or its name with a class such as "recall[fraud]",
    to its limit. `against` is the baseline of `max_drop`: the JSON of an evaluation, a mapping of names to
    values, or what `evaluate` takes.

    >>> import steelyard as sy
    >>> limits = {"recall[fraud]": 0.6, "gmean": 0.92}
    >>> result = sy.gate([[90, 10], [30, 870]], labels=["fraud", "ok"], min=limits)
    >>> [ruling.outcome for ruling in result.rulings], result.exit_code
    (['passed', 'inconclusive'], 3)
    """
    options = _with_rules(options)
    rules = _rules(options)
    drops = any(rule.kind == "max_drop" for rule in rules)
    if drops == (options.against is None):
        max_drop, against = parameter("max_drop"), parameter("against")
        raise InputError(
            "a drop is judged against a baseline",
            found=f"{max_drop} without {against}" if drops else f"{against} without {max_drop}",
            do="give both, or neither",
        )
    if (options.data is None) == (options.matrix is None):
        raise InputError(
            "one classifier is judged at a time",
            found="neither a file nor a matrix" if options.data is None else "a file and a matrix",
            do=f"give a file, or {parameter('matrix')}",
        )
    return _judged(options, rules, options.matrix if options.data is None else options.data, drops)


def _with_rules(options: Options) -> Options:
    """The options with what a file of rules says; what is given beside the file goes before it."""
    if options.rules is None:
        return options
    table = read_rules(options.rules)
    if isinstance(table.get("labels"), str):
        table["labels"] = read_labels(table["labels"])
    if options.data is None and options.matrix is None:
        options = replace(options, data=table.get("source"))
    limits: dict[str, Any] = {
        kind: {**table.get(kind.replace("_", "-"), {}), **(getattr(options, kind) or {})}
        for kind in get_args(Kind)
    }
    if "slice" in table and not options.slices:
        listed = table.pop("slice")
        options = replace(options, slices=(listed,) if isinstance(listed, str) else tuple(listed))
    settings: dict[str, Any] = {
        name: value
        for name, value in table.items()
        if hasattr(options, name) and name not in ("min", "max") and getattr(options, name) is None
    }
    return checked(replace(options, **settings, **limits))


def _rules(options: Options) -> list[Rule]:
    rules = []
    for kind in get_args(Kind):
        limits = getattr(options, kind) or {}
        if not hasattr(limits, "items"):
            example = f'a mapping such as {kind}={{"gmean": 0.8}}'
            written = f"{kind}={limits!r}"
            raise InputError("limits are given by metric", found=written, allowed=example, parameter=kind)
        rules += [Rule.parsed(kind, name, limit).checked() for name, limit in limits.items()]
    if not rules:
        names = f"{parameter('min')}, {parameter('max')} or {parameter('max_drop')}"
        raise InputError("there is nothing to decide", found="no rule", do=f"name a metric with {names}")
    return rules


def _judged(options: Options, rules: list[Rule], data: Any, drops: bool) -> Gate:
    by: By = options.by or "interval"
    level, against = options.level or 0.95, options.against
    reading = {
        name: getattr(options, name)
        for name in ("truth", "pred", "score", "threshold", "labels", "weight", "engine", "spark_master")
        if getattr(options, name) is not None
        and not (options.data is None and name in ("truth", "pred", "weight"))
    }
    reading["missing"] = options.missing or "error"
    if any(rule.of_costs for rule in rules):
        if options.cost is None:
            do = f"say what errors cost with {parameter('cost', '...')}"
            raise InputError("the expected cost needs costs", found="none", do=do)
        intervals = {"interval": "none" if by == "point" else "auto", "level": level, "seed": options.seed}
        reading |= {"cost": options.cost, **intervals}
    else:
        reading["interval"] = "none"
    evaluation = evaluate(data, options.y_pred, positive=options.positive, slices=options.slices, **reading)
    judged, notes = Judged.of(evaluation, rules), [*evaluation.labels_come_from]
    matrix, positive = evaluation.matrix, options.positive
    # The positive class is chosen once, so that a baseline with another prevalence means the same class.
    if positive is None and evaluation.positive is not None and matrix.n_classes == 2:
        choice = evaluation.positive
        positive = choice.label
        if choice.guessed and any(rule.measure.kind != "multi-class" and rule.of is None for rule in rules):
            notes.append(f'Positive class: "{choice.label}" ({choice.reason}).')
    sample = judged.strata
    if sample is not None and (options.slices or options.key is not None):
        excluded = parameter("slices") if options.slices else parameter("key")
        raise InputError("an audit sample is judged as a whole", found=excluded, do="leave it out")
    if by == "interval" and matrix.counts.dtype.kind != "i" and sample is None:
        do = f"use {parameter('by', 'point')}"
        raise InputError("weighted counts have no interval", found="sums of weights", do=do)
    find = metric_finder(by, level, options.draws, options.seed, positive)
    before = None if against is None else baseline(against, find, positive, reading, rules)
    paired = paired_drops(options, rules, data, level, positive) if drops and by == "interval" else {}
    if drops and isinstance(against, (str, Path)) and by == "interval" and not paired:
        notes.append(
            "The baseline and these predictions are treated as independent samples. If they are predictions"
            " of the same rows, a key column (--key) pairs them and gives a narrower interval of the drop."
        )
    rulings = [_ruled(rule, judged, find, before, by, paired.get(rule.canonical)) for rule in rules]
    if sample is None:
        rulings = [
            replace(ruling, fragility=_fragility(ruling, matrix, find, positive)) for ruling in rulings
        ]
    else:
        notes.append(STRATIFIED)
    slices, columns = evaluation.counted.slices, evaluation.counted.slice_columns
    # Slices can fail a gate but not leave it open: small slices are inconclusive as a rule.
    # Of many slices some would fail by chance: Bonferroni's correction keeps that at 1 - level together.
    each = 1 - (1 - level) / max(1, len(slices))
    find = metric_finder(by, each, options.draws, options.seed, positive)
    if slices and by == "interval":
        notes.append(f"Intervals in slices: {100 * each:.4g}% each (Bonferroni's correction).")
    if lacking := sum(not (counts.actual > 0).all() for counts in slices.values()):
        notes.append(
            f"Slices without an example of every class are left out: {lacking:,} of {len(slices):,}."
        )
    for names, counts in slices.items():
        name = ", ".join(f"{column}={value}" for column, value in zip(columns, names, strict=True))
        # Limits on labels hold in every slice that has an example of each class.
        rulings += [
            replace(_ruled(rule, Judged(counts), find, None, by), slice=name)
            for rule in rules
            if _of_labels(rule) and (counts.actual > 0).all()
        ]
    files = tuple(str(file) for file in (evaluation.source, against) if isinstance(file, (str, Path)))
    return Gate(evaluation.source, by, level, matrix, tuple(rulings), tuple(notes), files)


def _of_labels(rule: Rule) -> bool:
    return not (rule.kind == "max_drop" or rule.of_costs or rule.measure.kind == "scores")


def _fragility(ruling: Ruling, matrix: Confusion, find: Finder, positive: Label | None) -> Fragility | None:
    """How few wrong labels would move the value across the limit, or its interval onto it."""
    rule = ruling.rule
    if not _of_labels(rule) or ruling.why:
        return None

    def meets(value: float) -> bool:
        return value >= rule.limit if rule.kind == "min" else value <= rule.limit

    def reaches(relabelled: Confusion) -> bool:
        _, low, high, *_ = find(rule, Judged(relabelled))
        return _outcome(rule, low, high) == "inconclusive"

    label = positive if rule.of is None else rule.of
    return fragility_of_limit(matrix, rule.measure, label, rule.limit, meets, reaches)


def _ruled(
    rule: Rule,
    judged: Judged,
    find: Finder,
    before: Callable[[Rule], Figures] | None,
    by: By,
    paired: tuple[float, float, float] | None = None,
) -> Ruling:
    if rule.kind == "max_drop" and before is not None and paired is not None:
        value, low, high = paired
        outcome, more = _outcome(rule, low, high), None
        if outcome == "inconclusive" and not math.isnan(low):
            more = _more(abs(rule.limit - value), max(value - low, high - value), 0.0, judged.labelled)
        return Ruling(rule, outcome, value, low, high, before(rule)[0], more, None, "paired")
    now, matrix = find(rule, judged), judged.matrix
    baseline, why, (value, low, high) = None, now[3], now[:3]
    if rule.kind == "max_drop" and before is not None:
        recorded = before(rule)
        baseline, why = recorded[0], why or recorded[3]
        value, low, high = _dropped(recorded[:3], now[:3], rule.measure.better == "lower")
    outcome = _outcome(rule, low, high)
    if by == "point" or outcome != "inconclusive" or why:
        return Ruling(rule, outcome, value, low, high, baseline, why=why)
    # Only the side of the interval towards the limit decides, and more examples shorten it.
    towards_low = rule.limit < value
    reach = value - low if towards_low else high - value
    # Newcombe's square-and-add: what the baseline contributes is left after the own part is taken out. A drop
    # grows as the value falls.
    falls = rule.kind == "max_drop" and rule.measure.better != "lower"
    part_of_now = now[0] - now[1] if towards_low != falls else now[2] - now[0]
    fixed = math.sqrt(max(reach**2 - part_of_now**2, 0.0))
    more, of_class = _more(abs(rule.limit - value), reach, fixed, judged.labelled), None
    if more is None:
        why = "the value equals the limit: no number of examples decides it"
        if fixed:
            why = "the baseline needs more rows: its interval is too wide, and more rows here would not help"
    elif rule.of is not None:
        of_class = math.ceil(more * float(matrix.actual[matrix.index(rule.of)]) / float(matrix.total))
    return Ruling(rule, outcome, value, low, high, baseline, more, of_class, why)


def _dropped(
    then: tuple[float, float, float], now: tuple[float, float, float], lower_is_better: bool
) -> tuple[float, float, float]:
    """The drop from then to now with its interval, by square-and-add (newcombe1998, method 10)."""
    (a, low_a, high_a), (b, low_b, high_b) = (now, then) if lower_is_better else (then, now)
    return a - b, a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def _outcome(rule: Rule, low: float, high: float) -> Outcome:
    if math.isnan(low) or math.isnan(high):
        return "inconclusive"
    if rule.kind == "min":
        return "passed" if low >= rule.limit else "failed" if high < rule.limit else "inconclusive"
    return "passed" if high <= rule.limit else "failed" if low > rule.limit else "inconclusive"


# What depends on examples narrows with the square root of their number, and the parts add as squares.
def _more(gap: float, reach: float, fixed: float, examples: int) -> int | None:
    """How many more examples bring the interval's end from `reach`, of which `fixed` stays, to `gap`."""
    if gap <= fixed:
        return None
    return max(math.ceil(examples * (reach**2 - fixed**2) / (gap**2 - fixed**2)) - examples, 1)
