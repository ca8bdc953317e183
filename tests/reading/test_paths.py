"""A path says which file is read, and nothing about its rows."""

import json
import shutil

import duckdb
import numpy as np
import pandas as pd
import pytest

import steelyard as sy
from steelyard.errors import InputError
from steelyard.reading.duckdb import connection

ROWS = pd.DataFrame(
    {"y": [1, 0, 1, 1, 0], "p": [1, 0, 0, 1, 1], "w": [1, 2, 3, 4, 5], "s": [0.9, 0.1, 0.4, 0.8, 0.7]}
)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("folder", ["p=1", "y=0", "w=7", "s=0.5", "p=rf"])
def test_a_folder_called_column_equals_value_changes_nothing(tmp_path, folder, suffix):
    plain, odd = tmp_path / f"f.{suffix}", tmp_path / folder / f"f.{suffix}"
    if suffix == "parquet":
        ROWS.to_parquet(plain)
    elif suffix == "jsonl":
        ROWS.to_json(plain, orient="records", lines=True)
    else:
        ROWS.to_csv(plain, index=False)
    odd.parent.mkdir()
    shutil.copy(plain, odd)
    counts = [sy.count(path, truth="y", pred="p", weight="w", slices="s") for path in (plain, odd)]
    assert counts[0].confusion() == counts[1].confusion()
    # weights by hand: rows 1 and 4 (1 + 4) are 1 predicted 1, row 3 a miss (3), row 2 right (2), row 5 wrong (5)
    assert counts[1].confusion().counts.tolist() == [[2, 5], [3, 5]]
    assert counts[0].parts() == counts[1].parts()
    options = {"truth": "y", "score": "s", "threshold": 0.5, "interval": None}
    scores = [sy.evaluate(path, **options).matrix.counts for path in (plain, odd)]
    assert np.array_equal(*scores)


def test_a_path_that_begins_like_an_address_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "http:" / "host"
    place.mkdir(parents=True)
    ROWS.to_parquet(place / "x.parquet")
    assert sy.count("http://host/x.parquet", truth="y", pred="p").confusion().total == 5


def test_duckdb_neither_installs_nor_loads_extensions():
    with connection() as database:
        settings = database.execute(
            "SELECT current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        ).fetchall()
    assert settings == [(False, False)]
    assert duckdb.execute("SELECT current_setting('autoload_known_extensions')").fetchall() == [(True,)]


@pytest.mark.parametrize("name", ["x.tsv.gz", "x.tsv.GZ", "x.TSV"])
def test_the_tab_rule_does_not_depend_on_case(tmp_path, name):
    import gzip

    text = "y\ta,b,c,d\n1\t1\n0\t0\n0\t1\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.lower().endswith("gz") else text.encode())
    assert sy.count(path, truth="y", pred="a,b,c,d").rows == 3


def test_a_stream_is_unpacked_whatever_the_case_of_its_name(tmp_path):
    import gzip

    from steelyard.reading.stream import Blocks

    path = tmp_path / "x.csv.GZ"
    path.write_bytes(gzip.compress(b"y,p\n1,1\n0,1\n"))
    blocks = Blocks(str(path), 2, truth="y", pred="p")
    assert [len(block) for block in blocks] == [2]


def test_json_with_a_key_twice_says_so(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"y": 1, "p": 1}) + '\n{"y": 1, "p": 0, "p": 1}\n')
    with pytest.raises(InputError, match=r"'p' twice in line 2"):
        sy.count(path, truth="y", pred="p")
