"""Are files counted as they are written, whatever they look like, and refused in one sentence where they cannot be?

Most tests write the same six rows, counted by hand:

    truth       a  a  a  b  b  01
    prediction  a  a  b  b  a  01
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import steelyard as sy
from steelyard.errors import InputError, UnknownNameError
from steelyard.reading.duckdb import open_files
from steelyard.reading.groups import ModelCounts

TRUTH = ["a", "a", "a", "b", "b", "01"]
PREDICTION = ["a", "a", "b", "b", "a", "01"]
LABELS = ("01", "a", "b")
COUNTS = [[1, 0, 0], [0, 2, 1], [0, 1, 1]]

Write = Callable[[str, "str | bytes"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def count(source: str | Path, **options: Any) -> ModelCounts:
    return sy.count(source, engine="duckdb", **options).counted()


def text(delimiter: str = ",", end: str = "\n", header: tuple[str, str] = ("y_true", "y_pred")) -> str:
    return end.join(delimiter.join(row) for row in [header, *zip(TRUTH, PREDICTION, strict=True)]) + end


def json_lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def counts(counted: ModelCounts) -> tuple[tuple[Any, ...], list[list[float]]]:
    return counted.matrix.labels, counted.matrix.counts.tolist()


# -- formats


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", text()),
        ("p.csv", text().rstrip("\n")),
        ("p.csv", text() + "\n\n"),
        ("p.csv", text(";")),
        ("p.csv", text("\t")),
        ("p.csv", text("|")),
        ("p.tsv", text("\t")),
        ("p.txt", text()),
        ("p.csv", text(end="\r\n")),
        ("p.csv", text(end="\r")),
        ("p.csv", b"\xef\xbb\xbf" + text(end="\r\n").encode()),
        ("p.csv", '"y_true","y_pred"\n' + "".join(f'"{t}","{p}"\n' for t, p in zip(TRUTH, PREDICTION, strict=True))),
        ("p.csv.gz", gzip.compress(text().encode(), mtime=0)),
        ("p.tsv.gz", gzip.compress(text("\t").encode(), mtime=0)),
        ("p.jsonl", json_lines(*({"y_true": t, "y_pred": p} for t, p in zip(TRUTH, PREDICTION, strict=True)))),
        ("p.ndjson", json_lines(*({"y_pred": p, "y_true": t} for t, p in zip(TRUTH, PREDICTION, strict=True)))),
        ("p.jsonl.gz", gzip.compress(json_lines(*({"y_true": t, "y_pred": p} for t, p in zip(TRUTH, PREDICTION, strict=True))).encode(), mtime=0)),
    ],
)  # fmt: skip
def test_every_text_format_gives_the_same_counts(write: Write, name: str, content: str | bytes) -> None:
    counted = count(write(name, content))
    assert counts(counted) == (LABELS, COUNTS)
    assert (counted.rows, counted.missing, counted.truth, counted.pred, counted.unused) == (
        6,
        0,
        "y_true",
        "y_pred",
        (),
    )


@pytest.mark.parametrize("name", ["p.parquet", "p.pq"])
def test_parquet_gives_the_same_counts(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"y_true": TRUTH, "y_pred": PREDICTION, "extra": range(6)}), tmp_path / name)
    counted = count(tmp_path / name)
    assert counts(counted) == (LABELS, COUNTS)
    assert counted.unused == ("extra",)


def test_dictionary_encoded_parquet_is_text(tmp_path: Path) -> None:
    table = pa.table(
        {"y_true": pa.array(TRUTH).dictionary_encode(), "y_pred": pa.array(PREDICTION).dictionary_encode()}
    )
    pq.write_table(table, tmp_path / "p.parquet")
    assert counts(count(tmp_path / "p.parquet")) == (LABELS, COUNTS)


def test_a_glob_adds_the_files_up(write: Write, tmp_path: Path) -> None:
    write("run1.csv", text())
    write("run2.csv", text(end="\r\n"))
    write("other.csv", "x,y\n1,2\n")
    counted = count(str(tmp_path / "run*.csv"))
    assert counts(counted) == (LABELS, (2 * np.array(COUNTS)).tolist())
    assert counted.rows == 12


def test_a_glob_of_parquet_files_takes_columns_by_name(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"y_true": ["a", "b"], "y_pred": ["a", "a"], "only here": [1, 2]}), tmp_path / "1.parquet"
    )
    pq.write_table(pa.table({"y_pred": ["b"], "y_true": ["a"]}), tmp_path / "2.parquet")
    counted = count(str(tmp_path / "*.parquet"))
    assert counts(counted) == (("a", "b"), [[1, 1], [1, 0]])
    assert counted.unused == ()


def test_a_file_whose_name_looks_like_a_pattern_is_that_file_alone(write: Write) -> None:
    write("run1.csv", "y_true,y_pred\nb,b\n")
    odd = write("run[1].csv", text())
    starred = write("run*.csv", text())
    assert counts(count(odd)) == (LABELS, COUNTS)
    assert counts(count(starred)) == (LABELS, COUNTS)


def test_names_with_quotes_and_blanks_are_found(write: Write) -> None:
    assert counts(count(write('it\'s a "file" of ours.csv', text()))) == (LABELS, COUNTS)


# -- labels as they are written


def test_text_fields_stay_text(write: Write) -> None:
    rows = ["1", "01", "1.0", "1e0", "true", "True", " 1", "1 "]
    counted = count(write("p.csv", "y_true,y_pred\n" + "".join(f"{r},{r}\n" for r in rows)))
    assert set(counted.matrix.labels) == set(rows)
    assert counted.matrix.counts.tolist() == np.eye(len(rows), dtype=int).tolist()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_classes_may_be_called_na_null_or_nan(tmp_path: Path, kind: str) -> None:
    names = ["NA", "N/A", "null", "NULL", "nan", "NaN", "None", "none", "-", "#N/A"]
    path = tmp_path / f"p.{kind}"
    if kind == "csv":
        path.write_text("y_true,y_pred\n" + "".join(f"{n},{n}\n" for n in names))
    elif kind == "jsonl":
        path.write_text(json_lines(*({"y_true": n, "y_pred": n} for n in names)))
    else:
        pq.write_table(pa.table({"y_true": names, "y_pred": names}), path)
    counted = count(path)
    assert set(counted.matrix.labels) == set(names)
    assert counted.missing == 0


def test_unicode_quotes_line_breaks_and_separators_within_labels(write: Write) -> None:
    names = ["naïve", "日本", "خطر", "a,b", 'say "no"', "two\nlines", "it's", "<b>", "e\u0301", "\u00e9"]
    lines = "".join(
        f'"{n.replace(chr(34), 2 * chr(34))}","{n.replace(chr(34), 2 * chr(34))}"\n' for n in names
    )
    counted = count(write("p.csv", "y_true,y_pred\n" + lines))
    assert set(counted.matrix.labels) == set(
        names
    )  # a letter with an accent and a letter followed by one stay two labels


def test_json_values_keep_their_type(write: Write) -> None:
    counted = count(
        write(
            "p.jsonl",
            json_lines(
                {"y_true": 1, "y_pred": "1"}, {"y_true": "1", "y_pred": 1}, {"y_true": 1, "y_pred": 1}
            ),
        )
    )
    assert {type(label) for label in counted.matrix.labels} == {int, str}
    assert counted.matrix.counts.tolist() == [[1, 1], [1, 0]]  # 1 before "1"
    booleans = count(
        write("b.jsonl", json_lines({"y_true": True, "y_pred": False}, {"y_true": True, "y_pred": True}))
    )
    assert counts(booleans) == ((False, True), [[0, 0], [1, 1]])
    floats = count(write("f.jsonl", json_lines({"y_true": 1.5, "y_pred": 2}, {"y_true": 2, "y_pred": 2.0})))
    assert counts(floats) == ((1.5, 2), [[0, 1], [0, 1]])


def test_one_json_string_written_in_two_ways_is_one_label(write: Write) -> None:
    assert counts(
        count(write("p.jsonl", '{"y_true":"\\u00e9","y_pred":"é"}\n{"y_true":"x","y_pred":"x"}\n'))
    ) == (
        ("x", "é"),
        [[1, 0], [0, 1]],
    )


def test_parquet_values_keep_their_type(tmp_path: Path) -> None:
    for values in ([3, 1, 3], [True, False, True], [0.5, 2.0, 0.5], ["x", "y", "x"]):
        pq.write_table(pa.table({"y_true": values, "y_pred": values}), tmp_path / "p.parquet")
        matrix = count(tmp_path / "p.parquet").matrix
        assert matrix.labels == tuple(sorted(set(values)))
        assert all(type(label) is type(values[0]) for label in matrix.labels)


def test_labels_typed_as_text_mean_the_numbers_of_the_file(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y_true": [1, 0, 1], "y_pred": [1, 1, 1]}), tmp_path / "p.parquet")
    assert counts(count(tmp_path / "p.parquet", labels=["1", "0", "2"])) == (
        (1, 0, "2"),
        [[2, 0, 0], [1, 0, 0], [0, 0, 0]],
    )


def test_lists_are_no_labels(tmp_path: Path) -> None:
    pq.write_table(pa.table({"y_true": [[1], [2]], "y_pred": [[1], [1]]}), tmp_path / "p.parquet")
    with pytest.raises(InputError, match="'y_true' holds values that cannot be labels"):
        count(tmp_path / "p.parquet")


# -- column names


def test_column_names_with_quotes_and_blanks(write: Write) -> None:
    path = write("p.csv", '"the ""true"" one",it\'s  predicted\na,a\nb,a\n')
    assert counts(count(path, truth='the "true" one', pred="it's  predicted")) == (
        ("a", "b"),
        [[1, 0], [1, 0]],
    )
    lines = write(
        "p.jsonl", json_lines({'the "true" one': "a", "it's": "a"}, {'the "true" one': "b", "it's": "a"})
    )
    assert counts(count(lines, truth='the "true" one', pred="it's")) == (("a", "b"), [[1, 0], [1, 0]])


def test_columns_that_differ_in_capitals_only_are_two(write: Write) -> None:
    path = write("p.csv", "Y,y,other\na,b,a\nb,b,b\n")
    assert counts(count(path, truth="Y", pred="y")) == (("a", "b"), [[0, 1], [0, 1]])
    assert counts(count(path, truth="y", pred="Y")) == (("a", "b"), [[0, 0], [1, 1]])


def test_the_column_without_a_name_that_pandas_writes_does_no_harm(write: Write) -> None:
    counted = count(write("p.csv", ",y_true,y_pred\n0,a,b\n1,b,b\n"))
    assert counts(counted) == (("a", "b"), [[0, 1], [0, 1]])
    assert counts(count(write("q.csv", "y_true,y_pred,,\na,b,,\nb,b,,\n"))) == (("a", "b"), [[0, 1], [0, 1]])


def test_separators_within_quoted_names_do_not_count(write: Write) -> None:
    assert counts(count(write("p.csv", '"a;b;c;d",y_true,y_pred\n1,a,a\n2,b,a\n'))) == (
        ("a", "b"),
        [[1, 0], [1, 0]],
    )


def test_a_column_named_twice_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="a column is named twice; found 'y_true'"):
        count(write("p.csv", "y_true,y_true,y_pred\na,b,a\n"))
    with pytest.raises(InputError, match="different column names; if the file has no header line, add one"):
        count(write("p.csv", "ok,ok\nfraud,ok\n"))


def test_files_whose_headers_differ_are_refused(write: Write, tmp_path: Path) -> None:
    write("1.csv", "y_true,y_pred\na,a\n")
    write("2.csv", "y_pred,y_true\na,b\n")  # read by place, this would turn the matrix over without a word
    with pytest.raises(InputError, match=r"the files differ in their columns; found .*1\.csv and .*2\.csv"):
        open_files(str(tmp_path / "*.csv"))


def test_files_of_different_formats_are_refused(write: Write, tmp_path: Path) -> None:
    write("p.csv", text())
    write("p.jsonl", json_lines({"y_true": "a", "y_pred": "a"}))
    with pytest.raises(InputError, match="different formats; found csv, json"):
        open_files(str(tmp_path / "p.*"))


def test_a_pattern_that_matches_nothing_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file matches"):
        open_files(str(tmp_path / "*.csv"))


# -- weights


def test_weights_are_added_up(write: Write) -> None:
    counted = count(write("p.csv", "y_true,y_pred,w\na,a,0.5\na,a,2\nb,a,1e1\nb,b,0\n"), weight="w")
    assert counts(counted) == (("a", "b"), [[2.5, 0.0], [10.0, 0.0]])
    assert counted.rows == 4
    lines = write(
        "p.jsonl",
        json_lines({"y_true": "a", "y_pred": "a", "w": 2}, {"y_true": "b", "y_pred": "a", "w": 0.5}),
    )
    assert counts(count(lines, weight="w")) == (("a", "b"), [[2.0, 0.0], [0.5, 0.0]])


@pytest.mark.parametrize("bad", ["-1", "nan", "inf", "", "heavy", "1,5"])
def test_bad_weights_are_counted_and_refused(write: Write, bad: str) -> None:
    with pytest.raises(
        InputError, match=r"the weights cannot be used; found 2 weights .*allowed: finite numbers >= 0"
    ):
        count(write("p.csv", f'y_true,y_pred,w\na,a,1\na,b,"{bad}"\nb,b,"{bad}"\n'), weight="w")


def test_weights_that_are_all_zero_are_refused(write: Write) -> None:
    with pytest.raises(InputError, match="every weight is 0"):
        count(write("p.csv", "y_true,y_pred,w\na,a,0\nb,a,0\n"), weight="w")


def test_a_bad_weight_in_a_row_that_is_left_out_does_no_harm(write: Write) -> None:
    counted = count(write("p.csv", "y_true,y_pred,w\na,a,1\n,b,-7\nb,b,2\n"), weight="w", missing="drop")
    assert counts(counted) == (("a", "b"), [[1.0, 0.0], [0.0, 2.0]])


# -- missing labels


def test_missing_labels_are_counted_and_the_first_row_is_named(write: Write) -> None:
    path = write("p.csv", "y_true,y_pred\na,a\nb,b\n,a\na,\n,\n")
    with pytest.raises(
        InputError,
        match=r"labels are missing; found 3 of 5 rows without 'y_true' or 'y_pred', the first in row 3",
    ):
        count(path)
    counted = count(path, missing="drop")
    assert counts(counted) == (("a", "b"), [[1, 0], [0, 1]])
    assert (counted.rows, counted.missing) == (5, 3)


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_class_called_nan_or_null_is_not_taken_for_the_first_missing_row(tmp_path: Path, kind: str) -> None:
    truth, prediction = ["nan", "null", None], ["nan", "nan", "nan"]
    path = tmp_path / f"p.{kind}"
    if kind == "jsonl":
        path.write_text(
            json_lines(*({"y_true": t, "y_pred": p} for t, p in zip(truth, prediction, strict=True)))
        )
    else:
        pq.write_table(pa.table({"y_true": truth, "y_pred": prediction}), path)
    with pytest.raises(InputError, match=r"found 1 of 3 rows .* the first in row 3"):
        count(path)


def test_nan_among_numbers_and_a_key_that_is_not_there_are_missing(write: Write, tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"y_true": [1.0, float("nan"), 2.0], "y_pred": [1.0, 1.0, 2.0]}), tmp_path / "p.parquet"
    )
    with pytest.raises(InputError, match=r"found 1 of 3 rows .* the first in row 2"):
        count(tmp_path / "p.parquet")
    lines = write(
        "p.jsonl",
        json_lines({"y_true": "a", "y_pred": "a"}, {"y_true": "b"}, {"y_true": None, "y_pred": "a"}),
    )
    counted = count(lines, missing="drop")
    assert (counted.rows, counted.missing, counted.matrix.labels) == (3, 2, ("a",))


def test_nothing_but_missing_labels_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="every row lacks a label; found 2 rows"):
        count(write("p.csv", "y_true,y_pred\n,a\nb,\n"), missing="drop")


# -- slices


def test_slices_add_up_to_the_whole(write: Write) -> None:
    rows = "a,a,de,1\na,b,de,2\nb,b,fr,1\nb,a,,1\na,a,fr,2\n"
    path = write("p.csv", "y_true,y_pred,country,year\n" + rows)
    counted = count(path, slices=["country"])
    assert {name: part.counts.tolist() for name, part in counted.slices.items()} == {
        ("de",): [[1, 1], [0, 0]],
        ("fr",): [[1, 0], [0, 1]],
        ("(missing)",): [[0, 0], [1, 0]],
    }
    both = count(path, slices=["country", "year"])
    assert set(both.slices) == {("de", "1"), ("de", "2"), ("fr", "1"), ("fr", "2"), ("(missing)", "1")}
    assert (
        sum(part.counts for part in both.slices.values()).tolist()
        == counted.matrix.counts.tolist()
        == [[2, 1], [1, 1]]
    )
    assert all(part.labels == counted.matrix.labels for part in both.slices.values())


def test_a_slice_column_that_is_not_there_is_answered_with_the_nearest(write: Write) -> None:
    with pytest.raises(
        UnknownNameError, match=r"there is no column 'contry'; allowed: .*; did you mean 'country'"
    ):
        count(write("p.csv", "y_true,y_pred,country\na,a,de\n"), slices=["contry"])


# -- files that cannot be read


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.csv", b"", "the file is empty"),
        ("p.csv", b"y_true,y_pred\n", "there are no rows to count"),
        ("p.csv", b"\ny_true,y_pred\na,a\n", "begins with an empty line"),
        ("p.csv", b"PK\x03\x04\x00\x00\x08binary\x00", "holds binary data"),
        ("p.csv", "y_true,y_pred\na,a\n".encode("utf-16"), "holds binary data"),
        ("p.csv", b"y_tr\xfce,y_pred\na,a\n", "the file is not UTF-8; found byte 0xfc at position 4"),
        ("p.csv", b"y_true,y_pred\na,a\nb\xff,a\n", "bytes that are not UTF-8 in line 3"),
        (
            "p.csv",
            b"y_true,y_pred\na,a\na,a,a\n",
            "3 columns in line 3, 2 in the header",
        ),
        ("p.csv", b"y_true,y_pred\na,a\na\n", "1 column in line 3, 2 in the header"),
        ("p.csv", b'y_true,"y_pred\na,a\n', "the header cannot be read"),
        ("p.csv.gz", b"y_true,y_pred\na,a\n", "cannot be unpacked"),
        (
            "p.csv.gz",
            gzip.compress(b"y_true,y_pred\n" + b"a,b\n" * 1000, mtime=0)[:12] + b"\xff" * 50,
            "cannot be unpacked",
        ),
        ("p.csv.gz", gzip.compress(b"y_true,y_pred\n" + b"a,b\n" * 1000, mtime=0)[:-9], "cannot be unpacked"),
        ("p.jsonl", b'[{"y_true": "a"}]', "not JSON lines of objects"),
        ("p.jsonl", b"y_true,y_pred\n", "not JSON lines"),
        (
            "p.jsonl",
            b'{"y_true": "a", "y_pred": "a"}\n{"y_true": oops\n',
            "in line 2 of .*which is no JSON object",
        ),
        ("p.parquet", b"hello", "the file cannot be read"),
        ("p.parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "the file cannot be read"),
        ("p.xlsx", b"PK", "the format of the file is not known"),
        ("p", b"y_true,y_pred\n", "the format of the file is not known"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(
    write: Write, name: str, content: bytes, sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        count(write(name, content))
    assert "\n" not in str(caught.value)
    assert "SELECT" not in str(caught.value)


def test_a_missing_file_is_answered_with_what_is_there(write: Write, tmp_path: Path) -> None:
    write("predictions.csv", text())
    with pytest.raises(
        InputError, match=r"there is no such file: .*; in that folder there are predictions\.csv"
    ):
        open_files(tmp_path / "prediction.csv")
    with pytest.raises(InputError, match="there is no such file"):
        open_files(tmp_path / "nowhere" / "p.csv")
    with pytest.raises(InputError, match="this is a folder"):
        open_files(tmp_path)


def test_scores_taken_for_labels_are_found_out(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).random(20_000)
    pq.write_table(pa.table({"y_true": scores, "y_pred": scores}), tmp_path / "p.parquet")
    with pytest.raises(
        InputError,
        match=r"'y_true' does not look like labels; found 20,000 different values in 20,000 rows.*scores or ids",
    ):
        count(tmp_path / "p.parquet")


def test_labels_without_anything_in_common_are_refused(write: Write) -> None:
    with pytest.raises(
        InputError,
        match=r"no label in common; found 'cat', 'dog', \.\.\. in 'y_true' and '0', '1', \.\.\. in 'y_pred'",
    ):
        count(write("p.csv", "y_true,y_pred\ncat,0\ndog,1\n"))


# -- progress


def test_progress_goes_from_nothing_to_all(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y_true,y_pred\n" + "a,b\nb,b\n" * 50_000)
    seen: list[float] = []
    counted = count(path, progress=seen.append)
    assert counted.rows == 100_000
    assert all(0 <= part <= 1 for part in seen)
