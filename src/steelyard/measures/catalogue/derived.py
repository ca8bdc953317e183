"""Measures that an operator makes of another one, under the names that the papers gave them."""

# Averages over classes of each class against the rest, and values at equal priors.

from __future__ import annotations

from steelyard.measures.catalogue.multi_class import (
    accuracy,
    auroc_ovo,
    average_accuracy,
    class_balance_accuracy,
    error_rate,
    f_beta_of_macros,
    gmean,
    imbalance_accuracy,
    kappa,
    macro_recall,
    mcc,
)
from steelyard.measures.catalogue.two_class import auc_point, aurpc_point, f_beta, precision, threat_score
from steelyard.measures.operators import balanced, iba, normalised, one_versus_all
from steelyard.measures.record import ByClasses, Family, Measure, Range, Relation, cite

macro_precision = one_versus_all(precision).named(
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
def macro_f_beta(beta: float = 1.0) -> Measure:
    """The mean of the F-measures of the classes."""
    return one_versus_all(f_beta(beta)).named(
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


auroc_ova = one_versus_all(auc_point).named(
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


aurpc_ova = one_versus_all(aurpc_point).named(
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


weighted_precision = one_versus_all(precision, "prevalence").named(
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
    return one_versus_all(f_beta(beta), "prevalence").named(
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


macro_jaccard = one_versus_all(threat_score).named(
    id="macro_jaccard",
    aliases=("mean_iou", "mean_intersection_over_union", "macro_threat_score"),
    title="Macro Jaccard index",
    question="Of examples of a class or predicted as it, how many are both, on average over classes?",
    sources=cite("jaccard1912"),
    notes=(
        "Of a listed class with neither examples nor predictions scikit-learn makes a 0 (here undefined=0)."
    ),
)


balanced_accuracy = balanced(accuracy).named(
    id="balanced_accuracy",
    symbols=("acc_B",),
    aliases=("BA", "bacc"),
    title="Balanced accuracy",
    question="How often would the prediction be correct if all classes were equally frequent?",
    formula=r"\frac1C\sum_i\frac{d_i}{t_i}",
    undefined_when="a class has no examples",
    sources=cite("skrabanek2017 Tab. 3", "brodersen2010"),
    relations=(Relation("balanced accuracy = macro recall", "macro_recall", lambda r, C: r),),
    notes=(
        "Mosley's measure of a similar name is class_balance_accuracy.\n"
        "One more error changes it by 1 / (C t_i): the rarer the class, the more a single error weighs,"
        " the drawback of balanced measures that skrabanek2017 names (section 5).\n"
        "scikit-learn leaves a class without examples out, with a warning; undefined='skip' does so here."
    ),
)

balanced_error_rate = balanced(error_rate).named(
    id="balanced_error_rate",
    symbols=("er_B", "BER"),
    title="Balanced error rate",
    question="How often would the prediction be wrong if all classes were equally frequent?",
    formula=r"1-\frac1C\sum_i\frac{d_i}{t_i}",
    undefined_when="a class has no examples",
    sources=cite("skrabanek2017 Tab. 3"),
    relations=(
        Relation("balanced error rate = 1 - balanced accuracy", "balanced_accuracy", lambda b, C: 1 - b),
    ),
)

balanced_precision = balanced(precision).named(
    id="balanced_precision",
    symbols=("pr_B", "mPrecision"),
    title="Balanced precision",
    question="What would the precision be if both classes were equally frequent?",
    formula=r"\frac{TPr}{TPr+1-TNr}",
    undefined_when="a class has no examples, or nothing is predicted positive",
    sources=cite("bradley2006", "skrabanek2017 Tab. 3", "mullick2020 Eq. 8"),
)


@Family
def balanced_f_beta(beta: float = 1.0) -> Measure:
    """The F-measure at equal priors."""
    return balanced(f_beta(beta)).named(
        id="balanced_f_beta",
        symbols=("Fscore_B",),
        aliases=("balanced_f1",),
        title="Balanced F-measure",
        question=("Would recall and precision both be high if both classes were equally frequent?"),
        formula=r"\frac{(1+\beta^2)\,TPr}{(1+\beta^2)\,TPr+\beta^2(1-TPr)+(1-TNr)}",
        undefined_when="a class has no examples",
        sources=cite("skrabanek2017 Tab. 3"),
    )


maurpc = balanced(aurpc_point).named(
    id="maurpc",
    symbols=("mAURPC",),
    title="Modified area under the recall-precision curve of a single point",
    question="How good are recall and balanced precision together?",
    formula=r"\tfrac12\Bigl(TPr+\frac{TPr}{TPr+1-TNr}\Bigr)",
    undefined_when="a class has no examples, or nothing is predicted positive",
    sources=cite("bradley2006", "mullick2020 Eq. 9"),
)

maurpc_ova = balanced(aurpc_ova).named(
    id="maurpc_ova",
    symbols=("mAURPC-OVA",),
    title="Modified area under the recall-precision curve, one versus all",
    question=(
        "How good are recall and precision together, on average over classes, if all classes were equally"
        " frequent?"
    ),
    formula=r"\frac{1}{2C}\sum_i\Bigl(\frac{m_{ii}/t_i}{\sum_j m_{ji}/t_j}+\frac{m_{ii}}{t_i}\Bigr)",
    undefined_when="a class has no examples or is never predicted",
    sources=cite("mullick2020 Eq. 25"),
)


@Family
def iba_of_gmean(alpha: float) -> Measure:
    """The index of balanced accuracy as garcia2012 uses it: of the geometric mean."""
    return iba(gmean, alpha).named(
        id="iba",
        symbols=("IBA_α(Gm)",),
        aliases=("IBA_0.05(Gm)", "index_of_balanced_accuracy"),
        question="Are both classes recognised, the positive one a little better?",
        parameters={"of": "gmean"},
        notes=(
            "imbalanced-learn squares the inner measure by default and takes alpha = 0.1; here nothing is"
            " squared and both parameters are always shown.\n"
            "PyCM squares it too, and takes alpha = 1."
        ),
    )


# With those of `multi_class`, in the order of reports.
AVERAGES = (
    accuracy,
    error_rate,
    macro_recall,
    gmean,
    macro_precision,
    f_beta_of_macros(),
    macro_f_beta(),
    average_accuracy,
    mean_binary_accuracy,
    class_balance_accuracy,
    imbalance_accuracy,
    kappa,
    mcc,
    auroc_ovo,
    auroc_ova,
    nauroc_ova,
    aurpc_ova,
    weighted_precision,
    weighted_f_beta(),
    macro_jaccard,
)
BALANCED = (
    balanced_accuracy,
    balanced_error_rate,
    balanced_precision,
    balanced_f_beta(),
    maurpc,
    maurpc_ova,
    iba_of_gmean(0.05),
)
