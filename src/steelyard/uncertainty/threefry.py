"""Threefry: counter-based random uniform, gamma and multinomial variates (Salmon et al. 2011)."""
# Every number is a function of the seed, the stream, the number of the call and its place in it, so that
# packages/js, which has the same functions, draws the same numbers: 32-bit words are equal, variates to about
# 1e-15. What is rejected is tried again with the next attempt in the counter; nobody else's numbers move.

from __future__ import annotations

import functools
import math
from copy import copy
from typing import Any

import numpy as np

from steelyard.counts.labels import Array

# Threefry4x32 passes BigCrush from 12 rounds on (Salmon et al. 2011, table 2); 13 have published test
# vectors.
ROUNDS = 13
# Table 4 of the paper: by how much the two words of a round are rotated; then the table is repeated.
_ROTATIONS = np.array(
    [(10, 26), (11, 21), (13, 27), (23, 5), (6, 20), (17, 11), (25, 10), (18, 20)], dtype=np.uint32
)
_PARITY, _MASK = 0x1BD11BDA, 0xFFFFFFFF
# Variates computed at once: their words stay in a processor's second-level cache.
_AT_ONCE = 1 << 15
# Ziggurat of the normal density (Marsaglia and Tsang 2000) of 256 layers. The lowest one holds the tail under
# an exponential of area f(r) / r, so that a rejected tail may start again from the first word; r closes the
# recursion of the layers for that area.
_LAYERS, _BASE = 256, 3.6554204190269415
# Below so many expected successes a binomial number is found by adding probabilities up.
_FEW_SUCCESSES = 10.0


def threefry4x32(
    index: Array, others: tuple[Any, int, int], key: tuple[int, ...], rounds: int
) -> list[Array]:
    """The four 32-bit words of counters whose first words are `index`; the second may be an array too."""
    keys = [*key, _PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3]]
    shape = np.broadcast_shapes(index.shape, np.shape(others[0]))
    # Words 0 and 2, and words 1 and 3: both pairs of a round are mixed at once.
    state = np.empty((2, 2, *shape), dtype=np.uint32)
    added, moved = state
    words = [added[0], moved[0], added[1], moved[1]]
    words[0][...] = index + np.uint32(keys[0])
    for other, word, key_word in zip(others, words[1:], keys[1:4], strict=True):
        word[...] = (other + key_word) & _MASK
    ones, shifted = (1,) * len(shape), np.empty_like(moved)
    left = _ROTATIONS.reshape(8, 2, *ones)
    right = 32 - left
    for number in range(rounds):
        turned = moved if number % 2 == 0 else moved[::-1]
        added += turned
        np.left_shift(turned, left[number % 8], out=shifted)
        turned >>= right[number % 8]
        turned |= shifted
        turned ^= added
        if number % 4 == 3:
            step = number // 4 + 1
            first, second, third, fourth = (keys[(step + k) % 5] for k in range(4))
            injected = np.array([[first, third], [second, (fourth + step) & _MASK]], dtype=np.uint32)
            state += injected.reshape(2, 2, *ones)
    return words


def _uniform(words: Array) -> Array:
    """Numbers between 0 and 1, never either of them."""
    return np.asarray((words + 0.5) * 2.0**-32)


@functools.cache
def ziggurat() -> tuple[Array, Array]:
    """The half-width of each layer, the lowest first and 0 last, and the density exp(-x²/2) there."""
    widths = np.zeros(_LAYERS + 1)
    density = math.exp(-_BASE * _BASE / 2)
    area = _BASE * density + density / _BASE
    widths[0], widths[1] = area / density, _BASE
    for k in range(2, _LAYERS):
        density = math.exp(-widths[k - 1] * widths[k - 1] / 2)
        widths[k] = math.sqrt(-2 * math.log(area / widths[k - 1] + density))
    return widths, np.exp(-widths * widths / 2)


class Threefry:
    """Random variates of a seed and a stream; each call of a method has numbers of its own."""

    def __init__(self, seed: int, stream: int = 0) -> None:
        key = [0, 0, 0, 0]
        for place in range(-(-int(seed).bit_length() // 32)):
            key[place % 4] ^= int(seed) >> 32 * place & _MASK
        self._key, self._stream, self._calls = tuple(key), stream, np.array(0)

    def skip(self, calls: int) -> None:
        """Leave the numbers of so many calls out."""
        self._calls = self._calls + calls

    def after(self, calls: Array) -> Threefry:
        """The same numbers after each of several numbers of calls, all at once: the first axis of `size`."""
        later = copy(self)
        later._calls = self._calls + calls
        return later

    def _words(self, index: Array, attempt: int, calls: Any = None) -> list[Array]:
        calls = self._calls[..., None] if calls is None else calls
        return threefry4x32(index, (calls, attempt, self._stream), self._key, ROUNDS)

    def _flat(self, first: int, number: int, attempt: int) -> Array:
        """The words of as many numbers, four from each counter, beginning with a whole one."""
        index = np.arange(first, first + -(-number // 4), dtype=np.uint32)
        return np.stack(self._words(index, attempt), axis=-1).reshape(*self._calls.shape, -1)

    def random(self, size: tuple[int, ...]) -> Array:
        """Uniform numbers."""
        self.skip(1)
        number = math.prod(size) // self._calls.size
        return _uniform(self._flat(0, number, 0)[..., :number]).reshape(size)

    def standard_gamma(self, shape: Any, size: tuple[int, ...]) -> Array:
        """Gamma numbers (Marsaglia and Tsang 2000) of these shapes, which the last axes of `size` have."""
        shapes = np.atleast_1d(np.asarray(shape, dtype=np.float64)).reshape(-1)
        self.skip(1)
        draws = math.prod(size) // len(shapes)
        # Of a shape below 1: X U^(1 / shape), where X has a shape greater by 1 (their section 6).
        small = np.flatnonzero(shapes < 1)
        middle = np.where(shapes < 1, shapes + 1, shapes) - 1 / 3
        scale = 1 / np.sqrt(9 * middle)
        # Several calls at once have a shape each, one call has all shapes in turn.
        several, drawn = self._calls.ndim > 0, np.empty(draws * len(shapes))
        # A chunk begins with a whole counter of bytes, which is that of 16 numbers.
        step = draws if several else max(16, _AT_ONCE // len(shapes) // 16 * 16)
        repeated = np.repeat if several else np.tile
        constants = [repeated(row, min(step, draws)) for row in (middle, scale, _squeeze(middle))]
        trials = []
        for start in range(0, draws, step):
            first = start * len(shapes)
            chunk = drawn[first : first + step * len(shapes)]
            number = len(chunk) // self._calls.size
            word = self._flat(first // 4, number, 0)[..., :number].reshape(-1)
            byte = self._flat(first // 16, -(-number // 4), 1).view(np.uint8)[..., :number].reshape(-1)
            rest = _first_trial(chunk, word, byte, [row[: len(chunk)] for row in constants])
            trials.append((rest + first, word[rest], byte[rest]))
        rest, word, byte = (np.concatenate(arrays) for arrays in zip(*trials, strict=True))
        cell, index = np.divmod(rest, draws) if several else (rest % len(shapes), rest)
        chance, attempt = byte / 256, 0
        calls = np.broadcast_to(self._calls, shapes.shape)
        while len(rest):
            more = self._words(index.astype(np.uint32), 2 + attempt, calls[cell])
            word, chance = (
                (more[0], _uniform(more[1])) if attempt else (word, chance + _uniform(more[1]) / 256)
            )
            accepted, drawn[rest] = _second_trial(word, chance, more, middle[cell], scale[cell])
            rows = (rest, cell, index, word, chance)
            rest, cell, index, word, chance = (row[~accepted] for row in rows)
            attempt += 1
        if len(small):
            with np.errstate(divide="ignore"):  # U to an infinite power is 0, as is a number of shape 0
                powers = 1 / shapes[small]
            if several:  # all of them are small
                drawn *= (self.random((len(shapes), draws)) ** powers[:, None]).reshape(-1)
            else:
                drawn.reshape(draws, -1)[:, small] *= self.random((draws, len(small))) ** powers
        return drawn.reshape(size)

    def multinomial(self, n: Any, pvals: Array) -> Array:
        """Counts (..., K) of n (...) examples by probabilities (..., K) that are 1 together, cell by cell."""
        pvals = np.asarray(pvals, dtype=np.float64)
        shape = np.broadcast_shapes(np.shape(n), pvals.shape[:-1])
        left, chance = np.broadcast_to(n, shape).astype(np.int64), np.ones(pvals.shape[:-1])
        counts = np.empty((*shape, pvals.shape[-1]), dtype=np.int64)
        for k in range(pvals.shape[-1] - 1):
            share = np.divide(pvals[..., k], chance, out=np.zeros(chance.shape), where=chance > 0)
            counts[..., k] = self.binomial(left, np.clip(share, 0.0, 1.0))
            left = left - counts[..., k]
            chance = chance - pvals[..., k]
        counts[..., -1] = left
        return counts

    def binomial(self, n: Array, p: Any) -> Array:
        """Successes of n trials of probability p."""
        # Inversion where few are expected, else BTRS, transformed rejection with squeeze (Hörmann 1993).
        self.skip(1)
        trials = np.asarray(n).reshape(-1)
        chance = np.broadcast_to(p, np.shape(n)).reshape(-1)
        # Cells of equal probability meet at one half, where rounding must not decide which side is drawn.
        turned = chance > 0.5 + 1e-9
        rare = np.where(turned, 1 - chance, chance)
        counts = np.zeros(len(trials), dtype=np.int64)
        few = trials * rare < _FEW_SUCCESSES
        rest = np.flatnonzero(few & (trials * rare > 0))
        counts[rest] = _inverted(_uniform(self._flat(0, len(trials), 0)[rest]), trials[rest], rare[rest])
        rest, trial = np.flatnonzero(~few), 0
        words: list[Array] = []
        while len(rest):
            if trial % 2 == 0:
                words = self._words(rest.astype(np.uint32), 1 + trial // 2)
            first, second = words[trial % 2 * 2], words[trial % 2 * 2 + 1]
            accepted, values = _transformed(_uniform(first), _uniform(second), trials[rest], rare[rest])
            counts[rest[accepted]] = values[accepted]
            rest, words, trial = rest[~accepted], [word[~accepted] for word in words], trial + 1
        return np.where(turned, trials - counts, counts).reshape(np.shape(n))


def _squeeze(middle: Array) -> Array:
    """The s by which U < 1 - s z⁴ accepts d (1 + c z)³ without a logarithm."""
    # The logarithm of what is accepted is -d (0.75 y⁴ - 0.6 y⁵ + ...), y = c z: more than -1.271 d y⁴ where y
    # > -1/2, and d >= 13 leaves no others. Below that, the paper's 0.0331 holds.
    return np.where(middle >= 13, 0.0157 / middle, 0.0331)


def _normal(word: Array, layer: Array) -> Array:
    """A number within its layer of the ziggurat: 24 bits of the word, with their sign."""
    return ((word.view(np.int32) >> 8) + 0.5) * (ziggurat()[0] * 2.0**-23)[layer]


def _first_trial(out: Array, word: Array, byte: Array, constants: list[Array]) -> Array:
    """Write the gamma number of each word; the places of those that need a second look."""
    middle, scale, squeeze = constants
    layer = (word & np.uint32(_LAYERS - 1)).astype(np.intp)
    normal = _normal(word, layer)
    root = normal * scale
    root += 1
    np.multiply(root, root, out=out)
    out *= root
    out *= middle
    accepted = np.abs(normal) < ziggurat()[0][1:][layer]
    normal *= normal
    normal *= normal
    normal *= squeeze
    # U lies between the byte and the next one.
    normal += (byte + 1.0) * (1 / 256)
    accepted &= normal < 1
    accepted &= root > 0
    return np.flatnonzero(~accepted)


def _second_trial(
    word: Array, chance: Array, more: list[Array], middle: Array, scale: Array
) -> tuple[Array, Array]:
    """Which numbers the normal and the gamma density accept, and the values of all."""
    widths, densities = ziggurat()
    layer = (word & np.uint32(_LAYERS - 1)).astype(np.intp)
    normal, first, second = _normal(word, layer), _uniform(more[2]), _uniform(more[3])
    outside = np.abs(normal) >= widths[layer + 1]
    tail = outside & (layer == 0)
    beyond = -np.log(first) / _BASE
    normal = np.where(tail, np.copysign(_BASE + beyond, normal), normal)
    between = densities[layer] + first * (densities[layer + 1] - densities[layer])
    height = np.where(tail, second, between)
    below = height < np.exp(-(np.where(tail, beyond, normal) ** 2) / 2)
    root = 1 + scale * normal
    cube = np.where(root > 0, root * root * root, 1.0)
    accepted = np.log(chance) < 0.5 * normal * normal + middle * (1 - cube + np.log(cube))
    return (below | ~outside) & (root > 0) & accepted, middle * cube


def _inverted(chance: Array, trials: Array, rare: Array) -> Array:
    """Binomial quantiles: probabilities added up from 0 successes on."""
    counts = np.zeros(len(chance), dtype=np.int64)
    density = np.exp(trials * np.log1p(-rare))
    rest = np.flatnonzero(chance > density)
    chance, density, trials, odds = chance[rest], density[rest], trials[rest], (rare / (1 - rare))[rest]
    number = 0
    while len(rest):
        number += 1
        chance = chance - density
        density = density * ((trials - number + 1) * odds / number)
        more = (chance > density) & (number < trials)
        counts[rest[~more]] = number
        rest, chance, density, trials, odds = (row[more] for row in (rest, chance, density, trials, odds))
    return counts


def _transformed(first: Array, second: Array, trials: Array, rare: Array) -> tuple[Array, Array]:
    """One trial of BTRS: which numbers are accepted, and the numbers."""
    spread = np.sqrt(trials * rare * (1 - rare))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * rare
    alpha = (2.83 + 5.1 / b) * spread
    centred = first - 0.5
    edge = 0.5 - np.abs(centred)
    number = np.floor((2 * a / edge + b) * centred + trials * rare + 0.5)
    quick = (edge >= 0.07) & (second <= 0.92 - 4.2 / b)
    possible = (number >= 0) & (number <= trials)
    k = np.where(possible, number, 0.0)
    mode = np.floor((trials + 1) * rare)
    odds = rare / (1 - rare)
    bound = (
        (mode + 0.5) * np.log((mode + 1) / (odds * (trials - mode + 1)))
        + (trials + 1) * np.log((trials - mode + 1) / (trials - k + 1))
        + (k + 0.5) * np.log(odds * (trials - k + 1) / (k + 1))
        + _stirling(mode) + _stirling(trials - mode) - _stirling(k) - _stirling(trials - k)
    )  # fmt: skip
    slow = np.log(second * alpha / (a / (edge * edge) + b)) <= bound
    return possible & (quick | slow), k.astype(np.int64)


def _stirling(number: Array) -> Array:
    """What Stirling's formula of log(k!) lacks at k + 1, to about 1e-9; exact below 10."""
    after = number + 1
    square = after * after
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / after
    return np.where(number < 10, _STIRLING[np.minimum(number, 9).astype(np.intp)], series)


_STIRLING = np.array(
    [
        math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - math.log(2 * math.pi) / 2
        for k in range(10)
    ]
)
