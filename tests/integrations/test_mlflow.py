"""A real MLflow store, read back. Runs under `make test-integrations`, with the library installed."""

import json

import pytest

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
        assert "Finds 90 of 100 fraud" in file.read()
    with open(f"{folder}/matrix.png", "rb") as file:  # noqa: PTH123
        assert file.read(4) == b"\x89PNG"


def test_without_a_run_it_says_what_to_do(store):
    from steelyard.integrations import mlflow as tracker

    with pytest.raises(InputError, match="no active run"):
        tracker.log(sy.evaluate([[9, 1], [3, 8]]))
