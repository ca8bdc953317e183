"""Do frames give what the same rows give as a file?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.counts.libraries import is_frame
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.counting import count
from steelyard.reading.rows import count_columns

ROWS: dict[str, list[Any]] = {
    "y_true": ["a", "a", "b", "b", "01", "a", "NA"],
    "y_pred": ["a", "b", "b", "a", "01", "a", "NA"],
    "weight": [1.0, 2.0, 0.5, 4.0, 1.0, 3.0, 0.25],
    "country": ["de", "fr", None, "de", "fr", None, "de"],
    "year": [1, 2, 1, 2, 1, 2, 1],
}
KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas categorical": lambda rows: pd.DataFrame(rows).astype(
        {"y_true": "category", "y_pred": "category"}
    ),
    "polars": pl.DataFrame,
    "polars categorical": lambda rows: pl.DataFrame(rows).with_columns(
        pl.col("y_true", "y_pred").cast(pl.Categorical)
    ),
    "arrow": pa.table,
}


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> Callable[[dict[str, list[Any]]], Any]:
    return KINDS[request.param]


@pytest.mark.parametrize(
    "options",
    [{}, {"weight": "weight"}, {"slices": ["country"]}, {"slices": ["country", "year"], "weight": "weight"}],
)
def test_a_frame_gives_what_its_file_gives(
    make: Callable[..., Any], tmp_path: Path, options: dict[str, Any]
) -> None:
    pq.write_table(pa.table(ROWS), tmp_path / "p.parquet")
    from_file = count(tmp_path / "p.parquet", engine="duckdb", **options).counted()
    from_frame = count_columns(make(ROWS), **options)
    assert from_frame.matrix == from_file.matrix
    assert from_frame.slices == from_file.slices
    assert (from_frame.rows, from_frame.truth, from_frame.pred, from_frame.unused) == (
        7,
        "y_true",
        "y_pred",
        from_file.unused,
    )


def test_missing_labels_are_refused_or_left_out(make: Callable[..., Any]) -> None:
    rows = {
        "y_true": ["a", None, "b", "b"],
        "y_pred": ["a", "a", None, "b"],
        "w": [1.0, 9.0, 9.0, 2.0],
        "s": ["x", "x", "x", "y"],
    }
    with pytest.raises(InputError, match=r"missing labels; found 1 of 4 rows"):
        count_columns(make(rows))
    kept = count_columns(make(rows), missing="drop", weight="w", slices=["s"])
    assert kept.matrix.counts.tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert (kept.rows, kept.missing) == (4, 2)
    assert {name: part.counts.tolist() for name, part in kept.slices.items()} == {
        ("x",): [[1, 0], [0, 0]],
        ("y",): [[0, 0], [0, 2]],
    }


def test_a_misspelt_column_is_answered_with_the_nearest(make: Callable[..., Any]) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'country'"):
        count_columns(make(ROWS), slices=["Contry"])


def test_an_ambiguous_frame_is_refused() -> None:
    with pytest.raises(
        InputError,
        match="more than one column could be the prediction; found pred, y_pred; say which with pred=",
    ):
        count_columns(pd.DataFrame({"truth": ["a"], "pred": ["a"], "y_pred": ["a"]}))


def test_slices_are_told_apart_by_their_text() -> None:
    counted = count_columns(
        ["a", "b", "a"], ["a", "a", "a"], slices={"s": np.array([1, "1", "x"], dtype=object)}
    )
    assert {name: part.total.item() for name, part in counted.slices.items()} == {("1",): 2, ("x",): 1}


def test_an_unknown_word_for_missing_is_refused() -> None:
    with pytest.raises(
        InputError, match='missing= is not understood; found \'ignore\'; allowed: "error" or "drop"'
    ):
        count_columns(["a"], ["a"], missing="ignore")


def test_what_is_a_frame() -> None:
    assert all(is_frame(kind(ROWS)) for kind in KINDS.values())
    assert not any(
        is_frame(thing)
        for thing in (pd.Series([1]), np.eye(2), [[1]], "path.csv", pa.array([1]), pl.Series([1]))
    )


@pytest.mark.parametrize("slices", [["x"], "abcd", 3, {"a": 1}])
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_a_slice_that_does_not_fit_the_rows_is_one_sentence(slices, missing) -> None:
    truth, told = ["a", "b", "a", None if missing == "drop" else "b"], ["a", "b", "b", "b"]
    with pytest.raises(sy.InputError, match=r"the slice 'g' does not fit the labels; found .* for 4 rows"):
        sy.evaluate(truth, told, slices={"g": slices}, interval=None, missing=missing)


def test_a_slice_of_pandas_must_have_the_rows_of_the_truth() -> None:
    truth, told = pd.Series(["a", "b", "a", "b"]), pd.Series(["a", "b", "b", "b"])
    turned = pd.Series(["x", "x", "y", "y"], index=[3, 2, 1, 0])
    with pytest.raises(sy.InputError, match="the indexes of two columns differ"):
        sy.evaluate(truth, told, slices={"g": turned}, interval=None)


def test_whole_numbers_and_text_among_gaps_stay_what_they_are() -> None:
    large = 2**53
    held = [large, large + 1, None, large + 1]
    frame = pd.DataFrame({"y": pd.Series(held, dtype=object), "p": [large, large + 1, large, large]})
    counted = sy.count(frame, truth="y", pred="p", missing="drop").confusion()
    assert counted.labels == (large, large + 1)
    assert counted.counts.tolist() == [[1, 0], [1, 1]]
    parts = sy.count(
        pd.DataFrame({"y": [0, 1, 1, 0], "p": [0, 1, 0, 0], "g": frame["y"]}), truth="y", pred="p", slices="g"
    )
    assert {group.slice for group in parts.groups["p"]} == {(str(large),), (str(large + 1),), ("(missing)",)}
    text = pd.DataFrame({"y": ["a", "a\0", "b"], "p": ["a", "a\0", "b"]})
    for kind in ("object", "string"):
        assert sy.count(text.astype(kind), truth="y", pred="p").confusion().labels == ("a", "a\0", "b")


def test_whole_weights_beyond_doubles_are_added_in_every_frame() -> None:
    held = {"y": ["a", "b", "a"], "p": ["a", "b", "b"], "w": [2**53 + 1, 3, 2**60]}
    for frame in (pa.table(held), pl.DataFrame(held), pd.DataFrame(held)):
        counted = sy.count(frame, truth="y", pred="p", weight="w").confusion()
        assert counted.counts.tolist() == [[float(2**53 + 1), float(2**60)], [0.0, 3.0]]


def test_nanoseconds_of_the_day_are_counted_apart_wherever_they_are_held(tmp_path: Path) -> None:
    times = pa.array([1, 2, 1], pa.time64("ns"))
    table = pa.table({"y": times, "p": times})
    pq.write_table(table, tmp_path / "times.parquet")
    held = (
        table,
        pl.from_arrow(table),
        pl.from_arrow(table).lazy(),
        duckdb.from_arrow(table),
        str(tmp_path / "times.parquet"),
    )
    for source in held:
        counted = sy.count(source, truth="y", pred="p").confusion()
        assert counted.labels == ("00:00:00.000000001", "00:00:00.000000002")
    spans = pl.DataFrame(
        {"y": pl.Series([1, 2]).cast(pl.Duration("ns")), "p": pl.Series([1, 2]).cast(pl.Duration("ns"))}
    )
    assert sy.count(spans, truth="y", pred="p").confusion().labels == ("1 ns", "2 ns")
