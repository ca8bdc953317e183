"""Is an absent part a failure in continuous integration, and a skipped test elsewhere?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.real_parts import absent, needs

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("value", ["true", "1", "TRUE"])
def test_ci_fails(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.fail.Exception, match="CI must not skip: no browser"):
        absent("no browser")


@pytest.mark.parametrize("value", ["", "false"])
def test_elsewhere_it_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.skip.Exception, match="no_such_library is not installed"):
        needs("no_such_library")


def test_every_skip_goes_through_here() -> None:
    """A skip that is no absent part says so with a comment `# not an absent part`."""
    skipping = re.compile(r"pytest\.(skip|importorskip|mark\.skip|mark\.skipif)\(")
    for path in HERE.rglob("*.py"):
        if path.name in ("real_parts.py", "test_real_parts.py"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert not skipping.search(line) or "# not an absent part" in line, (
                f"{path}:{number}: {line.strip()}"
            )
