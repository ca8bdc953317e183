"""A million 5 x 5 matrices through nine measures.

The peers take one matrix at a time, so they are timed on a sample of the same matrices and the time is multiplied. They are
given what they like best (label vectors or lists, made before the clock starts) and asked only for those of the nine measures
that they have; ours always computes all nine.
"""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import steelyard
from benchmarks.finding import Finding, Target
from benchmarks.timing import best_seconds

Array = NDArray[Any]

MATRICES = 1_000_000
CLASSES = 5
SAMPLE = 200
MEASURES = ("macro_recall", "gmean", "MCC", "kappa", "CBA", "macro_f1", "CEN", "RCI", "mAURPC-OVA")
SCIKIT_LEARN_HAS = ("macro_recall", "MCC", "kappa", "macro_f1")
PYCM_HAS = ("macro_recall", "MCC", "kappa", "CBA", "macro_f1", "CEN", "RCI")
FACTORS = (1, 100, 10_000)
"""PyCM takes longer on small counts, so it is timed on the same matrices with all counts multiplied too."""


def run() -> Iterator[Finding | str]:
    """Nine measures on a million matrices, against a loop over scikit-learn and a loop over PyCM."""
    counts = _matrices()
    sample = counts[:SAMPLE]
    labels = [_columns(matrix) for matrix in sample]
    pairs = [(*np.indices(matrix.shape).reshape(2, -1), matrix.reshape(-1)) for matrix in sample]
    scaled = {factor: (sample * factor).tolist() for factor in FACTORS}
    measures = [steelyard.measure(name) for name in MEASURES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers warn of what is rare in a matrix
        _check(_scikit_learn(labels), SCIKIT_LEARN_HAS, sample)
        _check(_scikit_learn(pairs), SCIKIT_LEARN_HAS, sample)
        for factor, matrices in scaled.items():
            _check(_pycm(matrices), PYCM_HAS, sample * factor)
        times = best_seconds(
            {
                "weigh": lambda: steelyard.weigh(measures, counts),
                "single calls": lambda: [measure(counts) for measure in measures],
                "scikit-learn, labels": lambda: _scikit_learn(labels),
                "scikit-learn, pairs": lambda: _scikit_learn(pairs),
                **{f"PyCM {factor}": partial(_pycm, matrices) for factor, matrices in scaled.items()},
            },
            turns=4,
        )
    weigh, single = times["weigh"], times["single calls"]
    for_all = {name: time / SAMPLE * MATRICES for name, time in times.items()}
    examples = int(sample.sum() / SAMPLE)
    yield f"{MATRICES:,} matrices of {CLASSES} classes, {examples} examples each on average: {', '.join(MEASURES)}"
    yield f"ours: weigh {weigh:.2f} s for all nine together, nine single calls {single:.2f} s"
    yield f"peers are timed on a sample of {SAMPLE} of these matrices"

    theirs = for_all["scikit-learn, labels"]
    yield f"scikit-learn has {len(SCIKIT_LEARN_HAS)} of the nine ({', '.join(SCIKIT_LEARN_HAS)}): {theirs:,.0f} s from label vectors"
    yield Finding(
        "weigh, times faster than a loop over scikit-learn", theirs / weigh, "x", Target("at least", 2000)
    )
    yield Finding(
        "nine single calls, times faster than a loop over scikit-learn",
        theirs / single,
        "x",
        Target("at least", 2000),
    )
    yield Finding(
        "weigh, times faster than scikit-learn on 25 weighted pairs per matrix",
        for_all["scikit-learn, pairs"] / weigh,
        "x",
    )

    yield f"PyCM has {len(PYCM_HAS)} of the nine ({', '.join(PYCM_HAS)}); it is slower the fewer examples a matrix holds"
    for factor in FACTORS:
        theirs = for_all[f"PyCM {factor}"]
        yield f"PyCM with {examples * factor:,} examples in each matrix: {theirs:,.0f} s"
        yield Finding(
            f"weigh, times faster than a loop over PyCM, {examples * factor:,} examples each",
            theirs / weigh,
            "x",
            Target("at least", 1000) if factor == 1 else None,  # larger counts are told for information
        )
    yield Finding(
        f"nine single calls, times faster than a loop over PyCM, {examples} examples each",
        for_all["PyCM 1"] / single,
        "x",
        Target("at least", 1000),
    )

    peak = _peak_megabytes(measures, counts)
    yield Finding(
        "weigh, peak memory beyond the input, results included (tracemalloc)",
        peak,
        "MB",
        Target("below", 256),
    )


def _matrices() -> Array:
    expected = np.full((CLASSES, CLASSES), 5.0) + np.diag(np.full(CLASSES, 45.0))
    return np.random.default_rng(5).poisson(expected, (MATRICES, CLASSES, CLASSES)).astype(np.int64)


def _columns(matrix: Array) -> tuple[Array, Array, None]:
    """The label vectors that a matrix counts."""
    truth, predicted = np.indices(matrix.shape).reshape(2, -1)
    return np.repeat(truth, matrix.reshape(-1)), np.repeat(predicted, matrix.reshape(-1)), None


def _check(theirs: Array, names: tuple[str, ...], matrices: Array) -> None:
    """A comparison of times is worth something only if the values are the same."""
    ours = np.array([steelyard.measure(name)(matrices) for name in names]).T
    assert np.allclose(theirs, ours, rtol=0, atol=1e-9), "the peer computes something else"


def _scikit_learn(sample: Sequence[Any]) -> Array:
    from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, f1_score, matthews_corrcoef

    return np.array(
        [
            (
                balanced_accuracy_score(truth, predicted, sample_weight=weights),
                matthews_corrcoef(truth, predicted, sample_weight=weights),
                cohen_kappa_score(truth, predicted, sample_weight=weights),
                f1_score(truth, predicted, average="macro", sample_weight=weights),
            )
            for truth, predicted, weights in sample
        ]
    )


def _pycm(sample: Sequence[Any]) -> Array:
    from pycm import ConfusionMatrix

    found = []
    for matrix in sample:
        m = ConfusionMatrix(matrix=matrix)
        found.append((m.TPR_Macro, m.Overall_MCC, m.Kappa, m.CBA, m.F1_Macro, m.Overall_CEN, m.RCI))
    return np.array(found)


def _peak_megabytes(measures: list[steelyard.Measure], counts: Array) -> float:
    tracemalloc.start()
    try:
        steelyard.weigh(measures, counts)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
