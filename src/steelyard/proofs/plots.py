"""The portrait of a measure as static pictures with Matplotlib: level curves, slopes, and a fixed classifier
as the classes change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import InputError
from steelyard.proofs.portrait import NUMBERS, RATES, SHARES, Portrait, cube_points, shortened
from steelyard.report.matplotlib_axes import new_figure

PRIORS = (0.5, 0.1, 0.01)
"""The priors that are drawn: a row of three fits a page."""
SUFFIXES = (".png", ".svg", ".pdf")


def _figure(width: float, height: float) -> Any:
    return new_figure(width, height, "drawing a measure")


def draw_levels(portrait: Portrait, name: str, priors: Sequence[float] = PRIORS) -> Any:
    """Level curves over (TNr, TPr), one panel for each prior of the positive class."""
    figure = _figure(3.6 * len(priors), 3.6)
    for axis, prior in zip(figure.subplots(1, len(priors), squeeze=False)[0], priors, strict=True):
        value = portrait.values[prior]
        levels = 11 if np.nanmin(value) != np.nanmax(value) else [float(np.nanmin(value))]
        lines = axis.contour(RATES, RATES, np.ma.masked_invalid(value), levels=levels, cmap="viridis")
        axis.clabel(lines, fontsize=7)
        axis.set(title=f"prior of the positive class {prior:g}", xlabel="TNr", ylabel="TPr", aspect="equal")
    figure.suptitle(name)
    return figure


def draw_gradients(portrait: Portrait, name: str) -> Any:
    """The gradient as arrows over (TNr, TPr, v_P): an arrow that leaves its plane shows that the class
    proportions matter."""
    figure = _figure(5.5, 5.0)
    axis = figure.add_subplot(projection="3d")
    kept = np.isfinite(portrait.cube).all(axis=1)
    axis.quiver(*cube_points()[kept].T, *shortened(portrait.cube[kept], 0.2).T, linewidth=0.8)
    axis.set(
        xlabel="TNr",
        ylabel="TPr",
        zlabel="prior of the positive class",
        title=f"gradient of {name} (the longest quarter cut)",
    )
    return figure


def draw_behaviour(portrait: Portrait, name: str) -> Any:
    """The value against the prior, and for a measure of any number of classes against their number."""
    panels = 2 if portrait.against_classes else 1
    figure = _figure(4.2 * panels, 3.4)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for rate, values in portrait.against_prior.items():
        axes[0].plot(SHARES, values, label=f"every class right on {rate:.0%}")
    axes[0].set(
        xlabel="share of the first class" if panels == 2 else "prior of the positive class", ylabel=name
    )
    for rate, values in portrait.against_classes.items():
        axes[1].plot(NUMBERS, values, marker="o", label=f"every class right on {rate:.0%}")
    if panels == 2:
        axes[1].set(xlabel="number of classes, equally frequent", ylabel=name)
    figure.legend(*axes[0].get_legend_handles_labels(), fontsize=7, loc="outside lower center", ncols=3)
    return figure


def draw_measure(portrait: Portrait, name: str, path: str) -> None:
    """All pictures of a measure into files: the name given, and beside it -gradient and -behaviour."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError("the picture has no known format", found=target.name, allowed=", ".join(SUFFIXES))
    pictures = {
        "": draw_levels(portrait, name),
        "-gradient": draw_gradients(portrait, name),
        "-behaviour": draw_behaviour(portrait, name),
    }
    for which, figure in pictures.items():
        try:
            figure.savefig(target.with_name(f"{target.stem}{which}{target.suffix}"), dpi=150)
        except OSError as error:
            raise InputError(
                f"the picture cannot be written: {error.strerror}",
                found=str(target),
                allowed="a path that can be written",
            ) from error
