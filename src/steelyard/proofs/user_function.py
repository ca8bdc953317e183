"""A user's function, inside the process in which its file runs: loaded, traced, and asked for values."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.graph import Node
from steelyard.measures.measure import MatrixMeasure
from steelyard.proofs.functions import (
    CELL_NAMES,
    compared_matrices,
    needed_parameters,
    order_of_cells,
    trace,
)
from steelyard.proofs.portrait import batches
from steelyard.proofs.processes import RaisedError, RefusedError
from steelyard.proofs.prover.small_matrices import small_matrices

Array = NDArray[Any]
# A number for each matrix; None where there is none.
Values = list[float | None]
# Every so many matrices a function that takes batches is compared on one alone.
ONE_AT_A_TIME = 16
# Taken before a user's file can put anything else in their place.
_TO_DICT, _TO_LIST = MatrixMeasure.to_dict, Node.to_list


def digest_of(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def sample(n_classes: int) -> tuple[Array, int]:
    """Matrices to try a function on, and how many of the first ones have no zeros."""
    matrices = small_matrices(n_classes).astype(np.float64)
    full = matrices[(matrices > 0).all(axis=(1, 2))][:20]
    if not len(full):
        full = np.ones((1, n_classes, n_classes)) + np.eye(n_classes)
    return np.concatenate([full, matrices[:60], matrices[-20:]]), len(full)


class UserFunction:
    """A function of a file, or a measure that the file declares, asked for values."""

    def __init__(self, path: str, name: str, digest: str) -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        found = _load(path, name, digest)
        self.measure = found if type(found) is MatrixMeasure else None
        if self.measure is None and not callable(found):
            raise RefusedError(
                f"is not a function but {type(found).__name__}",
                "a function of a (..., C, C) array or of tp, fn, fp, tn",
            )
        parameters = needed_parameters(found) if self.measure is None else ["matrix"]
        if len(parameters) not in (1, 4):
            raise RefusedError(
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

    def values(self, matrices: Array, together: bool) -> Values | None:
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

    def takes_together(self, matrices: Array) -> bool:
        """Has it the same values on many matrices at once?"""
        if (found := self.values(matrices, True)) is None:
            return False
        many, alone = (np.array(v, dtype=float) for v in (found[:10], self.values(matrices[:10], False)))
        return np.allclose(many, alone, rtol=1e-9, atol=1e-12, equal_nan=True)

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
                raise RefusedError(
                    f"returned an array of shape {value.shape} for one matrix", "one number per matrix"
                )
            value = value.item()
        try:
            if isinstance(value, (str, bytes)):
                raise TypeError("text is no number")
            return float(value)
        except (TypeError, ValueError) as error:
            raise RefusedError(
                f"returned {value!r:.60} on {matrix.tolist()}", "one number per matrix"
            ) from error


def _load(path: str, name: str, digest: str) -> Any:
    text = Path(path).read_bytes()
    if digest_of(text) != digest:
        raise RefusedError("changed while it was examined", "a file that stays as it is")
    # Behind everything that is installed, so that a file next to the measure cannot stand in for NumPy.
    sys.path += [str(Path(path).parent), str(Path.cwd())]
    spec = importlib.util.spec_from_file_location("steelyard_user_measure", path)
    if spec is None:
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
        names = [n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == spec.name]
        allowed = "one of " + ", ".join(names) if names else "a function of the file"
        raise RefusedError("is not in the file", allowed)
    return getattr(module, name)


# -- what is asked for from outside


def tried(path: str, name: str, digest: str, sizes: Sequence[int]) -> Iterator[Any]:
    """The facts of a function; of each number of classes its value on one matrix, whether it takes many at
    once, and its values on some, twice; and where it was traced, its values on those that the formula is
    compared on."""
    function = UserFunction(path, name, digest)
    facts = function.facts(sizes)
    yield facts
    used = (2,) if facts["two_classes"] else tuple(sizes)
    together = True
    for c in used:
        matrices, _ = sample(c)
        yield function.values(matrices[:1], False)
        together = together and function.takes_together(matrices)
        yield {"together": together, "values": [function.values(matrices, together) for _ in range(2)]}
    for c in used if not facts["why_not"] else ():
        matrices = compared_matrices(c)
        values = function.values(matrices, together) or [None] * len(matrices)
        if together:  # a function may do something else with one matrix than with many
            values[::ONE_AT_A_TIME] = function.values(matrices[::ONE_AT_A_TIME], False) or []
        yield values


def drawn(path: str, name: str, digest: str, two_classes: bool, together: bool) -> Iterator[Any]:
    """The values of a function on the matrices of its portrait."""
    function = UserFunction(path, name, digest)
    for label, batch in batches(two_classes).items():
        try:
            values = function.values(batch, together)
        except Exception:  # one that was only promised to take a few numbers of classes may raise on others
            values = None
        yield [label, values or [None] * len(batch)]


class BlackBox:
    """A function that could not be traced, asked for values inside the process that decides a property."""

    def __init__(self, path: str, name: str, digest: str, together: bool) -> None:
        self.function, self.together = UserFunction(path, name, digest), together
        self.asked: list[tuple[Array, Array]] = []

    def __call__(self, matrices: Array) -> Array:
        try:
            found = self.function.values(matrices, self.together)
        except RefusedError:
            raise
        except Exception as error:
            raise RaisedError(type(error).__name__, str(error)[:300]) from error
        if found is None:
            raise RefusedError("does not answer on many matrices at once")
        values = np.array(found, dtype=np.float64)
        if len(self.asked) < 3:
            self.asked.append((matrices[:100], values[:100]))
        return values

    def changed_its_mind(self) -> bool:
        """Has it other values now on what it was asked first?"""
        return any(not np.array_equal(self(m), v, equal_nan=True) for m, v in list(self.asked))
