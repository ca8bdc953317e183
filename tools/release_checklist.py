"""May this tree be released? Every point of the checklist is checked, and those that a person must do are printed.

python -m tools.release_checklist 0.3.0
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BY_HAND = (
    "make test-all and make test-integrations passed on this commit, with CI=true, and docs/support.md says when",
    "make docs ends without a warning; python -m tools.write_figure drew the report that is now made",
    "home, tutorial, measure, property-table and study pages were looked at in a browser at 1280 and 390 px",
    "the tag is signed and named like the version",
)


def version_is(version: str) -> bool:
    return f'__version__ = "{version}"' in (ROOT / "src/steelyard/_version.py").read_text()


def changelog_is_dated(version: str) -> bool:
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## {re.escape(version)} - (\d{{4}}-\d{{2}}-\d{{2}})$", text, re.MULTILINE)
    return found is not None and date.fromisoformat(found[1]) <= date.today()


def citation_is_current(version: str) -> bool:
    return f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()


def tree_is_clean(_: str) -> bool:
    done = subprocess.run(
        ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return not done.stdout


def nothing_is_unfinished(_: str) -> bool:
    words = re.compile(r"\b(TODO|FIXME|XXX)\b")
    return not any(words.search(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py"))


def written_files_are_current(_: str) -> bool:
    from tools import licences, write_commands, write_stub

    written = {
        licences.TARGET: licences.page(),
        write_commands.MAN: write_commands.man_page(),
        write_commands.PAGE: write_commands.page(),
        write_stub.TARGET: write_stub.stub(),
    }
    return all(target.read_text(encoding="utf-8") == text for target, text in written.items())


CHECKED: dict[str, Callable[[str], bool]] = {
    "src/steelyard/_version.py says the version": version_is,
    "CHANGELOG.md has a dated section": changelog_is_dated,
    "CITATION.cff says the version": citation_is_current,
    "nothing is uncommitted": tree_is_clean,
    "no line says that it is unfinished": nothing_is_unfinished,
    "docs/licences.md, docs/commands.md, the manual and the stub are current": written_files_are_current,
}


def main(version: str) -> int:
    """Print every point; 1 if one does not hold."""
    held = {point: check(version) for point, check in CHECKED.items()}
    for point, holds in held.items():
        print(f"{'yes' if holds else 'NO '}  {point}")
    for point in BY_HAND:
        print(f" ?   {point}")
    return 0 if all(held.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
