"""`steelyard paper`: every entry of the papers is there, and every command in it shows something."""

from __future__ import annotations

import json
import shlex

import pytest

import steelyard_papers
from steelyard.cli import main
from steelyard.errors import UnknownNameError
from steelyard_papers.claim import Decided
from steelyard_papers.contents import Contents, PaperList, paper
from steelyard_papers.mullick2020.ratios import imbalance_ratio, rrt
from steelyard_papers.recorded import findings
from steelyard_papers.registry import FIVE, WHERE, find_papers, papers, statements

ENTRIES = [(found.key, entry) for found in papers() for entry in found.entries]
SHOWN_WITHOUT_DECIDING = sorted({e.command for _, e in ENTRIES if "claims --only" not in e.command})
CLAIMED = sorted({e.command for _, e in ENTRIES if "claims --only" in e.command})


def test_the_json_is_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert [one["paper"] for one in written][:5] == list(FIVE)
    commands = [entry["command"] for one in written for entry in one["entries"]]
    assert sorted(set(commands)) == sorted({*SHOWN_WITHOUT_DECIDING, *CLAIMED})
    for one in written:
        for entry in one["entries"]:
            assert entry["at"]
            assert entry["what"]
            assert entry["here"]
            assert entry["verdict"]


@pytest.mark.parametrize("command", SHOWN_WITHOUT_DECIDING)
def test_every_command_runs(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.strip()


def test_every_claim_named_is_decided(ledger: dict[str, Decided], capsys: pytest.CaptureFixture[str]) -> None:
    """All of them by the ledger of the tests, and a few by the command."""
    only = [shlex.split(command)[3] for command in CLAIMED]
    assert set(only) <= set(statements())
    assert all(ledger[name].finding.verdict and ledger[name].finding.evidence for name in only)
    asked = only[:: len(only) // 4]
    assert main(["claims", *(f"--only={name}" for name in asked), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert {one["id"] for one in written} == set(asked)
    assert [(one["verdict"], one["evidence"]) for one in written] == [
        (ledger[one["id"]].finding.verdict, ledger[one["id"]].finding.evidence) for one in written
    ]


@pytest.mark.whole
@pytest.mark.parametrize("command", CLAIMED)
def test_every_claim_is_decided_by_its_own_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)[1:]) == 0
    assert shlex.split(command)[3] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ("mortaz2020", "mortaz2020"),
        ("IAM", "mortaz2020"),
        ("imbalance accuracy metric", "mortaz2020"),
        ("10.1016/j.patcog.2020.107197", "mullick2020"),
        ("https://doi.org/10.1016/j.patcog.2020.107197", "mullick2020"),
        ("mAURPC-OVA", "mullick2020"),
        ("skrabanek", "skrabanek2017"),
        ("pr_B", "skrabanek2017"),
        ("OP", "garcia2012"),  # no part of "appropriateness"
        ("wAUC", "garcia2012"),
        ("rho_o", "mullick2020"),
        ("relevance-based", "branco2017"),
        ("García suitability", "garcia2012"),
    ],
)
def test_a_paper_is_found_by_key_title_symbol_and_doi(asked: str, key: str) -> None:
    found = paper(asked)
    assert isinstance(found, Contents)
    assert found.paper.key == key


def test_an_unknown_paper_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="mullick2020"):
        find_papers("nothing of the kind")


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        ("imbalance", ["mullick2020", "branco2017", "garcia2012", "mortaz2020"]),  # words of titles
        ("CBA", ["branco2017", "mortaz2020"]),
        ("κ_a", ["mullick2020", "gosgens2021"]),
    ],
)
def test_several_papers_are_listed(asked: str, keys: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert [one.key for one in find_papers(asked)] == keys
    assert main(["paper", asked]) == 0
    shown = capsys.readouterr().out
    assert all(key in shown for key in keys)
    assert "kovacs2022" not in shown
    assert ("Eq. 7" in shown) == (asked == "CBA")


def test_studies_and_entries_name_each_other() -> None:
    assert {entry.study for _, entry in ENTRIES if entry.study} <= set(WHERE)
    assert {entry.study or entry.drawn_by for _, entry in ENTRIES} - {""} == set(WHERE)
    for claim in findings():  # every finding of a study is a statement that names the study
        entry = statements()[claim["claim_id"]]
        assert claim["study"] in (entry.study, entry.drawn_by), claim["claim_id"]
    ids = [entry.id for _, entry in ENTRIES if entry.id]
    assert len(ids) == len(set(ids))


def test_the_functions_are_those_of_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(steelyard_papers.paper(), PaperList)
    assert main(["paper", "skrabanek2017"]) == 0
    assert capsys.readouterr().out.startswith(repr(steelyard_papers.paper("skrabanek2017")).strip())
    (row,) = steelyard_papers.claims(only=["mullick-t4p"]).table()
    assert row["verdict"] == "refuted"
    assert steelyard_papers.study("mullick2020-conditions").to_dict()["study"] == "mullick2020-conditions"
    with pytest.raises(AttributeError):
        steelyard_papers.papers_of_others  # noqa: B018


def test_a_question_of_ours_is_not_counted_as_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", "--only", "mullick-lb1", "--only", "mullick-t3.1"]) == 0
    shown = capsys.readouterr().out
    assert "1 claim of mullick2020: 1 proved. 1 question of ours: 1 not reproduced." in shown


def test_a_paper_in_place_of_a_study_names_its_studies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "show", "mortaz2020"]) == 2
    error = capsys.readouterr().err
    assert "mortaz2020-selection, mortaz2020-shuffles, mortaz2020-sweeps" in error
    assert "steelyard paper mortaz2020" in error


def test_ratios_by_hand() -> None:
    # Definition 2 names majority and minority by the training set: 20 of the majority, 40 of the minority.
    assert rrt({"fraud": 40, "ok": 20}, training={"fraud": 20, "ok": 980}) == 0.5
    assert rrt({"fraud": 40, "ok": 20}) == 2.0
    assert imbalance_ratio({"a": 10, "b": 40, "c": 400}) == 40.0
    with pytest.raises(ValueError, match="each with examples"):
        imbalance_ratio({"a": 10, "b": 0})
    with pytest.raises(ValueError, match="other classes"):
        rrt({"a": 1, "b": 2}, training={"a": 1, "c": 2})
