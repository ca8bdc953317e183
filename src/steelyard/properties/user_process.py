"""The process in which a user's function is loaded, tried and examined; it speaks to its parent in lines of JSON.

Run as `python -m steelyard.properties.user_process FILE FUNCTION OPTIONS`.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
import os
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.measure import Measure, Range, multi_class, two_class
from steelyard.measures.views import View
from steelyard.properties.conditions import BY_ID
from steelyard.properties.exact_number import Exact
from steelyard.properties.portrait import batches
from steelyard.properties.prove import generic_matrix, matrix_names
from steelyard.properties.regions import Symbols
from steelyard.properties.small_matrices import small_matrices
from steelyard.properties.subject import Subject
from steelyard.properties.symbols import Field, available

Array = NDArray[Any]
CELLS = ("tp", "fn", "fp", "tn")
SLOW_MOST = 400
"""A function that takes one matrix at a time is tried on so many small matrices of each size."""


class _RefusedError(Exception):
    """The function cannot be examined."""

    def __init__(self, text: str, allowed: str = "") -> None:
        super().__init__(text)
        self.allowed = allowed


class Caller:
    """Calls the user's function on a batch or on one matrix, whichever it takes, and checks what comes back."""

    def __init__(self, function: Callable[..., Any], of_cells: bool) -> None:
        self.function = function
        self.of_cells = of_cells
        self.batched = True
        self.answers: list[tuple[Array, Array]] = []
        """Matrices and what was returned on them when it was tried out."""

    def still_the_same(self) -> bool:
        """Does it give the same answers as when it was tried out?"""
        return all(
            np.array_equal(self.floats(sample), values, equal_nan=True) for sample, values in self.answers
        )

    def raw(self, matrices: Array) -> Any:
        """The function's own answer on (B, C, C) or (C, C)."""
        if self.of_cells:
            return self.function(
                matrices[..., 0, 0], matrices[..., 0, 1], matrices[..., 1, 0], matrices[..., 1, 1]
            )
        return self.function(matrices)

    def one(self, matrix: Array) -> Any:
        """The value on one matrix; a division by 0 is an undefined value."""
        try:
            value = self.raw(matrix.copy())
        except ZeroDivisionError:
            return float("nan")
        if isinstance(value, np.ndarray):
            if value.shape != ():
                raise _RefusedError(
                    f"returned an array of shape {value.shape} for one matrix", "one number per matrix"
                )
            value = value.item()
        return value

    def exactly(self, matrix: Array) -> Any:
        """The value on one matrix of fractions or symbols; what is not finite counts as undefined."""
        given = np.empty(matrix.shape, dtype=object)
        given[...] = [[Exact(v) if isinstance(v, Fraction) else v for v in row] for row in matrix.tolist()]
        value = self.one(given)
        if isinstance(value, (float, np.floating)):
            return float(value) if math.isfinite(value) else float("nan")
        return value

    def floats(self, matrices: Array) -> Array:
        """Values on (B, C, C) floats; what is not finite counts as undefined."""
        if self.batched:
            values = np.asarray(self.raw(matrices.copy()), dtype=np.float64)
        else:
            values = np.array([self._number(self.one(m), m) for m in matrices])
        return np.where(np.isfinite(values), values, np.nan)

    def _number(self, value: Any, matrix: Array) -> float:
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise _RefusedError(
                f"returned {value!r:.60} on {matrix.tolist()}", "one number per matrix"
            ) from error

    def body(self, c: View) -> Array:
        """The function as the body of a measure."""
        raw = c.raw
        if raw.dtype == object:
            out = np.empty(raw.shape[2], dtype=object)
            for k in range(raw.shape[2]):
                out[k] = self.exactly(raw[:, :, k])
            return out
        return self.floats(np.moveaxis(raw, -1, 0))


def load(path: str, name: str) -> Any:
    """The function of the file."""
    spec = importlib.util.spec_from_file_location("steelyard_user_measure", path)
    if spec is None or spec.loader is None:
        raise _RefusedError("cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _RefusedError(
            f"cannot be loaded: {type(error).__name__}: {error}", "a Python file without errors"
        ) from error
    if not hasattr(module, name):
        names = [
            n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == module.__name__
        ]
        raise _RefusedError(
            "is not in the file", "one of " + ", ".join(names) if names else "a function of the file"
        )
    return getattr(module, name)


def subject_of(
    found: Any, name: str, sizes: tuple[int, ...], tell: Callable[..., None]
) -> tuple[Subject, Caller | None]:
    """The user's function, tried out and made a subject of examination."""
    if isinstance(found, Measure):
        return Subject(found, sizes=sizes), None
    if not callable(found):
        raise _RefusedError(
            f"is not a function but {type(found).__name__}",
            "a function of a (..., C, C) array or of tp, fn, fp, tn",
        )
    try:
        parameters = [
            p.name
            for p in inspect.signature(found).parameters.values()
            if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        parameters = ["matrix"]
    if len(parameters) not in (1, 4):
        raise _RefusedError(
            f"takes {len(parameters)} arguments ({', '.join(parameters)})",
            "one argument, a (..., C, C) array, or the four tp, fn, fp, tn",
        )
    caller = Caller(found, of_cells=len(parameters) == 4)
    used = (2,) if caller.of_cells else sizes
    for c in used:
        _try(caller, c, tell)
    make = two_class if caller.of_cells else multi_class
    measure = make(
        id=name,
        title=name,
        question="?",
        formula="",
        reads="",
        body=caller.body,
        range=Range(-np.inf, np.inf),
    )
    exact, symbolic = _takes_fractions(caller, used[0]), _takes_symbols(caller, measure, used[0])
    if not exact:
        tell(
            "remark",
            text="it takes floats only, so counterexamples are checked in floating point and not in exact fractions",
        )
    if not symbolic:
        tell("remark", text="it does not take symbols, so nothing can be proved of it, only refuted or not")
    subject = Subject(
        measure, exact, symbolic, bounds_known=False, sizes=used, most=10_000 if caller.batched else SLOW_MOST
    )
    return subject, caller


def _try(caller: Caller, n_classes: int, tell: Callable[..., None]) -> None:
    """Does it answer at all: one number per matrix, the same every time, a number somewhere?"""
    matrices = small_matrices(n_classes).astype(np.float64)
    full = matrices[(matrices > 0).all(axis=(1, 2))]
    if not len(full):
        full = np.ones((1, n_classes, n_classes)) + np.eye(n_classes)
    sample = np.concatenate([full[:20], matrices[:60], matrices[-20:]])
    tell("calling", text=f"was called on {sample[0].astype(int).tolist()}")
    try:
        single = caller.one(sample[0])
        caller._number(single, sample[0])
    except _RefusedError:
        raise
    except Exception as error:
        raise _RefusedError(
            f"raised {type(error).__name__} on {sample[0].astype(int).tolist()}: {error}",
            "a function of a (..., C, C) array or of tp, fn, fp, tn",
        ) from error
    caller.batched = caller.batched and _takes_batches(caller, sample)
    try:
        first, second = caller.floats(sample), caller.floats(sample)
    except _RefusedError:
        raise
    except Exception as error:
        raise _RefusedError(
            f"raised {type(error).__name__} on matrices of {n_classes} classes: {error}",
            "a number, or NaN where it is undefined",
        ) from error
    both = np.isfinite(first) & np.isfinite(second)
    unequal = np.flatnonzero((first != second) & both | (np.isfinite(first) != np.isfinite(second)))
    if len(unequal):
        k = int(unequal[0])
        raise _RefusedError(
            f"is not deterministic: on {sample[k].astype(int).tolist()} it returned {first[k]:.9g} and then {second[k]:.9g}",
            "the same value for the same matrix",
        )
    if not np.isfinite(first).any():
        raise _RefusedError(
            f"returned NaN or infinity on every one of {len(sample)} matrices of {n_classes} classes",
            "a number on some matrix",
        )
    caller.answers.append((sample, first))
    missing = int((~np.isfinite(first[: min(20, len(full))])).sum())
    if missing:
        tell(
            "remark",
            text=f"it is NaN or infinite on {missing} of {min(20, len(full))} matrices of {n_classes} classes without zeros",
        )


def _takes_batches(caller: Caller, sample: Array) -> bool:
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(caller.raw(sample.copy()), dtype=np.float64)
    except Exception:
        return False
    if values.shape != (len(sample),):
        return False
    singles = np.array([caller._number(caller.one(m), m) for m in sample[:10]])
    return bool(np.allclose(values[:10], singles, rtol=1e-9, atol=1e-12, equal_nan=True))


def _takes_fractions(caller: Caller, n_classes: int) -> bool:
    """Does it stay exact, and say the same as on floats, zeros included?"""
    matrices = small_matrices(n_classes)
    sample = np.concatenate([matrices[:40], matrices[-10:]])
    expected = caller.floats(sample.astype(np.float64))
    for rows, value in zip(sample.tolist(), expected, strict=True):
        matrix = np.empty((n_classes, n_classes), dtype=object)
        matrix[...] = [[Fraction(v) for v in row] for row in rows]
        try:
            found = caller.exactly(matrix)
        except Exception:
            return False
        if isinstance(found, (float, np.floating)):
            if not (np.isnan(found) and np.isnan(value)):
                return False
        elif (
            not isinstance(found, (Fraction, int, np.integer))
            or np.isnan(value)
            or abs(float(found) - value) > 1e-9 * max(1.0, abs(value))
        ):
            return False
    return True


def _takes_symbols(caller: Caller, measure: Measure, n_classes: int) -> bool:
    if not available():
        return False
    try:
        owner = Field(matrix_names(n_classes))
        value = Subject(measure).symbol(generic_matrix(owner, n_classes), Symbols(owner))
    except Exception:
        return False
    return not isinstance(value, (float, np.floating))


def _values_where_any(subject: Subject, batch: Array) -> list[float]:
    """The values for a picture: a function that was only promised to take a few numbers of classes may raise on others."""
    try:
        return np.asarray(subject.floats(batch)).tolist()  # type: ignore[no-any-return]
    except Exception:
        return [math.nan] * len(batch)


def main(path: str, name: str, options: str, out: TextIO) -> None:
    """Examine, telling the parent every step."""

    def tell(event: str, **facts: Any) -> None:
        out.write(json.dumps({"event": event, **facts}) + "\n")
        out.flush()

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    wanted = json.loads(options)
    try:
        tell("calling", text="was loaded")
        subject, caller = subject_of(load(path, name), name, tuple(wanted["sizes"]), tell)
        tell("ready")
        for property_id in wanted["properties"]:
            p = BY_ID[property_id]
            tell("deciding", text=p.name)
            tell("verdict", verdict=p.decide(subject).to_dict())
        if wanted.get("portrait"):
            tell("deciding", text="how it looks")
            for name_of_batch, batch in batches(subject.two_class_only).items():
                tell("values", batch=name_of_batch, values=_values_where_any(subject, batch))
        if caller is not None and not caller.still_the_same():
            raise _RefusedError(
                "is not deterministic: its values changed while it was examined",
                "the same value for the same matrix",
            )
    except _RefusedError as error:
        tell("refused", text=str(error), allowed=error.allowed)
        return
    except Exception as error:
        tell(
            "refused",
            text=f"raised {type(error).__name__} while it was examined: {error}",
            allowed="a number, or NaN where it is undefined",
        )
        return
    tell("done")


if __name__ == "__main__":
    # What the user's function prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    main(sys.argv[1], sys.argv[2], sys.argv[3], answers)
