"""How long until Steelyard is there?"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds, child_cpu_seconds

TURNS = 15


def run() -> Iterator[Finding | str]:
    """Starting Python with Steelyard, against starting it with NumPy."""
    python = sys.executable
    script = Path(python).with_name("steelyard")
    commands = {
        "python": [python, "-c", "pass"],
        "import numpy": [python, "-c", "import numpy"],
        "import steelyard": [python, "-c", "import steelyard"],
        "steelyard.measure": [python, "-c", "import steelyard; steelyard.measure"],
        "python -m steelyard --version": [python, "-m", "steelyard", "--version"],
    }
    if script.exists():
        commands["steelyard --version"] = [str(script), "--version"]
    times = best_seconds({name: _started(command) for name, command in commands.items()}, TURNS)
    yield f"whole processes, best of {TURNS}: " + ", ".join(
        f"{name} {time * 1e3:.0f} ms" for name, time in times.items()
    )
    for name in ("import steelyard", "steelyard.measure"):
        what = name if name.startswith("import") else f"import steelyard; {name}"
        # What is used is loaded when it is used; the promise is about the import itself.
        target = Target("at most", 50) if name == "import steelyard" else None
        yield Finding(
            f"{what}, more than import numpy", (times[name] - times["import numpy"]) * 1e3, "ms", target
        )
    for name in ("python -m steelyard --version", "steelyard --version"):
        if name in times:
            yield Finding(
                f"{name}, times import numpy", times[name] / times["import numpy"], "x", Target("below", 3)
            )
    yield from _short_evaluation(python)
    if not script.exists():
        yield "the console script is not installed beside this Python: only python -m steelyard was timed"


def _short_evaluation(python: str) -> Iterator[Finding | str]:
    """An evaluation of a small file, CPU of the whole process, against importing what it stands on."""
    with tempfile.TemporaryDirectory(prefix="steelyard-startup-") as folder:
        file = Path(folder) / "small.csv"
        file.write_text("truth,pred\n" + "1,1\n0,0\n0,1\n1,0\n0,0\n" * 200)
        floor = child_cpu_seconds([python, "-c", "import duckdb, numpy"], TURNS)
        ours = child_cpu_seconds([python, "-m", "steelyard", "evaluate", str(file)], TURNS)
    yield f"importing DuckDB and NumPy {floor * 1e3:.0f} ms of CPU, evaluating 1,000 rows of CSV {ours * 1e3:.0f} ms"
    yield Finding(
        "steelyard evaluate small.csv, CPU, times import duckdb, numpy",
        ours / floor,
        "x",
        Target("at most", 2),
    )


def _started(command: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
