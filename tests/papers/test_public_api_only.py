"""The papers are the library's first client: they import what the documentation calls public, and nothing else."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "src" / "steelyard_papers"
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def imported() -> Iterator[tuple[str, str, str]]:
    """Every name that a module of the client imports from the library: module, name, where."""
    for path in sorted(CLIENT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "steelyard":
                for alias in node.names:
                    yield str(node.module), alias.name, f"{path.name}:{node.lineno}"
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("steelyard."):
                        yield alias.name, "", f"{path.name}:{node.lineno}"


def public(module: str) -> set[str]:
    """The names that a module offers, if the page lists the module."""
    if module not in re.findall(r"`(steelyard(?:\.\w+)?)`", PAGE):
        return set()
    found = importlib.import_module(module)
    if module == "steelyard.errors":
        return {name for name, value in vars(found).items() if isinstance(value, type)}
    return set(found.__all__)


def test_only_public_names_are_imported() -> None:
    found = list(imported())
    assert len(found) > 100
    private = [f"{where}: {module}.{name}" for module, name, where in found if name not in public(module)]
    assert not private


@pytest.mark.parametrize(
    "module",
    ["auditing", "cli", "counts", "measures", "proofs", "report", "uncertainty"],
)
def test_the_page_lists_exactly_what_a_package_exports(module: str) -> None:
    (row,) = re.findall(rf"^\| `steelyard\.{module}` \| (.*) \|$", PAGE, re.M)
    listed = set(re.findall(r"`(\w+)`", row))
    exported = importlib.import_module(f"steelyard.{module}")
    assert listed == set(exported.__all__)
    assert all(getattr(exported, name) is not None for name in listed)


def test_a_private_name_would_be_noticed() -> None:
    assert "Subject" not in public("steelyard.proofs")
    assert public("steelyard.proofs.prover.subject") == set()
