"""A real browser: Debian's chromium, installed where it is absent and that is possible."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
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

    def forget(self) -> None:
        """Begin anew with another file."""
        self.requests.clear()
        self.complaints.clear()


def wait_until(page: Page, condition: str) -> None:
    """Wait until the condition, written in JavaScript, holds.

    `Page.wait_for_function` compiles the condition inside the page when it does not hold at once, and the
    page's content security policy refuses that.
    """
    end = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def watched(page: Page) -> Opened:
    """The page with a record of what it does."""
    opened = Opened(page)
    page.on("request", lambda request: opened.requests.append(request.url))
    page.on("console", lambda message: opened.complaints.append(message.text))
    page.on("pageerror", lambda error: opened.complaints.append(str(error)))

    def refuse(dialog: Any) -> None:
        opened.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", refuse)
    return opened


class Windows:
    """Watched pages that tests use one after the other: a new one costs as much as opening a report.

    No page keeps anything in the browser, so that an empty page, the first size and the first media are a fresh start.
    """

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._free: dict[str, list[Opened]] = {}
        self._taken: list[tuple[str, dict[str, Any], Opened]] = []

    def take(self, options: dict[str, Any]) -> Opened:
        key = repr(sorted(options.items()))
        free = self._free.setdefault(key, [])
        opened = free.pop() if free else watched(self._chromium.new_context(**options).new_page())
        self._taken.append((key, options, opened))
        return opened

    def give_back(self) -> None:
        for key, options, opened in self._taken:
            page = opened.page
            page.goto("about:blank")
            page.mouse.move(0, 0)
            page.set_viewport_size(options.get("viewport", {"width": 1280, "height": 720}))
            page.emulate_media(
                media="null",
                color_scheme=options.get("color_scheme", "light"),
                reduced_motion=options.get("reduced_motion", "no-preference"),
            )
            opened.forget()
            self._free[key].append(opened)
        self._taken.clear()


@pytest.fixture(scope="session")
def windows(chromium: Browser) -> Windows:
    return Windows(chromium)


@pytest.fixture
def open_page(windows: Windows) -> Iterator[Callable[..., Opened]]:
    """Open a file from disk and watch what it does."""

    def open_(path: Path, fragment: str = "", **options: Any) -> Opened:
        opened = windows.take(options)
        opened.page.goto(path.as_uri() + (f"#{fragment}" if fragment else ""), wait_until="load")
        opened.page.bring_to_front()  # a tab behind another one draws no frames
        opened.page.wait_for_timeout(50)
        return opened

    yield open_
    windows.give_back()


@pytest.fixture(scope="module")
def open_window(chromium: Browser) -> Iterator[Callable[..., Opened]]:
    """An empty page that is watched, for many files one after the other."""
    contexts = []

    def open_(**options: Any) -> Opened:
        context = chromium.new_context(**options)
        contexts.append(context)
        return watched(context.new_page())

    yield open_
    for context in contexts:
        context.close()


def keep_picture(page: Page, name: str, **options: Any) -> None:
    """Where PICTURES names a folder, what was seen is kept there for people to look at."""
    if folder := os.environ.get("PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", **options)


AXE = "4.14.0"
AXE_DIGEST = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
"""SHA-256 of axe.min.js of that version: what is run in the tests is what was looked at."""


@functools.cache
def find_axe() -> tuple[str | None, str]:
    """axe-core's script, from the registry of npm packages; or why there is none."""
    kept = Path(tempfile.gettempdir()) / f"steelyard-tests-axe-core-{AXE}.js"
    with ONE_INSTALLS.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            npm = shutil.which("npm")
            if npm is None:
                return None, "axe-core is not there, and npm, which would fetch it, is not installed"
            with tempfile.TemporaryDirectory() as folder:
                command = [npm, "pack", "--silent", f"axe-core@{AXE}"]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                packed = next(Path(folder).glob("*.tgz"), None)
                if done.returncode or packed is None:
                    return None, f"axe-core cannot be fetched: {done.stderr.strip()[-200:]}"
                with tarfile.open(packed) as archive:
                    script = archive.extractfile("package/axe.min.js")
                    assert script is not None
                    kept.write_bytes(script.read())
    content = kept.read_bytes()
    assert hashlib.sha256(content).hexdigest() == AXE_DIGEST, f"{kept} is not axe-core {AXE}"
    return content.decode("utf-8"), ""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for barriers to people who do not see, point or tell colours apart."""
    script, why_not = find_axe()
    if script is None:
        absent(why_not)
    return script
