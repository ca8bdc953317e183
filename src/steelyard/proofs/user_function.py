"""A user's function inside its worker process: loaded, traced, and evaluated."""

from __future__ import annotations

import importlib.util
import inspect
import math
import os
import sys
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steelyard.counts.labels import Array
from steelyard.measures.graph import Node
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.proofs.functions import CELL_NAMES, compared_matrices, needed_parameters, order_of_cells, trace
from steelyard.proofs.portrait import batches
from steelyard.proofs.processes import Answers, NoAnswerError, RaisedError, RefusedError, in_children
from steelyard.proofs.prover.certificates import checked, with_certificates
from steelyard.proofs.prover.subject import Subject, small_matrices
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.verdict import Verdict, named_classes, not_proved

# A number for each matrix; None where there is none.
Values = list[float | None]
# Every so many matrices a function that takes batches is compared on one alone.
ONE_AT_A_TIME = 16
OF_A_MATRIX = "a function of a (..., C, C) array or of tp, fn, fp, tn"
A_NUMBER = "a number, or NaN where it is undefined"
# Taken before a user's file can put anything else in their place: what is declared is graded as proved.
_TO_DICT, _TO_LIST = MatrixMeasure.to_dict, Node.to_list


def sample(n_classes: int) -> tuple[Array, int]:
    """Matrices to try a function on, and how many of the first ones have no zeros."""
    matrices = small_matrices(n_classes).astype(np.float64)
    full = matrices[(matrices > 0).all(axis=(1, 2))][:20]
    if not len(full):
        full = np.ones((1, n_classes, n_classes)) + np.eye(n_classes)
    return np.concatenate([full, matrices[:60], matrices[-20:]]), len(full)


class Source(NamedTuple):
    """Where a function comes from; its text is read once, so that all processes run the same."""

    path: str
    text: bytes
    name: str


class UserFunction:
    """A function of a file, or a measure that the file declares, asked for values."""

    def __init__(self, source: Source) -> None:
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        loaded = _load(source)
        self.measure = loaded if type(loaded) is MatrixMeasure else None
        if self.measure is None and not callable(loaded):
            raise RefusedError(f"is not a function but {type(loaded).__name__}", OF_A_MATRIX)
        parameters = needed_parameters(loaded) if self.measure is None else ["matrix"]
        if len(parameters) not in (1, 4):
            raise RefusedError(
                f"takes {len(parameters)} arguments ({', '.join(parameters)})",
                "one argument, a (..., C, C) array, or the four tp, fn, fp, tn",
            )
        self.function, self.of_cells = loaded, len(parameters) == 4
        # The place of each argument: tp, fn, fp and tn stand in the rows of a matrix.
        order = order_of_cells(parameters if self.of_cells else CELL_NAMES)
        self.cells = [divmod(CELL_NAMES.index(name), 2) for name in order]

    def facts(self, sizes: Sequence[int]) -> dict[str, Any]:
        """What is examined: graphs, or why there are none."""
        if self.measure is not None:
            two = self.measure.kind == "two-class"
            return {"two_classes": two, "measure": _TO_DICT(self.measure), "why_not": self.measure.opaque}
        traced = trace(self.function, sizes)
        graphs = {str(c): _TO_LIST(graph) for c, graph in traced.graphs.items()}
        return {"two_classes": self.of_cells, "graphs": graphs, "why_not": traced.why_not}

    def values(self, matrices: Array, together: bool) -> Values | None:
        """One number a matrix; None if the function does not take them together."""
        if self.measure is not None:
            numbers = [self.measure(m, positive="c1") for m in matrices]
        elif together:
            try:
                answer = np.asarray(self._called(matrices), dtype=np.float64)
            except Exception:  # it may only take one at a time
                return None
            if answer.shape != (len(matrices),):
                return None
            numbers = answer.tolist()
        else:
            numbers = [self._number(m) for m in matrices]
        return [v if math.isfinite(v) else None for v in numbers]

    def takes_together(self, matrices: Array) -> bool:
        """Has it the same values on many matrices at once?"""
        if (at_once := self.values(matrices, True)) is None:
            return False
        many, alone = (np.array(v, dtype=float) for v in (at_once[:10], self.values(matrices[:10], False)))
        return np.allclose(many, alone, rtol=1e-9, atol=1e-12, equal_nan=True)

    def _called(self, matrices: Array) -> Any:
        if not self.of_cells:
            return self.function(matrices)
        # One matrix gives numbers, several give arrays.
        batch = (...,) if matrices.ndim > 2 else ()
        return self.function(*(matrices[*batch, i, j] for i, j in self.cells))

    def _number(self, matrix: Array) -> float:
        try:
            value = self._called(matrix.copy())
        except ZeroDivisionError:
            return math.nan
        what = f"{value!r:.60} on {matrix.tolist()}"
        if isinstance(value, np.ndarray):
            if value.shape == ():
                value = value.item()
            else:
                what = f"an array of shape {value.shape} for one matrix"
        try:
            if isinstance(value, (str, bytes, np.ndarray)):
                raise TypeError("no number")
            return float(value)
        except (TypeError, ValueError) as error:
            raise RefusedError(f"returned {what}", "one number per matrix") from error


def _load(source: Source) -> Any:
    path, text, name = source
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


def tried(source: Source, sizes: Sequence[int]) -> Iterator[Any]:
    """The facts of a function, then its values."""
    # Of each number of classes its value on one matrix, whether it takes many at once, and its values on
    # some, twice; and where it was traced, its values on those that the formula is compared on.
    function = UserFunction(source)
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


def drawn(source: Source, two_classes: bool, together: bool) -> Iterator[Any]:
    """The values of a function on the matrices of its portrait."""
    function = UserFunction(source)
    for label, batch in batches(two_classes).items():
        try:
            values = function.values(batch, together)
        except Exception:  # one that was only promised to take a few numbers of classes may raise on others
            values = None
        yield [label, values or [None] * len(batch)]


class BlackBox:
    """A function that could not be traced, asked for values inside the process that decides a property."""

    def __init__(self, source: Source, together: bool) -> None:
        self.function, self.together = UserFunction(source), together
        # What it was asked first and answered, to see whether it changes its mind.
        self.asked: list[tuple[Array, Array]] = []

    def __call__(self, matrices: Array) -> Array:
        try:
            numbers = self.function.values(matrices, self.together)
        except RefusedError:
            raise
        except Exception as error:
            raise RaisedError(type(error).__name__, str(error)[:300]) from error
        if numbers is None:
            raise RefusedError("does not answer on many matrices at once")
        values = np.array(numbers, dtype=np.float64)
        if len(self.asked) < 3:
            self.asked.append((matrices[:100], values[:100]))
        return values


# A function that takes one matrix at a time is tried on so many small matrices of each size.
SLOW_MOST = 400


@dataclass(frozen=True)
class Job:
    """What is to be decided, and of what: one measure, or one for each number of classes of a function."""

    label: str
    properties: tuple[str, ...]
    seconds: float
    # Under 0 the measure of every number of classes.
    measures: Mapping[int, Measure]
    sizes: tuple[int, ...] = ()
    # Has it a range of its own?
    declared: bool = True
    # A function without a graph, and whether it takes many matrices at once.
    black_box: tuple[Source, bool] | None = None
    certify: bool = False
    workers: int = max(1, min(4, os.cpu_count() or 1))

    def subject(self, n_classes: int) -> Subject:
        measure = self.measures.get(0) or self.measures[n_classes]
        sizes = self.sizes if 0 in self.measures else (n_classes,)
        return Subject(measure, bounds_known=self.declared, sizes=sizes or None)


def decide(job: Job) -> Generator[dict[str, Any], None, None]:
    """The answer on each property, as they come; the processes end with the iterator."""
    limit = time.monotonic() + 10 + job.seconds * (2 + math.ceil(len(job.properties) / job.workers))
    with Answers(decide_each, job) as answers:
        for _ in job.properties:
            try:
                yield answers.next(limit)
            except (NoAnswerError, RefusedError, RaisedError):
                return


def decide_each(job: Job) -> Iterator[dict[str, Any]]:
    """Every property of the job, a few at a time."""
    works = {i: partial(_decide_one, job, BY_ID[i]) for i in job.properties}
    for property_id, answer in in_children(works, job.seconds, job.workers):
        if (why := answer.get("stopped")) is not None:
            if job.black_box is not None and why == "the engine ended":
                why = "the function ended Python"
            p = BY_ID[property_id]
            answer = _timed_out(job, p, f"{why} while deciding {p.name}")
        yield {"property": property_id, **answer}


def _decide_one(job: Job, p: Property) -> dict[str, Any]:
    """The verdict on one property, or what went wrong."""
    try:
        if job.black_box is not None:
            box = BlackBox(*job.black_box)
            most = 10_000 if box.together else SLOW_MOST
            verdict = p.decide(replace(job.subject(job.sizes[0]), black_box=box, most=most, sizes=job.sizes))
            if any(not np.array_equal(box(m), v, equal_nan=True) for m, v in list(box.asked)):
                changed = "is not deterministic: its values changed while it was examined"
                raise RefusedError(changed, "the same value for the same matrix")
            return {"verdict": verdict.to_dict()}
        # Of a function with a graph for each number of classes, those joined.
        each = [0] if 0 in job.measures else job.sizes
        verdicts, collected = with_certificates(lambda: [p.decide(job.subject(c)) for c in each])
        verdict = Verdict.of_sizes(verdicts)
        if not job.certify or verdict.grade != "proved":
            return {"verdict": verdict.to_dict()}
        result = checked(collected, verdict.method)
        if result.state == "fails":  # a proof whose certificate fails is not shown as one
            verdict = not_proved(verdict, result.words)
        certified = result.state == "certified"
        return {"verdict": replace(verdict, certified=certified).to_dict(), "certificates": result.words}
    except RaisedError as error:
        raised = f"{job.label} raised {error.kind} while it was examined: {error.text}"
        return {"refused": raised, "allowed": A_NUMBER}
    except RefusedError as error:
        return {"refused": f"{job.label} {error}", "allowed": error.allowed}
    except MemoryError:
        return {"stopped": "the memory was full"}
    except Exception as error:  # z3 raises errors of its own when its memory is full
        return {"stopped": f"the engine gave up ({type(error).__name__})"}


def _timed_out(job: Job, p: Property, why: str) -> dict[str, Any]:
    two = 0 in job.measures and job.measures[0].kind == "two-class"
    sizes = named_classes(job.sizes or ((2,) if two else (2, 3, 4)))
    verdict = Verdict(job.label, p.id, "timed out", f"not decided in time: {why}", sizes)
    return {"verdict": verdict.to_dict(), "remark": why}
