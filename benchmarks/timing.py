"""How long does each of several ways take?

Peers take turns, so that a noisy moment of the machine hits all of them; each is run once before, so that compiling and
importing are not counted; the best turn counts.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any


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
