"""The page that lists every table and figure of the papers: all are there, and every place it names exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from steelyard.cli import main
from steelyard.cli.app import app as program
from steelyard_papers import paper_pages
from steelyard_papers.ledger import CLAIMS
from steelyard_papers.recorded import findings
from steelyard_papers.registry import WHERE, paper_with_key

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "papers.md"
# As the papers number them.
TABLES = {"mullick2020": 3, "branco2017": 5, "garcia2012": 2, "skrabanek2017": 3, "mortaz2020": 18}
FIGURES = {"mullick2020": 6, "branco2017": 2, "garcia2012": 0, "skrabanek2017": 1, "mortaz2020": 4}


def section(paper: str) -> list[str]:
    """Where the entries of a paper stand in it."""
    return [entry.at for entry in paper_with_key(paper).entries]


def numbers(cells: list[str], word: str) -> set[int]:
    found: set[int] = set()
    for cell in cells:
        for listed in re.findall(rf"{word}s?\.? ((?:\d+[a-f]?(?:, | to )?)+)", cell):
            for part in listed.split(", "):
                ends = [int(number) for number in re.findall(r"\d+", part)]
                found.update(range(ends[0], ends[-1] + 1) if ends else [])
    return found


@pytest.mark.parametrize("paper", TABLES)
def test_every_table_and_figure_has_its_row(paper: str) -> None:
    cells = section(paper)
    assert numbers(cells, "Tab(?:le)?") == set(range(1, TABLES[paper] + 1))
    assert numbers(cells, "Fig(?:ure)?") == set(range(1, FIGURES[paper] + 1))


def test_the_pages_are_those_of_the_registry(tmp_path: Path) -> None:
    paper_pages.main(tmp_path)
    written = sorted(tmp_path.iterdir())
    assert len(written) == 8
    for path in written:
        assert (PAGE.parent / path.name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


def test_every_place_exists() -> None:
    pages = [PAGE, *PAGE.parent.glob("paper-*.md")]
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (PAGE.parent / link).exists(), link
    known = {claim.id for claim in CLAIMS} | {finding["claim_id"] for finding in findings()}
    named = set(re.findall(r"\b(?:mullick|branco|garcia|skrabanek|mortaz)-[a-z]+\d*[a-z]?(?:\.\d)?", text))
    assert named - {"mullick-t"} <= known, named - known
    assert [study for study in WHERE if f"({study}.md)" not in text] == []


def commands(page: Path) -> list[str]:
    """What a page tells its readers to type: in code between backticks, and in blocks of a shell."""
    text = page.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
    lines = [line.split("  #")[0].strip() for line in blocks.splitlines()]
    spans = re.findall(r"`(steelyard [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [line for line in (*lines, *spans) if line.startswith("steelyard ")]


def parsed(line: str) -> tuple[str, dict[str, Any]]:
    """The command and its options, as the program reads them; what it does not know raises."""
    words = shlex.split(line)[1:]
    command: click.Command = program
    context = click.Context(command, info_name="steelyard", help_option_names=["-h", "--help"])
    path = []
    while isinstance(command, click.Group):
        path.append(words.pop(0))
        found = command.get_command(context, path[-1])
        assert found is not None, line
        command = found
    return " ".join(path), command.make_context(path[-1], words, parent=context).params


def test_every_printed_command_can_be_typed() -> None:
    claims, seen = {claim.id for claim in CLAIMS}, set()
    for page in sorted(PAGE.parent.glob("*.md")):
        for line in commands(page):
            command, options = parsed(line)
            seen.add(command)
            if command == "study run":
                names = list(options["names"])
                assert set(names) <= {*WHERE, "NAME"}, line
                assert bool(names) != bool(options["every"]), line
            if command == "study show":
                assert options["result"] in WHERE, line
            if command == "claims":
                assert set(options["only"]) <= claims | {"ID"}, line
            if command == "explain":
                assert main(["explain", options["name"]]) == 0, line
    assert {"study run", "study list", "study show", "claims", "measures", "explain"} <= seen
