"""A measure of a user's own, whose functions stand at the top level of a module."""

from __future__ import annotations

from typing import Any

import steelyard as sy
from steelyard.measures.measure import Measure
from steelyard.measures.views import Classes, TwoClass


def half(c: TwoClass) -> Any:
    return c.ratio(c.tp, 2 * c.positives, "there are no positives")


def squares(c: Classes) -> Any:
    return c.ratio(c.hits, c.actual, "there are no examples of {label}") ** 2


def declared(**other: Any) -> Measure:
    facts: dict[str, Any] = {
        "id": "precision",
        "title": "Half of the recall",
        "question": "How much, halved?",
        "formula": "h",
        "reads": "h",
        "body": half,
    }
    return sy.two_class(**(facts | other))


def declared_mean() -> Measure:
    return sy.class_mean(
        id="my_squares", title="Squares", question="How much?", formula="s", reads="s", per_class=squares
    )
