"""How many examples of each class were given each score, on a cluster?

Few distinct scores come back as they are. Many are counted in bins inside Spark, several columns in one pass:
a bin is found by arithmetic that cannot put a higher score into a lower bin, and says the lowest and the
highest score in it. So every curve is exact at the start of a bin, and what a bin leaves open is bounded;
bins that leave too much open are divided further. No user-defined functions, no Python on the workers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, is_missing
from steelyard.counts.score_columns import LACKING, Missing, checked_missing
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError
from steelyard.reading.named_columns import columns_of_classes, find_column
from steelyard.reading.score_files import MOST_CLASSES, of_many_columns
from steelyard.reading.spark import SparkFrame

Array = NDArray[Any]

FEW_SCORES = 50_000
"""Distinct scores up to which they come back as they are."""
BINS = 10_000
MOST_PASSES = 4
MOST_DIVIDED = 2_000
"""Bins that are divided in one pass, those that leave most open."""
PARTS_AT_ONCE = 50_000
"""Bins that come of dividing, in one pass."""
TOLERANCE = 1e-4
_ENDS = {-1: [-math.inf], BINS: [math.inf]}
"""The bins of infinite scores."""


@dataclass
class Bin:
    """The scores of one column from a lowest to a highest, and how much of each class has them."""

    first: int
    """The bin of the first pass that it is, or is a part of."""
    low: float
    high: float
    amounts: dict[int, float]


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
    if not tolerance > 0:
        raise InputError(
            "the tolerance must be positive", found=f"{tolerance:g}", do="say exact for exact values"
        )
    columns = columns_of_classes(source.columns, score)
    truth = find_column(truth, [c for c in source.columns if c not in columns.values()], "truth", "truth=...")
    asked = Asked(source, truth, list(columns.values()), weight)
    dropped = asked.settle(missing)
    if exact and asked.different > FEW_SCORES:
        labels_found, by_column = asked.listed()
        named: list[tuple[Array | None, Array | None]] = [(None, None)] * len(columns)
    else:
        labels_found, counted = asked.counted(tolerance)
        by_column = [_ties(bins, asked.weighted) for bins in counted]
        named = [_named(bins) for bins in counted]
    if not isinstance(score, Mapping) and "*" not in score:
        return ScoreCounts.from_ties(
            {labels_found[place]: ties for place, ties in by_column[0].items()},
            positive,
            labels,
            starts=named[0][0],
            dropped=dropped,
            several=named[0][1],
        )
    binned = [starts for starts, _ in named if starts is not None]
    together = np.unique(np.concatenate(binned)) if binned else None
    return of_many_columns(
        labels_found, dict(zip(columns, by_column, strict=True)), labels, together, dropped
    )


def counts_of_bins(labels: Sequence[Label], bins: Sequence[Bin], positive: Label | None) -> ScoreCounts:
    """The scores of one column, from its bins."""
    starts, several = _named(bins)
    ties = {labels[place]: ties for place, ties in _ties(bins, False).items()}
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
        cases = f"WHEN {scores[0]} >= {_written(threshold)} THEN 0 ELSE 1"
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
        self.kinds = dict(frame.dtypes)
        self.text = {k: self.kinds[f"x{k}"] == "string" for k in range(len(scores))}
        numbers = [f"coalesce(try_cast(x{k} AS DOUBLE), double('NaN')) AS s{k}" for k in range(len(scores))]
        weights = ["coalesce(try_cast(w AS DOUBLE), double('NaN')) AS w"] if weight is not None else []
        self.rows = frame.selectExpr("t", *numbers, *weights, *(f"x{k}" for k in range(len(scores))))
        self.lowest: list[tuple[float, float]] = []
        self.different = 0

    def settle(self, missing: Missing) -> int:
        """Refuse what holds no numbers, and rows that lack a score unless they may be left out or stand
        lowest; the answer is how many are left out."""
        lacking = " OR ".join(f"isnan(s{k})" for k in range(len(self.scores)))
        asked = ["count(*) AS n", f"count_if({lacking}) AS lacking"]
        for k in range(len(self.scores)):
            finite = f"CASE WHEN isnan(s{k}) OR abs(s{k}) = double('Infinity') THEN NULL ELSE s{k} END"
            asked += [
                f"min({finite}) AS low{k}",
                f"max({finite}) AS high{k}",
                f"approx_count_distinct(s{k}) AS different{k}",
                f"{self._no_number(k)} AS bad{k}",
                f"{self._rounded(k)} AS rounded{k}",
            ]
        asked.append("count_if(isnan(w) OR w < 0 OR w = double('Infinity'))" if self.weighted else "0")
        (row,) = self._rows(self.rows.selectExpr(*asked))
        n, absent, bad_weights = int(row[0]), int(row[1]), int(row[-1])
        if not n:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        for k, score in enumerate(self.scores):
            low, high, different, bad, rounded = row[2 + 5 * k : 7 + 5 * k]
            self._refuse(score, int(bad), int(rounded))
            self.lowest.append((0.0, 0.0) if low is None else (float(low), float(high)))
            self.different = max(self.different, int(different))
        if bad_weights:
            raise InputError(
                "weights must be finite and not negative",
                found=f"{bad_weights:,} bad weights in {self.weight!r}",
                allowed="numbers >= 0",
            )
        if absent and missing == "error":
            raise InputError(
                f"some scores are missing in {', '.join(self.scores[:3])}",
                found=f"none in {absent:,} of {n:,} rows",
                allowed="a number in every row",
                do=LACKING,
            )
        if absent == n:
            raise InputError(
                "no row has a score", found=f"{absent:,} rows without one", allowed="at least one score"
            )
        self.drop_unlabelled = missing == "drop"
        if absent and missing == "drop":
            self.rows = self.rows.where(f"NOT ({lacking})")
            return absent
        return 0

    def counted(self, tolerance: float) -> tuple[list[Label], list[list[Bin]]]:
        """The labels that occur, and the bins of each column."""
        few = self.different <= FEW_SCORES
        labels: list[Label] = []
        made: dict[Any, Bin] = {}
        for m, first, key, label, amount, low, high in self._grouped(self._long(), "s" if few else "b"):
            self._add(made, (int(m), key), int(first), label, labels, amount, low, high)
        self._refuse_nothing(labels)
        bins: list[list[Bin]] = [[] for _ in self.scores]
        for (m, _), own in made.items():
            bins[m].append(own)
        for _ in range(0 if few else MOST_PASSES):
            chosen = [(k, own) for k, column in enumerate(bins) for own in _too_wide(column, tolerance)]
            if not chosen:
                break
            self._divide(bins, chosen[:MOST_DIVIDED], labels)
        return labels, [sorted(column, key=lambda own: own.low) for column in bins]

    def listed(self) -> tuple[list[Label], list[dict[int, Ties]]]:
        """The labels that occur, and every distinct score of each in each column.

        Scores are grouped, gathered by bin and sorted inside Spark, and written as one text for each bin and
        label: a row a bin travels, not a row a score, and bins arrive one part of the cluster after another.
        """
        amount = "sum(w)" if self.weighted else "count(*)"
        ties = self._aggregated(self._long_kept().groupBy("m", "b", "t", "s"), [f"{amount} AS amount"])
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
        labels: list[Label] = []
        parts: list[dict[int, list[tuple[Array, Array]]]] = [{} for _ in self.scores]
        kind = np.float64 if self.weighted else np.int64
        for m, b, label, scores, amounts in self.source.stream(lists):
            if self._known(label, labels, "rows without one"):
                numbers = np.array(_ENDS[b]) if b in _ENDS else np.fromstring(scores, sep=" ")
                own = numbers, np.fromstring(amounts, dtype=kind, sep=" ")
                parts[int(m)].setdefault(labels.index(label), []).append(own)
        self._refuse_nothing(labels)
        return labels, [
            {
                place: Ties.of(*(np.concatenate(side) for side in zip(*lists_of, strict=True)))
                for place, lists_of in column.items()
            }
            for column in parts
        ]

    # -- one pass each

    def _long(self) -> Any:
        """A row for each score: m the column, s the score (the lowest where there is none), b its bin."""
        parts = []
        for k, (low, high) in enumerate(self.lowest):
            score = f"CASE WHEN isnan(s{k}) THEN double('-Infinity') ELSE s{k} END"
            parts.append(f"{k}, {score}, {bin_of(f's{k}', low, high)}")
        weight = ["w"] if self.weighted else []
        return self.rows.selectExpr("t", *weight, f"stack({len(parts)}, {', '.join(parts)}) AS (m, s, b)")

    def _long_kept(self) -> Any:
        return self._long().where("w > 0") if self.weighted else self._long()

    def _grouped(self, frame: Any, key: str) -> list[tuple[Any, ...]]:
        """m, the bin of the first pass, the key, the label, the amount, the lowest and the highest score."""
        amount = "sum(w)" if self.weighted else "count(*)"
        kept = frame.where("w > 0") if self.weighted else frame  # what weighs nothing is no example
        return self._rows(
            kept.groupBy(*dict.fromkeys(["m", "b", key, "t"])),
            [f"{amount} AS amount", "min(s) AS low", "max(s) AS high"],
            ["m", "b", key, "t"],
        )

    def _divide(self, bins: list[list[Bin]], chosen: list[tuple[int, Bin]], labels: list[Label]) -> None:
        """Count the rows of these bins again, in parts of them."""
        parts = max(16, min(4096, PARTS_AT_ONCE // len(chosen)))
        values = ", ".join(
            f"({k}, {own.first}, {number}, {_written(own.low)}, {_written(own.high)},"
            f" {_written(parts / (own.high / 4 - own.low / 4))})"
            for number, (k, own) in enumerate(chosen)
        )
        wanted = self.source.sql(f"SELECT * FROM VALUES {values} AS v(vm, vb, number, vlow, vhigh, vscale)")
        inside = self._long().join(
            wanted.hint("broadcast"),
            on=self.source.expression("m = vm AND b = vb AND s BETWEEN vlow AND vhigh"),
        )
        part = f"CAST(least(floor((s / 4 - vlow / 4) * vscale), {parts - 1}) AS INT)"
        divided = inside.selectExpr(
            "number AS m", "t", "s", f"{part} AS b", *(["w"] if self.weighted else [])
        )
        found = self._grouped(divided, "b")
        gone = {id(own) for _, own in chosen}
        for k, column in enumerate(bins):
            bins[k] = [own for own in column if id(own) not in gone]
        made: dict[tuple[int, int], Bin] = {}
        for number, _, place, label, amount, low, high in found:
            k, old = chosen[int(number)]
            self._add(made, (int(number), int(place)), old.first, label, labels, amount, low, high)
        for (number, _), own in made.items():
            bins[chosen[number][0]].append(own)

    def _add(
        self,
        made: dict[Any, Bin],
        where: Any,
        first: int,
        label: Any,
        labels: list[Label],
        amount: Any,
        low: float,
        high: float,
    ) -> None:
        """Add the examples of one label to a bin."""
        if not self._known(label, labels, "rows without one" if self.weighted else f"{amount:,} rows"):
            return
        own = made.setdefault(where, Bin(first, low, high, {}))
        own.low, own.high = min(own.low, low), max(own.high, high)
        place = labels.index(label)
        own.amounts[place] = own.amounts.get(place, 0) + amount

    def _known(self, label: Any, labels: list[Label], lost: str) -> bool:
        """Is this a label, and not a row to be left out? New ones are kept in mind."""
        if is_missing(label):
            if self.drop_unlabelled:
                return False
            raise InputError(
                f"column {self.truth!r} has missing labels",
                found=lost,
                allowed="a label in every row",
                do="drop those rows",
            )
        if not isinstance(label, Hashable):
            raise InputError(
                f"the column {self.truth!r} holds values that cannot be labels",
                found=repr(label),
                allowed="text, numbers, booleans and dates",
            )
        if label not in labels:
            labels.append(label)
            if len(labels) > MOST_CLASSES:
                raise InputError(
                    f"column {self.truth!r} has too many different labels",
                    found=f"more than {MOST_CLASSES:,}",
                    allowed=f"at most {MOST_CLASSES:,}",
                    do="check that a column of scores or ids was not taken for labels",
                )
        return True

    def _refuse_nothing(self, labels: Sequence[Label]) -> None:
        if not labels:
            raise InputError("there is nothing to count", found="no row with a label", allowed="at least one")

    # -- how a cluster is asked

    def _rows(
        self, frame: Any, wanted: Sequence[str] = (), order: Sequence[str] = ()
    ) -> list[tuple[Any, ...]]:
        if not wanted:
            return list(self.source.collected(frame))
        names = [*order, *(asked.rpartition(" AS ")[2] for asked in wanted)]
        return list(self.source.collected(self._aggregated(frame, wanted).selectExpr(*names)))

    def _aggregated(self, groups: Any, wanted: Sequence[str]) -> Any:
        return groups.agg(*(self.source.expression(asked) for asked in wanted))

    def _no_number(self, k: int) -> str:
        """How many values of a column are no numbers? To Java 1d is one, to nobody else."""
        if not self.text[k]:
            return "0" if self.kinds[f"x{k}"] not in ("date", "timestamp", "boolean") else "count(*)"
        odd = f"try_cast(x{k} AS DOUBLE) IS NULL OR lower(trim(x{k})) RLIKE '[0-9.][df]$'"
        return f"count_if(x{k} IS NOT NULL AND ({odd}))"

    def _rounded(self, k: int) -> str:
        if self.kinds[f"x{k}"] != "bigint":
            return "0"
        return f"count_if(CAST(CAST(x{k} AS DOUBLE) AS DECIMAL(38, 0)) <> CAST(x{k} AS DECIMAL(38, 0)))"

    def _refuse(self, column: str, bad: int, rounded: int) -> None:
        if bad:
            raise InputError(
                f"column {column!r} must hold numbers",
                found=f"{bad:,} other values",
                allowed="one number per row",
            )
        if rounded:
            raise InputError(
                f"column {column!r} holds whole numbers that would be rounded",
                found=f"{rounded:,}",
                allowed="whole numbers up to 2^53, or that are doubles",
                do="give their ranks instead",
            )


def bin_of(score: str, low: float, high: float) -> str:
    """The number of a score's bin: each step of the arithmetic keeps the order, so no score stands in a lower
    bin than one below it. Quarters cannot overflow."""
    bins = BINS
    width = high / 4 - low / 4
    scale = bins / width if width > 0 and math.isfinite(bins / width) else 0.0
    inside = f"least(floor(({score} / 4 - {_written(low / 4)}) * {_written(scale)}), {bins - 1})"
    return (
        f"CASE WHEN isnan({score}) OR {score} = double('-Infinity') THEN -1 WHEN {score} = double('Infinity')"
        f" THEN {bins} ELSE CAST({inside} AS INT) END"
    )


def _written(number: float) -> str:
    """A number as Spark reads it back to the last digit."""
    return f"double('{number!r}')".replace("'inf'", "'Infinity'").replace("'-inf'", "'-Infinity'")


def _too_wide(column: Sequence[Bin], tolerance: float) -> list[Bin]:
    """The bins to be divided, those that leave most open first: what is left is below the tolerance then."""
    places = sorted({place for own in column for place in own.amounts})
    amounts = np.array([[own.amounts.get(place, 0) for place in places] for own in column], dtype=np.float64)
    totals = amounts.sum(axis=0)
    everything = totals.sum()
    width = np.array([own.high for own in column]) > np.array([own.low for own in column])
    scale = np.array([own.high / 4 - own.low / 4 for own in column])
    dividable = width & (scale > 0) & np.isfinite(1 / np.where(scale > 0, scale, 1))
    opened = np.zeros(len(column))
    for k in range(len(places)):
        others = everything - totals[k]
        if totals[k] and others:
            pairs = amounts[:, k] / totals[k] * ((amounts.sum(axis=1) - amounts[:, k]) / others)
            opened = np.maximum(opened, pairs)
    opened[~dividable] = 0
    order = np.argsort(-opened, kind="stable")
    left = opened.sum() - np.cumsum(opened[order])
    if opened.sum() <= tolerance:
        return []
    return [column[i] for i in order[: int(np.argmax(left <= tolerance / 2)) + 1].tolist()]


def _named(bins: Sequence[Bin]) -> tuple[Array | None, Array | None]:
    """The starts of the bins and of those that hold several scores; None where none does."""
    several = [own.low for own in bins if own.high > own.low]
    if not several:
        return None, None
    return np.array([-np.inf, *(own.low for own in bins)]), np.array(several)


def _ties(bins: Sequence[Bin], weighted: bool) -> dict[int, Ties]:
    """Each class, by its place, with the lowest score of every bin it occurs in."""
    found: dict[int, tuple[list[float], list[float]]] = {}
    for own in bins:
        for place, amount in own.amounts.items():
            scores, amounts = found.setdefault(place, ([], []))
            scores.append(own.low)
            amounts.append(amount)
    kind = np.float64 if weighted else np.int64
    return {
        place: Ties.of(np.array(scores), np.array(amounts, dtype=kind))
        for place, (scores, amounts) in found.items()
    }
