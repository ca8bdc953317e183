"""The figures of the Concepts page are those that the library's values give, and the page shows all of them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.documentation.conftest import ROOT
from tools.concept_figures import FIGURES, TARGET

PAGE = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")


def test_the_page_shows_every_figure() -> None:
    assert set(re.findall(r"_static/concepts/(\w+)\.svg", PAGE)) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_is_current(name: str) -> None:
    """Numbers may differ in the last digit between versions of NumPy; the elements may not."""
    drawn, stored = (
        ElementTree.fromstring(text)
        for text in (FIGURES[name](), (TARGET / f"{name}.svg").read_text(encoding="utf-8"))
    )
    assert [element.tag for element in drawn] == [element.tag for element in stored]
    assert [element.text for element in drawn] == [element.text for element in stored]


def test_what_the_page_says_of_coverage_is_what_is_drawn() -> None:
    colours = re.findall(r'<circle[^>]* fill="(#\w+)"', (TARGET / "coverage.svg").read_text(encoding="utf-8"))
    assert len(colours) == 40
    covering = colours.count(max(set(colours), key=colours.count))
    assert f"{covering} intervals\ncover it" in PAGE
