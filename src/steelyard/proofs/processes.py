"""Worker processes: work in an interpreter of its own, with limits of time and memory."""

# `Answers` runs a generator in a fresh interpreter (`python -P -m steelyard.proofs.processes`); `in_children`
# forks a child for each piece of work, so that one that takes too long or too much memory costs the others
# nothing. What comes back is JSON: nothing that a user's file made runs in the process that asks.

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import multiprocessing
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from multiprocessing import connection
from typing import Any

# Bytes that a process of a user's function, or of one property, may use.
MEMORY = 4 << 30


class NoAnswerError(Exception):
    """The process ended without an answer."""


class OutOfTimeError(NoAnswerError):
    """There was no answer in time."""


class RefusedError(Exception):
    """The work cannot be done: why, and what could be."""

    def __init__(self, text: str, allowed: str = "") -> None:
        super().__init__(text)
        self.allowed = allowed


class RaisedError(Exception):
    """The work raised an error."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind, self.text = kind, text


def printable(text: Any) -> str:
    """Text of a stranger: one line, no control characters, not endless."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text).replace("\n", " "))
    return shown if len(shown) <= 300 else shown[:297] + "..."


class Answers:
    """What a generator yields in an interpreter of its own, one answer after the other."""

    def __init__(self, work: Callable[..., Iterable[Any]], *arguments: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "steelyard.proofs.processes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            process_group=0 if os.name == "posix" else None,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self._forward, daemon=True)
        self.reader.start()
        self.number = 0
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # one that has ended gives no answer
            self.process.stdin.write(base64.b64encode(pickle.dumps((work, arguments))).decode() + "\n")
            self.process.stdin.flush()

    def __enter__(self) -> Answers:
        return self

    def __exit__(self, *_: Any) -> None:
        """End the process and all it started."""
        # A pipe that something still holds open is left to the reader, which dies with us.
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()  # it may have children of its own to end
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=3)
        kill_group(self.process.pid)
        self.process.kill()
        self.process.wait()
        self.reader.join(timeout=2)
        if not self.reader.is_alive():
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def next(self, deadline: float) -> Any:
        """The next answer, if it comes before this time of the monotonic clock."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise OutOfTimeError from None
        if line is None:
            raise NoAnswerError
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        self.number += 1
        if not isinstance(answer, dict) or answer.get("number") != self.number:
            raise RefusedError("answered out of turn", "a function that returns a number")
        if "refused" in answer:
            raise RefusedError(printable(answer["refused"]), printable(answer.get("allowed", "")))
        if "raised" in answer:
            raise RaisedError(printable(answer["raised"]), printable(answer.get("text", "")))
        return answer.get("value")

    def _forward(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put(None)


def kill_group(pid: int) -> None:
    """End a process and what it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def limit_memory() -> None:
    """A process that fills the memory fails alone."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # no such limit on this system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# -- inside the process


def in_children(
    works: Mapping[str, Callable[[], dict[str, Any]]], seconds: float, at_once: int = 1
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each piece of work answers, as they end; {"stopped": why} where it gave none in its time."""
    if "fork" not in multiprocessing.get_all_start_methods():
        yield from ((name, work()) for name, work in works.items())
        return
    fork = multiprocessing.get_context("fork")
    waiting = list(works.items())
    running: dict[Any, tuple[str, Any, float]] = {}

    def end_all(*_: Any) -> None:
        for started in running.values():
            kill_group(started[1].pid)
        os._exit(1)

    signal.signal(signal.SIGTERM, end_all)
    while waiting or running:
        while waiting and len(running) < at_once:
            name, work = waiting.pop(0)
            receiver, sender = fork.Pipe(duplex=False)
            child = fork.Process(target=_work, args=(work, sender))
            child.start()
            sender.close()
            running[receiver] = name, child, time.monotonic() + seconds
        nearest = min(until for _, _, until in running.values())
        ready = connection.wait(list(running), max(0.0, nearest - time.monotonic()))
        for receiver, (name, child, until) in list(running.items()):
            if receiver not in ready and time.monotonic() < until:
                continue
            answer: dict[str, Any] = {"stopped": f"the time of {seconds:g} seconds was up"}
            if receiver in ready:
                try:
                    answer = json.loads(receiver.recv_bytes())
                except (EOFError, OSError, ValueError):
                    answer = {"stopped": "the engine ended"}
            del running[receiver]
            receiver.close()
            kill_group(child.pid)
            child.join()
            yield name, answer


def _work(work: Callable[[], dict[str, Any]], sender: Any) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    limit_memory()
    sender.send_bytes(json.dumps(work()).encode())


def main() -> None:
    """Do the work that is asked for, and tell every answer in a line."""
    requests = sys.stdin.readline()
    # What a user's function prints must not be taken for an answer.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    limit_memory()
    work, arguments = pickle.loads(base64.b64decode(requests))  # written by `Answers`, one process up
    numbers = itertools.count(1)

    def tell(**facts: Any) -> None:
        out.write(json.dumps({"number": next(numbers), **facts}) + "\n")
        out.flush()

    try:
        for value in work(*arguments):
            tell(value=value)
    except RefusedError as error:
        tell(refused=str(error), allowed=error.allowed)
    except Exception as error:
        tell(raised=type(error).__name__, text=str(error)[:300])


if __name__ == "__main__":
    # The module under its own name, so that its errors are those that the work knows.
    from steelyard.proofs.processes import main as run

    run()
