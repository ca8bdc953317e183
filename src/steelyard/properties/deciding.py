"""The process that decides the properties of a user's measure, each property in a process and a time of its
own.

Run as `python -P -m steelyard.properties.deciding`; the job comes in as one line of JSON, verdicts go out as
lines of JSON that carry the token of the job. The user's function never runs here: what is proved is proved
of its source, and values are asked of the process it runs in.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from steelyard.properties.certificates import Certificate
from steelyard.properties.certified import checked, with_certificates
from steelyard.properties.conditions import BY_ID, Property
from steelyard.properties.declared_file import declared_measure
from steelyard.properties.python_subset import read_file
from steelyard.properties.subject import Subject
from steelyard.properties.user_process import limit_memory
from steelyard.properties.user_subject import BlackBox, Facts, ReadFunction, subject_of
from steelyard.properties.user_values import (
    EndedError,
    OutOfTimeError,
    RaisedError,
    UserMeasureError,
    kill_group,
)
from steelyard.properties.verdict import Verdict, as_far_as_read, named_classes


@dataclass(frozen=True)
class Job:
    """What is to be decided."""

    token: str
    path: str
    name: str
    facts: Facts
    properties: tuple[str, ...]
    seconds: float
    label: str
    at_once: int
    certify: bool = False
    """Are certificates of what is proved written down and checked?"""

    def subject(self) -> tuple[Subject, BlackBox | None]:
        if self.facts.declared:
            measure = declared_measure(Path(self.path), self.name)
            if measure is not None:
                return Subject(measure, sizes=self.facts.sizes), None
        elif not self.facts.leaves:
            source = read_file(Path(self.path), self.name)
            read = ReadFunction(source, self.name, self.facts.of_cells, self.facts.batched)
            return subject_of(read, self.name, self.facts, read=True), None
        box = BlackBox(Path(self.path), self.name, self.facts.batched, self.seconds)
        return subject_of(box.body, self.name, self.facts, read=False), box


def decide_one(job: Job, p: Property) -> dict[str, Any]:
    """The verdict on one property, or what went wrong."""
    box: BlackBox | None = None
    try:
        subject, box = job.subject()
        found: list[Certificate | None] = []
        if job.certify:
            verdict, found = with_certificates(lambda: p.decide(subject))
        else:
            verdict = p.decide(subject)
        if box is not None and box.changed():
            return {"refused": f"{job.label} is not deterministic: its values changed while it was examined",
                    "allowed": "the same value for the same matrix"}  # fmt: skip
        leaves = job.facts.leaves
        if job.facts.declared and box is not None:
            leaves = "its body does something that has no meaning in algebra"
        verdict = as_far_as_read(verdict, leaves)
        if not job.certify or verdict.grade != "proved":
            return {"verdict": verdict.to_dict()}
        result = checked(found, verdict.method)
        if result.state == "fails":  # a proof whose certificate fails is not shown as one
            verdict = as_far_as_read(verdict, result.words)
        certified = result.state == "certified"
        return {"verdict": replace(verdict, certified=certified).to_dict(), "certificates": result.words}
    except OutOfTimeError:
        return {"stopped": f"the time of {job.seconds:g} seconds was up while deciding {p.name}"}
    except EndedError:
        return {"stopped": f"the function ended Python while deciding {p.name}"}
    except RaisedError as error:
        return {"refused": f"{job.label} raised {error.kind} while it was examined: {error.text}",
                "allowed": "a number, or NaN where it is undefined"}  # fmt: skip
    except UserMeasureError as error:
        return {"refused": str(error), "allowed": ""}
    except MemoryError:
        return {"stopped": f"the memory was full while deciding {p.name}"}
    finally:
        if box is not None and box.process is not None:
            box.process.end()


def timed_out(job: Job, p: Property, why: str) -> dict[str, Any]:
    """The verdict on a property that was not decided."""
    verdict = Verdict(job.label, p.id, "timed out", "not decided in time", named_classes(job.facts.sizes))
    return {"verdict": verdict.to_dict(), "remark": why}


def main(requests: TextIO, out: TextIO) -> None:
    """Decide every property of the job, a few at a time."""
    given = json.loads(requests.readline())
    facts = Facts(**{**given["facts"], "sizes": tuple(given["facts"]["sizes"]), "remarks": ()})
    job = Job(**{**given, "facts": facts, "properties": tuple(given["properties"])})

    def tell(p: Property, answer: dict[str, Any]) -> None:
        if "stopped" in answer:
            answer = timed_out(job, p, answer["stopped"])
        out.write(json.dumps({"token": job.token, "property": p.id, **answer}) + "\n")
        out.flush()

    chosen = [BY_ID[i] for i in job.properties]
    if not hasattr(os, "fork"):
        for p in chosen:
            tell(p, decide_one(job, p))
        return
    for p, answer in _in_processes(job, chosen):
        tell(p, answer)


def _in_processes(job: Job, chosen: list[Property]) -> Any:
    """Each property in a copy of this process, ended when its time is up."""
    waiting = list(chosen)
    running: dict[int, tuple[Property, int, float, bytearray]] = {}

    def end_all(*_: Any) -> None:
        for _p, pid, _limit, _text in running.values():
            kill_group(pid)
        os._exit(1)

    signal.signal(signal.SIGTERM, end_all)
    while waiting or running:
        while waiting and len(running) < job.at_once:
            p = waiting.pop(0)
            pipe, pid = _forked(job, p)
            running[pipe] = (p, pid, time.monotonic() + job.seconds, bytearray())
        nearest = min(limit for _, _, limit, _ in running.values())
        ready, _, _ = select.select(list(running), [], [], max(0.0, nearest - time.monotonic()))
        for pipe in list(running):
            p, pid, limit, text = running[pipe]
            part = os.read(pipe, 1 << 16) if pipe in ready else None
            if part:
                text += part
            elif part == b"" or time.monotonic() >= limit:
                del running[pipe]
                os.close(pipe)
                kill_group(pid)
                os.waitpid(pid, 0)
                why = f"the time of {job.seconds:g} seconds was up while deciding {p.name}"
                if part == b"":
                    why = f"the engine ended while deciding {p.name}"
                try:
                    yield p, json.loads(text)
                except ValueError:
                    yield p, {"stopped": why}


def _forked(job: Job, p: Property) -> tuple[int, int]:
    """A child that decides one property; its answer comes through the pipe."""
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
            answer.write(json.dumps(decide_one(job, p)))
        os._exit(0)
    except BaseException:
        os._exit(1)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
