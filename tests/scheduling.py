"""Which process runs which test?

pytest-xdist hands out the tests of a group together and all others one by one. Each process then makes what the
tests of a file share (reports, pages, a browser) for itself, and xdist counts all tests that it has handed out
whenever one of them ends: with ten thousand of them that takes longer than many a test. So a file is handed out as
a whole, the files with the most tests first: but before them the groups (a cluster, a browser and the ledger start
once each, and their tests wait), and the files that take longest, or a run would end with one of them alone.
"""

from __future__ import annotations

from typing import Any

import pytest

LONGEST = (
    "tests/documentation/test_pages.py",
    "tests/proofs/test_functions.py",
    "tests/integrations/test_sklearn.py",
    "tests/judgement/test_plan.py",
    "tests/judgement/first_screens/test_first_screens.py",
    "tests/auditing/test_certificate.py",
    "tests/proofs/test_user_measure.py",
    "tests/cli/test_evaluate.py",
    "tests/catalogue/test_catalogue.py",
    "tests/judgement/evaluate/test_evaluate_scores.py",
    "tests/measures/test_core_js.py",
    "tests/judgement/evaluate/test_evaluate.py",
    "tests/measures/test_many_classes.py",
    "tests/proofs/test_theorems.py",
    "tests/torture/test_mutation.py",
    "tests/proofs/test_shipped.py",
    "tests/judgement/test_gate_of_scores.py",
    "tests/papers/branco2017/test_discrimination.py",
    "tests/judgement/compare/test_compare.py",
    "tests/integrations/test_decision_classifier.py",
    "tests/judgement/evaluate/test_findings.py",
    "tests/cli/test_commands_are_functions.py",
    "tests/auditing/test_macro_tables.py",
    "tests/judgement/evaluate/test_production.py",
    "tests/cli/test_progress.py",
    "tests/proofs/test_label_noise.py",
    "tests/judgement/sample/test_labelled_sample.py",
    "tests/auditing/test_relations_and_climbing.py",
    "tests/proofs/test_random_formulas.py",
    "tests/reading/test_text_files.py",
    "tests/documentation/test_docstrings.py",
    "tests/uncertainty/test_intervals.py",
    "tests/reading/test_adaptive_bins.py",
    "tests/papers/test_runner.py",
    "tests/judgement/sample/test_sample.py",
)
"""Files that take more than five seconds of CPU."""

STARTED_ONCE = {"cluster": "cluster", "chromium": "browser", "checked_claims": "ledger"}
"""Fixtures that take long to start, and the group of the tests that need them: one process has them all. It has all
tests of the browser's room, which share pages and notebooks."""


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist writes the groups into the names of the tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Imported by tests/conftest.py: the groups of --dist loadgroup."""
    for item in items:
        groups = {STARTED_ONCE[name] for name in STARTED_ONCE.keys() & set(getattr(item, "fixturenames", ()))}
        if item.path.parent.name == "browser":
            groups.add("browser")
        for group in groups:
            item.add_marker(pytest.mark.xdist_group(group))


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

        def _assign_work_unit(self, node: Any) -> None:
            groups = [name for name in self.workqueue if "/" not in name]
            for name in reversed([*groups, *LONGEST]):
                if name in self.workqueue:
                    self.workqueue.move_to_end(name, last=False)
            super()._assign_work_unit(node)

    return GroupsAndFiles(config, log)
