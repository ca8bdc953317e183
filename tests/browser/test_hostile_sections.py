"""Every block of a report with hostile names, opened in a browser: nothing runs, nothing is asked for, nothing breaks out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.report.page import render
from tests.report.every_block import every_block
from tests.report.hostile import HOSTILE

Open = Callable[..., Any]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_hostile_names_in_every_block(tmp_path: Path, open_page: Open, width: int, scheme: str) -> None:
    for number, name in enumerate(HOSTILE):
        target = tmp_path / f"{number}.html"
        target.write_text(render.page(every_block(name), made=name), encoding="utf-8")
        opened = open_page(target, viewport={"width": width, "height": 844}, color_scheme=scheme)
        assert opened.requests == [target.as_uri()]
        assert opened.complaints == []
        page = opened.page
        assert page.evaluate("document.querySelectorAll('script, img, iframe, b b, [style]').length") == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name[:40]
        opened.page.close()
