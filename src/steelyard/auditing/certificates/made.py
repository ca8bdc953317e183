"""Which certificate does an impossible result have, and what is to be said of it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.auditing.certificates.check import checked
from steelyard.auditing.certificates.grown import TooLarge, grown
from steelyard.auditing.certificates.question import Printed, Question
from steelyard.auditing.demands import Demand, Setting
from steelyard.auditing.folds import Folds
from steelyard.auditing.printed import Rounding
from steelyard.auditing.search import Budget

RESTS = "; the answer rests on the search alone."


def certified(
    demands: Sequence[Demand], setting: Setting, rounding: Rounding, budget: Budget
) -> tuple[Mapping[str, Any] | None, str]:
    """A certificate that these demands cannot be met, checked anew, or None; and what came of it in words."""
    question = asked(demands, setting, rounding)
    found = None if question is None else grown(question, budget)
    if isinstance(found, TooLarge):
        words = f"within the budget {found.nodes:,} steps left {found.open_parts:,} parts of it open"
        return None, f"No certificate: {words}{RESTS}"
    if found is None:
        return None, f"No certificate: there is none for measures without exact bounds{RESTS}"
    parts = checked(found)
    boxes = "1 box" if parts == 1 else f"{parts:,} boxes"
    return found, f"The certificate holds: {boxes}, checked independently in exact fractions."


def asked(demands: Sequence[Demand], setting: Setting, rounding: Rounding) -> Question | None:
    """The question of a result, in the words in which it was printed; None where these do not say it all."""
    sizes, undefined = setting.sizes, setting.undefined
    labels = tuple(str(label) for label in sizes.labels)
    if any(d.transposed or d.of_means for d in demands) or undefined in ("skip", "raise"):
        return None
    over_folds: dict[str, Any] = {}
    if isinstance(setting, Folds):
        over_folds = {
            "folds": setting.count,
            "repeats": setting.repeats,
            "fold_sizes": setting.arrangement,
            "deviation": setting.deviation,
        }
    question = Question(
        labels,
        sizes.known,
        tuple(Printed(d.text, None if d.place is None else labels[d.place]) for d in demands),
        rounding,
        undefined,
        None if sizes.complete else sizes.total,
        None if sizes.complete or sizes.total is not None else sizes.up_to,
        **over_folds,
    )
    same = all(
        (measure.name, place, interval, printed.is_deviation)
        == (d.measure.name, d.place, d.interval, d.statistic == "deviation")
        for d, printed, (measure, place, interval) in zip(
            demands, question.printed, question.intervals(), strict=True
        )
    )
    return question if same else None
