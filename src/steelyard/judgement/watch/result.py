"""Result of watching a stream: every block checked against the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.report.class_names import quoted
from steelyard.report.numbers import p_relation
from steelyard.report.presented import Presented
from steelyard.report.records import HIDDEN, AnyLabel, Json, Record, Schema, Value, derived, schema_of, titled
from steelyard.scores.fields import MeasureName, by_label
from steelyard.scores.unlabelled_priors import Estimate

# A metric is said to have changed when it differs from the reference by this much.
NOTABLE = 0.02


@dataclass(frozen=True)
class Alarm(Record):
    """A class rate that differs from the reference by more than chance explains."""

    truth: AnyLabel
    prediction: AnyLabel
    rate: float
    low: float
    #: The exact interval of the rate at the level of this check.
    high: float
    #: The rate in all rows before, those of a reference file first.
    reference: float
    examples: int
    p: float
    #: The row, counted from 1, after which the rate most likely changed: the first of its block.
    since_row: int
    #: How many of the latest blocks show it.
    blocks: int
    #: The time of that row, where rows have one.
    since: str | None = None

    @property
    def name(self) -> str:
        """The rate in words: recall, or the rate of one confusion."""
        if self.truth == self.prediction:
            return f"recall of {quoted(self.truth)}"
        return f"{quoted(self.truth)} predicted as {quoted(self.prediction)}"

    def __str__(self) -> str:
        now = f"{self.name} is {self.rate:.3f} ({self.examples:,} examples), before {self.reference:.3f}"
        return _dated(self, now)


@dataclass(frozen=True)
class PriorChange(Record):
    """A class whose prevalence differs from before by more than chance explains."""

    label: AnyLabel
    share: float
    reference: float
    p: float
    since_row: int
    since: str | None = None

    def __str__(self) -> str:
        shares = f"is {100 * self.share:.3g}%, before {100 * self.reference:.3g}%"
        return _dated(self, f"prevalence of {quoted(self.label)} {shares}")


def _dated(change: Alarm | PriorChange, now: str) -> str:
    """The change with the rows that it is computed from, which may be those of several blocks."""
    return f"since about {change.since or f'row {change.since_row:,}'} {now} (p {p_relation(change.p)})"


@dataclass(frozen=True)
class Moved(Record):
    """A metric on a block: how much of its change the priors explain, how much the class rates."""

    measure: MeasureName
    value: Value
    #: With the class rates of the block and the priors of the reference.
    at_reference_priors: Value
    reference: Value

    change = derived(Value, lambda self: self.value - self.reference)
    #: The part of the change that the priors alone explain.
    by_priors = derived(Value, lambda self: self.value - self.at_reference_priors)
    by_rates = derived(Value, lambda self: self.at_reference_priors - self.reference)


@dataclass(frozen=True)
class LabelledBlock(Record):
    """What one block of a labelled stream shows."""

    #: 0 for a block that became the reference, then 1, 2, ...
    number: Annotated[int, Json("look")]
    first_row: int
    rows: int
    matrix: Annotated[Confusion, HIDDEN]
    priors: Annotated[dict[Label, float], by_label("share")]
    #: Total variation distance to the reference's priors: the part of the rows that changed class.
    prior_distance: Value
    moved: Annotated[tuple[Moved, ...], Json("measures")]
    alarms: tuple[Alarm, ...]
    #: What the p-value of the recall had to fall below that may spend most: with few exceptions the rarest
    #: class's.
    level: Value
    #: Classes that the reference does not know.
    new_classes: tuple[AnyLabel, ...]
    #: Classes whose prevalence changed, by the same test as the rates.
    prior_changes: tuple[PriorChange, ...] = ()
    #: Was an alarm raised, of the kind that was asked for?
    alarm: bool = False
    #: The first and the last time of the block, where rows have one.
    start: str | None = None
    end: str | None = None

    @property
    def only_priors(self) -> tuple[Moved, ...]:
        """Metrics that changed notably together with the priors, while class rates show no change."""
        if self.alarms or not self.prior_changes:
            return ()
        return tuple(m for m in self.moved if abs(m.change) >= NOTABLE and abs(m.by_priors) > abs(m.by_rates))

    names_of_only_priors = derived(
        tuple[str, ...], lambda self: tuple(m.measure.name for m in self.only_priors), "only_priors"
    )


@dataclass(frozen=True)
class EstimatedShare(Record):
    """The estimated prevalence of a class in a block."""

    label: AnyLabel
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class EstimatedMetric(Record):
    """A metric of a block without labels, estimated under label shift."""

    measure: MeasureName
    value: Value
    low: Value
    high: Value


@dataclass(frozen=True)
class BlockFit(Record):
    """The test of label shift in a block."""

    p_value: float
    level: float
    fits: bool


@dataclass(frozen=True)
class UnlabelledBlock(Record):
    """What one block of an unlabelled stream shows."""

    SCHEMA: ClassVar[str] = "steelyard/watch-unlabelled/1"
    number: Annotated[int, Json("look")]
    first_row: int
    rows: int
    labels: Annotated[tuple[Label, ...], HIDDEN]
    estimate: Annotated[Estimate, HIDDEN]
    #: How often would rows that do fit look as badly mixed?
    p_value: Annotated[float, HIDDEN]
    #: What that had to fall below.
    level: Annotated[float, HIDDEN]
    #: The classes shown first: the positive one of two, the rarest of more.
    main: Annotated[tuple[int, ...], HIDDEN]
    #: Is label shift not rejected, with scores inside the labelled range?
    fits: Annotated[bool, HIDDEN]
    #: The estimate under covariate shift, where label shift is rejected and it can be made.
    covariate: Annotated[Estimate | None, HIDDEN]
    #: The p-value of the class priors of the reference; 1 where label shift is rejected.
    prior_p: float
    #: Metrics of predicted labels, where label shift is not rejected.
    measures: tuple[EstimatedMetric, ...] = ()
    alarm: bool = False
    start: str | None = None
    end: str | None = None

    @property
    def leads(self) -> Estimate | None:
        """The estimate that is valid, if any is."""
        return self.estimate if self.fits else self.covariate

    method = derived(str | None, lambda self: None if self.leads is None else self.leads.method)
    shares = derived(tuple[EstimatedShare, ...], lambda self: self._shares(self.leads))
    #: Under label shift, where that is rejected.
    rejected_shares = derived(
        tuple[EstimatedShare, ...], lambda self: () if self.fits else self._shares(self.estimate)
    )

    def _shares(self, estimate: Estimate | None) -> tuple[EstimatedShare, ...]:
        if estimate is None:
            return ()
        columns = (estimate.shares.tolist(), estimate.low.tolist(), estimate.high.tolist())
        return tuple(map(EstimatedShare, self.labels, *columns))

    fit = derived(BlockFit, lambda self: BlockFit(self.p_value, self.level, self.fits))


def json_schema() -> Schema:
    """The JSON schema of a line of `steelyard watch --json`."""
    title = "One block of a stream, a line of JSON; the second form with --unlabelled"
    forms = [schema_of(LabelledBlock), schema_of(UnlabelledBlock)]
    return titled("steelyard/watch/1", title, {"anyOf": forms})


def when(block: LabelledBlock | UnlabelledBlock) -> str:
    """The time of a block, or its rows counted from 1."""
    if block.start is not None:
        return block.start if block.end in (None, block.start) else f"{block.start} to {block.end}"
    first = block.first_row + isinstance(block, LabelledBlock)
    return f"rows {first:,} to {first + block.rows - 1:,}"


class Watched(Presented):
    """A stream that is watched block by block: what both kinds of watch share."""

    SCHEMA: ClassVar[str]

    def __init__(self, source: str, alpha: float, alarm: str) -> None:
        if not 0 < alpha < 1:
            what, allowed = "alpha must be a probability", "a number between 0 and 1, such as 0.05"
            raise InputError(what, found=repr(alpha), allowed=allowed, parameter="alpha")
        self.source, self.alpha, self.alarm = source, alpha, alarm
        self.blocks: list[Any] = []
        self.rows = 0
        #: What was noticed while reading: rows left out, numbers written in two ways.
        self.notes: tuple[str, ...] = ()

    @property
    def alpha_of_each(self) -> float:
        """What the test of rates and that of priors may spend, where both raise alarms."""
        # Bonferroni: two families of tests share the probability of a false alarm.
        return self.alpha / 2 if self.alarm == "both" else self.alpha

    @property
    def alarmed(self) -> list[Any]:
        """The blocks that raised an alarm."""
        return [block for block in self.blocks if block.alarm]

    @property
    def exit_code(self) -> int:
        """1 where an alarm was raised, otherwise 0."""
        return 1 if self.alarmed else 0

    @property
    def looks(self) -> list[Any]:
        """The former name of `blocks`."""
        return self.blocks

    def __repr__(self) -> str:
        text: str = self._beside("sections").text(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": self.SCHEMA,
            "source": self.source,
            "alpha": self.alpha,
            "alarm": self.alarm,
            "looks": [block.to_dict() for block in self.blocks],
        }
