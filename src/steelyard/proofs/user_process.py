"""The process in which a user's file runs: it is loaded, its function is traced, and asked for values.

Nothing of the file runs in the process that decides. What comes out of it is data: a graph, numbers, or a
word about a failure. Run as `python -P -m steelyard.proofs.user_process FILE FUNCTION DIGEST SIZES`; requests
come in as lines of JSON, answers go out as lines of JSON. Whatever the function prints goes nowhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError
from steelyard.measures.graph import Node
from steelyard.measures.measure import MatrixMeasure
from steelyard.proofs.functions import CELL_NAMES, needed_parameters, order_of_cells, trace

Array = NDArray[Any]
MEMORY = 4 << 30
"""Bytes that a process of a user's function, or of one property, may use."""
_TO_DICT, _TO_LIST = MatrixMeasure.to_dict, Node.to_list
"""Taken before a user's file can put anything else in their place."""


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


class _RefusedError(Exception):
    def __init__(self, text: str, allowed: str = "") -> None:
        super().__init__(text)
        self.allowed = allowed


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


# -- inside the process


def _load(path: str, name: str, digest: str) -> Any:
    text = Path(path).read_bytes()
    if digest_of(text) != digest:
        raise _RefusedError("changed while it was examined", "a file that stays as it is")
    # Behind everything that is installed, so that a file next to the measure cannot stand in for NumPy.
    sys.path += [str(Path(path).parent), str(Path.cwd())]
    spec = importlib.util.spec_from_file_location("steelyard_user_measure", path)
    if spec is None:
        raise _RefusedError("cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        raise _RefusedError(
            f"cannot be loaded: {type(error).__name__}: {error}", "a Python file without errors"
        ) from error
    if not hasattr(module, name):
        names = [n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == spec.name]
        allowed = "one of " + ", ".join(names) if names else "a function of the file"
        raise _RefusedError("is not in the file", allowed)
    return getattr(module, name)


class _Function:
    """A user's function, or a measure that the file declares, asked for values."""

    def __init__(self, found: Any) -> None:
        self.measure = found if type(found) is MatrixMeasure else None
        if self.measure is None and not callable(found):
            raise _RefusedError(
                f"is not a function but {type(found).__name__}",
                "a function of a (..., C, C) array or of tp, fn, fp, tn",
            )
        parameters = needed_parameters(found) if self.measure is None else ["matrix"]
        if len(parameters) not in (1, 4):
            raise _RefusedError(
                f"takes {len(parameters)} arguments ({', '.join(parameters)})",
                "one argument, a (..., C, C) array, or the four tp, fn, fp, tn",
            )
        self.function, self.of_cells = found, len(parameters) == 4
        places = {"tp": (0, 0), "fn": (0, 1), "fp": (1, 0), "tn": (1, 1)}
        self.cells = [places[name] for name in order_of_cells(parameters if self.of_cells else CELL_NAMES)]

    def facts(self, sizes: Sequence[int]) -> dict[str, Any]:
        """What is examined: graphs, or why there are none."""
        if self.measure is not None:
            two = self.measure.kind == "two-class"
            return {"two_classes": two, "measure": _TO_DICT(self.measure), "why_not": self.measure.opaque}
        found = trace(self.function, sizes)
        graphs = {str(c): _TO_LIST(graph) for c, graph in found.graphs.items()}
        return {"two_classes": self.of_cells, "graphs": graphs, "why_not": found.why_not}

    def values(self, matrices: Array, together: bool) -> list[float | None] | None:
        """One number a matrix; None if the function does not take them together."""
        if self.measure is not None:
            positive = "c1" if self.measure.kind == "two-class" else None
            found = [self.measure(m, positive=positive) for m in matrices]
        elif together:
            try:
                answer = np.asarray(self._called(matrices), dtype=np.float64)
            except Exception:  # it may only take one at a time
                return None
            if answer.shape != (len(matrices),):
                return None
            found = answer.tolist()
        else:
            found = [self._number(m) for m in matrices]
        return [v if math.isfinite(v) else None for v in found]

    def _called(self, matrices: Array) -> Any:
        if self.of_cells:
            # One matrix gives numbers, several give arrays.
            return self.function(
                *(matrices[..., i, j] if matrices.ndim > 2 else matrices[i, j] for i, j in self.cells)
            )
        return self.function(matrices)

    def _number(self, matrix: Array) -> float:
        try:
            value = self._called(matrix.copy())
        except ZeroDivisionError:
            return math.nan
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise _RefusedError(
                    f"returned an array of shape {value.shape} for one matrix", "one number per matrix"
                )
            value = value.item()
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError("text is no number")
            return float(value)
        except (TypeError, ValueError) as error:
            raise _RefusedError(
                f"returned {value!r:.60} on {matrix.tolist()}", "one number per matrix"
            ) from error


def _answer_requests(
    path: str, name: str, digest: str, sizes: Sequence[int], requests: TextIO, out: TextIO
) -> None:
    def tell(**facts: Any) -> None:
        out.write(json.dumps(facts) + "\n")
        out.flush()

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    try:
        function = _Function(_load(path, name, digest))
        tell(id=0, values=function.facts(sizes))
    except _RefusedError as error:
        tell(id=0, refused=str(error), allowed=error.allowed)
        return
    for line in requests:
        request = json.loads(line)
        try:
            matrices = np.array(request["matrices"], dtype=np.float64)
            tell(id=request["id"], values=function.values(matrices, request["together"]))
        except _RefusedError as error:
            tell(id=request["id"], refused=str(error), allowed=error.allowed)
        except Exception as error:
            tell(id=request["id"], raised=type(error).__name__, text=str(error)[:300])


def limit_memory() -> None:
    """A process that fills the memory fails alone."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # no such limit on this system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# -- outside


class UserProcess:
    """A process in which a function of a file answers, each answer within a time limit."""

    def __init__(
        self, path: Path, name: str, digest: str, sizes: Sequence[int] = (2, 3), own_group: bool = True
    ) -> None:
        self.own_group = own_group and os.name == "posix"
        self.label = f"{path.name}:{name}"
        arguments = [str(path.resolve()), name, digest, ",".join(map(str, sizes))]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "steelyard.proofs.user_process", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            process_group=0 if self.own_group else None,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self._forward, daemon=True)
        self.reader.start()
        self.requests = 0

    def __enter__(self) -> UserProcess:
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def facts(self, seconds: float) -> dict[str, Any]:
        """What is examined, once the file is loaded."""
        facts = self._answer(0, time.monotonic() + seconds)
        if not isinstance(facts, dict):
            raise self._out_of_turn()
        return facts

    def values(self, matrices: Array, together: bool, deadline: float) -> Array | None:
        """Values on (B, C, C) floats, NaN where undefined; None if it does not take them together."""
        self.requests += 1
        given = np.asarray(matrices, dtype=np.float64).tolist()
        try:
            assert self.process.stdin is not None
            request = {"id": self.requests, "together": together, "matrices": given}
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError, OSError) as error:
            raise EndedError from error
        answer = self._answer(self.requests, deadline)
        if answer is None:
            return None
        numbers = isinstance(answer, list) and all(
            v is None or (isinstance(v, (int, float)) and not isinstance(v, bool)) for v in answer
        )
        if not numbers or len(answer) != len(matrices):
            raise self._out_of_turn()
        return np.array([math.nan if v is None else float(v) for v in answer], dtype=np.float64)

    def _answer(self, number: int, deadline: float) -> Any:
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
            raise self._out_of_turn()
        if "refused" in answer:
            raise UserMeasureError(
                f"{self.label} {printable(answer['refused'])}", allowed=printable(answer.get("allowed", ""))
            )
        if "raised" in answer:
            raise RaisedError(printable(answer["raised"]), printable(answer.get("text", "")))
        return answer.get("values")

    def _out_of_turn(self) -> UserMeasureError:
        return UserMeasureError(
            f"{self.label} answered out of turn", allowed="a function that returns a number"
        )

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
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def printable(text: Any) -> str:
    """Text of a stranger: one line, no control characters, not endless."""
    shown = "".join(c if c.isprintable() else "?" for c in str(text).replace("\n", " "))
    return shown if len(shown) <= 300 else shown[:297] + "..."


if __name__ == "__main__":
    # What the user's function prints must not be taken for an answer, nor what it reads for a request.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    limit_memory()
    _, file, function_name, file_digest, size_list = sys.argv
    _answer_requests(
        file, function_name, file_digest, [int(c) for c in size_list.split(",")], questions, answers
    )
