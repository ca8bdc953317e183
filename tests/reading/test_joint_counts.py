"""Joint counts from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from steelyard.counts.joint import JointCounts
from steelyard.errors import InputError
from tests.reading.sources import read_joint

ROWS = pd.DataFrame(
    {
        "id": range(8),
        "y": list("aaaabbcc"),
        "rf": list("aaabbbca"),
        "svm": list("aababbcc"),
        "fold": [0, 1, 0, 1, 0, 1, 0, 1],
    }
)


def same(left: JointCounts, right: JointCounts) -> bool:
    return left.labels == right.labels and all(
        np.array_equal(getattr(left, name), getattr(right, name))
        for name in ("truth", "predictions", "counts")
    )


EXPECTED = JointCounts.from_columns(ROWS.y, {"rf": ROWS.rf, "svm": ROWS.svm})


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".csv.gz", ".tsv"])
def test_one_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"it's all{suffix}"
    if suffix == ".parquet":
        ROWS.to_parquet(path)
    else:
        ROWS.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    found = read_joint([path], "y", ["rf", "svm"])
    assert same(found, EXPECTED)
    assert found.models == ("rf", "svm")
    folded = read_joint([path], "y", ["rf", "svm"], fold="fold")
    assert np.array_equal(
        folded.by_fold(),
        JointCounts.from_columns(ROWS.y, {"rf": ROWS.rf, "svm": ROWS.svm}, folds=ROWS.fold).by_fold(),
    )


def files(folder: Path, second: pd.DataFrame) -> list[Path]:
    ROWS.rename(columns={"rf": "yhat"})[["id", "y", "yhat"]].to_csv(folder / "rf.csv", index=False)
    second.rename(columns={"svm": "yhat"})[["y", "yhat", "id"]].to_csv(folder / "svm.csv", index=False)
    return [folder / "rf.csv", folder / "svm.csv"]


def test_files_are_matched_by_key_whatever_their_order(tmp_path: Path) -> None:
    found = read_joint(files(tmp_path, ROWS.iloc[::-1]), "y", ["yhat"], key="id")
    assert same(found, EXPECTED)
    assert found.models == ("rf", "svm")


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (ROWS.iloc[:-2], "2 keys of rf.csv that svm.csv lacks, such as 6"),
        (pd.concat([ROWS, ROWS.assign(id=ROWS.id + 8)]), "8 keys of svm.csv that rf.csv lacks, such as 10"),
        (pd.concat([ROWS, ROWS.iloc[:1]]), "a key occurs more than once in svm.csv; found id = 0 in 2 rows"),
        (ROWS.assign(y=list("aaaabbcb")), "do not agree about the truth; found 1 examples"),
        (
            ROWS.assign(id=pd.array([None, *range(1, 8)], dtype="Int64")),
            "the key is missing in svm.csv; found 1 row without id",
        ),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, second: pd.DataFrame, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_joint(files(tmp_path, second), "y", ["yhat"], key="id")


def test_refusals(tmp_path: Path) -> None:
    paths = files(tmp_path, ROWS)
    whole, sheet = tmp_path / "all.csv", tmp_path / "all.xlsx"
    sheet.write_bytes(b"PK")
    ROWS.assign(hole=["a", None, *"aabbcc"]).to_csv(whole, index=False)
    for given, told in (
        ((paths, "y", ["yhat"], None), "no key; .*say key="),
        ((paths, "y", ["a", "b", "c"], "id"), "3 columns for 2 files"),
        (([whole], "y", ["rf"], None), "a comparison needs models; found 1 prediction column"),
        (([whole], "y", ["rf", "rf"], None), "named twice"),
        (([whole], "y", ["rf", "svn"], None), "no column 'svn'; allowed: .*; did you mean 'svm'"),
        (([whole], "truth", ["rf", "svm"], None), "no column 'truth'"),
        (([whole], "y", ["rf", "hole"], None), "hole has missing values; found none in 1 of 8 rows"),
        (([tmp_path / "none.csv"], "y", ["rf", "svm"], None), "there is no such file"),
        (([sheet], "y", ["rf", "svm"], None), "the format of the file is not known"),
        (([], "y", ["rf", "svm"], None), "no file to read"),
        (([paths[0], paths[0]], "y", ["yhat"], "id"), "the same model"),
    ):
        files_, truth, columns, key = given
        with pytest.raises(InputError, match=told):
            read_joint(files_, truth, columns, key=key)


def test_a_file_that_is_not_what_it_says(tmp_path: Path) -> None:
    bad = tmp_path / "bad.parquet"
    bad.write_text("this is no parquet", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_joint([bad], "y", ["a", "b"])
