"""What happens where a denominator is 0?

One policy for the whole catalogue, chosen by the caller:
- "nan" (default): the value is NaN, and the reason can be asked for in words;
- "skip": a class whose term is undefined is left out and the weights of the others are renormalised
(branco2017 section 4.3);
- a number: the undefined term takes this value;
- "raise": an error that gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError

Array = NDArray[Any]
# What callers write: "nan", "skip", "raise" or a number.
Undefined = str | float

NAN: Final = float("nan")

# The reasons, as templates: {label} is a class, {positive} and {negative} the two sides of a two-class view.
NO_EXAMPLES = "there are no examples of {label}"
NEVER_PREDICTED = "nothing was predicted as {label}"
NEITHER = "{label} has neither examples nor predictions"
NO_POSITIVES = "there are no examples of {positive}"
NO_NEGATIVES = "there are no examples of {negative}"
NOTHING_POSITIVE = "nothing was predicted as {positive}"
NOTHING_NEGATIVE = "nothing was predicted as {negative}"
NO_SIDE = "there is no {positive}, neither true nor predicted"
SAME_CLASS = "truth and prediction are one and the same single class"
EMPTY = "the matrix is empty"
NEVER_UNDEFINED = "never, unless the matrix is empty"

# The usual reasons as a definition says them: of two classes, and of each class against the rest.
_SAID: Final = {
    NO_EXAMPLES: ("a class has no examples", "a class has no examples"),
    NO_POSITIVES: ("there are no positive examples", "a class has no examples"),
    NO_NEGATIVES: ("there are no negative examples", "one class has all of them"),
    NEVER_PREDICTED: ("a class is never predicted", "a class is never predicted"),
    NOTHING_POSITIVE: ("nothing is predicted positive", "a class is never predicted"),
    NOTHING_NEGATIVE: ("nothing is predicted negative", "one class only is predicted"),
    NEITHER: ("a class has neither examples nor predictions",) * 2,
    NO_SIDE: (
        "there are no positive examples and nothing is predicted positive",
        "a class has neither examples nor predictions",
    ),
    SAME_CLASS: ("every example is of one class and predicted as it",) * 2,
}
# Two things that are said as one.
_TOGETHER: Final = {
    ("there are no positive examples", "there are no negative examples"): "a class has no examples",
    ("nothing is predicted positive", "nothing is predicted negative"): (
        "one of the classes is never predicted"
    ),
    ("a class has no examples", "a class is never predicted"): (
        "a class has no examples or is never predicted"
    ),
}


def undefined_when(reasons: Iterable[str], two_classes: bool) -> str:
    """When a definition with these reasons has no value, in words."""
    given = dict.fromkeys(reasons)
    usual = [words[0 if two_classes else 1] for reason, words in _SAID.items() if reason in given]
    sides = {"positive": "the positive class", "negative": "the negative class", "label": "a class"}
    own = [reason.format(**sides) for reason in given if reason not in _SAID and reason != EMPTY]
    said = list(dict.fromkeys([*usual, *own]))
    for (one, other), both in _TOGETHER.items():
        if one in said and other in said:
            said[said.index(one)] = both
            said.remove(other)
    return ", or ".join(said) or NEVER_UNDEFINED


@dataclass(frozen=True)
class Policy:
    """The caller's choice, checked."""

    fill: float = NAN
    skips: bool = False
    raises: bool = False

    @classmethod
    def of(cls, undefined: Undefined) -> Policy:
        if isinstance(undefined, str):
            known = {"nan": cls(), "skip": cls(skips=True), "raise": cls(raises=True)}
            if undefined in known:
                return known[undefined]
        elif (
            isinstance(undefined, Real) and not isinstance(undefined, bool) and np.isfinite(float(undefined))
        ):
            return cls(fill=float(undefined))
        elif isinstance(undefined, float) and np.isnan(undefined):
            return cls()
        raise InputError(
            "undefined= is not a policy",
            found=repr(undefined),
            allowed='"nan", "skip", "raise" or a finite number',
        )

    @property
    def fills(self) -> bool:
        return not np.isnan(self.fill)


@dataclass
class Reasons:
    """Where terms were undefined while a measure was evaluated, so that a NaN can be explained in words."""

    found: list[tuple[Array, Callable[[tuple[int, ...]], str]]] = field(default_factory=list)
    _said: dict[tuple[bytes, ...], str] = field(default_factory=dict)

    def record(self, undefined: Array, describe: Callable[[tuple[int, ...]], str]) -> None:
        """`undefined` has the batch as last axis, and before it the classes (or pairs) if the term has one
        per class."""
        self.found.append((undefined, describe))

    def at(self, position: int) -> str:
        """The reasons, in words, for one matrix of the batch; matrices that lack the same are told the
        same."""
        # Of a million matrices few lack something different: the words are made once for each.
        lacking = tuple(self._here(undefined, position).tobytes() for undefined, _ in self.found)
        if lacking not in self._said:
            self._said[lacking] = "; ".join(dict.fromkeys(self._words(position))) or EMPTY
        return self._said[lacking]

    def at_each(self, positions: Array) -> list[str]:
        """The same for many of them: words are found once for all that lack the same."""
        lacking = [undefined[..., positions] for undefined, _ in self.found if undefined.shape[-1] > 1]
        if not lacking or not len(positions):
            return [self.at(int(position)) for position in positions]
        bits = np.packbits(np.concatenate([each.reshape(-1, len(positions)) for each in lacking]), axis=0)
        _, first, which = np.unique(bits, axis=1, return_index=True, return_inverse=True)
        said = [self.at(int(positions[k])) for k in first]
        return [said[k] for k in which.reshape(-1).tolist()]

    def clear(self) -> None:
        """Forget what was found, for the next batch."""
        self.found.clear()
        self._said.clear()

    @staticmethod
    def _here(undefined: Array, position: int) -> Array:
        return undefined[..., position] if undefined.shape[-1] > 1 else undefined[..., 0]

    def _words(self, position: int) -> Iterator[str]:
        for undefined, describe in self.found:
            here = self._here(undefined, position)
            # One for all rows: the class is that of the column.
            while here.ndim > 1 and len(here) == 1:
                here = here[0]
            # Of a single yes or no, the one empty index.
            for where in np.argwhere(here):
                yield describe(tuple(where.tolist()))
