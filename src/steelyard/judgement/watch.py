"""Did the classifier change, or only the classes it meets?

Precision, F1, MCC and most others move when the class priors move, though the classifier tells the classes
apart as before (mullick2020 section 1.3). For every block of a stream: the observed priors; each measure at
the observed priors and at those of the reference, which splits its change into the part of the priors and the
part of the class rates; and an alarm when class rates changed.

The alarm is a sequential test (`sequential_test`): after every block the latest 1, 2, 3, 4, 6, ...
blocks are held against all rows before them, every rate m_ij / t_i by Fisher's exact test, so that evidence
accumulates over blocks, and most of alpha is kept for classes with few examples. The probability of ever
raising a false alarm, however small the blocks and however often one looks, is at most `alpha`. The class
priors are tested in the same way before a change is laid on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.rules import (
    HEADLINE_MULTI_CLASS,
    HEADLINE_TWO_CLASS,
    OTHERS_REPORT_MULTI_CLASS,
    OTHERS_REPORT_TWO_CLASS,
)
from steelyard.judgement.watch_looks import Alarm, Look, Moved, PriorChange
from steelyard.judgement.watch_sections import line, watch_report
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure, weigh
from steelyard.reading.tally import Tally
from steelyard.report.presented import Presented
from steelyard.report.sections import Report
from steelyard.uncertainty.binomial_intervals import clopper_pearson
from steelyard.uncertainty.sequential_test import detectable_rate, find_changes, level_of, shares_of

Array = NDArray[Any]
SCHEMA = "steelyard/watch/1"

POWER_AFTER = (3, 10, 30, 100)
"""Numbers of blocks after which a change might be seen; the first at which one can is told."""


class Watch(Presented):
    """Blocks of a stream, each held against a reference.

    `reference` is a Confusion (or a Tally) of rows that are known to be good; without one it is all rows
    before the block, or before the change once there is an alarm. Blocks are counts of rows, not weights, and
    must not overlap.

    >>> import steelyard as sy
    >>> watch = sy.Watch(sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"]))
    >>> look = watch.look(sy.Confusion([[50, 50], [30, 870]], labels=["fraud", "ok"]))
    >>> print(look.alarms[0])
    recall of fraud 0.500 (0.352 to 0.648, 100 examples), before 0.900, since about row 1
    """

    def __init__(
        self,
        reference: Confusion | Tally | None = None,
        *,
        measures: Iterable[Measure | str] | None = None,
        positive: Label | None = None,
        alpha: float = 0.05,
        source: str = "a stream",
    ) -> None:
        if not 0 < alpha < 1:
            raise InputError(
                "alpha must be a probability",
                found=repr(alpha),
                allowed="a number between 0 and 1, such as 0.05",
            )
        self.reference = None if reference is None else _counts_of_rows(reference)
        self.given = reference is not None
        self.positive, self.alpha, self.source = positive, alpha, source
        self._chosen = (
            None if measures is None else [m if isinstance(m, Measure) else measure(m) for m in measures]
        )
        self.looks: list[Look] = []
        self.rows = 0
        self._history: list[Confusion] = [] if self.reference is None else [self.reference]
        """Counts of the reference and of all blocks up to each one, on the classes known by now."""
        self._first_rows = [0] if self.given else []
        """How many rows of the stream had gone by at each entry of the history."""

    def look(self, block: Confusion | Tally) -> Look:
        """Hold the next block against the reference."""
        seen = _counts_of_rows(block)
        known = () if self.reference is None else self.reference.labels
        if (
            not self._history
        ):  # the first block of a stream without a reference can only be held against itself
            self.reference, self._history, number = seen, [seen], 0
        else:
            together, placed = _on_common_classes(self._history[-1], seen)
            if together.labels != self._history[-1].labels:
                self._history = [_on_common_classes(together, entry)[1] for entry in self._history]
            self._history.append(Confusion(together.counts + placed.counts, together.labels))
            number = len(self._history) - 1
        levels = level_of(number, self.alpha) * _shares(self._history[-1]) if number else np.zeros(1)
        alarms, first = self._alarms(levels) if number else ((), None)
        if not self.given and number:
            self.reference = self._history[number - 1 if first is None else first]
        assert self.reference is not None
        reference, matrix = _on_common_classes(self.reference, seen)
        priors, expected = _priors(matrix), _priors(reference)
        self._first_rows.append(self.rows + int(matrix.total))
        result = Look(
            number=number,
            first_row=self.rows,
            rows=int(matrix.total),
            priors=priors,
            prior_distance=sum(abs(priors[label] - expected[label]) for label in priors) / 2,
            moved=self._moved(matrix, reference, expected),
            alarms=alarms,
            level=float(levels.max()),
            new_classes=tuple(label for label in matrix.labels if known and label not in known),
            prior_changes=self._prior_changes() if number else (),
        )
        self.rows += result.rows
        self.looks.append(result)
        return result

    def _alarms(self, levels: Array) -> tuple[tuple[Alarm, ...], int | None]:
        """The rates that changed, the surest first, and after how many entries of the history the first of
        them did."""
        latest = self._history[-1]
        every = np.stack([entry.counts for entry in self._history])
        # With two classes the two rates of a class add up to 1: one test is enough.
        hits = np.diagonal(every, axis1=1, axis2=2)[..., None] if latest.n_classes == 2 else every
        changes = find_changes(hits, every.sum(axis=2), levels)
        found = []
        for change in changes:
            prediction = change.row if latest.n_classes == 2 else change.column
            low, high = clopper_pearson(change.hits, change.of, 1 - float(levels[change.row, change.column]))
            found.append(
                Alarm(
                    truth=latest.labels[change.row],
                    prediction=latest.labels[prediction],
                    rate=change.hits / change.of,
                    low=low,
                    high=high,
                    reference=change.hits_before / change.of_before,
                    examples=change.of,
                    p=change.p,
                    since_row=self._first_rows[change.since] + 1,
                    blocks=change.blocks,
                )
            )
        first = min((change.since for change in changes), default=None)
        return tuple(sorted(found, key=lambda alarm: (alarm.p, -abs(alarm.rate - alarm.reference)))), first

    def _prior_changes(self) -> tuple[PriorChange, ...]:
        """The classes whose share of the rows changed."""
        latest = self._history[-1]
        actual = np.stack([entry.actual for entry in self._history])
        rows = actual.sum(axis=1)
        tested = 1 if latest.n_classes == 2 else latest.n_classes
        level = level_of(len(self._history) - 1, self.alpha) / tested
        return tuple(
            PriorChange(
                latest.labels[change.column],
                change.hits / change.of,
                change.hits_before / change.of_before,
                change.p,
                self._first_rows[change.since] + 1,
            )
            for change in find_changes(actual[:, None, :tested], rows[:, None], level)
        )

    def power(self) -> str:
        """What fall of the rarest class's recall would be seen, and how soon? Empty before the second
        block."""
        if len(self._history) < 2:
            return ""
        latest, looks = self._history[-1], len(self._history) - 1
        seen = np.flatnonzero(latest.actual > 0)
        rarest = int(seen[np.argmin(latest.actual[seen])])
        hits, of = int(latest.counts[rarest, rarest]), int(latest.actual[rarest])
        each = (of - int(self._history[0].actual[rarest])) / looks
        label, share = latest.labels[rarest], float(_shares(latest)[rarest].max())
        for blocks in POWER_AFTER:
            low = detectable_rate(hits, of, each, looks, blocks, self.alpha, share)
            if low is not None:
                after = f"about {blocks} block{'s' if blocks > 1 else ''}"
                return (
                    f"with {each:.3g} examples of {label} a block, a fall of its recall from {hits / of:.2f}"
                    f" below {low:.2f} would be seen after {after}"
                )
        return (
            f"with {each:.3g} examples of {label} a block, no fall of its recall would be seen within"
            f" {POWER_AFTER[-1]} blocks"
        )

    @property
    def measures(self) -> list[Measure]:
        """What is watched: what was asked for, or the headline and what others report."""
        if self._chosen is not None:
            return self._chosen
        if self.reference is not None and self.reference.n_classes == 2:
            return [measure(name) for name in (*HEADLINE_TWO_CLASS[:2], *OTHERS_REPORT_TWO_CLASS)]
        return [measure(name) for name in (*HEADLINE_MULTI_CLASS, *OTHERS_REPORT_MULTI_CLASS)]

    def report(self) -> Report:
        return watch_report(self)

    def __repr__(self) -> str:
        return "\n".join([f"Watch over {self.source}", *(line(look) for look in self.looks)])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "schema": SCHEMA,
            "source": self.source,
            "alpha": self.alpha,
            "power": self.power(),
            "reference": None if self.reference is None else self.reference.to_dict(),
            "looks": [look.to_dict() for look in self.looks],
        }

    def table(self) -> list[dict[str, Any]]:
        """Every measure on every block as a row of plain data."""
        return [
            {"look": look.number, "first_row": look.first_row, "rows": look.rows, **m.to_dict()}
            for look in self.looks
            for m in look.moved
        ]

    def _moved(
        self, matrix: Confusion, reference: Confusion, priors: dict[Label, float]
    ) -> tuple[Moved, ...]:
        several = matrix.n_classes != 2
        watched = [
            m for m in self.measures if m.kind != "two-class" or not several or self.positive is not None
        ]
        found: dict[str, Moved] = {}
        for kind in ("two-class", "multi-class"):
            measures = [m for m in watched if m.kind == kind]
            if not measures:
                continue
            positive, pair, wanted = None, (matrix, reference), priors
            if kind == "two-class":
                positive = self.positive if several else reference.positive_class(self.positive).label
                if several:
                    pair = matrix.one_vs_rest(positive), reference.one_vs_rest(positive)
                wanted = _priors(pair[1])
            # every measure of a matrix at once: they share its sums
            now, before = (weigh(measures, counts, positive=positive) for counts in pair)
            moved = [m.at_priors(wanted) for m in measures]
            at_reference = weigh(moved, pair[0], positive=positive)
            for m, at in zip(measures, moved, strict=True):
                found[m.name] = Moved(m, now[m.name], at_reference[at.name], before[m.name])
        return tuple(found[m.name] for m in watched)


def _counts_of_rows(given: Confusion | Tally) -> Confusion:
    matrix = given.confusion if isinstance(given, Tally) else given
    counts = matrix.counts
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


def _on_common_classes(reference: Confusion, block: Confusion) -> tuple[Confusion, Confusion]:
    if reference.labels == block.labels:
        return reference, block
    names = [*reference.labels, *(label for label in block.labels if label not in reference.labels)]
    wide = []
    for matrix in (reference, block):
        at = [names.index(label) for label in matrix.labels]
        counts = np.zeros((len(names), len(names)), dtype=np.int64)
        counts[np.ix_(at, at)] = matrix.counts
        wide.append(Confusion(counts, names))
    return wide[0], wide[1]


def _priors(matrix: Confusion) -> dict[Label, float]:
    total = float(matrix.total)
    return {label: count / total for label, count in zip(matrix.labels, matrix.actual.tolist(), strict=True)}


def _shares(latest: Confusion) -> Array:
    """Each rate's part of the level; with two classes one rate of each is tested."""
    return shares_of(latest.actual, 1 if latest.n_classes == 2 else latest.n_classes)
