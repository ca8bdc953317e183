"""Which tests belong to a change?"""

from __future__ import annotations

from tools.changed_tests import MOST_FILES, unit_tests


def test_a_module_brings_the_file_that_bears_its_name_first() -> None:
    assert (
        unit_tests(["src/steelyard/scores/row_cost_threshold.py"])[0]
        == "tests/scores/test_row_cost_threshold.py"
    )


def test_a_module_brings_the_files_that_import_it() -> None:
    assert "tests/measures/test_kinship.py" in unit_tests(["src/steelyard/measures/kinship.py"])


def test_a_changed_test_is_run_unless_it_starts_a_browser_or_a_cluster() -> None:
    assert unit_tests(["tests/test_rooms.py", "tests/browser/test_studio.py"]) == ["tests/test_rooms.py"]


def test_pages_and_deleted_modules_have_no_unit_tests() -> None:
    assert unit_tests(["docs/index.md", "src/steelyard/no_such_module.py"]) == []


def test_a_change_of_everything_runs_a_bounded_number_of_files() -> None:
    everything = [
        "src/steelyard/measures/measure.py",
        "src/steelyard/counts/confusion.py",
        "src/steelyard/errors.py",
    ]
    assert 1 < len(unit_tests(everything)) <= MOST_FILES
