"""A study small enough for the tests of the runner: random numbers, some steps slow on purpose."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.papers.study import Conclusion, Finding, Results, Step, Study, Table


def draw(number: int, pause: float, seed: int) -> dict[str, float]:
    time.sleep(pause)
    return {"mean": float(np.random.default_rng(seed).normal(number, size=1000).mean())}


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(f"draw-{i}", draw, {"number": i, "pause": parameters["pause"]})
        for i in range(parameters["steps"])
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    rows = [(name, results[name]["mean"]) for name in sorted(results)]
    near = all(abs(results[f"draw-{i}"]["mean"] - i) < 1 for i in range(parameters["steps"]))
    finding = Finding(
        "toy-1", "the mean of step i is near i", near, "i", f"{rows[0][1]:.3f} for 0", "As it must be."
    )
    return Conclusion((finding,), (Table("means", "Means", ("step", "mean"), rows),))


STUDY = Study(
    "toy", "none", "A toy", "Nothing.", ("Drawn.",), {"steps": 8, "pause": 0.0}, {"steps": 3}, steps, conclude
)


def place(seed: int) -> int:
    del seed
    return os.getpid()


def where(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    del parameters
    return Conclusion(
        (), (Table("places", "Processes", ("process",), [(process,) for process in results.values()]),)
    )


PLACES = Study(
    "places",
    "none",
    "Where steps run",
    "Nothing.",
    (),
    {},
    {},
    lambda _: [Step(f"p{i}", place) for i in range(4)],
    where,
)
