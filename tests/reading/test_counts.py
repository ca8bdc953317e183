"""Counting files: out of core, mismatched files, limits; and what counts can be asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.reading import counting
from steelyard.reading.duckdb import FileTable
from steelyard.reading.table import Table
from tests.reading.sources import read_joint


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def many_ids(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Rows with nearly as many different labels: what does not fit into a small memory."""
    import duckdb

    path = tmp_path_factory.mktemp("ids") / "ids.parquet"
    query = "SELECT 'user-' || (i % 590000) AS y, 'user-' || ((i * 7) % 590000) AS p, i % 3 AS t, (i // 3) % 3 AS q FROM range(600000) r(i)"
    duckdb.sql(query).write_parquet(str(path))
    return str(path)


def test_counting_works_within_a_small_memory(many_ids: str) -> None:
    counts = sy.count(many_ids, truth="t", pred="q", memory_limit="64MB")
    assert counts.rows == 600_000
    assert counts.confusion().total.item() == 600_000


def test_ids_taken_for_labels_are_refused_and_not_fetched(
    many_ids: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileTable, "most", 150_000)
    with pytest.raises(
        sy.InputError,
        match=r"the column '[yp]' does not look like labels; found at least 1[5-9]\d,\d+ different values in more than 2,000,000 groups",
    ):
        sy.count(many_ids, truth="y", pred="p", memory_limit="1GB")


def test_few_labels_in_very_many_slices_are_all_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """More groups than are fetched unasked: they come of the slices, so they are fetched."""
    import duckdb

    path = str(tmp_path / "users.parquet")
    query = "SELECT i % 2 AS y, (i // 2) % 2 AS p, 'u' || (i // 8) AS u FROM range(8000) r(i)"
    duckdb.sql(query).write_parquet(path)
    whole = sy.count(path, truth="y", pred="p", slices="u")
    for kind in (FileTable, Table):
        monkeypatch.setattr(kind, "most", 300)
    for source in (path, duckdb.read_parquet(path), duckdb.read_parquet(path).df()):
        again = sy.count(source, truth="y", pred="p", slices="u")
        assert set(again.groups["p"]) == set(whole.groups["p"])
    assert len(whole.groups["p"]) == 4_000
    monkeypatch.setattr(counting, "MOST_OF_ALL", 2_000)
    with pytest.raises(
        sy.InputError, match="too many different combinations of values; found more than 2,000"
    ):
        sy.count(path, truth="y", pred="p", slices="u")


def test_models_that_disagree_in_very_many_ways_are_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import duckdb

    path = str(tmp_path / "models.parquet")
    query = (
        "SELECT i % 10 AS y, (i // 10) % 10 AS a, (i // 100) % 10 AS b, 'u' || i AS u FROM range(2000) r(i)"
    )
    duckdb.sql(query).write_parquet(path)
    monkeypatch.setattr(FileTable, "most", 300)
    joint = read_joint([path], "y", ["a", "b"])
    assert (len(joint.counts), joint.total) == (1_000, 2_000)
    monkeypatch.setattr(counting, "MOST_LABELS", 200)
    with pytest.raises(sy.InputError, match="the column 'u' does not look like labels; found at least 301"):
        read_joint([path], "y", ["a", "u"])


def test_the_memory_limit_is_honoured(many_ids: str) -> None:
    with pytest.raises(
        sy.InputError, match=r"too many different pairs of labels for the memory; found more than [\d.]+ MiB"
    ):
        sy.count(many_ids, truth="y", pred="p", memory_limit="12MB")


def test_a_memory_limit_that_is_none(many_ids: str) -> None:
    with pytest.raises(sy.InputError, match="the memory limit is not understood; found 'lots'"):
        sy.count(many_ids, truth="t", pred="q", memory_limit="lots")


def test_progress_is_told(many_ids: str) -> None:
    told: list[float] = []
    sy.count(many_ids, truth="t", pred="q", progress=told.append)
    assert all(0 <= done <= 1 for done in told)


def test_many_models_that_together_have_too_many_groups_are_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = [f"m{k}" for k in range(4)]
    rows = [[i % 2, *((i >> k) % 2 for k in range(1, 5))] for i in range(64)]
    path = write(
        tmp_path / "rows.csv",
        "truth," + ",".join(models) + "\n" + "\n".join(",".join(map(str, row)) for row in rows),
    )
    whole = sy.count(path, truth="truth", pred=models)
    monkeypatch.setattr(FileTable, "most", 10)
    one_by_one = sy.count(path, truth="truth", pred=models)
    for model in models:
        assert set(one_by_one.groups[model]) == set(whole.groups[model])
        assert whole[model].counts.tolist() == [[16, 16], [16, 16]]


def test_text_files_with_different_columns_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "truth,pred\na,a\n")
    write(tmp_path / "b.csv", "pred,truth\na,a\n")
    with pytest.raises(sy.InputError, match="the files differ in their columns"):
        sy.count(str(tmp_path / "*.csv"), truth="truth", pred="pred")


def test_files_whose_labels_differ_in_type_are_refused_or_brought_together(tmp_path: Path) -> None:
    import duckdb

    duckdb.sql("SELECT 1 AS truth, 1 AS pred UNION ALL SELECT 2, 1").write_parquet(
        str(tmp_path / "a.parquet")
    )
    duckdb.sql("SELECT CAST(2 AS BIGINT) AS truth, CAST(2 AS BIGINT) AS pred").write_parquet(
        str(tmp_path / "b.parquet")
    )
    counts = sy.count(str(tmp_path / "*.parquet"), truth="truth", pred="pred")
    assert counts.confusion().counts.tolist() == [[1, 0], [1, 1]]
    duckdb.sql("SELECT [1] AS truth, 'x' AS pred").write_parquet(str(tmp_path / "c.parquet"))
    with pytest.raises(sy.InputError):
        sy.count(str(tmp_path / "*.parquet"), truth="truth", pred="pred")


def test_a_column_that_only_some_files_have(tmp_path: Path) -> None:
    import duckdb

    duckdb.sql("SELECT 'a' AS truth, 'a' AS pred, 'x' AS part").write_parquet(str(tmp_path / "a.parquet"))
    duckdb.sql("SELECT 'a' AS truth, 'b' AS pred").write_parquet(str(tmp_path / "b.parquet"))
    with pytest.raises(sy.InputError, match="there is no column 'part'"):
        sy.count(str(tmp_path / "*.parquet"), truth="truth", pred="pred", by="part")


def test_an_address_that_duckdb_cannot_reach() -> None:
    with pytest.raises(sy.InputError):
        sy.count("no-such-folder/*.parquet", truth="y", pred="p")


@pytest.fixture
def small(tmp_path: Path) -> str:
    return write(tmp_path / "small.csv", "truth,rf,svm,part\na,a,b,x\nb,a,b,x\na,b,a,y\n")


def test_which_model_is_meant(small: str) -> None:
    counts = sy.count(small, truth="truth", pred=["rf", "svm"], by="part")
    with pytest.raises(sy.InputError, match="which model is meant"):
        counts.confusion()
    with pytest.raises(sy.InputError, match="there is no model 'rv'; allowed: rf, svm"):
        counts.confusion("rv")
    with pytest.raises(sy.InputError, match="there is no slice 'z'"):
        counts.confusion("rf", "z")
    assert counts.confusion("rf", "x").counts.tolist() == [[1, 0], [1, 0]]
    assert dict(counts) == {"rf": counts.confusion("rf"), "svm": counts.confusion("svm")}
    assert sy.evaluate(counts, pred="svm").matrix == counts["svm"]
    assert repr(counts) == "Counts of 3 rows (rf: 3 groups, svm: 3 groups, cut by part)"


def test_counts_that_cannot_be_merged(small: str) -> None:
    with pytest.raises(sy.InputError, match="these counts cannot be merged"):
        _ = sy.count(small, truth="truth", pred="rf") + sy.count(small, truth="truth", pred="svm")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pred": []}, "no predictions were named"),
        ({"pred": ["rf", "rf"]}, "a model is named twice"),
        ({"pred": "rf", "engine": "hadoop"}, "the engine is not known"),
        ({"pred": "rf", "missing": "ignore"}, "missing= is not understood"),
        ({"pred": "rf", "spark_master": "spark://x:1"}, "a Spark master was named for another engine"),
    ],
)
def test_bad_requests(small: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.count(small, truth="truth", **options)


def test_other_things_cannot_be_counted() -> None:
    with pytest.raises(sy.InputError, match=r"this cannot be counted; found builtins.dict"):
        sy.count({"y": [1]}, truth="y", pred="p")
    import polars

    with pytest.raises(sy.InputError, match="the frame is counted where it is"):
        sy.count(polars.DataFrame({"y": [1], "p": [1]}), truth="y", pred="p", engine="spark")


def test_commands_count_with_the_engine_they_were_given(small: str) -> None:
    counts = sy.count(small, engine="duckdb", truth="truth", pred="rf", slices=["part"])
    assert counts.parts() == [("x",), ("y",)]


def test_rows_without_weight_bring_no_class(tmp_path: Path) -> None:
    """Neither to the whole nor to a slice, and they do not make strangers of the two columns."""
    rows = write(tmp_path / "r.csv", "y,p,w,s\na,a,0,DE\nb,b,1,DE\n")
    counts = sy.count(rows, truth="y", pred="p", weight="w", slices="s")
    assert counts.labels() == ("b",)
    assert counts.confusion().counts.tolist() == counts.confusion(part="DE").counts.tolist() == [[1.0]]
    strangers = write(tmp_path / "t.csv", "y,p,w\n1,2,0\n0,2,1\n")
    assert sy.count(strangers, truth="y", pred="p", weight="w").labels() == ("0", "2")


def test_a_named_class_that_does_not_occur_is_text_in_a_text_file_only(tmp_path: Path) -> None:
    text = write(tmp_path / "r.csv", "y,p\n0,1\n")
    assert sy.count(text, truth="y", pred="p", labels=[0, 1, 2]).labels() == ("0", "1", "2")
    typed = write(tmp_path / "r.jsonl", '{"y": "a", "p": "a"}\n')
    assert sy.count(typed, truth="y", pred="p", labels=["a", 1]).labels() == ("a", 1)


def test_json_lines_that_lack_a_name_at_the_top_lack_a_label(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", '{"y": 1}\n{"y": 2, "p": 2}\n{"y": 1, "p": 2}\n')
    with pytest.raises(sy.InputError, match="labels are missing; found 1 of 3 rows"):
        sy.count(rows, truth="y", pred="p")
    counted = sy.count(rows, truth="y", pred="p", missing="drop").confusion()
    assert counted.counts.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    "value", ["[1]", '{"a": 1}', "[" * 3000 + "]" * 3000], ids=["list", "object", "deep"]
)
def test_json_values_that_are_no_labels_are_refused(tmp_path: Path, value: str) -> None:
    rows = write(tmp_path / "rows.jsonl", f'{{"y": "[1]", "p": "[1]"}}\n{{"y": "b", "p": {value}}}\n')
    with pytest.raises(sy.InputError, match="the column 'p' holds values that cannot be labels"):
        sy.count(rows, truth="y", pred="p")
    first = write(tmp_path / "first.jsonl", f'{{"y": {value}, "p": 1}}\n')
    with pytest.raises(sy.InputError):
        sy.count(first, truth="y", pred="p")
