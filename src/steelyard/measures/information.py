"""The measures that weigh a matrix in bits: how much is known, how disordered are the errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.measures.measure import multi_class
from steelyard.measures.record import ByClasses, Range
from steelyard.measures.references import cite
from steelyard.measures.undefined import EMPTY
from steelyard.measures.views import Classes

# fmt: off

Array = NDArray[Any]


def _relative_information(c: Classes) -> Array:
    before = c.entropy_terms(c.actual, c.other_actual).sum(axis=0)
    after = c.entropy_terms(c.counts, c.of_others).sum(axis=(0, 1))
    return c.ratio(before - after, before, "one class holds every example")


def _confusion_entropy(c: Classes) -> Array:
    if c.n_classes < 2:  # one class makes no errors, whether or not another was named
        return c.ratio(c.total * 0, c.total, EMPTY)
    off_diagonal = c.counts * (1 - np.eye(c.n_classes, dtype=int)).reshape(c.n_classes, c.n_classes, *([1] * (c.counts.ndim - 2)))
    # The errors of class j, made (row j) and received (column j), as shares of t_j + p_j.
    made = c.entropy_terms(off_diagonal, c.elsewhere + c.predicted[:, None]).sum(axis=(0, 1))
    received = c.entropy_terms(off_diagonal, c.of_others + c.actual[None]).sum(axis=(0, 1))
    return c.ratio(made + received, 2 * c.total * c.log(c.number(2 * (c.n_classes - 1))), EMPTY)


relative_classifier_information = multi_class(
    id="relative_classifier_information", symbols=("RCI",), title="Relative classifier information",
    question="How much of the uncertainty about the class is removed by seeing the prediction?",
    formula=r"\frac{H_d-H_o}{H_d},\ H_d=-\sum_i\frac{t_i}{n}\log\frac{t_i}{n},\ H_o=-\sum_j\frac{p_j}{n}\sum_i\frac{m_{ij}}{p_j}\log\frac{m_{ij}}{p_j}",
    reads="(H_d - H_o) / H_d, H_d = entropy of the truth, H_o = entropy of the truth once the prediction is known",
    body=_relative_information, undefined_when="one class holds every example",
    sources=(cite("sindhwani2001"), cite("branco2017", "Table 1")),
    notes=("branco2017's Table 1 prints a division by C where n is meant: only n gives its own 0.368, 0.926 and 0.979.", "Predictions that are wrong in a systematic way count as information: swapped classes score 1."),
)

confusion_entropy = multi_class(
    id="confusion_entropy", symbols=("CEN",), title="Confusion entropy",
    question="How disordered are the errors?",
    formula=r"\sum_j P_j\,CEN_j,\ P_j=\frac{t_j+p_j}{2n},\ CEN_j=-\sum_{k\ne j}\bigl(P^j_{jk}\log_{2(C-1)}P^j_{jk}+P^j_{kj}\log_{2(C-1)}P^j_{kj}\bigr),\ P^j_{jk}=\frac{m_{jk}}{t_j+p_j}",
    reads="mean over classes, weighted by t_j + p_j, of the entropy (base 2(C-1)) of the errors m_jk and m_kj as shares of t_j + p_j",
    range=Range(0, ByClasses("1 (C > 2), 2/(e ln 2) ≈ 1.061 (C = 2)", lambda C: 1.0 if C > 2 else 2 / (math.e * math.log(2)))), better="lower", scale=Range(1, 0),
    body=_confusion_entropy,
    sources=(cite("wei2010"), cite("branco2017", "Table 1")),
    notes=("Exceeds 1 on some two-class matrices; the normalised value is 1 - CEN.", "PyCM has no value where a listed class has neither examples nor predictions; that class adds 0 here.",
        "One class alone makes no errors: 0, though the base of the logarithm is 0 then; PyCM has no value."),
)

MEASURES = (relative_classifier_information, confusion_entropy)
