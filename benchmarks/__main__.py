"""Run the benchmarks: `python -m benchmarks [topic ...]`. It measures, so the exit code is 0 also where a target is missed."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import (
    batches,
    cluster_scores,
    counting,
    evaluate,
    many,
    scale,
    score_sizes,
    scores,
    startup,
    strings,
    uncertainty,
)
from benchmarks.finding import Finding, tally

TOPICS: dict[str, Callable[[], Iterator[Finding | str]]] = {
    "counting": counting.run,
    "strings": strings.run,
    "batches": batches.run,
    "scores": scores.run,
    "score-sizes": score_sizes.run,
    "cluster-scores": cluster_scores.run,
    "uncertainty": uncertainty.run,
    "evaluate": evaluate.run,
    "scale": scale.run,
    "many": many.run,
    "startup": startup.run,
}
PEERS = ("numpy", "numba", "scikit-learn", "pycm")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure Steelyard against its peers."
    )
    parser.add_argument(
        "topics", nargs="*", metavar="topic", help=f"any of {', '.join(TOPICS)}; all when none is given"
    )
    chosen = parser.parse_args().topics or list(TOPICS)
    for unknown in set(chosen) - set(TOPICS):
        parser.error(f"there is no topic {unknown!r}; topics are {', '.join(TOPICS)}")
    print(f"{machine()}\n{load()}")
    found: list[Finding] = []
    for topic in chosen:
        print(f"\n{topic}: {TOPICS[topic].__doc__}")
        for line in TOPICS[topic]():
            print(line if isinstance(line, Finding) else f"  ({line})", flush=True)
            if isinstance(line, Finding):
                found.append(line)
    print(f"\n{load()}\n{tally(found)}")
    return 0


def machine() -> str:
    """The facts about this machine that times depend on."""
    versions = ", ".join(f"{name} {_version(name)}" for name in PEERS)
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {versions}"


def load() -> str:
    """How busy is the machine? Above the number of cores, times in milliseconds are worth little; ratios still hold roughly."""
    return (
        f"load average of the last minute {os.getloadavg()[0]:.1f}"
        if hasattr(os, "getloadavg")
        else "load average unknown"
    )


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    sys.exit(main())
