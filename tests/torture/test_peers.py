"""Do we agree with what the peers' own tests ask, but for differences that are listed with who is right?"""

from __future__ import annotations

from pathlib import Path

from torture.peers.differences import DIFFERENCES
from torture.peers.replay import replay

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"


def test_every_difference_is_known() -> None:
    outcome = replay()
    assert outcome.unexplained == []
    assert outcome.compared > 12_000
    assert sum(outcome.differ.values()) < 0.01 * outcome.compared
    seen = {name.split(" ", 1)[1] for name in outcome.differ}
    assert seen == {difference.name for difference in DIFFERENCES}


def test_every_difference_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [d.name for d in DIFFERENCES if d.name not in text] == []
