"""Does a command that takes long say on a terminal what it is doing, and nothing when it is piped?"""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = np.random.default_rng(0)
    y = random.random(2_000) < 0.1
    p, q = (np.clip(random.normal(0.3 + 0.3 * y, 0.2), 0, 1) for _ in range(2))
    path = tmp_path_factory.mktemp("progress") / "scores [bold].csv"  # a name that is no markup
    lines = [f"{int(t)},{a:.6f},{int(a > 0.5)},{int(b > 0.5)}" for t, a, b in zip(y, p, q, strict=True)]
    path.write_text("\n".join(["y,p,rf,svm", *lines, ""]))
    return str(path)


COMMANDS = {
    "threshold": (["--truth", "y", "--score", "p", "--positive", "1"], ["Reading"]),
    "evaluate": (["--truth", "y", "--score", "p", "--threshold", "0.5", "--positive", "1"], ["Counting"]),
    "compare": (["--truth", "y", "--pred", "rf", "--pred", "svm"], ["Comparing the models"]),
}


def on_a_terminal(command: list[str]) -> tuple[int, bytes, str]:
    """Exit code, standard output (piped) and what standard error (a terminal) was sent."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    ) as process:
        os.close(theirs)
        seen = b""
        with contextlib.suppress(OSError):  # the terminal's end, when the command is done
            while chunk := os.read(ours, 65536):
                seen += chunk
        os.close(ours)
        out = process.communicate(timeout=60)[0]
    return process.returncode, out, seen.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_worked_at_is_shown_on_a_terminal_and_nothing_when_piped(name: str, table: str) -> None:
    options, words = COMMANDS[name]
    command = [sys.executable, "-m", "steelyard", name, table, *options]
    piped = subprocess.run(command, capture_output=True, check=False)
    assert (piped.returncode, piped.stderr) == (0, b"")
    code, out, seen = on_a_terminal(command)
    assert (code, out) == (0, piped.stdout)
    for word in words:
        assert word in seen
    assert Path(table).name in seen.replace("\r", "").replace("\n", "")
    assert seen.endswith("\x1b[2K")  # and it is gone when the work is done
