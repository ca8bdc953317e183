"""Write docs/_static/report.png: a screenshot of the report in the README, taken with Chromium."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import steelyard as sy

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "_static" / "report.png"
WIDTH, HEIGHT = 1280, 860
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def write(target: Path = TARGET) -> None:
    """Write the report and take a screenshot of it."""
    from playwright.sync_api import sync_playwright

    worked = sy.Confusion([[60, 40], [5, 895]], labels=["fraud", "ok"])
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        page = Path(folder) / "report.html"
        sy.evaluate(worked, positive="fraud").to_html(str(page))
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=list(QUIET))
        shown = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        shown.goto(page.as_uri())
        shown.screenshot(path=str(target))
        browser.close()


if __name__ == "__main__":
    write()
