"""Whatever a command reads, no output of it takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard.cli.app import app
from steelyard.errors import InputError

ROWS = "truth,a,b\n" + "x,x,x\ny,y,x\nx,y,x\ny,y,y\n" * 10


@pytest.mark.parametrize(
    ("words", "read", "holds"),
    [
        ("evaluate rows.csv --pred a --priors read.json --json read.json", "read.json", '{"x": 0.1, "y": 0.9}'),
        ("evaluate rows.csv --pred a --cost read.csv --html read.csv", "read.csv", "truth,x,y\nx,0,1\ny,2,0\n"),
        ("compare rows.csv --pred a --pred b --cost read.csv --json read.csv", "read.csv", "truth,x,y\nx,0,1\ny,2,0\n"),
        ("gate rows.csv --pred a --rules read.toml --markdown read.toml", "read.toml", "[min]\ngmean = 0.1\n"),
        ("audit read.csv --sizes pos=100,neg=200 --json read.csv", "read.csv", "accuracy,recall\n0.95,0.85\n"),
        ("evaluate rea*.csv --pred a --json read.csv", "read.csv", ROWS),
    ],
)  # fmt: skip
def test_an_output_named_like_an_input_is_refused(
    words: str, read: str, holds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    Path(read).write_text(holds, encoding="utf-8")
    done = CliRunner().invoke(app, words.split())
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == f"an output would replace what is read; found {read}; name another file."
    assert Path(read).read_text(encoding="utf-8") == holds


def test_an_output_may_be_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    for _ in range(2):
        assert (
            CliRunner().invoke(app, ["evaluate", "rows.csv", "--pred", "a", "--json", "out.json"]).exit_code
            == 0
        )
