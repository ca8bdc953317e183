"""Record what prob_conf_mat says about unpaired cases.

    pip install prob_conf_mat==0.4.0
    python tests/oracles/record_prob_conf_mat.py

It draws from a Dirichlet posterior of the class proportions and of each class's rates, as `interval(method="posterior",
design="multinomial")` does; its priors are set to the same ones. Means and quantiles of many draws are written to
prob_conf_mat.json beside this script.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from prob_conf_mat import Study

DRAWS = 400_000
CASES = {
    "two classes": [[7, 2], [30, 961]],
    "two classes, nothing missed": [[6, 0], [5, 40]],
    "three classes": [[950, 40, 10], [30, 60, 10], [3, 2, 4]],
}
METRICS = {
    "accuracy": "acc",
    "balanced_accuracy": "ba",
    "macro_f_beta": "f1@macro",
    "mcc": "mcc",
    "macro_precision": "ppv@macro",
    "gmean": "tpr@geometric",
}


def recorded(counts: list[list[int]], strength: float) -> dict[str, dict[str, float]]:
    """Each measure's posterior mean and quantiles."""
    classes = len(counts)
    prior = np.full((classes, classes), strength / (classes - 1))
    np.fill_diagonal(prior, strength)
    study = Study(seed=0, num_samples=DRAWS, ci_probability=0.95)
    study.add_experiment(
        "case/one", confusion_matrix=counts, prevalence_prior=strength, confusion_prior=prior.tolist()
    )
    found = {}
    for name, theirs in METRICS.items():
        study.add_metric(theirs)
        values = np.asarray(
            study.get_metric_samples(
                metric=theirs, experiment_name="case/one", sampling_method="posterior"
            ).values
        ).reshape(-1)
        low, high = np.quantile(values, [0.025, 0.975])
        found[name] = {
            "mean": float(values.mean()),
            "sd": float(values.std()),
            "low": float(low),
            "high": float(high),
        }
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    cases = [
        {"case": name, "counts": counts, "prior": prior, "values": recorded(counts, strength)}
        for name, counts in CASES.items()
        for prior, strength in (("jeffreys", 0.5), ("uniform", 1.0))
    ]
    record = {"tool": "prob_conf_mat", "version": version("prob_conf_mat"), "draws": DRAWS, "cases": cases}
    Path(__file__).with_name("prob_conf_mat.json").write_text(
        json.dumps(record, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
