"""Is what a source holds counted as it stands, or refused in one sentence: never merged, coerced or lost on the way?"""

from __future__ import annotations

import decimal
import os
import subprocess
import sys
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
from steelyard.cli import main
from steelyard.errors import InputError
from steelyard.reading.files import WIDE
from tests.reading.sources import read_score_counts
from tests.real_parts import needs

BIG = 2**63


def matrix(confusion: sy.Confusion) -> tuple[tuple[Any, ...], list[list[float]]]:
    return confusion.labels, confusion.counts.tolist()


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def counted(path: Path, **options: Any) -> tuple[tuple[Any, ...], list[list[float]]]:
    return matrix(sy.count(path, **{"truth": "y", "pred": "p", **options}).confusion())


# -- labels


def test_one_class_written_in_two_ways_keeps_all_its_scores(tmp_path: Path) -> None:
    # Positives .9 .8 .3, negatives .1 .85: of 6 pairs .9 wins 2, .8 and .3 win 1 each, so the area is 4/6.
    lines = ['{"y":1,"p":0.9}', '{"y":1.0,"p":0.8}', '{"y":0,"p":0.1}', '{"y":0,"p":0.85}', '{"y":1,"p":0.3}']
    path = put(tmp_path, "s.jsonl", "\n".join(lines) + "\n")
    scores = read_score_counts(path, "p", "y", 1)
    assert (scores.labels, scores.totals.tolist()) == ((0, 1), [2, 3])
    assert sy.measure("roc_auc")(scores) == pytest.approx(4 / 6)
    columns = put(
        tmp_path,
        "t.jsonl",
        '{"y":1,"a_0":0.1,"a_1":0.9}\n{"y":1.0,"a_0":0.2,"a_1":0.8}\n{"y":0,"a_0":1,"a_1":0}\n',
    )
    assert read_score_counts(columns, "a_*", "y").totals.tolist() == [1, 2]


def test_a_dictionary_of_arrow_may_list_a_value_twice() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["a", "a", "b"]))
    expected = (("a", "b"), [[2, 1], [0, 1]])
    assert matrix(sy.Confusion.from_labels(twice, ["a", "a", "b", "b"])) == expected
    frame = pa.table({"y": twice, "p": ["a", "a", "b", "b"]})
    assert matrix(sy.evaluate(frame, truth="y", pred="p", interval=None).matrix) == expected
    assert sy.ScoreCounts.from_scores(twice, [0.1, 0.2, 0.3, 0.4], positive="a").totals.tolist() == [3, 1]


@pytest.mark.parametrize("others", [[1, -1], [1, 1]])
def test_integers_beyond_63_bits_stay_apart(others: list[int]) -> None:
    found = sy.Confusion.from_labels([BIG + 1, BIG, *others], [BIG, BIG, *others])
    assert found.labels == tuple(sorted({BIG, BIG + 1, *others}))
    assert found.select([BIG, BIG + 1]).counts.tolist() == [[1, 0], [1, 0]]
    assert sy.ScoreCounts.from_scores([BIG + 1, BIG, -1], [0.1, 0.2, 0.3], positive=BIG).totals.tolist() == [
        1,
        2,
    ]
    both = np.array([BIG + 5, BIG + 6], dtype=np.uint64)
    assert sy.ScoreCounts.from_scores(both, [0.1, 0.2], positive=BIG + 6).labels == (BIG + 5, BIG + 6)


FINE = pa.table(
    {"y": pa.array([1, 2, 1, 5000], pa.timestamp("ns")), "p": pa.array([1, 2, 2, 5000], pa.timestamp("ns"))}
)


@pytest.mark.parametrize(
    "hold",
    [
        lambda _: pl.from_arrow(FINE),
        lambda _: pl.from_arrow(FINE).lazy(),
        lambda _: FINE.to_pandas(),
        lambda _: FINE,
        lambda path: pq.write_table(FINE, path / "f.parquet") or path / "f.parquet",
    ],
)
def test_nanoseconds_are_told_apart(hold: Callable[[Path], Any], tmp_path: Path) -> None:
    found = sy.count(hold(tmp_path), truth="y", pred="p").confusion()
    names = ["1970-01-01 00:00:00.000000001", "1970-01-01 00:00:00.000000002", "1970-01-01 00:00:00.000005"]
    assert sorted(map(str, found.labels)) == names
    assert found.select(names).counts.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Prague"])
@pytest.mark.parametrize("lazy", [True, False])
def test_nanoseconds_of_a_time_zone_are_told_apart(zone: str, lazy: bool) -> None:
    column = pl.Series([1, 2, 1, 5000]).cast(pl.Datetime("ns", zone))
    frame = pl.DataFrame({"y": column, "p": column})
    found = sy.count(frame.lazy() if lazy else frame, truth="y", pred="p").confusion()
    names = ["1970-01-01 00:00:00.000000001+00:00", "1970-01-01 00:00:00.000000002+00:00"]
    assert sorted(map(str, found.labels)) == [*names, "1970-01-01 00:00:00.000005+00:00"]
    assert sorted(sy.Confusion.from_labels(column, column).counts.diagonal().tolist()) == [1, 1, 2]


@pytest.mark.skipif(
    int(duckdb.__version__.partition(".")[0]) < 2, reason="DuckDB 1 knows no such type: it reads microseconds"
)
def test_nanoseconds_of_a_time_zone_in_parquet(tmp_path: Path) -> None:
    column = pa.array([1, 2, 1], pa.timestamp("ns", "Europe/Prague"))
    pq.write_table(pa.table({"y": column, "p": column}), tmp_path / "z.parquet")
    assert sy.count(tmp_path / "z.parquet", truth="y", pred="p").confusion().counts.tolist() == [
        [2, 0],
        [0, 1],
    ]


def test_nanoseconds_in_columns() -> None:
    for column in (np.array([1, 2], "M8[ns]"), pl.Series(np.array([1, 2], "M8[ns]"))):
        assert sy.Confusion.from_labels(column, column).counts.tolist() == [[1, 0], [0, 1]]


def test_time_zones_need_no_package(tmp_path: Path) -> None:
    column = pa.array([10**6, 2 * 10**6], pa.timestamp("us", "Europe/Berlin"))
    pq.write_table(pa.table({"y": column, "p": column}), tmp_path / "z.parquet")
    code = (
        "import sys; sys.modules['pytz'] = None; import steelyard as sy; "
        "print(*sy.count(sys.argv[1], truth='y', pred='p').confusion().labels)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "z.parquet")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1970-01-01 00:00:01+00:00 1970-01-01 00:00:02+00:00\n"


def test_integers_of_128_bits_are_labels_and_scores() -> None:
    column = pl.Series([1, 2, 2**100], dtype=pl.Int128)
    assert sy.Confusion.from_labels(column, column).labels == (1, 2, 2**100)
    assert sy.ScoreCounts.from_scores([0, 0, 1], column, positive=1).totals.tolist() == [2, 1]


LISTS = {"y": [[1], [2]], "p": [[1], [2]]}


@pytest.mark.parametrize(
    "call",
    [
        lambda: sy.Confusion.from_labels(pd.Series(LISTS["y"]), pd.Series(LISTS["p"])),
        lambda: sy.Confusion.from_labels(pa.array(LISTS["y"]), pa.array(LISTS["p"])),
        lambda: sy.count(pd.DataFrame(LISTS), truth="y", pred="p"),
        lambda: sy.count(pa.table(LISTS), truth="y", pred="p"),
        lambda: sy.count(pl.DataFrame(LISTS), truth="y", pred="p"),
        lambda: sy.evaluate(pd.DataFrame(LISTS), truth="y", pred="p"),
        lambda: sy.evaluate(["a", "b"], ["a", "b"], slices={"s": pd.Series(LISTS["y"])}),
    ],
)
def test_values_that_cannot_be_labels_are_refused_in_one_sentence(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match="cannot be labels"):
        call()


def test_masked_values_are_missing() -> None:
    masked = np.ma.array([1, 0, 1, 0], mask=[0, 0, 1, 0])
    assert matrix(sy.evaluate(masked, [1, 0, 1, 0], missing="drop", interval=None).matrix) == (
        (0, 1),
        [[2, 0], [0, 1]],
    )
    scores = np.ma.array([0.1, 0.2, 0.3, 0.4], mask=[0, 0, 1, 0])
    with pytest.raises(InputError, match="some scores are missing; found NaN in 1 of 4 rows"):
        sy.ScoreCounts.from_scores([1, 0, 1, 0], scores, positive=1)
    assert sy.ScoreCounts.from_scores([1, 0, 1, 0], scores, positive=1, missing="drop").totals.tolist() == [
        2,
        1,
    ]


# -- slices and names


@pytest.mark.parametrize("kind", ["csv", "pandas", "polars", "lazy", "columns"])
def test_a_slice_without_weight_holds_nothing_everywhere(kind: str, tmp_path: Path) -> None:
    rows = {
        "y": ["a", "b", "a", "b"],
        "p": ["a", "b", "b", "b"],
        "w": [0.0, 0.0, 1.0, 1.0],
        "s": ["x", "x", "z", "z"],
    }
    pd.DataFrame(rows).to_csv(tmp_path / "p.csv", index=False)
    how: dict[str, Any] = {"truth": "y", "pred": "p", "weight": "w", "slices": "s"}
    held: Any = {
        "csv": tmp_path / "p.csv",
        "pandas": pd.DataFrame(rows),
        "polars": pl.DataFrame(rows),
        "lazy": pl.DataFrame(rows).lazy(),
        "columns": rows["y"],
    }[kind]
    if kind == "columns":
        how = {"y_pred": rows["p"], "weight": rows["w"], "slices": {"s": rows["s"]}}
    found = sy.evaluate(held, **how, interval=None)
    assert {part.name: part.rows for part in found.slices} == {("x",): 0.0, ("z",): 2.0}


def test_a_slice_called_missing_is_not_the_missing_one(tmp_path: Path) -> None:
    path = put(tmp_path, "p.csv", "y,p,s\na,a,(missing)\nb,b,\na,b,x\nb,b,x\n")
    expected = {("'(missing)'",): 1, ("(missing)",): 1, ("x",): 2}
    values = {"s": ["(missing)", None, "x", "x"]}
    for found in (
        sy.evaluate(path, truth="y", pred="p", slices="s", interval=None),
        sy.evaluate(["a", "b", "a", "b"], ["a", "b", "b", "b"], slices=values, interval=None),
    ):
        assert {part.name: part.rows for part in found.slices} == expected


def test_models_that_are_written_alike_are_refused() -> None:
    with pytest.raises(InputError, match="two models are written alike; found 1, '1', 'x'"):
        sy.compare({1: ["a", "b"], "1": ["a", "a"], "x": ["b", "b"]}, ["a", "b"])  # type: ignore[dict-item]


def test_columns_may_be_called_by_numbers_but_not_all_alike() -> None:
    numbered = pd.DataFrame({0: ["a", "b"], 1: ["a", "b"], 2: [2.0, 3.0], 3: ["x", "z"]})
    how: dict[str, Any] = {"truth": 0, "pred": 1, "weight": 2}
    assert sy.evaluate(numbered, **how, slices=[3], interval=None).matrix.counts.tolist() == [[2, 0], [0, 3]]
    assert sy.count(numbered, **how, slices=[3]).confusion().counts.tolist() == [[2, 0], [0, 3]]
    alike = pd.DataFrame([["a", "a", "b"]], columns=["y", "p", "y"])
    for call in (sy.evaluate, sy.count):
        with pytest.raises(InputError, match="a column is named twice; found 'y'"):
            call(alike, truth="y", pred="p")
    with pytest.raises(InputError, match="a column is named twice; found 'a'"):
        sy.ScoreCounts.from_scores([1, 0], pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], columns=["a", "a"]))


# -- files

AS_IT_STANDS: dict[str, tuple[str, bytes]] = {
    "lines that end in two ways": ("p.csv", b"y,p\r\na,a\nb,b\r\nb,a\n"),
    "a quoted line end among them": ("p.csv", b'y,p,z\na,a,"1\r\n2"\r\nb,b,3\nb,a,4\r\n'),
    "a name that begins with a tilde": ("~p.csv", b"y,p\na,a\nb,b\nb,a\n"),
    "a name with two endings": ("data.tsv.csv", b"y,p\na,a\nb,b\nb,a\n"),
    "tabs": ("data.csv.TSV", b"y\tp\na\ta\nb\tb\nb\ta\n"),
}


@pytest.mark.parametrize("case", AS_IT_STANDS)
def test_a_file_is_read_as_it_stands(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, content = AS_IT_STANDS[case]
    put(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)
    assert counted(Path(name)) == (("a", "b"), [[1, 0], [1, 1]])


def parquet(folder: Path, name: str, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), folder / name)
    return folder / name


def test_columns_of_parquet_that_differ_in_case_only(tmp_path: Path) -> None:
    path = parquet(tmp_path, "p.parquet", y=["a", "b"], Y=["b", "b"], n=[{"u": {"v": 1}}, None], p=["a", "b"])
    assert counted(path) == (("a", "b"), [[1, 0], [0, 1]])
    assert counted(path, truth="Y") == (("a", "b"), [[0, 0], [1, 1]])


@pytest.mark.parametrize("line", ['{{"Y":0,"y":{0},"p":{1}}}', '{{"y":{0},"Y":0,"p":{1}}}'])
def test_names_of_json_that_differ_in_case_only(line: str, tmp_path: Path) -> None:
    rows = [(1, 1), (0, 0), (0, 1)]
    path = put(tmp_path, "p.jsonl", "".join(line.format(*row) + "\n" for row in rows))
    assert counted(path) == ((0, 1), [[1, 1], [0, 1]])
    assert counted(path, truth="Y", labels=[0, 1]) == ((0, 1), [[1, 2], [0, 0]])
    with pytest.raises(InputError, match="two columns that are wanted differ in case only; found 'Y', 'y'"):
        counted(path, pred="Y")


def test_a_table_of_100_000_columns_is_copied_down_to_what_is_wanted(tmp_path: Path) -> None:
    width = WIDE * 2
    rows = [
        ["y", *(f"c{i}" for i in range(width)), "p"],
        ["a", *("1" * width), "a"],
        ["b", *("1" * width), "a"],
    ]
    path = put(tmp_path, "wide.csv", "\n".join(map(",".join, rows)) + "\n")
    assert counted(path, labels=["a", "b"]) == (("a", "b"), [[1, 0], [1, 0]])
    assert list(tmp_path.iterdir()) == [path]
    put(tmp_path, "wide.csv", path.read_text() + "a,b\n")
    with pytest.raises(InputError, match=rf"found 2 values for {width + 2} columns in row 3 of"):
        counted(path)


DECIMAL = pa.array([decimal.Decimal("1.5"), decimal.Decimal("2")], pa.decimal256(50, 2))
REFUSED: dict[str, tuple[Callable[[Path], Path], dict[str, Any], str]] = {
    "byte order mark": (
        lambda f: put(f, "p.jsonl", b'\xef\xbb\xbf{"y":1,"p":1}\n{"y":0,"p":0}\n'),
        {},
        "the JSON lines begin with a byte order mark",
    ),
    "long first line": (
        lambda f: put(f, "p.jsonl", '{"y":1,"p":1,"x":"' + "z" * 2_000_000 + '"}\n'),
        {},
        "the first line of the file is too long; found more than 1,048,576 bytes",
    ),
    "long later line": (
        lambda f: put(f, "p.csv", "y,p,z\na,a," + "z" * 3_000_000 + "\nb,b,1\n"),
        {},
        "the file cannot be read; found a line of more than 2,000,000 bytes",
    ),
    "NaN in JSON": (
        lambda f: put(f, "p.jsonl", '{"y":0,"p":1}\n{"y":NaN,"p":1}\n{"y":1,"p":1}\n'),
        {},
        "labels are missing; found 1 of 3 rows without 'y' or 'p', the first in row 2",
    ),
    "truth values and numbers in JSON": (
        lambda f: put(f, "p.jsonl", '{"y":true,"p":1}\n{"y":1,"p":1}\n{"y":2,"p":2}\n'),
        {},
        "the column 'y' holds truth values and numbers",
    ),
    "truth values and numbers in files": (
        lambda f: (
            (
                parquet(f, "a1.parquet", y=[True, False], p=[True, False]),
                parquet(f, "a2.parquet", y=[1, 2], p=[1, 2]),
            )
            and f / "a?.parquet"
        ),
        {},
        "the files do not agree on what the column 'y' holds; found BIGINT, BOOLEAN",
    ),
    "long decimals": (
        lambda f: parquet(f, "p.parquet", y=DECIMAL, p=DECIMAL),
        {},
        "the column 'y' holds decimals that would be rounded",
    ),
    "a weight of 1_000": (
        lambda f: put(f, "p.csv", "y,p,w\na,a,1_000\nb,b,2\n"),
        {"weight": "w"},
        "the weights cannot be used; found 1 weights",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_changed_on_the_way_is_refused(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, options, sentence = REFUSED[case]
    path = make(tmp_path)
    with pytest.raises(InputError) as refused:
        counted(path, **options)
    assert sentence in str(refused.value)
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    assert main(["evaluate", str(path), "--truth", "y", "--pred", "p", *flags]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (str(2**53 + 1), "holds whole numbers that would be rounded; found 1 such as 9007199254740993"),
        ("1_000", "column 'q' must hold numbers; found 1 other values such as '1_000'"),
    ],
)
def test_scores_of_files_are_not_changed(value: str, sentence: str, tmp_path: Path) -> None:
    path = put(tmp_path, "p.csv", f"y,q\n1,{value}\n0,2\n1,3\n")
    with pytest.raises(InputError) as refused:
        read_score_counts(path, "q", "y", "1")
    assert sentence in str(refused.value)
    exact = put(tmp_path, "p.csv", f"y,q\n1,{2**53}\n0,{2**60}\n1,3\n")
    assert read_score_counts(exact, "q", "y", "1").totals.tolist() == [1, 2]


def test_scores_beside_a_relation_are_refused_in_one_sentence() -> None:
    duckdb = needs("duckdb")
    relation = duckdb.sql("SELECT * FROM (VALUES (1, .9), (0, .1)) AS t(y, q)")
    with pytest.raises(InputError, match="scores are read from columns in memory, frames and files"):
        sy.evaluate(relation, truth="y", score=[0.9, 0.1], threshold=0.5)
    assert sy.evaluate(relation, truth="y", score="q", threshold=0.5).matrix.counts.tolist() == [
        [1, 0],
        [0, 1],
    ]


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_a_pipe_is_refused_instead_of_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="this is a pipe or a device, not a file"):
        counted(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("truth,pred\na,a\nb,b,z\n", "found 3 columns in line 3, 2 in the header"),
        ("truth,pred\na,a\nb\n", "found 1 column in line 3, 2 in the header"),
        ("truth,pred\na,a\nb,b,1,2,3,4,5\n", "found 7 columns in line 3, 2 in the header of "),
        ('truth,pred\n"a\nb",a\nb,b,z,z\n', "found 4 columns in line 4, 2 in the header of "),
        ('truth,pred\na,a\n"b,b\n', "found a quote that does not end in line 3"),
    ],
)
def test_lines_that_do_not_fit_are_told_by_their_number(text: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(sy.InputError, match=found):
        sy.evaluate(tmp_path / "p.csv")
