"""Monotonicity: never worse, strictly better (gosgens2021), or better with every added hit."""

# Monotone: an example moved from an error to the hit of its row (its prediction is mended) or of its column
# (its label is) strictly improves the value. Strongly monotone: a further hit strictly improves it, unless
# everything is right already, and a further error strictly worsens it, unless nothing is right. Pairs of
# matrices of which one has no value are left out.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from steelyard.counts.labels import Array
from steelyard.proofs.prover.prove import Attempt, methods_of, prove_not_less, together
from steelyard.proofs.prover.refuter import CHECKED, SUSPICIOUS, Search, verified
from steelyard.proofs.prover.regions import Compute, Point, matrix_names
from steelyard.proofs.prover.strict_inequalities import prove_greater, prove_rising
from steelyard.proofs.prover.subject import Subject, all_present
from steelyard.proofs.prover.subject import all_occur as in_truth_and_prediction
from steelyard.proofs.questions import deciding
from steelyard.proofs.questions.deciding import CELLS, Argument, ClassTerm, class_term, decided, first_found
from steelyard.proofs.questions.every_c import never_negative_if_geometric
from steelyard.proofs.questions.extremal_agreement import is_end
from steelyard.proofs.questions.invariance import classes_reordered, prove_invariance
from steelyard.proofs.verdict import Verdict

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

    def margins(self, n_classes: int) -> list[list[str]]:
        """The sets of cells of which one must not be empty if each class is to occur, before and after."""
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
    places = [(i, j) for i in range(n_classes) for j in range(n_classes) if i != j]
    return places[:1] if alike else places


def decide_monotone(subject: Subject, question: str, sizes: Sequence[int]) -> Verdict:
    """Does the value never get worse when an error becomes a hit?"""
    searches: dict[int, Search] = {}
    for c in sizes:
        example, cases = None, 0
        for step in mending(c):
            if step.kind == ROWS and example is None:
                search = _no_better(subject, step, c, only_worse=True)
                example, cases = search.counterexample, cases + search.cases
        searches[c] = Search(example, cases)
    argument = partial(_argument, subject, strict=False)
    return decided(subject, question, searches, partial(_prove_monotone, subject), argument)


def _prove_monotone(subject: Subject, n_classes: int) -> Attempt:
    """The value after less the value before is never negative."""
    # One cell stands for all where the order of the classes is immaterial.
    alike = not subject.two_class_only and prove_invariance(subject, classes_reordered, n_classes).proved
    effort = 6_000_000 if n_classes == 2 else 3_200_000
    attempts = []
    for step in mending(n_classes, alike):
        if step.kind == ROWS:
            compared = _values_after_and_before(subject, step, n_classes)
            attempts.append(prove_not_less([*matrix_names(n_classes), "k"], compared, effort))
            if not attempts[-1].proved:
                return attempts[-1]
    return together(attempts)


def decide_strict(subject: Subject, question: str, sizes: Sequence[int], steps: Any) -> Verdict:
    """Does each of these steps strictly improve the value?"""
    by_kind: dict[str, dict[int, Search]] = {}
    for c in sizes:
        for step in steps(c):
            known = by_kind.setdefault(step.kind, {})
            before = known.get(c, Search(None, 0))
            if before.counterexample is None:
                search = _no_better(subject, step, c)
                known[c] = Search(search.counterexample, before.cases + search.cases)
    searches = {
        c: Search(
            first_found(known[c] for known in by_kind.values()),
            sum(known[c].cases for known in by_kind.values()),
        )
        for c in sizes
    }
    if subject.symbolic and steps is mending and first_found(searches.values()) is None:
        argument = _argument(subject, strict=True)
        if argument is not None:
            noted = replace(argument, notes=(f"{ROWS}, {COLUMNS}",))
            return deciding.for_every_c(subject, question, noted, {c: s.cases for c, s in searches.items()})
    proofs = {c: _proofs(subject, steps, c, {k: v[c] for k, v in by_kind.items()}) for c in sizes}
    notes = []
    # What became of each kind of step, for each number of classes.
    for kind, known in by_kind.items():
        words = []
        for c in sizes:
            attempt, inside = proofs[c].get(kind), ""
            grade = "proved" if attempt is not None and attempt.proved else "open"
            if known[c].counterexample is not None:
                grade, inside = "refuted", _where_all_occur(subject, steps, c, kind)
            words.append(f"{grade} at C = {c}{inside}")
        notes.append(f"{kind}: {', '.join(words)}")

    def prove(c: int) -> Attempt:
        attempt = together(list(proofs[c].values()))
        return Attempt(True, attempt.method) if attempt.proved else attempt

    return decided(subject, question, searches, prove, notes=notes)


def _where_all_occur(subject: Subject, steps: Any, n_classes: int, kind: str) -> str:
    """Does a kind of step that was refuted hold where every class has examples and is predicted?"""
    grade = "proved"
    for step in steps(n_classes):
        if step.kind == kind:
            if _no_better(subject, step, n_classes, all_occur=True).counterexample is not None:
                return ""
            if not (subject.symbolic and _prove_step(subject, step, n_classes, all_occur=True).proved):
                grade = "open"
    return f" ({grade} where every class occurs in truth and prediction)"


def _no_better(
    subject: Subject, step: Step, n_classes: int, *, all_occur: bool = False, only_worse: bool = False
) -> Search:
    """Two matrices, the second with the step taken, of which the second is not better, or even worse."""
    sign = subject.orientation
    before, after = step.applied(subject.small(n_classes))
    if step.kind == HITS:
        applies = ~is_end(before, "best")
    elif step.kind == ERRORS:
        applies = ~is_end(before, "worst")
    else:
        applies = all_present(before) | (not only_worse)
    if all_occur:
        applies &= in_truth_and_prediction(before) & in_truth_and_prediction(after)
    before, after = before[applies], after[applies]
    with np.errstate(invalid="ignore"):
        gained = sign * (subject.floats(after) - subject.floats(before))
    suspects = np.flatnonzero(gained < -SUSPICIOUS if only_worse else gained <= SUSPICIOUS)
    present = all_present(before[suspects]) & all_present(after[suspects])

    def fails(*values: Fraction | float) -> bool:
        worse, better = values[::sign]
        return subject.exceeds(worse, better) if only_worse else not subject.exceeds(better, worse)

    checked = [*suspects[present][:CHECKED], *suspects[~present][:CHECKED]]
    return Search(verified([subject], ((before[k], after[k]) for k in checked), fails), len(before))


def _proofs(subject: Subject, steps: Any, n_classes: int, searches: dict[str, Search]) -> dict[str, Attempt]:
    """An attempt for each kind of step that was not refuted."""
    if not subject.symbolic:
        return {}
    alike = prove_invariance(subject, classes_reordered, n_classes).proved
    attempts: dict[str, Attempt] = {}
    for step in steps(n_classes, alike):
        known = attempts.get(step.kind)
        if searches[step.kind].counterexample is None and (known is None or known.proved):
            attempt = _prove_step(subject, step, n_classes)
            if known is not None and attempt.proved:
                attempt = Attempt(True, methods_of([known.method, attempt.method]))
            attempts[step.kind] = attempt
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
    compared = _values_after_and_before(subject, step, n_classes)
    attempt = prove_greater([*names, "k"], compared, positive=("k",), groups=groups)
    if attempt.proved:
        return attempt
    # The rates at which the cells change.
    changed = ((step.gains, 1), (step.loses, -1))
    rates = {f"m{place[0]}_{place[1]}": rate for place, rate in changed if place is not None}

    def value(at: Point) -> Any:
        return subject.symbol(at.matrix(n_classes), at.numbers)

    falls = subject.orientation < 0
    by_slope = prove_rising(names, value, rates, positive=tuple(rates), groups=groups, falls=falls)
    return by_slope if by_slope.proved else attempt


def _values_after_and_before(subject: Subject, step: Step, n_classes: int) -> Compute:
    """The better value first, as the statement has it."""

    def compute(at: Point) -> tuple[Any, Any]:
        before, after = at.matrix(n_classes), at.matrix(n_classes)
        if step.loses is not None:
            before[step.loses] = before[step.loses] + at["k"]
        if step.gains is not None:
            after[step.gains] = after[step.gains] + at["k"]
        pair = subject.symbol(after, at.numbers), subject.symbol(before, at.numbers)
        return pair[:: subject.orientation]

    return compute


# A mended error turns a miss of one class into a hit and a false alarm of another into a rejection, or a
# false alarm into a hit and a miss into a rejection where the label is mended; every other class stays as it
# was.
MENDED_PREDICTION = (("fn", "d"), ("fp", "tn"))
MENDED_LABEL = (("fp", "d"), ("fn", "tn"))


def _change_of_term(term: ClassTerm, orientation: int, before: str, after: str) -> Compute:
    """The term of a class after and before one of its examples moves from a cell to another."""

    def values(at: Point) -> tuple[Any, Any]:
        pair = (
            term.at([at[name] + at["k"] if name == gaining else at[name] for name in CELLS], at.numbers)
            for gaining in (after, before)
        )
        return tuple(pair)[::orientation]

    return values


def _argument(subject: Subject, strict: bool) -> Argument | None:
    """Of the two classes that a mended error touches, no term gets worse; if `strict`, one improves."""
    term = class_term(subject.measure)
    if term is None or not (term.kind == "arithmetic" if strict else never_negative_if_geometric(term)):
        return None
    names, used = [*CELLS, "k"], []
    for moves in (MENDED_PREDICTION, MENDED_LABEL) if strict else (MENDED_PREDICTION,):
        changes = [_change_of_term(term, subject.orientation, *move) for move in moves]
        improved = [prove_greater(names, change, positive=("k",)) if strict else None for change in changes]
        if strict and not any(a is not None and a.proved for a in improved):
            return None
        for attempt, change in zip(improved, changes, strict=True):
            strictly = attempt is not None and attempt.proved
            used.append(attempt if attempt and strictly else prove_not_less(names, change))
            if not used[-1].proved:
                return None
    words = (
        "of the two classes that a mended error touches the term of one strictly improves, that of the other"
        " gets no worse, and no other changes"
        if strict
        else "neither the term of the class that gains a hit nor that of the class that loses a false alarm"
        " gets worse, and no other changes"
    )
    return Argument.of(f"{words}: {methods_of(a.method for a in used)}", term, *used)
