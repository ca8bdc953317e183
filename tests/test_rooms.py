"""Does every line live in a room, and do the tests mirror the rooms?"""

from __future__ import annotations

import hashlib
from pathlib import Path

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src"
PACKAGE = SOURCE / "steelyard"
ROOMS = {
    "cli",
    "counts",
    "integrations",
    "judgement",
    "measures",
    "auditing",
    "proofs",
    "reading",
    "report",
    "scores",
    "uncertainty",
}
DOORS = {
    "__init__.py",
    "__main__.py",
    "_lazy.py",
    "_version.py",
    "errors.py",
    "parameters.py",
    "curves.py",
    "relevance.py",
    "thresholds.py",
}
"""What stands beside the rooms: the package itself, its errors, and the three modules that are public by name."""
BESIDE = {"browser", "catalogue", "documentation", "engines", "oracles", "packaging", "papers", "torture"}
"""Folders of tests that run over several rooms, and those of the second package."""


def listed(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name not in ("__pycache__", "py.typed")}


def test_every_module_lies_in_a_room() -> None:
    for path in PACKAGE.rglob("*.py"):
        first = path.relative_to(PACKAGE).parts[0]
        assert first in ROOMS | DOORS, f"{path} lies in no room"
    stubs = {name for name in listed(PACKAGE) if name.endswith(".pyi")}
    assert listed(PACKAGE) - stubs == ROOMS | DOORS


def test_the_house_fits_on_one_screen() -> None:
    public = {name for name in listed(PACKAGE) if not name.startswith("_") and not name.endswith(".pyi")}
    assert len(public) <= 16, sorted(public)


def test_two_packages_share_the_wheel() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} >= {"steelyard", "steelyard_papers"}
    assert (SOURCE / "steelyard_papers" / "py.typed").exists()


def test_every_room_says_what_belongs_there() -> None:
    for room in ROOMS:
        first = (PACKAGE / room / "__init__.py").read_text(encoding="utf-8").split("\n", 1)[0]
        assert first.startswith('"""'), f"{room} does not say what belongs there"


def test_tests_mirror_the_rooms() -> None:
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders >= ROOMS
    assert folders <= ROOMS | BESIDE, "a folder of tests that belongs to no room"


def test_no_two_conftests_are_the_same() -> None:
    found = [hashlib.sha256(path.read_bytes()).hexdigest() for path in TESTS.rglob("conftest.py")]
    assert len(set(found)) == len(found)


def test_a_command_parses_calls_and_shows():
    """What is more complex than radon's C decides something."""
    from radon.complexity import cc_rank, cc_visit

    blocks = [block for path in (PACKAGE / "cli").glob("*.py") for block in cc_visit(path.read_text("utf-8"))]
    assert len(blocks) > 50
    assert not [block.name for block in blocks if cc_rank(block.complexity) > "C"]
