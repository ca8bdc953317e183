"""Ten test sets of different kinds, each with two models, for the first screens that are kept and read.

Random numbers come from NumPy's frozen generator, so that the same rows come with every version.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).parent
EXAMPLES = Path(__file__).parents[3] / "examples" / "data"


class Case(NamedTuple):
    """Columns of labels, and the class that alerts are about where there are two."""

    truth: list[str]
    models: dict[str, list[str]]
    positive: str | None = None


def told(
    seed: int, sizes: dict[str, int], rates: dict[str, Sequence[float]], positive: str | None = None
) -> Case:
    """Classes of these sizes, each found by each model at its rate; errors go to the other classes alike."""
    generator = np.random.RandomState(seed)
    names = list(sizes)
    truth = [name for name, size in sizes.items() for _ in range(size)]
    models = {}
    for number, model in enumerate(("first", "second")):
        found = generator.random_sample(len(truth)) < [rates[name][number] for name in truth]
        others = [[name for name in names if name != own] for own in truth]
        places = generator.randint(0, len(names) - 1, len(truth))
        models[model] = [
            own if hit else wrong[place]
            for own, hit, wrong, place in zip(truth, found, others, places, strict=True)
        ]
    return Case(truth, models, positive)


def bundled(name: str) -> Case:
    rows = [line.split(",") for line in (EXAMPLES / f"{name}.csv").read_text().splitlines()]
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    models = ("logistic_regression", "random_forest")
    return Case(list(columns["truth"]), {m: list(columns[m]) for m in models})


def thinned_digits() -> Case:
    sizes = {str(digit): 170 for digit in range(10)} | {"3": 16, "8": 14}
    rates = {str(digit): (0.97, 0.95) for digit in range(10)} | {"3": (0.63, 0.5), "8": (0.36, 0.6)}
    return told(4, sizes, rates)


def long_names() -> Case:
    names = [
        f"family of the order Passeriformes, number {number:02d} of the northern list" for number in range(25)
    ]
    return told(7, dict.fromkeys(names, 20), {n: (0.6 + 0.01 * k, 0.7) for k, n in enumerate(names)})


def never_predicted() -> Case:
    case = told(
        8, {"cat": 120, "dog": 90, "fox": 15}, {"cat": (0.9, 0.8), "dog": (0.85, 0.8), "fox": (0, 0.4)}
    )
    first = ["dog" if label == "fox" else label for label in case.models["first"]]
    return case._replace(models={**case.models, "first": first})


def perfect() -> Case:
    return told(9, {"ok": 180, "faulty": 20}, {"ok": (1.0, 0.95), "faulty": (1.0, 0.7)}, "faulty")


def constant() -> Case:
    case = told(10, {"ok": 950, "fraud": 50}, {"ok": (1.0, 0.98), "fraud": (0.0, 0.5)}, "fraud")
    return case._replace(models={**case.models, "first": ["ok"] * 1000})


CASES: dict[str, Callable[[], Case]] = {
    "fraud": lambda: told(
        1, {"ok": 49_900, "fraud": 100}, {"ok": (0.991, 0.97), "fraud": (0.45, 0.25)}, "fraud"
    ),
    "medical": lambda: told(
        2, {"healthy": 1800, "ill": 200}, {"healthy": (0.9, 0.95), "ill": (0.8, 0.7)}, "ill"
    ),
    "tumours": lambda: told(
        3, {"benign": 357, "malignant": 212}, {"benign": (0.97, 0.95), "malignant": (0.94, 0.9)}, "malignant"
    ),
    "thinned digits": thinned_digits,
    "glass": lambda: bundled("glass"),
    "satimage": lambda: bundled("satimage"),
    "long names": long_names,
    "never predicted": never_predicted,
    "perfect": perfect,
    "constant": constant,
}


def path_of(name: str, command: str) -> Path:
    return FOLDER / f"{name.replace(' ', '-')}-{command}.txt"
