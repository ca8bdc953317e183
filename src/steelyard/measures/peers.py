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
        "completeness_score": "completeness",
        "log_loss": "log_loss",
        "d2_log_loss_score": "log_loss_skill",
        "brier_score_loss": "brier",
        "d2_brier_score": "brier_skill",
        "top_k_accuracy_score": "top_k_accuracy",
        "roc_auc_score": "roc_auc",
        "roc_auc_score(multi_class='ovr')": "ova_auc",
        "roc_auc_score(multi_class='ovo')": "hand_till",
        "roc_auc_score(multi_class='ovo', average='weighted')": "hand_till(prevalence)",
        "roc_auc_score(max_fpr=0.1)": "partial_auc(max_fpr=0.1)",
        "roc_auc_score(multi_class='ovr', average='weighted')": "ova_auc(prevalence)",
        "average_precision_score": "average_precision",
        "recall_score(average='micro')": "accuracy",
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
        "LambdaB": "goodman_kruskal_lambda_b",
        "KL": "kl_divergence",
        "V": "cramer_v",
        "AUNP": "one_versus_all(auc_point, prevalence)",
        "TNR_Macro": "one_versus_all(specificity, macro)",
        "NPV_Macro": "one_versus_all(negative_predictive_value, macro)",
        "FPR_Macro": "one_versus_all(fpr, macro)",
        "FNR_Macro": "one_versus_all(fnr, macro)",
        "TPR_Micro": "accuracy",
        "PPV_Micro": "accuracy",
        "F1_Micro": "accuracy",
        "ACC": "accuracy",
        "ERR": "error_rate",
        "F1": "f_beta",
        "F05": "f_beta(beta=0.5)",
        "F2": "f_beta(beta=2)",
        "MCC": "mcc",
        "CEN": "confusion_entropy",
        "MCEN": "modified_confusion_entropy",
        "Y": "informedness",
        "GI": "informedness",
        "Q": "yule_q",
        "BB": "braun_blanquet",
        "TOPR": "detection_prevalence",
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
        "accuracy": "accuracy",
        "precision": "precision",
        "recall": "recall",
        "sens": "recall",
        "sensitivity": "recall",
        "specificity": "specificity",
        "fall_out": "fpr",
        "miss_rate": "fnr",
        "markedness": "markedness",
        "mcc": "mcc",
        "roc_dist": "distance_index",
        "sedi": "sedi",
        "roc_auc": "roc_auc",
        "roc_aunu": "ova_auc",
        "roc_aunp": "ova_auc(prevalence)",
        "average_precision": "average_precision",
        "mn_log_loss": "log_loss",
        "kap(weighting = 'linear')": "linear_weighted_kappa",
        "kap(weighting = 'quadratic')": "quadratic_weighted_kappa",
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
        "CohenKappa(weights='quadratic')": "quadratic_weighted_kappa",
        "MulticlassAccuracy": "macro_recall",
        "MulticlassAccuracy(average='micro')": "accuracy",
        "MulticlassAUROC": "ova_auc",
        "MulticlassAveragePrecision": "ova_average_precision",
        "MulticlassF1Score": "macro_f_beta",
        "MulticlassPrecision": "macro_precision",
        "MulticlassRecall": "macro_recall",
        "BinaryAccuracy": "accuracy",
        "BinaryAveragePrecision": "average_precision",
        "BinaryF1Score": "f_beta",
        "BinaryPrecision": "precision",
        "BinaryRecall": "recall",
        "BinarySpecificity": "specificity",
        "BinaryCalibrationError(n_bins=10)": "expected_calibration_error",
        "NegativePredictiveValue": "negative_predictive_value",
        "F1Score": "f_beta",
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
    ("PyCM", "DP"): "√3/π times the logarithm of our diagnostic_odds_ratio: no measure here",
    ("PyCM", "IS"): "log2 of our lift: no measure here",
    ("PyCM", "ICSI"): "2 aurpc_point - 1: no measure here",
    ("PyCM", "CSI"): "2 aurpc_ova - 1: no measure here",
    ("PyCM", "KappaNoPrevalence"): "2 accuracy - 1: for two classes our bennett_s",
    ("PyCM", "PR"): "the share of positives there (our prevalence), precision here",
    ("PyCM", "TI"): "our tversky, its two weights in the other order",
    ("PyCM", "RR"): "mean number of predictions per class there, relative risk here",
    ("PyCM", "ARI"): "pairs of examples, as for clusterings: no measure here",
    ("PyCM", "HD"): "a count of errors: our error_rate times n",
    ("PyCM", "BCD"): "|predictions - examples| / 2n of a class: no measure here",
    ("PyCM", "AM"): "predictions - examples of a class: no measure here",
    ("yardstick", "brier_class"): "half the sum over classes: for two classes our brier, for more half of it",
    ("yardstick", "pr_auc"): "trapezoids: our average_precision has steps",
    ("yardstick", "ranked_prob_score"): "of ordered classes: no measure here",
    ("yardstick", "classification_cost"): "expected cost of probabilities: see evaluate --cost",
    ("yardstick", "gain_curve"): "a curve: sy.curves.gain_curve",
    ("yardstick", "lift_curve"): "a curve: sy.curves.gain_curve",
    ("torchmetrics", "Dice"): "the F1 of the positive class, our f_beta",
    ("torchmetrics", "EER"): "sy.curves.det_curve(...).equal_error_rate, between thresholds",
    ("torchmetrics", "ExactMatch"): "of several labels a row: subset_accuracy of evaluate --multilabel",
    ("torchmetrics", "MulticlassCalibrationError"): (
        "of the predicted class alone: our classwise_calibration_error is of every class"
    ),
    ("torchmetrics", "RecallAtFixedPrecision"): "see threshold --require",
    ("scikit-learn", "det_curve"): "sy.curves.det_curve",
    ("scikit-learn", "roc_curve"): "sy.curves.roc_curve",
    ("scikit-learn", "precision_recall_curve"): "sy.curves.precision_recall_curve",
    ("scikit-learn", "classification_report"): "sy.evaluate",
    (
        "scikit-learn",
        "fowlkes_mallows_score",
    ): "of pairs of examples, as for clusterings; our fowlkes_mallows is not",
    ("scikit-learn", "adjusted_rand_score"): "of clusterings: no measure here",
    ("scikit-learn", "adjusted_mutual_info_score"): "of clusterings: no measure here",
    ("scikit-learn", "hinge_loss"): "of margins: no measure here",
    ("scikit-learn", "accuracy_score, several labels"): "subset_accuracy of evaluate --multilabel",
    ("scikit-learn", "hamming_loss, several labels"): "hamming_loss of evaluate --multilabel",
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
