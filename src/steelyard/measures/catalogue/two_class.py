"""The measures of a positive and a negative class: [[tp, fn], [fp, tn]]."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.measures.measure import two_class
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

# Beyond it the square of beta times a count would not be a number; recall alone decides long before.
GREATEST_BETA = 1e50


def tpr(c: TwoClass) -> Any:
    """x: recall, the share of positives that are detected."""
    return c.ratio(c.tp, c.positives, NO_POSITIVES)


def tnr(c: TwoClass) -> Any:
    """y: specificity, the share of negatives that are correctly rejected."""
    return c.ratio(c.tn, c.negatives, NO_NEGATIVES)


def ppv(c: TwoClass) -> Any:
    """Precision: the share of predicted positives that are positive."""
    return c.ratio(c.tp, c.tp + c.fp, NOTHING_POSITIVE)


def checked_beta(beta: float) -> float:
    if not (isinstance(beta, Real) and not isinstance(beta, bool) and 0 <= beta <= GREATEST_BETA):
        allowed = f"0 <= beta <= {GREATEST_BETA:g}"
        raise InputError("beta must be a finite number", found=repr(beta), allowed=allowed)
    return float(beta)


recall = two_class(
    symbols=("TPr", "re", "β"),
    aliases=("sensitivity", "true_positive_rate", "hit_rate", "ξ_TP"),
    title="Recall",
    question="What share of the positives is detected?",
    body=tpr,
    sources=cite("garcia2012 section 2", "skrabanek2017 Tab. 2", "mullick2020 Eq. 5"),
    notes=(
        "imbalanced-learn gives 0 where there are no positive examples; here that is undefined unless"
        " undefined=0 is asked for."
    ),
)

specificity = two_class(
    symbols=("TNr", "sp"),
    aliases=("true_negative_rate", "selectivity", "ξ_TN"),
    title="Specificity",
    question="What share of the negatives is correctly rejected?",
    body=tnr,
    sources=cite("garcia2012 section 2", "skrabanek2017 Tab. 2"),
    notes=(
        "imbalanced-learn gives 0 where there are no negative examples; here that is undefined unless"
        " undefined=0 is asked for."
    ),
)

fnr = two_class(
    id="fnr",
    symbols=("fnr",),
    aliases=("false_negative_rate", "miss_rate"),
    title="False negative rate",
    question="What share of the positives is missed?",
    better="lower",
    body=lambda c: c.ratio(c.fn, c.positives, NO_POSITIVES),
    sources=cite("skrabanek2017 Tab. 2"),
    relations=(Relation("fnr = 1 - recall", "recall", lambda x, C: 1 - x),),
)

fpr = two_class(
    id="fpr",
    symbols=("fpr",),
    aliases=("false_positive_rate", "fall_out"),
    title="False positive rate",
    question="What share of the negatives is predicted positive?",
    better="lower",
    body=lambda c: c.ratio(c.fp, c.negatives, NO_NEGATIVES),
    sources=cite("skrabanek2017 Tab. 2"),
    relations=(Relation("fpr = 1 - specificity", "specificity", lambda y, C: 1 - y),),
)

precision = two_class(
    symbols=("Prec", "pr", "ζ"),
    aliases=("positive_predictive_value", "ppv"),
    title="Precision",
    question="What share of the predicted positives is positive?",
    body=ppv,
    sources=cite("garcia2012 section 2", "skrabanek2017 Tab. 2", "mullick2020 Eq. 4"),
    notes=(
        "Falls when the positive class becomes rarer, although the recall of every class stays the same; see"
        " balanced_precision."
    ),
)


@Family
def f_beta(beta: float = 1.0) -> Measure:
    """Precision and recall in one number, recall weighing beta squared times as much."""
    checked = checked_beta(beta)

    def body(c: TwoClass) -> Any:
        # (1 + β²) P R / (β² P + R) with P and R written in counts: one division, and 0 where P has no value.
        b2 = c.number(checked) ** 2
        return c.ratio((1 + b2) * c.tp, (1 + b2) * c.tp + b2 * c.fn + c.fp, NO_SIDE)

    return two_class(
        id="f_beta",
        symbols=("F_beta", "F_1"),
        aliases=("f1", "f1_score", "F-measure", "dice"),
        title="F-measure",
        question="Are recall and precision both high?",
        formula=r"\frac{(1+\beta^2)\,tp}{(1+\beta^2)\,tp+\beta^2 fn+fp}",
        body=body,
        monotone=True,
        sources=cite("rijsbergen1979", "garcia2012 section 2", "skrabanek2017 Tab. 2"),
        notes=(
            "Written in counts, so it is 0 (not undefined) when nothing is predicted positive but positives"
            " exist."
        ),
    )


auc_point = two_class(
    id="auc_point",
    symbols=("ρ",),
    aliases=("auc_of_one_point", "single_point_auc"),
    title="AUC of a single operating point",
    question="What is the area under the ROC curve that joins this one point to the corners?",
    body=lambda c: (tpr(c) + tnr(c)) / 2,
    sources=cite("garcia2012 section 2", "mullick2020 Eq. 3", "skrabanek2017 Tab. 2"),
    relations=(
        Relation("auc_point = balanced_accuracy for two classes", "balanced_accuracy", lambda b, C: b),
    ),
    notes="Not the AUC of a ranking: that needs scores and is another number.",
)

aurpc_point = two_class(
    id="aurpc_point",
    symbols=("AURPC",),
    aliases=("aurpc_of_one_point",),
    title="Area under the recall-precision curve of a single point",
    question="How good are recall and precision together, at equal weight?",
    body=lambda c: (tpr(c) + ppv(c)) / 2,
    sources=cite("mullick2020 Eq. 5"),
    notes="mullick2020's Eq. 7 drops the factor 1/2 by mistake; Eq. 5 holds.",
)

optimized_precision = two_class(
    symbols=("OP",),
    aliases=("optimised_precision",),
    title="Optimized precision",
    question="How accurate is it, less a penalty for treating the classes unequally?",
    range=Range(-1, 1),
    body=lambda c: (
        c.ratio(c.tp + c.tn, c.total, EMPTY)
        - c.ratio(abs(tnr(c) - tpr(c)), tnr(c) + tpr(c), "no example of either class was predicted right")
    ),
    undefined_when="a class has no examples, or no example at all is predicted right",
    sources=cite("ranawana2006", "garcia2012 section 2"),
)


@Family
def class_weighted_accuracy(w: float) -> Measure:
    """A weighted mean of recall and specificity."""
    if not 0 <= w <= 1:
        raise InputError("the weight of recall must be a proportion", found=repr(w), allowed="0 <= w <= 1")
    return two_class(
        id="class_weighted_accuracy",
        symbols=("cwA",),
        title="Class-weighted accuracy",
        question="What is the mean recall of the two classes, if the positive one weighs w?",
        formula=r"w\,TPr+(1-w)\,TNr",
        body=lambda c: c.number(w) * tpr(c) + (1 - c.number(w)) * tnr(c),
        sources=cite("cohen2006", "garcia2012 section 2"),
    )


def _adjusted_gmean(c: TwoClass) -> Any:
    x, y, negatives = tpr(c), tnr(c), c.ratio(c.negatives, c.total, EMPTY)
    value = c.ratio(c.sqrt(x * y) + y * negatives, 1 + negatives, EMPTY)
    return c.where((x == 0) & ~c.is_nan(value), 0, value)


adjusted_gmean = two_class(
    id="adjusted_gmean",
    symbols=("AGm",),
    aliases=("adjusted_geometric_mean",),
    title="Adjusted geometric mean",
    question="Are positives detected without giving up the negatives?",
    formula=r"\frac{\sqrt{TPr\cdot TNr}+TNr\cdot P_n}{1+P_n},\ P_n=\frac{fp+tn}{n}\ \text{(0 if TPr = 0)}",
    body=_adjusted_gmean,
    sources=cite("batuwita2009", "garcia2012 section 2"),
    notes=(
        "0 where TPr = 0, as batuwita2009 defines it; garcia2012 prints the formula without that case, which"
        " would give TNr P_n / (1 + P_n) there."
    ),
)

negative_predictive_value = two_class(
    symbols=("NPV",),
    title="Negative predictive value",
    question="What share of the predicted negatives is negative?",
    body=lambda c: c.ratio(c.tn, c.tn + c.fn, NOTHING_NEGATIVE),
    sources=cite("altman1994"),
)

false_discovery_rate = two_class(
    symbols=("FDR",),
    title="False discovery rate",
    question="What share of the predicted positives is negative?",
    better="lower",
    body=lambda c: c.ratio(c.fp, c.tp + c.fp, NOTHING_POSITIVE),
    sources=cite("powers2011"),
    relations=(Relation("FDR = 1 - precision", "precision", lambda p, C: 1 - p),),
)

false_omission_rate = two_class(
    symbols=("FOR",),
    title="False omission rate",
    question="What share of the predicted negatives is positive?",
    better="lower",
    body=lambda c: c.ratio(c.fn, c.tn + c.fn, NOTHING_NEGATIVE),
    sources=cite("powers2011"),
    relations=(Relation("FOR = 1 - NPV", "negative_predictive_value", lambda v, C: 1 - v),),
)

informedness = two_class(
    id="informedness",
    symbols=("J",),
    aliases="youden_j youden bookmaker_informedness delta_p' peirce_skill_score true_skill_statistic"
    " hanssen_kuipers",
    title="Informedness (Youden's J)",
    question="How much better than chance are the classes separated?",
    range=Range(-1, 1),
    body=lambda c: tpr(c) + tnr(c) - 1,
    sources=cite("youden1950", "powers2011"),
    relations=(Relation("J = 2 auc_point - 1", "auc_point", lambda a, C: 2 * a - 1),),
    notes=(
        "scikit-learn's adjusted balanced accuracy is this for two classes, but gives -inf where one class"
        " holds every example."
    ),
)

markedness = two_class(
    aliases=("delta_p",),
    title="Markedness",
    question="How much better than chance do the predictions mark the truth?",
    range=Range(-1, 1),
    body=lambda c: ppv(c) + c.ratio(c.tn, c.tn + c.fn, NOTHING_NEGATIVE) - 1,
    sources=cite("powers2011"),
)

positive_likelihood_ratio = two_class(
    symbols=("LR+",),
    aliases=("plr",),
    title="Positive likelihood ratio",
    question="How many times more often is a positive predicted positive than a negative is?",
    range=Range(0, np.inf),
    body=lambda c: c.ratio(
        tpr(c),
        c.ratio(c.fp, c.negatives, NO_NEGATIVES),
        "no example of {negative} was predicted as {positive}",
    ),
    undefined_when="a class has no examples, or no negative is predicted positive",
    sources=cite("powers2011"),
)

negative_likelihood_ratio = two_class(
    symbols=("LR-",),
    aliases=("nlr",),
    title="Negative likelihood ratio",
    question="How many times more often is a positive predicted negative than a negative is?",
    range=Range(0, np.inf),
    better="lower",
    body=lambda c: c.ratio(
        c.ratio(c.fn, c.positives, NO_POSITIVES), tnr(c), "no example of {negative} was predicted right"
    ),
    undefined_when="a class has no examples, or no negative is predicted negative",
    sources=cite("powers2011"),
)

diagnostic_odds_ratio = two_class(
    symbols=("DOR",),
    aliases=("odds_ratio",),
    title="Diagnostic odds ratio",
    question="By what factor do the odds of a positive prediction rise when the example is positive?",
    range=Range(0, np.inf),
    body=lambda c: (
        c.ratio(c.tp, c.fn, "no example of {positive} was missed")
        * c.ratio(c.tn, c.fp, "no example of {negative} was predicted as {positive}")
    ),
    undefined_when="there are no false negatives, or no false positives",
    needs=EXAMPLES | PREDICTIONS,
    sources=cite("glas2003"),
    notes=(
        "PyCM divides LR+ by LR-, which has no value where no negative is predicted right; this one is then"
        " 0."
    ),
)

threat_score = two_class(
    id="threat_score",
    symbols=("TS", "CSI"),
    aliases=("jaccard", "jaccard_index", "critical_success_index", "intersection_over_union"),
    title="Threat score (Jaccard index)",
    question="Of all examples that are positive or predicted positive, how many are both?",
    body=lambda c: c.ratio(c.tp, c.tp + c.fn + c.fp, NO_SIDE),
    sources=cite("jaccard1912"),
    relations=(Relation("threat score = F_1 / (2 - F_1)", "f_beta", lambda f, C: f / (2 - f)),),
)

fowlkes_mallows = two_class(
    id="fowlkes_mallows",
    symbols=("FM",),
    aliases=("fowlkes_mallows_index", "otsuka_ochiai", "ochiai"),
    title="Fowlkes-Mallows index",
    question="What is the geometric mean of precision and recall?",
    body=lambda c: c.sqrt(ppv(c) * tpr(c)),
    sources=cite("fowlkes1983"),
    notes=(
        "skrabanek2017's prose calls its Gmean the geometric mean of precision and recall; its table defines"
        " √(recall · specificity), which is gmean."
    ),
)

lift = two_class(
    title="Lift",
    question="How many times higher is the prevalence among predicted positives than in the whole test set?",
    range=Range(0, np.inf),
    body=lambda c: c.ratio(ppv(c), c.ratio(c.positives, c.total, EMPTY), NO_POSITIVES),
    sources=cite("powers2011"),
)

prevalence = two_class(
    symbols=("v_P", "ν_P"),
    title="Prevalence",
    question="What share of the test set is positive?",
    better="neither",
    body=lambda c: c.ratio(c.positives, c.total, EMPTY),
    sources=cite("skrabanek2017 Eq. 4"),
    notes="A fact about the test set, not about the classifier.",
)

dominance = two_class(
    symbols=("Dom",),
    title="Dominance",
    question="By how much is the recall of the positive class above that of the negative class?",
    range=Range(-1, 1),
    better="neither",
    body=lambda c: tpr(c) - tnr(c),
    sources=cite("garcia2012 section 2"),
    notes="0 where both classes have the same recall; the index of balanced accuracy weights it by alpha.",
    usual=False,
)

MEASURES = in_order(globals(), class_weighted_accuracy={"w": 0.5})
