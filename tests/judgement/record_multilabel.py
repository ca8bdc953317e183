"""What does scikit-learn say of rows that carry several labels?

Run `python -m tests.judgement.record_multilabel` where scikit-learn is installed to write multilabel.json anew, with its version.
"""

from __future__ import annotations

import importlib.metadata
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("multilabel.json")
LABELS = ("beach", "sunset", "field", "mountain", "urban", "never there", "never called")


def tables() -> tuple[Any, Any]:
    """300 rows and seven labels: one without examples, one that is never predicted, rows without labels."""
    rng = np.random.default_rng(19)
    truth = (rng.random((300, 7)) < [0.4, 0.3, 0.2, 0.1, 0.02, 0, 0.05]).astype(int)
    predicted = np.where(rng.random(truth.shape) < 0.1, 1 - truth, truth)
    predicted[:, 6] = 0
    return truth, predicted


def main() -> None:
    from sklearn import metrics as m

    truth, predicted = tables()
    functions = {
        "precision": m.precision_score,
        "recall": m.recall_score,
        "f_beta": m.f1_score,
        "threat_score": m.jaccard_score,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recorded = {
            "tool": f"scikit-learn {importlib.metadata.version('scikit-learn')}",
            "averages": {
                kind: {name: f(truth, predicted, average=kind) for name, f in functions.items()}
                for kind in ("macro", "weighted", "micro", "samples")
            },
            "labels": {name: f(truth, predicted, average=None).tolist() for name, f in functions.items()},
            "report": m.classification_report(truth, predicted, target_names=LABELS, output_dict=True),
            "matrices": m.multilabel_confusion_matrix(truth, predicted).tolist(),
            "subset_accuracy": m.accuracy_score(truth, predicted),
            "hamming_loss": m.hamming_loss(truth, predicted),
        }
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
