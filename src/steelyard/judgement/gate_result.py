"""What became of the limits of a gate? Passed, failed or not to be told, for people and for builds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.counts.confusion import Confusion
from steelyard.counts.plain import number_or_none
from steelyard.judgement.gate_rules import Rule
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

SCHEMA = "steelyard/gate/1"

By = Literal["interval", "point"]
Outcome = Literal["passed", "failed", "cannot tell"]
EXIT_CODES: dict[Outcome, int] = {"passed": 0, "failed": 1, "cannot tell": 3}
"""What a build is told; 2 is left to wrong input, as everywhere."""


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
    def here(self) -> float:
        """The value of the measure; of a drop, what is left of the baseline."""
        if self.baseline is None:
            return self.value
        return self.baseline + (self.value if self.rule.measure.better == "lower" else -self.value)

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
            *([words_column("what it would take")] if any(map(_explained, self.rulings)) else []),
        )
        verdict = {"passed": "Passed.", "failed": "Failed.", "cannot tell": "Cannot tell."}[self.outcome]
        blocks: tuple[Block, ...] = (
            Sentence(
                f"{verdict} {int(self.matrix.total):,} examples, {self.matrix.n_classes} classes.", "strong"
            ),
            Table(columns, rows, identity="rulings"),
            *(Sentence(note, "soft") for note in self.notes),
        )
        return Report(f"Gate of {Path(self.source).name or self.source}", (Section("", blocks, "brief"),))

    def _row(self, ruling: Ruling) -> tuple[Cell | str, ...]:
        tones: dict[Outcome, Any] = {"passed": "good", "failed": "bad", "cannot tell": "open"}
        row: list[Cell | str] = [Cell(ruling.outcome, tone=tones[ruling.outcome])]
        row += [str(ruling.rule), _shown(ruling.here)]
        if self.by == "interval":
            row.append(_between(ruling) if ruling.baseline is None else _dropped(ruling))
        if any(map(_explained, self.rulings)):
            row.append(_explained(ruling))
        return tuple(row)

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


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _between(ruling: Ruling) -> str:
    """The ends of the interval; nothing where there is none."""
    return "" if math.isnan(ruling.low) else f"{_shown(ruling.low)} to {_shown(ruling.high)}"


def _dropped(ruling: Ruling) -> str:
    return f"drop {_between(ruling)}" if _between(ruling) else ""


def _how_far(drop: float) -> str:
    """A drop in words; what got better did not drop."""
    if _shown(abs(drop)) == _shown(0.0):
        return "no drop"
    return f"better by {_shown(-drop)}" if drop < 0 else f"a drop of {_shown(drop)}"


def _about(many: int) -> str:
    """A number of examples with the three digits that mean something."""
    return f"{float(f'{many:.3g}'):,.0f}"


def _explained(ruling: Ruling) -> str:
    words = []
    if ruling.baseline is not None:
        words.append(f"it was {_shown(ruling.baseline)}, {_how_far(ruling.value)}")
    if ruling.missing > 0:  # not where it is NaN: nothing is known to be missing
        words.append(f"{ruling.missing:.3g} {'is missing' if ruling.rule.kind == 'min' else 'too much'}")
    if ruling.more is not None:
        of = f" ({_about(ruling.more_of_class)} of class {ruling.rule.of})" if ruling.more_of_class else ""
        words.append(f"about {_about(ruling.more)} more examples{of} would decide it if the value stays")
    if ruling.why:
        words.append(ruling.why)
    return "; ".join(words)
