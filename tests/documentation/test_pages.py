"""Does every code block of README and docs do what the page says?

Python, `sh` and `console` blocks are run in a prepared folder (see conftest.py), the commands in this process. A block that
is not run is preceded by `<!-- not run: the reason -->` in the page itself. The blocks of one page share their names and files.
A block that shows no output and asserts nothing draws few test sets and bootstrap samples.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import steelyard as sy
from steelyard.cli import main
from tests.documentation.conftest import ROOT, names
from tests.documentation.pages import LOOKS_LIKE_CODE, Block, blocks, commands
from tests.few_samples import drawing_few_samples
from tests.test_rooms import ROOMS

RUN = ("python", "{code-cell}", "sh", "console")
DATA = (
    "",
    "text",
    "toml",
    "yaml",
    "json",
    "mermaid",
    "math",
    "bibtex",
    "{toctree}",
    "{eval-rst}",
    "{include}",
)
PAGES = [
    path
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md")
    for path in sorted(ROOT.glob(pattern))
    if not {"_build", "_generated", "measures"} & set(path.parts)  # written by tools/site_pages.py
]
BLOCKS = {path: blocks(path, ROOT) for path in PAGES}
WITH_CODE = [path for path in PAGES if any(block.language in RUN for block in BLOCKS[path])]
# A long page of which no block needs what another left behind: every block is a test.
OF_SINGLE_BLOCKS = "docs/tutorials/costs.md"


def test_there_are_pages_and_blocks() -> None:
    assert ROOT / "README.md" in WITH_CODE
    assert sum(len(found) for found in BLOCKS.values()) >= 20


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_code_hides_in_a_block_that_is_not_run(path: Path) -> None:
    for block in BLOCKS[path]:
        assert block.language in (*RUN, *DATA), f"{block}: no one knows how to run {block.language!r}"
        if block.language in ("", "text") and not block.not_run:
            assert not LOOKS_LIKE_CODE.search(block.text), f"{block}: code in a block without a language"


def run_together() -> Iterator[tuple[str, list[Block]]]:
    for path in WITH_CODE:
        page = str(path.relative_to(ROOT))
        run = [block for block in BLOCKS[path] if block.language in RUN and not block.not_run]
        yield from ((str(block), [block]) for block in run) if page == OF_SINGLE_BLOCKS else [(page, run)]


@pytest.mark.parametrize("blocks", [pytest.param(run, id=name) for name, run in run_together()])
@pytest.mark.filterwarnings("default::UserWarning")
def test_the_blocks_of_a_page_run(
    blocks: list[Block], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    space = names()
    for block in blocks:
        if block.language in ("python", "{code-cell}"):
            run_python(block, space)
        else:
            run_commands(block, capsys)


def run_python(block: Block, space: dict[str, object]) -> None:
    """Run a block of Python; one with prompts is checked against the output it shows."""
    if block.text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.text, space, str(block), block.page, block.line)
        said: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
            test, out=said.append, clear_globs=False
        )
        space.update(test.globs)
        assert not result.failed, "".join(said)
    else:
        with nullcontext() if "assert " in block.text else drawing_few_samples():
            exec(compile("\n" * block.line + block.text, block.page, "exec"), space)


def run_commands(block: Block, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of a block; where the page shows output, that is what has to come."""
    for command in commands(block):
        assert command.words[0] == "steelyard", (
            f"{block}: only steelyard's own commands are run, not {command.words[0]}"
        )
        capsys.readouterr()
        with nullcontext() if command.output else drawing_few_samples():
            code = main(list(command.words[1:]))
        out, err = capsys.readouterr()
        assert code == 0, f"{block}: {' '.join(command.words)} ended with {code}: {err}"
        if command.output:
            shown = "\n".join(line.rstrip() for line in out.strip().splitlines())
            assert doctest.OutputChecker().check_output(command.output.strip(), shown, doctest.ELLIPSIS), (
                f"{block}: the page shows\n{command.output}\nbut {' '.join(command.words)} says\n{shown}"
            )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_name_in_the_text_exists(path: Path) -> None:
    """`sy.something` in running text is no code block, and goes stale as easily."""
    for name in set(re.findall(r"\bsy\.(\w+)", path.read_text(encoding="utf-8"))):
        if path.name != "CHANGELOG.md":
            assert hasattr(sy, name), f"{path.name} names sy.{name}, which does not exist"


def test_the_architecture_shows_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room in ROOMS:
        assert f"| `{room}/` |" in page


def test_the_site_leads_to_every_page() -> None:
    reached, waiting = set(), ["index"]
    while waiting:
        page = waiting.pop()
        path = ROOT / "docs" / f"{page}.md"
        if page in reached or not path.exists():  # pages of measures are written when the site is built
            continue
        reached.add(page)
        text = path.read_text(encoding="utf-8")
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.S):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            folder = path.parent.relative_to(ROOT / "docs")
            waiting += [e[1:] if e.startswith("/") else str(folder / e) for e in entries]
    for pattern in ("*.md", "how-to/*.md", "tutorials/*.md", "explanation/*.md"):
        for path in (ROOT / "docs").glob(pattern):
            name = str(path.relative_to(ROOT / "docs").with_suffix(""))
            assert name in reached, f"no page leads to {name}"


LONG_BULLETS = ("docs/decisions/", "docs/studies/", "docs/audit.md", "docs/benchmarks.md")
"""Pages whose bullets are still longer: records of decisions and runs."""


SHORT_BULLETS = [path for path in PAGES if not path.relative_to(ROOT).as_posix().startswith(LONG_BULLETS)]


@pytest.mark.parametrize("path", SHORT_BULLETS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_bullet_is_longer_than_sixty_words(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    bullets = re.findall(r"^ *(?:[-*]|\d+\.) .*(?:\n(?! *(?:[-*]|\d+\.) ) +.*)*", text, flags=re.M)
    assert [bullet for bullet in bullets if len(bullet.split()) > 60] == []


EXAMPLES = {
    "<tool>": "promptfoo",
    "<family>": "two_class",
    "<capability>": "threshold",
    "<paper>": "mortaz2020",
}


@pytest.mark.parametrize(
    ("page", "heading"),
    [("CONTRIBUTING.md", "Where to make a change"), ("docs/architecture.md", "Where is ...?")],
)
def test_the_files_that_pages_for_developers_name_exist(page: str, heading: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    table = text.partition(f"## {heading}")[2].partition("\n## ")[0]
    paths = re.findall(r"`([\w<>]+/[\w<>/.-]*)`", table)
    assert len(paths) > 30
    for named in paths:
        path = named
        for placeholder, example in EXAMPLES.items():
            path = path.replace(placeholder, example)
        places = (ROOT / path, ROOT / "src" / "steelyard" / path)
        assert any(place.exists() for place in places), f"{page} names {named}, which does not exist"
