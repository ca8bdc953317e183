"""The process in which a user's function runs: it is told matrices and answers with numbers, and decides
nothing.

Run as `python -P -m steelyard.proofs.user_process FILE FUNCTION DIGEST [FILES BESIDE IT]`. Requests come
in as lines of JSON, answers go out as lines of JSON. Whatever the function prints goes nowhere, and whatever
it writes into the answers can only be taken for its own values.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.exact_number import Exact
from steelyard.proofs.files_beside import FromText

Array = NDArray[Any]
CELLS = {"tp": (0, 0), "fn": (0, 1), "fp": (1, 0), "tn": (1, 1)}
MEMORY = 4 * 1024**3
"""Bytes of address space for the function."""


class RefusedError(Exception):
    """The function cannot be examined."""

    def __init__(self, text: str, allowed: str = "") -> None:
        super().__init__(text)
        self.allowed = allowed


def digest_of(text: bytes) -> str:
    """The content of a file in a word."""
    return hashlib.sha256(text).hexdigest()


def digests_of(texts: Mapping[str, bytes]) -> dict[str, str]:
    """The content of several files, each in a word."""
    return {name: digest_of(text) for name, text in texts.items()}


def load(path: str, name: str, digest: str, beside: Mapping[str, str] | None = None) -> Any:
    """What the file calls by this name. It is compiled from the very text that was read, and so are the files
    beside it: no compiled copy of them, and no text that came later, is run in their place."""
    text = Path(path).read_bytes()
    folder = Path(path).parent
    texts = {module: (folder / f"{module}.py").read_bytes() for module in beside or {}}
    if digest_of(text) != digest or digests_of(texts) != (beside or {}):
        raise RefusedError("changed while it was examined", "a file that stays as it is")
    sys.meta_path.insert(0, FromText(texts, folder))
    # Behind everything that is installed, so that a file next to the measure cannot stand in for NumPy.
    sys.path += [str(Path(path).parent), str(Path.cwd())]
    spec = importlib.util.spec_from_file_location("steelyard_user_measure", path)
    if spec is None or spec.loader is None:
        raise RefusedError("cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        raise RefusedError(
            f"cannot be loaded: {type(error).__name__}: {error}", "a Python file without errors"
        ) from error
    if not hasattr(module, name):
        names = [
            n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == module.__name__
        ]
        raise RefusedError(
            "is not in the file", "one of " + ", ".join(names) if names else "a function of the file"
        )
    return getattr(module, name)


def parameters_of(found: Any) -> list[str]:
    """The arguments that a function needs."""
    try:
        return [
            p.name
            for p in inspect.signature(found).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        return ["matrix"]


def order_of_cells(parameters: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Which cell each of four arguments is: by their names where they are tp, fn, fp and tn in any order, by
    their places otherwise."""
    names = parameters if sorted(parameters) == sorted(CELLS) else tuple(CELLS)
    return tuple(CELLS[name] for name in names)


class Answering:
    """Answers for a function: of one matrix or of many, on floats or on fractions."""

    def __init__(self, function: Callable[..., Any], of_cells: bool) -> None:
        self.function = function
        self.of_cells = of_cells
        self.order = order_of_cells(parameters_of(function) if of_cells else ())

    def raw(self, matrices: Array) -> Any:
        """The function's own answer on (B, C, C) or (C, C)."""
        if self.of_cells:
            # One matrix gives numbers, several give arrays.
            return self.function(*(matrices[i, j] if matrices.ndim == 2 else matrices[..., i, j]
                                   for i, j in self.order))  # fmt: skip
        return self.function(matrices)

    def one(self, matrix: Array) -> Any:
        """The value on one matrix; a division by 0 is an undefined value."""
        try:
            value = self.raw(matrix.copy())
        except ZeroDivisionError:
            return float("nan")
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise RefusedError(
                    f"returned an array of shape {value.shape} for one matrix", "one number per matrix"
                )
            value = value.item()
        return value

    def floats(self, matrices: Array) -> list[float]:
        """One call for each matrix."""
        return [self._number(self.one(m), m) for m in matrices]

    def batch(self, matrices: Array) -> list[float] | None:
        """One call for all of them; None if the function does not take them together."""
        try:
            values = np.asarray(self.raw(matrices.copy()), dtype=np.float64)
        except Exception:
            return None
        return [float(v) for v in values] if values.shape == (len(matrices),) else None

    def exact(self, rows: Any) -> str:
        """The value on one matrix of fractions, as text; what is not finite counts as undefined."""
        matrix = np.empty((len(rows), len(rows)), dtype=object)
        matrix[...] = [[Exact(Fraction(v)) for v in row] for row in rows]
        value = self.one(matrix)
        if isinstance(value, (float, np.floating)):
            return repr(float(value)) if math.isfinite(value) else "nan"
        if isinstance(value, (Fraction, int, np.integer)) and not isinstance(value, bool):
            return str(value if isinstance(value, Fraction) else int(value))
        raise RefusedError("does not stay exact")

    def _number(self, value: Any, matrix: Array) -> float:
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError("text is no number")
            return float(value)
        except (TypeError, ValueError) as error:
            raise RefusedError(
                f"returned {value!r:.60} on {matrix.tolist()}", "one number per matrix"
            ) from error


def _answering(found: Any) -> Answering:
    from steelyard.measures.measure import Measure

    if isinstance(found, Measure):
        from steelyard.proofs.prover.subject import Subject

        subject = Subject(found)

        def value(matrix: Array) -> Any:
            if matrix.dtype == object:
                return subject.value(matrix.tolist())
            values = subject.floats(matrix if matrix.ndim == 3 else matrix[None])
            return values if matrix.ndim == 3 else values[0]

        return Answering(value, of_cells=False)
    if not callable(found):
        raise RefusedError(
            f"is not a function but {type(found).__name__}",
            "a function of a (..., C, C) array or of tp, fn, fp, tn",
        )
    parameters = parameters_of(found)
    if len(parameters) not in (1, 4):
        raise RefusedError(
            f"takes {len(parameters)} arguments ({', '.join(parameters)})",
            "one argument, a (..., C, C) array, or the four tp, fn, fp, tn",
        )
    return Answering(found, of_cells=len(parameters) == 4)


def _facts(found: Any, answering: Answering) -> dict[str, Any]:
    from steelyard.measures.measure import Measure

    kind = found.kind if isinstance(found, Measure) else "function"
    return {
        "of_cells": answering.of_cells,
        "two_class_only": answering.of_cells or kind == "two-class",
        "kind": kind,
    }


def main(
    path: str, name: str, digest: str, requests: TextIO, out: TextIO, beside: Mapping[str, str] | None = None
) -> None:
    """Answer until there are no more requests."""

    def tell(**facts: Any) -> None:
        out.write(json.dumps(facts) + "\n")
        out.flush()

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    try:
        found = load(path, name, digest, beside)
        answering = _answering(found)
    except RefusedError as error:
        tell(id=0, refused=str(error), allowed=error.allowed)
        return
    tell(id=0, facts=_facts(found, answering))
    for line in requests:
        request = json.loads(line)
        try:
            if request["mode"] == "exact":
                tell(id=request["id"], values=[answering.exact(m) for m in request["matrices"]])
                continue
            matrices = np.array(request["matrices"], dtype=np.float64)
            values = answering.batch(matrices) if request["mode"] == "batch" else answering.floats(matrices)
            tell(id=request["id"], values=None if values is None else [_spelt(v) for v in values])
        except RefusedError as error:
            tell(id=request["id"], refused=str(error), allowed=error.allowed)
        except Exception as error:
            tell(id=request["id"], raised=type(error).__name__, text=str(error)[:300])


def _spelt(value: float) -> float | None:
    """What is not finite counts as undefined."""
    return value if math.isfinite(value) else None


def limit_memory() -> None:
    """A function that fills the memory fails alone."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # no such limit on this system
        return


if __name__ == "__main__":
    # What the user's function prints must not be taken for an answer, nor what it reads for a request.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    questions = os.fdopen(os.dup(0), "r", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    limit_memory()
    files = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
    main(sys.argv[1], sys.argv[2], sys.argv[3], questions, answers, files)
