"""`steelyard watch` as a user runs it: a file, a pipe, a file that grows, an interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = ["ham,ham"] * 60 + ["ham,spam"] * 10 + ["spam,spam"] * 25 + ["spam,ham"] * 5
COMMAND = [sys.executable, "-m", "steelyard", "watch"]


def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], input=text, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    path = tmp_path / "stream.csv"
    path.write_text("y_true,y_pred\n" + "\n".join(ROWS * 3) + "\n")
    return path


def test_a_line_for_every_block_and_one_for_the_rest(stream: Path) -> None:
    result = run(str(stream), "--every", "120")
    lines = result.stdout.splitlines()
    assert result.returncode == 0
    assert [line.split(":")[0] for line in lines] == ["rows 1 to 120", "rows 121 to 240", "rows 241 to 300"]
    assert "the reference" in lines[0]


def test_a_pipe_of_json_lines(tmp_path: Path) -> None:
    text = "".join(
        json.dumps({"label": row.split(",")[0], "pred": row.split(",")[1]}, ensure_ascii=False) + "\n"
        for row in ROWS * 2
    )
    result = run("--every", "100", "--json", text=text)
    looks = [json.loads(line) for line in result.stdout.splitlines()]
    assert [look["rows"] for look in looks] == [100, 100]
    assert looks[1]["alarms"] == []
    assert {entry["label"]: entry["share"] for entry in looks[1]["priors"]} == {"ham": 0.7, "spam": 0.3}


def test_a_reference_an_alarm_and_a_page(stream: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.csv"
    changed.write_text("y_true,y_pred\n" + "ham,spam\n" * 40 + "ham,ham\n" * 30 + "spam,spam\n" * 30)
    page = tmp_path / "watch.html"
    result = run(str(changed), "--every", "100", "--reference", str(stream), "--html", str(page))
    assert result.returncode == 0, result.stderr
    assert "ALARM, class rates changed: recall of ham 0.429" in result.stdout
    assert "before 0.857" in result.stdout
    (alarmed, *_) = [line for line in result.stdout.splitlines() if "ALARM" in line]
    assert ": ALARM, class rates changed" in alarmed[:60]  # what decides is seen on a narrow terminal
    assert "The classifier changed: class rates differ in" in result.stderr
    assert 'id="alarms"' in page.read_text()
    assert f"Written: {page}" in result.stderr


def test_a_growing_file_is_followed_until_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "growing.csv"
    path.write_text("y_true,y_pred\n" + "\n".join(ROWS) + "\n")
    process = subprocess.Popen(
        [*COMMAND, str(path), "--every", "100", "--follow"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "the reference" in process.stdout.readline()
        with path.open("a") as file:
            file.write("\n".join(ROWS) + "\nham,")
            file.flush()
            assert process.stdout.readline().startswith("rows 101 to 200")
            file.write("ham\nspam,spam\nspam,sp")  # the last line is not complete
        time.sleep(1)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert out.startswith("rows 201 to 202")


def test_an_interrupted_pipe_ends_cleanly() -> None:
    reader = subprocess.Popen(
        [*COMMAND, "--every", "50"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    try:
        reader.stdin.write("y_true,y_pred\n" + "\n".join(ROWS) + "\n" * 2000)
        reader.stdin.flush()
        assert reader.stdout.readline().startswith("rows 1 to 50")
        os.kill(reader.pid, signal.SIGINT)
        _, err = reader.communicate(timeout=30)
    finally:
        reader.kill()
    assert reader.returncode == 0, err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "there is nothing to watch"),
        ("y_true,y_pred\nham\n", "a row does not fit the header; found 1 values for 2 columns in row 1"),
        ("y_true,y_pred\nham,\n", "labels are missing; found none in row 1"),
        ('{"y_true": 1, "y_pred": 1}\n[1]\n', "a line is no JSON object; found '[1]' in line 2"),
        ("a,b\n1,1\n", "no column is named like a truth"),
    ],
)
def test_bad_streams_are_one_sentence(text: str, words: str) -> None:
    result = run("--every", "10", text=text)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_rows_without_a_label_can_be_left_out() -> None:
    result = run("--every", "10", "--missing", "drop", text="y_true,y_pred\nham,ham\nham,\nspam,spam\n")
    assert result.stdout.startswith("rows 1 to 2")
    assert "1 row was left out" in result.stderr


def test_a_file_of_one_block_says_that_nothing_was_judged(stream: Path) -> None:
    result = run(str(stream))
    assert result.stdout.startswith("rows 1 to 300: the reference so far")
    assert "there is nothing to hold against it yet" in result.stderr
    assert "--every" in result.stderr


def test_files_that_are_not_there_and_impossible_options(stream: Path) -> None:
    assert "there is no such file" in run("gone.csv").stderr
    assert "a block has at least one row" in run(str(stream), "--every", "0").stderr
    assert "a pipe is followed to its end anyway" in run("--follow", text="").stderr


def test_how_far_priors_moved_is_said_in_percentage_points(tmp_path: Path) -> None:
    rows = ["ok,ok"] * 997 + ["fraud,fraud"] * 3 + ["ok,ok"] * 987 + ["fraud,fraud"] * 13
    path = tmp_path / "stream.csv"
    path.write_text("y_true,y_pred\n" + "\n".join(rows) + "\n")
    assert "priors moved by 1.0 percentage points;" in run(str(path), "--every", "1000").stdout


def test_what_cannot_be_watched_is_named(stream: Path, tmp_path: Path) -> None:
    result = run("rows.parquet")
    assert result.returncode == 2
    assert "found Parquet in rows.parquet; allowed: CSV or JSON lines." in result.stderr
    other = tmp_path / "normal.csv"
    other.write_text("y_true,a\n" + "\n".join(ROWS) + "\n")
    result = run(str(stream), "--reference", str(other), "--pred", "y_pred")
    assert "there is no column 'y_pred' in normal.csv;" in result.stderr
    result = run(str(stream), "--reference", str(other), "--pred", "a")
    assert f"there is no column 'a' in {stream};" in result.stderr
