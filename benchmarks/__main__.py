"""Run the benchmarks: `python -m benchmarks [topic ...]`. It measures, so the exit code is 0 also where a target is missed.

A topic that breaks off does not take the others with it; it is named at the end, and the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import (
    batches,
    cluster_rows,
    cluster_scores,
    counting,
    evaluate,
    growth,
    many,
    scale,
    score_sizes,
    scores,
    startup,
    strings,
    uncertainty,
)
from benchmarks.finding import Finding, table, tally

TOPICS: dict[str, Callable[[], Iterator[Finding | str]]] = {
    "counting": counting.run,
    "strings": strings.run,
    "batches": batches.run,
    "scores": scores.run,
    "score-sizes": score_sizes.run,
    "cluster-scores": cluster_scores.run,
    "cluster-rows": cluster_rows.run,
    "uncertainty": uncertainty.run,
    "evaluate": evaluate.run,
    "scale": scale.run,
    "many": many.run,
    "growth": growth.run,
    "startup": startup.run,
}
MINUTES = {
    "counting": 0.6,
    "strings": 0.3,
    "batches": 1.5,
    "scores": 1.5,
    "score-sizes": 1.0,
    "cluster-scores": 5.0,
    "cluster-rows": 5.0,
    "uncertainty": 1.0,
    "evaluate": 1.5,
    "scale": 2.0,
    "many": 3.0,
    "growth": 3.0,
    "startup": 0.3,
}
"""About how long each topic takes on two cores that do nothing else."""
FIXED = ("PRIME", "MILLION")
PEERS = ("numpy", "numba", "scikit-learn", "pycm", "duckdb", "pyspark")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure Steelyard against its peers."
    )
    parser.add_argument(
        "topics", nargs="*", metavar="topic", help=f"any of {', '.join(TOPICS)}; all when none is given"
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="a hundredth of the rows: shows that all of it runs, and nothing else",
    )
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the table of what was measured there"
    )
    asked = parser.parse_args()
    chosen = asked.topics or list(TOPICS)
    if asked.small:
        make_small()
    for unknown in set(chosen) - set(TOPICS):
        parser.error(f"there is no topic {unknown!r}; topics are {', '.join(TOPICS)}")
    print(f"{machine()}\n{load()}")
    print(
        f"this takes about {sum(MINUTES[topic] for topic in chosen):.0f} minutes on two cores that do nothing else"
    )
    found: dict[str, list[Finding]] = {}
    broken = []
    for topic in chosen:
        print(f"\n{topic}: {TOPICS[topic].__doc__}", flush=True)
        start = time.perf_counter()
        found[topic] = []
        try:
            for line in in_a_process(TOPICS[topic]):
                print(line if isinstance(line, Finding) else f"  ({line})", flush=True)
                if isinstance(line, Finding):
                    found[topic].append(line)
        except ChildProcessError:
            broken.append(topic)
        print(f"  ({topic} took {(time.perf_counter() - start) / 60:.1f} minutes)", flush=True)
        if asked.markdown is not None:
            asked.markdown.write_text(f"{machine()}; {load()}\n\n{table(found)}\n", encoding="utf-8")
    everything = [finding for own in found.values() for finding in own]
    print(f"\n{load()}\n{tally(everything)}")
    for topic, own in found.items():
        for finding in own:
            if finding.verdict == "missed":
                print(f"missed: {topic}: {finding.what}: {finding.amount(finding.value)}")
    if broken:
        print(f"broke off: {', '.join(broken)}")
    return 1 if broken else 0


def in_a_process(topic: Callable[[], Iterator[Finding | str]]) -> Iterator[Finding | str]:
    """What a topic yields in a process of its own: memory that one topic leaves behind is not measured in the next."""
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)

    def send() -> None:
        for line in topic():
            sender.send(line)

    process = fork.Process(target=send)
    process.start()
    sender.close()
    with contextlib.suppress(EOFError):
        while True:
            yield receiver.recv()
    process.join()
    if process.exitcode:
        raise ChildProcessError(f"exit code {process.exitcode}")  # it has printed why


def make_small() -> None:
    """Give every topic a hundredth of its rows."""
    for topic in TOPICS.values():
        module = sys.modules[topic.__module__]
        for name, value in list(vars(module).items()):
            if name.isupper() and name not in FIXED and type(value) is int and value >= 10_000:
                setattr(module, name, value // 100)


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
