"""Does every path give the same answer on a few drawn cases, and would the fuzzer see it if one did not?"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from torture.fuzz.cases import ALPHABETS, Case, draw, from_text, to_text
from torture.fuzz.judging import PATHS, tried
from torture.fuzz.paths import Way, anything
from torture.fuzz.reference import Counted, counted
from torture.fuzz.running import corpus, fuzz, replay
from torture.fuzz.shrinking import shrunk


def test_what_once_failed_no_longer_does(tmp_path: Path) -> None:
    assert len(corpus()) > 10
    assert replay(tmp_path) == []


def test_drawn_cases_go_down_every_path() -> None:
    run = fuzz(1_200, seed=5)
    assert run.failures == {}
    assert run.executions >= 1_200
    assert len(run.by_path) > 15


@pytest.mark.parametrize("name", [path.name for path in PATHS.values() if path.often < 0.05])
def test_dear_paths_are_asked_too(name: str, tmp_path: Path) -> None:
    """The fuzzer asks files and commands rarely; here each of them gets three cases."""
    path, asked = PATHS[name], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(200):
            case = draw(random.Random(f"dear-{name}-{number}"))
            if asked < 3 and case.rows and path.takes(case):
                asked += 1
                assert tried(path, case, tmp_path) is None, to_text(case)
    assert asked == 3


def test_a_case_is_read_back_as_it_was_written() -> None:
    for number in range(50):
        case = draw(random.Random(number))
        if case.weights is None or all(w == w for w in case.weights):
            assert from_text(to_text(case)) == case


def test_a_path_that_forgets_a_row_is_found_and_the_case_shrunk(tmp_path: Path) -> None:
    def forgetful(case: Case, folder: Path) -> Counted | str:
        return counted(case.kept(lambda i: case.truths[i] != "(missing)"), refuses_strangers=False)

    path = Way("forgetful", "counts", forgetful, anything)
    rng = random.Random(11)
    truths = tuple(rng.choice(["(missing)", "b", "é"]) for _ in range(30))
    case = Case("text", truths, truths[::-1], slices=("DE",) * 30, listed=("b", "é", "(missing)"))
    assert tried(path, case, tmp_path) is not None
    small = shrunk(case, lambda smaller: tried(path, smaller, tmp_path) is not None)
    assert small.rows == 1
    assert small.truths == ("(missing)",)
    assert small.slices is None
    assert small.listed is None


def test_every_alphabet_is_drawn() -> None:
    assert {draw(random.Random(number)).kind for number in range(100)} == set(ALPHABETS)
