"""Which process runs which test?

pytest-xdist hands out the tests of a group together and all others one by one. Each process then makes what the
tests of a file share (reports, pages, a browser) for itself, and xdist counts all tests that it has handed out
whenever one of them ends: with ten thousand of them that takes longer than many a test. So a file is handed out as
a whole, the files with the most tests first.
"""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist everything runs in one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Imported by tests/conftest.py: the scheduler of --dist loadgroup, with files for single tests."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class GroupsAndFiles(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group: str = super()._split_scope(nodeid)
            return group if group != nodeid else nodeid.partition("::")[0]

    return GroupsAndFiles(config, log)
