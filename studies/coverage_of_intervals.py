"""How often do 95 % intervals hold the truth?

Test sets of three classes are simulated from known rates, intervals are found with every method, and those that hold the true
value are counted. The result is written where the package reads it (coverage.json) and as a page (docs/coverage.md).

    python studies/coverage_of_intervals.py [--sets 2000] [--draws 2000] [--processes 2]
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.measures.measure import Measure, PositiveClassWarning, weigh
from steelyard.uncertainty.draws import drawn_values
from steelyard.uncertainty.intervals import IntervalFinder
from steelyard.uncertainty.paired import difference

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "src" / "steelyard" / "uncertainty" / "coverage.json"
PAGE = ROOT / "docs" / "coverage.md"
RARE = (5, 20, 200)
COMMON = (1000, 300)
RATES = {
    "weak": [[0.85, 0.10, 0.05], [0.25, 0.65, 0.10], [0.35, 0.25, 0.40]],
    "middling": [[0.92, 0.06, 0.02], [0.15, 0.80, 0.05], [0.20, 0.10, 0.70]],
    "strong": [[0.985, 0.01, 0.005], [0.04, 0.95, 0.01], [0.05, 0.03, 0.92]],
}
"""What the classifiers do with each true class; the last class is the rare one."""
LABELS = ("common", "less common", "rare")
MEASURES = ("accuracy", "balanced_accuracy", "gmean", "mcc", "macro_f1", "CBA", "balanced_precision")
METHODS = {
    "percentile": "jeffreys",
    "bca": "jeffreys",
    "posterior": "jeffreys",
    "posterior, uniform prior": "uniform",
}
LEVEL = 0.95
Task = tuple[int, str, int, int]
"""Size of the rare class, name of the classifier or pair, test sets, draws."""
Rows = list[dict[str, object]]


def measures() -> list[Measure]:
    return [sy.measure(name) for name in MEASURES]


def study(task: Task) -> Rows:
    """One size of the rare class and one classifier: coverage and mean width of every method and measure."""
    rare, classifier, sets, draws = task
    warnings.simplefilter("ignore", PositiveClassWarning)
    sizes, rates, chosen = np.array([*COMMON, rare]), np.array(RATES[classifier]), measures()
    truth = {m.name: m(sy.Confusion(sizes[:, None] * rates, LABELS), positive="rare") for m in chosen}
    random = np.random.default_rng([rare, list(RATES).index(classifier), 2026])
    held = {(method, m.name): 0 for method in METHODS for m in chosen}
    width = dict.fromkeys(held, 0.0)
    undefined = dict.fromkeys(held, 0)
    for number in range(sets):
        counts = np.stack([random.multinomial(n, p) for n, p in zip(sizes, rates, strict=True)])
        matrix = sy.Confusion(counts, LABELS)
        finders = {
            prior: IntervalFinder(matrix, chosen, LEVEL, draws, number, "stratified", prior, "rare", "nan")
            for prior in ("jeffreys", "uniform")
        }
        for method, prior in METHODS.items():
            for m in chosen:
                found = finders[prior].find(m, method.partition(",")[0])
                if math.isnan(found.low):
                    undefined[method, m.name] += 1
                    continue
                held[method, m.name] += found.low <= truth[m.name] <= found.high
                width[method, m.name] += found.high - found.low
    return [
        {
            "rare": rare,
            "classifier": classifier,
            "measure": name,
            "method": method,
            "coverage": round(held[method, name] / (sets - undefined[method, name]), 4),
            "width": round(width[method, name] / (sets - undefined[method, name]), 4),
            "undefined": undefined[method, name],
        }
        for method, name in held
    ]


PAIRS = {
    "weak and middling": ("weak", "middling"),
    "middling and strong": ("middling", "strong"),
    "middling and its equal": ("middling", "middling"),
}
FEW = (5, 20)
"""Differences are studied where methods differ: with 200 examples the intervals of single values agree whatever the method."""
SHARED = 0.7
"""How much of two models' predictions is drawn together, as alike as their rates allow; the rest is independent."""
PAIRED_METHODS = ("percentile", "posterior", "posterior, pairing ignored")


def coupled(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Joint rates of two predictions of one class, with these rates each."""
    alike = np.minimum(first, second)
    left = 1 - alike.sum()
    rest = (
        np.outer(first - alike, second - alike) / left if left > 1e-12 else np.zeros((len(first), len(first)))
    )
    return SHARED * (np.diag(alike) + rest) + (1 - SHARED) * np.outer(first, second)


def study_differences(task: Task) -> Rows:
    """One size of the rare class and one pair of models: coverage and mean width of the difference's intervals."""
    rare, pair, sets, draws = task
    sizes, chosen = np.array([*COMMON, rare]), measures()
    first, second = (np.array(RATES[name]) for name in PAIRS[pair])
    joint_rates = [coupled(a, b) for a, b in zip(first, second, strict=True)]
    ideal = weigh(
        chosen,
        sy.Confusion(np.stack([sizes[:, None] * first, sizes[:, None] * second]), LABELS),
        positive="rare",
    )
    truth = {name: values[0] - values[1] for name, values in ideal.items()}
    random = np.random.default_rng([rare, list(PAIRS).index(pair), 4202])
    held = {(method, m.name): 0 for method in PAIRED_METHODS for m in chosen}
    width, defined = dict.fromkeys(held, 0.0), dict.fromkeys(held, 0)
    places = np.array(list(itertools.product(range(3), repeat=3)))
    for number in range(sets):
        counts = np.concatenate(
            [random.multinomial(n, p.reshape(-1) / p.sum()) for n, p in zip(sizes, joint_rates, strict=True)]
        )
        seen = counts > 0
        joint = JointCounts(LABELS, ("first", "second"), places[seen, 0], places[seen, 1:], counts[seen])
        estimates = weigh(
            chosen, sy.Confusion(joint.matrices(joint.counts[None])[:, 0], LABELS), positive="rare"
        )
        drawn = dict(zip(PAIRED_METHODS, paired_draws(joint, chosen, draws, number), strict=True))
        for method, m in itertools.product(PAIRED_METHODS, chosen):
            name = m.name
            one, other = drawn[method][name]
            found = difference(
                m, (float(estimates[name][0]), float(estimates[name][1])), one, other, LEVEL, None, None
            )
            if not math.isnan(found.low):
                defined[method, name] += 1
                held[method, name] += found.low - 1e-12 <= truth[name] <= found.high + 1e-12
                width[method, name] += found.high - found.low
    return [
        {
            "rare": rare,
            "pair": pair,
            "measure": name,
            "method": method,
            "coverage": round(held[method, name] / defined[method, name], 4),
            "width": round(width[method, name] / defined[method, name], 4),
            "undefined": sets - defined[method, name],
        }
        for method, name in held
    ]


def paired_draws(
    joint: JointCounts, chosen: list[Measure], draws: int, seed: int
) -> Iterator[dict[str, np.ndarray]]:
    """Values of both models on drawn test sets, for each of PAIRED_METHODS."""
    yield drawn_values(joint, chosen, source="bootstrap", draws=draws, seed=seed, positive="rare")
    yield drawn_values(joint, chosen, source="posterior", draws=draws, seed=seed, positive="rare")
    alone = [
        drawn_values(
            joint.only([k]), chosen, source="posterior", draws=draws, seed=2 * seed + k, positive="rare"
        )
        for k in (0, 1)
    ]
    yield {m.name: np.concatenate([values[m.name] for values in alone]) for m in chosen}


def page(record: dict[str, object]) -> str:
    """The record as a page: one table for each size of the rare class."""
    rows, sets = record["rows"], record["sets"]
    assert isinstance(sets, int)
    error = 2 * math.sqrt(LEVEL * (1 - LEVEL) / sets)
    assert isinstance(rows, list)
    lines = [
        "# How often do the intervals hold the truth?",
        "",
        f"Measured by `make coverage-study`: {record['sets']:,} simulated test sets for each size and classifier, {record['draws']:,} draws for each interval,",
        f"nominal coverage {100 * LEVEL:.0f} %. The test sets have three classes of {COMMON[0]:,}, {COMMON[1]} and 5, 20 or 200 examples, fixed from set to set (stratified);",
        "the classifiers find 40 % (weak), 70 % (middling) or 92 % (strong) of the rare class. Balanced precision is that of the rare class against the rest.",
        f"Chance alone makes a true coverage of 95 % show as {100 * (LEVEL - error):.1f} to {100 * (LEVEL + error):.1f} (two standard errors). **Bold**: more than 3 points short.",
        "",
        "Each cell: coverage in per cent for the weak / middling / strong classifier, then the mean width of the middling one's intervals.",
    ]
    for rare in RARE:
        lines += [
            "",
            f"## {rare} examples of the rare class",
            "",
            "| measure | " + " | ".join(METHODS) + " |",
            "| --- |" + " --- |" * len(METHODS),
        ]
        for m in measures():
            cells = []
            for method in METHODS:
                by = {
                    r["classifier"]: r
                    for r in rows
                    if (r["rare"], r["measure"], r["method"]) == (rare, m.name, method)
                }
                cells.append(
                    " / ".join(_shown(by[c]["coverage"]) for c in RATES) + f"; {by['middling']['width']:.3f}"
                )
            lines.append(f"| {m.name} | " + " | ".join(cells) + " |")
    differences = record["differences"]
    assert isinstance(differences, list)
    lines += [
        "",
        "# And those of a difference between two models?",
        "",
        f"Two models on the same test sets, {100 * SHARED:.0f} % of their predictions drawn together. Each cell: coverage for {' / '.join(PAIRS)},",
        "then the mean width for the first pair. The last column shows what ignoring the pairing costs: wider intervals that cover more than they promise.",
    ]
    for rare in FEW:
        head = "| measure | " + " | ".join(PAIRED_METHODS) + " |"
        lines += [
            "",
            f"## Differences, {rare} examples of the rare class",
            "",
            head,
            "| --- |" + " --- |" * len(PAIRED_METHODS),
        ]
        for m in measures():
            cells = []
            for method in PAIRED_METHODS:
                by = {
                    r["pair"]: r
                    for r in differences
                    if (r["rare"], r["measure"], r["method"]) == (rare, m.name, method)
                }
                cells.append(
                    " / ".join(_shown(by[p]["coverage"]) for p in PAIRS)
                    + f"; {by['weak and middling']['width']:.3f}"
                )
            lines.append(f"| {m.name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *CONCLUSIONS, ""])


def _shown(coverage: float) -> str:
    return f"**{100 * coverage:.1f}**" if coverage < LEVEL - 0.03 else f"{100 * coverage:.1f}"


CONCLUSIONS = [
    "## What follows from it",
    "",
    '`method="auto"`, the default, reads this record: it takes the posterior where that stays within 3 points of its promise for a smallest class of the',
    "nearest studied size (by ratio), otherwise BCa or percentiles if one of those does, otherwise the method that comes nearest. A measure that is not in the",
    "table is treated like the worst one that is. Whatever method is used, an interval whose method fell more than 3 points short says so in its note.",
    'Class sizes are fixed here; nothing was measured for `design="multinomial"`. Comparisons use the joint posterior unless the bootstrap is asked for, and name in their',
    "notes the measures whose differences this record finds covered more than 3 points short at the size of the smallest class.",
    "An interval always reaches to its own estimate, and a bootstrap whose test sets are all alike (every rate 0 or 1) gives way to the posterior.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    with ProcessPoolExecutor(given.processes) as pool:
        rows = gathered(
            pool,
            study,
            [(rare, classifier, given.sets, given.draws) for rare in RARE for classifier in RATES],
        )
        differences = gathered(
            pool, study_differences, [(rare, pair, given.sets, given.draws) for rare in FEW for pair in PAIRS]
        )
    settings = {"level": LEVEL, "sets": given.sets, "draws": given.draws, "common": COMMON, "rates": RATES}
    write({**settings, "rows": rows, "differences": differences})


def gathered(pool: ProcessPoolExecutor, work: Callable[[Task], Rows], tasks: list[Task]) -> Rows:
    """The rows of all tasks, in their order, with a line of progress for each."""
    started, rows = time.perf_counter(), []
    for (rare, name, *_), found in zip(tasks, pool.map(work, tasks), strict=True):
        rows += found
        print(f"{time.perf_counter() - started:6.0f} s  rare class of {rare}, {name}", flush=True)
    return rows


def write(record: dict[str, object]) -> None:
    """The record where the package reads it, one row a line, and as a page."""
    tables = {key: value for key, value in record.items() if isinstance(value, list)}
    head = json.dumps({key: value for key, value in record.items() if key not in tables})[:-1]
    shown = [f'"{key}": [\n' + ",\n".join(map(json.dumps, table)) + "\n]" for key, table in tables.items()]
    RECORD.write_text(", ".join([head, *shown]) + "}\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")
    print(f"written: {RECORD.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
