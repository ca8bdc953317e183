"""Recommendation of a metric: what a caller knows of the task becomes a situation, and that an answer."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from steelyard.errors import InputError, parameter
from steelyard.judgement.recommend.options import QUESTIONS, Options, Situation
from steelyard.judgement.recommend.result import Recommendation
from steelyard.parameters import public_function


@public_function(Options)
def recommend(options: Options) -> Recommendation:
    """Recommend metrics for a task: a ranked list, each with its reasons and what it gives up.

    What is not said is listed with what it would change. `data` and `y_pred` are what `evaluate` takes, and
    say how many classes there are and which are absent; without them `classes` does ("two", "many" or their
    number), two if that is not said either. `costs` are those of a miss and of a false alarm.

    >>> import steelyard as sy
    >>> recommendation = sy.recommend(classes="many", every_class=True)
    >>> recommendation.first
    'gmean'
    >>> sy.recommend([[90, 10], [30, 870]], costs=(200, 4)).first
    'expected_cost(miss=200, false_alarm=4)'
    """
    # Ranking imports the prover, which takes longer than refusing bad input.
    from steelyard.judgement.recommend.ranking import rank

    return rank(situation_of(options))


def situation_of(options: Options) -> Situation:
    """What is known of the task, from the options and from the data."""
    known = {question.field: getattr(options, question.field) for question in QUESTIONS}
    known["costs"] = None if options.costs is None else _two_costs(options.costs)
    if options.data is None:
        for name in ("truth", "pred"):
            if getattr(options, name) is not None:
                raise InputError(
                    "a column is named, but no data",
                    found=parameter(name),
                    do=f"give {parameter('data')}",
                    parameter=name,
                )
        return Situation(many_classes=_are_many(options.classes), **known)
    if options.classes is not None:
        raise InputError(
            "the data say how many classes there are",
            found=f"{parameter('classes', options.classes)} beside data",
            do="leave out one of the two",
            parameter="classes",
        )
    from steelyard.judgement.evaluate.inputs import ReadRequest, read

    labels = None if options.labels is None else list(options.labels)
    request = ReadRequest(truth=options.truth, pred=options.pred, labels=labels)
    matrix = read(options.data, options.y_pred, request).matrix
    names = [str(label) for label in matrix.labels]
    return Situation(
        many_classes=matrix.n_classes > 2,
        never_predicted=tuple(
            name for name, n in zip(names, matrix.predicted.tolist(), strict=True) if not n
        ),
        absent=tuple(name for name, n in zip(names, matrix.actual.tolist(), strict=True) if not n),
        **known,
    )


def _are_many(classes: Any) -> bool:
    number = int(classes) if isinstance(classes, str) and classes.isdigit() else classes
    if isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 2:
        return int(number) > 2
    if classes not in (None, "two", "many"):
        raise InputError(
            "the number of classes is not understood",
            found=repr(classes),
            allowed="'two', 'many' or a number from 2 on",
            parameter="classes",
        )
    return bool(classes == "many")


def _two_costs(costs: Any) -> tuple[float, float]:
    try:
        miss, false_alarm = (float(cost) for cost in costs)
    except (TypeError, ValueError):
        raise InputError(
            "the costs are not understood",
            found=repr(costs),
            allowed="the cost of a miss and of a false alarm, such as costs=(200, 4)",
            parameter="costs",
        ) from None
    return miss, false_alarm
