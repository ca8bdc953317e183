"""`steelyard watch` as a user runs it: a file, a pipe, a file that grows, an interrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas
import pytest

import steelyard as sy
from steelyard.cli import main
from tests.commands import steelyard

ROWS = ["ham,ham"] * 60 + ["ham,spam"] * 10 + ["spam,spam"] * 25 + ["spam,ham"] * 5
COMMAND = [sys.executable, "-m", "steelyard", "watch"]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return steelyard("watch", *arguments, text=text)


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    path = tmp_path / "stream.csv"
    path.write_text("y_true,y_pred\n" + "\n".join(ROWS * 3) + "\n")
    return path


def test_a_line_for_every_block_and_one_for_the_rest(stream: Path) -> None:
    result = run(str(stream), "--every", "120")
    lines = result.stdout.splitlines()[3:6]
    assert result.returncode == 0
    assert [line.split("  ")[0] for line in lines] == ["rows 1 to 120", "rows 121 to 240", "rows 241 to 300"]
    assert lines[0].endswith("reference")
    watched = sy.watch(str(stream), every=120)
    assert result.stdout == repr(watched) + "\n"


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


@pytest.mark.parametrize(("truth", "pred", "column"), [("ham", ["ham"], "pred"), ({"a": 1}, "ham", "label")])
def test_json_lines_of_lists_and_objects_are_refused(truth: Any, pred: Any, column: str) -> None:
    text = '{"label": "ham", "pred": "ham"}\n' + json.dumps({"label": truth, "pred": pred}) + "\n"
    result = run("--every", "100", text=text)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert (
        f"the column {column!r} holds values that cannot be labels; found a list or an object in row 2"
        in (result.stderr)
    )


def test_a_reference_an_alarm_and_a_page(stream: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.csv"
    changed.write_text("y_true,y_pred\n" + "ham,spam\n" * 40 + "ham,ham\n" * 30 + "spam,spam\n" * 30)
    page = tmp_path / "watch.html"
    exact = ("--every", "100", "--reference", str(stream), "--independent")
    result = run(str(changed), *exact, "--html", str(page))
    assert result.returncode == 1, result.stderr
    assert 'changed: since about row 1 recall of "ham" is 0.429 (70 examples), before 0.857' in result.stdout
    assert any(
        line.startswith("rows 1 to 100") and line.endswith("ALARM") for line in result.stdout.splitlines()
    )
    assert "Performance changed: class rates differ" in result.stdout
    assert "Next: " in result.stdout
    assert run(str(changed), *exact, "--exit-zero").returncode == 0
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
        lines = [process.stdout.readline() for _ in range(4)]
        assert lines[3].startswith("rows 1 to 100 ")
        assert lines[3].endswith("reference\n")
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
        [*COMMAND, "--every", "50", "--exit-zero"],
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
        assert [reader.stdout.readline() for _ in range(4)][3].startswith("rows 1 to 50")
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
    assert "rows 1 to 2 " in result.stdout
    assert "1 row was left out" in result.stdout


def test_a_file_of_one_block_says_that_nothing_was_judged(stream: Path) -> None:
    result = run(str(stream))
    assert "rows 1 to 300 " in result.stdout
    assert "Only the reference was read" in result.stdout
    assert "choose smaller ones, such as --every 30" in result.stdout


def test_files_that_are_not_there_and_impossible_options(stream: Path) -> None:
    assert "there is no such file" in run("gone.csv").stderr
    assert "a block has at least one row" in run(str(stream), "--every", "0").stderr
    assert "a pipe is followed to its end anyway" in run("--follow", text="").stderr


def test_a_change_of_prevalence_is_said_and_is_an_alarm_when_asked_for(tmp_path: Path) -> None:
    rows = ["ok,ok"] * 997 + ["fraud,fraud"] * 3 + ["ok,ok"] * 957 + ["fraud,fraud"] * 43
    path = tmp_path / "stream.csv"
    path.write_text("y_true,y_pred\n" + "\n".join(rows) + "\n")
    result = run(str(path), "--every", "1000", "--independent")
    assert result.returncode == 0
    assert 'prevalence of "fraud" is 4.3%, before 0.3%' in result.stdout
    result = run(str(path), "--every", "1000", "--independent", "--alarm", "priors")
    assert result.returncode == 1
    assert "ALARM" in result.stdout
    assert run(str(path), "--every", "1000", "--independent", "--alarm", "both").returncode == 1


DATED = [
    f"2026-11-{day:02d}T{hour:02d}:00,{row}" for day in (2, 3, 9) for hour in (8, 20) for row in ROWS[::4]
]


@pytest.mark.parametrize(
    ("every", "blocks"),
    [
        ("day", ["2026-11-02", "2026-11-03", "2026-11-09"]),
        ("week", ["2026-11-02", "2026-11-09"]),
        ("month", ["2026-11"]),
        ("100", ["2026-11-02 08:00 to 2026-11-03 20:00", "2026-11-09 08:00 to 2026-11-09 20:00"]),
    ],
)
def test_blocks_by_time(tmp_path: Path, every: str, blocks: list[str]) -> None:
    path = tmp_path / "dated.csv"
    path.write_text("when,y_true,y_pred\n" + "\n".join(DATED) + "\n")
    result = run(str(path), "--every", every, "--time", "when", "--html", str(tmp_path / "p.html"))
    assert [line.split("  ")[0] for line in result.stdout.splitlines()[3 : 3 + len(blocks)]] == blocks
    assert blocks[0][:10] in (tmp_path / "p.html").read_text()
    frame = pandas.read_csv(path, parse_dates=["when"])
    other = sy.watch(frame, every=every, time="when")
    assert [block.rows for block in other.blocks] == [
        block.rows for block in sy.watch(path, every=every, time="when").blocks
    ]


def test_times_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "dated.csv"
    path.write_text("day,y_true,y_pred\n" + "\n".join(DATED[::-1]) + "\n")
    assert "the rows are not in order of time" in run(str(path), "--every", "day").stderr
    path.write_text("day,y_true,y_pred\n01,ham,ham\n02,ham,spam\n")
    assert "column 'day' does not hold times; found '01'" in run(str(path), "--every", "day").stderr
    assert "a block is a number of rows or a period" in run(str(path), "--every", "fortnight").stderr
    path.write_text("y_true,y_pred\nham,ham\n")
    assert "no column is named like a time" in run(str(path), "--every", "day").stderr


def test_what_cannot_be_watched_is_named(stream: Path, tmp_path: Path) -> None:
    result = run("rows.parquet")
    assert result.returncode == 2
    assert "found Parquet in rows.parquet; allowed: CSV or JSON lines." in result.stderr
    other = tmp_path / "normal.csv"
    other.write_text("y_true,a\n" + "\n".join(ROWS) + "\n")
    result = run(str(stream), "--reference", str(other), "--pred", "y_pred")
    assert f"there is no column 'y_pred' in {other};" in result.stderr
    result = run(str(stream), "--reference", str(other), "--pred", "a")
    assert f"there is no column 'a' in {stream};" in result.stderr


def test_a_page_of_blocks_without_a_positive_is_written(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,p\n" + "ok,ok\n" * 40, encoding="utf-8")
    page = tmp_path / "page.html"
    command = ["watch", str(rows), "--truth", "y", "--pred", "p", "--every", "10", "--positive", "fraud"]
    assert main([*command, "--html", str(page)]) == 0
    assert "</html>" in page.read_text(encoding="utf-8")
    rows.write_text("y,p\n" + "ok,ok\n" * 30 + "fraud,ok\n" * 10, encoding="utf-8")
    assert main([*command, "--html", str(page)]) in (0, 1)
    assert "</html>" in page.read_text(encoding="utf-8")
