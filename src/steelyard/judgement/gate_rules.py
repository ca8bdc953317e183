"""What must a classifier keep? A limit of a measure, read from what a caller wrote."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from steelyard.errors import InputError
from steelyard.measures.catalogue import measure
from steelyard.measures.measure import Measure

Kind = Literal["min", "max", "max_drop"]
_OF_A_CLASS = re.compile(r"(?P<name>.*?)\[(?P<label>.+)\]\Z", re.DOTALL)


@dataclass(frozen=True)
class Rule:
    """A limit: what a measure must at least or at most be, or how far it may drop."""

    kind: Kind
    measure: Measure
    of: str | None
    """The class it is asked of, where one is named: recall[fraud]."""
    limit: float
    written: str
    """As the caller wrote it: f1, not f_beta."""

    @classmethod
    def asked(cls, kind: Kind, key: str | Measure, limit: Any) -> Rule:
        """The rule that a measure, or a name such as recall[fraud] or f_beta(beta=2), and a number make."""
        name = key.name if isinstance(key, Measure) else str(key).strip()
        asked = None if isinstance(key, Measure) else _OF_A_CLASS.match(name)
        chosen = key if isinstance(key, Measure) else measure(asked["name"] if asked else name)
        if chosen.kind == "scores":
            raise InputError(
                "a gate judges labels",
                found=f"{chosen.name}, a measure of scores",
                do="choose another measure",
            )
        if asked and chosen.kind != "two-class":
            raise InputError(
                f"{chosen.name} is a measure of all classes together", found=name, do=f"write {asked['name']}"
            )
        if kind == "max_drop" and chosen.better == "neither":
            raise InputError(f"{chosen.name} cannot drop: neither higher nor lower is better")
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not math.isfinite(limit):
            raise InputError(
                f"the limit of {name} is no number", found=repr(limit), allowed="a number such as 0.8"
            )
        if kind == "max_drop" and limit < 0:
            raise InputError(f"{name} may drop by a number >= 0", found=repr(limit))
        return cls(kind, chosen, asked["label"] if asked else None, float(limit), name)

    def checked(self) -> Rule:
        """The rule, unless nothing could fail it or it would let through what is worse."""
        ends = [end for classes in (2, 3, 1000) for end in self.measure.range.at(classes)]
        if self.kind != "max_drop" and not min(ends) <= self.limit <= max(ends):
            raise InputError(
                f"{self.written} never reaches this limit",
                found=f"{self.limit:g}",
                allowed=f"{min(ends):g} to {max(ends):g}",
            )
        better = self.measure.better
        if (self.kind, better) in (("min", "lower"), ("max", "higher")):
            other = "max" if self.kind == "min" else "min"
            raise InputError(
                f"{better} is better for {self.measure.name}, so {self.kind}= would let through the worse",
                found=f"{self.kind}= of {self.written}",
                do=f"say {other}=...",
            )
        return self

    @property
    def canonical(self) -> str:
        """By its id, whatever the caller called it."""
        return self.measure.name if self.of is None else f"{self.measure.name}[{self.of}]"

    def __str__(self) -> str:
        words = {"min": "at least", "max": "at most", "max_drop": "may drop by at most"}
        return f"{self.written} {words[self.kind]} {self.limit:g}"
