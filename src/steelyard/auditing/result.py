"""What came of an audit, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from steelyard.auditing import shown
from steelyard.auditing.demands import Answer, Decision, Demand, Setting
from steelyard.auditing.explain import Contradiction
from steelyard.auditing.mistakes import Mistake
from steelyard.auditing.printed import Rounding
from steelyard.auditing.problem import Interval
from steelyard.auditing.spaces import Matrix
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
    """What proves the impossible, as plain data, if it was asked for and found."""
    check: str = ""
    """What came of checking, in words; empty where it was not asked for."""
    name: str = ""
    """The row of a table that it is of."""

    @property
    def verdict(self) -> Answer:
        return self.decision.answer

    @property
    def exit_code(self) -> int:
        """What the command line answers: 0 possible, 1 impossible, 3 undecided."""
        return EXIT_CODES[self.verdict]

    @property
    def witness(self) -> Matrix | None:
        """A matrix that gives every value, rows truth; of the first fold where there are folds."""
        return self.decision.matrices[0] if self.decision.matrices else None

    def reason(self) -> str:
        """Why the verdict is what it is."""
        if self.verdict == "possible":
            return "A matrix that gives every value was found and checked in exact fractions."
        if self.verdict == "undecided":
            return "The budget was spent before a matrix was found or all of them were excluded."
        return " ".join(shown.why(self))

    def report(self) -> Report:
        return shown.report(self)

    def table(self) -> list[dict[str, Any]]:
        """A row for each printed value."""
        sizes = self.setting.sizes
        return [
            {
                "printed": demand.text,
                "measure": demand.measure.name,
                "class": shown.label_of(demand, sizes),
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
            "sentence": shown.headline(self),
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
