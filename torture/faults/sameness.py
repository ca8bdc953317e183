"""Are the bytes of the JSON the same whatever the locale, the time zone, the clock, the hash seed and the number of threads?"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from torture.faults.commands import environment, prepare, started

COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "rows.csv", "--truth", "y", "--pred", "a", "--slice", "s", "--json", "-"),
    "compare": ("compare", "rows.csv", "--truth", "y", "--pred", "a", "--pred", "b", "--json", "-"),
    "gate": ("gate", "rows.csv", "--truth", "y", "--pred", "a", "--min", "gmean=0.1", "--json", "-"),
    "watch": ("watch", "rows.csv", "--truth", "y", "--pred", "a", "--every", "500", "--json", "-"),
    "metrics": ("metrics", "[[50,10],[20,900]]", "--json", "-"),
    "recommend": ("recommend", "--data", "rows.csv", "--truth", "y", "--pred", "a", "--json", "-"),
}

CLOCK = "import time\n_now = time.time\n_steps = iter(range(10**9))\ntime.time = lambda: _now() + (-1) ** next(_steps) * 86_400\n"
"""A clock that jumps a day forward and back with every look."""

SURROUNDINGS: dict[str, dict[str, str]] = {
    "as it is": {},
    "locale C": {"LC_ALL": "C", "LANG": "C"},
    "locale Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "locale German": {"LC_ALL": "de_DE.UTF-8"},
    "time zone Chatham": {"TZ": "Pacific/Chatham"},
    "time zone New York": {"TZ": "America/New_York"},
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 4242": {"PYTHONHASHSEED": "4242"},
    "one thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "POLARS_MAX_THREADS": "2"},
    "a clock that jumps": {"STEELYARD_TORTURE_CLOCK": "1"},
}


@dataclass
class Tried:
    runs: int = 0
    wrong: list[str] = field(default_factory=list)


def run(
    commands: tuple[str, ...] = tuple(COMMANDS), surroundings: tuple[str, ...] = tuple(SURROUNDINGS)
) -> Tried:
    """Every command in all surroundings."""
    done = Tried()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, 1500)
        (folder / "clock").mkdir()
        (folder / "clock" / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
        for command in commands:
            first: bytes | None = None
            for around in surroundings:
                variables = environment(**SURROUNDINGS[around])
                if "STEELYARD_TORTURE_CLOCK" in variables:
                    variables["PYTHONPATH"] = f"{folder / 'clock'}:{variables['PYTHONPATH']}"
                process = started(COMMANDS[command], folder, variables)
                out, words = process.communicate(timeout=300)
                done.runs += 1
                first = out if first is None else first
                if process.returncode not in (0, 1, 3) or not out:
                    done.wrong.append(f"{command}, {around}: exit {process.returncode}, {words[-300:]!r}")
                elif out != first:
                    done.wrong.append(f"{command}, {around}: other bytes than {surroundings[0]}")
    return done
