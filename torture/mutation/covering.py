"""Which tests run which lines, and how long does each test take?

One run of the tests with a coverage context for each of them. Lines that run when a module is imported belong to no test.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = (
    "tests/counts", "tests/measures", "tests/catalogue", "tests/oracles", "tests/scores", "tests/uncertainty",
    "tests/properties", "tests/judgement", "tests/reading", "tests/integrations", "tests/engines/test_conformance.py",
)  # fmt: skip
LEFT_OUT = ("spark",)
"""A cluster is not started again for every mutant."""


class Recorder:
    """A plugin that names the context and takes the time of every test."""

    def __init__(self, watching: coverage.Coverage) -> None:
        self.watching = watching
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.watching.switch_context(item.nodeid)
        started = time.perf_counter()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.perf_counter() - started
            self.watching.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def record(target: Path, tests: tuple[str, ...] = TESTS) -> None:
    """Run the tests once and write what they cover."""
    watching = coverage.Coverage(
        data_file=None, branch=False, source=[str(ROOT / "src" / "steelyard")], config_file=False
    )
    recorder = Recorder(watching)
    watching.start()
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:cov", "-k", f"not ({' or '.join(LEFT_OUT)})"]
    pytest.main([*arguments, *tests], plugins=[recorder])
    watching.stop()
    data = watching.get_data()
    lines: dict[str, dict[str, list[str]]] = {}
    for name in data.measured_files():
        place = str(Path(name).relative_to(ROOT))
        found: dict[str, list[str]] = defaultdict(list)
        for line, contexts in data.contexts_by_lineno(name).items():
            found[str(line)] = sorted(c for c in contexts if c and c not in recorder.failed)
        lines[place] = found
    numbers = {test: i for i, test in enumerate(recorder.seconds)}
    written: dict[str, Any] = {
        "tests": list(numbers),
        "seconds": [round(s, 4) for s in recorder.seconds.values()],
        "failed": sorted(recorder.failed),
        "lines": {
            place: {line: [numbers[t] for t in tests] for line, tests in found.items()}
            for place, found in lines.items()
        },
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(written), encoding="utf-8")


if __name__ == "__main__":
    record(Path(sys.argv[1]), tuple(sys.argv[2:]) or TESTS)
