"""How long until Steelyard is there?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds

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
    if not script.exists():
        yield "the console script is not installed beside this Python: only python -m steelyard was timed"


def _started(command: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
