"""Scores counted by an engine: how many examples of each class were given each score, in tables too large to
load."""

# The engine groups rows by class and score where that makes them fewer; what comes back is as long as there
# are distinct scores, or as there are bins.

from __future__ import annotations

import tempfile
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts import score_columns
from steelyard.counts.encoding import no_labels
from steelyard.counts.labels import Array, Label, is_missing, meant, missing_values, one_spelling
from steelyard.counts.libraries import column_names, is_frame, is_lazy, library_of
from steelyard.counts.score_counts import ScoreCounts
from steelyard.counts.ties import Ties
from steelyard.errors import InputError, parameter
from steelyard.reading import adaptive_bins
from steelyard.reading import table as ask
from steelyard.reading.column_names import columns_of_classes, find_column
from steelyard.reading.engines import opened

MOST_CLASSES = 1000
# Rows up to which scores come back one by one, to be sorted here: that is faster than grouping, and where
# hardly two are alike grouping makes them no fewer.
MOST_ROWS_SORTED = 20_000_000
# Scores, of all columns, up to which they come back one by one (0.8 GB); more are counted in bins with
# bounds, unless there are few different ones or `exact` is asked for.
SCORES_IN_MEMORY = 100_000_000


@dataclass(frozen=True)
class ScoreReading:
    """Who reads scores, and how closely they are counted where they stay in their engine."""

    engine: str | None = None
    spark_master: str | None = None
    #: What bins may leave open of an area under the ROC curve.
    tolerance: float = adaptive_bins.TOLERANCE
    exact: bool = False

    def reads(self, source: Any) -> bool:
        """Does an engine read this source: files, an open table, or a frame on a cluster?"""
        return isinstance(source, (str, Path, ask.Table)) or library_of(source) == "pyspark"

    def on_cluster(self, source: Any) -> bool:
        """Does a cluster read this source?"""
        if isinstance(source, ask.Table):
            return source.travels
        return self.engine == "spark" if isinstance(source, (str, Path)) else library_of(source) == "pyspark"

    def opened(self, source: Any, progress: ask.Progress | None = None) -> AbstractContextManager[ask.Table]:
        """The table behind such a source."""
        of_files = isinstance(source, (str, Path))
        how = (self.engine, self.spark_master) if of_files else (None, None)
        return opened(source, *how, progress=progress)


def count_scores(
    table: ask.Table,
    score: str | Mapping[Label, str],
    truth: str | None = None,
    positive: Label | None = None,
    *,
    labels: Iterable[Label] | None = None,
    weight: str | None = None,
    weighed: Collection[Label] | None = None,
    missing: score_columns.Missing = "error",
    tolerance: float = adaptive_bins.TOLERANCE,
    exact: bool = False,
) -> ScoreCounts:
    """Count the scores of a table."""
    # `score` names one column (the score of the positive class), a pattern such as "p_*" (a column for each
    # class, the class being what the star stands for), or maps each class to its column. Weights that are
    # asked for of some classes only (`weighed`) are sorted for those. Of more than a hundred million scores,
    # and on a cluster, those that differ much are counted in bins, divided until they leave less than
    # `tolerance` open of an area under the ROC curve; `exact` fetches every one.
    score_columns.checked_missing(missing)
    columns = columns_of_classes(table.names, score)
    scored = CountedScores(table, truth, list(columns.values()), weight, missing)
    binned = scored.in_bins(tolerance, exact)
    starts_of: list[tuple[Array | None, Array | None]] = [(None, None)] * len(columns)
    if binned is None:
        by_column = [scored.ties(column, weighed) for column in columns.values()]
    else:
        starts_of = [adaptive_bins.named(column) for column in binned]
        by_column = [adaptive_bins.ties_of(column, weight is not None) for column in binned]
    starts = adaptive_bins.together(edges for edges, _ in starts_of)
    if not isinstance(score, Mapping) and "*" not in score:
        by_label = {scored.classes[place]: ties for place, ties in by_column[0].items()}
        positive = scored.spelled.get(str(positive), positive)
        return ScoreCounts.from_ties(
            by_label, positive, labels, starts=starts, dropped=scored.dropped, several=starts_of[0][1]
        )
    ranks = None if table.travels else scored.true_class_ranks(columns)
    counted = dict(zip(columns, by_column, strict=True))
    return of_many_columns(scored.classes, counted, labels, starts, scored.dropped, ranks)


def count_amounts(
    table: ask.Table,
    score: str,
    truth: str | None,
    positive: Label | None,
    column: str,
    *,
    missing: score_columns.Missing = "error",
    tolerance: float = adaptive_bins.TOLERANCE,
) -> tuple[ScoreCounts, ScoreCounts]:
    """Sums of a column and of its squares, in the bins that `count_scores` finds for the same scores."""
    scored = CountedScores(table, truth, [score], column, missing)
    (bins,) = scored.bins(tolerance, beside=column)
    positive = scored.spelled.get(str(positive), positive)
    first, second = (counts_of_bins(scored.classes, bins, positive, power) for power in (1, 2))
    return first, second


def counts_of_bins(
    labels: Sequence[Label],
    bins: Sequence[adaptive_bins.Bin],
    positive: Label | None,
    power: int | None = None,
) -> ScoreCounts:
    """The scores of one column, from its bins."""
    starts, several = adaptive_bins.named(bins)
    ties = {labels[place]: ties for place, ties in adaptive_bins.ties_of(bins, False, power).items()}
    return ScoreCounts.from_ties(ties, positive, starts=starts, several=several)


class CountedScores:
    """What is asked of a table about labels and scores; rows that lack them are refused or left out."""

    def __init__(
        self,
        table: ask.Table,
        truth: str | None,
        scores: Sequence[str],
        weight: str | None,
        missing: score_columns.Missing,
    ) -> None:
        self.table, self.scores, self.weight = table, scores, weight
        self.truth = find_column(truth, [name for name in table.names if name not in scores], "truth")
        for column in (*scores, *([weight] if weight else [])):
            find_column(column, table.names)
        self.without: list[ask.Test] = []
        # Rows that were left out because they have no score.
        self.dropped = self._settle_missing(missing)
        self._find_classes(missing)

    @property
    def amount(self) -> ask.Aggregate:
        return ask.ROWS if self.weight is None else ask.Sum(self.weight)

    def _settle_missing(self, missing: score_columns.Missing) -> int:
        """Refuse what holds no numbers, and rows that lack a score unless they may be left out (how many is
        the answer) or stand lowest."""
        lacks = ask.Lacks(tuple(self.scores))
        weight = [] if self.weight is None else [self.weight]
        sums = [ask.ROWS, ask.Rows(lacks), *(ask.Rows(ask.Unusable(name)) for name in weight)]
        rows, absent, *bad = refuse_no_numbers(self.table, [*self.scores, *weight], sums=sums)
        if not rows:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        if any(bad):
            raise ask.unusable_weights(f"{bad[0]:,} bad weights in {self.weight!r}")
        self.row_count = int(rows)
        if absent and missing == "error":
            what = f"some scores are missing in {', '.join(self.scores[:3])}"
            raise missing_values(what, absent, rows, "a number", score_columns.LACKING)
        if absent and absent == rows:
            raise InputError(
                "no row has a score", found=f"{absent:,} rows without one", allowed="at least one score"
            )
        if not absent or missing == "lowest":
            return 0
        self.without.append(lacks)
        return int(absent)

    def _find_classes(self, missing: score_columns.Missing) -> None:
        """Find the distinct labels; rows without one may be left out."""
        values = self.table.labels(self.truth, MOST_CLASSES, self.without)
        absent = sum(rows for label, rows in values if is_missing(label))
        if absent and missing != "drop":
            what = f"column {self.truth!r} has missing labels"
            raise missing_values(what, absent, self.row_count, "a label")
        labels = [label for label, _ in values if not is_missing(label)]
        if not labels:
            raise InputError("there is nothing to count", found="no row with a label", allowed="at least one")
        if len(labels) > MOST_CLASSES:
            raise InputError(
                f"column {self.truth!r} has too many different labels",
                found=f"more than {MOST_CLASSES:,}",
                allowed=f"at most {MOST_CLASSES:,}",
                do="check that a column of scores or ids was not taken for labels",
            )
        for label in (label for label in labels if not isinstance(label, Hashable)):
            raise no_labels(f"the column {self.truth!r}", repr(label))
        # Classes of a text file that are numbers written in another way too.
        self.spelled = one_spelling(labels) if self.table.holds_text else {}
        places: dict[Label, int] = {}
        # The class of each code: one class may be written in several ways, 1 and 1.0.
        self.place_of = np.array(
            [
                -1 if is_missing(label) else places.setdefault(self.spelled.get(label, label), len(places))
                for label, _ in values
            ],
            dtype=np.int16,
        )
        self.classes = list(places)
        #: The rows of each class.
        self.sizes = np.bincount(self.place_of + 1, [rows for _, rows in values])[1:]

    def in_bins(self, tolerance: float, exact: bool) -> list[list[adaptive_bins.Bin]] | None:
        """The bins of scores that are too many to fetch; None for others."""
        # What fits into memory is counted exactly.
        few = not self.table.travels and self.row_count * len(self.scores) <= SCORES_IN_MEMORY
        return None if exact or few else self.bins(tolerance)

    def bins(self, tolerance: float, beside: str | None = None) -> list[list[adaptive_bins.Bin]]:
        """The scores of each column in bins, with classes by their place."""
        # `beside` is a column that is added up in them.
        weight = self.weight if beside is None else None
        columns = adaptive_bins.counted_in_bins(
            self.table, self.truth, self.scores, weight, self.without, tolerance, self.place_of, beside
        )
        return [sorted(column, key=lambda each: each.low) for column in columns]

    def ties(self, score: str, weighed: Collection[Label] | None = None) -> dict[int, Ties]:
        """The scores of each class in one column, by the place of the class."""
        number, without = ask.Number(score, lowest=True), self.without
        left_out: list[int] = []
        if weighed is not None and not self.table.travels:  # a cluster has labels in place of codes
            left_out = [place for place, label in enumerate(self.classes) if label not in weighed]
            codes_out = np.flatnonzero(np.isin(self.place_of, left_out)).tolist()
            without = [*without, ask.Coded(self.truth, (-1, *codes_out))]
        if self._worth_sorting(number):
            keys: list[ask.Code | ask.Number] = [ask.Code(self.truth), number]
            keys += [] if self.weight is None else [ask.Number(self.weight)]
            codes, *columns = self.table.columns(keys, without=without)
        else:
            codes, scores, amounts = self.table.columns(
                [ask.Code(self.truth), number], [self.amount], without
            )
            columns = [scores, amounts.astype(np.int64 if self.weight is None else np.float64)]
        codes = np.asarray(codes)
        ties = {place: Ties(np.empty(0), np.empty(0)) for place in left_out}
        # The largest class comes last: its rows are nearly all, and then nobody needs the columns any more.
        for place in np.argsort(self.sizes, kind="stable").tolist():
            if place in left_out:
                continue
            first, *others = np.flatnonzero(self.place_of == place)
            rows = codes == first
            for code in others:
                rows |= codes == code
            if len(columns) > 1:
                rows &= columns[1] > 0
            of_class = [column[rows] for column in columns]
            if len(ties) == len(self.classes) - 1:
                columns.clear()
            if len(of_class) > 1:
                ties[place] = Ties.of(of_class.pop(0), of_class.pop(0))
            else:
                # Masks copy: these scores are nobody else's, and are sorted where they stand.
                of_class[0].sort()
                ties[place] = Ties.of_sorted(of_class[0])
        return dict(sorted(ties.items()))

    def true_class_ranks(self, columns: Mapping[Label, str]) -> dict[Label, Array] | None:
        """For each class how many of its examples have their own score in first place, in second place and so
        on; None where a class has no column."""
        column_of_class = {
            label: column
            for label, column in zip(meant(columns, self.classes), columns.values(), strict=True)
            if label is not None
        }
        if len(column_of_class) < len(self.classes):
            return None
        names, truth = tuple(columns.values()), ask.Code(self.truth)
        by_code = tuple(
            column_of_class[self.classes[place]] if place >= 0 else names[0] for place in self.place_of
        )
        ranks = [ask.TrueClassRank(truth, by_code, names, sign) for sign in ("greater", "equal")]
        codes, greater, equal, amounts = self.table.columns([truth, *ranks], [self.amount], self.without)
        table = score_columns.spread_over_ties(
            self.place_of[np.asarray(codes)], greater, equal, amounts.astype(np.float64), len(columns)
        )
        return dict(zip(self.classes, table, strict=False))

    def _worth_sorting(self, number: ask.Number) -> bool:
        """Is there no need to group: few rows, or more than half as many scores as rows?"""
        if self.table.travels or self.row_count <= MOST_ROWS_SORTED:
            return not self.table.travels
        ((different,),) = self.table.groups([], [ask.Distinct(number)], self.without)
        return bool(different > self.row_count / 2)


def refuse_no_probabilities(table: ask.Table, scores: Sequence[str]) -> None:
    """Every score lies in 0..1, and those of a row add up to 1."""
    total = [ask.Total(tuple(scores))] if len(scores) > 1 else []
    numbers: list[ask.Number | ask.Total] = [*map(ask.Number, scores), *total]
    ends = [ask.Extreme(number, side) for number in numbers for side in ("least", "greatest")]
    (answer,) = table.groups([], ends, [ask.Lacks(tuple(scores))])
    # Nothing where every row lacks a score.
    ranges = [] if answer[0] is None else list(zip(answer[::2], answer[1::2], strict=True))
    for score, (low, high) in zip(scores, ranges, strict=False):
        if low < 0 or high > 1:
            raise InputError(
                f"column {score!r} must hold probabilities",
                found=f"scores from {low:g} to {high:g}",
                allowed="numbers from 0 to 1",
            )
    worst = max((end for both in ranges[len(scores) :] for end in both), key=_off_one, default=1.0)
    if _off_one(worst) > score_columns.ROW_SUM_TOLERANCE:
        raise InputError(
            "the probabilities of a row must add up to 1",
            found=f"a row with a sum of {worst:g}",
            allowed="a sum of 1 in every row",
            do="normalise the scores, or do without what needs probabilities",
        )


def _off_one(total: float) -> float:
    return abs(total - 1)


def refuse_no_numbers(
    table: ask.Table,
    names: Sequence[str],
    sums: ask.Sums = (),
    allowed: str = "one number per row",
) -> tuple[Any, ...]:
    """Refuse columns that hold something else than numbers, or whole numbers that are equal as doubles."""
    # In the same pass these sums of all rows are answered.
    doubtful = [name for name in names if not table.holds_doubles(name)]
    checks = [
        aggregate
        for name in doubtful
        for test in (ask.NoNumber(name), ask.Rounded(name))
        for aggregate in (ask.Rows(test), ask.Example(name, test))
    ]
    if not checks and not sums:
        return ()
    (answer,) = table.groups([], [*sums, *checks])
    answers = answer[len(sums) :]
    for k, column in enumerate(doubtful):
        bad, example, rounded, large = answers[4 * k : 4 * k + 4]
        if bad:
            raise InputError(
                f"column {column!r} must hold numbers",
                found=f"{bad:,} other values such as {example!r}",
                allowed=allowed,
                do=score_columns.number_advice(example),
            )
        if rounded:
            raise InputError(
                f"column {column!r} holds whole numbers that would be rounded",
                found=f"{rounded:,} such as {large}",
                allowed="whole numbers up to 2^53, or that are doubles",
                do="give their ranks instead",
            )
    return tuple(answer[: len(sums)])


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
    names = score_columns.classes_of_table(list(counted), len(counted), classes, labels)
    by_class = [counted[score_columns.column_of(counted, name)] for name in names]
    place_of = {label: number for number, label in enumerate(classes)}
    nothing = Ties(np.empty(0))
    columns = tuple(
        tuple(column.get(place_of.get(name, -1), nothing) for name in names) for column in by_class
    )
    ranks = None
    if places is not None:
        ranks = np.stack([places.get(name, np.zeros(len(names))) for name in names])
    return ScoreCounts(tuple(names), columns, None, starts, dropped, own_places=ranks)


# -- scores that are computed when they are asked for


@contextmanager
def computed_once(data: Any, wanted: Sequence[str], scores: Sequence[str], exact: bool) -> Iterator[Any]:
    """These columns of a lazy frame or a relation: in memory where the scores fit there, or are all asked
    for; else the path of a Parquet file, which is removed afterwards. So the plan behind them runs once after
    its rows are counted, however often they are looked at."""
    if is_lazy(data):
        import polars

        picked = data.select(wanted)
        rows = 0 if exact else data.select(polars.len()).collect(engine="streaming").item()
        if rows * len(scores) <= SCORES_IN_MEMORY:
            yield picked.collect()
            return
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = str(Path(folder) / "scores.parquet")
        if is_lazy(data):
            picked.sink_parquet(path, compression="lz4")
        else:
            from steelyard.reading.duckdb import RelationTable

            RelationTable(data).write(path, wanted, scores)
        yield path


# -- scores of rows without a truth


def scores_alone(source: Any, score: str | None, missing: str = "error") -> Ties:
    """The scores of rows without a truth: in files, a frame, a column of numbers, or read already."""
    if isinstance(source, Ties):
        return source
    if isinstance(source, (str, Path)):
        column = _named(score)
        with opened(source) as table:
            find_column(column, table.names)
            (rows,) = refuse_no_numbers(table, [column], sums=[ask.ROWS])
            grouped = [ask.ROWS] if rows > MOST_ROWS_SORTED else []
            values, *counts = table.columns([ask.Number(column)], grouped)
    elif is_frame(source):
        column = _named(score)
        frame = source.collect() if hasattr(source, "collect") else source
        find_column(column, column_names(frame))
        values, counts = score_columns.numbers(frame[column], f"the score {column!r}"), []
    else:
        values, counts = score_columns.numbers(source, "the unlabelled scores"), []
    absent = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    lost = int(absent.sum() if not counts else counts[0][absent].sum())
    if lost and missing == "error":
        what = "some scores of the unlabelled rows are missing"
        rows = int(counts[0].sum()) if counts else len(values)
        raise missing_values(what, lost, rows, "a number")
    if absent.all():
        raise no_unlabelled_rows()
    return Ties.of(values[~absent], *(amounts[~absent] for amounts in counts))


def no_unlabelled_rows() -> InputError:
    return InputError("there are no unlabelled rows", found="0 rows", allowed="at least one row")


def _named(score: Any) -> str:
    if not isinstance(score, str):
        raise InputError(
            "the scores of the unlabelled rows are named by their column",
            found=type(score).__name__,
            allowed=f"the name of a column, or a column of scores for {parameter('unlabelled')}",
        )
    return score
