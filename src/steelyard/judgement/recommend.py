"""Which measure should I use? What a caller knows of the task becomes a situation, and that an answer."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, get_args

from steelyard.counts.confusion import Confusion
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.judgement.evaluate.given import Asked, read
from steelyard.judgement.kept_answers import kept_answer
from steelyard.judgement.questions import Costly, Relevance, Situation
from steelyard.judgement.recommendation import Recommendation

Classes = Literal["two", "many"]


def recommend(
    data: Any = None,
    y_pred: Any = None,
    *,
    classes: Classes | int | None = None,
    priors_change: bool = False,
    classes_appear: bool = False,
    costly: Costly | None = None,
    costs: tuple[float, float] | None = None,
    capacity: bool = False,
    every_class: bool = False,
    relevance: Relevance | None = None,
    truth: str | None = None,
    pred: str | None = None,
    labels: Sequence[Label] | None = None,
) -> Recommendation:
    """Which measure should be used for this task, and why?

    What is known is said by name; what is not said is listed with what it would change. `data` and `y_pred`
    are what `evaluate` takes, and say how many classes there are and which are lacking; without them
    `classes` does ("two", "many" or their number), two if that is not said either. `costs` are those of a
    miss and of a false alarm.

    >>> import steelyard as sy
    >>> found = sy.recommend(classes="many", every_class=True)
    >>> found.first
    'gmean'
    >>> sy.recommend([[90, 10], [30, 870]], costs=(200, 4)).first
    'expected_cost(miss=200, false_alarm=4)'
    """
    known: dict[str, Any] = {
        "priors_change": priors_change,
        "classes_appear": classes_appear,
        "costly": _one_of(costly, "costly", Costly),
        "costs": None if costs is None else _two_costs(costs),
        "capacity": capacity,
        "every_class": every_class,
        "relevance": _one_of(relevance, "relevance", Relevance),
    }
    if data is None:
        situation = Situation(many_classes=_are_many(classes), **known)
    else:
        if classes is not None:
            raise InputError(
                "the data say how many classes there are",
                found=f"classes={classes!r} beside data",
                do="leave out one of the two",
            )
        from steelyard.judgement.advising import situation_of

        situation = situation_of(_matrix(data, y_pred, truth, pred, labels), **known)
    found = kept_answer(situation)
    if found is None:  # what works answers out takes longer to load than most answers
        from steelyard.judgement.advising import worked_out

        found = worked_out(situation)
    return found


def _are_many(classes: Any) -> bool:
    if isinstance(classes, Integral) and not isinstance(classes, bool) and int(classes) >= 2:
        return int(classes) > 2
    if classes not in (None, "two", "many"):
        raise InputError(
            "classes is not understood", found=repr(classes), allowed="'two', 'many' or a number from 2 on"
        )
    return bool(classes == "many")


def _one_of(given: Any, name: str, allowed: Any) -> Any:
    words = get_args(allowed)
    if given is not None and given not in words:
        raise InputError(f"{name} is not understood", found=repr(given), allowed=", ".join(map(repr, words)))
    return given


def _two_costs(given: Any) -> tuple[float, float]:
    try:
        miss, false_alarm = (float(one) for one in given)
    except (TypeError, ValueError):
        raise InputError(
            "the costs are not understood",
            found=repr(given),
            allowed="the cost of a miss and of a false alarm, such as costs=(200, 4)",
        ) from None
    return miss, false_alarm


def _matrix(
    data: Any, y_pred: Any, truth: str | None, pred: str | None, labels: Sequence[Label] | None
) -> Confusion:
    return read(data, y_pred, Asked(truth=truth, pred=pred, labels=labels)).matrix
