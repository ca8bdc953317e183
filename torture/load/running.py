"""How long and how much memory does each trial take? Each runs in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from torture.load.trials import TRIALS

ROOT = Path(__file__).resolve().parents[2]


def run(full: bool, trials: tuple[str, ...] = tuple(TRIALS), state: Path | None = None) -> dict[str, Any]:
    """All trials; those that ended before are not repeated."""
    done: dict[str, Any] = json.loads(state.read_text()) if state is not None and state.exists() else {}
    for name in trials:
        if name in done and done[name]["right"]:
            continue
        _, sample, whole, most = TRIALS[name]
        done[name] = _in_a_process(name, whole if full else sample, most)
        if state is not None:
            state.parent.mkdir(parents=True, exist_ok=True)
            state.write_text(json.dumps(done, indent=1), encoding="utf-8")
    return done


def _in_a_process(name: str, size: int, most: int) -> dict[str, Any]:
    started = time.monotonic()
    variables = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    ended = subprocess.run(
        [sys.executable, "-m", "torture.load.running", name, str(size)],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        check=False,
    )
    seconds = round(time.monotonic() - started, 1)
    if ended.returncode:
        return {"right": False, "seconds": seconds, "words": ended.stderr.decode()[-400:]}
    found: dict[str, Any] = {**json.loads(ended.stdout.splitlines()[-1]), "seconds": seconds}
    found["right"] = found["right"] and found["most_mb"] < most
    return found


if __name__ == "__main__":
    answer = TRIALS[sys.argv[1]][0](int(sys.argv[2]))
    spent = resource.getrusage(resource.RUSAGE_SELF)
    answer["most_mb"] = round(spent.ru_maxrss / 1024)
    answer["cpu_seconds"] = round(spent.ru_utime + spent.ru_stime, 1)
    print(json.dumps(answer))
