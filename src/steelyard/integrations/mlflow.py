"""Log an evaluation to MLflow: metrics, report, JSON and plots as artefacts of a run."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from steelyard.errors import InputError, extra_needed
from steelyard.judgement.evaluate.result import Evaluation

FOLDER = "steelyard"


def log(
    result: Evaluation, *, prefix: str = "", intervals: bool = True, model_id: str | None = None
) -> dict[str, float]:
    """Log an evaluation to the active run and give back the metrics as they were named there.

    MLflow allows letters, digits and `_-. :/` in names, so `f_beta(beta=2)` is logged as `f_beta_beta_2`.
    Every figure that the evaluation has is logged as a PNG.
    `model_id` is a model of MLflow 3 that the metrics belong to.
    """
    with extra_needed("mlflow-skinny", "mlflow", "logging to MLflow"):
        import mlflow
    if mlflow.active_run() is None:
        raise InputError(
            "there is no active run to log to", found="none", do="log inside: with mlflow.start_run()"
        )
    metrics = result.metrics(prefix, intervals=intervals)
    # Without brackets and signs, each run of which becomes one `_`.
    plain = {name: re.sub(r"[^\w\-. :/]+", "_", name) for name in metrics}
    named = {re.sub(r"_{2,}", "_", plain[name]).rstrip("_"): value for name, value in metrics.items()}
    mlflow.log_metrics(named, model_id=model_id)
    mlflow.log_dict(result.to_dict(), f"{FOLDER}/evaluation.json")
    mlflow.log_text(result.to_html(), f"{FOLDER}/report.html")
    with tempfile.TemporaryDirectory() as folder:
        for kind in result.charts():
            result.figure(kind).save(path := Path(folder) / f"{kind}.png")
            mlflow.log_artifact(path, FOLDER)
    return named
