"""A real browser: Debian's chromium, installed where it is absent and that is possible."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.real_parts import absent

ONE_INSTALLS = Path(tempfile.gettempdir()) / "steelyard-tests-install-chromium.lock"
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""No window, and nothing that chromium would do on the network of its own accord."""


@functools.cache
def find_chromium() -> tuple[str | None, str]:
    """Where chromium is, or why there is none."""
    found = _on_this_machine()
    if found:
        return found, ""
    with ONE_INSTALLS.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be installing it: wait, then look again
        found = _on_this_machine()
        return (found, "") if found else _installed()


def _installed() -> tuple[str | None, str]:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None, "chromium is not installed, and only root on Debian can install it here"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update"],
        ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"],
    ):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            return (
                None,
                f"chromium is not installed, and {' '.join(command)} failed: {done.stderr.strip()[-200:]}",
            )
    return _on_this_machine(), "apt-get installed chromium, but it cannot be found"


def _on_this_machine() -> str | None:
    return next(
        (
            found
            for name in ("/usr/bin/chromium", "chromium", "chromium-browser")
            if (found := shutil.which(name))
        ),
        None,
    )


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path, why_not = find_chromium()
    if path is None:
        absent(why_not)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page with all that happened while it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """What the console said, errors that were not caught, and dialogs that a script opened."""


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Opened]]:
    """Open a file from disk and watch what it does."""
    contexts = []

    def open_(path: Path, **options: Any) -> Opened:
        context = chromium.new_context(**options)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.on("console", lambda message: opened.complaints.append(message.text))
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))

        def refuse(dialog: Any) -> None:
            opened.complaints.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        opened.page.on("dialog", refuse)
        opened.page.goto(path.as_uri(), wait_until="load")
        opened.page.wait_for_timeout(50)
        return opened

    yield open_
    for context in contexts:
        context.close()
