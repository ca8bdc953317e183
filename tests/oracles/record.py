"""What do scikit-learn, imbalanced-learn and PyCM say of the same matrices?

Run `python -m tests.oracles.record` where the three are installed to write recorded.json anew, with their versions. The tests
read the file and need none of them. A value that JSON cannot hold is recorded as text: "nan", "inf", or PyCM's "None".
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("recorded.json")
TOOLS = ("scikit-learn", "imbalanced-learn", "pycm")

# Rows are truth. The first class of a two-class matrix is the positive one.
TWO_CLASS = {
    "balanced two classes": [[40, 10], [20, 30]],
    "rare positive": [[8, 2], [10, 980]],
    "frequent positive": [[700, 100], [5, 45]],
    "perfect two classes": [[5, 0], [0, 95]],
    "all wrong two classes": [[0, 5], [95, 0]],
    "never predicts the positive": [[0, 10], [0, 90]],
    "never predicts the negative": [[10, 0], [90, 0]],
    "no false positive": [[3, 4], [0, 50]],
    "no false negative": [[7, 0], [9, 50]],
    "no positive found": [[0, 7], [9, 50]],
    "no examples of the positive": [[0, 0], [3, 7]],
    "one class only": [[7, 0], [0, 0]],
    "weighted two classes": [[2.5, 1.25], [0.75, 20.5]],
    "large two classes": [[123456, 6543], [98765, 87654321]],
}
MULTI_CLASS = {
    "branco2017 case 1": [[5, 0, 0], [0, 10, 0], [0, 300, 0]],
    "branco2017 case 2": [[1, 0, 3], [0, 100, 0], [0, 0, 200]],
    "branco2017 case 3": [[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]],
    "mortaz2020 CM1": [[4900, 90, 10, 0], [255, 245, 0, 0], [45, 5, 45, 5], [11, 3, 1, 10]],
    "mortaz2020 CM4": [[114, 86, 101], [100, 100, 15], [110, 10, 82]],
    "five classes": [
        [20, 3, 1, 0, 2],
        [4, 60, 5, 1, 0],
        [0, 2, 9, 3, 1],
        [1, 0, 2, 300, 7],
        [2, 1, 0, 4, 33],
    ],
    "six classes": [
        [2, 1, 0, 0, 0, 1],
        [1, 5, 2, 0, 0, 0],
        [0, 2, 30, 4, 1, 0],
        [3, 0, 5, 100, 9, 2],
        [1, 1, 1, 20, 400, 30],
        [0, 6, 0, 1, 50, 1000],
    ],
    "perfect three classes": [[5, 0, 0], [0, 10, 0], [0, 0, 300]],
    "all wrong three classes": [[0, 5, 0], [0, 0, 10], [300, 0, 0]],
    "constant predictor": [[0, 0, 5], [0, 0, 10], [0, 0, 300]],
    "a class without examples": [[30, 1, 2], [4, 50, 6], [0, 0, 0]],
    "weighted three classes": [[1.5, 0.25, 0.5], [0.125, 7.75, 2.5], [3.0, 0.5, 40.25]],
}
CASES = TWO_CLASS | MULTI_CLASS


def names_of(matrix: list[list[float]]) -> list[str]:
    return [f"k{i}" for i in range(len(matrix))]


def columns_of(matrix: list[list[float]]) -> tuple[list[str], list[str], list[float]]:
    """Truth, prediction and weight: one row for each cell that holds anything."""
    names = names_of(matrix)
    rows = [(names[i], names[j], float(v)) for i, row in enumerate(matrix) for j, v in enumerate(row) if v]
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


def is_counts(matrix: list[list[float]]) -> bool:
    return all(isinstance(v, int) for row in matrix for v in row)


# -- each tool: what it calls the measure -> value


def scikit_learn(matrix: list[list[float]], two: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    from sklearn import metrics as m

    truth, predicted, weight = columns_of(matrix)
    given: dict[str, Any] = {"sample_weight": weight}
    labels = names_of(matrix)
    nan: dict[str, Any] = {**given, "labels": labels, "zero_division": np.nan}
    yield "accuracy", lambda: m.accuracy_score(truth, predicted, **given)
    yield "error_rate", lambda: m.zero_one_loss(truth, predicted, **given)
    yield "balanced_accuracy", lambda: m.balanced_accuracy_score(truth, predicted, **given)
    yield "macro_recall", lambda: m.recall_score(truth, predicted, average="macro", **nan)
    yield "macro_precision", lambda: m.precision_score(truth, predicted, average="macro", **nan)
    yield (
        "macro_precision, zero_division=0",
        lambda: m.precision_score(truth, predicted, average="macro", **(nan | {"zero_division": 0})),
    )
    yield "macro_f_beta", lambda: m.f1_score(truth, predicted, average="macro", **nan)
    yield "macro_f_beta(beta=2)", lambda: m.fbeta_score(truth, predicted, beta=2, average="macro", **nan)
    yield "weighted_precision", lambda: m.precision_score(truth, predicted, average="weighted", **nan)
    yield "weighted_f_beta", lambda: m.f1_score(truth, predicted, average="weighted", **nan)
    yield (
        "macro_jaccard",
        lambda: m.jaccard_score(
            truth, predicted, average="macro", labels=labels, sample_weight=weight, zero_division=0
        ),
    )
    yield "kappa", lambda: m.cohen_kappa_score(truth, predicted, **given)
    yield "mcc", lambda: m.matthews_corrcoef(truth, predicted, **given)
    for weights in ("linear", "quadratic"):
        yield (
            f"{weights}_weighted_kappa",
            lambda w=weights: m.cohen_kappa_score(truth, predicted, weights=w, **given),
        )
    if is_counts(matrix) and sum(weight) < 100_000:
        times = np.array(weight, dtype=int)
        each, said = np.repeat(truth, times), np.repeat(predicted, times)
        yield "normalised_mutual_information", lambda: m.normalized_mutual_info_score(each, said)
        yield "completeness", lambda: m.completeness_score(each, said)
        yield "mutual_information, in nats", lambda: m.mutual_info_score(each, said)
    # The balanced measures are the plain ones with sample weights that make the classes equally heavy.
    sizes = {label: sum(row) for label, row in zip(labels, matrix, strict=True)}
    even = [w / sizes[t] for t, w in zip(truth, weight, strict=True)]
    if all(sizes.values()):
        yield "balanced_error_rate", lambda: m.zero_one_loss(truth, predicted, sample_weight=even)
        # The AUC of a ranking whose scores are the hard predictions themselves is that of a single operating point.
        hard = [[float(p == label) for label in labels] for p in predicted]
        if not two:
            yield "auroc_ova", lambda: m.roc_auc_score(truth, hard, labels=labels, multi_class="ovr", **given)
        if not two and is_counts(matrix):
            rows = np.repeat(np.arange(len(truth)), np.array(weight, dtype=int))
            each_truth, each_hard = [truth[i] for i in rows], np.array(hard)[rows]
            yield (
                "auroc_ovo",
                lambda: m.roc_auc_score(each_truth, each_hard, labels=labels, multi_class="ovo"),
            )
        if two:
            at_even: dict[str, Any] = {"sample_weight": even, "pos_label": labels[0], "zero_division": np.nan}
            yield "balanced_precision", lambda: m.precision_score(truth, predicted, **at_even)
            yield "balanced_f_beta", lambda: m.f1_score(truth, predicted, **at_even)
            yield "balanced_f_beta(beta=2)", lambda: m.fbeta_score(truth, predicted, beta=2, **at_even)
            tilted = [e * (0.8 if t == labels[0] else 0.2) for e, t in zip(even, truth, strict=True)]
            yield (
                "class_weighted_accuracy(w=0.8)",
                lambda: m.accuracy_score(truth, predicted, sample_weight=tilted),
            )
    if two:
        positive = {**nan, "pos_label": labels[0]}
        negative = {**nan, "pos_label": labels[1]}
        yield "recall", lambda: m.recall_score(truth, predicted, **positive)
        yield "specificity", lambda: m.recall_score(truth, predicted, **negative)
        yield "precision", lambda: m.precision_score(truth, predicted, **positive)
        yield "negative_predictive_value", lambda: m.precision_score(truth, predicted, **negative)
        yield "f_beta", lambda: m.f1_score(truth, predicted, **positive)
        yield "f_beta(beta=0.5)", lambda: m.fbeta_score(truth, predicted, beta=0.5, **positive)
        yield "f_beta(beta=2)", lambda: m.fbeta_score(truth, predicted, beta=2, **positive)
        yield (
            "threat_score",
            lambda: m.jaccard_score(
                truth, predicted, pos_label=labels[0], labels=labels, sample_weight=weight, zero_division=0
            ),
        )
        yield "informedness", lambda: m.balanced_accuracy_score(truth, predicted, adjusted=True, **given)
        yield (
            "auc_point",
            lambda: m.roc_auc_score(
                [t == labels[0] for t in truth], [p == labels[0] for p in predicted], **given
            ),
        )
        ratios = {"labels": [labels[1], labels[0]], "sample_weight": weight, "replace_undefined_by": np.nan}
        yield "positive_likelihood_ratio", lambda: m.class_likelihood_ratios(truth, predicted, **ratios)[0]
        yield "negative_likelihood_ratio", lambda: m.class_likelihood_ratios(truth, predicted, **ratios)[1]


def imbalanced_learn(matrix: list[list[float]], two: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    from imblearn import metrics as m

    # Its sample weights are mixed with raw class sizes, so it gets one row per example.
    truth, predicted, weight = columns_of(matrix)
    if not is_counts(matrix) or sum(weight) > 100_000:
        return
    times = np.array(weight, dtype=int)
    truth, predicted = np.repeat(truth, times), np.repeat(predicted, times)
    labels = names_of(matrix)
    yield "gmean", lambda: m.geometric_mean_score(truth, predicted, labels=labels, average="multiclass")
    yield (
        "gmean, average='macro'",
        lambda: m.geometric_mean_score(truth, predicted, labels=labels, average="macro"),
    )
    yield (
        "one_versus_all(specificity, macro)",
        lambda: m.specificity_score(truth, predicted, labels=labels, average="macro"),
    )
    yield "macro_recall", lambda: m.sensitivity_score(truth, predicted, labels=labels, average="macro")
    if all(map(sum, matrix)):
        place = {label: i for i, label in enumerate(labels)}
        ranks, said = [place[str(t)] for t in truth], [place[str(p)] for p in predicted]
        yield "macro_mae", lambda: m.macro_averaged_mean_absolute_error(ranks, said)
    if two:
        positive = {"labels": labels, "pos_label": labels[0], "average": "binary"}
        yield "recall", lambda: m.sensitivity_score(truth, predicted, **positive)
        yield "specificity", lambda: m.specificity_score(truth, predicted, **positive)
        ours = m.make_index_balanced_accuracy(alpha=0.05, squared=False)(m.geometric_mean_score)
        yield "iba", lambda: ours(truth, predicted, **positive)
        theirs = m.make_index_balanced_accuracy()(m.geometric_mean_score)
        yield "iba, its defaults", lambda: theirs(truth, predicted, **positive)


PYCM_OVERALL = {
    "accuracy": "Overall_ACC", "kappa": "Kappa", "mcc": "Overall_MCC", "relative_classifier_information": "RCI",
    "confusion_entropy": "Overall_CEN", "class_balance_accuracy": "CBA", "macro_precision": "PPV_Macro", "macro_recall": "TPR_Macro",
    "macro_f_beta": "F1_Macro", "mean_binary_accuracy": "ACC_Macro", "one_versus_all(specificity, macro)": "TNR_Macro",
    "error_rate": "HammingLoss", "auroc_ova": "AUNU", "one_versus_all(auc_point, prevalence)": "AUNP",
    "scott_pi": "PI", "gwet_ac1": "AC1", "bennett_s": "S", "krippendorff_alpha": "Alpha", "bangdiwala_b": "B", "phi_squared": "Phi_Squared",
    "chi_squared": "Chi_Squared", "cramer_v": "V", "pearson_c": "C", "goodman_kruskal_lambda": "LambdaA", "goodman_kruskal_lambda_b": "LambdaB", "kl_divergence": "KL", "no_information_rate": "NIR",
    "mutual_information": "MutualInformation", "modified_confusion_entropy": "Overall_MCEN",
}  # fmt: skip
PYCM_POSITIVE = {
    "recall": "TPR", "specificity": "TNR", "precision": "PPV", "negative_predictive_value": "NPV", "fnr": "FNR", "fpr": "FPR",
    "false_discovery_rate": "FDR", "false_omission_rate": "FOR", "informedness": "BM", "markedness": "MK",
    "positive_likelihood_ratio": "PLR", "negative_likelihood_ratio": "NLR", "diagnostic_odds_ratio": "DOR", "prevalence": "PRE",
    "fowlkes_mallows": "G", "threat_score": "J", "auc_point": "AUC", "optimized_precision": "OP", "lift": "LS", "gmean": "GM",
    "f_beta": "F1", "f_beta(beta=0.5)": "F05", "f_beta(beta=2)": "F2", "aurpc_point": "AUPR", "adjusted_gmean": "AGM",
    "iba, its defaults": "IBA", "yule_q": "Q", "overlap_coefficient": "OC", "adjusted_f": "AGF", "distance_index": "dInd",
    "similarity_index": "sInd", "braun_blanquet": "BB",
}  # fmt: skip


def pycm(matrix: list[list[float]], two: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    from pycm import ConfusionMatrix

    if not is_counts(matrix):
        return
    labels = names_of(matrix)
    table = {t: dict(zip(labels, row, strict=True)) for t, row in zip(labels, matrix, strict=True)}
    with contextlib.redirect_stdout(None):
        found = ConfusionMatrix(matrix=table)
    for name, attribute in PYCM_OVERALL.items():
        yield name, lambda a=attribute: getattr(found, a)
    yield "weighted_precision", lambda: found.weighted_average("PPV")
    yield "weighted_f_beta", lambda: found.weighted_average("F1")
    yield "macro_jaccard", lambda: found.average("J")
    yield "aurpc_ova", lambda: found.average("AUPR")
    if two:
        for name, attribute in PYCM_POSITIVE.items():
            yield name, lambda a=attribute: getattr(found, a)[labels[0]]
        yield "tversky(alpha=0.3, beta=0.7)", lambda: found.TI(0.7, 0.3)[labels[0]]
        yield "detection_prevalence", lambda: found.TOP[labels[0]] / found.POP[labels[0]]


def plain(value: Any) -> float | str:
    if isinstance(value, str):
        return value
    number = float(value)
    return number if math.isfinite(number) else str(number)


def record() -> dict[str, Any]:
    values: dict[str, dict[str, dict[str, float | str]]] = {}
    for tool, speak in zip(TOOLS, (scikit_learn, imbalanced_learn, pycm), strict=True):
        told = values.setdefault(tool, {})
        for case, matrix in CASES.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name, ask in speak(matrix, case in TWO_CLASS):
                    try:
                        answer = plain(ask())
                    except Exception as error:  # what a tool refuses is recorded too
                        answer = f"refused: {type(error).__name__}"
                    told.setdefault(name, {})[case] = answer
    return {
        "tools": {tool: importlib.metadata.version(tool) for tool in TOOLS},
        "orientation": "rows are truth, columns are predictions; the first class of two is the positive one",
        "cases": CASES,
        "values": values,
    }


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
