"""A sample of the pairs of options that `make torture` draws by the thousand."""

from __future__ import annotations

import pytest

from torture.combinations import ASKED, Asked, executed, not_drawn, run


@pytest.mark.parametrize("asked", ASKED, ids=[f"{k}-{one.command}" for k, one in enumerate(ASKED)])
def test_pairs_of_options_give_a_result_or_a_sentence(asked: Asked) -> None:
    done = run(2, ASKED.index(asked), commands=(asked,))
    assert done.executions == 2
    assert not done.wrong


def test_an_option_that_no_pair_holds_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make torture` fails where `not_drawn` names an option."""
    assert not_drawn() == {}
    monkeypatch.setattr("torture.combinations.ASKED", (Asked("measures", ()),))
    assert not_drawn() == {"measures": {"--kind"}}


def test_a_wrong_pair_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torture.combinations.main", lambda words: 70)
    assert run(1, 0, commands=ASKED[:1]).wrong
    monkeypatch.setattr("torture.combinations.main", lambda words: 2)
    assert run(1, 0, commands=ASKED[:1]).wrong  # exit code 2 without a sentence
    assert executed(["metrics"])[0] == 2
