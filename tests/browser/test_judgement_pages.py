"""The page on a measure in a browser: choosing another prior shows another picture, without a script."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from steelyard.cli import main

Open = Callable[..., Any]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def precision(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STEELYARD_CACHE", str(folder / "cache"))
        assert (
            main(
                [
                    "examine",
                    "precision",
                    "--property",
                    "prior-invariance",
                    "--html",
                    str(folder / "examine.html"),
                ]
            )
            == 0
        )
    return folder / "examine.html"


def seen_pictures(page: Any) -> list[str]:
    return page.eval_on_selector_all(
        ".choice figure h3",
        "all => all.filter(one => one.checkVisibility()).map(one => one.textContent)",
    )


def test_another_prior_shows_another_picture(precision: Path, open_page: Open) -> None:
    opened = open_page(precision, viewport=PHONE)
    page = opened.page
    assert seen_pictures(page) == [
        "Level curves of precision at v_P = 0.5",
        "Slopes of precision at v_P = 0.5",
    ]
    page.get_by_text("0.01", exact=True).first.click()
    assert seen_pictures(page) == [
        "Level curves of precision at v_P = 0.01",
        "Slopes of precision at v_P = 0.01",
    ]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert seen_pictures(page) == [
        "Level curves of precision at v_P = 0.001",
        "Slopes of precision at v_P = 0.001",
    ]
    assert opened.requests == [precision.as_uri()]
    assert opened.complaints == []
    assert page.evaluate("document.querySelectorAll('script:not(:last-child)').length") == 0


@pytest.mark.parametrize("width", [390, 820, 1400])
def test_the_page_does_not_scroll_sideways(precision: Path, open_page: Open, width: int) -> None:
    page = open_page(precision, viewport={"width": width, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_print_shows_every_prior_and_no_buttons(precision: Path, open_page: Open) -> None:
    page = open_page(precision).page
    page.emulate_media(media="print")
    assert len(seen_pictures(page)) == 10
    assert not page.is_visible("label[for=prior-0]")


def test_the_claims_stand_below_each_other_on_a_phone(
    tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    target = tmp_path / "claims.html"
    assert main(["claims", "--only", "mullick-t4p", "--only", "mortaz-t2", "--html", str(target)]) == 0
    opened = open_page(target, viewport=PHONE, color_scheme="dark")
    page = opened.page
    assert opened.requests == [target.as_uri()]
    assert opened.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = page.eval_on_selector_all(
        "#mullick2020 > tbody > tr > td", "cells => cells.map(cell => cell.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 5
    assert all(box["right"] <= 390 for box in boxes)
    assert all(below["top"] >= above["bottom"] - 1 for above, below in pairwise(boxes))
    assert page.inner_text("#mullick2020 .small-matrix").split() == ["M1", "1", "0", "1", "0"]
    page.set_viewport_size({"width": 1200, "height": 844})
    tops = page.eval_on_selector_all(
        "#mullick2020 > tbody > tr > td", "cells => cells.map(cell => cell.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1


def test_claims_can_be_chosen_by_verdict_and_by_paper(
    tmp_path: Path, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "cache"))
    target = tmp_path / "claims.html"
    chosen = [f"--only={name}" for name in ("mullick-t4p", "mullick-t1c", "mortaz-t2")]
    assert main(["claims", *chosen, "--html", str(target)]) == 0
    opened = open_page(target)
    page = opened.page

    def seen() -> list[str]:
        return page.eval_on_selector_all(
            "td[id]", "all => all.filter(one => one.checkVisibility()).map(one => one.id)"
        )

    assert seen() == ["mullick-t1c", "mullick-t4p", "mortaz-t2"]
    page.get_by_text("proved (2)", exact=True).click()
    assert seen() == ["mullick-t1c", "mortaz-t2"]
    page.get_by_text("mortaz2020 (1)", exact=True).click()
    assert seen() == ["mortaz-t2"]
    assert not page.is_visible("h2:text-is('mullick2020')")
    for button in page.get_by_role("button", name="all", exact=True).all():
        button.click()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert seen() == ["mullick-t1c", "mullick-t4p"]
    page.emulate_media(media="print")
    assert seen() == ["mullick-t1c", "mullick-t4p", "mortaz-t2"]
    assert opened.complaints == []
