"""What does scikit-learn say of the same probabilities?

Run `python -m tests.scores.record_probabilities` where scikit-learn is installed to write probabilities.json anew, with its version.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("probabilities.json")


def two_classes() -> tuple[Any, Any]:
    """200 rows, 30 positive, probabilities with ties, none at the edge of a bin."""
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(30, int), np.zeros(170, int)]
    return truth, np.round(np.clip(0.3 * truth + 0.6 * rng.random(200), 0.01, 0.98), 2) + 0.005


def three_classes() -> tuple[Any, Any]:
    """150 rows of three classes; rows add up to 1."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 150)
    return truth, rng.dirichlet(np.ones(3), 150)


def main() -> None:
    from sklearn import calibration, isotonic
    from sklearn import metrics as m

    truth, p = two_classes()
    weights = np.where(truth == 1, 0.01 / truth.sum(), 0.99 / (1 - truth).sum())
    even = np.where(truth == 1, 0.5 / truth.sum(), 0.5 / (1 - truth).sum())
    share, mean = calibration.calibration_curve(truth, p, n_bins=10, strategy="uniform")
    rows = np.array([r for r in np.histogram(p, bins=np.linspace(0, 1, 11))[0] if r])
    rising = isotonic.IsotonicRegression(y_min=0, y_max=1).fit(p, truth).predict(p)
    many, table = three_classes()
    recorded = {
        "tool": f"scikit-learn {importlib.metadata.version('scikit-learn')}, NumPy {np.__version__}",
        "log_loss": m.log_loss(truth, p),
        "log_loss at 0.01": m.log_loss(truth, p, sample_weight=weights),
        "log_loss balanced": m.log_loss(truth, p, sample_weight=even),
        "brier": m.brier_score_loss(truth, p),
        "brier at 0.01": m.brier_score_loss(truth, p, sample_weight=weights),
        "brier of recalibrated": m.brier_score_loss(truth, rising),
        "calibration_curve": {"share": share.tolist(), "mean": mean.tolist(), "rows": rows.tolist()},
        "log_loss of three": m.log_loss(many, table),
        "brier of three": m.brier_score_loss(many, table),
        "brier_skill of three": m.d2_brier_score(many, table),
        "log_loss_skill of three": m.d2_log_loss_score(many, table),
        "brier_skill": m.d2_brier_score(truth, p),
        "log_loss_skill": m.d2_log_loss_score(truth, p),
        "top_k_accuracy of three": m.top_k_accuracy_score(many, table, k=2),
        "top_k_accuracy(k=1) of three": m.top_k_accuracy_score(many, table, k=1),
        "top_k_accuracy of three, balanced": m.top_k_accuracy_score(
            many, table, k=2, sample_weight=1 / np.bincount(many)[many]
        ),
        "calibration curves of three": [
            {
                key: value.tolist()
                for key, value in zip(
                    ("share", "mean"),
                    calibration.calibration_curve(many == k, table[:, k], n_bins=10),
                    strict=True,
                )
            }
            | {"rows": [r for r in np.histogram(table[:, k], bins=np.linspace(0, 1, 11))[0].tolist() if r]}
            for k in range(3)
        ],
    }
    RECORDED.write_text(json.dumps(recorded, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
