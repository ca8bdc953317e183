"""By which paths is the value of a measure found? Called on labels, on a matrix, in a batch, many at once, exactly, by command."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.cli.app import run as run_command
from torture.fuzz.cases import Case
from torture.fuzz.paths import Answer, Way, said, whole
from torture.fuzz.reference import FORMULAS

TWO_CLASS = ("recall", "specificity", "precision", "negative_predictive_value", "f_beta", "threat_score")
PLAIN = tuple(name for name in FORMULAS if " " not in name)


def measures_for(classes: int) -> dict[str, sy.Measure]:
    """The measures that the reference has formulas of, those with priors and relevance for this many classes."""
    total = classes * (classes + 1) // 2
    priors = [Fraction(i + 1, total) for i in range(classes)]
    return {
        **{name: sy.measure(name) for name in PLAIN},
        "accuracy at 1 : 2 : 3": sy.at_priors(sy.measure("accuracy"), [float(p) for p in priors]),
        "macro_recall by 1, 1/2, 1/4": sy.weighted_by(
            sy.measure("macro_recall"), [0.5**i for i in range(classes)]
        ),
    }


_MADE: dict[int, dict[str, sy.Measure]] = {}


def made(classes: int) -> dict[str, sy.Measure]:
    if classes not in _MADE:
        _MADE[classes] = measures_for(classes)
    return _MADE[classes]


def matrix_of(case: Case) -> sy.Confusion:
    return sy.Confusion.from_labels(list(case.truths), list(case.predictions), case.listed, case.weights)


def first(matrix: sy.Confusion, name: str) -> dict[str, Any]:
    return {"positive": matrix.labels[0]} if name in TWO_CLASS else {}


def with_two(names: Any, matrix: sy.Confusion) -> list[str]:
    """The names that have a value here: one class alone has no other to be told from."""
    return [name for name in names if matrix.n_classes > 1 or name not in TWO_CLASS]


def on_labels(case: Case, folder: Path) -> Answer:
    def ask() -> Answer:
        matrix = matrix_of(case)
        columns = (list(case.truths), list(case.predictions))
        how: dict[str, Any] = {"labels": case.listed, "sample_weight": case.weights}
        picked = with_two(FORMULAS, matrix)[:: 1 + case.rows % 3]
        return {name: made(matrix.n_classes)[name](*columns, **how, **first(matrix, name)) for name in picked}

    return said(ask)


def on_matrix(case: Case, folder: Path) -> Answer:
    def ask() -> Answer:
        matrix = matrix_of(case)
        return {
            name: made(matrix.n_classes)[name](matrix, **first(matrix, name))
            for name in with_two(FORMULAS, matrix)
        }

    return said(ask)


def weighed(case: Case, folder: Path) -> Answer:
    def ask() -> Answer:
        matrix = matrix_of(case)
        measures = {name: made(matrix.n_classes)[name] for name in with_two(FORMULAS, matrix)}
        found = sy.weigh(measures.values(), matrix, positive=matrix.labels[0])
        return {name: found[m.name] for name, m in measures.items()}

    return said(ask)


def weighed_in_a_batch(case: Case, folder: Path) -> Answer:
    """The last of five matrices, the others with more in them."""

    def ask() -> Answer:
        matrix = matrix_of(case)
        batch = np.stack([matrix.counts + k for k in (3, 0, 1, 2)] + [matrix.counts])
        matrices = sy.Confusion(batch, matrix.labels)
        measures = {name: made(matrix.n_classes)[name] for name in with_two(FORMULAS, matrix)}
        found = sy.weigh(measures.values(), matrices, positive=matrix.labels[0])
        return {name: float(found[m.name][4]) for name, m in measures.items()}

    return said(ask)


def exactly(case: Case, folder: Path) -> Answer:
    def ask() -> Answer:
        matrix = matrix_of(case)
        picked = with_two(FORMULAS, matrix)[case.rows % 4 :: 4]
        return {
            name: float(made(matrix.n_classes)[name].exact(matrix, **first(matrix, name))) for name in picked
        }

    return said(ask)


def by_command(case: Case, folder: Path) -> Answer:
    """`steelyard metrics MATRIX --json -`."""

    def ask() -> Answer:
        matrix = matrix_of(case)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = run_command(
                ["metrics", json.dumps(matrix.counts.tolist()), "--labels", names(matrix), "--json", "-"]
            )
        if code:
            raise AssertionError(f"weigh ended with {code}")
        listed = {row["id"]: row["value"] for row in json.loads(out.getvalue())["measures"]}
        picked = [n for n in PLAIN if n in listed and n not in TWO_CLASS]
        return {n: math.nan if listed[n] is None else listed[n] for n in picked}

    return said(ask)


def names(matrix: sy.Confusion) -> str:
    return ",".join(f"k{i}" for i in range(matrix.n_classes))


def enough(test: Callable[[Case], bool]) -> Callable[[Case], bool]:
    return lambda case: test(case) and case.rows > 0


VALUES: tuple[Way, ...] = (
    Way("values on labels", "values", on_labels, whole, 0.1),
    Way("values on a matrix", "values", on_matrix, whole, 0.15),
    Way("metrics", "values", weighed, whole, 0.3),
    Way("weigh a batch", "values", weighed_in_a_batch, whole, 0.3),
    Way("exact", "values", exactly, whole, 0.05),
    Way("command weigh", "values", by_command, enough(whole), 0.003),
)
