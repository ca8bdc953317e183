"""What does a body see that is to be written in JavaScript? Views whose quantities are operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from steelyard.counts.labels import Label, Spoken
from steelyard.errors import InputError
from steelyard.measures.class_numbers import UNIFORM, ambiguous, matched, number_text, of_two
from steelyard.measures.script.traced import NotTraceableError, Trace, Traced
from steelyard.measures.undefined import Policy, Reasons
from steelyard.measures.view import View
from steelyard.measures.views import Classes, Sides, TwoClass


class Script:
    """Operations that are noted. What is undefined is NaN; the function that is asked for words tells why."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.policy = Policy()
        self.reasons: Reasons | None = None

    def native(self, counts: Any) -> Any:
        return counts

    def number(self, value: Any) -> Any:
        taken = self.trace.taken(value)
        return taken if isinstance(taken, Traced) else float(taken)

    def divide(self, numerator: Any, denominator: Any, fill: float) -> Any:
        raise AssertionError("a traced view notes its own quotients")

    def is_nan(self, values: Any) -> Any:
        return self.trace.elementwise("isNaN", values)

    def maximum(self, a: Any, b: Any) -> Any:
        return self.trace.elementwise("max", a, b)

    def sqrt(self, values: Any) -> Any:
        return self.trace.elementwise("sqrt", values)

    def log(self, value: Any) -> Any:
        return self.trace.elementwise("log", value)

    def entropy_terms(self, part: Any, rest: Any) -> Any:
        return self.trace.elementwise("entropy", part, rest)

    def exp_log_mean(self, terms: Any, weights: Any) -> Any:
        """Of a formula: the power of one value. Means over classes are noted by the view."""
        return self.trace.elementwise("raise", terms.item(), float(weights.item()))

    def choose(self, condition: Any, yes: Any, no: Any) -> Any:
        return self.trace.elementwise("choose", condition, yes, no)


class TracedView(View):
    """What the views have in common; `labels` is how the page finds the names of the classes."""

    arithmetic: Any
    raw: Any
    classes: Sequence[Label] | None = None
    """The names of all classes, where they were given."""

    def __init__(
        self, counts: Any, labels: Any, arithmetic: Any, weights: Any = None, everyone: Any = None
    ) -> None:
        super().__init__(counts, labels, arithmetic, weights, everyone)

    def like(self, counts: Any = None, weights: Any = None) -> Self:
        taken = self.raw if counts is None else self.trace.taken(counts)
        made = type(self)(
            taken, self.labels, self.arithmetic, self.weights if weights is None else self._list(weights)
        )
        made.classes = self.classes
        return made

    @property
    def trace(self) -> Trace:
        return self.arithmetic.trace  # type: ignore[no-any-return]

    def _list(self, weights: Any) -> Any:
        return self.trace.taken(weights)

    @property
    def n_classes(self) -> Any:
        length = self.raw.dims[0]
        return length if isinstance(length, int) else self.trace.node("size", dims=())

    def _of_cells(self, operation: str) -> Traced:
        """A quantity with one value a class."""
        return self.trace.node(operation, self.raw, dims=(self.raw.dims[0], *self.raw.dims[2:]))

    def _like_cells(self, operation: str) -> Traced:
        return self.trace.node(operation, self.raw, dims=self.raw.dims)

    def _ratio(self, numerator: Any, denominator: Any, because: str, fill: float) -> Any:
        bottom = self.trace.taken(denominator)
        value = self.trace.elementwise("over", numerator, bottom)
        return self.trace.node("because", value, bottom, because, self.labels, dims=value.dims)

    def half_turns(self, adjacent: Any, hypotenuse: Any, because: str) -> Any:
        return self.trace.elementwise("halfTurns", self.needed_ratio(adjacent, hypotenuse, because))

    def power(self, values: Any, exponent: float) -> Any:
        return self.trace.elementwise("raise", values, float(exponent))

    def root_of_product(self, a: Any, b: Any) -> Any:
        return self.trace.elementwise("rootOfProduct", a, b)

    def mean(self, terms: Any) -> Any:
        return self._mean("mean", terms)

    def geometric_mean(self, terms: Any) -> Any:
        return self._mean("geometricMean", terms)

    def _mean(self, operation: str, terms: Any) -> Any:
        taken = self.trace.taken(terms)
        if not isinstance(taken, Traced) or not taken.ndim:
            raise NotTraceableError("a mean of a single number")
        value = self.trace.node(operation, taken, self.weights, dims=taken.dims[1:])
        if self.weights is None:
            return value
        nothing = "no class with a defined term has any weight"
        return self.trace.node("noWeight", value, self.weights, nothing, self.labels, dims=value.dims)

    @cached_property
    def total(self) -> Any:
        return self.row_totals.sum(axis=0)

    @cached_property
    def row_totals(self) -> Any:
        return self.raw.sum(axis=1)

    @property
    def counts(self) -> Any:
        return self.raw


class TracedClasses(TracedView, Classes):
    """All classes of a matrix."""

    @cached_property
    def hits(self) -> Any:
        return self._of_cells("diagonal")

    @cached_property
    def predicted(self) -> Any:
        return self.raw.sum(axis=0)

    @cached_property
    def missed(self) -> Any:
        return self._of_cells("missed")

    @cached_property
    def false_alarms(self) -> Any:
        return self._of_cells("falseAlarms")

    @cached_property
    def elsewhere(self) -> Any:
        return self._like_cells("elsewhere")

    @cached_property
    def of_others(self) -> Any:
        return self._like_cells("withoutEach")

    @cached_property
    def rejected(self) -> Any:
        return self._of_cells("rejected")

    @cached_property
    def other_actual(self) -> Any:
        return self._others(self.actual)

    @cached_property
    def other_predicted(self) -> Any:
        return self._others(self.predicted)

    def _others(self, sizes: Any) -> Any:
        return self.trace.node("ofOthers", sizes, dims=sizes.dims)

    @cached_property
    def all_hits(self) -> Any:
        return self.hits.sum(axis=0)

    @cached_property
    def above_chance(self) -> Any:
        return self.trace.node("aboveChance", self.raw, dims=self.raw.dims[2:])

    def steps(self, power: int) -> Any:
        size = self.raw.dims[0]
        apart = self.trace.node("steps", self.n_classes, power, dims=(size, size))
        for axis in range(2, self.raw.ndim):  # one for all that is seen at once
            apart = self.trace.node("newAxis", apart, axis, dims=(*apart.dims, 1))
        return apart

    def against_rest(self) -> TwoClass:
        if self.raw.ndim != 2:
            raise NotTraceableError("one class against the rest of one class against the rest")
        cells = self.trace.node("againstRest", self.raw, dims=(2, 2, self.raw.dims[0]))
        return TracedTwoClass(cells, f"{self.labels}.map((name) => [name, restOf(name)])", self.arithmetic)

    def in_pairs(self) -> TwoClass:
        if self.raw.ndim != 2:
            raise NotTraceableError("pairs of classes within pairs of classes")
        cells = self.trace.node("ofPairs", self.raw, dims=(2, 2, "P"))
        pairs = f"{self.labels}.flatMap((a, i) => {self.labels}.filter((_, j) => j !== i).map((b) => [a, b]))"
        return TracedTwoClass(cells, pairs, self.arithmetic)

    def pair_sums(self, per_class: Any) -> Any:
        return self.trace.node("pairSums", per_class, dims=("P", *per_class.dims[1:]))

    def pair_weights(self) -> Any:
        return self.trace.node("pairWeights", self.weights, self.raw, dims=("P",))

    def numbers_of_classes(self, given: Any, what: str) -> tuple[Any, Any]:
        """Priors or relevance of the classes that are left, and whether one that is not has a number too."""
        if given == UNIFORM:
            return self.number(1) / self.n_classes, None
        if isinstance(given, (int, float, Fraction)):
            raise InputError(
                "one prior is not enough",
                found=f"{number_text(given)} for a measure of any number of classes",
                allowed="a prior for each class",
            )
        if hasattr(given, "scores_of"):
            given = given.scores_of(self._named(what))
        elif isinstance(given, Mapping):
            labels = self._named(what)
            given = [given[key] for key in matched(labels, given, what)]
        numbers = [float(value) for value in given]
        kept = self.trace.node("ofThose", numbers, dims=(self.raw.dims[0],))
        at = self.trace.node("absent", numbers, dims=())
        unknown = Spoken("{absent}") if what == "prior" and at >= 0 else None
        return kept, unknown

    def _named(self, what: str) -> Sequence[Label]:
        if self.classes is None:
            raise InputError(
                f"a {what} by label needs the labels",
                found="none",
                do="say to_javascript(labels=[...]), in the order of the rows",
            )
        return self.classes


class TracedTwoClass(TracedView, TwoClass):
    """A positive and a negative class, or one such pair for each class or pair of classes."""

    def numbers_of_classes(self, given: Any, what: str) -> tuple[Any, Any]:
        """The priors of the positive and the negative class, which may be known only when it runs."""
        if not isinstance(given, (Mapping, tuple)):
            return of_two(self, given), None
        if self.classes is None or len(self.classes) != 2:
            raise InputError(
                "priors by label of a measure of two classes need the labels of both",
                found="none" if self.classes is None else f"{len(self.classes)} labels",
                do="say to_javascript(labels=[...]) in the order of the rows, or at_priors with the prior of"
                " the positive class",
            )
        if not isinstance(given, Mapping):
            raise ambiguous(given)
        numbers = [float(given[key]) for key in matched(self.classes, given, what)]
        return self.trace.node("ofSides", numbers, dims=(2,)), None

    @cached_property
    def tp(self) -> Any:
        return self.raw[0, 0]

    @cached_property
    def fn(self) -> Any:
        return self.raw[0, 1]

    @cached_property
    def fp(self) -> Any:
        return self.raw[1, 0]

    @cached_property
    def tn(self) -> Any:
        return self.raw[1, 1]

    @cached_property
    def positives(self) -> Any:
        return self.row_totals[0]

    @cached_property
    def negatives(self) -> Any:
        return self.row_totals[1]

    @cached_property
    def as_classes(self) -> Classes:
        return TracedSides(self.raw, self.labels, self.arithmetic, self.weights)

    def pooled(self) -> TwoClass:
        cells = self.trace.node("pooled", self.raw, dims=(2, 2))
        return TracedTwoClass(cells, '[["the positive side", "the negative side"]]', self.arithmetic)


class TracedSides(TracedClasses, Sides):
    """The two sides of a two-class view, as two classes."""
