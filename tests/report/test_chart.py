"""Charts: one declaration, drawn as SVG, PNG, on Matplotlib axes and as a frame."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import steelyard as sy
from steelyard.report import chart
from steelyard.report.chart import Axis, Chart
from steelyard.report.drawing import drawn, token

SVG = "{http://www.w3.org/2000/svg}"


def roc(*more: chart.Mark) -> Chart:
    marks = (
        chart.band([0, 1], low=[0.1, 0.9], high=[0.3, 1]),
        chart.line([0, 0.2, 1], [0, 0.8, 1], "model"),
        chart.dot(0.2, 0.8, "threshold 0.5", "ink"),
        chart.dot(0.5, 0.5, colour="whatif", live="op"),
        *more,
    )
    return Chart("roc", "ROC curve", "It rises.", Axis("FPR"), Axis("Recall"), marks, "point")


def elements(svg: str, css: str) -> list[ET.Element]:
    return [one for one in ET.fromstring(svg).iter() if css in one.get("class", "").split()]


def test_a_line_stands_where_the_scale_says() -> None:
    """The frame is 480 units wide, from the left edge in data-x to 464; by hand: x 0.2 lies a fifth along."""
    svg = drawn(roc())
    root = ET.fromstring(svg)
    _, low, high, left, right = root.get("data-x", "").split()
    assert (low, high, right) == ("0", "1", "464")
    (line,) = elements(svg, "line")
    x, _ = line.get("d", "").split("L")[1].split()
    assert float(x) == pytest.approx(float(left) + 0.2 * (464 - float(left)), abs=0.1)
    assert line.get("data-name") == "model"


def test_a_logarithmic_axis() -> None:
    axis = Axis("share", 1e-4, 1, "log", unit="%")
    assert axis.place(0.01) == pytest.approx(0.5)
    assert axis.place(0) == 0 if axis.low else True
    assert [words for _, words in axis.marks()] == ["0.01%", "0.1%", "1%", "10%", "100%"]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 400, [0, 100, 200, 300, 400]), (-1, 1, [-1, -0.5, 0, 0.5, 1])],
)
def test_round_ticks(low: float, high: float, ticks: list[float]) -> None:
    assert [value for value, _ in Axis("", low, high).marks()] == pytest.approx(ticks)


def test_undefined_values_interrupt_a_line() -> None:
    svg = drawn(roc(chart.line([0, 0.5, 1], [0.1, math.nan, 0.2], "gap", "error")))
    (line,) = [one for one in elements(svg, "line") if one.get("data-name") == "gap"]
    assert line.get("d", "").count("M") == 2


def test_a_page_carries_no_styles_and_a_file_needs_nothing_else() -> None:
    assert "style" not in drawn(roc())
    light, dark = roc().svg(), roc().svg("dark")
    assert "var(--" not in light
    assert "light-dark" not in light
    assert token("value") in light
    assert token("value", "dark") in dark
    assert "whatif" not in [one.get("class", "") for one in ET.fromstring(light).iter(f"{SVG}circle")]
    assert not elements(light, "live")


def test_a_name_is_text() -> None:
    hostile = '<script>alert(1)</script>" onload="x\u202e'
    svg = drawn(roc(chart.line([0, 1], [1, 0], hostile, "error")))
    assert "<script" not in svg
    assert "\u202e" not in svg
    assert {one.tag for one in ET.fromstring(svg).iter()} <= {"svg", "line", "path", "circle", "text", "rect"}


def test_names_do_not_cover_each_other() -> None:
    """Five lines of one height each: their names have five different places."""
    lines = [chart.line([0, 1], [k / 5, k / 5], f"metric {k}", "ink") for k in range(1, 5)]
    svg = drawn(Chart("c", "t", "d", Axis("x"), Axis(""), tuple(lines)))
    places = {(t.get("x"), t.get("y")) for t in elements(svg, "name")}
    assert len(places) == 4


def test_files_and_their_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roc().save(tmp_path / "a.png")
    roc().savefig(tmp_path / "a.svg", "dark")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    with pytest.raises(sy.InputError, match=r"SVG or PNG; found .*a\.pdf"):
        roc().save(tmp_path / "a.pdf")
    monkeypatch.setattr(chart, "_writes_text", lambda: False)
    with pytest.raises(sy.InputError, match="no font is installed"):
        roc().png()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a.svg"]


def test_the_numbers_behind_it() -> None:
    frame = roc().frame()
    assert frame[frame["name"] == "model"]["y"].tolist() == [0, 0.8, 1]
    assert frame[frame["mark"] == "band"]["high"].tolist() == [0.3, 1]


def test_on_matplotlib_axes() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax: Any = figure.subplots()
    result = sy.evaluate([[91, 9], [419, 3481]], labels=["fraud", "ok"], positive="fraud", interval=None)
    assert result.plot("priors", ax=ax) is ax
    assert ax.get_xscale() == "log"
    assert {line.get_label() for line in ax.lines} >= {"precision", "F1"}


def test_ticks_of_thousands_have_commas() -> None:
    assert [words for _, words in Axis("Rows", 0, 50_000).marks()][-2:] == ["40,000", "50,000"]
