"""Many models, many slices, streams: where people wait, against what they would write by hand."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from benchmarks.finding import Finding, Target
from benchmarks.timing import PEAK, best_cpu_seconds, child_cpu_seconds, last_line, pace

ROWS = 100_000
SLICES, SLICED_ROWS = 100_000, 1_000_000
STREAM, BATCH = 200, 1_000
WATCHED = 10_000_000
CLASSES = 5_000


def run() -> Iterator[Finding | str]:
    """Comparing twenty models, a hundred thousand slices, tallies of every kind, and watching a stream."""
    slower = pace()
    yield f"this machine takes {slower:.2f} times as long for a stable sort as the one on which targets in seconds were set, which go by it"
    yield from _models(slower)
    yield from _slices(slower)
    yield from _classes()
    yield from _tallies()
    yield from _watch()
    yield from _recommend()


def _models(slower: float) -> Iterator[Finding | str]:
    for classes, models in ((2, 20), (10, 20), (100, 5)):
        truth, predictions = _predictions(classes, models, ROWS)
        taken = best_cpu_seconds({"ours": partial(sy.compare, predictions, truth)}, turns=1)["ours"]
        yield f"{models} models, {classes} classes: {taken:.2f} s of CPU as measured"
        yield Finding(
            f"compare, {models} models, {classes} classes, {ROWS:,} rows, all pairs and measures",
            taken / slower,
            "s",
            Target("at most", 5),
        )
        if classes == 10:
            yield from _by_hand(truth, predictions, taken)


def _by_hand(truth: Any, predictions: dict[str, Any], ours: float) -> Iterator[Finding | str]:
    """The strongest thing one would write with NumPy: rows drawn again by their counts, one measure."""
    columns, draws = np.stack(list(predictions.values())), 20

    def way() -> Any:
        random, rows = np.random.default_rng(0), len(truth)
        found = np.empty((draws, len(columns)))
        for draw in range(draws):
            weights = random.multinomial(rows, np.full(rows, 1 / rows))
            for m, column in enumerate(columns):
                matrix = np.bincount(truth * 10 + column, weights, 100).reshape(10, 10)
                found[draw, m] = (np.diagonal(matrix) / matrix.sum(axis=1)).mean()
        return found

    taken = best_cpu_seconds({"by hand": way}, turns=1)["by hand"] / draws * 8_000
    yield f"a multinomial of the rows and bincount by hand, 8,000 draws of one measure: {taken:.0f} s, from {draws} draws"
    yield Finding(
        "compare, times faster than a multinomial by hand of one measure",
        taken / ours,
        "x",
        Target("at least", 5),
    )


def _slices(slower: float) -> Iterator[Finding | str]:
    import duckdb
    import pandas as pd
    from sklearn.metrics import f1_score

    random = np.random.default_rng(0)
    truth = random.choice(3, SLICED_ROWS, p=[0.7, 0.2, 0.1])
    predicted = np.where(random.random(SLICED_ROWS) < 0.8, truth, random.integers(0, 3, SLICED_ROWS))
    users = random.integers(0, SLICES, SLICED_ROWS)

    def ours() -> Any:
        result = sy.evaluate(truth, predicted, slices={"user": users})
        return result.to_dict(), str(result)

    some = 300

    def peer() -> Any:
        frame = pd.DataFrame({"y": truth, "p": predicted, "user": users})  # noqa: F841 (DuckDB finds it by name)
        counted = duckdb.query("SELECT user, y, p, count(*) AS n FROM frame GROUP BY ALL ORDER BY user")
        assert counted is not None
        groups = counted.df()
        return [
            f1_score(g.y, g.p, sample_weight=g.n, average="macro", zero_division=0)
            for _, g in groups[groups.user < some].groupby("user")
        ]

    taken = best_cpu_seconds({"ours": ours}, turns=1)["ours"]
    started = time.process_time()
    peer()
    beside = (time.process_time() - started) * SLICES / some
    yield f"DuckDB GROUP BY and one measure of scikit-learn on weighted pairs: {beside:.0f} s, from {some} slices"
    yield f"{SLICES:,} slices: {taken:.2f} s of CPU as measured"
    yield Finding(
        f"evaluate of {SLICES:,} slices, JSON and terminal included",
        taken / slower,
        "s",
        Target("at most", 8),
    )
    yield Finding(
        "the same, times faster than DuckDB and scikit-learn", beside / taken, "x", Target("at least", 5)
    )


CLASSES_ALONE = (
    PEAK
    + """
import json, sys, time
import numpy as np
import steelyard as sy
random = np.random.default_rng(0)
classes, rows = int(sys.argv[1]), 1_000_000
truth = (classes * random.random(rows) ** 3).astype(np.int64)
predicted = np.where(random.random(rows) < 0.8, truth, random.integers(0, classes, rows))
start = time.process_time()
result = sy.evaluate(truth, predicted)
text = str(result)
print(json.dumps([time.process_time() - start, peak() / 2**20, len(text)]))
"""
)


def _classes() -> Iterator[Finding | str]:
    import json

    done = subprocess.run(
        [sys.executable, "-c", CLASSES_ALONE, str(CLASSES)], check=True, capture_output=True, text=True
    )
    seconds, peak, _ = json.loads(last_line(done.stdout))
    yield f"{CLASSES:,} classes: {seconds:.2f} s of CPU as measured"
    yield Finding(
        f"evaluate of {CLASSES:,} classes, a million rows",
        seconds,
        "s",
        Target("at most", 5),
    )
    yield Finding("its peak memory", peak, "MB", Target("below", 1000))
    yield from _classes_of_a_file()


WATCHED_CHILD = """
import resource, subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
peak = 0
while child.poll() is None:
    try:
        with open(f"/proc/{child.pid}/status") as facts:
            peak = max([peak, *(int(line.split()[1]) for line in facts if line.startswith("VmHWM"))])
    except OSError:
        pass
    time.sleep(0.01)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, peak / 1024, child.returncode)
"""


def _classes_of_a_file() -> Iterator[Finding | str]:
    """The same many classes as pairs of text in a CSV file, by the command."""
    random = np.random.default_rng(0)
    rows = 200 * CLASSES
    truth = (CLASSES * random.random(rows) ** 3).astype(np.int64)
    called = np.where(random.random(rows) < 0.8, truth, random.integers(0, CLASSES, rows))
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        table = Path(folder) / "pairs.csv"
        with table.open("w") as file:
            file.write("truth,pred\n")
            file.writelines(f"k{t},k{p}\n" for t, p in zip(truth.tolist(), called.tolist(), strict=True))
        command = [
            sys.executable,
            "-m",
            "steelyard",
            "evaluate",
            str(table),
            "--truth",
            "truth",
            "--pred",
            "pred",
        ]
        done = subprocess.run(
            [sys.executable, "-c", WATCHED_CHILD, *command], check=True, capture_output=True, text=True
        )
    seconds, peak, code = map(float, done.stdout.split())
    if code:
        raise AssertionError(f"the command failed: {done.stderr}")
    yield f"{CLASSES:,} classes of a file: {seconds:.2f} s of CPU as measured"
    yield Finding(
        f"steelyard evaluate of {CLASSES:,} classes in {rows:,} rows of CSV, the whole command",
        seconds,
        "s",
        Target("at most", 5),
    )
    yield Finding("its peak memory, by the kernel", peak, "MB", Target("below", 1000))


def _recommend() -> Iterator[Finding | str]:
    """A whole command, the disk warm: what is loaded decides."""
    asked = [sys.executable, "-m", "steelyard", "recommend", "--classes", "two", "--priors-change"]
    seconds = child_cpu_seconds(asked, turns=5)
    beside = child_cpu_seconds([sys.executable, "-c", "import numpy"], turns=5)
    yield f"import numpy alone takes {beside:.2f} s of CPU"
    yield Finding("steelyard recommend, the whole command, of CPU", seconds, "s", Target("below", 0.3))


def _tallies() -> Iterator[Finding | str]:
    random = np.random.default_rng(0)
    names = np.array(["ok", "fraud", "other", "late", "lost"], dtype=object)
    numbers = [(random.integers(0, 5, BATCH), random.integers(0, 5, BATCH)) for _ in range(STREAM)]
    texts = [(names[y], names[p]) for y, p in numbers]

    def fed(batches: list[Any], **how: Any) -> Callable[[], Any]:
        def way() -> None:
            tally = sy.Tally(**how)
            for y, p in batches:
                tally.update(y, p)
            _ = tally.confusion

        return way

    times = best_cpu_seconds(
        {
            "integers": fed(numbers),
            "labels given": fed(numbers, labels=range(5)),
            "a window": fed(numbers, window=20_000),
            "decay": fed(numbers, decay=0.9999),
            "labels given and a window": fed(numbers, labels=range(5), window=20_000),
            "labels given and decay": fed(numbers, labels=range(5), decay=0.9999),
            "text": fed(texts),
            "text in a window": fed(texts, window=20_000),
            "text and decay": fed(texts, decay=0.9999),
            "text and labels given": fed(texts, labels=names),
            "text, labels given and a window": fed(texts, labels=names, window=20_000),
            "text, labels given and decay": fed(texts, labels=names, decay=0.9999),
        },
        turns=5,
    )
    least = times.pop("integers")
    yield f"a batch of {BATCH:,} integers: {least / STREAM * 1e6:.0f} µs"
    for name, taken in times.items():
        yield Finding(
            f"a tally with {name}, times that of integers", taken / least, "x", Target("at most", 3)
        )


def _watch() -> Iterator[Finding | str]:
    random = np.random.default_rng(0)
    names = np.array(["ok", "fraud", "other"])
    truth = random.choice(3, WATCHED, p=[0.9, 0.07, 0.03])
    predicted = np.where(random.random(WATCHED) < 0.9, truth, random.integers(0, 3, WATCHED))
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        table = Path(folder) / "stream.csv"
        with table.open("w") as file:
            file.write("truth,pred\n")
            file.writelines(f"{y},{p}\n" for y, p in zip(names[truth], names[predicted], strict=True))

        def reader() -> int:
            with table.open(newline="") as file:
                return sum(1 for _ in csv.reader(file))

        command = [sys.executable, "-m", "steelyard", "watch", str(table), "--every", str(WATCHED // 100)]
        times = best_cpu_seconds({"csv.reader": reader}, turns=2)
        times["ours"] = child_cpu_seconds(command, turns=2)
    yield f"{WATCHED:,} rows: csv.reader {times['csv.reader']:.1f} s, steelyard watch {times['ours']:.1f} s of CPU"
    yield Finding(
        "steelyard watch, times csv.reader", times["ours"] / times["csv.reader"], "x", Target("at most", 3)
    )


def _predictions(classes: int, models: int, rows: int) -> tuple[Any, dict[str, Any]]:
    """Models that share difficult rows."""
    random = np.random.default_rng(1)
    shares = 0.6 ** np.arange(classes) if classes <= 10 else 1 / np.arange(1, classes + 1)
    truth = random.choice(classes, rows, p=shares / shares.sum())
    hard = random.random(rows)
    return truth, {
        f"m{m}": np.where(
            0.7 * hard + 0.3 * random.random(rows) > 0.8 - 0.005 * m, random.integers(0, classes, rows), truth
        )
        for m in range(models)
    }


if __name__ == "__main__":
    for line in run():
        print(line)
