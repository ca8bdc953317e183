"""Every block of a report with hostile names, opened in a browser: nothing runs, nothing is asked for, nothing breaks out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.report.page import render
from steelyard.report.pages import page_of
from tests.report.every_block import every_block
from tests.report.hostile import HOSTILE

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def window(open_window: Callable[[], Any]) -> Any:
    """One page for all names: a browser need not start anew for each."""
    return open_window()


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_names_in_every_block(tmp_path: Path, window: Any, number: int) -> None:
    target = tmp_path / f"{number}.html"
    target.write_text(
        render.render(page_of(every_block(HOSTILE[number])), made=HOSTILE[number]), encoding="utf-8"
    )
    window.forget()
    window.page.goto(target.as_uri(), wait_until="load")
    for scheme in ("light", "dark"):
        window.page.emulate_media(color_scheme=scheme)
        for width in (390, 1280):
            window.page.set_viewport_size({"width": width, "height": 844})
            assert window.page.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        window.page.evaluate(
            "document.querySelectorAll('script:not(:last-child), img, iframe, b b, [style]').length"
        )
        == 0
    )
    assert window.requests == [target.as_uri()]
    assert window.complaints == []
