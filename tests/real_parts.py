"""What happens where a browser, a cluster or a library that a test needs is not there?

On a developer's machine the test is skipped with the reason. Where CI=true it fails: a run in which the browser tests were skipped
must not look green.
"""

from __future__ import annotations

import importlib
import os
from typing import Any, NoReturn

import pytest


def absent(reason: str) -> NoReturn:
    """A real part is not there: skip, or fail in continuous integration."""
    if os.environ.get("CI", "").lower() in ("1", "true", "yes"):
        pytest.fail(f"a real part is absent, and CI must not skip: {reason}", pytrace=False)
    pytest.skip(reason)


def needs(module: str) -> Any:
    """The module, if it can be imported."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        absent(f"{module} is not installed ({error})")
