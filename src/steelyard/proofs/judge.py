"""Examinations: every property of a measure decided, and cached for the next time."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import overload

import numpy as np

from steelyard.errors import InputError
from steelyard.measures.catalogue import catalogue
from steelyard.measures.formula import formula_measure, measure_or_formula
from steelyard.measures.measure import Measure
from steelyard.measures.names import as_measure
from steelyard.proofs import user_measure
from steelyard.proofs.precomputed import known, remember
from steelyard.proofs.precomputed import made_of as fingerprint
from steelyard.proofs.prover import certificates
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions import constant_baseline as baseline
from steelyard.proofs.questions import orderings
from steelyard.proofs.questions.conditions import BY_ID, FIELD, PROPERTIES, Property, property_named
from steelyard.proofs.questions.orderings import decide_rising_function
from steelyard.proofs.result import Examination, Overview, Relations, missing_provers
from steelyard.proofs.user_function import Job, decide
from steelyard.proofs.verdict import PROVED, Verdict, named_classes

Progress = Callable[[str], None]
# Properties, or their names; None stands for all of them.
Asked = str | Property | Sequence[str | Property] | None
Named = Measure | str
# Measures, or their names; None stands for the catalogue.
Several = list[Measure] | list[str] | list[Named] | tuple[Named, ...] | None


@overload
def examine(
    measure: Named,
    properties: Asked = ...,
    progress: Progress | None = ...,
    seconds: float | None = ...,
    *,
    classes: Sequence[int] = ...,
) -> Examination: ...


@overload
def examine(
    measure: Several = ...,
    properties: Asked = ...,
    progress: Progress | None = ...,
    seconds: float | None = ...,
    *,
    classes: Sequence[int] = ...,
) -> Overview: ...


def examine(
    measure: Named | Several = None,
    properties: Asked = None,
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
        raise InputError(
            "a time limit is above 0", found=f"{seconds:g} seconds", allowed="such as 8", parameter="seconds"
        )
    if measure is None:
        return Overview(tuple(examine_all(catalogue(), chosen, progress=progress)))
    if not isinstance(measure, (list, tuple)):
        return _examine(_subject(measure), chosen, sizes, progress, seconds)
    subjects = [_subject(one) for one in measure]  # a misspelt name fails before anything is computed
    return Overview(tuple(_examine(subject, chosen, sizes, progress, seconds) for subject in subjects))


# The file and the name of a user's function.
UserFunction = tuple[Path, str]


def _subject(measure: Named) -> Measure | UserFunction:
    own = user_measure.parse(measure) if isinstance(measure, str) else None
    return own or _measure(measure)


def _measure(measure: Named) -> Measure:
    return as_measure(measure_or_formula(measure) if isinstance(measure, str) else measure)


def _checked_sizes(classes: Sequence[int]) -> tuple[int, ...]:
    sizes = tuple(sorted(set(classes)))
    if not sizes or min(sizes) < 2 or max(sizes) > 6:
        raise InputError(
            "a number of classes is out of range",
            found=", ".join(map(str, sizes)),
            allowed="2 to 6",
            parameter="classes",
        )
    return sizes


def _examine(
    measure: Measure | UserFunction,
    properties: Sequence[Property],
    sizes: tuple[int, ...],
    progress: Progress | None,
    seconds: float | None,
) -> Examination:
    if isinstance(measure, tuple):
        limit = user_measure.PROPERTY_TIME if seconds is None else seconds
        found = user_measure.examine_user(*measure, properties, sizes, progress, limit)
        portrait = partial(user_measure.portrait_user, *measure, sizes, limit)
        return replace(found, portrait_of_function=portrait)
    _refuse_without_values(measure)
    verdicts = []
    made_of = fingerprint(measure)
    in_time: dict[str, Verdict] = {}
    missing = tuple(p.id for p in properties if known(made_of, p.id) is None)
    timed = seconds is not None and made_of is not None and not certificates.wanted()
    if seconds is not None and timed and missing:
        if progress is not None:
            progress(f"{measure.name}: {len(missing)} properties")
        job = Job(measure.name, missing, seconds, {0: measure})
        in_time = {a["property"]: Verdict.from_dict(a["verdict"]) for a in decide(job) if "verdict" in a}
    for p in properties:
        if certificates.wanted():
            verdicts.append(_certified(measure, p, made_of))
            continue
        verdict = in_time.get(p.id) or known(made_of, p.id)
        if verdict is None and timed:
            tried = named_classes((2,) if measure.kind == "two-class" else (2, 3, 4))
            verdict = Verdict(measure.name, p.id, "timed out", "not decided in time", tried)
        elif verdict is None:
            if progress is not None:
                progress(f"{measure.name}: {p.name}")
            verdict = p.of(measure)
            remember(made_of, verdict)
        elif p.id in in_time and verdict.grade != "timed out":
            remember(made_of, verdict)
        verdicts.append(verdict)
    return Examination(measure.name, measure.title, tuple(verdicts), missing_provers(verdicts), measure)


def _chosen(asked: Asked) -> Sequence[Property]:
    """The properties that were asked for, by name or themselves."""
    if asked is None:
        return PROPERTIES
    each = [asked] if isinstance(asked, (str, Property)) else asked
    return [p if isinstance(p, Property) else property_named(p) for p in each]


def _refuse_without_values(measure: Measure) -> None:
    """Everything is true of a formula that has no value anywhere, which helps nobody."""
    if measure.recipe is not None and measure.recipe[0] is formula_measure:
        subject = Subject(measure)
        sizes = (2,) if subject.two_class_only else (2, 3)
        if not any(np.isfinite(subject.floats(subject.small(c))).any() for c in sizes):
            raise InputError(
                "the formula has no value on any matrix",
                found=measure.name,
                allowed="denominators that are not 0",
            )


# What was decided with certificates in this process, so that claims that share a verdict share its proof.
_CERTIFIED: dict[tuple[str, str], tuple[Verdict, list[certificates.Certificate | None]]] = {}


def _certified(measure: Measure, p: Property, made_of: str | None) -> Verdict:
    """Decided anew, with certificates for whoever collects them."""
    key = (made_of or "", p.id)
    if made_of is None or key not in _CERTIFIED:
        with certificates.collecting() as found:
            verdict = p.of(measure)
        kept = found if verdict.grade == "proved" else []
        if verdict.counterexample is not None:
            with contextlib.suppress(Exception):  # an expression that trees do not follow has no certificate
                subject = Subject(measure)
                kept = (
                    baseline.certificates_of(subject, verdict.counterexample)
                    if p.id == "constant-baseline"
                    else certificates.of_counterexample(
                        subject.symbol, verdict.counterexample, values=p in (*FIELD, BY_ID["label-noise"])
                    )
                )
        _CERTIFIED[key] = (verdict, kept)
    certificates.keep(_CERTIFIED[key][1])
    return _CERTIFIED[key][0]


def examine_all(
    measures: Iterable[Measure],
    properties: Sequence[Property] = PROPERTIES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Examination]:
    """Many measures, on as many processors as there are; each comes out as soon as those before it are
    done."""
    chosen, start = list(measures), time.monotonic()
    for number, found in enumerate(_each(chosen, properties, workers), start=1):
        if progress is not None:
            progress(f"{number} of {len(chosen)}: {found.subject} ({time.monotonic() - start:.0f} s)")
        yield found


def _each(
    chosen: Sequence[Measure], properties: Sequence[Property], workers: int | None
) -> Iterator[Examination]:
    made_of = {m: fingerprint(m) for m in chosen}
    open_ones = [m for m in chosen if any(known(made_of[m], p.id) is None for p in properties)]
    count = min(workers or os.cpu_count() or 1, len(open_ones))
    if count < 2:
        for measure in chosen:
            yield _examine(measure, properties, (2, 3), None, None)
        return
    ids = [p.id for p in properties]
    # Started afresh: a copy of a process in which NumPy has started threads may lock up.
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        decided = pool.map(_examine_by_id, open_ones, [ids] * len(open_ones))
        for measure in chosen:
            yield next(decided) if measure in open_ones else _examine(measure, properties, (2, 3), None, None)


def _examine_by_id(measure: Measure, ids: Sequence[str]) -> Examination:
    return _examine(measure, [BY_ID[i] for i in ids], (2, 3), None, None)


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
    properties: Asked = None,
    *,
    classes: Sequence[int] = (2, 3),
    seconds: float = user_measure.PROPERTY_TIME,
) -> Iterator[CheckedProof]:
    """Decide every property anew and check the certificate of every proof; of the whole catalogue where no
    measure is named."""
    chosen, sizes = _chosen(properties), _checked_sizes(classes)
    for subject in [_subject(one) for one in measures] or catalogue():
        if isinstance(subject, tuple):
            found = user_measure.examine_user(*subject, chosen, sizes, None, seconds, certify=True)
            for verdict in found.verdicts:
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
    """How each of the measures relates to another one: equal, affine, a rising function of it, never greater,
    the same ranking."""
    other = Subject(_measure(against))
    verdicts: list[Verdict] = []
    for subject in [Subject(_measure(measure)) for measure in measures]:
        verdicts += [
            orderings.decide_equal(subject, other),
            orderings.decide_affine(subject, other),
            decide_rising_function(subject, other),
            orderings.decide_not_greater(subject, other),
            orderings.decide_not_greater(other, subject),
            orderings.decide_same_ranking(subject, other),
        ]
    return Relations(other.name, tuple(verdicts))
