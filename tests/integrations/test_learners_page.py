"""The blocks of docs/how-to/learners.md that need heavy libraries, each in a process of its own. Runs under `make test-integrations`."""

import os
import subprocess
import sys

import pytest

from tests.documentation.conftest import ROOT
from tests.documentation.pages import blocks
from tests.real_parts import needs

pytestmark = pytest.mark.integrations
HEAVY = [
    block
    for block in blocks(ROOT / "docs" / "how-to" / "learners.md", ROOT)
    if "make test-integrations" in (block.not_run or "")
]


def test_there_is_a_block_for_each_library():
    assert len(HEAVY) == 4


@pytest.mark.parametrize("block", HEAVY, ids=str)
def test_the_page_runs(block, tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", os.environ.get("KERAS_BACKEND", "torch"))
    for library in ("catboost", "keras", "mlflow", "torchmetrics"):
        needs(library)
    file = tmp_path / "block.py"
    file.write_text(block.text, encoding="utf-8")
    settings = {
        **os.environ,
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_TRACKING_URI": (tmp_path / "store").as_uri(),
    }
    done = subprocess.run(
        [sys.executable, file], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
