"""Condition 3 of mullick2020: one failing class does not pull the value down to its worst."""

# One class i is found with a rate e that goes to 0, every other class with a rate of at least 1 - e. The
# value in the limit must stay better than the worst value the measure can take. The limit is taken in
# symbols: class i sends its examples to the others in any proportion, and what leaks into column i is of the
# order of e.

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.proofs.prover import symbols
from steelyard.proofs.prover.prove import BY_COEFFICIENTS, Attempt
from steelyard.proofs.prover.regions import Symbols, limit_at_zero
from steelyard.proofs.prover.subject import Subject, is_nan
from steelyard.proofs.prover.symbols import Field, TooHardError
from steelyard.proofs.questions import every_c
from steelyard.proofs.questions.bounds import declared, extremes
from steelyard.proofs.questions.deciding import SIZES, for_every_c, no_better_end, not_asked, sizes_for
from steelyard.proofs.questions.invariance import classes_reordered, prove_invariance
from steelyard.proofs.verdict import AtC, Counterexample, Verdict, as_matrix, joined

Array = NDArray[Any]


def decide_one_class_failing(subject: Subject, question: str, sizes: Sequence[int] = (3, 4)) -> Verdict:
    """Condition 3."""
    if subject.two_class_only:
        return not_asked(subject, question, "it is a measure of two classes", (2,))
    if (without_end := no_better_end(subject, question, sizes)) is not None:
        return without_end
    parts: list[AtC] = []
    counterexample: Counterexample | None = None
    for c in sizes_for(subject, sizes):
        worst = _worst(subject, c)
        if worst is None:
            parts.append(AtC(c, "not refuted", "its worst value is not known"))
            continue
        example, cases = _collapsed(subject, c, worst)
        if example is not None:
            counterexample = counterexample or example
            parts.append(AtC(c, "refuted", "a limit matrix with the worst value", cases))
            continue
        attempt = _prove(subject, c, worst)
        method = (
            attempt.method if attempt.proved else f"no limit matrix has the worst value, but {attempt.method}"
        )
        parts.append(AtC(c, "proved" if attempt.proved else "not refuted", method, cases))
    if counterexample is None and subject.symbolic and subject.measure.better == "higher":
        lows = {declared(subject, c)[0] for c in SIZES}
        low = lows.pop()
        argument = every_c.one_class_failing(subject.measure, low) if not lows and low is not None else None
        if argument is not None:
            tried = {p.n_classes: p.cases for p in parts}
            return for_every_c(subject.name, question, argument, tried)
    return joined(subject.name, question, parts, counterexample)


def _worst(subject: Subject, n_classes: int) -> Fraction | None:
    low, high = declared(subject, n_classes)
    if subject.bounds_known:
        return low if subject.measure.better == "higher" else high
    ends = extremes(subject, n_classes)
    return None if ends is None or is_nan(ends.low.value) else Fraction(ends.low.value)


def _collapsed(subject: Subject, n_classes: int, worst: Fraction) -> tuple[Counterexample | None, int]:
    """A limit matrix (one class wrong throughout, the others right throughout) whose value is the worst
    one."""
    shares = [s for s in itertools.product((0, 1, 2), repeat=n_classes - 1) if any(s)]
    sizes = [
        (1,) * (n_classes - 1),
        (2,) * (n_classes - 1),
        tuple(range(1, n_classes)),
        (9,) * (n_classes - 1),
    ]
    matrices = []
    for share, hits in itertools.product(shares, sizes):
        matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
        matrix[0, 1:] = share
        matrix[1:, 1:] = np.diag(hits)
        matrices.append(matrix)
    turned = [np.roll(m, (k, k), axis=(0, 1)) for m in matrices for k in range(n_classes)]
    batch = np.array(sorted(turned, key=lambda m: int(m.sum())))
    values = subject.floats(batch)
    for k in np.flatnonzero(np.abs(values - float(worst)) < 1e-9)[:10]:
        rows = as_matrix(batch[k].tolist())
        value = subject.value(rows)
        if not is_nan(value) and not subject.differ(value, worst):
            return Counterexample((rows,), (value,), subject.exact), len(batch)
    return None, len(batch)


def _prove(subject: Subject, n_classes: int, worst: Fraction) -> Attempt:
    """The limit is strictly better than the worst value, whichever classes receive the errors."""
    if not subject.symbolic or not symbols.available():
        return Attempt(False, "it cannot be examined in symbols")
    if not prove_invariance(subject, classes_reordered, n_classes).proved:
        return Attempt(False, "it is not known that all classes are treated alike")
    for size in range(1, n_classes):
        for receivers in itertools.combinations(range(1, n_classes), size):
            try:
                value = limit_of_one_class_failing(subject, n_classes, receivers)
                if isinstance(value, float):
                    return Attempt(False, "the limit is not defined")
                beyond = (value - worst) * subject.orientation
                if isinstance(beyond, Fraction):
                    positive = beyond > 0
                else:
                    top, bottom = beyond.combined()
                    positive = value.field.is_positive(top) and value.field.is_positive(bottom)
            except TooHardError as error:
                return Attempt(False, f"the algebra gave up: {error}")
            except (ZeroDivisionError, TypeError, AttributeError, ValueError) as error:
                return Attempt(False, f"the algebra does not follow the formula: {error}")
            if not positive:
                return Attempt(False, "the limit is not visibly better")
    return Attempt(True, f"the limit less the worst value is {BY_COEFFICIENTS}")


def limit_of_one_class_failing(subject: Subject, n_classes: int, receivers: Sequence[int]) -> Any:
    """The limit of the value as class 0 is found at a rate going to 0 and sends its examples to the
    receivers."""
    others = range(1, n_classes)
    names = ["e", *(f"s{j}" for j in receivers), *(f"h{j}" for j in others), *(f"a{j}" for j in others)]
    owner = Field(names)
    e = owner.variable("e")
    matrix = np.full((n_classes, n_classes), Fraction(0), dtype=object)
    matrix[0, 0] = e
    for j in receivers:
        matrix[0, j] = owner.variable(f"s{j}")
    for j in others:
        matrix[j, j] = owner.variable(f"h{j}")
        matrix[j, 0] = e * owner.variable(f"a{j}")
    value = subject.symbol(matrix, Symbols(owner))
    if owner.decisions.chosen:
        raise TooHardError("the limit depends on comparisons")
    # What leaks into the failing class may be nothing at all; everything else in the limit is positive.
    if any(all(name.startswith("a") for name in names_of_zero) for names_of_zero in owner.tested_for_zero):
        raise TooHardError("the formula asks whether a leak is 0")
    return limit_at_zero(value)
