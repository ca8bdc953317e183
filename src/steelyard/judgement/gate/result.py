"""Result of a quality gate: each rule passed, failed or inconclusive, for people and for builds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from steelyard.judgement.gate.limits import Kind, Rule
from steelyard.judgement.label_errors import Fragility
from steelyard.report.numbers import between, shown
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Value, derived, document, in_json
from steelyard.report.sections import Cell, Report, Section, Sentence, Tone, table_of, words_column
from steelyard.scores.fields import Matrix

By = Literal["interval", "point"]
Outcome = Literal["passed", "failed", "inconclusive"]
# What a build is told; 2 is left to wrong input, as everywhere.
EXIT_CODES: dict[Outcome, int] = {"passed": 0, "failed": 1, "inconclusive": 3}
_TONES: dict[Outcome, Tone] = {"passed": "good", "failed": "bad", "inconclusive": "open"}


@dataclass(frozen=True)
class Ruling(Record):
    """The outcome of a rule; for a drop, value and interval are those of the drop."""

    rule: Annotated[Rule, Json(write=str, schema={"type": "string"})]
    outcome: Outcome
    value: Value
    low: Value
    high: Value
    baseline: Value | None = None
    #: About how many more examples, with the same class distribution, would decide it at the same value.
    more: Annotated[int | None, Json("more_examples")] = None
    more_of_class: Annotated[int | None, Json("more_examples_of_class")] = None
    why: str = ""
    #: The rows it is of, where the limit was held in a slice.
    slice: str = ""
    #: How few wrong labels would change the outcome; None for a drop.
    fragility: Fragility | None = None

    @property
    def name(self) -> str:
        """The rule, and the slice it was held in."""
        return f"{self.rule} in {self.slice}" if self.slice else str(self.rule)

    kind = derived(Kind, lambda self: self.rule.kind)
    measure = derived(
        str, lambda self: self.rule.measure.id if self.rule.of_costs else self.rule.measure.name
    )
    of = derived(AnyLabel | None, lambda self: self.rule.of, "class")
    limit = derived(float, lambda self: self.rule.limit)

    @property
    def here(self) -> float:
        """The value of the metric; of a drop, what is left of the baseline."""
        if self.baseline is None:
            return self.value
        return self.baseline + (self.value if self.rule.measure.better == "lower" else -self.value)

    @property
    @in_json()
    def missing(self) -> Value:
        """By how much the value misses the limit; 0 where it meets it."""
        over = self.rule.limit - self.value if self.rule.kind == "min" else self.value - self.rule.limit
        return max(over, 0.0) if not math.isnan(over) else math.nan


@dataclass(frozen=True, repr=False)
class Gate(Record, Presented):
    """The outcome of every rule for one classifier."""

    SCHEMA: ClassVar[str] = "steelyard/gate/1"
    ROWS: ClassVar[str] = "rulings"
    source: str
    by: By
    level: float
    matrix: Matrix
    rulings: tuple[Ruling, ...]
    notes: tuple[str, ...] = ()
    #: The predictions and the baseline, which no output may replace.
    files_read: Annotated[tuple[str, ...], HIDDEN] = ()

    @property
    @in_json()
    def outcome(self) -> Outcome:
        """Failed if a rule failed, in a slice too; else inconclusive if one of all rows is; else passed."""
        if any(ruling.outcome == "failed" for ruling in self.rulings):
            return "failed"
        whole = [ruling.outcome for ruling in self.rulings if not ruling.slice]
        return "inconclusive" if "inconclusive" in whole else "passed"

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]

    def report(self) -> Report:
        interval = f"{self.level * 100:g}% CI"
        in_slices = [ruling for ruling in self.rulings if ruling.slice]
        # An inconclusive slice never decides the outcome, so it is not counted among the limits that do.
        counted = [r for r in self.rulings if self.outcome == "failed" or not r.slice]
        deciding = sum(ruling.outcome == self.outcome for ruling in counted)
        every = f"{len(counted):,} limit{'' if len(counted) == 1 else 's'}"
        undecided = sum(ruling.outcome == "inconclusive" for ruling in in_slices)
        slices = (
            f"In slices, {undecided:,} of {len(in_slices):,} limits are inconclusive; this does not change"
            " the outcome."
        )
        verdict = {
            "passed": f"Passed: {deciding:,} of {every} met, none violated.",
            "failed": f"Failed: {deciding:,} of {every} violated.",
            "inconclusive": f"Inconclusive: {deciding:,} of {every} cannot be decided.",
        }[self.outcome]
        meaning = "Limits are held against the values alone (--by point): chance is not considered."
        if self.by == "interval":
            meaning = (
                f"A limit is passed if the whole {interval} meets it, failed if the whole {interval} violates"
                " it, and inconclusive otherwise."
            )
        table = table_of(
            self.rulings,
            (
                words_column("outcome", whole=True),
                lambda ruling: Cell(ruling.outcome, _TONES[ruling.outcome]),
            ),
            (words_column("limit"), lambda ruling: ruling.name),
            ("test set", lambda ruling: shown(ruling.here)),
            None if self.by == "point" else (words_column(interval), _interval),
            (words_column("note"), _explained) if any(map(_explained, self.rulings)) else None,
            identity="rulings",
        )
        notes = (Sentence(note, "soft") for note in (meaning, *([slices] if undecided else []), *self.notes))
        section = Section("", (Sentence(verdict, _TONES[self.outcome]), table, *notes), "brief")
        rows = f"{int(self.matrix.total):,} rows · {self.matrix.n_classes} classes"
        return Report(f"Gate: {Path(self.source).name or self.source} · {rows}", (section,))

    def to_junit(self) -> str:
        """The rulings as JUnit XML: a failed rule is a failure, an inconclusive one an error."""
        from xml.etree import ElementTree

        count = {outcome: sum(r.outcome == outcome for r in self.rulings) for outcome in EXIT_CODES}
        suite = ElementTree.Element(
            "testsuite",
            name=f"steelyard gate {self.source}",
            tests=str(len(self.rulings)),
            failures=str(count["failed"]),
            errors=str(count["inconclusive"]),
        )
        for ruling in self.rulings:
            case = ElementTree.SubElement(suite, "testcase", classname="steelyard.gate", name=ruling.name)
            if ruling.outcome != "passed":
                kind = "failure" if ruling.outcome == "failed" else "error"
                words = f"{ruling.outcome}: {self._with_interval(ruling)}"
                ElementTree.SubElement(case, kind, message=words).text = _explained(ruling)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"

    def to_annotations(self) -> str:
        """The rules that did not pass as workflow commands of GitHub Actions: errors and warnings."""
        lines = []
        for ruling in self.rulings:
            if ruling.outcome == "passed" or (ruling.slice and ruling.outcome != "failed"):
                continue
            text = self._with_interval(ruling)
            text += f"; {_explained(ruling)}" if _explained(ruling) else ""
            level = "error" if ruling.outcome == "failed" else "warning"
            title = _escaped(f"{ruling.outcome}: {ruling.name}").replace(":", "%3A").replace(",", "%2C")
            lines.append(f"::{level} title={title}::{_escaped(text)}\n")
        return "".join(lines)

    def _with_interval(self, ruling: Ruling) -> str:
        ends = _interval(ruling) if self.by == "interval" else ""
        return f"{shown(ruling.here)} ({ends})" if ends else shown(ruling.here)


def _escaped(text: str) -> str:
    """Text inside a workflow command, as GitHub's toolkit escapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _interval(ruling: Ruling) -> str:
    """The ends of the interval; nothing where there is none."""
    ends = between(ruling.low, ruling.high)
    return f"drop {ends}" if ruling.baseline is not None and ends else ends


def _about(many: int) -> str:
    """A number of examples with the three digits that mean something."""
    return f"{float(f'{many:.3g}'):,.0f}"


def _explained(ruling: Ruling) -> str:
    words, value = [], ruling.value
    if ruling.baseline is not None:
        # What got better did not drop.
        drop = f"better by {shown(-value)}" if value < 0 else f"a drop of {shown(value)}"
        drop = "no drop" if abs(value) < 0.0005 else drop
        words.append(f"it was {shown(ruling.baseline)}, {drop}")
    if ruling.missing > 0:  # not where it is NaN: nothing is known to be missing
        side = "below" if ruling.rule.kind == "min" else "above"
        words.append(f"{ruling.missing:.3g} {side} the limit")
    if ruling.more is not None:
        of = f' ({_about(ruling.more_of_class)} of class "{ruling.rule.of}")' if ruling.more_of_class else ""
        stays = f"would decide it if the value stays {shown(value)}"
        words.append(f"about {_about(ruling.more)} more rows{of} {stays}")
    return "; ".join([*words, *([ruling.why] if ruling.why else [])])


json_schema = partial(document, Gate, "Rules that a classifier has to keep, and whether it does")
