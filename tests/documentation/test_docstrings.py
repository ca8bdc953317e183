"""Does every public name show how it is used, and is the example true?"""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import steelyard as sy
from tests.real_parts import HEAVY

NAMES = [name for name in sy.__all__ if not name.startswith("__")]


def examples() -> Iterator[doctest.DocTest]:
    """Every docstring with an example, of every module."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for found in pkgutil.walk_packages(sy.__path__, "steelyard."):
        if found.name != "steelyard.__main__" and found.name not in HEAVY:
            yield from (test for test in finder.find(importlib.import_module(found.name)) if test.examples)


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


@pytest.mark.parametrize("example", list(examples()), ids=lambda example: example.name)
def test_examples_are_true(example: doctest.DocTest, folder: Path) -> None:
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert not result.failed, "".join(said)
