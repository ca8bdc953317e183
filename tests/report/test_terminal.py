"""Text without colours is written without Rich: the same lines, letter by letter."""

import subprocess
import sys

import pytest

from steelyard.report.plain_text import NeedsRichError, PlainWriter
from steelyard.report.rich_text import RichWriter
from steelyard.report.sections import Cell, Column, Report, Section, Sentence, Table, words_column
from steelyard.report.terminal import _lines_of, rendered
from tests.report.every_block import every_block

TABLE = Table(
    (words_column("metric"), Column("value"), words_column("", whole=True)),
    (("G-mean", "0.933", Cell("up", aside="a bit")), ("F1, of two", "12", "")),
    title="Two rows",
)
LONG = "Detects 38 of 87 fraud cases  (recall 43.7%, 95% CI 33.8 to 54.3);\n170 of its 208 alerts are false."


@pytest.mark.parametrize("width", [24, 37, 80, 120])
@pytest.mark.parametrize("depth", ["brief", "full"])
def test_plain_lines_are_those_of_rich(width: int, depth: str) -> None:
    reports = [
        Report(
            "A title", (Section("Part", (Sentence(LONG), TABLE, Sentence(LONG, "soft")), "brief"),), "Foot"
        ),
        every_block("fraud"),
        every_block("naïve → ≥ 0.5"),
    ]
    written = 0
    for report in reports:
        by_rich = _lines_of(report, depth, RichWriter(width, colours=False))
        assert rendered(report, depth, width, colours=False) == by_rich
        try:
            assert _lines_of(report, depth, PlainWriter(width)) == by_rich
            written += 1
        except NeedsRichError:
            continue
    assert written >= (2 if width == 120 else 0)


@pytest.mark.parametrize("text", ["猫", "e\u0301", "a" * 81])
def test_letters_of_other_widths_and_long_words_are_left_to_rich(text: str) -> None:
    with pytest.raises(NeedsRichError):
        PlainWriter(80).line((text, "plain"))


def test_a_short_evaluation_imports_neither_rich_nor_random_numbers_of_numpy() -> None:
    code = (
        "import sys; from steelyard.cli import main; main(['evaluate', 'examples/data/payments.csv', '--truth', 'y',"
        " '--pred', 'model']); print({'rich', 'numpy.random', 'scipy', 'jinja2', 'narwhals'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.endswith("set()\n"), ran.stdout[-300:] + ran.stderr
