"""Standard input as a file: kept in a temporary folder as long as it is needed."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.errors import InputError

NAME = "standard input"


@contextmanager
def standard_input() -> Iterator[str]:
    """The path of a file that holds standard input; errors call it by its name."""
    content = sys.stdin.buffer.read()
    suffix = ".jsonl" if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"{" else ".csv"
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        path = Path(folder) / f"standard-input{suffix}"
        path.write_bytes(content)
        try:
            yield str(path)
        except InputError as error:
            what, allowed, do = (
                part.replace(str(path), NAME) for part in (error.what, error.allowed, error.do)
            )
            found = None if error.found is None else str(error.found).replace(str(path), NAME)
            raise InputError(what, found=found, allowed=allowed, do=do) from error
