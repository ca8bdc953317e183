"""A user's function under examination: read from its source where that can be done, otherwise a black box
that is asked for values."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.measure import MatrixMeasure
from steelyard.measures.record import Kind, Range
from steelyard.measures.view import View
from steelyard.proofs.body_check import ReadBody
from steelyard.proofs.enclosed_numbers import EnclosedNumbers
from steelyard.proofs.function_reading import Reading
from steelyard.proofs.leaving import LeavesSubsetError
from steelyard.proofs.numbers_in_trees import TreeNumbers
from steelyard.proofs.numbers_of_reading import (
    ExactNumbers,
    FloatNumbers,
    Infinite,
    Numbers,
    SymbolicNumbers,
)
from steelyard.proofs.prover.expression_trees import TreeArithmetic
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import TooHardError
from steelyard.proofs.python_subset import Source
from steelyard.proofs.user_process import order_of_cells
from steelyard.proofs.user_values import UserProcess

Array = NDArray[Any]
SLOW_MOST = 400
"""A function that takes one matrix at a time is tried on so many small matrices of each size."""
FOREVER = 1e9
Falls = tuple[tuple[bool, ...], ...]
"""How comparisons fell, one after the other, each for every entry it compares."""


@dataclass(frozen=True)
class Facts:
    """What was found when a function was tried out."""

    two_class_only: bool
    of_cells: bool
    batched: bool
    exact: bool
    leaves: str
    """Where it leaves what can be proved; empty if it does not."""
    sizes: tuple[int, ...]
    remarks: tuple[str, ...] = ()
    declared: bool = False
    """Is it a measure that the file declares, and does nothing else?"""


class ReadFunction(ReadBody):
    """The function as its source says it."""

    def __init__(self, source: Source, name: str, of_cells: bool, batched: bool) -> None:
        self.source, self.name, self.of_cells, self.batched = source, name, of_cells, batched
        given = source.functions[name].args
        needed = [*given.posonlyargs, *given.args][: 4 if of_cells else 1]
        self.order = order_of_cells([argument.arg for argument in needed])

    def _read(self, matrices: Array, numbers: Numbers | EnclosedNumbers) -> tuple[Any, Falls]:
        entries = numbers.entries(matrices)
        cells = [entries[..., i, j] for i, j in self.order] if self.of_cells else [entries]
        reading = Reading(self.source, numbers)
        return reading.call(self.name, [c[()] for c in cells]), tuple(reading.falls)

    def at(self, matrices: Array, numbers: Numbers) -> Any:
        """The value on (C, C), or on (B, C, C) in floats."""
        return self._read(matrices, numbers)[0]

    def one(self, matrix: Array, numbers: Numbers) -> Any:
        """One value; what is not finite is undefined."""
        return self.traced(matrix, numbers)[0]

    def traced(self, matrix: Array, numbers: Numbers | EnclosedNumbers) -> tuple[Any, Falls]:
        """One value, and how the comparisons on the way to it fell."""
        value, falls = self._read(matrix, numbers)
        return self._number(value), falls

    def _number(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise LeavesSubsetError(0, "a value that is not one number")
            value = value[()]
        if isinstance(value, Infinite) or (
            isinstance(value, (float, np.floating)) and not math.isfinite(value)
        ):
            return math.nan
        if isinstance(value, (tuple, range, str)) or value is None:
            raise LeavesSubsetError(0, "a value that is not one number")
        return float(value) if isinstance(value, (np.floating, np.bool_)) else value

    def floats(self, matrices: Array, beyond: Literal["ignore", "raise"] = "ignore") -> Array:
        """Values on (B, C, C); with "raise" a FloatingPointError where a number is too large or too small for
        floats."""
        numbers = FloatNumbers()
        with np.errstate(divide="ignore", invalid="ignore", over=beyond, under=beyond):
            if self.batched:
                found = np.asarray(self.at(matrices, numbers), dtype=np.float64)
                values = np.broadcast_to(found, (len(matrices),))
            else:
                values = np.array([float(self.one(m, numbers)) for m in matrices])
        return np.where(np.isfinite(values), values, np.nan)

    def __call__(self, c: View) -> Array:
        """The function as the body of a measure."""
        raw = c.raw
        if raw.dtype != object:
            return self.floats(np.moveaxis(raw, -1, 0))
        numbers: Any = ExactNumbers()
        if isinstance(c.arithmetic, Symbols):
            numbers = SymbolicNumbers(c.arithmetic)
        elif isinstance(c.arithmetic, TreeArithmetic):
            numbers = TreeNumbers(c.arithmetic)
        out = np.empty(raw.shape[2], dtype=object)
        for k in range(raw.shape[2]):
            try:
                out[k] = self.one(raw[:, :, k], numbers)
            except LeavesSubsetError as error:
                raise TooHardError(f"the function leaves what can be proved: {error}") from error
        return out


@dataclass
class BlackBox:
    """The function as its process answers; nothing is proved of it."""

    path: Path
    name: str
    batched: bool
    digest: str
    seconds: float = FOREVER
    process: UserProcess | None = field(default=None, repr=False)
    asked: list[tuple[Array, Array]] = field(default_factory=list, repr=False)

    def _started(self) -> UserProcess:
        if self.process is None:
            self.process = UserProcess(self.path, self.name, self.digest, own_group=False)
            self.process.facts(self.seconds)
        return self.process

    def floats(self, matrices: Array) -> Array:
        """Values on (B, C, C)."""
        values = self._started().floats(matrices, self.batched, time.monotonic() + self.seconds)
        if values is None:
            raise TooHardError("the function does not answer on many matrices at once")
        if len(self.asked) < 3:
            self.asked.append((matrices[:100], values[:100]))
        return values

    def body(self, c: View) -> Array:
        raw = c.raw
        if isinstance(c.arithmetic, Symbols):
            raise TooHardError("the function was not read")
        if raw.dtype != object:
            return self.floats(np.moveaxis(raw, -1, 0))
        out = np.empty(raw.shape[2], dtype=object)
        deadline = time.monotonic() + self.seconds
        for k in range(raw.shape[2]):
            out[k] = self._started().exact(raw[:, :, k].tolist(), deadline)
        return out

    def changed(self) -> bool:
        """Does it answer otherwise than it did before?"""
        return any(
            not np.array_equal(self.floats(m), values, equal_nan=True) for m, values in list(self.asked)
        )


def subject_of(body: Any, name: str, facts: Facts, read: bool) -> Subject:
    """The function as a subject of examination."""
    kind: Kind = "two-class" if facts.two_class_only else "multi-class"
    measure = MatrixMeasure(
        id=name,
        title=name,
        question="?",
        formula="",
        reads="",
        kind=kind,
        body=body,
        range=Range(-np.inf, np.inf),
        depends_on_size=True,  # it may, and nobody says that it does not
    )
    return Subject(
        measure,
        exact=read or facts.exact,
        symbolic=read,
        bounds_known=False,
        sizes=facts.sizes,
        most=10_000 if facts.batched else SLOW_MOST,
    )
