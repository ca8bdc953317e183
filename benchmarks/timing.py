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
from pathlib import Path
from typing import Any

import numpy as np

STABLE_SORT = 1.1
"""Seconds that a stable sort of ten million random numbers takes where the targets in seconds were set. It was not
measured there but inferred: NumPy's AVX-512 sort was 5.7 times as slow as its AVX2 sort there, so that the latter took
0.12 s, which is 0.8 of what it takes on a machine whose stable sort takes 1.4 s."""


def peak() -> int:
    """The most memory that this process held, in bytes."""
    # VmHWM is that of this process: ru_maxrss outlives exec, and would tell the memory of the one that started it
    with open("/proc/self/status") as facts:  # noqa: PTH123 - its source is run where no Path is imported
        return int(next(line for line in facts if line.startswith("VmHWM")).split()[1]) * 1024


PEAK = inspect.getsource(peak)
"""For programs that run in a process of their own."""


def pace() -> float:
    """How many times as slow this machine is as the one on which targets in seconds were set, by a stable sort.

    np.sort takes 0.07 s to 0.7 s for the same numbers on machines that are otherwise equally fast, as NumPy finds fast
    or slow vector instructions there; a stable sort uses none.
    """
    numbers = np.random.default_rng(0).random(10_000_000)
    return (
        best_cpu_seconds({"stable": lambda: np.sort(numbers, kind="stable")}, turns=2)["stable"] / STABLE_SORT
    )


def restart_peak() -> None:
    """Measure the most memory that this process holds from here on."""
    Path("/proc/self/clear_refs").write_text("5")


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
