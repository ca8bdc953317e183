"""Properties decided in processes: each in a time and a memory of its own."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steelyard.measures.measure import Measure
from steelyard.proofs.processes import (
    Answers,
    EndedError,
    OutOfTimeError,
    RaisedError,
    RefusedError,
    in_children,
)
from steelyard.proofs.prover.certificates import Certificate
from steelyard.proofs.prover.certified import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.user_function import BlackBox
from steelyard.proofs.verdict import Verdict, named_classes, not_proved

# A function that takes one matrix at a time is tried on so many small matrices of each size.
SLOW_MOST = 400


@dataclass(frozen=True)
class Job:
    """What is to be decided, and of what: one measure, or one for each number of classes of a function."""

    label: str
    properties: tuple[str, ...]
    seconds: float
    measures: Mapping[int, Measure]
    """Under 0 the measure of every number of classes."""
    sizes: tuple[int, ...] = ()
    declared: bool = True
    """Has it a range of its own?"""
    black_box: tuple[str, str, str, bool] | None = None
    """File, function, digest and whether it takes many matrices at once, of a function without a graph."""
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
            except (OutOfTimeError, EndedError, RefusedError, RaisedError):
                return


def decide_each(job: Job) -> Iterator[dict[str, Any]]:
    """Every property of the job, a few at a time."""
    works = {i: partial(_decide_one, job, BY_ID[i]) for i in job.properties}
    for property_id, answer in in_children(works, job.seconds, job.workers):
        if "stopped" in answer:
            p = BY_ID[property_id]
            why = answer["stopped"]
            if job.black_box is not None and why == "the engine ended":
                why = "the function ended Python"
            answer = _timed_out(job, p, f"{why} while deciding {p.name}")
        yield {"property": property_id, **answer}


def _decide_one(job: Job, p: Property) -> dict[str, Any]:
    """The verdict on one property, or what went wrong."""
    try:
        if job.black_box is not None:
            box = BlackBox(*job.black_box)
            most = 10_000 if box.together else SLOW_MOST
            verdict = p.decide(replace(job.subject(job.sizes[0]), black_box=box, most=most, sizes=job.sizes))
            if box.changed_its_mind():
                return {
                    "refused": f"{job.label} is not deterministic: its values changed while it was examined",
                    "allowed": "the same value for the same matrix",
                }
            return {"verdict": verdict.to_dict()}
        verdict, found = _decided(job, p)
        if not job.certify or verdict.grade != "proved":
            return {"verdict": verdict.to_dict()}
        result = checked(found, verdict.method)
        if result.state == "fails":  # a proof whose certificate fails is not shown as one
            verdict = not_proved(verdict, result.words)
        certified = result.state == "certified"
        return {"verdict": replace(verdict, certified=certified).to_dict(), "certificates": result.words}
    except RaisedError as error:
        return {
            "refused": f"{job.label} raised {error.kind} while it was examined: {error.text}",
            "allowed": "a number, or NaN where it is undefined",
        }
    except RefusedError as error:
        return {"refused": f"{job.label} {error}", "allowed": error.allowed}
    except MemoryError:
        return {"stopped": "the memory was full"}
    except Exception as error:  # z3 raises errors of its own when its memory is full
        return {"stopped": f"the engine gave up ({type(error).__name__})"}


def _decided(job: Job, p: Property) -> tuple[Verdict, list[Certificate | None]]:
    """One verdict; of a function with a graph for each number of classes, those joined."""
    if 0 in job.measures:
        return with_certificates(lambda: p.decide(job.subject(0)))
    parts = [with_certificates(lambda c=c: p.decide(job.subject(c))) for c in job.sizes]  # type: ignore[misc]
    verdicts = [verdict for verdict, _ in parts]
    return Verdict.of_sizes(verdicts), [c for _, found in parts for c in found]


def _timed_out(job: Job, p: Property, why: str) -> dict[str, Any]:
    two = 0 in job.measures and job.measures[0].kind == "two-class"
    sizes = named_classes(job.sizes or ((2,) if two else (2, 3, 4)))
    verdict = Verdict(job.label, p.id, "timed out", f"not decided in time: {why}", sizes)
    return {"verdict": verdict.to_dict(), "remark": why}
