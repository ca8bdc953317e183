"""What values does a user's function have? Asked of the process it runs in, within a time limit.

An answer can only be a number or a word about a failure: nothing that the function writes is taken for a
verdict, and text that comes from it is shown without control characters.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError

Array = NDArray[Any]


class UserMeasureError(InputError):
    """A user's function that cannot be examined, and why."""


class OutOfTimeError(Exception):
    """The function did not answer in time."""


class EndedError(Exception):
    """The function ended its process."""


class RaisedError(Exception):
    """The function raised an error."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind, self.text = kind, text


class UserProcess:
    """A process in which a function of a file answers."""

    def __init__(
        self,
        path: Path,
        name: str,
        digest: str,
        own_group: bool = True,
        beside: Mapping[str, str] | None = None,
    ) -> None:
        self.own_group = own_group and os.name == "posix"
        self.path, self.name = path, name
        self.label = f"{path.name}:{name}"
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-m",
                "steelyard.proofs.user_process",
                str(path.resolve()),
                name,
                digest,
                json.dumps(dict(beside or {})),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            process_group=0 if self.own_group else None,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self._forward, daemon=True)
        self.reader.start()
        self.asked = 0

    def __enter__(self) -> UserProcess:
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def facts(self, seconds: float) -> dict[str, Any]:
        """What kind of function it is, once its file is loaded."""
        answer = self._answer(0, time.monotonic() + seconds)
        facts = answer.get("facts")
        if not isinstance(facts, dict):
            raise UserMeasureError(
                f"{self.label} answered out of turn", allowed="a function that returns a number"
            )
        return {
            "of_cells": facts.get("of_cells") is True,
            "two_class_only": facts.get("two_class_only") is True,
            "kind": "function" if facts.get("kind") == "function" else "measure",
        }

    def floats(self, matrices: Array, together: bool, deadline: float) -> Array | None:
        """Values on (B, C, C) floats, NaN where undefined; None if it does not take them together."""
        answer = self._ask(
            "batch" if together else "floats", np.asarray(matrices, dtype=np.float64).tolist(), deadline
        )
        if answer is None:
            return None
        if len(answer) != len(matrices) or not all(v is None or _is_number(v) for v in answer):
            raise UserMeasureError(
                f"{self.label} answered out of turn", allowed="a function that returns a number"
            )
        return np.array([math.nan if v is None else float(v) for v in answer], dtype=np.float64)

    def exact(self, matrix: Sequence[Sequence[Any]], deadline: float) -> Fraction | float:
        """The value on one matrix of fractions, NaN where undefined."""
        answer = self._ask("exact", [[[str(Fraction(v)) for v in row] for row in matrix]], deadline)
        if not answer or not isinstance(answer[0], str):
            raise UserMeasureError(
                f"{self.label} answered out of turn", allowed="a function that returns a number"
            )
        text = answer[0]
        try:
            return float(text) if text == "nan" or "." in text or "e" in text else Fraction(text)
        except ValueError as error:
            raise UserMeasureError(
                f"{self.label} answered out of turn", allowed="a function that returns a number"
            ) from error

    def _ask(self, mode: str, matrices: Any, deadline: float) -> list[Any] | None:
        self.asked += 1
        try:
            assert self.process.stdin is not None
            self.process.stdin.write(
                json.dumps({"id": self.asked, "mode": mode, "matrices": matrices}) + "\n"
            )
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError, OSError) as error:
            raise EndedError from error
        values = self._answer(self.asked, deadline).get("values")
        return values if isinstance(values, list) else None

    def _answer(self, number: int, deadline: float) -> dict[str, Any]:
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise OutOfTimeError from None
            if line is None:
                raise EndedError
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                answer = None
            if not isinstance(answer, dict) or answer.get("id") != number:
                raise UserMeasureError(
                    f"{self.label} answered out of turn", allowed="a function that returns a number"
                )
            if "refused" in answer:
                raise UserMeasureError(
                    f"{self.label} {printable(answer['refused'])}",
                    allowed=printable(answer.get("allowed", "")),
                )
            if "raised" in answer:
                raise RaisedError(printable(answer["raised"]), printable(answer.get("text", "")))
            return answer

    def _forward(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError, OSError):
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put(None)

    def end(self) -> None:
        """End the process and all it started; a pipe that something still holds open is left to the reader,
        which dies with us."""
        if self.own_group:
            kill_group(self.process.pid)
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        self.process.wait()
        self.reader.join(timeout=2)
        if not self.reader.is_alive():
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def kill_group(pid: int) -> None:
    """End a process and what it started."""
    import signal

    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def printable(text: Any) -> str:
    """Text of a stranger: one line, no control characters, not endless."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text).replace("\n", " "))
    return shown if len(shown) <= 300 else shown[:297] + "..."


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
