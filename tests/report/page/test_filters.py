"""Filters of a page: what is of a kind is marked."""

import re

from steelyard.report.page import render
from steelyard.report.pages import page_of
from steelyard.report.sections import Filter, Report, Section, Sentence, Table, words_column


def _report(kinds: int) -> Report:
    names = tuple((f"kind {k}", f"kind {k}") for k in range(kinds))
    table = Table(
        (words_column("name"),),
        tuple((name,) for name, _ in names),
        identity="all",
        kinds=tuple(name for name, _ in names),
    )
    return Report(
        "r",
        (Section("", (Filter("f", "Which?", names), table)), Section("s", (Sentence("w"),), kind="kind 0")),
    )


def test_rows_and_sections_are_marked_as_their_buttons_are():
    text = render.render(page_of(_report(3)))
    kinds = ["kind 0", "kind 1", "kind 2"]
    assert re.findall(r'<tr data-kind="([^"]*)">', text) == kinds
    assert re.findall(r'<button[^>]* data-kind-filter="([^"]*)"', text) == ["all", *kinds]
    assert '<section id="part-s" aria-labelledby="part-s-h" data-kind="kind 0">' in text


def test_names_of_one_word_go_on_below_after_an_underscore():
    words = "negative_predictive_value_here"
    table = Table((words_column("name"),), ((words,), ("a_b and c_d",)))
    text = render.render(page_of(Report("r", (Section("", (table,)),))))
    assert "negative_<wbr>predictive_<wbr>value_<wbr>here<" in text
    assert ">a_b and c_d<" in text


def test_the_name_of_an_option_stays_on_one_line_and_words_stay_text():
    sentence = Sentence("Charts of <b>: --priors-range and a-b.")
    text = render.render(page_of(Report("r", (Section("s", (sentence,)),))))
    assert '<p>Charts of &lt;b&gt;: <span class="option">--priors-range</span> and a-b.</p>' in text
