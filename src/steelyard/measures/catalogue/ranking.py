"""The measures of scores: how well is the positive class, or each class, ranked above the others?"""

from __future__ import annotations

import itertools
from typing import Any, Literal, get_args

import numpy as np

from steelyard.counts import curves
from steelyard.counts.labels import Array
from steelyard.counts.ties import TwoSides
from steelyard.errors import InputError, UnknownNameError
from steelyard.measures.record import Family, Measure, Range, Relation, cite, in_order
from steelyard.measures.score_measure import Scored, TwoSided, ranking, ranking_of_classes
from steelyard.measures.undefined import NO_EXAMPLES, NO_POSITIVES

Averaging = Literal["macro", "prevalence"]

ONE_SIDE_EMPTY = "there are no examples of {label}, or none of any other class"


def _average_precision(c: TwoSided) -> Any:
    total = curves.precision_sum(c.ranked) if c.known and bool(c.positives > 0) else np.nan
    return c.needed_ratio(np.array([total]), c.positives, NO_POSITIVES)


roc_auc = ranking(
    id="roc_auc",
    aliases=("auc_of_the_ranking", "ranking_auc", "roc_auc_score", "c_statistic", "concordance"),
    title="Area under the ROC curve",
    question="How often is a positive example ranked above a negative one, a tie counting half?",
    formula=r"\frac{1}{PN}\sum_{i\in+}\sum_{j\in-}\Bigl([s_i>s_j]+\tfrac12[s_i=s_j]\Bigr)",
    reads="share of (positive, negative) pairs in which the positive has the higher score, ties half",
    body=lambda c: c.of_both(curves.area),
    sources=cite("hanley1982", "fawcett2006"),
    notes=(
        "Not the AUC of a single operating point, which needs no scores: that is auc_point.\n"
        "Does not depend on the class priors."
    ),
)

gini = ranking(
    id="gini",
    aliases=("gini_coefficient", "accuracy_ratio", "somers_d", "gain_capture"),
    title="Gini coefficient of the ranking",
    question="How much more often is a positive ranked above a negative than below it?",
    formula=r"2\,AUC-1",
    reads="2 roc_auc - 1",
    range=Range(-1, 1),
    body=lambda c: 2 * c.of_both(curves.area) - 1,
    sources=cite("hand2001"),
    relations=(Relation("gini = 2 roc_auc - 1", "roc_auc", lambda a, C: 2 * a - 1),),
)

average_precision = ranking(
    symbols=("AP",),
    aliases=("average_precision_score", "auprc", "area_under_the_precision_recall_curve"),
    title="Average precision",
    question="What is the precision at the score of a positive example, on average over the positives?",
    formula=r"\sum_k (R_k-R_{k-1})\,P_k",
    reads="sum over thresholds of (recall - recall before) precision",
    body=_average_precision,
    undefined_when="there are no positive examples",
    sources=cite("davis2006"),
    notes=(
        "Falls when the positive class becomes rarer; at_priors tells it for any share of positives.\n"
        "Steps, no interpolation: straight lines between points of a precision-recall curve promise too much"
        " (davis2006)."
    ),
)


@Family
def partial_auc(max_fpr: float) -> Measure:
    """The ROC area up to a false positive rate, brought to the scale of the AUC (mcclish1989)."""
    if not 0 < max_fpr <= 1:
        what, allowed = "max_fpr must be a false positive rate", "more than 0 and at most 1"
        raise InputError(what, found=repr(max_fpr), allowed=allowed)
    limit = float(max_fpr)
    # Below the limit f the diagonal has the area f² / 2 and the perfect curve f (mcclish1989).
    chance, perfect = limit * limit / 2, limit

    def scaled_area(ranked: TwoSides) -> float:
        area = curves.area_up_to(curves.outline(ranked), limit)
        return (1 + (area - chance) / (perfect - chance)) / 2

    return ranking(
        id="partial_auc",
        symbols=("pAUC",),
        aliases=("partial_area_under_the_roc_curve",),
        title="Partial area under the ROC curve",
        question="How well are positives ranked above negatives, if only few false alarms are tolerated?",
        formula=r"\tfrac12\left(1+\frac{A-f^2/2}{f-f^2/2}\right),\ A=\int_0^f TPR\,dFPR",
        reads="(1 + (A - f²/2) / (f - f²/2)) / 2, A = area under the ROC curve up to FPR = f",
        range=Range((1 - limit) / (2 - limit), 1),
        body=lambda c: c.of_both(scaled_area),
        sources=cite("mcclish1989"),
        notes=(
            "1/2 is chance and 1 is perfect for every limit; the plain area is f - f²/2 times (2 value - 1),"
            " plus f²/2."
        ),
    )


@Family
def weighted_auc(rho: float, strips: int) -> Measure:
    """The area under the ROC curve, strips of high true positive rate weighing more."""
    if not 0 <= rho < 1:
        raise InputError("rho must be a share of weight passed on", found=repr(rho), allowed="0 <= rho < 1")
    if int(strips) != strips or strips < 1:
        what, allowed = "strips must be a number of strips", "a whole number, 1 or more"
        raise InputError(what, found=repr(strips), allowed=allowed)
    weights = curves.strip_weights(float(rho), int(strips))

    return ranking(
        id="weighted_auc",
        symbols=("wAUC",),
        aliases=("weighted_area_under_the_roc_curve",),
        title="Weighted area under the ROC curve",
        question=(
            "How well are positives ranked above negatives, where most of the positives are already found?"
        ),
        formula=r"\sum_i W_i A_i,\ W_0=1-\rho,\ W_i=\rho W_{i-1}+(1-\rho),\ W_{n-1}\to\frac{W_{n-1}}{1-\rho}",
        reads=(
            "sum of W_i A_i over horizontal strips of the ROC area, W_0 = 1 - rho, W_i = rho W_(i-1) + (1 -"
            " rho), the top one divided by 1 - rho"
        ),
        body=lambda c: c.of_both(
            lambda ranked: float(weights @ curves.strip_areas(curves.outline(ranked), int(strips)))
        ),
        sources=cite("weng2008", "garcia2012 Eq. 1"),
        notes=(
            "garcia2012's Eq. 1 prints W_0 = rho, with which rho = 0 does not give the AUC as the text says;"
            " W_0 = 1 - rho does."
        ),
    )


def _saved_loss(c: TwoSided, ranked: TwoSides) -> float:
    loss, constant = curves.h_loss(curves.outline(ranked), (c.positives / (c.positives + c.negatives)).item())
    return 1 - loss / constant


h_measure = ranking(
    id="h_measure",
    symbols=("H",),
    aliases=("hand_measure",),
    title="H-measure",
    question=(
        "How much of the loss of the better constant prediction is saved, on average over the costs of the"
        " two errors?"
    ),
    formula=(
        r"1-\frac{\int \min_t\left[c\,\pi_-FPR_t+(1-c)\,\pi_+(1-TPR_t)\right]u(c)\,dc}{\int"
        r" \min(c\,\pi_-,(1-c)\,\pi_+)\,u(c)\,dc},\ u=\mathrm{Beta}(2,2)"
    ),
    reads=(
        "1 - L / L_constant, L = least expected loss at cost c of a false alarm and 1 - c of a miss, averaged"
        " over c from Beta(2, 2)"
    ),
    body=lambda c: c.of_both(lambda ranked: _saved_loss(c, ranked)),
    sources=cite("hand2009"),
    notes=(
        "Costs are drawn from Beta(2, 2), hand2009's default: equal costs are the most likely. Other"
        " priors of costs give other values.\n"
        "Depends on the class priors; at_priors tells it for others."
    ),
)


def _class_areas(c: Scored) -> tuple[Array, Array]:
    # For each class its wins over all others by its own score, and the pairs there are; shape (C, 1).
    # With one column for two classes, the column of the other would be its mirror image.
    mirrored = len(c.scores.columns) == 1
    ranked = [c.scores.ranked(None if mirrored else label) for label in c.scores.labels]
    pairs = [pair.weighed_alike() for pair in ranked]
    won = np.array([[curves.wins(pair)] for pair in pairs])
    return won, np.array([[float(pair.positives.total) * float(pair.negatives.total)] for pair in pairs])


def _averaged(average: Averaging) -> dict[str, Any]:
    # The facts of a mean over classes; one in which all count alike can be weighted by relevance instead.
    if average not in get_args(Averaging):
        do = "weights of your own go into weighted_by(relevance)"
        raise UnknownNameError("average", average, get_args(Averaging), do)
    return {"over_classes": average == "macro"}


def _mean(c: Scored, terms: Any, average: Averaging) -> Any:
    return c.mean(terms) if average == "macro" else c.weighted_mean(terms, c.row_totals)


def _class_precision(c: Scored) -> Any:
    if len(c.scores.columns) == 1:
        raise InputError(
            "ova_average_precision needs a column of scores for each class",
            found="one column",
            do="use average_precision",
        )
    pairs = [c.scores.ranked(label) for label in c.scores.labels]
    return c.ratio(np.array([[curves.precision_sum(pair)] for pair in pairs]), c.row_totals, NO_EXAMPLES)


def _hand_till(c: Scored, average: Averaging) -> Any:
    present = c.needed_ratio(c.row_totals, c.row_totals, NO_EXAMPLES)[:, 0]
    sizes = c.row_totals[:, 0]
    columns = c.scores.columns
    terms, weights = [], []
    relevance = np.ones(c.n_classes) if c.weights is None else np.array([float(w) for w in c.weights])
    if average != "macro":
        relevance = sizes
    for i, j in itertools.permutations(range(c.n_classes), 2):
        pair = c.scores.ranked() if len(columns) == 1 else TwoSides(columns[i][i], columns[i][j])
        terms.append(present[i] * present[j] * (curves.area(pair) if sizes[i] and sizes[j] else 0.0))
        weights.append(relevance[i] + relevance[j])
    if not terms:
        return c.undefined("there is one class only")
    values = np.array(terms).reshape(-1, 1)
    values = np.where(np.isnan(values), c.numbers.policy.fill, values)
    return c.weighted_mean(values, np.array(weights))


@Family
def hand_till(average: Averaging = "macro") -> Measure:
    """The area under the ROC curve of each class against each other one, averaged over pairs."""
    return ranking_of_classes(
        id="hand_till",
        symbols=("M",),
        aliases=("hand_and_till", "multiclass_auc", "roc_auc_ovo"),
        title="Hand and Till's M",
        question=(
            "How often are two examples of different classes ranked right by the score of one of these"
            " classes, on average over pairs of classes?"
        ),
        formula=r"\frac{2}{C(C-1)}\sum_{i<j}\frac{A(i|j)+A(j|i)}{2}",
        reads=(
            "mean over ordered pairs of classes of A(i|j), the roc_auc of class i against class j by score i"
        ),
        body=lambda c: _hand_till(c, average),
        **_averaged(average),
        undefined_when="a class has no examples",
        sources=cite("hand2001"),
        notes=(
            "Does not depend on the class priors. Needs a column of scores for each class, unless there"
            " are two.\n"
            "Weighted by relevance, a pair counts by the sum of its two classes."
        ),
    )


@Family
def ova_auc(average: Averaging = "macro") -> Measure:
    """The area under the ROC curve of each class against all others, averaged over classes."""
    return ranking_of_classes(
        id="ova_auc",
        aliases=("one_versus_all_auc", "one_versus_rest_auc", "roc_auc_ovr"),
        title="Area under the ROC curve, one versus all",
        question="How well is each class ranked above all others by its own score, on average over classes?",
        formula=r"\frac1C\sum_i AUC(i\,|\,\neg i)",
        reads=f"{average} mean over classes of roc_auc of class i against the rest by score i",
        body=lambda c: _mean(c, c.ratio(*_class_areas(c), ONE_SIDE_EMPTY), average),
        **_averaged(average),
        undefined_when="a class has no examples, or all of them",
        sources=cite("fawcett2006", "hand2001"),
        notes=(
            "Needs a column of scores for each class. Depends on the class priors, because the others are"
            " pooled."
        ),
    )


@Family
def ova_average_precision(average: Averaging = "macro") -> Measure:
    """The average precision of each class against all others, averaged over classes."""
    return ranking_of_classes(
        id="ova_average_precision",
        aliases=("mean_average_precision",),
        title="Average precision, one versus all",
        question=(
            "What is the precision at the score of an example of a class, on average over examples and then"
            " over classes?"
        ),
        formula=r"\frac1C\sum_i AP(i\,|\,\neg i)",
        reads=f"{average} mean over classes of average_precision of class i against the rest by score i",
        body=lambda c: _mean(c, _class_precision(c), average),
        **_averaged(average),
        undefined_when="a class has no examples",
        sources=cite("davis2006"),
        notes="At uniform priors it is mullick2020's remedy for many classes, taken to the whole curve.",
    )


def _widest_gap(ranked: TwoSides) -> float:
    curve = curves.outline(ranked)
    return float(np.max(curve.tpr - curve.fpr))


kolmogorov_smirnov = ranking(
    id="kolmogorov_smirnov",
    symbols=("KS",),
    aliases=("ks_statistic", "kolmogorov_smirnov_statistic"),
    title="Kolmogorov-Smirnov distance of the scores",
    question="How far apart do true and false positive rate come, at the best threshold?",
    formula=r"\max_t\,(TPR_t-FPR_t)",
    reads="max over thresholds of TPr - FPr",
    body=lambda c: c.of_both(_widest_gap),
    sources=cite("fawcett2006"),
    usual=False,
    notes="Scores that rank the positives below the negatives give 0: the distance is taken to one side.",
)


MEASURES = in_order(globals(), partial_auc={"max_fpr": 0.1}, weighted_auc={"rho": 0.1, "strips": 100})
