"""Simulate the coverage of 95% confidence intervals.

Test sets are simulated from known rates, intervals are found as a user would find them, and those that hold the true value are
counted, in the cells of a space-filling design in which every pair of levels meets (coverage_cells.py); then for slices, weighted
rows, thresholds chosen on the same rows and rankings (coverage_of_parts.py). The result is written where the package reads it
(coverage.json), cell by cell (coverage_of_intervals.csv) and as a page (docs/coverage.md; coverage_page.py). A run can be stopped
and started again: cells that are done by the present method (coverage_version.py) are not repeated.

    python studies/coverage_of_intervals.py [--quick] [--processes 2] [--progress FILE] [--minutes N] [--write]
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import coverage_cells
import coverage_of_parts
import coverage_of_tests
from coverage_page import write
from coverage_version import PARTS, joined, version_of

from steelyard.measures.measure import PositiveClassWarning

ROOT = Path(__file__).resolve().parent.parent
PROGRESS = ROOT / "studies" / "coverage_of_intervals.progress.jsonl"
FEWEST, MORE, QUICK = 500, 1500, 50
"""Test sets of every cell, those that cheap cells have besides, and those of a quick run."""
Task = tuple[str, dict[str, Any], int]
"""A part of the study, one of its cells, and how many test sets are simulated."""


def tasks(quick: bool) -> list[Task]:
    """Every cell of every part, those that take longest last; then more test sets of the cells that are cheap."""
    sets = QUICK if quick else FEWEST
    cells = [("cells", cell, sets) for cell in coverage_cells.design()]
    few, many, most = (
        sorted(
            (task for task in cells if low <= task[1]["classes"] <= high),
            key=lambda task: (task[1]["of"] == "difference", task[1]["classes"]),
        )
        for low, high in ((2, 10), (20, 20), (50, 50))
    )
    tests = [("tests", cell, sets) for cell in coverage_of_tests.test_cells()]
    alarms = [("alarms", cell, sets) for cell in coverage_of_tests.STREAMS]
    parts = [
        (part, cell, sets) for part in coverage_of_parts.PARTS for cell in coverage_of_parts.design_of(part)
    ]
    more = [("cells", cell, MORE) for _, cell, _ in few if not quick and coverage_cells.cheap(cell)]
    more += [("tests", cell, MORE) for _, cell, _ in tests if not quick and cell["prevalence"] > 0.05]
    slowest = [task for task in parts if task[0] == "areas"]
    parts = [task for task in parts if task not in slowest]
    return [*tests, *few, *many, *parts, *alarms, *most, *slowest, *more]


def study(task: Task) -> list[dict[str, Any]]:
    """One cell of one part."""
    warnings.simplefilter("ignore", PositiveClassWarning)
    warnings.simplefilter("ignore", RuntimeWarning)  # sets in which a measure is undefined in every draw
    part, cell, sets = task
    if part in ("tests", "alarms"):
        return (
            coverage_of_tests.alarms(cell, sets) if part == "alarms" else coverage_of_tests.tests(cell, sets)
        )
    return coverage_cells.study(cell, sets) if part == "cells" else coverage_of_parts.study(part, cell, sets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 test sets a cell")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--progress", type=Path, default=PROGRESS)
    parser.add_argument(
        "--minutes", type=float, help="start no new cell after this time, then write what is done"
    )
    parser.add_argument("--write", action="store_true", help="only write what is done")
    given = parser.parse_args()
    entries = resumed(given.progress)
    now = {part: version_of(part) for part in PARTS}
    wanted = tasks(given.quick)
    known = {
        (entry["part"], entry["cell"], entry["sets"])
        for entry in entries
        if entry["version"] == now[entry["part"]]
    }
    left = [task for task in wanted if (task[0], task[1]["cell"], task[2]) not in known]
    print(f"{len(wanted) - len(left)} tasks are done, {len(left)} are left", flush=True)
    if not given.write:
        with given.progress.open("a", encoding="utf-8") as progress:
            for (part, cell, sets), rows in _results(left, given.processes, given.minutes):
                entry = {"part": part, "cell": cell["cell"], "sets": sets, "version": now[part], "rows": rows}
                entries.append(entry)
                progress.write(json.dumps(entry) + "\n")
                progress.flush()
    write(joined(entries, now), given.quick)


def resumed(progress: Path) -> list[dict[str, Any]]:
    """The tasks that an earlier run finished; a line that it was stopped in is taken off."""
    if not progress.exists():
        return []
    whole, _, rest = progress.read_text(encoding="utf-8").rpartition("\n")
    if rest:
        progress.write_text(whole + "\n" if whole else "", encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]


def _results(
    left: list[Task], processes: int, minutes: float | None
) -> Iterator[tuple[Task, list[dict[str, Any]]]]:
    """The rows of each task as it is done."""
    started, waiting = time.monotonic(), iter(left)
    with ProcessPoolExecutor(processes) as workers:
        running = {workers.submit(study, task): task for task in itertools.islice(waiting, processes)}
        while running:
            finished = next(as_completed(running))
            task = running.pop(finished)
            yield task, finished.result()
            spent = time.monotonic() - started
            print(f"{spent:6.0f} s  {task}", flush=True)
            following = next(waiting, None) if minutes is None or spent < 60 * minutes else None
            if following is not None:
                running[workers.submit(study, following)] = following


if __name__ == "__main__":
    main()
