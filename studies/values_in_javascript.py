"""Do the metrics of @steelyard/core equal Python's on 100,000 confusion matrices?

python -m studies.values_in_javascript [matrices]

Matrices have two to six classes, counts from 0 to 10,000 and, in a third of them, an empty row, an empty column or a class
that is never confused. Two values are equal if both are undefined or they differ by at most 1e-12, absolutely or relative
to Python's value. The tolerance was fixed before the first run.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np

from tools.write_js import PACKAGE, written

TOLERANCE = 1e-12
CHUNK = 1000
SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
import {{ metric }} from {json.dumps((PACKAGE / "index.js").as_uri())};
const {{ matrices, ids }} = JSON.parse(readFileSync(0, "utf8"));
const values = matrices.map((m) => ids.map((id) => metric(id, m, {{ positive: "c1" }}).value));
console.log(JSON.stringify(values));
"""


def drawn(rng: np.random.Generator, classes: int) -> np.ndarray:
    """A chunk of matrices of so many classes."""
    scale = 10.0 ** rng.uniform(0, 4, (CHUNK, 1, 1))
    counts = np.floor(rng.random((CHUNK, classes, classes)) ** 2 * scale).astype(np.int64)
    for matrix in counts[: CHUNK // 3]:
        place, kind = rng.integers(classes), rng.integers(3)
        if kind != 1:
            matrix[place, :] = np.where(np.arange(classes) == place, matrix[place, :] * (kind == 2), 0)
        if kind != 0:
            matrix[:, place] = np.where(np.arange(classes) == place, matrix[:, place] * (kind == 2), 0)
    return counts


def main(wanted: int) -> int:
    rng = np.random.default_rng(20261117)
    measures = written()
    compared = different = 0
    worst = 0.0
    for chunk in range(math.ceil(wanted / CHUNK)):
        counts = drawn(rng, 2 + chunk % 5)
        request = json.dumps({"matrices": counts.tolist(), "ids": [m.id for m in measures]})
        done = subprocess.run(
            ["node", "--input-type=module", "-e", SCRIPT],
            input=request,
            capture_output=True,
            text=True,
            check=True,
        )
        there = np.array(json.loads(done.stdout), dtype=float)  # null, which is NaN there, becomes NaN
        for k, m in enumerate(measures):
            here = np.asarray(m(counts, positive="c1" if m.kind == "two-class" else None), dtype=float)
            both = np.isnan(here) & np.isnan(there[:, k])
            gap = np.abs(here - there[:, k]) / np.maximum(1.0, np.abs(here))
            bad = ~both & ~(gap <= TOLERANCE)
            worst = max(worst, float(np.nanmax(np.where(both, 0.0, gap), initial=0.0)))
            compared, different = compared + len(here), different + int(bad.sum())
            if bad.any():
                place = int(np.argmax(bad))
                print(m.id, counts[place].tolist(), here[place], there[place, k])
        print(
            f"{(chunk + 1) * CHUNK:,} matrices: {compared:,} values, {different} differ, largest {worst:.2g}"
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
