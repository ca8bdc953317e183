"""Publicly available cells of the paper's property tables, compared with ours.

The tables themselves could not be found. Its opening states a few of their cells; all others are marked as
not found, and none is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from steelyard.proofs import Verdict, shown_matrix, without_certificates
from steelyard_papers.claim import Finding, verdict_on

Mark = Literal["✓", "✗"]
# The measures of the authors' code, and what they are called here.
ROWS = {
    "F1": "f_beta",
    "Jaccard": "threat_score",
    "Accuracy": "accuracy",
    "Balanced accuracy": "balanced_accuracy",
    "Cohen's kappa": "kappa",
    "Correlation coefficient": "mcc",
    "Confusion entropy": "confusion_entropy",
    "Symmetric balanced accuracy": "symmetric_balanced_accuracy",
    "Generalised means, r = 1": "generalised_means",
    "Correlation distance": "correlation_distance",
}
# The properties of the paper's tables, by our names.
PROPERTIES = (
    "maximal-agreement",
    "minimal-agreement",
    "order-invariance",
    "transposition",
    "distance",
    "strictly-monotone",
    "strongly-monotone",
    "constant-baseline",
    "chance-constant",
)
FAMILY = ("Correlation coefficient", "Symmetric balanced accuracy", "Generalised means, r = 1")
STATED = "abstract: all desirable properties except one"


@dataclass(frozen=True)
class Published:
    """A cell that the paper states."""

    mark: Mark
    where: str


def published(row: str, property_id: str) -> Published | None:
    """What the public text says of a cell for two classes; None where it was not found."""
    if row in FAMILY:
        return Published("✗" if property_id == "distance" else "✓", STATED)
    if row == "Accuracy" and property_id == "constant-baseline":
        return Published("✗", "section 1: biased towards the majority class")
    return None


@dataclass(frozen=True)
class Compared:
    """One cell, theirs and ours."""

    row: str
    measure: str
    property_id: str
    theirs: Published | None
    ours: Verdict

    @property
    def our_mark(self) -> str:
        if self.ours.grade == "not applicable":
            return "·"
        return {True: "✓", False: "✗", None: "?"}[self.ours.holds_at(2)]

    @property
    def differs(self) -> bool:
        return self.theirs is not None and self.theirs.mark != self.our_mark

    @property
    def why(self) -> str:
        """The matrices that decide it, and what is said of empty classes."""
        example = self.ours.counterexample
        shown = "" if example is None else " and ".join(map(shown_matrix, example.matrices))
        return "; ".join(reason for reason in (shown, *self.ours.notes) if reason)


def comparisons() -> Iterator[Compared]:
    """Every cell of ten measures and nine properties."""
    for row, name in ROWS.items():
        for property_id in PROPERTIES:
            ours = verdict_on(name, property_id)
            yield Compared(row, name, property_id, published(row, property_id), ours)


def compared() -> Finding:
    """Do the cells that are public agree?"""
    with without_certificates():  # the verdicts that come with the package were certified when decided
        cells = list(comparisons())
    known = [cell for cell in cells if cell.theirs is not None]
    off = [cell for cell in known if cell.differs]
    evidence = (
        f"{len(known) - len(off)} of {len(known)} cells that the public text states agree;"
        f" {len(cells) - len(known)} of {len(cells)} cells could not be found"
    )
    lines = tuple(
        f"{c.row}, {c.property_id}: paper {c.theirs.mark}, here {c.our_mark} ({c.why})"
        for c in off
        if c.theirs is not None
    )
    if not off:
        return Finding("reproduced", evidence)
    matrices = tuple(m for c in off if c.ours.counterexample for m in c.ours.counterexample.matrices)
    return Finding("not reproduced", f"{evidence}; these do not: " + "; ".join(lines), matrices[:4], lines)
