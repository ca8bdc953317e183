"""Filters of a page: what is of a kind is marked, and more than the style knows is refused."""

import re

import pytest

from steelyard.report.page import render
from steelyard.report.pages import page_of
from steelyard.report.sections import Filter, Report, Section, Sentence, Table, words_column


def _report(kinds: int, filters: int = 1) -> Report:
    names = tuple((f"kind {k}", f"kind {k}") for k in range(kinds))
    table = Table(
        (words_column("name"),),
        tuple((name,) for name, _ in names),
        identity="all",
        kinds=tuple(name for name, _ in names),
    )
    chosen = tuple(Filter(f"f{i}", "Which?", names) for i in range(filters))
    return Report("r", (Section("", (*chosen, table)), Section("s", (Sentence("w"),), kind="kind 0")))


def test_rows_and_sections_are_marked_as_their_buttons_are():
    text = render.render(page_of(_report(3)))
    assert re.findall(r'<tr class="(k0 f0-\d)">', text) == ["k0 f0-0", "k0 f0-1", "k0 f0-2"]
    assert re.findall(r'<input[^>]* class="(f0-\d)">', text) == ["f0-0", "f0-1", "f0-2"]
    assert '<section id="part-s" aria-labelledby="part-s-h" class="k0 f0-0">' in text
    for k in range(3):
        assert f".steelyard:has(input.f0-{k}:checked) .k0:not(.f0-{k})" in text


def test_what_no_filter_knows_is_never_hidden():
    table = Table((words_column("name"),), (("a",), ("b",)), kinds=("unknown", "known"))
    report = Report("r", (Section("", (Filter("f", "?", (("known", "known"),)), table)),))
    assert re.findall(r"<tr[^>]*>(?=<td)", render.render(page_of(report))) == ["<tr>", '<tr class="k0 f0-0">']


def test_names_of_one_word_go_on_below_after_an_underscore():
    words = "negative_predictive_value_here"
    table = Table((words_column("name"),), ((words,), ("a_b and c_d",)))
    text = render.render(page_of(Report("r", (Section("", (table,)),))))
    assert "negative_<wbr>predictive_<wbr>value_<wbr>here<" in text
    assert ">a_b and c_d<" in text


def test_more_than_the_style_knows_is_refused():
    with pytest.raises(ValueError, match="10 filters or kinds"):
        render.render(page_of(_report(10)))
    with pytest.raises(ValueError, match="3 filters or kinds"):
        render.render(page_of(_report(2, filters=3)))
