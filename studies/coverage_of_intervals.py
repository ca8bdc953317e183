"""How often do 95 % intervals hold the truth?

Test sets are simulated from known rates, intervals are found as a user would find them, and those that hold the true value are
counted, in the cells of a space-filling design in which every pair of levels meets. The result is written where the package reads
it (coverage.json) and as a page (docs/coverage.md). A run can be stopped and started again: cells that are done are not repeated.

    python studies/coverage_of_intervals.py [--quick] [--processes 2] [--progress FILE] [--minutes N]
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
import warnings
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.measures.measure import Measure, PositiveClassWarning, weigh
from steelyard.uncertainty.intervals import IntervalFinder
from steelyard.uncertainty.paired import paired_differences

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "src" / "steelyard" / "uncertainty" / "coverage.json"
PAGE = ROOT / "docs" / "coverage.md"
PROGRESS = ROOT / "studies" / "coverage_of_intervals.progress.jsonl"
LEVEL = 0.95
CELLS = 320
FACTORS: dict[str, Sequence[Any]] = {
    "classes": (2, 3, 5, 10, 20, 50),
    "rare": (3, 5, 10, 20, 50, 200),
    "rate": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.99, 1.0),
    "rates": ("equal", "unequal"),
    "confusions": ("spread", "concentrated"),
    "sizes": ("equal", "one rare", "falling"),
    "design": ("sample", "fixed"),
    "of": ("single", "single again", "difference"),
    "agreement": (0.0, 0.5, 0.8, 0.95),
}
"""Levels of the design. "single again" only gives single models twice the cells of differences; agreement is that of two models."""
MEASURES = (
    "accuracy",
    "balanced_accuracy",
    "macro_precision",
    "macro_f1",
    "mcc",
    "kappa",
    "CBA",
    "gmean",
    "precision",
    "f1",
)
ALSO = ("posterior", "percentile", "bca")
"""Methods that are studied beside the default where there are few classes."""
Cell = dict[str, Any]


def design(cells: int = CELLS, seed: int = 2026) -> list[Cell]:
    """Cells in which every pair of levels of two factors meets, as far apart as greedy choice makes them."""
    random = np.random.default_rng(seed)
    waiting = {
        (a, x, b, y) for a, b in itertools.combinations(FACTORS, 2) for x in FACTORS[a] for y in FACTORS[b]
    }
    found: list[Cell] = []
    often: dict[tuple[str, Any], int] = defaultdict(int)
    pairs = list(itertools.combinations(FACTORS, 2))
    while len(found) < cells or waiting:
        tries = [
            {name: levels[random.integers(len(levels))] for name, levels in FACTORS.items()}
            for _ in range(60)
        ]
        worth = [
            (
                sum((a, cell[a], b, cell[b]) in waiting for a, b in pairs),
                -sum(often[item] for item in cell.items()),
            )
            for cell in tries
        ]
        best = tries[max(range(len(tries)), key=worth.__getitem__)]
        waiting -= {(a, best[a], b, best[b]) for a, b in pairs}
        for item in best.items():
            often[item] += 1
        found.append({"cell": len(found), **best})
    return found


def sizes_of(cell: Cell) -> np.ndarray:
    """Examples of each class; the last class is the rare one."""
    classes, rare = cell["classes"], cell["rare"]
    if cell["sizes"] == "equal":
        return np.full(classes, rare)
    if cell["sizes"] == "one rare":
        return np.array([*[10 * rare] * (classes - 2), 190 * rare, rare][-classes:])
    return np.rint(np.geomspace(30 * rare, rare, classes)).astype(int)


def rates_of(cell: Cell, shift: float = 0.0) -> np.ndarray:
    """What the classifier does with each true class; a second classifier has recalls that differ by `shift`."""
    classes, rate = cell["classes"], cell["rate"]
    recalls = np.full(classes, rate)
    if cell["rates"] == "unequal":
        recalls = np.clip(rate + np.linspace(0.15, -0.15, classes), 0.05, 1.0)
    recalls = np.clip(recalls + shift, 0.02, 1.0)
    errors = np.ones((classes, classes))
    if cell["confusions"] == "concentrated":
        errors = np.full((classes, classes), 0.1 / classes)
        errors[np.arange(classes), (np.arange(classes) + 1) % classes] = 1
    np.fill_diagonal(errors, 0)
    rates = errors / errors.sum(axis=1, keepdims=True) * (1 - recalls)[:, None]
    np.fill_diagonal(rates, recalls)
    return rates


def coupled(first: np.ndarray, second: np.ndarray, agreement: float) -> np.ndarray:
    """Joint rates of two predictions of one class, with these rates each, drawn together as often as said."""
    alike = np.minimum(first, second)
    left = 1 - alike.sum()
    rest = np.outer(first - alike, second - alike) / left if left > 1e-12 else 0.0
    return agreement * (np.diag(alike) + rest) + (1 - agreement) * np.outer(first, second)


class Tally:
    """Coverage of one method and measure, and how wide it is."""

    def __init__(self) -> None:
        self.sets = self.below = self.above = 0
        self.width = 0.0

    def add(self, low: float, high: float, truth: float) -> None:
        if not math.isnan(low):
            self.sets += 1
            self.below += truth < low - 1e-12
            self.above += truth > high + 1e-12
            self.width += high - low

    def row(self) -> dict[str, Any]:
        return {
            "coverage": round(1 - (self.below + self.above) / self.sets, 4),
            "below": round(self.below / self.sets, 4),
            "above": round(self.above / self.sets, 4),
            "width": round(self.width / self.sets, 4),
            "sets": self.sets,
        }


def effort(cell: Cell, quick: bool) -> tuple[int, int]:
    """Test sets and draws of a cell: 2,000 sets where they are cheap, never fewer than 500; a quick run has 50."""
    classes, pairs = cell["classes"], cell["of"] == "difference"
    sets = 2000 if classes <= 5 and not pairs else 1000 if classes <= 10 else 500
    return (50 if quick else sets), 1000 if classes <= 10 else 500


def study(cell: Cell, quick: bool) -> list[dict[str, Any]]:
    """One cell: coverage of every method and measure."""
    warnings.simplefilter("ignore", PositiveClassWarning)
    random = np.random.default_rng([2026, cell["cell"]])
    chosen = [sy.measure(name) for name in MEASURES]
    found = (differences if cell["of"] == "difference" else singles)(cell, chosen, random, quick)
    facts = {name: cell[name] for name in ("cell", *FACTORS) if name != "agreement"}
    facts["of"] = "difference" if cell["of"] == "difference" else "single"
    if cell["of"] == "difference":
        facts["agreement"] = cell["agreement"]
    return [
        {**facts, "method": method, "measure": name, **tally.row()}
        for (method, name), tally in found.items()
        if tally.sets
    ]


def drawn_sizes(cell: Cell, sizes: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The class sizes of one test set; a class that comes out empty gets one example, so that its recall exists."""
    if cell["design"] == "fixed":
        return sizes
    return np.maximum(1, random.multinomial(sizes.sum(), sizes / sizes.sum()))


def singles(
    cell: Cell, chosen: list[Measure], random: np.random.Generator, quick: bool
) -> dict[tuple[str, str], Tally]:
    sizes, rates = sizes_of(cell), rates_of(cell)
    labels, rare = tuple(range(len(sizes))), len(sizes) - 1
    truth = weigh(chosen, sy.Confusion(sizes[:, None] * rates, labels), positive=rare)
    sets, draws = effort(cell, quick)
    methods = (
        "corrected",
        *(ALSO if cell["classes"] <= 3 else ALSO[:2] if cell["classes"] <= 10 else ALSO[:1]),
    )
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for number in range(sets):
        counts = [
            random.multinomial(n, p) for n, p in zip(drawn_sizes(cell, sizes, random), rates, strict=True)
        ]
        matrix = sy.Confusion(np.stack(counts), labels)
        finder = IntervalFinder(matrix, chosen, LEVEL, draws, number, cell["design"], "shared", rare, "nan")
        for method, m in itertools.product(methods, chosen):
            one = finder.find(m, method)
            found[method, m.name].add(one.low, one.high, truth[m.name])
    return found


def differences(
    cell: Cell, chosen: list[Measure], random: np.random.Generator, quick: bool
) -> dict[tuple[str, str], Tally]:
    sizes, first, second = sizes_of(cell), rates_of(cell), rates_of(cell, shift=-0.05)
    labels, rare = tuple(range(len(sizes))), len(sizes) - 1
    ideal = weigh(
        chosen,
        sy.Confusion(np.stack([sizes[:, None] * first, sizes[:, None] * second]), labels),
        positive=rare,
    )
    together = [coupled(a, b, cell["agreement"]) for a, b in zip(first, second, strict=True)]
    sets, draws = effort(cell, quick)
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for number in range(sets):
        truth, predictions, counts = [], [], []
        for label, n in enumerate(drawn_sizes(cell, sizes, random)):
            rates = together[label].reshape(-1)
            drawn = random.multinomial(n, rates / rates.sum())
            at = np.flatnonzero(drawn)
            truth += [label] * len(at)
            predictions.append(np.stack(np.divmod(at, len(sizes)), axis=1))
            counts += drawn[at].tolist()
        joint = JointCounts(
            labels, ("first", "second"), np.array(truth), np.concatenate(predictions), np.array(counts)
        )
        for name, one in paired_differences(
            joint, chosen, level=LEVEL, draws=draws, seed=number, design=cell["design"], positive=rare
        ).items():
            found["corrected", name].add(one.low, one.high, float(ideal[name][0] - ideal[name][1]))
    return found


def page(rows: list[dict[str, Any]], done: int, quick: bool) -> str:
    """The record as a page: mean and least coverage by classes, size of the smallest class and measure."""
    sets = sorted({row["sets"] for row in rows})
    error = math.sqrt(LEVEL * (1 - LEVEL) / sets[-1])
    lines = [
        "# How often do the intervals hold the truth?",
        "",
        f"Measured by `make coverage-study{' QUICK=1' if quick else ''}`: {done} of the {len(design())} cells of a space-filling design in which every pair of levels meets,",
        f"{sets[0]:,} to {sets[-1]:,} simulated test sets a cell; nominal coverage {100 * LEVEL:.0f} %. The levels: "
        + "; ".join(
            f"{name} {', '.join(map(str, levels))}"
            for name, levels in FACTORS.items()
            if name not in ("of", "agreement")
        )
        + ".",
        f"Chance alone makes a true coverage of 95 % show as {100 * (LEVEL - 2 * error):.0f} to {100 * min(1, LEVEL + 2 * error):.0f} in one cell (two standard errors); means over cells are surer.",
        "`rare` is the number of examples of the smallest class; sizes are equal, or one class is rare (one of 190 times its size, the others of 10 times), or fall from 30 times its size.",
        f"Two models agree more than by chance in {', '.join(f'{100 * level:g} %' for level in FACTORS['agreement'])} of their predictions.",
        "Precision and F1 are those of the smallest class. Every cell with its coverage below and above the truth and its width is in `src/steelyard/uncertainty/coverage.json`.",
        "",
    ]
    for of, title in (("single", "One model"), ("difference", "The difference between two models")):
        mine = [row for row in rows if row["of"] == of and row["method"] == "corrected"]
        lines += [
            f"## {title}",
            "",
            "Each entry: mean coverage in per cent over the cells, least coverage of one cell; then mean width.",
            "",
        ]
        lines += _table(
            mine,
            "classes",
            [row for row in mine if row["rare"] >= 20],
            "20 or more examples in the smallest class",
        )
        lines += _table(mine, "rare", mine, "any number of classes")
        lines += _table(
            mine,
            "rate",
            [row for row in mine if row["rare"] >= 20],
            "20 or more examples in the smallest class, by recall",
        )
    lines += ["## Beside other methods", "", "Mean coverage (least), where there are at most 10 classes.", ""]
    few = [row for row in rows if row["of"] == "single" and row["classes"] <= 10]
    lines += [
        "| measure | " + " | ".join(("corrected", *ALSO)) + " |",
        "| --- |" + " --- |" * (1 + len(ALSO)),
    ]
    for name in _names(few):
        entries = []
        for method in ("corrected", *ALSO):
            values = [r["coverage"] for r in few if r["method"] == method and r["measure"] == name]
            entries.append(f"{100 * np.mean(values):.1f} ({100 * min(values):.0f})" if values else "")
        lines.append(f"| {name} | " + " | ".join(entries) + " |")
    lines += ["", *CONCLUSIONS, ""]
    return "\n".join(lines)


def _names(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(row["measure"] for row in rows))


def _table(everything: list[dict[str, Any]], by: str, rows: list[dict[str, Any]], title: str) -> list[str]:
    levels = [level for level in FACTORS[by] if any(row[by] == level for row in rows)]
    if not levels:
        return []
    lines = [
        f"### {by}: {title}",
        "",
        "| measure | " + " | ".join(map(str, levels)) + " |",
        "| --- |" + " --- |" * len(levels),
    ]
    for name in _names(everything):
        entries = []
        for level in levels:
            at = [row for row in rows if row[by] == level and row["measure"] == name]
            if not at:
                entries.append("")
                continue
            mean, least = np.mean([r["coverage"] for r in at]), min(r["coverage"] for r in at)
            entries.append(f"{100 * mean:.1f}, {100 * least:.0f}; {np.mean([r['width'] for r in at]):.3f}")
        lines.append(f"| {name} | " + " | ".join(entries) + " |")
    return [*lines, ""]


CONCLUSIONS = [
    "## What follows from it",
    "",
    '`method="auto"` is "corrected": the posterior of the rates with the prior "shared", less the bias that curved and kinked measures have (docs/decisions, "One interval for any number of classes").',
    "An interval says so in its note where simulations of the nearest number of classes and size of the smallest class covered less than 92 % on average.",
    "The bootstrap, asked for by name, is far too sure of a class with few examples of which most are told right, and its note says so.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 test sets a cell")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--progress", type=Path, default=PROGRESS)
    parser.add_argument(
        "--minutes", type=float, help="start no new cell after this time, then write what is done"
    )
    given = parser.parse_args()
    mode = "quick" if given.quick else "full"
    done: dict[int, list[dict[str, Any]]] = {}
    if given.progress.exists():
        for line in given.progress.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["mode"] == mode:
                done[entry["cell"]] = entry["rows"]
    cells = [cell for cell in design() if cell["cell"] not in done]
    started = time.monotonic()
    print(f"{len(done)} cells are done, {len(cells)} are left", flush=True)
    with ProcessPoolExecutor(given.processes) as pool, given.progress.open("a", encoding="utf-8") as progress:
        waiting = iter(cells)
        running = {
            pool.submit(study, cell, given.quick): cell for cell in itertools.islice(waiting, given.processes)
        }
        while running:
            finished = next(as_completed(running))
            cell = running.pop(finished)
            done[cell["cell"]] = finished.result()
            progress.write(
                json.dumps({"mode": mode, "cell": cell["cell"], "rows": done[cell["cell"]]}) + "\n"
            )
            progress.flush()
            spent = time.monotonic() - started
            print(f"{spent:6.0f} s  {len(done)} done: {cell}", flush=True)
            following = next(waiting, None) if given.minutes is None or spent < 60 * given.minutes else None
            if following is not None:
                running[pool.submit(study, following, given.quick)] = following
    write([row for number in sorted(done) for row in done[number]], len(done), given.quick)


def write(rows: list[dict[str, Any]], done: int, quick: bool) -> None:
    """The record where the package reads it, one row a line, and as a page."""
    head = json.dumps({"level": LEVEL, "cells": done, "quick": quick})[:-1]
    RECORD.write_text(head + ', "rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n", encoding="utf-8")
    PAGE.write_text(page(rows, done, quick), encoding="utf-8")
    print(f"written: {RECORD.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
