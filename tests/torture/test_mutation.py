"""Are faults planted as they should be, and are they found where a test looks and only there?"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from torture.mutation.mutants import ROOMS, drawn, files, mutants
from torture.mutation.survivors import PAGE, VERDICTS, page, survivors

ROOT = Path(__file__).resolve().parents[2]


def test_every_mutant_is_python_and_differs() -> None:
    for mutant in drawn(150, seed=9):
        source = mutant.source()
        assert source != (ROOT / mutant.file).read_text(encoding="utf-8")
        ast.parse(source)


def test_mutants_are_drawn_evenly_over_the_modules() -> None:
    number = len(files())
    counted = Counter(mutant.file for mutant in drawn(3 * number))
    assert max(counted.values()) <= 4
    assert len(counted) > 0.95 * number
    assert {Path(file).parts[2] for file in counted} == set(ROOMS)


def test_a_fault_in_how_pairs_are_counted_is_found(tmp_path: Path) -> None:
    """The fork server on one small module, with the tests of that module only."""
    words = [sys.executable, "-m", "torture.mutation", "4", "--state", str(tmp_path)]
    subprocess.run(
        [*words, "--room", "counts", "--tests", "tests/counts/test_pairs.py"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    entries = [json.loads(line) for line in (tmp_path / "mutants.jsonl").read_text().splitlines()]
    assert len(entries) == 4
    assert {entry["outcome"] for entry in entries} <= {"killed", "survived", "too long", "not run"}
    assert all(entry["outcome"] == "not run" for entry in entries if not entry["tests"])


def test_a_comparison_is_turned_at_its_edge() -> None:
    planted = [m for m in mutants("src/steelyard/counts/pairs.py") if m.what == "comparison"]
    assert any("<=" in m.before and "<=" not in m.after for m in planted)


def test_every_survivor_has_a_verdict_and_a_reason_and_stands_on_the_page() -> None:
    found = survivors()
    recorded = {*ROOMS, "properties"}  # the room was divided into proofs and auditing after the run
    assert {one.room for one in found} <= recorded
    assert {one.verdict for one in found} <= set(VERDICTS)
    assert all(len(one.why.split()) > 3 for one in found)
    assert PAGE.read_text(encoding="utf-8") == page(found)
