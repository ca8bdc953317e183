"""Do bounds hold where the scores of a file are too many to fetch? What is fetched is the other way to count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import steelyard as sy
from steelyard.reading import adaptive_bins, score_counting
from steelyard.reading.engines import opened
from steelyard.reading.table import Number, ScoreBin
from steelyard.scores.score_bootstrap import bounds
from tests.reading.sources import read_score_counts


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand scores are too many, so that a few thousand rows show what a hundred million would."""
    monkeypatch.setattr(score_counting, "SCORES_IN_MEMORY", 1_000)
    monkeypatch.setattr(adaptive_bins, "FEW_SCORES", 100)
    monkeypatch.setattr(adaptive_bins, "BINS", 256)


def file_of(folder: Path, **columns: Any) -> str:
    path = folder / "scores.parquet"
    table = dict(columns)
    with duckdb.connect() as database:
        names = ", ".join(f"unnest(${name}) AS {name}" for name in table)
        database.execute(
            f"COPY (SELECT {names}) TO '{path}' (FORMAT parquet)",
            {name: np.asarray(column).tolist() for name, column in table.items()},
        )
    return str(path)


def drawn(rows: int = 4_000) -> tuple[Any, Any]:
    """A rare class, most scores next to 0, some below it and some far beyond 1."""
    random = np.random.default_rng(7)
    y = (random.random(rows) < 0.1).astype(int)
    return y, np.exp(random.normal(-4 + 1.5 * y, 3)) - 0.01


@pytest.mark.parametrize("tolerance", [0.05, 1e-3])
def test_bounds_hold_and_counts_at_starts_are_exact(tmp_path: Path, large: None, tolerance: float) -> None:
    y, p = drawn()
    exact = sy.ScoreCounts.from_scores(y, p)
    path = file_of(tmp_path, y=y, p=p)
    found = read_score_counts(path, "p", "y", tolerance=tolerance)
    assert found.starts is not None
    assert len(found.starts) < 2_500
    assert found.totals.tolist() == exact.totals.tolist()
    assert 2 * found.auc_error_bound() <= tolerance
    for name in ("roc_auc", "average_precision", "h_measure", "partial_auc"):
        least, most = bounds(sy.measure(name), found) or (np.nan, np.nan)
        assert least <= sy.measure(name)(exact) <= most
        assert least < most
    for start in found.starts[1::97].tolist():
        cells = sy.thresholds.matrix_at(found, start).counts.tolist()
        assert cells == [[int((y == k)[(p >= start) == c].sum()) for c in (True, False)] for k in (1, 0)]
    assert read_score_counts(path, "p", "y", exact=True) == exact


def test_weights_and_missing_scores(tmp_path: Path, large: None) -> None:
    y, p = drawn()
    w = (np.arange(len(y)) % 4).astype(float)  # a quarter weighs nothing
    path = file_of(tmp_path, y=y, p=p, w=w)
    found = read_score_counts(path, "p", "y", weight="w", tolerance=0.01)
    exact = sy.ScoreCounts.from_scores(y, p, sample_weight=w)
    assert found.totals == pytest.approx(exact.totals)
    least, most = bounds(sy.measure("roc_auc"), found) or (np.nan, np.nan)
    assert least <= sy.measure("roc_auc")(exact) <= most <= least + 0.01
    lacking = file_of(tmp_path, y=y, p=np.where(np.arange(len(y)) % 10 == 0, np.nan, p))
    with pytest.raises(sy.InputError, match="some scores are missing"):
        read_score_counts(lacking, "p", "y")
    kept = np.arange(len(y)) % 10 > 0
    assert read_score_counts(lacking, "p", "y", missing="drop").totals.sum() == kept.sum()
    lowest = read_score_counts(lacking, "p", "y", missing="lowest")
    assert lowest.totals.sum() == len(y)
    assert lowest.starts is not None
    assert sy.thresholds.matrix_at(lowest, lowest.starts[1]).counts[:, 0].sum() == kept.sum()


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_few_scores_come_back_as_they_are_wherever_they_lie(
    tmp_path: Path, large: None, scale: float
) -> None:
    y = np.arange(3_000) % 7 == 0
    p = (np.arange(3_000) % 90 + 1) * scale
    found = read_score_counts(file_of(tmp_path, y=y, p=p), "p", "y", True)
    assert found == sy.ScoreCounts.from_scores(y, p, True)
    assert found.starts is None


def test_an_evaluation_and_a_command_say_that_there_are_bins(tmp_path: Path, large: None) -> None:
    y, p = drawn()
    path = file_of(tmp_path, y=y, p=p)
    told = sy.evaluate(path, truth="y", score="p", threshold=0.5, tolerance=0.01)
    assert told.matrix.counts.sum() == len(y)
    assert told.ranking is not None
    area = told.ranking.classes[0].measures[0]
    exact = sy.measure("roc_auc")(sy.ScoreCounts.from_scores(y, p))
    assert area.bounds is not None
    assert area.bounds.least <= exact <= area.bounds.most
    assert "the bounds say what the order inside the bins leaves open" in " ".join(told.ranking.notes)
    every = sy.evaluate(path, truth="y", score="p", threshold=0.5, exact=True, interval=None)
    assert every.ranking is not None
    assert every.ranking.classes[0].measures[0].value == exact


def lazy(**columns: Any) -> Any:
    polars = pytest.importorskip("polars")
    return polars.DataFrame(columns).lazy()


def relation(**columns: Any) -> Any:
    held = {name: np.asarray(column) for name, column in columns.items()}
    return duckdb.connect().sql(f"SELECT {', '.join(held)} FROM held")


@pytest.mark.parametrize("source", [lazy, relation])
def test_a_lazy_frame_and_a_relation_are_counted_in_the_same_bins(
    tmp_path: Path, large: None, source: Any
) -> None:
    y, p = drawn()
    w, part = (np.arange(len(y)) % 3).astype(float), np.arange(len(y)) % 2
    columns = {"y": y, "p": p, "w": w, "part": part, "other": part}
    path = file_of(tmp_path, **columns)
    how: dict[str, Any] = {"truth": "y", "score": "p", "threshold": 0.5, "tolerance": 0.01, "slices": "part"}
    how["interval"] = None  # which other tests look at
    for more in ({}, {"weight": "w"}):
        found, of_file = (sy.evaluate(rows, **how, **more) for rows in (source(**columns), path))
        assert found.ranking is not None
        assert of_file.ranking is not None
        assert found.ranking.scores.starts is not None
        assert found.ranking.scores == of_file.ranking.scores
        assert found.to_dict()["measures"] == of_file.to_dict()["measures"]
        assert found.to_dict()["slices"] == of_file.to_dict()["slices"]
        kept = w if more else np.ones(len(y))
        exact = sy.measure("roc_auc")(sy.ScoreCounts.from_scores(y, p, sample_weight=kept))
        area = found.ranking.classes[0].measures[0]
        assert area.bounds is not None
        assert area.bounds.least <= exact <= area.bounds.most <= area.bounds.least + 0.01
        about = found.to_dict()["source"]
        assert about["name"] == ("a polars frame" if source is lazy else "a duckdb frame")
        assert set(about["unused_columns"]) == {"other"} | ({"w"} - set(more.values()))
    every = sy.evaluate(source(**columns), **{**how, "exact": True})
    assert every.ranking is not None
    assert every.ranking.scores == sy.ScoreCounts.from_scores(y, p)
    few = sy.evaluate(source(**{name: column[:800] for name, column in columns.items()}), **how)
    assert few.ranking is not None
    assert few.ranking.scores == sy.ScoreCounts.from_scores(y[:800], p[:800])


def test_the_plan_of_a_lazy_frame_runs_once_and_leaves_nothing_behind(
    tmp_path: Path, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    y, p = drawn()
    asked = []

    def seen(column: Any) -> Any:
        asked.append(len(column))
        return column

    frame = lazy(y=y, p=p).with_columns(polars.col("p").map_batches(seen, return_dtype=polars.Float64))
    found = sy.evaluate(frame, truth="y", score="p", threshold=0.5, tolerance=0.01)
    assert found.matrix.counts.sum() == len(y)
    assert sum(asked) == len(y)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("source", [lazy, relation])
def test_columns_that_a_lazy_frame_or_relation_lacks(source: Any) -> None:
    rows = {"y": [0, 1, 1], "p": [0.25, 0.5, 0.75]}
    for wrong in ({"score": "zz"}, {"weight": "zz"}, {"slices": "zz"}, {"truth": "zz"}):
        with pytest.raises(sy.InputError, match="zz"):
            sy.evaluate(source(**rows), **{"truth": "y", "score": "p", "threshold": 0.5, **wrong})


def test_wide_whole_numbers_of_a_relation_stay_labels() -> None:
    rows = duckdb.connect().sql("SELECT sum(k % 2) AS y, k / 8 AS p FROM range(8) AS t(k) GROUP BY k")
    assert "HUGEINT" in str(rows.types[0])
    assert sorted(sy.evaluate(rows, truth="y", score="p", threshold=0.5).matrix.labels) == [0, 1]


def test_a_column_for_each_class(tmp_path: Path, large: None) -> None:
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 2_000)
    scores = random.dirichlet([1, 1, 1], 2_000) + 0.3 * np.eye(3)[y]
    path = file_of(tmp_path, y=y, **{f"p_{k}": scores[:, k] for k in range(3)})
    found = read_score_counts(path, "p_*", "y", tolerance=0.01)
    assert found.starts is not None
    for k in range(3):
        exact = sy.measure("roc_auc")(sy.ScoreCounts.from_scores(y == k, scores[:, k]))
        least, most = bounds(sy.measure("roc_auc"), found, found.labels[k]) or (np.nan, np.nan)
        assert least <= exact <= most


def test_a_bin_holds_no_score_below_one_of_a_lower_bin(tmp_path: Path) -> None:
    """At every seam of the bins, and one double to either side of it."""
    seams = np.array([0, 1e-310, 2.0**-30, 1 / 256, 0.1, 0.5, 255 / 256, 1, 1.5, 7, 1e6, 2.0**53, 1e308])
    near = np.concatenate([seams, np.nextafter(seams, -np.inf), np.nextafter(seams, np.inf)])
    near = np.concatenate([near, 1 + 2.0 ** -np.arange(1, 53), 1 - 2.0 ** -np.arange(1, 53)])
    scores = np.unique(np.concatenate([near, -near, [-np.inf, np.inf]]))
    with opened(file_of(tmp_path, s=scores)) as table:
        found = list(table.groups([Number("s"), ScoreBin(Number("s"))]))
    numbers = [b for _, b, _ in sorted(found)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[1]  # infinite scores stand alone
    assert numbers[-1] > numbers[-2]


@pytest.mark.parametrize("tolerance", [0, -1, float("nan")])
def test_a_tolerance_must_leave_something_open(tmp_path: Path, tolerance: float) -> None:
    path = file_of(tmp_path, y=[0, 1], p=[0.25, 0.5])
    with pytest.raises(sy.InputError, match="tolerance= is out of range"):
        sy.evaluate(path, truth="y", score="p", threshold=0.5, tolerance=tolerance)
