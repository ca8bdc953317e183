"""Write the tables of docs/names.md: what other tools call the metrics."""

from __future__ import annotations

from pathlib import Path

from steelyard.measures.names import DIFFERENT, PEERS

MARK = "<!-- the tables below are written by python -m tools.write_names -->"


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
