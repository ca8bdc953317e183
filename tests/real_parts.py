"""What happens where a browser, a cluster or a library that a test needs is not there?

On a developer's machine the test is skipped with the reason. Where CI=true it fails, whichever way it was skipped: a run in which
the browser tests were skipped must not look green.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Generator
from typing import Any, NoReturn

import pytest

NOTHING_ABSENT = (
    "JSON has no such number",
    "a DuckDB relation has its scores fetched by its owner",
    "Windows has no fork",
    "there is no /dev/full here",
    "its meaning depends on what runs besides it",
    "there is no groff here",
    "this version of Python is not on this machine",
    "SCIPY_ARRAY_API is not set: not checking array_api input",
)
"""Reasons that are no absent part: a case that does not exist in a format or on a system."""

HEAVY = frozenset(f"steelyard.integrations.{name}" for name in ("keras", "mlflow_evaluator", "torchmetrics"))
"""Modules that cannot be imported without a heavy library: `make test-integrations` has their tests."""


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Imported by tests/conftest.py: in continuous integration a skipped test is a failed one."""
    report = yield
    reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else ""
    if in_ci() and report.skipped and not hasattr(report, "wasxfail") and reason not in NOTHING_ABSENT:
        report.outcome = "failed"
        report.longrepr = f"a real part is absent, and CI must not skip: {reason}"
    return report


def absent(reason: str) -> NoReturn:
    """A real part is not there: skip, or fail in continuous integration."""
    if in_ci():
        pytest.fail(f"a real part is absent, and CI must not skip: {reason}", pytrace=False)
    pytest.skip(reason)


def needs(module: str) -> Any:
    """The module, if it can be imported."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        absent(f"{module} is not installed ({error})")
