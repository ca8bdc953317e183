"""The process that decides the properties of a user's measure, each property in a process and a time of its
own.

Run as `python -P -m steelyard.proofs.deciding`; the job comes in as one line of JSON, verdicts go out as
lines of JSON that carry the token of the job. The user's function never runs here: what is proved is proved
of its source, and values are asked of the process it runs in.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.deciders import unpickled
from steelyard.proofs.declared_file import declared_measure
from steelyard.proofs.isolation import apart
from steelyard.proofs.prover.certificates import Certificate
from steelyard.proofs.prover.certified import checked, with_certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.python_subset import read_source
from steelyard.proofs.questions.conditions import BY_ID, Property
from steelyard.proofs.user_process import digest_of, digests_of
from steelyard.proofs.user_subject import BlackBox, Facts, ReadFunction, subject_of
from steelyard.proofs.user_values import (
    EndedError,
    OutOfTimeError,
    RaisedError,
    UserMeasureError,
    UserProcess,
)
from steelyard.proofs.validation import disagreement, read_function
from steelyard.proofs.verdict import Verdict, as_far_as_read, named_classes

Array = NDArray[Any]


NOTHING_TRIED = Facts(False, False, True, True, "", ())


@dataclass(frozen=True)
class Job:
    """What is to be decided."""

    token: str
    name: str
    properties: tuple[str, ...]
    seconds: float
    label: str
    at_once: int
    facts: Facts = NOTHING_TRIED
    path: str = ""
    source: str = ""
    """What the file said when the examination began; nothing else is read, and nothing else is run."""
    beside: dict[str, str] = field(default_factory=dict)
    """The same of the files beside it."""
    measure: str = ""
    """A measure of ours or a formula, in place of a file."""
    certify: bool = False
    """Are certificates of what is proved written down and checked?"""

    @property
    def text(self) -> bytes:
        return base64.b64decode(self.source)

    @property
    def texts_beside(self) -> dict[str, bytes]:
        return {module: base64.b64decode(text) for module, text in self.beside.items()}

    @property
    def digest(self) -> str:
        return digest_of(self.text)

    def subject(self) -> tuple[Subject, BlackBox | None]:
        if self.measure:
            return Subject(unpickled(self.measure)), None
        if self.facts.declared:
            measure = declared_measure(Path(self.path), self.text, self.name)
            if measure is not None:
                return Subject(measure, sizes=self.facts.sizes), None
        elif not self.facts.leaves:
            source = read_source(self.text, self.name, self.texts_beside)
            read = ReadFunction(source, self.name, self.facts.of_cells, self.facts.batched)
            return subject_of(read, self.name, self.facts, read=True), None
        box = BlackBox(Path(self.path), self.name, self.facts.batched, self.digest, self.seconds)
        return subject_of(box.body, self.name, self.facts, read=False), box


def decide_one(job: Job, p: Property) -> dict[str, Any]:
    """The verdict on one property, or what went wrong."""
    box: BlackBox | None = None
    try:
        subject, box = job.subject()
        found: list[Certificate | None] = []
        if job.certify:
            verdict, found = with_certificates(lambda: p.decide(subject))
        else:
            verdict = p.decide(subject)
        if box is not None and box.changed():
            return {"refused": f"{job.label} is not deterministic: its values changed while it was examined",
                    "allowed": "the same value for the same matrix"}  # fmt: skip
        leaves = job.facts.leaves or (subject.leaves if job.measure else "")
        if job.facts.declared and box is not None:
            leaves = "its body does something that has no meaning in algebra"
        verdict = as_far_as_read(verdict, leaves)
        if not job.certify or verdict.grade != "proved":
            return {"verdict": verdict.to_dict()}
        result = checked(found, verdict.method)
        if result.state == "fails":  # a proof whose certificate fails is not shown as one
            verdict = as_far_as_read(verdict, result.words)
        certified = result.state == "certified"
        return {"verdict": replace(verdict, certified=certified).to_dict(), "certificates": result.words}
    except OutOfTimeError:
        return {"stopped": f"the time of {job.seconds:g} seconds was up"}
    except EndedError:
        return {"stopped": "the function ended Python"}
    except RaisedError as error:
        return {"refused": f"{job.label} raised {error.kind} while it was examined: {error.text}",
                "allowed": "a number, or NaN where it is undefined"}  # fmt: skip
    except UserMeasureError as error:
        return {"refused": str(error).rstrip("."), "allowed": ""}
    except MemoryError:
        return {"stopped": "the memory was full"}
    except Exception as error:  # the body of a user's measure may raise anything
        return {"stopped": f"the engine gave up ({type(error).__name__})"}
    finally:
        if box is not None and box.process is not None:
            box.process.end()


def timed_out(job: Job, p: Property, why: str) -> dict[str, Any]:
    """The verdict on a property that was not decided."""
    two = bool(job.measure) and unpickled(job.measure).kind == "two-class"
    sizes = named_classes(job.facts.sizes or ((2,) if two else (2, 3, 4)))
    verdict = Verdict(job.label, p.id, "timed out", f"not decided in time: {why}", sizes)
    return {"verdict": verdict.to_dict(), "remark": why}


def not_what_was_read(job: Job) -> dict[str, Any]:
    """A matrix on which the function is not what its source says, in words; empty if none was found."""
    try:
        read = read_function(job.text, job.name, job.facts.of_cells, job.facts.batched, job.texts_beside)
        if isinstance(read, str):
            return {"leaves": read}
        beside = digests_of(job.texts_beside)
        with UserProcess(Path(job.path), job.name, job.digest, False, beside) as process:
            process.facts(job.seconds)
            for c in job.facts.sizes:
                words = disagreement(read, partial(_asked, process, job.seconds), c)
                if words:
                    return {"leaves": words}
        return {"leaves": ""}
    except (RaisedError, UserMeasureError) as error:
        return {"leaves": f"on some matrices it fails: {error}"}
    except (OutOfTimeError, EndedError):
        return {"leaves": "it does not answer on every matrix"}
    except MemoryError:
        return {"stopped": "the memory was full"}


def _asked(process: UserProcess, seconds: float, matrices: Array) -> Array:
    values = process.floats(matrices, False, time.monotonic() + seconds)
    return np.full(len(matrices), np.nan) if values is None else values


def main(requests: TextIO, out: TextIO) -> None:
    """Compare the function with its source, then decide every property of the job, a few at a time."""
    given = json.loads(requests.readline())
    facts = NOTHING_TRIED
    if "facts" in given:
        facts = Facts(**{**given["facts"], "sizes": tuple(given["facts"]["sizes"]), "remarks": ()})
    job = Job(**{**given, "facts": facts, "properties": tuple(given["properties"])})

    def tell(**answer: Any) -> None:
        out.write(json.dumps({"token": job.token, **answer}) + "\n")
        out.flush()

    if not facts.leaves and not facts.declared and not job.measure:
        for _, answer in apart({"reading": partial(not_what_was_read, job)}, job.seconds):
            leaves = answer.get("leaves", f"{answer.get('stopped')} while its formula was compared with it")
            job = replace(job, facts=replace(facts, leaves=leaves))
    tell(leaves=job.facts.leaves)
    works = {i: partial(decide_one, job, BY_ID[i]) for i in job.properties}
    for property_id, answer in apart(works, job.seconds, job.at_once):
        if "stopped" in answer:
            p = BY_ID[property_id]
            answer = timed_out(job, p, f"{answer['stopped']} while deciding {p.name}")
        tell(property=property_id, **answer)


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
