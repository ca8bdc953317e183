"""The vocabulary check finds every phrase and name that the glossary replaced, and leaves the terms alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import words

REPLACED = {
    "Steelyard weighs classifiers when the classes are unequal.": "weighs classifiers",
    "Weigh any confusion matrix": "Weigh any confusion",
    "Tells 136 of 214 examples right": "Tells 136 of 214",
    "classes that are told badly": "told badly",
    "two models not told apart": "told apart",
    "nine of ten are left alone": "left alone",
    "rows that are called positive": "called positive",
    "Found least: vehicle float (0 of 17)": "Found least",
    "what depends on the class proportions": "class proportions",
    "the shares of the classes": "shares of the classes",
    "the best answer that never looks": "never looks",
    "> decides here": "decides here",
    "how often intervals hold the truth": "hold the truth",
    "rows of one patient are drawn again together": "drawn again",
    "Taken for a sample: intervals allow for other class sizes": "Taken for a sample",
    "and how sure that is": "how sure",
    "svm is surely cheaper": "surely cheaper",
    "the test set cannot tell": "cannot tell",
    "what hangs on the number of frauds": "hangs on",
    "measures of which less is better": "of which less is better",
    "Pages that answer back": "answer back",
    "And elsewhere?": "And elsewhere?",
    "If only so many can be looked at": "can be looked at",
    "those that move most first": "move most first",
    "a picture of the curve": "picture",
    "the way of the data": "the way of the data",
    "filed answers": "filed answers",
    "the swap test tosses bits": "swap test",
    "found by halving": "halving",
    "boxes of integers are halved": "boxes of integers",
    "numbers that know how far rounding moved them": "know how far rounding",
    "multiples of inequalities that cannot hold": "multiples of inequalities",
    "neighbours whose shares do not rise end in one block": "neighbours whose",
    "Stein's part": "Stein's part",
    "places of scores": "places of scores",
    "amounts of rows": "amounts of rows",
    "a class nobody saw": "class nobody saw",
    "orphans are ended": "orphans",
    "the reading of a function": "reading of a function",
    "the function leaves what can be proved": "leaves what can be proved",
    "96 % of the alerts": " %",
}
TERMS = (
    "Evaluate a classifier: 136 of 214 correct (accuracy 64%), predicted positive, class prevalence. Inconclusive: "
    "no significant difference. The interval covers the true value; bootstrap, bisection, permutation test."
)


@pytest.mark.parametrize("sentence", REPLACED)
@pytest.mark.parametrize("suffix", [".md", ".py", ".js", ".html"])
def test_each_replaced_phrase_is_found(sentence: str, suffix: str, tmp_path: Path) -> None:
    source = {".py": f"# {sentence}\n", ".js": f"// {sentence}\n"}.get(suffix, f"<!-- -->\n{sentence}\n")
    (path := tmp_path / f"text{suffix}").write_text(source, encoding="utf-8")
    assert [finding.text for finding in words.findings(path)] == [REPLACED[sentence]]


def test_every_pattern_has_its_example() -> None:
    assert all(any(phrase.search(sentence) for sentence in REPLACED) for phrase in words.PHRASES)


def test_terms_are_not_reported(tmp_path: Path) -> None:
    (path := tmp_path / "terms.md").write_text(TERMS, encoding="utf-8")
    assert list(words.findings(path)) == []


def test_python_text_is_strings_docstrings_and_comments(tmp_path: Path) -> None:
    source = 'def f(n):\n    """How sure?"""\n    # hangs on n\n    return f"{n} % of " + "cannot " "tell" + str(n % 2)\n'
    (path := tmp_path / "code.py").write_text(source, encoding="utf-8")
    shown = {(finding.line, finding.text) for finding in words.findings(path)}
    assert shown == {(2, "How sure"), (3, "hangs on"), (4, " %"), (4, "cannot tell")}


def test_code_in_markdown_is_not_text_and_lines_are_counted(tmp_path: Path) -> None:
    source = "`--picture`\n```sh\ncannot tell\n```\nthe test set cannot\ntell\n"
    (path := tmp_path / "page.md").write_text(source, encoding="utf-8")
    assert [(finding.line, finding.text) for finding in words.findings(path)] == [(5, "cannot tell")]


@pytest.mark.parametrize(
    "name", ["found", "_said", "told_apart", "Told", "handed_over", "one", "kept", "APART"]
)
def test_names_that_hide_what_they_hold_are_reported(name: str) -> None:
    assert words.hollow(name)


@pytest.mark.parametrize("name", ["held_out", "one_versus_all", "threshold", "partial", "owner", "n", "_"])
def test_names_of_the_field_are_not_reported(name: str) -> None:
    assert not words.hollow(name)


def test_names_are_those_that_are_defined() -> None:
    source = "def told(found, *rest):\n    kept = found\n    for one in rest: use(given)\nclass Asked: ...\n"
    assert {name for _, name in words.names(source)} == {"told", "found", "rest", "kept", "one", "Asked"}
