"""Limits of a gate: a metric and the value it must reach, as a caller or a file of rules writes them."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.errors import InputError, parameter
from steelyard.judgement.common_options import metric_of_class, read_share

if TYPE_CHECKING:
    from steelyard.measures.measure import Measure

Kind = Literal["min", "max", "max_drop"]
EXPECTED_COST = "expected_cost"


@dataclass(frozen=True)
class Rule:
    """A limit: what a measure must at least or at most be, or how far it may drop."""

    kind: Kind
    measure: Measure
    #: The class it is asked of, where one is named: recall[fraud].
    of: str | None
    limit: float
    #: As the caller wrote it: f1, not f_beta.
    written: str

    @classmethod
    def parsed(cls, kind: Kind, key: str | Measure, limit: Any) -> Rule:
        """The rule that a measure, or a name such as recall[fraud] or f_beta(beta=2), and a number make."""
        from steelyard.measures.catalogue import measure
        from steelyard.measures.costs import expected_cost
        from steelyard.measures.measure import Measure

        name = key.name if isinstance(key, Measure) else str(key).strip()
        plain, of_class = (name, None) if isinstance(key, Measure) else metric_of_class(name, None)
        if name == EXPECTED_COST:
            chosen: Measure = expected_cost(1.0, 1.0)  # what errors cost is known when rows are read
        else:
            chosen = key if isinstance(key, Measure) else measure(plain)
        if of_class and chosen.kind != "two-class":
            raise InputError(
                f"{chosen.name} is a metric of all classes together", found=name, do=f"write {plain}"
            )
        if kind == "max_drop" and chosen.better == "neither":
            raise InputError(f"{chosen.name} cannot drop: neither higher nor lower is better")
        # TOML has no percentages, so they come as text.
        if isinstance(limit, str) and limit.strip().endswith("%"):
            with suppress(ValueError):
                limit = read_share(limit)
        if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not math.isfinite(limit):
            raise InputError(
                f"the limit of {name} is not a number",
                found=repr(limit),
                allowed='a number such as 0.8, or "80%"',
            )
        if kind == "max_drop" and limit < 0:
            raise InputError(f"{name} may drop by a number >= 0", found=repr(limit))
        return cls(kind, chosen, of_class, float(limit), name)

    def checked(self) -> Rule:
        """The rule, unless nothing could fail it or it would let through what is worse."""
        # Ranges may depend on the number of classes, which is not known before rows are read.
        ends = [end for classes in (2, 3, 1000) for end in self.measure.range.at(classes)]
        if self.of_costs:
            ends = [0.0, math.inf]
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
                f"{better} is better for {self.written}, so this limit would let the worse pass",
                found=f"{parameter(self.kind)} of {self.written}",
                do=f"use {parameter(other, '...')}",
            )
        return self

    @property
    def of_costs(self) -> bool:
        """Is this the expected cost of a row?"""
        return self.measure.id == EXPECTED_COST

    @property
    def canonical(self) -> str:
        """By its id, whatever the caller called it."""
        return self.measure.name if self.of is None else f"{self.measure.name}[{self.of}]"

    def __str__(self) -> str:
        from steelyard.measures.names import short_name

        words = {"min": "at least", "max": "at most", "max_drop": "may drop by at most"}
        of = "" if self.of is None else f' of "{self.of}"'
        return f"{short_name(self.measure)}{of} {words[self.kind]} {self.limit:g}"


def _read(kind: Kind, texts: Sequence[str]) -> dict[str, float]:
    """The limits of one option; two of the same metric are refused."""
    limits: dict[str, float] = {}
    for name, limit in map(_limit, texts):
        if limits.setdefault(name, limit) != limit:
            both = (parameter(kind, f"{name}={value:g}") for value in (limits[name], limit))
            raise InputError(f"{name} has two limits", found=" and ".join(both), do="keep one")
    return limits


read_min, read_max, read_max_drop = (partial(_read, kind) for kind in ("min", "max", "max_drop"))


def _limit(text: str) -> tuple[str, float]:
    """'recall[fraud]=0.6' as a name and a number; a name may hold = itself: f_beta(beta=2)=0.5."""
    name, equals, number = text.rpartition("=")
    if name.rstrip().endswith(("<", ">")):
        meant = "min" if name.rstrip().endswith(">") else "max"
        written = parameter(meant, f"{name.rstrip('<> ')}={number.strip()}")
        raise InputError("a limit is written with = alone", found=repr(text), do=f"use {written}")
    try:
        limit = read_share(number)
        if not equals or not name.strip() or not math.isfinite(limit):
            raise ValueError(text)
        return name.strip(), limit
    except ValueError as error:
        raise InputError(
            "this limit is not understood",
            found=repr(text),
            allowed="a metric and a number such as gmean=0.8 or gmean=80%",
        ) from error


# Read where it lies in the working folder, as pyproject.toml is by other tools.
RULES_FILE = "steelyard.toml"
_TEXT: tuple[Any, str] = (str, "text")
_ANY: tuple[Any, str] = (object, "")
# The settings of a file of rules: the type of each, and that in words.
SETTINGS: dict[str, tuple[Any, str]] = {
    **{name: (dict, f"a table: [gate.{name}]") for name in ("min", "max", "max-drop")},
    **dict.fromkeys(("source", "truth", "pred", "score"), _TEXT),
    **dict.fromkeys(("threshold", "cost", "slice"), _ANY),
    "key": _TEXT,
    "positive": _ANY,
    "labels": ((str, list), 'a list such as ["fraud", "ok"]'),
    **dict.fromkeys(("weight", "missing", "against", "by"), _TEXT),
    "level": ((int, float), "a number such as 0.95"),
}


def read_rules(path: str | Path) -> dict[str, Any]:
    """The table [gate] of a file of rules."""
    file = Path(path)
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(
            "the file of rules cannot be read", found=f"{file}: {error}", allowed="TOML"
        ) from error
    table = read.get("gate", {})
    settings = {"gate": table, **(table if isinstance(table, dict) else {})}
    if unknown := sorted(set(settings) - {"gate", *SETTINGS}):
        what = f"the file of rules {file} has an unknown setting"
        raise InputError(what, found=", ".join(unknown), allowed=", ".join(SETTINGS))
    for name, value in settings.items():
        kind, allowed = SETTINGS.get(name, (dict, "a table: [gate]"))
        if not isinstance(value, kind) or (name == "level" and isinstance(value, bool)):
            raise InputError(f"{name} in {file} is not understood", found=repr(value), allowed=allowed)
    return dict(table)
