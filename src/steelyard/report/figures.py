"""On what are pictures for files and notebooks drawn? On Matplotlib figures of their own, without pyplot: no
global state, no window, safe in threads."""

from __future__ import annotations

import functools
import io
from typing import Any

from steelyard.errors import MissingExtraError


def new_figure(width: float, height: float, what: str = "a picture") -> Any:
    """A figure of so many inches, which a notebook shows as a picture with or without `%matplotlib`."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plots", what) from error
    figure: Any = Figure(figsize=(width, height), layout="constrained")
    figure._repr_png_ = functools.partial(as_png, figure)
    return figure


def as_png(figure: Any) -> bytes:
    """The picture as a notebook shows it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()
