"""The measures of agreement and association: truth and prediction as two raters of the same examples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from steelyard.measures import measure
from steelyard.measures.record import ByClasses, Range, Relation, cite, in_order
from steelyard.measures.undefined import EMPTY, NEVER_PREDICTED, NO_EXAMPLES, SAME_CLASS
from steelyard.measures.views import Classes

ONE_CLASS = "there is one class only"
ALL_OF_ONE_CLASS = "one class holds every example"
ONE_PREDICTED = "one class only is predicted"

# Found by name: reports do not show them for every matrix.
class_mean = partial(measure.class_mean, usual=False)
multi_class = partial(measure.multi_class, usual=False)


def _chance_disagreement(c: Classes) -> Any:
    # Σ q_i (2n - q_i) with q_i = t_i + p_i: 4 n² times the chance that two of the 2n labels differ.
    return ((c.actual + c.predicted) * (c.other_actual + c.other_predicted)).sum(axis=0)


def _gwet(c: Classes) -> Any:
    if c.n_classes < 2:
        return c.undefined(ONE_CLASS)
    # (A - e) / (1 - e) with e = _chance_disagreement / (4 n² (C - 1)), both sides multiplied by 4 n² (C - 1).
    chance, whole = _chance_disagreement(c), 4 * (c.n_classes - 1) * c.total
    return c.ratio(whole * c.all_hits - chance, whole * c.total - chance, EMPTY)


def _bennett(c: Classes) -> Any:
    reason = EMPTY if c.n_classes > 1 else ONE_CLASS
    return c.ratio(c.n_classes * c.all_hits - c.total, (c.n_classes - 1) * c.total, reason)


def _krippendorff(c: Classes) -> Any:
    # Both sides are divided by n, so that the squares of large counts need not be numbers.
    labels = c.actual + c.predicted
    others = c.needed_ratio(c.other_actual + c.other_predicted, c.total, EMPTY)
    chance = (labels * others).sum(axis=0)
    errors = c.needed_ratio(c.missed.sum(axis=0), c.total, EMPTY)
    return c.ratio(chance - 2 * (2 * c.total - 1) * errors, chance, SAME_CLASS)


def _weighted_kappa(power: int) -> Callable[[Classes], Any]:
    def body(c: Classes) -> Any:
        steps = c.steps(power)
        # Both sides times n: 1 - n observed / expected distance, one division.
        by_chance = (steps * c.actual[:, None] * c.predicted[None]).sum(axis=(0, 1))
        return c.ratio(by_chance - c.total * (steps * c.counts).sum(axis=(0, 1)), by_chance, SAME_CLASS)

    return body


def _phi_squared(c: Classes) -> Any:
    # Σ (m_ij - t_i p_j / n)² / (t_i p_j), added up from squares so that independence gives 0.
    of_actual = c.needed_ratio(c.number(1), c.actual, NO_EXAMPLES)[:, None]
    of_predicted = c.needed_ratio(c.number(1), c.predicted, NEVER_PREDICTED)[None]
    away = c.counts - c.actual[:, None] * c.needed_ratio(c.predicted, c.total, EMPTY)[None]
    # each factor by itself is near 1, however large the counts are
    return ((away * of_actual) * (away * of_predicted)).sum(axis=(0, 1))


def _lambda(c: Classes) -> Any:
    # n - max t_i as the least n - t_i, and n - Σ max m_ij likewise: sums without the largest, never
    # differences.
    least = c.least(c.other_actual)
    return c.ratio(least - c.least(c.of_others).sum(axis=0), least, ALL_OF_ONE_CLASS)


def _lambda_of_prediction(c: Classes) -> Any:
    least = c.least(c.other_predicted)
    return c.ratio(least - c.least(c.elsewhere.swapaxes(0, 1)).sum(axis=0), least, ONE_PREDICTED)


def _farthest(classes: int) -> float:
    # The mean of max(i, C - 1 - i) over i from 0 to C - 1.
    return (3 * classes - 2) / 4 if classes % 2 == 0 else (classes - 1) * (3 * classes + 1) / (4 * classes)


_UP_TO_CHANCE = Range(ByClasses("-1/(C-1)", lambda C: -1 / (C - 1) if C > 1 else -1), 1)
_SHARES = r"\ A=\frac1n\sum_i d_i,\ \pi_i=\frac{t_i+p_i}{2n}"
_CONTINGENCY = r"\ \varphi^2=\sum_{ij}\frac{(m_{ij}-t_ip_j/n)^2}{t_ip_j}"

scott_pi = multi_class(
    id="scott_pi",
    symbols=("π",),
    aliases=("scotts_pi", "kappa_unbiased"),
    title="Scott's pi",
    question=(
        "How much of the agreement that chance leaves open is reached, if truth and prediction had the same"
        " class distribution?"
    ),
    formula=r"\frac{A-\sum_i\pi_i^2}{1-\sum_i\pi_i^2}," + _SHARES,
    range=Range(-1, 1),
    body=lambda c: c.ratio(
        _chance_disagreement(c) - 4 * c.total * c.missed.sum(axis=0), _chance_disagreement(c), SAME_CLASS
    ),
    sources=cite("scott1955"),
)

gwet_ac1 = multi_class(
    id="gwet_ac1",
    symbols=("AC1",),
    aliases=("gwets_ac1",),
    title="Gwet's AC1",
    question=(
        "How much of the agreement that chance leaves open is reached, if chance is guessing on the hard"
        " examples only?"
    ),
    formula=r"\frac{A-e}{1-e},\ e=\sum_i\frac{\pi_i(1-\pi_i)}{C-1}," + _SHARES,
    range=_UP_TO_CHANCE,
    body=_gwet,
    sources=cite("gwet2008"),
)

bennett_s = multi_class(
    id="bennett_s",
    aliases=("bennetts_s", "s_score", "brennan_prediger"),
    title="Bennett's S",
    question="How much of the agreement that guessing among equally likely classes leaves open is reached?",
    range=_UP_TO_CHANCE,
    body=_bennett,
    sources=cite("bennett1954"),
    relations=(Relation("S = (C accuracy - 1) / (C - 1)", "accuracy", lambda a, C: (C * a - 1) / (C - 1)),),
)

krippendorff_alpha = multi_class(
    id="krippendorff_alpha",
    aliases=("krippendorffs_alpha",),
    title="Krippendorff's alpha",
    question="How much less do truth and prediction disagree than labels drawn without replacement would?",
    formula=r"1-\frac{(2n-1)(1-A)}{2n\,(1-\sum_i\pi_i^2)}," + _SHARES,
    range=Range(-1, 1),
    body=_krippendorff,
    sources=cite("krippendorff2011"),
    notes=(
        "Depends on the number of examples, so weights must be counts; it tends to Scott's pi.\n"
        "For nominal classes and two raters without missing values."
    ),
    depends_on_size=True,
)

linear_weighted_kappa = multi_class(
    id="linear_weighted_kappa",
    aliases=("linear_kappa", "kappa_linear"),
    title="Kappa, weighted linearly",
    question="How much less far apart are truth and prediction than by chance, if the classes are in order?",
    formula=r"1-\frac{n\sum_{ij}|i-j|\,m_{ij}}{\sum_{ij}|i-j|\,t_ip_j}",
    range=Range(-1, 1),
    body=_weighted_kappa(1),
    sources=cite("cohen1968"),
    ordered=True,
)

quadratic_weighted_kappa = multi_class(
    id="quadratic_weighted_kappa",
    symbols=("QWK",),
    aliases=("quadratic_kappa", "kappa_quadratic"),
    title="Kappa, weighted quadratically",
    question=(
        "How much less far apart are truth and prediction than by chance, if the classes are in order and far"
        " errors count most?"
    ),
    formula=r"1-\frac{n\sum_{ij}(i-j)^2m_{ij}}{\sum_{ij}(i-j)^2t_ip_j}",
    range=Range(-1, 1),
    body=_weighted_kappa(2),
    sources=cite("cohen1968"),
    ordered=True,
    notes="The order of the classes is that of the labels.",
)

macro_mae = class_mean(
    id="macro_mae",
    symbols=("MAE_M",),
    aliases=("macro_averaged_mean_absolute_error", "amae"),
    title="Macro-averaged mean absolute error",
    question="How many classes is a prediction off, on average over classes, if they are in order?",
    formula=r"\frac1C\sum_i\frac1{t_i}\sum_j|i-j|\,m_{ij}",
    better="lower",
    range=Range(0, ByClasses("mean of max(i - 1, C - i)", _farthest)),
    per_class=lambda c: c.ratio((c.steps(1) * c.counts).sum(axis=1), c.actual, NO_EXAMPLES),
    sources=cite("baccianella2009"),
    ordered=True,
    notes="The classes count as one step apart, in the order of the labels.",
)

bangdiwala_b = multi_class(
    id="bangdiwala_b",
    aliases=("bangdiwalas_b",),
    title="Bangdiwala's B",
    question="How much of the agreement chart is agreement?",
    body=lambda c: c.ratio(
        (c.hits * c.hits).sum(axis=0),
        (c.actual * c.predicted).sum(axis=0),
        "no class that has examples was predicted",
    ),
    undefined_when="no class that has examples is predicted",
    sources=cite("bangdiwala1985"),
)

phi_squared = multi_class(
    id="phi_squared",
    symbols=("φ²",),
    aliases=("mean_square_contingency",),
    title="Mean square contingency",
    question="How far are truth and prediction from being independent?",
    formula=r"\varphi^2," + _CONTINGENCY,
    range=Range(0, ByClasses("C-1", lambda C: C - 1)),
    body=_phi_squared,
    sources=cite("cramer1946"),
    notes="Association, not agreement: swapped classes have the greatest value.",
)

chi_squared = multi_class(
    id="chi_squared",
    symbols=("χ²",),
    title="Pearson's chi-squared",
    question="How far are truth and prediction from being independent, the more so the more examples?",
    formula=r"n\,\varphi^2," + _CONTINGENCY,
    range=Range(0, np.inf),
    body=lambda c: c.total * _phi_squared(c),
    sources=cite("pearson1900"),
    depends_on_size=True,
    notes="Grows with the number of examples: of no use to compare test sets of different sizes.",
)

cramer_v = multi_class(
    id="cramer_v",
    symbols=("V",),
    aliases=("cramers_v",),
    title="Cramér's V",
    question="How strongly are truth and prediction associated, on a scale from 0 to 1?",
    formula=r"\sqrt{\frac{\varphi^2}{C-1}}," + _CONTINGENCY,
    body=lambda c: c.sqrt(c.ratio(_phi_squared(c), c.total * 0 + (c.n_classes - 1), ONE_CLASS)),
    sources=cite("cramer1946"),
    relations=(Relation("V = √(φ² / (C - 1))", "phi_squared", lambda p, C: (p / (C - 1)) ** 0.5),),
)

pearson_c = multi_class(
    id="pearson_c",
    aliases=("contingency_coefficient", "pearsons_c"),
    title="Pearson's contingency coefficient",
    question="How strongly are truth and prediction associated?",
    formula=r"\sqrt{\frac{\varphi^2}{1+\varphi^2}}," + _CONTINGENCY,
    range=Range(0, ByClasses("√((C-1)/C)", lambda C: ((C - 1) / C) ** 0.5)),
    body=lambda c: c.sqrt(c.ratio(_phi_squared(c), 1 + _phi_squared(c), EMPTY)),
    sources=cite("cramer1946"),
    relations=(Relation("C = √(φ² / (1 + φ²))", "phi_squared", lambda p, C: (p / (1 + p)) ** 0.5),),
)

goodman_kruskal_lambda = multi_class(
    id="goodman_kruskal_lambda",
    symbols=("λ",),
    aliases=("lambda_a", "goodman_and_kruskal_lambda"),
    title="Goodman and Kruskal's lambda",
    question=(
        "How many of the errors of always guessing the most frequent class are saved by knowing the"
        " prediction?"
    ),
    formula=r"\frac{\sum_j\max_i m_{ij}-\max_i t_i}{n-\max_i t_i}",
    body=_lambda,
    sources=cite("goodman1954"),
    notes="Predictions that are wrong in a systematic way count as knowledge: swapped classes score 1.",
)

goodman_kruskal_lambda_b = multi_class(
    id="goodman_kruskal_lambda_b",
    aliases=("lambda_b",),
    title="Goodman and Kruskal's lambda of the prediction",
    question="How many of the errors of guessing the prediction are saved by knowing the class?",
    formula=r"\frac{\sum_i\max_j m_{ij}-\max_j p_j}{n-\max_j p_j}",
    body=_lambda_of_prediction,
    sources=cite("goodman1954"),
    notes="The mirror image of goodman_kruskal_lambda: truth and prediction exchanged.",
)

no_information_rate = multi_class(
    id="no_information_rate",
    symbols=("NIR",),
    title="No-information rate",
    question="How often would always guessing the most frequent class be right?",
    range=Range(ByClasses("1/C", lambda C: 1 / C), 1),
    better="neither",
    body=lambda c: c.ratio(c.greatest(c.actual), c.total, EMPTY),
    sources=cite("kuhn2008"),
    notes=(
        "A fact about the test set, not about the classifier: the accuracy of the better constant prediction."
    ),
)

MEASURES = in_order(globals())
