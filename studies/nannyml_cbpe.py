"""Precision and recall by NannyML's CBPE, for studies/production_without_labels.py; runs in an environment of its own.

    python studies/nannyml_cbpe.py samples.npz estimates.npz

Of each sample: labelled scores and classes (the reference), production scores (one chunk) and the threshold of alerts.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ["NML_DISABLE_USAGE_LOGGING"] = "1"  # it would send usage data

import nannyml
import numpy as np
import pandas as pd


def estimate(labelled: Any, classes: Any, production: Any, threshold: float) -> list[float]:
    reference = pd.DataFrame({"p": labelled, "alert": (labelled >= threshold).astype(int), "y": classes})
    analysis = pd.DataFrame({"p": production, "alert": (production >= threshold).astype(int)})
    estimator = nannyml.CBPE(
        metrics=["precision", "recall"],
        y_pred_proba="p",
        y_pred="alert",
        y_true="y",
        problem_type="classification_binary",
        chunk_size=len(production),
    )
    found = estimator.fit(reference).estimate(analysis).filter(period="analysis").to_df()
    return [float(found[metric]["value"].iloc[0]) for metric in ("precision", "recall")]


if __name__ == "__main__":
    samples = np.load(sys.argv[1])
    names = ("labelled", "classes", "production", "thresholds")
    found = [estimate(*values) for values in zip(*(samples[name] for name in names), strict=True)]
    np.savez(sys.argv[2], estimates=np.array(found))
