"""Threefry: published test vectors, and variates with the distributions of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.uncertainty.threefry import Threefry, threefry4x32, ziggurat

# Of the file kat_vectors of Random123 (Salmon et al. 2011): rounds, counter, key, words.
PUBLISHED = """
13 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 531c7e4f 39491ee5 2c855a92 3d6abf9a
13 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff c4189358 1c9cc83a d5881c67 6a0a89e0
13 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 082efa98 ec4e6c89 4aa71d8f 734738c2 431fc6a8 ae6debf1
20 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 9c6ca96a e17eae66 fc10ecd4 5256a7d8
20 ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 2a881696 57012287 f6c7446e a16a6732
20 243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 082efa98 ec4e6c89 59cd1dbb b8879579 86b5d00c ac8b6d84
"""


@pytest.mark.parametrize("line", PUBLISHED.strip().splitlines())
def test_words_are_those_of_the_published_vectors(line: str) -> None:
    rounds, *words = line.split()
    numbers = [int(word, 16) for word in words]
    counter, key, expected = numbers[:4], tuple(numbers[4:8]), numbers[8:]
    found = threefry4x32(np.array(counter[:1], dtype=np.uint32), tuple(counter[1:]), key, int(rounds))
    assert [int(word[0]) for word in found] == expected


def test_layers_of_the_ziggurat_have_equal_areas() -> None:
    """The lowest layer is a rectangle and an exponential tail of area f(r) / r; the highest one reaches f(0) = 1."""
    widths, density = ziggurat()
    areas = widths[1:-1] * np.diff(density[1:])
    base = widths[1] * density[1] + density[1] / widths[1]
    assert areas == pytest.approx(np.full(255, base), rel=1e-9)


@pytest.mark.parametrize("shape", [0.02, 0.5, 1.0, 1.7, 5.0, 13.4, 80.0, 3e4])
def test_gamma_numbers_are_those_of_the_distribution(shape: float) -> None:
    drawn = Threefry(3).standard_gamma(shape, size=(100_000,))
    assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("n", "p"), [(5, 0.3), (200, 0.01), (100, 0.5), (1000, 0.9), (10**6, 0.4)])
def test_binomial_numbers_are_those_of_the_distribution(n: int, p: float) -> None:
    drawn = Threefry(4).binomial(np.full(100_000, n), p)
    edges = np.unique(stats.binom(n, p).ppf(np.linspace(0.05, 0.95, 19)))
    seen = np.histogram(drawn, [-1, *(edges + 0.5), n + 1])[0]
    below = stats.binom(n, p).cdf(np.array([*edges, n]))
    assert stats.chisquare(seen, 100_000 * np.diff(below, prepend=0)).pvalue > 1e-3


def test_counts_of_a_multinomial_add_up() -> None:
    sizes = np.array([[0, 1, 50], [7, 0, 100_000]])
    rates = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.9, 0.0, 0.1]])
    drawn = Threefry(5).multinomial(sizes, rates)
    assert (drawn.sum(axis=-1) == sizes).all()
    assert (drawn[:, 1] == [[0, 1, 0], [0, 0, 0]]).all()
    assert drawn[1, 2, 1] == 0
    assert abs(drawn[1, 2, 0] - 90_000) < 5 * np.sqrt(9_000)


def test_a_shorter_run_is_the_beginning_of_a_longer_one() -> None:
    shapes = np.array([[0.3, 5.0, 0.0], [40.0, 1.0, 0.7]])
    long, short = Threefry(6, 2), Threefry(6, 2)
    for draws in (7, 20_000):
        whole = long.standard_gamma(shapes, size=(20_001, 2, 3))
        assert np.array_equal(short.standard_gamma(shapes, size=(draws, 2, 3)), whole[:draws])
        assert (whole[:, 0, 2] == 0).all()
        assert np.array_equal(short.random((draws, 3)), long.random((20_001, 3))[:draws])


def test_seeds_and_streams_have_numbers_of_their_own() -> None:
    seeds = [(0, 0), (1, 0), (0, 1), (2**32, 0), (2**64, 0), (2**96, 0)]
    numbers = np.concatenate([Threefry(*pair).random((1000,)) for pair in seeds])
    assert len(np.unique(numbers)) > 5_990


def test_several_calls_at_once_draw_what_one_after_the_other_does():
    """Three classes that each ask for a uniform, a gamma and a uniform array; shapes below 1 take one call more."""
    for shapes in ([0.3, 0.9, 0.5], [1.0, 30.5, 4.2]):
        alone, calls = Threefry(5, 2), 3 + (shapes[0] < 1)
        expected = [
            (alone.random((7,)), alone.standard_gamma(shape, (33,)), alone.random((9, 2))) for shape in shapes
        ]
        first = Threefry(5, 2)
        together = first.after(calls * np.arange(3))
        found = (
            together.random((3, 7)),
            together.standard_gamma(np.array(shapes)[:, None], (3, 33)),
            together.random((3, 9, 2)),
        )
        for several, single in zip(found, zip(*expected, strict=True), strict=True):
            # NumPy squares where a power is the number 2 and takes logarithms where it is one of several.
            np.testing.assert_array_max_ulp(several, np.stack(single), maxulp=1)
        first.skip(3 * calls)
        assert first.random((4,)).tolist() == alone.random((4,)).tolist()
