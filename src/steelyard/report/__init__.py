"""Reports as plain data, shown on the terminal, as a page, as Markdown, LaTeX and frames.

The names below are public: a result of your own is a `Presented` whose `report()` returns a `Report` of
sections, and everything that Steelyard's results can do (`repr`, `to_html`, `to_markdown`, `to_frame`) works
for it too. `save` writes a file whole or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard._lazy import lazily

if TYPE_CHECKING:
    from steelyard.report.numbers import count as count
    from steelyard.report.numbers import shown as shown
    from steelyard.report.presented import Presented as Presented
    from steelyard.report.saving import save as save
    from steelyard.report.sections import Block as Block
    from steelyard.report.sections import Card as Card
    from steelyard.report.sections import Cards as Cards
    from steelyard.report.sections import Cell as Cell
    from steelyard.report.sections import Column as Column
    from steelyard.report.sections import Filter as Filter
    from steelyard.report.sections import Report as Report
    from steelyard.report.sections import Section as Section
    from steelyard.report.sections import Sentence as Sentence
    from steelyard.report.sections import SmallMatrix as SmallMatrix
    from steelyard.report.sections import Table as Table
    from steelyard.report.sections import table_of as table_of
    from steelyard.report.sections import words_column as words_column

_SECTIONS = "Block Card Cards Cell Column Filter Report Section Sentence SmallMatrix Table table_of"
_HOMES = {
    **dict.fromkeys(("count", "shown"), "numbers"),
    "Presented": "presented",
    "save": "saving",
    "words_column": "sections",
    **dict.fromkeys(_SECTIONS.split(), "sections"),
}
__all__ = list(_HOMES)
__getattr__ = lazily(__name__, _HOMES)
