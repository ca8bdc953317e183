"""Further measures of a positive and a negative class, from forecasting, medicine and retrieval."""

# The last ones are those that gosgens2021's demands led to: symmetric, monotone, with a constant
# baseline.

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.measures import measure
from steelyard.measures.catalogue.multi_class import ONE_SIDED, spread
from steelyard.measures.catalogue.two_class import ppv, tpr
from steelyard.measures.graph import Node
from steelyard.measures.record import EXAMPLES, PREDICTIONS, Family, Measure, Range, Relation, cite, in_order
from steelyard.measures.undefined import (
    EMPTY,
    NO_NEGATIVES,
    NO_POSITIVES,
    NO_SIDE,
    NOTHING_NEGATIVE,
    NOTHING_POSITIVE,
)
from steelyard.measures.views import TwoClass

NO_MISS = "no example of {positive} was missed"
NO_FALSE_ALARM = "no example of {negative} was predicted as {positive}"
NO_RIGHT_AND_NO_WRONG = "one of the right cells and one of the wrong ones are empty"

# Beyond it a power of a share is no float any more; the mean is the larger or the smaller product long
# before.
GREATEST_POWER = 100
BOTH_ONE_SIDED = "truth and prediction hold one class each"

# Found by name: reports do not show them for every matrix.
two_class = partial(measure.two_class, usual=False)


def _fpr(c: TwoClass) -> Any:
    return c.ratio(c.fp, c.negatives, NO_NEGATIVES)


def _yule(c: TwoClass, right: Any, wrong: Any) -> Any:
    return c.ratio(right - wrong, right + wrong, NO_RIGHT_AND_NO_WRONG)


def _distance(c: TwoClass) -> Any:
    missed, alarms = c.ratio(c.fn, c.positives, NO_POSITIVES), _fpr(c)
    return c.sqrt(missed * missed + alarms * alarms)


def _gilbert(c: TwoClass) -> Any:
    by_luck = c.tp * c.tn - c.fn * c.fp
    # n (tp + fn + fp) - (tp + fn)(tp + fp), multiplied out so that nothing is subtracted
    whole = c.fn * (c.positives + c.fp + c.tn) + c.fp * (c.tp + c.negatives) + c.tp * c.tn
    return c.ratio(by_luck, whole, "there is no {positive}, neither true nor predicted, or nothing else")


def _adjusted_f(c: TwoClass) -> Any:
    # F_2 of the positives and F_1/2 of the negatives, in counts (maratea2014).
    positive_f = c.ratio(5 * c.tp, 5 * c.tp + 4 * c.fn + c.fp, NO_SIDE)
    negative_f = c.ratio(
        5 * c.tn, 5 * c.tn + c.fp + 4 * c.fn, "there is no {negative}, neither true nor predicted"
    )
    return c.sqrt(positive_f * negative_f)


def _sedi(c: TwoClass) -> Any:
    # By -ln of the four rates, each of which its entropy term tells.
    alarm = c.ratio(c.entropy_terms(c.fp, c.tn), c.fp, NO_FALSE_ALARM)
    quiet = c.ratio(c.entropy_terms(c.tn, c.fp), c.tn, "no example of {negative} was correctly rejected")
    hit = c.ratio(c.entropy_terms(c.tp, c.fn), c.tp, "no example of {positive} was detected")
    miss = c.ratio(c.entropy_terms(c.fn, c.tp), c.fn, NO_MISS)
    return c.ratio(alarm - hit - quiet + miss, alarm + hit + quiet + miss, EMPTY)


yule_q = two_class(
    id="yule_q",
    symbols=("Q",),
    aliases=("yules_q",),
    title="Yule's Q",
    question="How much stronger are the right cells than the wrong ones, as a product?",
    range=Range(-1, 1),
    body=lambda c: _yule(c, c.tp * c.tn, c.fn * c.fp),
    needs=EXAMPLES | PREDICTIONS,
    sources=cite("yule1912"),
    notes="PyCM computes it from the odds ratio, which has no value where a wrong cell is empty.",
)

yule_y = two_class(
    id="yule_y",
    aliases=("yules_y", "coefficient_of_colligation"),
    title="Yule's Y",
    question="How much stronger are the right cells than the wrong ones, as a geometric mean?",
    range=Range(-1, 1),
    body=lambda c: _yule(c, c.root_of_product(c.tp, c.tn), c.root_of_product(c.fn, c.fp)),
    needs=EXAMPLES | PREDICTIONS,
    sources=cite("yule1912"),
)

relative_risk = two_class(
    symbols=("RR",),
    aliases=("risk_ratio",),
    title="Relative risk",
    question="How many times more often are predicted positives positive than predicted negatives?",
    range=Range(0, np.inf),
    body=lambda c: c.ratio(ppv(c), c.ratio(c.fn, c.tn + c.fn, NOTHING_NEGATIVE), NO_MISS),
    undefined_when="one of the classes is never predicted, or no positive is missed",
    sources=cite("glas2003"),
)

overlap_coefficient = two_class(
    aliases=("overlap", "szymkiewicz_simpson"),
    title="Overlap coefficient",
    question="Of the smaller of positives and predicted positives, what share is both?",
    body=lambda c: c.ratio(
        c.tp,
        -c.maximum(-c.positives, -(c.tp + c.fp)),
        "there are no examples of {positive}, or nothing was predicted as it",
    ),
    undefined_when="there are no positive examples, or nothing is predicted positive",
    sources=cite("vijaymeena2016"),
)

braun_blanquet = two_class(
    id="braun_blanquet",
    aliases=("braun_blanquet_similarity",),
    title="Braun-Blanquet similarity",
    question="Of the larger of positives and predicted positives, what share is both?",
    body=lambda c: c.ratio(c.tp, c.maximum(c.positives, c.tp + c.fp), NO_SIDE),
    sources=cite("braunblanquet1932"),
    notes="The smaller of precision and recall; class balance accuracy is its mean over classes.",
)


@Family
def tversky(alpha: float, beta: float) -> Measure:
    """tp against false alarms weighted by alpha and misses weighted by beta."""
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not (isinstance(value, Real) and not isinstance(value, bool) and 0 <= value <= 1e100):
            raise InputError(f"{name} must be a weight", found=repr(value), allowed="a number >= 0")
    return two_class(
        id="tversky",
        aliases=("tversky_index",),
        title="Tversky index",
        question=(
            "Of all examples that are positive or predicted positive, how many are both, if misses and"
            " false alarms weigh differently?"
        ),
        formula=r"\frac{tp}{tp+\alpha\,fp+\beta\,fn}",
        body=lambda c: c.ratio(c.tp, c.tp + c.number(alpha) * c.fp + c.number(beta) * c.fn, NO_SIDE),
        sources=cite("tversky1977"),
        notes=(
            "1/2 and 1/2 give F_1, 1 and 1 the threat score.\n"
            "PyCM's TI takes the two weights in the other order."
        ),
    )


p4 = two_class(
    aliases=("p4_metric",),
    title="P4",
    question="Are recall, specificity, precision and negative predictive value all high?",
    body=lambda c: c.ratio(
        4 * c.tp * c.tn,
        4 * c.tp * c.tn + (c.tp + c.tn) * (c.fp + c.fn),
        "no example was predicted right, or none of one class and nothing wrong",
    ),
    undefined_when="no example is predicted right, or all are of one class and predicted right",
    sources=cite("sitarz2023"),
    notes=(
        "Written in counts, so it is 0 (not undefined) where one of the four is undefined but something is"
        " predicted right and something wrong."
    ),
)

gilbert_skill_score = two_class(
    symbols=("GSS", "ETS"),
    aliases=("equitable_threat_score",),
    title="Gilbert skill score",
    question="Of all examples that are positive or predicted positive, how many are both, beyond chance?",
    formula=r"\frac{tp-r}{tp+fn+fp-r},\ r=\frac{(tp+fn)(tp+fp)}{n}",
    range=Range(-1 / 3, 1),
    body=_gilbert,
    undefined_when="all cells but one of the diagonal are empty",
    sources=cite("schaefer1990"),
)

sedi = two_class(
    id="sedi",
    symbols=("SEDI",),
    aliases=("symmetric_extremal_dependence_index",),
    title="Symmetric extremal dependence index",
    question="How far is it from chance, on a scale that does not fade as the event becomes rarer?",
    formula=(r"\frac{\ln FPr-\ln TPr-\ln TNr+\ln FNr}{\ln FPr+\ln TPr+\ln TNr+\ln FNr}"),
    range=Range(-1, 1),
    body=_sedi,
    undefined_when="one of the four cells is empty",
    needs=EXAMPLES | PREDICTIONS,
    sources=cite("ferro2011"),
    notes="Made for forecasts of rare events: threat score and its kin tend to 0 as the event gets rarer.",
)

adjusted_f = two_class(
    id="adjusted_f",
    symbols=("AGF",),
    aliases=("adjusted_f_score", "adjusted_f_measure"),
    title="Adjusted F-score",
    question="Are positives detected and negatives correctly rejected?",
    body=_adjusted_f,
    undefined_when="a class has neither examples nor predictions",
    sources=cite("maratea2014"),
)

distance_index = two_class(
    id="distance_index",
    symbols=("dInd",),
    aliases=("roc_distance", "closest_topleft"),
    title="Distance to the corner of the ROC plane",
    question="How far is the operating point from a perfect one?",
    range=Range(0, 2**0.5),
    better="lower",
    body=_distance,
    sources=cite("fawcett2006"),
)

similarity_index = two_class(
    symbols=("sInd",),
    title="Similarity index",
    question="How near is the operating point to a perfect one, on a scale from 0 to 1?",
    formula=r"1-\sqrt{\tfrac12\left((1-TPr)^2+(1-TNr)^2\right)}",
    body=lambda c: 1 - _distance(c) / c.sqrt(c.number(2)),
    sources=cite("fawcett2006"),
    relations=(Relation("sInd = 1 - dInd / √2", "distance_index", lambda d, C: 1 - d / 2**0.5),),
)

prevalence_threshold = two_class(
    symbols=("PT",),
    title="Prevalence threshold",
    question="Below which share of positives does precision fall off most steeply?",
    better="lower",
    body=lambda c: c.ratio(c.sqrt(_fpr(c)), c.sqrt(tpr(c)) + c.sqrt(_fpr(c)), NOTHING_POSITIVE),
    sources=cite("balayla2020"),
)

detection_prevalence = two_class(
    aliases=("predicted_prevalence", "alert_rate"),
    title="Detection prevalence",
    question="What share of the test set is predicted positive?",
    better="neither",
    body=lambda c: c.ratio(c.tp + c.fp, c.total, EMPTY),
    sources=cite("kuhn2008"),
)

correlation_distance = measure.multi_class(
    symbols=("CD",),
    title="Correlation distance",
    question="What angle do truth and prediction make, as a share of a half turn?",
    formula=r"\frac1\pi\arccos MCC",
    better="lower",
    body=lambda c: c.half_turns(c.above_chance, spread(c), ONE_SIDED),
    sources=cite("gosgens2021"),
    usual=False,
    relations=(Relation("CD = arccos(MCC) / π", "mcc", lambda m, C: Node("angle", (m,))),),
)


@Family
def generalised_means(r: float = 1.0) -> Measure:
    """How far beyond chance, relative to a power mean of how much truth and prediction vary?"""
    if not (isinstance(r, Real) and not isinstance(r, bool) and abs(r) <= GREATEST_POWER):
        allowed = f"-{GREATEST_POWER} <= r <= {GREATEST_POWER}"
        raise InputError("r must be a finite number", found=repr(r), allowed=allowed)
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
        body=lambda c: _relative_to_mean(c, float(r)),
        range=Range(-1, 1),
        sources=cite("gosgens2021"),
        notes=(
            "r = 0 is the geometric mean: the Matthews correlation coefficient.\n"
            "r = -1 is the mean of informedness and markedness, 2 SBA - 1.\n"
            "The authors' code gives 0 where the truth holds one class and the prediction another."
        ),
    )


def _relative_to_mean(c: TwoClass, r: float) -> Any:
    # Powers are taken of shares of the two products, so that counts may be large.
    above = c.tp * c.tn - c.fn * c.fp
    truth, prediction = c.positives * c.negatives, (c.tp + c.fp) * (c.fn + c.tn)
    if r == 0:
        return c.ratio(above, c.root_of_product(truth, prediction), ONE_SIDED)
    if r == 1:
        return c.ratio(2 * above, truth + prediction, BOTH_ONE_SIDED)
    # 1/x + 1/y each by itself: the harmonic mean of both would need their product.
    if r == -1:
        return (c.ratio(above, truth, ONE_SIDED) + c.ratio(above, prediction, ONE_SIDED)) / 2
    both = truth + prediction
    x, y = c.ratio(truth, both, BOTH_ONE_SIDED), c.ratio(prediction, both, BOTH_ONE_SIDED)
    mean = both * c.power((c.power(x, abs(r)) + c.power(y, abs(r))) / 2, 1 / abs(r))
    if r > 0:
        return c.ratio(above, mean, BOTH_ONE_SIDED)
    # The mean with -s of x and y is x y divided by their mean with s.
    return c.ratio(c.ratio(above, truth, ONE_SIDED) * mean, prediction, ONE_SIDED)


MEASURES = in_order(globals(), tversky={"alpha": 0.3, "beta": 0.7})
