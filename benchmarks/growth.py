"""Growth of cost: exponents of CPU time and peak memory against rows, classes, models, slices and draws.

Every call runs in a process of its own at sizes a factor of ten (models: three) apart. What the smallest call needs is taken off, and a line is fitted to the logarithms of what is left where that is more than noise: a
slope of 1 is linear, 0 is no growth. Times are CPU, so that a busy machine changes little.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.finding import Finding, Target
from benchmarks.timing import last_line

ROWS = (100, 10_000, 100_000, 1_000_000, 10_000_000)
STREAMED = (2_000, 10_000, 100_000, 1_000_000)
CLASSES = (2, 10, 100, 1_000)
MODELS = (2, 3, 10, 30)
SLICES = (1, 10, 100, 1_000, 10_000)
SETS = (3, 10, 100)
TABLES = (10, 100, 1_000)
PLANNED = (2, 10, 100)
DRAWS = (100, 1_000, 10_000, 100_000)
MOST = 10_000_000
"""The largest size that is measured."""
FEWEST_SECONDS, LEAST_MEMORY = 0.02, 4.0
"""Seconds and megabytes above the smallest call below which a difference is noise."""
LINEAR = Target("at most", 1.1)

CALLS: dict[str, tuple[Sequence[int], str, Target | None]] = {
    "rows: evaluate": (ROWS, "sy.evaluate(rows(n), truth='y', pred='a')", LINEAR),
    "rows: evaluate --score --threshold best:gmean": (
        ROWS,
        "sy.evaluate(rows(n), truth='y', score='p', threshold='best:gmean')",
        LINEAR,
    ),
    "rows: evaluate --slices": (ROWS, "sy.evaluate(rows(n), truth='y', pred='a', slices='s')", LINEAR),
    "rows: threshold --maximise": (
        ROWS,
        "sy.threshold(rows(n), truth='y', score='p', maximise='gmean')",
        LINEAR,
    ),
    "rows: threshold --cost with a column": (
        ROWS,
        "sy.threshold(rows(n), truth='y', score='p', positive=1, cost='1>0=amount, 0>1=4')",
        LINEAR,
    ),
    "rows: compare": (ROWS, "sy.compare(rows(n), 'y', pred=['a', 'b'], draws=500)", LINEAR),
    "rows: priors": (ROWS, "sy.priors(rows(n), truth='y', score='p', unlabelled=rows(n))", LINEAR),
    "rows: compare --score": (ROWS, "sy.compare(rows(n), 'y', scores=['p', 'q'], draws=500)", LINEAR),
    "rows: evaluate --production": (
        ROWS,
        "sy.evaluate(rows(n), truth='y', score='p', threshold=0.4, production=rows(n))",
        LINEAR,
    ),
    "rows: recommend --data": (ROWS, "sy.recommend(rows(n), truth='y', pred='a')", LINEAR),
    "rows: audit of a table": (TABLES, "sy.audit(table(n), 'a=30, b=70')", LINEAR),
    "data sets: compare --dataset": (
        SETS,
        "sy.compare(slices(n), 'y', pred=['a', 'b'], dataset='s', draws=500)",
        None,
    ),
    "classes: plan": (PLANNED, "sy.plan('macro_recall', 0.1, classes=n)", None),
    "rows: gate": (ROWS, "sy.gate(rows(n), truth='y', pred='a', positive=1, min={'recall': 0.5})", LINEAR),
    "rows: sample": (ROWS, "sy.sample(rows(n), 90, score='p', positive='1', metric='recall')", LINEAR),
    "rows: multilabel": (ROWS, "sy.multilabel(rows(n), truth='t_*', pred='q_*')", LINEAR),
    "rows: watch, blocks of 1,000": (
        STREAMED,
        "sy.watch(stream(n), truth='y', pred='a', positive='1', every=1000)",
        LINEAR,
    ),
    "rows: watch --unlabelled, blocks of 1,000": (
        STREAMED,
        "sy.watch(stream(n), score='p', positive='1', every=1000, unlabelled=True, reference=stream(10_000), truth='y')",
        LINEAR,
    ),
    "classes: metrics": (CLASSES, "sy.metrics(classes(n))", None),
    "classes: evaluate, counts without intervals": (
        CLASSES,
        "sy.evaluate(classes(n), interval=None)",
        None,
    ),
    "models: compare": (
        MODELS,
        "sy.compare(models(n), 'y', pred=[f'm{k}' for k in range(n)], draws=500, measures='gmean')",
        None,
    ),
    "slices: evaluate": (SLICES, "sy.evaluate(slices(n), truth='y', pred='a', slices='s')", None),
    "draws: intervals": (
        DRAWS,
        "sy.interval([[90, 10], [30, 870]], ['gmean', 'f1'], draws=n)",
        None,
    ),
}
CHILD = """
import json, sys, time
import numpy as np, pandas as pd
import steelyard as sy
def kernel(field):
    with open("/proc/self/status") as facts:
        return int(next(line for line in facts if line.startswith(field)).split()[1]) / 1024
def rows(n):
    return f"{folder}/{n}-20.parquet"
def stream(n):
    return f"{folder}/{n}-20.csv"
def slices(n):
    return f"{folder}/{max(20 * n, 20_000)}-{n}.parquet"
def classes(n):
    counts = np.eye(n, dtype=np.int64) * 8
    counts[np.arange(n), (np.arange(n) * 7 + 1) % n] += 2
    return counts
def models(n):
    rng = np.random.default_rng(1)
    truth = rng.random(2000) < 0.3
    return pd.DataFrame({"y": truth} | {f"m{k}": np.where(rng.random(2000) < 0.8, truth, ~truth) for k in range(n)})
def table(n):
    path = f"{folder}/table-{n}.csv"
    with open(path, "w") as file:
        file.write("name,accuracy,recall\\n" + "".join(f"m{k},0.8{k % 10},0.8\\n" for k in range(n)))
    return path
folder, call = sys.argv[3], compile(sys.argv[4], "call", "eval")
n = int(sys.argv[2])
eval(call)  # the smallest: what is imported and opened first is not measured
n = int(sys.argv[1])
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")  # the peak of memory starts again
before, start = kernel("VmRSS"), time.process_time()
eval(call)
print(json.dumps([time.process_time() - start, kernel("VmHWM") - before]))
"""


def write_rows(path: Path, rows: int, slices: int) -> None:
    """Truth y (5% positives), scores p and q, two predictions a and b, a slice s, an amount, and two labels with predictions."""
    import duckdb

    truth = "(hash(i) % 20 = 0)::INT"
    noise = "(hash(i + 1) % 1000003 + hash(i + 2) % 1000033) / 1e6 - 1"
    score = f"least(1, greatest(0, 0.25 + 0.2 * {truth} + 0.1 * ({noise})))"
    query = (
        f"SELECT {truth} AS y, {score} AS p, p + 0.05 * (hash(i + 7) % 1000003 / 1000003) AS q, (p > 0.35)::INT AS a, (p > 0.4)::INT AS b,"
        f" hash(i + 3) % {slices} AS s, (hash(i + 4) % 10000) / 100 AS amount, y AS t_1, (hash(i + 5) % 7 = 0)::INT AS t_2,"
        f" a AS q_1, (hash(i + 5) % 7 = 0 AND hash(i + 6) % 3 > 0)::INT AS q_2 FROM range({rows}) t(i)"
    )
    with duckdb.connect() as database:
        database.execute("SET enable_progress_bar = false")
        answer = database.sql(query)
        answer.write_csv(str(path)) if path.suffix == ".csv" else answer.write_parquet(str(path))


def run() -> Iterator[Finding | str]:
    """Exponents of time and memory over three decades of rows, classes, slices and draws (one of models)."""
    with tempfile.TemporaryDirectory(prefix="steelyard-growth-") as folder:
        for name, (all_sizes, call, target) in CALLS.items():
            sizes = [size for size in all_sizes if size <= MOST]
            costs = np.array([_cost(call, size, sizes[0], Path(folder)) for size in sizes])
            shown = ", ".join(
                f"{n:,}: {s:.2f} s {m:.0f} MB" for n, (s, m) in zip(sizes, costs.tolist(), strict=True)
            )
            yield f"{name}: {shown}"
            for what, values, least in (
                ("time", costs[:, 0], FEWEST_SECONDS),
                ("memory", costs[:, 1], LEAST_MEMORY),
            ):
                slope = exponent(sizes, values, least)
                yield Finding(f"{name}, {what}", 0.0 if slope is None else slope, "", target)


def exponent(sizes: Sequence[int], costs: Sequence[float] | np.ndarray, least: float) -> float | None:
    """The slope of a line through the logarithms of what sizes cost more than the smallest one, or between the two
    largest where that is steeper; None, no growth, where fewer than two cost half as much again, and `least` more."""
    above = np.asarray(costs, dtype=np.float64) - costs[0]
    worth = above > max(least, 0.5 * costs[0])
    if worth.sum() < 2:
        return None
    x, y = np.log(np.asarray(sizes)[worth]), np.log(above[worth])
    return float(max(np.polyfit(x, y, 1)[0], (y[-1] - y[-2]) / (x[-1] - x[-2])))


def _cost(call: str, size: int, smallest: int, folder: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of one call, in a process of its own."""
    for n in (smallest, size):
        made = {
            "stream(n)": [f"{n}-20.csv", "10000-20.csv"],
            "rows(n)": [f"{n}-20.parquet"],
            "slices(n)": [f"{max(20 * n, 20_000)}-{n}.parquet"],
        }
        for name in next((names for what, names in made.items() if what in call), []):
            if not (folder / name).exists():
                rows, _, slices = name.partition(".")[0].partition("-")
                write_rows(folder / name, int(rows), int(slices))
    command = [sys.executable, "-c", CHILD, str(size), str(smallest), str(folder), call]
    seconds, memory = json.loads(
        last_line(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    )
    return seconds, memory
