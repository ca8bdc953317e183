"""Which code blocks does a page of the documentation hold, and why is one of them not run?"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

NOT_RUN = re.compile(r"<!-- not run: (?P<reason>\S.*?) -->$")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w{}-]*)(?P<more>.*)$")
LOOKS_LIKE_CODE = re.compile(
    r"^\s*(\$ |steelyard \w|make \w|pip install|import \w|from \w+ import|sy\.)", re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, what it holds, and why it is not run where the page says so."""

    page: str
    line: int
    language: str
    text: str
    not_run: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command line with the output that the page shows below it, if it shows any."""

    words: tuple[str, ...]
    output: str


def blocks(path: Path, root: Path) -> list[Block]:
    """The fenced blocks of a page in their order."""
    found: list[Block] = []
    reason: str | None = None
    opened: tuple[int, str, str] | None = None
    held: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if opened is not None:
            if line.strip() == "```":
                start, language, indent = opened
                text = "".join(f"{row.removeprefix(indent)}\n" for row in held)
                found.append(Block(str(path.relative_to(root)), start, language, text, reason))
                opened, held, reason = None, [], None
            else:
                held.append(line)
        elif fence:
            opened = (number, fence["language"], fence["indent"])
        elif line.strip():
            said = NOT_RUN.match(line.strip())
            reason = said["reason"] if said else None
    assert opened is None, f"{path}: the block that begins at line {opened} is not closed"
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a block: each line of `sh`, each line after a `$` of `console`, with what is shown below it."""
    found: list[Command] = []
    for line in block.text.splitlines():
        if block.language == "console" and not line.startswith("$ "):
            assert found, f"{block}: output stands before the first command"
            found[-1] = Command(found[-1].words, found[-1].output + line + "\n")
        elif line.strip() and not line.lstrip().startswith("#"):
            found.append(Command(tuple(shlex.split(line.removeprefix("$ "), comments=True)), ""))
    return found
