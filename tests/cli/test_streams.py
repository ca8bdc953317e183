"""Does a command keep to one sentence where its input or output is not what it hoped for?"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import commands

CSV = "y_true,y_pred\n" + "große Ähre Ω,große Ähre Ω\nkurz,kurz\nkurz,große Ähre Ω\n" * 3


def steelyard(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments], stderr=subprocess.PIPE, check=False, **options
    )


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    (tmp_path / "p.csv").write_text(CSV, encoding="utf-8")
    return str(tmp_path / "p.csv")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_characters_that_the_output_lacks_are_replaced(encoding: str, predictions: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = steelyard("evaluate", predictions, stdout=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "?" in done.stdout.decode(encoding)
    done = steelyard("evaluate", predictions, "--json", stdout=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "große Ähre Ω" in json.loads(done.stdout.decode(encoding))["matrix"]["labels"]
    watched = steelyard(
        "watch", predictions, "--json", "--every", "3", stdout=subprocess.PIPE, env=environment
    )
    assert (watched.returncode, watched.stderr) == (0, b"")
    labels = [
        entry["label"] for entry in json.loads(watched.stdout.decode(encoding).splitlines()[0])["priors"]
    ]
    assert "große Ähre Ω" in labels


@pytest.mark.parametrize("arguments", [["measures"], ["metrics", "[[5,1],[2,9]]", "--json"]])
def test_a_full_output_is_one_sentence(arguments: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = steelyard(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"steelyard: the output cannot be written; found No space left on device.\n"


BAD_STREAMS = {
    "bytes that are not UTF-8": (
        "w.csv",
        b"y_true,y_pred\na,a\nb,\xff\n",
        "the rows are not UTF-8; found byte 0xff in",
    ),
    "a header that is not UTF-8": (
        "w.csv",
        b"y_true,\xe9\na,a\n",
        "the rows are not UTF-8; found byte 0xe9 in",
    ),
    "half a gzip file": ("w.csv.gz", gzip.compress(CSV.encode() * 50)[:-20], "the rows cannot be read"),
    "a field without end": (
        "w.csv",
        b'y_true,y_pred\na,"' + b"b" * 200_000 + b"\n",
        "the rows cannot be read",
    ),
}


@pytest.mark.parametrize("case", BAD_STREAMS)
def test_a_stream_that_cannot_be_read_is_one_sentence(case: str, tmp_path: Path) -> None:
    name, content, sentence = BAD_STREAMS[case]
    (tmp_path / name).write_bytes(content)
    done = commands.steelyard("watch", tmp_path / name)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    if name == "w.csv":
        piped = commands.steelyard("watch", "-", text=content)
        assert piped.returncode == 2
        assert sentence in piped.stderr
