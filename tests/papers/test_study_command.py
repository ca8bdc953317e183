from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.cli import main
from steelyard_papers.registry import WHERE, study
from steelyard_papers.runner import shares_of_work


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "list"]) == 0
    out = capsys.readouterr().out
    assert [name for name in WHERE if name not in out] == []
    assert main(["study", "list", "--json"]) == 0
    assert [row["study"] for row in json.loads(capsys.readouterr().out)] == list(WHERE)


def test_run_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", "branco2017-cases", "--out", str(tmp_path), "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "branco-t5" in out
    assert "99 of 99 agree" in out
    assert main(["study", "show", str(tmp_path / "branco2017-cases")]) == 0
    assert capsys.readouterr().out == out
    assert main(["study", "show", str(tmp_path / "branco2017-cases"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["study"] == "branco2017-cases"


def test_a_quick_run_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "study",
                "run",
                "mortaz2020-sweeps",
                "--quick",
                "--seed",
                "1",
                "--out",
                str(tmp_path),
                "--workers",
                "1",
            ]
        )
        == 0
    )
    assert "not the paper's size" in capsys.readouterr().out
    assert list((tmp_path / "mortaz2020-sweeps-quick").glob("*.png"))


def test_all_or_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "run", "--out", str(tmp_path)]) == 2
    assert "or --all" in capsys.readouterr().err
    assert main(["study", "run", "branco2017-cases", "--all", "--out", str(tmp_path)]) == 2
    assert "--all with branco2017-cases" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_several_studies_share_one_bar_by_what_they_cost() -> None:
    shares = shares_of_work([study(name) for name in WHERE], quick=False)
    assert sum(shares) == pytest.approx(1)
    by_name = dict(zip(WHERE, shares, strict=True))
    assert (
        by_name["mullick2020-multi-class"] > 50 * by_name["branco2017-cases"]
    )  # minutes against less than a second


def test_show_a_recorded_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "show", "garcia2012-correlation"]) == 0
    assert "garcia-c1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "nothing"], "there is no study 'nothing'"),
        (["run", "branco2017-cases", "--features", "x.csv"], "this study has data of its own"),
        (["run", "branco2017-cases", "--workers", "-1"], "at least one worker"),
        (["show", "nowhere"], "the result cannot be read"),
        (["run", "branco2017-cases", "--set", "cases"], "this setting is not understood"),
        (["run", "branco2017-cases", "--set", "speed=1"], "there is no setting of branco2017-cases 'speed'"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["study", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_smaller_run_says_what_is_smaller(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "study",
                "run",
                "branco2017-cases",
                "--set",
                'cases=["1"]',
                "--out",
                str(tmp_path),
                "--workers",
                "1",
            ]
        )
        == 0
    )
    capsys.readouterr()
    page = (tmp_path / "branco2017-cases" / "page.md").read_text()
    assert "Not the paper's size: cases = 1 instead of 1, 2, 3." in page


def test_listing_the_studies_imports_nothing_heavy() -> None:
    program = """
import sys
from steelyard.cli import main
main(["study", "list"])
main(["study", "show", "mullick2020-illustration"])
print("loaded:", [name for name in ("sklearn", "imblearn", "scipy", "matplotlib", "joblib", "pandas") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"
