"""A command in this process: what it prints, and its exit code.

A process of its own takes half a second to import the package. Tests start one where the process itself is in
question: signals, terminals, encodings, a reader that goes away.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys

import pytest

from steelyard.cli import main


def steelyard(*words: object, text: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run the command with this standard input."""
    given = text.encode() if isinstance(text, str) else text
    arguments = [str(word) for word in words]
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())
