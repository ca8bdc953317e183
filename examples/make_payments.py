"""Make the bundled payments: synthetic card payments, a model's probability of fraud, and a rule's verdict.

    python examples/make_payments.py

Needs NumPy only and writes three files into examples/data: `payments.csv` and `payments_next.csv` (labelled,
20 days each, fraud 2.5%) and `payments_production.csv` (no labels, fraud 0.8%). The model was trained on as
many frauds as other payments, so its probabilities rank well and are far too high; the rule stops large
amounts at night.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "data"
DAYS, A_DAY = 20, 200
APART = 2.4
"""Standard deviations between the two classes on the model's scale."""
FILES = {
    "payments.csv": (1, 0.025, True),
    "payments_next.csv": (2, 0.025, True),
    "payments_production.csv": (3, 0.008, False),
}
"""By file: the seed, the share of fraud, and whether it has labels."""


def payments(seed: int, share: float, labelled: bool) -> str:
    """One file as text: a row for each payment."""
    rng = np.random.default_rng(seed)
    rows = DAYS * A_DAY
    fraud = rng.random(rows) < share
    where = rng.normal(np.where(fraud, APART / 2, -APART / 2), 1)
    probability = 1 / (1 + np.exp(-APART * where))  # right where half of all payments are fraud
    amount = np.exp(rng.normal(np.where(fraud, 4.6, 3.4), 0.9)).round(2)
    night = rng.random(rows) < np.where(fraud, 0.6, 0.15)
    stopped = night & (amount > 80)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["day", *(["y"] if labelled else []), "rule", "model", "p", "amount"])
    for k in range(rows):
        writer.writerow(
            [
                f"{k // A_DAY + 1:02d}",
                *(["fraud" if fraud[k] else "ok"] if labelled else []),
                "fraud" if stopped[k] else "ok",
                "fraud" if probability[k] >= 0.5 else "ok",
                f"{probability[k]:.4f}",
                f"{amount[k]:.2f}",
            ]
        )
    return out.getvalue()


if __name__ == "__main__":
    for name, (seed, share, labelled) in FILES.items():
        (FOLDER / name).write_text(payments(seed, share, labelled), encoding="utf-8")
