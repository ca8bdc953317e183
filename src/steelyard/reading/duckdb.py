"""Tables that DuckDB counts: files, out of core and within a limit of memory, and relations of a caller."""

# CSV, TSV, JSON lines and Parquet are read whatever the number of rows. Labels stay as they are written: CSV
# fields are text ("01" is not 1), JSON and Parquet values keep their type. This is the one module that
# speaks DuckDB.

from __future__ import annotations

import functools
import json
import os
import re
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.encoding import moment, no_labels, time_of_day
from steelyard.counts.labels import Array, Label, is_missing, one_spelling
from steelyard.counts.libraries import column_names
from steelyard.errors import InputError
from steelyard.reading import files as disk
from steelyard.reading import table as ask
from steelyard.reading.sql import Dialect, columns_of

# What DuckDB may hold in memory unless the caller says otherwise; it spills to disk what does not fit.
MEMORY_LIMIT = "512MB"
# Types that hold nothing but numbers, each of which is a double; true is 1.
DOUBLES = frozenset(
    {"DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "BOOLEAN"}
)
# Whole numbers, which are doubles unless they are large.
_WHOLE = frozenset({"BIGINT", "UBIGINT"})
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
# Whole numbers that Parquet would hold as floating ones.
_WIDE = ("HUGEINT", "UHUGEINT")
# Types that DuckDB would change if another file has another type.
_ALONE = {"BOOLEAN", "VARCHAR", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"}
# A field that holds nothing else is empty.
_BLANKS = "' ' || chr(9) || chr(160)"


# Bytes of a text file that several threads read in parts.
LARGE = 8_000_000
MIXED_ENDS = "lines that end in different ways, or quotes that do not end"


def _rows(answer: Any) -> Any:
    return answer.fetchall()


class UnreadableError(InputError):
    """A file that DuckDB cannot read as it was asked to."""


class _DuckDB(Dialect):
    text_type = "VARCHAR"
    # DuckDB answers isnan() from the least and greatest value that a Parquet file tells of a column, and NaN
    # is neither of them.
    nan_test = "(NOT (isfinite({0}) OR isinf({0})))"
    #: For each column whose labels have codes, the table that holds them.
    label_tables: Mapping[str, str] = {}

    def literal(self, number: float) -> str:
        return f"CAST('{float(number)!r}' AS DOUBLE)"

    def number(self, name: str) -> str:
        column = self.column(name)
        nan = self.literal(float("nan"))
        if self.kinds.get(name) in DOUBLES | _WHOLE:
            return f"coalesce(CAST({column} AS DOUBLE), {nan})"
        # To DuckDB 1_000 is a number, to nobody else. The trim keeps it from pushing the cast into its CSV
        # reader, where it is an error and no longer a trial.
        written = self.text(name)
        return (
            f"CASE WHEN contains({written}, '_') THEN {nan}"
            f" ELSE coalesce(TRY_CAST(trim({written}) AS DOUBLE), {self.truth_value(name)}, {nan}) END"
        )

    def lacks(self, name: str) -> str:
        kind = self.kinds.get(name)
        if kind in DOUBLES | _WHOLE:  # numbers, so that nothing has to be tried
            column = self.column(name)
            return f"{column} IS NULL" + (f" OR {self.is_nan(column)}" if kind in ("DOUBLE", "FLOAT") else "")
        return super().lacks(name)

    def no_number(self, name: str) -> str:
        """NULL and JSON's null are missing numbers."""
        if self.kinds.get(name) in _WHOLE:
            return "FALSE"
        written = self.text(name)
        return (
            f"{written} <> 'null' AND trim({written}, {_BLANKS}) <> ''"
            f" AND (TRY_CAST({self.column(name)} AS DOUBLE) IS NULL OR contains({written}, '_'))"
            f" AND {self.truth_value(name)} IS NULL"
        )

    def rounded(self, name: str) -> str:
        if self.kinds.get(name) in _WHOLE:
            return f"CAST(CAST({self.column(name)} AS DOUBLE) AS HUGEINT) <> {self.column(name)}"
        written = self.text(name)
        return (
            f"length({written}) > 15 AND regexp_full_match({written}, '[-+]?[0-9]+')"
            f" AND TRY_CAST({written} AS HUGEINT) <> TRY_CAST(TRY_CAST({written} AS DOUBLE) AS HUGEINT)"
        )

    def code(self, name: str) -> str:
        table = self.label_tables[name]
        self.joins.append(f"JOIN {table} ON {self.column(name)} = {table}.value")
        return f"{table}.code"


class FileTable(ask.Table):
    """Files as one table."""

    def __init__(
        self,
        files: disk.Files | str | Path,
        memory_limit: str | None = None,
        progress: ask.Progress | None = None,
        database: Any = None,
    ) -> None:
        self._progress = progress
        self._label_tables: dict[str, str] = {}
        self._copies: dict[tuple[str, ...], disk.Files] = {}
        with ExitStack() as opened:
            self._database = database or opened.enter_context(connection(memory_limit))
            self.files = files if isinstance(files, disk.Files) else open_files(files, self._database)
            self.names, self.holds_text = self.files.columns, self.files.format == "csv"
            if self.holds_text:
                disk.refuse_long_last_lines(self.files.paths)
            self._opened = opened.pop_all()

    def groups(
        self, by: ask.Keys, sums: ask.Sums = (ask.ROWS,), without: ask.Tests = ()
    ) -> Iterator[ask.Row]:
        # Memory is bounded here, whatever a column holds: a column of ids has as many groups as rows.
        rows = self._answer(ask.Question(by, sums, without), of=f"{{}} LIMIT {self.most + 1}")
        return self.with_labels(rows, by, self._label_of)

    def columns(self, keys: ask.Keys, sums: ask.Sums = (), without: ask.Tests = ()) -> list[Array]:
        # Arrays come out of DuckDB column by column; rows as tuples would take many times the memory.
        fetched = self._answer(
            ask.Question(keys, sums, without), lambda answer: answer.fetchnumpy(), bool(sums)
        )
        arrays = [fetched.pop(f"k{k}") for k in range(len(keys))]
        arrays += [fetched[f"a{k}"] for k in range(len(sums))]
        for k, key in enumerate(keys):
            if isinstance(key, ask.Column):
                label = self._label_of(key.name)
                values = arrays[k].tolist()  # with None where a value is masked
                arrays[k] = np.empty(len(values), dtype=object)
                arrays[k][:] = values if label is None else list(map(label, values))
        return [np.asarray(array) for array in arrays]

    def labels(self, name: str, most: int, without: ask.Tests = ()) -> list[tuple[Label, int]]:
        table = self._label_tables.setdefault(name, f"labels_{len(self._label_tables)}")
        question = ask.Question([ask.Column(name)], [ask.ROWS], without)
        # In a table of their own, so that text is not sent back row by row.
        self._answer(
            question,
            of=f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT k0 AS value, CAST(row_number() OVER () - 1"
            f" AS SMALLINT) AS code, a0 AS n FROM ({{}} LIMIT {most + 1})",
        )
        label = self._label_of(name) or (lambda value: value)
        values = [
            (label(value), int(n))
            for value, n in run(self._database, f"SELECT value, n FROM {table} ORDER BY code")
        ]
        nameless = [str(code) for code, (value_label, _) in enumerate(values) if is_missing(value_label)]
        if nameless:
            run(self._database, f"DELETE FROM {table} WHERE code IN ({', '.join(nameless)})")
        return values

    def kind(self, name: str) -> str:
        return self._typed(name)[0].kind(self._typed(name)[1])

    def holds_doubles(self, name: str) -> bool:
        return self.kind(name) in DOUBLES

    def first_row(self, truth: str, pred: str) -> int | None:
        # A class may be called nan or null: only a float that is no number, and JSON's own null and NaN,
        # stand for nothing.
        null = "{0} IS NULL OR (typeof({0}) IN ('FLOAT', 'DOUBLE') AND CAST({0} AS VARCHAR) = 'nan')"
        if self.files.format == "json":
            null = "{0} IS NULL OR CAST({0} AS VARCHAR) IN ('null', 'NaN')"
        ((first,),) = self._run(
            lambda: (
                f"SELECT min(row_at) FROM {self._numbered([truth, pred])}"
                f" WHERE {null.format('v0')} OR {null.format('v1')}"
            ),
        )
        return None if first is None else int(first) + 1

    def rows(self, numbers: Sequence[int] | None = None) -> list[ask.Row]:
        values = ", ".join(f"v{k}" for k in range(len(self.names)))
        wanted = "" if numbers is None else f" WHERE row_at IN ({', '.join(str(int(n)) for n in numbers)})"
        fetched: list[ask.Row] = self._run(
            lambda: f"SELECT {values} FROM {self._numbered(self.names)}{wanted} ORDER BY row_at"
        )
        labels = [self._label_of(name) or (lambda value: value) for name in self.names]
        return [tuple(label(value) for label, value in zip(labels, row, strict=True)) for row in fetched]

    def close(self) -> None:
        self._opened.close()

    # -- how it is asked

    def _answer(
        self, question: ask.Question, take: ask.Convert = _rows, grouped: bool = True, of: str = "{}"
    ) -> Any:
        columns = columns_of(question)
        labels = {key.name for key in question.by if isinstance(key, (ask.Column, ask.Code))}

        def query() -> str:
            # Written when it is run: a second try reads a copy of the files.
            dialect = _DuckDB(columns, {name: self.kind(name) for name in columns})
            dialect.label_tables = self._label_tables
            return of.format(dialect.select(question, self._numbered(columns, labels, question), grouped))

        return self._run(query, take)

    def _run(self, query: Callable[[], str], take: ask.Convert = _rows) -> Any:
        """The answer to a query."""
        # Large text that DuckDB refuses is read again from a copy that Python made: its threads begin in the
        # middle of a file, where a line break inside quotes looks like the end of a row (and one thread alone
        # loses a row whose quote does not end). So are lines that end in different ways.
        try:
            return run(self._database, query(), take, self._progress)
        except UnreadableError as error:
            if self.files.format != "csv" or self.files.needs_copy:
                raise
            if MIXED_ENDS not in str(error) and max(map(os.path.getsize, self.files.paths)) < LARGE:
                raise
        self.files = replace(self.files, mixed_ends=True)
        return run(self._database, query(), take, self._progress)

    def _typed(self, name: str) -> tuple[disk.Files, str]:
        """The files that hold a column, and what it is called there."""
        return self.files, name

    def _label_of(self, name: str) -> ask.Convert | None:
        """How values of a column become labels, if they are not labels already."""
        # There are fewer values than groups, so each becomes one once.
        files, column = self._typed(name)
        convert = _conversion(files, column)
        # By type: to a dictionary True and 1.0 are 1.
        return None if convert is None else functools.lru_cache(maxsize=None, typed=True)(convert)

    def _numbered(
        self,
        columns: Sequence[str],
        labels: Collection[str] | None = None,
        question: ask.Question | None = None,
    ) -> str:
        """The rows, with their number where it is asked for."""
        rows = self._scan(columns, set(columns) if labels is None else labels)
        if question is not None and not any(isinstance(key, ask.RowBlock) for key in question.by):
            return rows
        return f"(SELECT *, row_number() OVER () - 1 AS row_at FROM {rows})"

    def _scan(self, columns: Sequence[str], labels: Collection[str]) -> str:
        """These columns of the files under the names v0, v1, ..."""
        files = self.files
        if files.needs_copy:
            if tuple(columns) not in self._copies:
                folder = run(self._database, "SELECT current_setting('temp_directory')")[0][0]
                self._copies[tuple(columns)] = disk.clean_copy(files, columns, folder)
            files = self._copies[tuple(columns)]
        return scan(files, columns, labels)


class MatchedFiles(FileTable):
    """Several files as one table, their rows matched by a key."""

    # `columns` are the files (by their place) and the names they have there; all files must agree about the
    # truth, which is read from the first.

    def __init__(
        self, files: Sequence[disk.Files], columns: Mapping[str, tuple[int, str]], key: str, truth: str
    ) -> None:
        super().__init__(files[0])
        self._parts, self._source = files, columns
        self.holds_text = all(each.format == "csv" for each in files)
        self.names = tuple(columns)
        try:
            self._match(key, truth)
        except BaseException:
            self.close()
            raise

    def _match(self, key: str, truth: str) -> None:
        """Read the files under the names file0, file1, ..., and refuse rows that do not match."""
        names = [Path(files.paths[0]).name for files in self._parts]
        for k, files in enumerate(self._parts):
            wanted = [key, *dict.fromkeys(column for of, column in self._source.values() if of == k)]
            wanted += [truth] if k and truth not in wanted else []
            alone = FileTable(files, database=self._database)
            inner = alone._scan(wanted, set(wanted) - {key})
            named = ", ".join(f"v{i} AS {_quoted(column)}" for i, column in enumerate(wanted[1:], 1))
            # The key 7 of a Parquet file is the key 7 of a CSV file.
            self._execute(
                f"CREATE TEMP VIEW file{k} AS SELECT CAST(v0 AS VARCHAR) AS match_key, {named} FROM {inner}"
            )
            ((without,),) = self._execute(f"SELECT count(*) FROM file{k} WHERE match_key IS NULL")
            if without:
                raise InputError(
                    f"the key is missing in {names[k]}",
                    found=f"{without:,} row{'s' if without > 1 else ''} without {key}",
                    allowed="a key in every row",
                )
            repeated = self._execute(
                f"SELECT match_key, count(*) FROM file{k} GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
            )
            if repeated:
                raise InputError(
                    f"a key occurs more than once in {names[k]}",
                    found=f"{key} = {repeated[0][0]} in {repeated[0][1]:,} rows",
                    allowed="different keys",
                )
        for k in range(1, len(self._parts)):
            self._refuse_others(k, key, truth, names)

    def _refuse_others(self, number: int, key: str, truth: str, names: Sequence[str]) -> None:
        """Refuse a file that has other keys than the first, or another truth for one of them."""
        for here, there in ((0, number), (number, 0)):
            ((lost, example),) = self._execute(
                f"SELECT count(*), min(match_key) FROM file{here}"
                f" WHERE match_key NOT IN (SELECT match_key FROM file{there})"
            )
            if lost:
                raise InputError(
                    "the files do not hold the same examples",
                    found=f"{lost:,} keys of {names[here]} that {names[there]} lacks, such as {example}",
                    allowed="the same keys in every file",
                )
        column = _quoted(truth)
        pairs = self._execute(
            f"SELECT CAST(a.{column} AS VARCHAR), CAST(b.{column} AS VARCHAR), count(*), min(match_key)"
            f" FROM file0 a JOIN file{number} b USING (match_key) GROUP BY 1, 2"
        )
        spelled = one_spelling({a for a, *_ in pairs}, {b for _, b, *_ in pairs})
        others = [(rows, example) for a, b, rows, example in pairs if spelled.get(a, a) != spelled.get(b, b)]
        if others:
            raise InputError(
                "the files do not agree about the truth",
                found=(
                    f"{sum(rows for rows, _ in others):,} examples with another {truth} in {names[number]}"
                    f" than in {names[0]}, such as {key} = {min(example for _, example in others)}"
                ),
                allowed="the same truth for the same key",
            )

    def _typed(self, name: str) -> tuple[disk.Files, str]:
        number, column = self._source[name]
        return self._parts[number], column

    def _scan(self, columns: Sequence[str], labels: Collection[str]) -> str:
        picked = ", ".join(
            f"file{number}.{_quoted(column)} AS v{k}"
            for k, (number, column) in enumerate(self._source[name] for name in columns)
        )
        # In the order of the keys, so that draws do not depend on the order of the files.
        joins = " ".join(f"JOIN file{k} USING (match_key)" for k in range(1, len(self._parts)))
        return f"(SELECT {picked or '1 AS one'} FROM file0 {joins} ORDER BY match_key)"

    def _execute(self, query: str) -> Any:
        return run(self._database, query)


class RelationTable(ask.Table):
    """A relation of DuckDB that the caller holds, counted on its own connection."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self.names = tuple(column_names(relation))
        self._kinds: dict[str, str] = dict(zip(relation.columns, map(str, relation.types), strict=True))

    def kind(self, name: str) -> str:
        return self._kinds[name]

    def groups(
        self, by: ask.Keys, sums: ask.Sums = (ask.ROWS,), without: ask.Tests = ()
    ) -> Iterator[ask.Row]:
        self.refuse_unweighable(sums, lambda kind: kind.removeprefix("U").startswith(_NUMBERS))
        columns = columns_of(ask.Question(by, sums, without))
        times = {key.name: self._kinds[key.name] for key in by if isinstance(key, ask.Column)}
        with in_one_sentence(None):
            read = (_readable(_quoted(name), times.get(name, "")) for name in columns)
            rows = self._relation.project(", ".join(f"{text} AS v{k}" for k, text in enumerate(read)))
            dialect = _DuckDB(columns, self._kinds)
            keys = [dialect.key(key) for key in by]
            wanted = [*keys, *map(dialect.aggregate, sums)]
            fetched = rows.aggregate(", ".join(wanted), ", ".join(keys)).limit(self.most + 1).fetchall()
        return self.with_labels(fetched, by, lambda name: _label_of_time(self._kinds[name]))

    def write(self, path: str, wanted: Sequence[str], scores: Sequence[str]) -> None:
        """Write these columns to a Parquet file, so that what the relation computes is computed once."""
        columns = [
            f"CAST({_quoted(name)} AS BIGINT) AS {_quoted(name)}"
            if self._kinds[name] in _WIDE and name not in scores
            else _quoted(name)
            for name in wanted
        ]
        with in_one_sentence(None):
            self._relation.project(", ".join(columns)).write_parquet(path)


# -- files


def _each_file(paths: Sequence[str], format_: disk.Format, opened: Any = None) -> list[disk.Files]:
    if format_ != "parquet":
        return [disk.text_file(path, format_) for path in paths]
    with connection() if opened is None else nullcontext(opened) as database:
        return [_parquet_file(database, path) for path in paths]


def open_files(source: str | Path, database: Any = None) -> disk.Files:
    """The files a path or a glob names, with their common columns."""
    # Says what is wrong with a file before anything is counted. Connecting takes 10 ms, so whoever is
    # connected says so.
    return disk.common(_each_file(*disk.named_files(source), database))


def header_names(source: str | Path) -> list[str]:
    """The columns that the first file of a source names, without opening a table."""
    paths, format_ = disk.named_files(source)
    return list(_each_file(paths[:1], format_)[0].columns)


def first_rows(source: str | Path, most: int) -> dict[str, list[Any]]:
    """The values in the first rows of files, column by column."""
    files = open_files(source)
    names = files.columns[:100]
    with connection() as database:
        rows = run(database, f"SELECT * FROM {scan(files, names, set(names))} LIMIT {most}")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


def json_objects(path: str, size: int) -> list[str]:
    """The JSON objects of a file packed by Zstandard, or the elements of its array, as text."""
    with connection() as database:
        rows = run(
            database,
            f"SELECT json FROM read_json_objects({_text(path)}, format='auto', compression='zstd',"
            f" maximum_object_size={max(size, 1 << 24)})",
        )
    return [text for (text,) in rows]


def _parquet_file(database: Any, path: str) -> disk.Files:
    """The columns as the file writes them: to DuckDB two names that differ in case only are one, and it
    changes the second."""
    literal = f"[{_text(disk.in_place(path))}]"
    rows = f"read_parquet({literal}, hive_partitioning = false)"
    described = run(database, f"DESCRIBE SELECT * FROM {rows}")
    schema = run(database, f"SELECT name, num_children, precision FROM parquet_schema({literal})")
    written: list[tuple[str, int | None]] = []
    place = 1  # the first row is the file itself
    # parquet_schema lists nested fields too: the children of a column are stepped over.
    while place < len(schema):
        name, children, precision = schema[place]
        written.append((name, precision))
        place += 1
        left = children or 0
        while left:
            left += (schema[place][1] or 0) - 1
            place += 1
    names = [name for name, _ in written]
    disk.refuse_twice(names, path)
    typed = {
        name: disk.ParquetColumn(row[0], frozenset(["DECIMAL256" if (precision or 0) > 38 else row[1]]))
        for (name, precision), row in zip(written, described, strict=True)
    }
    return disk.Files((path,), "parquet", tuple(names), typed=typed)


def scan(files: disk.Files, columns: Sequence[str], labels: Collection[str]) -> str:
    """These columns of the files under the names v0, v1, ...; `labels` are not to be changed on the way."""
    paths = "[" + ", ".join(_text(disk.in_place(path)) for path in files.paths) + "]"
    columns = columns or files.columns[:1]  # rows can be counted without a column, but not selected
    named = [(f"v{k}", column) for k, column in enumerate(columns)]
    if files.format == "csv":
        # Columns are read by place, because to DuckDB two names that differ in case only are one. Nothing is
        # left to detection: on ragged files DuckDB's takes some later line for the header.
        selected = ", ".join(f"c{files.columns.index(column)} AS {name}" for name, column in named)
        types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(files.columns)))
        return (
            f"(SELECT {selected} FROM read_csv({paths}, auto_detect = false, columns = {{{types}}},"
            f" header = true, delim = {_text(files.delimiter)}, quote = '\"', escape = '\"',"
            " null_padding = false))"
        )
    if files.format == "parquet":
        selected = ", ".join(
            f"{_of_parquet(files, column, column in labels)} AS {name}" for name, column in named
        )
        by_name = ", union_by_name = true" if len(files.paths) > 1 else ""
        # A folder called column=value says nothing about the rows in it.
        return f"(SELECT {selected} FROM read_parquet({paths}{by_name}, hive_partitioning = false))"
    if len({column.casefold() for column in columns}) < len(columns):  # to DuckDB they are one
        raise InputError(
            "two columns that are wanted differ in case only",
            found=", ".join(map(repr, sorted(columns))),
            do="rename one of them",
        )
    selected = ", ".join(f"{_quoted(column)} AS {name}" for name, column in named)
    types = ", ".join(f"{_text(column)}: 'JSON'" for column in columns)
    return (
        f"(SELECT {selected} FROM read_json({paths}, format = 'newline_delimited', hive_partitioning = false,"
        f" columns = {{{types}}}))"
    )


def _of_parquet(files: disk.Files, column: str, is_label: bool) -> str:
    """How a column is asked for; refused where DuckDB would change its values on the way."""
    known = files.typed[column]
    if len(files.paths) > 1 and known.name != column:
        raise InputError(
            "two columns of the files differ in case only",
            found=repr(column),
            do="rename one of them, or read the files one by one",
        )
    if not is_label:
        return _quoted(known.name)
    if "DECIMAL256" in known.types:
        raise InputError(
            f"the column {column!r} holds decimals that would be rounded",
            found="more than 38 digits",
            allowed="decimals of up to 38 digits",
            do="write the column as text",
        )
    if len(known.types) > 1 and _ALONE & known.types:
        raise InputError(
            f"the files do not agree on what the column {column!r} holds",
            found=", ".join(sorted(known.types)),
            allowed="one type in every file",
        )
    return _readable(_quoted(known.name), files.kind(column))


def _conversion(files: disk.Files, column: str) -> ask.Convert | None:
    """How values of a column become labels, where they are none yet."""

    def of_json(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.startswith(("[", "{")):
            raise no_labels(f"the column {column!r}", value[:60])
        return json.loads(value)

    def of_mixed_numbers(value: Any) -> Any:
        # Integers of one file beside floats of another are read as floats, in which large ones are not told
        # apart.
        if isinstance(value, float) and abs(value) >= 2**53:
            raise InputError(
                f"the files do not agree on what the column {column!r} holds",
                found=f"integers in one, floats in another, and {value:.0f}, which is rounded among floats",
                allowed="one type in every file",
            )
        return value

    if files.format == "json":
        return of_json
    known = files.typed.get(column)
    if known is not None and len(known.types) > 1 and known.types & {"DOUBLE", "FLOAT"}:
        return of_mixed_numbers
    return None if known is None else _label_of_time(files.kind(column))


# -- how DuckDB is asked


@contextmanager
def connection(memory_limit: str | None = None) -> Iterator[Any]:
    """A database of its own, with a folder for what does not fit into memory."""
    import duckdb

    # DuckDB spills into the working folder otherwise, which may be read-only or shared.
    with tempfile.TemporaryDirectory(prefix="steelyard-") as spill:
        database = duckdb.connect(":memory:")
        try:
            try:
                database.execute(f"SET memory_limit = {_text(memory_limit or MEMORY_LIMIT)}")
            except duckdb.Error as error:
                raise InputError(
                    "the memory limit is not understood",
                    found=repr(memory_limit),
                    allowed="sizes such as 512MB or 4GB",
                ) from error
            database.execute(f"SET temp_directory = {_text(spill)}")
            # DuckDB draws no bar but tells how far it is; in a notebook without ipywidgets DuckDB 2.0 refuses
            # the settings, and tells nothing.
            with suppress(duckdb.InvalidInputException):
                database.execute("SET enable_progress_bar_print = false")
                database.execute("SET enable_progress_bar = true")
            # Nothing is downloaded, and nothing that was downloaded before is loaded.
            database.execute("SET autoinstall_known_extensions = false")
            database.execute("SET autoload_known_extensions = false")
            yield database
        finally:
            database.close()


def run(database: Any, query: str, take: ask.Convert = _rows, progress: ask.Progress | None = None) -> Any:
    """The rows of a query, or what else is taken of the answer."""
    # What DuckDB says about a bad file becomes one sentence.
    stop = threading.Event()
    watcher = (
        # DuckDB tells how far it is from another thread only, while the query holds this one.
        threading.Thread(target=_watch, args=(database, progress, stop), daemon=True) if progress else None
    )
    try:
        if watcher:
            watcher.start()
        with in_one_sentence(database):
            return take(database.execute(query))
    finally:
        stop.set()
        if watcher and progress:
            watcher.join()
            progress(1.0)  # what follows has no share that is known


@contextmanager
def in_one_sentence(database: Any) -> Iterator[None]:
    """What DuckDB says becomes a sentence of ours."""
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error  # DuckDB notices Ctrl-C, and turns it into an error of its own
        raise
    except duckdb.OutOfMemoryException as error:
        limit = (
            database.execute("SELECT current_setting('memory_limit')").fetchall()[0][0]
            if database
            else "the connection's memory limit"
        )
        raise InputError(
            "there are too many different pairs of labels for the memory",
            found=f"more than {limit}",
            do="check that no column of scores or ids was taken for labels, or raise the memory limit",
        ) from error
    except duckdb.Error as error:
        raise UnreadableError(
            "the file cannot be read", found=_in_our_words(str(error)), do="check the file's format"
        ) from error


def _watch(database: Any, progress: ask.Progress, stop: threading.Event) -> None:
    while not stop.wait(0.2):
        done = database.query_progress()
        if 0 <= done <= 100:
            progress(done / 100)


# What DuckDB says, and what is said instead.
_WORDS: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r'JSON(?: transform error)? in file "(.+?)",', lambda match: _no_json_object(match[1])),
    (r"(?:No magic bytes|too small to be a Parquet)", lambda match: _no_parquet(match.string)),
    (r"state machine reached an invalid state", lambda match: MIXED_ENDS),
    (r"Maximum line size of (\d+) bytes", lambda match: f"a line of more than {int(match[1]):,} bytes"),
    (r"Expected Number of Columns: .*file = (.+?)\n", lambda match: disk.ragged_row(match[1])),
    (r"CSV Error on Line: (\d+).*not utf-8", lambda match: f"bytes that are not UTF-8 in line {match[1]}"),
    (
        r"CSV Error on Line: (\d+).*unterminated quote",
        lambda at: f"a quote that does not end in line {at[1]}",
    ),
]


def _no_parquet(message: str) -> str:
    name = re.search(r"file '(.+?)'", message, re.IGNORECASE)
    return f"{name[1] if name else 'a file'}, which is no Parquet file"


def _in_our_words(message: str) -> str:
    """What DuckDB says, without its advice on options the user of this program does not have, and with files
    in the working folder named from there."""
    message = message.replace(f"{Path.cwd()}{os.sep}", "")
    for pattern, words in _WORDS:
        match = re.search(pattern, message, re.DOTALL)
        if match is not None:
            return words(match)
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    noise = ("Possible", "Original Line", "file =", "delimiter", "quote", "escape", "LINE ", "^")
    telling = [line for line in lines if not line.startswith(noise)]
    return (
        re.sub(r"^(?:[A-Z][A-Za-z]+ )+Error: ", "", "; ".join(telling[:2])).rstrip(".")
        if telling
        else "no reason given"
    )


def _no_json_object(path: str) -> str:
    """The first line of a file that is no JSON object: DuckDB numbers it one too high where it is no JSON."""
    with disk.unpacked(path) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                parsed = json.loads(line, object_pairs_hook=_without_repeats) if line.strip() else {}
            except KeyError as error:
                return f"the key {error.args[0]!r} twice in line {number} of {path}"
            except ValueError:
                parsed = None
            if not isinstance(parsed, dict):
                shown = line.decode(errors="replace").strip()[:60]
                return f"{shown!r} in line {number} of {path}, which is no JSON object"
    return f"{path}, which is not JSON objects in lines"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for place, key in enumerate(keys):
        if key in keys[:place]:
            raise KeyError(key)
    return dict(pairs)


# -- values that DuckDB hands to Python changed, or not at all


# DuckDB cuts nanoseconds off, and needs the package pytz for a time zone: such times are asked for as
# numbers, by a function, and the label of a number is told here.
_TIMES: dict[str, tuple[str, ask.Convert]] = {
    "TIMESTAMP_NS": ("epoch_ns", moment),
    "TIMESTAMPTZ_NS": ("epoch_ns", lambda nanoseconds: moment(nanoseconds, of_a_zone=True)),
    "TIMESTAMP WITH TIME ZONE": ("epoch_us", lambda micros: moment(micros * 1000, of_a_zone=True)),
    "TIME_NS": ("epoch_ns", time_of_day),
}


def _label_of_time(kind: str) -> ask.Convert | None:
    """What makes a label of a time that was asked for as a number."""
    label = _TIMES[kind][1] if kind in _TIMES else None
    return None if label is None else lambda value: None if value is None else label(value)


def _readable(column: str, kind: str) -> str:
    return f"{_TIMES[kind][0]}({column})" if kind in _TIMES else column


def _text(value: str) -> str:
    """Text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
