"""The process in which a function of a file answers: what it is asked, what it says, and what becomes of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from steelyard.proofs.processes import Answers, OutOfTimeError, RefusedError
from steelyard.proofs.user_function import Source, tried
from steelyard.proofs.user_measure import tried_out


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def source_of(path: Path) -> Source:
    return Source(str(path), path.read_bytes(), "f")


def started(path: Path) -> Answers:
    return Answers(tried, source_of(path), (2,))


@pytest.mark.parametrize(
    ("text", "two_classes", "together", "traced"),
    [
        ("def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n", True, True, True),
        ("def f(m):\n    return m[..., 0, 0] / m.sum(axis=-1)[..., 0]\n", False, True, True),
        ("def f(m):\n    return m[0, 0] / (m[0, 0] + m[0, 1])\n", False, False, True),
        ("def f(m):\n    return round(m[0, 0] / 2.0, 3)\n", False, False, False),
    ],
)
def test_what_is_found_when_a_function_is_tried_out(
    tmp_path: Path, text: str, two_classes: bool, together: bool, traced: bool
) -> None:
    path = written(tmp_path, text)
    facts = tried_out(source_of(path), (2, 3))
    assert (facts.two_classes, facts.together, not facts.untraced) == (two_classes, together, traced)
    assert facts.sizes == ((2,) if two_classes else (2, 3))
    assert not facts.declared
    assert facts.remarks == ()


def test_a_function_without_a_value_on_full_matrices_is_remarked(tmp_path: Path) -> None:
    """Of the twenty smallest matrices without zeros, the one of ones alone has tp = fn = fp = tn."""
    path = written(
        tmp_path,
        "def f(tp, fn, fp, tn):\n    return tp / ((tp - fn) ** 2 + (tp - fp) ** 2 + (tp - tn) ** 2)\n",
    )
    facts = tried_out(source_of(path), (2,))
    assert facts.remarks == ("it is NaN or infinite on 1 of 20 matrices of 2 classes without zeros",)


def test_an_answer_to_another_question_is_not_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    for line in ('{"number": 7, "value": [0.5]}\n', "[1, 2, 3]\n"):
        with started(path) as answers:
            answers.next(time.monotonic() + 20)
            answers.lines.queue.appendleft(line)  # as if the function had written it
            with pytest.raises(RefusedError, match="answered out of turn"):
                answers.next(time.monotonic() + 20)


def test_an_answer_that_comes_too_late_is_not_waited_for(tmp_path: Path) -> None:
    path = written(tmp_path, "import time\ndef f(tp, fn, fp, tn):\n    time.sleep(2)\n    return tp\n")
    with started(path) as answers, pytest.raises(OutOfTimeError):
        answers.next(time.monotonic() - 1)


def _runs(pid: int) -> bool:
    """Is there such a process, and is it more than a name that waits to be taken off the list?"""
    try:
        os.kill(pid, 0)
        if not Path("/proc/self/stat").exists():
            return True
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_what_a_function_starts_ends_with_it(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "import subprocess, sys\n"
        "def f(tp, fn, fp, tn):\n"
        "    return subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid\n",
    )
    with started(path) as answers:
        assert os.getpgid(answers.process.pid) == answers.process.pid  # a group of its own
        answers.next(time.monotonic() + 20)
        (child,) = map(int, answers.next(time.monotonic() + 20))
        assert _runs(child)
    end = time.monotonic() + 10
    while _runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _runs(child)
