"""What do the errors cost? Two numbers, of a miss and of a false alarm, make a measure like any other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from steelyard.counts.labels import Label
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.measure import Measure, two_class
from steelyard.measures.record import Range
from steelyard.measures.undefined import EMPTY


def expected_cost(miss: float, false_alarm: float) -> Measure:
    """The cost of the errors for each example, when a miss costs this much and a false alarm that much."""
    for name, cost in (("miss", miss), ("false_alarm", false_alarm)):
        if not math.isfinite(cost) or cost < 0:
            raise InputError(
                f"the cost of a {name.replace('_', ' ')} is not understood",
                found=f"{cost!r}",
                allowed="a finite number of at least 0",
            )
    if not miss and not false_alarm:
        raise InputError("costs of 0 decide nothing", found="both are 0", do="say at least one that is more")
    return two_class(
        id="expected_cost",
        title="Expected cost of an example",
        question="What do the misses and false alarms cost, for each example?",
        formula=r"\frac{k_{fn}\,fn + k_{fp}\,fp}{n}",
        reads="(cost of a miss x fn + cost of a false alarm x fp) / n",
        body=lambda c: c.ratio(c.fn * miss + c.fp * false_alarm, c.total, EMPTY),
        parameters={"miss": miss, "false_alarm": false_alarm},
        range=Range(0, max(miss, false_alarm)),
        better="lower",
        undefined_when="there are no examples",
    )


def costs_of_two(
    costs: Mapping[tuple[str, str], float], labels: Sequence[Label], positive: Label
) -> tuple[float, float]:
    """The cost of a miss and of a false alarm of this class, from costs by (truth, prediction)."""
    names = {str(label): label for label in labels}
    for truth, prediction in costs:
        for name in (truth, prediction):
            if name not in names:
                raise UnknownNameError("class", name, [str(label) for label in labels])
        if truth == prediction and costs[truth, prediction]:
            raise InputError(
                "a right answer has no cost here",
                found=f"{truth}>{prediction}={costs[truth, prediction]:g}",
                do="give what the errors cost beyond it",
            )
    miss = max((cost for (truth, _), cost in costs.items() if truth == str(positive)), default=0.0)
    alarm = max((cost for (truth, _), cost in costs.items() if truth != str(positive)), default=0.0)
    return miss, alarm
