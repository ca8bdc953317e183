"""Thousands of classes are counted, kept and written by the pairs that occur."""

import hashlib
import json
from collections import Counter

import numpy as np
import pytest

import steelyard as sy
from steelyard.judgement.reproduction import fingerprint

CLASSES = 2_500


def columns(rows=6_000):
    random = np.random.default_rng(1)
    truth = random.integers(0, CLASSES, rows)
    return truth, np.where(random.random(rows) < 0.8, truth, random.integers(0, CLASSES, rows))


@pytest.mark.parametrize("kind", ["integers", "text", "weights"])
def test_pairs_are_counted_as_one_by_one(kind):
    truth, called = columns()
    if kind == "text":
        truth, called = (np.array([f"class {k:04d}" for k in column]) for column in (truth, called))
    weights = np.arange(len(truth)) % 7 / 4 if kind == "weights" else None
    matrix = sy.Confusion.from_labels(truth, called, sample_weight=weights)
    expected = Counter()
    for t, p, w in zip(
        truth.tolist(), called.tolist(), np.ones(len(truth)) if weights is None else weights, strict=True
    ):
        expected[t, p] += w
    expected = {pair: amount for pair, amount in expected.items() if amount}
    assert matrix.labels == tuple(sorted({label for pair in expected for label in pair}))
    held = matrix.held
    names = matrix.labels
    found = {
        (names[i], names[j]): amount
        for i, j, amount in zip(held.places.rows, held.places.columns, held.values, strict=True)
    }
    assert found == expected
    assert matrix.counts.dtype == (np.float64 if kind == "weights" else np.int64)
    assert matrix.counts.sum() == (len(truth) if weights is None else pytest.approx(weights.sum()))


def test_listed_classes_keep_their_order():
    truth, called = columns()
    names = list(range(CLASSES))[::-1]
    matrix = sy.Confusion.from_labels(truth, called, labels=names)
    assert matrix.labels == tuple(names)
    assert matrix.counts[CLASSES - 1 - truth[0], CLASSES - 1 - called[0]] >= 1
    with pytest.raises(sy.SteelyardError, match="class in labels="):
        sy.Confusion.from_labels(truth, called, labels=names[5:])


def test_sums_of_a_large_matrix_are_kept_and_cannot_be_changed():
    truth, called = columns()
    matrix = sy.Confusion.from_labels(truth, called, labels=range(CLASSES))
    assert matrix.actual.tolist() == np.bincount(truth, minlength=CLASSES).tolist()
    assert matrix.predicted.tolist() == np.bincount(called, minlength=CLASSES).tolist()
    assert matrix.total == len(truth)
    with pytest.raises(ValueError, match="read-only"):
        matrix.actual[0] = 1


def test_plain_data_holds_the_cells_and_is_read_back():
    truth, called = columns()
    matrix = sy.Confusion.from_labels(truth, called)
    plain = json.loads(json.dumps(matrix.to_dict()))
    assert plain["counts"] is None
    assert sum(amount for _, _, amount in plain["cells"]) == len(truth)
    again = sy.Confusion.from_dict(plain)
    assert again == matrix
    assert again.counts.dtype == np.int64
    for cells in ([[0, 99_999, 1]], [[-1, 0, 1]], [[0, 0]], [["a", 0, 1]], "no"):
        with pytest.raises(sy.SteelyardError, match="the cells do not make a matrix"):
            sy.Confusion.from_dict({**plain, "cells": cells})


def test_few_classes_are_written_in_rows():
    matrix = sy.Confusion([[90, 10], [30, 870]], labels=["fraud", "ok"])
    assert matrix.to_dict()["counts"] == [[90, 10], [30, 870]]
    assert "cells" not in matrix.to_dict()
    assert sy.Confusion.from_dict(matrix.to_dict()) == matrix


def test_the_fingerprint_is_that_of_all_cells():
    truth, called = columns()
    matrix = sy.Confusion.from_labels(truth, called)
    digest = hashlib.sha256(json.dumps(list(matrix.labels)).encode())
    digest.update(matrix.counts.astype("<f8").tobytes())
    assert fingerprint([matrix]) == digest.hexdigest()[:16]


def test_batches_have_the_fingerprint_that_they_have_together():
    counts = np.random.default_rng(0).integers(0, 9, (7, 2, 2))
    batches = [sy.Confusion(part) for part in np.array_split(counts, 3)]
    assert fingerprint(batches) == fingerprint([sy.Confusion(counts)])
    assert fingerprint(map(sy.Confusion, counts)) != fingerprint(
        batches
    )  # seven matrices, each with its labels


def test_an_evaluation_of_thousands_of_classes_says_what_it_leaves_out(tmp_path):
    truth, called = columns()
    result = sy.evaluate(truth, called)
    assert any("Intervals are left out" in note for note in result.notes)
    assert (
        "100 of 2,359 rows; the others have a higher recall; all are in the JSON output."
        in result.to_markdown()
    )
    kept = tmp_path / "baseline.json"
    kept.write_text(json.dumps(result.to_dict()))
    held = sy.gate(result.matrix, against=str(kept), max_drop={"accuracy": 0.01}, by="point")
    assert held.outcome == "passed"
