"""Quality gate: hold metrics against limits by their confidence intervals.

A limit is met if the whole interval meets it, violated if the whole interval violates it, and the rule is
inconclusive otherwise. A drop against a baseline is judged by the interval of the difference, made of the two
intervals by Newcombe's square-and-add method (newcombe1998, method 10); the two are treated as independent
samples, because a matrix does not say which rows they share.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import read_labels
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.gate.limits import Kind, Rule, read_rules
from steelyard.judgement.gate.options import Options
from steelyard.judgement.gate.result import By, Gate, Outcome, Ruling
from steelyard.parameters import checked, public_function
from steelyard.uncertainty.intervals import interval

_WRITE_ONE = "write one with steelyard evaluate --json baseline.json"


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
    by: By = options.by or "interval"
    drops = any(rule.kind == "max_drop" for rule in rules)
    if drops == (options.against is None):
        one, other = parameter("max_drop"), parameter("against")
        raise InputError(
            "a drop is judged against a baseline",
            found=f"{one} without {other}" if drops else f"{other} without {one}",
            do="give both, or neither",
        )
    data = _one_source(options)
    return _judged(options, rules, data, by, drops)


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
        kind: {**table.get(name, {}), **(getattr(options, kind) or {})}
        for name, kind in (("min", "min"), ("max", "max"), ("max-drop", "max_drop"))
    }
    settings: dict[str, Any] = {
        name: value
        for name, value in table.items()
        if hasattr(options, name) and name not in ("min", "max") and getattr(options, name) is None
    }
    return checked(replace(options, **settings, **limits))


def _rules(options: Options) -> list[Rule]:
    kinds: tuple[Kind, ...] = ("min", "max", "max_drop")
    rules = []
    for kind in kinds:
        limits = getattr(options, kind)
        if limits is not None and not hasattr(limits, "items"):
            raise InputError(
                "limits are given by metric",
                found=f"{kind}={limits!r}",
                allowed=f'a mapping such as {kind}={{"gmean": 0.8}}',
                parameter=kind,
            )
        rules += [Rule.asked(kind, name, limit).checked() for name, limit in (limits or {}).items()]
    if not rules:
        names = f"{parameter('min')}, {parameter('max')} or {parameter('max_drop')}"
        raise InputError("there is nothing to decide", found="no rule", do=f"name a metric with {names}")
    return rules


def _one_source(options: Options) -> Any:
    if (options.data is None) == (options.matrix is None):
        raise InputError(
            "one classifier is judged at a time",
            found="neither a file nor a matrix" if options.data is None else "a file and a matrix",
            do=f"give a file, or {parameter('matrix')}",
        )
    return options.matrix if options.data is None else options.data


def _judged(options: Options, rules: list[Rule], data: Any, by: By, drops: bool) -> Gate:
    level, positive, against = options.level or 0.95, options.positive, options.against
    reading = {
        name: getattr(options, name)
        for name in ("truth", "pred", "labels", "weight", "engine", "spark_master")
        if getattr(options, name) is not None
        and not (options.data is None and name in ("truth", "pred", "weight"))
    }
    reading["missing"] = options.missing or "error"
    evaluation = evaluate(data, options.y_pred, positive=positive, interval=None, **reading)
    matrix, notes = evaluation.matrix, []
    # The positive class is chosen once, so that a baseline with another prevalence means the same class.
    if positive is None and matrix.n_classes == 2:
        choice = matrix.positive_class(None)
        positive = choice.label
        if choice.guessed and any(rule.measure.kind == "two-class" and rule.of is None for rule in rules):
            notes.append(f'Positive class: "{choice.label}" ({choice.reason}).')
    if by == "interval" and matrix.counts.dtype.kind != "i":
        do = f"use {parameter('by', 'point')}"
        raise InputError("weighted counts have no interval", found="sums of weights", do=do)
    find = _finder(by, level, options.draws, options.seed, positive)
    before = None if against is None else _baseline(against, find, positive, reading)
    if drops and isinstance(against, (str, Path)) and by == "interval":
        notes.append(
            "The baseline and these predictions are treated as independent samples. If they are"
            " predictions of the"
            " same rows, steelyard compare pairs them and gives a narrower interval of the difference."
        )
    rulings = tuple(_ruled(rule, matrix, find, before, by) for rule in rules)
    return Gate(evaluation.source, by, level, matrix, rulings, tuple(notes))


Found = tuple[float, float, float, str]
"""A value, the ends of its interval, and why there is none."""
Finder = Callable[[Rule, Confusion], Found]


def _finder(by: By, level: float, draws: int, seed: int, positive: Label | None) -> Finder:
    def find(rule: Rule, matrix: Confusion) -> Found:
        asked = positive if rule.of is None else rule.of
        value = float(rule.measure(matrix, positive=asked))
        if math.isnan(value):
            return value, value, value, str(rule.measure.why_undefined(matrix, positive=asked))
        if by == "point":
            return value, value, value, ""
        found = interval(matrix, [rule.measure], level=level, draws=draws, seed=seed, positive=asked)
        (one,) = found.values()
        return value, one.low, one.high, one.note if math.isnan(one.low) else ""

    return find


def _baseline(
    against: Any, find: Finder, positive: Label | None, reading: Mapping[str, Any]
) -> Callable[[Rule], Found]:
    """What each measure was: of recorded figures, or of the matrix that was counted then."""
    if isinstance(against, (str, Path)) and str(against).endswith(".json"):
        against = _read_json(Path(against))
    if isinstance(against, Mapping) and "matrix" in against:
        kept = against["matrix"]
        if not isinstance(kept, Mapping) or not {"counts", "labels"} <= set(kept):
            raise InputError(
                "the baseline is not an evaluation", found="a matrix without counts and labels", do=_WRITE_ONE
            )
        against = Confusion.from_dict(kept)
    if isinstance(against, Mapping):
        figures = {}
        for name, value in against.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(
                    f"what the baseline says of {getattr(name, 'name', name)} is not a number",
                    found=repr(value),
                    do=_WRITE_ONE,
                )
            figures[Rule.asked("min", name, value).canonical] = float(value)

        def recorded(rule: Rule) -> Found:
            if rule.canonical not in figures:
                raise InputError(
                    f"the baseline does not say what {rule.canonical} was",
                    found=", ".join(figures),
                    do="add it to the baseline",
                )
            return figures[rule.canonical], figures[rule.canonical], figures[rule.canonical], ""

        return recorded
    matrix = evaluate(against, positive=positive, interval=None, **reading).matrix
    return lambda rule: find(rule, matrix)


def _read_json(path: Path) -> Any:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(
            "the baseline cannot be read",
            found=f"{path}: {error}",
            allowed="the JSON of an evaluation",
        ) from error
    if not isinstance(found, dict):
        raise InputError("the baseline is not a JSON object", found=str(path))
    return found


def _ruled(
    rule: Rule, matrix: Confusion, find: Finder, before: Callable[[Rule], Found] | None, by: By
) -> Ruling:
    now = find(rule, matrix)
    baseline, why, (value, low, high), then = None, now[3], now[:3], (0.0, 0.0, 0.0)
    if rule.kind == "max_drop":
        assert before is not None
        recorded = before(rule)
        baseline, why, then = recorded[0], why or recorded[3], recorded[:3]
        value, low, high = _dropped(then, now[:3], rule.measure.better == "lower")
    outcome = _outcome(rule, low, high)
    if by == "point" or outcome != "inconclusive" or why:
        return Ruling(rule, outcome, value, low, high, baseline, why=why)
    reach = value - low if rule.limit < value else high - value
    fixed = math.sqrt(max(reach**2 - _own_reach(rule, value, now[:3]) ** 2, 0.0))
    more = _more(abs(rule.limit - value), reach, fixed, int(matrix.total))
    of_class = None
    if more is None:
        why = (
            "the interval of the baseline is too wide: no number of examples decides it"
            if fixed
            else "the value equals the limit: no number of examples decides it"
        )
    elif rule.of is not None:
        of_class = math.ceil(more * float(matrix.actual[matrix.index(rule.of)]) / float(matrix.total))
    return Ruling(rule, outcome, value, low, high, baseline, more, of_class, why)


def _own_reach(rule: Rule, value: float, now: tuple[float, float, float]) -> float:
    """How far the interval reaches towards the limit because of these examples, not of the baseline."""
    towards_low = rule.limit < value
    if rule.kind == "max_drop" and rule.measure.better != "lower":
        towards_low = not towards_low  # a drop grows as the value falls
    return now[0] - now[1] if towards_low else now[2] - now[0]


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


def _more(gap: float, reach: float, fixed: float, examples: int) -> int | None:
    """How many more examples bring the interval's end from `reach` to `gap`, if `fixed` of it does not depend
    on them?

    What depends on them narrows with the square root of their number, and the parts add as squares.
    """
    if gap <= fixed:
        return None
    return max(math.ceil(examples * (reach**2 - fixed**2) / (gap**2 - fixed**2)) - examples, 1)
