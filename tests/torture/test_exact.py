"""Is a run of exact arithmetic resumed where it ended?"""

from __future__ import annotations

from pathlib import Path

from torture.exact import run


def test_a_run_is_resumed(tmp_path: Path) -> None:
    state = tmp_path / "exact.json"
    first = run(60, step=901, state=state, seconds=0)
    assert first.compositions == 1
    rest = run(60, step=901, state=state)
    assert rest.wrong == []
    assert rest.compositions == rest.place == sum(rest.by_size.values()) > 10
    assert run(60, step=901, state=state).matrices == rest.matrices
