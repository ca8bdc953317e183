"""What is seen when a watch looks at a block? Alarms, moved priors, and what moved each measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.counts.labels import Label
from steelyard.counts.plain import number_or_none, plain_label
from steelyard.measures.measure import Measure

NOTABLE = 0.02
"""A measure is said to have moved when it differs from the reference by this much."""


@dataclass(frozen=True)
class Alarm:
    """A rate of a class that differs from the reference more than chance explains."""

    truth: Label
    prediction: Label
    rate: float
    low: float
    high: float
    """The exact interval of the rate at the level of this look."""
    reference: float
    """The rate in all rows before, those of a reference file first."""
    examples: int
    p: float
    since_row: int
    """The row, counted from 1, after which the rate most likely changed: the first of its block."""
    blocks: int
    """How many of the latest blocks show it."""

    def __str__(self) -> str:
        what = (
            f"recall of {self.truth}"
            if self.truth == self.prediction
            else f"{self.truth} taken for {self.prediction}"
        )
        return (
            f"{what} {self.rate:.3f} ({self.low:.3f} to {self.high:.3f}, {self.examples:,} examples),"
            f" before {self.reference:.3f}, since about row {self.since_row:,}"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "truth": plain_label(self.truth),
            "prediction": plain_label(self.prediction),
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
            "reference": self.reference,
            "examples": self.examples,
            "p": self.p,
            "since_row": self.since_row,
            "blocks": self.blocks,
        }


@dataclass(frozen=True)
class PriorChange:
    """A class whose share of the rows differs from before by more than chance explains."""

    label: Label
    share: float
    reference: float
    p: float
    since_row: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "label": plain_label(self.label),
            "share": self.share,
            "reference": self.reference,
            "p": self.p,
            "since_row": self.since_row,
        }


@dataclass(frozen=True)
class Moved:
    """A measure on a block, and what its change is made of."""

    measure: Measure
    value: float
    at_reference_priors: float
    """With the class rates of the block and the priors of the reference."""
    reference: float

    @property
    def change(self) -> float:
        return self.value - self.reference

    @property
    def by_priors(self) -> float:
        """The part of the change that the priors alone explain."""
        return self.value - self.at_reference_priors

    @property
    def by_rates(self) -> float:
        return self.at_reference_priors - self.reference

    def to_dict(self) -> dict[str, Any]:
        names = ("value", "at_reference_priors", "reference", "change", "by_priors", "by_rates")
        return {"measure": self.measure.name, **{name: number_or_none(getattr(self, name)) for name in names}}


@dataclass(frozen=True)
class Look:
    """What one block of the stream shows."""

    number: int
    """0 for a block that became the reference, then 1, 2, ..."""
    first_row: int
    rows: int
    priors: dict[Label, float]
    prior_distance: float
    """Half the sum of absolute differences to the reference's priors: the part of the rows that changed
    class."""
    moved: tuple[Moved, ...]
    alarms: tuple[Alarm, ...]
    level: float
    """What the p-value of the recall had to fall below that may spend most: with few exceptions the rarest
    class's."""
    new_classes: tuple[Label, ...]
    """Classes that the reference does not know."""
    prior_changes: tuple[PriorChange, ...] = ()
    """Classes whose share changed, by the same test as the rates."""

    @property
    def only_priors(self) -> tuple[Moved, ...]:
        """Measures that moved notably with priors that are known to have changed, while the class rates show
        no change."""
        if self.alarms or not self.prior_changes:
            return ()
        return tuple(m for m in self.moved if abs(m.change) >= NOTABLE and abs(m.by_priors) > abs(m.by_rates))

    def to_dict(self) -> dict[str, Any]:
        return {
            "look": self.number,
            "first_row": self.first_row,
            "rows": self.rows,
            "priors": [{"label": plain_label(label), "share": share} for label, share in self.priors.items()],
            "prior_distance": self.prior_distance,
            "measures": [m.to_dict() for m in self.moved],
            "only_priors": [m.measure.name for m in self.only_priors],
            "alarms": [alarm.to_dict() for alarm in self.alarms],
            "level": self.level,
            "new_classes": [plain_label(label) for label in self.new_classes],
            "prior_changes": [change.to_dict() for change in self.prior_changes],
        }
