"""What coverage studies share: tallies of intervals, their tables as CSV, and sections of docs/coverage.md."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "coverage.md"
RIVAL = ("rival", "rival_coverage", "rival_width")
FIELDS = ("row", "cell", "of", "sets", "coverage", "below", "above", "width", *RIVAL)
Row = dict[str, Any]
# Ends are interpolated between draws, the k-th of n at (k - 1) / (n - 1). At this level they are the 5th and the 195th of 199, which
# leave out a fortieth of the truth at each side: few draws do not narrow an interval so read.
DRAWS, LEVEL = 199, 1 - 2 * 4 / 198


class Tally:
    """Counts of intervals that lie above and below the truth, and their mean width."""

    def __init__(self, truth: float) -> None:
        self.truth, self.sets, self.above, self.below, self.width = truth, 0, 0, 0, 0.0

    def add(self, low: float, high: float) -> None:
        self.sets += 1
        self.above += low > self.truth + 1e-12
        self.below += high < self.truth - 1e-12
        self.width += high - low

    def row(self, of: str) -> Row:
        missed = self.above + self.below
        return {
            "of": of.partition("(")[0],
            "sets": self.sets,
            "coverage": round(1 - missed / self.sets, 4),
            "below": round(self.below / self.sets, 4),
            "above": round(self.above / self.sets, 4),
            "width": float(f"{self.width / self.sets:.4g}"),
        }

    def beside(self, name: str) -> Row:
        """The tally of another method, as columns beside those of a row."""
        row = self.row("")
        return dict(zip(RIVAL, (name, row["coverage"], row["width"]), strict=True))


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Sequence[Row], fields: Sequence[str] = FIELDS) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def head(*names: str) -> list[str]:
    """The first two lines of a table."""
    return ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]


def rewrite_section(lines: Sequence[str]) -> None:
    """Put a section into the page, in the place of what it said before, or before the conclusions."""
    text, title = PAGE.read_text(encoding="utf-8"), lines[0]
    before, found, rest = text.partition(f"{title}\n")
    if not found:
        before, _, rest = text.partition("## What follows from it\n")
        rest = "\n## What follows from it\n" + rest
    PAGE.write_text(before + "\n".join(lines) + "\n## " + rest.split("\n## ", 1)[1], encoding="utf-8")
