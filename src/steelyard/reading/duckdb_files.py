"""How often does each pair of labels occur in these files?

CSV, TSV, JSON lines and Parquet are read by DuckDB, embedded and out of core, whatever the number of rows.
Labels stay as they are written: CSV fields are text ("01" is not 1), JSON and Parquet values keep their type.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Any

from steelyard.counts.labels import Label, one_spelling
from steelyard.errors import InputError
from steelyard.reading.clean_copies import with_clean_copy
from steelyard.reading.database import Progress as Progress
from steelyard.reading.database import (
    as_label,
    connection,
    first_groups,
    in_one_sentence,
    readable,
    run,
    temporary_folder,
    text,
)
from steelyard.reading.database import quoted as quoted
from steelyard.reading.expressions import WEIGHT
from steelyard.reading.files import Files as Files
from steelyard.reading.files import in_place
from steelyard.reading.files import open_files as open_files
from steelyard.reading.groups import MOST_GROUPS
from steelyard.reading.groups import slice_text as slice_text


class FilesSource:
    """Files as a source of counting: DuckDB reads them out of core, within a limit of memory."""

    travels = False
    at_most = MOST_GROUPS

    def __init__(
        self, files: Files, memory_limit: str | None = None, progress: Progress | None = None
    ) -> None:
        self.columns = files.columns
        self.holds_text = files.format == "csv"
        self._files, self._progress = files, progress
        self._picked: dict[str, str] = {}
        self._opened = ExitStack()
        self._database = self._opened.enter_context(connection(memory_limit))

    def named(self, picked: Mapping[str, str]) -> Any:
        # A weight that is no number becomes NULL here, and is counted as unusable; the other columns stay as
        # they are written.
        # The trim keeps DuckDB from pushing the cast into its CSV reader, where it is an error and no longer
        # a trial.
        number = "TRY_CAST(trim({}) AS DOUBLE)" if self._files.format == "csv" else "TRY_CAST({} AS DOUBLE)"
        # To DuckDB 1_000 is a number, to nobody else.
        if self._files.format == "csv":
            number = f"CASE WHEN contains({{0}}, '_') THEN NULL ELSE {number} END".replace("{}", "{0}")
        weighed = ", ".join(f"{number.format(name)} AS {name}" if name == WEIGHT else name for name in picked)
        self._picked = dict(picked)
        with in_one_sentence(self._database):
            return self._database.sql(
                f"SELECT {weighed} FROM {_scan(self._database, self._files, self._picked)}"
            )

    def fetch(self, counted: Any) -> Iterator[tuple[Any, ...]]:
        some = partial(first_groups, most=self.at_most)
        return iter(run(self._database, counted.to_native().sql_query(), self._progress, some))

    def label(self, value: Any, name: str) -> Any:
        return _label(value, self._files, self._picked[name])

    def grouping(self) -> AbstractContextManager[None]:
        return nullcontext()

    def first_missing(self, truth: str, pred: str) -> int | None:
        return _first_missing(self._database, self._files, truth, pred)

    def close(self) -> None:
        self._opened.close()


class FileTable:
    """Files opened as one table of this name, for questions other than how often each pair occurs."""

    def __init__(
        self,
        database: Any,
        files: Files,
        wanted: Sequence[str],
        name: str = "source",
        keys: Collection[str] = (),
        progress: Progress | None = None,
    ) -> None:
        self._database, self._files, self._progress = database, files, progress
        scan = _scan(database, files, {quoted(column): column for column in wanted}, keys)
        run(database, f"CREATE TEMP VIEW {name} AS FROM {scan}", None)

    def beside(self, files: Files, wanted: Sequence[str], name: str, keys: Collection[str] = ()) -> FileTable:
        """Other files, opened under another name in the same database."""
        return FileTable(self._database, files, wanted, name, keys)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        answer: list[tuple[Any, ...]] = run(self._database, query, self._progress)
        return answer

    def arrays(self, query: str) -> dict[str, Any]:
        """The columns of a long answer as NumPy arrays, by name."""
        answer: dict[str, Any] = run(
            self._database, query, self._progress, lambda answer: answer.fetchnumpy()
        )
        return answer

    def kind(self, column: str) -> str:
        """The type of a column of Parquet files, where all agree on it."""
        return _kind(self._files, column)

    def label(self, value: Any, column: str) -> Any:
        """A label of a column as it is written in the files."""
        return _label(value, self._files, column)

    def spelled(self, *columns: Iterable[Any]) -> dict[Label, str]:
        """For each number that columns of a text file write in several ways, the shortest one."""
        return one_spelling(*columns) if self._files.format == "csv" else {}


@contextmanager
def opened(
    files: Files,
    wanted: Sequence[str],
    name: str = "source",
    keys: Collection[str] = (),
    progress: Progress | None = None,
) -> Iterator[FileTable]:
    """Open these columns of the files as a table; `keys` are read for what they are compared with, not as
    labels."""
    with connection() as database:
        yield FileTable(database, files, wanted, name, keys, progress)


# -- how it is read


def _scan(database: Any, files: Files, picked: Mapping[str, str], keys: Collection[str] = ()) -> str:
    """The columns that are wanted, each under the name a query gives it."""
    if files.needs_copy:
        files = with_clean_copy(files, picked.values(), temporary_folder(database))
    paths = "[" + ", ".join(text(in_place(path)) for path in files.paths) + "]"
    if files.format == "csv":
        # Columns are read by place, because to DuckDB two names that differ in case only are one. Nothing is
        # left to detection:
        # on ragged files DuckDB's takes some later line for the header.
        selected = ", ".join(f"c{files.columns.index(column)} AS {name}" for name, column in picked.items())
        types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(files.columns)))
        return (
            f"(SELECT {selected} FROM read_csv({paths}, auto_detect = false, columns = {{{types}}}, header ="
            f" true, delim = {text(files.delimiter)}, quote = '\"', escape = '\"', null_padding = false))"
        )
    if files.format == "parquet":
        read = {name: _of_parquet(files, column, name, column in keys) for name, column in picked.items()}
        selected = ", ".join(f"{asked} AS {name}" for name, asked in read.items())
        by_name = ", union_by_name = true" if len(files.paths) > 1 else ""
        # A folder called column=value says nothing about the rows in it.
        return f"(SELECT {selected} FROM read_parquet({paths}{by_name}, hive_partitioning = false))"
    wanted = set(picked.values())
    if len({column.casefold() for column in wanted}) < len(wanted):  # to DuckDB they are one
        raise InputError(
            "two columns that are wanted differ in case only",
            found=", ".join(map(repr, sorted(wanted))),
            do="rename one of them",
        )
    selected = ", ".join(f"{quoted(column)} AS {name}" for name, column in picked.items())
    types = ", ".join(f"{text(column)}: 'JSON'" for column in dict.fromkeys(picked.values()))
    return (
        f"(SELECT {selected} FROM read_json({paths}, format = 'newline_delimited', hive_partitioning = false,"
        f" columns = {{{types}}}))"
    )


def _of_parquet(files: Files, column: str, name: str, is_key: bool) -> str:
    """How a column is asked for; refused where DuckDB would change its values on the way."""
    known = files.typed[column]
    if len(files.paths) > 1 and known.own != column:
        raise InputError(
            "two columns of the files differ in case only",
            found=repr(column),
            do="rename one of them, or read the files one by one",
        )
    if name == WEIGHT or is_key:
        return quoted(known.own)
    if "DECIMAL256" in known.types:
        raise InputError(
            f"the column {column!r} holds decimals that would be rounded",
            found="more than 38 digits",
            allowed="decimals of up to 38 digits",
            do="write the column as text",
        )
    if len(known.types) > 1 and ({"BOOLEAN", "VARCHAR"} & known.types):
        raise InputError(
            f"the files do not agree on what the column {column!r} holds",
            found=", ".join(sorted(known.types)),
            allowed="one type in every file",
        )
    return readable(quoted(known.own), _kind(files, column))


def _kind(files: Files, column: str) -> str:
    """The type of a column, where all files agree on it."""
    known = files.typed.get(column)
    return next(iter(known.types)) if known is not None and len(known.types) == 1 else ""


def _label(value: Any, files: Files, column: str) -> Any:
    if files.format == "json" and isinstance(value, str):
        if value.startswith(("[", "{")):
            raise InputError(
                f"the column {column!r} holds values that cannot be labels",
                found=value[:60],
                allowed="text, numbers and booleans",
            )
        return json.loads(value)
    return as_label(value, _kind(files, column))


def _first_missing(database: Any, files: Files, truth: str, pred: str) -> int | None:
    # A class may be called nan or null: only a float that is no number, and JSON's own null and NaN, stand
    # for nothing.
    null = "{0} IS NULL OR (typeof({0}) IN ('FLOAT', 'DOUBLE') AND CAST({0} AS VARCHAR) = 'nan')"
    if files.format == "json":
        null = "{0} IS NULL OR CAST({0} AS VARCHAR) IN ('null', 'NaN')"
    where = f"{null.format('t')} OR {null.format('p')}"
    scan = _scan(database, files, {"t": truth, "p": pred})
    rows = run(
        database,
        f"SELECT min(n) FROM (SELECT row_number() OVER () AS n, t, p FROM {scan}) WHERE {where}",
        None,
    )
    return None if rows[0][0] is None else int(rows[0][0])
