"""What was measured, what was wanted, and is it met?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Target:
    """A bound on a measured value."""

    sense: Literal["at least", "at most", "below"]
    bound: float

    def met_by(self, value: float) -> bool:
        if self.sense == "at least":
            return value >= self.bound
        return value <= self.bound if self.sense == "at most" else value < self.bound


@dataclass(frozen=True)
class Finding:
    """One measured value; without a target it is told for information."""

    what: str
    value: float
    unit: str
    target: Target | None = None

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.target.met_by(self.value) else "missed"

    @property
    def wanted(self) -> str:
        return "" if self.target is None else f"{self.target.sense} {self.amount(self.target.bound)}"

    def __str__(self) -> str:
        return f"  {self.what:<78} {self.amount(self.value):>10}   {self.wanted:<16} {self.verdict}".rstrip()

    def amount(self, value: float) -> str:
        """A value with its unit: ratios and small values to three figures, large ones to the whole."""
        text = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
        return text + ("x" if self.unit == "x" else f" {self.unit}" if self.unit else "")


def table(findings: Mapping[str, Sequence[Finding]]) -> str:
    """What was measured, by topic, in Markdown."""
    lines = ["| measured | value | target | verdict |", "| --- | --- | --- | --- |"]
    for topic, own in findings.items():
        for finding in own:
            cells = (
                finding.amount(finding.value).strip(),
                finding.wanted,
                finding.verdict or "for information",
            )
            lines.append(f"| {topic}: {finding.what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def tally(findings: list[Finding]) -> str:
    """How many targets were met, how many missed?"""
    verdicts = [finding.verdict for finding in findings]
    return f"{verdicts.count('met')} met, {verdicts.count('missed')} missed"
