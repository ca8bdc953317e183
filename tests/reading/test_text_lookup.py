"""Words that come again are found by their addresses, and never another word by one of them."""

import copy
import gc
import pickle

import numpy as np
import pytest

import steelyard as sy
from steelyard.reading.tally import TextLookup

NAMES = ["ok", "fraud", "late", "other"]


def place():
    return {name: at for at, name in enumerate(NAMES)}


def objects(codes, names):
    column = np.empty(len(codes), dtype=object)
    column[:] = [names[k] for k in codes]
    return column


def test_every_way_of_writing_a_column_finds_the_same_places():
    codes = np.random.default_rng(0).integers(0, 4, 500)
    found = TextLookup(place())
    shared = objects(codes, NAMES)
    for _ in range(3):
        assert found.of(shared).tolist() == codes.tolist()
        assert found.of(shared.tolist()).tolist() == codes.tolist()
        assert found.of(shared.astype("U")).tolist() == codes.tolist()
        assert found.of(shared[::2]).tolist() == codes[::2].tolist()


def test_an_object_that_is_gone_is_never_taken_for_another():
    """Every batch has words of its own, which are let go at once, so that addresses are used again."""
    random, found = np.random.default_rng(1), TextLookup(place())
    for _ in range(200):
        codes = random.integers(0, 4, 50)
        column = objects(codes, ["".join(list(name)) for name in NAMES])
        assert found.of(column).tolist() == codes.tolist()
        del column
        gc.collect(0)


def test_words_that_are_not_known_are_not_found():
    found = TextLookup(place())
    assert found.of(objects([0, 1, 2], NAMES)) is not None
    assert found.of(objects([0, 1, 2], ["ok", "fraud", "new"])) is None
    assert found.of(np.array([None, "ok"], dtype=object)) is None
    assert found.of(np.array([1, 2])) is None
    assert found.of(np.empty((2, 2), dtype=object)) is None
    assert found.of(np.empty(0, dtype=object)) is None
    assert TextLookup({str(k): k for k in range(300)}).of(["1", "2"]) is None


@pytest.mark.parametrize("way", [copy.deepcopy, lambda tally: pickle.loads(pickle.dumps(tally))])
@pytest.mark.parametrize("how", [{}, {"window": 700}, {"decay": 0.99}, {"labels": NAMES}])
def test_tallies_of_words_are_those_of_numbers(how, way):
    random = np.random.default_rng(2)
    words = sy.Tally(**how)
    numbers = sy.Tally(**{**how, **({"labels": range(4)} if "labels" in how else {})})
    for turn in range(12):
        truth, called = random.integers(0, 4, (2, 150))
        words.update(objects(truth, NAMES), objects(called, NAMES))
        numbers.update(truth, called)
        words = way(words) if turn == 6 else words
    names = words.confusion.labels
    order = [NAMES.index(name) for name in names]
    assert words.confusion.counts.tolist() == numbers.confusion.counts[np.ix_(order, order)].tolist()
