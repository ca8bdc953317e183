"""How does one slow piece of work not cost the others? Each in a process, a time and a memory of its own."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.proofs.user_process import limit_memory
from steelyard.proofs.user_values import kill_group

Work = Callable[[], dict[str, Any]]


@dataclass
class _Running:
    name: str
    pid: int
    until: float
    text: bytearray = field(default_factory=bytearray)


def apart(
    works: Mapping[str, Work], seconds: float, at_once: int = 1
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
            one = running[pipe]
            part = os.read(pipe, 1 << 16) if pipe in ready else None
            if part:
                one.text += part
            elif part == b"" or time.monotonic() >= one.until:
                del running[pipe]
                os.close(pipe)
                kill_group(one.pid)
                os.waitpid(one.pid, 0)
                yield one.name, _answer(one, seconds, ended=part == b"")


def _answer(one: _Running, seconds: float, ended: bool) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(one.text)
        return found
    except ValueError:
        return {"stopped": "the engine ended" if ended else f"the time of {seconds:g} seconds was up"}


def _forked(work: Work) -> tuple[int, int]:
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
