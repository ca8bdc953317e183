"""Thresholds, evaluations and files of scores, with intervals: against one sort of the same scores.

Times are seconds of CPU, and each is set beside a sort measured in the same breath, so that a busy machine changes
little. Peak memory is what the kernel says of the child itself (VmHWM), which starts at nothing with every program.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import steelyard as sy
from benchmarks.finding import Finding, Target
from benchmarks.timing import best_cpu_seconds, last_line, pace

Array = NDArray[Any]

MILLION = 1_000_000
EVALUATED = 150_000
REPLICATES = 200


class OfAFile(NamedTuple):
    """A call on a file of scores, and how many times reading its columns and sorting the scores once it may take."""

    what: str
    rows: int
    columns: str
    call: str
    most_time: float
    most_memory: float


OF_FILES = (
    OfAFile(
        "evaluate with a threshold",
        10 * MILLION,
        "y, p",
        "sy.evaluate(path, truth='y', score='p', threshold=0.5)",
        4,
        2,
    ),
    OfAFile(
        "evaluate with the best threshold",
        20 * MILLION,
        "y, p",
        "sy.evaluate(path, truth='y', score='p', threshold='best:gmean')",
        2.5,
        2.5,
    ),
    OfAFile(
        "threshold with a column of costs",
        20 * MILLION,
        "y, p, amount",
        "sy.threshold(path, 'p', truth='y', positive=1, cost='1>0=amount, 0>1=5')",
        4,
        3,
    ),
)
CHILD = """
import json, sys, time
def kernel(field):
    with open("/proc/self/status") as facts:
        return int(next(line for line in facts if line.startswith(field)).split()[1]) / 1024
import numpy as np
import steelyard as sy
many, path, call = sys.argv[1:]
repr(eval(call))  # a thousand rows: what is imported is not timed
before, path = kernel("VmHWM"), many
start = time.process_time()
repr(eval(call))
print(json.dumps([time.process_time() - start, before, kernel("VmHWM")]))
"""

READ = """
import json, sys, time
import duckdb
import numpy as np
start = time.process_time()
with duckdb.connect() as database:
    found = database.execute(f"SELECT {sys.argv[2]} FROM '{sys.argv[1]}'").fetchnumpy()
scores = np.asarray(found["p"])
read = time.process_time() - start
start = time.process_time()
np.sort(scores)
sort = time.process_time() - start
start = time.process_time()
np.sort(scores, kind="stable")
print(json.dumps([read, sort, time.process_time() - start]))
"""


def run() -> Iterator[Finding | str]:
    """Scores with intervals: a threshold of a million, an evaluation of 150,000, ten and twenty million in files."""
    yield from _threshold()
    yield from _evaluation()
    for case in OF_FILES:
        yield from _file(case)


def tied(rows: int, share: float = 0.02) -> tuple[Array, Array]:
    """Labels, and probabilities of six decimals as files hold them: many rows share a score."""
    generator = np.random.default_rng(20)
    truth = (generator.random(rows) < share).astype(np.int64)
    return truth, np.round(1 / (1 + np.exp(4 - generator.normal(size=rows) - 1.5 * truth)), 6)


def _threshold() -> Iterator[Finding | str]:
    truth, scores = tied(MILLION)
    times = best_cpu_seconds(
        {
            "sorting": lambda: np.sort(scores),
            "a stable sort": lambda: np.sort(scores, kind="stable"),
            "Steelyard": lambda: sy.best_threshold(sy.ScoreCounts.from_scores(truth, scores), "gmean"),
            "every score drawn, by hand": lambda: _by_hand(truth, scores, 5),
        },
        turns=3,
    )
    by_hand = times["every score drawn, by hand"] * REPLICATES / 5
    yield f"{MILLION:,} tied scores: sorting {times['sorting']:.4f} s, the threshold with intervals {times['Steelyard']:.2f} s of CPU, {REPLICATES} samples of every score in hand-written NumPy {by_hand:.1f} s"
    yield Finding(
        f"threshold of {MILLION:,} tied scores with interval and optimism, times one sort of them",
        times["Steelyard"] / times["sorting"],
        "x",
        Target("at most", 40),
    )
    yield Finding("the same, times a stable sort", times["Steelyard"] / times["a stable sort"], "x")
    yield Finding(
        "the same, times faster than drawing every score in hand-written NumPy",
        by_hand / times["Steelyard"],
        "x",
    )


def _by_hand(truth: Array, scores: Array, replicates: int) -> list[int]:
    """The bootstrap of the best G-mean as one would write it: sorted once, then a bincount and sums a sample."""
    generator = np.random.default_rng(0)
    order = np.argsort(-scores)
    first = np.flatnonzero(np.diff(scores[order], prepend=np.inf))
    actual, best = truth[order] == 1, []
    for _ in range(replicates):
        times = np.bincount(generator.integers(0, len(scores), len(scores)), minlength=len(scores))
        found = np.cumsum(np.add.reduceat(np.where(actual, times, 0), first))
        called = np.cumsum(np.add.reduceat(np.where(actual, 0, times), first))
        best.append(int(np.argmax(found / found[-1] * (1 - called / called[-1]))))
    return best


def _evaluation() -> Iterator[Finding | str]:
    truth, scores = tied(EVALUATED)
    slower = pace()
    seconds = best_cpu_seconds(
        {"Steelyard": lambda: sy.evaluate(truth, score=scores, threshold="best:gmean")}, turns=3
    )["Steelyard"]
    yield f"{EVALUATED:,} rows with scores: {seconds:.2f} s of CPU as measured; {slower:.2f} times as long for a stable sort as where the target was set"
    yield Finding(
        f"evaluation of {EVALUATED:,} rows with scores and threshold, where a stable sort of ten million takes 1.1 s",
        seconds / slower,
        "s",
        Target("at most", 3),
    )


def _file(case: OfAFile) -> Iterator[Finding | str]:
    import duckdb

    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        path = Path(folder) / "scores.parquet"
        with duckdb.connect() as database:
            database.execute(
                f"COPY (SELECT CAST(hash(i) % 50 = 0 AS BIGINT) AS y, (hash(i + 7) % 1000000007) / 1000000007.0"
                f" + 0.1 * CAST(hash(i) % 50 = 0 AS DOUBLE) AS p, CAST(1 + hash(i + 3) % 500 AS BIGINT) AS amount"
                f" FROM range({case.rows}) AS r(i)) TO '{path}' (FORMAT parquet)"
            )
            few = Path(folder) / "few.parquet"
            database.execute(f"COPY (SELECT * FROM '{path}' LIMIT 1000) TO '{few}' (FORMAT parquet)")
        read, sort, stable = map(min, zip(*(_child(READ, path, case.columns) for _ in range(3)), strict=True))
        seconds, before, peak = map(
            min, zip(*(_child(CHILD, path, few, case.call) for _ in range(3)), strict=True)
        )
    columns = (case.columns.count(",") + 1) * 8 * case.rows / 2**20
    yield f"{case.what}, {case.rows:,} rows of Parquet: read {read:.2f} s and sorted {sort:.2f} s, answered with intervals in {seconds:.2f} s of CPU, peak {peak:.0f} MB ({before:.0f} MB before)"
    yield Finding(
        f"{case.what}, {case.rows:,} rows of Parquet, times reading the columns and sorting once",
        seconds / (read + sort),
        "x",
        Target("at most", case.most_time),
    )
    yield Finding("the same, times reading and a stable sort", seconds / (read + stable), "x")
    yield Finding(
        "its memory beyond the start, times the columns",
        (peak - before) / columns,
        "x",
        Target("at most", case.most_memory),
    )


def _child(program: str, *arguments: object) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    found: list[float] = json.loads(last_line(done.stdout))
    return found
