"""Watch a stream of labelled predictions: did the class rates change, or only the class priors?"""

# Precision, F1, MCC and most others change when the class priors change, though recall and specificity stay
# (mullick2020 section 1.3). For every block: the observed priors; each metric at the observed priors and at
# those of the reference, which splits its change into the part of the priors and the part of the class rates;
# and an alarm when class rates changed.
#
# The alarm is a sequential test (`sequential_test`): after every block the latest 1, 2, 3, 4, 6, ... blocks
# are compared with all rows before them, every rate m_ij / t_i by Fisher's exact test, so that evidence
# accumulates over blocks, and most of alpha is kept for classes with few examples. How much rates vary
# between blocks by themselves is learnt from the blocks and allowed for, unless rows are `independent`. The
# class priors are tested in the same way before a change is attributed to them.

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from steelyard.counts.confusion import Confusion, placed
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError
from steelyard.judgement.rules import HEADLINE_MULTI_CLASS, HEADLINE_TWO_CLASS
from steelyard.judgement.watch.result import Alarm, LabelledBlock, Moved, PriorChange, Watched
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, weigh
from steelyard.reading.tally import Tally
from steelyard.report.class_names import quoted
from steelyard.uncertainty.binomial_intervals import clopper_pearson
from steelyard.uncertainty.sequential_test import Change, detectable_rate, find_changes, level_of, shares_of

# Numbers of blocks after which a change might be detected; the first at which one can is said.
POWER_AFTER = (3, 10, 30, 100)
# Blocks that are tried as one where theirs are too small.
LARGER_BLOCKS = (2, 3, 4, 5)


class Watch(Watched):
    """Blocks of a labelled stream, each checked against a reference.

    `reference` is a Confusion (or a Tally) of rows that are known to be good, or a list of them, one for each
    block, from which natural variation between blocks is learnt; without one it is all rows before the block,
    or before the change once there is an alarm. `independent` assumes no such variation. Blocks are counts of
    rows, not weights, and must not overlap.

    >>> import steelyard as sy
    >>> good = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    >>> watch = sy.Watch(good, independent=True)
    >>> block = watch.check(sy.Confusion([[50, 50], [30, 870]], labels=["fraud", "ok"]))
    >>> print(block.alarms[0])
    since about row 1 recall of "fraud" is 0.500 (100 examples), before 0.900 (p < 0.001)
    """

    SCHEMA: ClassVar[str] = "steelyard/watch/1"

    def __init__(
        self,
        reference: Confusion | Tally | Sequence[Confusion | Tally] | None = None,
        *,
        measures: Iterable[Measure | str] | None = None,
        positive: Label | None = None,
        alpha: float = 0.05,
        alarm: str = "rates",
        independent: bool = False,
        source: str = "a stream",
    ) -> None:
        super().__init__(source, alpha, alarm)
        self._chosen = None if measures is None else [measure(name) for name in measures]
        of_scores = [m.name for m in self._chosen or () if m.kind == "scores"]
        if of_scores:
            what, do = "a watch is of metrics of labels", "choose another metric"
            raise InputError(what, found=of_scores[0], do=do, parameter="measures")
        several: Sequence[Any] = reference if isinstance(reference, (list, tuple)) else [reference]
        self._reference_blocks = [_counts_of_rows(block) for block in several if block is not None]
        self.reference: Confusion | None = None
        for counted in self._reference_blocks:
            self.reference = counted if self.reference is None else _together(self.reference, counted)[0]
        self.given, self.independent = self.reference is not None, independent
        #: What the reference is called in text: the name of its file.
        self.reference_name = "the reference"
        self.positive = positive
        self._history = _History()
        if self.reference is not None:
            self._history.add(self.reference)
        #: How many rows of the stream had gone by at each entry of the history.
        self._first_rows = [0] if self.given else []
        #: The time of the first row after each entry of the history.
        self._starts: list[str | None] = []

    def check(
        self, block: Confusion | Tally, start: str | None = None, end: str | None = None
    ) -> LabelledBlock:
        """Check the next block against the reference; `start` and `end` are its first and last time."""
        counted = _counts_of_rows(block)
        known = () if self.reference is None else self.reference.labels
        number = len(self._history)
        if number:
            self._history.add(_together(self._history[-1], counted)[0])
            self._starts.append(start)
        else:  # the first block of a stream without a reference has nothing before it
            self.reference = counted
            self._history.add(counted)
        levels = level_of(number, self.alpha_of_each) * _shares(self._history[-1]) if number else np.zeros(1)
        alarms, first = self._alarms(levels) if number else ((), None)
        if not self.given and number:
            # After a change the rows before it stay the reference; otherwise a drift would become the norm.
            self.reference = self._history[number - 1 if first is None else first]
        assert self.reference is not None
        _, (reference, matrix) = _together(self.reference, counted)
        priors, expected = _priors(matrix), _priors(reference)
        # Kept beside the history, so that an alarm can name the row and time at which the rate changed.
        self._first_rows.append(self.rows + int(matrix.total))
        changes = self._prior_changes() if number else ()
        result = LabelledBlock(
            number=number,
            first_row=self.rows,
            rows=int(matrix.total),
            matrix=matrix,
            priors=priors,
            prior_distance=sum(abs(priors[label] - expected[label]) for label in priors) / 2,
            moved=self._moved(matrix, reference, expected),
            alarms=alarms,
            level=float(levels.max()),
            new_classes=tuple(label for label in matrix.labels if known and label not in known),
            prior_changes=changes,
            alarm=bool((self.alarm != "priors" and alarms) or (self.alarm != "rates" and changes)),
            start=start,
            end=end,
        )
        self.rows += result.rows
        self.blocks.append(result)
        return result

    #: The former name.
    look = check

    def _alarms(self, levels: Array) -> tuple[tuple[Alarm, ...], int | None]:
        """The rates that changed, the smallest p-value first, and the first change's entry in the history."""
        latest = self._history[-1]
        every, known = self._counts()
        # With two classes the two rates of a class add up to 1: one test is enough.
        pair = latest.n_classes == 2
        hits, hits_known = (
            np.diagonal(counts, axis1=1, axis2=2)[..., None] if pair else counts for counts in (every, known)
        )
        reference = (hits_known, known.sum(axis=2))
        changes = find_changes(hits, every.sum(axis=2), levels, not self.independent, reference)
        alarms = []
        for change in changes:
            # At the level of this very check, not at 95%: many rates are tested after every block.
            low, high = clopper_pearson(change.hits, change.of, 1 - float(levels[change.row, change.column]))
            row, column = change.row, change.row if pair else change.column
            of: dict[str, Any] = {"low": low, "high": high, "examples": change.of, "blocks": change.blocks}
            rate = change.hits / change.of
            of |= self._before(change)
            alarms.append(Alarm(latest.labels[row], latest.labels[column], rate, **of))
        first = min((change.since for change in changes), default=None)
        return tuple(sorted(alarms, key=lambda alarm: (alarm.p, -abs(alarm.rate - alarm.reference)))), first

    def _prior_changes(self) -> tuple[PriorChange, ...]:
        """The classes whose prevalence changed."""
        latest = self._history[-1]
        actual, known = (counts.sum(axis=2) for counts in self._counts())
        columns = list(range(latest.n_classes))
        if latest.n_classes == 2:  # the one that is spoken of: the positive class, or the rarer one
            named = [k for k, label in enumerate(latest.labels) if str(label) == str(self.positive)]
            columns = named[:1] or [int(np.argmin(latest.actual))]
        level = level_of(len(self._history) - 1, self.alpha_of_each) / len(columns)
        reference = (known[:, None, columns], known.sum(axis=1)[:, None])
        totals = actual.sum(axis=1)[:, None]
        changes = find_changes(actual[:, None, columns], totals, level, not self.independent, reference)
        labels = [latest.labels[column] for column in columns]
        return tuple(PriorChange(labels[c.column], c.hits / c.of, **self._before(c)) for c in changes)

    def _before(self, change: Change) -> dict[str, Any]:
        """What was before a change, its p-value, and since when."""
        since = {"since_row": self._first_rows[change.since] + 1, "since": self._starts[change.since]}
        return {"reference": change.hits_before / change.of_before, "p": change.p, **since}

    def _counts(self, every: int = 1) -> tuple[Array, Array]:
        """(K, C, C): the history, and the blocks of the reference (else the first), on the classes of now."""
        known = self._reference_blocks or [self._history[0]]
        blocks = np.stack([_on_classes(self._history.labels, entry).counts for entry in known])
        return self._history.counts[::every], blocks

    @property
    def rare_class(self) -> Label | None:
        """The positive class, or else the one with the fewest rows over all blocks; None where none is rarer
        than another."""
        rows: dict[Label, float] = {}
        for block in self.blocks:
            for label, share in block.priors.items():
                rows[label] = rows.get(label, 0.0) + share * block.rows
        if self.positive is not None:
            return next((label for label in rows if str(label) == str(self.positive)), None)
        present = {label: number for label, number in rows.items() if number > 0}
        if len(present) < 2 or max(present.values()) == min(present.values()):
            return None
        return min(present, key=lambda label: present[label])

    def power(self) -> str:
        """The drop of the rarest class's recall that would be detected, and how soon; empty before the second
        block, and after an alarm, since the rows of a change say nothing about the next one."""
        if len(self._history) < 2 or any(block.alarms for block in self.blocks):
            return ""
        latest, rarest, each = self._rarest()
        recall = latest.counts[rarest, rarest] / latest.actual[rarest]
        examples = "less than one example" if each < 1 else f"about {each:,.0f} examples"
        per_block = f"With {examples} of {quoted(latest.labels[rarest])} per block,"
        detectable = self._detectable()
        if detectable is None:
            return f"{per_block} no drop of its recall would be detected within {POWER_AFTER[-1]} blocks."
        drop = f"a drop of its recall from {recall:.2f} to below {detectable[0]:.2f}"
        return f"{per_block} {drop} would be detected after about {detectable[1]} blocks."

    def without_power(self) -> str:
        """What to do where no drop of the rarest class's recall could be detected; empty where one could."""
        if not self.power() or self._detectable() is not None:
            return ""
        latest, rarest, _ = self._rarest()
        possible = [merged for merged in LARGER_BLOCKS if len(self._history) > 2 * merged]
        larger = next((merged for merged in possible if self._detectable(merged) is not None), None)
        timed = self.blocks[0].start is not None
        size = self.blocks[0].rows
        do = "choose larger blocks" if timed or larger is None else f"try --every {size * larger}"
        return (
            f" But no drop of the recall of {quoted(latest.labels[rarest])} could be detected in such small"
            f" blocks: {do}."
        )

    def _rarest(self) -> tuple[Confusion, int, float]:
        """All rows so far, the place of the rarest class and its examples per block."""
        latest = self._history[-1]
        present = np.flatnonzero(latest.actual > 0)
        rarest = int(present[np.argmin(latest.actual[present])])
        since_first = int(latest.actual[rarest]) - int(self._history[0].actual[rarest])
        return latest, rarest, since_first / (len(self._history) - 1)

    def _detectable(self, merged: int = 1) -> tuple[float, int] | None:
        """The recall of the rarest class below which a drop would be detected, and after how many blocks."""
        # `merged` blocks are taken as one.
        latest, rarest, each = self._rarest()
        every, known = self._counts(merged)
        blocks_so_far: Any = None
        if not self.independent:
            rows = np.concatenate([known[:, rarest], np.diff(every[:, rarest], axis=0)]).astype(np.float64)
            blocks_so_far = rows[:, rarest], rows.sum(axis=1)
        counts = int(latest.counts[rarest, rarest]), int(latest.actual[rarest])
        share = float(_shares(latest)[rarest].max())
        for blocks in POWER_AFTER:
            how: Any = (len(every) - 1, blocks, self.alpha_of_each, share, blocks_so_far)
            low = detectable_rate(*counts, each * merged, *how)
            if low is not None:
                return low, blocks
        return None

    @property
    def measures(self) -> list[Measure]:
        """The metrics watched: those asked for, or the headline of an evaluation."""
        if self._chosen is not None:
            return self._chosen
        two = self.reference is not None and self.reference.n_classes == 2
        return [measure(name) for name in (HEADLINE_TWO_CLASS if two else HEADLINE_MULTI_CLASS)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        reference = None if self.reference is None else self.reference.to_dict()
        return {**super().to_dict(), "power": self.power(), "reference": reference}

    def table(self) -> list[dict[str, Any]]:
        """Every metric on every block as a row of plain data."""
        return [
            {"look": block.number, "first_row": block.first_row, "rows": block.rows, **m.to_dict()}
            for block in self.blocks
            for m in block.moved
        ]

    def _moved(
        self, matrix: Confusion, reference: Confusion, priors: dict[Label, float]
    ) -> tuple[Moved, ...]:
        several = matrix.n_classes != 2
        watched = [m for m in self.measures if m.kind != "two-class"]
        if not several or self.positive is not None:
            watched = self.measures
        elif of_two := [m.name for m in self._chosen or () if m.kind == "two-class"]:
            raise InputError(
                f"{of_two[0]} is a metric of one class against the rest",
                found=f"{matrix.n_classes} classes and no positive class",
                do="name it",
                parameter="positive",
            )
        # Metrics of two classes are at the priors of the positive class and of all others.
        positive, of_one = self.positive, priors
        if any(m.kind == "two-class" for m in watched):
            positive = positive if several else reference.positive_class(positive).label
            of_one = _priors(reference.one_vs_rest(positive)) if several else priors
        # All measures of a matrix at once: they share its sums.
        now, before = (weigh(watched, counts, positive=positive) for counts in (matrix, reference))
        moved = [m.at_priors(of_one if m.kind == "two-class" else priors) for m in watched]
        at_reference = weigh(moved, matrix, positive=positive)
        return tuple(
            Moved(m, now[m.name], at_reference[at.name], before[m.name])
            for m, at in zip(watched, moved, strict=True)
        )


class _History:
    """Counts of the reference and of all blocks up to each one, on the classes known by now."""

    # In an array that doubles: putting all blocks together at every block makes long streams quadratic.

    def __init__(self) -> None:
        self.labels: tuple[Label, ...] = ()
        self.counts = self._room = np.zeros((0, 0, 0), np.int64)

    def add(self, latest: Confusion) -> None:
        """Count on; the classes of the latest counts hold all that were known."""
        size, classes = len(self), len(latest.labels)
        if size == len(self._room) or latest.labels != self.labels:
            self._room = np.zeros((2 * size + 16, classes, classes), np.int64)
            if size:
                self._room[:size] = placed(Confusion(self.counts, self.labels), latest.labels)
        self._room[size] = latest.counts
        self.labels, self.counts = latest.labels, self._room[: size + 1]

    def __getstate__(self) -> dict[str, Any]:
        # Without the room for more.
        return {"labels": self.labels, "counts": self.counts, "_room": self.counts}

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, place: int) -> Confusion:
        return Confusion(self.counts[place], self.labels)


def _counts_of_rows(counted: Confusion | Tally) -> Confusion:
    matrix = counted.confusion if isinstance(counted, Tally) else counted
    counts = matrix.counts
    if not counts.any():
        raise InputError("there is nothing in the block", found="0 rows", allowed="at least one row")
    if counts.dtype.kind != "i":
        rounded = np.rint(counts)
        if not np.array_equal(rounded, counts):
            raise InputError(
                "drift is judged on counts of rows",
                found="sums of weights, or a tally that fades",
                allowed="whole numbers of rows",
            )
        matrix = Confusion(rounded.astype(np.int64), matrix.labels)
    return matrix


def _on_classes(names: Sequence[Label], matrix: Confusion) -> Confusion:
    """The counts of a matrix, on these classes."""
    return matrix if tuple(names) == matrix.labels else Confusion(placed(matrix, names), names)


def _together(first: Confusion, second: Confusion) -> tuple[Confusion, tuple[Confusion, Confusion]]:
    """The sum of two matrices, and each of them, on the classes of both."""
    # Classes keep the order in which the stream first showed them, so that rates stay comparable.
    names = [*first.labels, *(label for label in second.labels if label not in first.labels)]
    pair = _on_classes(names, first), _on_classes(names, second)
    return Confusion(pair[0].counts + pair[1].counts, names), pair


def _priors(matrix: Confusion) -> dict[Label, float]:
    total = float(matrix.total)
    return {label: count / total for label, count in zip(matrix.labels, matrix.actual.tolist(), strict=True)}


def _shares(latest: Confusion) -> Array:
    """Each rate's part of the level; with two classes one rate of each is tested."""
    return shares_of(latest.actual, 1 if latest.n_classes == 2 else latest.n_classes)
