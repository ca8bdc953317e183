"""`python -m torture`: a sample of every part in ten minutes, twenty on a busy machine; `--full`: the runs that are recorded, which take hours.

A full run keeps what is done in a folder and is resumed there. The last figures of every part are in report.json beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from torture.parts import PARTS, ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}; without any, all")
    parser.add_argument("--full", action="store_true", help="the whole of it, resumable, hours")
    parser.add_argument(
        "--state", type=Path, default=ROOT / ".torture", help="the folder in which runs are kept"
    )
    asked = parser.parse_args()
    if asked.state.exists() and not asked.state.is_dir():
        parser.error(f"--state is a folder, and {asked.state} is a file")
    strange = [name for name in asked.parts if name not in PARTS]
    if strange:
        parser.error(f"there is no part {strange[0]!r}")
    asked.state.mkdir(parents=True, exist_ok=True)
    report = asked.state / ("full.json" if asked.full else "report.json")
    known: dict[str, Any] = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    failed = []
    for name, part in PARTS.items():
        if (asked.parts and name not in asked.parts) or (part.only_in_full and not asked.full):
            continue
        print(f"{name}: {part.question}", flush=True)
        started = time.monotonic()
        found = part.run(asked.full, asked.state)
        known[name] = {**found, "took": round(time.monotonic() - started, 1)}
        report.write_text(json.dumps(known, indent=1, default=str), encoding="utf-8")
        wrong = found["wrong"]
        print(
            f"  {'nothing wrong' if not wrong else f'{len(wrong)} WRONG'}, {known[name]['took']:.0f} s",
            flush=True,
        )
        for words in wrong[:10]:
            print(f"  - {words}", flush=True)
        failed += [name] if wrong else []
    print(f"{report}: {', '.join(failed) + ' failed' if failed else 'every part passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
