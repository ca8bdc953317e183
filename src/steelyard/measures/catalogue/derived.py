"""Measures at equal priors and the index of balanced accuracy, under the names of the papers."""

from __future__ import annotations

import steelyard.measures.catalogue.multi_class as multi
import steelyard.measures.catalogue.two_class as two
from steelyard.measures.operators import balanced, iba
from steelyard.measures.record import Family, Measure, Relation, cite, in_order

balanced_accuracy = balanced(multi.accuracy).named(
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

balanced_error_rate = balanced(multi.error_rate).named(
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

balanced_precision = balanced(two.precision).named(
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
    return balanced(two.f_beta(beta)).named(
        id="balanced_f_beta",
        symbols=("Fscore_B",),
        aliases=("balanced_f1",),
        title="Balanced F-measure",
        question=("Would recall and precision both be high if both classes were equally frequent?"),
        formula=r"\frac{(1+\beta^2)\,TPr}{(1+\beta^2)\,TPr+\beta^2(1-TPr)+(1-TNr)}",
        undefined_when="a class has no examples",
        sources=cite("skrabanek2017 Tab. 3"),
    )


maurpc = balanced(two.aurpc_point).named(
    id="maurpc",
    symbols=("mAURPC",),
    title="Modified area under the recall-precision curve of a single point",
    question="How good are recall and balanced precision together?",
    formula=r"\tfrac12\Bigl(TPr+\frac{TPr}{TPr+1-TNr}\Bigr)",
    undefined_when="a class has no examples, or nothing is predicted positive",
    sources=cite("bradley2006", "mullick2020 Eq. 9"),
)

maurpc_ova = balanced(multi.aurpc_ova).named(
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
    return iba(multi.gmean, alpha).named(
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


MEASURES = in_order(globals(), iba_of_gmean={"alpha": 0.05})
