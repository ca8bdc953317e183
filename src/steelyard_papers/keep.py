"""Record a full run: its result in the package, its page and figures in the documentation.

python -m steelyard_papers.keep RESULT_FOLDER... (from the root of the source tree)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from steelyard.errors import InputError
from steelyard.report import save
from steelyard_papers.study_result import StudyResult, load

# Longer tables stay in the run's own folder; the package keeps what its findings and pages need.
MOST_ROWS = 700


def keep(folder: str | Path, package: Path, docs: Path) -> Path:
    """Copy one run; a quick one is refused."""
    result = load(folder)
    if result["quick"]:
        raise InputError("a quick run is not kept", found=str(folder), do="run the study at its full size")
    result["tables"] = [table for table in result["tables"] if len(table["rows"]) <= MOST_ROWS]
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    for name in result["pictures"]:
        save(docs / "figures" / f"{result['study']}-{name}.svg", (Path(folder) / f"{name}.svg").read_bytes())
    save(docs / f"{result['study']}.md", page_of(result))
    target = package / "recorded" / f"{result['study']}.json"
    save(target, json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")
    return target


def page_of(result: dict[str, object]) -> str:
    """The page of a kept result, its figures beside it."""
    return StudyResult(result).to_markdown(f"figures/{result['study']}-")


if __name__ == "__main__":
    for results in sys.argv[1:]:
        print(keep(results, Path("src/steelyard_papers"), Path("docs/studies")))
