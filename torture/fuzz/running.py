"""How are cases drawn and asked, until enough executions are done? What fails is shrunk and kept.

An execution is one path answering one case. Case number n is the same whenever and wherever it is drawn, so a run is resumed at
the next number.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.fuzz.cases import Case, draw, from_text, to_text
from torture.fuzz.judging import PATHS, Failure, expected, tried
from torture.fuzz.shrinking import shrunk

CORPUS = Path(__file__).with_name("corpus")
MOST_KEPT = 200


@dataclass
class Run:
    """What was done so far."""

    seed: int
    next_case: int = 0
    executions: int = 0
    seconds: float = 0.0
    by_path: Counter[str] = field(default_factory=Counter)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)
    failing: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "next_case": self.next_case,
            "executions": self.executions,
            "seconds": round(self.seconds, 1),
            "by_path": dict(self.by_path),
            "failing": dict(self.failing),
            "failures": self.failures,
        }

    @classmethod
    def resumed(cls, state: Path | None, seed: int) -> Run:
        if state is None or not state.exists():
            return cls(seed)
        kept = json.loads(state.read_text(encoding="utf-8"))
        if kept["seed"] != seed:
            return cls(seed)
        kept["by_path"], kept["failing"] = Counter(kept["by_path"]), Counter(kept["failing"])
        return cls(**kept)


def fuzz(
    executions: int,
    seed: int = 0,
    state: Path | None = None,
    seconds: float | None = None,
    rarely: float = 1.0,
) -> Run:
    """Draw cases until so many executions are done, or so many seconds are over; `rarely` scales how often dear paths are asked."""
    run = Run.resumed(state, seed)
    started, before = time.monotonic(), run.seconds
    written = started
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a positive class was guessed
        folder = Path(name)
        while run.executions < executions and (seconds is None or time.monotonic() - started < seconds):
            rng = random.Random(f"{seed}-{run.next_case}")
            case = draw(rng)
            answers: dict[Any, Any] = {}
            for path in PATHS.values():
                often = path.often if path.often >= 0.1 else path.often * rarely
                if rng.random() >= often or not path.takes(case):
                    continue
                key = (path.question, path.writes_text, path.refuses_strangers, path.needs_two_classes)
                if key not in answers:
                    answers[key] = expected(path, case)
                run.executions += 1
                run.by_path[path.name] += 1
                failure = tried(path, case, folder, answers[key])
                if failure is not None:
                    _keep(run, case, failure, folder)
            run.next_case += 1
            if state is not None and time.monotonic() - written > 20:
                written = time.monotonic()
                run.seconds = before + written - started
                save(run, state)
    run.seconds = before + time.monotonic() - started
    if state is not None:
        save(run, state)
    return run


def _keep(run: Run, case: Case, failure: Failure, folder: Path) -> None:
    """Shrink the first case of each kind of failure, and count the others."""
    key = f"{failure.path}: {failure.kind}"
    run.failing[key] += 1
    if key in run.failures or len(run.failures) >= MOST_KEPT:
        return
    path = PATHS[failure.path]

    def still_fails(smaller: Case) -> bool:
        found = tried(path, smaller, folder) if path.takes(smaller) else None
        return found is not None and found.kind == failure.kind

    small = shrunk(case, still_fails)
    again = tried(path, small, folder) or failure
    run.failures[key] = {"case": to_text(small), "words": again.words}


def save(run: Run, state: Path) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    waiting = state.with_suffix(".new")
    waiting.write_text(json.dumps(run.to_dict(), indent=1), encoding="utf-8")
    waiting.replace(state)


def corpus() -> list[tuple[str, str, Case]]:
    """The cases that once failed: where from, by which path, and the case."""
    found = []
    for file in sorted(CORPUS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            found.append((file.stem, kept["path"], from_text(json.dumps(kept["case"]))))
    return found


def replay(folder: Path) -> list[Failure]:
    """The cases of the corpus that fail again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = [
            tried(PATHS[name], case, folder)
            for _, name, case in corpus()
            if name in PATHS and PATHS[name].takes(case)
        ]
    return [failure for failure in again if failure is not None]
