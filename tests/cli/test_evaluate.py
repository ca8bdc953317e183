"""Does `steelyard evaluate` answer every bad input with one sentence and exit code 2, and leave nothing behind?"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard.cli import main
from tests import commands
from tests.real_parts import absent

pytestmark = pytest.mark.usefixtures("few_samples")

GOOD = "y_true,y_pred,w,country,p_a\na,a,1,de,.9\na,b,2,de,.4\nb,b,1,fr,.1\nb,a,1,fr,.6\na,a,1,fr,.8\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a user, with one good file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def steelyard(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "steelyard", "evaluate", *arguments],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# -- the table of bad inputs: what is written before, what is asked, what is answered


def many_scores(folder: Path) -> None:
    scores = np.random.default_rng(0).random(100_000)
    pq.write_table(
        pa.table({"y_true": scores, "y_pred": np.where(scores > 0.5, "a", "b")}), folder / "p.parquet"
    )


def put(name: str, content: str | bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def nothing(_: Path) -> None:
    """The good file is enough."""


BAD: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    "missing file": (nothing, ["godo.csv"], "there is no such file: godo.csv; in that folder there are good.csv"),
    "missing folder": (nothing, ["nowhere/p.csv"], "there is no such file"),
    "pattern without a match": (nothing, ["runs/*.csv"], "no file matches"),
    "directory": (nothing, ["."], "this is a folder, not a file"),
    "empty file": (put("p.csv", ""), ["p.csv"], "the file is empty"),
    "header only": (put("p.csv", "y_true,y_pred\n"), ["p.csv"], "there are no rows to count"),
    "one class only": (put("p.csv", "y_true,y_pred\na,a\na,b\n"), ["p.csv"], "the truth holds one class only"),
    "one column": (put("p.csv", "y_true\na\nb\n"), ["p.csv"], "no column is named like a prediction; found no other column"),
    "wrong column name": (nothing, ["good.csv", "--truth", "y_ture"], "there is no column 'y_ture'; allowed: y_true, y_pred, w, country, p_a; did you mean 'y_true'"),
    "wrong weight name": (nothing, ["good.csv", "--weight", "W8"], "there is no column 'W8'"),
    "wrong slice name": (nothing, ["good.csv", "--slice", "Country"], "there is no column 'Country'; allowed: y_true, y_pred, w, country, p_a; did you mean 'country'"),
    "ambiguous columns": (put("p.csv", "label,target,pred\na,a,a\n"), ["p.csv"], "more than one column could be the truth; found label, target"),
    "no usual name": (put("p.csv", "a,b\n1,1\n"), ["p.csv"], "no column is named like a truth; found the columns a, b"),
    "binary file called .csv": (put("p.csv", bytes(range(256)) * 40), ["p.csv"], "holds binary data"),
    "parquet file called .csv": (lambda folder: pq.write_table(pa.table({"y": [1]}), folder / "p.csv"), ["p.csv"], "holds binary data"),
    "text file called .parquet": (put("p.parquet", GOOD), ["p.parquet"], "the file cannot be read"),
    "unknown format": (put("p.xlsx", b"PK"), ["p.xlsx"], "the format of the file is not known"),
    "half a gzip file": (put("p.csv.gz", gzip.compress(GOOD.encode())[:-12]), ["p.csv.gz"], "the file cannot be unpacked"),
    "invalid UTF-8": (put("p.csv", b"y_true,y_pred\na,a\n\xff\xfe\xff,a\n"), ["p.csv"], "not UTF-8"),
    "invalid UTF-8 in the header": (put("p.csv", b"y_tr\xfce,y_pred\na,a\n"), ["p.csv"], "the file is not UTF-8"),
    "ragged rows": (put("p.csv", "y_true,y_pred\na,a\na\n"), ["p.csv"], "1 column in line 3, 2 in the header"),
    "scores for labels": (many_scores, ["p.parquet"], "'y_true' does not look like labels; found 100,000 different values"),
    "no label in common": (put("p.csv", "y_true,y_pred\ncat,0\ndog,1\n"), ["p.csv"], "truth and prediction have no label in common"),
    "missing labels": (put("p.csv", "y_true,y_pred\na,a\n,b\na,\n"), ["p.csv"], "found 2 of 3 rows without 'y_true' or 'y_pred', the first in row 2"),
    "nothing but missing labels": (put("p.csv", "y_true,y_pred\n,a\n"), ["p.csv", "--missing", "drop"], "every row lacks a label"),
    "negative weight": (put("p.csv", "y_true,y_pred,w\na,a,1\nb,b,-1\n"), ["p.csv", "--weight", "w"], "found 1 weights that are missing, negative"),
    "weight that is NaN": (put("p.csv", "y_true,y_pred,w\na,a,1\nb,b,nan\n"), ["p.csv", "--weight", "w"], "found 1 weights that are missing, negative"),
    "weight that is no number": (put("p.csv", "y_true,y_pred,w\na,a,1\nb,b,x\n"), ["p.csv", "--weight", "w"], "the weights cannot be used"),
    "class that is not there": (nothing, ["good.csv", "--positive", "c"], "there is no class 'c'"),
    "labels that leave one out": (nothing, ["good.csv", "--labels", "a"], "there is no class in --labels for the truth 'b'"),
    "priors that do not add up": (nothing, ["good.csv", "--priors", "a=0.5,b=0.6"], "the priors do not add up to 1"),
    "priors of a strange class": (nothing, ["good.csv", "--priors", "a=0.5,c=0.5"], "there is no prior for class 'b'; found a, c"),
    "priors that are no file": (nothing, ["good.csv", "--priors", "production.json"], "the file of priors cannot be read"),
    "priors that are no JSON": (put("p.json", "{"), ["good.csv", "--priors", "p.json"], "the priors are not JSON"),
    "relevance that goes round": (nothing, ["good.csv", "--relevance", "a < b, b < a"], "a"),
    "neither file nor matrix": (nothing, [], "neither a file nor a matrix"),
    "file and matrix": (nothing, ["good.csv", "--matrix", "[[1,2],[3,4]]"], "a file and a matrix"),
    "ragged matrix": (nothing, ["--matrix", "[[1,2],[3]]"], "the matrix is ragged"),
    "matrix of nothing": (nothing, ["--matrix", "[[0,0],[0,0]]"], "there is nothing to evaluate"),
    "matrix that is no JSON": (nothing, ["--matrix", "1 2; 3 4"], "the matrix is not JSON"),
    "undefined value that was not to be": (nothing, ["--matrix", "[[1,0],[3,0]]", "--undefined", "raise"], "undefined"),
    "output in no folder": (nothing, ["good.csv", "--html", "nowhere/report.html"], "the file cannot be written: No such file or directory"),
    "output that is a folder": (nothing, ["good.csv", "--json", "."], "the output is a folder"),
    "name that is too long": (nothing, ["good.csv", "--html", "r" * 300], "the file cannot be written: File name too long"),
    "pictures into a file": (nothing, ["good.csv", "--plots", "good.csv"], "the file cannot be written: Not a directory"),
    "output over the input": (nothing, ["good.csv", "--json", "./good.csv"], "an output would replace what is read"),
    "two outputs of one name": (nothing, ["good.csv", "--html", "r", "--json", "r"], "two outputs have one name"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_leaves_nothing_behind(
    case: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare, arguments, sentence = BAD[case]
    prepare(folder)
    before = files_in(folder)
    outputs = (
        []
        if {"--html", "--json", "--plots"} & set(arguments)
        else ["--html", "report.html", "--json", "report.json"]
    )
    assert main(["evaluate", *arguments, *outputs]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("steelyard: ")
    assert err.count("\n") == 1
    assert err.endswith((".\n", "?\n"))
    assert sentence in err
    assert files_in(folder) == before


@pytest.mark.parametrize("last", [["--json", "nowhere/r.json"], ["--plots", "good.csv"]])
def test_when_one_output_cannot_be_written_none_is(
    folder: Path, last: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "report.html").write_text("the report of yesterday")
    before = files_in(folder)
    assert main(["evaluate", "good.csv", "--html", "report.html", *last]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert files_in(folder) == before
    assert (folder / "report.html").read_text() == "the report of yesterday"


def test_an_unknown_option_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "good.csv", "--htlm", "r.html"]) == 2
    assert "--htlm" in capsys.readouterr().err
    assert files_in(folder) == {"good.csv"}


def test_a_name_that_is_not_utf8_is_refused(folder: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.csv")
    (folder / name).write_text(GOOD)
    done = steelyard(name, "--html", "r.html")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the name of the file is not UTF-8" in done.stderr


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,a\nb,a\na,a\n", "Never predicted: b."),
        ("a,a\nb,c\nb,b\n", "No rows of c"),
    ],
)
def test_a_set_of_which_little_can_be_said_is_evaluated_with_a_note(
    folder: Path, rows: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.csv").write_text("y_true,y_pred\n" + rows)
    assert main(["evaluate", "p.csv", "--html", "r.html", "--json", "r.json"]) == 0
    out, err = capsys.readouterr()
    assert said in out
    assert err == ""
    assert any(said in note for note in json.loads((folder / "r.json").read_text())["notes"])


# -- good input


def test_a_file_is_evaluated_and_every_output_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "--weight",
        "w",
        "--slice",
        "country",
        "--priors",
        "a=0.9,b=0.1",
        "--relevance",
        "a < b",
        "--positive",
        "b",
    ]
    assert (
        main(
            [
                "evaluate",
                "good.csv",
                "--full",
                *arguments,
                "--html",
                "r.html",
                "--json",
                "r.json",
                "--plots",
                "pictures",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert err == ""
    for words in (
        "good.csv · ",
        "Detects ",
        "Slices by country, most clearly worse first",
        "at your priors",
        "Written: r.html",
    ):
        assert words in out
    pictures = {
        f"pictures/{kind}.{suffix}" for kind in ("matrix", "metrics", "priors") for suffix in ("png", "svg")
    }
    assert files_in(folder) == {"good.csv", "r.html", "r.json", "pictures", *pictures}
    assert json.loads((folder / "r.json").read_text())["matrix"]["counts"] == [[2.0, 2.0], [1.0, 1.0]]


def test_json_is_printed_alone_and_is_as_the_schema_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "--json-schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$id"] == "steelyard/evaluate/1"
    assert main(["evaluate", "good.csv", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema).validate(found)
    assert found["source"] == {
        "name": "good.csv", "rows": 5, "missing_left_out": 0, "truth": "y_true", "pred": "y_pred", "unused_columns": ["w", "country", "p_a"],
    }  # fmt: skip
    assert found["notes"][-1] == "Columns that look like scores were not used: p_a."
    assert files_in(folder) == {"good.csv"}


def test_a_matrix_is_evaluated_like_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--matrix", "[[4900,90,10,0],[255,245,0,0],[45,5,45,5],[11,3,1,10]]"]) == 0
    assert "5,200 of 5,625 correct (accuracy 92.4%)." in capsys.readouterr().out


def test_labels_of_numbers_can_be_typed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"y_true": [1, 0, 1, 0], "y_pred": [1, 1, 1, 0]}), folder / "p.parquet")
    assert (
        main(
            [
                "evaluate",
                "p.parquet",
                "--positive",
                "1",
                "--labels",
                "0,1",
                "--priors",
                "0=0.9,1=0.1",
                "--json",
                "-",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["positive"] == {"label": 1, "reason": "as given"}
    assert found["matrix"]["labels"] == [0, 1]
    assert None not in found["sweep"]["lines"]["accuracy"]


def test_rows_without_a_label_are_left_out_when_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "p.csv").write_text("y_true,y_pred\na,a\n,b\nb,b\n")
    assert main(["evaluate", "p.csv", "--missing", "drop"]) == 0
    assert (
        "1 of 3 rows were left out because their truth or prediction is missing." in capsys.readouterr().out
    )


def test_the_bundled_example_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "evaluate",
                str(ROOT / "examples/data/glass.csv"),
                "--pred",
                "logistic_regression",
                "--json",
                "-",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["test_set"]["total"] == 214
    assert {c["label"]: c["count"] for c in found["test_set"]["classes"]}[
        "tableware"
    ] == 9  # of the 214 pieces of glass


# -- the machine fails, the user loses patience


def test_a_full_disk_leaves_nothing_behind(folder: Path) -> None:
    def small_files_only() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    done = steelyard("good.csv", "--html", "report.html", preexec_fn=small_files_only)
    assert done.returncode == 2
    assert (
        done.stderr
        == "steelyard: the file cannot be written: File too large; found report.html; choose another place.\n"
    )
    assert files_in(folder) == {"good.csv"}


def test_a_disk_without_room_leaves_nothing_behind(folder: Path) -> None:
    small = folder / "small"
    small.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True, check=False
        ).returncode
    ):
        absent("no right to mount a small file system")
    try:
        done = steelyard("good.csv", "--html", "small/report.html")
        assert done.returncode == 2
        assert (
            done.stderr
            == "steelyard: the file cannot be written: No space left on device; found small/report.html; choose another place.\n"
        )
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", small], check=True)


def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir()
    root = os.geteuid() == 0  # whom no permission stops
    if root:
        if subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", closed], capture_output=True, check=False
        ).returncode:
            absent("no right to mount a file system")
    else:
        closed.chmod(0o555)
    try:
        done = steelyard("good.csv", "--html", "closed/report.html")
        assert done.returncode == 2
        reason = "Read-only file system" if root else "Permission denied"
        assert (
            done.stderr
            == f"steelyard: the file cannot be written: {reason}; found closed/report.html; choose another place.\n"
        )
        assert files_in(folder) == {"good.csv", "closed"}
    finally:
        if root:
            subprocess.run(["umount", closed], check=True)


@pytest.fixture(scope="module")
def long_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes seconds to count."""
    path = tmp_path_factory.mktemp("long") / "long.csv"
    block = b"".join(b"class %d,class %d\n" % (i % 7, i * 31 % 11) for i in range(77_000))
    with path.open("wb") as file:
        file.write(b"y_true,y_pred\n")
        for _ in range(150):
            file.write(block)
    return path


def test_ctrl_c_in_the_middle_leaves_no_half_file(folder: Path, long_work: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "evaluate", str(long_work), "--html", "report.html"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip
    end = time.monotonic() + 60
    # until DuckDB has its folder to spill into, so that the count has begun
    while not any(name.startswith("steelyard-") for name in files_in(folder)):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.3)
    assert process.poll() is None, "the work was over before it could be interrupted"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.strip() == "steelyard: interrupted."
    assert files_in(folder) == {"good.csv"}


def test_ctrl_c_while_a_report_is_written_leaves_no_half_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    assert main(["evaluate", "good.csv", "--html", "report.html"]) == 130
    assert files_in(folder) == {"good.csv"}


def on_a_terminal(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output (piped) and standard error (a terminal) of the command."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "evaluate", *arguments], stdout=subprocess.PIPE, stderr=theirs, text=True, env={**os.environ, "TERM": "xterm"}
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # the terminal's end, when the command is done
        while chunk := os.read(ours, 65536):
            seen += chunk
    os.close(ours)
    out = process.communicate(timeout=60)[0]
    return process.returncode, out, seen.decode()


def test_progress_is_shown_on_a_terminal(folder: Path, long_work: Path) -> None:
    code, out, seen = on_a_terminal(str(long_work), "--json", "-")
    assert code == 0
    assert json.loads(out)["source"]["rows"] == 150 * 77_000
    assert "Counting" in seen
    assert seen.count("Counting") > 2  # it moves
    assert "Traceback" not in seen


def test_nothing_but_the_result_when_piped(folder: Path) -> None:
    done = steelyard("good.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "Counting" not in done.stdout


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    command = f"{sys.executable} -m steelyard evaluate good.csv --all | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("good.csv · 5 rows")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text", ["y_true,y_pred\na,a\nb,a\n", '{"y_true": "a", "y_pred": "a"}\n{"y_true": "b", "y_pred": "a"}\n']
)
def test_standard_input_is_read(text: str) -> None:
    data = json.loads(commands.steelyard("evaluate", "-", "--json", text=text).stdout)
    assert data["source"]["name"] == "standard input"
    assert data["matrix"]["counts"] == [[1, 0], [1, 0]]


def test_commands_on_standard_input_name_no_temporary_file() -> None:
    command = [sys.executable, "-m", "steelyard", "evaluate", "-", "--truth", "y", "--pred", "model"]
    text = Path("examples/data/payments.csv").read_text(encoding="utf-8")
    out = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    assert "steelyard threshold - --score p --truth y" in out
    assert "standard-input" not in out
