"""Files of predictions: which ones a path names, their format and their columns."""

# Text files that DuckDB does not read as they are (lines that end in different ways, too many columns) are
# copied here, with the columns that are wanted.

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import os
import re
import stat
import tempfile
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from steelyard.errors import InputError

Format = Literal["csv", "json", "parquet"]

# So many lines of JSON are asked which names there are.
LINES_OF_NAMES = 100
# Bytes in which the first line of a text file must end.
LONGEST_FIRST_LINE = 1 << 20

# Bytes of a line that DuckDB reads.
LONGEST_LINE = 2_000_000
# Bytes that DuckDB holds of a text file at once.
BUFFER = 32_000_000

# More columns than this are not given to DuckDB, which needs time that grows with their square.
WIDE = 10_000

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


class ParquetColumn(NamedTuple):
    """A column of Parquet files: what DuckDB calls it, and the types it has in the files."""

    name: str
    types: frozenset[str]


@dataclass(frozen=True)
class Files:
    """Files of one format that hold the same columns."""

    paths: tuple[str, ...]
    format: Format
    columns: tuple[str, ...]
    delimiter: str = ","
    #: Do some lines of a text file end with a carriage return and others not?
    mixed_ends: bool = False
    #: What is known of the columns of Parquet files.
    typed: Mapping[str, ParquetColumn] = field(default_factory=dict)

    @property
    def needs_copy(self) -> bool:
        """Does DuckDB not read these text files as they are?"""
        return self.format == "csv" and (self.mixed_ends or len(self.columns) > WIDE)

    def kind(self, column: str) -> str:
        """The type of a column of Parquet files, where all agree on it."""
        known = self.typed.get(column)
        return next(iter(known.types)) if known is not None and len(known.types) == 1 else ""


def named_files(source: str | Path) -> tuple[list[str], Format]:
    """The files a path or a glob names, and their format; says what is wrong with them."""
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
    return paths, formats.pop()


def common(parts: Sequence[Files]) -> Files:
    """Files that were looked at one by one as one table: the columns that all of them have."""
    first = parts[0]
    paths = tuple(path for each in parts for path in each.paths)
    header = (first.columns, first.delimiter)
    strange = [each for each in parts if (each.columns, each.delimiter) != header]
    if strange and first.format == "csv":
        raise InputError(
            "the files differ in their columns",
            found=f"{paths[0]} and {strange[0].paths[0]}",
            allowed="text files with the same header",
        )
    everywhere = set(first.columns).intersection(*(each.columns for each in parts))
    columns = tuple(column for column in first.columns if column in everywhere)
    if not columns:
        raise InputError(
            "the files have no column in common",
            found=f"{paths[0]} and {paths[-1]}",
            allowed="files of one kind",
        )
    typed = {
        column: ParquetColumn(known.name, frozenset().union(*(each.typed[column].types for each in parts)))
        for column, known in first.typed.items()
        if column in columns
    }
    mixed_ends = any(each.mixed_ends for each in parts)
    return replace(first, paths=paths, columns=columns, mixed_ends=mixed_ends, typed=typed)


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
            f"there is no such file: {path}",
            do=f"in that folder there are {', '.join(near)}" if near else "check the path",
        )
    if path.is_dir():
        raise InputError(
            "this is a folder, not a file",
            found=str(path),
            do=f"name the files in it, e.g. '{path}/*.parquet'",
        )
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError(
            "this is a pipe or a device, not a file",
            found=str(path),
            do="write it to a file first, or let 'steelyard watch -' read a pipe",
        )
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", found=str(path)) from error
    if empty:
        raise InputError("the file is empty", found=str(path), allowed="a header and at least one row")


def text_of(path: str | Path, name: str, allowed: str = "", encoding: str = "utf-8-sig") -> str:
    """The text of a small file, which has this name in a refusal."""
    try:
        return Path(path).read_text(encoding=encoding)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"the {name} cannot be read: {reason}", found=str(path), allowed=allowed) from error


def comes_row_by_row(path: str | Path) -> bool:
    """Are the rows of this file read one after the other, in their order?"""
    return FORMATS.get(Path(path).suffix.lower()) != "parquet"


def _format_of(path: str) -> Format:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if suffixes and suffixes[-1] in _WORKBOOKS:
        raise InputError(
            "the format of the file is not known: it is a spreadsheet",
            found=path,
            allowed=", ".join(FORMATS),
            do="save it as CSV or Parquet, or pass the frame of pandas.read_excel(...)",
        )
    if not suffixes or suffixes[-1] not in FORMATS:
        raise InputError(
            "the format of the file is not known",
            found=path,
            allowed=", ".join(FORMATS) + " (text also with .gz)",
        )
    return FORMATS[suffixes[-1]]


def text_file(path: str, format_: Format) -> Files:
    """A text file with its columns."""
    if format_ == "json":
        return Files((path,), format_, tuple(_json_names(path)))
    line, mixed = _first_line(path, "CSV")
    names, delimiter = csv_names(line, path)
    return Files((path,), format_, tuple(names), delimiter, mixed)


def csv_names(line: str, path: str) -> tuple[list[str], str]:
    """The column names in a header line, and what separates them."""
    tabs = Path(path.lower().removesuffix(".gz")).suffix == ".tsv"
    # A header such as "name, first";age has one semicolon and one comma; the comma is quoted.
    unquoted = re.sub('"[^"]*"', "", line)
    # The first of them where all are equally rare.
    delimiter = "\t" if tabs else max(",;\t|", key=unquoted.count)
    try:
        names = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(
            "the header cannot be read",
            found=f"{error} in {path}",
            allowed="column names in one line that ends with a line feed",
        ) from error
    refuse_twice([name for name in names if name], path)
    # A column without a name, such as the row numbers pandas writes, can be left unread by its place.
    return [name or f"(column {place})" for place, name in enumerate(names, 1)], delimiter


def refuse_twice(names: list[str], path: str) -> None:
    twice = next((name for name, times in Counter(names).most_common(1) if times > 1), None)
    if twice is not None:
        raise InputError(
            "a column is named twice",
            found=f"{twice!r} in {path}",
            allowed="different column names",
            do=header_advice(names) or "if the file has no header line, add one",
        )


def header_advice(names: Sequence[str]) -> str:
    """What to do where the names of columns are a row of values: nobody calls a column 0.734."""
    # Whole numbers are names of columns that pandas gives.
    if not any(re.fullmatch(r"[-+]?\d*[.,]\d+([eE][-+]?\d+)?", name.strip()) for name in names):
        return ""
    shown = ", ".join(map(repr, names[:4])) + (", ..." if len(names) > 4 else "")
    return f"the first line ({shown}) looks like a row of values, not column names: add a header line"


def unpacked(path: str | Path, mode: str = "rb", **how: Any) -> Any:
    """An open file, packed by gzip where its name says so."""
    packed: Any = gzip.open if str(path).lower().endswith(".gz") else open
    return packed(path, mode, **how)


def _json_names(path: str) -> list[str]:
    """The names in the first lines: an object may lack what others have."""
    # Later lines that are no objects are told of where they are read.
    line, _ = _first_line(path, "JSON lines")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = ()  # which no JSON is
    if not isinstance(record, dict):
        raise InputError(
            "the file is not JSON lines" + ("" if record == () else " of objects"),
            found=f"{line[:60]!r} at the top of {path}",
            allowed="one JSON object a line",
        )
    names = dict.fromkeys(record)
    try:
        with unpacked(path) as file:
            for _ in range(LINES_OF_NAMES):
                record = json.loads(file.readline(LONGEST_FIRST_LINE).strip() or b"{}")
                names |= dict.fromkeys(record if isinstance(record, dict) else ())
    except (ValueError, RecursionError, OSError, EOFError, zlib.error):
        pass
    return list(names)


def _first_line(path: str, kind: str) -> tuple[str, bool]:
    """The first line of a text file, and whether lines end in different ways."""
    # What only bears a text file's name is found out here.
    try:
        with unpacked(path) as file:
            head = file.read(LONGEST_FIRST_LINE)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            "the file cannot be unpacked", found=path, allowed="a gzip file where the name ends in .gz"
        ) from error
    if b"\0" in head:
        raise InputError(f"the file is not {kind}: it holds binary data", found=path, allowed="text in UTF-8")
    if kind != "CSV" and head.startswith(b"\xef\xbb\xbf"):
        raise InputError(
            f"the {kind} begin with a byte order mark", found=path, do="save the file as UTF-8 without one"
        )
    if b"\n" not in head and b"\r" not in head and len(head) == LONGEST_FIRST_LINE:
        raise InputError(
            "the first line of the file is too long",
            found=f"more than {LONGEST_FIRST_LINE:,} bytes in {path}",
            allowed="a header of column names, or one JSON object a line",
        )
    begun = head.split(b"\n", 1)[0]
    try:
        line = begun.decode("utf-8-sig")
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
    # DuckDB chooses one end of line for the whole file and refuses, or joins, lines that end otherwise.
    returns = head.count(b"\r\n")
    return line.rstrip("\r\n"), 0 < returns < head.count(b"\n")


def refuse_long_last_lines(paths: Sequence[str]) -> None:
    """Refuse a last line that is longer than DuckDB's buffer: DuckDB 2.0 loses it without a word."""
    for path in paths:
        with Path(path).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            # The trailer of a gzip file holds the size of what was packed, modulo 2^32 (RFC 1952): most files
            # need not be unpacked to be judged.
            file.seek(max(0, size - (4 if path.lower().endswith(".gz") else BUFFER)))
            end = file.read()
        if path.lower().endswith(".gz"):  # the last four bytes are the size of what was packed, below 4 GiB
            lost = max(size, int.from_bytes(end, "little")) >= BUFFER
            if lost:
                with gzip.open(path, "rb") as file:
                    lost = len(deque(file, 1)[0]) >= BUFFER
        else:
            lost = size >= BUFFER and b"\n" not in end.rstrip(b"\r\n")
        if lost:
            raise InputError(
                "the file cannot be read",
                found=f"a last line of more than {BUFFER:,} bytes in {path}",
                allowed=f"lines of at most {LONGEST_LINE:,} bytes",
            )


def in_place(path: str) -> str:
    """A path as DuckDB takes it literally: absolute, so that neither a tilde nor http: at its beginning means
    anything, and no pattern."""
    return glob.escape(str(Path(path).absolute()))


def ragged_row(path: str) -> str:
    """How many columns the first row has that does not fit the header, and in which line it begins."""
    # DuckDB counts columns up to the first that is too many, and rows in place of lines.
    names, delimiter = csv_names(_first_line(path, "CSV")[0], path)
    before, width = 0, len(names)
    with unpacked(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        for row in reader:
            if row and (len(row) < width or any(row[width:])):
                columns = "1 column" if len(row) == 1 else f"{len(row)} columns"
                return f"{columns} in line {before + 1}, {width} in the header of {path}"
            before = reader.line_num
    return f"rows of different lengths in {path}"


def unfit_row(values: int, columns: int, row: int, name: str) -> InputError:
    """What is said of a row that is longer or shorter than the header."""
    lengths = f"{values} values for {columns} columns in row {row} of {name}"
    return InputError("a row does not fit the header", found=lengths)


# -- copies that DuckDB can read


def clean_copy(files: Files, wanted: Sequence[str], folder: str) -> Files:
    """The same rows with the wanted columns only, copied by Python to a file in this folder."""
    places = [files.columns.index(column) for column in wanted]
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115
        "w", encoding="utf-8", newline="", suffix=".csv", dir=folder, delete=False
    )
    limit = csv.field_size_limit(LONGEST_LINE)  # Python's own is 131,072 bytes
    try:
        with handle as copy:
            writer = csv.writer(copy, lineterminator="\n")
            writer.writerow(wanted)
            for path in files.paths:
                writer.writerows(_picked(path, files, places))
    finally:
        csv.field_size_limit(limit)
    return replace(files, paths=(handle.name,), columns=tuple(wanted), delimiter=",", mixed_ends=False)


def _picked(path: str, files: Files, places: Sequence[int]) -> Iterator[list[str]]:
    width, number = len(files.columns), 0
    try:
        with unpacked(path, "rt", encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter=files.delimiter, strict=True)):
                if not number or not row:
                    continue
                if len(row) != width:
                    raise unfit_row(len(row), width, number, path)
                yield [row[place] for place in places]
    except (csv.Error, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            "the file cannot be read",
            found=f"{why}, after row {number} of {path}",
            do="check the file's format",
        ) from error
