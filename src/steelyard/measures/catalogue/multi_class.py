"""The measures of any number of classes, two included."""

from __future__ import annotations

from typing import Any

import steelyard.measures.catalogue.two_class as two
from steelyard.measures.measure import class_mean, multi_class
from steelyard.measures.operators import normalised, one_versus_all
from steelyard.measures.record import ByClasses, Family, Measure, Range, Relation, cite, in_order
from steelyard.measures.undefined import EMPTY, NEITHER, NEVER_PREDICTED, NO_EXAMPLES, SAME_CLASS
from steelyard.measures.views import Classes

ONE_SIDED = "the truth holds one class only, or one class only is predicted"


def recalls(c: Classes) -> Any:
    """r_i = d_i / t_i"""
    return c.ratio(c.hits, c.actual, NO_EXAMPLES)


def precisions(c: Classes) -> Any:
    """q_i = d_i / p_i"""
    return c.ratio(c.hits, c.predicted, NEVER_PREDICTED)


def larger_side(c: Classes) -> Any:
    """max(t_i, p_i)"""
    return c.maximum(c.actual, c.predicted)


def spread(c: Classes) -> Any:
    """√((n² - Σ t_i²) (n² - Σ p_i²)): how much truth and prediction vary."""
    return c.root_of_product(
        (c.actual * c.other_actual).sum(axis=0), (c.predicted * c.other_predicted).sum(axis=0)
    )


accuracy = multi_class(
    symbols=("ACC", "Acc", "Rec_μ", "Prec_μ", "F_βμ"),
    title="Accuracy",
    aliases="acc rec_micro prec_micro f_micro Rec_mu Prec_mu F_mu F_1mu F_betamu micro_recall micro_precision"
    " micro_f1 overall_accuracy",
    question="How often is the prediction correct?",
    body=lambda c: c.ratio(c.all_hits, c.total, EMPTY),
    monotone=True,
    sources=cite("garcia2012 section 2", "skrabanek2017 Tab. 2", "branco2017 Table 1", "mortaz2020 Eq. 3"),
    notes=(
        "Micro-averaged recall, precision and F are this same number: branco2017 lists them as three"
        " measures.\n"
        "Dominated by the frequent classes; see balanced_accuracy."
    ),
)

error_rate = multi_class(
    symbols=("Err", "er"),
    title="Error rate",
    question="How often is the prediction wrong?",
    better="lower",
    body=lambda c: c.ratio(c.missed.sum(axis=0), c.total, EMPTY),
    monotone=True,
    sources=cite("garcia2012 section 2", "skrabanek2017 Tab. 2"),
    relations=(Relation("error rate = 1 - accuracy", "accuracy", lambda a, C: 1 - a),),
)

macro_recall = class_mean(
    symbols=("ACSA", "MAR", "Rec_M", "MAvA", "α"),
    aliases="average_class_specific_accuracy macro_average_recall mean_recall unweighted_average_recall",
    title="Macro recall",
    question="What is the recall of a class, on average over classes?",
    per_class=recalls,
    monotone=True,
    sources=cite("mullick2020 Eq. 11", "branco2017 Table 1", "mortaz2020 Eq. 5"),
    relations=(Relation("macro recall = balanced accuracy", "balanced_accuracy", lambda b, C: b),),
    notes=(
        "Of a class without examples scikit-learn's zero_division=np.nan makes nothing (here"
        " undefined='skip'), imbalanced-learn a 0 (here undefined=0)."
    ),
)

gmean = multi_class(
    id="gmean",
    symbols=("GMean", "Gmean", "Gm", "MAvG", "γ", "γ_2", "γ_C", "gamma_C"),
    aliases=("geometric_mean", "g_mean", "g-mean_score"),
    title="Geometric mean of the class recalls",
    question="Are all classes recognised, none of them missed entirely?",
    body=lambda c: c.geometric_mean(recalls(c)),
    monotone=True,
    sources=(
        *cite("kubat1997", "sun2006", "garcia2012 section 2", "mullick2020 Eq. 10"),
        *cite("branco2017 Table 1", "skrabanek2017 Tab. 2"),
    ),
    notes=(
        "One class that is never found makes it 0, whatever the others do.\n"
        "imbalanced-learn's average='macro' is another number: √(mean sensitivity · mean specificity).\n"
        "imbalanced-learn counts the recall of a class without examples as 0; here it is undefined unless"
        " undefined=0 is asked for."
    ),
)

macro_precision = one_versus_all(two.precision).named(
    id="macro_precision",
    symbols=("MAP", "Prec_M"),
    aliases=("macro_average_precision", "mean_precision"),
    title="Macro precision",
    question="How often is a prediction correct, on average over the predicted classes?",
    sources=cite("branco2017 Table 1", "mortaz2020 Eq. 4"),
    notes=(
        "Of a class that is never predicted scikit-learn's default makes a 0 (here undefined=0),"
        " scikit-learn's zero_division=np.nan nothing (here undefined='skip')."
    ),
)


@Family
def f_beta_of_macros(beta: float = 1.0) -> Measure:
    """F of the macro precision and the macro recall."""
    checked = two.checked_beta(beta)

    def body(c: Classes) -> Any:
        q, r, b2 = c.mean(precisions(c)), c.mean(recalls(c)), c.number(checked) ** 2
        return c.ratio((1 + b2) * q * r, b2 * q + r, "macro precision and macro recall are both 0")

    return multi_class(
        id="f_beta_of_macros",
        symbols=("F_βM", "F_1M"),
        aliases=("F_betaM", "f1_of_macros"),
        title="F-measure of macro precision and macro recall",
        question="Are macro precision and macro recall both high?",
        formula=r"\frac{(1+\beta^2)\,Prec_M\,Rec_M}{\beta^2 Prec_M+Rec_M}",
        body=body,
        undefined_when="a class has no examples or is never predicted, or no example is predicted right",
        sources=cite("sokolova2009", "branco2017 Table 1"),
        notes="Not the mean of the class F-measures: that is macro_f_beta.",
    )


@Family
def macro_f_beta(beta: float = 1.0) -> Measure:
    """The mean of the F-measures of the classes."""
    return one_versus_all(two.f_beta(beta)).named(
        id="macro_f_beta",
        symbols=("AvF_β", "AvF_1"),
        aliases=("AvF_beta", "macro_f1", "mean_f1", "mortaz_f_score"),
        title="Macro F-measure",
        question="Are recall and precision of a class both high, on average over classes?",
        formula=r"\frac1C\sum_i\frac{(1+\beta^2)\,d_i}{\beta^2 t_i+p_i}",
        sources=cite("branco2017 Eq. 7", "mortaz2020 Eq. 6"),
        notes=(
            "branco2017 Table 3 calls it undefined where a precision is; Eq. 7, used here, is then still"
            " defined.\n"
            "mortaz2020's F-score is this one, though the proof of its Theorem 3 speaks of the harmonic"
            " mean of the macros.\n"
            "Of a listed class with neither examples nor predictions scikit-learn's zero_division=np.nan"
            " makes nothing (here undefined='skip')."
        ),
    )


average_accuracy = class_mean(
    id="average_accuracy",
    symbols=("AvAcc",),
    title="Average accuracy (branco2017)",
    question="How accurate is each class against the correctly predicted rest, on average over classes?",
    per_class=lambda c: c.ratio(
        c.all_hits,
        c.all_hits + c.missed + c.false_alarms,
        "{label} has neither examples nor predictions, and nothing was predicted right",
    ),
    undefined_when="nothing is predicted right and a class has neither examples nor predictions",
    sources=cite("branco2017 Table 1"),
    notes=(
        "branco2017 counts as true negatives of a class only the correctly predicted examples of the others;"
        " mean_binary_accuracy counts all."
    ),
)

mean_binary_accuracy = one_versus_all(accuracy).named(
    id="mean_binary_accuracy",
    aliases=("average_binary_accuracy", "one_versus_all_accuracy"),
    title="Mean accuracy of each class against the rest",
    question="How accurate is each class against the rest, on average over classes?",
    range=Range(ByClasses("(C-2)/C", lambda C: (C - 2) / C if C > 1 else 0), 1),
    sources=cite("sokolova2009 Table 3"),
    notes="High for many classes whatever the classifier does: most classes are rightly not predicted.",
    relations=(
        Relation(
            "mean binary accuracy = 1 - 2 (1 - accuracy) / C", "accuracy", lambda a, C: 1 - 2 * (1 - a) / C
        ),
    ),
)

class_balance_accuracy = class_mean(
    symbols=("CBA",),
    title="Class balance accuracy",
    question="What are hits divided by the larger of actual and predicted count, on average over classes?",
    per_class=lambda c: c.ratio(c.hits, larger_side(c), NEITHER),
    sources=cite("mosley2013", "branco2017 Table 1", "mortaz2020 Eq. 7"),
    relations=(Relation("CBA = (IAM + 1) / 2", "imbalance_accuracy", lambda i, C: (i + 1) / 2),),
    notes=(
        "Weighted by relevance (CBA^φ) it is divided by the sum of the weights, as branco2017 Table 5 needs;"
        " Eq. 8 is printed without a divisor."
    ),
)

imbalance_accuracy = class_mean(
    id="imbalance_accuracy",
    symbols=("IAM",),
    aliases=("imbalance_accuracy_metric",),
    title="Imbalance accuracy metric",
    question="By how much do the hits of a class outweigh its errors, on average over classes?",
    range=Range(-1, 1),
    per_class=lambda c: c.ratio(c.hits - c.maximum(c.missed, c.false_alarms), larger_side(c), NEITHER),
    sources=cite("mortaz2020 Eq. 8"),
    relations=(Relation("IAM = 2 CBA - 1", "class_balance_accuracy", lambda b, C: 2 * b - 1),),
    notes="A linear function of CBA on every matrix, so the two never rank models differently.",
)

kappa = multi_class(
    id="kappa",
    aliases=("cohen_kappa", "cohens_kappa", "heidke_skill_score", "hss"),
    title="Cohen's kappa",
    question="How much of the agreement that chance leaves open is reached?",
    formula=r"\frac{n\sum_i d_i-\sum_i t_i p_i}{n^2-\sum_i t_i p_i}",
    range=Range(-1, 1),
    # n² - Σ t_i p_i is Σ t_i (n - p_i): nothing large is subtracted.
    body=lambda c: c.ratio(c.above_chance, (c.actual * c.other_predicted).sum(axis=0), SAME_CLASS),
    monotone=True,
    sources=cite("cohen1960", "garcia2012 section 2"),
)

mcc = multi_class(
    id="mcc",
    symbols=("MCC", "R_K"),
    aliases=("matthews_correlation_coefficient", "phi_coefficient"),
    title="Matthews correlation coefficient",
    question="How strongly are truth and prediction correlated?",
    formula=r"\frac{n\sum_i d_i-\sum_i t_i p_i}{\sqrt{(n^2-\sum_i p_i^2)(n^2-\sum_i t_i^2)}}",
    range=Range(-1, 1),
    body=lambda c: c.ratio(c.above_chance, spread(c), ONE_SIDED),
    monotone=True,
    sources=cite("matthews1975", "gorodkin2004", "branco2017 Table 1"),
    notes=(
        "scikit-learn gives 0 where one class only is predicted; here that is undefined unless undefined=0"
        " is asked for.\n"
        "With more than two classes the least value lies above -1 and depends on the class distribution.\n"
        "branco2017 Table 1 prints X / √(Y Z) with Y and Z that are roots already; its Table 3 was computed"
        " with one root, as here."
    ),
)


def _auroc_ovo(c: Classes) -> Any:
    if c.n_classes < 2:
        return c.undefined("there is one class only")[None]
    rates = c.ratio(c.counts, c.actual[:, None], NO_EXAMPLES)
    hit = recalls(c)
    # The chance that an example of another class, drawn with all classes alike, is predicted as this one.
    drawn = c.without_own(rates).sum(axis=0) / (c.n_classes - 1)
    return (1 + hit - drawn) / 2


auroc_ovo = class_mean(
    id="auroc_ovo",
    symbols=("AUROC-OVO", "ρ_o", "rho_o"),
    title="AUROC, one versus one, of a single operating point",
    question="How well is each class separated from each other one, on average over pairs?",
    formula=r"\frac{1}{2C}\sum_i\Bigl(1+\frac{m_{ii}}{t_i}-\sum_{j\ne i}\frac{m_{ji}}{(C-1)\,t_j}\Bigr)",
    range=Range(ByClasses("(C-2)/(2(C-1))", lambda C: (C - 2) / (2 * (C - 1)) if C > 1 else 1), 1),
    per_class=_auroc_ovo,
    sources=cite("mullick2020 Eq. 12"),
    relations=(
        Relation(
            "AUROC-OVO = C / (2 (C - 1)) ACSA + (C - 2) / (2 (C - 1))",
            "macro_recall",
            lambda a, C: C / (2 * (C - 1)) * a + (C - 2) / (2 * (C - 1)),
        ),
    ),
)

auroc_ova = one_versus_all(two.auc_point).named(
    id="auroc_ova",
    symbols=("AUROC-OVA", "ρ_a", "rho_a"),
    title="AUROC, one versus all, of a single operating point",
    question="How well is each class separated from all others together, on average over classes?",
    range=Range(ByClasses("(C-2)/(2C)", lambda C: (C - 2) / (2 * C)), 1),
    sources=cite("mullick2020 Eq. 13"),
    notes="Its floor rises with the number of classes; nauroc_ova takes that out.",
)

nauroc_ova = normalised(auroc_ova).named(
    id="nauroc_ova",
    symbols=("nAUROC-OVA",),
    title="Normalised AUROC, one versus all",
    question=(
        "How well is each class separated from all others together, on a scale that is the same for every"
        " number of classes?"
    ),
    formula="",
    reads="",
    undefined_when="a class has no examples, or one class has all of them",
    sources=cite("mullick2020 section 4"),
    relations=(
        Relation(
            "nAUROC-OVA = (AUROC-OVA - (C - 2) / (2 C)) / (1 - (C - 2) / (2 C))",
            "auroc_ova",
            lambda a, C: (a - (C - 2) / (2 * C)) / (1 - (C - 2) / (2 * C)),
        ),
    ),
)

aurpc_ova = one_versus_all(two.aurpc_point).named(
    id="aurpc_ova",
    symbols=("AURPC-OVA", "κ_a", "kappa_a", "SBA"),
    aliases=("symmetric_balanced_accuracy",),
    title="Area under the recall-precision curve, one versus all",
    question="How good are recall and precision together, on average over classes?",
    sources=cite("mullick2020 Eq. 14", "gosgens2021"),
    notes=(
        "The symmetric balanced accuracy of gosgens2021. Its authors' code takes the share of the"
        " predictions for the recall of a class without examples, and the share of the examples for the"
        " precision of a class that is never predicted; here that is undefined."
    ),
)

weighted_precision = one_versus_all(two.precision, "prevalence").named(
    id="weighted_precision",
    aliases=("precision_weighted",),
    title="Precision, weighted by class frequency",
    question="How often is a prediction correct, each class weighted by its frequency?",
    undefined_when="a class that has examples is never predicted",
    sources=cite("sokolova2009"),
    notes=(
        "Of a class that is never predicted scikit-learn's zero_division=np.nan makes nothing (here"
        " undefined='skip').\n"
        "PyCM has no value where a class without examples is never predicted; that class weighs nothing"
        " here."
    ),
)


@Family
def weighted_f_beta(beta: float = 1.0) -> Measure:
    """The mean of the F-measures of the classes, each weighted by its frequency."""
    return one_versus_all(two.f_beta(beta), "prevalence").named(
        id="weighted_f_beta",
        aliases=("weighted_f1", "f1_weighted"),
        title="F-measure, weighted by class frequency",
        question=("Are recall and precision of a class both high, each class weighted by its frequency?"),
        formula=r"\sum_i\frac{t_i}{n}\frac{(1+\beta^2)\,d_i}{\beta^2 t_i+p_i}",
        undefined_when="never, unless the matrix is empty",
        sources=cite("sokolova2009"),
        notes=(
            "PyCM has no value where a listed class has neither examples nor predictions; that class weighs"
            " nothing here."
        ),
    )


macro_jaccard = one_versus_all(two.threat_score).named(
    id="macro_jaccard",
    aliases=("mean_iou", "mean_intersection_over_union", "macro_threat_score"),
    title="Macro Jaccard index",
    question="Of examples of a class or predicted as it, how many are both, on average over classes?",
    sources=cite("jaccard1912"),
    notes=(
        "Of a listed class with neither examples nor predictions scikit-learn makes a 0 (here undefined=0)."
    ),
)


MEASURES = in_order(globals())
