"""How often does each pair of labels occur in these files?

CSV, TSV, JSON lines and Parquet are read by DuckDB, embedded and out of core, whatever the number of rows. Labels stay
as they are written: CSV fields are text ("01" is not 1), JSON and Parquet values keep their type.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import re
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.counts.labels import is_missing
from steelyard.errors import InputError
from steelyard.reading.expressions import WEIGHT
from steelyard.reading.groups import MISSING_SLICE, MOST_GROUPS

Progress = Callable[[float], None]
"""Called now and then with the part of the work that is done, 0 to 1."""

Format = Literal["csv", "json", "parquet"]

MEMORY_LIMIT = "512MB"
"""What DuckDB may hold in memory unless the caller says otherwise; it spills to disk what does not fit."""

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True)
class Files:
    """Files of one format that hold the same columns."""

    paths: tuple[str, ...]
    format: Format
    columns: tuple[str, ...]
    delimiter: str = ","


def open_files(source: str | Path) -> Files:
    """The files a path or a glob names, with their common columns; says what is wrong with a file before anything is counted."""
    literal = not glob.has_magic(str(source)) or Path(source).exists()  # a file may be called run[1].csv
    paths = [str(source)] if literal else sorted(glob.glob(str(source), recursive=True))
    if not paths:
        raise InputError("no file matches", found=repr(str(source)), do="check the pattern")
    for path in paths:
        _check_file(Path(path))
    formats = {_format_of(path) for path in paths}
    if len(formats) > 1:
        raise InputError(
            "the files are of different formats",
            found=", ".join(sorted(formats)),
            allowed="one format at a time",
        )
    format_ = formats.pop()
    headers = [_header(path, format_) for path in paths]
    first, delimiter = headers[0]
    common = [column for column in first if all(column in other for other, _ in headers)]
    strange = next(
        (
            path
            for path, header in zip(paths, headers, strict=True)
            if format_ == "csv" and header != headers[0]
        ),
        None,
    )
    if strange is not None:
        raise InputError(
            "the files differ in their columns",
            found=f"{paths[0]} and {strange}",
            allowed="text files with the same header",
        )
    if not common:
        raise InputError(
            "the files have no column in common",
            found=f"{paths[0]} and {paths[-1]}",
            allowed="files of one kind",
        )
    return Files(tuple(paths), format_, tuple(common), delimiter)


class FilesSource:
    """Files as a source of counting: DuckDB reads them out of core, within a limit of memory."""

    travels = False

    def __init__(
        self, files: Files, memory_limit: str | None = None, progress: Progress | None = None
    ) -> None:
        self.columns = files.columns
        self._files, self._progress = files, progress
        self._opened = ExitStack()
        self._database = self._opened.enter_context(_connection(memory_limit))

    def named(self, picked: Mapping[str, str]) -> Any:
        # A weight that is no number becomes NULL here, and is counted as unusable; the other columns stay as they are written.
        # The trim keeps DuckDB from pushing the cast into its CSV reader, where it is an error and no longer a trial.
        number = "TRY_CAST(trim({}) AS DOUBLE)" if self._files.format == "csv" else "TRY_CAST({} AS DOUBLE)"
        weighed = ", ".join(f"{number.format(name)} AS {name}" if name == WEIGHT else name for name in picked)
        with _in_one_sentence(self._database):
            return self._database.sql(f"SELECT {weighed} FROM {_scan(self._files, dict(picked))}")

    def fetch(self, counted: Any) -> Iterator[tuple[Any, ...]]:
        return iter(_run(self._database, counted.to_native().sql_query(), self._progress, first_groups))

    def label(self, value: Any) -> Any:
        return _label(value, self._files)

    def first_missing(self, truth: str, pred: str) -> int | None:
        return _first_missing(self._database, self._files, truth, pred)

    def close(self) -> None:
        self._opened.close()


def fetched(relation: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a relation that a caller holds."""
    with _in_one_sentence(None):
        return iter(relation.limit(MOST_GROUPS + 1).fetchall())


class Table:
    """Files opened as one table of this name, for questions other than how often each pair occurs."""

    def __init__(self, database: Any, files: Files, wanted: Sequence[str], name: str = "source") -> None:
        self._database, self._files = database, files
        _run(
            database,
            f"CREATE TEMP VIEW {name} AS FROM {_scan(files, {quoted(column): column for column in wanted})}",
            None,
        )

    def beside(self, files: Files, wanted: Sequence[str], name: str) -> Table:
        """Other files, opened under another name in the same database."""
        return Table(self._database, files, wanted, name)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        answer: list[tuple[Any, ...]] = _run(self._database, query, None)
        return answer

    def arrays(self, query: str) -> dict[str, Any]:
        """The columns of a long answer as NumPy arrays, by name."""
        answer: dict[str, Any] = _run(self._database, query, None, lambda answer: answer.fetchnumpy())
        return answer

    def label(self, value: Any) -> Any:
        """A label as it is written in the files."""
        return _label(value, self._files)


@contextmanager
def opened(files: Files, wanted: Sequence[str], name: str = "source") -> Iterator[Table]:
    """Open these columns of the files as a table."""
    with _connection() as database:
        yield Table(database, files, wanted, name)


# -- what a file is


def _check_file(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "the name of the file is not UTF-8", found=repr(str(path)), do="rename the file"
        ) from error
    if not path.exists():
        near = sorted(p.name for p in path.parent.glob(f"*{path.suffix}"))[:5] if path.parent.is_dir() else []
        raise InputError(
            "there is no such file",
            found=str(path),
            do=f"in that folder there are {', '.join(near)}" if near else "check the path",
        )
    if path.is_dir():
        raise InputError(
            "this is a folder, not a file",
            found=str(path),
            do=f"name the files in it, e.g. '{path}/*.parquet'",
        )
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", found=str(path)) from error
    if empty:
        raise InputError("the file is empty", found=str(path), allowed="a header and at least one row")


def _format_of(path: str) -> Format:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise InputError(
            "the format of the file is not known",
            found=path,
            allowed=", ".join(_FORMATS) + " (text also with .gz)",
        )
    return _FORMATS[suffixes[-1]]


def _header(path: str, format_: Format) -> tuple[list[str], str]:
    if format_ == "csv":
        return _csv_header(path)
    if format_ == "json":
        return _json_header(path), ","
    with _connection() as database:
        rows = _run(database, f"DESCRIBE SELECT * FROM read_parquet([{_text(glob.escape(path))}])", None)
    return [row[0] for row in rows], ","


def _csv_header(path: str) -> tuple[list[str], str]:
    return csv_names(_first_line(path, "CSV"), path)


def csv_names(line: str, path: str) -> tuple[list[str], str]:
    """The column names in a header line, and what separates them."""
    tabs = ".tsv" in Path(path).suffixes
    unquoted = re.sub('"[^"]*"', "", line)
    delimiter = (
        "\t" if tabs else max(",;\t|", key=unquoted.count)
    )  # the first of them where all are equally rare
    try:
        names = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(
            "the header cannot be read",
            found=f"{error} in {path}",
            allowed="column names in one line that ends with a line feed",
        ) from error
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise InputError(
            "a column is named twice", found=f"{twice[0]!r} in {path}", allowed="different column names"
        )
    # A column without a name, such as the row numbers pandas writes, can be left unread by its place.
    return [name or f"(column {place})" for place, name in enumerate(names, 1)], delimiter


def _json_header(path: str) -> list[str]:
    line = _first_line(path, "JSON lines")
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(
            "the file is not JSON lines",
            found=f"{line[:60]!r} at the top of {path}",
            allowed="one JSON object a line",
        ) from error
    if not isinstance(record, dict):
        raise InputError(
            "the file is not JSON lines of objects",
            found=f"{line[:60]!r} at the top of {path}",
            allowed="one JSON object a line",
        )
    return list(record)


def _first_line(path: str, kind: str) -> str:
    """The first line of a text file; a binary file that only bears a text file's name is found out here."""
    try:
        with gzip.open(path) if path.lower().endswith(".gz") else Path(path).open("rb") as file:
            head = file.read(1 << 20)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            "the file cannot be unpacked", found=path, allowed="a gzip file where the name ends in .gz"
        ) from error
    if b"\0" in head:
        raise InputError(f"the file is not {kind}: it holds binary data", found=path, allowed="text in UTF-8")
    try:
        line = head.split(b"\n", 1)[0].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "the file is not UTF-8",
            found=f"byte {head[error.start]:#04x} at position {error.start} of {path}",
            do="convert it to UTF-8",
        ) from error
    if not line.strip():
        raise InputError(
            f"the {kind} file begins with an empty line", found=path, allowed="a header in the first line"
        )
    return line.rstrip("\r\n")


# -- how it is read


def _scan(files: Files, picked: dict[str, str]) -> str:
    """The columns that are wanted, each under the name a query gives it."""
    paths = "[" + ", ".join(_text(glob.escape(path)) for path in files.paths) + "]"
    if files.format == "csv":
        # Columns are read by place, because to DuckDB two names that differ in case only are one. Nothing is left to detection:
        # on ragged files DuckDB's takes some later line for the header.
        selected = ", ".join(f"c{files.columns.index(column)} AS {name}" for name, column in picked.items())
        types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(files.columns)))
        return (
            f"(SELECT {selected} FROM read_csv({paths}, auto_detect = false, columns = {{{types}}}, header = true, "
            f"delim = {_text(files.delimiter)}, quote = '\"', escape = '\"', null_padding = false))"
        )
    selected = ", ".join(f"{quoted(column)} AS {name}" for name, column in picked.items())
    if files.format == "parquet":
        return f"(SELECT {selected} FROM read_parquet({paths}, union_by_name = true))"
    types = ", ".join(f"{_text(column)}: 'JSON'" for column in dict.fromkeys(picked.values()))
    return f"(SELECT {selected} FROM read_json({paths}, format = 'newline_delimited', columns = {{{types}}}))"


def _label(value: Any, files: Files) -> Any:
    if files.format == "json" and isinstance(value, str):
        parsed = json.loads(value)
        return parsed if not isinstance(parsed, (list, dict)) else value
    return value


def slice_text(value: Any) -> str:
    """A slice's name; rows without a value are a slice of their own."""
    return MISSING_SLICE if is_missing(value) else str(value)


def _first_missing(database: Any, files: Files, truth: str, pred: str) -> int:
    # A class may be called nan or null: only a float that is no number, and JSON's own null, stand for nothing.
    null = "{0} IS NULL OR (typeof({0}) IN ('FLOAT', 'DOUBLE') AND CAST({0} AS VARCHAR) = 'nan')"
    if files.format == "json":
        null = "{0} IS NULL OR CAST({0} AS VARCHAR) = 'null'"
    where = f"{null.format('t')} OR {null.format('p')}"
    scan = _scan(files, {"t": truth, "p": pred})
    rows = _run(
        database,
        f"SELECT min(n) FROM (SELECT row_number() OVER () AS n, t, p FROM {scan}) WHERE {where}",
        None,
    )
    return int(rows[0][0])


@contextmanager
def _connection(memory_limit: str | None = None) -> Iterator[Any]:
    import duckdb

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
            database.execute("SET enable_progress_bar = false")
            yield database
        finally:
            database.close()


def _run(
    database: Any,
    query: str,
    progress: Progress | None,
    take: Callable[[Any], Any] = lambda answer: answer.fetchall(),
) -> Any:
    """The rows of a query, or what else is taken of the answer; what DuckDB says about a bad file becomes one sentence."""
    stop = threading.Event()
    watcher = (
        threading.Thread(target=_watch, args=(database, progress, stop), daemon=True) if progress else None
    )
    try:
        if watcher:
            watcher.start()
        with _in_one_sentence(database):
            return take(database.execute(query))
    finally:
        stop.set()
        if watcher:
            watcher.join()


@contextmanager
def _in_one_sentence(database: Any) -> Iterator[None]:
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
        raise InputError(
            "the file cannot be read", found=_first_sentence(str(error)), do="check the file's format"
        ) from error


def first_groups(answer: Any) -> list[tuple[Any, ...]]:
    """The rows of an answer, one more than are ever wanted at most: memory is bounded here, whatever a column holds."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) <= MOST_GROUPS and (batch := answer.fetchmany(100_000)):
        rows += batch
    return rows


def _watch(database: Any, progress: Progress, stop: threading.Event) -> None:
    while not stop.wait(0.2):
        done = database.query_progress()
        if 0 <= done <= 100:
            progress(done / 100)


def _first_sentence(message: str) -> str:
    """What DuckDB says, without its advice on options the user of this program does not have."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    noise = ("Possible", "Original Line", "file =", "delimiter", "quote", "escape", "LINE ", "^")
    kept = [line for line in lines if not line.startswith(noise)]
    return "; ".join(kept[:2]).rstrip(".") if kept else "no reason given"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
