"""Certificates: what a proof rests on, written down so that an independent checker can check it."""

# A certificate states what was proved as two expressions over variables that are positive, and that the first
# equals the second or is never less. The expressions are recorded by running the same bodies on trees instead
# of symbols. `certificate_checker`, which shares no code with the prover, works them out again from nothing.

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.checker.check import check
from steelyard.proofs.checker.form import malformed
from steelyard.proofs.prover.expression_trees import TreeField, Trees, plain_node
from steelyard.proofs.prover.regions import Compute, Point
from steelyard.proofs.prover.symbols import Angle, cosine_of
from steelyard.proofs.verdict import BY_Z3, Counterexample

Certificate = dict[str, Any]
Collected = TypeVar("Collected", list[Certificate | None], None)
_COLLECTED: ContextVar[list[Certificate | None] | None] = ContextVar("certificates", default=None)


@contextmanager
def filing(collected: Collected) -> Iterator[Collected]:
    """Inside, certificates are filed in this list; with None nothing is."""
    # In the list, None stands for a proof that has no certificate.
    token = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(token)


def wanted() -> bool:
    """Is anyone collecting certificates, so that verdicts must be decided anew?"""
    return _COLLECTED.get() is not None


def keep(written: Sequence[Certificate | None]) -> None:
    """File certificates that were collected before."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.extend(written)


def file(certificate: Callable[[], Certificate | None]) -> None:
    """File a certificate of something that was just proved, if anyone collects them."""
    # One that cannot be made, as trees do not follow the body, is missing, which is said.
    collected = _COLLECTED.get()
    if collected is not None:
        try:
            written = certificate()
        except Exception:
            written = None
        if written != {}:
            collected.append(written)


def note(names: Sequence[str], compute: Compute, relation: str, faces: Sequence[frozenset[str]]) -> None:
    """File that two values stand in a relation, on every face on which something is stated."""

    def certificate(zeros: frozenset[str]) -> Certificate | None:
        left, right = _sides(*compute(_trees(names, zeros)))
        if "undefined" in (left, right):  # without a value nothing is stated, unless one side has one
            return None if relation == "=" and left != right else {}
        return {"relation": relation, "variables": list(names), "left": left, "right": right}

    for zeros in faces:
        file(partial(certificate, zeros))


def note_strict(
    names: Sequence[str], compute: Compute, positive: Collection[str], groups: Sequence[Collection[str]]
) -> None:
    """File a proof that the first value is greater, whichever variables but these are 0."""

    def certificate() -> Certificate:
        left, right = _sides(*compute(_trees(names)))
        return {"relation": ">", "left": left, "right": right, **_supports(names, positive, groups)}

    file(certificate)


def note_rising(
    names: Sequence[str],
    value: Callable[[Point], Any],
    direction: dict[str, int],
    positive: Collection[str],
    groups: Sequence[Collection[str]],
) -> None:
    """File a proof that a value rises when the named variables change at these rates."""

    def certificate() -> Certificate:
        rising = value(_trees(names))
        if isinstance(rising, Angle):  # an angle rises where its cosine falls
            rising = 0 - rising.cosine
        stated = {"relation": "rises", "left": plain_node(rising), "direction": direction}
        return {**stated, **_supports(names, positive, groups)}

    file(certificate)


def _supports(
    names: Sequence[str], positive: Collection[str], groups: Sequence[Collection[str]]
) -> Certificate:
    sets = [sorted(group) for group in groups]
    return {"variables": list(names), "positive": sorted(positive), "groups": sets}


def _trees(names: Sequence[str], zeros: frozenset[str] = frozenset()) -> Point:
    owner = TreeField(names)
    return Point(owner, Trees(owner), zeros)


def _sides(left: Any, right: Any) -> list[Any]:
    """Both sides as plain nodes; of angles, which fall as cosines rise, their cosines the other way round."""
    if isinstance(left, Angle) or isinstance(right, Angle):
        left, right = cosine_of(right), cosine_of(left)
    return [plain_node(left), plain_node(right)]


def note_lemma(name: str, instances: Sequence[tuple[Any, Any]]) -> None:
    """File a proof by a lemma that the checker knows, with the values on both sides of some instances."""
    pairs = [[str(before), str(after)] for before, after in instances]
    file(lambda: {"relation": "lemma", "name": name, "instances": pairs})


def note_mean(term: Any, kind: str, instances: Sequence[tuple[Any, Any]]) -> None:
    """File that a measure is the mean over classes of a term, with its values on some matrices."""
    stated = [[[[int(v) for v in row] for row in rows], str(value)] for rows, value in instances]
    mean = {"relation": "mean over classes", "kind": kind, "instances": stated}
    file(lambda: {**mean, "term": plain_node(term)})


@dataclass(frozen=True)
class Summed:
    """The step from one class to all: a bound on the sum over classes of a term."""

    # The term of a class is never less than the sum of factors times expressions of the class, each given
    # with what it adds up to over the classes; squares with weights are what the term is more than that.
    term: Any
    parts: Sequence[tuple[Any, Any, Any]]
    bound: Any
    squares: Sequence[tuple[Any, Any]] = ()


def note_summed(
    names: Sequence[str], of_a_class: Sequence[str], compute: Callable[[TreeField], Summed]
) -> None:
    """File that a bound holds for a sum over classes."""

    def certificate() -> Certificate:
        step = compute(TreeField(names))
        return {
            "relation": "summed over classes",
            "variables": list(names),
            "of a class": list(of_a_class),
            "term": plain_node(step.term),
            "parts": [[plain_node(node) for node in entry] for entry in step.parts],
            "squares": [[plain_node(node) for node in pair] for pair in step.squares],
            "bound": plain_node(step.bound),
        }

    file(certificate)


def of_counterexample(
    measure_at: Callable[[Array, Any], Any], example: Counterexample, *, values: bool
) -> list[Certificate | None]:
    """Two matrices on which a measure differs, as expressions of counts; None where one has no value."""
    # With `values` the example is not that two values differ: each expression is filed with the value that is
    # stated.
    matrices = [np.array(rows, dtype=object) for rows in example.matrices]
    sides = [plain_node(measure_at(matrix, Trees(TreeField([])))) for matrix in matrices]
    if values:
        stated = [[side, str(Fraction(value))] for side, value in zip(sides, example.values, strict=True)]
        return [{"relation": "values", "values": stated}]
    if len(sides) < 2 or "undefined" in sides:
        return [None]
    return [{"relation": "differ", "left": sides[0], "right": sides[1]}]


State = Literal["certified", "not certified", "fails"]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Checked:
    """What became of the certificates of one decision."""

    state: State
    words: str
    certificates: tuple[Certificate | None, ...] = ()


def checked(certificates: list[Certificate | None], method: str = "") -> Checked:
    """All certificates checked; one that fails is enough."""
    answers = ["not certified" if c is None else check(c) for c in certificates]
    holding = answers.count("holds")
    state: State = "not certified"
    if "fails" in answers:
        first = malformed(certificates[answers.index("fails")])
        words = f"{answers.count('fails')} of {len(answers)} certificates fail{': ' if first else ''}{first}"
        state = "fails"
    elif not answers:
        words = "not certified: an argument in words, or a value that was computed"
    elif holding == len(answers):
        state, words = "certified", f"{holding} certificate{'s' if holding > 1 else ''} checked"
    else:
        by = "proved by z3, not certified" if BY_Z3 in method else "not certified"
        words = f"{by} ({holding} of {len(answers)} certificates checked)"
    return Checked(state, words, tuple(certificates))


def with_certificates(decide: Callable[[], Result]) -> tuple[Result, list[Certificate | None]]:
    """What was decided, with the certificates of everything proved on the way."""
    with filing([]) as collected:
        decided = decide()
    return decided, collected
