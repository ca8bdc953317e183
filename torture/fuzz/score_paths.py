"""By which paths do scores become areas, matrices at every threshold and best thresholds?"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import steelyard as sy
from steelyard.reading.engines import opened
from steelyard.reading.score_counting import count_scores
from steelyard.scores.threshold_sweep import sweep
from torture.fuzz.cases import Case
from torture.fuzz.paths import (
    Answer,
    Way,
    as_arrow,
    as_list,
    as_objects,
    as_pandas,
    as_polars,
    batches,
    has_rows,
    said,
)
from torture.fuzz.reference import BEST_OF, Ranked, in_order, positive_of


def scored(case: Case) -> bool:
    """Scores of one of two classes, with every truth there."""
    return case.scores is not None and positive_of(case) is not None and None not in case.truths


def typed(case: Case) -> bool:
    return scored(case) and case.kind != "mixed"


def described(counts: sy.ScoreCounts) -> Ranked:
    swept = sweep(counts)
    matrices = swept.matrices.counts.tolist()
    best: dict[str, tuple[float, float]] = {}
    for name in BEST_OF:
        try:
            found = sy.best_threshold(counts, name, replicates=0)
        except sy.InputError:
            continue
        best[name] = (found.threshold, found.value)
    area = float(sy.measure("roc_auc")(counts))
    if math.isnan(area):  # a side without weight
        raise sy.InputError("a class has no weight")
    return Ranked(area, list(zip(swept.thresholds.tolist(), matrices, strict=True)), best, {})


def from_columns(
    labels: Callable[[Sequence[Any]], Any], numbers: Callable[[Sequence[Any]], Any]
) -> Callable[[Case, Path], Answer]:
    def answer(case: Case, folder: Path) -> Answer:
        def ask() -> Answer:
            counts = sy.ScoreCounts.from_scores(
                labels(case.truths), numbers(case.scores or ()), positive_of(case), both(case), case.weights
            )
            return described(counts)

        return said(ask)

    return answer


def both(case: Case) -> list[Any]:
    return in_order(list({t for t in case.truths if t is not None}))


def in_parts(case: Case, folder: Path) -> Answer:
    def ask() -> Answer:
        total: sy.ScoreCounts | None = None
        for part in batches(case):
            if part.stop > part.start:
                one = sy.ScoreCounts.from_scores(
                    list(case.truths[part]),
                    list((case.scores or ())[part]),
                    positive_of(case),
                    both(case),
                    None if case.weights is None else case.weights[part],
                )
                total = one if total is None else total + one
        return described(total) if total is not None else None

    return said(ask)


def as_table(case: Case, folder: Path) -> Answer:
    """A column for each class, the second turned round."""

    def ask() -> Answer:
        first, second = both(case)
        scores = np.array(case.scores)
        counts = sy.ScoreCounts.from_scores(
            list(case.truths), {first: scores, second: -scores}, None, None, case.weights
        )
        return described(counts.one_vs_rest(first))

    return said(ask)


def by_file(suffix: str) -> Callable[[Case, Path], Answer]:
    def answer(case: Case, folder: Path) -> Answer:
        rows: dict[str, list[Any]] = {"y": list(case.truths), "q": list(case.scores or ())}
        if case.weights is not None:
            rows["w"] = list(case.weights)
        path = folder / f"scores.{suffix}"
        write(path, rows)
        positive: Any = positive_of(case)
        weight = None if case.weights is None else "w"

        def ask() -> Any:
            with opened(str(path)) as table:
                return described(count_scores(table, "q", "y", positive, weight=weight))

        return said(ask)

    return answer


def write(path: Path, rows: dict[str, list[Any]]) -> None:
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet as parquet

        parquet.write_table(pyarrow.table(rows), path)
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        if path.suffix == ".jsonl":
            for row in zip(*rows.values(), strict=True):
                file.write(json.dumps(dict(zip(rows, row, strict=True))) + "\n")
        else:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerow(rows)
            writer.writerows(
                ["" if v is None else v for v in row] for row in zip(*rows.values(), strict=True)
            )


def finite(case: Case) -> bool:
    weights = case.weights or ()
    return typed(case) and all(w is None or math.isfinite(w) for w in weights)


SCORES: tuple[Way, ...] = (
    Way("scores in lists", "scores", from_columns(as_list, as_list), scored, 0.3),
    Way("scores in arrays", "scores", from_columns(as_objects, np.array), scored, 0.3),
    Way("scores in pandas", "scores", from_columns(as_pandas, as_pandas), scored, 0.1),
    Way("scores in polars", "scores", from_columns(as_polars, as_polars), typed, 0.1),
    Way("scores in arrow", "scores", from_columns(as_arrow, as_arrow), typed, 0.1),
    Way("scores added", "scores", in_parts, scored, 0.3),
    Way("scores in a table", "scores", as_table, scored, 0.1),
    Way(
        "scores in csv",
        "scores",
        by_file("csv"),
        lambda c: typed(c) and c.kind == "text" and has_rows(c),
        0.02,
    ),
    Way("scores in json", "scores", by_file("jsonl"), finite, 0.02),
    Way("scores in parquet", "scores", by_file("parquet"), typed, 0.02),
)
