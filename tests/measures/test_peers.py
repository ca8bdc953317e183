"""Their names, our names: each is understood, and the page is the one the table writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import steelyard as sy
from steelyard.measures.peers import DIFFERENT, PEERS, plain_names, table

PAGE = Path(__file__).parents[2] / "docs" / "names.md"
NAMED = [(tool, theirs, ours) for tool, named in PEERS.items() for theirs, ours in named.items()]


@pytest.mark.parametrize(("tool", "theirs", "ours"), NAMED, ids=[f"{t}-{n}" for t, n, _ in NAMED])
def test_what_stands_in_the_table_is_a_measure(tool: str, theirs: str, ours: str) -> None:
    assert isinstance(sy.measure(ours), sy.Measure), tool
    if theirs in plain_names():
        assert sy.measure(theirs).name == sy.measure(ours).name, "their name means another measure here"


def test_what_is_different_is_not_taken_for_the_same() -> None:
    for _, theirs in DIFFERENT:
        assert theirs not in plain_names()


def test_names_that_users_type_first() -> None:
    for theirs, ours in (
        ("matthews_corrcoef", "mcc"),
        ("hamming_loss", "error_rate"),
        ("zero_one_loss", "error_rate"),
        ("cohen_kappa_score", "kappa"),
        ("bal_accuracy", "balanced_accuracy"),
    ):
        assert sy.measure(theirs).id == ours


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "write it again: python -m steelyard.measures.peers > docs/names.md"
    )
