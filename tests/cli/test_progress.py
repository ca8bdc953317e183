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

from steelyard.cli.timings import OTHER, step_of, summary
from steelyard.reading import duckdb
from steelyard.report import progress


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


def test_watch_without_follow_is_interrupted_as_other_commands_are(tmp_path: Path) -> None:
    """Half a stream is no answer: exit code 130, and what was written before stays."""
    stream, page = tmp_path / "stream.csv", tmp_path / "watch.html"
    stream.write_text("y,pred\n" + "a,a\nb,b\nb,a\n" * 400)
    page.write_text("old")
    script = (
        "import os, signal, sys\n"
        "from steelyard.cli import command\n"
        "from steelyard.judgement.watch import judge\n"
        "rest = judge.Blocks.__iter__\n"
        "def interrupted(self):\n"
        "    for number, block in enumerate(rest(self)):\n"
        "        if number == 2:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "        yield block\n"
        "judge.Blocks.__iter__ = interrupted\n"
        "command()\n"
    )
    options = ["watch", str(stream), "--truth", "y", "--pred", "pred", "--every", "100", "--html", str(page)]
    run = subprocess.run(
        [sys.executable, "-c", script, *options], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr.strip()) == (130, "steelyard: interrupted.")
    assert page.read_text() == "old"


def test_an_interrupt_before_the_command_is_known_is_one_line() -> None:
    script = (
        "import os, signal, sys\n"
        "from steelyard.cli import app, command\n"
        "app.messages.in_todays_commands = lambda words: os.kill(os.getpid(), signal.SIGINT)\n"
        "command()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, "audit", "x.csv"], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (130, "steelyard: interrupted.\n")


def test_the_time_left_is_that_of_the_part_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 4.0, 10.0, 12.0])  # begun; a quarter after 4 s; another part begins; half of it
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    done = progress.PartDone()
    done(0.25)
    assert done.left == "about 12 s left"
    done(0.1)
    done(0.5)
    assert done.left == "about 2 s left"
    done(1.0)
    done.began = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: 20.0)
    assert done.left == ""


def test_duckdb_tells_how_far_it_is_and_draws_nothing() -> None:
    with duckdb.connection() as database:
        asked = "SELECT current_setting('enable_progress_bar'), current_setting('enable_progress_bar_print')"
        assert database.execute(asked).fetchone() == (True, False)
