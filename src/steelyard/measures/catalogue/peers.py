"""What do other tools call the measures?

The names stand in peer_names.json. They are read like our own where they mean one measure in all of them;
`table` writes the page that sets them side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_NAMES = json.loads(Path(__file__).with_name("peer_names.json").read_text(encoding="utf-8"))
# For each tool, what it calls a measure and what `sy.measure` takes for it. Names of averages stand as they
# are called.
PEERS: Mapping[str, Mapping[str, str]] = _NAMES["same"]
# Names that mean something else here, or nothing: what to use instead.
DIFFERENT: Mapping[tuple[str, str], str] = {(tool, name): words for tool, name, words in _NAMES["different"]}
MARK = "<!-- the tables below are written by python -m steelyard.measures.catalogue.peers -->"


def plain_names() -> dict[str, str]:
    """Their names that can be typed as a measure's name and mean the same in every tool that has them."""
    found: dict[str, set[str]] = {}
    for named in PEERS.values():
        for theirs, ours in named.items():
            if theirs.isidentifier():
                found.setdefault(theirs, set()).add(ours)
    return {theirs: next(iter(ours)) for theirs, ours in found.items() if len(ours) == 1}


def different(name: str) -> str:
    """What a name of another tool is, where it is no measure here; empty where nothing is known of it."""
    for (tool, theirs), words in DIFFERENT.items():
        if theirs.casefold() == name.casefold():
            return f"{theirs} of {tool}: {words}"
    return ""


def table() -> str:
    """The tables of docs/names.md: names of other tools and the metric that each means here."""
    lines: list[str] = []
    for tool, named in PEERS.items():
        lines += [f"## {tool}", "", f"| {tool} | Steelyard |", "| --- | --- |"]
        lines += [f"| `{theirs}` | `{ours}` |" for theirs, ours in named.items()]
        lines += [
            f"| `{theirs}` | {words} |" for (other, theirs), words in DIFFERENT.items() if other == tool
        ]
        lines.append("")
    return "\n".join(lines)


def write(page: Path) -> None:
    """Write the tables into the page, below its introduction."""
    introduction = page.read_text(encoding="utf-8").partition(MARK)[0]
    page.write_text(f"{introduction}{MARK}\n\n{table()}", encoding="utf-8")


if __name__ == "__main__":
    write(Path("docs", "names.md"))
