"""How fast, and in how much memory, is a file of fifty million predictions evaluated?

The peer is what people do today: pandas.read_parquet, then sklearn.metrics.classification_report, on the same file. Each runs in a
process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.finding import Finding, Target
from benchmarks.timing import PEAK, last_line

ROWS = 50_000_000
PART = 2_000_000
CLASSES = 10
MOST_MEMORY = 1e9
LEAST_SPEED_UP = 20

OURS = (
    PEAK
    + """
import sys, time
start = time.perf_counter()
import steelyard
result = steelyard.evaluate(sys.argv[1], truth="y_true", pred="y_pred")
seconds = time.perf_counter() - start
print(seconds, peak(), result.matrix.total.item(), result.weighing["accuracy"].value)
"""
)

PEER = (
    PEAK
    + """
import sys, time
start = time.perf_counter()
import pandas
from sklearn.metrics import classification_report
frame = pandas.read_parquet(sys.argv[1])
report = classification_report(frame["y_true"], frame["y_pred"], output_dict=True)
seconds = time.perf_counter() - start
print(seconds, peak(), len(frame), report["accuracy"])
"""
)


STRONG = (
    PEAK
    + """
import sys, time
start = time.perf_counter()
import duckdb
from sklearn.metrics import classification_report
with duckdb.connect() as database:
    pairs = database.execute(f"SELECT y_true, y_pred, count(*) AS n FROM '{sys.argv[1]}' GROUP BY ALL").fetchnumpy()
report = classification_report(pairs["y_true"], pairs["y_pred"], sample_weight=pairs["n"], output_dict=True)
seconds = time.perf_counter() - start
print(seconds, peak(), pairs["n"].sum(), report["accuracy"])
"""
)


def run() -> Iterator[Finding | str]:
    """A file of fifty million predictions evaluated: against pandas and scikit-learn, and in bounded memory."""
    with tempfile.TemporaryDirectory(prefix="steelyard-bench-") as folder:
        whole, part = Path(folder) / "whole.parquet", Path(folder) / "part.parquet"
        start = time.perf_counter()
        write(whole, ROWS)
        yield f"file: {ROWS:,} rows, {CLASSES} classes of text, {whole.stat().st_size / 1e6:.0f} MB of Parquet, written in {time.perf_counter() - start:.0f} s"
        ours = min((measured(OURS, whole) for _ in range(3)), key=lambda m: m[0])
        yield f"steelyard.evaluate: {ours[0]:.2f} s from import to result (best of 3), peak {ours[1] / 1e6:.0f} MB, accuracy {ours[3]:.6f}"
        yield Finding(
            "peak memory of the evaluation", ours[1] / 1e6, "MB", Target("below", MOST_MEMORY / 1e6)
        )
        strong = min((measured(STRONG, whole) for _ in range(3)), key=lambda m: m[0])
        yield f"DuckDB GROUP BY + sklearn classification_report on weighted pairs: {strong[0]:.2f} s, no intervals, peak {strong[1] / 1e6:.0f} MB, accuracy {strong[3]:.6f}"
        yield Finding(
            "times DuckDB's GROUP BY and scikit-learn on weighted pairs, which give no intervals",
            ours[0] / strong[0],
            "x",
            Target("at most", 2),
        )
        write(part, PART)
        peer = measured(PEER, part)
        seconds = peer[0] * ROWS / PART
        how = f"extrapolated from {PART:,} rows in {peer[0]:.1f} s"
        yield f"pandas.read_parquet + sklearn classification_report: {seconds:.1f} s ({how}), peak {peer[1] / 1e6:.0f} MB, accuracy {peer[3]:.6f}"
        yield Finding(
            "times faster than pandas.read_parquet and sklearn classification_report",
            seconds / ours[0],
            "x",
            Target("at least", LEAST_SPEED_UP),
        )


def write(path: Path, rows: int) -> None:
    """Unequal classes and a classifier that is right four times in five; the same rows on every machine."""
    import duckdb

    with duckdb.connect() as database:
        database.execute(
            f"""COPY (
                SELECT 'class ' || t AS y_true, 'class ' || CASE WHEN hash(i + 1) % 5 > 0 THEN t ELSE (t + hash(i + 2) % {CLASSES}) % {CLASSES} END AS y_pred
                FROM (SELECT i, CAST(floor({CLASSES} * pow((hash(i) % 1000000) / 1e6, 4)) AS INTEGER) AS t FROM range({rows}) AS r(i))
            ) TO '{path}' (FORMAT parquet)"""
        )


def measured(program: str, path: Path) -> tuple[float, float, float, float]:
    """Seconds, peak bytes, rows and accuracy of a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    seconds, peak, rows, accuracy = map(float, last_line(done.stdout).split())
    return seconds, peak, rows, accuracy
