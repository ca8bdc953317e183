"""The measures that a list of demands led to: which one is symmetric, monotone and has a constant
baseline?"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from steelyard.errors import InputError
from steelyard.measures.graph import Node
from steelyard.measures.measure import multi_class, two_class
from steelyard.measures.record import Measure, Range, Relation
from steelyard.measures.references import cite
from steelyard.measures.views import TwoClass

# Beyond it a power of a share is no float any more; the mean is the larger or the smaller product long
# before.
GREATEST_POWER = 100
ONE_SIDED = "the truth holds one class only, or one class only is predicted"
BOTH_ONE_SIDED = "truth and prediction hold one class each"

correlation_distance = multi_class(
    id="correlation_distance",
    symbols=("CD",),
    title="Correlation distance",
    question="What angle do truth and prediction make, as a share of a half turn?",
    formula=r"\frac1\pi\arccos MCC",
    better="lower",
    range=Range(0, 1),
    body=lambda c: c.half_turns(
        c.above_chance,
        c.root_of_product(
            (c.actual * c.other_actual).sum(axis=0), (c.predicted * c.other_predicted).sum(axis=0)
        ),
        ONE_SIDED,
    ),
    sources=(cite("gosgens2021"),),
    usual=False,
    relations=(Relation("CD = arccos(MCC) / π", "mcc", lambda m, C: Node("angle", (m,))),),
)


def generalised_means(r: float = 1.0) -> Measure:
    """How far beyond chance, relative to a power mean of how much truth and prediction vary?"""
    if not (isinstance(r, Real) and not isinstance(r, bool) and abs(r) <= GREATEST_POWER):
        raise InputError(
            "r must be a finite number",
            found=repr(r),
            allowed=f"-{GREATEST_POWER} <= r <= {GREATEST_POWER}",
        )
    return two_class(
        id="generalised_means",
        symbols=("GM_r",),
        aliases=("generalized_means",),
        title="Generalised means of the variances",
        question="How far is the agreement from chance, relative to how much truth and prediction vary?",
        formula=(
            r"\frac{tp\,tn-fn\,fp}{\Bigl(\tfrac12\bigl((t_1t_0)^r+(p_1p_0)^r\bigr)\Bigr)^{1/r}},"
            r"\ t_1=tp+fn,\ t_0=fp+tn,\ p_1=tp+fp,\ p_0=fn+tn"
        ),
        body=_relative_to_mean(float(r)),
        range=Range(-1, 1),
        parameters={"r": r},
        remake=generalised_means,
        sources=(cite("gosgens2021"),),
        usual=False,
        notes=(
            "r = 0 is the geometric mean: the Matthews correlation coefficient.",
            "r = -1 is the mean of informedness and markedness, 2 SBA - 1.",
            "The authors' code gives 0 where the truth holds one class and the prediction another.",
        ),
    )


def _above(c: TwoClass) -> Any:
    return c.tp * c.tn - c.fn * c.fp


def _in_truth(c: TwoClass) -> Any:
    return c.positives * c.negatives


def _in_prediction(c: TwoClass) -> Any:
    return (c.tp + c.fp) * (c.fn + c.tn)


def _by_root(c: TwoClass) -> Any:
    return c.ratio(_above(c), c.root_of_product(_in_truth(c), _in_prediction(c)), ONE_SIDED)


def _by_sum(c: TwoClass) -> Any:
    return c.ratio(2 * _above(c), _in_truth(c) + _in_prediction(c), BOTH_ONE_SIDED)


def _by_harmonic_mean(c: TwoClass) -> Any:
    x, y = _in_truth(c), _in_prediction(c)
    return (c.ratio(_above(c), x, ONE_SIDED) + c.ratio(_above(c), y, ONE_SIDED)) / 2


def _relative_to_mean(r: float) -> Callable[[TwoClass], Any]:
    """The body for one power. Powers are taken of shares of the two products, so that counts may be large."""
    if r in (0, 1, -1):
        return {0: _by_root, 1: _by_sum, -1: _by_harmonic_mean}[int(r)]
    power, root = abs(r), 1 / abs(r)

    def mean(c: TwoClass) -> Any:
        both = _in_truth(c) + _in_prediction(c)
        x, y = c.ratio(_in_truth(c), both, BOTH_ONE_SIDED), c.ratio(_in_prediction(c), both, BOTH_ONE_SIDED)
        return both * c.power((c.power(x, power) + c.power(y, power)) / 2, root)

    def positive(c: TwoClass) -> Any:
        return c.ratio(_above(c), mean(c), BOTH_ONE_SIDED)

    def negative(c: TwoClass) -> Any:
        # The mean with -s of x and y is x y divided by their mean with s.
        return c.ratio(c.ratio(_above(c), _in_truth(c), ONE_SIDED) * mean(c), _in_prediction(c), ONE_SIDED)

    return positive if r > 0 else negative


MEASURES = (correlation_distance, generalised_means())
