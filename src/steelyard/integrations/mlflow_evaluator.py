"""What does `mlflow.models.evaluate` say about imbalance? Steelyard as an evaluator of MLflow.

MLflow finds it by its entry point once both are installed:
`mlflow.models.evaluate(model, data, targets="y", model_type="classifier", evaluators=["steelyard"])`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.errors import InputError, MissingExtraError

try:
    from mlflow.models.evaluation.base import ModelEvaluator
except ImportError as error:
    raise MissingExtraError("mlflow", "mlflow-evaluator", "the evaluator of MLflow") from error

NAME = "steelyard"
_EVALUATED = ("labels", "priors", "relevance", "interval", "level", "draws", "seed", "design", "undefined")
"""Settings of `steelyard.evaluate` that a configuration may hold under their own names."""
_OWN = ("positive", "pos_label", "sample_weights", "metric_prefix", "threshold", *_EVALUATED)
_OF_OTHERS = (
    "average",
    "explainability_algorithm",
    "explainability_kernel_link",
    "explainability_nsamples",
    "log_explainer",
    "log_metrics_with_dataset_info",
    "log_model_explainability",
    "max_classes_for_multiclass_roc_pr",
    "max_num_classes_threshold_logging_roc_pr_curve_for_multiclass_classifier",
)
"""What MLflow's own evaluators are told: one configuration may go to all of them."""


class SteelyardEvaluator(ModelEvaluator):  # type: ignore[misc]
    """Weighs a classifier: metrics `steelyard/gmean` and so on with the ends of their intervals; the page,
    the JSON and pictures are artefacts.

    The configuration may name `positive` (or MLflow's `pos_label`), `sample_weights`, `metric_prefix`,
    `threshold` (predictions are then scores of the positive class) and what `steelyard.evaluate` takes:
    `labels`, `priors`, `relevance`, `interval`, `level`, `draws`, `seed`, `design`, `undefined`.
    """

    name = NAME

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: dict[str, Any], **_: Any) -> bool:
        return bool(model_type == "classifier")

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: dict[str, Any],
        model: Any = None,
        predictions: str | None = None,
        model_id: str | None = None,
        **_: Any,
    ) -> Any:
        """Evaluate the data's predictions, or those of the model, and log everything to the run."""
        from mlflow import get_artifact_uri
        from mlflow.models.evaluation import artifacts  # here, since MLflow loads this module with its own
        from mlflow.models.evaluation.base import EvaluationResult

        from steelyard.integrations.mlflow import FOLDER, log, pictures
        from steelyard.judgement.evaluate.judge import evaluate

        asked = _checked(evaluator_config or {})
        if dataset.labels_data is None:
            raise InputError(
                "the true classes are not known", found="data without targets", do="name them with targets="
            )
        said = dataset.predictions_data if model is None else _column(model, dataset, predictions)
        settings = {name: asked[name] for name in _EVALUATED if name in asked}
        settings |= {"positive": asked.get("positive", asked.get("pos_label"))}
        settings |= {"weight": asked.get("sample_weights")}
        truth = np.asarray(dataset.labels_data)
        if asked.get("threshold") is None:
            result = evaluate(truth, np.asarray(said), **settings)
        else:
            result = evaluate(truth, score=np.asarray(said), threshold=asked["threshold"], **settings)
        prefix = f"{asked.get('metric_prefix') or ''}{NAME}/"
        metrics = log(result, prefix=prefix, model_id=model_id)
        kinds = {"evaluation.json": artifacts.JsonEvaluationArtifact}
        kinds |= {"report.html": artifacts.TextEvaluationArtifact}
        kinds |= {f"{kind}.png": artifacts.ImageEvaluationArtifact for kind in pictures(result)}
        kept = {
            f"{FOLDER}/{name}": kind(get_artifact_uri(f"{FOLDER}/{name}")) for name, kind in kinds.items()
        }
        for artefact in kept.values():
            artefact.content  # noqa: B018  it is read here, since saving takes what was read
        return EvaluationResult(metrics=metrics, artifacts=kept, run_id=run_id)


def _checked(config: dict[str, Any]) -> dict[str, Any]:
    strange = sorted(set(config) - {*_OWN, *_OF_OTHERS})
    if strange:
        raise InputError(
            "the evaluator's configuration says something that is not known",
            found=", ".join(map(str, strange)),
            allowed=", ".join(sorted(_OWN)),
        )
    return config


def _column(model: Any, dataset: Any, name: str | None) -> Any:
    """The column of predictions that a model gives."""
    said = model.predict(dataset.features_data)
    if name is not None and hasattr(said, "columns"):
        said = said[name]
    said = np.asarray(said)
    if said.ndim == 2 and said.shape[1] == 1:
        said = said[:, 0]
    if said.ndim != 1:
        raise InputError(
            "a model gives one column of predictions",
            found=f"a table of shape {said.shape}",
            do="name the column with predictions=",
        )
    return said
