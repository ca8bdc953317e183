"""Which text files does DuckDB not read as they are, and how are they made readable?

DuckDB refuses files whose lines end in different ways, and takes minutes to open one of 100,000 columns. Of
such files Python copies the columns that are wanted, row by row, beside DuckDB's own temporary files.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.reading.files import Files


def with_clean_copy(files: Files, wanted: Collection[str], folder: str) -> Files:
    """The same rows with the wanted columns only, in a file in this folder."""
    columns = list(dict.fromkeys(wanted))
    places = [files.columns.index(column) for column in columns]
    handle = tempfile.NamedTemporaryFile(  # noqa: SIM115
        "w", encoding="utf-8", newline="", suffix=".csv", dir=folder, delete=False
    )
    with handle as copy:
        writer = csv.writer(copy, lineterminator="\n")
        writer.writerow(columns)
        for path in files.paths:
            writer.writerows(_picked(path, files, places))
    return replace(files, paths=(handle.name,), columns=tuple(columns), delimiter=",", mixed_ends=False)


def _picked(path: str, files: Files, places: Sequence[int]) -> Iterator[list[str]]:
    packed: Any = gzip.open if path.lower().endswith(".gz") else open
    width = len(files.columns)
    number = 0
    try:
        with packed(Path(path), "rt", encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter=files.delimiter, strict=True)):
                if not number or not row:
                    continue
                if len(row) != width:
                    raise InputError(
                        "a row does not fit the header",
                        found=f"{len(row)} values for {width} columns in row {number} of {path}",
                    )
                yield [row[place] for place in places]
    except (csv.Error, UnicodeDecodeError) as error:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(
            "the file cannot be read",
            found=f"{why}, after row {number} of {path}",
            do="check the file's format",
        ) from error
