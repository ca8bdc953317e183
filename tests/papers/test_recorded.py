"""The recorded runs: whole, full-sized, and the source of the pages in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.errors import InputError, UnknownNameError
from steelyard_papers.checkpoints import checksum
from steelyard_papers.keep import keep, page_of
from steelyard_papers.recorded import findings, recorded, recorded_names
from steelyard_papers.registry import WHERE, studies, study

DOCS = Path(__file__).parents[2] / "docs" / "studies"


def test_every_study_has_a_recorded_run() -> None:
    assert recorded_names() == sorted(WHERE)


@pytest.mark.parametrize("name", WHERE)
def test_the_page_comes_from_the_recorded_run(name: str) -> None:
    result = recorded(name)
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == page_of(result)
    assert result["quick"] is False
    assert result["run"]["seconds"] >= 0
    assert {"numpy", "python", "steelyard"} <= set(result["run"]["versions"])
    for picture in result["pictures"]:
        assert (DOCS / "figures" / f"{name}-{picture}.svg").stat().st_size > 1000


def test_findings_have_what_a_ledger_needs() -> None:
    found = findings()
    for finding in found:
        assert set(finding) - {"verdict", "probability"} == {
            "study",
            "claim_id",
            "statement",
            "reproduced",
            "paper_figure",
            "our_figure",
            "words",
        }
        assert isinstance(finding["reproduced"], bool)
        assert all(finding[key] for key in ("statement", "paper_figure", "our_figure", "words"))
    ids = [finding["claim_id"] for finding in found]
    assert len(ids) == len(set(ids))
    assert {
        "mullick-x1",
        "mullick-x5",
        "branco-d1",
        "branco-t5",
        "garcia-c3",
        "skrabanek-g1",
        "mortaz-x1",
    } <= set(ids)


def test_the_counts_found_by_another_program() -> None:
    # 2-3-9-10, counted elsewhere by merging sufficient statistics: 12,584,000 matrices, 289 different macro recalls, 8,871 values of RCI.
    rows = next(t for t in recorded("branco2017-discrimination")["tables"] if t["name"] == "discrimination")[
        "rows"
    ]
    counted = {row[3]: row[4] for row in rows if row[1] == "2-3-9-10"}
    assert {row[2] for row in rows if row[1] == "2-3-9-10"} == {12_584_000}
    assert counted["Rec_M"] == 289
    assert counted["RCI"] == 8871
    assert len(rows) == 18 * 33


def test_float_counts_are_those_of_the_authors_code() -> None:
    # Run elsewhere with the authors' own code on the eight multi-minority problems: zero or negative differences in 3 of
    # 32 comparisons of recall and 4 of 32 of CBA, in none of the others.
    rows = next(t for t in recorded("branco2017-discrimination")["tables"] if t["name"] == "differences")[
        "rows"
    ]
    without = dict.fromkeys(("Rec", "Prec", "F_1", "AvF_1", "CBA"), 0)
    for scenario, _, base, _, _, by_floats in rows:
        without[base] += scenario == "multi-minority" and by_floats <= 0
    assert without == {"Rec": 3, "Prec": 0, "F_1": 0, "AvF_1": 0, "CBA": 4}


def test_every_page_says_what_was_settled_and_when() -> None:
    for name in WHERE:
        choices = recorded(name)["choices"]
        assert choices, name
        assert {choice["when"] for choice in choices} <= {
            "beforehand",
            "after results were seen",
            "not recorded",
        }
        page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        assert all(choice["what"] in page for choice in choices)


def test_names() -> None:
    assert [found.name for found in studies()] == list(WHERE)
    with pytest.raises(UnknownNameError, match="did you mean 'garcia2012-correlation'"):
        study("garcia2012-corelation")
    with pytest.raises(UnknownNameError, match="no recorded study"):
        recorded("nothing")


def test_a_quick_run_is_not_kept(tmp_path: Path) -> None:
    from steelyard_papers.runner import run
    from tests.papers.toy import STUDY

    run(STUDY, out=tmp_path, quick=True)
    with pytest.raises(InputError, match="a quick run is not kept"):
        keep(tmp_path / "toy-quick", tmp_path, tmp_path)
    full = run(STUDY, out=tmp_path)
    (tmp_path / "recorded").mkdir()
    assert keep(tmp_path / "toy", tmp_path, tmp_path / "docs").exists()
    assert full["checksum"] == checksum(
        {key: value for key, value in full.items() if key not in ("checksum", "run")}
    )
