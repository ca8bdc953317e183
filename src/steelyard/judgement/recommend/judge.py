"""Recommendation of a metric: what a caller knows of the task becomes a situation, and that an answer."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from steelyard.counts.labels import meant
from steelyard.errors import InputError, UnknownNameError, parameter
from steelyard.judgement.recommend.options import QUESTIONS, Options, Situation, read_costs
from steelyard.judgement.recommend.result import Recommendation
from steelyard.parameters import public_function
from steelyard.reading.cost_input import parse_costs


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
    named: tuple[str, ...] = ()
    if options.cost is not None:
        named, known["costs"] = _of_two_errors(options.cost)
    elif options.costs is not None:
        known["costs"] = read_costs(options.costs)
    if options.data is None:
        number = int(options.classes) if str(options.classes).isdigit() else options.classes
        if isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 2:
            return Situation(many_classes=int(number) > 2, **known)
        if options.classes not in (None, "two", "many"):
            what, allowed = "the number of classes is not understood", "'two', 'many' or a number from 2 on"
            raise InputError(what, found=repr(options.classes), allowed=allowed, parameter="classes")
        return Situation(many_classes=options.classes == "many", **known)
    from steelyard.judgement.evaluate.inputs import ReadRequest, read

    labels = None if options.labels is None else list(options.labels)
    request = ReadRequest(truth=options.truth, pred=options.pred, labels=labels)
    matrix = read(options.data, options.y_pred, request).matrix
    for label, there in zip(named, meant(named, matrix.labels), strict=True):
        if there is None:
            raise UnknownNameError("class", label, map(str, matrix.labels), f"see {parameter('cost')}")
    absent, never_predicted = (
        tuple(str(label) for label, n in zip(matrix.labels, counts.tolist(), strict=True) if not n)
        for counts in (matrix.actual, matrix.predicted)
    )
    return Situation(matrix.n_classes > 2, never_predicted=never_predicted, absent=absent, **known)


def _of_two_errors(cost: Any) -> tuple[tuple[str, str], tuple[float, float]]:
    """The classes of costs by class, the positive one first, and what a miss and a false alarm cost."""
    amounts = dict(parse_costs(cost).by_confusion)
    # A pair of a class with itself is a correct prediction; a file of costs names them too.
    errors = {pair: amount for pair, amount in amounts.items() if pair[0] != pair[1]}
    correct = [amount for pair, amount in amounts.items() if pair[0] == pair[1]]
    miss = next(iter(errors), ("*", "*"))
    plain = not any(a.times or a.most is not None for a in errors.values()) and not any(
        a.times or a.fixed for a in correct
    )
    if "*" in miss or set(errors) != {miss, miss[::-1]} or not plain:
        raise InputError(
            "a metric is recommended for the costs of two errors",
            found=str(cost),
            allowed="a number for each, such as 'fraud>ok=200, ok>fraud=4'",
            parameter="cost",
        )
    return miss, (errors[miss].fixed, errors[miss[::-1]].fixed)
