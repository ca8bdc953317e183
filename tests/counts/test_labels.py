"""Any column a user holds: the same labels and counts, whatever library made it."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import steelyard as sy

TRUTH = ["a", "b", "a", "c", "b"]
PREDICTED = ["a", "a", "a", "c", "b"]
EXPECTED = [[2, 0, 0], [1, 1, 0], [0, 0, 1]]

TEXT_COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy object": lambda v: np.array(v, dtype=object),
    "numpy text": lambda v: np.array(v, dtype=object) if None in v else np.array(v),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas default": pd.Series,
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "pandas string[pyarrow]": lambda v: pd.Series(v, dtype="string[pyarrow]"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas category with unused ones": lambda v: pd.Series(
        pd.Categorical(v, categories=["zz", "c", "b", "a"])
    ),
    "pandas Categorical": pd.Categorical,
    "pandas Index": pd.Index,
    "pandas array": pd.array,
    "polars": pl.Series,
    "polars Categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "polars Enum": lambda v: pl.Series(v, dtype=pl.Enum(["q", "a", "b", "c"])),
    "arrow": pa.array,
    "arrow chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow chunked dictionary": lambda v: pa.chunked_array(
        [pa.array(v[:2]).dictionary_encode(), pa.array(v[2:]).dictionary_encode()]
    ),
}
NUMBER_COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "numpy int64": lambda v: np.array(v, dtype=float if None in v else np.int64),
    "pandas": pd.Series,
    "pandas Int64": lambda v: pd.Series(v, dtype="Int64"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas int64[pyarrow]": lambda v: pd.Series(v, dtype="int64[pyarrow]"),
    "polars": pl.Series,
    "polars Int8": lambda v: pl.Series(v, dtype=pl.Int8),
    "arrow": pa.array,
    "arrow chunked": lambda v: pa.chunked_array([v[:2], v[2:]]),
}


@pytest.mark.parametrize("kind", list(TEXT_COLUMNS))
def test_text(kind: str) -> None:
    made = TEXT_COLUMNS[kind]
    for truth, predicted in (
        (made(TRUTH), made(PREDICTED)),
        (made(TRUTH), PREDICTED),
        (TRUTH, made(PREDICTED)),
    ):
        counted = sy.Confusion.from_labels(truth, predicted)
        assert counted.labels == ("a", "b", "c")
        assert [type(label) for label in counted.labels] == [str] * 3
        assert counted.counts.tolist() == EXPECTED
        assert counted.counts.dtype == np.int64


@pytest.mark.parametrize("kind", list(NUMBER_COLUMNS))
def test_numbers(kind: str) -> None:
    made = NUMBER_COLUMNS[kind]
    place = {"a": -7, "b": 2, "c": 30}
    truth, predicted = [place[v] for v in TRUTH], [place[v] for v in PREDICTED]
    for columns in (
        (made(truth), made(predicted)),
        (made(truth), np.array(predicted)),
        (truth, made(predicted)),
    ):
        counted = sy.Confusion.from_labels(*columns)
        assert counted.labels == (-7, 2, 30)
        assert counted.counts.tolist() == EXPECTED


@pytest.mark.parametrize("kind", [kind for kind in TEXT_COLUMNS if "numpy text" not in kind])
@pytest.mark.parametrize("role", ["y_true", "y_pred"])
def test_missing_text_is_refused(kind: str, role: str) -> None:
    gappy, whole = TEXT_COLUMNS[kind](["a", None, "b", "c", None]), PREDICTED
    columns = {"y_true": whole, "y_pred": whole} | {role: gappy}
    with pytest.raises(
        sy.InputError, match=rf"{role} has missing labels; found 2 of 5 rows, the first at row 1"
    ):
        sy.Confusion.from_labels(**columns)


@pytest.mark.parametrize("kind", list(NUMBER_COLUMNS))
def test_missing_numbers_are_refused(kind: str) -> None:
    with pytest.raises(
        sy.InputError, match="y_true has missing labels; found 1 of 4 rows, the first at row 2"
    ):
        sy.Confusion.from_labels(NUMBER_COLUMNS[kind]([1, 2, None, 3]), [1, 2, 3, 3])


@pytest.mark.parametrize(
    "gappy",
    [
        [1.0, float("nan")],
        ["a", float("nan")],
        np.array([1.0, np.nan]),
        np.ma.array([1, 2], mask=[False, True]),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime(["2020-01-01", None])),
        pd.Series([True, None], dtype="boolean"),
        pl.Series([1.5, float("nan")]),
        pa.array([1.5, float("nan")]),
    ],
    ids=["list", "mixed", "numpy", "masked", "date", "pandas date", "pandas boolean", "polars", "arrow"],
)
def test_other_missing_values_are_refused(gappy: Any) -> None:
    with pytest.raises(sy.InputError, match="1 of 2 rows, the first at row 1"):
        sy.Confusion.from_labels(gappy, ["a", "a"])


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["ham", "spam"], str),
        (["größe", "数据", "🙂"], str),
        ([3, 1, 2], int),
        ([True, False], bool),
        ([0.5, -1.5], float),
        ([(1, "x"), (0, "y")], tuple),
        ([datetime.date(2021, 5, 1), datetime.date(2020, 1, 1)], datetime.date),
        ([b"x", b"y"], bytes),
        ([2**70, -(2**70)], int),
    ],
    ids=["text", "unicode", "int", "bool", "float", "tuple", "date", "bytes", "beyond 64 bits"],
)
def test_label_types_are_kept_and_sorted(labels: list[Any], kind: type) -> None:
    counted = sy.Confusion.from_labels(labels * 2, labels + labels[::-1])
    assert list(counted.labels) == sorted(labels)
    assert all(type(label) is kind for label in counted.labels)
    assert counted.total == 2 * len(labels)


def test_numpy_text_labels_become_plain_text() -> None:
    counted = sy.Confusion.from_labels([np.str_("a"), "b"], np.array(["a", "b"]))
    assert counted.counts.tolist() == [[1, 0], [0, 1]]
    assert [type(label) for label in sy.Confusion([[1, 0], [0, 1]], labels=np.array(["a", "b"])).labels] == [
        str,
        str,
    ]


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_numpy_dates_stay_dates(unit: str) -> None:
    days = np.array(["2020-01-01", "2021-01-01"], dtype=f"datetime64[{unit}]")
    labels = sy.Confusion.from_labels(days, days[::-1]).labels
    assert [str(label)[:10] for label in labels] == ["2020-01-01", "2021-01-01"]


def test_mixed_labels_keep_their_own_type() -> None:
    counted = sy.Confusion.from_labels([1, "1", (2,)], ["1", 1, (2,)])
    assert set(counted.labels) == {1, "1", (2,)}
    assert counted.hits.sum() == 1


def test_equal_numbers_of_other_types_are_one_label() -> None:
    assert sy.Confusion.from_labels([1, 0, 1], [1.0, 0.0, 1.0]).counts.tolist() == [[1, 0], [0, 2]]
    assert sy.Confusion.from_labels([True, False], [1, 0]).counts.tolist() == [[1, 0], [0, 1]]
    assert (
        sy.Confusion.from_labels(np.array([0, 1], dtype=np.uint8), np.array([0, 1], dtype=np.int64)).n_classes
        == 2
    )


def test_series_whose_indexes_differ_are_refused() -> None:
    truth, predicted = pd.Series(["a", "b"], index=[5, 6]), pd.Series(["b", "a"], index=[6, 5])
    with pytest.raises(sy.InputError, match="the indexes of two columns differ"):
        sy.Confusion.from_labels(truth, predicted)
    by_position = sy.Confusion.from_labels(truth.to_numpy(), predicted.to_numpy())
    assert by_position.hits.tolist() == [0, 0]


@pytest.mark.parametrize(
    "given",
    ["ab", b"ab", None, 3, {"a", "b"}, {0: "a", 1: "b"}, iter(["a", "b"]), (v for v in "ab")],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_column_is_refused(given: Any) -> None:
    with pytest.raises(sy.InputError, match=r"y_true is not a column of labels; found \w+; allowed: a list"):
        sy.Confusion.from_labels(given, ["a", "b"])


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"a": [1, 2]}),
        pl.DataFrame({"a": [1, 2]}),
        pl.LazyFrame({"a": [1, 2]}),
        pa.table({"a": [1, 2]}),
        np.zeros((2, 2)),
    ],
    ids=["pandas", "polars", "lazy", "arrow", "numpy"],
)
def test_tables_are_refused(given: Any) -> None:
    with pytest.raises(sy.InputError, match="column of labels"):
        sy.Confusion.from_labels(given, [1, 2])


def test_a_table_of_one_numpy_column_is_a_column() -> None:
    assert sy.Confusion.from_labels(np.array([[0], [1]]), [0, 1]).counts.tolist() == [[1, 0], [0, 1]]


def test_values_that_cannot_be_labels_are_refused() -> None:
    with pytest.raises(sy.InputError, match="y_true holds values that cannot be labels; found list"):
        sy.Confusion.from_labels([["a"], ["b"]], ["a", "b"])
    with pytest.raises(sy.InputError, match="cannot be labels"):
        sy.Confusion.from_labels(pl.Series([[1], [2]]), [1, 2])


def test_text_against_numbers_is_refused() -> None:
    with pytest.raises(sy.InputError, match=r"'0' \(str\) in y_true and 0 \(int\) in y_pred"):
        sy.Confusion.from_labels(["0", "1"], [0, 1])


def test_too_many_labels_are_refused() -> None:
    ids = np.arange(20_000) * 7
    for column in (ids, ids.astype(str)):
        with pytest.raises(sy.InputError, match="20,000 classes; allowed: at most 10,000"):
            sy.Confusion.from_labels(column, column)


# -- categories that have an order keep it

GRADES = ["low", "mid", "high"]
TRUE = ["low", "mid", "high", "high", "low", "mid"]
TOLD = ["low", "mid", "mid", "high", "mid", "low"]


def _ordered(library: str, values: list[str]) -> Any:
    if library == "pandas":
        return pd.Series(pd.Categorical(values, GRADES, ordered=True))
    if library.startswith("polars"):
        return pl.Series(values, dtype=pl.Enum(GRADES))
    of_pandas = pd.Categorical(values, GRADES, ordered=True)
    return pa.array(of_pandas) if library == "arrow" else of_pandas


def _table(library: str, **columns: Any) -> Any:
    if library.startswith("polars"):
        eager = pl.DataFrame(columns)
        return eager.lazy() if library == "polars lazy" else eager
    return pa.table(columns) if library == "arrow" else pd.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "pandas array", "polars", "polars lazy", "arrow"])
def test_ordered_categories_keep_their_order(library: str) -> None:
    truth, told = _ordered(library, TRUE), _ordered(library, TOLD)
    cm = sy.Confusion.from_labels(truth, told)
    assert cm.labels == ("low", "mid", "high")
    assert cm.counts.tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 1]]
    # by hand: squared distances 1 + 1 + 1 seen; expected (2, 2, 2) x (2, 3, 1) / 6 of 0, 1, 4
    expected = (2 * 3 + 4 * 2 * 1 + 2 * 2 + 2 * 1 + 4 * 2 * 2 + 2 * 3) / 6
    assert sy.measure("quadratic_weighted_kappa")(cm) == pytest.approx(1 - 3 / expected)
    assert sy.Confusion.from_labels(truth, TOLD).labels == ("low", "mid", "high")
    assert sy.evaluate(truth, told, interval=None).matrix.labels == ("low", "mid", "high")
    comparison = sy.compare({"a": told, "b": truth}, y_true=truth, by="quadratic_weighted_kappa", draws=100)
    assert comparison.labels == ("low", "mid", "high")
    frame = _table(library, y=truth, p=told, q=truth)
    counted = sy.count(frame, truth="y", pred=["p", "q"], slices="q")
    assert counted.labels("p") == counted["p"].labels == counted["q"].labels == ("low", "mid", "high")
    assert counted.confusion("p", part="high").counts.tolist() == [[0, 0, 0], [0, 0, 0], [0, 1, 1]]
    for given in (frame, sy.count(frame, truth="y", pred="p")):
        named = {"truth": "y", "pred": "p"} if given is frame else {}
        assert sy.evaluate(given, **named, interval=None).matrix.counts.tolist() == cm.counts.tolist()
    compared = sy.compare(frame, "y", pred=["p", "q"], by="quadratic_weighted_kappa", draws=100)
    assert compared.labels == ("low", "mid", "high")
    assert compared.values["p"]["quadratic_weighted_kappa"].value == pytest.approx(1 - 3 / expected)
    some = sy.Confusion.from_labels(_ordered(library, ["mid", "high"]), _ordered(library, ["mid", "mid"]))
    assert some.labels == ("mid", "high")  # those that occur


def _ordered_frames() -> dict[str, Any]:
    import duckdb

    kept = pd.DataFrame({"y": _ordered("pandas", TRUE), "p": _ordered("pandas", TOLD)})
    enums = pl.DataFrame({"y": TRUE, "p": TOLD}, schema={"y": pl.Enum(GRADES), "p": pl.Enum(GRADES)})
    table = pa.Table.from_pandas(kept)
    return {
        "pandas": kept,
        "polars": enums,
        "lazy": enums.lazy(),
        "arrow": table,
        "chunks": pa.concat_tables([table.slice(0, 2), table.slice(2)]),
        "duckdb": duckdb.from_df(kept),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "chunks", "duckdb"])
def test_categories_keep_their_order_in_every_frame(kind: str) -> None:
    frame = _ordered_frames()[kind]
    counted = sy.count(frame, truth="y", pred="p").confusion()
    assert counted.labels == ("low", "mid", "high")
    assert counted.counts.tolist() == [[1, 1, 0], [1, 1, 0], [0, 1, 1]]
    judged = sy.evaluate(frame, truth="y", pred="p", interval=None)
    assert judged.matrix.labels == ("low", "mid", "high")
    if kind not in ("lazy", "duckdb"):
        assert sy.Confusion.from_labels(frame["y"], frame["p"]).labels == ("low", "mid", "high")


def test_categories_without_one_order_are_sorted() -> None:
    turned = pd.Series(pd.Categorical(TRUE, GRADES[::-1], ordered=True))
    for truth, told in [
        (pd.Series(pd.Categorical(TRUE, GRADES)), pd.Series(pd.Categorical(TOLD, GRADES))),
        (_ordered("pandas", TRUE), turned),
        (_ordered("pandas", TRUE), ["other", *TOLD[1:]]),
    ]:
        labels = sy.Confusion.from_labels(truth, told).labels
        assert list(labels) == sorted(labels)
    listed = sy.Confusion.from_labels(_ordered("pandas", TRUE), TOLD, labels=["high", "low", "mid"])
    assert listed.labels == ("high", "low", "mid")


@pytest.mark.parametrize("dtype", [object, "string"])
def test_text_of_pandas_does_not_end_at_a_nul(dtype: Any) -> None:
    truth, told = ["", "\0", "a", "a\0b", "a\0c"], ["", "", "a", "a\0b", "a\0b"]
    cm = sy.Confusion.from_labels(pd.Series(truth, dtype=dtype), pd.Series(told, dtype=dtype))
    assert cm.labels == ("", "\0", "a", "a\0b", "a\0c")
    assert cm.counts.tolist() == sy.Confusion.from_labels(truth, told).counts.tolist()


def times_of_the_day() -> pa.Array:
    return pa.array([1, 2, 3_600_000_000_000], pa.time64("ns"))


def test_times_of_the_day_and_spans_keep_their_nanoseconds() -> None:
    held = times_of_the_day()
    expected = ("00:00:00.000000001", "00:00:00.000000002", datetime.time(1))
    for column in (held, pl.from_arrow(held)):
        found = sy.Confusion.from_labels(column, column)
        assert set(found.labels) == set(expected)
        assert found.hits.tolist() == [1, 1, 1]
    spans = np.array([1, 2, 1000], dtype="m8[ns]")
    for column in (spans, pl.Series(spans)):
        assert set(sy.Confusion.from_labels(column, column).labels) == {
            "1 ns",
            "2 ns",
            datetime.timedelta(microseconds=1),
        }
    finest = np.array([1, 2], dtype="M8[as]")
    assert sy.Confusion.from_labels(finest, finest).n_classes == 2
