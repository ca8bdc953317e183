"""What does scikit-learn say of the same scores?

Run `python -m tests.scores.record` where scikit-learn is installed to write recorded.json anew, with its version. The tests read the
file and do not need it. scikit-learn refuses infinite scores, so for it infinity is replaced by 1e301, which ranks the same.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.scores.cases import MANY_CLASS, TWO_CLASS, ManyClassCase, TwoClassCase

RECORDED = Path(__file__).with_name("recorded.json")
STAND_IN = 1e301


def two_class(case: TwoClassCase) -> dict[str, Any]:
    from sklearn import metrics as m

    scores = np.clip(case.array, -STAND_IN, STAND_IN) if case.dtype == "float64" else case.array
    given: dict[str, Any] = {"sample_weight": case.weights}
    fpr, tpr, thresholds = m.roc_curve(case.truth, scores, drop_intermediate=False, **given)
    corner_fpr, corner_tpr, _ = m.roc_curve(case.truth, scores, drop_intermediate=True, **given)
    precision, recall, pr_thresholds = m.precision_recall_curve(case.truth, scores, **given)
    # Weights that give the positives a share of 1%: the same as average precision at that prior.
    own = np.ones(len(scores)) if case.weights is None else np.array(case.weights)
    positive = np.array(case.truth) == 1
    at_prior = np.where(positive, 0.01 * own / own[positive].sum(), 0.99 * own / own[~positive].sum())
    return {
        "roc_auc_score": m.roc_auc_score(case.truth, scores, **given),
        "roc_auc_score(max_fpr=0.3)": m.roc_auc_score(case.truth, scores, max_fpr=0.3, **given),
        "average_precision_score": m.average_precision_score(case.truth, scores, **given),
        "average_precision_score at prior 0.01": m.average_precision_score(
            case.truth, scores, sample_weight=at_prior
        ),
        "roc_curve": {
            "fpr": fpr.tolist(),
            "tpr": tpr.tolist(),
            "thresholds": [None, *thresholds[1:].tolist()],
        },
        "roc_curve, corners": {"fpr": corner_fpr.tolist(), "tpr": corner_tpr.tolist()},
        "precision_recall_curve": {
            "precision": precision.tolist(),
            "recall": recall.tolist(),
            "thresholds": pr_thresholds.tolist(),
        },
    }


def many_class(case: ManyClassCase) -> dict[str, Any]:
    from sklearn import metrics as m

    given: dict[str, Any] = {"sample_weight": case.weights}
    found = {
        "ovr macro": m.roc_auc_score(case.truth, case.array, multi_class="ovr", **given),
        "ovr weighted": m.roc_auc_score(
            case.truth, case.array, multi_class="ovr", average="weighted", **given
        ),
    }
    one_hot = np.array(case.truth)[:, None] == np.array(case.labels)
    found["average precision macro"] = m.average_precision_score(
        one_hot, case.array, average="macro", **given
    )
    if case.weights is None:  # scikit-learn's one-versus-one takes no weights
        found["ovo macro"] = m.roc_auc_score(case.truth, case.array, multi_class="ovo")
    return found


def main() -> None:
    recorded = {
        "tool": f"scikit-learn {importlib.metadata.version('scikit-learn')}, NumPy {np.__version__}",
        "two-class": {name: two_class(case) for name, case in TWO_CLASS.items()},
        "many classes": {name: many_class(case) for name, case in MANY_CLASS.items()},
    }
    RECORDED.write_text(json.dumps(recorded, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
