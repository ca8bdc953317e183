"""Raster files of charts: SVG to PNG with resvg."""

from __future__ import annotations

import functools
from typing import Any

from steelyard.errors import InputError, MissingExtraError
from steelyard.report.drawing import FONTS

_PROBE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'


def png(svg: str, scale: float) -> bytes:
    """The picture as PNG, `scale` pixels for each unit."""
    resvg = _resvg()
    if not _writes_text():
        raise InputError(
            "no font is installed, so a PNG would have no text",
            allowed=f"one of {FONTS}",
            do="install one (Debian: apt install fonts-dejavu-core) or write SVG",
        )
    return bytes(resvg.svg_to_bytes(svg_string=svg, zoom=scale))


def _resvg() -> Any:
    try:
        import resvg_py
    except ImportError as error:
        raise MissingExtraError("resvg-py", "plots", "a PNG file") from error
    return resvg_py


@functools.cache
def _writes_text() -> bool:
    """resvg leaves text out where it finds no font, without an error."""
    empty, written = (_PROBE.format(body) for body in ("", f'<text y="15" font-family="{FONTS}">H</text>'))
    resvg = _resvg()
    return bool(resvg.svg_to_bytes(svg_string=empty) != resvg.svg_to_bytes(svg_string=written))
