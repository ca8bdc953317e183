"""Is the lock of the test environment whole, and does it name no registry?"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from torture.supply import LOCK, locked, normal

ROOT = Path(__file__).resolve().parents[2]


def test_every_line_has_a_hash_and_no_address() -> None:
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert [
        line for line in lines if not re.fullmatch(r"[a-z0-9-]+==\S+ --hash=sha256:[0-9a-f]{64}", line)
    ] == []
    assert "://" not in LOCK.read_text(encoding="utf-8")


def test_what_the_tests_need_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    parts = [name for part in groups["test"] for name in groups[part["include-group"]]]
    asked = [*parts, *project["project"]["dependencies"]]
    names = {normal(re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0]) for requirement in asked}
    assert names - set(locked()) == set()
