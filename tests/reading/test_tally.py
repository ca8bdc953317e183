"""Tallies: the laws of adding, windows and fading against counting again from the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard as sy

LABELS = st.sampled_from(["a", "b", "c", "ü"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), max_size=12)
BATCHES = st.lists(PAIRS, min_size=1, max_size=6)


def tally_of(pairs: list[tuple[Any, Any]], **options: Any) -> sy.Tally:
    return sy.Tally(**options).update([t for t, _ in pairs], [p for _, p in pairs])


def counted_again(pairs: list[tuple[Any, Any]], weights: list[float] | None = None) -> sy.Confusion:
    return sy.Confusion.from_labels([t for t, _ in pairs], [p for _, p in pairs], sample_weight=weights)


@given(BATCHES)
def test_batches_count_as_their_rows_do(batches: list[list[tuple[str, str]]]) -> None:
    tally = sy.Tally()
    for batch in batches:
        tally.update([t for t, _ in batch], [p for _, p in batch])
    rows = [pair for batch in batches for pair in batch]
    assert tally.rows == len(rows)
    if rows:
        assert tally.confusion == counted_again(rows)


@given(PAIRS, PAIRS, PAIRS)
def test_adding_is_associative_and_commutative(a: Any, b: Any, c: Any) -> None:
    x, y, z = tally_of(a), tally_of(b), tally_of(c)
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert x + sy.Tally() == x
    if a + b:
        assert (x + y).confusion == counted_again(a + b)


@given(BATCHES, st.integers(1, 20))
def test_a_window_holds_the_last_rows_exactly(batches: list[list[tuple[str, str]]], window: int) -> None:
    tally, rows = sy.Tally(window=window), []
    for batch in batches:
        tally.update([t for t, _ in batch], [p for _, p in batch])
        rows += batch
        if rows:
            expected = counted_again(rows[-window:])
            assert tally.confusion == expected


@given(BATCHES, st.floats(0.5, 0.99))
def test_fading_does_not_depend_on_how_rows_are_batched(
    batches: list[list[tuple[str, str]]], decay: float
) -> None:
    tally = sy.Tally(decay=decay)
    for batch in batches:
        tally.update([t for t, _ in batch], [p for _, p in batch])
    rows = [pair for batch in batches for pair in batch]
    if rows:
        expected = counted_again(rows, [decay ** (len(rows) - 1 - i) for i in range(len(rows))])
        assert tally.confusion.labels == expected.labels
        np.testing.assert_allclose(tally.confusion.counts, expected.counts, rtol=1e-12)


@given(BATCHES, st.sampled_from([{}, {"window": 7}, {"decay": 0.9}, {"labels": ["ü", "c", "b", "a"]}]))
def test_a_tally_can_be_put_away_and_taken_up_again(
    batches: list[list[tuple[str, str]]], options: dict[str, Any]
) -> None:
    whole, kept = sy.Tally(**options), sy.Tally(**options)
    for batch in batches:
        whole.update([t for t, _ in batch], [p for _, p in batch])
        kept = sy.Tally.from_bytes(kept.to_bytes()).update([t for t, _ in batch], [p for _, p in batch])
    assert kept == whole
    assert kept.rows == whole.rows


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_integers_are_collected_and_counted_alike(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    y, p = rng.integers(0, 7, 200_000).astype(dtype), rng.integers(0, 7, 200_000).astype(dtype)
    tally = sy.Tally()
    for start in range(0, len(y), 1_000):
        tally.update(y[start : start + 1_000], p[start : start + 1_000])
    expected = np.bincount(y.astype(int) * 7 + p, minlength=49).reshape(7, 7)
    assert np.array_equal(tally.confusion.counts, expected)
    assert tally.confusion.labels == tuple(range(7))


def test_what_was_given_may_change_afterwards() -> None:
    y, p = np.array([0, 1, 1]), np.array([0, 1, 0])
    plain, sliding = sy.Tally().update(y, p), sy.Tally(window=2).update(y, p)
    y[:] = p[:] = 9
    assert plain.confusion.labels == (0, 1)
    assert sliding.update([1], [1]).confusion.counts.tolist() == [[0, 0], [1, 1]]


def test_weights_and_named_classes() -> None:
    tally = (
        sy.Tally(labels=["spam", "ham"])
        .update(["ham", "spam"], ["ham", "ham"], [0.5, 2.0])
        .update(["ham"], ["spam"], [1.0])
    )
    assert tally.confusion.counts.tolist() == [[0.0, 2.0], [1.0, 0.5]]
    with pytest.raises(sy.InputError, match="there is no class in labels="):
        tally.update(["scam"], ["ham"])
    assert tally.rows == 3, "a refused batch changes nothing"


def test_a_tally_is_evaluated() -> None:
    result = tally_of([("a", "a")] * 8 + [("b", "a"), ("b", "b")]).evaluate()
    assert result.weighing["accuracy"].value == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"window": 0}, "the window must be a number of rows"),
        ({"decay": 1.0}, "the decay must be a factor"),
        ({"window": 5, "decay": 0.5}, "either slides or fades"),
    ],
)
def test_impossible_tallies(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sy.InputError, match=words):
        sy.Tally(**options)


def test_errors_in_reading_and_adding() -> None:
    with pytest.raises(sy.InputError, match="nothing was counted yet"):
        _ = sy.Tally().confusion
    with pytest.raises(sy.InputError, match="these bytes are not a tally"):
        sy.Tally.from_bytes(b"\x00\x01")
    with pytest.raises(sy.InputError, match="this is not a tally"):
        sy.Tally.from_dict({"schema": "other"})
    with pytest.raises(sy.InputError, match="tallies of different classes"):
        _ = sy.Tally(labels=["a", "b"]) + sy.Tally()
    with pytest.raises(sy.InputError, match="this label cannot be written"):
        sy.Tally().update([("a", 1)], [("a", 1)]).to_dict()


# -- the same result whatever the batching; an error changes nothing

WEIGHTED = st.lists(st.tuples(LABELS, LABELS, st.sampled_from([0.0, 0.1, 0.5, 3.0])), min_size=1, max_size=14)


@given(WEIGHTED, st.lists(st.integers(1, 5), min_size=1, max_size=14), st.sampled_from([None, 1, 3, 8]))
def test_rows_without_weight_count_as_nothing_in_any_batches(
    rows: Any, sizes: list[int], window: int | None
) -> None:
    tally, place = sy.Tally(window=window), 0
    for size in [*sizes, len(rows)]:
        batch = rows[place : place + size]
        tally.update([t for t, _, _ in batch], [p for _, p, _ in batch], [w for _, _, w in batch])
        place += size
    assert tally.rows == len(rows)
    held = rows if window is None else rows[-window:]
    if not any(w for _, _, w in held):
        with pytest.raises(sy.InputError, match="nothing was counted yet"):
            _ = tally.confusion
        return
    expected = counted_again([(t, p) for t, p, _ in held], [w for _, _, w in held])
    assert tally.confusion.labels == expected.labels
    np.testing.assert_allclose(tally.confusion.counts, expected.counts, rtol=1e-12)


def test_a_batch_without_weight_counts_as_its_rows_do_in_any_other_batch() -> None:
    """A class that only rows without weight have need not be listed, whatever the batching; what is no column is refused."""
    rows = (["a", "b", "x"], ["a", "b", "a"], [1.0, 1.0, 0.0])
    whole = sy.Tally(labels=["a", "b"]).update(*rows)
    parts = sy.Tally(labels=["a", "b"]).update(["a", "b"], ["a", "b"]).update(["x"], ["a"], weight=[0.0])
    for tally in (whole, parts):
        assert (tally.rows, tally.confusion.counts.tolist()) == (3, [[1, 0], [0, 1]])
    with pytest.raises(sy.InputError, match="cannot be labels"):
        parts.update([["x"]], ["a"], weight=[0.0])
    with pytest.raises(sy.InputError, match="differ in length"):
        parts.update(["x"], ["a", "b"], weight=[0.0])
    assert parts.rows == 3


def test_rows_that_cannot_be_counted_are_refused_at_once() -> None:
    many = np.arange(20_000)
    tally = sy.Tally().update(np.array([1, 2]), np.array([1, 1]))
    for _ in range(2):
        with pytest.raises(sy.InputError, match="too many different labels"):
            tally.update(many, many)
    assert tally.rows == 2
    assert tally.update(np.array([2]), np.array([2])).confusion.counts.tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("options", [{}, {"window": 2}, {"decay": 0.5}])
def test_an_array_of_one_row_is_a_column(options: dict[str, Any]) -> None:
    truth, predicted = np.array([[1, 0, 1]]), np.array([[1, 0, 0]])
    tally = sy.Tally(**options).update(truth, predicted)
    assert tally.rows == 3
    assert tally == sy.Tally(**options).update(truth[0], predicted[0])


def test_a_label_that_json_cannot_hold_is_refused() -> None:
    tally = sy.Tally().update([float("inf"), 1.0], [1.0, 1.0])
    with pytest.raises(sy.InputError, match="this tally cannot be written as JSON"):
        tally.to_bytes()
    assert tally.confusion.counts.tolist() == [[1, 0], [1, 0]]


# -- batches that wait until they are counted together

KINDS = {
    "integers": lambda codes: codes - 2,
    "small integers": lambda codes: (codes + 100).astype(np.uint8),
    "integers that lie apart": lambda codes: codes * codes * 3,
    "text": lambda codes: np.array([f"class {k}" for k in range(40)], dtype=object)[codes],
    "lists": lambda codes: [f"class {k}" for k in codes.tolist()],
}


def stream(kind: str, sizes: list[int], classes: int = 6, late: int = 3) -> list[tuple[Any, Any, Any, Any]]:
    """Batches of these sizes; classes from `late` on come in the second half only."""
    random = np.random.default_rng(len(sizes))
    batches = []
    for turn, size in enumerate(sizes):
        codes = random.integers(0, classes if 2 * turn > len(sizes) else late, (2, size))
        batches.append((codes[0], codes[1], KINDS[kind](codes[0]), KINDS[kind](codes[1])))
    return batches


def table(pairs: list[tuple[Any, Any]]) -> dict[tuple[Any, Any], int]:
    counted: dict[tuple[Any, Any], int] = {}
    for pair in pairs:
        counted[pair] = counted.get(pair, 0) + 1
    return counted


def held(tally: sy.Tally) -> dict[tuple[Any, Any], float]:
    labels = tally.confusion.labels
    rows, columns = np.nonzero(tally.confusion.counts)
    return {
        (labels[i], labels[j]): tally.confusion.counts[i, j].item()
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    }


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("window", [None, 1, 700, 20_000, 50_000])
def test_a_long_stream_is_counted_whatever_waits(kind: str, window: int | None) -> None:
    """Batches of all sizes, more rows than wait at a time, classes that come late, and a look in between."""
    sizes = [1, 999, 2, 17_000, 1_000, 1_000, 40_000, 500, 3, 0, 16_000, 1_000, 300]
    tally, pairs = sy.Tally(window=window), []
    for turn, (_, _, truths, predictions) in enumerate(stream(kind, sizes)):
        tally.update(truths, predictions)
        pairs += list(zip(np.asarray(truths).tolist(), np.asarray(predictions).tolist(), strict=True))
        if turn % 3 == 2:
            assert held(tally) == table(pairs if window is None else pairs[-window:])
    assert tally.rows == sum(sizes)
    assert held(tally) == table(pairs if window is None else pairs[-window:])


@pytest.mark.parametrize("kind", list(KINDS))
def test_fading_is_rounded_batch_by_batch_though_batches_wait(kind: str) -> None:
    decay, tally = 0.99, sy.Tally(decay=0.99)
    expected = np.zeros((6, 6))
    for truth, predicted, truths, predictions in stream(kind, [40, 200, 1, 90, 90, 300, 17_000, 500], late=6):
        tally.update(truths, predictions)
        age = np.arange(len(truth) - 1, -1, -1, dtype=float)
        new = np.bincount(truth * 6 + predicted, decay**age, 36).reshape(6, 6)
        expected = expected * decay ** len(truth) + new
    names = list(tally.confusion.labels)
    order = [names.index(label) for label in np.asarray(KINDS[kind](np.arange(6))).tolist()]
    assert np.array_equal(tally.confusion.counts[np.ix_(order, order)], expected)


@pytest.mark.parametrize("options", [{}, {"window": 1_500}, {"decay": 0.999}])
@pytest.mark.parametrize("kind", ["integers", "text"])
def test_a_refused_batch_changes_nothing_of_what_waits(kind: str, options: dict[str, Any]) -> None:
    batches = stream(kind, [1_000] * 5, late=6)
    labels = np.asarray(KINDS[kind](np.arange(6))).tolist()
    tally, apart = (sy.Tally(labels=labels, **options) for _ in range(2))
    for _, _, truths, predictions in batches:
        apart.update(truths, predictions)
        tally.update(truths, predictions)
        stranger, missing = np.array(truths, dtype=object), np.array(truths, dtype=object)
        stranger[500], missing[500] = "a class that is not listed", None
        for bad, words in ((stranger, "no class in labels="), (missing, "missing labels")):
            with pytest.raises(sy.InputError, match=words):
                tally.update(bad, predictions)
        with pytest.raises(sy.InputError, match="differ in length"):
            tally.update(truths, predictions[:-1])
        assert tally.rows == apart.rows
    if kind == "integers":
        for far in (-(2**63), 2**63 - 1):
            with pytest.raises(sy.InputError, match="no class in labels="):
                tally.update(np.array([far]), np.array([0]))
    assert tally == apart
    assert tally.to_bytes() == apart.to_bytes()


@pytest.mark.parametrize("options", [{}, {"window": 5}, {"decay": 0.5}, {"labels": [0, 1]}])
def test_masked_integers_are_missing_labels(options: dict[str, Any]) -> None:
    tally = sy.Tally(**options).update(np.array([0, 1]), np.array([0, 1]))
    with pytest.raises(sy.InputError, match="missing labels"):
        tally.update(np.ma.array([0, 1, 1], mask=[0, 0, 1]), np.array([0, 1, 1]))
    assert tally.rows == 2


def test_a_window_takes_away_the_nanoseconds_it_counted() -> None:
    column = pl.from_arrow(pa.array([1, 2, 1001], pa.timestamp("ns")))
    tally = sy.Tally(window=4)
    for _ in range(3):
        tally.update(column, column)
    assert tally.confusion.hits.tolist() == [1, 1, 2]
    assert sy.Tally.from_bytes(tally.to_bytes()).confusion.labels == tally.confusion.labels


def test_a_label_that_was_met_is_one_in_every_batch() -> None:
    tally = sy.Tally().update([1.0, 1.5], [1.0, 1.5]).update([1.0], [1.5])
    assert tally.confusion.counts.tolist() == [[1, 1], [0, 1]]
    with pytest.raises(sy.InputError, match=r"holds scores, not labels; found 0\.3"):
        tally.update([1.0], [0.3])
    with pytest.raises(sy.InputError, match="differ in length; found 2 and 1 rows"):
        tally.update([1.0, 1.5], [1.5])
    assert tally.confusion.total == 3


@pytest.mark.parametrize("truth", [[1.0, 1.5, 1.0], [1, "a", 1]])
@pytest.mark.parametrize("weight", [None, [2.0, 2.0, 2.0]])
def test_rows_that_leave_a_window_are_not_asked_what_they_look_like(truth: list[Any], weight: Any) -> None:
    predicted = [truth[1], truth[0], truth[1]]
    tally = sy.Tally(window=1)
    for _ in range(2):
        tally.update(truth, predicted, weight)
    assert tally.confusion.labels == tuple(truth[:2])
    assert tally.confusion.counts.tolist() == [[0, 1 if weight is None else 2.0], [0, 0]]
