"""The measures the papers obtained by applying an operator to another measure, under the names they gave
them."""

from __future__ import annotations

from steelyard.measures.catalogue.averages import aurpc_ova
from steelyard.measures.catalogue.multi_class import accuracy, error_rate, gmean
from steelyard.measures.catalogue.two_class import aurpc_point, f_beta, precision
from steelyard.measures.operators import balanced, iba
from steelyard.measures.record import Measure, Relation
from steelyard.measures.references import cite

balanced_accuracy = balanced(accuracy).named(
    id="balanced_accuracy",
    symbols=("acc_B",),
    aliases=("BA", "bacc"),
    title="Balanced accuracy",
    question="How often would the prediction be correct if all classes were equally frequent?",
    formula=r"\frac1C\sum_i\frac{d_i}{t_i}",
    undefined_when="a class has no examples",
    sources=(cite("skrabanek2017", "Tab. 3"), cite("brodersen2010")),
    relations=(Relation("balanced accuracy = macro recall", "macro_recall", lambda r, C: r),),
    notes=(
        "Mosley's measure of a similar name is class_balance_accuracy.",
        (
            "One more error changes it by 1 / (C t_i): the rarer the class, the more a single error weighs,"
            " the drawback of balanced measures that skrabanek2017 names (section 5)."
        ),
        "scikit-learn leaves a class without examples out, with a warning; undefined='skip' does so here.",
    ),
)

balanced_error_rate = balanced(error_rate).named(
    id="balanced_error_rate",
    symbols=("er_B", "BER"),
    title="Balanced error rate",
    question="How often would the prediction be wrong if all classes were equally frequent?",
    formula=r"1-\frac1C\sum_i\frac{d_i}{t_i}",
    undefined_when="a class has no examples",
    sources=(cite("skrabanek2017", "Tab. 3"),),
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
    sources=(cite("bradley2006"), cite("skrabanek2017", "Tab. 3"), cite("mullick2020", "Eq. 8")),
)


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
        parameters={"beta": beta},
        remake=balanced_f_beta,
        sources=(cite("skrabanek2017", "Tab. 3"),),
    )


maurpc = balanced(aurpc_point).named(
    id="maurpc",
    symbols=("mAURPC",),
    title="Modified area under the recall-precision curve of a single point",
    question="How good are recall and balanced precision together?",
    formula=r"\tfrac12\Bigl(TPr+\frac{TPr}{TPr+1-TNr}\Bigr)",
    undefined_when="a class has no examples, or nothing is predicted positive",
    sources=(cite("bradley2006"), cite("mullick2020", "Eq. 9")),
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
    sources=(cite("mullick2020", "Eq. 25"),),
)


def iba_of_gmean(alpha: float) -> Measure:
    """The index of balanced accuracy as garcia2012 uses it: of the geometric mean."""
    return iba(gmean, alpha).named(
        id="iba",
        symbols=("IBA_α(Gm)",),
        aliases=("IBA_0.05(Gm)", "index_of_balanced_accuracy"),
        question="Are both classes recognised, the positive one a little better?",
        parameters={"of": "gmean", "alpha": alpha},
        remake=iba_of_gmean,
        notes=(
            (
                "imbalanced-learn squares the inner measure by default and takes alpha = 0.1; here nothing is"
                " squared and both parameters are always shown."
            ),
            "PyCM squares it too, and takes alpha = 1.",
        ),
    )


MEASURES = (
    balanced_accuracy,
    balanced_error_rate,
    balanced_precision,
    balanced_f_beta(),
    maurpc,
    maurpc_ova,
    iba_of_gmean(0.05),
)
