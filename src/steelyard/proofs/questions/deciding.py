"""How a question is decided: the refuter first, then an argument for every C, then algebra for each C.

Whatever argument there is, the refuter has the first word: a proof next to a counterexample would be a fault
of ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from steelyard.proofs.prover.class_terms import ClassTerm, note
from steelyard.proofs.prover.prove import Attempt
from steelyard.proofs.prover.refuter import Search
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.verdict import EVERY, AtC, Counterexample, Grade, Verdict, joined, named_classes

# The numbers of classes that are looked at one by one.
SIZES = (2, 3, 4)
WORDS = {"d": "hits", "fn": "missed", "fp": "false alarms", "tn": "rejected"}


@dataclass(frozen=True)
class Argument:
    """Why something holds for every number of classes, and where it speaks."""

    words: str
    where: tuple[str, ...] = ()
    """What must not be 0."""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: str, term: ClassTerm, *attempts: Attempt) -> Argument:
        """An argument from one class to all, filed for the checker: the measure is the mean of the term."""
        note(term)
        return cls(words, conditions_of_a_class(attempts))


def conditions_of_a_class(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    """The denominators of one class's term as a reader writes them."""
    found = dict.fromkeys(text for attempt in attempts for text in attempt.where)
    words = {re.sub(r"\b(d|fn|fp|tn)2?\b", lambda m: WORDS[m.group(1)], text): None for text in found}
    return tuple(f"{text} of each class" for text in words)


def sizes_for(subject: Subject, sizes: Sequence[int]) -> tuple[int, ...]:
    """Two classes for a two-class measure, else the sizes asked for, as far as the subject allows them."""
    if subject.two_class_only:
        return (2,)
    return tuple(c for c in sizes if subject.sizes is None or c in subject.sizes) or tuple(sizes)[:1]


def bound_effort(n_classes: int) -> int:
    """Steps of z3 for an inequality on matrices: more decide no question about the catalogue."""
    return 500_000 if n_classes < 4 else 125_000


def not_asked(subject: Subject, question: str, why: str, sizes: Iterable[int]) -> Verdict:
    """The verdict on a question that does not arise."""
    return Verdict(subject.name, question, "not applicable", why, named_classes(sizes))


def no_better_end(subject: Subject, question: str, sizes: Iterable[int]) -> Verdict | None:
    """The verdict on a measure of which neither end is better; None for any other."""
    if subject.measure.better != "neither":
        return None
    return not_asked(subject, question, "neither end of its scale is better", sizes)


def decided(
    subject: Subject,
    question: str,
    searches: Mapping[int, Search],
    prove: Callable[[int], Attempt | None],
    argument: Callable[[], Argument | None] | None = None,
    notes: Sequence[str] = (),
    *,
    symbolic: bool | None = None,
) -> Verdict:
    """The verdict after a search at each number of classes; `symbolic`: there is something to prove it of."""
    provable = subject.symbolic if symbolic is None else symbolic
    if provable and argument is not None and first_found(searches.values()) is None:
        found = argument()
        if found is not None:
            return for_every_c(subject.name, question, found, {c: s.cases for c, s in searches.items()})
    parts = [
        at_one_size(c, search, prove(c) if provable and search.found is None else None)
        for c, search in searches.items()
    ]
    return joined(subject.name, question, parts, first_found(searches.values()), notes)


def for_every_c(subject: str, question: str, argument: Argument, cases: Mapping[int, int]) -> Verdict:
    """The verdict of an argument that speaks of every number of classes, and of those that were tried."""
    return Verdict(
        subject=subject,
        question=question,
        grade="proved",
        method=argument.words,
        classes=EVERY,
        at=tuple(AtC(c, "proved", argument.words, n, argument.where) for c, n in cases.items()),
        notes=argument.notes,
        conditions=argument.where,
    )


def at_one_size(n_classes: int, search: Search, attempt: Attempt | None) -> AtC:
    """The grade for one number of classes."""
    if search.found is not None:
        exactly = "in exact fractions" if search.found.exact else "in floating point"
        return AtC(n_classes, "refuted", f"a counterexample {exactly}", search.cases)
    if attempt is not None and attempt.proved:
        return AtC(n_classes, "proved", attempt.method, search.cases, conditions_of(attempt, n_classes))
    grade: Grade = "timed out" if attempt is not None and attempt.timed_out else "not refuted"
    why = "" if attempt is None or "same expression" in attempt.method else f", but {attempt.method}"
    return AtC(n_classes, grade, f"no counterexample among small and random matrices{why}", search.cases)


def conditions_of(attempt: Attempt, n_classes: int) -> tuple[str, ...]:
    """The denominators as a reader writes them: tp, fn, fp, tn for two classes, m_12 for the second cell of
    the first row."""
    names = {f"m{i}_{j}": f"m_{i + 1}{j + 1}" for i in range(n_classes) for j in range(n_classes)}
    if n_classes == 2:
        names = dict(zip(names, ("tp", "fn", "fp", "tn"), strict=True))
    return tuple(re.sub(r"m\d+_\d+", lambda found: names[found.group()], text) for text in attempt.where)


def first_found(searches: Iterable[Search]) -> Counterexample | None:
    """The counterexample of fewest classes, then of fewest examples."""
    found = [search.found for search in searches if search.found is not None]
    return min(found, key=lambda f: (f.n_classes, f.total)) if found else None
