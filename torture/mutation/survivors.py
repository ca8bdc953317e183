"""Surviving mutants with the reason for each: `python -m torture.mutation.survivors` writes docs/survivors.md.

Each was read by itself. What was found for it stands in survivors.jsonl, one line for each: where (the module and the line of code),
what stood there, what was planted, a verdict and a sentence. `python -m torture.mutation.survivors` drops those whose code is gone.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from torture.mutation.covering import ROOT
from torture.mutation.mutants import mutants

RECORD = Path(__file__).with_name("survivors.jsonl")
PAGE = ROOT / "docs" / "survivors.md"

VERDICTS = {
    "same answer": "an equivalent mutant: the answer is the same, by mathematics or because another line ensures it",
    "only speed": "only time, memory or the order of a search changes",
    "only words": "only a message changes",
    "not tested": "a test is missing, or would take too long",
}


@dataclass(frozen=True)
class Survivor:
    """A fault that lives, and why."""

    file: str
    code: str
    before: str
    after: str
    verdict: str
    why: str

    @property
    def place(self) -> tuple[str, ...]:
        return self.file, self.code, self.before, self.after

    @property
    def room(self) -> str:
        return self.file.split("/")[2]


def survivors(record: Path = RECORD) -> list[Survivor]:
    """All of them, by file."""
    found = [Survivor(**json.loads(line)) for line in record.read_text(encoding="utf-8").splitlines() if line]
    return sorted(found, key=lambda one: (one.file, one.before, one.after))


def equivalent(record: Path = RECORD) -> set[tuple[str, ...]]:
    """Where the mutants are that no test can find: they do not count."""
    return {one.place for one in survivors(record) if one.verdict != "not tested"}


def still_there(found: list[Survivor]) -> list[Survivor]:
    """Those whose code has not changed."""
    present = {
        (m.file, m.code, m.before, m.after)
        for file in {one.file for one in found}
        if (ROOT / file).exists()
        for m in mutants(file)
    }
    return [one for one in found if one.place in present]


def page(found: list[Survivor]) -> str:
    """The list as Markdown: how many of each verdict in each room, then one after the other."""
    rooms = sorted({one.room for one in found})
    counted = Counter((one.verdict, one.room) for one in found)
    introduction = (
        "Mutation testing plants faults (mutants) in the code and runs the tests. [Reliability](reliability.md) says how, and how"
        f" many are killed. These {len(found)} survived. Each was reviewed: could a test kill it, and which?"
    )
    lines = [
        "# Mutation testing: surviving mutants",
        "",
        introduction,
        "",
        "| verdict | " + " | ".join(rooms) + " | total |",
        "| --- |" + " --- |" * (len(rooms) + 1),
    ]
    for verdict, words in VERDICTS.items():
        numbers = [counted[verdict, room] for room in rooms]
        lines.append(f"| {verdict}: {words} | {' | '.join(str(n) for n in numbers)} | {sum(numbers)} |")
    for room in rooms:
        lines += ["", f"## {room}", "", "| module | mutant | verdict | reason |", "| --- | --- | --- | --- |"]
        for one in found:
            if one.room == room:
                place = one.file.removeprefix(f"src/steelyard/{room}/")
                fault = f"{_code(one.before)} becomes {_code(one.after)}"
                lines.append(f"| {place} | {fault} | {one.verdict} | {_text(one.why)} |")
    return "\n".join(lines) + "\n"


def _code(text: str, most: int = 90) -> str:
    """One line of code that a cell of a table can hold."""
    line = " ".join(text.split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    fence = "``" if "`" in line else "`"
    return f"{fence}{line}{fence}".replace("|", "\\|")


def _text(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


if __name__ == "__main__":
    kept = still_there(survivors())
    RECORD.write_text("".join(json.dumps(asdict(one)) + "\n" for one in kept), encoding="utf-8")
    PAGE.write_text(page(kept), encoding="utf-8")
