"""How often do the tests of a comparison and the alarms of a watch speak when there is nothing to say, and when there is?

Tests: two models of unlike operating points that have the same balanced accuracy, F1 or MCC, so that every rejection at 5% is an
error; and models that differ, for the power. Alarms: streams without a change, and streams whose recall falls at a known row.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from coverage_cells import Cell, corrected, coupled, design, gaps_of, joint_sets

import steelyard as sy
from steelyard.judgement.watch.monitor import Watch

FACTORS = {
    "measure": ("balanced_accuracy", "f1", "mcc"),
    "rare": (8, 20, 60, 200),
    "prevalence": (0.02, 0.1, 0.3),
    "agreement": (0.0, 0.5, 0.8, 0.95),
    "recall": (0.5, 0.7, 0.9),
    "apart": (0.0, 0.0, 0.1),
}
"""`apart` is the true difference by the measure: 0 twice as often as 0.1."""
STREAMS: tuple[Cell, ...] = (
    {"cell": 0, "fraud": 0.002, "recall": 0.6, "falls_to": 0.2, "block": 10_000, "blocks": 20, "at": 10},
    {"cell": 1, "fraud": 0.002, "recall": 0.6, "falls_to": 0.4, "block": 10_000, "blocks": 60, "at": 20},
    {"cell": 2, "fraud": 0.01, "recall": 0.9, "falls_to": 0.8, "block": 5_000, "blocks": 60, "at": 20},
    {"cell": 3, "fraud": 0.05, "recall": 0.7, "falls_to": 0.6, "block": 1_000, "blocks": 100, "at": 50},
    {"cell": 4, "fraud": 0.002, "recall": 0.6, "falls_to": 0.6, "block": 10_000, "blocks": 100, "at": 100},
    {"cell": 5, "fraud": 0.05, "recall": 0.7, "falls_to": 0.7, "block": 200, "blocks": 100, "at": 100},
    {"cell": 6, "fraud": 0.002, "recall": 0.6, "falls_to": 0.6, "block": 10_000, "blocks": 1000, "at": 1000},
)
"""Streams with a fall of the recall after block `at`, and without one; the last has ten million rows."""
FALSE_ALERTS = 0.005
LONG = 20
"""So many of the longest streams are watched."""


def test_cells() -> list[Cell]:
    """The cells of the study of tests: a space-filling design, and two more of each measure and size with equal models."""
    more = [
        {
            "cell": 100 + number,
            "measure": m,
            "rare": rare,
            "prevalence": FACTORS["prevalence"][number % 3],
            "agreement": FACTORS["agreement"][(number + again) % 4],
            "recall": FACTORS["recall"][(number // 3 + again) % 3],
            "apart": 0.0,
        }
        for number, (m, rare, again) in enumerate(
            itertools.product(FACTORS["measure"], FACTORS["rare"], (0, 1))
        )
    ]
    return [*design(FACTORS, 36, seed=77), *more]


def tests(cell: Cell, sets: int) -> list[dict[str, Any]]:
    """How often the p-value falls below 5%, and the interval leaves out 0."""
    random = np.random.default_rng([77, cell["cell"], sets])
    m = sy.measure(cell["measure"])
    rare = cell["rare"]
    sizes = np.array([round(rare * (1 - cell["prevalence"]) / cell["prevalence"]), rare])
    first = _rates(cell["recall"], 0.05)
    second = _alike(m, sizes, first, min(0.98, cell["recall"] + 0.08), cell["apart"])
    together = [coupled(a, b, cell["agreement"]) for a, b in zip(first, second, strict=True)]
    like = {"design": "sample"}
    joints = joint_sets(like, together, sizes, random, sets)
    discordant = float(np.mean([_discordant(joint) for joint in joints]))
    joints = [joint for joint in joints if _discordant(joint)]
    draws = 500
    seen, gaps, centre = gaps_of(joints, [m], False, random, draws, 1)[m.name]
    low, high = corrected(gaps, centre)
    low, high = np.minimum(low, seen), np.maximum(high, seen)
    rejected = (low > 0) | (high < 0)
    return [
        {
            **cell,
            "of": "tests",
            "method": "corrected",
            "rejected": round(float(np.count_nonzero(rejected)) / sets, 4),
            "upwards": round(float(np.count_nonzero(low > 0)) / sets, 4),
            "discordant": round(discordant, 1),
            "sets": sets,
        }
    ]


def _discordant(joint: Any) -> int:
    return int(joint.counts[joint.predictions[:, 0] != joint.predictions[:, 1]].sum())


def _rates(recall: float, false_alerts: float) -> np.ndarray:
    """Rates of two classes, the rare one second."""
    return np.array([[1 - false_alerts, false_alerts], [1 - recall, recall]])


def _alike(m: Any, sizes: np.ndarray, first: np.ndarray, recall: float, apart: float) -> np.ndarray:
    """The model with this recall whose value lies `apart` below the first one's, by halving its false alerts."""
    wanted = float(m(sy.Confusion(sizes[:, None] * first, (0, 1)), positive=1)) - apart
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        value = float(m(sy.Confusion(sizes[:, None] * _rates(recall, middle), (0, 1)), positive=1))
        low, high = (middle, high) if value > wanted else (low, middle)
    return _rates(recall, (low + high) / 2)


def alarms(cell: Cell, sets: int) -> list[dict[str, Any]]:
    """How soon a fall is seen, and how often an alarm is raised without one."""
    streams = min(sets, LONG) if cell["blocks"] >= 1000 else min(sets, 200)
    delays: list[int] = []
    false = missed = 0
    changes = cell["at"] < cell["blocks"]
    for number in range(streams):
        random = np.random.default_rng([78, cell["cell"], number])
        watch = Watch(measures=["gmean"], positive="fraud", independent=True)
        raised = None
        for block in range(cell["blocks"]):
            recall = cell["recall"] if block < cell["at"] else cell["falls_to"]
            if watch.check(_block(cell, recall, random)).alarms:
                raised = block
                break
        if raised is None:
            missed += changes
        elif raised < cell["at"]:
            false += 1
        else:
            delays.append(raised - cell["at"] + 1)
    rows = cell["block"] * cell["at"] * streams
    row = {**cell, "of": "alarms", "method": "watch", "streams": streams, "false": false, "missed": missed}
    row |= {"false_per_million": round(1e6 * false / rows, 4), "delays": sorted(delays)}
    return [{**row, "within_3": sum(delay <= 3 for delay in delays)}]


def _block(cell: Cell, recall: float, random: np.random.Generator) -> sy.Confusion:
    frauds = int(random.binomial(cell["block"], cell["fraud"]))
    found = int(random.binomial(frauds, recall))
    alerts = int(random.binomial(cell["block"] - frauds, FALSE_ALERTS))
    return sy.Confusion([[found, frauds - found], [alerts, cell["block"] - frauds - alerts]], ["fraud", "ok"])
