"""Simulate test sets from counts: confusion matrices by the bootstrap or from the Dirichlet posterior."""
# Drawing n rows with replacement and counting them is drawing the counts from a multinomial distribution: ten
# thousand bootstrap samples of a million rows cost as much as ten thousand of a hundred. Draws come in blocks
# whose size depends on the problem only; every block has random numbers of its own, by the seed and the
# block's number. So a result does not depend on how many blocks are computed at once, in which order, or by
# how many threads.

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from steelyard.counts.confusion import Confusion
from steelyard.counts.joint import JointCounts
from steelyard.counts.labels import Array, Label
from steelyard.errors import InputError
from steelyard.measures.measure import Measure, weigh
from steelyard.measures.undefined import Undefined
from steelyard.uncertainty.dirichlet_posterior import PRIORS, Prior, posterior_centres, posterior_matrices
from steelyard.uncertainty.many_model_posterior import block_of_many, is_many
from steelyard.uncertainty.threefry import Threefry

Source = Literal["bootstrap", "posterior"]
# What another test set would have in common with this one: the number of rows ("sample", of old
# "multinomial"), or the number of rows of every class ("fixed", of old "stratified").
Design = Literal["sample", "fixed", "multinomial", "stratified"]
IN_OTHER_WORDS = {"multinomial": "sample", "stratified": "fixed"}
WHAT_A_DESIGN_MEANS = {
    "sample": "Intervals treat the test set as a random sample, so class counts vary too (design 'sample').",
    "fixed": "Intervals hold the class counts fixed (design 'fixed').",
}

MOST_DRAWS, FEWEST_DRAWS = 10_000, 1_000
_CELLS_DRAWN = 5_000_000
_LARGEST_BLOCK = {"bootstrap": 1 << 11, "posterior": 1 << 14}
_CELLS_OF_A_BLOCK = 1 << 18


def design_in_use(design: str) -> Literal["sample", "fixed"]:
    """The design under its present name."""
    return "fixed" if IN_OTHER_WORDS.get(design, design) == "fixed" else "sample"


@dataclass(frozen=True)
class Simulation:
    """How test sets are simulated, and how metrics of them are computed."""

    draws: int = MOST_DRAWS
    seed: int = 0
    design: Design = "sample"
    prior: Prior = "shared"
    level: float = 0.95
    positive: Label | None = None
    undefined: Undefined = "nan"

    @property
    def sizes_fixed(self) -> bool:
        """Have all test sets the same number of rows of every class?"""
        return design_in_use(self.design) == "fixed"

    def values(self, measures: Iterable[Measure], sets: Confusion) -> dict[str, Any]:
        """The values of measures of simulated test sets."""
        return weigh(measures, sets, undefined=within_draws(self.undefined), positive=self.positive)


def draws_in_use(draws: int | None, n_classes: int) -> int:
    """The draws asked for."""
    # Unasked 10,000, and with more than 22 classes fewer, so that their cells stay five million.
    if draws is not None:
        return draws
    return min(MOST_DRAWS, max(FEWEST_DRAWS, _CELLS_DRAWN // n_classes**2))


def block_size(joint: JointCounts, source: Source = "bootstrap") -> int:
    """Draws in a block: bounded in memory, and a function of the problem alone."""
    if source == "posterior" and is_many(joint):
        return block_of_many(joint)
    cells = max(len(joint.models) * joint.n_classes**2, len(joint.counts))
    return max(16, min(_LARGEST_BLOCK[source], _CELLS_OF_A_BLOCK // cells))


def matrices_of_block(joint: JointCounts, how: Simulation, source: Source, block: int, size: int) -> Array:
    """The confusion matrices (M, size, C, C) of one block of draws."""
    if source == "bootstrap":
        return joint.matrices(resampled_cells(joint, how.sizes_fixed, stream_of(how.seed, block), size))
    random = stream_of(how.seed, block) if is_many(joint) else Threefry(how.seed, block)
    return posterior_matrices(joint, how.sizes_fixed, how.prior, random, size)


def resampled_cells(joint: JointCounts, stratified: bool, random: np.random.Generator, size: int) -> Array:
    """Counts (size, K) of the cells of `joint`: rows redrawn within each true class, or from all rows
    together."""
    if not stratified:
        return random.multinomial(joint.total, joint.counts / joint.total, size=size)
    weights = np.empty((size, len(joint.counts)), dtype=np.int64)
    for label in np.unique(joint.truth):
        cells = np.flatnonzero(joint.truth == label)
        inside = joint.counts[cells]
        weights[:, cells] = random.multinomial(inside.sum(), inside / inside.sum(), size=size)
    return weights


def blocks(
    joint: JointCounts, how: Simulation, source: Source = "posterior"
) -> Iterator[tuple[slice, Array]]:
    """All draws, block by block."""
    size = block_size(joint, source)
    by_counter = source == "posterior" and not is_many(joint)
    for block, start in enumerate(range(0, how.draws, size)):
        number = min(size, how.draws - start)
        # A last, shorter block has the draws that a longer run would have had: it is cut from a whole one,
        # unless every draw has counters of its own.
        matrices = matrices_of_block(joint, how, source, block, number if by_counter else size)
        yield slice(start, start + number), matrices[:, :number]


def drawn_values(
    joint: JointCounts, measures: Iterable[Measure], how: Simulation, source: Source = "posterior"
) -> dict[str, Array]:
    """The value of each measure for each model on each draw: (M, draws) by the measure's name."""
    chosen = list(measures)
    values = {m.name: np.empty((len(joint.models), how.draws)) for m in chosen}
    for counts, group, within in groups_of(joint, chosen, how):
        for where, matrices in blocks(counts, within, source):
            sets = Confusion(matrices, counts.labels, copy=False)
            for name, drawn in within.values(group, sets).items():
                values[name][:, where] = drawn
    return values


def central_values(joint: JointCounts, measures: Iterable[Measure], how: Simulation) -> dict[str, Array]:
    """The value of each measure for each model at the posterior mean of the rates, shape (M,)."""
    values: dict[str, Array] = {}
    for counts, group, within in groups_of(joint, list(measures), how):
        centres = posterior_centres(counts, how.sizes_fixed, within.prior)
        values |= within.values(group, Confusion(centres, counts.labels))
    return values


def weighs_confusions(measure: Measure) -> bool:
    """Does the measure give errors unequal weights: by costs, or by how far apart ordered classes are?"""
    return measure.ordered or measure.id in ("expected_cost", "saved_cost", "savings")


def groups_of(
    joint: Any, chosen: list[Measure], how: Simulation
) -> Iterator[tuple[Any, list[Measure], Simulation]]:
    """The measures with the counts they are drawn from, and how."""
    # Those of one class need no more than that class and the rest. Errors into one class come from all
    # others. Drawn from many classes, each with its own small prior, a class that no error fell into would be
    # all but certain to attract none; as two classes it has the prior of two classes. Measures that give
    # errors unequal weights have a prior whose errors go where errors were seen: spread evenly, a few of them
    # would outweigh all that was counted.
    two = joint.n_classes == 2
    of_one_class = [] if two else [m for m in chosen if m.kind == "two-class"]
    weighing = [] if two or how.prior != "shared" else [m for m in chosen if weighs_confusions(m)]
    others = [m for m in chosen if m not in of_one_class and m not in weighing]
    if others:
        yield joint, others, how if two else replace(how, positive=None)
    if weighing:
        yield joint, weighing, replace(how, positive=None, prior="observed")
    if of_one_class and how.positive is not None:
        yield joint.one_vs_rest(how.positive), of_one_class, how


def within_draws(undefined: Undefined) -> Undefined:
    """The policy for drawn test sets: an error is wanted of the test set seen, not of a drawn one."""
    return "nan" if undefined == "raise" else undefined


def check_drawing(how: Simulation) -> None:
    """Refuse settings that cannot be drawn with."""
    check_level(how.level)
    draws = how.draws
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or not 100 <= draws <= 10_000_000:
        raise InputError(
            "the number of draws cannot be used",
            found=repr(draws),
            allowed="a whole number from 100 to 10,000,000",
        )
    check_seed(how.seed)
    check_listed("design", how.design, get_args(Design))
    check_listed("prior", how.prior, PRIORS)


def check_level(level: float) -> float:
    """The level of an interval; refuses one that is none."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        what, allowed = "the level is not a probability", "a number between 0 and 1, such as 0.95"
        raise InputError(what, found=repr(level), allowed=allowed)
    return level


def check_seed(seed: int) -> None:
    """Refuse a seed that is none."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("the seed cannot be used", found=repr(seed), allowed="a whole number >= 0")


def stream_of(seed: int, *number: int) -> np.random.Generator:
    """Random numbers of a seed and a stream, which nobody else's calls move."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=number)))


def generator_of(seed: int) -> np.random.Generator:
    """Random numbers from a seed that a caller gave."""
    check_seed(seed)
    return np.random.default_rng(seed)


def check_listed(what: str, chosen: str, listed: Collection[str]) -> None:
    """Refuse a setting that is none of those there are."""
    if chosen not in listed:
        allowed = ", ".join(map(repr, listed))
        raise InputError(f"the {what} is not known", found=repr(chosen), allowed=allowed)
