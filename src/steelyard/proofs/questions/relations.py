"""How does one measure relate to another? Equal, affine, a rising function of it, never greater, the same
ranking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steelyard.measures.measure import Measure
from steelyard.proofs.examination import verdict_row
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.rising_functions import decide_rising_function
from steelyard.proofs.report import relations_report
from steelyard.proofs.verdict import Verdict
from steelyard.report.presented import Presented
from steelyard.report.sections import Report


@dataclass(frozen=True, repr=False)
class Relations(Presented):
    """What was decided about measures and another one."""

    against: str
    verdicts: tuple[Verdict, ...]

    def report(self) -> Report:
        return relations_report(f"How measures relate to {self.against}", self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        return {"against": self.against, "relations": self.plain()}

    def plain(self) -> list[dict[str, Any]]:
        return [verdict.to_dict() for verdict in self.verdicts]

    def table(self) -> list[dict[str, Any]]:
        """Every relation as a row of plain data."""
        return [verdict_row(verdict) for verdict in self.verdicts]


def relate(measures: Iterable[Measure], against: Measure) -> Relations:
    """Decide how each of the measures relates to another one."""
    other = Subject(against)
    verdicts: list[Verdict] = []
    for measure in measures:
        one = Subject(measure)
        verdicts += [
            orderings.decide_equal(one, other),
            orderings.decide_affine(one, other),
            decide_rising_function(one, other),
            orderings.decide_not_greater(one, other),
            orderings.decide_not_greater(other, one),
            orderings.decide_same_ranking(one, other),
        ]
    return Relations(against.name, tuple(verdicts))
