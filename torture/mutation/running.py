"""How many planted faults do the tests find? A run is kept mutant by mutant, so it is resumed where it ended."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torture.mutation.mutants import ROOMS, Mutant, drawn
from torture.mutation.serving import Outcome, load_the_heavy, tried

LEFT_OUT = ("test_shipped",)
"""It compares a digest of the measures' text, and so would find every change of it, even of a space."""

MOST_SECONDS = 8.0
"""Of tests for one mutant, as they took in the run that recorded them."""

MOST_TESTS = 120

FIRST_FILES, FIRST_TESTS = 2, 12

CONTROLS = 40
"""After every so many mutants the module without a fault is tried too: the tests must pass on it."""


class Covering:
    """Which tests run which lines, read back."""

    def __init__(self, recorded: Path) -> None:
        data = json.loads(recorded.read_text(encoding="utf-8"))
        self.tests: list[str] = data["tests"]
        self.seconds: list[float] = data["seconds"]
        self.lines: dict[str, dict[str, list[int]]] = data["lines"]
        failed = set(data["failed"])
        self.usable = {
            i
            for i, test in enumerate(self.tests)
            if test not in failed and not any(word in test for word in LEFT_OUT)
        }

    def tests_of(self, mutant: Mutant) -> tuple[list[str], float]:
        """The tests that run the line, the quickest first, and the seconds they take; for a line that runs when the module is
        imported, those that run anything in the module."""
        lines = self.lines.get(mutant.file, {})
        found = {
            i for n in range(mutant.line, mutant.end_line + 1) for i in lines.get(str(n), [])
        } & self.usable
        if not found and all(str(n) in lines for n in (mutant.line,)):
            found = {i for numbers in lines.values() for i in numbers} & self.usable
        chosen: list[int] = []
        total = 0.0
        for i in sorted(found, key=lambda i: self.seconds[i]):
            if chosen and (total + self.seconds[i] > MOST_SECONDS or len(chosen) >= MOST_TESTS):
                break
            chosen.append(i)
            total += self.seconds[i]
        return [self.tests[i] for i in chosen], total


def run(
    number: int,
    covering: Path,
    state: Path,
    seed: int = 0,
    seconds: float | None = None,
    rooms: tuple[str, ...] = ROOMS,
) -> dict[str, Any]:
    """Try so many mutants; what was tried before is not tried again."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    known = Covering(covering)
    done = {entry["key"] for entry in read(state)}
    load_the_heavy()
    state.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    tried_now = controls = 0
    with state.open("a", encoding="utf-8") as file:
        for mutant in drawn(number, seed, rooms):
            if mutant.key in done:
                continue
            if seconds is not None and time.monotonic() - started > seconds:
                break
            tests, expected = known.tests_of(mutant)
            if tests and (tried_now % CONTROLS == 0):
                control, _ = tried(mutant.without_fault(), tests, 60.0 + 10 * expected)
                if control != "survived":
                    raise RuntimeError(f"the tests of {mutant.key} fail without any fault ({control})")
                controls += 1
            tried_now += 1
            outcome, took = _tried_in_turn(mutant, tests, 30.0 + 5 * expected)
            entry = {
                **asdict(mutant),
                "key": mutant.key,
                "outcome": outcome,
                "tests": len(tests),
                "seconds": round(took, 2),
            }
            file.write(json.dumps(entry) + "\n")
            file.flush()
    return {**summary(read(state)), "controls": controls}


def _tried_in_turn(mutant: Mutant, tests: list[str], seconds: float) -> tuple[Outcome, float]:
    """First a few tests of few files, because opening a file of tests takes longer than most tests; then all of them."""
    nearest = list(dict.fromkeys(test.partition("::")[0] for test in tests))[:FIRST_FILES]
    first = [test for test in tests if test.partition("::")[0] in nearest][:FIRST_TESTS]
    outcome, took = tried(mutant, first, seconds)
    if outcome == "survived" and len(first) < len(tests):
        outcome, more = tried(mutant, tests, seconds)
        took += more
    return outcome, took


def read(state: Path) -> list[dict[str, Any]]:
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines() if line]


def summary(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many of each outcome, altogether and in each room."""
    rooms: dict[str, Counter[str]] = {}
    for entry in entries:
        rooms.setdefault(entry["file"].split("/")[2], Counter())[entry["outcome"]] += 1
    total: Counter[str] = sum(rooms.values(), Counter())
    found = total["killed"] + total["too long"]
    return {
        "mutants": sum(total.values()),
        "found": found,
        "share": round(found / max(1, sum(total.values())), 4),
        "outcomes": dict(total),
        "rooms": {
            room: {
                **counts,
                "share": round((counts["killed"] + counts["too long"]) / sum(counts.values()), 4),
            }
            for room, counts in sorted(rooms.items())
        },
    }
