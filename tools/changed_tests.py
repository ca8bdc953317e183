"""Unit tests of what changed since the main branch: `python -m tools.changed_tests` prints their files.

A test file belongs to a module that it imports by name, or whose name it bears (test_<module>.py). Tests that start
a browser, a cluster or whole commands are left to `make test`.
"""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

SLOW = (
    "tests/browser/",
    "tests/engines/",
    "tests/documentation/",
    "tests/packaging/",
    "tests/papers/",
    "tests/torture/",
)
MOST_FILES = 12
"""Test files that half a minute is enough for; of a change that touches more, those named after a module come first."""


def changed_files(base: str = "main") -> list[str]:
    """Files that differ from where this branch left `base`, committed or not."""
    fork = _git("merge-base", "HEAD", base) or ["HEAD"]
    return sorted(
        {*_git("diff", "--name-only", fork[0]), *_git("ls-files", "--others", "--exclude-standard")}
    )


def unit_tests(changed: list[str]) -> list[str]:
    """The test files of these files, those named after a changed module first."""
    modules = {
        path.removeprefix("src/").removesuffix(".py").replace("/", ".")
        for path in changed
        if _is_module(path)
    }
    stems = {f"test_{module.rpartition('.')[2]}" for module in modules}
    named, importing = [], []
    for path in sorted(Path("tests").rglob("test_*.py")):
        if str(path).startswith(SLOW):
            continue
        if str(path) in changed or path.stem in stems:
            named.append(str(path))
        elif _imports(path) & modules:
            importing.append(str(path))
    return (named + importing)[:MOST_FILES]


def _is_module(path: str) -> bool:
    return path.startswith("src/") and path.endswith(".py") and Path(path).exists()


@cache
def _imports(path: Path) -> set[str]:
    """The modules that a file imports names of."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def _git(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return run.stdout.split() if run.returncode == 0 else []


if __name__ == "__main__":
    print(*unit_tests(changed_files()))
