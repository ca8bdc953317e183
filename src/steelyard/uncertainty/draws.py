"""Which test sets could as well have been seen?

Batches of confusion matrices, drawn from the counts alone. Draws come in blocks whose size depends on the problem only; every
block has a generator of its own, made from the seed and the block's number. So a result does not depend on how many blocks are
computed at once, in which order, or by how many threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Label
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty import posterior, resampling
from steelyard.uncertainty.posterior import Prior

Array = NDArray[Any]
Source = Literal["bootstrap", "posterior"]
Design = Literal["stratified", "multinomial"]
"""What stays fixed from one test set to the next: the examples of each class, or only their total."""

_LARGEST_BLOCK = 2048
_CELLS_OF_A_BLOCK = 1 << 22


def block_size(joint: JointCounts) -> int:
    """Draws in a block: bounded in memory, and a function of the problem alone."""
    cells = max(len(joint.models) * joint.n_classes**2, len(joint.counts))
    return max(16, min(_LARGEST_BLOCK, _CELLS_OF_A_BLOCK // cells))


def matrices_of_block(
    joint: JointCounts, source: Source, design: Design, prior: Prior, seed: int, block: int, size: int
) -> Array:
    """The confusion matrices (M, size, C, C) of one block of draws."""
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
    if source == "bootstrap":
        return joint.matrices(resampling.resampled_cells(joint, design == "stratified", random, size))
    return posterior.posterior_matrices(joint, design == "stratified", prior, random, size)


def blocks(
    joint: JointCounts, source: Source, design: Design, prior: Prior, draws: int, seed: int
) -> Iterator[tuple[slice, Array]]:
    """All draws, block by block."""
    size = block_size(joint)
    for block, start in enumerate(range(0, draws, size)):
        stop = min(start + size, draws)
        # A last, shorter block is cut from a whole one: its draws are those a longer run would have had.
        yield (
            slice(start, stop),
            matrices_of_block(joint, source, design, prior, seed, block, size)[:, : stop - start],
        )


def drawn_values(
    joint: JointCounts,
    measures: Iterable[Measure],
    *,
    source: Source,
    design: Design = "stratified",
    prior: Prior = "jeffreys",
    draws: int = 10_000,
    seed: int = 0,
    positive: Label | None = None,
    undefined: Undefined = "nan",
) -> dict[str, Array]:
    """The value of each measure for each model on each draw: arrays of shape (M, draws) by the measure's name."""
    chosen = list(measures)
    values = {m.name: np.empty((len(joint.models), draws)) for m in chosen}
    for where, matrices in blocks(joint, source, design, prior, draws, seed):
        for name, found in weigh(
            chosen, Confusion(matrices, joint.labels), undefined=undefined, positive=positive
        ).items():
            values[name][:, where] = found
    return values


def within_draws(undefined: Undefined) -> Undefined:
    """The policy for drawn test sets: the caller who wants an error wants it of the test set seen, not of one that was drawn."""
    return "nan" if undefined == "raise" else undefined


def check_drawing(draws: int, seed: int, design: str, prior: str, level: float) -> None:
    """Refuse settings that cannot be drawn with."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise InputError(
            "the level is not a probability",
            found=repr(level),
            allowed="a number between 0 and 1, such as 0.95",
        )
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or not 100 <= draws <= 10_000_000:
        raise InputError(
            "the number of draws cannot be used",
            found=repr(draws),
            allowed="a whole number from 100 to 10,000,000",
        )
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("the seed cannot be used", found=repr(seed), allowed="a whole number >= 0")
    for what, given, known in (("design", design, get_args(Design)), ("prior", prior, posterior.PRIORS)):
        if given not in known:
            raise InputError(
                f"the {what} is not known", found=repr(given), allowed=", ".join(map(repr, known))
            )
