"""What is public, and what importing it costs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import steelyard as sy
from tests import real_parts

PUBLIC = [
    "Confusion",
    "Counts",
    "Evaluation",
    "EvaluationDisplay",
    "InputError",
    "Measure",
    "PriorCorrection",
    "ScoreCounts",
    "SteelyardError",
    "Tally",
    "UndefinedError",
    "Watch",
    "__version__",
    "at_priors",
    "audit",
    "balanced",
    "best_class_weights",
    "best_threshold",
    "catalogue",
    "cheapest_labels",
    "class_mean",
    "compare",
    "correct_probabilities",
    "count",
    "cross_evaluate",
    "curves",
    "delong",
    "estimate_priors",
    "evaluate",
    "evaluate_multilabel",
    "examine",
    "gate",
    "iba",
    "interval",
    "measure",
    "metrics",
    "multi_class",
    "multilabel",
    "normalised",
    "one_versus_all",
    "one_versus_one",
    "plan",
    "priors",
    "recommend",
    "relevance",
    "sample",
    "scorer",
    "scorers",
    "threshold",
    "thresholds",
    "two_class",
    "watch",
    "weigh",
    "weighted_by",
]
HEAVY = (
    "pandas",
    "sklearn",
    "duckdb",
    "rich",
    "click",
    "matplotlib",
    "polars",
    "pyarrow",
    "scipy",
    "numba",
    "narwhals",
)


def test_all_is_exact() -> None:
    assert sorted(sy.__all__) == sorted(PUBLIC)
    assert sorted(dir(sy)) == sorted(sy.__all__)
    assert len(set(sy.__all__)) == len(sy.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_can_be_imported_and_says_what_it_is(name: str) -> None:
    found = getattr(sy, name)
    if not name.startswith("__"):
        assert inspect.getdoc(found)


def test_star_import_gives_the_public_names() -> None:
    space: dict[str, object] = {}
    exec("from steelyard import *", space)
    assert set(PUBLIC) <= set(space)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'mesure'"):
        sy.mesure  # noqa: B018


def modules_after(code: str) -> set[str]:
    script = code + "\nimport sys; print(' '.join({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_steelyard_imports_nothing_heavy() -> None:
    assert not modules_after("import steelyard") & set(HEAVY)


def test_weighing_a_matrix_needs_numpy_only() -> None:
    code = "import steelyard as sy; sy.measure('CBA')([[1,2],[3,4]]); sy.measure('mcc').score(['a','b'],['a','b'])"
    loaded = modules_after(code)
    assert "numpy" in loaded
    assert not loaded & set(HEAVY)


UNUSED_BY_A_SHORT_RUN = (
    "steelyard.judgement.priors",
    "steelyard.judgement.evaluate.production",
    "steelyard.judgement.evaluate.slices",
    "steelyard.measures.javascript",
    "steelyard.reading.logs",
    "steelyard.reading.rows",
    "steelyard.reading.score_counting",
    "steelyard.report.chart",
    "steelyard.report.drawing",
    "steelyard.report.page",
    "steelyard.scores.ranking_evaluation",
    "steelyard.scores.ranking_result",
    "steelyard.scores.score_bootstrap",
    "steelyard.scores.threshold_selection",
    "jinja2",
    "matplotlib",
    "numpy.ma",
    "numpy.polynomial",
    "pandas",
    "pyarrow",
    "scipy",
)
"""What no evaluation of labels on a terminal has a use for: scores, production, pages, drawing."""
MOST_MODULES_OF_A_SHORT_RUN = 135


def test_evaluating_a_file_on_a_terminal_imports_what_it_shows(tmp_path: Path) -> None:
    """Start-up in a figure that does not depend on the load of the machine: which modules are imported."""
    file = tmp_path / "small.csv"
    file.write_text("truth,pred\n" + "1,1\n0,0\n0,1\n1,0\n0,0\n" * 20)
    script = (
        "import sys; from steelyard.cli import main; main(['evaluate', sys.argv[1]]);"
        " print('modules:', *sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = run.stdout.rpartition("modules:")[2].split()
    for name in UNUSED_BY_A_SHORT_RUN:
        assert not [one for one in loaded if f"{one}.".startswith(f"{name}.")], name
    ours = [one for one in loaded if one.partition(".")[0] == "steelyard"]
    assert len(ours) <= MOST_MODULES_OF_A_SHORT_RUN, len(ours)


def test_evaluating_labels_needs_no_scipy() -> None:
    """`import scipy.special` costs as much as NumPy: only what asks for a distribution pays for it."""
    loaded = modules_after("import steelyard as sy; repr(sy.evaluate([0, 1, 1, 0] * 9, [0, 1, 0, 0] * 9))")
    assert "scipy" not in loaded


def test_the_version_is_told_without_importing_anything_else() -> None:
    loaded = modules_after("from steelyard.cli import main; main(['--version'])")
    assert not loaded & {*HEAVY, "numpy"}


def test_errors_are_one_tree() -> None:
    errors = importlib.import_module("steelyard.errors")
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, Exception)]
    assert len(classes) >= 6
    assert all(issubclass(c, sy.SteelyardError) for c in classes)
    assert issubclass(sy.InputError, ValueError)
    assert issubclass(sy.UndefinedError, ArithmeticError)


def test_every_module_says_what_it_is_for() -> None:
    for found in pkgutil.walk_packages(sy.__path__, "steelyard."):
        if found.name != "steelyard.__main__" and found.name not in real_parts.HEAVY:
            assert importlib.import_module(found.name).__doc__, found.name
