"""Worker processes: each property is decided in a process, a time and a memory of its own.

`decide` starts one process (`python -P -m steelyard.proofs.worker`) that forks a child for each property; a
property that takes too long or too much memory costs the others nothing. The job is a pickled `Job`, answers
are lines of JSON that carry its token.
"""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import pickle
import queue
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.measure import Measure
from steelyard.proofs.prover.certificates import Certificate
from steelyard.proofs.prover.certified import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.user_process import (
    EndedError,
    OutOfTimeError,
    RaisedError,
    UserMeasureError,
    UserProcess,
    kill_group,
    limit_memory,
)
from steelyard.proofs.verdict import Verdict, named_classes, not_proved

Array = NDArray[Any]


@dataclass(frozen=True)
class Job:
    """What is to be decided, and of what: one measure, or one for each number of classes of a function."""

    label: str
    properties: tuple[str, ...]
    seconds: float
    measures: Mapping[int, Measure]
    """Under 0 the measure of every number of classes."""
    sizes: tuple[int, ...] = ()
    declared: bool = True
    """Has it a range of its own?"""
    black_box: tuple[str, str, str, bool] | None = None
    """File, function, digest and whether it takes many matrices at once, of a function without a graph."""
    certify: bool = False
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    workers: int = max(1, min(4, os.cpu_count() or 1))

    def subject(self, n_classes: int) -> Subject:
        measure = self.measures.get(0) or self.measures[n_classes]
        sizes = self.sizes if 0 in self.measures else (n_classes,)
        return Subject(measure, bounds_known=self.declared, sizes=sizes or None)


SLOW_MOST = 400
"""A function that takes one matrix at a time is tried on so many small matrices of each size."""


def decide(job: Job) -> Generator[dict[str, Any], None, None]:
    """The answer on each property, as they come; the processes end with the iterator."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "steelyard.proofs.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.Queue[str | None] = queue.Queue()
    output = process.stdout

    def forward() -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in output:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=forward, daemon=True).start()
    process.stdin.write(base64.b64encode(pickle.dumps(job)).decode() + "\n")
    process.stdin.flush()
    limit = time.monotonic() + 10 + job.seconds * (2 + math.ceil(len(job.properties) / job.workers))
    try:
        for _ in job.properties:
            try:
                line = lines.get(timeout=max(0.0, limit - time.monotonic()))
            except queue.Empty:
                return
            answer = json.loads(line) if line is not None else None
            if answer is None or answer.get("token") != job.token:
                return
            yield answer
    finally:
        _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End the deciding process; it ends those it started when it is told to."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.close()


# -- inside the process


def _decide_one(job: Job, p: Property) -> dict[str, Any]:
    """The verdict on one property, or what went wrong."""
    process: UserProcess | None = None
    try:
        if job.black_box is not None:
            path, name, digest, together = job.black_box
            process = UserProcess(Path(path), name, digest, job.sizes, own_group=False)
            process.facts(job.seconds)
            asked: list[tuple[Array, Array]] = []
            values = partial(_values, process, together, job.seconds, asked)
            most = 10_000 if together else SLOW_MOST
            subject = replace(job.subject(job.sizes[0]), black_box=values, most=most, sizes=job.sizes)
            verdict = p.decide(subject)
            if any(not np.array_equal(values(m), v, equal_nan=True) for m, v in list(asked)):
                return {
                    "refused": f"{job.label} is not deterministic: its values changed while it was examined",
                    "allowed": "the same value for the same matrix",
                }
            return {"verdict": not_proved(verdict, "the function could not be traced").to_dict()}
        verdict, found = _decided(job, p)
        if not job.certify or verdict.grade != "proved":
            return {"verdict": verdict.to_dict()}
        result = checked(found, verdict.method)
        if result.state == "fails":  # a proof whose certificate fails is not shown as one
            verdict = not_proved(verdict, result.words)
        certified = result.state == "certified"
        return {"verdict": replace(verdict, certified=certified).to_dict(), "certificates": result.words}
    except OutOfTimeError:
        return {"stopped": f"the time of {job.seconds:g} seconds was up"}
    except EndedError:
        return {"stopped": "the function ended Python"}
    except RaisedError as error:
        return {
            "refused": f"{job.label} raised {error.kind} while it was examined: {error.text}",
            "allowed": "a number, or NaN where it is undefined",
        }
    except UserMeasureError as error:
        return {"refused": str(error).rstrip("."), "allowed": ""}
    except MemoryError:
        return {"stopped": "the memory was full"}
    except Exception as error:  # z3 raises errors of its own when its memory is full
        return {"stopped": f"the engine gave up ({type(error).__name__})"}
    finally:
        if process is not None:
            process.end()


def _decided(job: Job, p: Property) -> tuple[Verdict, list[Certificate | None]]:
    """One verdict; of a function with a graph for each number of classes, those joined."""
    if 0 in job.measures:
        return with_certificates(lambda: p.decide(job.subject(0)))
    parts = [with_certificates(lambda c=c: p.decide(job.subject(c))) for c in job.sizes]  # type: ignore[misc]
    verdicts = [verdict for verdict, _ in parts]
    return Verdict.of_sizes(verdicts), [c for _, found in parts for c in found]


def _values(
    process: UserProcess, together: bool, seconds: float, asked: list[tuple[Array, Array]], matrices: Array
) -> Array:
    values = process.values(matrices, together, time.monotonic() + seconds)
    if values is None:
        raise UserMeasureError("the function does not answer on many matrices at once")
    if len(asked) < 3:
        asked.append((matrices[:100], values[:100]))
    return values


def _timed_out(job: Job, p: Property, why: str) -> dict[str, Any]:
    two = 0 in job.measures and job.measures[0].kind == "two-class"
    sizes = named_classes(job.sizes or ((2,) if two else (2, 3, 4)))
    verdict = Verdict(job.label, p.id, "timed out", f"not decided in time: {why}", sizes)
    return {"verdict": verdict.to_dict(), "remark": why}


@dataclass
class _Running:
    name: str
    pid: int
    until: float
    text: bytearray = field(default_factory=bytearray)


def in_children(
    works: Mapping[str, Callable[[], dict[str, Any]]], seconds: float, at_once: int = 1
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each piece of work answers, as they end; {"stopped": why} where it gave none in its time."""
    if not hasattr(os, "fork"):
        for name, work in works.items():
            yield name, work()
        return
    waiting = list(works.items())
    running: dict[int, _Running] = {}

    def end_all(*_: Any) -> None:
        for one in running.values():
            kill_group(one.pid)
        os._exit(1)

    signal.signal(signal.SIGTERM, end_all)
    while waiting or running:
        while waiting and len(running) < at_once:
            name, work = waiting.pop(0)
            pipe, pid = _forked(work)
            running[pipe] = _Running(name, pid, time.monotonic() + seconds)
        nearest = min(one.until for one in running.values())
        ready, _, _ = select.select(list(running), [], [], max(0.0, nearest - time.monotonic()))
        for pipe in list(running):
            child = running[pipe]
            part = os.read(pipe, 1 << 16) if pipe in ready else None
            if part:
                child.text += part
            elif part == b"" or time.monotonic() >= child.until:
                del running[pipe]
                os.close(pipe)
                kill_group(child.pid)
                os.waitpid(child.pid, 0)
                yield child.name, _answer(child, seconds, ended=part == b"")


def _answer(child: _Running, seconds: float, ended: bool) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(child.text)
        return found
    except ValueError:
        return {"stopped": "the engine ended" if ended else f"the time of {seconds:g} seconds was up"}


def _forked(work: Callable[[], dict[str, Any]]) -> tuple[int, int]:
    """A child that works; its answer comes through the pipe."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        return reading, pid
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(reading)
        limit_memory()
        with os.fdopen(writing, "w", encoding="utf-8") as answer:
            answer.write(json.dumps(work()))
        os._exit(0)
    except BaseException:
        os._exit(1)


def main(requests: TextIO, out: TextIO) -> None:
    """Decide every property of the job, a few at a time."""
    job: Job = pickle.loads(base64.b64decode(requests.readline()))  # written by `decide`, one process up
    works = {i: partial(_decide_one, job, BY_ID[i]) for i in job.properties}
    for property_id, answer in in_children(works, job.seconds, job.workers):
        if "stopped" in answer:
            p = BY_ID[property_id]
            answer = _timed_out(job, p, f"{answer['stopped']} while deciding {p.name}")
        out.write(json.dumps({"token": job.token, "property": property_id, **answer}) + "\n")
        out.flush()


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
