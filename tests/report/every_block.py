"""A report that has every kind of block, with one name in every place where a name can stand."""

from steelyard.report import chart
from steelyard.report.sections import (
    Card,
    Cards,
    Cell,
    Choice,
    Column,
    Facts,
    Figure,
    Filter,
    Folded,
    Report,
    Section,
    Segments,
    Sentence,
    SideBySide,
    SmallMatrix,
    Table,
    words_column,
)


def every_block(name: str) -> Report:
    """The report; `name` is a class, a measure, a file, a reason: whatever a user's data may call something."""
    matrix = SmallMatrix(((name, "1"), ("2", "3")), name, name)
    cell = Cell(name, "good", name, name, (matrix,), name)
    table = Table(
        (words_column(name), Column(name), words_column(name, whole=True)),
        ((cell, name, Cell(name, "strong")), (name, Cell(name), name)),
        identity=name,
        title=name,
        stacked=True,
        rest=name,
        most_on_page=1,
        most_printed=1,
        kinds=(name, "other"),
    )
    plain = Table((words_column(name), Column(name)), ((name, name),), identity="plain")
    axis = chart.Axis(name, ticks=((0.5, name),))
    marks = (
        chart.line([0, 1], [0, 1], name, notes=(name, name)),
        chart.dot(0.5, 0.5, name=name),
        chart.vrule(0.2, name=name),
    )
    drawn = chart.Chart("every", name, name, axis, axis, marks, "x", name, legend=((name, "value"),))
    picture = Figure(lambda: drawn)
    blocks = (
        Filter(name, name, ((name, name), ("other", name))),
        *(Sentence(name, tone) for tone in ("plain", "strong", "soft", "good", "bad", "open")),
        table,
        plain,
        picture,
        SideBySide((picture, Sentence(name))),
        Cards((Card(name, name, name),)),
        Choice(name, name, ((name, (Sentence(name), plain)),)),
        Folded(name, (Sentence(name), plain)),
        Facts(((name, name),)),
        Segments(name, ((name, 0.4, "value"), (name, 0.6, "base"))),
    )
    sections = (Section(name, blocks, "brief", name, name), Section("", (Sentence(name),), "full"))
    return Report(name, sections, name)
