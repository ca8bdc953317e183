"""MLflow evaluator: Steelyard in `mlflow.models.evaluate`."""

# MLflow finds it by its entry point once both are installed: `mlflow.models.evaluate(model, data,
# targets="y", model_type="classifier", evaluators=["steelyard"])`.

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.errors import InputError, extra_needed

with extra_needed("mlflow", "mlflow-evaluator", "the evaluator of MLflow"):
    from mlflow.models.evaluation.base import ModelEvaluator

NAME = "steelyard"
# Settings of `steelyard.evaluate` that a configuration may hold under their own names.
_EVALUATED = ("labels", "priors", "relevance", "interval", "level", "draws", "seed", "design", "undefined")
_ACCEPTED = ("positive", "pos_label", "sample_weights", "metric_prefix", "threshold", *_EVALUATED)
# Settings of MLflow's own evaluators: one configuration may go to all of them.
_OTHER_EVALUATORS = (
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


class SteelyardEvaluator(ModelEvaluator):  # type: ignore[misc]
    """Evaluate a classifier: metrics `steelyard/gmean` and so on with their confidence limits; the report,
    the JSON and plots are artefacts.

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

        from steelyard.integrations.mlflow import FOLDER, log
        from steelyard.judgement.evaluate.judge import evaluate

        config = evaluator_config or {}
        strange = sorted(set(config) - {*_ACCEPTED, *_OTHER_EVALUATORS})
        if strange:
            raise InputError(
                "the evaluator's configuration has unknown settings",
                found=", ".join(map(str, strange)),
                allowed=", ".join(sorted(_ACCEPTED)),
            )
        if dataset.labels_data is None:
            raise InputError(
                "the true classes are not known", found="data without targets", do="name them with targets="
            )
        predicted = dataset.predictions_data if model is None else _column(model, dataset, predictions)
        settings = {name: config[name] for name in _EVALUATED if name in config}
        settings["positive"] = config.get("positive", config.get("pos_label"))
        settings["weight"] = config.get("sample_weights")
        truth = np.asarray(dataset.labels_data)
        if config.get("threshold") is None:
            result = evaluate(truth, np.asarray(predicted), **settings)
        else:
            result = evaluate(truth, score=np.asarray(predicted), threshold=config["threshold"], **settings)
        prefix = f"{config.get('metric_prefix') or ''}{NAME}/"
        metrics = log(result, prefix=prefix, model_id=model_id)
        kinds = {"evaluation.json": artifacts.JsonEvaluationArtifact}
        kinds |= {"report.html": artifacts.TextEvaluationArtifact}
        kinds |= {f"{kind}.png": artifacts.ImageEvaluationArtifact for kind in result.charts()}
        logged = {
            f"{FOLDER}/{name}": kind(get_artifact_uri(f"{FOLDER}/{name}")) for name, kind in kinds.items()
        }
        for artefact in logged.values():
            artefact.content  # noqa: B018  it is read here, since saving takes what was read
        return EvaluationResult(metrics=metrics, artifacts=logged, run_id=run_id)


def _column(model: Any, dataset: Any, name: str | None) -> Any:
    """The column of predictions that a model gives."""
    predicted = model.predict(dataset.features_data)
    if name is not None and hasattr(predicted, "columns"):
        predicted = predicted[name]
    predicted = np.asarray(predicted)
    if predicted.ndim == 2 and predicted.shape[1] == 1:
        predicted = predicted[:, 0]
    if predicted.ndim != 1:
        raise InputError(
            "a model gives one column of predictions",
            found=f"a table of shape {predicted.shape}",
            do="name the column with predictions=",
        )
    return predicted
