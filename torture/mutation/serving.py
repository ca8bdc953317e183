"""How is a mutant tried that must be imported? A parent that has imported all that is heavy forks a child for each of them.

The child finds the mutated module through an import hook, so nothing on disk is ever changed, and runs the tests that run the line,
the quickest first, until one fails.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Literal

from torture.mutation.covering import ROOT
from torture.mutation.mutants import Mutant

Outcome = Literal["killed", "too long", "survived", "not run"]

LONGEST = 300.0
"""Seconds on the wall after which a child that waits for something is ended."""

HEAVY = (
    "numpy", "pytest", "hypothesis", "pandas", "pyarrow", "duckdb", "narwhals", "click", "rich.console", "jinja2", "scipy.stats",
    "scipy.optimize", "sklearn.metrics", "polars", "flint", "z3", "numpy.random", "jsonschema",
)  # fmt: skip


class _Hook(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):  # type: ignore[misc]
    """Gives one module its mutated source."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant.module, str(ROOT / mutant.file))
        self.mutated = mutant.source()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, str(self.path), loader=self)

    def get_code(self, fullname: str | None = None) -> CodeType:
        _remember(str(self.path), self.mutated)
        return compile(self.mutated, str(self.path), "exec")

    def is_package(self, fullname: str) -> bool:
        return False


def remember(mutant: Mutant) -> None:
    """What reads the source of a measure must read the one that runs."""
    _remember(str(ROOT / mutant.file), mutant.source())


def _remember(path: str, source: str) -> None:
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)


def load_the_heavy() -> None:
    """Import what every child needs and no mutant is in."""
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if any(name.partition(".")[0] == "steelyard" for name in sys.modules):
        raise RuntimeError("the package must not be imported before its modules are mutated")


def tried(mutant: Mutant, tests: Sequence[str], seconds: float) -> tuple[Outcome, float]:
    """Run the tests on the mutant in a child of its own; one that takes more than so many seconds of CPU has
    found the fault too. On a busy machine a clock on the wall would say so of many that have not."""
    if not tests:
        return "not run", 0.0
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _child(mutant, tests, seconds)
    while time.monotonic() - started < LONGEST:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            outcome: Outcome = (
                "survived" if code == 0 else "too long" if code == -signal.SIGXCPU else "killed"
            )
            return outcome, time.monotonic() - started
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too long", time.monotonic() - started


def _child(mutant: Mutant, tests: Sequence[str], seconds: float) -> Any:
    code = 70
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
        spent = int(time.process_time())  # a child starts at 0
        resource.setrlimit(resource.RLIMIT_CPU, (spent + int(seconds), spent + int(seconds) + 5))
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        # Without it pytest takes the package for a plugin, and loads its modules itself, past the hook.
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        sys.meta_path.insert(0, _Hook(mutant))
        import pytest

        with tempfile.TemporaryDirectory() as folder:
            code = int(
                pytest.main(
                    [
                        *("-x", "-q", "--no-header", "-p", "no:cacheprovider"),
                        *("--basetemp", str(Path(folder) / "own")),
                        *tests,
                    ]
                )
            )
    except BaseException:
        code = 71
    finally:
        os._exit(code)
