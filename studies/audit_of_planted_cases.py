"""How often does the audit decide macro averages of three classes, how fast, and is it ever wrong?

1,000 random matrices of three classes; two to four of accuracy, macro recall, macro precision, macro F and G-mean are printed to two, three or four
digits, in half of the cases with one digit changed. The truth is found by listing every matrix of these sizes. Then 100 larger
cases, of which only the unchanged half has a known truth, and all recorded cases of mlscorecheck with its seconds beside ours.
Run with `make audit-study` (or with another number of cases and seed: python -m studies.audit_of_planted_cases 1000 7); seconds are seconds of computing, not of waiting.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter

import numpy as np

from steelyard.auditing.options import Options, demands_of, sizes_of
from steelyard.auditing.problem.printed_numbers import statements
from steelyard.auditing.problem.settings import Decision, OneMatrix
from steelyard.auditing.search.branch_and_bound import Budget
from tests.auditing.brute_force import fitting, values
from tests.oracles.mlscorecheck_cases import CASES, question

MEASURES = ("accuracy", "macro_recall", "macro_precision", "macro_f1", "gmean")
LARGEST = 9
"""Examples of a class, at most: up to 166,375 matrices are listed for each case."""
LIMIT = 2.0
"""Seconds within which a case has to be decided."""


def drawn(rng: random.Random, largest: int) -> tuple[tuple[int, ...], dict[str, str], bool]:
    """Sizes, printed values, and whether a digit was changed."""
    while True:
        sizes = tuple(rng.randint(3, largest) for _ in range(3))
        matrix = np.zeros((3, 3), dtype=int)
        for row, size in enumerate(sizes):
            for column in rng.choices(range(3), [4 if row == c else 1 for c in range(3)], k=size):
                matrix[row, column] += 1
        names = rng.sample(MEASURES, rng.choice((2, 3, 4)))
        printed = {name: f"{values(name, matrix[None])[0]:.{rng.choice((2, 3, 4))}f}" for name in names}
        if "nan" not in printed.values():
            break
    changed = rng.random() < 0.5
    if changed:
        name = rng.choice(names)
        text = printed[name]
        place = rng.randrange(text.index(".") + 1, len(text))
        printed[name] = text[:place] + str((int(text[place]) + rng.randint(1, 9)) % 10) + text[place + 1 :]
    return sizes, printed, changed


def decided(sizes: tuple[int, ...], printed: dict[str, str]) -> tuple[Decision, float]:
    known = sizes_of(Options("", list(sizes)), [])
    start = time.process_time()
    decision = OneMatrix(known).decide(
        demands_of(statements(printed), known, None, "nearest"), Budget(LIMIT), wanted=1
    )
    return decision, time.process_time() - start


def planted(count: int, seed: int = 2026) -> None:
    rng, tally, seconds = random.Random(seed), Counter[str](), []
    while sum(tally.values()) < count:
        sizes, printed, _ = drawn(rng, LARGEST)
        fits, tie = fitting(printed, sizes)
        if tie:
            continue  # doubles cannot tell the truth there
        decision, spent = decided(sizes, printed)
        truth = "possible" if fits else "impossible"
        tally[
            "undecided"
            if decision.answer == "undecided"
            else "right"
            if decision.answer == truth
            else "WRONG"
        ] += 1
        seconds.append(spent)
    print(
        f"{count} planted cases of up to {3 * LARGEST} examples: {dict(tally)}; seconds: {summary(seconds)}"
    )


def larger(count: int, seed: int = 7) -> None:
    rng, tally, seconds = random.Random(seed), Counter[str](), []
    for _ in range(count):
        sizes, printed, changed = drawn(rng, 300)
        decision, spent = decided(sizes, printed)
        tally[decision.answer] += 1
        if decision.answer == "impossible" and not changed:
            tally["WRONG"] += 1
        seconds.append(spent)
    print(f"{count} planted cases of up to 900 examples: {dict(tally)}; seconds: {summary(seconds)}")


def peer() -> None:
    for kind in dict.fromkeys(case["kind"] for case in CASES):
        tally, ours, theirs, slower, slower_at_first = Counter[str](), [], [], 0, 0
        for case in (case for case in CASES if case["kind"] == kind):
            demands, setting = question(case)
            start = time.process_time()
            setting.decide(demands, Budget(10), wanted=1)  # the first call pays for what is only loaded once
            slower_at_first += time.process_time() - start > 2 * case["seconds"]
            start = time.process_time()
            answer = setting.decide(demands, Budget(10), wanted=1).answer
            ours.append(time.process_time() - start)
            theirs.append(case["seconds"])
            slower += ours[-1] > 2 * theirs[-1]
            expected = "impossible" if case["inconsistent"] else "possible"
            tally["same" if answer == expected else answer] += 1
        print(
            f"mlscorecheck, {kind}: {dict(tally)}; seconds here {summary(ours)}, there {summary(theirs)};"
            f" more than twice as slow: {slower}, at the first call: {slower_at_first}"
        )


def summary(seconds: list[float]) -> str:
    array = np.array(seconds)
    return f"median {np.median(array):.3f}, 90% {np.quantile(array, 0.9):.3f}, most {array.max():.3f}"


if __name__ == "__main__":
    planted(
        int(sys.argv[1]) if len(sys.argv) > 1 else 1000, seed=int(sys.argv[2]) if len(sys.argv) > 2 else 2026
    )
    larger(100)
    peer()
