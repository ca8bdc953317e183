"""How many planted faults do the tests find? A run is kept mutant by mutant, so it is resumed where it ended."""

from __future__ import annotations

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torture.mutation.mutants import ROOMS, Mutant, drawn
from torture.mutation.serving import load_the_heavy, tried
from torture.mutation.standing import Session, in_a_function, session
from torture.mutation.survivors import equivalent

LEFT_OUT = "test_shipped"
HASHED = ("src/steelyard/measures/", "src/steelyard/proofs/body_check.py")
"""These tests look verdicts up under a digest of the measures' definitions, and so would find every change of them, even of a
space: of a mutant in what is hashed they are not asked."""

STARTERS = ("src/steelyard/proofs/deciders.py", "src/steelyard/proofs/user_values.py")
"""These start the processes in which properties are decided and functions of users run. What runs there is not seen: a mutant in
a line of the room that no test is seen to run meets tests that start them."""

MOST_SECONDS, MOST_TESTS = 3.0, 100
"""Of tests for one mutant, as they took in the run that recorded them."""

SECONDS_AGAIN = 3.0
"""For one that was not found at first: of other tests."""

IMPORTED_TESTS = 40
"""Fewer, where opening files of tests takes longer than the tests."""

CHUNK = 500
"""So many mutants are tried in one session before those that must be imported."""


PLACE = ("file", "code", "before", "after")


class Covering:
    """Which tests run which lines, read back."""

    def __init__(self, recorded: Path) -> None:
        data = json.loads(recorded.read_text(encoding="utf-8"))
        self.tests: list[str] = data["tests"]
        self.seconds: list[float] = data["seconds"]
        self.lines: dict[str, dict[str, list[int]]] = data["lines"]
        self.lines_run = Counter(
            i for lines in self.lines.values() for found in lines.values() for i in found
        )
        self.seconds_of = dict(zip(self.tests, self.seconds, strict=True))
        failed = set(data["failed"])
        self.usable = {i for i, test in enumerate(self.tests) if test not in failed}
        self.of_digests = {i for i, test in enumerate(self.tests) if LEFT_OUT in test}

    def tests_of(
        self,
        mutant: Mutant,
        most: int = MOST_TESTS,
        seconds: float = MOST_SECONDS,
        but: frozenset[str] = frozenset(),
    ) -> tuple[list[str], float]:
        """Tests that run the line, and the seconds they take: of every function of tests one case, then a second of each, and
        so on; first the quick ones that run little else than the module. For a line that runs when the module is imported,
        tests that run anything in the module."""
        lines = self.lines.get(mutant.file, {})
        usable = self.usable - (self.of_digests if mutant.file.startswith(HASHED) else set())
        found = {i for n in range(mutant.line, mutant.end_line + 1) for i in lines.get(str(n), [])} & usable
        if not found and str(mutant.line) in lines:
            found = {i for numbers in lines.values() for i in numbers} & usable
        if not found and mutant.file.startswith("src/steelyard/proofs/"):
            found = {
                i for file in STARTERS for numbers in self.lines.get(file, {}).values() for i in numbers
            } & usable
        chosen: list[int] = []
        total = 0.0
        for i in self._in_turn(mutant.file, {i for i in found if self.tests[i] not in but}):
            if total + self.seconds[i] > seconds and (chosen or but):
                continue
            if len(chosen) >= most:
                break
            chosen.append(i)
            total += self.seconds[i]
        return [self.tests[i] for i in chosen], total

    def _in_turn(self, file: str, found: set[int]) -> list[int]:
        near = Counter(i for numbers in self.lines.get(file, {}).values() for i in numbers if i in found)
        worth = {i: near[i] / self.lines_run[i] / (self.seconds[i] + 0.05) for i in found}
        cases: dict[str, int] = defaultdict(int)
        places = {}
        for i in sorted(found, key=lambda i: -worth[i]):
            function = self.tests[i].partition("[")[0]
            places[i] = cases[function]
            cases[function] += 1
        return sorted(places, key=lambda i: (places[i], -worth[i]))


class Kept:
    """The file of what was decided; the last word on a mutant counts."""

    def __init__(self, state: Path) -> None:
        self.state = state
        state.parent.mkdir(parents=True, exist_ok=True)
        self.entries = {entry["key"]: entry for entry in read(state)}

    def met(self, mutant: Mutant) -> frozenset[str]:
        """The tests that have not found it."""
        return frozenset(self.entries.get(mutant.key, {}).get("met", ()))

    def add(self, mutant: Mutant, **said: Any) -> None:
        entry = {**asdict(mutant), "key": mutant.key, "code": mutant.code, **said}
        self.entries[mutant.key] = entry
        with self.state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def is_decided(self, mutant: Mutant) -> bool:
        return mutant.key in self.entries and not self.entries[mutant.key].get("import_it")

    def read_again(self) -> None:
        """A child has added to the file."""
        self.entries = {entry["key"]: entry for entry in read(self.state)}


def run(
    number: int,
    covering: Path,
    state: Path,
    seed: int = 0,
    seconds: float | None = None,
    rooms: tuple[str, ...] = ROOMS,
    tests: Sequence[str] | None = None,
    again: bool = False,
) -> dict[str, Any]:
    """Try so many mutants; what was tried before is not tried again, but for those that were not found, if that is asked for:
    by tests that they have not met."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    known, kept = Covering(covering), Kept(state)
    end = None if seconds is None else time.monotonic() + seconds
    wanted = drawn(number, seed, rooms)
    if again:
        wanted = [m for m in wanted if kept.entries.get(m.key, {}).get("outcome") in ("survived", "not run")]
        for mutant in wanted:
            kept.entries[mutant.key]["import_it"] = True
    waiting = [m for m in wanted if not kept.is_decided(m)]
    for start in range(0, len(waiting), CHUNK):
        if end is not None and time.monotonic() > end:
            break
        _one_chunk(waiting[start : start + CHUNK], known, kept, end, tests, again)
    return summary(list(kept.entries.values()))


def _one_chunk(
    chunk: list[Mutant],
    known: Covering,
    kept: Kept,
    end: float | None,
    tests: Sequence[str] | None,
    again: bool,
) -> None:
    standing = [
        m
        for m in chunk
        if in_a_function(m) and (again or m.key not in kept.entries) and _chosen(m, known, kept, again)
    ]
    if standing:
        words = {"tests": tests} if tests else {}
        session(lambda ready: _stand(ready, standing, known, kept, end, again), **words)
        kept.read_again()
    load_the_heavy()
    for mutant in chunk:
        if end is not None and time.monotonic() > end:
            return
        if mutant in standing and (kept.is_decided(mutant) or mutant.key not in kept.entries):
            continue
        if again and mutant not in standing and in_a_function(mutant):
            continue  # there is no other test to meet
        _import_one(mutant, known, kept, again)


def _chosen(mutant: Mutant, known: Covering, kept: Kept, again: bool) -> list[str]:
    """Of a mutant that is tried again only tests that it has not met."""
    if not again:
        return known.tests_of(mutant)[0]
    return known.tests_of(mutant, MOST_TESTS, SECONDS_AGAIN, kept.met(mutant))[0]


def _stand(
    ready: Session, chunk: list[Mutant], known: Covering, kept: Kept, end: float | None, again: bool
) -> None:
    """Try each in a child of the session. A test that is the first to find anything is run without the fault too, after the
    same tests, and must pass; else it is never asked again."""
    trusted: set[str] = set()
    failing: set[str] = set()
    for mutant in chunk:
        if end is not None and time.monotonic() > end:
            return
        started = time.monotonic()
        chosen = _chosen(mutant, known, kept, again)
        while True:
            chosen = [test for test in chosen if test not in failing and test in ready.items]
            usual = [known.seconds_of[test] for test in chosen]
            outcome, by = ready.tried(mutant, chosen, usual)
            if (outcome != "too long" and not by) or by in trusted:
                break
            number = chosen.index(by) + 1 if by else len(chosen)
            if ready.tried(None, chosen[:number], usual[:number])[0] == "survived":
                trusted.update([by] if by else [])
                break
            failing.add(by or chosen[0])
        kept.add(
            mutant,
            outcome=outcome if outcome != "unclear" else "survived",
            by=by,
            tests=len(chosen),
            met=[*kept.met(mutant), *chosen] if outcome == "survived" else [],
            seconds=round(time.monotonic() - started, 2),
            again=again,
            import_it=outcome == "unclear" or (outcome == "survived" and ready.runs_before(mutant)),
        )
    if failing:
        print("tests that fail without any fault:", *sorted(failing), sep="\n  ", flush=True)


def _import_one(mutant: Mutant, known: Covering, kept: Kept, again: bool) -> None:
    tests, expected = known.tests_of(mutant, IMPORTED_TESTS)
    limit = 20.0 + 5 * expected
    outcome, took = tried(mutant, tests, limit)
    if outcome in ("killed", "too long"):
        control, _ = tried(mutant.without_fault(), tests, 3 * limit)
        if control != "survived":
            print(f"the tests of {mutant.key} fail without any fault ({control})", flush=True)
            outcome = "survived"
    met = list(kept.met(mutant))
    said = {"outcome": outcome, "by": "", "tests": len(tests), "met": met, "again": again, "imported": True}
    kept.add(mutant, **said, seconds=round(took, 2))


def read(state: Path) -> list[dict[str, Any]]:
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text(encoding="utf-8").splitlines() if line]


def summary(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many of each outcome, altogether and in each room; and how many were found at first, before they were tried again.
    Survivors that are known to change no answer do not count."""
    rooms: dict[str, Counter[str]] = {}
    known = equivalent()
    for entry in entries:
        if entry["outcome"] == "survived" and tuple(entry[k] for k in PLACE) in known:
            continue
        rooms.setdefault(entry["file"].split("/")[2], Counter())[entry["outcome"]] += 1
    total: Counter[str] = sum(rooms.values(), Counter())
    found = total["killed"] + total["too long"]
    late = sum(1 for e in entries if e.get("again") and e["outcome"] in ("killed", "too long"))
    return {
        "mutants": sum(total.values()),
        "found": found,
        "found_at_first": found - late,
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
