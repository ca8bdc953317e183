"""`python -m torture.mutation NUMBER`: plant so many faults, one at a time, and see which of them the tests find."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from torture.mutation.covering import ROOT, TESTS
from torture.mutation.mutants import ROOMS
from torture.mutation.running import run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m torture.mutation", description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument(
        "--state", type=Path, default=ROOT / ".torture" / "mutation", help="where runs are kept"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument(
        "--room", action="append", choices=ROOMS, help="a room to plant faults in; without it, all five"
    )
    parser.add_argument(
        "--tests", action="append", help="tests that may find them; without it, all that are quick"
    )
    parser.add_argument("--again", action="store_true", help="try those again that no test has found")
    asked = parser.parse_args()
    if asked.state.exists() and not asked.state.is_dir():
        parser.error(f"--state is a folder, and {asked.state} is a file")
    covering = asked.state / "covering.json"
    if not covering.exists():
        # In a process of its own: this one must not import what will be mutated.
        words = [sys.executable, "-m", "torture.mutation.covering", str(covering), *(asked.tests or TESTS)]
        subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    rooms = tuple(asked.room or ROOMS)
    state = asked.state / "mutants.jsonl"
    limits = (asked.seed, asked.seconds, rooms, asked.tests)
    found = run(asked.number, covering, state, *limits, asked.again)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
