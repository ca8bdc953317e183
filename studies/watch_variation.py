"""False alarms of `steelyard watch` where class rates vary between blocks, and how soon a real change is detected.

    python -m studies.watch_variation 100       # streams a row; prints a table for docs/coverage-production.md

Streams of 40 blocks without a change (false alarms), and of 25 blocks with recall 0.7 falling to 0.5 after the tenth.
The cells were fixed before the run; the prior of the variation was chosen on streams of other random numbers.
"""

from __future__ import annotations

import sys
from statistics import NormalDist

import numpy as np

import steelyard as sy

NORMAL = NormalDist()


def block(random: np.random.Generator, recall: float, variation: float, rows: int = 2000) -> sy.Confusion:
    """5% positives, 2% false alerts; both rates vary on the probit scale."""
    rates = [NORMAL.cdf(NORMAL.inv_cdf(rate) + variation * random.normal()) for rate in (recall, 0.02)]
    positives = random.binomial(rows, 0.05)
    hits, alerts = random.binomial(positives, rates[0]), random.binomial(rows - positives, rates[1])
    return sy.Confusion([[hits, positives - hits], [alerts, rows - positives - alerts]], ["fraud", "ok"])


def first_alarm(
    random: np.random.Generator, recalls: list[float], variation: float, independent: bool
) -> int | None:
    watch = sy.Watch(measures=[], positive="fraud", independent=independent)
    for number, recall in enumerate(recalls):
        if watch.check(block(random, recall, variation)).alarms:
            return number
    return None


def main(streams: int) -> None:
    print(
        "| variation (probit sd) | false alarms | false alarms, `--independent` | detected within 3 and 10 blocks |"
    )
    print("| --- | --- | --- | --- |")
    for place, variation in enumerate((0.0, 0.1, 0.3)):
        alarms = {}
        for independent in (False, True):
            random = np.random.default_rng([95, place])
            found = [first_alarm(random, [0.7] * 40, variation, independent) for _ in range(streams)]
            alarms[independent] = sum(one is not None for one in found)
        random = np.random.default_rng([96, place])
        when = [first_alarm(random, [0.7] * 10 + [0.5] * 15, variation, False) for _ in range(streams)]
        soon = [sum(one is not None and 10 <= one < 10 + after for one in when) for after in (3, 10)]
        print(
            f"| {variation:g} | {100 * alarms[False] / streams:.0f}% | {100 * alarms[True] / streams:.0f}% |"
            f" {100 * soon[0] / streams:.0f}%, {100 * soon[1] / streams:.0f}% |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
