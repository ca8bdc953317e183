"""The record of the coverage study: where the package reads it, cell by cell, and as a page."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import coverage_again
import coverage_of_designs
import coverage_of_parts
import coverage_validation
import numpy as np
from coverage_cells import FACTORS, LEVEL, design, simulation_limits
from coverage_version import version_of
from most_rejected import most_rejected

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "src" / "steelyard" / "uncertainty" / "coverage.json"
CELLS = ROOT / "studies" / "coverage_of_intervals.csv"
PAGE = ROOT / "docs" / "coverage.md"
PROMISED = (0.93, 0.98)
LEAST = 0.90
Row = dict[str, Any]
Done = dict[tuple[str, int], list[Row]]


def write(done: Done, quick: bool) -> None:
    """Write the record, the cells and the page."""
    rows = [row for (part, _), found in sorted(done.items()) if part == "cells" for row in found]
    RECORD.write_text(_record(rows, quick), encoding="utf-8")
    with CELLS.open("w", encoding="utf-8", newline="") as file:
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    PAGE.write_text(page(done, rows, quick), encoding="utf-8")
    print(f"written: {', '.join(str(path.relative_to(ROOT)) for path in (RECORD, CELLS, PAGE))}")


def _record(rows: list[Row], quick: bool) -> str:
    """What the package reads: means over the cells that have the number of classes, the smallest class and the design in common."""
    keys = ("of", "method", "design", "classes", "rare", "measure")
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    means = [
        {**dict(zip(keys, group, strict=True)), "coverage": round(_mean(found), 4), "cells": len(found)}
        for group, found in groups.items()
    ]
    head = json.dumps({"level": LEVEL, "cells": len({row["cell"] for row in rows}), "quick": quick})[:-1]
    return head + ', "rows": [\n' + ",\n".join(map(json.dumps, means)) + "\n]}\n"


def _mean(rows: Iterable[Row], name: str = "coverage") -> float:
    return float(np.mean([row[name] for row in rows]))


def page(done: Done, rows: list[Row], quick: bool) -> str:
    """The page."""
    usual = [row for row in rows if row["method"] == "corrected"]
    singles = [row for row in usual if row["of"] == "single"]
    pairs = [row for row in usual if row["of"] == "difference"]
    simulated: dict[int, int] = defaultdict(int)  # a measure may be undefined on some of a cell's test sets
    for row in singles:
        simulated[row["cell"]] = max(simulated[row["cell"]], row["sets"])
    sets = sorted(simulated.values())
    cells = len({row["cell"] for row in rows})
    lines = [
        "# Coverage of the confidence intervals",
        "",
        f"Measured by `make coverage-study{' QUICK=1' if quick else ''}`: {cells} of the {len(design())} cells of a space-filling design in which",
        f"every pair of levels meets, {_often(sets)}; nominal coverage {100 * LEVEL:.0f}%. The method",
        f"is the package's of version {version_of('cells')} (a hash of its modules). The levels: "
        + "; ".join(
            f"{name} {', '.join(map(str, levels))}"
            for name, levels in FACTORS.items()
            if name not in ("of", "agreement")
        )
        + ".",
        "`rare` is the number of examples of the smallest class; sizes are equal, or one class is rare (one of 190 times its size, the",
        "others of 10 times), or fall from 30 times its size. `rate` is the recall, in every class or (unequal) from 0.15 above to 0.15",
        "below it. Precision and F1 are those of the smallest class. Every cell with its coverage, the shares of intervals that lie below",
        "and above the truth, and its mean width is in `studies/coverage_of_intervals.csv`. To save time an interval of the study has 119 to",
        "499 draws where a user's has thousands; its ends are the (n + 1) p-th of n draws, which few draws do not bias.",
        "",
        *_earlier(singles),
        *_verdict(singles, "one model"),
        "## One model",
        "",
        "Each entry: mean coverage in per cent over the cells, least coverage of one cell; mean width.",
        "",
        *_table(
            singles, "classes", lambda row: row["rare"] >= 20, "20 or more examples in the smallest class"
        ),
        *_table(singles, "rare", lambda row: True, "any number of classes"),
        *_table(singles, "rate", lambda row: row["rare"] >= 20, "20 or more examples in the smallest class"),
        *_sides(singles),
        "## The difference between two models",
        "",
        (
            f"Two models agree more than by chance in {', '.join(f'{100 * level:g}%' for level in FACTORS['agreement'])} of their predictions. "
            "Test sets on which they agree in every row are left out: the models are one model there, and no interval is promised."
        ),
        "",
        *_earlier(pairs),
        *_verdict(pairs, "differences"),
        *_table(pairs, "classes", lambda row: row["rare"] >= 20, "20 or more examples in the smallest class"),
        *_table(pairs, "rare", lambda row: True, "any number of classes"),
        *_table(
            pairs, "agreement", lambda row: row["rare"] >= 20, "20 or more examples in the smallest class"
        ),
        *_beside(rows),
        *_parts(done),
        *_tests(done),
        *_alarms(done),
        *coverage_of_designs.section(),
        *coverage_again.section(),
        *coverage_validation.section(),
        *CONCLUSIONS,
        "",
    ]
    return "\n".join(lines)


def _earlier(rows: list[Row]) -> list[str]:
    """Of which version of the method are these cells?"""
    cells, late = ({row["cell"] for row in some} for some in (rows, [r for r in rows if "earlier" in r]))
    if not late:
        return []
    versions = ", ".join(sorted({row["earlier"] for row in rows if "earlier" in row}))
    words = (
        f"**{len(late)} of these {len(cells)} cells are of an earlier version of the method ({versions}).**"
    )
    return [words, ""]


def _often(sets: Sequence[int]) -> str:
    """How many cells have how many test sets?"""
    rounded = sorted({(number // 500) * 500 if number >= 500 else number for number in sets})
    parts = []
    for low, above in zip(rounded, [*rounded[1:], None], strict=True):
        cells = sum(low <= number and (above is None or number < above) for number in sets)
        parts.append(f"{low:,} simulated test sets in {cells} of the cells of one model")
    return ", ".join(parts)


def _between(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _verdict(rows: list[Row], of: str) -> list[str]:
    """Which groups and cells break the promise?"""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["classes"], row["rare"], row["measure"]].append(row)
    low = {group: _mean(found) for group, found in groups.items() if _group_is_low(found)}
    high = {group: _mean(found) for group, found in groups.items() if _group_is_high(found)}
    out = [row for row in rows if simulation_limits(row["coverage"], row["sets"])[1] < LEAST]
    inside = len(groups) - len(low) - len(high)
    lines = [
        (
            f"The promise for {of}: means over rates between {100 * PROMISED[0]:.0f} and {100 * PROMISED[1]:.0f}% for every number of classes, "
            f"smallest class and measure (above only with fewer than 50 examples or rates above 0.95), no cell below {100 * LEAST:.0f}% by its 99% "
            f"simulation limits. {inside:,} of {len(groups):,} means keep it, {len(low)} are too low and {len(high)} too high; "
            f"{len(out)} of {len(rows):,} cells and measures are below {100 * LEAST:.0f}%."
        ),
        "",
    ]
    if low or high:
        lines += ["Means outside (classes x smallest class, measure):", ""]
        lines += [
            f"- {classes} x {rare}, {measure}: {100 * value:.1f}%"
            for (classes, rare, measure), value in sorted({**low, **high}.items())
        ]
        lines.append("")
    if out:
        lines += ["Cells below:", ""]
        lines += [
            f"- {row['classes']} x {row['rare']} ({row['sizes']}), rate {row['rate']} ({row['rates']}), {row['confusions']}, {row['design']}"
            + (f", agreement {row['agreement']}" if "agreement" in row else "")
            + f", {row['measure']}: {100 * row['coverage']:.1f}%"
            for row in sorted(out, key=lambda row: (row["measure"], row["classes"]))
        ]
        lines.append("")
    return lines


def _group_is_low(rows: list[Row]) -> bool:
    """Is the mean below the promise by more than its simulation error explains?"""
    return simulation_limits(_mean(rows), sum(row["sets"] for row in rows))[1] < PROMISED[0]


def _group_is_high(rows: list[Row]) -> bool:
    discrete = rows[0]["rare"] < 50
    counted = [row for row in rows if row["rate"] <= 0.95]
    if discrete or not counted:
        return False
    return simulation_limits(_mean(counted), sum(row["sets"] for row in counted))[0] > PROMISED[1]


def _names(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row["measure"] for row in rows))


def _table(rows: list[Row], by: str, kept: Callable[[Row], bool], title: str) -> list[str]:
    rows = [row for row in rows if kept(row)]
    levels = [level for level in FACTORS[by] if any(row[by] == level for row in rows)]
    if not levels:
        return []
    lines = [f"### {by}: {title}", "", *_head(["measure", *map(str, levels)])]
    counted = [_counted([row for row in rows if row[by] == level]) for level in levels]
    lines.append("| cells; test sets | " + " | ".join(counted) + " |")
    for name in _names(rows):
        entries = []
        for level in levels:
            at = [row for row in rows if row[by] == level and row["measure"] == name]
            least = min((row["coverage"] for row in at), default=0)
            entries.append(
                f"{100 * _mean(at):.1f}, {100 * least:.0f}; {_mean(at, 'width'):.3f}" if at else ""
            )
        lines.append(f"| {name} | " + " | ".join(entries) + " |")
    return [*lines, ""]


def _counted(rows: list[Row]) -> str:
    """How many cells and test sets stand behind a column?"""
    sets: dict[int, int] = defaultdict(int)  # a measure may be undefined on some of a cell's test sets
    for row in rows:
        sets[row["cell"]] = max(sets[row["cell"]], row["sets"])
    return f"{len(sets)}; {sum(sets.values()):,}"


def _head(names: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]


def _sides(rows: list[Row]) -> list[str]:
    """Misses on either side."""
    lines = [
        "### On which side is the truth missed?",
        "",
        "Per cent of the intervals that lie wholly above the truth, and wholly below it, by classes.",
        "",
    ]
    levels = [level for level in FACTORS["classes"] if any(row["classes"] == level for row in rows)]
    lines += _head(["measure", *map(str, levels)])
    for name in _names(rows):
        at = [[r for r in rows if r["classes"] == level and r["measure"] == name] for level in levels]
        lines.append(
            f"| {name} | "
            + " | ".join(
                f"{100 * _mean(g, 'below'):.1f}, {100 * _mean(g, 'above'):.1f}" if g else "" for g in at
            )
            + " |"
        )
    return [*lines, ""]


def _beside(rows: list[Row]) -> list[str]:
    methods = ("corrected", "posterior", "percentile", "bca")
    few = [row for row in rows if row["of"] == "single" and row["classes"] <= 3]
    lines = [
        "## Beside other methods",
        "",
        "Mean coverage (least) with two and three classes.",
        "",
        *_head(["measure", *methods]),
    ]
    for name in _names(few):
        entries = []
        for method in methods:
            at = [r for r in few if r["method"] == method and r["measure"] == name]
            entries.append(
                f"{100 * _mean(at):.1f} ({100 * min(r['coverage'] for r in at):.0f})" if at else ""
            )
        lines.append(f"| {name} | " + " | ".join(entries) + " |")
    return [*lines, ""]


TITLES = {
    "slices": "Slices",
    "weights": "Rows with weights",
    "thresholds": "A threshold chosen on the same rows",
    "areas": "Rankings",
}
WORDS = {
    "slices": "All slices are alike. The interval of each slice, all of them at once (`simultaneous_low`, `simultaneous_high`), and the share of test "
    "sets in which some slice is called worse or better than the rest at 5%, corrected for their number.",
    "weights": "Lognormal weights (spread: the standard deviation of their logarithm), equally heavy or twice as heavy where the classifier errs.",
    "thresholds": "The interval of the value that the chosen threshold has on new rows. Scores are normal; the positives lie `separation` above.",
    "areas": "The area under the ROC curve and average precision; scores are normal, as they are or told in six levels.",
}


def _parts(done: Done) -> list[str]:
    lines: list[str] = []
    for part, title in TITLES.items():
        rows = [row for (name, _), found in sorted(done.items()) if name == part for row in found]
        if not rows:
            continue
        sets = sorted({row["sets"] for row in rows if row["method"] != "corrected" or part != "slices"})
        cells = len({row["cell"] for row in rows})
        lines += [
            f"## {title}",
            "",
            f"{WORDS[part]} {cells} cells, {sets[0]:,} test sets or more a cell.",
            "",
            *_earlier(rows),
        ]
        if part == "weights":
            for by in ("rare", "spread", "heavier"):
                levels = coverage_of_parts.FACTORS[part][by]
                lines += _head(["measure", *(f"{by} {level}" for level in levels)])
                for name in _names(rows):
                    at = [[r for r in rows if r[by] == level and r["measure"] == name] for level in levels]
                    lines.append(f"| {name} | " + " | ".join(_short(group) for group in at) + " |")
                lines.append("")
        elif part == "slices":
            lines += _head(
                ["slices", "classes", "rare", "rate", "design", "a slice", "all at once", "false alarms"]
            )
            for cell in sorted({row["cell"] for row in rows}):
                mine = {row["method"]: row for row in rows if row["cell"] == cell}
                one = mine["corrected"]
                facts = [str(one[name]) for name in ("slices", "classes", "rare", "rate", "design")]
                shares = [
                    mine["corrected"]["coverage"],
                    mine["all at once"]["coverage"],
                    1 - mine["false alarms"]["coverage"],
                ]
                lines.append("| " + " | ".join([*facts, *(f"{100 * share:.1f}" for share in shares)]) + " |")
            lines.append("")
        else:
            named = "maximise" if part == "thresholds" else "measure"
            facts_of = [named, *(name for name in coverage_of_parts.FACTORS[part] if name != named)]
            lines += _head([*facts_of, "coverage", "below, above", "width"])
            for row in rows:
                facts = [str(row[name]) for name in facts_of]
                facts += [
                    f"{100 * row['coverage']:.1f}",
                    f"{100 * row['below']:.1f}, {100 * row['above']:.1f}",
                    f"{row['width']:.3f}",
                ]
                lines.append("| " + " | ".join(facts) + " |")
            lines.append("")
    return lines


def _short(rows: list[Row]) -> str:
    return (
        f"{100 * _mean(rows):.1f}, {100 * min(row['coverage'] for row in rows):.0f}; {_mean(rows, 'width'):.3f}"
        if rows
        else ""
    )


def _tests(done: Done) -> list[str]:
    rows = [row for (name, _), found in sorted(done.items()) if name == "tests" for row in found]
    if not rows:
        return []
    lines = [
        "## Tests of equality",
        "",
        (
            "Two models of unlike operating points and the same value of the measure: how often p < 5%, which is when the 95% interval leaves out 0 "
            f"({_between([row['sets'] for row in rows])} test sets a cell, seeds that were not used when the method was chosen; mean over cells, most of one cell; "
            "cells). "
            "Then models that differ by 0.1."
        ),
        "",
    ]
    lines += _earlier(rows)
    for apart, title in ((0.0, "equal"), (0.1, "0.1 apart")):
        sizes = sorted({row["rare"] for row in rows})
        lines += _head([title, *(f"{size} rare examples" for size in sizes)])
        for name in _names(rows):
            entries = []
            for size in sizes:
                at = [r for r in rows if r["apart"] == apart and r["measure"] == name and r["rare"] == size]
                most = max((row["rejected"] for row in at), default=0)
                entries.append(
                    f"{100 * _mean(at, 'rejected'):.1f}, {100 * most:.1f}; {len(at)}" if at else ""
                )
            lines.append(f"| {name} | " + " | ".join(entries) + " |")
        lines.append("")
    many = [row for row in rows if row["apart"] == 0 and row["discordant"] >= 30]
    if many:
        lines += [
            (
                f"Where the models differ on 30 or more rows, equal models are rejected in {100 * min(r['rejected'] for r in many):.1f} to "
                f"{100 * max(r['rejected'] for r in many):.1f}% in single cells, {100 * _mean(many, 'rejected'):.1f}% on average."
            ),
            *_cautious(min(many, key=lambda row: row["rejected"])),
            "",
            *_most_that_can_be(),
        ]
    return lines


def _cautious(least: Row) -> list[str]:
    """Where does the test reject least?"""
    if least["rejected"] >= 0.03:
        return []
    words = (
        f"The least is that of {least['rare']} rare examples and models that agree in {100 * least['agreement']:g}% more than by chance, so that few of "
        "these rows are of the rare class, whose recall decides"
    )
    if least["measure"] != "balanced_accuracy":
        return [f"{words}: the test is cautious there."]
    recalls = (least["recall"], min(0.98, least["recall"] + 0.08))
    most = [most_rejected(least["rare"], recalls, least["agreement"], level) for level in (0.05, 0.09)]
    return [
        (
            f"{words}: no test that keeps to 5% for all models of equal balanced accuracy can reject more than {100 * most[0]:.1f}% there, "
            f"and none that keeps to 9% more than {100 * most[1]:.1f}%."
        )
    ]


def _most_that_can_be() -> list[str]:
    """What can be asked of a test, where few rare examples tell models apart?"""
    agreements = (0.0, 0.5, 0.8, 0.95)
    lines = [
        "### How often can any test reject?",
        "",
        (
            "Models of equal balanced accuracy with recalls of .70 and .78 of the rare class, the common class so large that what they differ by "
            "there is known. Only rare examples that one model alone finds are evidence, and their number is small and whole. The most, in per cent, that a test can reject "
            "which keeps to 5% (to 9%) for all equal models and whose rejections do not end where the evidence grows; by enumeration "
            "(`studies/most_rejected.py`)."
        ),
        "",
        *_head(["rare examples", *(f"agree {agreement:g}" for agreement in agreements)]),
    ]
    for rare in (8, 12, 20, 30):
        entries = [
            ", ".join(
                f"{100 * most_rejected(rare, (0.7, 0.78), agreement, level):.1f}" for level in (0.05, 0.09)
            )
            for agreement in agreements
        ]
        lines.append(f"| {rare} | " + " | ".join(entries) + " |")
    return [*lines, ""]


def _alarms(done: Done) -> list[str]:
    rows = [row for (name, _), found in sorted(done.items()) if name == "alarms" for row in found]
    if not rows:
        return []
    lines = [
        "## Alarms of a stream",
        "",
        "`steelyard watch --independent` at its default alpha of 0.05, false alerts of 0.5%. Delays are in blocks after the fall; an alarm before it is a false one.",
        "",
        *_earlier(rows),
        *_head(
            [
                "share of fraud",
                "recall",
                "rows a block",
                "blocks",
                "fall after",
                "streams",
                "false",
                "a million rows",
                "within 3 blocks",
                "median, 90% delay",
                "missed",
            ]
        ),
    ]
    for row in rows:
        delays = row["delays"]
        changes = row["at"] < row["blocks"]
        recall = f"{row['recall']} to {row['falls_to']}" if changes else f"{row['recall']}"
        seen = f"{np.median(delays):g}, {np.quantile(delays, 0.9, method='higher'):g}" if delays else ""
        cells = [
            row["fraud"],
            recall,
            f"{row['block']:,}",
            row["blocks"],
            row["at"] if changes else "",
            row["streams"],
            row["false"],
        ]
        cells += [
            f"{row['false_per_million']:.2f}",
            row["within_3"] if changes else "",
            seen,
            row["missed"] if changes else "",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return [*lines, ""]


CONCLUSIONS = [
    "## What follows from it",
    "",
    (
        '`method="auto"` is "corrected": the posterior of the rates with the prior "shared", less the bias that curved and kinked measures have (docs/decisions, '
        '"One interval for any number of classes").'
    ),
    "An interval says so in its note where simulations of the nearest number of classes and size of the smallest class covered less than 92% on average.",
    (
        "What is not promised: intervals of differences on test sets on which two models are identical; rows whose weights make the rarest class worth fewer than 20 "
        "examples (the note says so)."
    ),
    "The bootstrap, asked for by name, is far too sure of a class with few examples, most of them classified correctly, and its note says so.",
]
