"""Scores on a cluster: bins with bounds that hold, every score where that is asked for, and a worker that dies."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from benchmarks.cluster import Cluster
from steelyard.judgement.compare.tables import score_section
from steelyard.reading import adaptive_bins
from steelyard.reading.score_counting import count_scores
from steelyard.reading.spark import SparkTable
from steelyard.reading.table import ROWS, Column, Extreme, Number, Question, ScoreBin
from steelyard.scores import delong
from steelyard.scores.delong import compare_areas, compare_counted_areas
from steelyard.scores.score_bootstrap import bounds
from tests.engines.conftest import kill_a_worker_in_the_middle

pytestmark = pytest.mark.usefixtures("few_samples")

PRIME = 1_000_003


def made_rows(rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The rows of `frame_of`, in NumPy: the same whole numbers, and the same division of doubles."""
    i = np.arange(rows)
    truth = (i * 31 % 97 < 9).astype(np.int64)
    return truth, (i * 7919 % PRIME + 200_000 * truth) / PRIME


def frame_of(spark: Any, rows: int, parts: int = 4) -> Any:
    made = spark.range(0, rows, 1, parts).selectExpr(
        "id", "CASE WHEN id * 31 % 97 < 9 THEN 1L ELSE 0L END AS y"
    )
    return made.selectExpr("y", f"(id * 7919 % {PRIME} + 200000 * y) / {PRIME}D AS p", "1 + id % 3 AS w")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bins from a hundred scores on, so that a few thousand rows show what millions would."""
    monkeypatch.setattr(adaptive_bins, "FEW_SCORES", 100)
    monkeypatch.setattr(adaptive_bins, "BINS", 40)
    monkeypatch.setattr(adaptive_bins, "NEXT_TO", 0.0)


def test_bounds_hold_and_counts_at_starts_are_exact(spark: Any, few: None) -> None:
    truth, score = made_rows(3000)
    exact = sy.ScoreCounts.from_scores(truth, score)
    found = count_scores(SparkTable(frame_of(spark, 3000)), "p", "y", tolerance=0.01)
    assert found.starts is not None
    assert len(found.starts) < 2000
    assert found.totals.tolist() == exact.totals.tolist()
    assert 2 * found.auc_error_bound() <= 0.01
    for name in ("roc_auc", "average_precision", "h_measure", "partial_auc"):
        value = sy.measure(name)(exact)
        least, most = bounds(sy.measure(name), found) or (np.nan, np.nan)
        assert least <= value <= most
        assert least < most
    for start in found.starts[1::97].tolist():
        cells = sy.thresholds.matrix_at(found, start).counts.tolist()
        called = score >= start
        assert cells == [[int((truth == k)[called == c].sum()) for c in (True, False)] for k in (1, 0)]


def test_exact_and_weighted_and_evaluated(spark: Any, few: None) -> None:
    truth, score = made_rows(3000)
    frame = frame_of(spark, 3000)
    exact = sy.ScoreCounts.from_scores(truth, score)
    assert count_scores(SparkTable(frame), "p", "y", exact=True) == exact
    weight = 1.0 + np.arange(3000) % 3
    weighed = count_scores(SparkTable(frame), "p", "y", weight="w", exact=True)
    assert weighed == sy.ScoreCounts.from_scores(truth, score, sample_weight=weight)
    found = sy.evaluate(frame, truth="y", score="p", threshold=0.5)
    assert found.matrix.counts.tolist() == [
        [int((truth == k)[(score >= 0.5) == c].sum()) for c in (True, False)] for k in (1, 0)
    ]
    assert found.ranking is not None
    area = found.ranking.classes[0].measures[0]
    assert area.bounds is not None
    assert area.bounds.least <= sy.measure("roc_auc")(exact) <= area.bounds.most
    assert area.low < area.value < area.high


def paired_columns(rows: int, digits: int) -> dict[str, Any]:
    """Truth, two columns of scores that go up and down together, and what they say at 0.5."""
    random = np.random.default_rng(5)
    y = (random.random(rows) < 0.2).astype(int)
    shared = random.normal(size=rows)
    p, q = (
        np.round(1 / (1 + np.exp(-(1.5 * y + shared + own * random.normal(size=rows)))), digits)
        for own in (0.5, 0.9)
    )
    return {"y": y, "p": p, "q": q, "rf": (p > 0.5).astype(int), "svm": (q > 0.5).astype(int)}


def spark_columns(spark: Any, columns: dict[str, Any]) -> Any:
    rows = [
        tuple(value.item() for value in row)
        for row in np.rec.fromarrays(list(columns.values()))  # type: ignore[call-overload]
    ]
    return spark.createDataFrame(rows, list(columns))


def test_models_are_compared_where_the_rows_are(spark: Any) -> None:
    """Few distinct scores: the areas, their errors and the p-value are DeLong's of the rows."""
    columns = paired_columns(1200, 3)
    how: dict[str, Any] = {"positive": 1, "draws": 200, "measures": ["accuracy"]}
    here = sy.compare(
        {"rf": columns["rf"], "svm": columns["svm"]},
        columns["y"],
        scores={"rf": columns["p"], "svm": columns["q"]},
        **how,
    )
    there = sy.compare(
        spark_columns(spark, columns), "y", pred=["rf", "svm"], scores={"rf": "p", "svm": "q"}, **how
    )
    assert there.values == here.values
    assert here.areas is not None
    assert there.areas is not None
    assert there.areas.bounds == {}
    assert there.areas.intervals["rf"] == pytest.approx(here.areas.intervals["rf"], abs=1e-9)
    assert there.areas.areas == pytest.approx(here.areas.areas, abs=1e-12)
    mine, rows = there.areas.pairs[0].delong, here.areas.pairs[0].delong
    assert (mine.standard_error, mine.p_value) == pytest.approx((rows.standard_error, rows.p_value), rel=1e-9)


def test_areas_compared_in_bins_are_bounded(spark: Any, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delong, "LEVELS", 64)
    columns = paired_columns(3000, 9)
    found = delong.areas_of_cluster(
        SparkTable(spark_columns(spark, columns)), "y", {"rf": "p", "svm": "q"}, tolerance=0.02
    )
    told = compare_counted_areas(found, level=0.9)
    rows = compare_areas(columns["y"], {"rf": columns["p"], "svm": columns["q"]}, level=0.9)
    for name, area in rows.areas.items():
        assert told.bounds[name].least <= area <= told.bounds[name].most
        assert told.bounds[name].most - told.bounds[name].least <= 0.02
    pair, exact = told.pairs[0].delong, rows.pairs[0].delong
    # with 64 levels of either class a row's part is off by less than 1/64
    assert pair.standard_error == pytest.approx(exact.standard_error, rel=0.05)
    assert pair.interval[0] < exact.interval[0] < exact.interval[1] < pair.interval[1]
    assert "lies between its bounds for certain" in sentences(told)


def sentences(told: Any) -> str:
    return " ".join(map(str, score_section(told, (), 0, lambda name: None).blocks))


def test_a_frame_is_compared_by_names_of_columns(spark: Any) -> None:
    frame = spark.sql("SELECT * FROM VALUES (0, 0, 1, 0.5D), (1, 0, 1, 0.7D) AS v(y, a, b, p)")
    for wrong, words in [
        ({"pred": "a"}, "names of its columns"),
        ({"pred": ["a"]}, "needs models"),
        ({"pred": ["a", "b"], "scores": {"a": "p"}}, "scores of at least 2 models"),
        ({"pred": ["a", "b"], "scores": {"a": "p", "b": "zz"}}, "zz"),
        ({"pred": ["a", "b"], "scores": {"a": "p", "b": "p"}}, "too few examples"),
        ({}, "by model"),
    ]:
        with pytest.raises(sy.InputError, match=words):
            sy.compare(frame, "y", **wrong)
    with pytest.raises(sy.InputError, match="leave out pred"):
        sy.compare({"a": [0], "b": [1]}, [0], pred=["a"])


def binned(score: str) -> Question:
    """What the first pass asks about a column of scores."""
    number = Number(score, lowest=True)
    ends = [Extreme(number, "least"), Extreme(number, "greatest")]
    return Question([Column("y"), ScoreBin(number)], [ROWS, *ends])


def test_nothing_but_groups_travels_and_no_python_runs_on_the_workers(spark: Any) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as plan:
        SparkTable(frame_of(spark, 100)).frame_of([binned("p")]).explain()
    text = plan.getvalue()
    assert text.count("Exchange") == 1, text
    assert "partial_count" in text
    assert "Python" not in text
    assert "Arrow" not in text


def test_several_models_are_counted_in_one_compiled_pass(spark: Any) -> None:
    frame = frame_of(spark, 100).selectExpr("y", "p", "1 - p AS q", "p / 2 AS r")
    with contextlib.redirect_stdout(io.StringIO()) as plan:
        SparkTable(frame).frame_of([binned(name) for name in "pqr"]).explain()
    text = plan.getvalue()
    assert text.count("Exchange") == 1, text
    assert "Expand" in text, text  # which Spark compiles; "Generate", as for stack(), it does not
    assert "Generate" not in text


def test_a_bin_holds_no_score_below_one_of_a_lower_bin(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every seam of the bins, and one double to either side of it."""
    for bins, next_to in ((adaptive_bins.BINS, adaptive_bins.NEXT_TO), (256, 1 / 256), (40, 0.0)):
        monkeypatch.setattr(adaptive_bins, "BINS", bins)
        monkeypatch.setattr(adaptive_bins, "NEXT_TO", next_to)
        seams = np.array(
            [0, 2.0**-30, 1 / 256, 0.1, 0.3, 0.5, 255 / 256, 1, 1.5, 2, 7, 300, 1e6, 2.0**53, 1e308]
        )
        near = np.concatenate([seams, np.nextafter(seams, -np.inf), np.nextafter(seams, np.inf)])
        near = np.concatenate([near, 1 + 2.0 ** -np.arange(1, 53), 1 - 2.0 ** -np.arange(1, 53)])
        scores = np.unique(np.concatenate([near, -near, [-np.inf, np.inf]]))
        frame = spark.createDataFrame([(float(score),) for score in scores], "s DOUBLE")
        found = SparkTable(frame).groups([Number("s"), ScoreBin(Number("s"))])
        numbers = [b for _, b, _ in sorted(found)]
        assert numbers == sorted(numbers)
        assert numbers[0] < numbers[1]  # infinite scores stand alone
        assert numbers[-1] > numbers[-2]
        if bins == adaptive_bins.BINS and next_to:
            assert len(set(numbers)) > 50


@pytest.mark.parametrize(
    ("where", "few"), [("id / 2e6D", True), ("100000 + id % 300", True), ("1e-7D * id", False)]
)
def test_few_scores_come_back_as_they_are_wherever_they_lie(spark: Any, where: str, few: bool) -> None:
    """Two thousand scores in three bins, three hundred in one, and three hundred thousand in a thousand."""
    rows = 2_000 if few else 300_000
    frame = spark.range(0, rows, 1, 2).selectExpr("id % 7 = 0 AS y", f"double({where}) AS p")
    found = count_scores(SparkTable(frame), "p", "y", True)
    assert (found.starts is None) == few
    i = np.arange(rows)
    p = {"id / 2e6D": i / 2e6, "100000 + id % 300": 100_000.0 + i % 300, "1e-7D * id": 1e-7 * i}[where]
    exact = sy.ScoreCounts.from_scores(i % 7 == 0, p)
    if few:
        assert found == exact
    else:
        least, most = bounds(sy.measure("roc_auc"), found) or (np.nan, np.nan)
        assert least <= sy.measure("roc_auc")(exact) <= most < least + 1e-4


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("0 AS y, 'x' AS p", "must hold numbers"),
        ("0 AS y, '1d' AS p", "must hold numbers"),
        ("0 AS y, 9007199254740993L AS p", "would be rounded"),
        ("0 AS y, CAST(NULL AS DOUBLE) AS p", "some scores are missing"),
        ("CAST(NULL AS INT) AS y, 0.5D AS p", "missing labels"),
        ("0 AS y, 0.5D AS p WHERE false", "nothing to count"),
    ],
)
def test_what_cannot_be_counted_is_said(spark: Any, columns: str, words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        count_scores(SparkTable(spark.sql(f"SELECT {columns}")), "p", "y", 0)


@pytest.mark.whole  # a minute; that of counts is tried in every run
def test_scores_are_the_same_when_a_worker_dies_in_the_middle(two_workers: Cluster, spark: Any) -> None:
    rows = 4_000_000
    frame = SparkTable(frame_of(spark, rows, parts=48))
    counted = kill_a_worker_in_the_middle(two_workers, spark, lambda: count_scores(frame, "p", "y"))
    truth, score = made_rows(rows)
    exact = sy.ScoreCounts.from_scores(truth, score)
    assert counted.totals.tolist() == exact.totals.tolist()
    least, most = bounds(sy.measure("roc_auc"), counted) or (np.nan, np.nan)
    assert least <= sy.measure("roc_auc")(exact) <= most
    assert most - least <= adaptive_bins.TOLERANCE
