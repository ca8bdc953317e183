"""Examinations: every property of a measure decided, and cached for the next time."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np

from steelyard.errors import InputError
from steelyard.measures.catalogue import catalogue
from steelyard.measures.formula import formula_measure, measure_or_formula
from steelyard.measures.measure import Measure
from steelyard.measures.names import as_measure, short_name
from steelyard.proofs.precomputed import known, remember
from steelyard.proofs.precomputed import made_of as fingerprint
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.conditions import PROPERTIES, Property, property_named
from steelyard.proofs.result import Examination, Overview, Relations, missing_provers
from steelyard.proofs.verdict import PROVED, Verdict, named_classes

Progress = Callable[[str], None]
# Properties, or their names; None stands for all of them.
Chosen = str | Property | Sequence[str | Property] | None
Named = Measure | str
# Measures, or their names; None stands for the catalogue.
Several = list[Measure] | list[str] | list[Named] | tuple[Named, ...] | None


@overload
def examine(
    measure: Named,
    properties: Chosen = ...,
    progress: Progress | None = ...,
    seconds: float | None = ...,
    *,
    classes: Sequence[int] = ...,
) -> Examination: ...


@overload
def examine(
    measure: Several = ...,
    properties: Chosen = ...,
    progress: Progress | None = ...,
    seconds: float | None = ...,
    *,
    classes: Sequence[int] = ...,
) -> Overview: ...


def examine(
    measure: Named | Several = None,
    properties: Chosen = None,
    progress: Progress | None = None,
    seconds: float | None = None,
    *,
    classes: Sequence[int] = (2, 3),
) -> Examination | Overview:
    """The verdict on each property of a measure, of the one of this name, of a formula such as "tp/(tp+fp)",
    or of a function that a file holds ("my_metric.py:my_metric", which runs in a process of its own and is
    tried on matrices of these numbers of `classes`); of several in a list, or of the whole catalogue.
    `properties` are one or several by name, all of them without it; `steelyard examine --list` lists them.
    With `seconds` each property that was not decided before has so long, in a process of its own: one that
    takes longer is graded as timed out and costs the others nothing.

    >>> import steelyard as sy
    >>> examination = sy.examine("precision", "prior-invariance")
    >>> examination["prior-invariance"].grade
    'refuted'
    """
    chosen = _chosen(properties)
    sizes = _checked_sizes(classes)
    if seconds is not None and not 0 < seconds < math.inf:
        limit = f"{seconds:g} seconds"
        raise InputError("a time limit is above 0", found=limit, allowed="such as 8", parameter="seconds")
    if measure is not None and not isinstance(measure, (list, tuple)):
        return _examine(_subject(measure), chosen, sizes, progress, seconds)
    # A misspelt name fails before anything is computed.
    subjects = catalogue() if measure is None else [_subject(named) for named in measure]
    return Overview(tuple(_examine(subject, chosen, sizes, progress, seconds) for subject in subjects))


# The file and the name of a user's function.
UserFunction = tuple[Path, str]


def _subject(measure: Named) -> Measure | UserFunction:
    if isinstance(measure, str):
        from steelyard.proofs import user_measure  # its processes take as long to import as NumPy

        return user_measure.parse(measure) or _measure(measure)
    return _measure(measure)


def _measure(measure: Named) -> Measure:
    return as_measure(measure_or_formula(measure) if isinstance(measure, str) else measure)


def _checked_sizes(classes: Sequence[int]) -> tuple[int, ...]:
    sizes = tuple(sorted(set(classes)))
    if not sizes or min(sizes) < 2 or max(sizes) > 6:
        what, numbers = "a number of classes is out of range", ", ".join(map(str, sizes))
        raise InputError(what, found=numbers, allowed="2 to 6", parameter="classes")
    return sizes


def _examine(
    measure: Measure | UserFunction,
    properties: Sequence[Property],
    sizes: tuple[int, ...],
    progress: Progress | None,
    seconds: float | None,
) -> Examination:
    if isinstance(measure, tuple):
        from steelyard.proofs import user_measure

        limit = user_measure.PROPERTY_TIME if seconds is None else seconds
        examination = user_measure.examine_user(*measure, properties, sizes, progress, limit)
        portrait = partial(user_measure.portrait_user, *measure, sizes, limit)
        return replace(examination, portrait_of_function=portrait)
    _refuse_without_values(measure)
    made_of = fingerprint(measure)
    tell = progress or (lambda _: None)
    verdicts: dict[str, Verdict | None] = {
        p.id: _certified(measure, p, made_of) if certificates.wanted() else known(made_of, p.id)
        for p in properties
    }
    missing = [p for p in properties if verdicts[p.id] is None]
    if seconds is not None and made_of is not None and missing:
        from steelyard.proofs.user_function import Job, decide

        tell(f"{measure.name}: {len(missing)} properties")
        tried = named_classes((2,) if measure.kind == "two-class" else (2, 3, 4))
        for p in missing:
            verdicts[p.id] = Verdict(measure.name, p.id, "timed out", "not decided in time", tried)
        for answer in decide(Job(measure.name, tuple(p.id for p in missing), seconds, {0: measure})):
            if "verdict" in answer:
                verdicts[answer["property"]] = verdict = Verdict.from_dict(answer["verdict"])
                if verdict.grade != "timed out":
                    remember(made_of, verdict)
    else:
        for p in missing:
            tell(f"{measure.name}: {p.name}")
            verdicts[p.id] = verdict = p.of(measure)
            remember(made_of, verdict)
    every = tuple(verdict for verdict in verdicts.values() if verdict is not None)
    return Examination(measure.name, short_name(measure), every, missing_provers(every), measure)


def _chosen(properties: Chosen) -> Sequence[Property]:
    """The properties that were asked for, by name or themselves."""
    if properties is None:
        return PROPERTIES
    each = [properties] if isinstance(properties, (str, Property)) else properties
    return [p if isinstance(p, Property) else property_named(p) for p in each]


def _refuse_without_values(measure: Measure) -> None:
    """Everything is true of a formula that has no value anywhere, which helps nobody."""
    if measure.recipe is not None and measure.recipe[0] is formula_measure:
        subject = Subject(measure)
        sizes = (2,) if subject.two_class_only else (2, 3)
        if not any(np.isfinite(subject.floats(subject.small(c))).any() for c in sizes):
            what = "the formula has no value on any matrix"
            raise InputError(what, found=measure.name, allowed="denominators that are not 0")


# What was decided with certificates in this process, so that claims that share a verdict share its proof.
_CERTIFIED: dict[tuple[str, str], tuple[Verdict, list[certificates.Certificate | None]]] = {}


def _certified(measure: Measure, p: Property, made_of: str | None) -> Verdict:
    """Decided anew, with certificates for whoever collects them."""
    key = (made_of or "", p.id)
    if made_of is None or key not in _CERTIFIED:
        verdict, collected = certificates.with_certificates(lambda: p.of(measure))
        written = collected if verdict.grade == "proved" else []
        if (example := verdict.counterexample) is not None:
            with contextlib.suppress(Exception):  # an expression that trees do not follow has no certificate
                written = p.certify(Subject(measure), example)
        _CERTIFIED[key] = (verdict, written)
    certificates.keep(_CERTIFIED[key][1])
    return _CERTIFIED[key][0]


@dataclass(frozen=True)
class CheckedProof:
    """A proof that was decided anew, and what the independent checker says of its certificates."""

    verdict: Verdict
    property: str
    words: str
    fails: bool

    def __str__(self) -> str:
        # A proof whose certificate fails is not shown as one.
        grade = "not decided" if self.fails else self.verdict.grade
        return f"{self.verdict.subject}: {self.property}: {grade} for {self.verdict.classes}; {self.words}"


def check_proofs(
    measures: Sequence[Named] = (),
    properties: Chosen = None,
    *,
    classes: Sequence[int] = (2, 3),
    seconds: float | None = None,
) -> Iterator[CheckedProof]:
    """Decide every property anew and check the certificates; of the whole catalogue if none is named."""
    chosen, sizes = _chosen(properties), _checked_sizes(classes)
    for subject in [_subject(named) for named in measures] or catalogue():
        if isinstance(subject, tuple):
            from steelyard.proofs import user_measure

            limit = user_measure.PROPERTY_TIME if seconds is None else seconds
            examination = user_measure.examine_user(*subject, chosen, sizes, None, limit, certify=True)
            for verdict in examination.verdicts:
                fails = "certificates fail" in verdict.method
                if fails or verdict.grade in PROVED:
                    words = "certified" if verdict.certified else "not certified"
                    yield CheckedProof(verdict, verdict.question, words, fails)
            continue
        for p in chosen:
            decide_anew = partial(_examine, subject, [p], sizes, None, None)
            examination, collected = certificates.with_certificates(decide_anew)
            verdict = examination.verdicts[0]
            if verdict.grade == "proved":
                result = certificates.checked(collected, verdict.method)
                yield CheckedProof(verdict, p.name, result.words, result.state == "fails")


def relate(measures: Iterable[Named], against: Named) -> Relations:
    """How each of the measures relates to another one."""
    other = Subject(_measure(against))
    subjects = [Subject(_measure(measure)) for measure in measures]
    verdicts = [
        decide(*pair)
        for subject in subjects
        for decide, pair in (
            (orderings.decide_equal, (subject, other)),
            (orderings.decide_affine, (subject, other)),
            (orderings.decide_rising_function, (subject, other)),
            (orderings.decide_not_greater, (subject, other)),
            (orderings.decide_not_greater, (other, subject)),
            (orderings.decide_same_ranking, (subject, other)),
        )
    ]
    return Relations(other.name, tuple(verdicts))
