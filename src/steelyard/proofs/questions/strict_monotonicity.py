"""Does a measure rise with every error that is mended, and with every hit that is added? (gosgens2021)

Monotone: an example moved from an error to the hit of its row (its prediction is mended) or of its column
(its label is) strictly improves the value. Strongly monotone: a further hit strictly improves it, unless
everything is right already, and a further error strictly worsens it, unless nothing is right. Pairs of
matrices of which one has no value are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover.class_terms import CELLS, cells_of, class_term
from steelyard.proofs.prover.prove import (
    Attempt,
    Compute,
    generic_matrix,
    matrix_names,
    methods_of,
    prove_not_less,
)
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.strict_inequalities import prove_greater, prove_rising
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field
from steelyard.proofs.prover.transformations import classes_reordered
from steelyard.proofs.questions.every_c import Argument
from steelyard.proofs.questions.extremal_agreement import no_better_end, orientation
from steelyard.proofs.questions.invariance import (
    at_one_size,
    first_found,
    for_every_c,
    prove_invariance,
    sizes_for,
)
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix, joined

Array = NDArray[Any]
Place = tuple[int, int]


@dataclass(frozen=True)
class Step:
    """A change of one or two cells that should improve the value."""

    kind: str
    loses: Place | None
    gains: Place | None

    def applied(self, matrices: Array) -> tuple[Array, Array]:
        """Batches before and after, of those matrices to which it can be applied."""
        before = matrices if self.loses is None else matrices[matrices[:, *self.loses] > 0]
        after = before.copy()
        if self.loses is not None:
            after[:, *self.loses] -= 1
        if self.gains is not None:
            after[:, *self.gains] += 1
        return before, after

    def direction(self) -> dict[str, int]:
        """The rates at which the cells change."""
        return {f"m{p[0]}_{p[1]}": rate for p, rate in ((self.gains, 1), (self.loses, -1)) if p is not None}

    def margins(self, n_classes: int) -> list[list[str]]:
        """For every row and column, before and after, the cells of which one must not be empty if each class
        is to occur."""
        lines = [[(k, j) for j in range(n_classes)] for k in range(n_classes)]
        lines += [[(i, k) for i in range(n_classes)] for k in range(n_classes)]
        return [
            [f"m{i}_{j}" for i, j in line]
            for changed in (self.loses, self.gains)
            for line in lines
            if changed not in line
        ]


ROWS, COLUMNS = "predictions mended", "labels mended"
HITS, ERRORS = "hits added", "errors taken away"


def mending(n_classes: int, alike: bool = False) -> Iterator[Step]:
    """The steps of monotonicity; of classes that are treated alike one stands for all."""
    for kind in (ROWS, COLUMNS):
        for i, j in _off_diagonal(n_classes, alike):
            yield Step(kind, (i, j), (i, i) if kind == ROWS else (j, j))


def adding(n_classes: int, alike: bool = False) -> Iterator[Step]:
    """The steps of strong monotonicity."""
    for i in range(1 if alike else n_classes):
        yield Step(HITS, None, (i, i))
    for place in _off_diagonal(n_classes, alike):
        yield Step(ERRORS, place, None)


def _off_diagonal(n_classes: int, alike: bool) -> list[Place]:
    found = [(i, j) for i in range(n_classes) for j in range(n_classes) if i != j]
    return found[:1] if alike else found


def decide_strictly_monotone(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Does every mended error strictly improve the value?"""
    return _decide(subject, question, mending, sizes)


def decide_strongly_monotone(subject: Subject, question: str, sizes: Sequence[int] = (2, 3)) -> Verdict:
    """Does every further hit strictly improve the value and every further error strictly worsen it?"""
    return _decide(subject, question, adding, sizes)


def _decide(subject: Subject, question: str, steps: Any, sizes: Sequence[int]) -> Verdict:
    used = sizes_for(subject, sizes)
    not_asked = no_better_end(subject, question, used)
    if not_asked is not None:
        return not_asked
    by_kind: dict[str, dict[int, Search]] = {}
    for c in used:
        for step in steps(c):
            known = by_kind.setdefault(step.kind, {})
            before = known.get(c, Search(None, 0))
            if before.found is None:
                search = _no_better(subject, step, c)
                known[c] = Search(search.found, before.cases + search.cases)
    searches = {
        c: Search(
            first_found(known[c] for known in by_kind.values()),
            sum(known[c].cases for known in by_kind.values()),
        )
        for c in used
    }
    if subject.symbolic and steps is mending and not any(s.found for s in searches.values()):
        argument = _every_c(subject)
        if argument is not None:
            tried = {c: s.cases for c, s in searches.items()}
            return for_every_c(subject.name, question, argument, tried, (f"{ROWS}, {COLUMNS}",))
    proofs = {c: _proofs(subject, steps, c, {k: v[c] for k, v in by_kind.items()}) for c in used}
    parts = tuple(at_one_size(c, searches[c], _all(proofs[c])) for c in used)
    inside = {c: _where_all_occur(subject, steps, c, {k: v[c] for k, v in by_kind.items()}) for c in used}
    notes = [
        _told(kind, {c: (known[c], proofs[c].get(kind), inside[c].get(kind, "")) for c in used})
        for kind, known in by_kind.items()
    ]
    return joined(subject.name, question, parts, first_found(searches.values()), notes)


def _all(attempts: dict[str, Attempt]) -> Attempt | None:
    if not attempts:
        return None
    failed = [a for a in attempts.values() if not a.proved]
    return failed[0] if failed else Attempt(True, methods_of(a.method for a in attempts.values()))


def _where_all_occur(
    subject: Subject, steps: Any, n_classes: int, found: dict[str, Search]
) -> dict[str, str]:
    """Of the kinds of step that were refuted: do they hold where every class has examples and is predicted,
    before and after?"""
    grades: dict[str, str] = {}
    for step in steps(n_classes):
        if found[step.kind].found is None or grades.get(step.kind) == "refuted":
            continue
        if _no_better(subject, step, n_classes, all_occur=True).found is not None:
            grades[step.kind] = "refuted"
            continue
        proved = subject.symbolic and _prove_step(subject, step, n_classes, all_occur=True).proved
        if grades.get(step.kind) != "open":
            grades[step.kind] = "proved" if proved else "open"
    return grades


def _told(kind: str, parts: dict[int, tuple[Search, Attempt | None, str]]) -> str:
    """What became of one kind of step, for each number of classes."""
    words = []
    for c, (search, attempt, inside) in parts.items():
        grade = "proved" if attempt is not None and attempt.proved else "open"
        if search.found is not None:
            grade = "refuted"
        also = (
            f" ({inside} where every class occurs in truth and prediction)"
            if inside in ("proved", "open")
            else ""
        )
        words.append(f"{grade} at C = {c}{also}")
    return f"{kind}: {', '.join(words)}"


def _no_better(subject: Subject, step: Step, n_classes: int, all_occur: bool = False) -> Search:
    """Two matrices, the second with the step taken, of which the second is not better."""
    sign = orientation(subject)
    before, after = step.applied(subject.small(n_classes))
    if step.kind == HITS:
        kept = ~_is_diagonal(before)
    elif step.kind == ERRORS:
        kept = np.diagonal(before, axis1=1, axis2=2).sum(axis=1) > 0
    else:
        kept = np.ones(len(before), dtype=bool)
    if all_occur:
        kept &= _all_occur(before) & _all_occur(after)
    before, after = before[kept], after[kept]
    with np.errstate(invalid="ignore"):
        gained = sign * (subject.floats(after) - subject.floats(before))
    suspects = np.flatnonzero(gained <= SUSPICIOUS)
    present = (before[suspects].sum(axis=2) > 0).all(axis=1) & (after[suspects].sum(axis=2) > 0).all(axis=1)
    for k in [*suspects[present][:CHECKED], *suspects[~present][:CHECKED]]:
        one, other = as_matrix(before[k].tolist()), as_matrix(after[k].tolist())
        values = subject.value(one), subject.value(other)
        if not any(map(is_nan, values)) and not subject.exceeds(*(values[::-1] if sign > 0 else values)):
            return Search(Counterexample((one, other), values, subject.exact), len(before))
    return Search(None, len(before))


def _all_occur(matrices: Array) -> Array:
    return np.asarray((matrices.sum(axis=1) > 0).all(axis=1) & (matrices.sum(axis=2) > 0).all(axis=1))


def _is_diagonal(matrices: Array) -> Array:
    return np.asarray(np.diagonal(matrices, axis1=1, axis2=2).sum(axis=1) == matrices.sum(axis=(1, 2)))


def _proofs(subject: Subject, steps: Any, n_classes: int, found: dict[str, Search]) -> dict[str, Attempt]:
    """An attempt for each kind of step that was not refuted."""
    if not subject.symbolic:
        return {}
    alike = prove_invariance(subject, classes_reordered, n_classes).proved
    attempts: dict[str, Attempt] = {}
    for step in steps(n_classes, alike):
        if found[step.kind].found is not None or not attempts.get(step.kind, Attempt(True, "")).proved:
            continue
        attempt = _prove_step(subject, step, n_classes)
        known = attempts.get(step.kind)
        attempts[step.kind] = (
            attempt
            if known is None or not attempt.proved
            else Attempt(True, methods_of([known.method, attempt.method]))
        )
    return attempts


def _prove_step(subject: Subject, step: Step, n_classes: int, all_occur: bool = False) -> Attempt:
    names = matrix_names(n_classes)
    diagonal = [f"m{i}_{i}" for i in range(n_classes)]
    groups: list[list[str]] = []
    if step.kind == HITS:
        groups.append([name for name in names if name not in diagonal])
    if step.kind == ERRORS:
        groups.append(diagonal)
    if all_occur:
        groups += step.margins(n_classes)
    higher = subject.measure.better == "higher"

    def compute(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> tuple[Any, Any]:
        before = generic_matrix(owner, n_classes, zeros)
        after = before.copy()
        amount = owner.variable("k")
        if step.loses is not None:
            before[step.loses] = before[step.loses] + amount
        if step.gains is not None:
            after[step.gains] = after[step.gains] + amount
        pair = subject.symbol(after, arithmetic), subject.symbol(before, arithmetic)
        return pair if higher else pair[::-1]

    def value(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> Any:
        return subject.symbol(generic_matrix(owner, n_classes, zeros), arithmetic)

    attempt = prove_greater([*names, "k"], compute, positive=("k",), groups=groups)
    if attempt.proved:
        return attempt
    rates = step.direction()
    by_slope = prove_rising(names, value, rates, positive=tuple(rates), groups=groups, falls=not higher)
    return by_slope if by_slope.proved else attempt


def _every_c(subject: Subject) -> Argument | None:
    """Of the two classes that a mended error touches, one term strictly improves and the other gets no
    worse."""
    term = class_term(subject.measure)
    if term is None or term.kind != "arithmetic":
        return None
    higher = subject.measure.better == "higher"

    def change(before: str, after: str) -> Compute:
        def values(owner: Field, arithmetic: Symbols, zeros: frozenset[str]) -> tuple[Any, Any]:
            cells = dict(zip(CELLS, cells_of(owner, zeros), strict=True))
            k = owner.variable("k")
            one = {name: v + k if name == before else v for name, v in cells.items()}
            two = {name: v + k if name == after else v for name, v in cells.items()}
            pair = tuple(term.at((c["d"], c["fn"], c["fp"], c["tn"]), arithmetic) for c in (two, one))
            return (pair[0], pair[1]) if higher else (pair[1], pair[0])

        return values

    used: list[Attempt] = []
    for moves in ((("fn", "d"), ("fp", "tn")), (("fp", "d"), ("fn", "tn"))):
        strict = [prove_greater([*CELLS, "k"], change(*move), positive=("k",)) for move in moves]
        if not any(a.proved for a in strict):
            return None
        for attempt, move in zip(strict, moves, strict=True):
            weak = attempt if attempt.proved else prove_not_less([*CELLS, "k"], change(*move))
            if not weak.proved:
                return None
            used.append(weak)
    words = (
        "of the two classes that a mended error touches the term of one strictly improves, that of the other"
        f" gets no worse, and no other changes: {methods_of(a.method for a in used)}"
    )
    return Argument.of(words, term, *used)
