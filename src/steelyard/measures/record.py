"""The record of a measure: what it asks, its range, its sources, when it is undefined."""

# `measure` adds the graph of a measure of matrices and what it is to call one, `score_measure` the same
# for measures of scores. What is made of measures (operators, the catalogue) is found by name when it is
# asked for.

from __future__ import annotations

import functools
import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from numbers import Real
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, ParamSpec, cast

import numpy as np

from steelyard._lazy import module_named
from steelyard.counts.labels import Label, PositiveChoice
from steelyard.errors import InputError, UnknownNameError, parameter, warn
from steelyard.measures.class_numbers import number_text
from steelyard.measures.evaluate import at_size
from steelyard.measures.graph import CELLS, Node, as_node, number_of_classes
from steelyard.measures.tracing import traced
from steelyard.measures.undefined import Policy, Undefined

Kind = Literal["two-class", "multi-class", "scores"]
Better = Literal["higher", "lower", "neither"]
Recipe = tuple[Callable[..., "Measure"], tuple[Any, ...]]
P = ParamSpec("P")


@dataclass(frozen=True)
class Reference:
    """A publication."""

    key: str
    text: str
    doi: str = ""


@dataclass(frozen=True)
class Citation:
    """A place in a publication."""

    key: str
    where: str = ""

    @property
    def reference(self) -> Reference:
        return REFERENCES[self.key]

    def __str__(self) -> str:
        return f"{self.key} {self.where}".strip()


REFERENCES = {
    row["key"]: Reference(**row)
    for row in json.loads(Path(__file__).with_name("references.json").read_text(encoding="utf-8"))
}


def cite(*places: str) -> tuple[Citation, ...]:
    """Citations of places such as "garcia2012 section 2"."""
    # An unknown key fails at import, not in front of a reader.
    citations = tuple(Citation(*place.split(" ", 1)) for place in places)
    for citation in citations:
        REFERENCES[citation.key]
    return citations


class Needs(Enum):
    """What every class must have for the measure to have a value."""

    EXAMPLES = "examples of every class"
    PREDICTIONS = "predictions of every class"


EXAMPLES, PREDICTIONS = frozenset({Needs.EXAMPLES}), frozenset({Needs.PREDICTIONS})


class PositiveClassWarning(UserWarning):
    """No positive class was named and no convention applies: the rarer class was taken."""


# C as a node: a bound written as a function of it is traced once and is data then.
SIZE_NODE = as_node(number_of_classes(CELLS))


class _Traced:
    """Something written as a function: it is the graph that the function builds, and compared by it."""

    arguments: ClassVar[tuple[Node, ...]]
    builder: Callable[..., Any] | Node

    @cached_property
    def graph(self) -> Node:
        builder = self.builder
        return builder if isinstance(builder, Node) else traced(lambda: builder(*self.arguments))

    def _written(self) -> tuple[Any, ...]:
        return tuple(getattr(self, each.name) for each in fields(cast(Any, self))[:-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self._written(), self.graph)

    def __eq__(self, other: object) -> bool:
        # Graphs are interned; == of two nodes would build a third.
        same = isinstance(other, type(self)) and self._written() == other._written()
        return same and self.graph is cast(Any, other).graph

    def __hash__(self) -> int:
        return hash(self._written())


@dataclass(frozen=True, eq=False)
class ByClasses(_Traced):
    """A bound that depends on the number of classes C: a builder of one graph, run when it is declared."""

    text: str
    builder: Callable[[Any], Any] | Node
    arguments = (SIZE_NODE,)

    def at(self, n_classes: int) -> float | Fraction:
        value: float | Fraction = at_size(self.graph, n_classes)
        return value

    def __str__(self) -> str:
        return self.text


Bound = float | ByClasses


class Range(NamedTuple):
    """The least and the greatest value (or the limits they approach) over all matrices."""

    low: Bound
    high: Bound

    def at(self, n_classes: int) -> tuple[float, float]:
        low, high = self.exactly_at(n_classes)
        return float(low), float(high)

    def exactly_at(self, n_classes: int) -> tuple[float | Fraction, float | Fraction]:
        low, high = (bound.at(n_classes) if isinstance(bound, ByClasses) else bound for bound in self)
        return low, high

    def __str__(self) -> str:
        ends = (str(end) if isinstance(end, ByClasses) else f"{end:.3g}".replace("inf", "∞") for end in self)
        return " to ".join(ends)


UNIT = Range(0, 1)


# The value of the measure that a relation starts from.
_VALUE = Node("value")


@dataclass(frozen=True, eq=False)
class Relation(_Traced):
    """This measure is a function of another one (and of the number of classes) on every matrix."""

    text: str
    other: str
    builder: Callable[[Any, Any], Any] | Node
    arguments = (_VALUE, SIZE_NODE)

    def function(self, value: Any, n_classes: int) -> Any:
        """The value here, of the value there."""
        return at_size(self.graph, n_classes, {_VALUE: value})


class Derived:
    """A text of a record: what the declaration says, or else what is written of its graph when it is read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, record: Measure | None, owner: type) -> str:
        if record is None:
            # The default of the field.
            return ""
        # Written when it is read: most measures that an operator makes are never shown.
        texts = vars(record)
        if not texts[self.name]:
            texts[self.name] = record._derived(self.name)
        text: str = texts[self.name]
        return text

    def __set__(self, record: Measure, text: str) -> None:
        vars(record)[self.name] = text


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Measure(ABC):
    """A performance measure of a confusion matrix, or (kind "scores") of the scores behind it.

    >>> import steelyard as sy
    >>> gmean = sy.measure("gmean")
    >>> gmean
    <measure gmean: Geometric mean of the class recalls>
    >>> round(gmean([[90, 10], [30, 870]]), 3)
    0.933
    >>> round(gmean(["a", "a", "b", "b"], ["a", "b", "b", "b"]), 3)
    0.707
    >>> gmean.why_undefined([[0, 0], [30, 870]])
    "there are no examples of class 'c1'"
    >>> sy.measure("IAM").exact([[90, 10], [30, 870]])
    Fraction(43, 60)
    >>> isinstance(gmean, sy.Measure)
    True
    """

    id: str
    title: str
    question: str
    #: LaTeX, in the notation of docs/notation.md; without one it is written of the graph.
    formula: Derived = Derived()
    #: The formula in one line of plain text.
    reads: Derived = Derived()
    kind: Kind
    range: Range = UNIT
    better: Better = "higher"
    #: How the papers write it.
    symbols: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sources: tuple[Citation, ...] = ()
    #: When it has no value; without words of its own they are those of the reasons in the graph.
    undefined_when: Derived = Derived()
    #: What a class may not lack; `undefined_when` says the same, and more, in words.
    needs: frozenset[Needs] = frozenset()
    #: Is it one of those that reports show for every matrix? The others are found by name and listed by
    #: `catalogue(wide=True)`.
    usual: bool = True
    #: Does it take the order of the labels for an order of the classes?
    ordered: bool = False
    #: Does it change when all counts are multiplied?
    depends_on_size: bool = False
    #: Of two classes, does it never get worse when a wrong prediction becomes the right one?
    monotone: bool = False
    #: The (worst, best) values of the normalised value, where they are not the ends of the range.
    scale: Range | None = None
    relations: tuple[Relation, ...] = ()
    notes: tuple[str, ...] = ()
    #: Those that are not at their default.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Makes this measure with other parameters.
    remake: Callable[..., Measure] | None = None
    #: The operator that made it, and what of.
    recipe: Recipe | None = None
    #: The measure that this one evaluates after scaling the rows to fixed priors, kept under every name:
    #: it then cannot depend on them.
    at_fixed_priors_of: Measure | None = None

    @property
    @abstractmethod
    def over_classes(self) -> bool:
        """Is it made of means over classes, so that classes can be weighted by relevance?"""

    @abstractmethod
    def _derived(self, name: str) -> str:
        """The formula, or how it reads, where the declaration does not say it."""

    # -- values

    def __call__(
        self,
        counts: Any,
        predicted: Any = None,
        /,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        undefined: Undefined = "nan",
        positive: Label | None = None,
    ) -> Any:
        """The value on counts of shape (..., C, C), rows truth: a float, or an array in the shape of the
        batch; of a metric of scores on `ScoreCounts`.

        Given two columns, of true labels and of predicted labels (or scores), it counts them first; `labels`
        and `sample_weight` are about columns.
        """
        if predicted is not None:
            counts = self._counted(counts, predicted, labels, sample_weight, positive)
        elif labels is not None or sample_weight is not None:
            raise InputError(
                f"{self.name} was given {parameter('labels')} or sample_weight= without columns",
                do=self._TO_COUNT,
            )
        return self._value(counts, Policy.of(undefined), positive)

    #: What to do where columns are missing.
    _TO_COUNT = ""

    @abstractmethod
    def _counted(
        self, y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, positive: Label | None
    ) -> Any:
        """Columns, counted."""

    @abstractmethod
    def _value(self, counts: Any, policy: Policy, positive: Label | None) -> Any:
        """The value on counts."""

    def exact(
        self, counts: Any, *, undefined: Undefined = "nan", positive: Label | None = None
    ) -> Fraction | float:
        """The value on one matrix as an exact fraction (roots and logarithms to 60 digits); NaN where
        undefined. Counts may be ints, floats (taken as they are written), Fractions or Decimals."""
        raise self._of_scores("has no exact value")

    @abstractmethod
    def why_undefined(self, counts: Any, *, positive: Label | None = None) -> Any:
        """Why has it no value here: words, or None where it has one; for a batch an array of them."""

    def to_javascript(
        self, *, labels: Sequence[Label] | None = None, positive: Label | None = None, words: bool = False
    ) -> str:
        """The measure as the text of a JavaScript function `(rows) => number` of rows of counts.

        The function needs nothing else, and gives NaN where the measure is undefined. Without `labels`,
        classes that hold nothing are left out; the positive class of a measure of two classes is the last one
        unless `positive` names another. With `words` it is `(rows, options) => ({ value, why })`, where `why`
        says in words why there is no value.

        >>> import steelyard as sy
        >>> print(sy.measure("recall").to_javascript().splitlines()[0])
        (rows) => {
        """
        raise self._of_scores("cannot be written in JavaScript")

    def _of_scores(self, what: str) -> InputError:
        allowed = "metrics of a confusion matrix"
        return InputError(f"{self.name} {what}", found="a metric of scores", allowed=allowed)

    def to_dict(self) -> dict[str, Any]:
        """The measure as plain data that `from_dict` reads back."""
        # One of scores by its name in the catalogue.
        return {"kind": self.kind, "name": self.name, "graph": None, "opaque": "a metric of scores"}

    @staticmethod
    def from_dict(facts: Mapping[str, Any]) -> Measure:
        """The measure that `to_dict` wrote.

        >>> import json, steelyard as sy
        >>> again = sy.Measure.from_dict(json.loads(json.dumps(sy.measure("gmean").to_dict())))
        >>> round(again([[90, 10], [30, 870]]), 3)
        0.933
        """
        read: Measure = module_named("steelyard.measures.measure").from_dict(facts)
        return read

    def score(self, y_true: Any, y_pred: Any, **options: Any) -> float:
        """The value straight from columns, with the options of a call."""
        return float(self(y_true, y_pred, **options))

    # -- other measures made of this one

    def at_priors(self, priors: Any) -> Measure:
        """This measure at these class priors, class rates unchanged. See `operators.at_priors`."""
        measure: Measure = module_named("steelyard.measures.operators").at_priors(self, priors)
        return measure

    def weighted_by(self, relevance: Any) -> Measure:
        """This mean over classes, weighted by relevance. See `operators.weighted_by`."""
        measure: Measure = module_named("steelyard.measures.operators").weighted_by(self, relevance)
        return measure

    def named(self, **facts: Any) -> Measure:
        """The same measure under a name (and with symbols, a question, ...) of its own."""
        # What it was made of is kept, so that another process can make it again and find the same name.
        return replace(self, **_as_tuples(facts), recipe=(renamed, (self, facts)))

    # -- what is said of it

    @property
    def name(self) -> str:
        """The id with its parameters, by which `sy.measure` finds it again."""
        written = [v if isinstance(v, str) else f"{k}={number_text(v)}" for k, v in self.parameters.items()]
        return f"{self.id}({', '.join(written)})" if written else self.id

    @property
    def title_inside(self) -> str:
        """The title as it stands inside a sentence."""
        # A small letter first, unless the first word is a name or a symbol.
        first = self.title.split()[0]
        is_name = {"'", "-"} & set(first) or first[1:2].isupper() or first in _NAMES_OF_PEOPLE.split()
        return self.title if is_name else self.title[0].lower() + self.title[1:]

    def worst_and_best(self, n_classes: int) -> tuple[float | Fraction, float | Fraction] | None:
        """The two ends of the normalised value, or None where the range is unbounded or no end is better."""
        worst, best = (self.scale or self.range).exactly_at(n_classes)
        if self.scale is None and self.better == "lower":
            worst, best = best, worst
        finite = all(not isinstance(end, Real) or np.isfinite(float(end)) for end in (worst, best))
        return (worst, best) if self.better != "neither" and finite and worst != best else None

    def normalise(self, value: Any, n_classes: int) -> Any:
        """The value between 0 (worst) and 1 (best), or None where there is no such scale."""
        ends = self.worst_and_best(n_classes)
        return None if ends is None else (value - float(ends[0])) / float(ends[1] - ends[0])

    def __repr__(self) -> str:
        return f"<measure {self.name}: {self.title}>"

    # -- equality, copies and pickles: the same measure, never another that happens to bear its id

    def __eq__(self, other: object) -> bool:
        same_kind = type(self) is type(other)
        return self is other or (same_kind and self._compared() == cast(Any, other)._compared())

    def __hash__(self) -> int:
        return hash(self.id)

    @abstractmethod
    def _compared(self) -> Any:
        """What two measures have in common that are the same."""

    def __copy__(self) -> Measure:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Measure:
        return self

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # A measure of the catalogue is pickled by its id: short, and the same object where it is read.
        listed: tuple[Any, ...] | None = module_named("steelyard.measures.catalogue").address(self)
        return listed or (_restored, (type(self), self._facts()))

    def _facts(self) -> dict[str, Any]:
        # What a copy of the record is made of; how an operator made it is not part of it.
        facts = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return {**facts, "recipe": None, "remake": None}


# Names with an apostrophe ("Cohen's kappa") are known by it.
_NAMES_OF_PEOPLE = "Matthews Scott Gwet Bennett Cohen Cramér Yule Krippendorff Bangdiwala Youden"


def declared(record: Callable[..., Measure], **facts: Any) -> Measure:
    """A record as its declaration says."""
    if "title" in facts:
        facts.setdefault("id", facts["title"].casefold().replace(" ", "_"))
    known = _facts_of(record)
    for fact in facts:
        if fact not in known:
            raise UnknownNameError("fact of a measure", fact, known)
    lacking = [name for name, p in known.items() if p.default is p.empty and name not in facts]
    if lacking:
        raise InputError(
            "the declaration of a measure lacks facts",
            found=f"no {', '.join(lacking)}",
            do="help(steelyard.two_class) shows a whole one",
        )
    if "range" in facts:
        facts["range"] = Range(*facts["range"])
    return record(**_as_tuples(facts))


def _as_tuples(facts: Mapping[str, Any]) -> dict[str, Any]:
    # Notes may be written as one text, a line each, and aliases with blanks between them.
    between = {"notes": "\n", "aliases": " "}
    return {
        k: tuple(v.split(between[k])) if k in between and isinstance(v, str) else v for k, v in facts.items()
    }


class Family(Generic[P]):
    """A measure with parameters: a function that makes one of their values."""

    def __init__(self, make: Callable[P, Measure]) -> None:
        functools.update_wrapper(self, make)
        self.make = make

    def __call__(self, *args: P.args, **named: P.kwargs) -> Measure:
        measure = self.make(*args, **named)
        bound = inspect.signature(self.make).bind(*args, **named)
        bound.apply_defaults()
        usual = bound.signature.parameters
        # Parameters at their default are left out of the name, so f_beta(beta=1) is f_beta.
        shown = {key: value for key, value in bound.arguments.items() if value != usual[key].default}
        return replace(measure, parameters={**measure.parameters, **shown}, remake=self)


def in_order(names: Mapping[str, Any], **listed: Mapping[str, Any]) -> tuple[Measure, ...]:
    """The measures that a module declares, in their order; of a family that of the listed parameters."""
    members = (v(**listed.get(name, {})) if isinstance(v, Family) else v for name, v in names.items())
    return tuple(value for value in members if isinstance(value, Measure))


# What a declaration of this kind may say.
_facts_of = cache(lambda record: inspect.signature(record).parameters)


def renamed(measure: Measure, facts: dict[str, Any]) -> Measure:
    """A measure that was given a name of its own, made again."""
    return measure.named(**facts)


def _restored(record: Callable[..., Measure], facts: dict[str, Any]) -> Measure:
    return record(**facts)


def warn_if_guessed(measure: Measure, choice: PositiveChoice) -> None:
    """Say which class was taken for the positive one where nobody decided it."""
    if choice.guessed:
        warn(
            f"{measure.name}: {choice.label!r} is taken for the positive class because {choice.reason}; say"
            " positive=... to decide it",
            PositiveClassWarning,
        )
