"""How are models compared? What a caller may say, checked before anything is counted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.measures.catalogue import measure as look_up
from steelyard.measures.measure import Measure
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.dirichlet_posterior import Prior
from steelyard.uncertainty.resampling import (
    Design,
    Source,
    check_drawing,
    draws_in_use,
)

Measures = Iterable[str | Measure] | str | Measure | None


@dataclass(frozen=True)
class Settings:
    """How models are compared; `compare` says what each means."""

    by: str | Measure | None = None
    """None: the measure that the rules of the advice name for this number of classes."""
    measures: Measures = None
    level: float = 0.95
    draws: int | None = None
    seed: int = 0
    rope: float | None = None
    test_to_train: float | None = None
    method: Source = "posterior"
    design: Design = "sample"
    prior: Prior = "shared"
    positive: Label | None = None
    undefined: Undefined = "nan"
    in_groups: bool = False
    """Are the numbers of the joint counts' folds groups of rows that stand or fall together, and no folds?"""
    priors_range: Mapping[Any, tuple[float, float]] | None = None
    cost: Any = None
    """What decisions cost, as text, a mapping, a table or a file: it then decides."""

    def __post_init__(self) -> None:
        check_drawing(draws_in_use(self.draws, 2), self.seed, self.design, self.prior, self.level)
        if self.method not in ("bootstrap", "posterior"):
            raise InputError(
                "the method is not known", found=repr(self.method), allowed="'posterior', 'bootstrap'"
            )
        if self.rope is not None and not (math.isfinite(self.rope) and self.rope >= 0):
            allowed = "a number >= 0: the largest difference that does not matter"
            raise InputError("the rope cannot be used", found=repr(self.rope), allowed=allowed)
        if self.by is not None and self.cost is not None:
            raise InputError(
                "one measure ranks the models", found="by= beside cost=", do="leave one of them out"
            )
        self._refuse_measures_of_scores()
        if self.by is not None and look_up(self.by).better == "neither":
            raise InputError(
                f"{look_up(self.by).name} cannot rank models",
                found="a measure of which neither end is better",
                do="choose another",
            )

    def _refuse_measures_of_scores(self) -> None:
        """Models are compared by their labels; scores have one comparison of their own."""
        listed = self.measures if isinstance(self.measures, (list, tuple)) else [self.measures]
        for asked in (self.by, *listed):
            if isinstance(asked, (str, Measure)) and asked != "all" and look_up(asked).kind == "scores":
                raise InputError(
                    "models are compared by their labels",
                    found=f"{look_up(asked).name}, a measure of scores",
                    do="choose another measure; scores= compares the areas under ROC curves",
                )
