"""How many examples of each class were given each score, in files too large to load?

DuckDB groups the rows of Parquet, CSV or JSON files by class and score; what comes back is as long as there are distinct scores,
or as there are bins. DuckDB (the `files` extra) is imported when a file is read, not before.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.columns import Label, in_order
from steelyard.errors import InputError, MissingExtraError, UnknownNameError
from steelyard.score_columns import ROW_SUM_TOLERANCE, Missing, bin_starts
from steelyard.score_counts import ScoreCounts
from steelyard.ties import Ties

Array = NDArray[Any]

READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".csv.gz": "read_csv",
    ".tsv.gz": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
MOST_CLASSES = 1000


def score_counts_from_files(
    paths: str | Path | Sequence[str | Path],
    truth: str,
    score: str | Mapping[Label, str],
    positive: Label | None = None,
    *,
    labels: Iterable[Label] | None = None,
    weight: str | None = None,
    missing: Missing = "refuse",
    probabilities: bool = False,
    bins: int | None = None,
    memory_limit: str | None = None,
) -> ScoreCounts:
    """Count the scores in files.

    `score` names one column (the score of the positive class), a pattern such as "p_*" (a column for each class, the class being
    what the star stands for), or maps each class to its column. `bins` bounds the memory by that many bins of 0..1.
    """
    with _Source(paths, memory_limit) as source:
        source.need(truth)
        if weight is not None:
            source.need(weight, numeric=True)
        columns = columns_of_classes(source.columns, score)
        for column in columns.values():
            source.need(column, numeric=True)
        dropped = source.settle_missing(list(columns.values()), missing)
        if probabilities or bins is not None:
            source.check_probabilities(list(columns.values()))
        if probabilities and len(columns) > 1:
            source.check_sums(list(columns.values()))
        if weight is not None:
            source.check_weights(weight)
        classes = source.classes(truth)
        counted = {name: source.grouped(truth, column, weight, bins) for name, column in columns.items()}
    starts = None if bins is None else bin_starts(bins, [])
    if not isinstance(score, Mapping) and "*" not in score:
        by_label = {classes[number]: ties for number, ties in counted[score].items()}
        return ScoreCounts.from_ties(by_label, positive, labels, starts=starts, dropped=dropped)
    return _of_many_columns(classes, counted, labels, starts, dropped)


def columns_of_classes(available: Sequence[str], score: str | Mapping[Label, str]) -> dict[Label, str]:
    """Which column holds the score of which class? One column stands alone under its own name."""
    if isinstance(score, Mapping):
        return dict(score)
    if "*" not in score:
        return {score: score}
    if score.count("*") != 1:
        raise InputError("the pattern of score columns is not understood", found=repr(score), allowed="one star, as in 'p_*'")
    before, after = score.split("*")
    found = [name for name in available if fnmatch.fnmatchcase(name, score)]
    if len(found) < 2:
        raise InputError(
            "too few columns match the pattern",
            found=f"{', '.join(found) or 'none'} for {score!r}",
            allowed=f"a column for each class; there are {', '.join(available[:12])}",
        )
    return {name[len(before) : len(name) - len(after) or None]: name for name in found}


class _Source:
    """Files opened as one table."""

    def __init__(self, paths: str | Path | Sequence[str | Path], memory_limit: str | None) -> None:
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtraError("duckdb", "files", "reading files") from error
        self._error = duckdb.Error
        listed = [str(path) for path in ([paths] if isinstance(paths, (str, Path)) else paths)]
        self._reader = _reader(listed)
        self._connection = duckdb.connect()
        self.name = ", ".join(listed)
        if memory_limit is not None:
            self._run(f"SET memory_limit = {_text(memory_limit)}")
        self._run(f"CREATE VIEW source AS SELECT * FROM {self._reader}([{', '.join(map(_text, listed))}])")
        described = self._run("DESCRIBE source").fetchall()
        self.types = {row[0]: row[1] for row in described}

    def __enter__(self) -> _Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def columns(self) -> list[str]:
        return list(self.types)

    def need(self, column: str, numeric: bool = False) -> None:
        if column not in self.types:
            raise UnknownNameError(f"column in {self.name}:", column, self.columns)
        kind = self.types[column]
        if numeric and not kind.startswith(
            ("DOUBLE", "FLOAT", "REAL", "DECIMAL", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "U", "HUGEINT")
        ):
            raise InputError(f"column {column!r} must hold numbers", found=f"values of type {kind}", allowed="one number per row")

    def classes(self, truth: str) -> list[Label]:
        """The distinct labels, numbered in a table of their own so that strings are not sent back row by row."""
        rows = self._run(f"SELECT {_name(truth)} AS label, count(*) FROM source GROUP BY 1 LIMIT {MOST_CLASSES + 2}").fetchall()
        absent = sum(count for label, count in rows if label is None or label != label)
        if absent:
            raise InputError(
                f"column {truth!r} has missing labels", found=f"{absent:,} rows", allowed="a label in every row", do="drop those rows"
            )
        if not rows:
            raise InputError("there is nothing to count", found="0 rows", allowed="at least one row")
        if len(rows) > MOST_CLASSES:
            raise InputError(
                f"column {truth!r} has too many different labels",
                found=f"more than {MOST_CLASSES:,}",
                allowed=f"at most {MOST_CLASSES:,}",
                do="check that a column of scores or ids was not taken for labels",
            )
        found: list[Label] = in_order([label for label, _ in rows])
        kind = self.types[truth]
        self._run(f"CREATE TABLE classes (number INTEGER, label {kind})")
        self._connection.executemany("INSERT INTO classes VALUES (?, ?)", [[i, label] for i, label in enumerate(found)])
        return found

    def settle_missing(self, scores: Sequence[str], missing: Missing) -> int:
        """Refuse rows that lack a score, leave them out (how many is the answer), or keep them for the lowest score."""
        if missing not in ("refuse", "drop", "lowest"):
            raise UnknownNameError("way to treat missing scores", missing, ("refuse", "drop", "lowest"))
        lacking = " OR ".join(f"isnan({_number(score)})" for score in scores)
        absent, rows = self._row(f"SELECT count(*) FILTER ({lacking}), count(*) FROM source")
        if absent and missing == "refuse":
            raise InputError(
                f"some scores in {', '.join(scores[:3])} are missing",
                found=f"{absent:,} of {rows:,} rows",
                allowed="a number in every row",
                do='leave those rows out with missing="drop", or count them as the lowest score with missing="lowest"',
            )
        if absent and absent == rows:
            raise InputError("no row has a score", found=f"{absent:,} rows without one", allowed="at least one score")
        if not absent or missing == "lowest":
            return 0
        self._run("ALTER VIEW source RENAME TO every_row")
        self._run(f"CREATE VIEW source AS SELECT * FROM every_row WHERE NOT ({lacking})")
        return int(absent)

    def grouped(self, truth: str, score: str, weight: str | None, bins: int | None) -> dict[int, Ties]:
        """The ties of each class, by its number."""
        value = f"CASE WHEN isnan({_number(score)}) THEN CAST('-inf' AS DOUBLE) ELSE {_number(score)} END"
        place = value if bins is None else _bin_of(value, bins)
        amount = "count(*)" if weight is None else f"sum(CAST({_name(weight)} AS DOUBLE))"
        found = self._run(
            f"SELECT classes.number AS number, {place} AS score, {amount} AS amount "
            f"FROM source JOIN classes ON source.{_name(truth)} = classes.label GROUP BY 1, 2"
        ).fetchnumpy()
        numbers, scores = np.asarray(found["number"]), np.asarray(found["score"])
        amounts = np.asarray(found["amount"], dtype=np.int64 if weight is None else np.float64)
        return {number: Ties.of(scores[numbers == number], amounts[numbers == number]) for number in np.unique(numbers).tolist()}

    def check_probabilities(self, scores: Sequence[str]) -> None:
        for score in scores:
            low, high = self._row(f"SELECT min({_name(score)}), max({_name(score)}) FROM source WHERE NOT isnan({_number(score)})")
            if low < 0 or high > 1:
                raise InputError(
                    f"column {score!r} must hold probabilities", found=f"scores from {low:g} to {high:g}", allowed="numbers from 0 to 1"
                )

    def check_sums(self, scores: Sequence[str]) -> None:
        """The probabilities of all classes add up to 1 in every row."""
        total = " + ".join(_number(score) for score in scores)
        off, worst = self._row(
            f"SELECT count(*) FILTER (abs(s - 1) > {ROW_SUM_TOLERANCE}), arg_max(s, abs(s - 1)) FROM (SELECT {total} AS s FROM source)"
        )
        if off:
            raise InputError(
                "the probabilities of a row must add up to 1",
                found=f"{off:,} rows that do not, the worst with a sum of {worst:g}",
                allowed="a sum of 1 in every row",
            )

    def check_weights(self, weight: str) -> None:
        (bad,) = self._row(f"SELECT count(*) FROM source WHERE NOT isfinite({_number(weight)}) OR {_number(weight)} < 0")
        if bad:
            raise InputError("weights must be finite and not negative", found=f"{bad:,} bad weights in {weight!r}", allowed="numbers >= 0")

    def _row(self, query: str) -> tuple[Any, ...]:
        row = self._run(query).fetchone()
        assert row is not None
        return tuple(row)

    def _run(self, query: str) -> Any:
        try:
            return self._connection.execute(query)
        except self._error as error:
            first = str(error).strip().splitlines()[0]
            raise InputError("the file cannot be read", found=f"{self.name}: {first}", allowed="Parquet, CSV or JSON") from error


def _of_many_columns(
    classes: list[Label], counted: Mapping[Label, dict[int, Ties]], labels: Iterable[Label] | None, starts: Array | None, dropped: int
) -> ScoreCounts:
    own = {str(label): label for label in classes}
    column_of = {own.get(str(name), name): groups for name, groups in counted.items()}
    names = list(labels) if labels is not None else in_order(list(column_of))
    for label in (*classes, *names):
        if label not in column_of or label not in names:
            raise UnknownNameError("score column for class", label, map(str, column_of), do="give a score column for every class")
    number_of = {label: number for number, label in enumerate(classes)}
    nothing = Ties(np.empty(0))
    columns = tuple(tuple(column_of[j].get(number_of.get(i, -1), nothing) for i in names) for j in names)
    return ScoreCounts(tuple(names), columns, None, starts, dropped)


def _bin_of(value: str, bins: int) -> str:
    """The start of a score's bin: the same comparison of doubles as for arrays, whatever rounding the product suffers."""
    guess = f"floor({value} * {bins})"
    return f"CASE WHEN {value} < {guess} / {bins} THEN ({guess} - 1) / {bins} WHEN {value} >= ({guess} + 1) / {bins} THEN ({guess} + 1) / {bins} ELSE {guess} / {bins} END"


def _reader(paths: Sequence[str]) -> str:
    if not paths:
        raise InputError("no file was named", found="an empty list", allowed="at least one file")
    readers = set()
    for path in paths:
        if not any(sign in path for sign in "*?[") and not Path(path).exists():
            raise InputError("there is no such file", found=path, do="check the path")
        ending = next((end for end in sorted(READERS, key=len, reverse=True) if path.lower().endswith(end)), None)
        if ending is None:
            raise InputError("this kind of file is not known", found=path, allowed=", ".join(READERS))
        readers.add(READERS[ending])
    if len(readers) != 1:
        raise InputError("files of different kinds cannot be read together", found=", ".join(paths), allowed="files of one kind")
    return readers.pop()


def _number(column: str) -> str:
    """A column as a double, NaN where it has no value."""
    return f"coalesce(CAST({_name(column)} AS DOUBLE), CAST('nan' AS DOUBLE))"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
