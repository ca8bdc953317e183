"""The coverage study simulates what it says, and the intervals it counts are those of the package."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.resampling import Simulation, central_values, drawn_values


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "studies"))
    import coverage_cells

    yield coverage_cells
    sys.modules.pop("coverage_cells", None)


def test_every_pair_of_levels_meets(cells: Any) -> None:
    found = cells.design()
    assert len(found) >= 300
    for a, b in itertools.combinations(cells.FACTORS, 2):
        met = {(cell[a], cell[b]) for cell in found}
        assert met == set(itertools.product(cells.FACTORS[a], cells.FACTORS[b]))


def test_ends_are_order_statistics_without_bias(cells: Any) -> None:
    """Of 119 draws the third from either end is the 2.5% and 97.5% point: 3 / 120."""
    values = np.random.default_rng(0).random((4, 119))
    low, high = cells.ends(values)
    ordered = np.sort(values, axis=1)
    assert low.tolist() == pytest.approx(ordered[:, 2].tolist())
    assert high.tolist() == pytest.approx(ordered[:, -3].tolist())
    values[0, :19] = np.nan
    expected = np.quantile(values[0, 19:], [0.025, 0.975], method="weibull")
    assert [cells.ends(values)[0][0], cells.ends(values)[1][0]] == pytest.approx(expected.tolist())


def test_the_study_counts_the_intervals_of_the_package(cells: Any) -> None:
    """The same draws give the same ends but for the rule by which a quantile lies between two draws."""
    matrix = sy.Confusion([[18, 2, 1], [5, 80, 3], [0, 4, 200]], ("a", "b", "c"))
    joint = JointCounts.from_confusion(matrix)
    chosen = [sy.measure(name) for name in ("gmean", "CBA", "mcc")]
    drawn = drawn_values(joint, chosen, Simulation())
    centres = central_values(joint, chosen, Simulation())
    ours = sy.interval(matrix, chosen)
    for m in chosen:
        low, high = cells.corrected(drawn[m.name], centres[m.name])
        width = ours[m.name].high - ours[m.name].low
        assert low[0] == pytest.approx(ours[m.name].low, abs=0.005 * width)
        assert high[0] == pytest.approx(ours[m.name].high, abs=0.005 * width)


def test_models_agree_as_often_as_said(cells: Any) -> None:
    """Of rates .9 and .8, drawn together with probability a and otherwise apart: a (.8 + .1) + (1 - a) (.72 + .02)."""
    for agreement in (0.0, 0.5, 0.95):
        joint = cells.coupled(np.array([0.9, 0.1]), np.array([0.8, 0.2]), agreement)
        assert joint.sum(axis=1).tolist() == pytest.approx([0.9, 0.1])
        assert joint.sum(axis=0).tolist() == pytest.approx([0.8, 0.2])
        assert np.trace(joint) == pytest.approx(agreement * 0.9 + (1 - agreement) * 0.74)


def test_a_run_that_was_stopped_within_a_line_goes_on_after_the_last_whole_one(
    cells: Any, tmp_path: Path
) -> None:
    from coverage_of_intervals import resumed

    assert resumed(tmp_path / "none") == []
    progress = tmp_path / "progress.jsonl"
    progress.write_text('{"part": "cells", "cell": 3}\n{"part": "cells", "ce')
    assert resumed(progress) == [{"part": "cells", "cell": 3}]
    assert progress.read_text() == '{"part": "cells", "cell": 3}\n'
    progress.write_text('{"part"')
    assert resumed(progress) == []


def test_true_areas_of_rankings(cells: Any) -> None:
    """Two normal distributions whose means lie sqrt(2) times the 90% point apart have the area 0.9; with one edge at
    0 and no distance both classes have half of their examples on either side: area 1/2, precision the share."""
    from coverage_of_parts import _true_areas

    assert _true_areas(1.8123876, 0.2, np.empty(0))["roc_auc"] == pytest.approx(0.9, abs=1e-5)
    alike = _true_areas(0.0, 0.2, np.zeros(1))
    assert alike == pytest.approx({"roc_auc": 0.5, "average_precision": 0.2})


def test_test_sets_of_one_cell_are_added_up_and_earlier_versions_are_named(cells: Any) -> None:
    """500 sets of which 95% hold the truth and 1,500 of which 93% do are 2,000 of which 93.5% do."""
    from coverage_version import joined, version_of

    def entry(version: str, sets: int, coverage: float, cell: int = 3) -> dict[str, Any]:
        row = {"cell": cell, "method": "corrected", "measure": "mcc", "coverage": coverage, "sets": sets}
        return {"part": "cells", "cell": cell, "sets": sets, "version": version, "rows": [row]}

    entries = [
        entry("old", 500, 0.5),
        entry("new", 500, 0.95),
        entry("new", 1500, 0.93),
        entry("old", 500, 0.9, 4),
    ]
    found = joined(entries, {"cells": "new"})
    (row,) = found["cells", 3]
    assert (row["coverage"], row["sets"]) == (0.935, 2000)
    assert "earlier" not in row
    (row,) = found["cells", 4]
    assert (row["coverage"], row["earlier"]) == (0.9, "old")
    assert version_of("cells") == version_of("cells") != version_of("alarms")


def test_code_with_the_same_draws_is_no_other_version(cells: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import coverage_version

    of_alarms = coverage_version.version_of("alarms")
    monkeypatch.setattr(coverage_version, "_ALIKE", {of_alarms: "as before"})
    assert coverage_version.version_of.__wrapped__("alarms") == "as before"
    assert coverage_version.version_of.__wrapped__("cells") != "as before"


def test_comments_and_docstrings_are_no_other_version(cells: Any, tmp_path: Path) -> None:
    from coverage_version import _code

    one, other, third = (tmp_path / f"{name}.py" for name in "abc")
    one.write_text('"""Says."""\ndef f(x):\n    """Why?"""\n    return x + 1\n')
    other.write_text('"""Says more."""\n\n# why\ndef f(x):\n    return x + 1\n')
    third.write_text("def f(x):\n    return x + 2\n")
    assert _code(one) == _code(other) != _code(third)


def test_most_that_a_test_can_reject_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three examples: all of them for one model happen with probability 1/8 if models differ on each, so that no test of 5% may
    reject at all. Of five, all five (1/32) and four without one against them (at most 5 q^4 (1 - 2q) + q^5 = .039) may be."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "studies"))
    import most_rejected

    assert most_rejected.most_rejected_of(3, 0.5, 0.5, 0.05) == 0
    assert most_rejected.most_rejected_of(5, 0.5, 0.5, 0.05) == pytest.approx(2 / 32)
    assert most_rejected.most_rejected_of(5, 0.1, 0.1, 0.05) == pytest.approx(2 * (5 * 1e-4 * 0.8 + 1e-5))
    assert most_rejected.outcome_probabilities(4, 0.2, 0.3).sum() == pytest.approx(1)
    sys.modules.pop("most_rejected", None)
