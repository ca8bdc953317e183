"""Text files that DuckDB reads wrongly, or only in part, are read by Python, or refused with the true reason."""

import csv
import gzip
import random

import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import InputError


@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
def test_a_last_line_longer_than_the_buffer_is_not_lost(tmp_path, suffix):
    path = tmp_path / f"long.{suffix}"
    text = "y,p,t\n" + "1,1,a\n0,0,a\n" * 5 + "1,0," + "x" * 33_000_000 + "\n"
    path.write_bytes(gzip.compress(text.encode(), 1) if suffix.endswith("gz") else text.encode())
    with pytest.raises(InputError, match="a last line of more than 32,000,000 bytes"):
        sy.count(path, truth="y", pred="p")


def test_line_breaks_in_quotes_that_look_like_rows_are_read(tmp_path):
    path = tmp_path / "quoted.csv"
    draw = random.Random(1)
    pieces = ['"\n', "1,0,a,b\n", '"']
    texts = ["".join(draw.choices(pieces, k=k)) for k in (3, 300, 30_000) for _ in range(8)]
    expected = np.zeros((2, 2), dtype=int)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["y", "p", "t", "u"])
        while file.tell() < 40_000_000:
            y, p = draw.randint(0, 1), draw.randint(0, 1)
            writer.writerow([y, p, draw.choice(texts), "z"])
            expected[y, p] += 1
    assert sy.count(path, truth="y", pred="p").confusion().counts.tolist() == expected.tolist()


def test_mixed_line_ends_are_mended_wherever_they_begin(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_bytes(b"y,p\n" + b"1,1\n0,1\n" * 400_000 + b"0,0\r\n1,1\r\n" * 3)
    matrix = sy.count(path, truth="y", pred="p").confusion()
    assert matrix.counts.tolist() == [[3, 400_000], [0, 400_003]]


def test_a_quote_that_does_not_end_is_refused_in_large_files_too(tmp_path):
    path = tmp_path / "open.csv"
    path.write_text("y,p\n" + "1,1\n0,1\n" * 1_100_000 + '1,"0\n')
    with pytest.raises(InputError, match=r"quote|unexpected end of data"):
        sy.count(path, truth="y", pred="p")


def test_integers_and_floats_of_several_files_are_not_rounded_into_one_class(tmp_path):
    large = 2**53
    pd.DataFrame({"y": [large, large + 1], "p": [large, large + 1]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"y": [1.0, 2.0], "p": [1.0, 1.0]}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="files do not agree on what the column 'y' holds"):
        sy.count(str(tmp_path / "*.parquet"), truth="y", pred="p")
    pd.DataFrame({"y": [1, 2], "p": [1, 2]}).to_parquet(tmp_path / "a.parquet")  # small ones are told apart
    matrix = sy.count(str(tmp_path / "*.parquet"), truth="y", pred="p").confusion()
    assert matrix.counts.tolist() == [[2, 0], [1, 1]]


def test_times_with_and_without_a_zone_are_refused_in_a_sentence(tmp_path):
    times = pd.to_datetime(["2026-01-01", "2026-01-02"])
    pd.DataFrame({"y": times, "p": times}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame({"y": times.tz_localize("UTC"), "p": times}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="files do not agree on what the column 'y' holds") as refused:
        sy.count(str(tmp_path / "*.parquet"), truth="y", pred="p")
    assert "pytz" not in str(refused.value)


def test_dates_beyond_the_years_of_python_are_text():
    dates = np.array(["20200-01-01", "2020-01-01"], dtype="datetime64[us]")
    labels = sy.Confusion.from_labels(dates, dates).labels
    assert set(labels) == {"20200-01-01T00:00:00.000000", "2020-01-01T00:00:00.000000"}


def test_a_label_that_is_no_number_is_refused_with_its_row(tmp_path):
    pd.DataFrame({"y": [1.0, np.nan, 0.0], "p": [1.0, 1.0, 0.0]}).to_parquet(tmp_path / "n.parquet")
    with pytest.raises(InputError, match="the first in row 2"):
        sy.count(tmp_path / "n.parquet", truth="y", pred="p")
