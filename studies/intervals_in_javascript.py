"""Do the confidence intervals and paired differences of @steelyard/core equal Python's with the same seed?

python -m studies.intervals_in_javascript [matrices] [draws]

Matrices have two to ten classes and counts from 0 to 1,000; a third have an empty row, an empty column or a class that is
never confused, and a fifth have fixed class sizes. Every metric of the package is compared, on every fifth matrix at other
priors too, and on every tenth set of rows the paired difference of two models. Two numbers are equal if both are undefined or
they differ by at most 1e-9, absolutely or relative to Python's. The tolerance was fixed before the first run.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.counts.joint import JointCounts
from steelyard.uncertainty.resampling import Simulation
from studies.paired import paired_differences
from studies.values_in_javascript import drawn
from tools.write_js import PACKAGE, written

TOLERANCE = 1e-9
CHUNK = 45
SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
import {{ differences, intervals }} from {json.dumps((PACKAGE / "index.js").as_uri())};
const cases = JSON.parse(readFileSync(0, "utf8"));
const found = cases.map(({{ rows, labels, options, models }}) => (models ? differences(...models, options) : intervals({{ rows, labels }}, options)));
console.log(JSON.stringify(found, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)));
"""


def cases(rng: np.random.Generator, first: int, number: int, draws: int) -> list[dict[str, Any]]:
    """Matrices and options, and now and then the predictions of two models."""
    made: list[dict[str, Any]] = []
    for k in range(first, first + number):
        classes = 2 + k % 9
        counts = drawn(rng, classes)[int(rng.integers(1000))] // 10
        counts[0, 0] += 1
        labels = [f"c{i + 1}" for i in range(classes)]
        options: dict[str, Any] = {"seed": k, "draws": draws, "design": "fixed" if k % 5 == 2 else "sample"}
        if classes == 2 or k % 2:
            options["positive"] = "c1"
        made.append({"rows": counts.tolist(), "labels": labels, "options": options})
        if k % 5 == 0:
            priors = rng.dirichlet(np.full(classes, 2.0)).tolist()
            made.append({**made[-1], "options": {**options, "priors": priors}})
        if k % 10 == 0:
            truth = rng.choice(labels, 300)
            models = [np.where(rng.random(300) < p, truth, rng.choice(labels, 300)) for p in (0.8, 0.7)]
            names = ["gmean", "mcc", "accuracy", "macro_f1", "macro_mae", "recall", "precision"]
            how = {**options, "metrics": names, "labels": labels, "positive": "c1"}
            made.append({"models": [truth.tolist(), *(m.tolist() for m in models)], "options": how})
    return made


def here(case: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What Python says of a case."""
    options = case["options"]
    how = {key: options[key] for key in ("seed", "draws", "design")}
    if "models" in case:
        truth, first, second = case["models"]
        joint = JointCounts.from_columns(truth, {"a": first, "b": second}, labels=options["labels"])
        chosen = [sy.measure(name) for name in options["metrics"]]
        found = paired_differences(joint, chosen, Simulation(positive="c1", **how))
        return {
            name: {
                "value": d.value,
                "low": d.low,
                "high": d.high,
                "better": d.probability_better,
                "p": d.p_value or math.nan,
            }
            for name, m in zip(options["metrics"], chosen, strict=True)
            for d in [found[m.name]]
        }
    matrix = sy.Confusion(case["rows"], case["labels"])
    measures = [m for m in written() if "positive" in options or m.kind == "multi-class"]
    asked = measures
    if "priors" in options:
        measures = [m for m in measures if m.kind == "multi-class" or matrix.n_classes == 2]
        priors = dict(zip(case["labels"], options["priors"], strict=True))
        asked = [sy.at_priors(m, priors) for m in measures]
    found = sy.interval(matrix, asked, positive=options.get("positive"), **how)
    return {
        m.id: {"estimate": i.estimate, "low": i.low, "high": i.high}
        for m, i in zip(measures, found.by_name.values(), strict=True)
    }


def compare(made: list[dict[str, Any]]) -> tuple[int, int, float]:
    """How many numbers were compared, how many differ, and the largest difference."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT],
        input=json.dumps(made),
        capture_output=True,
        text=True,
        check=True,
    )
    compared, different, worst = 0, 0, 0.0
    for case, there in zip(made, json.loads(done.stdout), strict=True):
        for name, numbers in here(case).items():
            for key, number in numbers.items():
                other = float(there[name][key])
                gap = abs(number - other) / max(1.0, abs(number)) if math.isfinite(number) else 0.0
                alike = gap <= TOLERANCE if math.isfinite(number) else repr(number) == repr(other)
                compared, different, worst = compared + 1, different + (not alike), max(worst, gap)
                if not alike:
                    print(name, key, number, other, json.dumps(case)[:300])
    return compared, different, worst


def main(wanted: int, draws: int) -> int:
    rng = np.random.default_rng(20261118)
    compared, different, worst = 0, 0, 0.0
    for first in range(0, wanted, CHUNK):
        found = compare(cases(rng, first, min(CHUNK, wanted - first), draws))
        compared, different, worst = compared + found[0], different + found[1], max(worst, found[2])
        print(
            f"{min(first + CHUNK, wanted):,} matrices: {compared:,} numbers, {different} differ, largest {worst:.2g}"
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*[int(x) for x in sys.argv[1:3]] if len(sys.argv) > 2 else (1_000, 2_000)))
