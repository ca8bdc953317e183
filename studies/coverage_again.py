"""What held before holds after: 100 of the 320 cells of the coverage study, simulated again with today's method.

`python studies/coverage_again.py [--seconds S] [--write]` simulates the cells that are not in studies/coverage_again.csv yet, adds
them one by one, and writes their section of docs/coverage.md. Written down before the first run: the cells are drawn at random with
the seed below; test sets come from streams that the record did not use; 500 test sets a cell, 200 with 50 classes; a value differs
from the record if it lies more than three standard errors of the difference from it. Of 1,000 values about three do so by chance.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import coverage_tables
import numpy as np
from coverage_cells import MEASURES, Cell, design, differences, singles
from coverage_tables import Row, head
from coverage_version import version_of

import steelyard as sy
from steelyard.measures.measure import PositiveClassWarning

FOUND = Path(__file__).with_name("coverage_again.csv")
RECORD = Path(__file__).with_name("coverage_of_intervals.csv")
FIELDS = (
    "cell",
    "of",
    "classes",
    "rare",
    "measure",
    "sets",
    "coverage",
    "below",
    "above",
    "width",
    "version",
)
CELLS, SEED, FEWER = 100, 32_100, 50
DIFFERS = 3.0


def chosen() -> list[Cell]:
    """The cells that are simulated again, those with fewest classes first."""
    every = design()
    places = np.random.default_rng(SEED).choice(len(every), CELLS, replace=False)
    return sorted((every[k] for k in places), key=lambda cell: (cell["classes"], cell["cell"]))


def sets_of(cell: Cell) -> int:
    return 200 if cell["classes"] >= FEWER else 500


def simulated(cell: Cell) -> list[Row]:
    """Coverage of the default method in a cell, on test sets of a stream of its own."""
    pair, sets = cell["of"] == "difference", sets_of(cell)
    random, measures = np.random.default_rng([SEED, cell["cell"]]), [sy.measure(name) for name in MEASURES]
    if pair:
        found = differences(cell, measures, random, sets)
    else:
        found = singles(cell, measures, random, sets, beside=False)
    facts = {"cell": cell["cell"], "of": "difference" if pair else "single"}
    facts |= {name: cell[name] for name in ("classes", "rare")}
    return [
        {**facts, "measure": name, **tally.row(), "version": version_of("cells")}
        for (method, name), tally in found.items()
        if method == "corrected" and name != "identical" and tally.sets
    ]


def compared() -> list[Row]:
    """The values beside those of the record: `apart` in standard errors of the difference."""
    record = {
        (row["cell"], row["measure"]): row
        for row in coverage_tables.read(RECORD)
        if row["method"] == "corrected"
    }
    rows = []
    for row in coverage_tables.read(FOUND):
        before = record[row["cell"], row["measure"]]
        now, then = float(row["coverage"]), float(before["coverage"])
        n, m = int(row["sets"]), int(before["sets"])
        share = (n * now + m * then + 1) / (n + m + 2)
        error = float(np.sqrt(share * (1 - share) * (1 / n + 1 / m)))
        wider = float(row["width"]) / float(before["width"])
        rows.append({**row, "then": then, "now": now, "apart": (now - then) / error, "wider": wider})
    return rows


def section() -> list[str]:
    """What was found, as a section of docs/coverage.md."""
    rows = compared()
    cells = {row["cell"] for row in rows}
    versions = ", ".join(dict.fromkeys(row["version"] for row in rows))
    lines = [
        "## Cells of the grid, simulated again",
        "",
        f"Of the 320 cells above {CELLS} were drawn at random (seed {SEED}) and {len(cells)} of them simulated again with version {versions} of the method",
        "(`studies/coverage_again.py`, every cell in `studies/coverage_again.csv`): 500 new test sets a cell, 200 with 50 classes. Coverage",
        "in per cent of the record and again, the least of a cell, the mean ratio of the widths, and in how many cells a value lies more",
        "than three standard errors of the difference below or above the record (by chance about 0.3% of them do).",
        "",
        *head(
            "metric",
            "record, mean",
            "again, mean",
            "record, least",
            "again, least",
            "width",
            "lower",
            "higher",
        ),
    ]
    for name in dict.fromkeys(row["measure"] for row in rows):
        of = [row for row in rows if row["measure"] == name]
        then, now = ([100 * row[key] for row in of] for key in ("then", "now"))
        apart = np.array([row["apart"] for row in of])
        lines.append(
            f"| {name} | {np.mean(then):.1f} | {np.mean(now):.1f} | {min(then):.1f} | {min(now):.1f} |"
            f" {np.mean([row['wider'] for row in of]):.2f} | {(apart < -DIFFERS).sum()} | {(apart > DIFFERS).sum()} |"
        )
    differ = sorted((row for row in rows if abs(row["apart"]) > DIFFERS), key=lambda row: row["apart"])
    lines += ["", f"Of {len(rows):,} values {len(differ)} differ by more than three standard errors:", ""]
    facts = {str(cell["cell"]): cell for cell in design()}
    for row in differ:
        cell = facts[row["cell"]]
        lines.append(
            f"- {row['of']}, {cell['classes']} x {cell['rare']} ({cell['sizes']}), rate {cell['rate']} ({cell['rates']}),"
            f" {cell['confusions']}, {cell['design']}, {row['measure']}: {100 * row['then']:.1f}% in the record,"
            f" {100 * row['now']:.1f}% again, {row['wider']:.2f} times as wide"
        )
    return [*lines, ""]


def main(seconds: float) -> None:
    warnings.simplefilter("ignore", PositiveClassWarning)
    warnings.simplefilter("ignore", RuntimeWarning)
    rows, until = coverage_tables.read(FOUND), time.monotonic() + seconds
    known = {row["cell"] for row in rows}
    for cell in chosen():
        if str(cell["cell"]) in known or time.monotonic() > until:
            continue
        start = time.process_time()
        rows += simulated(cell)
        coverage_tables.write(FOUND, rows, FIELDS)
        print(f"{time.process_time() - start:6.1f} s  {cell}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=7_200.0, help="no cell is begun after so many")
    parser.add_argument("--write", action="store_true", help="only write the section of what is done")
    given = parser.parse_args()
    if not given.write:
        main(given.seconds)
    coverage_tables.rewrite_section(section())
