"""A real MLflow store, read back. Runs under `make test-integrations`, with the library installed."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, recall_score

import steelyard as sy
from steelyard.errors import InputError
from tests.real_parts import needs

pytestmark = pytest.mark.integrations


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = needs("mlflow")
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    return mlflow


def test_an_evaluation_is_logged_and_read_back(store):
    from steelyard.integrations import mlflow as tracker

    result = sy.evaluate([[90, 10], [30, 870]], labels=["fraud", "ok"], positive="fraud")
    with store.start_run() as run:
        named = tracker.log(result, prefix="test/")
    kept = store.get_run(run.info.run_id).data.metrics
    assert kept == pytest.approx(named)
    assert kept["test/recall"] == 0.9
    assert kept["test/recall_low"] < 0.9 < kept["test/recall_high"]
    folder = store.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="steelyard")
    with open(f"{folder}/evaluation.json") as file:  # noqa: PTH123
        assert json.load(file)["matrix"]["counts"] == [[90, 10], [30, 870]]
    with open(f"{folder}/report.html") as file:  # noqa: PTH123
        assert "Detects <b>90 of 100</b> fraud" in file.read()
    with open(f"{folder}/matrix.png", "rb") as file:  # noqa: PTH123
        assert file.read(4) == b"\x89PNG"


def test_names_have_no_brackets_and_all_figures_are_logged(store):
    from steelyard.integrations import mlflow as tracker

    truth = np.repeat(["fraud", "ok"], [40, 160])
    scores = np.concatenate([np.linspace(0.2, 0.9, 40), np.linspace(0.0, 0.6, 160)])
    result = sy.evaluate(truth, score=scores, threshold=0.4, positive="fraud")
    with store.start_run() as run:
        named = tracker.log(result)
    assert not [name for name in named if set(name) & set("()=,") or name.endswith("_") or "__" in name]
    assert len(named) == len(result.metrics(intervals=True))
    folder = store.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="steelyard")
    logged = {path.stem for path in Path(folder).glob("*.png")}
    assert logged == set(result.charts())
    assert {"roc", "precision_recall", "threshold", "matrix", "metrics"} <= logged


def test_without_a_run_it_says_what_to_do(store):
    from steelyard.integrations import mlflow as tracker

    with pytest.raises(InputError, match="no active run"):
        tracker.log(sy.evaluate([[9, 1], [3, 8]]))


@pytest.fixture(scope="module")
def payments():
    pandas = needs("pandas")
    generator = np.random.default_rng(5)
    frame = pandas.DataFrame(generator.normal(size=(400, 2)), columns=["amount", "hour"])
    frame["y"] = np.where(frame["amount"] + 0.5 * generator.normal(size=400) > 1.3, "fraud", "ok")
    return frame


@pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ImportWarning"
)
class TestEvaluator:
    """`mlflow.models.evaluate` with the evaluator that MLflow found by its entry point; MLflow's own warnings are its own."""

    def test_mlflow_finds_it(self, store):
        needs("mlflow.models.evaluation")
        from mlflow.models.evaluation import list_evaluators

        assert "steelyard" in list_evaluators()

    def test_a_column_of_predictions(self, store, payments):
        said = np.where(payments["amount"] > 1, "fraud", "ok")
        with store.start_run() as run:
            result = store.models.evaluate(
                data=payments.assign(said=said),
                targets="y",
                predictions="said",
                model_type="classifier",
                evaluators=["steelyard"],
                evaluator_config={"steelyard": {"positive": "fraud", "draws": 200}},
            )
        kept = store.get_run(run.info.run_id).data.metrics
        assert kept == pytest.approx(result.metrics)
        recall = recall_score(payments["y"], said, pos_label="fraud")
        assert kept["steelyard/recall"] == pytest.approx(recall, abs=1e-12)
        assert kept["steelyard/recall_low"] < recall < kept["steelyard/recall_high"]
        assert (
            result.artifacts["steelyard/evaluation.json"].content["schema"].startswith("steelyard/evaluate")
        )
        assert "fraud" in result.artifacts["steelyard/report.html"].content
        assert result.artifacts["steelyard/matrix.png"].content.format == "PNG"

    def test_a_model_beside_mlflows_own_evaluator(self, store, payments, tmp_path):
        features, truth = payments[["amount", "hour"]], payments["y"]
        model = LogisticRegression().fit(features, truth)
        with store.start_run():
            logged = store.sklearn.log_model(model, name="model", serialization_format="cloudpickle")
            result = store.models.evaluate(
                logged.model_uri,
                payments,
                targets="y",
                model_type="classifier",
                evaluators=["default", "steelyard"],
                evaluator_config={
                    "default": {"log_model_explainability": False, "pos_label": "fraud"},
                    "steelyard": {"pos_label": "fraud", "metric_prefix": "test_", "interval": None},
                },
            )
        assert result.metrics["test_steelyard/recall"] == pytest.approx(result.metrics["recall_score"])
        assert result.metrics["test_steelyard/balanced_accuracy"] == pytest.approx(
            balanced_accuracy_score(truth, model.predict(features))
        )
        result.save(tmp_path / "kept")
        again = store.models.EvaluationResult.load(tmp_path / "kept")
        assert again.metrics == pytest.approx(result.metrics)

    def test_scores_with_a_threshold_and_weights(self, store, payments):
        scores = 1 / (1 + np.exp(-payments["amount"]))
        weight = np.linspace(0.5, 2, len(payments))
        with store.start_run():
            result = store.models.evaluate(
                data=payments.assign(p=scores),
                targets="y",
                predictions="p",
                model_type="classifier",
                evaluators="steelyard",
                evaluator_config={
                    "positive": "fraud",
                    "threshold": 0.7,
                    "sample_weights": weight,
                    "interval": None,
                },
            )
        said = np.where(scores >= 0.7, "fraud", "ok")
        assert result.metrics["steelyard/recall"] == pytest.approx(
            recall_score(payments["y"], said, pos_label="fraud", sample_weight=weight), abs=1e-12
        )

    def test_what_is_not_known_is_refused_in_a_sentence(self, store, payments):
        with store.start_run(), pytest.raises(InputError, match="postive"):
            store.models.evaluate(
                data=payments.assign(said="ok"),
                targets="y",
                predictions="said",
                model_type="classifier",
                evaluators=["steelyard"],
                evaluator_config={"steelyard": {"postive": "fraud"}},
            )
