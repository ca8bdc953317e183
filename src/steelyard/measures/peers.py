"""What do other tools call the measures?

Their names are read like our own where they mean one measure in all of them; `table` writes the page that
sets them side by side.
"""

from __future__ import annotations

from collections.abc import Mapping

PEERS: Mapping[str, Mapping[str, str]] = {
    "scikit-learn": {
        "accuracy_score": "accuracy",
        "zero_one_loss": "error_rate",
        "hamming_loss": "error_rate",
        "balanced_accuracy_score": "balanced_accuracy",
        "recall_score": "recall",
        "recall_score(average='macro')": "macro_recall",
        "precision_score": "precision",
        "precision_score(average='macro')": "macro_precision",
        "precision_score(average='weighted')": "weighted_precision",
        "f1_score": "f_beta",
        "fbeta_score(beta=2)": "f_beta(beta=2)",
        "f1_score(average='macro')": "macro_f_beta",
        "f1_score(average='weighted')": "weighted_f_beta",
        "jaccard_score": "threat_score",
        "jaccard_score(average='macro')": "macro_jaccard",
        "matthews_corrcoef": "mcc",
        "cohen_kappa_score": "kappa",
        "cohen_kappa_score(weights='linear')": "linear_weighted_kappa",
        "cohen_kappa_score(weights='quadratic')": "quadratic_weighted_kappa",
        "class_likelihood_ratios()[0]": "positive_likelihood_ratio",
        "class_likelihood_ratios()[1]": "negative_likelihood_ratio",
        "normalized_mutual_info_score": "normalised_mutual_information",
        "v_measure_score": "normalised_mutual_information",
        "homogeneity_score": "relative_classifier_information",
        "roc_auc_score": "roc_auc",
        "roc_auc_score(multi_class='ovr')": "ova_auc",
        "roc_auc_score(multi_class='ovo')": "hand_till",
        "roc_auc_score(multi_class='ovo', average='weighted')": "hand_till(prevalence)",
        "roc_auc_score(max_fpr=0.1)": "partial_auc(max_fpr=0.1)",
        "average_precision_score": "average_precision",
    },
    "imbalanced-learn": {
        "sensitivity_score": "recall",
        "specificity_score": "specificity",
        "geometric_mean_score": "gmean",
        "macro_averaged_mean_absolute_error": "macro_mae",
    },
    "PyCM": {
        "Overall_ACC": "accuracy",
        "HammingLoss": "error_rate",
        "Kappa": "kappa",
        "KappaUnbiased": "scott_pi",
        "Overall_MCC": "mcc",
        "PI": "scott_pi",
        "AC1": "gwet_ac1",
        "Alpha": "krippendorff_alpha",
        "PPV_Macro": "macro_precision",
        "TPR_Macro": "macro_recall",
        "F1_Macro": "macro_f_beta",
        "ACC_Macro": "mean_binary_accuracy",
        "AUNU": "auroc_ova",
        "CBA": "class_balance_accuracy",
        "RCI": "relative_classifier_information",
        "Overall_CEN": "confusion_entropy",
        "Overall_MCEN": "modified_confusion_entropy",
        "Chi_Squared": "chi_squared",
        "Phi_Squared": "phi_squared",
        "LambdaA": "goodman_kruskal_lambda",
        "MutualInformation": "mutual_information",
        "NIR": "no_information_rate",
        "TPR": "recall",
        "TNR": "specificity",
        "PPV": "precision",
        "NPV": "negative_predictive_value",
        "FNR": "fnr",
        "FPR": "fpr",
        "FDR": "false_discovery_rate",
        "FOR": "false_omission_rate",
        "BM": "informedness",
        "MK": "markedness",
        "PLR": "positive_likelihood_ratio",
        "NLR": "negative_likelihood_ratio",
        "DOR": "diagnostic_odds_ratio",
        "PRE": "prevalence",
        "GM": "gmean",
        "OP": "optimized_precision",
        "LS": "lift",
        "AGM": "adjusted_gmean",
        "AGF": "adjusted_f",
        "AUPR": "aurpc_point",
        "dInd": "distance_index",
        "sInd": "similarity_index",
        "OC": "overlap_coefficient",
        "OOC": "fowlkes_mallows",
    },
    "yardstick": {
        "sens": "recall",
        "spec": "specificity",
        "ppv": "precision",
        "npv": "negative_predictive_value",
        "f_meas": "f_beta",
        "j_index": "informedness",
        "kap": "kappa",
        "bal_accuracy": "balanced_accuracy",
        "detection_prevalence": "detection_prevalence",
        "gain_capture": "gini",
    },
    "torchmetrics": {
        "CohenKappa": "kappa",
        "MatthewsCorrCoef": "mcc",
        "JaccardIndex": "threat_score",
        "HammingDistance": "error_rate",
        "Specificity": "specificity",
        "FBetaScore": "f_beta",
        "AveragePrecision": "average_precision",
        "BinaryAUROC": "roc_auc",
    },
}
"""For each tool, what it calls a measure and what `sy.measure` takes for it. Names of averages stand as they
are called."""

DIFFERENT = {
    ("PyCM", "J"): "Jaccard there (our threat_score), Youden's J here",
    ("PyCM", "G"): "√(precision · recall), our fowlkes_mallows",
    ("PyCM", "AUC"): "of a single point: our auc_point",
    ("PyCM", "S"): "Bennett's S: our bennett_s",
    ("PyCM", "B"): "Bangdiwala's B: our bangdiwala_b",
    ("PyCM", "C"): "Pearson's C: our pearson_c",
    ("PyCM", "IBA"): "squared, alpha = 1: no measure here",
    (
        "imbalanced-learn",
        "make_index_balanced_accuracy",
    ): "squared, alpha = 0.1 by default: our iba squares nothing",
    (
        "imbalanced-learn",
        "geometric_mean_score(average='macro')",
    ): "√(mean sensitivity · mean specificity): no measure here",
    ("scikit-learn", "mutual_info_score"): "in nats: our mutual_information is in bits",
    ("scikit-learn", "balanced_accuracy_score(adjusted=True)"): "for two classes our informedness",
}
"""Names that mean something else there and here, and what."""


def plain_names() -> dict[str, str]:
    """Their names that can be typed as a measure's name and mean the same in every tool that has them."""
    found: dict[str, set[str]] = {}
    for named in PEERS.values():
        for theirs, ours in named.items():
            if theirs.isidentifier():
                found.setdefault(theirs, set()).add(ours)
    return {theirs: next(iter(ours)) for theirs, ours in found.items() if len(ours) == 1}


def table() -> str:
    """The page "their name, our name"."""
    lines = [
        "# Their name, our name",
        "",
        (
            "Written by `python -m steelyard.measures.peers > docs/names.md`. What other tools call a"
            " measure, and what `sy.measure` takes for it; names without brackets are taken as they are."
        ),
        "",
    ]
    for tool, named in PEERS.items():
        lines += [f"## {tool}", "", "| there | here |", "| --- | --- |"]
        lines += [f"| `{theirs}` | `{ours}` |" for theirs, ours in named.items()]
        lines += [
            f"| `{theirs}` | {words} |" for (other, theirs), words in DIFFERENT.items() if other == tool
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(), end="")
