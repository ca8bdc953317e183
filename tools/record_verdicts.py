"""Keep what the pages of measures show of an examination of the whole catalogue.

steelyard examine --json verdicts.json && python -m tools.record_verdicts verdicts.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from steelyard.properties.conditions import BY_ID

TARGET = Path(__file__).resolve().parents[1] / "docs" / "verdicts.json"


def kept(examined: Path) -> dict[str, list[dict[str, str]]]:
    """The verdicts that say something, by measure, each with the statement it is about."""
    found = json.loads(examined.read_text(encoding="utf-8"))
    return {
        one["measure"]: [
            {"statement": BY_ID[v["property"]].statement, "grade": v["grade"], "text": v["text"]}
            for v in one["verdicts"]
            if v["grade"] != "not applicable"
        ]
        for one in found
    }


if __name__ == "__main__":
    TARGET.write_text(
        json.dumps(kept(Path(sys.argv[1])), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
