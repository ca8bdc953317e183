"""What is true of a measure that a user wrote?

`file.py:function` names a function of a (..., C, C) array, rows truth, or of tp, fn, fp, tn. Its source is
read: where it lies in the subset of Python that has a meaning in algebra, and the function says what was
read, its properties can be proved. Every other function is a black box, of which properties can only be
refuted or not. It runs in a process of its own, each property is decided in another one, and nothing is kept
for the next time: what a file can reach is not known well enough to say that it is still the same.
"""

from __future__ import annotations

import ast
import base64
import math
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError
from steelyard.proofs.deciders import answers
from steelyard.proofs.declared_file import leaves_when_loaded
from steelyard.proofs.examination import Examination, Progress
from steelyard.proofs.files_beside import texts_beside
from steelyard.proofs.portrait import Portrait, batches, portrait
from steelyard.proofs.prover.small_matrices import small_matrices
from steelyard.proofs.questions.conditions import PROPERTIES, Property
from steelyard.proofs.user_process import digest_of, digests_of
from steelyard.proofs.user_subject import Facts
from steelyard.proofs.user_values import (
    EndedError,
    OutOfTimeError,
    RaisedError,
    UserMeasureError,
    UserProcess,
    printable,
)
from steelyard.proofs.validation import read_function
from steelyard.proofs.verdict import Verdict, named_classes

Array = NDArray[Any]
FIRST_ANSWER = 8.0
"""Seconds a function has to answer its first calls (starting Python included)."""
PROPERTY_TIME = 8.0
"""Seconds for each property."""

__all__ = ["UserMeasureError", "examine_user", "parse", "portrait_user"]


def parse(spec: str) -> tuple[Path, str] | None:
    """The file and the function of 'file.py:function'; None if the text does not look like one."""
    path, colon, function = spec.rpartition(":")
    if not colon and spec.endswith(".py"):
        path, function = spec, ""
    if not path.endswith(".py"):
        return None
    if not Path(path).is_file():
        raise InputError(
            "the file of the measure cannot be read",
            found=path,
            allowed="a Python file, as in my_metric.py:my_metric",
        )
    if not function:
        offered = [f"{path}:{name}" for name in _functions_of(Path(path))]
        raise InputError(
            "which function of the file is the measure is not said",
            found=path,
            allowed=", ".join(offered) or "a file with a function",
        )
    if not function.isidentifier():
        raise InputError(
            "the function of the measure is not a name",
            found=repr(function),
            allowed="as in my_metric.py:my_metric",
        )
    return Path(path), function


def _functions_of(path: Path) -> list[str]:
    """What a file offers by name, without running it: its functions and what it declares."""
    try:
        statements = ast.parse(path.read_bytes()).body
    except (SyntaxError, ValueError):
        return []
    functions = [s.name for s in statements if isinstance(s, ast.FunctionDef)]
    declared = [
        target.id
        for s in statements
        if isinstance(s, ast.Assign) and isinstance(s.value, (ast.Call, ast.Lambda))
        for target in s.targets
        if isinstance(target, ast.Name)
    ]
    return [name for name in (*functions, *declared) if not name.startswith("_")]


def examine_user(
    path: Path,
    function: str,
    properties: Sequence[Property] = PROPERTIES,
    sizes: Sequence[int] = (2, 3),
    progress: Progress | None = None,
    seconds: float = PROPERTY_TIME,
    first_answer: float = FIRST_ANSWER,
    *,
    certify: bool = False,
) -> Examination:
    """Examine a user's function; what is not decided in time is graded as timed out, what it does wrong is
    said in words."""
    label = f"{path.name}:{function}"
    text = path.read_bytes()
    beside = texts_beside(path, text)
    facts = tried_out(path, text, function, sizes, first_answer, beside)
    remarks: list[str] = []
    decided: dict[str, Verdict] = {}
    for answer in _decided(path, text, function, facts, [p.id for p in properties], seconds, certify, beside):
        if "leaves" in answer:
            facts = replace(facts, leaves=printable(answer["leaves"]))
            remarks += _words_of(facts)
            continue
        if "refused" in answer:
            raise UserMeasureError(printable(answer["refused"]), allowed=printable(answer.get("allowed", "")))
        decided[answer["property"]] = Verdict.from_dict(answer["verdict"])
        if "remark" in answer:
            remarks.append(answer["remark"])
        if progress is not None:
            progress(f"{label}: {len(decided)} of {len(properties)} properties")
    if path.read_bytes() != text or texts_beside(path, text) != beside:
        raise UserMeasureError(f"{label} changed while it was examined", allowed="a file that stays as it is")
    verdicts = [
        decided.get(
            p.id, Verdict(label, p.id, "timed out", "not decided in time", named_classes(facts.sizes))
        )
        for p in properties
    ]
    return Examination(label, f"{label}, a user's measure", tuple(verdicts), tuple(dict.fromkeys(remarks)))


def portrait_user(
    path: Path,
    function: str,
    sizes: Sequence[int] = (2, 3),
    seconds: float = PROPERTY_TIME,
    first_answer: float = FIRST_ANSWER,
) -> tuple[Portrait | None, str]:
    """How a user's function looks; or None, and why there is no picture."""
    text = path.read_bytes()
    facts = tried_out(path, text, function, sizes, first_answer)
    values: dict[str, Any] = {}
    with UserProcess(path, function, digest_of(text)) as process:
        process.facts(first_answer)
        deadline = time.monotonic() + seconds
        for name, batch in batches(facts.two_class_only).items():
            try:
                found = process.floats(batch, facts.batched, deadline)
                values[name] = [math.nan] * len(batch) if found is None else found.tolist()
            except (RaisedError, UserMeasureError):
                # A function that was only promised to take a few numbers of classes may raise on others.
                values[name] = [math.nan] * len(batch)
            except OutOfTimeError:
                return None, f"the time of {seconds:g} seconds was up while deciding how it looks"
            except EndedError:
                return None, "the function ended Python while deciding how it looks"
    return portrait(values), ""


# -- trying a function out


def tried_out(
    path: Path,
    text: bytes,
    function: str,
    sizes: Sequence[int],
    first_answer: float = FIRST_ANSWER,
    beside: Mapping[str, bytes] | None = None,
) -> Facts:
    """Does it answer at all, one number per matrix, the same every time; can its source be read?"""
    label = f"{path.name}:{function}"
    doing = "was loaded"
    deadline = time.monotonic() + first_answer
    given: list[tuple[Array, Array]] = []
    with UserProcess(path, function, digest_of(text), beside=digests_of(beside or {})) as process:
        try:
            found = process.facts(first_answer)
            used = (2,) if found["two_class_only"] else tuple(sizes)
            facts = Facts(found["two_class_only"], found["of_cells"], True, False, "", used)
            for c in used:
                sample, full = _sample(c)
                doing = f"was called on {sample[0].astype(int).tolist()}"
                facts = _answers(process, facts, sample, full, deadline)
                given.append((sample, _values(process, sample, facts.batched, deadline)))
            facts = replace(facts, exact=_takes_fractions(process, facts, deadline))
            for sample, before in given:
                if not np.array_equal(
                    _values(process, sample, facts.batched, deadline), before, equal_nan=True
                ):
                    raise UserMeasureError(
                        f"{label} is not deterministic: its values changed while it was examined",
                        allowed="the same value for the same matrix",
                    )
        except OutOfTimeError:
            raise UserMeasureError(
                f"{label} did not answer within {first_answer:g} seconds when it {doing}",
                allowed="a function that returns",
                do="look for an endless loop",
            ) from None
        except EndedError:
            raise UserMeasureError(
                f"{label} ended Python when it {doing}", allowed="a function that returns a number"
            ) from None
        if found["kind"] == "function":
            read_as = read_function(text, function, facts.of_cells, facts.batched, beside)
            leaves = read_as if isinstance(read_as, str) else ""
        else:
            leaves = leaves_when_loaded(text, function)
            facts = replace(facts, declared=not leaves)
    return replace(facts, leaves=leaves)


def _words_of(facts: Facts) -> list[str]:
    """What a reader must know besides the verdicts."""
    remarks = list(facts.remarks)
    if facts.leaves and not facts.exact:
        remarks.append(
            "it takes floats only, so counterexamples are checked in floating point and not in exact"
            " fractions"
        )
    if facts.leaves:
        remarks.append(
            "nothing can be proved of it, only refuted or not: the function leaves what can be proved:"
            f" {facts.leaves}"
        )
    return remarks


def _sample(n_classes: int) -> tuple[Array, int]:
    """Matrices to try, and how many of the first ones have no zeros."""
    matrices = small_matrices(n_classes).astype(np.float64)
    full = matrices[(matrices > 0).all(axis=(1, 2))][:20]
    if not len(full):
        full = np.ones((1, n_classes, n_classes)) + np.eye(n_classes)
    return np.concatenate([full, matrices[:60], matrices[-20:]]), len(full)


def _answers(process: UserProcess, facts: Facts, sample: Array, full: int, deadline: float) -> Facts:
    label, n_classes = process.label, sample.shape[-1]
    try:
        process.floats(sample[:1], False, deadline)
    except RaisedError as error:
        raise UserMeasureError(
            f"{label} raised {error.kind} on {sample[0].astype(int).tolist()}: {error.text}",
            allowed="a function of a (..., C, C) array or of tp, fn, fp, tn",
        ) from error
    batched = facts.batched and _takes_batches(process, sample, deadline)
    try:
        first, second = (_values(process, sample, batched, deadline) for _ in range(2))
    except RaisedError as error:
        raise UserMeasureError(
            f"{label} raised {error.kind} on matrices of {n_classes} classes: {error.text}",
            allowed="a number, or NaN where it is undefined",
        ) from error
    unequal = np.flatnonzero(~((first == second) | (np.isnan(first) & np.isnan(second))))
    if len(unequal):
        k = int(unequal[0])
        raise UserMeasureError(
            f"{label} is not deterministic: on {sample[k].astype(int).tolist()} it returned {first[k]:.9g}"
            f" and then {second[k]:.9g}",
            allowed="the same value for the same matrix",
        )
    if not np.isfinite(first).any():
        raise UserMeasureError(
            f"{label} returned NaN or infinity on every one of {len(sample)} matrices of {n_classes} classes",
            allowed="a number on some matrix",
        )
    missing = int(np.isnan(first[:full]).sum())
    words = f"it is NaN or infinite on {missing} of {full} matrices of {n_classes} classes without zeros"
    return replace(facts, batched=batched, remarks=(*facts.remarks, *([words] if missing else [])))


def _values(process: UserProcess, matrices: Array, batched: bool, deadline: float) -> Array:
    values = process.floats(matrices, batched, deadline)
    return np.full(len(matrices), np.nan) if values is None else values


def _takes_batches(process: UserProcess, sample: Array, deadline: float) -> bool:
    values = process.floats(sample, True, deadline)
    if values is None:
        return False
    singles = process.floats(sample[:10], False, deadline)
    return singles is not None and np.allclose(values[:10], singles, rtol=1e-9, atol=1e-12, equal_nan=True)


def _takes_fractions(process: UserProcess, facts: Facts, deadline: float) -> bool:
    """Does it stay exact, and say the same as on floats, zeros included?"""
    matrices = small_matrices(facts.sizes[0])
    sample = np.concatenate([matrices[:40], matrices[-10:]])
    expected = _values(process, sample, facts.batched, deadline)
    for rows, value in zip(sample.tolist(), expected, strict=True):
        try:
            found = process.exact(rows, deadline)
        except (RaisedError, UserMeasureError):
            return False
        if isinstance(found, float):
            if not (np.isnan(found) and np.isnan(value)):
                return False
        elif np.isnan(value) or abs(float(found) - value) > 1e-9 * max(1.0, abs(value)):
            return False
    return True


# -- deciding


def _decided(
    path: Path,
    text: bytes,
    function: str,
    facts: Facts,
    ids: list[str],
    seconds: float,
    certify: bool,
    beside: Mapping[str, bytes],
) -> Generator[dict[str, Any], None, None]:
    """The answers of the deciding process, one about the reading and one for each property."""
    return answers(
        {
            "path": str(path.resolve()),
            "name": function,
            "label": f"{path.name}:{function}",
            "source": base64.b64encode(text).decode(),
            "beside": {module: base64.b64encode(found).decode() for module, found in beside.items()},
            "facts": asdict(facts),
            "certify": certify,
        },
        ids,
        seconds,
    )
