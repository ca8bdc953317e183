"""Examination of a function that a user wrote."""

# `file.py:function` names a function of a (..., C, C) array, rows truth, or of tp, fn, fp, tn, or a measure
# that the file declares. It is loaded in a process of its own and traced: the measure that is examined is the
# formula it builds, which is shown. The formula is compared with the function on thousands of matrices first;
# where they differ, nothing is decided. A function that cannot be traced is asked for values, and can only be
# refuted. Nothing is cached: what a file can reach is not known well enough to say that it is still the same.

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.errors import InputError
from steelyard.measures.graph import Node
from steelyard.measures.measure import MatrixMeasure, Measure
from steelyard.measures.record import Range
from steelyard.measures.text import formula_text
from steelyard.proofs import processes, user_function
from steelyard.proofs.functions import disagreement
from steelyard.proofs.portrait import Portrait, batches, portrait
from steelyard.proofs.processes import Answers, NoAnswerError, OutOfTimeError, RaisedError, RefusedError
from steelyard.proofs.questions.conditions import PROPERTIES, Property
from steelyard.proofs.result import Examination, missing_provers
from steelyard.proofs.user_function import A_NUMBER, OF_A_MATRIX, Job, Source, sample
from steelyard.proofs.verdict import Verdict, named_classes, not_proved, of_the_formula

# Seconds a function has to answer its first calls (starting Python included).
FIRST_ANSWER = 8.0
# Seconds for each property.
PROPERTY_TIME = 8.0


class UserMeasureError(InputError):
    """A user's function that cannot be examined, and why."""


@dataclass(frozen=True)
class Facts:
    """What was found when a function was tried out."""

    # What is examined: under 0 for every number of classes, or one for each.
    measures: dict[int, MatrixMeasure]
    two_classes: bool
    sizes: tuple[int, ...]
    # Does it take many matrices at once?
    together: bool
    # Is it a measure that the file declares?
    declared: bool
    # Why there is no formula.
    untraced: str = ""
    remarks: tuple[str, ...] = ()


def parse(spec: str) -> tuple[Path, str] | None:
    """The file and the function of 'file.py:function'; None if the text does not look like one."""
    path, colon, function = spec.rpartition(":")
    if not colon and spec.endswith(".py"):
        path, function = spec, ""
    if not path.endswith(".py"):
        return None
    like = "as in my_metric.py:my_metric"
    if not Path(path).is_file():
        what, value, allowed = "the file of the measure cannot be read", path, f"a Python file, {like}"
    elif not function:
        what, value = "which function of the file is the measure is not said", path
        offered = [f"{path}:{name}" for name in _functions_of(Path(path))]
        allowed = ", ".join(offered) or "a file with a function"
    elif not function.isidentifier():
        what, value, allowed = "the function of the measure is not a name", repr(function), like
    else:
        return Path(path), function
    raise InputError(what, found=value, allowed=allowed)


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
    progress: Callable[[str], None] | None = None,
    seconds: float = PROPERTY_TIME,
    first_answer: float = FIRST_ANSWER,
    *,
    certify: bool = False,
) -> Examination:
    """Examine a user's function; what is not decided in time is graded as timed out."""
    label = f"{path.name}:{function}"
    source = Source(str(path.resolve()), path.read_bytes(), function)
    facts = tried_out(source, sizes, first_answer)
    remarks = [_formulas(facts), *facts.remarks]
    black_box = (source, facts.together) if facts.untraced else None
    ids = tuple(p.id for p in properties)
    job = Job(label, ids, seconds, facts.measures, facts.sizes, facts.declared, black_box, certify)
    decided: dict[str, Verdict] = {}
    for answer in user_function.decide(job):
        if "refused" in answer:
            raise UserMeasureError(
                processes.printable(answer["refused"]), allowed=processes.printable(answer.get("allowed", ""))
            )
        verdict = replace(Verdict.from_dict(answer["verdict"]), subject=label)
        if facts.untraced:
            verdict = not_proved(verdict, "the function could not be traced")
        decided[answer["property"]] = verdict if facts.declared else of_the_formula(verdict)
        if "remark" in answer:
            remarks.append(answer["remark"])
        if progress is not None:
            progress(f"{label}: {len(decided)} of {len(properties)} properties")
    verdicts = [
        decided.get(
            p.id, Verdict(label, p.id, "timed out", "not decided in time", named_classes(facts.sizes))
        )
        for p in properties
    ]
    remarks += missing_provers(verdicts)
    return Examination(label, f"{label}, a user's measure", tuple(verdicts), tuple(dict.fromkeys(remarks)))


def _formulas(facts: Facts) -> str:
    """What was examined, or why nothing can be proved."""
    if facts.untraced:
        return (
            f"the function could not be traced ({facts.untraced}), so it is asked for values in floating"
            " point and can only be refuted; to prove a property write it as a formula, such as"
            " 'mean(hits/max(actual, predicted))', or with NumPy operations on whole arrays"
        )
    written = {size: formula_text(measure.graph) for size, measure in facts.measures.items()}
    words = [f"{text} (C = {size})" if size else text for size, text in written.items()]
    return f"this is what was examined: {'; '.join(words)}"


def portrait_user(
    path: Path,
    function: str,
    sizes: Sequence[int] = (2, 3),
    seconds: float = PROPERTY_TIME,
    first_answer: float = FIRST_ANSWER,
) -> tuple[Portrait | None, str]:
    """How a user's function looks; or None, and why there is no figure."""
    source = Source(str(path.resolve()), path.read_bytes(), function)
    facts = tried_out(source, sizes, first_answer)
    values: dict[str, Any] = {}
    with Answers(user_function.drawn, source, facts.two_classes, facts.together) as answers:
        deadline = time.monotonic() + first_answer + seconds
        try:
            for batch in batches(facts.two_classes).values():
                name, numbers = answers.next(deadline)
                values[name] = _floats(numbers, len(batch))
        except OutOfTimeError:
            return None, f"the time of {seconds:g} seconds was up while deciding how it looks"
        except NoAnswerError:
            return None, "the function ended Python while deciding how it looks"
    return portrait(values), ""


# -- trying a function out


def tried_out(source: Source, sizes: Sequence[int], first_answer: float = FIRST_ANSWER) -> Facts:
    """Does it answer at all, one number per matrix, the same every time; which formula is it?"""
    label = f"{Path(source.path).name}:{source.name}"
    doing = "was loaded and traced"
    deadline = time.monotonic() + first_answer
    with Answers(user_function.tried, source, tuple(sizes)) as answers:
        try:
            facts = _facts(answers.next(deadline), source.name, tuple(sizes))
            for c in facts.sizes:
                rows = sample(c)[0][0].astype(int).tolist()
                doing = f"was called on {rows}"
                where = f"on {rows}"
                answers.next(deadline)
                where = f"on matrices of {c} classes"
                facts = _answers(label, facts, c, answers.next(deadline))
            doing = where = "was compared with its formula"
            for c in facts.sizes if not facts.untraced else ():
                _refuse_difference(label, facts, c, answers.next(time.monotonic() + first_answer))
        except OutOfTimeError:
            raise UserMeasureError(
                f"{label} did not answer within {first_answer:g} seconds when it {doing}",
                allowed="a function that returns",
                do="look for an endless loop",
            ) from None
        except NoAnswerError:
            raise UserMeasureError(
                f"{label} ended Python when it {doing}", allowed="a function that returns a number"
            ) from None
        except RefusedError as error:
            raise UserMeasureError(f"{label} {error}", allowed=error.allowed) from None
        except RaisedError as error:
            raise UserMeasureError(
                f"{label} raised {error.kind} {where.replace('was', 'while it was', 1)}: {error.text}",
                allowed=OF_A_MATRIX if where.startswith("on [") else A_NUMBER,
            ) from None
    return facts


def _facts(answer: dict[str, Any], name: str, sizes: tuple[int, ...]) -> Facts:
    two = answer.get("two_classes") is True
    untraced = processes.printable(answer.get("why_not") or "")
    declared = "measure" in answer
    try:
        if declared and not untraced:
            read = Measure.from_dict(answer["measure"])
            if not isinstance(read, MatrixMeasure):
                raise TypeError("a metric of scores")
            measures = {0: read}
        else:
            graphs = {int(c): Node.from_list(rows) for c, rows in answer.get("graphs", {}).items()}
            if untraced or not graphs:
                untraced, graphs = untraced or "no formula was built", {0: Node("number", (), (0,))}
            measures = {c: _measure(graph, name, two) for c, graph in graphs.items()}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise UserMeasureError(
            f"{name} answered out of turn",
            found=type(error).__name__,
            allowed="a function that returns a number",
        ) from error
    return Facts(measures, two, (2,) if two else sizes, True, declared, untraced)


def _measure(graph: Node, name: str, two_classes: bool) -> MatrixMeasure:
    return MatrixMeasure(
        id=name,
        title=name,
        question="?",
        kind="two-class" if two_classes else "multi-class",
        graph=graph,
        range=Range(-np.inf, np.inf),
        depends_on_size=True,  # it may, and nobody says that it does not
    )


def _floats(values: Any, count: int) -> Array:
    """The numbers that a process answered, NaN where there is none."""
    numbers = isinstance(values, list) and all(
        v is None or (isinstance(v, (int, float)) and not isinstance(v, bool)) for v in values
    )
    if not numbers or len(values) != count:
        raise RefusedError("answered out of turn", "a function that returns a number")
    return np.array([math.nan if v is None else float(v) for v in values], dtype=np.float64)


def _refuse_difference(label: str, facts: Facts, n_classes: int, values: Any) -> None:
    """Show a matrix on which a function is not its formula; nothing is decided then."""
    measure = facts.measures.get(0) or facts.measures[n_classes]
    difference = disagreement(
        measure.graph, facts.two_classes, n_classes, lambda matrices: _floats(values, len(matrices))
    )
    if difference is not None:
        matrix, value, expected = difference
        rows = [[int(v) if float(v).is_integer() else float(v) for v in row] for row in matrix]
        got, gives = ("no number" if np.isnan(v) else f"{v:.9g}" for v in (value, expected))
        raise UserMeasureError(
            f"{label} is not the formula it was traced to, so nothing is decided",
            found=f"{got} on {rows}, where {formula_text(measure.graph)} gives {gives}",
            do="write the measure as a formula, or without branches that look at more than the counts",
        )


def _answers(label: str, facts: Facts, n_classes: int, answer: Any) -> Facts:
    """Refuse a function whose values on some matrices are none, or not the same twice."""
    matrices, full = sample(n_classes)
    first, second = (_floats(values, len(matrices)) for values in answer["values"])
    unequal = np.flatnonzero(~((first == second) | (np.isnan(first) & np.isnan(second))))
    if len(unequal):
        k = int(unequal[0])
        raise UserMeasureError(
            f"{label} is not deterministic: on {matrices[k].astype(int).tolist()} it returned {first[k]:.9g}"
            f" and then {second[k]:.9g}",
            allowed="the same value for the same matrix",
        )
    if not np.isfinite(first).any():
        raise UserMeasureError(
            f"{label} returned NaN or infinity on every one of {len(matrices)} matrices of {n_classes}"
            " classes",
            allowed="a number on some matrix",
        )
    missing = int(np.isnan(first[:full]).sum())
    words = f"it is NaN or infinite on {missing} of {full} matrices of {n_classes} classes without zeros"
    remarks = (*facts.remarks, *([words] if missing else []))
    return replace(facts, together=answer["together"] is True, remarks=remarks)
