"""The 33 measures of branco2017: thirteen existing ones, and five of them weighted by four kinds of
relevance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steelyard import Confusion, Measure, measure, relevance
from steelyard_papers.branco2017.printed import BASES, EXISTING, MECHANISMS

# The catalogue's name of each existing measure; Rec_mu, Prec_mu and F_1mu are one and the same.
OF = {
    "AvAcc": "average_accuracy",
    "MAvG": "gmean",
    "Rec_M": "macro_recall",
    "Prec_M": "macro_precision",
    "Rec_mu": "accuracy",
    "Prec_mu": "accuracy",
    "F_1M": "f_beta_of_macros",
    "F_1mu": "accuracy",
    "AvF_1": "macro_f_beta",
    "CBA": "class_balance_accuracy",
    "MCC": "mcc",
    "RCI": "relative_classifier_information",
    "CEN": "confusion_entropy",
}

# The existing measure that each relevance-based one starts from.
WEIGHTED = {"Rec": "Rec_M", "Prec": "Prec_M", "F_1": "F_1M", "AvF_1": "AvF_1", "CBA": "CBA"}


def relevances(
    sizes: Sequence[int], orders: Mapping[str, str], phi: Sequence[float]
) -> dict[str, relevance.Relevance]:
    """The four kinds of relevance for classes c1, c2, ... of these sizes."""
    labels = [f"c{i + 1}" for i in range(len(sizes))]
    diagonal = [[size if i == j else 0 for j in range(len(sizes))] for i, size in enumerate(sizes)]
    return {
        "PREV": relevance.prevalence(Confusion(diagonal, labels)),
        "PO": relevance.parse(orders["PO"], labels),
        "TO": relevance.parse(orders["TO"], labels),
        "phi": relevance.scores(dict(zip(labels, phi, strict=True))),
    }


def all_measures(weights: Mapping[str, relevance.Relevance]) -> dict[str, Measure]:
    """The 33 measures by the paper's names."""
    metrics = {name: measure(OF[name]) for name in EXISTING}
    for mechanism in MECHANISMS:
        for base in BASES:
            metrics[f"{base}^{mechanism}"] = measure(OF[WEIGHTED[base]]).weighted_by(weights[mechanism])
    return metrics
