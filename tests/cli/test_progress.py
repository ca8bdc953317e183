"""Does a command that takes long say on a terminal what it is doing, and nothing when it is piped?"""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from steelyard.cli.commands import OTHER, step_of, summary


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
    "threshold": (["--truth", "y", "--score", "p", "--positive", "1", "--replicates", "20"], ["Reading"]),
    "evaluate": (
        ["--truth", "y", "--score", "p", "--threshold", "0.5", "--positive", "1", "--draws", "200"],
        ["Counting"],
    ),
    "compare": (
        ["--truth", "y", "--pred", "rf", "--pred", "svm", "--draws", "200"],
        ["Comparing the models"],
    ),
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


def test_verbose_says_on_standard_error_where_the_time_went(table: str) -> None:
    command = [sys.executable, "-m", "steelyard", "evaluate", table, "--truth", "y", "--pred", "rf"]
    plain = subprocess.run(command, capture_output=True, text=True, check=True)
    verbose = subprocess.run([*command, "--verbose"], capture_output=True, text=True, check=True)
    assert (verbose.stdout, plain.stderr) == (plain.stdout, "")
    assert re.fullmatch(r"Time: \d+\.\d s; (.+ \d+\.\d s \(\d+%\)(, )?)+\.\n", verbose.stderr)
    assert "importing modules" in verbose.stderr


def test_the_step_is_that_of_the_functions_that_wait() -> None:
    assert step_of(sys._getframe()) == OTHER
    assert summary({"reading rows": 3.0, OTHER: 1.0}, 2.0) == (
        "Time: 2.0 s; reading rows 1.5 s (75%), everything else 0.5 s (25%)."
    )
    assert summary({}, 0.0) == "Time: 0.0 s."


def test_an_interrupt_ends_with_130_and_leaves_nothing_half_written(table: str, tmp_path: Path) -> None:
    """Ctrl-C in the middle of the bootstrap: one line, the usual code, the old page as it was."""
    page = tmp_path / "report.html"
    page.write_text("old")
    script = (
        "import os, signal, sys\n"
        "from steelyard.cli import main\n"
        "from steelyard.scores import score_bootstrap\n"
        "score_bootstrap.resample = lambda *given: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    options = [
        "evaluate",
        table,
        "--truth",
        "y",
        "--score",
        "p",
        "--threshold",
        "best:gmean",
        "--html",
        str(page),
    ]
    run = subprocess.run(
        [sys.executable, "-c", script, *options], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr.strip(), run.stdout) == (130, "steelyard: interrupted.", "")
    assert (page.read_text(), list(tmp_path.iterdir())) == ("old", [page])
