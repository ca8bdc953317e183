"""--verbose: a sampling profiler that says where the time of a command went."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

# A thread looks a hundred times a second where the command is: that costs
# nothing where nobody asks, and no step has to report itself.
# Seconds between two looks.
EVERY = 0.01
OTHER = "everything else"
# The modules of a step, and its name: of the functions that wait for each other the first here decides.
_STEPS = (
    ("importlib._bootstrap", "importing modules"),
    ("steelyard.reading", "reading rows"),
    ("steelyard.report", "writing the report"),
    ("steelyard.uncertainty", "confidence intervals"),
    ("steelyard.scores", "thresholds and rankings"),
    ("steelyard.proofs", "proofs"),
    ("steelyard.auditing", "search"),
    ("steelyard.measures", "metrics"),
    ("steelyard.counts", "counting"),
    ("steelyard.judgement.multilabel", "metrics"),
    ("steelyard.judgement.sample", "design of the sample"),
    ("steelyard.judgement.compare", "comparing models"),
)
_REPORTS = (".sections", ".figures", ".page")


@contextmanager
def time_spent() -> Iterator[None]:
    """Say on standard error, when the work inside is done, where its time went."""
    worker, stop = threading.get_ident(), threading.Event()
    seconds: dict[str, float] = {}

    def watch() -> None:
        last = time.perf_counter()
        while not stop.wait(EVERY):
            step = step_of(sys._current_frames().get(worker))
            now = time.perf_counter()
            seconds[step] = seconds.get(step, 0.0) + now - last
            last = now

    watcher = threading.Thread(target=watch, daemon=True)
    started = time.perf_counter()
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
        print(summary(seconds, time.perf_counter() - started), file=sys.stderr)


def _timed(context: click.Context, _parameter: click.Parameter, verbose: bool) -> None:
    if verbose:
        context.with_resource(time_spent())


verbose_option = click.option(
    "--verbose", is_flag=True, expose_value=False, callback=_timed, help="Print timings to standard error."
)


def step_of(frame: FrameType | None) -> str:
    """The step that a function, with those that wait for it, belongs to."""
    modules = []
    while frame is not None:
        modules.append(str(frame.f_globals.get("__name__", "")))
        frame = frame.f_back
    for prefix, step in _STEPS:
        if any(module.startswith(prefix) for module in modules):
            return step
    return "writing the report" if any(name in module for module in modules for name in _REPORTS) else OTHER


def summary(seconds: dict[str, float], total: float) -> str:
    """One line: the whole time, and the steps that took longest first."""
    seen = sum(seconds.values()) or 1.0
    steps = sorted(seconds.items(), key=lambda item: -item[1])
    parts = [f"{step} {share * total / seen:.1f} s ({100 * share / seen:.0f}%)" for step, share in steps]
    return f"Time: {total:.1f} s" + (f"; {', '.join(parts)}." if parts else ".")
