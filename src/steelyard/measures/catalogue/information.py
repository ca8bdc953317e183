"""Information-theoretic measures, in bits: how much is known, how disordered are the errors."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from steelyard.measures.measure import multi_class
from steelyard.measures.record import ByClasses, Range, cite, in_order
from steelyard.measures.undefined import EMPTY, NEVER_PREDICTED
from steelyard.measures.views import Classes


def _of_truth(c: Classes) -> Any:
    # n H(t), the entropy of the class.
    return c.entropy_terms(c.actual, c.other_actual).sum(axis=0)


def _of_prediction(c: Classes) -> Any:
    # n H(p), the entropy of the prediction.
    return c.entropy_terms(c.predicted, c.other_predicted).sum(axis=0)


def _mutual(c: Classes) -> Any:
    # n (H(t) - H(t | p)): what the prediction tells about the class.
    return _of_truth(c) - c.entropy_terms(c.counts, c.of_others).sum(axis=(0, 1))


def _confusion_entropy(c: Classes) -> Any:
    # One class makes no errors, whether or not another was named.
    if c.n_classes < 2:
        return c.ratio(c.total * 0, c.total, EMPTY)
    off_diagonal = c.without_own(c.counts)
    # The errors of class j, sent (row j) and received (column j), as shares of t_j + p_j.
    sent = c.entropy_terms(off_diagonal, c.elsewhere + c.predicted[:, None]).sum(axis=(0, 1))
    received = c.entropy_terms(off_diagonal, c.of_others + c.actual[None]).sum(axis=(0, 1))
    return c.ratio(sent + received, 2 * c.total * c.log(c.number(2 * (c.n_classes - 1))), EMPTY)


_INFORMATION = (
    r"\ I=\sum_{ij}m_{ij}\ln\frac{n\,m_{ij}}{t_ip_j},\ H_t=-\sum_i t_i\ln\frac{t_i}{n},"
    r"\ H_p=-\sum_j p_j\ln\frac{p_j}{n}"
)

relative_classifier_information = multi_class(
    symbols=("RCI",),
    aliases=("uncertainty_coefficient", "theils_u"),
    title="Relative classifier information",
    question="How much of the uncertainty about the class is removed by seeing the prediction?",
    formula=(
        r"\frac{H_d-H_o}{H_d},\ H_d=-\sum_i\frac{t_i}{n}\ln\frac{t_i}{n},"
        r"\ H_o=-\sum_j\frac{p_j}{n}\sum_i\frac{m_{ij}}{p_j}\ln\frac{m_{ij}}{p_j}"
    ),
    body=lambda c: c.ratio(_mutual(c), _of_truth(c), "one class holds every example"),
    sources=cite("sindhwani2001", "branco2017 Table 1"),
    notes=(
        "branco2017's Table 1 prints a division by C where n is meant: only n gives its own 0.368, 0.926"
        " and 0.979.\n"
        "Predictions that are wrong in a systematic way count as information: swapped classes score 1."
    ),
)

confusion_entropy = multi_class(
    symbols=("CEN",),
    title="Confusion entropy",
    question="How disordered are the errors?",
    formula=(
        r"-\sum_j\sum_{k\ne j}\frac{m_{jk}\ln\frac{m_{jk}}{s_j}+m_{kj}\ln\frac{m_{kj}}{s_j}}{2n\ln(2(C-1))},"
        r"\ s_j=t_j+p_j"
    ),
    range=Range(
        0,
        ByClasses(
            "1 (C > 2), 2/(e ln 2) ≈ 1.061 (C = 2)", lambda C: 1.0 if C > 2 else 2 / (math.e * math.log(2))
        ),
    ),
    better="lower",
    scale=Range(1, 0),
    body=_confusion_entropy,
    sources=cite("wei2010", "branco2017 Table 1"),
    notes=(
        "Exceeds 1 on some two-class matrices; the normalised value is 1 - CEN.\n"
        "PyCM has no value where a listed class has neither examples nor predictions; that class adds 0"
        " here.\n"
        "One class alone makes no errors: 0, though the base of the logarithm is 0 then; PyCM has no value."
    ),
)


def _completeness(c: Classes) -> Any:
    # As H(p) - H(p | t): next to a far larger entropy of the truth, that of the predictions would drown.
    explained = _of_prediction(c) - c.entropy_terms(c.counts, c.elsewhere).sum(axis=(0, 1))
    return c.ratio(explained, _of_prediction(c), "one class only is predicted")


def _divergence(c: Classes) -> Any:
    # n times the sum of t_i ln t_i less that of t_i ln p_i; the logarithm of a share is told by its entropy.
    rare = c.ratio(
        c.actual * c.entropy_terms(c.predicted, c.other_predicted), c.predicted, NEVER_PREDICTED
    ).sum(axis=0)
    return c.ratio(rare - _of_truth(c), c.total * c.log(c.number(2)), EMPTY)


def _modified_confusion_entropy(c: Classes) -> Any:
    if c.n_classes < 2:
        return c.ratio(c.total * 0, c.total, EMPTY)
    errors = c.without_own(c.counts)
    # The errors of class j as shares of t_j + p_j - d_j; what is left of that without one of them is never
    # subtracted.
    sent = c.entropy_terms(errors, c.without_each(errors, axis=1) + c.predicted[:, None]).sum(axis=(0, 1))
    received = c.entropy_terms(errors, c.without_each(errors, axis=0) + c.actual[None]).sum(axis=(0, 1))
    whole = 2 * c.total if c.n_classes == 2 else c.total + c.missed.sum(axis=0)
    return c.ratio(sent + received, whole * c.log(c.number(2 * (c.n_classes - 1))), EMPTY)


# Reports do not show them for every matrix.
found_by_name = partial(multi_class, usual=False)

mutual_information = found_by_name(
    id="mutual_information",
    symbols=("MI",),
    title="Mutual information of truth and prediction",
    question="How many bits does the prediction tell about the class?",
    formula=r"\sum_{ij}\frac{m_{ij}}{n}\log_2\frac{n\,m_{ij}}{t_ip_j}",
    range=Range(0, ByClasses("log2 C", lambda C: np.log2(C))),
    body=lambda c: c.ratio(_mutual(c), c.total * c.log(c.number(2)), EMPTY),
    sources=cite("shannon1948"),
    notes="In bits; scikit-learn's mutual_info_score is in nats, ln 2 times this.",
)

normalised_mutual_information = found_by_name(
    symbols=("NMI",),
    aliases=("normalized_mutual_information", "v_measure"),
    title="Normalised mutual information",
    question="How much of what there is to know about truth and prediction do they tell of each other?",
    formula=r"\frac{2\,I}{H_t+H_p}," + _INFORMATION,
    body=lambda c: c.ratio(
        2 * _mutual(c), _of_truth(c) + _of_prediction(c), "truth and prediction hold one class only"
    ),
    sources=cite("shannon1948"),
    notes=(
        "The mean of the entropies is the arithmetic one, as in scikit-learn, which gives 1 where both hold"
        " one class only."
    ),
)

completeness = found_by_name(
    aliases=("completeness_score",),
    title="Completeness",
    question="How much of the uncertainty about the prediction is removed by seeing the class?",
    formula=r"\frac{I}{H_p}," + _INFORMATION,
    body=_completeness,
    sources=cite("rosenberg2007"),
    notes=(
        "The mirror image of relative classifier information: truth and prediction exchanged. scikit-learn"
        " gives 1 where one class only is predicted."
    ),
)

kl_divergence = found_by_name(
    id="kl_divergence",
    symbols=("KL",),
    aliases=("kullback_leibler_divergence", "relative_entropy"),
    title="Kullback-Leibler divergence of the class distributions",
    question="How many bits are lost by taking the shares of the predictions for those of the classes?",
    formula=r"\sum_i\frac{t_i}{n}\log_2\frac{t_i}{p_i}",
    range=Range(0, np.inf),
    better="lower",
    body=_divergence,
    sources=cite("kullback1951"),
    notes=(
        "Of the shares alone: swapped classes of equal size have 0, the best value.\n"
        "In bits. A class that has examples and is never predicted makes it infinite: there it is undefined."
        " PyCM has no value where a class has no examples either; that class adds 0 here."
    ),
)

modified_confusion_entropy = found_by_name(
    symbols=("MCEN",),
    title="Modified confusion entropy",
    question="How disordered are the errors, if the hits are counted once?",
    formula=(
        r"-\sum_j\sum_{k\ne j}\frac{m_{jk}\ln\frac{m_{jk}}{s_j}+m_{kj}\ln\frac{m_{kj}}{s_j}}"
        r"{(2n-\alpha\sum_i d_i)\ln(2(C-1))},\ s_j=t_j+p_j-d_j,\ \alpha=1\ (C>2),\ 0\ (C=2)"
    ),
    better="lower",
    body=_modified_confusion_entropy,
    sources=cite("delgado2019"),
    notes=(
        "PyCM has no value where a listed class has neither examples nor predictions; that class adds 0 here."
    ),
)

MEASURES = in_order(globals())
