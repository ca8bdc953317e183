"""The process in which a function of a file answers: what it is asked, what it says, and what becomes of it."""

from __future__ import annotations

import os
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import steelyard as sy
from steelyard.proofs.user_measure import tried_out
from steelyard.proofs.user_process import RefusedError, _answering, digest_of, digests_of, load
from steelyard.proofs.user_subject import BlackBox, Facts, subject_of
from steelyard.proofs.user_values import OutOfTimeError, UserMeasureError, UserProcess

MATRICES = np.array([[[3.0, 1.0], [2.0, 4.0]], [[0.0, 0.0], [1.0, 2.0]], [[1.0, 3.0], [5.0, 0.0]]])


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def started(path: Path) -> UserProcess:
    return UserProcess(path, "f", digest_of(path.read_bytes()))


@pytest.fixture
def own_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded here is forgotten afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setitem(sys.modules, "steelyard_user_measure", sys)


@pytest.mark.usefixtures("own_imports")
def test_what_is_loaded_is_the_text_that_was_read_and_the_files_beside_it(tmp_path: Path) -> None:
    alone = written(tmp_path, "def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    assert load(str(alone), "f", digest_of(alone.read_bytes()))(3, 1, 0, 0) == 0.75
    helper = written(tmp_path, "def share(a, b):\n    return a / (a + b)\n", "beside_it_lies.py")
    path = written(
        tmp_path,
        "from beside_it_lies import share\ndef f(tp, fn, fp, tn):\n    return share(tp, fn)\n",
        "two.py",
    )
    digest, beside = digest_of(path.read_bytes()), digests_of({"beside_it_lies": helper.read_bytes()})
    assert load(str(path), "f", digest, beside)(1, 3, 0, 0) == 0.25
    helper.write_text("def share(a, b):\n    return a\n", encoding="utf-8")
    with pytest.raises(RefusedError, match="changed while it was examined"):
        load(str(path), "f", digest, beside)
    with pytest.raises(RefusedError, match="changed while it was examined"):
        load(str(alone), "f", digest)
    del sys.modules["beside_it_lies"]


def test_a_declared_measure_answers_in_floats_in_fractions_and_many_at_once() -> None:
    answering = _answering(sy.measure("recall"))
    assert answering.exact([["3", "1"], ["2", "4"]]) == "3/4"
    assert answering.exact([["0", "0"], ["1", "2"]]) == "nan"
    for found in (answering.floats(MATRICES), answering.batch(MATRICES)):
        assert found is not None
        assert found[0] == 0.75
        assert np.isnan(found[1])
        assert found[2] == 0.25


@pytest.mark.parametrize(
    ("text", "of_cells", "batched", "exact"),
    [
        ("def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n", True, True, True),
        ("def f(m):\n    return m[..., 0, 0] / m.sum(axis=-1)[..., 0]\n", False, True, True),
        ("def f(m):\n    return m[0, 0] / (m[0, 0] + m[0, 1])\n", False, False, True),
        ("def f(m):\n    return float(m[0, 0]) / 2.0 + float(m[0, 1]) ** 0.5\n", False, False, False),
    ],
)
def test_what_is_found_when_a_function_is_tried_out(
    tmp_path: Path, text: str, of_cells: bool, batched: bool, exact: bool
) -> None:
    path = written(tmp_path, text)
    facts = tried_out(path, path.read_bytes(), "f", (2, 3))
    assert (facts.of_cells, facts.two_class_only, facts.batched) == (of_cells, of_cells, batched)
    assert facts.exact == exact
    assert facts.sizes == ((2,) if of_cells else (2, 3))
    assert not facts.declared  # a function never runs beside the prover
    assert facts.remarks == ()


def test_a_function_without_a_value_on_full_matrices_is_remarked(tmp_path: Path) -> None:
    """Of the twenty smallest matrices without zeros, the one of ones alone has tp = fn = fp = tn."""
    path = written(
        tmp_path,
        "def f(tp, fn, fp, tn):\n    return tp / ((tp - fn) ** 2 + (tp - fp) ** 2 + (tp - tn) ** 2)\n",
    )
    facts = tried_out(path, path.read_bytes(), "f", (2,))
    assert facts.remarks == ("it is NaN or infinite on 1 of 20 matrices of 2 classes without zeros",)


def test_a_black_box_is_asked_in_floats_and_in_fractions(tmp_path: Path) -> None:
    path = written(tmp_path, "def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    box = BlackBox(path, "f", True, digest_of(path.read_bytes()), seconds=20.0)
    subject = subject_of(box.body, "f", Facts(True, True, True, True, "", (2,)), False)
    try:
        assert (subject.exact, subject.symbolic) == (True, False)
        assert subject.floats(MATRICES[[0, 2]]).tolist() == [0.75, 0.25]
        assert subject.value(((1, 2), (0, 1))) == Fraction(1, 3)
        assert not box.changed()
    finally:
        assert box.process is not None
        box.process.end()


def test_an_answer_to_another_question_is_not_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "def f(tp, fn, fp, tn):\n    return tp / (tp + fn)\n")
    for line in ('{"id": 7, "values": [0.5, 0.5, 0.5]}\n', "[1, 2, 3]\n"):
        with started(path) as process:
            process.facts(20.0)
            process.lines.put(line)  # as if the function had written it
            with pytest.raises(UserMeasureError, match="answered out of turn"):
                process.floats(MATRICES, False, time.monotonic() + 20)


def test_an_answer_that_comes_too_late_is_not_waited_for(tmp_path: Path) -> None:
    path = written(tmp_path, "import time\ndef f(tp, fn, fp, tn):\n    time.sleep(0.2)\n    return tp\n")
    with started(path) as process:
        assert process.facts(20.0) == {"of_cells": True, "two_class_only": True, "kind": "function"}
        with pytest.raises(OutOfTimeError):
            process.floats(MATRICES[:1], False, time.monotonic() - 1)


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
    with started(path) as process:
        process.facts(20.0)
        assert os.getpgid(process.process.pid) == process.process.pid  # a group of its own
        values = process.floats(MATRICES[:1], False, time.monotonic() + 20)
        assert values is not None
        child = int(values[0])
        assert _runs(child)
    end = time.monotonic() + 10
    while _runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _runs(child)
