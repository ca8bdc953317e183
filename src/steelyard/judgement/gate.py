"""May this classifier pass? Limits held against intervals, not against lucky values.

A limit is kept if the whole interval keeps it, broken if the whole interval breaks it, and otherwise the test
set cannot tell. How far a measure dropped against a baseline is judged by the interval of the difference,
made of the two intervals by newcombe1998's square-and-add method; the two are taken as different samples,
because a matrix does not say which rows they share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError, refuse_unknown_keywords
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.judgement.gate_result import By, Gate, Outcome, Ruling
from steelyard.judgement.gate_rules import Kind, Rule
from steelyard.measures.measure import Measure
from steelyard.uncertainty.intervals import interval

_WRITE_ONE = "write one with steelyard evaluate --json baseline.json"


def gate(
    data: Any,
    y_pred: Any = None,
    *,
    min: Mapping[str | Measure, float] | Mapping[str, float] | None = None,  # noqa: A002 - the word people use for it
    max: Mapping[str | Measure, float] | Mapping[str, float] | None = None,  # noqa: A002
    max_drop: Mapping[str | Measure, float] | Mapping[str, float] | None = None,
    against: Any = None,
    by: By = "interval",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    positive: Label | None = None,
    **reading: Any,
) -> Gate:
    """May this classifier pass? `data` and `y_pred` are what `evaluate` takes, with its `truth=`, `pred=`,
    `labels=` and so on.

    `min`, `max` and `max_drop` map a measure, its name, or its name with a class such as "recall[fraud]", to
    its limit. `against` is the baseline of `max_drop`: the JSON of an evaluation, a mapping of names to
    values, or what `evaluate` takes. `by="point"` holds the values against the limits instead of their
    intervals.

    >>> import steelyard as sy
    >>> limits = {"recall[fraud]": 0.6, "gmean": 0.92}
    >>> result = sy.gate([[90, 10], [30, 870]], labels=["fraud", "ok"], min=limits)
    >>> [ruling.outcome for ruling in result.rulings], result.exit_code
    (['passed', 'cannot tell'], 3)
    """
    refuse_unknown_keywords(gate, reading, evaluate)
    asked: tuple[tuple[Kind, Mapping[str | Measure, float] | Mapping[str, float] | None], ...] = (
        ("min", min),
        ("max", max),
        ("max_drop", max_drop),
    )
    for kind, given in asked:
        if given is not None and not hasattr(given, "items"):
            raise InputError(
                "limits are given by measure",
                found=f"{kind}={given!r}",
                allowed=f'a mapping such as {kind}={{"gmean": 0.8}}',
            )
    rules = [
        Rule.asked(kind, name, limit).checked()
        for kind, given in asked
        for name, limit in (given or {}).items()
    ]
    if not rules:
        raise InputError(
            "there is nothing to decide", found="no rule", do="name a measure with min=, max= or max_drop="
        )
    if by not in ("interval", "point"):
        raise InputError(
            "limits are held against intervals or against values",
            found=repr(by),
            allowed='by="interval" or by="point"',
        )
    drops = any(rule.kind == "max_drop" for rule in rules)
    if drops == (against is None):
        raise InputError(
            "a drop is judged against a baseline",
            found="max_drop= without against=" if drops else "against= without max_drop=",
            do="give both, or neither",
        )
    weighed = evaluate(data, y_pred, positive=positive, interval=None, **reading)
    matrix, notes = weighed.matrix, []
    if (
        positive is None and matrix.n_classes == 2
    ):  # chosen once, so that a baseline with other shares means the same class
        choice = matrix.positive_class(None)
        positive = choice.label
        if choice.guessed and any(rule.measure.kind == "two-class" and rule.of is None for rule in rules):
            notes.append(f"Positive class: {choice.label} ({choice.reason}).")
    if by == "interval" and matrix.counts.dtype.kind != "i":
        raise InputError("weighted counts have no interval", found="sums of weights", do='say by="point"')
    find = _finder(by, level, draws, seed, positive)
    before = None if against is None else _baseline(against, find, positive, reading)
    if drops and isinstance(against, (str, Path)) and by == "interval":
        notes.append(
            "The baseline and these predictions are taken as two samples; if they are of the same rows, "
            "steelyard compare knows the pairing and is surer of the difference."
        )
    rulings = tuple(_ruled(rule, matrix, find, before, by) for rule in rules)
    return Gate(weighed.source, matrix, rulings, by, level, tuple(notes))


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
                "the baseline is no evaluation", found="a matrix without counts and labels", do=_WRITE_ONE
            )
        against = Confusion.from_dict(kept)
    if isinstance(against, Mapping):
        figures = {}
        for name, value in against.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(
                    f"what the baseline says of {getattr(name, 'name', name)} is no number",
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
    import json

    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(
            "the baseline cannot be read",
            found=f"{path}: {error}",
            allowed="the JSON of an evaluation",
        ) from error
    if not isinstance(found, dict):
        raise InputError("the baseline is no object of JSON", found=str(path))
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
    if by == "point" or outcome != "cannot tell" or why:
        return Ruling(rule, outcome, value, low, high, baseline, why=why)
    reach = value - low if rule.limit < value else high - value
    fixed = math.sqrt(max(reach**2 - _own_reach(rule, value, now[:3]) ** 2, 0.0))
    more = _more(abs(rule.limit - value), reach, fixed, int(matrix.total))
    of_class = None
    if more is None:
        why = (
            "the baseline itself is not sure enough: no number of examples decides it"
            if fixed
            else "the value is the limit: no number of examples decides it"
        )
    elif rule.of is not None:
        of_class = math.ceil(more * float(matrix.actual[matrix.index(rule.of)]) / float(matrix.total))
    return Ruling(
        rule=rule,
        outcome=outcome,
        value=value,
        low=low,
        high=high,
        baseline=baseline,
        more=more,
        more_of_class=of_class,
        why=why,
    )


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
        return "cannot tell"
    if rule.kind == "min":
        return "passed" if low >= rule.limit else "failed" if high < rule.limit else "cannot tell"
    return "passed" if high <= rule.limit else "failed" if low > rule.limit else "cannot tell"


def _more(gap: float, reach: float, fixed: float, examples: int) -> int | None:
    """How many more examples bring the interval's end from `reach` to `gap`, if `fixed` of it does not depend
    on them?

    What depends on them narrows with the square root of their number, and the parts add as squares.
    """
    if gap <= fixed:
        return None
    return max(math.ceil(examples * (reach**2 - fixed**2) / (gap**2 - fixed**2)) - examples, 1)
