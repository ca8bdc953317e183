"""Reports as text: nothing is lost and no line is too long, whatever the width and the letters."""

import re
import subprocess
import sys

import pytest

from steelyard.report.sections import (
    Card,
    Cards,
    Cell,
    Column,
    Report,
    Section,
    Sentence,
    Table,
    words_column,
)
from steelyard.report.terminal import rendered
from tests.report.every_block import every_block

TABLE = Table(
    (words_column("metric"), Column("value"), words_column("", whole=True)),
    (("G-mean", "0.933", Cell("up", aside="a bit")), ("F1, of two", "12", "")),
    title="Two rows",
)
LONG = "Detects 38 of 87 fraud cases  (recall 43.7%, 95% CI 33.8 to 54.3);\n170 of its 208 alerts are false."


def _lines(width: int, *blocks: Sentence | Table | Cards, colours: bool = False) -> list[str]:
    return rendered(Report("Title", (Section("", blocks, "brief"),)), "brief", width, colours).splitlines()[
        2:
    ]


def test_tables_and_sentences_at_a_common_width() -> None:
    assert _lines(80, Sentence(LONG), TABLE) == [
        "Detects 38 of 87 fraud cases  (recall 43.7%, 95% CI 33.8 to 54.3);",
        "170 of its 208 alerts are false.",
        "Two rows",
        "metric     value",
        "G-mean     0.933 up a bit",
        "F1, of two    12",
    ]


def test_the_widest_column_of_words_is_broken_and_numbers_stay_whole() -> None:
    table = Table(
        (words_column("why"), Column("value"), words_column("id", whole=True)),
        (("precision falls with every false alarm", "1,234,567", "f_beta"),),
    )
    assert _lines(32, table) == [
        "why                 value id",
        "precision falls 1,234,567 f_beta",
        "with every",
        "false alarm",
    ]


@pytest.mark.parametrize("name", ["fraud", "naïve → ≥ 0.5", "猫猫猫 猫", "e\u0301te\u0301", "a" * 81])
@pytest.mark.parametrize("width", [24, 37, 80, 120])
@pytest.mark.parametrize("depth", ["brief", "full"])
def test_every_block_keeps_its_letters_within_the_width(name: str, width: int, depth: str) -> None:
    text = rendered(every_block(name), depth, width, colours=False)
    wide = sum(ch == "猫" for ch in name)
    for line in text.splitlines():
        assert len(line) + sum(ch == "猫" for ch in line) - line.count("\u0301") <= width
    assert wide == 0 or "猫" in text
    # Every letter of the sentences stands there, broken or not.
    assert text.replace("\n", "").replace(" ", "").count(name.replace(" ", "")) >= 6


def test_names_of_columns_stand_right_above_their_cells() -> None:
    table = Table((words_column("a long name of a column"), Column("n")), (("x", "12"),))
    assert _lines(14, table) == ["a long name", "of a column  n", "x           12"]


def test_letters_of_two_places_are_aligned() -> None:
    table = Table((words_column("class"), Column("rows")), (("猫", "1"), ("dog", "23")))
    assert _lines(80, table) == ["class rows", "猫       1", "dog     23"]


def test_a_word_that_no_line_holds_is_broken_inside() -> None:
    assert _lines(10, Sentence("a " + "x" * 13 + " b")) == ["a", "x" * 10, "xxx b"]


def test_cards_are_aligned_and_colours_are_codes_of_a_terminal() -> None:
    cards = Cards((Card("Rows", "12,345", "in 10 blocks"), Card("Alarms", "1", "block")))
    assert _lines(80, cards) == ["Rows   12,345 in 10 blocks", "Alarms 1 block"]
    coloured = _lines(80, Sentence("No change.", "strong"), Sentence("More.", "soft"), cards, colours=True)
    assert coloured[:2] == ["\x1b[1mNo change.\x1b[0m", "\x1b[2mMore.\x1b[0m"]
    assert [re.sub(r"\x1b\[\d*m", "", line).rstrip() for line in coloured[2:]] == _lines(80, cards)
    # The value in bold, what it means softer.
    assert "\x1b[1m12,345\x1b[0m\x1b[2m in 10 blocks\x1b[0m" in coloured[2]
    assert _lines(80, Cards((Card("Rows", "1", ""),)), colours=True) == ["Rows \x1b[1m1\x1b[0m"]
    assert "\x1b" not in "".join(_lines(80, Table((words_column("a"),), ((Cell("b", "good"),),))))


def test_a_short_evaluation_imports_neither_rich_nor_random_numbers_of_numpy() -> None:
    code = (
        "import sys; from steelyard.cli import main; main(['evaluate', 'examples/data/payments.csv', '--truth', 'y',"
        " '--pred', 'model']); print({'rich', 'numpy.random', 'scipy', 'jinja2', 'narwhals'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("set()\n"), ran.stdout[-300:] + ran.stderr
