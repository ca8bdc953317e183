"""Which commands are interrupted, and what do they write?"""

from __future__ import annotations

import csv
import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Command:
    """A command line in a folder of its own, and the files that it writes there."""

    name: str
    words: tuple[str, ...]
    writes: tuple[str, ...]
    lines: tuple[str, ...] = ()
    """Files that grow by whole lines."""


COMMANDS: tuple[Command, ...] = (
    Command(
        "evaluate",
        (
            "evaluate",
            "rows.csv",
            "--truth",
            "y",
            "--pred",
            "a",
            "--html",
            "r.html",
            "--json",
            "r.json",
            "--markdown",
            "r.md",
        ),
        ("r.html", "r.json", "r.md"),
    ),
    Command(
        "compare",
        (
            "compare",
            "rows.csv",
            "--truth",
            "y",
            "--pred",
            "a",
            "--pred",
            "b",
            "--html",
            "c.html",
            "--json",
            "c.json",
        ),
        ("c.html", "c.json"),
    ),
    Command(
        "gate",
        (
            "gate",
            "rows.csv",
            "--truth",
            "y",
            "--pred",
            "a",
            "--min",
            "gmean=0.1",
            "--annotations",
            "g.txt",
            "--json",
            "g.json",
        ),
        ("g.txt", "g.json"),
    ),
    Command(
        "watch",
        (
            "watch",
            "rows.csv",
            "--truth",
            "y",
            "--pred",
            "a",
            "--every",
            "500",
            "--html",
            "w.html",
            "--json",
            "w.jsonl",
        ),
        ("w.html",),
        ("w.jsonl",),
    ),
    Command(
        "metrics",
        ("metrics", "[[50,10],[20,900]]", "--html", "m.html", "--json", "m.json"),
        ("m.html", "m.json"),
    ),
)


def prepare(folder: Path, rows: int = 4000) -> None:
    """A file of predictions of two models for two classes."""
    rng = random.Random(7)
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["y", "a", "b", "s"])
        for i in range(rows):
            truth = "fraud" if rng.random() < 0.08 else "ok"
            other = {"fraud": "ok", "ok": "fraud"}[truth]
            writer.writerow(
                [truth, *(truth if rng.random() < q else other for q in (0.93, 0.9)), "NSWE"[i % 4]]
            )


def environment(**more: str) -> dict[str, str]:
    """The machine's variables with the package under test first, and these."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "STEELYARD_CACHE": "off", "COLUMNS": "100", **more}


def started(
    words: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """The command as a process in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "steelyard", *words],
        cwd=folder,
        env=dict(variables) if variables is not None else environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
