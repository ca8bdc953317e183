"""The benchmark of learners: its record is whole, and the page says what follows from it."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "benchmark-table.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study() -> ModuleType:
    found = importlib.util.spec_from_file_location("benchmark", ROOT / "studies" / "imbalanced_benchmark.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_the_record_is_whole(study: ModuleType) -> None:
    frame = pd.read_parquet(study.RECORD)
    assert frame.dataset.nunique() == 100
    assert len(frame) == 91_232
    assert list(frame.columns[3:]) == list(study.learners(2, 1.0))
    assert not frame.isna().any().any()
    assert set(frame.fold) == set(range(5))


def test_a_row_of_the_page_by_hand(study: ModuleType) -> None:
    """G-mean of every learner on glass1, from the recorded labels."""
    frame = pd.read_parquet(study.RECORD)
    own = frame[frame.dataset == "glass1"]
    values = []
    for learner in frame.columns[3:]:
        right = own[learner] == own.y
        positive = own.y == "positive"
        values.append(math.sqrt(right[positive].mean() * right[~positive].mean()))
    cells = [f"**{v:.3f}**" if v == max(values) else f"{v:.3f}" for v in values]
    assert f"| glass1 | {(own.y == 'positive').sum()} | {' | '.join(cells)} |" in PAGE


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("ecoli-0-1_vs_5", "ecoli"),
        ("ecoli1", "ecoli"),
        ("yeast-2_vs_8", "yeast"),
        ("abalone9-18", "abalone"),
        ("page-blocks-1-3_vs_4", "page-blocks"),
        ("page-blocks0", "page-blocks"),
        ("new-thyroid2", "new-thyroid"),
        ("kddcup-land_vs_satan", "kddcup"),
        ("kr-vs-k-zero-one_vs_draw", "kr-vs-k"),
        ("winequality-red-8_vs_6-7", "winequality-red"),
        ("shuttle-c0-vs-c4", "shuttle"),
        ("car-vgood", "car"),
        ("led7digit-0-2-4-5-6-7-8-9_vs_1", "led"),
        ("pima", "pima"),
    ],
)
def test_sets_of_one_source(study: ModuleType, name: str, source: str) -> None:
    assert study.source_of(name) == source


@pytest.mark.whole
def test_the_page_follows_from_the_record(study: ModuleType) -> None:
    assert study.page() == PAGE
