"""May this classifier pass? Limits held against intervals, not against lucky values.

A limit is kept if the whole interval keeps it, broken if the whole interval breaks it, and otherwise the test
set cannot tell. How far a measure dropped against a baseline is judged by the interval of the difference,
made of the two intervals by newcombe1998's square-and-add method; the two are taken as different samples,
because a matrix does not say which rows they share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none
from steelyard.errors import InputError
from steelyard.judgement.evaluate.judge import evaluate
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure
from steelyard.report.presented import Presented
from steelyard.report.sections import (
    Block,
    Cell,
    Report,
    Section,
    Sentence,
    Table,
    number_columns,
    words_column,
)
from steelyard.uncertainty.intervals import interval

SCHEMA = "steelyard/gate/1"

Kind = Literal["min", "max", "max_drop"]
By = Literal["interval", "point"]
Outcome = Literal["passed", "failed", "cannot tell"]
EXIT_CODES: dict[Outcome, int] = {"passed": 0, "failed": 1, "cannot tell": 3}
"""What a build is told; 2 is left to wrong input, as everywhere."""

_WRITE_ONE = "write one with steelyard evaluate --json baseline.json"
_OF_A_CLASS = re.compile(r"^(?P<name>.*?)\[(?P<label>.+)\]$")


@dataclass(frozen=True)
class Rule:
    """A limit: what a measure must at least or at most be, or how far it may drop."""

    kind: Kind
    measure: Measure
    of: str | None
    """The class it is asked of, where one is named: recall[fraud]."""
    limit: float
    written: str
    """As the caller wrote it: f1, not f_beta."""

    @classmethod
    def of_text(cls, kind: Kind, name: str, limit: Any) -> Rule:
        """The rule that a name such as recall[fraud] or f_beta(beta=2) and a number make."""
        asked = _OF_A_CLASS.match(name.strip())
        chosen = measure(asked["name"] if asked else name.strip())
        if chosen.kind == "scores":
            raise InputError(
                "a gate judges labels",
                found=f"{chosen.name}, a measure of scores",
                do="choose another measure",
            )
        if asked and chosen.kind != "two-class":
            raise InputError(
                f"{chosen.name} is a measure of all classes together", found=name, do=f"write {asked['name']}"
            )
        if kind == "max_drop" and chosen.better == "neither":
            raise InputError(f"{chosen.name} cannot drop: neither higher nor lower is better")
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not math.isfinite(limit):
            raise InputError(
                f"the limit of {name} is no number", found=repr(limit), allowed="a number such as 0.8"
            )
        if kind == "max_drop" and limit < 0:
            raise InputError(f"{name} may drop by a number >= 0", found=repr(limit))
        return cls(kind, chosen, asked["label"] if asked else None, float(limit), name.strip())

    def checked(self) -> Rule:
        """The rule, unless nothing could fail it or it would let through what is worse."""
        ends = [end for classes in (2, 3, 1000) for end in self.measure.range.at(classes)]
        if self.kind != "max_drop" and not min(ends) <= self.limit <= max(ends):
            raise InputError(
                f"{self.written} never reaches this limit",
                found=f"{self.limit:g}",
                allowed=f"{min(ends):g} to {max(ends):g}",
            )
        better = self.measure.better
        if (self.kind, better) in (("min", "lower"), ("max", "higher")):
            other = "max" if self.kind == "min" else "min"
            raise InputError(
                f"{better} is better for {self.measure.name}, so {self.kind}= would let through the worse",
                found=f"{self.kind}= of {self.written}",
                do=f"say {other}=...",
            )
        return self

    @property
    def canonical(self) -> str:
        """By its id, whatever the caller called it."""
        return self.measure.name if self.of is None else f"{self.measure.name}[{self.of}]"

    def __str__(self) -> str:
        words = {"min": "at least", "max": "at most", "max_drop": "may drop by at most"}
        return f"{self.written} {words[self.kind]} {self.limit:g}"


@dataclass(frozen=True)
class Ruling:
    """What became of a rule: for a drop, value and interval are those of the drop."""

    rule: Rule
    outcome: Outcome
    value: float
    low: float
    high: float
    baseline: float | None = None
    more: int | None = None
    """About how many more examples, with the same shares of the classes, would decide it if the value
    stays."""
    more_of_class: int | None = None
    why: str = ""

    @property
    def missing(self) -> float:
        """By how much the value misses the limit; 0 where it keeps it."""
        over = self.rule.limit - self.value if self.rule.kind == "min" else self.value - self.rule.limit
        return max(over, 0.0) if not math.isnan(over) else math.nan

    def to_dict(self) -> dict[str, Any]:
        return {
            "rule": str(self.rule),
            "kind": self.rule.kind,
            "measure": self.rule.measure.name,
            "class": self.rule.of,
            "limit": self.rule.limit,
            "outcome": self.outcome,
            "value": number_or_none(self.value),
            "low": number_or_none(self.low),
            "high": number_or_none(self.high),
            "baseline": None if self.baseline is None else number_or_none(self.baseline),
            "missing": number_or_none(self.missing),
            "more_examples": self.more,
            "more_examples_of_class": self.more_of_class,
            "why": self.why,
        }


@dataclass(frozen=True, repr=False)
class Gate(Presented):
    """The rulings on one classifier."""

    source: str
    matrix: Confusion
    rulings: tuple[Ruling, ...]
    by: By
    level: float
    notes: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Failed if a rule failed; else cannot tell if one of them cannot; else passed."""
        found = {ruling.outcome for ruling in self.rulings}
        return "failed" if "failed" in found else "cannot tell" if "cannot tell" in found else "passed"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "schema": SCHEMA,
            "source": self.source,
            "outcome": self.outcome,
            "by": self.by,
            "level": self.level,
            "matrix": self.matrix.to_dict(),
            "rulings": self.table(),
            "notes": list(self.notes),
        }

    def table(self) -> list[dict[str, Any]]:
        return [ruling.to_dict() for ruling in self.rulings]

    def report(self) -> Report:
        between = f"{self.level * 100:g} % interval"
        rows = tuple(map(self._row, self.rulings))
        columns = (
            words_column("", whole=True),
            words_column("rule"),
            *number_columns("here"),
            *([] if self.by == "point" else [words_column(between)]),
            words_column("what it would take"),
        )
        verdict = {"passed": "Passed.", "failed": "Failed.", "cannot tell": "Cannot tell."}[self.outcome]
        blocks: tuple[Block, ...] = (
            Sentence(
                f"{verdict} {int(self.matrix.total):,} examples, {self.matrix.n_classes} classes.", "strong"
            ),
            Table(columns, rows, identity="rulings"),
            *(Sentence(note, "soft") for note in self.notes),
        )
        return Report(f"Gate of {self.source}", (Section("", blocks, "brief"),))

    def _row(self, ruling: Ruling) -> tuple[Cell | str, ...]:
        tones: dict[Outcome, Any] = {"passed": "good", "failed": "bad", "cannot tell": "open"}
        row: list[Cell | str] = [Cell(ruling.outcome, tone=tones[ruling.outcome])]
        row += [str(ruling.rule), _shown(ruling.value)]
        if self.by == "interval":
            row.append(_between(ruling))
        return (*row, _explained(ruling))

    def to_junit(self) -> str:
        """The rulings as JUnit XML: a failed rule is a failure, one that cannot be told is an error."""
        from xml.etree import ElementTree

        count = {outcome: sum(r.outcome == outcome for r in self.rulings) for outcome in EXIT_CODES}
        suite = ElementTree.Element(
            "testsuite",
            name=f"steelyard gate {self.source}",
            tests=str(len(self.rulings)),
            failures=str(count["failed"]),
            errors=str(count["cannot tell"]),
        )
        for ruling in self.rulings:
            case = ElementTree.SubElement(
                suite, "testcase", classname="steelyard.gate", name=str(ruling.rule)
            )
            if ruling.outcome != "passed":
                kind = "failure" if ruling.outcome == "failed" else "error"
                words = f"{ruling.outcome}: {_shown(ruling.value)}"
                if self.by == "interval" and _between(ruling):
                    words += f" ({_between(ruling)})"
                ElementTree.SubElement(case, kind, message=words).text = _explained(ruling)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def gate(
    data: Any,
    y_pred: Any = None,
    *,
    min: Mapping[str, float] | None = None,  # noqa: A002 - the word people use for it
    max: Mapping[str, float] | None = None,  # noqa: A002
    max_drop: Mapping[str, float] | None = None,
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

    `min`, `max` and `max_drop` map a measure, or a measure of a class such as "recall[fraud]", to its limit.
    `against` is the
    baseline of `max_drop`: the JSON of an evaluation, a mapping of names to values, or what `evaluate` takes.
    `by="point"` holds
    the values against the limits instead of their intervals.

    >>> import steelyard as sy
    >>> limits = {"recall[fraud]": 0.6, "gmean": 0.92}
    >>> result = sy.gate([[90, 10], [30, 870]], labels=["fraud", "ok"], min=limits)
    >>> [ruling.outcome for ruling in result.rulings], result.exit_code
    (['passed', 'cannot tell'], 3)
    """
    asked: tuple[tuple[Kind, Mapping[str, float] | None], ...] = (
        ("min", min),
        ("max", max),
        ("max_drop", max_drop),
    )
    rules = [
        Rule.of_text(kind, name, limit).checked()
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
        against = Confusion(kept["counts"], kept["labels"])
    if isinstance(against, Mapping):
        figures = {}
        for name, value in against.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InputError(
                    f"what the baseline says of {name} is no number", found=repr(value), do=_WRITE_ONE
                )
            figures[Rule.of_text("min", str(name), value).canonical] = float(value)

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


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _between(ruling: Ruling) -> str:
    """The ends of the interval; nothing where there is none."""
    return "" if math.isnan(ruling.low) else f"{_shown(ruling.low)} to {_shown(ruling.high)}"


def _explained(ruling: Ruling) -> str:
    words = []
    if ruling.baseline is not None:
        words.append(f"it was {_shown(ruling.baseline)}")
    if ruling.missing > 0:  # not where it is NaN: nothing is known to be missing
        words.append(f"{ruling.missing:.3g} {'is missing' if ruling.rule.kind == 'min' else 'too much'}")
    if ruling.more is not None:
        of = f" ({ruling.more_of_class:,} of class {ruling.rule.of})" if ruling.more_of_class else ""
        words.append(f"about {ruling.more:,} more examples{of} would decide it if the value stays")
    if ruling.why:
        words.append(ruling.why)
    return "; ".join(words)
