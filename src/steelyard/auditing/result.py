"""The result of an audit as frozen data: possible with a witness, impossible with a reason, or undecided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from steelyard.auditing import report
from steelyard.auditing.checker.question import Interval, Rounding
from steelyard.auditing.explanations import Contradiction, Mistake
from steelyard.auditing.problem.demands import Demand, Matrix
from steelyard.auditing.problem.settings import Answer, Decision, Setting
from steelyard.report.presented import Presented
from steelyard.report.sections import Report

EXIT_CODES: dict[str, int] = {"possible": 0, "impossible": 1, "undecided": 3}


@dataclass(frozen=True, repr=False)
class AuditResult(Presented):
    """Possible with a witness, impossible with a reason, or undecided within the budget."""

    demands: tuple[Demand, ...]
    setting: Setting
    rounding: Rounding
    decision: Decision
    contradiction: Contradiction | None = None
    mistakes: tuple[Mistake, ...] = ()
    certificate: Mapping[str, Any] | None = None
    """A proof that the values are impossible, as plain data, if it was requested and found."""
    check: str = ""
    """What came of checking, as a sentence; empty where it was not requested."""
    name: str = ""
    """The name of the row of a table that it is of."""

    @property
    def verdict(self) -> Answer:
        return self.decision.answer

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 possible, 1 impossible, 3 undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def witness(self) -> Matrix | None:
        """A matrix that gives every value, rows truth; of the first fold where there are folds."""
        return self.decision.matrices[0] if self.decision.matrices else None

    def reason(self) -> str:
        """Why the verdict is what it is."""
        return report.reason(self)

    def report(self) -> Report:
        return report.of_result(self)

    def table(self) -> list[dict[str, Any]]:
        """A row for each printed value."""
        sizes = self.setting.sizes
        return [
            {
                "printed": demand.text,
                "measure": demand.measure.name,
                "class": report.label_of(demand, sizes),
                **_ends(demand.interval),
                "witness": self._value(demand),
            }
            for demand in self.demands
        ]

    def to_dict(self) -> dict[str, Any]:
        sizes = self.setting.sizes
        return {
            "verdict": self.verdict,
            "name": self.name or None,
            "sentence": report.headline(self),
            "reason": self.reason(),
            "values": self.table(),
            "sizes": {str(label): size for label, size in zip(sizes.labels, sizes.known, strict=True)},
            "total": sizes.total,
            "up_to": None if sizes.complete or sizes.total is not None else sizes.up_to,
            "rounding": self.rounding,
            "undefined": self.setting.undefined,
            "assumptions": list(self.setting.assumptions()),
            "candidates": self.decision.candidates,
            "fitting": {
                "count": self.decision.count,
                "exact": self.decision.complete and self.verdict != "undecided",
            },
            "witness": {
                "labels": [str(label) for label in sizes.labels],
                "matrices": _plain(self.decision.matrices),
            }
            if self.decision.matrices
            else None,
            "contradiction": self._contradiction(),
            "explanations": [
                {"id": m.id, "sentence": m.sentence, "matrices": _plain(m.decision.matrices)}
                for m in self.mistakes
            ],
            "check": self.check or None,
            "certificate": None if self.certificate is None else dict(self.certificate),
        }

    def _value(self, demand: Demand) -> float | None:
        if not self.decision.matrices:
            return None
        value: Fraction | float = self.setting.value(demand, self.decision.matrices)
        return float(value)

    def _contradiction(self) -> dict[str, Any] | None:
        if self.contradiction is None:
            return None
        return {
            "values": [demand.text for demand in self.contradiction.demands],
            "nearest": [
                {"printed": n.demand.text, "nearest": float(n.value), "away": float(n.away), "exact": n.exact}
                for n in self.contradiction.nearest
            ],
        }


def _ends(interval: Interval) -> dict[str, Any]:
    return {
        "low": float(interval.low),
        "high": float(interval.high),
        "low_open": interval.low_open,
        "high_open": interval.high_open,
    }


def _plain(matrices: Sequence[Matrix]) -> list[list[list[int]]]:
    return [[list(row) for row in matrix] for matrix in matrices]


@dataclass(frozen=True)
class UnusableRow:
    """A row that cannot be audited, and why not."""

    name: str
    why: str
    verdict: Literal["unusable"] = "unusable"

    def reason(self) -> str:
        return self.why

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "name": self.name, "sentence": self.why}


@dataclass(frozen=True, repr=False)
class AuditedTable(Presented):
    """The rows of a table, each with its verdict."""

    rows: tuple[AuditResult | UnusableRow, ...]

    def count(self, verdict: str) -> int:
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def exit_code(self) -> int:
        """1 if a row is impossible, else 2 if one cannot be used, else 3 if one is undecided, else 0."""
        codes = {"impossible": 1, "unusable": 2, "undecided": 3}
        return next((code for verdict, code in codes.items() if self.count(verdict)), 0)

    def headline(self) -> str:
        verdicts = ("impossible", "possible", "undecided", "unusable")
        counts = [f"{self.count(v)} {v}" for v in verdicts if self.count(v)]
        return f"{len(self.rows)} row{'s' if len(self.rows) > 1 else ''}: {', '.join(counts)}."

    def report(self) -> Report:
        rows = [
            (row.name, row.verdict, row.why if isinstance(row, UnusableRow) else report.row_reason(row))
            for row in self.rows
        ]
        return report.of_table(self.headline(), rows)

    def to_dict(self) -> dict[str, Any]:
        return {"sentence": self.headline(), "rows": [row.to_dict() for row in self.rows]}

    def table(self) -> list[dict[str, Any]]:
        return [{"row": row.name, "verdict": row.verdict, "reason": row.reason()} for row in self.rows]
