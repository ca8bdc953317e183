"""Does every public name show how it is used, and is the example true?"""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import steelyard as sy
from tests.real_parts import HEAVY

NAMES = [name for name in sy.__all__ if not name.startswith("__")]


MODULES = [
    name
    for path in sorted(Path(sy.__path__[0]).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
    and (name := ".".join(("steelyard", *path.relative_to(sy.__path__[0]).with_suffix("").parts)))
    not in HEAVY
]
"""Modules with an example; they are imported by the test, as collecting tests would take twice as long."""


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_shows_how_it_is_used(name: str) -> None:
    public = getattr(sy, name)
    docstring = inspect.getdoc(public) or ""
    aliases = [other for other in NAMES if getattr(sy, other) is public]
    assert ">>> " in docstring, f"the docstring of steelyard.{name} has no example"
    assert "import steelyard as sy" in docstring
    assert any(f"sy.{alias}" in docstring for alias in aliases), (
        f"the example of steelyard.{name} does not use it"
    )


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str, folder: Path) -> None:
    found = doctest.DocTestFinder().find(importlib.import_module(name.removesuffix(".__init__")))
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert sum(runner.run(example, out=said.append).attempted for example in found)
    assert not runner.failures, "".join(said)
