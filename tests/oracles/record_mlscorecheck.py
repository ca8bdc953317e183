"""What does mlscorecheck answer on the kinds of cases that its own tests are made of?

Run with a Python that has mlscorecheck installed: python tests/oracles/record_mlscorecheck.py. The problems are drawn by its own
generators with the seeds of its own tests; inputs, answers and seconds of computing are written to mlscorecheck.json beside this file.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mlscorecheck.aggregated import Evaluation, generate_evaluation, generate_scores_for_testsets
from mlscorecheck.check.binary import (
    check_1_dataset_kfold_som,
    check_1_dataset_known_folds_mos,
    check_1_dataset_unknown_folds_mos,
    check_1_testset_no_kfold,
)
from mlscorecheck.check.multiclass import check_1_testset_no_kfold_macro
from mlscorecheck.individual import generate_1_problem, generate_multiclass_dataset, sample_multiclass_dataset
from mlscorecheck.scores import calculate_multiclass_scores, calculate_scores

TOLERANCE = 1e-6
"""What it adds to the uncertainty it is given."""

ZEROS: tuple[tuple[str, ...], ...] = (
    (),
    ("tp",),
    ("tn",),
    ("fp",),
    ("fn",),
    ("tp", "tn"),
    ("tp", "fp"),
    ("fp", "fn"),
    ("tn", "fn"),
)


@contextlib.contextmanager
def silently() -> Iterator[None]:
    """Its linear programs write to the standard output of the process."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def asked(check: Callable[..., dict[str, Any]], **arguments: Any) -> tuple[bool, float]:
    with silently():
        start = computing()
        answer = check(**arguments)
        return bool(answer["inconsistency"]), computing() - start


def computing() -> float:
    """Seconds of computing, here and in the linear programs that it starts as processes of their own."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def plain(scores: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in scores.items() if value is not None}


def case(
    kind: str, sizes: Any, scores: dict[str, Any], eps: float, answer: tuple[bool, float]
) -> dict[str, Any]:
    return {
        "kind": kind,
        "sizes": sizes,
        "scores": plain(scores),
        "eps": eps,
        "inconsistent": answer[0],
        "seconds": round(answer[1], 4),
    }


def test_sets() -> Iterator[dict[str, Any]]:
    for seed in range(10):
        for zeros in ZEROS:
            evaluation, problem = generate_1_problem(random_state=seed, zeros=list(zeros))
            both = {"beta_positive": 1, "beta_negative": 1}
            scores = plain(calculate_scores({**evaluation, **both})) | both
            sizes = [int(problem["p"]), int(problem["n"])]
            for given in (scores, scores | {"bacc": 0.8, "sens": 0.85, "spec": 0.86}):
                testset = {"p": sizes[0], "n": sizes[1]}
                answer = asked(check_1_testset_no_kfold, testset=testset, scores=given, eps=1e-4)
                yield case("test set", sizes, given, 1e-4, answer)
    for scores, sizes, eps in (
        ({"acc": 0.62, "sens": 0.22, "spec": 0.86, "f1p": 0.3, "fm": 0.32}, [530, 902], 1e-2),
        ({"acc": 0.92, "sens": 0.22, "spec": 0.86, "f1p": 0.3, "fm": 0.32}, [530, 902], 1e-2),
        ({"acc": 0.844, "sens": 0.520, "spec": 0.824}, [75, 304], 1e-3),
        ({"acc": 0.855, "sens": 0.507, "spec": 0.941}, [75, 304], 1e-3),
    ):
        testset = {"p": sizes[0], "n": sizes[1]}
        yield case(
            "test set",
            sizes,
            scores,
            eps,
            asked(check_1_testset_no_kfold, testset=testset, scores=scores, eps=eps),
        )
    for seed in range(1, 6):
        scores = plain(
            generate_scores_for_testsets([{"p": 75, "n": 304}], rounding_decimals=4, random_state=seed)
        )
        for given in (scores, scores | {"acc": (1.0 + scores["spec"]) / 2.0}):
            answer = asked(check_1_testset_no_kfold, testset={"p": 75, "n": 304}, scores=given, eps=1e-4)
            yield case("test set", [75, 304], given, 1e-4, answer)


def folds(aggregation: str) -> Iterator[dict[str, Any]]:
    check = check_1_dataset_kfold_som if aggregation == "som" else check_1_dataset_known_folds_mos
    for seed in range(10):
        for decimals in (3, 4):
            evaluation, scores = generate_evaluation(
                aggregation=aggregation, random_state=seed, return_scores=True, rounding_decimals=decimals
            )
            whole = Evaluation(
                dataset=evaluation["dataset"], folding=evaluation["folding"], aggregation=aggregation
            )
            sizes = [[int(fold.p), int(fold.n)] for fold in whole.folds]
            for given in (scores, {"acc": 0.9, "sens": 0.3, "spec": 0.5, "f1": 0.1}):
                answer = asked(
                    check,
                    dataset=evaluation["dataset"],
                    folding=evaluation["folding"],
                    scores=given,
                    eps=10**-decimals,
                )
                yield case(
                    "pooled folds" if aggregation == "som" else "mean of folds",
                    sizes,
                    given,
                    10**-decimals,
                    answer,
                )


def means_of_stratified_folds() -> Iterator[dict[str, Any]]:
    """The electrohysterogram set: 38 and 262 examples, five folds, the means that were printed of it."""
    folding = {"n_folds": 5, "n_repeats": 1, "strategy": "stratified_sklearn"}
    whole = Evaluation(dataset={"p": 38, "n": 262}, folding=folding, aggregation="mos")
    sizes = [[int(fold.p), int(fold.n)] for fold in whole.folds]
    for scores in (
        {"acc": 0.9447, "sens": 0.9139, "spec": 0.9733},
        {"acc": 0.95, "sens": 0.95, "spec": 0.95},
    ):
        answer = asked(
            check_1_dataset_known_folds_mos,
            dataset={"p": 38, "n": 262},
            folding=folding,
            scores=scores,
            eps=1e-4,
        )
        yield case("mean of folds", sizes, scores, 1e-4, answer)


def unknown_folds() -> Iterator[dict[str, Any]]:
    for scores, p, n, count in (
        ({"acc": 0.9, "sens": 0.3, "spec": 0.5}, 5, 9, 3),
        ({"acc": 0.714, "sens": 0.8, "spec": 0.667}, 5, 9, 2),
        ({"acc": 0.786, "sens": 0.833, "spec": 0.767}, 5, 9, 2),
        ({"acc": 0.623, "sens": 0.917, "spec": 0.511}, 7, 16, 3),
        ({"acc": 0.95, "sens": 0.95, "spec": 0.95}, 7, 16, 3),
    ):
        answer = asked(
            check_1_dataset_unknown_folds_mos,
            dataset={"p": p, "n": n},
            folding={"n_folds": count, "n_repeats": 1},
            scores=scores,
            eps=1e-3,
        )
        yield case("mean of unknown folds", [p, n, count], scores, 1e-3, answer)


def macro_averages() -> Iterator[dict[str, Any]]:
    for seed in range(10):
        dataset = generate_multiclass_dataset(random_state=seed)
        matrix = sample_multiclass_dataset(dataset=dataset, random_state=seed)
        both = {"beta_positive": 2, "beta_negative": 2}
        scores = (
            plain(
                calculate_multiclass_scores(
                    matrix, average="macro", additional_symbols=both, rounding_decimals=4
                )
            )
            | both
        )
        for given in (scores, scores | {"acc": (1.0 + scores["spec"]) / 2.0}):
            answer = asked(check_1_testset_no_kfold_macro, testset=dataset, scores=given, eps=1e-4, timeout=5)
            yield case("macro", [int(dataset[key]) for key in sorted(dataset)], given, 1e-4, answer)


def main() -> None:
    cases = [
        *test_sets(),
        *folds("som"),
        *folds("mos"),
        *means_of_stratified_folds(),
        *unknown_folds(),
        *macro_averages(),
    ]
    packages = {name: version(name) for name in ("mlscorecheck", "numpy", "PuLP")}
    head = {"recorded_with": packages, "python": sys.version.split()[0], "tolerance": TOLERANCE}
    lines = ",\n".join(json.dumps(one) for one in cases)
    path = Path(__file__).parent / "mlscorecheck.json"
    path.write_text(json.dumps(head)[:-1] + ', "cases": [\n' + lines + "\n]}\n", encoding="utf-8")
    print(f"{len(cases)} cases written to {path.name}")


if __name__ == "__main__":
    main()
