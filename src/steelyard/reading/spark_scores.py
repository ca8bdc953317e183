"""How many examples of each class were given each score, on a cluster?

One pass counts the scores of several columns in bins inside Spark, and meets what cannot be counted: missing
scores, text, weights below nothing. Few distinct scores come back as they are. Every curve is exact at the
start of a bin, and what a bin leaves open is bounded, as it says its lowest and its highest score; bins that
leave too much open are divided further. No user-defined functions, no Python on the workers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, is_missing
from steelyard.counts.score_columns import DROPPED, Missing, checked_missing
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError
from steelyard.reading import bounded_bins
from steelyard.reading.bounded_bins import (
    FEW_SCORES,
    MOST_DIVIDED,
    MOST_PASSES,
    TOLERANCE,
    Bin,
    bin_of,
    checked_tolerance,
    different_scores,
    divided_into,
    even_bin_of,
    highest_bin,
    named,
    sketch_of,
    ties_of,
    together,
    too_wide,
    written,
)
from steelyard.reading.named_columns import columns_of_classes, find_column
from steelyard.reading.score_files import MOST_CLASSES, of_many_columns
from steelyard.reading.spark import SparkFrame
from steelyard.reading.spark_oddities import Odd

Array = NDArray[Any]


class _Met(NamedTuple):
    """What a pass tells of the rows of one label in one bin."""

    m: int
    """The column, by its place."""
    b: int
    key: Any
    """What tells bins apart in this pass."""
    label: Any
    rows: int
    amount: float
    low: float
    high: float
    met: int
    odd: int = 0


def score_counts_of_spark(
    source: SparkFrame,
    score: str | Mapping[Label, str],
    truth: str | None = None,
    positive: Label | None = None,
    *,
    labels: Iterable[Label] | None = None,
    weight: str | None = None,
    missing: Missing = "error",
    tolerance: float = TOLERANCE,
    exact: bool = False,
) -> ScoreCounts:
    """Count the scores of a frame on its cluster: of one column, or of a column for each class.

    Bins are divided until they leave less than `tolerance` open of the area under the ROC curve of every
    column; `exact` brings every distinct score back, whatever their number.
    """
    checked_missing(missing)
    checked_tolerance(tolerance)
    columns = columns_of_classes(source.columns, score)
    truth = find_column(truth, [c for c in source.columns if c not in columns.values()], "truth", "truth=...")
    asked = Asked(source, truth, list(columns.values()), weight)
    dropped = asked.settle(missing)
    if exact and not asked.has_few_scores():
        labels_found, by_column = asked.listed()
        starts_of: list[tuple[Array | None, Array | None]] = [(None, None)] * len(columns)
    else:
        labels_found, counted = asked.counted(tolerance)
        by_column = [ties_of(bins, asked.weighted) for bins in counted]
        starts_of = [named(bins) for bins in counted]
    if not isinstance(score, Mapping) and "*" not in score:
        return ScoreCounts.from_ties(
            {labels_found[place]: ties for place, ties in by_column[0].items()},
            positive,
            labels,
            starts=starts_of[0][0],
            dropped=dropped,
            several=starts_of[0][1],
        )
    starts = together(starts for starts, _ in starts_of)
    return of_many_columns(labels_found, dict(zip(columns, by_column, strict=True)), labels, starts, dropped)


def counts_of_bins(labels: Sequence[Label], bins: Sequence[Bin], positive: Label | None) -> ScoreCounts:
    """The scores of one column, from its bins."""
    starts, several = named(bins)
    ties = {labels[place]: ties for place, ties in ties_of(bins, False).items()}
    return ScoreCounts.from_ties(ties, positive, starts=starts, several=several)


def labels_called(
    source: SparkFrame, columns: Sequence[str], threshold: float | None, name: str
) -> SparkFrame:
    """The same rows with one more column, the place of the label that their scores stand for.

    0 where the one score reaches the threshold and 1 where it does not; without a threshold the place of the
    largest score, the first of equals; nothing where a score is missing.
    """
    scores = [f"try_cast(c{source.columns.index(column)} AS DOUBLE)" for column in columns]
    lacking = " OR ".join(f"{score} IS NULL OR isnan({score})" for score in scores)
    if threshold is not None:
        cases = f"WHEN {scores[0]} >= {written(threshold)} THEN 0 ELSE 1"
    else:
        largest = f"greatest({', '.join(scores)})" if len(scores) > 1 else scores[0]
        cases = " ".join(f"WHEN {score} = {largest} THEN {place}" for place, score in enumerate(scores))
    return source.with_column(f"CASE WHEN {lacking} THEN NULL {cases} END", name)


class Asked:
    """The questions put to a cluster about labels and scores."""

    def __init__(self, source: SparkFrame, truth: str, scores: Sequence[str], weight: str | None) -> None:
        self.source, self.truth, self.scores, self.weight = source, truth, scores, weight
        self.weighted = weight is not None
        picked = {"t": truth, **{f"x{k}": column for k, column in enumerate(scores)}}
        if weight is not None:
            picked["w"] = find_column(weight, source.columns, "column", "")
        for column in scores:
            find_column(column, source.columns, "column", "")
        frame = source.named(picked)
        self.odd = Odd(scores, weight, [dict(frame.dtypes)[f"x{k}"] for k in range(len(scores))])
        numbers = [f"coalesce(try_cast(x{k} AS DOUBLE), double('NaN')) AS s{k}" for k in range(len(scores))]
        weights = ["coalesce(try_cast(w AS DOUBLE), double('NaN')) AS w"] if weight is not None else []
        self.rows = frame.selectExpr("t", *numbers, *weights, *(f"x{k}" for k in range(len(scores))))
        self.places: dict[Any, int] = {}
        """The labels that occur, in the order in which they were met."""
        self.bins: list[list[Bin]] = []
        self.drop_unlabelled = False

    def first_pass(self) -> Any:
        """All rows in bins, those apart that are odd in some way, in one number with the column: the fewer
        keys, the quicker."""
        bins = [
            f"{bin_of(f's{k}')} + {k * (2 * highest_bin() + 1)}L + {self.odd.word(k)}" for k in self._columns
        ]
        return self._grouped(self._long(bins), "b", sketched=True)

    def settle(self, missing: Missing) -> int:
        """Count all rows in bins. Refuse what holds no numbers, and rows that lack a score unless they may be
        left out or stand lowest; the answer is how many are left out."""
        groups = [_parted(_Met(*group)) for group in self.source.collected(self.first_pass())]
        absent = self.odd.refuse([(group.m, group.odd, group.rows) for group in groups], missing)
        self.drop_unlabelled = missing == "drop"
        left_out = Odd.WEIGHS_NOTHING | (Odd.LACKS if missing == "drop" else 0)
        made: dict[tuple[int, Any], Bin] = {}
        for group in groups:
            if not group.odd & left_out:
                self._add(made, (group.m, group.b), group.b, group)
        self._refuse_nothing()
        self.bins = [[] for _ in self.scores]
        for (m, _), own in made.items():
            self.bins[m].append(own)
        if self.weighted:
            self.rows = self.rows.where("w > 0")  # what weighs nothing is no example
        if absent and missing == "drop":
            self.rows = self.rows.where(f"NOT ({self.odd.lacks})")
            return absent
        return 0

    def has_few_scores(self) -> bool:
        """Are there so few different scores in every column that all of them can come back?"""
        told = [different_scores(column) for column in self.bins]
        if max(least for least, _ in told) > FEW_SCORES:
            return False
        if all(math.isfinite(about) for _, about in told):
            return max(about for _, about in told) <= FEW_SCORES
        wanted = [f"approx_count_distinct(s{k})" for k in self._columns]
        (row,) = self.source.collected(self.rows.selectExpr(*wanted))
        return max(map(int, row)) <= FEW_SCORES

    def counted(self, tolerance: float) -> tuple[list[Label], list[list[Bin]]]:
        """The labels that occur, and the bins of each column."""
        if any(own.high > own.low for column in self.bins for own in column):
            if self.has_few_scores():
                self._count_every_score()
            else:
                self._divide_until(tolerance)
        return list(self.places), [sorted(column, key=lambda own: own.low) for column in self.bins]

    def listed(self) -> tuple[list[Label], list[dict[int, Ties]]]:
        """The labels that occur, and every distinct score of each in each column.

        Scores are grouped, gathered by bin and sorted inside Spark, and written as one text for each bin and
        label: a row a bin travels, not a row a score, and bins arrive one part of the cluster after another.
        """
        amount = "sum(w)" if self.weighted else "count(*)"
        bins = [even_bin_of(f"s{k}", *self._ends(k)) for k in self._columns]
        ties = self._aggregated(self._long(bins).groupBy("m", "b", "t", "s"), [f"{amount} AS amount"])
        lists = self._aggregated(
            ties.selectExpr("m", "b", "t", "struct(s, amount) AS pair").groupBy("m", "b", "t"),
            ["sort_array(collect_list(pair)) AS pairs"],
        ).selectExpr(
            "m",
            "b",
            "t",
            "array_join(transform(pairs, p -> string(p.s)), ' ') AS scores",
            "array_join(transform(pairs, p -> string(p.amount)), ' ') AS amounts",
        )
        parts: list[dict[int, list[tuple[Array, Array]]]] = [{} for _ in self.scores]
        kind = np.float64 if self.weighted else np.int64
        ends = {-1: [-math.inf], bounded_bins.BINS: [math.inf]}
        for m, b, label, scores, amounts in self.source.stream(lists):
            if self._known(label, "rows without one"):
                numbers = np.array(ends[b]) if b in ends else np.fromstring(scores, sep=" ")
                own = numbers, np.fromstring(amounts, dtype=kind, sep=" ")
                parts[int(m)].setdefault(self.places[label], []).append(own)
        return list(self.places), [
            {
                place: Ties.of(*(np.concatenate(side) for side in zip(*lists_of, strict=True)))
                for place, lists_of in column.items()
            }
            for column in parts
        ]

    # -- one pass each

    def _long(self, bins: Sequence[str]) -> Any:
        """A row for each score: m the column, s the score (the lowest where there is none), b its bin."""
        columns = [
            (f"{k}", f"CASE WHEN isnan(s{k}) THEN double('-Infinity') ELSE s{k} END", bins[k])
            for k in self._columns
        ]
        kept, names = ["t", *(["w"] if self.weighted else [])], ("m", "s", "b")
        several = len(columns) > 1
        own = [
            f"{text} AS {name}{k if several else ''}"
            for k, texts in enumerate(columns)
            for text, name in zip(texts, names, strict=True)
        ]
        frame = self.rows.selectExpr(*kept, *own)
        # Not by stack(): Spark compiles the one and not the other, which takes half as long again.
        return self.source.unpivoted(frame, names, len(columns)) if several else frame

    def _grouped(self, frame: Any, key: str, sketched: bool = False) -> Any:
        """The rows of a frame by column, key and label, as they are met here."""
        wanted = ["count(*) AS n", "min(s) AS low", "max(s) AS high"]
        if self.weighted:
            wanted.append("sum(w) AS amount")
        if sketched:
            wanted.append(f"bit_or({sketch_of('s')}) AS met")
        if key != "b":
            wanted.append("min(b) AS b")
        grouped = frame.groupBy(*([] if sketched else ["m"]), key, "t")
        amount, met = "amount" if self.weighted else "n", "met" if sketched else "0"
        return self._aggregated(grouped, wanted).selectExpr(
            "0" if sketched else "m", "b", key, "t", "n", amount, "low", "high", met
        )

    def _count_every_score(self) -> None:
        """Count the rows again, by score."""
        made: dict[tuple[int, Any], Bin] = {}
        frame = self._long([bin_of(f"s{k}") for k in self._columns])
        for row in self.source.collected(self._grouped(frame, "s")):
            group = _Met(*row)
            self._add(made, (group.m, group.key), group.b, group)
        self.bins = [[] for _ in self.scores]
        for (m, _), own in made.items():
            self.bins[m].append(own)

    def _divide_until(self, tolerance: float) -> None:
        """Divide bins until they leave less open than that."""
        for _ in range(MOST_PASSES):
            chosen = [(k, own) for k, column in enumerate(self.bins) for own in too_wide(column, tolerance)]
            if not chosen:
                break
            self._divide(chosen[:MOST_DIVIDED])

    def _divide(self, chosen: list[tuple[int, Bin]]) -> None:
        """Count the rows of these bins again, in parts of them."""
        parts = divided_into(len(chosen))
        values = ", ".join(
            f"({k}, {own.first}L, {number}, {written(own.low)}, {written(own.high)},"
            f" {written(parts / (own.high / 4 - own.low / 4))})"
            for number, (k, own) in enumerate(chosen)
        )
        wanted = self.source.sql(f"SELECT * FROM VALUES {values} AS v(vm, vb, number, vlow, vhigh, vscale)")
        inside = self._long([bin_of(f"s{k}") for k in self._columns]).join(
            wanted.hint("broadcast"),
            on=self.source.expression("m = vm AND b = vb AND s BETWEEN vlow AND vhigh"),
        )
        part = f"least(floor((s / 4 - vlow / 4) * vscale), {parts - 1})"
        divided = inside.selectExpr(
            "number AS m", "t", "s", f"{part} AS b", *(["w"] if self.weighted else [])
        )
        gone = {id(own) for _, own in chosen}
        self.bins = [[own for own in column if id(own) not in gone] for column in self.bins]
        made: dict[tuple[int, Any], Bin] = {}
        for row in self.source.collected(self._grouped(divided, "b")):
            group = _Met(*row)
            self._add(made, (group.m, group.key), chosen[group.m][1].first, group)
        for (number, _), own in made.items():
            self.bins[chosen[number][0]].append(own)

    def _add(self, made: dict[tuple[int, Any], Bin], where: tuple[int, Any], first: int, group: _Met) -> None:
        """Add the examples of one label to a bin."""
        if not self._known(group.label, f"{group.rows:,} rows"):
            return
        own = made.get(where)
        if own is None:
            own = made[where] = Bin(first, group.low, group.high, {})
        own.low, own.high = min(own.low, group.low), max(own.high, group.high)
        own.met |= group.met
        place = self.places[group.label]
        own.amounts[place] = own.amounts.get(place, 0) + group.amount

    def _known(self, label: Any, lost: str) -> bool:
        """Is this a label, and not a row to be left out? New ones are kept in mind."""
        if is_missing(label):
            if self.drop_unlabelled:
                return False
            raise InputError(
                f"column {self.truth!r} has missing labels",
                found=lost,
                allowed="a label in every row",
                do=DROPPED,
            )
        if not isinstance(label, Hashable):
            raise InputError(
                f"the column {self.truth!r} holds values that cannot be labels",
                found=repr(label),
                allowed="text, numbers, booleans and dates",
            )
        if label not in self.places:
            self.places[label] = len(self.places)
            if len(self.places) > MOST_CLASSES:
                raise InputError(
                    f"column {self.truth!r} has too many different labels",
                    found=f"more than {MOST_CLASSES:,}",
                    allowed=f"at most {MOST_CLASSES:,}",
                    do="check that a column of scores or ids was not taken for labels",
                )
        return True

    def _refuse_nothing(self) -> None:
        if not self.places:
            raise InputError("there is nothing to count", found="no row with a label", allowed="at least one")

    # -- how a cluster is asked

    @property
    def _columns(self) -> range:
        return range(len(self.scores))

    def _ends(self, k: int) -> tuple[float, float]:
        """The lowest and the highest finite score of a column."""
        ends = [end for own in self.bins[k] for end in (own.low, own.high) if math.isfinite(end)]
        return (min(ends), max(ends)) if ends else (0.0, 0.0)

    def _aggregated(self, groups: Any, wanted: Sequence[str]) -> Any:
        return groups.agg(*(self.source.expression(asked) for asked in wanted))


def _parted(group: _Met) -> _Met:
    """The column, the bin, and what is odd about its rows, which the first pass tells in one number."""
    odd = (group.b + Odd.APART // 2) // Odd.APART
    m, b = divmod(group.b - odd * Odd.APART + highest_bin(), 2 * highest_bin() + 1)
    return group._replace(m=m, b=b - highest_bin(), odd=odd)
