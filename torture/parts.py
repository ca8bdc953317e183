"""Which parts does the torture have, how much of each is a sample, and when has one failed?"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Part:
    """A part: the question it answers, and what runs it (in full or a sample, with a folder for what is kept between runs)."""

    name: str
    question: str
    run: Callable[[bool, Path], dict[str, Any]]
    only_in_full: bool = False


def _fuzz(full: bool, state: Path) -> dict[str, Any]:
    from torture.fuzz.running import fuzz, replay

    done = fuzz(1_000_000, 2026, state / "fuzz.json") if full else fuzz(400_000, 1, seconds=360)
    with tempfile.TemporaryDirectory() as name:
        again = [asdict(failure) for failure in replay(Path(name))]
    return {**done.to_dict(), "corpus_failing": again, "wrong": [*done.failures, *(f["path"] for f in again)]}


def _spark(full: bool, state: Path) -> dict[str, Any]:
    from torture.fuzz.spark_path import fuzz

    asked, failed = fuzz(300)
    return {"executions": asked, "wrong": [f"{f.path}: {f.kind}, {f.words}" for f in failed]}


def _peers(full: bool, state: Path) -> dict[str, Any]:
    from torture.peers.replay import replay

    done = replay()
    return {
        "versions": done.versions,
        "compared": done.compared,
        "agreed": sum(done.agreed.values()),
        "differ": dict(done.differ),
        "not_asked_here": sum(done.not_here.values()),
        "wrong": done.unexplained,
    }


def _exact(full: bool, state: Path) -> dict[str, Any]:
    from torture.exact import run

    done = run(100_000, 0, 1, state / "exact.json") if full else run(60_000, 1, 3, seconds=180)
    return asdict(done)


def _brute_force(full: bool, state: Path) -> dict[str, Any]:
    from torture.brute_force import run

    return asdict(run(20_000 if full else 10_000))


_ASKED = tuple(
    word
    for folder in ("counts", "scores", "reading", "measures", "judgement/evaluate")
    for word in ("--tests", f"tests/{folder}")
)
"""Who is asked about the sample: counts are tested by those that use them, too."""


def _mutation(full: bool, state: Path) -> dict[str, Any]:
    """In processes of their own: this one has imported the package, and a mutant must not meet it."""
    number, *rooms = ["2000"] if full else ["150", "--room", "counts", *_ASKED, "--seconds", "240"]
    folder = state / ("mutation" if full else "mutation-sample")
    if not full:  # which test runs which line was recorded for another tree
        shutil.rmtree(folder, ignore_errors=True)
    ended = subprocess.run(
        [sys.executable, "-m", "torture.mutation", number, "--state", str(folder), *rooms],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if ended.returncode:
        return {"wrong": [ended.stderr.decode()[-400:]]}
    found: dict[str, Any] = json.loads(ended.stdout[ended.stdout.index(b"{\n") :])
    few = found["share"] < 0.85 if full else _too_few(found["found"], found["mutants"])
    return {**found, "wrong": [f"only {found['share']:.0%} of the faults were found"] if few else []}


def _too_few(found: int, tried: int, share: float = 0.8, chance: float = 0.01) -> bool:
    """Would tests that find this share of all faults find so few of a sample by chance less often than that?"""
    return sum(comb(tried, k) * share**k * (1 - share) ** (tried - k) for k in range(found + 1)) < chance


def _kills(full: bool, state: Path) -> dict[str, Any]:
    from torture.faults.killing import run

    return asdict(run(20 if full else 5))


def _limits(full: bool, state: Path) -> dict[str, Any]:
    from torture.faults.limits import run

    return asdict(run() if full else run((450,)))


def _sameness(full: bool, state: Path) -> dict[str, Any]:
    from torture.faults.sameness import run

    chosen = ("as it is", "locale C", "time zone Chatham", "hash seed 1", "one thread", "a clock that jumps")
    return asdict(run() if full else run(("evaluate", "compare", "watch"), chosen))


def _load(full: bool, state: Path) -> dict[str, Any]:
    from torture.load.running import run

    done = run(full, state=state / "load.json" if full else None)
    return {"trials": done, "wrong": [name for name, found in done.items() if not found["right"]]}


def _combinations(full: bool, state: Path) -> dict[str, Any]:
    from torture.combinations import not_drawn, run

    done = run(4_000, 2026, seconds=3_600) if full else run(400, 1, seconds=240)
    forgotten = [f"{command}: {', '.join(sorted(left))} not drawn" for command, left in not_drawn().items()]
    return {**asdict(done), "wrong": [*done.wrong, *forgotten]}


def _supply(full: bool, state: Path) -> dict[str, Any]:
    from torture.supply import audit

    return asdict(audit())


PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        Part("peers", "Do we agree with the tests of scikit-learn, imbalanced-learn and PyCM?", _peers),
        Part("exact", "Is the float value the exact one, through every operator?", _exact),
        Part("brute-force", "Is the best threshold the best of all?", _brute_force),
        Part("fuzz", "Does every path give the same answer?", _fuzz),
        Part("spark", "Does Spark give the same answer?", _spark, only_in_full=True),
        Part("combinations", "Does every pair of options give a result or a sentence?", _combinations),
        Part("sameness", "Are the bytes the same in other surroundings?", _sameness),
        Part("limits", "What happens on a full disk, and with little memory?", _limits),
        Part("kills", "What does a kill leave?", _kills),
        Part("load", "How much is too much?", _load),
        Part("mutation", "Would the tests notice a fault?", _mutation),
        Part("supply", "Is what the tests run on what it should be?", _supply),
    )
}
