"""How long will this take? Said before the wait, where it is longer than a minute."""

# The seconds are those of one core of a common machine, from the cost of each step as measured; they are
# meant to tell a minute from an hour.

from __future__ import annotations

from steelyard.counts.joint import JointCounts
from steelyard.errors import warn

LONG = 60.0
# Seconds of one step: a gamma variate, an addition, a table look-up, a multiplication in BLAS.
_GAMMA, _ADDING, _TABLED, _FLOP = 60e-9, 2e-9, 1e-9, 4e-12
# Of a cell in the evaluation of a metric, of a piece of a broken stick (decision 21), and the pieces.
_CELL_OF_A_MEASURE, _PIECE_OF_A_STICK, _PIECES = 4e-9, 20e-9, 14
# Of a value that is sorted, of the overhead of one test, of one swap of a permutation test.
_SORTING, _ASKING, _TOSS = 60e-9, 3e-4, 10e-9


def comparison_seconds(joint: JointCounts, draws: int, measures: int, source: str) -> float:
    """About how long a comparison takes."""
    from steelyard.uncertainty.many_model_posterior import is_many
    from steelyard.uncertainty.permutation_test import swaps_of_each

    cells, models, classes = len(joint.counts), len(joint.models), joint.n_classes
    pairs = models * (models - 1) / 2
    if source == "posterior" and is_many(joint):
        drawing = cells * (_TABLED + _FLOP * 2 * models * classes)
    else:
        drawing = cells * (_GAMMA + _ADDING * models)
    weighing = models * classes * (_PIECES * _PIECE_OF_A_STICK + classes * _CELL_OF_A_MEASURE * measures)
    kinds = min(cells, classes**2 * (classes + 1) // 2)
    swapping = swaps_of_each(max(1, int(pairs)), draws) * (kinds * _TOSS + classes**2 * _CELL_OF_A_MEASURE)
    judging = measures * (draws * _SORTING + _ASKING + 2 * classes**3 * _CELL_OF_A_MEASURE)
    return draws * (drawing + weighing) + pairs * (swapping + judging)


def interval_seconds(classes: int, draws: int, measures: int) -> float:
    """About how long the intervals of one matrix take."""
    return draws * classes**2 * (_GAMMA + _CELL_OF_A_MEASURE * measures)


def warn_of_waiting(seconds: float, what: str, instead: str) -> None:
    """Say that this takes long, about how long, and what takes less.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_waiting(200, "comparing 60 models", "draws=2000 takes less")
    >>> str(caught[0].message)
    'comparing 60 models takes about 3 minutes; draws=2000 takes less'
    """
    if seconds < LONG:
        return
    minutes = seconds / 60
    time = (
        f"{minutes:.0f} minute{'s' if round(minutes) > 1 else ''}"
        if minutes < 90
        else f"{minutes / 60:.0f} hours"
    )
    warn(f"{what} takes about {time}; {instead}")
