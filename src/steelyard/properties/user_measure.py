"""What is true of a measure that a user wrote? It runs in a process of its own, within a time limit, so that nothing hangs.

`file.py:function` names a function of a (..., C, C) array, rows truth, or of tp, fn, fp, tn. It is called on floats; if it also takes
exact fractions its counterexamples are exact, and if it takes symbols its properties can be proved.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.properties import cache
from steelyard.properties.conditions import PROPERTIES, Property
from steelyard.properties.examination import Examination, Progress
from steelyard.properties.portrait import Portrait, portrait
from steelyard.properties.verdict import Verdict, named_classes

FIRST_ANSWER = 8.0
"""Seconds a function has to answer its first calls (starting Python included)."""
WHOLE_TIME = 60.0
"""Seconds for the whole examination."""


class UserMeasureError(InputError):
    """A user's function that cannot be examined, and why."""


def parse(spec: str) -> tuple[Path, str] | None:
    """The file and the function of 'file.py:function'; None if the text does not look like one."""
    path, colon, function = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        return None
    if not Path(path).is_file():
        raise InputError(
            "the file of the measure cannot be read",
            found=path,
            allowed="a Python file, as in my_metric.py:my_metric",
        )
    if not function.isidentifier():
        raise InputError(
            "the function of the measure is not a name",
            found=repr(function),
            allowed="as in my_metric.py:my_metric",
        )
    return Path(path), function


def examine_user(
    path: Path,
    function: str,
    properties: Sequence[Property] = PROPERTIES,
    sizes: Sequence[int] = (2, 3),
    progress: Progress | None = None,
    seconds: float = WHOLE_TIME,
    first_answer: float = FIRST_ANSWER,
) -> Examination:
    """Examine a user's function; what is not decided in time is graded as timed out, what it does wrong is said in words."""
    ids = [p.id for p in properties]
    content = hashlib.sha256(path.read_bytes()).hexdigest()
    name = cache.key("user", content, function, ",".join(ids), ",".join(map(str, sizes)))
    known = cache.load(name, _read)
    if known is not None:
        return known  # type: ignore[no-any-return]
    label = f"{path.name}:{function}"
    verdicts: list[Verdict] = []
    remarks: list[str] = []
    with closing(
        _told(path, function, {"properties": ids, "sizes": list(sizes)}, seconds, first_answer)
    ) as told:
        for event in told:
            if event["event"] == "verdict":
                verdicts.append(Verdict.from_dict(event["verdict"]))
            elif event["event"] in ("remark", "stopped"):
                remarks.append(event["text"])
            elif event["event"] == "deciding" and progress is not None:
                progress(f"{label}: {event['text']}")
    decided = {v.question for v in verdicts}
    missing = [i for i in ids if i not in decided]
    verdicts += [Verdict(label, i, "timed out", "not decided in time", named_classes(sizes)) for i in missing]
    result = Examination(label, f"{label}, a user's measure", tuple(verdicts), tuple(remarks))
    if not any(v.grade == "timed out" for v in result.verdicts):
        cache.store(name, result.to_dict())
    return result


def portrait_user(
    path: Path,
    function: str,
    sizes: Sequence[int] = (2, 3),
    seconds: float = WHOLE_TIME,
    first_answer: float = FIRST_ANSWER,
) -> tuple[Portrait | None, str]:
    """How a user's function looks; or None, and why there is no picture."""
    values: dict[str, Any] = {}
    with closing(
        _told(
            path, function, {"properties": [], "sizes": list(sizes), "portrait": True}, seconds, first_answer
        )
    ) as told:
        for event in told:
            if event["event"] == "values":
                values[event["batch"]] = event["values"]
            elif event["event"] == "stopped":
                return None, event["text"]
    return portrait(values), ""


def _told(
    path: Path, function: str, options: dict[str, Any], seconds: float, first_answer: float
) -> Generator[dict[str, Any], None, None]:
    """What the process of the function tells, until it is done or stopped; it ends with the iterator."""
    command = [
        sys.executable,
        "-m",
        "steelyard.properties.user_process",
        str(path.resolve()),
        function,
        json.dumps(options),
    ]
    # A process group of its own, so that whatever the function starts can be ended with it.
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_forward, args=(process, lines), daemon=True)
    reader.start()
    try:
        yield from _listen(lines, f"{path.name}:{function}", seconds, first_answer)
    finally:
        _end(process, reader)


def _end(process: subprocess.Popen[str], reader: threading.Thread) -> None:
    """End the process and all it started; a pipe that something still holds open is left to the reader, which dies with us."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    except ProcessLookupError:
        pass
    process.wait()
    reader.join(timeout=2)
    if not reader.is_alive() and process.stdout is not None:
        process.stdout.close()


def _forward(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def _listen(
    lines: queue.Queue[str | None], name: str, seconds: float, first_answer: float
) -> Iterator[dict[str, Any]]:
    """Every event within its time. What goes wrong before the function has answered is an error, later it is the event "stopped"."""
    start = time.monotonic()
    limit = start + first_answer
    doing = "was called for the first time"
    ready = False
    while True:
        try:
            line = lines.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            if not ready:
                raise UserMeasureError(
                    f"{name} did not answer within {first_answer:g} seconds when it {doing}",
                    allowed="a function that returns",
                    do="look for an endless loop",
                ) from None
            yield {
                "event": "stopped",
                "text": f"the time of {seconds:g} seconds was up while deciding {doing}",
            }
            return
        if line is None:
            if not ready:
                raise UserMeasureError(
                    f"{name} ended Python when it {doing}", allowed="a function that returns a number"
                )
            yield {"event": "stopped", "text": f"the function ended Python while deciding {doing}"}
            return
        event: dict[str, Any] = json.loads(line)
        kind = event["event"]
        if kind == "refused":
            raise UserMeasureError(f"{name} {event['text']}", allowed=event.get("allowed", ""))
        if kind in ("calling", "deciding"):
            doing = event["text"]
        elif kind == "ready":
            ready, limit = True, start + seconds
        elif kind == "done":
            return
        yield event


def _read(data: dict[str, Any]) -> Examination:
    return Examination(
        data["measure"],
        data["title"],
        tuple(Verdict.from_dict(v) for v in data["verdicts"]),
        tuple(data["remarks"]),
    )
