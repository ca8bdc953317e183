"""What is left after a kill and on a full disk, and are the bytes the same elsewhere? One quick command each; `make torture` does all."""

from __future__ import annotations

import json
from dataclasses import asdict

from torture.faults import killing, limits, sameness
from torture.faults.commands import COMMANDS

WEIGH = tuple(command for command in COMMANDS if command.name == "metrics")


def test_a_kill_leaves_whole_files() -> None:
    tried = killing.run(3, seed=1, commands=WEIGH, studies=False)
    assert tried.wrong == []
    assert json.loads(json.dumps(asdict(tried)))["kills"] == {"metrics": 3}  # as it is kept


def test_a_full_disk_leaves_the_old_files_and_says_a_sentence() -> None:
    tried = limits.run((450,), commands=WEIGH)
    assert tried.wrong == []
    assert tried.disk == 1


def test_bytes_do_not_depend_on_hash_seed_locale_or_clock() -> None:
    tried = sameness.run(("evaluate",), ("as it is", "hash seed 1", "locale C", "a clock that jumps"))
    assert tried.wrong == []
    assert tried.runs == 4
