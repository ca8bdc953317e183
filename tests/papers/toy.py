"""A study small enough for the tests of the runner: random numbers, some steps slow on purpose."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard_papers.experiment import Answer, Conclusion, Results, ResultTable, Step, Study


def draw(number: int, pause: float, seed: int) -> dict[str, float]:
    time.sleep(pause)
    return {"mean": float(np.random.default_rng(seed).normal(number, size=1000).mean())}


def steps(parameters: Mapping[str, Any]) -> Sequence[Step]:
    return [
        Step(name=f"draw-{i}", function=draw, arguments={"number": i, "pause": parameters["pause"]})
        for i in range(parameters["steps"])
    ]


def conclude(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    rows = [(name, results[name]["mean"]) for name in sorted(results)]
    near = all(abs(results[f"draw-{i}"]["mean"] - i) < 1 for i in range(parameters["steps"]))
    finding = Answer(
        claim_id="toy-1",
        statement="the mean of step i is near i",
        reproduced=near,
        paper_figure="i",
        our_figure=f"{rows[0][1]:.3f} for 0",
        words="As it must be.",
    )
    return Conclusion(
        (finding,), (ResultTable(name="means", title="Means", columns=("step", "mean"), rows=rows),)
    )


STUDY = Study(
    name="toy",
    paper="none",
    title="A toy",
    reproduces="Nothing.",
    method=("Drawn.",),
    parameters={"steps": 8, "pause": 0.0},
    quick={"steps": 3},
    steps=steps,
    conclude=conclude,
)


def place(seed: int) -> int:
    del seed
    return os.getpid()


def where(parameters: Mapping[str, Any], results: Results) -> Conclusion:
    del parameters
    return Conclusion(
        (),
        (
            ResultTable(
                name="places",
                title="Processes",
                columns=("process",),
                rows=[(process,) for process in results.values()],
            ),
        ),
    )


PLACES = Study(
    name="places",
    paper="none",
    title="Where steps run",
    reproduces="Nothing.",
    method=(),
    parameters={},
    quick={},
    steps=lambda _: [Step(f"p{i}", place) for i in range(4)],
    conclude=where,
)


def stay(folder: str, number: int, seed: int) -> int:
    """Leave the number of the process that does this step, and go on for a long time."""
    del seed
    Path(folder, f"{number}.pid").write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(120)
    return 0


LONG = Study(
    name="long",
    paper="none",
    title="Steps that take long",
    reproduces="Nothing.",
    method=(),
    parameters={"folder": ""},
    quick={},
    steps=lambda p: [Step(f"s{i}", stay, {"folder": p["folder"], "number": i}) for i in range(2)],
    conclude=lambda _, __: Conclusion((), ()),
)
