"""How long does each of several ways take?

Peers take turns, so that a noisy moment of the machine hits all of them; each is run once before, so that compiling and
importing are not counted; the best turn counts.
"""

from __future__ import annotations

import gc
import inspect
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

SORT, STABLE_SORT = 0.7, 1.1
"""Seconds that sorting ten million random numbers takes where the targets in seconds were set. The first was measured
there; the second was not, and is inferred: NumPy's AVX-512 sort was 5.7 times as slow as its AVX2 sort there, so that
the latter took 0.12 s, which is 0.8 of what it takes on a machine whose stable sort takes 1.4 s."""


def peak() -> int:
    """The most memory that this process held, in bytes."""
    # VmHWM is that of this process: ru_maxrss outlives exec, and would tell the memory of the one that started it
    with open("/proc/self/status") as facts:  # noqa: PTH123 - its source is run where no Path is imported
        return int(next(line for line in facts if line.startswith("VmHWM")).split()[1]) * 1024


PEAK = inspect.getsource(peak)
"""For programs that run in a process of their own."""


class Pace(NamedTuple):
    """How much slower is this machine than the one on which targets in seconds were set, by two kinds of sorting?

    np.sort takes 0.15 s or 0.7 s for the same numbers on machines that are otherwise equally fast, as NumPy finds fast
    or slow vector instructions there. Targets are held by it, as they were set; the stable sort, which uses none, is
    told beside it.
    """

    by_sort: float
    by_stable_sort: float

    def __str__(self) -> str:
        return f"this machine is {self.by_sort:.2f} times as slow by np.sort, {self.by_stable_sort:.2f} times by a stable sort"

    def told(self, seconds: float) -> str:
        return f"{seconds:.2f} s of CPU as measured, {seconds / self.by_stable_sort:.2f} s at the pace of a stable sort"


def pace() -> Pace:
    """The pace of this machine."""
    numbers = np.random.default_rng(0).random(10_000_000)
    times = best_cpu_seconds(
        {"sort": lambda: np.sort(numbers), "stable": lambda: np.sort(numbers, kind="stable")}, turns=2
    )
    return Pace(times["sort"] / SORT, times["stable"] / STABLE_SORT)


def best_seconds(
    ways: Mapping[str, Callable[[], Any]], turns: int, *, warm_up: bool = True
) -> dict[str, float]:
    """The best time of each way over this many turns."""
    best = dict.fromkeys(ways, float("inf"))
    if warm_up:
        for way in ways.values():
            way()
    for _ in range(turns):
        for name, way in ways.items():
            best[name] = min(best[name], seconds(way))
    return best


def seconds(way: Callable[[], Any]) -> float:
    """The time of one run, with garbage collected before and none collected during it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        way()
        return time.perf_counter() - start
    finally:
        gc.enable()


def best_cpu_seconds(ways: Mapping[str, Callable[[], Any]], turns: int) -> dict[str, float]:
    """The least CPU that each way needed over this many turns, all threads of this process together: on a busy machine
    that says more than the clock."""
    best = dict.fromkeys(ways, float("inf"))
    for way in ways.values():
        way()
    for _ in range(turns):
        for name, way in ways.items():
            gc.collect()
            start = time.process_time()
            way()
            best[name] = min(best[name], time.process_time() - start)
    return best


def last_line(printed: str) -> str:
    """What a program said last: DuckDB writes its progress before it when a query takes more than two seconds."""
    return printed.strip().splitlines()[-1]


def child_cpu_seconds(command: Sequence[str], turns: int) -> float:
    """The least CPU that a program in a process of its own needed, its threads and its start included."""
    best = float("inf")
    for _ in range(turns):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best
