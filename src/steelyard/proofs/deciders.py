"""How is each property decided in a time and a memory of its own?

By a process that is asked and answers line by line, and ends with whoever asks.
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
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any

from steelyard.measures.record import Measure
from steelyard.proofs.verdict import Verdict


def answers(job: dict[str, Any], ids: Sequence[str], seconds: float) -> Generator[dict[str, Any], None, None]:
    """The answers of the deciding process, one about the reading and one for each property; it ends with the
    iterator."""
    token = secrets.token_hex(16)
    at_once = max(1, min(4, os.cpu_count() or 1))
    job = {**job, "token": token, "properties": list(ids), "seconds": seconds, "at_once": at_once}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "steelyard.proofs.deciding"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        start_new_session=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stdin is not None
    assert process.stdout is not None
    output = process.stdout

    def forward() -> None:
        with contextlib.suppress(ValueError, OSError):
            for line in output:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=forward, daemon=True).start()
    process.stdin.write(json.dumps(job) + "\n")
    process.stdin.flush()
    limit = time.monotonic() + 10 + seconds * (2 + math.ceil(len(ids) / at_once))
    try:
        for _ in range(1 + len(ids)):
            try:
                line = lines.get(timeout=max(0.0, limit - time.monotonic()))
            except queue.Empty:
                return
            answer = json.loads(line) if line is not None else None
            if answer is None or answer.get("token") != token:
                return
            yield answer
    finally:
        _end(process)


def decided_apart(measure: Measure, ids: Sequence[str], seconds: float) -> dict[str, Verdict]:
    """The verdicts on a measure of ours or on a formula, as far as each was decided in its time."""
    job = {"name": measure.name, "label": measure.name, "measure": pickled(measure)}
    found = (answer for answer in answers(job, ids, seconds) if "verdict" in answer)
    return {answer["property"]: Verdict.from_dict(answer["verdict"]) for answer in found}


def pickled(measure: Measure) -> str:
    """A measure as text, for a process of ours to read."""
    return base64.b64encode(pickle.dumps(measure)).decode()


def unpickled(text: str) -> Measure:
    found = pickle.loads(base64.b64decode(text))  # written by `pickled`, one process up
    assert isinstance(found, Measure)
    return found


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
