"""Whatever a class is called, a picture stays a picture: the same elements, and the name only as words."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from steelyard.report.page.drawing import Dot, Line, Path, dot_rows, heat_map, log_lines, plain_lines, plane
from tests.report.hostile import HOSTILE

TICKS = [(0.0, "0"), (1.0, "1")]
FALLING = [(1.0, "1"), (0.01, "0.01")]


def _pictures(name: str) -> list[str]:
    line = Line(name, [0.01, 1], [0.2, 0.9])
    path = Path(name, [0, 1], [0, 1], ([0, 1], [0, 0.5], [0.5, 1]), [name, name], strong=True)
    return [
        heat_map([name, "b"], [name, "b"], [[0.9, 0.1], [0, 1]], [[name or " ", "1"], ["2", "3"]], [[name] * 2] * 2, name),
        dot_rows([name], [[Dot(0.5, "first", name, 0.4, 0.6)]], name, keys=[("first", name)]),
        log_lines([line], FALLING, name, (0, 1), (0.1, name), name),
        plain_lines([line], TICKS, name, (0, 1), [(0.1, name)], name),
        plane([path], TICKS, TICKS, name, name, name, marks=[(0.5, 0.5, name, 0)], upright=(0.5, name), diagonal=True),
    ]  # fmt: skip


def _tags(picture: str) -> list[str]:
    return [found.tag for found in ElementTree.fromstring(picture).iter()]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_adds_no_element_and_no_attribute_that_acts(name: str):
    plain, hostile = _pictures("plain"), _pictures(name)
    for expected, found in zip(plain, hostile, strict=True):
        assert _tags(found) == _tags(expected)
        for part in ElementTree.fromstring(found).iter():
            assert not any(key == "style" or key.startswith("on") for key in part.attrib)


def test_the_whole_name_is_said_where_a_part_of_it_is_shown():
    name = "a class with a name that is much longer than a picture has room for <b>"
    (matrix, rows, *_) = _pictures(name)
    for picture in (matrix, rows):
        assert name in [found.text for found in ElementTree.fromstring(picture).iter("title")]


def test_names_of_lines_that_end_together_stand_apart():
    lines = [Line(f"line {k}", [0, 1], [0.5, 0.5]) for k in range(8)]
    picture = ElementTree.fromstring(plain_lines(lines, TICKS, "x", (0, 1), [], "together"))
    places = [float(t.attrib["y"]) for t in picture.iter("text") if (t.text or "").startswith("line")]
    assert len(places) == 8
    assert min(b - a for a, b in pairwise(places)) >= 12
