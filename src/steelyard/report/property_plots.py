"""What does a measure look like? Static pictures with Matplotlib.

Level curves over (TNr, TPr) at several priors, the gradient over (TNr, TPr, v_P) as in Fig. 1 of skrabanek2017, and the value against the
prior and against the number of classes for a fixed classifier, as in Fig. 2c and 2f of mullick2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.errors import InputError, MissingExtraError
from steelyard.measures.measure import Measure

Array = NDArray[Any]
PRIORS = (0.5, 0.1, 0.01)
SUFFIXES = (".png", ".svg", ".pdf")


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots", "drawing a measure") from error
    return Figure(figsize=(width, height), layout="constrained")


def two_class_matrices(tnr: Array, tpr: Array, prior: Array | float) -> Array:
    """Matrices [[tp, fn], [fp, tn]] with these class rates and this prior of the positive class, shape (..., 2, 2)."""
    x, y, v = np.broadcast_arrays(tpr, tnr, prior)
    return np.stack([np.stack([v * x, v * (1 - x)], axis=-1), np.stack([(1 - v) * (1 - y), (1 - v) * y], axis=-1)], axis=-2)


def values_over_rates(measure: Measure, prior: float, steps: int = 61) -> tuple[Array, Array, Array]:
    """TNr, TPr and the value on a grid, at one prior."""
    tnr, tpr = np.meshgrid(np.linspace(0, 1, steps), np.linspace(0, 1, steps))
    return tnr, tpr, np.asarray(measure(two_class_matrices(tnr, tpr, prior)))


def gradients(measure: Measure, steps: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)) -> tuple[Array, Array]:
    """Points (TNr, TPr, v_P) and the gradient there by central differences inside the cube; NaN where the measure is undefined."""
    points = np.array(np.meshgrid(steps, steps, steps, indexing="ij")).reshape(3, -1).T
    inside = np.clip(points, 1e-3, 1 - 1e-3)
    h = 1e-5
    columns = []
    for axis in range(3):
        move = np.eye(3)[axis] * h
        above, below = (measure(two_class_matrices(p[:, 0], p[:, 1], p[:, 2])) for p in (inside + move, inside - move))
        columns.append((above - below) / (2 * h))
    return points, np.stack(columns, axis=-1)


def classifier_matrix(n_classes: int, rate: float, sizes: Sequence[float]) -> Array:
    """A classifier right on the same share of every class, that takes every class for the first where it errs, and the first for the second.

    Errors spread evenly would hide from some measures that the class proportions matter to them.
    """
    one = np.eye(n_classes)
    rates = rate * one + (1 - rate) * one[[1, *([0] * (n_classes - 1))]]
    return np.asarray(rates * np.asarray(sizes, dtype=float)[:, None])


def value_against_prior(measure: Measure, rate: float = 0.8, n_classes: int = 2) -> tuple[Array, Array]:
    """The value of a fixed classifier as the share of the first class goes from 1 % to 99 %."""
    priors = np.linspace(0.01, 0.99, 99)
    batch = np.stack([classifier_matrix(n_classes, rate, [p, *([(1 - p) / (n_classes - 1)] * (n_classes - 1))]) for p in priors])
    return priors, np.asarray(measure(batch))


def value_against_classes(measure: Measure, rate: float = 0.6, most: int = 10) -> tuple[Array, Array]:
    """The value of a classifier right on the same share of every class, for 2 to `most` classes of equal size."""
    numbers = np.arange(2, most + 1)
    return numbers, np.array([measure(classifier_matrix(int(c), rate, [1.0] * int(c))) for c in numbers])


def draw_levels(measure: Measure, priors: Sequence[float] = PRIORS) -> Any:
    """Level curves over (TNr, TPr), one panel for each prior of the positive class."""
    figure = _figure(3.6 * len(priors), 3.6)
    for axis, prior in zip(figure.subplots(1, len(priors), squeeze=False)[0], priors, strict=True):
        tnr, tpr, value = values_over_rates(measure, prior)
        levels = 11 if np.nanmin(value) != np.nanmax(value) else [float(np.nanmin(value))]
        lines = axis.contour(tnr, tpr, np.ma.masked_invalid(value), levels=levels, cmap="viridis")
        axis.clabel(lines, fontsize=7)
        axis.set(title=f"prior of the positive class {prior:g}", xlabel="TNr", ylabel="TPr", aspect="equal")
    figure.suptitle(measure.name)
    return figure


def draw_gradients(measure: Measure) -> Any:
    """The gradient as arrows over (TNr, TPr, v_P): an arrow that leaves its plane shows that the class proportions matter."""
    figure = _figure(5.5, 5.0)
    axis = figure.add_subplot(projection="3d")
    points, arrows = gradients(measure)
    kept = np.isfinite(arrows).all(axis=1)
    lengths = np.linalg.norm(arrows[kept], axis=1)
    # Where a denominator is nearly 0 the gradient is huge: arrows are cut at the length that three quarters of them stay below.
    usual = max(float(np.quantile(lengths, 0.75)), 1e-12)
    drawn = arrows[kept] * (np.minimum(lengths, usual) / np.maximum(lengths, 1e-300) / usual * 0.2)[:, None]
    axis.quiver(*points[kept].T, *drawn.T, linewidth=0.8)
    axis.set(
        xlabel="TNr", ylabel="TPr", zlabel="prior of the positive class", title=f"gradient of {measure.name} (the longest quarter cut)"
    )
    return figure


def draw_behaviour(measure: Measure) -> Any:
    """The value against the prior, and for a measure of any number of classes against their number."""
    panels = 1 if measure.kind == "two-class" else 2
    figure = _figure(4.2 * panels, 3.4)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for rate in (0.6, 0.8, 0.95):
        axes[0].plot(*value_against_prior(measure, rate, 2 if panels == 1 else 3), label=f"every class right on {rate:.0%}")
        if panels == 2:
            axes[1].plot(*value_against_classes(measure, rate), marker="o", label=f"every class right on {rate:.0%}")
    axes[0].set(xlabel="share of the first class" if panels == 2 else "prior of the positive class", ylabel=measure.name)
    if panels == 2:
        axes[1].set(xlabel="number of classes, equally frequent", ylabel=measure.name)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=7, loc="outside lower center", ncols=3)
    return figure


def draw_measure(measure: Measure, path: str) -> None:
    """All pictures of a measure into files: the name given, and beside it -gradient and -behaviour."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError("the picture has no known format", found=target.name, allowed=", ".join(SUFFIXES))
    pictures = {"": draw_levels(measure), "-gradient": draw_gradients(measure), "-behaviour": draw_behaviour(measure)}
    for name, figure in pictures.items():
        try:
            figure.savefig(target.with_name(f"{target.stem}{name}{target.suffix}"), dpi=150)
        except OSError as error:
            raise InputError(
                f"the picture cannot be written: {error.strerror}", found=str(target), allowed="a path that can be written"
            ) from error
