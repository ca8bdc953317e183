"""Whatever something is called, on every surface it stays words: nothing runs, nothing breaks, nothing else is said."""

import re
from html.parser import HTMLParser

import pytest

from steelyard.report.class_names import visible
from steelyard.report.markdown import markdown
from steelyard.report.page import render
from steelyard.report.pages import page_of
from steelyard.report.terminal import rendered
from tests.report.every_block import every_block
from tests.report.hostile import HOSTILE

NAMED = [name for name in HOSTILE if name]  # what is empty is left out, so it has another shape


class Shape(HTMLParser):
    """The elements of a page with the names of their attributes, and the words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.mark.parametrize("name", NAMED, ids=range(len(NAMED)))
@pytest.mark.parametrize(
    "surface", [lambda r: render.render(page_of(r), made=r.title), lambda r: render.fragment(page_of(r))]
)
def test_on_a_page_a_name_adds_no_element_and_no_attribute(surface, name):
    found = Shape(surface(every_block(name)))
    assert found.elements == Shape(surface(every_block("plain"))).elements
    for _, attributes in found.elements:
        assert not any(attribute == "style" or attribute.startswith("on") for attribute in attributes)
    assert sum(visible(name) in words for words in found.words) > 20


@pytest.mark.parametrize("name", NAMED, ids=range(len(NAMED)))
def test_as_markdown_a_name_adds_no_line_no_cell_and_no_markup(name):
    plain, hostile = (markdown(every_block(words)).splitlines() for words in ("plain", name))
    assert len(hostile) == len(plain)
    for expected, found in zip(plain, hostile, strict=True):
        assert len(re.findall(r"(?<!\\)\|", found)) == len(re.findall(r"(?<!\\)\|", expected))
        outside = re.sub(r"`[^`]*`", "", found)  # between backquotes nothing is markup
        assert not re.search(r"(?<!\\)[<\[]", outside.replace("\\\\", ""))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u2028\u2029]", "\n".join(hostile))


@pytest.mark.parametrize("name", NAMED, ids=range(len(NAMED)))
@pytest.mark.parametrize("colours", [True, False])
def test_on_a_terminal_a_name_obeys_nothing_and_keeps_the_width(name, colours):
    text = rendered(every_block(name), "full", 80, colours)
    seen = re.sub("\x1b\\[[0-9;]*m", "", text)
    assert all(ch == "\n" or ch.isprintable() for ch in seen)
    assert max(map(len, seen.splitlines())) <= 80
    if not colours:
        assert "\x1b" not in text
