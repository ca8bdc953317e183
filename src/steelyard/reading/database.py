"""How is DuckDB asked, and what does it say when something is wrong?

The one module that speaks DuckDB: a connection of its own within a limit of memory, and sentences of ours for
its errors.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from steelyard.counts.labels import moment, time_of_day
from steelyard.errors import InputError

Progress = Callable[[float], None]
"""Called now and then with the part of the work that is done, 0 to 1."""

MEMORY_LIMIT = "512MB"
"""What DuckDB may hold in memory unless the caller says otherwise; it spills to disk what does not fit."""


@contextmanager
def connection(memory_limit: str | None = None) -> Iterator[Any]:
    """A database of its own, with a folder for what does not fit into memory."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="steelyard-") as spill:
        database = duckdb.connect(":memory:")
        try:
            try:
                database.execute(f"SET memory_limit = {text(memory_limit or MEMORY_LIMIT)}")
            except duckdb.Error as error:
                raise InputError(
                    "the memory limit is not understood",
                    found=repr(memory_limit),
                    allowed="sizes such as 512MB or 4GB",
                ) from error
            database.execute(f"SET temp_directory = {text(spill)}")
            database.execute("SET enable_progress_bar = false")
            # Nothing is downloaded, and nothing that was downloaded before is loaded.
            database.execute("SET autoinstall_known_extensions = false")
            database.execute("SET autoload_known_extensions = false")
            yield database
        finally:
            database.close()


def run(
    database: Any,
    query: str,
    progress: Progress | None,
    take: Callable[[Any], Any] = lambda answer: answer.fetchall(),
) -> Any:
    """The rows of a query, or what else is taken of the answer; what DuckDB says about a bad file becomes one
    sentence."""
    stop = threading.Event()
    watcher = (
        threading.Thread(target=_watch, args=(database, progress, stop), daemon=True) if progress else None
    )
    try:
        if watcher:
            watcher.start()
        with in_one_sentence(database):
            return take(database.execute(query))
    finally:
        stop.set()
        if watcher:
            watcher.join()


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
        raise InputError(
            "the file cannot be read", found=_in_our_words(str(error)), do="check the file's format"
        ) from error


def first_groups(answer: Any, most: int) -> list[tuple[Any, ...]]:
    """The rows of an answer, hardly more than are wanted at most: memory is bounded here, whatever a column
    holds."""
    rows: list[tuple[Any, ...]] = []
    while len(rows) <= most and (batch := answer.fetchmany(100_000)):
        rows += batch
    return rows


def _watch(database: Any, progress: Progress, stop: threading.Event) -> None:
    while not stop.wait(0.2):
        done = database.query_progress()
        if 0 <= done <= 100:
            progress(done / 100)


_KIND = re.compile(r"^(?:[A-Z][A-Za-z]+ )+Error: ")
"""How DuckDB calls the kind of an error, before it says anything."""


def _in_our_words(message: str) -> str:
    """What DuckDB says, without its advice on options the user of this program does not have."""
    json_file = re.search(r'JSON(?: transform error)? in file "(.+?)",', message)
    if json_file is not None:
        return _no_json_object(json_file[1])
    if "No magic bytes" in message or "too small to be a Parquet file" in message:
        name = re.search(r"file '(.+?)'", message, re.IGNORECASE)
        return f"{name[1] if name else 'a file'}, which is no Parquet file"
    if "state machine reached an invalid state" in message:
        return "lines that end in different ways, or quotes that do not end"
    long = re.search(r"Maximum line size of (\d+) bytes exceeded", message)
    if long is not None:
        return f"a line of more than {int(long[1]):,} bytes"
    line = re.search(r"CSV Error on Line: (\d+)", message)
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if line is not None and widths is not None:
        columns = "1 column" if widths[2] == "1" else f"{widths[2]} columns"
        return f"{columns} in line {line[1]}, {widths[1]} in the header"
    if line is not None and "not utf-8" in message:
        return f"bytes that are not UTF-8 in line {line[1]}"
    if line is not None and "unterminated quote" in message:
        return f"a quote that does not end in line {line[1]}"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    noise = ("Possible", "Original Line", "file =", "delimiter", "quote", "escape", "LINE ", "^")
    kept = [line for line in lines if not line.startswith(noise)]
    return _KIND.sub("", "; ".join(kept[:2])).rstrip(".") if kept else "no reason given"


def _no_json_object(path: str) -> str:
    """The first line of a file that is no JSON object: DuckDB numbers it one too high where it is no JSON."""
    packed: Any = gzip.open if path.lower().endswith(".gz") else open
    with packed(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                found = json.loads(line, object_pairs_hook=_without_repeats) if line.strip() else {}
            except _RepeatedKeyError as error:
                return f"the key {error.args[0]!r} twice in line {number} of {path}"
            except ValueError:
                found = None
            if not isinstance(found, dict):
                shown = line.decode(errors="replace").strip()[:60]
                return f"{shown!r} in line {number} of {path}, which is no JSON object"
    return f"{path}, which is not JSON objects in lines"


class _RepeatedKeyError(Exception):
    """A JSON object that has one key twice."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _RepeatedKeyError(key)
        made[key] = value
    return made


def fetched(relation: Any, most: int) -> Iterator[tuple[Any, ...]]:
    """The rows of a relation that a caller holds, one more than are wanted at most."""
    with in_one_sentence(None):
        return iter(relation.limit(most + 1).fetchall())


# -- values that DuckDB hands to Python changed, or not at all


def temporary_folder(database: Any) -> str:
    """The folder a connection keeps what does not fit into memory in."""
    return str(database.execute("SELECT current_setting('temp_directory')").fetchall()[0][0])


class _Time(NamedTuple):
    """A kind of time that is asked for as a number: by which function, and which label a number is."""

    counted_by: str
    label: Callable[[int], Any]


_TIMES = {
    "TIMESTAMP_NS": _Time("epoch_ns", moment),
    "TIMESTAMPTZ_NS": _Time("epoch_ns", lambda nanoseconds: moment(nanoseconds, of_a_zone=True)),
    "TIMESTAMP WITH TIME ZONE": _Time(
        "epoch_us", lambda microseconds: moment(microseconds * 1000, of_a_zone=True)
    ),
    "TIME_NS": _Time("epoch_ns", time_of_day),
}


def readable(column: str, kind: str) -> str:
    """A column as it is to be asked for: DuckDB cuts nanoseconds off, and needs the package pytz for a time
    zone."""
    asked = _TIMES.get(kind)
    return column if asked is None else f"{asked.counted_by}({column})"


def as_label(value: Any, kind: str) -> Any:
    """The label that stands behind a value of a column made readable."""
    asked = _TIMES.get(kind)
    return value if asked is None or value is None else asked.label(value)


# -- how SQL is written


def text(value: str) -> str:
    """Text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
