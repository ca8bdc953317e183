"""Which tests run which lines, and how long does each test take?

One run of the tests with a coverage context for each of them. Lines that run when a module is imported belong to no test.
"""

from __future__ import annotations

import argparse
import json
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
    "tests/proofs", "tests/judgement", "tests/reading", "tests/integrations", "tests/engines/test_conformance.py",
    "tests/documentation/test_docstrings.py", "tests/cli",
)  # fmt: skip
LEFT_OUT = ("spark",)
"""A cluster is not started again for every mutant."""

LONGEST = 2.0
"""Seconds of a test, under coverage, above which it is not asked again whether it finds a mutant."""


class Recorder:
    """A plugin that names the context and takes the time of every test."""

    def __init__(self, watching: coverage.Coverage, slow: frozenset[str] = frozenset()) -> None:
        self.watching = watching
        self.slow = slow
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self.slow]

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


def record(target: Path, tests: tuple[str, ...] = TESTS, add: bool = False) -> None:
    """Run the tests once and write what they cover; where they were recorded before, only those that were quick then, or
    these beside the others."""
    before: dict[str, Any] = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    slow: frozenset[str] = frozenset()
    if before and not add:
        slow = frozenset(t for t, s in zip(before["tests"], before["seconds"], strict=True) if s > LONGEST)
    found = _recorded(tests, slow)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(joined(before, found) if add and before else found), encoding="utf-8")


def _recorded(tests: tuple[str, ...], slow: frozenset[str]) -> dict[str, Any]:
    watching = coverage.Coverage(
        data_file=None, branch=False, source=[str(ROOT / "src" / "steelyard")], config_file=False
    )
    recorder = Recorder(watching, slow)
    watching.start()
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:cov", "-k", f"not ({' or '.join(LEFT_OUT)})"]
    pytest.main([*arguments, *tests], plugins=[recorder])
    watching.stop()
    data = watching.get_data()
    numbers = {test: i for i, test in enumerate(recorder.seconds)}
    lines: dict[str, dict[str, list[int]]] = {}
    for name in data.measured_files():
        found: dict[str, list[int]] = defaultdict(list)
        for line, contexts in data.contexts_by_lineno(name).items():
            found[str(line)] = sorted(numbers[c] for c in contexts if c and c not in recorder.failed)
        lines[str(Path(name).relative_to(ROOT))] = found
    return {
        "tests": list(numbers),
        "seconds": [round(s, 4) for s in recorder.seconds.values()],
        "failed": sorted(recorder.failed),
        "lines": lines,
    }


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two records as one; of a test that is in both, what the second says beside what the first says."""
    numbers = {test: i for i, test in enumerate(dict.fromkeys([*one["tests"], *other["tests"]]))}
    seconds: dict[str, float] = {}
    lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for part in (one, other):
        seconds |= dict(zip(part["tests"], part["seconds"], strict=True))
        for place, found in part["lines"].items():
            for line, tests in found.items():
                lines[place][line] |= {numbers[part["tests"][i]] for i in tests}
    return {
        "tests": list(numbers),
        "seconds": [seconds[test] for test in numbers],
        "failed": sorted({*one["failed"], *other["failed"]}),
        "lines": {
            place: {line: sorted(tests) for line, tests in found.items()} for place, found in lines.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m torture.mutation.covering", description=__doc__)
    parser.add_argument("target", type=Path, help="the file to write")
    parser.add_argument(
        "tests", nargs="*", help="files and folders of tests; without any, all that may be asked"
    )
    parser.add_argument("--add", action="store_true", help="beside what the file says already")
    asked = parser.parse_args()
    record(asked.target, tuple(asked.tests) or TESTS, asked.add)


if __name__ == "__main__":
    main()
