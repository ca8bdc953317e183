"""How many examples of each class were given each score, in files too large to load?

DuckDB reads the rows, and groups them by class and score where that makes them fewer: what comes back is as
long as there are distinct scores, or as there are bins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Label, in_order, is_missing, meant
from steelyard.counts.own_places import spread_over_ties
from steelyard.counts.score_columns import (
    DROPPED,
    LACKING,
    ROW_SUM_TOLERANCE,
    Missing,
    bin_starts,
    checked_missing,
)
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.bounded_bins import TOLERANCE, Bin, checked_tolerance, named, ties_of, together
from steelyard.reading.duckdb_files import Files, FileTable, Progress, open_files, opened, quoted
from steelyard.reading.file_bins import bins_of_source
from steelyard.reading.named_columns import columns_of_classes, find_column
from steelyard.reading.number_columns import NEVER_ROUNDED, is_nan, number_of, refuse_no_numbers

Array = NDArray[Any]

MOST_CLASSES = 1000
MOST_ROWS_SORTED = 20_000_000
"""Rows up to which scores come back one by one, to be sorted here: that is faster than grouping, and where
hardly two are alike grouping makes them no fewer."""
SCORES_IN_MEMORY = 100_000_000
"""Scores, of all columns, up to which they come back one by one (0.8 GB); more are counted in bins with
bounds, unless there are few different ones or `exact` is asked for."""
FEW_CLASSES = 2
"""Classes up to which each is read by itself, so that no second column lies beside the scores."""
_FLOATS = ("DOUBLE", "FLOAT")


def score_counts_from_files(
    source: str | Path | Files,
    score: str | Mapping[Label, str],
    truth: str | None = None,
    positive: Label | None = None,
    *,
    labels: Iterable[Label] | None = None,
    weight: str | None = None,
    missing: Missing = "error",
    probabilities: bool = False,
    bins: int | None = None,
    progress: Progress | None = None,
    tolerance: float = TOLERANCE,
    exact: bool = False,
) -> ScoreCounts:
    """Count the scores in a file, or in all files of a glob.

    `score` names one column (the score of the positive class), a pattern such as "p_*" (a column for each
    class, the class being what the star stands for), or maps each class to its column. `bins` bounds the
    memory by that many bins of 0..1. Of more than a hundred million scores those that differ much are counted
    in bins, divided until they leave less than `tolerance` open of an area under the ROC curve; `exact`
    fetches every one.
    """
    checked_missing(missing)
    checked_tolerance(tolerance)
    files = source if isinstance(source, Files) else open_files(source)
    columns = columns_of_classes(files.columns, score)
    truth = find_column(truth, [c for c in files.columns if c not in columns.values()], "truth", "truth=...")
    wanted = list(columns.values())
    for column in (*wanted, *([weight] if weight else [])):
        find_column(column, files.columns, "column", "")
    with opened(files, [truth, *wanted, *([weight] if weight else [])], progress=progress) as table:
        scored = _Scores(table, truth, wanted, weight)
        dropped = scored.settle_missing(missing)
        if probabilities or bins is not None:
            scored.check_probabilities(sums=probabilities)
        classes = scored.classes(missing)
        binned = {name: scored.in_bins(column, tolerance, bins, exact) for name, column in columns.items()}
        counted = {
            name: scored.ties(column, bins) if (own := binned[name]) is None else ties_of(own, bool(weight))
            for name, column in columns.items()
        }
        many = isinstance(score, Mapping) or "*" in score
        places = scored.own_places(columns, classes) if many else None
    starts_of = {name: (None, None) if own is None else named(own) for name, own in binned.items()}
    starts = together(own for own, _ in starts_of.values()) if bins is None else bin_starts(bins, [])
    if not many:
        by_label = {classes[number]: ties for number, ties in counted[str(score)].items()}
        positive = scored.spelled.get(str(positive), positive)
        several = starts_of[str(score)][1]
        return ScoreCounts.from_ties(
            by_label, positive, labels, starts=starts, dropped=dropped, several=several
        )
    return of_many_columns(classes, counted, labels, starts, dropped, places)


class _Scores:
    """The questions asked of a table of labels and scores; rows without a score are left out once that is
    settled."""

    def __init__(self, table: FileTable, truth: str, scores: Sequence[str], weight: str | None) -> None:
        self.table, self.truth, self.scores, self.weight = table, truth, scores, weight
        self.rows = "source"
        self.place_of: Array = np.empty(0, dtype=np.int64)
        """The class of each distinct label."""
        self.row_count = 0
        self.lacking = True
        """May a row lack a score?"""
        self.spelled: dict[Label, str] = {}
        """Classes of a text file that are numbers written in another way too."""
        for column in (*scores, *([weight] if weight else [])):
            refuse_no_numbers(self.table, column)
        if weight is not None:
            self._check_weights(weight)

    def settle_missing(self, missing: Missing) -> int:
        """Refuse rows that lack a score, leave them out (how many is the answer), or keep them for the lowest
        score."""
        lacking = " OR ".join(self._lacks(score) for score in self.scores)
        absent, rows = self._one(f"SELECT count(*) FILTER ({lacking}), count(*) FROM source")
        if not rows:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        self.row_count, self.lacking = int(rows), bool(absent)
        if absent and missing == "error":
            raise InputError(
                f"some scores are missing in {', '.join(self.scores[:3])}",
                found=f"none in {absent:,} of {rows:,} rows",
                allowed="a number in every row",
                do=LACKING,
            )
        if absent and absent == rows:
            raise InputError(
                "no row has a score", found=f"{absent:,} rows without one", allowed="at least one score"
            )
        if not absent or missing == "lowest":
            return 0
        self.rows = f"(SELECT * FROM source WHERE NOT ({lacking})) AS source"
        return int(absent)

    def classes(self, missing: Missing) -> list[Label]:
        """The distinct labels, numbered in a table of their own so that text is not sent back row by row;
        rows without one may be left out."""
        name = quoted(self.truth)
        self.table.rows(
            f"CREATE TEMP TABLE classes AS SELECT {name} AS label, CAST(row_number() OVER () - 1 AS INTEGER)"
            f" AS number, n FROM (SELECT {name}, count(*) AS n FROM {self.rows} GROUP BY {name} LIMIT"
            f" {MOST_CLASSES + 1})"
        )
        found = self.table.rows("SELECT label, n FROM classes ORDER BY number")
        unlabelled = [
            number
            for number, (label, _) in enumerate(found)
            if is_missing(self.table.label(label, self.truth))
        ]
        if unlabelled and missing == "drop":
            self.table.rows(
                "CREATE OR REPLACE TEMP TABLE classes AS SELECT label, CAST(row_number() OVER (ORDER BY"
                " number) - 1 AS INTEGER) AS number, n FROM classes WHERE number NOT IN"
                f" ({', '.join(map(str, unlabelled))})"
            )
            found = [pair for number, pair in enumerate(found) if number not in unlabelled]
        elif unlabelled:
            absent = sum(found[number][1] for number in unlabelled)
            raise InputError(
                f"column {self.truth!r} has missing labels",
                found=f"{absent:,} rows",
                allowed="a label in every row",
                do=DROPPED,
            )
        if len(found) > MOST_CLASSES:
            raise InputError(
                f"column {self.truth!r} has too many different labels",
                found=f"more than {MOST_CLASSES:,}",
                allowed=f"at most {MOST_CLASSES:,}",
                do="check that a column of scores or ids was not taken for labels",
            )
        # One class may be written in several ways: 1 and 1.0.
        places: dict[Label, int] = {}
        own = [self.table.label(label, self.truth) for label, _ in found]
        if not all(isinstance(label, Hashable) for label in own):
            raise InputError(
                f"the column {self.truth!r} holds values that cannot be labels",
                found=repr(next(label for label in own if not isinstance(label, Hashable))),
                allowed="text, numbers, booleans and dates",
            )
        self.spelled = self.table.spelled(own)
        own = [self.spelled.get(label, label) for label in own]
        self.place_of = np.array([places.setdefault(label, len(places)) for label in own], dtype=np.int64)
        return list(places)

    def in_bins(self, score: str, tolerance: float, bins: int | None, exact: bool) -> list[Bin] | None:
        """The bins of a column whose scores are too many to fetch, and too different to be grouped."""
        if bins is not None or exact or self.row_count * len(self.scores) <= SCORES_IN_MEMORY:
            return None
        found = bins_of_source(self.table.arrays, self._labelled(score), self.weight is not None, tolerance)
        for own in found or ():
            by_number, own.amounts = own.amounts, {}
            for number, amount in by_number.items():
                place = int(self.place_of[number])
                own.amounts[place] = own.amounts.get(place, 0) + amount
        return found

    def _labelled(self, score: str) -> str:
        """Number of the class, score and weight of every row."""
        weight = "1" if self.weight is None else number_of(self.weight)
        return (
            f"(SELECT {quoted(self.truth)} AS t, {self._lowest(score)} AS s, {weight} AS w FROM {self.rows})"
            " JOIN classes ON t = classes.label"
        )

    def ties(self, score: str, bins: int | None) -> dict[int, Ties]:
        """The scores of each class in one column, by the place of the class."""
        if bins is None and self.weight is None and self._worth_sorting(score):
            return self._sorted(score)
        place = "s" if bins is None else _bin_of("s", bins)
        amount = "count(*)" if self.weight is None else "sum(w)"
        found = self.table.arrays(
            f"SELECT number, {place} AS score, {amount} AS amount FROM {self._labelled(score)} GROUP BY 1, 2"
        )
        numbers, scores = self.place_of[np.asarray(found["number"])], np.asarray(found["score"])
        amounts = np.asarray(found["amount"], dtype=np.int64 if self.weight is None else np.float64)
        return {
            number: Ties.of(scores[numbers == number], amounts[numbers == number])
            for number in np.unique(numbers).tolist()
        }

    def own_places(self, columns: Mapping[Label, str], classes: list[Label]) -> dict[Label, Array] | None:
        """For each class, by its name, how many of its examples have their own score in first place, in
        second place and so on; None where a class has no column."""
        own = {
            label: column
            for label, column in zip(meant(columns, classes), columns.values(), strict=True)
            if label is not None
        }
        if len(own) < len(classes):
            return None
        number_of_class = " ".join(
            f"WHEN {number} THEN {self._lowest(own[classes[place]])}"
            for number, place in enumerate(self.place_of.tolist())
        )
        scores = [self._lowest(column) for column in columns.values()]
        greater, equal = (
            " + ".join(f"CAST({score} {sign} own AS INTEGER)" for score in scores) for sign in (">", "=")
        )
        amount = "count(*)" if self.weight is None else f"sum({number_of(self.weight)})"
        found = self.table.arrays(
            f"SELECT number, {greater} AS greater, {equal} AS equal, {amount} AS amount FROM (SELECT *,"
            f" CASE number {number_of_class} END AS own FROM {self.rows} JOIN classes ON"
            f" {quoted(self.truth)} = classes.label) GROUP BY 1, 2, 3"
        )
        numbers = self.place_of[np.asarray(found["number"])]
        table = spread_over_ties(
            numbers,
            np.asarray(found["greater"]),
            np.asarray(found["equal"]),
            np.asarray(found["amount"], dtype=np.float64),
            len(columns),
        )
        return dict(zip(classes, table, strict=False))

    def _worth_sorting(self, score: str) -> bool:
        """Is there no need to group: few rows, or more than half as many scores as rows?"""
        if self.row_count <= MOST_ROWS_SORTED:
            return True
        (different,) = self._one(f"SELECT approx_count_distinct({number_of(score)}) FROM source")
        return bool(different > self.row_count / 2)

    def _sorted(self, score: str) -> dict[int, Ties]:
        """The scores of each class, fetched row by row and sorted here."""
        of_class = f"FROM {self.rows} JOIN classes ON {quoted(self.truth)} = classes.label"
        ties: dict[int, Ties] = {}
        if len(self.place_of) <= FEW_CLASSES and len(set(self.place_of.tolist())) == len(self.place_of):
            for number, place in enumerate(self.place_of.tolist()):
                # compared with the one label, and not joined: a comparison is all that each row needs
                own = f"(SELECT label FROM classes WHERE number = {number})"
                asked = (
                    f"SELECT {self._lowest(score)} AS s FROM {self.rows} WHERE {quoted(self.truth)} = {own}"
                )
                ties[place] = _tied(np.asarray(self.table.arrays(asked).pop("s")))
            return {place: own for place, own in ties.items() if len(own.scores)}
        asked = f"SELECT CAST(number AS SMALLINT) AS number, {self._lowest(score)} AS s {of_class}"
        found = self.table.arrays(asked)
        numbers, scores = self.place_of[np.asarray(found.pop("number"))], np.asarray(found.pop("s"))
        for place in np.flatnonzero(np.bincount(numbers)).tolist():
            ties[place] = _tied(scores[numbers == place])
        return ties

    def _lacks(self, score: str) -> str:
        """Has a row no score?"""
        kind = self.table.kind(score)
        if kind in NEVER_ROUNDED:  # numbers, so that nothing has to be tried
            return f"{quoted(score)} IS NULL" + (f" OR {is_nan(quoted(score))}" if kind in _FLOATS else "")
        return is_nan(number_of(score))

    def _lowest(self, score: str) -> str:
        """A score, or the lowest of all where there is none."""
        if not self.lacking and self.table.kind(score) in NEVER_ROUNDED:
            return f"CAST({quoted(score)} AS DOUBLE)"
        number = number_of(score)
        return f"CASE WHEN {is_nan(number)} THEN CAST('-inf' AS DOUBLE) ELSE {number} END"

    def check_probabilities(self, sums: bool) -> None:
        """Every score lies in 0..1, and (if asked) those of a row add up to 1."""
        for score in self.scores:
            known = f"NOT {is_nan('s')}"
            asked = f"SELECT min(s), max(s) FROM (SELECT {number_of(score)} AS s FROM source) WHERE {known}"
            low, high = self._one(asked)
            if low < 0 or high > 1:
                raise InputError(
                    f"column {score!r} must hold probabilities",
                    found=f"scores from {low:g} to {high:g}",
                    allowed="numbers from 0 to 1",
                )
        if not sums or len(self.scores) == 1:
            return
        total = " + ".join(number_of(score) for score in self.scores)
        off, worst, row = self._one(
            f"SELECT count(*) FILTER (abs(s - 1) > {ROW_SUM_TOLERANCE}), arg_max(s, abs(s - 1)), arg_max(n,"
            f" abs(s - 1)) FROM (SELECT {total} AS s, row_number() OVER () - 1 AS n FROM source) WHERE NOT"
            f" {is_nan('s')}"
        )
        if off:
            raise InputError(
                "the probabilities of a row must add up to 1",
                found=(
                    f"{off:,} rows that do not, the worst row {row} (counted from 0) with a sum of {worst:g}"
                ),
                allowed="a sum of 1 in every row",
                do="normalise the scores, or do without what needs probabilities",
            )

    def _check_weights(self, weight: str) -> None:
        (bad,) = self._one(
            f"SELECT count(*) FROM (SELECT {number_of(weight)} AS w FROM source) WHERE NOT isfinite(w) OR"
            " w < 0"
        )
        if bad:
            raise InputError(
                "weights must be finite and not negative",
                found=f"{bad:,} bad weights in {weight!r}",
                allowed="numbers >= 0",
            )

    def _one(self, query: str) -> tuple[Any, ...]:
        return self.table.rows(query)[0]


def of_many_columns(
    classes: list[Label],
    counted: Mapping[Label, dict[int, Ties]],
    labels: Iterable[Label] | None,
    starts: Array | None,
    dropped: int,
    places: Mapping[Label, Array] | None = None,
) -> ScoreCounts:
    """A column of scores for each class, already counted: by the name of the column, then by the place of the
    class."""
    own = meant(counted, classes)
    column_of = {
        name if label is None else label: counted[name] for name, label in zip(counted, own, strict=True)
    }
    names = list(labels) if labels is not None else in_order(list(column_of))
    for label in (*classes, *names):
        if label not in column_of or label not in names:
            raise UnknownNameError(
                "score column for class", label, map(str, column_of), do="give a score column for every class"
            )
    place_of = {label: number for number, label in enumerate(classes)}
    nothing = Ties(np.empty(0))
    columns = tuple(tuple(column_of[j].get(place_of.get(i, -1), nothing) for i in names) for j in names)
    kept = None
    if places is not None:
        kept = np.stack([places.get(name, np.zeros(len(names))) for name in names])
    return ScoreCounts(tuple(names), columns, None, starts, dropped, own_places=kept)


def _tied(scores: Array) -> Ties:
    """Scores that are nobody else's, sorted where they stand."""
    own = scores if scores.flags.writeable else scores.copy()
    own.sort()
    return Ties.of_sorted(own)


def _bin_of(value: str, bins: int) -> str:
    """The start of a score's bin: the same comparison of doubles as for arrays, whatever rounding the product
    suffers."""
    guess = f"floor({value} * {bins})"
    start = (
        f"CASE WHEN {value} < {guess} / {bins} THEN ({guess} - 1) / {bins} "
        f"WHEN {value} >= ({guess} + 1) / {bins} THEN ({guess} + 1) / {bins} ELSE {guess} / {bins} END"
    )
    return f"least({start}, {bins - 1} / {bins})"
