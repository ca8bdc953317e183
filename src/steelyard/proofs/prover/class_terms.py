"""Is a measure a mean of one term per class, so that what is proved of one term holds for every number of
classes?

The body is run on a view that shows a single class: its hits, misses, false alarms and the rest, as four free
symbols. A body that takes a mean of something made of these alone is a mean over classes whose terms see only
their own class against all others; a body that looks at anything else (single cells, all hits, the number of
classes) is not, and nothing is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, Never, Self

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.labels import Spoken
from steelyard.measures.measure import Measure
from steelyard.measures.views import Classes
from steelyard.proofs.body_check import sees_one_class
from steelyard.proofs.prover import certificates, symbols
from steelyard.proofs.prover.expression_trees import TreeArithmetic, TreeField
from steelyard.proofs.prover.regions import Symbols
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.prover.symbols import Field, TooHardError

Array = NDArray[Any]
CELLS = ("d", "fn", "fp", "tn")


class _LooksElsewhereError(Exception):
    """The body asks for more than one class's own quantities."""


@dataclass(frozen=True)
class _Mean:
    kind: Literal["arithmetic", "geometric"]
    term: Any


class _OneClass(Classes):
    """One class against the rest, everything else out of sight."""

    def __init__(self, cells: tuple[Any, Any, Any, Any], arithmetic: Symbols) -> None:
        self.cells = [np.array([cell], dtype=object) for cell in cells]
        self.labels = [Spoken("the class")]
        self.arithmetic = arithmetic
        self.weights = None

    def _elsewhere(self, *_: Any, **__: Any) -> Never:
        raise _LooksElsewhereError

    raw = counts = n_classes = all_hits = above_chance = property(_elsewhere)
    in_pairs = with_rows_scaled = _elsewhere

    def like(self, counts: Any = None, weights: Any = None) -> Self:
        self._elsewhere()

    def mean(self, terms: Array) -> Any:
        return _Mean("arithmetic", terms[0])

    def geometric_mean(self, terms: Array) -> Any:
        return _Mean("geometric", terms[0])

    @cached_property
    def _hits(self) -> Array:
        return self.cells[0]

    @cached_property
    def _actual(self) -> Array:
        return np.asarray(self.cells[0] + self.cells[1])

    @cached_property
    def _predicted(self) -> Array:
        return np.asarray(self.cells[0] + self.cells[2])

    @cached_property
    def _total(self) -> Array:
        return np.asarray(sum(self.cells[1:], start=self.cells[0])[0], dtype=object)


@dataclass(frozen=True)
class ClassTerm:
    """The term a measure is the mean of."""

    measure: Measure
    kind: Literal["arithmetic", "geometric"]

    def at(self, cells: tuple[Any, Any, Any, Any], arithmetic: Symbols) -> Any:
        """The term on [[d, fn], [fp, tn]]."""
        mean = self.measure.body(_OneClass(cells, arithmetic))
        assert isinstance(mean, _Mean)
        return mean.term


def class_term(measure: Measure) -> ClassTerm | None:
    """The term this measure is the mean of, or None if it is not such a mean."""
    if measure.kind != "multi-class" or not symbols.available() or not sees_one_class(measure):
        return None
    owner = Field(CELLS)
    try:
        mean = measure.body(_OneClass(cells_of(owner), Symbols(owner)))
    except (_LooksElsewhereError, TooHardError, TypeError, AttributeError, ValueError, ZeroDivisionError):
        return None
    return ClassTerm(measure, mean.kind) if isinstance(mean, _Mean) else None


def cells_of(owner: Field, zeros: frozenset[str] = frozenset()) -> tuple[Any, Any, Any, Any]:
    """Hits, misses, false alarms and the rest of one class, those named set to 0."""
    d, fn, fp, tn = (Fraction(0) if name in zeros else owner.variable(name) for name in CELLS)
    return d, fn, fp, tn


INSTANCES = (
    ((3, 1), (2, 5)),
    ((3, 1, 2), (1, 4, 1), (2, 2, 5)),
    ((6, 1, 2, 1), (1, 4, 1, 3), (2, 2, 5, 1), (1, 1, 1, 7)),
)
"""Matrices on which a measure must be the mean of its terms."""


def note(term: ClassTerm) -> None:
    """File that the measure is the mean of this term, for the checker to work out on some matrices."""
    if not certificates.wanted():
        return
    owner = TreeField(CELLS)
    cells = tuple(owner.variable(name) for name in CELLS)
    written = term.at(cells, TreeArithmetic(owner))  # type: ignore[arg-type]
    values = [Subject(term.measure).value(rows) for rows in INSTANCES]
    certificates.note_mean(written, term.kind, list(zip(INSTANCES, values, strict=True)))
